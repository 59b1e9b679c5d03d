//! What stands on a pull request before anything is published, and what a change of its head means.

use std::collections::BTreeMap;

use council_protocol::FileChange;

use crate::git::recognition_key;
use crate::publish::look;
use crate::publish::{ForgeState, GitHubApi, GitHubError, OwnComment, PublishOptions, Surface};
use crate::report::CheckConclusion;
use crate::run::error::RunError;
use crate::run::github::subject::PullSubject;
use crate::run::prepare::PreparedReview;

/// What is there, and which surfaces could not be looked at. The last report is read wherever the report will be shown: what
/// it left open counts on each surface.
///
/// # Errors
///
/// That report cannot be read now: nobody may say that nothing is open.
pub(crate) fn inspect_pull_request(
    subject: &mut PullSubject,
    hub: &GitHubApi<'_>,
    wishes: &PublishOptions,
) -> Result<(ForgeState, Vec<(Surface, GitHubError)>), RunError> {
    let wants = |surface| wishes.surfaces.contains(&surface);
    let mut seen = ForgeState {
        pull: subject.pull.clone(),
        ..ForgeState::default()
    };
    let mut troubles = Vec::new();
    let mut told = look::TipCheck::Untold;
    if let Some(talk) = subject.talk.take() {
        if talk.pull.head == wishes.head {
            told = talk.check;
        }
        seen.threads = Some(talk.threads);
        seen.reviews = talk.reviews;
        if let Some(pull) = &seen.pull {
            match look::fetch_reports(hub, pull.number, &wishes.council, &talk.me, None) {
                Ok(comments) => seen.comments = comments,
                // Whoever may not read comments has never written one.
                Err(error) if error.is_denied() => {
                    troubles.extend(wants(Surface::Comment).then_some((Surface::Comment, error)));
                }
                Err(error) => return Err(error.into()),
            }
        }
        seen.me = Some(talk.me);
    }
    if wants(Surface::Check) {
        let check = match told {
            look::TipCheck::Told { latest, completed } => {
                seen.completed_checks = Some(completed);
                Ok(latest)
            }
            look::TipCheck::Untold => {
                look::fetch_check(hub, &wishes.head, &wishes.check_name, &wishes.council)
            }
        };
        match check {
            Ok(check) => seen.check = check,
            Err(error) => troubles.push((Surface::Check, error)),
        }
    }
    Ok((seen, troubles))
}

/// The digest of each changed file's change, by its path. A file whose name holds a secret is left out, so that it is judged
/// each time: the paths stand in a comment.
pub(crate) fn file_digests(prepared: &PreparedReview) -> BTreeMap<String, String> {
    let one = |file: &FileChange| {
        let path = file.path.display().into_owned();
        let is_shown = prepared.redactor.redact_name(&path).secrets == 0;
        let key = || recognition_key(&prepared.change, std::slice::from_ref(file));
        is_shown.then(|| (path, key()[..24].to_owned()))
    };
    prepared.packet.files.iter().filter_map(one).collect()
}

/// The commit that was judged is not the one that is there.
pub(crate) fn head_moved_error(meant: &str, now: &str) -> RunError {
    let short = |id: &str| id.get(..12).unwrap_or(id).to_owned();
    RunError::run(format!(
        "the pull request has changed: {} was to be reviewed, but its head is now {}",
        short(meant),
        short(now)
    ))
    .hint("nothing was posted; the run for the new head will report")
}

/// How a check ends that has no report.
pub(crate) fn conclusion_without_report(advisory: bool) -> CheckConclusion {
    if advisory {
        CheckConclusion::Neutral
    } else {
        CheckConclusion::ActionRequired
    }
}

/// What is there just before anything is posted.
pub(crate) struct SecondLook {
    /// What could not be read: what was seen before stays.
    pub(crate) trouble: Option<GitHubError>,
    /// The check of the commit.
    pub(crate) check: look::TipCheck,
}

/// How far a forge's clock and ours may be apart, in seconds.
const CLOCK_SKEW_S: u64 = 3_600;

/// Puts reports as they are now in the place of what they were, oldest first.
fn renew_reports(known: &mut Vec<OwnComment>, changed: Vec<OwnComment>) {
    known.retain(|old| !changed.iter().any(|new| new.id == old.id));
    known.extend(changed);
    known.sort_by_key(|comment| comment.id);
}

/// Whether no other review that publishes a check has ended since this one began: its own check is the latest, and open.
fn is_alone(seen: &ForgeState, now: &look::TipCheck) -> bool {
    let look::TipCheck::Told { latest, completed } = now else {
        return false;
    };
    let own = seen.check.as_ref().filter(|check| !check.completed);
    let is_latest = own.is_some_and(|own| latest.as_ref().is_some_and(|now| now.id == own.id));
    let is_open = latest.as_ref().is_some_and(|now| !now.completed);
    is_latest && is_open && seen.completed_checks == Some(*completed)
}

/// Looks at the conversation once more, and at the reports unless the checks tell that nobody else has ended: another review
/// may have published while this one was at work for `review_s` seconds. Older comments are those that were read before.
///
/// # Errors
///
/// The head of the pull request is another commit by now, or the reports, which were read before, cannot be read any more.
pub(crate) fn look_again(
    pull: u64,
    seen: &mut ForgeState,
    wishes: &PublishOptions,
    hub: &GitHubApi<'_>,
    review_s: u64,
) -> Result<SecondLook, RunError> {
    let name = wishes.surfaces.contains(&Surface::Check);
    let name = name.then_some(wishes.check_name.as_str());
    let now = match look::fetch_conversation(hub, pull, &wishes.council, name) {
        Ok(now) if now.pull.head != wishes.head => {
            return Err(head_moved_error(&wishes.head, &now.pull.head));
        }
        Ok(now) => now,
        Err(error) => {
            return Ok(SecondLook {
                trouble: Some(error),
                check: look::TipCheck::Untold,
            });
        }
    };
    (seen.threads, seen.reviews) = (Some(now.threads), now.reviews);
    let is_shown = wishes.surfaces.iter().any(|surface| !surface.is_of_job());
    if is_shown && !is_alone(seen, &now.check) {
        let since = hub.time_ago(review_s + CLOCK_SKEW_S);
        match look::fetch_reports(hub, pull, &wishes.council, &now.me, Some(&since)) {
            Ok(changed) => renew_reports(&mut seen.comments, changed),
            // Whoever may not read comments was told so when they were read first.
            Err(error) if error.is_denied() => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(SecondLook {
        trouble: None,
        check: now.check,
    })
}
