//! What Boolean programs mean, on stacks; and replay held against it.

use crate::common::flat::{Frame, Semantics, outcomes, slot, valuations};
use crate::mutations::judge;
use epitome::evidence::replay_bp;
use epitome::model::Place;
use epitome::syntax::bp::{Kind, Procedure, Program, parse};
use epitome::syntax::{Expr, Source, Var};

struct Programs(Program);

impl Programs {
    fn globals(&self) -> usize {
        self.0.globals.len()
    }

    fn procedure(&self, index: u32) -> &Procedure {
        &self.0.procedures[index as usize]
    }

    /// Where control that arrives at an index of the body comes to rest.
    fn arrive(&self, procedure: u32, mut index: u32) -> Place {
        loop {
            let Some(statement) = self.procedure(procedure).body.get(index as usize) else { return Place::End };
            index = match statement.kind {
                Kind::Elsif { end, .. } | Kind::Else { end } => end,
                Kind::Fi => index + 1,
                Kind::Od { head } => head,
                _ => return Place::Statement(index),
            };
        }
    }

    fn values(&self, list: &[Expr], state: &[bool]) -> Vec<Vec<bool>> {
        outcomes(&self.0.exprs, list, |var, _| state[slot(self.globals(), var)])
    }

    fn can_be(&self, expr: Expr, state: &[bool], value: bool) -> bool {
        self.values(&[expr], state).contains(&vec![value])
    }

    fn allowed(&self, frame: &Frame) -> bool {
        let enforce = self.procedure(frame.procedure).enforce;
        enforce.is_none_or(|condition| self.can_be(condition, &frame.state, true))
    }

    /// Frames of a procedure that begins, with any values that its declarations allow.
    fn begin(&self, procedure: u32) -> Vec<Frame> {
        let place = self.arrive(procedure, 0);
        let locals = &self.procedure(procedure).locals;
        let declared = |state: &Vec<bool>| {
            let mut values = locals.iter().zip(&state[self.globals()..]);
            values.all(|(variable, value)| variable.initial.is_none_or(|initial| initial == *value))
        };
        let states = valuations(self.scope(procedure).unwrap()).filter(declared);
        states.map(|state| Frame { procedure, place, state }).filter(|frame| self.allowed(frame)).collect()
    }

    fn call(&self, here: &Frame, callee: u32, arguments: &[Expr]) -> Vec<Frame> {
        let globals = self.globals();
        let handed = self.values(arguments, &here.state);
        let fits = |frame: &Frame| {
            frame.state[..globals] == here.state[..globals]
                && handed.iter().any(|values| frame.state[globals..].starts_with(values))
        };
        self.begin(callee).into_iter().filter(fits).collect()
    }

    fn give_back(&self, caller: &Frame, callee: &Frame) -> Frame {
        let Place::Statement(index) = caller.place else { panic!("not a call") };
        let Kind::Call { targets, .. } = &self.procedure(caller.procedure).body[index as usize].kind else {
            panic!("not a call")
        };
        let mut state = caller.state.clone();
        state[..self.globals()].clone_from_slice(&callee.state[..self.globals()]);
        let results = &callee.state[self.globals() + self.procedure(callee.procedure).locals.len()..];
        for (target, result) in targets.iter().zip(results) {
            if let Some(var) = *target {
                state[slot(self.globals(), var)] = *result;
            }
        }
        Frame { place: self.arrive(caller.procedure, index + 1), state, ..*caller }
    }

    /// All that a statement that is no call can do: where control goes, and the state there.
    fn effects(&self, here: &Frame, index: u32, kind: &Kind) -> Vec<(Place, Vec<bool>)> {
        let arrive = |index| self.arrive(here.procedure, index);
        let next = arrive(index + 1);
        let decided =
            |condition, value, place| self.can_be(condition, &here.state, value).then(|| (place, here.state.clone()));
        match kind {
            Kind::Skip | Kind::Print(_) => vec![(next, here.state.clone())],
            Kind::Goto(labels) => {
                let target = |&label: &u32| self.procedure(here.procedure).labels[label as usize].statement;
                labels.iter().map(|label| (arrive(target(label)), here.state.clone())).collect()
            }
            Kind::Return(values) => {
                let first = self.procedure(here.procedure).locals.len() as u32;
                let targets: Vec<_> = (first..).take(values.len()).map(|v| Some(Var::Local(v))).collect();
                self.assigned(here, &targets, values).into_iter().map(|state| (Place::End, state)).collect()
            }
            Kind::Assign { targets, values, constrain } => {
                let mut states = self.assigned(here, targets, values);
                if let Some(condition) = *constrain {
                    states.retain(|after| self.constrained(condition, &here.state, after));
                }
                states.into_iter().map(|state| (next, state)).collect()
            }
            Kind::Assert(e) => {
                decided(*e, true, next).into_iter().chain(decided(*e, false, Place::Failed(index))).collect()
            }
            Kind::Assume(e) => decided(*e, true, next).into_iter().collect(),
            Kind::Dead(vars) => valuations(vars.len())
                .map(|values| {
                    let mut state = here.state.clone();
                    vars.iter().zip(values).for_each(|(&var, value)| state[slot(self.globals(), var)] = value);
                    (next, state)
                })
                .collect(),
            Kind::If { condition: e, otherwise, .. } | Kind::Elsif { condition: e, otherwise, .. } => {
                let is_elsif =
                    matches!(self.procedure(here.procedure).body[*otherwise as usize].kind, Kind::Elsif { .. });
                let otherwise = if is_elsif { Place::Statement(*otherwise) } else { arrive(otherwise + 1) };
                decided(*e, true, next).into_iter().chain(decided(*e, false, otherwise)).collect()
            }
            Kind::While { condition: e, end } => {
                decided(*e, true, next).into_iter().chain(decided(*e, false, arrive(end + 1))).collect()
            }
            Kind::Call { .. } | Kind::Else { .. } | Kind::Fi | Kind::Od { .. } => Vec::new(),
        }
    }

