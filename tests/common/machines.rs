//! Random machines, by seed.

use epitome_benchmarks::SplitMix64;
use std::fmt::Write;

/// The places of a machine that transitions connect.
struct Places {
    entries: u64,
    exits: u64,
    nodes: u64,
    /// Entries and exits of the callee of each box.
    boxes: Vec<[u64; 2]>,
}

impl Places {
    fn declaration(&self) -> String {
        let nodes = if self.nodes > 0 { format!("  node {};\n", list("n", self.nodes)) } else { String::new() };
        format!("  entry {};\n  exit {};\n{nodes}", list("e", self.entries), list("x_", self.exits))
    }

    /// The two ends of a random transition: from an entry, a node or an exit of a box to an exit, a
    /// node or an entry of a box.
    fn transition(&self, random: &mut SplitMix64) -> [String; 2] {
        [(("e", self.entries), ("x_", 1)), (("x_", self.exits), ("e", 0))].map(|(own, (of_box, which))| {
            match random.below(4) {
                1 | 2 if !self.boxes.is_empty() => {
                    let b = random.below(self.boxes.len() as u64);
                    format!("b{b}.{of_box}{}", random.below(self.boxes[b as usize][which]))
                }
                1.. if self.nodes > 0 => format!("n{}", random.below(self.nodes)),
                _ => format!("{}{}", own.0, random.below(own.1)),
            }
        })
    }
}

fn list(prefix: &str, n: u64) -> String {
    (0..n).map(|i| format!("{prefix}{i}")).collect::<Vec<_>>().join(", ")
}

/// A random machine without variables: several entries and exits, boxes, recursion.
pub fn random_machines(seed: u64) -> String {
    let mut random = SplitMix64::new(seed);
    let machines = 1 + random.below(3);
    let sizes: Vec<[u64; 2]> = (0..machines).map(|_| [1 + random.below(3), 1 + random.below(3)]).collect();
    let mut text = String::new();
    for (m, &[entries, exits]) in sizes.iter().enumerate() {
        let (nodes, boxes) = (random.below(5), random.below(4));
        let callees: Vec<u64> = (0..boxes).map(|_| random.below(machines)).collect();
        let boxes = callees.iter().map(|&callee| sizes[callee as usize]).collect();
        let places = Places { entries, exits, nodes, boxes };
        let _ = write!(text, "machine M{m} {{\n{}", places.declaration());
        for (b, callee) in callees.iter().enumerate() {
            let _ = writeln!(text, "  box b{b}: M{callee};");
        }
        for _ in 0..4 + random.below(16) {
            let [from, to] = places.transition(&mut random);
            let guard = if random.chance(1, 3) { " when *" } else { "" };
            let _ = writeln!(text, "  {from} -> {to}{guard};");
        }
        text.push_str("}\n");
    }
    text.push_str("init M0.e0;\n");
    text
}

/// A random machine with variables: globals, parameters, results, several entries, exits and starts.
pub fn random_extended(seed: u64) -> String {
    let mut random = SplitMix64::new(seed);
    let machines = 1 + random.below(3);
    // For each machine its entries, exits, inputs and outputs.
    let sizes: Vec<[u64; 4]> =
        (0..machines).map(|_| [1 + random.below(2), 1 + random.below(2), random.below(3), random.below(2)]).collect();
    let mut text = "var g0 := 0, g1;\n".to_owned();
    for (m, &[entries, exits, inputs, outputs]) in sizes.iter().enumerate() {
        let (nodes, boxes) = (1 + random.below(4), random.below(3));
        let mut parameters = Vec::new();
        if inputs > 0 {
            parameters.push(format!("in {}", list("i", inputs)));
        }
        if outputs > 0 {
            parameters.push(format!("out {}", list("o", outputs)));
        }
        let _ = writeln!(text, "machine M{m}({}) {{\n  var x0 := 1, x1;", parameters.join("; "));
        let mut variables: Vec<String> = ["g0", "g1", "x0", "x1"].map(str::to_owned).into();
        variables.extend((0..inputs).map(|i| format!("i{i}")).chain((0..outputs).map(|o| format!("o{o}"))));
        let variable = |random: &mut SplitMix64| variables[random.below(variables.len() as u64) as usize].clone();
        let value = |random: &mut SplitMix64| match random.below(8) {
            0 => "0".to_owned(),
            1 => "1".to_owned(),
            2 => "*".to_owned(),
            3 => format!("!{}", variable(random)),
            4 => format!("{} & {}", variable(random), variable(random)),
            5 => format!("({} ^ {})", variable(random), variable(random)),
            _ => variable(random),
        };
        let callees: Vec<u64> = (0..boxes).map(|_| random.below(machines)).collect();
        let boxes = callees.iter().map(|&callee| [sizes[callee as usize][0], sizes[callee as usize][1]]).collect();
        let places = Places { entries, exits, nodes, boxes };
        text.push_str(&places.declaration());
        for (b, &callee) in callees.iter().enumerate() {
            let [_, _, inputs, outputs] = sizes[callee as usize];
            let arguments: Vec<String> = (0..inputs).map(|_| value(&mut random)).collect();
            let target = if random.chance(1, 4) { "_".to_owned() } else { variable(&mut random) };
            let results = if outputs > 0 { format!(" -> {target}") } else { String::new() };
            let _ = writeln!(text, "  box b{b}: M{callee}({}{results});", arguments.join(", "));
        }
        for _ in 0..6 + random.below(12) {
            let [from, to] = places.transition(&mut random);
            let guard = if random.chance(1, 2) { format!(" when {}", value(&mut random)) } else { String::new() };
            let (a, b) = (variable(&mut random), variable(&mut random));
            let step = match random.below(4) {
                0 => format!(" do {a} := {}", value(&mut random)),
                1 if a != b => format!(" do {a} := {}, {b} := {}", value(&mut random), value(&mut random)),
                2 => format!(" do {a} := * constrain '{a} => {b}"),
                _ => String::new(),
            };
            let _ = writeln!(text, "  {from} -> {to}{guard}{step};");
        }
        text.push_str("}\n");
    }
    let last = machines - 1;
    text.push_str(
        if random.chance(1, 2) { "init M0.e0;\n".to_owned() } else { format!("init M0.e0, M{last}.e0;\n") }.as_str(),
    );
    text
}
