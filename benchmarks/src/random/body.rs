//! Random procedure bodies: a list of lines, in which failures and the targets of `goto` find their
//! places once the statements stand.

use super::Writer;

/// What a line is, as far as labels are concerned.
#[derive(PartialEq, Eq)]
enum Kind {
    /// A statement, which can carry labels.
    Statement,
    /// A `goto`, whose text is written at the end.
    Goto,
    /// `elsif`, `else`, `fi` or `od`, which cannot.
    Marker,
}

struct Line {
    depth: u32,
    labels: Vec<String>,
    text: String,
    kind: Kind,
}

/// The body that is being written.
pub(super) struct Body<'b, 's> {
    pub(super) writer: &'b mut Writer<'s>,
    pub(super) procedure: usize,
    /// Names in scope, each once.
    pub(super) variables: Vec<String>,
    lines: Vec<Line>,
    /// Statements that may still be written.
    budget: u32,
}

/// What a statement can be, as often as it should come up.
#[derive(Clone, Copy)]
pub(super) enum Choice {
    Assign,
    Call,
    If,
    While,
    Goto,
    Skip,
    Print,
    Assume,
    Dead,
    Return,
}

const CHOICES: [(u64, Choice); 10] = [
    (8, Choice::Assign),
    (7, Choice::Call),
    (5, Choice::If),
    (2, Choice::While),
    (2, Choice::Goto),
    (1, Choice::Skip),
    (1, Choice::Print),
    (1, Choice::Assume),
    (1, Choice::Dead),
    (1, Choice::Return),
];

impl<'b, 's> Body<'b, 's> {
    /// The text between the declarations and `end`.
    pub(super) fn write(writer: &'b mut Writer<'s>, procedure: usize, locals: &[String], failures: u32) -> String {
        let mut variables = locals.to_vec();
        variables.extend_from_slice(&writer.signatures[procedure].parameters);
        variables.extend(writer.globals.iter().filter(|global| !locals.contains(global)).cloned());
        let budget = writer.rng.at_most(writer.shape.statements);
        let mut body = Body { writer, procedure, variables, lines: Vec::new(), budget };
        let enforce = body.enforce();
        body.block(1);
        body.next_call();
        (0..failures).for_each(|_| body.failure());
        body.last_return();
        body.gotos();
        let lines = body.lines.iter().map(Line::text);
        enforce.into_iter().chain(lines).collect()
    }

    pub(super) fn chance(&mut self, times: u64, of: u64) -> bool {
        self.writer.rng.chance(times, of)
    }

