//! `--certificate`: writes the proof of a TRUE to a file, all of it or nothing.

use super::BadInput;
use super::files::{folder, replace};
use super::units::count;
use crate::certify::{Certificate, write};
use crate::checker::Engine;
use crate::logic::Query;
use crate::model::{Ersm, Proof};
use crate::syntax::Source;
use std::io::Write;
use std::path::Path;

/// What a certificate is about.
pub(super) struct About<'a> {
    pub(super) file: &'a str,
    pub(super) source: &'a Source,
    pub(super) query: &'a Query,
    pub(super) engine: Engine,
}

/// Says so before the work begins if there is no folder to write to. Standard output ends with the verdict, so
/// that it is no place for a certificate.
pub(super) fn can_be_written(path: &Path) -> anyhow::Result<()> {
    if path == Path::new("-") {
        let advice = "name a file (./- for one that is called -)";
        return Err(BadInput(format!("a certificate does not go to standard output; {advice}")).into());
    }
    let reason = match folder(path) {
        _ if path.is_dir() => "it is a folder",
        folder if !folder.is_dir() => "there is no such folder",
        _ => return Ok(()),
    };
    Err(BadInput(format!("cannot write {}: {reason}", path.display())).into())
}

/// Writes the proof, if there is one; its text.
pub(super) fn save(
    path: &Path,
    about: &About<'_>,
    ersm: &Ersm,
    proof: Option<&Proof>,
    quiet: bool,
) -> anyhow::Result<Option<String>> {
    let err = &mut anstream::stderr();
    let (Some(proof), Engine::Prove(solver)) = (proof, about.engine) else {
        if !quiet {
            writeln!(err, "note: {} is not written: only TRUE has a certificate", path.display())?;
        }
        return Ok(None);
    };
    let certificate = Certificate {
        file: about.file.to_owned(),
        property: about.query.to_string(),
        solver: solver.name().to_owned(),
        proof: proof.clone(),
    };
    let text = write(&certificate, ersm, about.source);
    replace(path, &text).map_err(|error| BadInput(format!("cannot write {}: {error}", path.display())))?;
    if !quiet {
        let (claims, procedures) = (count(proof.claims(), "claim"), count(proof.procedures.len(), "procedure"));
        writeln!(err, "note: {} has {claims} about {procedures}", path.display())?;
    }
    Ok(Some(text))
}
