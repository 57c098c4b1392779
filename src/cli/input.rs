//! Reads the program a command is about, and shows what is wrong with it.

use super::c_input::{COptions, NoProgram};
use super::task::{self, Task};
use super::{BadInput, Stopped, files, units};
use crate::limits::{Limits, Reason};
use crate::syntax::{Diagnostic, Language, Position, Program, Severity, Source, c, decode, most_similar};
use anstyle::{AnsiColor, Style};
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// The file argument that every command takes.
#[derive(clap::Args, Debug)]
pub(super) struct Input {
    /// The program: .bp (Boolean program), .rsm (machines), .smt2 (Horn clauses), .c or .i (C), .yml (a task with a C
    /// program); - for standard input
    file: String,
    /// The language, where the file's name does not tell
    #[arg(long, value_enum)]
    language: Option<LanguageName>,
    #[command(flatten)]
    c: COptions,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum LanguageName {
    /// Boolean program
    Bp,
    /// Machines
    Rsm,
    /// Horn clauses over Bool
    Smt2,
    /// C
    C,
}

/// What became of a file.
pub(super) enum Reading {
    /// A program.
    Program(Source, Box<Program>),
    /// It has errors, which are out already.
    Bad,
    /// There is no answer about it, for this reason; what is not supported is out already, and has a place.
    Unknown(Reason, Option<Position>),
}

impl Input {
    /// The file as the user named it.
    pub(super) fn name(&self) -> &str {
        &self.file
    }

    /// None of these files is the program, nor is one of them anything else that was read so far.
    pub(super) fn is_kept<'p>(&self, outputs: impl IntoIterator<Item = &'p Path>) -> anyhow::Result<()> {
        files::remember(Path::new(&self.file), if self.is_task() { "the task" } else { "the program" });
        files::keep(outputs)
    }

    /// The task that the file defines, if it is one.
    pub(super) fn task(&self) -> anyhow::Result<Option<Task>> {
        if self.is_task() { task::read(Path::new(&self.file)).map(Some) } else { Ok(None) }
    }

    /// How C is read, for a task or without one.
    pub(super) fn settings(&self, task: Option<&Task>) -> c::Settings {
        self.c.settings(task.and_then(|task| task.data_model))
    }

    /// Reads and parses the file. Errors are shown on stderr with their places; warnings and notes
    /// too, unless `quiet`. `None` if there were errors.
    pub(super) fn read(&self, quiet: bool, limits: &Limits) -> anyhow::Result<Option<(Source, Program)>> {
        let task = self.task()?;
        let file = task.as_ref().map_or(self.file.as_str(), |task| &task.program);
        match self.read_file(file, self.settings(task.as_ref()), quiet, limits)? {
            Reading::Program(source, program) => Ok(Some((source, *program))),
            Reading::Bad | Reading::Unknown(Reason::NotSupported(_), _) => Ok(None),
            Reading::Unknown(reason, _) => Err(Stopped(reason).into()),
        }
    }

    /// Reads and parses a file. Errors and what is not supported are shown on stderr with their places; warnings and
    /// notes too, unless `quiet`.
    pub(super) fn read_file(
        &self,
        file: &str,
        settings: c::Settings,
        quiet: bool,
        limits: &Limits,
    ) -> anyhow::Result<Reading> {
        let language = self.language(file)?;
        let mut bytes = bytes(file)?.to_vec();
        if language == Language::C {
            super::c_input::plain(&mut bytes);
        }
        let source = decode(shown_name(file), bytes, language).map_err(|error| BadInput(error.to_string()))?;
        let parsed = match language {
            Language::C => super::c_input::parse(&source, file, settings, limits),
            language => Program::parse(&source, language).map_err(NoProgram::Wrong),
        };
        match parsed {
            Ok((program, notes)) => {
                if !quiet {
                    show(&notes, &source)?;
                }
                Ok(Reading::Program(source, Box::new(program)))
            }
            Err(NoProgram::Stopped(reason)) => Ok(Reading::Unknown(reason, None)),
            Err(NoProgram::Wrong(errors)) => {
                show(&errors, &source)?;
                let count = errors.iter().filter(|error| error.severity == Severity::Error).count();
                if let (0, Some(first)) = (count, errors.first()) {
                    let position = source.position(first.span.start);
                    let what = format!("{} at line {}", first.message, position.line);
                    return Ok(Reading::Unknown(Reason::NotSupported(what), Some(position)));
                }
                writeln!(anstream::stderr(), "{}: {}", source.name(), units::count(count, "error"))?;
                Ok(Reading::Bad)
            }
        }
    }

