//! Laws of what people and coding agents write by hand: what belongs to a point is read where it stands, and what only looks
//! like it is not.

use proptest::prelude::*;
use proptest::sample::select;

use council_protocol::{Severity, Vote};

use super::DuelRole;
use super::point_standing::PointStanding;
use super::standing::{DebateState, point_standings};
use super::transcript::DebateTranscript;
use super::votes::worst_vote_of;

fn opened(body: &str) -> DebateTranscript {
    DebateTranscript::parse(&format!(
        "# Code Debate: HEAD\n\n## Opening\n\n{body}\n\n*— Agent A, 2025-06-15T14:30:00Z*\n\n---\n"
    ))
}

fn points(body: &str) -> Vec<PointStanding> {
    point_standings(&opened(body))
}

/// Two problems of one file, whose name stands above them.
fn below_file(layout: usize, [first, second]: [u32; 2]) -> String {
    let (one, other) = ("the name goes into the text", "anybody may delete");
    match layout {
        0 => format!(
            "### users.py\n\n- **L{first}** (critical): {one}.\n- **L{second}** (critical): {other}."
        ),
        1 => format!(
            "### users.py\n\n1. Line {first} — **critical** — {one}.\n2. Line {second} — **critical** — {other}."
        ),
        2 => format!(
            "#### `users.py`\n\n| Line | Severity | Issue |\n|---|---|---|\n| {first} | critical | {one} |\n| {second} | critical | {other} |"
        ),
        3 => format!(
            "- **users.py**\n  - line {first}: {one} (critical)\n  - line {second}: {other} (critical)"
        ),
        _ => format!(
            "**File: `users.py`**\n\n- **A1** — **critical** — line {first}: {one}.\n- **A2** — **critical** — line {second}: {other}."
        ),
    }
}

/// Code in the sentence of a point, and below it, that is no quote of the line.
const CODE: [&str; 7] = [
    "`find_user` puts the name into it",
    "use `cur.execute(sql, (name,))` instead",
    "with `' OR 1=1 --` every row is returned",
    "see `tests/test_users.py`",
    "bind it.\n\n  ```suggestion\n  query = bind(name)\n  ```",
    "bind it.\n\n  ```diff\n  -query = run(name)\n  +query = bind(name)\n  ```",
    "bind it. Suggested fix:\n\n  ```python\n  query = bind(name)\n  ```",
];

/// How bots and agents mark what is critical.
const MARKED: [&str; 8] = [
    "- [P0] Bind the name — users.py:@\n  Any caller runs any statement.",
    "- **P0** `users.py:@` — The name goes into the text.",
    "- 🔴 **A1** `users.py:@` — The name goes into the text.",
    "- 🔴 `users.py:@` — The name goes into the text.",
    "### Must fix before merge\n\n- users.py:@ — The name goes into the text.",
    "### A1: The name goes into the text\n\n**Priority:** P0\n**File:** users.py:@",
    "- **Kritisch**: `users.py:@` — Der Name geht in den Text.",
    "- **A1** — **critical** `users.py:@` — The name goes into the text.",
];

/// Words of gravity that say nothing of how bad a problem is.
const PLAIN: [&str; 5] = [
    "This is not critical, but the cursor is never closed.",
    "A blocking call on the event loop.",
    "The critical path gets slower by one query.",
    "Non-blocking: the name is long.",
    "A critical section is entered twice.",
];

