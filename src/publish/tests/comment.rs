//! What the sticky report says after a push.

use std::collections::BTreeMap;

use council_protocol::Vote;
use proptest::prelude::*;

use super::plan::report;
use crate::council::outcome::{JudgeRecord, Verdict};
use crate::council::plan::ConsensusRule;
use crate::publish::comment::comment_body;
use crate::publish::kept::OpenFinding;
use crate::publish::{ForgeState, JudgedChange, PublishOptions, ReviewState};
use crate::report::markdown::ReadingPlace;
use crate::report::{EarlierFinding, EarlierReview, FindingFate, Participation, Report, json};

const BEFORE: &str = "abc1234e9d2b4f6a8c0e1d3b5f7a9c2e4d6b8f0a";

/// A report after a review of `before` whose findings met these fates.
fn updated(mut now: Report, before: &Report, fates: &[FindingFate]) -> Report {
    let open = ReviewState::of(before, JudgedChange::default()).open;
    let told = |(kept, fate): (&OpenFinding, &FindingFate)| EarlierFinding {
        fingerprint_now: None,
        fingerprint: kept.fingerprint.clone(),
        severity: kept.finding.severity,
        location: kept.finding.location.clone(),
        description: kept.finding.description.clone(),
        fate: *fate,
        lapsed: None,
        asked: Vec::new(),
    };
    now.receipt.run.earlier = Some(EarlierReview {
        commit: BEFORE.to_owned(),
        findings: open.iter().zip(fates).map(told).collect(),
        lost: 0,
    });
    now
}

/// What a reader sees before anything is unfolded, without what the program keeps for itself.
fn shown(body: &str) -> String {
    let text = body.split("-->").nth(1).unwrap_or(body);
    text.split("<details>")
        .next()
        .unwrap_or(text)
        .trim()
        .to_owned()
}

fn options() -> PublishOptions {
    let head = report(0).target.head.unwrap();
    PublishOptions::new("council", &head)
}

/// 2 of 3 findings are resolved, one is open, and F4 is new.
#[test]
fn an_update_says_on_top_what_the_push_did() {
    use FindingFate::{Resolved, StillOpen};
    let (before, mut now) = (report(3), report(4));
    now.outcome.findings.drain(..2);
    let now = updated(now, &before, &[Resolved, Resolved, StillOpen]);
    let body = comment_body(
        &now,
        &options(),
        &ForgeState::default(),
        &[],
        ReadingPlace::Forge,
    );
    insta::assert_snapshot!("comment_update", shown(&body));
    let at = |text: &str| body.find(text).unwrap_or_else(|| panic!("{text}: {body}"));
    assert!(at("since `abc1234`") < at("- **critical**"), "on top");
    assert!(at("since `abc1234`") < at("Next step"), "on top");
}

/// What the line on top counts, no note counts again; what is said nowhere else stays.
#[test]
fn the_counts_of_an_update_are_told_once() {
    use FindingFate::{Resolved, StillOpen};
    let mut now = updated(report(2), &report(2), &[Resolved, StillOpen]);
    let earlier = now.receipt.run.earlier.as_ref().unwrap();
    let notes = earlier.notes(&now.outcome.findings);
    assert!(notes[0].ends_with("1 resolved, 1 still open"), "{notes:?}");
    now.outcome.notes = notes;
    now.outcome.notes.push("a rule was left out".to_owned());
    let told = |now: &Report| {
        let seen = ForgeState::default();
        shown(&comment_body(
            now,
            &options(),
            &seen,
            &[],
            ReadingPlace::Forge,
        ))
    };
    let body = told(&now);
    assert_eq!(body.matches("1 still open").count(), 1, "{body}");
    assert!(body.contains("a rule was left out"), "{body}");
    now.receipt.run.earlier.as_mut().unwrap().commit = options().head;
    now.outcome.notes = now
        .receipt
        .run
        .earlier
        .as_ref()
        .unwrap()
        .notes(&now.outcome.findings);
    let body = told(&now);
    assert_eq!(body.matches("1 still open").count(), 1, "no update: {body}");
}

/// The same commit again, or a first review, is no update; and nothing that happened is no line.
#[test]
fn what_is_no_update_says_nothing_of_one() {
    let is_told = |now: &Report| {
        shown(&comment_body(
            now,
            &options(),
            &ForgeState::default(),
            &[],
            ReadingPlace::Forge,
        ))
        .contains("since")
    };
    let mut again = updated(report(2), &report(2), &[FindingFate::StillOpen; 2]);
    again.receipt.run.earlier.as_mut().unwrap().commit = options().head;
    assert!(!is_told(&report(2)) && !is_told(&again));
    assert!(is_told(&updated(report(2), &report(0), &[])), "two are new");
    assert!(!is_told(&updated(report(0), &report(0), &[])));
}

