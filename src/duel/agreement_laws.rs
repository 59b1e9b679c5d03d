//! Laws of agreements with a critical point: what adds to it, or proves it, takes nothing from the agreement; what plainly
//! contradicts it leaves half of one, and a note tells which words.

use proptest::prelude::*;
use proptest::sample::select;

use council_protocol::{Location, Proof};

use super::DuelEnding;
use super::protocol::side::ending_of;
use super::protocol::standing::DebateState;
use super::protocol::transcript::DebateTranscript;
use super::verdict::judge_transcript;
use super::verdict::tests::plan;
use crate::council::outcome::{Outcome, Verdict};

const POINT: &str = "### A1 — refund never checks amount\n\n**Severity:** critical\n**Location:** `bank.py:9`\n\n> order.paid -= amount";

fn section(heading: &str, role: char, body: &str) -> String {
    format!("\n## {heading}\n\n{body}\n\n*— Agent {role}, 2025-06-15T14:30:00Z*\n\n---\n")
}

fn closed(opening: &str, response: &str) -> DebateTranscript {
    let said = section("Opening", 'A', opening) + &section("Response 1", 'B', response);
    DebateTranscript::parse(&format!(
        "# Code Debate: HEAD\n{said}\n## CONSENSUS\nWe agree.\n"
    ))
}

fn judged(transcript: &DebateTranscript) -> Outcome {
    let mut prove = |_: &Location, _: &str| (Proof::Verified, String::new());
    let mut line_at = |_: &Location| Some("order.paid -= amount".to_owned());
    let (ending, accounts) = (ending_of(transcript), <[_; 2]>::default());
    judge_transcript(
        transcript,
        ending,
        plan(),
        accounts,
        &mut prove,
        &mut line_at,
    )
    .unwrap()
    .outcome
}

/// What an agreement to a point stands behind, with the point's name.
const NAMED: [&str; 6] = [
    "A1: @",
    "- **A1** — @",
    "- **A1** — **@**",
    "**A1 — @**",
    "1. A1: @",
    "### A1\n\n@",
];

/// Agreements in other words than the label's, too.
const LABELS: [&str; 9] = [
    "Agreed",
    "Agreed.",
    "I agree",
    "✅ Agreed",
    "Confirmed",
    "Valid",
    "Correct.",
    "Yes",
    "You're right",
];

/// What proves the point or adds to it, behind a label.
const ADDITIONS: [&str; 20] = [
    "",
    "\nI reproduced it.",
    "\n  I reproduced it.",
    "\nEvidence: `bank.py:10` `order.save()`",
    "\n\n  Evidence: `bank.py:10` `order.save()`",
    "\n\n**Evidence:** `bank.py:10` `order.save()`",
    "\n  - Evidence: `bank.py:10` `order.save()`",
    "\n  - I ran it with -5\n  - see `bank.py:10`",
    "\n  * reproduced with amount = -5",
    ". However, the fix should check for zero as well.",
    ", but it is even worse: the order is saved without its total.",
    ". But the fix should be in the caller.",
    ". Only the fix differs.",
    " — though I would also add a test",
    "; we should also log it",
    " — this is not guarded anywhere.",
    ": nobody checks the amount.",
    " — the guard is gone, not even the caller has one.",
    ". This is not a false positive.",
    " — critical, as A says.",
];

/// What plainly contradicts it, and the words that a note tells.
const CONTRADICTIONS: [(&str, &str); 20] = [
    ("\nThis is not a problem.", "not a problem"),
    ("\nNot reachable.", "Not reachable"),
    (". However, this is not reachable.", "not reachable"),
    (". But the caller is guarded.", "guarded"),
    (" — it is guarded by the caller.", "guarded"),
    (", but not so bad", "not so bad"),
    (
        ". It is not that bad: amounts are positive.",
        "not that bad",
    ),
    (". This is only minor.", "minor"),
    (" (minor)", "minor"),
    (" — significant, not more.", "significant"),
    (", but it is significant at most", "significant"),
    (". It is less severe than A says.", "less severe"),
    (", but only in debug builds", "debug"),
    (". However, the caller checks it.", "the caller checks"),
    (
        ", but it should be noted that amount is positive",
        "positive",
    ),
    (
        "\n  - Not reachable: the caller has a check",
        "Not reachable",
    ),
    ("\n  - **Disagreed** on its severity", "Disagreed"),
    ("\n  This cannot happen.", "cannot happen"),
    (" — a false alarm", "false alarm"),
    (", but the old code did it as well", "old code"),
];

