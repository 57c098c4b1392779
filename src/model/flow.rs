//! All vertices of a machine in one numbering, for analyses of the whole machine: procedure by
//! procedure, first its nodes, then those of its ports that some transition uses. (A box has as many
//! ports as its callee has entries and exits; to number them all could be quadratic.)

use super::ersm::{BoxId, Ersm, NodeId, ProcId, Procedure, Vertex};
use std::ops::Range;

/// The numbering.
#[derive(Clone, Debug)]
pub struct Flow {
    /// First vertex of each procedure, and one past the last.
    base: Vec<u32>,
    /// First port of each procedure.
    first_port: Vec<u32>,
    /// The vertices: nodes, then ports, sorted.
    vertices: Vec<Vertex>,
    /// First box of each procedure in `sites`.
    site_base: Vec<u32>,
    /// For each box its first call port and its first return port; for each procedure there is one more,
    /// which marks the ends of the last.
    sites: Vec<(u32, u32)>,
    /// Procedure of each vertex.
    owner: Vec<u32>,
    /// First transition of each procedure in `ends`, and one past the last.
    edge_base: Vec<u32>,
    /// Where each transition starts and ends.
    ends: Vec<(u32, u32)>,
    /// By vertex: the callee's entry or exit that a port belongs to, [`NONE`] for nodes.
    inside: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Flow {
    /// Numbers the vertices.
    pub fn new(ersm: &Ersm) -> Flow {
        let count = |part: fn(&Procedure) -> usize| -> usize { ersm.procedures.iter().map(part).sum() };
        let (nodes, boxes) = (count(|procedure| procedure.nodes.len()), count(|procedure| procedure.boxes.len()));
        let procedures = ersm.procedures.len();
        let list = || Vec::with_capacity(procedures + 1);
        let mut flow = Flow {
            base: list(),
            first_port: list(),
            // Most boxes have one port of each kind.
            vertices: Vec::with_capacity(nodes + 2 * boxes),
            site_base: list(),
            sites: Vec::with_capacity(boxes + procedures),
            owner: Vec::with_capacity(nodes + 2 * boxes),
            edge_base: list(),
            ends: Vec::with_capacity(count(|procedure| procedure.edges.len())),
            inside: Vec::new(),
        };
        flow.base.push(0);
        flow.edge_base.push(0);
        let mut ports: Vec<Vertex> = Vec::new();
        for (id, procedure) in ersm.procedures() {
            ports.clear();
            let ends = procedure.edges.iter().flat_map(|edge| [edge.from, edge.to]);
            ports.extend(ends.filter(|end| !matches!(end, Vertex::Node(_))));
            ports.sort_unstable();
            ports.dedup();
            flow.number(procedure, &ports);
            flow.owner.resize(flow.owner.len() + procedure.nodes.len() + ports.len(), id.0);
            flow.base.push(flow.owner.len() as u32);
            for edge in &procedure.edges {
                let ends = (flow.end(id, edge.from), flow.end(id, edge.to));
                flow.ends.push(ends);
            }
            flow.edge_base.push(flow.ends.len() as u32);
        }
        flow.inside = flow.insides(ersm);
        flow
    }

    /// Enters the vertices of the next procedure, its ports box by box.
    fn number(&mut self, procedure: &Procedure, ports: &[Vertex]) {
        self.vertices.extend((0..procedure.nodes.len()).map(|node| Vertex::Node(node.into())));
        let first = self.vertices.len() as u32;
        self.first_port.push(first);
        self.vertices.extend_from_slice(ports);
        self.site_base.push(self.sites.len() as u32);
        let is_call = |port: &Vertex| matches!(port, Vertex::Call(..));
        let mut call = 0;
        let mut back = ports.iter().take_while(|port| is_call(port)).count();
        for site in (0..=procedure.boxes.len()).map(BoxId::from) {
            call += ports[call..].iter().take_while(|port| matches!(port, Vertex::Call(at, _) if *at < site)).count();
            back += ports[back..].iter().take_while(|port| matches!(port, Vertex::Return(at, _) if *at < site)).count();
            self.sites.push((first + call as u32, first + back as u32));
        }
    }

    fn insides(&self, ersm: &Ersm) -> Vec<u32> {
        let mut insides = vec![NONE; self.len()];
        for (id, caller) in ersm.procedures() {
            let callee = |site: &BoxId| caller.boxes[site.index()].callee;
            for port in self.ports(id) {
                let inside = match &self.vertices[port as usize] {
                    Vertex::Node(_) => continue,
                    Vertex::Call(site, at) => {
                        self.node(callee(site), ersm.procedure(callee(site)).entries[*at as usize])
                    }
                    Vertex::Return(site, at) => {
                        self.node(callee(site), ersm.procedure(callee(site)).exits[*at as usize])
                    }
                };
                insides[port as usize] = inside;
            }
        }
        insides
    }

    /// Number of vertices.
    pub fn len(&self) -> usize {
        self.owner.len()
    }

    /// No vertex at all.
    pub fn is_empty(&self) -> bool {
        self.owner.is_empty()
    }

    /// The procedure of a vertex.
    pub fn procedure(&self, id: u32) -> ProcId {
        ProcId(self.owner[id as usize])
    }

    /// The vertices of a procedure.
    pub fn vertices(&self, procedure: ProcId) -> Range<u32> {
        self.base[procedure.index()]..self.base[procedure.index() + 1]
    }

    /// The number of a node.
    pub fn node(&self, procedure: ProcId, node: NodeId) -> u32 {
        self.base[procedure.index()] + node.0
    }

    /// The vertex with this number.
    pub fn vertex(&self, id: u32) -> Vertex {
        self.vertices[id as usize]
    }

    /// The number of a vertex; `None` for a port that no transition uses.
    pub fn id(&self, procedure: ProcId, vertex: Vertex) -> Option<u32> {
        match vertex {
            Vertex::Node(node) => Some(self.node(procedure, node)),
            Vertex::Call(site, _) => self.find(self.call_ports(procedure, site), vertex),
            Vertex::Return(site, _) => self.find(self.return_ports(procedure, site), vertex),
        }
    }

    /// Where the transition with this place in the procedure's list starts and ends.
    pub fn ends(&self, procedure: ProcId, edge: usize) -> (u32, u32) {
        self.ends[self.edge_base[procedure.index()] as usize + edge]
    }

    /// The number of an end of a transition.
    fn end(&self, procedure: ProcId, vertex: Vertex) -> u32 {
        let unused = self.base[procedure.index()]; // cannot happen: ports of transitions are numbered
        self.id(procedure, vertex).unwrap_or(unused)
    }

    /// The port among these, all of one box.
    fn find(&self, ports: Range<u32>, port: Vertex) -> Option<u32> {
        let listed = &self.vertices[ports.start as usize..ports.end as usize];
        Some(ports.start + listed.binary_search(&port).ok()? as u32)
    }

    /// Call ports of a box.
    pub fn call_ports(&self, procedure: ProcId, site: BoxId) -> Range<u32> {
        let place = self.site_base[procedure.index()] as usize + site.index();
        self.sites[place].0..self.sites[place + 1].0
    }

    /// Return ports of a box.
    pub fn return_ports(&self, procedure: ProcId, site: BoxId) -> Range<u32> {
        let place = self.site_base[procedure.index()] as usize + site.index();
        self.sites[place].1..self.sites[place + 1].1
    }

    /// The ports of a procedure.
    fn ports(&self, procedure: ProcId) -> Range<u32> {
        self.first_port[procedure.index()]..self.base[procedure.index() + 1]
    }

    /// By vertex: the transitions that leave it, by their place in the procedure's list.
    pub fn leaving(&self) -> Lists {
        Lists::new(self.len(), || self.edges().map(|(index, (from, _))| (from, index)))
    }

    /// By vertex: the transitions that lead to it, by their place in the procedure's list.
    pub fn entering(&self) -> Lists {
        Lists::new(self.len(), || self.edges().map(|(index, (_, to))| (to, index)))
    }

    /// All transitions with their places in the lists of their procedures.
    fn edges(&self) -> impl Iterator<Item = (u32, (u32, u32))> + '_ {
        self.edge_base
            .windows(2)
            .flat_map(|range| (0..).zip(self.ends[range[0] as usize..range[1] as usize].iter().copied()))
    }

