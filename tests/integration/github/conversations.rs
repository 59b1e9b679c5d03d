//! Comments beside lines over several pushes: what is gone is closed, what was said is not said again.

use super::stage::{CONFLICT, Stage};

const ARGS: [&str; 6] = ["review", "--pr", "1", "--publish", "review", "--full"];
const MENDED: &str = "fn a() {\n    one();\n}\n";

/// A pull request with findings in two files, reviewed once.
fn reviewed() -> Stage {
    let stage = Stage::new();
    stage.propose(1, &[("src/a.rs", CONFLICT), ("src/b.rs", CONFLICT)]);
    stage.council(&ARGS).ends(1);
    assert!(stage.hub.state().threads.len() >= 2);
    stage
}

/// How many of our conversations about a file are open.
fn open(stage: &Stage, path: &str) -> usize {
    let state = stage.hub.state();
    let open = state.threads.iter().filter(|t| !t.resolved && !t.hidden);
    open.filter(|t| t.place["path"] == path).count()
}

#[test]
fn what_a_push_outdates_is_neither_repeated_nor_left_standing() {
    let stage = reviewed();
    let before = stage.hub.state().threads.len();
    for thread in &mut stage.hub.state().threads {
        thread.outdated = true;
    }
    stage.add(1, &[("src/a.rs", MENDED)]);
    stage.council(&ARGS).ends(1);
    assert_eq!(stage.hub.state().threads.len(), before, "raised again");
    assert_eq!(open(&stage, "src/a.rs"), 0);
    assert!(open(&stage, "src/b.rs") > 0);
    // Something of the review still stands, so that it is not hidden.
    assert_eq!(stage.hub.state().reviews[0]["hidden"], false);
    stage.add(1, &[("src/b.rs", MENDED)]);
    stage.council(&ARGS);
    assert_eq!(open(&stage, "src/b.rs"), 0);
    {
        let state = stage.hub.state();
        assert_eq!(state.reviews[0]["hidden"], true);
        assert!(state.threads.iter().all(|thread| !thread.hidden));
    }
    // And then there is nothing left to do.
    stage.requests();
    stage.council(&ARGS);
    let asked = stage.hub.state().asked.clone();
    assert!(
        !asked
            .iter()
            .any(|asked| asked.body.to_string().contains("mutation")),
        "{asked:?}"
    );
}

#[test]
fn a_finding_that_was_answered_is_not_raised_again() {
    let stage = reviewed();
    let before = stage.hub.state().threads.len();
    for thread in &mut stage.hub.state().threads {
        thread.comments = 2;
    }
    stage.council(&ARGS).ends(1);
    for thread in &mut stage.hub.state().threads {
        thread.resolved = true;
    }
    stage.council(&ARGS).ends(1);
    assert_eq!(stage.hub.state().threads.len(), before);
    stage.requests();
}

/// The token of a job may resolve nothing unless it may write contents, which it never should.
#[test]
fn where_conversations_cannot_be_resolved_our_comments_are_hidden() {
    let stage = reviewed();
    stage.hub.state().denied.insert("contents: write");
    {
        let mut state = stage.hub.state();
        let answered = state
            .threads
            .iter_mut()
            .find(|t| t.place["path"] == "src/b.rs");
        answered.unwrap().comments = 2;
    }
    stage.add(1, &[("src/a.rs", MENDED), ("src/b.rs", MENDED)]);
    let run = stage.council(&ARGS);
    assert!(!run.stderr.contains("permission"), "{}", run.stderr);
    assert_eq!(open(&stage, "src/a.rs"), 0);
    let state = stage.hub.state();
    assert!(state.threads.iter().all(|thread| !thread.resolved));
    // A comment that somebody answered is a conversation of theirs, too.
    let answered = state.threads.iter().find(|thread| thread.comments == 2);
    assert!(!answered.unwrap().hidden);
}

#[test]
fn a_review_of_somebody_else_is_left_alone() {
    let stage = reviewed();
    let foreign = serde_json::json!({ "node_id": "PRR_x", "hidden": false, "body": "Looks good.", "event": "COMMENT" });
    stage.hub.state().reviews.push(foreign);
    for thread in &mut stage.hub.state().threads {
        thread.login = "alice".into();
        thread.is_bot = false;
    }
    stage.add(1, &[("src/a.rs", MENDED), ("src/b.rs", MENDED)]);
    stage.council(&ARGS);
    let state = stage.hub.state();
    assert!(
        state
            .threads
            .iter()
            .all(|thread| !thread.resolved && !thread.hidden)
    );
    assert_eq!(state.reviews.last().unwrap()["hidden"], false);
}

/// Replies to every finding as a person.
pub(super) fn say(stage: &Stage, who: &str, text: &str) {
    for thread in &mut stage.hub.state().threads {
        thread.replies.push((who.to_owned(), text.to_owned()));
        thread.comments += 1;
    }
}

