//! Reads automata in the Hanoi Omega-Automata format, version 1: Büchi and generalized Büchi acceptance, on states or on
//! transitions, explicit or implicit labels, aliases, several initial states.
//!
//! The crates that read this format recurse over labels and bring a BDD package with them; labels are formulas without
//! temporal operators, which we have a parser for.

use crate::automaton::{Automaton, Cube, Transition, low_bits};
use crate::formula::{Binary, Formula, Formulas, Node, Unary};
use crate::lexer::quoted;
use crate::parser::parse;
use rustc_hash::FxHashMap;

/// Why a text is not an automaton that can be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct HoaError {
    /// The line, from one.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

/// More cubes of one label than this are not handled.
const MOST_CUBES: usize = 10_000;

/// States, sets and edges by implicit labels are bounded by this.
const MOST_STATES: usize = 1_000_000;

/// An automaton and the names of its atoms.
///
/// ```
/// let text = "HOA: v1\nStates: 1\nStart: 0\nAP: 1 \"p\"\nAcceptance: 1 Inf(0)\n--BODY--\nState: 0\n[0] 0 {0}\n[!0] 0\n--END--\n";
/// let (automaton, atoms) = epitome_automata::read_hoa(text).unwrap();
/// assert_eq!((automaton.sets, &atoms[0][..]), (1, "p"));
/// ```
pub fn read_hoa(text: &str) -> Result<(Automaton, Vec<String>), HoaError> {
    let mut reader = Reader { tokens: tokens(text)?, at: 0, atoms: Vec::new(), aliases: FxHashMap::default() };
    reader.automaton()
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    /// `States:`
    Header(String),
    Word(String),
    Text(String),
    Number(usize),
    /// `[…]`, what is inside.
    Label(String),
    Body,
    End,
    Sign(char),
}

/// The words of the text with their lines; comments are left out.
fn tokens(text: &str) -> Result<Vec<(Token, usize)>, HoaError> {
    let mut tokens = Vec::new();
    let (mut at, mut line) = (0, 1);
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let error = |message: &str| Err(HoaError { line, message: message.to_owned() });
        let mut length = c.len_utf8();
        let token = match c {
            c if c.is_whitespace() => None,
            '/' if rest.starts_with("/*") => match rest.find("*/") {
                Some(end) => {
                    length = end + 2;
                    None
                }
                None => return error("this comment is never closed"),
            },
            '-' if rest.starts_with("--BODY--") => {
                length = 8;
                Some(Token::Body)
            }
            '-' if rest.starts_with("--END--") => {
                length = 7;
                Some(Token::End)
            }
            '"' => {
                let Some((name, end)) = quoted(rest) else { return error("this text has no closing quote") };
                length = end;
                Some(Token::Text(name))
            }
            '[' => match rest.find(']') {
                Some(end) => {
                    length = end + 1;
                    Some(Token::Label(rest[1..end].to_owned()))
                }
                None => return error("this label is never closed"),
            },
            c if c.is_ascii_digit() => {
                length = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
                match rest[..length].parse() {
                    Ok(number) => Some(Token::Number(number)),
                    Err(_) => return error("this number is too large"),
                }
            }
            c if c.is_alphabetic() || c == '_' || c == '@' => {
                let is_part = |c: char| c.is_alphanumeric() || "_-@.".contains(c);
                length = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
                let word = rest[..length].to_owned();
                if rest[length..].starts_with(':') {
                    length += 1;
                    Some(Token::Header(word))
                } else {
                    Some(Token::Word(word))
                }
            }
            c => Some(Token::Sign(c)),
        };
        tokens.extend(token.map(|token| (token, line)));
        line += rest[..length].matches('\n').count();
        at += length;
    }
    Ok(tokens)
}

struct Reader {
    tokens: Vec<(Token, usize)>,
    at: usize,
    atoms: Vec<String>,
    /// What aliases stand for, in words of atoms.
    aliases: FxHashMap<String, String>,
}

/// What is known before the states come.
struct Header {
    states: Option<usize>,
    starts: Vec<usize>,
    sets: usize,
}

