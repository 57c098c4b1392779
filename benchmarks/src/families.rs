//! The list of program families: what each is, from which paper, and what it is expected to cost.
//!
//! Every program begins with comment lines that say which program it is and what a checker must
//! answer, so that a file on disk needs nothing beside it. "Godefroid" is Godefroid and Yannakakis,
//! Analysis of Boolean Programs; "Ball" is Ball and Rajamani, Bebop: A Symbolic Model Checker for
//! Boolean Programs.

use crate::{alternating, counters, drivers, formulas, hierarchies, machines, symbolic, unordered};
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
    write: fn(&mut String, u32, Verdict),
}

impl Family {
    /// The program of size `n`.
    pub fn generate(&self, n: u32, verdict: Verdict) -> Result<String, FamilyError> {
        if n < self.smallest || n > self.largest {
            return Err(FamilyError::Size { family: *self, n });
        }
        let mut out = format!(
            "// family: {}({n}), {n} being {}\n// source: {}\n// expected: {}\n\n",
            self.name,
            self.parameter,
            self.source,
            verdict.expected(),
        );
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
        family: Family,
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
            FamilyError::Size { family: Family { name, parameter, smallest, largest, .. }, n } => {
                write!(f, "family `{name}` has no program of size {n}: {parameter}, is from {smallest} to {largest}")
            }
        }
    }
}

impl std::error::Error for FamilyError {}

/// Most procedures a family may have.
const MANY: u32 = 1_000_000;

/// Most bits of a counter, whose increment is quadratic text.
const WIDE: u32 = 4_000;

