//! The commit that a release is built from, for `--version` and for the runs of experiments.
//!
//! `EPITOME_COMMIT` says it, or else git, if this folder is a clone (and not a package unpacked inside of
//! another one, nor a place without git: then there is none). Builds for development do not ask: they would
//! be made anew after each commit.

use std::env;
use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=EPITOME_COMMIT");
    let is_release = env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let given = env::var("EPITOME_COMMIT").ok();
    let commit = given.or_else(|| if is_release { of_clone() } else { None }).unwrap_or_default();
    let version = env::var("CARGO_PKG_VERSION").unwrap_or_default();
    let known = if commit.is_empty() { String::new() } else { format!(" ({commit})") };
    println!("cargo:rustc-env=EPITOME_COMMIT={commit}");
    println!("cargo:rustc-env=EPITOME_VERSION={version}{known}");
}

/// The commit of the clone that this folder is.
fn of_clone() -> Option<String> {
    // Inside of a repository of others the folder has a prefix.
    if !git(&["rev-parse", "--show-prefix"])?.is_empty() {
        return None;
    }
    // The log changes whenever HEAD does; where none is kept, the branch and HEAD itself have to do.
    let branch = git(&["symbolic-ref", "-q", "HEAD"]).unwrap_or_default();
    for name in ["logs/HEAD", "HEAD", "packed-refs", &branch].into_iter().filter(|name| !name.is_empty()) {
        let path = git(&["rev-parse", "--git-path", name])?;
        if Path::new(&path).exists() {
            println!("cargo:rerun-if-changed={path}");
        }
    }
    git(&["rev-parse", "--short=12", "HEAD"])
}

/// What git says, if there is one and it knows.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}
