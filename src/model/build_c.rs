//! C to ERSM, by bit-blasting (Godefroid 2.1, Remark 4: variables of finite domains are Boolean variables).
//!
//! As with Boolean programs, each function has one entry, one node for each statement where control can rest, one exit,
//! and one node for each check that failed. A variable of `n` bits is `n` Boolean variables, lowest bit first; each
//! expression becomes a word of circuits. A statement that ends the run is a node without a way out.

use super::ersm::{
    CallBox, Ersm, Failure, Initial, Leaf, NamedPlace, Node, NodeId, ProcId, Procedure, Variable, Vertex,
};
use super::lower::Step;
use super::source_map::SourceMap;
use crate::syntax::c::{self, Binary, Expr, Function, IntType, Kind, Landing, Op, Program, Sign, Target, Unary};
use crate::syntax::{FAILURE_CALLS, FAILURE_LABELS, Name, Owner, Place, Span, Var};
use epitome_encodings::{Circuit, Lit, Word};

/// Builds the model of a program and the way back to it.
pub fn build_c(program: &Program) -> (Ersm, SourceMap) {
    let ersm = Ersm { names: program.names.clone(), ..Ersm::default() };
    let mut builder = Builder { program, ersm, map: SourceMap::default() };
    builder.ersm.globals = builder.bits(&program.globals);
    for index in 0..program.functions.len() {
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
}

/// A procedure under construction.
struct Building<'p> {
    index: usize,
    source: &'p Function,
    procedure: Procedure,
    /// Node of each statement where control can rest.
    nodes: Vec<Option<NodeId>>,
    exit: NodeId,
    landing: Landing,
}

impl Building<'_> {
    /// Where control rests that goes to a statement.
    fn destination(&self, statement: usize) -> Vertex {
        let landing = self.landing[statement].and_then(|statement| self.nodes[statement as usize]);
        Vertex::Node(landing.unwrap_or(self.exit))
    }

    fn edge(&mut self, from: Vertex, to: Vertex, step: Step, span: Span) {
        if step.guard != Lit::FALSE {
            self.procedure.edges.push(step.into_edge(from, to, None, span));
        }
    }

    fn node(&mut self, span: Span) -> NodeId {
        let id = NodeId::from(self.procedure.nodes.len());
        self.procedure.nodes.push(Node { propositions: Box::default(), owner: Owner::System, span });
        id
    }
}

/// A variable as the model has it: bit by bit.
fn bit_of(variables: &[c::Variable], index: u32, bit: usize) -> u32 {
    variables[index as usize].first_bit + bit as u32
}

