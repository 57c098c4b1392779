//! The list of program families: what each is, from which paper, and what it is expected to cost.
//!
//! "Godefroid" is Godefroid and Yannakakis, Analysis of Boolean Programs; "Ball" is Ball and Rajamani, Bebop: A Symbolic Model Checker for
//! Boolean Programs; "Alur-HSM" is Alur and Yannakakis, Model Checking of Hierarchical State Machines; "Alur-RSM" is Alur, Etessami and
//! Yannakakis, Analysis of Recursive State Machines; "Kupferman" is Kupferman, Vardi and Wolper, Module Checking.

use crate::families::{Family, Question, Verdict};
use crate::{EXPSPACE, QBF_EXITS, TapeMachine, drink, expspace};
use crate::{alternating, counters, drivers, formulas, hierarchies, machines, module, quantified, symbolic, unordered};

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
        question: None,
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
        question: None,
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
        question: None,
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
        question: None,
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
        question: None,
        write: counters::rn,
    },
    Family {
        name: "ln",
        language: "bp",
        parameter: "n, the number of bits",
        description: "L(n): a counter in a loop of 2^n rounds; when it overflows the loop ends and it is zero",
        source: "the loop counter by which a few variables make a long run",
        theorem: "I/O bounded EFSM: PSPACE (Godefroid, Theorem 7)",
        smallest: 1,
        largest: WIDE,
        question: None,
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
        theorem: "I/O bounded EFSM: PSPACE (Godefroid, Theorem 7)",
        smallest: 1,
        largest: WIDE,
        question: None,
        write: counters::updown,
    },
    Family {
        name: "counter",
        language: "bp",
        parameter: "n, the number of bits",
        description: "a recursive counter: a call on y calls itself on y + 1 until all bits are set, 2^n calls deep, \
                      and hands the last value back",
        source: "Godefroid, Fig. 1, procedure bar, counting up",
        theorem: "deterministic ERSM: EXPTIME (Godefroid, Theorem 2)",
        smallest: 1,
        largest: WIDE,
        question: None,
        write: counters::counter,
    },
    Family {
        name: "anbn",
        language: "bp",
        parameter: "n, the number of bits",
        description: "foo prints a^k b^k, k - 1 being the start value of a global counter: no a follows a b; \
                      a second call of foo breaks that",
        source: "Godefroid, Fig. 1, procedure foo",
        theorem: "deterministic ERSM: EXPTIME (Godefroid, Theorem 2)",
        smallest: 1,
        largest: WIDE,
        question: None,
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
        question: None,
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
        theorem: "acyclic bounded-depth EHSM: NP (Godefroid, Theorem 4)",
        smallest: 1,
        largest: MANY,
        question: None,
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
        theorem: "I/O bounded EHSM: PSPACE (Godefroid, Theorem 7)",
        smallest: 1,
        largest: MANY,
        question: None,
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
        theorem: "acyclic bounded-depth EHSM: NP (Godefroid, Theorem 4)",
        smallest: 3,
        largest: 24,
        question: None,
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
        theorem: "acyclic bounded-depth EHSM: NP (Godefroid, Theorem 4)",
        smallest: 1,
        largest: WIDE,
        question: None,
        write: unordered::hidden,
    },
    Family {
        name: "threesat",
        language: "bp",
        parameter: "n, the number of variables",
        description: "random clauses of three literals, an assumption each: 4.26 for each variable, chosen so that \
                      some values satisfy them all and ERROR is reached, or so many that none do",
        source: "Mitchell, Selman and Levesque, Hard and Easy Distributions of SAT Problems (AAAI 1992)",
        theorem: "acyclic bounded-depth EHSM: NP (Godefroid, Theorem 4)",
        smallest: 3,
        largest: MANY,
        question: None,
        write: formulas::threesat,
    },
    Family {
        name: "pigeonhole",
        language: "bp",
        parameter: "N, the number of holes",
        description: "every pigeon sits in a hole of its own: impossible for N + 1 of them, though every proof of \
                      that by resolution alone is exponential in N, possible for N",
        source: "Haken, The Intractability of Resolution (Theoretical Computer Science 39, 1985)",
        theorem: "acyclic bounded-depth EHSM: NP (Godefroid, Theorem 4)",
        smallest: 1,
        largest: 2_000,
        question: None,
        write: formulas::pigeonhole,
    },
    Family {
        name: "atm",
        language: "bp",
        parameter: "N, the number of pairs of cells",
        description: "an alternating machine, simulated: on each pair of cells one player writes a bit that the other \
                      has to copy; who has to copy can, who writes first cannot foresee the other bit",
        source: "Godefroid, Fig. 2",
        theorem: "deterministic ERSM: EXPTIME (Godefroid, Theorem 2)",
        smallest: 1,
        largest: 2_000,
        question: None,
        write: alternating::copy,
    },
    Family {
        name: "atm-count",
        language: "bp",
        parameter: "n, the number of bits",
        description: "a machine, simulated, that adds one to a number on its tape until it overflows, in more than \
                      2^n steps, each a call inside the one before",
        source: "Godefroid, Fig. 2",
        theorem: "deterministic ERSM: EXPTIME (Godefroid, Theorem 2)",
        smallest: 1,
        largest: 2_000,
        question: None,
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
        question: None,
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
        question: None,
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
        question: None,
        write: machines::theta,
    },
    Family {
        name: "qbf",
        language: "bp",
        parameter: "n, the number of pairs of variables",
        description: "the program of a quantified formula: in each pair the second variable must be chosen equal to the first, by who has \
                      seen it, or by who has not",
        source: "Godefroid, Fig. 3, for a formula made here; `generate qbf FILE` takes any",
        theorem: "deterministic acyclic EHSM: PSPACE (Godefroid, Theorem 3)",
        smallest: 1,
        largest: 2_000,
        question: None,
        write: quantified::program,
    },
    Family {
        name: "qbf-ctl",
        language: "rsm",
        parameter: "n, the number of pairs of variables",
        description: "the formula of family qbf as a question of branching time about a hierarchy with single exits; the formula \
                      grows",
        source: "Alur-HSM, Theorem 9, for a formula made here; `generate qbf-ctl FILE` takes any",
        theorem: "CTL on HSMs with single exits: linear in the machine, PSPACE in the formula (Alur-HSM, Theorem 9)",
        smallest: 1,
        largest: 2_000,
        question: Some(Question { open: false, ctl: quantified::with_single_exits_ctl }),
        write: quantified::with_single_exits,
    },
    Family {
        name: "qbf-exits",
        language: "rsm",
        parameter: "n, the number of pairs of variables",
        description: "the formula of family qbf as a question of branching time about a hierarchy with an exit for each literal; the \
                      question is always the same",
        source: "Alur-HSM, Theorem 11, for a formula made here; `generate qbf-exits FILE` takes any",
        theorem: "CTL on HSMs with many exits: PSPACE in the machine (Alur-HSM, Theorem 11)",
        smallest: 1,
        largest: 1_000,
        question: Some(Question { open: false, ctl: |_, _| QBF_EXITS.to_owned() }),
        write: quantified::with_exits,
    },
    Family {
        name: "expspace",
        language: "bp",
        parameter: "n, the number of bits of the number of a cell",
        description: "a game of two players on a tape of 2^n cells, all of which the program keeps on its stack; the formula says that \
                      the guesses of a run are consistent",
        source: "Godefroid, Fig. 5",
        theorem: "CTL on ERSMs: 2EXPTIME (Godefroid, Theorem 10)",
        smallest: 1,
        largest: 1_000,
        question: Some(Question { open: false, ctl: |_, _| EXPSPACE.to_owned() }),
        write: |out, n, verdict| {
            let accepts = verdict == Verdict::Safe;
            out.push_str(without_head(&expspace(&TapeMachine::copy_game(!accepts), n, accepts)));
        },
    },
    Family {
        name: "circuit",
        language: "rsm",
        parameter: "N, the number of gates",
        description: "a random monotone circuit as an open system: whoever sets the inputs and steers the or-gates, a 0 can be \
                      reached, exactly if its value is 0",
        source: "Kupferman, Vardi and Wolper, Theorem 4.1",
        theorem: "module checking of a fixed CTL formula: complete for P (Kupferman, Theorem 4.1)",
        smallest: 1,
        largest: 1_000_000,
        question: Some(Question { open: true, ctl: |_, _| "EF zero".to_owned() }),
        write: module::valued_circuit,
    },
    Family {
        name: "ctlsat",
        language: "rsm",
        parameter: "N, the number of atoms",
        description: "is a formula of CTL satisfiable: EX p1 & … & EX pN, and for the other verdict also AX !p1. The question about a clique with ghosts \
                      holds if it is not",
        source: "Kupferman, Vardi and Wolper, Theorem 3.1, for a formula made here; `generate ctlsat FORMULA` takes any",
        theorem: "module checking of CTL: complete for EXPTIME (Kupferman, Theorem 3.1)",
        smallest: 1,
        largest: 200,
        question: Some(Question { open: true, ctl: module::satisfiable_ctl }),
        write: module::satisfiable,
    },
    Family {
        name: "drink",
        language: "rsm",
        parameter: "N, the number of drinks",
        description: "a machine that serves drinks as its environment wishes: it can always get to where one chooses; that the first \
                      drink stays possible is wrong, as nobody may want it",
        source: "Kupferman, Vardi and Wolper, section 1",
        theorem: "module checking of a fixed CTL formula: complete for P (Kupferman, Theorem 4.1)",
        smallest: 2,
        largest: 1_000_000,
        question: Some(Question { open: true, ctl: module::drink_ctl }),
        write: |out, n, _| out.push_str(without_head(&drink(n))),
    },
];

/// The text of a program without the comments before it, which its family writes in its own way.
fn without_head(text: &str) -> &str {
    let is_comment = |line: &&str| line.trim().is_empty() || line.starts_with("//");
    let head: usize = text.split_inclusive('\n').take_while(is_comment).map(str::len).sum();
    &text[head..]
}
