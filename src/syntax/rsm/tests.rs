//! Round trips, every static error once, and mutated texts.

use super::{Machines, Role, parse, print};
use crate::syntax::{Diagnostic, Expr, Source};

const EXAMPLES: [&str; 3] = [
    include_str!("../../../examples/alur_rsm_fig1.rsm"),
    include_str!("../../../examples/alur_hsm_try.rsm"),
    include_str!("../../../examples/drink.rsm"),
];

/// Uses every construct, and everything before it is declared.
const EVERYTHING: &str = r#"
init Main.e1, Main.e2;
init Sub.e;
machine Main {
  e1 -> n1 when g & !x => y <=> (h ^ x) != k do x := 1, g := *, y := env constrain 'x = x | 'g label "send a";
  n1 -> b1.e constrain 'x | schoose[g, h];
  b1.ok -> x1 do h := T label "";
  b1.no -> b2.e when ?;
  b2.no -> none.e;
  none.x -> e1;
  n3 -> n3;
  box b1: Sub(x, !y -> g, y);
  box b2: Sub(g, 0 -> _, x);
  box none: Empty();
  box results: Results(-> x);
  box inputs: Inputs(x);
  entry e1, e2 {p}; env entry e3;
  exit x1 {}, x2 {p};
  node n1 {p, q}, n2;
  env node n3 {p}, n4;
  var x := 0, y, z := 1;
  var g; // hides the global
}
var g, h := 0, k := 1, a := *;
machine Sub(in a, b; out r, s := 0) { entry e; exit ok, no; var g; e -> ok when a do r := b; e -> no; }
machine Empty() { entry e; exit x; e -> x; }
machine Results(out r) { }
machine Inputs(in i) { }
"#;

fn read(text: &str) -> Result<(Machines, Vec<Diagnostic>), String> {
    let source = Source::new("t.rsm", text);
    parse(&source).map_err(|errors| errors.iter().map(|error| error.render(&source)).collect())
}

fn read_well(text: &str) -> Machines {
    read(text).unwrap_or_else(|errors| panic!("{errors}")).0
}

/// Everything but spans, with names and expressions written out.
fn shape(machines: &Machines) -> String {
    let expr = |e: Expr| format!("{:?}", machines.exprs.ops(e));
    let name = |n| machines.names.text(n);
    let variables =
        |list: &[super::Variable]| -> Vec<_> { list.iter().map(|v| (name(v.name).to_owned(), v.initial)).collect() };
    let mut parts = vec![format!("{:?} {:?}", variables(&machines.globals), machines.initial)];
    for m in &machines.machines {
        parts.push(format!("{} {:?} {} {}", name(m.name), variables(&m.locals), m.inputs, m.outputs));
        for n in &m.nodes {
            let propositions: Vec<&str> = n.propositions.iter().map(|&p| name(p)).collect();
            parts.push(format!("{} {:?} {:?} {propositions:?}", name(n.name), n.role, n.owner));
        }
        for b in &m.boxes {
            let arguments: Vec<String> = b.arguments.iter().map(|&e| expr(e)).collect();
            parts.push(format!("{} {} {arguments:?} {:?}", name(b.name), b.callee, b.targets));
        }
        for t in &m.transitions {
            let assignments: Vec<_> = t.assignments.iter().map(|&(var, e)| (var, expr(e))).collect();
            let (guard, constrain, label) = (t.guard.map(expr), t.constrain.map(expr), t.label.map(name));
            parts.push(format!("{:?} {:?} {guard:?} {assignments:?} {constrain:?} {label:?}", t.from, t.to));
        }
    }
    parts.join("\n")
}

#[test]
fn printing_and_parsing_round_trip() {
    for text in EXAMPLES.into_iter().chain([EVERYTHING]) {
        let machines = read_well(text);
        let printed = print(&machines);
        let again = read_well(&printed);
        assert_eq!(shape(&machines), shape(&again), "{printed}");
        assert_eq!(print(&again), printed);
    }
}

#[test]
fn everything_may_be_used_before_it_is_declared() {
    let machines = read_well(EVERYTHING);
    let main = &machines.machines[0];
    let guard = main.transitions[0].guard.unwrap();
    // The local `g`, which is declared last and hides the global.
    assert_eq!(machines.exprs.ops(guard)[0], crate::syntax::Op::Var(crate::syntax::Var::Local(3)));
    assert_eq!(main.boxes[0].callee, 1);
    assert_eq!(machines.initial.len(), 3);
    assert_eq!((machines.machines[1].inputs, machines.machines[1].outputs), (2, 2));
}

