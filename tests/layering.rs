//! The architecture as a test: who may use whom, who may print or start processes, how large a file may
//! be.
//!
//! Reads the sources rather than the compiler's output: paths that begin with `crate::` or `super::`,
//! in `use` lines and elsewhere, outside of comments, strings and unit tests.

use std::fs;
use std::path::{Path, PathBuf};

/// Layers from the bottom up, with what each may use besides itself, `std` and the crates of others.
/// `encodings` is the package `epitome-encodings`.
const LAYERS: &[(&str, &[&str])] = &[
    ("limits", &[]),
    ("process", &["limits"]),
    ("solver", &["limits", "process", "encodings"]),
    ("syntax", &[]),
    ("logic", &["automata"]),
    ("model", &["syntax", "logic", "encodings"]),
    ("reduce", &["model", "solver", "syntax", "logic", "limits", "encodings"]),
    ("classify", &["model", "solver", "limits", "syntax", "logic", "encodings"]),
    ("temporal", &["model", "logic", "encodings", "automata"]),
    ("engine", &["model", "solver", "limits", "logic", "temporal", "encodings", "automata"]),
    ("evidence", &["syntax", "logic", "model", "temporal", "automata"]),
    ("certify", &["model", "solver", "limits", "syntax", "encodings"]),
    (
        "checker",
        &[
            "limits",
            "solver",
            "syntax",
            "logic",
            "model",
            "reduce",
            "classify",
            "temporal",
            "engine",
            "evidence",
            "certify",
            "encodings",
        ],
    ),
];

/// Modules that may use everything.
const TOP: &[&str] = &["cli", "lib", "main"];

/// The replay knows the shape of a run and nothing else of the model.
const EVIDENCE_TAKES_FROM_MODEL: &[&str] = &["Fragment", "FragmentId", "Run", "SourceRun", "Place"];

/// And that of lassos.
const EVIDENCE_TAKES_FROM_TEMPORAL: &[&str] = &[
    "Again",
    "LONGEST_SHOWN",
    "ModuleState",
    "Pruned",
    "PrunedEnd",
    "PrunedNode",
    "PrunedRole",
    "Shown",
    "SourceExplanation",
    "SourceLasso",
    "SourceStrategy",
];

/// Only the command line speaks, and only it ends the process.
const SPEECH: &[&str] =
    &["println!", "print!", "eprintln!", "eprint!", "dbg!", "process::exit", "io::stdout", "io::stderr"];

/// Only these files start processes.
const STARTS_PROCESSES: &[&str] = &["src/cli/bench/child.rs", "src/process.rs"];

const LONGEST_FILE: usize = 800;
const LONGEST_MEDIAN: usize = 200;

/// A source file.
struct File {
    /// Path in the repository, with `/`.
    name: String,
    text: String,
    /// The text without comments, strings and unit tests; lines keep their numbers.
    code: String,
}

impl File {
    fn line_of(&self, offset: usize) -> usize {
        self.code[..offset].matches('\n').count() + 1
    }

    /// Places where a word stands that is not part of a longer one.
    fn words(&self, word: &str) -> Vec<usize> {
        let part = |c: char| c.is_alphanumeric() || c == '_';
        let whole = |&at: &usize| {
            let (before, after) = (&self.code[..at], &self.code[at + word.len()..]);
            !(before.ends_with(part) || word.ends_with(part) && after.starts_with(part))
        };
        self.code.match_indices(word).map(|(at, _)| at).filter(whole).collect()
    }

    /// The module's path in its crate: `src/engine/expand/mod.rs` is `engine::expand`.
    fn module(&self) -> Vec<&str> {
        let inside = self.name.split_once("src/").map_or("", |(_, inside)| inside);
        let mut path: Vec<&str> = inside.trim_end_matches(".rs").split('/').collect();
        if path.last() == Some(&"mod") || path == ["lib"] {
            path.pop();
        }
        path
    }

    /// The layer the file belongs to.
    fn layer(&self) -> &str {
        self.module().first().copied().unwrap_or("lib")
    }

