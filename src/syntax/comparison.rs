//! Expressions over variables in atoms of formulas: `"x + 1 < y && z != 3"`.
//!
//! Values are integers without bounds, so that nothing overflows; variables of Boolean programs are 0 or 1, and the result
//! is true if it is not 0. The operators are those of C with its precedence, as far as they make sense so.

/// A variable: by procedure (in all if there is none), its place in the scope.
pub type Variables = Vec<(Option<u32>, usize)>;

/// An expression in postfix order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// Its parts, operands before operators.
    pub terms: Vec<Term>,
}

/// A part of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Term {
    /// A number.
    Number(u64),
    /// A variable.
    Variable(Variables),
    /// `!`
    Not,
    /// `-`
    Negate,
    /// An operator on two operands.
    Binary(Operator),
}

/// An operator on two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Operator {
    Or,
    And,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Add,
    Subtract,
    Multiply,
}

/// Operators on two operands, longest first, and how tightly they bind.
const OPERATORS: [(&str, Operator, u8); 12] = [
    ("||", Operator::Or, 1),
    ("&&", Operator::And, 2),
    ("==", Operator::Equal, 3),
    ("!=", Operator::NotEqual, 3),
    ("<=", Operator::LessEqual, 4),
    (">=", Operator::GreaterEqual, 4),
    ("<", Operator::Less, 4),
    (">", Operator::Greater, 4),
    ("=", Operator::Equal, 3),
    ("+", Operator::Add, 5),
    ("-", Operator::Subtract, 5),
    ("*", Operator::Multiply, 6),
];

/// How tightly operators on one operand bind.
const TIGHTEST: u8 = 7;

/// What waits for its operands.
enum Waiting {
    Open,
    Operator(Term, u8),
}

impl Comparison {
    /// Reads an expression; `variable` knows the names.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str, variable: impl Fn(&str) -> Result<Variables, String>) -> Result<Comparison, String> {
        let mut parser = Parser { terms: Vec::new(), waiting: Vec::new(), operand: true };
        let mut rest = text.trim_start();
        while let Some(c) = rest.chars().next() {
            let is_word = |c: char| c.is_alphanumeric() || "_$.:".contains(c);
            let length = if c.is_ascii_digit() {
                let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
                let number = rest[..digits].parse().map_err(|_| format!("`{}` is too large", &rest[..digits]))?;
                parser.leaf(Term::Number(number), &rest[..digits])?;
                digits
            } else if c.is_alphabetic() || c == '_' {
                let word = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
                let word = rest[..word].trim_end_matches([':', '.']).len();
                parser.leaf(Term::Variable(variable(&rest[..word])?), &rest[..word])?;
                word
            } else {
                parser.sign(rest)?
            };
            rest = rest[length..].trim_start();
        }
        parser.finish(text)
    }

    /// Bits that are enough for all values on the way, signs included, where variables have so many.
    pub fn bits(&self, of: impl Fn(&Variables) -> usize) -> usize {
        let (mut stack, mut most) = (Vec::new(), 0);
        for term in &self.terms {
            let bits = match term {
                Term::Number(_) => 65,
                Term::Variable(variables) => of(variables) + 1,
                Term::Not => stack.pop().map_or(2, |_: usize| 2),
                Term::Negate => stack.pop().unwrap_or(0) + 1,
                Term::Binary(operator) => {
                    let (right, left) = (stack.pop().unwrap_or(0), stack.pop().unwrap_or(0));
                    match operator {
                        Operator::Multiply => left + right,
                        Operator::Add | Operator::Subtract => left.max(right) + 1,
                        _ => 2,
                    }
                }
            };
            most = most.max(bits);
            stack.push(bits);
        }
        most
    }

    /// The value, where variables have values; none if one is not in scope, or numbers get too large.
    pub fn value(&self, read: impl Fn(&Variables) -> Option<i128>) -> Option<i128> {
        let mut stack: Vec<i128> = Vec::new();
        for term in &self.terms {
            let value = match term {
                Term::Number(number) => i128::from(*number),
                Term::Variable(variables) => read(variables)?,
                Term::Not => i128::from(stack.pop()? == 0),
                Term::Negate => stack.pop()?.checked_neg()?,
                Term::Binary(operator) => {
                    let (right, left) = (stack.pop()?, stack.pop()?);
                    match operator {
                        Operator::Or => i128::from(left != 0 || right != 0),
                        Operator::And => i128::from(left != 0 && right != 0),
                        Operator::Equal => i128::from(left == right),
                        Operator::NotEqual => i128::from(left != right),
                        Operator::Less => i128::from(left < right),
                        Operator::LessEqual => i128::from(left <= right),
                        Operator::Greater => i128::from(left > right),
                        Operator::GreaterEqual => i128::from(left >= right),
                        Operator::Add => left.checked_add(right)?,
                        Operator::Subtract => left.checked_sub(right)?,
                        Operator::Multiply => left.checked_mul(right)?,
                    }
                }
            };
            stack.push(value);
        }
        stack.pop()
    }
}

