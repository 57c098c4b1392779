//! Copies a structure by what holds at exits, so that a formula holds or not at a state, whatever the stack below (Alur-HSM 4.1,
//! CheckNext, CheckUntil and CheckAlways; 4.2).
//!
//! The *context* of a state or call is the set of exit positions that have an accepted run, of those that it needs to know of: by which it, or
//! a state after it, can leave its activation. A copy is a state or call with a context. Copies are made on demand, from the initial states: where a
//! call is copied, its own context and the positions after it tell the context of what it enters.
//!
//! The paper copies components, 2^d times for d exits. Here it is single states, by the exits that matter to them. So the copies of a component
//! with one exit are two as in the paper (Theorem 8), and so they are of a deterministic machine with many exits, every state of which can reach one
//! of them: that is the machine with single exits of Godefroid's Theorem 11, Step 3, without making it.

use super::paths::Paths;
use super::structure::{Call, Structure, Target};
use crate::limits::{Limits, Reason};
use rustc_hash::{FxHashMap, FxHashSet};

/// Looks at the limits every so many steps.
const INTERVAL: usize = 4096;

/// The structure in which a label says at every state whether it has an accepted run.
pub(super) fn split(
    structure: &Structure,
    paths: &Paths<'_>,
    label: usize,
    limits: &Limits,
) -> Result<Structure, Reason> {
    let needed = Needs::of(structure, paths, limits)?;
    let copies = Structure::like(structure);
    let mut splitting = Splitting {
        structure,
        paths,
        needed,
        copies,
        label,
        index: FxHashMap::default(),
        contexts: vec![Box::default()],
        context_index: FxHashMap::from_iter([(Box::default(), 0)]),
        open: Vec::new(),
    };
    splitting.run(limits)?;
    Ok(splitting.copies)
}

/// By state and call, in one numbering: the exit positions that it needs to know of, sorted.
struct Needs<'s> {
    structure: &'s Structure,
    paths: &'s Paths<'s>,
    of: Vec<FxHashSet<u32>>,
    /// By vertex: the vertices in the same activation that lead to it, calls by what comes after them.
    before: Vec<Vec<u32>>,
    callers: Vec<Vec<u32>>,
    news: Vec<(u32, u32)>,
}

impl<'s> Needs<'s> {
    fn of(structure: &'s Structure, paths: &'s Paths<'s>, limits: &Limits) -> Result<Vec<Box<[u32]>>, Reason> {
        let mut before = vec![Vec::new(); structure.vertices()];
        for (state, next) in structure.next.iter().enumerate() {
            next.iter().for_each(|&target| before[structure.vertex(target)].push(state as u32));
        }
        let mut callers = vec![Vec::new(); structure.states.len()];
        for (number, call) in (0u32..).zip(&structure.calls) {
            callers[call.entry as usize].push(number);
            let vertex = structure.vertex(Target::Call(number)) as u32;
            let after = call.returns.iter().flat_map(|(_, targets)| targets);
            after.for_each(|&target| before[structure.vertex(target)].push(vertex));
        }
        let of = vec![FxHashSet::default(); structure.vertices()];
        let mut needs = Needs { structure, paths, of, before, callers, news: Vec::new() };
        for state in 0..structure.states.len() as u32 {
            needs.add_position(state, paths.position(Target::State(state), 0));
        }
        let mut work = 0;
        while let Some((vertex, exit)) = needs.news.pop() {
            work += 1;
            if work % INTERVAL == 0 {
                limits.check(needs.news.capacity() * 8)?;
            }
            needs.tell(vertex, exit);
        }
        let sorted = |set: FxHashSet<u32>| {
            let mut list: Vec<u32> = set.into_iter().collect();
            list.sort_unstable();
            list.into()
        };
        Ok(needs.of.into_iter().map(sorted).collect())
    }

    fn add(&mut self, vertex: u32, exit: u32) {
        if self.of[vertex as usize].insert(exit) {
            self.news.push((vertex, exit));
        }
    }

    /// A vertex needs to know whether a position has an accepted run.
    fn add_position(&mut self, vertex: u32, position: u32) {
        let paths = self.paths;
        if !paths.accepted[position as usize] {
            paths.leaves(position).for_each(|exit| self.add(vertex, exit));
        }
    }

    fn tell(&mut self, vertex: u32, exit: u32) {
        for at in 0..self.before[vertex as usize].len() {
            self.add(self.before[vertex as usize][at], exit);
        }
        for at in 0..self.callers.get(vertex as usize).map_or(0, Vec::len) {
            let call = self.callers[vertex as usize][at];
            if let Ok(after) = self.paths.after(exit, self.paths.targets(call, exit)) {
                let vertex = self.structure.vertex(Target::Call(call)) as u32;
                after.into_iter().for_each(|position| self.add_position(vertex, position));
            }
        }
    }
}

