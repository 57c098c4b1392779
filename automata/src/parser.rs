//! Parses formulas with Spot's precedence: `-> <->` (to the right) below `||` below `xor` below `&&` below `U W R M` (to
//! the right) below everything before its operand.
//!
//! Other tools read some formulas otherwise (SPIN's binary operators go to the left, Owl applies `G` to all of
//! `a -> b`, LTSmin's `U` binds least). Where they disagree a warning tells; parentheses settle it.
//!
//! In branching time there are the quantifiers `A` and `E` besides, which bind as `X` does: `E p U q` is `(E p) U q`. Every formula has a
//! [`Level`]: temporal operators make formulas of paths, quantifiers make formulas of states of them again.
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
    /// The same, where the operator may have been meant as a name.
    #[error(
        "expected a formula{0} (`{1}` is an operator; an atom of this name is written in quotes, a label `at({1})`)"
    )]
    Name(&'static str, String),
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
    #[error("unexpected `{0}` (expressions are written in quotes: \"x == 1\")")]
    Character(char),
    /// A letter that is an operator to some tools.
    #[error("`{0}` means different things to different tools; an atom of this name is written in quotes")]
    Ambiguous(String),
    /// A number that is not 0 or 1.
    #[error("`{0}` is no formula: only 0 and 1 are, and expressions in quotes")]
    Number(String),
    /// In branching time: of which paths?
    #[error("this speaks of a path, and no `A` or `E` says of which paths: write for example `A (…)` around it")]
    Path,
    /// Not in CTL.
    #[error(
        "in CTL every `A` and `E` stands before one of X, F, G, U, W, R, M, and these stand behind `A` or `E` only (CTL* allows more)"
    )]
    NotCtl,
}

/// A logic that formulas are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Logic {
    /// Linear temporal logic: `A` and `E` are names.
    Linear,
    /// Computation tree logic.
    Ctl,
    /// Both together.
    CtlStar,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Waiting {
    Prefix(Unary),
    Infix(Binary),
    /// A parenthesis, and what closes it.
    Open(char),
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

/// What a temporal operator makes of formulas.
fn temporal(levels: &[Level]) -> Level {
    if levels.iter().all(|level| *level == Level::State) { Level::Step } else { Level::Path }
}

struct Parser<'f> {
    logic: Logic,
    formulas: &'f mut Formulas,
    /// Operators that wait for their right side, with their places.
    waiting: Vec<(Waiting, Range<usize>)>,
    operands: Vec<Operand>,
    warnings: Vec<Warning>,
    /// The first place at which the formula is not one of CTL.
    not_ctl: Option<Range<usize>>,
}

#[derive(Clone, Debug)]
struct Operand {
    formula: Formula,
    shape: Shape,
    level: Level,
    /// Its outermost operator.
    place: Range<usize>,
}

/// What a formula of branching time speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    /// A state.
    State,
    /// A path, by one operator on formulas of states.
    Step,
    /// A path.
    Path,
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
    parse_in(Logic::Linear, text, formulas)
}