    /// The program is in C, or a task with one.
    pub(super) fn is_c(&self) -> bool {
        self.is_task() || self.language(&self.file).is_ok_and(|language| language == Language::C)
    }

    fn is_task(&self) -> bool {
        self.language.is_none() && has_ending(&self.file, &["yml", "yaml"])
    }

    fn language(&self, file: &str) -> anyhow::Result<Language> {
        match self.language {
            Some(LanguageName::Bp) => return Ok(Language::Bp),
            Some(LanguageName::Rsm) => return Ok(Language::Rsm),
            Some(LanguageName::Smt2) => return Ok(Language::Horn),
            Some(LanguageName::C) => return Ok(Language::C),
            None => {}
        }
        Language::of_file(file).ok_or_else(|| {
            let message = if file == "-" {
                "standard input has no file name: say --language bp, rsm, smt2 or c".to_owned()
            } else if let Err(error) = std::fs::File::open(file).and_then(|file| file.metadata()) {
                return cannot_read(file, &error).into();
            } else if Path::new(file).is_dir() {
                return cannot_read(file, &std::io::ErrorKind::IsADirectory.into()).into();
            } else {
                format!(
                    "{file}: the language is not known from the file's name (.bp, .rsm, .smt2, .c, .i): say --language",
                )
            };
            BadInput(message).into()
        })
    }
}

fn shown_name(file: &str) -> &str {
    if file == "-" { "<stdin>" } else { file }
}

/// The bytes of a file or of standard input. They are read once: what a pipe gave does not come again, and a
/// file that is asked about twice, in two ways or for its hash, should be the same both times.
pub(super) fn bytes(file: &str) -> anyhow::Result<Arc<[u8]>> {
    static KEPT: Mutex<BTreeMap<String, Arc<[u8]>>> = Mutex::new(BTreeMap::new());
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(bytes) = kept.get(file) {
        return Ok(bytes.clone());
    }
    let mut bytes = Vec::new();
    files::remember(Path::new(file), "the program");
    let result = if file == "-" {
        std::io::stdin().lock().read_to_end(&mut bytes).map(|_| ())
    } else {
        std::fs::read(file).map(|read| bytes = read)
    };
    result.map_err(|error| cannot_read(file, &error))?;
    Ok(kept.entry(file.to_owned()).or_insert(bytes.into()).clone())
}

/// Why a file cannot be read, with advice if the name may be mistyped.
pub(super) fn cannot_read(file: &str, error: &std::io::Error) -> BadInput {
    let (path, shown) = (Path::new(file), shown_name(file));
    if path.is_dir() {
        return BadInput(format!("cannot read {shown}: it is a folder: name a program in it (`bench` takes folders)"));
    }
    let is_missing = error.kind() == std::io::ErrorKind::NotFound && file != "-";
    let advice = is_missing.then(|| similar_file(path)).flatten();
    let advice = advice.map_or(String::new(), |similar| format!("; did you mean `{similar}`?"));
    BadInput(format!("cannot read {shown}: {error}{advice}"))
}

/// A program or task in the same folder with a similar name.
fn similar_file(path: &Path) -> Option<String> {
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    let entries = std::fs::read_dir(folder.unwrap_or(Path::new("."))).ok()?.flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let is_program = |name: &String| Language::of_file(name).is_some() || has_ending(name, &["yml", "yaml"]);
    let mut names: Vec<String> = names.filter(is_program).collect();
    names.sort();
    let similar = most_similar(path.file_name()?.to_str()?, names.iter().map(String::as_str))?;
    Some(path.with_file_name(similar).to_string_lossy().into_owned())
}

/// A file's name ends so, in letters of any case.
pub(super) fn has_ending(file: &str, endings: &[&str]) -> bool {
    let own = Path::new(file).extension().unwrap_or_default();
    endings.iter().any(|ending| own.eq_ignore_ascii_case(ending))
}

/// Shows messages about a text on stderr.
pub(super) fn show(diagnostics: &[Diagnostic], source: &Source) -> std::io::Result<()> {
    let mut err = anstream::stderr().lock();
    for diagnostic in diagnostics {
        let color = match diagnostic.severity {
            Severity::Unsupported | Severity::Error => AnsiColor::Red,
            Severity::Warning => AnsiColor::Yellow,
            Severity::Note => AnsiColor::Cyan,
        };
        let style = Style::new().bold().fg_color(Some(color.into()));
        let text = diagnostic.render(source);
        let (word, rest) = text.split_once(':').unwrap_or((&text, ""));
        writeln!(err, "{style}{word}{style:#}:{rest}")?;
    }
    Ok(())
}
