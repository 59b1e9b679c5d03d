//! Names every violation of a transcript with its line: `git council duel check`.

use std::fmt;

use council_protocol::answer::Stance;

use super::claims::RaisedPoint;
use super::closing::{ClosingFault, read_closing};
use super::content::read_content;
use super::point_ref::PointId;
use super::section_content::{PointReply, SectionContent, UncategorisedItem};
use super::standing::DebateState;
use super::transcript::{DebateSection, DebateTranscript, SectionKind};
use super::turns::{self, NextTurn};
use super::{DuelRole, MAX_ROUNDS};

/// One broken rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProtocolViolation {
    /// The line in the file, from 1.
    pub line: u32,
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
pub(crate) enum ProtocolRule {
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
    /// A CONSENSUS while points are open and rounds are left.
    PrematureClose,
    /// Text behind a signature: nobody's words.
    StrayText,
    /// More rounds than allowed.
    TooManyRounds,
    /// A point of the other side that a response leaves without a label.
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
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::TurnOrder => "turn-order",
            Self::WrongVoice => "wrong-voice",
            Self::Unsigned => "unsigned",
            Self::OpenFence => "open-fence",
            Self::UnknownHeading => "unknown-heading",
            Self::DoubleConsensus => "double-consensus",
            Self::AfterConsensus => "after-consensus",
            Self::WrongCloser => "wrong-closer",
            Self::PrematureClose => "premature-close",
            Self::StrayText => "stray-text",
            Self::TooManyRounds => "too-many-rounds",
            Self::Uncategorised => "uncategorised",
            Self::NoReason => "no-reason",
            Self::Untagged => "untagged",
            Self::UnknownPoint => "unknown-point",
            Self::TimeTravel => "time-travel",
        }
    }

    /// Whether it makes the transcript worthless as a debate, so that the duel ends as `violation`; the others are lapses of
    /// form, which the duel's report notes. The clocks of two machines differ: no time says who wrote first.
    pub(crate) fn is_fatal(self) -> bool {
        matches!(
            self,
            Self::TurnOrder
                | Self::WrongVoice
                | Self::UnknownHeading
                | Self::DoubleConsensus
                | Self::AfterConsensus
                | Self::WrongCloser
                | Self::PrematureClose
                | Self::StrayText
                | Self::TooManyRounds
        )
    }
}

/// Every violation, in the order of the file.
pub(crate) fn check_transcript(transcript: &DebateTranscript) -> Vec<ProtocolViolation> {
    let mut checker = TranscriptChecker::default();
    let count = transcript.sections.len();
    for (index, section) in transcript.sections.iter().enumerate() {
        checker.check_form(section);
        checker.check_order(&transcript.before(index), section);
        checker.check_content(section);
        if section.is_complete() || index + 1 < count {
            checker.state.read_section(index, section);
        }
    }
    checker.found.sort_by_key(|v| v.line);
    checker.found
}

