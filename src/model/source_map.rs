//! The way back from the model to the source: which place of the program a node stands for.

use super::ersm::Vertex;
use super::run::Run;
use crate::syntax::Place;

/// A run in source terms.
pub type SourceRun = Run<Place>;

/// For each node of each procedure its place in the source; `None` for nodes that only the model has.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    /// Places of nodes, by procedure and node.
    pub places: Vec<Vec<Option<Place>>>,
    /// Ports are places of the source (machines) or not (programs).
    pub ports: bool,
}

impl SourceMap {
    /// The place of a node.
    pub fn place(&self, procedure: usize, node: usize) -> Option<Place> {
        self.places[procedure][node]
    }

    /// The place of a vertex.
    pub fn place_of(&self, procedure: u32, vertex: Vertex) -> Option<Place> {
        match vertex {
            Vertex::Node(node) => self.places[procedure as usize][node.index()],
            Vertex::Call(site, entry) if self.ports => Some(Place::Port(site.0, entry)),
            Vertex::Call(..) | Vertex::Return(..) => None,
        }
    }

    /// Lifts a run of the model to a run of the source.
    pub fn lift(&self, run: &Run<Vertex>) -> SourceRun {
        run.lift(|procedure, vertex| self.place_of(procedure, *vertex))
    }
}
