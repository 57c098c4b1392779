//! What one step of a Boolean program does, on concrete values.
//!
//! The rules are Ball 2.3 and 2.4 (Table 1), with the language's later constructs. They are written
//! for reading, not for speed, and use nothing of the library but the syntax tree: even the matching
//! of `if` with `fi` and `while` with `od` is found again from the order of the words.

use epitome::syntax::bp::{Kind, Procedure, Program, Statement, Target, Variable};
use epitome::syntax::{Binary, Expr, Op, Var};

/// Values of a list of variables: bit `i` is the value of variable `i`.
pub type Bits = u64;

/// Values of all variables in scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State {
    pub globals: Bits,
    pub locals: Bits,
}

/// What can happen next inside an activation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Control goes on at a statement, or at the end (one past the last statement).
    Go { place: usize, state: State },
    /// A procedure is called.
    Call { callee: usize, globals: Bits, arguments: Bits },
    /// The activation is over.
    End { globals: Bits, results: Bits },
    /// An assertion fails, which ends the run.
    Fail,
}

/// The values an expression can have: `[it can be 0, it can be 1]`. Each `*` of an expression stands
/// at one place and is chosen for itself, so the values of operands combine freely.
type Possible = [bool; 2];

/// A program with the structure of its bodies.
pub struct Semantics<'p> {
    pub program: &'p Program,
    shapes: Vec<Structure>,
}

/// Which `if`, `elsif`, `else`, `fi` and which `while`, `od` belong together.
struct Structure {
    /// For `if` and `elsif`: the next word of the same conditional.
    next_branch: Vec<usize>,
    /// For all words of a conditional or loop: the `fi` or `od`.
    close: Vec<usize>,
    /// For `fi` and `od`: the `if` or `while`.
    open: Vec<usize>,
}

impl Structure {
    fn new(body: &[Statement]) -> Structure {
        let none = vec![usize::MAX; body.len()];
        let mut structure = Structure { next_branch: none.clone(), close: none.clone(), open: none };
        let mut unclosed: Vec<Vec<usize>> = Vec::new();
        for (index, statement) in body.iter().enumerate() {
            match statement.kind {
                Kind::If { .. } | Kind::While { .. } => unclosed.push(vec![index]),
                Kind::Elsif { .. } | Kind::Else { .. } => unclosed.last_mut().expect("inside an if").push(index),
                Kind::Fi | Kind::Od { .. } => {
                    let mut words = unclosed.pop().expect("something is open");
                    words.push(index);
                    structure.open[index] = words[0];
                    for pair in words.windows(2) {
                        structure.next_branch[pair[0]] = pair[1];
                        structure.close[pair[0]] = index;
                    }
                }
                _ => {}
            }
        }
        structure
    }

    /// Where control comes to rest when it arrives at a place from above.
    fn rest(&self, body: &[Statement], mut place: usize) -> usize {
        loop {
            match body.get(place).map(|statement| &statement.kind) {
                Some(Kind::Elsif { .. } | Kind::Else { .. }) => place = self.close[place],
                Some(Kind::Fi) => place += 1,
                Some(Kind::Od { .. }) => place = self.open[place],
                _ => return place,
            }
        }
    }

    /// Where control goes when the decider of an `if`, `elsif` or `while` is false.
    fn otherwise(&self, body: &[Statement], place: usize) -> usize {
        let next = self.next_branch[place];
        match body[next].kind {
            Kind::Elsif { .. } => next,
            _ => self.rest(body, next + 1),
        }
    }
}

