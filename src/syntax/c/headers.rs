//! What the usual headers declare, built in.
//!
//! Types are declarations in front of the text; constants and functions are known by their names, wherever they come
//! from. Where a preprocessor is used it is given these headers as files, so that the machine's own, which are full of
//! extensions and of the machine's data model, are read only where there is no other way.

use super::types::{DataModel, IntType};

/// The headers, with what they declare for the parser.
pub const HEADERS: [(&str, &str); 14] = [
    ("assert.h", "extern void assert(int);"),
    ("stdlib.h", concat!("typedef unsigned long size_t;", "extern void abort(void); extern void exit(int);")),
    ("stdio.h", "typedef unsigned long size_t; extern int printf(const char *, ...); extern int putchar(int);"),
    ("stdbool.h", "typedef _Bool bool;"),
    ("stddef.h", "typedef unsigned long size_t; typedef long ptrdiff_t;"),
    ("stdint.h", STDINT),
    ("inttypes.h", STDINT),
    ("limits.h", ""),
    ("string.h", "typedef unsigned long size_t;"),
    ("sys/types.h", "typedef unsigned long size_t; typedef long ssize_t;"),
    ("math.h", ""),
    ("errno.h", "extern int errno;"),
    ("unistd.h", "typedef long ssize_t;"),
    ("time.h", "typedef long time_t;"),
];

const STDINT: &str = concat!(
    "typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long long int64_t;",
    "typedef unsigned char uint8_t; typedef unsigned short uint16_t;",
    "typedef unsigned int uint32_t; typedef unsigned long long uint64_t;",
    "typedef long intptr_t; typedef unsigned long uintptr_t;",
    "typedef long long intmax_t; typedef unsigned long long uintmax_t;",
);

/// What a header declares, if it is one of ours.
pub(super) fn header(name: &str) -> Option<&'static str> {
    HEADERS.iter().find(|(header, _)| *header == name).map(|(_, text)| *text)
}

/// Widths of the standard types.
#[derive(Clone, Copy, Debug)]
pub(super) struct Widths {
    pub(super) char: u8,
    pub(super) short: u8,
    pub(super) int: u8,
    pub(super) long: u8,
    pub(super) long_long: u8,
}

impl Widths {
    /// Those of a data model, or the same with another width of `int`.
    pub(super) fn new(model: DataModel, int_width: Option<u8>) -> Widths {
        let int = int_width.unwrap_or(32).clamp(2, 32);
        let wide = 2 * int;
        let long = if model == DataModel::Ilp32 { int } else { wide };
        Widths { char: int.min(8), short: int.min(16), int, long, long_long: wide }
    }
}

/// Constants of `limits.h`, `stdint.h`, `stdbool.h` and `stdlib.h`.
pub(super) fn constant(name: &str, widths: &Widths) -> Option<(i128, IntType)> {
    let int = IntType::signed(widths.int);
    let (stem, is_min) = match name {
        "true" => return Some((1, int)),
        "false" | "EXIT_SUCCESS" => return Some((0, int)),
        "EXIT_FAILURE" => return Some((1, int)),
        "CHAR_BIT" => return Some((widths.char.into(), int)),
        _ => (name.strip_suffix("_MAX").or(name.strip_suffix("_MIN"))?, name.ends_with("_MIN")),
    };
    let ty = match stem {
        "CHAR" | "SCHAR" | "INT8" => IntType::signed(widths.char),
        "UCHAR" | "UINT8" => IntType::unsigned(widths.char),
        "SHRT" | "INT16" => IntType::signed(widths.short),
        "USHRT" | "UINT16" => IntType::unsigned(widths.short),
        "INT" | "INT32" => int,
        "UINT" | "UINT32" => IntType::unsigned(widths.int),
        "LONG" | "PTRDIFF" | "INTPTR" => IntType::signed(widths.long),
        "ULONG" | "SIZE" | "UINTPTR" => IntType::unsigned(widths.long),
        "LLONG" | "INT64" | "INTMAX" => IntType::signed(widths.long_long),
        "ULLONG" | "UINT64" | "UINTMAX" => IntType::unsigned(widths.long_long),
        _ => return None,
    };
    Some((if is_min { ty.least() } else { ty.greatest() }, ty.promoted(widths.int)))
}

/// What a function means whose body is not in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// It does not return.
    Stops,
    /// The run goes on only if the argument is not 0.
    Assume,
    /// The argument must not be 0, or `__assert_fail` is called.
    Assert,
    /// It does nothing that can be seen; it has a result of its type that is arbitrary.
    Prints,
    /// It gives a value of this type from outside.
    Input(IntType),
    /// The argument itself.
    Same,
}

/// The meaning of a function that the text does not define.
pub(super) fn known(name: &str, widths: &Widths) -> Option<Known> {
    Some(match name {
        "abort"
        | "exit"
        | "_exit"
        | "_Exit"
        | "quick_exit"
        | "__assert_fail"
        | "__assert"
        | "reach_error"
        | "__VERIFIER_error"
        | "__builtin_unreachable"
        | "__builtin_trap"
        | "__builtin_abort" => Known::Stops,
        "__VERIFIER_assume" | "assume_abort_if_not" | "__CPROVER_assume" => Known::Assume,
        "assert" | "__VERIFIER_assert" => Known::Assert,
        "printf"
        | "puts"
        | "putchar"
        | "fprintf"
        | "fflush"
        | "fputs"
        | "perror"
        | "__VERIFIER_atomic_begin"
        | "__VERIFIER_atomic_end" => Known::Prints,
        "__builtin_expect" => Known::Same,
        _ => Known::Input(input_type(name.strip_prefix("__VERIFIER_nondet_")?, widths)?),
    })
}

/// The type that `__VERIFIER_nondet_X` gives, where nothing declares it.
fn input_type(name: &str, widths: &Widths) -> Option<IntType> {
    Some(match name {
        "bool" | "_Bool" => IntType::BOOL,
        "char" | "schar" => IntType::signed(widths.char),
        "uchar" | "unsigned_char" | "u8" => IntType::unsigned(widths.char),
        "short" => IntType::signed(widths.short),
        "ushort" | "u16" => IntType::unsigned(widths.short),
        "int" => IntType::signed(widths.int),
        "uint" | "unsigned" | "u32" => IntType::unsigned(widths.int),
        "long" | "loff_t" => IntType::signed(widths.long),
        "ulong" | "size_t" | "sector_t" => IntType::unsigned(widths.long),
        "longlong" => IntType::signed(widths.long_long),
        "ulonglong" => IntType::unsigned(widths.long_long),
        _ => return None,
    })
}
