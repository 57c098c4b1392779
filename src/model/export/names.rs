//! Legal and distinct names. A name of the source is kept where the language it goes to accepts it and
//! nothing else has it; otherwise it is changed as little as possible: `{x > 0}` to `x_gt_0`, the word
//! `entry` to `entry_`, a second `x` to `x_2`.

use crate::syntax::{bp, rsm};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;

/// What a language accepts as a name.
pub(super) struct Lexicon {
    /// Its words, which are not names, and `_`, which forgets a result.
    words: &'static [&'static str],
    /// `{any text}` is a name.
    braces: bool,
    /// `$` may stand in a name.
    dollars: bool,
}

/// Boolean programs.
pub(super) const BP: Lexicon = Lexicon { words: bp::KEYWORDS, braces: true, dollars: true };

/// Machines.
pub(super) const RSM: Lexicon = Lexicon { words: rsm::KEYWORDS, braces: false, dollars: true };

/// Terms of SMT-LIB, in which a name is a symbol without bars.
pub(super) const SMT: Lexicon = Lexicon { words: SMT_WORDS, braces: false, dollars: true };

/// C, as strict as its readers are.
pub(super) const C: Lexicon = Lexicon { words: C_WORDS, braces: false, dollars: false };

/// Promela: all names get prefixes, which no word has.
pub(super) const PROMELA: Lexicon = Lexicon { words: &[], braces: false, dollars: false };

/// Pushdown systems of Moped.
pub(super) const PDS: Lexicon =
    Lexicon { words: &["A", "E", "atoms", "bool", "define", "global", "int", "local"], braces: false, dollars: false };

/// What C has taken, in all its versions, and words that compilers or verifiers take for something else.
#[rustfmt::skip]
const C_WORDS: &[&str] = &[
    "_Alignas", "_Alignof", "_Atomic", "_BitInt", "_Bool", "_Complex", "_Decimal128", "_Decimal32", "_Decimal64",
    "_Float128", "_Float16", "_Float32", "_Float64", "_Generic", "_Imaginary", "_Noreturn", "_Static_assert",
    "_Thread_local", "abort", "alignas", "alignof", "asm", "assert", "assume_abort_if_not", "auto", "bool", "break",
    "case", "char", "const", "constexpr", "continue", "default", "do", "double", "else", "enum", "errno", "extern",
    "false", "float", "for", "goto", "i386", "if", "inline", "int", "linux", "long", "main", "nullptr", "reach_error",
    "register", "restrict", "return", "short", "signed", "sizeof", "static", "static_assert", "struct", "switch",
    "thread_local", "true", "typedef", "typeof", "typeof_unqual", "union", "unix", "unsigned", "void", "volatile",
    "wchar_t", "while",
];

/// What SMT-LIB and its core theory have taken.
const SMT_WORDS: &[&str] = &[
    "_", "as", "assert", "and", "distinct", "exists", "false", "forall", "ite", "let", "match", "not", "or", "par",
    "true", "xor",
];

/// Signs that predicates in braces are told apart by, longest first.
const SIGNS: [(&str, &str); 11] = [
    ("->", ""),
    ("==", "eq"),
    ("!=", "ne"),
    ("<=", "le"),
    (">=", "ge"),
    ("<", "lt"),
    (">", "gt"),
    ("=", "eq"),
    ("!", "not"),
    ("+", "plus"),
    ("-", "minus"),
];

impl Lexicon {
    /// The text is a name.
    pub(super) fn accepts(&self, text: &str) -> bool {
        let first = text.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
        first && text != "_" && text.bytes().all(|byte| self.has_byte(byte)) && !self.words.contains(&text)
            || self.braces && is_braced(text)
    }

    fn has_byte(&self, byte: u8) -> bool {
        byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' && self.dollars
    }

    /// The text itself, or the name that comes closest to it.
    fn legal<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.accepts(text) { Cow::Borrowed(text) } else { Cow::Owned(self.plain(text)) }
    }

    /// A name without braces.
    fn plain(&self, text: &str) -> String {
        let mut name = self.pieces(text).join("_");
        if !name.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_') {
            name.insert(0, if name.is_empty() { 'x' } else { '_' });
        }
        if self.words.contains(&name.as_str()) {
            name.push('_');
        }
        name
    }

    /// The words and numbers of a text, and its signs as words.
    fn pieces<'t>(&self, text: &'t str) -> Vec<&'t str> {
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let run = rest.bytes().position(|byte| !self.has_byte(byte)).unwrap_or(rest.len());
            if run > 0 {
                pieces.push(&rest[..run]);
                rest = &rest[run..];
            } else if let Some((sign, word)) = SIGNS.iter().find(|(sign, _)| rest.starts_with(sign)) {
                pieces.push(word);
                rest = &rest[sign.len()..];
            } else {
                rest = &rest[first.len_utf8()..];
            }
        }
        pieces.retain(|piece| !piece.is_empty());
        pieces
    }
}

