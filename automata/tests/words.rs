//! Automata against the meaning of formulas, on all short words that repeat for ever.

use epitome_automata::{
    Automaton, Binary, Buchi, Cube, Formula, Formulas, Known, Node, Passage, Unary, Word, buchi, generalized, parse,
    read_hoa, small, to_hoa,
};

/// A word `u v v v …` of sets of atoms.
struct Lasso {
    letters: Vec<u64>,
    /// Where it goes back to.
    back: usize,
}

impl Lasso {
    fn next(&self, at: usize) -> usize {
        if at + 1 < self.letters.len() { at + 1 } else { self.back }
    }
}

/// Whether the formula holds at the start of the word, by its definition: least and greatest fixpoints over positions.
fn holds(formulas: &Formulas, formula: Formula, word: &Lasso) -> bool {
    let positions = word.letters.len();
    let mut truth: std::collections::HashMap<Formula, Vec<bool>> = std::collections::HashMap::new();
    for part in formulas.parts(formula) {
        let fixpoint = |start: bool, step: &dyn Fn(usize, bool) -> bool| {
            let mut values = vec![start; positions];
            for _ in 0..=positions {
                for at in (0..positions).rev() {
                    values[at] = step(at, values[word.next(at)]);
                }
            }
            values
        };
        let values: Vec<bool> = match formulas.node(part) {
            Node::Constant(value) => vec![value; positions],
            Node::Atom(atom) => word.letters.iter().map(|letter| letter >> atom.0 & 1 == 1).collect(),
            Node::Unary(operator, inner) => {
                let a = &truth[&inner];
                match operator {
                    Unary::Exists | Unary::Forall => a.clone(),
                    Unary::Not => a.iter().map(|value| !value).collect(),
                    Unary::Next => (0..positions).map(|at| a[word.next(at)]).collect(),
                    Unary::Finally => fixpoint(false, &|at, next| a[at] || next),
                    Unary::Globally => fixpoint(true, &|at, next| a[at] && next),
                }
            }
            Node::Binary(operator, left, right) => {
                let (a, b) = (&truth[&left], &truth[&right]);
                let each = |f: fn(bool, bool) -> bool| a.iter().zip(b).map(|(&a, &b)| f(a, b)).collect();
                match operator {
                    Binary::And => each(|a, b| a && b),
                    Binary::Or => each(|a, b| a || b),
                    Binary::Xor => each(|a, b| a != b),
                    Binary::Implies => each(|a, b| !a || b),
                    Binary::Iff => each(|a, b| a == b),
                    Binary::Until => fixpoint(false, &|at, next| b[at] || a[at] && next),
                    Binary::WeakUntil => fixpoint(true, &|at, next| b[at] || a[at] && next),
                    Binary::Release => fixpoint(true, &|at, next| b[at] && (a[at] || next)),
                    Binary::StrongRelease => fixpoint(false, &|at, next| b[at] && (a[at] || next)),
                }
            }
        };
        truth.insert(part, values);
    }
    truth[&formula][0]
}

/// Whether the automaton accepts the word: a reachable cycle of the product that passes all sets.
fn accepts(automaton: &Automaton, word: &Lasso) -> bool {
    let positions = word.letters.len();
    let nodes = automaton.transitions.len() * positions;
    let edges: Vec<Vec<(usize, u64)>> = (0..nodes)
        .map(|node| {
            let (state, at) = (node / positions, node % positions);
            let fits = automaton.transitions[state].iter().filter(|t| t.cube.holds(word.letters[at]));
            fits.map(|t| (t.to as usize * positions + word.next(at), t.accepting)).collect()
        })
        .collect();
    let reachable = |from: usize| {
        let mut seen = vec![false; nodes];
        let mut open = vec![from];
        while let Some(node) = open.pop() {
            for &(to, _) in &edges[node] {
                if !std::mem::replace(&mut seen[to], true) {
                    open.push(to);
                }
            }
        }
        seen
    };
    let all = if automaton.sets == 0 { 0 } else { u64::MAX >> (64 - automaton.sets) };
    let mut start = reachable(0);
    start[0] = true;
    let from: Vec<Vec<bool>> = (0..nodes).map(reachable).collect();
    (0..nodes).filter(|&node| start[node] && from[node][node]).any(|node| {
        // What is passed in the component of this node.
        let inside = |other: usize| from[node][other] && from[other][node];
        let mut passed = 0;
        for other in (0..nodes).filter(|&other| inside(other)) {
            edges[other].iter().filter(|(to, _)| inside(*to)).for_each(|(_, accepting)| passed |= accepting);
        }
        passed == all
    })
}

