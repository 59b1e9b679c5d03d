use proptest::prelude::*;

use super::*;
use crate::consensus::{FindingStanding, finding_level};
use crate::dismissal::mark_dismissed;
use crate::outcome::{Disposition, FindingLevel};
use crate::plan::{Dismissal, DismissalGround, VerdictPolicy};
use crate::{SaidProblem, add_carried};

const POLICY: VerdictPolicy = VerdictPolicy {
    disputed_critical_fails: false,
    incomplete_coverage_warns: false,
};

/// Problems of one line, each as one judge calls it: the first two are one problem under two names.
const PROBLEMS: [(&str, &str); 4] = [
    (
        "sql",
        "SQL injection: the name goes into the query as it is.",
    ),
    (
        "injection",
        "SQL injection through the name, which is not escaped.",
    ),
    (
        "null",
        "A name of None is formatted as text and finds the wrong user.",
    ),
    (
        "performance",
        "Every row of the table is loaded into memory.",
    ),
];

const LEVELS: [Severity; 3] = [Severity::Minor, Severity::Significant, Severity::Critical];

const JUDGES: [&str; 4] = ["a", "b", "c", "d"];

/// What a judge says of the line: which problem, how bad, and whether its quote stands there and it was not taken back.
type Said = (usize, usize, bool, bool);

fn said() -> impl Strategy<Value = Said> {
    let stands = prop::bool::weighted(0.9);
    (
        0..PROBLEMS.len(),
        1..LEVELS.len(),
        stands,
        prop::bool::weighted(0.1),
    )
}

fn versions() -> impl Strategy<Value = Vec<Said>> {
    prop::collection::vec(said(), 1..=JUDGES.len())
}

/// What a problem of the line is called by its kind.
fn name_of(class: &str) -> String {
    format!("{:016x}", class.bytes().map(u64::from).sum::<u64>())
}

fn member(judge: &str, (problem, severity, is_real, is_withdrawn): Said) -> FindingMember {
    let (category, words) = PROBLEMS[problem];
    let finding = Finding {
        category: category.into(),
        description: words.into(),
        quote: "rows = query(name)".into(),
        ..crate::testing::finding(LEVELS[severity], 8)
    };
    let unverified = Proof::Unverified {
        reason: "it is not there".into(),
    };
    FindingMember {
        proof: if is_real { Proof::Verified } else { unverified },
        withdrawn: is_withdrawn,
        ..crate::testing::member(judge, &finding)
    }
}

/// One finding with these versions, one of each judge, as a report has it.
fn cluster(id: &str, said: &[Said], disposition: Disposition) -> JudgedFinding {
    let members = JUDGES.iter().zip(said);
    let mut members: Vec<_> = members.map(|(judge, said)| member(judge, *said)).collect();
    let finding = shown_member(&members).unwrap().finding.clone();
    let shown = class_of(&finding);
    for member in &mut members {
        let class = class_of(&member.finding);
        member.fingerprint = (class != shown).then(|| name_of(&class));
    }
    let is_there = members.iter().any(FindingMember::stands);
    let disposition = if is_there {
        disposition
    } else {
        Disposition::Rejected
    };
    let standing = FindingStanding {
        severity: finding.severity,
        disposition,
    };
    JudgedFinding {
        id: id.into(),
        fingerprint: name_of(&shown),
        level: finding_level(standing, POLICY),
        disposition,
        ..crate::testing::judged(finding, members)
    }
}

/// The dismissal of a finding by somebody who read its sentence.
fn dismissal_of(found: &JudgedFinding) -> Dismissal {
    Dismissal {
        fingerprint: found.fingerprint.clone(),
        severity: Some(found.finding.severity),
        classes: meant_classes(found).into_iter().collect(),
        said: SaidProblem::of(&found.finding),
        ground: DismissalGround::FalsePositive,
        because: "the form requires a name".into(),
        by: "Ann <ann@example.com>".into(),
        at: "2026-03-09T10:00:00+01:00".into(),
    }
}

/// What all judges say in all findings, each with its words.
fn all_words(findings: &[JudgedFinding]) -> Vec<(String, String, String)> {
    let members = findings.iter().flat_map(|found| &found.members);
    let words = members.map(|member| {
        let Finding {
            category,
            description,
            ..
        } = &member.finding;
        (
            member.judge.to_string(),
            category.clone(),
            description.clone(),
        )
    });
    let mut words: Vec<_> = words.collect();
    words.sort();
    words
}

