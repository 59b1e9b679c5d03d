//! What is reviewed: a pull request by number or event, an entry of a merge queue, pushed commits; pinned by object ids.

use council_protocol::json;
use serde_json::Value;

use crate::git::fetch::WantedRef;
use crate::git::{self, Proposal};
use crate::publish::look::{self, PullConversation};
use crate::publish::{GitHubApi, PullRequest, Trigger, WorkflowEvent};
use crate::run::context::RunContext;
use crate::run::error::RunError;

use super::request::{EVENT_NAME, GitHubRequest, no_event};
use crate::run::github::session::GitHubSession;
use crate::safe_file;
use crate::text::page_address;

/// The most bytes of a payload.
const MAX_EVENT_BYTES: u64 = 25 << 20;

/// What there is to do.
pub(crate) enum ReviewCase {
    /// Nothing, and that is no fault.
    Nothing(String),
    /// The tip that was meant is no longer the tip.
    Moved {
        /// The tip that was meant.
        meant: String,
        /// The tip now.
        now: String,
    },
    Subject(Box<PullSubject>),
}

/// What is reviewed, and where it is published.
pub(crate) struct PullSubject {
    /// The pull request, with our conversations on it; none when there is no token to read them with, or no request.
    pub(crate) talk: Option<PullConversation>,
    /// The pull request as anybody may read it.
    pub(crate) pull: Option<PullRequest>,
    /// The tip under review, as hex.
    pub(crate) head: String,
    base: ReviewBase,
    label: String,
    /// The pull request whose entry of a merge queue this is.
    pub(crate) queued: Option<u64>,
    /// Whether titles and texts may have been written after somebody asked for the review.
    late: bool,
    /// Whether whoever asked for the review wants everything reviewed again.
    pub(crate) full: bool,
}

/// What the tip is compared with.
enum ReviewBase {
    /// The tip of a branch of the repository.
    Branch(String),
    Commit(String),
    /// The default branch.
    Default,
    /// There is none: the push brings the default branch into being.
    Nothing,
}

/// Finds out what there is to do.
pub(crate) fn find_subject(
    args: &GitHubRequest,
    forge: &GitHubSession,
    hub: &GitHubApi<'_>,
    start: &RunContext,
) -> Result<ReviewCase, RunError> {
    match (args.pr, args.event) {
        (Some(number), _) => subject_of_pull(WantedPull::numbered(number), args, forge, hub),
        (None, true) => subject_of_event(args, forge, hub, start),
        (None, false) => Err(RunError::usage("there is no pull request to publish to")
            .hint("name it: --pr N, or --event in a workflow")),
    }
}

fn subject_of_event(
    args: &GitHubRequest,
    forge: &GitHubSession,
    hub: &GitHubApi<'_>,
    start: &RunContext,
) -> Result<ReviewCase, RunError> {
    let (name, payload) = read_event(start)?;
    let occasion = WorkflowEvent {
        name: &name,
        payload: &payload,
    }
    .find_trigger();
    let occasion = occasion.map_err(|error| {
        let page = page_address("docs/github.md");
        RunError::usage(error).hint(format!("on which events a review runs: {page}"))
    })?;
    match occasion {
        Trigger::Nothing { why } => Ok(ReviewCase::Nothing(why)),
        Trigger::Number(number) => {
            subject_of_open_pull(WantedPull::numbered(number), args, forge, hub)
        }
        Trigger::Pull(pull) => {
            let wanted = WantedPull {
                meant: Some(pull.head),
                ..WantedPull::numbered(pull.number)
            };
            subject_of_pull(wanted, args, forge, hub)
        }
        Trigger::Command { is_bot: true, .. } => Ok(ReviewCase::Nothing(
            "a bot asked for it, and only people may".to_owned(),
        )),
        Trigger::Command {
            number,
            login,
            commit,
            full,
            ..
        } => {
            if look::may_write(hub, &login)? {
                let wanted = WantedPull {
                    meant: commit,
                    is_late: true,
                    is_full: full,
                    number,
                };
                subject_of_open_pull(wanted, args, forge, hub)
            } else {
                Ok(ReviewCase::Nothing(format!(
                    "{login} has no write access to {} and cannot ask for a review",
                    hub.slug
                )))
            }
        }
        Trigger::Finished {
            owner,
            branch,
            head,
        } => match look::find_branch_pull(hub, &owner, &branch, &head)? {
            Some(pull) => {
                let wanted = WantedPull {
                    number: pull.number,
                    meant: Some(head),
                    is_late: true,
                    is_full: false,
                };
                subject_of_open_pull(wanted, args, forge, hub)
            }
            None => Ok(ReviewCase::Nothing(
                "no open pull request has the tip that the job ran for".to_owned(),
            )),
        },
        Trigger::Queue { head, base, number } => {
            let label = number.map_or("merge queue".to_owned(), |number| {
                format!("merge queue #{number}")
            });
            Ok(subject_of_commits(
                head,
                ReviewBase::Commit(base),
                label,
                number,
            ))
        }
        Trigger::Push {
            head,
            base,
            is_import,
        } => {
            let label = format!("push {}", &head[..12]);
            Ok(subject_of_commits(
                head,
                match base {
                    Some(base) => ReviewBase::Commit(base),
                    None if is_import => ReviewBase::Nothing,
                    None => ReviewBase::Default,
                },
                label,
                None,
            ))
        }
    }
}

