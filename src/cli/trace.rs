//! Traces for people and for programs.
//!
//! A line of text shows the step's number, its source line, the statement indented by call depth, and
//! the variables whose values are new. The same lines go to JSON.

use super::units;
use crate::evidence::{Event, Line, Telling, Told, Unread, full_steps, tell};
use crate::model::SourceRun;
use crate::syntax::c::Hazard;
use crate::syntax::{Place, Program, Source, Span, shorten};
use crate::temporal::{Again, growth};
use serde_json::{Map, Value, json};
use std::io::{self, Write};

/// How much of a trace is shown.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TraceStyle {
    /// No trace
    None,
    /// The inside of equal calls once, at most 10,000 steps
    Short,
    /// Every call written out, at most 1,000,000 steps
    Full,
}

impl TraceStyle {
    fn limits(self) -> (Telling, usize) {
        match self {
            TraceStyle::Full => (Telling::Full, 1_000_000),
            TraceStyle::Short | TraceStyle::None => (Telling::Shared, 10_000),
        }
    }
}

/// What a trace is told about.
pub(super) struct Telltale<'a> {
    pub(super) source: &'a Source,
    pub(super) program: &'a Program,
    pub(super) run: &'a SourceRun,
    /// How the run goes on, if it does so for ever.
    pub(super) again: Option<Again>,
    /// The number of the state from which on it is told.
    pub(super) from: usize,
    /// Numbers of states that matter, ends of procedures though they may be, and inside of calls that were told before; in order.
    pub(super) wanted: Vec<usize>,
    /// Only the places matter, and not the values: those that nobody reads are left out.
    pub(super) is_of_places: bool,
}

/// What is repeated of a trace.
struct Lasso {
    /// The first line of it.
    line: usize,
    /// The number of its first step.
    step: usize,
    /// It is more than one state.
    rounds: bool,
    text: String,
}

/// Indentation stops here; deeper calls show their depth as a number.
const DEEPEST_INDENT: usize = 24;

