//! An experiment: its runs in a fixed order, made by workers side by side, and written down as they end.
//!
//! A run is named by its task, its engine with options, and which repetition it is. What is in the CSV of an earlier experiment that was cut off is not
//! made again; so nothing that was measured is lost, and the file ends up the same as if it had not been cut off.

use super::super::progress::Progress;
use super::super::{BadInput, Stopped};
use super::child::Bounds;
use super::csv::{Known, record};
use super::engines::Contender;
use super::results::{Results, contradictions};
use super::run::Run;
use super::tasks::{OnDisk, Task};
use crate::limits::Reason;
use epitome_benchmarks::Record;
use rustc_hash::FxHashMap;
use std::io::Write;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};

/// A part of all runs: the cells of a table are dealt out like cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shard {
    number: usize,
    of: usize,
}

impl Shard {
    /// All runs.
    pub(super) const ALL: Shard = Shard { number: 1, of: 1 };

    /// `2/5`
    pub(super) fn parse(text: &str) -> Result<Shard, String> {
        let parts = text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        match parts {
            Some((number, of)) if (1..=of).contains(&number) => Ok(Shard { number, of }),
            _ => Err("a part is written i/n, such as 2/5: the second of five".to_owned()),
        }
    }

    fn has(self, cell: usize) -> bool {
        cell % self.of == self.number - 1
    }
}

/// A run that is to be made, by places in the lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Job {
    pub(super) task: usize,
    pub(super) contender: usize,
    pub(super) repetition: u32,
}

/// Where workers get runs from.
#[derive(Clone, Copy)]
struct Queue<'q> {
    /// By number among all jobs.
    missing: &'q [usize],
    next: &'q AtomicUsize,
    /// By task: a run of it was begun.
    begun: &'q [AtomicBool],
    manner: &'q Manner<'q>,
    said: &'q Mutex<Said>,
}

/// Tasks that are run alike.
pub(super) struct Group {
    pub(super) tasks: Vec<Task>,
    pub(super) contenders: Vec<Contender>,
    pub(super) repeat: u32,
}

/// What is to be done.
pub(super) struct Experiment {
    pub(super) tasks: Vec<Task>,
    pub(super) contenders: Vec<Contender>,
    pub(super) jobs: Vec<Job>,
}

/// How it is done.
pub(super) struct Manner<'m> {
    /// So many runs at a time.
    pub(super) workers: NonZeroUsize,
    /// A contradiction does not end it.
    pub(super) keeps_going: bool,
    pub(super) interrupt: &'m Arc<AtomicBool>,
    pub(super) progress: &'m Progress,
}

impl Experiment {
    /// All runs of the groups, or a part of them.
    pub(super) fn new(groups: Vec<Group>, shard: Shard) -> Experiment {
        let (mut tasks, mut contenders): (Vec<Task>, Vec<Contender>) = (Vec::new(), Vec::new());
        let (mut jobs, mut cell) = (Vec::new(), 0);
        for group in groups {
            let place = |contender: Contender| {
                contenders.iter().position(|other| *other == contender).unwrap_or_else(|| {
                    contenders.push(contender);
                    contenders.len() - 1
                })
            };
            let mut places: Vec<usize> = group.contenders.into_iter().map(place).collect();
            // In a row, cells stand in the order of the columns.
            places.sort_unstable();
            places.dedup();
            for task in group.tasks {
                for &contender in places.iter().filter(|&&place| contenders[place].is_asked(task.question.is_some())) {
                    if shard.has(cell) {
                        let task = tasks.len();
                        jobs.extend((0..group.repeat).map(|repetition| Job { task, contender, repetition }));
                    }
                    cell += 1;
                }
                tasks.push(task);
            }
        }
        Experiment { tasks, contenders, jobs }
    }

