//! The modular encoding: one copy of each predicate's body, which all its uses share (Godefroid 6.3).
//!
//! Let the height of a predicate be the length of the longest chain of calls below it. The formula goes down from
//! height to height with one *request*: the name of a predicate and its arguments. At each height *exists* chooses
//! the inputs of the body that is named, if the predicate has this height, and *forall* chooses one of its holes,
//! whose use is the request for the next height; otherwise the request is handed down. So
//!
//! > ∃z ∀k ∃z' ∀k' …  (the request is granted at every height)
//!
//! with as many blocks as there are heights, and a size that is linear in the system, plus the width of a
//! request for each height. *forall* does not choose arguments but a number: what is requested is a function of the
//! choices, and only log n bits are universal for n holes. Holes that are never active together share a
//! number, so that a choice of *exists* between two calls is none of *forall*.
//!
//! Bodies of the same height share their inputs, since only one of them is opened. Inputs that are arguments
//! are no choice at all: they are what is requested. What nobody needs to know is not requested ([`demand`], [`holes`]): so
//! the formula of the program that evaluates a quantified formula (Godefroid, Fig. 3) is much like that formula.

mod demand;
mod holes;

pub use holes::Contradiction;

use super::Recursive;
use crate::need::Need;
use crate::{Circuit, Gate, Hole, Lit, PredicateId, Qbf, Quantifier, Substitution, System};
use demand::{Uses, demands};
use holes::{Asking, Claimed, Planner, Slot};

/// A system as a quantified formula.
#[derive(Clone, Debug)]
pub struct Modular {
    /// True exactly if the root holds. Inputs with a plain best value are left out.
    pub qbf: Qbf,
    /// The circuit of the signals below. Inputs have the same numbers as in the formula.
    pub circuit: Circuit,
    /// The inputs that were left out, with their values.
    pub plain: Vec<(u32, bool)>,
    /// The root's first.
    pub heights: Vec<Height>,
    /// The holes of the root: what must be true of them.
    pub root_holes: Vec<RootHole>,
}

/// A hole of the root's body.
#[derive(Clone, Debug)]
pub struct RootHole {
    /// Where it is asked at all. Where it is active and not asked, whatever it gives back will do.
    pub asked: Lit,
    /// By argument: it has to be 1 where 1 is asked for, and 0 where 0 is.
    pub needs: Vec<(bool, bool)>,
}

/// A height of a system: what is opened there.
#[derive(Clone, Debug)]
pub struct Height {
    /// The predicates, and what the inputs of their bodies are in the formula.
    pub opened: Vec<(PredicateId, Vec<(u32, Lit)>)>,
    /// The inputs by which *forall* chooses a hole.
    pub choices: Vec<u32>,
}

