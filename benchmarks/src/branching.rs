//! Quantified formulas as questions of branching time about hierarchies without variables (Alur-HSM 4): what CTL can ask of a
//! hierarchy is as hard as quantified formulas, in the length of the formula (Theorem 9) and in the size of the machine (Theorem 11).
//!
//! In both, a run chooses the values of the variables from the outermost on, by the box that it takes at each level; where it is inside of boxes is
//! the assignment.

use crate::Player;
use crate::from_formula::head;
use std::fmt::Write;

/// A machine and the formula of CTL that holds at its start exactly if the quantified formula is true.
fn program(name: &str, source: &str, formula: &str, is_true: Option<bool>, machines: &str) -> String {
    let mut text = head(name, source, None);
    text.truncate(text.trim_end().len());
    let _ = write!(text, "\n// ctl: {formula}\n");
    if let Some(is_true) = is_true {
        let _ = writeln!(text, "// ctl expected: {}", if is_true { "TRUE" } else { "FALSE" });
    }
    let _ = write!(text, "\n{machines}\ninit Level1.start;\n");
    text
}

/// Machines with one exit each, and a formula that grows with the quantified one (Alur-HSM, Theorem 9): the variable of a level is
/// true where `EF x` is, since the box for 1 is followed by a node where `x` holds, and the box for 0 is not.
///
/// ```
/// use epitome_benchmarks::{Player, qbf_ctl};
/// let text = qbf_ctl("x = y", &[(1, Player::Forall), (2, Player::Exists)], [&[-1, 2][..], &[1, -2]], Some(true));
/// assert!(text.contains("// ctl: AX (EX ((!EF x1 | EF x2) & (EF x1 | !EF x2)))\n// ctl expected: TRUE\n"));
/// ```
pub fn qbf_ctl<'c>(
    name: &str,
    prefix: &[(u32, Player)],
    clauses: impl IntoIterator<Item = &'c [i32]>,
    is_true: Option<bool>,
) -> String {
    let literal = |&literal: &i32| format!("{}EF x{}", if literal < 0 { "!" } else { "" }, literal.unsigned_abs());
    let clause = |clause: &[i32]| match clause.iter().map(literal).collect::<Vec<_>>().join(" | ") {
        empty if empty.is_empty() => "false".to_owned(),
        literals => format!("({literals})"),
    };
    let matrix = clauses.into_iter().map(clause).collect::<Vec<_>>().join(" & ");
    let matrix = if matrix.is_empty() { "true".to_owned() } else { matrix };
    let quantifier = |(_, player): &(u32, Player)| match player {
        Player::Exists => "EX (",
        Player::Forall => "AX (",
    };
    let formula = format!("{}{matrix}{}", prefix.iter().map(quantifier).collect::<String>(), ")".repeat(prefix.len()));
    let mut machines = String::new();
    for (level, (variable, _)) in prefix.iter().enumerate() {
        let (own, next) = (level + 1, level + 2);
        let _ = write!(
            machines,
            "machine Level{own} {{\n  entry start;\n  exit done;\n  node was1 {{x{variable}}}, was0;\n  \
             box b0: Level{next};\n  box b1: Level{next};\n  start -> b0.start;\n  start -> b1.start;\n  \
             b0.done -> was0;\n  b1.done -> was1;\n  was0 -> done;\n  was1 -> done;\n}}\n"
        );
    }
    let last = prefix.len() + 1;
    let _ = write!(machines, "machine Level{last} {{\n  entry start;\n  exit done;\n  start -> done;\n}}\n");
    program(name, "Alur-HSM, Theorem 9: CTL on hierarchies with single exits", &formula, is_true, &machines)
}

/// The formula of [`qbf_exits`], the same for all quantified formulas.
pub const QBF_EXITS: &str = "EG (p & (q -> EX (!p & EF r)))";

/// Machines with an exit for each literal, and a fixed formula (Alur-HSM, Theorem 11): a run of states `p` goes through the levels, at each through one
/// box or through both as the quantifier says; at each clause (`q`) it must be possible to leave by a literal, out of all
/// boxes up to that of its variable, where a node `r` waits if it is the box in which the literal is true.
///
/// ```
/// use epitome_benchmarks::{Player, QBF_EXITS, qbf_exits};
/// let text = qbf_exits("not x", &[(1, Player::Exists)], [&[-1][..]], Some(true));
/// assert!(text.contains(QBF_EXITS) && text.contains("b0.n1 -> sink;"));
/// ```
pub fn qbf_exits<'c>(
    name: &str,
    prefix: &[(u32, Player)],
    clauses: impl IntoIterator<Item = &'c [i32]>,
    is_true: Option<bool>,
) -> String {
    let literals = |levels: usize| {
        let variables = prefix[..levels].iter().map(|(variable, _)| variable);
        variables.flat_map(|variable| [format!("y{variable}"), format!("n{variable}")]).collect::<Vec<_>>()
    };
    let exits = |levels: usize| literals(levels).iter().map(|literal| format!(", {literal}")).collect::<String>();
    let mut machines = String::new();
    for (level, (variable, player)) in prefix.iter().enumerate() {
        let (own, next) = (level + 1, level + 2);
        let _ = write!(
            machines,
            "machine Level{own} {{\n  entry start {{p}};\n  exit done {{p}}{};\n  node sink {{r}};\n  \
             box b0: Level{next};\n  box b1: Level{next};\n  sink -> sink;\n  b0.n{variable} -> sink;\n  \
             b1.y{variable} -> sink;\n",
            exits(level)
        );
        for literal in literals(level) {
            let _ = write!(machines, "  b0.{literal} -> {literal};\n  b1.{literal} -> {literal};\n");
        }
        machines.push_str(match player {
            Player::Exists => "  start -> b0.start;\n  start -> b1.start;\n  b0.done -> done;\n  b1.done -> done;\n}\n",
            Player::Forall => "  start -> b0.start;\n  b0.done -> b1.start;\n  b1.done -> done;\n}\n",
        });
    }
    let last = prefix.len() + 1;
    let _ =
        writeln!(machines, "machine Level{last} {{\n  entry start {{p}};\n  exit done {{p}}{};", exits(prefix.len()));
    let mut before = "start".to_owned();
    for (number, clause) in (1..).zip(clauses) {
        let _ = write!(machines, "  node c{number} {{p, q}};\n  {before} -> c{number};\n");
        for literal in clause {
            let sign = if *literal < 0 { "n" } else { "y" };
            let _ = writeln!(machines, "  c{number} -> {sign}{};", literal.unsigned_abs());
        }
        before = format!("c{number}");
    }
    let _ = writeln!(machines, "  {before} -> done;");
    // The formula speaks of both, even where there is no clause or no variable.
    machines.push_str("  node nowhere {q, r};\n}\n");
    program(name, "Alur-HSM, Theorem 11: CTL on hierarchies with many exits", QBF_EXITS, is_true, &machines)
}