    /// By entry: the call ports that enter there. By exit: the return ports that follow it.
    pub fn across(&self) -> Lists {
        let ports = || (0..self.first_port.len()).map(ProcId::from).flat_map(|id| self.ports(id));
        Lists::new(self.len(), || ports().map(|port| (self.inside[port as usize], port)))
    }

    /// The callee's entry or exit that a port belongs to.
    pub fn other_side(&self, port: u32) -> Option<u32> {
        Some(self.inside[port as usize]).filter(|&inside| inside != NONE)
    }
}

/// A list of numbers for each vertex.
#[derive(Clone, Debug)]
pub struct Lists {
    start: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    /// Collects pairs of a vertex and an item; `pairs` is walked twice.
    pub fn new<I: Iterator<Item = (u32, u32)>>(vertices: usize, pairs: impl Fn() -> I) -> Lists {
        // `for_each`, because nested iterators are much slower from outside.
        let mut start = vec![0; vertices + 1];
        pairs().for_each(|(vertex, _)| start[vertex as usize] += 1);
        let mut sum = 0;
        for count in &mut start {
            sum += *count;
            *count = sum;
        }
        let mut items = vec![0; sum as usize];
        pairs().for_each(|(vertex, item)| {
            let place = &mut start[vertex as usize];
            *place -= 1;
            items[*place as usize] = item;
        });
        Lists { start, items }
    }

