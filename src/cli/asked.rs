//! The question of `check`, for `encode`: which property, after which reductions, how deep. What is written is
//! asked of the same machine that engines see.

use super::BadInput;
use super::options::{ReductionOptions, encodings};
use super::question::Question;
use crate::checker::Checker;
use crate::engine::quantify::Encoding;
use crate::logic::Query;
use crate::model::export;
use crate::reduce::Reductions;
use crate::syntax::{Program, Source, bp};

#[derive(clap::Args, Debug)]
pub(super) struct Asked {
    #[command(flatten)]
    question: Question,
    /// How deep loops and recursion are followed: so many times control may come to the head of each loop
    /// before it is left (a loop of 3 rounds does so 4 times), so many calls of recursive procedures may be
    /// inside of each other (cnf)
    #[arg(long, value_name = "DEPTH")]
    pub(super) depth: Option<u32>,
    /// Which quantified formula [default: modular] (qdimacs, qcir)
    #[arg(long, value_parser = encodings())]
    pub(super) qbf: Option<Encoding>,
    #[command(flatten)]
    reductions: ReductionOptions,
}

impl Asked {
    /// An option that was given. Forms that only describe a program have no question.
    pub(super) fn given(&self) -> Option<&'static str> {
        let options = [
            ("a property", !self.question.is_default()),
            ("--depth", self.depth.is_some()),
            ("--qbf", self.qbf.is_some()),
            ("a choice of reductions", self.reductions.are_given()),
        ];
        options.into_iter().find(|(_, given)| *given).map(|(option, _)| option)
    }

    /// The program with its reductions, and what is asked of it.
    pub(super) fn ask<'p>(&self, program: &'p Program) -> anyhow::Result<(Checker<'p>, Query)> {
        let checker = Checker::new(program).with_reductions(self.reductions.chosen());
        let query = self.question.query(matches!(program, Program::C(_)))?;
        self.question.resolve(&checker, &query)?;
        Ok((checker, query))
    }

    /// The question as a Boolean program, and what it is. A Boolean program that nothing is to be done to is its
    /// own question.
    pub(super) fn to_program(&self, source: &Source, program: &Program) -> anyhow::Result<(bp::Program, String)> {
        let (checker, query) = self.ask(program)?;
        let asked = match program {
            Program::Bp(program) if query == Query::Failures && self.reductions.chosen() == Reductions::none() => {
                program.clone()
            }
            _ => checker.ask_about(&query, export::question).map_err(|error| BadInput(error.to_string()))?,
        };
        Ok((asked, format!("{}: {query}", source.name().escape_debug())))
    }

    /// The question as Horn clauses.
    pub(super) fn to_chc(&self, source: &Source, program: &Program) -> anyhow::Result<String> {
        let (checker, query) = self.ask(program)?;
        let about = format!("{}: {query}", source.name().escape_debug());
        Ok(checker
            .ask_about(&query, |ersm, goal| export::to_chc(ersm, goal, &about, &|span| source.line_of(span.start))))
    }
}
