//! What judges say beside a dismissed finding that nobody had said when it was dismissed: one of them may repeat that, while
//! the others have found another problem of the same line.

use council_protocol::Finding;

use super::outcome::JudgedFinding;
use super::parts::{retell, split_off, with_own_names};
use super::plan::Dismissal;
use super::same_problem::{is_namesake, means_same, says_same_words};

/// The findings of this review, of those that an earlier one has `carried` and somebody dismissed without the critical
/// problems of the same line that nobody had named: these are findings of their own.
pub(super) fn without_unread(
    mut found: Vec<JudgedFinding>,
    carried: &[JudgedFinding],
    dismissed: &[Dismissal],
) -> Vec<JudgedFinding> {
    let is_dismissed = |old: &&JudgedFinding| {
        let mut named = dismissed.iter().map(|one| &one.fingerprint);
        named.any(|name| *name == old.fingerprint)
    };
    for old in carried.iter().filter(is_dismissed) {
        let then = || old.members.iter().map(|member| &member.finding);
        // What was left open under one category says nothing of another problem that is called the same.
        let is_said = |version: &Finding| {
            let mut then = then().chain([&old.finding]);
            version.rule.is_some() || then.any(|then| says_same_words(version, then))
        };
        let is_again = |new: &&mut JudgedFinding| is_namesake(new, old) || means_same(new, old);
        let part = found.iter_mut().find(is_again).and_then(|new| {
            let part = split_off(new, |member| !is_said(&member.finding))?;
            retell(new, is_said);
            Some(part)
        });
        if let Some(part) = part {
            let part = with_own_names(part, &found);
            found.push(part);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use council_protocol::Severity;
    use proptest::prelude::*;

    use super::*;
    use crate::outcome::FindingLevel;
    use crate::plan::DismissalGround;
    use crate::said_problem::SaidProblem;

    const LINE: &str = "return sum(items) / len(items)";

    /// Two problems of the line, the first of them dismissed, each as two judges put it.
    const FIRST: [&str; 2] = [
        "Wrong result: the sum is divided by the count, so invoices are too low.",
        "The result is an average where invoices need the total.",
    ];
    const SECOND: [&str; 2] = [
        "The function fails if no items are passed.",
        "Without any items this divides by zero.",
    ];

    fn found(name: &str, said: &[(usize, &str)], category: &str) -> JudgedFinding {
        let version = |&(judge, words): &(usize, &str)| {
            let finding = Finding {
                category: category.into(),
                description: words.into(),
                quote: LINE.into(),
                ..crate::testing::finding(Severity::Critical, 3)
            };
            crate::testing::member(format!("judge-{judge}").as_str(), &finding)
        };
        let members: Vec<_> = said.iter().map(version).collect();
        JudgedFinding {
            fingerprint: name.into(),
            level: Some(FindingLevel::Fail),
            ..crate::testing::judged(members[0].finding.clone(), members)
        }
    }

    proptest! {
        /// Whoever repeats what was dismissed, in its own words of then, takes nothing along that others have found since.
        #[test]
        fn who_repeats_what_was_dismissed_takes_no_other_problem_along(
            says in prop::collection::vec(any::<bool>(), 2..5),
            is_first_shown in any::<bool>(),
            category in prop::sample::select(vec!["bug", "error-handling", "data-loss", "edge-case"]),
        ) {
            let old = found("a", &[(0, FIRST[0]), (1, FIRST[1])], category);
            let dismissal = Dismissal {
                fingerprint: "a".into(),
                severity: Some(Severity::Critical),
                classes: vec![category.into()],
                said: SaidProblem::of(&old.finding),
                ground: DismissalGround::FalsePositive,
                because: "we want the mean".into(),
                by: "@bob".into(),
                at: "2026-02-14T09:00:00Z".into(),
            };
            let words = |(nth, again): (usize, &bool)| (nth, if *again { FIRST[nth % 2] } else { SECOND[nth % 2] });
            let mut said: Vec<_> = says.iter().enumerate().map(words).collect();
            if is_first_shown {
                said.sort_by_key(|(nth, _)| !says[*nth]);
            }
            let now = without_unread(vec![found("a", &said, category)], &[old], &[dismissal]);
            let is_mixed = says.contains(&true) && says.contains(&false);
            prop_assert_eq!(now.len(), if is_mixed { 2 } else { 1 });
            if is_mixed {
                prop_assert!(FIRST.contains(&now[0].finding.description.as_str()));
                prop_assert!(SECOND.contains(&now[1].finding.description.as_str()));
                prop_assert_ne!(&now[1].fingerprint, "a");
                let new = says.iter().filter(|again| !**again).count();
                prop_assert_eq!(now[1].members.len(), new);
            }
        }
    }
}
