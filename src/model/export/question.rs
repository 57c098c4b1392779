//! A question about a machine as a Boolean program: what is looked for becomes what must not be reached.

use super::TooLarge;
use super::to_bp::to_bp;
use crate::model::{Ersm, Failure, Goal, Node, NodeId, Owner, ProcId, Procedure, Vertex};
use crate::syntax::bp::Program;

/// The program in which a label of failure can be reached exactly if something of the goal can, in the machine.
///
/// ```
/// use epitome::model::{Goal, NodeSet, build_bp, export::question};
/// use epitome::syntax::{Source, bp};
/// let (program, _) = bp::parse(&Source::new("a.bp", "void main() begin assert(0); end")).unwrap();
/// let (ersm, _) = build_bp(&program);
/// let nothing = Goal { targets: NodeSet::new(&ersm), calls: Vec::new(), all: false };
/// assert!(!bp::print(&question(&ersm, &nothing).unwrap()).contains("ERROR"));
/// ```
pub fn question(ersm: &Ersm, goal: &Goal) -> Result<Program, TooLarge> {
    let mut asked = ersm.clone();
    asked.failures.clear();
    for (id, procedure) in ersm.procedures() {
        let nodes = (0..procedure.nodes.len()).map(NodeId::from);
        let targets = nodes.filter(|&node| goal.targets.contains(id, node));
        asked.failures.extend(targets.map(|node| Failure { procedure: id, node }));
        let called = fail_instead(&mut asked.procedures[id.index()], &goal.calls);
        asked.failures.extend(called.map(|node| Failure { procedure: id, node }));
    }
    to_bp(&asked)
}

/// Leads calls of these procedures to a node instead, if there are any.
fn fail_instead(procedure: &mut Procedure, calls: &[ProcId]) -> Option<NodeId> {
    let node = NodeId::from(procedure.nodes.len());
    let boxes = &procedure.boxes;
    let is_looked_for = |to: Vertex| matches!(to, Vertex::Call(site, _) if calls.contains(&boxes[site.index()].callee));
    let mut found = None;
    for edge in procedure.edges.iter_mut().filter(|edge| is_looked_for(edge.to)) {
        edge.to = Vertex::Node(node);
        found = Some(node);
    }
    if found.is_some() {
        procedure.nodes.push(Node { propositions: Box::default(), owner: Owner::System, span: procedure.span });
    }
    found
}
