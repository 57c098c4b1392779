//! Constants as they are written (C11 6.4.4).

use super::types::IntType;
use super::unit::{Result, Unit};
use super::value::Value;
use lang_c::ast::{Integer, IntegerBase, IntegerSize};
use lang_c::span::Span;

impl Unit<'_> {
    /// `12`, `0x1fUL`: of the first type in the list of C11 6.4.4.1 that has the number.
    pub(super) fn integer(&mut self, integer: &Integer, span: Span) -> Result<Value> {
        let base = match integer.base {
            IntegerBase::Decimal => 10,
            IntegerBase::Octal => 8,
            IntegerBase::Hexadecimal => 16,
            IntegerBase::Binary => 2,
        };
        let digits = if integer.number.is_empty() { "0" } else { &integer.number };
        let Ok(number) = i128::from_str_radix(digits, base) else {
            return self.wrong(span, "this number is too large");
        };
        let widths = [self.widths.int, self.widths.long, self.widths.long_long];
        let from = match integer.suffix.size {
            IntegerSize::Int => 0,
            IntegerSize::Long => 1,
            IntegerSize::LongLong => 2,
        };
        let types = widths[from..].iter().flat_map(|&bits| [IntType::signed(bits), IntType::unsigned(bits)]);
        let allowed = |ty: &IntType| {
            if ty.is_signed() { !integer.suffix.unsigned } else { integer.suffix.unsigned || base != 10 }
        };
        let widest = IntType::unsigned(self.widths.long_long);
        let ty = types.filter(allowed).find(|ty| number <= ty.greatest()).unwrap_or(widest);
        if number > widest.greatest() && self.program.settings.int_width.is_none() {
            return self.wrong(span, "this number is too large");
        }
        Ok(Value::constant(number, ty))
    }
}

/// The code of a character constant like `'a'` or `'\n'`.
pub(super) fn character(text: &str) -> Option<i128> {
    // Wide ones have other types.
    let inner = text.strip_prefix('\'')?.strip_suffix('\'')?;
    let Some(escape) = inner.strip_prefix('\\') else {
        let mut chars = inner.chars();
        let first = chars.next()?;
        return (chars.next().is_none() && first.is_ascii()).then_some(first as i128);
    };
    let number = |digits: &str, base| u8::from_str_radix(digits, base).ok().map(|code| i128::from(code as i8));
    match escape {
        "n" => Some(10),
        "t" => Some(9),
        "r" => Some(13),
        "a" => Some(7),
        "b" => Some(8),
        "f" => Some(12),
        "v" => Some(11),
        "e" => Some(27),
        "\\" | "'" | "\"" | "?" => Some(escape.as_bytes()[0].into()),
        _ => match escape.strip_prefix('x') {
            Some(digits) => number(digits, 16),
            None => number(escape, 8),
        },
    }
}
