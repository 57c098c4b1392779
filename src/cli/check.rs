//! `epitome check`: one question about a program, or all questions of a task.

use super::explanation::Explained;
use super::input::{Input, Reading};
use super::opened::Opened;
use super::options::Options;
use super::progress::Progress;
use super::question::Question;
use super::task::expected_by_name;
use super::trace::{Telltale, TraceStyle, excerpt};
use super::verdict::{self, empty_report, json_report};
use super::watchdog::Watchdog;
use super::{BadInput, Status, certificate, classify, stats, testimony};
use crate::checker::{CheckError, Checker, Engine, Report, Verdict};
use crate::engine::expand::Algorithm;
use crate::engine::{NOTHING_TO_FIND, Statistics};
use crate::evidence::last_place;
use crate::limits::Reason;
use crate::logic::{Property, Query};
use crate::model::SourceRun;
use crate::syntax::{FAILURE_LABELS, Place, Program, Source, c};
use crate::temporal::Again;
use serde_json::{Value, json};
use std::io::Write;
use std::mem::ManuallyDrop;
use std::path::PathBuf;
use std::time::Instant;

#[derive(clap::Args, Debug)]
pub(super) struct Arguments {
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    pub(super) question: Question,
    /// How much of the trace is shown
    #[arg(long, value_enum, default_value = "short")]
    trace: TraceStyle,
    /// If the verdict is TRUE, write a certificate of it to this file (engine sat; see `epitome certify`)
    #[arg(long, value_name = "CERT")]
    certificate: Option<PathBuf>,
    /// C: do not write small functions out where they are called
    #[arg(long)]
    no_inline: bool,
    /// C: write a witness of the verdict to this file (YAML, format 2.0)
    #[arg(long, value_name = "FILE")]
    witness: Option<PathBuf>,
    /// C: if the verdict is FALSE, write a C file that makes the program take the way of the trace
    #[arg(long, value_name = "FILE.c")]
    harness: Option<PathBuf>,
    /// If the verdict of --open is FALSE, write the environment to this file: the pruned module, a closed machine (.rsm, or .dot)
    #[arg(long, value_name = "FILE", requires = "open")]
    strategy: Option<PathBuf>,
    #[command(flatten)]
    pub(super) options: Options,
}

/// One question about one program.
struct Job {
    file: String,
    settings: c::Settings,
    query: Query,
    /// Whether the property is expected to hold.
    expected: Option<bool>,
}

impl Job {
    fn name(&self) -> &str {
        self.query.name()
    }
}

/// The answer to a job.
struct Answer {
    verdict: Verdict,
    status: Status,
    json: Value,
}

impl Answer {
    fn new(verdict: Verdict, json: Value) -> Answer {
        Answer { status: verdict::status(&verdict), verdict, json }
    }
}

