//! Ctrl-C and SIGTERM: the first asks the engine to stop in order, the second ends the process.
//!
//! Where the system limits the size of files or the address space, it says so by a signal that ends the process, or by
//! an error that does; here they become messages.
//!
//! `signal-hook` rather than `ctrlc`, because the exit status tells which signal it was (130, 143).

use crate::limits::address_space_left;
use signal_hook::consts::{SIGABRT, SIGINT, SIGTERM};
use signal_hook::flag;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Once, OnceLock};

struct Signals {
    interrupt: Arc<AtomicBool>,
    which: Arc<AtomicUsize>,
}

static SIGNALS: OnceLock<Signals> = OnceLock::new();

/// A flag that a signal sets.
pub(super) fn interrupt_flag() -> io::Result<Arc<AtomicBool>> {
    if let Some(signals) = SIGNALS.get() {
        return Ok(signals.interrupt.clone());
    }
    let signals = Signals { interrupt: Arc::default(), which: Arc::default() };
    for signal in [SIGINT, SIGTERM] {
        // In this order: the shutdown only fires if the flag was set by an earlier signal.
        flag::register_conditional_shutdown(signal, 128 + signal, signals.interrupt.clone())?;
        flag::register(signal, signals.interrupt.clone())?;
        flag::register_usize(signal, signals.which.clone(), 128 + signal as usize)?;
    }
    Ok(SIGNALS.get_or_init(|| signals).interrupt.clone())
}

/// A file that may not grow any more is an error of who writes it, not the end of the process.
pub(super) fn survive_full_files() {
    #[cfg(unix)]
    {
        // Without it the process ends with the signal, as it would without us.
        let _ = flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
    }
}

/// Where the address space is limited an allocation may fail, which Rust and C++ answer, after a message, with SIGABRT.
/// There is no answer then, and nothing is wrong with us.
pub(super) fn survive_lack_of_addresses() {
    static ONCE: Once = Once::new();
    if address_space_left().is_some() {
        ONCE.call_once(|| {
            let unknown = super::Status::Unknown.code().into();
            let _ = flag::register_conditional_shutdown(SIGABRT, unknown, Arc::new(AtomicBool::new(true)));
        });
    }
}

/// The exit status a signal asks for, if one came.
pub(super) fn exit_code() -> Option<u8> {
    let code = SIGNALS.get()?.which.load(Ordering::Relaxed);
    u8::try_from(code).ok().filter(|&code| code != 0)
}
