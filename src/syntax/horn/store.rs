//! Terms over Bool, shared and hashed: what `let` binds, and whatever else is equal, is there once. Negation
//! is a bit of the reference, so that `or` and `=>` are conjunctions and `xor` is an equality.

use crate::syntax::source::Span;
use rustc_hash::FxHashMap;
use std::ops::Not;

/// A node of a [`Store`] or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Term(u32);

impl Term {
    pub(super) const TRUE: Term = Term(0);
    pub(super) const FALSE: Term = Term(1);

    pub(super) fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    pub(super) fn negate_if(self, condition: bool) -> Term {
        Term(self.0 ^ u32::from(condition))
    }

    /// Index of the node.
    pub(super) fn index(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// The node itself, without negation.
    pub(super) fn positive(self) -> Term {
        Term(self.0 & !1)
    }
}

impl Not for Term {
    type Output = Term;
    fn not(self) -> Term {
        self.negate_if(true)
    }
}

/// What a node says.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Node {
    True,
    Var(u32),
    /// A predicate of these arguments.
    Atom(u32, Box<[Term]>),
    And(Box<[Term]>),
    Equal(Term, Term),
    If(Term, Term, Term),
    /// `forall` (true) or `exists` of a term; the variables have their own numbers.
    Quantified(bool, Term),
}

/// Terms of one assertion.
pub(super) struct Store {
    nodes: Vec<Node>,
    /// By term: where it stands first.
    spans: Vec<Span>,
    /// There is an atom or a quantifier in it.
    structured: Vec<bool>,
    index: FxHashMap<Node, u32>,
    /// Names of the variables, by number.
    pub(super) variables: Vec<String>,
}

impl Store {
    pub(super) fn new() -> Store {
        Store {
            nodes: vec![Node::True],
            spans: vec![Span::default(); 2],
            structured: vec![false],
            index: FxHashMap::default(),
            variables: Vec::new(),
        }
    }

    pub(super) fn node(&self, term: Term) -> &Node {
        &self.nodes[term.index()]
    }

    /// Where the term stands first, or else its negation; nowhere for variables and constants, which stand in
    /// many places, and for what only a definition says.
    pub(super) fn span(&self, term: Term) -> Option<Span> {
        [term, !term].into_iter().map(|term| self.spans[term.0 as usize]).find(|span| span.end > 0)
    }

    /// The term stands here, unless it stood somewhere before.
    pub(super) fn place(&mut self, term: Term, span: Span) {
        let place = &mut self.spans[term.0 as usize];
        if place.end == 0 && !matches!(self.nodes[term.index()], Node::True | Node::Var(_)) {
            *place = span;
        }
    }

    /// The term is more than a constraint.
    pub(super) fn is_structured(&self, term: Term) -> bool {
        self.structured[term.index()]
    }