impl<'a> Telltale<'a> {
    /// A run that is told from its start.
    pub(super) fn new(
        source: &'a Source,
        program: &'a Program,
        run: &'a SourceRun,
        again: Option<Again>,
    ) -> Telltale<'a> {
        Telltale { source, program, run, again, from: 0, wanted: Vec::new(), is_of_places: false }
    }

    /// A run of which only the places matter, and not the values.
    pub(super) fn of_places(source: &'a Source, program: &'a Program, run: &'a SourceRun) -> Telltale<'a> {
        Telltale { is_of_places: true, ..Telltale::new(source, program, run, None) }
    }

    /// The steps at which states are told, or after which they come, since they are not told by themselves; which of both.
    pub(super) fn steps_of(&self, states: impl Iterator<Item = usize>, style: TraceStyle) -> Vec<(usize, bool)> {
        let told = self.told(style);
        states.map(|state| step_of(&told, state)).collect()
    }

    /// Writes the trace as text.
    pub(super) fn write(&self, out: &mut dyn Write, style: TraceStyle) -> io::Result<()> {
        let told = self.told(style);
        // The step where a loop comes back is the one where it began.
        let again = usize::from(matches!(self.again, Some(Again::Loops { .. })));
        let full = full_steps(self.program, self.run) - again as f64;
        let steps = told.lines.iter().filter(|line| line.is_step() && line.state >= self.from).count();
        let shown = steps - usize::from(!told.cut) * again;
        let head = match step_of(&told, self.from) {
            (step, _) if step > 1 => format!("Trace from step {step} on ({}", units::count(shown, "step")),
            _ if full > shown as f64 => {
                format!("Trace ({} shown, {} in the run", units::count(shown, "step"), count(full))
            }
            _ => format!("Trace ({}", units::count(shown, "step")),
        };
        writeln!(out, "{head}; new values on arrival at each line):")?;
        // The end of a procedure is not told, but where the run stays it is what matters.
        let stays_at = self.again.filter(|again| *again == Again::Stays).and(told.lines.len().checked_sub(1));
        let is_told = |index: usize, line: &Line| {
            let matters = line.is_step() || stays_at == Some(index) || self.wanted.binary_search(&line.state).is_ok();
            matters && line.state >= self.from
        };
        let shown = told.lines.iter().enumerate().filter(|(index, line)| is_told(*index, line));
        let width = shown.map(|(_, line)| self.statement(line).chars().count()).max().unwrap_or(0).min(60);
        let last = told.lines.iter().rposition(Line::is_step).filter(|_| !told.cut);
        let lasso = self.lasso(&told);
        for (index, line) in told.lines.iter().enumerate() {
            if let Some(Lasso { line: first, rounds: true, .. }) = lasso
                && first == index
            {
                writeln!(out, "        -- repeated for ever:")?;
            }
            // The line where a loop comes back is the one where it began.
            let is_back = last == Some(index) && matches!(self.again, Some(Again::Loops { .. }));
            if is_told(index, line) && !is_back {
                self.line(out, line, width, Some(index) == last && self.again.is_none())?;
            }
        }
        if let Some(lasso) = lasso {
            writeln!(out, "        -- {}", lasso.text)?;
        }
        if told.cut {
            writeln!(
                out,
                "  … the trace goes on; this is the limit of --trace {}",
                if style == TraceStyle::Full { "full" } else { "short" }
            )?;
        }
        Ok(())
    }

    /// Where values do not matter.
    pub(super) fn unread(&self) -> Unread {
        if self.is_of_places { Unread::new(self.program, self.run) } else { Unread::nothing() }
    }

    /// The lines of the trace.
    pub(super) fn told(&self, style: TraceStyle) -> Told {
        let (telling, limit) = style.limits();
        let (last, step) = self.run.last();
        let mark = self.again.map(|again| match again {
            Again::Stays => (last, step),
            Again::Loops { step } => (last, step),
            Again::Grows { activation } => (activation, 0),
        });
        tell(self.program, self.run, &self.unread(), mark, &self.wanted, telling, limit)
    }

    /// How the trace goes on.
    fn lasso(&self, told: &Told) -> Option<Lasso> {
        let again = self.again.filter(|_| !told.cut)?;
        let line = told.mark?;
        let step = told.lines[line.min(told.lines.len().checked_sub(1)?)..].iter().find(|line| line.is_step());
        let step = step.or(told.lines.iter().rfind(|line| line.is_step())).map_or(0, |line| line.number);
        let (rounds, text) = match again {
            Again::Stays => (false, "stays here for ever".to_owned()),
            Again::Loops { .. } => (true, format!("back to step {step}, with the same stack")),
            Again::Grows { activation } => {
                let calls = units::count(growth(self.run, activation), "call");
                (true, format!("on to step {step}, {calls} deeper each time"))
            }
        };
        Some(Lasso { line, step, rounds, text })
    }

    /// The lasso as a JSON object.
    pub(super) fn json_lasso(&self, style: TraceStyle) -> Value {
        let told = self.told(style);
        let step = self.lasso(&told).map(|lasso| lasso.step);
        let (kind, calls) = match self.again {
            Some(Again::Grows { activation }) => ("grows", growth(self.run, activation)),
            Some(Again::Stays) => ("stays", 0),
            _ => ("loops", 0),
        };
        let stack = if calls > 0 { "unbounded" } else { "bounded" };
        json!({ "kind": kind, "from_step": step, "stack": stack, "calls_each_round": calls })
    }

    fn line(&self, out: &mut dyn Write, line: &Line, width: usize, last: bool) -> io::Result<()> {
        let position = self.source.line_of(self.program.span(line.procedure, line.place).start);
        let pair = |(variable, value)| format!("{}={value}", self.variable_name(line, variable));
        let values: Vec<String> = line.known().map(pair).collect();
        let note = match line.event {
            Event::SameAs(first) => format!("  (inside as at step {first})"),
            // The label that was looked for is one of these.
            _ if last => match self.program.labels(line.procedure, line.place).as_slice() {
                [] => String::new(),
                labels => format!("  (label {})", labels.join(", ")),
            },
            _ => String::new(),
        };
        let number = if line.is_step() { line.number.to_string() } else { String::new() };
        let text =
            format!("{number:>6}  line {position:<5} {:<width$}  {}{note}", self.statement(line), values.join(" "));
        writeln!(out, "{}", text.trim_end())
    }

    /// The statement or node, indented by depth.
    fn statement(&self, line: &Line) -> String {
        let span = self.program.span(line.procedure, line.place);
        let mut shown = excerpt(self.source, span, 56);
        if line.event == Event::Failure {
            let hazard = self.program.hazard(line.procedure, line.place).map(Hazard::describe);
            shown = match hazard {
                Some(hazard) => format!("{hazard}: {shown}"),
                None if self.program.is_clauses() => "false".to_owned(),
                None => "assertion fails".to_owned(),
            };
        }
        if line.place == Place::End {
            shown = format!("end of {}", self.program.procedure_name(line.procedure));
        }
        if let (Program::Rsm(_), Place::Node(_)) = (self.program, line.place) {
            shown = format!("{}.{shown}", self.program.procedure_name(line.procedure));
        }
        match line.depth {
            depth if depth <= DEEPEST_INDENT => format!("{}{shown}", "  ".repeat(depth)),
            depth => format!("{}[{depth}] {shown}", "  ".repeat(DEEPEST_INDENT)),
        }
    }

    fn variable_name(&self, line: &Line, variable: u32) -> &str {
        self.program.variable_name(line.procedure, variable as usize)
    }

    /// The trace as a JSON list.
    pub(super) fn json(&self, style: TraceStyle) -> Value {
        let told = self.told(style);
        let mut steps: Vec<Value> = told.lines.iter().map(|line| self.json_line(line)).collect();
        if told.cut {
            steps.push(json!({ "kind": "cut", "steps": json_count(full_steps(self.program, self.run)) }));
        }
        Value::Array(steps)
    }

    fn json_line(&self, line: &Line) -> Value {
        let span = self.program.span(line.procedure, line.place);
        let position = self.source.position(span.start);
        let kind = match line.event {
            Event::Step => "location",
            Event::Call | Event::SameAs(_) => "function-call",
            Event::Return => "function-return",
            Event::Failure => "failure",
        };
        let name = |variable| self.variable_name(line, variable).to_owned();
        let values: Map<String, Value> =
            line.changes.iter().map(|&(variable, value)| (name(variable), json!(value))).collect();
        let mut step = json!({
            "step": line.number,
            "kind": kind,
            "depth": line.depth,
            "procedure": self.program.procedure_at(line.procedure, line.place),
            "line": position.line,
            "column": position.column,
            "text": self.source.first_line(span),
            "values": values,
        });
        if let Event::SameAs(first) = line.event {
            step["same_as"] = json!(first);
        }
        if !line.any.is_empty() {
            step["any"] = line.any.iter().map(|&variable| name(variable)).collect();
        }
        step
    }
}

/// The step at which a state is told, or after which it comes; which of both.
fn step_of(told: &Told, state: usize) -> (usize, bool) {
    let after = told.lines.partition_point(|line| line.state <= state);
    let line = after.checked_sub(1).map(|line| &told.lines[line]);
    line.map_or((0, true), |line| (line.number, line.state != state || !line.is_step()))
}

/// The first line of a text, up to so many characters; `…` says that there is more.
pub(super) fn excerpt(source: &Source, span: Span, longest: usize) -> String {
    let mut shown = shorten(source.first_line(span).trim_end(), longest);
    if !shown.ends_with('…') && source.slice(span).lines().nth(1).is_some() {
        shown.push('…');
    }
    shown
}

/// Integers up to this one are exact as floating-point numbers.
const EXACT: f64 = (1u64 << 53) as f64;

/// A count that may be astronomic, as an integer where it is one.
fn json_count(n: f64) -> Value {
    if n <= EXACT { json!(n as u64) } else { json!(n) }
}

/// A count that may be astronomic.
fn count(n: f64) -> String {
    if n < 1e15 { format!("{n:.0}") } else { format!("about 10^{:.0}", n.log10()) }
}
