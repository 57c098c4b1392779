//! Boolean programs of every family that are small enough for brute force.

use super::parse;
use epitome_benchmarks::{Verdict, families_of_failures};

/// Variables in one scope, at most: the reference tries all their values.
const MOST_VARIABLES: usize = 17;

/// What a program is called, its version and its text: the first sizes of every family.
pub fn small_programs() -> impl Iterator<Item = (String, Verdict, String)> {
    let versions = families_of_failures()
        .filter(|family| family.language == "bp")
        .flat_map(|family| Verdict::ALL.map(|verdict| (family, verdict)));
    versions.flat_map(|(family, verdict)| {
        let named = move |n: u32| {
            Some((format!("{} {n} {verdict:?}", family.name), verdict, family.generate(n, verdict).ok()?))
        };
        let small: Vec<_> = (0..4).filter_map(|more| named(family.smallest + more)).filter(is_small).collect();
        assert!(small.len() > 1, "{}", family.name);
        small
    })
}

fn is_small((_, _, text): &(String, Verdict, String)) -> bool {
    let program = parse(text);
    program.procedures.iter().all(|procedure| program.globals.len() + procedure.locals.len() <= MOST_VARIABLES)
}
