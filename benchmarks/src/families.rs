//! What a program family is: programs of growing size with known verdicts.
//!
//! Every program begins with comment lines that say which program it is and what a checker must
//! answer, so that a file on disk needs nothing beside it.

use crate::FAMILIES;
use std::fmt;

/// Which version of a program: the one that keeps its property or the one that breaks it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// No assertion can fail and no label `ERROR` can be reached.
    Safe,
    /// Some run fails.
    Unsafe,
}

impl Verdict {
    /// Both.
    pub const ALL: [Verdict; 2] = [Verdict::Safe, Verdict::Unsafe];

    /// The word a checker answers: `TRUE` or `FALSE`.
    pub fn expected(self) -> &'static str {
        match self {
            Verdict::Safe => "TRUE",
            Verdict::Unsafe => "FALSE",
        }
    }
}

/// A program for each size.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// The name it is asked for by.
    pub name: &'static str,
    /// What it is written in: the ending of its files, `bp` or `rsm`.
    pub language: &'static str,
    /// What the number says.
    pub parameter: &'static str,
    /// What the program does and what is asked of it.
    pub description: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// The class it belongs to and the theorem that bounds it.
    pub theorem: &'static str,
    /// The smallest size.
    pub smallest: u32,
    /// The largest size; the text grows at most quadratically, and stays below some 400 MB.
    pub largest: u32,
    /// What is asked, if it is not whether an assertion can fail or `ERROR` be reached.
    pub question: Option<Question>,
    pub(crate) write: fn(&mut String, u32, Verdict),
}

/// A question of branching time.
#[derive(Clone, Copy, Debug)]
pub struct Question {
    /// It is asked for all environments (`check --open`).
    pub open: bool,
    /// The formula of CTL for a size and a verdict.
    pub ctl: fn(u32, Verdict) -> String,
}

impl Question {
    /// As options of `check`.
    pub fn options(&self, n: u32, verdict: Verdict) -> Vec<String> {
        let open = self.open.then_some("--open");
        open.into_iter().chain(["--ctl"]).map(str::to_owned).chain([(self.ctl)(n, verdict)]).collect()
    }
}

impl Family {
    /// The program of size `n`.
    pub fn generate(&self, n: u32, verdict: Verdict) -> Result<String, FamilyError> {
        if n < self.smallest || n > self.largest {
            return Err(FamilyError::Size { family: Box::new(*self), n });
        }
        let mut out =
            format!("// family: {}({n}), {n} being {}\n// source: {}\n", self.name, self.parameter, self.source);
        out.push_str(&match self.question {
            None => format!("// expected: {}\n\n", verdict.expected()),
            Some(Question { open, ctl }) => {
                let open = if open { "// an open system: check --open\n" } else { "" };
                format!("{open}// ctl: {}\n// ctl expected: {}\n\n", ctl(n, verdict), verdict.expected())
            }
        });
        (self.write)(&mut out, n, verdict);
        Ok(out)
    }
}

/// A request that names no program.
#[derive(Clone, Debug)]
pub enum FamilyError {
    /// There is no family of this name.
    Unknown {
        /// The name asked for.
        name: String,
    },
    /// The family has no program of this size.
    Size {
        /// The family asked for.
        family: Box<Family>,
        /// The size asked for.
        n: u32,
    },
}

impl fmt::Display for FamilyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FamilyError::Unknown { name } => {
                let known: Vec<&str> = FAMILIES.iter().map(|family| family.name).collect();
                write!(f, "unknown family `{name}`; the families are {}", known.join(", "))
            }
            FamilyError::Size { family, n } => {
                let Family { name, parameter, smallest, largest, .. } = **family;
                write!(f, "family `{name}` has no program of size {n}: {parameter}, is from {smallest} to {largest}")
            }
        }
    }
}

impl std::error::Error for FamilyError {}

/// The families that ask whether an assertion can fail or `ERROR` be reached.
pub fn families_of_failures() -> impl Iterator<Item = &'static Family> {
    FAMILIES.iter().filter(|family| family.question.is_none())
}

/// The family of this name.
pub fn family(name: &str) -> Option<&'static Family> {
    FAMILIES.iter().find(|family| family.name == name)
}

/// The program of a family and size.
pub fn generate(name: &str, n: u32, verdict: Verdict) -> Result<String, FamilyError> {
    family(name).ok_or_else(|| FamilyError::Unknown { name: name.to_owned() })?.generate(n, verdict)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_distinct() {
        for (index, family) in FAMILIES.iter().enumerate() {
            assert!(FAMILIES[..index].iter().all(|other| other.name != family.name), "{}", family.name);
        }
    }

    #[test]
    fn every_program_says_what_it_is() {
        for family in FAMILIES {
            for verdict in Verdict::ALL {
                let text = generate(family.name, 3, verdict).unwrap();
                assert!(text.starts_with(&format!("// family: {}(3)", family.name)), "{text}");
                let asked = if family.question.is_some() { "ctl expected" } else { "expected" };
                assert!(text.contains(&format!("\n// {asked}: {}\n", verdict.expected())), "{text}");
                assert_eq!(text.matches("// source: ").count(), 1, "{text}");
            }
        }
    }

    #[test]
    fn bad_requests_are_errors() {
        let unknown = generate("t", 1, Verdict::Safe).unwrap_err().to_string();
        assert!(unknown.contains("`t`") && unknown.contains("tn, xn"), "{unknown}");
        let small = generate("tn", 0, Verdict::Safe).unwrap_err().to_string();
        assert!(small.contains("size 0") && small.contains("from 1"), "{small}");
        assert!(generate("ln", u32::MAX, Verdict::Safe).is_err());
    }

    #[test]
    fn machines_are_linear_but_for_the_digits_of_names() {
        for name in ["clock", "theta"] {
            let small = generate(name, 10_000, Verdict::Safe).unwrap().len();
            let large = generate(name, 100_000, Verdict::Safe).unwrap().len();
            assert!(large < 12 * small, "{name}: {small} to {large}");
        }
    }

    #[test]
    fn a_hundred_thousand_levels_are_linear() {
        for name in ["tn", "xn", "en", "depth", "lock", "adder", "independent", "threesat"] {
            let small = generate(name, 10_000, Verdict::Safe).unwrap().len();
            let large = generate(name, 100_000, Verdict::Safe).unwrap().len();
            assert!(large < 11 * small, "{name}: {small} to {large}");
        }
    }
}
