//! A judge's suggestion as it has to stand in a file. Models write code as they see it: in a fence, with the numbers
//! and markers of their brief, as a diff. What cannot be told from such a dress is no suggestion: `apply` and a button
//! would write it into the file letter by letter.

/// The lines that a suggestion takes the place of.
#[derive(Debug, Clone, Copy)]
pub(super) struct EditedLines<'a> {
    /// What is quoted of them, without marks.
    pub code: &'a str,
    /// The blanks before the first of them.
    pub indent: &'a str,
    /// The numbers of the first of them: as its judge named it, and as it was found.
    pub numbers: [u32; 2],
    pub count: usize,
    /// Whether a fence may be a part of the file.
    pub is_document: bool,
}

/// What a text is without one of its dresses.
#[derive(Debug, PartialEq, Eq)]
enum Undressed {
    Text(String),
    /// A diff that only removes the quoted lines.
    Deletion,
    Unclear,
}

/// A fence around numbers around a diff, and one more to see that none is left.
const MAX_DRESSES: usize = 4;

/// What models write where they have nothing to suggest.
const NOTHING: [&str; 5] = ["n/a", "none", "null", "no suggestion", "-"];

/// A suggestion without what was put around it; none: there is none, or nobody can tell.
pub(super) fn bare_suggestion(written: &str, edited: EditedLines<'_>) -> Option<String> {
    let mut text = written.to_owned();
    for _ in 0..MAX_DRESSES {
        let dresses = [without_fence, without_numbers, without_diff];
        match dresses.iter().find_map(|undress| undress(&text, edited)) {
            Some(Undressed::Text(bare)) => text = bare,
            Some(Undressed::Deletion) => return Some(String::new()),
            Some(Undressed::Unclear) => return None,
            None => break,
        }
    }
    let said = text.trim().trim_end_matches('.').to_lowercase();
    // An empty field is how a form is left blank.
    let is_nothing = said.is_empty() || NOTHING.contains(&said.as_str());
    (!is_nothing).then_some(text)
}

/// What stands behind the marks of a fence.
fn fence_info(line: &str) -> Option<&str> {
    let line = line.trim();
    let info = line.trim_start_matches('`').trim_start_matches('~');
    let is_name = |c: char| c.is_alphanumeric() || "+-_#.".contains(c);
    (line.len() - info.len() >= 3 && info.trim().chars().all(is_name)).then_some(info)
}

fn without_fence(text: &str, edited: EditedLines<'_>) -> Option<Undressed> {
    let is_fence = |line: &str| fence_info(line).is_some();
    let lines: Vec<&str> = text.trim().lines().collect();
    let is_opened = lines.first().is_some_and(|line| is_fence(line));
    let is_closed = lines
        .last()
        .is_some_and(|line| fence_info(line) == Some(""));
    let is_own = edited.code.lines().any(is_fence) || edited.is_document && !is_opened;
    if is_own || !is_opened && !is_closed {
        return None;
    }
    Some(match lines.as_slice() {
        [_, inner @ .., _]
            if is_opened
                && is_closed
                && !edited.is_document
                && !inner.iter().any(|line| is_fence(line)) =>
        {
            Undressed::Text(inner.join("\n"))
        }
        _ => Undressed::Unclear,
    })
}

/// A line behind its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NumberedLine<'a> {
    /// As a brief prints it: with a marker.
    Marked(&'a str),
    /// As models write it: `8 | text`.
    Listed(&'a str),
    Blank,
}

impl<'a> NumberedLine<'a> {
    fn marked(self) -> Option<&'a str> {
        match self {
            Self::Marked(text) => Some(text),
            Self::Blank => Some(""),
            Self::Listed(_) => None,
        }
    }

    fn listed(self) -> Option<&'a str> {
        match self {
            Self::Listed(text) => Some(text),
            Self::Blank => Some(""),
            Self::Marked(_) => None,
        }
    }
}

fn numbered_line(line: &str) -> Option<(u32, NumberedLine<'_>)> {
    let line = line.trim_start();
    let line = line.strip_prefix('L').unwrap_or(line);
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let number = line[..line.len() - rest.len()].parse().ok()?;
    if rest.trim().is_empty() {
        return Some((number, NumberedLine::Blank));
    }
    let marked = rest
        .strip_prefix(' ')
        .filter(|text| text.starts_with(['+', '-', ' ']));
    let listed = rest.trim_start().strip_prefix(['|', ':']);
    let behind = match listed {
        Some(text) => NumberedLine::Listed(text),
        None => NumberedLine::Marked(marked?),
    };
    Some((number, behind))
}

fn without_numbers(text: &str, edited: EditedLines<'_>) -> Option<Undressed> {
    let mut last = None;
    let mut behind = Vec::new();
    for line in text.lines() {
        match numbered_line(line) {
            Some((number, text)) => {
                let is_next = match last {
                    None => edited.numbers.contains(&number),
                    Some(last) => number == last || number == last + 1,
                };
                is_next.then_some(())?;
                last = Some(number);
                behind.push(text);
            }
            None if line.trim().is_empty() => behind.push(NumberedLine::Blank),
            // A brief prints a removed line without a number.
            None => behind.push(NumberedLine::Marked(
                Some(line.trim_start()).filter(|l| l.starts_with('-'))?,
            )),
        }
    }
    last?;
    let bare = match listed_text(&behind, edited.indent) {
        Some(text) => Undressed::Text(text),
        None => marked_text(&behind, edited)?,
    };
    let is_numbered = |text: &str| {
        let first = text.lines().next().and_then(numbered_line);
        first.is_some_and(|(_, behind)| behind != NumberedLine::Blank)
    };
    // The numbers may be the code's own.
    match &bare {
        Undressed::Text(text) if is_numbered(edited.code) && !is_numbered(text) => None,
        _ => Some(bare),
    }
}

