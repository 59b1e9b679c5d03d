//! A duel as an ordinary council: what each side wrote is put to the engine as the answers of two judges, so that one
//! rule makes every verdict.

use std::collections::VecDeque;

use council_protocol::answer::{Evidence, Response, Stance, Withdrawal};
use council_protocol::message::Ending as JudgeEnding;
use council_protocol::task::Peer;
use council_protocol::{
    Answer, Failure, FailureKind, Finding, Location, Proof, Severity, Task, TurnId, Vote,
};

use super::protocol::standing::{DebateState, PointStanding, vote_of};
use super::protocol::transcript::DebateTranscript;
use super::{DuelEnding, DuelRole};
use crate::council::Council;
use crate::council::exchange::{Action, Input};
use crate::council::outcome::{Outcome, Verdict, VerdictReason};
use crate::council::plan::{DebateMode, Plan, Procedure};

/// Searches a quote in the reviewed tree: what was found, and the squeezed lines around it.
pub(crate) type ProveQuote<'a> = &'a mut dyn FnMut(&Location, &str) -> (Proof, String);

/// The line of the reviewed tree at a place.
pub(crate) type LineLookup<'a> = dyn FnMut(&Location) -> Option<String> + 'a;

/// What a duel came to, with everything that makes a run of it.
#[derive(Debug)]
pub(crate) struct JudgedDuel {
    /// The verdict.
    pub outcome: Outcome,
    /// The council that both sides were put to.
    pub plan: Plan,
    /// What they said, as its journal has it.
    pub inputs: Vec<Input>,
}

/// The outcome of a concluded duel. `plan` seats A and B, in this order; `ending` is what the duel came to: `limit` is at
/// least WARN, a time-out or a violation is INCONCLUSIVE.
pub(crate) fn judge_transcript(
    transcript: &DebateTranscript,
    ending: DuelEnding,
    mut plan: Plan,
    prove: ProveQuote<'_>,
    line_at: &mut LineLookup<'_>,
) -> Option<JudgedDuel> {
    plan.procedure = Procedure::Debate;
    plan.debate = DebateMode::Force;
    plan.options.transcript = true;
    let sides = [DuelRole::A, DuelRole::B].map(|role| SideScript::new(transcript, role, line_at));
    let judges: Vec<_> = plan.seats.iter().map(|s| s.seat.judge.clone()).collect();
    let kept = plan.clone();
    let (mut council, first) = Council::convene(plan);
    let mut inputs = Vec::new();
    let mut open: VecDeque<Action> = first.into();
    while let Some(action) = open.pop_front() {
        let input = match action {
            Action::Conclude { outcome } => {
                return Some(JudgedDuel {
                    outcome: with_ending(*outcome, ending),
                    plan: kept,
                    inputs,
                });
            }
            Action::Spawn { judge } => Input::Started { judge },
            Action::Shutdown { judge, .. } => Input::Ended {
                judge,
                ending: JudgeEnding::Graceful,
            },
            Action::Prove {
                claim,
                location,
                quote,
            } => {
                let (proof, context) = prove(&location, &quote);
                Input::Proved {
                    claim,
                    proof,
                    context,
                    nearest: None,
                }
            }
            Action::Send {
                judge,
                turn,
                round,
                key,
                task,
                ..
            } => {
                let side = judges
                    .iter()
                    .position(|j| *j == judge)
                    .and_then(|i| sides.get(i));
                answer_turn(side, judge, turn, round, key, &task)
            }
            // A transcript has no helpers, no clock and no files; the exchange is inline.
            Action::Share { .. }
            | Action::Explore { .. }
            | Action::CancelTurn { .. }
            | Action::SetDeadline { .. }
            | Action::Record { .. }
            | Action::Minutes { .. }
            | Action::Log { .. } => continue,
        };
        inputs.push(input.clone());
        open.extend(council.handle(input, 0));
    }
    None
}

fn answer_turn(
    side: Option<&SideScript>,
    judge: council_protocol::JudgeId,
    turn: TurnId,
    round: u8,
    key: String,
    task: &Task,
) -> Input {
    match side.and_then(|side| side.answer_task(round, key, task)) {
        Some(raw) => Input::Answered {
            judge,
            turn,
            raw: raw.into(),
            usage: None,
        },
        None => {
            let failure = Failure::new(
                FailureKind::Unsupported,
                match side.is_some_and(|side| side.vote.is_none()) {
                    true => "it said nothing of the change, so it has no vote",
                    false => "a transcript answers no such question",
                },
            );
            Input::Failed {
                judge,
                turn: Some(turn),
                failure,
            }
        }
    }
}

