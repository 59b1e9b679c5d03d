//! The prompt of one turn: which template, and what it is given.

use council_protocol::task::Branch;
use council_protocol::{Seat, Task};
use minijinja::context;
use minijinja::value::Value;

use super::template::PromptError;
use super::{Prompter, words};

/// Renders the turn.
pub(super) fn render(
    prompter: &Prompter,
    seat: &Seat,
    round: u8,
    key: &str,
    task: &Task,
) -> Result<String, PromptError> {
    let (name, own) = values(prompter, task);
    let common = context! {
        tag => prompter.fence.tag(),
        perspective => seat.perspective.name.clone(),
        focus => seat.perspective.focus.clone(),
        round => u32::from(round),
        key => key.to_owned(),
        form => form(task, round),
    };
    prompter
        .templates
        .render(name, context! { ..own, ..common })
}

/// Renders one question of a judge for a helper.
pub(super) fn explorer(prompter: &Prompter, question: &str) -> Result<String, PromptError> {
    let question = prompter.fence.wrap(&words::note(question));
    prompter.templates.render(
        "explorer",
        context! { tag => prompter.fence.tag(), question },
    )
}

/// The template of a task, and what only it is given.
fn values(prompter: &Prompter, task: &Task) -> (&'static str, Value) {
    let fenced = |text: String| match text.is_empty() {
        true => text,
        false => prompter.fence.wrap(&text),
    };
    match task {
        Task::Review => (
            "review",
            context! { explorers => u32::from(prompter.explorers) },
        ),
        Task::Restate => ("restate", context! {}),
        Task::Explored { results } => (
            "explored",
            context! { results => fenced(words::explored(results)) },
        ),
        Task::Mend { error } => ("mend", context! { error => fenced(words::note(error)) }),
        Task::Debate {
            branch,
            peers,
            dropped,
            framing,
        } => {
            let name = match branch {
                Branch::Agreed => "debate-agreed",
                Branch::Disagreed => "debate-disagreed",
            };
            let values = context! {
                peers => fenced(words::positions(peers)),
                by_reference => peers.iter().any(|peer| peer.file.is_some()),
                dropped => *dropped,
                claims => fenced(framing.as_ref().map(words::claims).unwrap_or_default()),
            };
            (name, values)
        }
        Task::Duel {
            role,
            section,
            transcript,
            theirs,
            objections,
        } => {
            let values = context! {
                role => role.to_string(),
                section => section.clone(),
                theirs => fenced(words::points(theirs)),
                objections => fenced(words::objections(objections)),
                transcript => fenced(words::transcript(transcript)),
            };
            ("duel", values)
        }
    }
}

/// Which fields an answer to this task has.
fn form(task: &Task, round: u8) -> &'static str {
    match task {
        Task::Duel { .. } => "duel",
        Task::Debate { .. } => "debate",
        Task::Mend { .. } if round > 1 => "debate",
        Task::Review | Task::Explored { .. } | Task::Restate | Task::Mend { .. } => "review",
    }
}
