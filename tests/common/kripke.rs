//! Graphs of configurations, and what formulas mean on them: CTL by the fixpoints of its operators, linear time and CTL* without
//! automata. At each configuration the truth of every temporal part of a path formula is guessed, guesses are kept consistent from step to
//! step by the expansion laws, and eventualities must be met again and again (Lichtenstein and Pnueli).

use epitome_automata::{Binary, Formula, Formulas, Node, Unary};
use epitome_encodings::Components;
use std::collections::HashMap;

/// Configurations, numbered, with what follows each and which atoms hold there.
#[derive(Debug)]
pub struct Graph {
    pub initial: Vec<usize>,
    /// A configuration without successors has no run.
    pub successors: Vec<Vec<usize>>,
    pub letters: Vec<u64>,
}

fn is_temporal(node: Node) -> bool {
    match node {
        Node::Unary(operator, _) => matches!(operator, Unary::Next | Unary::Finally | Unary::Globally),
        Node::Binary(operator, ..) => {
            !matches!(operator, Binary::And | Binary::Or | Binary::Xor | Binary::Implies | Binary::Iff)
        }
        _ => false,
    }
}

fn combine(operator: Binary, a: bool, b: bool) -> bool {
    match operator {
        Binary::And => a && b,
        Binary::Or => a || b,
        Binary::Xor => a != b,
        Binary::Implies => !a || b,
        _ => a == b,
    }
}

impl Graph {
    /// Some run from an initial configuration does not satisfy the formula of linear time.
    pub fn violates(&self, formulas: &Formulas, formula: Formula) -> bool {
        let runs = self.some_run(formulas, formula, false, &HashMap::new());
        self.initial.iter().any(|&state| runs[state])
    }

    /// The formula of branching time holds in all initial configurations.
    pub fn satisfies(&self, formulas: &Formulas, formula: Formula) -> bool {
        let mut known: HashMap<Formula, Vec<bool>> = HashMap::new();
        for part in formulas.parts(formula) {
            let states = self.successors.len();
            let of = |part: Formula| known.get(&part);
            let values: Option<Vec<bool>> = match formulas.node(part) {
                Node::Constant(value) => Some(vec![value; states]),
                Node::Atom(atom) => Some(self.letters.iter().map(|letter| letter >> atom.0 & 1 == 1).collect()),
                Node::Unary(Unary::Not, inner) => of(inner).map(|inner| inner.iter().map(|value| !value).collect()),
                Node::Unary(Unary::Exists, inner) => Some(self.quantified(formulas, inner, true, &known)),
                Node::Unary(Unary::Forall, inner) => {
                    let some = self.quantified(formulas, inner, false, &known);
                    Some(some.into_iter().map(|some| !some).collect())
                }
                node if is_temporal(node) => None,
                Node::Binary(operator, a, b) => {
                    of(a).zip(of(b)).map(|(a, b)| a.iter().zip(b).map(|(&a, &b)| combine(operator, a, b)).collect())
                }
                Node::Unary(..) => None,
            };
            if let Some(values) = values {
                known.insert(part, values);
            }
        }
        self.initial.iter().all(|&state| known[&formula][state])
    }

    /// By configuration: some run from it satisfies the formula of paths (or, if not `wanted`, its negation). By a fixpoint if it
    /// is one operator on formulas of states and every configuration has a run.
    fn quantified(
        &self,
        formulas: &Formulas,
        formula: Formula,
        wanted: bool,
        known: &HashMap<Formula, Vec<bool>>,
    ) -> Vec<bool> {
        let negated = |values: &Vec<bool>| values.iter().map(|value| *value == wanted).collect::<Vec<bool>>();
        let has_runs = self.successors.iter().all(|next| !next.is_empty());
        let of = |part: Formula| known.get(&part).map(negated);
        let all = vec![true; self.successors.len()];
        // With both sides negated, `F` becomes `G`, `U` becomes `R`, and so on.
        match formulas.node(formula) {
            _ if !has_runs => None,
            Node::Unary(Unary::Next, a) => of(a).map(|a| self.some_next(&a)),
            Node::Unary(Unary::Finally, a) if wanted => of(a).map(|a| self.until(&all, &a)),
            Node::Unary(Unary::Finally, a) => of(a).map(|a| self.always(&a)),
            Node::Unary(Unary::Globally, a) if wanted => of(a).map(|a| self.always(&a)),
            Node::Unary(Unary::Globally, a) => of(a).map(|a| self.until(&all, &a)),
            Node::Binary(Binary::Until, a, b) if wanted => of(a).zip(of(b)).map(|(a, b)| self.until(&a, &b)),
            Node::Binary(Binary::Until, a, b) => of(a).zip(of(b)).map(|(a, b)| self.release(&a, &b)),
            Node::Binary(Binary::Release, a, b) if wanted => of(a).zip(of(b)).map(|(a, b)| self.release(&a, &b)),
            Node::Binary(Binary::Release, a, b) => of(a).zip(of(b)).map(|(a, b)| self.until(&a, &b)),
            _ => None,
        }
        .unwrap_or_else(|| self.some_run(formulas, formula, wanted, known))
    }

    fn some_next(&self, a: &[bool]) -> Vec<bool> {
        self.successors.iter().map(|next| next.iter().any(|&to| a[to])).collect()
    }

