//! Parses formulas with Spot's precedence: `-> <->` (to the right) below `||` below `xor` below `&&` below `U W R M` (to
//! the right) below everything before its operand.
//!
//! Other tools read some formulas otherwise (SPIN's binary operators go to the left, Owl applies `G` to all of
//! `a -> b`, LTSmin's `U` binds least). Where they disagree a warning tells; parentheses settle it.
//!
//! The parser keeps its own stack of operators.

use crate::formula::{Binary, Formula, Formulas, Node, Unary};
use crate::lexer::{Token, tokens};
use std::ops::Range;

/// A formula with what was noticed about it.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The formula.
    pub formula: Formula,
    /// Where tools disagree.
    pub warnings: Vec<Warning>,
}

/// Where other tools read another formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The place in the text.
    pub place: Range<usize>,
    /// What is said.
    pub message: &'static str,
}

/// Why a text is not a formula.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct FormulaError {
    /// The place in the text.
    pub place: Range<usize>,
    /// What is wrong.
    pub what: What,
}

/// What can be wrong with a formula.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum What {
    /// The text is at an end, or something else stands where an operand should.
    #[error("expected a formula{0}")]
    Operand(&'static str),
    /// Something else stands where an operator should.
    #[error("expected an operator or the end")]
    Operator,
    /// A parenthesis is not closed.
    #[error("this parenthesis is never closed")]
    Open,
    /// A parenthesis was not opened.
    #[error("nothing is open here")]
    Close,
    /// A quote is not closed.
    #[error("this text has no closing quote")]
    OpenText,
    /// No operator has such a character.
    #[error("unexpected `{0}`")]
    Character(char),
    /// A letter that is an operator to some tools.
    #[error("`{0}` means different things to different tools; an atom of this name is written in quotes")]
    Ambiguous(String),
    /// A number that is not 0 or 1.
    #[error("`{0}` is no formula: only 0 and 1 are, and expressions in quotes")]
    Number(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Waiting {
    Prefix(Unary),
    Infix(Binary),
    Open,
}

/// How tightly an operator binds.
fn binds(operator: Binary) -> u8 {
    match operator {
        Binary::Implies | Binary::Iff => 1,
        Binary::Or => 2,
        Binary::Xor => 3,
        Binary::And => 4,
        Binary::Until | Binary::WeakUntil | Binary::Release | Binary::StrongRelease => 5,
    }
}

fn goes_right(operator: Binary) -> bool {
    matches!(binds(operator), 1 | 5)
}

struct Parser<'f> {
    formulas: &'f mut Formulas,
    /// Operators that wait for their right side, with their places.
    waiting: Vec<(Waiting, Range<usize>)>,
    /// Operands, each with: it is in parentheses, or an atom; it starts with `X`, `F` or `G` without parentheses.
    operands: Vec<(Formula, Shape)>,
    warnings: Vec<Warning>,
}

/// How an operand was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Closed,
    Temporal,
    Infix(Binary),
}

/// Parses a formula into a table.
///
/// ```
/// use epitome_automata::{Formulas, parse};
/// let mut formulas = Formulas::default();
/// let parsed = parse("G (req -> F ack)", &mut formulas).unwrap();
/// assert_eq!(formulas.show(parsed.formula).to_string(), "G(req -> F(ack))");
/// assert!(parsed.warnings.is_empty());
/// ```
pub fn parse(text: &str, formulas: &mut Formulas) -> Result<Parsed, FormulaError> {
    let mut parser = Parser { formulas, waiting: Vec::new(), operands: Vec::new(), warnings: Vec::new() };
    let mut wants_operand = true;
    for (token, place) in tokens(text)? {
        let wrong = |what: What| Err(FormulaError { place: place.clone(), what });
        match (token, wants_operand) {
            (Token::Constant(value), true) => {
                let formula = parser.formulas.add(Node::Constant(value));
                parser.operands.push((formula, Shape::Closed));
                wants_operand = false;
            }
            (Token::Atom(name), true) => {
                let atom = parser.formulas.atom(&name);
                let formula = parser.formulas.add(Node::Atom(atom));
                parser.operands.push((formula, Shape::Closed));
                wants_operand = false;
            }
            (Token::Prefix(operators), true) => {
                parser.waiting.extend(operators.into_iter().map(|one| (Waiting::Prefix(one), place.clone())));
            }
            (Token::Open, true) => parser.waiting.push((Waiting::Open, place)),
            (Token::Infix(operator), false) => {
                parser.apply_before(operator);
                parser.waiting.push((Waiting::Infix(operator), place));
                wants_operand = true;
            }
            (Token::Close, false) => {
                if !parser.close() {
                    return wrong(What::Close);
                }
            }
            (Token::Infix(_) | Token::Close, true) => return wrong(What::Operand(" before this")),
            (_, false) => return wrong(What::Operator),
        }
    }
    if wants_operand {
        let place = text.len()..text.len();
        return Err(FormulaError { place, what: What::Operand(" here") });
    }
    parser.apply_while(|_| true);
    if let Some((_, place)) = parser.waiting.pop() {
        return Err(FormulaError { place, what: What::Open });
    }
    match parser.operands.pop() {
        Some((formula, _)) => Ok(Parsed { formula, warnings: parser.warnings }),
        None => Err(FormulaError { place: 0..text.len(), what: What::Operand("") }),
    }
}