/// What one side said, as the answers of a judge.
struct SideScript {
    role: DuelRole,
    /// None: it was silent, or said only that it has read.
    vote: Option<Vote>,
    insight: String,
    own: Vec<PointStanding>,
    theirs: Vec<PointStanding>,
    /// What it found by itself and the other side raised first.
    found_too: Vec<Finding>,
}

impl SideScript {
    fn new(transcript: &DebateTranscript, role: DuelRole, line_at: &mut LineLookup<'_>) -> Self {
        let state = DebateState::read(transcript);
        let placed = state.points.into_iter().filter(PointStanding::is_placed);
        let quoted = placed.map(|point| with_quote(point, line_at));
        let (own, theirs): (Vec<_>, Vec<_>) = quoted.partition(|point| point.id.role == role);
        let opinions = theirs.iter().flat_map(|point| &point.replies);
        let found_too = opinions
            .filter_map(|opinion| opinion.found.clone())
            .collect();
        let (vote, insight) = match vote_of(transcript, role) {
            Some((vote, insight)) => (Some(vote), insight),
            None if state.speakers.contains(&role) => {
                (Some(vote_from(&own, &theirs, role)), String::new())
            }
            None => (None, String::new()),
        };
        Self {
            role,
            vote,
            insight,
            own,
            theirs,
            found_too,
        }
    }

    fn answer_task(&self, round: u8, key: String, task: &Task) -> Option<String> {
        let vote = self.vote?;
        let base = Answer {
            key_insight: self.insight.clone(),
            ..Answer::new(round, key, vote)
        };
        let answer = match task {
            Task::Restate => {
                return Some(format!(
                    "{} votes {}. {}",
                    self.role,
                    vote.as_str(),
                    self.insight
                ));
            }
            Task::Review => Answer {
                // Its own points come first: replies name them by their number.
                findings: self
                    .own
                    .iter()
                    .map(|p| &p.finding)
                    .chain(&self.found_too)
                    .cloned()
                    .collect(),
                ..base
            },
            Task::Debate { peers, .. } => Answer {
                responses: peers
                    .iter()
                    .flat_map(|peer| self.responses_to(peer))
                    .collect(),
                withdrawn: self.withdrawn_points(),
                ..base
            },
            _ => return None,
        };
        serde_json::to_string(&answer).ok()
    }

    /// The other side's points stand in the exchange in their own order, some of them dropped: `A3` is the third.
    fn responses_to(&self, peer: &Peer) -> Vec<Response> {
        let reply = |finding: &council_protocol::task::PeerFinding| {
            let number: usize = finding
                .id
                .trim_start_matches(|c: char| !c.is_ascii_digit())
                .parse()
                .ok()?;
            let opinion = self
                .theirs
                .get(number.checked_sub(1)?)?
                .last_of(self.role)?;
            // "Agreed" needs no ceremony: whoever agrees has looked at the place that the other names.
            let looked_at = || Evidence {
                path: finding.finding.location.path.clone(),
                line: finding.finding.location.line,
                quote: finding.finding.quote.clone(),
            };
            let agrees = opinion.stance == Stance::Agreed;
            let evidence = opinion.evidence.clone();
            Some(Response {
                to: finding.id.clone(),
                stance: opinion.stance,
                reasoning: opinion.reasoning.clone(),
                evidence: evidence.or_else(|| agrees.then(looked_at)),
            })
        };
        peer.findings.iter().filter_map(reply).collect()
    }

    /// A point that was given up is withdrawn with the evidence that was shown against it; without any it is weak.
    fn withdrawn_points(&self) -> Vec<Withdrawal> {
        let given_up = self
            .own
            .iter()
            .zip(1u32..)
            .filter(|(point, _)| point.is_conceded());
        let withdrawal = |(point, finding): (&PointStanding, u32)| {
            let own = point.last_of(self.role).and_then(|o| o.evidence.clone());
            let shown = point
                .replies
                .iter()
                .rev()
                .filter(|r| r.role != self.role && r.stance != Stance::Agreed);
            Withdrawal {
                finding,
                evidence: own.or_else(|| shown.filter_map(|r| r.evidence.clone()).next()),
            }
        };
        given_up.map(withdrawal).collect()
    }
}

