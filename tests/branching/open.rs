//! Formulas against every environment: prunings that are tried out, laws, and algorithms against each other.

use super::common::guarded_machines::guarded_machines;
use super::common::kripke::Graph;
use super::common::machines::{random_extended, random_machines};
use super::common::seeds::times;
use super::formulas::{random_ctl, random_ctl_star};
use super::{branching, holds};
use epitome::limits::{Limits, Reason};
use epitome::logic::{Branching, Query};
use epitome::syntax::{Program, Source, rsm};
use epitome::{Checker, Engine, Report, Verdict};
use epitome_automata::{Formulas, Logic, parse_in};
use epitome_benchmarks::{SplitMix64, circuit, drink};
use std::fmt::Write;
use std::sync::Arc;

fn read(text: &str) -> Program {
    let source = Source::new("test.rsm", text);
    Program::Rsm(rsm::parse(&source).unwrap_or_else(|errors| panic!("{}\n{text}", errors[0].render(&source))).0)
}

/// What is said of a formula and every environment. (A strategy is there if it does not hold, and has been checked.)
fn open(program: &Program, formula: &str) -> Report {
    let query = Query::Branching(Arc::new(Branching { open: true, ..branching(formula) }));
    let report = Checker::new(program).check(&query, Engine::Expand(None), &Limits::none(), &mut |_| ());
    report.unwrap_or_else(|error| panic!("{formula}: {error}"))
}

fn holds_open(program: &Program, formula: &str) -> bool {
    match open(program, formula).verdict {
        Verdict::Holds => true,
        Verdict::Violated => false,
        Verdict::Unknown(reason) => panic!("{formula}: {reason}"),
    }
}

/// A module without calls: by node its successors, its propositions, and whether it is the environment's.
struct Small {
    next: Vec<Vec<usize>>,
    letters: Vec<u64>,
    environment: Vec<bool>,
}

const ATOMS: [&str; 2] = ["p", "q"];

impl Small {
    fn random(random: &mut SplitMix64) -> Small {
        let count = 2 + random.below(3);
        let next = |random: &mut SplitMix64| {
            let mut next: Vec<usize> = (0..1 + random.below(3)).map(|_| random.below(count) as usize).collect();
            next.sort_unstable();
            next.dedup();
            next
        };
        let next = (0..count).map(|_| next(random)).collect();
        let letters = (0..count).map(|_| random.below(4)).collect();
        let environment = (0..count).map(|_| random.chance(2, 3)).collect();
        Small { next, letters, environment }
    }

    fn text(&self) -> String {
        let mut text = "machine M {\n".to_owned();
        for node in 0..self.next.len() {
            let owner = if self.environment[node] { "env " } else { "" };
            let kind = if node == 0 { "entry" } else { "node" };
            let held = (0..2).filter(|atom| self.letters[node] >> atom & 1 == 1).map(|atom| ATOMS[atom]);
            let _ = writeln!(text, "{owner}{kind} n{node} {{{}}};", held.collect::<Vec<_>>().join(", "));
        }
        for (node, next) in self.next.iter().enumerate() {
            next.iter().for_each(|to| {
                let _ = writeln!(text, "n{node} -> n{to};");
            });
        }
        // Formulas may speak of what is nowhere.
        text.push_str("node nowhere {p, q};\n}\ninit M.n0;\n");
        text
    }

    /// The successors that an environment leaves, as bits, for each of so many states of its memory; and the next state of the memory.
    fn pruned(&self, memory: usize, kept: impl Fn(usize, usize) -> u64, next: impl Fn(usize, usize) -> usize) -> Graph {
        let (mut successors, mut letters) = (Vec::new(), Vec::new());
        for now in 0..memory {
            for node in 0..self.next.len() {
                let left = |place: &usize| !self.environment[node] || kept(now, node) >> place & 1 == 1;
                let left = (0..self.next[node].len()).filter(left).map(|place| self.next[node][place]);
                let left: Vec<usize> = left.map(|to| next(now, to) * self.next.len() + to).collect();
                successors.push(left);
                letters.push(self.letters[node]);
            }
        }
        Graph { initial: vec![0], successors, letters }
    }

    /// All environments without memory.
    fn memoryless(&self) -> Vec<Graph> {
        let sizes: Vec<u64> = self
            .next
            .iter()
            .zip(&self.environment)
            .map(|(next, environment)| if *environment { (1 << next.len()) - 1 } else { 1 })
            .collect();
        let all: u64 = sizes.iter().product();
        let graph = |number: u64| {
            let kept = |_: usize, node: usize| number / sizes[..node].iter().product::<u64>() % sizes[node] + 1;
            self.pruned(1, kept, |_, _| 0)
        };
        (0..all).map(graph).collect()
    }