    /// Makes all runs that are not known, some at a time, until the user has had enough or two verdicts contradict each other. Each is
    /// written down when it ends. Verdicts of `others` count, too.
    pub(super) fn run(
        self,
        manner: &Manner<'_>,
        mut known: Known,
        others: Vec<Record>,
        csv: &mut dyn Write,
    ) -> anyhow::Result<Results> {
        let mut runs: Vec<Option<Run>> = self.jobs.iter().map(|job| self.known(*job, &mut known)).collect();
        if let Some(other) = known.other() {
            let advice = "name another file";
            return Err(BadInput(format!("the CSV has runs of another experiment, such as {other}: {advice}")).into());
        }
        let missing: Vec<usize> = (0..runs.len()).filter(|&job| runs[job].is_none()).collect();
        let (next, mut done) = (AtomicUsize::new(0), runs.len() - missing.len());
        manner.progress.part(done, runs.len(), String::new());
        let said =
            Said::new(&others, self.jobs.iter().zip(&runs).filter_map(|(job, run)| self.record(*job, run.as_ref()?)));
        if !manner.keeps_going && said.contradicts {
            next.store(missing.len(), Ordering::Relaxed);
        }
        let begun: Vec<AtomicBool> = self.tasks.iter().map(|_| AtomicBool::new(false)).collect();
        let said = Mutex::new(said);
        let queue = Queue { missing: &missing, next: &next, begun: &begun, manner, said: &said };
        let this = &self;
        std::thread::scope(|scope| {
            let (sender, made) = mpsc::channel();
            let mut workers = Vec::new();
            for _ in 0..manner.workers.get().min(missing.len()) {
                let sender = sender.clone();
                let worker = std::thread::Builder::new().spawn_scoped(scope, move || this.work(queue, &sender));
                match worker {
                    Ok(worker) => workers.push(worker),
                    Err(error) if workers.is_empty() => {
                        return Err(Stopped(Reason::cannot("start a thread", &error)).into());
                    }
                    // Those that are there make all runs.
                    Err(_) => break,
                }
            }
            drop(sender);
            for (number, run) in made {
                let Some(record) = self.record(self.jobs[number], &run) else { continue };
                // If nobody would know of further runs, none is begun: workers find that nobody listens.
                let written = writeln!(csv, "{}", record.line()).and_then(|()| csv.flush());
                written.map_err(|error| BadInput(format!("cannot write the CSV: {error}")))?;
                runs[number] = Some(run);
                done += 1;
                manner.progress.done(done);
            }
            let ends = workers
                .into_iter()
                .map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            ends.collect::<anyhow::Result<()>>()
        })?;
        let begun: Vec<bool> = begun.into_iter().map(AtomicBool::into_inner).collect();
        Ok(Results::new(self, runs, &begun, others))
    }

    /// Makes runs until there are none left, or the user has had enough.
    fn work(&self, queue: Queue<'_>, made: &mpsc::Sender<(usize, Run)>) -> anyhow::Result<()> {
        let mut file: Option<(usize, OnDisk)> = None;
        while let Some(&number) = queue.missing.get(queue.next.fetch_add(1, Ordering::Relaxed)) {
            let job = self.jobs[number];
            let (task, contender) = (&self.tasks[job.task], &self.contenders[job.contender]);
            queue.begun[job.task].store(true, Ordering::Relaxed);
            queue.manner.progress.message(format!("{} by {}", task.name, contender.title));
            // Programs of families are written for the runs that come next only: they may be large.
            let on_disk = match file.take().filter(|(own, _)| *own == job.task) {
                Some((_, on_disk)) => on_disk,
                None => task.on_disk()?,
            };
            let bounds = Bounds::above(contender.timeout, contender.memory, queue.manner.interrupt.clone());
            let run = Run::measure(&contender.arguments(&on_disk.name(), task.options()), &bounds)
                .map_err(|error| Stopped(Reason::cannot("make a run", &error)))?;
            file = Some((job.task, on_disk));
            // Nobody wants more.
            let Some(run) = run else { break };
            let mut said = queue.said.lock().unwrap_or_else(PoisonError::into_inner);
            said.add(record(task, contender, &run));
            // Nobody listens any more, or there is something to look at first.
            if made.send((number, run)).is_err() || (said.contradicts && !queue.manner.keeps_going) {
                break;
            }
        }
        queue.next.store(queue.missing.len(), Ordering::Relaxed);
        Ok(())
    }

    fn known(&self, job: Job, known: &mut Known) -> Option<Run> {
        known.take(&self.tasks[job.task], &self.contenders[job.contender])
    }

    fn record(&self, job: Job, run: &Run) -> Option<Record> {
        Some(record(self.tasks.get(job.task)?, self.contenders.get(job.contender)?, run))
    }
}

/// What was said so far, by task.
struct Said {
    records: FxHashMap<String, Vec<Record>>,
    /// Two answers contradict each other, or one the expected one.
    contradicts: bool,
}

impl Said {
    fn new(others: &[Record], known: impl Iterator<Item = Record>) -> Said {
        let mut said = Said { records: FxHashMap::default(), contradicts: false };
        others.iter().cloned().chain(known).for_each(|record| said.add(record));
        said
    }

    fn add(&mut self, record: Record) {
        let records = self.records.entry(record.task.clone()).or_default();
        records.push(record);
        self.contradicts |= !contradictions(&*records).is_empty();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_parts_of_all() {
        let all: Vec<Shard> = (1..=3).map(|number| Shard { number, of: 3 }).collect();
        for cell in 0..20 {
            assert_eq!(all.iter().filter(|shard| shard.has(cell)).count(), 1);
            assert!(Shard::ALL.has(cell));
        }
        assert_eq!(Shard::parse("2/5"), Ok(Shard { number: 2, of: 5 }));
        for text in ["", "0/3", "4/3", "1", "a/b", "1/0"] {
            assert!(Shard::parse(text).is_err(), "{text}");
        }
    }
}
