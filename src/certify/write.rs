//! A certificate as a text: JSON with a claim on each line, the same for the same program and options.

use super::names::{Naming, ScopeNames};
use super::{Certificate, SCHEMA};
use crate::model::{Ersm, Never, Procedure, ProcedureProof, ProofPlace, Var, Vertex};
use crate::syntax::Source;
use serde_json::{Map, Value, json};

/// The text of a certificate about a machine that was built from this source.
pub fn write(certificate: &Certificate, ersm: &Ersm, source: &Source) -> String {
    let Certificate { file, property, solver, proof } = certificate;
    let head = [("schema", SCHEMA), ("file", file), ("property", property), ("solver", solver)];
    let head = head.map(|(key, value)| format!("  \"{key}\": {},\n", json!(value))).concat();
    let naming = Naming::new(ersm);
    let procedures: Vec<String> = proof.procedures.iter().map(|p| procedure(p, ersm, &naming, source)).collect();
    format!("{{\n{head}  \"procedures\": [{}]\n}}\n", listed(&procedures, "    ", "  "))
}

/// Items on lines of their own.
fn listed(items: &[String], indent: &str, outside: &str) -> String {
    if items.is_empty() {
        return String::new();
    }
    let lines: Vec<String> = items.iter().map(|item| format!("\n{indent}{item}")).collect();
    format!("{}\n{outside}", lines.join(","))
}

fn procedure(proof: &ProcedureProof, ersm: &Ersm, naming: &Naming<'_>, source: &Source) -> String {
    let procedure = ersm.procedure(proof.procedure);
    let scope = naming.scope(proof.procedure);
    let cuts: Vec<Value> = proof.cuts.iter().map(|&vertex| cut(vertex, procedure, source)).collect();
    let never: Vec<String> = proof.never.iter().map(|claim| never(claim, &scope).to_string()).collect();
    format!(
        "{{\"procedure\": {}, \"number\": {}, \"cuts\": {},\n     \"never\": [{}]}}",
        json!(ersm.procedure_name(proof.procedure)),
        proof.procedure.0,
        json!(cuts),
        listed(&never, "      ", "     ")
    )
}

fn cut(vertex: Vertex, procedure: &Procedure, source: &Source) -> Value {
    let mut object = match vertex {
        Vertex::Node(node) => json!({ "node": node.0 }),
        Vertex::Call(site, entry) => json!({ "call": site.0, "entry": entry }),
        Vertex::Return(site, exit) => json!({ "return": site.0, "exit": exit }),
    };
    let span = match vertex {
        Vertex::Node(node) => procedure.nodes.get(node.index()).map(|node| node.span),
        port => procedure.edges.iter().find(|edge| edge.from == port || edge.to == port).map(|edge| edge.span),
    };
    if let Some(span) = span {
        object["line"] = source.position(span.start).line.into();
    }
    object
}

fn never(claim: &Never, scope: &ScopeNames<'_>) -> Value {
    let mut object = Map::new();
    if let Some(entries) = &claim.entries {
        object.insert("entries".to_owned(), json!(entries));
    }
    let values = |values: &[(Var, bool)]| -> Value {
        values.iter().map(|&(var, value)| (scope.name(var), Value::Bool(value))).collect::<Map<_, _>>().into()
    };
    if !claim.before.is_empty() {
        object.insert("before".to_owned(), values(&claim.before));
    }
    object.insert("places".to_owned(), claim.places.iter().map(|place| json!(place.to_string())).collect());
    if !claim.after.is_empty() {
        object.insert("after".to_owned(), values(&claim.after));
    }
    object.into()
}

impl std::fmt::Display for ProofPlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ProofPlace::Exit(number) => write!(f, "exit {number}"),
            ProofPlace::Cut(number) => write!(f, "cut {number}"),
            ProofPlace::Failure => f.write_str("failure"),
        }
    }
}