    /// What the file names of its own crate: place, and path from the crate's root.
    fn paths(&self) -> Vec<(usize, Vec<String>)> {
        let mut found = Vec::new();
        for at in self.words("crate::") {
            found.extend(expand(&self.code[at + "crate::".len()..]).into_iter().map(|path| (at, path)));
        }
        for at in self.words("super::") {
            // The first `super::` of a chain speaks for all of it.
            if self.code[..at].ends_with("::") {
                continue;
            }
            let rest = self.code[at..].trim_start_matches("super::");
            let up = (self.code.len() - at - rest.len()) / "super::".len();
            let module = self.module();
            let base: Vec<String> = module[..module.len().saturating_sub(up)].iter().map(|&m| m.to_owned()).collect();
            found.extend(expand(rest).into_iter().map(|path| (at, [base.clone(), path].concat())));
        }
        found
    }
}

/// The paths that a text begins with: `a::{b, c::d}` is `a::b` and `a::c::d`.
fn expand(text: &str) -> Vec<Vec<String>> {
    let text = text.trim_start();
    if let Some(group) = text.strip_prefix('{') {
        return items(group).into_iter().flat_map(expand).collect();
    }
    let length = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    let (name, rest) = text.split_at(length);
    if name.is_empty() {
        return Vec::new();
    }
    let head = vec![name.to_owned()];
    let tails = rest.strip_prefix("::").map(expand).filter(|tails| !tails.is_empty());
    tails.map_or(vec![head.clone()], |tails| tails.into_iter().map(|tail| [head.clone(), tail].concat()).collect())
}

/// The items of a group that was opened, up to its `}`.
fn items(group: &str) -> Vec<&str> {
    let mut items = Vec::new();
    let (mut start, mut depth) = (0, 0);
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                items.push(&group[start..at]);
                start = at + 1;
                if c == '}' {
                    break;
                }
            }
            _ => {}
        }
    }
    items
}

/// The text with comments, strings and unit tests blanked.
fn code_of(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |at| at + 2)
        } else if rest.starts_with("r#\"") {
            rest.find("\"#").map_or(rest.len(), |at| at + 2)
        } else if c == '"' {
            quoted(rest, '"')
        } else if c == '\'' && (rest.starts_with("'\\") || rest.chars().nth(2) == Some('\'')) {
            quoted(rest, '\'')
        } else {
            code.push(c);
            rest = &rest[c.len_utf8()..];
            continue;
        };
        code.extend(rest[..length].chars().map(|c| if c == '\n' { c } else { ' ' }));
        rest = &rest[length..];
    }
    while let Some(start) = code.find("#[cfg(test)]\nmod ") {
        let end = end_of_module(&code, start);
        let lines = code[start..end].matches('\n').count();
        code.replace_range(start..end, &"\n".repeat(lines));
    }
    code
}

/// The end of the module that is declared at `start`: its `;` or closing brace.
fn end_of_module(code: &str, start: usize) -> usize {
    let mut depth = 0;
    for (at, c) in code[start..].char_indices() {
        depth += i32::from(c == '{') - i32::from(c == '}');
        if depth == 0 && matches!(c, ';' | '}') {
            return start + at + 1;
        }
    }
    code.len()
}

/// Length of a quoted text with its quotes.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if c == quote && !escaped {
            return at + 1;
        }
        escaped = c == '\\' && !escaped;
    }
    text.len()
}

/// All files below these folders of the repository. Files of unit tests (`tests.rs`) count as empty.
fn files(folders: &[&str]) -> Vec<File> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut open: Vec<PathBuf> = folders.iter().map(|folder| root.join(folder)).collect();
    let mut files = Vec::new();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            let code = if path.ends_with("tests.rs") { String::new() } else { code_of(&text) };
            let name = path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
            files.push(File { name, text, code });
        }
    }
    files.sort_by(|a, b| a.name.cmp(&b.name));
    files
}

#[track_caller]
fn assert_none(problems: Vec<String>) {
    assert!(problems.is_empty(), "\n{}\n", problems.join("\n"));
}

#[test]
fn no_layer_uses_one_above_it() {
    let mut problems = Vec::new();
    for file in files(&["src"]).iter().filter(|file| !TOP.contains(&file.layer())) {
        let layer = file.layer();
        let Some((_, allowed)) = LAYERS.iter().find(|(name, _)| *name == layer) else {
            problems.push(format!("{}: `{layer}` has no place in the table of layers of this test", file.name));
            continue;
        };
        let mut complain = |at: usize, what: &str| {
            problems.push(format!("{}:{}: `{layer}` may not use `{what}`", file.name, file.line_of(at)));
        };
        for (at, path) in file.paths() {
            let used = path.first().map_or("", String::as_str);
            if used != layer && !allowed.contains(&used) {
                complain(at, &path.join("::"));
            }
            let item = path.get(1).map_or("", String::as_str);
            let taken = match used {
                "model" => EVIDENCE_TAKES_FROM_MODEL,
                "temporal" => EVIDENCE_TAKES_FROM_TEMPORAL,
                _ => continue,
            };
            if layer == "evidence" && !taken.contains(&item) {
                complain(at, &path.join("::"));
            }
        }
        for package in ["automata", "encodings", "benchmarks"].into_iter().filter(|package| !allowed.contains(package))
        {
            let name = format!("epitome_{package}");
            file.words(&name).into_iter().for_each(|at| complain(at, &name));
        }
    }
    assert_none(problems);
}

