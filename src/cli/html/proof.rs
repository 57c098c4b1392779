//! Why a TRUE is to be believed: the claims of its certificate, place by place, and what another solver says of them.

use super::escape;
use super::tables::Table;
use crate::certify::Finding;
use crate::cli::findings::Findings;
use crate::cli::testimony::Testimony;
use crate::cli::units::count;
use crate::evidence::witness::Invariant;
use crate::limits::Limits;
use crate::model::{Ersm, ProcId};
use crate::solver::SolverName;
use crate::syntax::Source;
use serde_json::Value;
use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

/// More claims are not shown.
const MOST_CLAIMS: usize = 300;
/// Steps of the solver that checks a certificate: some seconds.
const MOST_STEPS: u64 = 2_000_000;

/// What is said of a proof, and how long it took to check it.
#[derive(Default)]
pub(super) struct Proof {
    pub(super) html: String,
    pub(super) time: Option<Duration>,
}

impl Proof {
    /// The section about a verdict TRUE, with a certificate perhaps at a path.
    pub(super) fn new(found: &Findings<'_>, path: Option<&Path>, testimony: &Testimony, limits: &Limits) -> Proof {
        let engine = escape(found.report.statistics.engine);
        let mut said =
            format!("<p>Engine <code>{engine}</code> claims it: its search came to an end without a violation.</p>\n");
        let mut time = None;
        match path.zip(testimony.certificate.as_deref()) {
            Some((path, text)) => {
                let path = escape(&path.display().to_string());
                let command = format!("epitome certify {} {path}", escape(found.file));
                let certificate: Value = serde_json::from_str(text).unwrap_or_default();
                let (checked, took) = checked(found, &certificate, limits);
                time = took;
                let _ = writeln!(
                    said,
                    "{checked}<p>Its proof was written to <code>{path}</code>. <code>{command}</code> checks it again, without the engine.</p>"
                );
                said += &claims(&certificate, found.checker.ersm());
            }
            None if !found.query.is_temporal() => {
                said.push_str("<p><code>check --certificate FILE</code> writes a proof down that <code>epitome certify</code> checks.</p>\n");
            }
            None => {}
        }
        said += &invariants(testimony, found.source);
        Proof { html: format!("<section id=\"proof\">\n<h2>Proof</h2>\n{said}</section>\n"), time }
    }
}

/// What another solver than the one that found a certificate says of it.
fn checked(found: &Findings<'_>, certificate: &Value, limits: &Limits) -> (String, Option<Duration>) {
    let Some(proof) = &found.report.proof else { return Default::default() };
    let producer = SolverName::ALL.into_iter().find(|solver| certificate["solver"] == solver.name());
    let solver = producer.unwrap_or_default().other();
    let certified = found.checker.certify(found.query, proof, solver, &limits.clone().with_effort(MOST_STEPS));
    let (class, sign, word) = match &certified.finding {
        Finding::Valid => ("good", "✓", "VALID".to_owned()),
        Finding::Invalid(flaw) => ("bad", "✗", format!("INVALID({})", flaw.summary(found.checker.ersm()))),
        Finding::Unknown(reason) => ("unsure", "?", format!("UNKNOWN({reason})")),
    };
    let queries = count(certified.cost.queries as usize, "question");
    let said = format!(
        "<p id=\"certified\">Checked by {}: <span class=\"badge {class}\">{sign} {}</span> <span class=\"faint\">({queries}; found by {})</span></p>\n",
        solver.name(),
        escape(&word),
        escape(certificate["solver"].as_str().unwrap_or("?"))
    );
    (said, Some(certified.cost.time))
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// What never happens, a claim in a row.
fn claims(certificate: &Value, ersm: &Ersm) -> String {
    let mut table = Table::new(&["procedure", "entered with", "never comes to", "with"]);
    let mut all = 0;
    for procedure in list(&certificate["procedures"]) {
        let name = format!("<code>{}</code>", escape(procedure["procedure"].as_str().unwrap_or_default()));
        let exits = |number: u64| ersm.procedure(ProcId(number as u32)).exits.len();
        let exits = procedure["number"].as_u64().map_or(0, exits);
        for never in list(&procedure["never"]) {
            all += 1;
            if all > MOST_CLAIMS {
                continue;
            }
            let entries: Vec<String> = list(&never["entries"]).map(|entry| format!("entry {entry}")).collect();
            let before = [entries, values(&never["before"])].concat();
            let places: Vec<String> = list(&never["places"]).map(|name| place(name, procedure, exits)).collect();
            let after = values(&never["after"]);
            let [before, after] =
                [before, after].map(|values| if values.is_empty() { ANY.to_owned() } else { values.join(", ") });
            table.row("", &[name.clone(), before, places.join(" or "), after]);
        }
    }
    let more = match all.saturating_sub(MOST_CLAIMS) {
        0 => String::new(),
        more => format!("<p class=\"faint\">… {more} more; the certificate has them all.</p>\n"),
    };
    let (shown, claims) = (table.to_html(), count(all, "claim"));
    format!(
        "<details>\n<summary>What never happens: {claims}</summary>\n<p class=\"faint\">No claim is about a single run: each follows from the others by a look at one procedure.</p>\n{shown}{more}</details>\n"
    )
}

const ANY: &str = "<span class=\"faint\">any values</span>";

/// `g=1` of an object, one by one.
fn values(object: &Value) -> Vec<String> {
    let value = |(name, value): (&String, &Value)| {
        let bit = u8::from(value.as_bool().unwrap_or_default());
        format!("<code>{}={bit}</code>", escape(name))
    };
    object.as_object().into_iter().flatten().map(value).collect()
}

/// A place of a claim, in words.
fn place(name: &Value, procedure: &Value, exits: usize) -> String {
    match name.as_str().unwrap_or_default().split_once(' ') {
        Some(("exit", _)) if exits == 1 => "the exit".to_owned(),
        Some(("exit", number)) => format!("exit {}", escape(number)),
        Some(("cut", number)) => {
            let line = number.parse::<usize>().ok().and_then(|number| procedure["cuts"][number]["line"].as_u64());
            line.map_or("a loop".to_owned(), |line| format!("the loop at line <a href=\"#L{line}\">{line}</a>"))
        }
        _ => "a failure".to_owned(),
    }
}

/// The invariants of a witness.
fn invariants(testimony: &Testimony, source: &Source) -> String {
    if testimony.invariants.is_empty() {
        return String::new();
    }
    let mut table = Table::new(&["loop", "function", "whenever its condition is evaluated"]);
    for Invariant { span, function, value } in &testimony.invariants {
        let line = source.line_of(span.start);
        let [function, value] = [function, value].map(|text| format!("<code>{}</code>", escape(text)));
        table.row("", &[format!("line <a href=\"#L{line}\">{line}</a>"), function, value]);
    }
    let invariants = count(testimony.invariants.len(), "invariant");
    format!("<details>\n<summary>Loops: {invariants}</summary>\n{}</details>\n", table.to_html())
}
