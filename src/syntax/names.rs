//! Interned names: each distinct name is stored once and is four bytes elsewhere.

use rustc_hash::FxHashMap;
use std::fmt;

/// A name of a [`Names`] table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(u32);

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "name{}", self.0)
    }
}

/// A table of names.
#[derive(Clone, Debug, Default)]
pub struct Names {
    texts: Vec<Box<str>>,
    index: FxHashMap<Box<str>, Name>,
}

impl Names {
    /// The name with this text, entered if new.
    pub fn intern(&mut self, text: &str) -> Name {
        if let Some(&name) = self.index.get(text) {
            return name;
        }
        let name = Name(self.texts.len() as u32);
        self.texts.push(text.into());
        self.index.insert(text.into(), name);
        name
    }

    /// The name with this text if some place of the program uses it.
    pub fn find(&self, text: &str) -> Option<Name> {
        self.index.get(text).copied()
    }

    /// The text of a name.
    pub fn text(&self, name: Name) -> &str {
        &self.texts[name.0 as usize]
    }
}
