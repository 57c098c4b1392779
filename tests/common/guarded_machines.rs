//! Random machines: several entries and exits, boxes, recursion, variables, guards that overlap.

use epitome_benchmarks::SplitMix64;
use std::fmt::Write;

struct Writer {
    random: SplitMix64,
    variables: Vec<String>,
}

impl Writer {
    fn expression(&mut self) -> String {
        let random = &mut self.random;
        if self.variables.is_empty() || random.chance(1, 6) {
            return ["*", "1", "env"][random.below(3) as usize].to_owned();
        }
        let one = self.variables[random.below(self.variables.len() as u64) as usize].clone();
        let other = self.variables[random.below(self.variables.len() as u64) as usize].clone();
        match random.below(6) {
            0 => one,
            1 => format!("!{one}"),
            2 => format!("{one} & !{other}"),
            3 => format!("{one} | {other}"),
            4 => format!("{one} ^ *"),
            _ => format!("{one} = {other}"),
        }
    }

    /// Guard, assignments and constraint of a transition.
    fn action(&mut self) -> String {
        let mut text = String::new();
        if self.random.chance(1, 2) {
            let _ = write!(text, " when {}", self.expression());
        }
        if !self.variables.is_empty() && self.random.chance(1, 2) {
            let target = self.variables[self.random.below(self.variables.len() as u64) as usize].clone();
            let _ = write!(text, " do {target} := {}", self.expression());
            if self.random.chance(1, 4) {
                let _ = write!(text, " constrain '{target} | {}", self.expression());
            }
        }
        text
    }
}

/// Random machines, with `M0.e0` as the start.
pub fn guarded_machines(seed: u64, with_variables: bool) -> String {
    let mut writer = Writer { random: SplitMix64::new(seed), variables: Vec::new() };
    let machines = 1 + writer.random.below(3);
    let shape: Vec<(u64, u64)> =
        (0..machines).map(|_| (1 + writer.random.below(3), 1 + writer.random.below(3))).collect();
    let mut text = String::new();
    if with_variables {
        text.push_str("var g; var h := 0;\n");
    }
    for (m, &(entries, exits)) in shape.iter().enumerate() {
        let (nodes, boxes) = (writer.random.below(9), writer.random.below(4));
        let list = |prefix: &str, n: u64| (0..n).map(|i| format!("{prefix}{i}")).collect::<Vec<_>>().join(", ");
        let _ = writeln!(text, "machine M{m}{} {{", if with_variables { "(in i; out o)" } else { "" });
        if with_variables {
            text.push_str("  var x;\n");
            writer.variables = ["g", "h", "i", "o", "x"].map(str::to_owned).to_vec();
        }
        let _ = writeln!(text, "  entry {};\n  exit {};", list("e", entries), list("x", exits));
        for n in 0..nodes {
            let _ = writeln!(text, "  {}node n{n};", if writer.random.chance(1, 8) { "env " } else { "" });
        }
        let callees: Vec<u64> = (0..boxes).map(|_| writer.random.below(machines)).collect();
        for (b, callee) in callees.iter().enumerate() {
            let call = if with_variables {
                format!("({} -> {})", writer.expression(), ["x", "g", "_"][writer.random.below(3) as usize])
            } else {
                String::new()
            };
            let _ = writeln!(text, "  box b{b}: M{callee}{call};");
        }
        for _ in 0..4 + writer.random.below(20) {
            let from = match writer.random.below(4) {
                0 => format!("e{}", writer.random.below(entries)),
                1 | 2 if nodes > 0 => format!("n{}", writer.random.below(nodes)),
                _ if boxes > 0 => {
                    let b = writer.random.below(boxes);
                    format!("b{b}.x{}", writer.random.below(shape[callees[b as usize] as usize].1))
                }
                _ => continue,
            };
            let to = match writer.random.below(5) {
                0 => format!("x{}", writer.random.below(exits)),
                1..=3 if nodes > 0 => format!("n{}", writer.random.below(nodes)),
                _ if boxes > 0 => {
                    let b = writer.random.below(boxes);
                    format!("b{b}.e{}", writer.random.below(shape[callees[b as usize] as usize].0))
                }
                _ => continue,
            };
            let action = writer.action();
            let _ = writeln!(text, "  {from} -> {to}{action};");
        }
        text.push_str("}\n");
    }
    text.push_str("init M0.e0;\n");
    text
}
