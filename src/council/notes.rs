//! Degradations and fallbacks in words: what the report says beside the verdict.

use council_protocol::{FailureKind, RoundNumber, Severity, Vote};

use super::disposition::{FindingCluster, FindingVersion};
use super::evidence::is_about_file;
use super::exchange::CancelCause;
use super::findings::shown_finding;
use super::judges::{JudgeState, SeatIndex};
use super::ledger::BallotRecord;
use super::outcome::{Disposition, VerdictReason};
use super::plan::{ConsensusRule, DebateSubject, Plan};
use super::references::contradictions;
use super::reproduction::{ReproductionResult, ReproductionStanding};
use super::state::DebateState;

/// What is noted where nobody counts: who abstained, and why, is told beside it.
pub const NOBODY_ANSWERED: &str = "no judge gave a usable answer";

/// What stands in the note on tests that broke off; a report has a line for each of them.
pub const TESTS_BROKE_OFF: &str = "ran and did not come to a result";

/// The most characters of one ballot's conditions that are told.
const MAX_CONDITION_CHARS: usize = 300;

/// What was noted on the way, and what can be said only at the end.
pub(super) fn report_notes(state: &DebateState, cut: Option<CancelCause>) -> Vec<String> {
    let mut notes = state.notes.clone();
    notes.extend(missing_judges(state, cut));
    let debated = |judge: &JudgeState| judge.answers.range(RoundNumber::SECOND..).next().is_some();
    if state.begun > 1 && !state.without_verdict() && !state.judges.iter().any(debated) {
        notes.push("no judge answered in round 2: the verdict rests on round 1 alone".into());
    }
    notes.extend(one_vendor(state));
    if state.ledger.dropped > 0 {
        let dropped = state.ledger.dropped;
        notes.push(format!(
            "{dropped} findings did not fit the exchange and were dropped, least severe first"
        ));
    }
    if state.claims.unanswered_count() > 0 && cut.is_none() {
        notes.push(format!(
            "{} quotes were not searched in time",
            state.claims.unanswered_count()
        ));
    }
    notes.extend(empty_document(state));
    notes.extend(held_up_tests(state));
    notes.extend(broken_tests(state));
    notes.extend(missing_ballots(state));
    notes.extend(ballot_conditions(state));
    notes.extend(divided_council(state));
    notes.extend(contradictions(state));
    notes.extend(weak_withdrawals(state));
    notes.extend(rejected_criticals(state));
    notes.extend(open_withdrawals(state));
    notes.extend(lowered_criticals(state));
    notes.extend(lost_votes(state));
    notes.extend(words_beside(state));
    notes.extend(weak_objections(state));
    notes.extend(dropped_objections(state));
    notes.extend(cut.map(|cause| cut_short(&state.plan, state.completed, cause)));
    notes
}

/// A document that was asked for, and handed in empty.
fn empty_document(state: &DebateState) -> Option<String> {
    let synthesis = state.ledger.synthesis.as_ref()?;
    let is_empty = state.ledger.document().is_none();
    is_empty.then(|| {
        let judge = &synthesis.judge;
        format!("the document of {judge} is empty: nothing was written")
    })
}

/// That tests of judges did not run: else nobody sees that `[proof]` is set up in vain, or that a file of the change,
/// a path or a name keeps a proof away.
fn held_up_tests(state: &DebateState) -> Option<String> {
    let is_held_up =
        |result: &ReproductionResult| result.standing() == ReproductionStanding::NotRun;
    tests_without_result(state, is_held_up, "could not be run")
}

/// That tests of judges ran and broke off, mostly by a mistake of their own: nothing is wrong with `[proof]` then.
fn broken_tests(state: &DebateState) -> Option<String> {
    let is_broken = |result: &ReproductionResult| {
        result.is_unsettled() && result.standing() != ReproductionStanding::NotRun
    };
    tests_without_result(state, is_broken, TESTS_BROKE_OFF)
}

