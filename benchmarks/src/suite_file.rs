//! Suites: experiments as small files (TOML), families by sizes by engines by solvers, or files.
//!
//! ```toml
//! title = "Two hierarchies"
//! timeout = "20s"
//! engines = ["expand", "bdd", "sat"]
//!
//! [[tasks]]
//! family = "tn"
//! sizes = "10..160x2"
//!
//! [[tasks]]
//! family = "multiplier"
//! sizes = [4, 6, 8]
//! version = "safe"
//! engines = ["bdd", "sat"]
//! solvers = ["cadical", "batsat"]     # engine sat with each of them
//!
//! [[tasks]]
//! files = ["../programs", "lock.bp"]  # from where the suite is
//! options = ["--label R"]
//! ```
//!
//! What stands at a list of tasks counts for them, what stands above for all. A suite says what is run; what the words mean, families apart, is
//! not known here.

use serde::Deserialize;
use std::path::Path;

/// A suite.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SuiteFile {
    /// What pages and tables are headed by.
    pub title: Option<String>,
    /// What counts for all tasks that do not say otherwise.
    #[serde(flatten)]
    shared: Settings,
    /// The tasks, in their order.
    tasks: Vec<TaskList>,
}

/// Tasks that are run alike.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
struct TaskList {
    family: Option<String>,
    sizes: Option<Sizes>,
    version: Option<String>,
    files: Option<Vec<String>>,
    #[serde(flatten)]
    own: Settings,
}

/// Sizes as the command line has them, or as numbers.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged, expecting = "sizes are a text such as \"10..160x2\", a number, or a list of numbers, from 0 on")]
enum Sizes {
    Text(String),
    One(u32),
    List(Vec<u32>),
}

/// How tasks are run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Settings {
    /// Engines, each with options if wanted; all there are if there is none.
    pub engines: Option<Vec<String>>,
    /// SAT solvers: engine `sat` is run with each of them.
    pub solvers: Option<Vec<String>>,
    /// Options for all engines.
    pub options: Option<Vec<String>>,
    /// The time of a run.
    pub timeout: Option<String>,
    /// The memory of a run.
    pub memory: Option<String>,
    /// How often everything is measured.
    pub repeat: Option<u32>,
}

/// Tasks, and how they are run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// As the command line names them.
    pub tasks: Vec<String>,
    /// How they are run.
    pub settings: Settings,
}

impl Settings {
    /// Says so if something is named of which there is nothing.
    fn check(&self) -> Result<(), String> {
        let lists = [("engines", &self.engines), ("solvers", &self.solvers)];
        if let Some((name, _)) = lists.iter().find(|(_, list)| list.as_ref().is_some_and(Vec::is_empty)) {
            return Err(format!("`{name}` names none: leave it out for all"));
        }
        match self.repeat {
            Some(0) => Err("`repeat` is 1 at least".to_owned()),
            _ => Ok(()),
        }
    }

    /// What is said here, or else there.
    fn or(&self, shared: &Settings) -> Settings {
        Settings {
            engines: self.engines.clone().or(shared.engines.clone()),
            solvers: self.solvers.clone().or(shared.solvers.clone()),
            options: self.options.clone().or(shared.options.clone()),
            timeout: self.timeout.clone().or(shared.timeout.clone()),
            memory: self.memory.clone().or(shared.memory.clone()),
            repeat: self.repeat.or(shared.repeat),
        }
    }

    /// The engines with the solvers put in: `sat` becomes `sat --sat-solver cadical` and so on. `all` are those that are meant if none is named.
    pub fn contenders(&self, all: &[&str]) -> Option<Vec<String>> {
        let named = self.engines.clone();
        let engines =
            named.or_else(|| self.solvers.as_ref().map(|_| all.iter().map(|&engine| engine.to_owned()).collect()))?;
        let solvers = self.solvers.as_deref().unwrap_or_default();
        let with_solvers = |engine: &String| {
            let is_open = matches!(engine.split_whitespace().next(), Some("sat" | "summarize"));
            if is_open && !solvers.is_empty() && !engine.contains("--sat-solver") {
                solvers.iter().map(|solver| format!("{engine} --sat-solver {solver}")).collect()
            } else {
                vec![engine.clone()]
            }
        };
        Some(engines.iter().flat_map(with_solvers).collect())
    }
}

impl SuiteFile {
    /// Reads a suite. The message names line, column and what was expected.
    ///
    /// ```
    /// use epitome_benchmarks::SuiteFile;
    /// let suite = SuiteFile::parse("engines = [\"bdd\"]\n[[tasks]]\nfamily = \"tn\"\nsizes = [1, 2]\nversion = \"safe\"").unwrap();
    /// assert_eq!(suite.groups("".as_ref()).unwrap()[0].tasks, ["tn:1,2+safe"]);
    /// assert!(SuiteFile::parse("[[tasks]]\nfamly = \"tn\"").unwrap_err().contains("famly"));
    /// ```
    pub fn parse(text: &str) -> Result<SuiteFile, String> {
        // Names that are not known are looked for here: what is flattened takes all.
        let table: toml::Table = toml::from_str(text).map_err(|error| error.to_string())?;
        unknown(&table, &["title", "tasks"])?;
        for list in table.get("tasks").and_then(toml::Value::as_array).into_iter().flatten() {
            list.as_table().map_or(Ok(()), |list| unknown(list, &["family", "sizes", "version", "files"]))?;
        }
        toml::from_str(text).map_err(|error| error.to_string())
    }

