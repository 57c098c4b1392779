//! Options that `check` and `reach` share: engine, limits, verbosity.

use super::{BadInput, signals, units};
use crate::checker::Engine;
use crate::engine::expand::Algorithm;
use crate::limits::{Limits, available_bytes};
use std::time::Duration;

#[derive(clap::Args, Debug)]
pub(super) struct Options {
    /// Which engine answers (explicit is expand, tabulate is bdd, summarize is sat, quantify is qbf)
    #[arg(long, value_enum, default_value = "auto")]
    engine: EngineName,
    /// How expand goes about it, for experiments
    #[arg(long, value_enum, default_value = "auto")]
    expand: ExpandName,
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

impl Options {
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
