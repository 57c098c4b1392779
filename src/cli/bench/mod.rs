//! `epitome bench`: engines side by side on the same tasks.
//!
//! Each run is a process of its own (`child`), which runs `check`. The table comes at the end, because its
//! columns are as wide as their contents; the lines of the CSV come as the runs end, and are put in order
//! at the end. Two answers that contradict each other are an error.

mod child;
mod csv;
mod engines;
mod experiment;
mod machine;
mod results;
mod run;
mod table;
mod tasks;

use super::encode::write_to;
use super::progress::Progress;
use super::{BadInput, Status, signals, units, write_error};
use crate::syntax::Language;
use csv::Known;
use engines::{Shared, contenders, sentence, words};
use experiment::{Experiment, Job, Shard};
use results::{Results, expected};
use std::fs::File;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::Path;
use tasks::tasks;

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
    /// Go on with an experiment that was cut off: what is in the CSV file is not measured again
    #[arg(long, requires = "csv")]
    resume: bool,
    /// Make so many runs at the same time
    #[arg(long, value_name = "N", default_value = "1")]
    jobs: NonZeroUsize,
    /// Make one of n parts of all runs only, i/n, to spread an experiment over machines
    #[arg(long, value_name = "I/N", value_parser = Shard::parse)]
    shard: Option<Shard>,
    /// Make no run: write a command for each task and engine to this file (- for standard output), to be run by GNU parallel,
    /// Slurm, HTCondor and the like
    #[arg(long, value_name = "FILE", conflicts_with_all = ["csv", "resume", "jobs"])]
    jobs_file: Option<String>,
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
    let experiment = Experiment::new(tasks, contenders, arguments.repeat, arguments.shard.unwrap_or(Shard::ALL));
    if let Some(file) = &arguments.jobs_file {
        return arguments.write_jobs(&experiment, file, out);
    }
    let known = arguments.known()?;
    let goes_on = !known.is_empty();
    let mut sink = arguments.sink(goes_on)?;
    if !arguments.quiet {
        machine::write(&mut anstream::stderr(), arguments, experiment.jobs.len())?;
    }
    let (interrupt, progress) = (signals::interrupt_flag()?, Progress::new(!arguments.quiet, "runs"));
    let results = {
        let written: &mut dyn Write = match &mut sink {
            Sink::Nothing => &mut io::sink(),
            Sink::File(file) => file,
            Sink::Stdout => out,
        };
        if !goes_on {
            csv::header(written)?;
        }
        experiment.run(arguments.jobs, known, &interrupt, &progress, written)?
    };
    drop(progress);
    if let (Sink::File(_), Some(name)) = (&sink, &arguments.csv) {
        put_in_order(&results, Path::new(name))?;
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

    fn sink(&self, goes_on: bool) -> anyhow::Result<Sink> {
        match self.csv.as_deref() {
            None => Ok(Sink::Nothing),
            Some("-") => Ok(Sink::Stdout),
            Some(name) if Language::of_file(name).is_some() => {
                Err(BadInput(format!("--csv {name} would overwrite a program; name another file")).into())
            }
            Some(name) => {
                let cannot = |error| BadInput(format!("cannot write {name}: {error}"));
                let file = match goes_on {
                    true => std::fs::OpenOptions::new().append(true).open(name),
                    false => File::create(name),
                };
                Ok(Sink::File(file.map_err(cannot)?))
            }
        }
    }

    /// What is known from an experiment that was cut off. A line that was not written to its end is taken out of the file.
    fn known(&self) -> anyhow::Result<Known> {
        let Some(name) = self.csv.as_deref().filter(|name| self.resume && *name != "-") else {
            return Ok(Known::default());
        };
        let text = match std::fs::read_to_string(name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Known::default()),
            text => text.map_err(|error| BadInput(format!("cannot read {name}: {error}")))?,
        };
        let other = || BadInput(format!("{name} is no CSV of this version of bench: name another file"));
        let known = Known::read(&text).ok_or_else(other)?;
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        if whole < text.len() {
            std::fs::OpenOptions::new().write(true).open(name)?.set_len(whole as u64)?;
        }
        Ok(known)
    }

    /// Writes a command for each task and engine.
    fn write_jobs(&self, experiment: &Experiment, file: &str, out: &mut dyn Write) -> anyhow::Result<Status> {
        let cells = experiment.jobs.iter().filter(|job| job.repetition == 0);
        let command = |(number, job): (usize, &Job)| {
            let (task, contender) = (&experiment.tasks[job.task], &experiment.contenders[job.contender]);
            let engine = format!("{} {}", contender.engine, sentence(&contender.options));
            let words = ["epitome", "bench", &task.name, "--engines", &engine, "--repeat", &self.repeat.to_string()]
                .map(shell_word);
            format!("{} --csv run-{:06}.csv -q\n", words.join(" "), number + 1)
        };
        let text: String = cells.enumerate().map(command).collect();
        write_to(Some(Path::new(file)), text.as_bytes(), out)
    }
}

/// A word as a shell takes it.
fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-+:./,=".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// Writes the lines of a CSV anew, in the order of the experiment: runs that were made side by side ended in another.
fn put_in_order(results: &Results, name: &Path) -> anyhow::Result<()> {
    let folder = name.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    csv::header(&mut file)?;
    for (task, cells) in &results.rows {
        for (contender, cell) in results.contenders.iter().zip(cells) {
            for run in cell {
                csv::line(&mut file, task, contender, expected(task, contender), run)?;
            }
        }
    }
    // The old file is there until the new one is complete.
    file.persist(name).map_err(|error| error.error)?;
    Ok(())
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
