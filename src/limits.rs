//! What a run may use: time, memory, the user's patience.

mod turnstile;

pub use turnstile::{Ticket, Turnstile};

use std::fmt;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// Why a run stopped without an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The time limit was reached.
    Timeout,
    /// The memory limit was reached.
    Memory,
    /// More work than the engine was given.
    Patience,
    /// The user or the system asked to stop.
    Interrupted,
    /// A mistake of ours that was noticed.
    Internal(&'static str),
    /// More states than can be numbered.
    TooManyStates,
    /// The question is outside what the engine can do.
    NotSupported(String),
    /// The program has runs that its language does not define.
    Undefined(String),
    /// A solver of others did not do what it should.
    Solver(String),
    /// The system did not give what is needed: a thread, a process, a file.
    System(String),
}

impl Reason {
    /// The system does not let us do something.
    pub fn cannot(what: &str, error: &io::Error) -> Reason {
        Reason::System(format!("cannot {what}: {error}"))
    }

    /// A thread with so much stack cannot be started.
    pub fn no_thread(stack: usize, error: &io::Error) -> Reason {
        match address_space_left() {
            Some(left) if left < stack as u64 => Reason::Memory,
            _ => Reason::cannot("start a thread", error),
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Timeout => f.write_str("timeout"),
            Reason::Memory => f.write_str("memory"),
            Reason::Patience => f.write_str("patience"),
            Reason::Interrupted => f.write_str("interrupted"),
            Reason::Internal(what) => write!(f, "internal error: {what}"),
            Reason::TooManyStates => f.write_str("too many states"),
            Reason::Solver(what) => write!(f, "solver: {what}"),
            Reason::System(what) => write!(f, "system: {what}"),
            Reason::Undefined(what) => write!(f, "undefined behaviour: {what}"),
            Reason::NotSupported(what) => write!(f, "not supported: {what}"),
        }
    }
}

/// Limits of a run. Engines ask [`Limits::check`] every few thousand steps.
///
/// ```
/// use epitome::limits::{Limits, Reason};
/// let limits = Limits::none().with_timeout(std::time::Duration::ZERO);
/// assert_eq!(limits.check(0), Err(Reason::Timeout));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Limits {
    deadline: Option<Instant>,
    memory: Option<u64>,
    address_space: Option<u64>,
    patience: Option<u64>,
    effort: Option<Arc<AtomicU64>>,
    interrupt: Option<Arc<AtomicBool>>,
    ticket: Option<Arc<Ticket>>,
}

impl Limits {
    /// No limits.
    pub fn none() -> Limits {
        Limits::default()
    }

    /// Stops after this time from now.
    pub fn with_timeout(mut self, timeout: Duration) -> Limits {
        self.deadline = Instant::now().checked_add(timeout);
        self
    }

    /// Stops after this time from now, if not earlier.
    pub fn within(self, time: Duration) -> Limits {
        let deadline = self.deadline;
        let mut limits = self.with_timeout(time);
        limits.deadline = limits.deadline.into_iter().chain(deadline).min();
        limits
    }

    /// Stops when the process uses so many bytes.
    pub fn with_memory(mut self, bytes: u64) -> Limits {
        self.memory = Some(bytes);
        self
    }

    /// Stops before the address space is used up, if the system limits it (`ulimit -v`): an allocation that
    /// fails would end the process.
    pub fn within_address_space(mut self) -> Limits {
        self.address_space = address_space();
        self
    }

    /// Gives up after so much work: path edges found, or vertices worked on.
    pub fn with_patience(mut self, work: u64) -> Limits {
        self.patience = Some(work);
        self
    }

    /// Gives up after so many steps with these limits, or copies of them, together: decisions and conflicts of SAT solvers, or some
    /// millions of signals that the explicit engine evaluates. A measure of work inside hard queries that is the same on every machine.
    pub fn with_effort(mut self, steps: u64) -> Limits {
        self.effort = Some(Arc::new(AtomicU64::new(steps)));
        self
    }

    /// How many more steps there are, if they are limited.
    pub fn effort_left(&self) -> Option<u64> {
        self.effort.as_ref().map(|effort| effort.load(Ordering::Relaxed))
    }

    /// Makes a step; false if there are no more.
    pub fn make_step(&self) -> bool {
        let take = |left: u64| left.checked_sub(1);
        let step = |effort: &Arc<AtomicU64>| effort.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok();
        self.effort.as_ref().is_none_or(step)
    }

    /// Stops when the flag is set.
    pub fn with_interrupt(mut self, flag: Arc<AtomicBool>) -> Limits {
        self.interrupt = Some(flag);
        self
    }

    /// Goes on only when it is the turn of this ticket: whoever looks at these limits, or copies of them, may have
    /// to wait.
    pub fn with_ticket(mut self, ticket: Ticket) -> Limits {
        self.ticket = Some(Arc::new(ticket));
        self
    }

    /// The work after which to give up.
    pub fn patience(&self) -> u64 {
        self.patience.unwrap_or(u64::MAX)
    }

    /// Bytes that may still be used, if there is a limit.
    pub fn free_bytes(&self) -> Option<u64> {
        Some(self.memory?.saturating_sub(resident_bytes().unwrap_or(0)))
    }

