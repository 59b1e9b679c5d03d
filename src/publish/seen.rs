//! What stands on the forge already, as far as a plan depends on it.

use std::collections::BTreeSet;

use council_protocol::Severity;

use super::marker::{self, MarkerKind};
use super::memory::ReviewState;
use super::order::DismissOrder;
use crate::council::SaidProblem;
use crate::report::Report;

/// Who we are there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForgeIdentity {
    /// The login, as the forge says it to us; a bot's may or may not end with `[bot]`.
    pub login: String,
}

impl ForgeIdentity {
    /// Whether an author is us. A bot's login is spelt in two ways; a person's never with brackets.
    pub fn is_author(&self, login: &str, is_bot: bool) -> bool {
        let bare = |login: &str| login.strip_suffix("[bot]").map(str::to_owned);
        match (bare(&self.login), is_bot) {
            (Some(us), true) => bare(login).unwrap_or_else(|| login.to_owned()) == us,
            (None, false) => login == self.login,
            _ => false,
        }
    }
}

/// A pull request as it stands now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PullRequest {
    pub number: u64,
    /// The tip that is proposed, as hex.
    pub head: String,
    /// The branch that it goes to.
    pub base_ref: String,
    /// The tip of that branch as the forge says, which may be stale.
    pub base: String,
    /// The default branch of the repository; empty where it was not said.
    pub default_branch: String,
    /// Whether it is open.
    pub open: bool,
    /// Whether it is a draft.
    pub draft: bool,
    /// Whether its commits come from another repository.
    pub fork: bool,
    /// Its title. Untrusted.
    pub title: String,
    /// Its text. Untrusted.
    pub body: String,
}

/// A comment of ours on the pull request that carries our marker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnComment {
    pub id: u64,
    /// All of its text.
    pub body: String,
    /// Where people see it.
    pub url: String,
}

impl OwnComment {
    /// What an earlier run left in it; none when it was edited since.
    pub fn state(&self) -> Option<ReviewState> {
        let state: ReviewState =
            marker::marker_state(&marker::read_marker(MarkerKind::Report, &self.body)?)?;
        state.is_current().then_some(state)
    }
}

/// A conversation beside a line that we began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewThread {
    /// Its node id.
    pub id: String,
    /// The node id of our comment in it.
    pub comment: String,
    /// The node id of the review that it came with; none: it was posted by itself.
    pub review: Option<String>,
    /// The page of the conversation.
    pub url: Option<String>,
    /// The finding that it is about.
    pub fingerprint: String,
    /// Whether our comment calls that finding by the fingerprint that it had before the last push.
    pub renamed: bool,
    /// How bad the finding was when the comment was posted; none: a comment of an earlier version.
    pub severity: Option<Severity>,
    /// How the comment says that it stands; none: a comment of an earlier version.
    pub standing: Option<String>,
    /// What the problem in its sentence was called when the comment was posted.
    pub classes: Vec<String>,
    /// What the finding says in the comment; none: a rule's, or a comment of an earlier version.
    pub said: Option<SaidProblem>,
    /// The line beside which it stands, as people read it.
    pub place: Option<String>,
    /// Whether somebody resolved it, or our comment was hidden.
    pub closed: bool,
    /// Whether it was us who resolved it, as the forge says: the finding was gone.
    pub closed_by_us: bool,
    /// Whether the line is no longer in the diff.
    pub outdated: bool,
    /// Whether the dismissal that was last told in it was taken back: if the finding counts, it is talked about here again.
    pub reopens: bool,
    /// Whether somebody else said something in it.
    pub answered: bool,
    /// The number of our comment in it, for a reply.
    pub number: Option<u64>,
    /// Who argues the finding away in it, the first one first.
    pub orders: Vec<DismissOrder>,
    /// The numbers of our answers that tell of a dismissal which was taken back.
    pub stale_answers: Vec<u64>,
}

