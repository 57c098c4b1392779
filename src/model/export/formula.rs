//! Expressions of Boolean programs in the few operators that every other language has.
//!
//! Constants are folded away (one language has none): what is left is a constant, or has no constant in it.
//! `schoose[a, b]` is `a | !b & *`, and the choices of a statement have numbers, so that a language without
//! choices can read them off variables. Everything is in postfix order and written with an explicit stack.

use crate::syntax::{Binary, Expr, Exprs, Op, Var};

/// One operator or operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Const(bool),
    Var(Var),
    /// The value after the step.
    Next(Var),
    /// A choice of the statement, by number.
    Choice(u32),
    Not,
    Join(Join),
}

/// What joins two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Join {
    And,
    Or,
    Implies,
    Same,
    Differ,
}

/// How a language writes what joins two operands. An implication is a disjunction.
pub(super) struct Signs {
    pub(super) and: &'static str,
    pub(super) or: &'static str,
    pub(super) same: &'static str,
    pub(super) differ: &'static str,
}

impl Signs {
    /// Those of C, which others have taken over.
    pub(super) const OF_C: Signs = Signs { and: " && ", or: " || ", same: " == ", differ: " != " };
}

/// An expression in postfix order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Formula {
    parts: Vec<Part>,
}

impl Formula {
    /// The expression; its choices get the next numbers.
    pub(super) fn new(exprs: &Exprs, expr: Expr, choices: &mut u32) -> Formula {
        let mut folder = Folder::default();
        for &op in exprs.ops(expr) {
            match op {
                Op::Const(value) => folder.constant(value),
                Op::Var(var) => folder.leaf(Part::Var(var)),
                Op::Next(var) => folder.leaf(Part::Next(var)),
                Op::Choice(_) => folder.choice(choices),
                Op::Not => folder.not(),
                Op::Binary(binary) => folder.join(join_of(binary)),
                Op::Choose => {
                    folder.not();
                    folder.choice(choices);
                    folder.join(Join::And);
                    folder.join(Join::Or);
                }
            }
        }
        folder.finish()
    }

    /// Its value, if that is always the same.
    pub(super) fn constant(&self) -> Option<bool> {
        match self.parts[..] {
            [Part::Const(value)] => Some(value),
            _ => None,
        }
    }

    /// It is arbitrary: a choice, or the opposite of one.
    pub(super) fn is_free(&self) -> bool {
        matches!(self.parts[..], [Part::Choice(_)] | [Part::Choice(_), Part::Not])
    }

    /// The opposite.
    pub(super) fn negated(mut self) -> Formula {
        match self.parts.last_mut() {
            Some(Part::Const(value)) => *value = !*value,
            Some(Part::Not) => _ = self.parts.pop(),
            _ => self.parts.push(Part::Not),
        }
        self
    }

    /// Writes it with few parentheses, but with one wherever languages differ on how strong a sign is; `leaf`
    /// writes operands. A constant has to be written by the caller where the language has none.
    pub(super) fn write(&self, out: &mut String, signs: &Signs, mut leaf: impl FnMut(&mut String, Part)) {
        let operands = self.operands();
        let mut tasks = vec![Task::Part(self.parts.len() - 1)];
        while let Some(task) = tasks.pop() {
            let at = match task {
                Task::Text(text) => {
                    out.push_str(text);
                    continue;
                }
                Task::Part(at) => at,
            };
            let [left, right] = operands[at];
            match self.parts[at] {
                Part::Not => {
                    self.push(&mut tasks, left, |_| true);
                    tasks.push(Task::Text("!"));
                }
                Part::Join(join) => {
                    // The negation of a negation is not written: to SPIN `!!` is something else.
                    let negation = join == Join::Implies && self.parts[left] == Part::Not;
                    let left = if negation { operands[left][0] } else { left };
                    let negated = join == Join::Implies && !negation;
                    self.push_join(&mut tasks, join.written(), (left, negated, right), signs);
                }
                part => leaf(out, part),
            }
        }
    }

    /// The two sides and the sign, from the last to the first; the left side is perhaps negated.
    fn push_join(&self, tasks: &mut Vec<Task>, own: Join, (left, negated, right): (usize, bool, usize), signs: &Signs) {
        let is_chain = |inner: Join| inner.written() == own;
        let groups = matches!(own, Join::And | Join::Or);
        self.push(tasks, right, |inner| !(groups && is_chain(inner)));
        tasks.push(Task::Text(match own {
            Join::And => signs.and,
            Join::Same => signs.same,
            Join::Differ => signs.differ,
            Join::Or | Join::Implies => signs.or,
        }));
        self.push(tasks, left, |inner| negated || !is_chain(inner));
        if negated {
            tasks.push(Task::Text("!"));
        }
    }

    /// An operand, in parentheses if it is joined in a way that needs them.
    fn push(&self, tasks: &mut Vec<Task>, at: usize, needs: impl Fn(Join) -> bool) {
        match self.parts[at] {
            Part::Join(inner) if needs(inner) => {
                tasks.extend([Task::Text(")"), Task::Part(at), Task::Text("(")]);
            }
            _ => tasks.push(Task::Part(at)),
        }
    }

    /// For each place the places of its operands (one place twice for a negation).
    fn operands(&self) -> Vec<[usize; 2]> {
        let mut stack: Vec<usize> = Vec::new();
        let mut operands = Vec::with_capacity(self.parts.len());
        for (at, part) in self.parts.iter().enumerate() {
            let mut pop = || stack.pop().expect("operators find their operands");
            operands.push(match part {
                Part::Not => [pop(); 2],
                Part::Join(_) => {
                    let right = pop();
                    [pop(), right]
                }
                _ => [at; 2],
            });
            stack.push(at);
        }
        operands
    }
}

