//! What becomes of open findings before the next review begins.

use std::collections::BTreeMap;

use council_protocol::RepoPath;
use proptest::prelude::*;

use super::plan::report;
use crate::council::outcome::{Disposition, FindingLevel, VerdictReason};
use crate::publish::{ReviewState, ReviewedSide, ReviewedText};
use crate::report::{FindingFate, Report};

const CODE: &str = "let x = 1;";

fn state(report: &Report) -> ReviewState {
    let files = BTreeMap::from([("src/a.rs".to_owned(), "digest".to_owned())]);
    ReviewState::of(report, files, "rules".to_owned())
}

/// Files of the reviewed side, each with its text and whether it is judged.
type Files = BTreeMap<&'static str, (String, bool)>;

fn fates(state: &ReviewState, files: &Files) -> Vec<(FindingFate, String, u32)> {
    let file = |path: &RepoPath| files.get(&*path.display()).cloned();
    let is_judged = |path: &RepoPath| file(path).is_none_or(|(_, judged)| judged);
    let read = |path: &RepoPath| match file(path) {
        Some((text, _)) => ReviewedText::Text(text),
        None => ReviewedText::Gone,
    };
    let side = ReviewedSide {
        files: files.keys().map(|&path| RepoPath::from(path)).collect(),
        is_judged: &is_judged,
        read: &read,
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
    ) {
        let mut before = report(1);
        let found = &mut before.outcome.findings[0];
        found.finding.rule = by_rule.then(|| "a-rule".to_owned());
        let text = "// one\n".repeat(above) + "    " + CODE + "\n";
        let mut files = Files::from([(to, (text, is_judged))]);
        if stays && to != "src/a.rs" {
            files.insert("src/a.rs", ("fn a() {}\n".to_owned(), true));
        }
        let told = fates(&state(&before), &files);
        let (fate, path, line) = &told[0];
        let is_raised_again = by_rule && is_judged;
        prop_assert!(is_raised_again || *fate != FindingFate::Resolved, "{:?}", told);
        if !is_raised_again && to != "src/a.rs" {
            prop_assert_eq!((path.as_str(), *line as usize), (to, above + 1));
            let unread = *fate == FindingFate::NotVerifiable;
            prop_assert_eq!(unread, !is_judged);
        }
    }
}

#[test]
fn code_that_is_gone_is_resolved_and_the_same_words_elsewhere_are_other_code() {
    let state = state(&report(1));
    assert_eq!(fates(&state, &Files::new())[0].0, FindingFate::Resolved);
    let edited = Files::from([("src/a.rs", ("let x = 2;\n".to_owned(), true))]);
    assert_eq!(fates(&state, &edited)[0].0, FindingFate::Resolved);
}

/// Most judges failed the change, each over a problem of its own: as long as those stand, nobody's silence makes it better.
#[test]
fn what_failed_by_votes_fails_the_next_review_as_well() {
    let mut before = report(2);
    before.outcome.reason = VerdictReason::CriticalUnconfirmed;
    for found in &mut before.outcome.findings {
        (found.disposition, found.level) = (Disposition::Unconfirmed, Some(FindingLevel::Warn));
    }
    let dispositions = |report: &Report| -> Vec<Disposition> {
        let side = ReviewedSide {
            files: Vec::new(),
            is_judged: &|_| true,
            read: &|_| ReviewedText::Text(CODE.to_owned()),
        };
        let carried = state(report).carry_findings(&side).standing();
        carried.iter().map(|found| found.disposition).collect()
    };
    assert_eq!(dispositions(&before), [Disposition::Confirmed; 2]);
    // One that failed the change alone leaves the other as it was.
    let first = &mut before.outcome.findings[0];
    (first.disposition, first.level) = (Disposition::Confirmed, Some(FindingLevel::Fail));
    let told = dispositions(&before);
    assert_eq!(told, [Disposition::Confirmed, Disposition::Unconfirmed]);
}
