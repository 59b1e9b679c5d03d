//! Files of nothing but secrets: the work is bounded, nothing else is lost for it, and what nobody looked at is said.

use std::sync::Arc;

use council_protocol::coverage::{CoverageState, FileCoverage};
use council_protocol::{Finding, RepoPath, Side};
use proptest::prelude::*;

use super::escapes::Bytes;
use crate::fixture::RuleFixture;
use crate::view::searched_lines;

/// Lines that a rule about secrets speaks of, each another one.
fn flood(count: usize) -> String {
    let line = |at: usize| format!("AKI{}{}\n", 'A', base32(at));
    (0..count).map(line).collect()
}

fn base32(mut number: usize) -> String {
    const SIGNS: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let mut text = String::from("Q3ZR7WV5LK");
    for _ in 0..6 {
        text.push(char::from(SIGNS[number % 32]));
        number /= 32;
    }
    text
}

/// What the rules say of a file that is too large to be shown.
fn findings(text: &str) -> Vec<Finding> {
    let mut fixture = RuleFixture::parse("=== data/keys.txt\n+x\n");
    let packet = Arc::make_mut(&mut fixture.packet);
    packet.files[0].hunks.clear();
    packet.files[0].new_size = Some(text.len() as u64);
    let path: RepoPath = "data/keys.txt".into();
    let what = "too large".to_owned();
    let state = CoverageState::Opaque { what, lowers: true };
    packet.coverage.files = vec![FileCoverage { path, state }];
    let mut blobs = Bytes::default();
    blobs.0.insert(Side::New, text.as_bytes().into());
    let seat = super::seat("security", &[]);
    let mut judge =
        super::BuiltinJudge::new(&seat, fixture.packet.clone(), Arc::new(blobs)).unwrap();
    super::ask(&mut judge, 1, council_protocol::task::Task::Review).findings
}

fn rest(findings: &[Finding]) -> &Finding {
    let mut rest = findings.iter().filter(|f| f.description.contains("There "));
    rest.next().expect("a finding for the rest")
}

/// Law: however many tokens a file has, as many of its lines are searched in detail; all others are counted.
#[test]
fn the_work_for_a_flood_of_tokens_does_not_grow_with_it() {
    let searched: Vec<usize> = [1_000, 4_000, 16_000]
        .into_iter()
        .map(|count| {
            let before = searched_lines();
            let found = findings(&flood(count));
            let unread = format!(
                "56 more than an answer lists, and {} lines behind them were not",
                count - 256
            );
            assert!(
                rest(&found).description.contains(&unread),
                "{}",
                rest(&found).description
            );
            searched_lines() - before
        })
        .collect();
    assert!(searched[0] >= 256 && searched[0] < 400, "{searched:?}");
    assert!(
        searched.iter().all(|count| *count == searched[0]),
        "{searched:?}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    /// Law: wherever in a flood what another rule fails a change for stands, it is found at its line; and whatever is added to what
    /// nobody looked at is another finding than the one that may have been dismissed.
    #[test]
    fn no_other_secret_is_lost_in_a_flood(count in 300_usize..3_000, at in 0.0_f64..1.0) {
        let body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKjMzEf";
        let [begin, end] = ["BEGIN", "END"].map(|word| format!("-----{word} RSA PRI{}KEY-----", "VATE "));
        let other = &format!("{begin}\n{body}\n{end}\n");
        let tokens = flood(count);
        let lines: Vec<&str> = tokens.split_inclusive('\n').collect();
        let at = ((lines.len() as f64) * at) as usize;
        let (before, behind) = (lines[..at].concat(), lines[at..].concat());
        let text = format!("{before}{other}{behind}");
        let found = findings(&text);
        let is_other = |f: &&Finding| f.rule.as_deref() == Some("private-key");
        let places: Vec<u32> = found.iter().filter(is_other).map(|f| f.location.line).collect();
        prop_assert_eq!(places, vec![u32::try_from(at).unwrap() + 1]);
        let more = findings(&format!("{text}{}", flood(count + 1).lines().last().unwrap()));
        prop_assert_ne!(&rest(&found).description, &rest(&more).description);
    }
}
