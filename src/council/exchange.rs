//! Inputs and actions: the only way in and out of the engine.

use std::sync::Arc;

use council_protocol::message::{Ending, Failure, Usage};
use council_protocol::reproduction::Reproduction;
use council_protocol::task::{Explored, Peer};
use council_protocol::{Answer, JudgeId, Location, Millis, Proof, RoundNumber, Task, TurnId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::outcome::{Outcome, VerdictReason};
use super::quoted_lines::QuotedLines;
use super::reproduction::{ReproductionId, ReproductionResult, Suggestion};

/// A claim that the session is asked to check against the reviewed tree. Numbered from 1 within a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ClaimId(pub u32);

/// A deadline of the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TimerId(pub u32);

/// A line of a reviewed file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NearestLine {
    /// Its number, from 1.
    pub line: u32,
    /// Its text, as a judge may see it: secrets are taken out.
    pub text: String,
}

/// What happened. The session writes each to the journal before the engine sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "input", rename_all = "kebab-case")]
pub enum Input {
    /// A judge is seated.
    Started { judge: JudgeId },
    /// A reply came, as it came.
    Answered {
        judge: JudgeId,
        /// To which turn.
        turn: TurnId,
        /// The raw reply.
        raw: Arc<str>,
        /// What it cost, where known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        usage: Option<Usage>,
    },
    /// A judge could not be seated, or did not answer.
    Failed {
        judge: JudgeId,
        /// Which turn; none: the judge is gone.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        turn: Option<TurnId>,
        failure: Failure,
    },
    /// A judge has ended.
    Ended { judge: JudgeId, ending: Ending },
    /// A claim was checked.
    Proved {
        claim: ClaimId,
        /// What was found.
        proof: Proof,
        /// The squeezed lines around the place, for fingerprints; empty when it was not found.
        context: String,
        /// The line that is most like a quote which was not found: the judge is shown it when it is asked again.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        nearest: Option<NearestLine>,
        /// The first line, from 1, of the function in which the quote stands; none: in no function, or it is not known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        function: Option<u32>,
        /// Which lines the quote takes up; none: it was not found on the reviewed side, or nobody asked.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        quoted: Option<QuotedLines>,
    },
    /// What the explorers of a judge found; missing ones have no result.
    Explored {
        judge: JudgeId,
        /// Question and result, in the order asked.
        results: Vec<Explored>,
        /// What all of them cost, where known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        usage: Option<Usage>,
    },
    /// A reproduction was run, or could not be.
    Reproduced {
        id: ReproductionId,
        /// What came of it.
        result: ReproductionResult,
    },
    /// What a judge had said in a turn that an earlier process of the run was to forget: the turn is asked again, and
    /// what was objected to is not forgotten.
    Recalled {
        judge: JudgeId,
        /// The round of that turn.
        round: RoundNumber,
        /// Its one-time key.
        key: String,
        /// The answers, as they came.
        said: Vec<String>,
        /// What the turn cost, where it was paid for and not answered.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        usage: Option<Usage>,
    },
    /// A deadline has passed.
    Deadline { timer: TimerId },
    /// The run must end now.
    Cancel { cause: CancelCause },
}

/// Why a run is ended early.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CancelCause {
    /// Ctrl-C or SIGTERM.
    Interrupted,
    /// `--timeout` of the whole run.
    Deadline,
    /// The backend broke down and there is no other.
    BackendLost,
}

/// What the engine wants done. The session does it and reports back with an [`Input`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Seat a judge.
    Spawn { judge: JudgeId },
    /// Give a judge its next turn.
    Send {
        judge: JudgeId,
        /// The turn's number.
        turn: TurnId,
        /// The round, from 1.
        round: RoundNumber,
        /// The one-time key.
        key: String,
        /// What is asked.
        task: Task,
        /// How long it has, in milliseconds.
        timeout_ms: u64,
    },
    /// Put a scrubbed copy of another's answer where the judge can read it, before its next turn (exchange by reference).
    Share {
        /// Who may read it.
        judge: JudgeId,
        /// The whole peer, its `file` name set, e.g. `peer-a.json`.
        peer: Box<Peer>,
    },
    /// Answer the questions of a judge with one-shot helpers; comes back as [`Input::Explored`].
    Explore {
        judge: JudgeId,
        /// The questions, at most as many as the plan allows.
        questions: Vec<String>,
        /// How long all of them have, in milliseconds.
        timeout_ms: u64,
    },
    /// Interrupt a turn whose deadline has passed; the judge stays seated.
    CancelTurn { judge: JudgeId },
    /// Search a quote in the reviewed tree, or in the patch's new lines where there are no blobs.
    Prove {
        /// Number of the claim.
        claim: ClaimId,
        /// Where it is said to stand.
        location: Location,
        quote: String,
    },
    /// Run a test on both sides of the change; comes back as [`Input::Reproduced`].
    Reproduce {
        /// Number of the reproduction.
        id: ReproductionId,
        /// What its finding suggests: where the test proves the finding, it is run with that as well.
        suggestion: Option<Box<Suggestion>>,
        /// The lines of its finding, where the test is brought against it: it must not pass without them.
        place: Option<Box<Location>>,
        reproduction: Box<Reproduction>,
    },
    /// Send [`Input::Deadline`] at this moment; setting a timer again moves it.
    SetDeadline {
        timer: TimerId,
        /// When, in milliseconds since the run began.
        at: Millis,
    },
    /// Write an accepted answer of a judge to its file (R1 is never overwritten).
    Record {
        judge: JudgeId,
        round: RoundNumber,
        /// The answer as it counts.
        answer: Box<Answer>,
    },
    /// Write down what has passed so far: a round of cross-examination is over. Where the plan asks for it.
    Minutes {
        /// What a council that broke off now would come to: never green.
        so_far: Box<Outcome>,
    },
    /// Say something in the run's log, e.g. `Judge judge-1 R2 timeout -- using R1 verdict.`
    Log { line: String },
    /// Ask a judge to end, then end it.
    Shutdown {
        judge: JudgeId,
        /// The grace in milliseconds.
        grace_ms: u64,
    },
    /// The council is over. Comes exactly once, last.
    Conclude {
        /// Everything that the report needs.
        outcome: Box<Outcome>,
    },
}

impl From<CancelCause> for VerdictReason {
    fn from(cause: CancelCause) -> Self {
        match cause {
            CancelCause::Interrupted => Self::Interrupted,
            CancelCause::Deadline => Self::Deadline,
            CancelCause::BackendLost => Self::BackendLost,
        }
    }
}
