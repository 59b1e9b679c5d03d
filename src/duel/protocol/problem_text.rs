//! What is wrong, in a point's own words: everything that it says beside its severity, its place and its quote.

use council_protocol::Severity;

use super::blocks::{BlockShape, TextBlock};
use super::claim_place::find_location;
use super::leading_refs::skip_place;
use super::point_severity::{is_severity_alone, leading_mark, stated_severity, weight_said_in};

/// The words of a point whose first line, without its names and its tag, is `text`.
pub(super) fn describe_problem(block: &TextBlock<'_>, text: &str) -> String {
    let title = match block.shape {
        BlockShape::Row => join_cells(text),
        _ => without_lead(text),
    };
    let below = block.rest.iter().filter(|line| line.is_text());
    let below = below
        .map(|line| line.text.trim())
        .filter(|line| !is_cause(line) && !line.is_empty());
    let wrapped = std::iter::once(title.as_str()).chain(below);
    let wrapped: Vec<&str> = wrapped.filter(|part| !part.is_empty()).collect();
    let (title, body) = (wrapped.join(" "), block.fields.text.join(" "));
    match (title.is_empty(), body.is_empty()) {
        (true, true) => text.trim().to_owned(),
        (true, false) => body,
        (false, true) => title,
        (false, false) if title.ends_with(['.', '!', '?', ':', ';', ',']) => {
            format!("{title} {body}")
        }
        (false, false) => format!("{title}. {body}"),
    }
}

/// Why it matters, and what mends it: fields of their own.
fn is_cause(line: &str) -> bool {
    let line = line.trim_matches('*');
    line.starts_with("Why:") || line.starts_with("Fix:")
}

/// The cells of a row that are neither its severity nor its place.
fn join_cells(row: &str) -> String {
    let cells = row.split('|').map(str::trim);
    let is_place = |cell: &str| find_location(cell).is_some() && cell.split(' ').count() <= 3;
    let told = cells.filter(|cell| !cell.is_empty() && !is_severity_alone(cell) && !is_place(cell));
    told.collect::<Vec<_>>().join(" — ")
}

/// A text without the severity and the place that it begins with, each once.
fn without_lead(text: &str) -> String {
    let (mut rest, mut severity, mut place) = (trim_marks(text), false, false);
    loop {
        let bare = ["is ", "at ", "in "]
            .iter()
            .find_map(|link| rest.strip_prefix(link))
            .unwrap_or(rest);
        let next = match (behind_severity(bare), behind_place(bare)) {
            (Some(next), _) if !severity => {
                severity = true;
                next
            }
            (_, Some(next)) if !place => {
                place = true;
                next
            }
            _ => break,
        };
        rest = trim_marks(next);
    }
    // The other half of an emphasis went with what stood in front.
    let is_half = rest.matches("**").count() == 1
        && (text.trim().starts_with("**") || rest.trim_end().ends_with("**"));
    let rest = if is_half {
        rest.replacen("**", "", 1)
    } else {
        rest.to_owned()
    };
    rest.trim().to_owned()
}

fn trim_marks(text: &str) -> &str {
    text.trim_start_matches([
        ' ', '*', '_', ':', ';', ',', '.', '—', '–', '-', ')', ']', '|',
    ])
}

/// What follows a severity that is set apart from the words behind it: "critical path" is none.
fn behind_severity(text: &str) -> Option<&str> {
    let (_, is_marked, rest) = leading_mark(text)?;
    let behind = rest.trim_start();
    let is_compound = rest
        .strip_prefix('-')
        .is_some_and(|next| next.starts_with(char::is_alphanumeric));
    let is_apart =
        is_marked || !behind.starts_with(char::is_alphanumeric) || behind_place(behind).is_some();
    (is_apart && !is_compound).then_some(rest)
}

/// Whether a text states its severity apart from its other words: "**Critical**: …", "SQL injection (critical)".
pub(super) fn sets_severity_apart(text: &str) -> bool {
    let brackets = text.split(['(', '[']).skip(1);
    let mut inner = brackets.filter_map(|part| part.split([')', ']']).next());
    behind_severity(trim_marks(text)).is_some() || inner.any(is_severity_alone)
}

/// The worst severity that a reason gives the problem of a place that it does not name, and its words for it.
pub(super) fn weight_given(reason: &str) -> Option<(&str, Severity)> {
    let sentences = reason
        .split(['\n', ';', '!'])
        .flat_map(|part| part.split(". "));
    let own = sentences.filter(|said| find_location(said).is_none());
    let given = own.filter_map(|said| {
        let stated = stated_severity(said).filter(|_| sets_severity_apart(said));
        let severity = stated.or_else(|| weight_said_in(said))?;
        Some((said.trim(), severity))
    });
    given.max_by_key(|(_, severity)| *severity)
}

/// What follows a place.
fn behind_place(text: &str) -> Option<&str> {
    let rest = skip_place(text);
    if rest.len() < text.len() && find_location(&text[..text.len() - rest.len()]).is_some() {
        return Some(rest);
    }
    // "`a.py`, line 5 — …"
    let clause = text.split(" — ").next().filter(|_| text.starts_with('`'))?;
    let is_spelled = clause.split_whitespace().count() <= 3 && find_location(clause).is_some();
    is_spelled.then(|| &text[clause.len()..])
}
