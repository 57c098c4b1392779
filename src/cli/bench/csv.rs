//! The CSV of an experiment: its runs as records, and what is known from an experiment that was cut off.

use super::engines::{Contender, sentence};
use super::results::expected;
use super::run::{Run, Sizes};
use super::tasks::Task;
use epitome_benchmarks::{COLUMNS, Record, RecordSizes};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::io::{self, Write};

/// This tool, its version, and the commit it was built from.
const TOOL: [&str; 3] = ["epitome", env!("CARGO_PKG_VERSION"), super::COMMIT];

/// The names of the columns.
pub(super) fn header(out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", COLUMNS.join(","))
}

/// A run as others see it.
pub(super) fn record(task: &Task, contender: &Contender, run: &Run) -> Record {
    Record {
        tool: TOOL.map(str::to_owned),
        engine: contender.engine.clone(),
        options: sentence(&contender.options),
        task: task.name.clone(),
        property: task.property(contender),
        expected: expected(task, contender),
        verdict: run.verdict(),
        status: run.status().to_owned(),
        cpu: run.cpu,
        wall: run.wall,
        memory: run.memory,
        sizes: RecordSizes {
            iterations: run.sizes.iterations,
            nodes: run.sizes.nodes,
            conflicts: run.sizes.conflicts,
            variables: run.sizes.variables,
            clauses: run.sizes.clauses,
        },
    }
}

/// A run from its record; what columns do not have is missing.
fn run(record: Record) -> Run {
    let RecordSizes { iterations, nodes, conflicts, variables, clauses } = record.sizes;
    Run {
        end: Run::end_of(&record.status, record.verdict),
        cpu: record.cpu,
        wall: record.wall,
        memory: record.memory,
        sizes: Sizes { iterations, nodes, conflicts, variables, clauses, ..Sizes::default() },
    }
}

/// Runs of an earlier experiment, by what names a run.
#[derive(Default)]
pub(super) struct Known {
    /// By tool, engine, options, task and property; repetitions in their order.
    runs: FxHashMap<[String; 5], VecDeque<Run>>,
}

impl Known {
    pub(super) fn new(records: Vec<Record>) -> Known {
        let mut known = Known::default();
        for record in records {
            let Record { tool, engine, options, task, property, .. } = &record;
            let key = [&tool.join(" "), engine, options, task, property].map(String::clone);
            known.runs.entry(key).or_default().push_back(run(record));
        }
        known
    }

    /// Nothing was measured.
    pub(super) fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// A run that was not taken, if there is one.
    pub(super) fn other(&self) -> Option<String> {
        let left = self.runs.iter().filter(|(_, runs)| !runs.is_empty());
        left.map(|([tool, engine, options, task, _], _)| format!("{task} by {} {engine} {options}", tool.trim())).min()
    }

    /// The next run of an engine on a task.
    pub(super) fn take(&mut self, task: &Task, contender: &Contender) -> Option<Run> {
        let options = sentence(&contender.options);
        let key = [TOOL.join(" "), contender.engine.clone(), options, task.name.clone(), task.property(contender)];
        self.runs.get_mut(&key)?.pop_front()
    }
}
