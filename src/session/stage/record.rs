//! What a staged debate leaves: its last line on the screen, one line in the call log.

use serde::Serialize;

/// The last line on the screen; the ones before it tell of rounds as they end, and come from the session.
pub(crate) fn synthesis_line(stage: &str) -> String {
    format!("[Synthesis] Final outputs written to stages/{stage}/outputs/")
}

/// The one line that a staged debate adds to `state/ai-call-log.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct CallLog {
    pub stage: String,
    /// Always `debate`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Rounds that ran.
    pub rounds: u8,
    /// Agents that took part.
    pub agents: usize,
    /// The computed score after each round that has one.
    pub contention_scores: Vec<f64>,
    /// `synthesized`, or `failed` where no document came out.
    pub action: &'static str,
    pub ts: String,
}

impl CallLog {
    /// The line of a debate that ended at `ts`.
    pub(crate) fn new(
        stage: &str,
        rounds: u8,
        agents: usize,
        contention_scores: Vec<f64>,
        ts: String,
    ) -> Self {
        Self {
            stage: stage.into(),
            kind: "debate",
            rounds,
            agents,
            contention_scores,
            action: "synthesized",
            ts,
        }
    }

    /// The same of a debate that came to no document.
    pub(crate) fn into_failed(self) -> Self {
        Self {
            action: "failed",
            ..self
        }
    }

    /// The line with its end.
    pub(crate) fn to_line(&self) -> String {
        // Strings and finite numbers only: nothing here can fail to become JSON.
        serde_json::to_string(self).unwrap_or_default() + "\n"
    }
}
