//! Ternary lifting: what of a request matters.
//!
//! A model asks a callee for a point, but often many points would do. Inputs of the body that are arguments
//! of the hole are set to "unknown" one after the other; where everything that is wanted of the body still
//! has its value (three-valued simulation), the callee may give any value there. So the obligation is a
//! cube, and whatever fact answers it fits the rest of the model.

use super::cube::{Cube, Point};
use epitome_encodings::{Body, Circuit, Gate, Lit};
use rustc_hash::FxHashMap;

/// A body's gates in order, numbered among themselves.
pub(super) struct Netlist {
    gates: Box<[Local]>,
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
        Netlist {
            guard: signal(&places, body.guard),
            arguments: list(&body.arguments),
            holes: body.holes.iter().map(|hole| (signal(&places, hole.active), list(&hole.arguments))).collect(),
            gates: gates.into(),
        }
    }

    /// The part of what a hole asks for in a model that matters for a cube of the body's arguments.
    pub(super) fn lift(&self, inputs: &Point, cube: &Cube, hole: usize) -> Cube {
        let mut unknown = vec![false; self.gates.len()];
        let before = self.simulate(inputs, &unknown);
        let requested = &self.holes[hole].1;
        let mut after = before.clone();
        for &(gate, _) in requested.iter() {
            let is_once = requested.iter().filter(|(other, _)| *other == gate).count() == 1;
            if !is_once || !matches!(self.gates[gate as usize], Local::Input(_)) {
                continue;
            }
            unknown[gate as usize] = true;
            let values = self.simulate(inputs, &unknown);
            if self.is_enough(&before, &values, &unknown, cube, hole) {
                after = values;
            } else {
                unknown[gate as usize] = false;
            }
        }
        let known = requested.iter().enumerate().filter_map(|(index, &s)| Some((index, value(&after, s)?)));
        Cube::new(known)
    }

    fn simulate(&self, inputs: &Point, unknown: &[bool]) -> Vec<Ternary> {
        let mut values: Vec<Ternary> = Vec::with_capacity(self.gates.len());
        for (place, gate) in self.gates.iter().enumerate() {
            values.push(match *gate {
                Local::False => Some(false),
                Local::Input(_) if unknown[place] => None,
                Local::Input(number) => Some(inputs.get_or_false(number as usize)),
                Local::And(a, b) => match (value(&values, a), value(&values, b)) {
                    (Some(false), _) | (_, Some(false)) => Some(false),
                    (Some(true), Some(true)) => Some(true),
                    _ => None,
                },
            });
        }
        values
    }

    /// Everything that is wanted has its value: the guard, the cube, which holes are active, and what they
    /// ask for, but for the unknown inputs themselves.
    fn is_enough(&self, before: &[Ternary], values: &[Ternary], unknown: &[bool], cube: &Cube, hole: usize) -> bool {
        let keeps = |signal: Signal| value(values, signal).is_some();
        value(values, self.guard) == Some(true)
            && cube.literals().all(|(index, wanted)| value(values, self.arguments[index]) == Some(wanted))
            && self.holes.iter().enumerate().all(|(index, (active, arguments))| {
                let is_active = value(before, *active) == Some(true);
                let is_free = |signal: Signal| index == hole && unknown[signal.0 as usize];
                keeps(*active) && (!is_active || arguments.iter().all(|&s| keeps(s) || is_free(s)))
            })
    }
}

fn value(values: &[Ternary], (gate, negated): Signal) -> Ternary {
    values[gate as usize].map(|value| value != negated)
}
