//! Reads a claimed problem: severity, place, tag, quote.

use council_protocol::answer::{NO_CAUSE, Stance, Tag};
use council_protocol::{Finding, Location, RepoPath, Severity};

use super::blocks::TextBlock;
use super::claim_place::{find_location, find_path_and_line, parse_place};
use super::claim_tag::split_tag;
use super::point_ref::{PointId, PointRefs};
use super::point_severity::{
    begins_with_severity, is_grave, leading_severity, parse_severity, read_severity,
};
use super::problem_text::{describe_problem, sets_severity_apart};
use super::transcript::{BodyLine, BodyLineKind};

/// The most lines of a code block that are taken as what a point quotes.
const MAX_QUOTE_LINES: usize = 20;

/// A claimed problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RaisedPoint {
    /// Its name, when the section gives one.
    pub id: Option<PointId>,
    /// How it relates to the other side's (later sections).
    pub tag: Option<Tag>,
    /// The stance that its words take, without a tag: on what the other side says of the same place.
    pub stance: Option<Stance>,
    /// The problem. A claim without a place has an empty path.
    pub finding: Finding,
    /// Whether it says how bad the problem is.
    pub is_weighed: bool,
    /// Its line in the file.
    pub line: u32,
}

impl RaisedPoint {
    /// Whether it says where the problem is.
    pub(crate) fn is_placed(&self) -> bool {
        has_place(&self.finding)
    }

    /// A point of which only the name and the words can be read.
    fn unread(block: &TextBlock<'_>, id: PointId, words: &str) -> Self {
        Self {
            id: Some(id),
            tag: None,
            stance: None,
            finding: Finding {
                severity: Severity::Significant,
                category: String::new(),
                rule: None,
                description: words.to_owned(),
                location: no_place(),
                quote: String::new(),
                why: NO_CAUSE.into(),
                fix: String::new(),
                suggestion: None,
                reference: None,
            },
            is_weighed: false,
            line: block.line,
        }
    }

    /// The stance that it takes on a point of the other side at the same place.
    pub(crate) fn stance_there(&self) -> Option<Stance> {
        match self.tag {
            Some(Tag::Same) => Some(Stance::Agreed),
            Some(Tag::NotReproduced) => Some(Stance::Disagreed),
            Some(Tag::New) => None,
            None => self.stance,
        }
    }
}

/// Whether a finding says where the problem is.
pub(crate) fn has_place(finding: &Finding) -> bool {
    !finding.location.path.as_bytes().is_empty()
}

pub(super) fn parse_point(
    block: &TextBlock<'_>,
    refs: &PointRefs,
    rest: &str,
) -> Option<RaisedPoint> {
    let fields = &block.fields;
    let (tag, text) = split_tag(rest);
    let tag = fields.tag.or(tag);
    let below = block.rest.iter().filter(|line| line.is_text());
    let shown = read_quote(&block.head, &block.rest).or_else(|| fields.quote.clone());
    let place = fields
        .location(shown.is_some())
        .or_else(|| find_location(&text));
    let place = place.or_else(|| below.clone().find_map(|line| find_location(&line.text)));
    let place = place.or_else(|| fields.text.iter().find_map(|line| find_location(line)));
    let is_apart = sets_severity_apart(&text);
    let spelled = || find_path_and_line(&text, false).filter(|_| is_apart);
    let place = place.or_else(spelled);
    let is_claim = place.is_some()
        || refs.ordinal.is_some()
        || tag.is_some()
        || fields.severity.is_some()
        || is_apart;
    if !is_claim || place.is_none() && is_nothing(&describe_problem(block, &text)) {
        return None;
    }
    let field = |name: &str| {
        let lines = below.clone().map(|line| line.text.trim().trim_matches('*'));
        lines
            .filter_map(|line| line.strip_prefix(name))
            .map(|value| value.trim().to_owned())
            .next()
    };
    let is_code = |code: &String| place.as_ref().is_none_or(|place| !is_path_of(code, place));
    // Code in a sentence is a name, an input or a mend: where a place is written, what stands there is meant.
    let named = || inline_code(&text).filter(|_| place.is_none());
    let quote = shown.or_else(named).filter(is_code);
    let why = fields.why.clone().or_else(|| field("Why:"));
    let fix = fields.fix.clone().or_else(|| field("Fix:"));
    let severity = fields.severity.or_else(|| read_severity(&text));
    // A mark may stand in front of the name: "🔴 **A1** …".
    let severity = severity.or_else(|| leading_severity(&block.head));
    Some(RaisedPoint {
        id: refs.ids.first().copied(),
        tag,
        stance: None,
        finding: Finding {
            severity: severity.unwrap_or_else(|| parse_severity(&text)),
            category: fields.category.clone().unwrap_or_default(),
            rule: None,
            description: describe_problem(block, &text),
            location: place.unwrap_or_else(no_place),
            quote: quote.unwrap_or_default(),
            why: why.unwrap_or_else(|| NO_CAUSE.into()),
            fix: fix.unwrap_or_default(),
            suggestion: None,
            reference: None,
        },
        is_weighed: severity.is_some(),
        line: block.line,
    })
}

