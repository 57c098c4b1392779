//! What an experiment has found: its runs, which of them contradict each other, and scores.

use super::csv::record;
use super::engines::Contender;
use super::experiment::Experiment;
use super::run::{End, Run};
use super::tasks::Task;
use crate::logic::Query;
use epitome_benchmarks::{Record, Verdict};
use rustc_hash::FxHashMap;

/// The runs of one engine on one task, one for each repetition; none if the user interrupted before.
pub(super) type Cell = Vec<Run>;

/// An experiment, complete or so far.
pub(super) struct Results {
    pub(super) contenders: Vec<Contender>,
    /// Tasks that were begun, each with a cell for each contender.
    pub(super) rows: Vec<(Task, Vec<Cell>)>,
    /// How many runs were to be made; fewer have been if the user interrupted, or verdicts contradicted each other.
    pub(super) planned: usize,
    /// Runs of other experiments that are shown beside these.
    pub(super) others: Vec<Record>,
}

/// How one engine did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Score {
    pub(super) holds: usize,
    pub(super) violated: usize,
    pub(super) unknown: usize,
    pub(super) failed: usize,
    pub(super) wrong: usize,
    /// There was nothing to check.
    pub(super) nothing: usize,
    /// The mean of the times; what was not solved, or wrongly, counts as twice the limit, and what has
    /// nothing to check not at all.
    pub(super) par2: f64,
}

/// The run that stands for a cell: the one with the median time.
pub(super) fn median(cell: &[Run]) -> Option<&Run> {
    let mut runs: Vec<&Run> = cell.iter().collect();
    runs.sort_by_key(|run| run.time());
    runs.get(runs.len().saturating_sub(1) / 2).copied()
}

/// What a contender must answer. The comment of a program is about its assertions and `ERROR` labels,
/// not about other properties.
pub(super) fn expected(task: &Task, contender: &Contender) -> Option<Verdict> {
    task.expected.filter(|_| task.question.is_some() || matches!(contender.query, Query::Failures))
}

/// Every contradiction, in words: engines with each other (or with themselves), and with what was expected. UNKNOWN contradicts nothing,
/// and only answers to the same question contradict each other.
pub(super) fn contradictions<'r>(records: impl IntoIterator<Item = &'r Record>) -> Vec<String> {
    let mut asked: Vec<Vec<&Record>> = Vec::new();
    let mut places: FxHashMap<(&str, &str), usize> = FxHashMap::default();
    for record in records {
        let place = *places.entry((&record.task, &record.property)).or_insert_with(|| {
            asked.push(Vec::new());
            asked.len() - 1
        });
        asked[place].push(record);
    }
    asked.iter().flat_map(|records| contradictions_of(records)).collect()
}

/// The contradictions among the answers to one question.
fn contradictions_of(records: &[&Record]) -> Vec<String> {
    let mut answers: Vec<(String, Verdict)> = Vec::new();
    for record in records {
        let answer = record.verdict.map(|verdict| (record.who(), verdict));
        answers.extend(answer.filter(|answer| !answers.contains(answer)));
    }
    let (mut found, task) = (Vec::new(), &records[0].task);
    let said = |answers: &[(String, Verdict)]| {
        let all = answers.iter().map(|(who, what)| format!("{who} says {}", what.expected()));
        all.collect::<Vec<_>>().join(", ")
    };
    if answers.iter().any(|(_, verdict)| *verdict != answers[0].1) {
        found.push(format!("{task}: the engines disagree: {}", said(&answers)));
    }
    if let Some(expected) = records.iter().find_map(|record| record.expected) {
        answers.retain(|(_, verdict)| *verdict != expected);
        if !answers.is_empty() {
            found.push(format!("{task}: expected {}, but {}", expected.expected(), said(&answers)));
        }
    }
    found
}

impl Results {
    /// The runs of an experiment, by job, as rows of tasks that were begun, now or before.
    pub(super) fn new(experiment: Experiment, runs: Vec<Option<Run>>, begun: &[bool], others: Vec<Record>) -> Results {
        let Experiment { tasks, contenders, jobs } = experiment;
        let mut cells: Vec<Vec<Cell>> = vec![vec![Cell::new(); contenders.len()]; tasks.len()];
        let planned = runs.len();
        for (job, run) in jobs.into_iter().zip(runs) {
            cells[job.task][job.contender].extend(run);
        }
        let is_begun = |(cells, begun): (&Vec<Cell>, &bool)| *begun || cells.iter().any(|cell| !cell.is_empty());
        let begun: Vec<bool> = cells.iter().zip(begun).map(is_begun).collect();
        let rows = tasks.into_iter().zip(cells).zip(begun).filter(|(_, begun)| *begun).map(|(row, _)| row).collect();
        Results { contenders, rows, planned, others }
    }

    /// How many runs were made.
    pub(super) fn made(&self) -> usize {
        self.rows.iter().flat_map(|(_, cells)| cells).map(Vec::len).sum()
    }

    /// Whether a run's verdict is not the expected one.
    pub(super) fn is_wrong(&self, task: &Task, contender: &Contender, run: &Run) -> bool {
        matches!((expected(task, contender), run.verdict()), (Some(expected), Some(found)) if expected != found)
    }

    /// All runs, in the order of the experiment.
    pub(super) fn records(&self) -> Vec<Record> {
        let mut records = Vec::new();
        for (task, cells) in &self.rows {
            for (contender, cell) in self.contenders.iter().zip(cells) {
                records.extend(cell.iter().map(|run| record(task, contender, run)));
            }
        }
        records
    }

