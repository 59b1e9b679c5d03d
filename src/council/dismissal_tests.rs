use council_protocol::{CoverageState, Finding, Location, Proof};
use proptest::prelude::*;

use super::*;

const JUDGES: [&str; 3] = ["a", "b", "c"];

fn dismissal(fingerprint: &str) -> Dismissal {
    Dismissal {
        fingerprint: fingerprint.into(),
        severity: Some(Severity::Critical),
        classes: Vec::new(),
        said: None,
        ground: crate::DismissalGround::FalsePositive,
        because: "it is escaped two lines above".into(),
        by: "Ann <ann@example.com>".into(),
        at: "2026-03-09T10:00:00+01:00".into(),
    }
}

fn found(nth: usize, severity: Severity, disposition: Disposition, by: usize) -> JudgedFinding {
    let finding = Finding {
        severity,
        category: "c".into(),
        rule: None,
        description: "d".into(),
        location: Location {
            path: "a.rs".into(),
            line: 1,
            end_line: None,
        },
        quote: "q".into(),
        why: String::new(),
        fix: String::new(),
        suggestion: None,
        reference: None,
    };
    let said = crate::testing::member(JUDGES[by], &finding);
    JudgedFinding {
        id: format!("F{nth}"),
        fingerprint: format!("{nth:016x}"),
        disposition,
        ..crate::testing::judged(finding, vec![said])
    }
}

fn severity() -> impl Strategy<Value = Severity> {
    prop_oneof![
        Just(Severity::Minor),
        Just(Severity::Significant),
        Just(Severity::Critical)
    ]
}

fn disposition() -> impl Strategy<Value = Disposition> {
    prop_oneof![
        Just(Disposition::Confirmed),
        Just(Disposition::Disputed),
        Just(Disposition::Unconfirmed),
        Just(Disposition::Rejected)
    ]
}

fn vote() -> impl Strategy<Value = Vote> {
    prop_oneof![Just(Vote::Pass), Just(Vote::Warn), Just(Vote::Fail)]
}

fn consensus() -> impl Strategy<Value = ConsensusRule> {
    prop_oneof![
        Just(ConsensusRule::Findings),
        Just(ConsensusRule::Strict),
        Just(ConsensusRule::Majority)
    ]
}

#[derive(Debug, Clone)]
struct World {
    findings: Vec<JudgedFinding>,
    votes: Vec<Vote>,
    /// Which judge is a rule or a tool, if one is.
    rule: Option<usize>,
    consensus: ConsensusRule,
    quorum: usize,
    covered: bool,
}

fn world() -> impl Strategy<Value = World> {
    let findings = prop::collection::vec((severity(), disposition(), 0..JUDGES.len()), 0..6);
    let votes = prop::collection::vec(vote(), 0..=JUDGES.len());
    let rule = prop::option::of(0..JUDGES.len());
    (
        findings,
        (votes, rule),
        consensus(),
        0..4_usize,
        any::<bool>(),
    )
        .prop_map(
            |(findings, (votes, rule), consensus, quorum, covered)| World {
                findings: findings
                    .into_iter()
                    .enumerate()
                    .map(|(nth, (s, d, by))| found(nth, s, d, by))
                    .collect(),
                votes,
                rule,
                consensus,
                quorum,
                covered,
            },
        )
}

/// Two models read all of it; the first one votes FAIL, the other one PASS.
fn failing_world(consensus: ConsensusRule, findings: Vec<JudgedFinding>) -> World {
    World {
        findings,
        votes: vec![Vote::Fail, Vote::Pass],
        rule: None,
        consensus,
        quorum: 2,
        covered: true,
    }
}

impl World {
    fn judge(&self, dismissals: &[Dismissal]) -> (Verdict, VerdictReason) {
        let mut findings = self.findings.clone();
        mark_dismissed(&mut findings, dismissals);
        let ids: Vec<JudgeId> = JUDGES.iter().map(|&id| id.into()).collect();
        let votes = supported_votes(&findings, ids.iter().zip(self.votes.iter().copied()));
        let policy = VerdictPolicy {
            disputed_critical_fails: false,
            incomplete_coverage_warns: false,
        };
        let mut record = VoteRecord {
            quorum: self.quorum,
            ..VoteRecord::default()
        };
        for (nth, (judge, vote)) in ids.iter().zip(self.votes.iter().copied()).enumerate() {
            if self.rule == Some(nth) {
                record.rules.push(RuleVote {
                    judge,
                    vote,
                    unplaced: None,
                });
            } else {
                record.add_model(judge, vote, None);
            }
        }
        let case = VerdictInput {
            objections: record.objections(&findings),
            findings: &counted_standings(&findings),
            votes: &votes,
            counted: self.votes.len(),
            quorum: self.quorum,
            covered: self.covered,
            checked: true,
        };
        decide_verdict(self.consensus, policy, &case)
    }
}

