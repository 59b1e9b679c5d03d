//! A law: the label that a judge gives counts. Words beside it may make it doubtful, and never its opposite.

use council_protocol::answer::{Evidence, Stance};
use proptest::prelude::*;
use proptest::sample::select;

use super::DuelRole;
use super::content::read_content;
use super::point_ref::PointId;
use super::render::{SectionDraft, render_section, render_signature};
use super::transcript::{DebateTranscript, SectionKind};

/// What holds a point in the words of its opposite: double negations, and what a third party is told.
const HOLDING: [&str; 26] = [
    "Nobody checks the admin any more, which is not intended.",
    "This was not intended.",
    "Not intended.",
    "This isn't intended.",
    "It cannot be intended.",
    "By no means intended: the check is gone.",
    "This is not a false positive.",
    "This is no false positive",
    "Certainly not a false alarm: the caller passes None.",
    "It is never harmless.",
    "This is far from harmless.",
    "Hardly by design.",
    "Not by design, the commit message says nothing of it.",
    "The objection is not unfounded.",
    "This is not overstated.",
    "It is anything but nonsense.",
    "I disagree with the author that this is dead code.",
    "I disagree with the comment above it.",
    "We disagree with the commit message here.",
    "I reject the author's claim that nobody calls this.",
    "I dispute the docstring: the value is lost.",
    "I am not convinced by the author's comment.",
    "I do not disagree.",
    "The text goes into `<script>` as it is.",
    "`Vec<T>` is cloned for each row.",
    "Right.",
];

/// What plainly contradicts the label "agreed".
const CONTRADICTING: [&str; 10] = [
    "this is a false positive",
    "It is harmless.",
    "I disagree.",
    "This is not a bug.",
    "No, this is intended.",
    "Not convinced.",
    "A false alarm, by design.",
    "No: nonsense.",
    "I do not agree with this point.",
    "❌",
];

/// What may stand around it.
const AROUND: [&str; 5] = [
    "",
    "The query takes the name as it is.",
    "I read the caller.",
    "delete_user has no guard now.",
    "It fails on None",
];

/// The stance that is read where a side of ours wrote this one.
fn read_back(stance: Stance, reasoning: &str, has_evidence: bool) -> Stance {
    let evidence = has_evidence.then(|| Evidence {
        path: "users.py".into(),
        line: 11,
        quote: "return row[0]".into(),
    });
    let id = PointId::parse("A1").unwrap();
    let draft = SectionDraft {
        replies: vec![(id, stance, reasoning.to_owned(), evidence)],
        ..SectionDraft::default()
    };
    let sign = render_signature(DuelRole::B, "t", "2025-06-15T14:30:00Z");
    let text = render_section(SectionKind::Response(1), &draft, &sign);
    let said = read_content(&DebateTranscript::parse(&text).sections[0]);
    assert_eq!(said.replies.len(), 1, "{text}");
    said.replies[0].stance
}

#[test]
fn an_agreement_holds_in_the_words_of_its_opposite() {
    for reasoning in HOLDING {
        assert_eq!(
            read_back(Stance::Agreed, reasoning, true),
            Stance::Agreed,
            "{reasoning}"
        );
    }
}

#[test]
fn an_agreement_that_contradicts_itself_is_half_a_one() {
    for reasoning in CONTRADICTING {
        let read = read_back(Stance::Agreed, reasoning, true);
        assert_eq!(read, Stance::PartiallyAgreed, "{reasoning}");
    }
}

proptest! {
    #[test]
    fn no_words_turn_a_label_into_its_opposite(
        stance in select(&[Stance::Agreed, Stance::PartiallyAgreed, Stance::Disagreed][..]),
        said in prop_oneof![select(&HOLDING[..]), select(&CONTRADICTING[..])],
        before in select(&AROUND[..]), after in select(&AROUND[..]), has_evidence in any::<bool>(),
    ) {
        let reasoning = format!("{before} {said} {after}");
        let read = read_back(stance, &reasoning, has_evidence);
        match stance {
            Stance::Agreed => prop_assert_ne!(read, Stance::Disagreed),
            stance => prop_assert_eq!(read, stance),
        }
    }
}
