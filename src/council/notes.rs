//! Degradations and fallbacks in words: what the report says beside the verdict.

use council_protocol::Vote;

use super::bench::{JudgeState, SeatIndex};
use super::exchange::CancelCause;
use super::floor::DebateState;
use super::outcome::Disposition;
use super::plan::{ConsensusRule, Plan};

/// What was noted on the way, and what can be said only at the end.
pub(super) fn report_notes(floor: &DebateState, cut: Option<CancelCause>) -> Vec<String> {
    let mut notes = floor.notes.clone();
    notes.extend(missing_judges(floor));
    let debated = |judge: &JudgeState| judge.answers.range(2..).next().is_some();
    if floor.begun > 1 && !floor.without_verdict() && !floor.bench.judges.iter().any(debated) {
        notes.push("no judge answered R2: the verdict rests on R1 alone".into());
    }
    notes.extend(one_vendor(floor));
    if floor.ledger.dropped > 0 {
        let dropped = floor.ledger.dropped;
        notes.push(format!(
            "{dropped} findings did not fit the exchange and were dropped, least severe first"
        ));
    }
    if floor.claims.unanswered_count() > 0 && cut.is_none() {
        notes.push(format!(
            "{} quotes were not searched in time",
            floor.claims.unanswered_count()
        ));
    }
    notes.extend(divided_council(floor));
    notes.extend(weak_withdrawals(floor));
    notes.extend(cut.map(|cause| cut_short(&floor.plan, floor.completed, cause)));
    notes
}

/// Seed 003: proceed with N-1, and say so.
fn missing_judges(floor: &DebateState) -> Option<String> {
    let missing = floor
        .bench
        .seats_where(|j| !j.is_counted() && !j.synthesizer);
    let asked = floor.bench.sitting_seats().len();
    if missing.is_empty() || floor.begun == 0 {
        return None;
    }
    let why = |&chair: &SeatIndex| {
        let judge = &floor.bench.judges[chair];
        let failure = judge
            .failures
            .last()
            .map_or("no answer".into(), |f| f.failure.to_string());
        format!("{} ({failure})", judge.id())
    };
    let names: Vec<String> = missing.iter().map(why).collect();
    let counted = asked - missing.len();
    Some(match counted {
        0 => format!(
            "no judge gave a usable answer: {}; run it again",
            names.join(", ")
        ),
        _ => format!(
            "{counted} of {asked} judges counted; abstained: {}",
            names.join(", ")
        ),
    })
}

/// Seed 001: a split is a WARN with a divided note.
fn divided_council(floor: &DebateState) -> Option<String> {
    let votes: Vec<Vote> = floor.positions().iter().filter_map(|p| p.counted).collect();
    let fails = votes.iter().filter(|&&v| v == Vote::Fail).count();
    let split =
        floor.plan.consensus == ConsensusRule::Majority && fails > 0 && fails * 2 == votes.len();
    split.then(|| "the council is divided: as many are for it as against it".to_owned())
}

/// Judges of one vendor err alike (councils.md 7, finding 14): two of them count, and the reader is told.
fn one_vendor(floor: &DebateState) -> Option<String> {
    let judges = floor
        .bench
        .judges
        .iter()
        .filter(|j| j.is_counted() && !j.is_deterministic());
    let vendors: Vec<&str> = judges
        .map(|j| j.planned.seat.agent.vendor.as_str())
        .collect();
    let agreed = floor
        .clusters()
        .iter()
        .any(|c| c.disposition() == Disposition::Confirmed && c.holders().len() > 1);
    let same = vendors.len() > 1 && vendors.windows(2).all(|pair| pair[0] == pair[1]) && agreed;
    same.then(|| {
        format!(
            "all models are of one vendor ({}): their agreement is weaker than it looks",
            vendors[0]
        )
    })
}

fn weak_withdrawals(floor: &DebateState) -> Vec<String> {
    let mut weak = Vec::new();
    for version in floor
        .clusters()
        .iter()
        .flat_map(|c| &c.versions)
        .filter(|v| !v.withdrawn)
    {
        let judge = &floor.bench.judges[version.chair];
        let asked = judge.answers.range(2..).flat_map(|(_, a)| &a.withdrawn);
        if asked
            .into_iter()
            .any(|w| w.finding as usize == version.number)
        {
            let path = version.finding.location.path.display().into_owned();
            weak.push(format!(
                "{} took back its finding at {path}:{} without evidence that holds: it stands",
                judge.id(),
                version.finding.location.line
            ));
        }
    }
    weak
}

fn cut_short(plan: &Plan, completed: u8, cause: CancelCause) -> String {
    let how = match cause {
        CancelCause::Interrupted => "it was interrupted".to_owned(),
        CancelCause::Deadline => match plan.timeouts.run_ms {
            Some(ms) => format!("its time of {} s was over", ms / 1_000),
            None => "its time was over".to_owned(),
        },
        CancelCause::BackendLost => "the backend broke down".to_owned(),
    };
    format!("INCOMPLETE: {how} after {completed} completed rounds")
}