/// All families.
pub const FAMILIES: &[Family] = &[
    Family {
        name: "tn",
        language: "bp",
        parameter: "N, the number of levels",
        description: "T(N): each level flips a global, after a three-bit counter or after two calls of the next \
                      level, as the global says; two calls of the first level give the global back",
        source: "Ball, Fig. 4",
        theorem: "I/O bounded EHSM: PSPACE (Godefroid, Theorem 7); linear in N by summaries (Ball, section 4)",
        smallest: 1,
        largest: MANY,
        write: hierarchies::tn,
    },
    Family {
        name: "xn",
        language: "bp",
        parameter: "N, the number of levels",
        description: "X(N): T(N) where each level chooses freely between its counter and its calls, so that there \
                      are more than 2^N paths through the calls",
        source: "Ball, Fig. 4, with `if (*)` in place of `if (g)`",
        theorem: "I/O bounded EHSM: PSPACE (Godefroid, Theorem 7); linear in N by summaries (Ball, section 4)",
        smallest: 1,
        largest: MANY,
        write: hierarchies::xn,
    },
    Family {
        name: "en",
        language: "bp",
        parameter: "N, the number of levels",
        description: "E(N): each level calls the next twice and flips a global, so that every run calls the last \
                      level 2^N times",
        source: "Ball, Fig. 4, with both calls unconditional",
        theorem: "I/O bounded deterministic acyclic EHSM: P (Godefroid, Theorem 5)",
        smallest: 1,
        largest: MANY,
        write: hierarchies::en,
    },
    Family {
        name: "depth",
        language: "bp",
        parameter: "N, the number of levels",
        description: "a deep shared hierarchy: each level calls the next from two places with different arguments \
                      and adds the results modulo 2, which is the sum of its own arguments",
        source: "Alur and Yannakakis, Model Checking of Hierarchical State Machines, section 1",
        theorem: "I/O bounded deterministic acyclic EHSM: P (Godefroid, Theorem 5)",
        smallest: 1,
        largest: MANY,
        write: hierarchies::depth,
    },
    Family {
        name: "rn",
        language: "bp",
        parameter: "n, the number of bits",
        description: "R(n): a global counter is incremented before and decremented after a recursive call, as often \
                      as the run likes; back in main it is zero",
        source: "compare Godefroid, Fig. 1: there the stack keeps the count, here it undoes it",
        theorem: "ERSM: EXPTIME (Godefroid, Theorem 2)",
        smallest: 1,
        largest: WIDE,
        write: counters::rn,
    },
    Family {
        name: "ln",
        language: "bp",
        parameter: "n, the number of bits",
        description: "L(n): a counter in a loop of 2^n rounds; when it overflows the loop ends and it is zero",
        source: "the loop counter by which a few variables make a long run",
        theorem: "EFSM: PSPACE (Godefroid, section 3.2)",
        smallest: 1,
        largest: WIDE,
        write: counters::ln,
    },
    Family {
        name: "updown",
        language: "bp",
        parameter: "n, the number of bits",
        description: "a counter goes up as far as the run likes and down to zero again, and a flag that every step \
                      flips is back where it was: the flag is the lowest bit, a small invariant that a search \
                      forward has only after 2^n rounds",
        source: "R(n) with two loops in place of the stack",
        theorem: "EFSM: PSPACE (Godefroid, section 3.2)",
        smallest: 1,
        largest: WIDE,
        write: counters::updown,
    },
    Family {
        name: "counter",
        language: "bp",
        parameter: "n, the number of bits",
        description: "a recursive counter: a call on y calls itself on y + 1 until all bits are set, 2^n calls deep, \
                      and hands the last value back",
        source: "Godefroid, Fig. 1, procedure bar, counting up",
        theorem: "deterministic acyclic ERSM: EXPTIME (Godefroid, Theorem 2)",
        smallest: 1,
        largest: WIDE,
        write: counters::counter,
    },
    Family {
        name: "anbn",
        language: "bp",
        parameter: "n, the number of bits",
        description: "foo prints a^k b^k, k - 1 being the start value of a global counter: no a follows a b; \
                      a second call of foo breaks that",
        source: "Godefroid, Fig. 1, procedure foo",
        theorem: "deterministic acyclic ERSM: EXPTIME (Godefroid, Theorem 2)",
        smallest: 1,
        largest: WIDE,
        write: counters::anbn,
    },
    Family {
        name: "lock",
        language: "bp",
        parameter: "N, the number of requests a driver serves",
        description: "requests that take and give back one lock, each in a loop that its own flag ends; where the \
                      flag of the last one is not kept the lock is given back twice",
        source: "Ball and Rajamani, Automatically Validating Temporal Safety Properties of Interfaces (SPIN 2001)",
        theorem: "I/O bounded EHSM: PSPACE (Godefroid, Theorem 7)",
        smallest: 1,
        largest: MANY,
        write: drivers::lock,
    },
    Family {
        name: "adder",
        language: "bp",
        parameter: "n, the number of bits",
        description: "two arbitrary numbers are added by a ripple-carry adder and one is subtracted again, which \
                      gives the other; that there was no overflow is wrong. 4^n states, but decision diagrams of \
                      linear size in the order of declaration a0 b0 s0 a1 b1 s1 and so on",
        source: "Bryant, Graph-Based Algorithms for Boolean Function Manipulation (IEEE Trans. Computers, 1986): \
                 the order of variables and the size of sums",
        theorem: "acyclic EHSM of depth 2 with arbitrary initial values: NP (Godefroid, Theorem 6)",
        smallest: 1,
        largest: MANY,
        write: symbolic::adder,
    },
    Family {
        name: "independent",
        language: "bp",
        parameter: "n, the number of pairs of global variables",
        description: "n pairs of equal variables, each toggled by calls of a procedure of its own, in any order: \
                      the pairs stay equal, unless one procedure toggles half a pair. 2^n states at every line, \
                      but decision diagrams of linear size",
        source: "compare Ball: diagrams relate the variables in scope, most of which a procedure leaves alone",
        theorem: "EHSM of depth 2: PSPACE (Godefroid, Theorem 3)",
        smallest: 1,
        largest: MANY,
        write: symbolic::independent,
    },
    Family {
        name: "multiplier",
        language: "bp",
        parameter: "n, the number of bits of a factor",
        description: "two arbitrary numbers are multiplied, row by row, by calls of a full adder: the product is \
                      never a given prime number; that it is never a given product of two primes is wrong. \
                      Decision diagrams of a product are exponential in every order",
        source: "Bryant, On the Complexity of VLSI Implementations and Graph Representations of Boolean Functions \
                 with Application to Integer Multiplication (IEEE Trans. Computers, 1991)",
        theorem: "I/O bounded acyclic EHSM of depth 2 with arbitrary initial values: NP (Godefroid, Theorem 6)",
        smallest: 3,
        largest: 24,
        write: unordered::multiplier,
    },
    Family {
        name: "hidden",
        language: "bp",
        parameter: "n, the number of bits",
        description: "the hidden weighted bit of n arbitrary bits, the one at the place that their sum says, found \
                      by counting ones and again by counting zeros; if these are taken for ones the results \
                      differ. Its decision diagrams are exponential in every order",
        source: "Bryant (1991), as for multiplier, section 5: the hidden weighted bit",
        theorem: "acyclic EHSM of depth 2: NP (Godefroid, Theorem 4)",
        smallest: 1,
        largest: WIDE,
        write: unordered::hidden,
    },
    Family {
        name: "threesat",
        language: "bp",
        parameter: "n, the number of variables",
        description: "random clauses of three literals, an assumption each: 4.26 for each variable, chosen so that \
                      some values satisfy them all and ERROR is reached, or so many that none do",
        source: "Mitchell, Selman and Levesque, Hard and Easy Distributions of SAT Problems (AAAI 1992)",
        theorem: "I/O bounded acyclic EHSM of depth 2 with arbitrary initial values: NP (Godefroid, Theorem 6)",
        smallest: 3,
        largest: MANY,
        write: formulas::threesat,
    },
    Family {
        name: "pigeonhole",
        language: "bp",
        parameter: "N, the number of holes",
        description: "every pigeon sits in a hole of its own: impossible for N + 1 of them, though every proof of \
                      that by resolution alone is exponential in N, possible for N",
        source: "Haken, The Intractability of Resolution (Theoretical Computer Science 39, 1985)",
        theorem: "I/O bounded acyclic EHSM of depth 2 with arbitrary initial values: NP (Godefroid, Theorem 6)",
        smallest: 1,
        largest: 2_000,
        write: formulas::pigeonhole,
    },
    Family {
        name: "atm",
        language: "bp",
        parameter: "N, the number of pairs of cells",
        description: "an alternating machine, simulated: on each pair of cells one player writes a bit that the other \
                      has to copy; who has to copy can, who writes first cannot foresee the other bit",
        source: "Godefroid, Fig. 2",
        theorem: "deterministic acyclic ERSM: EXPTIME (Godefroid, Theorem 2)",
        smallest: 1,
        largest: 2_000,
        write: alternating::copy,
    },
    Family {
        name: "atm-count",
        language: "bp",
        parameter: "n, the number of bits",
        description: "a machine, simulated, that adds one to a number on its tape until it overflows, in more than \
                      2^n steps, each a call inside the one before",
        source: "Godefroid, Fig. 2",
        theorem: "deterministic acyclic ERSM: EXPTIME (Godefroid, Theorem 2)",
        smallest: 1,
        largest: 2_000,
        write: alternating::count,
    },
    Family {
        name: "clock",
        language: "rsm",
        parameter: "N, the number of hours in a day, minutes in an hour, and seconds in a minute",
        description: "a digital clock: machines for a day, an hour and a minute, N^3 states when they are written out. Asked is \
                      whether a minute can end late, and in a comment whether midnight comes again and again",
        source: "Alur and Yannakakis, Model Checking of Hierarchical State Machines, section 1",
        theorem: "HSM: linear (Alur-HSM, Theorem 1)",
        smallest: 1,
        largest: MANY,
        write: machines::clock,
    },
    Family {
        name: "andor",
        language: "rsm",
        parameter: "N, the number of vertices",
        description: "a game of two players on a random graph, as a hierarchy of machines for each vertex and round: an exit can be \
                      reached if the first player can get to a target",
        source: "Alur and Yannakakis, Model Checking of Hierarchical State Machines, Theorem 2",
        theorem: "HSM: linear (Alur-HSM, Theorem 1), complete for P (Alur-HSM, Theorem 2)",
        smallest: 2,
        largest: 1_000,
        write: machines::andor,
    },
    Family {
        name: "theta",
        language: "rsm",
        parameter: "n, half the number of entries and of exits",
        description: "a machine that calls itself, with 2n entries and exits, half of which can be reached from each entry",
        source: "Alur, Etessami and Yannakakis, Analysis of Recursive State Machines (CAV 2001), section 3",
        theorem: "RSM: O(n theta^2) (Alur-RSM, Theorem 2)",
        smallest: 1,
        largest: MANY,
        write: machines::theta,
    },
];

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
                assert!(text.contains(&format!("\n// expected: {}\n", verdict.expected())), "{text}");
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
