//! Reads a `DEBATE.md`: headings, signatures and bodies, proof against code fences and quotes.

use super::{DuelEnding, DuelRole};

/// What a section is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SectionKind {
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
            heading
                .strip_prefix(prefix)
                .and_then(|n| n.parse().ok())
                .filter(|n| *n > 0)
        };
        if heading == "Opening" {
            Self::Opening
        } else if heading == "CONSENSUS" {
            Self::Consensus
        } else if let Some(n) = number("Response ") {
            Self::Response(n)
        } else if let Some(n) = number("Follow-up ") {
            Self::FollowUp(n)
        } else {
            Self::Unknown
        }
    }

    /// The heading as it stands in the file, without `## `.
    pub fn heading(self) -> String {
        match self {
            Self::Opening => "Opening".into(),
            Self::Response(n) => format!("Response {n}"),
            Self::FollowUp(n) => format!("Follow-up {n}"),
            Self::Consensus => "CONSENSUS".into(),
            Self::Unknown => "?".into(),
        }
    }
}

/// The line that closes a section: `*— Agent A (tool), 2025-06-15T14:30:00Z*`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SectionSignature {
    /// Who.
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
pub struct DebateSection {
    /// What it is.
    pub kind: SectionKind,
    /// The heading's text without `## `.
    pub heading: String,
    /// The heading's line, from 1.
    pub line: u32,
    /// The lines between heading and signature (or the next heading), with whether each is open text (outside fences
    /// and quotes) and its number.
    pub body: Vec<BodyLine>,
    /// The closing line. Without it the section may be half written.
    pub signature: Option<SectionSignature>,
    /// Whether a code fence of the section is still open at its end.
    pub open_fence: bool,
}

/// A line of a section's body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BodyLine {
    /// Number in the file, from 1.
    pub number: u32,
    /// The text.
    pub text: String,
    /// Whether it stands outside code fences, block quotes and indented code.
    pub open: bool,
}

impl DebateSection {
    /// Whether it is wholly there: signed, and outside every fence.
    pub fn is_complete(&self) -> bool {
        self.signature.is_some() && !self.open_fence
    }

    /// What `Outcome:` says, in a CONSENSUS.
    pub fn stated_ending(&self) -> Option<DuelEnding> {
        let lines = self.body.iter().filter(|l| l.open);
        lines
            .filter_map(|l| l.text.trim().strip_prefix("Outcome:"))
            .find_map(|w| DuelEnding::parse(w.trim()))
    }
}

/// A whole file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DebateTranscript {
    /// What stands behind `# Code Debate: `.
    pub subject: Option<String>,
    /// The second-level sections in order.
    pub sections: Vec<DebateSection>,
}

impl DebateTranscript {
    /// Reads a file's text. Never fails: what is odd is named by [`super::check`].
    pub fn parse(text: &str) -> Self {
        let mut reader = TranscriptReader::default();
        for (index, line) in text.lines().enumerate() {
            reader.read_line(u32::try_from(index + 1).unwrap_or(u32::MAX), line);
        }
        reader.finish()
    }

    /// Whether a complete CONSENSUS stands in the file.
    pub fn is_concluded(&self) -> bool {
        self.sections
            .iter()
            .any(|s| s.kind == SectionKind::Consensus && s.is_complete())
    }
}

#[derive(Default)]
struct TranscriptReader {
    transcript: DebateTranscript,
    /// Character and length of the fence that is open.
    fence: Option<(char, usize)>,
}

impl TranscriptReader {
    fn read_line(&mut self, number: u32, text: &str) {
        let open = self.is_open(text);
        if open {
            if let Some(heading) = text.strip_prefix("## ") {
                return self.open_section(number, heading.trim());
            }
            if let Some(subject) = text.strip_prefix("# Code Debate:")
                && self.transcript.sections.is_empty()
            {
                self.transcript.subject = Some(subject.trim().to_owned());
                return;
            }
        }
        let Some(section) = self.transcript.sections.last_mut() else {
            return;
        };
        match parse_signature(text, number).filter(|_| open) {
            Some(found) if section.signature.is_none() => section.signature = Some(found),
            _ => section.body.push(BodyLine {
                number,
                text: text.to_owned(),
                open,
            }),
        }
    }

    fn open_section(&mut self, line: u32, heading: &str) {
        self.transcript.sections.push(DebateSection {
            kind: SectionKind::parse(heading),
            heading: heading.to_owned(),
            line,
            body: Vec::new(),
            signature: None,
            open_fence: false,
        });
    }

    /// Whether `text` is open text, keeping track of fences as CommonMark has them (4.5).
    fn is_open(&mut self, text: &str) -> bool {
        let indent = text.len() - text.trim_start_matches(' ').len();
        let trimmed = text.trim_start_matches(' ');
        if indent > 3 || trimmed.starts_with('\t') {
            return false;
        }
        let mark = trimmed.chars().next().filter(|c| matches!(c, '`' | '~'));
        let run = mark.map_or(0, |m| trimmed.chars().take_while(|c| *c == m).count());
        match (self.fence, mark) {
            (Some((open, length)), Some(m)) if m == open && run >= length => {
                if trimmed[run..].trim().is_empty() {
                    self.fence = None;
                }
                false
            }
            (Some(_), _) => false,
            (None, Some(m)) if run >= 3 && !(m == '`' && trimmed[run..].contains('`')) => {
                self.fence = Some((m, run));
                false
            }
            (None, _) => !trimmed.starts_with('>'),
        }
    }

    fn finish(mut self) -> DebateTranscript {
        if let Some(last) = self.transcript.sections.last_mut() {
            last.open_fence = self.fence.is_some();
        }
        self.transcript
    }
}

/// Reads `*— Agent A (tool), 2025-06-15T14:30:00Z*`.
fn parse_signature(text: &str, line: u32) -> Option<SectionSignature> {
    let inner = text
        .trim_end()
        .strip_prefix("*— Agent ")?
        .strip_suffix('*')?;
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

/// Whether `text` has the shape of an RFC 3339 time: `2025-06-15T14:30:00Z`, with fraction and offset allowed.
fn is_timestamp(text: &str) -> bool {
    let shape = b"dddd-dd-ddTdd:dd:dd";
    let bytes = text.as_bytes();
    let fits = |(b, s): (&u8, &u8)| {
        if *s == b'd' {
            b.is_ascii_digit()
        } else {
            b == s
        }
    };
    if bytes.len() <= shape.len() || !bytes.iter().zip(shape).all(fits) {
        return false;
    }
    let rest = text[shape.len()..]
        .trim_start_matches('.')
        .trim_start_matches(|c: char| c.is_ascii_digit());
    let offset = |o: &str| o.len() == 5 && o.chars().all(|c| c.is_ascii_digit() || c == ':');
    rest == "Z" || rest.strip_prefix(['+', '-']).is_some_and(offset)
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
        assert!(transcript.sections[0].open_fence);
    }

    #[test]
    fn a_signature_needs_a_role_and_a_time() {
        for bad in [
            "*— Agent C, 2025-06-15T14:30:00Z*",
            "*— Agent A*",
            "*— Agent A, yesterday*",
            "- Agent A, 2025-06-15T14:30:00Z",
        ] {
            assert_eq!(parse_signature(bad, 1), None, "{bad}");
        }
        for good in [
            "*— Agent B, 2025-06-15T14:30:00Z*",
            "*— Agent A (a (b), c), 2025-06-15T14:30:00.123+02:00*",
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
