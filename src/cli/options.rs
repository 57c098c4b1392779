//! Options that `check` and `reach` share: engine, reductions, limits, verbosity.

use super::choices::one_of;
use super::watchdog::Watchdog;
use super::{BadInput, signals, units};
use crate::checker::{Checker, Engine};
use crate::engine::expand::Algorithm;
use crate::engine::quantify::{self, Encoding};
use crate::engine::summarize::{self, Form, SolverName};
use crate::engine::tabulate::{self, Method, Order};
use crate::limits::{Limits, available_bytes};
use crate::reduce::{Reduction, Reductions};
use crate::solver::qbf::External;
use crate::syntax::Program;
use clap::builder::TypedValueParser;
use std::time::Duration;

#[derive(clap::Args, Debug)]
pub(super) struct Options {
    /// Which engine answers (explicit is expand, tabulate is bdd, summarize is sat, quantify is qbf)
    #[arg(long, value_enum, default_value = "auto")]
    engine: EngineName,
    /// How expand goes about it, for experiments [default: auto]
    #[arg(long, value_parser = algorithms())]
    expand: Option<Expand>,
    /// How bdd goes about it, for experiments [default: auto]
    #[arg(long, value_parser = methods())]
    bdd: Option<Method>,
    /// The order of BDD variables to begin with [default: dependency]
    #[arg(long, value_parser = orders())]
    bdd_order: Option<Order>,
    /// Whether the order of BDD variables changes when diagrams grow [default: none]
    #[arg(long, value_parser = reorderings())]
    bdd_reorder: Option<bool>,
    /// How sat goes about it, for experiments [default: auto]
    #[arg(long, value_parser = forms())]
    sat: Option<Form>,
    /// Which SAT solver engine sat uses [default: cadical]
    #[arg(long, value_name = "SOLVER", value_parser = solvers())]
    sat_solver: Option<SolverName>,
    /// How qbf goes about it, for experiments [default: modular]
    #[arg(long, value_parser = encodings())]
    qbf: Option<Encoding>,
    /// Which QBF solver engine qbf uses: a command that reads QDIMACS, or `qcir:COMMAND` [default: our own]
    #[arg(long, value_name = "COMMAND", value_parser = qbf_solver)]
    qbf_solver: Option<&'static External>,
    #[command(flatten)]
    reductions: ReductionOptions,
    #[command(flatten)]
    pub(super) stop: StopOptions,
    /// How many engines auto may run at a time (default: as many as there are processors)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
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

/// When to stop: every command that may run for long has these options.
#[derive(clap::Args, Debug)]
pub(super) struct StopOptions {
    /// Stop after this time: 60s, 500ms, 5m
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    pub(super) timeout: Option<Duration>,
    /// Stop when the process uses so much memory: 4G, 512M (default: nine tenths of what is available)
    #[arg(long, value_name = "SIZE", value_parser = units::bytes)]
    pub(super) memory: Option<u64>,
}

#[derive(clap::Args, Debug)]
pub(super) struct ReductionOptions {
    /// Apply these reductions only: a list of names, all or none
    #[arg(long, value_name = "NAMES", value_parser = reductions(), value_delimiter = ',')]
    reduce: Vec<Reductions>,
    /// Do not apply these reductions
    #[arg(long, value_name = "NAMES", value_parser = reductions(), value_delimiter = ',')]
    no_reduce: Vec<Reductions>,
}

impl ReductionOptions {
    /// The reductions to apply: all, unless the user says which, or which not.
    pub(super) fn chosen(&self) -> Reductions {
        let union = |sets: &[Reductions]| sets.iter().copied().fold(Reductions::none(), Reductions::union);
        let on = if self.reduce.is_empty() { Reductions::all() } else { union(&self.reduce) };
        on.difference(union(&self.no_reduce))
    }

