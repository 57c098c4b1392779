//! The body of one procedure of a Boolean program.
//!
//! Blocks of statements stand for nodes, for call ports, and for what follows a call; they are written
//! in the order in which a walk meets them, so that most of them follow the one that goes there.
//!
//! - A node with several transitions is `goto n_1, n_2;`, each transition an `assume`, a parallel
//!   assignment and a `goto`. Where the environment chooses, it is `if (env) …`. A node without
//!   transitions is `assume(0);`.
//! - A call port is the call, with the number of the entry as additional arguments; after it the number
//!   of the exit, an additional result, decides which transitions are possible.
//! - A node that must not be reached has the label `ERROR`. A label stands on one statement only: if
//!   there are several such nodes, each of them may go to one common statement.

use super::bp_code::{Code, LabelId};
use super::circuit_expr::{TooLarge, Writer};
use super::names::{BP, Namer};
use super::scope::Scope;
use super::source_names::{SourceNames, means_failure};
use super::steps::{Step, and, arguments, step};
use super::to_bp::{Signature, constant_bits, number_is};
use crate::model::{BoxId, Edge, Ersm, NodeId, Owner, ProcId, Procedure, Var, Vertex};
use crate::syntax::FAILURE_LABELS;
use crate::syntax::bp::Kind;
use crate::syntax::{Expr, Exprs, Op};
use rustc_hash::{FxHashMap, FxHashSet};

/// What is the same for all procedures.
pub(super) struct Context<'e> {
    pub(super) ersm: &'e Ersm,
    pub(super) source: SourceNames,
    pub(super) signatures: Vec<Signature>,
}

/// A run of statements with a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Block {
    Node(NodeId),
    /// A box and an entry of its callee.
    Call(BoxId, u32),
    /// What follows the calls of a box.
    After(BoxId),
}

/// A transition, and what must hold of the number of the exit before it.
type Branch<'e> = (Option<Vec<Op>>, &'e Edge);

/// The body that is being written.
pub(super) struct Body<'a, 'e, 'n> {
    context: &'a Context<'e>,
    id: ProcId,
    procedure: &'e Procedure,
    writer: &'a mut Writer<'e>,
    exprs: &'a mut Exprs,
    scope: &'a mut Scope<'n>,
    code: Code,
    names: Namer<'static>,
    /// Labels of nodes; the first is the one to go to.
    nodes: Vec<Vec<LabelId>>,
    ports: FxHashMap<Block, LabelId>,
    /// The common label of several nodes that must not be reached.
    error: Option<LabelId>,
    from: FxHashMap<Vertex, Vec<&'e Edge>>,
    /// The numbers of the exits.
    exits: FxHashMap<NodeId, usize>,
    /// Variables for the number of an exit, as many as some callee needs.
    exit: Vec<Var>,
    todo: Vec<Block>,
    written: FxHashSet<Block>,
}

