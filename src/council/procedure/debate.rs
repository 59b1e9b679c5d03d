//! Two rounds of the same live judges (seeds 000 and 003, `--debate`).

use std::collections::BTreeSet;

use council_protocol::task::{Branch, Peer, Task};
use council_protocol::{Capability, JudgeId, Severity, Vote};

use super::Rules;
use super::quick::independent;
use crate::council::anonymity;
use crate::council::bench::{Ask, Bench, Chair};
use crate::council::exchange::Action;
use crate::council::floor::{Floor, RoundPlan};
use crate::council::ledger::ExchangeKind;
use crate::council::plan::{DebateMode, Exchange};

/// Bytes of findings in one message where a reference was planned and the judge shares no folder.
const INLINE_BYTES: u64 = 24 << 10;

/// `debate`.
pub(super) struct Debate;

impl Rules for Debate {
    fn next(&self, floor: &mut Floor) -> Option<RoundPlan> {
        match (floor.completed, floor.plan.debate) {
            (0, _) => Some(independent(floor)),
            (1, DebateMode::Auto | DebateMode::Force) => second_round(floor),
            _ => None,
        }
    }
}

/// Whether `--debate=auto` runs R2: on a split, or on a critical finding that one judge alone holds.
pub(super) fn is_worth_it(floor: &Floor) -> bool {
    let votes = votes(&floor.bench);
    let alone = || {
        let clusters = floor.clusters();
        clusters
            .iter()
            .any(|c| c.severity() == Severity::Critical && c.holders().len() == 1)
    };
    votes.len() > 1 && (!unanimous(&votes) || alone())
}

/// R2: everybody who answered R1 and can be reached restates its position, then sees the others'.
pub(super) fn second_round(floor: &mut Floor) -> Option<RoundPlan> {
    let debaters = floor.bench.debaters();
    if let Some(obstacle) = obstacle(&floor.bench, &debaters) {
        floor.note(obstacle);
        return None;
    }
    let branch = branch(floor);
    floor.branch = Some(branch);
    note_absentees(floor, &debaters);
    let timeout_ms = floor.plan.timeouts.r2_ms;
    let asks = debaters.into_iter().map(|chair| {
        let mut asks = Vec::new();
        if floor.bench.judges[chair].granted(&Capability::Message) {
            asks.push(Ask::within(Task::Restate, timeout_ms / 3));
        }
        asks.push(Ask::new(debate(floor, chair, branch)));
        (chair, asks)
    });
    Some(RoundPlan::at_once(asks.collect(), timeout_ms))
}

/// Why R2 cannot run.
pub(super) fn obstacle(bench: &Bench, debaters: &[Chair]) -> Option<&'static str> {
    if bench.counted().len() < 2 {
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
pub(super) fn note_absentees(floor: &mut Floor, debaters: &[Chair]) {
    for chair in floor.bench.counted() {
        let judge = &floor.bench.judges[chair];
        if debaters.contains(&chair) {
            // Seed 001's economy is made of fresh briefings: it is not degraded by them.
            if !judge.granted(&Capability::Message) && !floor.plan.options.economy {
                let id = judge.id().clone();
                floor.note(format!(
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
        floor.note(format!(
            "{id} gave R1 only, {why}; its R1 counts beside the others' R2"
        ));
    }
}

/// The branch of seed 000, and `disagreed` also when equal FAILs rest on disjoint findings.
pub(super) fn branch(floor: &Floor) -> Branch {
    let votes = votes(&floor.bench);
    let disjoint = || {
        let shared = |chairs: BTreeSet<Chair>| chairs.len() > 1;
        !floor
            .clusters()
            .iter()
            .any(|c| shared(c.versions.iter().map(|v| v.chair).collect()))
    };
    let fail = votes.contains(&Vote::Fail);
    if unanimous(&votes) && !(fail && disjoint()) {
        Branch::Agreed
    } else {
        Branch::Disagreed
    }
}

fn votes(bench: &Bench) -> Vec<Vote> {
    bench.judges.iter().filter_map(|j| j.first_vote()).collect()
}

fn unanimous(votes: &[Vote]) -> bool {
    votes.windows(2).all(|pair| pair[0] == pair[1])
}

/// What one judge is sent in R2.
fn debate(floor: &mut Floor, chair: Chair, branch: Branch) -> Task {
    let (peers, dropped) = exchange(floor, chair, 2);
    let framing = floor.framing();
    Task::Debate {
        branch,
        peers,
        dropped,
        framing,
    }
}

/// The others as `chair` sees them in a round, by reference or inline, and how many findings did not fit.
pub(super) fn exchange(floor: &mut Floor, chair: Chair, round: u8) -> (Vec<Peer>, u32) {
    let order = anonymity::order(&floor.plan.seed, &floor.bench, chair);
    let mut peers = anonymity::peers(&floor.bench, &order, round);
    floor.bench.judges[chair].peers.insert(round, order);
    let judge = &floor.bench.judges[chair];
    let (used, dropped) = match floor.plan.exchange {
        Exchange::Reference if judge.granted(&Capability::SharedFs) => {
            let judge = judge.id().clone();
            peers = peers
                .into_iter()
                .map(|peer| refer(&mut floor.out, &judge, peer))
                .collect();
            (ExchangeKind::Reference, 0)
        }
        Exchange::Reference => (
            ExchangeKind::Inline,
            anonymity::fit(&mut peers, INLINE_BYTES),
        ),
        Exchange::Inline { max_bytes } => {
            (ExchangeKind::Inline, anonymity::fit(&mut peers, max_bytes))
        }
    };
    floor.ledger.exchanged(used, dropped);
    (peers, dropped)
}

/// Shares a peer as a file and leaves vote and name of the file in the message (seed 003's context budget).
fn refer(out: &mut Vec<Action>, judge: &JudgeId, mut peer: Peer) -> Peer {
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
