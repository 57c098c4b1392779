//! Programs from formulas: what is true of the formula is reached by the program.
//!
//! A quantified formula becomes the deterministic, acyclic, hierarchical program of Godefroid, Fig. 3: a procedure for
//! each variable calls the next one with 0 and with 1 and returns the disjunction or the conjunction of what they
//! return; the last one evaluates the clauses. A formula without quantifiers becomes the acyclic program of
//! Theorem 4: its variables start arbitrary and each clause is an assumption. Either way ERROR is reached exactly if
//! the formula is true.

use crate::Verdict;

/// Who chooses the value of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Player {
    /// Some value will do.
    Exists,
    /// All values must do.
    Forall,
}

/// The comments before a program, for the formula of this name.
pub(crate) fn head(name: &str, source: &str, expected: Option<Verdict>) -> String {
    let name: String = name.chars().map(|c| if c.is_control() { '?' } else { c }).collect();
    let mut text = format!("// formula: {name}\n// source: {source}\n");
    if let Some(expected) = expected {
        text.push_str(&format!("// expected: {}\n", expected.expected()));
    }
    text.push('\n');
    text
}

fn literal(literal: i32) -> String {
    format!("{}x{}", if literal < 0 { "!" } else { "" }, literal.unsigned_abs())
}

fn clause(clause: &[i32]) -> String {
    let literals: Vec<String> = clause.iter().map(|&l| literal(l)).collect();
    if literals.is_empty() { "0".to_owned() } else { literals.join(" | ") }
}

/// The program of a quantified formula: variables in the order of the prefix, and clauses as in DIMACS. Every variable
/// that occurs is quantified.
///
/// ```
/// use epitome_benchmarks::{Player, qbf_program};
/// let text = qbf_program("x = y", &[(1, Player::Forall), (2, Player::Exists)], [&[-1, 2][..], &[1, -2]], None);
/// assert!(text.contains("bool sat1(x1) begin\n  decl no, yes;\n  no := sat2(x1, 0);\n  yes := sat2(x1, 1);\n"));
/// assert!(text.contains("return no | yes;"));
/// ```
pub fn qbf_program<'c>(
    name: &str,
    prefix: &[(u32, Player)],
    clauses: impl IntoIterator<Item = &'c [i32]>,
    expected: Option<Verdict>,
) -> String {
    let mut text = head(name, "Godefroid, Fig. 3: ERROR is reached exactly if the formula is true", expected);
    text.push_str("void main() begin\n  decl sat;\n  sat := sat0();\n  if (sat) then\n    ERROR: skip;\n  fi\nend\n");
    let mut names: Vec<String> = Vec::new();
    for (level, (variable, player)) in prefix.iter().enumerate() {
        let known = names.join(", ");
        let (next, comma) = (level + 1, if names.is_empty() { "" } else { ", " });
        let operator = match player {
            Player::Exists => "|",
            Player::Forall => "&",
        };
        text.push_str(&format!("\nbool sat{level}({known}) begin\n  decl no, yes;\n"));
        text.push_str(&format!("  no := sat{next}({known}{comma}0);\n  yes := sat{next}({known}{comma}1);\n"));
        text.push_str(&format!("  return no {operator} yes;\nend\n"));
        names.push(format!("x{variable}"));
    }
    let all: Vec<String> = clauses.into_iter().map(|c| format!("({})", clause(c))).collect();
    let matrix = if all.is_empty() { "1".to_owned() } else { all.join("\n    & ") };
    text.push_str(&format!("\nbool sat{}({}) begin\n  return {matrix};\nend\n", prefix.len(), names.join(", ")));
    text
}

/// The program of a formula without quantifiers, over variables up to a number.
///
/// ```
/// let text = epitome_benchmarks::sat_program("two", 2, [&[1, -2][..], &[2]], None);
/// assert!(text.contains("decl x1, x2;\n  assume(x1 | !x2);\n  assume(x2);\n  ERROR: skip;"));
/// ```
pub fn sat_program<'c>(
    name: &str,
    variables: u32,
    clauses: impl IntoIterator<Item = &'c [i32]>,
    expected: Option<Verdict>,
) -> String {
    let mut text = head(name, "Godefroid, Theorem 4: ERROR is reached exactly if the formula is satisfiable", expected);
    text.push_str("void main() begin\n");
    let names: Vec<String> = (1..=variables).map(|variable| format!("x{variable}")).collect();
    for line in names.chunks(20) {
        text.push_str(&format!("  decl {};\n", line.join(", ")));
    }
    for c in clauses {
        text.push_str(&format!("  assume({});\n", clause(c)));
    }
    text.push_str("  ERROR: skip;\nend\n");
    text
}