pub(super) fn run(arguments: &Arguments, out: &mut dyn Write) -> anyhow::Result<Status> {
    let engine = arguments.engine()?;
    let files = [&arguments.certificate, &arguments.witness, &arguments.harness, &arguments.strategy];
    for path in files.iter().copied().flatten() {
        certificate::can_be_written(path)?;
    }
    let limits = arguments.options.limits()?;
    let watchdog = Watchdog::new(&limits, arguments.options.timeout, words_before(arguments));
    let jobs = arguments.jobs();
    watchdog.dismiss();
    let jobs = jobs?;
    if jobs.len() > 1 && files.iter().any(|file| file.is_some()) {
        let names = jobs.iter().map(Job::name).collect::<Vec<_>>().join(", ");
        return Err(BadInput(format!("the task asks for {names}: choose one with --property")).into());
    }
    if arguments.certificate.is_some() && jobs.iter().any(|job| job.query.is_temporal()) {
        return Err(BadInput("not supported: certificates of temporal properties".to_owned()).into());
    }
    let mut answers = Vec::new();
    for job in &jobs {
        if jobs.len() > 1 && !arguments.options.json {
            writeln!(out, "Property: {}", job.name())?;
        }
        if let (Some(formula), false) = (job.query.formula(), arguments.options.json || arguments.options.quiet) {
            writeln!(out, "Property: {formula}")?;
        }
        let Some(mut answer) = arguments.answer(job, engine, out)? else { return Ok(Status::BadInput) };
        if let Some(expected) = job.expected {
            let [word, judged] = verdict::judge(expected, &answer.verdict);
            if arguments.options.json {
                answer.json["expected"] = json!(word);
                answer.json["judged"] = json!(judged);
            } else {
                writeln!(out, "Expected: {word}: {judged}")?;
            }
        }
        if !arguments.options.json {
            verdict::write(out, &job.query, &answer.verdict)?;
        }
        answers.push(answer);
    }
    let worst = |status: Status| answers.iter().position(|answer| answer.status == status);
    let all = worst(Status::False).or_else(|| worst(Status::Unknown)).unwrap_or(0);
    match (&answers[..], arguments.options.json) {
        ([], _) => return Err(BadInput("the task has no property that can be checked".to_owned()).into()),
        ([only], true) => writeln!(out, "{:#}", only.json)?,
        (_, true) => {
            let results: Vec<&Value> = answers.iter().map(|answer| &answer.json).collect();
            let (file, verdict) = (arguments.input.name(), &answers[all].json["verdict"]);
            let task = json!({ "schema": "epitome-task/1", "file": file, "verdict": verdict, "results": results });
            writeln!(out, "{task:#}")?;
        }
        ([_], false) => {}
        (_, false) => {
            let count = |status: Status| answers.iter().filter(|answer| answer.status == status).count();
            let counts = [("TRUE", Status::True), ("FALSE", Status::False), ("UNKNOWN", Status::Unknown)];
            let counts = counts.map(|(word, status)| (count(status), word));
            let counts = counts.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}"));
            writeln!(out, "All {} properties: {}", answers.len(), counts.collect::<Vec<_>>().join(", "))?;
            verdict::write(out, &jobs[all].query, &answers[all].verdict)?;
        }
    }
    Ok(answers[all].status)
}

impl Arguments {
    /// What is to be answered.
    fn jobs(&self) -> anyhow::Result<Vec<Job>> {
        let task = self.input.task()?;
        let settings = self.input.settings(task.as_ref());
        let job = |file: &str, Property { entry, query }, expected| {
            // Formulas speak of functions and of their locals.
            let speaks_of_all = self.question.label.is_some() || query.formula().is_some();
            let inline = !self.no_inline && self.certificate.is_none() && !speaks_of_all;
            let settings = c::Settings { overflow: query == Query::Overflow, inline, entry, ..settings.clone() };
            Job { file: file.to_owned(), settings, query, expected }
        };
        let Some(task) = &task else {
            let (file, property) = (self.input.name(), self.question.property()?);
            let expected = expected_by_name(file, &property.query);
            return Ok(vec![job(file, property, expected)]);
        };
        if let Some(model) = task.data_model.filter(|&model| model != settings.data_model && !self.options.quiet) {
            let (says, is) = (model.name(), settings.data_model.name());
            writeln!(anstream::stderr(), "note: the task says {says}; it is checked with {is}")?;
        }
        // A name means what the task means by it.
        let named = task.properties.iter().find(|property| Some(property.name.as_str()) == self.question.name());
        let jobs: Vec<Job> = if let Some(named) = named {
            vec![job(&task.program, named.property.clone(), named.expected)]
        } else if !self.question.is_default() || task.properties.is_empty() {
            let property = self.question.property()?;
            let same = task.properties.iter().find(|other| other.property == property);
            let expected = same.and_then(|same| same.expected);
            vec![job(&task.program, property, expected)]
        } else {
            // Who asks for tests does not ask for a verdict, unless nothing else is asked.
            let (coverage, checks): (Vec<_>, Vec<_>) = task.properties.iter().partition(|p| p.is_coverage);
            let asked = if checks.is_empty() { coverage } else { checks };
            asked.iter().map(|asked| job(&task.program, asked.property.clone(), asked.expected)).collect()
        };
        Ok(jobs)
    }

