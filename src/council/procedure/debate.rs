//! Two rounds of the same live judges (`--debate`).

use std::collections::BTreeSet;

use council_protocol::task::{DebateBranch, Peer, Task};
use council_protocol::{Answer, Capability, JudgeId, RoundNumber, Severity, Vote};

use super::agenda::DebateAgenda;
use super::quick::independent_round;
use super::rules::ProcedureRules;
use crate::anonymity;
use crate::disposition::FindingCluster;
use crate::exchange::Action;
use crate::judges::{Judges, QueuedTask, SeatIndex};
use crate::ledger::ExchangeKind;
use crate::outcome::Disposition;
use crate::plan::{DebateMode, ExchangeMode};
use crate::state::{DebateState, RoundPlan};

/// Bytes of findings in one message where a reference was planned and the judge shares no folder.
const INLINE_BYTES: u64 = 24 << 10;

/// What is noted where no judge takes a second question, whoever finds that out.
pub const CANNOT_BE_ASKED_AGAIN: &str = "no second round: these judges cannot be asked again";

pub(super) struct DebateRules;

impl ProcedureRules for DebateRules {
    fn next_round(&self, state: &mut DebateState) -> Option<RoundPlan> {
        match (state.completed, state.plan.debate) {
            (0, _) => Some(independent_round(state)),
            (1, DebateMode::Auto | DebateMode::Force) => {
                second_round(state, &DebateAgenda::Everything)
            }
            _ => None,
        }
    }

    fn on_answer(
        &self,
        state: &mut DebateState,
        seat: SeatIndex,
        answer: &Answer,
    ) -> Vec<(SeatIndex, QueuedTask)> {
        note_questions(state, seat, answer);
        Vec::new()
    }
}

/// What a judge asks another in R2. There is no round in which it would be answered: the reader is told that, too.
pub(super) fn note_questions(state: &mut DebateState, seat: SeatIndex, answer: &Answer) {
    if state.begun > 1 {
        state.note_challenges(seat, answer);
    }
}

/// Whether `--debate=auto` runs R2: on a split, or on a critical finding that one judge alone holds, or that too few hold
/// for it to be confirmed.
pub(super) fn is_worth_it(state: &DebateState) -> bool {
    let votes = first_votes(&state.judges);
    let is_open = |c: &FindingCluster| {
        let short = c.disposition() == Disposition::Unconfirmed;
        c.severity() == Severity::Critical && (short || c.holders().len() == 1)
    };
    let open = || state.clusters().iter().any(is_open);
    let can_debate = !state.judges.debating_seats().is_empty() || !only_rules(&state.judges);
    votes.len() > 1 && can_debate && (!is_unanimous(&votes) || open())
}

/// Whether nobody sits but rules.
fn only_rules(judges: &Judges) -> bool {
    !judges.iter().any(|j| j.debates)
}

/// R2: everybody who answered R1, can be reached and is asked sees what it wrote itself, then what the others hold.
pub(super) fn second_round(state: &mut DebateState, agenda: &DebateAgenda) -> Option<RoundPlan> {
    let debaters = state.judges.debating_seats();
    if let Some(obstacle) = debate_obstacle(&state.judges, &debaters) {
        state.add_note(obstacle);
        return None;
    }
    let asked: Vec<SeatIndex> = debaters
        .iter()
        .copied()
        .filter(|&seat| agenda.asks(seat))
        .collect();
    if asked.is_empty() {
        state.add_log("R2 did not run: the votes differ, and no finding is left to decide.");
        return None;
    }
    let branch = debate_branch(state);
    state.branch = Some(branch);
    note_absentees(state, &debaters);
    for seat in debaters.into_iter().filter(|&seat| !agenda.asks(seat)) {
        let id = state.judges[seat].id().clone();
        state.add_log(format!(
            "Judge {id} R2 -- nothing is open for it; its R1 counts."
        ));
    }
    let timeout_ms = state.plan.timeouts.r2_ms;
    let asks = asked.into_iter().map(|seat| {
        let task = debate_task(state, seat, branch, agenda);
        (seat, vec![QueuedTask::new(task)])
    });
    Some(RoundPlan::at_once(asks.collect(), timeout_ms))
}

/// Why R2 cannot run.
pub(super) fn debate_obstacle(judges: &Judges, debaters: &[SeatIndex]) -> Option<&'static str> {
    if only_rules(judges) {
        Some("no second round: built-in rules cannot answer each other")
    } else if judges.counted_seats().len() < 2 {
        Some("no second round: fewer than two judges answered in the first one")
    } else if !judges.iter().any(|j| j.debates && j.can_be_messaged()) {
        Some(CANNOT_BE_ASKED_AGAIN)
    } else if debaters.is_empty() {
        Some("no second round: no judge that answered in the first one is left to be asked again")
    } else {
        None
    }
}

