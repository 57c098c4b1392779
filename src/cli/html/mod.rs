//! What commands write as a page for a browser: one file each, with its styles, its scripts and its data inside, that works
//! without a network and from a disk.

mod card;
mod check;
mod coverage;
mod downloads;
mod graph;
mod listing;
mod marks;
mod page;
mod proof;
mod property;
mod reach;
mod runs;
mod tables;

pub(super) use check::{Checked, Evidence, last_page};
pub(super) use marks::Marks;
pub(super) use page::{Page, escape};
pub(super) use reach::Searched;

use super::BadInput;
use super::certificate;
use super::files::replace;
use super::input::has_ending;
use crate::model::Ersm;
use crate::syntax::{Language, Program, Source};
use graph::Pictures;
use std::collections::BTreeSet;
use std::path::Path;

/// The pictures of a program that nothing is told about but what can be reached.
pub(super) fn pictures(source: &Source, program: &Program, ersm: &Ersm, marks: &Marks) -> Pictures {
    graph::Machine { source, program, ersm, marks, told: BTreeSet::new() }.pictures()
}

/// Says so before the work begins if a page cannot be written there. What has the name of a program is not
/// overwritten: whoever forgets a file's name would lose it.
pub(super) fn can_be_written(path: &Path) -> anyhow::Result<()> {
    if path == Path::new("-") {
        let advice = "name a file (./- for one that is called -)";
        return Err(BadInput(format!("a page does not go to standard output; {advice}")).into());
    }
    // What a link leads to is what would be overwritten.
    let meant = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if has_name_of_program(path) || has_name_of_program(&meant) {
        let shown = path.display();
        let advice = "a page is called .html";
        return Err(
            BadInput(format!("{shown} is a program, or called like one, and is not overwritten: {advice}")).into()
        );
    }
    certificate::can_be_written(path)
}

fn has_name_of_program(path: &Path) -> bool {
    let name = path.to_string_lossy();
    Language::of_file(&name).is_some() || has_ending(&name, &["yml", "yaml", "prp"])
}

/// Writes a page, all of it or nothing.
pub(super) fn save(path: &Path, page: &str) -> anyhow::Result<()> {
    replace(path, page).map_err(|error| BadInput(format!("cannot write {}: {error}", path.display())).into())
}