    /// An environment with a memory.
    fn random_pruning(&self, random: &mut SplitMix64) -> Graph {
        let memory = 2 + random.below(3) as usize;
        let count = self.next.len();
        let kept: Vec<u64> =
            (0..memory * count).map(|at| 1 + random.below((1 << self.next[at % count].len()) - 1)).collect();
        let next: Vec<usize> = (0..memory * count).map(|_| random.below(memory as u64) as usize).collect();
        self.pruned(memory, |now, node| kept[now * count + node], |now, node| next[now * count + node])
    }
}

/// Every environment that violates a formula is noticed; and what holds against all holds of the closed system.
fn prunings(seeds: std::ops::Range<u64>, formula: fn(&mut SplitMix64, &[String], u64) -> String) -> [usize; 2] {
    let atoms = ATOMS.map(str::to_owned);
    let mut verdicts = [0, 0];
    for seed in seeds.start..seeds.start + (seeds.end - seeds.start) * times() {
        let mut random = SplitMix64::new(seed);
        let module = Small::random(&mut random);
        let program = read(&module.text());
        for _ in 0..4 {
            let size = 1 + random.below(4);
            let text = formula(&mut random, &atoms, size);
            let mut formulas = Formulas::default();
            let parsed =
                parse_in(Logic::CtlStar, &text, &mut formulas).unwrap_or_else(|error| panic!("{text}: {error}"));
            // The letters are about the atoms of the formula, in its order.
            let order: Vec<usize> = formulas.atoms().iter().map(|atom| usize::from(atom == "q")).collect();
            let holds_in = |mut graph: Graph| {
                let letter = |letter: &u64| {
                    order.iter().enumerate().fold(0, |all, (bit, atom)| all | (letter >> atom & 1) << bit)
                };
                graph.letters = graph.letters.iter().map(letter).collect();
                graph.satisfies(&formulas, parsed.formula)
            };
            let report = open(&program, &text);
            let said = match report.verdict {
                Verdict::Holds => true,
                Verdict::Violated => false,
                Verdict::Unknown(Reason::TooManyStates) => continue,
                Verdict::Unknown(reason) => panic!("{text}: {reason}"),
            };
            verdicts[usize::from(said)] += 1;
            if !said {
                assert!(report.strategy.is_some() || !holds(&program, &text), "seed {seed}: {text}");
                continue;
            }
            let mut tried = module.memoryless();
            tried.extend((0..40).map(|_| module.random_pruning(&mut random)));
            assert!(
                tried.into_iter().all(holds_in),
                "seed {seed}: {text} is violated by an environment\n{}",
                module.text()
            );
        }
    }
    verdicts
}

#[test]
fn prunings_against_ctl() {
    let verdicts = prunings(0..150, random_ctl);
    assert!(verdicts.iter().all(|&count| count > 50), "{verdicts:?}");
}

#[test]
fn prunings_against_ctl_star() {
    let verdicts = prunings(10_000..10_100, random_ctl_star);
    assert!(verdicts.iter().all(|&count| count > 30), "{verdicts:?}");
}

/// The linear algorithm against the game, and the breakpoint against Safra's trees.
#[test]
fn algorithms_agree() {
    let mut differs = 0;
    for seed in 20_000..20_000 + 100 * times() {
        let mut random = SplitMix64::new(seed);
        let module = Small::random(&mut random);
        let program = read(&module.text());
        for (linear, game) in [
            ("EF p", "EF EF p"),
            ("AG EF p", "AG EF EF p"),
            ("AG (q -> EF p)", "AG (q -> EF EF p)"),
            ("EX p & AG EF q", "!(!EX p | !AG EF EF q)"),
        ] {
            let answers = [linear, game].map(|formula| holds_open(&program, formula));
            assert_eq!(answers[0], answers[1], "seed {seed}: {linear} against {game}\n{}", module.text());
            assert!(!answers[0] || holds(&program, linear), "seed {seed}: {linear} holds of the module only");
            differs += usize::from(!answers[0] && holds(&program, linear));
        }
        let formula = random_ctl(&mut random, &ATOMS.map(str::to_owned), 3);
        let with_trees = format!("({formula}) | !E (G F p | F G !p)");
        let answers = [&formula, &with_trees].map(|formula| holds_open(&program, formula));
        assert_eq!(answers[0], answers[1], "seed {seed}: {formula}\n{}", module.text());
        let negation = holds_open(&program, &format!("!({formula})"));
        assert!(!(answers[0] && negation), "seed {seed}: {formula} and its negation\n{}", module.text());
    }
    assert!(differs > 20, "closed and open systems differ {differs} times only");
}