impl<'p> Semantics<'p> {
    pub fn new(program: &'p Program) -> Semantics<'p> {
        let shapes = program.procedures.iter().map(|procedure| Structure::new(&procedure.body)).collect();
        Semantics { program, shapes }
    }

    /// The values the global variables can start with.
    pub fn initial_globals(&self) -> Vec<Bits> {
        all_values(&self.program.globals.iter().map(initially).collect::<Vec<_>>())
    }

    /// The arguments `main` can start with.
    pub fn initial_arguments(&self) -> Vec<Bits> {
        all_values(&vec![[true, true]; self.program.procedures[self.program.main].parameters])
    }

    /// Where and in which states an activation can begin.
    pub fn entries(&self, procedure: usize, globals: Bits, arguments: Bits) -> Vec<(usize, State)> {
        let syntax = &self.program.procedures[procedure];
        let start = self.shapes[procedure].rest(&syntax.body, 0);
        let own: Vec<Possible> = syntax.locals[syntax.parameters..].iter().map(initially).collect();
        let states = all_values(&own).into_iter().map(|own| arguments | own << syntax.parameters);
        let states = states.map(|locals| State { globals, locals });
        states.filter(|&state| self.enforced(procedure, state)).map(|state| (start, state)).collect()
    }

    /// Where and in which state a caller goes on, if it can, when its call is over.
    pub fn returned(
        &self,
        procedure: usize,
        place: usize,
        locals: Bits,
        globals: Bits,
        results: Bits,
    ) -> Option<(usize, State)> {
        let syntax = &self.program.procedures[procedure];
        let Kind::Call { targets, .. } = &syntax.body[place].kind else { panic!("no call at {place}") };
        let state = assign(State { globals, locals }, targets, results);
        let next = self.shapes[procedure].rest(&syntax.body, place + 1);
        self.enforced(procedure, state).then_some((next, state))
    }

    /// All that can happen at a place in a state.
    pub fn steps(&self, procedure: usize, place: usize, state: State) -> Vec<Step> {
        let syntax = &self.program.procedures[procedure];
        let steps = match syntax.body.get(place) {
            Some(statement) => self.statement(procedure, place, state, &statement.kind),
            None => {
                let results = all_values(&vec![[true, true]; syntax.results]);
                results.into_iter().map(|results| Step::End { globals: state.globals, results }).collect()
            }
        };
        // `enforce` holds wherever control arrives in this procedure; a call leaves it.
        let arrives = |step: &Step| match *step {
            Step::Go { state, .. } => self.enforced(procedure, state),
            Step::End { .. } | Step::Fail => self.enforced(procedure, state),
            Step::Call { .. } => true,
        };
        steps.into_iter().filter(arrives).collect()
    }

    fn statement(&self, procedure: usize, place: usize, state: State, kind: &Kind) -> Vec<Step> {
        let Procedure { body, labels, .. } = &self.program.procedures[procedure];
        let shape = &self.shapes[procedure];
        let next = shape.rest(body, place + 1);
        let go = |place, state| Step::Go { place, state };
        match kind {
            Kind::Skip | Kind::Print(_) => vec![go(next, state)],
            Kind::Goto(targets) => {
                let places = targets.iter().map(|&label| labels[label as usize].statement as usize);
                places.map(|place| go(shape.rest(body, place), state)).collect()
            }
            Kind::Return(values) => {
                let results = all_values(&self.possible_list(values, state));
                results.into_iter().map(|results| Step::End { globals: state.globals, results }).collect()
            }
            Kind::Assign { targets, values, constrain } => {
                let values = all_values(&self.possible_list(values, state));
                let after = values.into_iter().map(|values| assign(state, targets, values));
                let kept = after.filter(|&after| constrain.is_none_or(|c| self.possible(c, state, after)[1]));
                kept.map(|after| go(next, after)).collect()
            }
            Kind::Call { callee, arguments, .. } => {
                let arguments = all_values(&self.possible_list(arguments, state));
                let call = |arguments| Step::Call { callee: *callee as usize, globals: state.globals, arguments };
                arguments.into_iter().map(call).collect()
            }
            Kind::Assert(condition) => self.decide(*condition, state, Some(go(next, state)), Some(Step::Fail)),
            Kind::Assume(condition) => self.decide(*condition, state, Some(go(next, state)), None),
            Kind::Dead(variables) => {
                let targets: Vec<Target> = variables.iter().copied().map(Some).collect();
                let values = all_values(&vec![[true, true]; targets.len()]);
                values.into_iter().map(|values| go(next, assign(state, &targets, values))).collect()
            }
            Kind::If { condition, .. } | Kind::Elsif { condition, .. } | Kind::While { condition, .. } => {
                let otherwise = go(shape.otherwise(body, place), state);
                self.decide(*condition, state, Some(go(next, state)), Some(otherwise))
            }
            Kind::Else { .. } | Kind::Fi | Kind::Od { .. } => panic!("control rests on a marker"),
        }
    }

    fn decide(&self, condition: Expr, state: State, yes: Option<Step>, no: Option<Step>) -> Vec<Step> {
        let [can_be_false, can_be_true] = self.possible(condition, state, state);
        yes.filter(|_| can_be_true).into_iter().chain(no.filter(|_| can_be_false)).collect()
    }

    fn enforced(&self, procedure: usize, state: State) -> bool {
        self.program.procedures[procedure].enforce.is_none_or(|condition| self.possible(condition, state, state)[1])
    }

    fn possible_list(&self, values: &[Expr], state: State) -> Vec<Possible> {
        values.iter().map(|&value| self.possible(value, state, state)).collect()
    }

    /// The values an expression can have; primed variables are read in `after`.
    fn possible(&self, expr: Expr, before: State, after: State) -> Possible {
        let mut stack: Vec<Possible> = Vec::new();
        for &op in self.program.exprs.ops(expr) {
            let mut pop = || stack.pop().expect("an operand");
            let value = match op {
                Op::Const(value) => only(value),
                Op::Choice(_) => [true, true],
                Op::Var(var) => only(read(before, var)),
                Op::Next(var) => only(read(after, var)),
                Op::Not => {
                    let [can_be_false, can_be_true] = pop();
                    [can_be_true, can_be_false]
                }
                Op::Binary(binary) => {
                    let (right, left) = (pop(), pop());
                    combine(left, right, |a, b| only(binary_value(binary, a, b)))
                }
                Op::Choose => {
                    let (right, left) = (pop(), pop());
                    combine(left, right, |a, b| match (a, b) {
                        (true, _) => only(true),
                        (false, true) => only(false),
                        (false, false) => [true, true],
                    })
                }
            };
            stack.push(value);
        }
        assert_eq!(stack.len(), 1, "a postfix expression leaves one value");
        stack[0]
    }
}

fn binary_value(binary: Binary, a: bool, b: bool) -> bool {
    match binary {
        Binary::And => a & b,
        Binary::Or => a | b,
        Binary::Xor | Binary::NotEqual => a ^ b,
        Binary::Iff | Binary::Equal => !(a ^ b),
        Binary::Implies => b | !a,
    }
}

fn only(value: bool) -> Possible {
    [!value, value]
}

fn combine(left: Possible, right: Possible, value: impl Fn(bool, bool) -> Possible) -> Possible {
    let mut result = [false, false];
    for a in [false, true].into_iter().filter(|&a| left[usize::from(a)]) {
        for b in [false, true].into_iter().filter(|&b| right[usize::from(b)]) {
            let [can_be_false, can_be_true] = value(a, b);
            result = [result[0] | can_be_false, result[1] | can_be_true];
        }
    }
    result
}

fn initially(variable: &Variable) -> Possible {
    variable.initial.map_or([true, true], only)
}

/// All combinations: bit `i` takes each value that `possible[i]` allows.
fn all_values(possible: &[Possible]) -> Vec<Bits> {
    assert!(possible.len() <= 20, "too many variables for brute force");
    let mut all = vec![0];
    for (index, [can_be_false, can_be_true]) in possible.iter().enumerate() {
        let zeros = all.iter().copied().filter(|_| *can_be_false);
        let ones = all.iter().map(|bits| bits | 1 << index).filter(|_| *can_be_true);
        all = zeros.chain(ones).collect();
    }
    all
}

fn read(state: State, var: Var) -> bool {
    match var {
        Var::Global(index) => state.globals >> index & 1 == 1,
        Var::Local(index) => state.locals >> index & 1 == 1,
    }
}

/// Target `i` takes bit `i` of the values.
fn assign(mut state: State, targets: &[Target], values: Bits) -> State {
    for (index, target) in targets.iter().enumerate() {
        let value = values >> index & 1;
        match *target {
            Some(Var::Global(var)) => state.globals = state.globals & !(1 << var) | value << var,
            Some(Var::Local(var)) => state.locals = state.locals & !(1 << var) | value << var,
            None => {}
        }
    }
    state
}
