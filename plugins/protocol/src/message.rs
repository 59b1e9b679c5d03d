//! The message set that all three carriers share: what the program sends a backend, and the events that come back.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use crate::RoundNumber;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::capability::{CapabilitySet, Limits};
use crate::coverage::SeenPart;
use crate::price::SpendLimit;
use crate::{JudgeId, RepoPath, Seat, Task, ToolCall};

/// Number of a turn within a run; never reused.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct TurnId(pub u32);

/// What a backend says about itself before it is opened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Manifest {
    /// The backend's name, e.g. `teams`.
    pub name: String,
    /// Its own version.
    pub version: String,
    /// Protocol versions that it speaks.
    pub protocols: Vec<u32>,
    /// What it can do at best.
    pub capabilities: CapabilitySet,
    /// How much it takes at once.
    #[serde(default)]
    pub limits: Limits,
}

/// The first thing that a backend is told.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Hello {
    /// Protocol versions that the program speaks, best first.
    pub protocols: Vec<u32>,
    /// The run's name, `council-YYYYMMDD-<target>`.
    pub run: String,
    /// The run's folder; absolute. None: there is no disk to share.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<PathBuf>,
    /// The backend's own table of the trusted configuration.
    #[serde(default)]
    pub config: serde_json::Value,
}

/// What a judge needs to be seated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JudgeSpec {
    /// The seat that the judge takes.
    pub seat: Seat,
    /// The brief, byte-identical for all judges of a class and all rounds of a run; empty where the agent reads the
    /// packet instead.
    #[serde(default)]
    pub brief: Arc<str>,
    /// The read-only export in which the judge works; absolute. None: it needs none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub room: Option<PathBuf>,
    /// The most bytes that one answer may have; more is a failure of the kind `oversized`.
    pub max_answer_bytes: u64,
    /// Whether a later turn may ask for tests about findings. The schema that answers are held to is then the one of that
    /// turn from the first one on: a provider forgets a conversation whose schema changes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub proves: bool,
}

/// One turn of one judge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Turn {
    /// The number of the turn, unique in a run.
    pub id: TurnId,
    /// The round it belongs to, from 1.
    pub round: RoundNumber,
    /// The one-time key of this seat and round, which the answer must echo.
    pub key: String,
    /// What is asked, as structure.
    pub task: Task,
    /// What is asked, as text to stand behind the brief: seat and round come last. Empty where the agent reads the task.
    #[serde(default)]
    pub prompt: String,
    /// How long the judge has, in milliseconds; the program waits no longer, whatever the backend does.
    pub timeout_ms: u64,
    /// How much its calls may cost; none: there is no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spend: Option<SpendLimit>,
}

/// What the program sends to a backend after it is open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Message {
    /// What can this seat do here? Answered by `probed`, or by `failed` without a turn where it
    /// cannot be taken at all.
    Probe {
        /// The seat, not yet spawned.
        seat: Seat,
    },
    /// The next turn of a spawned judge. Answered by `answered` or `failed`.
    Turn {
        /// The judge that is asked.
        judge: JudgeId,
        /// What it is asked.
        turn: Turn,
    },
}

/// What comes back: the only way in which a backend returns anything.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Event {
    /// The backend is open, with the protocol version that it chose.
    Opened {
        /// The version of the protocol that the backend speaks: one of those that it was offered.
        protocol: u32,
    },
    /// What a seat can do here.
    Probed {
        /// The judge whose seat was probed.
        judge: JudgeId,
        /// What was found.
        capabilities: CapabilitySet,
        /// Why something is missing, for a person; may be empty.
        #[serde(default)]
        note: String,
    },
    /// A judge is seated.
    Started {
        /// The judge that is seated.
        judge: JudgeId,
        /// Its process, when it has one of its own.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pid: Option<u32>,
    },
    /// A judge's reply to a turn, as it came.
    Answered {
        /// The judge that answered.
        judge: JudgeId,
        /// The turn that it answered.
        turn: TurnId,
        /// The raw reply. The program extracts, checks and keeps it.
        raw: String,
        /// What it cost, where known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        usage: Option<Usage>,
    },
    /// A judge could not be seated, or did not answer a turn.
    Failed {
        /// The judge that failed.
        judge: JudgeId,
        /// Which turn; none when it was never seated or is gone altogether.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        turn: Option<TurnId>,
        /// Why it failed.
        failure: Failure,
    },
    /// A judge has ended. Comes once for every judge that was started.
    Ended {
        /// The judge that ended.
        judge: JudgeId,
        /// How it ended.
        ending: Ending,
    },
    /// The backend itself has trouble.
    Error {
        /// What, for a person.
        message: String,
    },
    /// The backend is closed; nothing comes after it.
    Closed,
    /// An event that this version does not know: logged and ignored.
    #[serde(other)]
    Unknown,
}

