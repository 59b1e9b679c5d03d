//! Reads a claimed problem: severity, place, tag, quote.

use council_protocol::answer::{NO_CAUSE, Stance, Tag};
use council_protocol::{Finding, Location, RepoPath, Severity};

use super::blocks::TextBlock;
use super::point_ref::{PointId, PointRefs};
use super::point_severity::{begins_with_severity, is_grave, parse_severity, read_severity};
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

/// The three tags of independent findings.
pub(crate) const TAGS: [(&str, Tag); 3] = [
    ("same as other agent", Tag::Same),
    ("new finding", Tag::New),
    ("not reproduced / disagreed", Tag::NotReproduced),
];

/// Other spellings of the tags, in lower case.
const TAG_SPELLINGS: [(&str, Tag); 5] = [
    ("same as other agent", Tag::Same),
    ("not reproduced / disagreed", Tag::NotReproduced),
    ("not reproduced/disagreed", Tag::NotReproduced),
    ("not reproduced", Tag::NotReproduced),
    ("new finding", Tag::New),
];

/// What may stand around a tag.
const AROUND_TAG: [char; 13] = [
    ' ', '*', '_', '`', '[', ']', '(', ')', ':', ';', '—', '–', ',',
];

pub(super) fn parse_point(
    block: &TextBlock<'_>,
    refs: &PointRefs,
    rest: &str,
) -> Option<RaisedPoint> {
    let fields = &block.fields;
    let (tag, text) = split_tag(rest);
    let tag = fields.tag.or(tag);
    let below = block.rest.iter().filter(|line| line.is_text());
    let shown = read_quote(&block.rest).or_else(|| fields.quote.clone());
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
    if !is_claim {
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
    let quote = shown.or_else(|| inline_code(&text)).filter(is_code);
    let why = fields.why.clone().or_else(|| field("Why:"));
    let fix = fields.fix.clone().or_else(|| field("Fix:"));
    let severity = fields.severity.or_else(|| read_severity(&text));
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

/// A path and the number of a line, however far they stand apart: "line 5 of a.py", "`a.py@5`". Where the code itself is
/// quoted, the path is enough: it is searched in the file.
pub(super) fn find_path_and_line(text: &str, is_quoted: bool) -> Option<Location> {
    let tokens = || {
        let around = |c: char| c.is_whitespace() || "`()[]{}<>|,;*\"'—–".contains(c);
        text.split(around).filter(|token| !token.is_empty())
    };
    let path = |token: &str| {
        let path = token
            .split(['@', ':', '#'])
            .next()
            .unwrap_or(token)
            .trim_end_matches('.');
        let (name, ending) = path.rsplit('/').next()?.rsplit_once('.')?;
        let is_ending = !ending.is_empty()
            && ending.len() <= 8
            && ending.bytes().all(|b| b.is_ascii_alphanumeric());
        let is_file = is_ending && !name.is_empty() && !ending.bytes().all(|b| b.is_ascii_digit());
        is_file.then(|| path.to_owned())
    };
    let path = tokens().find_map(path)?;
    let number = |token: &str| {
        let digits = token.trim_start_matches(|c: char| !c.is_ascii_digit());
        let end = digits
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(digits.len());
        digits[..end].parse::<u32>().ok().filter(|line| *line > 0)
    };
    let beside = tokens()
        .find(|token| token.starts_with(&path))
        .and_then(|token| number(&token[path.len()..]));
    let words: Vec<&str> = tokens().collect();
    let is_line = |word: &str| {
        matches!(
            word.trim_end_matches(['.', ':']).to_lowercase().as_str(),
            "line" | "lines" | "l"
        )
    };
    let named = words
        .windows(2)
        .filter(|pair| is_line(pair[0]))
        .find_map(|pair| number(pair[1]));
    let behind = words
        .windows(2)
        .filter(|pair| pair[0].starts_with(&path) && pair[0].ends_with([':', '@', '#']));
    let behind = behind.into_iter().find_map(|pair| number(pair[1]));
    let line = beside.or(behind).or(named).or(is_quoted.then_some(1))?;
    Some(Location {
        path: RepoPath::from(path.as_str()),
        line,
        end_line: None,
    })
}

/// Whether what was taken as a quote is the file's own name.
fn is_path_of(quote: &str, place: &Location) -> bool {
    let path = String::from_utf8_lossy(place.path.as_bytes()).into_owned();
    !quote.is_empty()
        && (path == quote || path.ends_with(&format!("/{quote}")) || quote.starts_with(&path))
}

fn no_place() -> Location {
    Location {
        path: RepoPath::from(""),
        line: 0,
        end_line: None,
    }
}

/// The tag in a text, wherever it stands, and the text without it.
pub(super) fn split_tag(text: &str) -> (Option<Tag>, String) {
    let lower = text.to_ascii_lowercase();
    let found = TAG_SPELLINGS.iter().find_map(|(word, tag)| {
        let at = lower.find(word)?;
        Some((at, at + word.len(), *tag))
    });
    let Some((from, to, tag)) = found else {
        return (None, text.to_owned());
    };
    let before = text[..from].trim_end_matches(AROUND_TAG);
    let after = text[to..].trim_start_matches(['*', '_', '`', ']', ')', ':', ';', ' ']);
    let joined = match (before.is_empty(), after.is_empty()) {
        (true, _) => after.to_owned(),
        (false, true) => before.to_owned(),
        (false, false) => format!("{before} {after}"),
    };
    (Some(tag), joined)
}

/// The first place in a text: `path:3`, `path:3-5`, `path:3:9`, `path:L3`, `path#L3`, `path(3)`, `path line 3`; in
/// backticks, as a link, or bare.
pub(super) fn find_location(text: &str) -> Option<Location> {
    if let Some(label) = link_label(text)
        && let Some(place) = find_location(label)
    {
        return Some(place);
    }
    let in_ticks = text
        .split('`')
        .skip(1)
        .step_by(2)
        .find_map(|word| parse_place(word, true));
    let bare = || {
        let words = text.split_whitespace();
        let words = words.map(|word| {
            let bare = word.trim_matches(|c: char| "`[]{},;*_\"'".contains(c));
            // `path(3)` ends with a bracket of its own.
            let is_counted = parse_place(bare, false).is_some();
            if is_counted {
                bare
            } else {
                bare.trim_matches(|c: char| "`()[]{},;*_\"'".contains(c))
            }
        });
        words
            .map(|word| word.trim_end_matches([':', '.']))
            .find_map(|word| parse_place(word, false))
    };
    in_ticks.or_else(bare).or_else(|| find_spelled_line(text))
}

/// The label of a link, where a text begins with one: `[a.py:5](a.py#L5)`.
fn link_label(text: &str) -> Option<&str> {
    let at = text.find("](")?;
    let open = text[..at].rfind('[')?;
    Some(&text[open + 1..at])
}

/// `path` and the text of its lines, in the spellings of editors, compilers and forges.
fn split_lines(word: &str) -> Option<(&str, &str)> {
    if let Some(named) = word.rsplit_once("#L") {
        return Some(named);
    }
    if let Some(inner) = word.strip_suffix(')') {
        return inner.rsplit_once('(');
    }
    let (path, last) = word.rsplit_once(':')?;
    // `path:3:9` is line 3, column 9.
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    match path.rsplit_once(':') {
        Some((path, line)) if is_number(line) && is_number(last) => Some((path, line)),
        _ => Some((path, last)),
    }
}

fn parse_place(word: &str, in_ticks: bool) -> Option<Location> {
    let (path, lines) = split_lines(word)?;
    let mut numbers = lines
        .split(['-', '–'])
        .map(|n| n.trim_start_matches('L').parse::<u32>());
    let line = numbers.next()?.ok()?;
    let end_line = numbers
        .next()
        .and_then(Result::ok)
        .filter(|end| *end > line);
    let is_plain = path.starts_with(|c: char| c.is_alphanumeric() || "./_".contains(c))
        && !path.contains(char::is_whitespace);
    let is_named = path.contains(['.', '/']) && !path.ends_with(['.', '/']);
    let is_word = in_ticks
        && path.len() > 1
        && path
            .chars()
            .all(|c| c.is_alphanumeric() || c == '_' || c == '-');
    let like_path = !path.contains("://") && (in_ticks || is_plain);
    let is_file = is_named || is_word;
    (like_path && is_file && line > 0).then(|| Location {
        path: RepoPath::from(path),
        line,
        end_line,
    })
}

/// `` `src/a.rs` line 3 `` or `` `src/a.rs`, lines 3-5 ``.
fn find_spelled_line(text: &str) -> Option<Location> {
    let words: Vec<&str> = text
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| "`()[],;:*_.".contains(c)))
        .collect();
    let at = words
        .iter()
        .position(|word| matches!(word.to_ascii_lowercase().as_str(), "line" | "lines"))?;
    let numbers = words.get(at + 1)?;
    let path = words[..at]
        .last()
        .filter(|word| word.contains(['.', '/']))?;
    parse_place(&format!("{path}:{numbers}"), true)
}

/// The block quote or the code block right under an item: the text that it points to.
pub(super) fn read_quote(rest: &[&BodyLine]) -> Option<String> {
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
