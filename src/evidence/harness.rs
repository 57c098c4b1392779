//! Harnesses: a C file that, compiled with a program, makes it take the way of a run.
//!
//! It defines the functions that the program takes its inputs from; each gives the values of the run in order. The
//! error function exits with status 107: if the program defines it itself, the harness learns of its call where the
//! program is compiled with `-finstrument-functions`, or where its body calls `__assert_fail`, as is usual.

use super::inputs::Input;
use crate::syntax::Name;
use crate::syntax::c::{DataModel, IntType, Program, Sign};
use std::fmt::Write;

/// The exit status that says that the violation happened.
pub const HARNESS_STATUS: u8 = 107;

/// The text of a harness for a program in this file, whose run calls `error` in the end.
pub fn harness(file: &str, program: &Program, inputs: &[Input], error: Option<&str>) -> String {
    let frames = || program.functions.iter().flat_map(|function| &function.frames);
    let defined = |name: &str| frames().any(|frame| program.names.text(frame.function) == name);
    let file = file.replace("*/", "* /");
    let mut text = format!(
        "/* Written by epitome: takes {file} along the way of a trace.\n\n     cc -finstrument-functions -o violation {file} THIS_FILE && ./violation; echo $?\n\n   Exit status {HARNESS_STATUS}: the violation happened. For an overflow: add -fsanitize=signed-integer-overflow\n   -fno-sanitize-recover, and the program says where it is. */\n\n"
    );
    text.push_str("extern void _Exit(int) __attribute__((noreturn));\n\n");
    let mut functions: Vec<(Name, IntType)> = Vec::new();
    for input in inputs {
        if !functions.iter().any(|(name, _)| *name == input.function) {
            functions.push((input.function, input.ty));
        }
    }
    for (name, ty) in functions {
        let values = inputs.iter().filter(|input| input.function == name);
        let values: Vec<String> = values.map(|input| literal(input.value)).collect();
        let (count, name, ty) = (values.len(), program.names.text(name), c_type(ty, program.settings.data_model));
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
    if let Some(error) = error.filter(|error| defined(error)) {
        let _ = write!(
            text,
            "\nextern void {error}();\n__attribute__((no_instrument_function))\nvoid __cyg_profile_func_enter(void *function, void *caller) {{\n  if (function == (void *) {error}) _Exit({HARNESS_STATUS});\n}}\n__attribute__((no_instrument_function))\nvoid __cyg_profile_func_exit(void *function, void *caller) {{}}\n"
        );
    } else {
        text.push_str(
            "__attribute__((no_instrument_function))\nvoid __cyg_profile_func_enter(void *function, void *caller) {}\n__attribute__((no_instrument_function))\nvoid __cyg_profile_func_exit(void *function, void *caller) {}\n",
        );
    }
    text
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
