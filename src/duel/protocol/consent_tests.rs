//! What approves, and what only seems to.

use super::*;

/// Whoever names a place and clears it speaks for the change; whoever only names it has seen something there.
#[test]
fn a_place_is_named_for_a_reason() {
    let speaks = |text: &str| speaks_of_a_place(text, |sentence| sentence.contains("a.py:3"));
    for text in [
        "This breaks production: a.py:3 raises on None for every guest.",
        "LGTM, except that a.py:3 raises on None in production.",
        "I read it. a.py:3 crashes on None.",
        "a.py:3 is not safe",
        "Fine otherwise, but a.py:3 is no good",
    ] {
        assert!(speaks(text), "{text}");
    }
    for text in [
        "I read a.py:3 to a.py:9.",
        "The lock at a.py:3 is held correctly.",
        "No problem at a.py:3.",
        "a.py:3 handles None. The tests pass.",
        "It looks good. The tests crash nowhere.",
    ] {
        assert!(!speaks(text), "{text}");
    }
}

/// Consent that is no consent: an approval, a joint, and what is wrong.
#[test]
fn whoever_names_a_defect_beside_an_approval_has_not_approved() {
    for text in [
        "No error is left.",
        "The error path is covered.",
        "It fixes a crash.",
        "Error handling is unchanged.",
    ] {
        assert!(!names_a_defect(text), "{text}");
    }
    for text in ["LGTM.", "No issues.", "Approved. Nothing to add."] {
        assert_eq!(
            (is_reserved(text), names_a_defect(text)),
            (false, false),
            "{text}"
        );
    }
}

/// An objection is taken back by a whole sentence that says so of the change, and by nothing less.
#[test]
fn only_a_whole_sentence_takes_an_objection_back() {
    for text in [
        "No issues.",
        "I take it back. No issues.",
        "It looks good to me now.",
        "LGTM!",
        "I withdraw my objection.",
        "There are no problems left.",
    ] {
        assert!(retracts(text), "{text}");
    }
    for text in [
        "I never said that there are no issues.",
        "No issues in README.",
        "There are no issues with the README, only with f.",
        "Whoever claims \"no issues\" has not run it.",
        "No issues?",
        "I would not say it looks good to me.",
        "No issues in the tests, as far as they go.",
    ] {
        assert!(!retracts(text), "{text}");
    }
}
