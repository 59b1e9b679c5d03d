//! Two critical problems that one judge tells in one line at two reviews: they are two findings, as within one review.
//!
//! Judges of different words may mean one problem; of its own words a judge knows what they mean. Who says another one has not
//! taken the first back, and whoever dismisses the second has said nothing of it.

use council_protocol::Severity;

use super::outcome::{FindingMember, JudgedFinding};
use super::same_problem::says_same_words;

/// Whether a judge of an earlier finding says another critical problem in this one, and nobody says the earlier one again.
pub(super) fn is_another_problem(new: &JudgedFinding, old: &JudgedFinding) -> bool {
    let mut now = new.members.iter().filter(|member| is_grave(member));
    now.any(|member| says_other_than(member, old)) && !repeats(new, old)
}

/// Whether a judge has said what is critical in an earlier finding, and says something else now.
fn says_other_than(now: &FindingMember, old: &JudgedFinding) -> bool {
    let is_own = |before: &&FindingMember| before.judge == now.judge && is_grave(before);
    let mut own = old.members.iter().filter(is_own).peekable();
    own.peek().is_some() && own.all(|before| !says_same_words(&now.finding, &before.finding))
}

/// Whether anybody says of an earlier finding what somebody said of it before.
fn repeats(new: &JudgedFinding, old: &JudgedFinding) -> bool {
    let stands = |member: &&FindingMember| member.stands();
    let mut now = new.members.iter().filter(stands);
    now.any(|now| {
        let mut before = old.members.iter().filter(stands);
        before.any(|before| says_same_words(&now.finding, &before.finding))
    })
}

fn is_grave(member: &FindingMember) -> bool {
    let finding = &member.finding;
    member.stands() && finding.severity == Severity::Critical && finding.rule.is_none()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::add_carried;
    use crate::outcome::{Disposition, FindingLevel};
    use crate::plan::VerdictPolicy;

    const LINE: &str = "query = build(name, parse(day))";

    const POLICY: VerdictPolicy = VerdictPolicy {
        disputed_critical_fails: false,
        incomplete_coverage_warns: false,
    };

    /// Problems of one line, each in several words.
    const PROBLEMS: [[&str; 2]; 3] = [
        [
            "The name goes into the SQL text unescaped: SQL injection.",
            "SQL injection through the name.",
        ],
        [
            "A name of None becomes the text None.",
            "None as a name becomes a text.",
        ],
        [
            "parse raises for an empty day, and nobody catches it.",
            "Nobody catches what parse raises.",
        ],
    ];

    fn problem_of(words: &str) -> Option<usize> {
        PROBLEMS.iter().position(|known| known.contains(&words))
    }

    /// What these judges find in the line in one review, under a name that one place has or one of its own.
    fn found(judges: &[&str], words: &str, name: usize) -> JudgedFinding {
        let mut finding = crate::testing::finding(Severity::Critical, 9);
        finding.category = "sql".into();
        finding.quote = LINE.into();
        finding.description = words.into();
        let members = judges
            .iter()
            .map(|&judge| crate::testing::member(judge, &finding));
        let (disposition, level) = match judges.len() {
            0 | 1 => (Disposition::Unconfirmed, FindingLevel::Warn),
            _ => (Disposition::Confirmed, FindingLevel::Fail),
        };
        JudgedFinding {
            fingerprint: format!("{name:016x}"),
            disposition,
            level: Some(level),
            ..crate::testing::judged(finding.clone(), members.collect())
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// However often a judge speaks of a line from push to push, and in whatever words: each of its problems is one finding,
        /// which has the words of no other one and weighs what it did.
        #[test]
        fn each_problem_of_a_judge_is_a_finding_across_pushes(
            said in prop::collection::vec((0..PROBLEMS.len(), 0usize..2), 1..5),
            is_confirmed in any::<bool>(),
            has_own_names in any::<bool>(),
        ) {
            let words = |(problem, form): (usize, usize)| PROBLEMS[problem][form];
            let first: &[&str] = if is_confirmed { &["a", "b"] } else { &["a"] };
            let mut open = vec![found(first, words(said[0]), 0)];
            for (nth, one) in said.iter().enumerate().skip(1) {
                open.iter_mut().for_each(|old| old.since = Some("abc1234".into()));
                let name = if has_own_names { nth } else { 0 };
                open = add_carried(vec![found(&["a"], words(*one), name)], &open, POLICY, 2);
            }
            let told: Vec<_> = open.iter().map(|one| problem_of(&one.finding.description)).collect();
            let problems: BTreeSet<_> = said.iter().map(|(problem, _)| Some(*problem)).collect();
            prop_assert_eq!(told.len(), problems.len(), "{:?}", told);
            let names: BTreeSet<_> = open.iter().map(|one| &one.fingerprint).collect();
            prop_assert_eq!(names.len(), open.len());
            prop_assert_eq!(told.iter().copied().collect::<BTreeSet<_>>(), problems);
            for one in &open {
                let own = problem_of(&one.finding.description);
                prop_assert!(one.members.iter().all(|member| problem_of(&member.finding.description) == own));
                let is_first = own == Some(said[0].0);
                prop_assert_eq!(one.level == Some(FindingLevel::Fail), is_confirmed && is_first);
            }
        }
    }

    #[test]
    fn other_words_of_another_judge_are_the_problem_of_the_line() {
        let old = found(&["a"], PROBLEMS[0][0], 0);
        assert!(!is_another_problem(&found(&["b"], PROBLEMS[1][0], 0), &old));
        assert!(is_another_problem(&found(&["a"], PROBLEMS[1][0], 0), &old));
        assert!(!is_another_problem(&found(&["a"], PROBLEMS[0][1], 0), &old));
    }
}
