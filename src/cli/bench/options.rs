//! The options of `bench`, and the groups of runs they ask for, together with the suites they name.

use super::super::input::has_ending;
use super::super::{BadInput, files, units};
use super::engines::{ALL, Shared, contenders, words};
use super::experiment::{Group, Shard};
use super::tasks::tasks;
use epitome_benchmarks::{Group as SuiteGroup, Settings, SuiteFile};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

#[derive(clap::Args, Debug)]
#[command(after_help = "Exit status: 0, or 1 if verdicts contradict each other or a run crashed, \
                        2 for bad usage or input. Details: docs/bench.md.")]
pub(in super::super) struct Arguments {
    /// Suites (.toml), files, folders (all programs below), or families with sizes: tn:100, ln:4..20+safe,
    /// tn:100..1600x2
    #[arg(value_name = "TASK", required_unless_present = "from")]
    tasks: Vec<String>,
    /// The engines to compare, each with options of `check` if wanted: "expand,expand --expand
    /// shortest" (default: those of the suite, or all)
    #[arg(long, value_name = "ENGINES")]
    engines: Vec<String>,
    /// Options of `check` for all engines, such as "--label R"
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    options: Vec<String>,
    /// Stop each run after this time, unless its engine has a --timeout of its own (default: that of the suite, or 60s)
    #[arg(long, value_name = "TIME", value_parser = as_written(units::duration))]
    timeout: Option<String>,
    /// Stop each run when it uses so much memory, likewise (default: 4G)
    #[arg(long, value_name = "SIZE", value_parser = as_written(units::bytes))]
    memory: Option<String>,
    /// Measure everything so often (default: once); the table shows the runs with the median times
    #[arg(long, value_name = "TIMES", value_parser = clap::value_parser!(u32).range(1..))]
    repeat: Option<u32>,
    /// Write a line for each run to this file; - for standard output (the table is then on stderr)
    #[arg(long, value_name = "FILE")]
    pub(super) csv: Option<String>,
    /// Go on with an experiment that was cut off: what is in the CSV file is not measured again
    #[arg(long, requires = "csv")]
    pub(super) resume: bool,
    /// Overwrite a CSV file that has runs already
    #[arg(long, requires = "csv", conflicts_with = "resume")]
    pub(super) force: bool,
    /// Make so many runs at the same time
    #[arg(long, value_name = "N", default_value = "1")]
    pub(super) jobs: NonZeroUsize,
    /// Make one of n parts of all runs only, i/n, to spread an experiment over machines
    #[arg(long, value_name = "I/N", value_parser = Shard::parse)]
    pub(super) shard: Option<Shard>,
    /// Do not stop where verdicts contradict each other or the expected ones
    #[arg(long)]
    pub(super) keep_going: bool,
    /// Show the runs of these CSV files, too: of an experiment before, of its other parts, of other tools
    #[arg(long, value_name = "CSV")]
    pub(super) from: Vec<PathBuf>,
    /// Write a page with plots, and tables that can be searched, to this file
    #[arg(long, value_name = "FILE")]
    pub(super) html: Option<PathBuf>,
    /// Write the plots to this folder, a file each
    #[arg(long, value_name = "FOLDER")]
    pub(super) svg: Option<PathBuf>,
    /// Write a table to this file (Markdown): for each family and engine how time and size grow, and the largest program solved
    #[arg(long, value_name = "FILE")]
    pub(super) summary: Option<PathBuf>,
    /// Make no run: write a command for each task and engine to this file (- for standard output), to be run by GNU parallel,
    /// Slurm, HTCondor and the like
    #[arg(long, value_name = "FILE", conflicts_with_all = ["csv", "resume", "jobs", "from", "html", "svg", "summary"])]
    pub(super) jobs_file: Option<String>,
    /// Make no run: write all programs, their questions, and a definition of the experiment for BenchExec to this folder
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["csv", "resume", "jobs", "from", "html", "svg", "summary", "jobs_file"])]
    pub(super) export: Option<PathBuf>,
    /// Say nothing about the machine and the progress
    #[arg(short, long)]
    pub(super) quiet: bool,
}

