use proptest::prelude::*;

use super::*;

/// What honest judges write beside a PASS.
const HONEST: &[&str] = &[
    "The change adds a helper that sums two numbers.",
    "I voted PASS because the new guard covers the empty list.",
    "I checked each caller of `parse` and none passes a null pointer.",
    "I found no problem in the changed lines.",
    "I found nothing that stands against the change.",
    "My key evidence is a.py:4.",
    "My vote is PASS.",
    "The input is checked before it reaches the query.",
    "It is a small refactoring of the parser.",
    "It does what it says.",
    "It is sound.",
    "It holds.",
    "The change is small and mechanical.",
    "The change is a mechanical rename without a change of behaviour.",
    "It is safe to merge.",
    "This is a pure rename; no behaviour changes.",
    "The function returns early when the list is empty.",
    "The test covers the new branch, and the old ones still pass.",
    "I looked and saw nothing.",
    "I have read the whole change and have no objections.",
    "I did not find a defect.",
    "None of 7 tests rules speaks on 6 added lines and 1 file.",
    "The retry loop is bounded by the limit, so it cannot run forever.",
    "The division is guarded, so x cannot be zero here.",
    "The new code handles the error that the old one let pass.",
    "It fixes a race between two writers.",
    "The fix removes the risk of a double free.",
    "The change is limited to tests.",
    "The change is consistent with the rest of the module.",
    "The lock is taken in the same order everywhere.",
    "No caller relies on the removed default.",
    "The tests pass.",
    "The bound `need_more` is kept.",
    "All callers that use it hold the lock.",
    "The documentation matches the code.",
    "We read every file, and the constant is used once.",
    "The patch is correct: both branches return the sum.",
    "I verified that the migration is reversible.",
    "In round 1 I voted PASS.",
    "Adds two numbers and returns the result.",
    "The values are escaped where the page is written.",
];

/// What judges write who mean no PASS.
const STANDS: &[&str] = &[
    "The change needs changes before it can go in.",
    "The change needs a second look.",
    "Needs more work.",
    "Please add tests first.",
    "Tests should be added.",
    "This should wait.",
    "I would not let this in.",
    "I'd rather see it split.",
    "I cannot sign off on it.",
    "I can't recommend it.",
    "I do not recommend it.",
    "I have reservations.",
    "I found two things to mend.",
    "I see a risk here.",
    "I hesitate to approve.",
    "I worry about the loop.",
    "My worry is the loop.",
    "We object to the second part.",
    "It is premature.",
    "It is not ready.",
    "It is not safe.",
    "The change is bad.",
    "The change is a bad idea.",
    "This looks wrong to me.",
    "It seems half-baked.",
    "The approach is fragile.",
    "Only if the tests are extended.",
    "Not before a second pair of eyes has seen it.",
    "The author has to explain the loop.",
    "Error handling is missing.",
    "Concerns remain.",
    "More evidence is needed.",
    "It could break callers.",
    "This might overflow.",
    "Unfortunately the loop stops too early.",
    "Auth is bypassed when the token is empty.",
    "The new function f is broken: it cannot return.",
    "SQL injection is possible.",
    "There is an RCE.",
    "Hardcoded credentials are committed.",
    "This must not go to production.",
    "Looks risky: nothing guards the divisor.",
    "This is a regression.",
    "Data loss is possible.",
    "Secrets are printed.",
    "The loop is endless.",
    "Die Änderung braucht Arbeit, bevor sie hinein darf.",
    "Das geht so nicht in den Hauptzweig.",
    "Il faut corriger la boucle avant.",
    "El cambio todavía tiene un error.",
    "这个改动还不能合并。",
    "Изменение ещё не готово.",
];

#[test]
fn whoever_describes_the_change_or_the_reading_takes_no_stand() {
    let told: Vec<_> = HONEST.iter().filter(|said| takes_stand(said)).collect();
    assert!(told.is_empty(), "{told:#?}");
}

#[test]
fn whoever_asks_refuses_doubts_or_judges_takes_a_stand() {
    let silent: Vec<_> = STANDS.iter().filter(|said| !takes_stand(said)).collect();
    assert!(silent.is_empty(), "{silent:#?}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever is asked of the change, of whom and for what: it is a stand, alone or beside an honest sentence's clause.
    #[test]
    fn what_is_asked_of_a_change_is_a_stand(
        who in prop::sample::select(vec!["The change", "This", "It", "The patch", "The author", "The second loop", "Somebody"]),
        asks in prop::sample::select(vec!["needs", "must get", "should get", "has to get", "ought to get", "requires"]),
        what in "(changes|tests|a review|another [a-z]{3,9}|[a-z]{3,9} and [a-z]{3,9})",
        why in prop::sample::select(vec!["", " before it can go in", " first", " to be safe", " for it to be fine"]),
        beside in prop::sample::select(vec!["", "It adds two numbers, and in my reading: ", "The loop is bounded, "]),
    ) {
        let said = format!("{beside}{who} {asks} {what}{why}.");
        prop_assert!(takes_stand(&said), "{}", said);
    }

    /// A judgement in a word that nobody knows is one.
    #[test]
    fn a_judgement_in_unknown_words_is_a_stand(
        subject in prop::sample::select(vec!["The change", "This", "It", "The patch", "The approach"]),
        copula in prop::sample::select(COPULAS.to_vec()),
        word in "[a-z]{4,9}(some|ish|less)",
    ) {
        let said = format!("{subject} {copula} {word}.");
        prop_assert!(takes_stand(&said), "{}", said);
    }

    /// So is what a judge says of itself, other than what it did.
    #[test]
    fn what_a_judge_says_of_itself_is_a_stand_unless_it_is_a_deed(
        who in prop::sample::select(vec!["I", "We"]),
        verb in "[b-z][a-z]{4,8}ate",
        rest in "( [a-z]{3,8}){0,3}",
    ) {
        let said = format!("{who} {verb}{rest}.");
        prop_assert!(takes_stand(&said), "{}", said);
    }
}
