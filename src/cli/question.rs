//! The property that `check` and `certify` are asked about.

use super::BadInput;
use crate::logic::Query;
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
}

impl Question {
    /// Nothing particular was asked.
    pub(super) fn is_default(&self) -> bool {
        self.label.is_none() && self.property.is_none()
    }

    /// The property asked for.
    pub(super) fn query(&self) -> anyhow::Result<Query> {
        if let Some(label) = &self.label {
            return Ok(Query::Label(label.clone()));
        }
        let Some(property) = &self.property else { return Ok(Query::Failures) };
        let is_file = property.ends_with(".prp") || Path::new(property).is_file();
        let text = if is_file {
            std::fs::read_to_string(property).map_err(|error| BadInput(format!("cannot read {property}: {error}")))?
        } else {
            property.clone()
        };
        Query::parse(&text).map_err(|error| BadInput(error.to_string()).into())
    }
}
