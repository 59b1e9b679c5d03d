//! What the sticky report says after a push.

use std::collections::BTreeMap;

use super::plan::report;
use crate::publish::comment::comment_body;
use crate::publish::memory::{CarriedFinding, FindingFate};
use crate::publish::{PublishOptions, ReviewState};
use crate::report::Report;
use crate::report::markdown::ReadingPlace;

const BEFORE: &str = "abc1234e9d2b4f6a8c0e1d3b5f7a9c2e4d6b8f0a";

/// The findings of a report as a run after it carries them, each with its fate.
fn carried(report: &Report, fates: &[FindingFate]) -> Vec<CarriedFinding> {
    let open = ReviewState::of(report, BTreeMap::new(), String::new()).open;
    let open = open.into_iter().zip(fates);
    open.map(|(kept, fate)| CarriedFinding { kept, fate: *fate })
        .collect()
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
    PublishOptions {
        since: Some(BEFORE.to_owned()),
        ..PublishOptions::new("council", &head)
    }
}

/// 2 of 3 findings are resolved, one is open, and F4 is new.
#[test]
fn an_update_says_on_top_what_the_push_did() {
    use FindingFate::{Resolved, StillOpen};
    let (before, mut now) = (report(3), report(4));
    now.outcome.findings.drain(..2);
    let wishes = PublishOptions {
        carried: carried(&before, &[Resolved, Resolved, StillOpen]),
        ..options()
    };
    let body = comment_body(&now, &wishes, &[], ReadingPlace::Forge);
    insta::assert_snapshot!("comment_update", shown(&body));
    let at = |text: &str| body.find(text).unwrap_or_else(|| panic!("{text}: {body}"));
    assert!(at("since `abc1234`") < at("- **critical**"), "on top");
    assert!(at("since `abc1234`") < at("Next step"), "on top");
}

/// The same commit again, or a first review, is no update; and nothing that happened is no line.
#[test]
fn what_is_no_update_says_nothing_of_one() {
    let now = report(2);
    let is_told = |wishes: &PublishOptions| {
        shown(&comment_body(&now, wishes, &[], ReadingPlace::Forge)).contains("since")
    };
    let first = PublishOptions {
        since: None,
        ..options()
    };
    let again = PublishOptions {
        since: Some(options().head),
        carried: carried(&now, &[FindingFate::StillOpen; 2]),
        ..options()
    };
    assert!(!is_told(&first) && !is_told(&again));
    assert!(is_told(&options()), "two are new");
    let clean = shown(&comment_body(
        &report(0),
        &options(),
        &[],
        ReadingPlace::Forge,
    ));
    assert!(!clean.contains("since"), "{clean}");
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
        let wishes = PublishOptions {
            carried: carried(&report(old), &fates),
            ..options()
        };
        let body = shown(&comment_body(&now, &wishes, &[], ReadingPlace::Forge));
        let line = body.lines().find(|line| line.contains(" since ")).unwrap();
        let (told, _) = line.split_once(" since ").unwrap();
        let counts = told.split(|c: char| !c.is_ascii_digit());
        let counts = counts.filter_map(|word| word.parse::<usize>().ok());
        assert_eq!(counts.sum::<usize>(), old + new, "{line}");
    }
}

/// A name of a file may be a token: the state behind the marker holds no name, and knows the files all the same.
#[test]
fn the_state_of_a_comment_holds_no_name_of_a_file() {
    let path = "src/a-zk3pq9vxw2lmt7rb8syc.txt".to_owned();
    let files = BTreeMap::from([(path.clone(), "digest".to_owned())]);
    let state = ReviewState::of(&report(0), files.clone(), "rules".to_owned());
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
