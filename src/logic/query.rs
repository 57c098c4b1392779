//! Reachability properties: the default failures, a label, a call, an overflow; termination; and formulas.
//!
//! Besides plain names, the property files of SV-COMP are read, leniently: any white space, `#` and
//! `//` comments, any entry function.

use super::branching::Branching;
use super::linear::Linear;
use std::fmt;
use std::sync::Arc;

/// Functions of C whose call means an error in the verification competitions, now and in their first years.
pub const ERROR_CALLS: [&str; 2] = ["reach_error", "__VERIFIER_error"];

/// What is asked of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Query {
    /// No assertion fails and no label `ERROR` or `SLIC_ERROR` is reached.
    Failures,
    /// This label (or node) is not reached; `procedure.label` names one procedure's.
    Label(String),
    /// This procedure is not called.
    Call(String),
    /// No function is called that means an error in the verification competitions ([`ERROR_CALLS`]):
    /// `unreach-call` of C.
    ErrorCall,
    /// No signed integer overflows.
    Overflow,
    /// Every run comes to an end.
    Termination,
    /// A property of linear time.
    Linear(Arc<Linear>),
    /// A property of branching time.
    Branching(Arc<Branching>),
    /// Something else, which is not answered here: its name.
    Other(String),
}

impl Query {
    /// The property's name in a verdict.
    pub fn name(&self) -> &str {
        match self {
            Query::Failures | Query::Call(_) | Query::ErrorCall => "unreach-call",
            Query::Label(_) => "unreach-label",
            Query::Overflow => "no-overflow",
            Query::Termination => "termination",
            Query::Linear(linear) => linear.name,
            Query::Branching(branching) => branching.name,
            Query::Other(name) => name,
        }
    }
}

impl Query {
    /// The formula of a temporal logic that is asked about, as it is read.
    pub fn formula(&self) -> Option<&str> {
        match self {
            Query::Linear(linear) => Some(&linear.text),
            Query::Branching(branching) => Some(&branching.text),
            _ => None,
        }
    }

    /// It asks for more than what can be reached.
    pub fn is_temporal(&self) -> bool {
        matches!(self, Query::Termination | Query::Linear(_) | Query::Branching(_))
    }
}

/// What is asked, of runs that start where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// The function in which runs start, if it is not `main`.
    pub entry: Option<String>,
    /// What is asked.
    pub query: Query,
}

/// Properties of the competitions that are about more than reachability.
const OTHERS: [&str; 10] = [
    "valid-memsafety",
    "valid-free",
    "valid-deref",
    "valid-memtrack",
    "valid-memcleanup",
    "no-data-race",
    "no-deadlock",
    "def-behavior",
    "valid-assert",
    "correct-annotations",
];

impl Property {
    /// The same of a program in C, for which `unreach-call` means what the competitions mean by it:
    /// assertions and labels are not asked about.
    pub fn of_c(self) -> Property {
        let query = if self.query == Query::Failures { Query::ErrorCall } else { self.query };
        Property { query, ..self }
    }

    /// Reads a property: a name (`unreach-call`, `unreach-label`), a formula, or the text of a property
    /// file. What is a property, but not one of ours, is [`Query::Other`].
    ///
    /// ```
    /// use epitome::logic::{Property, Query};
    /// let property = Property::parse("CHECK( init(main()), LTL(G ! call(reach_error())) )").unwrap();
    /// assert_eq!(property.query, Query::Call("reach_error".into()));
    /// assert_eq!(Property::parse("unreach-call").unwrap().query, Query::Failures);
    /// ```
    pub fn parse(text: &str) -> Result<Property, PropertyError> {
        let lines = text.lines().map(|line| line.split("//").next().unwrap_or("").split('#').next().unwrap_or(""));
        let squeezed: String = lines.flat_map(str::chars).filter(|c| !c.is_whitespace()).collect();
        let named = match squeezed.as_str() {
            "" => return Err(PropertyError::Empty),
            "unreach-call" => Some(Query::Failures),
            "unreach-label" => Some(Query::Label("ERROR".to_owned())),
            "no-overflow" => Some(Query::Overflow),
            "termination" => Some(Query::Termination),
            name => OTHERS.contains(&name).then(|| Query::Other(name.to_owned())),
        };
        if let Some(query) = named {
            return Ok(Property { entry: None, query });
        }
        let checked = squeezed.strip_prefix("CHECK(init(").and_then(|rest| {
            let (entry, rest) = rest.split_once(",LTL(")?;
            Some((entry.strip_suffix(')')?, rest.strip_suffix("))")?))
        });
        let (entry, formula) = checked.unwrap_or(("main()", &squeezed));
        let entry = entry.strip_suffix("()").unwrap_or(entry);
        let is_property = ["CHECK(", "COVER("].iter().any(|start| squeezed.starts_with(start));
        let query = match reachability(formula).or_else(|| linear(text)) {
            Some(query) => query,
            None if is_property => Query::Other(text.trim().lines().next().unwrap_or("").to_owned()),
            None => return Err(PropertyError::Unknown(text.trim().to_owned())),
        };
        Ok(Property { entry: Some(entry.to_owned()).filter(|entry| entry != "main"), query })
    }
}

