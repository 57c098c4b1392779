//! The property that `check` and `certify` are asked about.

use super::input::has_ending;
use super::temporal::TemporalOptions;
use super::{BadInput, files};
use crate::checker::{CheckError, Checker};
use crate::logic::{Property, Query};
use std::path::Path;

#[derive(clap::Args, Debug)]
pub(super) struct Question {
    /// Check that this label, node or proposition is never reached; `procedure.label` names one
    /// procedure's
    #[arg(long, value_name = "LABEL", conflicts_with = "property")]
    pub(super) label: Option<String>,
    /// A property: a .prp file or its text
    #[arg(long, value_name = "PROPERTY", visible_aliases = ["spec", "propertyfile", "property-file", "prop", "prp"])]
    property: Option<String>,
    #[command(flatten)]
    pub(super) temporal: TemporalOptions,
}

impl Question {
    /// Nothing particular was asked.
    pub(super) fn is_default(&self) -> bool {
        self.label.is_none() && self.property.is_none() && self.temporal.is_default()
    }

    /// The property asked for, of a program in C or another language.
    pub(super) fn property(&self, is_c: bool) -> anyhow::Result<Property> {
        if let Some(label) = &self.label {
            self.temporal.refuse()?;
            return Ok(Property { entry: None, query: Query::Label(label.clone()) });
        }
        if let Some(query) = self.temporal.query()? {
            return Ok(Property { entry: None, query });
        }
        let Some(property) = &self.property else {
            self.temporal.refuse()?;
            return Ok(Property { entry: None, query: Query::Failures });
        };
        let is_file = has_ending(property, &["prp"]) || Path::new(property).is_file();
        let text = if is_file {
            files::read_to_string(Path::new(property), "the property file")
                .map_err(|error| BadInput(format!("cannot read {property}: {error}")))?
        } else {
            property.clone()
        };
        let parsed = Property::parse(&text).map_err(|error| BadInput(error.to_string()))?;
        let parsed = Property { query: self.temporal.about_runs(parsed.query)?, ..parsed };
        let parsed = if is_c { parsed.of_c() } else { parsed };
        let stem = Path::new(property).file_stem().filter(|_| is_file);
        Ok(match (parsed.query, stem) {
            (Query::Other(_), Some(stem)) => {
                Property { query: Query::Other(stem.to_string_lossy().into_owned()), ..parsed }
            }
            (query, _) => Property { query, ..parsed },
        })
    }

    /// The property asked for, if it is one of reachability that can be answered, of the program as it starts.
    pub(super) fn query(&self, is_c: bool) -> anyhow::Result<Query> {
        let query = self.any_query(is_c)?;
        if query.is_temporal() {
            return Err(BadInput("not supported: temporal properties are for `check`".to_owned()).into());
        }
        Ok(query)
    }

    /// The same, and it may be temporal.
    pub(super) fn any_query(&self, is_c: bool) -> anyhow::Result<Query> {
        match self.property(is_c)? {
            Property { query: Query::Other(name), .. } => {
                Err(BadInput(format!("not supported: property {name}")).into())
            }
            Property { entry: Some(entry), .. } => {
                Err(BadInput(format!("not supported: runs that start in `{entry}`")).into())
            }
            Property { query, entry: None } => Ok(query),
        }
    }

    /// Says so if the program does not have what the question names. Whoever names a label by hand means one
    /// that is there; a property may be the same for all programs.
    pub(super) fn resolve(&self, checker: &Checker<'_>, query: &Query) -> anyhow::Result<()> {
        let label = self.label.as_ref().map_or(Ok(()), |label| checker.find_label(label));
        match label.and_then(|()| checker.resolve(query)) {
            Err(CheckError::NoSuchPlace { message }) => Err(BadInput(message).into()),
            resolved => Ok(resolved?),
        }
    }

    /// The name that was asked for, if it is nothing more.
    pub(super) fn name(&self) -> Option<&str> {
        self.property.as_deref()
    }
}
