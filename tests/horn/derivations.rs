//! Random clauses against all derivations: tuples are derived clause by clause, for all values of the
//! variables, until nothing new comes up. The terms and their meaning are this test's own.

use crate::{common::seeds::times, engines, parse, verdict};
use epitome::limits::Limits;
use epitome::logic::Query;
use epitome::syntax::{Language, Program, bp};
use epitome::{Checker, Engine, Verdict};
use epitome_benchmarks::SplitMix64;
use std::collections::BTreeSet;

/// Variables of a clause.
const VARIABLES: u64 = 5;

enum Term {
    Constant(bool),
    Variable(u64),
    /// An operator of SMT-LIB on its operands.
    Apply(&'static str, Vec<Term>),
}

impl Term {
    fn random(random: &mut SplitMix64, depth: u32) -> Term {
        if depth == 0 || random.chance(1, 4) {
            return match random.below(8) {
                0 => Term::Constant(random.chance(1, 2)),
                _ => Term::Variable(random.below(VARIABLES)),
            };
        }
        let operators = ["not", "and", "or", "=>", "xor", "=", "distinct", "ite"];
        let operator = random.pick(&operators);
        let count = match operator {
            "not" => 1,
            "ite" => 3,
            "distinct" => 2,
            _ => 2 + random.below(2),
        };
        Term::Apply(operator, (0..count).map(|_| Term::random(random, depth - 1)).collect())
    }

    fn value(&self, values: u32) -> bool {
        let (operator, operands) = match self {
            Term::Constant(value) => return *value,
            Term::Variable(variable) => return values >> variable & 1 == 1,
            Term::Apply(operator, operands) => (*operator, operands),
        };
        let operands: Vec<bool> = operands.iter().map(|operand| operand.value(values)).collect();
        match operator {
            "not" => !operands[0],
            "and" => operands.iter().all(|&value| value),
            "or" => operands.iter().any(|&value| value),
            "=>" => operands[..operands.len() - 1].iter().any(|&value| !value) || operands[operands.len() - 1],
            "xor" => operands.iter().filter(|&&value| value).count() % 2 == 1,
            "=" => operands.windows(2).all(|pair| pair[0] == pair[1]),
            "distinct" => operands[0] != operands[1],
            "ite" => operands[if operands[0] { 1 } else { 2 }],
            other => panic!("{other} has no meaning here"),
        }
    }

    /// The text; a part of it may be bound by a `let` that hides a variable it does not need.
    fn text(&self, random: &mut SplitMix64) -> String {
        match self {
            Term::Constant(value) => value.to_string(),
            Term::Variable(variable) => format!("x{variable}"),
            Term::Apply(operator, operands) => {
                let mut texts: Vec<String> = operands.iter().map(|operand| operand.text(random)).collect();
                if !random.chance(1, 5) {
                    return format!("({operator} {})", texts.join(" "));
                }
                let bound = std::mem::replace(&mut texts[0], "t".to_owned());
                // The other operands may have a `t` of their own, which is bound inside of them.
                format!("(let ((t {bound})) ({operator} {}))", texts.join(" "))
            }
        }
    }
}

struct Atom {
    predicate: usize,
    arguments: Vec<Term>,
}

impl Atom {
    fn random(random: &mut SplitMix64, arities: &[u64]) -> Atom {
        let predicate = random.below(arities.len() as u64) as usize;
        let depth = |random: &mut SplitMix64| if random.chance(1, 4) { 2 } else { 0 };
        let arguments = (0..arities[predicate]).map(|_| {
            let depth = depth(random);
            Term::random(random, depth)
        });
        Atom { predicate, arguments: arguments.collect() }
    }

    fn tuple(&self, values: u32) -> (usize, Vec<bool>) {
        (self.predicate, self.arguments.iter().map(|argument| argument.value(values)).collect())
    }

    fn text(&self, random: &mut SplitMix64) -> String {
        let arguments: Vec<String> = self.arguments.iter().map(|argument| argument.text(random)).collect();
        match arguments.is_empty() {
            true => format!("p{}", self.predicate),
            false => format!("(p{} {})", self.predicate, arguments.join(" ")),
        }
    }
}

struct Clause {
    head: Option<Atom>,
    body: Vec<Atom>,
    constraint: Vec<Term>,
    /// The last variable takes the values of these terms one after the other and holds at the end: `let`s
    /// inside of each other, which share most of what they mean.
    chain: Vec<Term>,
}

impl Clause {
    fn random(random: &mut SplitMix64, arities: &[u64], is_query: bool) -> Clause {
        Clause {
            head: (!is_query).then(|| Atom::random(random, arities)),
            body: (0..random.below(3) + u64::from(is_query)).map(|_| Atom::random(random, arities)).collect(),
            constraint: (0..random.below(4)).map(|_| Term::random(random, 3)).collect(),
            chain: match random.chance(1, 4) {
                true => (0..1 + random.below(12)).map(|_| Term::random(random, 3)).collect(),
                false => Vec::new(),
            },
        }
    }

    /// The clause can be used where these tuples are derived: with some values.
    fn applies(&self, known: &Known, values: u32) -> bool {
        self.holds(values) && self.body.iter().all(|atom| known.contains(&atom.tuple(values)))
    }

