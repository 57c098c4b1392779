//! The book in `docs/` is true: its commands give what it shows, its links lead somewhere, every page is in its
//! table of contents. How commands are written and run is in `common/console.rs`.

#[path = "common/console.rs"]
mod console;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What a script writes: its commands are that script.
const NOT_RUN: &[&str] = &["experiments/README.md"];

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs")
}

/// The pages of the book by their paths below `docs/`: those in it, and the first pages of its folders.
fn pages() -> BTreeMap<String, String> {
    let mut pages = BTreeMap::new();
    for entry in fs::read_dir(docs()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (name, path) = match path.is_dir() {
            true => (format!("{name}/README.md"), path.join("README.md")),
            false => (name, path),
        };
        if name.ends_with(".md") && path.exists() {
            pages.insert(name, fs::read_to_string(path).unwrap());
        }
    }
    pages
}

#[test]
fn commands_give_what_the_book_shows() {
    let bless = std::env::var_os("EPITOME_BLESS").is_some_and(|value| value == "1");
    let pages: Vec<(String, String)> =
        pages().into_iter().filter(|(name, _)| !NOT_RUN.contains(&name.as_str())).collect();
    let (next, commands, report) = (AtomicUsize::new(0), AtomicUsize::new(0), Mutex::new(String::new()));
    let work = || {
        while let Some((name, page)) = pages.get(next.fetch_add(1, Ordering::Relaxed)) {
            let outcome = console::follow(page);
            commands.fetch_add(outcome.commands, Ordering::Relaxed);
            if bless && outcome.text != *page {
                fs::write(docs().join(name), &outcome.text).unwrap();
            }
            if !outcome.report.is_empty() {
                *report.lock().unwrap() += &format!("== docs/{name}\n{}\n", outcome.report);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    let report = report.into_inner().unwrap();
    let commands = commands.into_inner();
    assert!(report.is_empty(), "- the book, + the tool (EPITOME_BLESS=1 writes what comes out):\n\n{report}");
    assert!(commands >= 200, "only {commands} commands were found");
}

/// Links in a text, without those in code: where they stand and where they lead.
fn links(page: &str) -> Vec<(usize, String)> {
    let lines: Vec<&str> = page.lines().collect();
    let code: Vec<_> = console::blocks(&lines).into_iter().map(|block| block.lines).collect();
    let mut links = Vec::new();
    for (number, line) in
        lines.iter().enumerate().filter(|(number, _)| !code.iter().any(|block| block.contains(number)))
    {
        // Every second part stands between backquotes.
        let plain: String =
            line.split('`').enumerate().map(|(at, part)| if at % 2 == 0 { part } else { "x" }).collect();
        let targets = plain.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        links.extend(targets.map(|target| (number + 1, target.to_owned())));
    }
    links
}

/// The anchors of a page, as mdBook makes them of its headings.
fn anchors(page: &str) -> BTreeSet<String> {
    let lines: Vec<&str> = page.lines().collect();
    let code: Vec<_> = console::blocks(&lines).into_iter().map(|block| block.lines).collect();
    let mut anchors = BTreeSet::new();
    for (_, line) in lines.iter().enumerate().filter(|(number, _)| !code.iter().any(|block| block.contains(number))) {
        let Some(heading) = line.strip_prefix('#') else { continue };
        let heading = heading.trim_start_matches('#').trim();
        let kept = heading.chars().filter_map(|c| match c {
            c if c.is_alphanumeric() || c == '_' || c == '-' => Some(c.to_ascii_lowercase()),
            c if c.is_whitespace() => Some('-'),
            _ => None,
        });
        let anchor: String = kept.collect();
        let mut number = 0;
        let mut name = anchor.clone();
        while !anchors.insert(name.clone()) {
            number += 1;
            name = format!("{anchor}-{number}");
        }
    }
    anchors
}

#[test]
fn every_page_is_in_the_table_of_contents() {
    let pages = pages();
    let listed: Vec<String> = links(&pages["SUMMARY.md"]).into_iter().map(|(_, target)| target).collect();
    for name in pages.keys().filter(|name| *name != "SUMMARY.md") {
        assert_eq!(listed.iter().filter(|target| *target == name).count(), 1, "{name} in docs/SUMMARY.md");
    }
    for target in &listed {
        assert!(pages.contains_key(target), "{target} of docs/SUMMARY.md");
    }
}

#[test]
fn links_lead_somewhere() {
    let pages = pages();
    let mut dead = Vec::new();
    for (name, page) in &pages {
        for (line, target) in links(page) {
            if target.contains("://") {
                continue;
            }
            let (file, anchor) = target.split_once('#').unwrap_or((&target, ""));
            let folder = Path::new(name).parent().unwrap_or(Path::new(""));
            let linked = if file.is_empty() { name.clone() } else { normal(&folder.join(file)) };
            let leads = match pages.get(&linked) {
                Some(page) => anchor.is_empty() || anchors(page).contains(anchor),
                None => docs().join(&linked).exists(),
            };
            if !leads {
                dead.push(format!("docs/{name}:{line}: {target}"));
            }
        }
    }
    assert!(dead.is_empty(), "{}", dead.join("\n"));
}

/// A path without `..` where that is possible.
fn normal(path: &Path) -> String {
    let mut parts: Vec<String> = Vec::new();
    for part in path.components() {
        let part = part.as_os_str().to_string_lossy().into_owned();
        match parts.last() {
            Some(last) if part == ".." && last != ".." => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

#[test]
fn the_reference_has_every_command() {
    let output = Command::new(env!("CARGO_BIN_EXE_epitome")).arg("--help").output().unwrap();
    let help = String::from_utf8_lossy(&output.stdout).into_owned();
    let list = help.split("Commands:\n").nth(1).and_then(|rest| rest.split("\n\n").next()).unwrap();
    let commands: Vec<&str> = list
        .lines()
        .filter_map(|line| line.strip_prefix("  ").filter(|line| !line.starts_with(' '))?.split(' ').next())
        .collect();
    assert!(commands.len() >= 11, "{commands:?}");
    let reference = &pages()["commands.md"];
    for command in commands.into_iter().filter(|command| *command != "help") {
        assert!(reference.contains(&format!("\n$ epitome help {command}\n")), "{command} in docs/commands.md");
    }
}
