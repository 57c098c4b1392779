//! What can be saved from a page: the report and the trace as JSON, which the page has anyway, and texts for other programs.

use super::escape;
use serde_json::{Map, Value};

/// Texts with the names of their files.
#[derive(Default)]
pub(super) struct Downloads(Map<String, Value>);

impl Downloads {
    pub(super) fn push(&mut self, name: String, text: String) {
        self.0.insert(name, Value::String(text));
    }

    /// Buttons.
    pub(super) fn buttons(&self) -> String {
        let button = |attribute: &str, name: &str, file: &str| {
            let (name, file) = (escape(name), escape(file));
            format!("<button type=\"button\" data-{attribute}=\"{name}\">Download {file}</button>\n")
        };
        let json = ["report", "trace"].map(|name| button("download", name, &format!("{name}.json")));
        let files = self.0.keys().map(|name| button("file", name, name));
        format!("<p class=\"screen downloads\">\n{}</p>\n", json.into_iter().chain(files).collect::<String>())
    }

    /// The texts by their names, for the script.
    pub(super) fn json(&self) -> Value {
        Value::Object(self.0.clone())
    }
}