impl Builder<'_> {
    /// The Boolean variables of a list of integer variables.
    fn bits(&mut self, variables: &[c::Variable]) -> Vec<Variable> {
        let mut bits = Vec::new();
        for variable in variables {
            let text = self.program.names.text(variable.name).to_owned();
            for bit in 0..variable.ty.bits {
                let name = match variable.ty.bits {
                    1 => variable.name,
                    _ => self.ersm.names.intern(&format!("{text}#{bit}")),
                };
                let initial = variable.initial.map(|value| value >> bit & 1 == 1);
                let initial = initial.map_or(Initial::Arbitrary, Initial::Fixed);
                bits.push(Variable { name, initial, digit: bit });
            }
        }
        bits
    }

    fn procedure(&mut self, index: usize) {
        let source = &self.program.functions[index];
        let range = |local: usize| {
            let variable = &source.locals[local];
            variable.first_bit..variable.first_bit + u32::from(variable.ty.bits)
        };
        let procedure = Procedure {
            name: source.name,
            locals: self.bits(&source.locals),
            inputs: (0..source.parameters).flat_map(range).collect(),
            outputs: source.results.iter().flat_map(|&result| range(result as usize)).collect(),
            nodes: Vec::new(),
            boxes: Vec::new(),
            entries: vec![NodeId(0)],
            exits: Vec::new(),
            edges: Vec::new(),
            span: source.span,
            footprint: None,
        };
        let nodes = vec![None; source.body.len()];
        let mut at = Building { index, source, procedure, nodes, exit: NodeId(0), landing: source.landing() };
        self.nodes(&mut at);
        let first = at.destination(0);
        at.edge(Vertex::Node(NodeId(0)), first, Step::new(), source.span);
        for statement in 0..source.body.len() {
            if let Some(node) = at.nodes[statement] {
                self.statement(&mut at, statement, Vertex::Node(node));
            }
        }
        self.ersm.procedures.push(at.procedure);
    }

    /// Makes the entry, the statements' nodes and the exit, with labels, failures and places.
    fn nodes(&mut self, at: &mut Building<'_>) {
        let source = at.source;
        let mut places = vec![None];
        at.node(source.span);
        for (index, statement) in source.body.iter().enumerate() {
            if at.landing[index] == Some(index as u32) {
                let node = at.node(statement.span);
                at.nodes[index] = Some(node);
                places.push(Some(Place::Statement(index as u32)));
                let called = match statement.kind {
                    Kind::Call { callee, .. } => Some(self.program.functions[callee as usize].name),
                    Kind::Stop { function } | Kind::Enter { function } => Some(function),
                    _ => None,
                };
                let text = |name: Name| self.program.names.text(name);
                // What an error function does is not another failure.
                let caller = text(self.program.function_at(at.index, index));
                let is_failure = called.is_some_and(|name| FAILURE_CALLS.contains(&text(name)));
                if is_failure && !FAILURE_CALLS.contains(&caller) {
                    self.ersm.failures.push(Failure { procedure: ProcId::from(at.index), node });
                }
            }
        }
        at.exit = at.node(source.end_span);
        at.procedure.exits.push(at.exit);
        places.push(Some(Place::End));
        self.map.places.push(places);
        for label in &source.labels {
            let Some(node) = at.nodes[label.statement as usize] else { continue };
            let procedure = ProcId::from(at.index);
            at.procedure.nodes[node.index()].propositions = Box::new([label.name]);
            self.ersm.places.push(NamedPlace { name: label.name, procedure, node, span: label.span });
            if FAILURE_LABELS.contains(&self.program.names.text(label.name)) {
                self.ersm.failures.push(Failure { procedure, node });
            }
        }
    }

    fn statement(&mut self, at: &mut Building<'_>, statement: usize, from: Vertex) {
        let source = at.source;
        let span = source.body[statement].span;
        let next = at.destination(statement + 1);
        let mut step = Step::new();
        match &source.body[statement].kind {
            Kind::Skip | Kind::Enter { .. } => at.edge(from, next, step, span),
            Kind::Goto(goal) => at.edge(from, at.destination(*goal as usize), step, span),
            Kind::Assign { target, value } => {
                let value = self.word(at.index, *value);
                self.assign(&mut step, at.index, *target, &value);
                at.edge(from, next, step, span);
            }
            Kind::Input { target, .. } => {
                self.forget(&mut step, at.index, *target);
                at.edge(from, next, step, span);
            }
            Kind::Forget(vars) => {
                vars.iter().for_each(|&var| self.forget(&mut step, at.index, var));
                at.edge(from, next, step, span);
            }
            Kind::Branch { condition, then, otherwise } => {
                let condition = self.bit(at.index, *condition);
                let (then, otherwise) = (at.destination(*then as usize), at.destination(*otherwise as usize));
                for (guard, to) in [(condition, then), (!condition, otherwise)] {
                    at.edge(from, to, Step { guard, ..Step::new() }, span);
                }
            }
            Kind::Assume(condition) => {
                let guard = self.bit(at.index, *condition);
                at.edge(from, next, Step { guard, ..Step::new() }, span);
            }
            Kind::Check { condition, .. } => {
                let guard = self.bit(at.index, *condition);
                let failed = at.node(span);
                self.map.places[at.index].push(Some(Place::Failed(statement as u32)));
                at.edge(from, next, Step { guard, ..Step::new() }, span);
                at.edge(from, Vertex::Node(failed), Step { guard: !guard, ..Step::new() }, span);
            }
            Kind::Return(value) => {
                if let (Some(value), Some(&result)) = (value, source.results.first()) {
                    let value = self.word(at.index, *value);
                    self.assign(&mut step, at.index, Target::Cell(Var::Local(result)), &value);
                }
                at.edge(from, Vertex::Node(at.exit), step, span);
            }
            Kind::Call { callee, arguments, targets } => {
                let words = arguments.iter().flat_map(|&argument| self.word(at.index, argument));
                let arguments: Box<[Lit]> = words.collect();
                let called = &self.program.functions[*callee as usize];
                let mut results = Vec::new();
                for (target, &result) in targets.iter().zip(&called.results) {
                    let bits = 0..usize::from(called.locals[result as usize].ty.bits);
                    results.extend(bits.map(|bit| target.map(|var| self.model_var(at.index, var, bit))));
                }
                let results = results.into();
                let site = at.procedure.boxes.len().into();
                let callee = ProcId(*callee);
                at.procedure.boxes.push(CallBox { name: None, callee, arguments, choices: Box::default(), results });
                at.edge(from, Vertex::Call(site, 0), Step::new(), span);
                at.edge(Vertex::Return(site, 0), next, Step::new(), span);
            }
            Kind::Stop { .. } => {}
        }
    }

    /// The Boolean variable of one bit of a variable.
    fn model_var(&self, function: usize, var: Var, bit: usize) -> Var {
        match var {
            Var::Global(index) => Var::Global(bit_of(&self.program.globals, index, bit)),
            Var::Local(index) => Var::Local(bit_of(&self.program.functions[function].locals, index, bit)),
        }
    }

    fn read(&mut self, function: usize, var: Var) -> Word {
        let bits = usize::from(self.program.variable(function, var).ty.bits);
        let leaf = |bit| Leaf::Var(self.model_var(function, var, bit));
        let leaves: Vec<Leaf> = (0..bits).map(leaf).collect();
        leaves.into_iter().map(|leaf| self.ersm.leaf(leaf)).collect()
    }

    fn assign(&mut self, step: &mut Step, function: usize, target: Target, value: &[Lit]) {
        match target {
            Target::Cell(var) => {
                let bits = value.iter().enumerate();
                step.assignments.extend(bits.map(|(bit, &lit)| (self.model_var(function, var, bit), lit)));
            }
            Target::Element { list, index } => {
                let index = self.word(function, index);
                for (number, &cell) in self.program.elements[list as usize].iter().enumerate() {
                    let is_meant = self.ersm.circuit.is_number(&index, number);
                    let old = self.read(function, cell);
                    let new = self.ersm.circuit.choose(is_meant, value, &old);
                    let bits = new.into_iter().enumerate();
                    step.assignments.extend(bits.map(|(bit, lit)| (self.model_var(function, cell, bit), lit)));
                }
            }
        }
    }

    fn forget(&mut self, step: &mut Step, function: usize, var: Var) {
        for bit in 0..usize::from(self.program.variable(function, var).ty.bits) {
            let value = step.choice(&mut self.ersm, Owner::System);
            step.assignments.push((self.model_var(function, var, bit), value));
        }
    }

    /// The signal of an expression of one bit.
    fn bit(&mut self, function: usize, expr: Expr) -> Lit {
        self.word(function, expr).first().copied().unwrap_or(Lit::FALSE)
    }

    /// The signals of an expression.
    fn word(&mut self, function: usize, expr: Expr) -> Word {
        let mut stack: Vec<Word> = Vec::new();
        for &op in self.program.exprs.ops(expr) {
            let operands = stack.split_off(stack.len().saturating_sub(op.arity()));
            let word = match (op, &operands[..]) {
                (Op::Read(var), _) => self.read(function, var),
                (Op::Element(list), [index]) => self.element(function, list, index),
                _ => operate(&mut self.ersm.circuit, op, &operands),
            };
            stack.push(word);
        }
        stack.pop().unwrap_or_default()
    }

    /// The cell that an index numbers; an index that numbers none is checked before.
    fn element(&mut self, function: usize, list: u32, index: &[Lit]) -> Word {
        let program = self.program;
        let mut words: Vec<Word> =
            program.elements[list as usize].iter().map(|&cell| self.read(function, cell)).collect();
        // Halves, bit by bit of the index.
        for &bit in index {
            if words.len() <= 1 {
                break;
            }
            let pairs = words.chunks(2).map(|pair| match pair {
                [even, odd] => self.ersm.circuit.choose(bit, odd, even),
                pair => pair[0].clone(),
            });
            words = pairs.collect();
        }
        words.into_iter().next().unwrap_or_default()
    }
}

