//! `epitome reach`: dead code at a glance.

use super::input::Input;
use super::options::Options;
use super::progress::Progress;
use super::units::count;
use super::watchdog::Watchdog;
use super::{Status, html, stats};
use crate::checker::{CheckError, Checker, Reachability, Reached};
use crate::limits::Reason;
use crate::syntax::{Program, Source, shorten};
use anstyle::{AnsiColor, Style};
use serde_json::{Value, json};
use std::io::{self, Write};
use std::path::PathBuf;

#[derive(clap::Args, Debug)]
pub(super) struct Arguments {
    #[command(flatten)]
    input: Input,
    /// Every statement, not only labels
    #[arg(long)]
    lines: bool,
    /// Write a page for browsers to this file: the source, with what is reachable and what is not (of every statement)
    #[arg(long, value_name = "FILE.html")]
    html: Option<PathBuf>,
    #[command(flatten)]
    options: Options,
}

impl Arguments {
    /// Every statement is asked about; a page shows them all.
    fn every_line(&self) -> bool {
        self.lines || self.html.is_some()
    }
}

pub(super) fn run(arguments: &Arguments, out: &mut dyn Write) -> anyhow::Result<Status> {
    let options = &arguments.options;
    if let Some(path) = &arguments.html {
        html::can_be_written(path, arguments.input.name())?;
    }
    let engine = options.engine()?;
    let limits = options.limits()?;
    let watchdog = Watchdog::new(&limits, options.timeout, last_words(arguments));
    let Some((source, program)) = arguments.input.read(options.quiet)? else { return Ok(Status::BadInput) };
    let progress = Progress::new(!options.quiet && !options.json, options.counted());
    let checker = options.checker(&program);
    let found = checker.reach(arguments.every_line(), engine, &limits, &mut |rows| progress.rows(rows));
    drop(progress);
    watchdog.dismiss();
    match found.stopped {
        Some(Reason::Internal(what)) => return Err(CheckError::Engine(what).into()),
        Some(Reason::Solver(what)) => return Err(CheckError::Solver(what).into()),
        _ => {}
    }
    let view = View { source: &source, program: &program };
    if let Some(path) = &arguments.html {
        html::save(path, &view.page(arguments, &checker, &found))?;
    }
    if options.json {
        writeln!(out, "{:#}", view.json(arguments, &found))?;
    } else {
        if options.verbose {
            writeln!(anstream::stderr(), "{}: {}", arguments.input.name(), found.statistics.who())?;
        }
        if options.stats {
            stats::write(&mut anstream::stderr(), &found.statistics, &found.reductions, None)?;
        }
        view.write(out, &found, arguments.every_line(), options.quiet)?;
    }
    Ok(if found.stopped.is_some() { Status::Unknown } else { Status::True })
}

/// What is left to say if the process does not come to an end by itself.
fn last_words(arguments: &Arguments) -> impl FnOnce(Reason) -> String + Send + 'static {
    let (file, json) = (arguments.input.name().to_owned(), arguments.options.json);
    let engine = arguments.options.engine_name();
    move |reason| {
        let reason = reason.to_string();
        if json {
            let object = json!({ "schema": "epitome-reach/1", "file": file, "engine": engine, "labels": [], "reason": reason, "statistics": {} });
            return format!("{object:#}");
        }
        format!("nothing is known (stopped: {reason})")
    }
}

struct View<'a> {
    source: &'a Source,
    program: &'a Program,
}

impl View<'_> {
    fn line_of(&self, reached: &Reached) -> usize {
        self.source.line_of(self.program.span(reached.procedure, reached.place).start)
    }

    fn text_of(&self, reached: &Reached) -> &str {
        self.source.first_line(self.program.span(reached.procedure, reached.place))
    }

    fn write(&self, out: &mut dyn Write, found: &Reachability, lines: bool, quiet: bool) -> io::Result<()> {
        let (list, what) = match (self.program, lines) {
            (Program::Rsm(_), true) => (&found.statements, "node"),
            (_, true) => (&found.statements, "statement"),
            (_, false) => (&found.labels, "label"),
        };
        let procedures = list.iter().map(|reached| self.program.procedure_name(reached.procedure).chars().count());
        let width = procedures.max().unwrap_or(0).min(30);
        for reached in list {
            let (color, word) = match reached.reachable {
                Some(true) => (AnsiColor::Green, "reachable"),
                Some(false) => (AnsiColor::Red, "unreachable"),
                None => (AnsiColor::Yellow, "unknown"),
            };
            let style = Style::new().fg_color(Some(color.into()));
            let procedure = self.program.procedure_name(reached.procedure);
            let name = if lines {
                format!("{procedure:<width$}  {}", shorten(self.text_of(reached), 80))
            } else {
                format!("{procedure}.{}", reached.name)
            };
            writeln!(out, "{style}{word:<11}{style:#}  line {:<5}  {name}", self.line_of(reached))?;
        }
        if quiet {
            return Ok(());
        }
        let reachable = list.iter().filter(|reached| reached.reachable == Some(true)).count();
        let stopped = found.stopped.as_ref().map_or(String::new(), |reason| format!(" so far (stopped: {reason})"));
        let hint = if list.is_empty() && !lines { " (--lines shows statements)" } else { "" };
        writeln!(out, "{reachable} of {} reachable{stopped}{hint}", count(list.len(), what))
    }

    fn page(&self, arguments: &Arguments, checker: &Checker<'_>, found: &Reachability) -> String {
        let (source, json) = (self.source, &self.json(arguments, found));
        let marks = html::Marks::new(source, self.program, &found.statements);
        let pictures = html::pictures(source, self.program, checker.ersm(), &marks);
        let who = found.statistics.who();
        html::Searched { file: arguments.input.name(), source, json, who, marks, pictures }.page()
    }

    fn json(&self, arguments: &Arguments, found: &Reachability) -> Value {
        let entry = |reached: &Reached| {
            json!({
                "label": reached.name,
                "procedure": self.program.procedure_name(reached.procedure),
                "line": self.line_of(reached),
                "reachable": reached.reachable,
            })
        };
        let mut object = json!({
            "schema": "epitome-reach/1",
            "file": arguments.input.name(),
            "engine": found.statistics.engine,
            "labels": found.labels.iter().map(entry).collect::<Vec<_>>(),
        });
        if arguments.every_line() {
            let entry = |reached: &Reached| {
                json!({
                    "procedure": self.program.procedure_name(reached.procedure),
                    "line": self.line_of(reached),
                    "text": self.text_of(reached),
                    "reachable": reached.reachable,
                })
            };
            object["lines"] = found.statements.iter().map(entry).collect();
        }
        object["reason"] = found.stopped.as_ref().map_or(Value::Null, |reason| json!(reason.to_string()));
        object["statistics"] = stats::json(&found.statistics, &found.reductions, None);
        object
    }
}
