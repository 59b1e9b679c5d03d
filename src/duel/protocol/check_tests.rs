//! What breaks the rules, and what does not.

use super::super::turns::tests::file;
use super::*;

fn rules(text: &str) -> Vec<(u32, &'static str)> {
    check_transcript(&DebateTranscript::parse(text))
        .iter()
        .map(|v| (v.line, v.rule.as_str()))
        .collect()
}

const GOOD: &str = "# Code Debate: HEAD\n\n## Opening\n1. `a.rs:1` — bad\n\n*— Agent A, 2025-06-15T14:30:00Z*\n\n---\n\n\
    ## Response 1\n- **A1** — **Agreed** — yes\n\n*— Agent B, 2025-06-15T14:31:00Z*\n\n---\n\n\
    ## CONSENSUS\n\nOutcome: consensus\n\n*— Agent A, 2025-06-15T14:32:00Z*\n";

#[test]
fn a_good_transcript_has_no_violation() {
    assert_eq!(rules(GOOD), []);
}

#[test]
fn each_violation_is_named_with_its_line() {
    let cases: [(&str, String, (u32, &str)); 12] = [
        (
            "order",
            file(&[("Opening", 'A'), ("Follow-up 1", 'A')]),
            (10, "turn-order"),
        ),
        (
            "voice",
            file(&[("Opening", 'A'), ("Response 1", 'A')]),
            (13, "wrong-voice"),
        ),
        (
            "heading",
            file(&[("Opening", 'A'), ("Summary", 'A')]),
            (10, "unknown-heading"),
        ),
        (
            "closer",
            GOOD.replace("consensus\n\n*— Agent A", "consensus\n\n*— Agent B"),
            (17, "wrong-closer"),
        ),
        (
            "early",
            GOOD.replace("**Agreed** — yes", "**Disagreed** — no"),
            (17, "premature-close"),
        ),
        (
            "double",
            format!("{GOOD}\n## CONSENSUS\nOutcome: limit\n\n*— Agent A, 2025-06-15T14:33:00Z*\n"),
            (23, "double-consensus"),
        ),
        (
            "after",
            format!("{GOOD}\n## Response 2\n**Agreed**\n\n*— Agent B, 2025-06-15T14:33:00Z*\n"),
            (23, "after-consensus"),
        ),
        (
            "label",
            GOOD.replace("**Agreed** — yes", "I see"),
            (11, "uncategorised"),
        ),
        (
            "missing",
            GOOD.replace("- **A1** — **Agreed** — yes", "Thank you."),
            (10, "uncategorised"),
        ),
        (
            "stray",
            GOOD.replacen("\n---\n", "\nP.S. I disagree\n---\n", 1),
            (8, "stray-text"),
        ),
        (
            "fence",
            GOOD.replace("— yes\n", "— yes\n\n```\ncode\n"),
            (13, "open-fence"),
        ),
        (
            "time",
            GOOD.replace("14:31:00Z", "14:29:00Z"),
            (13, "time-travel"),
        ),
    ];
    for (name, text, expected) in cases {
        assert!(
            rules(&text).contains(&expected),
            "{name}: {:?}",
            rules(&text)
        );
    }
}

#[test]
fn what_is_settled_or_ones_own_need_not_be_categorised_again() {
    let opened = "## Opening\nfine\n\n*— Agent A, 2025-06-15T14:30:00Z*\n\n\
                  ## Response 1\n1. `a.rs:1` — bad — **new finding**\n\n*— Agent B, 2025-06-15T14:31:00Z*\n\n\
                  ## Follow-up 1\nI see.\n\n*— Agent A, 2025-06-15T14:32:00Z*\n\n\
                  ## Response 2\nThat was all.\n\n*— Agent B, 2025-06-15T14:33:00Z*\n";
    let lapses = rules(opened);
    assert!(
        !lapses.iter().any(|(_, rule)| *rule == "uncategorised"),
        "{lapses:?}"
    );
}

#[test]
fn b_may_close_only_at_its_own_time_out() {
    let close = |ending: &str| {
        let text = file(&[("Opening", 'A'), ("Response 1", 'B')]);
        text + &format!("\n## CONSENSUS\nOutcome: {ending}\n\n*— Agent B, 2025-06-15T15:00:00Z*\n")
    };
    assert_eq!(rules(&close("timeout-a")), []);
    assert!(
        rules(&close("consensus"))
            .iter()
            .any(|(_, r)| *r == "wrong-closer")
    );
}
