//! Calls: what a procedure needs of its caller, SelfLoop and Lift (Ball 3.1).
//!
//! A path edge relates the values when the procedure was entered to the values now. Only what the
//! procedure can change needs two values: the globals it may write and the inputs it assigns. An input
//! or global that it only reads is its own value at the entry, and locals do not count as input at all.
//! A procedure that is never called needs no values at the entry.
//!
//! A *summary* is the set of path edges at an exit without the locals that nobody outside can see. To
//! lift it to a call is one simultaneous substitution: values at the entry become what the caller has
//! or the arguments compute, values at the exit become the caller's new values.
//!
//! Procedures with the same shape share their frame, and calls of the same shape share their
//! substitutions, so that the store's cache knows the answer for the second of 100,000 procedures.

use super::bdd::{self, Bdd, Halt, Made, Memo, Store, Substitution};
use super::layout::Slot;
use super::transfer::Transfers;
use crate::model::{CallBox, Ersm, Initial, Leaf, ProcId, Var, bits_to_choose};
use epitome_encodings::Lit;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The interface of a procedure, as far as relations see it.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Interface {
    /// Globals it reads or writes.
    pub(super) used: Rc<[Slot]>,
    /// Globals it may write.
    pub(super) written: Rc<[Slot]>,
    /// Inputs, and whether it may assign them.
    pub(super) inputs: Vec<(Slot, bool)>,
    pub(super) outputs: Vec<Slot>,
    /// Locals other than inputs with a fixed initial value.
    fixed: Vec<(Slot, bool)>,
    /// Bits of the tag that tells its entries apart.
    pub(super) tags: u32,
    /// Somebody calls it.
    pub(super) is_called: bool,
}

impl Interface {
    /// Slots with a value at the entry of their own.
    pub(super) fn doubled(&self) -> impl Iterator<Item = Slot> + '_ {
        let inputs = self.inputs.iter().filter(|(_, changed)| *changed).map(|&(slot, _)| slot);
        self.written.iter().copied().chain(inputs).filter(|_| self.is_called)
    }
}

/// A procedure's interface with its BDDs.
pub(super) struct Frame {
    pub(super) interface: Interface,
    /// Values at the entry are the values now.
    self_loop: Bdd,
    /// The locals start like this.
    fixed: Bdd,
    /// What nobody sees of a path edge at an exit.
    hidden_at_exit: Bdd,
    entering: Memo,
    leaving: Memo,
}

impl Frame {
    /// Path edges at an entry, for these values there: SelfLoop.
    pub(super) fn enter(&self, store: &Store, values: &Bdd, tag: &Bdd) -> Made {
        self.entering.get((values, tag), || store.and(&store.and(values, &self.self_loop)?, tag))
    }

    /// All values with which the procedure could be entered.
    pub(super) fn any_values(&self) -> Bdd {
        self.fixed.clone()
    }

    /// What is seen of path edges at an exit.
    pub(super) fn summary(&self, store: &Store, at_exit: &Bdd) -> Made {
        self.leaving.get((at_exit, at_exit), || store.exists(at_exit, &self.hidden_at_exit))
    }
}

/// A call port.
pub(super) struct Call {
    pub(super) callee: Rc<Frame>,
    /// What each input is, over the caller's values and choices.
    pub(super) arguments: Vec<Bdd>,
    pub(super) results: Box<[Option<Slot>]>,
    /// Place of the entry in the callee's list.
    pub(super) entry: u32,
    /// The caller's slots that can be different after the call.
    pub(super) changed: Box<[Slot]>,
    /// Entering: forget what the callee does not see, compute the arguments, forget the caller's values.
    irrelevant: Bdd,
    passing: Bdd,
    callers: Bdd,
    to_inputs: Substitution,
    /// Lifting: forget what goes nowhere, rename, forget the choices.
    dropped: Bdd,
    lift: Substitution,
    choices: Bdd,
    /// Joining.
    overwritten: Bdd,
    advance: Option<Rc<Substitution>>,
    entering: Memo,
    joining: Memo,
}

impl Call {
    /// The callee's values when it is entered.
    pub(super) fn enter(&self, store: &Store, at_call: &Bdd) -> Made {
        self.entering.get((at_call, at_call), || {
            let seen = store.exists(at_call, &self.irrelevant)?;
            let passed = store.and_exists(&seen, &self.passing, &self.callers)?;
            let values = store.substitute(&passed, &self.to_inputs)?;
            store.and(&values, &self.callee.fixed)
        })
    }