    /// Every contradiction, in words.
    pub(super) fn contradictions(&self) -> Vec<String> {
        contradictions(self.records().iter().chain(&self.others))
    }

    /// Runs that gave no answer because of an error in the task (`crashes` false) or in the tool (true).
    pub(super) fn failures(&self, crashes: bool) -> Vec<String> {
        let mut found = Vec::new();
        for (task, cells) in &self.rows {
            for (contender, cell) in self.contenders.iter().zip(cells) {
                let message = cell.iter().find_map(|run| match &run.end {
                    End::Error(message) if !crashes => Some(message.clone()),
                    End::Crash(message) if crashes => Some(format!("crash: {message}")),
                    _ => None,
                });
                found.extend(message.map(|message| format!("{} ({}): {message}", task.name, contender.title)));
            }
        }
        found
    }

    /// How the contender at this place did.
    pub(super) fn score(&self, at: usize) -> Score {
        let mut score = Score::default();
        let mut times = Vec::new();
        for (task, cells) in &self.rows {
            let Some(run) = median(&cells[at]) else { continue };
            let wrong = self.is_wrong(task, &self.contenders[at], run);
            match &run.end {
                End::Done(_) | End::Nothing(_) if wrong => score.wrong += 1,
                End::Nothing(_) => {
                    score.nothing += 1;
                    continue;
                }
                End::Done(Verdict::Safe) => score.holds += 1,
                End::Done(Verdict::Unsafe) => score.violated += 1,
                End::Unknown(_) => score.unknown += 1,
                End::Error(_) | End::Crash(_) => score.failed += 1,
            }
            let solved = run.verdict().is_some() && !wrong;
            times.push(if solved { run.time().as_secs_f64() } else { 2.0 * self.contenders[at].timeout.as_secs_f64() });
        }
        score.par2 = times.iter().sum::<f64>() / times.len().max(1) as f64;
        score
    }
}

#[cfg(test)]
mod tests {
    use super::super::engines::{Shared, contenders};
    use super::super::run::Sizes;
    use super::super::tasks::tasks;
    use super::*;
    use std::time::Duration;

    fn run(end: End, seconds: u64) -> Run {
        let wall = Duration::from_secs(seconds);
        Run { end, cpu: None, wall, memory: None, sizes: Sizes::default() }
    }

    fn done(verdict: Verdict) -> Cell {
        vec![run(End::Done(verdict), 1)]
    }

    /// One task, one cell for each engine.
    fn results(task: &str, engines: &str, cells: Vec<Cell>) -> Results {
        let task = tasks(&[task.to_owned()]).unwrap().remove(0);
        let shared = Shared { options: Vec::new(), limits: vec![("--timeout", "60s".to_owned())], own: String::new() };
        let contenders = contenders(&[engines.to_owned()], &shared).unwrap();
        let planned = cells.len();
        Results { contenders, rows: vec![(task, cells)], planned, others: Vec::new() }
    }

    #[test]
    fn engines_that_disagree_are_named() {
        let found = results("tn:1+safe", "auto,expand", vec![done(Verdict::Safe), done(Verdict::Unsafe)]);
        let both = "tn:1+safe: the engines disagree: auto says TRUE, expand says FALSE";
        let one = "tn:1+safe: expected TRUE, but expand says FALSE";
        assert_eq!(found.contradictions(), [both, one]);
        let other = "auto,expand --label x";
        let found = results("tn:1+safe", other, vec![done(Verdict::Safe), done(Verdict::Unsafe)]);
        assert_eq!(found.contradictions(), [""; 0], "another question");
    }

    #[test]
    fn an_engine_can_disagree_with_itself_but_not_with_silence() {
        let silence = vec![run(End::Unknown("timeout".to_owned()), 60)];
        let found = results("tn:1+safe", "auto,expand", vec![done(Verdict::Safe), silence]);
        assert_eq!(found.contradictions(), [""; 0]);
        let twice = [done(Verdict::Safe), done(Verdict::Unsafe)].concat();
        let found = results("tn:1+safe", "expand", vec![twice]).contradictions();
        assert!(found[0].ends_with("expand says TRUE, expand says FALSE"), "{found:?}");
    }

    #[test]
    fn scores_count_what_is_not_solved_twice() {
        let nothing = results("tn:1+safe", "auto", vec![vec![run(End::Nothing(Verdict::Safe), 9)]]).score(0);
        assert_eq!(nothing, Score { nothing: 1, ..Score::default() });
        let crash = vec![run(End::Crash("exit status: 101".to_owned()), 1)];
        let cells = vec![done(Verdict::Safe), crash, done(Verdict::Unsafe)];
        let found = results("tn:1+safe", "auto,expand,auto", cells);
        let scores: Vec<Score> = (0..3).map(|at| found.score(at)).collect();
        assert_eq!(scores[0], Score { holds: 1, par2: 1.0, ..Score::default() });
        assert_eq!(scores[1], Score { failed: 1, par2: 120.0, ..Score::default() });
        assert_eq!(scores[2], Score { wrong: 1, par2: 120.0, ..Score::default() });
        assert_eq!(found.failures(true), ["tn:1+safe (expand): crash: exit status: 101"]);
    }

    #[test]
    fn the_median_stands_for_its_cell() {
        let cell: Cell = [9, 1, 5, 7].map(|seconds| run(End::Done(Verdict::Safe), seconds)).to_vec();
        assert_eq!(median(&cell).map(|run| run.wall.as_secs()), Some(5));
        assert!(median(&[]).is_none());
    }
}
