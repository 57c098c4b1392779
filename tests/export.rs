//! The exporters against the checker: a program, written as machines or as a program, has the verdict
//! it had; what is written parses, and means the same label by label.
//!
//! Every exported text goes the whole way: print, parse, build, check, and where there is a run, replay.

mod common;

use epitome::limits::Limits;
use epitome::logic::Query;
use epitome::model::export::{Drawing, TooLarge, calls, to_bp, to_dot, to_mermaid, to_rsm, to_svg};
use epitome::model::{Ersm, Initial, Leaf, NodeId, build};
use epitome::syntax::{Language, Program, Source, Var, bp, rsm};
use epitome::{Checker, Engine, Verdict};
use epitome_benchmarks::{Shape, Verdict as Expected, families_of_failures, random_program};
use std::collections::BTreeMap;

fn parse(text: &str, language: Language) -> Program {
    let source = Source::new("test", text);
    let parsed = Program::parse(&source, language);
    parsed.unwrap_or_else(|errors| panic!("{}\nin\n{text}", errors[0].render(&source))).0
}

fn verdict(program: &Program) -> Verdict {
    let checker = Checker::new(program);
    let report = checker.check(&Query::Failures, Engine::Auto, &Limits::none(), &mut |_| ());
    report.unwrap_or_else(|error| panic!("{error}")).verdict
}

/// Which labels (or nodes) with these names can be reached, by procedure and name.
fn reached(program: &Program) -> BTreeMap<(String, String), bool> {
    let reach = Checker::new(program).reach(false, Engine::Auto, &Limits::none(), &mut |_| ());
    let name = |r: &epitome::Reached| (program.procedure_name(r.procedure).to_owned(), r.name.clone());
    reach.labels.iter().map(|label| (name(label), label.reachable == Some(true))).collect()
}

fn ersm(program: &Program) -> Ersm {
    build(program).0
}

fn as_rsm(ersm: &Ersm) -> String {
    rsm::print(&to_rsm(ersm).unwrap())
}

fn as_bp(ersm: &Ersm) -> String {
    bp::print(&to_bp(ersm).unwrap())
}

/// Exports to both languages, and from each to the other: verdict and reachable labels stay.
fn check_exports(text: &str, language: Language) -> Verdict {
    let program = parse(text, language);
    let (expected, labels) = (verdict(&program), reached(&program));
    let model = ersm(&program);
    let machines = parse(&as_rsm(&model), Language::Rsm);
    let written = parse(&as_bp(&model), Language::Bp);
    let round = [
        ("machines", as_rsm(&model), Language::Rsm),
        ("a program", as_bp(&model), Language::Bp),
        ("a program by way of machines", as_bp(&ersm(&machines)), Language::Bp),
        ("machines by way of a program", as_rsm(&ersm(&written)), Language::Rsm),
    ];
    for (what, exported, language) in round {
        let program = parse(&exported, language);
        assert_eq!(verdict(&program), expected, "as {what}:\n{exported}\nof\n{text}");
        let found = reached(&program);
        for (label, reachable) in &labels {
            if let Some(now) = found.get(label).filter(|_| !label.1.contains("ERROR")) {
                assert_eq!(now, reachable, "{label:?} as {what}:\n{exported}\nof\n{text}");
            }
        }
    }
    check_dot(&model);
    expected
}

/// Braces outside of strings are balanced, strings are closed, every procedure is there.
fn check_dot(model: &Ersm) {
    let dot = to_dot(&Drawing::new(model, &|_, _| None));
    assert_eq!(dot, to_dot(&Drawing::new(model, &|_, _| None)));
    let (mut depth, mut quoted, mut escaped) = (0i32, false, false);
    for c in dot.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            '{' if !quoted => depth += 1,
            '}' if !quoted => depth -= 1,
            '\n' => assert!(!quoted, "a string goes over a line:\n{dot}"),
            _ => {}
        }
        assert!(depth >= 0, "{dot}");
    }
    assert!(depth == 0 && !quoted, "{dot}");
    for (id, procedure) in model.procedures() {
        let name = model.procedure_name(id).replace('\\', "\\\\").replace('"', "\\\"");
        assert!(dot.contains(&format!("subgraph \"cluster_{name}\" {{")), "{name} in\n{dot}");
        for node in 0..procedure.nodes.len() {
            assert!(dot.contains(&format!("    p{}_n{node} [", id.0)));
        }
    }
    assert_eq!(dot.matches(" -> p").count() - dot.matches("init").count() / 2, edges(model), "{dot}");
}

