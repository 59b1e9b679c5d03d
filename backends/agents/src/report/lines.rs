//! Diagnostics in lines, as compilers and most linters print them: `path:line:column: level: message [rule]`, and tsc's
//! `path(line,column): error TS2304: message`.

use std::borrow::Cow;

use council_protocol::Severity;

use super::ToolHit;

/// What a line of a tool's output reports; none for a heading, a summary or a hint that belongs to another line.
pub(super) fn parse_line(line: &str) -> Option<ToolHit> {
    let (path, number, rest) = split_colons(line).or_else(|| split_brackets(line))?;
    // `Error: a.py:1:1: …`, as well as `a.py:1:1: error: …`.
    let (before, path) = match path.split_once(": ") {
        Some((word, path)) if is_level(word) => (Some(split_level(word).0), path),
        _ => (None, path),
    };
    let (level, rest) = match before {
        Some(level) => (level, rest),
        None => split_level(rest.trim_start()),
    };
    let (rule, message) = match split_code(rest) {
        Some((code, message)) => (Some(code), message),
        None => split_rule(rest),
    };
    let severity = match level {
        LineLevel::Told(severity) => severity,
        // A note explains another line and is no finding of its own; but shellcheck calls its milder findings so.
        LineLevel::Note if rule.is_some_and(is_code) => Severity::Minor,
        LineLevel::Note => return None,
    };
    Some(ToolHit {
        severity,
        rule: rule.map(str::to_owned),
        message: message.trim().to_owned(),
        path: path.to_owned(),
        line: number,
        end_line: None,
        suggestion: None,
        page: None,
    })
    .filter(|hit| !hit.message.is_empty())
}

/// A line without the escape sequences that colour it.
pub(super) fn without_colours(line: &str) -> Cow<'_, str> {
    if !line.contains('\u{1b}') {
        return Cow::Borrowed(line);
    }
    let mut plain = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, sequence)) = rest.split_once("\u{1b}[") {
        plain.push_str(before);
        let end = sequence.find(|c: char| ('@'..='~').contains(&c));
        rest = end.map_or("", |end| &sequence[end + 1..]);
    }
    plain.push_str(rest);
    Cow::Owned(plain)
}

/// How a line begins that says that the tool itself broke down.
const BREAKDOWNS: [&str; 6] = [
    "error",
    "fatal",
    "panic",
    "traceback (most recent",
    "internal error",
    "uncaught exception",
];

/// Whether a line that reports no place says that the tool broke down.
pub(super) fn is_breakdown(line: &str) -> bool {
    let line = line.trim_start().to_ascii_lowercase();
    let is_it = |begin: &str| {
        let rest = line.strip_prefix(begin);
        rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    };
    BREAKDOWNS.into_iter().any(is_it)
}

/// Whether a line names a place, be it to explain another line.
pub(super) fn names_place(line: &str) -> bool {
    split_colons(line)
        .or_else(|| split_brackets(line))
        .is_some()
}

/// `path:line: rest`, or `path:line:column: rest`.
fn split_colons(line: &str) -> Option<(&str, u32, &str)> {
    let mut from = 0;
    while let Some(at) = line[from..].find(':').map(|at| from + at) {
        if let Some((number, rest)) = split_number(&line[at + 1..])
            && let Some(rest) = rest.strip_prefix(':')
            && at > 0
        {
            let column = split_number(rest).and_then(|(_, rest)| rest.strip_prefix(':'));
            return Some((&line[..at], number, column.unwrap_or(rest)));
        }
        from = at + 1;
    }
    None
}

/// `path(line,column): rest`.
fn split_brackets(line: &str) -> Option<(&str, u32, &str)> {
    let (head, rest) = line.split_once("): ")?;
    let (path, place) = head.rsplit_once('(')?;
    let (number, _) = split_number(place)?;
    (!path.is_empty()).then_some((path, number, rest))
}

fn split_number(text: &str) -> Option<(u32, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    // A number that no file has lines for is behind the end of each, and not nothing.
    let number = || text[..digits].parse().unwrap_or(u32::MAX);
    (digits > 0).then(|| (number(), &text[digits..]))
}

/// Whether a word is a level.
fn is_level(word: &str) -> bool {
    let words = ["error", "fatal", "warning", "warn", "note", "info"];
    words.contains(&word.to_ascii_lowercase().as_str())
}

/// What stands before a message.
enum LineLevel {
    Told(Severity),
    Note,
}

/// The level before a message; `warning` where there is none.
fn split_level(text: &str) -> (LineLevel, &str) {
    let end = text.find([':', ' ']).unwrap_or(text.len());
    let rest = text[end..].strip_prefix(':').unwrap_or(&text[end..]);
    match text[..end].to_ascii_lowercase().as_str() {
        "error" | "fatal" | "high" => (LineLevel::Told(Severity::Critical), rest),
        "warning" | "warn" | "medium" => (LineLevel::Told(Severity::Significant), rest),
        "info" | "style" | "hint" | "low" => (LineLevel::Told(Severity::Minor), rest),
        "note" => (LineLevel::Note, rest),
        _ => (LineLevel::Told(Severity::Significant), text),
    }
}

