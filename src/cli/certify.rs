//! `epitome certify`.

use super::input::Input;
use super::options::{self, StopOptions};
use super::question::Question;
use super::watchdog::Watchdog;
use super::{BadInput, Status, Stopped, files};
use crate::certify::{Certificate, Certified, Finding, Flaw, read};
use crate::checker::Checker;
use crate::limits::{Reason, peak_bytes};
use crate::logic::Query;
use crate::model::Ersm;
use crate::solver::SolverName;
use crate::syntax::Source;
use anstyle::{AnsiColor, Style};
use serde_json::{Value, json};
use std::io::{self, Write};
use std::mem::ManuallyDrop;
use std::path::PathBuf;

#[derive(clap::Args, Debug)]
pub(super) struct Arguments {
    #[command(flatten)]
    input: Input,
    /// The certificate, written by `epitome check --certificate`
    certificate: PathBuf,
    #[command(flatten)]
    question: Question,
    /// Which SAT solver checks [default: another one than the certificate was found by]
    #[arg(long, value_name = "SOLVER", value_parser = options::solvers())]
    sat_solver: Option<SolverName>,
    #[command(flatten)]
    stop: StopOptions,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Print statistics (on stderr)
    #[arg(long)]
    stats: bool,
    /// Print the answer only
    #[arg(short, long)]
    quiet: bool,
}

pub(super) fn run(arguments: &Arguments, out: &mut dyn Write) -> anyhow::Result<Status> {
    let query = arguments.question.query(arguments.input.is_c())?;
    let limits = arguments.stop.limits()?;
    let watchdog = Watchdog::new(&limits, arguments.stop.timeout, last_words(arguments));
    let read = arguments.input.read(arguments.quiet, &limits);
    if let Some(reason) = Stopped::reason(&read) {
        watchdog.dismiss();
        writeln!(out, "{}", last_words(arguments)(reason))?;
        return Ok(Status::Unknown);
    }
    let Some((source, program)) = read? else { return Ok(Status::BadInput) };
    let program = ManuallyDrop::new(program);
    let checker = ManuallyDrop::new(Checker::new(&program));
    arguments.question.resolve(&checker, &query)?;
    let certificate = arguments.read(checker.ersm())?;
    is_about(&certificate, &query)?;
    let producer = SolverName::ALL.into_iter().find(|solver| solver.name() == certificate.solver);
    let solver = arguments.sat_solver.unwrap_or_else(|| producer.unwrap_or_default().other());
    if Some(solver) == producer && !arguments.quiet {
        let name = solver.name();
        writeln!(anstream::stderr(), "warning: {name} found the certificate and checks it: a mistake may go unseen")?;
    }
    let certified = checker.certify(&query, &certificate.proof, solver, &limits);
    watchdog.dismiss();
    if let Finding::Unknown(Reason::Internal(what)) = certified.finding {
        return Err(anyhow::anyhow!("internal error: {what}"));
    }
    if arguments.stats && !arguments.json {
        statistics(&mut anstream::stderr(), &certified, solver)?;
    }
    if arguments.json {
        let object = json_report(arguments, Some((&query, solver, &certificate)), &certified, checker.ersm());
        writeln!(out, "{object:#}")?;
    } else {
        if let (Finding::Invalid(flaw), false) = (&certified.finding, arguments.quiet) {
            writeln!(out, "{}", told(flaw, &certificate, checker.ersm(), &source))?;
        }
        write_finding(out, &certified.finding, checker.ersm())?;
    }
    Ok(match certified.finding {
        Finding::Valid => Status::True,
        Finding::Invalid(_) => Status::False,
        Finding::Unknown(_) => Status::Unknown,
    })
}

impl Arguments {
    fn read(&self, ersm: &Ersm) -> anyhow::Result<Certificate> {
        let name = self.certificate.display();
        let text = files::read_to_string(&self.certificate, "the certificate")
            .map_err(|error| BadInput(format!("cannot read {name}: {error}")))?;
        if text.trim_start().starts_with("- entry_type:") {
            let what = "this is a witness, for validators; a certificate is what check --certificate writes";
            return Err(BadInput(format!("{name}: {what}")).into());
        }
        read(&text, ersm).map_err(|error| BadInput(format!("{name}: {error}")).into())
    }
}

/// The certificate is about what is asked, and nothing else: whoever wrote it does not choose the question.
fn is_about(certificate: &Certificate, query: &Query) -> anyhow::Result<()> {
    let property = &certificate.property;
    if *property == query.to_string() {
        return Ok(());
    }
    let about = format!("the certificate is about {property:?}, the question about {query}");
    Err(BadInput(format!("{about}; if that is what you want to know, {}", how_to_ask(property))).into())
}