/// The automaton as others read it, and which of our atoms each of its own is.
fn written_and_read(buchi: &Buchi, formulas: &Formulas) -> (Automaton, Vec<usize>) {
    let text = to_hoa(buchi, formulas.atoms(), "test");
    let (automaton, atoms) = read_hoa(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let own = |atom: &String| formulas.atoms().iter().position(|own| own == atom).expect("is one of ours");
    let atoms = atoms.iter().map(own).collect();
    (small(automaton).generalized(), atoms)
}

/// A word in the atoms of another automaton.
fn renamed(word: &Lasso, atoms: &[usize]) -> Lasso {
    let letter = |letter: &u64| atoms.iter().enumerate().map(|(other, own)| (letter >> own & 1) << other).sum();
    Lasso { letters: word.letters.iter().map(letter).collect(), back: word.back }
}

/// All words over so many atoms with a stem and a loop of these lengths together.
fn words(atoms: u32, longest: usize) -> Vec<Lasso> {
    let mut words = Vec::new();
    for length in 1..=longest {
        let letters = 1u64 << atoms;
        for number in 0..letters.pow(length as u32) {
            let letters: Vec<u64> = (0..length).map(|at| number / letters.pow(at as u32) % letters).collect();
            words.extend((0..length).map(|back| Lasso { letters: letters.clone(), back }));
        }
    }
    words
}

/// The reasons of a formula are enough for its value: on the word, or if the rest does not matter, on its beginning.
fn reasons_are_enough(formulas: &Formulas, formula: Formula, word: &Lasso, expected: bool) {
    let all = |letter: &u64| Cube { yes: *letter, no: !letter & 7 };
    let known = Known { letters: word.letters.iter().map(all).collect(), back: Some(word.back) };
    assert_eq!(known.value(formulas, formula), Some(expected));
    let reasons = known.reasons(formulas, formula).expect("the value is known");
    let mut less = Known { letters: vec![Cube::ANY; word.letters.len()], ..known };
    for &(at, atom, value) in &reasons.literals {
        let letter = &mut less.letters[at];
        *if value { &mut letter.yes } else { &mut letter.no } |= 1 << atom;
    }
    if !reasons.is_endless {
        less.letters.truncate(reasons.last + 1);
        less.back = None;
    }
    assert_eq!(less.value(formulas, formula), Some(expected), "{}: {less:?}", formulas.show(formula));
}

/// The automata of a formula and of its negation accept what they should.
fn check(text: &str, words: &[Lasso]) {
    let mut formulas = Formulas::default();
    for atom in ["a", "b", "c"] {
        formulas.atom(atom);
    }
    let formula = parse(text, &mut formulas).unwrap_or_else(|error| panic!("{text}: {error}")).formula;
    for negated in [false, true] {
        let general = generalized(&formulas, formula, negated).unwrap_or_else(|error| panic!("{text}: {error}"));
        let buchi = buchi(&formulas, formula, negated).unwrap_or_else(|error| panic!("{text}: {error}"));
        let plain = buchi.generalized();
        let (again, atoms) = written_and_read(&buchi, &formulas);
        assert!(again.states() <= buchi.states(), "{text}: reading it again makes it larger");
        for word in words {
            let expected = holds(&formulas, formula, word) != negated;
            reasons_are_enough(&formulas, formula, word, expected != negated);
            let public = Word { letters: word.letters.clone(), back: word.back };
            assert_eq!(public.satisfies(&formulas, formula) != negated, expected, "as a word: {text}");
            let passage = |letters: &[u64]| {
                let letters = letters.iter().map(|&letter| Passage::letter(&buchi, letter));
                letters.fold(Passage::empty(&buchi), |all, next| all.then(&next))
            };
            let (stem, round) = word.letters.split_at(word.back);
            assert_eq!(passage(stem).accepts(&passage(round)), expected, "in parts, negated {negated}: {text}");
            assert_eq!(
                accepts(&again, &renamed(word, &atoms)),
                expected,
                "written and read, negated {negated}: {text}"
            );
            for (automaton, name) in [(&general, "generalized"), (&plain, "Büchi")] {
                let (letters, back) = (&word.letters, word.back);
                assert_eq!(
                    accepts(automaton, word),
                    expected,
                    "{name}, negated {negated}: {text} on {letters:?}, back to {back}\n{automaton:?}"
                );
            }
        }
    }
}

/// A small generator of numbers (Marsaglia's xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }

    fn formula(&mut self, size: u64) -> String {
        if size <= 1 {
            return ["a", "b", "c", "a", "b", "true", "false"][self.below(7) as usize].to_owned();
        }
        match self.below(10) {
            0..=4 => format!("{}({})", ["!", "X", "F", "G", "F"][self.below(5) as usize], self.formula(size - 1)),
            _ => {
                let left = 1 + self.below(size - 1);
                let operator = ["&&", "||", "->", "<->", "xor", "U", "U", "R", "W", "M", "&&"][self.below(11) as usize];
                format!("({} {operator} {})", self.formula(left), self.formula((size - left).max(1)))
            }
        }
    }
}

#[test]
fn automata_mean_what_formulas_mean() {
    let few = words(2, 3);
    for text in [
        "a",
        "X a",
        "F a",
        "G a",
        "a U b",
        "a R b",
        "a W b",
        "a M b",
        "G F a",
        "F G a",
        "G F a && G F b",
        "G F a -> G F b",
        "G (a -> F b)",
        "F (a && X b)",
        "(F a) U (G b)",
        "G (a U b)",
        "G (F a && X b)",
        "a U (b U a)",
        "true",
        "false",
    ] {
        check(text, &few);
    }
    let times: u64 = std::env::var("EPITOME_SEEDS").ok().and_then(|times| times.parse().ok()).unwrap_or(1);
    let some = words(3, 2);
    for seed in 1..=600 * times {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let text = random.formula(2 + seed % 8);
        check(&text, if text.contains('c') { &some } else { &few });
    }
}
