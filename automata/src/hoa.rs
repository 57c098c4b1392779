//! Büchi automata in the Hanoi Omega-Automata format, version 1, and as pictures for Graphviz.

use crate::automaton::{Buchi, Cube};
use crate::formula::quoted;
use std::fmt::Write;

/// The automaton in the HOA format. Atoms that it does not look at are not listed.
pub fn to_hoa(buchi: &Buchi, atoms: &[String], name: &str) -> String {
    let used = used(buchi);
    let number = |atom: usize| used.iter().position(|&other| other == atom).unwrap_or(0);
    let listed = used.iter().map(|&atom| format!(" \"{}\"", escaped(&atoms[atom]))).collect::<String>();
    let mut text = format!(
        "HOA: v1\nname: \"{}\"\ntool: \"epitome\" \"{}\"\nStates: {}\nStart: 0\nAP: {}{listed}\nacc-name: Buchi\nAcceptance: 1 Inf(0)\nproperties: trans-labels explicit-labels state-acc\n--BODY--\n",
        escaped(name),
        env!("CARGO_PKG_VERSION"),
        buchi.states(),
        used.len(),
    );
    for (state, leaving) in buchi.transitions.iter().enumerate() {
        let mark = if buchi.accepting[state] { " {0}" } else { "" };
        let _ = writeln!(text, "State: {state}{mark}");
        for &(cube, to) in leaving {
            let _ = writeln!(text, "[{}] {to}", label(cube, "t", |atom| number(atom).to_string()));
        }
    }
    text.push_str("--END--\n");
    text
}

/// The automaton for Graphviz; accepting states have two circles.
pub fn to_dot(buchi: &Buchi, atoms: &[String], name: &str) -> String {
    let mut text =
        format!("digraph automaton {{\n  rankdir=LR;\n  label=\"{}\";\n  start [shape=point];\n", escaped(name));
    for (state, accepting) in buchi.accepting.iter().enumerate() {
        let shape = if *accepting { "doublecircle" } else { "circle" };
        let _ = writeln!(text, "  {state} [shape={shape}];");
    }
    text.push_str("  start -> 0;\n");
    for (state, leaving) in buchi.transitions.iter().enumerate() {
        for &(cube, to) in leaving {
            let label = escaped(&label(cube, "true", |atom| quoted(&atoms[atom])));
            let _ = writeln!(text, "  {state} -> {to} [label=\"{label}\"];");
        }
    }
    text.push_str("}\n");
    text
}

/// The atoms that some transition looks at.
fn used(buchi: &Buchi) -> Vec<usize> {
    let looked_at = buchi.transitions.iter().flatten().fold(0, |all, (cube, _)| all | cube.yes | cube.no);
    (0..64).filter(|atom| looked_at >> atom & 1 == 1).collect()
}

fn label(cube: Cube, anything: &str, name: impl Fn(usize) -> String) -> String {
    let sign = |atom: usize| match (cube.yes >> atom & 1, cube.no >> atom & 1) {
        (1, _) => Some(name(atom)),
        (_, 1) => Some(format!("!{}", name(atom))),
        _ => None,
    };
    let literals: Vec<String> = (0..64).filter_map(sign).collect();
    if literals.is_empty() { anything.to_owned() } else { literals.join(" & ") }
}

/// The text between quotes; both formats let it have several lines.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

#[cfg(test)]
mod tests {
    use crate::{Formulas, buchi, parse, to_dot, to_hoa};

    #[test]
    fn automata_are_written() {
        let mut formulas = Formulas::default();
        let formula = parse("F G \"x == 1\"", &mut formulas).map(|parsed| parsed.formula);
        let formula = formula.unwrap_or_else(|error| panic!("{error}"));
        let buchi = buchi(&formulas, formula, false).unwrap_or_else(|error| panic!("{error}"));
        let hoa = to_hoa(&buchi, formulas.atoms(), "FG x");
        let body = "--BODY--\nState: 0\n[t] 0\n[0] 1\nState: 1 {0}\n[0] 1\n--END--\n";
        assert!(hoa.starts_with("HOA: v1\nname: \"FG x\"\n") && hoa.ends_with(body), "{hoa}");
        assert!(
            hoa.contains("States: 2\nStart: 0\nAP: 1 \"x == 1\"\nacc-name: Buchi\nAcceptance: 1 Inf(0)\n"),
            "{hoa}"
        );
        let dot = to_dot(&buchi, formulas.atoms(), "FG x");
        assert!(dot.contains("1 [shape=doublecircle];") && dot.contains("0 -> 1 [label=\"\\\"x == 1\\\"\"];"), "{dot}");
    }
}
