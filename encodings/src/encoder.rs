//! Circuits as clauses: a variable for each gate and the clauses that tie it to its operands.
//!
//! By Tseitin (1968) a gate's variable is true exactly where the gate is. By Plaisted and Greenbaum (1986)
//! only the direction that the user of the gate relies on is said: a signal that is only claimed needs "if
//! the variable is true then the gate is", and about half of the clauses go. Should somebody rely on the
//! other direction later, the clauses that are missing are added then.
//!
//! Inner gates that nobody else uses get no variable: a tree of conjunctions is one wide gate (n + 1
//! clauses for n operands where the tree has 3n - 3), and a choice between two signals, exclusive or
//! among them, is one gate of four clauses where the and-inverter graph has three of three.
//!
//! Gates that were encoded keep their variables, so that a circuit may grow between two calls and only what
//! is new is written. Numbers are given in order of evaluation.

use crate::{Circuit, Clauses, Gate, Lit, Variables};
use rustc_hash::FxHashMap;

/// Which clauses a gate gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Those of both directions: every model has the values of all gates.
    Tseitin,
    /// Those of the directions that are used. Only inputs have their values in a model; the other
    /// variables keep their promise ([`Polarity`]) and no more.
    PlaistedGreenbaum,
}

/// What the user of a signal relies on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Polarity {
    /// Where the literal is true, the signal is: the literal will be claimed.
    Positive,
    /// Where the signal is true, the literal is: the literal will be denied.
    Negative,
    /// Both.
    Both,
}

/// Directions as bits: "if the variable then the gate", "if the gate then the variable".
type Directions = u8;
const DOWN: Directions = 1;
const UP: Directions = 2;

impl Polarity {
    fn directions(self) -> Directions {
        match self {
            Polarity::Positive => DOWN,
            Polarity::Negative => UP,
            Polarity::Both => DOWN | UP,
        }
    }
}

/// What is wanted of a signal, as wanted of its gate.
fn through(signal: Lit, wanted: Directions) -> Directions {
    if signal.is_negated() { (wanted & DOWN) << 1 | (wanted & UP) >> 1 } else { wanted }
}

/// What became of a gate.
#[derive(Clone, Copy, Debug)]
enum Role {
    /// It has a variable; these directions are said.
    Variable(i32, Directions),
    /// It is an inner gate of this one.
    Inside(usize),
}

/// A gate together with its inner gates.
enum Compound {
    /// An input or a constant.
    Leaf,
    /// All of these.
    All(Vec<Lit>),
    /// Not: the second where the first is true, else the third.
    NotIte(Lit, Lit, Lit),
}

/// A gate, the directions that have to be said of it, and what they say.
type Missing = (usize, Directions, Compound);

/// Gates with their variables.
///
/// ```
/// use epitome_encodings::{Circuit, Cnf, Clauses, Encoder, Encoding, Polarity, Variables};
/// let mut circuit = Circuit::new();
/// let (a, b) = (circuit.input(0), circuit.input(1));
/// let both = circuit.and(a, !b);
/// let (mut variables, mut cnf) = (Variables::default(), Cnf::default());
/// let mut encoder = Encoder::new(Encoding::PlaistedGreenbaum);
/// let literal = encoder.encode(&circuit, both, Polarity::Positive, &mut variables, &mut cnf);
/// cnf.add(&[literal]);
/// assert_eq!(cnf.clauses().collect::<Vec<_>>(), [&[-3, 1][..], &[-3, -2], &[3]]);
/// ```
#[derive(Clone, Debug)]
pub struct Encoder {
    encoding: Encoding,
    roles: FxHashMap<usize, Role>,
}

impl Encoder {
    /// Nothing is encoded yet.
    pub fn new(encoding: Encoding) -> Encoder {
        Encoder { encoding, roles: FxHashMap::default() }
    }

    /// A literal that stands for the signal. Hands the clauses that say so to the sink.
    pub fn encode(
        &mut self,
        circuit: &Circuit,
        signal: Lit,
        polarity: Polarity,
        variables: &mut Variables,
        sink: &mut (impl Clauses + ?Sized),
    ) -> i32 {
        self.encode_all(circuit, &[(signal, polarity)], variables, sink);
        self.known(signal)
    }

    /// Gives literals to several signals ([`Encoder::literal`] tells them). What they share is seen, so that
    /// this is better than one after the other.
    pub fn encode_all(
        &mut self,
        circuit: &Circuit,
        signals: &[(Lit, Polarity)],
        variables: &mut Variables,
        sink: &mut (impl Clauses + ?Sized),
    ) {
        let (work, mut new) = self.demand(circuit, signals);
        new.sort_unstable();
        for gate in new {
            let variable = variables.fresh();
            if let Some(Role::Variable(number, _)) = self.roles.get_mut(&gate) {
                *number = variable;
            }
            if gate == 0 {
                sink.add(&[-variable]);
            }
        }
        let mut clause = Vec::new();
        for (gate, directions, compound) in &work {
            self.say(*gate, *directions, compound, &mut clause, sink);
        }
    }

