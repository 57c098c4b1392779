//! Recursion, by summary edges found one at a time (Godefroid, Theorem 8).
//!
//! The calls of a recursive procedure are looked up in a table of the points that are known of it, empty at first. A
//! procedure whose recursive calls are looked up is one without recursion, so that a quantified formula asks whether
//! it has a point that is not in its table; that is added, until there is none. If inputs and outputs are bounded,
//! there are polynomially many points, and each formula is polynomial: PSPACE. Otherwise the tables can be
//! exponential, and the algorithm is right all the same.
//!
//! Whether the table is of any use is asked first: if what is looked for cannot be reached even if recursive
//! calls give back anything, it cannot be reached.

use super::Question;
use crate::engine::system::{Argument, FactId, Interface, Translation};
use crate::limits::Reason;
use epitome_encodings::{Body, Circuit, Hole, Lit, PredicateId, System};

/// Which predicates are recursive, apart from loops, callees first.
pub(super) struct Recursion<'t> {
    /// By predicate; the root has none.
    interfaces: Vec<Option<&'t Interface>>,
    /// By predicate.
    is_recursive: Vec<bool>,
    components: Vec<Vec<PredicateId>>,
    /// By predicate: the hole that is a loop: the last one of a procedure with loops, or the only one in which it
    /// calls itself.
    own_hole: Vec<Option<usize>>,
}

impl<'t> Recursion<'t> {
    /// Nothing if there is none.
    pub(super) fn new(translation: &'t Translation<'_>, system: &System) -> Option<Recursion<'t>> {
        let ids = || (0..system.len() as u32).map(PredicateId);
        // A predicate that calls itself once is a loop, whether the procedure has one or recurs once.
        let own_hole = ids().map(|id| {
            let own: Vec<usize> =
                (0..system.callees(id).len()).filter(|&hole| system.callees(id)[hole] == id).collect();
            let has_loop =
                translation.procedure(id).is_some_and(|p| !translation.interfaces[p.index()].heads.is_empty());
            own.last().copied().filter(|_| has_loop || own.len() == 1)
        });
        let own_hole: Vec<Option<usize>> = own_hole.collect();
        let found = system.components(translation.root);
        let calls_itself = |id: PredicateId| {
            let callees = system.callees(id).iter().enumerate();
            callees.filter(|(_, callee)| **callee == id).any(|(hole, _)| own_hole[id.index()] != Some(hole))
        };
        let members = found.bottom_up.chunk_by(|&a, &b| found.of[a] == found.of[b]);
        let members =
            members.map(|members| members.iter().map(|&member| PredicateId(member as u32)).collect::<Vec<_>>());
        let components: Vec<Vec<PredicateId>> =
            members.filter(|members| members.len() > 1 || members.iter().any(|&id| calls_itself(id))).collect();
        let mut is_recursive = vec![false; system.len()];
        components.iter().flatten().for_each(|id| is_recursive[id.index()] = true);
        let interface = |id| translation.procedure(id).map(|procedure| &translation.interfaces[procedure.index()]);
        let interfaces = ids().map(interface).collect();
        (!components.is_empty()).then_some(Recursion { interfaces, is_recursive, components, own_hole })
    }

    /// The bits by which the summary edges of a recursive predicate differ, of the one with most.
    pub(super) fn widest(&self) -> usize {
        let recursive = self.components.iter().flatten();
        let width = |&id: &PredicateId| self.interface(id).map(|interface| interface.arguments().len());
        recursive.filter_map(width).max().unwrap_or(0)
    }

    fn interface(&self, predicate: PredicateId) -> Option<&'t Interface> {
        self.interfaces.get(predicate.index()).copied().flatten()
    }
}

/// What the calls of recursive predicates are looked up in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lookup {
    /// The points that are known.
    Tables,
    /// Anything goes.
    Anything,
}

/// The fact of the root, if it can be derived.
pub(super) fn derive(question: &mut Question<'_, '_, '_>, recursion: &Recursion<'_>) -> Result<Option<FactId>, Reason> {
    let root = question.root;
    let anything = looked_up(question, recursion, Lookup::Anything);
    if !question.is_derivable(&anything, root)? {
        return Ok(None);
    }
    for component in &recursion.components {
        loop {
            // What is looked for may be found with what is known already.
            let tables = looked_up(question, recursion, Lookup::Tables);
            if let Some(fact) = question.derive(&tables, root)? {
                return Ok(Some(fact));
            }
            let mut is_complete = true;
            for &predicate in component {
                while extend(question, recursion, predicate)? {
                    is_complete = false;
                }
            }
            if is_complete {
                break;
            }
        }
    }
    let tables = looked_up(question, recursion, Lookup::Tables);
    question.derive(&tables, root)
}

