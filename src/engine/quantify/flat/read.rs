//! From a sequence of configurations to a run.

use super::layout::Layout;
use crate::engine::system::{Fact, FactId, Point};
use crate::limits::Reason;
use crate::model::{Ersm, Fragment, FragmentId, ProcId, Run, Vertex};

const MISTAKE: Reason = Reason::Internal("no run through configurations");

/// A frame of the stack: the places control came to in it, with values, and the fragment inside a call.
struct Activation {
    procedure: ProcId,
    places: Vec<(Vertex, Vec<u64>, Option<FragmentId>)>,
}

/// The run of which a fact of the root tells.
pub(in crate::engine::quantify) fn run_of(
    ersm: &Ersm,
    layout: &Layout,
    facts: &[Fact],
    root: FactId,
) -> Result<Run<Vertex>, Reason> {
    let mut configurations = Vec::new();
    let mut next = facts[root as usize].holes.first().map(|(_, fact)| *fact);
    while let Some(fact) = next {
        configurations.push(&facts[fact as usize].point);
        next = facts[fact as usize].holes.first().map(|(_, fact)| *fact);
    }
    configurations.reverse();
    let mut fragments = Vec::new();
    let mut stack: Vec<Activation> = Vec::new();
    for configuration in configurations {
        let top = (0..layout.frames).find(|&frame| configuration.get(layout.top_bit(frame))).ok_or(MISTAKE)?;
        while stack.len() > top + 1 {
            close(ersm, &mut stack, &mut fragments);
        }
        let (procedure, vertex, words) = read(ersm, layout, configuration, top)?;
        if stack.len() <= top {
            stack.push(Activation { procedure, places: Vec::new() });
        }
        // Where a call has returned, the run goes on from the return port; the call port was there before.
        if let Some(activation) = stack.last_mut() {
            activation.places.push((vertex, words, None));
        }
    }
    while !stack.is_empty() {
        close(ersm, &mut stack, &mut fragments);
    }
    Ok(Run { fragments })
}

/// The vertex and the values of the scope in a frame.
fn read(
    ersm: &Ersm,
    layout: &Layout,
    configuration: &Point,
    frame: usize,
) -> Result<(ProcId, Vertex, Vec<u64>), Reason> {
    let bits: Vec<bool> = layout.frame(frame).map(|bit| configuration.get(bit)).collect();
    let (vertex, locals) = bits.split_at(layout.vertex_bits());
    let number = vertex.iter().rev().fold(0, |number, &bit| number << 1 | usize::from(bit));
    let (procedure, vertex) = layout.vertex(number).ok_or(MISTAKE)?;
    let globals = (0..layout.globals()).map(|bit| configuration.get(bit));
    let variables = ersm.scope_size(procedure);
    let mut words = vec![0u64; variables.div_ceil(64)];
    for (bit, value) in globals.chain(locals.iter().copied()).take(variables).enumerate() {
        words[bit / 64] |= u64::from(value) << (bit % 64);
    }
    Ok((procedure, vertex, words))
}

/// The top activation is over: it is inside the last call port of the one below it.
fn close(ersm: &Ersm, stack: &mut Vec<Activation>, fragments: &mut Vec<Fragment<Vertex>>) {
    let Some(Activation { procedure, places }) = stack.pop() else { return };
    let mut fragment = Fragment::new(procedure.0, ersm.scope_size(procedure));
    for (vertex, words, inside) in places.iter().filter(|(vertex, ..)| !matches!(vertex, Vertex::Return(..))) {
        fragment.push(*vertex, words, *inside);
    }
    let id = FragmentId(fragments.len() as u32);
    fragments.push(fragment);
    if let Some((_, _, inside)) = stack.last_mut().and_then(|below| below.places.last_mut()) {
        *inside = Some(id);
    }
}
