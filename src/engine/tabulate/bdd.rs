//! The narrow door to the BDD library: nothing of it is seen outside this file.
//!
//! The library is OxiDD, plain BDDs without complement edges, one thread. Measured on relations of
//! Boolean programs (`cargo bench -p epitome-benchmarks --bench bdd_libraries`) against BDDs with
//! complement edges of the same library and biodivine-lib-bdd 0.6, in microseconds a round: image,
//! renaming, difference and union of relations with four variables 0.15, 0.18 and 0.67; the same in a
//! breadth-first search through a 14-bit counter 1.4, 2.4 and 3.6; squaring the relation of a 20-bit
//! counter on the way to its closure 19, 22 and 46. OxiDD also substitutes simultaneously in any order of
//! variables, collects garbage, can be reordered, and reports lack of nodes as an error.
//!
//! A store has a fixed number of nodes and a fixed cache. Lack of nodes is answered with a collection of
//! garbage, then with [`Halt::Full`]; the caller starts again with a larger store, or gives up. Limits are
//! looked at before operations, so that whoever makes diagrams stops in time.

mod levels;
mod memo;
mod upkeep;

pub(super) use levels::Levels;
pub(super) use memo::Memo;

use crate::limits::{Limits, Reason, SMALL_STACK, address_space_left, can_start_threads};
use oxidd::bdd::{BDDFunction, BDDManagerRef};
use oxidd::util::{AllocResult, OptBool};
use oxidd::{
    BooleanFunction, BooleanFunctionQuant, BooleanOperator, Function, FunctionSubst, Manager, ManagerRef, Subst,
};
use std::cell::RefCell;
use upkeep::Upkeep;

/// A set of valuations, or a relation between them.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Bdd(BDDFunction);

/// A variable of the store.
pub(super) type Var = u32;

/// Why an operation gave nothing.
#[derive(Clone, Debug)]
pub(super) enum Halt {
    /// The store has no room for another node.
    Full,
    /// A limit was reached.
    Limit(Reason),
}

/// What most operations give.
pub(super) type Made = Result<Bdd, Halt>;

/// A simultaneous substitution, prepared to be applied often.
pub(super) struct Substitution(Subst<BDDFunction>);

/// All BDDs of one search.
pub(super) struct Store {
    manager: BDDManagerRef,
    /// Nodes there is room for.
    nodes: usize,
    top: Bdd,
    bottom: Bdd,
    /// Each variable, and its negation.
    literals: Vec<[Bdd; 2]>,
    upkeep: Upkeep,
}

impl Drop for Store {
    fn drop(&mut self) {
        if self.nodes == REUSED && !self.upkeep.reordered() {
            self.literals.clear();
            // The next search counts its own nodes only.
            self.collect();
            SPARE.set(Some(self.manager.clone()));
        }
    }
}

/// A manager costs half a millisecond, more than a small search. The smallest one is used again by the
/// next search of the thread, which adds the variables it lacks.
const REUSED: usize = 1 << 15;

thread_local! {
    static SPARE: RefCell<Option<BDDManagerRef>> = const { RefCell::new(None) };
}

impl Store {
    /// Bytes that a node takes at most, its place in the unique table included.
    pub(super) const NODE_BYTES: u64 = 32;

    /// The most nodes for which there is room within limits, and within the address space: it takes
    /// addresses for more nodes than there will be, for the cache, and for the library's thread.
    pub(super) fn room(limits: &Limits) -> usize {
        let by_memory = limits.free_bytes().map(|bytes| bytes / Store::NODE_BYTES);
        let addresses = address_space_left().map(|bytes| bytes.saturating_sub(stack_of_library()));
        let by_addresses = addresses.map(|bytes| bytes / (Store::NODE_BYTES * (SPACE as u64 + 1)));
        by_memory.into_iter().chain(by_addresses).min().map_or(usize::MAX, |nodes| nodes as usize)
    }

