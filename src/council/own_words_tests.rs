use proptest::prelude::*;

use super::*;

#[test]
fn what_honest_models_write_around_an_answer_says_nothing() {
    for text in [
        "",
        "Here is my answer:",
        "I reviewed the change. Here is my answer:",
        "I've read the whole diff carefully. My verdict:",
        "Now let me give the final verdict in the required JSON format.",
        "I checked a.py:5; it is guarded.",
        "No issues found.",
        "Verdict: PASS",
        "LGTM.",
        "The following is the JSON object as requested:",
        "```json\n```",
        "Critical: none",
    ] {
        let read = read_own_words(text);
        assert_eq!((read.against, read.place), (None, None), "{text}");
    }
    for text in [
        "I reviewed the change. Here is my answer:",
        "LGTM.",
        "Verdict: PASS",
    ] {
        assert_eq!(read_own_words(text), OwnWords::default(), "{text}");
    }
}

#[test]
fn what_is_a_place_in_thoughts_can_be_cleared() {
    for text in [
        "I checked `x / 0` in a.py:5, and it is handled.",
        "a.py:5 is safe.",
        "`total` is covered by a test.",
    ] {
        assert_eq!(read_own_words(text).place, None, "{text}");
    }
}

proptest! {
    /// A vote against the change is one wherever it stands, in every usual spelling.
    #[test]
    fn a_line_that_votes_against_the_change_is_heard(
        vote in prop::sample::select(vec![
            "FAIL", "Fail", "reject", "NACK", "Changes requested", "request changes", "WARN", "-1", "not ready", "needs work",
            "DO NOT MERGE", "blocked", "❌",
        ]),
        name in prop::sample::select(vec!["", "Verdict: ", "My verdict: ", "Final vote — ", "Verdict is ", "**Verdict**: "]),
        mark in prop::sample::select(vec![("", ""), ("**", "**"), ("# ", ""), ("- ", ""), ("> ", ""), ("", "."), ("`", "`")]),
        before in prop::sample::select(vec!["", "Here is my answer:\n", "LGTM.\n\n"]),
    ) {
        prop_assume!(vote != "-1" || mark.0 != "- ");
        let text = format!("{before}{}{name}{vote}{}\n", mark.0, mark.1);
        prop_assert!(read_own_words(&text).against.is_some(), "{}", text);
    }

    /// A finding is one by its weight, and a sentence about a place by the place, in whatever language it is written.
    #[test]
    fn a_finding_and_an_uncleared_place_are_heard(
        place in prop::sample::select(vec!["a.py:5", "`a.py:5`", "line 5", "`total = x / 0`", "a.py"]),
        words in prop::sample::select(vec![
            "divides by zero", "teilt durch null", "divise par zéro", "除以零", "is a P0", "needs work", "never returns", "",
        ]),
        weight in prop::sample::select(vec!["**Critical**", "Severity: High", "P0:", "1. **Critical** —", "| high |", ""]),
        front in any::<bool>(),
    ) {
        let said = if front { format!("{place} {words}") } else { format!("{words}: {place}") };
        let text = format!("{weight} {said}");
        let read = read_own_words(&text);
        prop_assert_eq!(read.against.is_some(), !weight.is_empty(), "{}", text);
        prop_assert!(read.against.is_some() || read.place.is_some(), "{}", text);
    }

    /// Nothing of a judge's own is silent: a sentence that is no consent and no announcement is told.
    #[test]
    fn what_is_no_consent_is_told(
        said in "(Function|Die Funktion|La fonction|It) [a-z]{3,9} (crashes|stürzt ab|est cassée|breaks)( [a-z]{3,7})?",
        beside in prop::sample::select(vec!["", "LGTM. ", "Here is my answer: ", "No issues found. "]),
    ) {
        let read = read_own_words(&format!("{beside}{said}."));
        prop_assert!(!read.told.is_empty() || read.place.is_some() || read.against.is_some(), "{}", said);
    }
}
