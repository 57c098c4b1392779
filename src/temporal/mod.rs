//! Linear time: machines and Büchi automata, as transformations of machines.
//!
//! ```text
//!  Ersm ──Outermost──▶ Ersm ──product (automaton, letters)──▶ Product ──mark──▶ Marked ──engine──▶ Head
//!                                                                │                               │
//!                    Lasso ◀── Question::lasso ◀── run ◀── engine ◀── Question ◀─────────────────┘
//! ```
//!
//! A violation is an accepting run of the product. Engines look for a repeating head of the marked product (explicit and BDD
//! engine), and ask for the run through it; or they ask for any head at once (SAT, QBF). Nothing here searches.

mod explanation;
mod forever;
mod heads;
mod lasso;
mod letters;
mod mark;
mod module;
mod outermost;
mod product;
mod question;
mod strategy;

pub use explanation::{Claim, Explanation, LONGEST_SHOWN, Shown, SourceExplanation};
pub use lasso::{Again, Lasso, SourceLasso, growth};
pub use letters::{Letter, Letters, State};
pub use mark::{Marked, mark};
pub use module::{Module, ModuleError};
pub use outermost::Outermost;
pub use product::{Above, ProcedureAbove, Product, TooManyChoices, product};
pub use question::{Growth, Head, Question};
pub use strategy::{ModuleState, Pruned, PrunedEnd, PrunedNode, PrunedRole, SourceStrategy, Strategy};
