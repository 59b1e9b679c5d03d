//! Laws of consent: however a side objects, the change does not pass; and whoever agrees plainly is heard.

use proptest::prelude::*;
use proptest::sample::select;

use council_protocol::{Location, Proof, Severity, Vote};

use super::protocol::point_ref::PointId;
use super::protocol::side::ending_of;
use super::protocol::standing::DebateState;
use super::protocol::transcript::DebateTranscript;
use super::protocol::votes::vote_of;
use super::verdict::judge_transcript;
use super::verdict::tests::plan;
use super::{DuelEnding, DuelRole};
use crate::council::outcome::Verdict;

const SUBJECTS: [&str; 6] = [
    "f",
    "The parser",
    "Line 5",
    "The whole function",
    "This change",
    "`total = x / 0`",
];

const WOES: [&str; 12] = [
    "is dead on arrival",
    "logs passwords in plain text",
    "drops every second row",
    "never computes its total",
    "mails the customers to strangers",
    "costs people their data",
    "is upside down",
    "eats the last row",
    "should not see the light of day",
    "has to go",
    "makes me sad",
    "crashes",
];

const PREFIXES: [&str; 14] = [
    "",
    "Well, ",
    "To be honest, ",
    "TODO for the author: ",
    "Note that ",
    "Except that ",
    "One thing: ",
    "I looked at it. ",
    "LGTM. ",
    "No issues. ",
    "Thanks. ",
    "✅ ",
    "It is fine that ",
    "I found no issues but ",
];

const SUFFIXES: [&str; 8] = [
    "",
    ".",
    "!",
    " — no issues otherwise.",
    ". Agreed on all points.",
    ". LGTM",
    " (sorry)",
    ". No issues.",
];

fn objection() -> impl Strategy<Value = String> {
    let parts = (
        select(&PREFIXES[..]),
        select(&SUBJECTS[..]),
        select(&WOES[..]),
        select(&SUFFIXES[..]),
    );
    parts.prop_map(|(prefix, subject, woe, suffix)| format!("{prefix}{subject} {woe}{suffix}"))
}

/// How an objection stands beside what speaks for the change.
fn beside(form: usize, consent: &str, objection: &str) -> String {
    match form {
        0 => format!("{consent}\n\n{objection}"),
        1 => format!("{objection}\n\n{consent}"),
        2 => format!("- {consent}\n- {objection}"),
        3 => format!("{consent}\n{objection}"),
        4 => format!("{consent}\n\n| note | {objection} |"),
        5 => format!("{consent}\n\n1. {objection}"),
        6 => format!("{consent}\n\n<!-- {objection} -->"),
        _ => format!("{consent}. {objection}"),
    }
}

const CONSENTS: [&str; 16] = [
    "LGTM",
    "Looks good to me",
    "Approved",
    "I approve",
    "No issues",
    "I see no issues",
    "I found nothing",
    "No objections",
    "There are no problems left",
    "Agreed",
    "I agree",
    "Agreed on all points",
    "I agree with you",
    "Vote: PASS",
    "**Vote: PASS**",
    "Vote: PASS — nothing to add",
];

const AFTERWORDS: [&str; 8] = [
    "",
    ".",
    "!",
    ", thanks",
    " — thanks",
    ". Thanks!",
    ". There is nothing to add.",
    ".\n\nI have read it.",
];

fn section(heading: &str, role: char, second: usize, body: &str) -> String {
    format!("\n## {heading}\n{body}\n\n*— Agent {role}, 2025-06-15T14:30:{second:02}Z*\n\n---\n")
}

/// A debate in which A writes the first of these, B the second, and so on, and that A closes.
fn closed(sections: &[&str]) -> DebateTranscript {
    let headings = [
        "Opening",
        "Response 1",
        "Follow-up 1",
        "Response 2",
        "Follow-up 2",
        "Response 3",
    ];
    let written = sections.iter().zip(headings).enumerate();
    let text: String = written
        .map(|(nth, (body, heading))| {
            section(heading, if nth % 2 == 0 { 'A' } else { 'B' }, nth, body)
        })
        .collect();
    DebateTranscript::parse(&format!(
        "# Code Debate: HEAD\n{text}\n## CONSENSUS\nWe agree.\n"
    ))
}

