//! The libraries behind one trait: what the BDD engine needs of them, each in the way it does it best.

use biodivine_lib_bdd::{Bdd, BddVariable, BddVariableSet, op_function};
use oxidd::bcdd::BCDDFunction;
use oxidd::bdd::BDDFunction;
use oxidd::util::{AllocResult, SatCountCache, num::F64};
use oxidd::{
    BooleanFunction, BooleanFunctionQuant, BooleanOperator, Function, FunctionSubst, Manager, ManagerRef, Subst,
};
use std::hash::{BuildHasherDefault, DefaultHasher};

/// A store of BDDs.
pub trait Library {
    type Set: Clone + PartialEq;
    /// Variables to quantify.
    type Variables;
    /// New variables for old ones, in the same order.
    type Renaming;

    fn constant(&self, value: bool) -> Self::Set;
    fn literal(&self, variable: usize, value: bool) -> Self::Set;
    fn and(&self, f: &Self::Set, g: &Self::Set) -> Self::Set;
    fn or(&self, f: &Self::Set, g: &Self::Set) -> Self::Set;
    fn minus(&self, f: &Self::Set, g: &Self::Set) -> Self::Set;
    fn variables(&self, variables: &[usize]) -> Self::Variables;
    fn and_exists(&self, f: &Self::Set, g: &Self::Set, variables: &Self::Variables) -> Self::Set;
    fn renaming(&self, pairs: &[(usize, usize)]) -> Self::Renaming;
    fn rename(&self, f: Self::Set, renaming: &Self::Renaming) -> Self::Set;
    /// Valuations of all variables in the set.
    fn count(&self, f: &Self::Set) -> f64;
    /// A moment to collect garbage.
    fn tidy(&self) {}
}

/// Nodes and cached operations of OxiDD: a store of the engine's middle size.
const NODES: usize = 1 << 20;
const CACHE: usize = 1 << 16;

/// Garbage is collected beyond so many nodes, as the engine does.
const SMALL: usize = 1 << 18;

/// OxiDD, with one kind of diagrams or another.
pub struct OxiDd<F: Function> {
    manager: F::ManagerRef,
    variables: usize,
}

/// OxiDD's plain BDDs.
pub fn plain(variables: usize) -> OxiDd<BDDFunction> {
    OxiDd::new(oxidd::bdd::new_manager(NODES, CACHE, 1), variables)
}

/// OxiDD's BDDs with complement edges.
pub fn complemented(variables: usize) -> OxiDd<BCDDFunction> {
    OxiDd::new(oxidd::bcdd::new_manager(NODES, CACHE, 1), variables)
}

impl<F: BooleanFunction> OxiDd<F> {
    fn new(manager: F::ManagerRef, variables: usize) -> OxiDd<F> {
        manager.with_manager_exclusive(|manager| {
            manager.add_vars(variables as u32);
        });
        OxiDd { manager, variables }
    }
}

fn made<F>(result: AllocResult<F>) -> F {
    result.unwrap_or_else(|_| panic!("{NODES} nodes are too few"))
}

impl<F: BooleanFunctionQuant + FunctionSubst> Library for OxiDd<F> {
    type Set = F;
    type Variables = F;
    type Renaming = Subst<F>;

    fn constant(&self, value: bool) -> F {
        self.manager.with_manager_shared(|manager| if value { F::t(manager) } else { F::f(manager) })
    }

    fn literal(&self, variable: usize, value: bool) -> F {
        let variable = variable as u32;
        self.manager.with_manager_shared(|manager| {
            made(if value { F::var(manager, variable) } else { F::not_var(manager, variable) })
        })
    }

    fn and(&self, f: &F, g: &F) -> F {
        made(f.and(g))
    }

    fn or(&self, f: &F, g: &F) -> F {
        made(f.or(g))
    }

    fn minus(&self, f: &F, g: &F) -> F {
        made(g.imp_strict(f))
    }

    fn variables(&self, variables: &[usize]) -> F {
        let literals = variables.iter().map(|&variable| self.literal(variable, true));
        literals.fold(self.constant(true), |cube, literal| made(cube.and(&literal)))
    }

    fn and_exists(&self, f: &F, g: &F, variables: &F) -> F {
        made(f.apply_exists(BooleanOperator::And, g, variables))
    }

    fn renaming(&self, pairs: &[(usize, usize)]) -> Subst<F> {
        let (old, new): (Vec<u32>, Vec<F>) =
            pairs.iter().map(|&(old, new)| (old as u32, self.literal(new, true))).unzip();
        Subst::new(old, new)
    }

    fn rename(&self, f: F, renaming: &Subst<F>) -> F {
        made(f.substitute(renaming))
    }

    fn count(&self, f: &F) -> f64 {
        let mut cache = SatCountCache::<F64, BuildHasherDefault<DefaultHasher>>::default();
        f.sat_count(self.variables as u32, &mut cache).0
    }

    fn tidy(&self) {
        self.manager.with_manager_shared(|manager| {
            if manager.approx_num_inner_nodes() > SMALL {
                manager.gc();
            }
        });
    }
}

/// biodivine-lib-bdd: each BDD is a list of nodes of its own.
pub struct Biodivine(BddVariableSet);

impl Biodivine {
    pub fn new(variables: usize) -> Biodivine {
        Biodivine(BddVariableSet::new_anonymous(variables as u16))
    }
}

impl Library for Biodivine {
    type Set = Bdd;
    /// For each variable, whether it is one of them.
    type Variables = Vec<bool>;
    /// For each variable, its new one.
    type Renaming = Vec<BddVariable>;

    fn constant(&self, value: bool) -> Bdd {
        if value { self.0.mk_true() } else { self.0.mk_false() }
    }

    fn literal(&self, variable: usize, value: bool) -> Bdd {
        self.0.mk_literal(BddVariable::from_index(variable), value)
    }

    fn and(&self, f: &Bdd, g: &Bdd) -> Bdd {
        f.and(g)
    }

    fn or(&self, f: &Bdd, g: &Bdd) -> Bdd {
        f.or(g)
    }

    fn minus(&self, f: &Bdd, g: &Bdd) -> Bdd {
        f.and_not(g)
    }

    fn variables(&self, variables: &[usize]) -> Vec<bool> {
        (0..usize::from(self.0.num_vars())).map(|variable| variables.contains(&variable)).collect()
    }

    fn and_exists(&self, f: &Bdd, g: &Bdd, variables: &Vec<bool>) -> Bdd {
        let quantified = |variable: BddVariable| variables[variable.to_index()];
        Bdd::binary_op_with_exists_trigger(f, g, quantified, op_function::and)
    }

    fn renaming(&self, pairs: &[(usize, usize)]) -> Vec<BddVariable> {
        let mut renaming = self.0.variables();
        for &(old, new) in pairs {
            renaming[old] = BddVariable::from_index(new);
        }
        renaming
    }

    /// The library's own `rename_variables` does the same, as an unsafe function.
    fn rename(&self, f: Bdd, renaming: &Vec<BddVariable>) -> Bdd {
        let mut nodes = f.to_nodes();
        // The first two nodes are the constants.
        for node in nodes.iter_mut().skip(2) {
            node.var = renaming[node.var.to_index()];
        }
        Bdd::from_nodes(&nodes).expect("the renaming keeps the order")
    }

    fn count(&self, f: &Bdd) -> f64 {
        f.cardinality()
    }
}
