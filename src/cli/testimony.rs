//! `--witness` and `--harness`: what others need to believe a verdict about a C program.

use super::BadInput;
use super::certificate::replace;
use super::input::Reading;
use crate::checker::{Checker, Engine, Report, Verdict};
use crate::evidence::witness::{self, Invariant, MOST_WAYPOINTS};
use crate::evidence::{harness as write_harness, inputs, last_place};
use crate::limits::Limits;
use crate::logic::Query;
use crate::solver::SolverName;
use crate::syntax::{Program, Source, c};
use sha2::{Digest, Sha256};
use std::io::Write;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// So long, at least, a proof is searched for.
const LEAST_PROOF_TIME: Duration = Duration::from_secs(2);

/// Inputs of a harness.
const MOST_INPUTS: usize = 1_000_000;

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

    /// The property as property files have it.
    fn specification(&self) -> String {
        let formula = match self.query {
            Query::Failures => "G ! call(reach_error())".to_owned(),
            Query::Call(function) => format!("G ! call({function}())"),
            Query::Label(label) => format!("G ! label({label})"),
            Query::Overflow => "G ! overflow".to_owned(),
            Query::Termination => "F end".to_owned(),
        };
        format!("CHECK( init(main()), LTL({formula}) )")
    }
}

/// Invariants of the program's loops, from a proof of the property that is searched for once more: the engine that
/// answered need not have one, and it speaks of functions that are not written out. If it takes too long there are
/// none.
pub(super) fn invariants(
    settings: c::Settings,
    about: &About<'_>,
    took: Duration,
    reread: impl FnOnce(c::Settings) -> anyhow::Result<Reading>,
) -> anyhow::Result<Vec<Invariant>> {
    let settings = c::Settings { inline: false, ..settings };
    let Reading::Program(_, program) = reread(settings)? else { return Ok(Vec::new()) };
    let checker = Checker::new(&program);
    let limits = Limits::none().with_timeout((took * 2).max(LEAST_PROOF_TIME));
    let engine = Engine::Prove(SolverName::default());
    let proof = checker.check(about.query, engine, &limits, &mut |_| ()).ok().and_then(|report| report.proof);
    let found = proof.map(|proof| checker.loop_invariants(&proof)).unwrap_or_default();
    Ok(found.into_iter().map(|(span, function, value)| Invariant { span, function, value }).collect())
}

/// Writes a witness of the verdict, if there is one.
pub(super) fn witness(
    path: &Path,
    about: &About<'_>,
    report: &Report,
    invariants: Vec<Invariant>,
    quiet: bool,
) -> anyhow::Result<()> {
    let program = about.c("--witness")?;
    let hash: String = Sha256::digest(about.source.text()).iter().map(|byte| format!("{byte:02x}")).collect();
    let (specification, version) = (about.specification(), env!("CARGO_PKG_VERSION"));
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
        (Verdict::Violated, Some(run)) => {
            let inputs = inputs(program, run, MOST_WAYPOINTS).unwrap_or_default();
            let (function, place) = last_place(run);
            let target = (about.program.procedure_at(function, place), about.program.span(function, place));
            witness::violation(&head, about.source, program, &inputs, target)
        }
        (Verdict::Holds, _) if *about.query != Query::Termination => {
            witness::correctness(&head, about.source, program, &invariants)
        }
        _ => return missing(path, "there is nothing to witness", quiet),
    };
    save(path, &text)
}

/// Writes a harness for the trace, if there is one.
pub(super) fn harness(path: &Path, about: &About<'_>, report: &Report, quiet: bool) -> anyhow::Result<()> {
    let program = about.c("--harness")?;
    let Some(run) = &report.run else { return missing(path, "there is no trace", quiet) };
    let Some(inputs) = inputs(program, run, MOST_INPUTS) else {
        return missing(path, "the trace takes more than a million inputs", quiet);
    };
    let (function, place) = last_place(run);
    let error = about.program.called_at(function, place);
    save(path, &write_harness(about.file, program, &inputs, error))
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

/// Now, or what `SOURCE_DATE_EPOCH` says, as ISO 8601.
fn creation_time() -> String {
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
