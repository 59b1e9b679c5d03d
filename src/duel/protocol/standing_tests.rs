//! Where each point stands.

use council_protocol::Vote;

use super::super::votes::vote_of;
use super::*;

fn transcript(response: &str, follow_up: &str) -> DebateTranscript {
    DebateTranscript::parse(&format!(
        "## Opening\nVote: FAIL — broken\n\n1. `a.rs:1` — one\n2. `b.rs:2` — two\n\n*— Agent A, 2025-06-15T14:30:00Z*\n\n\
         ## Response 1\n{response}\n\n*— Agent B, 2025-06-15T14:31:00Z*\n\n\
         ## Follow-up 1\n{follow_up}\n\n*— Agent A, 2025-06-15T14:32:00Z*\n"
    ))
}

fn settled(transcript: &DebateTranscript) -> Vec<(String, bool)> {
    point_standings(transcript)
        .iter()
        .map(|p| (p.id.to_string(), p.is_settled()))
        .collect()
}

#[test]
fn a_point_is_settled_by_agreement_or_concession() {
    let file = transcript(
        "**A1 — Agreed** yes\n\n**A2 — Disagreed** no",
        "**A2 — Agreed** you are right",
    );
    assert_eq!(settled(&file), [("A1".into(), true), ("A2".into(), true)]);
    let held = transcript(
        "**A1 — Agreed** yes\n\n**A2 — Disagreed** no",
        "**A2 — Disagreed** I hold",
    );
    assert_eq!(settled(&held), [("A1".into(), true), ("A2".into(), false)]);
}

#[test]
fn replies_without_names_answer_in_order() {
    let file = transcript("1. **Agreed** yes\n2. **Disagreed** no", "nothing");
    assert_eq!(settled(&file), [("A1".into(), true), ("A2".into(), false)]);
}

#[test]
fn same_as_other_agent_speaks_of_the_others_point() {
    let file = transcript(
        "- [same as other agent] `a.rs:2` — one too\n  > x\n- [not reproduced / disagreed] `b.rs:2` — no",
        "nothing",
    );
    let stances: Vec<_> = point_standings(&file)
        .iter()
        .map(|p| p.replies[0].stance)
        .collect();
    assert_eq!(stances, [Stance::Agreed, Stance::Disagreed]);
}

#[test]
fn points_of_both_sides_are_numbered_through_the_file() {
    let file = transcript(
        "- [new finding] `c.rs:3` — three",
        "- [new finding] `d.rs:4` — four",
    );
    let ids: Vec<_> = point_standings(&file)
        .iter()
        .map(|p| p.id.to_string())
        .collect();
    assert_eq!(ids, ["A1", "A2", "B1", "A3"]);
    assert_eq!(
        vote_of(&file, DuelRole::A),
        Some((Vote::Fail, "broken".into()))
    );
    assert_eq!(vote_of(&file, DuelRole::B), None);
}
