//! C, `.c` and `.i`: the finite-state part that verification tasks use.
//!
//! The text is parsed by the crate `lang-c` and lowered to functions with flat bodies of simple statements over
//! integer cells ([`Program`]), in which nothing of C's syntax is left: conversions are operators, side effects are
//! statements, structure is jumps, arrays and structures are cells, a `switch` is a chain of tests. What C leaves to
//! the program (indices within bounds, divisors that are not zero) is checked before it is done ([`Kind::Check`]).
//!
//! | what | how |
//! | --- | --- |
//! | integers of all types, `_Bool`, enumerations | words of bits, two's complement, wrap-around |
//! | arrays, structures, bit-fields | a cell for each integer |
//! | pointers | parameters that can be resolved to one object at each call; functions are treated once for each |
//! | `abort`, `exit`, `__VERIFIER_error`, `reach_error` | the run ends ([`Kind::Stop`]); a call of the last two is a failure |
//! | `__VERIFIER_nondet_*`, functions that the program declares without a body | any value ([`Kind::Input`]) |
//! | functions of the library | "not supported", but for printing |
//! | floating point, heap, unions, other pointers, `asm` | "not supported", if `main` can get there |
//!
//! The parser recurses over the nesting of the text, and so does the lowering of its tree. Both run in a thread
//! with a stack for the deepest nesting that the text can have (`text`).

mod body;
mod call;
mod declare;
mod expr;
mod headers;
mod initial;
mod inline;
mod library;
mod literals;
mod operators;
mod origin;
mod place;
mod rvalue;
mod sizes;
mod statement;
mod tags;
mod text;
mod tree;
mod types;
mod typing;
mod unit;
mod uses;
mod value;

pub use expr::{Binary, Expr, Exprs, Op, Unary};
pub use headers::headers;
pub use origin::may_be_quoted;
pub use tree::{Frame, Function, Hazard, Kind, Label, Landing, Loop, Program, Settings, Statement, Target, Variable};
pub use types::{DataModel, IntType, Sign, mask};

use super::diagnostic::Diagnostic;
use super::source::{Source, Span};
use lang_c::driver::{Config, Flavor, SyntaxError, parse_preprocessed};
use origin::Origin;
use std::thread;
use unit::Unit;

/// Stack for each token of the longest declaration, and on top of that.
const STACK_PER_TOKEN: usize = if cfg!(debug_assertions) { 12 << 10 } else { 4 << 10 };
const LEAST_STACK: usize = 16 << 20;

/// The text has directives or macros that change the program: a preprocessor should see it first.
pub fn has_directives(text: &str) -> bool {
    text::has_directives(text)
}

