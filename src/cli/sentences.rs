//! What a check found out, in sentences.

use super::findings::Findings;
use super::options::Options;
use super::trace::excerpt;
use crate::checker::{Checker, Verdict};
use crate::engine::NOTHING_TO_FIND;
use crate::engine::expand::Algorithm;
use crate::evidence::last_place;
use crate::limits::Reason;
use crate::logic::{ERROR_CALLS, Query};
use crate::model::{ProcId, SourceRun};
use crate::syntax::{FAILURE_LABELS, Place, Position, Program, Source, c};
use crate::temporal::Again;

/// What is said of a find without a trace.
const FIND: &str = "a violation, but no trace of it yet";

/// What is said where nothing else is known of a search that did not come to its end.
pub(super) const FOUND_SO_FAR: &str = "Found so far: a violation, but no trace of it yet.\n";

/// What a search came to, and where in the program that is.
pub(super) struct Conclusion {
    pub(super) position: Option<Position>,
    pub(super) text: String,
}

/// How the search ended.
pub(super) fn ending(found: &Findings<'_>) -> Vec<String> {
    let width = found.int_width();
    let width = width.map(|bits| format!("int has {bits} bits here (--int-width): the verdict is about that program."));
    let conclusion = conclusion(found).map(|Conclusion { position, text }| match position {
        Some(position) => format!("{}:{position}: {text}", found.source.name()),
        None => text,
    });
    width.into_iter().chain(conclusion).collect()
}

/// What the search came to. A property that holds speaks for itself, and so does what an explanation tells.
pub(super) fn conclusion(found: &Findings<'_>) -> Option<Conclusion> {
    let &Findings { source, program, query, report, .. } = found;
    let at = |(procedure, place)| Some(source.position(program.span(procedure, place).start));
    if let Some(run) = &report.run {
        let text = match report.again {
            Some(again) => repeated(program, query, run, again),
            None => reached(source, program, query, run),
        };
        return Some(Conclusion { position: at(last_place(run)), text });
    }
    if let Some((procedure, place)) = report.undefined.as_ref().map(last_place) {
        let what = program.hazard(procedure, place).map_or("", c::Hazard::describe);
        let text = format!("{what}: what happens then is not defined");
        return Some(Conclusion { position: at((procedure, place)), text });
    }
    // Of what is not supported there is nothing to tell.
    let is_begun = |reason: &Reason| !matches!(reason, Reason::NotSupported(_) | Reason::Undefined(_));
    let is_stopped = matches!(&report.verdict, Verdict::Unknown(reason) if is_begun(reason));
    is_stopped.then(|| Conclusion { position: None, text: so_far(found) })
}

/// What a search had found when it was stopped.
fn so_far(found: &Findings<'_>) -> String {
    let statistics = &found.report.statistics;
    let [edges, summaries] = match statistics.engine {
        "bdd" => ["sets of path edges", "sets of summary edges"],
        "sat" => ["facts", "lemmas"],
        _ => ["path edges", "summary edges"],
    };
    let violation = violation(found);
    let (reached, summed) = (statistics.path_edges, statistics.summary_edges);
    match (statistics.engine, &statistics.chosen) {
        ("auto", Some(chosen)) => format!("Found so far: {violation} ({chosen})."),
        _ => format!("Found so far: {reached} {edges}, {summed} {summaries}, {violation}."),
    }
}

/// Why the answer is no news, if the program has nothing that could violate the property.
pub(super) fn nothing_to_check(program: &Program, checker: &Checker<'_>, query: &Query) -> Option<String> {
    (!checker.can_be_asked(query)).then(|| match (query, program) {
        (Query::Call(function), _) => format!("nobody who may run calls `{function}`"),
        (Query::ErrorCall, _) => format!("nobody who may run calls {}", ERROR_CALLS.join(" or ")),
        (Query::Label(label), _) => format!("there is no label `{label}`"),
        (_, Program::C(_)) => "no assert, label ERROR or call of reach_error in functions that may run".to_owned(),
        (_, program) if program.is_clauses() => "no clause concludes false".to_owned(),
        _ => "the program has no assert and no label ERROR (see --label)".to_owned(),
    })
}

/// So many procedures that nobody calls are named.
const MOST_NAMED: usize = 3;