/// A side that names no vote holds its own points, and those of the other side that it does not reject.
fn vote_from(own: &[PointStanding], theirs: &[PointStanding], role: DuelRole) -> Vote {
    let shared = theirs.iter().filter(|point| {
        let last = point.last_of(role);
        last.is_some_and(|opinion| opinion.stance != Stance::Disagreed)
    });
    match own.iter().chain(shared).map(|p| p.finding.severity).max() {
        Some(Severity::Critical) => Vote::Fail,
        Some(Severity::Significant) => Vote::Warn,
        Some(Severity::Minor) | None => Vote::Pass,
    }
}

/// The protocol asks for a place and no quote: what stands there is then what is meant.
fn with_quote(mut point: PointStanding, line_at: &mut LineLookup<'_>) -> PointStanding {
    if point.finding.quote.trim().is_empty() {
        point.finding.quote = line_at(&point.finding.location).unwrap_or_default();
    }
    point
}

/// The outcome that an ending leaves of a verdict on what was said.
pub(crate) fn with_ending(mut outcome: Outcome, ending: DuelEnding) -> Outcome {
    outcome.procedure = Some(Procedure::Duel);
    let (verdict, reason) = match ending {
        DuelEnding::Consensus => return outcome,
        DuelEnding::Limit if outcome.verdict == Verdict::Pass => {
            (Verdict::Warn, VerdictReason::DuelLimit)
        }
        DuelEnding::Limit => return outcome,
        DuelEnding::TimeoutA | DuelEnding::TimeoutB => {
            (Verdict::Inconclusive, VerdictReason::DuelTimeout)
        }
        DuelEnding::Violation => (Verdict::Inconclusive, VerdictReason::DuelViolation),
    };
    outcome
        .notes
        .push(format!("The duel ended with `{}`.", ending.as_str()));
    Outcome {
        verdict,
        reason,
        ..outcome
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use council_protocol::capability::Grant;
    use council_protocol::coverage::{Coverage, CoverageState, FileCoverage};
    use council_protocol::seat::{AgentKind, AgentSpec, Perspective};
    use council_protocol::task::Framing;
    use council_protocol::{Capability, CapabilitySet, Seat};

    use super::*;
    use crate::council::plan::{
        ConsensusRule, ExchangeMode, PlannedSeat, ProcedureOptions, RoundTimeouts, RunSeed,
        VerdictPolicy,
    };

    fn plan() -> Plan {
        let seat = |name: &str| {
            let kind = AgentKind::Builtin {
                rules: Default::default(),
            };
            let agent = AgentSpec {
                name: "x".into(),
                kind,
                vendor: "x".into(),
                model: None,
                deterministic: false,
            };
            let granted = CapabilitySet::from([Capability::Spawn, Capability::Message]);
            let file = FileCoverage {
                path: "a.rs".into(),
                state: CoverageState::Reviewed,
            };
            PlannedSeat {
                seat: Seat {
                    judge: name.into(),
                    perspective: Perspective::default(),
                    agent,
                },
                grant: Grant {
                    requested: granted.clone(),
                    granted,
                    ..Grant::default()
                },
                coverage: Arc::new(Coverage { files: vec![file] }),
            }
        };
        Plan {
            procedure: Procedure::Debate,
            debate: DebateMode::Force,
            consensus: ConsensusRule::Findings,
            quorum: 2,
            policy: VerdictPolicy {
                disputed_critical_fails: false,
                incomplete_coverage_warns: false,
            },
            seats: vec![seat("judge-a"), seat("judge-b")],
            exchange: ExchangeMode::Inline { max_bytes: 100_000 },
            timeouts: RoundTimeouts::default(),
            seed: RunSeed("00".repeat(32)),
            framing: Framing::default(),
            notes: Vec::new(),
            options: ProcedureOptions::default(),
        }
    }

    fn outcome(response: &str, ending: DuelEnding) -> Outcome {
        let text = format!(
            "## Opening\nVote: FAIL — broken\n\n- **A1** — **critical** `a.rs:1` — boom\n  > let x = boom();\n  Why: w\n  Fix: f\n\n\
             *— Agent A, 2025-06-15T14:30:00Z*\n\n## Response 1\n{response}\n\n*— Agent B, 2025-06-15T14:31:00Z*\n"
        );
        let source = "let x = boom();\nlet y = checked();\n";
        let mut prove = |at: &Location, quote: &str| {
            (
                council_protocol::prove_quote(source, at.line, quote),
                String::new(),
            )
        };
        judge_transcript(
            &DebateTranscript::parse(&text),
            ending,
            plan(),
            &mut prove,
            &mut |_| None,
        )
        .unwrap()
        .outcome
    }

    const EVIDENCE: &str = " (see `a.rs:2`)\n  > let y = checked();\n";

    #[test]
    fn a_point_that_the_other_side_proves_too_fails_the_change() {
        let outcome = outcome(
            &format!("- **A1** — **Agreed** — it is{EVIDENCE}"),
            DuelEnding::Consensus,
        );
        assert_eq!(
            (outcome.verdict, outcome.reason),
            (Verdict::Fail, VerdictReason::CriticalConfirmed)
        );
        assert_eq!(outcome.procedure, Some(Procedure::Duel));
    }

    #[test]
    fn a_point_refuted_with_evidence_is_contested() {
        let outcome = outcome(
            &format!("- **A1** — **Disagreed** — it is checked{EVIDENCE}"),
            DuelEnding::Limit,
        );
        assert_eq!(
            (outcome.verdict, outcome.reason),
            (Verdict::Warn, VerdictReason::CriticalDisputed)
        );
    }

    #[test]
    fn limit_is_at_least_warn_and_a_broken_end_is_inconclusive() {
        let clean = |ending| {
            let text = "## Opening\nVote: PASS — fine\n\n*— Agent A, 2025-06-15T14:30:00Z*\n\n\
                 ## Response 1\nVote: PASS — fine\n\n*— Agent B, 2025-06-15T14:31:00Z*\n";
            let mut prove = |_: &Location, _: &str| (Proof::Verified, String::new());
            judge_transcript(
                &DebateTranscript::parse(text),
                ending,
                plan(),
                &mut prove,
                &mut |_| None,
            )
            .unwrap()
            .outcome
            .verdict
        };
        assert_eq!(clean(DuelEnding::Consensus), Verdict::Pass);
        assert_eq!(clean(DuelEnding::Limit), Verdict::Warn);
        for ending in [
            DuelEnding::TimeoutA,
            DuelEnding::TimeoutB,
            DuelEnding::Violation,
        ] {
            assert_eq!(clean(ending), Verdict::Inconclusive);
        }
    }

    fn judged(response: &str) -> Outcome {
        let text = format!(
            "## Opening\nI looked at it.\n\n1. `a.rs:1` — critical: boom\n\n*— Agent A, 2025-06-15T14:30:00Z*\n\n\
             ## Response 1\n{response}\n\n*— Agent B, 2025-06-15T14:31:00Z*\n"
        );
        let source = "let x = boom();\nlet y = checked();\n";
        let mut prove = |at: &Location, quote: &str| {
            (
                council_protocol::prove_quote(source, at.line, quote),
                String::new(),
            )
        };
        let mut line_at =
            |at: &Location| source.lines().nth(at.line as usize - 1).map(str::to_owned);
        let transcript = DebateTranscript::parse(&text);
        judge_transcript(
            &transcript,
            DuelEnding::Consensus,
            plan(),
            &mut prove,
            &mut line_at,
        )
        .unwrap()
        .outcome
    }

    #[test]
    fn a_partner_that_is_silent_or_has_only_read_has_no_vote() {
        for silent in [
            "",
            "I have read it.",
            "Noted, thank you.",
            "There is nothing to add.",
        ] {
            let outcome = judged(silent);
            assert_eq!(
                outcome.verdict,
                Verdict::Inconclusive,
                "{silent}: {:?}",
                outcome.reason
            );
        }
        assert_ne!(judged("1. Agreed").verdict, Verdict::Inconclusive);
    }

    #[test]
    fn a_finding_in_the_protocols_own_form_has_its_place() {
        let outcome = judged(
            "1. Agreed\n\n### Independent findings\n\n`a.rs:2` — checked too late: new finding",
        );
        let found: Vec<_> = outcome
            .findings
            .iter()
            .map(|finding| (finding.finding.location.line, finding.finding.quote.clone()))
            .collect();
        assert!(
            found.contains(&(2, "let y = checked();".to_owned())),
            "{found:?}"
        );
    }
}
