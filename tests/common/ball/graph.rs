//! The control-flow graph (Ball 2.3): one vertex for each statement, and what follows it.
//!
//! What comes after a statement is handed down to it: after the last statement of a branch comes what comes
//! after its `if`, after the last statement of a loop's body comes the vertex of the `while` itself, which
//! decides again. (The paper's Next leaves loops out in words, though its loops repeat.) A label belongs to
//! the vertex of its statement, so the label of a `while` is reached each time the `while` decides.

use super::read::{Kind, Procedure, Statement};
use std::collections::HashMap;

/// A statement of a procedure by number, or [`EXIT`].
pub type Vertex = usize;

/// The end of a procedure.
pub const EXIT: Vertex = usize::MAX;

/// A statement and where control goes from it.
pub struct Successors<'t> {
    pub statement: &'t Statement,
    /// What follows it in the text: the paper's Next.
    pub next: Vertex,
    /// For `if` and `while`: where a true and a false decider lead.
    pub decided: [Vertex; 2],
}

/// The vertices of a procedure.
pub struct Graph<'t> {
    pub vertices: Vec<Successors<'t>>,
    pub first: Vertex,
    pub labels: HashMap<&'t str, Vertex>,
}

impl<'t> Graph<'t> {
    pub fn new(procedure: &'t Procedure) -> Graph<'t> {
        let mut graph = Graph { vertices: Vec::new(), first: EXIT, labels: HashMap::new() };
        graph.first = graph.sequence(&procedure.body, EXIT);
        graph
    }

    /// The first vertex of a sequence, or what comes after it if it is empty.
    fn sequence(&mut self, statements: &'t [Statement], after: Vertex) -> Vertex {
        statements.iter().rev().fold(after, |after, statement| self.statement(statement, after))
    }

    fn statement(&mut self, statement: &'t Statement, next: Vertex) -> Vertex {
        let vertex = self.vertices.len();
        self.vertices.push(Successors { statement, next, decided: [next, next] });
        self.labels.extend(statement.labels.iter().map(|label| (label.as_str(), vertex)));
        self.vertices[vertex].decided = match &statement.kind {
            Kind::If(_, yes, no) => [self.sequence(yes, next), self.sequence(no, next)],
            Kind::While(_, body) => [self.sequence(body, vertex), next],
            _ => [next, next],
        };
        vertex
    }
}
