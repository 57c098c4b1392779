//! Boolean programs with known verdicts, and random ones.
//!
//! A *family* is a program for each size: [`FAMILIES`] lists them, each with its parameter, where it
//! comes from and what it costs in theory, in a version that is safe and one that is not.
//! [`instances`] reads ranges of sizes such as `tn:10..160x2`, as experiments name them; [`expected`]
//! reads the verdict that a program's own comment states. A [`SuiteFile`] is an experiment, a [`Record`] one of its runs; [`charts`] shows them, [`plot`] draws, [`Growth`] is a curve through what was measured.
//! [`qbf_program`] and [`sat_program`] make programs of formulas, [`qbf_ctl`] and [`qbf_exits`] machines and questions of branching time, as [`expspace`] does, [`circuit`], [`drink`] and [`ghosts`] open systems;
//! for alternating machines.
//! [`random_program`] gives a program for each seed and [`Shape`]. Both give text, so that this
//! package needs nothing of the checker and any other tool can read the same programs.
//!
//! Invariant: the text depends on the arguments alone. A family, a size and a verdict, or a seed and
//! a shape, name the same program on every machine and for ever.
//!
//! Invariant: a family's text is written in time and memory linear in its length.
//!
//! ```
//! use epitome_benchmarks::{Verdict, generate};
//! let text = generate("tn", 3, Verdict::Unsafe).unwrap();
//! assert!(text.contains("// expected: FALSE\n"));
//! assert!(text.contains("void level3() begin"));
//! ```

mod alternating;
mod branching;
mod catalogue;
pub mod charts;
mod counters;
mod drivers;
mod expectation;
mod exponential;
mod families;
mod formulas;
mod from_formula;
mod growth;
mod hierarchies;
mod machines;
mod module;
mod overview;
pub mod plot;
mod quantified;
mod random;
mod record;
mod suite;
mod suite_file;
mod summary;
mod symbolic;
mod unordered;

pub use branching::{QBF_EXITS, qbf_ctl, qbf_exits};
pub use catalogue::FAMILIES;
pub use expectation::{BadExpectation, expected};
pub use exponential::{Alternation, EXPSPACE, TapeMachine, TapeStep, expspace};
pub use families::{Family, FamilyError, Question, Verdict, families_of_failures, family, generate};
pub use from_formula::{Player, qbf_program, sat_program};
pub use growth::Growth;
pub use module::{circuit, drink, ghosts};
pub use overview::{overview, overview_table};
pub use random::{Shape, SplitMix64, random_program};
pub use record::{BadRecords, COLUMNS, DONE, NOTHING, Record, RecordSizes, read_records};
pub use suite::{BadSuite, Instance, instances, names_family};
pub use suite_file::{Group, Settings, SuiteFile};
pub use summary::{SUMMARY_COLUMNS, SummaryRow, program_table, summary, summary_table};