/// Choices of a machine that are the environment's, at random.
fn with_environment(text: &str, random: &mut SplitMix64) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let (word, rest) = line.trim().split_once(' ').unwrap_or((line, ""));
        match (word, rest.strip_suffix(';')) {
            ("node" | "entry", Some(names)) => names.split(", ").for_each(|name| {
                let _ = writeln!(out, "  {}{word} {name};", if random.chance(1, 2) { "env " } else { "" });
            }),
            _ => {
                for (number, part) in line.split('*').enumerate() {
                    let sign = if random.chance(1, 2) { "env" } else { "*" };
                    let _ = write!(out, "{}{part}", if number > 0 { sign } else { "" });
                }
                out.push('\n');
            }
        }
    }
    out
}

/// What an engine says; nothing if it is not for this.
fn ask(program: &Program, formula: &str, engine: Engine) -> Option<bool> {
    let query = Query::Branching(Arc::new(Branching { open: true, ..branching(formula) }));
    let limits = Limits::none().with_patience(5_000);
    let report = Checker::new(program).check(&query, engine, &limits, &mut |_| ());
    match report.unwrap_or_else(|error| panic!("{formula}: {error}")).verdict {
        Verdict::Holds => Some(true),
        Verdict::Violated => Some(false),
        Verdict::Unknown(Reason::NotSupported(_) | Reason::Patience | Reason::TooManyStates) => None,
        Verdict::Unknown(reason) => panic!("{formula}: {reason}"),
    }
}

/// Machines with calls, recursion and variables: summaries against the game about configurations and against diagrams.
#[test]
fn summaries_agree_with_configurations() {
    let bdd = Engine::Tabulate(epitome::engine::tabulate::Options::default());
    let mut counts = [0; 4];
    for seed in 30_000..30_000 + 150 * times() {
        let mut random = SplitMix64::new(seed);
        let text = match seed % 3 {
            0 => random_machines(seed),
            1 => random_extended(seed),
            _ => guarded_machines(seed, seed % 2 == 0),
        };
        let text = with_environment(&text, &mut random);
        let program = read(&text);
        let Program::Rsm(machines) = &program else { unreachable!("machines were read") };
        let nodes = machines.machines.iter().flat_map(|machine| &machine.nodes).map(|node| node.name);
        let atoms: Vec<String> = nodes.map(|name| format!("at({})", machines.names.text(name))).collect();
        let mut atom = || atoms[random.below(atoms.len() as u64) as usize].clone();
        let (p, q) = (atom(), atom());
        for (linear, game) in [
            (format!("EF {p}"), format!("EF EF {p}")),
            (format!("AG EF {p}"), format!("AG EF EF {p}")),
            (format!("AG ({q} -> EF {p})"), format!("AG ({q} -> EF EF {p})")),
        ] {
            let Some(said) = ask(&program, &linear, Engine::Expand(None)) else { continue };
            counts[usize::from(said)] += 1;
            for (which, other) in [(2, ask(&program, &game, Engine::Expand(None))), (3, ask(&program, &linear, bdd))] {
                if let Some(other) = other {
                    counts[which] += 1;
                    assert_eq!(said, other, "seed {seed}: {linear}, by {}\n{text}", ["game", "diagrams"][which - 2]);
                }
            }
            assert!(!said || holds(&program, &linear), "seed {seed}: {linear}\n{text}");
        }
    }
    assert!(counts.iter().all(|&count| count > 40), "{counts:?}");
}

/// The drink machine: closed, tea is always possible; open, it is not, because nobody has to want it.
#[test]
fn the_drink_machine() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/drink.rsm")).expect("an example");
    let program = read(&text);
    assert!(holds(&program, "AG EF tea"));
    let report = open(&program, "AG EF tea");
    assert_eq!(report.verdict, Verdict::Violated);
    let strategy = report.strategy.expect("a strategy");
    let disabled: Vec<usize> = strategy.machines[0].nodes.iter().map(|node| node.disabled.len()).collect();
    assert_eq!(disabled.iter().sum::<usize>(), 1, "always coffee");
}

