use council_protocol::Vote;
use proptest::prelude::*;

use super::*;

pub(super) const GOOD: &str = r#"{"schema_version":1,"round":1,"key":"k","verdict":"WARN","confidence":"HIGH","key_insight":"i"}"#;

pub(super) fn read(raw: &str) -> Result<Answer, Failure> {
    let others = ["judge-2"];
    let is_foreign = |key: &str| key == "another's";
    extract_answer(
        raw,
        ExpectedEcho {
            round: RoundNumber::FIRST,
            key: "k",
            judge: "judge-1",
            others: &others,
            is_foreign: &is_foreign,
        },
    )
}

pub(super) fn kind(raw: &str) -> FailureKind {
    read(raw).unwrap_err().kind
}

#[test]
fn the_whole_reply_or_the_last_json_block_is_the_answer() {
    assert_eq!(read(GOOD).unwrap().verdict, Vote::Warn);
    let draft = GOOD.replace("WARN", "FAIL").replace("\"key\":\"k\",", "");
    let reply =
        format!("A draft:\n```json\n{draft}\n```\nNo, rather:\n\n```json\n{GOOD}\n```\nDone.");
    assert_eq!(read(&reply).unwrap().verdict, Vote::Warn);
    let tilde = format!("~~~ JSON\n{GOOD}\n~~~");
    assert_eq!(read(&tilde).unwrap().verdict, Vote::Warn);
}

#[test]
fn two_answers_with_the_key_are_none() {
    let other = GOOD.replace("WARN", "FAIL");
    for (first, second) in [(GOOD, other.as_str()), (other.as_str(), GOOD)] {
        let reply = format!("```json\n{first}\n```\nRather:\n```json\n{second}\n```");
        let failure = read(&reply).unwrap_err();
        assert_eq!(failure.kind, FailureKind::Malformed);
        assert!(failure.detail.contains("2 answers"), "{failure}");
        assert_eq!(kind(&format!("{first}\n{second}")), FailureKind::Malformed);
    }
}