/// `TS2304: message`.
fn split_code(text: &str) -> Option<(&str, &str)> {
    let (code, message) = text.trim_start().split_once(": ")?;
    is_code(code).then_some((code, message))
}

/// Capital letters, then digits: `TS2304`, `SC2086`.
fn is_code(text: &str) -> bool {
    let letters = text.bytes().take_while(u8::is_ascii_uppercase).count();
    letters > 0 && text.len() > letters && text[letters..].bytes().all(|b| b.is_ascii_digit())
}

/// `message [rule]`.
fn split_rule(text: &str) -> (Option<&str>, &str) {
    let found = text
        .trim_end()
        .strip_suffix(']')
        .and_then(|text| text.rsplit_once('['))
        .filter(|(_, rule)| !rule.is_empty() && !rule.contains(char::is_whitespace));
    found.map_or((None, text), |(message, rule)| (Some(rule), message))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Option<(String, u32, Severity, Option<String>, String)> {
        parse_line(line).map(|hit| (hit.path, hit.line, hit.severity, hit.rule, hit.message))
    }

    #[test]
    fn a_level_before_the_path_is_one() {
        let hit = parse_line("Error: app/a.py:1:2: bad type [E]").unwrap();
        assert_eq!((hit.path.as_str(), hit.line), ("app/a.py", 1));
        assert_eq!(hit.severity, Severity::Critical);
        assert_eq!(
            parse_line("warning: a.py:1: x").map(|hit| hit.severity),
            Some(Severity::Significant)
        );
    }

    #[test]
    fn colours_hide_nothing_and_a_breakdown_is_told_from_a_summary() {
        let coloured = "\u{1b}[1ma.py\u{1b}[0m:2:1: \u{1b}[31merror\u{1b}[0m: bad [x]\u{1b}[K";
        let plain = without_colours(coloured);
        assert_eq!(plain, "a.py:2:1: error: bad [x]");
        assert_eq!(read(&plain).unwrap().2, Severity::Critical);
        for broken in [
            "panic: internal error",
            "Traceback (most recent call last):",
            "error: no such option",
            "Fatal",
        ] {
            assert!(is_breakdown(broken), "{broken}");
        }
        for whole in [
            "Success: no issues found",
            "Found 0 errors.",
            "errors: 0",
            "All checks passed!",
            "0 errors",
        ] {
            assert!(!is_breakdown(whole), "{whole}");
        }
    }

    #[test]
    fn each_tools_own_lines_are_read() {
        let cases = [
            // shellcheck -f gcc
            (
                "a b.sh:3:6: warning: Quote this. [SC2086]",
                "a b.sh",
                3,
                Severity::Significant,
                "SC2086",
                "Quote this.",
            ),
            (
                "x.sh:1:1: note: Consider this. [SC2148]",
                "x.sh",
                1,
                Severity::Minor,
                "SC2148",
                "Consider this.",
            ),
            // mypy's explanations of other lines
            ("m.py:7: note: See the docs", "", 0, Severity::Minor, "", ""),
            (
                "m.py:7: note: Not checked  [annotation-unchecked]",
                "",
                0,
                Severity::Minor,
                "",
                "",
            ),
            // mypy
            (
                "m.py:7: error: Bad argument  [arg-type]",
                "m.py",
                7,
                Severity::Critical,
                "arg-type",
                "Bad argument",
            ),
            // actionlint -oneline
            (
                ".github/workflows/a.yml:9:5: property \"x\" is not defined [expression]",
                ".github/workflows/a.yml",
                9,
                Severity::Significant,
                "expression",
                "property \"x\" is not defined",
            ),
            // bandit, with a template of ours
            (
                "./m.py:3: LOW: Use of assert. [B101]",
                "./m.py",
                3,
                Severity::Minor,
                "B101",
                "Use of assert.",
            ),
            // tsc --pretty false
            (
                "src/a.ts(4,12): error TS2304: Cannot find name 'x'.",
                "src/a.ts",
                4,
                Severity::Critical,
                "TS2304",
                "Cannot find name 'x'.",
            ),
            ("Found 3 errors.", "", 0, Severity::Minor, "", ""),
            ("  --> src/main.rs", "", 0, Severity::Minor, "", ""),
        ];
        for (line, path, number, severity, rule, message) in cases {
            let wanted = (!path.is_empty()).then(|| {
                let rule = (!rule.is_empty()).then(|| rule.to_owned());
                (path.to_owned(), number, severity, rule, message.to_owned())
            });
            assert_eq!(read(line), wanted, "{line}");
        }
    }
}
