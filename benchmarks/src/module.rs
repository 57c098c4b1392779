//! Open systems (Kupferman, Vardi and Wolper): monotone circuits and the satisfiability of CTL as questions about modules, and the drink machine.

use crate::{SplitMix64, Verdict};
use std::fmt::Write;

/// A monotone circuit with so many gates, at random, as a module (Theorem 4.1): *and* gates belong to the system, *or* gates and inputs to the
/// environment. `EF zero` holds against every environment exactly if the circuit's output is 0.
///
/// ```
/// let (text, is_zero) = epitome_benchmarks::circuit(5, 1);
/// assert!(text.contains("// ctl: EF zero\n") && text.contains(&format!("// ctl expected: {}\n", if is_zero { "TRUE" } else { "FALSE" })));
/// ```
pub fn circuit(gates: u32, seed: u64) -> (String, bool) {
    let mut random = SplitMix64::new(seed);
    let inputs = 2 + u64::from(gates) / 2;
    let mut values: Vec<bool> = (0..inputs).map(|_| random.chance(1, 2)).collect();
    let mut machine = String::new();
    for (input, value) in values.iter().enumerate() {
        let _ =
            writeln!(machine, "  env node g{input}{};\n  g{input} -> g{input};", if *value { "" } else { " {zero}" });
    }
    for gate in inputs..inputs + u64::from(gates) {
        let is_and = random.chance(1, 2);
        // The last gates are more often taken, so that the circuit is deep.
        let near = |random: &mut SplitMix64| gate - 1 - random.below(gate.min(6));
        let sides = [near(&mut random), random.below(gate)];
        let [a, b] = sides.map(|side| values[side as usize]);
        values.push(if is_and { a && b } else { a || b });
        let kind = if gate + 1 == inputs + u64::from(gates) { "entry" } else { "node" };
        let _ = writeln!(machine, "  {}{kind} g{gate};", if is_and { "" } else { "env " });
        sides.iter().for_each(|side| {
            let _ = writeln!(machine, "  g{gate} -> g{side};");
        });
    }
    let output = inputs + u64::from(gates) - 1;
    let is_zero = !values[output as usize];
    let expected = if is_zero { "TRUE" } else { "FALSE" };
    // A circuit without inputs that are 0 has the proposition, too.
    let text = format!(
        "// family: circuit({gates}), an open system (check --open)\n// source: Kupferman, Vardi, Wolper, Theorem 4.1\n\
         // ctl: EF zero\n// ctl expected: {expected}\n\nmachine Circuit {{\n{machine}  node unused {{zero}};\n}}\n\ninit Circuit.g{output};\n"
    );
    (text, is_zero)
}

/// A circuit with so many gates whose value is 0 or, for the other verdict, 1.
pub(crate) fn valued_circuit(out: &mut String, gates: u32, verdict: Verdict) {
    // Each value is had by a good part of all circuits.
    let wanted = (u64::from(gates)..)
        .map(|seed| circuit(gates, seed))
        .find(|(_, is_zero)| *is_zero == (verdict == Verdict::Safe));
    if let Some((text, _)) = wanted {
        out.push_str(&text[text.find("machine").unwrap_or(0)..]);
    }
}

/// What is asked of the drink machine: it serves, or it serves the first drink.
pub(crate) fn drink_ctl(_: u32, verdict: Verdict) -> String {
    match verdict {
        Verdict::Safe => "AG EF choose".to_owned(),
        Verdict::Unsafe => "AG EF drink1".to_owned(),
    }
}

/// A formula of CTL is not satisfiable: `EX p1 & … & EX pN & AX !p1`, or without the last part it is; as the module of Theorem 3.1 is asked.
pub(crate) fn satisfiable_ctl(atoms: u32, verdict: Verdict) -> String {
    let some = |atom| format!("EX (!ghost & EX EX p{atom})");
    let parts = (1..=atoms).map(some).collect::<Vec<_>>().join(" & ");
    let all = if verdict == Verdict::Safe { " & AX (ghost | !EX EX p1)" } else { "" };
    format!("!({parts}{all})")
}

/// The module for it.
pub(crate) fn satisfiable(out: &mut String, atoms: u32, _: Verdict) {
    let names: Vec<String> = (1..=atoms).map(|atom| format!("p{atom}")).collect();
    out.push_str(&ghosts(atoms as usize + 1, &names));
}

/// A machine that serves so many drinks, as its environment chooses: each is always possible, unless nobody wants it.
pub fn drink(drinks: u32) -> String {
    let names: Vec<String> = (1..=drinks).map(|drink| format!("drink{drink}")).collect();
    let mut text = format!(
        "// family: drink({drinks}), an open system (check --open)\n// source: Kupferman, Vardi, Wolper, introduction\n\
         // ctl: AG EF drink1\n// ctl expected: {}\n\nmachine Drink {{\n  entry boil;\n  env node choose;\n  node {};\n\n  boil -> boil;\n  boil -> choose;\n",
        if drinks == 1 { "TRUE" } else { "FALSE" },
        names.join(", ")
    );
    for name in &names {
        let _ = writeln!(text, "  choose -> {name};\n  {name} -> boil;");
    }
    text.push_str("}\n\ninit Drink.boil;\n");
    text
}

/// The module of the satisfiability of CTL (Theorem 3.1): a clique of so many states of the system, each with a ghost, whose environment chooses between what
/// holds in the state. An environment makes a tree of any labels of it.
pub fn ghosts(states: usize, atoms: &[String]) -> String {
    let mut text = "machine Ghosts {\n".to_owned();
    for state in 1..=states {
        let kind = if state == 1 { "entry" } else { "node" };
        let _ = writeln!(text, "  {kind} s{state};\n  env node ghost{state} {{ghost}};");
    }
    for atom in atoms {
        let _ = writeln!(text, "  node heaven_{atom} {{ghost, {atom}}};");
    }
    text.push_str("  node hell {ghost};\n\n");
    for state in 1..=states {
        for other in 1..=states {
            let _ = writeln!(text, "  s{state} -> s{other};");
        }
        let _ = writeln!(text, "  s{state} -> ghost{state};");
        for atom in atoms {
            let _ = writeln!(text, "  ghost{state} -> heaven_{atom};");
        }
        let _ = writeln!(text, "  ghost{state} -> hell;");
    }
    text.push_str("}\n\ninit Ghosts.s1;\n");
    text
}
