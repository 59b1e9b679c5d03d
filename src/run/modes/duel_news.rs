//! What whoever watches a duel is told: who writes, who has written, and what it came to.

use std::time::{Duration, Instant};

use council_protocol::{JudgeId, Millis, RoundNumber, Seat};
use serde::{Deserialize, Serialize};

use crate::council::outcome::Outcome;
use crate::council::plan::Procedure;
use crate::duel::DuelRole;
use crate::duel::driver::judge_name;
use crate::report::DUEL_BACKEND;
use crate::run::context::RunContext;
use crate::session::{AskedTask, ProgressEvent, ProgressKind, ProgressObserver, SeatedJudge};

/// A line by which a side tells the process that started it which section it writes now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SpeakNotice {
    speaks: String,
}

impl SpeakNotice {
    /// One line of JSON, ended by a newline.
    pub(super) fn line_of(heading: &str) -> String {
        let notice = Self {
            speaks: heading.to_owned(),
        };
        serde_json::to_string(&notice).unwrap_or_default() + "\n"
    }

    /// The section's heading; none: the line is something else.
    pub(super) fn heading_of(line: &str) -> Option<String> {
        let notice: Option<Self> = serde_json::from_slice(line.as_bytes()).ok();
        notice.map(|notice| notice.speaks)
    }
}

/// Tells a duel as events. Without an observer it tells nobody.
#[derive(Clone)]
pub(super) struct DuelNews {
    observer: Option<ProgressObserver>,
    began: Instant,
}

impl DuelNews {
    pub(super) fn new(start: &RunContext) -> Self {
        Self {
            observer: start.notifier.observer(),
            began: Instant::now(),
        }
    }

    /// The same for a duel that began so long ago.
    pub(super) fn after(self, took_ms: Millis) -> Self {
        let took = Duration::from_millis(took_ms);
        Self {
            began: self.began.checked_sub(took).unwrap_or(self.began),
            ..self
        }
    }

    /// These sides are ours.
    pub(super) fn convene(&self, target: &str, seats: &[Seat], max_usd: Option<f64>) {
        let judges = seats.iter().map(|seat| SeatedJudge {
            judge: seat.judge.clone(),
            perspective: String::new(),
            agent: seat.agent.name.clone(),
            model: seat.agent.model.clone(),
            paid: seat.agent.kind.is_paid(),
        });
        self.tell(ProgressKind::Convened {
            run: String::new(),
            target: target.to_owned(),
            procedure: Procedure::Duel,
            backend: DUEL_BACKEND.to_owned(),
            max_usd,
            judges: judges.collect(),
        });
        for seat in seats {
            let judge = seat.judge.clone();
            self.tell(ProgressKind::Started { judge });
        }
    }

    /// A side writes its next section, for which its agent has so long.
    pub(super) fn speaks(&self, role: DuelRole, timeout_ms: Millis) {
        self.tell(ProgressKind::Asked {
            judge: side(role),
            round: RoundNumber::FIRST,
            task: AskedTask::Duel,
            timeout_ms,
        });
    }

    /// A section stands in the file.
    pub(super) fn wrote(&self, role: DuelRole, section: &str) {
        self.tell(ProgressKind::Wrote {
            judge: side(role),
            section: section.trim_start_matches('#').trim().to_owned(),
        });
    }

    pub(super) fn conclude(&self, outcome: &Outcome) {
        self.tell(ProgressKind::Concluded {
            verdict: outcome.verdict,
            reason: outcome.reason,
            rounds: outcome.rounds,
        });
    }

    fn tell(&self, kind: ProgressKind) {
        if let Some(observer) = &self.observer {
            let at = Millis::try_from(self.began.elapsed().as_millis()).unwrap_or(Millis::MAX);
            observer(&ProgressEvent::new(at, kind));
        }
    }
}

fn side(role: DuelRole) -> JudgeId {
    judge_name(role).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notice_is_read_as_it_was_written_and_nothing_else_is_one() {
        let line = SpeakNotice::line_of("## Response (Round 1)");
        let heading = SpeakNotice::heading_of(line.trim_end());
        assert_eq!(heading.as_deref(), Some("## Response (Round 1)"));
        for other in ["", "{}", r#"{"at":1,"bytes":2,"sha256":"a"}"#, "speaks"] {
            assert_eq!(SpeakNotice::heading_of(other), None);
        }
    }
}