    /// The constraint holds of these values.
    fn holds(&self, values: u32) -> bool {
        let last = VARIABLES - 1;
        let step = |values: u32, term: &Term| values & !(1 << last) | u32::from(term.value(values)) << last;
        let end = self.chain.iter().fold(values, step);
        self.constraint.iter().all(|term| term.value(values)) && (self.chain.is_empty() || end >> last & 1 == 1)
    }

    fn text(&self, random: &mut SplitMix64) -> String {
        let mut parts: Vec<String> = self.body.iter().map(|atom| atom.text(random)).collect();
        parts.extend(self.constraint.iter().map(|term| term.text(random)));
        if !self.chain.is_empty() {
            let last = VARIABLES - 1;
            let lets: String =
                self.chain.iter().map(|term| format!("(let ((x{last} {})) ", term.text(random))).collect();
            parts.push(format!("{lets}x{last}{}", ")".repeat(self.chain.len())));
        }
        parts.push("true".to_owned());
        let swapped = random.below(parts.len() as u64) as usize;
        parts.swap(0, swapped);
        let head = self.head.as_ref().map_or("false".to_owned(), |head| head.text(random));
        let variables: String = (0..VARIABLES).map(|variable| format!("(x{variable} Bool)")).collect();
        let negated = || parts.iter().map(|part| format!("(not {part})")).collect::<Vec<_>>().join(" ");
        let clause = match random.below(4) {
            0 => format!("(or {} {head})", negated()),
            1 => format!("(=> {} {head})", parts.join(" ")),
            _ => format!("(=> (and {}) {head})", parts.join(" ")),
        };
        format!("(assert (forall ({variables}) {clause}))\n")
    }
}

/// Tuples of predicates.
type Known = BTreeSet<(usize, Vec<bool>)>;

/// All that can be derived.
fn derived(clauses: &[Clause]) -> Known {
    let mut known = Known::new();
    loop {
        let before = known.len();
        for clause in clauses {
            let Some(head) = &clause.head else { continue };
            for values in (0..1 << VARIABLES).filter(|&values| clause.holds(values)) {
                if clause.applies(&known, values) {
                    known.insert(head.tuple(values));
                }
            }
        }
        if known.len() == before {
            return known;
        }
    }
}

/// The label of a clause is reached only where the clause can be used, and the label of one that concludes
/// `false` wherever it can. (Others are not called for unless somebody asks.)
fn labels_tell_which_clauses_are_used(text: &str, program: &Program, clauses: &[Clause], known: &Known) {
    let lines_before = text.lines().count() - clauses.len();
    let found = Checker::new(program).reach(false, Engine::Auto, &Limits::none(), &mut |_| ());
    for label in &found.labels {
        let start = program.span(label.procedure, label.place).start as usize;
        let clause = &clauses[text[..start].matches('\n').count() - lines_before];
        let is_usable = (0..1 << VARIABLES).any(|values| clause.applies(known, values));
        let is_right = match (label.reachable, is_usable) {
            (Some(true), false) | (None, _) => false,
            (Some(false), true) => clause.head.is_some(),
            _ => true,
        };
        assert!(is_right, "{} {:?}\n{text}", label.name, label.reachable);
    }
}

#[test]
fn random_clauses_derive_what_they_say() {
    let mut violated = 0;
    let seeds = 400 * times();
    for seed in 0..seeds {
        let random = &mut SplitMix64::new(seed);
        let arities: Vec<u64> = (0..1 + random.below(3)).map(|_| random.below(4)).collect();
        let mut clauses: Vec<Clause> =
            (0..1 + random.below(6)).map(|_| Clause::random(random, &arities, false)).collect();
        clauses.extend((0..1 + random.below(2)).map(|_| Clause::random(random, &arities, true)));
        let mut text = "(set-logic HORN)\n".to_owned();
        for (predicate, &arity) in arities.iter().enumerate() {
            text += &format!("(declare-fun p{predicate} ({}) Bool)\n", "Bool ".repeat(arity as usize));
        }
        clauses.iter().for_each(|clause| text += &clause.text(random));
        let known = derived(&clauses);
        let concludes = |clause: &Clause| (0..1 << VARIABLES).any(|values| clause.applies(&known, values));
        let derives_false = clauses.iter().any(|clause| clause.head.is_none() && concludes(clause));
        let expected = if derives_false { Verdict::Violated } else { Verdict::Holds };
        violated += u64::from(expected == Verdict::Violated);
        let program = parse(&text, Language::Horn);
        for engine in engines() {
            assert_eq!(verdict(&program, &Query::Failures, engine), expected, "seed {seed}, {engine:?}\n{text}");
        }
        labels_tell_which_clauses_are_used(&text, &program, &clauses, &known);
        let Program::Bp(read) = &program else { panic!("clauses are read as a program") };
        let again = parse(&bp::print(read), Language::Bp);
        assert_eq!(verdict(&again, &Query::Failures, Engine::Auto), expected, "seed {seed}, printed\n{text}");
    }
    assert!(violated > seeds / 8 && violated < seeds * 7 / 8, "{violated} of {seeds} derive false");
}