    /// A summary of the callee as a relation of the caller's values: Lift.
    pub(super) fn lift(&self, store: &Store, summary: &Bdd) -> Made {
        let seen = store.exists(summary, &self.dropped)?;
        store.exists(&store.substitute(&seen, &self.lift)?, &self.choices)
    }

    /// Path edges after the call, from those before it and a summary.
    pub(super) fn join(&self, store: &Store, at_call: &Bdd, summary: &Bdd) -> Made {
        self.joining.get((at_call, summary), || {
            let after = store.and_exists(at_call, &self.lift(store, summary)?, &self.overwritten)?;
            match &self.advance {
                Some(advance) => store.substitute(&after, advance),
                None => Ok(after),
            }
        })
    }
}

type CallKey = (Interface, Box<[Lit]>, Box<[Option<Var>]>, u32);

/// Makes frames and calls, each once.
pub(super) struct Calls {
    interfaces: Vec<Interface>,
    frames: FxHashMap<Interface, Rc<Frame>>,
    calls: FxHashMap<CallKey, Rc<Call>>,
}

impl Calls {
    pub(super) fn new(ersm: &Ersm) -> Calls {
        Calls { interfaces: interfaces(ersm), frames: FxHashMap::default(), calls: FxHashMap::default() }
    }

    pub(super) fn frame(&mut self, transfers: &Transfers<'_>, procedure: ProcId) -> Result<Rc<Frame>, Halt> {
        let interface = &self.interfaces[procedure.index()];
        if let Some(known) = self.frames.get(interface) {
            return Ok(known.clone());
        }
        let frame = Rc::new(build_frame(transfers, interface.clone())?);
        self.frames.insert(interface.clone(), frame.clone());
        Ok(frame)
    }

    pub(super) fn call(&mut self, transfers: &mut Transfers<'_>, site: &CallBox, entry: u32) -> Result<Rc<Call>, Halt> {
        let interface = self.interfaces[site.callee.index()].clone();
        let key = (interface, site.arguments.clone(), site.results.clone(), entry);
        if let Some(known) = self.calls.get(&key) {
            return Ok(known.clone());
        }
        let frame = self.frame(transfers, site.callee)?;
        let call = Rc::new(build_call(transfers, frame, site, entry)?);
        self.calls.insert(key, call.clone());
        Ok(call)
    }
}

fn interfaces(ersm: &Ersm) -> Vec<Interface> {
    let is_called = ersm.called();
    let globals = ersm.globals.len() as u32;
    let all: Rc<[Slot]> = (0..globals).collect();
    let interface = |(index, procedure): (usize, &crate::model::Procedure)| {
        let mut assigned = vec![false; procedure.locals.len()];
        for var in procedure.assigned() {
            if let Var::Local(local) = var {
                assigned[local as usize] = true;
            }
        }
        let fixed = procedure.locals.iter().enumerate().filter_map(|(local, variable)| match variable.initial {
            Initial::Fixed(value) if !procedure.inputs.contains(&(local as u32)) => {
                Some((globals + local as u32, value))
            }
            _ => None,
        });
        let (used, written) = match &procedure.footprint {
            Some(footprint) => (Rc::from(&*footprint.used), Rc::from(&*footprint.written)),
            None => (all.clone(), all.clone()),
        };
        Interface {
            used,
            written,
            inputs: procedure.inputs.iter().map(|&input| (globals + input, assigned[input as usize])).collect(),
            outputs: procedure.outputs.iter().map(|&output| globals + output).collect(),
            fixed: fixed.collect(),
            tags: bits_to_choose(procedure.entries.len()),
            is_called: is_called[index],
        }
    };
    ersm.procedures.iter().enumerate().map(interface).collect()
}

fn build_frame(transfers: &Transfers<'_>, interface: Interface) -> Result<Frame, Halt> {
    let (store, layout) = (transfers.store, transfers.layout);
    let mut self_loop = store.top();
    // From the last variable up: what there is becomes part of the next, and is not made again.
    let mut doubled: Vec<Slot> = interface.doubled().collect();
    doubled.sort_unstable_by_key(|&slot| std::cmp::Reverse(layout.entry(slot)));
    for slot in doubled {
        let same = store.iff(&store.variable(layout.entry(slot)), &store.variable(layout.now(slot)))?;
        self_loop = store.and(&self_loop, &same)?;
    }
    let fixed = store.cube(interface.fixed.iter().map(|&(slot, value)| (layout.now(slot), value)))?;
    let seen = |slot: &Slot| {
        interface.outputs.contains(slot) || interface.inputs.iter().any(|(input, changed)| input == slot && !changed)
    };
    let hidden = (layout.globals..layout.slots).filter(|slot| !seen(slot)).map(|slot| layout.now(slot));
    let hidden_at_exit = store.variables(hidden)?;
    let (entering, leaving) = Default::default();
    Ok(Frame { interface, self_loop, fixed, hidden_at_exit, entering, leaving })
}

