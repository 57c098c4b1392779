//! Words of formulas, in the spellings of all tools (Spot, SPIN, NuSMV, Owl, LTSmin).
//!
//! A word is an operator only as a whole: `GFa` is an atom, `GF a` and `G F a` are not. In linear time `A` and `E` are atoms
//! like others.

use crate::formula::{Binary, Unary};
use crate::parser::{FormulaError, Logic, What};
use std::ops::Range;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    Constant(bool),
    Atom(String),
    /// Operators before their operand, the outermost first: `GF` is two.
    Prefix(Vec<Unary>),
    Infix(Binary),
    /// `(` or `[`, and what closes it.
    Open(char),
    /// `)` or `]`.
    Close(char),
}

/// Spellings with special characters, longest first.
const SYMBOLS: [(&str, Sign); 37] = [
    ("<-->", Sign::Infix(Binary::Iff)),
    ("<==>", Sign::Infix(Binary::Iff)),
    ("<->", Sign::Infix(Binary::Iff)),
    ("<=>", Sign::Infix(Binary::Iff)),
    ("-->", Sign::Infix(Binary::Implies)),
    ("==>", Sign::Infix(Binary::Implies)),
    ("->", Sign::Infix(Binary::Implies)),
    ("=>", Sign::Infix(Binary::Implies)),
    ("&&", Sign::Infix(Binary::And)),
    ("/\\", Sign::Infix(Binary::And)),
    ("||", Sign::Infix(Binary::Or)),
    ("\\/", Sign::Infix(Binary::Or)),
    ("[]", Sign::Prefix(Unary::Globally)),
    ("<>", Sign::Prefix(Unary::Finally)),
    ("()", Sign::Prefix(Unary::Next)),
    ("&", Sign::Infix(Binary::And)),
    ("|", Sign::Infix(Binary::Or)),
    ("^", Sign::Infix(Binary::Xor)),
    ("!", Sign::Prefix(Unary::Not)),
    ("~", Sign::Prefix(Unary::Not)),
    ("(", Sign::Open(')')),
    (")", Sign::Close(')')),
    ("¬", Sign::Prefix(Unary::Not)),
    ("∧", Sign::Infix(Binary::And)),
    ("∨", Sign::Infix(Binary::Or)),
    ("⊕", Sign::Infix(Binary::Xor)),
    ("→", Sign::Infix(Binary::Implies)),
    ("⇒", Sign::Infix(Binary::Implies)),
    ("↔", Sign::Infix(Binary::Iff)),
    ("⇔", Sign::Infix(Binary::Iff)),
    ("□", Sign::Prefix(Unary::Globally)),
    ("◻", Sign::Prefix(Unary::Globally)),
    ("◇", Sign::Prefix(Unary::Finally)),
    ("◊", Sign::Prefix(Unary::Finally)),
    ("⋄", Sign::Prefix(Unary::Finally)),
    ("○", Sign::Prefix(Unary::Next)),
    ("◯", Sign::Prefix(Unary::Next)),
];

#[derive(Clone, Copy)]
enum Sign {
    Infix(Binary),
    Prefix(Unary),
    Open(char),
    Close(char),
}

/// What a whole word means, if it is not an atom.
fn word(text: &str) -> Option<Token> {
    use Binary::*;
    use Unary::*;
    Some(match text {
        "true" | "True" | "TRUE" | "tt" | "1" => Token::Constant(true),
        "false" | "False" | "FALSE" | "ff" | "0" => Token::Constant(false),
        "not" | "NOT" => Token::Prefix(vec![Not]),
        "X" | "next" => Token::Prefix(vec![Next]),
        "F" | "eventually" | "finally" => Token::Prefix(vec![Finally]),
        "G" | "always" | "globally" => Token::Prefix(vec![Globally]),
        "GF" => Token::Prefix(vec![Globally, Finally]),
        "FG" => Token::Prefix(vec![Finally, Globally]),
        "and" | "AND" => Token::Infix(And),
        "or" | "OR" => Token::Infix(Or),
        "xor" | "XOR" => Token::Infix(Xor),
        "implies" | "IMP" => Token::Infix(Implies),
        "iff" | "equivalent" | "EQUIV" | "xnor" => Token::Infix(Iff),
        "U" | "until" | "stronguntil" => Token::Infix(Until),
        "W" | "WU" | "weakuntil" => Token::Infix(WeakUntil),
        "R" | "V" | "release" => Token::Infix(Release),
        "M" => Token::Infix(StrongRelease),
        _ => return None,
    })
}