    fn assigned(&self, here: &Frame, targets: &[Option<Var>], values: &[Expr]) -> Vec<Vec<bool>> {
        let outcome = |values: Vec<bool>| {
            let mut state = here.state.clone();
            for (target, value) in targets.iter().zip(values) {
                if let Some(var) = *target {
                    state[slot(self.globals(), var)] = value;
                }
            }
            state
        };
        self.values(values, &here.state).into_iter().map(outcome).collect()
    }

    fn constrained(&self, condition: Expr, before: &[bool], after: &[bool]) -> bool {
        let value = |var, primed| if primed { after } else { before }[slot(self.globals(), var)];
        outcomes(&self.0.exprs, &[condition], value).contains(&vec![true])
    }
}

impl Semantics for Programs {
    fn initial(&self) -> Vec<Frame> {
        let declared = |frame: &Frame| {
            let mut values = self.0.globals.iter().zip(&frame.state);
            values.all(|(variable, value)| variable.initial.is_none_or(|initial| initial == *value))
        };
        self.begin(self.0.main as u32).into_iter().filter(declared).collect()
    }

    fn successors(&self, stack: &[Frame]) -> Vec<Vec<Frame>> {
        let (here, below) = stack.split_last().unwrap();
        let on = |base: &[Frame], frame: Frame| [base, &[frame]].concat();
        match here.place {
            Place::Statement(index) if (index as usize) < self.procedure(here.procedure).body.len() => {
                let kind = &self.procedure(here.procedure).body[index as usize].kind;
                if let Kind::Call { callee, arguments, .. } = kind {
                    return self.call(here, *callee, arguments).into_iter().map(|f| on(stack, f)).collect();
                }
                let effects = self.effects(here, index, kind).into_iter();
                let frames = effects.map(|(place, state)| Frame { procedure: here.procedure, place, state });
                frames.filter(|frame| self.allowed(frame)).map(|frame| on(below, frame)).collect()
            }
            Place::End if !below.is_empty() => {
                let frame = self.give_back(below.last().unwrap(), here);
                let back = self.allowed(&frame).then(|| on(&below[..below.len() - 1], frame));
                back.into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    fn scope(&self, procedure: u32) -> Option<usize> {
        let procedure = self.0.procedures.get(procedure as usize)?;
        Some(self.globals() + procedure.locals.len() + procedure.results)
    }

    fn places(&self) -> Vec<Place> {
        let longest = self.0.procedures.iter().map(|p| p.body.len()).max().unwrap() as u32;
        let statements = (0..=longest).flat_map(|index| [Place::Statement(index), Place::Failed(index)]);
        statements.chain([Place::End, Place::Node(0), Place::Port(0, 0)]).collect()
    }
}

fn programs(text: &str) -> Programs {
    let source = Source::new("test.bp", text);
    Programs(parse(&source).unwrap_or_else(|errors| panic!("{}", errors[0].render(&source))).0)
}

/// All statements, recursion through `main`, shared insides, results that nobody returned.
const RICH: &str = "
    decl g, h := 0;
    main() begin
        decl x := 1, y;
        L: x, y := p(g, *);
        if (x & *) then goto L, M;
        elsif (y) then h := schoose[g, x];
        else _, g, x := y, !g, * constrain 'x = ('g | h); fi
        while (* | h & y) do dead y, h; q(); od
        M: assert(g | h | env);
        assume(x | y);
        print(x, y);
        y := r(y);
    end
    bool<2> p(a, b) begin
        decl c := 0;
        enforce a | b & (c | *);
        if (a & *) then c, a := !c, b; a, _ := p(b, !a); fi
        dead b;
        return a, b ^ *;
    end
    void q() begin
        g, h := h, g;
        if (g = h) then main(); fi
    end
    bool r(a) begin
        if (a) then return !g; fi
        skip;
        a := r(1);
    end";

/// Calls that come back soon, so that insides are shared and runs come to their end.
const CALLS: &str = "
    decl g;
    main() begin decl x := 0; x := flip(x); x := flip(x); x := flip(g); g := flip(*); call nop(); call nop(); end
    bool flip(a) begin nop(); if (*) then return !a; else g := !g; fi nop(); end
    void nop() begin end";

#[test]
fn exactly_the_runs_of_a_rich_program_replay() {
    let programs = programs(RICH);
    let tally = judge(&programs, |run| replay_bp(&programs.0, run), 0..60, 30);
    assert!(tally.judged > 10_000 && tally.accepted * 10 < tally.judged, "{tally:?}");
    assert!(tally.accepted > 100, "{tally:?}");
}

#[test]
fn exactly_the_runs_of_a_program_with_many_calls_replay() {
    let programs = programs(CALLS);
    let tally = judge(&programs, |run| replay_bp(&programs.0, run), 0..40, 60);
    assert!(tally.shared > 40 && tally.judged > 10_000 && tally.accepted * 10 < tally.judged, "{tally:?}");
}
