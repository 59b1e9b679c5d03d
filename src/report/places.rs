//! Places and names of findings in a row, as they stand on one line.

use council_protocol::{Location, RepoPath};

use super::removed::removed_line;
use super::words;
use crate::council::outcome::JudgedFinding;

/// A place as it stands in a row of places: its line alone where the file is that of the one before.
pub(super) struct ShownPlace<'a> {
    pub(super) location: &'a Location,
    pub(super) text: String,
    /// Its line before the change, where it has none any more.
    pub(super) old_line: Option<u32>,
}

/// The same for findings.
pub(super) fn show_finding_places<'a>(
    findings: impl Iterator<Item = &'a JudgedFinding> + Clone,
    most: usize,
) -> Vec<ShownPlace<'a>> {
    let shown = show_places(findings.clone().map(|found| &found.finding.location), most);
    let placed = shown.into_iter().zip(findings);
    let placed = placed.map(|(place, found)| ShownPlace {
        old_line: removed_line(found).filter(|_| place.location.line == 0),
        ..place
    });
    placed.collect()
}

/// At most `most` places in a row.
pub(super) fn show_places<'a>(
    locations: impl Iterator<Item = &'a Location>,
    most: usize,
) -> Vec<ShownPlace<'a>> {
    let mut last: Option<&RepoPath> = None;
    let show = |location: &'a Location| {
        let is_same_file = last.replace(&location.path) == Some(&location.path);
        let text = match is_same_file && location.line > 0 {
            true => location.line.to_string(),
            false => words::location_text(location),
        };
        ShownPlace {
            location,
            text,
            old_line: None,
        }
    };
    locations.take(most).map(show).collect()
}

/// Places in a row, lines of one file together: `a.rs:1, 5, b.rs:2`; at most `most`.
pub(super) fn join_places<'a>(
    locations: impl Iterator<Item = &'a Location> + Clone,
    most: usize,
) -> String {
    let left = locations.clone().count().saturating_sub(most);
    let shown = show_places(locations, most);
    let shown: Vec<&str> = shown.iter().map(|place| &*place.text).collect();
    format!("{}{}", shown.join(", "), and_more(left))
}

/// ` and 2 more`, or nothing.
pub(super) fn and_more(left: usize) -> String {
    match left {
        0 => String::new(),
        left => format!(" and {left} more"),
    }
}

/// The names of findings as `dismiss` takes them, those in a row together: `F1-F4`, `F7`.
pub(crate) fn join_ids<'a>(ids: impl Iterator<Item = &'a str>) -> Vec<String> {
    let number = |id: &str| id.strip_prefix('F').and_then(|digits| digits.parse().ok());
    let mut rows: Vec<(&str, &str, Option<u32>)> = Vec::new();
    for id in ids {
        let own = Some(id)
            .filter(|id| words::is_plain_id(id))
            .and_then(number);
        match rows.last_mut() {
            Some((_, last, Some(before))) if own == Some(*before + 1) => {
                (*last, *before) = (id, *before + 1);
            }
            _ => rows.push((id, id, own)),
        }
    }
    let row = |(first, last, _): (&str, &str, Option<u32>)| match first == last {
        true => first.to_owned(),
        false => format!("{first}-{last}"),
    };
    rows.into_iter().map(row).collect()
}
