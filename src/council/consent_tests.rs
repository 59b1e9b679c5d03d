use proptest::prelude::*;

use super::*;

#[test]
fn a_vote_is_a_whole_word_of_the_list() {
    for (text, vote) in [
        ("PASS", Vote::Pass),
        ("**Pass**", Vote::Pass),
        ("`approve`.", Vote::Pass),
        ("LGTM!", Vote::Pass),
        ("✅ pass", Vote::Pass),
        ("warn", Vote::Warn),
        ("PROCEED_WITH_CONDITIONS", Vote::Warn),
        ("**FAIL**", Vote::Fail),
        ("REQUEST_CHANGES", Vote::Fail),
        ("DON'T PROCEED", Vote::Fail),
        ("NO-GO", Vote::Fail),
        ("-1", Vote::Fail),
    ] {
        assert_eq!(plain_vote(text), Some(vote), "{text}");
    }
}

proptest! {
    /// A sign that takes a word back leaves no vote of it, whatever marks stand around both.
    #[test]
    fn a_word_that_is_taken_back_is_no_vote(
        word in prop::sample::select(vec!["PASS", "approve", "LGTM"]),
        taken_back in prop::sample::select(vec!["!{}", "~~{}~~", "*{}", "{}*", "! {}", "~{}~"]),
        mark in prop::sample::select(vec!["", "`", "**", "\""]),
    ) {
        let text = format!("{mark}{}{mark}", taken_back.replace("{}", word));
        prop_assert_eq!(plain_vote(&text), None, "{}", text);
    }
}

#[test]
fn a_place_alone_clears_nothing() {
    let is_place = |word: &str| word.contains(":5");
    assert!(!is_plain("a.py:5", is_place));
    assert!(!is_plain("see a.py:5", is_place));
    assert!(!is_plain("🚨 a.py:5", is_place));
    assert!(is_plain("a.py:5 is fine", is_place));
}

/// What may stand behind a consent: conditions, reservations, places, other languages, marks.
fn addition() -> impl Strategy<Value = String> {
    let fixed = prop::sample::select(vec![
        "?",
        "/FAIL",
        " if a.py:5 is fixed",
        " with conditions",
        " with fixes",
        " except a.py:5",
        "; but f crashes",
        " (but fix line 5)",
        " — nicht ohne Korrektur von f",
        " sous réserve",
        " 但要修复第5行",
        ", si se corrige f",
        " once tested",
        " later",
        " *with concerns*",
        " for everything but f",
        " ❌",
        " 🚨",
        " -> FAIL",
        ": a.py:5",
        " only in staging",
        " provided that f is removed",
        " после исправления",
        " partially",
        " I object",
    ]);
    let drawn = "( |, |; | — |: )[a-z]{4,9}( [a-z]{4,9}){0,3}( `[a-z]{1,4}`)?";
    prop_oneof![fixed.prop_map(str::to_owned), drawn.prop_map(|text| text)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if cfg!(debug_assertions) { 512 } else { 10_000 }, ..ProptestConfig::default() })]

    /// Nothing with an addition is a vote for the change, in whatever words or language the addition is.
    #[test]
    fn a_consent_with_an_addition_is_none(
        consent in prop::sample::select(FOR.to_vec()), more in addition(), capital in any::<bool>(),
    ) {
        let consent = if capital { consent.to_uppercase() } else { consent.to_owned() };
        let said = format!("{consent}{more}");
        prop_assert_ne!(plain_vote(&said), Some(Vote::Pass), "{}", said);
        prop_assert_ne!(vote_line(&format!("Verdict: {said}")), Some(Vote::Pass), "{}", said);
    }

    /// Marks and case change no vote.
    #[test]
    fn marks_and_case_change_no_vote(
        (word, vote) in prop_oneof![
            prop::sample::select(FOR.to_vec()).prop_map(|word| (word, Vote::Pass)),
            prop::sample::select(WITH_A_WARNING.to_vec()).prop_map(|word| (word, Vote::Warn)),
            prop::sample::select(AGAINST.to_vec()).prop_map(|word| (word, Vote::Fail)),
        ],
        around in prop::sample::select(vec![("", ""), ("**", "**"), (" `", "` "), ("\"", "\""), ("", "."), ("", "!")]),
        capital in any::<bool>(),
    ) {
        let word = if capital { word.to_uppercase() } else { word.to_owned() };
        let said = format!("{}{word}{}", around.0, around.1);
        prop_assert_eq!(plain_vote(&said), Some(vote), "{}", said);
        prop_assert_eq!(vote_line(&format!("My verdict: {said}")), Some(vote), "{}", said);
    }
}
