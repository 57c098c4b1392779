//! The texts that inputs are made from.

use std::path::{Path, PathBuf};

/// All files of the examples, the golden cases and what was kept that end so, and some texts of our own.
pub fn files(endings: &[&str], own: &[&str]) -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders =
        ["examples", "tests/cases", "tests/conformance/kept", "tests/fuzz/kept"].map(|f| root.join(f)).to_vec();
    let mut found: Vec<PathBuf> = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| endings.iter().any(|e| ending == *e)) {
                found.push(path);
            }
        }
    }
    found.sort();
    let texts = found.iter().map(|path| std::fs::read(path).expect("can be read"));
    texts.chain(own.iter().map(|text| text.as_bytes().to_vec())).collect()
}

/// What stands behind these options in the commands of the golden cases.
pub fn arguments(options: &[&str]) -> Vec<Vec<u8>> {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut found = Vec::new();
    for entry in std::fs::read_dir(cases).expect("a folder") {
        let Ok(command) = std::fs::read_to_string(entry.expect("can be read").path().join("command")) else { continue };
        for option in options {
            let quoted = command.split_once(&format!("{option} '")).and_then(|(_, rest)| rest.split_once('\''));
            found.extend(quoted.map(|(argument, _)| argument.as_bytes().to_vec()));
        }
    }
    found.sort();
    found
}