fn replied(name: &str, label: &str, more: &str) -> String {
    let label =
        label.trim_end_matches(|c: char| c == '.' && !more.starts_with('\n') && !more.is_empty());
    name.replace('@', label) + more
}

/// Each of these behind each name, with one label after the other.
fn replies<'l>(mores: impl Iterator<Item = &'l str>) -> Vec<(String, &'l str)> {
    let mores: Vec<&str> = mores.collect();
    let each = NAMED
        .iter()
        .flat_map(|name| mores.iter().map(move |more| (name, *more)));
    let labelled = each.zip(LABELS.iter().cycle());
    labelled
        .map(|((name, more), label)| (replied(name, label, more), more))
        .collect()
}

#[test]
fn an_agreement_holds_whatever_adds_to_it() {
    for (said, _) in replies(ADDITIONS.into_iter()) {
        let opening = format!("Vote: FAIL\n\n{POINT}");
        let outcome = judged(&closed(&opening, &format!("Vote: FAIL\n\n{said}")));
        let notes = &outcome.notes;
        assert_eq!(outcome.verdict, Verdict::Fail, "{said:?} {notes:?}");
        assert_eq!(outcome.findings.len(), 1, "{said:?}");
    }
}

#[test]
fn a_contradiction_leaves_half_an_agreement_and_is_told() {
    let words = |more: &str| CONTRADICTIONS.iter().find(|(other, _)| *other == more);
    for (said, more) in replies(CONTRADICTIONS.into_iter().map(|(more, _)| more)) {
        let opening = format!("Vote: FAIL\n\n{POINT}");
        let transcript = closed(&opening, &format!("Vote: WARN\n\n{said}"));
        assert!(!DebateState::read(&transcript).is_settled(), "{said:?}");
        let notes = judged(&transcript).notes;
        let (_, words) = words(more).unwrap();
        let is_told = |note: &String| note.contains("in part only") && note.contains(words);
        assert!(notes.iter().any(is_told), "{said:?} {notes:?}");
    }
}

/// Reasons that hold the point in words that sound as if they did not.
const OVERHEARD: [&str; 8] = [
    ". I could not find any check that makes it harmless.",
    ". The only guard was removed by this change.",
    ". This must be guarded before it ships.",
    ". Calling it minor would be wrong.",
    ". It is reachable even though the docs say it is not reachable.",
    ". Although rare, it takes the whole batch down.",
    ". I tried to prove that it is unreachable and could not.",
    ". I have nothing to add except that `rate` has the same flaw.",
];

/// Two marks, "agreed" and FAIL, say more than the sound of a reason; over a matter of its own a FAIL says nothing of the point.
#[test]
fn whose_fail_rests_on_an_agreement_alone_means_it() {
    let opening = format!("Vote: FAIL\n\n{POINT}");
    let contradicting = CONTRADICTIONS.into_iter().map(|(more, _)| more);
    let contradicting = contradicting.filter(|more| !more.contains("Disagreed"));
    for (said, more) in replies(contradicting.chain(OVERHEARD)) {
        let transcript = closed(&opening, &format!("Vote: FAIL\n\n{said}"));
        assert_eq!(judged(&transcript).verdict, Verdict::Fail, "{said:?}");
        let own = "- **B1** — **critical** `bank.py:20` — new finding: it is lost";
        let beside = closed(&opening, &format!("Vote: FAIL\n\n{said}\n\n{own}"));
        let is_settled = DebateState::read(&beside).points[0].is_settled();
        assert!(!is_settled || OVERHEARD.contains(&more), "{said:?}");
    }
}

