//! The text of a certificate: whatever it is, there is a message and no panic.

use crate::{program, written};
use epitome::Checker;
use epitome::certify::{CertificateError, Finding, read};
use epitome::limits::Limits;
use epitome::logic::Query;
use epitome::solver::SolverName;
use epitome::syntax::Language;
use epitome_benchmarks::SplitMix64;

const PROGRAM: &str = "decl g;
    void main() begin decl i; i := 0; while (*) do i := id(i); od assert(!i); end
    bool id(g) begin return g; end";

/// A proof of it.
const CERTIFICATE: &str = r#"{
  "schema": "epitome-certificate/1",
  "file": "program",
  "property": "unreach-call",
  "solver": "batsat",
  "procedures": [
    {"procedure": "main", "number": 0, "cuts": [{"node":2,"line":2}],
     "never": [
      {"places":["failure"]},
      {"places":["cut 0"],"after":{"i":true}}
     ]},
    {"procedure": "id", "number": 1, "cuts": [],
     "never": [
      {"before":{"g@1":false},"places":["exit 0"],"after":{"result1":true}}
     ]}
  ]
}
"#;

/// The text, whether it is a certificate, and whether it is a proof.
fn accepts(text: &str) -> Result<bool, CertificateError> {
    let program = program(PROGRAM, Language::Bp);
    let checker = Checker::new(&program);
    let certificate = read(text, checker.ersm())?;
    let found = checker.certify(&Query::Failures, &certificate.proof, SolverName::Cadical, &Limits::none());
    Ok(found.finding == Finding::Valid)
}

#[test]
fn cut_short_or_garbled() {
    let text = CERTIFICATE;
    assert_eq!(accepts(text), Ok(true), "{text}");
    // It is what would be written.
    let program = program(PROGRAM, Language::Bp);
    let checker = Checker::new(&program);
    let proof = read(text, checker.ersm()).map(|certificate| certificate.proof).unwrap_or_default();
    assert_eq!(written(&checker, PROGRAM, &Query::Failures, &proof), text);
    for end in 0..text.trim_end().len() {
        assert!(accepts(&text[..end]).is_err(), "{}", &text[..end]);
    }
    let mut random = SplitMix64::new(1);
    for _ in 0..2_000 {
        let mut bytes = text.as_bytes().to_vec();
        for _ in 0..1 + random.below(3) {
            let at = random.below(bytes.len() as u64) as usize;
            bytes[at] = b"{}[]\",:0123456789truefals xyg@-.\n"[random.below(33) as usize];
        }
        // It may still be a certificate, and a proof.
        let _ = accepts(&String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn deep_and_large() {
    for nested in ["[", "{\"a\":", "{\"procedures\":[", "[[{\"never\":"] {
        assert!(matches!(accepts(&nested.repeat(100_000)), Err(CertificateError::NotJson(_))), "{nested}");
    }
    assert!(accepts(&format!("{{\"schema\": \"{}\"}}", "x".repeat(1_000_000))).is_err());
}

#[test]
fn messages_name_the_place_and_give_advice() {
    let text = CERTIFICATE;
    let cases = [
        ("", "", "not a certificate"),
        ("epitome-certificate/1", "epitome-certificate/2", "expected \"epitome-certificate/1\""),
        ("\"procedures\"", "\"procedurs\"", "unknown key `procedurs`"),
        ("\"file\": \"program\"", "\"file\": 3", "file: expected a text"),
        ("\"never\"", "\"nevr\"", "procedures[0]: unknown key `nevr` (known are procedure, number, cuts, never)"),
        ("\"procedure\": \"main\"", "\"procedure\": \"mian\"", "procedure 0 of the program is `main`, not `mian`"),
        ("\"number\": 1", "\"number\": 7", "none has the number 7"),
        ("\"number\": 1", "\"number\": -1", "procedures[1]: expected the name and the number"),
        ("\"i\":", "\"j\":", "`main` has no variable `j`"),
        ("\"g@1\":", "\"g\":", "`id` has no variable `g`"),
        ("\"g@1\":false", "\"g@1\":1", "true or false"),
        ("\"exit 0\"", "\"exits 0\"", "expected places"),
        ("\"exit 0\"", "\"exit +0\"", "expected places"),
        ("\"exit 0\"", "0", "expected places"),
        ("\"node\":", "\"nod\":", "procedures[0].cuts[0]: unknown key `nod`"),
    ];
    for (from, to, message) in cases {
        assert!(text.contains(from), "{from} in\n{text}");
        let changed = if from.is_empty() { String::new() } else { text.replacen(from, to, 1) };
        let error = accepts(&changed).expect_err(to).to_string();
        assert!(error.contains(message), "{error}");
    }
}

/// What can be read but not be so is no proof.
#[test]
fn what_is_not_there() {
    let text = CERTIFICATE;
    for (from, to) in [("\"exit 0\"", "\"exit 1\""), ("\"cut 0\"", "\"cut 9\""), ("\"node\":", "\"node\":10")] {
        assert!(text.contains(from), "{from} in\n{text}");
        assert_eq!(accepts(&text.replacen(from, to, 1)), Ok(false), "{to}");
    }
}