/// The critical problems of findings, by what they are called in a sentence or by a judge.
fn open_classes<'a>(findings: impl Iterator<Item = &'a JudgedFinding>) -> BTreeSet<String> {
    let classes = findings.flat_map(|found| {
        let shown = Some(&found.finding).filter(|shown| shown.severity == Severity::Critical);
        let members = found.standing_criticals().map(|member| &member.finding);
        shown.into_iter().chain(members)
    });
    classes.map(class_of).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// However often somebody dismisses what is shown of a line, whose judges see any problems there then and later: nothing
    /// critical is hidden that stood in no dismissed sentence; it counts as the whole did, and everybody keeps their words.
    #[test]
    fn nothing_is_dismissed_that_nobody_was_shown(
        seen in versions(), later in versions(), turns in 1usize..4, confirmed in any::<bool>(),
    ) {
        let disposition = if confirmed { Disposition::Confirmed } else { Disposition::Unconfirmed };
        let (mut dismissals, mut meant) = (Vec::new(), BTreeSet::new());
        let mut shown = vec![cluster("F1", &seen, disposition)];
        for _ in 0..turns {
            let Some(first) = shown.iter().find(|found| found.level.is_some()) else { break };
            meant.extend(meant_classes(first));
            dismissals.push(dismissal_of(first));
            mark_dismissed(&mut shown, &dismissals);
        }
        let whole = cluster("F1", &later, disposition);
        let mut now = vec![whole.clone()];
        mark_dismissed(&mut now, &dismissals);
        prop_assert_eq!(all_words(&now), all_words(std::slice::from_ref(&whole)));
        let hidden = open_classes(now.iter().filter(|found| found.dismissed.is_some()));
        prop_assert!(hidden.is_subset(&meant), "{:?} of {:?}", hidden, meant);
        for found in &now {
            let words = |member: &FindingMember| member.finding.description == found.finding.description;
            prop_assert!(found.members.iter().any(words));
            prop_assert!(found.dismissed.is_some() || found.level == whole.level);
            let named = now.iter().filter(|other| other.fingerprint == found.fingerprint || other.id == found.id);
            prop_assert_eq!(named.count(), 1);
        }
        // What is as it was stays dismissed, under the names that it had.
        let mut again = vec![cluster("F1", &seen, disposition)];
        mark_dismissed(&mut again, &dismissals);
        let fates = |all: &[JudgedFinding]| -> Vec<_> {
            all.iter().map(|found| (found.fingerprint.clone(), found.dismissed.is_some())).collect()
        };
        prop_assert_eq!(fates(&again), fates(&shown));
    }

    /// Whatever judges say of a line from review to review, and whoever refutes what: what was open in it stays open in its
    /// judges' words, weighing no less, until it is refuted itself; and nobody is said to have said anything else.
    #[test]
    fn what_was_said_of_a_line_stays_open_in_its_judges_words(
        before in versions(), reviews in prop::collection::vec((versions(), 0usize..3), 1..4),
    ) {
        let of = [Disposition::Confirmed, Disposition::Unconfirmed, Disposition::Disputed];
        let mut open = vec![cluster("F1", &before, Disposition::Confirmed)];
        open.retain(|found| found.level.is_some());
        let mut told = all_words(&open);
        for (said, disposition) in reviews {
            let new = cluster("F1", &said, of[disposition]);
            told.extend(all_words(std::slice::from_ref(&new)));
            let (worst, classes) = (open.iter().map(|found| found.level).max(), open_classes(open.iter()));
            let now = add_carried(vec![new], &open, POLICY, 3);
            let mut left = open_classes(now.iter().filter(|found| found.level.is_some()));
            // What is confirmed and milder weighs what a critical one did that nobody confirmed.
            let warned = now.iter().filter(|found| found.level >= Some(FindingLevel::Warn));
            left.extend(warned.map(|found| class_of(&found.finding)));
            // Two names of one problem are one.
            let one = |classes: &BTreeSet<String>| -> BTreeSet<String> {
                classes.iter().map(|class| class.replace("injection", "sql")).collect()
            };
            // Who takes a problem back where it is disputed refutes it itself.
            let taken_back = said.iter().filter(|(_, _, _, is_withdrawn)| *is_withdrawn && disposition == 2);
            left.extend(taken_back.map(|(problem, ..)| class_of(&member("a", (*problem, 2, true, true)).finding)));
            prop_assert!(one(&classes).is_subset(&one(&left)), "{:?} of {:?}", left, classes);
            let is_open = disposition != 2;
            prop_assert!(!is_open || now.iter().map(|found| found.level).max() >= worst);
            for words in all_words(&now) {
                prop_assert!(told.contains(&words), "{:?}", words);
            }
            open = now;
            open.retain(|found| found.level.is_some());
        }
    }
}

#[test]
fn the_rest_of_a_dismissed_finding_counts_in_its_own_words() {
    let sql = (0, 2, true, false);
    let null = (2, 2, true, false);
    let shown = cluster("F1", &[sql, null, sql], Disposition::Confirmed);
    let beside: Vec<_> = shown
        .problems_beside()
        .iter()
        .map(|m| m.judge.to_string())
        .collect();
    assert_eq!(
        (class_of(&shown.finding).as_str(), beside),
        ("sql", vec!["b".to_owned()])
    );
    let mut findings = vec![shown.clone()];
    mark_dismissed(&mut findings, &[dismissal_of(&shown)]);
    let told: Vec<_> = findings
        .iter()
        .map(|f| (f.id.as_str(), f.level, f.finding.category.as_str()))
        .collect();
    assert_eq!(
        told,
        [
            ("F1", None, "sql"),
            ("F2", Some(FindingLevel::Fail), "null")
        ]
    );
    // It is called what it would be called alone.
    assert_eq!(findings[1].fingerprint, name_of("null"));
}