fn listed_text(behind: &[NumberedLine<'_>], indent: &str) -> Option<String> {
    let lines = behind.iter().map(|line| Some(line.listed()?.to_owned()));
    let lines = lines.collect::<Option<Vec<String>>>()?;
    Some(without_gap(lines, indent))
}

/// Without the blank that sets code apart from what stands before it, where that is none of its own.
fn without_gap(mut lines: Vec<String>, indent: &str) -> String {
    let is_blank = |line: &&String| line.trim().is_empty();
    let is_apart = lines
        .iter()
        .all(|line| is_blank(&line) || line.starts_with(' '));
    let is_own = lines
        .iter()
        .find(|line| !is_blank(line))
        .is_some_and(|line| blanks(line) == indent);
    if is_apart && !is_own {
        for line in lines.iter_mut().filter(|line| !line.is_empty()) {
            line.remove(0);
        }
    }
    lines.join("\n")
}

fn marked_text(behind: &[NumberedLine<'_>], edited: EditedLines<'_>) -> Option<Undressed> {
    let lines: Vec<&str> = behind
        .iter()
        .map(|line| line.marked())
        .collect::<Option<_>>()?;
    let diff: Vec<(char, &str)> = lines.into_iter().map(diff_line).collect::<Option<_>>()?;
    if diff.iter().any(|(marker, _)| *marker == '-') {
        return Some(read_diff(&diff, edited).unwrap_or(Undressed::Unclear));
    }
    let texts: Vec<&str> = diff.iter().map(|(_, text)| *text).collect();
    Some(Undressed::Text(texts.join("\n")))
}

/// The marker of a line of a diff, and what stands behind it.
fn diff_line(line: &str) -> Option<(char, &str)> {
    let Some(marker) = line.chars().next() else {
        return Some((' ', ""));
    };
    "+- ".contains(marker).then(|| (marker, &line[1..]))
}

fn without_diff(text: &str, edited: EditedLines<'_>) -> Option<Undressed> {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let hunk = lines.iter().position(|line| line.starts_with("@@ "));
    let lines = lines[hunk.map_or(0, |at| at + 1)..]
        .iter()
        .filter(|line| !line.starts_with("\\ "));
    let diff: Vec<(char, &str)> = lines.map(|line| diff_line(line)).collect::<Option<_>>()?;
    let has = |wanted| diff.iter().any(|(marker, _)| *marker == wanted);
    if !has('+') && !has('-') {
        return None;
    }
    let read = read_diff(&diff, edited);
    // A list, a sign before a number: the code's own.
    let is_own = edited.code.trim_start().starts_with(['+', '-'])
        || !has('+')
        || edited.is_document && !has('-');
    match read {
        None if is_own => None,
        None if !has('-') && !has(' ') => added_text(&diff, edited),
        None => Some(Undressed::Unclear),
        read => read,
    }
}

/// The lines of a diff that has only the new ones.
fn added_text(diff: &[(char, &str)], edited: EditedLines<'_>) -> Option<Undressed> {
    let first = diff.first()?.1;
    if first.starts_with(['+', '=']) {
        return None;
    }
    // `+ "more"` may be the rest of a sum.
    let is_clear = blanks(first).is_empty() || blanks(first) == edited.indent;
    let texts: Vec<&str> = diff.iter().map(|(_, text)| *text).collect();
    Some(if is_clear {
        Undressed::Text(texts.join("\n"))
    } else {
        Undressed::Unclear
    })
}

/// What a diff makes of the edited lines; none: its old side is not these.
fn read_diff(diff: &[(char, &str)], edited: EditedLines<'_>) -> Option<Undressed> {
    let is_change = |(marker, _): &(char, &str)| *marker != ' ';
    let (begin, end) = (
        diff.iter().position(is_change)?,
        diff.iter().rposition(is_change)?,
    );
    let whole = [diff, &diff[begin..=end]]
        .into_iter()
        .find(|part| is_old_side(part, edited))?;
    let mut old = whole.iter().filter(|(marker, _)| *marker != '+');
    let first = old.next().map_or("", |(_, text)| *text);
    if whole.iter().all(|(marker, _)| *marker == '-') {
        // `-price` and `- price` may be code, too: a line with its own blanks behind the marker is none.
        let is_clear = !edited.indent.is_empty() && blanks(first) == edited.indent;
        return Some(if is_clear {
            Undressed::Deletion
        } else {
            Undressed::Unclear
        });
    }
    let is_apart = whole
        .iter()
        .all(|(_, text)| text.trim().is_empty() || text.starts_with(' '));
    let gap = usize::from(is_apart && blanks(first) != edited.indent);
    let new = whole.iter().filter(|(marker, _)| *marker != '-');
    let new: Vec<&str> = new
        .map(|(_, text)| text.get(gap..).unwrap_or_default())
        .collect();
    Some(Undressed::Text(new.join("\n")))
}

fn is_old_side(diff: &[(char, &str)], edited: EditedLines<'_>) -> bool {
    let squeeze = |text: &str| text.split_whitespace().collect::<String>();
    let old: Vec<&str> = diff
        .iter()
        .filter(|(marker, _)| *marker != '+')
        .map(|(_, text)| *text)
        .collect();
    let code = squeeze(edited.code);
    !code.is_empty() && old.len() == edited.count && squeeze(&old.join("\n")).contains(&code)
}

/// The blanks with which a line begins.
fn blanks(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

#[cfg(test)]
#[path = "bare_suggestion_laws.rs"]
mod laws;
