//! What is asked, and what is told besides the verdict: names in properties, questions about nothing, files
//! that are not overwritten, places and messages in JSON.

#[path = "common/output.rs"]
mod output;

use output::{code, stderr, stdout};
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};
use tempfile::TempDir;

/// Files in a folder, where the tool runs.
struct Folder(TempDir);

impl Folder {
    fn new(files: &[(&str, &str)]) -> Folder {
        let folder = Folder(TempDir::new().unwrap());
        files.iter().for_each(|(name, text)| fs::write(folder.path(name), text).unwrap());
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_epitome"));
        command.env("NO_COLOR", "1").current_dir(self.0.path()).args(arguments).output().unwrap()
    }

    fn json(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&stdout(&self.run(&[arguments, &["--json"]].concat()))).unwrap()
    }
}

const PROGRAM: &str = "decl g;\nvoid main() begin\n  R: g := *;\n  p(g);\nend\nvoid p(a) begin L: skip; end\n";
const IN_C: &str = "void never(void);\nvoid helper(int x) { }\nstatic void dead(void) { for (;;) ; }\n\
                    int main(void) { int x = 0; here: helper(x); return 0; }\n";
const MACHINE: &str = "machine main { entry s; node t {calm}; exit x; s -> t; t -> x; }\ninit main.s;\n";

/// Every name in every form of property means something in the program, or is refused: TRUE would be no answer.
#[test]
fn mistyped_names_are_errors_in_every_form_of_property() {
    let folder = Folder::new(&[("a.bp", PROGRAM), ("a.c", IN_C)]);
    let told = |file: &str, arguments: &[&str], message: &str| {
        let output = folder.run(&[&["check", file, "-q"], arguments].concat());
        assert_eq!((code(&output), stdout(&output)), (2, String::new()), "{arguments:?}");
        assert!(stderr(&output).contains(message), "{arguments:?}: {}", stderr(&output));
    };
    for (file, label, function, entry) in [("a.bp", "RL", "mian", "p"), ("a.c", "hree", "hepler", "main")] {
        let means = if file == "a.c" { "did you mean" } else { "the program has no" };
        for formula in [format!("G ! label({label})"), format!("G ! call({function}())")] {
            told(file, &["--property", &formula], means);
            let text = format!("CHECK( init(main()), LTL({formula}) )");
            told(file, &["--property", &text], means);
            fs::write(folder.path("p.prp"), &text).unwrap();
            told(file, &["--property", "p.prp"], means);
            for command in ["encode", "certify"] {
                let more: &[&str] = if command == "encode" { &["--to", "chc"] } else { &["p.prp"] };
                let output = folder.run(&[&[command, file, "--property", &formula], more].concat());
                assert_eq!(code(&output), 2, "{command} {formula}");
                assert!(stderr(&output).contains(means), "{command} {formula}: {}", stderr(&output));
            }
        }
        told(file, &["--label", label], means);
        for atom in [format!("at({label})"), format!("in({function})"), format!("call({function})"), "gg".to_owned()] {
            // Also where it does not matter.
            told(file, &["--ltl", &format!("G ({atom} || true)")], "the program has no");
            told(file, &["--ctl", &format!("AG !{atom}")], "the program has no");
            let text = format!("CHECK( init(main()), LTL(G ({atom} -> F {atom})) )");
            told(file, &["--property", &text], "the program has no");
        }
        assert_eq!(code(&folder.run(&["check", file, "-q", "--ltl", &format!("F in({entry})")])), 0, "{file}");
    }
    let task =
        "format_version: '2.0'\ninput_files: a.c\nproperties:\n  - property_file: p.prp\n    expected_verdict: true\n";
    fs::write(folder.path("t.yml"), task).unwrap();
    told("t.yml", &[], "no function `hepler`; did you mean `helper`?");
    fs::write(folder.path("p.prp"), "CHECK( init(mian()), LTL(G ! call(reach_error())) )").unwrap();
    told("t.yml", &[], "there is no function `mian`");
}

