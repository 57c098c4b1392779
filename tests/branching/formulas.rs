//! Random formulas of branching time over given atoms, as texts.

use epitome_benchmarks::SplitMix64;

fn atom(random: &mut SplitMix64, atoms: &[String]) -> String {
    let atom = &atoms[random.below(atoms.len() as u64) as usize];
    if random.chance(1, 3) { format!("!{atom}") } else { atom.clone() }
}

/// A formula of CTL with at most `size` operators.
pub fn random_ctl(random: &mut SplitMix64, atoms: &[String], size: u64) -> String {
    if size == 0 || random.chance(1, 10) {
        return atom(random, atoms);
    }
    let quantifier = ["A", "E"][random.below(2) as usize];
    let left = random.below(size);
    match random.below(10) {
        kind @ 0..=4 => {
            let operator = ["X", "F", "G", "G", "F"][kind as usize];
            format!("{quantifier} {operator} ({})", random_ctl(random, atoms, size - 1))
        }
        kind => {
            let (a, b) = (random_ctl(random, atoms, left), random_ctl(random, atoms, size - 1 - left));
            match kind {
                5 | 6 => format!("{quantifier} (({a}) {} ({b}))", ["U", "W", "R", "M"][random.below(4) as usize]),
                7 => format!("!({a})"),
                _ => format!("(({a}) {} ({b}))", ["&", "|", "->"][random.below(3) as usize]),
            }
        }
    }
}

/// A formula of CTL* with at most `size` operators.
pub fn random_ctl_star(random: &mut SplitMix64, atoms: &[String], size: u64) -> String {
    let quantifier = ["A", "E"][random.below(2) as usize];
    format!("{quantifier} ({})", random_path(random, atoms, size))
}

fn random_path(random: &mut SplitMix64, atoms: &[String], size: u64) -> String {
    if size == 0 || random.chance(1, 10) {
        return atom(random, atoms);
    }
    let left = random.below(size);
    match random.below(12) {
        kind @ 0..=4 => {
            let operator = ["X", "F", "G", "G", "F"][kind as usize];
            format!("{operator} ({})", random_path(random, atoms, size - 1))
        }
        5..=7 => random_ctl_star(random, atoms, size - 1),
        kind => {
            let (a, b) = (random_path(random, atoms, left), random_path(random, atoms, size - 1 - left));
            let operator = match kind {
                8 | 9 => ["U", "W", "R", "M"][random.below(4) as usize],
                _ => ["&", "|", "->"][random.below(3) as usize],
            };
            format!("(({a}) {operator} ({b}))")
        }
    }
}