/// Wherever the second one stands: in prose, behind a quote mark, in a fence of another name. One that an answer quotes
/// inside of a text is none.
#[test]
fn a_second_answer_with_the_key_is_found_wherever_it_stands() {
    let fail = GOOD.replace("WARN", "FAIL");
    let quoted = fail.replace(',', ",\n> ");
    for other in [
        format!("```\n{fail}\n```"),
        format!("```json5\n{fail}\n```"),
        format!("> {quoted}"),
        fail.clone(),
        fail.replace("\"key\":\"k\"", "\"key\" :\n \"k\""),
    ] {
        for reply in [
            format!("{other}\n\n```json\n{GOOD}\n```"),
            format!("See:\n```json\n{GOOD}\n```\n{other}"),
        ] {
            assert_eq!(kind(&reply), FailureKind::Malformed, "{reply}");
        }
    }
    // In a field that nobody reads, however deep and however its name is written.
    for other in [
        fail.clone(),
        format!("[1, {fail}]"),
        format!("{{\"a\": {fail}}}"),
        fail.replace("\"key\"", "\"k\\u0065y\""),
    ] {
        let reply = format!("{{\"old\":{other},{}", &GOOD[1..]);
        assert_eq!(kind(&reply), FailureKind::Malformed, "{reply}");
        let fenced = format!("```json\n{reply}\n```");
        assert_eq!(kind(&fenced), FailureKind::Malformed, "{fenced}");
    }
    let quoting = GOOD.replace("\"i\"", r#""it says \"key\":\"k\"""#);
    assert!(read(&format!("Here:\n```json\n{quoting}\n```")).is_ok());
}

proptest! {
    /// Whatever the order of its fields, an answer in which a key stands twice is none, and neither is one with another
    /// object's worth of fields behind the first.
    #[test]
    fn a_key_that_stands_twice_is_malformed(field in 0..6_usize, verdict in "PASS|WARN|FAIL", after in any::<bool>()) {
        let fields = ["schema_version", "round", "key", "verdict", "confidence", "key_insight"];
        let value: Value = serde_json::from_str(GOOD).unwrap();
        let again = match fields[field] {
            "verdict" => format!("\"verdict\":\"{verdict}\""),
            name => format!("\"{name}\":{}", value[name]),
        };
        let inner = &GOOD[1..GOOD.len() - 1];
        let raw = if after { format!("{{{inner},{again}}}") } else { format!("{{{again},{inner}}}") };
        prop_assert_eq!(kind(&raw), FailureKind::Malformed);
        let fenced = format!("```json\n{raw}\n```");
        prop_assert_eq!(kind(&fenced), FailureKind::Malformed);
    }
}

/// An answer within a text of another one is a second answer.
#[test]
fn an_answer_as_a_text_within_another_is_found() {
    let inner = serde_json::to_string(&GOOD.replace("WARN", "FAIL")).unwrap();
    for name in ["note", "recommendation", "key_insight"] {
        let raw = match name {
            "key_insight" => {
                GOOD.replace("\"key_insight\":\"i\"", &format!("\"key_insight\":{inner}"))
            }
            _ => GOOD.replace(
                "\"key_insight\"",
                &format!("\"{name}\":{inner},\"key_insight\""),
            ),
        };
        assert_eq!(kind(&raw), FailureKind::Malformed, "{raw}");
    }
}

/// Wherever a finding stands that is not read, the answer is malformed and says where: it is asked again.
#[test]
fn a_finding_in_a_place_that_nobody_reads_is_not_lost() {
    let finding =
        r#"{"severity":"critical","description":"d","location":{"path":"a.py","line":1}}"#;
    for (name, value) in [
        ("result", format!("{{\"findings\":[{finding}]}}")),
        ("review", format!("[{finding}]")),
        (
            "withdrawn",
            format!("[{{\"finding\":1,\"instead\":{finding}}}]"),
        ),
        ("data", format!("{{\"a\":{{\"b\":[[{finding}]]}}}}")),
        (
            "findings",
            format!(
                "[{}]",
                finding.replace(
                    "\"description\"",
                    &format!("\"more\":[{finding}],\"description\"")
                )
            ),
        ),
    ] {
        let raw = GOOD.replace(
            "\"key_insight\"",
            &format!("\"{name}\":{value},\"key_insight\""),
        );
        let failure = read(&raw).unwrap_err();
        assert_eq!(failure.kind, FailureKind::Malformed, "{raw}");
        assert!(
            failure.detail.contains(&format!("{name}: a finding")),
            "{}",
            failure.detail
        );
    }
    let response = r#"[{"to":"A1","stance":"agreed","reasoning":"r","severity":"critical"}]"#;
    let raw = GOOD.replace(
        "\"key_insight\"",
        &format!("\"responses\":{response},\"key_insight\""),
    );
    assert!(read(&raw).is_ok(), "{:?}", read(&raw));
}

#[test]
fn findings_that_are_null_are_not_no_findings() {
    let null = GOOD.replace("\"key_insight\"", "\"findings\":null,\"key_insight\"");
    let failure = read(&null).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Malformed);
    assert!(failure.detail.starts_with("findings: null"), "{failure}");
    assert!(read(&null.replace("null", "[]")).is_ok());
}

#[test]
fn prose_is_never_searched() {
    assert_eq!(
        kind(&format!("I say {GOOD} and no more.")),
        FailureKind::Prose
    );
    let keyless = GOOD.replace("\"key\":\"k\",", "");
    assert_eq!(kind(&format!("```\n{keyless}\n```")), FailureKind::WrongKey);
    assert_eq!(kind("PASS. Looks good to me!"), FailureKind::Prose);
    assert_eq!(
        kind(&format!("    ```json\n    {GOOD}\n    ```")),
        FailureKind::Prose
    );
}

/// However its fence is called: the key tells an answer from what is shown. Where a block is fenced as `json`, that one is
/// the answer.
#[test]
fn a_whole_answer_counts_in_any_fence() {
    for name in ["", "json", "JSON", "jsonc", "json5", "javascript", "js"] {
        for mark in ["```", "````", "~~~"] {
            let raw = format!("Here is my answer:\n\n{mark}{name}\n{GOOD}\n{mark}\n");
            assert!(read(&raw).is_ok(), "{raw}");
            let other = raw.replace("\"key\":\"k\"", "\"key\":\"another\"");
            assert_ne!(kind(&other), FailureKind::Prose, "{other}");
            let shown = format!("{mark}{name}\nlet x = 1;\n{mark}\n\n```json\n{GOOD}\n```");
            assert!(
                name.eq_ignore_ascii_case("json") || read(&shown).is_ok(),
                "{shown}"
            );
        }
    }
    for other in ["diff", "text", "python"] {
        assert!(read(&format!("```{other}\n{GOOD}\n```")).is_ok());
    }
}

