//! What a branch of a tree must do so that all threads on it are content: a deterministic automaton that reads the threads.
//!
//! A thread that follows one run must pass accepting states again and again; one of those that watch all runs must in the end pass none. If
//! the automata of the latter are *weak* (no cycle has both kinds of states), as those of CTL are, this is the same as to pass
//! others again and again, and a breakpoint (Miyano and Hayashi) is enough: some threads owe such a state; when none does, all threads owe one
//! anew. This gives Büchi tree automata (Theorem 3.1, CTL). Otherwise, for CTL*, what some thread does wrong is read by a Büchi automaton, which Safra's construction makes
//! deterministic, with Piterman's names of nodes, so that acceptance is a parity.

use super::tableau::{Tableau, Thread};
use epitome_automata::Buchi;

/// Threads in a child: who they are there, and who they were; nobody if they began at the node.
pub(super) type Steps = Vec<(Option<Thread>, Thread)>;

/// How branches are judged.
pub(super) enum Watch {
    /// By thread: where it is, it owes nothing.
    Breakpoint(Vec<bool>),
    Safra(Safra),
}

/// By state that a Büchi automaton of mistakes can be in, whether it accepts.
pub(super) struct Safra {
    /// By thread: whether it is universal, and in an accepting state.
    threads: Vec<(bool, bool)>,
}

/// What is remembered of a branch, and how good it is to be there: the least number that comes again and again must be even.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Memory {
    pub(super) priority: u32,
    /// Breakpoint: threads, twice, and one more if they owe something; in order. Safra: the tree.
    words: Box<[u32]>,
}

impl Memory {
    /// Nothing is watched.
    pub(super) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }
}

impl Watch {
    pub(super) fn new(tableau: &Tableau<'_>) -> Watch {
        let threads = 0..tableau.threads() as Thread;
        let content = |thread: Thread| {
            let (automaton, state) = tableau.automaton(thread);
            match tableau.is_universal(thread) {
                true => again_and_again(automaton).map(|accepting| !accepting[state]),
                false => Some(automaton.accepting[state]),
            }
        };
        if let Some(content) = threads.clone().map(content).collect() {
            return Watch::Breakpoint(content);
        }
        let about = |thread: Thread| {
            let (automaton, state) = tableau.automaton(thread);
            (tableau.is_universal(thread), automaton.accepting[state])
        };
        Watch::Safra(Safra { threads: threads.map(about).collect() })
    }

    /// Where nothing is watched yet.
    pub(super) fn start(&self) -> Memory {
        Memory { priority: 0, words: Box::default() }
    }

    /// The threads that are there.
    pub(super) fn threads(&self, memory: &Memory) -> Vec<Thread> {
        match self {
            Watch::Breakpoint(_) => memory.words.iter().map(|word| word / 2).collect(),
            Watch::Safra(safra) => safra.threads_of(memory),
        }
    }

    /// What is remembered in a child.
    pub(super) fn step(&self, memory: &Memory, steps: &Steps) -> Memory {
        match self {
            Watch::Breakpoint(content) => {
                let all_owe = memory.words.iter().all(|word| word % 2 == 0);
                let mut words: Vec<u32> = Vec::with_capacity(steps.len());
                for &(before, thread) in steps {
                    let owed = before.is_some_and(|before| memory.words.binary_search(&(before * 2 + 1)).is_ok());
                    words.push(thread * 2 + u32::from((all_owe || owed) && !content[thread as usize]));
                }
                words.sort_unstable();
                words.dedup();
                // Of two that have become one, the one that owes something stays.
                let twice: Vec<u32> = words.windows(2).filter(|p| p[0] / 2 == p[1] / 2).map(|p| p[0]).collect();
                words.retain(|word| twice.binary_search(word).is_err());
                let priority = u32::from(words.iter().any(|word| word % 2 == 1));
                Memory { priority, words: words.into() }
            }
            Watch::Safra(safra) => safra.step(memory, steps),
        }
    }
}

/// By state of a weak automaton: it is on a cycle, all of whose states accept. Nothing if the automaton is not weak.
fn again_and_again(automaton: &Buchi) -> Option<Vec<bool>> {
    let reached = |from: usize| {
        let mut is_reached = vec![false; automaton.states()];
        let mut open = vec![from];
        while let Some(state) = open.pop() {
            for &(_, to) in &automaton.transitions[state] {
                if !std::mem::replace(&mut is_reached[to as usize], true) {
                    open.push(to as usize);
                }
            }
        }
        is_reached
    };
    let reach: Vec<Vec<bool>> = (0..automaton.states()).map(reached).collect();
    let accepting = |state: usize| {
        let mut cycle = (0..automaton.states()).filter(|&other| reach[state][other] && reach[other][state]);
        let first = cycle.next().map(|other| automaton.accepting[other]);
        let is_same = cycle.all(|other| Some(automaton.accepting[other]) == first);
        is_same.then_some(first == Some(true))
    };
    (0..automaton.states()).map(accepting).collect()
}

/// A node of a Safra tree; its name is its place in the list, older ones come first.
#[derive(Clone, Debug)]
struct TreeNode {
    parent: usize,
    label: Vec<u32>,
}

/// States of the automaton of mistakes: a thread, or one that follows a run and never passes an accepting state again.
const NEVER_AGAIN: u32 = 1 << 31;