/// A confirmation of a point of one's own holds it, and a weight that the other side repeats takes nothing from it.
#[test]
fn a_confirmation_speaks_of_the_other_sides_points() {
    for label in ["Confirmed", "Valid", "Correct: I ran it", "Yes"] {
        let raised = "- **B1** — **critical** `bank.py:20` — new finding: it is lost";
        let said = [
            section("Opening", 'A', "Vote: PASS"),
            section("Response 1", 'B', &format!("Vote: FAIL\n\n{raised}")),
            section("Follow-up 1", 'A', "- **B1** — **Disagreed** — it is saved"),
            section("Response 2", 'B', &format!("- **B1** — {label}")),
        ];
        let transcript = DebateTranscript::parse(&said.concat());
        assert!(!DebateState::read(&transcript).is_settled(), "{label}");
    }
    let opening = format!("Vote: FAIL\n\n{POINT}");
    for said in [
        "A1 (critical): Agreed",
        "**A1** (P0) — Agreed",
        "- **A1 [🔴]** — Confirmed.",
        "A1 is correct",
        "A-1: Agreed",
        "| A1 | Confirmed |",
    ] {
        let transcript = closed(&opening, &format!("Vote: FAIL\n\n{said}"));
        assert_eq!(judged(&transcript).verdict, Verdict::Fail, "{said}");
    }
}

#[test]
fn a_vote_to_fail_over_a_point_of_no_severity_is_told() {
    let notes = |opening: &str| judged(&closed(opening, "- **A1** — **Agreed**")).notes;
    let point = "- **A1** `bank.py:9` — it is lost";
    let is_told = |notes: Vec<String>| notes.iter().any(|note| note.contains("no severity"));
    assert!(is_told(notes(&format!("Vote: FAIL\n\n{point}"))));
    assert!(!is_told(notes(&format!("Vote: WARN\n\n{point}"))));
    let weighed = point.replace("`bank", "**significant** `bank");
    assert!(!is_told(notes(&format!("Vote: FAIL\n\n{weighed}"))));
}

/// Refusals that say no more than the critical point does.
const REFUSALS: [&str; 9] = [
    "I vote FAIL.",
    "My vote is FAIL.",
    "Do not merge this before A1 is fixed.",
    "### Bottom line\n\nDo not merge this before A1 is fixed.",
    "Please don't merge this until A1 is resolved.",
    "A1 must be fixed before the merge.",
    "This must not go in.",
    "Vote: FAIL — do not merge before A1 is fixed",
    "I cannot approve it because of A1.",
];

/// Objections that no point carries.
const OWN_MATTERS: [&str; 6] = [
    "The admin check is gone, too: do not merge.",
    "Do not merge before A2 is fixed.",
    "Do not merge: the password is logged.",
    "I vote FAIL, as the tests were deleted.",
    "This is critical: find_user puts the name into the SQL text.",
    "Do not merge before `load` is fixed.",
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// What an agreed critical point says needs no second agreement; with a point that is none, or a matter of its own, an
    /// objection stays open.
    #[test]
    fn a_refusal_is_settled_with_the_point_that_carries_it(
        refusal in select(&REFUSALS[..]), own in select(&OWN_MATTERS[..]), is_first in any::<bool>(),
        answer in select(&["- **A1** — **Agreed** — there is no check", "A1: Agreed\nI reproduced it."][..]),
    ) {
        let opened = |said: &str, point: &str| match is_first {
            true => format!("{said}\n\n{point}"),
            false => format!("{point}\n\n### In short\n\n{said}"),
        };
        let response = format!("Vote: FAIL\n\n{answer}");
        let carried = closed(&opened(refusal, POINT), &response);
        prop_assert_eq!(ending_of(&carried), DuelEnding::Consensus, "{}", refusal);
        prop_assert_eq!(judged(&carried).verdict, Verdict::Fail, "{}", refusal);
        let free = closed(&opened(own, POINT), &response);
        prop_assert!(!DebateState::read(&free).is_settled(), "{}", own);
        let milder = POINT.replace("critical", "significant");
        let open = closed(&opened("I vote FAIL.", &milder), &response);
        prop_assert!(!DebateState::read(&open).is_settled(), "{}", refusal);
        let refuted = closed(&opened(refusal, POINT), "Vote: PASS\n\n- **A1** — **Disagreed** — it is checked");
        prop_assert!(!DebateState::read(&refuted).is_settled(), "{}", refusal);
    }
}