#[test]
fn what_was_dismissed_shows_no_other_problem() {
    let mut shown = found(0, Severity::Critical, Disposition::Confirmed, 0);
    let mut lost = found(1, Severity::Critical, Disposition::Rejected, 1);
    lost.members[0].proof = Proof::Unverified {
        reason: "it is not there".into(),
    };
    let judge = JUDGES[1].into();
    let insists = |findings: &[JudgedFinding]| insists_unproven(findings, &[&judge]);
    assert!(
        !insists(&[shown.clone(), lost.clone()]),
        "the other quote shows it"
    );
    shown.dismissed = Some(dismissal("0000000000000000"));
    assert!(insists(&[shown, lost]), "nobody dismissed this one");
}

mod laws {
    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_dismissal_of_other_code_changes_nothing(world in world()) {
            let before = world.judge(&[]);
            prop_assert_eq!(world.judge(&[dismissal("ffffffffffffffff")]), before);
        }

        #[test]
        fn a_dismissal_never_makes_a_verdict_worse(world in world(), at in 0..6_usize) {
            let before = world.judge(&[]).0;
            let after = world.judge(&[dismissal(&format!("{at:016x}"))]).0;
            prop_assert!(after.distance_from_pass() <= before.distance_from_pass(), "{:?} -> {:?}", before, after);
        }

        #[test]
        fn no_dismissal_makes_up_for_a_judge_or_a_file(world in world()) {
            let all: Vec<_> = (0..6).map(|at| dismissal(&format!("{at:016x}"))).collect();
            let (verdict, _) = world.judge(&all);
            let short = world.votes.len() < world.quorum.max(1) || !world.covered;
            prop_assert!(!(short && matches!(verdict, Verdict::Pass | Verdict::Warn)));
        }
    }
}

#[test]
fn a_remark_that_was_dismissed_silences_nothing_that_is_worse() {
    let levels = [Severity::Minor, Severity::Significant, Severity::Critical];
    for seen in levels {
        for severity in levels {
            let mut findings = vec![found(0, severity, Disposition::Confirmed, 2)];
            let dismissal = Dismissal {
                severity: Some(seen),
                ..dismissal("0000000000000000")
            };
            mark_dismissed(&mut findings, &[dismissal]);
            assert_eq!(
                findings[0].dismissed.is_some(),
                severity <= seen,
                "{seen:?} {severity:?}"
            );
        }
    }
}

#[test]
fn what_is_dismissed_does_not_count_and_neither_does_the_vote_that_rests_on_it() {
    let world = failing_world(
        ConsensusRule::Findings,
        vec![found(0, Severity::Critical, Disposition::Confirmed, 0)],
    );
    assert_eq!(world.judge(&[]).0, Verdict::Fail);
    let dismissed = [dismissal("0000000000000000")];
    assert_eq!(
        world.judge(&dismissed),
        (Verdict::Pass, VerdictReason::NoFindings)
    );
    for consensus in [ConsensusRule::Strict, ConsensusRule::Majority] {
        let world = World {
            consensus,
            ..world.clone()
        };
        assert_eq!(
            world.judge(&dismissed),
            (Verdict::Pass, VerdictReason::Votes)
        );
    }
}

#[test]
fn a_judge_that_holds_something_else_keeps_the_vote_that_it_supports() {
    let findings = vec![
        found(0, Severity::Critical, Disposition::Confirmed, 0),
        found(1, Severity::Significant, Disposition::Unconfirmed, 0),
    ];
    let world = failing_world(ConsensusRule::Strict, findings);
    assert_eq!(
        world.judge(&[dismissal("0000000000000000")]).0,
        Verdict::Warn
    );
}

