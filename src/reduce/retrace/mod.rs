//! From a run of the reduced machine to one of the machine that the reductions started from.
//!
//! Reductions remove variables, leave values that mean nothing any more, and merge transitions. What
//! is left of a run are milestones: kept vertices, with some of the variables at them. So the run is
//! executed again on the original machine, forward from its start, with the full state at hand: each
//! step of the run is a passage from a milestone to the next ([`passage`]), and choices are sought for
//! which the passage ends there with the values that the run tells. As the state is concrete, nearly
//! everything is decided; what is not is found by trying 64 values of the choices at once, or by a
//! solver ([`choices`]).
//!
//! Choices cannot lead astray. Where several fit, they differ only in variables whose values mean
//! nothing, and by what the reductions promise the run goes on the same for all of these. So there is
//! no search over the run, and if no choices fit, some reduction or engine is wrong: an error, never a
//! panic.
//!
//! A fragment that is shared is executed once for each full state in which it is entered. All choices
//! are made in a fixed order, so the same input gives the same run.

mod choices;
mod maps;
mod passage;
mod scope;

use super::Back;
use crate::limits::{Limits, Reason};
use crate::model::{BoxId, Ersm, Fragment, FragmentId, Run, Vertex};
use passage::Scratch;
use rustc_hash::FxHashMap;
use scope::Scopes;
use smallvec::SmallVec;

/// Why there is no run of the original machine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RetraceError {
    /// A limit was reached.
    #[error("{0}")]
    Stopped(Reason),
    /// The original machine cannot do what the reduced one did: a bug in Epitome.
    #[error("internal error: no choices of `{procedure}` lead through step {step} of the reduced run")]
    NoWay {
        /// Name of the procedure.
        procedure: String,
        /// The step of the fragment in which the way ends.
        step: usize,
    },
    /// The run is not one of the reduced machine: a bug in Epitome.
    #[error("internal error: step {step} of the reduced run does not fit its machine")]
    Malformed {
        /// The step of the fragment that does not fit.
        step: usize,
    },
}

impl From<Reason> for RetraceError {
    fn from(reason: Reason) -> RetraceError {
        RetraceError::Stopped(reason)
    }
}

/// What can go wrong at a step, before the step is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    NoWay,
    Malformed,
}

/// Steps between two looks at the limits.
const INTERVAL: u32 = 4096;

/// Lifts a run of the reduced machine to a run of the original one.
///
/// # Errors
/// The limit that was reached, or, if a reduction or an engine is wrong, where.
pub fn retrace(
    original: &Ersm,
    reduced: &Ersm,
    back: &Back,
    run: &Run<Vertex>,
    limits: &Limits,
) -> Result<Run<Vertex>, RetraceError> {
    let mut retracer = Retracer {
        run,
        scopes: Scopes::new(original, reduced, back),
        scratch: Scratch::default(),
        known: FxHashMap::default(),
        fragments: Vec::new(),
    };
    let top = run.fragments.len().checked_sub(1).ok_or(RetraceError::Malformed { step: 0 })?;
    let start = retracer.start(FragmentId(top as u32)).map_err(|fault| retracer.error(fault, top, 0))?;
    let mut stack = vec![start];
    let mut until_check = INTERVAL;
    while let Some(frame) = stack.last_mut() {
        until_check -= 1;
        if until_check == 0 {
            limits.check(0)?;
            until_check = INTERVAL;
        }
        match retracer.step(frame).map_err(|fault| retracer.error(fault, frame.fragment.index(), frame.step))? {
            Next::Place => {}
            Next::Inside(inside) => stack.push(*inside),
            Next::End => {
                let Some(frame) = stack.pop() else { break };
                let done = retracer.close(frame);
                if let Some(caller) = stack.last_mut() {
                    caller.inside = Some(done);
                }
            }
        }
    }
    Ok(Run { fragments: retracer.fragments })
}

/// A packed valuation of a scope of the original machine; most fit into a word or two.
type State = SmallVec<[u64; 2]>;

/// A fragment that was executed, and the full state at its end.
type Done = (FragmentId, State);

/// A fragment that is being executed.
struct Frame {
    /// The fragment of the reduced run.
    fragment: FragmentId,
    /// Its place whose turn it is.
    step: usize,
    /// The full state there.
    state: State,
    /// The full state at the entry.
    entry: State,
    /// The call at this place has been executed.
    inside: Option<Done>,
    lifted: Fragment<Vertex>,
}

