//! One run of one engine on one task: what the child's report says, or why there is none.

use super::child::{Bounds, Ended, Killed, run};
use epitome_benchmarks::{DONE, NOTHING, Verdict};
use serde_json::Value;
use std::time::Duration;

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// With a verdict.
    Done(Verdict),
    /// With a verdict, because there is nothing to check: nothing was solved.
    Nothing(Verdict),
    /// Without one, for this reason.
    Unknown(String),
    /// The child did not accept its task; its message.
    Error(String),
    /// The child broke down.
    Crash(String),
}

/// Sizes that an engine reports; `None` where it has none.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sizes {
    pub(super) path_edges: Option<u64>,
    pub(super) summary_edges: Option<u64>,
    /// Nodes of the store at one time, garbage included.
    pub(super) nodes: Option<u64>,
    /// Nodes of the largest set.
    pub(super) largest: Option<u64>,
    pub(super) iterations: Option<u64>,
    /// Conflicts of SAT solvers.
    pub(super) conflicts: Option<u64>,
    pub(super) variables: Option<u64>,
    pub(super) clauses: Option<u64>,
}

/// A measured run.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub(super) end: End,
    /// Processor time, where the child told.
    pub(super) cpu: Option<Duration>,
    /// Time on the wall, the start of the process included.
    pub(super) wall: Duration,
    pub(super) memory: Option<u64>,
    pub(super) sizes: Sizes,
}

impl Run {
    /// Runs the tool. `None` if the user has had enough: then nothing was measured.
    pub(super) fn measure(arguments: &[String], bounds: &Bounds) -> std::io::Result<Option<Run>> {
        let ended = run(arguments, bounds)?;
        let interrupted = bounds.interrupt.load(std::sync::atomic::Ordering::Relaxed);
        Ok((!interrupted).then(|| Run::of(&ended)))
    }

    fn of(ended: &Ended) -> Run {
        let report = serde_json::from_slice(&ended.stdout).unwrap_or(Value::Null);
        let statistics = &report["statistics"];
        let count = |name: &str| statistics[name].as_u64().filter(|&count| count > 0);
        Run {
            end: end(ended, &report),
            cpu: statistics["cpu_seconds"].as_f64().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()),
            wall: ended.wall,
            memory: statistics["memory_bytes"].as_u64().or(ended.memory),
            sizes: Sizes {
                path_edges: count("path_edges"),
                summary_edges: count("summary_edges"),
                nodes: count("bdd_peak_nodes"),
                largest: count("bdd_largest_set"),
                // Algorithms without rounds count their steps.
                iterations: count("iterations").or(count("path_edges")),
                conflicts: statistics["sat"]["conflicts"].as_u64().filter(|&count| count > 0),
                variables: count("variables"),
                clauses: count("clauses"),
            },
        }
    }

    /// How a run ended, from what the CSV says of it.
    pub(super) fn end_of(status: &str, verdict: Option<Verdict>) -> End {
        match (status, verdict) {
            (NOTHING, Some(verdict)) => End::Nothing(verdict),
            (_, Some(verdict)) => End::Done(verdict),
            ("error", _) => End::Error("in an earlier run".to_owned()),
            ("crash", _) => End::Crash("in an earlier run".to_owned()),
            (reason, _) => End::Unknown(reason.to_owned()),
        }
    }

    /// The verdict, if there is one.
    pub(super) fn verdict(&self) -> Option<Verdict> {
        match self.end {
            End::Done(verdict) | End::Nothing(verdict) => Some(verdict),
            _ => None,
        }
    }

    /// Processor time, or else time on the wall: the time that tables and scores are about.
    pub(super) fn time(&self) -> Duration {
        self.cpu.unwrap_or(self.wall)
    }

    /// How it ended, in the words of the CSV: `done`, `nothing to check`, a reason of UNKNOWN, `error`, `crash`.
    pub(super) fn status(&self) -> &str {
        match &self.end {
            End::Done(_) => DONE,
            End::Nothing(_) => NOTHING,
            End::Unknown(reason) => reason,
            End::Error(_) => "error",
            End::Crash(_) => "crash",
        }
    }
}

