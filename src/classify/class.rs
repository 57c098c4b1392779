//! From measures to the row of Godefroid's Figs 4 and 6, its bound, its theorem and the plan.
//!
//! "Bounded" needs a number: [`Bounds`]. That a hierarchy is of bounded depth (Theorem 4) is said of its
//! depth, as in the paper: a path of an acyclic hierarchy of depth d has at most n^d steps. Whether all its
//! calls can be written out in practice is a matter of the [`Plan`].
//!
//! Theorem 5 also needs few initial states. In Godefroid 3 `Init` is a given set of them, with specified
//! valuations; a program that starts with n arbitrary values has 2^n, and a deterministic acyclic one that
//! evaluates a formula of them is SAT. So the bits that are open at the start are bounded as those between
//! procedures are; with more of them the program is in the next row, in NP, which guesses them.
//!
//! Fig. 6 as printed interchanges the CTL entries of its two HSM rows: by Theorem 12 and the text
//! after it deterministic HSMs are linear and HSMs in general PSPACE. That is what stands here.

use super::bounds::Bounds;
use super::determinism::Determinism;
use super::measures::Measures;
use super::plan::Plan;

/// A class: measures, the row they fall in, and what follows from it.
#[derive(Clone, Debug)]
pub struct Class {
    /// The measures.
    pub measures: Measures,
    /// What counts as bounded.
    pub bounds: Bounds,
    /// The row of the tables.
    pub row: Row,
    /// The engines.
    pub plan: Plan,
}

/// A row of the tables of complexity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The class in words.
    pub name: String,
    /// Reachability (Fig. 4).
    pub complexity: &'static str,
    /// The theorem that says so: a number of Godefroid, or another paper with its number.
    pub theorem: &'static str,
    /// LTL in the size of the program (Fig. 6).
    pub ltl: &'static str,
    /// CTL in the size of the program (Fig. 6).
    pub ctl: &'static str,
}

impl Class {
    /// The class of a machine with these measures.
    pub fn of(measures: Measures, bounds: Bounds) -> Class {
        let row = row(&measures, &bounds);
        let plan = Plan::of(&measures, &bounds);
        Class { measures, bounds, row, plan }
    }

    /// The measures fit Theorem 5: one run for each input of each procedure.
    pub fn fits_table(&self) -> bool {
        self.measures.fits_table(&self.bounds)
    }
}

fn row(m: &Measures, bounds: &Bounds) -> Row {
    let deterministic = m.deterministic == Determinism::Deterministic;
    let flat = m.procedures.len() <= 1 && !m.recursive;
    let bounded = bounds.is_io_bounded(m);
    let new = |name: &str, complexity, theorem, ltl, ctl| Row { name: name.to_owned(), complexity, theorem, ltl, ctl };
    if m.variable_free() {
        return match (flat, m.recursive, deterministic) {
            (true, ..) => new("FSM", "linear", "Alur-HSM 1", "linear", "linear"),
            (_, false, true) => new("deterministic HSM", "linear", "Alur-HSM 1", "linear", "linear"),
            (_, false, false) => new("HSM", "linear", "Alur-HSM 1", "linear", "PSPACE"),
            (_, true, true) => new("deterministic RSM", "linear", "11", "linear", "linear"),
            (_, true, false) => new("RSM", "cubic", "Alur-RSM 2", "cubic", "EXPTIME"),
        };
    }
    let kind = match (flat, m.recursive) {
        (true, _) => "EFSM",
        (false, false) => "EHSM",
        (false, true) => "ERSM",
    };
    let ctl = match (m.recursive, deterministic) {
        (false, _) => "PSPACE",
        (true, true) => "EXPTIME",
        (true, false) => "2-EXPTIME",
    };
    let (restriction, complexity, theorem) = match (m.recursive, m.acyclic) {
        (false, true) if m.fits_table(bounds) => ("I/O bounded deterministic acyclic", "P", "5"),
        (false, true) if bounds.is_shallow(m) => ("acyclic bounded-depth", "NP", "4"),
        (false, true) if bounded => ("I/O bounded acyclic", "NP", "6"),
        (false, true) => ("acyclic", "PSPACE", "3"),
        (false, false) if bounded => ("I/O bounded", "PSPACE", "7"),
        (false, false) => ("", "PSPACE", "3"),
        (true, _) if bounded => ("I/O bounded", "PSPACE", "8"),
        (true, _) => ("", "EXPTIME", "2"),
    };
    let words =
        [if deterministic && !restriction.contains("deterministic") { "deterministic" } else { "" }, restriction, kind];
    let name: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    new(&name.join(" "), complexity, theorem, complexity, ctl)
}
