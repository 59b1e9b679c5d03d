//! The council's own code on a simulated change: the engine is convened, its judges answer as `world` has it, and every
//! quote is searched in a file that exists only here.

use std::sync::Arc;

use council_protocol::answer::{Evidence, Response, Stance, Withdrawal};
use council_protocol::capability::{Capability, CapabilitySet, Grant};
use council_protocol::coverage::{Coverage, FileCoverage};
use council_protocol::seat::{AgentKind, AgentSpec, Perspective, RuleSettings, Seat};
use council_protocol::task::{Framing, Peer};
use council_protocol::{
    Answer, CoverageState, Finding, JudgeId, Location, Proof, RoundNumber, Severity, Task, Turn,
    Vote,
};
use git_council::inside::council::outcome::Verdict;
use git_council::inside::council::plan::{
    ConsensusRule, DebateMode, ExchangeMode, PlannedSeat, Procedure, ProcedureOptions,
    RoundTimeouts, RunSeed, VerdictPolicy,
};
use git_council::inside::council::{Plan, ReadyAnswer, ReadyBench, play_at_once};

use super::world::{Change, Item, Reply};

const PATH: &str = "src/change.rs";
/// Lines between two findings: far more than what counts as one place.
const APART: u32 = 20;
/// A quote that stands nowhere.
const NOWHERE: &str = "this line is nowhere";

/// Whether our rules fail the change, with the second round or without it.
pub(crate) fn fails(change: &Change, debated: bool) -> bool {
    let plan = plan(change.judges, debated);
    let (outcome, _) = play_at_once(plan, &mut Simulated(change)).expect("a council concludes");
    outcome.verdict == Verdict::Fail
}

/// Judges that answer as the world has it.
struct Simulated<'a>(&'a Change);

impl ReadyBench for Simulated<'_> {
    fn answer(&mut self, judge: &JudgeId, turn: Turn) -> ReadyAnswer {
        let seat = judge.as_str().trim_start_matches("judge-");
        let seat: usize = seat.parse().unwrap_or(0);
        let raw = raw_answer(self.0, seat, turn.round, &turn.key, &turn.task);
        Ok((raw.into(), None))
    }

    fn prove(&mut self, location: &Location, quote: &str) -> (Proof, String) {
        (search(location, quote), quote.to_owned())
    }
}

fn plan(judges: usize, debated: bool) -> Plan {
    Plan {
        procedure: Procedure::Debate,
        debate: if debated {
            DebateMode::Force
        } else {
            DebateMode::Off
        },
        consensus: ConsensusRule::Findings,
        quorum: 2,
        policy: VerdictPolicy {
            disputed_critical_fails: false,
            incomplete_coverage_warns: false,
        },
        seats: (0..judges).map(seat).collect(),
        exchange: ExchangeMode::Inline {
            max_bytes: u64::MAX,
        },
        timeouts: RoundTimeouts::default(),
        seed: RunSeed("5eed".into()),
        framing: Framing::default(),
        notes: Vec::new(),
        options: ProcedureOptions::default(),
    }
}

fn seat(index: usize) -> PlannedSeat {
    let agent = AgentSpec {
        name: "model".into(),
        kind: AgentKind::Builtin {
            rules: RuleSettings::default(),
        },
        vendor: "vendor".into(),
        model: None,
        deterministic: false,
    };
    let granted =
        CapabilitySet::from([Capability::Spawn, Capability::Message, Capability::Shutdown]);
    let file = FileCoverage {
        path: PATH.into(),
        state: CoverageState::Reviewed,
    };
    PlannedSeat {
        seat: Seat {
            judge: format!("judge-{index}").as_str().into(),
            perspective: Perspective::default(),
            agent,
        },
        grant: Grant {
            granted,
            ..Grant::default()
        },
        coverage: Arc::new(Coverage { files: vec![file] }),
    }
}

/// Every line is there but the one that is nowhere.
fn search(location: &Location, quote: &str) -> Proof {
    if quote == NOWHERE || location.line == 0 {
        Proof::Unverified {
            reason: "it is nowhere".into(),
        }
    } else {
        Proof::Verified
    }
}

fn line_of(index: usize) -> u32 {
    APART * (u32::try_from(index).unwrap_or(0) + 1)
}

fn finding(index: usize, item: &Item) -> Finding {
    let line = line_of(index);
    let quote = if item.quote_exists {
        format!("line {line}")
    } else {
        NOWHERE.to_owned()
    };
    Finding {
        severity: if item.critical {
            Severity::Critical
        } else {
            Severity::Significant
        },
        category: format!("class-{index}"),
        rule: None,
        description: format!("problem {index}"),
        location: Location {
            path: PATH.into(),
            line,
            end_line: None,
        },
        quote,
        why: "it breaks".into(),
        fix: "mend it".into(),
        suggestion: None,
        reference: None,
    }
}

fn evidence(line: u32) -> Evidence {
    Evidence {
        path: PATH.into(),
        line,
        quote: format!("line {line}"),
    }
}

fn raw_answer(change: &Change, judge: usize, round: RoundNumber, key: &str, task: &Task) -> String {
    let own: Vec<usize> = (0..change.items.len())
        .filter(|&i| change.items[i].found[judge])
        .collect();
    let worst = own.iter().map(|&i| change.items[i].critical).max();
    let vote = match worst {
        Some(true) => Vote::Fail,
        Some(false) => Vote::Warn,
        None => Vote::Pass,
    };
    let mut answer = Answer::new(round, key, vote);
    match task {
        Task::Debate { peers, .. } => {
            answer.responses = peers
                .iter()
                .flat_map(|peer| responses(change, judge, peer))
                .collect();
            answer.withdrawn = withdrawals(change, judge, &own);
        }
        _ if round == 1 => {
            answer.findings = own.iter().map(|&i| finding(i, &change.items[i])).collect()
        }
        _ => {}
    }
    serde_json::to_string(&answer).unwrap_or_default()
}

fn responses(change: &Change, judge: usize, peer: &Peer) -> Vec<Response> {
    let respond = |shown: &council_protocol::task::PeerFinding| {
        let place = shown.finding.location.line;
        let index = usize::try_from(place / APART).ok()?.checked_sub(1)?;
        let elsewhere = Some(evidence(place + APART / 2));
        let (stance, evidence) = match change.items.get(index)?.replies[judge] {
            Reply::JoinsBare => (Stance::Agreed, None),
            Reply::AgreesHere => (Stance::Agreed, Some(evidence(place))),
            Reply::AgreesElsewhere => (Stance::Agreed, elsewhere),
            Reply::RefutesBare => (Stance::Disagreed, None),
            Reply::Refutes => (Stance::Disagreed, elsewhere),
            Reply::Silent | Reply::DropsBare | Reply::Drops => return None,
        };
        Some(Response {
            to: shown.id.clone(),
            stance,
            reasoning: "I looked".into(),
            evidence,
        })
    };
    peer.findings.iter().filter_map(respond).collect()
}

fn withdrawals(change: &Change, judge: usize, own: &[usize]) -> Vec<Withdrawal> {
    let withdraw = |(number, &index): (u32, &usize)| {
        let evidence = match change.items[index].replies[judge] {
            Reply::Drops => Some(evidence(line_of(index) + APART / 2)),
            Reply::DropsBare => None,
            _ => return None,
        };
        Some(Withdrawal {
            finding: number,
            evidence,
        })
    };
    (1..).zip(own).filter_map(withdraw).collect()
}