/// An operator on words, as [`Op::apply`] computes it on numbers.
fn operate(circuit: &mut Circuit, op: Op, operands: &[Word]) -> Word {
    match (op, operands) {
        (Op::Const(value, bits), _) => Circuit::number(value, bits.into()),
        (Op::Unary(Unary::Negate, _), [a]) => circuit.negate(a),
        (Op::Unary(Unary::Flip | Unary::Not, _), [a]) => a.iter().map(|&bit| !bit).collect(),
        (Op::Binary(binary, ty), [a, b]) => apply(circuit, binary, ty, a, b),
        (Op::Convert(_, to), [a]) if to.sign == Sign::Bool => vec![circuit.any(a)],
        (Op::Convert(from, to), [a]) => circuit.resize(a, to.bits.into(), from.is_signed()),
        (Op::Select, [condition, then, otherwise]) => circuit.choose(condition[0], then, otherwise),
        _ => Word::new(),
    }
}

fn apply(circuit: &mut Circuit, op: Binary, ty: IntType, a: &[Lit], b: &[Lit]) -> Word {
    let signed = ty.is_signed();
    let bits = usize::from(ty.bits);
    match op {
        Binary::Add => circuit.add(a, b, Lit::FALSE).0,
        Binary::Subtract => circuit.subtract(a, b).0,
        Binary::Multiply => circuit.multiply(a, b),
        Binary::Divide if signed => circuit.divide_signed(a, b).0,
        Binary::Divide => circuit.divide(a, b).0,
        Binary::Remainder if signed => circuit.divide_signed(a, b).1,
        Binary::Remainder => circuit.divide(a, b).1,
        Binary::ShiftLeft => circuit.shift_left(a, b),
        Binary::ShiftRight => {
            let fill = if signed { a[bits - 1] } else { Lit::FALSE };
            circuit.shift_right(a, b, fill)
        }
        Binary::And => a.iter().zip(b).map(|(&a, &b)| circuit.and(a, b)).collect(),
        Binary::Or => a.iter().zip(b).map(|(&a, &b)| circuit.or(a, b)).collect(),
        Binary::Xor => a.iter().zip(b).map(|(&a, &b)| circuit.xor(a, b)).collect(),
        Binary::Equal => vec![circuit.equal(a, b)],
        Binary::Less => vec![circuit.less(a, b, signed)],
        Binary::LessOrEqual => vec![!circuit.less(b, a, signed)],
        Binary::AddOverflows | Binary::SubtractOverflows => {
            let [a, b] = [a, b].map(|word| circuit.resize(word, bits + 1, signed));
            let wide =
                if op == Binary::AddOverflows { circuit.add(&a, &b, Lit::FALSE).0 } else { circuit.subtract(&a, &b).0 };
            vec![!fits(circuit, &wide, bits, signed)]
        }
        Binary::MultiplyOverflows => {
            let [a, b] = [a, b].map(|word| circuit.resize(word, 2 * bits, signed));
            let wide = circuit.multiply(&a, &b);
            vec![!fits(circuit, &wide, bits, signed)]
        }
        Binary::ShiftOverflows => {
            let wide = circuit.resize(a, 2 * bits, signed);
            let wide = circuit.shift_left(&wide, b);
            vec![!fits(circuit, &wide, bits, signed)]
        }
    }
}

/// A wide word is a value of so many bits.
fn fits(circuit: &mut Circuit, wide: &[Lit], bits: usize, signed: bool) -> Lit {
    let narrow = circuit.resize(&wide[..bits], wide.len(), signed);
    circuit.equal(wide, &narrow)
}
