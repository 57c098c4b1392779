//! The files that a command reads and writes: none that is read is overwritten.
//!
//! Whatever is read is remembered by what it is to the system (device and inode), so that neither links nor
//! other names lead around it: programs, tasks, properties, automata, headers, CSVs. Whatever is written to a
//! file the user names is written here, and not if it is one of these; commands ask before the work begins as
//! well ([`keep`]).

use super::BadInput;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// What a file is to the system.
#[cfg(unix)]
type Identity = (u64, u64);
#[cfg(not(unix))]
type Identity = PathBuf;

/// The files that were read, and what they are to the user.
static READ: Mutex<Vec<(Identity, &'static str)>> = Mutex::new(Vec::new());

/// Devices and pipes are no files: nothing is lost in them.
#[cfg(unix)]
fn identity(path: &Path) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(path).ok().filter(fs::Metadata::is_file).map(|file| (file.dev(), file.ino()))
}

#[cfg(not(unix))]
fn identity(path: &Path) -> Option<Identity> {
    path.canonicalize().ok().filter(|path| path.is_file())
}

/// Remembers that a file is read, and as what: `the program`. Standard input (`-`) may be a file, too.
pub(super) fn remember(path: &Path, what: &'static str) {
    let path = if path == Path::new("-") { Path::new("/dev/stdin") } else { path };
    let Some(identity) = identity(path) else { return };
    let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
    if read.iter().all(|(other, _)| *other != identity) {
        read.push((identity, what));
    }
}

/// Remembers the files that the line marks of a preprocessor name: `# 1 "inc.h" 1`.
pub(super) fn remember_headers(preprocessed: &str) {
    let marks = preprocessed.lines().filter_map(|line| line.strip_prefix("# ")?.split_once(" \""));
    let names = marks.filter_map(|(_, rest)| Some(rest.rsplit_once('"')?.0));
    names.collect::<std::collections::BTreeSet<_>>().into_iter().for_each(|name| remember(Path::new(name), "a header"));
}

/// What a file is that was read.
fn read_as(path: &Path) -> Option<&'static str> {
    let identity = identity(path)?;
    let read = READ.lock().unwrap_or_else(PoisonError::into_inner);
    read.iter().find(|(other, _)| *other == identity).map(|(_, what)| *what)
}

/// The text of a file, which is remembered.
pub(super) fn read_to_string(path: &Path, what: &'static str) -> io::Result<String> {
    remember(path, what);
    fs::read_to_string(path)
}

/// Says so if one of the files to be written is one that is read, or is to be written twice.
pub(super) fn keep<'p>(outputs: impl IntoIterator<Item = &'p Path>) -> anyhow::Result<()> {
    let mut named: Vec<&Path> = Vec::new();
    for output in outputs {
        if named.contains(&output) {
            let output = output.display();
            return Err(BadInput(format!("two outputs go to {output}: name another file for one of them")).into());
        }
        named.push(output);
        if let Some(what) = read_as(output) {
            let output = output.display();
            return Err(BadInput(format!("{output} is {what}, and is not overwritten: name another file")).into());
        }
    }
    Ok(())
}

fn refuse(path: &Path) -> io::Result<()> {
    match read_as(path) {
        Some(what) => {
            let message = format!("it is {what}, and is not overwritten: name another file");
            Err(io::Error::new(io::ErrorKind::InvalidInput, message))
        }
        None => Ok(()),
    }
}

/// Writes a file.
pub(super) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    refuse(path)?;
    fs::write(path, bytes)
}

/// The folder of a file.
pub(super) fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Writes a file beside the one that is meant, then gives it its name. What is not a file (a pipe, a device)
/// is written to as it is.
pub(super) fn replace(path: &Path, text: &str) -> io::Result<()> {
    refuse(path)?;
    // What a link leads to is replaced, not the link.
    let path: PathBuf = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if path.exists() && !path.is_file() {
        return fs::write(&path, text);
    }
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(folder(&path))?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(&path).map_err(|error| error.error)?;
    Ok(())
}
