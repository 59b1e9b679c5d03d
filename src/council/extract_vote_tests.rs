use super::tests::{GOOD, kind, read};
use super::*;

#[test]
fn a_ballot_consents_only_if_it_says_nothing_else() {
    use council_protocol::Vote;
    let counted = |vote: &str, more: &str, beside: &str| {
        let ballot = format!(
            r#""ballot":{{"vote":"{vote}","strongest_point":"s","concession":"c","remaining_concern":"r"{more}}}{beside}"#
        );
        let raw = GOOD.replacen('{', &format!("{{{ballot},"), 1);
        read(&raw).unwrap().ballot.unwrap().counted()
    };
    assert_eq!(counted("PROCEED", "", ""), Vote::Pass);
    assert_eq!(
        counted("**Proceed**", r#","conditions":[]"#, ""),
        Vote::Pass
    );
    for more in [
        r#","conditions":"Only after a backup""#,
        r#","conditions":{"1":"Only after a backup"}"#,
        r#","condition":"x""#,
        r#","caveats":["x"]"#,
    ] {
        assert_eq!(counted("PROCEED", more, ""), Vote::Warn, "{more}");
    }
    assert_eq!(counted("PROCEED", "", r#","conditions":["x"]"#), Vote::Warn);
    for none in [
        r#"["none"]"#,
        r#"["No conditions."]"#,
        r#""None""#,
        r#""N/A""#,
        "[]",
    ] {
        let more = format!(r#","conditions":{none}"#);
        assert_eq!(counted("PROCEED", &more, ""), Vote::Pass, "{more}");
    }
    assert_eq!(counted("PROCEED ✅", "", ""), Vote::Pass);
    // What is null or missing beside a condition does not take the condition away.
    for left in [r#""remaining_concern":null,"#, r#""concession":null,"#, ""] {
        let ballot =
            format!(r#""ballot":{{"vote":"PROCEED",{left}"conditions":["fix a.py:5 first"]}}"#);
        let raw = GOOD.replacen('{', &format!("{{{ballot},"), 1);
        assert_eq!(
            read(&raw).unwrap().ballot.unwrap().counted(),
            Vote::Warn,
            "{left}"
        );
    }
    for vote in [
        "CONDITIONAL PROCEED",
        "Proceed, conditionally",
        "PROCEED with the conditions below",
    ] {
        assert_eq!(counted(vote, "", ""), Vote::Warn, "{vote}");
    }
    assert_eq!(counted("DO NOT PROCEED", "", ""), Vote::Fail);
    for reserved in [
        "PROCEED ONLY IF tested",
        "PROCEED once users.py:8 is fixed",
        "PROCEED, but fix users.py:8 first",
        "PROCEED/RECONSIDER",
        "PROCEED LATER",
        "PROCEED?",
        "PROCEED=false",
        "MERGE WITH FIXES",
        "APPROVE WITH CHANGES",
        "YES, IF TESTED",
        "ACCEPT WITH RESERVATIONS",
        "SHIP IT LATER",
        "MAYBE",
        "UNDECIDED",
    ] {
        // It is asked again, and told with its words where it stays so.
        let ballot = format!(
            r#""ballot":{{"vote":"{reserved}","strongest_point":"s","concession":"c","remaining_concern":"r"}}"#
        );
        assert_eq!(
            kind(&GOOD.replacen('{', &format!("{{{ballot},"), 1)),
            FailureKind::Malformed,
            "{reserved}"
        );
    }
}

#[test]
fn missing_fields_fall_back_as_in_the_parent() {
    let finding = r#"{"severity":"minor","description":"d","location":{"path":"a.rs","line":3},
        "recommendation":"do it","why":null,"fix":null,"ref":null}"#;
    let raw = GOOD.replace(
        "\"key_insight\"",
        &format!("\"findings\":[{finding}],\"key_insight\""),
    );
    let answer = read(&raw).unwrap();
    let finding = &answer.findings[0];
    assert_eq!(finding.fix, "do it");
    assert_eq!(finding.why, "No root cause specified");
    assert_eq!(finding.reference.as_deref(), Some("a.rs:3"));
}

/// A law: a plain vote or a fault in a few words of a judge's own beside a PASS sends the answer back, wherever they stand;
/// what is no more than a form of words does not.
#[test]
fn words_beside_a_pass_are_read_wherever_they_stand() {
    let pass = GOOD.replace("WARN", "PASS");
    let around = |words: &str| {
        [
            format!("{words}\n\n```json\n{pass}\n```"),
            format!("```json\n{pass}\n```\n{words}"),
            format!("{words}\n\n{pass}"),
        ]
    };
    for words in [
        "Verdict: FAIL",
        "**FAIL**",
        "**Verdict:** fail",
        "Reject.",
        "NACK",
        "Changes requested.",
        "There is a bug in f.",
        "There's a showstopper in f.",
        "This will crash in production.",
        "`total = x / 0` raises ZeroDivisionError.",
        "a.py:5 is a P0.",
        "Not ready.",
        "f is broken.",
    ] {
        for raw in around(words) {
            assert_eq!(kind(&raw), FailureKind::Malformed, "{raw}");
        }
    }
    for words in [
        "Here is my answer:",
        "I found no bugs.",
        "Nothing is broken.",
        "The crash is fixed.",
        "The old bug is handled now.",
        "Let me know if you need anything else.",
        "The tests pass and the code reads well.",
        "Result:",
    ] {
        for raw in around(words) {
            assert!(read(&raw).is_ok(), "{raw}");
        }
    }
}
