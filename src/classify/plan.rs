//! Which engines answer a question about a program of a class, and how much of the time each gets.
//!
//! The theorem of the class names the algorithm with the best bound; bounds are about the worst program of the
//! class, and most programs are not it. So the plan is an order of engines with shares: the first one has a head
//! start, then all of them race (`checker::race`). What is in the plan, and the shares, are measured (docs/engines.md):
//!
//! - Acyclic hierarchies that are small with all calls written out (Theorem 4) are for `sat`, then for `qbf`,
//!   with the others beside them.
//! - In deep ones (Theorems 3 and 6) `sat` and `qbf` have the larger shares: the programs of quantified formulas
//!   (Fig. 3) are hopeless for all but `qbf`, which sees through them.
//! - Where there are loops or recursion `expand`, `sat` and `bdd` each answer programs on which the others take
//!   more than ten times as long. `qbf` never did: it has a small share where it could (Theorems 3 and 7) and none
//!   with recursion, where it asks for one summary edge after the other (Theorem 8).

use super::bounds::Bounds;
use super::determinism::Determinism;
use super::measures::Measures;

/// Variables in a scope from which exploration does not come first: too many to try all values of.
const MANY_VARIABLES: usize = 20;

/// An engine that a plan can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlannedEngine {
    /// Explicit exploration.
    Expand,
    /// Summaries as BDDs.
    Bdd,
    /// Summaries as CNFs.
    Sat,
    /// Quantified formulas.
    Qbf,
}

impl PlannedEngine {
    /// The name by which users ask for it.
    pub fn name(self) -> &'static str {
        match self {
            PlannedEngine::Expand => "expand",
            PlannedEngine::Bdd => "bdd",
            PlannedEngine::Sat => "sat",
            PlannedEngine::Qbf => "qbf",
        }
    }

    /// Who needs more memory, by its nature: tables of states, of diagrams, and copies of formulas are larger than
    /// lemmas. Where memory is short the engine that is first on few programs goes first.
    pub fn appetite(self) -> u32 {
        match self {
            PlannedEngine::Sat => 0,
            PlannedEngine::Bdd => 1,
            PlannedEngine::Expand => 2,
            PlannedEngine::Qbf => 3,
        }
    }
}

/// An engine in a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entrant {
    /// The engine.
    pub engine: PlannedEngine,
    /// How it goes about it, and why it is in the plan.
    pub why: &'static str,
    /// Its share of the time, against those of the others.
    pub share: u32,
}

/// Which engines answer: the first has a head start, then all race.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The engines; there is at least one.
    pub entrants: Vec<Entrant>,
}

impl Plan {
    /// The plan for a machine with these measures.
    pub(super) fn of(measures: &Measures, bounds: &Bounds) -> Plan {
        let entrant = |engine, why, share| Entrant { engine, why, share };
        if measures.variable_free() {
            return Plan { entrants: vec![entrant(PlannedEngine::Expand, exploration(measures, bounds), 1)] };
        }
        let is_wide = measures.scope > MANY_VARIABLES;
        let [expand, sat, bdd, qbf] = match (measures.acyclic && !measures.recursive, bounds.can_be_inlined(measures)) {
            (true, true) => [1, 4, 1, 2],
            (true, false) => [2, 3, 2, 3],
            (false, _) => [6, 6, 6, 1],
        };
        let diagrams = "summaries as diagrams, loops by squaring (Ball 3.1)";
        let expand = entrant(PlannedEngine::Expand, exploration(measures, bounds), expand);
        let sat = entrant(PlannedEngine::Sat, summaries(measures, bounds), sat);
        let bdd = entrant(PlannedEngine::Bdd, diagrams, bdd);
        let mut entrants = if is_wide { vec![sat, bdd, expand] } else { vec![expand, sat, bdd] };
        if !measures.recursive {
            entrants.push(entrant(
                PlannedEngine::Qbf,
                "one quantified formula, each procedure once (Godefroid Theorem 3)",
                qbf,
            ));
        }
        Plan { entrants }
    }

    /// The plan for a property of linear time of a machine with these measures. Heads are found by exploration and by
    /// diagrams; summaries as CNFs are asked for the run at once.
    pub fn linear(measures: &Measures) -> Plan {
        let entrant = |engine, why, share| Entrant { engine, why, share };
        if measures.variable_free() {
            let why = "cycles through entries and exits, O(n·theta²) (Alur-HSM 3.2, Alur-RSM 3.2)";
            return Plan { entrants: vec![entrant(PlannedEngine::Expand, why, 1)] };
        }
        let expand = entrant(PlannedEngine::Expand, "repeating heads over explored states (Alur-RSM 3.2)", 2);
        let bdd = entrant(PlannedEngine::Bdd, "repeating heads over summaries as diagrams (Alur-RSM 3.2)", 2);
        let sat = entrant(PlannedEngine::Sat, "a head is guessed, saved and seen again, as reachability", 2);
        let is_wide = measures.scope > MANY_VARIABLES;
        Plan { entrants: if is_wide { vec![sat, bdd, expand] } else { vec![expand, bdd, sat] } }
    }

    /// The plan for a property of branching time of a machine with these measures. Diagrams are for hierarchies.
    pub fn branching(measures: &Measures) -> Plan {
        let entrant = |engine, why| Entrant { engine, why, share: 1 };
        let why = match (measures.variable_free(), measures.deterministic == Determinism::Deterministic) {
            (_, true) => "copies by what holds at exits: one each, linear (Godefroid Theorems 11 and 12)",
            (true, false) => {
                "copies by what holds at exits: two each where there is one exit (Alur-HSM Theorems 8 and 10)"
            }
            (false, false) => "unfolding, then copies by what holds at exits (Godefroid Theorem 10)",
        };
        let mut entrants = vec![entrant(PlannedEngine::Expand, why)];
        if !measures.variable_free() && !measures.recursive {
            let why = "fixpoints over the whole stack as a vector (Godefroid Theorem 13)";
            entrants.push(entrant(PlannedEngine::Bdd, why));
        }
        Plan { entrants }
    }

    /// The names of the engines, in order.
    pub fn names(&self) -> Vec<&'static str> {
        self.entrants.iter().map(|entrant| entrant.engine.name()).collect()
    }
}

fn exploration(m: &Measures, bounds: &Bounds) -> &'static str {
    if m.variable_free() {
        "forward and backward over entries and exits, O(n·theta²) (Alur-RSM 3.1)"
    } else if m.fits_table(bounds) {
        "one run for each input that occurs (Godefroid Theorem 5, top-down)"
    } else if m.deterministic == Determinism::Deterministic {
        "one pass, linear in the reachable states (Godefroid Theorem 11)"
    } else {
        "top-down tabulation of path and summary edges (Godefroid 3.1, Ball 3.1)"
    }
}

fn summaries(m: &Measures, bounds: &Bounds) -> &'static str {
    if m.acyclic && bounds.can_be_inlined(m) {
        "one CNF with all calls written out if it is small, else CNF summaries (Godefroid Theorem 4)"
    } else if m.acyclic && !m.recursive {
        "a CNF for each procedure, summaries between them (Godefroid Theorem 6)"
    } else {
        "CNF summaries, loops and recursion level by level (Godefroid Theorem 2)"
    }
}
