//! Languages of programs: messages point into the text, what is printed is read again, engines agree.

use super::{Front, ensure};
use crate::common::{ball, labels};
use crate::corpus::files;
use epitome::engine::expand::Algorithm;
use epitome::engine::summarize;
use epitome::engine::tabulate;
use epitome::limits::Limits;
use epitome::logic::Query;
use epitome::model::export::{to_bp, to_rsm};
use epitome::solver::SolverName;
use epitome::syntax::{Diagnostic, Language, Program, Source, bp, c, decode, rsm};
use epitome::{CheckError, Checker, Engine, Verdict};
use epitome_benchmarks::{Shape, random_program};
use std::time::Duration;

pub const BOOLEAN_PROGRAMS: Front = Front {
    name: "programs",
    share: 26,
    endings: &["bp"],
    corpus: || {
        let random = (0..60).map(|seed| labels::with_jumps(seed, &random_program(seed, &Shape::tiny())).into_bytes());
        files(&["bp"], &[]).into_iter().chain(random).collect()
    },
    survive: |input| survive(input, Language::Bp),
};

pub const MACHINES: Front = Front {
    name: "machines",
    share: 18,
    endings: &["rsm"],
    corpus: || files(&["rsm"], &[]),
    survive: |input| survive(input, Language::Rsm),
};

pub const CLAUSES: Front = Front {
    name: "clauses",
    share: 14,
    endings: &["smt2"],
    corpus: || files(&["smt2"], &[]),
    survive: |input| survive(input, Language::Horn),
};

pub const C_PROGRAMS: Front = Front {
    name: "c",
    share: 16,
    endings: &["c", "i"],
    corpus: || files(&["c", "i"], C_TEXTS),
    survive: |input| survive(input, Language::C),
};

/// What the golden cases of C have little of.
const C_TEXTS: &[&str] = &[
    "typedef unsigned char u8; enum e { A = 3, B }; struct s { int a : 3; u8 b[2]; } v = { 1, { 2, 3 } };\nint f(int x, int *out) { *out = x << 1; return x ? f(x - 1, out) : 0; }\nint main(void) { int n = 2; L: if (f(n, &n) != 0) goto L; switch (v.a) { case 1: n++; break; case 2 ... 4: default: n--; } return n; }\n",
    "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\nint main(void) { int a[4] = {0}; for (int i = 0; i < 4; i++) { a[i] = i; if (a[i] == 3) break; else continue; } do { a[0]++; } while (a[0] < 3); while (__VERIFIER_nondet_int()) ; if (a[3] / 3u != 1 || sizeof(long) % 4) reach_error(); return 0; }\n",
    "#include <assert.h>\n#include <stdlib.h>\n#include <stdbool.h>\nstatic bool flag; union u { int i; char c[4]; }; int main(void) { unsigned long long x = 0xffffffffffffffffULL; _Bool b = x > 1; assert(b && !flag); long y = -1 >> 2; char c = 'a' + '\\n'; if (c == y) abort(); exit(0); }\n",
];

/// A program that is checked is not larger.
const MOST_BITS: usize = 48;
const MOST_STATEMENTS: usize = 400;

fn survive(input: &[u8], language: Language) -> Result<bool, String> {
    let Ok(source) = decode("fuzz", input.to_vec(), language) else { return Ok(false) };
    if language == Language::C {
        // As if a preprocessor had written it: with marks of lines.
        let settings = c::Settings { data_model: c::DataModel::Lp64, overflow: true, ..c::Settings::default() };
        c::parse(&source, Some(source.text()), settings)
            .map_or_else(|e| messages(&source, &e), |p| messages(&source, &p.1))?;
    }
    match Program::parse(&source, language) {
        Err(errors) => {
            ensure(!errors.is_empty(), || "refused without a message".to_owned())?;
            messages(&source, &errors)?;
            Ok(false)
        }
        Ok((program, notes)) => {
            messages(&source, &notes)?;
            printed(&program, language)?;
            checked(source.text(), &program, language)?;
            Ok(true)
        }
    }
}

/// Messages are few, speak of places of the text and can be shown.
fn messages(source: &Source, messages: &[Diagnostic]) -> Result<(), String> {
    ensure(messages.len() <= 20, || format!("{} messages", messages.len()))?;
    for message in messages {
        let (start, end) = (message.span.start as usize, message.span.end as usize);
        let inside = start <= end && end <= source.text().len().max(1);
        let whole = !inside || source.text().len() < end || source.text().get(start..end).is_some();
        ensure(inside && whole, || format!("a message about {start}..{end} of {}: {message:?}", source.text().len()))?;
        let shown = message.render(source);
        ensure(shown.contains("fuzz:") && shown.len() < 10_000, || format!("is shown as {shown}"))?;
    }
    Ok(())
}

