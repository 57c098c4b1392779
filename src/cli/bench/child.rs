//! Starts the tool as a process of its own and watches it.
//!
//! A run has a process to itself so that its memory is its own, and so that a crash or a kill ends one
//! cell of an experiment and not all. The child keeps its limits itself; who does not is
//! killed here, some time later. If nobody is here any more to do so the system does (Linux): the child dies with its parent, and its processor time is
//! bounded.

use crate::limits::peak_bytes_of;
use std::io::{self, Read};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// How often a child is looked at.
const LOOK: Duration = Duration::from_millis(20);

/// Where a child is killed.
pub(super) struct Bounds {
    pub(super) time: Duration,
    pub(super) memory: u64,
    pub(super) interrupt: Arc<AtomicBool>,
}

impl Bounds {
    /// Bounds above the limits a child has been given: a tenth more, and some more for the smallest.
    pub(super) fn above(timeout: Duration, memory: u64, interrupt: Arc<AtomicBool>) -> Bounds {
        let time = timeout.saturating_add(timeout / 10).saturating_add(Duration::from_secs(2));
        Bounds { time, memory: memory.saturating_add(memory / 10).saturating_add(64 << 20), interrupt }
    }

    fn broken(&self, time: Duration, memory: Option<u64>) -> Option<Killed> {
        if self.interrupt.load(Ordering::Relaxed) {
            return Some(Killed::Interrupted);
        }
        if time > self.time {
            return Some(Killed::Time);
        }
        memory.is_some_and(|memory| memory > self.memory).then_some(Killed::Memory)
    }
}

/// Why a child was killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Killed {
    Time,
    Memory,
    Interrupted,
}

/// What is known of a child that has ended.
pub(super) struct Ended {
    pub(super) status: ExitStatus,
    pub(super) killed: Option<Killed>,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: Vec<u8>,
    pub(super) wall: Duration,
    /// The most memory it was seen to use.
    pub(super) memory: Option<u64>,
}

/// Runs this very executable with other arguments, to its end or to the bounds.
pub(super) fn run(arguments: &[String], bounds: &Bounds) -> io::Result<Ended> {
    let start = Instant::now();
    let mut command = Command::new(std::env::current_exe()?);
    let processors = std::thread::available_parallelism().map_or(1, |number| number.get() as u64);
    let seconds = bounds.time.as_secs().saturating_add(1).saturating_mul(processors);
    command.env(PARENT, format!("{}:{seconds}", std::process::id()));
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    // Both streams are read at once, or a child that fills one of them would wait for ever. The
    // channel closes with stdout, which is when the child ends.
    let (open, ended) = mpsc::channel::<()>();
    let readers = reader(child.stdout.take(), Some(open)).and_then(|out| Ok((out, reader(child.stderr.take(), None)?)));
    let (stdout, stderr) = readers.or_else(|error| {
        child.kill()?;
        child.wait()?;
        Err(error)
    })?;
    let mut killed = None;
    let mut memory = None;
    while ended.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
        memory = memory.max(peak_bytes_of(child.id()));
        killed = bounds.broken(start.elapsed(), memory);
        if killed.is_some() {
            child.kill()?;
            break;
        }
    }
    let status = child.wait()?;
    let wall = start.elapsed();
    let text = |thread: thread::JoinHandle<Vec<u8>>| thread.join().unwrap_or_default();
    Ok(Ended { status, killed, stdout: text(stdout), stderr: text(stderr), wall, memory })
}

/// The variable by which a child knows that it is one: the number of the process that watches it, and seconds of processor time.
const PARENT: &str = "EPITOME_RUN_OF";

/// If this process is a run of an experiment, it ends when the experiment does, and after so much processor time.
pub(in super::super) fn obey_parent() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Resource, Rlimit, Signal, getppid, set_parent_process_death_signal, setrlimit};
        let told = std::env::var(PARENT).unwrap_or_default();
        let Some((parent, seconds)) = told.split_once(':') else { return };
        let limit = Rlimit { current: seconds.parse().ok(), maximum: None };
        // Without these bounds a run is what it is anyway: a process that keeps its own limits.
        let _ = setrlimit(Resource::Cpu, limit);
        let _ = set_parent_process_death_signal(Some(Signal::KILL));
        // The parent may have gone before it could be asked for.
        if getppid().is_none_or(|id| id.as_raw_nonzero().get().to_string() != parent) {
            std::process::exit(1);
        }
    }
}

/// Reads a stream to its end; `open` is dropped there.
fn reader(
    stream: Option<impl Read + Send + 'static>,
    open: Option<mpsc::Sender<()>>,
) -> io::Result<thread::JoinHandle<Vec<u8>>> {
    thread::Builder::new().spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut stream) = stream {
            // What was read before an error is all there is to know.
            let _ = stream.read_to_end(&mut bytes);
        }
        drop(open);
        bytes
    })
}