    /// Room for so many nodes, and a cache of so many operations.
    pub(super) fn new(variables: usize, nodes: usize, cache: usize) -> Result<Store, Halt> {
        let spare = if nodes == REUSED { SPARE.take() } else { None };
        let manager = spare.map_or_else(|| new_manager(nodes, cache), Ok)?;
        manager.with_manager_exclusive(|manager| {
            let lacking = (variables as u32).saturating_sub(manager.num_vars());
            manager.add_vars(lacking);
        });
        manager.with_manager_shared(|shared| {
            let literal = |v| Some([BDDFunction::not_var(shared, v).ok()?, BDDFunction::var(shared, v).ok()?].map(Bdd));
            let literals = (0..variables as u32).map(literal).collect::<Option<_>>().ok_or(Halt::Full)?;
            let (top, bottom) = (Bdd(BDDFunction::t(shared)), Bdd(BDDFunction::f(shared)));
            Ok(Store { manager: manager.clone(), nodes, top, bottom, literals, upkeep: Upkeep::new(nodes) })
        })
    }

    /// Operations stop at these limits.
    pub(super) fn with_limits(mut self, limits: &Limits) -> Store {
        self.upkeep.set_limits(limits);
        self
    }

    /// The order of variables is changed when the diagrams have grown; variables of a group stay together.
    pub(super) fn with_reordering(mut self, groups: Vec<Vec<Var>>) -> Store {
        self.upkeep.set_groups(groups);
        self
    }

    /// Everything.
    pub(super) fn top(&self) -> Bdd {
        self.top.clone()
    }

    /// Nothing.
    pub(super) fn bottom(&self) -> Bdd {
        self.bottom.clone()
    }

    /// The constant.
    pub(super) fn constant(&self, value: bool) -> Bdd {
        if value { self.top() } else { self.bottom() }
    }

    /// Where the variable is 1.
    pub(super) fn variable(&self, variable: Var) -> Bdd {
        self.literal(variable, true)
    }

    /// Where the variable has this value.
    pub(super) fn literal(&self, variable: Var, value: bool) -> Bdd {
        self.literals[variable as usize][usize::from(value)].clone()
    }

    /// A conjunction of literals: for quantification (positive ones) or restriction.
    pub(super) fn cube(&self, literals: impl IntoIterator<Item = (Var, bool)>) -> Made {
        let mut literals: Vec<(Var, bool)> = literals.into_iter().collect();
        // From the last level up each conjunction is one new node.
        self.manager.with_manager_shared(|manager| {
            literals.sort_unstable_by_key(|&(variable, _)| std::cmp::Reverse(manager.var_to_level(variable)));
        });
        let mut cube = self.top();
        for (variable, value) in literals {
            cube = self.and(&cube, &self.literals[variable as usize][usize::from(value)])?;
        }
        Ok(cube)
    }

    /// The positive cube of these variables.
    pub(super) fn variables(&self, variables: impl IntoIterator<Item = Var>) -> Made {
        self.cube(variables.into_iter().map(|variable| (variable, true)))
    }

    /// Replaces variables by functions, all at once.
    pub(super) fn substitution(pairs: impl IntoIterator<Item = (Var, Bdd)>) -> Substitution {
        let (variables, functions): (Vec<_>, Vec<_>) = pairs.into_iter().map(|(v, f)| (v, f.0)).unzip();
        Substitution(Subst::new(variables, functions))
    }

    pub(super) fn not(&self, f: &Bdd) -> Made {
        self.make(|| f.0.not())
    }

    pub(super) fn and(&self, f: &Bdd, g: &Bdd) -> Made {
        self.make(|| f.0.and(&g.0))
    }

    pub(super) fn or(&self, f: &Bdd, g: &Bdd) -> Made {
        self.make(|| f.0.or(&g.0))
    }

    pub(super) fn nor(&self, f: &Bdd, g: &Bdd) -> Made {
        self.make(|| f.0.nor(&g.0))
    }

    /// What is in `f` and not in `g`.
    pub(super) fn minus(&self, f: &Bdd, g: &Bdd) -> Made {
        self.make(|| g.0.imp_strict(&f.0))
    }

    pub(super) fn iff(&self, f: &Bdd, g: &Bdd) -> Made {
        self.make(|| f.0.equiv(&g.0))
    }

    /// Forgets the variables of a cube.
    pub(super) fn exists(&self, f: &Bdd, variables: &Bdd) -> Made {
        self.make(|| f.0.exists(&variables.0))
    }

    /// Conjunction, then forgets the variables: the relational product in one pass.
    pub(super) fn and_exists(&self, f: &Bdd, g: &Bdd, variables: &Bdd) -> Made {
        self.make(|| f.0.apply_exists(BooleanOperator::And, &g.0, &variables.0))
    }

    pub(super) fn substitute(&self, f: &Bdd, by: &Substitution) -> Made {
        self.make(|| f.0.substitute(&by.0))
    }

