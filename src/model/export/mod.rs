//! The model in other forms: machines, Boolean programs, Horn clauses, graphs to look at.
//!
//! `to_rsm` and `to_bp` give syntax trees, so that writing, parsing and checking what they give is the
//! business of the languages; both are exact, step for step or path for path, for every [`Ersm`]. They
//! share what is hard about it: circuits become trees (`circuit_expr`), choices that several signals
//! of a transition share become variables (`steps`), names become legal and distinct (`names`), and
//! machines that no text can describe are brought into a form that one can (`normal`).
//!
//! `to_c`, `to_promela` and `to_pds` write Boolean programs for checkers of other languages, with their question:
//! whether an assertion can fail or a label of failure be reached. `question` makes that the question about any
//! machine. They share the program without nesting (`flat`), its expressions in the operators that all
//! languages have (`formula`), and names (`peer_names`).
//!
//! `to_chc` writes a question about a model, for solvers of Horn clauses: one relation for each vertex
//! (`chc_relations`), one clause for each transition and call (`chc_clause`).
//!
//! [`Ersm`]: super::Ersm

mod bp_body;
mod bp_code;
mod calls;
mod chc_clause;
mod chc_relations;
mod circuit_expr;
mod drawing;
mod flat;
mod formula;
mod names;
mod normal;
mod peer_names;
mod question;
mod scope;
mod source_names;
mod steps;
mod to_bp;
mod to_c;
mod to_chc;
mod to_dot;
mod to_mermaid;
mod to_pds;
mod to_promela;
mod to_rsm;
mod to_svg;

pub use calls::calls;
pub use circuit_expr::TooLarge;
pub use drawing::{Arrow, Drawing, Picture, Shape, Shown, ShownBox, Subject};
pub use question::question;
pub use to_bp::to_bp;
pub use to_c::to_c;
pub use to_chc::to_chc;
pub use to_dot::to_dot;
pub use to_mermaid::to_mermaid;
pub use to_pds::to_pds;
pub use to_promela::to_promela;
pub use to_rsm::to_rsm;
pub use to_svg::to_svg;
