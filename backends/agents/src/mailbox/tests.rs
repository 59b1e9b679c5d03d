use council_protocol::{Answer, RoundNumber, TurnId};
use proptest::prelude::*;
use serde_json::json;

use super::client_side::TAKEN;
use super::*;
use crate::tools::{CodeTools, QueryBounds, QueryResult, ToolQuery};

fn spec() -> JudgeSpec {
    let agent = council_protocol::seat::AgentSpec {
        name: "a".to_owned(),
        kind: council_protocol::seat::AgentKind::Backend {},
        vendor: "v".to_owned(),
        model: None,
        deterministic: false,
    };
    JudgeSpec {
        seat: council_protocol::Seat {
            judge: "judge-1".into(),
            perspective: Default::default(),
            agent,
        },
        brief: "one\n12 +two = 2\nthree\n".into(),
        room: None,
        max_answer_bytes: 1 << 20,
        proves: false,
    }
}

fn mailbox() -> (tempfile::TempDir, JudgeMailbox) {
    let folder = tempfile::tempdir().unwrap();
    let mailbox = JudgeMailbox::create(folder.path(), &spec()).unwrap();
    mailbox.post_turn(&turn()).unwrap();
    (folder, mailbox)
}

fn turn() -> Turn {
    Turn {
        id: TurnId(1),
        round: RoundNumber::FIRST,
        key: "k".to_owned(),
        task: Task::Review,
        prompt: String::new(),
        timeout_ms: 1,
        spend: None,
    }
}

fn verdict() -> Value {
    json!({ "schema_version": 1, "round": 1, "key": "k", "verdict": "WARN", "confidence": "HIGH",
            "key_insight": "i", "explore": null })
}

#[test]
fn a_verdict_that_fits_is_kept_and_one_that_does_not_goes_back_with_the_reason() {
    let (_folder, mailbox) = mailbox();
    for (field, value, reason) in [
        ("verdict", json!("SKIPPED"), "verdict: unknown variant"),
        ("round", json!(2), "round: this turn is of round 1"),
        ("key", json!("x"), "key: not the one-time key"),
        ("schema_version", json!(7), "schema_version: it has to be 1"),
        ("findings", json!(null), "findings: null"),
        (
            "key_insight",
            json!("x".repeat(3 << 20)),
            "the answer has 3145",
        ),
    ] {
        let mut odd = verdict();
        odd[field] = value;
        let error = mailbox.submit_verdict(&odd).unwrap_err();
        assert!(error.starts_with(reason), "{error}");
        assert_eq!(mailbox.take_verdict(), Ok(None));
    }
    mailbox.submit_verdict(&verdict()).unwrap();
    let message = PeerMessage {
        to: "critic".to_owned(),
        text: "why?".to_owned(),
    };
    mailbox.send_message(&message).unwrap();
    let taken: Value = serde_json::from_str(&mailbox.take_verdict().unwrap().unwrap()).unwrap();
    assert_eq!(taken["verdict"], "WARN");
    assert_eq!(taken["messages"][0]["to"], "critic");
}

