//! What stands in a labelled line of its own: `**Severity:** critical`, `- Location: a.py:8`, `| File | a.py |`.

use council_protocol::answer::Tag;
use council_protocol::{Location, RepoPath, Severity};

use super::claim_place::{find_location, find_path_and_line};
use super::claim_tag::split_tag;
use super::point_ref::PointId;
use super::point_severity::severity_in_words;

/// What a label says that its line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FieldName {
    Id,
    Severity,
    Place,
    File,
    Line,
    Tag,
    Category,
    Text,
    Why,
    Fix,
    Quote,
}

impl FieldName {
    /// Whether a point begins to be one with such a line.
    fn is_leading(self) -> bool {
        matches!(self, Self::Severity | Self::Place | Self::File)
    }
}

/// The labels that agents and people write, in small letters.
const LABELS: [(&str, FieldName); 53] = [
    ("id", FieldName::Id),
    ("point", FieldName::Id),
    ("no", FieldName::Id),
    ("#", FieldName::Id),
    ("severity", FieldName::Severity),
    ("severity level", FieldName::Severity),
    ("sev", FieldName::Severity),
    ("priority", FieldName::Severity),
    ("level", FieldName::Severity),
    ("weight", FieldName::Severity),
    ("location", FieldName::Place),
    ("place", FieldName::Place),
    ("where", FieldName::Place),
    ("position", FieldName::Place),
    ("file and line", FieldName::Place),
    ("file/line", FieldName::Place),
    ("file:line", FieldName::Place),
    ("file", FieldName::File),
    ("files", FieldName::File),
    ("filename", FieldName::File),
    ("path", FieldName::File),
    ("line", FieldName::Line),
    ("lines", FieldName::Line),
    ("line number", FieldName::Line),
    ("tag", FieldName::Tag),
    ("category", FieldName::Category),
    ("type", FieldName::Category),
    ("kind", FieldName::Category),
    ("description", FieldName::Text),
    ("problem", FieldName::Text),
    ("issue", FieldName::Text),
    ("finding", FieldName::Text),
    ("details", FieldName::Text),
    ("detail", FieldName::Text),
    ("explanation", FieldName::Text),
    ("summary", FieldName::Text),
    ("title", FieldName::Text),
    ("what", FieldName::Text),
    ("claim", FieldName::Text),
    ("why", FieldName::Why),
    ("impact", FieldName::Why),
    ("consequence", FieldName::Why),
    ("rationale", FieldName::Why),
    ("fix", FieldName::Fix),
    ("suggested fix", FieldName::Fix),
    ("proposed fix", FieldName::Fix),
    ("suggestion", FieldName::Fix),
    ("recommendation", FieldName::Fix),
    ("remedy", FieldName::Fix),
    ("quote", FieldName::Quote),
    ("code", FieldName::Quote),
    ("snippet", FieldName::Quote),
    ("evidence", FieldName::Quote),
];

/// What the labelled lines of a point say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct PointFields {
    pub(super) id: Option<PointId>,
    pub(super) severity: Option<Severity>,
    pub(super) place: Option<Location>,
    pub(super) file: Option<String>,
    pub(super) line: Option<String>,
    pub(super) tag: Option<Tag>,
    pub(super) category: Option<String>,
    pub(super) why: Option<String>,
    pub(super) fix: Option<String>,
    pub(super) quote: Option<String>,
    /// What it says in its own lines and paragraphs, in order.
    pub(super) text: Vec<String>,
    /// Every line that was taken in, as it stands: whoever looks for words finds all of them.
    pub(super) lines: Vec<String>,
    /// Whether it has labelled lines of its own, and not only a heading's severity.
    pub(super) is_layout: bool,
}

