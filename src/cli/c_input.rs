//! C files: the options that say how they are read, and the machine's preprocessor.
//!
//! A file with directives goes through `cc -E` if there is one, with our headers before those of the machine
//! ([`crate::syntax::c::headers`] says why); otherwise the built-in declarations have to do. A few lines of macros or
//! an `#include` of a pipe are enough for a preprocessor that never ends: it has the limits of the command.

use super::files;
use crate::limits::{Limits, Reason};
use crate::process::{Failure, Workplace};
use crate::syntax::{Diagnostic, Program, Severity, Source, Span, c};
use std::ffi::OsStr;
use std::io;
use std::path::Path;

/// How C is read.
#[derive(clap::Args, Debug)]
pub(super) struct COptions {
    /// C: int, long and pointers have 32 bits (ILP32, the default)
    #[arg(long = "32", conflicts_with_all = ["long", "data_model"])]
    short: bool,
    /// C: long and pointers have 64 bits (LP64)
    #[arg(long = "64", conflicts_with = "data_model")]
    long: bool,
    /// C: the widths of the types
    #[arg(long, value_name = "MODEL", ignore_case = true, value_enum)]
    data_model: Option<ModelName>,
    /// C: another width of int, for experiments: the program is then another one
    #[arg(long, value_name = "BITS", value_parser = clap::value_parser!(u8).range(2..=32))]
    int_width: Option<u8>,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum ModelName {
    /// int, long and pointers have 32 bits
    #[value(name = "ILP32")]
    Ilp32,
    /// long and pointers have 64 bits
    #[value(name = "LP64")]
    Lp64,
}

impl COptions {
    /// The settings, where a task may have a data model of its own.
    pub(super) fn settings(&self, task: Option<c::DataModel>) -> c::Settings {
        let given = match self.data_model {
            _ if self.long => Some(c::DataModel::Lp64),
            _ if self.short => Some(c::DataModel::Ilp32),
            Some(ModelName::Lp64) => Some(c::DataModel::Lp64),
            Some(ModelName::Ilp32) => Some(c::DataModel::Ilp32),
            None => None,
        };
        let data_model = given.or(task).unwrap_or_default();
        c::Settings { data_model, int_width: self.int_width, ..c::Settings::default() }
    }
}

/// Comments may be in any character set: bytes that are no UTF-8 become question marks, byte order marks blanks.
pub(super) fn plain(bytes: &mut [u8]) {
    if std::str::from_utf8(bytes).is_err() {
        bytes.iter_mut().filter(|byte| !byte.is_ascii()).for_each(|byte| *byte = b'?');
    }
    if let Some(mark) = bytes.get_mut(..3).filter(|mark| *mark == b"\xef\xbb\xbf") {
        mark.fill(b' ');
    }
}

/// The option that has our headers read before those of the machine, and the one that has them read where it has none.
const OURS_FIRST: &str = "-isystem";
const OURS_LAST: &str = "-idirafter";

/// Why there is no program.
pub(super) enum NoProgram {
    /// What is wrong with the text.
    Wrong(Vec<Diagnostic>),
    /// The preprocessor did not come to its end.
    Stopped(Reason),
}

impl NoProgram {
    fn is_error(&self) -> bool {
        matches!(self, NoProgram::Wrong(all) if all.iter().any(|error| error.severity == Severity::Error))
    }
}

/// Parses a C file, after the preprocessor if it has directives and there is one. Our headers do not declare all that
/// the machine's do: what is an error with ours may be none with those.
pub(super) fn parse(
    source: &Source,
    file: &str,
    settings: c::Settings,
    limits: &Limits,
) -> Result<(Program, Vec<Diagnostic>), NoProgram> {
    let has_directives = c::has_directives(source.text());
    let parse = |order| {
        let preprocessed = match has_directives {
            true => preprocess(source, file, &settings, order, limits)?,
            false => None,
        };
        let parsed = c::parse(source, preprocessed.as_deref(), settings.clone());
        parsed.map(|(program, notes)| (Program::C(program), notes)).map_err(NoProgram::Wrong)
    };
    match parse(OURS_FIRST) {
        Err(first) if has_directives && first.is_error() => match parse(OURS_LAST) {
            Err(second) if second.is_error() => Err(first),
            again => again,
        },
        parsed => parsed,
    }
}

/// What the preprocessor makes of a text; nothing if there is none.
fn preprocess(
    source: &Source,
    file: &str,
    settings: &c::Settings,
    order: &str,
    limits: &Limits,
) -> Result<Option<String>, NoProgram> {
    let workplace = Workplace::new().map_err(NoProgram::Stopped)?;
    for (name, text) in c::headers(settings) {
        workplace.write(&format!("include/{name}"), text.as_bytes()).map_err(NoProgram::Stopped)?;
    }
    workplace.write("source", source.text().as_bytes()).map_err(NoProgram::Stopped)?;
    let folder = Path::new(file).parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    let headers = workplace.path().join("include");
    let (model, long) = match settings.data_model {
        c::DataModel::Ilp32 => ("-m32", "-U__LP64__"),
        c::DataModel::Lp64 => ("-m64", "-D__LP64__=1"),
    };
    let mut said = String::new();
    // A compiler for another processor may not know the first.
    for flags in [&[model][..], &["-undef", long, "-D__STDC__=1"]] {
        let mut words: Vec<&OsStr> = ["cc", "-E"].iter().chain(flags).map(OsStr::new).collect();
        words.extend([order.as_ref(), headers.as_os_str(), "-iquote".as_ref(), folder.as_os_str()]);
        words.extend(["-x", "c", "-"].map(OsStr::new));
        let output = match workplace.run(&words, Some("source"), limits) {
            Ok(output) => output,
            Err(Failure::NotStarted(error)) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(Failure::NotStarted(error)) => return Err(NoProgram::Stopped(Reason::cannot("start `cc`", &error))),
            Err(Failure::Stopped(reason)) => return Err(NoProgram::Stopped(reason)),
        };
        if output.status.success() {
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            files::remember_headers(&text);
            return Ok(Some(text));
        }
        said = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.code().is_none() {
            return Err(NoProgram::Stopped(Reason::System(format!("`cc` has ended: {}", output.status))));
        }
        // What is wrong with the program is wrong in any way; of the machine's headers some may be missing.
        let is_own = |line: &str| line.starts_with("<stdin>:") && !line.contains("No such file");
        if said.lines().any(|line| is_own(line) && line.contains("error:")) {
            break;
        }
        if let Some(reason) = broken_off(&said) {
            return Err(NoProgram::Stopped(reason));
        }
    }
    Err(NoProgram::Wrong(vec![complaint(source, &said)]))
}

/// Why a preprocessor ended that did not get what it needs from the system, from what is said of it: memory, a process,
/// or that it was ended by a signal.
fn broken_off(said: &str) -> Option<Reason> {
    // What is about a text names its line.
    let is_of_compiler = |line: &&str| line.split(':').nth(1).is_none_or(|field| field.parse::<u32>().is_err());
    let mut lines = said.lines().filter(is_of_compiler);
    if lines.clone().any(|line| line.contains("out of memory") || line.contains("virtual memory exhausted")) {
        return Some(Reason::Memory);
    }
    let line = lines.find(|line| line.contains("signal terminated program") || line.contains("cannot execute"))?;
    Some(Reason::System(format!("`cc` says: {line}")))
}

/// The first error in what a preprocessor says: `<stdin>:3:10: fatal error: no.h: No such file or directory`.
fn complaint(source: &Source, said: &str) -> Diagnostic {
    let mut lines = said.lines();
    let line = lines.find(|line| line.contains("error:")).or(said.lines().next()).unwrap_or("it failed");
    let place = line.strip_prefix("<stdin>:").and_then(|rest| {
        let mut parts = rest.splitn(3, ':');
        let (line, column): (usize, usize) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        (1..=source.line_count()).contains(&line).then(|| (source.line_start(line) + column - 1) as u32)
    });
    let start = place.unwrap_or(0);
    let message = line.split_once("error:").map_or(line, |(_, message)| message).trim();
    // It may quote a file that is included.
    let file = line.split_once(':').map_or("", |(file, _)| file);
    let message = if c::may_be_quoted(source, file) { message } else { "a file that is included cannot be read as C" };
    Diagnostic::error(Span::new(start, start + 1), format!("the preprocessor says: {message}"), "")
}
