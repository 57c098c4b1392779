//! Strongly connected components of automata (Tarjan, with a stack of its own).

/// By state, the number of its component; components are numbered from the last ones up: a transition never goes to a
/// component of a higher number.
pub(crate) fn components(states: usize, successors: impl Fn(usize) -> Vec<usize>) -> (Vec<usize>, usize) {
    const NONE: usize = usize::MAX;
    let (mut order, mut low, mut component) = (vec![NONE; states], vec![0; states], vec![NONE; states]);
    let (mut next, mut count) = (0, 0);
    let mut path: Vec<usize> = Vec::new();
    for root in 0..states {
        if order[root] != NONE {
            continue;
        }
        let mut work: Vec<(usize, Vec<usize>)> = vec![(root, successors(root))];
        (order[root], low[root]) = (next, next);
        next += 1;
        path.push(root);
        while let Some((state, left)) = work.last_mut() {
            let state = *state;
            if let Some(to) = left.pop() {
                if order[to] == NONE {
                    (order[to], low[to]) = (next, next);
                    next += 1;
                    path.push(to);
                    work.push((to, successors(to)));
                } else if component[to] == NONE {
                    low[state] = low[state].min(order[to]);
                }
                continue;
            }
            work.pop();
            if let Some((before, _)) = work.last() {
                low[*before] = low[*before].min(low[state]);
            }
            if low[state] == order[state] {
                while let Some(member) = path.pop() {
                    component[member] = count;
                    if member == state {
                        break;
                    }
                }
                count += 1;
            }
        }
    }
    (component, count)
}
