//! Random formulas over given atoms, as texts.

use epitome_benchmarks::SplitMix64;

/// A formula with at most `size` operators.
pub fn random_formula(random: &mut SplitMix64, atoms: &[String], size: u64) -> String {
    if size == 0 || random.chance(1, 8) {
        let atom = &atoms[random.below(atoms.len() as u64) as usize];
        return if random.chance(1, 3) { format!("!{atom}") } else { atom.clone() };
    }
    let left = random.below(size);
    match random.below(12) {
        0 => format!("X ({})", random_formula(random, atoms, size - 1)),
        1 | 2 => format!("F ({})", random_formula(random, atoms, size - 1)),
        3 | 4 => format!("G ({})", random_formula(random, atoms, size - 1)),
        5 => format!("!({})", random_formula(random, atoms, size - 1)),
        binary => {
            let operator = ["U", "W", "R", "M", "&", "|", "->"][binary as usize - 6 + usize::from(random.chance(1, 6))];
            let (left, right) = (random_formula(random, atoms, left), random_formula(random, atoms, size - 1 - left));
            format!("({left}) {operator} ({right})")
        }
    }
}
