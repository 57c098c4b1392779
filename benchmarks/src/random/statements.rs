//! Random statements of one line.

use super::body::{Body, Choice};
use super::expressions::Vocabulary;
use super::splitmix::SplitMix64;

impl Body<'_, '_> {
    /// Asks for an expression over the variables in scope.
    pub(super) fn ask(&mut self, expression: impl FnOnce(Vocabulary<'_>, &mut SplitMix64) -> String) -> String {
        let choices = self.writer.shape.nondeterminism;
        let vocabulary = Vocabulary { variables: &self.variables, choices, primes: false };
        expression(vocabulary, &mut self.writer.rng)
    }

    pub(super) fn expression(&mut self, depth: u32) -> String {
        self.ask(|vocabulary, rng| vocabulary.expression(rng, depth))
    }

    fn expressions(&mut self, count: usize) -> String {
        let values: Vec<String> = (0..count).map(|_| self.expression(2)).collect();
        values.join(", ")
    }

    /// A statement of one line; an assignment where the choice is not possible here.
    pub(super) fn simple(&mut self, choice: Choice) -> String {
        match choice {
            Choice::Skip => "skip;".to_owned(),
            Choice::Print => {
                let count = self.writer.rng.below(3) as usize;
                format!("print({});", self.expressions(count))
            }
            Choice::Assume => {
                let condition = self.ask(|vocabulary, rng| vocabulary.likely(rng));
                format!("assume({condition});")
            }
            Choice::Dead if self.writer.shape.nondeterminism && !self.variables.is_empty() => {
                let count = 1 + self.writer.rng.below(2) as usize;
                format!("dead {};", self.targets(count, 0).join(", "))
            }
            _ => self.assignment(),
        }
    }

    /// At most `count` distinct variables, and `_` in place of some in one of `forget` cases.
    pub(super) fn targets(&mut self, count: usize, forget: u64) -> Vec<String> {
        let mut names = self.variables.clone();
        let mut targets = Vec::new();
        for _ in 0..count.min(names.len()) {
            let name = names.swap_remove(self.writer.rng.below(names.len() as u64) as usize);
            let forgotten = forget > 0 && self.chance(1, forget);
            targets.push(if forgotten { "_".to_owned() } else { name });
        }
        targets
    }

    fn assignment(&mut self) -> String {
        let count = 1 + self.writer.rng.below(3) as usize;
        let targets = self.targets(count, 20);
        if targets.is_empty() {
            return "skip;".to_owned();
        }
        let mut text = format!("{} := {}", targets.join(", "), self.expressions(targets.len()));
        if self.writer.shape.nondeterminism && self.chance(1, 6) {
            let condition = self.ask(|vocabulary, rng| Vocabulary { primes: true, ..vocabulary }.likely(rng));
            text.push_str(&format!(" constrain {condition}"));
        }
        text + ";"
    }

    /// A call of any procedure, or of a later one where recursion is not wanted (an assignment where
    /// there is none), and whether it may be recursive.
    pub(super) fn call(&mut self) -> (String, bool) {
        let count = self.writer.signatures.len();
        let first = if self.writer.shape.recursion { 0 } else { self.procedure + 1 };
        if first == count {
            return (self.assignment(), false);
        }
        let mut callee = first + self.writer.rng.below((count - first) as u64) as usize;
        if callee == 0 && self.chance(3, 4) {
            callee = 1 % count; // calls of `main` are rare
        }
        (self.call_of(callee), callee <= self.procedure)
    }

    pub(super) fn call_of(&mut self, callee: usize) -> String {
        let signature = &self.writer.signatures[callee];
        let (name, parameters, results) =
            (signature.name.clone(), signature.parameters.len(), signature.results as usize);
        let arguments = self.expressions(parameters);
        let word = self.pick(&["", "", "", "call "]);
        let mut targets = self.targets(results, 4);
        targets.resize(results, "_".to_owned());
        if targets.is_empty() || self.chance(1, 5) {
            return format!("{word}{name}({arguments});");
        }
        format!("{} := {word}{name}({arguments});", targets.join(", "))
    }

    pub(super) fn return_statement(&mut self) -> String {
        let results = self.writer.signatures[self.procedure].results as usize;
        let values = self.expressions(results);
        if results == 0 { "return;".to_owned() } else { format!("return {values};") }
    }
}