/// Law: an answer that is too large is `oversized` as elsewhere unless the judge says anything that is one, whatever of it is
/// too large and whatever it says in words; and of what it objected to nobody can say that it was never said.
#[test]
fn an_answer_that_is_too_large_is_oversized_unless_another_one_comes() {
    let large = "x".repeat(3 << 20);
    let in_words = |raw: &str| {
        let reply = AgentReply {
            raw: raw.to_owned(),
            usage: None,
        };
        Ok(reply)
    };
    for field in ["key_insight", "recommendation", "key", "a field of its own"] {
        let (_folder, mailbox) = mailbox();
        let mut oversized = verdict();
        oversized["verdict"] = json!("FAIL");
        oversized[field] = json!(large);
        // Of five no more is kept than there is room for.
        for _ in 0..5 {
            let told = mailbox.submit_verdict(&oversized).unwrap_err();
            assert!(told.contains("1048576 are allowed: shorten it"), "{told}");
        }
        let failure = prefer_submitted(Some(&mailbox), in_words("I am done.")).unwrap_err();
        assert_eq!(failure.kind, FailureKind::Oversized, "{failure:?}");
        let unread = failure.usage.unwrap().unread;
        assert!(unread.concat().len() <= 8 << 20);
        assert!(unread.iter().all(|said| said.contains("FAIL")), "{field}");
        // An answer in words, or a shorter one, counts; a turn later nothing is left.
        let answer = "{\"key\": \"k\", \"verdict\": \"WARN\"}";
        let reply = prefer_submitted(Some(&mailbox), in_words(answer)).unwrap();
        assert_eq!(reply.raw, answer);
        mailbox.submit_verdict(&verdict()).unwrap();
        let reply = prefer_submitted(Some(&mailbox), in_words("I am done.")).unwrap();
        assert!(reply.raw.contains("WARN"));
        mailbox.post_turn(&turn()).unwrap();
        let reply = prefer_submitted(Some(&mailbox), in_words("I am done.")).unwrap();
        assert_eq!(reply.raw, "I am done.");
    }
}

/// What a judge submitted before and took back, or was refused, or says beside it: none of it counts, and all of it is told.
#[test]
fn verdicts_that_were_refused_or_replaced_stay_known() {
    let (_folder, mailbox) = mailbox();
    let voting = |vote: &str| {
        let mut verdict = verdict();
        verdict["verdict"] = json!(vote);
        verdict
    };
    let mut unproved = voting("FAIL");
    unproved["findings"] = json!([{ "severity": "critical", "description": "d",
            "location": { "path": "a.py", "line": 12 }, "quote": "nowhere" }]);
    mailbox.submit_verdict(&unproved).unwrap_err();
    mailbox.submit_verdict(&voting("WARN")).unwrap();
    mailbox.submit_verdict(&voting("PASS")).unwrap();
    let words = AgentReply {
        raw: "{\"key\": \"k\", \"verdict\": \"FAIL\"}".to_owned(),
        usage: None,
    };
    let reply = prefer_submitted(Some(&mailbox), Ok(words)).unwrap();
    assert!(reply.raw.contains("PASS"));
    let unread = reply.usage.unwrap().unread;
    let votes = unread.iter().map(|text| {
        let read: Value = serde_json::from_str(text).unwrap();
        read["verdict"].as_str().unwrap().to_owned()
    });
    assert_eq!(votes.collect::<Vec<_>>(), ["FAIL", "WARN", "FAIL"]);

    let quiet = AgentReply {
        raw: "done".to_owned(),
        usage: None,
    };
    mailbox.post_turn(&turn()).unwrap();
    mailbox.submit_verdict(&voting("PASS")).unwrap();
    let reply = prefer_submitted(Some(&mailbox), Ok(quiet)).unwrap();
    assert_eq!(reply.usage, None, "and of an earlier turn nothing is left");
}

#[test]
fn three_megabytes_in_the_mailbox_are_oversized_and_not_read() {
    let (folder, mailbox) = mailbox();
    let mut huge = verdict();
    huge["key_insight"] = json!("x".repeat(3 << 20));
    fs::write(folder.path().join(VERDICT_FILE), huge.to_string()).unwrap();
    let reply = AgentReply {
        raw: "done".to_owned(),
        usage: Some(Default::default()),
    };
    let failure = prefer_submitted(Some(&mailbox), Ok(reply)).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Oversized);
    assert!(failure.usage.is_some(), "it is paid for all the same");
}

/// A vote with a condition and an id that nobody has are refused later: nothing says before that they are taken.
#[test]
fn what_only_the_program_knows_is_not_said_to_be_taken() {
    let (_folder, mailbox) = mailbox();
    let mut odd = verdict();
    odd["key_insight"] = json!("PASS if a.py:12 is fixed");
    odd["responses"] = json!([{ "to": "Z9", "stance": "agreed", "reasoning": "r" }]);
    let said = mailbox.submit_verdict(&odd).unwrap();
    assert!(said.contains("is checked when the turn ends"), "{said}");
    for known in ["form", "round", "key", "quotes"] {
        assert!(said.contains(known), "{said}");
    }
    assert!(!said.contains("taken"), "{said}");
}

