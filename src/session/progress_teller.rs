//! Turns the engine's inputs and actions into events, while a council sits and from its journal.

use council_protocol::answer::Answer;
use council_protocol::{JudgeId, Location, Millis, RoundNumber, Severity};
use council_secrets::Redactor;

use super::journal::JournalEntry;
use super::progress::{AskedTask, ProgressEvent, ProgressKind, RunLabel, UsedTokens};
use crate::council::outcome::Outcome;
use crate::council::{Action, Council, Input, Plan};

/// The most characters of a judge's words in an event.
const MAX_WORDS: usize = 300;

/// Turns the engine's inputs and actions into events.
pub(super) struct ProgressTeller<'a> {
    pub(super) council: &'a Council,
    pub(super) redactor: &'a Redactor,
}

impl ProgressTeller<'_> {
    /// What an input tells before the engine has heard it.
    pub(super) fn input_event(input: &Input, redactor: &Redactor) -> Option<ProgressKind> {
        Some(match input {
            Input::Started { judge } => ProgressKind::Started {
                judge: judge.clone(),
            },
            Input::Answered { judge, usage, .. } => ProgressKind::Replied {
                judge: judge.clone(),
                used: UsedTokens::of(usage.as_ref()),
            },
            Input::Failed { judge, failure, .. } => ProgressKind::Failed {
                judge: judge.clone(),
                kind: failure.kind,
                why: clean(&failure.in_words(), redactor),
            },
            Input::Ended { judge, .. } => ProgressKind::Ended {
                judge: judge.clone(),
            },
            Input::Reproduced { id, .. } => ProgressKind::TestEnded {
                test: format!("P{}", id.0),
            },
            _ => return None,
        })
    }

    /// What the engine's actions tell after it has heard an input.
    pub(super) fn action_events(&self, actions: &[Action]) -> Vec<ProgressKind> {
        actions
            .iter()
            .flat_map(|action| self.action_event(action))
            .collect()
    }

    /// A reply that the engine has heard and cannot use. It is told at once: nobody looks up its quotes.
    pub(super) fn rejection_event(&self, replied: Option<&JudgeId>) -> Option<ProgressKind> {
        let judge = replied?;
        let failure = self.council.unusable_reply(judge)?;
        Some(ProgressKind::Failed {
            judge: judge.clone(),
            kind: failure.kind,
            why: self.clean(&failure.in_words()),
        })
    }

    fn action_event(&self, action: &Action) -> Vec<ProgressKind> {
        match action {
            Action::Send {
                judge,
                round,
                task,
                timeout_ms,
                ..
            } => vec![ProgressKind::Asked {
                judge: judge.clone(),
                round: *round,
                task: AskedTask::of(task),
                timeout_ms: *timeout_ms,
            }],
            Action::CancelTurn { judge } => vec![ProgressKind::TimedOut {
                judge: judge.clone(),
            }],
            Action::Record {
                judge,
                round,
                answer,
            } => self.answer_events(judge, *round, answer),
            Action::Log { line } => vec![ProgressKind::Note {
                text: self.clean(line),
            }],
            Action::Reproduce { id, .. } => vec![ProgressKind::TestQueued {
                test: format!("P{}", id.0),
            }],
            Action::Conclude { outcome } => self.conclusion_events(outcome),
            _ => Vec::new(),
        }
    }

    fn answer_events(
        &self,
        judge: &JudgeId,
        round: RoundNumber,
        answer: &Answer,
    ) -> Vec<ProgressKind> {
        let new = answer.independent_findings.iter().map(|one| &one.finding);
        let found: Vec<Severity> = answer
            .findings
            .iter()
            .chain(new)
            .map(|finding| finding.severity)
            .collect();
        let count = |severity| found.iter().filter(|one| **one == severity).count();
        let mut told = self.debate_events(judge, round, answer);
        told.push(ProgressKind::Answered {
            judge: judge.clone(),
            round,
            vote: answer.verdict,
            critical: count(Severity::Critical),
            significant: count(Severity::Significant),
            minor: count(Severity::Minor),
            insight: self.clean(&answer.key_insight),
        });
        told
    }

    /// What an answer says to the others.
    fn debate_events(
        &self,
        judge: &JudgeId,
        round: RoundNumber,
        answer: &Answer,
    ) -> Vec<ProgressKind> {
        let mut told = Vec::new();
        for response in &answer.responses {
            let Some((of, finding)) = self.council.finding_meant(judge, round, &response.to) else {
                continue;
            };
            told.push(ProgressKind::Response {
                judge: judge.clone(),
                round,
                stance: response.stance,
                of: of.clone(),
                place: self.clean(&place_of(&finding.location)),
                finding: self.clean(&finding.description),
                because: self.clean(&response.reasoning),
            });
        }
        for withdrawal in &answer.withdrawn {
            let own = self.council.own_finding(judge, withdrawal.finding);
            told.push(ProgressKind::Withdrawn {
                judge: judge.clone(),
                round,
                place: own
                    .as_ref()
                    .map_or_else(String::new, |own| self.clean(&place_of(&own.location))),
                finding: own
                    .as_ref()
                    .map_or_else(String::new, |own| self.clean(&own.description)),
            });
        }
        told.extend(
            answer
                .challenges
                .iter()
                .map(|challenge| ProgressKind::Challenged {
                    judge: judge.clone(),
                    round,
                    to: match self.council.peer_meant(judge, &challenge.to) {
                        Some(peer) => peer.as_str().to_owned(),
                        None => self.clean(&challenge.to),
                    },
                    question: self.clean(&challenge.question),
                }),
        );
        if let Some(change) = answer.change.as_ref().filter(|c| c.from != c.to) {
            told.push(ProgressKind::Moved {
                judge: judge.clone(),
                round,
                from: change.from,
                to: change.to,
            });
        }
        told
    }

    fn conclusion_events(&self, outcome: &Outcome) -> Vec<ProgressKind> {
        let silent = outcome.judges.iter().filter(|one| one.counted.is_none());
        let mut told: Vec<ProgressKind> = silent
            .filter(|one| one.first_insight.is_empty())
            .map(|one| ProgressKind::Abstained {
                judge: one.seat.judge.clone(),
                why: one.own_failure().map_or_else(
                    || outcome.reason.silence().to_owned(),
                    |failed| self.clean(&failed.failure.in_words()),
                ),
            })
            .collect();
        told.push(ProgressKind::Concluded {
            verdict: outcome.verdict,
            reason: outcome.reason,
            rounds: outcome.rounds,
        });
        told
    }

    fn clean(&self, text: &str) -> String {
        clean(text, self.redactor)
    }
}