fn edges(model: &Ersm) -> usize {
    model.procedures.iter().map(|procedure| procedure.edges.len()).sum()
}

fn random_programs(shape: &Shape, seeds: std::ops::Range<u64>) {
    let (mut violated, count) = (0, seeds.end - seeds.start);
    for seed in seeds {
        violated += u64::from(check_exports(&random_program(seed, shape), Language::Bp) == Verdict::Violated);
    }
    assert!(violated * 5 > count && violated * 5 < count * 4, "{violated} of {count} are violated");
}

#[test]
fn tiny_programs_keep_their_verdicts() {
    random_programs(&Shape::tiny(), 0..400);
}

#[test]
fn general_programs_keep_their_verdicts() {
    random_programs(&Shape::general(), 0..100);
}

#[test]
fn hierarchical_and_bounded_programs_keep_their_verdicts() {
    random_programs(&Shape::hierarchical(), 0..60);
    random_programs(&Shape::io_bounded(), 0..60);
}

#[test]
fn deterministic_programs_keep_their_verdicts() {
    random_programs(&Shape::deterministic(), 0..60);
}

#[test]
fn families_keep_their_verdicts() {
    for family in families_of_failures() {
        for expected in Expected::ALL {
            let text = family.generate(family.smallest.max(2), expected).unwrap();
            let violated = check_exports(&text, common::language(family.language)) == Verdict::Violated;
            assert_eq!(violated, expected == Expected::Unsafe, "{}", family.name);
        }
    }
}

#[test]
fn machines_come_back_as_they_were() {
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/examples")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "rsm") {
            let text = std::fs::read_to_string(&path).unwrap();
            let program = parse(&text, Language::Rsm);
            let Program::Rsm(machines) = &program else { unreachable!() };
            assert_eq!(as_rsm(&ersm(&program)), rsm::print(machines), "{}", path.display());
            check_exports(&text, Language::Rsm);
        }
    }
}

/// Machines with what Boolean programs do not have: several entries, exits and starts, inputs at the
/// start, environment nodes, chains of ports, blocked nodes.
const MACHINES: [(&str, bool); 11] = [
    // A label must not slip to the next statement.
    ("machine main { entry e; node a, b; e -> b; e -> a when 0; a -> b; } init main.e;", false),
    ("machine M { entry e; node ERROR; e -> ERROR; } init M.e;", true),
    ("machine M { entry e; node n {SLIC_ERROR}; n -> e; } init M.e;", false),
    ("machine M { entry e; node a {ERROR}, b {ERROR}; e -> a when 0; a -> b; e -> b when 0; } init M.e;", false),
    ("machine M { entry e; node a {ERROR}, b {ERROR}; e -> a; a -> b; } init M.e;", true),
    // The start decides.
    (
        "var g := 0; machine M { entry a, b, c; node ERROR; a -> a; b -> b; c -> ERROR when g; }
         machine N(in x) { entry e; exit f; e -> f when x do g := x; } init M.a, M.b, N.e;",
        false,
    ),
    ("machine N(in x; out y) { entry e; node ERROR; exit f; e -> f when !x; e -> ERROR when x; } init N.e;", true),
    // The right exit is taken, and the results come with it.
    (
        "machine main { entry e; var x := 0, y := 0; node ERROR, n; box b: S(x, 1 -> y, _); box c: S(y, 0 -> _, x);
           e -> b.p; b.q -> c.p2; b.r -> ERROR; c.q -> ERROR; c.r -> n; n -> ERROR when !(y & !x); }
         machine S(in a, b; out r, s) { entry p, p2; exit q, r, t;
           p -> q when b do r := !a, s := a; p -> r when !b; p2 -> r do r := 0, s := b; p2 -> t when !a; }
         init main.e;",
        false,
    ),
    (
        "var g := 0; machine main { env entry e; box b: S; node ERROR; env node n; exit x;
           e -> b.p do g := 1; e -> b.q; e -> n; n -> e; n -> x; b.l -> b.q when g; b.r -> ERROR when g; }
         machine S { entry p, q; exit l, r; box again: main; p -> l; q -> r; q -> again.e; again.x -> l; }
         init main.e;",
        true,
    ),
    // Names that are words of the other language or stand for two things.
    (
        "var end, decl := 0; machine if(in begin; out goto) { var then; entry begin; exit end; node fi, x$1;
           begin -> fi when begin constrain 'end; fi -> end do goto := then; fi -> x$1 when begin & end; }
         machine while { entry skip; box od: if(1 -> end); node ERROR; skip -> od.begin; od.end -> ERROR when end; }
         init while.skip;",
        true,
    ),
    ("var g; machine M { entry e, f; box b: N; e -> b.x; } machine N { entry x, y; node ERROR; } init M.f;", false),
];