    /// The items of a vertex.
    pub fn of(&self, vertex: u32) -> &[u32] {
        &self.items[self.start[vertex as usize] as usize..self.start[vertex as usize + 1] as usize]
    }
}

/// Words for each vertex, as many as the vertices of its procedure need.
#[derive(Clone, Debug)]
pub struct Words {
    /// First word of each vertex, and one past the last.
    start: Vec<usize>,
    words: Vec<u64>,
}

impl Words {
    /// All zero. `width` says how many words the vertices of a procedure need.
    pub fn new(flow: &Flow, width: impl Fn(ProcId) -> usize) -> Words {
        let mut start = Vec::with_capacity(flow.len() + 1);
        let mut total = 0;
        for procedure in (0..flow.first_port.len()).map(ProcId::from) {
            let width = width(procedure);
            start.extend((0..flow.vertices(procedure).len()).map(|index| total + index * width));
            total += width * flow.vertices(procedure).len();
        }
        start.push(total);
        Words { start, words: vec![0; total] }
    }

    fn range(&self, vertex: u32) -> Range<usize> {
        self.start[vertex as usize]..self.start[vertex as usize + 1]
    }

    /// The words of a vertex.
    pub fn of(&self, vertex: u32) -> &[u64] {
        &self.words[self.range(vertex)]
    }

    /// Adds bits to the words of a vertex; true if one of them is new.
    pub fn add(&mut self, vertex: u32, bits: &[u64]) -> bool {
        let range = self.range(vertex);
        let mut changed = false;
        for (known, bits) in self.words[range].iter_mut().zip(bits) {
            changed |= bits & !*known != 0;
            *known |= bits;
        }
        changed
    }
}

/// Vertices that wait to be looked at, each at most once at a time.
#[derive(Clone, Debug)]
pub struct Work {
    waiting: Vec<bool>,
    stack: Vec<u32>,
}

impl Work {
    /// Nothing waits, of so many vertices.
    pub fn new(vertices: usize) -> Work {
        Work { waiting: vec![false; vertices], stack: Vec::with_capacity(vertices) }
    }

    /// A vertex is to be looked at.
    pub fn push(&mut self, vertex: u32) {
        if !std::mem::replace(&mut self.waiting[vertex as usize], true) {
            self.stack.push(vertex);
        }
    }

    /// The next vertex.
    pub fn pop(&mut self) -> Option<u32> {
        let vertex = self.stack.pop()?;
        self.waiting[vertex as usize] = false;
        Some(vertex)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::build_rsm;
    use crate::syntax::{Source, rsm};

    #[test]
    fn vertices_are_numbered_and_linked() {
        let text =
            "machine M { entry e; node n; exit x; box a: S; box b: S; e -> b.e2; b.x1 -> n; n -> a.e2; b.x2 -> x; }
                    machine S { entry e1, e2; exit x1, x2; e1 -> x1; e2 -> x2; } init M.e;";
        let (machines, _) = rsm::parse(&Source::new("t.rsm", text)).unwrap_or_else(|e| panic!("{:?}", e[0]));
        let (ersm, _) = build_rsm(&machines);
        let flow = Flow::new(&ersm);
        // Three nodes, b.e2, a.e2, b.x1, b.x2; then four nodes.
        assert_eq!((flow.len(), flow.vertices(ProcId(0)), flow.vertices(ProcId(1))), (11, 0..7, 7..11));
        for id in 0..11 {
            assert_eq!(flow.id(flow.procedure(id), flow.vertex(id)), Some(id));
        }
        assert_eq!(flow.id(ProcId(0), Vertex::Call(BoxId(0), 0)), None);
        assert_eq!(flow.call_ports(ProcId(0), BoxId(1)), 4..5);
        assert_eq!(flow.return_ports(ProcId(0), BoxId(1)), 5..7);
        assert!(flow.return_ports(ProcId(0), BoxId(0)).is_empty());
        let across = flow.across();
        let sorted = |items: &[u32]| {
            let mut items = items.to_vec();
            items.sort_unstable();
            items
        };
        assert_eq!(sorted(across.of(8)), [3, 4]);
        assert_eq!((across.of(9), across.of(10), across.of(7)), (&[5][..], &[6][..], &[][..]));
        assert_eq!(flow.leaving().of(0), [0]);
        assert_eq!((flow.entering().of(2), flow.entering().of(0)), (&[3][..], &[][..]));
    }
}
