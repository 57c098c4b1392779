//! `epitome check`: one question about a program, or all questions of a task.

use super::findings::Findings;
use super::input::{Input, Reading};
use super::listener::{Heard, Listener};
use super::options::Options;
use super::question::Question;
use super::task::expected_by_name;
use super::testimony::Testimony;
use super::trace::TraceStyle;
use super::verdict::{self, empty_report};
use super::watchdog::Watchdog;
use super::{BadInput, Status, certificate, files, html, sentences, stats, testimony};
use crate::checker::{CheckError, Engine, Verdict};
use crate::limits::Reason;
use crate::logic::{Property, Query};
use crate::syntax::{Program, Source, c};
use serde_json::{Value, json};
use std::io::Write;
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::sync::Arc;
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
    /// Write a page for browsers to this file: the verdict, and its trace to step through
    #[arg(long, value_name = "FILE.html")]
    html: Option<PathBuf>,
    /// Refuse a question about nothing: if the program has no assertion, no label or no call that could violate the
    /// property, the answer is an error (status 2) instead of TRUE
    #[arg(long)]
    require: bool,
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
    fn new(job: &Job, verdict: Verdict, mut json: Value) -> Answer {
        if let (Some(expected), Value::Object(object)) = (job.expected, &mut json) {
            let [word, judged] = verdict::judge(expected, &verdict);
            object.insert("expected".to_owned(), json!(word));
            object.insert("judged".to_owned(), json!(judged));
        }
        Answer { status: verdict::status(&verdict), verdict, json }
    }
}