    /// Answers one question and tells why, all but the verdict; nothing if there is no program.
    fn answer(&self, job: &Job, engine: Engine, out: &mut dyn Write) -> anyhow::Result<Option<Answer>> {
        let options = &self.options;
        let unanswered = |reason: Reason| {
            let verdict = Verdict::Unknown(reason);
            let json = empty_report(&job.file, &job.query, &options.engine_name(), &verdict);
            Ok(Some(Answer::new(verdict, json)))
        };
        if let Query::Other(name) = &job.query {
            return unanswered(Reason::NotSupported(format!("property {name}")));
        }
        let start = Instant::now();
        let limits = options.limits()?;
        let watchdog = Watchdog::new(&limits, options.timeout, last_words(self, job));
        let (source, program) = match self.input.read_file(&job.file, job.settings.clone(), options.quiet)? {
            Reading::Program(source, program) => (source, *program),
            Reading::Bad => return Ok(None),
            Reading::Unsupported(what) => {
                watchdog.dismiss();
                return unanswered(Reason::NotSupported(what));
            }
        };
        if let Err(reason) = limits.check(0) {
            watchdog.dismiss();
            return unanswered(reason);
        }
        if let (Some(entry), false) = (&job.settings.entry, matches!(program, Program::C(_))) {
            watchdog.dismiss();
            return unanswered(Reason::NotSupported(format!("runs that start in `{entry}`")));
        }
        // The process is about to end: what the system takes back at once is not given back piece by piece.
        let program = ManuallyDrop::new(program);
        let checker = ManuallyDrop::new(options.checker(&program));
        if let Some(Err(CheckError::NoSuchPlace { message })) =
            self.question.label.as_ref().map(|l| checker.find_label(l))
        {
            return Err(BadInput(message).into());
        }
        let progress = Progress::new(!options.quiet && !options.json, options.counted());
        let report = checker.check(&job.query, engine, &limits, &mut |rows| progress.rows(rows));
        drop(progress);
        watchdog.dismiss();
        let report = match report {
            Err(CheckError::NoSuchPlace { message }) => return Err(BadInput(message).into()),
            report => ManuallyDrop::new(report?),
        };
        if let Some(path) = &self.certificate {
            let about = certificate::About { file: &job.file, source: &source, query: &job.query, engine };
            certificate::save(path, &about, checker.ersm(), report.proof.as_ref(), options.quiet)?;
        }
        let about = testimony::About { file: &job.file, source: &source, program: &program, query: &job.query };
        if let Some(path) = &self.witness {
            let invariants = match report.verdict {
                Verdict::Holds => {
                    let reread = |settings| self.input.read_file(&job.file, settings, true);
                    testimony::invariants(job.settings.clone(), &about, start.elapsed(), reread)?
                }
                _ => Vec::new(),
            };
            testimony::witness(path, &about, &report, invariants, options.quiet)?;
        }
        if let Some(path) = &self.harness {
            testimony::harness(path, &about, &report, options.quiet)?;
        }
        let opened = self.question.temporal.open.then(|| Opened::new(&source, &program, &job.query, &report));
        if let (Some(path), Some(opened)) = (&self.strategy, &opened) {
            opened.save(path, options.quiet)?;
        }
        let run = report.run.as_ref().or(report.undefined.as_ref());
        let explained = match (&job.query, &report.explanation) {
            (Query::Branching(formula), Some(explanation)) => {
                Some(Explained { source: &source, program: &program, formula, explanation })
            }
            _ => None,
        };
        let trace = run.map(|run| Telltale::new(&source, &program, run, report.again));
        let verdict = match (&report.verdict, &report.undefined) {
            (Verdict::Unknown(Reason::Undefined(what)), Some(run)) => {
                let (procedure, place) = last_place(run);
                let line = source.line_of(program.span(procedure, place).start);
                Verdict::Unknown(Reason::Undefined(format!("{what} at line {line}")))
            }
            (verdict, _) => verdict.clone(),
        };
        let mut json = Value::Null;
        if options.json {
            let explained = explained.filter(|_| self.trace != TraceStyle::None);
            let trace = trace.or_else(|| explained.as_ref()?.main());
            let trace = trace.filter(|_| self.trace != TraceStyle::None).map(|trace| trace.json(self.trace));
            let statistics = stats::json(&report.statistics, &report.reductions, Some(report.other_time));
            let parts = [classify::json(checker.class()), trace.unwrap_or(json!([])), statistics];
            json = json_report(&job.file, &job.query, report.statistics.engine, &verdict, parts);
            if let (Some(run), Some(again)) = (&report.run, report.again) {
                json["lasso"] = Telltale::new(&source, &program, run, Some(again)).json_lasso(self.trace);
            }
            if let Some(explained) = explained {
                json["explanation"] = explained.json(self.trace);
            }
            if let Some(opened) = &opened {
                json["open"] = opened.json();
            }
            if let (Some(bits), Program::C(_)) = (job.settings.int_width, &*program) {
                json["int_width"] = json!(bits);
            }
        } else {
            if options.verbose {
                let (err, class) = (&mut anstream::stderr(), &checker.class().row.name);
                writeln!(err, "{}: {class}, {}", job.file, report.statistics.who())?;
            }
            if options.stats {
                stats::write(&mut anstream::stderr(), &report.statistics, &report.reductions, Some(report.other_time))?;
            }
            if !options.quiet {
                notes(self, &job.query, &program, &checker, &report.statistics)?;
                if let Some(opened) = &opened {
                    opened.write(out, self.trace)?;
                }
                if let Some(trace) = trace.filter(|_| self.trace != TraceStyle::None) {
                    trace.write(out, self.trace)?;
                }
                if let Some(explained) = explained.filter(|_| self.trace != TraceStyle::None) {
                    explained.write(out, self.trace, report.verdict == Verdict::Holds)?;
                }
                self.tell(job, &source, &program, &report, out)?;
            }
        }
        Ok(Some(Answer::new(verdict, json)))
    }

