use proptest::prelude::*;

use super::*;

fn is_told(raw: &str) -> bool {
    let kinds = [FailureKind::Prose, FailureKind::Malformed];
    let told = kinds.map(|kind| read_unclear_reply(raw, kind, RoundNumber::FIRST).is_some());
    assert_eq!(told[0], told[1]);
    told[0]
}

#[test]
fn who_consents_declines_or_has_not_decided_stands_against_nothing() {
    for raw in [
        "",
        "LGTM, nothing to add.",
        "This looks good to merge.",
        "I'm sorry, I can't help with that.",
        "I am unable to access the repository.",
        "undecided",
        r#"{"verdict":"PASS","confidence":"SURE","findings":[]}"#,
        r#"{"verdict":"approve"}"#,
        r#"{"verdict":"PASS","findings":[{"severity":"minor","description":"x"}],"round":"one"}"#,
        r#"{"schema_version":1,"round":1,"findings":[],"conf"#,
    ] {
        assert!(!is_told(raw), "{raw}");
    }
}

#[test]
fn who_says_anything_else_is_heard() {
    for raw in [
        "My verdict is negative.",
        "f is broken.",
        "-1",
        "❌",
        "This would take down production.",
        "Needs changes before merge.",
        "OK once f is fixed.",
        "It passes, but f is broken.",
        "```json\n{\"verdict\":\"PASS\",\"findings\":[]}\n```\nCorrection: do not merge, a.py:5 divides by zero.",
        r#"{"verdict":"PASS","findings":[],"final_verdict":"FAIL"}"#,
        r#"{"verdict":"PASS","findings":[],"bugs":["CRITICAL: division by zero"]}"#,
        r#"{"verdict":"PASS","findings":[],"change":{"from":"PASS","to":"FAIL"}}"#,
        "I decline to approve this.",
        "I cannot review this: it divides by zero in f.",
        "I'm unable to assess; the code crashes.",
        "I approve of nothing here.",
        "Approved. (f throws.)",
        "No se debe fusionar: división por cero.",
        "不能合并：第5行除以零",
        r#"{"verdict":false,"findings":[]}"#,
        r#"{"verdict":{"value":"FAIL"}}"#,
        r#"{"verdict":"LGTM except a.py:5","findings":[]}"#,
        r#"{"verdict":"PASS/FAIL","findings":[]}"#,
        r#"{"verdict":"PASS with conditions","findings":[]}"#,
        r#"{"verdict":"PASS; but a.py:5 divides by zero","findings":[]}"#,
        r#"{"verdict":"❌"}"#,
        r#"{"verdict":"PASS","ballot":"DO NOT PROCEED"}"#,
        r#"{"verdict":"PASS","ballot":{"vote":["DO_NOT_PROCEED"]}}"#,
        r#"{"verdict":"PASS","ballot":{"decision":"DO_NOT_PROCEED"}}"#,
        r#"{"verdict":"PASS","findings":"critical: a.py:5"}"#,
        r#"{"verdict":"PASS","findings":["critical: a.py:5"]}"#,
        r#"{"verdict":"PASS","findings":[{"priority":"P0","body":"division by zero"}]}"#,
    ] {
        assert!(is_told(raw), "{raw}");
    }
}

/// Law: the reader is told the words that object, wherever they stand in the reply.
#[test]
fn the_words_that_object_are_told() {
    let object = r#"{"verdict":"PASS","findings":[],"key_insight":"x"}"#;
    let said = "I move to FAIL: a.py:5 divides by zero.";
    for raw in [
        format!("{said}\n\n```json\n{object}\n```"),
        format!("```json\n{object}\n```\n{said}"),
        object.replace("\"x\"", &format!("\"{said}\"")),
        object.replace(
            "\"findings\"",
            &format!("\"no_challenge\":\"{said}\",\"findings\""),
        ),
    ] {
        let lost = read_unclear_reply(&raw, FailureKind::Malformed, RoundNumber::SECOND);
        assert_eq!(
            lost.and_then(|lost| lost.unclear).as_deref(),
            Some(said),
            "{raw}"
        );
    }
}

