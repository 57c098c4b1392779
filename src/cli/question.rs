//! The question of `check`, for `encode`: which property, after which reductions. What is written is asked
//! of the same machine that engines see.

use super::BadInput;
use super::options::ReductionOptions;
use crate::checker::{CheckError, Checker};
use crate::logic::Query;
use crate::model::export;
use crate::syntax::{Program, Source};

#[derive(clap::Args, Debug)]
pub(super) struct Question {
    /// Ask whether this label, node or proposition can be reached (forms that ask a question)
    #[arg(long, value_name = "LABEL")]
    label: Option<String>,
    #[command(flatten)]
    reductions: ReductionOptions,
}

impl Question {
    /// Forms that only describe a program have no question.
    pub(super) fn is_asked(&self) -> bool {
        self.label.is_some() || self.reductions.are_given()
    }

    /// The question as Horn clauses.
    pub(super) fn to_chc(&self, source: &Source, program: &Program) -> anyhow::Result<String> {
        let checker = Checker::new(program).with_reductions(self.reductions.chosen());
        if let Some(Err(CheckError::NoSuchPlace { message })) = self.label.as_ref().map(|l| checker.find_label(l)) {
            return Err(BadInput(message).into());
        }
        let query = self.label.clone().map_or(Query::Failures, Query::Label);
        let about = format!("{}: {query}", source.name().escape_debug());
        Ok(checker
            .ask_about(&query, |ersm, goal| export::to_chc(ersm, goal, &about, &|span| source.line_of(span.start))))
    }
}
