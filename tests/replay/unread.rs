//! Values that nobody reads, by hand and in runs of random programs: whatever they are changed to, replay accepts the run.

use crate::common::machines::random_extended;
use crate::common::read;
use crate::shorthand::{at, call, end, run};
use epitome::evidence::{Unread, last_place, replay};
use epitome::limits::Limits;
use epitome::logic::Query;
use epitome::model::{Fragment, FragmentId, Run, SourceRun};
use epitome::syntax::Program;
use epitome::{Checker, Engine};
use epitome_benchmarks::{Shape, random_program};
use std::collections::BTreeSet;

/// The run that violates it, if there is one.
fn violation(program: &Program, query: &Query) -> Option<SourceRun> {
    Checker::new(program).check(query, Engine::Expand(None), &Limits::none(), &mut |_| ()).unwrap().run
}

/// By step of the outermost fragment, the variables that are unread.
fn unread_in_main(text: &str) -> Vec<Vec<String>> {
    let program = read("bp", text);
    let run = violation(&program, &Query::Failures).expect("a violation");
    let unread = Unread::new(&program, &run);
    let main = run.fragment(run.top());
    let names = |step: usize| {
        let variables = (0..program.scope_size(main.procedure)).filter(|&v| unread.contains(run.top(), step, v));
        variables.map(|variable| program.variable_name(main.procedure, variable).to_owned()).collect()
    };
    (0..main.len()).map(names).collect()
}

#[test]
fn a_value_is_unread_until_it_is_overwritten() {
    let written = unread_in_main("decl g; main() begin decl h; skip; g, h := 1, *; ERROR: skip; end");
    assert_eq!(written, [vec!["g", "h"], vec!["g", "h"], vec![]]);
    // Reading counts, whatever the value and whatever becomes of it.
    for read in ["assume(g | !g)", "h := g", "print(g)", "p(g)", "g := !g", "h := * constrain 'h = 'g"] {
        let text =
            format!("decl g; main() begin decl h := 0; skip; {read}; g := 0; ERROR: skip; end p(a) begin skip; end");
        assert!(unread_in_main(&text).iter().all(Vec::is_empty), "{read}");
    }
    // What is after a step is no value before it.
    let written = unread_in_main("decl g; main() begin g := * constrain 'g; ERROR: skip; end");
    assert_eq!(written, [vec!["g"], vec![]]);
    // A declared value, and one that has been read, is known.
    assert_eq!(unread_in_main("decl g := 1, h; main() begin assume(h); skip; ERROR: skip; end"), [[""; 0]; 3]);
    assert_eq!(unread_in_main("decl g; main() begin enforce g; skip; ERROR: skip; end"), [[""; 0]; 2]);
}

#[test]
fn calls_do_to_globals_what_their_inside_does() {
    let rest = "ERROR: skip; end void read() begin decl l; l := g; end void write() begin g := 1; end void idle() begin skip; end";
    let unread = |body: &str| unread_in_main(&format!("decl g; main() begin {body} {rest}"));
    assert_eq!(unread("idle(); idle();"), [["g"]; 3]);
    assert_eq!(unread("idle(); write(); read();"), [vec!["g"], vec!["g"], vec![], vec![]]);
    assert_eq!(unread("idle(); read(); write();"), [[""; 0]; 4]);
}

/// Two calls with the same inside, the first where `g` is unread, the second where it is not, or as well.
#[test]
fn what_is_unread_at_one_of_two_calls_is_told() {
    for (second, is_unread) in [("g := 0", false), ("skip", true)] {
        let text = format!("decl g; main() begin idle(); {second}; idle(); skip; end void idle() begin skip; end");
        let program = read("bp", &text);
        let main = [call(0, 0, 0), at(1, 0), call(2, 0, 0), at(3, 0)];
        let run = run(&[(1, &[at(0, 0), end(0)]), (0, &main)]);
        assert_eq!(replay(&program, &run), Ok(()));
        let unread = Unread::new(&program, &run);
        assert_eq!([0, 1].map(|step| unread.contains(FragmentId(0), step, 0)), [is_unread; 2]);
        assert_eq!([0, 1, 2, 3].map(|step| unread.contains(run.top(), step, 0)), [true, true, is_unread, is_unread]);
    }
}

