//! What people write below a finding: it dismisses what it names, as what it names, or it is told what was not understood.

use super::stage::{CONFLICT, Stage};

const SHOWN: [&str; 5] = ["review", "--pr", "1", "--publish", "comment,check,review"];

/// A pull request with findings in two files, reviewed once, and two people who may write.
fn reviewed() -> Stage {
    let stage = Stage::new();
    stage.propose(1, &[("src/a.rs", CONFLICT), ("src/b.rs", CONFLICT)]);
    stage.council(&SHOWN).ends(1);
    let mut state = stage.hub.state();
    for who in ["alice", "zoe", "mallory"] {
        state.permissions.insert(who.to_owned(), "write");
    }
    drop(state);
    stage
}

/// Replies in the first conversation about a file.
fn reply(stage: &Stage, path: &str, who: &str, text: &str) {
    let mut state = stage.hub.state();
    let mut threads = state.threads.iter_mut();
    let thread = threads.find(|t| t.place["path"] == path).unwrap();
    thread.replies.push((who.to_owned(), text.to_owned()));
    thread.comments += 1;
}

/// Our answers, the first one first.
fn answers(stage: &Stage) -> Vec<String> {
    let state = stage.hub.state();
    let replies = state.threads.iter().flat_map(|thread| &thread.replies);
    let ours = replies.filter(|(who, _)| who.ends_with("[bot]"));
    ours.map(|(_, text)| text.lines().last().unwrap().to_owned())
        .collect()
}

/// What the report tells of dismissals.
fn dismissed(stage: &Stage) -> String {
    let body = stage.reports(1)[0].body.clone();
    let text = body.split_once("-->").unwrap().1.to_owned();
    let lines = text.lines().filter(|line| line.contains("@alice"));
    lines.collect::<Vec<_>>().join("\n")
}

/// The id of the finding of a file, as the report of the run calls it.
fn id_of(stage: &Stage, path: &str) -> String {
    let shown = stage.council(&["review", "--pr", "1", "--json"]).stdout;
    let report: serde_json::Value = serde_json::from_slice(shown.as_bytes()).unwrap();
    let findings = report["findings"].as_array().unwrap();
    let mut of_path = findings
        .iter()
        .filter(|found| found["finding"]["location"]["path"] == path);
    of_path.next().unwrap()["id"].as_str().unwrap().to_owned()
}

#[test]
fn a_reply_that_names_another_finding_dismisses_nothing_and_one_that_names_its_own_does() {
    let stage = reviewed();
    let (own, other) = (id_of(&stage, "src/a.rs"), id_of(&stage, "src/b.rs"));
    assert_ne!(own, other);
    let order = |id: &str| format!("/council dismiss {id} because fixture");
    reply(&stage, "src/a.rs", "alice", &order(&other));
    stage.council(&SHOWN).ends(1);
    let told = answers(&stage);
    assert_eq!(told.len(), 1, "{told:?}");
    let named =
        format!("Not dismissed: `alice` names `{other}`, and this conversation is about `{own}`");
    assert!(
        told[0].starts_with(&named) && told[0].contains("`src/a.rs:"),
        "{told:?}"
    );
    assert_eq!(dismissed(&stage), "");
    reply(&stage, "src/a.rs", "alice", &order(&own));
    stage.council(&SHOWN).ends(1);
    let told = answers(&stage);
    let said = format!("Dismissed by `alice`. This is about `{own}` at `src/a.rs:");
    assert!(told[1].starts_with(&said), "{told:?}");
    for part in ["critical, rule `", "as accepted risk;"] {
        assert!(told[1].contains(part), "{told:?}");
    }
    assert!(dismissed(&stage).contains("src/a.rs"));
    // A worse finding before it takes its number: what was understood once stays understood.
    stage.add(1, &[("src/Z.rs", CONFLICT)]);
    stage.council(&SHOWN).ends(1);
    assert_eq!(answers(&stage).len(), 2);
    assert!(dismissed(&stage).contains("src/a.rs"));
    stage.requests();
}