/// Reads a C program. `preprocessed` is what a preprocessor made of the text, with its line marks; without it the usual
/// headers are known, and other directives are errors.
///
/// ```
/// use epitome::syntax::{Source, c};
/// let source = Source::new("a.c", "int x = 3; int main(void) { while (x) x--; return x; }");
/// let (program, _) = c::parse(&source, None, c::Settings::default()).unwrap();
/// assert_eq!(program.globals[0].initial, Some(3));
/// ```
pub fn parse(
    source: &Source,
    preprocessed: Option<&str>,
    settings: Settings,
) -> Result<(Program, Vec<Diagnostic>), Vec<Diagnostic>> {
    let text = preprocessed.unwrap_or(source.text());
    let mut origin = match preprocessed {
        Some(output) => Origin::of_preprocessed(source, output),
        None => Origin::of_text(source),
    };
    let plain = text::plain(text).map_err(|error| {
        let at = lang_c::span::Span::span(error.span.start as usize, error.span.end as usize);
        vec![origin.told(at, Diagnostic { span: origin.span(at).0, ..error })]
    });
    let mut plain = plain?;
    if preprocessed.is_none() {
        prepend_headers(&mut plain).map_err(|error| vec![error])?;
        origin.has_headers |= !plain.headers.is_empty();
    }
    let origin = origin.with_insertions(&plain.insertions);
    let stack = LEAST_STACK + plain.tokens * STACK_PER_TOKEN;
    let parsed = thread::scope(|scope| {
        let reader = thread::Builder::new().stack_size(stack);
        let reader = reader.spawn_scoped(scope, || read(plain, &origin, settings));
        // A thread that panics is a mistake of ours; so it is passed on.
        reader.map(|reader| reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    });
    match parsed {
        Ok(result) => result.map_err(|error| vec![error]),
        Err(error) => {
            let what =
                format!("to parse without a thread with {} MB of stack, which cannot be had: {error}", stack >> 20);
            Err(vec![Diagnostic::unsupported(Span::new(0, 1), what)])
        }
    }
}

/// Puts what the headers declare in front of the text.
fn prepend_headers(plain: &mut text::Plain) -> Result<(), Diagnostic> {
    let help = "install a C compiler (`cc`), or preprocess the file";
    if let Some(span) = plain.directive {
        return Err(Diagnostic::error(span, "this directive needs a C preprocessor", "").with_help(help));
    }
    let mut declarations = String::new();
    for (name, span) in &plain.headers {
        match headers::header(name) {
            Some(text) => declarations.push_str(text),
            None => {
                let message = format!("the header `{name}` is not built in");
                return Err(Diagnostic::error(*span, message, "").with_help(help));
            }
        }
    }
    plain.text.insert_str(0, &declarations);
    plain.insertions.insert(0, (0, declarations));
    Ok(())
}

fn read(plain: text::Plain, origin: &Origin<'_>, settings: Settings) -> Result<(Program, Vec<Diagnostic>), Diagnostic> {
    let config = Config { cpp_command: String::new(), cpp_options: Vec::new(), flavor: Flavor::GnuC11 };
    let parsed = parse_preprocessed(&config, plain.text).map_err(|error| syntax_error(&error, origin))?;
    Unit::new(origin, settings, plain.is_packed).translate(&parsed.unit)
}

/// What the parser did not understand; what it is known not to understand is not the user's mistake.
fn syntax_error(error: &SyntaxError, origin: &Origin<'_>) -> Diagnostic {
    let at = error.offset.min(error.source.len());
    let (before, rest) = error.source.split_at(at);
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let length = match rest.chars().next() {
        Some(first) if is_word(first) => rest.find(|c: char| !is_word(c)).unwrap_or(rest.len()),
        Some(first) => first.len_utf8(),
        None => 0,
    };
    let place = lang_c::span::Span::span(at, at + length);
    let (span, _) = origin.span(place);
    let before = before.trim_end();
    if let Some(what) = extension(before, rest, &rest[..length], error.expected.contains("asm")) {
        return origin.told(place, Diagnostic::unsupported(span, what));
    }
    let mut expected: Vec<&str> = error.expected.iter().copied().filter(|e| !e.is_empty() && *e != "#").collect();
    expected.sort_unstable();
    let label = match expected.len() {
        0 => String::new(),
        1..=6 => format!("expected {}", expected.join(" or ")),
        _ => String::new(),
    };
    let message = match &rest[..length] {
        "" => "unexpected end of the text".to_owned(),
        token => format!("unexpected `{token}`"),
    };
    origin.told(place, Diagnostic::error(span, message, label))
}

/// What of C or its dialects stands where the parser stopped, if it is something that it does not know:
/// between the text before and the rest, which starts with this word. A declarator that could go on may be
/// the head of a function.
fn extension(before: &str, rest: &str, word: &str, is_declarator: bool) -> Option<String> {
    let last = last_word(before);
    // `__builtin_something(int, …`
    let called = last_word(before[..open_call(before)].trim_end());
    let known = [
        (rest.starts_with(':') && before.ends_with('?'), "`x ?: y`"),
        (before.ends_with('\\') && rest.starts_with(['u', 'U']), "a character by its number in Unicode"),
        (rest.starts_with("&&"), "the address of a label"),
        (rest.starts_with('{') && before.ends_with(')') && is_declarator, "a function in a function"),
        (last == "goto", "`asm goto`, or `goto` to an address"),
        ([word, last].contains(&"asm"), "`asm`"),
        ([word, last].iter().any(|word| word.starts_with("__int128")), "128-bit integers"),
        ([word, last].iter().any(|word| word.starts_with("_Decimal")), "decimal floating point"),
    ];
    if let Some((_, what)) = known.iter().find(|(is_so, _)| *is_so) {
        return Some((*what).to_owned());
    }
    // Words that C leaves to compilers; but these are ordinary functions.
    let is_reserved = |word: &&str| word.starts_with("__") && !word.starts_with("__VERIFIER");
    [word, last, called].iter().find(|word| is_reserved(word)).map(|word| format!("`{word}`"))
}

/// Where the bracket stands of the call that a text ends in; its start, if it ends in none.
fn open_call(text: &str) -> usize {
    let mut closed = 0;
    for (at, sign) in text.char_indices().rev() {
        match sign {
            ')' => closed += 1,
            '(' if closed == 0 => return at,
            '(' => closed -= 1,
            ';' | '{' | '}' => return 0,
            _ => {}
        }
    }
    0
}

/// The word that a text ends with, if it does.
fn last_word(text: &str) -> &str {
    text.rsplit(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default()
}