impl PointFields {
    /// Takes a labelled line in; false: it says again what was said, so it belongs to the next point.
    pub(super) fn take(&mut self, name: FieldName, value: &str) -> bool {
        let bare = value.trim_matches(|c: char| c.is_whitespace() || "*_`".contains(c));
        let value = value.trim_matches(|c: char| c.is_whitespace() || "*_".contains(c));
        match name {
            FieldName::Id => set(&mut self.id, PointId::parse(bare)),
            FieldName::Severity => set(&mut self.severity, severity_in_words(value)),
            FieldName::Place => set(&mut self.place, place_in(value)),
            FieldName::File => set(&mut self.file, Some(value.to_owned())),
            FieldName::Line => set(&mut self.line, Some(bare.to_owned())),
            FieldName::Tag => set(&mut self.tag, split_tag(value).0),
            FieldName::Category => set(&mut self.category, Some(bare.to_owned())),
            FieldName::Why => set(&mut self.why, Some(value.to_owned())),
            FieldName::Fix => set(&mut self.fix, Some(value.to_owned())),
            FieldName::Quote => set(&mut self.quote, Some(bare.to_owned())),
            FieldName::Text => {
                self.text.push(value.to_owned());
                true
            }
        }
    }

    /// Whether one of these fields is known already.
    pub(super) fn repeats(&self, fields: &[(FieldName, String)]) -> bool {
        let is_known = |name: &FieldName| match name {
            FieldName::Id => self.id.is_some(),
            FieldName::Severity => self.severity.is_some(),
            FieldName::Place | FieldName::File => self.place.is_some() || self.file.is_some(),
            _ => false,
        };
        fields.iter().any(|(name, _)| is_known(name))
    }

    /// Where the problem is; a file without a line is enough where the code itself is quoted.
    pub(super) fn location(&self, is_quoted: bool) -> Option<Location> {
        if self.place.is_some() {
            return self.place.clone();
        }
        let file = self.file.as_deref()?;
        let beside = self
            .line
            .as_deref()
            .map(|line| format!("{file} line {line}"));
        let numbered = beside.and_then(|text| place_in(&text));
        let alone = || place_in(file).or_else(|| find_path_and_line(file, is_quoted));
        numbered.or_else(alone)
    }
}

fn set<T>(field: &mut Option<T>, value: Option<T>) -> bool {
    let is_new = field.is_none() || value.is_none();
    if field.is_none() {
        *field = value;
    }
    is_new
}

fn place_in(text: &str) -> Option<Location> {
    let place = find_location(text).or_else(|| find_path_and_line(text, false));
    place.filter(|place| place.path != RepoPath::from(""))
}

/// What a label names.
pub(super) fn field_name(label: &str) -> Option<FieldName> {
    let around = |c: char| c.is_whitespace() || "*_`:[]".contains(c);
    let label = label.trim_matches(around).to_lowercase();
    let known = LABELS.iter().find(|(name, _)| *name == label);
    known.map(|(_, name)| *name)
}

/// The labelled values of a line, `Severity: critical · File: a.py`; none: it is no such line.
pub(super) fn split_fields(line: &str) -> Vec<(FieldName, String)> {
    let mut fields: Vec<(FieldName, String)> = Vec::new();
    let text = line.trim().trim_end_matches('|');
    for part in text.split_inclusive(['|', '·', '•', ';']) {
        let labelled = split_label(part.trim_start_matches(['|', '·', '•', ';', ' ']));
        match (labelled, fields.last_mut()) {
            (Some((name, value)), _) => fields.push((name, value.to_owned())),
            (None, Some((_, value))) => value.push_str(part),
            (None, None) => return Vec::new(),
        }
    }
    for (_, value) in &mut fields {
        let end = value.trim_end_matches(['|', '·', '•', ';', ' ']).len();
        value.truncate(end);
    }
    fields
}

fn split_label(part: &str) -> Option<(FieldName, &str)> {
    let bare = part.trim_start_matches(['*', '_', '-', ' ']);
    let at = bare.find([':', '|', '=', '—', '–'])?;
    let name = field_name(&bare[..at])?;
    let value = bare[at..].trim_start_matches([':', '|', '=', '—', '–', '*', '_', ' ']);
    (!value.is_empty()).then_some((name, value))
}

/// Whether these fields make a point by themselves: its severity or its place can be read.
pub(super) fn makes_point(fields: &[(FieldName, String)]) -> bool {
    let is_read = |(name, value): &(FieldName, String)| match name {
        FieldName::Severity => severity_in_words(value).is_some(),
        FieldName::Place => place_in(value).is_some(),
        FieldName::File => value.contains(['.', '/']),
        _ => false,
    };
    fields
        .iter()
        .any(|field| field.0.is_leading() && is_read(field))
}
