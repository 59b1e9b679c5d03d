//! From everything that was said to the outcome.

use std::collections::{BTreeMap, BTreeSet};

use council_protocol::answer::Stance;
use council_protocol::coverage::FileCoverage;
use council_protocol::{Coverage, CoverageState, Severity, Vote};

use super::bench::{Chair, Judge};
use super::consensus::{Case, Standing, judge, level};
use super::disposition::{Cluster, Version};
use super::exchange::CancelCause;
use super::fingerprint::fingerprint;
use super::floor::Floor;
use super::outcome::{
    Disagreement, DisagreementKind, Disposition, JudgeRecord, JudgedFinding, Member, Opinion,
    Outcome, Reason, Verdict,
};
use super::plan::{Plan, Procedure};
use super::position::{Position, converged, position};

/// Why there is nothing to review, when there is nothing: no changed file, or none that trusted globs leave.
pub(super) fn nothing_to_review(floor: &Floor) -> Option<Reason> {
    let coverage = &floor.plan.seats.first()?.coverage;
    let skipped = |f: &FileCoverage| matches!(f.state, CoverageState::Skipped { .. });
    if coverage.files.is_empty() {
        Some(Reason::NothingToReview)
    } else if coverage.files.iter().all(skipped) {
        Some(Reason::AllSkipped)
    } else {
        None
    }
}

/// The outcome of a council whose rounds are over, or were cut short.
pub(super) fn outcome(floor: &Floor, cut: Option<CancelCause>) -> Outcome {
    let chairs = 0..floor.bench.judges.len();
    let positions: Vec<Position> = chairs
        .map(|c| position(&floor.bench, c, &floor.claims))
        .collect();
    let findings = findings(floor);
    let coverage = coverage(floor);
    let (verdict, reason) = decide(floor, cut, &positions, &findings, &coverage);
    Outcome {
        verdict,
        reason,
        procedure: procedure(floor),
        consensus: floor.plan.consensus,
        rounds: floor.begun,
        counted: count(floor.bench.counted().len()),
        quorum: floor.plan.quorum.max(1),
        branch: floor.branch,
        converged: floor.begun > 1 && converged(&counted(&positions)),
        disagreements: disagreements(floor, &positions, &findings),
        findings,
        judges: floor
            .bench
            .judges
            .iter()
            .zip(&positions)
            .map(|(j, p)| record(j, p))
            .collect(),
        challenges: floor.challenges.clone(),
        ledger: floor.ledger.clone(),
        coverage,
        notes: notes(floor, cut),
    }
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

fn counted(positions: &[Position]) -> Vec<Position> {
    positions
        .iter()
        .filter(|p| p.counted.is_some())
        .cloned()
        .collect()
}

/// A debate that stayed at one round ran as a review.
fn procedure(floor: &Floor) -> Procedure {
    match floor.plan.procedure {
        Procedure::Debate if floor.begun < 2 => Procedure::Review,
        procedure => procedure,
    }
}

/// What a quorum saw; where nobody counts, nobody saw anything.
fn coverage(floor: &Floor) -> Coverage {
    let Some(first) = floor.plan.seats.first() else {
        return Coverage::default();
    };
    if !floor.bench.counted().is_empty() || nothing_to_review(floor).is_some() {
        let seen = floor.coverage();
        return if seen.files.is_empty() {
            (*first.coverage).clone()
        } else {
            seen
        };
    }
    let unseen = |f: &FileCoverage| {
        let state = match &f.state {
            CoverageState::Skipped { reason } => CoverageState::Skipped {
                reason: reason.clone(),
            },
            _ => CoverageState::Unreadable {
                reason: "no judge gave an answer".into(),
            },
        };
        FileCoverage {
            path: f.path.clone(),
            state,
        }
    };
    Coverage {
        files: first.coverage.files.iter().map(unseen).collect(),
    }
}

/// The verdict. A run that was cut short cannot be green; a FAIL that stands on a completed R1 stays one.
fn decide(
    floor: &Floor,
    cut: Option<CancelCause>,
    positions: &[Position],
    findings: &[JudgedFinding],
    coverage: &Coverage,
) -> (Verdict, Reason) {
    let change = floor.plan.options.subject == super::plan::Subject::Change;
    if let Some(reason) = nothing_to_review(floor).filter(|_| change) {
        return (Verdict::Skipped, reason);
    }
    let standing = |f: &JudgedFinding| Standing {
        severity: f.finding.severity,
        disposition: f.disposition,
    };
    let findings: Vec<Standing> = findings.iter().map(standing).collect();
    let votes: Vec<Vote> = positions.iter().filter_map(|p| p.counted).collect();
    let case = Case {
        findings: &findings,
        votes: &votes,
        counted: votes.len(),
        quorum: floor.plan.quorum as usize,
        covered: coverage.is_complete(),
        checked: floor.claims.unanswered() == 0,
    };
    let (verdict, reason) = judge(floor.plan.consensus, floor.plan.policy, &case);
    match cut {
        Some(cause) if verdict != Verdict::Fail || floor.completed == 0 => {
            (Verdict::Inconclusive, because(cause))
        }
        _ => (verdict, reason),
    }
}

fn because(cause: CancelCause) -> Reason {
    match cause {
        CancelCause::Interrupted => Reason::Interrupted,
        CancelCause::Deadline => Reason::Deadline,
        CancelCause::BackendLost => Reason::BackendLost,
    }
}

/// The findings as they are reported: worst first, then path and line; rejected ones last.
fn findings(floor: &Floor) -> Vec<JudgedFinding> {
    let clusters = floor.clusters();
    let mut judged: Vec<(JudgedFinding, &str)> =
        clusters.iter().filter_map(|c| judged(floor, c)).collect();
    judged.sort_by(|(a, _), (b, _)| rank(a).cmp(&rank(b)));
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let name = |(index, (mut finding, context)): (usize, (JudgedFinding, &str))| {
        let same = fingerprint(&finding.finding, context, 0);
        let nth = seen.entry(same).and_modify(|n| *n += 1).or_insert(0);
        finding.fingerprint = fingerprint(&finding.finding, context, *nth);
        finding.id = format!("F{}", index + 1);
        finding
    };
    judged.into_iter().enumerate().map(name).collect()
}

fn rank(finding: &JudgedFinding) -> impl Ord {
    let place = finding.finding.location.clone();
    (
        std::cmp::Reverse((finding.level, finding.finding.severity)),
        (finding.disposition, place.path, place.line, place.end_line),
        (
            finding.finding.description.clone(),
            finding.finding.quote.clone(),
            finding.finding.category.clone(),
        ),
    )
}

/// A cluster as a finding of the report, with the context of the version that is shown.
fn judged<'a>(floor: &Floor, cluster: &'a Cluster) -> Option<(JudgedFinding, &'a str)> {
    let shown = shown(cluster)?;
    let disposition = cluster.disposition();
    let mut finding = shown.finding.clone();
    if let council_protocol::Proof::Relocated { line } = shown.proof {
        let length = finding
            .location
            .end_line
            .map(|end| end.saturating_sub(finding.location.line));
        finding.location.line = line;
        finding.location.end_line = length.map(|l| line.saturating_add(l));
    }
    let severity = cluster.severity();
    let judge_of = |chair: Chair| floor.bench.judges[chair].id().clone();
    let member = |v: &Version| Member {
        judge: judge_of(v.chair),
        round: v.round,
        finding: v.finding.clone(),
        proof: v.proof.clone(),
        withdrawn: v.withdrawn,
    };
    let finding = JudgedFinding {
        id: String::new(),
        fingerprint: String::new(),
        finding,
        disposition,
        level: level(
            Standing {
                severity,
                disposition,
            },
            floor.plan.policy,
        ),
        members: cluster.versions.iter().map(member).collect(),
        opinions: opinions(cluster),
    };
    Some((finding, &shown.context))
}

