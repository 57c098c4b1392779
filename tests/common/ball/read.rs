//! Reads a text to a tree, by recursive descent along the grammar of `docs/bp.md`.

use super::expr::Expr;
use super::tokens::{Token, tokens};
use std::collections::HashMap;

type Result<T> = std::result::Result<T, String>;

/// A variable and the value it starts with, if one is given.
pub struct Declared {
    pub name: String,
    pub initial: Option<bool>,
}

pub struct Program {
    pub globals: Vec<Declared>,
    pub procedures: Vec<Procedure>,
}

pub struct Procedure {
    pub name: String,
    pub results: usize,
    pub parameters: usize,
    /// Parameters first.
    pub locals: Vec<Declared>,
    pub enforce: Vec<Expr>,
    pub body: Vec<Statement>,
}

pub struct Statement {
    pub labels: Vec<String>,
    /// Where its first word stands, labels not counted.
    pub at: usize,
    pub kind: Kind,
}

/// What a statement does. `elsif` is an `if` that is all of an `else`.
pub enum Kind {
    /// `skip` or `print`
    Skip,
    Goto(Vec<String>),
    Return(Vec<Expr>),
    /// Bits that take values, `None` for `_`; the values; `constrain`.
    Assign(Vec<Option<usize>>, Vec<Expr>, Option<Expr>),
    /// Bits that take results, the callee's name, arguments.
    Call(Vec<Option<usize>>, String, Vec<Expr>),
    Assert(Expr),
    Assume(Expr),
    Dead(Vec<usize>),
    If(Expr, Vec<Statement>, Vec<Statement>),
    While(Expr, Vec<Statement>),
}

/// Words that end a sequence of statements.
const CLOSING: [&str; 5] = ["end", "fi", "od", "else", "elsif"];

/// Words that are no names.
const WORDS: &str = " decl begin end void bool skip print goto return if then elsif else fi while do od assert assume call \
    dead enforce constrain schoose env T F true false ";

/// Deeper nesting is not read: this reader recurses.
const DEEPEST: usize = 100;

/// The program, or where it cannot be read; `None` if it is nested too deep.
pub fn read(text: &str) -> Result<Option<Program>> {
    let tokens = tokens(text).ok_or("something is not closed")?;
    let mut reader = Reader { tokens, at: 0, scope: HashMap::new(), depth: 0 };
    match reader.program() {
        Err(_) if reader.depth > DEEPEST => Ok(None),
        read => read.map(Some),
    }
}

struct Reader<'t> {
    tokens: Vec<Token<'t>>,
    at: usize,
    /// Bits of the variables in scope.
    scope: HashMap<&'t str, usize>,
    depth: usize,
}

impl<'t> Reader<'t> {
    fn program(&mut self) -> Result<Program> {
        let mut program = Program { globals: Vec::new(), procedures: Vec::new() };
        while self.word() == "decl" {
            self.declarations(0, &mut program.globals)?;
        }
        let globals = self.scope.clone();
        while !self.word().is_empty() {
            self.scope.clone_from(&globals);
            program.procedures.push(self.procedure(program.globals.len())?);
        }
        Ok(program)
    }