impl Join {
    /// As what it is written.
    fn written(self) -> Join {
        if self == Join::Implies { Join::Or } else { self }
    }

    /// What is left of the other operand if the one on the left, or on the right, is a constant.
    fn with_constant(self, on_left: bool, value: bool) -> Left {
        match (self, value) {
            (Join::And | Join::Same, true) | (Join::Or | Join::Differ, false) => Left::Itself,
            (Join::And, false) => Left::Constant(false),
            (Join::Or, true) => Left::Constant(true),
            (Join::Same, false) | (Join::Differ, true) => Left::Negation,
            (Join::Implies, _) if on_left => {
                if value {
                    Left::Itself
                } else {
                    Left::Constant(true)
                }
            }
            (Join::Implies, _) => {
                if value {
                    Left::Constant(true)
                } else {
                    Left::Negation
                }
            }
        }
    }
}

fn join_of(binary: Binary) -> Join {
    match binary {
        Binary::Iff | Binary::Equal => Join::Same,
        Binary::Xor | Binary::NotEqual => Join::Differ,
        Binary::Implies => Join::Implies,
        Binary::Or => Join::Or,
        Binary::And => Join::And,
    }
}

enum Task {
    Part(usize),
    Text(&'static str),
}

/// What a constant leaves of the other operand.
enum Left {
    Itself,
    Negation,
    Constant(bool),
}

/// An operand that was read: where its parts begin, and its value if it is constant. Constants have no parts.
#[derive(Clone, Copy)]
struct Operand {
    start: usize,
    known: Option<bool>,
}

#[derive(Default)]
struct Folder {
    parts: Vec<Part>,
    stack: Vec<Operand>,
}

impl Folder {
    fn constant(&mut self, value: bool) {
        self.stack.push(Operand { start: self.parts.len(), known: Some(value) });
    }

    fn leaf(&mut self, part: Part) {
        self.stack.push(Operand { start: self.parts.len(), known: None });
        self.parts.push(part);
    }

    fn choice(&mut self, choices: &mut u32) {
        self.leaf(Part::Choice(*choices));
        *choices += 1;
    }

    fn pop(&mut self) -> Operand {
        self.stack.pop().expect("operators find their operands")
    }

    fn not(&mut self) {
        let operand = self.pop();
        if operand.known.is_none() {
            match self.parts.last() {
                Some(Part::Not) => _ = self.parts.pop(),
                _ => self.parts.push(Part::Not),
            }
        }
        self.stack.push(Operand { known: operand.known.map(|value| !value), ..operand });
    }

    fn join(&mut self, join: Join) {
        let right = self.pop();
        let left = self.pop();
        let (other, left_over) = match (left.known, right.known) {
            (Some(value), _) => (right, join.with_constant(true, value)),
            (None, Some(value)) => (left, join.with_constant(false, value)),
            (None, None) => {
                self.parts.push(Part::Join(join));
                return self.stack.push(left);
            }
        };
        match left_over {
            Left::Itself => self.stack.push(other),
            Left::Negation => {
                self.stack.push(other);
                self.not();
            }
            Left::Constant(value) => {
                self.parts.truncate(other.start);
                self.constant(value);
            }
        }
    }

    fn finish(mut self) -> Formula {
        if let Some(value) = self.pop().known {
            self.parts.push(Part::Const(value));
        }
        Formula { parts: self.parts }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::{Source, bp};

    const C: Signs = Signs { and: " && ", or: " || ", same: " == ", differ: " != " };

    fn written(text: &str) -> String {
        let text = format!("decl a, b, c, d; void main() begin assume({text}); end");
        let (program, _) = bp::parse(&Source::new("t.bp", text)).unwrap();
        let bp::Kind::Assume(expr) = program.procedures[0].body[0].kind else { unreachable!() };
        let mut out = String::new();
        Formula::new(&program.exprs, expr, &mut 0).write(&mut out, &C, |out, part| match part {
            Part::Var(var) => out.push_str(program.var_name(0, var)),
            other => out.push_str(&format!("{other:?}")),
        });
        out
    }

    #[test]
    fn constants_vanish_and_signs_are_clear() {
        let cases = [
            ("a & b & (c & d)", "a && b && c && d"),
            ("a | b & c", "a || (b && c)"),
            ("(a => b) | c", "!a || b || c"),
            ("(a => b) => c", "!(!a || b) || c"),
            ("!a => b", "a || b"),
            ("!(a & b) => !c", "(a && b) || !c"),
            ("a = b = c", "a == b == c"),
            ("a = (b != c)", "a == (b != c)"),
            ("!(a ^ b) & !!c", "!(a != b) && c"),
            ("a & 1 | 0", "a"),
            ("a & 0", "Const(false)"),
            ("(a | b) => 0", "!(a || b)"),
            ("0 => a", "Const(true)"),
            ("a <=> 0", "!a"),
            ("schoose[a, b]", "a || (!b && Choice(0))"),
            ("schoose[a, 1] | *", "a || Choice(1)"),
        ];
        for (text, expected) in cases {
            assert_eq!(written(text), expected, "{text}");
        }
    }

    #[test]
    fn depth_costs_memory_only() {
        let deep = format!("{}a{}", "(b => !(".repeat(30_000), "))".repeat(30_000));
        assert!(written(&deep).len() > 120_000);
    }
}
