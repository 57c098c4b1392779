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
  assert({]]>} & {</script>}); // <img src=x onerror=alert(1)>
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
    let times =
        ["<dt>Time</dt>", "<dt>Memory</dt>", " time</td>", "<td>table</td>", "<td>memory</td>", "id=\"report\">"];
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
                assert!(pairs.as_array().unwrap().iter().any(|pair| is_told(&pair)), "{name}: {variable} at {line}");
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
        "<div class=\"line no\" id=\"L7\" title=\"unreachable\"><span class=\"sign\">✗</span>",
        "<div class=\"line\" id=\"L1\">",
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
