//! C files: the options that say how they are read, and the machine's preprocessor.
//!
//! A file with directives goes through `cc -E` if there is one, with our headers before those of the machine
//! ([`crate::syntax::c::headers`] says why); otherwise the built-in declarations have to do. This is one of the few
//! places where a process is started.

use super::files;
use crate::syntax::{Diagnostic, Program, Severity, Source, Span, c};
use std::ffi::OsStr;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

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

/// Parses a C file, after the preprocessor if it has directives and there is one. Our headers do not declare all that
/// the machine's do: what is an error with ours may be none with those.
pub(super) fn parse(
    source: &Source,
    file: &str,
    settings: c::Settings,
) -> Result<(Program, Vec<Diagnostic>), Vec<Diagnostic>> {
    let has_directives = c::has_directives(source.text());
    let parse = |order| {
        let preprocessed = match has_directives {
            true => preprocess(source, file, &settings, order).map_err(|error| vec![error])?,
            false => None,
        };
        let parsed = c::parse(source, preprocessed.as_deref(), settings.clone());
        parsed.map(|(program, notes)| (Program::C(program), notes))
    };
    let is_error = |parsed: &Result<_, Vec<Diagnostic>>| matches!(parsed, Err(errors) if errors.iter().any(|error| error.severity == Severity::Error));
    let parsed = parse(OURS_FIRST);
    if !has_directives || !is_error(&parsed) {
        return parsed;
    }
    let again = parse(OURS_LAST);
    if is_error(&again) { parsed } else { again }
}

/// What the preprocessor makes of a text; nothing if there is none.
fn preprocess(source: &Source, file: &str, settings: &c::Settings, order: &str) -> Result<Option<String>, Diagnostic> {
    let Ok(folder) = with_headers(settings) else { return Ok(None) };
    let (model, long) = match settings.data_model {
        c::DataModel::Ilp32 => ("-m32", "-U__LP64__"),
        c::DataModel::Lp64 => ("-m64", "-D__LP64__=1"),
    };
    let mut said = String::new();
    // A compiler for another processor may not know the first.
    for flags in [&[model][..], &["-undef", long, "-D__STDC__=1"]] {
        let Ok(output) = run(source, file, &[OsStr::new(order), folder.path().as_os_str()], flags) else {
            return Ok(None);
        };
        if output.status.success() {
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            files::remember_headers(&text);
            return Ok(Some(text));
        }
        said = String::from_utf8_lossy(&output.stderr).into_owned();
        // What is wrong with the program is wrong in any way; of the machine's headers some may be missing.
        let is_own = |line: &str| line.starts_with("<stdin>:") && !line.contains("No such file");
        if said.lines().any(|line| is_own(line) && line.contains("error:")) {
            break;
        }
    }
    Err(complaint(source, &said))
}

/// A folder with the built-in headers.
fn with_headers(settings: &c::Settings) -> std::io::Result<tempfile::TempDir> {
    let folder = tempfile::tempdir()?;
    for (name, text) in c::headers(settings) {
        let path = folder.path().join(name);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(path, text)?;
    }
    Ok(folder)
}

fn run(source: &Source, file: &str, headers: &[&OsStr], flags: &[&str]) -> std::io::Result<Output> {
    let folder = Path::new(file).parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    let mut command = Command::new("cc");
    command.arg("-E").args(flags).args(headers).arg("-iquote").arg(folder).args(["-x", "c", "-"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let stdin = child.stdin.take();
    let text = source.text().as_bytes().to_vec();
    // The preprocessor may write before it has read everything.
    let writer = std::thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(&text)));
    let output = child.wait_with_output()?;
    let _ = writer.join();
    Ok(output)
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
