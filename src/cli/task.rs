//! Task definitions, format 2.0: a program, the properties that are asked of it, and what is expected.

use super::BadInput;
use crate::logic::{PropertyError, Query};
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
    pub(super) properties: Vec<Property>,
}

/// A property of a task.
#[derive(Debug)]
pub(super) struct Property {
    /// The file it stands in.
    pub(super) file: PathBuf,
    /// The property, or why it is not one for us.
    pub(super) query: Result<Query, PropertyError>,
    /// Whether it is expected to hold.
    pub(super) expected: Option<bool>,
}

impl Property {
    /// Its name: that of the file, as verdicts have it.
    pub(super) fn name(&self) -> String {
        self.file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
    }
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
    let text = std::fs::read_to_string(path).map_err(|error| BadInput(format!("cannot read {shown}: {error}")))?;
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
    let [file] = &files[..] else {
        return Err(bad(format!("{} input files; one program is one file here", files.len())).into());
    };
    let mut properties = Vec::new();
    for property in definition.properties {
        let file = folder.join(&property.property_file);
        let text = std::fs::read_to_string(&file)
            .map_err(|error| bad(format!("cannot read the property file {}: {error}", file.display())))?;
        properties.push(Property { file, query: Query::parse(&text), expected: property.expected_verdict });
    }
    Ok(Task { program: folder.join(file).to_string_lossy().into_owned(), data_model, properties })
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