/// Each finding of before and of now is counted once.
#[test]
fn the_counts_of_an_update_add_up() {
    use FindingFate::{NotVerifiable, Resolved, StillOpen};
    for (old, new) in [(1, 1), (3, 5), (5, 0), (6, 2), (0, 4)] {
        let fates = [Resolved, StillOpen, NotVerifiable];
        let fates: Vec<FindingFate> = (0..old).map(|at| fates[at % 3]).collect();
        let mut now = report(old + new);
        now.outcome.findings.drain(..old);
        let now = updated(now, &report(old), &fates);
        let body = shown(&comment_body(
            &now,
            &options(),
            &ForgeState::default(),
            &[],
            ReadingPlace::Forge,
        ));
        let line = body.lines().find(|line| line.contains(" since ")).unwrap();
        let (told, _) = line.split_once(" since ").unwrap();
        let counts = told.split(|c: char| !c.is_ascii_digit());
        let counts = counts.filter_map(|word| word.parse::<usize>().ok());
        assert_eq!(counts.sum::<usize>(), old + new, "{line}");
    }
}

fn judged(files: BTreeMap<String, String>, rules: &str) -> JudgedChange {
    JudgedChange {
        files,
        rules: rules.to_owned(),
        ..JudgedChange::default()
    }
}

/// A name of a file may be a token: the state behind the marker holds no name, and knows the files all the same.
#[test]
fn the_state_of_a_comment_holds_no_name_of_a_file() {
    let path = "src/a-zk3pq9vxw2lmt7rb8syc.txt".to_owned();
    let files = BTreeMap::from([(path.clone(), "digest".to_owned())]);
    let state = ReviewState::of(&report(0), judged(files.clone(), "rules"));
    assert!(!serde_json::to_string(&state).unwrap().contains("zk3pq9"));
    let whole = ReviewState {
        whole: true,
        ..state
    };
    assert_eq!(
        whole.judged_before(&files, "rules"),
        std::slice::from_ref(&path)
    );
    let changed = BTreeMap::from([(path, "other".to_owned())]);
    assert!(whole.judged_before(&changed, "rules").is_empty());
}

/// Findings of any number and length are all in the state, or their number is: and no state is larger than a comment.
#[test]
fn every_finding_is_kept_or_counted_and_the_comment_fits() {
    for (many, length) in [(1, 9_000), (45, 600), (90, 3_000), (400, 200), (900, 3)] {
        let mut now = report(many);
        for found in &mut now.outcome.findings {
            let texts =
                ["description", "why", "fix", "quote"].map(|word| word.repeat(length / 4 + 1));
            let finding = &mut found.finding;
            [finding.description, finding.why, finding.fix, finding.quote] = texts;
            found.members[0].finding = found.finding.clone();
        }
        let files = (0..many * 3).map(|at| (format!("src/{at}.rs"), "d".repeat(24)));
        let state = ReviewState::of(&now, judged(files.clone().collect(), ""));
        assert_eq!(state.open.len() + state.lost, many);
        assert!(many > 90 || state.lost == 0, "{many}: {}", state.lost);
        let wishes = PublishOptions {
            judged: judged(files.collect(), ""),
            ..options()
        };
        let body = comment_body(
            &now,
            &wishes,
            &ForgeState::default(),
            &[],
            ReadingPlace::Forge,
        );
        assert!(body.len() <= 65_536, "{many}: {}", body.len());
        let text = body.split_once("-->").map_or("", |(_, text)| text);
        assert!(text.contains(&format!("{many} critical")), "{many}: {text}");
    }
}

/// A run of the same commit tells the same findings under the same names, however short they had to be kept; where some
/// could not be kept, nothing is recognised.
#[test]
fn a_recognised_report_has_every_finding() {
    for many in [1, 20, 45, 100, 900] {
        let mut now = report(many);
        for found in &mut now.outcome.findings {
            found.finding.why = "Because it is so, in many words. ".repeat(8);
            found.members[0].finding = found.finding.clone();
        }
        let state = ReviewState::of(&now, JudgedChange::default());
        let again = state.recognised_report(&"k".repeat(64), None);
        assert_eq!(again.is_none(), state.lost > 0, "{many}");
        let names = |report: &Report| -> Vec<_> {
            let findings = report.outcome.findings.iter();
            findings
                .map(|f| (f.id.clone(), f.fingerprint.clone(), f.level))
                .collect()
        };
        if let Some(again) = again {
            assert_eq!(names(&again), names(&now));
            assert_eq!(again.headline(), now.headline());
        }
    }
}

