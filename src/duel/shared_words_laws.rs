//! Laws of what both sides say in words alone: a critical problem without a place is no finding, and no green either.

use proptest::prelude::*;
use proptest::sample::select;

use council_protocol::answer::Answer;
use council_protocol::{Location, Proof, Vote};

use super::protocol::render::{render_section, render_signature};
use super::protocol::speak::draft_section;
use super::protocol::transcript::{DebateTranscript, SectionKind};
use super::verdict::judge_transcript;
use super::verdict::tests::plan;
use super::{DuelEnding, DuelRole};
use crate::council::outcome::{Outcome, Verdict};

const GRAVE: [&str; 3] = [
    "This is critical: find_user puts the name into the SQL text. Do not merge.",
    "The admin check in delete_user is gone: anybody can delete. Critical, do not merge.",
    "It is a severe problem: f crashes.",
];

fn section(heading: &str, role: char, body: &str) -> String {
    format!("\n## {heading}\n\n{body}\n\n*— Agent {role}, 2025-06-15T14:30:00Z*\n\n---\n")
}

fn judged(text: &str, ending: DuelEnding) -> Outcome {
    let mut prove = |_: &Location, _: &str| (Proof::Verified, String::new());
    let mut line_at = |_: &Location| Some("total = x / 0".to_owned());
    let transcript = DebateTranscript::parse(text);
    let accounts = <[_; 2]>::default();
    let judged = judge_transcript(
        &transcript,
        ending,
        plan(),
        accounts,
        &mut prove,
        &mut line_at,
    );
    judged.unwrap().outcome
}

/// What the program writes for a side that votes so, with this sentence beside.
fn answered(text: &str, vote: Vote, sentence: &str) -> String {
    let answer = Answer {
        key_insight: sentence.into(),
        ..Answer::new(1, "k", vote)
    };
    let kind = SectionKind::Response(1);
    let said = draft_section(DuelRole::B, text, kind, &answer, Some(&answer));
    let sign = render_signature(DuelRole::B, "t", "2025-06-15T14:31:00Z");
    render_section(kind, &said, &sign)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever the other side votes beside its agreement, and whatever the first one says then: what both call critical leaves
    /// no verdict that lets the change go, and the report quotes it.
    #[test]
    fn what_both_sides_call_critical_is_never_green(
        grave in select(&GRAVE[..]),
        vote in select(&[Vote::Pass, Vote::Warn][..]),
        agreement in select(&["Agreed.", "Agreed: the name is put into the SQL text.", "I agree."][..]),
        after in select(&["Agreed on all points.", "Agreed.", "No issues.", "Vote: PASS", "I see."][..]),
        ending in select(&[DuelEnding::Consensus, DuelEnding::Limit][..]),
    ) {
        let head = format!("# Code Debate: HEAD\n{}", section("Opening", 'A', grave));
        let response = answered(&head, vote, agreement);
        prop_assert!(!response.contains("Nothing stands against"), "{}", response);
        let text = head + &response + &section("Follow-up 1", 'A', after);
        let outcome = judged(&text, ending);
        prop_assert_eq!(outcome.verdict, Verdict::Inconclusive, "{}", text);
        let told = outcome.notes.iter().any(|note| note.contains(grave));
        prop_assert!(told, "{:?}", outcome.notes);
    }

    /// A sentence that agrees where nobody objected is no reservation.
    #[test]
    fn an_agreement_with_no_objection_takes_nothing_from_a_vote(
        sentence in select(&["Agreed.", "I agree: a tidy change.", "The change is tidy."][..]),
    ) {
        let head = format!("# Code Debate: HEAD\n{}", section("Opening", 'A', "Vote: PASS"));
        let text = head.clone() + &answered(&head, Vote::Pass, sentence);
        prop_assert_eq!(judged(&text, DuelEnding::Consensus).verdict, Verdict::Pass, "{}", text);
    }
}
