//! `epitome check`.

use super::input::Input;
use super::options::Options;
use super::progress::Progress;
use super::question::Question;
use super::trace::{Telltale, TraceStyle, excerpt};
use super::watchdog::Watchdog;
use super::{BadInput, Status, certificate, classify, stats};
use crate::checker::{CheckError, Checker, Engine, Verdict};
use crate::engine::expand::Algorithm;
use crate::engine::{NOTHING_TO_FIND, Statistics};
use crate::evidence::last_place;
use crate::limits::Reason;
use crate::logic::Query;
use crate::model::SourceRun;
use crate::syntax::{FAILURE_LABELS, Place, Program, Source};
use anstyle::{AnsiColor, Style};
use serde_json::{Value, json};
use std::io::Write;
use std::mem::ManuallyDrop;
use std::path::PathBuf;

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
    #[command(flatten)]
    pub(super) options: Options,
}

pub(super) fn run(arguments: &Arguments, out: &mut dyn Write) -> anyhow::Result<Status> {
    let options = &arguments.options;
    let engine = arguments.engine()?;
    arguments.certificate.as_deref().map_or(Ok(()), certificate::can_be_written)?;
    let query = arguments.question.query()?;
    let limits = options.limits()?;
    let watchdog = Watchdog::new(&limits, options.timeout, last_words(arguments, &query));
    let Some((source, program)) = arguments.input.read(options.quiet)? else { return Ok(Status::BadInput) };
    if let Err(reason) = limits.check(0) {
        watchdog.dismiss();
        return out_of_time(arguments, &query, reason, out);
    }
    // The process is about to end: what the system takes back at once is not given back piece by piece.
    let program = ManuallyDrop::new(program);
    let checker = ManuallyDrop::new(options.checker(&program));
    let progress = Progress::new(!options.quiet && !options.json, options.counted());
    if let Some(Err(CheckError::NoSuchPlace { message })) =
        arguments.question.label.as_ref().map(|l| checker.find_label(l))
    {
        return Err(BadInput(message).into());
    }
    let report = checker.check(&query, engine, &limits, &mut |rows| progress.rows(rows));
    drop(progress);
    watchdog.dismiss();
    let report = ManuallyDrop::new(report?);
    if let Some(path) = &arguments.certificate {
        let about = certificate::About { file: arguments.input.name(), source: &source, query: &query, engine };
        certificate::save(path, &about, checker.ersm(), report.proof.as_ref(), options.quiet)?;
    }
    let trace = report.run.as_ref().map(|run| Telltale { source: &source, program: &program, run });
    if options.json {
        let trace = trace.filter(|_| arguments.trace != TraceStyle::None).map(|trace| trace.json(arguments.trace));
        let statistics = stats::json(&report.statistics, &report.reductions, Some(report.other_time));
        let parts = [classify::json(checker.class()), trace.unwrap_or(json!([])), statistics];
        writeln!(
            out,
            "{:#}",
            json_report(arguments.input.name(), &query, report.statistics.engine, &report.verdict, parts)
        )?;
        return Ok(status(&report.verdict));
    }
    if options.verbose {
        let err = &mut anstream::stderr();
        let name = arguments.input.name();
        writeln!(err, "{name}: {}, {}", checker.class().row.name, report.statistics.who())?;
    }
    if options.stats {
        stats::write(&mut anstream::stderr(), &report.statistics, &report.reductions, Some(report.other_time))?;
    }
    if !options.quiet {
        notes(arguments, &program, &checker, &report.statistics)?;
    }
    if let Some(trace) = trace.filter(|_| arguments.trace != TraceStyle::None && !options.quiet) {
        trace.write(out, arguments.trace)?;
    }
    if let (Some(run), false) = (&report.run, options.quiet) {
        writeln!(out, "{}", reached(&source, &program, &query, run))?;
    }
    // Of what is not supported there is nothing to tell.
    let is_begun = matches!(&report.verdict, Verdict::Unknown(reason) if !matches!(reason, Reason::NotSupported(_)));
    if is_begun && !options.quiet {
        let [edges, summaries] = match report.statistics.engine {
            "bdd" => ["sets of path edges", "sets of summary edges"],
            "sat" => ["facts", "lemmas"],
            _ => ["path edges", "summary edges"],
        };
        let violation = if report.found { "a violation, but no trace of it yet" } else { "no violation" };
        let (found, summed) = (report.statistics.path_edges, report.statistics.summary_edges);
        match (report.statistics.engine, &report.statistics.chosen) {
            ("auto", Some(chosen)) => writeln!(out, "Found so far: {violation} ({chosen}).")?,
            _ => writeln!(out, "Found so far: {found} {edges}, {summed} {summaries}, {violation}.")?,
        }
    }
    write_verdict(out, &query, &report.verdict)?;
    Ok(status(&report.verdict))
}

