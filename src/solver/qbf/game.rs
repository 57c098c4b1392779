//! The formula as a game: its gates sorted by blocks, the position, and reasons.

use epitome_encodings::{Circuit, Gate, Lit, Qbf, Quantifier};
use rustc_hash::FxHashMap;

/// Gates with the values they have now: where they have these, a player wins.
pub(super) type Reason = Vec<(usize, bool)>;

/// A formula to be played, and how far it was played.
pub(super) struct Game {
    pub(super) circuit: Circuit,
    /// What *exists* wants to be true.
    pub(super) matrix: Lit,
    owners: Vec<Quantifier>,
    /// By gate: the block at which its value is known; constants come before all.
    pub(super) level: Vec<Option<u32>>,
    /// By gate: which value can help *exists*.
    pub(super) polarity: Vec<Sides>,
    /// By block: the gates whose values are known then and not before, in order of evaluation.
    pub(super) gates: Vec<Vec<usize>>,
    /// By block: the gates known by the end of it that later gates use.
    pub(super) frontier: Vec<Vec<usize>>,
    /// By gate: its value, as far as it is known.
    pub(super) value: Vec<bool>,
    /// By gate: what a reason for its value costs, and whether it is needed.
    cost: Vec<u32>,
    needed: Vec<bool>,
}

/// The values of a gate by which somebody can be helped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sides {
    pub(super) when_true: bool,
    pub(super) when_false: bool,
}

impl Sides {
    fn through(self, signal: Lit) -> Sides {
        match signal.is_negated() {
            true => Sides { when_true: self.when_false, when_false: self.when_true },
            false => self,
        }
    }

    fn add(&mut self, other: Sides) {
        self.when_true |= other.when_true;
        self.when_false |= other.when_false;
    }

    /// The same for a player.
    pub(super) fn of(self, player: Quantifier) -> Sides {
        match player {
            Quantifier::Exists => self,
            Quantifier::Forall => Sides { when_true: self.when_false, when_false: self.when_true },
        }
    }
}

impl Game {
    pub(super) fn new(qbf: &Qbf) -> Game {
        let (circuit, matrix) = sorted(qbf);
        let mut game = Game {
            level: vec![None; circuit.len()],
            polarity: vec![Sides::default(); circuit.len()],
            value: vec![false; circuit.len()],
            cost: vec![0; circuit.len()],
            needed: vec![false; circuit.len()],
            owners: qbf.prefix().iter().map(|block| block.quantifier).collect(),
            gates: vec![Vec::new(); qbf.prefix().len()],
            frontier: vec![Vec::new(); qbf.prefix().len()],
            circuit,
            matrix,
        };
        let cone = game.circuit.cone([matrix]);
        game.find_levels(qbf, &cone);
        game.find_polarities(&cone);
        game.find_frontiers(&cone);
        game
    }

    pub(super) fn blocks(&self) -> usize {
        self.owners.len()
    }

    pub(super) fn owner(&self, block: usize) -> Quantifier {
        self.owners[block]
    }

    fn find_levels(&mut self, qbf: &Qbf, cone: &[usize]) {
        for (number, block) in (0..).zip(qbf.prefix()) {
            for signal in block.inputs.iter().filter_map(|&input| self.circuit.find_input(input)) {
                self.level[signal.gate()] = Some(number);
            }
        }
        for &gate in cone {
            if let Gate::And(a, b) = self.circuit.gate_at(gate) {
                self.level[gate] = self.level[a.gate()].max(self.level[b.gate()]);
            }
            if let Some(level) = self.level[gate] {
                self.gates[level as usize].push(gate);
            }
        }
    }

    fn find_polarities(&mut self, cone: &[usize]) {
        let wanted = Sides { when_true: true, when_false: false };
        self.polarity[self.matrix.gate()] = wanted.through(self.matrix);
        for &gate in cone.iter().rev() {
            let sides = self.polarity[gate];
            if let Gate::And(a, b) = self.circuit.gate_at(gate) {
                [a, b].into_iter().for_each(|operand| self.polarity[operand.gate()].add(sides.through(operand)));
            }
        }
    }

    fn find_frontiers(&mut self, cone: &[usize]) {
        // By gate: the last block with a gate that uses it. The end uses the matrix.
        let mut last: FxHashMap<usize, u32> = FxHashMap::default();
        last.insert(self.matrix.gate(), self.blocks().saturating_sub(1) as u32);
        for &gate in cone {
            if let (Gate::And(a, b), Some(level)) = (self.circuit.gate_at(gate), self.level[gate]) {
                for operand in [a, b] {
                    let last = last.entry(operand.gate()).or_default();
                    *last = level.max(*last);
                }
            }
        }
        for &gate in cone {
            if let (Some(level), Some(&last)) = (self.level[gate], last.get(&gate)) {
                (level..last).for_each(|block| self.frontier[block as usize].push(gate));
            }
        }
    }

    fn signal(&self, signal: Lit) -> bool {
        self.value[signal.gate()] ^ signal.is_negated()
    }