/// Finds a point of a predicate that is not in its table; false if there is none.
fn extend(
    question: &mut Question<'_, '_, '_>,
    recursion: &Recursion<'_>,
    predicate: PredicateId,
) -> Result<bool, Reason> {
    let mut system = looked_up(question, recursion, Lookup::Tables);
    let Some(interface) = recursion.interface(predicate) else { return Ok(false) };
    let (point, is_asked_for) = asked_for(&mut system.circuit, interface);
    let is_known = known_points(&mut system.circuit, question, predicate, &point);
    let guard = system.circuit.and(is_asked_for, !is_known);
    let hole = Hole { active: Lit::TRUE, arguments: point.into() };
    let body = Body { arguments: [].into(), guard, holes: [hole].into() };
    let root = system.add(body, [predicate].into());
    let before = question.tables[predicate.index()].len();
    question.derive(&system, root)?;
    Ok(question.tables[predicate.index()].len() > before)
}

/// A point that callers can ask for: at an exit with the values that they see, or at the target with none.
fn asked_for(circuit: &mut Circuit, interface: &Interface) -> (Vec<Lit>, Lit) {
    let mut next = 0;
    let mut fresh = |circuit: &mut Circuit| {
        next += 1;
        circuit.input(next - 1)
    };
    let (mut target, mut place, mut point) = (Lit::constant(interface.places() == 0), Vec::new(), Vec::new());
    let mut is_plain = Lit::TRUE;
    for argument in interface.arguments() {
        let signal = match argument {
            Argument::Value(var) if !interface.is_result(var) => Lit::FALSE,
            _ => fresh(circuit),
        };
        match argument {
            Argument::Target => target = signal,
            Argument::Place(_) => place.push(signal),
            _ => {}
        }
        if let Argument::Place(_) | Argument::Value(_) = argument {
            is_plain = circuit.and(is_plain, !signal);
        }
        point.push(signal);
    }
    let mut is_exit = Lit::FALSE;
    for exit in 0..interface.exits.len() {
        let here = circuit.is_number(&place, exit);
        is_exit = circuit.or(is_exit, here);
    }
    let is_asked_for = circuit.ite(target, is_plain, is_exit);
    (point, is_asked_for)
}

/// The system with tables in place of recursive calls.
fn looked_up(question: &mut Question<'_, '_, '_>, recursion: &Recursion<'_>, lookup: Lookup) -> System {
    let from = question.system;
    let recursive: Vec<PredicateId> =
        (0..from.len() as u32).map(PredicateId).filter(|id| recursion.is_recursive[id.index()]).collect();
    let table = |callee: PredicateId| {
        let place = recursive.iter().position(|id| *id == callee)?;
        Some(PredicateId((from.len() + place) as u32))
    };
    let mut system = System::default();
    system.circuit = from.circuit.clone();
    for id in (0..from.len() as u32).map(PredicateId) {
        let own = recursion.own_hole[id.index()];
        let callees = from.callees(id).iter().enumerate();
        let callees = callees.map(|(hole, &callee)| match own {
            Some(own) if own == hole => callee,
            _ => table(callee).unwrap_or(callee),
        });
        let callees: Box<[PredicateId]> = callees.collect();
        let copy = system.add(from.body(id).clone(), callees);
        if let Some(outputs) = from.outputs_if_total(id) {
            system.set_total(copy, outputs);
        }
    }
    for &predicate in &recursive {
        let arity = from.body(predicate).arguments.len();
        let point: Vec<Lit> = (0..arity as u32).map(|input| system.circuit.input(input)).collect();
        let guard = match lookup {
            Lookup::Anything => Lit::TRUE,
            Lookup::Tables => known_points(&mut system.circuit, question, predicate, &point),
        };
        system.add(Body { arguments: point.into(), guard, holes: [].into() }, [].into());
    }
    question.lookup = recursive;
    system
}

/// The point is one that is known of a predicate.
fn known_points(circuit: &mut Circuit, question: &Question<'_, '_, '_>, predicate: PredicateId, point: &[Lit]) -> Lit {
    let mut known = Lit::FALSE;
    for &fact in &question.tables[predicate.index()] {
        let values = &question.store.facts[fact as usize].point;
        let literals = point.iter().enumerate().map(|(place, signal)| signal.negate_if(!values.get(place)));
        let same = literals.fold(Lit::TRUE, |all, literal| circuit.and(all, literal));
        known = circuit.or(known, same);
    }
    known
}
