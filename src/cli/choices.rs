//! Options whose values are things of the library, by the names and descriptions these have there.
//!
//! So what the library gains is offered on the command line, and in its help, without a second list.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// A value to choose: its name, what it is about, and what it stands for.
pub(super) type Choice<T> = (&'static str, &'static str, T);

/// A parser that takes one of these names. Help shows them all.
pub(super) fn one_of<T: Clone + Send + Sync + 'static>(choices: Vec<Choice<T>>) -> impl TypedValueParser<Value = T> {
    let names: Vec<PossibleValue> =
        choices.iter().map(|&(name, about, _)| PossibleValue::new(name).help(about)).collect();
    PossibleValuesParser::new(names).try_map(move |text| {
        let named = choices.iter().find(|(name, ..)| *name == text);
        named.map(|(.., value)| value.clone()).ok_or("not one of the names")
    })
}