#[test]
fn words_around_a_whole_object_are_no_obstacle() {
    for raw in [
        format!("<think>\nLet me look.\n</think>\n\n{GOOD}"),
        format!("<think>a {{ b }}</think>{GOOD}"),
        format!("Here is my answer:\n\n{GOOD}"),
        format!("{GOOD}\n\nLet me know if you need anything else."),
    ] {
        assert!(read(&raw).is_ok(), "{raw}");
    }
}

/// A whole answer is found behind whatever is quoted in front of it.
#[test]
fn code_that_is_quoted_before_an_answer_hides_no_answer() {
    for (mark, info) in [
        ("```", "python"),
        ("```", "diff"),
        ("```", ""),
        ("~~~", ""),
        ("````", "md"),
    ] {
        let raw = format!(
            "Line 5 is:\n\n{mark}{info}\ntotal = x / 0\n{{\"a\": 1}}\n{mark}\n\nSo:\n{GOOD}\n"
        );
        assert_eq!(read(&raw).unwrap().key, "k", "{raw}");
        let hidden = format!("{mark}{info}\n{GOOD}\n{mark}x\n");
        assert!(read(&hidden).is_err(), "{hidden}");
    }
}

/// A comment costs no objection, and is none that is passed over.
#[test]
fn comments_in_an_answer_cost_no_objection() {
    let (fails, passes) = (GOOD.replace("WARN", "FAIL"), GOOD.replace("WARN", "PASS"));
    for comment in ["// what I found\n", "/* what I found: \"x\" */", "//\n"] {
        let with = |answer: &str| answer.replacen('{', &format!("{{{comment}"), 1);
        let read_with = read(&with(&fails)).map(|answer| answer.verdict);
        assert_eq!(
            read_with.unwrap(),
            council_protocol::Vote::Fail,
            "{comment}"
        );
        assert!(read(&with(&passes)).is_err(), "{comment}");
    }
    let quoted = fails.replacen(
        "\"verdict\"",
        "\"key_insight\":\"see // here /* */\",\"verdict\"",
        1,
    );
    let commented = quoted.replacen('{', "{// x\n", 1);
    assert_eq!(read(&commented).ok(), read(&quoted).ok());
}

#[test]
fn a_block_quoted_inside_a_longer_fence_is_not_an_answer() {
    assert_eq!(
        kind(&format!("````markdown\n```json\n{GOOD}\n```\n````\n")),
        FailureKind::Prose
    );
}

#[test]
fn each_way_of_failing_has_its_own_kind() {
    assert_eq!(kind(""), FailureKind::Empty);
    assert_eq!(kind(" \n\t"), FailureKind::Empty);
    assert_eq!(kind(&GOOD[..GOOD.len() - 2]), FailureKind::Truncated);
    assert_eq!(kind(&format!("```json\n{GOOD}\n")), FailureKind::Truncated);
    assert_eq!(
        kind(&format!("```json\n{}\n```", &GOOD[..60])),
        FailureKind::Truncated
    );
    assert_eq!(kind(&format!("{GOOD} and more")), FailureKind::Malformed);
    assert_eq!(
        kind(&GOOD.replace("\"round\":1", "\"round\":2")),
        FailureKind::WrongRound
    );
    assert_eq!(
        kind(&GOOD.replace("\"key\":\"k\"", "\"key\":\"K\"")),
        FailureKind::WrongKey
    );
    assert_eq!(
        kind(&GOOD.replace("\"key\":\"k\",", "")),
        FailureKind::WrongKey
    );
    assert_eq!(
        kind(&"x".repeat(MAX_ANSWER_BYTES + 1)),
        FailureKind::Oversized
    );
}

