//! Functions whose bodies are alike letter by letter: each finding stays with its own.

use std::collections::BTreeMap;

use council_protocol::RepoPath;
use proptest::prelude::*;

use super::carry::{dismiss, no_side};
use super::plan::report;
use crate::council::outcome::JudgedFinding;
use crate::publish::{JudgedChange, ReviewState, ReviewedSide, ReviewedText, find_quote_places};
use crate::report::{FindingFate, Report};

const LINE: &str = "    return total / count";

/// Lines of a function, the third of which is in doubt.
const BODY: usize = 5;

/// A file with a function of each of these names.
fn file_of(names: &[u8]) -> String {
    let function = |name: &u8| format!("def f{name}(items):\n    count = len(items)\n{LINE}\n\n\n");
    names.iter().map(function).collect()
}

/// The line in doubt of the function at this place of the file.
fn line_at(place: usize) -> u32 {
    u32::try_from(place * BODY + 3).unwrap()
}

/// What the finding of a function is called.
fn called(name: u8) -> String {
    format!("{name:016x}")
}

fn review_of(names: &[u8], dismissed: &[u8]) -> Report {
    let mut before = report(names.len());
    for (place, (found, name)) in before.outcome.findings.iter_mut().zip(names).enumerate() {
        found.finding.location.line = line_at(place);
        found.finding.quote = LINE.into();
        found.members[0].finding = found.finding.clone();
        found.fingerprint = called(*name);
        if dismissed.contains(name) {
            dismiss(found);
        }
    }
    before
}

/// The side on which the file has these functions, as a review names what it finds there.
fn carry(state: &ReviewState, names: &[u8]) -> Vec<(JudgedFinding, FindingFate)> {
    let name_now = |found: &JudgedFinding| {
        let place = (found.finding.location.line as usize).checked_sub(3)? / BODY;
        let name = called(*names.get(place)?);
        (name != found.fingerprint).then_some(name)
    };
    let text = |_: &RepoPath| ReviewedText::Text(file_of(names));
    let side = ReviewedSide {
        files: vec!["src/a.rs".into()],
        read: &text,
        name_now: &name_now,
        ..no_side()
    };
    state.carry_findings(&side).findings
}

fn state_of(report: &Report, names: &[u8]) -> ReviewState {
    let text = |_: &RepoPath| ReviewedText::Text(file_of(names));
    let judged = JudgedChange {
        files: BTreeMap::from([("src/a.rs".to_owned(), "digest".to_owned())]),
        rules: "rules".to_owned(),
        quotes: find_quote_places(report, &text, &[]),
        ..JudgedChange::default()
    };
    ReviewState::of(report, judged)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Functions are put in, taken out and put elsewhere while judges are silent: a finding stands in the function that it
    /// is about, dismissed or not, and is resolved where that is gone and the functions of the other findings are not.
    #[test]
    fn a_finding_stays_with_the_function_that_it_is_about(
        before in Just((0u8..5).collect::<Vec<_>>()).prop_shuffle(),
        count in 1usize..5,
        after in Just((0u8..8).collect::<Vec<_>>()).prop_shuffle(),
        more in 0usize..4,
        dismissed in prop::sample::subsequence((0u8..5).collect::<Vec<_>>(), 0..5),
    ) {
        let before = &before[..count];
        // Where a function is gone, another one's finding may be all that is left: all of the others are still there.
        let gone = after.iter().take(more / 2);
        let gone: Vec<u8> = gone.filter(|name| before.contains(name)).copied().collect();
        let after: Vec<u8> = after
            .iter()
            .filter(|name| !gone.contains(name) && (before.contains(name) || **name >= 8 - u8::try_from(more).unwrap()))
            .copied()
            .collect();
        prop_assume!(after.iter().any(|name| before.contains(name)));
        let report = review_of(before, &dismissed);
        let carried = carry(&state_of(&report, before), &after);
        for (found, fate) in &carried {
            let name = before.iter().find(|name| called(**name) == found.fingerprint);
            let place = after.iter().position(|name| called(*name) == found.fingerprint);
            match (name, place) {
                (Some(name), Some(place)) => {
                    prop_assert_eq!(*fate, FindingFate::StillOpen);
                    prop_assert_eq!(found.finding.location.line, line_at(place));
                    prop_assert_eq!(found.dismissed.is_some(), dismissed.contains(name));
                }
                (Some(_), None) => prop_assert_eq!(*fate, FindingFate::Resolved),
                // It went to a function that is new, and is named as that.
                (None, _) => prop_assert!(!gone.is_empty(), "{}", found.fingerprint),
            }
        }
        prop_assert_eq!(carried.len(), before.len());
    }
}
