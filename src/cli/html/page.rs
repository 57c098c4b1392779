//! The frame of a page: the styles that all pages share, what is shown, the data that other programs can read back as JSON, and the
//! script that brings the page to life. A page loads nothing, and the same content gives the same bytes.

use std::fmt::{self, Display};

/// Fonts, colours (light and dark), cards, tables, buttons, and how it is printed.
const STYLE: &str = include_str!("page.css");

/// A page.
pub(crate) struct Page<'p> {
    /// Its title, as text.
    pub(crate) title: &'p str,
    /// Styles of its own.
    pub(crate) style: &'p str,
    /// What is shown, as HTML.
    pub(crate) body: &'p str,
    /// Data: the id of the element, and the value.
    pub(crate) data: &'p [(&'p str, &'p serde_json::Value)],
    /// Its script.
    pub(crate) script: &'p str,
}

impl Display for Page<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")?;
        f.write_str("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")?;
        writeln!(f, "<meta name=\"generator\" content=\"epitome {}\">", env!("CARGO_PKG_VERSION"))?;
        // Without this, browsers ask the server for a picture.
        f.write_str("<link rel=\"icon\" href=\"data:,\">\n")?;
        writeln!(f, "<title>{}</title>", escape(self.title))?;
        writeln!(f, "<style>\n{STYLE}{}</style>\n</head>\n<body>", self.style)?;
        writeln!(f, "{}", self.body)?;
        for (id, value) in self.data {
            // In a script, nothing but `</script` and `<!--` can end the data; both begin with this sign.
            let text = value.to_string().replace('<', "\\u003c");
            writeln!(f, "<script type=\"application/json\" id=\"{id}\">{text}</script>")?;
        }
        writeln!(f, "<script>\n{}</script>\n</body>\n</html>", self.script)
    }
}

/// Text as HTML, in elements and in attributes between double quotes.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() && !matches!(c, '\n' | '\t') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_cannot_leave_their_script() {
        let value = serde_json::json!({ "name": "</script><!-- & \"x\"" });
        let page = Page { title: "<T> & co", style: "", body: "<p>b</p>", data: &[("d", &value)], script: "" };
        let page = page.to_string();
        assert_eq!(page.matches("</script>").count(), 2, "{page}");
        assert!(page.contains("<title>&lt;T&gt; &amp; co</title>") && !page.contains("<!--"), "{page}");
        let data = page.split("id=\"d\">").nth(1).unwrap().split("</script>").next().unwrap();
        assert_eq!(serde_json::from_str::<serde_json::Value>(data).unwrap(), value);
    }
}