/// `{any text}` on one line.
fn is_braced(text: &str) -> bool {
    let inside = text.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
    inside.is_some_and(|inside| !inside.contains(['}', '\n']))
}

/// Gives distinct names in one scope, inside of another or not.
pub(super) struct Namer<'o> {
    lexicon: &'static Lexicon,
    outer: Option<&'o Namer<'o>>,
    taken: FxHashSet<String>,
    /// The number to try next for a name that is taken: many variables may have the same.
    next: FxHashMap<String, u32>,
}

impl<'o> Namer<'o> {
    /// A scope where nothing has a name.
    pub(super) fn new(lexicon: &'static Lexicon) -> Namer<'o> {
        Namer { lexicon, outer: None, taken: FxHashSet::default(), next: FxHashMap::default() }
    }

    /// A scope inside of this one: its names differ from the outer ones too.
    pub(super) fn inside(&'o self) -> Namer<'o> {
        Namer { outer: Some(self), ..Namer::new(self.lexicon) }
    }

    /// Something in this scope or around it has the name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.taken.contains(name) || self.outer.is_some_and(|outer| outer.has(name))
    }

    /// Nothing may get this name any more.
    pub(super) fn reserve(&mut self, name: &str) {
        if !self.taken.contains(name) {
            self.taken.insert(name.to_owned());
        }
    }

    /// Takes the name itself if it is legal and free.
    pub(super) fn exactly(&mut self, text: &str) -> Option<String> {
        if !self.lexicon.accepts(text) || self.has(text) {
            return None;
        }
        self.reserve(text);
        Some(text.to_owned())
    }

    /// Takes the name that comes closest to the text.
    pub(super) fn fresh(&mut self, text: &str) -> String {
        let mut name = self.lexicon.legal(text).into_owned();
        if self.has(&name) {
            let stem = self.lexicon.plain(text);
            let mut number = self.next.get(&stem).copied().unwrap_or(2);
            name = format!("{stem}_{number}");
            while self.has(&name) {
                number += 1;
                name = format!("{stem}_{number}");
            }
            self.next.insert(stem, number + 1);
        }
        self.reserve(&name);
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::{Source, bp, rsm};

    fn bp_accepts(name: &str) -> bool {
        let text = format!("decl {name}; void main() begin {name} := {name}; end");
        bp::parse(&Source::new("t.bp", text)).is_ok()
    }

    fn rsm_accepts(name: &str) -> bool {
        let text = format!("var {name}; machine M {{ entry e; e -> e when {name}; }} init M.e;");
        rsm::parse(&Source::new("t.rsm", text)).is_ok()
    }

    #[test]
    fn the_parsers_agree_on_names() {
        let odd = ["x", "_x", "x$1", "$x", "1x", "12", "{*p==*q}", "{a", "x y", "ä", "", "sync", "{}}", "entry", "end"];
        for name in odd.iter().chain(BP.words).chain(RSM.words).filter(|name| **name != "_") {
            assert_eq!(BP.accepts(name), bp_accepts(name), "{name} in a program");
            assert_eq!(RSM.accepts(name), rsm_accepts(name), "{name} in a machine");
        }
    }

    #[test]
    fn names_become_legal_and_distinct() {
        let mut names = Namer::new(&RSM);
        names.reserve("ERROR");
        let given = ["{x > 0}", "{x < 0}", "x_gt_0", "entry", "12", "", "ERROR", "a", "a", "a_2", "{p->q==1}", "_"];
        let expected =
            ["x_gt_0", "x_lt_0", "x_gt_0_2", "entry_", "_12", "x", "ERROR_2", "a", "a_2", "a_2_2", "p_q_eq_1", "__"];
        assert_eq!(given.map(|text| names.fresh(text)), expected.map(str::to_owned));
        assert!(expected.iter().all(|name| rsm_accepts(name)));
        let mut inner = names.inside();
        assert_eq!(inner.fresh("a"), "a_3");
        assert_eq!((inner.exactly("a"), inner.exactly("b")), (None, Some("b".to_owned())));
    }

    #[test]
    fn braces_are_names_of_programs() {
        let mut names = Namer::new(&BP);
        assert_eq!(names.fresh("{x > 0}"), "{x > 0}");
        assert_eq!(names.fresh("{x > 0}"), "x_gt_0_2");
    }
}
