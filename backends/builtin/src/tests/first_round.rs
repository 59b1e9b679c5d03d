//! R1: what the rules find becomes a vote, a sentence and findings.

use super::*;
use council_protocol::RoundNumber;

#[test]
fn a_clean_change_passes_without_a_word_too_many() {
    let answer = first(
        &RuleFixture::parse("=== src/a.py\n def a():\n+    return 1\n"),
        "security",
    );
    assert_eq!((answer.verdict, answer.findings.len()), (Vote::Pass, 0));
    assert_eq!((answer.round, answer.key.as_str()), (1.into(), "key-1"));
    let sentence = &answer.key_insight;
    assert!(
        sentence.ends_with(" security rules found nothing in 1 added line and 1 file."),
        "{sentence}"
    );
}

#[test]
fn the_worst_finding_makes_the_vote() {
    let fixture = RuleFixture::parse(ORDERS);
    let answer = first(&fixture, "security");
    assert_eq!(answer.verdict, Vote::Warn);
    assert_eq!(answer.findings[0].rule.as_deref(), Some("sql-injection"));
    assert_eq!(
        answer.findings[0].reference.as_deref(),
        Some("git council explain sql-injection")
    );
    assert!(
        answer.recommendation.starts_with("src/orders.py:5: "),
        "{}",
        answer.recommendation
    );
    assert_eq!(first(&fixture, "hygiene").verdict, Vote::Pass);
    let conflict =
        RuleFixture::parse("=== src/a.py\n+<<<<<<< HEAD\n+a\n+=======\n+b\n+>>>>>>> x\n");
    assert_eq!(first(&conflict, "hygiene").verdict, Vote::Fail);
    assert_eq!(first(&conflict, "").verdict, Vote::Fail);
}

#[test]
fn a_judge_of_the_same_seat_says_the_same_bytes() {
    let fixture = RuleFixture::parse(ORDERS);
    let tasks = [
        Task::Review,
        debate(vec![claim("src/orders.py", 5, "query", "SQL injection")]),
    ];
    let say = || {
        let mut judge = judge(&fixture, "security");
        tasks.clone().map(|task| judge.take_turn(&turn(1, task)))
    };
    assert_eq!(say(), say());
    // One that has lost its memory between the turns.
    let forgetful = tasks
        .clone()
        .map(|task| judge(&fixture, "security").take_turn(&turn(1, task)));
    assert_eq!(say(), forgetful);
}

#[test]
fn a_mended_answer_is_the_last_one_under_the_new_key() {
    let mut judge = judge(&RuleFixture::parse(ORDERS), "security");
    let first = ask(&mut judge, 1, Task::Review);
    let second = ask(
        &mut judge,
        2,
        Task::Mend {
            error: "no JSON".into(),
            form: council_protocol::task::Form::Review,
        },
    );
    assert_eq!(
        second,
        Answer {
            round: RoundNumber::SECOND,
            key: "key-2".into(),
            ..first
        }
    );
}

#[test]
fn configuration_switches_rules_off_and_changes_their_level() {
    let fixture = RuleFixture::parse(ORDERS);
    let say = |levels: &[(&str, RuleLevel)]| {
        let seat = seat("security", levels);
        ask(
            &mut BuiltinJudge::new(&seat, fixture.packet.clone(), fixture.blobs.clone()).unwrap(),
            1,
            Task::Review,
        )
    };
    assert_eq!(say(&[("sql-injection", RuleLevel::Off)]).findings, []);
    assert_eq!(
        say(&[("sql-injection", RuleLevel::Critical)]).verdict,
        Vote::Fail
    );
    let minor = say(&[("sql-injection", RuleLevel::Minor)]);
    assert_eq!(
        (minor.verdict, minor.findings[0].severity),
        (Vote::Pass, Severity::Minor)
    );
}

