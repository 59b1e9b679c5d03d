//! What becomes of open findings before the next review begins.

use std::collections::BTreeMap;

use council_protocol::{FileChange, Proof, RepoPath};
use proptest::prelude::*;

use super::plan::report;
use crate::council::outcome::{Disposition, FindingLevel, JudgedFinding, Verdict, VerdictReason};
use crate::council::plan::VerdictPolicy;
use crate::council::{Dismissal, DismissalGround, add_carried, name_now};
use crate::publish::{JudgedChange, ReviewState, ReviewedSide, ReviewedText, find_quote_places};
use crate::report::{EarlierReview, FindingFate, Report};

pub(super) const CODE: &str = "let x = 1;";

pub(super) fn state(report: &Report) -> ReviewState {
    let files = BTreeMap::from([("src/a.rs".to_owned(), "digest".to_owned())]);
    let text = |_: &RepoPath| ReviewedText::Text(format!("{CODE}\n"));
    let judged = JudgedChange {
        files,
        rules: "rules".to_owned(),
        quotes: find_quote_places(report, &text, &[]),
        ..JudgedChange::default()
    };
    ReviewState::of(report, judged)
}

/// A change of which nothing is known.
pub(super) fn no_side() -> ReviewedSide<'static> {
    ReviewedSide {
        files: Vec::new(),
        changes: &[],
        is_judged: &|_| true,
        read: &|_| ReviewedText::Gone,
        read_before: &|_| ReviewedText::Gone,
        prove: &|_, _| None,
        cites: &|_| true,
        dismissed: &[],
        name_now: &|_| None,
        is_named_at: &|_, _, _| true,
        is_looked_for: &|finding| finding.rule.as_deref() == Some("a-rule"),
        is_read_by_rules: &|_| false,
        is_part: false,
    }
}

/// Files of the reviewed side, each with its text and whether it is judged.
pub(super) type Files = BTreeMap<&'static str, (String, bool)>;

pub(super) fn fates(state: &ReviewState, files: &Files) -> Vec<(FindingFate, String, u32)> {
    let file = |path: &RepoPath| files.get(&*path.display()).cloned();
    let is_judged = |path: &RepoPath| file(path).is_none_or(|(_, judged)| judged);
    let read = |path: &RepoPath| match file(path) {
        Some((text, _)) => ReviewedText::Text(text),
        None => ReviewedText::Gone,
    };
    let side = ReviewedSide {
        files: files.keys().map(|&path| RepoPath::from(path)).collect(),
        changes: &[],
        is_judged: &is_judged,
        read: &read,
        ..no_side()
    };
    let carried = state.carry_findings(&side);
    let told = carried.findings.into_iter().map(|(found, fate)| {
        let place = found.finding.location;
        (fate, place.path.display().into_owned(), place.line)
    });
    told.collect()
}

proptest! {
    /// Wherever the code of a finding goes, whatever stands around it and whoever is shown it there: as long as it is in the
    /// change, the finding is not resolved.
    #[test]
    fn code_that_is_moved_resolves_nothing(
        above in 0usize..5,
        to in prop::sample::select(vec!["src/a.rs", "src/b.rs", "vendor/a.rs"]),
        is_judged in any::<bool>(),
        stays in any::<bool>(),
        by_rule in any::<bool>(),
        blanks in any::<bool>(),
        breaks in any::<bool>(),
    ) {
        let mut before = report(1);
        let found = &mut before.outcome.findings[0];
        found.finding.rule = by_rule.then(|| "a-rule".to_owned());
        let code = match (blanks, breaks) {
            (true, _) => CODE.replace('=', " =\t "),
            (_, true) => CODE.replace(' ', "\n  "),
            _ => CODE.to_owned(),
        };
        let text = "// one\n".repeat(above) + "    " + &code + "\n";
        let mut files = Files::from([(to, (text, is_judged))]);
        if stays && to != "src/a.rs" {
            files.insert("src/a.rs", ("fn a() {}\n".to_owned(), true));
        }
        let told = fates(&state(&before), &files);
        let (fate, path, line) = &told[0];
        // A rule that reads it raises it there.
        let is_raised_again = by_rule && is_judged;
        prop_assert!(is_raised_again || *fate != FindingFate::Resolved, "{:?}", told);
        prop_assert_eq!((path.as_str(), *line as usize), (to, above + 1));
        if !is_raised_again && to != "src/a.rs" {
            let unread = *fate == FindingFate::NotVerifiable;
            prop_assert_eq!(unread, !is_judged);
        }
    }
}