/// How a judge ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// It was asked and confirmed.
    Graceful,
    /// It had to be killed after the grace.
    Forced,
    /// It was gone before it was asked.
    Died,
}

/// Why there is no usable answer. Each is an abstention, never a PASS.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, thiserror::Error)]
#[error("{kind}: {detail}")]
pub struct Failure {
    /// The class of the failure.
    pub kind: FailureKind,
    /// For a person: the cause and the next step.
    pub detail: String,
    /// What it cost all the same: a refused, empty or truncated answer is paid for like any other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Box<Usage>>,
}

/// Bytes that are kept of the begin, and as many of the end, of an answer that cannot be taken.
const MAX_UNREAD_BYTES: usize = 64 << 10;

impl Failure {
    /// A failure of a kind.
    pub fn new(kind: FailureKind, detail: impl Into<String>) -> Self {
        Self {
            kind,
            detail: detail.into(),
            usage: None,
        }
    }

    /// What a person reads: "too late: no answer in 120 s". What a detail says itself is told once.
    pub fn in_words(&self) -> String {
        let words = self.kind.in_words();
        let says_itself =
            |detail: &str| without_article(detail).starts_with(without_article(words));
        match self.detail.trim() {
            "" => words.to_owned(),
            detail if says_itself(detail) => detail.to_owned(),
            detail => format!("{words}: {detail}"),
        }
    }

    /// The same failure, with what was said in vain: the begin and the end of a long text. An objection in it is told.
    #[must_use]
    pub fn with_unread(mut self, said: &[u8]) -> Self {
        let usage = self.usage.get_or_insert_default();
        let head = &said[..said.len().min(MAX_UNREAD_BYTES)];
        let tail = &said[head.len().max(said.len().saturating_sub(MAX_UNREAD_BYTES))..];
        for part in [head, tail] {
            let text = String::from_utf8_lossy(part);
            if !text.trim().is_empty() {
                usage.unread.push(text.into_owned());
            }
        }
        self
    }

    /// The same failure, with answers that were written or handed in before it: an objection in them is told. What it
    /// holds already is not added again.
    #[must_use]
    pub fn with_drafts(mut self, drafts: impl IntoIterator<Item = String>) -> Self {
        for draft in drafts {
            let known = self.usage.as_deref().map(|usage| &usage.unread);
            if known.is_some_and(|unread| unread.contains(&draft)) {
                continue;
            }
            if draft.len() > 2 * MAX_UNREAD_BYTES {
                self = self.with_unread(draft.as_bytes());
            } else {
                self.usage.get_or_insert_default().unread.push(draft);
            }
        }
        self
    }

    /// The same failure, with what it cost where that is known.
    #[must_use]
    pub fn with_usage(mut self, usage: Option<Usage>) -> Self {
        if let Some(usage) = usage {
            self.usage = Some(Box::new(usage));
        }
        self
    }
}

/// A sentence about an answer without the word that says whose it is.
fn without_article(said: &str) -> &str {
    let bare = said.strip_prefix("the ").or(said.strip_prefix("its "));
    bare.unwrap_or(said)
}

/// Classes of failure, each its own reason in the receipt.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum FailureKind {
    /// Could not be started.
    Spawn,
    /// No answer in time.
    Timeout,
    /// The process, thread or connection ended.
    Died,
    /// The agent declined.
    Refused,
    /// An answer without content.
    Empty,
    /// Prose without an answer in it.
    Prose,
    /// An answer that does not fit the schema.
    Malformed,
    /// An answer that breaks off.
    Truncated,
    /// An answer over the byte budget.
    Oversized,
    /// An answer of a model that was shown only a part of the prompt: its server cut the rest off.
    ContextCut,
    /// An answer to another round.
    WrongRound,
    /// An answer without the one-time key of its seat and round.
    WrongKey,
    /// An answer that speaks for another judge (rule 10).
    Violation,
    /// The backend cannot do what was asked.
    Unsupported,
    /// The run was cancelled.
    Cancelled,
    /// Quota, key or rate limit of a provider.
    Quota,
    /// The provider failed: overloaded, an error of its own, a connection that was cut.
    Provider,
}

impl FailureKind {
    /// Every class of failure, in the order in which they are declared.
    pub const ALL: [Self; 17] = [
        Self::Spawn,
        Self::Timeout,
        Self::Died,
        Self::Refused,
        Self::Empty,
        Self::Prose,
        Self::Malformed,
        Self::Truncated,
        Self::Oversized,
        Self::ContextCut,
        Self::WrongRound,
        Self::WrongKey,
        Self::Violation,
        Self::Unsupported,
        Self::Cancelled,
        Self::Quota,
        Self::Provider,
    ];

