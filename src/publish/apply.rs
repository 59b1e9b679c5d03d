//! Does what was planned. A surface that is denied gives way to its fallback; the verdict stays what it is.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::action::{LineComment, PublishAction, Surface};
use super::call::ApiCall;
use super::hub::{GitHubApi, GitHubError};
use super::look;
use super::plan::{comment_with_links, plan_fallback};
use super::seen::{ForgeState, ReviewThread};
use super::talk_changes;
use super::wishes::PublishOptions;
use crate::report::Report;

/// How far a forge's clock and ours may be apart, and how long a run takes that began at the same time, in seconds.
const CLOCK_SKEW_S: u64 = 3_600;

/// The job that we run in, if it is one: its summary, its log, its outputs. Whoever implements it prints.
pub(crate) trait WorkflowJob {
    /// Appends Markdown to the job's summary; false: there is none.
    ///
    /// # Errors
    ///
    /// What the disk says.
    fn append_summary(&mut self, markdown: &str) -> std::io::Result<bool>;

    /// Writes commands to the job's log; false: nobody reads commands there.
    ///
    /// # Errors
    ///
    /// What the log says.
    fn write_commands(&mut self, lines: &[String]) -> std::io::Result<bool>;

    /// Sets outputs of the step; false: there is no step.
    ///
    /// # Errors
    ///
    /// What the disk says.
    fn set_outputs(&mut self, pairs: &[(&'static str, String)]) -> std::io::Result<bool>;
}

/// What came of a plan.
#[derive(Debug, Default)]
pub(crate) struct PublishOutcome {
    /// What was done, in words.
    pub done: Vec<String>,
    /// What was done otherwise than it was asked for, and nobody can mend.
    pub notes: Vec<String>,
    /// What could not be done as it was asked for, and why.
    pub failed: Vec<(Surface, GitHubError)>,
    /// Surfaces of the job that there are none of, or that could not be written.
    pub missing: Vec<(Surface, String)>,
    /// Whether every surface that failed was made up for by its fallback.
    pub made_up: bool,
    /// Where people see the sticky report.
    pub comment_url: Option<String>,
    /// Where people see the check.
    pub check_url: Option<String>,
}

impl PublishOutcome {
    /// Whether the report can be seen wherever it was asked for, or on a fallback.
    pub(crate) fn is_published(&self) -> bool {
        (self.failed.is_empty() && self.missing.is_empty()) || self.made_up
    }
}

/// Carries out a plan, in order. `before` are troubles that a surface had while it was looked at.
pub(crate) fn apply_plan(
    actions: Vec<PublishAction>,
    before: Vec<(Surface, GitHubError)>,
    report: &Report,
    context: &PublishContext<'_>,
    job: &mut dyn WorkflowJob,
) -> PublishOutcome {
    let mut doing = PlanRunner {
        context,
        applied: PublishOutcome {
            comment_url: context
                .seen
                .comments
                .first()
                .map(|comment| comment.url.clone()),
            check_url: context.seen.check.as_ref().map(|check| check.url.clone()),
            ..PublishOutcome::default()
        },
        check: None,
        threads: None,
    };
    let (local, remote): (Vec<_>, Vec<_>) = actions.into_iter().partition(is_local);
    for (surface, error) in before {
        doing.record_failure(surface, error);
    }
    for action in &remote {
        doing.run_remote(&doing.with_links(action, report));
    }
    let mut made_up = true;
    // What makes up for one surface makes up for the next one: a report is not shown twice in one place.
    let mut tried: Vec<(PublishAction, bool)> = Vec::new();
    for surface in doing.failed_surfaces() {
        let mut any = false;
        for action in plan_fallback(report, context.seen, context.wishes, surface) {
            let known = tried.iter().find(|(known, _)| *known == action);
            let is_done = known.map(|(_, is_done)| *is_done).unwrap_or_else(|| {
                let is_done = match is_local(&action) {
                    true => doing.run_local(&action, job),
                    false => doing.try_action(&action).is_ok(),
                };
                tried.push((action, is_done));
                is_done
            });
            any |= is_done;
        }
        // A summary or a log that was asked for anyway shows it, too.
        let asked = [Surface::Summary, Surface::Annotations];
        made_up &= any || local.iter().any(|action| asked.contains(&action.surface()));
    }
    for action in &local {
        let action = doing.with_urls(action);
        if !doing.run_local(&action, job) {
            made_up = false;
        }
    }
    doing.applied.made_up = made_up;
    doing.applied
}

/// What the actions are about.
pub(crate) struct PublishContext<'a> {
    pub hub: &'a GitHubApi<'a>,
    /// What was there when the plan was made.
    pub seen: &'a ForgeState,
    /// What was asked for.
    pub wishes: &'a PublishOptions,
}

fn is_local(action: &PublishAction) -> bool {
    matches!(
        action.surface(),
        Surface::Summary | Surface::Annotations | Surface::Outputs
    )
}

struct PlanRunner<'a> {
    context: &'a PublishContext<'a>,
    applied: PublishOutcome,
    /// The check that was created.
    check: Option<u64>,
    /// Our conversations, with those that were begun just now; none: no new one was, or they could not be read.
    threads: Option<Vec<ReviewThread>>,
}

impl PlanRunner<'_> {
    fn record_failure(&mut self, surface: Surface, error: GitHubError) {
        self.applied.failed.push((surface, error));
    }

