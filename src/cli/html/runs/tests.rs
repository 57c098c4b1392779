//! The values that a page shows, against the states of the run itself.

use super::*;
use crate::checker::{Checker, Engine};
use crate::limits::Limits;
use crate::logic::Query;
use crate::model::{FragmentId, SourceRun};
use crate::syntax::{Language, Place, Source};
use std::collections::BTreeMap;

/// Recursion with locals that change, under names that globals have in other procedures; a call whose inside was told before.
const RECURSIVE: &str = "decl g, h;
void main() begin
  decl a;
  g := 0; h := 1; a := 1;
  a := down(a, h);
  g := 0; h := 1; a := 1;
  a := down(a, h);
  h := 1;
  a := down(!a, h);
  ERROR: skip;
end
bool down(a, b) begin
  decl c;
  c := a != g;
  if (b) then
    h := !h;
    b := down(c, h);
    a := !a;
    g := !b;
  fi
  g := !g;
  return a;
end
";

/// A local that hides a global.
const MACHINES: &str = "var g := 0, h := 0;
machine M { var x; entry e; node n; node ERROR; box b: S; e -> b.s do x := 1, g := 1; b.t -> n; n -> ERROR when g & x & h; }
machine S { var g := 0; entry s; node m; exit t; s -> m do g := !g; m -> t do g := !g, h := 1; }
init M.e;
";

const C: &str = "extern void reach_error(void);
int total = 0;
int down(int n) { int before = total; if (n <= 0) return 0; total = total + n; int rest = down(n - 1); return rest + before; }
int twice(int n) { int copy = n; copy = copy * 2; return copy; }
int main(void) { int a = twice(1) + twice(2); a = down(2) + a; if (total == 3) reach_error(); return a; }
";

/// By number of the state, all calls written out: activation and step. (A call port has the number of the state behind it.)
fn states(run: &SourceRun) -> Vec<(usize, FragmentId, usize)> {
    let (mut found, mut number, mut open) = (Vec::new(), 0, vec![(run.top(), 0)]);
    while let Some((id, at)) = open.pop() {
        let fragment = run.fragment(id);
        if at == fragment.len() {
            continue;
        }
        found.push((number, id, at));
        number += usize::from(!matches!(fragment.place(at), Place::Port(..)));
        open.push((id, at + 1));
        open.extend(fragment.inside(at).map(|inside| (inside, 0)));
    }
    found
}

/// What a page shows at a line: by owner (of a local) and place in the scope, the value that was told last.
fn shown(variables: &[Value], run: &Value, line: usize) -> BTreeMap<(String, u64), i128> {
    let call = &run["calls"][line];
    let mut values = BTreeMap::new();
    for at in 0..=line {
        for pair in run["values"][at].as_array().unwrap() {
            let variable = &variables[pair[0].as_u64().unwrap() as usize];
            if variable[1].is_null() || run["calls"][at] == *call {
                let owner = variable[1].as_str().unwrap_or_default().to_owned();
                values.insert((owner, variable[2].as_u64().unwrap()), pair[1].as_i64().unwrap().into());
            }
        }
    }
    values
}

/// How many values are left out, as nobody reads them.
fn check(text: &str, language: Language, style: TraceStyle) -> usize {
    let source = Source::new("test", text);
    let (program, _) = Program::parse(&source, language).unwrap_or_else(|errors| panic!("{errors:?}"));
    let checker = Checker::new(&program);
    let report = checker.check(&Query::Failures, Engine::Expand(None), &Limits::none(), &mut |_| ()).unwrap();
    let run = report.run.expect("a violation");
    let telltale = Telltale::of_places(&source, &program, &run);
    let mut runs = Runs::new(&program);
    runs.tell(&telltale, style);
    let [variables, runs] = runs.json();
    let (variables, lines, states) = (variables.as_array().unwrap(), telltale.told(style).lines, states(&run));
    let (left_out, mut unread) = (telltale.unread(), 0);
    assert!(lines.len() > 5 && lines.iter().any(|line| line.depth > 0));
    for (number, line) in lines.iter().enumerate() {
        let is_here = |&&(state, id, at): &&(usize, FragmentId, usize)| {
            state == line.state && *run.fragment(id).place(at) == line.place
        };
        let &(_, id, at) = states.iter().find(is_here).unwrap();
        let values = shown(variables, &runs[0], number);
        let frame = program.frame(line.procedure, line.place).0;
        for variable in 0..program.scope_size(line.procedure) {
            let (bits, ty) = program.bits_of(line.procedure, variable, frame);
            let pattern =
                bits.clone().rev().fold(0, |number, bit| number << 1 | u64::from(run.fragment(id).bit(at, bit)));
            let is_global = variable < program.global_count();
            let owner = if is_global { "" } else { program.procedure_name(line.procedure) };
            let name = program.variable_name(line.procedure, variable);
            let told = values.get(&(owner.to_owned(), variable as u64));
            if left_out.contains(id, at, variable) {
                unread += 1;
                assert!(is_global || told.is_none(), "{name} at step {}", line.number);
                continue;
            }
            // In C, locals need not have a value yet.
            if language != Language::C || (told.is_some() && !bits.is_empty()) {
                assert_eq!(
                    told,
                    Some(&ty.number(pattern)),
                    "{name} at step {}, line {number}: {values:?}",
                    line.number
                );
            }
        }
    }
    unread
}

#[test]
fn values_shown_are_those_of_the_run() {
    for style in [TraceStyle::Short, TraceStyle::Full] {
        assert!(check(RECURSIVE, Language::Bp, style) > 0);
        assert!(check(MACHINES, Language::Rsm, style) > 0);
        assert!(check(C, Language::C, style) == 0);
    }
}