impl Reader {
    fn error<T>(&self, message: impl Into<String>) -> Result<T, HoaError> {
        let line = self.tokens.get(self.at).or(self.tokens.last()).map_or(1, |(_, line)| *line);
        Err(HoaError { line, message: message.into() })
    }

    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|(token, _)| token)
    }

    fn next(&mut self) -> Option<Token> {
        let token = self.peek().cloned();
        self.at += 1;
        token
    }

    fn number(&mut self) -> Result<usize, HoaError> {
        match self.peek() {
            Some(&Token::Number(number)) if number <= MOST_STATES => {
                self.at += 1;
                Ok(number)
            }
            _ => self.error("expected a number of reasonable size"),
        }
    }

    fn automaton(&mut self) -> Result<(Automaton, Vec<String>), HoaError> {
        let header = self.header()?;
        let mut states: FxHashMap<usize, Vec<Transition>> = FxHashMap::default();
        while let Some(Token::Header(word)) = self.peek() {
            if word != "State" {
                return self.error(format!("expected `State:`, not `{word}:`"));
            }
            self.at += 1;
            let (number, transitions) = self.state(&header)?;
            if states.insert(number, transitions).is_some() {
                return self.error(format!("state {number} stands twice"));
            }
        }
        if self.next() != Some(Token::End) {
            self.at -= 1;
            return self.error("expected `State:` or `--END--`");
        }
        if self.peek().is_some() {
            return self.error("there is more after `--END--`: one automaton is read, no more");
        }
        let goals = states.values().flatten().map(|t| t.to as usize);
        let most = goals.chain(states.keys().copied()).chain(header.starts.iter().copied()).max().unwrap_or(0);
        if header.states.is_some_and(|count| most >= count) {
            return self.error(format!("there is no state {most}"));
        }
        // Runs start in the first state: the initial one, or if there are several one that does what all of them do.
        if let [start] = header.starts[..] {
            let swapped = |state: usize| {
                if state == start {
                    0
                } else if state == 0 {
                    start
                } else {
                    state
                }
            };
            let mut transitions: Vec<Vec<Transition>> =
                (0..=most).map(|state| states.remove(&swapped(state)).unwrap_or_default()).collect();
            transitions.iter_mut().flatten().for_each(|t| t.to = swapped(t.to as usize) as u32);
            let automaton = Automaton { transitions, sets: header.sets as u32, on_states: false };
            return Ok((automaton, std::mem::take(&mut self.atoms)));
        }
        let mut transitions: Vec<Vec<Transition>> = vec![Vec::new()];
        transitions.extend((0..=most).map(|state| states.remove(&state).unwrap_or_default()));
        transitions.iter_mut().flatten().for_each(|t| t.to += 1);
        transitions[0] = header.starts.iter().flat_map(|&start| transitions[start + 1].clone()).collect();
        let automaton = Automaton { transitions, sets: header.sets as u32, on_states: false };
        Ok((automaton, std::mem::take(&mut self.atoms)))
    }

    fn header(&mut self) -> Result<Header, HoaError> {
        let (first, version) = (self.next(), self.next());
        if first != Some(Token::Header("HOA".to_owned())) || version != Some(Token::Word("v1".to_owned())) {
            self.at = 0;
            return self.error("expected `HOA: v1`");
        }
        let mut header = Header { states: None, starts: Vec::new(), sets: usize::MAX };
        loop {
            match self.next() {
                Some(Token::Body) => break,
                Some(Token::Header(word)) => self.item(&word, &mut header)?,
                _ => {
                    self.at -= 1;
                    return self.error("expected a header or `--BODY--`");
                }
            }
        }
        match header.sets {
            usize::MAX => self.error("there is no `Acceptance:`"),
            sets if sets > 63 => self.error("more than 63 acceptance sets are not supported"),
            _ => Ok(header),
        }
    }

    fn item(&mut self, word: &str, header: &mut Header) -> Result<(), HoaError> {
        match word {
            "States" => header.states = Some(self.number()?),
            "Start" => {
                header.starts.push(self.number()?);
                if self.peek() == Some(&Token::Sign('&')) {
                    return self.error("alternating automata are not supported");
                }
            }
            "AP" => {
                let count = self.number()?;
                for _ in 0..count {
                    match self.next() {
                        Some(Token::Text(name)) if self.atoms.contains(&name) => {
                            self.at -= 1;
                            return self.error(format!("the atom \"{name}\" stands twice"));
                        }
                        Some(Token::Text(name)) => self.atoms.push(name),
                        _ => return self.error("expected the name of an atom in quotes"),
                    }
                }
                if count > 64 {
                    return self.error("more than 64 atoms are not supported");
                }
            }
            "Alias" => {
                let (Some(Token::Word(name)), mut text) = (self.next(), String::new()) else {
                    return self.error("expected the name of an alias");
                };
                while !matches!(self.peek(), None | Some(Token::Header(_) | Token::Body)) {
                    match self.next() {
                        Some(Token::Number(number)) => text.push_str(&number.to_string()),
                        Some(Token::Word(word)) => text.push_str(&word),
                        Some(Token::Sign(sign)) => text.push(sign),
                        _ => return self.error("this is no label"),
                    }
                }
                self.aliases.insert(name, text);
            }
            "Acceptance" => {
                header.sets = self.number()?;
                self.acceptance(header.sets)?;
            }
            // What starts with a capital letter changes the meaning.
            other if other.starts_with(|c: char| c.is_uppercase()) => {
                return self.error(format!("the header `{other}:` is not supported"));
            }
            _ => {
                while !matches!(self.peek(), None | Some(Token::Header(_) | Token::Body)) {
                    self.at += 1;
                }
            }
        }
        Ok(())
    }

    /// `Inf(0) & Inf(1)`, each set once, or `t`.
    fn acceptance(&mut self, sets: usize) -> Result<(), HoaError> {
        let mut seen = vec![false; sets];
        let refused = "only Büchi and generalized Büchi acceptance is supported";
        if sets == 0 {
            return match self.next() {
                Some(Token::Word(word)) if word == "t" => Ok(()),
                _ => self.error(refused),
            };
        }
        loop {
            let parts = [self.next(), self.next(), self.next(), self.next()];
            match parts {
                [Some(Token::Word(inf)), Some(Token::Sign('(')), Some(Token::Number(set)), Some(Token::Sign(')'))]
                    if inf == "Inf" && set < sets =>
                {
                    seen[set] = true;
                }
                _ => {
                    self.at -= 1;
                    return self.error(refused);
                }
            }
            if self.peek() != Some(&Token::Sign('&')) {
                break;
            }
            self.at += 1;
        }
        if seen.iter().all(|seen| *seen) { Ok(()) } else { self.error(refused) }
    }

    /// The number of a state and what leaves it.
    fn state(&mut self, header: &Header) -> Result<(usize, Vec<Transition>), HoaError> {
        let own_label = self.label()?;
        let number = self.number()?;
        if let Some(Token::Text(_)) = self.peek() {
            self.at += 1;
        }
        let own_sets = self.sets(header)?;
        let mut transitions = Vec::new();
        let mut implicit = 0u64;
        while matches!(self.peek(), Some(Token::Label(_) | Token::Number(_))) {
            let label = self.label()?;
            let to = self.number()? as u32;
            if self.peek() == Some(&Token::Sign('&')) {
                return self.error("alternating automata are not supported");
            }
            let accepting = own_sets | self.sets(header)?;
            let cubes = match (label, &own_label) {
                (Some(label), _) => label,
                (None, Some(label)) => label.clone(),
                // One transition for each set of atoms, in order.
                (None, None) => {
                    let all = low_bits(self.atoms.len() as u32);
                    let cube = Cube { yes: implicit & all, no: !implicit & all };
                    implicit += 1;
                    vec![cube]
                }
            };
            transitions.extend(cubes.into_iter().map(|cube| Transition { cube, accepting, to }));
        }
        if implicit > 0 && Some(implicit) != 1u64.checked_shl(self.atoms.len() as u32) {
            let letters = format!("2^{}", self.atoms.len());
            return self.error(format!("state {number} has {implicit} transitions without labels, not {letters}"));
        }
        Ok((number, transitions))
    }

    /// `{0 1}`
    fn sets(&mut self, header: &Header) -> Result<u64, HoaError> {
        let mut sets = 0;
        if self.peek() != Some(&Token::Sign('{')) {
            return Ok(sets);
        }
        self.at += 1;
        while self.peek() != Some(&Token::Sign('}')) {
            let set = self.number()?;
            if set >= header.sets {
                return self.error(format!("there is no acceptance set {set}"));
            }
            sets |= 1 << set;
        }
        self.at += 1;
        Ok(sets)
    }

    /// The cubes of a label, if there is one.
    fn label(&mut self) -> Result<Option<Vec<Cube>>, HoaError> {
        let Some(Token::Label(text)) = self.peek().cloned() else { return Ok(None) };
        let mut formulas = Formulas::default();
        // Atoms as names that the parser of formulas takes for such, aliases as what they stand for.
        let mut written = text;
        for _ in 0..=self.aliases.len() {
            let expanded = self.expanded(&written);
            if expanded == written {
                break;
            }
            written = expanded;
        }
        let parsed = match parse(&named(&written), &mut formulas) {
            Ok(parsed) => parsed,
            Err(error) => return self.error(format!("in the label: {error}")),
        };
        let cubes = self.cubes(&formulas, parsed.formula)?;
        self.at += 1;
        Ok(Some(cubes))
    }

    /// Aliases replaced by what they stand for.
    fn expanded(&self, text: &str) -> String {
        let is_part = |c: char| c.is_alphanumeric() || "_-@.".contains(c);
        let mut expanded = String::new();
        let mut rest = text;
        while let Some(start) = rest.find('@') {
            let length = rest[start..].find(|c: char| !is_part(c)).unwrap_or(rest.len() - start);
            let name = &rest[start..start + length];
            expanded.push_str(&rest[..start]);
            match self.aliases.get(name).filter(|_| expanded.len() < 100_000) {
                Some(meaning) => expanded.push_str(&format!("({meaning})")),
                None => expanded.push_str(name),
            }
            rest = &rest[start + length..];
        }
        expanded + rest
    }

    /// The label as a disjunction of cubes, from the inside out; with each part its negation.
    fn cubes(&self, formulas: &Formulas, formula: Formula) -> Result<Vec<Cube>, HoaError> {
        let mut done: FxHashMap<Formula, [Vec<Cube>; 2]> = FxHashMap::default();
        let both = |a: &[Cube], b: &[Cube]| -> Vec<Cube> {
            a.iter().flat_map(|a| b.iter().filter_map(move |b| a.and(*b))).collect()
        };
        for part in formulas.parts(formula) {
            let cubes = match formulas.node(part) {
                Node::Constant(true) => [vec![Cube::ANY], Vec::new()],
                Node::Constant(false) => [Vec::new(), vec![Cube::ANY]],
                Node::Atom(atom) => {
                    let name = &formulas.atoms()[atom.0 as usize];
                    let number = name.strip_prefix("atom").and_then(|number| number.parse::<usize>().ok());
                    let Some(number) = number.filter(|number| *number < self.atoms.len()) else {
                        return self.error("there is no such atom or alias");
                    };
                    let bit = 1 << number;
                    [vec![Cube { yes: bit, no: 0 }], vec![Cube { yes: 0, no: bit }]]
                }
                Node::Unary(Unary::Not, inner) => {
                    let [yes, no] = done[&inner].clone();
                    [no, yes]
                }
                Node::Binary(Binary::And, a, b) => {
                    [both(&done[&a][0], &done[&b][0]), [&done[&a][1][..], &done[&b][1]].concat()]
                }
                Node::Binary(Binary::Or, a, b) => {
                    [[&done[&a][0][..], &done[&b][0]].concat(), both(&done[&a][1], &done[&b][1])]
                }
                _ => return self.error("labels are made of `!`, `&` and `|`"),
            };
            if cubes.iter().any(|cubes| cubes.len() > MOST_CUBES) {
                return self.error("this label is too large");
            }
            done.insert(part, cubes);
        }
        Ok(done.remove(&formula).map(|[yes, _]| yes).unwrap_or_default())
    }
}

