//! Alternating machines with a bounded tape, simulated by a recursive program (Godefroid, Fig. 2).
//!
//! `acc` says whether the machine accepts from a configuration: the state in binary, the head and the tape cell by
//! cell. It calls itself for every successor and returns the disjunction of what they say in an existential state, the
//! conjunction in a universal one. A head that leaves the tape rejects. ERROR is reached exactly if the machine
//! accepts. The program is deterministic and acyclic, but recursive, and its calls pass a whole tape: the hardest
//! class (Theorem 2).

use crate::Verdict;

/// What a machine does in a state.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Exists,
    Forall,
    Accept,
    Reject,
}

/// From a state, reading a bit: to a state, writing a bit, to the right or not.
type Transition = (usize, bool, usize, bool, bool);

struct Machine {
    /// The first is where it starts.
    states: Vec<(&'static str, Kind)>,
    transitions: Vec<Transition>,
    tape: Vec<bool>,
}

const RIGHT: bool = true;
const LEFT: bool = false;

/// The copy game: on each pair of cells *forall* writes a bit into the first and *exists* into the second, then
/// the machine looks whether they are equal. In the safe version *exists* has to write first.
pub(crate) fn copy(out: &mut String, n: u32, verdict: Verdict) {
    let [first, second] = match verdict {
        Verdict::Unsafe => [Kind::Forall, Kind::Exists],
        Verdict::Safe => [Kind::Exists, Kind::Forall],
    };
    let [at_first, at_second, at_back, at_zero, at_one, at_accept, at_reject] = [0, 1, 2, 3, 4, 5, 6];
    let states = vec![
        ("first", first),
        ("second", second),
        ("back", Kind::Exists),
        ("zero", Kind::Exists),
        ("one", Kind::Exists),
        ("accept", Kind::Accept),
        ("reject", Kind::Reject),
    ];
    let transitions = vec![
        (at_first, false, at_second, false, RIGHT),
        (at_first, false, at_second, true, RIGHT),
        (at_second, false, at_back, false, LEFT),
        (at_second, false, at_back, true, LEFT),
        (at_back, false, at_zero, false, RIGHT),
        (at_back, true, at_one, true, RIGHT),
        (at_zero, false, at_first, false, RIGHT),
        (at_zero, true, at_reject, true, LEFT),
        (at_one, true, at_first, true, RIGHT),
        (at_one, false, at_reject, false, LEFT),
        // Pairs begin with 0, the cell after the last one is 1.
        (at_first, true, at_accept, true, LEFT),
    ];
    let mut tape = vec![false; 2 * n as usize];
    tape.push(true);
    write(out, &Machine { states, transitions, tape });
}

/// A machine that adds one to a number, again and again, until it overflows: more than 2^n steps, and as many calls
/// within each other. Then it accepts, or rejects in the safe version.
pub(crate) fn count(out: &mut String, n: u32, verdict: Verdict) {
    let [at_start, at_add, at_carry, at_back, at_back_bit, at_end] = [0, 1, 2, 3, 4, 5];
    let states = vec![
        ("start", Kind::Exists),
        ("add", Kind::Exists),
        ("carry", Kind::Exists),
        ("back", Kind::Exists),
        ("back over a bit", Kind::Exists),
        ("end", if verdict == Verdict::Unsafe { Kind::Accept } else { Kind::Reject }),
    ];
    // Bits, the lowest first, between marks. Marks are 0, except for the first and the last one.
    let transitions = vec![
        (at_start, true, at_add, true, RIGHT),
        (at_add, false, at_back, true, LEFT),
        (at_add, true, at_carry, false, RIGHT),
        (at_carry, false, at_add, false, RIGHT),
        (at_carry, true, at_end, true, LEFT),
        (at_back, false, at_back_bit, false, LEFT),
        (at_back, true, at_add, true, RIGHT),
        (at_back_bit, false, at_back, false, LEFT),
        (at_back_bit, true, at_back, true, LEFT),
    ];
    let mut tape = vec![true];
    for bit in 1..=n {
        tape.extend([false, bit == n]);
    }
    write(out, &Machine { states, transitions, tape });
}

/// The program that simulates a machine.
fn write(out: &mut String, machine: &Machine) {
    let Machine { states, transitions, tape } = machine;
    let bits = (usize::BITS - (states.len() - 1).leading_zeros()) as usize;
    let cells = tape.len();
    let is_state = |state: usize| {
        let bits: Vec<String> =
            (0..bits).map(|bit| format!("{}q{bit}", if state >> bit & 1 == 1 { "" } else { "!" })).collect();
        bits.join(" & ")
    };
    let list = |items: Vec<String>| items.join(", ");
    let parameters = list(
        (0..bits)
            .map(|bit| format!("q{bit}"))
            .chain((0..cells).map(|cell| format!("h{cell}")))
            .chain((0..cells).map(|cell| format!("t{cell}")))
            .collect(),
    );
    let number = |value: bool| u8::from(value).to_string();
    let start = list(
        (0..bits)
            .map(|_| number(false))
            .chain((0..cells).map(|cell| number(cell == 0)))
            .chain(tape.iter().map(|&bit| number(bit)))
            .collect(),
    );
    out.push_str(&format!("void main() begin\n  decl accepts;\n  accepts := acc({start});\n"));
    out.push_str("  if (accepts) then\n    ERROR: skip;\n  fi\nend\n\n");
    out.push_str(&format!("bool acc({parameters}) begin\n  decl s, res, ret;\n"));
    for (state, (name, kind)) in states.iter().enumerate() {
        if let Kind::Accept | Kind::Reject = kind {
            let value = u8::from(*kind == Kind::Accept);
            out.push_str(&format!("  if ({}) then\n    return {value}; // {name}\n  fi\n", is_state(state)));
        }
    }
    let head: Vec<String> = (0..cells).map(|cell| format!("h{cell}")).collect();
    out.push_str(&format!("  if (!({})) then\n    return 0; // off the tape\n  fi\n", head.join(" | ")));
    let read: Vec<String> = (0..cells).map(|cell| format!("h{cell} & t{cell}")).collect();
    out.push_str(&format!("  s := {};\n", read.join(" | ")));
    for (state, (name, kind)) in states.iter().enumerate() {
        for symbol in [false, true] {
            let successors: Vec<&Transition> =
                transitions.iter().filter(|(from, read, ..)| (*from, *read) == (state, symbol)).collect();
            if successors.is_empty() || matches!(kind, Kind::Accept | Kind::Reject) {
                continue;
            }
            let (unit, operator) = if *kind == Kind::Exists { (0, "|") } else { (1, "&") };
            let sign = if symbol { "" } else { "!" };
            out.push_str(&format!(
                "  if ({} & {sign}s) then // {name}, reading {}\n",
                is_state(state),
                u8::from(symbol)
            ));
            out.push_str(&format!("    res := {unit};\n"));
            for &&(_, _, to, written, right) in &successors {
                let state = (0..bits).map(|bit| number(to >> bit & 1 == 1));
                let head = (0..cells).map(|cell| match (right, cell) {
                    (true, 0) => "0".to_owned(),
                    (true, cell) => format!("h{}", cell - 1),
                    (false, cell) if cell + 1 == cells => "0".to_owned(),
                    (false, cell) => format!("h{}", cell + 1),
                });
                let tape = (0..cells)
                    .map(|cell| if written { format!("h{cell} | t{cell}") } else { format!("!h{cell} & t{cell}") });
                let arguments = list(state.chain(head).chain(tape).collect());
                out.push_str(&format!("    ret := acc({arguments});\n    res := res {operator} ret;\n"));
            }
            out.push_str("    return res;\n  fi\n");
        }
    }
    out.push_str("  return 0;\nend\n");
}
