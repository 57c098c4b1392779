//! How cost grows: counted, not timed, so that the answers are the same on every machine.

use epitome::engine::Statistics;
use epitome::engine::expand::Algorithm;
use epitome::limits::Limits;
use epitome::logic::Query;
use epitome::model::SourceRun;
use epitome::reduce::Reductions;
use epitome::syntax::{Language, Program, Source};
use epitome::{Checker, Engine, Verdict};
use epitome_benchmarks::{Verdict as Version, generate};
use std::fmt::Write;

struct Checked {
    verdict: Verdict,
    statistics: Statistics,
    run: Option<SourceRun>,
}

fn check(text: &str, language: Language, engine: Engine) -> Checked {
    check_with(text, language, engine, Reductions::all())
}

/// Without reductions: these would leave the engine nothing to do.
fn check_engine(text: &str, language: Language, engine: Engine) -> Checked {
    check_with(text, language, engine, Reductions::none())
}

fn check_with(text: &str, language: Language, engine: Engine, reductions: Reductions) -> Checked {
    let source = Source::new("program", text);
    let (program, _) = Program::parse(&source, language).expect("the program parses");
    let checker = Checker::new(&program).with_reductions(reductions);
    let report = checker.check(&Query::Failures, engine, &Limits::none(), &mut |_| ());
    let report = report.expect("the run replays");
    Checked { verdict: report.verdict, statistics: report.statistics, run: report.run }
}

fn family(name: &str, n: u32, version: Version) -> Checked {
    check(&generate(name, n, version).expect("a family"), Language::Bp, Engine::Auto)
}

/// Path edges and stored trace steps of T(N), X(N), E(N) grow linearly, 32,000 procedures included.
#[test]
fn hierarchies_cost_linear_work() {
    for name in ["tn", "xn", "en"] {
        for version in Version::ALL {
            let [small, large] = [1_000, 32_000].map(|n| family(name, n, version));
            let expected = if version == Version::Safe { Verdict::Holds } else { Verdict::Violated };
            assert_eq!((&small.verdict, &large.verdict), (&expected, &expected), "{name}");
            let ratio = large.statistics.path_edges as f64 / small.statistics.path_edges as f64;
            assert!(ratio < 33.0, "{name} {version:?}: 32 times the size, {ratio} times the path edges");
            if let (Some(small), Some(large)) = (small.run, large.run) {
                let ratio = large.stored_steps() as f64 / small.stored_steps() as f64;
                assert!(ratio < 33.0, "{name}: 32 times the size, {ratio} times the stored steps");
            }
        }
    }
}

/// Every run of E(200) makes 2^200 calls; its trace is stored in a few thousand steps.
#[test]
fn exponential_runs_are_stored_once() {
    let checked = family("en", 200, Version::Unsafe);
    let run = checked.run.expect("a run");
    assert!(run.stored_steps() < 5_000, "{}", run.stored_steps());
    assert!(run.full_length(|_, _| true) > 2f64.powi(200));
}

/// A loop of 2^n rounds costs two path edges a round.
#[test]
fn loops_cost_their_rounds() {
    let checked = family("ln", 12, Version::Safe);
    assert!(checked.statistics.path_edges < (2 << 12) + 10, "{}", checked.statistics.path_edges);
}

/// A component with `entries` entries, one exit and `nodes` nodes in a chain, called at every entry.
fn funnel(entries: usize, nodes: usize) -> String {
    let mut text = String::from("machine Main {\n  entry e;\n  exit x;\n  node ERROR;\n  box b: Sub;\n");
    for i in 0..entries {
        let _ = writeln!(text, "  e -> b.e{i};");
    }
    text.push_str("  b.x -> x;\n}\nmachine Sub {\n  exit x;\n");
    for i in 0..entries {
        let _ = writeln!(text, "  entry e{i};\n  e{i} -> n0;");
    }
    for i in 0..nodes {
        let next = if i + 1 < nodes { format!("n{}", i + 1) } else { "x".to_owned() };
        let _ = writeln!(text, "  node n{i};\n  n{i} -> {next};");
    }
    text + "}\ninit Main.e;\n"
}

/// Fewer exits than entries: the relation is computed backward, once for all entries (Alur-RSM 3.1).
#[test]
fn exit_bound_components_are_computed_backward() {
    let text = funnel(100, 1_000);
    let forward = check_engine(&text, Language::Rsm, Engine::Expand(Some(Algorithm::Forward)));
    let components = check_engine(&text, Language::Rsm, Engine::Auto);
    assert_eq!((&forward.verdict, &components.verdict), (&Verdict::Holds, &Verdict::Holds));
    assert_eq!(components.statistics.algorithm, "components");
    assert!(forward.statistics.path_edges > 100 * 1_000);
    assert!(components.statistics.path_edges < 2_000, "{}", components.statistics.path_edges);
}

/// What is known of pairs of vertices is stored in rows of bits (Alur-RSM 3.1): a pair costs less than an entry of a hash
/// table would, the lists of the search included.
#[test]
fn pairs_of_vertices_are_bits() {
    let text = generate("theta", 100, Version::Safe).expect("a family");
    let checked = check_engine(&text, Language::Rsm, Engine::Auto);
    let statistics = &checked.statistics;
    assert_eq!((&checked.verdict, statistics.algorithm), (&Verdict::Holds, "components"));
    assert!(statistics.bytes < 50 * statistics.path_edges, "{} {}", statistics.bytes, statistics.path_edges);
}

/// A deterministic program visits a state once, however many inputs lead to it (Godefroid Theorem 11):
/// `q` is called with 64 inputs, forgets them and walks 50 steps.
#[test]
fn deterministic_programs_visit_states_once() {
    let skips = "  skip;\n".repeat(50);
    let text = format!(
        "void main() begin
  decl a := 0, b := 0, c := 0, d := 0, e := 0, f := 0, done := 0;
  while (!done) do
    q(a, b, c, d, e, f);
    done, a, b, c, d, e, f := a & b & c & d & e & f, !a, b ^ a, c ^ (a & b), d ^ (a & b & c),
      e ^ (a & b & c & d), f ^ (a & b & c & d & e);
  od
end
void q(a, b, c, d, e, f) begin
  a, b, c, d, e, f := 0, 0, 0, 0, 0, 0;
{skips}  assert(!a);
end
"
    );
    let forward = check_engine(&text, Language::Bp, Engine::Expand(Some(Algorithm::Forward)));
    let deterministic = check_engine(&text, Language::Bp, Engine::Auto);
    assert_eq!((&forward.verdict, &deterministic.verdict), (&Verdict::Holds, &Verdict::Holds));
    assert_eq!(deterministic.statistics.algorithm, "deterministic");
    assert!(forward.statistics.path_edges > 64 * 50, "{}", forward.statistics.path_edges);
    assert!(deterministic.statistics.path_edges < 500, "{}", deterministic.statistics.path_edges);
}

/// Few bits in and out, no loops, no choices: one run for each input of each procedure (Theorem 5).
#[test]
fn small_inputs_are_tabulated() {
    let text = generate("en", 50, Version::Safe).expect("a family");
    let checked = check(&text, Language::Bp, Engine::Expand(Some(Algorithm::Table)));
    assert_eq!(checked.statistics.algorithm, "table");
    assert!(checked.statistics.path_edges < 50 * 2 * 10, "{}", checked.statistics.path_edges);
}
