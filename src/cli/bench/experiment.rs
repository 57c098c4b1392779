//! An experiment: its runs in a fixed order, made by workers side by side, and written down as they end.
//!
//! A run is named by its task, its engine with options, and which repetition it is. What is in the CSV of an earlier experiment that was cut off is not
//! made again; so nothing that was measured is lost, and the file ends up the same as if it had not been cut off.

use super::super::BadInput;
use super::super::progress::Progress;
use super::child::Bounds;
use super::csv::{self, Known};
use super::engines::Contender;
use super::results::{Results, expected};
use super::run::Run;
use super::tasks::{OnDisk, Task};
use std::io::Write;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};

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
    interrupt: &'q Arc<AtomicBool>,
    progress: &'q Progress,
}

/// What is to be done.
pub(super) struct Experiment {
    pub(super) tasks: Vec<Task>,
    pub(super) contenders: Vec<Contender>,
    pub(super) jobs: Vec<Job>,
}

impl Experiment {
    pub(super) fn new(tasks: Vec<Task>, contenders: Vec<Contender>, repeat: u32, shard: Shard) -> Experiment {
        let cells = tasks.len() * contenders.len();
        let runs = |cell: usize| {
            let (task, contender) = (cell / contenders.len(), cell % contenders.len());
            (0..repeat).map(move |repetition| Job { task, contender, repetition })
        };
        let jobs = (0..cells).filter(|cell| shard.has(*cell)).flat_map(runs).collect();
        Experiment { tasks, contenders, jobs }
    }

    /// Makes all runs that are not known, `workers` at a time, until the user has had enough. Each is written down when it ends.
    pub(super) fn run(
        self,
        workers: NonZeroUsize,
        mut known: Known,
        interrupt: &Arc<AtomicBool>,
        progress: &Progress,
        csv: &mut dyn Write,
    ) -> anyhow::Result<Results> {
        let mut runs: Vec<Option<Run>> = self.jobs.iter().map(|job| self.known(*job, &mut known)).collect();
        if let Some(other) = known.other() {
            return Err(BadInput(format!(
                "the CSV has runs of another experiment, such as {other}: name another file"
            ))
            .into());
        }
        let missing: Vec<usize> = (0..runs.len()).filter(|&job| runs[job].is_none()).collect();
        let (next, mut done) = (AtomicUsize::new(0), runs.len() - missing.len());
        progress.part(done, runs.len(), String::new());
        let begun: Vec<AtomicBool> = self.tasks.iter().map(|_| AtomicBool::new(false)).collect();
        let (queue, this) = (Queue { missing: &missing, next: &next, begun: &begun, interrupt, progress }, &self);
        std::thread::scope(|scope| {
            let (sender, made) = mpsc::channel();
            let workers = (0..workers.get().min(missing.len())).map(|_| {
                let sender = sender.clone();
                scope.spawn(move || this.work(queue, &sender))
            });
            let workers: Vec<_> = workers.collect();
            drop(sender);
            for (number, run) in made {
                let job = self.jobs[number];
                let (task, contender) = (&self.tasks[job.task], &self.contenders[job.contender]);
                // If nobody would know of further runs, none is begun: workers find that nobody listens.
                csv::line(csv, task, contender, expected(task, contender), &run)?;
                csv.flush()?;
                runs[number] = Some(run);
                done += 1;
                progress.done(done);
            }
            let ends = workers
                .into_iter()
                .map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            ends.collect::<anyhow::Result<()>>()
        })?;
        let begun: Vec<bool> = begun.into_iter().map(AtomicBool::into_inner).collect();
        Ok(Results::new(self, runs, &begun))
    }

    /// Makes runs until there are none left, or the user has had enough.
    fn work(&self, queue: Queue<'_>, made: &mpsc::Sender<(usize, Run)>) -> anyhow::Result<()> {
        let mut file: Option<(usize, OnDisk)> = None;
        while let Some(&number) = queue.missing.get(queue.next.fetch_add(1, Ordering::Relaxed)) {
            let job = self.jobs[number];
            let (task, contender) = (&self.tasks[job.task], &self.contenders[job.contender]);
            queue.begun[job.task].store(true, Ordering::Relaxed);
            queue.progress.message(format!("{} by {}", task.name, contender.title));
            // Programs of families are written for the runs that come next only: they may be large.
            let on_disk = match file.take().filter(|(own, _)| *own == job.task) {
                Some((_, on_disk)) => on_disk,
                None => task.on_disk()?,
            };
            let bounds = Bounds::above(contender.timeout, contender.memory, queue.interrupt.clone());
            let run = Run::measure(&contender.arguments(&on_disk.name()), &bounds)?;
            file = Some((job.task, on_disk));
            // Nobody listens any more, or nobody wants more.
            if run.is_none_or(|run| made.send((number, run)).is_err()) {
                break;
            }
        }
        queue.next.store(queue.missing.len(), Ordering::Relaxed);
        Ok(())
    }

    fn known(&self, job: Job, known: &mut Known) -> Option<Run> {
        known.take(&self.tasks[job.task], &self.contenders[job.contender])
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
