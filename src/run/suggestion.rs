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
mod tests {
    use super::*;

    fn at(line: u32, end: Option<u32>) -> Location {
        Location {
            path: "a".into(),
            line,
            end_line: end,
        }
    }

    fn applied(
        text: &str,
        at: &Location,
        suggestion: &str,
        quote: &str,
        then: Option<&str>,
    ) -> Result<String, &'static str> {
        let new = replace_lines(
            text.as_bytes(),
            at,
            suggestion,
            quote,
            then.map(str::as_bytes),
        );
        new.map(|new| String::from_utf8(new).unwrap())
    }

    #[test]
    fn a_suggestion_that_was_taken_over_is_told_from_changed_lines() {
        let then = Some("a\nbad();\nc\n");
        let put = |text: &str| applied(text, &at(2, None), "good();\nwell();", "bad();", then);
        assert_eq!(put("a\nbad();\nc\n").unwrap(), "a\ngood();\nwell();\nc\n");
        assert_eq!(
            put("a\ngood();\nwell();\nc\n"),
            Err("it stands there already")
        );
        let changed = "the lines have changed since they were reviewed";
        assert_eq!(put("a\nother();\nwell();\nc\n"), Err(changed));
    }

    /// Where no commit has the lines that were judged, they are known as judges were shown them: an edit of their author's that
    /// leaves the quote as it was is one all the same.
    #[test]
    fn lines_that_were_edited_since_are_not_replaced() {
        let shown = ["    return 1 / len(x)".to_owned()];
        let put = |line: &str| {
            let text = format!("def f(x):\n{line}\n");
            let fix = "    return 1 / max(1, len(x))";
            refuse_edited(text.as_bytes(), &at(2, None), &shown, fix)
        };
        assert_eq!(put("    return 1 / len(x)"), Ok(()));
        assert_eq!(put("    return 1 / len(x)  "), Ok(()));
        for edited in [
            "    return 1 / len(x) + tax(x)",
            "    if x: return 1 / len(x)",
            "        return 1 / len(x)",
            "",
        ] {
            assert_eq!(put(edited), Err(CHANGED), "{edited}");
        }
        let applied = put("    return 1 / max(1, len(x))");
        assert_eq!(applied, Err("it stands there already"));
    }

    /// The same lines are followed where something was put in or taken out above them, however lines end.
    #[test]
    fn lines_that_were_shown_are_followed_and_none_of_the_same_text() {
        let text = "def f(x):\n    a = 1 / x\n    b = 2\n\ndef g(x):\n    a = 1 / x\n    c = 3\n";
        // Line 4 was not shown.
        let lines = (1..).zip(text.lines());
        let shown = lines.filter(|(line, _)| *line != 4);
        let shown = ShownLines(shown.map(|(line, text)| (line, text.to_owned())).collect());
        let place = |now: &str| {
            let found = shown.place_now(now.as_bytes(), &at(6, None));
            found.map(|at| at.line)
        };
        assert_eq!(
            shown.judged(&at(6, None)),
            Some(vec!["    a = 1 / x".to_owned()])
        );
        assert_eq!(place(text), Some(6));
        assert_eq!(place(&text.replace('\n', "  \r\n")), Some(6));
        assert_eq!(place(&format!("import os\n\n{text}")), Some(8));
        assert_eq!(place(&text.replace("    b = 2\n", "")), Some(5));
        let above = text.replacen(
            "    a = 1 / x\n",
            "    if not x:\n        return 0\n    a = 1 / x\n",
            1,
        );
        assert_eq!(place(&above), Some(8));
        // That of `g` was edited, or is gone, and that of `f` is still there.
        let edited = text.replace("x\n    c", "(x + 1)\n    c");
        assert_eq!(place(&edited), None);
        assert_eq!(place(text.split("\ndef g").next().unwrap()), None);
    }

    /// Whatever is done to the file elsewhere, and however often the same line stands in it: the suggestion goes to the line
    /// that was reviewed, or nowhere.
    #[test]
    fn the_line_that_was_reviewed_is_followed_and_no_other_of_the_same_text() {
        let function = |name: &str| format!("def {name}(p):\n    x = open(p)\n    use_{name}(x)\n");
        let then = ["a", "b", "c"].map(function).concat();
        let mended = |name: &str| function(name).replace("open(", "safe_open(");
        let reviewed = at(5, None);
        let imports = "import os\n".repeat(3);
        for (now, expected) in [
            (
                then.clone(),
                Some(then.replacen(&function("b"), &mended("b"), 1)),
            ),
            (
                format!("{imports}{then}"),
                Some(format!(
                    "{imports}{}{}{}",
                    function("a"),
                    mended("b"),
                    function("c")
                )),
            ),
            (
                format!("{}{}", function("b"), function("c")),
                Some(format!("{}{}", mended("b"), function("c"))),
            ),
            (format!("{}{}", function("a"), function("c")), None),
            (then.replacen(&function("b"), &mended("b"), 1), None),
            // The function was mended or is gone, and another one has its lines.
            (
                format!(
                    "{}{}{}",
                    mended("b"),
                    function("b").replace("def b", "def d"),
                    function("c")
                ),
                None,
            ),
            (function("b").replace("def b", "def d"), None),
        ] {
            let place = place_now(
                then.as_bytes(),
                now.as_bytes(),
                &reviewed,
                "    x = safe_open(p)",
            );
            let new = place.and_then(|place| {
                let now = now.as_bytes();
                replace_lines(
                    now,
                    &place,
                    "    x = safe_open(p)",
                    "x = open(p)",
                    Some(now),
                )
            });
            assert_eq!(
                new.ok().map(|new| String::from_utf8(new).unwrap()),
                expected,
                "{now}"
            );
        }
        // Nothing to compare with: a text that stands there twice is nobody's place.
        assert!(
            applied(
                &then,
                &reviewed,
                "    x = safe_open(p)",
                "x = open(p)",
                None
            )
            .is_err()
        );
    }

    #[test]
    fn an_encoding_survives_or_the_file_is_left_alone() {
        let put = |text: &[u8], line, suggestion: &str, quote: &str| {
            replace_lines(text, &at(line, None), suggestion, quote, Some(text))
        };
        let utf16: Vec<u8> = "\u{feff}a\nbad()\n"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        assert!(put(&utf16, 2, "good()", "bad()").is_err());
        assert!(put(b"caf\xe9\nbad()\n", 2, "gut\u{e9}()", "bad()").is_err());
        assert_eq!(
            put(b"caf\xe9\nbad()\n", 2, "good()", "bad()").unwrap(),
            b"caf\xe9\ngood()\n"
        );
        let marked = b"\xef\xbb\xbfbad()\nb\n";
        assert_eq!(
            put(marked, 1, "good()", "bad()").unwrap(),
            b"\xef\xbb\xbfgood()\nb\n"
        );
    }

    #[test]
    fn exactly_the_lines_are_replaced() {
        let text = "one\ntwo\nthree\n";
        assert_eq!(
            applied(text, &at(2, None), "2", "two", None).unwrap(),
            "one\n2\nthree\n"
        );
        assert_eq!(
            applied(text, &at(2, Some(3)), "2\n3\n4\n", "two", None).unwrap(),
            "one\n2\n3\n4\n"
        );
        assert_eq!(
            applied(text, &at(1, None), "", "one", None).unwrap(),
            "two\nthree\n"
        );
        assert_eq!(
            applied("a\r\nb\r\n", &at(1, None), "x\ny", "a", None).unwrap(),
            "x\r\ny\r\nb\r\n"
        );
        assert_eq!(
            applied("a\nb", &at(2, None), "c", "b", None).unwrap(),
            "a\nc"
        );
    }

    #[test]
    fn lines_that_changed_are_left_alone() {
        let text = "one\ntwo\nthree\n";
        for (at, quote, then) in [
            (at(2, None), "other", None),
            (at(2, None), "", None),
            (at(9, None), "two", None),
            (at(0, None), "two", None),
            (at(2, None), "two", Some("one\nzwei\nthree\n")),
            (at(3, Some(4)), "three", None),
        ] {
            assert!(applied(text, &at, "x", quote, then).is_err(), "{at:?}");
        }
        assert!(applied(text, &at(2, None), "x", "", Some("eins\ntwo\n")).is_ok());
    }
}
