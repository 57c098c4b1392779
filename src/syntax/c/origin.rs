//! From the text that is parsed back to the text the user wrote.
//!
//! They are the same but for what was inserted, such as what the headers declare. With a preprocessor, its
//! line marks say which line of the file a line comes from. Within a line the words before the first macro
//! and those after the last one are the same in both; what is between stands for what is between, as a whole.
//! What comes from a file that is included stands for the line that includes it.

use super::super::diagnostic::{Diagnostic, Severity};
use super::super::source::{Source, Span};
use std::ops::Range;

/// Longer lines are not compared word by word.
const LONGEST: usize = 10_000;

/// Where the parsed text comes from.
#[derive(Default)]
pub(super) struct Origin<'s> {
    insertions: Vec<Insertion>,
    /// What files the text is of, each from this byte on, before anything was inserted.
    parts: Vec<(usize, Part)>,
    /// Headers of the system were read, or what is built in of them.
    pub(super) has_headers: bool,
    /// What a preprocessor made of the user's text.
    lines: Option<Lines<'s>>,
}

/// A part of the text, between two line marks.
#[derive(Clone, Copy, Default)]
struct Part {
    /// It is a header's of the system.
    is_of_system: bool,
    /// It is neither the user's nor the system's, and is not to be shown: whoever may have a program checked
    /// need not be allowed to read the files of the machine.
    is_secret: bool,
}

impl Part {
    /// The text of a file, whose path a line mark has, with what follows it, where a preprocessor was asked about a
    /// program in a folder.
    fn of(file: &str, flags: &str, folder: &str) -> Part {
        let climbs = |path: &str| path.split(['/', '\\']).any(|part| part == "..");
        let beneath = file.strip_prefix(folder.trim_end_matches('/')).and_then(|rest| rest.strip_prefix('/'));
        let beneath = beneath.or_else(|| Some(file).filter(|file| folder == "." && !file.starts_with('/')));
        let is_own = file.starts_with('<') || beneath.is_some_and(|path| !climbs(path));
        let folders = ["/usr/include/", "/usr/lib", "/usr/local/include/"];
        let is_of_system =
            flags.split(' ').any(|flag| flag.trim() == "3") || folders.iter().any(|folder| file.starts_with(folder));
        Part { is_of_system, is_secret: !is_own && (!is_of_system || climbs(file)) }
    }
}

/// Whether messages may have words of a file that a program includes: its own headers, and those of the system.
pub fn may_be_quoted(source: &Source, file: &str) -> bool {
    !Part::of(file, "", folder(source)).is_secret
}

/// The folder of a program.
fn folder(source: &Source) -> &str {
    source.name().rsplit_once('/').map_or(".", |(folder, _)| folder)
}

/// The parts of a text with line marks. In a text that the user wrote with its marks there is nothing to hide.
fn parts(text: &str, folder: Option<&str>) -> Vec<(usize, Part)> {
    let mut parts = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        start += line.len();
        if let Some((_, file, flags)) = mark(line) {
            let part = Part::of(file, flags, folder.unwrap_or("."));
            // Every preprocessor reads this one, whatever is asked for; it declares nothing.
            let is_of_system = part.is_of_system && !file.ends_with("/stdc-predef.h");
            parts.push((start, Part { is_of_system, is_secret: part.is_secret && folder.is_some() }));
        }
    }
    parts
}

/// Text of our own in the parsed text.
struct Insertion {
    start: usize,
    length: usize,
    /// Bytes of our own before it.
    before: usize,
}

pub(super) struct Lines<'s> {
    source: &'s Source,
    parsed: String,
    starts: Vec<usize>,
    /// For each line the line of the user's text, from one, and whether it is that line's text.
    lines: Vec<(usize, bool)>,
}

