//! Where clauses go, and the value they become if they go nowhere else.
//!
//! Encoders own no clauses: they hand each one to a sink, so that the same encoder fills a value, a file
//! or a live solver. Literals are those of the DIMACS format: a variable's number from 1, negative where
//! the variable is false.

/// Takes clauses. Any closure over `&[i32]` is one.
///
/// ```
/// use epitome_encodings::{Clauses, Cnf};
/// let (mut cnf, mut longest) = (Cnf::default(), 0);
/// for clause in [&[1, -2][..], &[2]] {
///     cnf.add(clause);
///     (|clause: &[i32]| longest = longest.max(clause.len())).add(clause);
/// }
/// assert_eq!((cnf.len(), cnf.variables(), longest), (2, 2, 2));
/// ```
pub trait Clauses {
    /// Takes a clause: one of these literals is true.
    fn add(&mut self, clause: &[i32]);
}

impl<F: FnMut(&[i32])> Clauses for F {
    fn add(&mut self, clause: &[i32]) {
        self(clause);
    }
}

/// A formula in conjunctive normal form, as a value. All literals are in one list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cnf {
    literals: Vec<i32>,
    /// Where each clause ends.
    ends: Vec<usize>,
    variables: u32,
}

impl Cnf {
    /// Number of clauses.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// No clauses: always true.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Number of variables: the largest that occurs or was announced.
    pub fn variables(&self) -> u32 {
        self.variables
    }

    /// There are at least so many variables, though some may occur in no clause.
    pub fn announce(&mut self, variables: u32) {
        self.variables = self.variables.max(variables);
    }

    /// The clauses, in order.
    pub fn clauses(&self) -> impl Iterator<Item = &[i32]> {
        let starts = [0].into_iter().chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.literals[start..end])
    }

    /// Hands all clauses to another sink.
    pub fn copy_to(&self, sink: &mut (impl Clauses + ?Sized)) {
        self.clauses().for_each(|clause| sink.add(clause));
    }

    /// Every clause has a literal that is true.
    pub fn is_true(&self, literal: impl Fn(i32) -> bool) -> bool {
        self.clauses().all(|clause| clause.iter().any(|&l| literal(l)))
    }
}

impl Clauses for Cnf {
    fn add(&mut self, clause: &[i32]) {
        self.literals.extend_from_slice(clause);
        self.ends.push(self.literals.len());
        self.announce(clause.iter().map(|literal| literal.unsigned_abs()).max().unwrap_or(0));
    }
}

/// Takes clauses and keeps only their number, for headers that must be written before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counter {
    /// Number of clauses.
    pub clauses: usize,
    /// The largest variable.
    pub variables: u32,
}

impl Clauses for Counter {
    fn add(&mut self, clause: &[i32]) {
        self.clauses += 1;
        self.variables = clause.iter().fold(self.variables, |most, literal| most.max(literal.unsigned_abs()));
    }
}
