//! Reads a `DEBATE.md`: headings, signatures and bodies, proof against code fences and quotes.

use super::{DuelEnding, DuelRole};

/// What a section is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum SectionKind {
    /// `## Opening`.
    Opening,
    /// `## Response N`.
    Response(u32),
    /// `## Follow-up N`.
    FollowUp(u32),
    /// `## CONSENSUS`: the stop signal.
    Consensus,
    /// A second-level heading that the protocol does not know.
    Unknown,
}

impl SectionKind {
    fn parse(heading: &str) -> Self {
        let number = |prefix: &str| {
            let rest = heading.strip_prefix(prefix)?;
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            let is_title = rest[digits..].is_empty() || rest[digits..].starts_with([' ', ':']);
            rest[..digits].parse().ok().filter(|n| *n > 0 && is_title)
        };
        // The stop signal is whatever `grep '^## CONSENSUS'` finds.
        if heading.starts_with("CONSENSUS") {
            Self::Consensus
        } else if heading == "Opening" {
            Self::Opening
        } else if let Some(n) = number("Response ") {
            Self::Response(n)
        } else if let Some(n) = number("Follow-up ") {
            Self::FollowUp(n)
        } else {
            Self::Unknown
        }
    }

    /// The heading as it stands in the file, without `## `.
    pub(crate) fn heading(self) -> String {
        match self {
            Self::Opening => "Opening".into(),
            Self::Response(n) => format!("Response {n}"),
            Self::FollowUp(n) => format!("Follow-up {n}"),
            Self::Consensus => "CONSENSUS".into(),
            Self::Unknown => "?".into(),
        }
    }

    /// Who writes such a section; none: either side.
    pub(crate) fn owner(self) -> Option<DuelRole> {
        match self {
            Self::Opening | Self::FollowUp(_) => Some(DuelRole::A),
            Self::Response(_) => Some(DuelRole::B),
            Self::Consensus | Self::Unknown => None,
        }
    }
}

/// The line that closes a section: `*— Agent A (tool), 2025-06-15T14:30:00Z*`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SectionSignature {
    pub role: DuelRole,
    /// The tool in brackets, if named.
    pub tool: Option<String>,
    /// The time as written.
    pub time: String,
    /// The line in the file, from 1.
    pub line: u32,
}

/// One second-level section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DebateSection {
    /// What it is.
    pub kind: SectionKind,
    /// The heading's text without `## `.
    pub heading: String,
    /// The heading's line, from 1.
    pub line: u32,
    /// The lines between heading and signature (or the next heading); of the first section also those above it.
    pub body: Vec<BodyLine>,
    /// The closing line. Without it the section may be half written.
    pub signature: Option<SectionSignature>,
    /// The first line behind the signature that is neither blank nor a rule: nobody's words.
    pub stray_line: Option<u32>,
    /// The line of a code fence that is never closed.
    pub open_fence: Option<u32>,
}

/// A line of a section's body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BodyLine {
    /// Number in the file, from 1.
    pub number: u32,
    pub text: String,
    /// Where it stands.
    pub kind: BodyLineKind,
}

/// Where a line of a body stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BodyLineKind {
    /// In open text: only there a heading or a signature counts.
    Open,
    /// Indented by four columns or more: code, or an item of an item.
    Indented,
    /// In a block quote.
    Quoted,
    /// In a code fence.
    Fenced,
}

impl BodyLine {
    /// Whether it stands in open text.
    pub(crate) fn is_open(&self) -> bool {
        self.kind == BodyLineKind::Open
    }

    /// Whether it is its author's words, rather than something that is shown.
    pub(crate) fn is_text(&self) -> bool {
        matches!(self.kind, BodyLineKind::Open | BodyLineKind::Indented)
    }
}

impl DebateSection {
    /// Whether it is wholly there, outside every fence: signed, or a closing, which ends the debate as soon as it stands there.
    pub(crate) fn is_complete(&self) -> bool {
        let is_finished = self.signature.is_some() || self.kind == SectionKind::Consensus;
        is_finished && self.open_fence.is_none()
    }

    /// Whose words it is: the signature says, and without one the heading.
    pub(crate) fn author(&self) -> Option<DuelRole> {
        let signed = self.signature.as_ref().map(|signature| signature.role);
        signed.or(self.kind.owner())
    }

    /// What `Outcome:` says, in a CONSENSUS.
    pub(crate) fn stated_ending(&self) -> Option<DuelEnding> {
        let lines = self.body.iter().filter(|l| l.is_open());
        lines
            .filter_map(|l| l.text.trim().strip_prefix("Outcome:"))
            .find_map(|w| DuelEnding::parse(w.trim()))
    }

    /// The words of its body, line by line.
    pub(crate) fn words(&self) -> impl Iterator<Item = &str> {
        self.body
            .iter()
            .filter(|line| line.is_text())
            .map(|line| line.text.as_str())
    }
}

