//! One Horn clause as text: `(assert (forall (variables) (=> (and atoms constraint) head)))`, the form that
//! CHC-COMP asks for. Heads are applied to variables; what these are is said by equations in the constraint.
//!
//! Signals of circuits become terms. A gate that is used more than once is bound by `let`, so that a term is
//! as long as its circuit; gates that do not depend on each other share a `let`, so that nesting is that of the
//! circuit and not its size. Nothing recurses over circuits.

use crate::model::Leaf;
use epitome_encodings::{Circuit, Gate, Lit};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;

/// A clause under construction.
#[derive(Default)]
pub(super) struct Clause {
    variables: Vec<String>,
    known: FxHashSet<String>,
    atoms: Vec<String>,
    /// Conditions that are no terms of a circuit.
    equations: Vec<String>,
    /// Signals that hold, or are the values of variables.
    signals: Vec<(Option<String>, Lit)>,
}

impl Clause {
    /// A variable of the clause.
    pub(super) fn variable(&mut self, name: impl Into<String>) -> String {
        let name = name.into();
        if self.known.insert(name.clone()) {
            self.variables.push(name.clone());
        }
        name
    }

    /// The body has this atom.
    pub(super) fn atom(&mut self, atom: String) {
        self.atoms.push(atom);
    }

    /// The variable has this value.
    pub(super) fn fixed(&mut self, variable: &str, value: bool) {
        self.equations.push(if value { variable.to_owned() } else { format!("(not {variable})") });
    }

    /// Two variables are equal.
    pub(super) fn equal(&mut self, a: &str, b: &str) {
        self.equations.push(format!("(= {a} {b})"));
    }

    /// The signal holds, or is the value of a variable.
    pub(super) fn signal(&mut self, variable: Option<String>, signal: Lit) {
        if variable.is_some() || signal != Lit::TRUE {
            self.signals.push((variable, signal));
        }
    }

    /// Writes the clause; `name` gives the variables of the circuit's inputs.
    pub(super) fn write(mut self, out: &mut String, circuit: &Circuit, name: impl Fn(Leaf) -> String, head: &str) {
        let roots: Vec<Lit> = self.signals.iter().map(|(_, signal)| *signal).collect();
        let terms = Terms::new(circuit, &roots, &name);
        for leaf in &terms.leaves {
            self.variable(name(*leaf));
        }
        out.push_str("(assert ");
        if !self.variables.is_empty() {
            out.push_str("(forall (");
            for (index, variable) in self.variables.iter().enumerate() {
                let _ = write!(out, "{}({variable} Bool)", if index > 0 { " " } else { "" });
            }
            out.push_str(")\n  ");
        }
        out.push_str("(=> (and");
        for part in self.atoms.iter().chain(&self.equations) {
            let _ = write!(out, " {part}");
        }
        if self.atoms.len() + self.equations.len() + self.signals.len() == 0 {
            out.push_str(" true");
        }
        if !self.signals.is_empty() {
            out.push_str("\n    ");
            let lets = terms.write_lets(out);
            out.push_str("(and");
            for (variable, signal) in &self.signals {
                out.push(' ');
                if let Some(variable) = variable {
                    let _ = write!(out, "(= {variable} ");
                }
                terms.write(out, vec![Task::Signal(*signal, false)]);
                out.push_str(if variable.is_some() { ")" } else { "" });
            }
            out.extend(std::iter::repeat_n(')', lets + 1));
        }
        let _ = write!(out, ")\n    {head})");
        out.push_str(if self.variables.is_empty() { ")\n" } else { "))\n" });
    }
}

/// Signals of a circuit as terms.
struct Terms<'c, N> {
    circuit: &'c Circuit,
    name: N,
    /// Gates with a name of their own, by depth: those of one depth do not need each other.
    shared: Vec<Vec<Lit>>,
    is_shared: FxHashSet<Lit>,
    leaves: Vec<Leaf>,
}