impl Parser<'_> {
    /// Applies what binds more tightly than an operator that comes next.
    fn apply_before(&mut self, next: Binary) {
        self.apply_while(|waiting| match waiting {
            Waiting::Prefix(_) => true,
            Waiting::Infix(operator) if goes_right(next) => binds(operator) > binds(next),
            Waiting::Infix(operator) => binds(operator) >= binds(next),
            Waiting::Open => false,
        });
    }

    /// Applies operators as long as they are of a kind, up to the next parenthesis.
    fn apply_while(&mut self, is_next: impl Fn(Waiting) -> bool) {
        while let Some((waiting, place)) = self.waiting.last().cloned() {
            let node = match waiting {
                Waiting::Open => return,
                waiting if !is_next(waiting) => return,
                Waiting::Prefix(operator) => {
                    let Some((inner, _)) = self.operands.pop() else { return };
                    let shape = if operator == Unary::Not { Shape::Closed } else { Shape::Temporal };
                    (Node::Unary(operator, inner), shape)
                }
                Waiting::Infix(operator) => {
                    let (Some(right), Some(left)) = (self.operands.pop(), self.operands.pop()) else { return };
                    self.warn(operator, left.1, right.1, place);
                    (Node::Binary(operator, left.0, right.0), Shape::Infix(operator))
                }
            };
            self.waiting.pop();
            let formula = self.formulas.add(node.0);
            self.operands.push((formula, node.1));
        }
    }

    /// Closes a parenthesis; whether there was one.
    fn close(&mut self) -> bool {
        self.apply_while(|_| true);
        if let Some((_, shape)) = self.operands.last_mut() {
            *shape = Shape::Closed;
        }
        self.waiting.pop().is_some()
    }

    fn warn(&mut self, operator: Binary, left: Shape, right: Shape, place: Range<usize>) {
        let is_chained = |level: u8| {
            let same = |shape| matches!(shape, Shape::Infix(inner) if binds(inner) == level);
            binds(operator) == level && (same(left) || same(right))
        };
        let message = if is_chained(1) {
            "tools disagree on chains of `->` and `<->` (SPIN groups to the left): put parentheses"
        } else if is_chained(5) {
            "tools disagree on chains of `U`, `W`, `R` and `M` (SPIN groups to the left): put parentheses"
        } else if binds(operator) == 1 && left == Shape::Temporal {
            "tools disagree on what stands before `->` (to Owl and CPAchecker `G a -> b` is `G (a -> b)`): put parentheses"
        } else {
            return;
        };
        self.warnings.push(Warning { place, message });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        let mut formulas = Formulas::default();
        let parsed = parse(text, &mut formulas).unwrap_or_else(|error| panic!("{text}: {error}"));
        formulas.show(parsed.formula).to_string()
    }

    fn warnings(text: &str) -> usize {
        parse(text, &mut Formulas::default()).unwrap_or_else(|error| panic!("{text}: {error}")).warnings.len()
    }

    #[test]
    fn precedence_is_that_of_spot() {
        for (text, expected) in [
            ("a -> b -> c", "(a -> (b -> c))"),
            ("a U b U c", "(a U (b U c))"),
            ("a | b & c", "(a || (b && c))"),
            ("a xor b | c", "((a xor b) || c)"),
            ("p || q U r", "(p || (q U r))"),
            ("G a -> b", "(G(a) -> b)"),
            ("X x & x", "(X(x) && x)"),
            ("! a U b", "(!a U b)"),
            ("G F p", "G(F(p))"),
            ("GF p && FG q", "(G(F(p)) && F(G(q)))"),
            ("[] <> p", "G(F(p))"),
            ("□◇p → ○ q", "(G(F(p)) -> X(q))"),
            ("(a)", "a"),
            ("GFa", "GFa"),
            ("call(f()) || label( L ) || main::x", "((call(f()) || label(L)) || main::x)"),
            ("\"x == 1\" U p@L", "(\"x == 1\" U p@L)"),
            ("\"G\" W \"a\\\"b\"", "(\"G\" W \"a\\\"b\")"),
            ("true U 0", "(true U false)"),
            ("() a", "X(a)"),
        ] {
            assert_eq!(read(text), expected, "{text}");
            assert_eq!(read(expected), expected, "printed formulas are read as they are");
        }
    }

    #[test]
    fn tools_disagree() {
        for text in ["a -> b -> c", "a <-> b -> c", "a U b U c", "a W b R c", "G a -> b", "X F a <-> b"] {
            assert_eq!(warnings(text), 1, "{text}");
        }
        for text in ["a -> (b -> c)", "(a U b) U c", "(G a) -> b", "G (a -> b)", "a -> G b", "!a -> b", "a & b & c"] {
            assert_eq!(warnings(text), 0, "{text}");
        }
    }

    #[test]
    fn errors_have_places() {
        let error = |text: &str| match parse(text, &mut Formulas::default()) {
            Err(error) => (error.place.start, error.to_string()),
            Ok(_) => panic!("{text} is a formula"),
        };
        assert_eq!(error("a U"), (3, "expected a formula here".to_owned()));
        assert_eq!(error("a b"), (2, "expected an operator or the end".to_owned()));
        assert_eq!(error("(a"), (0, "this parenthesis is never closed".to_owned()));
        assert_eq!(error("a)"), (1, "nothing is open here".to_owned()));
        assert_eq!(error("a & & b"), (4, "expected a formula before this".to_owned()));
        assert_eq!(error("a S b").0, 2);
        assert_eq!(error("a + b"), (2, "unexpected `+`".to_owned()));
        assert_eq!(error("\"a"), (0, "this text has no closing quote".to_owned()));
        assert_eq!(error("").0, 0);
        assert_eq!(error("7").0, 0);
    }

    #[test]
    fn deep_formulas_are_no_problem() {
        let text = format!("{}a{}", "G (".repeat(100_000), ")".repeat(100_000));
        assert_eq!(read(&text).len(), "G(".len() * 100_000 + 1 + 100_000);
        read(&vec!["a"; 100_000].join(" U "));
    }
}