    /// How the search ended, in one sentence.
    fn tell(
        &self,
        job: &Job,
        source: &Source,
        program: &Program,
        report: &Report,
        out: &mut dyn Write,
    ) -> std::io::Result<()> {
        if let (Some(bits), Program::C(_)) = (job.settings.int_width, program) {
            writeln!(out, "int has {bits} bits here (--int-width): the verdict is about that program.")?;
        }
        match (&report.run, report.again) {
            (Some(run), Some(again)) => writeln!(out, "{}", repeated(source, program, &job.query, run, again))?,
            (Some(run), None) => writeln!(out, "{}", reached(source, program, &job.query, run))?,
            (None, _) => {}
        }
        if let Some((procedure, place)) = report.undefined.as_ref().map(last_place) {
            let position = source.position(program.span(procedure, place).start);
            let what = program.hazard(procedure, place).map_or("", c::Hazard::describe);
            writeln!(out, "{}:{position}: {what}: what happens then is not defined", source.name())?;
        }
        // Of what is not supported there is nothing to tell.
        let is_begun = |reason: &Reason| !matches!(reason, Reason::NotSupported(_) | Reason::Undefined(_));
        if !matches!(&report.verdict, Verdict::Unknown(reason) if is_begun(reason)) {
            return Ok(());
        }
        let [edges, summaries] = match report.statistics.engine {
            "bdd" => ["sets of path edges", "sets of summary edges"],
            "sat" => ["facts", "lemmas"],
            _ => ["path edges", "summary edges"],
        };
        let violation = if report.found { "a violation, but no trace of it yet" } else { "no violation" };
        let (found, summed) = (report.statistics.path_edges, report.statistics.summary_edges);
        match (report.statistics.engine, &report.statistics.chosen) {
            ("auto", Some(chosen)) => writeln!(out, "Found so far: {violation} ({chosen})."),
            _ => writeln!(out, "Found so far: {found} {edges}, {summed} {summaries}, {violation}."),
        }
    }

    /// The engine: one that proves, if a certificate is asked for.
    pub(super) fn engine(&self) -> anyhow::Result<Engine> {
        if self.certificate.is_some() { self.options.prover() } else { self.options.engine() }
    }
}

/// What the user may have meant otherwise.
fn notes(
    arguments: &Arguments,
    query: &Query,
    program: &Program,
    checker: &Checker<'_>,
    statistics: &Statistics,
) -> std::io::Result<()> {
    let mut err = anstream::stderr();
    if !checker.can_be_asked(query) {
        let nothing = match (query, program) {
            (Query::Call(function), _) => format!("nobody who may run calls `{function}`"),
            (Query::Label(label), _) => format!("there is no label `{label}`"),
            (_, Program::C(_)) => "no assert, label ERROR or call of reach_error in functions that may run".to_owned(),
            (_, program) if program.is_clauses() => "no clause concludes false".to_owned(),
            _ => "the program has no assert and no label ERROR (see --label)".to_owned(),
        };
        writeln!(err, "note: nothing to check: {nothing}")?;
    }
    let forced = arguments.options.algorithm().map(Algorithm::name);
    let fits = |forced: &&str| *forced == statistics.algorithm || statistics.algorithm == NOTHING_TO_FIND;
    if let Some(forced) = forced.filter(|forced| !fits(forced)) {
        writeln!(err, "note: --expand {forced} does not fit this program; {} was used", statistics.algorithm)?;
    }
    Ok(())
}

