//! Formulas of temporal logic, asked of a program, too; automata; property files.

use super::{Front, ensure};
use crate::common::read;
use crate::corpus::{arguments, files};
use epitome::engine::tabulate;
use epitome::limits::Limits;
use epitome::logic::{Branching, Linear, LinearError, Property, Query};
use epitome::{Checker, Engine, Verdict};
use epitome_automata::{Formulas, Logic, buchi, parse_in, read_hoa, small, to_dot, to_hoa};
use std::sync::Arc;
use std::time::Duration;

pub const FORMULAS: Front = Front {
    name: "formulas",
    share: 8,
    endings: &["formula"],
    corpus: formulas,
    survive: |input| {
        let text = String::from_utf8_lossy(input);
        let mut is_formula = false;
        for logic in [Logic::Linear, Logic::Ctl, Logic::CtlStar] {
            is_formula |= read_again(logic, &text)?;
        }
        for (read, what) in
            [(Linear::formula(&text).map(|p| p.0.text), "ltl"), (Branching::ctl_star(&text).map(|p| p.0.text), "ctl*")]
        {
            if let Err(LinearError::Formula(error)) = read {
                inside(&text, error.place, what)?;
            }
        }
        Ok(is_formula)
    },
};

pub const QUESTIONS: Front = Front {
    name: "questions",
    share: 4,
    endings: &["formula"],
    corpus: || QUESTION_TEXTS.iter().map(|text| text.as_bytes().to_vec()).collect(),
    survive: |input| {
        let text = String::from_utf8_lossy(input);
        let linear = Linear::formula(&text).ok().map(|(linear, _)| Query::Linear(Arc::new(linear)));
        let branching = Branching::ctl(&text).ok().map(|(branching, _)| Query::Branching(Arc::new(branching)));
        let mut is_answered = false;
        for query in linear.into_iter().chain(branching) {
            is_answered |= agree(&query)?;
        }
        Ok(is_answered)
    },
};

pub const AUTOMATA: Front = Front {
    name: "automata",
    share: 5,
    endings: &["hoa"],
    corpus: || {
        let written = ["G F p", "F G (p | X q)", "(a U b) R c", "G (p -> F q) & F r"].map(|text| {
            let mut formulas = Formulas::default();
            let formula = parse_in(Logic::Linear, text, &mut formulas).expect("is a formula").formula;
            let automaton = buchi(&formulas, formula, true).expect("is small");
            to_hoa(&automaton, formulas.atoms(), text).into_bytes()
        });
        files(&["hoa"], HOA_TEXTS).into_iter().chain(written).collect()
    },
    survive: |input| {
        let text = String::from_utf8_lossy(input);
        let (automaton, atoms) = match read_hoa(&text) {
            Ok(read) => read,
            Err(error) => {
                let lines = text.lines().count().max(1) + 1;
                ensure((1..=lines).contains(&error.line), || format!("line {} of {lines}", error.line))?;
                return Ok(false);
            }
        };
        if automaton.transitions.len() > 200 {
            return Ok(true);
        }
        let automaton = small(automaton);
        let written = to_hoa(&automaton, &atoms, "fuzz");
        to_dot(&automaton, &atoms, "fuzz");
        let (again, names) =
            read_hoa(&written).map_err(|error| format!("what is written is refused: {error}\n{written}"))?;
        // Atoms that nothing looks at are not written.
        let same = again.transitions.len() == automaton.states() && names.iter().all(|name| atoms.contains(name));
        ensure(same, || format!("is written and read as another automaton:\n{written}"))?;
        Ok(true)
    },
};

pub const PROPERTIES: Front = Front {
    name: "properties",
    share: 3,
    endings: &["prp"],
    corpus: || files(&["prp"], PROPERTY_TEXTS).into_iter().chain(arguments(&["--property"])).collect(),
    survive: |input| {
        let text = String::from_utf8_lossy(input);
        let property = match Property::parse(&text) {
            Ok(property) => property,
            Err(error) => return ensure(!error.to_string().is_empty(), || "no message".to_owned()).map(|()| false),
        };
        ensure(!property.query.name().is_empty(), || "a property without a name".to_owned())?;
        if matches!(property.query, Query::Failures | Query::Label(_) | Query::Call(_) | Query::Termination) {
            agree(&property.query)?;
        }
        Ok(true)
    },
};

const HOA_TEXTS: &[&str] = &[
    "HOA: v1\nname: \"x\"\nStates: 2\nStart: 0\nAP: 2 \"p\" \"q == 1\"\nacc-name: generalized-Buchi 2\nAcceptance: 2 Inf(0)&Inf(1)\nproperties: trans-labels explicit-labels trans-acc\nAlias: @a 0 & !1\n--BODY--\nState: 0 \"s\" {0}\n[@a | t] 0 {0 1}\n[!0] 1\nState: [1] 1 {1}\n0\n--END--\n",
    "HOA: v1\nStates: 2\nStart: 1\nAP: 1 \"p\"\nAcceptance: 1 Inf(0)\nproperties: implicit-labels state-acc\n--BODY--\nState: 0 {0}\n0 1\nState: 1\n1 0\n--END--\n",
];

