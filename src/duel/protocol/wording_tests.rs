//! What words mean.

use super::*;

fn stance(text: &str) -> Option<Stance> {
    match split_label(text) {
        Some((label, rest)) => Some(stance_of_labelled(label, rest)),
        None => stance_in_words(text),
    }
}

#[test]
fn disagreement_is_seen_in_every_spelling() {
    let spellings = [
        "Disagreed",
        "**Disagreed** — no",
        "_Disagreed_: no",
        "DISAGREED",
        "`Disagreed`",
        "[Disagreed] no",
        "❌ Disagreed",
        "not reproduced / disagreed",
        "Status: **Disagreed**",
        "I disagree",
        "I respectfully disagree with this",
        "Disagree.",
        "I don’t agree",
        "I do not think that I can agree",
        "not convinced",
        "I remain unconvinced",
        "This is still wrong.",
        "That is incorrect: the lock is held",
        "This is a false positive",
        "We agree to disagree",
        "Dis\u{200b}agreed",
        "Not agreed",
        "Agreed/Disagreed",
        "Agreed | Disagreed",
    ];
    for text in spellings {
        assert_eq!(stance(text), Some(Stance::Disagreed), "{text}");
    }
}

#[test]
fn half_an_agreement_is_no_agreement() {
    let spellings = [
        "Partially agreed",
        "**Partially agreed** — yes and no",
        "partially_agreed",
        "I partly agree",
        "Agreed, but not with the fix",
        "Agreed in part",
        "I agree if the lock is held",
        "I mostly agree",
    ];
    for text in spellings {
        assert_eq!(stance(text), Some(Stance::PartiallyAgreed), "{text}");
    }
}

/// What a side said stands against its own label: it neither holds the point nor refutes it.
#[test]
fn a_label_that_its_reason_contradicts_is_half_an_agreement() {
    for text in [
        "Agreed — I disagree",
        "**Agreed**: no, I'm not convinced",
        "Agreed that this is nonsense",
    ] {
        assert_eq!(stance(text), Some(Stance::PartiallyAgreed), "{text}");
    }
}

#[test]
fn agreement_needs_no_ceremony() {
    let spellings = [
        "Agreed",
        "agreed.",
        "**Agreed** — the error is lost",
        "I agree",
        "I agree with this",
        "✅ Agreed",
        "Agreed; I no longer disagree",
        "Agreed — the call is wrong",
        "You are right, I concede",
    ];
    for text in spellings {
        assert_eq!(stance(text), Some(Stance::Agreed), "{text}");
    }
}

#[test]
fn a_question_and_a_receipt_are_no_agreement() {
    for text in [
        "Agreed?",
        "Agreed on all points? Certainly not.",
        "Do we agree?",
        "I have read this.",
        "Noted.",
        "Thanks",
        "",
    ] {
        assert_eq!(stance(text), None, "{text}");
    }
}

#[test]
fn what_follows_a_label_is_its_reason() {
    assert_eq!(
        split_label("**Agreed** — yes"),
        Some((Stance::Agreed, "yes"))
    );
    assert_eq!(
        split_label("I disagree: it is locked"),
        Some((Stance::Disagreed, "it is locked"))
    );
    assert_eq!(split_label("Disagreement"), Some((Stance::Disagreed, "")));
    assert_eq!(split_label("Agreement is far"), None);
}

#[test]
fn a_vote_is_a_word_of_its_own() {
    for text in [
        "Vote: PASSABLE",
        "Voters: FAIL",
        "I vote that we wait",
        "The vote: who knows",
        "Verdict follows",
    ] {
        assert_eq!(parse_vote(text), None, "{text}");
    }
}