/// The version that is shown: the worst that stands, else the worst; ties fall to the text, never to the seat.
fn shown(cluster: &Cluster) -> Option<&Version> {
    cluster.versions.iter().min_by_key(|v| {
        let f = &v.finding;
        let bad = std::cmp::Reverse((v.lives(), f.severity));
        (
            bad,
            v.round,
            &f.location,
            &f.rule,
            &f.category,
            &f.description,
            &f.quote,
        )
    })
}

fn opinions(cluster: &Cluster) -> Vec<Opinion> {
    cluster
        .versions
        .iter()
        .flat_map(|v| v.opinions.values())
        .map(|v| v.opinion.clone())
        .collect()
}

fn record(judge: &Judge, position: &Position) -> JudgeRecord {
    let last = judge.answers.values().next_back();
    let later = judge.answers.range(2..);
    JudgeRecord {
        seat: judge.planned.seat.clone(),
        grant: judge.planned.grant.clone(),
        started: judge.started,
        r1: position.first,
        r2: position.last,
        counted: position.counted,
        confidence: last.map(|a| a.confidence),
        key_insight: last.map(|a| a.key_insight.clone()).unwrap_or_default(),
        recommendation: last.map(|a| a.recommendation.clone()).unwrap_or_default(),
        restatement: judge.restatement.clone(),
        steel_man: later.rev().find_map(|(_, a)| a.steel_man.clone()),
        change: position.change.clone(),
        failures: judge.failures.clone(),
        ending: judge.ending,
        usage: judge.usage.clone(),
        answered_ms: judge.answered_ms,
    }
}

