//! What a page has to know of a told run to show all values at each of its steps. The steps themselves, with the values that are new, are in
//! the object that `--json` prints; there variables have only their names. Here each line says to which call it belongs and which
//! variables are new: globals belong to all calls, locals to theirs, so that the value of a variable is the last one that was told
//! of it (in its call, if it is a local).

use crate::cli::trace::{Telltale, TraceStyle};
use crate::evidence::{Event, Line};
use crate::syntax::Program;
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

/// Runs and the variables that they speak of.
pub(super) struct Runs<'p> {
    program: &'p Program,
    /// Numbers of variables: globals, and locals by procedure.
    numbers: FxHashMap<(Option<u32>, u32), usize>,
    /// By number: name, procedure of a local, place in the scope.
    variables: Vec<Value>,
    runs: Vec<Value>,
}

impl<'p> Runs<'p> {
    pub(super) fn new(program: &'p Program) -> Runs<'p> {
        Runs { program, numbers: FxHashMap::default(), variables: Vec::new(), runs: Vec::new() }
    }

    /// One more run.
    pub(super) fn tell(&mut self, run: &Telltale<'_>, style: TraceStyle) {
        let lines = run.told(style).lines;
        let calls = calls(self.program, &lines);
        let values: Vec<Value> = lines.iter().map(|line| self.values(line)).collect();
        self.runs.push(json!({ "calls": calls, "values": values }));
    }

    /// The values that are new at a line and matter: pairs of a variable and a value.
    fn values(&mut self, line: &Line) -> Value {
        let pair = |(variable, value)| json!([self.number(line.procedure, variable), number(value)]);
        line.known().map(pair).collect()
    }

    fn number(&mut self, procedure: u32, variable: u32) -> usize {
        let is_global = (variable as usize) < self.program.global_count();
        let owner = (!is_global).then_some(procedure);
        *self.numbers.entry((owner, variable)).or_insert_with(|| {
            let name = self.program.variable_name(procedure, variable as usize);
            let owner = owner.map(|procedure| self.program.procedure_name(procedure));
            self.variables.push(json!([name, owner, variable]));
            self.variables.len() - 1
        })
    }

    /// The numbers of variables, as far as they are told of.
    pub(super) fn numbers_of(&self, variables: &[(Option<u32>, usize)]) -> Vec<usize> {
        let number = |&(owner, variable): &(Option<u32>, usize)| self.numbers.get(&(owner, variable as u32)).copied();
        let mut numbers: Vec<usize> = variables.iter().filter_map(number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }

    /// The variables as a list, and the runs.
    pub(super) fn json(self) -> [Value; 2] {
        [Value::Array(self.variables), Value::Array(self.runs)]
    }
}

/// A value as a number, or as text where a reader of JSON would round it.
fn number(value: i128) -> Value {
    if value.unsigned_abs() <= 1 << 53 { json!(value as i64) } else { json!(value.to_string()) }
}

/// By line, the number of the call that it belongs to. A call is told as lines of one depth, between which there are only deeper ones; it ends
/// where its procedure is left, or (C, a call that is written out) where another begins.
fn calls(program: &Program, lines: &[Line]) -> Vec<usize> {
    let mut open: Vec<(Option<(u32, u32)>, usize)> = Vec::new();
    let mut count = 0;
    let mut begin = |body| {
        count += 1;
        (body, count - 1)
    };
    let mut calls = Vec::with_capacity(lines.len());
    for line in lines {
        let body = (line.procedure, program.frame(line.procedure, line.place).0);
        open.truncate(line.depth + 1);
        // Of calls around it nothing may have been told.
        while open.len() < line.depth {
            open.push(begin(None));
        }
        match open.get_mut(line.depth) {
            Some((own, _)) if own.is_none_or(|own| own == body) => *own = Some(body),
            Some(other) => *other = begin(Some(body)),
            None => open.push(begin(Some(body))),
        }
        calls.push(open[line.depth].1);
        if line.event == Event::Return {
            open.truncate(line.depth);
        }
    }
    calls
}

#[cfg(test)]
mod tests;
