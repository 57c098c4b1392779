//! Which values of a run nobody reads: a variable that starts with an arbitrary value, and is overwritten before it is
//! read, or never read, could have any other value there, and the same statements in the same order would be a run all the same.
//!
//! What happens first to a variable decides it, and in a run, unlike in a program, that is one thing. So two
//! passes over the fragments are enough, however many calls share one. From the inside out: which variables a
//! fragment reads before it writes them, and which it touches at all; a call does to globals what its inside does.
//! From the outside in: which are still untouched at each step; a global is so at the start of a fragment only
//! if it is at every call of it. Reading counts, whatever becomes of what was read.

use super::boolean::Boolean;
use super::replay::at;
use super::values::Meaning;
use super::{replay_bp, replay_rsm};
use crate::model::{Fragment, FragmentId, SourceRun};
use crate::syntax::{Expr, Op, Place, Program, Var};

/// By fragment and step, the variables that could have any value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unread {
    /// By fragment, a set of variables for each step, up to the last that is not empty.
    any: Vec<Vec<Bits>>,
}

/// A set of variables, by their places in the scope of a procedure.
type Bits = Box<[u64]>;

/// Words of states in the largest run that is looked at: what is found takes as much memory again.
const LARGEST: usize = 1 << 20;

impl Unread {
    /// Nothing is known to be unread.
    pub fn nothing() -> Unread {
        Unread::default()
    }

    /// What is unread in a run that replay accepts. C has no such values, and in very large runs none are looked for.
    ///
    /// # Panics
    /// If replay does not accept the run.
    pub fn new(program: &Program, run: &SourceRun) -> Unread {
        let words: usize = run.fragments.iter().map(|fragment| fragment.len() * (1 + fragment.width())).sum();
        match program {
            _ if words > LARGEST => Unread::nothing(),
            Program::Bp(program) => of(&replay_bp::Interpreter::new(program), run),
            Program::Rsm(machines) => of(&replay_rsm::Interpreter::new(machines), run),
            Program::C(_) => Unread::nothing(),
        }
    }

    /// A variable, by its place in the scope, could have any value on arrival at this step of a fragment.
    pub fn contains(&self, fragment: FragmentId, step: usize, variable: usize) -> bool {
        let bits = self.any.get(fragment.index()).and_then(|steps| steps.get(step));
        bits.is_some_and(|bits| has(bits, variable))
    }
}

fn has(bits: &[u64], bit: usize) -> bool {
    bits[bit / 64] >> (bit % 64) & 1 == 1
}

fn insert(bits: &mut [u64], bit: usize) {
    bits[bit / 64] |= 1 << (bit % 64);
}

/// What a fragment does to the variables that are in scope, of which its callers see the globals.
struct Summary {
    /// They are read before they are written.
    read_first: Bits,
    touched: Bits,
}

impl Summary {
    fn nothing(width: usize) -> Summary {
        Summary { read_first: vec![0; width].into(), touched: vec![0; width].into() }
    }

    fn read(&mut self, bit: usize) {
        if !has(&self.touched, bit) {
            insert(&mut self.read_first, bit);
            insert(&mut self.touched, bit);
        }
    }
}

/// A part of a step, in the order in which they happen.
enum Part {
    Read(usize),
    Write(usize),
    /// All that happens inside of a call.
    Inside(FragmentId),
}

fn of<L: Boolean>(language: &L, run: &SourceRun) -> Unread {
    let search = Search { language, run };
    let mut summaries = Vec::with_capacity(run.fragments.len());
    for fragment in &run.fragments {
        let summary = search.summary(fragment, &summaries);
        summaries.push(summary);
    }
    // By fragment, the globals that are unread at all of its calls so far.
    let mut globals: Vec<Option<Bits>> = vec![None; run.fragments.len()];
    let mut any = vec![Vec::new(); run.fragments.len()];
    for index in (0..run.fragments.len()).rev() {
        let start = search.start(index, globals[index].take(), &summaries[index]);
        any[index] = search.forward(index, start, &summaries, &mut globals);
    }
    Unread { any }
}

struct Search<'r, L> {
    language: &'r L,
    run: &'r SourceRun,
}