/// Operators wait on a stack of their own until what binds less tightly comes (Dijkstra's shunting yard).
struct Parser {
    terms: Vec<Term>,
    waiting: Vec<Waiting>,
    /// An operand is expected.
    operand: bool,
}

impl Parser {
    fn leaf(&mut self, term: Term, text: &str) -> Result<(), String> {
        if !self.operand {
            return Err(format!("an operator is expected before `{text}`"));
        }
        self.terms.push(term);
        self.operand = false;
        Ok(())
    }

    /// An operator or parenthesis; gives its length.
    fn sign(&mut self, rest: &str) -> Result<usize, String> {
        let first = rest.chars().next().unwrap_or(' ');
        match first {
            '(' if self.operand => self.waiting.push(Waiting::Open),
            '!' if self.operand => self.waiting.push(Waiting::Operator(Term::Not, TIGHTEST)),
            '-' if self.operand => self.waiting.push(Waiting::Operator(Term::Negate, TIGHTEST)),
            ')' if !self.operand => {
                self.apply(0);
                if !matches!(self.waiting.pop(), Some(Waiting::Open)) {
                    return Err("a `)` without its `(`".to_owned());
                }
            }
            _ => {
                let found = OPERATORS.iter().find(|(spelling, ..)| rest.starts_with(spelling));
                let Some(&(spelling, operator, binding)) = found.filter(|_| !self.operand) else {
                    return Err(format!("`{first}` is not expected here"));
                };
                self.apply(binding);
                self.waiting.push(Waiting::Operator(Term::Binary(operator), binding));
                self.operand = true;
                return Ok(spelling.len());
            }
        }
        Ok(first.len_utf8())
    }

    /// Operators that bind at least so tightly have their operands.
    fn apply(&mut self, binding: u8) {
        while let Some(Waiting::Operator(_, own)) = self.waiting.last()
            && *own >= binding
            && let Some(Waiting::Operator(term, _)) = self.waiting.pop()
        {
            self.terms.push(term);
        }
    }

    fn finish(mut self, text: &str) -> Result<Comparison, String> {
        if self.operand {
            return Err(format!("`{text}` ends too early"));
        }
        self.apply(0);
        match self.waiting.is_empty() {
            true => Ok(Comparison { terms: self.terms }),
            false => Err("a `(` without its `)`".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value where each variable is its place.
    fn value(text: &str) -> Result<Option<i128>, String> {
        let variable = |name: &str| match name {
            "x" => Ok(vec![(None, 5)]),
            "y" => Ok(vec![(None, 7)]),
            "main::z" => Ok(vec![(Some(0), 9)]),
            _ => Err(format!("no {name}")),
        };
        Ok(Comparison::parse(text, variable)?.value(|variables| Some(variables[0].1 as i128)))
    }

    #[test]
    fn expressions_have_the_precedence_of_c() {
        for (text, expected) in [
            ("x + 2 * 3 == 11", 1),
            ("(x + 2) * 3 == 21 && !(y < x)", 1),
            ("x - 1 - 1", 3),
            ("-x < 0 || x / 0", -1),
            ("-x + 5", 0),
            ("!x == 0", 1),
            ("x < y && y <= main::z && main::z >= 9 && y > x && x != y", 1),
            ("0 || 0", 0),
        ] {
            let value = value(text);
            if expected < 0 {
                assert!(value.is_err(), "{text}");
            } else {
                assert_eq!(value, Ok(Some(expected)), "{text}");
            }
        }
    }

    #[test]
    fn what_is_wrong_is_told() {
        for text in ["", "x +", "x y", "(x", "x)", "x & y", "w", "x == 99999999999999999999", "()", "+ x"] {
            assert!(value(text).is_err(), "{text}");
        }
    }
}