impl<'s> Origin<'s> {
    /// The user's text as it is.
    pub(super) fn of_text(source: &'s Source) -> Origin<'s> {
        Origin::of_parts(parts(source.text(), None), None)
    }

    /// Reads the line marks of a preprocessor's output: `# 12 "file"`. The file itself is the first that is named.
    pub(super) fn of_preprocessed(source: &'s Source, output: &str) -> Origin<'s> {
        let (mut starts, mut lines) = (Vec::new(), Vec::new());
        let (mut main, mut here, mut line, mut including) = (None, None, 0, 1);
        let mut start = 0;
        for text in output.split_inclusive('\n') {
            starts.push(start);
            start += text.len();
            let is_main = here == main;
            match mark(text) {
                Some((number, file, _)) => {
                    main = main.or(Some(file));
                    if is_main {
                        including = line;
                    }
                    (here, line) = (Some(file), number);
                    lines.push((including, false));
                }
                None => {
                    lines.push(if is_main { (line, true) } else { (including, false) });
                    line += 1;
                }
            }
        }
        let lines = Some(Lines { source, parsed: output.to_owned(), starts, lines });
        Origin::of_parts(parts(output, Some(folder(source))), lines)
    }

    fn of_parts(parts: Vec<(usize, Part)>, lines: Option<Lines<'s>>) -> Origin<'s> {
        let has_headers = parts.iter().any(|(_, part)| part.is_of_system);
        Origin { insertions: Vec::new(), parts, has_headers, lines }
    }

    /// The same text with what was inserted: where in it, and what.
    pub(super) fn with_insertions(self, insertions: &[(usize, String)]) -> Origin<'s> {
        let mut before = 0;
        let insertions = insertions.iter().map(|(at, text)| {
            let insertion = Insertion { start: at + before, length: text.len(), before };
            before += text.len();
            insertion
        });
        Origin { insertions: insertions.collect(), ..self }
    }

    /// Where a byte of the parsed text stood before anything was inserted, and whether it did.
    fn before_insertions(&self, at: usize) -> (usize, bool) {
        match self.insertions[..self.insertions.partition_point(|insertion| insertion.start <= at)].last() {
            None => (at, true),
            Some(last) if at < last.start + last.length => (last.start - last.before, false),
            Some(last) => (at - last.before - last.length, true),
        }
    }

    fn part(&self, span: lang_c::span::Span) -> Part {
        let at = self.before_insertions(span.start).0;
        let parts = &self.parts[..self.parts.partition_point(|(start, _)| *start <= at)];
        parts.last().map(|(_, part)| *part).unwrap_or_default()
    }

    /// What stands there is part of a header of the system, or of what is built in of it.
    pub(super) fn is_of_system(&self, span: lang_c::span::Span) -> bool {
        !self.before_insertions(span.start).1 || self.part(span).is_of_system
    }

    /// What is said about a place, but for words of files that are not to be shown.
    pub(super) fn told(&self, span: lang_c::span::Span, said: Diagnostic) -> Diagnostic {
        if !self.part(span).is_secret {
            return said;
        }
        let message = match said.severity {
            Severity::Error => "this file, which is not in the folder of the program, is not C",
            _ => "something in this file, which is not in the folder of the program",
        };
        Diagnostic { message: message.to_owned(), label: String::new(), help: None, ..said }
    }

    /// The place in the user's text, and whether its start is exact.
    pub(super) fn span(&self, span: lang_c::span::Span) -> (Span, bool) {
        let ((start, is_own), (end, _)) = (self.before_insertions(span.start), self.before_insertions(span.end));
        let Some(lines) = &self.lines else { return (Span::new(start as u32, end as u32), is_own) };
        let (first, is_exact) = lines.place(start);
        let (last, _) = lines.place(end.max(start + 1) - 1);
        (Span::new(first.start as u32, last.end.max(first.end) as u32), is_exact && is_own)
    }
}

/// `# 12 "file" 1 3`: the number, the file, and what follows.
fn mark(line: &str) -> Option<(usize, &str, &str)> {
    let rest = line.strip_prefix("# ").or_else(|| line.strip_prefix("#line "))?;
    let (number, rest) = rest.split_once(' ').unwrap_or((rest.trim_end(), ""));
    let (file, flags) = rest.strip_prefix('"')?.rsplit_once('"')?;
    Some((number.parse().ok()?, file, flags))
}

impl Lines<'_> {
    /// What a byte of the parsed text stands for, and whether it is the byte itself.
    fn place(&self, at: usize) -> (Range<usize>, bool) {
        let index = self.starts.partition_point(|&start| start <= at).saturating_sub(1);
        let (line, is_own) = self.lines[index];
        if line == 0 || line > self.source.line_count() {
            let first = self.source.text().chars().next();
            return (0..first.map_or(0, char::len_utf8), false);
        }
        let (written, start) = (self.source.line(line), self.source.line_start(line));
        let first = start + written.len() - written.trim_start().len();
        let whole = first..first + written.trim().len();
        let parsed = self.parsed[self.starts[index]..].lines().next().unwrap_or("");
        let at = at - self.starts[index];
        if !is_own || written.len().max(parsed.len()) > LONGEST {
            return (whole, false);
        }
        let (ours, theirs) = (words(written), words(parsed));
        let same = |(a, b): &(&Range<usize>, &Range<usize>)| written[(*a).clone()] == parsed[(*b).clone()];
        let before = ours.iter().zip(&theirs).take_while(same).count();
        let rest = ours.len().min(theirs.len()) - before;
        let after = ours.iter().rev().zip(theirs.iter().rev()).take(rest).take_while(same).count();
        let Some(word) = theirs.iter().position(|word| at < word.end) else { return (whole, false) };
        let own = match word {
            _ if word < before => Some(&ours[word]),
            _ if word >= theirs.len() - after => Some(&ours[word + ours.len() - theirs.len()]),
            _ => None,
        };
        if let Some(own) = own {
            let inside = at.saturating_sub(theirs[word].start);
            return (start + own.start + inside..start + own.start + inside + 1, true);
        }
        let Some(first) = ours.get(before).filter(|_| before + after < ours.len()) else { return (whole, false) };
        // A bracket that is opened is closed, too.
        let nesting = |word: &Range<usize>| match &written[word.clone()] {
            "(" => 1,
            ")" => -1,
            _ => 0,
        };
        let mut last = ours.len() - after - 1;
        let mut open: i32 = ours[before..=last].iter().map(nesting).sum();
        while open > 0 && last + 1 < ours.len() {
            last += 1;
            open += nesting(&ours[last]);
        }
        (start + first.start..start + ours[last].end, false)
    }
}

/// The words of a line: names and numbers, texts, other characters one by one; comments are none.
fn words(line: &str) -> Vec<Range<usize>> {
    let bytes = line.as_bytes();
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
    let mut words = Vec::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let rest = &bytes[at..];
        let length = match byte {
            _ if rest.starts_with(b"//") => rest.len(),
            _ if rest.starts_with(b"/*") => line[at + 2..].find("*/").map_or(rest.len(), |end| end + 4),
            b'"' | b'\'' => {
                let mut escaped = false;
                let closes = |&other: &u8| {
                    let closes = other == byte && !escaped;
                    escaped = other == b'\\' && !escaped;
                    closes
                };
                rest[1..].iter().position(closes).map_or(rest.len(), |end| end + 2)
            }
            byte if is_part(byte) => rest.iter().take_while(|&&byte| is_part(byte)).count(),
            _ => 1,
        };
        if !byte.is_ascii_whitespace() && !rest.starts_with(b"//") && !rest.starts_with(b"/*") {
            words.push(at..at + length);
        }
        at += length;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text that a part of a preprocessor's output stands for.
    fn origin(text: &str, output: &str, part: &str) -> (String, bool) {
        let source = Source::new("a.c", text);
        let start = output.find(part).expect("is there");
        let origin = Origin::of_preprocessed(&source, output);
        let (span, is_exact) = origin.span(lang_c::span::Span::span(start, start + part.len()));
        (source.slice(span).to_owned(), is_exact)
    }

    #[test]
    fn files_that_are_not_shown() {
        let is = |file: &str, flags: &str, folder: &str| {
            let part = Part::of(file, flags, folder);
            (part.is_of_system, part.is_secret)
        };
        for (file, folder) in [("<stdin>", "."), ("./b.h", "."), ("b.h", "."), ("x/b.h", "x"), ("/t/x/i/b.h", "/t/x")] {
            assert_eq!(is(file, " 1", folder), (false, false), "{file}");
        }
        for (file, folder) in [("/etc/shadow", "."), ("../b.h", "."), ("x/../b.h", "x"), ("/t/xx/b.h", "/t/x/")] {
            assert_eq!(is(file, " 1", folder), (false, true), "{file}");
        }
        assert_eq!(is("/usr/include/stdio.h", "", "."), (true, false));
        assert_eq!(is("/tmp/1/stdio.h", " 1 3 4", "."), (true, false));
        assert_eq!(is("/usr/include/../../etc/shadow", " 1 3 4", "."), (true, true));
    }

    #[test]
    fn words_around_macros_are_themselves() {
        let text = "#define M 10\n#include \"b.h\"\n  f(x, 1); g(M); /* h */ h(y);\n";
        let output = "# 1 \"a.c\"\n\n# 1 \"b.h\" 1\nint b;\n# 3 \"a.c\" 2\n  f(x, 1); g(10); h(y);\n";
        let is = |part: &str, expected: &str, is_exact| {
            assert_eq!(origin(text, output, part), (expected.to_owned(), is_exact), "{part}");
        };
        is("f(x, 1);", "f(x, 1);", true);
        is("g(10)", "g(M)", true);
        is("10", "M", false);
        is("h(y);", "h(y);", true);
        is("int b;", "#include \"b.h\"", false);
    }
}