impl<L: Boolean> Search<'_, L> {
    fn meaning(&self) -> Meaning<'_> {
        self.language.meaning()
    }

    fn reads(&self, expr: Expr, parts: &mut Vec<Part>, is_new: impl Fn(Var) -> bool) {
        let meaning = self.meaning();
        parts.extend(meaning.exprs().ops(expr).iter().filter_map(|op| match *op {
            Op::Var(var) => Some(Part::Read(meaning.bit_of(var))),
            Op::Next(var) if !is_new(var) => Some(Part::Read(meaning.bit_of(var))),
            _ => None,
        }));
    }

    /// What happens between a place and the next; at the last place, in a call that is never left.
    fn parts(&self, fragment: &Fragment<Place>, step: usize) -> Vec<Part> {
        let mut parts = Vec::new();
        let here = at(fragment, step);
        let next = (step + 1 < fragment.len()).then(|| at(fragment, step + 1));
        let mut exit = None;
        if let Some(inside) = fragment.inside(step) {
            let call = self.language.call(here);
            call.iter().flat_map(|call| call.arguments).for_each(|&e| self.reads(e, &mut parts, |_| false));
            parts.push(Part::Inside(inside));
            let inside = self.run.fragment(inside);
            exit = Some(at(inside, inside.len() - 1));
            let targets = call.iter().filter(|_| next.is_some()).flat_map(|call| call.targets).flatten();
            parts.extend(targets.map(|&var| Part::Write(self.meaning().bit_of(var))));
        }
        if let Some(next) = next {
            let (exprs, written) = self.language.uses(here, exit, next);
            exprs.iter().for_each(|&expr| self.reads(expr, &mut parts, |var| written.contains(&var)));
            parts.extend(written.iter().map(|&var| Part::Write(self.meaning().bit_of(var))));
        }
        parts
    }

    fn summary(&self, fragment: &Fragment<Place>, summaries: &[Summary]) -> Summary {
        let mut summary = Summary::nothing(fragment.width());
        let mut always = Vec::new();
        self.language.always(fragment.procedure).iter().for_each(|&expr| self.reads(expr, &mut always, |_| false));
        let parts = (0..fragment.len()).flat_map(|step| self.parts(fragment, step));
        for part in always.into_iter().chain(parts) {
            match part {
                Part::Read(bit) => summary.read(bit),
                Part::Write(bit) => insert(&mut summary.touched, bit),
                Part::Inside(inside) => {
                    let inside = &summaries[inside.index()];
                    for (word, mask) in self.global_words() {
                        let read = inside.read_first[word] & mask & !summary.touched[word];
                        summary.read_first[word] |= read;
                        summary.touched[word] |= inside.touched[word] & mask;
                    }
                }
            }
        }
        let last = fragment.len() - 1;
        if fragment.inside(last).is_none() && self.language.ends(at(fragment, last)) {
            // Whoever has called it takes them.
            let globals = self.meaning().globals();
            self.language.outputs(fragment.procedure).for_each(|local| summary.read(globals + local));
        }
        summary
    }

    /// What could have any value at the start of a fragment.
    fn start(&self, index: usize, globals: Option<Bits>, summary: &Summary) -> Bits {
        let fragment = &self.run.fragments[index];
        let (meaning, procedure) = (self.meaning(), fragment.procedure);
        let outermost = index + 1 == self.run.fragments.len();
        let mut start: Bits = vec![0; fragment.width()].into();
        if let Some(globals) = globals {
            self.global_words().for_each(|(word, mask)| start[word] = globals[word] & mask);
        }
        let given = if outermost { 0 } else { meaning.globals() + self.language.inputs(procedure) };
        let variables = self.language.variables(procedure).map_or(0..0, |variables| given..variables);
        for bit in variables {
            if self.language.initial(procedure, meaning.var_of(bit)).is_none() {
                insert(&mut start, bit);
            }
        }
        start.iter_mut().zip(&summary.read_first).for_each(|(start, read)| *start &= !read);
        start
    }

    /// What could have any value at each step of a fragment; tells the fragments inside about globals.
    fn forward(&self, index: usize, start: Bits, summaries: &[Summary], globals: &mut [Option<Bits>]) -> Vec<Bits> {
        let fragment = &self.run.fragments[index];
        let (mut any, mut now): (Vec<Bits>, Bits) = (Vec::new(), start);
        for step in 0..fragment.len() {
            // What has been touched stays so: only the calls that follow have to know.
            let is_over = now.iter().all(|&word| word == 0);
            if is_over && fragment.inside(step).is_none() {
                continue;
            }
            if !is_over {
                any.push(now.clone());
            }
            for part in self.parts(fragment, step) {
                match part {
                    Part::Read(bit) | Part::Write(bit) => now[bit / 64] &= !(1 << (bit % 64)),
                    Part::Inside(inside) => {
                        let known = globals[inside.index()].get_or_insert_with(|| self.all_globals());
                        let touched = &summaries[inside.index()].touched;
                        for (word, mask) in self.global_words() {
                            known[word] &= now[word];
                            now[word] &= !(touched[word] & mask);
                        }
                    }
                }
            }
        }
        any
    }

    fn all_globals(&self) -> Bits {
        self.global_words().map(|(_, mask)| mask).collect()
    }

    /// The words of a state in which globals are, and where.
    fn global_words(&self) -> impl Iterator<Item = (usize, u64)> {
        let globals = self.meaning().globals();
        (0..globals.div_ceil(64)).map(move |word| (word, u64::MAX >> (64 - (globals - word * 64).min(64))))
    }
}