/// Kupferman, Theorem 4.1: the question about the module is the value of the circuit.
#[test]
fn circuits_have_values() {
    let mut values = [0, 0];
    for seed in 0..100 * times() {
        let (text, is_zero) = circuit(1 + (seed % 30) as u32, seed);
        values[usize::from(is_zero)] += 1;
        let program = read(&text);
        let bdd = Engine::Tabulate(epitome::engine::tabulate::Options::default());
        for engine in [Engine::Expand(None), bdd] {
            assert_eq!(ask(&program, "EF zero", engine), Some(is_zero), "{engine:?}, seed {seed}\n{text}");
        }
    }
    assert!(values.iter().all(|&count| count > 20), "{values:?}");
}

/// Theorem 5.3: time is linear in the module, over three decades of size; what is counted here are states.
#[test]
fn large_modules_are_ordinary() {
    for gates in [100, 1_000, 10_000, 100_000] {
        let (text, is_zero) = circuit(gates, 7);
        let report = open(&read(&text), "EF zero");
        assert_eq!(report.verdict == Verdict::Holds, is_zero, "{gates} gates");
        assert!(report.statistics.path_edges <= u64::from(2 * gates + 10));
        assert_eq!(open(&read(&drink(gates)), "AG EF drink1").verdict, Verdict::Violated, "{gates} drinks");
    }
}

/// Recursion without bound: the environment may go on calling for ever, unless it may not.
#[test]
fn unbounded_recursion() {
    let text = |owner: &str| {
        format!(
            "machine M {{ {owner} entry e; node down {{d}}; exit x; box b: M; e -> b.e; e -> down; b.x -> down; down -> x; }} init M.e;"
        )
    };
    let (closed, module) = (read(&text("")), read(&text("env")));
    for (formula, expected) in [("EF d", false), ("AG EF (d | end)", false), ("AG (d -> EF end)", true), ("EF e", true)]
    {
        assert!(holds_open(&closed, formula), "{formula}");
        assert_eq!(holds_open(&module, formula), expected, "{formula}");
    }
    let strategy = open(&module, "EF d").strategy.expect("a strategy");
    assert!(strategy.machines.iter().any(|machine| !machine.boxes.is_empty()), "it is recursive, too");
}

/// Choices of programs: what the environment decides, what the system decides, and both at once.
#[test]
fn choices_of_programs() {
    let program = |body: &str| {
        let source = Source::new(
            "a.bp",
            format!("decl g := 0, h := 0; void main() begin {body} end void set(x) begin g := x; end"),
        );
        Program::Bp(
            epitome::syntax::bp::parse(&source).unwrap_or_else(|errors| panic!("{}", errors[0].render(&source))).0,
        )
    };
    for (body, formula, expected) in [
        ("g := env;", "EF g", false),
        ("g := *;", "EF g", true),
        ("g := env | *;", "EF g", true),
        ("g := env & *;", "EF g", false),
        ("g := env ^ *;", "EF g", true),
        ("if (env) then g := 1; else h := 1; fi", "EF (g | h)", true),
        ("if (env) then g := 1; else h := 1; fi", "EF g", false),
        ("if (env | *) then g := 1; fi", "EF g", true),
        ("set(env);", "EF g", false),
        ("set(*);", "EF g", true),
        ("assume(env); g := 1;", "EF g", true),
        ("while (env) do skip; od g := 1;", "EF g", false),
        ("while (*) do skip; od g := 1;", "EF g", true),
        ("g, h := env, !g;", "EX EX h", true),
    ] {
        let program = program(body);
        assert!(holds(&program, &format!("({formula}) | true")), "{body}");
        assert_eq!(holds_open(&program, formula), expected, "{body}: {formula}");
        let game = format!("({formula}) | AF false");
        assert_eq!(holds_open(&program, &game), expected, "{body}: {game}");
    }
}

