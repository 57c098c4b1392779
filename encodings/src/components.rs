//! Strongly connected components, without recursion (Tarjan 1972 with an explicit stack).

/// The components of a graph, as far as it can be reached.
#[derive(Clone, Debug)]
pub struct Components {
    /// The component of each vertex; successors have smaller or equal numbers. `None` if it was not reached.
    pub of: Vec<Option<u32>>,
    /// The vertices that were reached, successors first (within a component in any order).
    pub bottom_up: Vec<usize>,
    /// Number of components.
    pub count: u32,
}

impl Components {
    /// The components of a graph of so many vertices, reached from `roots`. `successor` gives the n-th
    /// successor of a vertex, or nothing if it has no more.
    ///
    /// ```
    /// use epitome_encodings::Components;
    /// let edges = [vec![1], vec![2, 1], vec![], vec![0]];
    /// let components = Components::new(4, [0], |vertex, n| edges[vertex].get(n).copied());
    /// assert_eq!(components.bottom_up, [2, 1, 0]);
    /// assert_eq!(components.of, [Some(2), Some(1), Some(0), None]);
    /// ```
    pub fn new(
        vertices: usize,
        roots: impl IntoIterator<Item = usize>,
        successor: impl Fn(usize, usize) -> Option<usize>,
    ) -> Components {
        let mut search = Tarjan {
            successor,
            order: vec![None; vertices],
            low: vec![0; vertices],
            found: Components { of: vec![None; vertices], bottom_up: Vec::new(), count: 0 },
            open: Vec::new(),
            next: 0,
        };
        for root in roots {
            search.visit(root);
        }
        search.found
    }
}

struct Tarjan<S> {
    successor: S,
    order: Vec<Option<u32>>,
    low: Vec<u32>,
    found: Components,
    open: Vec<usize>,
    next: u32,
}

impl<S: Fn(usize, usize) -> Option<usize>> Tarjan<S> {
    fn enter(&mut self, vertex: usize, path: &mut Vec<(usize, usize)>) {
        self.order[vertex] = Some(self.next);
        self.low[vertex] = self.next;
        self.next += 1;
        self.open.push(vertex);
        path.push((vertex, 0));
    }

    fn visit(&mut self, root: usize) {
        if self.order[root].is_some() {
            return;
        }
        let mut path = Vec::new();
        self.enter(root, &mut path);
        while let Some((vertex, next)) = path.last_mut() {
            let vertex = *vertex;
            if let Some(successor) = (self.successor)(vertex, *next) {
                *next += 1;
                match self.order[successor] {
                    None => self.enter(successor, &mut path),
                    Some(order) if self.found.of[successor].is_none() => {
                        self.low[vertex] = self.low[vertex].min(order);
                    }
                    Some(_) => {}
                }
                continue;
            }
            path.pop();
            if let Some(&(parent, _)) = path.last() {
                self.low[parent] = self.low[parent].min(self.low[vertex]);
            }
            if Some(self.low[vertex]) == self.order[vertex] {
                self.close(vertex);
            }
        }
    }

    fn close(&mut self, root: usize) {
        while let Some(member) = self.open.pop() {
            self.found.of[member] = Some(self.found.count);
            self.found.bottom_up.push(member);
            if member == root {
                break;
            }
        }
        self.found.count += 1;
    }
}