#[test]
fn long_lists_are_broken_into_statements() {
    let nodes: Vec<String> = (0..500).map(|i| format!("node_{i}")).collect();
    let machines = read_well(&format!("machine M {{ entry e; node {}; }} init M.e;", nodes.join(", ")));
    let printed = print(&machines);
    assert!(printed.lines().all(|line| line.len() <= 100));
    assert_eq!(shape(&read_well(&printed)), shape(&machines));
}

#[test]
fn examples_have_the_shape_of_their_figures() {
    let [fig1, attempts, drink] = EXAMPLES.map(read_well);
    let a1 = &fig1.machines[0];
    assert_eq!((fig1.machines.len(), a1.nodes.len(), a1.boxes.len()), (3, 4, 2));
    assert_eq!((a1.nodes_with(Role::Entry).count(), a1.nodes_with(Role::Exit).count()), (2, 1));
    assert_eq!(a1.boxes.iter().map(|b| b.callee).collect::<Vec<_>>(), [1, 2]);
    assert!(attempts.machines[0].boxes.iter().all(|b| b.callee == 1));
    let environment = |node: &&super::Node| node.owner == crate::syntax::Owner::Environment;
    assert_eq!(drink.machines[0].nodes.iter().filter(environment).count(), 1);
}

#[test]
fn starts_are_told_about() {
    let (machines, notes) = read("machine M(in a) { entry e; } init M.e, M.e;").unwrap();
    assert_eq!(machines.initial, [(0, 0)]);
    let messages: Vec<&str> = notes.iter().map(|note| note.message.as_str()).collect();
    assert_eq!(messages, ["the inputs of `M` start with arbitrary values", "this start is given twice"]);
}

/// Wraps items into a machine with a box `b` of a machine with two entries and exits.
fn inside(items: &str) -> String {
    format!(
        "var g; machine M {{ entry e; node n; exit x; box b: S; {items} }}
         machine S {{ entry se; exit sx; node sn; }} machine P(in i, j; out o) {{}} init M.e;"
    )
}

#[test]
fn each_static_error_is_reported() {
    let whole = |text: &str| text.to_owned();
    let cases = [
        // Names.
        (inside("e -> m;"), "unknown node `m`"),
        (inside("e -> c.se;"), "unknown box `c`"),
        (inside("box c: Q;"), "unknown machine `Q`"),
        (inside("e -> n when v;"), "unknown variable `v`"),
        (inside("e -> n do v := 1;"), "unknown variable `v`"),
        (inside("box c: P(1, 1 -> v);"), "unknown variable `v`"),
        (inside("node m, m;"), "`m` is declared twice"),
        (inside("node b;"), "`b` is declared twice"),
        (inside("var v, v;"), "variable `v` is declared twice"),
        (inside("node m {g};"), "the proposition `g` has the name of a variable"),
        (inside("node m {v}; var v;"), "the proposition `v` has the name of a variable"),
        (inside("node m {p, p};"), "proposition `p` stands twice at one node"),
        (inside("node entry;"), "`entry` is a word of the language and cannot be a name"),
        (whole("machine M { entry e; } machine M { } init M.e;"), "machine `M` is defined twice"),
        (whole("machine M(in a; out a) { entry e; } init M.e;"), "variable `a` is declared twice"),
        // Numbers.
        (inside("box c: P(1 -> g);"), "`P` takes 2 arguments, not 1"),
        (inside("box c: P(1, 0);"), "`P` gives 1 result, not 0"),
        (inside("box c: S(g);"), "`S` takes 0 arguments, not 1"),
        (inside("e -> n do g := 1, g := 0;"), "`g` is assigned twice in one transition"),
        (
            whole("var g; machine M { entry e; box b: R(-> g, g); } machine R(out r, s) {} init M.e;"),
            "`g` takes two results",
        ),
        // Nodes, ports and starts.
        (inside("x -> n;"), "a transition starts at the exit `x`"),
        (inside("e -> b.sx;"), "`sx` is an exit of `S`"),
        (inside("b.se -> n;"), "`se` is an entry of `S`"),
        (inside("e -> b.sn;"), "`sn` is an inner node of `S`"),
        (inside("e -> b.sf;"), "`S` has no entry `sf`"),
        (inside("e -> b;"), "`b` is a box, not a node"),
        (inside("e -> n.se;"), "`n` is a node, not a box"),
        (inside("env exit y;"), "an exit cannot belong to the environment"),
        (whole("machine M { entry e; }"), "the file does not say where a run starts"),
        (whole(""), "the file does not say where a run starts"),
        (whole("machine M { node n; } init M.n;"), "`M.n` is not an entry"),
        (whole("machine M { entry e; } init M.f;"), "`M` has no entry `f`"),
        (whole("machine M { entry e; } init N.e;"), "unknown machine `N`"),
        // Syntax.
        (inside("e -> n when 'g;"), "a primed variable stands outside `constrain`"),
        (inside("e -> n do g := 1 when g;"), "in this order: `when`, `do`, `constrain`, `label`"),
        (inside("e -> n when g -> 1;"), "implication is `=>`"),
        (inside("nod m;"), "did you mean `node`?"),
        (inside("e -> n label send;"), "expected a string"),
        (inside("node m {p;"), "expected `,` or `}`"),
        (inside("var v := 2;"), "expected an initial value"),
        (inside("env box c: S;"), "expected `node` or `entry`"),
        (whole("machine M(in a := 1) { entry e; } init M.e;"), "an input has no initial value"),
        (whole("machine M { entry e; init M.e;"), "the machine `M` at 1:1 is not closed"),
        (whole("machin M { entry e; } init M.e;"), "did you mean `machine`?"),
        (whole("machine M { entry e; } /* init M.e;"), "this comment is never closed"),
    ];
    for (text, expected) in cases {
        let errors = read(&text).map(|_| ()).expect_err(&text);
        assert!(errors.contains(expected), "{text}\n{errors}");
        assert_eq!(errors.matches("error: ").count(), 1, "{text}\n{errors}");
    }
}

