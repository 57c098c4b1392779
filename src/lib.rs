//! Epitome: a model checker for Boolean programs.
//!
//! A Boolean program has procedures, recursion, nondeterminism and Boolean variables: an extended
//! recursive state machine (ERSM). Epitome answers whether a label can be reached or an assertion can
//! fail, whether all runs satisfy a formula of linear temporal logic, whether a formula of CTL or CTL* holds, and whether it holds against every environment of an open system. Every violation comes with a trace that an interpreter of the source program has replayed; a proof
//! that there is none can be written down and checked.
//!
//! # The flow
//!
//! ```text
//!  text ──syntax──▶ Program ──model::build──▶ Ersm ──classify──▶ Class
//!  property ──logic──▶ Query ──────────────────┘                    │
//!                                              └───reduce──▶ Ersm   ▼
//!  Report ◀── replay (source only) ◀── lift ◀── Run ◀── engine: expand | tabulate (bdd) | summarize (sat) | quantify (qbf)
//!    VALID ◀── certify (model and another solver) ◀── Proof ◀────────────────────────────────┘
//!
//!  formula ──automata──▶ Buchi ──temporal──▶ Product ──engine──▶ Head ──▶ Question of reachability ──as above──▶ Lasso
//!  formula ──logic──▶ Stages ──engine: labelling──▶ Explanation ──replay (source only)──▶ Report
//!  open system ──temporal──▶ Module ──engine──▶ Strategy ──as a closed machine──▶ checked again ──▶ Report
//! ```
//!
//! Values move forward. Every step that changes the program returns the way back: building a model
//! gives a [`model::SourceMap`] that lifts a run of the model to a run of the source, reducing it gives a
//! [`reduce::Back`] along which a run of the reduced machine is executed again on the model.
//!
//! # The rooms
//!
//! | module | what is in it | may use |
//! | --- | --- | --- |
//! | [`limits`] | time, memory, interruption, turns of engines that race; why a run stopped | |
//! | [`process`] | programs of others: how they are started, watched and ended | limits |
//! | [`solver`] | SAT solvers behind one trait, and a QBF solver on them | limits, process |
//! | [`syntax`] | texts, messages, and the languages: Boolean programs (`bp`), machines (`rsm`), Horn clauses (`horn`), C (`c`) | |
//! | [`logic`] | queries, properties of linear and branching time | |
//! | [`model`] | the ERSM, its circuits, runs, proofs, call graph; building and exporting | syntax, logic |
//! | [`reduce`] | reductions: smaller machines with the same answers, and the way back | model, solver, syntax, logic, limits |
//! | [`classify`] | measures, complexity class, plan | model, solver, limits, syntax, logic |
//! | [`temporal`] | linear time as transformations of machines: product with an automaton, marks on summaries, cycles as reachability, lassos; modules of open systems | model, logic |
//! | [`engine`] | engines that answer reachability, find repeating heads, label states with formulas of branching time: `expand`, the explicit one, `tabulate`, with BDDs, `summarize`, with SAT, and `quantify`, with QBF; what the last two share is in `system` | model, solver, limits, logic, temporal, automata |
//! | [`evidence`] | replay of runs and lassos against the source, telling them, witnesses and harnesses, strategies as machines | syntax, logic, the types of runs and strategies of model and temporal |
//! | [`certify`] | certificates of TRUE: writing, reading and checking proofs; invariants of C from them | model, solver, limits, syntax |
//! | [`Checker`] | the pipeline from program and query to report | all above |
//! | [`cli`] | the command line; experiments (`cli::bench`), which run it in processes of their own | everything public |
//!
//! Circuits, systems of predicates and their clauses live in the package `epitome-encodings`, program families
//! and how experiments name them in `epitome-benchmarks`, formulas of linear temporal logic and their Büchi automata in
//! `epitome-automata`; none of them knows anything of this package.
//!
//! # Invariants
//!
//! - Invariant: nothing recurses over the length, depth or nesting of an input. Expressions are postfix
//!   lists, bodies are flat lists, runs are graphs walked with explicit stacks. (The BDD library recurses
//!   over its variables, the C parser and the lowering of its tree over nesting; they get threads with stacks to
//!   match, and nesting is bounded before.)
//! - Invariant: engines never see a source text; replay never sees a model, its builders or engines. (What
//!   both know is the syntax tree and where its statements lead, `syntax::bp::flow`; the reference
//!   checker of the tests has its own.)
//! - Invariant: a run that does not replay, or does not end in a violation by the source program alone,
//!   is an internal error, never a verdict.
//! - Invariant: what checks proofs uses nothing of the engines and reductions; what it cannot express makes a
//!   proof invalid.
//! - Invariant: only [`cli`] prints; only it decides exit codes. Programs of others (the C preprocessor, QBF
//!   solvers) are
//!   started by [`process`] only, runs of experiments by `cli::bench` (its file `child.rs`).
//! - Invariant: `Unknown` always carries its reason.
//! - Invariant: the same input and options give the same output, times aside. (In a race of engines the verdict is the
//!   same; whose run is shown depends on who is first.)
//! - Deliberately absent: threads of Boolean programs (a clear error names them), `unsafe`, any `utils`.
//!
//! # Where the design was bent
//!
//! - Valuations in the explicit engine are ternary: an arbitrary variable stays open until something
//!   reads it (`engine::expand::valuation`, which argues why this is exact). Explicit engines usually
//!   enumerate arbitrary values; programs with many uninitialised variables are out of reach for them.
//! - For I/O bounded deterministic acyclic hierarchies (Godefroid Theorem 5) the plan is the top-down
//!   deterministic pass, not the bottom-up table: it fills the same table, but only for inputs that
//!   occur. The table can be forced.
//! - The BDD engine is not only Ball's search from the values that occur: it takes turns with a search
//!   that summarizes procedures for all values, and it squares the relations of loops
//!   (`engine::tabulate::search`, `engine::tabulate::closure`). R(n) and L(n) go from 2^n rounds to a few.
//! - The SAT engine goes beyond the search it is built after: a lemma that cannot be pushed is pursued
//!   until a fact shows that it never can (`engine::summarize::levels`), and procedures of the same shape try
//!   each other's lemmas and facts (`engine::summarize::imitate`). A loop is recursion of its procedure's own
//!   predicate, with the heads of loops among its places: one solver sees all of a procedure.
//! - The modular QBF encoding has no universal vectors of arguments: *forall* chooses the number of a call, and the
//!   request follows (`epitome_encodings::modular`). Calls that exclude each other share a number, results
//!   that matter one way are asked one way, calls whose results do not matter are not asked. So the program of a
//!   formula (Fig. 3) is encoded as that formula.
//! - Certificates speak of the program as written, not of the reduced one, and their checker shares nothing
//!   with engines and reductions but the model ([`certify`]).
//! - The plan of `auto` is a race with shares, not one engine by theorem (`classify::Plan`, `checker::race`): quantified formulas,
//!   which the design puts first for the PSPACE classes, are measured to be first only on deep hierarchies without
//!   loops. In a race engines take turns on the processors through their limits ([`limits::Turnstile`]): none
//!   has to start again for being slow.
//! - Compaction is not applied where a shortest run is asked for, and a small search is made a second
//!   time without it, so that everyday traces are short in steps of the source.
//! - Reductions return maps, and a run is lifted through all of them at once by executing it again
//!   (`reduce::retrace`), not once for each: values that a reduction dropped are recomputed only once.
//! - `.rsm` transitions also take `constrain`, as assignments of Boolean programs do, so that every
//!   program can be written as machines without extra steps.
//! - Small functions of C are written out where they are called (`syntax::c`), before there is a model: every engine
//!   gains, and statements remember whose they are, so that traces show calls as written. Certificates and `reach`
//!   speak of the program without that.
//! - What C does not define (an index out of bounds, division by zero, a shift by too much) ends a run. A TRUE is said
//!   only if no such run exists: otherwise the answer is UNKNOWN. Signed overflow wraps around.
//! - BDD variables that are digits of numbers are ordered by the numbers (`engine::tabulate`): narrow numbers together,
//!   wide ones digit by digit. Token rings of SystemC models go from time-outs to fractions of a second.
//! - A lasso is not put together by the engine that found its head: the run through a head is the answer to a question of reachability
//!   ([`temporal::Question`]), so that every engine's own way to find runs, and all reductions, serve linear time as well. The predicate Z of
//!   Alur-RSM 3.2 is a variable of the product ([`temporal::mark`]) where summaries have variables, and derived by the paper's rules where
//!   they have none.
//! - Branching time knows one operator, "some run is accepted by this automaton" ([`logic::Stage`]), instead of EX, EU, EG and path formulas of
//!   CTL* ([`engine::expand`], its part `branching`). Copies by what holds at exits are of single states, not of components: the same algorithm is
//!   the one for single exits, for many exits, and for deterministic programs.
//! - An explanation of branching time is a list of runs from the start of the program, not a tree of parts of runs ([`temporal::Explanation`]): each is replayed like
//!   any other. Which states of a run matter is worked out from the path formula alone, in three values (`epitome_automata::Known`), by the engine
//!   that explains and again by the replay.
//! - An open system's states need not belong to one side: transitions are put in groups of alternatives of the environment ([`temporal::Module`]), which is what
//!   the paper's states of the system and of the environment are special cases of. A strategy is checked as a machine of its own, read from its text.
//! - Where a run can stay for ever is one step of the product, not a loop at every node: whether the automaton accepts a letter repeated for
//!   ever is a circuit (`temporal::forever`).
//! - Horn clauses have no model of their own: they are read as the Boolean program that derives what they
//!   derive (`syntax::horn`), whose statements stand where the clauses do.
//! - Messages about texts are rendered by a few lines of our own rather than by a crate: a line of
//!   megabytes is cut around the caret and control characters are made visible, with true columns.
//! - Signals are handled by `signal-hook`, which tells SIGINT from SIGTERM; the exit status needs that.

pub mod certify;
mod checker;
pub mod classify;
pub mod cli;
pub mod engine;
pub mod evidence;
pub mod limits;
pub mod logic;
pub mod model;
pub mod process;
pub mod reduce;
pub mod solver;
pub mod syntax;
pub mod temporal;

pub use checker::{
    CheckError, Checker, Engine, Leftover, NamedFormula, NamedQbf, Open, Reachability, Reached, Report, Usual, Verdict,
};
