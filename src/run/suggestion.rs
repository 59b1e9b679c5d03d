//! A judge's suggestion in the place of the lines that it is about.

use std::collections::BTreeMap;

use council_protocol::Location;

use crate::git;
use crate::text::unfit_text;

/// The lines that a finding speaks of, from 0.
pub(crate) fn line_range(at: &Location) -> std::ops::Range<usize> {
    let first = (at.line as usize).saturating_sub(1);
    first..at.end_line.unwrap_or(at.line).max(at.line) as usize
}

/// The mark that begins some files of UTF-8; no judge is shown it.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// Whether lines begin with those of a suggestion, however they end. One that takes lines away leaves nothing to see.
fn is_applied(lines: &[&[u8]], suggestion: &str) -> bool {
    let wanted: Vec<&str> = suggestion.lines().collect();
    let is_it =
        |(line, wanted): (&&[u8], &&str)| line.trim_ascii_end() == wanted.trim_end().as_bytes();
    !wanted.is_empty() && lines.len() >= wanted.len() && lines.iter().zip(&wanted).all(is_it)
}

/// Where the lines of a file that was reviewed stand in the file as it is now: a text may stand in it more than once, so that
/// neither a number nor a quote says it.
pub(crate) fn place_now(
    then: &[u8],
    now: &[u8],
    at: &Location,
    suggestion: &str,
) -> Result<Location, &'static str> {
    let last = at.end_line.unwrap_or(at.line).max(at.line);
    let lines = (at.line > 0 && (last as usize) <= lines_of(then).len())
        .then(|| git::follow_lines(then, now, at.line, last));
    let Some(line) = lines.and_then(Result::ok).flatten() else {
        let first = (at.line as usize).saturating_sub(1);
        let there = lines_of(now);
        return Err(why_changed(
            there.get(first..).unwrap_or_default(),
            suggestion,
        ));
    };
    // The reviewed lines may be gone, and the same ones stand in another function that nobody reviewed.
    if headings_above(then, at.line) != headings_above(now, line) {
        return Err(CHANGED);
    }
    Ok(Location {
        path: at.path.clone(),
        line,
        end_line: at.end_line.map(|_| line + (last - at.line)),
    })
}

/// The lines of a file that judges were shown, by their numbers, where nothing has the file as it was then.
#[derive(Debug, Default)]
pub(crate) struct ShownLines(pub(crate) BTreeMap<u32, String>);

impl ShownLines {
    /// The lines of a finding; none: not all of them were shown as they are.
    pub(crate) fn judged(&self, at: &Location) -> Option<Vec<String>> {
        let last = at.end_line.unwrap_or(at.line);
        let lines = (at.line..=last).map(|line| self.0.get(&line).cloned());
        let lines: Vec<String> = lines.collect::<Option<_>>()?;
        let is_whole = |line: &String| unfit_text(line).is_none();
        lines.iter().all(is_whole).then_some(lines)
    }

    /// Where the lines of a finding stand in the file as it is now; none: where they stood, or nobody can tell. A suggestion
    /// that was applied above them moves them, and changes none of them.
    pub(crate) fn place_now(&self, now: &[u8], at: &Location) -> Option<Location> {
        let shown = self.0.last_key_value().map_or(0, |(line, _)| *line);
        // What was not shown is blank, and lines are compared without the blanks at their ends.
        let then = (1..=shown).map(|line| self.0.get(&line).map_or("", String::as_str));
        let then = trimmed_lines(then.map(str::as_bytes));
        let now = lines_of(now.strip_prefix(MARK).unwrap_or(now));
        let now = trimmed_lines(now.into_iter());
        let last = at.end_line.unwrap_or(at.line).max(at.line);
        let line = git::follow_lines(&then, &now, at.line, last).ok()??;
        let (above, above_now) = (headings_above(&then, at.line), headings_above(&now, line));
        let mut rest = above_now.iter();
        let is_within = above.iter().all(|one| rest.any(|now| now == one));
        let end = line + (last - at.line);
        let is_beside = has_same_neighbour((&then, at.line, last), (&now, line, end));
        (is_within && is_beside).then(|| Location {
            path: at.path.clone(),
            line,
            end_line: at.end_line.map(|_| end),
        })
    }
}

fn trimmed_lines<'t>(lines: impl Iterator<Item = &'t [u8]>) -> Vec<u8> {
    lines
        .flat_map(|line| [line.trim_ascii_end(), b"\n"].concat())
        .collect()
}

/// Whether the line above some lines, or the one below them, is the same in two texts.
fn has_same_neighbour(then: (&[u8], u32, u32), now: (&[u8], u32, u32)) -> bool {
    fn line(text: &[u8], number: Option<u32>) -> Option<&[u8]> {
        let lines = lines_of(text);
        let line = lines.get((number? as usize).checked_sub(1)?).copied()?;
        Some(line.trim_ascii()).filter(|line| !line.is_empty())
    }
    let is_same = |then: Option<&[u8]>, now: Option<&[u8]>| then.is_some() && then == now;
    is_same(
        line(then.0, then.1.checked_sub(1)),
        line(now.0, now.1.checked_sub(1)),
    ) || is_same(line(then.0, Some(then.2 + 1)), line(now.0, Some(now.2 + 1)))
}

