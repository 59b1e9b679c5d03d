//! What an earlier review left open, beside what this one finds.

use std::collections::BTreeSet;

use council_protocol::{Finding, JudgeId, Severity};

use super::consensus::{FindingStanding, finding_level};
use super::fingerprint::class_of;
use super::joined::{confirm_together, join_reviews, refutes, votes_unsaid};
use super::other_problem::is_another_problem;
use super::outcome::{Disposition, FindingMember, JudgedFinding};
use super::parts::{split_off, with_own_names};
use super::plan::VerdictPolicy;
use super::same_problem::{is_namesake, is_one_finding, means_same};

/// The findings of this review, and of an earlier one those that were not raised again, each with its name and its
/// weight under the policy of today. What is raised again is joined with what was said of it before, and weighs no less than it
/// did, unless somebody refutes it now: fewer judges that see a problem are no sign that it is gone. Whoever held it before
/// holds it still, among so many `models` that sat.
pub fn add_carried(
    mut found: Vec<JudgedFinding>,
    carried: &[JudgedFinding],
    policy: VerdictPolicy,
    models: usize,
) -> Vec<JudgedFinding> {
    let level_of = |finding: &JudgedFinding| {
        let standing = FindingStanding {
            severity: finding.finding.severity,
            disposition: finding.disposition,
        };
        finding_level(standing, policy)
    };
    let again = raised_again(&found, carried);
    let names: BTreeSet<String> = found.iter().map(|new| new.fingerprint.clone()).collect();
    let (mut left, mut parts) = (Vec::new(), Vec::new());
    for (old, again) in carried.iter().zip(again) {
        let mut old = old.clone();
        old.level = level_of(&old);
        let Some(new) = again.map(|at| &mut found[at]) else {
            // Another problem of its line may have come by its name.
            let has_its_name = |new: &JudgedFinding| {
                new.fingerprint == old.fingerprint && is_another_problem(new, &old)
            };
            match found.iter().any(has_its_name) {
                true => parts.push(old),
                false => left.push(old),
            }
            continue;
        };
        if !is_raised(new, &old) {
            // It says a little of that beside something else: under that one's sentence, this would be lost.
            parts.push(old);
            continue;
        }
        let votes = votes_unsaid(new, &old);
        let unsaid = take_unsaid(&mut old, new);
        old.level = level_of(&old);
        let is_refuted = is_refuted(new);
        let has_more = unsaid.is_some();
        match unsaid {
            // Who speaks against what is said now has said nothing of the rest.
            Some(part) if is_refuted || part.finding.severity > new.finding.severity => {
                parts.push(part);
            }
            Some(part) => new.members.extend(part.members),
            None => {}
        }
        join_reviews(new, &old, is_refuted, models);
        // It is known by that name to whoever dismissed it, and to its conversation, whatever it is called this time.
        if new.finding.rule.is_none() && !names.contains(&old.fingerprint) {
            new.fingerprint.clone_from(&old.fingerprint);
        }
        new.level = level_of(new);
        new.standing_votes.extend(votes);
        if !has_more && !is_refuted {
            keep_words(new, &old);
        }
    }
    let count = left.len();
    left.extend(parts);
    confirm_together(&mut found, &mut left, models);
    let parts = left.split_off(count);
    found.extend(left);
    for part in parts {
        let part = with_own_names(part, &found);
        found.push(part);
    }
    for one in &mut found {
        let is_raised = one.disposition == Disposition::Confirmed && one.dismissed.is_none();
        one.level = if is_raised {
            one.level.max(level_of(one))
        } else {
            one.level
        };
    }
    found.sort_by(|a, b| sort_rank(a).cmp(&sort_rank(b)));
    for (index, finding) in found.iter_mut().enumerate() {
        finding.id = format!("F{}", index + 1);
    }
    found
}

