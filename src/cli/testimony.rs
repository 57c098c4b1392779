//! `--witness` and `--harness`: what others need to believe a verdict about a C program.

use super::BadInput;
use super::files::replace;
use super::input::{Reading, bytes};
use crate::checker::{Checker, Engine, Report, Verdict};
use crate::evidence::witness::{self, Invariant, MOST_WAYPOINTS};
use crate::evidence::{Violation, harness as write_harness, inputs, last_place};
use crate::limits::Limits;
use crate::logic::{ERROR_CALLS, Query};
use crate::model::SourceRun;
use crate::solver::SolverName;
use crate::syntax::{FAILURE_LABELS, Place, Program, Source, c};
use sha2::{Digest, Sha256};
use std::io::Write;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// So long, at least, a proof is searched for.
const LEAST_PROOF_TIME: Duration = Duration::from_secs(2);

/// Inputs of a harness.
const MOST_INPUTS: usize = 1_000_000;

/// What was written for those who do not believe the verdict.
#[derive(Default)]
pub(super) struct Testimony {
    /// The text of a certificate.
    pub(super) certificate: Option<String>,
    /// The text of a witness.
    pub(super) witness: Option<String>,
    /// What the witness says of loops.
    pub(super) invariants: Vec<Invariant>,
}

/// What the verdict is about.
pub(super) struct About<'a> {
    pub(super) file: &'a str,
    pub(super) source: &'a Source,
    pub(super) program: &'a Program,
    pub(super) query: &'a Query,
}

impl About<'_> {
    fn c(&self, option: &str) -> anyhow::Result<&c::Program> {
        match self.program {
            Program::C(program) => Ok(program),
            _ => Err(BadInput(format!("{option} is for programs in C")).into()),
        }
    }

    /// The line in which a label stands.
    fn label_line(&self, program: &c::Program, function: u32, place: Place, label: &str) -> usize {
        let labels = &program.functions[function as usize].labels;
        let is_here =
            |own: &&c::Label| Place::Statement(own.statement) == place && program.names.text(own.name) == label;
        labels.iter().find(is_here).map_or(0, |label| self.source.line_of(label.span.start))
    }

    /// The property as property files have it: where all failures were asked for, the one that happened.
    fn specification(&self, run: Option<&SourceRun>) -> String {
        let called = |function: &str| format!("G ! call({function}())");
        let formula = match self.query {
            Query::Failures => {
                let place = run.map(last_place);
                let labels = place.map(|(procedure, place)| self.program.labels(procedure, place)).unwrap_or_default();
                match labels.iter().find(|label| FAILURE_LABELS.contains(label)) {
                    Some(label) => format!("G ! label({label})"),
                    None => {
                        called(place.and_then(|(p, place)| self.program.called_at(p, place)).unwrap_or("reach_error"))
                    }
                }
            }
            Query::Call(function) => called(function),
            Query::ErrorCall => {
                let place = run.map(last_place);
                called(place.and_then(|(p, place)| self.program.called_at(p, place)).unwrap_or(ERROR_CALLS[0]))
            }
            Query::Label(label) => format!("G ! label({label})"),
            Query::Overflow => "G ! overflow".to_owned(),
            Query::Termination => "F end".to_owned(),
            Query::Linear(linear) => linear.text.clone(),
            Query::Branching(branching) => branching.text.clone(),
            Query::Other(name) => name.clone(),
        };
        let entry = match self.program {
            Program::C(program) => program.settings.entry.as_deref(),
            _ => None,
        };
        format!("CHECK( init({}()), LTL({formula}) )", entry.unwrap_or("main"))
    }
}

/// Invariants of the program's loops, from a proof of the property that is searched for once more: the engine that
/// answered need not have one, and it speaks of functions that are not written out. If it takes too long there are
/// none.
pub(super) fn invariants(
    settings: c::Settings,
    about: &About<'_>,
    took: Duration,
    reread: impl FnOnce(c::Settings, &Limits) -> anyhow::Result<Reading>,
) -> anyhow::Result<Vec<Invariant>> {
    let settings = c::Settings { inline: false, ..settings };
    let limits = Limits::none().with_timeout((took * 2).max(LEAST_PROOF_TIME));
    let Reading::Program(_, program) = reread(settings, &limits)? else { return Ok(Vec::new()) };
    let checker = Checker::new(&program);
    let engine = Engine::Prove(SolverName::default());
    let proof = checker.check(about.query, engine, &limits, &mut |_| ()).ok().and_then(|report| report.proof);
    let found = proof.map(|proof| checker.loop_invariants(&proof)).unwrap_or_default();
    Ok(found.into_iter().map(|(span, function, value)| Invariant { span, function, value }).collect())
}

