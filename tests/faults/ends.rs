//! However Epitome ends, what it has started ends with it, and no temporary file stays.

use crate::{Lab, check_order, is_installed};
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// So often, with pauses, something is waited for.
const LOOKS: u32 = 500;
const PAUSE: Duration = Duration::from_millis(10);

fn wait_for(what: &str, done: impl Fn() -> bool) {
    for _ in 0..LOOKS {
        if done() {
            return;
        }
        sleep(PAUSE);
    }
    panic!("{what}");
}

/// Commands during which another program runs, and the program.
fn commands() -> Vec<(&'static str, &'static str)> {
    let mut commands = vec![("check lock.bp --qbf-solver ./solver", "sleep")];
    if is_installed("cc") {
        commands.extend([
            ("check asleep.c", ""),
            ("reach asleep.c", ""),
            ("encode --to bp asleep.c", ""),
            ("check busy.c", ""),
            ("bench asleep.c --engines expand -q", ""),
        ]);
    }
    commands
}

/// Starts a command and waits until the other program runs, or anything beside a shell.
fn start(lab: &Lab, command: &str, program: &str) -> Child {
    let tool = env!("CARGO_BIN_EXE_epitome");
    let words: Vec<&str> = command.split(' ').collect();
    let mut started = std::process::Command::new(tool);
    started.args(words).current_dir(lab.path()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    started.env("TMPDIR", lab.path().join("tmp")).env(crate::MARK, lab.path());
    let child = started.spawn().unwrap();
    wait_for(&format!("{command}: the other program does not run"), || {
        let is_it = |name: &str| if program.is_empty() { !["epitome", "sh"].contains(&name) } else { name == program };
        lab.processes().iter().any(|(_, name)| is_it(name))
    });
    child
}

fn check_nothing_is_left(lab: &Lab, context: &str) {
    wait_for(&format!("{context}: {:?} live on", lab.processes()), || lab.processes().is_empty());
    wait_for(&format!("{context}: {:?} stay", lab.temporary()), || lab.temporary().is_empty());
}

/// This process, and so what it starts, ignores SIGHUP (`nohup` asks for that): then nothing ends by it.
fn ignores_hangups() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored.is_some_and(|mask| u64::from_str_radix(mask.trim(), 16).unwrap() & 1 == 1)
}

#[test]
fn signals() {
    let lab = Lab::new();
    let ignores_hangups = ignores_hangups();
    if ignores_hangups {
        eprintln!("skipped: ends by SIGHUP, which is ignored here");
    }
    for (command, program) in commands() {
        for (signals, status) in [
            (&["INT"][..], Some(130)),
            (&["TERM"], Some(143)),
            (&["HUP"], None),
            (&["KILL"], None),
            (&["INT", "INT"], Some(130)),
            (&["TERM", "INT"], None),
        ] {
            if ignores_hangups && signals.contains(&"HUP") {
                continue;
            }
            let context = format!("{command} {signals:?}");
            let mut child = start(&lab, command, program);
            for signal in signals {
                // Who has ended already gets no second one.
                let _ = std::process::Command::new("kill").args(["-s", signal, &child.id().to_string()]).output();
            }
            let ended = child.wait().unwrap();
            assert!(status.is_none() || ended.code() == status, "{context}: {ended}");
            assert!(!ended.success(), "{context}: {ended}");
            check_nothing_is_left(&lab, &context);
        }
    }
}

#[test]
fn limits_and_errors() {
    let lab = Lab::new();
    for (command, _) in commands() {
        let limits: &[&str] =
            if command.contains("busy") { &["--timeout 300ms", "--memory 60M"] } else { &["--timeout 300ms"] };
        for limit in limits {
            let output = lab.shell(&format!("epitome {command} {limit}"));
            let expected = if command.starts_with("bench") { 0 } else { 3 };
            assert_eq!(check_order(&output, command), expected, "{command} {limit}");
            check_nothing_is_left(&lab, &format!("{command} {limit}"));
        }
    }
    std::fs::write(lab.path().join("wrong.c"), "#define X 1\n#error no\nint main(void) { return X; }\n").unwrap();
    for (command, status) in [("check small.c", 0), ("check wrong.c", 2), ("check lock.bp --qbf-solver false", 3)] {
        assert_eq!(check_order(&lab.shell(&format!("epitome {command}")), command), status);
        check_nothing_is_left(&lab, command);
    }
}
