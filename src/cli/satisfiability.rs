//! `epitome generate ctlsat FORMULA`: the satisfiability of CTL as a question about an open system (Kupferman, Theorem 3.1).
//!
//! The module is a clique, each of whose states has a ghost, where the environment chooses what holds ([`ghosts`]). A tree of it that satisfies the formula,
//! read so that an atom is what the ghost says and quantifiers range over runs without ghosts, is a model of the formula, and if there is
//! a model there is one with as many children of a node as the formula has existential quantifiers, and one. So the formula is satisfiable exactly if the module
//! does not satisfy the negation of what it is read as.

use super::BadInput;
use crate::syntax::rsm::KEYWORDS;
use epitome_automata::{Binary, Formula, Formulas, Logic, Node, Unary, parse_in};
use epitome_benchmarks::ghosts;

/// The program of a formula, with the question in a comment.
pub(super) fn program(text: &str) -> anyhow::Result<String> {
    let mut formulas = Formulas::default();
    let parsed = parse_in(Logic::Ctl, text, &mut formulas).map_err(|error| BadInput(format!("{text}: {error}")))?;
    let atoms: Vec<String> = (1..).zip(formulas.atoms()).map(|(number, atom)| proposition(atom, number)).collect();
    let branching = 1 + existential(&formulas, parsed.formula);
    let mut question = Formulas::default();
    let read = haunted(&formulas, parsed.formula, &atoms, &mut question);
    let negation = question.add(Node::Unary(Unary::Not, read));
    let (shown, asked) = (formulas.show(parsed.formula), question.show(negation));
    let machine = ghosts(branching, &atoms);
    let renamed = formulas.atoms().iter().zip(&atoms).filter(|(atom, own)| atom != own);
    let renamed: String = renamed.map(|(atom, own)| format!("// {own}: the atom {atom:?}\n")).collect();
    Ok(format!(
        "// family: ctlsat, an open system (check --open): FALSE says that the formula is satisfiable, TRUE that it is not\n\
         // formula: {shown}\n// source: Kupferman, Vardi, Wolper, Theorem 3.1\n{renamed}// ctl: {asked}\n\n{machine}"
    ))
}

/// The proposition for an atom: its name, unless the module's language or the module itself has another use for it.
fn proposition(atom: &str, number: usize) -> String {
    let plain = atom.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let is_name = plain && atom.starts_with(|first: char| first.is_ascii_alphabetic());
    let is_numbered =
        |name: &str| atom.strip_prefix(name).is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()));
    let is_taken = KEYWORDS.contains(&atom)
        || ["end", "hell", "Ghosts"].contains(&atom)
        || ["s", "ghost", "atom"].into_iter().any(is_numbered)
        || atom.starts_with("heaven_");
    if is_name && !is_taken { atom.to_owned() } else { format!("atom{number}") }
}

/// Quantifiers of runs that must exist.
fn existential(formulas: &Formulas, formula: Formula) -> usize {
    let is_asked = |&(part, [yes, no]): &(Formula, [bool; 2])| match formulas.node(part) {
        Node::Unary(Unary::Exists, _) => yes,
        Node::Unary(Unary::Forall, _) => no,
        _ => false,
    };
    formulas.polarities(formula).iter().filter(|part| is_asked(part)).count()
}

/// The formula about the module with ghosts.
fn haunted(formulas: &Formulas, formula: Formula, atoms: &[String], out: &mut Formulas) -> Formula {
    let ghost = out.atom("ghost");
    let ghost = out.add(Node::Atom(ghost));
    let lives = out.add(Node::Unary(Unary::Not, ghost));
    let mut images: Vec<Option<Formula>> = vec![None; formula.index() + 1];
    for part in formulas.parts(formula) {
        let of = |side: Formula| images[side.index()].unwrap_or(side);
        let image = match formulas.node(part) {
            Node::Constant(value) => out.add(Node::Constant(value)),
            Node::Atom(atom) => {
                let own = out.atom(&atoms[atom.0 as usize]);
                let mut image = out.add(Node::Atom(own));
                for _ in 0..2 {
                    let next = out.add(Node::Unary(Unary::Next, image));
                    image = out.add(Node::Unary(Unary::Exists, next));
                }
                image
            }
            Node::Unary(Unary::Not, inner) => out.add(Node::Unary(Unary::Not, of(inner))),
            // Some run that never meets a ghost, or all runs that do not.
            Node::Unary(quantifier @ (Unary::Exists | Unary::Forall), inner) => {
                let alive = |side: Formula, out: &mut Formulas| match quantifier {
                    Unary::Exists => out.add(Node::Binary(Binary::And, lives, of(side))),
                    _ => out.add(Node::Binary(Binary::Or, ghost, of(side))),
                };
                let path = match formulas.node(inner) {
                    Node::Unary(operator, inner) => Node::Unary(operator, alive(inner, out)),
                    Node::Binary(operator, left, right) => Node::Binary(operator, alive(left, out), alive(right, out)),
                    other => other,
                };
                let path = out.add(path);
                out.add(Node::Unary(quantifier, path))
            }
            // What stands behind a quantifier is seen to there.
            Node::Unary(..) => continue,
            Node::Binary(operator, left, right) => match operator {
                Binary::Until | Binary::WeakUntil | Binary::Release | Binary::StrongRelease => continue,
                _ => out.add(Node::Binary(operator, of(left), of(right))),
            },
        };
        images[part.index()] = Some(image);
    }
    images[formula.index()].unwrap_or(formula)
}