/// A set of exit positions that have an accepted run, by number.
type ContextId = u32;

struct Splitting<'s> {
    structure: &'s Structure,
    paths: &'s Paths<'s>,
    needed: Vec<Box<[u32]>>,
    copies: Structure,
    label: usize,
    /// The copy of a state or call in a context.
    index: FxHashMap<(Target, ContextId), u32>,
    contexts: Vec<Box<[u32]>>,
    context_index: FxHashMap<Box<[u32]>, ContextId>,
    /// Copies that are not filled in.
    open: Vec<(Target, ContextId, u32)>,
}

impl Splitting<'_> {
    fn run(&mut self, limits: &Limits) -> Result<(), Reason> {
        for &state in &self.structure.initial {
            // Nobody leaves the outermost activation.
            let Target::State(copy) = self.copy(Target::State(state), 0) else { continue };
            self.copies.initial.push(copy);
        }
        let mut work = 0;
        while let Some((target, context, copy)) = self.open.pop() {
            work += 1;
            if work % INTERVAL == 0 {
                limits.check(self.copies.bytes() / 4)?;
            }
            match target {
                Target::State(state) => self.fill_state(state, context, copy),
                Target::Call(call) => self.fill_call(call, context, copy),
            }
        }
        Ok(())
    }

    /// The part of a context that a vertex needs.
    fn part(&mut self, context: ContextId, target: Target) -> ContextId {
        let needed = &self.needed[self.structure.vertex(target)];
        let context = &self.contexts[context as usize];
        if needed.is_empty() || context.is_empty() {
            return 0;
        }
        let part: Box<[u32]> = context.iter().copied().filter(|exit| needed.binary_search(exit).is_ok()).collect();
        self.intern(part)
    }

    fn intern(&mut self, context: Box<[u32]>) -> ContextId {
        if let Some(&known) = self.context_index.get(&context) {
            return known;
        }
        self.contexts.push(context.clone());
        self.context_index.insert(context, self.contexts.len() as u32 - 1);
        self.contexts.len() as u32 - 1
    }

    /// The copy of a state or call that sees what it needs of a context.
    fn copy(&mut self, target: Target, context: ContextId) -> Target {
        let context = self.part(context, target);
        let known = self.index.get(&(target, context)).copied();
        match target {
            Target::State(state) => Target::State(known.unwrap_or_else(|| {
                let copy = self.copies.push_state(self.structure.states[state as usize]);
                self.copies.copy_labels(copy, self.structure, state);
                self.index.insert((target, context), copy);
                self.open.push((target, context, copy));
                copy
            })),
            Target::Call(call) => Target::Call(known.unwrap_or_else(|| {
                let copy = self.copies.calls.len() as u32;
                let Call { origin, .. } = self.structure.calls[call as usize];
                self.copies.calls.push(Call { entry: 0, returns: Vec::new(), origin });
                self.index.insert((target, context), copy);
                self.open.push((target, context, copy));
                copy
            })),
        }
    }

    fn copy_all(&mut self, targets: &[Target], context: ContextId) -> Box<[Target]> {
        let mut copies: Vec<Target> = targets.iter().map(|&target| self.copy(target, context)).collect();
        copies.sort_unstable();
        copies.into()
    }

    /// A position has an accepted run in a context.
    fn holds(&self, position: u32, context: ContextId) -> bool {
        let context = &self.contexts[context as usize];
        let paths = self.paths;
        paths.accepted[position as usize] || paths.leaves(position).any(|exit| context.binary_search(&exit).is_ok())
    }

    fn fill_state(&mut self, state: u32, context: ContextId, copy: u32) {
        let holds = self.holds(self.paths.position(Target::State(state), 0), context);
        self.copies.set(copy, self.label, holds);
        self.copies.next[copy as usize] = self.copy_all(&self.structure.next[state as usize], context);
    }

    fn fill_call(&mut self, call: u32, context: ContextId, copy: u32) {
        let Call { entry, returns, .. } = &self.structure.calls[call as usize];
        let inside: Box<[u32]> = self.needed[*entry as usize]
            .iter()
            .copied()
            .filter(|&exit| match self.paths.after(exit, self.paths.targets(call, exit)) {
                Ok(after) => after.into_iter().any(|position| self.holds(position, context)),
                Err(known) => known,
            })
            .collect();
        let inside = self.intern(inside);
        if let Target::State(entry) = self.copy(Target::State(*entry), inside) {
            self.copies.calls[copy as usize].entry = entry;
        }
        let mut copied = Vec::with_capacity(returns.len());
        for (exit, targets) in returns {
            let targets = self.copy_all(targets, context);
            if let Target::State(exit) = self.copy(Target::State(*exit), inside) {
                copied.push((exit, targets));
            }
        }
        copied.sort_unstable_by_key(|(exit, _)| *exit);
        self.copies.calls[copy as usize].returns = copied;
    }
}
