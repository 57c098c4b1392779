//! Options that `check` and `reach` share: engine, reductions, limits, verbosity.

use super::{BadInput, signals, units};
use crate::checker::Engine;
use crate::engine::expand::Algorithm;
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
    /// Apply these reductions only: a list of names, all or none
    #[arg(long, value_name = "NAMES", value_enum, value_delimiter = ',')]
    reduce: Vec<ReductionName>,
    /// Do not apply these reductions
    #[arg(long, value_name = "NAMES", value_enum, value_delimiter = ',')]
    no_reduce: Vec<ReductionName>,
    /// Stop after this time: 60s, 500ms, 5m
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    timeout: Option<Duration>,
    /// Stop when the process uses so much memory: 4G, 512M (default: nine tenths of what is available)
    #[arg(long, value_name = "SIZE", value_parser = units::bytes)]
    memory: Option<u64>,
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
            (EngineName::Bdd | EngineName::Sat | EngineName::Qbf, _) => {
                let name = format!("{:?}", self.engine).to_lowercase();
                Err(BadInput(format!("engine `{name}` is not part of this version; `expand` (or `auto`) is")).into())
            }
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
