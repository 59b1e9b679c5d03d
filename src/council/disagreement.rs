//! Disagreements: flags beside the verdict, with both positions.

use std::collections::{BTreeMap, BTreeSet};

use council_protocol::answer::Stance;
use council_protocol::{Severity, Vote};

use super::outcome::{Disagreement, DisagreementKind, Disposition, JudgedFinding};
use super::position::JudgePosition;
use super::state::DebateState;

/// What no rule may average away, with both positions: a flag beside the verdict, never another word of it.
pub(super) fn find_disagreements(
    state: &DebateState,
    positions: &[JudgePosition],
    findings: &[JudgedFinding],
) -> Vec<Disagreement> {
    let mut all: Vec<Disagreement> = cross_vendor(state, positions).into_iter().collect();
    for finding in findings.iter().filter(|f| f.dismissed.is_none()) {
        let open = matches!(
            finding.disposition,
            Disposition::Disputed | Disposition::Unconfirmed
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
                positions: describe_sides(finding),
            });
        }
    }
    all
}

/// Who holds a finding and what the others said, one line each.
fn describe_sides(finding: &JudgedFinding) -> Vec<String> {
    let named = |taken_back: bool| -> BTreeSet<&str> {
        let members = finding.members.iter();
        let meant = members.filter(|member| member.withdrawn == taken_back);
        meant.map(|member| member.judge.as_str()).collect()
    };
    let (holders, gone) = (named(false), named(true));
    let holds = holders.iter().map(|judge| format!("{judge} holds it"));
    let left = gone.difference(&holders);
    let mut sides: Vec<String> = holds
        .chain(left.map(|judge| format!("{judge} took it back")))
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

/// One vendor's judges PASS what another's FAIL.
fn cross_vendor(state: &DebateState, positions: &[JudgePosition]) -> Option<Disagreement> {
    let mut vendors: BTreeMap<&str, Vec<(Vote, &str)>> = BTreeMap::new();
    for (judge, position) in state.judges.iter().zip(positions) {
        // Rules read nothing: what they pass, they have no opinion of.
        if let Some(vote) = position.counted.filter(|_| !judge.is_deterministic()) {
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
        format!("{vendor}: {} ({})", vote.as_str(), judges.join(", "))
    };
    split.then(|| Disagreement {
        kind: DisagreementKind::CrossVendor,
        finding: None,
        positions: worst.iter().map(position).collect(),
    })
}
