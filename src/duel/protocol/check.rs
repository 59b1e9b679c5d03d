//! Names every violation of a transcript with its line: `git council duel check`.

use std::fmt;

use super::points::{PointId, SectionContent, read_content};
use super::standing::{PointStanding, point_standings};
use super::transcript::{DebateSection, DebateTranscript, SectionKind};
use super::turns::{self, NextTurn};
use super::{DuelEnding, DuelRole, MAX_ROUNDS};

/// One broken rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProtocolViolation {
    /// The line in the file, from 1.
    pub line: u32,
    /// The rule.
    pub rule: ProtocolRule,
    /// What stands there, in words.
    pub detail: String,
}

impl fmt::Display for ProtocolViolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.line, self.rule.as_str(), self.detail)
    }
}

/// The rules that a transcript can break.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProtocolRule {
    /// A section out of turn.
    TurnOrder,
    /// A section signed by the other role.
    WrongVoice,
    /// A section without its closing line.
    Unsigned,
    /// A code fence that is never closed.
    OpenFence,
    /// A second-level heading that the protocol does not know.
    UnknownHeading,
    /// More than one CONSENSUS.
    DoubleConsensus,
    /// Something after the CONSENSUS.
    AfterConsensus,
    /// A CONSENSUS by a side that may not close.
    WrongCloser,
    /// A CONSENSUS without a typed ending.
    UntypedEnding,
    /// More rounds than allowed.
    TooManyRounds,
    /// A response that categorises nothing although the other side has points to answer.
    Uncategorised,
    /// A disagreement, whole or in part, without a reason.
    NoReason,
    /// An independent finding without its tag.
    Untagged,
    /// A reply to a point that nobody raised.
    UnknownPoint,
    /// A signature older than the one before.
    TimeTravel,
}

impl ProtocolRule {
    /// The rule's name in messages.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TurnOrder => "turn-order",
            Self::WrongVoice => "wrong-voice",
            Self::Unsigned => "unsigned",
            Self::OpenFence => "open-fence",
            Self::UnknownHeading => "unknown-heading",
            Self::DoubleConsensus => "double-consensus",
            Self::AfterConsensus => "after-consensus",
            Self::WrongCloser => "wrong-closer",
            Self::UntypedEnding => "untyped-ending",
            Self::TooManyRounds => "too-many-rounds",
            Self::Uncategorised => "uncategorised",
            Self::NoReason => "no-reason",
            Self::Untagged => "untagged",
            Self::UnknownPoint => "unknown-point",
            Self::TimeTravel => "time-travel",
        }
    }

    /// Whether it makes the transcript worthless as a debate; the others are lapses of form.
    pub fn is_fatal(self) -> bool {
        matches!(
            self,
            Self::TurnOrder
                | Self::WrongVoice
                | Self::DoubleConsensus
                | Self::AfterConsensus
                | Self::WrongCloser
                | Self::TooManyRounds
        )
    }
}

/// Every violation, in the order of the file.
pub fn check_transcript(transcript: &DebateTranscript) -> Vec<ProtocolViolation> {
    let mut checker = TranscriptChecker::default();
    for (index, section) in transcript.sections.iter().enumerate() {
        checker.check_form(section);
        checker.check_order(&transcript.sections[..index], section);
        checker.check_content(&transcript.sections[..index], section);
    }
    checker.found.sort_by_key(|v| v.line);
    checker.found
}

#[derive(Default)]
struct TranscriptChecker {
    found: Vec<ProtocolViolation>,
    points: Vec<PointId>,
    last_time: String,
}

impl TranscriptChecker {
    fn report(&mut self, line: u32, rule: ProtocolRule, detail: impl Into<String>) {
        self.found.push(ProtocolViolation {
            line,
            rule,
            detail: detail.into(),
        });
    }

    fn check_form(&mut self, section: &DebateSection) {
        if section.open_fence {
            self.report(
                section.line,
                ProtocolRule::OpenFence,
                "a code fence of this section is never closed",
            );
        }
        if section.kind == SectionKind::Unknown {
            self.report(
                section.line,
                ProtocolRule::UnknownHeading,
                format!("`## {}` is no section", section.heading),
            );
        }
        let Some(signature) = &section.signature else {
            return self.report(
                section.line,
                ProtocolRule::Unsigned,
                format!("`## {}` has no signature", section.heading),
            );
        };
        let second = |time: &str| time.get(..19).map(str::to_owned);
        if signature.time.ends_with('Z') {
            if second(&signature.time) < second(&self.last_time) {
                self.report(
                    signature.line,
                    ProtocolRule::TimeTravel,
                    format!("signed before {}", self.last_time),
                );
            }
            self.last_time.clone_from(&signature.time);
        }
    }

    fn check_order(&mut self, before: &[DebateSection], section: &DebateSection) {
        let earlier = DebateTranscript {
            subject: None,
            sections: before.to_vec(),
        };
        let signed_by = section.signature.as_ref().map(|s| s.role);
        let closed = before.iter().any(|s| s.kind == SectionKind::Consensus);
        match (section.kind, closed) {
            (SectionKind::Consensus, true) => {
                self.report(
                    section.line,
                    ProtocolRule::DoubleConsensus,
                    "a CONSENSUS stands already",
                );
            }
            (_, true) => self.report(
                section.line,
                ProtocolRule::AfterConsensus,
                "the debate is over",
            ),
            (SectionKind::Consensus, false) => self.check_closing(&earlier, section, signed_by),
            (SectionKind::Unknown, false) => {}
            (kind, false) => self.check_turn(&earlier, section, kind, signed_by),
        }
    }

