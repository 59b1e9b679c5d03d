//! What a forge holds, and what it was asked.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde_json::Value;

/// Who the token belongs to.
pub(super) const ME: &str = "github-actions[bot]";

/// A pull request.
#[derive(Debug, Clone)]
pub(super) struct Pull {
    pub(super) head: String,
    pub(super) head_branch: String,
    pub(super) base_ref: String,
    pub(super) base: String,
    pub(super) state: &'static str,
    pub(super) fork: bool,
    /// Files with their patch, as the forge shows it.
    pub(super) files: Vec<(String, String)>,
}

/// A comment on an issue.
#[derive(Debug, Clone)]
pub(super) struct Comment {
    pub(super) id: u64,
    pub(super) issue: u64,
    pub(super) login: String,
    pub(super) is_bot: bool,
    pub(super) body: String,
    /// When it was last changed, in seconds since 1970.
    pub(super) updated: i64,
}

/// A conversation beside a line.
#[derive(Debug, Clone)]
pub(super) struct Thread {
    pub(super) id: String,
    pub(super) pull: u64,
    pub(super) body: String,
    pub(super) place: Value,
    /// The review that it came with.
    pub(super) review: Option<String>,
    pub(super) resolved: bool,
    /// Who resolved it, where the forge says so.
    pub(super) resolved_by: Option<&'static str>,
    pub(super) hidden: bool,
    /// Whether a push has changed its line.
    pub(super) outdated: bool,
    pub(super) comments: u64,
    pub(super) login: String,
    pub(super) is_bot: bool,
    /// Who said what below the first comment.
    pub(super) replies: Vec<(String, String)>,
    /// Who edited what people said below it.
    pub(super) edited_by: Option<String>,
}

/// A request as it came.
#[derive(Debug, Clone)]
#[expect(dead_code, reason = "shown where a test fails")]
pub(super) struct Asked {
    pub(super) method: String,
    pub(super) path: String,
    /// The host that was meant, where the request came as to a proxy.
    pub(super) through: Option<String>,
    pub(super) body: Value,
    pub(super) status: u16,
}

/// What goes wrong with the next request of a kind.
#[derive(Debug, Clone)]
pub(super) struct Fault {
    pub(super) method: &'static str,
    /// A part of the path.
    pub(super) path: &'static str,
    pub(super) kind: FaultKind,
    /// How often.
    pub(super) times: u32,
}

#[derive(Debug, Clone)]
pub(super) enum FaultKind {
    /// Nothing is done, and this is said.
    Refuse(u16, Vec<(&'static str, String)>, &'static str),
    /// It is done, and 502 is said.
    DoneAnd502,
    /// It is done, and the connection breaks.
    DoneAndGone,
    /// It is done, and no reply ever comes.
    DoneAndSilent,
}

#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) pulls: BTreeMap<u64, Pull>,
    pub(super) comments: Vec<Comment>,
    pub(super) threads: Vec<Thread>,
    pub(super) reviews: Vec<Value>,
    pub(super) checks: Vec<Value>,
    pub(super) statuses: Vec<(String, Value)>,
    pub(super) permissions: BTreeMap<String, &'static str>,
    /// Lines of `permissions:` that the token lacks.
    pub(super) denied: BTreeSet<&'static str>,
    pub(super) faults: VecDeque<Fault>,
    /// The head moves to this commit after so many requests.
    pub(super) moves: Option<(usize, u64, String)>,
    pub(super) asked: Vec<Asked>,
    /// What did not fit GitHub's description.
    pub(super) violations: Vec<String>,
    pub(super) last_id: u64,
}

impl State {
    pub(super) fn id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }

    /// The fault that strikes a request, once less from now on.
    pub(super) fn strike(&mut self, method: &str, path: &str) -> Option<FaultKind> {
        let at = self
            .faults
            .iter()
            .position(|fault| fault.method == method && path.contains(fault.path))?;
        let fault = &mut self.faults[at];
        fault.times -= 1;
        let kind = fault.kind.clone();
        if fault.times == 0 {
            self.faults.remove(at);
        }
        Some(kind)
    }
}
