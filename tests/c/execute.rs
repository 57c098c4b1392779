//! Executes the model of a C program on given inputs, one run: an interpreter of the model.
//!
//! It knows nothing of C: it takes the transition whose guard holds, and feeds the inputs to the choices of the
//! transitions that have some. The run it makes is then replayed by the interpreter of the source, so that circuits
//! and integers must agree at every step.

use epitome::model::{Ersm, Fragment, FragmentId, Initial, Leaf, ProcId, Run, Var, Vertex};
use epitome_encodings::{Gate, Lit};
use std::collections::HashMap;

/// What a run came to.
pub struct Executed {
    pub run: Run<Vertex>,
    /// The bits of the globals in the end.
    pub globals: Vec<bool>,
    /// `main` returned; otherwise the run stopped somewhere.
    pub returned: bool,
}

struct Activation {
    procedure: usize,
    /// Globals and locals.
    state: Vec<bool>,
    at: Vertex,
    path: Vec<(Vertex, Vec<bool>, Option<FragmentId>)>,
}

/// Runs the machine for at most so many steps; each transition with choices takes the next input, bit by bit.
pub fn execute(ersm: &Ersm, inputs: &[u64], most_steps: usize) -> Executed {
    let globals = ersm.globals.len();
    let (main, entry) = ersm.initial[0];
    let start = |variable: &epitome::model::Variable| variable.initial == Initial::Fixed(true);
    let activation = |procedure: ProcId, shared: &[bool], at: Vertex| {
        let locals = ersm.procedures[procedure.index()].locals.iter().map(start);
        Activation {
            procedure: procedure.index(),
            state: shared.iter().copied().chain(locals).collect(),
            at,
            path: Vec::new(),
        }
    };
    let mut run = Run { fragments: Vec::new() };
    let first: Vec<bool> = ersm.globals.iter().map(start).collect();
    let mut stack = vec![activation(main, &first, Vertex::Node(entry))];
    let mut inputs = inputs.iter().copied();
    let mut returned = false;
    let mut values = Values(vec![false; ersm.circuit.len()]);
    let mut edges_from: HashMap<(usize, Vertex), Vec<usize>> = HashMap::new();
    for (id, procedure) in ersm.procedures() {
        for (index, edge) in procedure.edges.iter().enumerate() {
            edges_from.entry((id.index(), edge.from)).or_default().push(index);
        }
    }
    for _ in 0..most_steps {
        let Some(top) = stack.last_mut() else { break };
        let procedure = &ersm.procedures[top.procedure];
        if let Vertex::Node(node) = top.at
            && procedure.exits.contains(&node)
        {
            top.path.push((top.at, top.state.clone(), None));
            let inside = finish(&mut run, stack.pop().expect("there is one"));
            let Some(caller) = stack.last_mut() else {
                returned = true;
                break;
            };
            let done = &run.fragments[inside.index()];
            let last = done.len() - 1;
            let Vertex::Call(site, _) = caller.at else { panic!("a call is at its port") };
            (0..globals).for_each(|bit| caller.state[bit] = done.bit(last, bit));
            let call = &ersm.procedures[caller.procedure].boxes[site.index()];
            for (&output, target) in ersm.procedures[call.callee.index()].outputs.iter().zip(&call.results) {
                let value = done.bit(last, globals + output as usize);
                match *target {
                    Some(Var::Global(index)) => caller.state[index as usize] = value,
                    Some(Var::Local(index)) => caller.state[globals + index as usize] = value,
                    None => {}
                }
            }
            let passed = caller.path.last_mut().expect("the call is on the path");
            passed.2 = Some(inside);
            caller.at = Vertex::Return(site, 0);
            continue;
        }
        if !matches!(top.at, Vertex::Return(..)) {
            top.path.push((top.at, top.state.clone(), None));
        }
        if let Vertex::Call(site, _) = top.at {
            let call = &procedure.boxes[site.index()];
            let arguments = values.of(ersm, &call.arguments, &top.state, 0);
            let callee = &ersm.procedures[call.callee.index()];
            let mut inside = activation(call.callee, &top.state[..globals], Vertex::Node(callee.entries[0]));
            for (&input, argument) in callee.inputs.iter().zip(arguments) {
                inside.state[globals + input as usize] = argument;
            }
            stack.push(inside);
            continue;
        }
        let edges = edges_from.get(&(top.procedure, top.at)).map_or(&[][..], |edges| edges);
        let with_choice = |&edge: &usize| !procedure.edges[edge].choices.is_empty();
        let choice = if edges.iter().any(with_choice) { inputs.next().unwrap_or(0) } else { 0 };
        let guards: Vec<Lit> = edges.iter().map(|&edge| procedure.edges[edge].guard).collect();
        let holds = values.of(ersm, &guards, &top.state, choice);
        let mut enabled = edges.iter().zip(holds).filter(|(_, holds)| *holds).map(|(&edge, _)| &procedure.edges[edge]);
        let Some(edge) = enabled.next() else { break };
        assert!(enabled.next().is_none(), "two ways to go on");
        let lits: Vec<Lit> = edge.assignments.iter().map(|(_, lit)| *lit).collect();
        let assigned = values.of(ersm, &lits, &top.state, choice);
        let mut next = top.state.clone();
        for ((var, _), value) in edge.assignments.iter().zip(assigned) {
            next[ersm.bit(*var)] = value;
        }
        top.state = next;
        top.at = edge.to;
    }
    let globals = stack.last().map(|top| top.state[..globals].to_vec());
    let globals = globals.unwrap_or_else(|| {
        let main = run.fragments.last().expect("main has ended");
        (0..ersm.globals.len()).map(|bit| main.bit(main.len() - 1, bit)).collect()
    });
    let mut inside = None;
    while let Some(mut open) = stack.pop() {
        if let (Some(inside), Some(last)) = (inside, open.path.last_mut()) {
            last.2 = Some(inside);
        }
        inside = Some(finish(&mut run, open));
    }
    Executed { run, globals, returned }
}

/// Values of gates, of which those are good that were just computed.
struct Values(Vec<bool>);

impl Values {
    /// The values of signals in a state, with these choices.
    fn of(&mut self, ersm: &Ersm, lits: &[Lit], state: &[bool], choice: u64) -> Vec<bool> {
        let get = |values: &[bool], lit: Lit| values[lit.gate()] != lit.is_negated();
        for gate in ersm.circuit.cone(lits.iter().copied()) {
            self.0[gate] = match ersm.circuit.gate_at(gate) {
                Gate::False => false,
                Gate::Input(input) => match Leaf::from_number(input) {
                    Leaf::Var(var) => state[ersm.bit(var)],
                    Leaf::Choice(index) => choice >> index & 1 == 1,
                },
                Gate::And(a, b) => get(&self.0, a) && get(&self.0, b),
            };
        }
        lits.iter().map(|&lit| get(&self.0, lit)).collect()
    }
}

fn finish(run: &mut Run<Vertex>, activation: Activation) -> FragmentId {
    let mut fragment = Fragment::new(activation.procedure as u32, activation.state.len());
    for (vertex, state, inside) in activation.path {
        let mut words = vec![0u64; state.len().div_ceil(64)];
        state.iter().enumerate().for_each(|(bit, &value)| words[bit / 64] |= u64::from(value) << (bit % 64));
        fragment.push(vertex, &words, inside);
    }
    run.fragments.push(fragment);
    FragmentId(run.fragments.len() as u32 - 1)
}
