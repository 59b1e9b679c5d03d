//! What a session is given.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use council_protocol::message::Turn;
use council_protocol::reproduction::Reproduction;
use council_protocol::{
    Answer, BlobSource, JudgeId, Location, Packet, RoundNumber, Seat, SeenLines,
};
use council_secrets::Redactor;

use super::opened::SessionBackend;
use super::places::RunRef;
use super::progress::ProgressObserver;
use super::purse::BudgetLimits;
use crate::council::reproduction::{ReproductionResult, Suggestion};
use crate::council::{Outcome, Plan};

/// A backend that can run the council, and the council's plan in it.
pub struct BackendOffer {
    pub opened: SessionBackend,
    /// The plan, with what this backend grants.
    pub plan: Plan,
}

/// Renders what agents read as text; judges that read the task as it is need none of it.
pub trait PromptRenderer: Send + Sync {
    /// The brief of a seat: byte-identical for all judges of a class and all rounds.
    fn render_brief(&self, seat: &Seat) -> Arc<str>;

    /// The changed lines that a judge's brief shows of the files that it shows in part.
    fn lines_in_brief(&self, _judge: &JudgeId) -> Vec<SeenLines> {
        Vec::new()
    }

    /// The text of a turn, to stand behind the brief; in R1 the judge may put up to `explorers` questions to helpers.
    ///
    /// # Errors
    ///
    /// In words, where a template of the user's cannot be rendered: the turn is then lost, and the judge is sent nothing.
    fn render_prompt(&self, seat: &Seat, turn: &Turn, explorers: u8) -> Result<String, String>;

    /// What a judge that does not know its own answers is told of itself and of them, before the text of its turn.
    ///
    /// # Errors
    ///
    /// As those of [`Prompter::prompt`]: a judge that is not told what it said is not asked to go on from there.
    fn render_reminder(&self, seat: &Seat, said: &[Arc<str>]) -> Result<String, String>;
}

/// Runs tests that judges brought, on both sides of the change. One at a time.
pub trait ReproductionRunner: Send + Sync {
    /// What came of a test; where it proves its finding, of what that suggests; and where it passes, of the same without the
    /// lines at this place.
    fn run_reproduction(
        &self,
        reproduction: &Reproduction,
        suggestion: Option<&Suggestion>,
        place: Option<&Location>,
    ) -> ReproductionResult;

    /// Ends what runs, from another thread: nobody waits for it any more.
    fn stop(&self);
}

/// Renders the file of a judge's answer in a round, for people, without secrets.
pub(crate) type AnswerPage = fn(&Seat, RoundNumber, &Answer, &Redactor) -> String;

/// Renders what has passed so far, for people; none: there is nothing to tell.
pub(crate) type MinutesPage = Arc<dyn Fn(Outcome) -> Option<String> + Send + Sync>;

/// How the file of the minutes ends (`--save`).
pub(crate) const MINUTES_FILE: &str = "session.md";

/// The path of the file of an answer, by seat and round; none: that answer has no file.
pub(crate) type AnswerFileName = Arc<dyn Fn(&Seat, RoundNumber) -> Option<PathBuf> + Send + Sync>;

/// Where the files of answers go, when not among the run's own: below a folder, under names that a procedure gives.
#[derive(Clone)]
pub struct AnswerFiling {
    /// The folder; it exists.
    pub root: PathBuf,
    /// The files below it.
    pub name: AnswerFileName,
}

/// Hears a line of the log; the text is untrusted.
pub(crate) type LogListener = Arc<dyn Fn(&str) + Send + Sync>;

/// The read-only exports of the reviewed tree in which agents work; none: no seat needs it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExportFolders {
    /// Of agents that are kept from writing: they share one.
    pub shared: Option<PathBuf>,
    /// Of judges that nobody keeps from writing, each alone in its own: what one writes no other judge reads.
    pub own: BTreeMap<JudgeId, PathBuf>,
}

impl ExportFolders {
    /// The one of a seat.
    pub(super) fn folder_for(&self, seat: &Seat) -> Option<PathBuf> {
        self.own.get(&seat.judge).or(self.shared.as_ref()).cloned()
    }
}

/// What a session is given.
pub struct SessionSetup {
    /// The run and its places.
    pub run: RunRef,
    /// What is under review.
    pub packet: Arc<Packet>,
    /// What quotes are looked up in: more than the packet where rules read files that judges are not shown again.
    pub proved_over: Arc<Packet>,
    /// The files of its two sides.
    pub blobs: Arc<dyn BlobSource>,
    /// Takes secrets out of what is logged and filed, and out of files as they are taken out of briefs.
    pub redactor: Redactor,
    /// Renders what agents read as text; none: no seat needs it.
    pub prompter: Option<Arc<dyn PromptRenderer>>,
    /// Renders the files of answers.
    pub page: AnswerPage,
    /// Renders the minutes; none: nobody asked for them.
    pub minutes: Option<MinutesPage>,
    /// Where the files of answers go; none: among the run's own. They are written over those of an earlier debate.
    pub filing: Option<AnswerFiling>,
    /// The read-only exports in which agents work.
    pub rooms: ExportFolders,
    /// The most bytes of one answer.
    pub max_answer_bytes: u64,
    /// What the run may cost.
    pub money: BudgetLimits,
    /// Runs tests of judges; none: nobody asks them for any.
    pub runner: Option<Arc<dyn ReproductionRunner>>,
    /// Hears each line of the log as it is written.
    pub listener: Option<LogListener>,
    /// Hears what happens; none: nobody watches.
    pub observer: Option<ProgressObserver>,
}

/// A backend that could not seat anybody and gave way to the next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackendFallback {
    pub backend: String,
    /// Why nobody sat.
    pub reason: String,
}

/// A session that came to its end.
#[derive(Debug)]
pub struct FinishedSession {
    /// What the council came to.
    pub outcome: Outcome,
    /// The plan that held.
    pub plan: Plan,
    /// The backend that ran the judges.
    pub backend: String,
    /// A backend that was tried before it.
    pub gave_way: Option<BackendFallback>,
    /// The run and its places; its `started` says when it began.
    pub run: RunRef,
    /// How long it took, in milliseconds.
    pub elapsed_ms: u64,
    /// The packet's address; none: the packet was not written.
    pub packet_digest: Option<String>,
    /// What was said on the way, in order; the text is untrusted.
    pub log: Vec<String>,
}
