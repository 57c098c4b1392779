//! Options that `check` and `reach` share: engine, reductions, limits, verbosity.

use super::{BadInput, signals, units};
use crate::checker::Engine;
use crate::engine::expand::Algorithm;
use crate::engine::tabulate::{self, Method, Order};
use crate::limits::{Limits, available_bytes};
use crate::reduce::{Reduction, Reductions};
use std::time::Duration;

#[derive(clap::Args, Debug)]
pub(super) struct Options {
    /// Which engine answers (explicit is expand, tabulate is bdd, summarize is sat, quantify is qbf)
    #[arg(long, value_enum, default_value = "auto")]
    engine: EngineName,
    /// How expand goes about it, for experiments
    #[arg(long, value_enum, default_value = "auto")]
    expand: ExpandName,
    /// How bdd goes about it, for experiments
    #[arg(long, value_enum, default_value = "auto")]
    bdd: BddName,
    /// The order of BDD variables to begin with
    #[arg(long, value_enum, default_value = "dependency")]
    bdd_order: OrderName,
    /// Whether the order of BDD variables changes when diagrams grow
    #[arg(long, value_enum, default_value = "none")]
    bdd_reorder: ReorderName,
    /// Apply these reductions only: a list of names, all or none
    #[arg(long, value_name = "NAMES", value_enum, value_delimiter = ',')]
    reduce: Vec<ReductionName>,
    /// Do not apply these reductions
    #[arg(long, value_name = "NAMES", value_enum, value_delimiter = ',')]
    no_reduce: Vec<ReductionName>,
    /// Stop after this time: 60s, 500ms, 5m
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    pub(super) timeout: Option<Duration>,
    /// Stop when the process uses so much memory: 4G, 512M (default: nine tenths of what is available)
    #[arg(long, value_name = "SIZE", value_parser = units::bytes)]
    pub(super) memory: Option<u64>,
    /// Print one JSON object
    #[arg(long)]
    pub(super) json: bool,
    /// Print statistics (on stderr)
    #[arg(long)]
    pub(super) stats: bool,
    /// Print the answer only
    #[arg(short, long, conflicts_with = "verbose")]
    pub(super) quiet: bool,
    /// Say what is done
    #[arg(short, long)]
    pub(super) verbose: bool,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum EngineName {
    Auto,
    #[value(alias = "explicit")]
    Expand,
    #[value(alias = "tabulate")]
    Bdd,
    #[value(alias = "summarize")]
    Sat,
    #[value(alias = "quantify")]
    Qbf,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum ExpandName {
    /// The best for the class
    Auto,
    /// Top-down tabulation (every program)
    Forward,
    /// The same to its end, then a shortest trace
    Shortest,
    /// One linear pass (deterministic programs)
    Deterministic,
    /// Bottom-up table (I/O bounded deterministic acyclic hierarchies)
    Table,
    /// Relations of entries and exits (machines without variables)
    Components,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum BddName {
    /// Demanded and summarizing in turn, with more and more patience
    Auto,
    /// Procedures from the values they are called with (Ball)
    Demanded,
    /// Procedures for all values first
    Summarizing,
    /// Ball's to its end, then a shortest trace
    Shortest,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum OrderName {
    /// As declared; all old values before all new ones
    Declaration,
    /// As declared; old and new value side by side
    Interleaved,
    /// Variables that depend on each other side by side
    Dependency,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum ReorderName {
    /// Never
    None,
    /// By sifting
    Sift,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum ReductionName {
    /// Constant propagation through the whole program
    Constants,
    /// Unreachable procedures and code
    Unreachable,
    /// Acyclic runs of statements become one step
    Compact,
    /// Cone of influence of the query
    Cone,
    /// Live ranges: values nobody reads are forgotten
    Live,
    /// Globals a procedure does not use are kept out of its summaries
    ModRef,
    /// All of them
    All,
    /// None of them
    None,
}

impl ReductionName {
    /// The set that it names.
    fn set(self) -> Reductions {
        let one = |reduction| Reductions::none().with(reduction);
        match self {
            ReductionName::Constants => one(Reduction::Constants),
            ReductionName::Unreachable => one(Reduction::Unreachable),
            ReductionName::Compact => one(Reduction::Compact),
            ReductionName::Cone => one(Reduction::Cone),
            ReductionName::Live => one(Reduction::Live),
            ReductionName::ModRef => one(Reduction::ModRef),
            ReductionName::All => Reductions::all(),
            ReductionName::None => Reductions::none(),
        }
    }
}

impl Options {
    /// The reductions to apply: all, unless the user says which, or which not.
    pub(super) fn reductions(&self) -> Reductions {
        let named = |names: &[ReductionName]| {
            let sets = names.iter().map(|name| name.set());
            sets.fold(Reductions::none(), Reductions::union)
        };
        let on = if self.reduce.is_empty() { Reductions::all() } else { named(&self.reduce) };
        on.difference(named(&self.no_reduce))
    }

    pub(super) fn engine(&self) -> anyhow::Result<Engine> {
        match (self.engine, self.algorithm()) {
            (EngineName::Auto, None) => Ok(Engine::Auto),
            (EngineName::Auto | EngineName::Expand, algorithm) => Ok(Engine::Expand(algorithm)),
            (EngineName::Bdd, _) => Ok(Engine::Tabulate(self.bdd_options())),
            (EngineName::Sat | EngineName::Qbf, _) => {
                let name = format!("{:?}", self.engine).to_lowercase();
                let advice = "`expand` and `bdd` (or `auto`) are";
                Err(BadInput(format!("engine `{name}` is not part of this version; {advice}")).into())
            }
        }
    }

    fn bdd_options(&self) -> tabulate::Options {
        tabulate::Options {
            method: match self.bdd {
                BddName::Auto => Method::Auto,
                BddName::Demanded => Method::Demanded,
                BddName::Summarizing => Method::Summarizing,
                BddName::Shortest => Method::Shortest,
            },
            order: match self.bdd_order {
                OrderName::Declaration => Order::Declaration,
                OrderName::Interleaved => Order::Interleaved,
                OrderName::Dependency => Order::Dependency,
            },
            reorder: self.bdd_reorder == ReorderName::Sift,
        }
    }

    /// The algorithm the user insists on.
    pub(super) fn algorithm(&self) -> Option<Algorithm> {
        match self.expand {
            ExpandName::Auto => None,
            ExpandName::Forward => Some(Algorithm::Forward),
            ExpandName::Shortest => Some(Algorithm::Shortest),
            ExpandName::Deterministic => Some(Algorithm::Deterministic),
            ExpandName::Table => Some(Algorithm::Table),
            ExpandName::Components => Some(Algorithm::Components),
        }
    }

    /// The limits, counted from now.
    pub(super) fn limits(&self) -> anyhow::Result<Limits> {
        let mut limits = Limits::none().with_interrupt(signals::interrupt_flag()?);
        if let Some(timeout) = self.timeout {
            limits = limits.with_timeout(timeout);
        }
        // An orderly UNKNOWN(memory) is better than to be killed by the system.
        if let Some(memory) = self.memory.or_else(|| Some(available_bytes()? / 10 * 9)) {
            limits = limits.with_memory(memory);
        }
        Ok(limits)
    }
}