#[test]
fn a_wrong_version_is_malformed_and_says_which_is_read() {
    for given in [
        "\"schema_version\":2",
        "\"schema_version\":\"2\"",
        "\"schema\":1",
    ] {
        let failure = read(&GOOD.replace("\"schema_version\":1", given)).unwrap_err();
        assert_eq!(failure.kind, FailureKind::Malformed);
        assert!(
            failure.detail.contains("this program reads 1"),
            "{}",
            failure.detail
        );
    }
}

#[test]
fn a_malformed_answer_names_the_field() {
    let finding = r#"{"severity":"huge","description":"d","location":{"path":"a","line":1}}"#;
    let raw = GOOD.replace(
        "\"key_insight\"",
        &format!("\"findings\":[{finding}],\"key_insight\""),
    );
    let failure = read(&raw).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Malformed);
    assert!(
        failure
            .detail
            .starts_with("findings[0].severity: unknown variant"),
        "{}",
        failure.detail
    );
}

#[test]
fn an_answer_in_anothers_name_is_a_violation() {
    let named = |name: &str| GOOD.replace("\"round\"", &format!("\"judge\":\"{name}\",\"round\""));
    assert_eq!(kind(&named("judge-2")), FailureKind::Violation);
    assert_eq!(
        kind(&GOOD.replace("\"k\"", "\"another's\"")),
        FailureKind::Violation
    );
    assert!(read(&named("judge-1")).is_ok());
    assert!(read(&named("The Critic")).is_ok());
}

#[test]
fn a_completion_signal_is_not_an_answer() {
    let signal =
        r#"{"type":"verdict","verdict":"PASS","confidence":"HIGH","file":".agents/council/x.md"}"#;
    assert_eq!(kind(signal), FailureKind::Malformed);
}

#[test]
fn fixed_words_are_read_in_any_case_and_behind_a_byte_order_mark() {
    let finding =
        r#"{"severity":"Critical","description":"d","location":{"path":"a","line":1},"quote":"q"}"#;
    let raw = GOOD.replace("WARN", "fail").replace("HIGH", "High");
    let raw = raw.replacen('{', &format!("{{\"findings\":[{finding}],"), 1);
    for raw in [raw.clone(), format!("\u{feff}{raw}")] {
        let answer = read(&raw).unwrap();
        assert_eq!(answer.verdict, Vote::Fail);
        assert_eq!(
            answer.findings[0].severity,
            council_protocol::Severity::Critical
        );
    }
}

/// What is reported under another name is not passed over in silence.
#[test]
fn findings_under_another_name_are_read_or_refused() {
    let finding =
        r#"{"severity":"critical","description":"d","location":{"path":"a","line":1},"quote":"q"}"#;
    let early = format!("{{\"independent_findings\":[{{\"tag\":\"new\",\"finding\":{finding}}}],");
    let answer = read(&GOOD.replacen('{', &early, 1)).unwrap();
    assert_eq!(
        (answer.findings.len(), answer.independent_findings.len()),
        (1, 0)
    );
    for name in ["Findings", "FINDINGS", "Independent-Findings"] {
        let raw = GOOD.replacen('{', &format!("{{\"{name}\":[{finding}],"), 1);
        let failure = read(&raw).unwrap_err();
        assert_eq!(failure.kind, FailureKind::Malformed);
        assert!(failure.detail.contains("it is `"), "{failure}");
    }
}

proptest! {
    /// What a judge says of another's finding counts, however it writes the id and the word.
    #[test]
    fn a_response_is_read_in_every_spelling(
        form in prop::sample::select(vec!["A1", "a1", "#A1", "**A1**", "`A1`", "[A1]", "Finding A1", "finding A1:", " A1 ", "A1: It divides."]),
        stance in prop::sample::select(vec!["agreed", "Agreed", "AGREED", " agreed", "agree", "Agrees"]),
        role in "[A-Z][a-z]{3,9} [A-Z][a-z]{3,9}",
    ) {
        prop_assert!(plain_id(form).eq_ignore_ascii_case("A1"), "{}", form);
        prop_assert_eq!(plain_id(&role), role.clone());
        let mut response = serde_json::json!({"to": form, "stance": stance});
        plain_stance(&mut response);
        prop_assert_eq!(&response["stance"], "agreed");
    }
}
