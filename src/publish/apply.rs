//! Does what was planned. A surface that is denied gives way to its fallback; the verdict stays what it is.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::action::{Action, Inline, Surface};
use super::call::Call;
use super::hub::{Hub, HubError};
use super::look;
use super::plan::fallback;
use super::seen::Seen;
use super::wishes::Wishes;
use crate::report::Report;

/// How far a forge's clock and ours may be apart, and how long a run takes that began at the same time, in seconds.
const AN_HOUR_S: u64 = 3_600;

/// The job that we run in, if it is one: its summary, its log, its outputs. Whoever implements it prints.
pub trait Job {
    /// Appends Markdown to the job's summary; false: there is none.
    ///
    /// # Errors
    ///
    /// What the disk says.
    fn summary(&mut self, markdown: &str) -> std::io::Result<bool>;

    /// Writes commands to the job's log; false: nobody reads commands there.
    ///
    /// # Errors
    ///
    /// What the log says.
    fn log(&mut self, lines: &[String]) -> std::io::Result<bool>;

    /// Sets outputs of the step; false: there is no step.
    ///
    /// # Errors
    ///
    /// What the disk says.
    fn outputs(&mut self, pairs: &[(&'static str, String)]) -> std::io::Result<bool>;
}

/// What came of a plan.
#[derive(Debug, Default)]
pub struct Applied {
    /// What was done, in words.
    pub done: Vec<String>,
    /// What could not be done as it was asked for, and why.
    pub failed: Vec<(Surface, HubError)>,
    /// Surfaces of the job that there are none of, or that could not be written.
    pub missing: Vec<(Surface, String)>,
    /// Whether every surface that failed was made up for by its fallback.
    pub made_up: bool,
    /// Where people see the sticky report.
    pub comment_url: Option<String>,
    /// Where people see the check.
    pub check_url: Option<String>,
}

impl Applied {
    /// Whether the report can be seen wherever it was asked for, or on a fallback.
    pub fn is_published(&self) -> bool {
        (self.failed.is_empty() && self.missing.is_empty()) || self.made_up
    }
}

/// Carries out a plan, in order. `before` are troubles that a surface had while it was looked at.
pub fn apply(
    actions: Vec<Action>,
    before: Vec<(Surface, HubError)>,
    report: &Report,
    context: &Context<'_>,
    job: &mut dyn Job,
) -> Applied {
    let mut doing = Doing {
        context,
        applied: Applied {
            comment_url: context
                .seen
                .comments
                .first()
                .map(|comment| comment.url.clone()),
            check_url: context.seen.check.as_ref().map(|check| check.url.clone()),
            ..Applied::default()
        },
        check: None,
    };
    let (local, remote): (Vec<_>, Vec<_>) = actions.into_iter().partition(is_local);
    for (surface, error) in before {
        doing.fail(surface, error);
    }
    for action in &remote {
        doing.remote(action);
    }
    let mut made_up = true;
    for surface in doing.failures() {
        let mut any = false;
        for action in fallback(report, context.wishes, surface) {
            any |= match is_local(&action) {
                true => doing.local(&action, job),
                false => doing.attempt(&action).is_ok(),
            };
        }
        // A summary or a log that was asked for anyway shows it, too.
        let asked = [Surface::Summary, Surface::Annotations];
        made_up &= any || local.iter().any(|action| asked.contains(&action.surface()));
    }
    for action in &local {
        let action = doing.with_urls(action);
        if !doing.local(&action, job) {
            made_up = false;
        }
    }
    doing.applied.made_up = made_up;
    doing.applied
}

/// What the actions are about.
pub struct Context<'a> {
    /// The repository.
    pub hub: &'a Hub<'a>,
    /// What was there when the plan was made.
    pub seen: &'a Seen,
    /// What was asked for.
    pub wishes: &'a Wishes,
}

fn is_local(action: &Action) -> bool {
    matches!(
        action.surface(),
        Surface::Summary | Surface::Annotations | Surface::Outputs
    )
}

struct Doing<'a> {
    context: &'a Context<'a>,
    applied: Applied,
    /// The check that was created.
    check: Option<u64>,
}

impl Doing<'_> {
    fn fail(&mut self, surface: Surface, error: HubError) {
        self.applied.failed.push((surface, error));
    }

