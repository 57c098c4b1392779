//! `epitome bench`: engines side by side on the same tasks.
//!
//! Each run is a process of its own (`child`), which runs `check`. The table comes at the end, because its
//! columns are as wide as their contents; the lines of the CSV come as the runs end. Two answers that
//! contradict each other are an error.

mod child;
mod csv;
mod engines;
mod machine;
mod results;
mod run;
mod table;
mod tasks;

use super::progress::Progress;
use super::{BadInput, Status, signals, units, write_error};
use crate::syntax::Language;
use child::Bounds;
use engines::{Shared, contenders, words};
use results::{Cell, Results, expected};
use run::Run;
use std::fs::File;
use std::io::{self, Write};
use tasks::{Task, tasks};

/// The commit this was built from, where the build says so.
const COMMIT: &str = match option_env!("EPITOME_COMMIT") {
    Some(commit) => commit,
    None => "",
};

#[derive(clap::Args, Debug)]
#[command(after_help = "Exit status: 0, or 1 if verdicts contradict each other or a run crashed, \
                        2 for bad usage or input. Details: docs/bench.md.")]
pub(super) struct Arguments {
    /// Files, folders (all .bp and .rsm below), or families with sizes: tn:100, ln:4..20+safe,
    /// tn:100..1600x2
    #[arg(value_name = "TASK", required = true)]
    tasks: Vec<String>,
    /// The engines to compare, each with options of `check` if wanted: "expand,expand --expand
    /// shortest" (default: all of this version)
    #[arg(long, value_name = "ENGINES")]
    engines: Vec<String>,
    /// Options of `check` for all engines, such as "--label R"
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    options: Vec<String>,
    /// Stop each run after this time, unless its engine has a --timeout of its own
    #[arg(long, value_name = "TIME", value_parser = as_written(units::duration), default_value = "60s")]
    timeout: String,
    /// Stop each run when it uses so much memory, likewise
    #[arg(long, value_name = "SIZE", value_parser = as_written(units::bytes), default_value = "4G")]
    memory: String,
    /// Measure everything so often; the table shows the runs with the median times
    #[arg(long, value_name = "TIMES", default_value = "1", value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// Write a line for each run to this file; - for standard output (the table is then on stderr)
    #[arg(long, value_name = "FILE")]
    csv: Option<String>,
    /// Say nothing about the machine and the progress
    #[arg(short, long)]
    quiet: bool,
}

/// A limit as the user wrote it, which is how the runs are told, if it can be read.
fn as_written<T>(parse: fn(&str) -> Result<T, String>) -> impl Fn(&str) -> Result<String, String> + Clone {
    move |text| parse(text).map(|_| text.to_owned())
}

pub(super) fn run(arguments: &Arguments, out: &mut dyn Write) -> anyhow::Result<Status> {
    let contenders = contenders(&arguments.engines, &arguments.shared())?;
    let tasks = tasks(&arguments.tasks)?;
    let mut sink = arguments.sink()?;
    let planned = tasks.len() * contenders.len() * arguments.repeat as usize;
    if !arguments.quiet {
        machine::write(&mut anstream::stderr(), arguments, planned)?;
    }
    let mut results = Results { contenders, rows: Vec::new(), planned };
    match &mut sink {
        Sink::Nothing => arguments.experiment(tasks, &mut results, &mut io::sink())?,
        Sink::File(file) => arguments.experiment(tasks, &mut results, file)?,
        Sink::Stdout => arguments.experiment(tasks, &mut results, out)?,
    }
    match sink {
        Sink::Stdout => report(&results, &mut anstream::stderr())?,
        _ => report(&results, out)?,
    }
    out.flush()?;
    Ok(complain(&results))
}

/// Where the CSV goes.
enum Sink {
    Nothing,
    File(File),
    Stdout,
}

impl Arguments {
    /// What `check` is told besides the engine and its own options.
    fn shared(&self) -> Shared {
        let options = self.options.iter().flat_map(|text| words(text)).collect();
        Shared { options, limits: vec![("--timeout", self.timeout.clone()), ("--memory", self.memory.clone())] }
    }

    fn sink(&self) -> anyhow::Result<Sink> {
        match self.csv.as_deref() {
            None => Ok(Sink::Nothing),
            Some("-") => Ok(Sink::Stdout),
            Some(name) if Language::of_file(name).is_some() => {
                Err(BadInput(format!("--csv {name} would overwrite a program; name another file")).into())
            }
            Some(name) => {
                let file = File::create(name).map_err(|error| BadInput(format!("cannot write {name}: {error}")))?;
                Ok(Sink::File(file))
            }
        }
    }

    /// Runs everything, or what the user has the patience for.
    fn experiment(&self, tasks: Vec<Task>, results: &mut Results, csv: &mut dyn Write) -> anyhow::Result<()> {
        let interrupt = signals::interrupt_flag()?;
        let progress = Progress::new(!self.quiet, "runs");
        csv::header(csv)?;
        let all = tasks.len();
        for (number, task) in tasks.into_iter().enumerate() {
            let file = task.on_disk()?;
            let mut cells = vec![Cell::new(); results.contenders.len()];
            let mut complete = true;
            for (contender, cell) in results.contenders.iter().zip(&mut cells) {
                progress.message(format!("{} of {all}: {} by {}", number + 1, task.name, contender.title));
                let arguments = contender.arguments(&file.name());
                let bounds = Bounds::above(contender.timeout, contender.memory, interrupt.clone());
                complete = complete && self.repeat(&arguments, &bounds, cell)?;
                for run in cell.iter() {
                    csv::line(csv, &task, contender, expected(&task, contender), run)?;
                }
                csv.flush()?;
            }
            results.rows.push((task, cells));
            if !complete {
                break;
            }
        }
        Ok(())
    }

    /// Fills a cell; says whether it is complete.
    fn repeat(&self, arguments: &[String], bounds: &Bounds, cell: &mut Cell) -> io::Result<bool> {
        for _ in 0..self.repeat {
            let Some(run) = Run::measure(arguments, bounds)? else { return Ok(false) };
            cell.push(run);
        }
        Ok(true)
    }
}

/// The table and the scores.
fn report(results: &Results, out: &mut dyn Write) -> io::Result<()> {
    table::write(out, results)?;
    writeln!(out)?;
    table::write_scores(out, results)?;
    let disagreements = units::count(results.contradictions().len(), "disagreement");
    let (made, planned) = (results.made(), results.planned);
    if made < planned {
        writeln!(out, "\nInterrupted: {made} of {planned} runs were made; what is above is about these alone.")?;
        return writeln!(out, "{disagreements} so far");
    }
    writeln!(out, "\n{disagreements}")
}

/// Names every contradiction and failure on stderr.
fn complain(results: &Results) -> Status {
    let (contradictions, crashes, errors) = (results.contradictions(), results.failures(true), results.failures(false));
    errors.iter().chain(&crashes).chain(&contradictions).for_each(|message| write_error(message));
    match (contradictions.is_empty() && crashes.is_empty(), errors.is_empty()) {
        (false, _) => Status::InternalError,
        (true, false) => Status::BadInput,
        (true, true) => Status::True,
    }
}