    fn word(&self) -> &'t str {
        self.tokens[self.at].0
    }

    fn second(&self) -> &'t str {
        self.tokens.get(self.at + 1).map_or("", |token| token.0)
    }

    fn wrong<T>(&self, expected: &str) -> Result<T> {
        let (found, at) = self.tokens[self.at];
        Err(format!("at {at}: expected {expected}, found `{found}`"))
    }

    fn take(&mut self, word: &str) -> bool {
        let found = self.word() == word;
        self.at += usize::from(found);
        found
    }

    fn must(&mut self, word: &str) -> Result<()> {
        if self.take(word) { Ok(()) } else { self.wrong(word) }
    }

    fn name(&mut self) -> Result<&'t str> {
        let word = self.word();
        let is_name = word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '{');
        if !is_name || WORDS.contains(&format!(" {word} ")) {
            return self.wrong("a name");
        }
        self.at += 1;
        Ok(word)
    }

    /// One or more, with commas between.
    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.take(",") {
            items.push(item(self)?);
        }
        Ok(items)
    }

    fn declarations(&mut self, first_bit: usize, list: &mut Vec<Declared>) -> Result<()> {
        self.must("decl")?;
        let declared = self.list(|reader| {
            let name = reader.name()?;
            let mut initial = None;
            if reader.take(":=") {
                initial = match reader.word() {
                    "0" | "F" | "false" => Some(false),
                    "1" | "T" | "true" => Some(true),
                    "*" | "?" => None,
                    _ => return reader.wrong("an initial value"),
                };
                reader.at += 1;
            }
            Ok((name, initial))
        })?;
        for (name, initial) in declared {
            self.scope.insert(name, first_bit + list.len());
            list.push(Declared { name: name.to_owned(), initial });
        }
        self.must(";")
    }

    fn procedure(&mut self, globals: usize) -> Result<Procedure> {
        let mut results = 0;
        if !self.take("void") && self.take("bool") {
            results = 1;
            if self.take("<") {
                results = self.word().parse().map_err(|_| "no number of results")?;
                self.at += 1;
                self.must(">")?;
            }
        }
        let name = self.name()?.to_owned();
        self.must("(")?;
        let mut locals = Vec::new();
        if self.word() != ")" && !self.take("void") {
            for name in self.list(Self::name)? {
                self.scope.insert(name, globals + locals.len());
                locals.push(Declared { name: name.to_owned(), initial: None });
            }
        }
        self.must(")")?;
        let parameters = locals.len();
        self.must("begin")?;
        let mut enforce = Vec::new();
        loop {
            if self.word() == "decl" {
                self.declarations(globals, &mut locals)?;
            } else if self.take("enforce") {
                enforce.push(self.expr()?);
                self.must(";")?;
            } else {
                break;
            }
        }
        let body = self.statements()?;
        self.must("end")?;
        Ok(Procedure { name, results, parameters, locals, enforce, body })
    }

    fn statements(&mut self) -> Result<Vec<Statement>> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return self.wrong("no deeper nesting");
        }
        let mut statements = Vec::new();
        while !CLOSING.contains(&self.word()) {
            statements.push(self.statement()?);
        }
        self.depth -= 1;
        Ok(statements)
    }

    fn statement(&mut self) -> Result<Statement> {
        let mut labels = Vec::new();
        while self.second() == ":" {
            labels.push(self.word().to_owned());
            self.at += 2;
        }
        let (word, at) = self.tokens[self.at];
        let kind = match word {
            "if" => self.conditional()?,
            "while" => {
                self.at += 1;
                let decider = self.expr()?;
                self.must("do")?;
                let body = self.statements()?;
                self.must("od")?;
                Kind::While(decider, body)
            }
            _ => {
                let kind = self.plain(word)?;
                if !CLOSING.contains(&self.word()) {
                    self.must(";")?;
                }
                return Ok(Statement { labels, at, kind });
            }
        };
        self.take(";");
        Ok(Statement { labels, at, kind })
    }

    /// From `if` or `elsif` to `fi`.
    fn conditional(&mut self) -> Result<Kind> {
        self.at += 1;
        let decider = self.expr()?;
        self.must("then")?;
        let yes = self.statements()?;
        let at = self.tokens[self.at].1;
        let no = match self.word() {
            "elsif" => {
                let kind = self.conditional()?;
                return Ok(Kind::If(decider, yes, vec![Statement { labels: Vec::new(), at, kind }]));
            }
            "else" => {
                self.at += 1;
                self.statements()?
            }
            _ => Vec::new(),
        };
        self.must("fi")?;
        Ok(Kind::If(decider, yes, no))
    }

    fn plain(&mut self, word: &str) -> Result<Kind> {
        let calls = self.second() == "(" && !WORDS.contains(&format!(" {word} "));
        if calls || word == "call" {
            return self.call(Vec::new());
        }
        if !WORDS.contains(&format!(" {word} ")) {
            let targets = self.list(Self::target)?;
            self.must(":=")?;
            if self.word() == "call" || self.second() == "(" && self.clone_name().is_some() {
                return self.call(targets);
            }
            let values = self.list(Self::expr)?;
            let constrain = if self.take("constrain") { Some(self.expr()?) } else { None };
            return Ok(Kind::Assign(targets, values, constrain));
        }
        self.at += 1;
        Ok(match word {
            "skip" => Kind::Skip,
            "print" => {
                self.arguments()?;
                Kind::Skip
            }
            "goto" => Kind::Goto(self.list(|reader| {
                reader.at += 1;
                Ok(reader.tokens[reader.at - 1].0.to_owned())
            })?),
            "return" if self.word() == ";" || CLOSING.contains(&self.word()) => Kind::Return(Vec::new()),
            "return" => Kind::Return(self.list(Self::expr)?),
            "assert" => Kind::Assert(self.expr()?),
            "assume" => Kind::Assume(self.expr()?),
            "dead" => Kind::Dead(self.list(Self::target)?.into_iter().flatten().collect()),
            _ => return self.wrong("a statement"),
        })
    }

    /// The name that stands here, which is not taken.
    fn clone_name(&mut self) -> Option<&'t str> {
        let at = self.at;
        let name = self.name().ok();
        self.at = at;
        name
    }

    fn target(&mut self) -> Result<Option<usize>> {
        let name = self.name()?;
        match self.scope.get(name) {
            Some(&bit) => Ok(Some(bit)),
            None if name == "_" => Ok(None),
            None => self.wrong("a variable before this"),
        }
    }

    fn call(&mut self, targets: Vec<Option<usize>>) -> Result<Kind> {
        self.take("call");
        let callee = self.name()?.to_owned();
        Ok(Kind::Call(targets, callee, self.arguments()?))
    }

    fn arguments(&mut self) -> Result<Vec<Expr>> {
        self.must("(")?;
        let list = if self.word() == ")" { Vec::new() } else { self.list(Self::expr)? };
        self.must(")")?;
        Ok(list)
    }

    fn expr(&mut self) -> Result<Expr> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return self.wrong("no deeper nesting");
        }
        let mut left = self.implication()?;
        while ["<=>", "<->", "↔"].contains(&self.word()) {
            self.at += 1;
            left = Expr::Two(|a, b| a == b, left.into(), self.implication()?.into());
        }
        self.depth -= 1;
        Ok(left)
    }

    /// To the right: `a => b => c` is `a => (b => c)`.
    fn implication(&mut self) -> Result<Expr> {
        let mut operands = vec![self.level(0)?];
        while ["=>", "->", "→"].contains(&self.word()) {
            self.at += 1;
            operands.push(self.level(0)?);
        }
        let last = operands.pop().expect("one was read");
        Ok(operands.into_iter().rfold(last, |right, left| Expr::Two(|a, b| !a || b, left.into(), right.into())))
    }

    /// Operators that group to the left, the weakest first.
    fn level(&mut self, level: usize) -> Result<Expr> {
        type Apply = fn(bool, bool) -> bool;
        const LEVELS: [&[(&str, Apply)]; 4] = [
            &[("|", |a, b| a || b), ("||", |a, b| a || b), ("∨", |a, b| a || b)],
            &[("^", |a, b| a != b), ("⊕", |a, b| a != b)],
            &[("&", |a, b| a && b), ("&&", |a, b| a && b), ("∧", |a, b| a && b)],
            &[("=", |a, b| a == b), ("==", |a, b| a == b), ("!=", |a, b| a != b), ("≠", |a, b| a != b)],
        ];
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.level(level + 1)?;
        while let Some((_, apply)) = operators.iter().find(|(sign, _)| *sign == self.word()) {
            self.at += 1;
            left = Expr::Two(*apply, left.into(), self.level(level + 1)?.into());
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Expr> {
        let word = self.word();
        self.at += 1;
        Ok(match word {
            "!" | "~" | "¬" => {
                self.depth += 1;
                if self.depth > DEEPEST {
                    return self.wrong("no deeper nesting");
                }
                let inner = self.unary()?;
                self.depth -= 1;
                Expr::Not(inner.into())
            }
            "(" => {
                let inner = self.expr()?;
                self.must(")")?;
                inner
            }
            "0" | "F" | "false" => Expr::Constant(false),
            "1" | "T" | "true" => Expr::Constant(true),
            "*" | "?" | "env" => Expr::Any,
            "schoose" => {
                self.must("[")?;
                let one = self.expr()?;
                self.must(",")?;
                let zero = self.expr()?;
                self.must("]")?;
                Expr::Choose(one.into(), zero.into())
            }
            "'" => Expr::After(self.variable()?),
            _ => {
                self.at -= 1;
                Expr::Variable(self.variable()?)
            }
        })
    }

    fn variable(&mut self) -> Result<usize> {
        let name = self.name()?;
        self.scope.get(name).map_or_else(|| self.wrong("a variable before this"), |&bit| Ok(bit))
    }
}
