//! Pushdown systems as Moped reads them, searched by brute force: a second opinion on what is written for it.
//!
//! The grammar is that of Moped's parser (`pdsparse.y` and `pdslex.l` of version 1), without its numbers. The
//! search derives which states of the top of the stack follow from the state in which a symbol was pushed, one
//! valuation at a time; nothing of it knows where a system comes from.

use std::collections::{HashMap, HashSet};

/// A system of rules with one control state, `q`.
pub struct System {
    globals: Vec<String>,
    locals: HashMap<String, Vec<String>>,
    start: String,
    rules: HashMap<String, Vec<Rule>>,
}

/// `q <from> --> q <to> (condition)`.
struct Rule {
    to: Vec<String>,
    conjuncts: Vec<Expr>,
}

/// Whose value: of a global or of the symbol on top, before or after the rule; of the symbol below after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Global,
    Local,
    NewGlobal,
    NewLocal,
    Below,
}

type Slot = (Kind, usize);

#[derive(Clone, Debug)]
enum Expr {
    Var(Slot),
    Not(Box<Expr>),
    Join(&'static str, Box<Expr>, Box<Expr>),
}

/// Values of globals, and of a symbol's locals.
type State = (u32, u32);

const WORDS: [&str; 8] = ["global", "local", "bool", "int", "define", "atoms", "A", "E"];
/// Loosest first.
const SIGNS: [(&str, &[&str]); 4] = [("same", &["<=>", "=="]), ("differ", &["^"]), ("or", &["|"]), ("and", &["&"])];

/// The words and signs of a text, without comments.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    for line in text.lines() {
        let mut rest = line.split(['{', '}', '%', '#']).next().unwrap().trim_start();
        while let Some(first) = rest.chars().next() {
            let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
            let signs = ["-->", "<=>", "=="].into_iter().find(|sign| rest.starts_with(sign));
            let length = match signs {
                Some(sign) => sign.len(),
                None if first.is_ascii_alphabetic() || first == '_' => rest.find(|c| !is_name(c)).unwrap_or(rest.len()),
                None => 1,
            };
            assert!(length > 1 || is_name(first) || "'|&^!()<>,;".contains(first), "{rest}");
            let (token, after) = rest.split_at(length);
            tokens.push(token);
            rest = after.trim_start();
        }
    }
    tokens
}

struct Parser<'t> {
    tokens: Vec<&'t str>,
    at: usize,
    system: System,
    /// The symbols of the rule that is being read: the old top, the new top, the one below.
    scope: [Option<String>; 3],
}

