//! Horn clauses from an asserted term.
//!
//! A term that is asserted is a conjunction of clauses. Clauses are taken apart from the outside: a disjunction
//! (an implication, a conjunction that is negated) has its parts in one clause, a conjunction that has
//! predicates in it makes a clause of each part. What has no predicates in it is a constraint and stays as it
//! is. In a Horn clause at most one predicate is concluded.

use super::store::{Node, Store, Term};
use crate::syntax::diagnostic::Diagnostic;
use crate::syntax::source::Span;
use rustc_hash::FxHashSet;

/// A clause: where the body's predicates and constraints hold, the head holds, or `false` without one.
#[derive(Clone, Debug)]
pub(super) struct Clause {
    pub(super) head: Option<Term>,
    pub(super) body: Vec<Term>,
    pub(super) constraints: Vec<(Term, Span)>,
    /// The whole assertion.
    pub(super) span: Span,
}

/// Literals that may be copied while an assertion is taken apart: a conjunction of disjunctions of predicates
/// has exponentially many clauses.
const MOST_COPIES: usize = 1_000_000;

/// A clause and what is still to be taken apart of it: terms that are alternatives to each other.
#[derive(Clone)]
struct Open {
    clause: Clause,
    alternatives: Vec<(Term, Span)>,
    /// Terms that were alternatives already: a shared one is taken once, however often it is used.
    taken: FxHashSet<Term>,
}

/// The clauses of an assertion.
pub(super) fn of_assertion(store: &Store, asserted: Term, span: Span) -> Result<Vec<Clause>, Diagnostic> {
    let clause = Clause { head: None, body: Vec::new(), constraints: Vec::new(), span };
    let mut open = vec![Open { clause, alternatives: vec![(asserted, span)], taken: FxHashSet::default() }];
    let mut clauses = Vec::new();
    let mut copies = 0;
    while let Some(mut work) = open.pop() {
        let Some((term, place)) = work.alternatives.pop() else {
            clauses.push(work.clause);
            continue;
        };
        if !work.taken.insert(term) {
            open.push(work);
            continue;
        }
        // Each way is one clause, with these alternatives in place of the term.
        let ways = match work.take(store, term, place)? {
            Taken::Done => None,
            Taken::Never => continue,
            Taken::Ways(ways) => Some(ways),
        };
        match ways.as_deref() {
            None => open.push(work),
            Some([only]) => {
                work.alternatives.extend(only);
                open.push(work);
            }
            Some(ways) => {
                copies += ways.len() * (work.alternatives.len() + work.taken.len() + 1);
                if copies > MOST_COPIES {
                    let message = "this assertion has too many clauses when its disjunctions are taken apart";
                    return Err(Diagnostic::error(place, message, "one of them is here")
                        .with_help("give the disjunction a predicate of its own"));
                }
                for way in ways.iter().rev() {
                    let mut copy = work.clone();
                    copy.alternatives.extend(way);
                    open.push(copy);
                }
            }
        }
    }
    Ok(clauses)
}

enum Taken {
    /// The term has found its place in the clause.
    Done,
    /// The clause holds in any case.
    Never,
    Ways(Vec<Vec<(Term, Span)>>),
}

impl Open {
    fn take(&mut self, store: &Store, term: Term, place: Span) -> Result<Taken, Diagnostic> {
        // A clause needs the negations of its alternatives: these are what its text says of the body.
        let place = store.span(!term).unwrap_or(place);
        let at = |term: Term| (term, store.span(!term).unwrap_or(place));
        match term {
            Term::TRUE => return Ok(Taken::Never),
            Term::FALSE => return Ok(Taken::Done),
            _ => {}
        }
        let is_claimed = !term.is_negated();
        Ok(match store.node(term) {
            // A disjunction: all of it belongs to this clause. The last one is taken first, hence the order.
            Node::And(parts) if !is_claimed => Taken::Ways(vec![parts.iter().rev().map(|&part| at(!part)).collect()]),
            _ if !store.is_structured(term) => {
                self.clause.constraints.push((!term, place));
                Taken::Done
            }
            Node::And(parts) => Taken::Ways(parts.iter().map(|&part| vec![at(part)]).collect()),
            Node::Equal(a, b) => {
                let b = b.negate_if(!is_claimed);
                Taken::Ways(vec![vec![at(!*a), at(b)], vec![at(*a), at(!b)]])
            }
            Node::If(condition, then, otherwise) => {
                let [then, otherwise] = [then, otherwise].map(|term| term.negate_if(!is_claimed));
                Taken::Ways(vec![vec![at(!*condition), at(then)], vec![at(*condition), at(otherwise)]])
            }
            Node::Quantified(forall, body) if *forall == is_claimed => {
                Taken::Ways(vec![vec![at(body.negate_if(!is_claimed))]])
            }
            Node::Quantified(..) => {
                let message = "this quantifier is not one of a Horn clause";
                return Err(Diagnostic::error(place, message, "here").with_help(
                    "the variables of a clause are universal: `forall` around it, or `exists` in its body",
                ));
            }
            Node::Atom(..) if !is_claimed => {
                self.clause.body.push(term.positive());
                Taken::Done
            }
            Node::Atom(..) => match self.clause.head.replace(term) {
                None => Taken::Done,
                Some(first) if first == term => Taken::Done,
                Some(_) => {
                    let message = "this is not a Horn clause: it concludes more than one predicate";
                    return Err(Diagnostic::error(place, message, "one of them").with_help(
                        "a clause has the form `(=> (and predicates constraint) predicate)`, without negated predicates",
                    ));
                }
            },
            Node::True | Node::Var(_) => Taken::Done,
        })
    }
}
