//! The system is short of something, or what is read cannot be read.

use crate::output::{stderr, stdout};
use crate::{Lab, check_order, is_installed};
use epitome::limits::peak_bytes_of;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// Commands with what they answer where nothing is missing.
const COMMANDS: &[(&str, i32)] = &[
    ("check holds.bp -q", 0),
    ("check fails.bp -q", 10),
    ("check fails.bp -q --engine bdd", 10),
    ("check holds.bp -q --engine sat", 0),
    ("check holds.bp -q --ctl 'AF !g' --engine bdd", 0),
    // Where there are no processes gcc waits for half a minute for one.
    ("check small.c -q --timeout 5s", 0),
    ("check lock.bp -q --qbf-solver 'sh -c :'", 3),
    ("reach holds.bp -q", 0),
    ("encode --to chc small.c --timeout 5s", 0),
    ("graph small.c --timeout 5s", 0),
    ("classify small.c --timeout 5s", 0),
    ("bench tn:3 --engines expand,bdd -q", 0),
];

/// Either the answer, or none with the reason.
fn check_answers(lab: &Lab, before: &str) -> usize {
    let mut unanswered = 0;
    for &(command, status) in COMMANDS {
        let context = format!("{before} epitome {command}");
        let output = lab.shell(&context);
        let code = check_order(&output, &context);
        // Of the runs of an experiment some may fail, which the experiment calls by its name.
        let is_reason = [2, 3].contains(&code) || (command.starts_with("bench") && code == 1);
        assert!(code == status || is_reason, "{context}: {code}\n{}\n{}", stdout(&output), stderr(&output));
        unanswered += usize::from(code != status);
    }
    assert_eq!(lab.temporary(), [""; 0], "{before}");
    unanswered
}

#[test]
fn too_few_files_may_be_open() {
    let lab = Lab::new();
    assert_eq!(check_answers(&lab, ""), 0);
    for few in [4, 5, 6, 7, 8, 10] {
        check_answers(&lab, &format!("ulimit -n {few};"));
    }
}

/// Where processes are counted for each user, threads are counted with them. The superuser has no such limit.
#[test]
fn no_threads_and_no_processes() {
    let lab = Lab::new();
    if !["setpriv", "prlimit"].into_iter().all(is_installed) {
        return;
    }
    let tool = env!("CARGO_BIN_EXE_epitome");
    // A user who has no other processes, if we may choose.
    let user = "setpriv --reuid 61234 --regid 61234 --clear-groups";
    let has_users = lab.shell(&format!("{user} '{tool}' --version")).status.success();
    let before = if has_users { user } else { "" };
    if !has_users && lab.shell("test $(id -u) = 0").status.success() {
        eprintln!("skipped: another user cannot run {tool}");
        return;
    }
    let mut unanswered = 0;
    for few in [1, 2, 3, 4, 6] {
        unanswered += check_answers(&lab, &format!("epitome() {{ {before} prlimit --nproc={few} '{tool}' \"$@\"; }};"));
    }
    assert!(unanswered > 0, "the limit has no effect");
}

#[test]
fn no_temporary_folder() {
    let lab = Lab::new();
    for (folder, why) in
        [("/nowhere/at/all", "No such file"), ("/dev/null", "Not a directory"), ("/proc", "No such file")]
    {
        for command in ["check small.c", "check lock.bp --qbf-solver ./solver", "encode --to bp small.c"] {
            let output = lab.shell(&format!("TMPDIR={folder} epitome {command}"));
            let said = stdout(&output) + &stderr(&output);
            assert_eq!(check_order(&output, command), 3, "{said}");
            assert!(said.contains(&format!("no temporary folder can be made in {folder}")), "{said}");
            assert!(said.contains(why) && said.contains("TMPDIR") && !said.contains("compiler"), "{said}");
        }
        let output = lab.shell(&format!("TMPDIR={folder} epitome bench tn:3 --engines expand -q"));
        assert_eq!(check_order(&output, "bench"), 3, "{}", stderr(&output));
        // Who needs none does not mind.
        assert_eq!(lab.shell(&format!("TMPDIR={folder} epitome check holds.bp -q")).status.code(), Some(0));
    }
}

