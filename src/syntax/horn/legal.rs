//! Symbols of SMT-LIB as names of Boolean programs: plain ones stay, others stand in braces, which may hold
//! any text of one line.

use crate::syntax::bp::KEYWORDS;
use rustc_hash::FxHashSet;

/// A name for a symbol that none of the `used` ones is; it is used from now on.
pub(super) fn legal_name(symbol: &str, used: &mut FxHashSet<String>) -> String {
    let mut name = legal(symbol);
    let mut count = 1;
    while used.contains(&name) {
        count += 1;
        name = legal(&format!("{symbol}_{count}"));
    }
    used.insert(name.clone());
    name
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
        let mut used = FxHashSet::default();
        let names = ["x", "x", "T", "a!1", "{\n}", "main"].map(|symbol| legal_name(symbol, &mut used));
        assert_eq!(names, ["x", "x_2", "{T}", "{a!1}", "{___}", "main"]);
    }
}
