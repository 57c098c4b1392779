//! Programs with labels on loops, branches, calls and jumps, and with jumps into and out of all of them,
//! against a reading of the language that shares nothing with the tool (`common/ball`).

use crate::ENGINES;
use crate::common::ball::{self, search::Known};
use crate::common::labels::with_jumps;
use crate::common::seeds::{no_difference, times};
use crate::common::{parse, try_parse};
use epitome::limits::Limits;
use epitome::logic::Query;
use epitome::syntax::{Place, Program};
use epitome::{Checker, Verdict};
use epitome_benchmarks::{Shape, random_program};

/// The first difference between what an engine says and what the second reading says.
fn difference(text: &str) -> Option<String> {
    let known = match ball::reach(text) {
        Ok(known) => known?,
        Err(error) => return Some(format!("it is read here, but not by the second reading: {error}")),
    };
    let program = Program::Bp(parse(text));
    let checker = Checker::new(&program);
    ENGINES.iter().find_map(|(name, engine)| {
        let found = statements(&program, &checker.reach(true, *engine, &Limits::none(), &mut |_| ()).statements);
        let wrong = found.iter().find(|(at, reached)| known.statements.get(at) != Some(reached));
        let wrong = wrong.map(|(at, reached)| format!("{name}: `{}` is reached: {reached}", line(text, *at)));
        wrong.or_else(|| {
            questions(&known).into_iter().find_map(|(query, is_reached)| {
                let report = checker.check(&query, *engine, &Limits::none(), &mut |_| ());
                let expected = if is_reached { Verdict::Violated } else { Verdict::Holds };
                let verdict = report.map(|report| report.verdict);
                let agrees = verdict.as_ref().is_ok_and(|verdict| *verdict == expected);
                (!agrees).then(|| format!("{name}: {query}: {verdict:?}, expected {expected:?}"))
            })
        })
    })
}

/// Where statements stand, and whether an engine says that they are reached.
fn statements(program: &Program, reached: &[epitome::Reached]) -> Vec<(usize, bool)> {
    let statement = |reached: &epitome::Reached| match reached.place {
        Place::Statement(_) => {
            let at = program.span(reached.procedure, reached.place).start as usize;
            Some((at, reached.reachable == Some(true)))
        }
        _ => None,
    };
    reached.iter().filter_map(statement).collect()
}

fn line(text: &str, at: usize) -> &str {
    text[at..].lines().next().unwrap_or_default()
}

/// The failures, every label and every call, with what the second reading says.
fn questions(known: &Known) -> Vec<(Query, bool)> {
    let labels = known.labels.iter().map(|((p, label), &reached)| (Query::Label(format!("{p}.{label}")), reached));
    let calls = known.calls.iter().map(|(p, &called)| (Query::Call(p.clone()), called));
    [(Query::Failures, known.is_violated())].into_iter().chain(labels).chain(calls).collect()
}

fn agree(shape: &Shape, seeds: std::ops::Range<u64>) {
    for seed in seeds.start..seeds.start + (seeds.end - seeds.start) * times() {
        let text = with_jumps(seed, &random_program(seed, shape));
        no_difference(&text, &format!("seed {seed}"), difference);
    }
}

#[test]
fn small_programs() {
    agree(&Shape::tiny(), 20_000..20_250);
}

#[test]
fn loops_without_procedures() {
    let shape = Shape { procedures: 0, statements: 9, nesting: 3, ..Shape::tiny() };
    agree(&shape, 21_000..21_200);
}

#[test]
fn larger_programs() {
    agree(&Shape { globals: 2, locals: 1, ..Shape::general() }, 22_000..22_040);
}

/// The statements of Fig. 2 that can carry a label, each judged by hand: the label is reached (`R`) or not (`N`).
#[test]
fn labels_judged_by_hand() {
    let cases = [
        // A loop decides at its vertex, whichever way it is come by.
        "goto IN; R: while (!g) do IN: g := 1; od",
        "goto IN; R: while (0) do IN: skip; od R2: while (0) do N: skip; od goto OUT; N2: skip; OUT: skip;",
        "g := 1; R1: while (g) do R2: g := 0; od R3: assume(g); N: skip;",
        "R1: while (1) do R2: while (0) do N1: skip; od od N2: skip;",
        "goto IN; R: while (*) do R2: if (1) then R4: skip; else IN: R3: goto DONE; N: skip; fi DONE: skip; od",
        "goto B; while (g) do A: while (!g) do B: g := 1; od R: goto DONE; od N: skip; DONE: skip;",
        // A branch that is jumped into goes on behind its `fi`, and its `if` is not reached.
        "goto IN; N: if (g) then IN: skip; else N2: skip; fi R: skip;",
        "goto IN; N: if (0) then elsif (1) then IN: skip; else N2: skip; fi R: skip;",
        "R1: if (0) then N: skip; elsif (1) then R2: skip; else N2: skip; fi",
        // A label of a jump and of a call is reached by who comes there, not only by who jumps.
        "R: goto L; N: skip; L: R2: p(); R3: skip;",
        "R: goto L, M; L: R1: goto DONE; M: R2: goto DONE; N: skip; DONE: skip;",
        // Several labels on one statement are reached together.
        "goto B; R: B: skip; goto A; A: R2: while (0) do od",
        // At the end of a body.
        "while (!g) do if (1) then goto R; fi R: g := 1; od goto END; N: skip; END: R2: skip;",
    ];
    for body in cases {
        let text = format!("decl g := 0; void main() begin {body} end void p() begin end");
        let known = ball::reach(&text).expect("can be read").expect("is small");
        for ((_, label), reached) in &known.labels {
            let expected =
                label.chars().all(|c| c.is_ascii_digit() || c == 'R' || c == 'N').then(|| label.starts_with('R'));
            assert!(expected.is_none_or(|expected| expected == *reached), "{label} is reached: {reached}\n{text}");
        }
        assert_eq!(difference(&text), None, "{text}");
    }
}

/// What the tool reads, the second reading reads, and what one refuses the other does.
#[test]
fn texts_that_are_no_programs() {
    for text in ["", "void main() begin goto; end", "void main() begin x := 1; end", "decl a void main() begin end"] {
        assert!(try_parse(text).is_err() && ball::reach(text).is_err(), "{text}");
    }
}