enum Next {
    /// The frame is at its next place.
    Place,
    /// A call must be executed first.
    Inside(Box<Frame>),
    /// The frame is at its end.
    End,
}

struct Retracer<'r> {
    run: &'r Run<Vertex>,
    scopes: Scopes<'r>,
    scratch: Scratch,
    /// Executed calls, by fragment of the reduced run and full state at the entry.
    known: FxHashMap<(FragmentId, State), Done>,
    fragments: Vec<Fragment<Vertex>>,
}

impl<'r> Retracer<'r> {
    fn error(&self, fault: Fault, fragment: usize, step: usize) -> RetraceError {
        match fault {
            Fault::NoWay => {
                let procedure = self.run.fragments.get(fragment).map_or(0, |fragment| fragment.procedure);
                RetraceError::NoWay { procedure: self.scopes.maps.name(procedure), step }
            }
            Fault::Malformed => RetraceError::Malformed { step },
        }
    }

    fn fragment(&self, id: FragmentId) -> Result<&'r Fragment<Vertex>, Fault> {
        self.run.fragments.get(id.index()).filter(|fragment| !fragment.is_empty()).ok_or(Fault::Malformed)
    }

    /// The outermost fragment, where the run starts.
    fn start(&mut self, id: FragmentId) -> Result<Frame, Fault> {
        let fragment = self.fragment(id)?;
        let mut state = self.scopes.enter(fragment)?;
        self.scopes.maps.initial_globals(fragment, &mut state);
        Ok(self.frame(id, fragment, state))
    }

    fn frame(&self, id: FragmentId, fragment: &Fragment<Vertex>, state: State) -> Frame {
        let lifted = self.scopes.maps.fragment(fragment);
        Frame { fragment: id, step: 0, entry: state.clone(), state, inside: None, lifted }
    }

    /// Writes the place of a frame, with its call, and goes on to the next.
    fn step(&mut self, frame: &mut Frame) -> Result<Next, Fault> {
        let fragment = self.fragment(frame.fragment)?;
        let place = *fragment.place(frame.step);
        let above = self.scopes.maps.vertex(fragment.procedure, place).ok_or(Fault::Malformed)?;
        let last = frame.step + 1 == fragment.len();
        let mut from = place;
        match (place, fragment.inside(frame.step)) {
            (Vertex::Node(_), None) => frame.lifted.push(above, &frame.state, None),
            (Vertex::Call(..), None) if last => frame.lifted.push(above, &frame.state, None),
            (Vertex::Call(site, _), Some(inside)) => {
                let Some((id, exit)) = frame.inside.take() else { return self.call(frame, site, inside) };
                frame.lifted.push(above, &frame.state, Some(id));
                if !last {
                    let inside = self.fragment(inside)?;
                    from = self.scopes.leave((fragment.procedure, site), inside, &exit, &mut frame.state)?;
                }
            }
            _ => return Err(Fault::Malformed),
        }
        if last {
            return Ok(Next::End);
        }
        frame.step += 1;
        let (passage, inner) = self.scopes.passage(fragment.procedure, from, *fragment.place(frame.step))?;
        passage.walk(fragment.state(frame.step), &mut frame.state, &mut self.scratch, &mut |source, state| {
            frame.lifted.push(Vertex::Node(inner[source - 1]), state, None);
        })?;
        Ok(Next::Place)
    }

    /// The call at the frame's place: known, or to be executed.
    fn call(&mut self, frame: &mut Frame, site: BoxId, inside: FragmentId) -> Result<Next, Fault> {
        if inside.index() >= frame.fragment.index() {
            return Err(Fault::Malformed);
        }
        let caller = self.fragment(frame.fragment)?.procedure;
        let fragment = self.fragment(inside)?;
        let mut state = self.scopes.enter(fragment)?;
        self.scopes.maps.pass_globals(&frame.state, &mut state);
        let arguments = self.scopes.arguments(caller, site, fragment)?;
        arguments.hand_over(fragment.state(0), &frame.state, &mut state, &mut self.scratch)?;
        let key = (inside, state);
        if let Some(done) = self.known.get(&key) {
            frame.inside = Some(done.clone());
            return Ok(Next::Place);
        }
        let (inside, state) = key;
        Ok(Next::Inside(Box::new(self.frame(inside, fragment, state))))
    }

    fn close(&mut self, frame: Frame) -> Done {
        let id = FragmentId(self.fragments.len() as u32);
        self.fragments.push(frame.lifted);
        let done: Done = (id, frame.state);
        self.known.insert((frame.fragment, frame.entry), done.clone());
        done
    }
}
