//! What two reviews said of one problem, weighed as one review that heard all of it would.

use std::collections::{BTreeMap, BTreeSet};

use council_protocol::answer::Stance;
use council_protocol::{Finding, JudgeId, Proof, Severity};

use super::cluster::{ComparedFinding, group_findings};
use super::judges::SeatIndex;
use super::like_words::is_alike;
use super::outcome::{Disposition, FindingMember, JudgedFinding, Opinion, StandingVote};
use super::readings::is_milder_view;
use super::same_problem::is_one_finding;
use super::support::{JudgeStake, SupportKind, dispose_among, dispose_rule};

/// Joins an earlier finding with the one of now that raises it again, and weighs what all of them said: as bad as the worst of
/// those who have not taken it back, and no less certain than it was, unless somebody speaks against it now. A refutation of
/// what is told now is one voice, and strikes out nobody who held it before.
pub(super) fn join_reviews(
    new: &mut JudgedFinding,
    old: &JudgedFinding,
    is_refuted: bool,
    models: usize,
) {
    let said = new.finding.severity;
    let held = match is_refuted {
        true => held_severity(new, old),
        false => Some(old.finding.severity),
    };
    let severity = held.map_or(said, |held| held.max(said));
    let before = (held == Some(severity) && !is_refuted).then_some(old);
    let now = (said == severity).then_some((new.disposition, new.disputed_by_test));
    let is_refuted_before = join_voices(new, old);
    new.finding.severity = severity;
    let was = before.map(|old| (old.disposition, old.disputed_by_test));
    let stricter = was
        .into_iter()
        .chain(now)
        .min_by_key(|(known, _)| rank(*known));
    let disposed = disposition_of(new, models);
    let is_doubted = is_refuted_before && was.is_none_or(|(was, _)| was != Disposition::Confirmed);
    let (disposition, by_test) = match stricter {
        _ if disposed == Disposition::Confirmed => (disposed, false),
        _ if is_refuted || is_doubted => (Disposition::Disputed, false),
        Some(known) => known,
        None => (disposed, false),
    };
    let is_earlier = severity != said || now.is_none_or(|(now, _)| now != disposition);
    (new.disposition, new.disputed_by_test) = (disposition, by_test);
    if is_earlier {
        new.since.clone_from(&old.since);
    }
}

/// The order of dispositions from the most certain.
fn rank(disposition: Disposition) -> u8 {
    match disposition {
        Disposition::Confirmed => 0,
        Disposition::Unconfirmed => 1,
        Disposition::Disputed => 2,
        Disposition::Rejected => 3,
    }
}

/// How bad an earlier finding is to those who held it and have not taken it back now; none: nobody is left.
fn held_severity(new: &JudgedFinding, old: &JudgedFinding) -> Option<Severity> {
    let shown = old.finding.severity;
    let takes_back = |held: &FindingMember| {
        let own = || new.members.iter().filter(|now| now.judge == held.judge);
        own().all(|now| now.withdrawn)
            && own().any(|now| is_one_finding(&now.finding, &held.finding))
    };
    let left = old.holding_members().filter(|held| !takes_back(held));
    let left: Vec<Severity> = left.map(|held| held.finding.severity).collect();
    // It weighs what it did from the start, though nobody of the last review called it so bad.
    let mut standing = old.members.iter().filter(|held| held.stands());
    let is_said = standing.any(|held| held.finding.severity >= shown);
    match left.iter().max() {
        Some(worst) if is_said => Some(*worst),
        None if old.holding_members().next().is_some() => None,
        _ => Some(shown),
    }
}