/// What is there may be asked about, whether it can run or not; words of failure are the same for all programs.
#[test]
fn names_that_are_there_are_accepted() {
    let folder = Folder::new(&[("a.bp", PROGRAM), ("a.c", IN_C), ("a.rsm", MACHINE)]);
    let cases = [
        ("a.bp", "G ! label(R)", 10),
        ("a.bp", "G ! label(p.L)", 10),
        ("a.bp", "G ! call(p())", 10),
        ("a.bp", "G ! label(ERROR)", 0),
        ("a.bp", "G ! call(reach_error())", 0),
        ("a.c", "G ! call(helper())", 10),
        ("a.c", "G ! call(dead())", 0),
        ("a.c", "G ! call(never())", 0),
        ("a.c", "G ! label(here)", 10),
        ("a.c", "CHECK( init(main()), LTL(G ! call(reach_error())) )", 0),
        ("a.c", "CHECK( init(main()), LTL(G ! label(ERROR)) )", 0),
        ("a.rsm", "G ! label(t)", 10),
        ("a.rsm", "G ! label(calm)", 10),
    ];
    for (file, property, status) in cases {
        assert_eq!(code(&folder.run(&["check", file, "-q", "--property", property])), status, "{file} {property}");
    }
}

#[test]
fn a_question_about_nothing_is_told_everywhere_and_can_be_refused() {
    let folder = Folder::new(&[
        ("a.bp", PROGRAM),
        ("a.c", IN_C),
        ("a.rsm", MACHINE),
        ("b.bp", "void main() begin assert(1); end"),
    ]);
    for (file, property) in [
        ("a.bp", None),
        ("a.rsm", None),
        ("a.c", None),
        ("a.c", Some("G ! call(dead())")),
        ("a.bp", Some("unreach-label")),
    ] {
        let asked: Vec<&str> = property.map_or(vec![], |property| vec!["--property", property]);
        let check = |more: &[&str]| folder.run(&[&["check", file], &asked[..], more].concat());
        let said = check(&["--html", "a.html"]);
        assert!(stderr(&said).contains("note: nothing to check: "), "{file}: {}", stderr(&said));
        assert!(folder.text("a.html").contains("Note: nothing to check: "), "{file}");
        let report = folder.json(&[&["check", file], &asked[..]].concat());
        assert_eq!((&report["verdict"], &report["nothing_to_check"]), (&json!("TRUE"), &json!(true)), "{file}");
        assert!(report["notes"][0].as_str().unwrap().starts_with("nothing to check: "), "{report}");
        for more in [&["--require"][..], &["--require", "--json"]] {
            let refused = check(more);
            assert_eq!((code(&refused), stdout(&refused)), (2, String::new()), "{file}");
            assert!(stderr(&refused).contains("nothing to check: "), "{}", stderr(&refused));
        }
    }
    assert_eq!(code(&folder.run(&["check", "b.bp", "--require"])), 0);
    assert_eq!(folder.json(&["check", "b.bp"])["nothing_to_check"], json!(false));
    assert_eq!(code(&folder.run(&["check", "a.bp", "--require", "--label", "R"])), 10);
    assert_eq!(code(&folder.run(&["check", "a.bp", "--require", "--ltl", "F end"])), 0);
}

