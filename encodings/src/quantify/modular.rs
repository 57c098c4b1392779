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
//! are no choice at all: they are what is requested.

use super::Recursive;
use crate::{Body, Circuit, Components, Gate, Hole, Lit, PredicateId, Qbf, Quantifier, Substitution, System};

/// A system as a quantified formula.
#[derive(Clone, Debug)]
pub struct Modular {
    /// True exactly if the root holds.
    pub qbf: Qbf,
    /// The root's first.
    pub heights: Vec<Height>,
}

/// A height of a system: what is opened there.
#[derive(Clone, Debug)]
pub struct Height {
    /// The predicates, and what the inputs of their bodies are in the formula.
    pub opened: Vec<(PredicateId, Vec<(u32, Lit)>)>,
    /// The inputs by which *forall* chooses a hole.
    pub choices: Vec<u32>,
}

/// The formula that a predicate holds of these values. `exclusive` may know that of two signals of the
/// system's circuit, both of one body, at most one is true where the guard is; to say no is always right.
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
/// let is_true = |value| modular(&system, main, &[value], &mut |_, _| false).unwrap().qbf.is_true();
/// assert_eq!([is_true(false), is_true(true)], [false, true]);
/// ```
pub fn modular(
    system: &System,
    root: PredicateId,
    values: &[bool],
    exclusive: &mut dyn FnMut(&Body, [Lit; 2]) -> bool,
) -> Result<Modular, Recursive> {
    let heights = heights(system, root)?;
    let top = heights[root.index()].unwrap_or(0);
    let mut builder = Builder {
        system,
        heights,
        substitution: Substitution::new(&system.circuit),
        circuit: Circuit::new(),
        next_input: 0,
        prefix: Vec::new(),
        matrix: Lit::TRUE,
    };
    let names = bits_for(system.len() + 1);
    let mut request = Request {
        name: number(root.index() + 1, names),
        arguments: values.iter().map(|&value| Lit::constant(value)).collect(),
    };
    let mut heights = Vec::new();
    for height in (0..=top).rev() {
        let (next, opened) = builder.open(height, &request, exclusive);
        heights.push(opened);
        request = next;
    }
    let qbf = Qbf::new(builder.circuit, builder.prefix, builder.matrix);
    Ok(Modular { qbf, heights })
}

/// By predicate that is reached: the longest chain of calls below it.
fn heights(system: &System, root: PredicateId) -> Result<Vec<Option<u32>>, Recursive> {
    let callee = |caller: usize, n: usize| Some(system.callees(PredicateId(caller as u32)).get(n)?.index());
    let components = Components::new(system.len(), [root.index()], callee);
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

struct Builder<'s> {
    system: &'s System,
    heights: Vec<Option<u32>>,
    substitution: Substitution<'s>,
    circuit: Circuit,
    next_input: u32,
    prefix: Vec<(Quantifier, Vec<u32>)>,
    matrix: Lit,
}

/// A body that is opened where the request names its predicate.
struct Opened {
    predicate: PredicateId,
    here: Lit,
    holes: Box<[Hole]>,
    /// By hole: the number under which *forall* chooses it.
    numbers: Vec<usize>,
}

