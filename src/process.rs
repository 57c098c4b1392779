//! Programs of others: how they are started, watched and ended.
//!
//! A program that we start may start others, leave files behind, take all memory, or wait for ever. So it gets a
//! [`Workplace`]: a temporary folder and a group of processes. When the workplace is dropped, or a limit is reached,
//! the whole group is killed, and the folder is removed. If this process ends in any other way, be it killed, the
//! guard of the workplace does the same. The guard is the first process of the group, a shell, which waits for the
//! end of a pipe whose other end is held here.
//!
//! Programs write to files of the folder: there are no pipes that fill up, and no threads to empty them, which could
//! not be started where the system is short of them.

use crate::limits::{Limits, Reason, resident_bytes_of};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How often a program is looked at: often in the beginning, so that a quick one costs no more than it takes.
const LEAST_PAUSE: Duration = Duration::from_micros(200);
const LONGEST_PAUSE: Duration = Duration::from_millis(10);

/// What a program may write to its output and to its errors, each, in bytes.
const MOST_OUTPUT: u64 = 256 << 20;

/// Only the end of the pipe, and who kills, ends the guard. Whatever it fails at then, the others are killed.
#[cfg(unix)]
const GUARD: &str = "trap '' HUP INT TERM; trap 'kill -KILL 0' EXIT; read -r end; kill -TERM 0; rm -rf -- \"$1\"";

/// A folder and a group of processes, which go with this value, or with this process.
#[derive(Debug)]
pub struct Workplace {
    #[cfg(unix)]
    guard: Child,
    folder: TempDir,
}

/// Why a program did not come to its end.
#[derive(Debug)]
pub enum Failure {
    /// It could not be started.
    NotStarted(io::Error),
    /// A limit was reached, or the system did not do its part.
    Stopped(Reason),
}

impl Workplace {
    /// A folder among the system's temporary ones, and its guard.
    pub fn new() -> Result<Workplace, Reason> {
        let folder = tempfile::Builder::new().prefix("epitome-").tempdir().map_err(|error| {
            let among = std::env::temp_dir();
            let error = error.to_string();
            // The name that was tried does not matter.
            let error = error.split(" at path").next().unwrap_or(&error);
            Reason::System(format!("no temporary folder can be made in {} (see TMPDIR): {error}", among.display()))
        })?;
        #[cfg(unix)]
        {
            let mut guard = Command::new("sh");
            guard.args(["-c", GUARD, "epitome-guard"]).arg(folder.path());
            guard.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
            std::os::unix::process::CommandExt::process_group(&mut guard, 0);
            let guard = guard.spawn().map_err(|error| Reason::cannot("start a process", &error))?;
            Ok(Workplace { guard, folder })
        }
        #[cfg(not(unix))]
        Ok(Workplace { folder })
    }

    /// The folder. Names that begin with `std` are taken.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file of the folder.
    pub fn write(&self, name: &str, text: &[u8]) -> Result<(), Reason> {
        let path = self.path().join(name);
        path.parent()
            .map_or(Ok(()), fs::create_dir_all)
            .and_then(|()| fs::write(path, text))
            .map_err(|error| Reason::cannot("write a temporary file", &error))
    }

    /// Runs a command, a program and its arguments, to its end and within the limits: its memory, with that of all it
    /// starts, counts as ours. It reads a file of the folder, if one is named, and puts its own temporary files there.
    /// After a limit was reached nothing else can be run.
    pub fn run(&self, words: &[impl AsRef<OsStr>], input: Option<&str>, limits: &Limits) -> Result<Output, Failure> {
        let stopped = |error: io::Error| Failure::Stopped(Reason::cannot("use a temporary file", &error));
        let [stdout, stderr] = ["stdout", "stderr"].map(|name| self.path().join(name));
        let Some((program, arguments)) = words.split_first() else {
            return Err(Failure::NotStarted(io::ErrorKind::InvalidInput.into()));
        };
        let mut command = Command::new(program);
        command.args(arguments).env("TMPDIR", self.path()).stdin(match input {
            Some(name) => Stdio::from(File::open(self.path().join(name)).map_err(stopped)?),
            None => Stdio::null(),
        });
        command.stdout(File::create(&stdout).map_err(stopped)?).stderr(File::create(&stderr).map_err(stopped)?);
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, self.guard.id() as i32);
        let mut child = command.spawn().map_err(Failure::NotStarted)?;
        let ended = watch(&mut child, limits, &[&stdout, &stderr]);
        let status = ended.map_err(|reason| {
            self.end();
            // Whether it was there to be killed does not matter any more.
            let _ = child.kill();
            let _ = child.wait();
            Failure::Stopped(reason)
        })?;
        let read = |path: &Path| fs::read(path).map_err(stopped);
        Ok(Output { status, stdout: read(&stdout)?, stderr: read(&stderr)? })
    }

    /// Removes the folder and kills all processes of the group. The guard is the last to go: until then it
    /// does the same if this process ends in the middle of it.
    fn end(&self) {
        // What is written while it is removed goes when the value does.
        let _ = fs::remove_dir_all(self.path());
        #[cfg(unix)]
        if let Some(group) = rustix::process::Pid::from_raw(self.guard.id() as i32) {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
    }
}