/// A label with its atoms as names: `0 & !1` is `atom0 & !atom1`.
fn named(label: &str) -> String {
    let mut text = String::new();
    let mut in_word = false;
    for c in label.chars() {
        if c.is_ascii_digit() && !in_word {
            text.push_str("atom");
        }
        in_word = c.is_alphanumeric();
        match c {
            't' if !text.ends_with(char::is_alphanumeric) => text.push_str("true"),
            'f' if !text.ends_with(char::is_alphanumeric) => text.push_str("false"),
            c => text.push(c),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "HOA: v1\nStates: 2\nAP: 2 \"a\" \"b\"\nacc-name: Buchi\n";

    fn read(rest: &str) -> Automaton {
        read_hoa(&format!("{HEAD}{rest}")).unwrap_or_else(|error| panic!("{rest}: {error}")).0
    }

    #[test]
    fn labels_of_all_kinds_are_read() {
        let explicit = read(
            "Start: 0\nAcceptance: 1 Inf(0)\n--BODY--\nState: 0 \"x\" {0}\n[0 & !1 | t & f] 1\nState: 1\n[t] 0\n--END--",
        );
        assert_eq!(explicit.transitions[0], [Transition { cube: Cube { yes: 1, no: 2 }, accepting: 1, to: 1 }]);
        let other = read("Start: 1\nAcceptance: 1 Inf(0)\n--BODY--\nState: 0\n[t] 1\nState: 1\n[0] 0\n--END--");
        assert_eq!(other.transitions[0], [Transition { cube: Cube { yes: 1, no: 0 }, accepting: 0, to: 1 }]);
        assert_eq!(other.transitions[1], [Transition { cube: Cube::ANY, accepting: 0, to: 0 }]);
        let alias =
            "Start: 0\nAlias: @x 0&!1\nAcceptance: 1 Inf(0)\n--BODY--\nState: [!@x] 0\n1 {0}\nState: 1\n--END--";
        assert_eq!(read(alias).transitions[0].len(), 2);
        let implicit =
            read("Start: 0\nStart: 1\nAcceptance: 0 t\n--BODY--\nState: 0\n0 1 0 1\nState: 1\n[0] 0\n--END--");
        assert_eq!(implicit.transitions[1].iter().map(|t| t.cube.yes).collect::<Vec<_>>(), [0, 1, 2, 3]);
        assert_eq!(implicit.transitions[0].len(), 5);
    }

    #[test]
    fn what_is_not_read_is_told_with_its_line() {
        let error = |rest: &str| match read_hoa(&format!("{HEAD}{rest}")) {
            Err(error) => error.to_string(),
            Ok(_) => panic!("{rest} is read"),
        };
        let body = "--BODY--\nState: 0\n--END--";
        assert!(error(&format!("Start: 0\nAcceptance: 1 Fin(0)\n{body}")).starts_with("line 6: only Büchi"));
        assert!(error(&format!("Start: 0&1\nAcceptance: 1 Inf(0)\n{body}")).contains("alternating"));
        assert!(error(&format!("Start: 0\n{body}")).contains("no `Acceptance:`"));
        assert!(error("Start: 0\nAcceptance: 1 Inf(0)\n--BODY--\nState: 0\n[7] 0\n--END--").contains("no such atom"));
        assert!(error("Start: 0\nAcceptance: 1 Inf(0)\n--BODY--\nState: 0\n[0] 9\n--END--").contains("no state 9"));
        assert!(
            error("Start: 0\nAcceptance: 1 Inf(0)\n--BODY--\nState: 0\n[X 0] 0\n--END--").contains("labels are made")
        );
        let twice = "HOA: v1\nAP: 2 \"a\" \"a\"\nAcceptance: 0 t\n--BODY--\n--END--";
        assert!(read_hoa(twice).is_err_and(|error| error.to_string() == "line 2: the atom \"a\" stands twice"));
        assert!(read_hoa("").is_err() && read_hoa("HOA: v2").is_err() && read_hoa("\"").is_err());
    }
}
