//! `git council init`: a first configuration, from what is installed.

mod questions;

use std::io::IsTerminal as _;

use clap::{Args, ValueEnum};

use crate::cli::commands::hook;
use crate::cli::context::CommandContext;
use crate::run::error::RunError;
use crate::run::first_setup::{
    SetupChoices, SetupOptions, SetupPreset, plan_setup, setup_places, write_setup,
};
use crate::run::setup_steps::describe_result;
use questions::{InitAnswers, Interview};

/// Set up judges, the push hook or a workflow; at a terminal, it asks first
#[derive(Debug, Clone, Args)]
pub(crate) struct InitArgs {
    /// Set up `solo`: yourself, in every repository; `team`: a required check on pull requests; `open-source`: advice
    /// on pull requests from forks [default: ask at a terminal, else `solo`]
    #[arg(long, value_name = "NAME", hide_possible_values = true)]
    preset: Option<PresetName>,
    /// Print each file that would be written, and write none
    #[arg(long)]
    print: bool,
    /// Overwrite files that are there
    #[arg(long, conflicts_with = "print")]
    force: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PresetName {
    Solo,
    #[value(alias = "gate")]
    Team,
    OpenSource,
}

impl From<PresetName> for SetupPreset {
    fn from(name: PresetName) -> Self {
        match name {
            PresetName::Solo => Self::Solo,
            PresetName::Team => Self::Team,
            PresetName::OpenSource => Self::OpenSource,
        }
    }
}

pub(crate) fn run(args: &InitArgs, start: &CommandContext) -> Result<(), RunError> {
    let mut options = SetupOptions::detect(start);
    let asks = !args.print && is_somebody_there(start);
    let tell = |text: &str| start.console.prompt(text);
    let mut stdin = std::io::stdin().lock();
    let mut interview = Interview {
        input: &mut stdin,
        tell: &tell,
        has_ended: false,
    };
    let preset = match args.preset {
        Some(name) => name.into(),
        None if asks && options.worktree.is_some() => interview.ask_preset(),
        None => SetupPreset::Solo,
    };
    if args.print {
        return print_files(preset, options, start);
    }
    if !args.force {
        refuse_to_overwrite(&setup_places(preset, &options)?)?;
        // What is there stays as it is, whatever else is set up.
        options.own_file = options.own_file.filter(|file| !file.exists());
    }
    let answers = if asks {
        interview.ask_rest(preset, &options)
    } else {
        InitAnswers::default()
    };
    if interview.has_ended {
        return Err(RunError::usage(
            "the input ended before the last question: nothing was written",
        )
        .hint("answer each question; Enter alone means no")
        .hint("or without questions: git council init --preset solo"));
    }
    let files = plan_setup(preset, &options, &answers.choices)?;
    let written = write_setup(&files, &options)?;
    if answers.with_hook {
        // Without it the setup is not what was chosen: the files are taken back.
        hook::install_push_hook(start).map_err(|error| {
            error.hint("of the setup nothing was written: answer no to the question of pushes, and see to the hook afterwards")
        })?;
    }
    written.keep();
    let told = describe_result(preset, &options, &answers.choices, &files);
    start.console.print_wrapped(&told)?;
    start
        .console
        .hint("try it on the last commit: git council review HEAD");
    Ok(())
}

fn is_somebody_there(start: &CommandContext) -> bool {
    start.console.is_watched() && std::io::stdin().is_terminal() && !start.environment.is_ci()
}

/// Each file below a comment that says where it belongs.
fn print_files(
    preset: SetupPreset,
    mut options: SetupOptions,
    start: &CommandContext,
) -> Result<(), RunError> {
    // Without a home there is no place for the user's own file, but there is its text.
    options.own_file.get_or_insert_with(|| "config.toml".into());
    let files = plan_setup(preset, &options, &SetupChoices::default())?;
    let texts = files.iter().map(|file| {
        let place = file.path.display();
        format!("# would be written to {place}\n{}", file.text)
    });
    start.console.print(&texts.collect::<Vec<_>>().join("\n"))
}

fn refuse_to_overwrite(places: &[std::path::PathBuf]) -> Result<(), RunError> {
    match places.iter().find(|place| place.symlink_metadata().is_ok()) {
        None => Ok(()),
        Some(place) => {
            let message = format!("{} already exists", place.display());
            Err(RunError::usage(message)
                .hint("see what would be written: --print")
                .hint("or overwrite it: --force"))
        }
    }
}
