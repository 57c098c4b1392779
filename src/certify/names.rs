//! Names of variables in certificates: as the program writes them, with a number where that is not enough.
//!
//! A local may hide a global of the same name. Then both are written with their places in the scope, globals
//! first: `x@0` and `x@3`. (No plain name contains an `@`, and one in braces ends with a brace.)

use crate::model::{Ersm, ProcId, Var};
use crate::syntax::{Name, most_similar};
use rustc_hash::FxHashMap;

/// Variables by name.
type Index = FxHashMap<Name, Vec<Var>>;

/// The variables of a machine by name.
pub(super) struct Naming<'e> {
    ersm: &'e Ersm,
    globals: Index,
}

/// The variables of a procedure's scope by name.
pub(super) struct ScopeNames<'n> {
    naming: &'n Naming<'n>,
    procedure: ProcId,
    locals: Index,
}

fn index<'v>(variables: impl Iterator<Item = (Name, Var)> + 'v) -> Index {
    let mut index = Index::default();
    variables.for_each(|(name, var)| index.entry(name).or_default().push(var));
    index
}

impl<'e> Naming<'e> {
    pub(super) fn new(ersm: &'e Ersm) -> Naming<'e> {
        let globals = ersm.globals.iter().enumerate().map(|(number, v)| (v.name, Var::Global(number as u32)));
        Naming { ersm, globals: index(globals) }
    }

    /// The scope of a procedure of the machine.
    pub(super) fn scope(&self, procedure: ProcId) -> ScopeNames<'_> {
        let locals = self.ersm.procedure(procedure).locals.iter().enumerate();
        let locals = index(locals.map(|(number, v)| (v.name, Var::Local(number as u32))));
        ScopeNames { naming: self, procedure, locals }
    }
}

impl ScopeNames<'_> {
    fn called(&self, name: Name) -> impl Iterator<Item = Var> + '_ {
        self.naming.globals.get(&name).into_iter().chain(self.locals.get(&name)).flatten().copied()
    }

    /// The name of a variable of the scope.
    pub(super) fn name(&self, var: Var) -> String {
        let ersm = self.naming.ersm;
        let text = ersm.variable_name(self.procedure, var);
        let is_only = ersm.names.find(text).is_some_and(|name| self.called(name).nth(1).is_none());
        if is_only { text.to_owned() } else { format!("{text}@{}", ersm.bit(var)) }
    }

    /// The variable with this name.
    pub(super) fn find(&self, text: &str) -> Option<Var> {
        let names = &self.naming.ersm.names;
        if let Some(name) = names.find(text) {
            let mut called = self.called(name);
            return called.next().filter(|_| called.next().is_none());
        }
        let (text, place) = text.rsplit_once('@')?;
        let (name, place) = (names.find(text)?, place.parse::<usize>().ok()?);
        self.called(name).find(|&var| self.naming.ersm.bit(var) == place)
    }

    /// What somebody who wrote an unknown name may have meant.
    pub(super) fn similar(&self, text: &str) -> Option<String> {
        let names = self.locals.keys().chain(self.naming.globals.keys()).map(|&name| self.naming.ersm.names.text(name));
        let mut names: Vec<&str> = names.collect();
        names.sort_unstable();
        most_similar(text, names).map(str::to_owned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::build_bp;
    use crate::syntax::{Source, bp};

    #[test]
    fn hidden_globals_and_results_have_names_of_their_own() {
        let text = "decl x, y, {a@0}; void main() begin y := p(x); end bool p(x) begin decl result1; return x; end";
        let (program, _) = bp::parse(&Source::new("t.bp", text)).unwrap_or_else(|e| panic!("{:?}", e[0]));
        let (ersm, _) = build_bp(&program);
        let naming = Naming::new(&ersm);
        let scope = naming.scope(ProcId(1));
        let vars = (0..3).map(Var::Global).chain((0..3).map(Var::Local));
        let names: Vec<String> = vars.clone().map(|var| scope.name(var)).collect();
        assert_eq!(names, ["x@0", "y", "{a@0}", "x@3", "result1@4", "result1@5"]);
        assert_eq!(names.iter().map(|name| scope.find(name)).collect::<Vec<_>>(), vars.map(Some).collect::<Vec<_>>());
        for unknown in ["x", "y@0", "x@1", "x@", "z", "", "@", "result1@99999999999999999999"] {
            assert_eq!(scope.find(unknown), None, "{unknown}");
        }
    }
}