impl Builder<'_> {
    fn fresh(&mut self, count: usize) -> Vec<u32> {
        let first = self.next_input;
        self.next_input += count as u32;
        (first..self.next_input).collect()
    }

    /// Opens the predicates of a height, and gives the request for the next one.
    fn open(
        &mut self,
        height: u32,
        request: &Request,
        exclusive: &mut dyn FnMut(&Body, [Lit; 2]) -> bool,
    ) -> (Request, Height) {
        let system = self.system;
        let members: Vec<PredicateId> =
            (0..system.len() as u32).map(PredicateId).filter(|id| self.heights[id.index()] == Some(height)).collect();
        let mut pool: Vec<u32> = Vec::new();
        let mut opened: Vec<Opened> = Vec::with_capacity(members.len());
        let mut inputs = Vec::with_capacity(members.len());
        let mut numbered: Vec<(usize, Vec<usize>)> = Vec::new();
        for predicate in members {
            let body_number = system.body_number(predicate);
            let known = numbered.iter().find(|(number, _)| *number == body_number).map(|(_, numbers)| numbers.clone());
            let numbers = known.unwrap_or_else(|| {
                let numbers = numbers_of_holes(system.body(predicate), exclusive);
                numbered.push((body_number, numbers.clone()));
                numbers
            });
            let here = self.is_named(request, predicate);
            let (holes, of_body) = self.copy(predicate, here, request, &mut pool);
            inputs.push((predicate, of_body));
            opened.push(Opened { predicate, here, holes, numbers });
        }
        self.prefix.push((Quantifier::Exists, pool));
        let choices = opened.iter().flat_map(|opened| &opened.numbers).max().map_or(0, |most| most + 1);
        let chosen = self.fresh(bits_for(choices));
        let chosen_bits: Vec<Lit> = chosen.iter().map(|&input| self.circuit.input(input)).collect();
        self.prefix.push((Quantifier::Forall, chosen.clone()));
        (self.next(request, &opened, &chosen_bits), Height { opened: inputs, choices: chosen })
    }

    fn equals(&mut self, bits: &[Lit], value: usize) -> Lit {
        let bits = bits.iter().enumerate().map(|(place, bit)| bit.negate_if(value >> place & 1 == 0));
        bits.fold(Lit::TRUE, |all, bit| self.circuit.and(all, bit))
    }

    fn is_named(&mut self, request: &Request, predicate: PredicateId) -> Lit {
        self.equals(&request.name, predicate.index() + 1)
    }

    /// The body of a predicate with the arguments that are requested; says that they are granted.
    fn copy(
        &mut self,
        predicate: PredicateId,
        here: Lit,
        request: &Request,
        pool: &mut Vec<u32>,
    ) -> (Box<[Hole]>, Vec<(u32, Lit)>) {
        let system = self.system;
        let body = system.body(predicate);
        let support = system.circuit.support(body.signals());
        let mut image: Vec<Option<Lit>> = vec![None; support.last().map_or(0, |&last| last as usize + 1)];
        for (argument, asked) in body.arguments.iter().zip(&request.arguments) {
            if let Gate::Input(number) = system.circuit.gate(*argument) {
                image[number as usize].get_or_insert(asked.negate_if(argument.is_negated()));
            }
        }
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
        let signals: Vec<Lit> = body.signals().collect();
        let into = &mut self.circuit;
        let mut rebuilt = self.substitution.substitute_all(into, &signals, |number| image[number as usize]).into_iter();
        let arguments: Vec<Lit> = rebuilt.by_ref().take(body.arguments.len()).collect();
        let mut granted = rebuilt.next().unwrap_or(Lit::FALSE);
        let holes = body.holes.iter().map(|hole| {
            let arguments = rebuilt.by_ref().take(hole.arguments.len()).collect();
            Hole { arguments, active: rebuilt.next().unwrap_or(Lit::FALSE) }
        });
        let holes: Box<[Hole]> = holes.collect();
        for (&argument, &asked) in arguments.iter().zip(&request.arguments) {
            let same = self.circuit.iff(argument, asked);
            granted = self.circuit.and(granted, same);
        }
        let granted = self.circuit.implies(here, granted);
        self.matrix = self.circuit.and(self.matrix, granted);
        (holes, support.iter().filter_map(|&number| Some((number, image[number as usize]?))).collect())
    }

    /// What is requested of the next height: the hole that is chosen, if it is active, or what was requested
    /// and not opened.
    fn next(&mut self, request: &Request, opened: &[Opened], chosen: &[Lit]) -> Request {
        let system = self.system;
        let any = opened.iter().fold(Lit::FALSE, |any, opened| self.circuit.or(any, opened.here));
        let mut name: Vec<Lit> = request.name.iter().map(|&bit| self.circuit.and(bit, !any)).collect();
        let mut arguments: Vec<Lit> = Vec::new();
        // What nobody asks for below need not be handed down.
        let lowest = opened.iter().filter_map(|opened| self.heights[opened.predicate.index()]).min().unwrap_or(0);
        let below = (0..system.len()).filter(|&index| self.heights[index].is_some_and(|height| height < lowest));
        let width = below.map(|index| system.body(PredicateId(index as u32)).arguments.len()).max().unwrap_or(0);
        for place in 0..width {
            let handed = request.arguments.get(place).copied().unwrap_or(Lit::FALSE);
            arguments.push(self.circuit.and(handed, !any));
        }
        for opened in opened {
            let callees = system.callees(opened.predicate);
            for ((hole, callee), &choice) in opened.holes.iter().zip(callees).zip(&opened.numbers) {
                let is_chosen = self.equals(chosen, choice);
                let is_asked = self.circuit.and(opened.here, hole.active);
                let is_asked = self.circuit.and(is_asked, is_chosen);
                for (place, bit) in name.iter_mut().enumerate() {
                    if (callee.index() + 1) >> place & 1 == 1 {
                        *bit = self.circuit.or(*bit, is_asked);
                    }
                }
                for (argument, &asked) in arguments.iter_mut().zip(&hole.arguments) {
                    let asked = self.circuit.and(is_asked, asked);
                    *argument = self.circuit.or(*argument, asked);
                }
            }
        }
        Request { name, arguments }
    }
}

/// By hole: a number, the same only for holes that are never active together.
fn numbers_of_holes(body: &Body, exclusive: &mut dyn FnMut(&Body, [Lit; 2]) -> bool) -> Vec<usize> {
    let mut numbers: Vec<usize> = Vec::with_capacity(body.holes.len());
    for hole in &body.holes {
        let mut fits = |number: usize| {
            let same = body.holes.iter().zip(&numbers).filter(|(_, other)| **other == number);
            let mut actives = same.map(|(other, _)| other.active);
            actives.all(|other| hole.active == Lit::FALSE || exclusive(body, [other, hole.active]))
        };
        let most = numbers.iter().max().map_or(0, |most| most + 1);
        let number = (0..most).find(|&number| fits(number)).unwrap_or(most);
        numbers.push(number);
    }
    numbers
}
