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
//! garbage, then with [`Full`]; the caller starts again with a larger store, or gives up.

use oxidd::bdd::{BDDFunction, BDDManagerRef};
use oxidd::util::{AllocResult, OptBool};
use oxidd::{
    BooleanFunction, BooleanFunctionQuant, BooleanOperator, Function, FunctionSubst, Manager, ManagerRef, Subst,
};
use rustc_hash::FxHashMap;
use std::cell::{Cell, RefCell};

/// A set of valuations, or a relation between them.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Bdd(BDDFunction);

/// A variable of the store.
pub(super) type Var = u32;

/// The store has no room for another node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Full;

/// What most operations give.
pub(super) type Made = Result<Bdd, Full>;

/// A simultaneous substitution, prepared to be applied often.
pub(super) struct Substitution(Subst<BDDFunction>);

/// Results of a composed operation, by operands: similar procedures do the same things to the same sets,
/// and looking up once is faster than being answered by the library's cache at every operation.
#[derive(Default)]
pub(super) struct Memo(RefCell<FxHashMap<(Bdd, Bdd), Bdd>>);

/// A memo holds so many results at most: what it holds is never garbage.
const MOST_REMEMBERED: usize = 16;

impl Memo {
    pub(super) fn get(&self, operands: (&Bdd, &Bdd), compute: impl FnOnce() -> Made) -> Made {
        let operands = (operands.0.clone(), operands.1.clone());
        if let Some(known) = self.0.borrow().get(&operands) {
            return Ok(known.clone());
        }
        let result = compute()?;
        let mut known = self.0.borrow_mut();
        if known.len() == MOST_REMEMBERED {
            known.clear();
        }
        known.insert(operands, result.clone());
        Ok(result)
    }
}

/// All BDDs of one search.
pub(super) struct Store {
    manager: BDDManagerRef,
    /// Nodes there is room for.
    nodes: usize,
    top: Bdd,
    bottom: Bdd,
    /// Each variable, and its negation.
    literals: Vec<[Bdd; 2]>,
    /// Nodes after the last collection of garbage.
    live: Cell<usize>,
    peak: Cell<usize>,
    reordered: Cell<bool>,
}

impl Drop for Store {
    fn drop(&mut self) {
        if self.nodes == REUSED && !self.reordered.get() {
            self.literals.clear();
            if self.nodes() > REUSED / 2 {
                self.collect();
            }
            SPARE.set(Some(self.manager.clone()));
        }
    }
}

/// Fewer nodes than this are not worth collecting.
const SMALL: usize = 1 << 18;

/// A manager costs half a millisecond, more than a small search. The smallest one is used again by the
/// next search of the thread, which adds the variables it lacks.
const REUSED: usize = 1 << 15;

thread_local! {
    static SPARE: RefCell<Option<BDDManagerRef>> = const { RefCell::new(None) };
}

impl Store {
    /// Bytes that a node takes at most, its place in the unique table included.
    pub(super) const NODE_BYTES: u64 = 32;

    /// Room for so many nodes, and a cache of so many operations.
    pub(super) fn new(variables: usize, nodes: usize, cache: usize) -> Result<Store, Full> {
        let spare = if nodes == REUSED { SPARE.take() } else { None };
        let manager = spare.unwrap_or_else(|| oxidd::bdd::new_manager(nodes, cache, 1));
        manager.with_manager_exclusive(|manager| {
            let lacking = (variables as u32).saturating_sub(manager.num_vars());
            manager.add_vars(lacking);
        });
        manager.with_manager_shared(|shared| {
            let literal = |v| Some([BDDFunction::not_var(shared, v).ok()?, BDDFunction::var(shared, v).ok()?].map(Bdd));
            let literals = (0..variables as u32).map(literal).collect::<Option<_>>().ok_or(Full)?;
            let (top, bottom) = (Bdd(BDDFunction::t(shared)), Bdd(BDDFunction::f(shared)));
            let (live, peak) = Default::default();
            Ok(Store {
                manager: manager.clone(),
                nodes,
                top,
                bottom,
                literals,
                live,
                peak,
                reordered: Cell::new(false),
            })
        })
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
    pub(super) fn extend(&self, whole: &mut Bdd, part: &Bdd) -> Result<Option<Bdd>, Full> {
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

    /// The most nodes so far.
    pub(super) fn peak(&self) -> usize {
        self.peak.get().max(self.nodes())
    }

    /// Collects garbage if it may be half of everything. True if the live nodes have doubled since the
    /// last time the caller was told so: a good moment to reorder.
    pub(super) fn tidy(&self) -> bool {
        let nodes = self.nodes();
        self.peak.set(self.peak.get().max(nodes));
        // The library collects by itself when the store is nearly full, but in a thread of its own: here
        // it happens at the same place every time.
        let is_nearly_full = nodes > self.nodes / 4 * 3;
        if !is_nearly_full && (nodes < SMALL || nodes < 2 * self.live.get()) {
            return false;
        }
        self.collect();
        let live = self.nodes();
        let grown = live > 2 * self.live.get();
        self.live.set(live.max(SMALL / 2));
        grown
    }

    /// Removes nodes that nobody refers to.
    pub(super) fn collect(&self) {
        self.manager.with_manager_shared(|manager| manager.gc());
    }

    /// Variables from the top of the order to its bottom.
    pub(super) fn order(&self) -> Vec<Var> {
        self.manager
            .with_manager_shared(|manager| (0..manager.num_levels()).map(|level| manager.level_to_var(level)).collect())
    }

    /// Puts the variables into this order, which names all of them. The library ends the process when it
    /// lacks a node while it does so; hence neighbours are exchanged one pair at a time, and none for
    /// which there might be no room: then the order stays somewhere on the way.
    pub(super) fn set_order(&self, order: &[Var]) -> Result<(), Full> {
        self.reordered.set(true);
        self.manager.with_manager_exclusive(|manager| {
            manager.reorder(|manager| {
                for (place, &variable) in order.iter().enumerate() {
                    for level in (place as u32 + 1..=manager.var_to_level(variable)).rev() {
                        if !self.has_room_to_exchange(manager) {
                            return Err(Full);
                        }
                        let above = manager.level_to_var(level - 1);
                        oxidd_reorder::set_var_order_seq(manager, &[variable, above]);
                    }
                }
                Ok(())
            })
        })
    }

    /// An exchange makes two new nodes at most for every node of its upper level. The library keeps
    /// some nodes apart; a sixteenth is more than that.
    fn has_room_to_exchange(&self, manager: &impl Manager) -> bool {
        let fits = || 3 * manager.num_inner_nodes() + self.nodes / 16 <= self.nodes;
        fits() || {
            manager.gc();
            fits()
        }
    }

    /// Nodes in the store, exactly, garbage included.
    pub(super) fn exact_nodes(&self) -> usize {
        self.manager.with_manager_shared(|manager| manager.num_inner_nodes())
    }

    fn make(&self, operation: impl Fn() -> AllocResult<BDDFunction>) -> Made {
        match operation() {
            Ok(result) => Ok(Bdd(result)),
            Err(_) => {
                self.collect();
                operation().map(Bdd).map_err(|_| Full)
            }
        }
    }
}

#[cfg(test)]
mod tests;