/// The formula that a predicate holds of these values, or of some where there are none.
///
/// ```
/// use epitome_encodings::{Body, Hole, Lit, PredicateId, System, modular};
/// // main uses or(x, y) with x = 0: true if y is.
/// let mut system = System::default();
/// let [x, y] = [0, 1].map(|number| system.circuit.input(number));
/// let guard = system.circuit.or(x, y);
/// let or = system.add(Body { arguments: [x, y].into(), guard, holes: [].into() }, [].into());
/// let hole = Hole { active: Lit::TRUE, arguments: [Lit::FALSE, x].into() };
/// let main = system.add(Body { arguments: [x].into(), guard: Lit::TRUE, holes: [hole].into() }, [or].into());
/// let is_true = |value| modular(&system, main, &[Some(value)], &mut |_, _| false).unwrap().qbf.is_true();
/// assert_eq!([is_true(false), is_true(true)], [false, true]);
/// ```
pub fn modular(
    system: &System,
    root: PredicateId,
    values: &[Option<bool>],
    contradiction: &mut Contradiction<'_>,
) -> Result<Modular, Recursive> {
    let heights = heights(system, root)?;
    let top = heights[root.index()].unwrap_or(0);
    let mut top_down: Vec<PredicateId> =
        (0..system.len() as u32).map(PredicateId).filter(|id| heights[id.index()].is_some()).collect();
    top_down.sort_by_key(|id| (std::cmp::Reverse(heights[id.index()]), *id));
    let (needs, uses) = demands(system, &top_down, values);
    let mut circuit = system.circuit.clone();
    let asking = plan(system, &top_down, &mut circuit, &needs, &uses, contradiction);
    let mut builder = Builder {
        system,
        needs,
        asking,
        substitution: Substitution::new(&circuit),
        circuit: Circuit::new(),
        next_input: 0,
        prefix: Vec::new(),
        matrix: Lit::TRUE,
        root_slots: Vec::new(),
    };
    let names = bits_for(system.len() + 1);
    let mut request = Request {
        name: number(root.index() + 1, names),
        arguments: values.iter().map(|value| Lit::constant(*value == Some(true))).collect(),
    };
    let mut opened_heights = Vec::new();
    for members in top_down.chunk_by(|a, b| heights[a.index()] == heights[b.index()]) {
        let below = heights[members[0].index()].unwrap_or(top);
        let widths = top_down.iter().filter(|id| heights[id.index()].is_some_and(|height| height < below));
        let width = widths.map(|id| system.body(*id).arguments.len()).max().unwrap_or(0);
        let (next, opened) = builder.open(members, &request, width);
        opened_heights.push(opened);
        request = next;
    }
    let root_holes = builder.root_holes(root);
    let whole = Qbf::new(builder.circuit.clone(), builder.prefix, builder.matrix);
    let (qbf, plain) = whole.simplified();
    Ok(Modular { qbf, heights: opened_heights, root_holes, circuit: builder.circuit, plain })
}

/// How the holes of each predicate are asked, and what is claimed wherever it is asked itself.
type Plan = Option<(Asking, Option<Claimed>)>;

/// Callers first, since what they claim matters to those they call.
fn plan(
    system: &System,
    top_down: &[PredicateId],
    circuit: &mut Circuit,
    needs: &[Vec<Need>],
    uses: &[Option<Uses>],
    contradiction: &mut Contradiction<'_>,
) -> Vec<Plan> {
    let mut plans: Vec<Plan> = vec![None; system.len()];
    // By predicate: what all callers so far claim alike; nothing if they do not.
    let mut claimed: Vec<Option<Option<Claimed>>> = vec![None; system.len()];
    for &predicate in top_down {
        let own = claimed[predicate.index()].flatten();
        let Some(uses) = &uses[predicate.index()] else { continue };
        let mut planner = Planner { system, circuit: &mut *circuit, needs, contradiction: &mut *contradiction };
        let asking = planner.plan(predicate, uses, own);
        for (callee, claim) in system.callees(predicate).iter().zip(&asking.claimed) {
            let known = claimed[callee.index()].get_or_insert(*claim);
            if *known != *claim {
                *known = None;
            }
        }
        plans[predicate.index()] = Some((asking, own));
    }
    plans
}

/// By predicate that is reached: the longest chain of calls below it.
fn heights(system: &System, root: PredicateId) -> Result<Vec<Option<u32>>, Recursive> {
    let components = system.components(root);
    let mut heights: Vec<Option<u32>> = vec![None; system.len()];
    for &predicate in &components.bottom_up {
        let mut height = 0;
        for callee in system.callees(PredicateId(predicate as u32)) {
            height = height.max(1 + heights[callee.index()].ok_or(Recursive)?);
        }
        heights[predicate] = Some(height);
    }
    Ok(heights)
}

/// What is asked for: the number of a predicate, from 1, and its arguments. Number 0 is nothing.
struct Request {
    name: Vec<Lit>,
    arguments: Vec<Lit>,
}

fn bits_for(count: usize) -> usize {
    (usize::BITS - count.saturating_sub(1).leading_zeros()) as usize
}

fn number(value: usize, bits: usize) -> Vec<Lit> {
    (0..bits).map(|bit| Lit::constant(value >> bit & 1 == 1)).collect()
}

struct Builder<'s, 'c> {
    system: &'s System,
    needs: Vec<Vec<Need>>,
    asking: Vec<Plan>,
    substitution: Substitution<'c>,
    circuit: Circuit,
    next_input: u32,
    prefix: Vec<(Quantifier, Vec<u32>)>,
    matrix: Lit,
    /// The slots of the first body that was opened.
    root_slots: Vec<Slot>,
}