/// Parses a formula of a logic into a table. Formulas of branching time speak of states: every path is one of `A` or `E`.
///
/// ```
/// use epitome_automata::{Formulas, Logic, parse_in};
/// let mut formulas = Formulas::default();
/// let parsed = parse_in(Logic::Ctl, "AG EF home", &mut formulas).unwrap();
/// assert_eq!(formulas.show(parsed.formula).to_string(), "A(G(E(F(home))))");
/// assert!(parse_in(Logic::Ctl, "A F G home", &mut formulas).is_err());
/// assert!(parse_in(Logic::CtlStar, "A F G home", &mut formulas).is_ok());
/// ```
pub fn parse_in(logic: Logic, text: &str, formulas: &mut Formulas) -> Result<Parsed, FormulaError> {
    let mut parser =
        Parser { logic, formulas, waiting: Vec::new(), operands: Vec::new(), warnings: Vec::new(), not_ctl: None };
    let mut wants_operand = true;
    for (token, place) in tokens(text, logic)? {
        let wrong = |what: What| Err(FormulaError { place: place.clone(), what });
        match (token, wants_operand) {
            (Token::Constant(value), true) => {
                parser.operand(Node::Constant(value), place);
                wants_operand = false;
            }
            (Token::Atom(name), true) => {
                if logic == Logic::Linear && is_run_together(&text[place.clone()]) {
                    parser.warnings.push(Warning { place: place.clone(), message: RUN_TOGETHER });
                }
                let atom = parser.formulas.atom(&name);
                parser.operand(Node::Atom(atom), place);
                wants_operand = false;
            }
            (Token::Prefix(operators), true) => {
                parser.waiting.extend(operators.into_iter().map(|one| (Waiting::Prefix(one), place.clone())));
            }
            (Token::Open(closing), true) => parser.waiting.push((Waiting::Open(closing), place)),
            (Token::Infix(operator), false) => {
                parser.apply_before(operator);
                parser.waiting.push((Waiting::Infix(operator), place));
                wants_operand = true;
            }
            (Token::Close(closing), false) => {
                if !parser.close(closing) {
                    return wrong(What::Close);
                }
            }
            (Token::Infix(_) | Token::Close(_), true) => {
                let what = What::Operand(" before this");
                return wrong(named(what, &text[place.clone()]));
            }
            (_, false) => return wrong(What::Operator),
        }
    }
    if wants_operand {
        let place = text.len()..text.len();
        let last = text.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
        return Err(FormulaError { place, what: named(What::Operand(" here"), last) });
    }
    parser.apply_while(|_| true);
    if let Some((_, place)) = parser.waiting.pop() {
        return Err(FormulaError { place, what: What::Open });
    }
    let not_ctl = parser.not_ctl.filter(|_| logic == Logic::Ctl);
    match (parser.operands.pop(), not_ctl) {
        (Some(operand), _) if logic != Logic::Linear && operand.level != Level::State => {
            Err(FormulaError { place: operand.place, what: What::Path })
        }
        (Some(_), Some(place)) => Err(FormulaError { place, what: What::NotCtl }),
        (Some(operand), None) => Ok(Parsed { formula: operand.formula, warnings: parser.warnings }),
        (None, _) => Err(FormulaError { place: 0..text.len(), what: What::Operand("") }),
    }
}

const RUN_TOGETHER: &str = "an atom here, but to Spot its first letters are operators (`GFa` is `G F a`): put spaces between them, or the atom in quotes";

/// An atom that begins with letters that are operators.
fn is_run_together(atom: &str) -> bool {
    let rest = atom.trim_start_matches(['X', 'F', 'G']);
    rest.len() < atom.len() && rest.starts_with(|c: char| c.is_ascii_lowercase())
}

/// The error with a hint, if what stands there is a word.
fn named(what: What, word: &str) -> What {
    match what {
        What::Operand(where_) if word.chars().next().is_some_and(char::is_alphabetic) && word.len() == 1 => {
            What::Name(where_, word.to_owned())
        }
        what => what,
    }
}