    pub(super) fn pick(&mut self, words: &[&'static str]) -> &'static str {
        self.writer.rng.pick(words)
    }

    fn push(&mut self, depth: u32, text: impl Into<String>, kind: Kind) {
        let mut line = Line::new(depth, text, kind);
        if line.kind == Kind::Statement && self.chance(1, 24) {
            line.labels.push(format!("here{}", self.lines.len()));
        }
        self.lines.push(line);
    }

    fn enforce(&mut self) -> Option<String> {
        if !self.chance(1, 10) {
            return None;
        }
        let condition = self.ask(|vocabulary, rng| vocabulary.likely(rng));
        Some(format!("  enforce {condition};\n"))
    }

    /// Statements until the budget is spent or, inside a branch, until chance ends it.
    fn block(&mut self, depth: u32) {
        while self.budget > 0 && (depth == 1 || self.chance(2, 3)) {
            self.budget -= 1;
            self.statement(depth);
        }
    }

    fn statement(&mut self, depth: u32) {
        let nested = depth <= self.writer.shape.nesting;
        let shape = self.writer.shape;
        match self.choice() {
            Choice::If if nested => self.conditional(depth),
            Choice::While if nested && shape.loops => self.repetition(depth),
            Choice::Goto => self.seldom(depth, String::new(), Kind::Goto),
            Choice::Return => {
                let text = self.return_statement();
                self.seldom(depth, text, Kind::Statement);
            }
            Choice::Call => {
                let (text, recursive) = self.call();
                if recursive {
                    self.seldom(depth, text, Kind::Statement);
                } else {
                    self.push(depth, text, Kind::Statement);
                }
            }
            choice => {
                let text = self.simple(choice);
                self.push(depth, text, Kind::Statement);
            }
        }
    }

    /// A statement after which control may not come back; mostly under a condition, so that what
    /// follows it has a chance to be reached.
    fn seldom(&mut self, depth: u32, text: String, kind: Kind) {
        if self.chance(1, 6) {
            self.push(depth, text, kind);
            return;
        }
        let (condition, flip) = self.flipped();
        self.push(depth, format!("if {condition} then"), Kind::Statement);
        if let Some(flip) = flip {
            self.push(depth + 1, flip, Kind::Statement);
        }
        self.push(depth + 1, text, kind);
        self.push(depth, "fi", Kind::Marker);
    }

    /// A condition and, mostly, a statement that makes it false: a run that comes back goes on.
    fn flipped(&mut self) -> (String, Option<String>) {
        match self.targets(1, 0).pop() {
            Some(name) if self.chance(2, 3) => {
                (format!("({}{name})", self.pick(&["", "!"])), Some(format!("{name} := !{name};")))
            }
            _ => (self.condition(), None),
        }
    }

    fn choice(&mut self) -> Choice {
        let total = CHOICES.iter().map(|(weight, _)| weight).sum();
        let mut at = self.writer.rng.below(total);
        for (weight, choice) in CHOICES {
            if at < weight {
                return choice;
            }
            at -= weight;
        }
        Choice::Skip
    }

    fn conditional(&mut self, depth: u32) {
        let condition = self.condition();
        self.push(depth, format!("if {condition} then"), Kind::Statement);
        self.block(depth + 1);
        while self.chance(1, 4) {
            let condition = self.condition();
            self.push(depth, format!("elsif {condition} then"), Kind::Marker);
            self.block(depth + 1);
        }
        if self.chance(1, 2) {
            self.push(depth, "else", Kind::Marker);
            self.block(depth + 1);
        }
        let end = self.pick(&["fi", "fi", "fi;"]);
        self.push(depth, end, Kind::Marker);
    }

    fn repetition(&mut self, depth: u32) {
        let (condition, flip) = self.flipped();
        self.push(depth, format!("while {condition} do"), Kind::Statement);
        self.block(depth + 1);
        if let Some(flip) = flip {
            self.push(depth + 1, flip, Kind::Statement);
        }
        let end = self.pick(&["od", "od", "od;"]);
        self.push(depth, end, Kind::Marker);
    }

    /// A decider; its parentheses may be left out.
    fn condition(&mut self) -> String {
        let free = self.writer.shape.nondeterminism && self.chance(1, 4);
        let condition = if free { "*".to_owned() } else { self.expression(2) };
        if self.chance(7, 8) { format!("({condition})") } else { condition }
    }

    /// A call of the next procedure at any place, so that most procedures are called.
    fn next_call(&mut self) {
        let next = self.procedure + 1;
        if next < self.writer.signatures.len() && self.chance(3, 4) {
            let text = self.call_of(next);
            let (at, depth) = self.any_place();
            self.lines.insert(at, Line::new(depth, text, Kind::Statement));
        }
    }

    /// Before a line or at the end, and how deep that is.
    fn any_place(&mut self) -> (usize, u32) {
        let at = self.writer.rng.below(self.lines.len() as u64 + 1) as usize;
        let depth = self.lines.get(at).map_or(1, |line| line.depth + u32::from(line.kind == Kind::Marker));
        (at, depth)
    }

    /// Puts an assertion or a guarded `ERROR` at any place.
    fn failure(&mut self) {
        let condition = self.ask(|vocabulary, rng| match rng.below(8) {
            0 => vocabulary.expression(rng, 2),
            1..=4 => vocabulary.determined().expression(rng, 2),
            _ => vocabulary.determined().likely(rng),
        });
        let (at, depth) = self.any_place();
        let taken = self.lines.iter().any(|line| line.labels.iter().any(|label| label.ends_with("ERROR")));
        if taken || self.chance(2, 3) {
            self.lines.insert(at, Line::new(depth, format!("assert({condition});"), Kind::Statement));
            return;
        }
        let mut error = Line::new(depth + 1, "skip;", Kind::Statement);
        error.labels.push(self.pick(&["ERROR", "ERROR", "SLIC_ERROR"]).to_owned());
        let guard = Line::new(depth, format!("if (!({condition})) then"), Kind::Statement);
        self.lines.splice(at..at, [guard, error, Line::new(depth, "fi", Kind::Marker)]);
    }

    /// A procedure with results ends in `return`, or forgets to.
    fn last_return(&mut self) {
        let results = self.writer.signatures[self.procedure].results;
        if results > 0 && (!self.writer.shape.nondeterminism || self.chance(7, 8)) {
            let text = self.return_statement();
            self.push(1, text, Kind::Statement);
        }
    }

    /// Gives each `goto` its targets: any statement, or a later one where loops are not wanted.
    fn gotos(&mut self) {
        let places: Vec<usize> = (0..self.lines.len()).filter(|&i| self.lines[i].kind != Kind::Marker).collect();
        for at in 0..self.lines.len() {
            if self.lines[at].kind == Kind::Goto {
                let first = if self.writer.shape.loops { 0 } else { places.partition_point(|&place| place <= at) };
                self.lines[at].text = self.goto(&places[first..]);
            }
        }
    }

    fn goto(&mut self, places: &[usize]) -> String {
        if places.is_empty() {
            return "skip;".to_owned();
        }
        let several = self.writer.shape.nondeterminism && self.chance(1, 2);
        let mut labels = Vec::new();
        for _ in 0..if several { 2 } else { 1 } {
            let place = places[self.writer.rng.below(places.len() as u64) as usize];
            labels.push(self.label(place));
        }
        format!("goto {};", labels.join(", "))
    }

    /// A label of a line, new or the one it has.
    fn label(&mut self, at: usize) -> String {
        if let Some(label) = self.lines[at].labels.first() {
            return label.clone();
        }
        let label = if self.chance(1, 6) { format!("{at}") } else { format!("L{at}") };
        self.lines[at].labels.push(label.clone());
        label
    }
}

impl Line {
    fn new(depth: u32, text: impl Into<String>, kind: Kind) -> Line {
        Line { depth, labels: Vec::new(), text: text.into(), kind }
    }

    fn text(&self) -> String {
        let labels: String = self.labels.iter().map(|label| format!("{label}: ")).collect();
        format!("{}{labels}{}\n", "  ".repeat(self.depth as usize), self.text)
    }
}
