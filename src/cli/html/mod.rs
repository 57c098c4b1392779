//! What commands write as a page for a browser: one file each, with its styles, its scripts and its data inside, that works
//! without a network and from a disk.

mod card;
mod check;
mod graph;
mod listing;
mod page;
mod reach;
mod runs;
mod tables;

pub(super) use check::{Checked, last_page};
pub(super) use page::{Page, escape};
pub(super) use reach::Searched;

use super::BadInput;
use super::certificate::{self, replace};
use crate::model::Ersm;
use crate::syntax::{Language, Program, Source};
use std::collections::BTreeSet;
use std::path::Path;

/// The machine of a program, as a section.
pub(super) fn machine(source: &Source, program: &Program, ersm: &Ersm) -> String {
    graph::section(source, program, ersm, &BTreeSet::new())
}

/// Says so before the work begins if a page cannot be written there. What has the name of a program is not overwritten: whoever forgets a
/// file's name would lose the program.
pub(super) fn can_be_written(path: &Path) -> anyhow::Result<()> {
    let is_input = |name: &str| {
        Language::of_file(name).is_some() || [".yml", ".yaml", ".prp"].iter().any(|end| name.ends_with(end))
    };
    if path == Path::new("-") {
        let advice = "name a file (./- for one that is called -)";
        return Err(BadInput(format!("a page does not go to standard output; {advice}")).into());
    }
    if path.to_str().is_some_and(is_input) {
        let advice = "a page is called .html";
        return Err(BadInput(format!(
            "{} has the name of a program, which is not overwritten: {advice}",
            path.display()
        ))
        .into());
    }
    certificate::can_be_written(path)
}

/// Writes a page, all of it or nothing.
pub(super) fn save(path: &Path, page: &str) -> anyhow::Result<()> {
    replace(path, page).map_err(|error| BadInput(format!("cannot write {}: {error}", path.display())).into())
}
