//! Words and signs of a text.

/// A word or sign, and where it begins.
pub type Token<'t> = (&'t str, usize);

/// Signs of several characters, longer ones before those that they begin with.
const LONG: [&str; 11] = ["<=>", "<->", ":=", "=>", "->", "==", "!=", "&&", "||", "/*", "//"];

/// All tokens of a text; the last is empty. `None` if a name or comment is not closed.
pub fn tokens(text: &str) -> Option<Vec<Token<'_>>> {
    let mut found = Vec::new();
    let mut at = if text.starts_with('\u{feff}') { 3 } else { 0 };
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let of_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
        let length = match first {
            _ if first.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            '{' => rest.find(['}', '\n']).filter(|&end| rest[end..].starts_with('}'))? + 1,
            _ if of_word(first) && first != '$' => rest.find(|c| !of_word(c)).unwrap_or(rest.len()),
            _ => match LONG.iter().find(|sign| rest.starts_with(**sign)) {
                Some(&"//") => {
                    at += rest.find('\n').unwrap_or(rest.len());
                    continue;
                }
                Some(&"/*") => {
                    at += rest[2..].find("*/")? + 4;
                    continue;
                }
                Some(sign) => sign.len(),
                None => first.len_utf8(),
            },
        };
        found.push((&text[at..at + length], at));
        at += length;
    }
    found.push(("", text.len()));
    Some(found)
}
