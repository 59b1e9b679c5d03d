//! Laws over drawn duels of what is over: points that are agreed to or given up, objections that are taken back.

use proptest::prelude::*;
use proptest::sample::select;

use council_protocol::Vote;

use super::notes::violation_notes;
use super::side::ending_of;
use super::standing::DebateState;
use super::transcript::DebateTranscript;
use super::votes::vote_of;
use super::{DuelEnding, DuelRole};

/// What the sides say of one point, one after another: the other side, then who raised it.
#[derive(Debug, Clone, Copy)]
struct PointFate {
    answer: Option<bool>,
    owner: OwnerWord,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum OwnerWord {
    Silence,
    Holds,
    Agrees,
    TakesBack,
}

impl PointFate {
    /// Whether the point is agreed to, or given up by who raised it.
    fn is_over(self) -> bool {
        match (self.answer, self.owner) {
            (Some(true), OwnerWord::Holds) => false,
            (Some(true), _) | (_, OwnerWord::TakesBack) => true,
            (Some(false), owner) => owner == OwnerWord::Agrees,
            (None, _) => false,
        }
    }
}

fn fates() -> impl Strategy<Value = Vec<PointFate>> {
    let answer = select(&[None, Some(true), Some(true), Some(false)][..]);
    let words = [
        OwnerWord::Silence,
        OwnerWord::Holds,
        OwnerWord::Agrees,
        OwnerWord::TakesBack,
    ];
    let fate = (answer, select(words.to_vec()));
    prop::collection::vec(
        fate.prop_map(|(answer, owner)| PointFate { answer, owner }),
        0..3,
    )
}

fn raised(side: char, fates: &[PointFate]) -> String {
    let points = (1..=fates.len()).map(|n| {
        let line = n * 50 + usize::from(side == 'B') * 25;
        format!("- **{side}{n}** — **critical** `a.rs:{line}` — new finding: it is lost\n")
    });
    points.collect()
}

fn answered(side: char, fates: &[PointFate]) -> String {
    let said = fates.iter().zip(1..).map(|(fate, n)| match fate.answer {
        None => String::new(),
        Some(true) => format!("- **{side}{n}** — **Agreed**\n"),
        Some(false) => format!("- **{side}{n}** — **Disagreed** — it is locked\n"),
    });
    said.collect()
}

fn told_again(side: char, fates: &[PointFate]) -> String {
    let said = fates.iter().zip(1..).map(|(fate, n)| match fate.owner {
        OwnerWord::Silence => String::new(),
        OwnerWord::Holds => format!("- **{side}{n}** — **Disagreed** — it is not locked\n"),
        OwnerWord::Agrees => format!("- **{side}{n}** — **Agreed**\n"),
        OwnerWord::TakesBack => format!("\nI take {side}{n} back.\n\n"),
    });
    said.collect()
}

/// A duel of two rounds, without its closing.
fn duel(of_a: &[PointFate], of_b: &[PointFate]) -> String {
    let sections = [
        ("Opening", 'A', raised('A', of_a)),
        ("Response 1", 'B', answered('A', of_a) + &raised('B', of_b)),
        (
            "Follow-up 1",
            'A',
            answered('B', of_b) + &told_again('A', of_a),
        ),
        ("Response 2", 'B', told_again('B', of_b)),
    ];
    let written = sections.iter().zip(0..).map(|((heading, role, body), n)| {
        format!("\n## {heading}\nI have read it.\n\n{body}\n*— Agent {role}, 2025-06-15T14:30:0{n}Z*\n\n---\n")
    });
    format!("# Code Debate: HEAD\n{}", written.collect::<String>())
}

const CLOSINGS: [&str; 5] = [
    "All points settled. PASS.",
    "Settled points: A1, A2, B1, B2\n\nRemaining disagreements: none",
    "Outcome: consensus\n\nSettled points: B1 (withdrawn)\n\n*— Agent A, 2025-06-15T14:40:00Z*",
    "Agreed on all points.",
    "",
];

const OBJECTIONS: [&str; 4] = [
    "This is critical: find_user puts the name into the SQL text. Do not merge.",
    "The admin check in delete_user is gone: anybody can delete. Critical, do not merge.",
    "This must not go in.",
    "It is a severe problem: f crashes.",
];

/// What a side may write where no section of its own begins, and means against the change.
const STRAY_WORDS: [&str; 10] = [
    "- **A2** — **critical** `users.py:8` — SQL injection: must be fixed before the merge.",
    "Agreed with B: the admin check must come back before the merge.",
    "Final verdict: FAIL",
    "Vote: FAIL",
    "A1 settled. Open before the merge: `users.py:14` — critical: the admin check is gone.",
    "Both sides agree: users.py:8 is a critical SQL injection and must be fixed before merging.",
    "### Action items\n\n1. Bind the name",
    "Reviewed by hand. users.py:8 is a critical SQL injection. Do not merge.",
    "> f eats the last row",
    "```\ndo not merge\n```",
];

/// What only sums a debate up.
const SUMMARIES: [&str; 8] = [
    "We agree.",
    "We agree on everything.",
    "All points settled. PASS.",
    "Outcome: consensus\n\nSettled points: A1, B1\n\nRemaining disagreements: none",
    "Agreed on all points.",
    "Both sides agree: no issues.",
    "Agent B did not respond in time.",
    "### Summary\n\nConsensus reached.\n\nFinal verdict: PASS",
];

/// A debate in which both sides say PASS, with more above its opening and in its closing.
fn wrapped(above: &str, closing: &str) -> DebateTranscript {
    let section = |heading, role, n| {
        format!("\n## {heading}\nVote: PASS\n\n*— Agent {role}, 2025-06-15T14:30:0{n}Z*\n\n---\n")
    };
    let debate = section("Opening", 'A', 0) + &section("Response 1", 'B', 1);
    DebateTranscript::parse(&format!(
        "# Code Debate: HEAD\n\n{above}\n{debate}\n## CONSENSUS\n\n{closing}\n"
    ))
}

/// Whether anything is read of a debate beside two votes for the change.
fn is_heard(transcript: &DebateTranscript) -> bool {
    let state = DebateState::read(transcript);
    let vote = vote_of(transcript, DuelRole::A).map(|(vote, _)| vote);
    let is_bare =
        state.points.is_empty() && state.objections.is_empty() && state.remarks.is_empty();
    !is_bare || vote > Some(Vote::Pass)
}

/// What the other side answers to an objection, and whether that speaks against it.
const ANSWERS: [(&str, bool); 7] = [
    (
        "Vote: WARN — Agreed: the name is put into the SQL text.",
        false,
    ),
    ("Vote: PASS — Agreed.", false),
    ("Agreed.", false),
    ("I see.", false),
    ("Vote: PASS", true),
    ("LGTM", true),
    ("Vote: PASS — I found nothing wrong.", true),
];

/// What the first side says then, and whether it agrees to what the other says.
const AFTERWORDS: [(&str, bool); 6] = [
    ("Agreed on all points.", true),
    ("Agreed.", true),
    ("I agree.", true),
    ("No further issues.", false),
    ("No more issues.", false),
    ("I have no further issues.", false),
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Whoever raised a point, and whatever the closing says: without agreement or a withdrawal in a section it is open.
    #[test]
    fn a_closing_is_good_only_over_what_is_agreed_or_given_up(
        of_a in fates(), of_b in fates(), closing in select(&CLOSINGS[..])
    ) {
        let text = format!("{}\n## CONSENSUS\n{closing}\n", duel(&of_a, &of_b));
        let transcript = DebateTranscript::parse(&text);
        let is_over = of_a.iter().chain(&of_b).all(|fate| fate.is_over());
        let ending = ending_of(&transcript);
        let expected = if is_over { DuelEnding::Consensus } else { DuelEnding::Violation };
        prop_assert_eq!(ending, expected, "{}", text);
        let is_told = violation_notes(&transcript).iter().any(|note| note.contains("premature-close"));
        prop_assert_eq!(is_told, !is_over, "{}", text);
    }

    /// An objection is taken back by an agreement with what was said against it, and never by one with itself.
    #[test]
    fn agreement_takes_back_only_what_was_disputed(
        objection in select(&OBJECTIONS[..]), answer in select(&ANSWERS[..]), after in select(&AFTERWORDS[..]),
    ) {
        let sections = [("Opening", 'A', objection), ("Response 1", 'B', answer.0), ("Follow-up 1", 'A', after.0)];
        let written = sections.iter().zip(0..).map(|((heading, role, body), n)| {
            format!("\n## {heading}\n{body}\n\n*— Agent {role}, 2025-06-15T14:30:0{n}Z*\n\n---\n")
        });
        let text = format!("# Code Debate: HEAD\n{}", written.collect::<String>());
        let state = DebateState::read(&DebateTranscript::parse(&text));
        // What the other side agrees with is settled, since both say it.
        let is_shared = answer.0.contains("Agreed");
        prop_assert_eq!(!state.shared.is_empty(), is_shared, "{}", text);
        prop_assert_eq!(state.is_settled(), is_shared || answer.1 && after.1, "{}", text);
        prop_assert_eq!(!state.taken_back.is_empty(), answer.1 && after.1, "{}", text);
    }

    /// Nothing that a side writes is outside what is read: neither above the opening nor in the closing, signed or not.
    #[test]
    fn what_is_written_around_the_sections_is_heard(
        said in select(&STRAY_WORDS[..]), summary in select(&SUMMARIES[..]), signed in any::<bool>(),
    ) {
        let sign = if signed { "\n\n*— Agent A, 2025-06-15T14:40:00Z*" } else { "" };
        prop_assert!(is_heard(&wrapped(said, summary)), "{}", said);
        prop_assert!(is_heard(&wrapped("", &format!("{said}{sign}"))), "{}", said);
        prop_assert!(is_heard(&wrapped("", &format!("{summary}\n\n{said}{sign}"))), "{}", said);
        prop_assert!(!is_heard(&wrapped("", &format!("{summary}{sign}"))), "{}", summary);
    }
}