    /// Why a judge gave no answer that counts, for people: words that hold of one judge and of several. Its name on the wire, which `Display` writes, is for programs.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Spawn => "could not start",
            Self::Timeout => "too late",
            Self::Died => "ended before answering",
            Self::Refused => "declined to answer",
            Self::Empty => "answered nothing",
            Self::Prose => "answered in words, without a verdict",
            Self::Malformed => "answered in a wrong form",
            Self::Truncated => "the answer breaks off",
            Self::Oversized => "the answer is too long",
            Self::ContextCut => "saw only a part of the prompt",
            Self::WrongRound => "answered another question",
            Self::WrongKey => "answered without the key",
            Self::Violation => "spoke for another judge",
            Self::Unsupported => "cannot do what was asked",
            Self::Cancelled => "stopped",
            // A limit, a key, or the budget of the run: the detail says which.
            Self::Quota => "turned away",
            Self::Provider => "the provider failed",
        }
    }
}

impl std::fmt::Display for FailureKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let word = match self {
            Self::Spawn => "spawn",
            Self::Timeout => "timeout",
            Self::Died => "died",
            Self::Refused => "refused",
            Self::Empty => "empty",
            Self::Prose => "prose",
            Self::Malformed => "malformed",
            Self::Truncated => "truncated",
            Self::Oversized => "oversized",
            Self::ContextCut => "context-cut",
            Self::WrongRound => "wrong-round",
            Self::WrongKey => "wrong-key",
            Self::Violation => "violation",
            Self::Unsupported => "unsupported",
            Self::Cancelled => "cancelled",
            Self::Quota => "quota",
            Self::Provider => "provider",
        };
        f.write_str(word)
    }
}

/// What a turn cost.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Usage {
    /// Input tokens read in full.
    pub input_tokens: Option<u64>,
    /// Those of them that were written to the provider's cache, where it counts them: some providers charge more for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written_tokens: Option<u64>,
    /// Input tokens read from the provider's cache.
    pub cached_tokens: Option<u64>,
    /// Output tokens, reasoning included.
    pub output_tokens: Option<u64>,
    /// Money in US dollars.
    pub cost_usd: Option<f64>,
    /// The model that answered, where that is known and need not be the one that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Models that were asked before it and failed, each with the reason, in words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub passed_over: Vec<String>,
    /// Calls that the same turn made before this one: for answers that were refused, empty or cut, and those that a model
    /// ended by asking for a tool. The program adds them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<Self>,
    /// Models or agents whose calls have no known price: the money is a lower bound then.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub unpriced: BTreeSet<String>,
    /// What models had said in answers that were cut off, withheld or replaced: none of it counts, and an objection in it is
    /// told. The program takes it out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<String>,
    /// What the judge looked up in the repository, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// Why the judge could look up nothing, in words; none where it could, or where nobody offered it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub without_tools: Option<String>,
    /// How the judge's program was killed after it had written a whole answer, in words; none: it ended by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub killed: Option<String>,
    /// Changed files of which the judge has seen every changed line by looking them up; the program adds them.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub looked_up: BTreeSet<RepoPath>,
    /// How much the judge has seen of changed files that it looked up in part, and was not shown whole; the program adds them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub looked_up_in_part: BTreeMap<RepoPath, SeenPart>,
}

impl Eq for Usage {}

/// How [`Usage::passed_over`] names a call whose form of the answer the server did not take.
pub const WITH_SCHEMA: &str = "with a schema of the answer";

impl Usage {
    /// Whether the server did not take the form of the answer, so that nothing held the judge to it.
    pub fn is_without_schema(&self) -> bool {
        self.passed_over
            .iter()
            .any(|call| call.contains(WITH_SCHEMA))
    }

    /// What of it is a matter of money; none: nothing was counted, and nothing is known to be missing. Calls that a turn
    /// made before are the program's to add.
    pub fn paid(&self) -> Option<Self> {
        let counted = [self.input_tokens, self.cached_tokens, self.output_tokens];
        let is_paid = counted.iter().any(Option::is_some)
            || self.cost_usd.is_some()
            || !self.unpriced.is_empty();
        is_paid.then(|| Self {
            input_tokens: self.input_tokens,
            written_tokens: self.written_tokens,
            cached_tokens: self.cached_tokens,
            output_tokens: self.output_tokens,
            cost_usd: self.cost_usd,
            model: self.model.clone(),
            unpriced: self.unpriced.clone(),
            ..Self::default()
        })
    }

