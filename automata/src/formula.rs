//! Formulas of linear and branching temporal logic as they are written.
//!
//! Nodes live in a table, children before parents, so that whatever looks at a formula goes through the table once and
//! nothing recurses over its nesting. Equal formulas are one node.

use rustc_hash::FxHashMap;
use std::fmt;

/// A formula, by its place in its table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Formula(u32);

impl Formula {
    /// Its place in the table.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An atom, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Atom(pub u32);

/// An operator on one formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unary {
    /// `!`
    Not,
    /// `X`
    Next,
    /// `F`
    Finally,
    /// `G`
    Globally,
    /// `E`: of some run from here. (A word is a single run: of words this says nothing.)
    Exists,
    /// `A`: of all runs from here.
    Forall,
}

/// An operator on two formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binary {
    /// `&&`
    And,
    /// `||`
    Or,
    /// `xor`
    Xor,
    /// `->`
    Implies,
    /// `<->`
    Iff,
    /// `U`: the second holds at some time, and the first until then.
    Until,
    /// `W`: the same, but the second need never hold.
    WeakUntil,
    /// `R`: the second holds until and including when the first does, which may be never.
    Release,
    /// `M`: the same, but the first holds at some time.
    StrongRelease,
}

/// What a formula is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// `true` or `false`.
    Constant(bool),
    /// Something that holds or not at a moment.
    Atom(Atom),
    /// An operator and what it is applied to.
    Unary(Unary, Formula),
    /// An operator and what it is applied to.
    Binary(Binary, Formula, Formula),
}

/// A table of formulas over named atoms.
#[derive(Clone, Debug, Default)]
pub struct Formulas {
    nodes: Vec<Node>,
    index: FxHashMap<Node, Formula>,
    atoms: Vec<String>,
    atom_index: FxHashMap<String, Atom>,
}

impl Formulas {
    /// The formula of a node.
    pub fn add(&mut self, node: Node) -> Formula {
        let next = Formula(self.nodes.len() as u32);
        let formula = *self.index.entry(node).or_insert(next);
        if formula == next {
            self.nodes.push(node);
        }
        formula
    }

    /// The atom with this text.
    pub fn atom(&mut self, text: &str) -> Atom {
        if let Some(&atom) = self.atom_index.get(text) {
            return atom;
        }
        let atom = Atom(self.atoms.len() as u32);
        self.atoms.push(text.to_owned());
        self.atom_index.insert(text.to_owned(), atom);
        atom
    }

    /// What a formula is made of.
    pub fn node(&self, formula: Formula) -> Node {
        self.nodes[formula.index()]
    }

    /// The texts of the atoms, by number.
    pub fn atoms(&self) -> &[String] {
        &self.atoms
    }

    /// The formulas that a formula is made of, itself last, children before parents.
    pub fn parts(&self, formula: Formula) -> Vec<Formula> {
        let mut is_part = vec![false; formula.index() + 1];
        is_part[formula.index()] = true;
        for index in (0..=formula.index()).rev() {
            if is_part[index] {
                mark(self.nodes[index], &mut is_part);
            }
        }
        (0..=formula.index()).filter(|&index| is_part[index]).map(|index| Formula(index as u32)).collect()
    }

    /// The parts of a formula, itself first, parents before children, each with its polarities: the formula may depend on that it holds, on that it does not.
    ///
    /// ```
    /// use epitome_automata::{Formulas, parse};
    /// let mut formulas = Formulas::default();
    /// let formula = parse("!F (p -> q)", &mut formulas).unwrap().formula;
    /// let of = |text: &str| formulas.polarities(formula).into_iter().find(|(part, _)| formulas.show(*part).to_string() == text);
    /// assert_eq!(of("p").unwrap().1, [true, false]);
    /// assert_eq!(of("q").unwrap().1, [false, true]);
    /// ```
    pub fn polarities(&self, formula: Formula) -> Vec<(Formula, [bool; 2])> {
        let mut asked = vec![[false; 2]; formula.index() + 1];
        asked[formula.index()] = [true, false];
        let mut all = Vec::new();
        for part in self.parts(formula).into_iter().rev() {
            let own @ [yes, no] = asked[part.index()];
            all.push((part, own));
            let mut ask = |part: Formula, [yes, no]: [bool; 2]| {
                let asked = &mut asked[part.index()];
                *asked = [asked[0] | yes, asked[1] | no];
            };
            match self.node(part) {
                Node::Constant(_) | Node::Atom(_) => {}
                Node::Unary(Unary::Not, inner) => ask(inner, [no, yes]),
                Node::Unary(_, inner) => ask(inner, own),
                Node::Binary(Binary::Implies, left, right) => {
                    ask(left, [no, yes]);
                    ask(right, own);
                }
                Node::Binary(Binary::Xor | Binary::Iff, left, right) => {
                    [left, right].into_iter().for_each(|side| ask(side, [yes | no; 2]));
                }
                Node::Binary(_, left, right) => [left, right].into_iter().for_each(|side| ask(side, own)),
            }
        }
        all
    }