/// What a whole word means in branching time only.
fn branching_word(text: &str) -> Option<Token> {
    use Unary::*;
    let quantifier = match text.as_bytes().first()? {
        b'E' => Exists,
        b'A' => Forall,
        _ => return None,
    };
    let mut operators = vec![quantifier];
    for letter in text[1..].chars() {
        operators.push(match letter {
            'X' => Next,
            'F' => Finally,
            'G' => Globally,
            _ => return None,
        });
    }
    Some(Token::Prefix(operators))
}

/// The word is an operator or a constant in some logic.
pub(crate) fn is_keyword(text: &str) -> bool {
    word(text).or_else(|| branching_word(text)).is_some()
}

/// Signs of branching time: NuSMV writes `A [ p U q ]`.
const BRANCHING_SYMBOLS: [(&str, Sign); 4] = [
    ("[", Sign::Open(']')),
    ("]", Sign::Close(']')),
    ("∃", Sign::Prefix(Unary::Exists)),
    ("∀", Sign::Prefix(Unary::Forall)),
];

/// The tokens of a text with their places.
pub(crate) fn tokens(text: &str, logic: Logic) -> Result<Vec<(Token, Range<usize>)>, FormulaError> {
    let mut tokens = Vec::new();
    let mut at = 0;
    let mut symbols = SYMBOLS.to_vec();
    if logic != Logic::Linear {
        symbols.extend(BRANCHING_SYMBOLS);
    }
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        }
        let (token, length) = if c == '"' {
            let (atom, length) = quoted(rest).ok_or(FormulaError { place: at..text.len(), what: What::OpenText })?;
            (Token::Atom(atom), length)
        } else if c.is_alphanumeric() || c == '_' {
            name(rest, logic)
        } else if let Some((spelling, sign)) = symbols.iter().find(|(spelling, _)| rest.starts_with(spelling)) {
            let token = match sign {
                Sign::Infix(operator) => Token::Infix(*operator),
                Sign::Prefix(operator) => Token::Prefix(vec![*operator]),
                Sign::Open(closing) => Token::Open(*closing),
                Sign::Close(closing) => Token::Close(*closing),
            };
            (token, spelling.len())
        } else {
            let what = What::Character(c);
            return Err(FormulaError { place: at..at + c.len_utf8(), what });
        };
        // In quotes anything is an atom.
        if let Token::Atom(atom) = &token
            && c != '"'
            && let Some(what) = refused(atom)
        {
            return Err(FormulaError { place: at..at + length, what });
        }
        tokens.push((token, at..at + length));
        at += length;
    }
    Ok(tokens)
}

/// `S` is strong release for some and *since* for others; numbers but 0 and 1 mean nothing.
pub(crate) fn refused(atom: &str) -> Option<What> {
    match atom {
        "S" | "Y" | "Z" | "H" | "O" | "T" => Some(What::Ambiguous(atom.to_owned())),
        number if number.chars().all(|c| c.is_ascii_digit()) => Some(What::Number(number.to_owned())),
        _ => None,
    }
}

/// A name, perhaps with a procedure before it (`main::x`, `p.x`, `p@L`), or with an argument: `call(f())`, `label(L)`.
fn name(text: &str, logic: Logic) -> (Token, usize) {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let part = |text: &str| text.find(|c: char| !is_part(c)).unwrap_or(text.len());
    let mut end = part(text);
    loop {
        let rest = &text[end..];
        let joint = ["::", ".", "@"].iter().find(|joint| rest.starts_with(**joint)).map_or(0, |joint| joint.len());
        let more = part(&rest[joint..]);
        if joint == 0 || more == 0 {
            break;
        }
        end += joint + more;
    }
    let word_text = &text[..end];
    if matches!(word_text, "call" | "label" | "at" | "in")
        && let Some(length) = argument(&text[end..])
    {
        let atom: String = text[..end + length].chars().filter(|c| !c.is_whitespace()).collect();
        return (Token::Atom(atom), end + length);
    }
    let branching = || branching_word(word_text).filter(|_| logic != Logic::Linear);
    (word(word_text).or_else(branching).unwrap_or_else(|| Token::Atom(word_text.to_owned())), end)
}

/// The length of `(…)`, parentheses inside included.
fn argument(text: &str) -> Option<usize> {
    if !text.starts_with('(') {
        return None;
    }
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

/// A text in quotes, `\"` inside being a quote; and how long it is with them.
pub(crate) fn quoted(text: &str) -> Option<(String, usize)> {
    let mut atom = String::new();
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '"' if !escaped => return Some((atom, at + 1)),
            '\\' if !escaped => escaped = true,
            c => {
                atom.push(c);
                escaped = false;
            }
        }
    }
    None
}