    /// The sum; what is known of one alone stands as it is.
    pub fn plus(&self, other: &Self) -> Self {
        Self {
            input_tokens: sum_options(self.input_tokens, other.input_tokens, u64::saturating_add),
            written_tokens: sum_options(
                self.written_tokens,
                other.written_tokens,
                u64::saturating_add,
            ),
            cached_tokens: sum_options(
                self.cached_tokens,
                other.cached_tokens,
                u64::saturating_add,
            ),
            output_tokens: sum_options(
                self.output_tokens,
                other.output_tokens,
                u64::saturating_add,
            ),
            cost_usd: sum_options(self.cost_usd, other.cost_usd, |a, b| a + b),
            model: other.model.clone().or_else(|| self.model.clone()),
            passed_over: self
                .passed_over
                .iter()
                .chain(new_of(self, other))
                .cloned()
                .collect(),
            earlier: [self.earlier.as_slice(), &other.earlier].concat(),
            unpriced: &self.unpriced | &other.unpriced,
            unread: [self.unread.as_slice(), &other.unread].concat(),
            tool_calls: [self.tool_calls.as_slice(), &other.tool_calls].concat(),
            without_tools: other
                .without_tools
                .clone()
                .or_else(|| self.without_tools.clone()),
            killed: other.killed.clone().or_else(|| self.killed.clone()),
            looked_up: &self.looked_up | &other.looked_up,
            looked_up_in_part: merge_parts(&self.looked_up_in_part, &other.looked_up_in_part),
        }
    }

    /// All input tokens, wherever they were read from; none where nobody counted them.
    pub fn all_input_tokens(&self) -> Option<u64> {
        sum_options(self.input_tokens, self.cached_tokens, u64::saturating_add)
    }
}

/// The larger part of each file.
fn merge_parts(
    one: &BTreeMap<RepoPath, SeenPart>,
    other: &BTreeMap<RepoPath, SeenPart>,
) -> BTreeMap<RepoPath, SeenPart> {
    let mut merged = one.clone();
    for (path, part) in other {
        let most = merged.entry(path.clone()).or_insert(*part);
        *most = (*most).max(*part);
    }
    merged
}

/// What `later` says of models that was not said before.
fn new_of<'a>(earlier: &'a Usage, later: &'a Usage) -> impl Iterator<Item = &'a String> {
    let is_new = |model: &&String| !earlier.passed_over.contains(model);
    later.passed_over.iter().filter(is_new)
}

fn sum_options<T>(a: Option<T>, b: Option<T>, plus: impl Fn(T, T) -> T) -> Option<T> {
    match (a, b) {
        (Some(a), Some(b)) => Some(plus(a, b)),
        (a, b) => a.or(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Law: each class has words of its own, and a detail that says them itself is told alone.
    #[test]
    fn each_failure_is_told_in_words_once() {
        let mut told = std::collections::BTreeSet::new();
        for kind in FailureKind::ALL {
            let words = kind.in_words();
            assert!(told.insert(words), "{words}");
            assert!(!words.starts_with(&kind.to_string()), "{words}");
            assert_eq!(Failure::new(kind, " ").in_words(), words);
            let detail = format!("{words}: why");
            assert_eq!(Failure::new(kind, "why").in_words(), detail);
            assert_eq!(Failure::new(kind, detail.as_str()).in_words(), detail);
        }
        let broken_off = Failure::new(FailureKind::Truncated, "the answer breaks off: at the end");
        assert_eq!(broken_off.in_words(), "the answer breaks off: at the end");
    }

    /// Reports say one reason of several judges: "alice and bob abstained: its provider failed" is of nobody.
    #[test]
    fn why_there_is_no_answer_is_said_of_one_judge_and_of_several() {
        for kind in FailureKind::ALL {
            let words = kind.in_words();
            let mut each = words.split(|c: char| !c.is_alphanumeric());
            let is_of_one = each.any(|word| ["it", "its"].contains(&word));
            assert!(!is_of_one && !words.starts_with("was "), "{words}");
        }
    }

    #[test]
    fn an_unknown_event_is_kept_apart_and_harmless() {
        let event: Event = serde_json::from_str(r#"{"type":"horoscope","sign":"leo"}"#).unwrap();
        assert_eq!(event, Event::Unknown);
    }

    #[test]
    fn events_are_kebab_case_on_the_wire() {
        let event = Event::Failed {
            judge: "judge-1".into(),
            turn: Some(TurnId(3)),
            failure: Failure::new(FailureKind::WrongKey, "no key"),
        };
        let json = serde_json::to_string(&event).unwrap();
        assert_eq!(
            json,
            r#"{"type":"failed","judge":"judge-1","turn":3,"failure":{"kind":"wrong-key","detail":"no key"}}"#
        );
    }
}