    /// The tasks, files being looked for from a folder on, and how they are run.
    pub fn groups(&self, folder: &Path) -> Result<Vec<Group>, String> {
        if self.tasks.is_empty() {
            return Err("there are no tasks: add [[tasks]] with `family` and `sizes`, or `files`".to_owned());
        }
        let all = self.tasks.iter().map(|list| &list.own).chain([&self.shared]);
        all.into_iter().try_for_each(Settings::check)?;
        let group = |list: &TaskList| Ok(Group { tasks: list.arguments(folder)?, settings: list.own.or(&self.shared) });
        self.tasks.iter().map(group).collect()
    }
}

/// Says which name of a table is not known, if there is one.
fn unknown(table: &toml::Table, names: &[&str]) -> Result<(), String> {
    const SETTINGS: [&str; 6] = ["engines", "solvers", "options", "timeout", "memory", "repeat"];
    let known = |name: &str| names.contains(&name) || SETTINGS.contains(&name);
    match table.keys().find(|name| !known(name)) {
        Some(name) => {
            Err(format!("unknown name `{name}`; expected one of {}, {}", names.join(", "), SETTINGS.join(", ")))
        }
        None => Ok(()),
    }
}

impl TaskList {
    fn arguments(&self, folder: &Path) -> Result<Vec<String>, String> {
        match (&self.family, &self.sizes, &self.files) {
            (Some(family), Some(sizes), None) => {
                let sizes = match sizes {
                    Sizes::Text(text) => text.clone(),
                    Sizes::One(size) => size.to_string(),
                    Sizes::List(sizes) => sizes.iter().map(u32::to_string).collect::<Vec<_>>().join(","),
                };
                let version = self.version.as_ref().map_or(String::new(), |version| format!("+{version}"));
                Ok(vec![format!("{family}:{sizes}{version}")])
            }
            (None, None, Some(files)) if self.version.is_none() && !files.is_empty() => {
                Ok(files.iter().map(|file| folder.join(file).to_string_lossy().into_owned()).collect())
            }
            (None, None, Some(_)) if self.version.is_none() => Err("`files` names none".to_owned()),
            _ => Err("each [[tasks]] has `family` and `sizes` (and `version` if wanted), or `files`".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SUITE: &str = r#"
        title = "T"
        timeout = "20s"
        engines = ["expand", "sat", "sat --sat-solver varisat --sat inline"]
        solvers = ["cadical", "batsat"]
        [[tasks]]
        family = "tn"
        sizes = "10..160x2"
        [[tasks]]
        files = ["../programs", "lock.bp"]
        engines = ["bdd"]
        timeout = "1s"
        repeat = 3
    "#;

    #[test]
    fn tasks_have_their_own_settings_or_those_of_all() {
        let suite = SuiteFile::parse(SUITE).unwrap();
        assert_eq!(suite.title.as_deref(), Some("T"));
        let groups = suite.groups(Path::new("suites")).unwrap();
        assert_eq!(groups[0].tasks, ["tn:10..160x2"]);
        let contenders = groups[0].settings.contenders(&[]).unwrap();
        let [cadical, batsat] = ["cadical", "batsat"].map(|solver| format!("sat --sat-solver {solver}"));
        assert_eq!(contenders, ["expand", &cadical, &batsat, "sat --sat-solver varisat --sat inline"]);
        assert_eq!(groups[1].tasks, ["suites/../programs", "suites/lock.bp"]);
        assert_eq!(groups[1].settings.contenders(&[]).unwrap(), ["bdd"]);
        let only_solvers = Settings { solvers: Some(vec!["batsat".to_owned()]), ..Settings::default() };
        assert_eq!(only_solvers.contenders(&["bdd", "sat"]).unwrap(), ["bdd", "sat --sat-solver batsat"]);
        assert_eq!(Settings::default().contenders(&["bdd"]), None);
        let limits = |group: &Group| (group.settings.timeout.clone().unwrap(), group.settings.repeat);
        assert_eq!((limits(&groups[0]), limits(&groups[1])), (("20s".into(), None), ("1s".into(), Some(3))));
    }

    #[test]
    fn mistakes_are_told() {
        let message = |text: &str| match SuiteFile::parse(text) {
            Ok(suite) => suite.groups(Path::new("")).unwrap_err(),
            Err(message) => message,
        };
        for (text, told) in [
            ("titel = \"x\"\ntasks = []", "unknown name `titel`"),
            ("[[tasks]]\nfamily = \"tn\"\nsize = 3", "unknown name `size`"),
            ("[[tasks]]\nfamily = \"tn\"", "`family` and `sizes`"),
            ("[[tasks]]\nfamily = \"tn\"\nsizes = 3\nfiles = [\"a\"]", "`family` and `sizes`"),
            ("[[tasks]]\nfamily = \"tn\"\nsizes = {}", "line 3"),
            ("tasks = [", "line 1"),
            ("title = \"none\"", "tasks"),
            ("tasks = []", "no tasks"),
            ("[[tasks]]\nfiles = []", "`files` names none"),
            ("[[tasks]]\nfamily = \"tn\"\nsizes = 3\nengines = []", "`engines` names none"),
            ("repeat = 0\n[[tasks]]\nfamily = \"tn\"\nsizes = 3", "`repeat` is 1"),
        ] {
            assert!(message(text).contains(told), "{text}: {}", message(text));
        }
    }
}
