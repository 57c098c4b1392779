//! The whole question as one formula, for solvers elsewhere: satisfiable exactly if what is looked for can be
//! reached, within the depth if there is one. With it comes what its variables stand for, so that a model can
//! be read: which copies of procedures are used, and the values of the program's variables in them.

use crate::engine::system::{Named, Translation, most_arrivals};
use crate::model::{Ersm, Goal, ProcId, Var, Vertex};
use epitome_encodings::{
    Cnf, Encoder, Encoding, Extent, Gate, Lit, Polarity, PredicateId, System, UnfoldError, Unfolding, Variables,
};
use rustc_hash::FxHashMap;

/// The question as a formula.
#[derive(Clone, Debug)]
pub struct Formula {
    /// The clauses.
    pub cnf: Cnf,
    /// Copies of procedures. The first is the whole question.
    pub copies: Vec<Copy>,
    /// What variables stand for, copy by copy.
    pub meanings: Vec<Meaning>,
    /// There may be longer ways than those within the depth.
    pub is_cut: bool,
}

/// A copy of a procedure.
#[derive(Clone, Debug)]
pub struct Copy {
    /// The procedure; nothing for the whole question.
    pub procedure: Option<ProcId>,
    /// It is used.
    pub used: Value,
    /// The copy that uses it.
    pub user: Option<u32>,
    /// It is not called there, but the same activation, up to a head of a loop.
    pub is_continued: bool,
}

/// A variable of a copy.
#[derive(Clone, Debug)]
pub struct Meaning {
    /// The copy.
    pub copy: u32,
    /// The variable.
    pub var: Var,
    /// Where it has this value on arrival; nothing if at the entry.
    pub at: Option<Vertex>,
    /// Its value.
    pub value: Value,
}

/// A value in a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// It is always this.
    Always(bool),
    /// It is that of a literal.
    Literal(i32),
}

/// The formula of a question.
pub fn formula(ersm: &Ersm, goal: &Goal, extent: Extent) -> Result<Formula, UnfoldError> {
    let (translation, system) = Translation::new(ersm, goal);
    let unfolding = match extent.depth {
        None => Unfolding::new(&system, translation.root, extent)?,
        Some(depth) => {
            let depths = depths(ersm, &translation, &system, depth);
            Unfolding::to_depths(&system, translation.root, &depths, extent.most_clauses)?
        }
    };
    let (mut variables, mut cnf) = (Variables::default(), Cnf::default());
    let encoder = unfolding.encode(Encoding::PlaistedGreenbaum, &mut variables, &mut cnf);
    let mut reader = Reader { translation: &translation, unfolding: &unfolding, encoder, names: FxHashMap::default() };
    let (mut copies, mut meanings) = (Vec::new(), Vec::new());
    for number in 0..unfolding.instances.len() {
        copies.push(reader.copy(number, &mut variables, &mut cnf));
        reader.meanings(number, &mut meanings);
    }
    for (user, instance) in unfolding.instances.iter().enumerate() {
        let own_hole = reader.own_hole(user);
        for (hole, inside) in instance.holes.iter().enumerate() {
            if let Some(inside) = inside {
                let copy: &mut Copy = &mut copies[*inside as usize];
                copy.user = Some(user as u32);
                copy.is_continued = own_hole == Some(hole);
            }
        }
    }
    cnf.announce(variables.count());
    Ok(Formula { cnf, copies, meanings, is_cut: unfolding.is_cut })
}

/// By predicate: how deep it is opened in itself. A procedure that is not recursive is opened in itself once for each
/// arrival at a head of a loop, and each of its loops is followed to the depth, wherever it is entered; in
/// recursion such arrivals and calls have one count.
fn depths(ersm: &Ersm, translation: &Translation<'_>, system: &System, depth: u32) -> Vec<u32> {
    let components = system.components(translation.root);
    let mut members: FxHashMap<Option<u32>, u32> = FxHashMap::default();
    components.of.iter().for_each(|component| *members.entry(*component).or_default() += 1);
    let of = |predicate: usize| {
        let id = translation.procedure(PredicateId(predicate as u32))?;
        let procedure = ersm.procedure(id);
        let is_recursive =
            members[&components.of[predicate]] > 1 || procedure.boxes.iter().any(|site| site.callee == id);
        (!is_recursive).then(|| most_arrivals(ersm, procedure, depth))
    };
    (0..system.len()).map(|predicate| of(predicate).unwrap_or(depth)).collect()
}

struct Reader<'r, 'e> {
    translation: &'r Translation<'e>,
    unfolding: &'r Unfolding,
    encoder: Encoder,
    names: FxHashMap<ProcId, Vec<Named>>,
}

impl Reader<'_, '_> {
    fn procedure(&self, copy: usize) -> Option<ProcId> {
        self.translation.procedure(self.unfolding.instances[copy].predicate)
    }

    /// Whether a copy is used is told by a variable that is true exactly then; the clauses of the question
    /// need only one direction.
    fn copy(&mut self, number: usize, variables: &mut Variables, cnf: &mut Cnf) -> Copy {
        let used = self.unfolding.instances[number].used;
        let used = match used.as_constant() {
            Some(value) => Value::Always(value),
            None => {
                let circuit = &self.unfolding.circuit;
                Value::Literal(self.encoder.encode(circuit, used, Polarity::Both, variables, cnf))
            }
        };
        Copy { procedure: self.procedure(number), used, user: None, is_continued: false }
    }

    /// The hole in which an activation is continued, if the procedure has loops.
    fn own_hole(&self, copy: usize) -> Option<usize> {
        let procedure = self.procedure(copy)?;
        let has_loops = !self.translation.interfaces[procedure.index()].heads.is_empty();
        has_loops.then(|| self.unfolding.instances[copy].holes.len().saturating_sub(1))
    }

    /// Inputs of the formula that are variables of the program. (Other gates have no value of their own in a
    /// model: it follows from these.)
    fn meanings(&mut self, copy: usize, meanings: &mut Vec<Meaning>) {
        let Some(procedure) = self.procedure(copy) else { return };
        let translation = self.translation;
        let names = self.names.entry(procedure).or_insert_with(|| translation.names(procedure));
        let inputs: FxHashMap<u32, Lit> = self.unfolding.instances[copy].inputs.iter().copied().collect();
        for &(input, var, at) in names.iter() {
            let Some(&signal) = inputs.get(&input) else { continue };
            let value = match self.unfolding.circuit.gate(signal) {
                Gate::False => Some(Value::Always(signal == Lit::TRUE)),
                Gate::Input(_) => self.encoder.literal(signal).map(Value::Literal),
                Gate::And(..) => None,
            };
            meanings.extend(value.map(|value| Meaning { copy: copy as u32, var, at, value }));
        }
    }
}
