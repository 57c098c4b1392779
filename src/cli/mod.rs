//! The command line: arguments in, library calls, text or JSON out.
//!
//! Data goes to stdout, everything else to stderr. Exit status of `check`: 0 TRUE, 10 FALSE, 3 UNKNOWN (of
//! `certify`: VALID, INVALID, UNKNOWN), 2 bad usage or bad input, 1 internal error, 130 and 143 after signals. A broken pipe is
//! not an error.

mod asked;
mod bench;
mod c_input;
mod certificate;
mod certify;
mod check;
mod choices;
mod classify;
mod cnf;
mod encode;
mod explanation;
mod files;
mod findings;
mod from_formula;
mod generate;
mod html;
mod input;
mod listener;
mod ltl;
mod manual;
mod opened;
mod options;
mod progress;
mod quantified;
mod question;
mod reach;
mod satisfiability;
mod sentences;
mod signals;
mod stats;
mod task;
mod temporal;
mod testimony;
mod trace;
mod units;
mod verdict;
mod watchdog;

use crate::limits::Reason;
use anstyle::{AnsiColor, Style};
use clap::{Parser, Subcommand};
use std::io::{self, Write};
use std::process::ExitCode;

/// A model checker for Boolean programs.
#[derive(Parser, Debug)]
#[command(name = "epitome", version = env!("EPITOME_VERSION"), about, max_term_width = 100, arg_required_else_help = true)]
#[command(after_help = "Exit status of check: 0 TRUE, 10 FALSE, 3 UNKNOWN, 2 bad usage or input, 1 internal error.")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    color: colorchoice_clap::Color,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Check a property: can an assertion fail, can a label be reached, does a temporal formula hold?
    Check(check::Arguments),
    /// Say which labels, or with --lines which statements, can be reached
    Reach(reach::Arguments),
    /// Measure a program: its complexity class, bounds, theorem and the plan
    Classify(classify::Arguments),
    /// Check a certificate of TRUE, independently of who wrote it
    Certify(certify::Arguments),
    /// Write a program in another form
    Encode(encode::Arguments),
    /// Draw the machine as a graph: a picture (SVG), or a text for Graphviz or Mermaid
    Graph(encode::GraphArguments),
    /// Write a program of a family, with its expected verdict
    Generate(generate::Arguments),
    /// Read a formula of linear temporal logic, and write its Büchi automaton
    Ltl(ltl::Arguments),
    /// Compare engines on files, folders and families: time, memory, verdicts and sizes
    Bench(bench::Arguments),
    /// Write the completions of a shell
    Completions(manual::CompletionArguments),
    /// Write manual pages
    Man(manual::ManArguments),
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    /// The property holds, or the command did its work.
    True,
    /// The property is violated.
    False,
    /// No answer.
    Unknown,
    /// Bad usage or bad input; the message is out already.
    BadInput,
    /// Something is wrong with Epitome; the message is out already.
    InternalError,
}

impl Status {
    fn code(self) -> u8 {
        match self {
            Status::True => 0,
            Status::False => 10,
            Status::Unknown => 3,
            Status::BadInput => 2,
            Status::InternalError => 1,
        }
    }
}

/// A message for the user with status 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct BadInput(String);

/// Why a command has no answer, where there is no verdict to say so: status 3.
#[derive(Debug, thiserror::Error)]
#[error("UNKNOWN({0})")]
struct Stopped(Reason);

impl Stopped {
    /// Why there is nothing, if it is for such a reason.
    fn reason<T>(result: &anyhow::Result<T>) -> Option<Reason> {
        result.as_ref().err().and_then(|error| error.downcast_ref()).map(|Stopped(reason)| reason.clone())
    }
}

/// Bad usage or bad input, of which the messages are out already.
#[derive(Debug, thiserror::Error)]
#[error("bad input")]
struct AlreadyTold;

/// Runs the command line.
pub fn main() -> ExitCode {
    bench::obey_parent();
    signals::survive_full_files();
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help is data: who asks for it knows whether it was written.
            return match error.print() {
                _ if error.use_stderr() => ExitCode::from(Status::BadInput.code()),
                Err(error) if error.kind() != io::ErrorKind::BrokenPipe => report(&cannot_write(error).into()),
                _ => ExitCode::SUCCESS,
            };
        }
    };
    arguments.color.write_global();
    let mut out = io::BufWriter::new(Stdout { out: anstream::stdout(), closed: false });
    let result = run(arguments.command, &mut out).and_then(|status| {
        out.flush()?;
        Ok(status)
    });
    match result {
        Ok(status) => ExitCode::from(signals::exit_code().unwrap_or(status.code())),
        Err(error) => report(&error),
    }
}

/// Standard output that may be closed by its reader at any time, as `head` does: what comes after that
/// is dropped, and the exit status still tells the verdict.
struct Stdout<W> {
    out: W,
    closed: bool,
}

impl<W: Write> Stdout<W> {
    fn unless_closed<T>(&mut self, done: T, write: impl FnOnce(&mut W) -> io::Result<T>) -> io::Result<T> {
        if self.closed {
            return Ok(done);
        }
        match write(&mut self.out) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(done)
            }
            result => result.map_err(cannot_write),
        }
    }
}

/// What is asked for cannot be told.
fn cannot_write(error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("cannot write to standard output: {error}"))
}

impl<W: Write> Write for Stdout<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.unless_closed(bytes.len(), |out| out.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.unless_closed((), Write::flush)
    }
}

fn run(command: Command, out: &mut dyn Write) -> anyhow::Result<Status> {
    match command {
        Command::Check(arguments) => check::run(&arguments, out),
        Command::Reach(arguments) => reach::run(&arguments, out),
        Command::Classify(arguments) => classify::run(&arguments, out),
        Command::Certify(arguments) => certify::run(&arguments, out),
        Command::Encode(arguments) => encode::run(&arguments, out),
        Command::Graph(arguments) => encode::graph(&arguments, out),
        Command::Generate(arguments) => generate::run(&arguments, out),
        Command::Ltl(arguments) => ltl::run(&arguments, out),
        Command::Bench(arguments) => bench::run(&arguments, out),
        Command::Completions(arguments) => manual::completions(&arguments, out),
        Command::Man(arguments) => manual::man(&arguments, out),
    }
}

/// A message on stderr; if that is closed nobody wants to know.
fn write_error(message: &str) {
    let style = Style::new().bold().fg_color(Some(AnsiColor::Red.into()));
    let _ = writeln!(anstream::stderr(), "{style}error{style:#}: {message}");
}

fn report(error: &anyhow::Error) -> ExitCode {
    if error.is::<AlreadyTold>() {
        return ExitCode::from(Status::BadInput.code());
    }
    write_error(&format!("{error:#}"));
    let status = match error {
        _ if error.is::<BadInput>() => Status::BadInput,
        _ if error.is::<Stopped>() => Status::Unknown,
        _ => Status::InternalError,
    };
    ExitCode::from(signals::exit_code().unwrap_or(status.code()))
}
