//! Expressions: a tree for each, and the values it can have.

/// Values of all variables in scope, one bit for each: globals first, then those of the procedure.
pub type State = u64;

/// An expression. Variables are numbers of bits.
#[derive(Clone, Debug)]
pub enum Expr {
    Constant(bool),
    /// `*`, `?` or `env`.
    Any,
    Variable(usize),
    /// `'x`
    After(usize),
    Not(Box<Expr>),
    /// An operator that has a value for each two values.
    Two(fn(bool, bool) -> bool, Box<Expr>, Box<Expr>),
    /// `schoose[a, b]`
    Choose(Box<Expr>, Box<Expr>),
}

impl Expr {
    /// The values that it can have, each once. `after` is where primed variables are looked up.
    pub fn values(&self, before: State, after: State) -> Vec<bool> {
        let mut values: Vec<bool> = match self {
            Expr::Constant(value) => vec![*value],
            Expr::Any => vec![false, true],
            Expr::Variable(bit) => vec![before >> bit & 1 == 1],
            Expr::After(bit) => vec![after >> bit & 1 == 1],
            Expr::Not(inner) => inner.values(before, after).into_iter().map(|value| !value).collect(),
            Expr::Two(apply, left, right) => {
                let right = right.values(before, after);
                let pairs = left.values(before, after).into_iter();
                pairs.flat_map(|a| right.iter().map(move |&b| apply(a, b))).collect()
            }
            Expr::Choose(one, zero) => {
                let zero = zero.values(before, after);
                let mut values = Vec::new();
                for is_one in one.values(before, after) {
                    for &is_zero in &zero {
                        values.extend(match (is_one, is_zero) {
                            (true, _) => vec![true],
                            (false, true) => vec![false],
                            (false, false) => vec![false, true],
                        });
                    }
                }
                values
            }
        };
        values.sort_unstable();
        values.dedup();
        values
    }

    /// It can be true.
    pub fn can_hold(&self, before: State, after: State) -> bool {
        self.values(before, after).contains(&true)
    }
}

/// All lists of values of some expressions, which choose for themselves.
pub fn lists(expressions: &[Expr], state: State) -> Vec<Vec<bool>> {
    let mut lists = vec![Vec::new()];
    for expression in expressions {
        let values = expression.values(state, state);
        let longer =
            |list: Vec<bool>| values.iter().map(move |&value| [&list[..], &[value]].concat()).collect::<Vec<_>>();
        lists = lists.into_iter().flat_map(longer).collect();
    }
    lists
}

/// The state with a bit set to a value.
pub fn with(state: State, bit: usize, value: bool) -> State {
    state & !(1 << bit) | u64::from(value) << bit
}
