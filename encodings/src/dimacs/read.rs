//! Reads DIMACS files, as they are: clauses over several lines or several on one, comments anywhere, the
//! line `%` with which files of SATLIB end. Numbers that contradict the header are errors, as they are for
//! most solvers. Nothing is allocated for what a header only promises.
//!
//! A file in the QDIMACS format has lines of quantified variables between header and clauses.

use crate::{Clauses, Cnf, Quantifier};
use rustc_hash::FxHashSet;
use std::fmt;
use std::io::{self, BufRead};

/// What is wrong with a file, and in which line.
#[derive(Debug)]
pub struct ReadError {
    /// From 1.
    pub line: usize,
    /// What is wrong.
    pub kind: ReadErrorKind,
}

/// What can be wrong with a file.
#[derive(Debug)]
pub enum ReadErrorKind {
    /// It cannot be read.
    Io(io::Error),
    /// A literal or the end comes before the header.
    NoHeader,
    /// The header is not `p cnf VARIABLES CLAUSES`.
    BadHeader(String),
    /// There is a second header.
    SecondHeader,
    /// Something that is not a literal.
    NotALiteral(String),
    /// A literal of a variable that the header does not count.
    TooManyVariables {
        /// The literal.
        literal: i32,
        /// Variables by the header.
        announced: u32,
    },
    /// More or fewer clauses than the header says.
    WrongNumberOfClauses {
        /// By the header.
        announced: usize,
        /// In the file, as far as it was read.
        found: usize,
    },
    /// The file ends within a clause.
    NoEnd,
    /// A line of quantified variables after a clause or before the header.
    MisplacedBlock,
    /// A line of quantified variables that does not end in 0, or has something else in it.
    BadBlock(String),
    /// A variable is quantified twice.
    QuantifiedTwice(u32),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.kind)
    }
}

impl fmt::Display for ReadErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadErrorKind::Io(error) => write!(f, "cannot be read: {error}"),
            ReadErrorKind::NoHeader => f.write_str("there is no line `p cnf VARIABLES CLAUSES` before the clauses"),
            ReadErrorKind::BadHeader(found) => write!(f, "expected `p cnf VARIABLES CLAUSES`, found `{found}`"),
            ReadErrorKind::SecondHeader => f.write_str("a second header; a file has one formula"),
            ReadErrorKind::NotALiteral(found) => write!(f, "expected a literal or 0, found `{found}`"),
            ReadErrorKind::TooManyVariables { literal, announced } => {
                write!(f, "literal {literal}, but the header says {announced} variables")
            }
            ReadErrorKind::WrongNumberOfClauses { announced, found } => {
                let least = if found > announced { "at least " } else { "" };
                write!(f, "the header says {announced} clauses, but there are {least}{found}")
            }
            ReadErrorKind::NoEnd => f.write_str("the last clause is not ended by 0"),
            ReadErrorKind::MisplacedBlock => {
                f.write_str("quantified variables belong between the header and the clauses")
            }
            ReadErrorKind::BadBlock(found) => write!(f, "expected variables of the header and 0, found `{found}`"),
            ReadErrorKind::QuantifiedTwice(variable) => write!(f, "variable {variable} is quantified twice"),
        }
    }
}

impl std::error::Error for ReadError {}

/// Reads a formula.
///
/// ```
/// use epitome_encodings::dimacs::read;
/// let cnf = read(&b"c two clauses\np cnf 2 2\n1\n-2 0 2 0\n%\n0\n"[..]).unwrap();
/// assert_eq!(cnf.clauses().collect::<Vec<_>>(), [&[1, -2][..], &[2]]);
/// let error = read(&b"p cnf 1 1\n1 x 0\n"[..]).unwrap_err();
/// assert_eq!(error.to_string(), "line 2: expected a literal or 0, found `x`");
/// ```
pub fn read(input: impl BufRead) -> Result<Cnf, ReadError> {
    read_all(input, Reader::default()).map(|(_, cnf)| cnf)
}

/// Blocks of quantified variables, outermost first.
pub(crate) type Prefix = Vec<(Quantifier, Vec<u32>)>;

/// Reads a formula that may have quantified variables.
pub(crate) fn read_quantified(input: impl BufRead) -> Result<(Prefix, Cnf), ReadError> {
    read_all(input, Reader { prefix: Some(Vec::new()), ..Reader::default() })
}

