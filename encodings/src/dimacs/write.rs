//! Writes DIMACS files.
//!
//! The header has the number of clauses and comes first. A formula that is a value knows it; whoever does
//! not want to keep the clauses lets the encoder run twice, first into a [`Counter`](crate::Counter).

use crate::{Clauses, Cnf};
use std::fmt::Display;
use std::io::{self, Write};

/// Writes a formula, with comments before it.
///
/// ```
/// use epitome_encodings::{Clauses, Cnf, dimacs};
/// let mut cnf = Cnf::default();
/// cnf.add(&[1, -2]);
/// let mut text = Vec::new();
/// dimacs::write(&mut text, ["one of two"], &cnf).unwrap();
/// assert_eq!(text, b"c one of two\np cnf 2 1\n1 -2 0\n");
/// ```
pub fn write(out: impl Write, comments: impl IntoIterator<Item = impl Display>, cnf: &Cnf) -> io::Result<()> {
    let mut writer = Writer::new(out, comments, cnf.variables(), cnf.len())?;
    cnf.copy_to(&mut writer);
    writer.finish()?;
    Ok(())
}

/// Takes clauses and writes them at once.
#[derive(Debug)]
pub struct Writer<W> {
    out: W,
    line: Vec<u8>,
    variables: u32,
    /// Clauses that were announced and did not come yet.
    missing: usize,
    /// The first thing that went wrong. Nothing is written after it.
    failure: Option<io::Error>,
}

impl<W: Write> Writer<W> {
    /// Writes comments and the header. A comment of several lines is several comments.
    pub fn new(
        mut out: W,
        comments: impl IntoIterator<Item = impl Display>,
        variables: u32,
        clauses: usize,
    ) -> io::Result<Writer<W>> {
        for comment in comments {
            for line in comment.to_string().split(['\n', '\r']) {
                writeln!(out, "{}", format!("c {line}").trim_end())?;
            }
        }
        writeln!(out, "p cnf {variables} {clauses}")?;
        Ok(Writer { out, line: Vec::new(), variables, missing: clauses, failure: None })
    }

    /// Writes a line of the format's own between header and clauses.
    pub(crate) fn line(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.out, "{line}")
    }

    /// What was written to, if all went well and the header is true.
    pub fn finish(mut self) -> io::Result<W> {
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        if self.missing > 0 {
            return Err(untrue(format!("{} clauses fewer than the header says", self.missing)));
        }
        self.out.flush()?;
        Ok(self.out)
    }

    fn write(&mut self, clause: &[i32]) -> io::Result<()> {
        self.missing = self.missing.checked_sub(1).ok_or_else(|| untrue("more clauses than the header says".into()))?;
        self.line.clear();
        for &literal in clause {
            if literal == 0 || literal.unsigned_abs() > self.variables {
                return Err(untrue(format!("{literal} is not one of {} variables", self.variables)));
            }
            write!(self.line, "{literal} ")?;
        }
        self.line.extend_from_slice(b"0\n");
        self.out.write_all(&self.line)
    }
}

fn untrue(message: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}

impl<W: Write> Clauses for Writer<W> {
    fn add(&mut self, clause: &[i32]) {
        if self.failure.is_none() {
            self.failure = self.write(clause).err();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Counter;

    #[test]
    fn counting_first_writes_the_same() {
        let mut cnf = Cnf::default();
        [&[1, -3][..], &[], &[2]].iter().for_each(|clause| cnf.add(clause));
        let mut counter = Counter::default();
        cnf.copy_to(&mut counter);
        let mut writer =
            Writer::new(Vec::new(), ["a\nb", ""], counter.variables, counter.clauses).expect("a list takes all");
        cnf.copy_to(&mut writer);
        let streamed = writer.finish().expect("a list takes all");
        let mut written = Vec::new();
        write(&mut written, ["a\nb", ""], &cnf).expect("a list takes all");
        assert_eq!(String::from_utf8(streamed.clone()).as_deref(), Ok("c a\nc b\nc\np cnf 3 3\n1 -3 0\n0\n2 0\n"));
        assert_eq!(streamed, written);
    }

    #[test]
    fn untrue_headers_are_errors() {
        let written = |variables, clauses| {
            let mut writer = Writer::new(Vec::new(), [""; 0], variables, clauses).expect("a list takes all");
            writer.add(&[1, 2]);
            writer.finish().is_ok()
        };
        assert!(written(2, 1) && written(3, 1));
        assert!(!written(1, 1) && !written(2, 0) && !written(2, 2));
    }

    #[test]
    fn failures_are_told_at_the_end() {
        let mut room = [0u8; 12];
        let mut writer = Writer::new(&mut room[..], [""; 0], 1, 2).expect("room for the header");
        writer.add(&[1]);
        writer.add(&[1]);
        assert_eq!(writer.finish().map_err(|error| error.kind()).err(), Some(io::ErrorKind::WriteZero));
    }
}
