//! The reference checker against itself and against programs judged by hand, the generators against
//! the reference checker, and the printer against the parser.
//!
//! The two explicit searches share only the meaning of one step: where the bounded one is complete
//! they must agree, and everywhere it must stay within the other. Only then may engines be compared
//! with them.

mod common;

use common::ball;
use common::families::small_programs;
use common::labels::with_jumps;
use common::reference::{explicit_stacks, explicit_summaries};
use common::shrink::shrink;
use common::{parse, try_parse};
use epitome::syntax::bp::{Kind, Program, print};
use epitome::syntax::{Binary, Expr, Op, Owner};
use epitome_benchmarks::{Shape, SplitMix64, Verdict, random_program};
use std::collections::BTreeSet;

fn shapes() -> [(&'static str, Shape); 6] {
    [
        ("general", Shape::general()),
        ("hierarchical", Shape::hierarchical()),
        ("acyclic", Shape::acyclic()),
        ("deterministic", Shape::deterministic()),
        ("io_bounded", Shape::io_bounded()),
        ("tiny", Shape::tiny()),
    ]
}

/// Both searches say so, where the stacks are complete.
fn is_violated(text: &str) -> bool {
    let program = parse(text);
    let summaries = explicit_summaries(&program).violated(&program);
    let stacks = explicit_stacks(&program, 20, 100_000);
    if stacks.complete {
        assert_eq!(stacks.violated(&program), summaries, "{text}");
    }
    summaries
}

#[test]
fn programs_judged_by_hand() {
    let cases = [
        ("void main() begin end", false),
        ("void main() begin ERROR: skip; end", true),
        ("void main() begin goto L; ERROR: skip; L: skip; end", false),
        ("void main() begin goto L, M; M: assert(0); L: skip; end", true),
        ("decl g; void main() begin assert(g); end", true),
        ("decl g := 1; void main() begin assert(g); end", false),
        ("void main(p) begin assert(p); end", true),
        // `*` is chosen anew each time it is evaluated, also within one expression.
        ("void main() begin decl x; x := *; assert(x = x); assert(* = *); end", true),
        ("void main() begin decl x, y; x, y := *, *; assume(x & !y); assert(x | y); end", false),
        ("void main() begin decl x := 0, y := 1; x, y := y, x; assert(x & !y); end", false),
        ("void main() begin decl x; assume(x); dead x; assert(x); end", true),
        ("void main() begin decl x; x := schoose[1, 1]; assert(x); x := schoose[0, 1]; assert(!x); end", false),
        ("void main() begin decl x; x := schoose[0, 0]; assert(x); end", true),
        ("void main() begin decl x := 0; x := * constrain 'x != x; assert(x); end", false),
        ("void main() begin decl x := 0; x := 0 constrain 'x; assert(0); end", false),
        // An assumption at each point: at the start, after a step, after a call.
        ("void main() begin decl x; enforce x; assert(x); x := *; assert(x); end", false),
        ("decl g := 1; void p() begin g := *; end void main() begin enforce g; p(); assert(g); end", false),
        ("decl g := 1; void p() begin g := 0; assert(g); end void main() begin enforce g; p(); end", true),
        ("decl g := 1; void main() begin enforce g; g := 0; ERROR: skip; end", false),
        (
            "decl g := 1; bool p() begin enforce g; g := 0; end void main() begin decl r; r := p(); assert(0); end",
            false,
        ),
        // Results, `_`, and a procedure that ends without `return`.
        ("bool p() begin return 1; end void main() begin decl r; r := p(); assert(r); end", false),
        ("bool p() begin end void main() begin decl r; r := p(); assert(r); end", true),
        ("bool<2> p() begin return 0, 1; end void main() begin decl r; _, r := p(); assert(r); end", false),
        ("bool<2> p() begin return 0, 1; end void main() begin decl r := 0; r, _ := p(); assert(!r); end", false),
        ("bool p(a) begin a := !a; return a; end void main() begin decl x := 1; p(x); assert(x); end", false),
        // Locals are arbitrary at every call; the caller's are kept.
        ("void p(n) begin decl x; assert(n | x); x := 1; if (!n) then p(1); fi end void main() begin p(0); end", true),
        ("void p(n) begin if (n) then p(0); assert(n); fi end void main() begin p(*); end", false),
        // Branches: only the first true one; `else` belongs to the last `if`.
        ("void main() begin if (0) then skip; elsif (1) then skip; elsif (1) then assert(0); fi end", false),
        ("void main() begin if (0) then elsif (0) then else assert(0); fi end", true),
        ("void main() begin if (1) then if (0) then else assert(0); fi fi end", true),
        ("void main() begin decl x := 1; while (x) do x := 0; od assert(!x); end", false),
        ("void main() begin while (1) do skip; od assert(0); end", false),
        ("void main() begin goto L; if (0) then L: skip; else assert(0); fi end", false),
        ("void main() begin goto L; while (0) do L: skip; od assert(0); end", true),
        // A failed assertion ends the run, and so does a call that never comes back.
        ("void main() begin assert(0); ERROR: skip; end", true),
        ("void p() begin p(); end void main() begin p(); assert(0); end", false),
        ("decl g; void p() begin if (*) then p(); g := !g; p(); fi end void main() begin p(); assert(g); end", true),
    ];
    for (text, violated) in cases {
        assert_eq!(is_violated(text), violated, "{text}");
    }
}

#[test]
fn a_failed_assertion_ends_the_run() {
    let program = parse("void main() begin assert(0); L: skip; end");
    for reached in [explicit_stacks(&program, 1, 10), explicit_summaries(&program)] {
        assert_eq!(reached.places, BTreeSet::from([(0, 0)]));
        assert_eq!(reached.failed, BTreeSet::from([(0, 0)]));
        assert!(reached.ends.is_empty());
    }
}

/// The two searches contradict each other.
fn searches_differ(text: &str) -> bool {
    let program = parse(text);
    let (stacks, summaries) = (explicit_stacks(&program, 5, 5_000), explicit_summaries(&program));
    !stacks.within(&summaries) || stacks.complete && stacks != summaries
}

#[test]
fn the_two_searches_agree() {
    let (mut compared, mut recursive) = (0, 0);
    for seed in 0..600 {
        let text = random_program(seed, &Shape::tiny());
        if searches_differ(&text) {
            panic!("seed {seed}: the searches differ on\n{}", shrink(&text, searches_differ));
        }
        let complete = explicit_stacks(&parse(&text), 5, 5_000).complete;
        compared += u32::from(complete);
        recursive += u32::from(!complete);
    }
    assert!(compared >= 200 && recursive >= 50, "{compared} complete, {recursive} cut off");
}

/// Reference and second reading say different things of a program with labels and jumps.
fn readings_differ(text: &str) -> bool {
    let program = parse(text);
    let reached = explicit_summaries(&program);
    let Some(known) = ball::reach(text).unwrap_or_else(|error| panic!("{error}\n{text}")) else { return false };
    let at = |&(p, statement): &(usize, usize)| program.procedures[p].body[statement].span.start as usize;
    let statements = known.statements.iter().filter(|(_, reached)| **reached).map(|(&at, _)| at);
    statements.collect::<BTreeSet<_>>() != reached.places.iter().map(at).collect()
        || known.failed != reached.failed.iter().map(at).collect()
        || known.is_violated() != reached.violated(&program)
}

/// The reference of the engines and a reading of the text that shares nothing with it, nor with the tool.
#[test]
fn the_second_reading_agrees() {
    for (name, shape) in [("tiny", Shape::tiny()), ("general", Shape::general()), ("io_bounded", Shape::io_bounded())] {
        for seed in 0..200 {
            let text = with_jumps(seed, &random_program(seed, &shape));
            if readings_differ(&text) {
                panic!("{name}, seed {seed}: the readings differ on\n{}", shrink(&text, readings_differ));
            }
        }
    }
}

#[test]
fn printing_and_parsing_round_trip() {
    for (name, shape) in shapes() {
        for seed in 0..1000 {
            let printed = print(&parse(&random_program(seed, &shape)));
            assert_eq!(print(&parse(&printed)), printed, "{name}, seed {seed}");
        }
    }
}

/// A text like a program, with a few of its words lost, doubled or exchanged.
fn mutate(rng: &mut SplitMix64, text: &str) -> String {
    let mut words: Vec<&str> = text.split_inclusive(|c: char| !c.is_alphanumeric()).collect();
    for _ in 0..1 + rng.below(4) {
        let (a, b) = (rng.below(words.len() as u64) as usize, rng.below(words.len() as u64) as usize);
        match rng.below(3) {
            0 => words[a] = "",
            1 => words.insert(a, words[b]),
            _ => words.swap(a, b),
        }
    }
    words.concat()
}

/// Whatever the text, the parser comes back, and what it accepts is printed so that it reads back.
#[test]
fn mutated_texts_are_read_or_rejected() {
    let texts = ["void main() begin if: skip; end", "p() end p() begin end", "void main() begin dead _; end"];
    let mut rng = SplitMix64::new(1);
    let mutated = (0..1500).map(|seed| mutate(&mut rng, &random_program(seed, &Shape::general())));
    for text in texts.into_iter().map(str::to_owned).chain(mutated) {
        let Ok(program) = try_parse(&text) else { continue };
        let printed = print(&program);
        assert_eq!(print(&parse(&printed)), printed, "from\n{text}");
    }
}

#[test]
fn families_have_their_verdict() {
    for (name, verdict, text) in small_programs() {
        assert_eq!(is_violated(&text), verdict == Verdict::Unsafe, "{name}");
    }
}

#[test]
fn about_half_of_the_random_programs_are_unsafe() {
    for (name, shape) in shapes() {
        let programs = (0..400).map(|seed| parse(&random_program(seed, &shape)));
        let bad = programs.filter(|program| explicit_summaries(program).violated(program)).count();
        assert!((140..=260).contains(&bad), "{name}: {bad} of 400 are unsafe");
    }
}

/// A word for each construct that a program uses.
fn constructs(program: &Program) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    let mut note = |present: bool, word: &str| {
        if present {
            words.insert(word.to_owned());
        }
    };
    note(program.globals.iter().any(|global| global.initial.is_some()), "initial");
    for procedure in &program.procedures {
        note(procedure.enforce.is_some(), "enforce");
        note(procedure.body.is_empty(), "empty body");
        note(procedure.results > 1, "results");
        for statement in &procedure.body {
            let kind = format!("{:?}", statement.kind);
            note(true, kind.split([' ', '(']).next().unwrap_or_default());
            match &statement.kind {
                Kind::Goto(labels) => note(labels.len() > 1, "goto choice"),
                Kind::Assign { targets, constrain, .. } => {
                    note(targets.len() > 1, "parallel");
                    note(constrain.is_some(), "constrain");
                }
                Kind::Call { targets, .. } => note(targets.contains(&None), "forgotten result"),
                _ => {}
            }
        }
        let ends = procedure.body.last().map(|statement| &statement.kind);
        note(procedure.results > 0 && !matches!(ends, Some(Kind::Return(_))), "no return");
        for label in &procedure.labels {
            let name = program.names.text(label.name);
            note(name.ends_with("ERROR"), name);
            note(name.starts_with(|c: char| c.is_ascii_digit()), "numeric label");
        }
    }
    for op in operators(program) {
        note(true, &format!("{op:?}").replace(|c: char| c.is_ascii_digit(), ""));
    }
    words
}

