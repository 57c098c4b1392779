//! Reads the program a command is about, and shows what is wrong with it.

use super::{BadInput, units};
use crate::syntax::{Diagnostic, Language, Program, Severity, Source};
use anstyle::{AnsiColor, Style};
use std::io::{Read, Write};

/// The file argument that every command takes.
#[derive(clap::Args, Debug)]
pub(super) struct Input {
    /// The program: .bp (Boolean program), .rsm (machines) or .smt2 (Horn clauses); - for standard input
    file: String,
    /// The language, where the file's name does not tell
    #[arg(long, value_enum)]
    language: Option<LanguageName>,
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

impl Input {
    /// The file as the user named it.
    pub(super) fn name(&self) -> &str {
        &self.file
    }

    /// Reads and parses the file. Errors are shown on stderr with their places; warnings and notes
    /// too, unless `quiet`. `None` if there were errors.
    pub(super) fn read(&self, quiet: bool) -> anyhow::Result<Option<(Source, Program)>> {
        let language = self.language()?;
        let source =
            Source::from_bytes(self.shown_name(), self.bytes()?).map_err(|error| BadInput(error.to_string()))?;
        match Program::parse(&source, language) {
            Ok((program, notes)) => {
                if !quiet {
                    show(&notes, &source)?;
                }
                Ok(Some((source, program)))
            }
            Err(errors) => {
                show(&errors, &source)?;
                let count = errors.iter().filter(|error| error.severity == Severity::Error).count();
                writeln!(anstream::stderr(), "{}: {}", source.name(), units::count(count, "error"))?;
                Ok(None)
            }
        }
    }

    fn shown_name(&self) -> &str {
        if self.file == "-" { "<stdin>" } else { &self.file }
    }

    fn language(&self) -> anyhow::Result<Language> {
        match self.language {
            Some(LanguageName::Bp) => return Ok(Language::Bp),
            Some(LanguageName::Rsm) => return Ok(Language::Rsm),
            Some(LanguageName::Smt2) => return Ok(Language::Horn),
            Some(LanguageName::C) => return Ok(Language::C),
            None => {}
        }
        Language::of_file(&self.file).ok_or_else(|| {
            let message = if self.file == "-" {
                "standard input has no file name: say --language bp, rsm or smt2".to_owned()
            } else {
                format!(
                    "{}: the language is not known from the file's name (.bp, .rsm, .smt2): say --language",
                    self.file
                )
            };
            BadInput(message).into()
        })
    }

    fn bytes(&self) -> anyhow::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let result = if self.file == "-" {
            std::io::stdin().lock().read_to_end(&mut bytes).map(|_| ())
        } else {
            std::fs::read(&self.file).map(|read| bytes = read)
        };
        result.map_err(|error| BadInput(format!("cannot read {}: {error}", self.shown_name())))?;
        Ok(bytes)
    }
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