impl ReviewThread {
    /// Whether it is the one in which its finding is talked about if that counts, although it is closed. Beside a line
    /// that is no longer in the diff nobody looks.
    pub(super) fn is_used_again(&self) -> bool {
        self.closed && self.reopens && !self.outdated
    }
}

/// The conversations of a page, each under what its finding is called in a report: an edit beside a line gives what is found
/// there another fingerprint. Where somebody argued it away, what they spoke of stays what it was, unless that was taken back.
pub(super) fn follow_findings(threads: &[ReviewThread], report: &Report) -> Vec<ReviewThread> {
    let earlier = report.receipt.run.earlier.as_ref();
    let follow = |thread: &ReviewThread| {
        let name = earlier.and_then(|earlier| earlier.name_now(&thread.fingerprint));
        let name = name.filter(|_| thread.orders.is_empty() || thread.reopens);
        ReviewThread {
            fingerprint: name.unwrap_or(&thread.fingerprint).to_owned(),
            renamed: name.is_some(),
            ..thread.clone()
        }
    };
    threads.iter().map(follow).collect()
}

/// A check of ours on the commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExistingCheck {
    pub id: u64,
    /// What we called it: the run and its digest.
    pub external_id: String,
    /// Whether it has a conclusion.
    pub completed: bool,
    /// Where people see it.
    pub url: String,
}

/// Everything of ours that is there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ForgeState {
    /// Who we are; none: nobody said, and nothing of anybody's is touched.
    pub me: Option<ForgeIdentity>,
    /// The pull request; none when the target is a commit.
    pub pull: Option<PullRequest>,
    /// Our reports of this council, oldest first: one, unless two runs began at once.
    pub comments: Vec<OwnComment>,
    /// Our conversations of this council; none: they could not be read.
    pub threads: Option<Vec<ReviewThread>>,
    /// Our reviews of this council that nobody hid, by node id.
    pub reviews: Vec<String>,
    /// Our check on the commit, the latest.
    pub check: Option<ExistingCheck>,
    /// The state of the commit status of our name; none: there is none, or it makes no difference and was not asked for.
    pub status: Option<String>,
    /// How many of our checks on the commit have ended; none: nobody said.
    pub completed_checks: Option<usize>,
}

impl ForgeState {
    /// The same with each conversation under what its finding is called in a report.
    pub(super) fn following(&self, report: &Report) -> Self {
        let threads = self.threads.as_ref();
        Self {
            threads: threads.map(|threads| follow_findings(threads, report)),
            ..self.clone()
        }
    }

    /// What counted when the last run ended, each also under its name of today; none where nobody knows all of it.
    pub(super) fn counted_before(&self, report: &Report) -> Option<BTreeSet<String>> {
        // A job without rights keeps no findings.
        let state = self
            .state()
            .filter(|state| state.lost == 0 && state.key.is_some())?;
        let earlier = report.receipt.run.earlier.as_ref();
        let counted = state.open.iter().filter(|open| open.level.is_some());
        let names = counted.flat_map(|open| {
            let now = earlier.and_then(|earlier| earlier.name_now(&open.fingerprint));
            now.map(str::to_owned)
                .into_iter()
                .chain([open.fingerprint.clone()])
        });
        Some(names.collect())
    }

    /// What the last run left, if nobody edited it.
    pub fn state(&self) -> Option<ReviewState> {
        self.comments.first().and_then(OwnComment::state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bot_is_known_by_both_spellings_and_a_person_by_one() {
        let is =
            |me: &str, login: &str, bot| ForgeIdentity { login: me.into() }.is_author(login, bot);
        assert!(is("github-actions[bot]", "github-actions[bot]", true));
        assert!(is("github-actions[bot]", "github-actions", true));
        assert!(is("alice", "alice", false));
        // A person may be called as a bot is.
        assert!(!is("github-actions[bot]", "github-actions", false));
        assert!(!is("alice", "alice[bot]", true) && !is("alice", "alice", true));
    }
}