fn operators(program: &Program) -> Vec<Op> {
    let mut all: Vec<Expr> = Vec::new();
    for procedure in &program.procedures {
        all.extend(procedure.enforce);
        for statement in &procedure.body {
            match &statement.kind {
                Kind::Print(values) | Kind::Return(values) => all.extend(values),
                Kind::Assign { values, constrain, .. } => all.extend(values.iter().chain(constrain)),
                Kind::Call { arguments, .. } => all.extend(arguments),
                Kind::Assert(condition) | Kind::Assume(condition) => all.push(*condition),
                Kind::If { condition, .. } | Kind::Elsif { condition, .. } | Kind::While { condition, .. } => {
                    all.push(*condition);
                }
                _ => {}
            }
        }
    }
    all.into_iter().flat_map(|expr| program.exprs.ops(expr).to_vec()).collect()
}

#[test]
fn random_programs_use_the_whole_language() {
    let mut seen = BTreeSet::new();
    for seed in 0..1000 {
        seen.extend(constructs(&parse(&random_program(seed, &Shape::general()))));
    }
    let operators = [
        Op::Const(false),
        Op::Const(true),
        Op::Choice(Owner::System),
        Op::Choice(Owner::Environment),
        Op::Not,
        Op::Choose,
        Op::Binary(Binary::Iff),
        Op::Binary(Binary::Implies),
        Op::Binary(Binary::Or),
        Op::Binary(Binary::Xor),
        Op::Binary(Binary::And),
        Op::Binary(Binary::Equal),
        Op::Binary(Binary::NotEqual),
    ];
    let operators = operators.iter().map(|op| format!("{op:?}"));
    let words = "Skip|Print|Goto|Return|Assign|Call|Assert|Assume|Dead|If|Elsif|Else|Fi|While|Od|initial|enforce|\
                 empty body|results|goto choice|parallel|constrain|forgotten result|no return|ERROR|SLIC_ERROR|\
                 numeric label|Next(Global())|Next(Local())|Var(Global())|Var(Local())";
    for word in operators.chain(words.split('|').map(str::to_owned)) {
        assert!(seen.contains(&word), "no program uses {word}: {seen:?}");
    }
}

