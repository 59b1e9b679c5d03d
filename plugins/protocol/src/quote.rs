//! How a quote is read. Judges copy from a brief or a terminal: what stands around the copied words there is taken off
//! before a line counts as lost, in one place for the proof search, the mailbox and the duel.

use crate::evidence::{FileLines, MIN_QUOTE_CHARS, normalize_blanks};

/// Readings of one quote that are tried. Decorations nest (a fence around numbered lines), but never deeply.
const MAX_READINGS: usize = 48;

/// Lines between two parts of a quote that still read as one place.
const MAX_GAP: usize = 20;

/// How lines begin that begin a function or a type. A quote does not join what stands before one and behind it: halves of
/// two functions are code that nobody wrote.
const DEFINITIONS: [&str; 21] = [
    "def ",
    "async def ",
    "fn ",
    "pub ",
    "pub(",
    "async fn ",
    "func ",
    "function ",
    "async function ",
    "export ",
    "class ",
    "impl ",
    "impl<",
    "struct ",
    "trait ",
    "interface ",
    "public ",
    "private ",
    "protected ",
    "static ",
    "module ",
];

/// The fewest characters that may run over the end of a line: shorter ones meet by chance.
const MIN_FLOW_CHARS: usize = 8;

/// What opens a comment behind code, and what is left of one that only says that lines were left out.
const COMMENTS: [&str; 8] = ["//", "#", "--", "/*", "<!--", ";", "%", "*/"];

/// A quote as it is, then with what may stand around it taken off, the least first.
pub(crate) fn readings(quote: &str) -> Vec<String> {
    let mut readings = vec![quote.to_owned()];
    let mut at = 0;
    while let Some(reading) = readings.get(at).cloned() {
        let strips = [
            strip_fence,
            strip_quotation,
            strip_signs,
            strip_marks,
            strip_numbers,
            strip_own_numbers,
            strip_places,
            strip_markers,
            strip_remarks,
            split_statements,
            unescape,
            unescape_html,
            straighten,
        ];
        for stripped in strips.iter().filter_map(|strip| strip(&reading)) {
            if readings.len() < MAX_READINGS && !readings.contains(&stripped) {
                readings.push(stripped);
            }
        }
        at += 1;
    }
    readings
}

/// Without the fence of a code block.
fn strip_fence(text: &str) -> Option<String> {
    // Behind the marks stands at most the name of a language: what is more is the first line of the code itself.
    let is_name = |info: &str| {
        info.chars()
            .all(|c| c.is_alphanumeric() || "+-_#".contains(c))
    };
    let is_fence = |line: &&str| {
        let line = line.trim();
        let info = line.trim_start_matches('`').trim_start_matches('~');
        line.len() - info.len() >= 3 && is_name(info)
    };
    let mut lines: Vec<&str> = text.trim().lines().collect();
    let before = lines.len();
    if lines.first().is_some_and(is_fence) {
        lines.remove(0);
    }
    if lines.last().is_some_and(is_fence) {
        lines.pop();
    }
    (lines.len() < before).then(|| lines.join("\n"))
}

/// Without blanks, backticks and quotation marks at its ends. The ends of a quote may be parts of lines, so that a mark that
/// belongs to the code may go with them.
fn strip_marks(text: &str) -> Option<String> {
    strip_ends(text, "`\"'“”‘’«»„‚")
}

/// The same, the backticks of a fence left where they are.
fn strip_quotation(text: &str) -> Option<String> {
    strip_ends(text, "\"'“”‘’«»„‚")
}

/// Without the signs of bold type, and the end of a statement where the language has none.
fn strip_signs(text: &str) -> Option<String> {
    strip_ends(text, "*;")
}

fn strip_ends(text: &str, marks: &str) -> Option<String> {
    let stripped = text.trim_matches(|c: char| c.is_whitespace() || marks.contains(c));
    (stripped.len() < text.len()).then(|| stripped.to_owned())
}

