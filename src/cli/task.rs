//! Task definitions, format 2.0: a program, the properties that are asked of it, and what is expected.

use super::input::cannot_read;
use super::{BadInput, files};
use crate::logic::{Property, Query};
use crate::syntax::c::DataModel;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// A task.
#[derive(Debug)]
pub(super) struct Task {
    /// The program, relative to where we are.
    pub(super) program: String,
    /// The data model, if the task says.
    pub(super) data_model: Option<DataModel>,
    /// The properties.
    pub(super) properties: Vec<Expectation>,
}

/// A property of a task.
#[derive(Clone, Debug)]
pub(super) struct Expectation {
    /// Its name: that of its file, as verdicts have it.
    pub(super) name: String,
    /// The property.
    pub(super) property: Property,
    /// It asks for tests, not for a verdict.
    pub(super) is_coverage: bool,
    /// Whether it is expected to hold.
    pub(super) expected: Option<bool>,
}

#[derive(Deserialize)]
struct Definition {
    format_version: Version,
    input_files: OneOrMore,
    #[serde(default)]
    properties: Vec<PropertyDefinition>,
    #[serde(default)]
    options: Options,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Version {
    Text(String),
    Number(f64),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

#[derive(Deserialize)]
struct PropertyDefinition {
    property_file: String,
    expected_verdict: Option<bool>,
}

#[derive(Deserialize, Default)]
struct Options {
    language: Option<String>,
    data_model: Option<String>,
}

/// Reads a task definition and its property files.
pub(super) fn read(path: &Path) -> anyhow::Result<Task> {
    let shown = path.display();
    let text = files::read_to_string(path, "the task").map_err(|error| cannot_read(&shown.to_string(), &error))?;
    let bad = |message: String| BadInput(format!("{shown}: {message}"));
    let definition: Definition =
        serde_saphyr::from_str(&text).map_err(|error| bad(format!("not a task definition: {error}")))?;
    let version = match definition.format_version {
        Version::Text(text) => text,
        Version::Number(number) => format!("{number:.1}"),
    };
    if !matches!(version.as_str(), "1.0" | "2.0") {
        return Err(bad(format!("format version {version} is not known (1.0 and 2.0 are)")).into());
    }
    let language = definition.options.language.unwrap_or("C".to_owned());
    if language != "C" {
        return Err(bad(format!("tasks in language {language} are not supported (C is)")).into());
    }
    let data_model = match definition.options.data_model.as_deref() {
        None => None,
        Some("ILP32") => Some(DataModel::Ilp32),
        Some("LP64") => Some(DataModel::Lp64),
        Some(other) => return Err(bad(format!("data model {other} is not known (ILP32 and LP64 are)")).into()),
    };
    let folder = path.parent().unwrap_or(Path::new(""));
    let files = match definition.input_files {
        OneOrMore::One(file) => vec![file],
        OneOrMore::More(files) => files,
    };
    let files: Vec<PathBuf> = files.iter().flat_map(|pattern| matching(folder, pattern)).collect();
    let [file] = &files[..] else {
        return Err(bad(format!("{} input files; one program is one file here", files.len())).into());
    };
    let mut properties = Vec::new();
    for property in definition.properties {
        let file = folder.join(&property.property_file);
        let text = files::read_to_string(&file, "a property file")
            .map_err(|error| bad(format!("cannot read the property file {}: {error}", file.display())))?;
        let name = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        // Whatever it is, the task asks for it.
        let other = Property { entry: None, query: Query::Other(name.clone()) };
        let parsed = match Property::parse(&text) {
            Ok(Property { query: Query::Other(_), .. }) | Err(_) => other,
            Ok(property) => property,
        };
        let is_coverage = text.trim_start().starts_with("COVER");
        properties.push(Expectation { name, property: parsed, is_coverage, expected: property.expected_verdict });
    }
    Ok(Task { program: file.to_string_lossy().into_owned(), data_model, properties })
}

/// The files that a pattern names; the pattern itself if there are none, so that it is what cannot be read. Only the
/// last part may have `*` and `?`.
fn matching(folder: &Path, pattern: &str) -> Vec<PathBuf> {
    let whole = folder.join(pattern);
    let (Some(parent), Some(last)) = (whole.parent(), whole.file_name().and_then(|name| name.to_str())) else {
        return vec![whole];
    };
    if !last.contains(['*', '?']) || whole.exists() {
        return vec![whole];
    }
    let parent = if parent == Path::new("") { Path::new(".") } else { parent };
    let entries = std::fs::read_dir(parent).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut found: Vec<PathBuf> =
        names.filter(|name| fits(last, name)).map(|name| whole.with_file_name(name)).collect();
    found.sort();
    if found.is_empty() { vec![whole] } else { found }
}

/// The name fits the pattern: `*` stands for any characters, `?` for one. Position by position of the name, where the
/// pattern can be.
fn fits(pattern: &str, name: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let skip = |reached: &mut Vec<bool>| {
        for at in 0..pattern.len() {
            if reached[at] && pattern[at] == '*' {
                reached[at + 1] = true;
            }
        }
    };
    let mut reached = vec![false; pattern.len() + 1];
    reached[0] = true;
    skip(&mut reached);
    for c in name.chars() {
        let mut next = vec![false; pattern.len() + 1];
        for at in (0..pattern.len()).filter(|&at| reached[at]) {
            match pattern[at] {
                '*' => next[at] = true,
                '?' => next[at + 1] = true,
                exactly => next[at + 1] |= exactly == c,
            }
        }
        skip(&mut next);
        reached = next;
    }
    reached[pattern.len()]
}

/// What the name of a file of the old times says: `x_false-unreach-call_true-termination.c`.
pub(super) fn expected_by_name(file: &str, query: &Query) -> Option<bool> {
    let name = Path::new(file).file_name()?.to_string_lossy().into_owned();
    let says = |verdict: &str| name.contains(&format!("_{verdict}-{}", query.name()));
    if says("true") {
        return Some(true);
    }
    says("false").then_some(false)
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn patterns_name_files() {
        for (pattern, name) in [("lo*.c", "lock.c"), ("*", "a"), ("?.c", "a.c"), ("a*b*c", "aXbYbc"), ("a*", "a")] {
            assert!(fits(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [("lo*.c", "lock.i"), ("?.c", "ab.c"), ("a*b", "abc"), ("a?", "a"), ("", "a")] {
            assert!(!fits(pattern, name), "{pattern} {name}");
        }
    }
}
