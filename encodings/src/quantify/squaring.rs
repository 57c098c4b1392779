//! Loops by iterative squaring (Savitch 1970): a path of 2^k steps is two paths of 2^(k-1) steps.
//!
//! A predicate p that calls itself once is a loop: p(f, v) holds if v can be had without that call, or from some w of
//! which p(f, w) holds; f are the arguments that the call hands on as they are. Let start(f, v) be the first,
//! step(f, w, v) the second, and
//!
//! > path\[0\] = step,   path\[k+1\](f, w, v) = path\[k\](f, w, v) or, for some m, path\[k\](f, w, m) and path\[k\](f, m, v).
//!
//! Then p(f, v) is start(f, v) or, for some m, start(f, m) and path\[n\](f, m, v). A shortest path goes on from no value
//! twice, so as many doublings n as w has bits are enough. All doublings have the same body.

use super::Recursive;
use crate::{Body, Circuit, Hole, Lit, PredicateId, System};

/// What a predicate of a squared system stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The same as before.
    Same(PredicateId),
    /// What can be had without the loop.
    Start(PredicateId),
    /// Once round the loop.
    Step(PredicateId),
    /// So many doublings of that: up to 2 to this power times round.
    Path(PredicateId, u32),
}

/// A system without loops.
#[derive(Clone, Debug)]
pub struct Squared {
    /// It has no cycles.
    pub system: System,
    /// The root of the whole.
    pub root: PredicateId,
    /// By predicate.
    pub origins: Vec<Origin>,
    /// By predicate of the system before: which of its arguments its loop hands on, if it has one. Paths have
    /// these first, then the others where they begin and where they end.
    pub handed_on: Vec<Option<Box<[bool]>>>,
}

/// Replaces loops by doublings.
pub fn square(system: &System, root: PredicateId) -> Result<Squared, Recursive> {
    let components = system.components(root);
    if components.bottom_up.windows(2).any(|pair| components.of[pair[0]] == components.of[pair[1]]) {
        return Err(Recursive);
    }
    let mut into = System::default();
    into.circuit = system.circuit.clone();
    let mut squaring = Squaring {
        from: system,
        into,
        image: vec![None; system.len()],
        origins: Vec::new(),
        handed_on: vec![None; system.len()],
    };
    for &predicate in &components.bottom_up {
        squaring.copy(PredicateId(predicate as u32))?;
    }
    let root = squaring.image[root.index()].unwrap_or(PredicateId(0));
    Ok(Squared { system: squaring.into, root, origins: squaring.origins, handed_on: squaring.handed_on })
}

struct Squaring<'s> {
    from: &'s System,
    into: System,
    /// By predicate: what to call for it.
    image: Vec<Option<PredicateId>>,
    origins: Vec<Origin>,
    handed_on: Vec<Option<Box<[bool]>>>,
}

impl Squaring<'_> {
    fn copy(&mut self, predicate: PredicateId) -> Result<(), Recursive> {
        let callees = self.from.callees(predicate);
        let own: Vec<usize> = (0..callees.len()).filter(|&hole| callees[hole] == predicate).collect();
        let image = match own[..] {
            [] => {
                let (holes, callees) = self.others(predicate, None);
                let body = Body { holes, ..self.from.body(predicate).clone() };
                let image = self.add(body, callees, Origin::Same(predicate));
                if let Some(outputs) = self.from.outputs_if_total(predicate) {
                    self.into.set_total(image, outputs);
                }
                image
            }
            [own] => self.unwind(predicate, own),
            _ => return Err(Recursive),
        };
        self.image[predicate.index()] = Some(image);
        Ok(())
    }

    fn add(&mut self, body: Body, callees: Vec<PredicateId>, origin: Origin) -> PredicateId {
        self.origins.push(origin);
        self.into.add(body, callees.into())
    }

    /// The holes for other predicates than itself.
    fn others(&self, predicate: PredicateId, own: Option<usize>) -> (Box<[Hole]>, Vec<PredicateId>) {
        let (body, callees) = (self.from.body(predicate), self.from.callees(predicate));
        let others = (0..callees.len()).filter(|&hole| Some(hole) != own);
        let holes = others.clone().map(|hole| body.holes[hole].clone());
        let callees = others.filter_map(|hole| self.image[callees[hole].index()]);
        (holes.collect(), callees.collect())
    }

    /// A start, a step with its doublings, and both together.
    fn unwind(&mut self, predicate: PredicateId, own: usize) -> PredicateId {
        let body = self.from.body(predicate);
        let Hole { active, arguments: before } = &body.holes[own];
        let handed_on: Box<[bool]> = body.arguments.iter().zip(before).map(|(here, there)| here == there).collect();
        let (holes, callees) = self.others(predicate, Some(own));
        let circuit = &mut self.into.circuit;
        let guard = circuit.and(body.guard, !*active);
        let start = Body { arguments: body.arguments.clone(), guard, holes: holes.clone() };
        let start = self.add(start, callees.clone(), Origin::Start(predicate));
        let step = step(&mut self.into.circuit, body, own, &handed_on, holes);
        let mut last = self.add(step, callees, Origin::Step(predicate));
        // What the loop asks itself for may be constant in part: so are all values in the middle of a path.
        let (_, asked) = split(before, &handed_on);
        let middle: Vec<Option<bool>> = asked.iter().map(|signal| signal.as_constant()).collect();
        let doubling = doubling(&mut self.into.circuit, handed_on.len() - middle.len(), &middle);
        let varying = middle.iter().filter(|value| value.is_none()).count();
        for doublings in 1..=varying as u32 {
            last = self.add(doubling.clone(), vec![last, last], Origin::Path(predicate, doublings));
        }
        let whole = whole(&mut self.into.circuit, &handed_on, &middle);
        self.handed_on[predicate.index()] = Some(handed_on);
        self.add(whole, vec![start, last], Origin::Same(predicate))
    }
}

