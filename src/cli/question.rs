//! The property that `check` and `certify` are asked about.

use super::BadInput;
use super::linear::LinearOptions;
use crate::logic::{Property, Query};
use std::path::Path;
use std::sync::Arc;

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
    pub(super) linear: LinearOptions,
}

impl Question {
    /// Nothing particular was asked.
    pub(super) fn is_default(&self) -> bool {
        self.label.is_none() && self.property.is_none() && self.linear.is_default()
    }

    /// The property asked for.
    pub(super) fn property(&self) -> anyhow::Result<Property> {
        if let Some(label) = &self.label {
            return Ok(Property { entry: None, query: Query::Label(label.clone()) });
        }
        if let Some(linear) = self.linear.property()? {
            return Ok(Property { entry: None, query: Query::Linear(Arc::new(linear)) });
        }
        let Some(property) = &self.property else { return Ok(Property { entry: None, query: Query::Failures }) };
        let is_file = property.ends_with(".prp") || Path::new(property).is_file();
        let text = if is_file {
            std::fs::read_to_string(property).map_err(|error| BadInput(format!("cannot read {property}: {error}")))?
        } else {
            property.clone()
        };
        let parsed = Property::parse(&text).map_err(|error| BadInput(error.to_string()))?;
        let stem = Path::new(property).file_stem().filter(|_| is_file);
        Ok(match (parsed.query, stem) {
            (Query::Other(_), Some(stem)) => {
                Property { query: Query::Other(stem.to_string_lossy().into_owned()), ..parsed }
            }
            (query, _) => Property { query, ..parsed },
        })
    }

    /// The property asked for, if it is one of those that can be answered, of the program as it starts.
    pub(super) fn query(&self) -> anyhow::Result<Query> {
        match self.property()? {
            Property { query: Query::Other(name), .. } => {
                Err(BadInput(format!("not supported: property {name}")).into())
            }
            Property { query: Query::Linear(_) | Query::Termination, .. } => {
                Err(BadInput("not supported: properties of linear time are for `check`".to_owned()).into())
            }
            Property { entry: Some(entry), .. } => {
                Err(BadInput(format!("not supported: runs that start in `{entry}`")).into())
            }
            Property { query, entry: None } => Ok(query),
        }
    }

    /// The name that was asked for, if it is nothing more.
    pub(super) fn name(&self) -> Option<&str> {
        self.property.as_deref()
    }
}