#[test]
fn a_quote_that_is_nowhere_is_refused_once_with_the_nearest_line() {
    let (folder, mailbox) = mailbox();
    let quoting = |quote: &str| {
        let mut verdict = verdict();
        verdict["findings"] = json!([{ "severity": "critical", "description": "d",
                "location": { "path": "a.py", "line": 12 }, "quote": quote }]);
        verdict
    };
    let taken = Ok(TAKEN.to_owned());
    assert_eq!(mailbox.submit_verdict(&quoting("`two = 2`")), taken);
    let error = mailbox.submit_verdict(&quoting("two = 3")).unwrap_err();
    assert!(
        error.contains("findings[0].quote: `two = 3` was not found"),
        "{error}"
    );
    assert!(error.contains("`two = 2`"), "{error}");
    let note = mailbox.submit_verdict(&quoting("two = 3")).unwrap();
    assert!(note.contains("counts for nothing"), "{note}");

    let tree = folder.path().join("tree");
    fs::create_dir(&tree).unwrap();
    fs::write(tree.join("b.py"), "import os\nos.system(name)  # run it\n").unwrap();
    let in_tree = |path: &str, quote: &str| {
        let mut quoting = quoting(quote);
        quoting.as_object_mut().unwrap().remove("explore");
        let mut answer: Answer = serde_json::from_value(quoting).unwrap();
        answer.findings[0].location.path = path.into();
        quotes::lost_quotes(&answer, Some(&tree), "")
    };
    assert!(in_tree("b.py", "os.system(name)").is_empty());
    assert!(in_tree("./b.py", "import os\nos.system(name)").is_empty());
    for (path, quote) in [
        ("b.py", "os.system(input)"),
        ("c.py", "import os"),
        ("../tree/b.py", "import os"),
    ] {
        assert_eq!(in_tree(path, quote).len(), 1, "{path}: {quote}");
    }
}

#[test]
fn the_brief_is_read_in_parts() {
    let (_folder, mailbox) = mailbox();
    assert_eq!(mailbox.read_brief(2, 1), Ok(("12 +two = 2".to_owned(), 3)));
    assert_eq!(
        mailbox.read_brief(0, 10),
        Ok(("one\n12 +two = 2\nthree".to_owned(), 3))
    );
}

#[test]
fn a_judge_for_whom_no_socket_can_be_made_does_without_and_says_so() {
    struct Nothing;
    impl crate::tools::CodeTools for Nothing {
        fn run_query(
            &self,
            _: &crate::tools::ToolQuery,
            _: &crate::tools::QueryBounds,
        ) -> crate::tools::QueryResult {
            unreachable!("nobody can ask")
        }
    }
    let folder = tempfile::tempdir().unwrap();
    // The path of a socket has some 100 bytes.
    let deep = folder.path().join("d".repeat(120));
    let mut mailbox = JudgeMailbox::create(&deep, &spec()).unwrap();
    mailbox.open_desk(ToolSetup {
        runner: Arc::new(Nothing),
        judge: "judge-1".into(),
        max_calls: 3,
    });
    let mut never_sent = Err(Failure::new(FailureKind::Died, "x"));
    mailbox.end_turn(&mut never_sent);
    assert_eq!(never_sent.unwrap_err().usage, None);
    let mut answered = Ok(AgentReply {
        raw: "x".to_owned(),
        usage: None,
    });
    mailbox.end_turn(&mut answered);
    let why = answered.unwrap().usage.unwrap().without_tools.unwrap();
    assert!(why.contains("no socket can be made"), "{why}");
}

/// Shows one file, with the numbers that a look-up has.
struct Shows(Vec<String>);