/// Who objects over two problems that are equally bad objects until both are dismissed.
#[test]
fn a_vote_stands_as_long_as_something_as_bad_is_left_of_it() {
    for severity in [Severity::Minor, Severity::Significant, Severity::Critical] {
        let both = [0, 1].map(|nth| found(nth, severity, Disposition::Unconfirmed, 0));
        let world = failing_world(ConsensusRule::Strict, both.into());
        let names = ["0000000000000000", "0000000000000001"].map(dismissal);
        for (dismissed, verdict) in [
            (&names[..1], Verdict::Fail),
            (&names[1..], Verdict::Fail),
            (&names[..], Verdict::Pass),
        ] {
            assert_eq!(world.judge(dismissed).0, verdict, "{severity:?}");
        }
    }
}

#[test]
fn a_verdict_of_before_is_judged_by_the_same_rule() {
    let mut findings = vec![found(0, Severity::Critical, Disposition::Confirmed, 0)];
    let unseen = Coverage {
        files: vec![council_protocol::coverage::FileCoverage {
            path: "a.rs".into(),
            state: CoverageState::Unreadable {
                reason: "gone".into(),
            },
        }],
    };
    let policy = VerdictPolicy {
        disputed_critical_fails: false,
        incomplete_coverage_warns: false,
    };
    let reconsidered = ReconsideredVerdict {
        consensus: ConsensusRule::Findings,
        policy,
        quorum: 2,
        judges: &[],
        benches: &[],
        coverage: &unseen,
    };
    let (verdict, reason) =
        reconsidered.decide_again(&mut findings, &[dismissal("0000000000000000")]);
    assert_eq!(
        (verdict, reason),
        (Verdict::Inconclusive, VerdictReason::BelowQuorum)
    );
    assert!(findings[0].dismissed.is_some() && findings[0].level.is_none());
}

/// Whoever could not prove a critical problem and keeps to it keeps its vote, whatever else of its findings is dismissed.
#[test]
fn a_vote_over_what_could_not_be_proven_outlives_a_dismissal() {
    for (severity, withdrawn, vote) in [
        (Severity::Critical, false, Vote::Fail),
        (Severity::Critical, true, Vote::Pass),
        (Severity::Significant, false, Vote::Pass),
    ] {
        let mut proven = found(1, Severity::Critical, Disposition::Confirmed, 0);
        proven.dismissed = Some(dismissal(&proven.fingerprint));
        let mut lost = found(2, severity, Disposition::Rejected, 0);
        lost.members[0].withdrawn = withdrawn;
        lost.members[0].proof = Proof::Unverified {
            reason: "it is not there".into(),
        };
        let judge: JudgeId = JUDGES[0].into();
        let votes = supported_votes(&[proven, lost], [(&judge, Vote::Fail)].into_iter());
        assert_eq!(votes, [vote], "{severity:?} {withdrawn}");
    }
}

/// A critical finding of one judge, under a category and in words of its own.
fn critical_of(category: &str, quote: &str, words: &str, by: usize) -> JudgedFinding {
    let mut one = found(0, Severity::Critical, Disposition::Confirmed, by);
    let describe = |finding: &mut Finding| {
        finding.category = category.into();
        finding.quote = quote.into();
        finding.description = words.into();
    };
    describe(&mut one.finding);
    describe(&mut one.members[0].finding);
    one
}

/// What was seen of a finding when it was dismissed.
fn dismissal_of(seen: &JudgedFinding) -> Dismissal {
    Dismissal {
        classes: crate::meant_classes(seen).into_iter().collect(),
        said: crate::SaidProblem::of(&seen.finding),
        ..dismissal(&seen.fingerprint)
    }
}

/// Law: of two critical problems that judges of one line call by the same broad word, a dismissal takes the one that it
/// speaks of and leaves the other, whichever heads the finding. Another wording of the same one goes with it.
#[test]
fn a_dismissal_under_a_broad_word_takes_no_other_problem_along() {
    const PROBLEMS: [[&str; 2]; 2] = [
        [
            "parse raises for an empty amount, and nobody catches it.",
            "Nobody catches what parse raises.",
        ],
        [
            "rate is zero on holidays, so this divides by zero.",
            "Divides by zero on holidays.",
        ],
    ];
    let told = |words: &str, by: usize| {
        critical_of("bug", "return parse(o.amount) / rate(o.day)", words, by)
    };
    for (of, head) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        let [said, other] = [PROBLEMS[of], PROBLEMS[1 - of]];
        let seen = told(said[0], 0);
        let dismissal = dismissal_of(&seen);
        let mut whole = told([said[1], other[0]][head], 0);
        whole.members = vec![
            told(said[1], 0).members.remove(0),
            told(other[0], 1).members.remove(0),
        ];
        let mut findings = vec![whole];
        mark_dismissed(&mut findings, &[dismissal]);
        let words = |dismissed: bool| -> Vec<&str> {
            let meant = findings
                .iter()
                .filter(|f| f.dismissed.is_some() == dismissed);
            meant.map(|f| f.finding.description.as_str()).collect()
        };
        assert_eq!(words(true), [said[1]], "{head}");
        assert_eq!(words(false), [other[0]], "{head}");
    }
}

