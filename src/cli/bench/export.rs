//! An experiment as a folder: its programs as files, a list of its questions, and a definition of it for BenchExec.
//!
//! ```text
//! tasks.csv             task,file,language,property,expected,options: what other tools are asked
//! programs/             tn-10-safe.bp …
//! tasks/                tn-10-safe.yml …: task definitions, format 2.0
//! properties/           what BenchExec calls the question
//! epitome.xml, sets/    a run definition for each engine, with its tasks by property
//! ```

use super::super::{BadInput, Status, files};
use super::engines::Contender;
use super::experiment::Experiment;
use super::jobs::shell_word;
use super::results::expected;
use super::tasks::Task;
use crate::logic::Query;
use epitome_benchmarks::Verdict;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

/// The definition of the experiment for BenchExec.
const DEFINITION: &str = "epitome.xml";

/// What BenchExec calls a question: it judges verdicts by files of properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Kind {
    name: &'static str,
    text: &'static str,
}

/// The question that all tools know, and those that stand in the options of their tasks.
const KINDS: [Kind; 2] = [
    Kind { name: "unreach-call", text: "CHECK( init(main()), LTL(G ! call(reach_error())) )\n" },
    Kind { name: "question", text: "CHECK( init(main()), LTL(question) )\n" },
];

/// Tasks of an engine that have the same property.
struct Set {
    place: usize,
    name: String,
    kind: Kind,
}

/// A task as it is exported.
struct Exported<'e> {
    /// Among all tasks.
    number: usize,
    task: &'e Task,
    /// The file's name, without its ending.
    stem: String,
    property: String,
    expected: Option<Verdict>,
    /// Options of `check` that ask the question.
    options: Vec<String>,
}

impl Exported<'_> {
    fn file(&self) -> String {
        format!("{}.{}", self.stem, self.task.language())
    }

    /// The line of the list of tasks.
    fn line(&self) -> String {
        let options: Vec<String> = self.options.iter().map(|word| shell_word(word)).collect();
        let expected = self.expected.map_or("", Verdict::expected);
        let fields = [
            &self.task.name,
            &format!("programs/{}", self.file()),
            &self.task.language(),
            &self.property,
            expected,
            &options.join(" "),
        ];
        let quoted = |field: &&str| match field.contains([',', '"', '\n']) {
            true => format!("\"{}\"", field.replace('"', "\"\"")),
            false => (*field).to_owned(),
        };
        fields.map(|field| quoted(&&*field.to_string())).join(",")
    }

    fn kind(&self) -> Kind {
        KINDS[usize::from(self.property != Query::Failures.to_string())]
    }

    /// The task definition.
    fn definition(&self) -> String {
        let quoted = |text: &str| format!("'{}'", text.replace('\'', "''"));
        let property = self.kind().name;
        let expected = self
            .expected
            .map_or(String::new(), |verdict| format!("    expected_verdict: {}\n", verdict == Verdict::Safe));
        let question: Vec<String> = self.options.iter().map(|word| quoted(word)).collect();
        format!(
            "format_version: '2.0'\ninput_files: {}\nproperties:\n  - property_file: ../properties/{property}.prp\n{expected}options:\n  language: {}\n  question: [{}]\n",
            quoted(&format!("../programs/{}", self.file())),
            self.task.language().to_uppercase(),
            question.join(", "),
        )
    }
}

/// Nothing is in a folder but an experiment that was written before.
pub(super) fn is_free(folder: &Path) -> bool {
    let is_empty = std::fs::read_dir(folder).map_or(true, |mut entries| entries.next().is_none());
    is_empty || folder.join(DEFINITION).is_file()
}

/// Writes everything below a folder.
pub(super) fn write(experiment: &Experiment, title: &str, folder: &Path) -> anyhow::Result<Status> {
    let exported = exported(experiment);
    let save = |name: String, bytes: &[u8]| {
        let path = folder.join(name);
        let cannot = |error| BadInput(format!("cannot write {}: {error}", path.display()));
        std::fs::create_dir_all(path.parent().unwrap_or(folder)).map_err(cannot)?;
        files::write(&path, bytes).map_err(cannot)
    };
    for kind in KINDS {
        save(format!("properties/{}.prp", kind.name), kind.text.as_bytes())?;
    }
    let mut list = "task,file,language,property,expected,options\n".to_owned();
    for task in &exported {
        save(format!("programs/{}", task.file()), &task.task.bytes()?)?;
        save(format!("tasks/{}.yml", task.stem), task.definition().as_bytes())?;
        list.push_str(&task.line());
        list.push('\n');
    }
    save("tasks.csv".to_owned(), list.as_bytes())?;
    let mut sets = Vec::new();
    for place in 0..experiment.contenders.len() {
        let runs = |number: usize| experiment.jobs.iter().any(|job| (job.task, job.contender) == (number, place));
        let own: Vec<&Exported<'_>> = exported.iter().filter(|task| runs(task.number)).collect();
        for kind in KINDS {
            let tasks =
                own.iter().filter(|task| task.kind() == kind).map(|task| format!("../tasks/{}.yml\n", task.stem));
            let text: String = tasks.collect();
            if !text.is_empty() {
                let name = format!("sets/{}-{}.set", place + 1, kind.name);
                save(name.clone(), text.as_bytes())?;
                sets.push(Set { place, name, kind });
            }
        }
    }
    save(DEFINITION.to_owned(), definition(&experiment.contenders, &sets, title).as_bytes())?;
    Ok(Status::True)
}