/// A kind in two words is that kind, what is no kind is told, and what stands for a reason is none.
#[test]
fn a_reply_counts_as_what_it_says_or_not_at_all() {
    for (words, told, kind) in [
        (
            "as false positive because a name",
            "as false positive;",
            "false positive",
        ),
        (
            "as no bug because a name",
            "Not dismissed: `as no bug` of `alice` is no kind",
            "",
        ),
        (
            "the other one because a name",
            "wrote `the other one` before the reason",
            "",
        ),
        (
            "because …",
            "Not dismissed: `alice` gives no reason for `F",
            "",
        ),
        (
            "because <reason>",
            "Not dismissed: `alice` gives no reason",
            "",
        ),
    ] {
        let stage = reviewed();
        reply(
            &stage,
            "src/a.rs",
            "alice",
            &format!("/council dismiss {words}"),
        );
        stage.council(&SHOWN).ends(1);
        let said = answers(&stage);
        assert!(said.len() == 1 && said[0].contains(told), "{said:?}");
        let shown = dismissed(&stage);
        assert_eq!(shown.is_empty(), kind.is_empty(), "{words}: {shown}");
        assert!(shown.contains(kind), "{words}: {shown}");
        stage.requests();
    }
}

/// Whoever was answered before, whoever comes next is answered as well, once; and nobody who may not dismiss takes back what
/// somebody else has dismissed.
#[test]
fn each_reply_of_a_conversation_has_its_own_answer() {
    let stage = reviewed();
    let says = [
        (
            "mallory",
            "/council dismiss because it is mine",
            "opened this pull request",
        ),
        (
            "zoe",
            "/council dismiss",
            "Not dismissed: `zoe` gives no reason",
        ),
        (
            "alice",
            "/council dismiss because fixture",
            "Dismissed by `alice`.",
        ),
        (
            "bob",
            "/council dismiss because I may not",
            "has no write access",
        ),
        ("zoe", "/council dismiss F9 because I know it", "names `F9`"),
    ];
    for (at, (who, text, told)) in says.iter().enumerate() {
        reply(&stage, "src/a.rs", who, text);
        for _ in 0..2 {
            stage.council(&SHOWN).ends(1);
            let said = answers(&stage);
            assert_eq!(said.len(), at + 1, "{said:?}");
            assert!(said[at].contains(told), "{said:?}");
        }
        assert_eq!(dismissed(&stage).contains("fixture"), at >= 2, "{who}");
    }
    stage.requests();
}

#[test]
fn an_example_in_a_block_of_code_orders_nothing() {
    let stage = reviewed();
    let example =
        "Whoever agrees may write:\n\n    /council dismiss because fixture\n\nI do not yet.";
    reply(&stage, "src/a.rs", "alice", example);
    stage.council(&SHOWN).ends(1);
    assert_eq!(
        (answers(&stage).len(), dismissed(&stage)),
        (0, String::new())
    );
    stage.requests();
}

/// What an answer says is true for as long as the reply stands; and the report tells why the verdict is red again.
#[test]
fn a_dismissal_that_is_taken_back_is_told_wherever_it_was_told() {
    for take_back in ["/council undo", ""] {
        let stage = reviewed();
        reply(
            &stage,
            "src/a.rs",
            "alice",
            "/council dismiss because fixture",
        );
        let many = stage.hub.state().threads.len();
        let open = open_about(&stage, "src/a.rs");
        stage.council(&SHOWN).ends(1);
        assert!(dismissed(&stage).contains("src/a.rs"));
        assert_eq!(open_about(&stage, "src/a.rs"), open - 1, "closed");
        if take_back.is_empty() {
            delete_replies(&stage, "alice");
        } else {
            reply(&stage, "src/a.rs", "alice", take_back);
        }
        stage.council(&SHOWN).ends(1);
        let said = answers(&stage);
        let told = match take_back {
            "" => "This no longer holds: the reply that dismissed the finding",
            _ => "Taken back by `alice`: ",
        };
        let last = said.last().unwrap();
        assert!(last.starts_with(told), "{said:?}");
        let shown = dismissed(&stage);
        let back =
            "came back: its dismissal by `@alice` no longer holds, because it was taken back";
        assert!(shown.contains(back), "{shown}");
        // It is talked about where it was talked about.
        assert_eq!(open_about(&stage, "src/a.rs"), open, "opened again");
        assert_eq!(stage.hub.state().threads.len(), many, "no second one");
        // It is told once, and is no reason to do anything again.
        stage.council(&SHOWN).ends(1);
        assert_eq!(answers(&stage), said);
        stage.requests();
    }
}

/// How many of our conversations about a file are open.
fn open_about(stage: &Stage, path: &str) -> usize {
    let state = stage.hub.state();
    let open = state.threads.iter().filter(|t| !t.resolved && !t.hidden);
    open.filter(|t| t.place["path"] == path).count()
}

/// Somebody deletes what they said; what we answered stays.
fn delete_replies(stage: &Stage, who: &str) {
    let mut state = stage.hub.state();
    for thread in &mut state.threads {
        let before = thread.replies.len();
        thread.replies.retain(|(author, _)| author != who);
        thread.comments -= (before - thread.replies.len()) as u64;
    }
}