impl Parser<'_> {
    fn peek(&self) -> &str {
        self.tokens.get(self.at).copied().unwrap_or("")
    }

    fn eat(&mut self, token: &str) -> bool {
        let found = self.peek() == token;
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, token: &str) {
        assert!(self.eat(token), "{token} expected, not {:?}", &self.tokens[self.at..][..4]);
    }

    fn name(&mut self) -> String {
        let name = self.peek().to_owned();
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        assert!(is_name && !WORDS.contains(&name.as_str()), "a name expected, not {name}");
        self.at += 1;
        name
    }

    fn names(&mut self) -> Vec<String> {
        let mut names = vec![self.name()];
        while self.eat(",") {
            names.push(self.name());
        }
        names
    }

    fn variables(&mut self) -> Vec<String> {
        self.expect("bool");
        let names = self.names();
        self.expect(";");
        names
    }

    fn declarations(&mut self) {
        if self.eat("global") {
            self.system.globals = self.variables();
        }
        while self.eat("local") {
            self.name();
            self.expect("(");
            let symbols = self.names();
            self.expect(")");
            let variables = self.variables();
            for symbol in symbols {
                assert!(self.system.locals.insert(symbol, variables.clone()).is_none());
            }
        }
    }

    fn rule(&mut self) {
        let control = |parser: &mut Self| {
            assert_eq!(parser.name(), "q");
            parser.expect("<");
        };
        control(self);
        let from = self.name();
        self.expect(">");
        self.expect("-->");
        control(self);
        let mut to = Vec::new();
        while !self.eat(">") {
            to.push(self.name());
        }
        self.scope = [Some(from.clone()), to.first().cloned(), to.get(1).cloned()];
        let mut conjuncts = Vec::new();
        if self.eat("(") {
            split(self.expr(0), &mut conjuncts);
            self.expect(")");
        }
        self.system.rules.entry(from).or_default().push(Rule { to, conjuncts });
    }

    fn expr(&mut self, level: usize) -> Expr {
        let Some((name, signs)) = SIGNS.get(level) else { return self.operand() };
        let mut left = self.expr(level + 1);
        while signs.contains(&self.peek()) {
            self.at += 1;
            left = Expr::Join(name, Box::new(left), Box::new(self.expr(level + 1)));
        }
        left
    }

    fn operand(&mut self) -> Expr {
        if self.eat("!") {
            return Expr::Not(Box::new(self.operand()));
        }
        if self.eat("(") {
            let inside = self.expr(0);
            self.expect(")");
            return inside;
        }
        let name = self.name();
        let primes = (0..2).take_while(|_| self.eat("'")).count();
        Expr::Var(self.lookup(&name, primes))
    }

    fn lookup(&self, name: &str, primes: usize) -> Slot {
        let find = |names: &Vec<String>| names.iter().position(|own| own == name);
        let symbol = self.scope[primes].as_ref();
        let local = symbol.and_then(|symbol| self.system.locals.get(symbol)).and_then(find);
        if let Some(index) = local {
            return ([Kind::Local, Kind::NewLocal, Kind::Below][primes], index);
        }
        assert!(primes < 2, "{name}'' is no variable of the symbol below");
        let index = find(&self.system.globals).unwrap_or_else(|| panic!("{name} is not declared for {symbol:?}"));
        ([Kind::Global, Kind::NewGlobal][primes], index)
    }
}

fn split(expr: Expr, conjuncts: &mut Vec<Expr>) {
    match expr {
        Expr::Join("and", left, right) => {
            split(*left, conjuncts);
            split(*right, conjuncts);
        }
        other => conjuncts.push(other),
    }
}

impl Expr {
    fn value(&self, of: &impl Fn(Slot) -> bool) -> bool {
        match self {
            Expr::Var(slot) => of(*slot),
            Expr::Not(inner) => !inner.value(of),
            Expr::Join("and", a, b) => a.value(of) && b.value(of),
            Expr::Join("or", a, b) => a.value(of) || b.value(of),
            Expr::Join(sign, a, b) => (a.value(of) == b.value(of)) == (*sign == "same"),
        }
    }

    fn is_old(&self) -> bool {
        match self {
            Expr::Var((kind, _)) => matches!(kind, Kind::Global | Kind::Local),
            Expr::Not(inner) => inner.is_old(),
            Expr::Join(_, a, b) => a.is_old() && b.is_old(),
        }
    }

    /// The new value that it fixes, given the old ones.
    fn fixes(&self, old: &impl Fn(Slot) -> bool) -> Option<(Slot, bool)> {
        let new = |expr: &Expr| match expr {
            Expr::Var(slot) if !expr.is_old() => Some(*slot),
            _ => None,
        };
        match self {
            Expr::Not(inner) => Some((new(inner)?, false)),
            Expr::Join("same", a, b) if b.is_old() => Some((new(a)?, b.value(old))),
            other => Some((new(other)?, true)),
        }
    }
}

impl System {
    /// Reads a system; panics where Moped would complain.
    pub fn parse(text: &str) -> System {
        let system =
            System { globals: Vec::new(), locals: HashMap::new(), start: String::new(), rules: HashMap::new() };
        let mut parser = Parser { tokens: tokens(text), at: 0, system, scope: [None, None, None] };
        parser.declarations();
        parser.expect("(");
        assert_eq!(parser.name(), "q");
        parser.expect("<");
        parser.system.start = parser.name();
        parser.expect(">");
        parser.expect(")");
        while parser.at < parser.tokens.len() {
            parser.rule();
        }
        parser.system
    }