    /// Chooses the inputs of a block. The gates that are known then get their values.
    pub(super) fn choose(&mut self, block: usize, input: impl Fn(usize) -> bool) {
        for index in 0..self.gates[block].len() {
            let gate = self.gates[block][index];
            self.value[gate] = match self.circuit.gate_at(gate) {
                Gate::False => false,
                Gate::Input(_) => input(gate),
                Gate::And(a, b) => self.signal(a) && self.signal(b),
            };
        }
    }

    /// The inputs of a block with their values.
    pub(super) fn moves(&self, block: usize) -> Vec<(u32, bool)> {
        let inputs = self.gates[block].iter().filter_map(|&gate| match self.circuit.gate_at(gate) {
            Gate::Input(number) => Some((number, self.value[gate])),
            _ => None,
        });
        inputs.collect()
    }

    /// Why the owner of the innermost block has won, before it moved.
    pub(super) fn reason_of_win(&mut self, block: usize) -> Reason {
        let gate = self.matrix.gate();
        self.reason_before(block, &[(gate, self.value[gate])])
    }

    /// A reason that holds after a block was chosen by the winner as one that holds before: with the same
    /// choice, the gates of the block have their values because those before have theirs.
    pub(super) fn reason_before(&mut self, block: usize, reason: &[(usize, bool)]) -> Reason {
        let number = block as u32;
        let mut before = Vec::new();
        for &(gate, value) in reason {
            match self.level[gate] == Some(number) {
                true => self.needed[gate] = true,
                false => before.push((gate, value)),
            }
        }
        for &(gate, _) in &before {
            self.needed[gate] = true;
        }
        self.find_costs(block);
        for index in (0..self.gates[block].len()).rev() {
            let gate = self.gates[block][index];
            if !std::mem::take(&mut self.needed[gate]) {
                continue;
            }
            let Gate::And(a, b) = self.circuit.gate_at(gate) else { continue };
            let chosen = match (self.signal(a), self.signal(b)) {
                (true, true) => [Some(a), Some(b)],
                (false, true) => [Some(a), None],
                (true, false) => [Some(b), None],
                (false, false) => {
                    let [of_a, of_b] = [a, b].map(|operand| self.cost_of(operand, number));
                    [Some(if of_b < of_a { b } else { a }), None]
                }
            };
            for operand in chosen.into_iter().flatten().map(Lit::gate) {
                if !std::mem::replace(&mut self.needed[operand], true) && self.level[operand] != Some(number) {
                    before.push((operand, self.value[operand]));
                }
            }
        }
        for &(gate, _) in &before {
            self.needed[gate] = false;
        }
        before
    }

    /// What it costs to rely on a signal: a gate that is relied on already costs nothing, nor do inputs of the block.
    fn cost_of(&self, signal: Lit, number: u32) -> u32 {
        let gate = signal.gate();
        match self.level[gate] {
            _ if self.needed[gate] => 0,
            Some(level) if level == number => self.cost[gate],
            Some(_) => 1,
            None => 0,
        }
    }

    fn find_costs(&mut self, block: usize) {
        let number = block as u32;
        for index in 0..self.gates[block].len() {
            let gate = self.gates[block][index];
            self.cost[gate] = match self.circuit.gate_at(gate) {
                Gate::And(a, b) => {
                    let [of_a, of_b] = [a, b].map(|operand| self.cost_of(operand, number));
                    match (self.signal(a), self.signal(b)) {
                        (true, true) => of_a.saturating_add(of_b),
                        (false, true) => of_a,
                        (true, false) => of_b,
                        (false, false) => of_a.min(of_b),
                    }
                }
                _ => 0,
            };
        }
    }
}

/// The matrix with the operands of conjunctions sorted by block, so that what is known early is a gate.
fn sorted(qbf: &Qbf) -> (Circuit, Lit) {
    let (from, levels) = (qbf.circuit(), qbf.levels());
    let cone = from.cone([qbf.matrix()]);
    let mut uses = vec![0u32; from.len()];
    for &gate in &cone {
        if let Gate::And(a, b) = from.gate_at(gate) {
            for operand in [a, b] {
                // What is used negated is not part of a conjunction.
                uses[operand.gate()] += if operand.is_negated() { 2 } else { 1 };
            }
        }
    }
    let is_inner = |operand: Lit| !operand.is_negated() && uses[operand.gate()] == 1;
    let mut into = Circuit::new();
    let mut image: Vec<Lit> = vec![Lit::FALSE; from.len()];
    for &gate in &cone {
        image[gate] = match from.gate_at(gate) {
            Gate::False => Lit::FALSE,
            Gate::Input(number) => into.input(number),
            Gate::And(..) if uses[gate] == 1 && qbf.matrix().gate() != gate => continue,
            Gate::And(a, b) => {
                let (mut operands, mut open) = (Vec::new(), vec![a, b]);
                while let Some(operand) = open.pop() {
                    match from.gate(operand) {
                        Gate::And(a, b) if is_inner(operand) => open.extend([a, b]),
                        _ => operands.push(operand),
                    }
                }
                operands.sort_unstable_by_key(|operand| (levels[operand.gate()], *operand));
                let signals = operands.iter().map(|operand| image[operand.gate()].negate_if(operand.is_negated()));
                signals.fold(Lit::TRUE, |all, signal| into.and(all, signal))
            }
        };
    }
    let matrix = image[qbf.matrix().gate()].negate_if(qbf.matrix().is_negated());
    (into, matrix)
}
