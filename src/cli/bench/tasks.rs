//! The tasks of an experiment: files, folders of files, and programs of families.

use super::super::input::{has_ending, show};
use super::super::{BadInput, Stopped, files};
use super::engines::{Contender, question};
use crate::logic::Query;
use crate::process::Workplace;
use crate::syntax::{Diagnostic, Language, Source, Span, decode};
use epitome_benchmarks::{BadExpectation, Instance, Verdict, expected, instances, names_family};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A program to check.
#[derive(Clone, Debug)]
pub(super) struct Task {
    /// As the user may name it.
    pub(super) name: String,
    /// The verdict that a comment of the program, or its family, states.
    pub(super) expected: Option<Verdict>,
    /// The question that belongs to it, if it is not the one that contenders ask: options of `check`, and its name.
    pub(super) question: Option<(Vec<String>, String)>,
    origin: Origin,
}

#[derive(Clone, Debug)]
enum Origin {
    File,
    Family(Instance),
}

/// A file that holds a task, and is removed with this value if it was made for it, and in any case with this process.
pub(super) enum OnDisk {
    Own(Workplace, String),
    User(String),
}

impl OnDisk {
    pub(super) fn name(&self) -> String {
        match self {
            OnDisk::Own(place, name) => place.path().join(name).to_string_lossy().into_owned(),
            OnDisk::User(name) => name.clone(),
        }
    }
}

impl Task {
    fn file(path: &Path) -> anyhow::Result<Task> {
        let name = path.to_string_lossy().into_owned();
        if has_ending(&name, &["yml", "yaml", "toml"]) {
            let advice = "name the program; definitions of tasks are for `check`, which judges all their properties, and for BenchExec";
            return Err(BadInput(format!("{name} is no program: {advice}")).into());
        }
        files::remember(path, "a program");
        let bytes = fs::read(path).map_err(|error| BadInput(format!("cannot read {name}: {error}")))?;
        // What is not text has no comments; its runs will say what is wrong with it.
        let source = decode(&name, bytes, Language::of_file(&name).unwrap_or(Language::Bp)).ok();
        let expected = source.map_or(Ok(None), |source| stated(&source))?;
        Ok(Task { name, expected, question: None, origin: Origin::File })
    }

    /// The options of `check` that ask its own question.
    pub(super) fn options(&self) -> &[String] {
        self.question.as_ref().map_or(&[], |(options, _)| options)
    }

    /// What is asked if a contender is run on it.
    pub(super) fn property(&self, contender: &Contender) -> String {
        self.question.as_ref().map_or_else(|| contender.query.to_string(), |(_, name)| name.clone())
    }

    /// The file, if it was not made for the experiment.
    pub(super) fn path(&self) -> Option<&Path> {
        matches!(self.origin, Origin::File).then(|| Path::new(&self.name))
    }

    /// What it is written in: the ending of its file.
    pub(super) fn language(&self) -> String {
        match &self.origin {
            Origin::Family(instance) => instance.language().to_owned(),
            Origin::File => Path::new(&self.name).extension().unwrap_or_default().to_string_lossy().into_owned(),
        }
    }

    /// Its text, to the byte.
    pub(super) fn bytes(&self) -> anyhow::Result<Vec<u8>> {
        match &self.origin {
            Origin::Family(instance) => Ok(instance.text()?.into_bytes()),
            Origin::File => {
                Ok(fs::read(&self.name).map_err(|error| BadInput(format!("cannot read {}: {error}", self.name)))?)
            }
        }
    }

    /// The program as a file. Programs of families are written only now, and one at a time: they may
    /// be large.
    pub(super) fn on_disk(&self) -> anyhow::Result<OnDisk> {
        let Origin::Family(instance) = &self.origin else { return Ok(OnDisk::User(self.name.clone())) };
        let workplace = Workplace::new().map_err(Stopped)?;
        let name = format!("program.{}", instance.language());
        workplace.write(&name, instance.text()?.as_bytes()).map_err(Stopped)?;
        Ok(OnDisk::Own(workplace, name))
    }
}

/// The verdict that a comment of the program states. If the comment is not understood the user is told, because the
/// program's verdict will then not be compared with anything.
fn stated(source: &Source) -> io::Result<Option<Verdict>> {
    match expected(source.text()) {
        Ok(verdict) => Ok(verdict),
        Err(BadExpectation { place }) => {
            let span = Span::new(place.start as u32, place.end as u32);
            let warning = Diagnostic::warning(span, "this is no verdict, so none is expected of this program")
                .with_help("write `// expected: TRUE` or `// expected: FALSE`");
            show(&[warning], source)?;
            Ok(None)
        }
    }
}

/// All tasks that the arguments name, in their order.
pub(super) fn tasks(arguments: &[String]) -> anyhow::Result<Vec<Task>> {
    let mut tasks = Vec::new();
    for argument in arguments {
        let path = Path::new(argument);
        if path.is_dir() {
            tasks.extend(folder(path)?);
        } else if path.exists() {
            tasks.push(Task::file(path)?);
        } else {
            tasks.extend(family(argument)?);
        }
    }
    Ok(tasks)
}

fn family(argument: &str) -> anyhow::Result<Vec<Task>> {
    let looks_like_a_file = Language::of_file(argument).is_some() || argument.contains(std::path::is_separator);
    if !names_family(argument) && (looks_like_a_file || !argument.contains(':')) {
        let advice = "no such file or folder; a family is named with its sizes, such as tn:10..40x2";
        return Err(BadInput(format!("{argument}: {advice} (see generate --list)")).into());
    }
    let instances = instances(argument).map_err(|error| BadInput(error.to_string()))?;
    let task = |instance: Instance| {
        Ok(Task {
            name: instance.to_string(),
            expected: Some(instance.verdict()),
            question: own_question(&instance)?,
            origin: Origin::Family(instance),
        })
    };
    instances.into_iter().map(task).collect()
}

/// The question of a program that is not about failures, and what it is called.
fn own_question(instance: &Instance) -> anyhow::Result<Option<(Vec<String>, String)>> {
    let options = instance.options();
    if options.is_empty() {
        return Ok(None);
    }
    let name = match question(&options)? {
        Query::Branching(formula) if formula.open => format!("open: {}", formula.text),
        query => query.to_string(),
    };
    Ok(Some((options, name)))
}

/// All programs below a folder, by name. Links to folders are not followed, as they may lead back.
fn folder(path: &Path) -> anyhow::Result<Vec<Task>> {
    let cannot_read = |path: &Path, error| BadInput(format!("cannot read {}: {error}", path.display()));
    let mut open = vec![path.to_owned()];
    let mut files: Vec<PathBuf> = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).map_err(|error| cannot_read(&folder, error))? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                open.push(entry.path());
            } else if Language::of_file(&entry.path().to_string_lossy()).is_some() && entry.path().is_file() {
                files.push(entry.path());
            }
        }
    }
    files.sort();
    if files.is_empty() {
        return Err(BadInput(format!(
            "{}: no program (.bp, .rsm, .c, .i, .smt2) in this folder or below",
            path.display()
        ))
        .into());
    }
    files.iter().map(|file| Task::file(file)).collect()
}
