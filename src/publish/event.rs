//! What started the job, from `GITHUB_EVENT_NAME` and the payload. The payload is GitHub's, its texts are
//! anybody's: only ids, numbers and logins are taken from it.

use serde_json::Value;

use super::call::json_text;
use super::look::{object_id, pull_of_rest};
use super::seen::PullRequest;

/// The word that begins a command in a comment.
const COMMAND: &str = "/council";

/// What is to be done because of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trigger {
    /// Review a pull request that the payload shows, open or closed.
    Pull(Box<PullRequest>),
    /// Review a pull request by its number (a manual run).
    Number(u64),
    /// Somebody asks for a review by a comment.
    Command {
        /// The pull request.
        number: u64,
        /// Who asks; the forge must say that they may.
        login: String,
        /// Whether a program asks.
        is_bot: bool,
        /// The commit that is meant, or its beginning; none: the tip.
        commit: Option<String>,
        /// Whether everything is to be reviewed again, and the last review left behind.
        full: bool,
    },
    /// A pull request's job has ended: publish what it found.
    Finished {
        owner: String,
        branch: String,
        /// The commit that the job ran for.
        head: String,
    },
    /// Review what a merge queue would merge.
    Queue {
        /// The commit of the queue.
        head: String,
        /// What it would be merged into.
        base: String,
        /// The pull request whose entry it is.
        number: Option<u64>,
    },
    /// Review commits that were pushed.
    Push {
        /// The tip after the push.
        head: String,
        /// The tip before it; none: a new branch.
        base: Option<String>,
        /// Whether it brings the default branch into being: then there is nothing that it could be compared with.
        is_import: bool,
    },
    /// There is nothing to do, for a reason that is no fault.
    Nothing { why: String },
}

/// Why an event cannot be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EventError {
    /// Nobody reviews on this event.
    #[error("nothing is reviewed on the event {0:?}")]
    Unknown(String),
    /// The payload is not what GitHub documents.
    #[error("the payload of {event} has no {what}")]
    Shape {
        event: String,
        /// What is missing.
        what: &'static str,
    },
}

/// An event: its name and its payload.
#[derive(Debug, Clone, Copy)]
pub struct WorkflowEvent<'a> {
    pub name: &'a str,
    /// The JSON at `GITHUB_EVENT_PATH`.
    pub payload: &'a Value,
}

