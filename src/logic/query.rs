//! Reachability properties: the default failures, a label, a call, an overflow; and termination.
//!
//! Besides plain names, the property files of SV-COMP are read, leniently: any white space, `#` and
//! `//` comments, any entry function.

use std::fmt;

/// What is asked of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Query {
    /// No assertion fails and no label `ERROR` or `SLIC_ERROR` is reached.
    Failures,
    /// This label (or node) is not reached; `procedure.label` names one procedure's.
    Label(String),
    /// This procedure is not called.
    Call(String),
    /// No signed integer overflows.
    Overflow,
    /// Every run comes to an end.
    Termination,
}

impl Query {
    /// The property's name in a verdict.
    pub fn name(&self) -> &'static str {
        match self {
            Query::Failures | Query::Call(_) => "unreach-call",
            Query::Label(_) => "unreach-label",
            Query::Overflow => "no-overflow",
            Query::Termination => "termination",
        }
    }

    /// Reads a property: a name (`unreach-call`, `unreach-label`), a formula, or the text of a property
    /// file.
    ///
    /// ```
    /// use epitome::logic::Query;
    /// let text = "CHECK( init(main()), LTL(G ! call(reach_error())) )";
    /// assert_eq!(Query::parse(text), Ok(Query::Call("reach_error".into())));
    /// assert_eq!(Query::parse("unreach-call"), Ok(Query::Failures));
    /// ```
    pub fn parse(text: &str) -> Result<Query, PropertyError> {
        let lines = text.lines().map(|line| line.split("//").next().unwrap_or("").split('#').next().unwrap_or(""));
        let squeezed: String = lines.flat_map(str::chars).filter(|c| !c.is_whitespace()).collect();
        match squeezed.as_str() {
            "" => return Err(PropertyError::Empty),
            "unreach-call" => return Ok(Query::Failures),
            "unreach-label" => return Ok(Query::Label("ERROR".to_owned())),
            "no-overflow" => return Ok(Query::Overflow),
            "termination" => return Ok(Query::Termination),
            _ => {}
        }
        let inner = squeezed.strip_prefix("CHECK(init(").and_then(|rest| {
            let (entry, rest) = rest.split_once("),LTL(")?;
            is_call(entry).then(|| rest.strip_suffix("))"))?
        });
        let bare = Some(squeezed.as_str()).filter(|formula| formula.starts_with("G!") || *formula == "Fend");
        let Some(formula) = inner.or(bare) else { return Err(PropertyError::Unknown(text.trim().to_owned())) };
        if strip_parentheses(formula) == "Fend" {
            return Ok(Query::Termination);
        }
        let atom = formula.strip_prefix("G!").map(strip_parentheses);
        if atom == Some("overflow") {
            return Ok(Query::Overflow);
        }
        let call = atom.and_then(|a| a.strip_prefix("call(")).and_then(|a| a.strip_suffix("())"));
        let label = atom.and_then(|a| a.strip_prefix("label(")).and_then(|a| a.strip_suffix(')'));
        match (call, label) {
            (Some(procedure), _) => Ok(Query::Call(procedure.to_owned())),
            (_, Some(label)) => Ok(Query::Label(label.to_owned())),
            _ => Err(PropertyError::Unsupported(text.trim().to_owned())),
        }
    }
}

impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Query::Failures => f.write_str("unreach-call"),
            Query::Label(label) => write!(f, "unreach-label({label})"),
            Query::Call(procedure) => write!(f, "unreach-call({procedure})"),
            Query::Overflow => f.write_str("no-overflow"),
            Query::Termination => f.write_str("termination"),
        }
    }
}

/// `main()`, with the closing parenthesis of `init(` already taken.
fn is_call(text: &str) -> bool {
    text.strip_suffix("()").or_else(|| text.strip_suffix('(')).is_some_and(|name| !name.is_empty())
}

fn strip_parentheses(mut text: &str) -> &str {
    while let Some(inner) = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')) {
        text = inner;
    }
    text
}

/// A property that is not understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PropertyError {
    /// Nothing but white space and comments.
    #[error("the property is empty")]
    Empty,
    /// Not a property at all.
    #[error(
        "not a property: `{0}` (expected `unreach-call`, `no-overflow`, `termination`, `G ! call(f())`, `G ! label(L)`, or a property file of SV-COMP)"
    )]
    Unknown(String),
    /// A property of another kind.
    #[error("not supported: the property `{0}` (`G ! call(f())` and `G ! label(L)` are)")]
    Unsupported(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn property_files_are_read_leniently() {
        for text in [
            "CHECK( init(main()), LTL(G ! label(ERROR)) )",
            "# a comment\n  CHECK(init(main()),LTL(G !label(ERROR)))\n",
            "CHECK( init(start()), LTL(G ! (label(ERROR))) ) // more",
            "G ! label(ERROR)",
        ] {
            assert_eq!(Query::parse(text), Ok(Query::Label("ERROR".into())), "{text}");
        }
        assert_eq!(Query::parse("CHECK( init(main()), LTL(F end) )"), Ok(Query::Termination));
        assert_eq!(Query::parse("CHECK( init(main()), LTL(G ! overflow) )"), Ok(Query::Overflow));
        assert!(matches!(Query::parse("CHECK( init(main()), LTL(G valid-free) )"), Err(PropertyError::Unsupported(_))));
        assert!(matches!(Query::parse("unreach"), Err(PropertyError::Unknown(_))));
        assert_eq!(Query::parse(" # only this"), Err(PropertyError::Empty));
    }
}
