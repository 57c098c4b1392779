//! Every small change of a random run, judged by replay and by the second opinion of `flat`.

use crate::common::flat::{Random, Semantics, Sketch, expand, fold, is_path, random_path};
use epitome::evidence::Mismatch;
use epitome::model::SourceRun;

/// How many changed runs were judged, and how many of them are runs as well.
#[derive(Debug, Default)]
pub struct Tally {
    pub judged: usize,
    pub accepted: usize,
    pub shared: usize,
}

/// Takes random runs, changes each in every single way, and asserts that replay accepts exactly the
/// changed runs that are runs.
pub fn judge(
    semantics: &impl Semantics,
    replay: impl Fn(&SourceRun) -> Result<(), Mismatch>,
    seeds: std::ops::Range<u64>,
    length: usize,
) -> Tally {
    let mut tally = Tally::default();
    for seed in seeds {
        let path = random_path(semantics, &mut Random(seed), length);
        let sketch = fold(&path);
        assert_eq!(expand(semantics, &sketch).as_ref(), Some(&path), "seed {seed}");
        assert_eq!(replay(&sketch.run()), Ok(()), "seed {seed}: {sketch:#?}");
        let insides = sketch.parts.iter().flat_map(|part| &part.steps).filter(|step| step.2.is_some()).count();
        tally.shared += insides + 1 - sketch.parts.len();
        for mutant in mutants(semantics, &sketch) {
            let expected = expand(semantics, &mutant).is_some_and(|path| is_path(semantics, &path));
            let found = replay(&mutant.run());
            assert_eq!(found.is_ok(), expected, "seed {seed}: {found:?} for {mutant:#?}");
            tally.judged += 1;
            tally.accepted += usize::from(expected);
        }
    }
    tally
}

/// All single changes.
fn mutants(semantics: &impl Semantics, sketch: &Sketch) -> Vec<Sketch> {
    let mut mutants = Vec::new();
    let mut mutate = |change: &dyn Fn(&mut Sketch)| {
        let mut mutant = sketch.clone();
        change(&mut mutant);
        mutants.push(mutant);
    };
    mutate(&|m| drop(m.parts.pop()));
    for part in 0..sketch.parts.len() {
        for procedure in 0..5 {
            mutate(&|m| m.parts[part].procedure = procedure);
        }
        mutate(&|m| m.parts[part].steps.clear());
        for step in 0..sketch.parts[part].steps.len() {
            mutate(&|m| drop(m.parts[part].steps.remove(step)));
            mutate(&|m| {
                let copy = m.parts[part].steps[step].clone();
                m.parts[part].steps.insert(step, copy);
            });
            mutate(&|m| m.parts[part].steps[step].2 = None);
            for inside in 0..=sketch.parts.len() {
                mutate(&|m| m.parts[part].steps[step].2 = Some(inside));
            }
            for bit in 0..sketch.parts[part].steps[step].1.len() {
                mutate(&|m| m.parts[part].steps[step].1[bit] ^= true);
            }
            for place in semantics.places() {
                mutate(&|m| m.parts[part].steps[step].0 = place);
            }
        }
    }
    mutants
}