    /// So much more is in use than the limit of memory allows that nobody can be waited for.
    pub fn is_overrun(&self) -> bool {
        let beyond = |limit: u64| resident_bytes().is_some_and(|used| used > limit + OVERRUN.max(limit / OVERRUNS));
        self.memory.is_some_and(beyond) || addresses_run_out()
    }

    /// Most of the memory is used up.
    pub fn is_short(&self) -> bool {
        self.memory.is_some_and(|limit| resident_bytes().is_some_and(|used| used > limit / 4 * 3))
    }

    /// Waits for a turn, if others have theirs now. This costs next to nothing, so that those for whom time passes
    /// quickly between two looks at all limits can do it more often.
    pub fn take_turns(&self) -> Result<(), Reason> {
        self.ticket.as_ref().map_or(Ok(()), |ticket| ticket.pass())
    }

    /// Says whether to go on. `growth` is what the caller is about to allocate, in bytes.
    pub fn check(&self, growth: usize) -> Result<(), Reason> {
        self.take_turns()?;
        if self.interrupt.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Err(Reason::Interrupted);
        }
        if self.effort_left() == Some(0) {
            return Err(Reason::Patience);
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(Reason::Timeout);
        }
        let exceeds = |limit: Option<u64>, used: fn() -> Option<u64>, growth: u64| {
            limit.is_some_and(|limit| used().unwrap_or(0) + growth > limit)
        };
        let growth = growth as u64;
        match exceeds(self.memory, resident_bytes, growth)
            || exceeds(self.address_space, virtual_bytes, growth + SPARE_ADDRESSES)
        {
            true if self.ticket.as_ref().is_none_or(|ticket| ticket.has_to_go()) => Err(Reason::Memory),
            _ => Ok(()),
        }
    }
}

/// Memory of the process that is in use, where the system tells (Linux).
pub fn resident_bytes() -> Option<u64> {
    bytes_of_process("self", 1)
}

/// Memory of another process that is in use, where the system tells (Linux).
pub fn resident_bytes_of(process: u32) -> Option<u64> {
    bytes_of_process(process, 1)
}

/// Addresses that are in use, where the system tells (Linux).
fn virtual_bytes() -> Option<u64> {
    bytes_of_process("self", 0)
}

/// Addresses that are kept free for what is allocated between two looks at the limits.
const SPARE_ADDRESSES: u64 = 32 << 20;

/// The limit of the address space, if there is one and the system tells (Unix).
fn address_space() -> Option<u64> {
    #[cfg(unix)]
    return rustix::process::getrlimit(rustix::process::Resource::As).current;
    #[cfg(not(unix))]
    None
}

/// What is left of the address space, if it is limited (`ulimit -v`) and the system tells (Linux).
pub fn address_space_left() -> Option<u64> {
    let left = address_space()?.saturating_sub(virtual_bytes()?);
    Some(left.saturating_sub(SPARE_ADDRESSES))
}

/// What may be used beyond a limit of memory, at least and as a part of it, by those who are about to give some back.
const OVERRUN: u64 = 32 << 20;
const OVERRUNS: u64 = 8;

/// Hardly any addresses are left: most of what is kept free between two looks is used up.
fn addresses_run_out() -> bool {
    let used_up = |limit| virtual_bytes().is_some_and(|used| used + SPARE_ADDRESSES / 4 > limit);
    address_space().is_some_and(used_up)
}

/// The stack of a thread that says nothing of it.
pub const SMALL_STACK: usize = 2 << 20;

/// Whether threads with these stacks, all at a time, would be started now. For libraries that start theirs
/// and panic if they cannot.
pub fn can_start_threads(stacks: &[usize]) -> Result<(), Reason> {
    let gate = Mutex::new(());
    thread::scope(|scope| {
        let closed = gate.lock();
        let pass = || drop(gate.lock());
        let started = stacks.iter().try_for_each(|&stack| {
            let thread = thread::Builder::new().stack_size(stack).spawn_scoped(scope, pass);
            thread.map(|_| ()).map_err(|error| Reason::no_thread(stack, &error))
        });
        drop(closed);
        started
    })
}

/// A field of a process's memory statistics, in bytes.
fn bytes_of_process(process: impl fmt::Display, field: usize) -> Option<u64> {
    const PAGE: u64 = 4096;
    let text = std::fs::read_to_string(format!("/proc/{process}/statm")).ok()?;
    text.split(' ').nth(field)?.parse::<u64>().ok().map(|pages| pages * PAGE)
}

/// The most memory the process has used so far, where the system tells (Linux).
pub fn peak_bytes() -> Option<u64> {
    kilobytes_of("/proc/self/status", "VmHWM:")
}

/// The most memory another process has used so far, where the system tells (Linux).
pub fn peak_bytes_of(process: u32) -> Option<u64> {
    kilobytes_of(&format!("/proc/{process}/status"), "VmHWM:")
}

/// Processor time the process has used so far, in all its threads, where the system tells (Unix).
pub fn cpu_time() -> Option<Duration> {
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        Duration::try_from(time).ok()
    }
    #[cfg(not(unix))]
    None
}

/// Memory that the process could still get without making the system swap, where the system tells.
pub fn available_bytes() -> Option<u64> {
    kilobytes_of("/proc/meminfo", "MemAvailable:")
}

/// A line such as `VmHWM:  1234 kB`, in bytes.
fn kilobytes_of(file: &str, name: &str) -> Option<u64> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}