/// Says whose R1 counts beside the others' R2, and why.
pub(super) fn note_absentees(state: &mut DebateState, debaters: &[SeatIndex]) {
    for seat in state.judges.counted_seats() {
        let judge = &state.judges[seat];
        if !judge.debates {
            continue;
        }
        if debaters.contains(&seat) {
            // The economy mode is made of fresh briefings: it is not degraded by them.
            if !judge.has_capability(&Capability::Message) && !state.plan.options.economy {
                let id = judge.id().clone();
                state.add_note(format!(
                    "{id} was briefed afresh for round 2 (degraded: it cannot be asked a second time)"
                ));
            }
            continue;
        }
        let why = if judge.can_be_messaged() {
            "since it is gone"
        } else {
            "since it cannot be asked a second time"
        };
        let id = judge.id().clone();
        state.add_note(format!(
            "{id} answered in round 1 only, {why}: that answer counts beside the others' second ones"
        ));
    }
}

/// `agreed` when all votes are the same; `disagreed` also when equal FAILs rest on disjoint findings.
pub(super) fn debate_branch(state: &DebateState) -> DebateBranch {
    let votes = first_votes(&state.judges);
    let disjoint = || {
        let shared = |seats: BTreeSet<SeatIndex>| seats.len() > 1;
        !state
            .clusters()
            .iter()
            .any(|c| shared(c.versions.iter().map(|v| v.seat).collect()))
    };
    let fail = votes.contains(&Vote::Fail);
    if is_unanimous(&votes) && !(fail && disjoint()) {
        DebateBranch::Agreed
    } else {
        DebateBranch::Disagreed
    }
}

fn first_votes(judges: &Judges) -> Vec<Vote> {
    judges.iter().filter_map(|j| j.first_vote()).collect()
}

fn is_unanimous(votes: &[Vote]) -> bool {
    votes.windows(2).all(|pair| pair[0] == pair[1])
}

/// What one judge is sent in R2.
fn debate_task(
    state: &mut DebateState,
    seat: SeatIndex,
    branch: DebateBranch,
    agenda: &DebateAgenda,
) -> Task {
    let shown = exchange_peers(state, seat, RoundNumber::SECOND, agenda);
    let framing = state.framing();
    Task::Debate {
        restatement: own_position(state, seat),
        branch,
        peers: shown.peers,
        dropped: shown.dropped,
        settled: shown.settled,
        framing,
        suites: state.proof_suites(seat),
    }
}

/// What a judge wrote of its position before it saw anybody else's; where it wrote none, the sentence that carried its
/// vote.
fn own_position(state: &DebateState, seat: SeatIndex) -> String {
    let judge = &state.judges[seat];
    let insight = || {
        judge
            .answers
            .get(&RoundNumber::FIRST)
            .map(|a| a.key_insight.clone())
    };
    judge
        .restatement
        .clone()
        .or_else(insight)
        .unwrap_or_default()
}

/// What a judge is shown of the others.
pub(super) struct ShownPeers {
    pub(super) peers: Vec<Peer>,
    /// Findings that did not fit.
    pub(super) dropped: u32,
    /// Findings about which nothing is left to decide.
    pub(super) settled: u32,
}

/// The others as `seat` sees them in a round, by reference or inline.
pub(super) fn exchange_peers(
    state: &mut DebateState,
    seat: SeatIndex,
    round: RoundNumber,
    agenda: &DebateAgenda,
) -> ShownPeers {
    let order = anonymity::peer_order(&state.plan.seed, &state.judges, seat);
    let mut peers = anonymity::collect_peers(&state.judges, &order, round);
    let settled = agenda.keep_debated(&order, &mut peers);
    state.judges[seat].peers.insert(round, order);
    let judge = &state.judges[seat];
    let (used, dropped) = match state.plan.exchange {
        ExchangeMode::Reference if judge.has_capability(&Capability::SharedFs) => {
            let judge = judge.id().clone();
            peers = peers
                .into_iter()
                .map(|peer| share_peer(&mut state.out, &judge, peer))
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
    state.ledger.note_exchange(used, dropped);
    ShownPeers {
        peers,
        dropped,
        settled,
    }
}

/// Shares a peer as a file and leaves vote and name of the file in the message, so that a long exchange does
/// not fill the judge's context.
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