/// Without the line numbers of a brief, and the marker behind each.
fn strip_numbers(text: &str) -> Option<String> {
    strip_gutter(text, &|rest| {
        rest.strip_prefix([' ', '\t'])?
            .strip_prefix(['+', '-', ' '])
    })
}

/// Without line numbers as a model writes them, or its own tools print them: `12: text`, `12 | text`, `L12 text`, `12→text`.
fn strip_own_numbers(text: &str) -> Option<String> {
    strip_gutter(text, &|rest| {
        let behind = rest.trim_start();
        let listed = behind
            .strip_prefix(". ")
            .or_else(|| behind.strip_prefix(") "));
        let text = listed
            .or_else(|| behind.strip_prefix([':', '|', '→', '│']))
            .unwrap_or(behind);
        // A number alone is one only where something sets it apart: `3px` is none.
        let is_apart = text.len() < rest.len() || rest.is_empty() || rest.starts_with(['+', '-']);
        is_apart.then(|| unmarked(text.trim_start()))
    })
}

/// Without the place before each line, as a compiler prints it: `a.py:5: text`.
fn strip_places(text: &str) -> Option<String> {
    let behind = |line: &str| -> Option<String> {
        let (place, rest) = line.trim_start().split_once(char::is_whitespace)?;
        let mut parts = place.trim_end_matches([':', '|']).split(':');
        let path = parts.next().filter(|path| path.contains(['.', '/']))?;
        let numbers: Vec<&str> = parts.collect();
        let is_number = |part: &&str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        let is_place =
            !path.is_empty() && (1..=2).contains(&numbers.len()) && numbers.iter().all(is_number);
        is_place.then(|| rest.trim_start().to_owned())
    };
    let stripped: Vec<String> = text
        .lines()
        .map(|line| behind(line).unwrap_or_else(|| line.to_owned()))
        .collect();
    let stripped = stripped.join("\n");
    (stripped.len() < text.trim_end_matches('\n').len()).then_some(stripped)
}

/// What a judge sets behind the line that it copies: a comment of its own, or an arrow to it. One blank before a comment
/// may be the code's own, and then its words are code that has to be found.
const REMARKS: [&str; 5] = ["  # ", "  // ", "  /* ", " <-- ", " ← "];

/// The fewest characters of code before such a remark: fewer stand on many lines.
const MIN_REMARKED_CHARS: usize = 8;

/// Without the judge's own words behind each line.
fn strip_remarks(text: &str) -> Option<String> {
    let code = |line| -> &str {
        let starts = REMARKS.iter().filter_map(|mark| str::find(line, mark));
        let code = starts.min().map_or(line, |at| line[..at].trim_end());
        if code.trim().chars().count() < MIN_REMARKED_CHARS {
            line
        } else {
            code
        }
    };
    if text.contains("\\n") {
        // Several lines that are one as yet: what is behind a remark would go with it.
        return None;
    }
    let stripped: Vec<&str> = text.lines().map(code).collect();
    let stripped = stripped.join("\n");
    (stripped.len() < text.trim_end_matches('\n').len()).then_some(stripped)
}

/// Two lines that were written as one: `total = x / 0; return total`.
fn split_statements(text: &str) -> Option<String> {
    (text.contains("; ") && !text.contains('\n')).then(|| text.replace("; ", "\n"))
}

/// Every line without its number, as `behind` reads what stands behind it. One without a number may still have a marker:
/// removed lines have no number.
fn strip_gutter(text: &str, behind: &dyn Fn(&str) -> Option<&str>) -> Option<String> {
    let mut found = false;
    let mut strip = |line| {
        let stripped = after_number(line).and_then(behind);
        found |= stripped.is_some();
        stripped.unwrap_or_else(|| unmarked(line))
    };
    let stripped: Vec<&str> = text.lines().map(&mut strip).collect();
    found.then(|| stripped.join("\n"))
}

fn after_number(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let line = line.strip_prefix('L').unwrap_or(line);
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    (1..=7).contains(&(line.len() - rest.len())).then_some(rest)
}

fn unmarked(line: &str) -> &str {
    let inner = line.trim_start();
    inner.strip_prefix(['+', '-']).unwrap_or(line)
}