#[test]
fn machines_keep_their_verdicts() {
    for (text, violated) in MACHINES {
        let expected = if violated { Verdict::Violated } else { Verdict::Holds };
        assert_eq!(check_exports(text, Language::Rsm), expected, "{text}");
    }
}

/// Names of programs that machines do not accept, labels that are variables, words, numbers.
const PROGRAMS: [(&str, bool); 9] = [
    (
        "decl {*p==*q}, {*p!=*q}, ERROR; void main() begin if ({*p==*q} & !{*p!=*q} & ERROR) then assert(0); fi end",
        true,
    ),
    (
        "decl x := 0, entry := 0; void main() begin decl exit; x: exit := entry; exit: 12: assert(!exit); goto 12; end",
        false,
    ),
    ("decl g := 0; void main() begin decl g := 1; assert(g); p(); end void p() begin assert(!g); end", false),
    // The local that holds the result is called like a global that is used beside it.
    (
        "decl result1 := 0; bool p() begin return !result1; end void main() begin decl x; x := p(); assert(x & !result1); end",
        false,
    ),
    ("void main() begin decl choice1; choice1 := *; ERROR: L: skip; goto L; end", true),
    ("void main() begin goto A; ERROR: assert(0); A: assert(1); SLIC_ERROR: assert(0); end", true),
    ("void main() begin goto A; ERROR: assert(0); A: skip; end", false),
    ("decl g := 1; void main() begin enforce g; decl x; g, x := *, * constrain 'x != 'g; assert(!x); end", false),
    (
        "void main(a) begin decl x; x := schoose[a, !a]; assert(x = a); p(x = *, x ^ *); end bool p(c, d) begin end",
        false,
    ),
];

#[test]
fn odd_programs_keep_their_verdicts() {
    for (text, violated) in PROGRAMS {
        let expected = if violated { Verdict::Violated } else { Verdict::Holds };
        assert_eq!(check_exports(text, Language::Bp), expected, "{text}");
    }
}

/// The model with one choice in all guards, values and arguments where there were several.
fn sharing(text: &str) -> Ersm {
    let mut model = ersm(&parse(text, Language::Rsm));
    let mut procedures = std::mem::take(&mut model.procedures);
    let mut merge = |lit| {
        // The texts use `x ^ *` and `*` only, so the choice is found by rebuilding.
        let choice = model.leaf(Leaf::Choice(0));
        match model.circuit.as_xor(lit) {
            Some((a, _)) => model.circuit.xor(a, choice).negate_if(lit.is_negated()),
            None => choice.negate_if(lit.is_negated()),
        }
    };
    for procedure in &mut procedures {
        for edge in procedure.edges.iter_mut().filter(|edge| !edge.choices.is_empty()) {
            edge.assignments.iter_mut().for_each(|(_, lit)| *lit = merge(*lit));
        }
        for site in procedure.boxes.iter_mut().filter(|site| !site.choices.is_empty()) {
            site.arguments.iter_mut().for_each(|lit| *lit = merge(*lit));
        }
    }
    model.procedures = procedures;
    model
}