/// Adds who held a finding before, and what others said of it, where they say nothing of it now; whether one of those refutes
/// it. Of two reviews one judge may see it in the first and another one in the second: both have found it.
fn join_voices(new: &mut JudgedFinding, old: &JudgedFinding) -> bool {
    let is_member = |judge: &JudgeId| new.members.iter().any(|now| now.judge == *judge);
    let speaks =
        |judge: &JudgeId| is_member(judge) || new.opinions.iter().any(|now| now.judge == *judge);
    // With evidence it is a voice against it, and weighed as one.
    let drops = |judge: &JudgeId| {
        let mut own = new.opinions.iter().filter(|now| now.judge == *judge);
        own.any(|now| now.stance == Stance::Disagreed && !now.resolves)
    };
    // Who calls it milder now has not taken back what it called it before.
    let is_said = |held: &FindingMember| {
        let own = || new.members.iter().filter(|now| now.judge == held.judge);
        own().any(|now| now.finding.severity >= held.finding.severity)
            || is_member(&held.judge) && own().all(|now| now.withdrawn)
    };
    let goes_on = |held: &&FindingMember| !is_said(held) && !drops(&held.judge);
    let members: Vec<_> = standing_of_models(old).filter(goes_on).cloned().collect();
    // Who refuted a milder claim of the place in other words, or one that fewer hold, has said nothing of this one.
    let weight = |one: &JudgedFinding| (one.finding.severity, standing_of_models(one).count());
    let is_other =
        weight(old) < weight(new) && !is_alike(&old.finding.description, &new.finding.description);
    let counts = |said: &&Opinion| !(speaks(&said.judge) || is_other && refutes(said));
    let opinions = old.opinions.iter().filter(counts);
    let opinions: Vec<_> = opinions.cloned().collect();
    let is_refuted = opinions.iter().any(refutes);
    new.members.extend(members);
    new.opinions.extend(opinions);
    is_refuted
}

/// The votes of an earlier review beside a finding that is raised again, of those who say nothing of it now.
pub(super) fn votes_unsaid(new: &JudgedFinding, old: &JudgedFinding) -> Vec<StandingVote> {
    let speaks = |judge: &JudgeId| {
        let opinions = new.opinions.iter().map(|said| &said.judge);
        let mut spoken = new.members.iter().map(|held| &held.judge).chain(opinions);
        spoken.any(|spoken| spoken == judge)
    };
    let votes = old.standing_votes.iter();
    votes.filter(|one| !speaks(&one.judge)).cloned().collect()
}

fn is_of_model(member: &FindingMember) -> bool {
    member.finding.rule.is_none()
}

pub(super) fn refutes(said: &Opinion) -> bool {
    said.stance == Stance::Disagreed && said.resolves
}

/// What a finding is by all that was said of it.
fn disposition_of(found: &JudgedFinding, models: usize) -> Disposition {
    let stakes = stakes_of(&[found], found.finding.severity);
    match found.finding.rule {
        Some(_) => dispose_rule(&stakes),
        None => dispose_among(&stakes, models),
    }
}

/// What models have to do with findings of one place, the worst of which is as bad as this. Who agreed has looked at least at
/// their place.
fn stakes_of(found: &[&JudgedFinding], worst: Severity) -> Vec<JudgeStake> {
    let mut stakes: BTreeMap<&JudgeId, JudgeStake> = BTreeMap::new();
    let mut add = |judge, support: Option<SupportKind>, refutes: bool| {
        let stake = stakes.entry(judge).or_default();
        stake.support = stake.support.max(support);
        stake.refutes |= refutes;
    };
    let is_meant = |version: &Finding| !is_beside(found, version, worst);
    let standing = found.iter().flat_map(|one| standing_of_models(one));
    for held in standing.filter(|held| is_meant(&held.finding)) {
        add(&held.judge, Some(SupportKind::Found), false);
    }
    for one in found.iter().filter(|one| is_meant(&one.finding)) {
        for said in &one.opinions {
            let support = match said.stance {
                Stance::Agreed if said.resolves => Some(support_kind(said, &one.finding)),
                Stance::Agreed | Stance::PartiallyAgreed => Some(SupportKind::Joined),
                Stance::Disagreed => None,
            };
            // Who refutes a milder claim of the place has said nothing of the worst.
            add(
                &said.judge,
                support,
                refutes(said) && one.finding.severity >= worst,
            );
        }
    }
    stakes.into_values().collect()
}

/// What evidence of an agreement is worth, of which only its file is known: lines have moved since.
fn support_kind(said: &Opinion, finding: &Finding) -> SupportKind {
    let path = &finding.location.path;
    match &said.evidence {
        Some(evidence) if evidence.path != *path => SupportKind::OtherPlace,
        _ => SupportKind::SamePlace,
    }
}