    fn failures(&self) -> BTreeSet<Surface> {
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
    fn remote(&mut self, action: &Action) {
        let concludes =
            matches!(action, Action::UpdateCheck { body, .. } if body.get("conclusion").is_some());
        if self.has_failed(action.surface()) && !concludes {
            return;
        }
        match self.attempt(action) {
            Ok(()) => self.applied.done.push(action.describe()),
            Err(error) => self.fail(action.surface(), error),
        }
    }

    fn attempt(&mut self, action: &Action) -> Result<(), HubError> {
        let hub = self.context.hub;
        match action {
            Action::CreateComment { number, body } => self.create_comment(*number, body),
            Action::UpdateComment { body, .. } => match self.once(action, "update the report") {
                // Somebody deleted it since.
                Err(HubError::NotFound { .. }) => match self.context.seen.pull.as_ref() {
                    Some(pull) => self.create_comment(pull.number, body),
                    None => Ok(()),
                },
                other => other.map(drop),
            },
            Action::DeleteComment { .. } => match self.once(action, "delete the second report") {
                Err(HubError::NotFound { .. }) => Ok(()),
                other => other.map(drop),
            },
            Action::CreateCheck { .. } => self.create_check(action),
            Action::UpdateCheck { .. } => self
                .once(action, "update the check")
                .map(|reply| self.remember_check(&reply)),
            Action::Review {
                number,
                head,
                comments,
                ..
            } => self.review(action, *number, head, comments),
            Action::Resolve { threads, comments } => match look::resolve(hub, threads) {
                Err(error) if error.is_denied() => look::hide(hub, comments),
                other => other,
            },
            Action::Hide { reviews } => look::hide(hub, reviews),
            Action::Status { .. } => self.once(action, "set the commit status").map(drop),
            Action::Summary { .. } | Action::Annotate { .. } | Action::Outputs { .. } => Ok(()),
        }
    }

    fn call(&self, action: &Action) -> Result<Call, HubError> {
        action
            .call(&self.context.hub.slug, self.check)
            .ok_or(HubError::Shape {
                doing: "update the check".to_owned(),
                what: "check",
            })
    }

    fn once(&self, action: &Action, doing: &str) -> Result<Value, HubError> {
        let call = self.call(action)?;
        let hub = self.context.hub;
        match hub.write(&call, doing) {
            // The same text, conclusion or state set twice is the same.
            Err(HubError::Broken { .. }) if !has_annotations(action) => hub.write(&call, doing),
            other => other,
        }
        .map(|reply| reply.body)
    }

    /// Creates the report; when another run did so at the same time, the older one stays and is brought up to date.
    fn create_comment(&mut self, number: u64, body: &str) -> Result<(), HubError> {
        let (hub, council) = (self.context.hub, &self.context.wishes.council);
        let doing = "create the report";
        let Some(me) = &self.context.seen.me else {
            return Err(HubError::Shape {
                doing: doing.to_owned(),
                what: "author: who we are is not known",
            });
        };
        // Whoever began before us has changed something by now; clocks may differ.
        let since = hub.ago(AN_HOUR_S);
        let own = || look::reports(hub, number, council, me, Some(&since));
        let action = Action::CreateComment {
            number,
            body: body.to_owned(),
        };
        let find = || {
            Ok(own()?
                .last()
                .map(|comment| json!({ "id": comment.id, "html_url": comment.url })))
        };
        let made = hub.create(&self.call(&action)?, doing, find)?;
        self.applied.comment_url = look::text(&made, "/html_url");
        let all = own()?;
        let Some((first, others)) = all.split_first() else {
            return Ok(());
        };
        if others.is_empty() {
            return Ok(());
        }
        self.applied.comment_url = Some(first.url.clone());
        if Some(first.id) != made.get("id").and_then(Value::as_u64) {
            self.once(
                &Action::UpdateComment {
                    id: first.id,
                    body: body.to_owned(),
                },
                "update the report",
            )?;
        }
        for other in others {
            self.attempt(&Action::DeleteComment { id: other.id })?;
        }
        Ok(())
    }

    fn create_check(&mut self, action: &Action) -> Result<(), HubError> {
        let wishes = self.context.wishes;
        let hub = self.context.hub;
        let find = || {
            let found = look::check(hub, &wishes.head, &wishes.check_name, &wishes.council)?;
            Ok(found.map(|check| json!({ "id": check.id, "html_url": check.url })))
        };
        let made = hub.create(&self.call(action)?, "create the check", find)?;
        self.remember_check(&made);
        Ok(())
    }

    fn remember_check(&mut self, reply: &Value) {
        self.check = reply.get("id").and_then(Value::as_u64).or(self.check);
        self.applied.check_url =
            look::text(reply, "/html_url").or_else(|| self.applied.check_url.take());
    }

    /// One review; where the forge refuses a comment of it, each by itself, then beside the file, then in the report alone.
    fn review(
        &mut self,
        action: &Action,
        number: u64,
        head: &str,
        comments: &[Inline],
    ) -> Result<(), HubError> {
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
            let now = look::talk(hub, number, council)?;
            Ok(now
                .threads
                .iter()
                .any(|thread| !before.contains(&thread.id))
                .then_some(Value::Null))
        };
        match hub.create(&self.call(action)?, "review the pull request", find) {
            Err(HubError::Invalid { .. }) => {}
            other => return other.map(drop),
        }
        let path = hub.path(&format!("pulls/{number}/comments"));
        for comment in comments {
            let mut beside = comment.json();
            beside["commit_id"] = head.into();
            let doing = "comment beside a line";
            let posted = match hub.write(&Call::post(&path, beside), doing) {
                Err(HubError::Invalid { .. }) => {
                    let file = json!({ "path": comment.path, "commit_id": head, "body": comment.body, "subject_type": "file" });
                    hub.write(&Call::post(&path, file), "comment beside a file")
                }
                other => other,
            };
            match posted {
                // It stands in the report.
                Ok(_) | Err(HubError::Invalid { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn with_urls(&self, action: &Action) -> Action {
        let Action::Outputs { pairs } = action else {
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
        Action::Outputs { pairs }
    }

    fn local(&mut self, action: &Action, job: &mut dyn Job) -> bool {
        let written = match action {
            Action::Summary { markdown } => job.summary(markdown),
            Action::Annotate { lines } => job.log(lines),
            Action::Outputs { pairs } => job.outputs(pairs),
            _ => return false,
        };
        let why = match written {
            Ok(true) => {
                self.applied.done.push(action.describe());
                return true;
            }
            Ok(false) => "this is no job of a workflow".to_owned(),
            Err(error) => error.to_string(),
        };
        self.applied.missing.push((action.surface(), why));
        false
    }
}

/// Annotations are added, not replaced: sent twice they stand twice.
fn has_annotations(action: &Action) -> bool {
    let Action::UpdateCheck { body, .. } = action else {
        return false;
    };
    body.pointer("/output/annotations")
        .and_then(Value::as_array)
        .is_some_and(|some| !some.is_empty())
}