/// What a rule found in a file that no judge is shown again is resolved where the rule reads the file and is silent: what
/// it depends on may have been mended in another one.
#[test]
fn a_rule_has_the_last_word_about_a_file_that_only_rules_read_again() {
    let mut before = report(1);
    for (rule, is_read, is_resolved) in [
        (Some("a-rule"), true, true),
        (Some("a-rule"), false, false),
        (Some("of-a-tool"), true, false),
        (None, true, false),
    ] {
        before.outcome.findings[0].finding.rule = rule.map(str::to_owned);
        let read = |_: &RepoPath| ReviewedText::Text(format!("{CODE}\n"));
        let is_read_by_rules = |_: &RepoPath| is_read;
        let side = ReviewedSide {
            files: vec!["src/a.rs".into()],
            is_judged: &|_| false,
            read: &read,
            is_read_by_rules: &is_read_by_rules,
            ..no_side()
        };
        let (_, fate) = state(&before).carry_findings(&side).findings.remove(0);
        assert_eq!(
            fate == FindingFate::Resolved,
            is_resolved,
            "{rule:?} {is_read}"
        );
    }
}

/// A formatter puts brackets around what it breaks into lines: that is the same code, and a mend is not.
#[test]
fn what_a_formatter_wraps_is_still_open() {
    let mut before = report(1);
    before.outcome.findings[0].finding.quote = "query = f\"SELECT {name}\"".to_owned();
    before.outcome.findings[0].finding.rule = None;
    let fate = |text: &str| {
        let files = Files::from([("src/a.rs", (text.to_owned(), true))]);
        fates(&state(&before), &files).remove(0)
    };
    let (fate_now, _, line) = fate("\nquery = (\n    f\"SELECT {name}\"\n)\n");
    assert_eq!((fate_now, line), (FindingFate::StillOpen, 2));
    let mended = fate("query = (\n    \"SELECT ?\"\n)\n");
    assert_eq!(mended.0, FindingFate::Resolved);
}

#[test]
fn code_that_is_gone_is_resolved_and_the_same_words_elsewhere_are_other_code() {
    let state = state(&report(1));
    assert_eq!(fates(&state, &Files::new())[0].0, FindingFate::Resolved);
    // The file is as it is without the change.
    let elsewhere = Files::from([("src/b.rs", ("fn b() {}\n".to_owned(), true))]);
    let fate = |text: &str| {
        let side = ReviewedSide {
            files: elsewhere.keys().map(|&path| RepoPath::from(path)).collect(),
            changes: &[],
            is_judged: &|_| true,
            read: &|path| {
                let own = (path.display() == "src/a.rs").then_some(text);
                ReviewedText::Text(own.unwrap_or("fn b() {}\n").to_owned())
            },
            ..no_side()
        };
        state.carry_findings(&side).findings[0].1
    };
    assert_eq!(fate(CODE), FindingFate::Resolved);
    let edited = Files::from([("src/a.rs", ("let x = 2;\n".to_owned(), true))]);
    assert_eq!(fates(&state, &edited)[0].0, FindingFate::Resolved);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Where nobody speaks of a finding, a push makes it neither more nor less certain, however the change ended: the votes over
    /// it stand beside it.
    #[test]
    fn a_push_over_which_nobody_speaks_changes_no_disposition(
        verdict in prop::sample::select(vec![Verdict::Warn, Verdict::Fail, Verdict::Inconclusive]),
        reason in prop::sample::select(vec![
            VerdictReason::CriticalUnconfirmed, VerdictReason::StandingObjection, VerdictReason::CriticalConfirmed,
        ]),
        known in prop::collection::vec(prop::sample::select(vec![
            (Disposition::Confirmed, FindingLevel::Fail),
            (Disposition::Unconfirmed, FindingLevel::Warn),
            (Disposition::Disputed, FindingLevel::Warn),
        ]), 1..5),
    ) {
        let mut before = report(known.len());
        (before.outcome.verdict, before.outcome.reason) = (verdict, reason);
        for (found, (disposition, level)) in before.outcome.findings.iter_mut().zip(&known) {
            (found.disposition, found.level) = (*disposition, Some(*level));
            found.disputed_by_test = *disposition == Disposition::Disputed;
        }
        let side = ReviewedSide {
            files: vec!["src/a.rs".into()],
            read: &|_| ReviewedText::Text(CODE.to_owned()),
            ..no_side()
        };
        let carried = state(&before).carry_findings(&side).standing();
        let told: Vec<_> = carried.iter().map(|found| found.disposition).collect();
        let known: Vec<_> = known.iter().map(|(disposition, _)| *disposition).collect();
        prop_assert_eq!(told, known);
    }
}