/// The arguments that are handed on, and the others.
fn split(arguments: &[Lit], handed_on: &[bool]) -> (Vec<Lit>, Vec<Lit>) {
    let side = |wanted: bool| {
        let chosen = arguments.iter().zip(handed_on).filter(move |(_, handed_on)| **handed_on == wanted);
        chosen.map(|(argument, _)| *argument).collect()
    };
    (side(true), side(false))
}

/// The arguments of a path.
fn path(fixed: &[Lit], from: &[Lit], to: &[Lit]) -> Box<[Lit]> {
    [fixed, from, to].concat().into()
}

/// The body where it calls itself: what it asks itself for is where the path begins.
fn step(circuit: &mut Circuit, body: &Body, own: usize, handed_on: &[bool], holes: Box<[Hole]>) -> Body {
    let (fixed, to) = split(&body.arguments, handed_on);
    let (_, from) = split(&body.holes[own].arguments, handed_on);
    let guard = circuit.and(body.guard, body.holes[own].active);
    Body { arguments: path(&fixed, &from, &to), guard, holes }
}

/// Inputs, from the first on.
fn inputs(circuit: &mut Circuit) -> impl FnMut(usize) -> Vec<Lit> {
    let mut next = 0;
    move |count| {
        next += count as u32;
        (next - count as u32..next).map(|number| circuit.input(number)).collect()
    }
}

/// The values in the middle, of inputs where they are not constant.
fn in_the_middle(constants: &[Option<bool>], take: &mut impl FnMut(usize) -> Vec<Lit>) -> Vec<Lit> {
    constants.iter().map(|constant| constant.map_or_else(|| take(1)[0], Lit::constant)).collect()
}

/// Where the first part ends: in the middle, if there is a second one.
fn choose(circuit: &mut Circuit, is_two: Lit, middle: &[Lit], to: &[Lit]) -> Vec<Lit> {
    middle.iter().zip(to).map(|(&middle, &to)| circuit.ite(is_two, middle, to)).collect()
}

/// One path or two, one after the other.
fn doubling(circuit: &mut Circuit, fixed: usize, middle: &[Option<bool>]) -> Body {
    let mut take = inputs(circuit);
    let (fixed, from, to) = (take(fixed), take(middle.len()), take(middle.len()));
    let (middle, is_two) = (in_the_middle(middle, &mut take), take(1)[0]);
    drop(take);
    let end = choose(circuit, is_two, &middle, &to);
    let first = Hole { active: Lit::TRUE, arguments: path(&fixed, &from, &end) };
    let second = Hole { active: is_two, arguments: path(&fixed, &middle, &to) };
    Body { arguments: path(&fixed, &from, &to), guard: Lit::TRUE, holes: [first, second].into() }
}

/// A start, or a start and a path from there.
fn whole(circuit: &mut Circuit, handed_on: &[bool], middle: &[Option<bool>]) -> Body {
    let mut take = inputs(circuit);
    let arguments = take(handed_on.len());
    let (fixed, to) = split(&arguments, handed_on);
    let (middle, is_two) = (in_the_middle(middle, &mut take), take(1)[0]);
    drop(take);
    let mut end = choose(circuit, is_two, &middle, &to).into_iter();
    let beginning = arguments.iter().zip(handed_on);
    let beginning = beginning.map(|(&argument, &fixed)| if fixed { argument } else { end.next().unwrap_or(argument) });
    let start = Hole { active: Lit::TRUE, arguments: beginning.collect() };
    let rest = Hole { active: is_two, arguments: path(&fixed, &middle, &to) };
    Body { arguments: arguments.into(), guard: Lit::TRUE, holes: [start, rest].into() }
}
