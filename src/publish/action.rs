//! What a plan consists of: one change to one surface each.

use serde_json::Value;

use super::call::ApiCall;
use super::hub::RepoSlug;

/// A surface that a report can be published on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Surface {
    /// One comment on the pull request, kept up to date.
    Comment,
    /// A check run on the commit.
    Check,
    /// Comments beside lines of the diff.
    Review,
    /// A commit status, where checks are forbidden.
    Status,
    /// The summary of the job.
    Summary,
    /// Annotations by commands in the job's log.
    Annotations,
    /// The outputs of the action.
    Outputs,
}

impl Surface {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Comment,
        Self::Check,
        Self::Review,
        Self::Status,
        Self::Summary,
        Self::Annotations,
        Self::Outputs,
    ];

    /// Whether the job that runs shows it by itself, without a pull request.
    pub fn is_of_job(&self) -> bool {
        matches!(self, Self::Summary | Self::Annotations | Self::Outputs)
    }

    /// The word on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Comment => "comment",
            Self::Check => "check",
            Self::Review => "review",
            Self::Status => "status",
            Self::Summary => "summary",
            Self::Annotations => "annotations",
            Self::Outputs => "outputs",
        }
    }
}

/// A side of the diff, on which a line has its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiffSide {
    /// What the change removes.
    Left,
    /// What is there after it.
    Right,
}

/// A comment beside lines of the diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineComment {
    pub path: String,
    pub side: DiffSide,
    /// The last line, on that side.
    pub line: u32,
    /// The first line, where there are several.
    pub start_line: Option<u32>,
    /// What it says.
    pub body: String,
    /// What it says beside the file, where the forge does not take it beside the line.
    pub body_of_file: String,
}

impl LineComment {
    /// The comment as the API takes it, in a review or by itself.
    pub(super) fn to_json(&self) -> Value {
        let side = match self.side {
            DiffSide::Left => "LEFT",
            DiffSide::Right => "RIGHT",
        };
        let mut json = serde_json::json!({
            "path": self.path,
            "line": self.line,
            "side": side,
            "body": self.body,
        });
        if let Some(start) = self.start_line {
            json["start_line"] = start.into();
            json["start_side"] = side.into();
        }
        json
    }
}

/// One change to one surface.
#[derive(Debug, Clone, PartialEq)]
pub enum PublishAction {
    /// Begins the sticky report.
    CreateComment {
        /// On which pull request.
        number: u64,
        /// All of its text.
        body: String,
    },
    /// Brings the sticky report up to date.
    UpdateComment {
        id: u64,
        /// All of its text.
        body: String,
    },
    /// Removes a report that two runs made at once.
    DeleteComment { id: u64 },
    /// Begins a check, or concludes one in a single step.
    CreateCheck {
        /// What is sent.
        body: Value,
    },
    /// Adds to a check; the last one concludes it.
    UpdateCheck {
        /// Which check; none: the one that this plan created.
        id: Option<u64>,
        /// What is sent.
        body: Value,
    },
    /// Comments beside lines.
    Review {
        /// On which pull request.
        number: u64,
        /// The commit that they are about.
        head: String,
        /// What stands above them.
        body: String,
        comments: Vec<LineComment>,
    },
    /// Says in a comment of ours in a conversation what holds now.
    Retell {
        /// The comment's number.
        comment: u64,
        body: String,
    },
    /// Answers a reply in one of our conversations.
    Answer {
        /// On which pull request.
        number: u64,
        /// The comment of ours that began the conversation.
        comment: u64,
        body: String,
    },
    /// Opens our conversations again whose dismissal was taken back: nobody is asked about the same line in two places.
    Reopen {
        /// Their node ids.
        threads: Vec<String>,
        /// The node ids of the reviews that they came with, which may have been hidden with them.
        reviews: Vec<String>,
    },
    /// Resolves our conversations whose finding is gone. Without `contents: write` a job's token cannot resolve
    /// conversations: our comments in them are hidden instead.
    Resolve {
        /// Their node ids.
        threads: Vec<String>,
        /// The node ids of our comments that nobody answered.
        comments: Vec<String>,
    },
    /// Hides reviews whose findings are all resolved.
    Hide {
        /// Their node ids.
        reviews: Vec<String>,
    },
    /// A commit status.
    Status {
        head: String,
        /// What is sent.
        body: Value,
    },
    /// Text for the job's summary.
    Summary { markdown: String },
    /// Lines for the job's log.
    Annotate {
        /// Log commands, neutralised.
        lines: Vec<String>,
    },
    /// Outputs of the action.
    Outputs {
        /// Names and values.
        pairs: Vec<(&'static str, String)>,
    },
}

impl PublishAction {
    /// The surface that it belongs to.
    pub fn surface(&self) -> Surface {
        match self {
            Self::CreateComment { .. }
            | Self::UpdateComment { .. }
            | Self::DeleteComment { .. } => Surface::Comment,
            Self::CreateCheck { .. } | Self::UpdateCheck { .. } => Surface::Check,
            Self::Review { .. }
            | Self::Retell { .. }
            | Self::Answer { .. }
            | Self::Reopen { .. }
            | Self::Resolve { .. }
            | Self::Hide { .. } => Surface::Review,
            Self::Status { .. } => Surface::Status,
            Self::Summary { .. } => Surface::Summary,
            Self::Annotate { .. } => Surface::Annotations,
            Self::Outputs { .. } => Surface::Outputs,
        }
    }