/// The change of `src/a.rs` (before: `was`) whose hunk has these lines, each with its marker.
fn changed(path: &str, was: Option<&str>, body: &str) -> FileChange {
    let status = match was {
        Some(_) => "renamed",
        None => "modified",
    };
    serde_json::from_value(serde_json::json!({
        "path": path, "old_path": was, "status": status, "kind": "text", "old_mode": 0o100_644, "new_mode": 0o100_644,
        "old_id": "1", "new_id": "2",
        "hunks": [{ "old_start": 1, "old_lines": 9, "new_start": 1, "new_lines": 9, "section": "", "body": body }],
    }))
    .unwrap()
}

proptest! {
    /// A finding about code that the change removes is open for as long as the change removes it, whatever else is done to the
    /// file, and wherever that is; and it is resolved when the code is back.
    #[test]
    fn removed_code_is_a_finding_until_it_is_back(
        is_removed in any::<bool>(),
        is_moved in any::<bool>(),
        is_judged in any::<bool>(),
        other_lines in prop::collection::vec("[+ -][a-w]{1,6}", 0..6),
        deeper in 0usize..8,
    ) {
        let mut before = report(1);
        before.outcome.findings[0].members[0].proof = Proof::Removed { line: 1, old_line: 4 };
        let kept = state(&before);
        let kept: ReviewState = serde_json::from_value(serde_json::to_value(&kept).unwrap()).unwrap();
        let mark = if is_removed { '-' } else { ' ' };
        let code = format!("{mark}{}{CODE}", " ".repeat(deeper));
        let body: String = other_lines.iter().chain([&code]).map(|line| format!("{line}\n")).collect();
        let (path, was) = if is_moved { ("src/b.rs", Some("src/a.rs")) } else { ("src/a.rs", None) };
        let changes = [changed(path, was, &body)];
        let side = ReviewedSide {
            files: vec![path.into()],
            changes: &changes,
            is_judged: &|_| is_judged,
            // The same words elsewhere in the file are other code.
            read: &|_| ReviewedText::Text(CODE.to_owned()),
            ..no_side()
        };
        let fate = kept.carry_findings(&side).findings[0].1;
        prop_assert_eq!(fate == FindingFate::Resolved, is_judged && !is_removed);
    }
}

/// Where the file itself is as it was before, nothing is removed from it.
#[test]
fn a_file_that_is_no_longer_changed_has_lost_nothing() {
    let mut before = report(1);
    before.outcome.findings[0].members[0].proof = Proof::Removed {
        line: 1,
        old_line: 4,
    };
    let changes = [changed("src/c.rs", None, &format!("-{CODE}\n"))];
    let fate = |text: ReviewedText| {
        let side = ReviewedSide {
            files: Vec::new(),
            changes: &changes,
            is_judged: &|_| true,
            read: &|_| text.clone(),
            ..no_side()
        };
        state(&before).carry_findings(&side).findings[0].1
    };
    assert_eq!(
        fate(ReviewedText::Text(CODE.to_owned())),
        FindingFate::Resolved
    );
    // It was moved a second time.
    assert_eq!(fate(ReviewedText::Gone), FindingFate::StillOpen);
}

pub(super) fn dismiss(found: &mut JudgedFinding) {
    found.level = None;
    found.dismissed = Some(Dismissal {
        fingerprint: found.fingerprint.clone(),
        severity: Some(found.finding.severity),
        classes: Vec::new(),
        said: None,
        ground: DismissalGround::FalsePositive,
        because: "it is a constant".to_owned(),
        by: "@wendy".to_owned(),
        at: "2026-03-09T10:00:00Z".to_owned(),
    });
}