    /// `E (a U b)`: the least set that has `b`, and `a` with a successor in it.
    fn until(&self, a: &[bool], b: &[bool]) -> Vec<bool> {
        let mut set = b.to_vec();
        loop {
            let next = self.some_next(&set);
            let more: Vec<bool> = (0..set.len()).map(|state| b[state] || a[state] && next[state]).collect();
            if more == set {
                return set;
            }
            set = more;
        }
    }

    /// `E (a R b)`: the greatest set of `b` with `a` or a successor in it.
    fn release(&self, a: &[bool], b: &[bool]) -> Vec<bool> {
        let mut set = b.to_vec();
        loop {
            let next = self.some_next(&set);
            let less: Vec<bool> = (0..set.len()).map(|state| b[state] && (a[state] || next[state])).collect();
            if less == set {
                return set;
            }
            set = less;
        }
    }

    fn always(&self, a: &[bool]) -> Vec<bool> {
        self.release(&vec![false; a.len()], a)
    }

    /// By configuration: some run from it satisfies the formula (or, if not `wanted`, its negation), in which parts that are `known`
    /// are atoms.
    fn some_run(
        &self,
        formulas: &Formulas,
        formula: Formula,
        wanted: bool,
        known: &HashMap<Formula, Vec<bool>>,
    ) -> Vec<bool> {
        let parts = formulas.parts(formula);
        let guessed = |part: &&Formula| !known.contains_key(*part) && is_temporal(formulas.node(**part));
        let temporal: Vec<Formula> = parts.iter().filter(guessed).copied().collect();
        let guesses = 1usize << temporal.len();
        // Truth of all parts, by configuration and guess.
        let truth = |state: usize, guess: usize| -> HashMap<Formula, bool> {
            let mut truth: HashMap<Formula, bool> = HashMap::new();
            for &part in &parts {
                let index = temporal.iter().position(|t| *t == part);
                let value = match (known.get(&part), index, formulas.node(part)) {
                    (Some(values), _, _) => values[state],
                    (None, Some(index), _) => guess >> index & 1 == 1,
                    (None, None, Node::Constant(value)) => value,
                    (None, None, Node::Atom(atom)) => self.letters[state] >> atom.0 & 1 == 1,
                    (None, None, Node::Unary(_, inner)) => !truth[&inner],
                    (None, None, Node::Binary(operator, a, b)) => combine(operator, truth[&a], truth[&b]),
                };
                truth.insert(part, value);
            }
            truth
        };
        let number = |state: usize, guess: usize| state * guesses + guess;
        let all: Vec<HashMap<Formula, bool>> =
            (0..self.successors.len() * guesses).map(|node| truth(node / guesses, node % guesses)).collect();
        let follows = |node: usize, next: usize| {
            let (now, then) = (&all[node], &all[next]);
            temporal.iter().all(|&part| {
                let later = then[&part];
                let expected = match formulas.node(part) {
                    Node::Unary(Unary::Next, a) => then[&a],
                    Node::Unary(Unary::Finally, a) => now[&a] || later,
                    Node::Unary(_, a) => now[&a] && later,
                    Node::Binary(Binary::Until | Binary::WeakUntil, a, b) => now[&b] || now[&a] && later,
                    Node::Binary(_, a, b) => now[&b] && (now[&a] || later),
                    _ => later,
                };
                now[&part] == expected
            })
        };
        let edges: Vec<Vec<usize>> = (0..all.len())
            .map(|node| {
                let next = self.successors[node / guesses].iter();
                let next = next.flat_map(|&state| (0..guesses).map(move |guess| number(state, guess)));
                next.filter(|&next| follows(node, next)).collect()
            })
            .collect();
        let components = Components::new(all.len(), 0..all.len(), |node, n| edges[node].get(n).copied());
        let of = |node: usize| components.of[node].expect("was reached") as usize;
        let mut met = vec![0usize; components.count as usize];
        let mut cycles = vec![false; components.count as usize];
        for &node in &components.bottom_up {
            cycles[of(node)] |= edges[node].iter().any(|&next| of(next) == of(node));
            for (index, &part) in temporal.iter().enumerate() {
                let now = &all[node];
                let is_met = match formulas.node(part) {
                    Node::Unary(Unary::Next, _) => true,
                    Node::Unary(Unary::Finally, a) => !now[&part] || now[&a],
                    Node::Unary(_, a) => now[&part] || !now[&a],
                    Node::Binary(Binary::Until, _, b) => !now[&part] || now[&b],
                    Node::Binary(Binary::WeakUntil, a, b) => now[&part] || !now[&a] && !now[&b],
                    Node::Binary(Binary::Release, _, b) => now[&part] || !now[&b],
                    Node::Binary(_, a, b) => !now[&part] || now[&a] && now[&b],
                    _ => true,
                };
                met[of(node)] |= usize::from(is_met) << index;
            }
        }
        // Nodes from which a good component can be reached.
        let mut good: Vec<bool> = (0..all.len()).map(|node| cycles[of(node)] && met[of(node)] == guesses - 1).collect();
        while let Some(node) = (0..all.len()).find(|&node| !good[node] && edges[node].iter().any(|&next| good[next])) {
            good[node] = true;
        }
        let starts = |state: usize| (0..guesses).map(move |guess| number(state, guess));
        (0..self.successors.len())
            .map(|state| starts(state).any(|node| good[node] && all[node][&formula] == wanted))
            .collect()
    }
}