fn verdict(transcript: &DebateTranscript) -> Verdict {
    let mut prove = |_: &Location, _: &str| (Proof::Verified, String::new());
    let mut line_at = |_: &Location| Some("total = x / 0".to_owned());
    let ending = ending_of(transcript);
    let judged = judge_transcript(
        transcript,
        ending,
        plan(),
        <[_; 2]>::default(),
        &mut prove,
        &mut line_at,
    );
    judged.unwrap().outcome.verdict
}

fn point(
    transcript: &DebateTranscript,
    role: DuelRole,
) -> Option<super::protocol::point_standing::PointStanding> {
    let id = PointId { role, number: 1 };
    let mut points = DebateState::read(transcript).points.into_iter();
    points.find(|point| point.id == id)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// No sentence that objects, in whatever words and wherever in a section, stands beside a PASS.
    #[test]
    fn no_objection_beside_a_consent_is_a_pass(
        objection in objection(),
        consent in select(&CONSENTS[..13]),
        form in 0..8usize,
        late in any::<bool>(),
    ) {
        let said = beside(form, consent, &objection);
        let transcript = if late {
            closed(&["Vote: PASS", "Vote: PASS", &said, "I see.", "There is nothing to add.", "I see."])
        } else {
            closed(&["Vote: PASS", &said])
        };
        prop_assert_ne!(verdict(&transcript), Verdict::Pass, "{}", said);
    }

    /// The same beside a line that votes.
    #[test]
    fn no_objection_beside_a_vote_is_a_pass(objection in objection(), form in 0..7usize) {
        let said = beside(form, "Vote: PASS", &objection);
        prop_assert_ne!(verdict(&closed(&["Vote: PASS", &said])), Verdict::Pass, "{}", said);
    }

    /// An objection is taken back by plain words alone.
    #[test]
    fn no_objection_is_taken_back_by_another(objection in objection(), consent in select(&CONSENTS[..13]), form in 0..8usize) {
        let said = beside(form, consent, &objection);
        let first = "Vote: PASS\n\nf always crashes, do not merge.";
        let transcript = closed(&["Vote: PASS", first, "I see.", &said]);
        prop_assert!(!DebateState::read(&transcript).is_settled(), "{}", said);
        prop_assert_ne!(verdict(&transcript), Verdict::Pass, "{}", said);
        let plain = closed(&["Vote: PASS", first, "I see.", "No issues."]);
        prop_assert_eq!(verdict(&plain), Verdict::Pass);
    }

    /// Behind a PASS in the line of a vote nothing stands but plain consent: every addition bars a bare PASS.
    #[test]
    fn no_addition_to_a_vote_is_a_pass(
        more in prop_oneof![
            select(&[
                "?", " if a.py:5 is fixed", " with conditions", " with concerns", " except a.py:5", " — see a.py:5",
                " for everything but a.py:5", " — but only if a.py:5 is fixed", " (after fixing x / 0)", " — a.py:5",
                " — I object to x / 0", " — nicht ohne Korrektur von f", " sous réserve de f", " — 但要修复第5行", " ❌", " 🚨",
            ][..]).prop_map(str::to_owned),
            "( |, |; | — )(nur|wenn|once|after|pending|sauf) [a-z]{4,9}",
        ],
        bold in any::<bool>(),
    ) {
        let said = if bold { format!("**Vote: PASS{more}**") } else { format!("Vote: PASS{more}") };
        prop_assert_ne!(verdict(&closed(&["Vote: PASS", &said])), Verdict::Pass, "{}", said);
    }

    /// A block quote beside a vote is its side's own words, unless somebody wrote them before.
    #[test]
    fn a_quote_of_what_nobody_wrote_is_a_remark(
        words in select(&["critical: a.py:5 divides by zero", "f teilt durch null", "Fix the crash first."][..]),
        is_first in any::<bool>(),
    ) {
        let said = match is_first {
            true => format!("> {words}\n\nVote: PASS"),
            false => format!("Vote: PASS\n\n> {words}"),
        };
        prop_assert_ne!(verdict(&closed(&["Vote: PASS", &said])), Verdict::Pass, "{}", said);
        let quoting = closed(&["Vote: PASS", "> Vote: PASS\n\nVote: PASS"]);
        prop_assert_eq!(verdict(&quoting), Verdict::Pass);
    }

    /// So is what stands in a fence beside it, whatever the fence is called and wherever it stands.
    #[test]
    fn words_in_a_fence_are_a_remark(
        words in select(&[
            "    total = x / 1", "- total = x / 0\n+ total = x / 1", "a.py:5 divides by zero: do not merge", "Vote: FAIL",
            "B1 — **critical** `a.py:5` — division by zero", "\n\nf teilt durch null\n",
        ][..]),
        (mark, info) in select(&[("```", ""), ("~~~", ""), ("````", "diff"), ("```", "suggestion"), ("~~~~", "python")][..]),
        above in select(&["", "### Notes\n", "No issues.\n", "Thanks.\n\n"][..]),
        is_first in any::<bool>(),
    ) {
        let fence = format!("{above}{mark}{info}\n{words}\n{mark}");
        let said = match is_first {
            true => format!("{fence}\n\nVote: PASS"),
            false => format!("Vote: PASS\n\n{fence}"),
        };
        prop_assert_ne!(verdict(&closed(&["Vote: PASS", &said])), Verdict::Pass, "{}", said);
    }

    /// Whoever agrees in ordinary words has agreed.
    #[test]
    fn every_plain_consent_settles(consent in select(&CONSENTS[..]), after in select(&AFTERWORDS[..])) {
        let said = format!("{consent}{after}");
        let transcript = closed(&["Vote: PASS", &said]);
        prop_assert_eq!(ending_of(&transcript), DuelEnding::Consensus, "{}", said);
        prop_assert_eq!(verdict(&transcript), Verdict::Pass, "{}", said);
    }

    /// What reviewers write beside their vote takes nothing from it.
    #[test]
    fn an_ordinary_approval_beside_a_vote_settles(
        words in select(&[
            "Approve.", "No blocking issues.", "No critical or significant issues found.", "Reviewed all files. No issues.",
            "I reviewed `a.py`; no issues.", "Thanks, nothing from me.", "The code is correct and well tested.", "All good.",
        ][..]),
        is_first in any::<bool>(),
    ) {
        let said = match is_first {
            true => format!("{words}\n\nVote: PASS"),
            false => format!("Vote: PASS\n\n{words}"),
        };
        prop_assert_eq!(verdict(&closed(&["Vote: PASS", &said])), Verdict::Pass, "{}", said);
    }

    /// Whoever says in a sentence of its own that nothing is wrong, or left to do, has consented beside its vote;
    /// whoever
    /// takes a part of that back has not.
    #[test]
    fn a_denial_beside_a_vote_settles_unless_it_has_an_exception(
        denial in select(&[
            "I found nothing wrong", "I see nothing wrong in this change", "There is nothing wrong here",
            "No bugs found", "I found no errors", "No defects", "No changes needed",
            "No further action is required", "No follow-up is necessary",
            "There are no further changes required from my side", "Nothing to fix",
            "I saw nothing suspicious",
        ][..]),
        but in select(&[
            " except in f", ", but the second loop", " apart from the lock", " once the lock is there",
            " unless x is 0", ", except for f", " other than the lock",
        ][..]),
        form in 0..3usize,
    ) {
        let beside = |said: &str| match form {
            0 => format!("Vote: PASS — {said}."),
            1 => format!("Vote: PASS\n\n{said}."),
            _ => format!("{said}.\n\n**Vote: PASS**"),
        };
        let plain = closed(&["Vote: PASS", &beside(denial)]);
        prop_assert_eq!(verdict(&plain), Verdict::Pass, "{}", denial);
        let said = beside(&format!("{denial}{but}"));
        prop_assert_ne!(verdict(&closed(&["Vote: PASS", &said])), Verdict::Pass, "{}", said);
    }

    /// Whoever names a place and clears it claims nothing there, wherever it says so beside its vote.
    #[test]
    fn a_place_that_is_cleared_is_no_point(
        place in select(&["`a.py:5`", "a.py:5", "`a.py:3`"][..]),
        word in select(&["guarded", "safe", "fine", "handled", "correct", "covered", "harmless"][..]),
        form in 0..6usize,
        is_first in any::<bool>(),
        opens in any::<bool>(),
    ) {
        let cleared = match form {
            0 => format!("{place} is {word}"),
            1 => format!("{place} is {word}."),
            2 => format!("- {place} is {word}"),
            3 => format!("No issues. {place} is {word}."),
            4 => format!("I looked at {place}: it is {word}"),
            _ => format!("{place}: {word}."),
        };
        let said = match is_first {
            true => format!("{cleared}\n\nVote: PASS"),
            false => format!("Vote: PASS\n\n{cleared}"),
        };
        let transcript = match opens {
            true => closed(&[&said, "Vote: PASS"]),
            false => closed(&["Vote: PASS", &said]),
        };
        prop_assert!(DebateState::read(&transcript).points.is_empty(), "{}", said);
        prop_assert_eq!(verdict(&transcript), Verdict::Pass, "{}", said);
    }

    /// A name of one's own is a point, whatever stands behind it; and its weight is that of its strongest word.
    #[test]
    fn a_label_is_a_point_whatever_follows(
        (weight, severity) in select(&[
            ("**critical**", Severity::Critical), ("**CRITICAL**", Severity::Critical), ("**P0**", Severity::Critical),
            ("**must fix**", Severity::Critical), ("**security hole**", Severity::Critical),
            ("**kritisch**", Severity::Critical), ("", Severity::Significant), ("**odd**", Severity::Significant),
            ("**significant**", Severity::Significant),
        ][..]),
        (place, line) in select(&[
            ("`a.py:5`", 5), ("line 5 of a.py", 5), ("`a.py: 5`", 5), ("`a.py@5`", 5), ("`a.py`, line 5", 5),
            ("in `f` (`a.py`), line 5", 5), ("`total = x / 0` in a.py", 1), ("in f", 0), ("", 0), ("somewhere", 0),
        ][..]),
        form in 0..6usize,
        agreed in any::<bool>(),
    ) {
        let what = "division by zero";
        let said = match form {
            0 => format!("- **B1** — {weight} {place} — {what}"),
            1 => format!("**B1** — {weight} {place}: {what}"),
            2 => format!("B1: {weight} {place} {what}"),
            3 => format!("1. B1 {weight} — {place} — {what}"),
            4 => format!("<table><tr><td>B1</td><td>{weight}</td><td>{place}</td><td>{what}</td></tr></table>"),
            _ => format!("I found B1 ({weight}) {place}: {what}."),
        };
        let answer = if agreed { "- **B1** — **Agreed** — it is so" } else { "There is nothing to add." };
        let transcript = closed(&["Vote: PASS", &said, answer, "Agreed on all points."]);
        let read = point(&transcript, DuelRole::B);
        let found = read.as_ref().map(|point| (point.finding.severity, point.finding.location.line));
        prop_assert_eq!(found, Some((severity, line)), "{}", said);
        let state = DebateState::read(&transcript);
        prop_assert_eq!(state.is_settled(), agreed, "{}", said);
        // What is significant, has its place and is held by one side alone is worth a note.
        if agreed || severity == Severity::Critical || line == 0 {
            prop_assert_ne!(verdict(&transcript), Verdict::Pass, "{}", said);
        }
    }

    /// A point of one's own is given up by a statement about it that says so from its first word to its last.
    #[test]
    fn nothing_less_than_a_concession_gives_up_a_point(
        kept in select(&[
            "I agree with A on style. B1 stands.", "Agreed on nothing.", "Agreed on all points you made, none of mine.",
            "- **B1** — Agreed with myself, it stays", "- **B1** — Your refutation is agreed to be wrong",
            "Agreed with your reading of B2.", "Agreed on all points you made; mine stands.", "- **B1** — Agreed: it stays",
            "- **B1** — I stand by it.", "<!-- Agreed on all points. -->", "- **B1** — ❌ Agreed", "B1 — Nobody agreed",
            "- **B1** — Agreed.\n\nB1 stays as it is.", "- **B1** — Agreed that you think so", "I take nothing back",
            "- **B1** — Agreed (not)", "### Agreed\n\n- B1: it stays",
        ][..]),
        given_up in select(&[
            "- **B1** — Agreed", "- **B1** — **Agreed** — x is checked by the caller", "I take B1 back.", "B1: I agree",
            "Agreed on all points.", "I withdraw B1: I was wrong", "- B1 — Agreed, you are right",
        ][..]),
        weight in select(&["critical", "significant"][..]),
    ) {
        let raised = format!("- **B1** — **{weight}** `a.py:5` — division by zero: new finding");
        let refuted = "- **B1** — **Disagreed** — x is never 0 (see `a.py:9`)\n  > w = z + 1\n";
        let is_conceded = |said: &str| {
            let transcript = closed(&["Vote: PASS", &raised, refuted, said]);
            point(&transcript, DuelRole::B).is_some_and(|point| point.is_conceded())
        };
        prop_assert!(!is_conceded(kept), "{}", kept);
        prop_assert!(is_conceded(given_up), "{}", given_up);
        let transcript = closed(&["Vote: PASS", &raised, refuted, kept]);
        prop_assert_ne!(verdict(&transcript), Verdict::Pass, "{}", kept);
    }

    /// Nobody agrees to a point by speaking of agreement.
    #[test]
    fn a_denial_agrees_to_nothing(denial in select(&[
        "Agreed on nothing.", "Agreed that x is never 0, so A1 is no issue.", "- **A1** — Agreed to be wrong",
        "- **A1** — Agreed: this is not a bug", "- **A1** — Agreed, it is a false positive", "- **A1** — Nobody agreed",
        "- **A1** — Agreed (not)", "- **A1** — ❌ Agreed", "- **A1** — Agreed ❌",
        "- **A1** — Agreed with reservations: x is never 0", "- **A1** — Agreed in principle, though x is never 0",
        "### Agreed\n\n- A1: this is not a bug", "Nobody said: Agreed.", "| A1 | Agreed to be wrong |",
    ][..])) {
        let transcript = closed(&["- **A1** — **critical** `a.py:5` — division by zero", denial]);
        prop_assert!(!DebateState::read(&transcript).is_settled(), "{}", denial);
        prop_assert_ne!(ending_of(&transcript), DuelEnding::Consensus, "{}", denial);
    }

    /// Of a line that names several votes the worst counts, unless it is struck out.
    #[test]
    fn the_worst_word_of_a_vote_counts(
        votes in prop::collection::vec(select(&[Vote::Pass, Vote::Warn, Vote::Fail][..]), 1..4),
        joint in select(&["/", " -> ", " | ", " or ", " (I would rather it were ", ", no, ", " → ", " and "][..]),
        struck in any::<bool>(),
    ) {
        let words: Vec<&str> = votes.iter().map(|vote| vote.as_str()).collect();
        let line = format!("Vote: {}{}", if struck { "~~FAIL~~ " } else { "" }, words.join(joint));
        let transcript = closed(&["Vote: PASS", &line]);
        let named = vote_of(&transcript, DuelRole::B).map(|(vote, _)| vote);
        prop_assert_eq!(named, votes.into_iter().max(), "{}", line);
    }

    /// Words behind a vote bar a PASS, whatever the vote is: a worse one is never greener.
    #[test]
    fn a_worse_vote_is_never_greener(
        words in select(&[
            "", " — f crashes on 0", " — see a.py:5", ": the admin check is gone", " — looks good", " (a.py:5 divides by zero)",
        ][..]),
        point in select(&["", "- **B1** — **minor** `a.py:5` — a name\n\n", "- **B1** — **significant** `a.py:5` — leaks\n\n"][..]),
    ) {
        let verdicts = [Vote::Pass, Vote::Warn, Vote::Fail].map(|vote| {
            let told = format!("{point}Vote: {}{words}", vote.as_str());
            verdict(&closed(&["Vote: PASS", &told, "Vote: PASS — Agreed."])).distance_from_pass()
        });
        prop_assert!(verdicts.is_sorted(), "{:?} {}{}", verdicts, point, words);
    }

    /// A side that once voted FAIL, and shows nothing that it had missed, leaves no PASS, whatever it votes in the end. (A
    /// lone WARN without a word bars none in any procedure: the headline tells it.)
    #[test]
    fn no_vote_is_forgotten(
        votes in prop::collection::vec(select(&[Vote::Pass, Vote::Pass, Vote::Fail][..]), 1..4),
        reason in select(&["", " — the admin check of delete_user is gone"][..]),
    ) {
        let lines = votes.iter().map(|vote| match vote {
            Vote::Pass => "Vote: PASS".to_owned(),
            vote => format!("Vote: {}{reason}", vote.as_str()),
        });
        let sections: Vec<String> = lines.flat_map(|line| [line, "Vote: PASS".to_owned()]).collect();
        let sections: Vec<&str> = sections.iter().map(String::as_str).collect();
        let is_bare = votes.iter().all(|vote| *vote == Vote::Pass);
        prop_assert_eq!(verdict(&closed(&sections)) == Verdict::Pass, is_bare, "{:?}", votes);
    }
}