impl Drop for Workplace {
    fn drop(&mut self) {
        self.end();
        #[cfg(unix)]
        let _ = self.guard.wait();
    }
}

/// Waits for the end of a program, or for a limit.
fn watch(child: &mut Child, limits: &Limits, written: &[&Path]) -> Result<ExitStatus, Reason> {
    let start = Instant::now();
    loop {
        let ended = child.try_wait().map_err(|error| Reason::cannot("wait for a process", &error))?;
        let is_too_long = |path: &&Path| fs::metadata(path).is_ok_and(|file| file.len() > MOST_OUTPUT);
        if written.iter().any(is_too_long) {
            return Err(Reason::Memory);
        }
        if let Some(status) = ended {
            return Ok(status);
        }
        limits.check(0)?;
        if limits.free_bytes().is_some_and(|free| free < memory_of(child.id())) {
            return Err(Reason::Memory);
        }
        std::thread::sleep((start.elapsed() / 8).clamp(LEAST_PAUSE, LONGEST_PAUSE));
    }
}

/// The memory that a process and all that it has started use, where the system tells (Linux).
fn memory_of(process: u32) -> u64 {
    let (mut bytes, mut left) = (0, vec![process]);
    while let Some(process) = left.pop() {
        bytes += resident_bytes_of(process).unwrap_or(0);
        let tasks = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
        let children = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
        left.extend(children.flat_map(|children| {
            children.split_whitespace().filter_map(|child| child.parse().ok()).collect::<Vec<u32>>()
        }));
    }
    bytes
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// A process is there, and not only its number.
    fn is_alive(process: &str) -> bool {
        let status = fs::read_to_string(format!("/proc/{}/stat", process.trim()));
        status.is_ok_and(|status| !status.contains(") Z "))
    }

    #[test]
    fn programs_run_to_their_end() {
        let workplace = Workplace::new().expect("a workplace");
        workplace.write("in", b"a\n").expect("a file");
        let output =
            workplace.run(&["sh", "-c", "cat; echo b >&2; exit 7"], Some("in"), &Limits::none()).expect("it ends");
        assert_eq!(output.status.code(), Some(7));
        assert_eq!((&*output.stdout, &*output.stderr), (&b"a\n"[..], &b"b\n"[..]));
        let missing = workplace.run(&["no-such-program"], None, &Limits::none());
        assert!(matches!(missing, Err(Failure::NotStarted(error)) if error.kind() == io::ErrorKind::NotFound));
        let folder = workplace.path().to_owned();
        drop(workplace);
        assert!(!folder.exists());
    }

    /// What a program has started ends with it.
    #[test]
    fn limits_end_the_whole_group() {
        let number = tempfile::NamedTempFile::new().expect("a file");
        let endless = format!("sleep 300 & echo $! > {}; wait", number.path().display());
        let own = crate::limits::resident_bytes().expect("Linux tells");
        let huge = "yes | tr -d '\\n' | (sleep 0.1; sort)";
        let cases = [
            (&*endless, Limits::none().with_timeout(Duration::from_millis(300)), Reason::Timeout),
            (huge, Limits::none().with_memory(own + (100 << 20)), Reason::Memory),
            ("yes", Limits::none(), Reason::Memory),
        ];
        for (script, limits, expected) in cases {
            let workplace = Workplace::new().expect("a workplace");
            let ended = workplace.run(&["sh", "-c", script], None, &limits);
            assert!(matches!(ended, Err(Failure::Stopped(reason)) if reason == expected), "{script}");
            assert!(!workplace.path().exists(), "{script}");
        }
        let grandchild = fs::read_to_string(number.path()).expect("a number");
        assert!(!grandchild.is_empty() && !is_alive(&grandchild), "{grandchild}");
    }
}