fn read_all(mut input: impl BufRead, mut reader: Reader) -> Result<(Prefix, Cnf), ReadError> {
    let (mut bytes, mut line) = (Vec::new(), 0);
    loop {
        line += 1;
        bytes.clear();
        let at_line = |kind| ReadError { line, kind };
        let length = input.read_until(b'\n', &mut bytes).map_err(|error| at_line(ReadErrorKind::Io(error)))?;
        // Bytes that are no text are shown as such in the message about them.
        let is_end = length == 0 || bytes.trim_ascii_start().starts_with(b"%");
        if is_end {
            return reader.finish().map_err(at_line);
        }
        reader.line(&String::from_utf8_lossy(&bytes)).map_err(at_line)?;
    }
}

#[derive(Default)]
struct Reader {
    /// Variables and clauses by the header.
    header: Option<(u32, usize)>,
    cnf: Cnf,
    clause: Vec<i32>,
    /// Quantified variables; nothing if there may be none.
    prefix: Option<Prefix>,
    quantified: FxHashSet<u32>,
}

impl Reader {
    fn line(&mut self, line: &str) -> Result<(), ReadErrorKind> {
        let line = line.trim();
        if line.starts_with('c') {
            return Ok(());
        }
        if line.starts_with('p') {
            return self.header(line);
        }
        if self.prefix.is_some() {
            let block = [('a', Quantifier::Forall), ('e', Quantifier::Exists)]
                .into_iter()
                .find_map(|(letter, quantifier)| Some((quantifier, line.strip_prefix(letter)?)));
            if let Some((quantifier, variables)) = block {
                return self.block(quantifier, variables);
            }
        }
        line.split_ascii_whitespace().try_for_each(|word| self.literal(word))
    }

    fn header(&mut self, line: &str) -> Result<(), ReadErrorKind> {
        if self.header.is_some() {
            return Err(ReadErrorKind::SecondHeader);
        }
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let header = match words[..] {
            ["p", "cnf", variables, clauses] => variables.parse().ok().zip(clauses.parse().ok()),
            _ => None,
        };
        let known = header.filter(|(variables, _)| i32::try_from(*variables).is_ok());
        let (variables, clauses) = known.ok_or_else(|| ReadErrorKind::BadHeader(start_of(line)))?;
        self.header = Some((variables, clauses));
        self.cnf.announce(variables);
        Ok(())
    }

    fn block(&mut self, quantifier: Quantifier, line: &str) -> Result<(), ReadErrorKind> {
        let (announced, _) = self.header.ok_or(ReadErrorKind::MisplacedBlock)?;
        if !self.cnf.is_empty() || !self.clause.is_empty() {
            return Err(ReadErrorKind::MisplacedBlock);
        }
        let bad = || ReadErrorKind::BadBlock(start_of(line.trim()));
        let numbers: Option<Vec<u32>> = line.split_ascii_whitespace().map(|word| word.parse().ok()).collect();
        let mut numbers = numbers.ok_or_else(bad)?;
        if numbers.pop() != Some(0) || numbers.iter().any(|&number| number == 0 || number > announced) {
            return Err(bad());
        }
        if let Some(&twice) = numbers.iter().find(|&&number| !self.quantified.insert(number)) {
            return Err(ReadErrorKind::QuantifiedTwice(twice));
        }
        self.prefix.get_or_insert_default().push((quantifier, numbers));
        Ok(())
    }

    fn literal(&mut self, word: &str) -> Result<(), ReadErrorKind> {
        let (announced, clauses) = self.header.ok_or(ReadErrorKind::NoHeader)?;
        let literal: i32 = word.parse().map_err(|_| ReadErrorKind::NotALiteral(start_of(word)))?;
        if literal.unsigned_abs() > announced {
            return Err(ReadErrorKind::TooManyVariables { literal, announced });
        }
        if literal != 0 {
            self.clause.push(literal);
            return Ok(());
        }
        self.cnf.add(&self.clause);
        self.clause.clear();
        let found = self.cnf.len();
        match found > clauses {
            true => Err(ReadErrorKind::WrongNumberOfClauses { announced: clauses, found }),
            false => Ok(()),
        }
    }

    fn finish(self) -> Result<(Prefix, Cnf), ReadErrorKind> {
        let (_, announced) = self.header.ok_or(ReadErrorKind::NoHeader)?;
        if !self.clause.is_empty() {
            return Err(ReadErrorKind::NoEnd);
        }
        match self.cnf.len() {
            found if found != announced => Err(ReadErrorKind::WrongNumberOfClauses { announced, found }),
            _ => Ok((self.prefix.unwrap_or_default(), self.cnf)),
        }
    }
}

/// As much of a text as fits into a message.
fn start_of(text: &str) -> String {
    const MOST: usize = 40;
    let start: String = text.chars().take(MOST).collect();
    if start.len() < text.len() { format!("{start}…") } else { start }
}
