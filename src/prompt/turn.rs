//! The prompt of one turn: which template, and what it is given.

use std::sync::Arc;

use council_builtin::display_name;
use council_protocol::task::{DebateBranch, Form, InterventionKind};
use council_protocol::{RoundNumber, Seat, Task};
use minijinja::context;
use minijinja::value::Value;

use super::template::PromptError;
use super::{BriefEnding, ProductionMode, PromptBuilder, words};

/// Renders the turn.
pub(super) fn render_turn(
    prompter: &PromptBuilder,
    seat: &Seat,
    round: RoundNumber,
    key: &str,
    task: &Task,
    explorers: u8,
) -> Result<String, PromptError> {
    let (name, own) = template_values(prompter, task, explorers);
    let common = context! {
        tag => prompter.fence.tag(),
        perspective => display_name(&seat.perspective.name),
        focus => words_of(prompter).show_focus(seat),
        round => u32::from(round.0),
        key => key.to_owned(),
        form => task.form().name(),
        matter => prompter.matter.as_str(),
        mode => prompter.mode.as_str(),
        later => is_later(task.form()),
        alone => prompter.alone,
        guided => prompter.ending == BriefEnding::Guide,
        // An answer that is asked for again has the fields of its turn, of which only the form is known.
        nothing_found => false,
        proven => task.form() == Form::ProvenDebate,
        suites => Vec::<Value>::new(),
    };
    prompter
        .templates
        .render(name, context! { ..own, ..common })
}

/// Renders what stands behind the subject for all judges.
pub(super) fn render_guide(prompter: &PromptBuilder) -> Result<String, PromptError> {
    let values = context! {
        tag => prompter.fence.tag(),
        matter => prompter.matter.as_str(),
    };
    prompter.templates.render("guide", values)
}

/// Renders a judge's own replies for a judge that no longer knows them.
pub(super) fn render_reminder(
    prompter: &PromptBuilder,
    seat: &Seat,
    said: &[Arc<str>],
) -> Result<String, PromptError> {
    let values = context! {
        tag => prompter.fence.tag(),
        perspective => display_name(&seat.perspective.name),
        focus => words_of(prompter).show_focus(seat),
        said => match said {
            [] => String::new(),
            said => prompter.fence.wrap(&words_of(prompter).show_replies(said)),
        },
    };
    Ok(prompter.templates.render("reminder", values)? + "\n")
}

fn words_of(prompter: &PromptBuilder) -> words::QuotedWords<'_> {
    words::QuotedWords {
        redactor: &prompter.redactor,
    }
}

