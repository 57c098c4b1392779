//! Tests of the reader: the programs that texts become, and the places that errors name. Whether the
//! programs answer as the clauses do is tested with the engines.

use super::parse;
use crate::syntax::{Source, bp};

fn program(text: &str) -> String {
    let source = Source::new("t.smt2", text);
    match parse(&source) {
        Ok((program, _)) => bp::print(&program),
        Err(errors) => panic!("{}", errors[0].render(&source)),
    }
}

/// The first error, and how many there are.
fn errors(text: &str) -> (String, usize) {
    let source = Source::new("t.smt2", text);
    let errors = parse(&source).expect_err(text);
    (errors[0].render(&source), errors.len())
}

#[test]
fn results_bind_variables_and_equations_assign() {
    let text = "(set-logic HORN)
        (declare-fun P (Bool Bool) Bool)
        (assert (forall ((x Bool) (y Bool)) (=> (and (= y (not x)) (or x y)) (P x y))))
        (assert (forall ((x Bool) (y Bool) (z Bool)) (=> (and (P x y) (P y z) (not (= x z))) false)))
        (check-sat)";
    let expected = "bool<2> P() begin
  decl y;
  decl x;
  x := !y;
  assume(x | y);
  clause1: return x, y;
end

void main() begin
  decl x;
  decl y;
  decl result;
  decl z;
  x, y := P();
  result, z := P();
  assume(x != z & result = y);
  clause2: assert(0);
end
";
    assert_eq!(program(text), expected);
}

#[test]
fn what_is_printed_is_read_again() {
    let text = "(declare-fun |a b| (Bool) Bool) (declare-fun main () Bool) (declare-fun T (Bool) Bool)
        (assert (forall ((F Bool) (|x}| Bool)) (=> (and (|a b| F) main) (T |x}|))))
        (assert main) (assert (=> (and main (T true)) false))";
    let printed = program(text);
    let (again, _) =
        bp::parse(&Source::new("t.bp", printed.clone())).unwrap_or_else(|e| panic!("{}\n{printed}", e[0].message));
    assert_eq!(bp::print(&again), printed);
}

#[test]
fn clauses_in_other_forms() {
    let declared = "(declare-fun P (Bool) Bool) (declare-fun Q () Bool)";
    let forms = [
        "(assert (forall ((x Bool)) (or (not (P x)) (not x) Q)))",
        "(assert (forall ((x Bool)) (=> (P x) x Q)))",
        "(assert (forall ((x Bool)) (=> (P x) (=> x Q))))",
        "(assert (=> (exists ((x Bool)) (and (P x) x)) Q))",
        "(assert (forall ((x Bool)) (=> (and (P x) (and x (! true :named t))) Q)))",
        "(define-fun both ((a Bool) (b Bool)) Bool (and a b)) (assert (forall ((x Bool)) (=> (both (P x) x) Q)))",
        "(declare-var x Bool) (rule (=> (and (P x) x) Q))",
    ];
    let expected = program(&format!("{declared}{}", forms[0]));
    assert!(expected.contains("x := P();\n  assume(x);\n  clause1: return;"), "{expected}");
    for form in forms {
        assert_eq!(program(&format!("{declared}{form}")), expected, "{form}");
    }
    let queries = [
        "(assert (forall ((x Bool)) (=> (and (P x) x) false)))",
        "(assert (not (exists ((x Bool)) (and (P x) x))))",
        "(assert (forall ((x Bool)) (=> (P x) (not x))))",
        "(declare-var x Bool) (query (and (P x) x))",
    ];
    let expected = program(&format!("{declared}{}", queries[0]));
    assert!(expected.contains("x := P();\n  assume(x);\n  clause1: assert(0);"), "{expected}");
    for query in queries {
        assert_eq!(program(&format!("{declared}{query}")), expected, "{query}");
    }
}

#[test]
fn disjunctions_of_predicates_are_clauses_of_their_own() {
    let text = "(declare-fun P () Bool) (declare-fun Q () Bool) (declare-fun R () Bool)
        (assert (=> (or P Q) R)) (assert (= P Q)) (assert (=> true (and P Q)))";
    let printed = program(text);
    for count in 1..=6 {
        assert!(printed.contains(&format!("clause{count}:")), "{printed}");
    }
    assert!(!printed.contains("clause7:"), "{printed}");
}

