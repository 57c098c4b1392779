//! DIMACS files both ways: what is out there is read, what is wrong is said with its line, and nothing panics.

use epitome_encodings::dimacs::{read, write};
use epitome_encodings::{Clauses, Cnf};

fn clauses(text: &str) -> Result<(u32, Vec<Vec<i32>>), String> {
    let cnf = read(text.as_bytes()).map_err(|error| error.to_string())?;
    Ok((cnf.variables(), cnf.clauses().map(<[i32]>::to_vec).collect()))
}

#[test]
fn forms_that_are_out_there() {
    let cases: [(&str, u32, &[&[i32]]); 9] = [
        ("p cnf 0 0\n", 0, &[]),
        ("p cnf 0 1\n0\n", 0, &[&[]]),
        ("c a comment\nc\ncomment\np cnf 3 2\n1 -3 0\nc inside\n2 3 -1 0\n", 3, &[&[1, -3], &[2, 3, -1]]),
        ("p cnf 3 2\n1\n-3\n0 2 3\n-1 0", 3, &[&[1, -3], &[2, 3, -1]]),
        ("p cnf 2 3\n1 0 2 0 0", 2, &[&[1], &[2], &[]]),
        // SATLIB: blanks before and after, and a trailer.
        ("c uf\np cnf 2  1 \n 1 -2 0\n%\n0\n\n", 2, &[&[1, -2]]),
        ("  p   cnf\t2 1\r\n1 2 0\r\n", 2, &[&[1, 2]]),
        ("p cnf 5 1\n\n\n1 1 -1 0\n", 5, &[&[1, 1, -1]]),
        ("p cnf 2147483647 1\n-2147483647 0\n", 2147483647, &[&[-2147483647]]),
    ];
    for (text, variables, expected) in cases {
        let expected = expected.iter().map(|clause| clause.to_vec()).collect();
        assert_eq!(clauses(text), Ok((variables, expected)), "{text:?}");
    }
}

#[test]
fn errors_have_their_lines() {
    let cases = [
        ("", "line 1: there is no line `p cnf VARIABLES CLAUSES` before the clauses"),
        ("c only\n1 0\n", "line 2: there is no line `p cnf VARIABLES CLAUSES` before the clauses"),
        ("p dnf 1 1\n", "line 1: expected `p cnf VARIABLES CLAUSES`, found `p dnf 1 1`"),
        ("p cnf 1\n", "line 1: expected `p cnf VARIABLES CLAUSES`, found `p cnf 1`"),
        ("p cnf -1 1\n", "line 1: expected `p cnf VARIABLES CLAUSES`, found `p cnf -1 1`"),
        ("p cnf 2147483648 0\n", "line 1: expected `p cnf VARIABLES CLAUSES`, found `p cnf 2147483648 0`"),
        ("p cnf 1 1\np cnf 1 1\n", "line 2: a second header; a file has one formula"),
        ("p cnf 1 1\n\n1 a 0\n", "line 3: expected a literal or 0, found `a`"),
        ("p cnf 1 1\n99999999999 0\n", "line 2: expected a literal or 0, found `99999999999`"),
        ("p cnf 1 1\n1 -2 0\n", "line 2: literal -2, but the header says 1 variables"),
        ("p cnf 1 2\n1 0\n", "line 3: the header says 2 clauses, but there are 1"),
        ("p cnf 1 1\n1 0\n-1 0\n-1 0\n", "line 3: the header says 1 clauses, but there are at least 2"),
        ("p cnf 1 1\n1\n", "line 3: the last clause is not ended by 0"),
    ];
    for (text, expected) in cases {
        assert_eq!(clauses(text), Err(expected.to_owned()), "{text:?}");
    }
    let error = read(&b"p cnf 1 1\n\xff\xfe 0\n"[..]).expect_err("no text").to_string();
    assert_eq!(error, "line 2: expected a literal or 0, found `\u{fffd}\u{fffd}`");
    let long = format!("p cnf 1 1\n{}\n", "9".repeat(1_000_000));
    assert!(clauses(&long).expect_err("no number").len() < 100);
}

/// What is written is read again, clause by clause.
#[test]
fn round_trip() {
    let mut state = 3u32;
    let mut next = |bound: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state / 65_536 % bound
    };
    for _ in 0..200 {
        let mut cnf = Cnf::default();
        for _ in 0..next(20) {
            let clause: Vec<i32> =
                (0..next(5)).map(|_| (next(9) as i32 + 1) * if next(2) == 0 { 1 } else { -1 }).collect();
            cnf.add(&clause);
        }
        cnf.announce(next(12));
        let mut text = Vec::new();
        write(&mut text, ["p cnf 1 1", "%"], &cnf).expect("a list takes all");
        assert_eq!(read(&text[..]).expect("what was written"), cnf);
    }
}

/// Every prefix of a file, and the file with any byte replaced, is read or refused.
#[test]
fn mutations_do_not_panic() {
    let text = b"c x\np cnf 3 2\n1 -3 0\n2 3\n-1 0\n%\n0\n";
    for place in 0..text.len() {
        let _ = read(&text[..place]);
        for byte in [0, b'-', b'0', b'9', b' ', b'\n', b'p', b'c', b'%', 255] {
            let mut changed = text.to_vec();
            changed[place] = byte;
            if let Ok(cnf) = read(&changed[..]) {
                assert!(cnf.clauses().flatten().all(|l| l.unsigned_abs() <= cnf.variables()));
            }
        }
    }
}