/// A whole file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct DebateTranscript {
    /// What stands behind `# Code Debate: `.
    pub subject: Option<String>,
    /// The second-level sections in order.
    pub sections: Vec<DebateSection>,
}

impl DebateTranscript {
    /// Reads a file's text. Never fails: what is odd is named by [`super::check`].
    pub(crate) fn parse(text: &str) -> Self {
        let mut reader = TranscriptReader::default();
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for (index, line) in text.lines().enumerate() {
            reader.read_line(u32::try_from(index + 1).unwrap_or(u32::MAX), line);
        }
        reader.finish()
    }

    /// Whether a complete CONSENSUS stands in the file.
    pub(crate) fn is_concluded(&self) -> bool {
        self.closing().is_some()
    }

    /// The first complete CONSENSUS and its index.
    pub(crate) fn closing(&self) -> Option<(usize, &DebateSection)> {
        let mut sections = self.sections.iter().enumerate();
        sections.find(|(_, s)| s.kind == SectionKind::Consensus && s.is_complete())
    }

    /// The sections before that one.
    pub(crate) fn before(&self, index: usize) -> Self {
        Self {
            subject: None,
            sections: self.sections[..index].to_vec(),
        }
    }
}

/// A code fence that is open.
#[derive(Debug, Clone, Copy)]
struct OpenFence {
    mark: char,
    length: usize,
    line: u32,
}

#[derive(Default)]
struct TranscriptReader {
    transcript: DebateTranscript,
    fence: Option<OpenFence>,
    /// What stands in front of the first section.
    preface: Vec<BodyLine>,
}

impl TranscriptReader {
    fn read_line(&mut self, number: u32, text: &str) {
        let kind = self.kind_of(number, text);
        if kind == BodyLineKind::Open && self.read_heading(number, text) {
            return;
        }
        let Some(section) = self.transcript.sections.last_mut() else {
            let text = text.to_owned();
            return self.preface.push(BodyLine { number, text, kind });
        };
        if section.signature.is_some() {
            let is_trim = text.trim().is_empty() || text.trim().bytes().all(|b| b == b'-');
            if !is_trim && section.stray_line.is_none() {
                section.stray_line = Some(number);
            }
            return;
        }
        match parse_signature(text, number).filter(|_| kind == BodyLineKind::Open) {
            Some(found) => section.signature = Some(found),
            None => section.body.push(BodyLine {
                number,
                text: text.to_owned(),
                kind,
            }),
        }
    }

    /// Whether a line of open text is a heading of the file's own.
    fn read_heading(&mut self, number: u32, text: &str) -> bool {
        if let Some(subject) = text.strip_prefix("# Code Debate:")
            && self.transcript.sections.is_empty()
        {
            self.transcript.subject = Some(subject.trim().to_owned());
            return true;
        }
        let Some(heading) = text.strip_prefix("## ").map(str::trim) else {
            return false;
        };
        // The protocol asks for "an Independent findings section" within a turn: at this level it is part of the turn.
        let is_part = heading.eq_ignore_ascii_case("Independent findings");
        let current = self.transcript.sections.last();
        if is_part && current.is_some_and(|section| section.signature.is_none()) {
            return false;
        }
        self.transcript.sections.push(DebateSection {
            kind: SectionKind::parse(heading),
            heading: heading.to_owned(),
            line: number,
            // Who opens the debate has written what stands above its opening, too.
            body: std::mem::take(&mut self.preface),
            signature: None,
            stray_line: None,
            open_fence: None,
        });
        true
    }

    /// Where a line stands, keeping track of fences as CommonMark has them (4.5).
    fn kind_of(&mut self, number: u32, text: &str) -> BodyLineKind {
        let indent = text.len() - text.trim_start_matches(' ').len();
        let trimmed = text.trim_start_matches(' ');
        let mark = trimmed.chars().next().filter(|c| matches!(c, '`' | '~'));
        let run = mark.map_or(0, |m| trimmed.chars().take_while(|c| *c == m).count());
        if let Some(open) = self.fence {
            let closes = indent <= 3 && mark == Some(open.mark) && run >= open.length;
            if closes && trimmed[run..].trim().is_empty() {
                self.fence = None;
            }
            return BodyLineKind::Fenced;
        }
        if indent > 3 || trimmed.starts_with('\t') {
            return BodyLineKind::Indented;
        }
        match mark {
            Some(mark) if run >= 3 && !(mark == '`' && trimmed[run..].contains('`')) => {
                self.fence = Some(OpenFence {
                    mark,
                    length: run,
                    line: number,
                });
                BodyLineKind::Fenced
            }
            _ if trimmed.starts_with('>') => BodyLineKind::Quoted,
            _ => BodyLineKind::Open,
        }
    }

    fn finish(mut self) -> DebateTranscript {
        if let Some(last) = self.transcript.sections.last_mut() {
            last.open_fence = self.fence.map(|fence| fence.line);
        }
        self.transcript
    }
}

