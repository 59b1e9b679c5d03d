//! What approves, and what only seems to.

use super::*;

#[test]
fn what_names_no_problem_of_the_change_is_no_objection() {
    for text in [
        "Nothing critical stands here.",
        "No severe problem is left.",
        "This is not critical.",
        "It fixes a critical leak.",
        "The lock is taken on the critical path.",
        "| Critical | 0 |",
        "I have read it.",
    ] {
        assert!(!objects(text), "{text}");
    }
}

#[test]
fn who_stops_a_change_in_words_of_their_own_objects() {
    for text in [
        "Line 3 must be fixed before this goes in.",
        "Blocking: strip raises on None.",
        "NACK. -1. Please hold off.",
        "This is not OK.",
        "I am against this change.",
        "I have to veto this.",
        "Das darf so nicht gemergt werden.",
        "❌ strip raises on None",
    ] {
        assert!(objects(text), "{text}");
    }
    for text in [
        "Nothing blocking here.",
        "No veto from me.",
        "Critical: none",
        "Nothing stands against the change.",
    ] {
        assert!(!objects(text), "{text}");
    }
}

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