/// All tasks that are asked about, each with the question of the first contender that is.
fn exported(experiment: &Experiment) -> Vec<Exported<'_>> {
    let mut taken = BTreeSet::new();
    let mut exported = Vec::new();
    for (number, task) in experiment.tasks.iter().enumerate() {
        let Some(job) = experiment.jobs.iter().find(|job| job.task == number) else { continue };
        let contender = &experiment.contenders[job.contender];
        let mut options = match (&task.question, &contender.query) {
            (None, Query::Label(label)) => vec!["--label".to_owned(), label.clone()],
            _ => task.options().to_vec(),
        };
        options.extend(reductions(contender));
        let plain = stem(&task.name);
        let numbered = (2..).map(|number| format!("{plain}-{number}"));
        let free = std::iter::once(plain.clone()).chain(numbered).find(|name| taken.insert(name.clone()));
        let (property, expected) = (task.property(contender), expected(task, contender));
        exported.push(Exported { number, task, stem: free.unwrap_or(plain), property, expected, options });
    }
    exported
}

/// The options about reductions: others are asked about the same machine.
fn reductions(contender: &Contender) -> Vec<String> {
    let pairs = contender.options.windows(2).filter(|pair| ["--reduce", "--no-reduce"].contains(&pair[0].as_str()));
    pairs.flatten().cloned().collect()
}

/// The name of a task as the name of a file, without an ending.
fn stem(name: &str) -> String {
    let last = name.rsplit(std::path::is_separator).next().unwrap_or(name);
    let last = if name.contains(':') { last } else { last.rsplit_once('.').map_or(last, |(stem, _)| stem) };
    last.chars().map(|c| if c.is_ascii_alphanumeric() || "_.".contains(c) { c } else { '-' }).collect()
}

/// The definition of the experiment. Limits are those of the engine that has most.
fn definition(contenders: &[Contender], sets: &[Set], title: &str) -> String {
    let seconds = contenders.iter().map(|contender| contender.timeout.as_secs_f64().ceil() as u64).max().unwrap_or(60);
    let megabytes = contenders.iter().map(|contender| contender.memory / 1_000_000).max().unwrap_or(4000);
    let mut out = format!(
        "<?xml version=\"1.0\"?>\n<!DOCTYPE benchmark PUBLIC \"+//IDN sosy-lab.org//DTD BenchExec benchmark 2.3//EN\" \
         \"https://www.sosy-lab.org/benchexec/benchmark-2.3.dtd\">\n\
         <benchmark tool=\"bxtools.epitome\" displayName=\"{}\" timelimit=\"{} s\" hardtimelimit=\"{} s\" memlimit=\"{megabytes} MB\" cpuCores=\"1\">\n",
        xml(title),
        seconds + 2,
        seconds + seconds / 10 + 4,
    );
    for (place, contender) in contenders.iter().enumerate() {
        let _ = writeln!(out, "  <rundefinition name=\"{}-{}\">", place + 1, stem(&contender.title.replace(' ', "-")));
        let _ = writeln!(out, "    <option name=\"--engine\">{}</option>", xml(&contender.engine));
        for word in &contender.options {
            let _ = writeln!(out, "    <option name=\"{}\"/>", xml(word));
        }
        for Set { name, kind, .. } in sets.iter().filter(|set| set.place == place) {
            let property = format!("properties/{}.prp", kind.name);
            let _ = writeln!(
                out,
                "    <tasks name=\"{}\"><includesfile>{name}</includesfile><propertyfile>{property}</propertyfile></tasks>",
                kind.name
            );
        }
        out.push_str("  </rundefinition>\n");
    }
    out + "</benchmark>\n"
}

fn xml(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::{stem, xml};

    #[test]
    fn names_of_tasks_are_names_of_files() {
        assert_eq!(stem("tn:10+safe"), "tn-10-safe");
        assert_eq!(stem("../a folder/my file.v2.bp"), "my-file.v2");
        assert_eq!(xml("a<b & \"c\""), "a&lt;b &amp; &quot;c&quot;");
    }
}