/// Which options ask about the property that a certificate names.
fn how_to_ask(property: &str) -> String {
    let inside = |name: &str| property.strip_prefix(name)?.strip_prefix('(')?.strip_suffix(')');
    // Whoever wrote the certificate chose the text: it is repeated only where it is harmless.
    let is_plain = |name: &&str| name.chars().all(|c| c.is_alphanumeric() || "_.: {}".contains(c));
    if property == Query::ErrorCall.to_string() {
        return "say --property unreach-call".to_owned();
    }
    match (inside("unreach-label").filter(is_plain), inside("unreach-call").filter(is_plain)) {
        (Some(label), _) if label.contains([' ', '{']) => format!("say --label '{label}'"),
        (Some(label), _) => format!("say --label {label}"),
        (_, Some(procedure)) => format!("say --property 'G ! call({procedure}())'"),
        _ if property == Query::Failures.to_string() => "give no --label and no --property".to_owned(),
        _ => "repeat the --label or --property of the check that wrote it".to_owned(),
    }
}

/// What is wrong, in a sentence or two.
fn told(flaw: &Flaw, certificate: &Certificate, ersm: &Ersm, source: &Source) -> String {
    let claim = flaw.claim().and_then(|(procedure, number)| {
        let about = certificate.proof.procedures.iter().find(|about| about.procedure == procedure);
        about.and_then(|about| about.never.get(number))
    });
    let place = flaw.span(ersm).map_or(String::new(), |span| format!(":{}", source.position(span.start)));
    format!("{}{place}: {}: {}", source.name(), flaw.summary(ersm), flaw.details(ersm, claim))
}

/// The last line of stdout.
fn write_finding(out: &mut dyn Write, finding: &Finding, ersm: &Ersm) -> io::Result<()> {
    let (color, text) = match finding {
        Finding::Valid => (AnsiColor::Green, "VALID".to_owned()),
        Finding::Invalid(flaw) => (AnsiColor::Red, format!("INVALID({})", flaw.summary(ersm))),
        Finding::Unknown(reason) => (AnsiColor::Yellow, format!("UNKNOWN({reason})")),
    };
    let style = Style::new().bold().fg_color(Some(color.into()));
    writeln!(out, "Certificate: {style}{text}{style:#}")
}

/// One value a line.
fn statistics(out: &mut dyn Write, certified: &Certified, solver: SolverName) -> io::Result<()> {
    let cost = &certified.cost;
    let mut line = |name: &str, value: String| writeln!(out, "{name:<19}{value}");
    line("solver", solver.name().to_owned())?;
    line("procedures", cost.procedures.to_string())?;
    line("claims", cost.claims.to_string())?;
    line("queries", cost.queries.to_string())?;
    line("variables", cost.variables.to_string())?;
    line("clauses", cost.clauses.to_string())?;
    line("check", format!("{:.3} s", cost.time.as_secs_f64()))?;
    if let Some(bytes) = peak_bytes() {
        line("peak memory", format!("{:.1} MB", bytes as f64 / 1e6))?;
    }
    Ok(())
}

/// What is left to say if the process does not come to an end by itself.
fn last_words(arguments: &Arguments) -> impl FnOnce(Reason) -> String + Send + 'static {
    let empty = arguments.json.then(|| {
        let certified = Certified { finding: Finding::Valid, cost: Default::default() };
        json_report(arguments, None, &certified, &Ersm::default())
    });
    move |reason| match empty {
        Some(mut object) => {
            object["result"] = "UNKNOWN".into();
            object["reason"] = reason.to_string().into();
            format!("{object:#}")
        }
        None => format!("Certificate: UNKNOWN({reason})"),
    }
}

/// The object for `--json`.
fn json_report(
    arguments: &Arguments,
    known: Option<(&Query, SolverName, &Certificate)>,
    certified: &Certified,
    ersm: &Ersm,
) -> Value {
    let (result, reason) = match &certified.finding {
        Finding::Valid => ("VALID", None),
        Finding::Invalid(flaw) => ("INVALID", Some(flaw.summary(ersm))),
        Finding::Unknown(reason) => ("UNKNOWN", Some(reason.to_string())),
    };
    let cost = &certified.cost;
    json!({
        "schema": "epitome-certify/1",
        "file": arguments.input.name(),
        "certificate": arguments.certificate.display().to_string(),
        "property": known.map(|(query, ..)| query.to_string()),
        "result": result,
        "reason": reason,
        "solver": known.map(|(_, solver, _)| solver.name()),
        "found_by": known.map(|(.., certificate)| &certificate.solver),
        "statistics": known.map_or(json!({}), |_| json!({
            "procedures": cost.procedures,
            "claims": cost.claims,
            "queries": cost.queries,
            "variables": cost.variables,
            "clauses": cost.clauses,
            "check_seconds": cost.time.as_secs_f64(),
            "memory_bytes": peak_bytes(),
        })),
    })
}