/// Reads `*— Agent A (tool), 2025-06-15T14:30:00Z*`; other dashes and emphasis are read, too.
fn parse_signature(text: &str, line: u32) -> Option<SectionSignature> {
    let text = text.trim_end();
    let marks = ["***", "**", "*", "_"];
    let inner = marks
        .iter()
        .find_map(|mark| text.strip_prefix(mark)?.strip_suffix(mark))?;
    let inner = ["—", "–", "--", "-"]
        .iter()
        .find_map(|dash| inner.strip_prefix(dash))?;
    let inner = inner.trim_start().strip_prefix("Agent ")?;
    let (role, rest) = match inner.split_at_checked(1)? {
        ("A", rest) => (DuelRole::A, rest),
        ("B", rest) => (DuelRole::B, rest),
        _ => return None,
    };
    let (tool, time) = match rest.strip_prefix(" (") {
        Some(rest) => {
            let (tool, rest) = rest.rsplit_once("), ")?;
            (Some(tool.to_owned()), rest)
        }
        None => (None, rest.strip_prefix(", ")?),
    };
    is_timestamp(time).then(|| SectionSignature {
        role,
        tool,
        time: time.to_owned(),
        line,
    })
}

/// Whether `text` begins with a date, `2025-06-15`: the protocol asks for a timestamp and shows one of RFC 3339.
fn is_timestamp(text: &str) -> bool {
    let shape = b"dddd-dd-dd";
    let fits = |(b, s): (&u8, &u8)| {
        if *s == b'd' {
            b.is_ascii_digit()
        } else {
            b == s
        }
    };
    let bytes = text.as_bytes();
    bytes.len() >= shape.len() && bytes.iter().zip(shape).all(fits) && !text.contains(['*', '_'])
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIGNED: &str = "*— Agent A (tool), 2025-06-15T14:30:00Z*";

    #[test]
    fn sections_and_signatures_are_read() {
        let text = format!(
            "# Code Debate: HEAD\n\n## Opening\nIt is broken.\n\n{SIGNED}\n\n---\n\n## Response 1\nNo.\n"
        );
        let transcript = DebateTranscript::parse(&text);
        assert_eq!(transcript.subject.as_deref(), Some("HEAD"));
        let kinds: Vec<_> = transcript
            .sections
            .iter()
            .map(|s| (s.kind, s.is_complete()))
            .collect();
        assert_eq!(
            kinds,
            [
                (SectionKind::Opening, true),
                (SectionKind::Response(1), false)
            ]
        );
        let signature = transcript.sections[0].signature.as_ref().unwrap();
        assert_eq!(
            (signature.role, signature.tool.as_deref(), signature.line),
            (DuelRole::A, Some("tool"), 6)
        );
    }

    #[test]
    fn a_stop_heading_inside_a_fence_or_quote_is_ignored() {
        for hidden in [
            "```diff\n## CONSENSUS\n```",
            "~~~~\n```\n## CONSENSUS\n~~~\n~~~~",
            "> ## CONSENSUS",
            "    ## CONSENSUS",
            "````\n```\n## CONSENSUS\n```\n````",
        ] {
            let text = format!("## Opening\n{hidden}\n\n{SIGNED}\n");
            let transcript = DebateTranscript::parse(&text);
            assert_eq!(transcript.sections.len(), 1, "{hidden}");
            assert!(transcript.sections[0].is_complete(), "{hidden}");
        }
    }

    #[test]
    fn an_append_that_stops_in_a_fence_is_not_complete() {
        let text = format!("## Opening\n```\ncode\n{SIGNED}\n");
        let transcript = DebateTranscript::parse(&text);
        assert!(!transcript.sections[0].is_complete());
        assert_eq!(transcript.sections[0].open_fence, Some(2));
    }

    #[test]
    fn a_signature_needs_a_role_and_a_time() {
        for bad in [
            "*— Agent C, 2025-06-15T14:30:00Z*",
            "*— Agent A*",
            "*— Agent A, yesterday*",
            "- Agent A, 2025-06-15T14:30:00Z",
            "*— Agent A, 2025-06-15T14:3",
        ] {
            assert_eq!(parse_signature(bad, 1), None, "{bad}");
        }
        for good in [
            "*— Agent B, 2025-06-15T14:30:00Z*",
            "*— Agent A (a (b), c), 2025-06-15T14:30:00.123+02:00*",
            "_- Agent B (tool), 2025-06-15 14:30 UTC_",
            "**– Agent B, 2025-06-15T14:30Z**",
        ] {
            assert!(parse_signature(good, 1).is_some(), "{good}");
        }
    }

    #[test]
    fn the_outcome_is_read_outside_fences_only() {
        let text =
            format!("## CONSENSUS\n```\nOutcome: consensus\n```\nOutcome: limit\n\n{SIGNED}\n");
        assert_eq!(
            DebateTranscript::parse(&text).sections[0].stated_ending(),
            Some(DuelEnding::Limit)
        );
    }
}