/// Whether somebody says now what was said before of the line of a finding, as bad as that. A judge that says it in other
/// words says it still.
fn is_said_now(new: &JudgedFinding, old: &Finding, by: Option<&JudgeId>) -> bool {
    let as_bad = |now: &&FindingMember| now.stands() && now.finding.severity >= old.severity;
    let says_it = |now: &FindingMember| {
        let is_own = Some(&now.judge) == by && class_of(&now.finding) == class_of(old);
        is_own || is_one_finding(&now.finding, old)
    };
    let mut members = new.members.iter().filter(as_bad);
    is_one_finding(&new.finding, old) || members.any(says_it)
}

/// Whether somebody says now what an earlier finding said in its sentence; or another thing of its line that was as bad,
/// where a judge said the sentence, so that it can go on without the other.
fn is_raised(new: &JudgedFinding, old: &JudgedFinding) -> bool {
    let shown = &old.finding;
    let as_bad = |m: &&FindingMember| m.stands() && m.finding.severity >= shown.severity;
    let members = || old.members.iter().filter(as_bad);
    let is_voiced = || members().any(|m| class_of(&m.finding) == class_of(shown));
    let is_said = || members().any(|m| is_said_now(new, &m.finding, Some(&m.judge)));
    is_said_now(new, shown, None) || is_voiced() && is_said()
}

/// Takes out of an earlier finding what nobody says now; what is left weighs what it was said to be.
fn take_unsaid(old: &mut JudgedFinding, new: &JudgedFinding) -> Option<JudgedFinding> {
    let is_unsaid = |m: &FindingMember| !is_said_now(new, &m.finding, Some(&m.judge));
    let part = split_off(old, is_unsaid)?;
    if !is_said_now(new, &old.finding, None) {
        let standing = old.members.iter().filter(|member| member.stands());
        let worst = standing.map(|member| member.finding.severity).max();
        old.finding.severity = worst.unwrap_or(Severity::Minor);
    }
    Some(part)
}

/// Whether somebody speaks against a finding, with evidence, or took it back. A test alone takes nothing from it.
fn is_refuted(found: &JudgedFinding) -> bool {
    let refuted = found.opinions.iter().any(refutes);
    // Who took back another problem of the line has said nothing of this one.
    let is_taken_back =
        |m: &FindingMember| m.withdrawn && is_one_finding(&m.finding, &found.finding);
    let taken_back = found.members.iter().any(is_taken_back);
    found.disposition == Disposition::Disputed && !found.disputed_by_test && (refuted || taken_back)
}

/// Which of the findings of this review each of an earlier one is, if it is raised again: by its fingerprint, else by
/// its place. One of now is never two of before.
fn raised_again(found: &[JudgedFinding], carried: &[JudgedFinding]) -> Vec<Option<usize>> {
    let stands = |new: &JudgedFinding| new.disposition != Disposition::Rejected;
    let by_name = |old: &JudgedFinding| {
        let mut found = found.iter();
        found.position(|new| is_namesake(new, old) && stands(new))
    };
    let mut again: Vec<Option<usize>> = carried.iter().map(by_name).collect();
    for (at, old) in carried.iter().enumerate() {
        if again[at].is_none() {
            let mut free = (0..found.len()).filter(|new| !again.contains(&Some(*new)));
            again[at] = free.find(|&new| stands(&found[new]) && means_same(&found[new], old));
        }
    }
    again
}

/// What a critical finding that is raised again was said to be before, where nobody says it so now: whether other words mean
/// another problem, only a reader can tell.
fn keep_words(new: &mut JudgedFinding, old: &JudgedFinding) {
    let critical = old
        .members
        .iter()
        .filter(|member| member.stands() && member.finding.severity == Severity::Critical);
    for earlier in critical {
        let before = new.other_criticals().len();
        new.members.push(earlier.clone());
        // It says what is told already, or there is no room for more.
        if new.other_criticals().len() == before {
            new.members.pop();
        }
    }
}

/// The order of findings in a report.
pub(super) fn sort_rank(finding: &JudgedFinding) -> impl Ord {
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

#[cfg(test)]
#[path = "carried_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "carried_laws.rs"]
mod laws;