pub(super) fn run(arguments: &Arguments, out: &mut dyn Write) -> anyhow::Result<Status> {
    let engine = arguments.engine()?;
    let files = [&arguments.certificate, &arguments.witness, &arguments.harness, &arguments.strategy];
    for path in files.iter().copied().flatten() {
        certificate::can_be_written(path)?;
    }
    if let Some(path) = &arguments.html {
        html::can_be_written(path)?;
    }
    arguments.input.is_kept(arguments.outputs())?;
    let limits = arguments.options.stop.limits()?;
    // Formulas can be hard to read.
    let asked = Query::Other(arguments.question.temporal.text().cloned().unwrap_or_default());
    let words = last_words(arguments, arguments.input.name(), asked, Arc::default());
    let watchdog = Watchdog::new(&limits, arguments.options.stop.timeout, words);
    let jobs = arguments.jobs();
    watchdog.dismiss();
    let jobs = jobs?;
    files::keep(arguments.outputs())?;
    if jobs.len() > 1 && files.iter().chain([&&arguments.html]).any(|file| file.is_some()) {
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
        let Some(answer) = arguments.answer(job, engine, out)? else { return Ok(Status::BadInput) };
        if !arguments.options.json {
            if let Some(expected) = job.expected {
                let [word, judged] = verdict::judge(expected, &answer.verdict);
                writeln!(out, "Expected: {word}: {judged}")?;
            }
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
    /// Files that are written.
    fn outputs(&self) -> impl Iterator<Item = &Path> {
        let files = [&self.certificate, &self.witness, &self.harness, &self.strategy, &self.html];
        files.into_iter().flatten().map(PathBuf::as_path)
    }

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
            let (file, property) = (self.input.name(), self.question.property(self.input.is_c())?);
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
            let property = self.question.property(true)?;
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
        let unanswered = |reason: Reason, source: Option<&Source>, position| {
            let verdict = Verdict::Unknown(reason);
            let json = empty_report(&job.file, &job.query, &options.engine_name(), &verdict, position);
            let answer = Answer::new(job, verdict, json);
            self.page(job, &answer, source, None)?;
            Ok(Some(answer))
        };
        if let Query::Other(name) = &job.query {
            return unanswered(Reason::NotSupported(format!("property {name}")), None, None);
        }
        let start = Instant::now();
        let limits = options.stop.limits()?;
        let heard: Arc<Heard> = Arc::default();
        let words = last_words(self, &job.file, job.query.clone(), heard.clone());
        let watchdog = Watchdog::new(&limits, options.stop.timeout, words);
        let (source, program) = match self.input.read_file(&job.file, job.settings.clone(), options.quiet, &limits)? {
            Reading::Program(source, program) => (source, *program),
            Reading::Bad => return Ok(None),
            Reading::Unknown(reason, position) => {
                watchdog.dismiss();
                return unanswered(reason, None, position);
            }
        };
        // Which headers it includes is known only now.
        files::keep(self.outputs())?;
        if let Err(reason) = limits.check(0) {
            watchdog.dismiss();
            return unanswered(reason, Some(&source), None);
        }
        if let (Some(entry), false) = (&job.settings.entry, matches!(program, Program::C(_))) {
            watchdog.dismiss();
            let reason = Reason::NotSupported(format!("runs that start in `{entry}`"));
            return unanswered(reason, Some(&source), None);
        }
        // The process is about to end: what the system takes back at once is not given back piece by piece.
        let program = ManuallyDrop::new(program);
        let checker = ManuallyDrop::new(options.checker(&program));
        self.question.resolve(&checker, &job.query)?;
        if let Some(why) = sentences::nothing_to_check(&program, &checker, &job.query).filter(|_| self.require) {
            return Err(BadInput(format!("{}: nothing to check: {why} (--require)", job.file)).into());
        }
        let mut listener = Listener::new(!options.quiet && !options.json, options.counted(), heard);
        let report = checker.check(&job.query, engine, &limits, &mut |news| listener.hear(news));
        drop(listener);
        watchdog.dismiss();
        let report = match report {
            Err(CheckError::NoSuchPlace { message }) => return Err(BadInput(message).into()),
            report => ManuallyDrop::new(report?),
        };
        let findings = Findings {
            file: &job.file,
            source: &source,
            program: &program,
            query: &job.query,
            checker: &checker,
            report: &report,
            is_open: self.question.temporal.open,
            int_width: job.settings.int_width,
            style: self.trace,
        };
        let testimony = self.save(job, &findings, engine, start)?;
        let is_json = options.json || self.html.is_some();
        let json = if is_json { findings.json(&sentences::notes(&findings, options)) } else { Value::Null };
        let answer = Answer::new(job, findings.verdict(), json);
        self.page(
            job,
            &answer,
            Some(&source),
            Some(html::Evidence { findings: &findings, testimony: &testimony, limits: &limits }),
        )?;
        if !options.json {
            self.tell(&findings, out)?;
        }
        Ok(Some(answer))
    }

    /// Writes what others need to believe the verdict, as far as it is asked for.
    fn save(&self, job: &Job, findings: &Findings<'_>, engine: Engine, start: Instant) -> anyhow::Result<Testimony> {
        let &Findings { file, source, program, query, checker, report, .. } = findings;
        let quiet = self.options.quiet;
        let mut testimony = Testimony::default();
        if let Some(path) = &self.certificate {
            let about = certificate::About { file, source, query, engine };
            testimony.certificate = certificate::save(path, &about, checker.ersm(), report.proof.as_ref(), quiet)?;
        }
        let about = testimony::About { file, source, program, query };
        if let Some(path) = &self.witness {
            if report.verdict == Verdict::Holds {
                let reread = |settings, limits: &_| self.input.read_file(file, settings, true, limits);
                testimony.invariants = testimony::invariants(job.settings.clone(), &about, start.elapsed(), reread)?;
            }
            testimony.witness = testimony::witness(path, &about, report, &testimony.invariants, quiet)?;
        }
        if let Some(path) = &self.harness {
            testimony::harness(path, &about, report, quiet)?;
        }
        if let (Some(path), Some(opened)) = (&self.strategy, findings.opened()) {
            opened.save(path, quiet)?;
        }
        Ok(testimony)
    }

    /// Tells what was found, all but the verdict.
    fn tell(&self, findings: &Findings<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
        let (options, report) = (&self.options, findings.report);
        if options.verbose {
            let (err, class) = (&mut anstream::stderr(), &findings.checker.class().row.name);
            let left = report.left.as_ref().map(|left| &left.row.name).filter(|left| *left != class);
            let reduced = left.map_or(String::new(), |left| format!(", reduced to {left}"));
            writeln!(err, "{}: {class}{reduced}, {}", findings.file, report.statistics.who())?;
        }
        if options.stats {
            stats::write(&mut anstream::stderr(), &report.statistics, &report.reductions, Some(report.other_time))?;
            if let Verdict::Unknown(_) = report.verdict {
                stats::line(&mut anstream::stderr(), "found so far", sentences::violation(findings))?;
            }
        }
        if options.quiet {
            return Ok(());
        }
        for note in sentences::notes(findings, options) {
            writeln!(anstream::stderr(), "note: {note}")?;
        }
        if let Some(opened) = findings.opened() {
            opened.write(out, self.trace)?;
        }
        if let Some(trace) = findings.trace() {
            trace.write(out, self.trace)?;
        }
        if let Some(explained) = findings.explained() {
            explained.write(out, self.trace, report.verdict == Verdict::Holds)?;
        }
        for sentence in sentences::ending(findings) {
            writeln!(out, "{sentence}")?;
        }
        Ok(())
    }

    /// Writes the page for browsers, if one is asked for.
    fn page(
        &self,
        job: &Job,
        answer: &Answer,
        source: Option<&Source>,
        evidence: Option<html::Evidence<'_>>,
    ) -> anyhow::Result<()> {
        let Some(path) = &self.html else { return Ok(()) };
        let checked = html::Checked {
            file: &job.file,
            query: &job.query,
            written: self.question.temporal.text().map(String::as_str),
            verdict: &answer.verdict,
            json: &answer.json,
            source,
            certificate: self.certificate.as_deref(),
            notes: evidence.as_ref().map(|of| sentences::notes(of.findings, &self.options)).unwrap_or_default(),
            evidence,
        };
        html::save(path, &checked.page())
    }

    /// The engine: one that proves, if a certificate is asked for.
    pub(super) fn engine(&self) -> anyhow::Result<Engine> {
        if self.certificate.is_some() { self.options.prover() } else { self.options.engine() }
    }
}

/// What is left to say if the process does not come to an end by itself.
fn last_words(
    arguments: &Arguments,
    file: &str,
    query: Query,
    heard: Arc<Heard>,
) -> impl FnOnce(Reason) -> String + Send + 'static {
    let (file, page, options) = (file.to_owned(), arguments.html.clone(), &arguments.options);
    let (is_json, is_quiet, engine) = (options.json, options.quiet, options.engine_name());
    move |reason| {
        // Where memory has run out the verdict comes first.
        let page = page.filter(|_| reason != Reason::Memory);
        let verdict = Verdict::Unknown(reason);
        let mut json = empty_report(&file, &query, &engine, &verdict, None);
        json["found"] = json!(heard.found());
        if let Some(path) = page {
            html::last_page(&path, &file, &query, &verdict, &json);
        }
        match verdict {
            _ if is_json => format!("{json:#}"),
            Verdict::Unknown(reason) => {
                let found = if heard.found() && !is_quiet { sentences::FOUND_SO_FAR } else { "" };
                format!("{found}Verdict: UNKNOWN({reason})")
            }
            _ => String::new(),
        }
    }
}
