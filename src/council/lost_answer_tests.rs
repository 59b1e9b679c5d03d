use proptest::prelude::*;

use super::*;

const GOOD: &str = r#"{"schema_version":1,"round":1,"key":"k","verdict":"WARN","confidence":"HIGH","key_insight":"i"}"#;

fn lost(raw: &str) -> LostAnswer {
    read_lost_answer(raw, "k", RoundNumber::FIRST).unwrap_or_else(|| panic!("nothing in {raw}"))
}

#[test]
fn what_is_critical_is_named_whatever_the_order_of_the_fields() {
    let behind = r#"{"verdict":"PASS","findings":[{"severity":"Critical","description":"a \"b\"","location":{"path":"x.py","line":7}}]"#;
    let before =
        r#"[{"location":{"path":"x.py","line":7},"description":"a \"b\"","severity":"critical"},"#;
    for raw in [behind, before] {
        assert_eq!(lost(raw).findings.criticals, ["x.py:7: a \"b\""], "{raw}");
        assert_eq!(lost(raw).weight, Vote::Fail);
    }
    assert_eq!(
        lost(r#""severity": "critical""#).findings.criticals,
        ["finding without words"]
    );
}

#[test]
fn what_an_answer_quotes_inside_of_a_text_is_not_its_own() {
    let quoted = GOOD.replace("WARN", "FAIL").replace('"', "\\\"");
    let raw = format!("{{\"verdict\":\"PASS\",\"key_insight\":\"the change says {quoted}\"");
    assert_eq!(lost(&raw).weight, Vote::Pass);
    let listed = "I was to say PASS, WARN or FAIL, and cannot.";
    assert_eq!(read_lost_answer(listed, "k", RoundNumber::FIRST), None);
    let failed = "panic: FAILED to reach the server (GOFAIL=1)";
    assert_eq!(read_lost_answer(failed, "k", RoundNumber::FIRST), None);
}

#[test]
fn an_answer_without_the_key_of_its_turn_may_be_quoted_and_that_is_said() {
    let raw = GOOD.replace("WARN", "FAIL");
    let said = read_lost_answer(&raw, "another key", RoundNumber::FIRST)
        .unwrap()
        .describe();
    assert_eq!(
        said,
        "it said FAIL without the key of its turn, so that it may be quoted from the change"
    );
    assert_eq!(lost(&raw).describe(), "it said FAIL");
}

/// A reply that came too late, or was declined, objects by the words that a whole one would be sent back for.
#[test]
fn words_beside_a_pass_that_is_lost_are_heard() {
    let pass = GOOD.replace("WARN", "PASS");
    for (words, weight) in [
        (
            "Correction: a.py line 3 raises a TypeError on None, I must vote FAIL on this change.",
            Vote::Fail,
        ),
        ("Wait: do not merge this.", Vote::Warn),
        (
            "Correction: a.py:3 must be fixed before this goes in.",
            Vote::Warn,
        ),
        ("I found nothing wrong.", Vote::Pass),
        ("", Vote::Pass),
    ] {
        for raw in [format!("{pass}\n\n{words}"), format!("{words}\n\n{pass}")] {
            let lost = lost(&raw);
            assert!(lost.weight >= weight, "{raw}");
            assert_eq!(lost.weight == Vote::Pass, weight == Vote::Pass, "{raw}");
            let told = lost.describe();
            assert!(
                weight == Vote::Pass || told.contains(&words[..12]),
                "{raw}: {told}"
            );
        }
    }
}

/// The fields for which a whole answer would be sent back object in one that is lost, too.
#[test]
fn a_field_that_objects_beside_a_pass_that_is_lost_is_heard() {
    let with = |field: &str, value: &str| {
        let pass = GOOD.replace("WARN", "PASS");
        let pass = pass
            .replace(r#""key_insight":"i","#, "")
            .replace(r#","key_insight":"i""#, "");
        pass.replace(r#""round":1"#, &format!(r#""round":1,"{field}":{value}"#))
    };
    for (field, value) in [
        (
            "key_insight",
            r#""a.py:3 raises on None; this must be fixed before the merge.""#,
        ),
        ("recommendation", r#""Do not merge this.""#),
        ("position", r#""This must be fixed before the merge.""#),
        ("blockers", r#"["a.py:3 raises on None: critical"]"#),
    ] {
        let raw = with(field, value);
        assert!(lost(&raw).weight > Vote::Pass, "{raw}");
    }
    for (field, value) in [
        ("key_insight", r#""It adds a check.""#),
        ("recommendation", r#""Merge it.""#),
    ] {
        let raw = with(field, value);
        assert_eq!(lost(&raw).weight, Vote::Pass, "{raw}");
    }
}

/// Prose, YAML, Python: what is no JSON says FAIL all the same.
#[test]
fn an_objection_in_another_form_is_one() {
    let yaml = GOOD.replace(['"', '{', '}'], "").replace(",", "\n");
    let python = GOOD.replace('"', "'");
    let forms = [
        "VERDICT: FAIL".to_owned(),
        "**Verdict: FAIL** src/a.py:7 is critical".to_owned(),
        "**Verdict**: Fail".to_owned(),
        "Ich lehne ab: FAIL. Kritisch.".to_owned(),
        "DO NOT PROCEED".to_owned(),
        "This must not be merged: shell injection at a.py line 3.".to_owned(),
        "I'd request changes here.".to_owned(),
        "verdict = reject".to_owned(),
        "I found one critical problem: division by zero in a.py line 5.".to_owned(),
        "I cannot approve this change: it loses rows.".to_owned(),
        "Ich lehne diese Änderung ab: sie verliert Zeilen.".to_owned(),
        r#"{"ballot":{"vote":"DON'T PROCEED"},"verdict":"PASS"}"#.to_owned(),
        yaml.replace("WARN", "FAIL"),
        python.replace("WARN", "FAIL"),
        "verdict: PASS\nfindings:\n  - severity: critical\n".to_owned(),
        "{'verdict': 'PASS', 'findings': [{'severity': 'blocker'}]}".to_owned(),
        r#"{"verdict":"PASS","findings":[{"severity":"blocker","description":"x"}]}"#.to_owned(),
        r#"{"verdict":"PASS","findings":[{"severity":"high","description":"x"}]}"#.to_owned(),
    ];
    for raw in forms {
        assert_eq!(lost(&raw).weight, Vote::Fail, "{raw}");
    }
    assert_eq!(lost(&yaml).weight, Vote::Warn);
    assert_eq!(lost(&python).weight, Vote::Warn);
    assert_eq!(
        lost(r#"{"line":"7","path":"a.py","severity":"critical"}"#)
            .findings
            .criticals,
        ["a.py:7"]
    );
}

/// A word in the place of a vote that is no vote and approves nothing is an objection.
#[test]
fn a_vote_in_any_word_that_approves_nothing_is_an_objection() {
    for word in [
        "REQUEST_CHANGES",
        "NACK",
        "CRITICAL",
        "no",
        "NO-GO",
        "not ok",
        "hold",
        "nein",
        "DON'T PROCEED",
    ] {
        for field in ["verdict", "vote"] {
            let raw = format!("{{\"key\":\"k\",\"{field}\":\"{word}\"}}");
            assert_eq!(lost(&raw).weight, Vote::Fail, "{raw}");
        }
    }
    let undecided = read_lost_answer(r#"{"verdict":"MAYBE"}"#, "k", RoundNumber::FIRST);
    assert_eq!(undecided, None, "who has not decided objects to nothing");
    for word in ["APPROVE", "LGTM", "ok", "PROCEED", "looks good"] {
        assert_eq!(
            lost(&format!("{{\"verdict\":\"{word}\"}}")).weight,
            Vote::Pass,
            "{word}"
        );
    }
}

proptest! {
    /// An answer that cannot be read is not forgotten: its worst vote is known, whatever is wrong with it.
    #[test]
    fn the_vote_of_an_unreadable_answer_is_known(
        vote in "PASS|WARN|FAIL|fail", fault in 0..4_usize, cut in 0..40_usize, blanks in " {0,3}", key in "k|other",
    ) {
        let field = format!("\"verdict\":{blanks}\"{vote}\"");
        let raw = GOOD.replace("\"verdict\":\"WARN\"", &field);
        let end = raw.len() - cut.min(40);
        let raw = match fault {
            0 => raw[..end].to_owned(),
            1 => raw.replace("HIGH", "SURE"),
            2 => format!("{},}}", &raw[..raw.len() - 1]),
            _ => format!("Here: {raw}"),
        };
        let expected = match vote.to_uppercase().as_str() {
            "FAIL" => Vote::Fail,
            "WARN" => Vote::Warn,
            _ => Vote::Pass,
        };
        let found = read_lost_answer(&raw, &key, RoundNumber::FIRST).unwrap();
        prop_assert_eq!(found.vote, Some(expected), "{}", raw);
        prop_assert_eq!(found.keyed, key == "k");
    }

    /// Whatever a reply holds, it is read without an end, and what is named of it is short.
    #[test]
    fn any_reply_is_read(raw in "[{}\\[\\]\":,a-z\\\\é ]{0,60}(\"severity\" ?: ?\"critical\")?[\"\\\\é}]{0,4}") {
        if let Some(found) = read_lost_answer(&raw, "k", RoundNumber::FIRST) {
            prop_assert!(found.describe().chars().count() < 1_000);
            prop_assert!(found.findings.criticals.is_empty() || found.weight == Vote::Fail);
        }
    }
}

/// In the order of the form the severity stands behind the words: what is cut off before it may be the worst.
#[test]
fn a_finding_that_is_cut_off_before_its_severity_is_heard() {
    let whole = r#"{"findings":[{"location":{"path":"b.py","line":9},"quote":"z","description":"Fine.","severity":"minor","fix":"f"},{"location":{"path":"a.py","line":3,"end_line":3},"quote":"os.system(x)","description":"The name goes into a shell.","why":"Whoever sends the name runs any command.","severity":"minor","category":"injection"}],"verdict":"WARN"}"#;
    let told = |cut: &str| {
        let raw = &whole[..whole.rfind(cut).unwrap()];
        read_lost_answer(raw, "key", RoundNumber::FIRST)
    };
    for cut in ["any command", "goes into", "\"severity\"", "x)\""] {
        let lost = told(cut).unwrap();
        assert_eq!(lost.weight, Vote::Fail, "{cut}");
        assert!(lost.describe().contains("a.py:3: "), "{}", lost.describe());
    }
    for cut in ["\"category\"", "\"verdict\""] {
        assert_eq!(told(cut), None, "{cut}: its severity is there");
    }
}

/// A judge's answer with one critical problem.
fn answer_with(path: &str, line: u32, words: &str) -> Answer {
    let finding = Finding {
        description: words.to_owned(),
        location: council_protocol::Location {
            path: path.into(),
            line,
            end_line: None,
        },
        ..crate::testing::finding(Severity::Critical, 1)
    };
    Answer {
        findings: vec![finding],
        ..Answer::new(1, "k", Vote::Fail)
    }
}

proptest! {
    /// An answer that counts says a critical problem again of one that does not: in like words, wherever it puts it, or in
    /// other words of its place. Another problem, be it as bad and of the same line, does not.
    #[test]
    fn only_the_same_problem_takes_the_place_of_a_lost_one(
        lines in (1u32..60, 1u32..60),
        files in (0..2usize, 0..2usize),
        problems in (0..3usize, 0..3usize),
        prefix in prop::sample::select(vec!["", "./", "src/"]),
    ) {
        const PROBLEMS: [&str; 3] = [
            "SQL injection: the user's input goes into the statement unescaped",
            "The lock is never released when parsing raises",
            "Division by zero for an empty order",
        ];
        let path = |nth: usize| ["users.py", "orders.py"][nth];
        let raw = format!(
            r#"{{"verdict":"FAIL","findings":[{{"severity":"critical","description":"{}","location":{{"path":"{prefix}{}","line":{}}}}}]"#,
            PROBLEMS[problems.0], path(files.0), lines.0
        );
        let later = answer_with(path(files.1), lines.1, PROBLEMS[problems.1]);
        let found = LaterFindings::of(&later);
        let again = lost(&raw).is_said_again(RoundNumber::FIRST, Vote::Fail, &found);
        prop_assert_eq!(again, problems.0 == problems.1);
    }
}
