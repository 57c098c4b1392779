//! What the usual headers declare, built in.
//!
//! Types are declarations in front of the text; constants and functions (`library`) are known by their names, wherever
//! they come from. Where a preprocessor is used it is given these headers as files, with their macros, so
//! that the machine's own, which are full of extensions and of the machine's data model, are read only where
//! there is no other way.

use super::tree::Settings;
use super::types::{DataModel, IntType};

/// The headers, with what they declare for the parser.
const HEADERS: [(&str, &str); 15] = [
    ("assert.h", "extern void assert(int);"),
    ("stdlib.h", concat!("typedef unsigned long size_t;", "extern void abort(void); extern void exit(int);")),
    ("stdio.h", "typedef unsigned long size_t; extern int printf(const char *, ...); extern int putchar(int);"),
    ("stdbool.h", "typedef _Bool bool;"),
    ("stddef.h", "typedef unsigned long size_t; typedef long ptrdiff_t; typedef int wchar_t;"),
    ("stdint.h", STDINT),
    ("inttypes.h", STDINT),
    ("limits.h", ""),
    ("string.h", "typedef unsigned long size_t;"),
    ("sys/types.h", "typedef unsigned long size_t; typedef long ssize_t;"),
    ("math.h", ""),
    ("errno.h", "static int errno;"),
    ("unistd.h", "typedef long ssize_t;"),
    ("time.h", "typedef long time_t;"),
    // The machine's headers ask for it where they are read for 32 bits and meant for 64.
    ("gnu/stubs-32.h", ""),
];

const STDINT: &str = concat!(
    "typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long long int64_t;",
    "typedef unsigned char uint8_t; typedef unsigned short uint16_t;",
    "typedef unsigned int uint32_t; typedef unsigned long long uint64_t;",
    "typedef signed char int_least8_t; typedef short int_least16_t; typedef int int_least32_t;",
    "typedef long long int_least64_t; typedef unsigned char uint_least8_t; typedef unsigned short uint_least16_t;",
    "typedef unsigned int uint_least32_t; typedef unsigned long long uint_least64_t;",
    "typedef long intptr_t; typedef unsigned long uintptr_t;",
    "typedef long long intmax_t; typedef unsigned long long uintmax_t;",
);

/// What a header declares, if it is one of ours.
pub(super) fn header(name: &str) -> Option<&'static str> {
    HEADERS.iter().find(|(header, _)| *header == name).map(|(_, text)| *text)
}

/// The headers for a preprocessor: names and texts.
pub fn headers(settings: &Settings) -> Vec<(&'static str, String)> {
    let widths = Widths::new(settings.data_model, settings.int_width);
    let text = |&(name, declarations): &(&'static str, &str)| {
        let guard = name.to_uppercase().replace(['.', '/'], "_");
        let macros = macros(name, &widths);
        // What `assert` means is asked anew every time.
        let text = match name {
            "assert.h" => format!("{macros}\n"),
            _ => format!("#ifndef EPITOME_{guard}\n#define EPITOME_{guard}\n{declarations}\n{macros}\n#endif\n"),
        };
        (name, text)
    };
    HEADERS.iter().map(text).collect()
}

/// The macros of a header.
fn macros(header: &str, widths: &Widths) -> String {
    const NULL: &str = "#undef NULL\n#define NULL ((void *)0)\n";
    const FILES: &str = "typedef struct FILE FILE;\nextern FILE *stdin, *stdout, *stderr;\n";
    let define =
        |names: &str| -> String { names.split_ascii_whitespace().filter_map(|name| defined(name, widths)).collect() };
    let limits = "CHAR_MIN CHAR_MAX SCHAR_MIN SCHAR_MAX UCHAR_MAX SHRT_MIN SHRT_MAX USHRT_MAX INT_MIN INT_MAX UINT_MAX \
        LONG_MIN LONG_MAX ULONG_MAX LLONG_MIN LLONG_MAX ULLONG_MAX CHAR_BIT";
    let integers = "INT8_MIN INT8_MAX UINT8_MAX INT16_MIN INT16_MAX UINT16_MAX INT32_MIN INT32_MAX UINT32_MAX INT64_MIN \
        INT64_MAX UINT64_MAX INTPTR_MIN INTPTR_MAX UINTPTR_MAX INTMAX_MIN INTMAX_MAX UINTMAX_MAX SIZE_MAX PTRDIFF_MIN \
        PTRDIFF_MAX";
    match header {
        "assert.h" => {
            "#undef assert\n#ifdef NDEBUG\n#define assert(e) ((void)0)\n#else\nextern void assert(int);\n#endif\n\
            #undef static_assert\n#define static_assert _Static_assert\n"
                .to_owned()
        }
        "limits.h" => define(limits),
        "stdint.h" | "inttypes.h" => {
            let constants = [("8", ""), ("16", ""), ("32", ""), ("64", "LL"), ("MAX", "LL")];
            let constant = |(bits, suffix): (&str, &str)| {
                let paste = if suffix.is_empty() { "" } else { "##" };
                // Narrow ones are what they are promoted to.
                let unsigned = if matches!(bits, "8" | "16") { "" } else { "##U" };
                format!("#define INT{bits}_C(c) c{paste}{suffix}\n#define UINT{bits}_C(c) c{unsigned}{suffix}\n")
            };
            let mut text = define(integers) + &constants.map(constant).concat();
            for bits in ["8", "16", "32", "64"] {
                let prefix = if bits == "64" { "ll" } else { "" };
                for letter in ["d", "i", "u", "x", "X", "o"] {
                    text.push_str(&format!("#define PRI{letter}{bits} \"{prefix}{letter}\"\n"));
                }
            }
            text
        }
        "stdlib.h" => format!("{NULL}#define EXIT_SUCCESS 0\n#define EXIT_FAILURE 1\n#define RAND_MAX 2147483647\n"),
        "stdio.h" => format!("{NULL}{FILES}#define EOF (-1)\n"),
        "stddef.h" => format!("{NULL}#define offsetof(type, member) __builtin_offsetof(type, member)\n"),
        "string.h" | "time.h" => NULL.to_owned(),
        "stdbool.h" => "#define bool _Bool\n#define true 1\n#define false 0\n".to_owned(),
        _ => String::new(),
    }
}

/// The definition of a macro for a constant.
fn defined(name: &str, widths: &Widths) -> Option<String> {
    let (number, ty) = constant(name, widths)?;
    let wide = if ty.bits > 32 { "LL" } else { "" };
    let unsigned = if ty.is_signed() { "" } else { "U" };
    Some(match number {
        least if least == ty.least() && least < 0 => format!("#define {name} (-{}{wide} - 1)\n", ty.greatest()),
        negative if negative < 0 => format!("#define {name} ({negative})\n"),
        number => format!("#define {name} {number}{unsigned}{wide}\n"),
    })
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
        "false" | "EXIT_SUCCESS" | "NULL" => return Some((0, int)),
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