/// A point in whatever form it is written under its author's own name: its place where one can be read, and its weight.
pub(super) fn parse_labelled(block: &TextBlock<'_>, id: PointId, rest: &str) -> RaisedPoint {
    let refs = PointRefs {
        ids: vec![id],
        ordinal: Some(id.number),
        ..PointRefs::default()
    };
    let words = TextBlock {
        head: rest.to_owned(),
        ..block.clone()
    }
    .words();
    let mut point =
        parse_point(block, &refs, rest).unwrap_or_else(|| RaisedPoint::unread(block, id, &words));
    if !point.is_placed() {
        let is_quoted = !point.finding.quote.is_empty();
        let place = find_path_and_line(&words, is_quoted);
        point.finding.location = place.unwrap_or_else(no_place);
    }
    if is_path_of(&point.finding.quote, &point.finding.location) {
        point.finding.quote.clear();
    }
    let said = split_tag(rest).1;
    let said = said.strip_prefix("is ").unwrap_or(&said);
    let is_said = block.fields.severity.is_some() || begins_with_severity(said);
    if !is_said && is_grave(&words) {
        (point.finding.severity, point.is_weighed) = (Severity::Critical, true);
    }
    point
}

/// Whether what was taken as a quote is the file's own name.
fn is_path_of(quote: &str, place: &Location) -> bool {
    let path = String::from_utf8_lossy(place.path.as_bytes()).into_owned();
    !quote.is_empty()
        && (path == quote || path.ends_with(&format!("/{quote}")) || quote.starts_with(&path))
}

/// Whether the words under a severity say that there is nothing of it: "**Critical:** none".
fn is_nothing(words: &str) -> bool {
    let bare = words
        .trim_matches(|c: char| !c.is_alphanumeric())
        .to_lowercase();
    const NOTHING: [&str; 8] = [
        "",
        "none",
        "nothing",
        "n/a",
        "na",
        "none found",
        "nothing found",
        "keine",
    ];
    NOTHING.contains(&bare.as_str())
}

fn no_place() -> Location {
    Location {
        path: RepoPath::from(""),
        line: 0,
        end_line: None,
    }
}

/// The block quote or the code block right under an item: the text that it points to. A suggestion or a diff is none.
/// `head` is the line above them.
pub(super) fn read_quote(head: &str, rest: &[&BodyLine]) -> Option<String> {
    let rest = &without_mends(head, rest);
    let kind = rest
        .iter()
        .map(|line| line.kind)
        .find(|kind| matches!(kind, BodyLineKind::Quoted | BodyLineKind::Fenced))?;
    let lines = rest
        .iter()
        .skip_while(|line| line.kind != kind)
        .take_while(|line| line.kind == kind);
    let lines: Vec<&str> = match kind {
        BodyLineKind::Quoted => lines.map(|line| strip_quote_mark(&line.text)).collect(),
        _ => lines
            .map(|line| line.text.trim_end())
            .filter(|line| !is_fence(line))
            .take(MAX_QUOTE_LINES)
            .collect(),
    };
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// The lines without the code blocks that tell how to mend something.
fn without_mends<'a>(head: &str, rest: &[&'a BodyLine]) -> Vec<&'a BodyLine> {
    let mut kept: Vec<&BodyLine> = Vec::new();
    let (mut is_open, mut is_mend) = (false, false);
    for line in rest {
        let is_fence = line.kind == BodyLineKind::Fenced && is_fence(&line.text);
        if is_fence && !is_open {
            let said = kept.iter().rev().find(|line| !line.text.trim().is_empty());
            let above = said.map_or(head, |line| &line.text);
            let is_below_fix = said.is_none_or(|line| line.is_text()) && ends_with_fix(above);
            is_mend = is_below_fix || names_mend(&line.text);
        }
        if !(is_mend && line.kind == BodyLineKind::Fenced) {
            kept.push(line);
        }
        is_open ^= is_fence;
    }
    kept
}

fn names_mend(fence: &str) -> bool {
    let info = fence.trim().trim_start_matches(['`', '~']).trim();
    let word = info.split(|c: char| !c.is_alphanumeric()).next();
    word.is_some_and(|word| ["suggestion", "diff", "patch"].contains(&word.to_lowercase().as_str()))
}

/// Whether a line announces how to mend something: "Suggested fix:", "Use this instead:".
fn ends_with_fix(line: &str) -> bool {
    let line = line.trim().trim_end_matches(['*', '_']);
    let Some(line) = line.strip_suffix(':') else {
        return false;
    };
    let lower = line.trim_end_matches(['*', '_']).to_lowercase();
    [
        "fix",
        "suggestion",
        "instead",
        "recommendation",
        "remedy",
        "patch",
        "use",
    ]
    .iter()
    .any(|word| lower.ends_with(word))
}

pub(super) fn is_fence(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("```") || line.starts_with("~~~")
}

pub(super) fn strip_quote_mark(text: &str) -> &str {
    let text = text.trim_start();
    let text = text.strip_prefix('>').unwrap_or(text);
    text.strip_prefix(' ').unwrap_or(text)
}

/// The longest code in a line that is no place: what a point without a quote speaks of.
fn inline_code(text: &str) -> Option<String> {
    let code = text.split('`').skip(1).step_by(2);
    let code = code.filter(|code| parse_place(code, true).is_none() && code.trim().len() >= 4);
    code.max_by_key(|code| code.len()).map(str::to_owned)
}