enum Task {
    Signal(Lit, bool),
    Text(&'static str),
}

impl<'c, N: Fn(Leaf) -> String> Terms<'c, N> {
    fn new(circuit: &'c Circuit, roots: &[Lit], name: N) -> Terms<'c, N> {
        let mut uses: FxHashMap<Lit, u32> = FxHashMap::default();
        let mut stack: Vec<Lit> = roots.iter().copied().map(gate_of).collect();
        while let Some(gate) = stack.pop() {
            let count = uses.entry(gate).or_insert(0);
            *count += 1;
            if *count == 1 {
                stack.extend(parts(circuit, gate).into_iter().flatten().map(gate_of));
            }
        }
        let mut gates: Vec<(Lit, u32)> = uses.into_iter().collect();
        gates.sort_unstable();
        let mut terms =
            Terms { circuit, name, shared: Vec::new(), is_shared: FxHashSet::default(), leaves: Vec::new() };
        // How many `let`s must be around a gate.
        let mut depth: FxHashMap<Lit, usize> = FxHashMap::default();
        for (gate, count) in gates {
            let below = |part: Lit| {
                let around = depth.get(&gate_of(part)).copied().unwrap_or(0);
                around + usize::from(terms.is_shared.contains(&gate_of(part)))
            };
            let around = parts(circuit, gate).into_iter().flatten().map(below).max().unwrap_or(0);
            match circuit.gate(gate) {
                Gate::Input(number) => terms.leaves.push(Leaf::from_number(number)),
                Gate::And(..) if count > 1 => {
                    terms.is_shared.insert(gate);
                    terms.shared.resize_with(terms.shared.len().max(around + 1), Vec::new);
                    terms.shared[around].push(gate);
                }
                _ => {}
            }
            depth.insert(gate, around);
        }
        terms
    }

    /// Opens the `let`s and says how many there are.
    fn write_lets(&self, out: &mut String) -> usize {
        for gates in &self.shared {
            out.push_str("(let (");
            for (index, &gate) in gates.iter().enumerate() {
                let _ = write!(out, "{}(t!{} ", if index > 0 { " " } else { "" }, gate.gate());
                self.write(out, self.gate(gate, false));
                out.push(')');
            }
            out.push_str(")\n      ");
        }
        self.shared.len()
    }

    /// Writes what is to be written, the last first.
    fn write(&self, out: &mut String, mut tasks: Vec<Task>) {
        while let Some(task) = tasks.pop() {
            match task {
                Task::Text(text) => out.push_str(text),
                Task::Signal(signal, blank) => {
                    out.push_str(if blank { " " } else { "" });
                    if let Some(value) = signal.as_constant() {
                        out.push_str(if value { "true" } else { "false" });
                        continue;
                    }
                    let gate = gate_of(signal);
                    let name = match self.circuit.gate(gate) {
                        Gate::Input(number) => (self.name)(Leaf::from_number(number)),
                        _ if self.is_shared.contains(&gate) => format!("t!{}", gate.gate()),
                        _ => {
                            tasks.extend(self.gate(gate, signal.is_negated()));
                            continue;
                        }
                    };
                    let _ = if signal.is_negated() { write!(out, "(not {name})") } else { write!(out, "{name}") };
                }
            }
        }
    }

    /// What is to be written for a gate.
    fn gate(&self, gate: Lit, negated: bool) -> Vec<Task> {
        if let Some((a, b)) = self.circuit.as_xor(gate) {
            // Two negations are none.
            let (a, b) = if a.is_negated() && b.is_negated() { (!a, !b) } else { (a, b) };
            let (start, end) = if negated { ("(= ", ")") } else { ("(not (= ", "))") };
            return vec![Task::Text(end), Task::Signal(b, true), Task::Signal(a, false), Task::Text(start)];
        }
        // A tree of conjunctions is one conjunction.
        let mut operands = Vec::new();
        let mut open: Vec<Lit> = parts(self.circuit, gate).into_iter().flatten().rev().collect();
        while let Some(part) = open.pop() {
            let is_tree = !part.is_negated()
                && matches!(self.circuit.gate(part), Gate::And(..))
                && !self.is_shared.contains(&part)
                && self.circuit.as_xor(part).is_none();
            match is_tree {
                true => open.extend(parts(self.circuit, part).into_iter().flatten().rev()),
                false => operands.push(part.negate_if(negated)),
            }
        }
        let mut tasks = vec![Task::Text(")")];
        tasks.extend(operands.into_iter().rev().map(|operand| Task::Signal(operand, true)));
        tasks.push(Task::Text(if negated { "(or" } else { "(and" }));
        tasks
    }
}

/// A signal without its negation.
fn gate_of(signal: Lit) -> Lit {
    signal.negate_if(signal.is_negated())
}

/// The signals that a gate is made of.
fn parts(circuit: &Circuit, gate: Lit) -> [Option<Lit>; 2] {
    match (circuit.gate(gate), circuit.as_xor(gate)) {
        (Gate::False | Gate::Input(_), _) => [None, None],
        (_, Some((a, b))) | (Gate::And(a, b), None) => [Some(a), Some(b)],
    }
}