impl<'a, 'e, 'n> Body<'a, 'e, 'n> {
    /// Writes the body of a procedure whose locals have their places; `entry` are the parameters with
    /// the number of the entry.
    pub(super) fn write(
        context: &'a Context<'e>,
        id: ProcId,
        (writer, exprs): (&'a mut Writer<'e>, &'a mut Exprs),
        scope: &'a mut Scope<'n>,
        entry: &[Var],
    ) -> Result<Code, TooLarge> {
        let procedure = context.ersm.procedure(id);
        let mut from: FxHashMap<Vertex, Vec<&Edge>> = FxHashMap::default();
        for edge in &procedure.edges {
            from.entry(edge.from).or_default().push(edge);
        }
        let bits = procedure.boxes.iter().map(|site| context.signatures[site.callee.index()].exit_bits);
        let exit = (0..bits.max().unwrap_or(0)).map(|bit| scope.add(&format!("exit{}", bit + 1))).collect();
        let mut body = Body {
            context,
            id,
            procedure,
            writer,
            exprs,
            scope,
            code: Code::default(),
            names: Namer::new(&BP),
            nodes: Vec::new(),
            ports: FxHashMap::default(),
            error: None,
            from,
            exits: procedure.exits.iter().enumerate().map(|(number, &node)| (node, number)).collect(),
            exit,
            todo: Vec::new(),
            written: FxHashSet::default(),
        };
        body.node_labels();
        body.start(entry);
        body.blocks()?;
        body.common_error();
        Ok(body.code)
    }

    /// Labels of the source first, so that nothing takes their names.
    fn node_labels(&mut self) {
        let (context, ersm) = (self.context, self.context.ersm);
        FAILURE_LABELS.iter().for_each(|word| self.names.reserve(word));
        self.nodes = vec![Vec::new(); self.procedure.nodes.len()];
        let names = context.source.of_nodes(ersm, self.id).into_iter().enumerate();
        let names = names.filter_map(|(node, name)| Some((NodeId::from(node), name?)));
        for (node, name) in names.chain(context.source.places(self.id).iter().copied()) {
            let text = ersm.names.text(name);
            let number = text.bytes().all(|byte| byte.is_ascii_digit()) && !self.names.has(text);
            if number {
                self.names.reserve(text); // a label may be a number
            }
            let text = if number { Some(text.to_owned()) } else { self.names.exactly(text) };
            let label = text.map(|text| self.code.kept_label(text));
            self.nodes[node.index()].extend(label);
        }
        for node in 0..self.nodes.len() {
            if self.nodes[node].is_empty() {
                let text = self.names.fresh(&format!("n{node}"));
                self.nodes[node].push(self.code.label(text));
            }
        }
        self.error_labels();
    }

    /// One node that must not be reached has the label itself, several share one.
    fn error_labels(&mut self) {
        let failures = self.context.source.failures(self.id);
        let only = failures.iter().next().filter(|_| failures.len() == 1);
        let Some(&node) = only else {
            let label = || self.code.kept_label(FAILURE_LABELS[0].to_owned());
            self.error = (!failures.is_empty()).then(label);
            return;
        };
        let places = self.context.source.places(self.id).iter().filter(|place| place.0 == node);
        let words = places.map(|place| self.context.ersm.names.text(place.1)).filter(|text| means_failure(text));
        let mut words: Vec<&str> = words.collect();
        words.sort_unstable();
        words.dedup();
        if words.is_empty() {
            words.push(FAILURE_LABELS[0]);
        }
        for word in words {
            let label = self.code.kept_label(word.to_owned());
            self.nodes[node.index()].push(label);
        }
    }

    /// Goes to the entry, or to the one that the parameters say.
    fn start(&mut self, entry: &[Var]) {
        let entries = &self.procedure.entries;
        match entries[..] {
            [] => self.block_run(),
            [only] => self.jump(Block::Node(only)),
            _ => {
                let labels: Vec<LabelId> = (0..entries.len()).map(|i| self.new_label(&format!("enter_{i}"))).collect();
                self.code.goto(&labels);
                for (number, (&node, label)) in entries.iter().zip(labels).enumerate() {
                    self.code.place(label);
                    self.assume(number_is(entry, number));
                    self.jump(Block::Node(node));
                }
            }
        }
    }

    /// Writes every block, those of the walk first.
    fn blocks(&mut self) -> Result<(), TooLarge> {
        for node in 0..=self.procedure.nodes.len() {
            while let Some(block) = self.todo.pop() {
                if self.written.insert(block) {
                    self.block(block)?;
                }
            }
            if node < self.procedure.nodes.len() {
                self.todo.push(Block::Node(NodeId::from(node)));
            }
        }
        Ok(())
    }

    fn block(&mut self, block: Block) -> Result<(), TooLarge> {
        match block {
            Block::Node(node) => self.node(node),
            Block::Call(site, entry) => self.call(site, entry),
            Block::After(site) => self.after(site),
        }
    }

    fn node(&mut self, node: NodeId) -> Result<(), TooLarge> {
        for label in self.nodes[node.index()].clone() {
            self.code.place(label);
        }
        let exit = self.exits.get(&node).copied();
        let branches = self.from.get(&Vertex::Node(node)).map_or(&[][..], Vec::as_slice);
        let branches: Vec<Branch<'e>> = branches.iter().map(|edge| (None, *edge)).collect();
        let name = self.code.name(self.nodes[node.index()][0]).to_owned();
        if self.context.source.failures(self.id).contains(&node) {
            match self.error {
                None => self.code.push(Kind::Skip),
                Some(error) if exit.is_none() && branches.is_empty() => {
                    self.code.goto(&[error]);
                    return Ok(());
                }
                Some(error) => {
                    let label = self.new_label(&format!("{name}_on"));
                    self.code.goto(&[error, label]);
                    self.code.place(label);
                }
            }
        }
        match exit {
            Some(exit) => {
                self.leave(exit);
                Ok(())
            }
            None => self.branches(&name, self.procedure.nodes[node.index()].owner, &branches),
        }
    }

    /// `return` with the results and the number of the exit.
    fn leave(&mut self, exit: usize) {
        let outputs = self.procedure.outputs.iter().map(|&output| Op::Var(self.scope.var(Var::Local(output))));
        let bits = constant_bits(self.context.signatures[self.id.index()].exit_bits, exit);
        let values: Vec<Op> = outputs.chain(bits).collect();
        let values = values.into_iter().map(|op| self.exprs.add([op])).collect();
        self.code.push(Kind::Return(values));
    }

    fn call(&mut self, site: BoxId, entry: u32) -> Result<(), TooLarge> {
        let label = self.port_label(Block::Call(site, entry));
        self.code.place(label);
        let CallSite { callee, results, .. } = self.site(site);
        let signature = &self.context.signatures[callee.index()];
        let arguments = arguments(self.writer, self.scope, &self.procedure.boxes[site.index()])?;
        let choices = arguments.choices.into_iter().map(|(var, owner)| (var, vec![Op::Choice(owner)])).collect();
        self.assign(choices, None);
        let bits = constant_bits(signature.entry_bits, entry as usize).map(|op| vec![op]);
        let values = arguments.values.into_iter().chain(bits).map(|ops| self.exprs.add(ops)).collect();
        let results = results.iter().map(|result| result.map(|var| self.scope.var(var)));
        let mut targets: Vec<Option<Var>> = results.collect();
        targets.extend(self.exit[..signature.exit_bits].iter().copied().map(Some));
        if targets.iter().all(Option::is_none) {
            targets.clear();
        }
        self.code.push(Kind::Call { callee: callee.0, arguments: values, targets: targets.into() });
        self.jump(Block::After(site));
        Ok(())
    }

    fn after(&mut self, site: BoxId) -> Result<(), TooLarge> {
        let label = self.port_label(Block::After(site));
        self.code.place(label);
        let signature = &self.context.signatures[self.site(site).callee.index()];
        let mut branches: Vec<Branch<'e>> = Vec::new();
        for exit in 0..signature.exits {
            let edges = self.from.get(&Vertex::Return(site, exit as u32)).map_or(&[][..], Vec::as_slice);
            let taken = || number_is(&self.exit[..signature.exit_bits], exit);
            branches.extend(edges.iter().map(|edge| (taken(), *edge)));
        }
        let name = self.code.name(label).to_owned();
        self.branches(&name, Owner::System, &branches)
    }

    /// One of the transitions.
    fn branches(&mut self, name: &str, owner: Owner, branches: &[Branch<'e>]) -> Result<(), TooLarge> {
        match branches {
            [] => self.block_run(),
            [(exit, edge)] => self.transition(exit.clone(), edge)?,
            _ => {
                let label = |place: usize| self.new_label(&format!("{name}_{}", place + 1));
                let labels: Vec<LabelId> = (0..branches.len()).map(label).collect();
                match owner {
                    Owner::System => self.code.goto(&labels),
                    Owner::Environment => {
                        self.code.decide(&labels, || self.exprs.add([Op::Choice(Owner::Environment)]));
                    }
                }
                for ((exit, edge), label) in branches.iter().zip(labels) {
                    self.code.place(label);
                    self.transition(exit.clone(), edge)?;
                }
            }
        }
        Ok(())
    }

    fn transition(&mut self, exit: Option<Vec<Op>>, edge: &Edge) -> Result<(), TooLarge> {
        let Step { when, assignments, constrain } = step(self.writer, self.scope, edge, 0)?;
        self.assume(match when {
            Some(when) => and(exit, when),
            None => exit,
        });
        self.assign(assignments, constrain);
        match edge.to {
            Vertex::Node(node) => self.jump(Block::Node(node)),
            Vertex::Call(site, entry) => self.jump(Block::Call(site, entry)),
            Vertex::Return(site, _) => self.jump(Block::After(site)),
        }
        Ok(())
    }

    /// The statement that all nodes that must not be reached may go to.
    fn common_error(&mut self) {
        if let Some(error) = self.error {
            self.code.place(error);
            self.code.push(Kind::Skip);
            self.block_run();
        }
    }

    fn jump(&mut self, block: Block) {
        let label = match block {
            Block::Node(node) => self.nodes[node.index()][0],
            _ => self.port_label(block),
        };
        self.code.goto(&[label]);
        self.todo.push(block);
    }

    fn port_label(&mut self, block: Block) -> LabelId {
        if let Some(&label) = self.ports.get(&block) {
            return label;
        }
        let text = match block {
            Block::Node(node) => format!("n{}", node.0),
            Block::Call(site, entry) => match self.site(site) {
                CallSite { name, entries: 0 | 1, .. } => format!("call_{name}"),
                CallSite { name, .. } => format!("call_{name}_{entry}"),
            },
            Block::After(site) => format!("after_{}", self.site(site).name),
        };
        let label = self.new_label(&text);
        self.ports.insert(block, label);
        label
    }

    fn site(&self, site: BoxId) -> CallSite<'e> {
        let call = &self.procedure.boxes[site.index()];
        let name = call.name.map_or_else(|| format!("b{}", site.0 + 1), |n| self.context.ersm.names.text(n).to_owned());
        let entries = self.context.ersm.procedure(call.callee).entries.len();
        CallSite { name, callee: call.callee, results: &call.results, entries }
    }

    fn new_label(&mut self, text: &str) -> LabelId {
        let text = self.names.fresh(text);
        self.code.label(text)
    }

    /// The run ends here.
    fn block_run(&mut self) {
        self.assume(Some(vec![Op::Const(false)]));
    }

    fn assume(&mut self, condition: Option<Vec<Op>>) {
        if let Some(condition) = condition {
            let condition = self.exprs.add(condition);
            self.code.push(Kind::Assume(condition));
        }
    }

    fn assign(&mut self, assignments: Vec<(Var, Vec<Op>)>, constrain: Option<Vec<Op>>) {
        if assignments.is_empty() {
            return self.assume(constrain);
        }
        let targets = assignments.iter().map(|(var, _)| Some(*var)).collect();
        let values: Vec<Expr> = assignments.into_iter().map(|(_, ops)| self.exprs.add(ops)).collect();
        let constrain = constrain.map(|ops| self.exprs.add(ops));
        self.code.push(Kind::Assign { targets, values: values.into(), constrain });
    }
}

/// What the blocks of a box need to know of it.
struct CallSite<'e> {
    name: String,
    callee: ProcId,
    results: &'e [Option<Var>],
    entries: usize,
}
