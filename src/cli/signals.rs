//! Ctrl-C and SIGTERM: the first asks the engine to stop in order, the second ends the process.
//!
//! `signal-hook` rather than `ctrlc`, because the exit status tells which signal it was (130, 143).

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

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

/// The exit status a signal asks for, if one came.
pub(super) fn exit_code() -> Option<u8> {
    let code = SIGNALS.get()?.which.load(Ordering::Relaxed);
    u8::try_from(code).ok().filter(|&code| code != 0)
}
