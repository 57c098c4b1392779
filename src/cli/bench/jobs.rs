//! The runs of an experiment as commands, for the schedulers there are.

use super::super::Status;
use super::super::encode::write_to;
use super::engines::sentence;
use super::experiment::{Experiment, Job};
use std::io::Write;
use std::path::Path;

/// Writes a command for each task and engine.
pub(super) fn write(experiment: &Experiment, file: &str, out: &mut dyn Write) -> anyhow::Result<Status> {
    let repetitions = |first: &Job| {
        let same = |job: &&Job| (job.task, job.contender) == (first.task, first.contender);
        experiment.jobs.iter().filter(same).count()
    };
    let cells = experiment.jobs.iter().filter(|job| job.repetition == 0);
    let command = |(number, job): (usize, &Job)| {
        let (task, contender) = (&experiment.tasks[job.task], &experiment.contenders[job.contender]);
        let engine = format!("{} {}", contender.engine, sentence(&contender.options));
        let words = ["epitome", "bench", &task.name, "--engines", &engine, "--repeat", &repetitions(job).to_string()]
            .map(shell_word);
        format!("{} --csv run-{:06}.csv -q\n", words.join(" "), number + 1)
    };
    let text: String = cells.enumerate().map(command).collect();
    write_to(Some(Path::new(file)), text.as_bytes(), out)
}

/// A word as a shell takes it.
pub(super) fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-+:./,=".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}