#[test]
fn shadowing_and_parallel_lets() {
    let text = "(declare-fun P (Bool Bool) Bool)
        (assert (forall ((x Bool) (y Bool)) (=> (let ((x y) (y x)) (let ((x (not x))) (and x (not y)))) (P x y))))";
    // x is the outer y there, negated, and y the outer x.
    assert!(program(text).contains("y, x := 0, 0;"), "{}", program(text));
    let text = "(declare-fun P (Bool) Bool)
        (assert (forall ((x Bool)) (=> (exists ((x Bool)) (and (P x) x)) (P x))))";
    assert!(program(text).contains("x := P();\n  assume(x);\n  clause1: return x_2;"), "{}", program(text));
}

#[test]
fn nested_lets_stay_linear() {
    let size = |depth: usize| {
        let level = |i: usize| format!("(let ((a{} (or (xor a{i} b) (and a{i} (not b))))) ", i + 1);
        let lets: String = (0..depth).map(level).collect();
        let body = format!("{lets}a{depth}{}", ")".repeat(depth));
        program(&format!("(declare-fun P () Bool) (assert (forall ((a0 Bool) (b Bool)) (=> {body} P)))")).len()
    };
    let (small, large) = (size(100), size(200));
    assert!(large < 3 * small && large < 100_000, "{small} {large}");
}

#[test]
fn errors_name_the_place() {
    let cases = [
        ("(declare-fun P (Int) Bool)", "t.smt2:1:17", "Epitome decides Booleans only"),
        ("(declare-fun P ((Array Int Bool)) Bool)", "t.smt2:1:17", "(Array Int Bool)"),
        ("(assert (forall ((x Real)) true))", "t.smt2:1:21", "`Real`"),
        ("(declare-fun f (Bool) Int)", "t.smt2:1:23", "`Int`"),
        ("(declare-fun P () Bool)\n(assert (or P (not Q)))", "t.smt2:2:20", "unknown"),
        ("(declare-fun P () Bool)(declare-fun Q () Bool)\n(assert (or P Q))", "t.smt2:2:15", "Horn"),
        ("(declare-fun P (Bool) Bool)\n(assert (=> (forall ((x Bool)) (P x)) false))", "t.smt2:2:13", "quantifier"),
        ("(declare-fun P (Bool) Bool)\n(assert (P true false))", "t.smt2:2:9", "1 argument, not 2"),
        ("(declare-fun P (Bool) Bool)\n(assert (P (P true)))", "t.smt2:2:9", "argument"),
        ("(assert (> 1 2))", "t.smt2:1:10", "`>`"),
        ("(assert (= 1 2))", "t.smt2:1:12", "not Boolean"),
        ("(set-logic QF_LIA)", "t.smt2:1:1", "HORN"),
        ("(assert", "t.smt2:1:1", "never closed"),
        ("(check-sat))", "t.smt2:1:12", "closes nothing"),
        ("(assert |x", "t.smt2:1:9", "never closed"),
        ("(push 1)", "t.smt2:1:2", "push"),
        ("(asert true)", "t.smt2:1:2", "did you mean `assert`?"),
        ("(declare-fun P () Bool) (declare-fun P () Bool)", "t.smt2:1:25", "twice"),
        ("(assert (let ((x)) x))", "t.smt2:1:15", "binds no name"),
        ("(assert ())", "t.smt2:1:9", "empty"),
        ("42", "t.smt2:1:1", "no command"),
        ("(define-fun f () Bool (exists ((x Bool)) x))", "t.smt2:1:23", "quantifier"),
    ];
    for (text, place, message) in cases {
        let (error, _) = errors(text);
        assert!(error.contains(place) && error.contains(message), "{text}:\n{error}");
    }
    assert_eq!(errors("(assert (f x))\n(push)\n(declare-const c Int)").1, 3);
}

#[test]
fn exponential_texts_are_refused_or_read() {
    let both: String = (0..40).map(|i| format!("(or P{i} Q{i})")).collect();
    let declared: String = (0..40).map(|i| format!("(declare-fun P{i} () Bool)(declare-fun Q{i} () Bool)")).collect();
    let (error, _) = errors(&format!("{declared}(assert (=> (and {both}) false))"));
    assert!(error.contains("too many clauses"), "{error}");
    let mut text = "(define-fun f0 ((x Bool) (y Bool)) Bool (xor x y))".to_owned();
    for level in 1..60 {
        let before = level - 1;
        text += &format!(
            "(define-fun f{level} ((x Bool) (y Bool)) Bool (and (f{before} (and x y) x) (f{before} y (or x y))))"
        );
    }
    text += "(declare-fun P () Bool)(assert (forall ((x Bool) (y Bool)) (=> (f59 x y) P)))";
    let (error, _) = errors(&text);
    assert!(error.contains("too large"), "{error}");
}