/// Writes a witness of the verdict, if there is one; its text.
pub(super) fn witness(
    path: &Path,
    about: &About<'_>,
    report: &Report,
    invariants: &[Invariant],
    quiet: bool,
) -> anyhow::Result<Option<String>> {
    let program = about.c("--witness")?;
    if program.settings.int_width.is_some() {
        return missing(path, "with --int-width the program is another one", quiet).map(|()| None);
    }
    let Some(hash) = digest(about.file, Some(about.source)) else {
        return Err(BadInput(format!("cannot read {}", about.file)).into());
    };
    let (specification, version) = (about.specification(report.run.as_ref()), env!("CARGO_PKG_VERSION"));
    let identity = format!("epitome {version} {hash} {specification} {}", program.settings.data_model.name());
    let uuid = uuid::Uuid::new_v5(&uuid::Uuid::NAMESPACE_OID, identity.as_bytes()).to_string();
    let head = witness::About {
        file: about.file,
        hash: &hash,
        specification: &specification,
        uuid: &uuid,
        time: &creation_time(),
        version,
    };
    let text = match (&report.verdict, &report.run) {
        (Verdict::Violated, Some(run)) if report.again.is_none() => {
            let inputs = inputs(program, run, MOST_WAYPOINTS).unwrap_or_default();
            let (function, place) = last_place(run);
            let target = (about.program.procedure_at(function, place), about.program.span(function, place));
            witness::violation(&head, about.source, program, &inputs, target)
        }
        (Verdict::Holds, _) if !about.query.is_temporal() => {
            if invariants.is_empty() && !quiet {
                writeln!(anstream::stderr(), "note: {} has no invariants", path.display())?;
            }
            witness::correctness(&head, about.source, program, invariants)
        }
        _ => return missing(path, "there is nothing to witness", quiet).map(|()| None),
    };
    save(path, &text)?;
    Ok(Some(text))
}

/// Writes a harness for the trace, if there is one.
pub(super) fn harness(path: &Path, about: &About<'_>, report: &Report, quiet: bool) -> anyhow::Result<()> {
    let program = about.c("--harness")?;
    let Some(run) = &report.run else { return missing(path, "there is no trace", quiet) };
    if report.again.is_some() {
        return missing(path, "the run of the trace never ends", quiet);
    }
    let Some(inputs) = inputs(program, run, MOST_INPUTS) else {
        return missing(path, "the trace takes more than a million inputs", quiet);
    };
    let (function, place) = last_place(run);
    let labels = about.program.labels(function, place);
    let violation = match (about.query, about.program.called_at(function, place)) {
        (Query::Overflow, _) => Violation::Overflow,
        (Query::Call(_) | Query::ErrorCall | Query::Failures, Some(error)) => Violation::Call(error),
        _ => match label_of(about.query, &labels) {
            Some(label) => Violation::Label(label, about.label_line(program, function, place, label)),
            None => return missing(path, "nothing is called and no label is reached in the end", quiet),
        },
    };
    let own = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    save(path, &write_harness(about.file, &own, program, &inputs, violation))
}

/// The label that was asked for, of those at a place.
fn label_of<'l>(query: &Query, labels: &[&'l str]) -> Option<&'l str> {
    let is_meant = |label: &&&str| match query {
        Query::Label(asked) => asked.ends_with(**label),
        _ => FAILURE_LABELS.contains(*label),
    };
    labels.iter().find(is_meant).copied()
}

fn missing(path: &Path, why: &str, quiet: bool) -> anyhow::Result<()> {
    if !quiet {
        writeln!(anstream::stderr(), "note: {} is not written: {why}", path.display())?;
    }
    Ok(())
}

fn save(path: &Path, text: &str) -> anyhow::Result<()> {
    replace(path, text).map_err(|error| BadInput(format!("cannot write {}: {error}", path.display())).into())
}

/// The SHA-256 of a file, or of what came by standard input, if that was read. (The text may not be the file to the byte.)
pub(super) fn digest(file: &str, source: Option<&Source>) -> Option<String> {
    let bytes = if file == "-" && source.is_none() { return None } else { bytes(file).ok()? };
    Some(Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Now, or what `SOURCE_DATE_EPOCH` says, as ISO 8601.
pub(super) fn creation_time() -> String {
    let given = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|text| text.parse::<u64>().ok());
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let seconds = given.unwrap_or_else(now);
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = civil(days);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", rest / 3600, rest / 60 % 60, rest % 60)
}

/// The date so many days after 1970-01-01 (years that start in March have their leap day at the end).
fn civil(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    (year, month, day_of_year - (153 * shifted + 2) / 5 + 1)
}

#[cfg(test)]
mod tests {
    use super::civil;

    #[test]
    fn days_are_dates() {
        assert_eq!(civil(0), (1970, 1, 1));
        assert_eq!(civil(59), (1970, 3, 1));
        assert_eq!(civil(11_016), (2000, 2, 29));
        assert_eq!(civil(20_775), (2026, 11, 18));
    }
}
