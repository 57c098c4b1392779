//! The tool-info module for BenchExec, with BenchExec itself, where it is installed.

use std::path::Path;
use std::process::Command;

const SCRIPT: &str = r#"
import collections
from bxtools.epitome import Tool
from benchexec.tools.template import BaseTool2, UnsupportedFeatureException

tool = Tool()
Run = collections.namedtuple("Run", "output exit_code was_timeout")
def result(*lines):
    return tool.determine_result(Run([line + "\n" for line in lines], None, False))
assert result("a", "Verdict: TRUE") == "true", result("a", "Verdict: TRUE")
assert result("Verdict: FALSE(unreach-call)", "note: on stderr") == "false(unreach-call)"
assert result("Verdict: UNKNOWN(timeout)") == "TIMEOUT"
assert result("Verdict: UNKNOWN(memory)") == "OUT OF MEMORY"
assert result("Verdict: UNKNOWN(not supported: x (y))") == "unknown (not supported: x (y))"
assert result("nothing") == "ERROR"
limits = BaseTool2.ResourceLimits(cputime=900, memory=1000000000)
task = BaseTool2.Task.with_files(["p.c"], property_file="p.prp", options={"language": "C", "data_model": "LP64"})
line = tool.cmdline("epitome", ["--engine", "bdd"], task, limits)
expected = ["epitome", "check", "p.c", "--property", "p.prp", "--data-model", "LP64",
            "--timeout", "855s", "--memory", "900000000", "--engine", "bdd"]
assert line == expected, line
def timeout(**limits):
    line = tool.cmdline("epitome", [], task, BaseTool2.ResourceLimits(**limits))
    return line[line.index("--timeout") + 1] if "--timeout" in line else None
assert tool.cmdline("epitome", [], task, BaseTool2.ResourceLimits(cpu_cores=4))[-2:] == ["--threads", "4"]
assert timeout(cputime=10) == "9s" and timeout(cputime=900, cpu_cores=2) == "427s"
assert timeout(cputime=900, walltime=100) == "95s" and timeout(memory=1000) is None
java = BaseTool2.Task.with_files(["p.c"], property_file="p.prp", options={"language": "Java"})
try:
    tool.cmdline("epitome", [], java, limits)
    assert False
except UnsupportedFeatureException:
    pass
assert tool.get_value_from_output(["queries            606\n", "queries / s        33840\n"], "queries") == "606"
assert tool.get_value_from_output(["queries            606\n"], "lemmas") is None
"#;

#[test]
fn benchexec_understands_us() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let python = |arguments: &[&str]| {
        Command::new("python3").args(arguments).current_dir(root).env("PYTHONPATH", "scripts").output()
    };
    if !python(&["-c", "import benchexec"]).is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: BenchExec is not installed (pip install benchexec)");
        return;
    }
    let output = python(&["-c", SCRIPT]).expect("runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let tool = assert_cmd::cargo::cargo_bin("epitome");
    let folder = tool.parent().expect("a folder").to_string_lossy().into_owned();
    let module = ["-m", "benchexec.test_tool_info", "bxtools.epitome", "--tool-directory", &folder, "--no-container"];
    let output = python(&module).expect("runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("Name of tool: “Epitome”") && said.contains("Version: “0.1.0”"), "{said}");
}
