//! Laws of the protocol over random transcripts.

use proptest::prelude::*;
use proptest::sample::select;

use council_protocol::answer::{Evidence, Stance, Tag};
use council_protocol::{Finding, Location, RepoPath, Severity, Vote};

use super::check::check_transcript;
use super::content::read_content;
use super::ledger::ByteLedger;
use super::notes::violation_notes;
use super::point_ref::PointId;
use super::render::{SectionDraft, render_section, render_signature};
use super::side::{DuelSide, SideMove, ending_of};
use super::standing::DebateState;
use super::transcript::{DebateTranscript, SectionKind};
use super::turns::{NextTurn, next_turn};
use super::{DuelEnding, DuelRole};

const DISAGREED: [&str; 28] = [
    "Disagreed — it is locked",
    "**Disagreed** — it is locked",
    "**Disagreed**: it is locked",
    "*Disagreed* because it is locked",
    "__Disagreed__ it is locked",
    "`Disagreed` it is locked",
    "DISAGREED. It is locked",
    "disagreed, it is locked",
    "[Disagreed] it is locked",
    "❌ Disagreed: it is locked",
    "Status: **Disagreed** — it is locked",
    "Disagree: it is locked",
    "I disagree, it is locked",
    "I still disagree: it is locked",
    "I don't agree: it is locked",
    "I do not agree, it is locked",
    "I cannot agree with that",
    "I am not convinced",
    "I'm not convinced: it is locked",
    "Not convinced.",
    "This is still wrong: it is locked",
    "That is incorrect, it is locked",
    "This is a false positive",
    "Not a bug: it is locked",
    "not reproduced / disagreed",
    "Rejected: it is locked",
    "Dis\u{200b}agreed — it is locked",
    "~~Agreed~~ Disagreed: it is locked",
];

const PARTLY: [&str; 9] = [
    "Partially agreed — the fix is too wide",
    "**Partially agreed**: the fix is too wide",
    "partially_agreed: the fix is too wide",
    "I partly agree: the fix is too wide",
    "Agreed, but the fix is too wide",
    "Agreed in part: the fix is too wide",
    "I agree if the fix is smaller",
    "Agreed on all points except this one",
    "Agreed — no, I disagree",
];

const AGREED: [&str; 12] = [
    "Agreed",
    "agreed.",
    "Agreed.",
    "AGREED",
    "**Agreed**",
    "**Agreed** — the value is lost",
    "*Agreed*: the value is lost",
    "`Agreed`",
    "[Agreed] the value is lost",
    "I agree",
    "I agree: the value is lost",
    "✅ Agreed",
];

/// With which a side gives up what it holds: the same, and no reason that names the problem still.
const CONCEDED: [&str; 12] = [
    "Agreed",
    "agreed.",
    "Agreed.",
    "AGREED",
    "**Agreed**",
    "**Agreed** — you are right",
    "*Agreed*: I was wrong",
    "`Agreed`",
    "[Agreed] it is locked",
    "I agree",
    "I agree: it is locked before",
    "✅ Agreed",
];

