//! What was claimed and what was answered in a section, read from its Markdown.
//!
//! The form is the one that [`super::render`] writes; a side that is not ours may write looser, so a list item with a
//! place (`path:line`) counts as a point, and a paragraph that begins with one of the three labels as a reply.

use council_protocol::answer::{Evidence, NO_CAUSE, Stance, Tag};
use council_protocol::{Finding, Location, RepoPath, Severity};

use super::DuelRole;
use super::transcript::{BodyLine, DebateSection};

/// Name of a point: side and number, `A1`. Numbered through the whole file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PointId {
    /// Who raised it.
    pub role: DuelRole,
    /// From 1.
    pub number: u32,
}

impl PointId {
    /// Reads `A1`.
    pub fn parse(text: &str) -> Option<Self> {
        let role = match text.as_bytes().first()? {
            b'A' => DuelRole::A,
            b'B' => DuelRole::B,
            _ => return None,
        };
        let number = text[1..].parse().ok().filter(|n| *n > 0)?;
        Some(Self { role, number })
    }
}

impl std::fmt::Display for PointId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", self.role.letter(), self.number)
    }
}

/// A claimed problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RaisedPoint {
    /// Its name, when the section gives one.
    pub id: Option<PointId>,
    /// How it relates to the other side's (later sections).
    pub tag: Option<Tag>,
    /// The problem.
    pub finding: Finding,
    /// Its line in the file.
    pub line: u32,
}

/// A categorised reply to a point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PointReply {
    /// To which point, when named.
    pub to: Option<PointId>,
    /// Agreed, partially agreed, disagreed.
    pub stance: Stance,
    /// Why.
    pub reasoning: String,
    /// What was pointed to.
    pub evidence: Option<Evidence>,
    /// Its line in the file.
    pub line: u32,
}

/// What a section says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SectionContent {
    /// Points raised.
    pub points: Vec<RaisedPoint>,
    /// Replies given.
    pub replies: Vec<PointReply>,
}

/// The three labels, longest first so that none hides another.
pub const LABELS: [(&str, Stance); 3] = [
    ("Partially agreed", Stance::PartiallyAgreed),
    ("Disagreed", Stance::Disagreed),
    ("Agreed", Stance::Agreed),
];

/// The three tags of independent findings.
pub const TAGS: [(&str, Tag); 3] = [
    ("same as other agent", Tag::Same),
    ("new finding", Tag::New),
    ("not reproduced / disagreed", Tag::NotReproduced),
];

/// Reads a section's points and replies. Open text only: nothing inside a fence or a quote is a point, but a quote
/// right under a point or reply is its evidence.
pub fn read_content(section: &DebateSection) -> SectionContent {
    let mut said = SectionContent::default();
    for (item, rest) in split_items(&section.body) {
        let quote = read_quote(rest);
        if let Some(reply) = parse_reply(item, quote.as_deref()) {
            said.replies.push(reply);
        } else if let Some(point) = parse_point(item, rest, quote.unwrap_or_default()) {
            said.points.push(point);
        }
    }
    said
}

/// Each open line that begins an item, with the lines up to the next one.
fn split_items(body: &[BodyLine]) -> Vec<(&BodyLine, &[BodyLine])> {
    let starts: Vec<usize> = (0..body.len())
        .filter(|&i| body[i].open && is_item(&body[i].text))
        .collect();
    let ends = starts.iter().skip(1).copied().chain([body.len()]);
    starts
        .iter()
        .zip(ends)
        .map(|(&s, e)| (&body[s], &body[s + 1..e]))
        .collect()
}

fn is_item(text: &str) -> bool {
    let bare = strip_marker(text);
    bare.len() != text.trim_start().len() || split_label(bare).is_some() || text.starts_with("**")
}

/// The text without list marker (`-`, `*`, `1.`).
fn strip_marker(text: &str) -> &str {
    let text = text.trim_start();
    if let Some(rest) = text.strip_prefix("- ").or_else(|| text.strip_prefix("* ")) {
        return rest.trim_start();
    }
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    match text[digits..].strip_prefix(". ") {
        Some(rest) if digits > 0 => rest.trim_start(),
        _ => text,
    }
}

/// An id in front (`**A1** — `, `A1: `) and what follows it.
fn split_id(text: &str) -> (Option<PointId>, &str) {
    let bare = text.trim_start_matches('*');
    let end = bare
        .find(|c: char| !c.is_ascii_alphanumeric())
        .unwrap_or(bare.len());
    match PointId::parse(&bare[..end]) {
        Some(id) => (
            Some(id),
            bare[end..].trim_start_matches(['*', ' ', ':', '—', '-', '.', '·']),
        ),
        None => (None, text),
    }
}

fn split_label(text: &str) -> Option<(Stance, &str)> {
    let bare = text.trim_start_matches('*');
    LABELS.iter().find_map(|(word, stance)| {
        let rest = bare.strip_prefix(word)?;
        let ends = !rest.starts_with(|c: char| c.is_alphanumeric());
        ends.then(|| {
            (
                *stance,
                rest.trim_start_matches(['*', ' ', ':', '—', '-', '.']),
            )
        })
    })
}

fn parse_reply(item: &BodyLine, quote: Option<&str>) -> Option<PointReply> {
    let (to, rest) = split_id(strip_marker(&item.text));
    let (stance, reasoning) = split_label(rest)?;
    let evidence = find_location(reasoning)
        .zip(quote)
        .map(|((path, line), quote)| Evidence {
            path,
            line,
            quote: quote.to_owned(),
        });
    Some(PointReply {
        to,
        stance,
        reasoning: reasoning.to_owned(),
        evidence,
        line: item.number,
    })
}