    fn failed_surfaces(&self) -> BTreeSet<Surface> {
        self.applied
            .failed
            .iter()
            .map(|(surface, _)| *surface)
            .collect()
    }

    fn has_failed(&self, surface: Surface) -> bool {
        self.applied
            .failed
            .iter()
            .any(|(failed, _)| *failed == surface)
    }

    /// After a failure only the conclusion of a check is still tried: it must not stay in progress.
    fn run_remote(&mut self, action: &PublishAction) {
        let concludes = matches!(action, PublishAction::UpdateCheck { body, .. } if body.get("conclusion").is_some());
        if self.has_failed(action.surface()) && !concludes {
            return;
        }
        match self.try_action(action) {
            Ok(()) => self.applied.done.push(action.describe()),
            Err(error) => self.record_failure(action.surface(), error),
        }
    }

    fn try_action(&mut self, action: &PublishAction) -> Result<(), GitHubError> {
        let hub = self.context.hub;
        match action {
            PublishAction::CreateComment { number, body } => self.create_comment(*number, body),
            PublishAction::UpdateComment { body, .. } => {
                match self.send_once(action, "update the report") {
                    // Somebody deleted it since.
                    Err(GitHubError::NotFound { .. }) => match self.context.seen.pull.as_ref() {
                        Some(pull) => self.create_comment(pull.number, body),
                        None => Ok(()),
                    },
                    other => other.map(drop),
                }
            }
            PublishAction::DeleteComment { .. } => {
                match self.send_once(action, "delete the second report") {
                    Err(GitHubError::NotFound { .. }) => Ok(()),
                    other => other.map(drop),
                }
            }
            PublishAction::CreateCheck { .. } => self.create_check(action),
            PublishAction::UpdateCheck { .. } => self
                .send_once(action, "update the check")
                .map(|reply| self.remember_check(&reply)),
            PublishAction::Review {
                number,
                head,
                comments,
                ..
            } => {
                self.post_review(action, *number, head, comments)?;
                self.find_new_threads(*number);
                Ok(())
            }
            PublishAction::Reopen { threads, reviews } => {
                match talk_changes::reopen_threads(hub, threads) {
                    // Where a token may not, the answer in the conversation says that its finding counts again.
                    Err(error) if error.is_denied() => Ok(()),
                    Err(error) => Err(error),
                    Ok(()) => talk_changes::show_again(hub, reviews),
                }
            }
            PublishAction::Resolve { threads, comments } => {
                match talk_changes::resolve_threads(hub, threads) {
                    Err(error) if error.is_denied() => talk_changes::hide_outdated(hub, comments),
                    other => other,
                }
            }
            PublishAction::Retell { .. } => {
                match self.send_once(action, "bring a comment beside a line up to date") {
                    // Somebody deleted it since.
                    Err(GitHubError::NotFound { .. }) => Ok(()),
                    other => other.map(drop),
                }
            }
            PublishAction::Answer { .. } => self.send_once(action, "answer a reply").map(drop),
            PublishAction::Hide { reviews } => talk_changes::hide_outdated(hub, reviews),
            PublishAction::Status { .. } => {
                self.send_once(action, "set the commit status").map(drop)
            }
            PublishAction::Summary { .. }
            | PublishAction::Annotate { .. }
            | PublishAction::Outputs { .. } => Ok(()),
        }
    }

