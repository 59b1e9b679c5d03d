//! Whose move it is: the turn table of seed 004, over headings and signatures.

use super::transcript::{SectionKind, Transcript};
use super::{MAX_ROUNDS, Role};

/// What may come next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// `role` may append `section`; A may close instead when `may_close`.
    Append {
        /// Whose move it is.
        role: Role,
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
pub fn next(transcript: &Transcript) -> Next {
    if transcript.is_concluded() {
        return Next::Over;
    }
    let Some(last) = transcript.sections.last() else {
        return append(Role::A, SectionKind::Opening);
    };
    if !last.is_complete() {
        return Next::Unfinished;
    }
    let mut expected = append(Role::A, SectionKind::Opening);
    for section in &transcript.sections {
        let Next::Append {
            role,
            section: kind,
            ..
        } = expected
        else {
            return Next::Broken;
        };
        let signed_by = section.signature.as_ref().map(|s| s.role);
        if section.kind != kind || signed_by != Some(role) {
            return Next::Broken;
        }
        expected = after(kind);
    }
    expected
}

fn append(role: Role, section: SectionKind) -> Next {
    let may_close = matches!(section, SectionKind::FollowUp(_));
    let last = section == SectionKind::Response(MAX_ROUNDS + 1);
    Next::Append {
        role,
        section,
        may_close,
        last,
    }
}

fn after(kind: SectionKind) -> Next {
    match kind {
        SectionKind::Opening => append(Role::B, SectionKind::Response(1)),
        SectionKind::Response(n) if n > MAX_ROUNDS => Next::Close,
        SectionKind::Response(n) => append(Role::A, SectionKind::FollowUp(n)),
        SectionKind::FollowUp(n) => append(Role::B, SectionKind::Response(n + 1)),
        SectionKind::Consensus => Next::Over,
        SectionKind::Unknown => Next::Broken,
    }
}

/// Whether it is `role`'s move.
pub fn is_turn_of(role: Role, transcript: &Transcript) -> bool {
    match next(transcript) {
        Next::Append { role: mover, .. } => mover == role,
        Next::Close => true,
        Next::Unfinished | Next::Over | Next::Broken => false,
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

    fn at(sections: &[(&str, char)]) -> Next {
        next(&Transcript::parse(&file(sections)))
    }

    #[test]
    fn seed_004_turn_table_over_headings_and_signatures() {
        let mover = |sections: &[(&str, char)]| match at(sections) {
            Next::Append {
                role,
                section,
                may_close,
                ..
            } => (role, section.heading(), may_close),
            other => panic!("{other:?}"),
        };
        assert_eq!(mover(&[]), (Role::A, "Opening".into(), false));
        let opening = ("Opening", 'A');
        assert_eq!(mover(&[opening]), (Role::B, "Response 1".into(), false));
        assert_eq!(
            mover(&[opening, ("Response 1", 'B')]),
            (Role::A, "Follow-up 1".into(), true)
        );
        let three = [opening, ("Response 1", 'B'), ("Follow-up 1", 'A')];
        assert_eq!(mover(&three), (Role::B, "Response 2".into(), false));
    }

    #[test]
    fn seed_004_a_signature_of_the_wrong_role_is_no_turn() {
        assert_eq!(at(&[("Opening", 'B')]), Next::Broken);
        assert_eq!(at(&[("Opening", 'A'), ("Response 1", 'A')]), Next::Broken);
        assert_eq!(at(&[("Opening", 'A'), ("Follow-up 1", 'A')]), Next::Broken);
    }

    #[test]
    fn seed_004_five_rounds_after_response_1_then_only_the_close() {
        let mut sections = vec![("Opening".to_owned(), 'A'), ("Response 1".into(), 'B')];
        for n in 1..=MAX_ROUNDS {
            sections.push((format!("Follow-up {n}"), 'A'));
            let refs: Vec<_> = sections.iter().map(|(h, r)| (h.as_str(), *r)).collect();
            let Next::Append { last, .. } = at(&refs) else {
                panic!()
            };
            assert_eq!(last, n == MAX_ROUNDS);
            sections.push((format!("Response {}", n + 1), 'B'));
        }
        let refs: Vec<_> = sections.iter().map(|(h, r)| (h.as_str(), *r)).collect();
        assert_eq!(at(&refs), Next::Close);
    }

    #[test]
    fn seed_004_no_half_written_append_passes_for_a_turn() {
        let whole = file(&[("Opening", 'A')]);
        let end = whole.find("*— Agent A").unwrap();
        for cut in "# Code Debate: HEAD\n\n## Opening\n".len()..end + 30 {
            if whole.is_char_boundary(cut) {
                assert_eq!(
                    next(&Transcript::parse(&whole[..cut])),
                    Next::Unfinished,
                    "cut at {cut}"
                );
            }
        }
    }
}