/// What a judge objects to without a finding that could be carried over is judged again, in whichever file it is meant.
#[test]
fn an_objection_without_a_finding_is_no_base_for_an_update() {
    let is_base = |object: &dyn Fn(&mut JudgeRecord)| {
        let mut now = report(0);
        (now.outcome.verdict, now.outcome.consensus) =
            (Verdict::Pass, Some(ConsensusRule::Findings));
        let example = include_str!("../../../docs/examples/report.json");
        now.outcome.judges = json::parse(example).unwrap().outcome.judges;
        now.outcome.judges.iter_mut().for_each(|judge| {
            (judge.counted, judge.lost_vote, judge.unplaced) = (Some(Vote::Pass), None, None);
        });
        object(&mut now.outcome.judges[0]);
        ReviewState::of(&now, JudgedChange::default()).whole
    };
    assert!(is_base(&|_| ()));
    for vote in [Vote::Warn, Vote::Fail] {
        assert!(!is_base(&|judge| judge.counted = Some(vote)));
        assert!(!is_base(&|judge| judge.lost_vote = Some(vote)));
        assert!(!is_base(&|judge| judge.unplaced = Some(vote)));
    }
    let mut now = report(0);
    now.outcome.verdict = Verdict::Warn;
    assert!(!ReviewState::of(&now, JudgedChange::default()).whole);
}

/// What a judge says in the end, in an answer that does not count, and in one that names no place.
pub(super) type JudgeVotes = (Option<Vote>, Option<Vote>, Option<Vote>);

pub(super) fn report_of_votes(verdict: Verdict, votes: &[JudgeVotes]) -> Report {
    let mut now = report(0);
    now.outcome.verdict = verdict;
    let example = include_str!("../../../docs/examples/report.json");
    let judge = json::parse(example).unwrap().outcome.judges.remove(0);
    let judge_of = |&(counted, lost_vote, unplaced): &JudgeVotes| JudgeRecord {
        counted,
        lost_vote,
        unplaced,
        ..judge.clone()
    };
    now.outcome.judges = votes.iter().map(judge_of).collect();
    now.receipt.participation = Participation::of(&now.outcome.judges, 1);
    now
}

fn votes() -> impl Strategy<Value = Vec<JudgeVotes>> {
    let vote = || {
        prop::option::of(prop::sample::select(vec![
            Vote::Pass,
            Vote::Warn,
            Vote::Fail,
        ]))
    };
    prop::collection::vec((vote(), vote(), vote()), 1..4)
}

proptest! {
    /// Whatever bars a better verdict and is told by no finding is told again over the very same change, however often;
    /// over another change, or where nobody objected, the council is asked.
    #[test]
    fn what_no_finding_carries_stands_over_the_same_change(
        votes in votes(),
        verdict in prop::sample::select(vec![
            Verdict::Pass, Verdict::Warn, Verdict::Inconclusive, Verdict::Fail, Verdict::Skipped,
        ]),
        times in 1usize..4,
    ) {
        let mut now = report_of_votes(verdict, &votes);
        // An answer that could not be had objects to nothing.
        let objects = votes.iter().any(|&(counted, lost, unplaced)| {
            [counted, lost, unplaced].into_iter().any(|vote| vote > Some(Vote::Pass))
        });
        let stands = match verdict {
            Verdict::Pass | Verdict::Skipped => false,
            Verdict::Warn | Verdict::Fail => true,
            Verdict::Inconclusive => objects,
        };
        for _ in 0..times {
            let judged = JudgedChange { digest: "this".to_owned(), ..JudgedChange::default() };
            let kept = serde_json::to_value(ReviewState::of(&now, judged)).unwrap();
            let kept: ReviewState = serde_json::from_value(kept).unwrap();
            prop_assert!(kept.objection_to("other", None).is_none() && kept.objection_to("", None).is_none());
            let told = kept.objection_to("this", None);
            // Nobody tells again what contradicts itself.
            let is_sound = json::contradiction(&now).is_none();
            prop_assert_eq!(told.is_some(), stands && is_sound);
            let Some(told) = told else { break };
            prop_assert_eq!((told.outcome.verdict, told.headline()), (verdict, now.headline()));
            now = told;
        }
    }
}