    /// The user has chosen some.
    pub(super) fn are_given(&self) -> bool {
        !self.reduce.is_empty() || !self.no_reduce.is_empty()
    }
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

/// What `--expand` says: an algorithm, or the best one.
type Expand = Option<Algorithm>;

fn algorithms() -> impl TypedValueParser<Value = Expand> {
    let named = Algorithm::ALL.map(|algorithm| (algorithm.name(), algorithm.about(), Some(algorithm)));
    one_of([&[("auto", "The best for the class", None)], &named[..]].concat())
}

fn methods() -> impl TypedValueParser<Value = Method> {
    one_of(Method::ALL.map(|method| (method.name(), method.about(), method)).to_vec())
}

fn orders() -> impl TypedValueParser<Value = Order> {
    one_of(Order::ALL.map(|order| (order.name(), order.about(), order)).to_vec())
}

fn reorderings() -> impl TypedValueParser<Value = bool> {
    one_of(vec![("none", "Never", false), ("sift", "By sifting", true)])
}

fn forms() -> impl TypedValueParser<Value = Form> {
    one_of(Form::ALL.map(|form| (form.name(), form.about(), form)).to_vec())
}

pub(super) fn solvers() -> impl TypedValueParser<Value = SolverName> {
    one_of(SolverName::ALL.map(|solver| (solver.name(), solver.about(), solver)).to_vec())
}

pub(super) fn encodings() -> impl TypedValueParser<Value = Encoding> {
    one_of(Encoding::ALL.map(|encoding| (encoding.name(), encoding.about(), encoding)).to_vec())
}

/// The solver stays until the process ends.
fn qbf_solver(name: &str) -> Result<&'static External, String> {
    let solver = External::named(name).ok_or("expected a command")?;
    Ok(Box::leak(Box::new(solver)))
}

fn reductions() -> impl TypedValueParser<Value = Reductions> {
    let one = |reduction: Reduction| (reduction.name(), reduction.about(), Reductions::none().with(reduction));
    let sets = [("all", "All of them", Reductions::all()), ("none", "None of them", Reductions::none())];
    one_of([&Reduction::ALL.map(one)[..], &sets].concat())
}

impl Options {
    /// A checker with these options.
    pub(super) fn checker<'p>(&self, program: &'p Program) -> Checker<'p> {
        let checker = Checker::new(program).with_reductions(self.reductions.chosen());
        match self.threads {
            Some(threads) => checker.with_threads(threads.into()),
            None => checker,
        }
    }

    /// What the engine counts while it runs.
    pub(super) fn counted(&self) -> &'static str {
        if matches!(self.named(), EngineName::Sat | EngineName::Qbf) { "queries" } else { "path edges" }
    }

    /// The name of the engine that was asked for.
    pub(super) fn engine_name(&self) -> String {
        format!("{:?}", self.named()).to_lowercase()
    }

    /// The engine that was asked for: by its name, or by one of its options.
    fn named(&self) -> EngineName {
        let by_option = self.options().into_iter().find(|&(.., given)| given).map(|(_, owner, _)| owner);
        if self.engine == EngineName::Auto { by_option.unwrap_or(EngineName::Auto) } else { self.engine }
    }

    /// The engine with its options. An option of another engine is bad usage: whoever gives one means
    /// something, and an experiment that ignored it would compare a thing with itself.
    pub(super) fn engine(&self) -> anyhow::Result<Engine> {
        let engine = self.named();
        self.only_options_of(engine)?;
        if self.threads.is_some() && engine != EngineName::Auto {
            let name = self.engine_name();
            return Err(BadInput(format!("--threads is for engine `auto`; `{name}` runs alone")).into());
        }
        Ok(match engine {
            EngineName::Bdd => Engine::Tabulate(self.bdd_options()),
            EngineName::Sat => Engine::Summarize(self.sat_options()),
            EngineName::Expand => Engine::Expand(self.algorithm()),
            EngineName::Qbf => Engine::Quantify(self.qbf_options()),
            EngineName::Auto => Engine::Auto,
        })
    }

    /// The engine whose summaries are a certificate: `sat`, without reductions that change the program.
    pub(super) fn prover(&self) -> anyhow::Result<Engine> {
        let bad = |message| Err(BadInput(message).into());
        if !matches!(self.engine, EngineName::Auto | EngineName::Sat) {
            let name = self.engine_name();
            return bad(format!("engine `{name}` writes no certificates, `sat` does: name that one or none"));
        }
        self.only_options_of(EngineName::Sat)?;
        let told = Reductions::none().with(Reduction::ModRef);
        if let Some(form @ (Form::Inline | Form::Fixpoint)) = self.sat {
            return bad(format!("summaries are the certificate: --sat {} has none", form.name()));
        }
        if self.reductions.reduce.iter().any(|named| named.difference(told) != Reductions::none()) {
            let advice = "--reduce may name `mod-ref` only, or `none`, or be left out";
            return bad(format!("a certificate speaks of the program as it is: with --certificate {advice}"));
        }
        Ok(Engine::Prove(self.sat_solver.unwrap_or_default()))
    }

    /// The options of single engines, the engines, and whether they are given.
    fn options(&self) -> [(&'static str, EngineName, bool); 8] {
        [
            ("--expand", EngineName::Expand, self.expand.is_some()),
            ("--bdd", EngineName::Bdd, self.bdd.is_some()),
            ("--bdd-order", EngineName::Bdd, self.bdd_order.is_some()),
            ("--bdd-reorder", EngineName::Bdd, self.bdd_reorder.is_some()),
            ("--sat", EngineName::Sat, self.sat.is_some()),
            ("--sat-solver", EngineName::Sat, self.sat_solver.is_some()),
            ("--qbf", EngineName::Qbf, self.qbf.is_some()),
            ("--qbf-solver", EngineName::Qbf, self.qbf_solver.is_some()),
        ]
    }

    /// No option belongs to another engine.
    fn only_options_of(&self, engine: EngineName) -> anyhow::Result<()> {
        let foreign = self.options().into_iter().find(|&(_, owner, given)| given && owner != engine);
        let Some((option, owner, _)) = foreign else { return Ok(()) };
        let [owner, engine] = [owner, engine].map(|engine| format!("{engine:?}").to_lowercase());
        let advice = "name that engine or leave the option out";
        Err(BadInput(format!("{option} is an option of engine `{owner}`, not of `{engine}`; {advice}")).into())
    }

    fn bdd_options(&self) -> tabulate::Options {
        tabulate::Options {
            method: self.bdd.unwrap_or_default(),
            order: self.bdd_order.unwrap_or_default(),
            reorder: self.bdd_reorder.unwrap_or_default(),
        }
    }

    fn sat_options(&self) -> summarize::Options {
        summarize::Options { solver: self.sat_solver.unwrap_or_default(), form: self.sat.unwrap_or_default() }
    }

    fn qbf_options(&self) -> quantify::Options {
        quantify::Options { solver: self.qbf_solver, encoding: self.qbf.unwrap_or_default() }
    }

    /// The algorithm the user insists on.
    pub(super) fn algorithm(&self) -> Option<Algorithm> {
        self.expand.flatten()
    }
}

impl StopOptions {
    /// The limits, counted from now.
    pub(super) fn limits(&self) -> anyhow::Result<Limits> {
        let mut limits = Limits::none().with_interrupt(signals::interrupt_flag()?).within_address_space();
        if let Some(timeout) = self.timeout {
            limits = limits.with_timeout(timeout);
        }
        // An orderly UNKNOWN(memory) is better than to be killed by the system.
        if let Some(memory) = self.memory.or_else(|| Some(available_bytes()? / 10 * 9)) {
            limits = limits.with_memory(memory);
        }
        Ok(limits)
    }

    /// The limits, counted from now, of a command that writes data, and who sees to them.
    pub(super) fn watched(&self) -> anyhow::Result<(Limits, Watchdog)> {
        let limits = self.limits()?;
        let watchdog = Watchdog::of_data(&limits);
        Ok((limits, watchdog))
    }
}
