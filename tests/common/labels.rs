//! Labels on statements of every kind, and jumps to all of them, into and out of loops and branches.

use super::parse;
use epitome::syntax::Names;
use epitome::syntax::bp::{Kind, Label, Procedure, print};
use epitome_benchmarks::SplitMix64;

/// The program with labels on about half of its statements, and some statements replaced by jumps.
pub fn with_jumps(seed: u64, text: &str) -> String {
    let mut program = parse(text);
    let mut random = SplitMix64::new(seed ^ 0x1abe1);
    for procedure in &mut program.procedures {
        label(&mut random, procedure, &mut program.names);
        jump(&mut random, procedure);
    }
    print(&program)
}

fn label(random: &mut SplitMix64, procedure: &mut Procedure, names: &mut Names) {
    for (index, statement) in procedure.body.iter().enumerate() {
        let can_carry = !statement.kind.is_marker() && !matches!(statement.kind, Kind::Elsif { .. });
        if can_carry && random.chance(1, 2) {
            let name = names.intern(&format!("at{index}"));
            let label = Label { name, statement: index as u32, is_internal: false, span: statement.span };
            procedure.labels.push(label);
        }
    }
    sort(procedure);
}

/// Labels stand in the order of the text; jumps know them by number.
fn sort(procedure: &mut Procedure) {
    let mut order: Vec<usize> = (0..procedure.labels.len()).collect();
    order.sort_by_key(|&index| procedure.labels[index].statement);
    procedure.labels.sort_by_key(|label| label.statement);
    for statement in &mut procedure.body {
        if let Kind::Goto(goals) = &mut statement.kind {
            for goal in goals {
                *goal = order.iter().position(|index| *index == *goal as usize).expect("all are there") as u32;
            }
        }
    }
}

fn jump(random: &mut SplitMix64, procedure: &mut Procedure) {
    let labels = procedure.labels.len() as u64;
    for statement in &mut procedure.body {
        let is_block = matches!(
            statement.kind,
            Kind::If { .. } | Kind::Elsif { .. } | Kind::Else { .. } | Kind::Fi | Kind::While { .. } | Kind::Od { .. }
        );
        if labels > 0 && !is_block && random.chance(1, 6) {
            let count = 1 + random.below(2);
            statement.kind = Kind::Goto((0..count).map(|_| random.below(labels) as u32).collect());
        }
    }
}