/// What no rule may average away, with both positions (3-debate.md: a flag beside the verdict).
fn disagreements(
    floor: &Floor,
    positions: &[Position],
    findings: &[JudgedFinding],
) -> Vec<Disagreement> {
    let mut all: Vec<Disagreement> = cross_vendor(floor, positions).into_iter().collect();
    for finding in findings {
        let open = matches!(
            finding.disposition,
            Disposition::Contested | Disposition::Unproven
        );
        let kind = match finding.finding.severity {
            Severity::Critical => DisagreementKind::Critical,
            Severity::Significant => DisagreementKind::Significant,
            Severity::Minor => continue,
        };
        if open {
            all.push(Disagreement {
                kind,
                finding: Some(finding.id.clone()),
                positions: sides(finding),
            });
        }
    }
    all
}

/// Who holds a finding and what the others said, one line each.
fn sides(finding: &JudgedFinding) -> Vec<String> {
    let holders: BTreeSet<&str> = finding.members.iter().map(|m| m.judge.as_str()).collect();
    let mut sides: Vec<String> = holders
        .iter()
        .map(|judge| format!("{judge} holds it"))
        .collect();
    for opinion in &finding.opinions {
        let stance = match opinion.stance {
            Stance::Agreed => "agrees",
            Stance::PartiallyAgreed => "agrees in part",
            Stance::Disagreed => "disagrees",
        };
        sides.push(format!("{} {stance}: {}", opinion.judge, opinion.reasoning));
    }
    if finding.opinions.is_empty() {
        sides.push("nobody else checked it".into());
    }
    sides
}

/// One vendor's judges PASS what another's FAIL (councils.md 9.1, "AO cross-vendor").
fn cross_vendor(floor: &Floor, positions: &[Position]) -> Option<Disagreement> {
    let mut vendors: BTreeMap<&str, Vec<(Vote, &str)>> = BTreeMap::new();
    for (judge, position) in floor.bench.judges.iter().zip(positions) {
        if let Some(vote) = position.counted {
            let vendor = judge.planned.seat.agent.vendor.as_str();
            vendors
                .entry(vendor)
                .or_default()
                .push((vote, judge.id().as_str()));
        }
    }
    let worst: BTreeMap<&str, Vote> = vendors
        .iter()
        .filter_map(|(v, votes)| votes.iter().map(|(vote, _)| *vote).max().map(|m| (*v, m)))
        .collect();
    let split =
        worst.values().any(|v| *v == Vote::Pass) && worst.values().any(|v| *v == Vote::Fail);
    let position = |(vendor, vote): (&&str, &Vote)| {
        let judges: Vec<&str> = vendors
            .get(vendor)
            .into_iter()
            .flatten()
            .map(|(_, judge)| *judge)
            .collect();
        format!("{vendor}: {} ({})", vote.word(), judges.join(", "))
    };
    split.then(|| Disagreement {
        kind: DisagreementKind::CrossVendor,
        finding: None,
        positions: worst.iter().map(position).collect(),
    })
}

/// What was noted on the way, and what can be said only at the end.
fn notes(floor: &Floor, cut: Option<CancelCause>) -> Vec<String> {
    let mut notes = floor.notes.clone();
    notes.extend(missing(floor));
    let debated = |judge: &Judge| judge.answers.range(2..).next().is_some();
    if floor.begun > 1 && !floor.bench.judges.iter().any(debated) {
        notes.push("no judge answered R2: the verdict rests on R1 alone".into());
    }
    notes.extend(one_vendor(floor));
    if floor.ledger.dropped > 0 {
        let dropped = floor.ledger.dropped;
        notes.push(format!(
            "{dropped} findings did not fit the exchange and were dropped, least severe first"
        ));
    }
    if floor.claims.unanswered() > 0 && cut.is_none() {
        notes.push(format!(
            "{} quotes were not searched in time",
            floor.claims.unanswered()
        ));
    }
    notes.extend(weak_withdrawals(floor));
    notes.extend(cut.map(|cause| cut_short(&floor.plan, floor.completed, cause)));
    notes
}

/// Seed 003: proceed with N-1, and say so.
fn missing(floor: &Floor) -> Option<String> {
    let missing = floor.bench.chairs(|j| !j.counts());
    let asked = floor.bench.judges.len();
    if missing.is_empty() || floor.begun == 0 {
        return None;
    }
    let why = |&chair: &Chair| {
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

/// Judges of one vendor err alike (councils.md 7, finding 14): two of them count, and the reader is told.
fn one_vendor(floor: &Floor) -> Option<String> {
    let judges = floor
        .bench
        .judges
        .iter()
        .filter(|j| j.counts() && !j.deterministic());
    let vendors: Vec<&str> = judges
        .map(|j| j.planned.seat.agent.vendor.as_str())
        .collect();
    let agreed = floor
        .clusters()
        .iter()
        .any(|c| c.disposition() == Disposition::Carried && c.holders().len() > 1);
    let same = vendors.len() > 1 && vendors.windows(2).all(|pair| pair[0] == pair[1]) && agreed;
    same.then(|| {
        format!(
            "all models are of one vendor ({}): their agreement is weaker than it looks",
            vendors[0]
        )
    })
}

fn weak_withdrawals(floor: &Floor) -> Vec<String> {
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