/// What stands in `LTL( … )` of a property that is only this one, if it is a formula.
fn linear(text: &str) -> Option<Query> {
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or("").split('#').next().unwrap_or(""));
    let text = lines.collect::<Vec<_>>().join(" ");
    let (_, rest) = text.split_once("LTL(")?;
    let formula = rest.trim_end().strip_suffix(')')?.trim_end().strip_suffix(')')?;
    let (linear, _) = Linear::formula(formula).ok()?;
    Some(Query::Linear(Arc::new(linear)))
}

/// `G ! call(f())` and the like, without white space.
fn reachability(formula: &str) -> Option<Query> {
    if strip_parentheses(formula) == "Fend" {
        return Some(Query::Termination);
    }
    let atom = strip_parentheses(formula.strip_prefix("G!")?);
    if atom == "overflow" {
        return Some(Query::Overflow);
    }
    let is_name = |name: &&str| !name.is_empty() && !name.contains(['(', ')']);
    let call = atom.strip_prefix("call(").and_then(|atom| atom.strip_suffix("())")).filter(is_name);
    let label = atom.strip_prefix("label(").and_then(|atom| atom.strip_suffix(')')).filter(is_name);
    let call = call.map(|procedure| Query::Call(procedure.to_owned()));
    call.or_else(|| label.map(|label| Query::Label(label.to_owned())))
}

impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Query::Failures => f.write_str("unreach-call"),
            Query::Label(label) => write!(f, "unreach-label({label})"),
            Query::Call(procedure) => write!(f, "unreach-call({procedure})"),
            Query::ErrorCall => write!(f, "unreach-call({})", ERROR_CALLS.join(" or ")),
            Query::Overflow => f.write_str("no-overflow"),
            Query::Termination => f.write_str("termination"),
            Query::Linear(linear) => f.write_str(&linear.text),
            Query::Branching(branching) => f.write_str(&branching.text),
            Query::Other(name) => f.write_str(name),
        }
    }
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
        "not a property: `{0}` (expected `unreach-call`, `unreach-label`, `no-overflow`, `termination`, `G ! call(f())`, `G ! label(L)`, or a property file of SV-COMP; other formulas go to --ltl, --ctl and --ctlstar)"
    )]
    Unknown(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn property_files_are_read_leniently() {
        let parse = |text: &str| Property::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        for text in [
            "CHECK( init(main()), LTL(G ! label(ERROR)) )",
            "# a comment\n  CHECK(init(main()),LTL(G !label(ERROR)))\n",
            "CHECK( init(main()), LTL(G ! (label(ERROR))) ) // more",
            "G ! label(ERROR)",
        ] {
            assert_eq!(parse(text), Property { entry: None, query: Query::Label("ERROR".into()) }, "{text}");
        }
        assert_eq!(parse("CHECK( init(main()), LTL(F end) )").query, Query::Termination);
        assert_eq!(parse("CHECK( init(main()), LTL(G ! overflow) )").query, Query::Overflow);
        assert_eq!(parse("CHECK( init(start()), LTL(F end) )").entry, Some("start".into()));
        assert!(matches!(Property::parse("unreach"), Err(PropertyError::Unknown(_))));
        assert_eq!(Property::parse(" # only this"), Err(PropertyError::Empty));
    }

    #[test]
    fn properties_of_others_are_properties() {
        for text in [
            "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(G valid-deref) )",
            "CHECK( init(main()), LTL(G ! data-race) )",
            "COVER( init(main()), FQL(COVER EDGES(@DECISIONEDGE)) )",
            "no-data-race",
        ] {
            let property = Property::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert!(matches!(property.query, Query::Other(_)), "{text}");
        }
    }
}
