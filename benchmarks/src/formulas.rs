//! Families that ask whether a formula can be satisfied: its variables start arbitrary, each clause is an
//! assumption, and ERROR stands behind the last one.

use crate::families::Verdict;
use crate::random::SplitMix64;

/// Random clauses of three literals over different variables. In the unsafe version they are drawn, 4.26 for each
/// variable, from those that a random valuation satisfies. In the safe version they are drawn from all, as many
/// as m = 6n + 350: a valuation satisfies them with probability (7/8)^m, some one of all 2^n with less than
/// 2^(n - 0.192 m). Over all n together that is less than 2^-64, so that no search is needed to know the verdict.
pub(crate) fn threesat(out: &mut String, n: u32, verdict: Verdict) {
    let mut rng = SplitMix64::new(u64::from(n));
    let hidden: Vec<bool> = (0..n).map(|_| rng.chance(1, 2)).collect();
    let clauses = match verdict {
        Verdict::Safe => 6 * n + 350,
        Verdict::Unsafe => n * 426 / 100,
    };
    let variables: Vec<String> = (0..n).map(|i| format!("x{i}")).collect();
    out.push_str(&format!("void main() begin\n  decl {};\n", variables.join(", ")));
    for _ in 0..clauses {
        let clause = loop {
            let clause: [(u32, bool); 3] = std::array::from_fn(|_| (rng.below(u64::from(n)) as u32, rng.chance(1, 2)));
            let [(x, _), (y, _), (z, _)] = clause;
            let satisfied = || clause.iter().any(|(x, positive)| hidden[*x as usize] == *positive);
            if x != y && y != z && x != z && (verdict == Verdict::Safe || satisfied()) {
                break clause;
            }
        };
        let [x, y, z] = clause.map(|(x, positive)| format!("{}x{x}", if positive { "" } else { "!" }));
        out.push_str(&format!("  clause({x}, {y}, {z});\n"));
    }
    out.push_str("  ERROR: skip;\nend\n\nvoid clause(x, y, z) begin\n  assume(x | y | z);\nend\n");
}

/// Every pigeon sits in some hole, no hole has two. There is one pigeon more than there are holes in the
/// safe version, and as many in the unsafe one.
pub(crate) fn pigeonhole(out: &mut String, n: u32, verdict: Verdict) {
    let pigeons = match verdict {
        Verdict::Safe => n + 1,
        Verdict::Unsafe => n,
    };
    let row = |pigeon: u32, separator: &str| {
        (1..=n).map(|hole| format!("p{pigeon}_{hole}")).collect::<Vec<_>>().join(separator)
    };
    out.push_str("void main() begin\n");
    (1..=pigeons).for_each(|pigeon| out.push_str(&format!("  decl {};\n", row(pigeon, ", "))));
    out.push_str("  decl taken := 0;\n");
    for hole in 1..=n {
        out.push_str("  taken := 0;\n");
        for pigeon in 1..=pigeons {
            out.push_str(&format!("  taken := enter(taken, p{pigeon}_{hole});\n"));
        }
    }
    for pigeon in 1..=pigeons {
        out.push_str(&format!("  assume({});\n", row(pigeon, " | ")));
    }
    out.push_str(
        "  ERROR: skip;
end

bool enter(taken, comes) begin
  assume(!(taken & comes));
  return taken | comes;
end
",
    );
}

#[cfg(test)]
mod tests {
    use crate::{Verdict, generate};

    /// As many clauses as the verdict rests on, of three different variables each.
    #[test]
    fn clauses_of_threesat() {
        for (verdict, clauses) in [(Verdict::Safe, 6 * 50 + 350), (Verdict::Unsafe, 213)] {
            let text = generate("threesat", 50, verdict).expect("a family");
            let literals = |line: &str| -> Vec<String> {
                let inside = line.trim().trim_start_matches("clause(").trim_end_matches(");");
                inside.split(", ").map(|literal| literal.trim_start_matches('!').to_owned()).collect()
            };
            let calls: Vec<_> = text.lines().filter(|line| line.starts_with("  clause(")).map(literals).collect();
            assert_eq!(calls.len(), clauses);
            assert!(calls.iter().all(|c| c.len() == 3 && c[0] != c[1] && c[1] != c[2] && c[0] != c[2]));
        }
    }
}
