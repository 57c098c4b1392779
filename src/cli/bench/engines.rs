//! The engines of an experiment, each with its options, read by the same parser as `check`'s own.

use super::super::{Arguments as CommandLine, BadInput, Command, check};
use crate::logic::Query;
use clap::Parser;
use std::time::Duration;

/// All engines, and those of them that answer questions of branching time.
pub(super) const ALL: [&str; 4] = ["expand", "bdd", "sat", "qbf"];
const BRANCHING: [&str; 2] = ["expand", "bdd"];

/// What the runs of a table's column have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Contender {
    /// As the user wrote it, with the options of its list of tasks.
    pub(super) title: String,
    /// Its name alone.
    pub(super) engine: String,
    /// All options of `check` that change what is measured, limits included.
    pub(super) options: Vec<String>,
    /// What is asked.
    pub(super) query: Query,
    /// The limits that are among the options.
    pub(super) timeout: Duration,
    pub(super) memory: u64,
    /// The user named no engines: it is only asked what it can answer.
    is_default: bool,
}

impl Contender {
    /// `text` is a name and options. The shared options are for all, limits for those that have none of
    /// their own: so the options of a contender, written after its name, give the same contender.
    fn new(text: &str, shared: &Shared) -> anyhow::Result<Contender> {
        let mut words = words(text).into_iter();
        let Some(engine) = words.next().filter(|word| !word.starts_with('-')) else {
            let advice = "an engine has a name, then its options, such as \"expand,expand --expand shortest\"";
            return Err(BadInput(format!("--engines: {advice}; `{}` has none", text.trim())).into());
        };
        let mut options: Vec<String> = words.chain(shared.options.iter().cloned()).collect();
        for (name, value) in &shared.limits {
            if !options.iter().any(|option| option.split('=').next() == Some(name)) {
                options.extend([(*name).to_owned(), value.clone()]);
            }
        }
        let title = [text.trim(), &shared.own].join(" ").trim_end().to_owned();
        let check = ask_check(&format!("engine `{title}`"), &arguments("program.bp", &engine, &options))?;
        let (query, stop) = (check.question.any_query(false)?, &check.options.stop);
        let (timeout, memory) = (stop.timeout.unwrap_or(Duration::MAX), stop.memory.unwrap_or(u64::MAX));
        Ok(Contender { title, engine, options, query, timeout, memory, is_default: false })
    }

    /// The arguments of a run on a file whose question has these options.
    pub(super) fn arguments(&self, file: &str, question: &[String]) -> Vec<String> {
        arguments(file, &self.engine, &[&self.options, question].concat())
    }

    /// It is asked about a task, which may be a question of branching time.
    pub(super) fn is_asked(&self, branching: bool) -> bool {
        !self.is_default || !branching || BRANCHING.contains(&self.engine.as_str())
    }
}

