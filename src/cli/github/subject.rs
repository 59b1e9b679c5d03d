//! What is reviewed: a pull request by number or event, an entry of a merge queue, pushed commits; pinned by object ids.

use council_protocol::json;
use serde_json::Value;

use crate::cli::Start;
use crate::cli::error::CliError;
use crate::git::fetch::Wanted;
use crate::git::{self, Proposal};
use crate::publish::look::{self, Talk};
use crate::publish::{Event, Hub, Occasion, Pull};

use super::args::ForgeArgs;
use super::forge::Forge;

/// The most bytes of a payload.
const MOST_PAYLOAD: u64 = 25 << 20;

/// What there is to do.
pub(crate) enum Case {
    /// Nothing, and that is no fault.
    Nothing(String),
    /// The tip that was meant is no longer the tip.
    Moved {
        /// The tip that was meant.
        meant: String,
        /// The tip now.
        now: String,
    },
    /// This.
    Subject(Box<Subject>),
}

/// What is reviewed, and where it is published.
pub(crate) struct Subject {
    /// The pull request, with our conversations on it; none when there is no token to read them with, or no request.
    pub(crate) talk: Option<Talk>,
    /// The pull request as anybody may read it.
    pub(crate) pull: Option<Pull>,
    /// The tip under review, as hex.
    pub(crate) head: String,
    base: Base,
    label: String,
    /// Whether titles and texts may have been written after somebody asked for the review (T15).
    late: bool,
}

/// What the tip is compared with.
enum Base {
    /// The tip of a branch of the repository.
    Branch(String),
    /// A commit.
    Commit(String),
    /// The default branch.
    Default,
}

/// Finds out what there is to do.
pub(crate) fn find(
    args: &ForgeArgs,
    forge: &Forge,
    hub: &Hub<'_>,
    start: &Start,
) -> Result<Case, CliError> {
    match (args.pr, args.event) {
        (Some(number), _) => of_number(number, None, false, args, forge, hub),
        (None, true) => of_event(args, forge, hub, start),
        (None, false) => Err(CliError::usage("there is no pull request to publish to")
            .hint("name it: --pr N, or --event in a workflow")),
    }
}

fn of_event(
    args: &ForgeArgs,
    forge: &Forge,
    hub: &Hub<'_>,
    start: &Start,
) -> Result<Case, CliError> {
    let (name, payload) = event(start)?;
    let occasion = Event {
        name: &name,
        payload: &payload,
    }
    .occasion();
    let occasion = occasion.map_err(|error| {
        CliError::usage(error).hint("docs/github.md says on which events a review runs")
    })?;
    match occasion {
        Occasion::Nothing { why } => Ok(Case::Nothing(why)),
        Occasion::Number(number) => of_number(number, None, false, args, forge, hub),
        Occasion::Pull(pull) => of_number(pull.number, Some(pull.head), false, args, forge, hub),
        Occasion::Command { is_bot: true, .. } => Ok(Case::Nothing(
            "a program asked, and only people may".to_owned(),
        )),
        Occasion::Command {
            number,
            login,
            commit,
            ..
        } => match look::may_write(hub, &login)? {
            true => of_number(number, commit, true, args, forge, hub),
            false => Ok(Case::Nothing(format!(
                "{login} may not write to {}, and may not ask",
                hub.slug
            ))),
        },
        Occasion::Finished {
            owner,
            branch,
            head,
        } => match look::pull_of_branch(hub, &owner, &branch, &head)? {
            Some(pull) => of_number(pull.number, Some(head), true, args, forge, hub),
            None => Ok(Case::Nothing(
                "no open pull request has the tip that the job ran for".to_owned(),
            )),
        },
        Occasion::Queue { head, base, number } => {
            let label = number.map_or("merge queue".to_owned(), |number| {
                format!("merge queue #{number}")
            });
            Ok(commits(head, Base::Commit(base), label))
        }
        Occasion::Push { head, base } => {
            let label = format!("push {}", &head[..12]);
            Ok(commits(
                head,
                base.map_or(Base::Default, Base::Commit),
                label,
            ))
        }
    }
}

fn commits(head: String, base: Base, label: String) -> Case {
    Case::Subject(Box::new(Subject {
        talk: None,
        pull: None,
        head,
        base,
        label,
        late: false,
    }))
}

