//! Retracing where values are missing, mean nothing, or are to be found by a solver.

use crate::common::parse;
use crate::{failures, goal};
use epitome::engine::expand::{Algorithm, explore};
use epitome::evidence::replay;
use epitome::limits::{Limits, Reason};
use epitome::model::{Ersm, Fragment, ProcId, Run, SourceMap, Var, Vertex, build};
use epitome::reduce::{Back, RetraceError, Step, Task, compact, retrace};
use epitome::syntax::Program;
use epitome_benchmarks::{Verdict, generate};

struct Case {
    program: Program,
    ersm: Ersm,
    map: SourceMap,
}

impl Case {
    fn new(text: &str) -> Case {
        let program = Program::Bp(parse(text));
        let (ersm, map) = build(&program);
        Case { program, ersm, map }
    }

    fn run_of(&self, ersm: &Ersm) -> Run<Vertex> {
        let goal = goal(ersm, &failures(ersm), false);
        explore(ersm, Algorithm::Forward, &goal, &Limits::none(), &mut |_| ()).run.expect("a failure")
    }

    /// The machine without its last global, which nothing but itself depends on.
    fn without_last_global(&self) -> (Ersm, Back) {
        let (mut ersm, mut back) = (self.ersm.clone(), Back::identity(&self.ersm));
        ersm.globals.pop();
        back.globals.pop();
        let last = Var::Global(back.globals.len() as u32);
        for edge in ersm.procedures.iter_mut().flat_map(|procedure| &mut procedure.edges) {
            edge.assignments = edge.assignments.iter().copied().filter(|(var, _)| *var != last).collect();
        }
        (ersm, back)
    }

    fn replays(&self, reduced: &Ersm, back: &Back, run: &Run<Vertex>) {
        let run = retrace(&self.ersm, reduced, back, run, &Limits::none()).expect("it can be retraced");
        replay(&self.program, &self.map.lift(&run)).expect("it replays");
    }
}

/// The run with some bits of its states flipped.
fn scrambled(ersm: &Ersm, run: &Run<Vertex>, flip: impl Fn(&Fragment<Vertex>, usize) -> u64) -> Run<Vertex> {
    let fragments = run.fragments.iter().map(|fragment| {
        let mut copy = Fragment::new(fragment.procedure, ersm.scope_size(ProcId(fragment.procedure)));
        for step in 0..fragment.len() {
            let state = [fragment.state(step)[0] ^ flip(fragment, step)];
            copy.push(*fragment.place(step), &state, fragment.inside(step));
        }
        copy
    });
    Run { fragments: fragments.collect() }
}

const CALLS: &str = "decl g, h, done := 0, junk := 1;
    main() begin
      g := *; h := *; junk := junk ^ g ^ *;
      while (g) do g := f(h); junk := !junk; done := !h; h := *; od;
      junk := junk | h;
      assert(!(h & done));
    end
    bool f(x) begin junk := junk & x | *; if (x) then h := 0; return 0; fi; return *; end";

/// A variable that was removed gets the values that the program gives it.
#[test]
fn removed_variables_come_back() {
    let case = Case::new(CALLS);
    let (reduced, back) = case.without_last_global();
    case.replays(&reduced, &back, &case.run_of(&reduced));
}

/// Removed first, then compacted: the way back is the composition.
#[test]
fn removed_and_compacted() {
    let case = Case::new(CALLS);
    let (ersm, before) = case.without_last_global();
    let goal = goal(&ersm, &failures(&ersm), false);
    let Step { task, mut back } = compact(Task { ersm, goal });
    back.globals = back.globals.iter().map(|&global| before.globals[global as usize]).collect();
    case.replays(&task.ersm, &back, &case.run_of(&task.ersm));
}

/// Values that mean nothing may be anything in the run.
#[test]
fn dead_values_are_not_believed() {
    let case = Case::new(CALLS);
    let mut back = Back::identity(&case.ersm);
    // `junk` means nothing anywhere, and `g` nothing at the entry.
    for (procedure, reduced) in back.procedures.iter_mut().zip(&case.ersm.procedures) {
        let scope = case.ersm.globals.len() + reduced.locals.len();
        let nodes = (0..reduced.nodes.len()).map(|node| Vertex::Node(node.into()));
        let vertices = nodes.chain((0..reduced.boxes.len()).map(|site| Vertex::Call(site.into(), 0)));
        let live = |vertex| {
            let entry = vertex == Vertex::Node(reduced.entries[0]);
            ((1u64 << scope) - 1) & !(0b1000 | u64::from(entry && procedure.procedure.0 == 0))
        };
        procedure.live = Some(vertices.map(|vertex| (vertex, vec![live(vertex)].into())).collect());
    }
    let run = case.run_of(&case.ersm);
    assert!(run.fragments.len() > 1, "f is called");
    let run = scrambled(&case.ersm, &run, |fragment, step| {
        let start = step == 0 && fragment.procedure == 0;
        (step as u64 % 2) << 3 | u64::from(start)
    });
    case.replays(&case.ersm, &back, &run);
}