fn parse_point(item: &BodyLine, rest: &[BodyLine], quote: String) -> Option<RaisedPoint> {
    let (id, text) = split_id(strip_marker(&item.text));
    let (tag, text) = split_tag(text);
    let (path, line) = find_location(text)?;
    let field = |name: &str| {
        let lines = rest.iter().filter(|l| l.open).map(|l| l.text.trim());
        lines
            .filter_map(|l| l.strip_prefix(name))
            .map(|v| v.trim().to_owned())
            .next()
    };
    let finding = Finding {
        severity: parse_severity(text),
        category: String::new(),
        rule: None,
        description: parse_description(text),
        location: Location {
            path,
            line,
            end_line: None,
        },
        quote,
        why: field("Why:").unwrap_or_else(|| NO_CAUSE.into()),
        fix: field("Fix:").unwrap_or_default(),
        suggestion: None,
        reference: None,
    };
    Some(RaisedPoint {
        id,
        tag,
        finding,
        line: item.number,
    })
}

fn split_tag(text: &str) -> (Option<Tag>, &str) {
    let inner = text.strip_prefix('[').and_then(|t| t.split_once(']'));
    match inner.and_then(|(word, rest)| Some((TAGS.iter().find(|(w, _)| *w == word)?.1, rest))) {
        Some((tag, rest)) => (Some(tag), rest.trim_start()),
        None => (None, text),
    }
}

/// A side that names no severity means one that is worth a warning.
fn parse_severity(text: &str) -> Severity {
    let lower = text.to_ascii_lowercase();
    let before = &lower[..lower.find(':').unwrap_or(lower.len())];
    if before.contains("critical") {
        Severity::Critical
    } else if before.contains("minor") {
        Severity::Minor
    } else {
        Severity::Significant
    }
}

fn parse_description(text: &str) -> String {
    let after = text.split_once(" — ").map_or(text, |(_, rest)| rest);
    after.trim().to_owned()
}

/// The first `path:line` in a text, in backticks or bare.
fn find_location(text: &str) -> Option<(RepoPath, u32)> {
    let in_ticks = text.split('`').skip(1).step_by(2);
    let bare = text
        .split_whitespace()
        .map(|w| w.trim_matches(|c: char| "`()[],;*".contains(c)));
    in_ticks.chain(bare).find_map(|word| {
        let (path, line) = word.rsplit_once(':')?;
        let line = line.split(['-', '–']).next()?.parse().ok()?;
        let like_path = !path.is_empty() && !path.starts_with("http") && path.contains(['.', '/']);
        like_path.then(|| (RepoPath::from(path), line))
    })
}

/// The block quote right under an item: the text that it points to.
fn read_quote(rest: &[BodyLine]) -> Option<String> {
    let lines = rest
        .iter()
        .skip_while(|l| !is_quote(l))
        .take_while(|l| is_quote(l));
    let lines: Vec<_> = lines.map(|l| strip_quote_mark(&l.text)).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn is_quote(line: &BodyLine) -> bool {
    line.text.trim_start().starts_with('>')
}

fn strip_quote_mark(text: &str) -> &str {
    let text = text.trim_start().trim_start_matches('>');
    text.strip_prefix(' ').unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::super::transcript::DebateTranscript;
    use super::*;

    fn read(body: &str) -> SectionContent {
        let text = format!("## Response 1\n{body}\n*— Agent B, 2025-06-15T14:30:00Z*\n");
        read_content(&DebateTranscript::parse(&text).sections[0])
    }

    #[test]
    fn every_point_is_categorised() {
        let said = read(
            "- **A1** — **Agreed**: right.\n\n**Partially agreed** — yes, but no.\n\n\
             2. **Disagreed** see `src/a.rs:7`\n   > let x = 1;\n",
        );
        let stances: Vec<_> = said
            .replies
            .iter()
            .map(|r| (r.to.map(|t| t.to_string()), r.stance))
            .collect();
        assert_eq!(
            stances,
            [
                (Some("A1".into()), Stance::Agreed),
                (None, Stance::PartiallyAgreed),
                (None, Stance::Disagreed)
            ]
        );
        let evidence = said.replies[2].evidence.as_ref().unwrap();
        assert_eq!((evidence.line, evidence.quote.as_str()), (7, "let x = 1;"));
    }

    #[test]
    fn independent_findings_carry_their_tags() {
        let said = read(
            "### Independent findings\n\n- **B1** — [new finding] **critical** `src/a.rs:3` — boom\n  > x.unwrap()\n  Why: it panics\n  Fix: do not\n",
        );
        let point = &said.points[0];
        assert_eq!(point.tag, Some(Tag::New));
        assert_eq!(point.finding.severity, Severity::Critical);
        assert_eq!(point.finding.quote, "x.unwrap()");
        assert_eq!(
            (point.finding.why.as_str(), point.finding.fix.as_str()),
            ("it panics", "do not")
        );
        assert_eq!(point.finding.description, "boom");
    }

    #[test]
    fn a_loose_list_with_places_is_read_too() {
        let said = read(
            "1. The check in src/auth.py:45 is missing\n2. I like it\n* see (lib/x.c:9) for a leak\n",
        );
        let places: Vec<_> = said
            .points
            .iter()
            .map(|p| p.finding.location.line)
            .collect();
        assert_eq!(places, [45, 9]);
    }

    #[test]
    fn nothing_inside_a_fence_is_a_point() {
        assert_eq!(
            read("```\n- **critical** `a.rs:1` — fake\n**Agreed**\n```\n"),
            SectionContent::default()
        );
    }
}