/// A pull request whose tip must begin with `meant`, if something is.
fn of_number(
    number: u64,
    meant: Option<String>,
    late: bool,
    args: &ForgeArgs,
    forge: &Forge,
    hub: &Hub<'_>,
) -> Result<Case, CliError> {
    // GraphQL answers nobody without a token.
    let talk = match forge.has_token {
        true => Some(look::talk(
            hub,
            number,
            &crate::publish::council_id(&args.council_name),
        )?),
        false => None,
    };
    let pull = match &talk {
        Some(talk) => talk.pull.clone(),
        None => look::pull(hub, number)?,
    };
    if let Some(meant) = meant.filter(|meant| !pull.head.starts_with(meant.as_str())) {
        return Ok(Case::Moved {
            meant,
            now: pull.head,
        });
    }
    if args.event && !pull.open {
        return Ok(Case::Nothing(format!("pull request #{number} is closed")));
    }
    Ok(Case::Subject(Box::new(Subject {
        talk,
        head: pull.head.clone(),
        base: Base::Branch(pull.base_ref.clone()),
        label: format!("#{number}"),
        pull: Some(pull),
        late,
    })))
}

impl Subject {
    /// Brings the objects here and pins both sides.
    pub(crate) fn proposal(
        &self,
        args: &ForgeArgs,
        forge: &Forge,
        hub: &Hub<'_>,
        start: &Start,
    ) -> Result<Proposal, CliError> {
        let default = match (&self.pull, args.trust_base) {
            (Some(pull), true) => pull.base_ref.clone(),
            (Some(pull), false) if !pull.default_branch.is_empty() => pull.default_branch.clone(),
            _ => look::default_branch(hub)?,
        };
        let number = self.pull.as_ref().map(|pull| pull.number);
        let folder = number.map_or("refs/council/commit".to_owned(), |number| {
            format!("refs/council/pr/{number}")
        });
        let base = match &self.base {
            Base::Branch(name) => format!("refs/heads/{name}"),
            Base::Commit(id) => id.clone(),
            Base::Default => format!("refs/heads/{default}"),
        };
        let head = number.map_or(self.head.clone(), |number| {
            format!("refs/pull/{number}/head")
        });
        let wanted = [
            ("head", head),
            ("base", base.clone()),
            ("trusted", format!("refs/heads/{default}")),
        ];
        let wanted = wanted.map(|(name, remote)| Wanted {
            remote,
            local: format!("{folder}/{name}"),
        });
        let fetched = forge.fetch(start, &wanted);
        let at = |rev: &str| git::commit_at(&start.dir, &start.git(), rev);
        let (base, trusted) = match fetched {
            Ok(()) => (at(&wanted[1].local)?, at(&wanted[2].local)?),
            // What a checkout brought may be enough; it is no older than the job.
            Err(error) => {
                let here = |branch: &str| at(&format!("refs/remotes/origin/{branch}")).ok();
                let base = match &self.base {
                    Base::Branch(name) => here(name),
                    Base::Commit(id) => at(id).ok(),
                    Base::Default => here(&default),
                };
                match (base, here(&default), at(&self.head)) {
                    (Some(base), Some(trusted), Ok(_)) => (base, trusted),
                    _ => return Err(error),
                }
            }
        };
        // What was fetched may be a newer tip than the one that was meant; that one is reviewed, or nothing.
        at(&self.head).map_err(|_| {
            CliError::run(format!(
                "commit {} is no longer part of {}: it was replaced by a force-push",
                &self.head[..12],
                self.label
            ))
            .hint("a run for the new tip has been started by the push itself")
        })?;
        let said = |text: fn(&Pull) -> &String| match (&self.pull, self.late) {
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
fn event(start: &Start) -> Result<(String, Value), CliError> {
    use std::io::Read as _;
    let missing = |name: &str| {
        CliError::usage(format!("{name} is not set"))
            .hint("--event works in a job of a workflow; elsewhere name the pull request: --pr N")
    };
    let name = start
        .environment
        .get("GITHUB_EVENT_NAME")
        .ok_or_else(|| missing("GITHUB_EVENT_NAME"))?;
    let path = start
        .environment
        .get("GITHUB_EVENT_PATH")
        .ok_or_else(|| missing("GITHUB_EVENT_PATH"))?;
    let cannot = |error: &dyn std::fmt::Display| {
        CliError::usage(format!("cannot read the payload of the event: {error}"))
    };
    let mut text = String::new();
    let read = std::fs::File::open(path)
        .and_then(|file| file.take(MOST_PAYLOAD).read_to_string(&mut text));
    read.map_err(|error| cannot(&error))?;
    if !json::fits(text.as_bytes(), json::MESSAGE) {
        return Err(cannot(&"it holds too many values"));
    }
    let payload = serde_json::from_str(&text).map_err(|error| cannot(&error))?;
    Ok((name.to_string_lossy().into_owned(), payload))
}