/// Where a remark stands in a reply that cannot be read: in its fence, in a comment, behind a comma too many, in a list.
fn unreadable(words: &str, how: usize) -> String {
    let (open, close) = (r#"{"verdict":"PASS","findings":[]"#, "}");
    match how % 6 {
        0 => format!("```json\n{open}{close}\n{words}\n```"),
        1 => format!("```json\n{words}\n{open}{close}\n```"),
        2 => format!("{open} // {words}\n{close}"),
        3 => format!("{open}, /* {words} */ {close}"),
        4 => format!("{open},{close} {words}"),
        _ => format!("[{open}{close}, \"{words}\"]"),
    }
}

#[test]
fn a_value_that_objects_in_front_of_a_consent_is_heard() {
    let pass = r#"{"verdict":"PASS","findings":[]}"#;
    for before in [
        r#"{"decision": "block", "reason": "a.py:5 divides by zero"}"#,
        r#"{"analysis": "Line 5 divides by zero, so I vote FAIL."}"#,
        r#"[{"severity": "significant", "path": "a.py", "line": 5}]"#,
    ] {
        assert!(is_told(&format!("{before}\n{pass}")), "{before}");
    }
    assert!(!is_told(&format!("{{\"type\": \"start\"}}\n{pass}")));
}

proptest! {
    /// A remark is one wherever it stands in a reply that cannot be read, in whatever language.
    #[test]
    fn words_in_a_reply_that_cannot_be_read_are_told(
        words in prop::sample::select(vec![
            "but a.py:5 divides by zero", "FAIL: a.py:5 divides by zero", "f teilt durch null", "Mend the loop first.",
        ]),
        how in 0usize..6,
    ) {
        let raw = unreadable(words, how);
        prop_assert!(is_told(&raw), "{}", raw);
    }

    /// A consent or a refusal to look is the whole reply: whatever else it says is heard.
    #[test]
    fn what_stands_beside_a_consent_is_heard(
        plain in prop::sample::select(vec!["LGTM.", "Approved.", "I cannot review this.", "This looks good to merge."]),
        more in "[a-z]{3,9} (throws|loops|divides|hangs)[a-z ]{0,12}",
        is_first in any::<bool>(),
    ) {
        prop_assert!(!is_told(plain));
        let raw = if is_first { format!("{more}. {plain}") } else { format!("{plain} ({more})") };
        prop_assert!(is_told(&raw), "{}", raw);
    }

    /// A vote to which anything is added is no consent, whatever it is called.
    #[test]
    fn a_vote_with_a_condition_is_told(
        vote in prop::sample::select(vec!["PASS", "pass", "LGTM", "Approved", "OK", "accept", "Looks good to me"]),
        more in prop::sample::select(vec![" if", " once", "; but", " (but", ", except", " unless", " provided", " with", "/"]),
        condition in "[a-z]{4,9} [a-z]{4,9}",
        quiet in any::<bool>(),
    ) {
        let list = if quiet { r#","findings":[]"# } else { "" };
        let plain = format!(r#"{{"verdict":"{vote}"{list}}}"#);
        prop_assert!(!is_told(&plain), "{}", plain);
        let raw = format!(r#"{{"verdict":"{vote}{more} {condition}"{list}}}"#);
        prop_assert!(is_told(&raw), "{}", raw);
    }

    /// A finding in an answer that does not count is told, whatever its weight is called, beside whatever vote, unless it
    /// is one of those that let a change in.
    #[test]
    fn a_finding_of_any_other_weight_is_told(
        weight in prop_oneof![Just("error".to_owned()), Just("P0".to_owned()), "[a-z]{2,9}[0-9]?"],
        shape in 0usize..4,
        list in prop::sample::select(vec!["findings", "issues", "independent_findings"]),
    ) {
        prop_assume!(!is_mild(&weight));
        let finding = match shape {
            0 => format!(r#"{{"severity":"{weight}","description":"x"}}"#),
            1 => r#"{"severity":7,"description":"x"}"#.to_owned(),
            2 => r#"{"description":"x","location":{"path":"a.py","line":5}}"#.to_owned(),
            _ => format!(r#"{{"tag":"new","finding":{{"severity":"{weight}","description":"x"}}}}"#),
        };
        let raw = format!(r#"{{"verdict":"PASS","{list}":[{finding}]}}"#);
        prop_assert!(is_told(&raw), "{}", raw);
    }
}

/// A condition that a judge was sent back for stands, though its next answer says no more of it.
#[test]
fn a_condition_is_not_taken_back_by_a_plain_vote() {
    let insists = |vote: &str| {
        let raw = format!(r#"{{"verdict":"{vote}","findings":[]}}"#);
        let lost = read_unclear_reply(&raw, FailureKind::Malformed, RoundNumber::FIRST);
        lost.is_some_and(|lost| lost.insists)
    };
    for vote in [
        "pass (but fix line 5)",
        "LGTM except a.py:5",
        "PASS with conditions",
    ] {
        assert!(insists(vote), "{vote}");
    }
    for vote in [
        "PASS",
        "PASS|WARN|FAIL",
        "PASS/FAIL",
        "approve",
        "undecided",
    ] {
        assert!(!insists(vote), "{vote}");
    }
}

/// What is quoted is what the reply is told for, and not the vote beside it.
#[test]
fn the_excerpt_of_a_pass_is_the_sentence_that_takes_it_back() {
    let said = "A test covering users.py:10 would be a nice follow-up.";
    for name in POSITIONS {
        let raw = format!(
            r#"{{"verdict":"PASS","{name}":"The change can go in as it stands. {said}","findings":[]}}"#
        );
        let excerpt = excerpt_of_reply(&raw);
        assert!(excerpt.contains("users.py:10"), "{name}: {excerpt}");
    }
}