/// Whoever may write to a repository may edit what others said there.
#[test]
fn words_that_somebody_else_put_into_a_reply_dismiss_nothing() {
    for (editor, counts) in [("mallory", false), ("", false), ("alice", true)] {
        let stage = Stage::new();
        stage.propose(1, &[("src/a.rs", CONFLICT)]);
        stage.council(&SHOWN).ends(1);
        say(&stage, "alice", "/council dismiss because fixture");
        {
            let mut state = stage.hub.state();
            state.permissions.insert("alice".into(), "write");
            let threads = state.threads.iter_mut();
            threads.for_each(|thread| thread.edited_by = Some(editor.to_owned()));
        }
        let code = stage.council(&SHOWN).code;
        let said = answers(&stage);
        assert_eq!(
            (code == 0, said[0].starts_with("Dismissed by")),
            (counts, counts),
            "{said:?}"
        );
        let told = "edited this reply of `alice`, who has to write a new one";
        assert!(counts || said[0].contains(told), "{said:?}");
        stage.requests();
    }
}

pub(super) fn answers(stage: &Stage) -> Vec<String> {
    let state = stage.hub.state();
    let replies = state.threads.iter().flat_map(|thread| &thread.replies);
    let ours = replies.filter(|(who, _)| who.ends_with("[bot]"));
    let lines = ours.map(|(_, text)| text.lines().last().unwrap().to_owned());
    lines.collect()
}

const SHOWN: [&str; 5] = ["review", "--pr", "1", "--publish", "comment,check,review"];

#[test]
fn a_reply_of_somebody_who_may_write_dismisses_the_finding_and_is_answered_once() {
    let stage = Stage::new();
    stage.propose(1, &[("src/a.rs", CONFLICT)]);
    stage.council(&SHOWN).ends(1);
    let threads = stage.hub.state().threads.len();
    assert!(
        stage.hub.state().threads[0]
            .body
            .contains("Reply `/council dismiss because …`")
    );
    say(&stage, "alice", "/council dismiss because fixture");
    stage
        .hub
        .state()
        .permissions
        .insert("alice".into(), "write");
    // The verdict is known already: nobody is asked again, and what is shown follows the dismissal.
    let run = stage.council(&SHOWN).ends(0).prints("fixture;");
    run.prints("@alice").prints("reused: ");
    let told = answers(&stage);
    assert_eq!(told.len(), threads);
    assert!(told[0].starts_with("Dismissed by `alice`."), "{told:?}");
    assert_eq!(open(&stage, "src/a.rs"), 0);
    assert_eq!(
        stage.hub.state().checks.last().unwrap()["conclusion"],
        "success"
    );
    stage.council(&SHOWN).ends(0);
    assert_eq!(answers(&stage).len(), threads, "answered twice");
    // A whole new review hears it, too, and so does one of what a push changed.
    stage.council(&ARGS).ends(0).prints("fixture;");
    stage.add(1, &[("src/b.rs", MENDED)]);
    stage.council(&SHOWN).ends(0);
    stage.requests();
}

/// What somebody dismissed stays in the report of every later push, with who did so and why, and counts again as soon as
/// the reply is gone.
#[test]
fn what_a_reply_dismissed_is_told_after_every_push_and_counts_without_the_reply() {
    let stage = Stage::new();
    stage.propose(1, &[("src/a.rs", CONFLICT)]);
    stage.council(&SHOWN).ends(1);
    say(&stage, "alice", "/council dismiss because fixture");
    stage
        .hub
        .state()
        .permissions
        .insert("alice".into(), "write");
    for push in 0..3 {
        stage.add(
            1,
            &[("src/b.rs", &format!("fn b() {{\n    let _ = {push};\n}}\n"))],
        );
        stage.council(&SHOWN).ends(0);
        let body = stage.reports(1)[0].body.clone();
        let text = body.split_once("-->").unwrap().1;
        assert!(text.contains("dismissed"), "{push}: {text}");
        assert!(
            text.contains("@alice") && text.contains("fixture"),
            "{push}: {text}"
        );
    }
    for thread in &mut stage.hub.state().threads {
        (thread.replies, thread.comments) = (Vec::new(), 1);
    }
    // For the same commit, and for the next one.
    stage.council(&SHOWN).ends(1);
    stage.add(1, &[("src/b.rs", "fn b() {}\n")]);
    stage.council(&SHOWN).ends(1);
    stage.requests();
}

#[test]
fn a_reply_of_anybody_else_is_answered_and_changes_nothing() {
    for (who, permission, told) in [
        (
            "bob",
            Some("read"),
            "Not dismissed: `bob` has no write access",
        ),
        ("bob", None, "Not dismissed: `bob` has no write access"),
        // Who opened the pull request may well have write access.
        (
            "mallory",
            Some("admin"),
            "Not dismissed: `mallory` opened this pull request",
        ),
    ] {
        let stage = Stage::new();
        stage.propose(1, &[("src/a.rs", CONFLICT)]);
        stage.council(&SHOWN).ends(1);
        say(&stage, who, "/council dismiss because I say so");
        let permission = permission.map(|permission| (who.to_owned(), permission));
        stage.hub.state().permissions.extend(permission);
        stage.council(&SHOWN).ends(1);
        let said = answers(&stage);
        assert!(said[0].starts_with(told), "{said:?}");
        let many = said.len();
        stage.council(&SHOWN).ends(1);
        assert_eq!(answers(&stage).len(), many);
        stage.requests();
    }
}