fn end(ended: &Ended, report: &Value) -> End {
    let reason = |reason: &str| End::Unknown(reason.to_owned());
    let code = ended.status.code();
    match (ended.killed, report["verdict"].as_str(), code) {
        (Some(Killed::Time), ..) => reason("timeout"),
        (Some(Killed::Memory), ..) => reason("memory"),
        (Some(Killed::Interrupted), ..) => reason("interrupted"),
        (None, Some("TRUE"), Some(0)) if report["nothing_to_check"] == Value::Bool(true) => End::Nothing(Verdict::Safe),
        (None, Some("TRUE"), Some(0)) => End::Done(Verdict::Safe),
        (None, Some("FALSE"), Some(10)) => End::Done(Verdict::Unsafe),
        (None, Some("UNKNOWN"), _) => reason(report["reason"].as_str().unwrap_or("unknown")),
        (None, _, Some(2)) => End::Error(first_line(&ended.stderr)),
        // Most often the system, which was out of memory.
        (None, ..) if was_killed(ended) => reason("killed"),
        _ => End::Crash(format!("{} {}", ended.status, first_line(&ended.stderr)).trim_end().to_owned()),
    }
}

#[cfg(unix)]
fn was_killed(ended: &Ended) -> bool {
    use std::os::unix::process::ExitStatusExt;
    ended.status.signal() == Some(signal_hook::consts::SIGKILL)
}

#[cfg(not(unix))]
fn was_killed(_: &Ended) -> bool {
    false
}

/// The first line of a message that is not empty, without the word `error`, which others will write.
fn first_line(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("").trim();
    line.strip_prefix("error: ").unwrap_or(line).to_owned()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    /// The end of a child with this wait status (a signal, or an exit code times 256) and these streams.
    fn end_of(status: i32, killed: Option<Killed>, stdout: &str, stderr: &str) -> End {
        let (status, wall) = (ExitStatus::from_raw(status), Duration::from_secs(1));
        let (stdout, stderr) = (stdout.as_bytes().to_vec(), stderr.as_bytes().to_vec());
        Run::of(&Ended { status, killed, stdout, stderr, wall, memory: None }).end
    }

    #[test]
    fn a_verdict_needs_a_report_and_the_exit_status_for_it() {
        let holds = r#"{"verdict": "TRUE"}"#;
        assert_eq!(end_of(0, None, holds, ""), End::Done(Verdict::Safe));
        assert_eq!(end_of(10 << 8, None, r#"{"verdict": "FALSE"}"#, ""), End::Done(Verdict::Unsafe));
        assert!(matches!(end_of(10 << 8, None, holds, ""), End::Crash(_)));
        let nothing = r#"{"verdict": "TRUE", "nothing_to_check": true}"#;
        assert_eq!(end_of(0, None, nothing, ""), End::Nothing(Verdict::Safe));
        assert!(matches!(end_of(0, None, "", ""), End::Crash(_)));
        assert_eq!(end_of(9, Some(Killed::Time), holds, ""), End::Unknown("timeout".to_owned()));
        let unknown = r#"{"verdict": "UNKNOWN", "reason": "too many states"}"#;
        assert_eq!(end_of(3 << 8, None, unknown, ""), End::Unknown("too many states".to_owned()));
    }

    #[test]
    fn errors_crashes_and_kills_are_told_apart() {
        assert_eq!(end_of(2 << 8, None, "", "error: no\n"), End::Error("no".to_owned()));
        assert_eq!(end_of(9, None, "", ""), End::Unknown("killed".to_owned()));
        let panic = End::Crash("exit status: 101 thread 'main' panicked".to_owned());
        assert_eq!(end_of(101 << 8, None, "", "\nthread 'main' panicked\n"), panic);
        assert!(matches!(end_of(6, None, "", "stack overflow"), End::Crash(_)));
        let replay = "error: internal error: the trace found by the engine does not replay";
        assert!(matches!(end_of(1 << 8, None, "", replay), End::Crash(text) if text.contains("does not replay")));
    }
}