#[test]
fn random_programs_keep_to_their_shape() {
    for seed in 0..500 {
        for shape in [Shape::hierarchical(), Shape::acyclic()] {
            let program = parse(&random_program(seed, &shape));
            let name = |index: usize| program.names.text(program.procedures[index].name);
            // `main` first, then by number: the order in which they may call.
            let rank = |index: usize| if index == program.main { "" } else { name(index) };
            for (index, procedure) in program.procedures.iter().enumerate() {
                for (place, statement) in procedure.body.iter().enumerate() {
                    match &statement.kind {
                        Kind::Call { callee, .. } => assert!(rank(index) < rank(*callee as usize), "seed {seed}"),
                        Kind::While { .. } => assert!(shape.loops, "seed {seed}"),
                        Kind::Goto(labels) if !shape.loops => {
                            let mut targets = labels.iter().map(|&l| procedure.labels[l as usize].statement as usize);
                            assert!(targets.all(|target| target > place), "seed {seed}");
                        }
                        _ => {}
                    }
                }
            }
        }
        let program = parse(&random_program(seed, &Shape::deterministic()));
        assert!(operators(&program).iter().all(|op| !matches!(op, Op::Choice(_) | Op::Choose)), "seed {seed}");
        let own = program.procedures.iter().flat_map(|procedure| &procedure.locals[procedure.parameters..]);
        assert!(program.globals.iter().chain(own).all(|variable| variable.initial.is_some()), "seed {seed}");
    }
}

#[test]
fn shrinking_leaves_what_fails() {
    let shape = Shape { procedures: 6, statements: 12, ..Shape::general() };
    let failing = (0..).map(|seed| random_program(seed, &shape)).filter(|text| can_fail(text));
    for text in failing.take(8) {
        let small = shrink(&text, can_fail);
        assert!(can_fail(&small), "{small}\nfrom\n{text}");
        // A call for each procedure on the way, and one assertion: nothing in it can go.
        let statements = parse(&small).procedures.iter().map(|procedure| procedure.body.len()).sum::<usize>();
        assert_eq!(statements, parse(&small).procedures.len(), "{small}\nfrom\n{text}");
        assert!(small.contains("assert(0)"), "{small}\nfrom\n{text}");
    }
}

/// Some assertion can fail.
fn can_fail(text: &str) -> bool {
    !explicit_summaries(&parse(text)).failed.is_empty()
}