fn subject_of_commits(
    head: String,
    base: ReviewBase,
    label: String,
    queued: Option<u64>,
) -> ReviewCase {
    ReviewCase::Subject(Box::new(PullSubject {
        talk: None,
        pull: None,
        head,
        base,
        label,
        queued,
        late: false,
        full: false,
    }))
}

/// Which pull request is meant.
struct WantedPull {
    number: u64,
    /// What its tip must begin with, if something is meant.
    meant: Option<String>,
    /// Whether titles and texts may have been written after somebody asked for the review.
    is_late: bool,
    /// Whether nothing of the last review is taken over.
    is_full: bool,
}

impl WantedPull {
    fn numbered(number: u64) -> Self {
        Self {
            number,
            meant: None,
            is_late: false,
            is_full: false,
        }
    }
}

/// A pull request that an event asks for whose job is no check of its tip: once it is closed there is nothing to say.
fn subject_of_open_pull(
    wanted: WantedPull,
    args: &GitHubRequest,
    forge: &GitHubSession,
    hub: &GitHubApi<'_>,
) -> Result<ReviewCase, RunError> {
    let case = subject_of_pull(wanted, args, forge, hub)?;
    let pull = match &case {
        ReviewCase::Subject(subject) => subject.pull.as_ref(),
        _ => None,
    };
    let closed = pull.filter(|pull| !pull.open);
    let why = closed.map(|pull| format!("pull request #{} is closed", pull.number));
    Ok(why.map_or(case, ReviewCase::Nothing))
}

/// A pull request, open or closed.
fn subject_of_pull(
    wanted: WantedPull,
    args: &GitHubRequest,
    forge: &GitHubSession,
    hub: &GitHubApi<'_>,
) -> Result<ReviewCase, RunError> {
    let number = wanted.number;
    // GraphQL answers nobody without a token.
    let talk = if forge.has_token {
        let council = crate::publish::council_id(&args.council_name);
        let check_name = args.wants_check.then_some(&*council);
        Some(look::fetch_conversation(hub, number, &council, check_name)?)
    } else {
        None
    };
    let pull = match &talk {
        Some(talk) => talk.pull.clone(),
        None => look::fetch_pull(hub, number)?,
    };
    let moved = |meant: &String| !pull.head.starts_with(meant.as_str());
    if let Some(meant) = wanted.meant.filter(moved) {
        return Ok(ReviewCase::Moved {
            meant,
            now: pull.head,
        });
    }
    Ok(ReviewCase::Subject(Box::new(PullSubject {
        talk,
        head: pull.head.clone(),
        base: base_of(&pull),
        label: format!("#{number}"),
        queued: None,
        pull: Some(pull),
        late: wanted.is_late,
        full: wanted.is_full,
    })))
}

/// What a pull request is compared with. The branch that it was merged into has its commits: compared with that, it would
/// change nothing any more.
fn base_of(pull: &PullRequest) -> ReviewBase {
    if pull.open {
        ReviewBase::Branch(pull.base_ref.clone())
    } else {
        ReviewBase::Commit(pull.base.clone())
    }
}

impl PullSubject {
    /// How a person would name it.
    pub(crate) fn label(&self) -> &str {
        &self.label
    }

    /// The number of the pull request, if it is one.
    pub(crate) fn number(&self) -> Option<u64> {
        self.pull.as_ref().map(|pull| pull.number)
    }

