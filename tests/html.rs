//! Pages for browsers, without a browser: they load nothing, carry the object that `--json` prints, are the same bytes for the same
//! input, and no text of a program gets out of its place. What they do in a browser is tested by `scripts/browser`.

#[path = "common/output.rs"]
mod output;

use assert_cmd::Command;
use output::{code, stderr, stdout};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Output;
use tempfile::TempDir;

const CLAUSES: &str = "(set-logic HORN)(declare-fun P (Bool Bool) Bool)
(assert (forall ((x Bool)) (P x false)))
(assert (forall ((x Bool) (y Bool)) (=> (P x y) (P y (not x)))))
(assert (forall ((x Bool)) (=> (P x true) false)))
(check-sat)
";

const DEAD: &str = "decl g;
void main() begin
  g := 0;
  if (g) then DEAD: skip; else LIVE: skip; fi
end
void never() begin
  skip;
end
";

/// Ends of scripts, of comments, of attributes; separators of lines; control characters; a direction of writing.
const HOSTILE: &str =
    "// </script><script>alert(1)</script><!-- & &amp; \"q\" 'q' `q` \u{2028} \u{2029} \u{202e} \u{7f} \u{1}
decl {</script>}, {<!-- \"x\" & 'y'>}, {]]>};
void main() begin
  {</script>} := !{<!-- \"x\" & 'y'>};
  {p</script><!--}();
  assert({]]>} & {</script>}); // <img src=x onerror=alert(1)>
end
void {p</script><!--}() begin
  skip;
end
";

/// Runs the tool in the root of the repository, at a time that does not pass.
fn epitome(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_epitome"));
    command.env("SOURCE_DATE_EPOCH", "1700000000").current_dir(env!("CARGO_MANIFEST_DIR"));
    command.args(arguments).output().unwrap()
}

/// The page of a command, and the object that it printed.
fn page_of(folder: &TempDir, arguments: &[&str]) -> (String, Value) {
    let path = folder.path().join("page.html");
    let output = epitome(&[arguments, &["--json", "--html", path.to_str().unwrap()]].concat());
    assert!([0, 3, 10].contains(&code(&output)), "{arguments:?}: {}", stderr(&output));
    (fs::read_to_string(path).unwrap(), serde_json::from_str(&stdout(&output)).unwrap())
}