/// The template of a task, and what only it is given.
fn template_values(prompter: &PromptBuilder, task: &Task, explorers: u8) -> (&'static str, Value) {
    let words = words_of(prompter);
    let fenced = |text: String| {
        if text.is_empty() {
            text
        } else {
            prompter.fence.wrap(&text)
        }
    };
    match task {
        Task::Review => ("review", context! { explorers => u32::from(explorers) }),
        Task::Explore { question } => (
            "explorer",
            context! { question => fenced(words.show_note(question)) },
        ),
        Task::Explored { results } => (
            "explored",
            context! { results => fenced(words.show_explored(results)) },
        ),
        Task::Mend { error, .. } => ("mend", context! { error => fenced(words.show_note(error)) }),
        Task::Debate {
            restatement,
            branch,
            peers,
            dropped,
            settled,
            framing,
            suites,
        } => {
            let name = match branch {
                DebateBranch::Agreed => "debate-agreed",
                DebateBranch::Disagreed => "debate-disagreed",
            };
            let values = context! {
                restatement => fenced(words.show_note(restatement)),
                peers => fenced(words.show_positions(peers)),
                by_reference => peers.iter().any(|peer| peer.file.is_some()),
                nothing_found => *branch == DebateBranch::Agreed
                    && peers.iter().all(|peer| peer.file.is_none() && peer.findings.is_empty()),
                dropped => *dropped,
                settled => *settled,
                suites => suites.iter().map(|suite| context! { name => suite.name.clone(), command => suite.command.clone() }).collect::<Vec<_>>(),
                claims => fenced(framing.as_ref().map(|framing| words.show_claims(framing)).unwrap_or_default()),
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
                theirs => fenced(words.show_points(theirs)),
                objections => fenced(words.show_objections(objections)),
                transcript => fenced(words.show_transcript(transcript)),
            };
            ("duel", values)
        }
        Task::Opening { others } => (
            "opening",
            context! { others => others.iter().map(|other| words::show_role(other)).collect::<Vec<_>>().join(", ") },
        ),
        Task::Examine {
            round,
            of,
            councillors,
            challenges,
            wanted,
            direct,
            dropped,
            framing,
        } => {
            let values = context! {
                now => u32::from(*round),
                of => u32::from(*of),
                councillors => fenced(words.show_councillors(councillors)),
                by_reference => councillors.iter().any(|c| c.peer.file.is_some()),
                challenges => fenced(words.show_challenges(challenges)),
                wanted => u32::from(*wanted),
                direct => *direct,
                dropped => *dropped,
                settled => 0,
                claims => fenced(framing.as_ref().map(|framing| words.show_claims(framing)).unwrap_or_default()),
            };
            ("examine", values)
        }
        Task::Challenged { challenges } => {
            let challenges = fenced(words.show_challenges(challenges));
            ("challenged", context! { challenges })
        }
        Task::Message { from, text } => {
            let values =
                context! { from => words::show_role(from), text => fenced(words.show_note(text)) };
            ("message", values)
        }
        Task::Moderate {
            kind,
            opening,
            about,
            demand,
            challenges,
        } => {
            let heading = match kind {
                InterventionKind::Groupthink => "a challenge to the consensus",
                InterventionKind::Evasion => "engagement required",
                InterventionKind::Stale => "a reframing question",
            };
            let values = context! {
                heading,
                opening => opening.clone(),
                about => fenced(words.show_note(about)),
                demand => demand.clone(),
                challenges => fenced(words.show_challenges(challenges)),
            };
            ("moderate", values)
        }
        Task::Ballot => ("ballot", context! {}),
        Task::Produce => {
            let technique = match prompter.mode {
                ProductionMode::Brainstorm(Some(technique)) => technique.instruction_text(),
                _ => "",
            };
            let values = context! { technique, explorers => u32::from(explorers) };
            ("produce", values)
        }
        Task::CrossReview {
            peers,
            documents,
            dropped,
            framing,
        } => {
            let values = context! {
                peers => fenced(words.show_positions(peers)),
                documents => fenced(words.show_contributions(documents)),
                by_reference => peers.iter().any(|peer| peer.file.is_some()),
                dropped => *dropped,
                settled => 0,
                claims => fenced(framing.as_ref().map(|framing| words.show_claims(framing)).unwrap_or_default()),
            };
            ("cross-review", values)
        }
        Task::Rebut { open, challenges } => {
            let values = context! {
                open => fenced(words.show_open_points(open)),
                challenges => fenced(words.show_challenges(challenges)),
            };
            ("rebut", values)
        }
        Task::Synthesize {
            contributions,
            contention,
        } => {
            let scores: Vec<String> = contention
                .iter()
                .map(|c| format!("{:.2}", c.score()))
                .collect();
            let values = context! {
                contributions => fenced(words.show_contributions(contributions)),
                contention => if scores.is_empty() { "none".to_owned() } else { scores.join(", ") },
            };
            ("synthesize", values)
        }
    }
}

/// Whether an answer of this form reacts to what others hold.
fn is_later(form: Form) -> bool {
    matches!(
        form,
        Form::Debate | Form::ProvenDebate | Form::Duel | Form::Examination | Form::Rebuttal
    )
}