/// A body that is opened where the request names its predicate.
struct Opened {
    predicate: PredicateId,
    here: Lit,
    holes: Vec<Hole>,
    slots: Vec<Slot>,
}

/// Values of the name and the arguments of a request, under some condition.
type Values = Vec<Lit>;

impl Builder<'_, '_> {
    fn fresh(&mut self, count: usize) -> Vec<u32> {
        let first = self.next_input;
        self.next_input += count as u32;
        (first..self.next_input).collect()
    }

    /// Opens the predicates of a height, and gives the request for the next one, of this width.
    fn open(&mut self, members: &[PredicateId], request: &Request, width: usize) -> (Request, Height) {
        let mut pool: Vec<u32> = Vec::new();
        let mut opened: Vec<Opened> = Vec::with_capacity(members.len());
        let mut inputs = Vec::with_capacity(members.len());
        for &predicate in members {
            let here = self.circuit.is_number(&request.name, predicate.index() + 1);
            let (body, of_body) = self.copy(predicate, here, request, &mut pool);
            inputs.push((predicate, of_body));
            opened.push(body);
        }
        self.prefix.push((Quantifier::Exists, pool));
        let choices = opened.iter().map(|opened| opened.slots.len()).max().unwrap_or(0);
        let choices = self.fresh(bits_for(choices));
        let chosen: Vec<Lit> = choices.iter().map(|&input| self.circuit.input(input)).collect();
        self.prefix.push((Quantifier::Forall, choices.clone()));
        (self.next(request, &opened, &chosen, width), Height { opened: inputs, choices })
    }

    fn root_holes(&self, root: PredicateId) -> Vec<RootHole> {
        let callees = self.system.callees(root).iter().enumerate();
        let asked = |hole: usize| {
            let mut holes = self.root_slots.iter().flat_map(|slot| &slot.holes);
            holes.find(|(other, _)| *other == hole).map_or(Lit::FALSE, |(_, asked)| *asked)
        };
        let needs =
            |callee: &PredicateId| self.needs[callee.index()].iter().map(|need| (need.one, need.zero)).collect();
        callees.map(|(hole, callee)| RootHole { asked: asked(hole), needs: needs(callee) }).collect()
    }

    /// The body of a predicate with the arguments that are requested; says that they are granted.
    fn copy(
        &mut self,
        predicate: PredicateId,
        here: Lit,
        request: &Request,
        pool: &mut Vec<u32>,
    ) -> (Opened, Vec<(u32, Lit)>) {
        let system = self.system;
        let body = system.body(predicate);
        let (asking, claimed) = self.asking[predicate.index()].clone().unwrap_or_default();
        let mut asked = request.arguments.clone();
        if let Some((place, value)) = claimed {
            asked[place] = Lit::constant(value);
        }
        let support = system.circuit.support(body.signals());
        let mut image = self.requested(predicate, &asked, support.last().map_or(0, |&last| last as usize + 1));
        let mut used = 0;
        for &number in &support {
            if image[number as usize].is_none() {
                if used == pool.len() {
                    pool.extend(self.fresh(1));
                }
                image[number as usize] = Some(self.circuit.input(pool[used]));
                used += 1;
            }
        }
        let mut signals: Vec<Lit> = body.signals().collect();
        signals.extend(asking.slots.iter().flat_map(|slot| slot.holes.iter().map(|(_, asked)| *asked)));
        let into = &mut self.circuit;
        let mut rebuilt = self.substitution.substitute_all(into, &signals, |number| image[number as usize]).into_iter();
        let arguments: Vec<Lit> = rebuilt.by_ref().take(body.arguments.len()).collect();
        let mut granted = rebuilt.next().unwrap_or(Lit::FALSE);
        let holes = body.holes.iter().map(|hole| {
            let arguments = rebuilt.by_ref().take(hole.arguments.len()).collect();
            Hole { arguments, active: rebuilt.next().unwrap_or(Lit::FALSE) }
        });
        let holes: Vec<Hole> = holes.collect();
        let slots = asking.slots.iter().map(|slot| Slot {
            holes: slot.holes.iter().map(|(hole, _)| (*hole, rebuilt.next().unwrap_or(Lit::FALSE))).collect(),
            always: slot.always,
        });
        let slots: Vec<Slot> = slots.collect();
        if self.prefix.is_empty() {
            self.root_slots = slots.clone();
        }
        for ((argument, asked), need) in arguments.into_iter().zip(asked).zip(self.needs[predicate.index()].clone()) {
            if need.one {
                let same = self.circuit.implies(asked, argument);
                granted = self.circuit.and(granted, same);
            }
            if need.zero {
                let same = self.circuit.implies(!asked, !argument);
                granted = self.circuit.and(granted, same);
            }
        }
        let granted = self.circuit.implies(here, granted);
        self.matrix = self.circuit.and(self.matrix, granted);
        let inputs = support.iter().filter_map(|&number| Some((number, image[number as usize]?))).collect();
        (Opened { predicate, here, holes, slots }, inputs)
    }