/// Votes, each in a layout that people use, and the worst that is said.
const VOTES: [(&str, Vote); 13] = [
    ("### Vote\n\nFAIL", Vote::Fail),
    ("### My vote\n\n**FAIL**", Vote::Fail),
    ("_Vote: FAIL_", Vote::Fail),
    ("*Vote:* FAIL", Vote::Fail),
    ("| Vote | FAIL |", Vote::Fail),
    ("| Item | Value |\n|---|---|\n| Vote | FAIL |", Vote::Fail),
    ("### Verdict\n\n**FAIL** — the check is gone.", Vote::Fail),
    ("### Final verdict\n\nWARN: look at it again.", Vote::Warn),
    ("### Verdict: FAIL\n\nThe check is gone.", Vote::Fail),
    (
        "| Vote | Reason |\n|---|---|\n| FAIL | the check is gone |",
        Vote::Fail,
    ),
    (
        "**Verdict:** Request changes\n\nThe check is gone.",
        Vote::Fail,
    ),
    ("Verdict: rejected", Vote::Fail),
    ("### Verdict\n\nPASS", Vote::Pass),
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_stands_below_a_file_has_its_place_in_it(layout in 0usize..5, first in 1u32..400, gap in 50u32..400) {
        let lines = [first, first + gap];
        let text = below_file(layout, lines);
        let told: Vec<_> = points(&text).into_iter().map(|point| {
            let place = point.finding.location;
            (place.path.display().into_owned(), place.line, point.finding.severity)
        }).collect();
        let meant = lines.map(|line| ("users.py".to_owned(), line, Severity::Critical));
        prop_assert_eq!(told, meant.to_vec(), "{}", text);
    }

    #[test]
    fn code_in_a_sentence_moves_no_point(code in select(&CODE[..]), line in 1u32..400) {
        let text = format!("- **A1** — **critical** `users.py:{line}` — Wrong: {code}");
        let points = points(&text);
        prop_assert_eq!(points.len(), 1, "{}", text);
        prop_assert_eq!(points[0].finding.location.line, line, "{}", text);
        prop_assert_eq!(&points[0].finding.quote, "", "{}", text);
    }

    #[test]
    fn marks_of_gravity_are_read_where_they_stand(form in select(&MARKED[..]), line in 1u32..400) {
        let text = form.replace('@', &line.to_string());
        let points = points(&text);
        prop_assert_eq!(points.len(), 1, "{}", text);
        prop_assert_eq!(points[0].finding.severity, Severity::Critical, "{}", text);
        prop_assert_eq!(points[0].finding.location.line, line, "{}", text);
    }

    #[test]
    fn a_word_in_a_sentence_is_no_severity(words in select(&PLAIN[..]), line in 1u32..400) {
        let text = format!("- **A1** — `users.py:{line}` — {words}");
        let points = points(&text);
        prop_assert_eq!(points.len(), 1, "{}", text);
        prop_assert_ne!(points[0].finding.severity, Severity::Critical, "{}", text);
    }

    #[test]
    fn a_vote_is_read_in_whatever_layout((text, vote) in select(&VOTES[..])) {
        let told = worst_vote_of(&opened(text), DuelRole::A).map(|(vote, _)| vote);
        prop_assert_eq!(told, Some(vote), "{}", text);
        // It is no objection beside a vote, which would have to be taken back.
        let state = DebateState::read(&opened(text));
        prop_assert!(state.objections.is_empty(), "{}", text);
    }

    /// Whoever wrote a point or an objection has taken part, with or without a line that votes.
    #[test]
    fn whoever_objects_has_spoken(line in 1u32..400, form in 0usize..3) {
        let text = match form {
            0 => format!("- **A1** — **critical** — `users.py` ({line}): the name goes into the text."),
            1 => format!("A1. In `find_user` (users.py:{line}) the name goes into the text. Critical."),
            _ => "The check of delete_user is gone: anybody may delete. Do not merge.".to_owned(),
        };
        let state = DebateState::read(&opened(&text));
        prop_assert!(state.speakers.contains(&DuelRole::A), "{}", text);
    }
}

#[test]
fn a_severity_of_which_there_is_nothing_is_no_point() {
    let text = "**Critical:** none\n\n**Minor:**\n- **A1** `users.py:9` — It is never closed.\n\nVote: PASS";
    let told: Vec<_> = points(text)
        .into_iter()
        .map(|point| point.finding.severity)
        .collect();
    assert_eq!(told, [Severity::Minor]);
}