#[test]
fn shared_choices_stay_shared() {
    let texts = [
        // Both values are the choice itself.
        "machine main { var x, y; entry e; node n, ERROR; e -> n do x := *, y := *; n -> ERROR when x != y; } init main.e;",
        // Only together with a variable, and what would be added has the name of a proposition.
        "var g; machine main { var x, y; entry e; node n {choice1}, ERROR; e -> n do x := g ^ *, y := g ^ *;
         n -> ERROR when x != y; } init main.e;",
        "var g := 0; machine main { entry e; box b: S(*, *); e -> b.e; }
         machine S(in a, b) { entry e; node ERROR; e -> ERROR when a != b; } init main.e;",
        "var g := 0; machine main { var x, y; entry e; box b: S(g ^ *, *); e -> b.e do x := g ^ *, y := g ^ *; }
         machine S(in a, b) { entry e; node ERROR; e -> ERROR when a != b; } init main.e;",
    ];
    for text in texts {
        assert_eq!(verdict(&parse(text, Language::Rsm)), Verdict::Violated, "{text}");
        let model = sharing(text);
        for (exported, language) in [(as_rsm(&model), Language::Rsm), (as_bp(&model), Language::Bp)] {
            assert_eq!(verdict(&parse(&exported, language)), Verdict::Holds, "{exported}");
        }
        assert_eq!(edges(&ersm(&parse(&as_rsm(&model), Language::Rsm))), edges(&model));
        check_dot(&model);
    }
}

/// What no text describes directly: an exit that is an entry, an input that is an output, no start.
#[test]
fn unusual_models_are_described_too() {
    let text = "machine main { var x := 1, y; entry e; node ERROR, n; box b: S(x -> y); e -> b.e; b.e2 -> n;
        n -> ERROR when !y; } machine S(in a; out r) { entry e; exit e2; e -> e2; } init main.e;";
    let mut model = ersm(&parse(text, Language::Rsm));
    model.procedures[1].outputs = vec![0];
    model.procedures[1].exits = vec![NodeId(0)];
    let exports = |model: &Ersm| [(as_rsm(model), Language::Rsm), (as_bp(model), Language::Bp)];
    for (exported, language) in exports(&model) {
        assert_eq!(verdict(&parse(&exported, language)), Verdict::Holds, "{exported}");
    }
    model.procedures[1].locals[0].initial = Initial::Fixed(false);
    model.procedures[0].boxes[0].arguments = [epitome_encodings::Lit::FALSE].into();
    for (exported, language) in exports(&model) {
        assert_eq!(verdict(&parse(&exported, language)), Verdict::Violated, "{exported}");
    }
    model.initial.clear();
    for (exported, language) in exports(&model) {
        assert_eq!(verdict(&parse(&exported, language)), Verdict::Holds, "{exported}");
    }
    for (exported, language) in exports(&Ersm::default()) {
        assert_eq!(verdict(&parse(&exported, language)), Verdict::Holds, "{exported}");
    }
}

#[test]
fn texts_of_exponential_length_are_refused() {
    let mut model = ersm(&parse("var g; machine main { entry e; e -> e; } init main.e;", Language::Rsm));
    let mut lit = model.leaf(Leaf::Var(Var::Global(0)));
    for choice in 0..60 {
        let other = model.leaf(Leaf::Choice(choice));
        let (yes, no) = (model.circuit.and(lit, other), model.circuit.and(!lit, !other));
        let either = model.circuit.or(yes, other);
        lit = model.circuit.and(!either, !no);
    }
    model.procedures[0].edges[0].guard = lit;
    let refused = TooLarge { limit: 1_000_000 };
    assert_eq!((to_rsm(&model).err(), to_bp(&model).err()), (Some(refused), Some(refused)));
    assert!(to_dot(&Drawing::new(&model, &|_, _| None)).contains("[…]"));
}

/// Nothing is quadratic and nothing recurses: a long program is an ordinary one.
#[test]
fn long_programs_are_written() {
    let calls: String = (0..20_000).map(|i| format!("L{i}: p{i}();")).collect();
    let bodies: String =
        (0..20_000).map(|i| format!("void p{i}() begin decl a, b; a, b := b, !a & g; assert(a | 1); end\n")).collect();
    let model = ersm(&parse(&format!("decl g; void main() begin {calls} end\n{bodies}"), Language::Bp));
    for (exported, language) in [(as_rsm(&model), Language::Rsm), (as_bp(&model), Language::Bp)] {
        let again = ersm(&parse(&exported, language));
        assert_eq!(again.procedures.len(), model.procedures.len());
        assert_eq!(again.failures.len(), model.failures.len());
    }
    assert!(to_dot(&Drawing::new(&model, &|_, _| None)).contains("cluster_p19999"));
}

