//! Two rounds of the same live judges (seeds 000 and 003, `--debate`).

use std::collections::BTreeSet;

use council_protocol::task::{DebateBranch, Peer, Task};
use council_protocol::{Capability, JudgeId, Severity, Vote};

use super::ProcedureRules;
use super::quick::independent_round;
use crate::council::anonymity;
use crate::council::bench::{Judges, QueuedTask, SeatIndex};
use crate::council::exchange::Action;
use crate::council::floor::{DebateState, RoundPlan};
use crate::council::ledger::ExchangeKind;
use crate::council::plan::{DebateMode, ExchangeMode};

/// Bytes of findings in one message where a reference was planned and the judge shares no folder.
const INLINE_BYTES: u64 = 24 << 10;

/// `debate`.
pub(super) struct DebateRules;

impl ProcedureRules for DebateRules {
    fn next_round(&self, floor: &mut DebateState) -> Option<RoundPlan> {
        match (floor.completed, floor.plan.debate) {
            (0, _) => Some(independent_round(floor)),
            (1, DebateMode::Auto | DebateMode::Force) => second_round(floor),
            _ => None,
        }
    }
}

/// Whether `--debate=auto` runs R2: on a split, or on a critical finding that one judge alone holds.
pub(super) fn is_worth_it(floor: &DebateState) -> bool {
    let votes = first_votes(&floor.bench);
    let alone = || {
        let clusters = floor.clusters();
        clusters
            .iter()
            .any(|c| c.severity() == Severity::Critical && c.holders().len() == 1)
    };
    votes.len() > 1 && (!is_unanimous(&votes) || alone())
}

/// R2: everybody who answered R1 and can be reached restates its position, then sees the others'.
pub(super) fn second_round(floor: &mut DebateState) -> Option<RoundPlan> {
    let debaters = floor.bench.debating_seats();
    if let Some(obstacle) = debate_obstacle(&floor.bench, &debaters) {
        floor.add_note(obstacle);
        return None;
    }
    let branch = debate_branch(floor);
    floor.branch = Some(branch);
    note_absentees(floor, &debaters);
    let timeout_ms = floor.plan.timeouts.r2_ms;
    let asks = debaters.into_iter().map(|chair| {
        let mut asks = Vec::new();
        if floor.bench.judges[chair].has_capability(&Capability::Message) {
            asks.push(QueuedTask::with_limit(Task::Restate, timeout_ms / 3));
        }
        asks.push(QueuedTask::new(debate_task(floor, chair, branch)));
        (chair, asks)
    });
    Some(RoundPlan::at_once(asks.collect(), timeout_ms))
}

/// Why R2 cannot run.
pub(super) fn debate_obstacle(bench: &Judges, debaters: &[SeatIndex]) -> Option<&'static str> {
    if bench.counted_seats().len() < 2 {
        Some("R2 did not run: there are not two answers of R1 to debate")
    } else if !bench.judges.iter().any(|j| j.can_be_messaged()) {
        Some(
            "R2 did not run: no judge can be messaged (`message` is missing), so that the debate is one round",
        )
    } else if debaters.is_empty() {
        Some("R2 did not run: no judge that answered R1 is left to be messaged")
    } else {
        None
    }
}

/// Says whose R1 counts beside the others' R2, and why.
pub(super) fn note_absentees(floor: &mut DebateState, debaters: &[SeatIndex]) {
    for chair in floor.bench.counted_seats() {
        let judge = &floor.bench.judges[chair];
        if debaters.contains(&chair) {
            // Seed 001's economy is made of fresh briefings: it is not degraded by them.
            if !judge.has_capability(&Capability::Message) && !floor.plan.options.economy {
                let id = judge.id().clone();
                floor.add_note(format!(
                    "{id} was briefed afresh for R2 (`message` is emulated): degraded"
                ));
            }
            continue;
        }
        let why = if judge.can_be_messaged() {
            "it is gone"
        } else {
            "it cannot be messaged"
        };
        let id = judge.id().clone();
        floor.add_note(format!(
            "{id} gave R1 only, {why}; its R1 counts beside the others' R2"
        ));
    }
}

/// The branch of seed 000, and `disagreed` also when equal FAILs rest on disjoint findings.
pub(super) fn debate_branch(floor: &DebateState) -> DebateBranch {
    let votes = first_votes(&floor.bench);
    let disjoint = || {
        let shared = |chairs: BTreeSet<SeatIndex>| chairs.len() > 1;
        !floor
            .clusters()
            .iter()
            .any(|c| shared(c.versions.iter().map(|v| v.chair).collect()))
    };
    let fail = votes.contains(&Vote::Fail);
    if is_unanimous(&votes) && !(fail && disjoint()) {
        DebateBranch::Agreed
    } else {
        DebateBranch::Disagreed
    }
}

fn first_votes(bench: &Judges) -> Vec<Vote> {
    bench.judges.iter().filter_map(|j| j.first_vote()).collect()
}

fn is_unanimous(votes: &[Vote]) -> bool {
    votes.windows(2).all(|pair| pair[0] == pair[1])
}

/// What one judge is sent in R2.
fn debate_task(floor: &mut DebateState, chair: SeatIndex, branch: DebateBranch) -> Task {
    let (peers, dropped) = exchange_peers(floor, chair, 2);
    let framing = floor.framing();
    Task::Debate {
        branch,
        peers,
        dropped,
        framing,
    }
}

/// The others as `chair` sees them in a round, by reference or inline, and how many findings did not fit.
pub(super) fn exchange_peers(
    floor: &mut DebateState,
    chair: SeatIndex,
    round: u8,
) -> (Vec<Peer>, u32) {
    let order = anonymity::peer_order(&floor.plan.seed, &floor.bench, chair);
    let mut peers = anonymity::collect_peers(&floor.bench, &order, round);
    floor.bench.judges[chair].peers.insert(round, order);
    let judge = &floor.bench.judges[chair];
    let (used, dropped) = match floor.plan.exchange {
        ExchangeMode::Reference if judge.has_capability(&Capability::SharedFs) => {
            let judge = judge.id().clone();
            peers = peers
                .into_iter()
                .map(|peer| share_peer(&mut floor.out, &judge, peer))
                .collect();
            (ExchangeKind::Reference, 0)
        }
        ExchangeMode::Reference => (
            ExchangeKind::Inline,
            anonymity::fit_budget(&mut peers, INLINE_BYTES),
        ),
        ExchangeMode::Inline { max_bytes } => (
            ExchangeKind::Inline,
            anonymity::fit_budget(&mut peers, max_bytes),
        ),
    };
    floor.ledger.note_exchange(used, dropped);
    (peers, dropped)
}

/// Shares a peer as a file and leaves vote and name of the file in the message (seed 003's context budget).
fn share_peer(out: &mut Vec<Action>, judge: &JudgeId, mut peer: Peer) -> Peer {
    let file = format!("peer-{}.json", peer.label.to_lowercase());
    peer.file = Some(file.clone());
    let stub = Peer {
        label: peer.label.clone(),
        verdict: peer.verdict,
        key_insight: String::new(),
        findings: Vec::new(),
        recommendation: String::new(),
        file: Some(file),
    };
    out.push(Action::Share {
        judge: judge.clone(),
        peer: Box::new(peer),
    });
    stub
}
