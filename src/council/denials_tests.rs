use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;

use super::super::answer_fields::check_fields;
use super::super::own_words::says_nothing;
use super::super::plain_words::names_fault;
use super::super::stances::takes_stand;
use super::super::told_fields::told_texts;

/// The fields in which a judge says in words what it holds.
const FIELDS: [&str; 3] = ["recommendation", "key_insight", "restatement"];

fn is_silent(field: &str, said: &str) -> bool {
    let answer = json!({"verdict": "PASS", "round": 1, "findings": [], field: said});
    check_fields(&answer).is_ok() && told_texts(&answer).is_empty()
}

/// What stands behind a denial and takes a part of it back.
fn exception() -> impl Strategy<Value = &'static str> {
    select(vec![
        " except in `pay`",
        ", except for the lock",
        " but the lock",
        ", but the lock is new",
        " apart from the lock",
        ", apart from the second one",
        " once the lock is there",
        " aside from the lock",
        " other than the lock",
        " unless x is 0",
        " until the lock is there",
        ", though the lock is new",
        "; however the lock needs a name",
        " with the exception of the lock",
    ])
}

/// A denial of work: two of the synonyms of each part.
fn no_work() -> impl Strategy<Value = String> {
    let negated = (
        select(vec![
            "No",
            "No further",
            "No other",
            "No more",
            "No additional",
            "I see no",
            "There are no",
        ]),
        select(vec![
            "changes",
            "change",
            "action",
            "actions",
            "edits",
            "follow-up",
            "modifications",
            "fixes",
            "code changes",
            "changes or edits",
        ]),
    )
        .prop_map(|(negation, work)| format!("{negation} {work}"));
    let negated = prop_oneof![
        6 => negated,
        1 => select(vec!["Nothing", "Nothing further", "Nothing else", "Nothing more"]).prop_map(str::to_owned),
    ];
    let wanted = (
        select(vec!["", "is ", "are "]),
        select(vec!["needed", "required", "necessary"]),
        select(vec![
            "",
            " here",
            " from my side",
            " in this change",
            " before merging",
            " at this time",
        ]),
    );
    (negated, wanted)
        .prop_map(|(work, (verb, wanted, behind))| format!("{work} {verb}{wanted}{behind}"))
}

#[test]
fn what_denies_work_and_faults_needs_no_note() {
    for (field, said) in [
        ("recommendation", "No changes needed."),
        ("recommendation", "No changes required."),
        ("recommendation", "No action needed."),
        ("recommendation", "No further action is required."),
        ("recommendation", "No follow-up is necessary."),
        ("recommendation", "Nothing to fix."),
        ("recommendation", "I have no changes to suggest."),
        (
            "recommendation",
            "No changes needed: the guard covers the empty list.",
        ),
        ("key_insight", "I found nothing wrong."),
        (
            "key_insight",
            "The new parameter is used consistently and no caller is affected.",
        ),
        ("key_insight", "None of the callers is affected."),
        (
            "restatement",
            "My position: PASS, because every caller of pay() was checked and none breaks.",
        ),
        (
            "restatement",
            "I keep my vote PASS. The claim of a race does not hold: there is one thread.",
        ),
        ("restatement", "There is only one caller in the program."),
    ] {
        assert!(is_silent(field, said), "{field}: {said}");
    }
}

/// What sounds so, and names a fault or asks for something.
#[test]
fn what_only_sounds_like_a_denial_is_told() {
    for said in [
        "No change is safe here.",
        "Changes needed.",
        "Some changes are required before this goes in.",
        "No guard means f is affected.",
        "With no guard f is affected.",
        "Passing None breaks the loop.",
        "It returns None, and None breaks the caller.",
        "Returning none breaks f.",
        "Every caller was checked and none breaks, and f crashes on zero.",
        "There is one thread without a lock that crashes.",
        "There is one problem.",
        "There is one caller without a check.",
        "The parameter is used inconsistently.",
        "A caller is affected.",
        "No tests needed a change before it can go in, which is a risk.",
    ] {
        assert!(!is_silent("key_insight", said), "{said}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Whoever says in any of the usual words that nothing is left to do has consented, wherever the words stand.
    #[test]
    fn no_work_is_consent_in_all_synonyms(
        said in no_work(), field in select(FIELDS.to_vec()), end in select(vec!["", ".", "!"]),
    ) {
        let said = format!("{said}{end}");
        prop_assert!(says_nothing(&said), "{}", said);
        prop_assert!(is_silent(field, &said), "{}", said);
    }

    /// And with an exception it asks for that.
    #[test]
    fn no_work_with_an_exception_is_told(
        said in no_work(), but in exception(), field in select(FIELDS.to_vec()), more in select(vec!["", " LGTM."]),
    ) {
        let said = format!("{said}{but}.{more}");
        prop_assert!(!says_nothing(&said), "{}", said);
        prop_assert!(!is_silent(field, &said), "{}", said);
    }

    /// A fault that is denied of everybody is none, and with an exception it is one.
    #[test]
    fn a_denied_fault_is_none_unless_something_is_excepted(
        before in select(vec![
            "", "Every caller was checked, and ", "I followed both callers and ", "It is sound, because ",
        ]),
        nobody in select(vec!["none", "none of them", "none of the callers", "no caller", "no existing caller"]),
        fault in select(vec!["breaks", "crashes", "fails", "leaks", "is affected", "is impacted"]),
        but in exception(),
    ) {
        let denied = format!("{before}{nobody} {fault}");
        prop_assert!(!names_fault(&denied) && !takes_stand(&format!("{denied}.")), "{}", denied);
        let excepted = format!("{denied}{but}.");
        let is_told = names_fault(&excepted) || takes_stand(&excepted);
        prop_assert!(is_told || !is_silent("key_insight", &excepted), "{}", excepted);
    }

    /// `None` with a capital letter is a value, and denies nothing.
    #[test]
    fn a_value_that_is_called_none_denies_no_fault(
        front in select(vec!["A caller that passes", "Passing", "It stops since", "The loop runs and"]),
        fault in select(vec!["breaks", "crashes", "raises", "leaks"]),
    ) {
        let said = format!("{front} None {fault} f");
        prop_assert!(names_fault(&said), "{}", said);
    }
}