#[test]
fn the_packages_beside_the_tool_know_nothing_of_it() {
    let mut problems = Vec::new();
    for file in files(&["automata/src", "encodings/src", "benchmarks/src"]) {
        for name in ["epitome", "epitome_automata", "epitome_encodings", "epitome_benchmarks"] {
            let places = file.words(name).into_iter();
            problems.extend(places.map(|at| format!("{}:{}: uses `{name}`", file.name, file.line_of(at))));
        }
    }
    assert_none(problems);
}

#[test]
fn only_the_command_line_speaks_and_nobody_is_unsafe() {
    let mut problems = Vec::new();
    for file in files(&["src", "automata/src", "encodings/src", "benchmarks/src"]) {
        let may_speak = file.name == "src/main.rs" || file.name.starts_with("src/cli/");
        let speech = if may_speak { &[] } else { SPEECH };
        for word in speech.iter().chain(&["unsafe"]) {
            let places = file.words(word).into_iter();
            problems.extend(places.map(|at| format!("{}:{}: `{word}`", file.name, file.line_of(at))));
        }
    }
    assert_none(problems);
}

#[test]
fn one_file_starts_processes() {
    let mut problems = Vec::new();
    for file in files(&["src", "automata/src", "encodings/src", "benchmarks/src"]) {
        let named = |at: &usize| {
            let mut paths = expand(&file.code[at + "process::".len()..]).into_iter();
            paths.any(|path| path.first().is_some_and(|name| name == "Command"))
        };
        let starts: Vec<usize> = file.words("process::").into_iter().filter(named).collect();
        if STARTS_PROCESSES.contains(&file.name.as_str()) {
            assert!(!starts.is_empty(), "{} starts no process: the rule is out of date", file.name);
        } else {
            problems.extend(starts.iter().map(|&at| format!("{}:{}: starts a process", file.name, file.line_of(at))));
        }
    }
    assert_none(problems);
}

#[test]
fn files_are_small_and_say_what_they_are() {
    let files = files(&["src", "encodings", "benchmarks", "tests"]);
    let mut problems = Vec::new();
    for file in &files {
        let lines = file.text.lines().count();
        if lines > LONGEST_FILE {
            problems.push(format!("{}: {lines} lines", file.name));
        }
        if !file.text.starts_with("//! ") {
            problems.push(format!("{}:1: no `//!` header", file.name));
        }
    }
    let mut lengths: Vec<usize> = files.iter().map(|file| file.text.lines().count()).collect();
    lengths.sort_unstable();
    let median = lengths[lengths.len() / 2];
    if median >= LONGEST_MEDIAN {
        problems.push(format!("the median of {} files is {median} lines", files.len()));
    }
    assert_none(problems);
}

#[test]
fn the_reader_of_this_test_reads_right() {
    let expanded: Vec<String> =
        expand("a::{b, c::{d as e, f}, g::h}; more").iter().map(|path| path.join("::")).collect();
    assert_eq!(expanded, ["a::b", "a::c::d", "a::c::f", "a::g::h"]);
    let text = "//! crate::a\nuse super::super::x::Y; // crate::b\nlet s = \"crate::c\"; f('\"', crate::d::g());\n\
                fn t<'a>() { super::z() }\n#[cfg(test)]\nmod tests { use crate::e; fn f() {} }\nuse crate::h;\n";
    let file = File { name: "src/engine/expand/file.rs".to_owned(), text: text.to_owned(), code: code_of(text) };
    let found: Vec<(usize, String)> = file.paths().iter().map(|(at, p)| (file.line_of(*at), p.join("::"))).collect();
    let expected = [(3, "d::g"), (7, "h"), (2, "engine::x::Y"), (4, "engine::expand::z")];
    assert_eq!(found, expected.map(|(line, path)| (line, path.to_owned())));
    assert!(file.words("unsafe").is_empty() && file.words("fn").len() == 1);
}