    /// What is missing of each gate, in order of evaluation, and the gates that have no variable yet.
    fn demand(&mut self, circuit: &Circuit, signals: &[(Lit, Polarity)]) -> (Vec<Missing>, Vec<usize>) {
        let uses = self.uses(circuit, signals);
        let (mut work, mut new) = (Vec::new(), Vec::new());
        let wanted = signals.iter().map(|&(signal, polarity)| (signal.gate(), through(signal, polarity.directions())));
        let mut open: Vec<(usize, Directions)> = wanted.collect();
        while let Some((gate, wanted)) = open.pop() {
            let wanted = if self.encoding == Encoding::Tseitin { DOWN | UP } else { wanted };
            let (variable, said) = match self.roles.get(&gate) {
                Some(&Role::Variable(variable, said)) => (variable, said),
                _ => {
                    new.push(gate);
                    (0, 0)
                }
            };
            let missing = wanted & !said;
            if missing == 0 {
                continue;
            }
            self.roles.insert(gate, Role::Variable(variable, said | wanted));
            let compound = self.compound(circuit, gate, &uses);
            match &compound {
                Compound::Leaf => {}
                Compound::All(operands) => {
                    open.extend(operands.iter().map(|&operand| (operand.gate(), through(operand, missing))));
                }
                &Compound::NotIte(condition, then, otherwise) => {
                    open.push((condition.gate(), DOWN | UP));
                    open.extend([then, otherwise].map(|operand| (operand.gate(), through(!operand, missing))));
                }
            }
            work.push((gate, missing, compound));
        }
        work.sort_by_key(|(gate, directions, _)| (*gate, *directions));
        (work, new)
    }

    /// The literal of a signal that was encoded.
    pub fn literal(&self, signal: Lit) -> Option<i32> {
        match self.roles.get(&signal.gate()) {
            Some(&Role::Variable(variable, _)) => Some(if signal.is_negated() { -variable } else { variable }),
            _ => None,
        }
    }

    /// The gates that have variables, by variable.
    pub fn variables(&self) -> Vec<(usize, u32)> {
        let numbered = self.roles.iter().filter_map(|(&gate, role)| match role {
            Role::Variable(variable, _) => Some((gate, variable.unsigned_abs())),
            Role::Inside(_) => None,
        });
        let mut numbered: Vec<(usize, u32)> = numbered.collect();
        numbered.sort_unstable_by_key(|(_, variable)| *variable);
        numbered
    }

    fn known(&self, signal: Lit) -> i32 {
        self.literal(signal).unwrap_or(0)
    }

    /// How often each gate that is new is used. What is asked for is used from outside besides.
    fn uses(&self, circuit: &Circuit, signals: &[(Lit, Polarity)]) -> FxHashMap<usize, u32> {
        const OUTSIDE: u32 = 2;
        let mut uses: FxHashMap<usize, u32> = FxHashMap::default();
        let mut open: Vec<(usize, u32)> = signals.iter().map(|(signal, _)| (signal.gate(), OUTSIDE)).collect();
        while let Some((gate, more)) = open.pop() {
            let count = uses.entry(gate).or_default();
            let is_known = *count > 0 || self.roles.contains_key(&gate);
            *count += more;
            if let (false, Gate::And(a, b)) = (is_known, circuit.gate_at(gate)) {
                open.extend([(a.gate(), 1), (b.gate(), 1)]);
            }
        }
        uses
    }

    /// The gate with the inner gates that are to be a part of it.
    fn compound(&mut self, circuit: &Circuit, gate: usize, uses: &FxHashMap<usize, u32>) -> Compound {
        let Gate::And(a, b) = circuit.gate_at(gate) else { return Compound::Leaf };
        let is_inner = |roles: &FxHashMap<usize, Role>, inner: Lit| match roles.get(&inner.gate()) {
            Some(&Role::Inside(owner)) => owner == gate,
            Some(Role::Variable(..)) => false,
            None => uses.get(&inner.gate()) == Some(&1) && matches!(circuit.gate(inner), Gate::And(..)),
        };
        if let Some((condition, then, otherwise)) = circuit.as_not_ite(gate)
            && is_inner(&self.roles, a)
            && is_inner(&self.roles, b)
        {
            self.roles.extend([a, b].map(|inner| (inner.gate(), Role::Inside(gate))));
            return Compound::NotIte(condition, then, otherwise);
        }
        let (mut operands, mut open) = (Vec::new(), vec![a, b]);
        while let Some(operand) = open.pop() {
            let is_tree = !operand.is_negated() && is_inner(&self.roles, operand);
            match circuit.gate(operand) {
                Gate::And(a, b) if is_tree && circuit.as_not_ite(operand.gate()).is_none() => {
                    self.roles.insert(operand.gate(), Role::Inside(gate));
                    open.extend([a, b]);
                }
                _ => operands.push(operand),
            }
        }
        operands.sort_unstable();
        operands.dedup();
        Compound::All(operands)
    }

    fn say(
        &self,
        gate: usize,
        directions: Directions,
        compound: &Compound,
        clause: &mut Vec<i32>,
        sink: &mut (impl Clauses + ?Sized),
    ) {
        let Some(&Role::Variable(variable, _)) = self.roles.get(&gate) else { return };
        match compound {
            Compound::Leaf => {}
            Compound::All(operands) => {
                if directions & DOWN != 0 {
                    operands.iter().for_each(|&operand| sink.add(&[-variable, self.known(operand)]));
                }
                if directions & UP != 0 {
                    clause.clear();
                    clause.push(variable);
                    clause.extend(operands.iter().map(|&operand| -self.known(operand)));
                    sink.add(clause);
                }
            }
            &Compound::NotIte(condition, then, otherwise) => {
                let [c, t, e] = [condition, then, otherwise].map(|operand| self.known(operand));
                if directions & DOWN != 0 {
                    sink.add(&[-variable, -c, -t]);
                    sink.add(&[-variable, c, -e]);
                }
                if directions & UP != 0 {
                    sink.add(&[variable, -c, t]);
                    sink.add(&[variable, c, e]);
                }
            }
        }
    }
}
