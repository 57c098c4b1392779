//! From the text of a certificate to claims about a machine.
//!
//! Names are looked up here; whether the claims make sense is for the check to say. The JSON reader refuses
//! deep nesting, and nothing else here nests.

use super::error::Place;
use super::names::{Naming, ScopeNames};
use super::{Certificate, CertificateError, SCHEMA};
use crate::model::{BoxId, Ersm, Never, NodeId, ProcId, ProcedureProof, Proof, ProofPlace, Var, Vertex};
use serde_json::{Map, Value};

type Object = Map<String, Value>;

/// Reads a certificate of a machine.
pub fn read(text: &str, ersm: &Ersm) -> Result<Certificate, CertificateError> {
    let value: Value = serde_json::from_str(text).map_err(|error| CertificateError::NotJson(error.to_string()))?;
    let place = Place::default();
    let object = object(&value, place)?;
    match object.get("schema") {
        Some(Value::String(schema)) if schema == SCHEMA => {}
        Some(other) => return Err(CertificateError::Schema(shortened(&other.to_string()))),
        None => return Err(CertificateError::Schema("missing".to_owned())),
    }
    known_keys(object, place, &["schema", "file", "property", "solver", "procedures"])?;
    let text = |key: &'static str| match object.get(key) {
        Some(Value::String(text)) => Ok(text.clone()),
        _ => Err(CertificateError::Expected { place: Place { key, ..place }, expected: "a text" }),
    };
    let naming = Naming::new(ersm);
    let listed = list(object, "procedures", place)?;
    let procedures = listed.iter().enumerate().map(|(index, value)| procedure(value, index, ersm, &naming));
    let proof = Proof { procedures: procedures.collect::<Result<_, _>>()? };
    Ok(Certificate { file: text("file")?, property: text("property")?, solver: text("solver")?, proof })
}

fn procedure(
    value: &Value,
    index: usize,
    ersm: &Ersm,
    naming: &Naming<'_>,
) -> Result<ProcedureProof, CertificateError> {
    let place = Place { procedure: Some(index), ..Place::default() };
    let object = object(value, place)?;
    known_keys(object, place, &["procedure", "number", "cuts", "never"])?;
    let (Some(Value::String(name)), Some(number)) = (object.get("procedure"), number(object, "number")) else {
        return Err(CertificateError::Expected { place, expected: "the name and the number of a procedure" });
    };
    let procedure = ProcId(number);
    let message = match ersm.procedures.get(procedure.index()) {
        None => {
            let (count, plural) = (ersm.procedures.len(), if ersm.procedures.len() == 1 { "" } else { "s" });
            Some(format!("the program has {count} procedure{plural}, none has the number {number}"))
        }
        Some(_) if ersm.procedure_name(procedure) != name => {
            let (name, found) = (shortened(name), ersm.procedure_name(procedure));
            Some(format!("procedure {number} of the program is `{found}`, not `{name}`"))
        }
        Some(_) => None,
    };
    if let Some(message) = message {
        return Err(CertificateError::NoProcedure { place, message });
    }
    let scope = Scope { names: naming.scope(procedure), name };
    let cuts = list(object, "cuts", place)?.iter().enumerate();
    let cuts = cuts.map(|(item, value)| cut(value, Place { item: Some(item), key: "cuts", ..place }));
    let never = list(object, "never", place)?.iter().enumerate();
    let never = never.map(|(item, value)| scope.never(value, Place { item: Some(item), key: "never", ..place }));
    Ok(ProcedureProof { procedure, cuts: cuts.collect::<Result<_, _>>()?, never: never.collect::<Result<_, _>>()? })
}

fn cut(value: &Value, place: Place) -> Result<Vertex, CertificateError> {
    let object = object(value, place)?;
    known_keys(object, place, &["node", "call", "entry", "return", "exit", "line"])?;
    let number = |key| number(object, key);
    let vertex = match (number("node"), number("call"), number("return")) {
        (Some(node), None, None) => Some(Vertex::Node(NodeId(node))),
        (None, Some(site), None) => number("entry").map(|entry| Vertex::Call(BoxId(site), entry)),
        (None, None, Some(site)) => number("exit").map(|exit| Vertex::Return(BoxId(site), exit)),
        _ => None,
    };
    vertex
        .ok_or(CertificateError::Expected { place, expected: "`node`, or `call` and `entry`, or `return` and `exit`" })
}