/// Procedures of a Boolean program that nobody calls, not to count themselves: tools that have threads or
/// functions to be run first start some by name, and here they do not run.
fn never_called(program: &Program, checker: &Checker<'_>) -> Option<String> {
    let ersm = checker.ersm();
    if !matches!(program, Program::Bp(_)) || program.is_clauses() {
        return None;
    }
    let mut runs: Vec<bool> = vec![false; ersm.procedures.len()];
    let mut found: Vec<ProcId> = ersm.initial.iter().map(|(id, _)| *id).collect();
    while let Some(id) = found.pop() {
        if !std::mem::replace(&mut runs[id.index()], true) {
            found.extend(ersm.procedure(id).boxes.iter().map(|site| site.callee));
        }
    }
    let idle: Vec<String> = ersm
        .procedures()
        .filter(|(id, _)| !runs[id.index()])
        .map(|(id, _)| format!("`{}`", ersm.procedure_name(id)))
        .collect();
    let what = match idle.len() {
        0 => return None,
        1 => "1 procedure is never called and does not run",
        _ => "procedures are never called and do not run",
    };
    let count = if idle.len() == 1 { String::new() } else { format!("{} ", idle.len()) };
    let named = idle[..idle.len().min(MOST_NAMED)].join(", ");
    let more = idle.len().saturating_sub(MOST_NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    Some(format!("{count}{what}: {named}{more}"))
}

/// Whether a violation was found, where there is none to show.
pub(super) fn violation(found: &Findings<'_>) -> &'static str {
    if found.found() { FIND } else { "no violation" }
}

/// What the user may have meant otherwise.
pub(super) fn notes(found: &Findings<'_>, options: &Options) -> Vec<String> {
    let &Findings { program, query, checker, report, .. } = found;
    let statistics = &report.statistics;
    let mut notes = Vec::new();
    notes.extend(nothing_to_check(program, checker, query).map(|why| format!("nothing to check: {why}")));
    notes.extend(never_called(program, checker));
    let forced = options.algorithm().map(Algorithm::name);
    let fits = |forced: &&str| *forced == statistics.algorithm || statistics.algorithm == NOTHING_TO_FIND;
    if let Some(forced) = forced.filter(|forced| !fits(forced)) {
        notes.push(format!("--expand {forced} does not fit this program; {} was used", statistics.algorithm));
    }
    notes
}

/// How a run goes on for ever, in one sentence.
fn repeated(program: &Program, query: &Query, run: &SourceRun, again: Again) -> String {
    let (procedure, place) = last_place(run);
    let name = program.procedure_at(procedure, place);
    let how = match again {
        Again::Stays if program.ends_at(procedure, place, run.last().0 == run.top()) => "a run that ends here",
        Again::Stays => "a run that cannot go on from here",
        Again::Loops { .. } => "a run that comes back here again and again",
        Again::Grows { .. } => "a run that calls without end",
    };
    let property = match query {
        Query::Linear(linear) if linear.formula.is_none() => format!("is accepted by {}", linear.text),
        _ => format!("violates {}", query.formula().unwrap_or("F(end)")),
    };
    format!("{how} {property} (in {name})")
}

/// The end of the run in one sentence.
fn reached(source: &Source, program: &Program, query: &Query, run: &SourceRun) -> String {
    let (procedure, place) = last_place(run);
    let name = program.procedure_at(procedure, place);
    let text = excerpt(source, program.span(procedure, place), 60);
    let text = text.trim_end_matches(';');
    let names = program.names_at(procedure, place);
    let what = match (place, names.iter().find(|name| is_asked_for(query, name))) {
        (Place::Failed(_), _) if program.is_clauses() => return "false can be derived".to_owned(),
        (Place::Failed(_), _) => match program.hazard(procedure, place) {
            Some(hazard) => format!("{} in {text}", hazard.describe()),
            None => format!("{text} can fail"),
        },
        _ if program.called_at(procedure, place) == Some("__assert_fail") => format!("{text} can fail"),
        (Place::Statement(_), Some(label)) => format!("label {label} can be reached"),
        (_, Some(proposition)) if *proposition != text => format!("{proposition} can be reached, at {text}"),
        _ => format!("{text} can be reached"),
    };
    format!("{what} (in {name})")
}

/// Of the names that a place has, it is this one that must not be reached. The procedure that a user may have put
/// before a label is that of the place.
fn is_asked_for(query: &Query, name: &str) -> bool {
    match query {
        Query::Failures => FAILURE_LABELS.contains(&name),
        Query::Label(label) => {
            let rest = label.strip_suffix(name);
            rest.is_some_and(|rest| rest.is_empty() || rest.ends_with(['.', ':'])) || *name == format!("{{{label}}}")
        }
        _ => false,
    }
}