#[test]
fn what_cannot_be_read() {
    let lab = Lab::new();
    let all = ["check", "reach", "classify", "graph", "encode --to bp", "bench -q --engines expand"];
    for command in all {
        for file in ["/proc/self/mem", "nowhere.bp"] {
            let language = if command.starts_with("bench") { "" } else { "--language bp" };
            let output = lab.shell(&format!("epitome {command} {language} {file}"));
            assert_eq!(check_order(&output, command), 2, "{command} {file}: {}", stderr(&output));
        }
        if !command.starts_with("bench") {
            let folder = lab.shell(&format!("epitome {command} --language bp ."));
            assert_eq!(check_order(&folder, command), 2, "{command} .: {}", stderr(&folder));
            // Nobody ever writes to it.
            let output = lab.shell(&format!("epitome {command} pipe.bp --timeout 300ms"));
            assert_eq!(check_order(&output, command), 3, "{command} pipe.bp: {}", stderr(&output));
        }
    }
    for command in
        ["check holds.bp --property /proc/self/mem", "certify holds.bp .", "ltl --automaton .", "bench --from ."]
    {
        let output = lab.shell(&format!("epitome {command}"));
        assert_eq!(check_order(&output, command), 2, "{command}: {}", stderr(&output));
    }
    for command in ["certify holds.bp pipe.bp", "ltl --automaton pipe.bp"] {
        let output = lab.shell(&format!("epitome {command} --timeout 300ms"));
        assert_eq!(check_order(&output, command), 3, "{command}: {}", stderr(&output));
    }
}

/// Commands that write data have limits like all others, and allocations that fail are no crash.
#[test]
fn data_has_limits() {
    let lab = Lab::new();
    let made = lab.shell("epitome generate tn 30000 --safe > large.bp");
    assert!(made.status.success(), "{}", stderr(&made));
    let commands = ["encode --to chc large.bp", "encode --to rsm large.bp", "graph large.bp", "classify large.bp"];
    for command in commands.into_iter().chain(["generate tn 900000"]) {
        for (limit, reason) in [("--timeout 1ms", "UNKNOWN(timeout)"), ("--memory 20M", "UNKNOWN(memory)")] {
            let output = lab.shell(&format!("epitome {command} {limit}"));
            assert_eq!(check_order(&output, command), 3, "{command} {limit}: {}", stderr(&output));
            assert_eq!((stdout(&output), stderr(&output)), (String::new(), format!("error: {reason}\n")), "{command}");
        }
        for addresses in [60_000, 120_000, 250_000] {
            let output = lab.shell(&format!("ulimit -v {addresses}; epitome {command} > /dev/null"));
            let said = stderr(&output);
            let code = output.status.code();
            let is_told = said.contains("UNKNOWN(memory)") || said.contains("memory allocation of");
            assert!(code == Some(0) || (code == Some(3) && is_told), "{command} {addresses}: {code:?} {said}");
        }
    }
}

/// What engines build for a large question counts before it is built, and whoever is in the middle of something when
/// the limit is far behind is ended there.
#[test]
fn memory_stays_near_its_limit() {
    const LIMIT: u64 = 300 << 20;
    if peak_bytes_of(std::process::id()).is_none() {
        eprintln!("skipped: this system does not tell how much memory a process has used");
        return;
    }
    let lab = Lab::new();
    assert!(lab.shell("epitome generate pigeonhole 200 > holes.bp").status.success());
    for engine in ["auto", "expand", "sat", "qbf"] {
        let mut tool = Command::new(env!("CARGO_BIN_EXE_epitome"));
        tool.args(["check", "holes.bp", "-q", "--memory", "300M", "--timeout", "30s", "--engine", engine]);
        let mut child = tool.current_dir(lab.path()).stdout(Stdio::null()).spawn().unwrap();
        let mut peak = 0;
        let status = loop {
            peak = peak_bytes_of(child.id()).unwrap_or(peak);
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            sleep(Duration::from_millis(1));
        };
        assert_eq!(status.code(), Some(3), "{engine}");
        assert!(LIMIT / 2 < peak && peak < LIMIT / 2 * 3, "{engine}: {peak} bytes");
    }
}
