//! Any model as a Boolean program: one procedure for each procedure, nodes as labels and `goto`s.
//!
//! A Boolean program has procedures with one entry and one exit, and starts in `main` without
//! arguments. So the number of the entry, where there are several, is passed in additional parameters
//! and the number of the exit in additional results, both in binary; and unless the model starts as a
//! program does, a new `main` calls one of the procedures where it may start, with arbitrary arguments.
//! The bodies are in [`super::bp_body`].
//!
//! What can be reached, and so the verdict, stays the same; steps do not: a transition is several
//! statements. Propositions that are no labels are lost, because the language has none.

use super::bp_body::{Body, Context};
use super::bp_code::Code;
use super::circuit_expr::{TooLarge, Writer};
use super::names::{BP, Namer};
use super::normal::normal;
use super::scope::{Declared, Scope, declarations, globals};
use super::source_names::SourceNames;
use super::steps::and;
use crate::model::{Ersm, NodeId, ProcId, Procedure, Var};
use crate::syntax::bp::{self, Kind, Program};
use crate::syntax::{Op, Owner, Span};

/// The program that describes a model.
///
/// ```
/// use epitome::model::{build_rsm, export::to_bp};
/// use epitome::syntax::{Source, bp, rsm};
/// let text = "machine M { entry e; node a, b; e -> a; e -> b; b -> b; } init M.e;";
/// let (machines, _) = rsm::parse(&Source::new("a.rsm", text)).unwrap();
/// let text = bp::print(&to_bp(&build_rsm(&machines).0).unwrap());
/// assert!(text.contains("e: goto e_1, e_2;"), "{text}");
/// ```
pub fn to_bp(ersm: &Ersm) -> Result<Program, TooLarge> {
    let ersm = &*normal(ersm);
    let (scope, declared) = globals(ersm, &BP, &[]);
    let signatures = ersm.procedures.iter().map(Signature::new).collect();
    let context = Context { ersm, source: SourceNames::new(ersm), signatures };
    let mut writer = Writer::new(&ersm.circuit);
    let mut out = Program::default();
    out.globals = declarations(&mut out.names, declared);
    let starts_in = main_of(&context);
    let mut names = Namer::new(&BP);
    names.reserve("main");
    for (id, procedure) in ersm.procedures() {
        let is_main = starts_in == Some(id);
        let name = if is_main { "main".to_owned() } else { names.fresh(ersm.names.text(procedure.name)) };
        write_procedure(&context, &mut writer, &mut out, &scope, id, &name)?;
    }
    match starts_in {
        Some(id) => out.main = id.index(),
        None => write_main(&context, &mut out),
    }
    Ok(out)
}

/// What a procedure needs beside its inputs and outputs.
pub(super) struct Signature {
    /// How many bits the number of the entry has.
    pub(super) entry_bits: usize,
    /// How many bits the number of the exit has.
    pub(super) exit_bits: usize,
    /// How many exits there are.
    pub(super) exits: usize,
}

impl Signature {
    fn new(procedure: &Procedure) -> Signature {
        let exits = procedure.exits.len();
        Signature { entry_bits: bits_for(procedure.entries.len()), exit_bits: bits_for(exits), exits }
    }
}

/// How many bits tell so many things apart.
fn bits_for(count: usize) -> usize {
    count.checked_sub(1).and_then(usize::checked_ilog2).map_or(0, |bits| bits as usize + 1)
}

/// A number as constants, least significant bit first.
pub(super) fn constant_bits(bits: usize, number: usize) -> impl Iterator<Item = Op> {
    (0..bits).map(move |bit| Op::Const(number >> bit & 1 == 1))
}

/// The variables have the bits of the number; nothing where there are none.
pub(super) fn number_is(vars: &[Var], number: usize) -> Option<Vec<Op>> {
    let literals = vars.iter().enumerate().map(|(bit, &var)| match number >> bit & 1 {
        1 => vec![Op::Var(var)],
        _ => vec![Op::Var(var), Op::Not],
    });
    literals.fold(None, and)
}

/// The procedure that is `main` already: the only start, without parameters and results.
fn main_of(context: &Context<'_>) -> Option<ProcId> {
    let &[(id, _)] = context.ersm.initial.as_slice() else { return None };
    let (procedure, signature) = (context.ersm.procedure(id), &context.signatures[id.index()]);
    let plain = procedure.inputs.is_empty() && procedure.outputs.is_empty();
    let single = procedure.entries.len() == 1 && signature.exit_bits == 0;
    (plain && single && context.ersm.procedure_name(id) == "main").then_some(id)
}

fn write_procedure<'e>(
    context: &Context<'e>,
    writer: &mut Writer<'e>,
    out: &mut Program,
    globals: &Namer<'_>,
    id: ProcId,
    name: &str,
) -> Result<(), TooLarge> {
    let (procedure, signature) = (context.ersm.procedure(id), &context.signatures[id.index()]);
    let mut scope = Scope::new(globals, context.ersm, procedure);
    scope.keep_inputs(procedure);
    let entry: Vec<Var> = (0..signature.entry_bits).map(|bit| scope.add(&format!("entry{}", bit + 1))).collect();
    let parameters = scope.locals.len();
    scope.keep_rest();
    let code = Body::write(context, id, (writer, &mut out.exprs), &mut scope, &entry)?;
    let results = procedure.outputs.len() + signature.exit_bits;
    finish(out, name, scope.locals, (parameters, results), code);
    Ok(())
}

fn finish(out: &mut Program, name: &str, locals: Vec<Declared>, (parameters, results): (usize, usize), code: Code) {
    let (body, labels) = code.finish(&mut out.names);
    let procedure = bp::Procedure {
        name: out.names.intern(name),
        results,
        parameters,
        locals: declarations(&mut out.names, locals),
        enforce: None,
        body,
        labels,
        span: Span::default(),
        end_span: Span::default(),
    };
    out.procedures.push(procedure);
}

/// A `main` that calls one of the procedures where the model may start.
fn write_main(context: &Context<'_>, out: &mut Program) {
    let starts = &context.ersm.initial;
    let mut code = Code::default();
    let labels: Vec<_> = (0..starts.len()).map(|start| code.label(format!("start_{}", start + 1))).collect();
    if starts.is_empty() {
        let never = out.exprs.constant(false);
        code.push(Kind::Assume(never));
    } else {
        code.goto(&labels);
    }
    for (&(id, node), label) in starts.iter().zip(labels) {
        code.place(label);
        code.push(first_call(context, out, id, node));
        code.push(Kind::Return(Box::default()));
    }
    out.main = out.procedures.len();
    finish(out, "main", Vec::new(), (0, 0), code);
}

fn first_call(context: &Context<'_>, out: &mut Program, id: ProcId, node: NodeId) -> Kind {
    let procedure = context.ersm.procedure(id);
    let entry = procedure.entries.iter().position(|entry| *entry == node).unwrap_or(0);
    let inputs = procedure.inputs.iter().map(|_| Op::Choice(Owner::System));
    let bits = constant_bits(context.signatures[id.index()].entry_bits, entry);
    let arguments = inputs.chain(bits).map(|op| out.exprs.add([op])).collect();
    Kind::Call { callee: id.0, arguments, targets: Box::default() }
}