struct Scope<'n> {
    names: ScopeNames<'n>,
    /// The procedure's.
    name: &'n str,
}

impl Scope<'_> {
    fn never(&self, value: &Value, place: Place) -> Result<Never, CertificateError> {
        let object = object(value, place)?;
        known_keys(object, place, &["entries", "before", "places", "after"])?;
        let entries = match object.get("entries") {
            None => None,
            Some(value) => {
                let numbers = value.as_array().and_then(|list| list.iter().map(as_u32).collect::<Option<Vec<u32>>>());
                Some(numbers.ok_or(CertificateError::Expected { place, expected: "numbers of entries" })?)
            }
        };
        let places = list(object, "places", place)?.iter().map(|value| value.as_str().and_then(proof_place));
        let places = places.collect::<Option<Vec<ProofPlace>>>();
        let expected = "places: `exit 0`, `cut 0`, …, `failure`";
        Ok(Never {
            entries,
            before: self.values(object.get("before"), place)?,
            places: places.ok_or(CertificateError::Expected { place, expected })?,
            after: self.values(object.get("after"), place)?,
        })
    }

    fn values(&self, value: Option<&Value>, place: Place) -> Result<Vec<(Var, bool)>, CertificateError> {
        let expected = || CertificateError::Expected { place, expected: "variables with their values, true or false" };
        let Some(value) = value else { return Ok(Vec::new()) };
        let object = value.as_object().ok_or_else(expected)?;
        let literal = |(name, value): (&String, &Value)| {
            let value = value.as_bool().ok_or_else(expected)?;
            let var = self.names.find(name).ok_or_else(|| CertificateError::NoVariable {
                place,
                procedure: self.name.to_owned(),
                name: shortened(name),
                advice: self.names.similar(name).map_or(String::new(), |name| format!("; did you mean `{name}`?")),
            })?;
            Ok((var, value))
        };
        object.iter().map(literal).collect()
    }
}

fn proof_place(text: &str) -> Option<ProofPlace> {
    // `+1` is a number to Rust.
    let number = |text: &str| text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok())?;
    match text.split_once(' ') {
        None => (text == "failure").then_some(ProofPlace::Failure),
        Some(("exit", rest)) => number(rest).map(ProofPlace::Exit),
        Some(("cut", rest)) => number(rest).map(ProofPlace::Cut),
        Some(_) => None,
    }
}

fn object(value: &Value, place: Place) -> Result<&Object, CertificateError> {
    value.as_object().ok_or(CertificateError::Expected { place, expected: "an object" })
}

fn list<'v>(object: &'v Object, key: &'static str, place: Place) -> Result<&'v [Value], CertificateError> {
    let place = if place.key.is_empty() { Place { key, ..place } } else { place };
    let list = object.get(key).and_then(Value::as_array).map(Vec::as_slice);
    list.ok_or(CertificateError::Expected { place, expected: "a list" })
}

fn number(object: &Object, key: &str) -> Option<u32> {
    object.get(key).and_then(as_u32)
}

fn as_u32(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|number| u32::try_from(number).ok())
}

fn known_keys(object: &Object, place: Place, known: &[&str]) -> Result<(), CertificateError> {
    match object.keys().find(|key| !known.contains(&key.as_str())) {
        None => Ok(()),
        Some(key) => Err(CertificateError::UnknownKey { place, key: shortened(key), known: known.join(", ") }),
    }
}

/// A text from a file as it is shown: not all of it, on one line.
fn shortened(text: &str) -> String {
    const MOST: usize = 60;
    let mut short: String = text.chars().take(MOST).flat_map(char::escape_debug).collect();
    if text.chars().nth(MOST).is_some() {
        short.push('…');
    }
    short
}