/// The run with every call written out, and of which fragment each is a copy.
fn written_out(run: &SourceRun, id: FragmentId, copies: &mut (SourceRun, Vec<FragmentId>)) -> FragmentId {
    let fragment = run.fragment(id);
    let mut copy = Fragment::with_capacity(fragment.procedure, fragment.width(), fragment.len());
    for step in 0..fragment.len() {
        let inside = fragment.inside(step).map(|inside| written_out(run, inside, copies));
        copy.push(*fragment.place(step), fragment.state(step), inside);
    }
    copies.0.fragments.push(copy);
    copies.1.push(id);
    copies.0.top()
}

/// The run with other values of some variables where they are unread.
fn changed(run: &SourceRun, unread: &Unread, is_changed: impl Fn(FragmentId, usize) -> bool) -> SourceRun {
    let change = |(id, fragment): (u32, &Fragment<_>)| {
        let id = FragmentId(id);
        let mut copy = Fragment::with_capacity(fragment.procedure, fragment.width(), fragment.len());
        for step in 0..fragment.len() {
            let mut state = fragment.state(step).to_vec();
            for bit in (0..64 * fragment.width()).filter(|&bit| unread.contains(id, step, bit) && is_changed(id, bit)) {
                state[bit / 64] ^= 1 << (bit % 64);
            }
            copy.push(*fragment.place(step), &state, fragment.inside(step));
        }
        copy
    };
    Run { fragments: (0..).zip(&run.fragments).map(change).collect() }
}

/// Changes the variables that are unread, each by itself and all at once. How many there are, and how many calls are shared.
fn check(program: &Program, run: &SourceRun, context: &str) -> (usize, usize) {
    let mut copies = (Run { fragments: Vec::new() }, Vec::new());
    written_out(run, run.top(), &mut copies);
    let (single, originals) = copies;
    let (shared, unread) = (Unread::new(program, run), Unread::new(program, &single));
    let globals = program.global_count();
    let mut variables = BTreeSet::new();
    for (id, &original) in (0..).map(FragmentId).zip(&originals) {
        let fragment = single.fragment(id);
        for (step, bit) in (0..fragment.len()).flat_map(|step| (0..64 * fragment.width()).map(move |bit| (step, bit))) {
            // A fragment that several calls share is unread where all of them are.
            assert!(!shared.contains(original, step, bit) || unread.contains(id, step, bit), "{context}");
            if unread.contains(id, step, bit) {
                variables.insert((if bit < globals { None } else { Some(id) }, bit));
            }
        }
    }
    let accepted = |run: &SourceRun| replay(program, run).is_ok() && last_place(run) == last_place(&single);
    for &(owner, bit) in &variables {
        let other = changed(&single, &unread, |id, at| at == bit && owner.is_none_or(|owner| owner == id));
        assert!(other != single && accepted(&other), "{context}: {}", program.variable_name(0, bit.min(globals)));
    }
    assert!(accepted(&changed(&single, &unread, |_, _| true)), "{context}");
    (variables.len(), single.fragments.len() - run.fragments.len())
}

#[test]
fn whatever_is_unread_may_be_changed() {
    let (mut runs, mut unread, mut sharing) = (0, 0, 0);
    let mut judge = |program: &Program, context: &str| {
        let Some(run) = violation(program, &Query::Failures) else { return };
        if run.full_length(|_, _| true) < 2000.0 {
            let (variables, shared) = check(program, &run, context);
            runs += 1;
            unread += variables;
            sharing += shared;
        }
    };
    for seed in 0..400 {
        for shape in [Shape::general(), Shape::hierarchical(), Shape::acyclic(), Shape::tiny()] {
            let text = random_program(seed, &shape);
            judge(&read("bp", &text), &text);
        }
        let text = random_extended(seed);
        judge(&read("rsm", &text), &text);
    }
    assert!(runs > 500 && unread > 500 && sharing > 20, "{runs} runs, {unread} variables, {sharing} shared calls");
}