#[test]
fn a_seat_that_would_pass_everything_is_refused() {
    let fixture = RuleFixture::parse(ORDERS);
    let open =
        |seat: &Seat| BuiltinJudge::new(seat, fixture.packet.clone(), fixture.blobs.clone()).err();
    let unknown = open(&seat("api-surface", &[])).unwrap();
    assert_eq!(
        unknown,
        SeatError::UnknownPerspective {
            name: "api-surface".into()
        }
    );
    assert!(
        unknown
            .to_string()
            .ends_with("it has security, error-paths, tests, maintainability, hygiene"),
        "{unknown}"
    );
    let rule = open(&seat("", &[("sql-injektion", RuleLevel::Off)]));
    assert_eq!(
        rule,
        Some(SeatError::UnknownRule {
            id: "sql-injektion".into()
        })
    );
    let mut other = seat("", &[]);
    other.agent.kind = AgentKind::Command {
        argv: vec!["x".into()],
        env: Vec::new(),
        format: Default::default(),
        sandbox: Default::default(),
        tool: Default::default(),
    };
    assert!(matches!(open(&other), Some(SeatError::NotBuiltin { .. })));
}

#[test]
fn many_findings_of_one_rule_in_one_file_are_counted_not_listed() {
    let lines: String = (0..40).map(|n| format!("+    eval(text_{n})\n")).collect();
    let answer = first(
        &RuleFixture::parse(&format!("=== src/a.py\n def a():\n{lines}")),
        "security",
    );
    assert_eq!(answer.findings.len(), 6);
    let told = |n: usize| answer.findings[n].description.contains("more in this file");
    assert!(
        !(0..5).any(told),
        "the rest is a finding of its own: dismissing these leaves it"
    );
    let rest = &answer.findings[5].description;
    assert!(
        rest.contains("There are 34 more in this file: lines 8-41 ("),
        "{rest}"
    );
}

/// Law: of whatever many hits every line stands in some finding, or is counted; the counts are right; the digits stay when
/// lines move, and change when a hit is added.
#[test]
fn every_hit_is_named_or_counted() {
    let findings = |lines: &str| {
        let fixture = RuleFixture::parse(&format!("=== src/a.py\n def a():\n{lines}"));
        first(&fixture, "security").findings
    };
    let digits = |text: &str| text.rsplit_once(" (").map(|(_, digits)| digits.to_owned());
    for count in [6, 7, 30, 66, 67, 140] {
        let hits: String = (0..count)
            .map(|n| format!("+    eval(text_{n})\n+\n"))
            .collect();
        let found = findings(&hits);
        let rest = found.last().unwrap().description.clone();
        let more = count - found.len();
        assert_eq!(more == 0, !rest.contains(" more in this file"), "{rest}");
        let lines = found
            .iter()
            .map(|f| f.location.line)
            .chain(numbers_of(&rest));
        let lines: std::collections::BTreeSet<u32> = lines.collect();
        let missing = (0..count)
            .filter(|&n| !lines.contains(&(2 + 2 * u32::try_from(n).unwrap())))
            .count();
        assert_eq!(missing, count.saturating_sub(6 + 60), "{rest}");
        assert!(
            missing == 0 || rest.contains(&format!(" and {missing} more (")),
            "{rest}"
        );
        let moved = findings(&format!("+    x = 1\n{hits}"));
        assert_eq!(digits(&moved.last().unwrap().description), digits(&rest));
        let added = findings(&format!("{hits}+    eval(added)\n"));
        assert_ne!(added.last().unwrap().description, rest);
    }
}

/// The numbers of the lines that a finding lists.
fn numbers_of(words: &str) -> Vec<u32> {
    let list = words.split_once(": line").map_or("", |(_, list)| list);
    let list = list.split(" (").next().unwrap_or_default();
    list.split(|c: char| !c.is_ascii_digit())
        .filter_map(|number| number.parse().ok())
        .collect()
}