/// Theorem 3.1: formulas of CTL that have models, and formulas that have none.
#[test]
fn satisfiability() {
    let table = [
        ("p & !p", false),
        ("EX p & EX !p", true),
        ("AX p & EX !p", false),
        ("AX p & AX !p", false),
        ("AG p & EF !p", false),
        ("AF p & EG !p", false),
        ("EF p & AF !p", true),
        ("EF p & AF p & AX !p & !p & EG !p", false),
        ("AG EF p & AG EF !p", true),
        ("AG AF p & AG AF !p", true),
        ("AF AG p & AG EF !p", false),
        ("EG p & EG !p", false),
        ("EX EG p & EX EG !p", true),
        ("E (p U q) & AG !q", false),
        ("A (p U q) & EG !q", false),
        ("A (p W q) & EF !p & AG !q", false),
        ("A (p W q) & EF !p", true),
        ("E (p R q) & A (!p U !q)", false),
        ("AG (p -> AX !p) & AG (!p -> AX p) & p", true),
        ("AG (p -> AX !p) & EF (p & EX p)", false),
        ("AG (p -> EX q) & AG (q -> EX p) & AG !(p & q) & p", true),
        ("AG (p -> AF q) & EF (p & EG !q)", false),
        ("AG EX p & AG EX !p", true),
        ("!(AG (p -> q) -> (AG p -> AG q))", false),
        ("!(EF (p | q) <-> (EF p | EF q))", false),
        ("!(EF (p & q) <-> (EF p & EF q))", true),
        ("!(AF (p | q) <-> (AF p | AF q))", true),
        // Names that mean something else to machines, or to the module.
        ("EX end & EX !end", true),
        ("AG !s1 & EX s1", false),
        ("AG (label -> AX !init) & EX (label & EX init) & !\"x > 1\"", false),
        ("hell & !ghost & EX heaven_p & atom1 & atom2", true),
        // What wants many children.
        ("AG EX a & AG EX b & AG EX c & AG EX d", true),
        ("AG (EX p & EX !p & EX q & EX !q)", true),
        ("AG (EX p & EX !p) & AG (p -> AX q) & AG !q", false),
        ("AG (a -> EX b) & AG (b -> EX c) & AG (c -> EX a) & a", true),
        ("AG (a -> EF b) & AG (b -> EF c) & a & AG !c", false),
        ("EF a & EF b & EF c & AG !(a & b) & AG !(a & c) & AG !(b & c)", true),
    ];
    for (formula, satisfiable) in table {
        let made =
            std::process::Command::new(env!("CARGO_BIN_EXE_epitome")).args(["generate", "ctlsat", formula]).output();
        let text = String::from_utf8(made.expect("the tool runs").stdout).expect("a text");
        let question = text.lines().find_map(|line| line.strip_prefix("// ctl: ")).expect("a question");
        assert_eq!(!holds_open(&read(&text), question), satisfiable, "{formula}");
    }
}

/// A strategy that is drawn shows what is disabled.
#[test]
fn strategies_are_drawn() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("strategy.dot");
    let run = std::process::Command::new(env!("CARGO_BIN_EXE_epitome"))
        .args(["check", concat!(env!("CARGO_MANIFEST_DIR"), "/examples/drink.rsm")])
        .args(["--open", "--ctl", "AG EF tea", "--strategy"])
        .arg(&file)
        .output();
    assert_eq!(run.expect("the tool runs").status.code(), Some(10));
    let text = std::fs::read_to_string(file).expect("a strategy");
    assert!(text.starts_with("digraph strategy {\n") && text.ends_with("}\n"), "{text}");
    assert!(text.contains("label=\"tea\\ndisabled\", style=\"rounded,dashed\""), "{text}");
    assert!(text.contains("violates A(G(E(F(tea))))"), "{text}");
    assert!(!text.contains("nowhere"), "{text}");
}

/// `env` in `enforce` is no choice of a module, and nine `env` in a step are too many. What is decided
/// without a module is decided all the same: formulas without existential quantifiers, what fails as a closed
/// system, and conjunctions with such a part.
#[test]
fn choices_that_no_module_has() {
    let enforced = "enforce (!g | env); while (1) do if (env) then g := 1; else g := 0; fi L: skip; od";
    let chosen = "while (1) do g := env | env | env | env | env | env | env | env | env; L: skip; od";
    for body in [enforced, chosen] {
        let program = super::common::read("bp", &format!("decl g := 0; void main() begin {body} end"));
        for (formula, expected) in [
            ("AG AF label(L)", Some(true)),
            ("A G F label(L)", Some(true)),
            ("AG !g", Some(false)),
            ("!EF label(L)", Some(false)),
            ("EF (g & !g)", Some(false)),
            ("AG EF g", None),
            ("EF g", None),
            ("AG EF g & AG AF label(L)", None),
            ("AG EF g & AG !label(L)", Some(false)),
            ("AG !label(L) & AG EF g", Some(false)),
        ] {
            assert_eq!(ask(&program, formula, Engine::Expand(None)), expected, "{formula}: {body}");
            let is_closed = expected != Some(false) || !holds(&program, formula);
            assert!(is_closed, "{formula}: {body}");
        }
    }
}
