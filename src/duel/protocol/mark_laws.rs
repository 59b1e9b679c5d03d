//! A law of marks: whatever says how bad a point is says it in every layout, and where nothing does a note tells.

use proptest::prelude::*;
use proptest::sample::select;

use council_protocol::Severity;

use super::standing::point_standings;
use super::transcript::DebateTranscript;

/// How people, bots and trackers say how bad something is.
const MARKS: [(&str, Severity); 26] = [
    ("critical", Severity::Critical),
    ("Critical", Severity::Critical),
    ("CRITICAL", Severity::Critical),
    ("Blocker", Severity::Critical),
    ("show-stopper", Severity::Critical),
    ("Showstopper", Severity::Critical),
    ("Show stopper", Severity::Critical),
    ("Must fix", Severity::Critical),
    ("🔴", Severity::Critical),
    ("🛑", Severity::Critical),
    ("🔴 Critical", Severity::Critical),
    ("P0", Severity::Critical),
    ("S0", Severity::Critical),
    ("S1", Severity::Critical),
    ("SEV-1", Severity::Critical),
    ("SEV1", Severity::Critical),
    ("Sev 0", Severity::Critical),
    ("Major", Severity::Significant),
    ("significant", Severity::Significant),
    ("🟠", Severity::Significant),
    ("P1", Severity::Significant),
    ("S2", Severity::Significant),
    ("SEV-2", Severity::Significant),
    ("minor", Severity::Minor),
    ("P3", Severity::Minor),
    ("SEV-4", Severity::Minor),
];

/// Layouts of a point, `@` for its mark.
const LAYOUTS: [&str; 29] = [
    "### @\n\n- A1: `users.py:9` the name goes into the text",
    "### @\n\n#### A1 — the name goes into the text\n\n**Location:** `users.py:9`",
    "**@ issues:**\n\n1. **A1** `users.py:9` — the name goes into the text",
    "**@**\n\n- **A1** — `users.py:9` — the name goes into the text",
    "- **A1** — **@** `users.py:9` — the name goes into the text",
    "- **A1** — @ — `users.py:9` — the name goes into the text",
    "- **A1** — [@] `users.py:9` — the name goes into the text",
    "- **A1** — `users.py:9` — the name goes into the text — **@**",
    "- **A1** `users.py:9`: the name goes into the text (@)",
    "**A1 (@)** `users.py:9`: the name goes into the text",
    "**A1 [@]** `users.py:9`: the name goes into the text",
    "**A-1 (@)** `users.py:9`: the name goes into the text",
    "A1 (@): `users.py:9` the name goes into the text",
    "A1 is @: `users.py:9` — the name goes into the text",
    "- A1: @, users.py:9: the name goes into the text",
    "- **A1**: @, `users.py:9`: the name goes into the text",
    "- **A1** — **@** users.py L9 — the name goes into the text",
    "### A1 — the name goes into the text\n\n**Severity:** @\n**Location:** users.py L9",
    "| ID | Sev | File:Line | Issue |\n|---|---|---|---|\n| A1 | @ | users.py:9 | the name goes into the text |",
    "- @ **A1** `users.py:9` — the name goes into the text",
    "- [@] `users.py:9` — the name goes into the text",
    "- **@** `users.py:9` — the name goes into the text",
    "- **@**: `users.py:9` — the name goes into the text",
    "### A1 [@] the name goes into the text\n\n`users.py:9`\n\n> q = run(name)",
    "### A1 — @ — the name goes into the text\n\n**Location:** `users.py:9`",
    "### [@] the name goes into the text\n\n**Location:** `users.py:9`",
    "### A1 — the name goes into the text\n\n**Severity:** @\n**Location:** `users.py:9`",
    "### A1: the name goes into the text\n\n- Priority: @\n- File: users.py:9",
    "| ID | Severity | Location | Problem |\n|---|---|---|---|\n| A1 | @ | `users.py:9` | the name goes into the text |",
];

/// What is called as a mark is, and is none.
const NAMES: [&str; 7] = [
    "p1 is freed twice",
    "the registers s1, s2 are lost",
    "f(s1) is called twice",
    "S3.put never returns",
    "`P1` is read before it is set",
    "show stopped rows",
    "the highest row is lost",
];

fn opened(body: &str) -> DebateTranscript {
    DebateTranscript::parse(&format!(
        "# Code Debate: HEAD\n\n## Opening\n\nVote: FAIL\n\n{body}\n\n*— Agent A, 2025-06-15T14:30:00Z*\n\n---\n"
    ))
}

#[test]
fn a_mark_is_read_in_every_layout() {
    let mut lost = Vec::new();
    for layout in LAYOUTS {
        for (mark, severity) in MARKS {
            let text = layout.replace('@', mark);
            let points = point_standings(&opened(&text));
            let read = points.first().filter(|_| points.len() == 1).map(|point| {
                let found = &point.finding;
                let is_told = found.description.contains("the name goes into the text");
                (
                    found.severity,
                    point.is_weighed,
                    found.location.line,
                    is_told,
                )
            });
            if read != Some((severity, true, 9, true)) {
                lost.push(format!("{text:?}: {read:?}"));
            }
        }
    }
    assert!(lost.is_empty(), "{}\n{}", lost.len(), lost.join("\n"));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_name_is_no_mark(name in select(&NAMES[..]), form in 0usize..4) {
        let text = match form {
            0 => format!("- **A1** — `users.py:9` — {name}"),
            1 => format!("- **A1** `users.py:9`: {name}"),
            2 => format!("### A1 — {name}\n\n**Location:** `users.py:9`"),
            _ => format!("- **A1** — {name} (users.py:9)"),
        };
        let points = point_standings(&opened(&text));
        prop_assert_eq!(points.len(), 1, "{}", text);
        prop_assert!(!points[0].is_weighed, "{} {:?}", text, points[0].finding);
    }
}