/// What fails a change is listed, each place for itself; what an answer does not hold is counted.
#[test]
fn critical_findings_are_listed_and_the_rest_is_told() {
    let line = |n: usize| format!("+key_{n} = \"{}\"\n", ["AKIA", "QYLPMN5HHHFPZAM2"].concat());
    let of_file: String = (0..40).map(line).collect();
    let answer = first(
        &RuleFixture::parse(&format!("=== src/a.py\n{of_file}")),
        "security",
    );
    assert_eq!(answer.findings.len(), 40);
    let files: String = (0..230)
        .map(|n| format!("=== src/f{n}.py\n{}", line(n)))
        .collect();
    let answer = first(&RuleFixture::parse(&files), "security");
    assert_eq!(answer.findings.len(), 200);
    let told = |n: usize| {
        answer.findings[n]
            .description
            .contains("more than an answer lists")
    };
    assert!(!(0..199).any(told) && told(199));
    assert!(
        answer.findings[199]
            .description
            .contains("There are 30 more")
    );
}

/// Whoever dismisses what is listed of a file has not seen what each of the others is: they are counted, and have no lines.
#[test]
fn critical_findings_of_one_file_that_are_not_listed_have_no_lines() {
    let line = |n: usize| format!("+key_{n} = \"{}\"\n", ["AKIA", "QYLPMN5HHHFPZAM2"].concat());
    for (count, unlisted) in [
        (200, None),
        (205, Some("There are 5 more than an answer lists (")),
    ] {
        let of_file: String = (0..count).map(line).collect();
        let fixture = RuleFixture::parse(&format!("=== src/a.py\n{of_file}"));
        let answer = first(&fixture, "security");
        assert_eq!(answer.findings.len(), 200);
        let last = &answer.findings[199].description;
        assert!(unlisted.is_none_or(|words| last.contains(words)), "{last}");
        assert!(
            !last.contains("lines") && last.contains("more") == unlisted.is_some(),
            "{last}"
        );
    }
}

/// An answer that is too large does not count: long paths leave room for fewer findings, never for none.
#[test]
fn an_answer_stays_small_however_long_the_paths_are() {
    for name in ["d".repeat(200) + "/", "\u{1}".repeat(200) + "/"] {
        let files: String = (0..210)
            .map(|n| {
                let key = ["AKIA", "QYLPMN5HHHFPZAM2"].concat();
                format!("=== {}f{n}.py\n+key_{n} = \"{key}\"\n", name.repeat(20))
            })
            .collect();
        let answer = first(&RuleFixture::parse(&files), "security");
        let bytes = serde_json::to_vec(&answer).unwrap().len();
        assert!(bytes < 1 << 20, "{bytes}");
        assert!(!answer.findings.is_empty());
        let last = &answer.findings.last().unwrap().description;
        assert!(last.contains("more than an answer lists"), "{last}");
    }
}

/// The rest says how many there are, however many; twenty thousand take a second, where counting the file's lines anew at
/// every hit took more than a minute.
#[test]
fn twenty_thousand_hits_are_listed_once() {
    for sign in ["+", "-    eval(old)\n+"] {
        let lines = format!("{sign}    eval(text)\n").repeat(20_000);
        let fixture = RuleFixture::parse(&format!("=== src/a.py\n def a():\n{lines}"));
        let answer = first(&fixture, "security");
        assert!(answer.findings.len() <= 6);
        let last = &answer.findings.last().unwrap().description;
        assert!(last.contains("more in this file"), "{last}");
    }
}

/// What a rule has to know of the whole file, it works out once: each of these took a minute and more, which let a file of
/// half a megabyte use up the time of a hook.
#[test]
fn what_is_known_of_a_whole_file_is_worked_out_once() {
    let files = [
        ("src/a.rs", "fn f() { unsafe { g() } }", ""),
        ("src/b.rs", "let a = \"x\u{202e}y\";", "security"),
        ("src/c.rs", "<<<<<<< HEAD", "hygiene"),
        ("src/d.py", "data = yaml.load(stream)", "security"),
        ("src/e.py", "archive.extractall(place)", "security"),
        ("src/f.rs", "#![allow(warnings)]", "hygiene"),
    ];
    for (path, line, perspective) in files {
        let added = format!("+{line}\n").repeat(20_000);
        let fixture = RuleFixture::parse(&format!("=== {path}\n{added}"));
        let began = std::time::Instant::now();
        let _ = first(&fixture, perspective);
        let taken = began.elapsed();
        assert!(taken.as_secs() < 40, "{path}: {taken:?}");
    }
}