    /// The inputs of a body that are what is requested. (If only a 1 has to be granted, that is more than is asked
    /// for where 0 is; but who asks may as well ask for what there is.)
    fn requested(&self, predicate: PredicateId, asked: &[Lit], inputs: usize) -> Vec<Option<Lit>> {
        let system = self.system;
        let mut image: Vec<Option<Lit>> = vec![None; inputs];
        let arguments = system.body(predicate).arguments.iter().zip(asked).zip(&self.needs[predicate.index()]);
        for ((&argument, asked), _) in arguments.filter(|(_, need)| **need != Need::default()) {
            if let Gate::Input(number) = system.circuit.gate(argument) {
                image[number as usize].get_or_insert(asked.negate_if(argument.is_negated()));
            }
        }
        image
    }

    /// What is requested of the next height: the hole that is chosen, if it is asked, or what was requested
    /// and not opened.
    fn next(&mut self, request: &Request, opened: &[Opened], chosen: &[Lit], width: usize) -> Request {
        let names = request.name.len();
        let any = opened.iter().fold(Lit::FALSE, |any, opened| self.circuit.or(any, opened.here));
        let handed_down = request.name.iter().chain(&request.arguments).copied().chain(std::iter::repeat(Lit::FALSE));
        let mut next: Values = handed_down.take(names + width).map(|bit| self.circuit.and(bit, !any)).collect();
        for opened in opened {
            let mut layer: Vec<Values> =
                opened.slots.iter().map(|slot| self.slot(opened, slot, names, width)).collect();
            for &bit in chosen {
                let nothing = vec![Lit::FALSE; names + width];
                let pairs = layer.chunks(2).map(|pair| (&pair[0], pair.get(1).unwrap_or(&nothing)));
                let choose = |(no, yes): (&Values, &Values)| -> Values {
                    no.iter().zip(yes).map(|(&no, &yes)| self.circuit.ite(bit, yes, no)).collect()
                };
                layer = pairs.map(choose).collect();
            }
            for (bit, &value) in next.iter_mut().zip(layer.iter().flatten()) {
                let value = self.circuit.and(opened.here, value);
                *bit = self.circuit.or(*bit, value);
            }
        }
        let arguments = next.split_off(names);
        Request { name: next, arguments }
    }

    /// What is requested by the holes of one number.
    fn slot(&mut self, opened: &Opened, slot: &Slot, names: usize, width: usize) -> Values {
        let values = |hole: usize| -> Values {
            let callee = self.system.callees(opened.predicate)[hole];
            let arguments = opened.holes[hole].arguments.iter().copied().chain(std::iter::repeat(Lit::FALSE));
            number(callee.index() + 1, names).into_iter().chain(arguments.take(width)).collect()
        };
        let mut holes = slot.holes.iter().rev();
        let mut chosen = match slot.always {
            true => holes.next().map(|(hole, _)| values(*hole)).unwrap_or_default(),
            false => vec![Lit::FALSE; names + width],
        };
        for &(hole, asked) in holes {
            let others = chosen.into_iter().zip(values(hole));
            chosen = others.map(|(other, value)| self.circuit.ite(asked, value, other)).collect();
        }
        chosen
    }
}