/// What a line stands in: the lines above it that are indented less and less, without their blanks.
fn headings_above(text: &[u8], line: u32) -> Vec<Vec<u8>> {
    let lines = lines_of(text);
    let indent = |line: &[u8]| {
        line.iter()
            .take_while(|b| matches!(b, b' ' | b'\t'))
            .count()
    };
    let at = (line as usize).saturating_sub(1).min(lines.len());
    let mut depth = lines.get(at).map_or(0, |line| indent(line));
    let mut found = Vec::new();
    for above in lines[..at].iter().rev() {
        let is_blank = above.trim_ascii().is_empty();
        if !is_blank && indent(above) < depth {
            depth = indent(above);
            found.push(
                above
                    .iter()
                    .copied()
                    .filter(|b| !b.is_ascii_whitespace())
                    .collect(),
            );
        }
    }
    found
}

const CHANGED: &str = "the lines have changed since they were reviewed";

fn why_changed(lines: &[&[u8]], suggestion: &str) -> &'static str {
    match is_applied(lines, suggestion) {
        true => "it stands there already",
        false => CHANGED,
    }
}

/// Refuses lines that somebody has edited since judges were shown them, blanks at their ends aside.
pub(crate) fn refuse_edited(
    text: &[u8],
    at: &Location,
    shown: &[String],
    suggestion: &str,
) -> Result<(), &'static str> {
    let lines = lines_of(text);
    let there = lines.get(line_range(at)).unwrap_or_default();
    let is_same = |(line, shown): (&&[u8], &String)| {
        let line = line.strip_prefix(MARK).unwrap_or(line);
        line.trim_ascii_end() == shown.trim_end().as_bytes()
    };
    match there.len() == shown.len() && there.iter().zip(shown).all(is_same) {
        true => Ok(()),
        false => {
            let first = line_range(at).start;
            Err(why_changed(
                lines.get(first..).unwrap_or_default(),
                suggestion,
            ))
        }
    }
}

/// The text with the lines replaced, or why not.
pub(crate) fn replace_lines(
    text: &[u8],
    at: &Location,
    suggestion: &str,
    quote: &str,
    reviewed: Option<&[u8]>,
) -> Result<Vec<u8>, &'static str> {
    let is_utf16 = text.starts_with(b"\xff\xfe") || text.starts_with(b"\xfe\xff");
    if is_utf16 || text.contains(&0) || !suggestion.is_ascii() && std::str::from_utf8(text).is_err()
    {
        return Err("the file has another encoding than the suggestion: mend it by hand");
    }
    let lines = lines_of(text);
    let first = (at.line as usize)
        .checked_sub(1)
        .ok_or("it speaks of the file as a whole")?;
    let last = at.end_line.unwrap_or(at.line).max(at.line) as usize;
    let old = lines
        .get(first..last)
        .ok_or("the lines are not there any more")?;
    let moved = why_changed(&lines[first..], suggestion);
    match reviewed.map(lines_of) {
        Some(then) if then.get(first..last) != Some(old) => return Err(moved),
        None if !contains_quote(&old.concat(), quote) => return Err(moved),
        None if times_quoted(text, quote) > 1 => {
            return Err(
                "the file that was reviewed is not there to compare with, and the quoted code stands in it more than \
                        once: mend it by hand",
            );
        }
        _ => {}
    }
    let crlf = old.first().is_some_and(|line| line.ends_with(b"\r\n"));
    let mut new: Vec<u8> = lines[..first].concat();
    if first == 0 && text.starts_with(MARK) && !suggestion.as_bytes().starts_with(MARK) {
        new.extend_from_slice(MARK);
    }
    let ended = old.last().is_none_or(|line| line.ends_with(b"\n"));
    let mut parts = suggestion
        .strip_suffix('\n')
        .unwrap_or(suggestion)
        .split('\n')
        .peekable();
    while let Some(line) = parts.next() {
        // An empty suggestion takes the lines away.
        if suggestion.is_empty() {
            break;
        }
        new.extend_from_slice(line.trim_end_matches('\r').as_bytes());
        if parts.peek().is_some() || ended {
            new.extend_from_slice(if crlf { b"\r\n" } else { b"\n" });
        }
    }
    new.extend(lines[last..].concat());
    Ok(new)
}

/// Lines with their ends.
pub(crate) fn lines_of(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|&b| b == b'\n').collect()
}

/// Whether a quote stands in a text, blanks aside.
fn contains_quote(text: &[u8], quote: &str) -> bool {
    times_quoted(text, quote) > 0
}

/// How often a quote stands in a text, blanks aside.
fn times_quoted(text: &[u8], quote: &str) -> usize {
    let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (text, quote) = (squeezed(&String::from_utf8_lossy(text)), squeezed(quote));
    match quote.as_str() {
        "" => 0,
        quote => text.matches(quote).count(),
    }
}

#[cfg(test)]
#[path = "suggestion_tests.rs"]
mod tests;