#[test]
fn bench_does_not_count_questions_about_nothing_as_solved() {
    let folder = Folder::new(&[
        ("a.bp", PROGRAM),
        ("b.bp", "void main() begin assert(1); end"),
        ("c.bp", &format!("// expected: FALSE\n{PROGRAM}")),
    ]);
    let output =
        folder.run(&["bench", "a.bp", "b.bp", "--engines", "expand", "-q", "--csv", "a.csv", "--html", "a.html"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let lines: Vec<String> = stdout(&output).lines().map(str::to_owned).collect();
    let of = |start: &str| lines.iter().rfind(|line| line.starts_with(start)).unwrap().clone();
    assert!(of("a.bp").contains("| nothing to check ") && of("b.bp").contains("| TRUE "), "{lines:?}");
    assert_eq!(
        of("engine").split_whitespace().skip(1).collect::<Vec<_>>(),
        ["TRUE", "FALSE", "unknown", "failed", "wrong", "nothing", "PAR-2"]
    );
    assert_eq!(of("expand").split_whitespace().skip(1).take(6).collect::<Vec<_>>(), ["1", "0", "0", "0", "0", "1"]);
    assert!(folder.text("a.csv").lines().nth(1).unwrap().contains(",TRUE,nothing to check,"));
    assert!(folder.text("a.html").contains("data-end=\"nothing to check\""));
    let again = folder.run(&["bench", "a.bp", "b.bp", "--engines", "expand", "-q", "--csv", "a.csv", "--resume"]);
    assert!(stdout(&again).contains("| nothing to check "), "{}", stdout(&again));
    // A comment that expects a violation is not satisfied by nothing.
    let wrong = folder.run(&["bench", "c.bp", "--engines", "expand", "-q"]);
    assert_eq!(code(&wrong), 1);
    assert!(stdout(&wrong).contains("nothing to check!"), "{}", stdout(&wrong));
}

#[test]
fn reports_say_what_happens_where_at_the_top() {
    let undefined = "int main(void) { int z = 0;\n  return 1 / z; }\n";
    let unsupported = "int main(void) {\n  double d = 1.5; return (int) (d * d); }\n";
    let fails = "decl g;\nvoid main() begin\n  assert(g);\nend\n";
    let folder = Folder::new(&[("f.bp", fails), ("u.c", undefined), ("n.c", unsupported), ("a.bp", PROGRAM)]);
    let top = |arguments: &[&str]| {
        let report = folder.json(&[&["check"], arguments].concat());
        (report["location"].clone(), report["message"].as_str().unwrap_or("").to_owned())
    };
    let at = |file: &str, line: u32, column: u32| json!({ "file": file, "line": line, "column": column });
    assert_eq!(top(&["f.bp"]), (at("f.bp", 3, 3), "assert(g) can fail (in main)".to_owned()));
    assert_eq!(top(&["f.bp", "--trace", "none"]).0, at("f.bp", 3, 3));
    assert_eq!(top(&["a.bp", "--label", "L"]), (at("a.bp", 6, 20), "label L can be reached (in p)".to_owned()));
    assert_eq!(top(&["u.c"]).0["line"], json!(2));
    assert!(top(&["u.c"]).1.contains("division by zero"), "{}", top(&["u.c"]).1);
    assert_eq!(top(&["n.c"]).0["line"], json!(2));
    assert!(top(&["n.c"]).1.starts_with("not supported: "), "{}", top(&["n.c"]).1);
    let (place, message) = top(&["a.bp", "--ltl", "G !at(L)"]);
    assert!(place["line"].is_u64() && message.contains("violates"), "{place} {message}");
    let (place, message) = top(&["a.bp", "--ctl", "AG !at(L)"]);
    assert_eq!((place, message.as_str()), (at("a.bp", 3, 6), "some run violates G(!at(L))"));
    assert_eq!(top(&["a.bp"]), (Value::Null, String::new()));
}

#[test]
fn what_is_no_file_is_told_with_advice() {
    let folder = Folder::new(&[("ball.bp", PROGRAM), ("t.yml", "format_version: '2.0'\ninput_files: a.c\n")]);
    fs::create_dir(folder.path("programs")).unwrap();
    for (file, message) in [
        ("ball.pb", "cannot read ball.pb: No such file or directory (os error 2); did you mean `ball.bp`?"),
        ("./bal.bp", "cannot read ./bal.bp: No such file or directory (os error 2); did you mean `./ball.bp`?"),
        ("tt.yml", "cannot read tt.yml: No such file or directory (os error 2); did you mean `t.yml`?"),
        ("programs", "cannot read programs: it is a folder: name a program in it"),
        ("no/where.x", "cannot read no/where.x: No such file or directory (os error 2)"),
    ] {
        let output = folder.run(&["check", file]);
        assert_eq!((code(&output), stdout(&output)), (2, String::new()), "{file}");
        assert!(stderr(&output).starts_with(&format!("error: {message}")), "{}", stderr(&output));
    }
}

#[test]
fn names_of_files_comments_and_times_are_read_as_they_are_written() {
    let folder = Folder::new(&[("PROG.BP", "void main(void) begin p(); end void p(void) begin assert(0); end")]);
    for timeout in ["1m30s", "3 s", "0.5min"] {
        let output = folder.run(&["check", "PROG.BP", "-q", "--timeout", timeout, "--memory", "1 G"]);
        assert_eq!((code(&output), stderr(&output).as_str()), (10, ""), "{timeout}");
    }
    let output = folder.run(&[
        "bench",
        "PROG.BP",
        "--engines",
        "expand",
        "--timeout",
        "3 s",
        "-q",
        "--summary",
        "s.md",
        "--svg",
        "plots",
    ]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let summary = folder.text("s.md");
    let row = summary.lines().find(|line| line.starts_with("| PROG.BP |")).unwrap_or_else(|| panic!("{summary}"));
    assert!(row.starts_with("| PROG.BP | unreach-call | FALSE, 0."), "{row}");
    for plot in fs::read_dir(folder.path("plots")).unwrap() {
        assert!(!fs::read_to_string(plot.unwrap().path()).unwrap().contains("var("));
    }
    let picture = folder.run(&["graph", "PROG.BP", "--format", "svg"]);
    assert!(stdout(&picture).starts_with("<svg") && !stdout(&picture).contains("var("));
    fs::write(folder.path("old.bp"), b"// caf\xe9\nvoid main() begin assert(1); end").unwrap();
    assert_eq!(code(&folder.run(&["check", "old.bp", "-q"])), 0);
}

/// Tools that have threads, or functions to be run first, start some procedures by name.
#[test]
fn procedures_that_are_never_called_are_told() {
    let procedures: String = (0..9).map(|number| format!("void lib{number}() begin skip; end\n")).collect();
    let files = [
        ("one.bp", "void main() begin assert(1); end\nvoid init() begin init(); end\n".to_owned()),
        ("nine.bp", format!("void main() begin assert(1); end\n{procedures}")),
        ("none.bp", "void main() begin assert(1); p(); end\nvoid p() begin skip; end\n".to_owned()),
    ];
    let folder = Folder::new(&files.each_ref().map(|(name, text)| (*name, text.as_str())));
    for (file, told) in [
        ("one.bp", "note: 1 procedure is never called and does not run: `init`\n"),
        ("nine.bp", "note: 9 procedures are never called and do not run: `lib0`, `lib1`, `lib2` and 6 more\n"),
        ("none.bp", ""),
    ] {
        assert_eq!(stderr(&folder.run(&["check", file])), told);
        assert_eq!(stderr(&folder.run(&["check", file, "-q"])), "");
        let notes = folder.json(&["check", file])["notes"].clone();
        let expected: Vec<&str> = told.lines().map(|line| line.trim_start_matches("note: ")).collect();
        assert_eq!(notes, json!(expected));
    }
}

/// Of two outputs in one file the first would be lost.
#[test]
fn outputs_have_files_of_their_own() {
    let folder = Folder::new(&[("a.c", "void reach_error(void);\nint main(void) { return 0; }\n")]);
    let arguments = ["check", "a.c", "--engine", "sat", "--witness", "x", "--html", "x"];
    let output = folder.run(&arguments);
    assert_eq!(code(&output), 2, "{}", stdout(&output));
    assert!(stderr(&output).contains("two outputs go to x") && !folder.path("x").exists(), "{}", stderr(&output));
}

/// Procedures that only call each other do not run either.
#[test]
fn a_circle_of_procedures_that_do_not_run_is_noted() {
    let text = "void main() begin assert(1); end void a() begin b(); end void b() begin a(); assert(0); end";
    let output = Folder::new(&[("a.bp", text)]).run(&["check", "a.bp"]);
    assert_eq!(code(&output), 0);
    assert!(stderr(&output).contains("2 procedures are never called and do not run: `a`, `b`"), "{}", stderr(&output));
}

/// Whatever is read is what it is to the system, by whatever name: it is not overwritten by any output of any command.
#[test]
#[cfg(unix)]
fn no_file_that_is_read_is_overwritten() {
    let property = "CHECK( init(main()), LTL(G ! call(reach_error())) )\n";
    let task = "format_version: '2.0'\ninput_files: a.c\nproperties:\n  - property_file: p.prp\n";
    let automaton = stdout(&Folder::new(&[]).run(&["ltl", "F end", "--to", "hoa"]));
    let files = [
        ("a.c", "#include \"inc.h\"\nint main(void) { if (f()) reach_error(); return 0; }\n"),
        ("inc.h", "void reach_error(void);\nstatic int f(void) { return 0; }\n"),
        ("p.prp", property),
        ("t.yml", task),
        ("a.bp", "void main() begin assert(1); end\n"),
        ("a.hoa", &automaton),
        ("s.toml", "[[tasks]]\nfiles = [\"a.bp\"]\n"),
    ];
    let folder = Folder::new(&files);
    for (name, _) in files {
        fs::hard_link(folder.path(name), folder.path(&format!("hard-{name}.txt"))).unwrap();
        std::os::unix::fs::symlink(folder.path(name), folder.path(&format!("soft-{name}.txt"))).unwrap();
    }
    let run = folder.run(&["bench", "a.bp", "--engines", "expand", "-q", "--csv", "old.csv"]);
    assert_eq!(code(&run), 0, "{}", stderr(&run));
    fs::hard_link(folder.path("old.csv"), folder.path("hard-old.csv.txt")).unwrap();
    let old = folder.text("old.csv");
    let refused = |arguments: &[&str], file: &str| {
        let names = [file.to_owned(), format!("hard-{file}.txt"), format!("soft-{file}.txt")];
        for name in names.iter().filter(|name| folder.path(name).exists()) {
            let output = folder.run(&[arguments, &[name.as_str()]].concat());
            assert_eq!(code(&output), 2, "{arguments:?} {name}: {}", stdout(&output));
            let said = stderr(&output);
            assert!(
                said.contains("not overwritten") || said.contains("would overwrite"),
                "{arguments:?} {name}: {said}"
            );
            for (name, text) in files.iter().chain([&("old.csv", old.as_str())]) {
                assert_eq!(&folder.text(name), text, "{arguments:?}");
            }
        }
    };
    for option in ["--witness", "--harness", "--certificate", "--html"] {
        for file in ["a.c", "p.prp", "inc.h"] {
            refused(&["check", "a.c", "--property", "p.prp", option], file);
            refused(&["check", "t.yml", option], file);
        }
        refused(&["check", "t.yml", option], "t.yml");
    }
    refused(&["check", "a.bp", "--automaton", "a.hoa", "--html"], "a.hoa");
    refused(&["check", "a.bp", "--open", "--ctl", "EF end", "--strategy"], "a.bp");
    for command in [&["encode", "a.c", "--to", "bp", "-o"][..], &["graph", "a.c", "-o"], &["reach", "a.c", "--html"]] {
        refused(command, "a.c");
        refused(command, "inc.h");
    }
    refused(&["encode", "a.c", "--to", "chc", "--property", "p.prp", "-o"], "p.prp");
    for option in ["--csv", "--html", "--summary"] {
        refused(&["bench", "a.bp", "--engines", "expand", "-q", "--from", "old.csv", option], "old.csv");
        refused(&["bench", "a.bp", "--engines", "expand", "-q", option], "a.bp");
        refused(&["bench", "s.toml", "--engines", "expand", "-q", option], "s.toml");
    }
}