/// What all contenders are given: options of `check`, and limits by their names.
#[derive(Default)]
pub(super) struct Shared {
    pub(super) options: Vec<String>,
    pub(super) limits: Vec<(&'static str, String)>,
    /// Those of the options by which a list of tasks of a suite differs from others.
    pub(super) own: String,
}

/// The trace is found and replayed, as always, but not written.
fn arguments(file: &str, engine: &str, options: &[String]) -> Vec<String> {
    let start = ["check", file, "--engine", engine].map(str::to_owned);
    let end = ["--json", "--trace", "none", "-q", "--color", "never"].map(str::to_owned);
    [&start, options, &end].concat()
}

/// The question that options of `check` ask.
pub(super) fn question(options: &[String]) -> anyhow::Result<Query> {
    ask_check("question", &arguments("program.bp", "auto", options))?.question.any_query(false)
}

/// What `check` would read from these arguments, or its complaint.
fn ask_check(title: &str, arguments: &[String]) -> anyhow::Result<check::Arguments> {
    let complaint = |text: String| BadInput(format!("{title}: {text}"));
    match CommandLine::try_parse_from([&["epitome".to_owned()], arguments].concat()) {
        Ok(CommandLine { command: Command::Check(check), .. }) => {
            check.engine()?;
            Ok(check)
        }
        Ok(_) => Err(complaint("these are not options of check".to_owned()).into()),
        Err(error) => Err(complaint(summary(&error)).into()),
    }
}

/// All that the user named, or all that this version has.
pub(super) fn contenders(lists: &[String], shared: &Shared) -> anyhow::Result<Vec<Contender>> {
    if lists.is_empty() {
        let all = ALL.iter().map(|engine| Contender::new(engine, shared));
        return all.map(|contender| Ok(Contender { is_default: true, ..contender? })).collect();
    }
    let texts = lists.iter().flat_map(|list| cut(list, |c| c == ','));
    texts.map(|text| Contender::new(&text, shared)).collect()
}

/// A message of the parser on one line, without its word `error` and its usage.
fn summary(error: &clap::Error) -> String {
    let text = error.to_string();
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let told: Vec<&str> = lines.take_while(|line| !line.starts_with("Usage:")).collect();
    let told: Vec<&str> = told.into_iter().filter(|line| !line.starts_with("For more information")).collect();
    told.join("; ").trim_start_matches("error: ").to_owned()
}

/// The words of a text. Quotes of both kinds hold words together and vanish.
pub(super) fn words(text: &str) -> Vec<String> {
    let unquoted = |word: String| word.chars().filter(|c| !is_quote(*c)).collect();
    cut(text, char::is_whitespace).into_iter().filter(|word| !word.is_empty()).map(unquoted).collect()
}

/// The inverse of [`words`], for words without quotes.
pub(super) fn sentence(words: &[String]) -> String {
    let quoted = |word: &String| {
        let plain = !word.is_empty() && !word.contains(|c: char| c.is_whitespace() || c == ',');
        if plain { word.clone() } else { format!("'{word}'") }
    };
    words.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

fn is_quote(c: char) -> bool {
    matches!(c, '\'' | '"')
}

/// The parts of a text between separators that are not inside quotes.
fn cut(text: &str, separates: impl Fn(char) -> bool) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut inside = None;
    for c in text.chars() {
        match inside {
            Some(quote) if quote == c => inside = None,
            None if is_quote(c) => inside = Some(c),
            None if separates(c) => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(part) = parts.last_mut() {
            part.push(c);
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(list: &str) -> anyhow::Result<Vec<Contender>> {
        let limits = vec![("--timeout", "5s".to_owned()), ("--memory", "1G".to_owned())];
        contenders(&[list.to_owned()], &Shared { options: Vec::new(), limits, own: String::new() })
    }

    #[test]
    fn engines_carry_options() {
        let found = named("expand, expand --expand shortest ,explicit --property 'G ! label(L, M)'").unwrap();
        let titles: Vec<&str> = found.iter().map(|contender| contender.title.as_str()).collect();
        assert_eq!(titles, ["expand", "expand --expand shortest", "explicit --property 'G ! label(L, M)'"]);
        assert_eq!(sentence(&found[1].options), "--expand shortest --timeout 5s --memory 1G");
        assert_eq!(found[2].options[1], "G ! label(L, M)");
        assert_eq!(words(&sentence(&found[2].options)), found[2].options);
    }

    #[test]
    fn an_engine_may_have_limits_of_its_own() {
        let found = named("expand --timeout 3s,expand --memory=2G").unwrap();
        assert_eq!(sentence(&found[0].options), "--timeout 3s --memory 1G");
        assert_eq!(sentence(&found[1].options), "--memory=2G --timeout 5s");
        assert_eq!((found[0].timeout.as_secs(), found[0].memory), (3, 1 << 30));
        assert_eq!((found[1].timeout.as_secs(), found[1].memory), (5, 2 << 30));
    }

    #[test]
    fn complaints_are_those_of_check() {
        for (list, words) in [
            ("magic", "possible values"),
            ("expand,,expand", "has a name"),
            ("--expand shortest", "has a name"),
            ("expand --expnd shortest", "'--expand'"),
            ("expand --json", "cannot be used multiple times"),
            ("expand other.bp", "unexpected argument"),
            ("expand --help", "Check a property"),
        ] {
            let complaint = named(list).unwrap_err().to_string();
            assert!(complaint.contains(words), "{list}: {complaint}");
        }
    }
}