/// The versions of models that still stand.
fn standing_of_models(found: &JudgedFinding) -> impl Iterator<Item = &FindingMember> {
    let members = found.members.iter();
    members.filter(|held| held.stands() && is_of_model(held))
}

/// Whether somebody says something else than the worst of a place: another, milder problem. Where nobody
/// says now what it was said to be, nobody does.
fn is_beside(found: &[&JudgedFinding], version: &Finding, worst: Severity) -> bool {
    let said = found.iter().flat_map(|one| standing_of_models(one));
    let said = said
        .map(|held| &held.finding)
        .filter(|said| said.severity >= worst);
    let said: Vec<&Finding> = said.collect();
    version.severity < worst
        && !said.is_empty()
        && !said.iter().any(|one| is_milder_view(one, version))
}

/// Confirms what models found in one place of the same code in different reviews, in whatever words: in one review it would
/// have been one finding. Each is told by itself, since nobody knows whether they mean one problem.
pub(super) fn confirm_together(
    found: &mut [JudgedFinding],
    kept: &mut [JudgedFinding],
    models: usize,
) {
    let now = found.len();
    let mut all: Vec<&mut JudgedFinding> = found.iter_mut().chain(kept).collect();
    let read: Vec<&JudgedFinding> = all.iter().map(|one| &**one).collect();
    let confirmed: Vec<usize> = places_of(&read, now)
        .into_iter()
        .flat_map(|place| confirmed_at(&read, &place, models))
        .collect();
    for at in confirmed {
        (all[at].disposition, all[at].disputed_by_test) = (Disposition::Confirmed, false);
    }
}

/// Which findings of one place are confirmed by all that was said of it.
fn confirmed_at(all: &[&JudgedFinding], place: &BTreeSet<usize>, models: usize) -> Vec<usize> {
    let found: Vec<&JudgedFinding> = place.iter().map(|at| all[*at]).collect();
    let worst = found.iter().map(|one| one.finding.severity).max();
    let worst = worst.unwrap_or(Severity::Minor);
    let is_worst = |at: &&usize| all[**at].finding.severity == worst;
    let mut known = place.iter().filter(is_worst);
    if known.any(|at| all[*at].disposition == Disposition::Confirmed)
        || dispose_among(&stakes_of(&found, worst), models) != Disposition::Confirmed
    {
        return Vec::new();
    }
    place.iter().filter(is_worst).copied().collect()
}

/// The places where this review (the first so many) and an earlier one found something that would be one finding in one review.
fn places_of(all: &[&JudgedFinding], now: usize) -> Vec<BTreeSet<usize>> {
    let is_open = |one: &JudgedFinding| {
        one.disposition != Disposition::Rejected && one.finding.rule.is_none()
    };
    let mut seats: BTreeMap<(bool, Option<usize>, Option<&JudgeId>), usize> = BTreeMap::new();
    let mut versions = Vec::new();
    for (at, one) in all.iter().enumerate().filter(|(_, one)| is_open(one)) {
        let said = standing_of_models(one)
            .map(|held| (None, Some(&held.judge), &held.finding, &held.proof));
        // A version that was kept may have the line that its judge named; what is shown has the right one.
        let shown = (Some(at), None, &one.finding, &Proof::Verified);
        for (own, judge, finding, proof) in said.chain([shown]) {
            let next = seats.len();
            // A judge that says it in other words at a later push tells no two problems apart.
            let seat = SeatIndex(*seats.entry((at < now, own, judge)).or_insert(next));
            versions.push((at, ComparedFinding::new(seat, finding, proof, false)));
        }
    }
    let (owners, places): (Vec<usize>, Vec<_>) = versions.into_iter().unzip();
    let groups = group_findings(&places).into_iter();
    let groups = groups.map(|group| group.into_iter().map(|at| owners[at]).collect());
    let groups: BTreeSet<BTreeSet<usize>> = groups.collect();
    let is_of_both = |group: &BTreeSet<usize>| {
        group.iter().any(|at| *at < now) && group.iter().any(|at| *at >= now)
    };
    groups.into_iter().filter(is_of_both).collect()
}