impl Parser<'_> {
    /// A formula without operators.
    fn operand(&mut self, node: Node, place: Range<usize>) {
        let formula = self.formulas.add(node);
        self.operands.push(Operand { formula, shape: Shape::Closed, level: Level::State, place });
    }

    /// Applies what binds more tightly than an operator that comes next.
    fn apply_before(&mut self, next: Binary) {
        self.apply_while(|waiting| match waiting {
            Waiting::Prefix(_) => true,
            Waiting::Infix(operator) if goes_right(next) => binds(operator) > binds(next),
            Waiting::Infix(operator) => binds(operator) >= binds(next),
            Waiting::Open(_) => false,
        });
    }

    /// Applies operators as long as they are of a kind, up to the next parenthesis.
    fn apply_while(&mut self, is_next: impl Fn(Waiting) -> bool) {
        while let Some((waiting, place)) = self.waiting.last().cloned() {
            let (node, shape, level) = match waiting {
                Waiting::Open(_) => return,
                waiting if !is_next(waiting) => return,
                Waiting::Prefix(operator) => {
                    let Some(inner) = self.operands.pop() else { return };
                    let shape = if operator == Unary::Not { Shape::Closed } else { Shape::Temporal };
                    let level = match operator {
                        Unary::Exists | Unary::Forall => self.quantified(inner.level, &place),
                        Unary::Not => self.combined(&[inner.level], &place),
                        Unary::Next | Unary::Finally | Unary::Globally => temporal(&[inner.level]),
                    };
                    (Node::Unary(operator, inner.formula), shape, level)
                }
                Waiting::Infix(operator) => {
                    let (Some(right), Some(left)) = (self.operands.pop(), self.operands.pop()) else { return };
                    self.warn(operator, &left, &right, place.clone());
                    let levels = [left.level, right.level];
                    let level = if binds(operator) == 5 { temporal(&levels) } else { self.combined(&levels, &place) };
                    (Node::Binary(operator, left.formula, right.formula), Shape::Infix(operator), level)
                }
            };
            self.waiting.pop();
            let formula = self.formulas.add(node);
            self.operands.push(Operand { formula, shape, level, place });
        }
    }

    /// What a quantifier makes of a formula: in CTL it stands before a single operator.
    fn quantified(&mut self, level: Level, place: &Range<usize>) -> Level {
        if level != Level::Step {
            self.not_ctl.get_or_insert(place.clone());
        }
        Level::State
    }

    /// What `!`, `&&` and the like make of formulas: in CTL they combine formulas of states.
    fn combined(&mut self, levels: &[Level], place: &Range<usize>) -> Level {
        if levels.iter().all(|level| *level == Level::State) {
            return Level::State;
        }
        self.not_ctl.get_or_insert(place.clone());
        Level::Path
    }

    /// Closes a parenthesis; whether there was one.
    fn close(&mut self, closing: char) -> bool {
        self.apply_while(|_| true);
        if let Some(operand) = self.operands.last_mut() {
            operand.shape = Shape::Closed;
        }
        self.waiting.pop().is_some_and(|(waiting, _)| waiting == Waiting::Open(closing))
    }

    fn warn(&mut self, operator: Binary, left: &Operand, right: &Operand, place: Range<usize>) {
        let (left, right, behind) = (left.shape, right.shape, &right.place);
        let is_chained = |level: u8| {
            let same = |shape| matches!(shape, Shape::Infix(inner) if binds(inner) == level);
            binds(operator) == level && (same(left) || same(right))
        };
        // To SPIN these are one level, from left to right.
        let is_regrouped = matches!(right, Shape::Infix(inner @ (Binary::And | Binary::Or)) if binds(inner) > binds(operator))
            && matches!(operator, Binary::Or | Binary::Implies | Binary::Iff);
        let message = if is_chained(1) {
            "tools disagree on chains of `->` and `<->` (SPIN groups to the left): put parentheses"
        } else if is_chained(5) {
            "tools disagree on chains of `U`, `W`, `R` and `M` (SPIN groups to the left): put parentheses"
        } else if binds(operator) == 1 && left == Shape::Temporal && self.logic == Logic::Linear {
            "tools disagree on what stands before `->` (to Owl and CPAchecker `G a -> b` is `G (a -> b)`): put parentheses"
        } else if is_regrouped && self.logic == Logic::Linear {
            "to SPIN `&&`, `||` and `->` bind alike (`a || b && c` is `(a || b) && c`): put parentheses"
        } else {
            return;
        };
        // A chain is one place, however long: it is told at its beginning.
        match self.warnings.last_mut() {
            Some(last) if last.message == message && last.place == *behind => last.place = place,
            _ => self.warnings.push(Warning { place, message }),
        }
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
            ("G a -> b", "((G(a)) -> b)"),
            ("X x & x", "(X(x) && x)"),
            ("! a U b", "(!a U b)"),
            ("G F p", "G(F(p))"),
            ("GF p && FG q", "(G(F(p)) && F(G(q)))"),
            ("[] <> p", "G(F(p))"),
            ("□◇p → ○ q", "((G(F(p))) -> X(q))"),
            ("(a)", "a"),
            ("GFa", "GFa"),
            ("call(f()) || label( L ) || main::x", "((call(f()) || label(L)) || main::x)"),
            ("\"x == 1\" U p@L", "(\"x == 1\" U p@L)"),
            ("\"G\" W \"a\\\"b\"", "(\"G\" W \"a\\\"b\")"),
            ("true U 0", "(true U false)"),
            ("(G a) -> \"S\"", "((G(a)) -> \"S\")"),
            ("() a", "X(a)"),
        ] {
            assert_eq!(read(text), expected, "{text}");
            assert_eq!(read(expected), expected, "printed formulas are read as they are");
        }
    }

    #[test]
    fn tools_disagree() {
        for text in [
            "a -> b -> c",
            "a <-> b -> c",
            "a U b U c",
            "a W b R c",
            "G a -> b",
            "X F a <-> b",
            "GFa",
            "a || b && c",
            "a U b U c U d U e",
        ] {
            assert_eq!(warnings(text), 1, "{text}");
        }
        for text in [
            "a -> (b -> c)",
            "(a U b) U c",
            "(G a) -> b",
            "G (a -> b)",
            "a -> G b",
            "!a -> b",
            "a & b & c",
            "a && b || c",
            "\"GFa\"",
            "a || (b && c)",
        ] {
            assert_eq!(warnings(text), 0, "{text}");
        }
    }

    #[test]
    fn errors_have_places() {
        let error = |text: &str| match parse(text, &mut Formulas::default()) {
            Err(error) => (error.place.start, error.to_string()),
            Ok(_) => panic!("{text} is a formula"),
        };
        assert_eq!(error("a &"), (3, "expected a formula here".to_owned()));
        assert!(error("a U").1.contains("`U` is an operator"));
        assert!(error("G !R").1.contains("`at(R)`"));
        assert_eq!(error("a b"), (2, "expected an operator or the end".to_owned()));
        assert_eq!(error("(a"), (0, "this parenthesis is never closed".to_owned()));
        assert_eq!(error("a)"), (1, "nothing is open here".to_owned()));
        assert_eq!(error("a & & b"), (4, "expected a formula before this".to_owned()));
        assert_eq!(error("a S b").0, 2);
        assert_eq!(error("a + b").0, 2);
        assert_eq!(error("\"a"), (0, "this text has no closing quote".to_owned()));
        assert_eq!(error("").0, 0);
        assert_eq!(error("7").0, 0);
    }

    #[test]
    fn branching_time() {
        let read = |logic: Logic, text: &str| {
            let mut formulas = Formulas::default();
            parse_in(logic, text, &mut formulas).map(|parsed| formulas.show(parsed.formula).to_string())
        };
        for (text, expected) in [
            ("AG EF home", "A(G(E(F(home))))"),
            ("A [ p U q ]", "A(p U q)"),
            ("E(p W q) & AX A", "(E(p W q) && A(X(\"A\")))"),
            ("∃ ◇ p → ∀ ○ q", "(E(F(p)) -> A(X(q)))"),
            ("EX EG !p", "E(X(E(G(!p))))"),
            ("A [] p", "A(G(p))"),
        ] {
            let text = text.replace("AX A", "AX \"A\"");
            assert_eq!(read(Logic::Ctl, &text).as_deref(), Ok(expected), "{text}");
            assert_eq!(
                read(Logic::CtlStar, expected).as_deref(),
                Ok(expected),
                "printed formulas are read as they are"
            );
        }
        for text in ["A F G p", "E (F p && G q)", "E !F p", "A p", "E X X p", "AG (E F G p)", "AGF p"] {
            assert!(read(Logic::CtlStar, text).is_ok(), "{text}");
            assert_eq!(read(Logic::Ctl, text).map_err(|error| error.what), Err(What::NotCtl), "{text}");
        }
        for (text, at) in [("G p", 0), ("E p U q", 4), ("AG p -> F q", 5), ("p && X q", 2)] {
            let error = read(Logic::CtlStar, text).map_err(|error| (error.place.start, error.what));
            assert_eq!(error, Err((at, What::Path)), "{text}");
        }
        assert_eq!(read(Logic::Ctl, "A [ p U q )").map_err(|error| error.what), Err(What::Close));
        assert_eq!(read(Logic::Linear, "A && F EX").as_deref(), Ok("(\"A\" && F(\"EX\"))"));
    }

    #[test]
    fn deep_formulas_are_no_problem() {
        let text = format!("{}a{}", "G (".repeat(100_000), ")".repeat(100_000));
        assert_eq!(read(&text).len(), "G(".len() * 100_000 + 1 + 100_000);
        read(&vec!["a"; 100_000].join(" U "));
    }
}