/// Without the markers of a diff.
fn strip_markers(text: &str) -> Option<String> {
    let stripped: Vec<&str> = text.lines().map(unmarked).collect();
    let stripped = stripped.join("\n");
    (stripped.len() < text.len() && text.lines().any(|l| unmarked(l).len() < l.len()))
        .then_some(stripped)
}

/// With line ends and quotation marks that were escaped twice on their way through JSON.
fn unescape(text: &str) -> Option<String> {
    text.contains('\\')
        .then(|| {
            text.replace("\\n", "\n")
                .replace("\\t", "\t")
                .replace("\\\"", "\"")
        })
        .filter(|unescaped| unescaped != text)
}

/// With the characters that a model writes as a page would: `&lt;`, `&#39;`. The ampersand last: it may begin another.
fn unescape_html(text: &str) -> Option<String> {
    const NAMES: [(&str, &str); 8] = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&apos;", "'"),
        ("&#39;", "'"),
        ("&#x27;", "'"),
        ("&#34;", "\""),
        ("&amp;", "&"),
    ];
    if !text.contains('&') {
        return None;
    }
    let plain = NAMES.iter().fold(text.to_owned(), |text, (name, sign)| {
        text.replace(name, sign)
    });
    (plain != text).then_some(plain)
}

/// With the quotation marks of code for those of prose: an editor, or a model, makes `‘` of `'`.
fn straighten(text: &str) -> Option<String> {
    let straight: String = text
        .chars()
        .map(|c| match c {
            '‘' | '’' | '‚' => '\'',
            '“' | '”' | '„' => '"',
            c => c,
        })
        .collect();
    (straight != text).then_some(straight)
}

/// Whether `line` is `wanted`, or `wanted` with a comment behind it.
pub(crate) fn is_line(line: &str, wanted: &str) -> bool {
    line.strip_prefix(wanted)
        .is_some_and(|rest| rest.is_empty() || is_comment(rest))
}

/// Whether `line` ends with `wanted`, a comment behind it aside.
pub(crate) fn ends_line(line: &str, wanted: &str) -> bool {
    line.ends_with(wanted)
        || line
            .match_indices(wanted)
            .any(|(at, _)| is_comment(&line[at + wanted.len()..]))
}

/// A comment is set apart from the code before it: `a#b` holds none.
fn is_comment(rest: &str) -> bool {
    rest.starts_with(' ') && COMMENTS.iter().any(|mark| rest[1..].starts_with(mark))
}

/// Lines from 0 at which `quote` begins when it runs over the ends of lines: blanks and line ends are the same to it.
pub(crate) fn flowing(lines: &FileLines, quote: &str) -> Vec<usize> {
    let wanted = normalize_blanks(&quote.split_whitespace().collect::<Vec<_>>().join(" "));
    if wanted.chars().count() < MIN_FLOW_CHARS {
        return Vec::new();
    }
    lines.flowing(&wanted)
}

/// Lines from 0 at which `quote` begins when it joins lines that are apart, by a line end or an ellipsis.
pub(crate) fn joined(lines: &FileLines, quote: &str) -> Vec<usize> {
    let parts = parts(quote);
    let Some((first, rest)) = parts.split_first() else {
        return Vec::new();
    };
    let begins = |&at: &usize| {
        let Some(mut end) = part_end(
            lines,
            at,
            0,
            &JoinedPart::new(first, false, !rest.is_empty()),
        ) else {
            return false;
        };
        let mut line = at;
        rest.iter().enumerate().all(|(nth, part)| {
            let part = JoinedPart::new(part, true, nth + 1 < rest.len());
            match next_part(lines, line, end, &part) {
                Some(found) => {
                    (line, end) = found;
                    true
                }
                None => false,
            }
        })
    };
    (0..lines.len()).filter(begins).collect()
}

/// A part of a quote, and at which of its ends it was joined with another: there it ends with a whole word.
struct JoinedPart<'a> {
    text: &'a str,
    has_before: bool,
    has_behind: bool,
}