/// A judge's words without secrets, on one line and not too long.
fn clean(text: &str, redactor: &Redactor) -> String {
    let text = redactor.redact_words(text).text;
    let words: Vec<&str> = text.split_whitespace().collect();
    crate::text::clip_chars(&words.join(" "), MAX_WORDS).into_owned()
}

/// Whose reply an input is.
pub(super) fn replied_judge(input: &Input) -> Option<&JudgeId> {
    match input {
        Input::Answered { judge, .. } => Some(judge),
        _ => None,
    }
}

fn place_of(location: &Location) -> String {
    match location.line {
        0 => location.path.display().into_owned(),
        line => format!("{}:{line}", location.path.display()),
    }
}

/// Tells a council again from its journal, entry by entry as they are written.
pub(crate) struct JournalFollower {
    council: Council,
    heard: usize,
    redactor: Redactor,
}

impl JournalFollower {
    /// The council at its beginning, and what is told of that.
    pub(crate) fn convene(
        plan: Plan,
        label: RunLabel,
        redactor: Redactor,
    ) -> (Self, Vec<ProgressEvent>) {
        let mut told = vec![ProgressEvent::convened(label, &plan, 0)];
        let (council, actions) = Council::convene(plan);
        let follower = Self {
            council,
            heard: 0,
            redactor,
        };
        told.extend(follower.tell_actions(&actions, 0));
        (follower, told)
    }

    /// What the entries tell that were not heard before.
    pub(crate) fn hear_entries(&mut self, entries: &[JournalEntry]) -> Vec<ProgressEvent> {
        let mut told = Vec::new();
        for JournalEntry { at, input } in entries.iter().skip(self.heard) {
            let heard = ProgressTeller::input_event(input, &self.redactor);
            told.extend(heard.map(|kind| ProgressEvent::new(*at, kind)));
            let actions = self.council.handle(input.clone(), *at);
            told.extend(self.tell_rejection(replied_judge(input), *at));
            told.extend(self.tell_actions(&actions, *at));
        }
        self.heard = self.heard.max(entries.len());
        told
    }

    fn tell_rejection(&self, replied: Option<&JudgeId>, at: Millis) -> Option<ProgressEvent> {
        let teller = ProgressTeller {
            council: &self.council,
            redactor: &self.redactor,
        };
        let told = teller.rejection_event(replied);
        told.map(|kind| ProgressEvent::new(at, kind))
    }

    fn tell_actions(&self, actions: &[Action], at: Millis) -> Vec<ProgressEvent> {
        let teller = ProgressTeller {
            council: &self.council,
            redactor: &self.redactor,
        };
        let told = teller.action_events(actions).into_iter();
        told.map(|kind| ProgressEvent::new(at, kind)).collect()
    }
}
