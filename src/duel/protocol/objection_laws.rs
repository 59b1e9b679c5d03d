//! Laws of votes and objections over random transcripts: what speaks against the change is heard however it is put.

use proptest::prelude::*;
use proptest::sample::select;

use council_protocol::Vote;

use super::laws::{CLOSINGS, phrase, signed};
use super::side::{ending_of, is_settled};
use super::standing::DebateState;
use super::transcript::DebateTranscript;
use super::votes::vote_of;
use super::{DuelEnding, DuelRole};

const OBJECTIONS: [&str; 8] = [
    "I was wrong: `src/a.py:2` deletes every row. This is critical, do not merge.",
    "Please don't merge this.",
    "This must not go in.",
    "It is a severe problem.",
    "That is a blocker",
    "| severity | critical |",
    "- this opens a vulnerability in the login",
    "I cannot approve it.",
];

const CONSENTS: [&str; 8] = [
    "LGTM",
    "Looks good to me",
    "Approved",
    "I approve",
    "No issues",
    "Vote: PASS",
    "**Vote: PASS**",
    "Agreed on all points",
];

const DEFECTS: [&str; 10] = [
    "f raises ZeroDivisionError on every call",
    "a secret key is leaked",
    "there is an SQL injection in g",
    "`f` deletes the database",
    "f never returns",
    "the file is never closed",
    "one bug: f loses the last row",
    "f always crashes",
    "the return code is wrong",
    "the input is not checked",
];

/// How consent and what takes it back stand beside each other; the second and third are conditions.
fn joined(form: usize, consent: &str, defect: &str) -> String {
    match form {
        0 => format!("{consent}, but {defect}."),
        1 => format!("{consent}, once this is gone: {defect}."),
        2 => format!("{consent}, provided that somebody mends this ({defect})"),
        3 => format!("{consent} — although {defect}"),
        4 => format!("{consent}.\n\n{defect}."),
        5 => format!("{consent}\n\n- {defect}"),
        6 => format!("{defect}.\n\n{consent}"),
        _ => format!("{consent}; {defect}."),
    }
}

/// What makes a condition of what stands behind a vote.
const CONDITIONS: [&str; 13] = [
    " if",
    " — but only if",
    " with conditions, since",
    " except where",
    " for everything but",
    "?",
    " (after",
    " once",
    " unless",
    " — see",
    " — I object to",
    " only if",
    " with concerns about",
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Consent is bare: under a condition, or beside something that is wrong, it settles nothing.
    #[test]
    fn consent_beside_a_defect_settles_nothing(
        form in 0..8usize,
        consent in select(&CONSENTS[..]),
        defect in select(&DEFECTS[..]),
    ) {
        let said = joined(form, consent, defect);
        let text = format!(
            "# Code Debate: HEAD\n{}{}",
            signed("Opening", "Vote: PASS", 'A', 0),
            signed("Response 1", &said, 'B', 1)
        );
        let state = DebateState::read(&DebateTranscript::parse(&text));
        prop_assert!(!state.is_settled(), "{}", said);
    }

    /// A vote is one however it is set, and the worst of a section counts.
    #[test]
    fn a_vote_is_one_in_every_form(form in 0..9usize, vote in select(&[Vote::Pass, Vote::Warn, Vote::Fail][..])) {
        let word = vote.as_str();
        let line = match form {
            0 => format!("Vote: {word}"),
            1 => format!("**Vote: {word}**"),
            2 => format!("vote: {}", word.to_lowercase()),
            3 => format!("**Vote:** {word} — it is lost"),
            4 => format!("- Vote: {word}"),
            5 => format!("### Vote: {word}"),
            6 => format!("| Vote | {word} |"),
            7 => format!("My vote: **{word}**"),
            _ => format!("Verdict: {word}."),
        };
        let text = "# Code Debate: HEAD\n".to_owned() + &signed("Opening", &format!("Vote: PASS\n\n{line}"), 'A', 0);
        let named = vote_of(&DebateTranscript::parse(&text), DuelRole::A).map(|(vote, _)| vote);
        prop_assert_eq!(named, Some(vote), "{}", text);
    }

    /// A vote with a condition is no consent, however it is put: nothing is settled by it.
    #[test]
    fn a_vote_with_a_condition_settles_nothing(
        link in select(&CONDITIONS[..]),
        rest in "[a-z]{3,8} [a-z]{3,8}",
        mark in select(&["Vote: PASS", "**Vote: PASS**", "vote: pass", "Verdict: PASS"][..]),
    ) {
        let said = |line: &str| {
            "# Code Debate: HEAD\n".to_owned() + &signed("Opening", "Vote: PASS — nothing found", 'A', 0)
                + &signed("Response 1", line, 'B', 1)
        };
        let plain = said(mark);
        prop_assert!(is_settled(&DebateTranscript::parse(&plain)), "{}", plain);
        let text = said(&format!("{mark}{link} {rest}"));
        prop_assert!(!is_settled(&DebateTranscript::parse(&text)), "{}", text);
    }

    /// Plain words against the change bar an agreement until their side takes them back, whoever closes.
    #[test]
    fn no_objection_in_plain_words_ends_as_consensus(
        words in select(&OBJECTIONS[..]),
        before in phrase(),
        taken_back in any::<bool>(),
        closing in select(&CLOSINGS[..]),
    ) {
        let opening = signed("Opening", "Vote: PASS — nothing found", 'A', 0);
        let said = signed("Follow-up 1", &format!("I read {before}.\n\n{words}"), 'A', 2);
        let answered = if taken_back { "" } else { "There is nothing to add." };
        let text = format!("# Code Debate: HEAD\n{opening}") + &signed("Response 1", "Vote: PASS", 'B', 1) + &said
            + &signed("Response 2", "I see.", 'B', 3)
            + &signed("Follow-up 2", if taken_back { "I was wrong: I found nothing, no issues." } else { answered }, 'A', 4)
            + &signed("Response 3", "I see.", 'B', 5);
        let transcript = DebateTranscript::parse(&text);
        prop_assert_eq!(DebateState::read(&transcript).is_settled(), taken_back, "{}", text);
        let ending = ending_of(&DebateTranscript::parse(&format!("{text}{closing}")));
        prop_assert_eq!(ending == DuelEnding::Consensus, taken_back, "{}", text);
    }
}