#[derive(Default)]
struct TranscriptChecker {
    found: Vec<ProtocolViolation>,
    /// What the sections so far said.
    state: DebateState,
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
        if let Some(line) = section.open_fence {
            self.report(
                line,
                ProtocolRule::OpenFence,
                "this code fence is never closed",
            );
        }
        if section.kind == SectionKind::Unknown {
            let detail = format!("`## {}` is no section", section.heading);
            self.report(section.line, ProtocolRule::UnknownHeading, detail);
        }
        if let Some(line) = section.stray_line {
            let detail = format!(
                "this stands behind the signature of `## {}`",
                section.heading
            );
            self.report(line, ProtocolRule::StrayText, detail);
        }
        match &section.signature {
            Some(signature) => self.check_time(&signature.time, signature.line),
            // The protocol shows its last section without a signature.
            None if section.kind == SectionKind::Consensus => {}
            None => {
                let detail = format!("`## {}` has no signature", section.heading);
                self.report(section.line, ProtocolRule::Unsigned, detail);
            }
        }
    }

    /// Times in UTC of the shape that the protocol shows can be compared as they are written.
    fn check_time(&mut self, time: &str, line: u32) {
        let is_utc = time.len() >= 20 && time.as_bytes()[10] == b'T' && time.ends_with('Z');
        if !is_utc {
            return;
        }
        let second = |time: &str| time.get(..19).map(str::to_owned);
        if second(time) < second(&self.last_time) {
            let detail = format!("signed before {}", self.last_time);
            self.report(line, ProtocolRule::TimeTravel, detail);
        }
        time.clone_into(&mut self.last_time);
    }

    fn check_order(&mut self, earlier: &DebateTranscript, section: &DebateSection) {
        let closed = earlier
            .sections
            .iter()
            .any(|s| s.kind == SectionKind::Consensus);
        match (section.kind, closed) {
            (SectionKind::Consensus, true) => {
                let detail = "there is a `## CONSENSUS` already";
                self.report(section.line, ProtocolRule::DoubleConsensus, detail);
            }
            (_, true) => self.report(
                section.line,
                ProtocolRule::AfterConsensus,
                "the debate is over",
            ),
            (SectionKind::Consensus, false) => self.check_closing(earlier, section),
            (SectionKind::Unknown, false) => {}
            (kind, false) => self.check_turn(earlier, section, kind),
        }
    }

    fn check_turn(
        &mut self,
        earlier: &DebateTranscript,
        section: &DebateSection,
        kind: SectionKind,
    ) {
        let signature = section.signature.as_ref();
        match turns::next_turn(earlier) {
            NextTurn::Append {
                section: expected, ..
            } if kind != expected => {
                let detail = format!(
                    "`## {}` where `## {}` is due",
                    kind.heading(),
                    expected.heading()
                );
                self.report(section.line, ProtocolRule::TurnOrder, detail);
            }
            NextTurn::Append { role, .. } => {
                if let Some(signature) = signature.filter(|signature| signature.role != role) {
                    let detail = format!("`## {}` belongs to {role}", kind.heading());
                    self.report(signature.line, ProtocolRule::WrongVoice, detail);
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

    fn check_closing(&mut self, earlier: &DebateTranscript, section: &DebateSection) {
        let closing = read_closing(&self.state, turns::next_turn(earlier), section);
        match closing.fault {
            Some(ClosingFault::WrongCloser) => {
                let detail = format!("{} may not close here", closing.by);
                self.report(section.line, ProtocolRule::WrongCloser, detail);
            }
            Some(ClosingFault::Premature) => {
                let detail = format!("{} closes while {}", closing.by, open_matters(&self.state));
                self.report(section.line, ProtocolRule::PrematureClose, detail);
            }
            None => {}
        }
    }

    fn check_content(&mut self, section: &DebateSection) {
        let Some(role) = section
            .author()
            .filter(|_| section.kind != SectionKind::Consensus)
        else {
            return;
        };
        let content = read_content(section);
        self.check_answers(role, section, &content);
        for reply in &content.replies {
            self.check_reply(reply, &content);
        }
        if section.kind == SectionKind::Opening {
            return;
        }
        let is_new = |point: &&RaisedPoint| {
            point.tag.is_none() && self.state.target_of(role, point).is_none()
        };
        let untagged: Vec<u32> = content
            .points
            .iter()
            .filter(is_new)
            .map(|point| point.line)
            .collect();
        for line in untagged {
            let detail = "an independent finding needs its tag";
            self.report(line, ProtocolRule::Untagged, detail);
        }
    }

    fn check_reply(&mut self, reply: &PointReply, content: &SectionContent) {
        if reply.reasoning.trim().is_empty() && reply.stance != Stance::Agreed {
            self.report(
                reply.line,
                ProtocolRule::NoReason,
                "a disagreement needs its reason",
            );
        }
        for to in &reply.to.ids {
            let is_known = self.state.points.iter().any(|point| point.id == *to);
            let is_raised = content.points.iter().any(|point| point.id == Some(*to));
            if !is_known && !is_raised {
                self.report(
                    reply.line,
                    ProtocolRule::UnknownPoint,
                    format!("nobody raised {to}"),
                );
            }
        }
    }

    /// Each point that a response speaks of needs a label; the first response answers every point of the opening.
    fn check_answers(&mut self, role: DuelRole, section: &DebateSection, content: &SectionContent) {
        let SectionKind::Response(number) = section.kind else {
            return;
        };
        let answers = self
            .state
            .assign_replies(role, section.kind, &content.replies);
        let mut answered: Vec<PointId> = answers
            .iter()
            .flat_map(|(targets, _)| targets.clone())
            .collect();
        answered.extend(
            content
                .points
                .iter()
                .filter_map(|point| self.state.target_of(role, point)),
        );
        for item in &content.uncategorised {
            let named = self.state.targets_of(role, section.kind, &item.to);
            let open: Vec<PointId> = named
                .into_iter()
                .filter(|id| !answered.contains(id) && self.is_open_for(role, *id))
                .collect();
            if !open.is_empty() {
                self.report_uncategorised(item, &open);
                answered.extend(open);
            }
        }
        let open = self
            .state
            .points
            .iter()
            .filter(|point| self.is_open_for(role, point.id));
        let missing: Vec<PointId> = open
            .map(|point| point.id)
            .filter(|id| !answered.contains(id))
            .collect();
        if !missing.is_empty() && (number == 1 || answered.is_empty()) {
            let ids: Vec<String> = missing.iter().map(|id| self.describe_point(*id)).collect();
            let detail = format!(
                "{} is not answered with Agreed, Partially agreed or Disagreed",
                ids.join(", ")
            );
            self.report(section.line, ProtocolRule::Uncategorised, detail);
        }
    }

    fn report_uncategorised(&mut self, item: &UncategorisedItem, open: &[PointId]) {
        let ids: Vec<String> = open.iter().map(|id| self.describe_point(*id)).collect();
        let detail = format!(
            "{} has no label here: Agreed, Partially agreed or Disagreed",
            ids.join(", ")
        );
        self.report(item.line, ProtocolRule::Uncategorised, detail);
    }

    fn is_open_for(&self, role: DuelRole, id: PointId) -> bool {
        let point = self.state.points.iter().find(|point| point.id == id);
        id.role != role && point.is_some_and(|point| !point.is_settled())
    }

    fn describe_point(&self, id: PointId) -> String {
        let point = self.state.points.iter().find(|point| point.id == id);
        point.map_or_else(
            || id.to_string(),
            |point| format!("{id} (line {})", point.line),
        )
    }
}

fn open_matters(state: &DebateState) -> String {
    let open = state
        .points
        .iter()
        .filter(|point| !point.is_settled())
        .map(|point| point.id.to_string());
    let open: Vec<String> = open.collect();
    match (open.is_empty(), state.dissents.first()) {
        (false, _) => format!("{} is open", open.join(", ")),
        (true, Some(dissent)) => format!("{} disagrees at line {}", dissent.role, dissent.line),
        (true, None) => match state.open_objections().next() {
            Some(objection) => {
                format!(
                    "{} objects to the change at line {}",
                    objection.role, objection.line
                )
            }
            None => "nobody timed out or agreed".to_owned(),
        },
    }
}

#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;