    /// How many variables a rule relates, at most: the search takes exponential time in it.
    pub fn variables(&self) -> usize {
        let locals = |symbol: &String| self.locals_of(Some(symbol));
        let rules = self.rules.values().flatten().map(|rule| rule.to.iter().map(locals).sum());
        self.globals.len() + rules.max().unwrap_or(0)
    }

    fn locals_of(&self, symbol: Option<&String>) -> usize {
        symbol.and_then(|symbol| self.locals.get(symbol)).map_or(0, Vec::len)
    }

    /// What a rule makes of a state: globals, the locals on top, those below.
    fn results(&self, rule: &Rule, (globals, locals): State) -> Vec<[u32; 3]> {
        let old = |(kind, index): Slot| (if kind == Kind::Global { globals } else { locals }) >> index & 1 == 1;
        let fixed: HashMap<Slot, bool> = rule.conjuncts.iter().filter_map(|part| part.fixes(&old)).collect();
        let sizes = [self.globals.len(), self.locals_of(rule.to.first()), self.locals_of(rule.to.get(1))];
        let kinds = [Kind::NewGlobal, Kind::NewLocal, Kind::Below];
        let slots = || kinds.iter().zip(sizes).flat_map(|(&kind, size)| (0..size).map(move |index| (kind, index)));
        let free: Vec<Slot> = slots().filter(|slot| !fixed.contains_key(slot)).collect();
        let word = |kind: Kind, value: &dyn Fn(Slot) -> bool| {
            slots().filter(|slot| slot.0 == kind).map(|slot| u32::from(value(slot)) << slot.1).sum()
        };
        let mut results = Vec::new();
        for choice in 0..1u32 << free.len() {
            let value = |slot: Slot| match free.iter().position(|free| *free == slot) {
                Some(number) => choice >> number & 1 == 1,
                None => fixed.get(&slot).copied().unwrap_or_else(|| old(slot)),
            };
            if rule.conjuncts.iter().all(|part| part.value(&value)) {
                results.push(kinds.map(|kind| word(kind, &value)));
            }
        }
        results
    }

    /// A symbol can come to the top of the stack.
    pub fn reaches(&self, target: &str) -> bool {
        // An activation is the state in which its first symbol was pushed. What is below it, and what it left.
        type Activation<'s> = (&'s String, State);
        let mut below: HashMap<Activation<'_>, HashSet<(Activation<'_>, &String, u32)>> = HashMap::new();
        let mut left: HashMap<Activation<'_>, HashSet<u32>> = HashMap::new();
        let mut seen: HashSet<(Activation<'_>, &String, State)> = HashSet::new();
        let mut todo = Vec::new();
        for globals in 0..1u32 << self.globals.len() {
            for locals in 0..1u32 << self.locals_of(Some(&self.start)) {
                let state = (globals, locals);
                todo.push(((&self.start, state), &self.start, state));
            }
        }
        while let Some(item) = todo.pop() {
            if !seen.insert(item) {
                continue;
            }
            let (activation, symbol, state) = item;
            if symbol == target {
                return true;
            }
            for rule in self.rules.get(symbol).into_iter().flatten() {
                for [globals, top, under] in self.results(rule, state) {
                    match &rule.to[..] {
                        [] => {
                            left.entry(activation).or_default().insert(globals);
                            let callers = below.get(&activation).into_iter().flatten();
                            todo.extend(callers.map(|&(caller, back, locals)| (caller, back, (globals, locals))));
                        }
                        [next] => todo.push((activation, next, (globals, top))),
                        [first, back, ..] => {
                            let callee = (first, (globals, top));
                            below.entry(callee).or_default().insert((activation, back, under));
                            todo.push((callee, first, (globals, top)));
                            let results = left.get(&callee).into_iter().flatten();
                            todo.extend(results.map(|&globals| (activation, back, (globals, under))));
                        }
                    }
                }
            }
        }
        false
    }
}