const PROPERTY_TEXTS: &[&str] = &[
    "CHECK( init(main()), LTL(G ! call(reach_error())) )\n",
    "CHECK( init(start()), LTL(G ! label(ERROR)) ) // more\n",
    "# a comment\nCHECK( init(main()), LTL(G (p -> F \"x == 1\")) )\n",
    "CHECK( init(main()), LTL(F end) )",
    "COVER( init(main()), FQL(COVER EDGES(@DECISIONEDGE)) )",
    "unreach-call",
    "no-overflow",
    "G ! overflow",
    "G ! label(M)",
    "G ! label(main.{M})",
    "G ! label(f:R)",
    "G ! call(f())",
];

fn formulas() -> Vec<Vec<u8>> {
    let own = [
        "G (p -> F q)",
        "p U (q R r)",
        "X X !p <-> q",
        "(a W b) M c",
        "A G (E F p)",
        "AG (p -> AF q)",
        "E[p U q]",
        "\"x == 1\" & at(L) | main@L",
        "[] <> p => <> [] q",
        "true xor false",
        "AF E (F p & G q)",
        "G(a=1)",
    ];
    let own = own.iter().map(|text| text.as_bytes().to_vec());
    files(&["formula"], &[]).into_iter().chain(arguments(&["--ltl", "--ctl", "--ctlstar", "ltl"])).chain(own).collect()
}

fn inside(text: &str, place: std::ops::Range<usize>, what: &str) -> Result<(), String> {
    let fits = place.start <= place.end && text.get(place.start.min(text.len())..place.end.min(text.len())).is_some();
    ensure(fits && place.end <= text.len() + 1, || format!("{what}: a message about {place:?} of {}", text.len()))
}

/// A formula is shown so that it is read again as the same; messages and warnings are about places of the text.
fn read_again(logic: Logic, text: &str) -> Result<bool, String> {
    let mut formulas = Formulas::default();
    let parsed = match parse_in(logic, text, &mut formulas) {
        Ok(parsed) => parsed,
        Err(error) => return inside(text, error.place, "error").map(|()| false),
    };
    parsed.warnings.into_iter().try_for_each(|warning| inside(text, warning.place, "warning"))?;
    let shown = formulas.show(parsed.formula).to_string();
    let mut again = Formulas::default();
    match parse_in(logic, &shown, &mut again) {
        Ok(parsed) => {
            let second = again.show(parsed.formula).to_string();
            ensure(second == shown, || {
                format!("{logic:?}: is shown and read as another formula: {shown} and {second}")
            })?;
            Ok(true)
        }
        Err(error) => Err(format!("{logic:?}: what is shown is refused: {error}: {shown}")),
    }
}

/// Formulas about the program below.
const QUESTION_TEXTS: &[&str] = &[
    "G (p -> F q)",
    "G (\"q == 0\" | at(L))",
    "F at(M)",
    "p U (q R p)",
    "G !at(main@M)",
    "G F at(L) -> G F \"p = q\"",
    "X X !p <-> q",
    "AG EF at(L)",
    "E[p U q] & !AX q",
    "AF at(M)",
    "EG (p | q)",
    "G (at(R) -> F !at(R))",
    "AG (at(L) -> EX !q)",
    "F G q",
    "F end",
    "f@R",
];

const PROGRAM: &str =
    "decl p, q := 0; void main() begin decl x; L: while (*) do x := f(p); q := x != q; od if (q) then M: skip; fi end
    bool f(a) begin R: if (a & *) then a := f(!a); fi return a; end";

/// Explicit and symbolic engine say the same of a small program.
fn agree(query: &Query) -> Result<bool, String> {
    let program = read("bp", PROGRAM);
    let checker = Checker::new(&program);
    let limits = Limits::none().with_patience(3_000).with_effort(3_000).with_timeout(Duration::from_millis(500));
    let verdicts = [Engine::Expand(None), Engine::Tabulate(tabulate::Options::default())].map(|engine| {
        let report = checker.check(query, engine, &limits, &mut |_| ());
        match report.map(|report| report.verdict) {
            Ok(verdict) => Ok(verdict),
            Err(epitome::CheckError::NoSuchPlace { .. } | epitome::CheckError::NotSupported(_)) => {
                Ok(Verdict::Unknown(epitome::limits::Reason::Patience))
            }
            Err(error) => Err(format!("{query}, {engine:?}: {error}")),
        }
    });
    let [first, second] = verdicts;
    match (first?, second?) {
        (Verdict::Unknown(_), _) | (_, Verdict::Unknown(_)) => Ok(false),
        (first, second) => ensure(first == second, || format!("{query}: {first:?} and {second:?}")).map(|()| true),
    }
}
