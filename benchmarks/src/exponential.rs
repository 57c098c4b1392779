//! Alternating machines with an exponential tape, simulated by a recursive program and a question of CTL (Godefroid, Fig. 5): the reason why
//! CTL is hard for double exponential time on programs with recursion and nondeterminism (Theorem 10).
//!
//! The program keeps every tape of the computation on its stack, a call of `guess` for each of the 2^n cells, and guesses the cells that a step
//! does not write. At `C` it may stop and check: it then pops two tapes and compares them at a cell of any number. The formula
//! says that some run comes to success, and that at every `C` on it a check would be passed whatever the cell:
//! `E ((at(C) -> EX (CheckMode & AF OK)) U Success)`.
//!
//! The tape is circular: to the left of the first cell is the last.

use std::fmt::Write;

/// What a machine does in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alternation {
    /// Some successor must accept.
    Exists,
    /// All successors must accept.
    Forall,
    /// The machine accepts.
    Accept,
    /// The machine rejects.
    Reject,
}

/// A step of an alternating machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TapeStep {
    /// The state and the symbol that it reads.
    pub from: (usize, bool),
    /// The state that it goes to, and the symbol that it writes.
    pub to: (usize, bool),
    /// The head moves to the right; otherwise to the left.
    pub right: bool,
}

/// An alternating machine that always halts, with its input.
#[derive(Clone, Debug)]
pub struct TapeMachine {
    /// The states; it starts in the first.
    pub states: Vec<Alternation>,
    /// What it can do.
    pub steps: Vec<TapeStep>,
    /// The first symbols on the tape; the others are 0.
    pub input: Vec<bool>,
}

/// The question about the programs of [`expspace`].
pub const EXPSPACE: &str = "E ((at(C) -> EX (CheckMode & AF OK)) U Success)";

impl TapeMachine {
    /// A game on the first two cells: *forall* writes a bit, *exists* another one, and they must be equal; or *exists* has to write first,
    /// and loses.
    pub fn copy_game(exists_first: bool) -> TapeMachine {
        use Alternation::*;
        let (first, second) = if exists_first { (Exists, Forall) } else { (Forall, Exists) };
        let step = |from, to, right| TapeStep { from, to, right };
        let mut steps = Vec::new();
        for bit in [false, true] {
            steps.push(step((0, false), (1, bit), true));
            steps.push(step((1, false), (2, bit), false));
            // What was written first is remembered in the state.
            steps.push(step((2, bit), (3 + usize::from(bit), bit), true));
            for read in [false, true] {
                steps.push(step((3 + usize::from(bit), read), (5 + usize::from(read != bit), read), true));
            }
        }
        TapeMachine { states: vec![first, second, Exists, Exists, Exists, Accept, Reject], steps, input: Vec::new() }
    }

    /// The machine accepts on a tape of so many cells.
    pub fn accepts(&self, cells: usize) -> bool {
        let mut tape = vec![false; cells];
        self.input.iter().zip(&mut tape).for_each(|(symbol, cell)| *cell = *symbol);
        self.accepts_from(0, 0, &tape)
    }

    /// (As deep as the computation is long.)
    fn accepts_from(&self, state: usize, head: usize, tape: &[bool]) -> bool {
        let mut after = self.steps.iter().filter(|step| step.from == (state, tape[head])).map(|step| {
            let mut tape = tape.to_vec();
            tape[head] = step.to.1;
            let head = if step.right { head + 1 } else { head + tape.len() - 1 } % tape.len();
            self.accepts_from(step.to.0, head, &tape)
        });
        match self.states[state] {
            Alternation::Accept => true,
            Alternation::Reject => false,
            Alternation::Exists => after.any(|accepts| accepts),
            Alternation::Forall => after.all(|accepts| accepts),
        }
    }
}

/// A number as bits, by name.
fn bits(name: &str, bits: u32) -> Vec<String> {
    (0..bits).map(|bit| format!("{name}{bit}")).collect()
}

fn constant(value: usize, bits: u32) -> Vec<String> {
    (0..bits).map(|bit| (value >> bit & 1).to_string()).collect()
}

/// One more, or one less, modulo the range.
fn next(number: &[String], up: bool) -> Vec<String> {
    let lower = |bit: usize| -> Vec<String> {
        number[..bit].iter().map(|name| if up { name.clone() } else { format!("!{name}") }).collect()
    };
    let all = |bit: usize| if bit == 0 { "1".to_owned() } else { lower(bit).join(" & ") };
    number.iter().enumerate().map(|(bit, name)| format!("{name} ^ ({})", all(bit))).collect()
}

fn equal(a: &[String], b: &[String]) -> String {
    a.iter().zip(b).map(|(a, b)| format!("({a} = {b})")).collect::<Vec<_>>().join(" & ")
}

fn is(number: &[String], value: usize) -> String {
    equal(number, &constant(value, number.len() as u32))
}

