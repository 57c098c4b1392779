//! Boolean program to ERSM (Godefroid 2.1, Ball 2.3).
//!
//! Each procedure has one entry, one node for each statement, one exit, and one node for each
//! assertion that failed (Ball's Err vertex, kept apart so that a trace knows which one). A call
//! statement is a node with a transition into its box: the state before a call can be observed, and a
//! label on it can be reached. Results are locals of the callee that `return` assigns.
//!
//! `enforce e` holds at each point of a procedure, so every transition into a point is guarded by `e`
//! over the values it leaves; `constrain c` is part of the guard, with the new values in place of the
//! primed variables. Both are compositions of circuits.

use super::ersm::{CallBox, Ersm, Failure, Initial, NamedPlace, Node, NodeId, ProcId, Procedure, Variable, Vertex};
use super::lower::Step;
use super::source_map::SourceMap;
use crate::syntax::bp::{Kind, Label, Landing, Program, Target};
use crate::syntax::{Expr, FAILURE_LABELS, Name, Owner, Place, Span, Var};
use epitome_encodings::Lit;

/// Builds the model of a program and the way back to it.
///
/// ```
/// use epitome::{model::build_bp, syntax::{Source, bp}};
/// let (program, _) = bp::parse(&Source::new("a.bp", "void main() begin assert(0); end")).unwrap();
/// let (ersm, _) = build_bp(&program);
/// assert_eq!(ersm.failures.len(), 1);
/// ```
pub fn build_bp(program: &Program) -> (Ersm, SourceMap) {
    let mut builder = Builder {
        program,
        ersm: Ersm { names: program.names.clone(), ..Ersm::default() },
        map: SourceMap::default(),
        result_names: Vec::new(),
    };
    builder.ersm.globals = program.globals.iter().map(Variable::from).collect();
    let most_results = program.procedures.iter().map(|p| p.results).max().unwrap_or(0);
    builder.result_names = (0..most_results).map(|i| builder.ersm.names.intern(&format!("result{}", i + 1))).collect();
    for index in 0..program.procedures.len() {
        builder.procedure(index);
    }
    let entry = builder.ersm.procedures[program.main].entries[0];
    builder.ersm.initial = vec![(ProcId::from(program.main), entry)];
    (builder.ersm, builder.map)
}

struct Builder<'p> {
    program: &'p Program,
    ersm: Ersm,
    map: SourceMap,
    result_names: Vec<Name>,
}

/// Nodes of a procedure under construction.
struct Nodes {
    /// Node of each statement where control can rest.
    of_statement: Vec<Option<NodeId>>,
    exit: NodeId,
}