/// What the user may have meant otherwise.
fn notes(
    arguments: &Arguments,
    program: &Program,
    checker: &Checker<'_>,
    statistics: &Statistics,
) -> std::io::Result<()> {
    let mut err = anstream::stderr();
    if arguments.question.is_default() && checker.ersm().failures.is_empty() {
        let nothing = match program.is_clauses() {
            true => "no clause concludes false",
            false => "the program has no assert and no label ERROR (see --label)",
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

/// The end of the run in one sentence.
fn reached(source: &Source, program: &Program, query: &Query, run: &SourceRun) -> String {
    let (procedure, place) = last_place(run);
    let position = source.position(program.span(procedure, place).start);
    let name = program.procedure_name(procedure);
    let text = excerpt(source, program.span(procedure, place), 60);
    let names = program.names_at(procedure, place);
    let what = match (place, names.iter().find(|name| is_asked_for(query, name))) {
        (Place::Failed(_), _) if program.is_clauses() => {
            return format!("{}:{position}: false can be derived", source.name());
        }
        (Place::Failed(_), _) => format!("{text} can fail"),
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
        Query::Call(_) | Query::Overflow | Query::Termination => false,
    }
}

/// A limit was reached before there was a model.
fn out_of_time(arguments: &Arguments, query: &Query, reason: Reason, out: &mut dyn Write) -> anyhow::Result<Status> {
    let verdict = Verdict::Unknown(reason);
    if arguments.options.json {
        let engine = arguments.options.engine_name();
        writeln!(out, "{:#}", empty_report(arguments.input.name(), query, &engine, &verdict))?;
    } else {
        write_verdict(out, query, &verdict)?;
    }
    Ok(Status::Unknown)
}

/// What is left to say if the process does not come to an end by itself.
fn last_words(arguments: &Arguments, query: &Query) -> impl FnOnce(Reason) -> String + Send + 'static {
    let (file, query, options) = (arguments.input.name().to_owned(), query.clone(), &arguments.options);
    let (json, engine) = (options.json, options.engine_name());
    move |reason| match json {
        true => format!("{:#}", empty_report(&file, &query, &engine, &Verdict::Unknown(reason))),
        false => format!("Verdict: UNKNOWN({reason})"),
    }
}

fn empty_report(file: &str, query: &Query, engine: &str, verdict: &Verdict) -> Value {
    json_report(file, query, engine, verdict, [json!({}), json!([]), json!({})])
}

impl Arguments {
    /// The engine: one that proves, if a certificate is asked for.
    pub(super) fn engine(&self) -> anyhow::Result<Engine> {
        if self.certificate.is_some() { self.options.prover() } else { self.options.engine() }
    }
}

fn status(verdict: &Verdict) -> Status {
    match verdict {
        Verdict::Holds => Status::True,
        Verdict::Violated => Status::False,
        Verdict::Unknown(_) => Status::Unknown,
    }
}

/// The last line of stdout.
fn write_verdict(out: &mut dyn Write, query: &Query, verdict: &Verdict) -> std::io::Result<()> {
    let (color, text) = match verdict {
        Verdict::Holds => (AnsiColor::Green, "TRUE".to_owned()),
        Verdict::Violated => (AnsiColor::Red, format!("FALSE({})", query.name())),
        Verdict::Unknown(reason) => (AnsiColor::Yellow, format!("UNKNOWN({reason})")),
    };
    let style = Style::new().bold().fg_color(Some(color.into()));
    writeln!(out, "Verdict: {style}{text}{style:#}")
}

/// The object for `--json`; `parts` are class, trace and statistics.
fn json_report(file: &str, query: &Query, engine: &str, verdict: &Verdict, parts: [Value; 3]) -> Value {
    let [class, trace, statistics] = parts;
    let (verdict, reason) = match verdict {
        Verdict::Holds => ("TRUE", None),
        Verdict::Violated => ("FALSE", None),
        Verdict::Unknown(reason) => ("UNKNOWN", Some(reason.to_string())),
    };
    json!({
        "schema": "epitome-check/1",
        "file": file,
        "property": query.to_string(),
        "verdict": verdict,
        "reason": reason,
        "engine": engine,
        "class": class,
        "trace": trace,
        "statistics": statistics,
    })
}