impl WorkflowEvent<'_> {
    /// What is to be done.
    ///
    /// # Errors
    ///
    /// An event that nobody reviews on, and a payload that lacks what is documented.
    pub fn find_trigger(&self) -> Result<Trigger, EventError> {
        match self.name {
            "pull_request" | "pull_request_target" => self.pull_request(),
            "merge_group" => self.merge_group(),
            "workflow_run" => self.workflow_run(),
            "issue_comment" => self.issue_comment(),
            "push" => self.push(),
            "workflow_dispatch" | "repository_dispatch" => self.dispatch(),
            other => Err(EventError::Unknown(other.to_owned())),
        }
    }

    fn pull_request(&self) -> Result<Trigger, EventError> {
        let pull = self.payload.get("pull_request").and_then(pull_of_rest);
        let pull = pull.ok_or_else(|| self.missing_field("pull_request"))?;
        // A label or the end of the request changes nothing that is under review: the verdict of the tip is recognised, and
        // repeated. The check of a job belongs to the commit, which other requests may have as well: a gate that runs on
        // such an event must not end green over a change that nobody reviewed.
        Ok(Trigger::Pull(Box::new(pull)))
    }

    fn merge_group(&self) -> Result<Trigger, EventError> {
        if json_text(self.payload, "/action").as_deref() == Some("destroyed") {
            return Ok(nothing_to_do("the merge group is gone"));
        }
        let branch = json_text(self.payload, "/merge_group/head_ref").unwrap_or_default();
        Ok(Trigger::Queue {
            head: self.required_id("/merge_group/head_sha", "merge_group.head_sha")?,
            base: self.required_id("/merge_group/base_sha", "merge_group.base_sha")?,
            number: number_of_queue_branch(&branch),
        })
    }

    fn workflow_run(&self) -> Result<Trigger, EventError> {
        if json_text(self.payload, "/workflow_run/event").as_deref() != Some("pull_request") {
            return Ok(nothing_to_do(
                "the workflow that ended was not started by a pull request",
            ));
        }
        let owner = json_text(self.payload, "/workflow_run/head_repository/owner/login");
        let branch = json_text(self.payload, "/workflow_run/head_branch");
        Ok(Trigger::Finished {
            owner: owner
                .ok_or_else(|| self.missing_field("workflow_run.head_repository.owner.login"))?,
            branch: branch.ok_or_else(|| self.missing_field("workflow_run.head_branch"))?,
            head: self.required_id("/workflow_run/head_sha", "workflow_run.head_sha")?,
        })
    }

    fn issue_comment(&self) -> Result<Trigger, EventError> {
        if json_text(self.payload, "/action").as_deref() != Some("created") {
            return Ok(nothing_to_do("only a new comment is a command"));
        }
        if self.payload.pointer("/issue/pull_request").is_none() {
            return Ok(nothing_to_do(
                "the comment is on an issue, not on a pull request",
            ));
        }
        let body = json_text(self.payload, "/comment/body").unwrap_or_default();
        let Some(ReviewCommand { commit, full }) = parse_command(&body) else {
            return Ok(nothing_to_do("the comment is no command"));
        };
        let number = self
            .payload
            .pointer("/issue/number")
            .and_then(Value::as_u64);
        Ok(Trigger::Command {
            number: number.ok_or_else(|| self.missing_field("issue.number"))?,
            login: json_text(self.payload, "/comment/user/login")
                .ok_or_else(|| self.missing_field("comment.user.login"))?,
            is_bot: json_text(self.payload, "/comment/user/type").as_deref() != Some("User"),
            commit,
            full,
        })
    }

    fn push(&self) -> Result<Trigger, EventError> {
        if self.payload.get("deleted") == Some(&Value::Bool(true)) {
            return Ok(nothing_to_do("the branch was deleted"));
        }
        let none = |id: &String| id.bytes().all(|b| b == b'0');
        let base = Some(self.required_id("/before", "before")?).filter(|id| !none(id));
        let default = json_text(self.payload, "/repository/default_branch");
        let pushed = json_text(self.payload, "/ref");
        let pushed = pushed
            .as_deref()
            .and_then(|name| name.strip_prefix("refs/heads/"));
        Ok(Trigger::Push {
            head: self.required_id("/after", "after")?,
            is_import: base.is_none() && pushed.is_some() && pushed == default.as_deref(),
            base,
        })
    }

    fn dispatch(&self) -> Result<Trigger, EventError> {
        let input = [
            "/inputs/pr",
            "/inputs/pull-request",
            "/inputs/number",
            "/client_payload/pr",
        ];
        let value = input.iter().find_map(|name| self.payload.pointer(name));
        let number = value.and_then(|v| v.as_u64().or_else(|| v.as_str()?.trim().parse().ok()));
        number
            .map(Trigger::Number)
            .ok_or_else(|| self.missing_field("input `pr` with the number of a pull request"))
    }

    fn required_id(&self, pointer: &str, what: &'static str) -> Result<String, EventError> {
        json_text(self.payload, pointer)
            .and_then(|id| object_id(&id))
            .ok_or_else(|| self.missing_field(what))
    }

    fn missing_field(&self, what: &'static str) -> EventError {
        EventError::Shape {
            event: self.name.to_owned(),
            what,
        }
    }
}

fn nothing_to_do(why: &str) -> Trigger {
    Trigger::Nothing {
        why: why.to_owned(),
    }
}

/// What a comment asks for.
struct ReviewCommand {
    commit: Option<String>,
    full: bool,
}

/// The command of a comment: `/council`, `/council review` or `/council review full`, with a commit or without, alone on its
/// first line.
fn parse_command(body: &str) -> Option<ReviewCommand> {
    let mut words = body.lines().next()?.split_whitespace();
    if words.next()? != COMMAND {
        return None;
    }
    let words: Vec<&str> = words.collect();
    let hex =
        |word: &str| (7..=64).contains(&word.len()) && word.bytes().all(|b| b.is_ascii_hexdigit());
    let (full, words) = match words.as_slice() {
        ["review", "full", rest @ ..] => (true, rest),
        ["review", rest @ ..] | rest => (false, rest),
    };
    let commit = match words {
        [] => None,
        [commit] if hex(commit) => Some(commit.to_ascii_lowercase()),
        _ => return None,
    };
    Some(ReviewCommand { commit, full })
}

/// `refs/heads/gh-readonly-queue/main/pr-12-<sha>`.
fn number_of_queue_branch(branch: &str) -> Option<u64> {
    let (_, entry) = branch
        .strip_prefix("refs/heads/gh-readonly-queue/")?
        .rsplit_once("/pr-")?;
    entry.split_once('-')?.0.parse().ok()
}
