//! Harnesses: a C file that, compiled with a program, makes it take the way of a run.
//!
//! It defines the functions that the program takes its inputs from; each gives the values of the run in order. The
//! error function exits with status 107: if the program defines it itself, the harness learns of its call where the
//! program is compiled with `-finstrument-functions`, or where its body calls `__assert_fail`, as is usual. A label is
//! no function: the program is compiled from a copy in which the label exits. How all this is done is the first comment
//! of the file.

use super::inputs::Input;
use crate::syntax::Name;
use crate::syntax::c::{DataModel, IntType, Kind, Program, Sign};
use std::fmt::Write;

/// The exit status that says that the violation happened.
pub const HARNESS_STATUS: u8 = 107;

/// What happens at the end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Violation<'a> {
    /// This function is called.
    Call(&'a str),
    /// This label is reached, which stands in this line.
    Label(&'a str, usize),
    /// Something overflows.
    Overflow,
}

/// The text of a harness for a program in this file, to be kept in a file of this name.
pub fn harness(file: &str, own: &str, program: &Program, inputs: &[Input], violation: Violation<'_>) -> String {
    let mut text = format!("/* {} */\n\n", comment(file, own, program, violation).replace("*/", "* /"));
    text.push_str("extern void _Exit(int) __attribute__((noreturn));\n\n");
    for (name, ty) in functions(program) {
        let values = inputs.iter().filter(|input| input.function == name);
        let values: Vec<String> = values.map(|input| literal(input.value)).collect();
        let (count, name) = (values.len(), program.names.text(name));
        let Some(ty) = ty.map(|ty| c_type(ty, program.settings.data_model)) else {
            let _ = write!(text, "__attribute__((weak)) void {name}() {{ }}\n\n");
            continue;
        };
        if count == 0 {
            let _ = write!(text, "__attribute__((weak)) {ty} {name}() {{ return 0; }}\n\n");
            continue;
        }
        let _ = write!(
            text,
            "{ty} {name}() {{\n  static const {ty} values[] = {{{}}};\n  static unsigned next;\n  return next < {count} ? values[next++] : 0;\n}}\n\n",
            values.join(", ")
        );
    }
    let exits = format!("{{ _Exit({HARNESS_STATUS}); }}\n");
    // Weak: the program may define them, even where the run does not need them.
    for name in ["reach_error", "__VERIFIER_error"] {
        let _ = write!(text, "__attribute__((weak)) void {name}() {exits}");
    }
    let _ = write!(
        text,
        "__attribute__((weak)) void __assert_fail(const char *what, const char *file, unsigned line, const char *function) {exits}"
    );
    for name in ["__VERIFIER_assume", "assume_abort_if_not"] {
        let _ = writeln!(text, "__attribute__((weak)) void {name}(int holds) {{ if (!holds) _Exit(0); }}");
    }
    let _ = write!(
        text,
        "__attribute__((weak)) void __VERIFIER_assert(int holds) {{ if (!holds) _Exit({HARNESS_STATUS}); }}\n\n"
    );
    text.push_str(&instrument(program, violation));
    text
}

/// What is called at every call of the program: nothing but the call that matters is looked at.
fn instrument(program: &Program, violation: Violation<'_>) -> String {
    let mut frames = program.functions.iter().flat_map(|function| &function.frames);
    let looks = match violation {
        Violation::Call(name) if frames.any(|frame| program.names.text(frame.function) == name) => {
            (format!("extern void {name}();\n"), format!("if (function == (void *) {name}) _Exit({HARNESS_STATUS}); "))
        }
        _ => (String::new(), String::new()),
    };
    let hidden = "__attribute__((no_instrument_function))\n";
    format!(
        "{}{hidden}void __cyg_profile_func_enter(void *function, void *caller) {{ {}}}\n{hidden}void __cyg_profile_func_exit(void *function, void *caller) {{ }}\n",
        looks.0, looks.1
    )
}

/// How to use it.
fn comment(file: &str, own: &str, program: &Program, violation: Violation<'_>) -> String {
    let model = match program.settings.data_model {
        DataModel::Ilp32 => "-m32",
        DataModel::Lp64 => "-m64",
    };
    let compile = |flags: &str, from: &str| format!("cc {model} {flags} -o violation {from} {own}");
    let (commands, tells) = match violation {
        Violation::Call(_) => (compile("-finstrument-functions", file), "Exit status 107: the violation happened."),
        Violation::Label(label, line) => {
            let copy = format!("sed '{line}s/{label} *:/&__builtin__Exit({HARNESS_STATUS});/' {file} > violation.c");
            (format!("{copy} && {}", compile("", "violation.c")), "Exit status 107: the label was reached.")
        }
        Violation::Overflow => (
            compile("-fsanitize=signed-integer-overflow -fno-sanitize-recover", file),
            "The program says where it overflows.",
        ),
    };
    let long = match program.settings.data_model {
        DataModel::Ilp32 => "\n   Without -m32, where there are no 32-bit libraries, `long` is another type.",
        DataModel::Lp64 => "",
    };
    format!(
        "Written by epitome: takes {file} along the way of a trace.\n\n     {commands} && ./violation; echo $?\n\n   {tells}{long}\n   What the trace chose for variables without a value is not told here. An error function that is `static` is not\n   seen from here: leave that word out."
    )
}

/// The functions that are not defined, of the whole program: the linker wants them all.
fn functions(program: &Program) -> Vec<(Name, Option<IntType>)> {
    let mut functions = program.externals.clone();
    for (index, function) in program.functions.iter().enumerate() {
        for statement in &function.body {
            if let Kind::Input { target, function, .. } = statement.kind {
                functions.push((function, Some(program.variable(index, target).ty)));
            }
        }
    }
    // The type of a call that is made is better than the one of a name.
    functions.reverse();
    let mut seen = rustc_hash::FxHashSet::default();
    functions.retain(|(name, _)| seen.insert(*name));
    functions.sort_by_key(|(name, _)| program.names.text(*name).to_owned());
    functions
}

fn literal(value: i128) -> String {
    match value {
        value if value > i64::MAX.into() => format!("{value}ULL"),
        value if value == i64::MIN.into() => format!("({}LL - 1)", value + 1),
        value => format!("{value}LL"),
    }
}

/// A type of C with these bits.
fn c_type(ty: IntType, model: DataModel) -> String {
    if ty.sign == Sign::Bool {
        return "_Bool".to_owned();
    }
    let name = match (ty.bits, model) {
        (..=8, _) => "char",
        (9..=16, _) => "short",
        (17..=32, _) => "int",
        _ => "long long",
    };
    format!("{} {name}", if ty.is_signed() { "signed" } else { "unsigned" })
}