#[test]
fn a_program_reads_like_a_program() {
    let machines = "var g := 0; machine main { entry e; node n; exit x; box b: S(!g -> g);
        e -> n when g do g := 0 label \"down\"; e -> b.p; b.ok -> e; b.no -> x; n -> n; }
        machine S(in a; out r) { entry p; exit ok, no; p -> ok do r := a; p -> no; } init main.e;";
    let expected = "\
decl g := 0;

void main() begin
  decl exit1;
  e: goto e_1, e_2;
  e_1: assume(g);
  g := 0;
  goto n;
  e_2: g, exit1 := S(!g);
  goto after_b_1, after_b_2;
  after_b_1: assume(!exit1);
  goto e;
  after_b_2: assume(exit1);
  x: return;
  n: goto n;
end

bool<2> S(a) begin
  decl r;
  p: goto p_1, p_2;
  p_1: r := a;
  goto ok;
  no: p_2: return r, 1;
  ok: return r, 0;
end
";
    assert_eq!(as_bp(&ersm(&parse(machines, Language::Rsm))), expected);
}

/// The arrows of a picture that go through a lane: the lane, and from which height to which.
fn lanes(column: &str) -> Vec<(usize, usize, usize)> {
    let number = |text: &str| text.parse::<usize>().unwrap_or_else(|_| panic!("{text} is no number"));
    let path = |line: &str| {
        let (_, path) = line.strip_prefix("<path").filter(|line| !line.contains("head"))?.split_once("d=\"M")?;
        let (start, rest) = path.split_once('H')?;
        let (lane, rest) = rest.split_once('V')?;
        let (from, to) = (number(start.split_once(' ')?.1), number(rest.split_once('H')?.0));
        Some((number(lane), from.min(to), from.max(to)))
    };
    column.lines().filter_map(path).collect()
}

/// In a picture nothing lies on anything else: blocks are below each other, and arrows in one lane, too. What an arrow of a picture
/// for Mermaid connects is there.
#[test]
fn pictures_are_drawn() {
    let mut arrows = 0;
    for seed in 0..80 {
        let program = match seed % 2 {
            0 => parse(&random_program(seed, &Shape::general()), Language::Bp),
            _ => parse(&common::guarded_machines::guarded_machines(seed, seed % 4 == 1), Language::Rsm),
        };
        let drawing = Drawing::new(&ersm(&program), &|_, _| Some("a < \"b\" && `c`#".to_owned()));
        let svg = to_svg(&drawing);
        assert_eq!(svg, to_svg(&drawing));
        assert!(svg.contains("&lt;") && svg.contains("&amp;&amp;"), "{svg}");
        for column in svg.split("<g transform").skip(1) {
            let mut taken = lanes(column);
            arrows += taken.len();
            taken.sort_unstable();
            for two in taken.windows(2).filter(|two| two[0].0 == two[1].0) {
                assert!(two[0].2 < two[1].1, "seed {seed}: {two:?}\n{column}");
            }
            let block = |line: &str| {
                let rest = line.split_once("<rect x=\"0\" y=\"")?.1;
                let (top, rest) = rest.split_once("\" width")?;
                let height = rest.split_once("height=\"")?.1.split_once('"')?.0;
                Some((top.parse::<usize>().ok()?, height.parse::<usize>().ok()?))
            };
            let blocks: Vec<(usize, usize)> = column.lines().filter_map(block).collect();
            assert!(!blocks.is_empty() && blocks.windows(2).all(|two| two[0].0 + two[0].1 < two[1].0), "{column}");
        }
        let mermaid = to_mermaid(&drawing);
        assert!(!mermaid.contains('`') && mermaid.contains("#quot;b#quot;"), "{mermaid}");
        for line in mermaid.lines().filter(|line| line.contains("-->") && !line.contains("init")) {
            let ends = [line.split_whitespace().next(), line.split_whitespace().last()];
            for end in ends.into_iter().flatten() {
                assert!(mermaid.lines().any(|line| line.trim_start().starts_with(end)), "{end}\n{mermaid}");
            }
        }
    }
    assert!(arrows > 200, "{arrows}");
}