/// Globals outside of a procedure's footprint mean nothing in it.
#[test]
fn footprints_are_respected() {
    let case = Case::new("decl g, h := 1; main() begin f(); assert(!h); end f() begin g := *; end");
    let mut reduced = case.ersm.clone();
    reduced.procedures[1].footprint = Some(epitome::model::Footprint { used: vec![0].into(), written: vec![0].into() });
    let run = case.run_of(&case.ersm);
    let run = scrambled(&case.ersm, &run, |fragment, _| u64::from(fragment.procedure == 1) << 1);
    case.replays(&reduced, &Back::identity(&case.ersm), &run);
}

/// More choices than fit into the lanes of a word, and nothing that tells them: the solver finds them.
#[test]
fn many_choices_are_solved() {
    let case = Case::new(
        "decl g; main() begin decl a;
           a := (* ^ *) & !(* ^ *) & (* ^ * ^ g) & !(* & *) & (* | *);
           g := f((* ^ *) & !(* ^ *) & (* ^ *) & !(* & * & a));
           assume(!(* & *) & (* ^ *) & (* ^ *) & (* | *));
           assert(!(a & g));
         end
         bool f(x) begin return x; end",
    );
    let back = Back::identity(&case.ersm);
    case.replays(&case.ersm, &back, &case.run_of(&case.ersm));
    let goal = goal(&case.ersm, &failures(&case.ersm), false);
    let Step { task, back } = compact(Task { ersm: case.ersm.clone(), goal });
    case.replays(&task.ersm, &back, &case.run_of(&task.ersm));
}

/// Choices that are constrained, with all the variables they go to unknown.
#[test]
fn constrained_choices_are_found() {
    let text = "decl g, h; main() begin g, h := *, * constrain 'g & !'h & (g | 'g); skip; ERROR: skip; end";
    let case = Case::new(text);
    let mut back = Back::identity(&case.ersm);
    let nodes = case.ersm.procedures[0].nodes.len();
    back.procedures[0].live = Some((0..nodes).map(|node| (Vertex::Node(node.into()), vec![0].into())).collect());
    let run = scrambled(&case.ersm, &case.run_of(&case.ersm), |_, _| 0b11);
    case.replays(&case.ersm, &back, &run);
}

/// Thousands of nested calls, and a loop of thousands of rounds.
#[test]
fn depth_and_length_are_no_matter() {
    for (family, n) in [("counter", 12), ("ln", 12), ("tn", 200), ("en", 100)] {
        let case = Case::new(&generate(family, n, Verdict::Unsafe).expect("a family"));
        let goal = goal(&case.ersm, &failures(&case.ersm), false);
        let Step { task, back } = compact(Task { ersm: case.ersm.clone(), goal });
        case.replays(&task.ersm, &back, &case.run_of(&task.ersm));
    }
}

#[test]
fn what_does_not_fit_is_an_error() {
    let case = Case::new(&generate("ln", 14, Verdict::Unsafe).expect("a family"));
    let back = Back::identity(&case.ersm);
    let run = case.run_of(&case.ersm);
    let try_with = |run: &Run<Vertex>, limits: &Limits| retrace(&case.ersm, &case.ersm, &back, run, limits).err();
    assert_eq!(try_with(&run, &Limits::none()), None);
    let late = Limits::none().with_timeout(std::time::Duration::ZERO);
    assert_eq!(try_with(&run, &late), Some(RetraceError::Stopped(Reason::Timeout)));
    let wrong = scrambled(&case.ersm, &run, |_, step| u64::from(step == 5));
    assert_eq!(try_with(&wrong, &Limits::none()), Some(RetraceError::NoWay { procedure: "main".to_owned(), step: 5 }));
    let mut stray = Fragment::new(7, 1);
    stray.push(Vertex::Call(epitome::model::BoxId(9), 3), &[0], None);
    for fragments in [Vec::new(), vec![stray]] {
        assert_eq!(try_with(&Run { fragments }, &Limits::none()), Some(RetraceError::Malformed { step: 0 }));
    }
}
