//! C files: the options that say how they are read, and the machine's preprocessor.
//!
//! A file with directives goes through `cc -E` if there is one, with our headers before those of the machine
//! ([`crate::syntax::c::HEADERS`] says why); otherwise the built-in declarations have to do. This is one of the few
//! places where a process is started.

use crate::syntax::{Diagnostic, Program, Source, c};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

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

/// Parses a C file, after the preprocessor if it has directives and there is one.
pub(super) fn parse(
    source: &Source,
    file: &str,
    settings: c::Settings,
) -> Result<(Program, Vec<Diagnostic>), Vec<Diagnostic>> {
    let preprocessed =
        if c::has_directives(source.text()) { preprocess(source, file, settings.data_model) } else { None };
    let parsed = c::parse(source, preprocessed.as_deref(), settings);
    parsed.map(|(program, notes)| (Program::C(program), notes))
}

/// What the preprocessor makes of a text; nothing if there is none, or if it does not like it.
fn preprocess(source: &Source, file: &str, model: c::DataModel) -> Option<String> {
    let headers = tempfile::tempdir().ok()?;
    for (name, text) in c::HEADERS {
        let path = headers.path().join(name);
        std::fs::create_dir_all(path.parent()?).ok()?;
        let guard = name.to_uppercase().replace(['.', '/'], "_");
        std::fs::write(path, format!("#ifndef EPITOME_{guard}\n#define EPITOME_{guard}\n{text}\n#endif\n")).ok()?;
    }
    let folder = Path::new(file).parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    let model = if model == c::DataModel::Ilp32 { "-U__LP64__" } else { "-D__LP64__=1" };
    let mut command = Command::new("cc");
    command.arg("-E").arg("-undef").arg(model).arg("-D__STDC__=1").arg("-I").arg(headers.path());
    command.arg("-iquote").arg(folder).args(["-x", "c", "-"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
    let mut stdin = child.stdin.take()?;
    let text = source.text().as_bytes().to_vec();
    // The preprocessor may write before it has read everything.
    let writer = std::thread::spawn(move || stdin.write_all(&text));
    let output = child.wait_with_output().ok()?;
    let _ = writer.join();
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}