fn written(folder: &TempDir, name: &str, text: &str) -> String {
    let path = folder.path().join(name);
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// The data of a page.
fn data(page: &str, id: &str) -> Value {
    let start = format!("<script type=\"application/json\" id=\"{id}\">");
    let text = page.split_once(&start).and_then(|(_, rest)| rest.split_once("</script>"));
    serde_json::from_str(text.unwrap_or_else(|| panic!("no data {id}")).0).unwrap()
}

/// Nothing is loaded, and there is one script besides the data; handlers of events stand there only.
fn is_self_contained(page: &str, name: &str) {
    for attribute in [" src=", " href=", " srcset=", " action=", " data="] {
        // Texts of programs are escaped: of them, this is what can look like an attribute.
        for value in page.split(&format!("{attribute}\"")).skip(1) {
            assert!(value.starts_with("data:") || value.starts_with('#'), "{name}:{attribute}{}", &value[..40]);
        }
    }
    let foreign = page.replace("http://www.w3.org/2000/svg", "");
    for word in ["http:", "https:", "@import", "url(", "<iframe", "<object", "<img", " onclick=", "innerHTML", "eval("]
    {
        assert!(!foreign.contains(word), "{name}: {word}");
    }
    assert_eq!(page.matches("<script>").count(), 1, "{name}");
    assert_eq!(page.matches("<script").count(), page.matches("</script>").count(), "{name}");
    assert!(page.ends_with("</script>\n</body>\n</html>\n"), "{name}");
}

/// All kinds of questions and answers: a name, the command, and the verdict.
fn kinds(folder: &TempDir) -> Vec<(&'static str, Vec<String>, &'static str)> {
    let [clauses, dead, hostile] =
        [("c.smt2", CLAUSES), ("d.bp", DEAD), ("h.bp", HOSTILE)].map(|(name, text)| written(folder, name, text));
    let certificate = folder.path().join("all.cert").to_str().unwrap().to_owned();
    let list = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<String>>();
    vec![
        ("failure", list(&["check", "examples/lock.bp"]), "FALSE"),
        ("label", list(&["check", "examples/ball.bp", "--label", "R"]), "FALSE"),
        ("full", list(&["check", "examples/ball.bp", "--label", "R", "--trace", "full"]), "FALSE"),
        ("no trace", list(&["check", "examples/ball.bp", "--label", "R", "--trace", "none"]), "FALSE"),
        ("holds", list(&["check", &dead, "--label", "DEAD"]), "TRUE"),
        ("not supported", list(&["check", &dead, "--property", "no-data-race"]), "UNKNOWN"),
        ("limit", list(&["check", "examples/lock.bp", "--timeout", "0s"]), "UNKNOWN"),
        ("machines", list(&["check", "examples/drink.rsm", "--label", "tea"]), "FALSE"),
        ("clauses", list(&["check", &clauses]), "FALSE"),
        ("C", list(&["check", "examples/lock.c"]), "FALSE"),
        ("lasso", list(&["check", "examples/drink.rsm", "--ltl", "G F tea", "--engine", "expand"]), "FALSE"),
        (
            "growing",
            list(&["check", "examples/server.bp", "--ltl", "G (request -> F answered)", "--engine", "expand"]),
            "FALSE",
        ),
        ("explanation", list(&["check", "examples/drink.rsm", "--ctl", "AG AF tea"]), "FALSE"),
        (
            "explained truth",
            list(&["check", "examples/drink.rsm", "--ctl", "E (!tea U (coffee & EF tea))"]),
            "FALSE TRUE",
        ),
        ("open", list(&["check", "examples/drink.rsm", "--open", "--ctl", "AG EF tea"]), "FALSE"),
        ("certificate", list(&["check", &dead, "--label", "DEAD", "--certificate", &certificate]), "TRUE"),
        ("hostile", list(&["check", &hostile]), "FALSE"),
        ("hostile reach", list(&["reach", &hostile]), ""),
        ("reach", list(&["reach", &dead]), ""),
    ]
}

/// Takes away what takes another time each time.
fn masked(value: &mut Value) {
    match value {
        Value::Array(list) => list.iter_mut().for_each(masked),
        Value::Object(object) => {
            for (name, value) in object.iter_mut() {
                if name.ends_with("seconds") || name.ends_with("_bytes") {
                    *value = Value::Null;
                }
                masked(value);
            }
        }
        _ => {}
    }
}

/// A page without times and memory, of which the report has been taken out.
fn bytes_of(page: &str) -> String {
    let times = [
        "<dt>Time</dt>",
        "<dt>Memory</dt>",
        " time</td>",
        "<td>table</td>",
        "<td>memory</td>",
        "class=\"phase\"",
        "id=\"report\">",
    ];
    let lines = page.lines().filter(|line| !times.iter().any(|time| line.contains(time)));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn pages_of_all_kinds_are_self_contained_and_repeat() {
    let folder = TempDir::new().unwrap();
    for (name, command, verdict) in kinds(&folder) {
        let command: Vec<&str> = command.iter().map(String::as_str).collect();
        let (page, mut printed) = page_of(&folder, &command);
        is_self_contained(&page, name);
        let mut report = data(&page, "report");
        assert!(
            verdict.is_empty() || verdict.contains(report["verdict"].as_str().unwrap()),
            "{name}: {}",
            report["verdict"]
        );
        // The sign of the verdict is there as a word, too.
        let word = report["verdict"].as_str().unwrap_or("dead");
        assert!(page.split("<dl").next().unwrap().contains(word), "{name}");
        let (again, _) = page_of(&folder, &command);
        assert_eq!(bytes_of(&page), bytes_of(&again), "{name}");
        assert!(page.contains("<dd>2023-11-14T22:13:20Z</dd>"), "{name}");
        [&mut report, &mut printed].into_iter().for_each(masked);
        assert_eq!(report, printed, "{name}");
        if command[0] == "check" {
            tells_all_runs(&page, &report, name);
        }
    }
}

/// For each run in the report, the page knows the calls and values of all its lines.
fn tells_all_runs(page: &str, report: &Value, name: &str) {
    let traces: Vec<&Value> = match report["explanation"].as_array() {
        Some(paths) => paths.iter().map(|path| &path["trace"]).collect(),
        None => Some(&report["trace"])
            .filter(|trace| trace.as_array().is_some_and(|steps| !steps.is_empty()))
            .into_iter()
            .collect(),
    };
    let extra = data(page, "page");
    let (variables, runs) = (&extra["variables"], extra["runs"].as_array().unwrap());
    assert_eq!(runs.len(), traces.len(), "{name}");
    assert_eq!(page.contains("id=\"stepper\""), !runs.is_empty(), "{name}");
    for (run, trace) in runs.iter().zip(traces) {
        let lines: Vec<&Value> = trace.as_array().unwrap().iter().filter(|line| line["kind"] != "cut").collect();
        let (calls, values) = (run["calls"].as_array().unwrap(), run["values"].as_array().unwrap());
        assert!(calls.len() == lines.len() && values.len() == lines.len(), "{name}");
        for (line, pairs) in lines.iter().zip(values) {
            // A local that hides a global has its name, too; then the object has one of them.
            for (variable, value) in line["values"].as_object().unwrap() {
                let is_told =
                    |pair: &&Value| variables[pair[0].as_u64().unwrap() as usize][0] == **variable && pair[1] == *value;
                let is_told = pairs.as_array().unwrap().iter().any(|pair| is_told(&pair));
                let is_any = line["any"].as_array().is_some_and(|any| any.contains(&variable.as_str().into()));
                assert!(is_told != is_any, "{name}: {variable} at {line}");
            }
        }
    }
}

#[test]
fn texts_of_programs_stay_in_their_places() {
    let folder = TempDir::new().unwrap();
    let program = written(&folder, "h.bp", HOSTILE);
    for command in ["check", "reach"] {
        let (page, report) = page_of(&folder, &[command, &program]);
        let shown = page.split("id=\"source\"").nth(1).unwrap().split("</section>").next().unwrap();
        assert!(
            shown.contains(
                "// &lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;!-- &amp; &amp;amp; &quot;q&quot; 'q' `q`"
            ),
            "{shown}"
        );
        assert!(shown.contains("&lt;img src=x onerror=alert(1)&gt;") && !shown.contains("<img"), "{shown}");
        assert!(!page.contains(['\u{1}', '\u{7f}']) && !page.contains("alert(1)</script>"), "{command}");
        assert_eq!(data(&page, "report")["file"], report["file"]);
    }
}

#[test]
fn dead_code_is_marked() {
    let folder = TempDir::new().unwrap();
    let program = written(&folder, "d.bp", DEAD);
    let (page, report) = page_of(&folder, &["reach", &program]);
    assert!(report["lines"].as_array().is_some_and(|lines| lines.len() > 3), "{report}");
    let marks = [
        "<div class=\"line yes\" id=\"L3\" title=\"reachable\"><span class=\"sign\">✓</span>",
        "<div class=\"line partly\" id=\"L4\" title=\"reachable in part\"><span class=\"sign\">±</span>",
        "<div class=\"line no\" id=\"L7\" title=\"unreachable\"><span class=\"sign\">∅</span>",
        "<div class=\"line\" id=\"L1\">",
        "<g class=\"node dead\" data-at=\"7:3\">",
        "<td><code>never</code></td><td>0</td><td>1</td><td>0</td>",
        "2 statements are dead",
    ];
    for mark in marks {
        assert!(page.contains(mark), "{mark}\n{page}");
    }
}

#[test]
fn a_proof_says_where_it_is() {
    let folder = TempDir::new().unwrap();
    let program = written(&folder, "d.bp", DEAD);
    let certificate = folder.path().join("proof.cert");
    let command = ["check", &program, "--label", "DEAD", "--certificate", certificate.to_str().unwrap()];
    let (page, _) = page_of(&folder, &command);
    assert!(certificate.exists() && page.contains(&format!("epitome certify {program} {}", certificate.display())));
    let (page, _) = page_of(&folder, &command[..4]);
    assert!(page.contains("--certificate FILE"));
}

#[test]
fn a_page_overwrites_no_program() {
    let folder = TempDir::new().unwrap();
    let program = written(&folder, "d.bp", DEAD);
    let refused = |path: &str, why: &str| {
        for command in ["check", "reach"] {
            let output = epitome(&[command, &program, "--html", path]);
            assert!(code(&output) == 2 && stderr(&output).contains(why), "{path}: {}", stderr(&output));
        }
    };
    refused(&program, "is not overwritten");
    for name in ["x.c", "x.rsm", "x.smt2", "x.yml", "x.prp"] {
        refused(folder.path().join(name).to_str().unwrap(), "is not overwritten");
    }
    #[cfg(unix)]
    {
        let link = folder.path().join("link.html");
        std::os::unix::fs::symlink(&program, &link).unwrap();
        refused(link.to_str().unwrap(), "is not overwritten");
    }
    let other = written(&folder, "program.txt", DEAD);
    let output = epitome(&["check", &other, "--language", "bp", "--html", &other]);
    assert!(code(&output) == 2 && fs::read_to_string(&other).unwrap() == DEAD, "{}", stderr(&output));
    refused("-", "standard output");
    refused("/nowhere/at/all.html", "there is no such folder");
    assert_eq!(fs::read_to_string(&program).unwrap(), DEAD);
    assert!(!Path::new("-").exists());
}

#[test]
fn the_text_is_what_it_is_without_a_page() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("page.html");
    let plain = epitome(&["check", "examples/ball.bp", "--label", "R"]);
    let paged = epitome(&["check", "examples/ball.bp", "--label", "R", "--html", path.to_str().unwrap()]);
    assert_eq!((code(&plain), stdout(&plain), stderr(&plain)), (code(&paged), stdout(&paged), stderr(&paged)));
    assert!(path.exists());
}

/// The classes of the lines of a page, by number.
fn classes(page: &str) -> Vec<String> {
    let lines = page.split("<div class=\"line").skip(1);
    lines.map(|line| line.split('"').next().unwrap().trim().to_owned()).collect()
}

/// Lines that no run comes to are marked in the page of a check, whatever the answer is, and no line of the trace is one of them.
#[test]
fn a_check_marks_what_can_be_reached() {
    let folder = TempDir::new().unwrap();
    let program = written(&folder, "d.bp", DEAD);
    for arguments in [&["--label", "LIVE"][..], &["--label", "DEAD"], &[], &["--ltl", "G !g"]] {
        let (page, report) = page_of(&folder, &[&["check", &program], arguments].concat());
        let classes = classes(&page);
        // Of line 4, with a dead statement and others, something can be reached.
        let expected = ["", "", "yes", "yes", "", "", "no", ""];
        assert_eq!(classes, expected, "{arguments:?}");
        assert!(page.contains("id=\"L7\" title=\"unreachable\"><span class=\"sign\">∅</span>"), "{arguments:?}");
        assert!(page.contains("<span class=\"mark no\">∅</span> unreachable</span>"), "{arguments:?}");
        assert!(page.contains("<g class=\"node dead\" data-at=\"7:3\">"), "{arguments:?}");
        for line in report["trace"].as_array().unwrap() {
            assert_ne!(classes[line["line"].as_u64().unwrap() as usize - 1], "no", "{line}");
        }
    }
    // Nothing is known where nothing was searched.
    let (page, _) = page_of(&folder, &["check", &program, "--timeout", "0s"]);
    assert!(classes(&page).iter().all(String::is_empty) && !page.contains("<span class=\"mark no\">"));
}

/// A function of C that is written out stands in several places of the machine: it is reachable if one of them is.
#[test]
fn copies_of_a_line_are_one_line() {
    let folder = TempDir::new().unwrap();
    let text = "extern void reach_error(void);\nint pick(int n) {\n  if (n == 1)\n    return 5;\n  return 6;\n}\nint main(void) {\n  \
                int a = pick(1);\n  int b = pick(2);\n  if (a == b)\n    reach_error();\n  return 0;\n}\n";
    let (page, report) = page_of(&folder, &["check", &written(&folder, "c.c", text)]);
    assert_eq!(report["verdict"], "TRUE");
    let classes = classes(&page);
    assert!(classes[3] == "yes" && classes[4] == "yes" && classes[10] == "no", "{classes:?}");
}

/// The variables of the property: its name, and the procedure of a local.
fn of_property(page: &str) -> Vec<(String, Option<String>)> {
    let extra = data(page, "page");
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let variable = |number: &Value| &extra["variables"][number.as_u64().unwrap() as usize];
    let numbers = extra["property"].as_array().unwrap().iter();
    numbers.map(|number| (text(&variable(number)[0]).unwrap(), text(&variable(number)[1]))).collect()
}

#[test]
fn a_page_knows_the_variables_of_its_property() {
    let folder = TempDir::new().unwrap();
    let global = |name: &str| (name.to_owned(), None);
    let program =
        written(&folder, "p.bp", "decl g, h;\nvoid main() begin\n  decl x;\n  x := h;\n  assert(!x | g);\nend\n");
    let (page, _) = page_of(&folder, &["check", &program]);
    assert_eq!(of_property(&page), [global("g"), ("x".to_owned(), Some("main".to_owned()))]);
    let (page, _) = page_of(&folder, &["check", &program, "--ltl", "G (!\"g != h\" & !main.x)"]);
    assert_eq!(of_property(&page), [global("g"), global("h"), ("x".to_owned(), Some("main".to_owned()))]);
    let (page, _) = page_of(&folder, &["check", &program, "--ctl", "AG h"]);
    assert_eq!(of_property(&page), [global("h")]);
    let (page, _) = page_of(&folder, &["check", "examples/ball.bp", "--label", "R"]);
    assert_eq!(of_property(&page), []);
}

/// A certificate is checked by another solver, and its claims stand in the page.
#[test]
fn a_page_shows_a_proof() {
    let folder = TempDir::new().unwrap();
    let text = "decl g;\nvoid main() begin\n  g := 0;\n  while (*) do\n    flip();\n    flip();\n  od\n  assert(!g);\nend\nvoid flip() begin\n  g := !g;\nend\n";
    let (program, certificate) = (written(&folder, "f.bp", text), folder.path().join("f.cert"));
    let command = ["check", &program, "--certificate", certificate.to_str().unwrap()];
    for (solver, other) in [("cadical", "varisat"), ("varisat", "cadical")] {
        let (page, _) = page_of(&folder, &[&command[..], &["--sat-solver", solver]].concat());
        let proof = page.split("id=\"proof\"").nth(1).unwrap().split("</section>").next().unwrap();
        assert!(proof.contains(&format!("Checked by {other}: <span class=\"badge good\">✓ VALID</span>")), "{proof}");
        assert!(proof.contains(&format!("found by {solver}")), "{proof}");
        let claims: Value = serde_json::from_str(&fs::read_to_string(&certificate).unwrap()).unwrap();
        let never = |procedure: &Value| procedure["never"].as_array().unwrap().len();
        let count: usize = claims["procedures"].as_array().unwrap().iter().map(never).sum();
        assert_eq!(proof.matches("<tr class").count(), count, "{proof}");
        assert!(
            proof.contains("the loop at line <a href=\"#L4\">4</a>") && proof.contains("<code>g=1</code>"),
            "{proof}"
        );
        assert!(proof.contains("<code>flip</code>") && proof.contains("the exit"), "{proof}");
    }
}

/// Texts that can be saved are what the commands write.
#[test]
fn a_page_carries_its_files() {
    let folder = TempDir::new().unwrap();
    let witness = folder.path().join("witness.yml");
    let (page, _) = page_of(&folder, &["check", "examples/lock.c", "--witness", witness.to_str().unwrap()]);
    let files = data(&page, "files");
    assert_eq!(files["witness.yml"], fs::read_to_string(&witness).unwrap());
    assert!(page.contains("data-file=\"witness.yml\">Download witness.yml"));
    let (page, _) = page_of(&folder, &["check", "examples/ball.bp", "--label", "R"]);
    let files = data(&page, "files");
    assert_eq!(files.as_object().unwrap().len(), 4, "{files}");
    let calls = stdout(&epitome(&["graph", "--calls", "examples/ball.bp"]));
    assert_eq!(files["calls.dot"], calls);
    let command = ["graph", "--calls", "examples/ball.bp", "--format"];
    assert_eq!(files["calls.mmd"], stdout(&epitome(&[&command[..], &["mermaid"]].concat())));
    let svg = stdout(&epitome(&[&command[..], &["svg"]].concat()));
    assert!(page.contains(&svg) && svg.contains("aria-label=\"call graph\""), "{svg}");
}

/// Of a program without calls there is no picture of them; of a large one only what the run visits is drawn.
#[test]
fn pictures_are_not_too_large() {
    let folder = TempDir::new().unwrap();
    let (page, _) = page_of(&folder, &["check", &written(&folder, "l.bp", "decl g; void main() begin assert(g); end")]);
    assert!(page.contains("id=\"graph\"") && !page.contains("id=\"calls\""));
    let mut text =
        "decl g;\nvoid main() begin\n  p();\n  if (g) then q0(); fi\n  assert(0);\nend\nvoid p() begin skip; end\n"
            .to_owned();
    for n in 0..500 {
        text += &format!("void q{n}() begin if (g) then q{}(); fi end\n", (n + 1) % 500);
    }
    let (page, _) = page_of(&folder, &["check", &written(&folder, "q.bp", &text)]);
    assert_eq!(page.matches("499 others are left out").count(), 0);
    assert_eq!(page.matches("others are left out").count(), 2);
    assert!(page.contains(">● ▸ main</text>") && page.contains(">p</text>") && !page.contains(">q7 ↻</text>"));
}