/// A note that is repeated is not read.
#[test]
fn a_minor_rule_speaks_once_in_a_change() {
    let text: String = (0..3)
        .map(|n| {
            format!("=== src/a{n}.py\n def a():\n+    # TODO: mend this\n+    # TODO: and that\n\n")
        })
        .collect();
    let answer = asked_for(&RuleFixture::parse(&text), "todo-without-reference");
    assert_eq!(answer.findings.len(), 1);
    let description = &answer.findings[0].description;
    assert!(
        description.ends_with("There are 5 more in this change."),
        "{description}"
    );
}

#[test]
fn a_rule_on_request_runs_only_where_configuration_names_it() {
    let fixture = RuleFixture::parse("=== src/a.py\n def a():\n+    # TODO: mend this\n");
    assert!(first(&fixture, "").findings.is_empty());
    assert_eq!(
        asked_for(&fixture, "todo-without-reference").findings.len(),
        1
    );
}

#[test]
fn without_blobs_the_hunks_alone_say_the_same() {
    let fixture = RuleFixture::parse(ORDERS);
    let with = first(&fixture, "");
    let mut patch =
        BuiltinJudge::new(&seat("", &[]), fixture.packet.clone(), Arc::new(NoBlobs)).unwrap();
    assert_eq!(ask(&mut patch, 1, Task::Review).findings, with.findings);
    let raised = claim("src/orders.py", 5, "query =", "SQL injection");
    let answer = ask(&mut patch, 2, debate(vec![raised]));
    assert_eq!(answer.responses[0].stance, Stance::Agreed);
}

#[test]
fn rules_and_perspectives_can_be_looked_up() {
    assert!(crate::rules().len() >= 35);
    assert_eq!(
        crate::explain_rule("sql-injection").unwrap().perspective,
        "security"
    );
    assert_eq!(crate::explain_rule("sql-injektion"), None);
    let names: Vec<_> = crate::perspectives().iter().map(|p| p.name).collect();
    assert_eq!(
        names,
        [
            "security",
            "error-paths",
            "tests",
            "maintainability",
            "hygiene"
        ]
    );
}

/// Whatever a change raises to be critical, and however often it does what that is about: what fails it by itself is
/// listed.
#[test]
fn no_rule_pushes_the_finding_of_another_one_off_the_list() {
    let key = ["AKI", "AQ3ZR7WV5LKM2XTNB"].concat();
    let mut text: String = (0..260)
        .map(|n| format!("=== a/f{n}.py\n+def f{n}(x):\n+    return eval(x)\n"))
        .collect();
    text += &format!("=== zz.py\n+key = \"{key}\"\n");
    let fixture = RuleFixture::parse(&text);
    for raised in [None, Some("code-evaluation")] {
        let levels: Vec<_> = raised
            .map(|id| (id, RuleLevel::Critical))
            .into_iter()
            .collect();
        let seat = super::seat("security", &levels);
        let blobs = fixture.blobs.clone();
        let mut judge = super::BuiltinJudge::new(&seat, fixture.packet.clone(), blobs).unwrap();
        let answer = super::ask(&mut judge, 1, council_protocol::task::Task::Review);
        assert!(answer.findings.len() <= 200);
        let token = answer
            .findings
            .iter()
            .find(|f| f.rule.as_deref() == Some("provider-token"));
        assert!(
            token.is_some_and(|f| f.location.path == "zz.py".into()),
            "{raised:?}"
        );
    }
}