    /// The cofactor where the variables of a cube have its values.
    pub(super) fn restrict(&self, f: &Bdd, cube: &Bdd) -> Made {
        self.make(|| f.0.restrict(&cube.0))
    }

    /// Adds a set to another, and gives what was new, if anything.
    pub(super) fn extend(&self, whole: &mut Bdd, part: &Bdd) -> Result<Option<Bdd>, Halt> {
        if self.is_empty(whole) {
            *whole = part.clone();
            return Ok(Some(whole.clone()).filter(|new| !self.is_empty(new)));
        }
        let new = self.minus(part, whole)?;
        if self.is_empty(&new) {
            return Ok(None);
        }
        *whole = self.or(whole, &new)?;
        Ok(Some(new))
    }

    pub(super) fn is_empty(&self, f: &Bdd) -> bool {
        *f == self.bottom
    }

    /// Some valuation in the set, by variable; what it leaves open is 0. `None` if the set is empty.
    pub(super) fn pick(&self, f: &Bdd) -> Option<Vec<bool>> {
        let cube = f.0.pick_cube(|_, _, _| false)?;
        Some(cube.into_iter().map(|value| value == OptBool::True).collect())
    }

    /// The valuation is in the set (variables not given are 0).
    pub(super) fn contains(&self, f: &Bdd, valuation: impl IntoIterator<Item = (Var, bool)>) -> bool {
        f.0.eval(valuation)
    }

    /// Nodes of a BDD, constants not counted.
    pub(super) fn size(&self, f: &Bdd) -> usize {
        f.0.node_count().saturating_sub(2)
    }

    /// Nodes in the store, roughly.
    pub(super) fn nodes(&self) -> usize {
        self.manager.with_manager_shared(|manager| manager.approx_num_inner_nodes())
    }

    /// The most nodes at one time so far, garbage included.
    pub(super) fn peak(&self) -> usize {
        self.upkeep.peak(self)
    }

    /// Removes nodes that nobody refers to.
    pub(super) fn collect(&self) {
        self.manager.with_manager_shared(|manager| manager.gc());
    }

    /// Changes the order of variables. Nothing that was remembered of operations is kept.
    pub(super) fn reorder<T>(&self, change: impl FnOnce(&mut Levels<'_, '_>) -> T) -> T {
        self.upkeep.note_reordering();
        self.manager.with_manager_exclusive(|manager| {
            manager.reorder(|manager| change(&mut Levels { manager, room: self.nodes }))
        })
    }

    /// Nodes in the store, exactly, garbage included.
    pub(super) fn exact_nodes(&self) -> usize {
        self.manager.with_manager_shared(|manager| manager.num_inner_nodes())
    }

    fn make(&self, operation: impl Fn() -> AllocResult<BDDFunction>) -> Made {
        self.upkeep.before_operation(self)?;
        match operation() {
            Ok(result) => Ok(Bdd(result)),
            Err(_) => {
                self.collect();
                operation().map(Bdd).map_err(|_| Halt::Full)
            }
        }
    }
}

/// The library keeps a thread at hand, whose stack takes this much of the address space unless the
/// environment says otherwise, and ends with a panic if it does not get it.
const STACK_OF_LIBRARY: u64 = 1 << 30;
const STACK_VARIABLE: &str = "OXIDD_STACK_SIZE";

/// When nearly full, the library collects garbage in a thread of its own, sometimes earlier, sometimes
/// later. It gets so many times the space: a store is full before that, at the same place every time.
const SPACE: usize = 2;

fn stack_of_library() -> u64 {
    std::env::var(STACK_VARIABLE).ok().and_then(|text| text.parse().ok()).unwrap_or(STACK_OF_LIBRARY)
}

fn new_manager(nodes: usize, cache: usize) -> Result<BDDManagerRef, Halt> {
    let needed = stack_of_library().saturating_add((SPACE * nodes + cache) as u64 * Store::NODE_BYTES);
    if address_space_left().is_some_and(|left| left < needed) {
        return Err(Halt::Full);
    }
    // The library has two threads of its own.
    can_start_threads(&[stack_of_library() as usize, SMALL_STACK]).map_err(Halt::Limit)?;
    std::panic::catch_unwind(|| oxidd::bdd::new_manager(SPACE * nodes, cache, 1)).map_err(|_| Halt::Full)
}

#[cfg(test)]
mod tests;
