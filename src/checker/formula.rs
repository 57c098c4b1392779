//! A query as a formula, in the words of the source.

use super::{Checker, Engine};
use crate::engine::quantify::Encoding;
use crate::engine::quantify::formula::{Meaning, formula as quantified};
use crate::engine::summarize::formula::{Formula, formula};
use crate::logic::Query;
use crate::model::{Ersm, ProcId, Var, Vertex};
use crate::syntax::Span;
use epitome_encodings::{Extent, Qbf, Recursive, UnfoldError};

/// A formula with names.
#[derive(Clone, Debug)]
pub struct NamedFormula {
    /// The clauses, and what they are about.
    pub formula: Formula,
    /// By copy: the name of its procedure; empty for the whole question.
    pub copies: Vec<String>,
    /// By meaning: the name of the variable, and where it has the value.
    pub variables: Vec<(String, Option<Span>)>,
}

/// A quantified formula with names.
#[derive(Clone, Debug)]
pub struct NamedQbf {
    /// True exactly if the query is violated.
    pub qbf: Qbf,
    /// What its inputs stand for, outermost first; the same input may have several names. Where the name is that of
    /// a variable of the program at a vertex, the vertex and its place come with it.
    pub names: Vec<(u32, String, Option<At>)>,
}

/// A vertex, and where it stands in the source.
pub type At = (Vertex, Span);

impl Checker<'_> {
    /// The quantified formula that is true exactly if the query is violated; there is none for programs with
    /// recursion.
    ///
    /// ```
    /// use epitome::syntax::{Language, Program, Source};
    /// use epitome::{Checker, engine::quantify::Encoding, logic::Query};
    /// let source = Source::new("a.bp", "decl g; void main() begin while (*) do g := !g; od assert(g); end");
    /// let (program, _) = Program::parse(&source, Language::Bp).unwrap();
    /// let named = Checker::new(&program).quantified(&Query::Failures, Encoding::Modular).unwrap();
    /// assert!(named.qbf.alternations() > 0);
    /// ```
    pub fn quantified(&self, query: &Query, encoding: Encoding) -> Result<NamedQbf, Recursive> {
        let goal = self.goal(query);
        let reduced = self.reduce(Engine::Auto, &goal);
        let ersm = reduced.ersm();
        let formula = quantified(ersm, reduced.goal(), encoding)?;
        let name = |procedure: ProcId, var: Var| {
            format!("{}::{}", ersm.procedure_name(procedure), ersm.variable_name(procedure, var))
        };
        let place = |procedure: ProcId, vertex: Vertex| match reduced.back() {
            Some(back) => {
                let above = &back.procedures[procedure.index()];
                span(&self.ersm, above.procedure, above.vertex(vertex))
            }
            None => span(&self.ersm, procedure, vertex),
        };
        let names = formula.meanings.iter().map(|&(input, meaning)| match meaning {
            Meaning::Call(bit) => (input, format!("call.{bit}"), None),
            Meaning::Variable(procedure, var, at) => {
                (input, name(procedure, var), at.map(|vertex| (vertex, place(procedure, vertex))))
            }
            Meaning::Middle(procedure, var) => (input, format!("{}@middle", name(procedure, var)), None),
            Meaning::MiddlePlace(procedure, bit) => {
                (input, format!("{}@middle.{bit}", ersm.procedure_name(procedure)), None)
            }
            Meaning::Way(procedure) => (input, format!("{}.way", ersm.procedure_name(procedure)), None),
            Meaning::Start => (input, "start".to_owned(), None),
            Meaning::Step => (input, "step".to_owned(), None),
            Meaning::Bit(bit) => (input, formula.configuration[bit as usize].clone(), None),
        });
        let names = names.collect();
        Ok(NamedQbf { qbf: formula.qbf, names })
    }

    /// The formula that is satisfiable exactly if the query is violated (within a depth, if there is one).
    ///
    /// ```
    /// use epitome::syntax::{Language, Program, Source};
    /// use epitome::{Checker, logic::Query};
    /// use epitome_encodings::Extent;
    /// let source = Source::new("a.bp", "decl g; void main() begin assert(g); end");
    /// let (program, _) = Program::parse(&source, Language::Bp).unwrap();
    /// let extent = Extent { depth: None, most_clauses: 1_000 };
    /// let named = Checker::new(&program).formula(&Query::Failures, extent).unwrap();
    /// assert_eq!((named.formula.cnf.len(), named.copies), (1, vec![String::new(), "main".to_owned()]));
    /// ```
    pub fn formula(&self, query: &Query, extent: Extent) -> Result<NamedFormula, UnfoldError> {
        let goal = self.goal(query);
        let reduced = self.reduce(Engine::Auto, &goal);
        let ersm = reduced.ersm();
        let formula = formula(ersm, reduced.goal(), extent)?;
        let name = |procedure: Option<ProcId>| procedure.map_or("", |id| ersm.procedure_name(id)).to_owned();
        let copies = formula.copies.iter().map(|copy| name(copy.procedure)).collect();
        let variables = formula.meanings.iter().filter_map(|meaning| {
            let procedure = formula.copies[meaning.copy as usize].procedure?;
            let name = ersm.variable_name(procedure, meaning.var).to_owned();
            let above = reduced.back().map(|back| &back.procedures[procedure.index()]);
            let place = |vertex| match above {
                Some(above) => span(&self.ersm, above.procedure, above.vertex(vertex)),
                None => span(&self.ersm, procedure, vertex),
            };
            Some((name, meaning.at.map(place)))
        });
        let variables = variables.collect();
        Ok(NamedFormula { formula, copies, variables })
    }
}

/// Where a vertex stands: a port where its call does.
fn span(ersm: &Ersm, procedure: ProcId, vertex: Vertex) -> Span {
    let procedure = ersm.procedure(procedure);
    match vertex {
        Vertex::Node(node) => procedure.nodes[node.index()].span,
        Vertex::Call(site, _) | Vertex::Return(site, _) => {
            let calls = |to: Vertex| matches!(to, Vertex::Call(other, _) if other == site);
            procedure.edges.iter().find(|edge| calls(edge.to)).map_or(procedure.span, |edge| edge.span)
        }
    }
}