    /// What it does, in one line that holds no untrusted text.
    pub fn describe(&self) -> String {
        match self {
            Self::CreateComment { number, body } => {
                format!("create the report on #{number} ({} bytes)", body.len())
            }
            Self::UpdateComment { id, body } => {
                format!("update the report, comment {id} ({} bytes)", body.len())
            }
            Self::DeleteComment { id } => format!("delete the second report, comment {id}"),
            Self::CreateCheck { body } => format!("create a check, {}", check_words(body)),
            Self::UpdateCheck { id, body } => {
                let which = id.map_or("the check".to_owned(), |id| format!("check {id}"));
                format!("update {which}, {}", check_words(body))
            }
            Self::Review {
                number, comments, ..
            } => format!("review #{number}: {} comments on lines", comments.len()),
            Self::Retell { .. } => "bring a comment of ours up to date".to_owned(),
            Self::Answer { number, .. } => format!("answer a reply on #{number}"),
            Self::Reopen { threads, .. } => format!(
                "open {} conversations again whose dismissal was taken back",
                threads.len()
            ),
            Self::Resolve { threads, .. } => format!(
                "close {} conversations whose finding is gone",
                threads.len()
            ),
            Self::Hide { reviews } => format!("hide {} earlier reviews", reviews.len()),
            Self::Status { head, body } => {
                let state = body
                    .get("state")
                    .and_then(Value::as_str)
                    .unwrap_or_default();
                format!(
                    "set the status of {} to {state}",
                    head.get(..12).unwrap_or(head)
                )
            }
            Self::Summary { markdown } => {
                format!("write the job's summary ({} bytes)", markdown.len())
            }
            Self::Annotate { lines } => format!("write {} annotations to the log", lines.len()),
            Self::Outputs { pairs } => format!("set {} outputs", pairs.len()),
        }
    }

    /// The request that it begins with, where it is one; `check` is the id of the check that was created.
    pub fn api_call(&self, slug: &RepoSlug, check: Option<u64>) -> Option<ApiCall> {
        let path = |rest: String| format!("/repos/{slug}/{rest}");
        let text = |body: &String| serde_json::json!({ "body": body });
        match self {
            Self::CreateComment { number, body } => Some(ApiCall::post(
                path(format!("issues/{number}/comments")),
                text(body),
            )),
            Self::UpdateComment { id, body } => Some(ApiCall::patch(
                path(format!("issues/comments/{id}")),
                text(body),
            )),
            Self::DeleteComment { id } => {
                Some(ApiCall::delete(path(format!("issues/comments/{id}"))))
            }
            Self::CreateCheck { body } => {
                Some(ApiCall::post(path("check-runs".to_owned()), body.clone()))
            }
            Self::UpdateCheck { id, body } => {
                let id = id.or(check)?;
                Some(ApiCall::patch(
                    path(format!("check-runs/{id}")),
                    body.clone(),
                ))
            }
            Self::Review {
                number,
                head,
                body,
                comments,
            } => {
                let comments: Vec<Value> = comments.iter().map(LineComment::to_json).collect();
                let review = serde_json::json!({
                    "commit_id": head, "body": body, "event": "COMMENT", "comments": comments,
                });
                Some(ApiCall::post(
                    path(format!("pulls/{number}/reviews")),
                    review,
                ))
            }
            Self::Retell { comment, body } => Some(ApiCall::patch(
                path(format!("pulls/comments/{comment}")),
                text(body),
            )),
            Self::Answer {
                number,
                comment,
                body,
            } => Some(ApiCall::post(
                path(format!("pulls/{number}/comments/{comment}/replies")),
                text(body),
            )),
            Self::Status { head, body } => Some(ApiCall::post(
                path(format!("statuses/{head}")),
                body.clone(),
            )),
            Self::Reopen { .. }
            | Self::Resolve { .. }
            | Self::Hide { .. }
            | Self::Summary { .. }
            | Self::Annotate { .. }
            | Self::Outputs { .. } => None,
        }
    }
}

fn check_words(body: &Value) -> String {
    let text = |name| body.get(name).and_then(Value::as_str).map(str::to_owned);
    let state = text("conclusion").or(text("status")).unwrap_or_default();
    let annotations = body
        .pointer("/output/annotations")
        .and_then(Value::as_array)
        .map_or(0, Vec::len);
    format!("{state}, {annotations} annotations")
}
