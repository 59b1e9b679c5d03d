//! Where a finding is, in other forms than the one that is asked for: `"location": "a.py:5"`, `"file": "a.py", "line": 5`.

use serde_json::{Map, Value};

/// Names of the field that says the file, and of the one that says the lines.
const FILES: [&str; 2] = ["path", "file"];
const LINES: [&str; 2] = ["line", "lines"];

/// What may stand between a path and its lines.
const LINKS: [&str; 7] = [
    "#L", ", lines ", ", line ", " (line ", " lines ", " line ", ":",
];

/// Lines of a file; the last one, where several are named.
type LineRange = (u32, Option<u32>);

/// Puts the place of a finding into its `location`, if that lacks a part which stands elsewhere or in one text.
pub(super) fn straighten_place(finding: &mut Map<String, Value>) {
    let given = match finding.get("location") {
        Some(Value::Object(place)) if is_whole(place) => return,
        Some(Value::Object(place)) => place.clone(),
        Some(Value::String(text)) => place_of_text(text),
        Some(_) => return,
        None => Map::new(),
    };
    let field = |names: &[&str]| {
        let fields =
            [&given, &*finding].map(|fields| names.iter().find_map(|name| fields.get(*name)));
        fields.into_iter().flatten().next().cloned()
    };
    let written = field(&FILES).map(|path| place_of_text(path.as_str().unwrap_or_default()));
    let written = written.unwrap_or_default();
    let lines = field(&LINES).and_then(|lines| range_of(&lines));
    let mut place = given.clone();
    place.extend(written);
    if let Some((first, last)) = lines {
        place.insert("line".to_owned(), first.into());
        place.extend(last.map(|last| ("end_line".to_owned(), last.into())));
    }
    if !place.contains_key("end_line")
        && let Some(end) = finding.get("end_line")
    {
        place.insert("end_line".to_owned(), end.clone());
    }
    if is_whole(&place) {
        finding.insert("location".to_owned(), Value::Object(place));
    }
}

fn is_whole(place: &Map<String, Value>) -> bool {
    let has_path = place.get("path").is_some_and(Value::is_string);
    has_path && place.get("line").is_some_and(Value::is_u64)
}

/// The path that a text is, and its lines if it names them.
fn place_of_text(text: &str) -> Map<String, Value> {
    let text = text.trim().trim_matches('`');
    let named = LINKS.iter().find_map(|link| split_lines(text, link));
    let (path, range) = match named {
        Some((path, range)) => (path, Some(range)),
        None => (text, None),
    };
    let mut place = Map::new();
    if !path.is_empty() {
        place.insert("path".to_owned(), path.trim_matches('`').into());
    }
    if let Some((first, last)) = range {
        place.insert("line".to_owned(), first.into());
        place.extend(last.map(|last| ("end_line".to_owned(), last.into())));
    }
    place
}

fn split_lines<'t>(text: &'t str, link: &str) -> Option<(&'t str, LineRange)> {
    let (path, lines) = text.rsplit_once(link)?;
    let range = parse_range(lines)?;
    // `a.py:5:9` is line 5, column 9.
    let inner = path.rsplit_once(':').filter(|_| link == ":");
    let inner = inner.and_then(|(path, line)| Some((path, parse_range(line)?)));
    Some(inner.unwrap_or((path, range))).filter(|(path, _)| !path.is_empty())
}

/// `5`, `5-7`, `L5–L7`.
fn parse_range(text: &str) -> Option<LineRange> {
    let text = text.trim().trim_end_matches([')', '.', '`']);
    let number = |text: &str| {
        let digits = text.trim().trim_start_matches(['L', 'l']);
        digits.parse::<u32>().ok()
    };
    match text.split_once(['-', '–']) {
        Some((first, last)) => Some((number(first)?, Some(number(last)?))),
        None => Some((number(text)?, None)),
    }
}

/// The lines that a value says: a number, a text, or a list with the first and the last.
fn range_of(value: &Value) -> Option<LineRange> {
    let number = |value: &Value| u32::try_from(value.as_u64()?).ok();
    match value {
        Value::String(text) => parse_range(text),
        Value::Array(lines) => Some((number(lines.first()?)?, lines.get(1).and_then(number))),
        value => Some((number(value)?, None)),
    }
}