    fn check_turn(
        &mut self,
        earlier: &DebateTranscript,
        section: &DebateSection,
        kind: SectionKind,
        by: Option<DuelRole>,
    ) {
        match turns::next_turn(earlier) {
            NextTurn::Append {
                role,
                section: expected,
                ..
            } => {
                if kind != expected {
                    let detail = format!(
                        "`## {}` where `## {}` is due",
                        kind.heading(),
                        expected.heading()
                    );
                    self.report(section.line, ProtocolRule::TurnOrder, detail);
                } else if by.is_some_and(|by| by != role) {
                    let detail = format!("`## {}` belongs to {role}", kind.heading());
                    self.report(section.line, ProtocolRule::WrongVoice, detail);
                }
            }
            NextTurn::Close => {
                let detail = format!("{MAX_ROUNDS} rounds are over: only a CONSENSUS may follow");
                self.report(section.line, ProtocolRule::TooManyRounds, detail);
            }
            // An earlier section is reported already.
            NextTurn::Unfinished | NextTurn::Broken | NextTurn::Over => {}
        }
    }

    fn check_closing(
        &mut self,
        earlier: &DebateTranscript,
        section: &DebateSection,
        by: Option<DuelRole>,
    ) {
        let ending = section.stated_ending();
        if ending.is_none() {
            let detail = "no line `Outcome: consensus | limit | timeout-a | timeout-b | violation`";
            self.report(section.line, ProtocolRule::UntypedEnding, detail);
        }
        let allowed = match (by, turns::next_turn(earlier)) {
            (None, _)
            | (_, NextTurn::Close | NextTurn::Unfinished | NextTurn::Broken | NextTurn::Over) => {
                true
            }
            (Some(DuelRole::A), NextTurn::Append { may_close, .. }) => {
                may_close || ending == Some(DuelEnding::TimeoutB)
            }
            (Some(DuelRole::B), _) => ending == Some(DuelEnding::TimeoutA),
        };
        if !allowed {
            let who = by.map_or_else(String::new, |r| r.to_string());
            self.report(
                section.line,
                ProtocolRule::WrongCloser,
                format!("{who} may not close here"),
            );
        }
    }

    fn check_content(&mut self, before: &[DebateSection], section: &DebateSection) {
        let role = section.signature.as_ref().map(|s| s.role);
        let SectionContent { points, replies } = read_content(section);
        if matches!(section.kind, SectionKind::Response(_))
            && replies.is_empty()
            && has_open_points(before, role)
        {
            let detail = "no point is answered with Agreed, Partially agreed or Disagreed";
            self.report(section.line, ProtocolRule::Uncategorised, detail);
        }
        for reply in replies {
            if reply.reasoning.is_empty()
                && reply.stance != council_protocol::answer::Stance::Agreed
            {
                self.report(
                    reply.line,
                    ProtocolRule::NoReason,
                    "a disagreement needs its reason",
                );
            }
            if let Some(to) = reply.to.filter(|to| !self.points.contains(to)) {
                self.report(
                    reply.line,
                    ProtocolRule::UnknownPoint,
                    format!("nobody raised {to}"),
                );
            }
        }
        for point in points {
            let later = !matches!(section.kind, SectionKind::Opening | SectionKind::Consensus);
            if later && point.tag.is_none() {
                self.report(
                    point.line,
                    ProtocolRule::Untagged,
                    "an independent finding needs its tag",
                );
            }
            let next = |role: DuelRole| {
                let number = self.points.iter().filter(|p| p.role == role).count() + 1;
                PointId {
                    role,
                    number: u32::try_from(number).unwrap_or(u32::MAX),
                }
            };
            if let Some(id) = point.id.or_else(|| role.map(next)) {
                self.points.push(id);
            }
        }
    }
}

/// Whether anything that somebody else than `role` raised is still to be answered.
fn has_open_points(before: &[DebateSection], role: Option<DuelRole>) -> bool {
    let earlier = DebateTranscript {
        subject: None,
        sections: before.to_vec(),
    };
    let of_others = |point: &PointStanding| Some(point.id.role) != role && !point.is_settled();
    point_standings(&earlier).iter().any(of_others)
}

#[cfg(test)]
mod tests {
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
        let cases: [(&str, String, (u32, &str)); 9] = [
            (
                "order",
                file(&[("Opening", 'A'), ("Follow-up 1", 'A')]),
                (10, "turn-order"),
            ),
            (
                "voice",
                file(&[("Opening", 'A'), ("Response 1", 'A')]),
                (10, "wrong-voice"),
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
                "ending",
                GOOD.replace("Outcome: consensus", "all fine"),
                (17, "untyped-ending"),
            ),
            (
                "double",
                format!(
                    "{GOOD}\n## CONSENSUS\nOutcome: limit\n\n*— Agent A, 2025-06-15T14:33:00Z*\n"
                ),
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
                (10, "uncategorised"),
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
            text + &format!(
                "\n## CONSENSUS\nOutcome: {ending}\n\n*— Agent B, 2025-06-15T15:00:00Z*\n"
            )
        };
        assert_eq!(rules(&close("timeout-a")), []);
        assert!(
            rules(&close("consensus"))
                .iter()
                .any(|(_, r)| *r == "wrong-closer")
        );
    }
}