fn build_call(transfers: &mut Transfers<'_>, callee: Rc<Frame>, site: &CallBox, entry: u32) -> Result<Call, Halt> {
    let no_aliases = FxHashMap::default();
    let mut arguments = Vec::with_capacity(site.arguments.len());
    for &argument in &site.arguments {
        arguments.push(transfers.function(argument, &no_aliases)?);
    }
    let (store, layout) = (transfers.store, transfers.layout);
    let interface = &callee.interface;
    let support = transfers.ersm.circuit.support(site.arguments.iter().copied().filter(|a| a.as_constant().is_none()));
    let mut read = Vec::new();
    let mut choices = Vec::new();
    for leaf in support.into_iter().map(Leaf::from_number) {
        match leaf {
            Leaf::Var(var) => read.push(layout.slot(var)),
            Leaf::Choice(choice) => choices.push(layout.choice(choice)),
        }
    }
    let needed = |slot: &Slot| interface.used.binary_search(slot).is_ok() || read.contains(slot);
    let entries = (0..layout.slots).map(|slot| layout.entry(slot));
    let tags = (0..layout.tags).map(|bit| layout.tag(bit));
    let unneeded = (0..layout.slots).filter(|slot| !needed(slot)).map(|slot| layout.now(slot));
    let irrelevant = store.variables(entries.chain(tags).chain(unneeded))?;
    let mut passing = store.top();
    for (&(input, _), argument) in interface.inputs.iter().zip(&arguments) {
        passing = store.and(&passing, &store.iff(&store.variable(layout.next(input)), argument)?)?;
    }
    let unseen = |slot: &Slot| *slot >= layout.globals || interface.used.binary_search(slot).is_err();
    let callers = read.iter().copied().filter(unseen).map(|slot| layout.now(slot));
    let callers = store.variables(callers.chain(choices.iter().copied()))?;
    let inputs = interface.inputs.iter();
    let to_inputs = Store::substitution(inputs.map(|&(slot, _)| (layout.next(slot), store.variable(layout.now(slot)))));

    let results: Box<[Option<Slot>]> = site.results.iter().map(|target| target.map(|var| layout.slot(var))).collect();
    let is_target = |slot: &Slot| results.contains(&Some(*slot));
    let lost = interface.outputs.iter().zip(&results).filter(|(_, target)| target.is_none()).map(|(&output, _)| output);
    let replaced = interface.written.iter().copied().filter(is_target);
    let dropped = store.variables(lost.chain(replaced).map(|slot| layout.now(slot)))?;
    let lift = Store::substitution(lifting(transfers, interface, &arguments, &results, entry));
    let mut changed: Vec<Slot> = interface.written.iter().copied().chain(results.iter().flatten().copied()).collect();
    changed.sort_unstable();
    changed.dedup();
    Ok(Call {
        arguments,
        entry,
        irrelevant,
        passing,
        callers,
        to_inputs,
        dropped,
        lift,
        choices: store.variables(choices)?,
        overwritten: store.variables(changed.iter().map(|&slot| layout.now(slot)))?,
        advance: transfers.advance(&changed),
        results,
        changed: changed.into(),
        callee,
        entering: Memo::default(),
        joining: Memo::default(),
    })
}

/// What becomes of the variables of a summary in the caller's terms.
fn lifting(
    transfers: &Transfers<'_>,
    interface: &Interface,
    arguments: &[Bdd],
    results: &[Option<Slot>],
    entry: u32,
) -> Vec<(bdd::Var, Bdd)> {
    let (store, layout) = (transfers.store, transfers.layout);
    let mut pairs = Vec::new();
    for (&(input, changed), argument) in interface.inputs.iter().zip(arguments) {
        pairs.push((if changed { layout.entry(input) } else { layout.now(input) }, argument.clone()));
    }
    for &global in interface.written.iter() {
        pairs.push((layout.entry(global), store.variable(layout.now(global))));
        if !results.contains(&Some(global)) {
            pairs.push((layout.now(global), store.variable(layout.next(global))));
        }
    }
    for (&output, target) in interface.outputs.iter().zip(results) {
        if let Some(target) = target {
            pairs.push((layout.now(output), store.variable(layout.next(*target))));
        }
    }
    pairs.extend((0..interface.tags).map(|bit| (layout.tag(bit), store.constant(entry >> bit & 1 == 1))));
    pairs
}