impl Safra {
    fn decode(memory: &Memory) -> Vec<TreeNode> {
        let mut nodes = Vec::new();
        let mut words = memory.words.iter().copied();
        while let (Some(parent), Some(length)) = (words.next(), words.next()) {
            nodes.push(TreeNode { parent: parent as usize, label: words.by_ref().take(length as usize).collect() });
        }
        nodes
    }

    fn encode(priority: u32, nodes: &[TreeNode]) -> Memory {
        let words = nodes.iter().flat_map(|node| {
            [node.parent as u32, node.label.len() as u32].into_iter().chain(node.label.iter().copied())
        });
        Memory { priority, words: words.collect() }
    }

    fn threads_of(&self, memory: &Memory) -> Vec<Thread> {
        let nodes = Safra::decode(memory);
        let root = nodes.first().map_or(&[][..], |root| &root.label);
        root.iter().copied().filter(|state| state & NEVER_AGAIN == 0).collect()
    }

    fn accepts(&self, state: u32) -> bool {
        let (universal, accepting) = self.threads[(state & !NEVER_AGAIN) as usize];
        state & NEVER_AGAIN != 0 || universal && accepting
    }

    /// Successors of a state of the automaton of mistakes.
    fn successors(&self, state: u32, steps: &Steps, out: &mut Vec<u32>) {
        let thread = state & !NEVER_AGAIN;
        for &(_, next) in steps.iter().filter(|(before, _)| *before == Some(thread)) {
            self.arrive(next, state & NEVER_AGAIN == 0, out);
        }
    }

    /// A thread as states of the automaton: one that follows a run may be given up on.
    fn arrive(&self, thread: Thread, itself: bool, out: &mut Vec<u32>) {
        let (universal, accepting) = self.threads[thread as usize];
        out.extend(itself.then_some(thread));
        out.extend((!universal && !accepting).then_some(thread | NEVER_AGAIN));
    }

    fn step(&self, memory: &Memory, steps: &Steps) -> Memory {
        let mut nodes = Safra::decode(memory);
        let old = nodes.len();
        for node in &mut nodes {
            let mut label = Vec::new();
            node.label.iter().for_each(|&state| self.successors(state, steps, &mut label));
            sort(&mut label);
            node.label = label;
        }
        let mut new = Vec::new();
        for &(_, thread) in steps.iter().filter(|(before, _)| before.is_none()) {
            self.arrive(thread, true, &mut new);
        }
        match nodes.first_mut() {
            Some(root) => {
                root.label.extend(new);
                sort(&mut root.label);
            }
            None => {
                sort(&mut new);
                nodes.push(TreeNode { parent: 0, label: new });
            }
        }
        // Everyone gets a youngest child with the states that accept.
        for index in 0..nodes.len() {
            let label = nodes[index].label.iter().copied().filter(|&state| self.accepts(state)).collect();
            nodes.push(TreeNode { parent: index, label });
        }
        // A state belongs to the oldest of siblings, and to its ancestors.
        for index in 1..nodes.len() {
            let parent = nodes[index].parent;
            let elder: Vec<u32> = (1..index)
                .filter(|&other| nodes[other].parent == parent)
                .flat_map(|other| nodes[other].label.clone())
                .collect();
            let above = nodes[parent].label.clone();
            nodes[index].label.retain(|state| above.binary_search(state).is_ok() && !elder.contains(state));
        }
        // Whose children have everything has seen an accepting state on all ways.
        let mut green = vec![false; nodes.len()];
        let mut is_gone = vec![false; nodes.len()];
        for index in 0..nodes.len() {
            if index > 0 {
                let parent = nodes[index].parent;
                is_gone[index] = is_gone[parent] || green[parent] || nodes[index].label.is_empty();
            }
            if is_gone[index] || nodes[index].label.is_empty() {
                continue;
            }
            let children = (1..nodes.len()).filter(|&child| nodes[child].parent == index);
            let covered: usize = children.map(|child| nodes[child].label.len()).sum();
            green[index] = covered == nodes[index].label.len();
        }
        if nodes[0].label.is_empty() {
            return Memory { priority: 0, words: Box::default() };
        }
        let removed = (0..old).find(|&index| is_gone[index]);
        let seen = (0..old).find(|&index| green[index] && !is_gone[index]);
        // A mistake is what comes again and again at the least name, so its parity is odd here; the rest is fine.
        let priority = match (seen, removed) {
            (Some(seen), Some(removed)) if seen < removed => 2 * seen as u32 + 1,
            (Some(seen), None) => 2 * seen as u32 + 1,
            (_, Some(removed)) => 2 * removed as u32,
            (None, None) => 2 * (2 * self.threads.len() as u32 + 1),
        };
        let mut names = vec![0; nodes.len()];
        let mut kept: Vec<TreeNode> = Vec::new();
        for index in 0..nodes.len() {
            if !is_gone[index] {
                names[index] = kept.len();
                let TreeNode { parent, label } = nodes[index].clone();
                kept.push(TreeNode { parent: names[parent], label });
            }
        }
        Safra::encode(priority, &kept)
    }
}

fn sort(label: &mut Vec<u32>) {
    label.sort_unstable();
    label.dedup();
}