/// How many tests of judges say nothing in such a way, with the reason of the first.
fn tests_without_result(
    state: &DebateState,
    is_one: impl Fn(&ReproductionResult) -> bool,
    what: &str,
) -> Option<String> {
    let results = state.reproductions.iter().filter_map(|r| r.result.as_ref());
    let found: Vec<_> = results.filter(|result| is_one(result)).collect();
    let why = found.first()?.obstacle();
    let (count, all) = (found.len(), state.reproductions.len());
    Some(format!(
        "{count} of {all} tests of judges {what}, e.g. because: {why} (`git council show -v` has them)"
    ))
}

/// A council goes on without a judge that failed, and says so.
fn missing_judges(state: &DebateState, cut: Option<CancelCause>) -> Option<String> {
    let missing = state
        .judges
        .seats_where(|j| !j.is_counted() && !j.synthesizer);
    let asked = state.judges.sitting_seats().len();
    if missing.is_empty() || state.begun == 0 {
        return None;
    }
    let silence = cut.map_or("no answer", |cause| VerdictReason::from(cause).silence());
    let why = |&seat: &SeatIndex| {
        let judge = &state.judges[seat];
        let failure = judge
            .failures
            .last()
            .filter(|f| f.failure.kind != FailureKind::Cancelled)
            .map_or(silence.to_owned(), |f| f.failure.in_words());
        let said = judge
            .lost_words()
            .map_or(String::new(), |lost| format!("; {}", lost.describe()));
        format!("{} ({failure}{said})", judge.id())
    };
    let counted = asked - missing.len();
    if counted == 0
        && missing
            .iter()
            .all(|&seat| state.judges[seat].lost_words().is_none())
    {
        // Why each of them abstained, and what to do next, stands in every report beside this note.
        return Some(NOBODY_ANSWERED.to_owned());
    }
    let names: Vec<String> = missing.iter().map(why).collect();
    Some(match counted {
        0 => format!("{NOBODY_ANSWERED}: {}", names.join(", ")),
        _ => format!(
            "{counted} of {asked} judges counted; abstained: {}",
            names.join(", ")
        ),
    })
}

/// Who was asked for its final vote and did not give it: what it said before is all that there is of it. Of whoever gave one
/// that nobody understands, the words are told.
fn missing_ballots(state: &DebateState) -> Option<String> {
    if !state.asks_ballots() {
        return None;
    }
    let cast = &state.ledger.ballots;
    let judges = state.judges.iter().zip(state.positions());
    let silent = judges.filter(|(judge, _)| {
        let counts = judge.is_counted() && !judge.is_deterministic();
        let is_told = judge.lost_objection().is_some();
        counts && !is_told && !cast.iter().any(|record| record.judge == *judge.id())
    });
    let names: Vec<String> = silent
        .filter_map(|(judge, position)| Some((judge, position.counted?)))
        .map(|(judge, stands)| format!("{} ({} stands)", judge.id(), stands.as_str()))
        .collect();
    (!names.is_empty()).then(|| format!("no final ballot came from {}", names.join(", ")))
}

/// Over a change the findings decide: what a ballot asks for beside them is told.
fn ballot_conditions(state: &DebateState) -> Vec<String> {
    if state.plan.options.subject != DebateSubject::Change {
        return Vec::new();
    }
    let asks = |record: &BallotRecord| {
        let said = record.ballot.conditions.join("; ");
        let said: String = said.chars().take(MAX_CONDITION_CHARS).collect();
        (!said.is_empty()).then(|| format!("{} asks for a condition: {said}", record.judge))
    };
    state.ledger.ballots.iter().filter_map(asks).collect()
}

/// A split is a WARN with a divided note.
fn divided_council(state: &DebateState) -> Option<String> {
    let votes: Vec<Vote> = state.positions().iter().filter_map(|p| p.counted).collect();
    let fails = votes.iter().filter(|&&v| v == Vote::Fail).count();
    let split =
        state.plan.consensus == ConsensusRule::Majority && fails > 0 && fails * 2 == votes.len();
    split.then(|| "the council is divided: as many are for it as against it".to_owned())
}