/// What is printed is read again, as the same.
fn printed(program: &Program, language: Language) -> Result<(), String> {
    let printed = match (program, language) {
        (Program::Bp(program), Language::Bp) => bp::print(program),
        (Program::Rsm(machines), _) => rsm::print(machines),
        _ => return Ok(()),
    };
    let source = Source::new("printed", printed.clone());
    let again = match Program::parse(&source, language) {
        Ok((Program::Bp(program), _)) => bp::print(&program),
        Ok((Program::Rsm(machines), _)) => rsm::print(&machines),
        Ok(_) => return Err("is read as another language".to_owned()),
        Err(errors) => return Err(format!("what is printed is refused: {}\n{printed}", errors[0].render(&source))),
    };
    ensure(again == printed, || format!("is printed and read as another program:\n{printed}\n{again}"))
}

/// Two engines agree on small programs, and so does the second reading of Boolean programs.
fn checked(text: &str, program: &Program, language: Language) -> Result<(), String> {
    if is_large(program) {
        return Ok(());
    }
    let checker = Checker::new(program);
    let machine = checker.ersm();
    let bits = machine.procedures.iter().map(|p| machine.globals.len() + p.locals.len()).max().unwrap_or(0);
    let edges: usize = machine.procedures.iter().map(|p| p.edges.len()).sum();
    if bits > MOST_BITS * if language == Language::C { 4 } else { 1 } || edges > 4 * MOST_STATEMENTS {
        return Ok(());
    }
    let others = [
        Engine::Tabulate(tabulate::Options::default()),
        Engine::Summarize(summarize::Options::default()),
        Engine::Prove(SolverName::Cadical),
        Engine::Expand(Some(Algorithm::Shortest)),
    ];
    let first = verdict(&checker, Engine::Expand(None))?;
    let second = verdict(&checker, others[text.len() % others.len()])?;
    let differ = |a: Option<bool>, b: Option<bool>| a.is_some() && b.is_some() && a != b;
    ensure(!differ(first, second), || format!("engines differ, violated: {first:?} and {second:?}"))?;
    let known = first.or(second);
    if language == Language::Bp {
        let read = ball::reach(text).map_err(|error| format!("the second reading does not read it: {error}"))?;
        let expected = read.map(|known| known.is_violated());
        ensure(!differ(known, expected), || format!("violated: {known:?}, by the second reading: {expected:?}"))?;
    }
    if language != Language::C && text.len().is_multiple_of(4) {
        for (name, text, exported) in exports(&checker)? {
            let found = verdict(&Checker::new(&exported), Engine::Expand(None))?;
            ensure(!differ(known, found), || format!("violated: {known:?}, of {name}: {found:?}"))?;
            if name == "to_bp" {
                let read = ball::reach(&text).map_err(|error| format!("{name} is not read: {error}\n{text}"))?;
                let expected = read.map(|known| known.is_violated());
                ensure(!differ(known, expected), || format!("violated: {known:?}, as read from {name}: {expected:?}"))?;
            }
        }
    }
    Ok(())
}

fn is_large(program: &Program) -> bool {
    match program {
        Program::Bp(program) => {
            let statements: usize = program.procedures.iter().map(|p| p.body.len()).sum();
            statements > MOST_STATEMENTS || program.procedures.iter().any(|p| p.results > MOST_BITS)
        }
        Program::Rsm(machines) => {
            machines.machines.iter().map(|m| m.transitions.len()).sum::<usize>() > MOST_STATEMENTS
        }
        Program::C(program) => {
            let statements: usize = program.functions.iter().map(|f| f.body.len()).sum();
            let bits = |variables: &[epitome::syntax::c::Variable]| -> usize {
                variables.iter().map(|variable| usize::from(variable.ty.bits)).sum()
            };
            let locals = program.functions.iter().map(|f| bits(&f.locals)).max().unwrap_or(0);
            statements > MOST_STATEMENTS || bits(&program.globals) + locals > 4 * MOST_BITS
        }
    }
}

/// Whether the usual property is violated, if that is known after little work.
fn verdict(checker: &Checker<'_>, engine: Engine) -> Result<Option<bool>, String> {
    let limits = Limits::none().with_patience(2_000).with_effort(3_000).with_timeout(Duration::from_millis(500));
    match checker.check(&Query::Failures, engine, &limits, &mut |_| ()) {
        Ok(report) => Ok(match report.verdict {
            Verdict::Holds => Some(false),
            Verdict::Violated => Some(true),
            Verdict::Unknown(_) => None,
        }),
        Err(CheckError::NotSupported(_)) => Ok(None),
        Err(error) => Err(format!("{engine:?}: {error}")),
    }
}

/// The model, written as a program and as machines, and read again.
fn exports(checker: &Checker<'_>) -> Result<Vec<(&'static str, String, Program)>, String> {
    let mut found = Vec::new();
    let as_program = to_bp(checker.ersm()).map(|program| bp::print(&program));
    let as_machines = to_rsm(checker.ersm()).map(|machines| rsm::print(&machines));
    for (name, text, language) in [("to_bp", as_program, Language::Bp), ("to_rsm", as_machines, Language::Rsm)] {
        let Ok(text) = text else { continue };
        let source = Source::new(name, text.clone());
        match Program::parse(&source, language) {
            Ok((program, _)) => found.push((name, text, program)),
            Err(errors) => return Err(format!("{name} is refused: {}\n{text}", errors[0].render(&source))),
        }
    }
    Ok(found)
}
