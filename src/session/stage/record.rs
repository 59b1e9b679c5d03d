//! What a staged debate leaves: progress lines on the screen, one line in the call log.

use serde::Serialize;

/// A progress line.
#[derive(Debug, Clone, PartialEq)]
pub enum StageProgress {
    /// A round is over: number, who completed it, how many were asked.
    Round {
        /// From 1.
        round: u8,
        /// Names of those who completed it.
        done: Vec<String>,
        /// How many were asked.
        asked: usize,
    },
    /// Contention was computed, and what follows.
    Contention {
        /// 0 to 1.
        score: f64,
        /// The next round; none: synthesis.
        extends_to: Option<u8>,
        /// Whether only the minimum of rounds makes it go on.
        forced: bool,
    },
    /// The outputs were written.
    Synthesis {
        /// The stage.
        stage: String,
    },
}

impl std::fmt::Display for StageProgress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Round {
                round: 1,
                done,
                asked,
            } => {
                write!(
                    f,
                    "[Round 1] {}/{asked} agents completed ({})",
                    done.len(),
                    done.join(", ")
                )
            }
            Self::Round {
                round: 2,
                done,
                asked,
            } => write!(f, "[Round 2] {}/{asked} reviews completed", done.len()),
            Self::Round { round, done, asked } => {
                write!(
                    f,
                    "[Round {round}] {}/{asked} rebuttals completed",
                    done.len()
                )
            }
            Self::Contention {
                score,
                extends_to: Some(round),
                forced: true,
            } => {
                write!(
                    f,
                    "[Contention] Score: {score:.2} → extending to Round {round} (minimum rounds)"
                )
            }
            Self::Contention {
                score,
                extends_to: Some(round),
                ..
            } => {
                write!(
                    f,
                    "[Contention] Score: {score:.2} → extending to Round {round}"
                )
            }
            Self::Contention { score, .. } => write!(
                f,
                "[Contention] Score: {score:.2} → proceeding to synthesis"
            ),
            Self::Synthesis { stage } => write!(
                f,
                "[Synthesis] Final outputs written to stages/{stage}/outputs/"
            ),
        }
    }
}

/// The one line that a staged debate adds to `state/ai-call-log.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CallLog {
    /// The stage.
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
    /// ISO 8601.
    pub ts: String,
}

impl CallLog {
    /// The line of a debate that ended at `ts`.
    pub fn new(
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
    pub fn into_failed(self) -> Self {
        Self {
            action: "failed",
            ..self
        }
    }

    /// The line with its end.
    pub fn to_line(&self) -> String {
        // Strings and finite numbers only: nothing here can fail to become JSON.
        serde_json::to_string(self).unwrap_or_default() + "\n"
    }
}