/// Judges of one vendor err alike: two of them count, and the reader is told.
fn one_vendor(state: &DebateState) -> Option<String> {
    let judges = state
        .judges
        .iter()
        .filter(|j| j.is_counted() && !j.is_deterministic());
    let vendors: Vec<&str> = judges
        .map(|j| j.planned.seat.agent.vendor.as_str())
        .collect();
    let agreed = state
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

fn weak_withdrawals(state: &DebateState) -> Vec<String> {
    let mut weak = Vec::new();
    for version in state
        .clusters()
        .iter()
        .flat_map(|c| &c.versions)
        .filter(|v| !v.withdrawn)
    {
        let judge = &state.judges[version.seat];
        let asked = judge
            .answers
            .range(RoundNumber::SECOND..)
            .flat_map(|(_, a)| &a.withdrawn);
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

/// A critical finding of a model that quotes nothing weighs less, and that is said.
fn lowered_criticals(state: &DebateState) -> Vec<String> {
    let clusters = state.clusters();
    let standing = clusters
        .iter()
        .filter(|c| c.disposition() != Disposition::Rejected && c.severity() < Severity::Critical);
    let lowered = standing.filter_map(|cluster| {
        let mut versions = cluster.versions.iter();
        versions.find(|v| v.is_live() && v.finding.severity == Severity::Critical)
    });
    lowered
        .map(|version| {
            format!(
                "{} calls {} critical as a whole: a finding that quotes nothing counts as significant at most",
                state.judges[version.seat].id(),
                version.finding.location.path.display(),
            )
        })
        .collect()
}

/// A judge that was asked again, and then said something milder, or said a significant finding no more.
fn lost_votes(state: &DebateState) -> Vec<String> {
    let judges = state.judges.iter().zip(state.positions());
    let milder = judges.into_iter().filter_map(|(judge, position)| {
        let (lost, counted) = (judge.lost_words()?, position.counted?);
        Some(format!(
            "{}, in an answer that does not count: {}; {} is what counts of it",
            judge.id(),
            lost.describe(),
            counted.as_str()
        ))
    });
    milder.collect()
}

/// What judges wrote beside a PASS: it changes no vote, and is never silent.
fn words_beside(state: &DebateState) -> Option<String> {
    const MAX_CHARS: usize = 240;
    // Where there is no verdict, a vote beside a document means nothing, and neither does what stands beside it.
    if state.plan.options.without_verdict {
        return None;
    }
    let told = state.judges.iter().filter(|judge| !judge.beside.is_empty());
    let told = told.map(|judge| {
        let words: Vec<String> = judge.beside.iter().map(|said| name_field(said)).collect();
        let words = words.join(" / ");
        let mut shown: String = words.chars().take(MAX_CHARS).collect();
        if words.chars().count() > MAX_CHARS {
            shown.push('…');
        }
        format!("{}: {shown}", judge.id())
    });
    let told: Vec<String> = told.collect();
    (!told.is_empty()).then(|| format!("said beside a PASS: {}", told.join("; ")))
}

/// What an answer said, with the field in which it stood in words of people.
fn name_field(said: &str) -> String {
    let is_field = |name: &str| name.bytes().all(|b| b == b'_' || b.is_ascii_alphanumeric());
    match said.split_once(": ") {
        Some(("key_insight", words)) => format!("in sum: {words}"),
        Some(("no_challenge", words)) => format!("why it challenges nothing: {words}"),
        Some((field, words)) if is_field(field) => format!("{}: {words}", field.replace('_', " ")),
        _ => said.to_owned(),
    }
}

/// A judge that voted stricter in between and milder in the end, both without the evidence that it takes.
fn dropped_objections(state: &DebateState) -> Vec<String> {
    let judges = state.judges.iter().zip(state.positions());
    let dropped = judges.into_iter().filter_map(|(judge, position)| {
        let ((round, vote), last) = (position.dropped?, position.last?);
        Some(format!(
            "{} voted {} in round {round} and {} in the end, and named no evidence for either: that bars a PASS",
            judge.id(),
            vote.as_str(),
            last.as_str()
        ))
    });
    dropped.collect()
}

/// A judge that votes stricter in the end, without the evidence that it takes.
fn weak_objections(state: &DebateState) -> Vec<String> {
    let models = state.judges.iter().zip(state.positions());
    let turned = models
        .into_iter()
        .filter(|(judge, _)| !judge.is_deterministic());
    let turned = turned.filter_map(|(judge, position)| {
        let (counted, last) = (position.counted?, position.last?);
        let why = position
            .change
            .map(|change| change.note)
            .unwrap_or_default();
        (last > counted).then(|| {
            format!(
                "{} votes {} in its last answer; {} counts of it: {why}",
                judge.id(),
                last.as_str(),
                counted.as_str()
            )
        })
    });
    turned.collect()
}

/// A critical finding that does not count is told of, with the reason: nothing critical is lost in silence.
fn rejected_criticals(state: &DebateState) -> Vec<String> {
    let clusters = state.clusters();
    let rejected = clusters
        .iter()
        .filter(|c| c.disposition() == Disposition::Rejected);
    let given = |v: &FindingVersion| v.finding.severity;
    let is_critical =
        |c: &&FindingCluster| c.versions.iter().map(given).max() == Some(Severity::Critical);
    let critical = rejected.filter(is_critical);
    let say = |cluster: &FindingCluster| {
        let worst = cluster.versions.iter().max_by_key(|v| given(v))?;
        let why = match &worst.proof {
            council_protocol::Proof::Unverified { reason } if is_about_file(&worst.finding) => {
                format!("it quotes nothing that was reviewed ({reason})")
            }
            council_protocol::Proof::Unverified { reason } => {
                format!("its quote does not hold ({reason})")
            }
            _ => "it was taken back and refuted with evidence, and nobody holds it".to_owned(),
        };
        let whose = raised_by(state, cluster);
        Some(format!(
            "a critical finding of {whose} does not count: {why}"
        ))
    };
    critical.filter_map(say).collect()
}

/// A critical finding that its own judges took back: it stays open, and the reader is told why.
fn open_withdrawals(state: &DebateState) -> Vec<String> {
    let clusters = state.clusters();
    let taken_back = |c: &&FindingCluster| {
        let mut worst = c
            .versions
            .iter()
            .filter(|v| v.severity() == Severity::Critical);
        c.severity() == Severity::Critical
            && c.disposition() != Disposition::Rejected
            && worst.all(|v| v.withdrawn)
    };
    let open = clusters.iter().filter(taken_back);
    open.map(|cluster| {
        let why = match cluster.refuters().len() {
            0 => "but no other judge refuted it with evidence: it stays open",
            _ => "and only one other judge refuted it: it stays open",
        };
        format!(
            "a critical finding of {} was taken back, {why}",
            raised_by(state, cluster)
        )
    })
    .collect()
}

/// Who raised a finding as critical, and where: `judge-1, judge-2 at a.rs:3`.
fn raised_by(state: &DebateState, cluster: &FindingCluster) -> String {
    let is_critical = |v: &&FindingVersion| v.finding.severity == Severity::Critical;
    let versions = || cluster.versions.iter().filter(is_critical);
    let mut judges: Vec<&str> = versions()
        .map(|v| state.judges[v.seat].id().as_str())
        .collect();
    judges.dedup();
    // The place that the report shows: where the quote stands, not where it was said to.
    let shown = shown_finding(cluster).map(|finding| finding.location);
    let place = shown.map(|at| match at.line {
        0 => at.path.display().into_owned(),
        line => format!("{}:{line}", at.path.display()),
    });
    let place = place.filter(|place| !place.is_empty());
    let place = place.map_or(String::new(), |place| format!(" at {place}"));
    format!("{}{place}", judges.join(", "))
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
