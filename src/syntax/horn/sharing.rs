//! Terms of a clause as expressions.
//!
//! Expressions of Boolean programs are trees. A part that stands in several places and is not small becomes
//! a variable of its own, which is assigned once; small ones are written out. A clause of n nodes and edges
//! has expressions of O(n) operators, however deep its `let`s are nested.

use super::store::{Node, Store, Term};
use crate::syntax::expr::{Binary, Op, Var};
use rustc_hash::{FxHashMap, FxHashSet};

/// Operators that a part in several places may have without becoming a variable.
const SMALL: usize = 32;

/// Parts that have variables of their own.
#[derive(Default)]
pub(super) struct Sharing {
    /// By node, the number of its variable.
    variable: FxHashMap<usize, u32>,
    /// The same in order: parts before what they are part of.
    pub(super) defined: Vec<(u32, Term)>,
}

impl Sharing {
    /// Finds the parts of these terms that deserve a variable, and gives them new ones.
    pub(super) fn new(store: &mut Store, roots: &[Term]) -> Sharing {
        let mut uses: FxHashMap<usize, (u32, Term)> = FxHashMap::default();
        let mut stack: Vec<Term> = roots.to_vec();
        while let Some(term) = stack.pop() {
            let used = uses.entry(term.index()).or_insert((0, term.positive()));
            used.0 += 1;
            if used.0 == 1 {
                stack.extend(store.parts(term.index()));
                if let Node::If(condition, ..) = store.node(term) {
                    stack.push(*condition); // it is written twice
                }
            }
        }
        let mut nodes: Vec<(usize, (u32, Term))> = uses.into_iter().collect();
        nodes.sort_unstable_by_key(|(index, _)| *index);
        let mut sharing = Sharing::default();
        let mut sizes: FxHashMap<usize, usize> = FxHashMap::default();
        for (index, (count, term)) in nodes {
            let mut size: usize =
                1 + store.parts(index).map(|part| sizes.get(&part.index()).unwrap_or(&1)).sum::<usize>();
            if count > 1 && size > SMALL && !matches!(store.node(term), Node::Atom(..)) {
                store.variable("shared");
                let variable = store.variables.len() as u32 - 1;
                sharing.variable.insert(index, variable);
                sharing.defined.push((variable, term));
                size = 1;
            }
            sizes.insert(index, size);
        }
        sharing
    }

    /// Variables that an expression of the term has; `is_definition` if it is the term that a variable of
    /// its own stands for.
    pub(super) fn support(&self, store: &Store, term: Term, is_definition: bool, variables: &mut Vec<u32>) {
        let mut seen: FxHashSet<usize> = FxHashSet::default();
        let mut stack = vec![term];
        while let Some(part) = stack.pop() {
            if !seen.insert(part.index()) {
                continue;
            }
            match (self.variable.get(&part.index()), store.node(part)) {
                (Some(&variable), _) if !(is_definition && part.index() == term.index()) => variables.push(variable),
                (_, Node::Var(variable)) => variables.push(*variable),
                _ => stack.extend(store.parts(part.index())),
            }
        }
    }

    /// Appends the operators of a term, in postfix order.
    pub(super) fn write(
        &self,
        store: &Store,
        term: Term,
        is_definition: bool,
        mut local: impl FnMut(u32) -> Var,
        ops: &mut Vec<Op>,
    ) {
        let mut tasks = vec![Write::Term(term)];
        let mut at_root = is_definition;
        while let Some(task) = tasks.pop() {
            let term = match task {
                Write::Op(op) => {
                    ops.push(op);
                    continue;
                }
                Write::Term(term) => term,
            };
            let shared = self.variable.get(&term.index()).filter(|_| !at_root);
            at_root = false;
            let negated = term.is_negated();
            let variable = match (shared, store.node(term)) {
                (Some(&variable), _) | (None, &Node::Var(variable)) => variable,
                (None, Node::True | Node::Atom(..) | Node::Quantified(..)) => {
                    ops.push(Op::Const(!negated));
                    continue;
                }
                (None, Node::And(parts)) => {
                    let op = Op::Binary(if negated { Binary::Or } else { Binary::And });
                    for (index, part) in parts.iter().enumerate().rev() {
                        tasks.extend((index > 0).then_some(Write::Op(op)));
                        tasks.push(Write::Term(part.negate_if(negated)));
                    }
                    continue;
                }
                (None, &Node::Equal(a, b)) => {
                    let op = Op::Binary(if negated { Binary::NotEqual } else { Binary::Equal });
                    tasks.extend([Write::Op(op), Write::Term(b), Write::Term(a)]);
                    continue;
                }
                (None, &Node::If(condition, then, otherwise)) => {
                    let [then, otherwise] = [then, otherwise].map(|term| Write::Term(term.negate_if(negated)));
                    let and = || Write::Op(Op::Binary(Binary::And));
                    tasks.extend([Write::Op(Op::Binary(Binary::Or)), and(), otherwise, Write::Term(!condition)]);
                    tasks.extend([and(), then, Write::Term(condition)]);
                    continue;
                }
            };
            ops.push(Op::Var(local(variable)));
            ops.extend(negated.then_some(Op::Not));
        }
    }
}

enum Write {
    Term(Term),
    Op(Op),
}