    /// The formula with every operator in parentheses, as it is read.
    pub fn show(&self, formula: Formula) -> Shown<'_> {
        Shown { formulas: self, formula }
    }
}

fn mark(node: Node, is_part: &mut [bool]) {
    match node {
        Node::Constant(_) | Node::Atom(_) => {}
        Node::Unary(_, inner) => is_part[inner.index()] = true,
        Node::Binary(_, left, right) => {
            is_part[left.index()] = true;
            is_part[right.index()] = true;
        }
    }
}

impl Unary {
    /// How it is written.
    pub fn text(self) -> &'static str {
        match self {
            Unary::Not => "!",
            Unary::Next => "X",
            Unary::Finally => "F",
            Unary::Globally => "G",
            Unary::Exists => "E",
            Unary::Forall => "A",
        }
    }
}

impl Binary {
    /// How it is written.
    pub fn text(self) -> &'static str {
        match self {
            Binary::And => "&&",
            Binary::Or => "||",
            Binary::Xor => "xor",
            Binary::Implies => "->",
            Binary::Iff => "<->",
            Binary::Until => "U",
            Binary::WeakUntil => "W",
            Binary::Release => "R",
            Binary::StrongRelease => "M",
        }
    }
}

/// A formula that is being shown.
pub struct Shown<'f> {
    formulas: &'f Formulas,
    formula: Formula,
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        enum Part {
            Formula(Formula),
            Text(&'static str),
        }
        let mut open = vec![Part::Formula(self.formula)];
        while let Some(part) = open.pop() {
            let formula = match part {
                Part::Text(text) => {
                    f.write_str(text)?;
                    continue;
                }
                Part::Formula(formula) => formula,
            };
            match self.formulas.node(formula) {
                Node::Constant(value) => write!(f, "{value}")?,
                Node::Atom(atom) => f.write_str(&quoted(&self.formulas.atoms[atom.0 as usize]))?,
                Node::Unary(operator, inner) => {
                    f.write_str(operator.text())?;
                    let is_binary = matches!(self.formulas.node(inner), Node::Binary(..));
                    match (operator, is_binary) {
                        // Binary operators have their own.
                        (_, true) | (Unary::Not, false) => open.push(Part::Formula(inner)),
                        (_, false) => open.extend([Part::Text(")"), Part::Formula(inner), Part::Text("(")]),
                    }
                }
                Node::Binary(operator, left, right) => {
                    // To some tools `G(a) -> b` is `G((a) -> b)`.
                    let is_apart = matches!(operator, Binary::Implies | Binary::Iff) && self.is_prefixed(left);
                    let (opening, closing) = if is_apart { ("((", ") ") } else { ("(", " ") };
                    open.extend([
                        Part::Text(")"),
                        Part::Formula(right),
                        Part::Text(" "),
                        Part::Text(operator.text()),
                        Part::Text(closing),
                        Part::Formula(left),
                        Part::Text(opening),
                    ]);
                }
            }
        }
        Ok(())
    }
}

impl Shown<'_> {
    /// It begins with an operator of linear time.
    fn is_prefixed(&self, formula: Formula) -> bool {
        matches!(self.formulas.node(formula), Node::Unary(Unary::Next | Unary::Finally | Unary::Globally, _))
    }
}

/// An atom as it must be written to be read again.
pub fn quoted(atom: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || "_.:@$".contains(c);
    let is_plain = atom.starts_with(|c: char| c.is_alphabetic() || c == '_') && atom.chars().all(is_word);
    let is_call = ["call(", "label(", "at(", "in("].iter().any(|start| atom.starts_with(start)) && atom.ends_with(')');
    let means_more = crate::lexer::is_keyword(atom) || crate::lexer::refused(atom).is_some();
    match is_plain && !means_more || is_call {
        true => atom.to_owned(),
        false => format!("\"{}\"", atom.replace('\\', "\\\\").replace('"', "\\\"")),
    }
}