    /// Names of the commit that the tip is compared with, the surest first; one of them may be known here. None: it is
    /// not known which commit that is.
    pub(crate) fn base_names(&self) -> Vec<String> {
        match (&self.base, &self.pull) {
            (ReviewBase::Commit(id), _) => vec![id.clone()],
            (ReviewBase::Branch(name), Some(pull)) => vec![
                pull.base.clone(),
                format!("refs/council/pr/{}/base", pull.number),
                format!("refs/remotes/origin/{name}"),
                format!("refs/heads/{name}"),
            ],
            _ => Vec::new(),
        }
    }

    /// Brings the objects here and pins both sides.
    pub(crate) fn fetch_proposal(
        &self,
        args: &GitHubRequest,
        forge: &GitHubSession,
        hub: &GitHubApi<'_>,
        start: &RunContext,
    ) -> Result<Proposal, RunError> {
        let default = match (&self.pull, args.trust_base) {
            (Some(pull), true) => pull.base_ref.clone(),
            (Some(pull), false) if !pull.default_branch.is_empty() => pull.default_branch.clone(),
            _ => look::fetch_default_branch(hub)?,
        };
        let number = self.pull.as_ref().map(|pull| pull.number);
        let folder = number.map_or("refs/council/commit".to_owned(), |number| {
            format!("refs/council/pr/{number}")
        });
        let base = match &self.base {
            ReviewBase::Branch(name) => format!("refs/heads/{name}"),
            ReviewBase::Commit(id) => id.clone(),
            ReviewBase::Default | ReviewBase::Nothing => format!("refs/heads/{default}"),
        };
        let head = number.map_or(self.head.clone(), |number| {
            format!("refs/pull/{number}/head")
        });
        let wanted = [
            ("head", head),
            ("base", base.clone()),
            ("trusted", format!("refs/heads/{default}")),
        ];
        let wanted = wanted.map(|(name, remote)| WantedRef {
            remote,
            local: format!("{folder}/{name}"),
        });
        // Refs that are here already may be old, or somebody else's: what cannot be fetched is not reviewed.
        forge.fetch_refs(start, &wanted)?;
        let at = |rev: &str| git::commit_at(&start.dir, &start.git_environment(), rev);
        let (base, trusted) = (at(&wanted[1].local)?, at(&wanted[2].local)?);
        let base = match self.base {
            ReviewBase::Nothing => git::EMPTY_TREE.to_owned(),
            _ => base,
        };
        // What was fetched may be a newer tip than the one that was meant; that one is reviewed, or nothing.
        at(&self.head).map_err(|_| {
            RunError::run(format!(
                "commit {} is no longer part of {}: it was replaced by a force-push",
                &self.head[..12],
                self.label
            ))
            .hint("a run for the new tip has been started by the push itself")
        })?;
        let said = |text: fn(&PullRequest) -> &String| match (&self.pull, self.late) {
            (Some(pull), false) => text(pull).clone(),
            _ => String::new(),
        };
        Ok(Proposal {
            label: self.label.clone(),
            base,
            head: self.head.clone(),
            trusted,
            trusted_name: default,
            title: said(|pull| &pull.title),
            body: said(|pull| &pull.body),
        })
    }
}

/// The event's name and payload.
fn read_event(start: &RunContext) -> Result<(String, Value), RunError> {
    use std::io::Read as _;
    let name = start
        .environment
        .get(EVENT_NAME)
        .ok_or_else(|| no_event(EVENT_NAME))?;
    let path = start
        .environment
        .get("GITHUB_EVENT_PATH")
        .ok_or_else(|| no_event("GITHUB_EVENT_PATH"))?;
    let cannot = |error: &dyn std::fmt::Display| {
        RunError::usage(format!("cannot read the payload of the event: {error}"))
    };
    let mut text = String::new();
    let read = safe_file::open_input(path)
        .and_then(|file| file.take(MAX_EVENT_BYTES).read_to_string(&mut text));
    read.map_err(|error| cannot(&error))?;
    if !json::fits_in_memory(text.as_bytes(), json::MESSAGE) {
        return Err(cannot(&"it holds too many values"));
    }
    let payload = serde_json::from_slice(text.as_bytes()).map_err(|error| cannot(&error))?;
    Ok((name.to_string_lossy().into_owned(), payload))
}