/// Law: however many problems a finding stands for that are not listed, its dismissal takes none of them along, and the
/// change fails as long as one is left. What it names by its line is dismissed with it.
#[test]
fn no_dismissal_takes_along_what_is_not_listed() {
    let rest = [
        (" There is 1 more than an answer lists (3f9a).", 1),
        (" There are 5 more than an answer lists (3f9a).", 5),
        (
            " There are 70 more in this file: lines 1-60 and 10 more (3f9a).",
            10,
        ),
        (" There are 2 more in this file: lines 3 and 4 (3f9a).", 0),
        ("", 0),
    ];
    for (words, unlisted) in rest {
        let mut listed = found(0, Severity::Critical, Disposition::Confirmed, 0);
        let mut last = found(1, Severity::Critical, Disposition::Confirmed, 0);
        for one in [&mut listed, &mut last] {
            one.finding.rule = Some("provider-token".into());
        }
        last.finding.description += words;
        last.members[0].finding = last.finding.clone();
        assert_eq!(last.count_unlisted(), unlisted, "{words}");
        let world = World {
            findings: vec![listed, last],
            votes: vec![Vote::Fail],
            rule: Some(0),
            consensus: ConsensusRule::Findings,
            quorum: 1,
            covered: true,
        };
        let all = [0, 1].map(|nth| dismissal(&format!("{nth:016x}")));
        let left = match unlisted {
            0 => Verdict::Pass,
            _ => Verdict::Fail,
        };
        assert_eq!(world.judge(&all).0, left, "{words}");
    }
}

/// Law: of two critical problems of one line under one narrow category, neither or one of which has a well-known kind, a
/// dismissal takes the one that it speaks of, in whatever words, and leaves the other, whichever heads the finding.
#[test]
fn a_dismissal_under_a_narrow_category_takes_no_clearly_other_problem_along() {
    const PROBLEMS: [[&str; 2]; 3] = [
        [
            "The name goes into the SQL text unescaped: SQL injection.",
            "SQL injection through the name.",
        ],
        [
            "parse raises for an empty day, and nobody catches it.",
            "Nobody catches what parse raises.",
        ],
        [
            "Every row of the table is loaded into memory at once.",
            "All rows of the table are loaded into memory.",
        ],
    ];
    let told =
        |words: &str, by: usize| critical_of("sql", "query = build(name, parse(day))", words, by);
    let pairs = (0..3).flat_map(|of| (0..3).map(move |other| (of, other)));
    for (of, other) in pairs.filter(|(of, other)| of != other) {
        for (form, head) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let (said, other) = (PROBLEMS[of], PROBLEMS[other][form]);
            let seen = told(said[0], 0);
            let dismissal = dismissal_of(&seen);
            let mut alone = vec![told(other, 1)];
            mark_dismissed(&mut alone, std::slice::from_ref(&dismissal));
            assert!(alone[0].dismissed.is_none(), "{said:?} {other}");
            let mut whole = told([said[1], other][head], 0);
            whole.members = vec![
                told(said[1], 0).members.remove(0),
                told(other, 1).members.remove(0),
            ];
            let mut findings = vec![whole];
            mark_dismissed(&mut findings, &[dismissal]);
            let words = |dismissed: bool| -> Vec<&str> {
                let meant = findings
                    .iter()
                    .filter(|f| f.dismissed.is_some() == dismissed);
                meant.map(|f| f.finding.description.as_str()).collect()
            };
            assert_eq!(words(true), [said[1]], "{other} {head}");
            assert_eq!(words(false), [other], "{said:?} {head}");
        }
    }
}