    fn call_for(&self, action: &PublishAction) -> Result<ApiCall, GitHubError> {
        action
            .api_call(&self.context.hub.slug, self.check)
            .ok_or(GitHubError::Shape {
                doing: "update the check".to_owned(),
                what: "check",
            })
    }

    fn send_once(&self, action: &PublishAction, doing: &str) -> Result<Value, GitHubError> {
        let call = self.call_for(action)?;
        let hub = self.context.hub;
        match hub.write_once(&call, doing) {
            // The same text, conclusion or state set twice is the same.
            Err(GitHubError::Broken { .. }) if !has_annotations(action) => {
                hub.write_once(&call, doing)
            }
            other => other,
        }
        .map(|reply| reply.body)
    }

    /// Creates the report; when another run did so at the same time, the older one stays and is brought up to date.
    fn create_comment(&mut self, number: u64, body: &str) -> Result<(), GitHubError> {
        let (hub, council) = (self.context.hub, &self.context.wishes.council);
        let doing = "create the report";
        let Some(me) = &self.context.seen.me else {
            return Err(GitHubError::Shape {
                doing: doing.to_owned(),
                what: "author: the token's own account is not known",
            });
        };
        // Whoever began before us has changed something by now; clocks may differ.
        let since = hub.time_ago(CLOCK_SKEW_S);
        let own = || look::fetch_reports(hub, number, council, me, Some(&since));
        let action = PublishAction::CreateComment {
            number,
            body: body.to_owned(),
        };
        let find = || {
            Ok(own()?
                .last()
                .map(|comment| json!({ "id": comment.id, "html_url": comment.url })))
        };
        let made = hub.create_once(&self.call_for(&action)?, doing, find)?;
        self.applied.comment_url = super::call::json_text(&made, "/html_url");
        let all = own()?;
        let Some((first, others)) = all.split_first() else {
            return Ok(());
        };
        if others.is_empty() {
            return Ok(());
        }
        self.applied.comment_url = Some(first.url.clone());
        if Some(first.id) != made.get("id").and_then(Value::as_u64) {
            self.send_once(
                &PublishAction::UpdateComment {
                    id: first.id,
                    body: body.to_owned(),
                },
                "update the report",
            )?;
        }
        for other in others {
            self.try_action(&PublishAction::DeleteComment { id: other.id })?;
        }
        Ok(())
    }

    fn create_check(&mut self, action: &PublishAction) -> Result<(), GitHubError> {
        let wishes = self.context.wishes;
        let hub = self.context.hub;
        let find = || {
            let found = look::fetch_check(hub, &wishes.head, &wishes.check_name, &wishes.council)?;
            Ok(found.map(|check| json!({ "id": check.id, "html_url": check.url })))
        };
        let made = hub.create_once(&self.call_for(action)?, "create the check", find)?;
        self.remember_check(&made);
        Ok(())
    }

    fn remember_check(&mut self, reply: &Value) {
        self.check = reply.get("id").and_then(Value::as_u64).or(self.check);
        self.applied.check_url =
            super::call::json_text(reply, "/html_url").or_else(|| self.applied.check_url.take());
    }