#[test]
fn advice_and_places() {
    let errors = read(&inside("\n  e -> mid;\n  node mind;")).map(|_| ()).unwrap_err();
    let expected = "error: unknown node `mid`\n --> t.rsm:2:8\n  |\n2 |   e -> mid;\n  |        ^^^ not declared in `M`\n  = help: did you mean `mind`?\n";
    assert_eq!(errors, expected);
}

#[test]
fn one_run_reports_several_errors_but_not_the_consequences_of_one() {
    let text = inside("\n node m1 m2;\n e -> m1 when v;\n m2 -> ;\n box c: Q;\n var w w2;\n e -> n do w2 := u;");
    let errors = read(&text).map(|_| ()).unwrap_err();
    let lines: Vec<&str> = errors.lines().filter_map(|line| line.trim_start().strip_prefix("--> t.rsm:")).collect();
    assert_eq!(lines, ["2:10", "4:8", "5:9", "6:8"], "{errors}");
}

#[test]
fn errors_are_bounded() {
    let many = |item: &str| inside(&item.repeat(20_000));
    let operands = format!("e -> n when {} v;", "v & ".repeat(200_000));
    let repeated = format!("node {} m; var {} v;", "m, ".repeat(200_000), "v, ".repeat(200_000));
    for text in [many("e -> m;"), many("node ;"), many("box c: Q;"), inside(&operands), inside(&repeated)] {
        let errors = parse(&Source::new("t.rsm", text)).unwrap_err();
        assert!(!errors.is_empty() && errors.len() <= 20);
    }
}

#[test]
fn a_large_machine_is_an_ordinary_input() {
    const NODES: usize = 100_000;
    let mut text = "machine M { entry n0 {p}; ".to_owned();
    for i in 1..NODES {
        text.push_str(&format!("node n{i} {{p}}; n{} -> n{i} label \"l\";\n", i - 1));
    }
    text.push_str("} init M.n0;");
    let machines = read_well(&text);
    assert_eq!(machines.machines[0].nodes.len(), NODES);
    assert_eq!(machines.machines[0].transitions[NODES - 2].to, super::End::Node(NODES as u32 - 1));
    let deep = format!("e -> n when {}g{};", "(!".repeat(NODES), ")".repeat(NODES));
    read_well(&inside(&deep));
}

/// Deletes, doubles and swaps bytes at random places; whatever comes out must be read or refused.
#[test]
fn mutated_texts_do_not_panic() {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = |bound: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % bound
    };
    for text in EXAMPLES.into_iter().chain([EVERYTHING]) {
        for _ in 0..500 {
            let mut bytes = text.as_bytes().to_vec();
            for _ in 0..=next(4) {
                let (at, other) = (next(bytes.len()), next(bytes.len()));
                match next(4) {
                    0 => drop(bytes.drain(at..(at + 1 + next(8)).min(bytes.len()))),
                    1 => bytes.insert(at, bytes[other]),
                    2 => bytes.swap(at, other),
                    _ => bytes.truncate(at + 1),
                }
            }
            let text = String::from_utf8_lossy(&bytes).into_owned();
            match read(&text) {
                Ok((machines, _)) => assert_eq!(shape(&read_well(&print(&machines))), shape(&machines), "{text}"),
                Err(errors) => assert!(!errors.is_empty()),
            }
        }
    }
}