impl<'a> JoinedPart<'a> {
    fn new(text: &'a str, has_before: bool, has_behind: bool) -> Self {
        Self {
            text,
            has_before,
            has_behind,
        }
    }

    /// Whether it may stand at `at` of a line: no word is cut where it was joined.
    fn may_stand(&self, line: &str, at: usize) -> bool {
        let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        let (before, behind) = (&line[..at], &line[at + self.text.len()..]);
        let cuts_before = is_word(before.chars().next_back()) && is_word(self.text.chars().next());
        let cuts_behind = is_word(self.text.chars().next_back()) && is_word(behind.chars().next());
        !(self.has_before && cuts_before || self.has_behind && cuts_behind)
    }
}

/// Where a part of a quote ends that follows column `from` of `line`: there, or in one of the next lines, as far as no
/// other function begins between them.
fn next_part(
    lines: &FileLines,
    line: usize,
    from: usize,
    part: &JoinedPart<'_>,
) -> Option<(usize, usize)> {
    if let Some(end) = part_end(lines, line, from, part) {
        return Some((line, end));
    }
    let defines = |at: usize| {
        let text = lines.get(at).unwrap_or_default();
        DEFINITIONS.iter().any(|word| text.starts_with(word))
    };
    for at in line + 1..(line + 1 + MAX_GAP).min(lines.len()) {
        // No text of a file holds a NUL: one stands where lines of the file are missing.
        if lines.get(at).is_none_or(|text| text.contains('\0')) {
            return None;
        }
        // A type and what it defines may be quoted together.
        let found = part_end(lines, at, 0, part).filter(|_| !defines(at) || defines(line));
        if found.is_some() || defines(at) {
            return found.map(|end| (at, end));
        }
    }
    None
}

fn part_end(lines: &FileLines, line: usize, from: usize, part: &JoinedPart<'_>) -> Option<usize> {
    let text = lines.get(line)?;
    if part.text.chars().count() < MIN_QUOTE_CHARS {
        return (from == 0 && is_line(text, part.text)).then_some(text.len());
    }
    let mut found = text.get(from..)?.match_indices(part.text);
    found.find_map(|(at, _)| {
        let at = from + at;
        part.may_stand(text, at).then_some(at + part.text.len())
    })
}

/// The parts that a quote joins. What only says that something was left out is none.
fn parts(quote: &str) -> Vec<String> {
    let mut text = quote.replace("...", "…");
    for around in ["[…]", "(…)", "{…}"] {
        text = text.replace(around, "…");
    }
    text.split(['…', '\n'])
        .map(normalize_blanks)
        .filter(|part| {
            !part.is_empty() && part.chars().any(|c| c != '.') && !COMMENTS.contains(&part.as_str())
        })
        .collect()
}

/// The line that is most like a quote: what a judge is shown when its quote was not found. Near lines go before far ones.
pub(crate) fn nearest(lines: &FileLines, claimed: u32, quote: &str) -> Option<usize> {
    let readings = readings(quote);
    let plain = readings.last()?;
    let longest = plain.lines().max_by_key(|line| line.trim().len())?;
    let wanted = words(longest);
    let distance = |index: usize| (index + 1).abs_diff(claimed as usize);
    let scored = (0..lines.len()).filter_map(|index| {
        let line = words(lines.get(index)?);
        let shared = wanted.iter().filter(|word| line.contains(word)).count();
        let all = wanted.len() + line.len();
        (shared > 0).then(|| {
            (
                shared * 2_000 / all,
                std::cmp::Reverse(distance(index)),
                index,
            )
        })
    });
    let best = scored.max().map(|(_, _, index)| index);
    let here = (claimed as usize).checked_sub(1);
    best.or_else(|| here.filter(|&at| lines.get(at).is_some_and(|line| !line.is_empty())))
}

fn words(line: &str) -> Vec<&str> {
    let words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|word| !word.is_empty()).collect()
}

#[cfg(test)]
#[path = "quote_laws.rs"]
mod laws;