/// What is there of a finding in the next review.
#[derive(Debug, Clone, Copy, PartialEq)]
enum NextReview {
    Same,
    Renamed,
    Dismissed,
    Gone,
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// What the last review left open is still open or resolved; what was dismissed in it comes back or is not spoken of; and
    /// each finding that counts now is counted once.
    #[test]
    fn only_what_was_open_is_still_open(
        each in prop::collection::vec(
            (any::<bool>(), prop::sample::select(vec![
                NextReview::Same, NextReview::Renamed, NextReview::Dismissed, NextReview::Gone,
            ])),
            1..7,
        ),
        new in 0usize..3,
    ) {
        let (mut before, mut now) = (report(each.len()), report(each.len() + new));
        for (at, &(was_dismissed, next)) in each.iter().enumerate() {
            let found = &mut now.outcome.findings[at];
            match next {
                NextReview::Renamed => found.fingerprint = format!("{:016x}", 0xabc00 + at),
                NextReview::Dismissed => dismiss(found),
                NextReview::Same | NextReview::Gone => {}
            }
            if was_dismissed {
                dismiss(&mut before.outcome.findings[at]);
            }
        }
        let is_gone = |at: usize| each.get(at).is_some_and(|(_, next)| *next == NextReview::Gone);
        let mut at = 0..;
        now.outcome.findings.retain(|_| !is_gone(at.next().unwrap_or_default()));
        let told = state(&before).carry_findings(&no_side()).settle(&now.outcome);
        let count = |was: bool, next: &[NextReview]| {
            each.iter().filter(|(dismissed, is)| *dismissed == was && next.contains(is)).count()
        };
        let open = [NextReview::Same, NextReview::Renamed];
        let expected = [
            (count(false, &[NextReview::Gone]), "resolved"),
            (count(true, &open), "came back"),
            (count(false, &open), "still open"),
            (count(false, &[NextReview::Dismissed]), "dismissed"),
            (new, "new"),
        ];
        let expected = expected.iter().filter(|(count, _)| *count > 0);
        let expected: Vec<String> = expected.map(|(count, word)| format!("{count} {word}")).collect();
        prop_assert_eq!(told.counts_in_words(&now.outcome.findings), expected.join(", "));
        for found in &told.findings {
            let is_back = found.fate == FindingFate::CameBack;
            let lapsed = found.lapsed.as_ref().map(|lapsed| lapsed.in_words()).unwrap_or_default();
            let why = match found.fingerprint_now {
                Some(_) => "by @wendy no longer holds, because the code around it has changed",
                None => "by @wendy no longer holds, because it was taken back",
            };
            prop_assert_eq!(is_back, lapsed.contains(why), "{}", lapsed);
        }
        // Where its code was moved, a finding is carried under its name of now: that takes no dismissal back.
        let mut moved = state(&before).carry_findings(&no_side());
        for (found, _) in &mut moved.findings {
            let mut old = before.outcome.findings.iter();
            let at = old.position(|old| old.fingerprint == found.fingerprint).unwrap();
            if each[at].1 == NextReview::Renamed {
                found.fingerprint = format!("{:016x}", 0xabc00 + at);
            }
        }
        let moved = moved.settle(&now.outcome);
        let reasons = |told: &EarlierReview| -> Vec<_> {
            told.findings.iter().map(|found| found.lapsed.clone()).collect()
        };
        prop_assert_eq!(reasons(&moved), reasons(&told));
        // What is dismissed or restored after the review is told as if it had been so before.
        let mut late = now.outcome.clone();
        for found in &mut late.findings {
            match found.dismissed {
                Some(_) => (found.dismissed, found.level) = (None, Some(FindingLevel::Warn)),
                None => dismiss(found),
            }
        }
        let fresh = state(&before).carry_findings(&no_side()).settle(&late);
        let mut retold = told.clone();
        retold.follow_dismissals(&late.findings);
        let was_open = |told: &EarlierReview| {
            let mut open = told.findings.clone();
            open.retain(|found| before.outcome.findings.iter().any(|old| {
                old.fingerprint == found.fingerprint && old.dismissed.is_none()
            }));
            open
        };
        prop_assert_eq!(was_open(&retold), was_open(&fresh));
        let notes = told.notes(&now.outcome.findings);
        let back = count(true, &open);
        prop_assert_eq!(notes.iter().any(|note| note.contains("came back: its dismissal")), back > 0);
    }
}

/// A model may call what it found as the rule is called that looks for it. The rule that finds its own again resolves
/// nothing of the model's, and takes nothing over from it.
#[test]
fn a_rules_finding_is_not_a_models_of_the_same_line_and_name() {
    let mut before = report(2);
    for (found, rule) in before
        .outcome
        .findings
        .iter_mut()
        .zip([None, Some("a-rule")])
    {
        found.finding.category = "a-rule".into();
        found.finding.rule = rule.map(str::to_owned);
        found.finding.location.line = 1;
        found.finding.quote = CODE.into();
        found.members[0].finding = found.finding.clone();
        found.fingerprint = name_now(found, CODE).unwrap();
    }
    let text = |_: &RepoPath| ReviewedText::Text(format!("{CODE}\n"));
    let side = ReviewedSide {
        files: vec!["src/a.rs".into()],
        read: &text,
        ..no_side()
    };
    let carried = state(&before).carry_findings(&side);
    let [model, ruled] = &before.outcome.findings[..] else {
        panic!("two are found")
    };
    assert_ne!(model.fingerprint, ruled.fingerprint);
    let policy = VerdictPolicy {
        disputed_critical_fails: false,
        incomplete_coverage_warns: false,
    };
    let mut now = report(0);
    now.outcome.findings = add_carried(vec![ruled.clone()], &carried.standing(), policy, 2);
    let told = carried.settle(&now.outcome);
    let told: Vec<_> = told
        .findings
        .iter()
        .map(|old| (old.fingerprint.as_str(), old.fate))
        .collect();
    let open = [model, ruled].map(|found| (found.fingerprint.as_str(), FindingFate::StillOpen));
    assert_eq!(told, open);
}