/// How a run goes on for ever, in one sentence.
fn repeated(source: &Source, program: &Program, query: &Query, run: &SourceRun, again: Again) -> String {
    let (procedure, place) = last_place(run);
    let position = source.position(program.span(procedure, place).start);
    let name = program.procedure_at(procedure, place);
    let how = match again {
        Again::Stays if program.ends_at(procedure, place, run.last().0 == run.top()) => "a run that ends here",
        Again::Stays => "a run that cannot go on from here",
        Again::Loops { .. } => "a run that comes back here again and again",
        Again::Grows { .. } => "a run that calls without end",
    };
    let property = match query {
        Query::Linear(linear) if linear.formula.is_none() => format!("is accepted by {}", linear.text),
        _ => format!("violates {}", query.formula().unwrap_or("F(end)")),
    };
    format!("{}:{position}: {how} {property} (in {name})", source.name())
}

/// The end of the run in one sentence.
fn reached(source: &Source, program: &Program, query: &Query, run: &SourceRun) -> String {
    let (procedure, place) = last_place(run);
    let position = source.position(program.span(procedure, place).start);
    let name = program.procedure_at(procedure, place);
    let text = excerpt(source, program.span(procedure, place), 60);
    let text = text.trim_end_matches(';');
    let names = program.names_at(procedure, place);
    let what = match (place, names.iter().find(|name| is_asked_for(query, name))) {
        (Place::Failed(_), _) if program.is_clauses() => {
            return format!("{}:{position}: false can be derived", source.name());
        }
        (Place::Failed(_), _) => match program.hazard(procedure, place) {
            Some(hazard) => format!("{} in {text}", hazard.describe()),
            None => format!("{text} can fail"),
        },
        _ if program.called_at(procedure, place) == Some("__assert_fail") => format!("{text} can fail"),
        (Place::Statement(_), Some(label)) => format!("label {label} can be reached"),
        (_, Some(proposition)) if *proposition != text => format!("{proposition} can be reached, at {text}"),
        _ => format!("{text} can be reached"),
    };
    format!("{}:{position}: {what} (in {name})", source.name())
}

/// Of the names that a place has, it is this one that must not be reached. The procedure that a user may have put
/// before a label is that of the place.
fn is_asked_for(query: &Query, name: &str) -> bool {
    match query {
        Query::Failures => FAILURE_LABELS.contains(&name),
        Query::Label(label) => {
            let rest = label.strip_suffix(name);
            rest.is_some_and(|rest| rest.is_empty() || rest.ends_with(['.', ':'])) || *name == format!("{{{label}}}")
        }
        _ => false,
    }
}

/// What is left to say if the process does not even come to the question: formulas can be hard to read.
fn words_before(arguments: &Arguments) -> impl FnOnce(Reason) -> String + Send + 'static {
    let text = arguments.question.temporal.text().cloned().unwrap_or_default();
    let (file, engine) = (arguments.input.name().to_owned(), arguments.options.engine_name().to_string());
    let json = arguments.options.json;
    move |reason| match json {
        true => format!("{:#}", empty_report(&file, &Query::Other(text), &engine, &Verdict::Unknown(reason))),
        false => format!("Verdict: UNKNOWN({reason})"),
    }
}

/// What is left to say if the process does not come to an end by itself.
fn last_words(arguments: &Arguments, job: &Job) -> impl FnOnce(Reason) -> String + Send + 'static {
    let (file, query, options) = (job.file.clone(), job.query.clone(), &arguments.options);
    let (json, engine) = (options.json, options.engine_name());
    move |reason| match json {
        true => format!("{:#}", empty_report(&file, &query, &engine, &Verdict::Unknown(reason))),
        false => format!("Verdict: UNKNOWN({reason})"),
    }
}
