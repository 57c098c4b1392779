//! `epitome completions` and `epitome man`: what shells and `man` know of the command line, made from its own description.

use super::{Arguments as CommandLine, BadInput, Status};
use clap::CommandFactory;
use std::io::Write;
use std::path::PathBuf;

#[derive(clap::Args, Debug)]
pub(super) struct CompletionArguments {
    /// The shell
    shell: clap_complete::Shell,
}

#[derive(clap::Args, Debug)]
pub(super) struct ManArguments {
    /// Write the pages of all commands into this folder, instead of the first page to standard output
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
}

/// Writes the completions of a shell.
pub(super) fn completions(arguments: &CompletionArguments, out: &mut dyn Write) -> anyhow::Result<Status> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut CommandLine::command(), "epitome", &mut script);
    out.write_all(&script)?;
    Ok(Status::True)
}

/// Writes manual pages.
pub(super) fn man(arguments: &ManArguments, out: &mut dyn Write) -> anyhow::Result<Status> {
    match &arguments.folder {
        None => clap_mangen::Man::new(CommandLine::command()).render(out)?,
        Some(folder) => std::fs::create_dir_all(folder)
            .and_then(|()| clap_mangen::generate_to(CommandLine::command(), folder))
            .map_err(|error| BadInput(format!("cannot write to {}: {error}", folder.display())))?,
    }
    Ok(Status::True)
}
