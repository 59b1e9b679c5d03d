//! What an earlier review left open, beside what this one finds.

use std::collections::BTreeSet;

use council_protocol::answer::Stance;
use council_protocol::{Finding, JudgeId, Severity};

use super::consensus::{FindingStanding, finding_level};
use super::fingerprint::class_of;
use super::judges::same_text;
use super::outcome::{Disposition, FindingMember, JudgedFinding, Opinion};
use super::parts::{split_off, with_own_names};
use super::plan::VerdictPolicy;
use super::same_problem::{is_namesake, is_one_finding, means_same};
use super::support::{REFUTATION, Sixths, SupportKind, WHOLE, needed_support};

/// The findings of this review, and of an earlier one those that were not raised again, each with its name and its
/// weight under the policy of today. What is raised again weighs no less than it did, unless somebody refutes it now:
/// fewer judges that see a problem are no sign that it is gone. Whoever held it before holds it still, among so many `models`
/// that sat.
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
    let (mut left, mut parts) = (Vec::new(), Vec::new());
    for (old, again) in carried.iter().zip(again) {
        let mut old = old.clone();
        old.level = level_of(&old);
        let Some(new) = again.map(|at| &mut found[at]) else {
            left.push(old);
            continue;
        };
        if !is_raised(new, &old) {
            // It says a little of that beside something else: under that one's sentence, this would be lost.
            parts.push(old);
            continue;
        }
        let unsaid = take_unsaid(&mut old, new);
        old.level = level_of(&old);
        let is_refuted = is_refuted(new);
        if old.level > new.level && !is_refuted {
            keep_weight(new, &old);
            new.level = level_of(new);
        }
        if !is_refuted && join_voices(new, &old, models) {
            new.level = level_of(new);
        }
        match unsaid {
            // Who speaks against what is said now has said nothing of the rest.
            Some(part) if is_refuted || part.finding.severity > new.finding.severity => {
                parts.push(part);
            }
            Some(part) => new.members.extend(part.members),
            None if !is_refuted => keep_words(new, &old),
            None => {}
        }
    }
    found.extend(left);
    for part in parts {
        let part = with_own_names(part, &found);
        found.push(part);
    }
    confirm_together(&mut found, models);
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
    let mut opinions = found.opinions.iter();
    let refuted = opinions.any(|o| o.stance == Stance::Disagreed && o.resolves);
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

/// A finding that is raised again, with what it weighed and who held it before.
fn keep_weight(new: &mut JudgedFinding, old: &JudgedFinding) {
    new.finding.severity = new.finding.severity.max(old.finding.severity);
    new.disposition = old.disposition;
    new.disputed_by_test = old.disputed_by_test;
    new.since.clone_from(&old.since);
    for member in &old.members {
        if !new.members.iter().any(|known| known.judge == member.judge) {
            new.members.push(member.clone());
        }
    }
}

/// Adds who held a finding before, and what others said of it, where they say nothing of it now; whether that makes something
/// else of it. Of two reviews one judge may see it in the first and another one in the second: both have found it.
fn join_voices(new: &mut JudgedFinding, old: &JudgedFinding, models: usize) -> bool {
    let speaks = |judge: &JudgeId| {
        new.members.iter().any(|now| now.judge == *judge)
            || new.opinions.iter().any(|now| now.judge == *judge)
    };
    let is_silent = |member: &&FindingMember| is_of_model(member) && !speaks(&member.judge);
    let members: Vec<_> = old.holding_members().filter(is_silent).cloned().collect();
    let opinions = old.opinions.iter().filter(|said| !speaks(&said.judge));
    let opinions: Vec<_> = opinions.cloned().collect();
    let is_refuted_before = opinions.iter().any(refutes);
    new.members.extend(members);
    new.opinions.extend(opinions);
    let is_supported = support_of(&[new]) >= needed_support(models);
    let joined = match new.disposition {
        Disposition::Unconfirmed if is_supported => Disposition::Confirmed,
        Disposition::Confirmed | Disposition::Unconfirmed if is_refuted_before && !is_supported => {
            Disposition::Disputed
        }
        other => other,
    };
    let is_changed = joined != new.disposition;
    if is_changed {
        new.disposition = joined;
        new.since.clone_from(&old.since);
    }
    is_changed
}

fn is_of_model(member: &FindingMember) -> bool {
    member.finding.rule.is_none()
}

fn refutes(said: &Opinion) -> bool {
    said.stance == Stance::Disagreed && said.resolves
}

