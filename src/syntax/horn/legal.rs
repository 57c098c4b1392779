//! Symbols of SMT-LIB as names of Boolean programs: plain ones stay, others stand in braces, which may hold
//! any text of one line.

use crate::syntax::bp::KEYWORDS;
use rustc_hash::{FxHashMap, FxHashSet};

/// Names that are taken.
#[derive(Default)]
pub(super) struct Names {
    taken: FxHashSet<String>,
    /// How often a symbol was given a name: where to go on counting.
    given: FxHashMap<String, usize>,
}

impl Names {
    /// A name for a symbol that nothing else has; it is taken from now on.
    pub(super) fn fresh(&mut self, symbol: &str) -> String {
        let count = self.given.entry(symbol.to_owned()).or_insert(0);
        loop {
            *count += 1;
            let name = if *count == 1 { legal(symbol) } else { legal(&format!("{symbol}_{count}")) };
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }
}

fn legal(symbol: &str) -> String {
    let starts = symbol.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    let part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$';
    if starts && symbol != "_" && symbol.bytes().all(part) && !KEYWORDS.contains(&symbol) {
        return symbol.to_owned();
    }
    let inside = |c: char| if matches!(c, '{' | '}') || c.is_control() { '_' } else { c };
    format!("{{{}}}", symbol.chars().map(inside).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_legal_and_distinct() {
        let mut names = Names::default();
        let names = ["x", "x_3", "x", "T", "a!1", "{\n}", "x", "main"].map(|symbol| names.fresh(symbol));
        assert_eq!(names, ["x", "x_3", "x_2", "{T}", "{a!1}", "{___}", "x_4", "main"]);
    }
}
