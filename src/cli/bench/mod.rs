//! `epitome bench`: engines side by side on the same tasks.
//!
//! Each run is a process of its own (`child`), which runs `check`. The table comes at the end, because its
//! columns are as wide as their contents; the lines of the CSV come as the runs end, and are put in order
//! at the end. Two answers that contradict each other are an error.

mod child;
mod csv;
mod engines;
mod experiment;
mod export;
mod jobs;
mod journal;
mod machine;
mod options;
mod page;
mod results;
mod run;
mod table;
mod tasks;

pub(super) use child::obey_parent;
pub(super) use options::Arguments;

use super::files::{self, replace};
use super::input::has_ending;
use super::progress::Progress;
use super::{BadInput, Status, signals, units, write_error};
use crate::syntax::Language;
use epitome_benchmarks::Record;
use experiment::{Experiment, Manner, Shard};
use journal::{Sink, has_runs, put_in_order, read};
use page::Shown;
use results::Results;
use rustc_hash::FxHashSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The commit this was built from, where the build knows it.
const COMMIT: &str = env!("EPITOME_COMMIT");

pub(super) fn run(arguments: &Arguments, out: &mut dyn Write) -> anyhow::Result<Status> {
    let plan = arguments.plan()?;
    let experiment = Experiment::new(plan.groups, arguments.shard.unwrap_or(Shard::ALL));
    arguments.can_be_written()?;
    if let Some(file) = &arguments.jobs_file {
        return jobs::write(&experiment, file, out);
    }
    if let Some(folder) = &arguments.export {
        return export::write(&experiment, &plan.title, folder);
    }
    let others = arguments.others()?;
    let (mut sink, known) = arguments.journal()?;
    let goes_on = !known.is_empty();
    if goes_on {
        arguments.tell_changes(&experiment)?;
    }
    if !arguments.quiet && !experiment.jobs.is_empty() {
        machine::write(&mut anstream::stderr(), &plan.limits, experiment.jobs.len())?;
    }
    let (interrupt, progress) = (signals::interrupt_flag()?, Progress::new(!arguments.quiet, "runs"));
    let results = {
        let written: &mut dyn Write = match &mut sink {
            Sink::Nothing => &mut io::sink(),
            Sink::File(file) => file,
            Sink::Stdout => out,
        };
        if !goes_on {
            csv::header(written).map_err(|error| BadInput(format!("cannot write the CSV: {error}")))?;
        }
        let keeps_going = arguments.keep_going;
        let manner = Manner { workers: arguments.jobs, keeps_going, interrupt: &interrupt, progress: &progress };
        experiment.run(&manner, known, others, written)?
    };
    drop(progress);
    if let (Sink::File(_), Some(name)) = (&sink, &arguments.csv) {
        put_in_order(&results, Path::new(name))?;
    }
    arguments.show(&results, &plan.title)?;
    match sink {
        Sink::Stdout => report(&results, &mut anstream::stderr())?,
        _ => report(&results, out)?,
    }
    out.flush()?;
    Ok(complain(&results))
}

