//! Dismissals that people wrote below our findings: obeyed for those whom the forge lets write, and answered.

use std::collections::BTreeMap;

use council_secrets::Redactor;

use crate::council::Dismissal;
use crate::publish::{GitHubApi, ReviewThread, look};
use crate::text::Untrusted;

/// What was heard in the conversations.
#[derive(Debug, Default)]
pub(crate) struct HeardReplies {
    /// The dismissals that count.
    pub(crate) dismissals: Vec<Dismissal>,
    /// What is answered: the number of our comment, and one line.
    pub(crate) answers: Vec<(u64, String)>,
}

/// Reads the replies in our conversations. Nobody argues findings on their own pull request away, and who may not write
/// is told so; where the forge does not say who may, nothing counts.
pub(crate) fn hear_replies(
    hub: &GitHubApi<'_>,
    threads: &[ReviewThread],
    author: &str,
    redactor: &Redactor,
) -> HeardReplies {
    let mut heard = HeardReplies::default();
    let mut known: BTreeMap<&str, Option<bool>> = BTreeMap::new();
    for thread in threads {
        let Some(order) = &thread.order else {
            continue;
        };
        let who = Untrusted::new(&order.login).code();
        let may = known
            .entry(&order.login)
            .or_insert_with(|| look::may_write(hub, &order.login).ok());
        let line = match may {
            _ if order.login == author => format!(
                "Not dismissed: {who} opened this pull request, and somebody else has to agree."
            ),
            None => continue,
            _ if order.edited_by.is_some() => {
                let editor = order.edited_by.as_deref().filter(|login| !login.is_empty());
                let editor = editor.map(|login| Untrusted::new(login).code());
                let by = editor.as_deref().unwrap_or("somebody else");
                format!(
                    "Not dismissed: {by} edited this reply of {who}, who has to write a new one."
                )
            }
            Some(false) => format!("Not dismissed: {who} has no write access to this repository."),
            Some(true) if order.because.is_empty() => {
                "Not dismissed: say why, as in `/council dismiss because it is a constant`."
                    .to_owned()
            }
            Some(true) => {
                let because = redactor.redact_words(&order.because).text;
                heard.dismissals.push(Dismissal {
                    fingerprint: thread.fingerprint.clone(),
                    // A thread does not keep how bad its finding was when it was posted.
                    severity: Some(council_protocol::Severity::Critical),
                    classes: thread.classes.clone(),
                    ground: order.ground,
                    because,
                    by: format!("@{}", order.login),
                    at: order.at.clone(),
                });
                format!("Dismissed by {who}. It comes back if the code around it changes.")
            }
        };
        if let (false, Some(number)) = (order.answered, thread.number) {
            heard.answers.push((number, line));
        }
    }
    heard
}