    /// The terms that a node is made of.
    pub(super) fn parts(&self, index: usize) -> impl Iterator<Item = Term> + '_ {
        let (list, single): (&[Term], [Option<Term>; 3]) = match &self.nodes[index] {
            Node::True | Node::Var(_) => (&[], [None; 3]),
            Node::Atom(_, list) | Node::And(list) => (list, [None; 3]),
            Node::Equal(a, b) => (&[], [Some(*a), Some(*b), None]),
            Node::If(c, a, b) => (&[], [Some(*c), Some(*a), Some(*b)]),
            Node::Quantified(_, body) => (&[], [Some(*body), None, None]),
        };
        list.iter().copied().chain(single.into_iter().flatten())
    }

    /// A new variable.
    pub(super) fn variable(&mut self, name: impl Into<String>) -> Term {
        self.variables.push(name.into());
        self.insert(Node::Var(self.variables.len() as u32 - 1))
    }

    /// The variable with this number, if a term has it.
    pub(super) fn find_variable(&self, number: u32) -> Option<Term> {
        self.index.get(&Node::Var(number)).map(|index| Term(index << 1))
    }

    pub(super) fn atom(&mut self, predicate: u32, arguments: &[Term]) -> Term {
        self.insert(Node::Atom(predicate, arguments.into()))
    }

    pub(super) fn quantified(&mut self, forall: bool, body: Term) -> Term {
        if body.index() == 0 { body } else { self.insert(Node::Quantified(forall, body)) }
    }

    pub(super) fn and(&mut self, terms: &[Term]) -> Term {
        if terms.contains(&Term::FALSE) {
            return Term::FALSE;
        }
        let kept: Vec<Term> = terms.iter().copied().filter(|&term| term != Term::TRUE).collect();
        match kept.as_slice() {
            [] => Term::TRUE,
            [term] => *term,
            _ => self.insert(Node::And(kept.into())),
        }
    }

    pub(super) fn or(&mut self, terms: &[Term]) -> Term {
        let negated: Vec<Term> = terms.iter().map(|&term| !term).collect();
        !self.and(&negated)
    }

    pub(super) fn equal(&mut self, a: Term, b: Term) -> Term {
        let negated = a.is_negated() != b.is_negated();
        let (a, b) = (a.positive().min(b.positive()), a.positive().max(b.positive()));
        let equal = match (a, b) {
            _ if a == b => Term::TRUE,
            (Term::TRUE, _) => b,
            _ => self.insert(Node::Equal(a, b)),
        };
        equal.negate_if(negated)
    }

    pub(super) fn if_then_else(&mut self, condition: Term, then: Term, otherwise: Term) -> Term {
        let (then, otherwise) = if condition.is_negated() { (otherwise, then) } else { (then, otherwise) };
        let condition = condition.positive();
        match (condition, then, otherwise) {
            (Term::TRUE, ..) => then,
            _ if then == otherwise => then,
            (_, Term::TRUE, _) => self.or(&[condition, otherwise]),
            (_, Term::FALSE, _) => self.and(&[!condition, otherwise]),
            (_, _, Term::TRUE) => self.or(&[!condition, then]),
            (_, _, Term::FALSE) => self.and(&[condition, then]),
            _ => self.insert(Node::If(condition, then, otherwise)),
        }
    }

    fn insert(&mut self, node: Node) -> Term {
        if let Some(&index) = self.index.get(&node) {
            return Term(index << 1);
        }
        let index = self.nodes.len();
        self.index.insert(node.clone(), index as u32);
        let is_structure = matches!(node, Node::Atom(..) | Node::Quantified(..));
        self.nodes.push(node);
        self.spans.extend([Span::default(); 2]);
        let structured = is_structure || self.parts(index).any(|part| self.structured[part.index()]);
        self.structured.push(structured);
        Term((index as u32) << 1)
    }

    /// A term of another store with terms of this one in place of its variables. What it is made of stands
    /// nowhere here; predicates stand where the whole does.
    pub(super) fn instance(&mut self, from: &Store, term: Term, arguments: &[Term], span: Span) -> Term {
        // Parts are older than what they are part of, so that one pass in order is enough.
        let mut needed = vec![false; term.index() + 1];
        needed[term.index()] = true;
        for index in (0..=term.index()).rev().filter(|&index| index > 0) {
            if needed[index] {
                from.parts(index).for_each(|part| needed[part.index()] = true);
            }
        }
        let mut copies = vec![Term::TRUE; term.index() + 1];
        for index in (1..=term.index()).filter(|&index| needed[index]) {
            let copy = |part: &Term| copies[part.index()].negate_if(part.is_negated());
            copies[index] = match &from.nodes[index] {
                Node::True => Term::TRUE,
                Node::Var(number) => arguments.get(*number as usize).copied().unwrap_or(Term::TRUE),
                Node::Atom(predicate, list) => {
                    let list: Vec<Term> = list.iter().map(copy).collect();
                    let atom = self.atom(*predicate, &list);
                    self.place(atom, span);
                    atom
                }
                Node::And(list) => {
                    let list: Vec<Term> = list.iter().map(copy).collect();
                    self.and(&list)
                }
                Node::Equal(a, b) => self.equal(copy(a), copy(b)),
                Node::If(c, a, b) => self.if_then_else(copy(c), copy(a), copy(b)),
                Node::Quantified(forall, body) => self.quantified(*forall, copy(body)),
            };
        }
        copies[term.index()].negate_if(term.is_negated())
    }
}