/// The same of a side that answers for a point of its own.
fn owners((stance, text): (Stance, &'static str)) -> (Stance, &'static str) {
    let nth = AGREED.iter().position(|agreed| *agreed == text);
    (stance, nth.map_or(text, |nth| CONCEDED[nth]))
}

fn spelling() -> impl Strategy<Value = (Stance, &'static str)> {
    prop_oneof![
        1 => select(&DISAGREED[..]).prop_map(|text| (Stance::Disagreed, text)),
        1 => select(&PARTLY[..]).prop_map(|text| (Stance::PartiallyAgreed, text)),
        4 => select(&AGREED[..]).prop_map(|text| (Stance::Agreed, text)),
    ]
}

/// The protocol's labels, with the reason that a disagreement needs.
fn label() -> impl Strategy<Value = (Stance, &'static str)> {
    prop_oneof![
        1 => select(&DISAGREED[..16]).prop_map(|text| (Stance::Disagreed, text)),
        1 => select(&PARTLY[..4]).prop_map(|text| (Stance::PartiallyAgreed, text)),
        4 => select(&AGREED[..]).prop_map(|text| (Stance::Agreed, text)),
    ]
}

/// How a reply names its point.
fn carrier() -> impl Strategy<Value = usize> {
    0..9usize
}

/// A reply to point `id` (`number` in its side's list, at `line`), as sides of all kinds write it.
fn carried(form: usize, id: &str, number: usize, line: u32, text: &str) -> String {
    match form {
        0 => format!("- **{id}** — {text}\n"),
        1 => format!("{number}. {id}: {text}\n"),
        2 => format!("### {id}\n\n{text}\n\n"),
        3 => format!("| {id} | {text} |\n"),
        4 => format!("* `a.rs:{line}`: {text}\n"),
        5 => format!("**{id}** — {text}\n\n"),
        6 => format!("- {id}:\n    - {text}\n"),
        7 => format!("{number}) Point {id} — {text}\n"),
        _ => format!("- [x] ({id}) {text}\n"),
    }
}

pub(super) fn signed(heading: &str, body: &str, role: char, second: usize) -> String {
    format!("\n## {heading}\n{body}\n\n*— Agent {role}, 2025-06-15T14:30:{second:02}Z*\n\n---\n")
}

/// An opening with so many points, far from each other.
fn opening(points: usize) -> String {
    let points: String = (1..=points)
        .map(|n| format!("{n}. **critical** `a.rs:{}` — it is lost\n", n * 50))
        .collect();
    format!(
        "# Code Debate: HEAD\n{}",
        signed("Opening", &points, 'A', 0)
    )
}

/// For each point: what B says first, what A says of that, what B says then.
type Exchange = [(usize, (Stance, &'static str)); 3];

fn exchanges() -> impl Strategy<Value = Vec<Exchange>> {
    let said = || (carrier(), spelling());
    let owner = (carrier(), spelling().prop_map(owners));
    prop::collection::vec(
        (said(), owner, said()).prop_map(|(a, b, c)| [a, b, c]),
        1..5,
    )
}

fn labelled_exchanges() -> impl Strategy<Value = Vec<Exchange>> {
    let said = || (carrier(), label());
    let owner = (carrier(), label().prop_map(owners));
    prop::collection::vec(
        (said(), owner, said()).prop_map(|(a, b, c)| [a, b, c]),
        1..5,
    )
}

fn debate(exchanges: &[Exchange], turns: usize) -> String {
    let mut text = opening(exchanges.len());
    let turn = |nth: usize| -> String {
        let points = exchanges.iter().zip(1usize..);
        points
            .map(|(said, n)| {
                let (form, (_, words)) = said[nth];
                let line = u32::try_from(n * 50).unwrap_or(0);
                carried(form, &format!("A{n}"), n, line, words)
            })
            .collect()
    };
    let headings = [
        ("Response 1", 'B'),
        ("Follow-up 1", 'A'),
        ("Response 2", 'B'),
    ];
    for (nth, (heading, role)) in headings.into_iter().take(turns).enumerate() {
        text += &signed(heading, &turn(nth), role, nth + 1);
    }
    text
}

/// What is left open by the last words of both sides.
fn is_open(said: &Exchange, turns: usize) -> bool {
    let stance = |nth: usize| said[nth].1.0;
    let other = stance(if turns == 3 { 2 } else { 0 });
    let owner_is_last = turns == 2;
    match other {
        Stance::Agreed => owner_is_last && stance(1) != Stance::Agreed,
        _ => !(owner_is_last && stance(1) == Stance::Agreed),
    }
}

pub(super) const CLOSINGS: [&str; 4] = [
    "\n## CONSENSUS\nWe agree on everything.\n",
    "\n## CONSENSUS\n\nOutcome: consensus\n\n*— Agent A, 2025-06-15T14:40:00Z*\n",
    "\n## CONSENSUS",
    "\n## CONSENSUS (final)\n- fix `a.rs:50`\n",
];

fn finding(line: u32, text: String, quote: String) -> Finding {
    Finding {
        severity: Severity::Critical,
        category: String::new(),
        rule: None,
        description: text.clone(),
        location: Location {
            path: RepoPath::from("src/a.rs"),
            line,
            end_line: None,
        },
        quote,
        why: text.clone(),
        fix: text,
        suggestion: None,
        reference: None,
    }
}

pub(super) fn phrase() -> impl Strategy<Value = String> {
    prop::collection::vec(
        select(
            &[
                "the", "value", "is", "lost", "here", "`x`", "(y)", "and", "z.",
            ][..],
        ),
        1..6,
    )
    .prop_map(|words| words.join(" "))
}

fn draft() -> impl Strategy<Value = SectionDraft> {
    let stance = select(&[Stance::Agreed, Stance::PartiallyAgreed, Stance::Disagreed][..]);
    let evidence = prop::option::of((1u32..99, "[a-z(;]{4,12}(\n[a-z]{4,8})?"));
    let replies = prop::collection::vec((stance, phrase(), evidence), 0..4);
    let points = prop::collection::vec((1u32..9999, phrase(), "[a-z(;]{4,12}"), 0..4);
    (replies, points, phrase()).prop_map(|(replies, points, insight)| SectionDraft {
        agrees: false,
        position: Some((Vote::Fail, insight)),
        replies: replies
            .into_iter()
            .zip(1u32..)
            .map(|((stance, reason, evidence), number)| {
                let id = PointId {
                    role: DuelRole::A,
                    number,
                };
                let evidence = evidence.map(|(line, quote)| Evidence {
                    path: RepoPath::from("src/b.rs"),
                    line,
                    quote,
                });
                (id, stance, reason, evidence)
            })
            .collect(),
        points: points
            .into_iter()
            .zip(1u32..)
            .map(|((line, text, quote), number)| {
                let id = PointId {
                    role: DuelRole::B,
                    number,
                };
                (id, Some(Tag::New), finding(line, text, quote))
            })
            .collect(),
        same: Vec::new(),
        unanswered: Vec::new(),
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// However a side writes a point of its own, it is one with its place and its weight, or at least nothing is settled.
    #[test]
    fn a_named_point_is_read_in_every_spelling(
        place in select(&["`a.py:5`", "`./a.py:5`", "`b/a.py:5`", "`a.py:5:9`", "`a.py`, line 5", "`a.py(5)`", "a.py:5",
            "[a.py:5](a.py#L5)", "a.py(5)", "a.py#L5"][..]),
        weight in select(&["**critical**", "critical:", "**blocker**", "**Severity: critical**", "🔴 critical", "[critical]"][..]),
        form in 0..4usize,
    ) {
        let point = match form {
            0 => format!("- **B1** — {weight} {place} — division by zero"),
            1 => format!("- **B1** — {place} — division by zero — {weight}"),
            2 => format!("**B1** {weight} {place} division by zero"),
            _ => format!("B1: {weight} {place}: division by zero"),
        };
        let text = format!(
            "# Code Debate: HEAD\n{}{}",
            signed("Opening", "Vote: PASS", 'A', 0),
            signed("Response 1", &format!("{point}\n\nAgreed on all points."), 'B', 1)
        );
        let state = DebateState::read(&DebateTranscript::parse(&text));
        prop_assert!(!state.is_settled(), "{}", point);
        let read = state.points.first();
        prop_assert_eq!(read.map(|p| p.finding.location.line), Some(5), "{}", point);
        prop_assert_eq!(read.map(|p| p.finding.severity), Some(Severity::Critical), "{}", point);
    }

    /// Whatever is left open by a disagreement, in whatever spelling and form, never ends as consensus; and what is agreed
    /// needs no ceremony.
    #[test]
    fn no_disagreement_ends_as_consensus(said in exchanges(), turns in 1..4usize, closing in select(&CLOSINGS[..])) {
        let text = debate(&said, turns);
        let open = said.iter().any(|said| is_open(said, turns));
        let transcript = DebateTranscript::parse(&text);
        prop_assert_eq!(!DebateState::read(&transcript).is_settled(), open, "{}", text);
        if turns != 2 {
            let ending = ending_of(&DebateTranscript::parse(&format!("{text}{closing}")));
            prop_assert_eq!(ending == DuelEnding::Consensus, !open, "{:?}\n{}", ending, text);
            let next = DuelSide::new(DuelRole::A, 10, 0).next_move(Some(&text), 0);
            let closes = matches!(next, SideMove::Close { ending: DuelEnding::Consensus });
            prop_assert_eq!(closes, !open, "{:?}\n{}", next, text);
        }
    }

    /// A doubt in the middle of a page, that names no point, keeps the debate open, too.
    #[test]
    fn no_doubt_is_lost_in_prose(doubt in select(&DISAGREED[..]), before in phrase(), after in phrase(), agreed in any::<bool>()) {
        let answers = if agreed { "- A1: Agreed\n- A2: Agreed\n" } else { "" };
        let body = format!("{answers}\nI read {before}\n\n{doubt}\n\nI looked at {after}");
        let text = opening(2) + &signed("Response 1", &body, 'B', 1);
        prop_assert!(!DebateState::read(&DebateTranscript::parse(&text)).is_settled(), "{}", text);
    }

    /// Whatever a side raises under its own name, in whatever form, is a point: nothing is agreed before it is answered.
    #[test]
    fn a_point_is_one_in_every_form(form in 0..6usize, line in 1u32..99, text in phrase(), gap in any::<bool>(), late in any::<bool>()) {
        let gap = if gap { "\n" } else { "" };
        let point = match form {
            0 => format!("- **A1** — **critical** `a.rs:{line}` — {text}\n"),
            1 => format!("### A1 — **critical** `a.rs:{line}` — {text}\n{gap}> quoted\n"),
            2 => format!("| # | severity | place | what |\n|---|---|---|---|\n| A1 | critical | `a.rs:{line}` | {text} |\n"),
            3 => format!("**A1** — **critical** `a.rs:{line}` — {text}\n"),
            4 => format!("### A1: critical\n{gap}`a.rs:{line}` — {text}\n"),
            _ => format!("#### A1 — critical — {text}\n\nIt stands at `a.rs:{line}`.\n"),
        };
        let body = format!("Vote: PASS\n\n{point}");
        let text = if late {
            "# Code Debate: HEAD\n".to_owned() + &signed("Opening", "Vote: PASS — nothing found", 'A', 0)
                + &signed("Response 1", "Vote: PASS — nothing found", 'B', 1) + &signed("Follow-up 1", &body, 'A', 2)
        } else {
            "# Code Debate: HEAD\n".to_owned() + &signed("Opening", &body, 'A', 0)
        };
        let state = DebateState::read(&DebateTranscript::parse(&text));
        prop_assert_eq!(state.points.len(), 1, "{}", text);
        let found = &state.points[0].finding;
        prop_assert_eq!((found.severity, found.location.line), (Severity::Critical, line), "{}", text);
        prop_assert!(!state.is_settled(), "{}", text);
    }

    /// The check calls a violation what ends a running duel as one, and nothing else: clocks and forms do not.
    #[test]
    fn the_check_and_the_duel_have_one_rule(said in labelled_exchanges(), turns in 1..4usize, fault in 0..7usize, at in 0..4usize) {
        let text = debate(&said, turns);
        let heading = ["## Opening", "## Response 1", "## Follow-up 1", "## Response 2"][at.min(turns)];
        let signed_at = format!("14:30:{:02}Z", at.min(turns));
        let text = match fault {
            0 => text,
            1 => text.replace(&signed_at, "09:00:00Z"),
            2 => text.replace(heading, "## Summary"),
            3 => text.replace(&format!("{signed_at}*\n"), &format!("{signed_at}*\nP.S. more\n")),
            4 => text.replace("Agent B", "Agent A"),
            5 => text.replace("Agreed", "I see"),
            _ => text.replacen(heading, "## Follow-up 4", 1),
        };
        let transcript = DebateTranscript::parse(&text);
        let is_broken = next_turn(&transcript) == NextTurn::Broken;
        let found = check_transcript(&transcript);
        prop_assert_eq!(found.iter().any(|v| v.rule.is_fatal()), is_broken, "{:?}\n{}", found, text);
        // What the check names, the report names, too: the rule, its line, and the section that it stands in.
        let notes = violation_notes(&transcript);
        for broken in found.iter().filter(|v| v.rule.is_fatal()).take(3) {
            let named = format!("line {}: {}: {}", broken.line, broken.rule.as_str(), broken.detail);
            let is_told = |note: &String| note.contains(&named) && note.contains(" in `## ");
            prop_assert!(notes.iter().any(is_told), "{:?}\n{}", notes, text);
        }
        if fault == 1 {
            prop_assert!(!is_broken, "{}", text);
        }
    }

    /// Every transcript of the protocol's own forms passes the check.
    #[test]
    fn what_the_protocol_allows_passes_the_check(said in labelled_exchanges(), turns in 1..4usize, closing in select(&CLOSINGS[..])) {
        let text = debate(&said, turns);
        let is_agreed = turns != 2 && !said.iter().any(|said| is_open(said, turns));
        let text = if is_agreed { text + closing } else { text };
        let found = check_transcript(&DebateTranscript::parse(&text));
        prop_assert!(found.is_empty(), "{:?}\n{}", found, text);
    }

    /// What is written is read back.
    #[test]
    fn rendering_and_parsing_are_inverse(draft in draft()) {
        let sign = render_signature(DuelRole::B, "tool", "2025-06-15T14:30:00Z");
        let text = render_section(SectionKind::Response(1), &draft, &sign);
        let transcript = DebateTranscript::parse(&text);
        prop_assert_eq!(transcript.sections.len(), 1);
        let content = read_content(&transcript.sections[0]);
        let replies: Vec<_> = content.replies.iter().map(|r| (r.to.ids.clone(), r.stance, r.evidence.clone())).collect();
        let written: Vec<_> = draft.replies.iter().map(|(id, stance, _, e)| (vec![*id], *stance, e.clone())).collect();
        prop_assert_eq!(replies, written, "{}", text);
        let points: Vec<_> = content.points.iter().map(|p| (p.id, p.tag, p.finding.clone())).collect();
        let raised: Vec<_> = draft.points.iter().map(|(id, tag, f)| (Some(*id), *tag, f.clone())).collect();
        prop_assert_eq!(points, raised, "{}", text);
        prop_assert!(content.uncategorised.is_empty(), "{}", text);
    }

    /// Any byte that changes in a section that was read, or goes away or comes in before its end, is noticed.
    #[test]
    fn any_byte_changed_in_a_section_that_was_read_is_a_violation(
        said in exchanges(), at in any::<prop::sample::Index>(), byte in any::<u8>(), how in 0..3u8
    ) {
        let text = debate(&said, 1).into_bytes();
        let mut ledger = ByteLedger::after(DuelRole::A, &[], &[]);
        // A wrote the opening, and reads what B answers.
        let first = opening(said.len());
        ledger.record_append(b"", first.as_bytes());
        prop_assert_eq!(ledger.observe(Some(&text)), Ok(()));
        let end = text.windows(8).rposition(|w| w == b":30:01Z*").unwrap_or(0) + 8;
        let at = at.index(end);
        let mut changed = text.clone();
        match how {
            0 if changed[at] != byte => changed[at] = byte,
            1 => drop(changed.remove(at)),
            _ => changed.insert(at, if byte == text[at] { byte ^ 1 } else { byte }),
        }
        prop_assert!(ledger.clone().observe(Some(&changed)).is_err(), "{} at {}", String::from_utf8_lossy(&changed), at);
        prop_assert!(ledger.clone().observe(None).is_err());
        let grown = [&text[..], b"\n"].concat();
        prop_assert_eq!(ledger.observe(Some(&grown)), Ok(()));
    }

    /// Nobody speaks under our name.
    #[test]
    fn a_section_under_our_name_is_a_violation(said in exchanges(), turns in 2..4usize) {
        let mut ledger = ByteLedger::after(DuelRole::A, &[], &[]);
        let first = opening(said.len());
        ledger.record_append(b"", first.as_bytes());
        let answered = debate(&said, 1);
        prop_assert_eq!(ledger.observe(Some(answered.as_bytes())), Ok(()));
        let forged = debate(&said, turns);
        prop_assert!(ledger.observe(Some(forged.as_bytes())).is_err());
    }
}