impl CodeTools for Shows {
    fn run_query(&self, _: &ToolQuery, _: &QueryBounds) -> QueryResult {
        let numbered = (1..).zip(&self.0).map(|(at, line)| format!("{at}  {line}"));
        QueryResult {
            text: Ok(numbered.collect::<Vec<_>>().join("\n")),
            asked: "src/a.rs".to_owned(),
            seen: Vec::new(),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Law: every line that a judge was handed back may be quoted, in this turn and in later ones, whether or not its file
    /// is in the workspace; a line that nobody showed may not.
    #[test]
    fn what_was_looked_up_may_be_quoted(
        lines in proptest::collection::vec("[a-z]{12,20} = [a-z]{12,20};", 1..6), at in any::<prop::sample::Index>(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let mut mailbox = JudgeMailbox::create(folder.path(), &spec()).unwrap();
        let at = at.index(lines.len());
        mailbox.open_desk(ToolSetup {
            runner: Arc::new(Shows(lines.clone())),
            judge: "judge-1".into(),
            max_calls: 2,
        });
        let submit = |mailbox: &JudgeMailbox, quote: &str| {
            let mut verdict = verdict();
            verdict["findings"] = json!([{ "severity": "minor", "category": "c", "description": "d", "why": "w", "fix": "f",
                "location": { "path": "src/a.rs", "line": at + 1 }, "quote": quote }]);
            mailbox.submit_verdict(&verdict)
        };
        mailbox.post_turn(&Turn { timeout_ms: 60_000, ..turn() }).unwrap();
        mailbox.look_up("read_file", &json!({ "path": "src/a.rs" })).unwrap();
        prop_assert_eq!(submit(&mailbox, &lines[at]), Ok(TAKEN.to_owned()));
        mailbox.post_turn(&Turn { timeout_ms: 60_000, ..turn() }).unwrap();
        prop_assert_eq!(submit(&mailbox, &lines[at]), Ok(TAKEN.to_owned()));
        prop_assert!(submit(&mailbox, "nobody_ever_showed(this_line);").is_err());
    }
}

const FAILURES: [FailureKind; 17] = [
    FailureKind::Spawn,
    FailureKind::Timeout,
    FailureKind::Died,
    FailureKind::Refused,
    FailureKind::Empty,
    FailureKind::Prose,
    FailureKind::Malformed,
    FailureKind::Truncated,
    FailureKind::Oversized,
    FailureKind::ContextCut,
    FailureKind::WrongRound,
    FailureKind::WrongKey,
    FailureKind::Violation,
    FailureKind::Unsupported,
    FailureKind::Cancelled,
    FailureKind::Quota,
    FailureKind::Provider,
];

/// However a turn ends, from within or from outside: a verdict that was taken is the answer, or is told.
#[test]
fn a_verdict_that_was_handed_in_outlives_every_end_of_its_turn() {
    for kind in FAILURES {
        for key in ["k", "of another turn"] {
            let (_folder, mailbox) = mailbox();
            let stop = StopSignal::default();
            begin_turn(Some(&mailbox), &turn(), &stop).unwrap();
            let mut handed_in = verdict();
            handed_in["verdict"] = json!("FAIL");
            handed_in["key"] = json!(key);
            let is_taken = mailbox.submit_verdict(&handed_in).is_ok();
            assert_eq!(is_taken, key == "k");
            let failed = Err(Failure::new(kind, "so it goes"));
            let result = prefer_submitted(Some(&mailbox), failed);
            let is_told = |texts: &[String]| texts.iter().any(|text| text.contains("FAIL"));
            match result.map_err(|failure| failure.with_drafts(stop.draft().take())) {
                Ok(reply) => assert!(is_taken && reply.raw.contains("FAIL"), "{kind}"),
                Err(failure) => assert!(is_told(&failure.usage.unwrap().unread), "{kind}"),
            }
            let stop = StopSignal::default();
            let watched = mailbox.clone();
            stop.draft().add_handed_in(move || watched.read_handed_in());
            assert!(is_told(&stop.draft().take()), "it is ended from outside");
        }
    }
}
