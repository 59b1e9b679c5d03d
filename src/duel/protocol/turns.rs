//! Whose move it is: the turn table over headings and signatures.

use super::transcript::{DebateTranscript, SectionKind};
use super::{DuelRole, MAX_ROUNDS};

/// What may come next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NextTurn {
    /// `role` may append `section`; A may close instead when `may_close`.
    Append {
        /// Whose move it is.
        role: DuelRole,
        /// What it appends.
        section: SectionKind,
        /// Whether it may append CONSENSUS instead.
        may_close: bool,
        /// Whether this is the last section before the close: the writer closes in the same append.
        last: bool,
    },
    /// The rounds are used up: only a CONSENSUS may follow.
    Close,
    /// The last section is half written: wait.
    Unfinished,
    /// A CONSENSUS stands.
    Over,
    /// The file breaks the protocol; nothing may be appended but a CONSENSUS with `violation`.
    Broken,
}

/// What may come next in a file. An empty transcript is A's to open.
pub(crate) fn next_turn(transcript: &DebateTranscript) -> NextTurn {
    if transcript.is_concluded() {
        return NextTurn::Over;
    }
    let Some(last) = transcript.sections.last() else {
        return append_turn(DuelRole::A, SectionKind::Opening);
    };
    if !last.is_complete() {
        return NextTurn::Unfinished;
    }
    let mut expected = append_turn(DuelRole::A, SectionKind::Opening);
    for section in &transcript.sections {
        let NextTurn::Append {
            role,
            section: kind,
            ..
        } = expected
        else {
            return NextTurn::Broken;
        };
        // A section that another one follows is whole, even unsigned.
        let is_due = section.kind == kind && section.author() == Some(role);
        if !is_due || section.stray_line.is_some() {
            return NextTurn::Broken;
        }
        expected = turn_after(kind);
    }
    expected
}

/// How often a side is asked in a duel that uses all of its rounds: once for its review, and once for each section after the
/// opening.
pub(crate) fn most_turns(role: DuelRole) -> u32 {
    match role {
        DuelRole::A => 1 + MAX_ROUNDS,
        DuelRole::B => 1 + MAX_ROUNDS + 1,
    }
}

fn append_turn(role: DuelRole, section: SectionKind) -> NextTurn {
    let may_close = matches!(section, SectionKind::FollowUp(_));
    let last = section == SectionKind::Response(MAX_ROUNDS + 1);
    NextTurn::Append {
        role,
        section,
        may_close,
        last,
    }
}

fn turn_after(kind: SectionKind) -> NextTurn {
    match kind {
        SectionKind::Opening => append_turn(DuelRole::B, SectionKind::Response(1)),
        SectionKind::Response(n) if n > MAX_ROUNDS => NextTurn::Close,
        SectionKind::Response(n) => append_turn(DuelRole::A, SectionKind::FollowUp(n)),
        SectionKind::FollowUp(n) => append_turn(DuelRole::B, SectionKind::Response(n + 1)),
        SectionKind::Consensus => NextTurn::Over,
        SectionKind::Unknown => NextTurn::Broken,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A file with the given sections, each signed by the role that is named.
    pub(crate) fn file(sections: &[(&str, char)]) -> String {
        let mut text = "# Code Debate: HEAD\n".to_owned();
        for (i, (heading, role)) in sections.iter().enumerate() {
            text += &format!(
                "\n## {heading}\ntext\n\n*— Agent {role}, 2025-06-15T14:{i:02}:00Z*\n\n---\n"
            );
        }
        text
    }

    fn at(sections: &[(&str, char)]) -> NextTurn {
        next_turn(&DebateTranscript::parse(&file(sections)))
    }

    #[test]
    fn turn_table_over_headings_and_signatures() {
        let mover = |sections: &[(&str, char)]| match at(sections) {
            NextTurn::Append {
                role,
                section,
                may_close,
                ..
            } => (role, section.heading(), may_close),
            other => panic!("{other:?}"),
        };
        assert_eq!(mover(&[]), (DuelRole::A, "Opening".into(), false));
        let opening = ("Opening", 'A');
        assert_eq!(mover(&[opening]), (DuelRole::B, "Response 1".into(), false));
        assert_eq!(
            mover(&[opening, ("Response 1", 'B')]),
            (DuelRole::A, "Follow-up 1".into(), true)
        );
        let three = [opening, ("Response 1", 'B'), ("Follow-up 1", 'A')];
        assert_eq!(mover(&three), (DuelRole::B, "Response 2".into(), false));
    }

    #[test]
    fn a_signature_of_the_wrong_role_is_no_turn() {
        assert_eq!(at(&[("Opening", 'B')]), NextTurn::Broken);
        assert_eq!(
            at(&[("Opening", 'A'), ("Response 1", 'A')]),
            NextTurn::Broken
        );
        assert_eq!(
            at(&[("Opening", 'A'), ("Follow-up 1", 'A')]),
            NextTurn::Broken
        );
    }

    #[test]
    fn five_rounds_after_response_1_then_only_the_close() {
        let mut sections = vec![("Opening".to_owned(), 'A'), ("Response 1".into(), 'B')];
        for n in 1..=MAX_ROUNDS {
            sections.push((format!("Follow-up {n}"), 'A'));
            let refs: Vec<_> = sections.iter().map(|(h, r)| (h.as_str(), *r)).collect();
            let NextTurn::Append { last, .. } = at(&refs) else {
                panic!()
            };
            assert_eq!(last, n == MAX_ROUNDS);
            sections.push((format!("Response {}", n + 1), 'B'));
        }
        let refs: Vec<_> = sections.iter().map(|(h, r)| (h.as_str(), *r)).collect();
        assert_eq!(at(&refs), NextTurn::Close);
        for (role, letter) in [(DuelRole::A, 'A'), (DuelRole::B, 'B')] {
            let own = sections
                .iter()
                .filter(|(heading, by)| *by == letter && heading != "Opening");
            assert_eq!(most_turns(role) as usize, 1 + own.count(), "{role}");
        }
    }

    #[test]
    fn no_half_written_append_passes_for_a_turn() {
        let whole = file(&[("Opening", 'A')]);
        let end = whole.find("*— Agent A").unwrap();
        for cut in "# Code Debate: HEAD\n\n## Opening\n".len()..end + 30 {
            if whole.is_char_boundary(cut) {
                assert_eq!(
                    next_turn(&DebateTranscript::parse(&whole[..cut])),
                    NextTurn::Unfinished,
                    "cut at {cut}"
                );
            }
        }
    }
}