impl Builder<'_> {
    fn procedure(&mut self, index: usize) {
        let source = &self.program.procedures[index];
        let mut locals: Vec<Variable> = source.locals.iter().map(Variable::from).collect();
        let results = locals.len() as u32..(locals.len() + source.results) as u32;
        locals.extend(self.result_names[..source.results].iter().map(|&name| Variable {
            name,
            initial: Initial::Arbitrary,
            digit: 0,
        }));
        let mut procedure = Procedure {
            name: source.name,
            locals,
            inputs: (0..source.parameters as u32).collect(),
            outputs: results.collect(),
            nodes: Vec::new(),
            boxes: Vec::new(),
            entries: Vec::new(),
            exits: Vec::new(),
            edges: Vec::new(),
            span: source.span,
            footprint: None,
        };
        let nodes = self.nodes(index, &mut procedure);
        let landing = source.landing();
        let first = destination(&nodes, landing[0]);
        self.edge(index, &mut procedure, Vertex::Node(NodeId(0)), first, Step::new(), source.span);
        for statement in 0..source.body.len() {
            self.statement(index, &mut procedure, &nodes, &landing, statement);
        }
        self.ersm.procedures.push(procedure);
    }

    /// Makes the entry, the statements' nodes and the exit, with labels and places.
    fn nodes(&mut self, index: usize, procedure: &mut Procedure) -> Nodes {
        let source = &self.program.procedures[index];
        let mut places = vec![None];
        let node = |span| Node { propositions: Box::default(), owner: Owner::System, span };
        procedure.nodes.push(node(source.span));
        procedure.entries.push(NodeId(0));
        let mut of_statement = vec![None; source.body.len()];
        for (statement, syntax) in source.body.iter().enumerate() {
            if !syntax.kind.is_marker() {
                of_statement[statement] = Some(NodeId::from(procedure.nodes.len()));
                procedure.nodes.push(node(syntax.span));
                places.push(Some(Place::Statement(statement as u32)));
            }
        }
        let exit = NodeId::from(procedure.nodes.len());
        procedure.nodes.push(node(source.end_span));
        procedure.exits.push(exit);
        places.push(Some(Place::End));
        self.map.places.push(places);
        self.labels(index, procedure, &of_statement);
        Nodes { of_statement, exit }
    }

    fn labels(&mut self, index: usize, procedure: &mut Procedure, of_statement: &[Option<NodeId>]) {
        let labels = self.program.procedures[index].labels.iter().filter(|label| !label.is_internal);
        let labels: Vec<Label> = labels.copied().collect();
        for chunk in labels.chunk_by(|a, b| a.statement == b.statement) {
            let Some(node) = of_statement[chunk[0].statement as usize] else { continue };
            procedure.nodes[node.index()].propositions = chunk.iter().map(|label| label.name).collect();
            for label in chunk {
                let procedure = ProcId::from(index);
                self.ersm.places.push(NamedPlace { name: label.name, procedure, node, span: label.span });
            }
            if chunk.iter().any(|label| FAILURE_LABELS.contains(&self.program.names.text(label.name))) {
                self.ersm.failures.push(Failure { procedure: ProcId::from(index), node });
            }
        }
    }

    fn statement(
        &mut self,
        index: usize,
        procedure: &mut Procedure,
        nodes: &Nodes,
        landing: &Landing,
        statement: usize,
    ) {
        let source = &self.program.procedures[index];
        let Some(node) = nodes.of_statement[statement] else { return };
        let span = source.body[statement].span;
        let from = Vertex::Node(node);
        let next = destination(nodes, landing[statement + 1]);
        let mut step = Step::new();
        match &source.body[statement].kind {
            Kind::Skip | Kind::Print(_) => self.edge(index, procedure, from, next, step, span),
            Kind::Goto(labels) => {
                for &label in labels {
                    let target = destination(nodes, landing[source.labels[label as usize].statement as usize]);
                    self.edge(index, procedure, from, target, Step::new(), span);
                }
            }
            Kind::Return(values) => {
                for (&output, &value) in procedure.outputs.iter().zip(values) {
                    let value = step.lower(&mut self.ersm, &self.program.exprs, value);
                    step.assignments.push((Var::Local(output), value));
                }
                self.edge(index, procedure, from, Vertex::Node(nodes.exit), step, span);
            }
            Kind::Assign { targets, values, constrain } => {
                for (target, &value) in targets.iter().zip(values) {
                    let value = step.lower(&mut self.ersm, &self.program.exprs, value);
                    step.assignments.extend(target.map(|var| (var, value)));
                }
                if let Some(constrain) = *constrain {
                    step.constrain(&mut self.ersm, &self.program.exprs, constrain);
                }
                self.edge(index, procedure, from, next, step, span);
            }
            Kind::Call { callee, arguments, targets } => {
                self.call(index, procedure, (from, next, span), *callee, arguments, targets);
            }
            Kind::Assume(condition) => {
                step.guard = step.lower(&mut self.ersm, &self.program.exprs, *condition);
                self.edge(index, procedure, from, next, step, span);
            }
            Kind::Assert(condition) => {
                let failed = self.failed(index, procedure, statement, span);
                self.branch(index, procedure, from, *condition, (next, failed), span);
            }
            Kind::Dead(vars) => {
                for &var in vars {
                    let value = step.choice(&mut self.ersm, Owner::System);
                    step.assignments.push((var, value));
                }
                self.edge(index, procedure, from, next, step, span);
            }
            Kind::If { condition, .. } | Kind::Elsif { condition, .. } | Kind::While { condition, .. } => {
                let otherwise = destination(nodes, source.otherwise(statement, landing));
                self.branch(index, procedure, from, *condition, (next, otherwise), span);
            }
            Kind::Else { .. } | Kind::Fi | Kind::Od { .. } => {}
        }
    }

    /// The node of a failed assertion.
    fn failed(&mut self, index: usize, procedure: &mut Procedure, statement: usize, span: Span) -> Vertex {
        let node = NodeId::from(procedure.nodes.len());
        procedure.nodes.push(Node { propositions: Box::default(), owner: Owner::System, span });
        self.map.places[index].push(Some(Place::Failed(statement as u32)));
        self.ersm.failures.push(Failure { procedure: ProcId::from(index), node });
        Vertex::Node(node)
    }

    fn branch(
        &mut self,
        index: usize,
        procedure: &mut Procedure,
        from: Vertex,
        condition: Expr,
        to: (Vertex, Vertex),
        span: Span,
    ) {
        for (value, to) in [(true, to.0), (false, to.1)] {
            let mut step = Step::new();
            step.guard = step.lower(&mut self.ersm, &self.program.exprs, condition).negate_if(!value);
            if step.guard != Lit::FALSE {
                self.edge(index, procedure, from, to, step, span);
            }
        }
    }

    fn call(
        &mut self,
        index: usize,
        procedure: &mut Procedure,
        (from, next, span): (Vertex, Vertex, Span),
        callee: u32,
        arguments: &[Expr],
        targets: &[Target],
    ) {
        let mut step = Step::new();
        let arguments =
            arguments.iter().map(|&argument| step.lower(&mut self.ersm, &self.program.exprs, argument)).collect();
        let results = match targets {
            [] => vec![None; self.program.procedures[callee as usize].results],
            targets => targets.to_vec(),
        };
        let site = procedure.boxes.len().into();
        let choices = step.choices.into();
        procedure.boxes.push(CallBox {
            name: None,
            callee: ProcId(callee),
            arguments,
            choices,
            results: results.into(),
        });
        // The call port is not a point of this procedure: `enforce` does not apply to it.
        procedure.edges.push(Step::new().into_edge(from, Vertex::Call(site, 0), None, span));
        self.edge(index, procedure, Vertex::Return(site, 0), next, Step::new(), span);
    }

    /// Adds a transition into a point of the procedure, where `enforce` must hold.
    fn edge(&mut self, index: usize, procedure: &mut Procedure, from: Vertex, to: Vertex, mut step: Step, span: Span) {
        if let Some(enforce) = self.program.procedures[index].enforce {
            step.enforce(&mut self.ersm, &self.program.exprs, enforce);
        }
        procedure.edges.push(step.into_edge(from, to, None, span));
    }
}

fn destination(nodes: &Nodes, landing: Option<u32>) -> Vertex {
    Vertex::Node(landing.and_then(|statement| nodes.of_statement[statement as usize]).unwrap_or(nodes.exit))
}
