//! A second reading of Boolean programs, straight from Ball and Rajamani's paper (sections 2.1 to 2.4) and
//! the grammar of `docs/bp.md`.
//!
//! It takes nothing from the library, not even the parser: it reads the text to a tree (`read.rs`), gives
//! each statement its vertex and the vertices that follow it (`graph.rs`: the paper's First, Next, Tsucc
//! and Fsucc), and finds every vertex that can be reached by trying all values (`search.rs`). So a mistake
//! of the parser, of what it makes of `if` and `while`, of where a label stands or of where a jump leads
//! is not shared by what the engines are compared with.

mod expr;
mod graph;
mod read;
pub mod search;
mod tokens;

use search::Known;

/// What a text says, or why it cannot be read; `None` if there is too much to try.
pub fn reach(text: &str) -> Result<Option<Known>, String> {
    match read::read(text)? {
        Some(program) => search::search(&program),
        None => Ok(None),
    }
}