/// What findings of one problem rest on together. Who agreed has looked at least at their place.
fn support_of(found: &[&JudgedFinding]) -> Sixths {
    let held = found.iter().flat_map(|one| one.holding_members());
    let held = held.filter(|member| is_of_model(member));
    let said = || found.iter().flat_map(|one| &one.opinions);
    let holders: BTreeSet<&JudgeId> = held.map(|member| &member.judge).collect();
    let judges = |is_meant: &dyn Fn(&Opinion) -> bool| -> BTreeSet<&JudgeId> {
        said()
            .filter(|said| is_meant(said))
            .map(|said| &said.judge)
            .collect()
    };
    let against = judges(&|said| said.stance == Stance::Disagreed);
    let refuting = judges(&refutes);
    let agreed = judges(&|said| said.stance == Stance::Agreed && said.resolves);
    let sum = |count: usize, each: Sixths| Sixths::try_from(count).unwrap_or(0) * each;
    sum(holders.difference(&against).count(), WHOLE)
        + sum(
            agreed.difference(&holders).count(),
            SupportKind::SamePlace.weight(),
        )
        + sum(refuting.difference(&holders).count(), REFUTATION)
}

/// Confirms what models found in one line of the same code in different reviews, in whatever words: in one review it would
/// have been one finding. Each is told by itself, since nobody knows whether they mean one problem.
fn confirm_together(found: &mut [JudgedFinding], models: usize) {
    let is_open = |one: &JudgedFinding| {
        one.disposition == Disposition::Unconfirmed && one.finding.rule.is_none()
    };
    let is_one_place = |one: &Finding, other: &Finding| {
        one.location.path == other.location.path
            && one.location.line == other.location.line
            && one.location.line > 0
            && one.severity == other.severity
            && !one.quote.trim().is_empty()
            && same_text(&one.quote, &other.quote)
    };
    let mut confirmed = BTreeSet::new();
    for (at, old) in found
        .iter()
        .enumerate()
        .filter(|(_, old)| old.since.is_some())
    {
        for (by, new) in found
            .iter()
            .enumerate()
            .filter(|(_, new)| new.since.is_none())
        {
            let is_pair = is_open(old) && is_open(new) && is_one_place(&new.finding, &old.finding);
            if is_pair && support_of(&[old, new]) >= needed_support(models) {
                confirmed.extend([at, by]);
            }
        }
    }
    for at in confirmed {
        found[at].disposition = Disposition::Confirmed;
    }
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
mod tests {
    use council_protocol::{Location, Proof};
    use proptest::prelude::*;

    use super::*;
    use crate::outcome::FindingLevel;

    const POLICY: VerdictPolicy = VerdictPolicy {
        disputed_critical_fails: false,
        incomplete_coverage_warns: false,
    };

    fn judged((name, severity, disposition): (u8, usize, usize), since: bool) -> JudgedFinding {
        let severity = [Severity::Minor, Severity::Significant, Severity::Critical][severity];
        let disposition = [
            Disposition::Confirmed,
            Disposition::Disputed,
            Disposition::Unconfirmed,
            Disposition::Rejected,
        ][disposition];
        let standing = FindingStanding {
            severity,
            disposition,
        };
        JudgedFinding {
            id: format!("F{name}"),
            fingerprint: format!("{name:016x}"),
            finding: crate::testing::finding(severity, u32::from(name) + 1),
            disposition,
            level: finding_level(standing, POLICY),
            dismissed: None,
            since: since.then(|| "abc1234".to_owned()),
            members: Vec::new(),
            opinions: Vec::new(),
            disputed_by_test: false,
            suggestion_check: None,
        }
    }

    proptest! {
        /// Whatever is raised again, and however mildly: unless it is refuted, no finding weighs less than it did.
        #[test]
        fn what_is_raised_again_weighs_no_less(
            found in prop::collection::vec((0u8..6, 0usize..3, 0usize..4), 0..6),
            carried in prop::collection::vec((0u8..6, 0usize..3, 0usize..3), 1..6),
        ) {
            let found: Vec<_> = found.into_iter().map(|f| judged(f, false)).collect();
            let carried: Vec<_> = carried.into_iter().map(|f| judged(f, true)).collect();
            let all = add_carried(found, &carried, POLICY, 2);
            for old in &carried {
                let mut now = all.iter().filter(|f| f.fingerprint == old.fingerprint);
                let is_held = |f: &JudgedFinding| {
                    f.disposition == Disposition::Disputed || f.level >= old.level
                };
                prop_assert!(now.any(is_held), "{:?}", old);
            }
        }

        /// An edit beside a problem gives it another fingerprint, and models find other words and lines: it is told
        /// once all the same, and another problem on the same lines is told beside it.
        #[test]
        fn one_problem_is_told_once_whatever_it_is_called(
            severity in 0usize..3,
            reach in 0u32..3,
            same_quote in any::<bool>(),
            same_category in any::<bool>(),
            far in prop::sample::select(vec![0u32, 1, 40]),
        ) {
            let old = judged((1, 2, 0), true);
            let mut new = judged((2, severity, 2), false);
            let place = old.finding.location.clone();
            let (quote, category) = (old.finding.quote.clone(), old.finding.category.clone());
            new.finding.location = Location { line: place.line + far, end_line: Some(place.line + far + reach), ..place };
            new.finding.quote = if same_quote { format!("  {quote} ") } else { "other();".to_owned() };
            new.finding.category = if same_category { category } else { "another".to_owned() };
            let is_one = far == 0 && (same_quote || same_category);
            let all = add_carried(vec![new], std::slice::from_ref(&old), POLICY, 2);
            prop_assert_eq!(all.len(), if is_one { 1 } else { 2 });
            prop_assert_eq!(all[0].level, Some(FindingLevel::Fail));
        }

        /// Another problem in the line of what was found before takes nothing from it: both are told, each in its words.
        #[test]
        fn another_problem_of_a_line_leaves_what_was_found_in_it(severity in 0usize..3, same_quote in any::<bool>()) {
            let mut old = judged((1, 2, 0), true);
            old.finding.category = "injection".into();
            old.finding.description = "The name goes into the query as it is.".into();
            let mut new = judged((2, severity, 0), false);
            new.finding.location = old.finding.location.clone();
            new.finding.category = "performance".into();
            new.finding.description = "Every row is loaded into memory.".into();
            new.finding.quote = if same_quote { old.finding.quote.clone() } else { "other();".to_owned() };
            let all = add_carried(vec![new.clone()], std::slice::from_ref(&old), POLICY, 2);
            let told: Vec<_> = all.iter().map(|f| (f.finding.description.clone(), f.finding.severity)).collect();
            prop_assert_eq!(told.len(), 2);
            for one in [&old, &new] {
                prop_assert!(told.contains(&(one.finding.description.clone(), one.finding.severity)));
            }
        }

        /// Judges that find one problem in one review after the other have both found it, whichever of them is silent this
        /// time; who speaks against it now holds it no more.
        #[test]
        fn who_found_it_first_is_no_less_a_holder(
            models in 2usize..7,
            first in prop::collection::btree_set(0usize..6, 1..4),
            second in prop::collection::btree_set(0usize..6, 1..4),
            is_against in any::<bool>(),
            misnumbered in 0u32..4,
        ) {
            let held = |mut found: JudgedFinding, judges: &std::collections::BTreeSet<usize>| {
                found.disposition = Disposition::Unconfirmed;
                found.level = Some(FindingLevel::Warn);
                found.members = judges.iter().map(|nth| FindingMember {
                    judge: format!("judge-{nth}").as_str().into(),
                    round: 1.into(),
                    finding: found.finding.clone(),
                    proof: Proof::Verified,
                    withdrawn: false,
                    fingerprint: None,
                }).collect();
                found
            };
            let old = held(judged((1, 2, 2), true), &first);
            let mut new = held(judged((1, 2, 2), false), &second);
            // The quote is there: the finding stands at its line, whatever line its judge names.
            new.members.iter_mut().for_each(|member| member.finding.location.line += misnumbered);
            let silent: Vec<usize> = first.difference(&second).copied().collect();
            let speaks = silent.first().filter(|_| is_against);
            new.opinions.extend(speaks.map(|nth| crate::outcome::Opinion {
                judge: format!("judge-{nth}").as_str().into(),
                stance: Stance::Disagreed,
                reasoning: "It is bound.".into(),
                evidence: None,
                resolves: false,
            }));
            let all = add_carried(vec![new], &[old], POLICY, models);
            let holders = first.union(&second).count() - usize::from(speaks.is_some());
            let is_confirmed = holders >= 2 && 2 * holders >= models;
            prop_assert_eq!(all[0].disposition == Disposition::Confirmed, is_confirmed);
            prop_assert_eq!(all[0].level == Some(FindingLevel::Fail), is_confirmed);
            let told: BTreeSet<_> = all[0].holding_members().map(|member| member.judge.clone()).collect();
            prop_assert_eq!(told.len(), holders);
        }

        /// What others said of a finding is weighed with it, in whichever of two reviews they said it: of one review it would
        /// be the same.
        #[test]
        fn what_was_said_before_is_weighed_with_what_is_said_now(
            before in prop::option::of(any::<bool>()),
            now in prop::option::of(any::<bool>()),
            holders in 1usize..3,
        ) {
            let said = |judge: &str, agrees: bool| crate::outcome::Opinion {
                judge: judge.into(),
                stance: if agrees { Stance::Agreed } else { Stance::Disagreed },
                reasoning: "r".into(),
                evidence: None,
                resolves: true,
            };
            let held = |mut found: JudgedFinding| {
                found.members = (0..holders).map(|nth| FindingMember {
                    judge: format!("judge-{nth}").as_str().into(),
                    round: 1.into(),
                    finding: found.finding.clone(),
                    proof: Proof::Verified,
                    withdrawn: false,
                    fingerprint: None,
                }).collect();
                found
            };
            let models = holders + 2;
            let disposed = |opinions: [Option<bool>; 2]| {
                let sum = 6 * i64::try_from(holders).unwrap()
                    + opinions.iter().flatten().map(|agrees| if *agrees { 2 } else { -6 }).sum::<i64>();
                match sum >= needed_support(models) {
                    true => Disposition::Confirmed,
                    false if opinions.contains(&Some(false)) => Disposition::Disputed,
                    false => Disposition::Unconfirmed,
                }
            };
            let mut old = held(judged((1, 2, 2), true));
            old.opinions.extend(before.map(|agrees| said("judge-8", agrees)));
            old.disposition = disposed([before, None]);
            let mut new = held(judged((1, 2, 2), false));
            new.opinions.extend(now.map(|agrees| said("judge-9", agrees)));
            new.disposition = disposed([now, None]);
            let all = add_carried(vec![new], &[old], POLICY, models);
            prop_assert_eq!(all.len(), 1);
            // A dispute of now stays one; whoever agreed before is told all the same.
            if now != Some(false) {
                prop_assert_eq!(all[0].disposition, disposed([before, now]));
            }
            let told = before.is_some() && now != Some(false);
            prop_assert_eq!(all[0].opinions.iter().any(|said| said.judge == "judge-8".into()), told);
        }

        /// Words and weight are one judge's: what is said later of the same code in other words neither takes the place of a
        /// worse problem's sentence, nor hides one that is as bad.
        #[test]
        fn no_later_words_take_the_place_of_worse_ones(
            severity in 0usize..3,
            same_name in any::<bool>(),
            disposition in 0usize..3,
        ) {
            let with = |mut found: JudgedFinding, words: &str| {
                found.finding.category = "sql".into();
                found.finding.quote = "find(name)".into();
                found.finding.description = words.into();
                let finding = found.finding.clone();
                let version = |judge: &str| FindingMember {
                    judge: judge.into(),
                    round: 1.into(),
                    finding: finding.clone(),
                    proof: Proof::Verified,
                    withdrawn: false,
                    fingerprint: None,
                };
                found.members = vec![version("judge-1"), version("judge-2")];
                found
            };
            let old = with(judged((1, 2, 0), true), "The name goes into the text unescaped: injection.");
            let name = if same_name { 1 } else { 2 };
            let mut new = with(judged((name, severity, disposition), false), "The variable should be called query.");
            new.finding.location = old.finding.location.clone();
            let all = add_carried(vec![new.clone()], std::slice::from_ref(&old), POLICY, 2);
            let told = |found: &JudgedFinding| {
                let others = found.other_criticals().into_iter().map(|m| m.finding.clone());
                let all: Vec<Finding> = [found.finding.clone()].into_iter().chain(others).collect();
                all
            };
            let told: Vec<_> = all.iter().flat_map(told).collect();
            let before = told.iter().find(|said| said.description == old.finding.description);
            let is_open = disposition != 1 || severity < 2;
            prop_assert!(!is_open || before.is_some_and(|said| said.severity == Severity::Critical), "{:?}", told);
            for said in told {
                let versions = [&old.finding, &new.finding];
                let is_said = versions.iter().any(|v| v.description == said.description && v.severity >= said.severity);
                prop_assert!(is_said, "{:?}", said);
            }
        }

        /// No finding of now or of before is lost or told twice, the worst comes first, and names follow the order.
        #[test]
        fn what_is_carried_stands_among_what_is_found(
            found in prop::collection::vec((0u8..12, 0usize..3, 0usize..4), 0..6),
            carried in prop::collection::vec((6u8..18, 0usize..3, 0usize..3), 0..6),
        ) {
            let found: Vec<_> = found.into_iter().map(|f| judged(f, false)).collect();
            let carried: Vec<_> = carried.into_iter().map(|f| judged(f, true)).collect();
            let all = add_carried(found.clone(), &carried, POLICY, 2);
            let is_again = |old: &&JudgedFinding| {
                let mut now = found.iter().filter(|f| f.disposition != Disposition::Rejected);
                now.any(|f| f.fingerprint == old.fingerprint)
            };
            let again = carried.iter().filter(is_again).count();
            prop_assert_eq!(all.len(), found.len() + carried.len() - again);
            let levels: Vec<Option<FindingLevel>> = all.iter().map(|f| f.level).collect();
            prop_assert!(levels.is_sorted_by(|a, b| a >= b), "{:?}", levels);
            for (at, finding) in all.iter().enumerate() {
                prop_assert_eq!(&finding.id, &format!("F{}", at + 1));
            }
        }
    }
}