/// A limit as the user wrote it, which is how the runs are told, if it can be read.
fn as_written<T>(parse: fn(&str) -> Result<T, String>) -> impl Fn(&str) -> Result<String, String> + Clone {
    move |text| parse(text).map(|_| text.to_owned())
}

/// What is asked for.
pub(super) struct Plan {
    pub(super) title: String,
    pub(super) groups: Vec<Group>,
    /// The limits of the first group, for people.
    pub(super) limits: [String; 2],
}

impl Arguments {
    /// Files that are read: suites, programs, runs of before.
    pub(super) fn inputs(&self) -> impl Iterator<Item = &Path> {
        self.tasks.iter().map(Path::new).chain(self.from.iter().map(PathBuf::as_path))
    }

    /// The suites read, and all that can be wrong told, before anything runs.
    pub(super) fn plan(&self) -> anyhow::Result<Plan> {
        let (mut titles, mut wanted): (Vec<String>, Vec<SuiteGroup>) = (Vec::new(), Vec::new());
        for argument in &self.tasks {
            if has_ending(argument, &["toml"]) {
                let suite = suite(argument)?;
                titles.extend(suite.title.clone());
                let folder = Path::new(argument).parent().unwrap_or(Path::new(""));
                let told = |message| BadInput(format!("{argument}: {message}"));
                wanted.extend(suite.groups(folder).map_err(told)?);
            } else {
                wanted.push(SuiteGroup { tasks: vec![argument.clone()], settings: Settings::default() });
            }
        }
        let limits = wanted.first().map(|group| self.limits(&group.settings)).unwrap_or_default();
        let title = if titles.is_empty() { "Experiment".to_owned() } else { titles.join(", ") };
        if wanted.is_empty() && (self.csv.is_some() || self.jobs_file.is_some() || self.export.is_some()) {
            let advice = "name suites, files or families; --from is only shown";
            return Err(BadInput(format!("there is nothing to run: {advice}")).into());
        }
        let groups = wanted.iter().map(|group| self.group(group)).collect::<anyhow::Result<_>>()?;
        Ok(Plan { title, groups, limits })
    }

    /// What the command line says comes before what the suite says.
    fn limits(&self, settings: &Settings) -> [String; 2] {
        let chosen = |own: &Option<String>, suites: &Option<String>, default: &str| {
            own.as_ref().or(suites.as_ref()).map_or_else(|| default.to_owned(), String::clone)
        };
        // A word each, as the options of a run are words.
        [chosen(&self.timeout, &settings.timeout, "60s"), chosen(&self.memory, &settings.memory, "4G")]
            .map(|limit| limit.split_whitespace().collect())
    }

    fn group(&self, group: &SuiteGroup) -> anyhow::Result<Group> {
        let settings = &group.settings;
        let options = self.options.iter().chain(settings.options.iter().flatten());
        let [timeout, memory] = self.limits(settings);
        let shared = Shared {
            options: options.flat_map(|text| words(text)).collect(),
            limits: vec![("--timeout", timeout), ("--memory", memory)],
            own: settings.options.iter().flatten().map(String::as_str).collect::<Vec<_>>().join(" "),
        };
        let engines = match settings.contenders(&ALL) {
            Some(named) if self.engines.is_empty() => named,
            _ => self.engines.clone(),
        };
        let repeat = self.repeat.or(settings.repeat).unwrap_or(1);
        Ok(Group { tasks: tasks(&group.tasks)?, contenders: contenders(&engines, &shared)?, repeat })
    }
}

fn suite(file: &str) -> anyhow::Result<SuiteFile> {
    let text = files::read_to_string(Path::new(file), "a suite")
        .map_err(|error| BadInput(format!("cannot read {file}: {error}")))?;
    Ok(SuiteFile::parse(&text).map_err(|message| BadInput(format!("{file}: {}", message.trim_end())))?)
}
