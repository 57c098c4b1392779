//! The file of an experiment's runs. While an experiment goes on the file is nobody else's, and what was
//! measured is not overwritten unless that is asked for.

use super::super::BadInput;
use super::super::files::replace;
use super::csv::{self, Known};
use super::options::Arguments;
use super::results::Results;
use epitome_benchmarks::{COLUMNS, Record, read_records};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::Path;

/// Where the lines go. The lock ends with the file.
pub(super) enum Sink {
    Nothing,
    File(File),
    Stdout,
}

impl Arguments {
    /// Where the lines go, and what is known from an experiment that was cut off.
    pub(super) fn journal(&self) -> anyhow::Result<(Sink, Known)> {
        let name = match self.csv.as_deref() {
            None => return Ok((Sink::Nothing, Known::default())),
            Some("-") => return Ok((Sink::Stdout, Known::default())),
            Some(name) => name,
        };
        let cannot = |error| BadInput(format!("cannot write {name}: {error}"));
        // A pipe or a device has no runs of before.
        if Path::new(name).exists() && !Path::new(name).is_file() {
            return Ok((Sink::File(File::create(name).map_err(cannot)?), Known::default()));
        }
        let mut file = locked(name)?;
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(|error| BadInput(format!("cannot read {name}: {error}")))?;
        let text = String::from_utf8_lossy(&text);
        let has_runs = text.lines().nth(1).is_some() || (!text.is_empty() && !begins_as_runs(&text));
        if !self.resume && !self.force && has_runs {
            let what = if begins_as_runs(&text) {
                "has runs already, which are not overwritten: --resume goes on with the experiment, --force begins anew"
            } else {
                "has something else, which is not overwritten: name another file, or say --force"
            };
            return Err(BadInput(format!("{name} {what}")).into());
        }
        let known = if self.resume { Known::new(records(name, &text)?) } else { Known::default() };
        // A line that was not written to its end is taken out of the file.
        let whole = if known.is_empty() { 0 } else { text.rfind('\n').map_or(0, |end| end + 1) };
        if whole < text.len() {
            file.set_len(whole as u64).map_err(cannot)?;
        }
        Ok((Sink::File(file), known))
    }
}

/// Opens a file to add lines to it, which nobody else does meanwhile.
fn locked(name: &str) -> anyhow::Result<File> {
    let cannot = |error: io::Error| BadInput(format!("cannot write {name}: {error}"));
    loop {
        let file = OpenOptions::new().read(true).append(true).create(true).open(name).map_err(cannot)?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => {
                return Err(BadInput(format!("another experiment is writing {name}: name another file")).into());
            }
            // There are file systems without locks.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => return Ok(file),
            Err(TryLockError::Error(error)) => return Err(cannot(error).into()),
            // Who had the lock may have put a new file in its place.
            Ok(()) if is_at(&file, name) => return Ok(file),
            Ok(()) => {}
        }
    }
}

/// The file is the one of this name.
#[cfg(unix)]
fn is_at(file: &File, name: &str) -> bool {
    use std::os::unix::fs::MetadataExt;
    let place = |data: std::fs::Metadata| (data.dev(), data.ino());
    let own = file.metadata().map(place);
    own.is_ok_and(|own| std::fs::metadata(name).is_ok_and(|named| place(named) == own))
}

#[cfg(not(unix))]
fn is_at(_: &File, _: &str) -> bool {
    true
}

fn begins_as_runs(text: &str) -> bool {
    text.lines().next() == Some(&COLUMNS.join(","))
}

/// A file has runs of an experiment.
pub(super) fn has_runs(file: &Path) -> bool {
    let mut begin = Vec::new();
    let header = format!("{}\n", COLUMNS.join(","));
    let read = File::open(file).and_then(|file| file.take(header.len() as u64).read_to_end(&mut begin));
    read.is_ok() && begin == header.as_bytes()
}

/// The runs of a CSV.
pub(super) fn read(file: &Path) -> anyhow::Result<Vec<Record>> {
    let name = file.display();
    let text = std::fs::read_to_string(file).map_err(|error| BadInput(format!("cannot read {name}: {error}")))?;
    records(name, &text)
}

fn records(name: impl std::fmt::Display, text: &str) -> anyhow::Result<Vec<Record>> {
    Ok(read_records(text).map_err(|bad| {
        let line = bad.line;
        BadInput(format!("{name}:{line}: this is no CSV of this version of bench: name another file"))
    })?)
}

/// Writes the lines of a CSV anew, in the order of the experiment: runs that were made side by side ended in another.
pub(super) fn put_in_order(results: &Results, name: &Path) -> anyhow::Result<()> {
    let mut text = Vec::new();
    csv::header(&mut text)?;
    for record in results.records() {
        writeln!(text, "{}", record.line())?;
    }
    // The old file is there until the new one is complete.
    let written = replace(name, &String::from_utf8_lossy(&text));
    Ok(written.map_err(|error| BadInput(format!("cannot put {} in order: {error}", name.display())))?)
}