impl Arguments {
    /// Says so before the work begins if what is wanted cannot be written, or would be written over something else.
    fn can_be_written(&self) -> anyhow::Result<()> {
        let path = |name: &String| Path::new(name).to_owned();
        let [csv, jobs] = [&self.csv, &self.jobs_file].map(|name| name.as_ref().filter(|name| *name != "-").map(path));
        let outputs =
            [("--csv", csv), ("--jobs-file", jobs), ("--html", self.html.clone()), ("--summary", self.summary.clone())];
        self.inputs().for_each(|input| files::remember(input, "what is read"));
        let mut taken: Vec<PathBuf> = Vec::new();
        for (option, file) in outputs.iter().filter_map(|(option, file)| Some((option, file.as_ref()?))) {
            super::certificate::can_be_written(file)?;
            let name = file.to_string_lossy();
            let meant = file.canonicalize().or_else(|_| std::path::absolute(file)).unwrap_or_else(|_| file.clone());
            let is_source =
                Language::of_file(&name).is_some() || has_ending(&name, &["toml", "h", "prp", "yml", "yaml"]);
            if is_source || taken.contains(&meant) || files::keep([file.as_path()]).is_err() {
                return Err(BadInput(format!(
                    "{option} {name} would overwrite what is read or written besides; name another file"
                ))
                .into());
            }
            if *option != "--csv" && has_runs(file) {
                return Err(BadInput(format!("{option} {name} would overwrite runs of an experiment")).into());
            }
            taken.push(meant);
        }
        if let Some(folder) = self.export.as_ref().filter(|folder| !export::is_free(folder)) {
            let advice = "name a new folder";
            return Err(
                BadInput(format!("--export {}: there are other files in it: {advice}", folder.display())).into()
            );
        }
        if let Some(folder) = &self.svg {
            let cannot = |error| BadInput(format!("cannot write to {}: {error}", folder.display()));
            std::fs::create_dir_all(folder).map_err(cannot)?;
        }
        Ok(())
    }

    /// Runs of before are about the programs of before.
    fn tell_changes(&self, experiment: &Experiment) -> io::Result<()> {
        let Some(csv) = self.csv.as_deref() else { return Ok(()) };
        let written = |path: &Path| std::fs::metadata(path).and_then(|file| file.modified()).ok();
        let is_newer = |path: &&Path| written(path) > written(Path::new(csv));
        for path in experiment.tasks.iter().filter_map(|task| task.path()).filter(is_newer) {
            let path = path.display();
            writeln!(anstream::stderr(), "warning: {path} has changed since {csv} was written, whose runs are kept")?;
        }
        Ok(())
    }

    /// Runs that were made elsewhere.
    fn others(&self) -> anyhow::Result<Vec<Record>> {
        let mut others = Vec::new();
        for file in &self.from {
            others.extend(read(file)?);
        }
        // Who names runs twice means them once.
        let mut lines = FxHashSet::default();
        others.retain(|record| lines.insert(record.line()));
        Ok(others)
    }

    /// Writes plots and pages.
    fn show(&self, results: &Results, title: &str) -> anyhow::Result<()> {
        let mut records = results.records();
        records.extend(results.others.iter().cloned());
        let shown = Shown { title, records: &records, contradictions: &results.contradictions() };
        let cannot = |file: &Path, error: io::Error| BadInput(format!("cannot write {}: {error}", file.display()));
        if let Some(file) = &self.html {
            replace(file, &shown.page()).map_err(|error| cannot(file, error))?;
        }
        if let Some(file) = &self.summary {
            replace(file, &shown.summary()).map_err(|error| cannot(file, error))?;
        }
        for (name, svg) in self.svg.iter().flat_map(|_| shown.files()) {
            let file = self.svg.as_deref().unwrap_or(Path::new("")).join(name);
            replace(&file, &svg).map_err(|error| cannot(&file, error))?;
        }
        Ok(())
    }
}

/// The table and the scores.
fn report(results: &Results, out: &mut dyn Write) -> io::Result<()> {
    if !results.rows.is_empty() {
        table::write(out, results)?;
        writeln!(out)?;
        table::write_scores(out, results)?;
        writeln!(out)?;
    }
    let contradictions = results.contradictions().len();
    let disagreements = units::count(contradictions, "disagreement");
    let (made, planned) = (results.made(), results.planned);
    if made < planned {
        let why = if contradictions > 0 && signals::exit_code().is_none() {
            "Stopped at a disagreement"
        } else {
            "Interrupted"
        };
        writeln!(out, "{why}: {made} of {planned} runs were made; what is above is about these alone.")?;
        return writeln!(out, "{disagreements} so far");
    }
    writeln!(out, "{disagreements}")
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
