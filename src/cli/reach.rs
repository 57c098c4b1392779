//! `epitome reach`: dead code at a glance.

use super::input::Input;
use super::listener::{Heard, Listener};
use super::options::Options;
use super::units::count;
use super::watchdog::Watchdog;
use super::{Status, Stopped, html, stats};
use crate::checker::{CheckError, Checker, Reachability, Reached};
use crate::limits::Reason;
use crate::model::ProcId;
use crate::syntax::{Program, Source, shorten};
use anstyle::{AnsiColor, Style};
use serde_json::{Value, json};
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

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
        html::can_be_written(path)?;
        arguments.input.is_kept([path.as_path()])?;
    }
    let engine = options.engine()?;
    let limits = options.stop.limits()?;
    let (heard, asked): (Arc<Heard>, Arc<OnceLock<Asked>>) = (Arc::default(), Arc::default());
    let words = || last_words(arguments, heard.clone(), asked.clone());
    let watchdog = Watchdog::new(&limits, options.stop.timeout, words());
    let read = arguments.input.read(options.quiet, &limits);
    if let Some(reason) = Stopped::reason(&read) {
        watchdog.dismiss();
        writeln!(out, "{}", words()(reason))?;
        return Ok(Status::Unknown);
    }
    let Some((source, program)) = read? else { return Ok(Status::BadInput) };
    let (source, program) = (Arc::new(source), Arc::new(program));
    let checker = options.checker(&program);
    let unknown = checker.reachability(arguments.every_line(), &|_, _| None);
    asked.get_or_init(|| Asked { source: source.clone(), program: program.clone(), unknown });
    let mut listener = Listener::new(!options.quiet && !options.json, options.counted(), heard.clone());
    let found = checker.reach(arguments.every_line(), engine, &limits, &mut |news| listener.hear(news));
    drop(listener);
    watchdog.dismiss();
    if let Some(Reason::Internal(what)) = found.stopped {
        return Err(CheckError::Engine(what).into());
    }
    let view = View { source: &source, program: &program };
    if let Some(path) = &arguments.html {
        html::save(path, &view.page(arguments, &checker, &found))?;
    }
    if options.json {
        writeln!(out, "{:#}", view.json(arguments.input.name(), arguments.every_line(), &found))?;
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

/// What was asked, once it is known.
struct Asked {
    source: Arc<Source>,
    program: Arc<Program>,
    /// All places, before anything is known of them.
    unknown: Reachability,
}

/// What is left to say if the process does not come to an end by itself: what can be reached by then.
fn last_words(
    arguments: &Arguments,
    heard: Arc<Heard>,
    asked: Arc<OnceLock<Asked>>,
) -> impl FnOnce(Reason) -> String + Send + 'static {
    let (file, json, quiet) = (arguments.input.name().to_owned(), arguments.options.json, arguments.options.quiet);
    let (engine, lines) = (arguments.options.engine_name(), arguments.every_line());
    move |reason| {
        let Some(Asked { source, program, unknown }) = asked.get() else {
            let object = json!({ "schema": "epitome-reach/1", "file": file, "engine": engine, "labels": [], "reason": reason.to_string(), "statistics": {} });
            return if json { format!("{object:#}") } else { format!("nothing is known (stopped: {reason})") };
        };
        let (reached, mut known) = (heard.reached(), unknown.clone());
        for place in known.labels.iter_mut().chain(&mut known.statements) {
            place.reachable = reached.contains(&(ProcId(place.procedure), place.node)).then_some(true);
        }
        known.stopped = Some(reason);
        let view = View { source, program };
        if json {
            let mut object = view.json(&file, lines, &known);
            object["engine"] = json!(engine);
            return format!("{object:#}");
        }
        let mut text = anstream::StripStream::new(Vec::new());
        // Memory is always written to.
        let _ = view.write(&mut text, &known, lines, quiet);
        String::from_utf8_lossy(&text.into_inner()).trim_end().to_owned()
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
        let (file, every_line) = (arguments.input.name(), arguments.every_line());
        let (source, json) = (self.source, &self.json(file, every_line, found));
        let marks = html::Marks::new(source, self.program, &found.statements);
        let pictures = html::pictures(source, self.program, checker.ersm(), &marks);
        let who = found.statistics.who();
        html::Searched { file: arguments.input.name(), source, json, who, marks, pictures }.page()
    }

    fn json(&self, file: &str, every_line: bool, found: &Reachability) -> Value {
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
            "file": file,
            "engine": found.statistics.engine,
            "labels": found.labels.iter().map(entry).collect::<Vec<_>>(),
        });
        if every_line {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checker::Checker;
    use crate::engine::News;
    use clap::Parser;

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        arguments: Arguments,
    }

    /// The last words of a search that never ends tell what it has told.
    #[test]
    fn last_words_tell_what_can_be_reached() {
        let source = Source::new("t.bp", "void main() begin\nA: skip;\nB: skip;\nend");
        let Ok((program, _)) = Program::parse(&source, crate::syntax::Language::Bp) else { panic!("a program") };
        let checker = Checker::new(&program);
        let unknown = checker.reachability(false, &|_, _| None);
        let label = &unknown.labels[1];
        let news = News::Reached(ProcId(label.procedure), label.node);
        let words = |options: &[&str]| {
            let arguments = Command::parse_from([&["reach", "t.bp"], options].concat()).arguments;
            let (heard, asked): (Arc<Heard>, Arc<OnceLock<Asked>>) = Default::default();
            let words = last_words(&arguments, heard.clone(), asked.clone());
            let (source, program) = (Arc::new(source.clone()), Arc::new(program.clone()));
            asked.get_or_init(|| Asked { source, program, unknown: unknown.clone() });
            Listener::new(false, "", heard).hear(news.clone());
            words(Reason::Memory)
        };
        let lines = ["unknown      line 2      main.A", "reachable    line 3      main.B"];
        assert_eq!(words(&[]), format!("{}\n1 of 2 labels reachable so far (stopped: memory)", lines.join("\n")));
        let json: Value = serde_json::from_str(&words(&["--json"])).expect("an object");
        assert_eq!((&json["labels"][0]["reachable"], &json["labels"][1]["reachable"]), (&Value::Null, &json!(true)));
        assert_eq!((&json["reason"], &json["engine"]), (&json!("memory"), &json!("auto")));
    }
}