/// Of each call there is an arrow with its line, and of recursion a sign; in all forms.
#[test]
fn calls_are_drawn() {
    let text = "void main() begin\n  p(); p();\n  q();\n  p();\nend\nvoid p() begin\n  if (*) then q(); fi\nend\n\
                void q() begin\n  p();\n  r();\nend\nvoid r() begin skip; end\nvoid alone() begin r(); alone(); end";
    let program = parse(text, Language::Bp);
    let source = Source::new("test", text);
    let (model, map) = build(&program);
    let line = |procedure: u32, place| Some(source.position(program.span(procedure, place).start).line);
    let drawing = Drawing::new(&model, &|_, _| None).with_positions(&|procedure, vertex| {
        line(procedure.0, map.place_of(procedure.0, vertex)?).map(|line| format!("{line}:1"))
    });
    let drawn = calls(&drawing, &|procedure| Some(format!("{}:6", procedure.0)));
    let picture = &drawn.procedures[0];
    let labels: Vec<&str> = picture.nodes.iter().map(|node| node.label.as_str()).collect();
    assert_eq!(labels, ["main", "p ↻", "q ↻", "r", "alone ↻"]);
    let dot = to_dot(&drawn);
    for arrow in [
        "p0_n0 -> p0_n1 [label=\"lines 2, 4\"]",
        "p0_n0 -> p0_n2 [label=\"line 3\"]",
        "p0_n1 -> p0_n2 [label=\"line 7\"]",
        "p0_n2 -> p0_n1 [label=\"line 10\"]",
        "p0_n2 -> p0_n3 [label=\"line 11\"]",
        "p0_n4 -> p0_n3 [label=\"line 14\"]",
        "p0_n4 -> p0_n4 [label=\"line 14\"]",
        "init0 -> p0_n0",
    ] {
        assert!(dot.contains(arrow), "{arrow}\n{dot}");
    }
    assert_eq!((picture.arrows.len(), dot.matches(" -> ").count()), (7, 8), "{dot}");
    let (svg, mermaid) = (to_svg(&drawn), to_mermaid(&drawn));
    assert!(svg.contains("data-at=\"1:6\"") && svg.contains("● ▸ main") && svg.contains("call graph"), "{svg}");
    // Up lead the two calls that close cycles, and one from a procedure that nobody calls, which stands below.
    assert_eq!(svg.matches("class=\"back\"").count(), 3, "{svg}");
    assert!(mermaid.contains("p0_n2 -->|\"line 10\"| p0_n1"), "{mermaid}");
    // Without the others, only calls among those that are left.
    let mut drawing = drawing;
    drawing.retain(|picture| picture.name == "q" || picture.name == "r");
    assert_eq!(to_dot(&calls(&drawing, &|_| None)).matches(" -> ").count(), 1);
}

/// Places that are never reached are grey in all forms.
#[test]
fn dead_places_are_grey() {
    let program = parse("decl g; void main() begin skip; p(); end void p() begin skip; end", Language::Bp);
    let (model, map) = build(&program);
    let mut drawing = Drawing::new(&model, &|_, _| None)
        .with_positions(&|procedure, vertex| map.place_of(procedure.0, vertex).map(|place| format!("{place:?}")));
    let before = [to_dot(&drawing), to_svg(&drawing), to_mermaid(&drawing)].concat();
    assert!(!["#dddddd", " dead\"", "∅", ":::dead"].iter().any(|sign| before.contains(sign)), "{before}");
    drawing.fade(|place| place == "Statement(1)");
    let (dot, svg, mermaid) = (to_dot(&drawing), to_svg(&drawing), to_mermaid(&drawing));
    // The statement, and the box of its call.
    assert_eq!(dot.matches("fillcolor=\"#dddddd\"").count(), 2, "{dot}");
    assert_eq!((svg.matches(" dead\"").count(), svg.matches("∅").count()), (2, 2), "{svg}");
    assert_eq!(mermaid.matches(":::dead").count(), 2, "{mermaid}");
}

/// One of 100,000 procedures is drawn at once.
#[test]
fn a_picture_of_a_part() {
    let text = epitome_benchmarks::generate("tn", 20_000, Expected::Safe).unwrap();
    let mut drawing = Drawing::new(&ersm(&parse(&text, Language::Bp)), &|_, _| None);
    drawing.retain(|picture| picture.name == "main");
    assert_eq!((drawing.procedures.len(), drawing.starts.len()), (1, 1));
    assert!(to_svg(&drawing).len() < 10_000);
}