    /// One review; where the forge refuses a comment of it, each by itself, then beside the file, then in the report alone.
    fn post_review(
        &mut self,
        action: &PublishAction,
        number: u64,
        head: &str,
        comments: &[LineComment],
    ) -> Result<(), GitHubError> {
        let (hub, council) = (self.context.hub, &self.context.wishes.council);
        let before: BTreeSet<String> = self
            .context
            .seen
            .threads
            .iter()
            .flatten()
            .map(|thread| thread.id.clone())
            .collect();
        let find = || {
            let now = look::fetch_conversation(hub, number, council, None)?;
            Ok(now
                .threads
                .iter()
                .any(|thread| !before.contains(&thread.id))
                .then_some(Value::Null))
        };
        match hub.create_once(&self.call_for(action)?, "review the pull request", find) {
            Err(GitHubError::Invalid { .. }) => {}
            other => return other.map(drop),
        }
        let path = hub.repo_path(&format!("pulls/{number}/comments"));
        let mut refused = 0_usize;
        for comment in comments {
            let mut beside = comment.to_json();
            beside["commit_id"] = head.into();
            let doing = "comment beside a line";
            let posted = match hub.write_once(&ApiCall::post(&path, beside), doing) {
                Err(GitHubError::Invalid { .. }) => {
                    let file = json!({ "path": comment.path, "commit_id": head, "body": comment.body_of_file, "subject_type": "file" });
                    hub.write_once(&ApiCall::post(&path, file), "comment beside a file")
                }
                other => other,
            };
            match posted {
                Ok(_) => {}
                // It stands in the report.
                Err(GitHubError::Invalid { .. }) => refused += 1,
                Err(error) => return Err(error),
            }
        }
        if refused > 0 {
            let all = comments.len();
            self.applied.notes.push(format!(
                "GitHub refused {refused} of {all} comments beside lines: these findings stand in the report alone"
            ));
        }
        Ok(())
    }

    /// The report is there without their pages as well: where they cannot be read now, it has no links.
    fn find_new_threads(&mut self, number: u64) {
        let (hub, council) = (self.context.hub, &self.context.wishes.council);
        let now = look::fetch_conversation(hub, number, council, None);
        self.threads = now.ok().map(|now| now.threads);
    }

    /// The same with links to the conversations that were begun just now, where it is the report.
    fn with_links(&self, action: &PublishAction, report: &Report) -> PublishAction {
        let PublishContext { seen, wishes, .. } = *self.context;
        let threads = match &self.threads {
            Some(threads) => threads,
            // No new one was begun, whatever was planned.
            None if self.has_failed(Surface::Review) => seen.threads.as_deref().unwrap_or_default(),
            None => return action.clone(),
        };
        let linked = || comment_with_links(report, seen, wishes, threads);
        match *action {
            PublishAction::CreateComment { number, .. } => PublishAction::CreateComment {
                number,
                body: linked(),
            },
            PublishAction::UpdateComment { id, .. } => {
                PublishAction::UpdateComment { id, body: linked() }
            }
            _ => action.clone(),
        }
    }

    fn with_urls(&self, action: &PublishAction) -> PublishAction {
        let PublishAction::Outputs { pairs } = action else {
            return action.clone();
        };
        let mut pairs = pairs.clone();
        pairs.push((
            "comment-url",
            self.applied.comment_url.clone().unwrap_or_default(),
        ));
        pairs.push((
            "check-run-url",
            self.applied.check_url.clone().unwrap_or_default(),
        ));
        PublishAction::Outputs { pairs }
    }

    fn run_local(&mut self, action: &PublishAction, job: &mut dyn WorkflowJob) -> bool {
        let written = match action {
            PublishAction::Summary { markdown } => job.append_summary(markdown),
            PublishAction::Annotate { lines } => job.write_commands(lines),
            PublishAction::Outputs { pairs } => job.set_outputs(pairs),
            _ => return false,
        };
        let why = match written {
            Ok(true) => {
                self.applied.done.push(action.describe());
                return true;
            }
            Ok(false) => "this is not a job of a GitHub workflow".to_owned(),
            Err(error) => error.to_string(),
        };
        self.applied.missing.push((action.surface(), why));
        false
    }
}

/// Annotations are added, not replaced: sent twice they stand twice.
fn has_annotations(action: &PublishAction) -> bool {
    let PublishAction::UpdateCheck { body, .. } = action else {
        return false;
    };
    body.pointer("/output/annotations")
        .and_then(Value::as_array)
        .is_some_and(|some| !some.is_empty())
}