/// The program for a machine with a tape of 2^n cells; the formula ([`EXPSPACE`]) holds at its start exactly if the machine accepts.
///
/// ```
/// use epitome_benchmarks::{EXPSPACE, TapeMachine, expspace};
/// let text = expspace(&TapeMachine::copy_game(false), 3, true);
/// assert!(text.contains(EXPSPACE) && text.contains("// ctl expected: TRUE\n"));
/// ```
pub fn expspace(machine: &TapeMachine, n: u32, accepts: bool) -> String {
    let width = (usize::BITS - (machine.states.len() - 1).leading_zeros()).max(1);
    let [h, i, j, written, head] = ["h", "i", "j", "gw", "gh"].map(|name| bits(name, n));
    let (q, gq, moved) = (bits("q", width), bits("gq", width), bits("m", n));
    let list = |parts: &[&[String]]| parts.concat().join(", ");
    let mut out = format!(
        "// family: expspace({n}), a tape of 2^{n} cells\n// source: Godefroid, Fig. 5 (Theorem 10)\n// ctl: {EXPSPACE}\n// ctl expected: {}\n\n",
        if accepts { "TRUE" } else { "FALSE" }
    );
    let _ = write!(
        out,
        "decl OK := 0, CheckMode := 0, Success := 0;\n\
         // What is compared: the cell of number j of the last tape, and of the one before.\n\
         decl {} := 0, cell := 0, cell_known := 0, last := 0, last_known := 0;\n\
         // The next state, head and depth; the cell that was written, and what; the symbol under the next head; the symbol of the next cell.\n\
         decl {} := 0, {} := 0, gd0 := 0, gd1 := 0, {} := 0, symbol := 0, read := 0, new := 0;\n\n",
        j.join(" := 0, "),
        gq.join(" := 0, "),
        head.join(" := 0, "),
        written.join(" := 0, ")
    );
    let zero = constant(0, n);
    let first = u8::from(machine.input.first().is_some_and(|symbol| *symbol));
    let _ = write!(
        out,
        "void main() begin\n  decl ret;\n  ret := next({}, {first}, 0, 0);\n  if (ret) then\n    Success := 1;\n  fi\n  assume(0);\nend\n\n",
        list(&[&constant(0, width), &zero])
    );
    let _ = write!(
        out,
        "bool next({}, s, d0, d1) begin\n  decl result, ret, {};\n  C: CheckMode := *;\n  if (CheckMode) then\n    \
         if (!d0 & !d1) then\n      OK := 1;\n      assume(0);\n    fi\n    {} := {};\n    return 0;\n  fi\n",
        list(&[&q, &h]),
        moved.join(", "),
        j.join(", "),
        vec!["*"; n as usize].join(", ")
    );
    for (state, kind) in machine.states.iter().enumerate() {
        if let Alternation::Accept | Alternation::Reject = kind {
            let value = u8::from(*kind == Alternation::Accept);
            let _ = write!(out, "  if ({}) then\n    return {value};\n  fi\n", is(&q, state));
        }
    }
    let ones: Vec<String> = machine
        .input
        .iter()
        .enumerate()
        .filter(|(_, symbol)| **symbol)
        .map(|(cell, _)| format!("({})", is(&j, cell)))
        .collect();
    let initial = if ones.is_empty() { "0".to_owned() } else { ones.join(" | ") };
    let [moved_list, h_list] = [&moved, &h].map(|names| names.join(", "));
    for (state, kind) in machine.states.iter().enumerate() {
        for symbol in [false, true] {
            let steps: Vec<&TapeStep> = machine.steps.iter().filter(|step| step.from == (state, symbol)).collect();
            let (unit, operator) = match kind {
                Alternation::Exists => (0, "|"),
                Alternation::Forall => (1, "&"),
                Alternation::Accept | Alternation::Reject => continue,
            };
            let sign = if symbol { "" } else { "!" };
            let _ = write!(out, "  if ({} & {sign}s) then\n    result := {unit};\n", is(&q, state));
            for step in steps {
                let _ = write!(
                    out,
                    "    {moved_list} := {};\n    {} := {};\n    gd0, gd1 := !d0 & !d1, d0 | d1;\n    {} := {moved_list};\n    \
                     {} := {h_list};\n    symbol := {};\n    if ({}) then\n      new := symbol;\n    else\n      new := *;\n    fi\n    \
                     ret := guess({}, new);\n    if (CheckMode) then\n      if (cell_known & !last_known) then\n        \
                     last, last_known := cell, 1;\n        if (d0 | d1) then\n          return 0;\n        fi\n        cell := {initial};\n        \
                     {moved_list} := {h_list};\n      fi\n      if ({} | (cell = last)) then\n        OK := 1;\n      fi\n      assume(0);\n    fi\n    \
                     result := result {operator} ret;\n",
                    next(&h, step.right).join(", "),
                    gq.join(", "),
                    constant(step.to.0, width).join(", "),
                    head.join(", "),
                    written.join(", "),
                    u8::from(step.to.1),
                    is(&h, 0),
                    zero.join(", "),
                    equal(&j, &moved),
                );
            }
            out.push_str("    return result;\n  fi\n");
        }
    }
    let after = next(&i, true);
    let _ = write!(
        out,
        "  return 0;\nend\n\nbool guess({}, s) begin\n  decl ret;\n  if ({}) then\n    read := s;\n  fi\n  if (!({})) then\n    \
         if ({}) then\n      new := symbol;\n    else\n      new := *;\n    fi\n    ret := guess({}, new);\n  else\n    \
         ret := next({}, read, gd0, gd1);\n  fi\n  if (CheckMode & {}) then\n    cell, cell_known := s, 1;\n  fi\n  return ret;\nend\n",
        i.join(", "),
        equal(&head, &i),
        i.join(" & "),
        equal(&written, &after.iter().map(|bit| format!("({bit})")).collect::<Vec<_>>()),
        after.join(", "),
        list(&[&gq, &head]),
        equal(&i, &j)
    );
    out
}
