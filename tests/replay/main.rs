//! Replay: what it accepts and what it rejects, by hand for each rule, and held against a second
//! meaning of the languages for thousands of changed runs.

mod calls;
#[path = "../common/mod.rs"]
mod common;
mod machines;
mod mutations;
mod programs;
mod shorthand;
mod statements;
mod transitions;
mod unread;
