//! Ternary lifting: what of a request matters.
//!
//! A model asks a callee for a point, but often many points would do. Inputs of the body that are arguments
//! of the hole are set to "unknown" one after the other; where everything that is wanted of the body still
//! has its value (three-valued simulation), the callee may give any value there. So the obligation is a
//! cube, and whatever fact answers it fits the rest of the model.

use super::cube::Cube;
use crate::engine::system::Point;
use epitome_encodings::{Body, Circuit, Gate, Lit};
use rustc_hash::FxHashMap;

/// A body's gates in order, numbered among themselves.
pub(super) struct Netlist {
    gates: Box<[Local]>,
    users: Box<[u32]>,
    first_user: Box<[u32]>,
    guard: Signal,
    arguments: Box<[Signal]>,
    holes: Box<[(Signal, Box<[Signal]>)]>,
}

/// A gate's place in the list, and whether it is negated.
type Signal = (u32, bool);

enum Local {
    False,
    Input(u32),
    And(Signal, Signal),
}

/// 0, 1, or unknown.
type Ternary = Option<bool>;

impl Netlist {
    pub(super) fn new(circuit: &Circuit, body: &Body) -> Netlist {
        let cone = circuit.cone(body.signals());
        let mut places: FxHashMap<usize, u32> = FxHashMap::from_iter([(0, 0)]);
        let mut gates = vec![Local::False];
        let signal = |places: &FxHashMap<usize, u32>, lit: Lit| (places[&lit.gate()], lit.is_negated());
        for gate in cone.into_iter().filter(|gate| *gate != 0) {
            gates.push(match circuit.gate_at(gate) {
                Gate::False => Local::False,
                Gate::Input(number) => Local::Input(number),
                Gate::And(a, b) => Local::And(signal(&places, a), signal(&places, b)),
            });
            places.insert(gate, gates.len() as u32 - 1);
        }
        let list = |signals: &[Lit]| signals.iter().map(|&lit| signal(&places, lit)).collect::<Box<[Signal]>>();
        let (users, first_user) = users(&gates);
        Netlist {
            users,
            first_user,
            guard: signal(&places, body.guard),
            arguments: list(&body.arguments),
            holes: body.holes.iter().map(|hole| (signal(&places, hole.active), list(&hole.arguments))).collect(),
            gates: gates.into(),
        }
    }

    /// The part of what a hole asks for in a model that matters for a cube of the body's arguments.
    pub(super) fn lift(&self, inputs: &Point, cube: &Cube, hole: usize) -> Cube {
        let mut values = self.simulate(inputs);
        let requested = &self.holes[hole].1;
        let mut times = vec![0u8; self.gates.len()];
        requested.iter().for_each(|&(gate, _)| times[gate as usize] = times[gate as usize].saturating_add(1));
        let is_free = |gate: u32| times[gate as usize] == 1 && matches!(self.gates[gate as usize], Local::Input(_));
        let mut needed = self.needed(&values, cube, hole);
        requested.iter().filter(|(gate, _)| !is_free(*gate)).for_each(|&(gate, _)| needed[gate as usize] = true);
        let mut changed = Vec::new();
        for &(gate, _) in requested.iter().filter(|(gate, _)| is_free(*gate)) {
            if !self.forget(gate, &mut values, &needed, &mut changed) {
                changed.iter().for_each(|&(gate, old)| values[gate as usize] = old);
            }
            changed.clear();
        }
        let known = requested.iter().enumerate().filter_map(|(index, &s)| Some((index, value(&values, s)?)));
        Cube::new(known)
    }

    fn simulate(&self, inputs: &Point) -> Vec<Ternary> {
        let mut values: Vec<Ternary> = Vec::with_capacity(self.gates.len());
        for gate in &self.gates {
            values.push(match *gate {
                Local::False => Some(false),
                Local::Input(number) => Some(inputs.get_or_false(number as usize)),
                Local::And(a, b) => and(value(&values, a), value(&values, b)),
            });
        }
        values
    }

    /// Everything that is wanted of the body: the guard, the cube, which holes are active, and what they
    /// ask for, but for the hole itself.
    fn needed(&self, values: &[Ternary], cube: &Cube, hole: usize) -> Vec<bool> {
        let mut needed = vec![false; self.gates.len()];
        let mut need = |&(gate, _): &Signal| needed[gate as usize] = true;
        need(&self.guard);
        cube.literals().for_each(|(index, _)| need(&self.arguments[index]));
        for (index, (active, arguments)) in self.holes.iter().enumerate() {
            need(active);
            if index != hole && value(values, *active) == Some(true) {
                arguments.iter().for_each(&mut need);
            }
        }
        needed
    }

    /// Makes an input unknown, and all that depends on it; false if something needed is lost. A gate can only
    /// become unknown, so the order in which they are looked at does not matter.
    fn forget(&self, input: u32, values: &mut [Ternary], needed: &[bool], changed: &mut Vec<(u32, Ternary)>) -> bool {
        let mut open = vec![input];
        while let Some(gate) = open.pop() {
            let place = gate as usize;
            let is_lost = match self.gates[place] {
                Local::And(a, b) => and(value(values, a), value(values, b)).is_none(),
                _ => true,
            };
            if values[place].is_none() || !is_lost {
                continue;
            }
            if needed[place] {
                return false;
            }
            changed.push((gate, values[place].take()));
            open.extend(&self.users[self.first_user[place] as usize..self.first_user[place + 1] as usize]);
        }
        true
    }
}

/// Who uses each gate: the places of the users in one list, and where those of a gate begin.
fn users(gates: &[Local]) -> (Box<[u32]>, Box<[u32]>) {
    let operands = |gate: &Local| match *gate {
        Local::And((a, _), (b, _)) => vec![a, b],
        _ => Vec::new(),
    };
    let mut first = vec![0u32; gates.len() + 1];
    gates.iter().flat_map(operands).for_each(|operand| first[operand as usize + 1] += 1);
    for place in 0..gates.len() {
        first[place + 1] += first[place];
    }
    let mut next = first.clone();
    let mut users = vec![0u32; first[gates.len()] as usize];
    for (user, gate) in gates.iter().enumerate() {
        for operand in operands(gate) {
            users[next[operand as usize] as usize] = user as u32;
            next[operand as usize] += 1;
        }
    }
    (users.into(), first.into())
}

fn and(a: Ternary, b: Ternary) -> Ternary {
    match (a, b) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

fn value(values: &[Ternary], (gate, negated): Signal) -> Ternary {
    values[gate as usize].map(|value| value != negated)
}
