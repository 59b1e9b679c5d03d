//! The source with something else at the lines of a finding, to tell whether a test that is brought against it runs
//! them.
//!
//! A test that reads the source (as text, as a syntax tree, by reflection) and one that imports the file and looks at
//! other code pass as well as one that runs the lines. They are told apart by a statement before the lines that differs
//! in one sign: with one it never stops the program, with the other it always does. A test that runs the lines passes
//! with the first and not with the second; to whoever reads the source both are alike.

use std::ops::Range;

use council_protocol::Location;
use council_syntax::language::Language;
use council_syntax::outline::{self, FunctionSpan};

use super::altered::{MAX_ALTERED, altered_results, altered_sources};
use crate::run::suggestion::line_range;

/// What a language says in the place of lines, known by the endings of its files.
struct Statements {
    endings: &'static [&'static str],
    /// Ends the program if its comparison holds; `{}` stands for the comparison.
    stop: &'static str,
    /// A line that does nothing but remark.
    remark: &'static str,
    /// Leaves a function of any type at once, in the same form; none: the language has no such statement.
    leave: Option<&'static str>,
}

/// The rows of Ruby, PHP, shell, Kotlin and C# were never run: a wrong one lets no test of a doubter count.
const STATEMENTS: [Statements; 10] = [
    Statements {
        endings: &["py"],
        stop: "if len('0') {} 1: raise RuntimeError('taken away')",
        remark: "pass  # ",
        leave: Some("if len('0') == 1: return"),
    },
    Statements {
        endings: &["js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx"],
        stop: "if ('0'.length {} 1) throw new Error('taken away');",
        remark: "; // ",
        leave: Some("if ('0'.length == 1) return;"),
    },
    Statements {
        endings: &["rs"],
        stop: "if \"0\".len() {} 1 { panic!(\"taken away\") }",
        remark: "; // ",
        leave: None,
    },
    Statements {
        endings: &["go"],
        stop: "if len(\"0\") {} 1 { panic(\"taken away\") }",
        remark: "; // ",
        leave: None,
    },
    Statements {
        endings: &["rb"],
        stop: "raise 'taken away' if '0'.length {} 1",
        remark: "nil # ",
        leave: Some("return if '0'.length == 1"),
    },
    Statements {
        endings: &["php"],
        stop: "if (strlen('0') {} 1) { throw new \\Exception('taken away'); }",
        remark: "; // ",
        leave: Some("if (strlen('0') == 1) { return; }"),
    },
    Statements {
        endings: &["sh", "bash"],
        stop: "if [ $((1 {} 1)) = 1 ]; then exit 1; fi",
        remark: ": # ",
        leave: Some("if [ $((1 == 1)) = 1 ]; then return 0; fi"),
    },
    Statements {
        endings: &["java"],
        stop: "if (\"0\".length() {} 1) { throw new RuntimeException(\"taken away\"); }",
        remark: "; // ",
        leave: None,
    },
    Statements {
        endings: &["kt", "kts"],
        stop: "if (\"0\".length {} 1) { throw RuntimeException(\"taken away\") }",
        remark: "; // ",
        leave: None,
    },
    Statements {
        endings: &["cs"],
        stop: "if (\"0\".Length {} 1) { throw new System.Exception(\"taken away\"); }",
        remark: "; // ",
        leave: None,
    },
];

/// The comparisons of `stop` that never hold, and always.
const NEVER: &str = "!=";
const ALWAYS: &str = "==";

/// The most runs with other sources: three places for a statement, the statement that stops, nothing there, and lines with
/// another effect.
pub(super) const MAX_OTHER_SOURCES: usize = 5 + MAX_ALTERED;

/// The source with a statement before the lines of a finding, or before code that runs ahead of them.
#[derive(Debug)]
pub(super) struct Stop {
    /// With the one that never stops: whoever does not pass with it reads the source, or it cannot stand there.
    pub(super) spared: Vec<u8>,
    /// With the one that always does.
    pub(super) stopped: Vec<u8>,
}

/// What is put in the place of the lines of a finding.
#[derive(Debug)]
pub(super) struct OtherSources {
    /// Where a statement may stand, the nearest place first.
    pub(super) stops: Vec<Stop>,
    /// With nothing there but the words of the lines in a comment, or a function that is left at once: who passes with
    /// it asks for no result.
    pub(super) idle: Vec<u8>,
    /// With another effect of the lines: who passes with each of these asks for nothing that they decide.
    pub(super) altered: Vec<Vec<u8>>,
    /// Whether the lines run when the file is loaded. Then they stop every test that loads it, and only `idle` tells.
    pub(super) run_when_loaded: bool,
}

/// What the language of a file says.
fn statements_of(path: &str) -> Option<&'static Statements> {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    let mut known = STATEMENTS.iter();
    known.find(|language| language.endings.contains(&ending))
}

/// A statement that ends the program, in the language of a file.
pub(super) fn stopping_statement(path: &str) -> Option<String> {
    Some(statements_of(path)?.stop.replace("{}", ALWAYS))
}

/// The sources with which a test is run again; none: the lines are not there, or nothing is known of the language.
pub(super) fn other_sources(text: &[u8], at: &Location) -> Option<OtherSources> {
    let name = at.path.display();
    let known = statements_of(&name)?;
    let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
    let range = line_range(at);
    lines.get(range.clone()).filter(|_| at.line > 0)?;
    let language = Language::from_path(&name);
    let functions = outline::functions(language, &String::from_utf8_lossy(text));
    let function = doubted_function(&functions, &range);
    let body = function.and_then(|function| body_of(&lines, function, language));
    let places = match (function, &body) {
        (Some(_), Some(body)) => places_in(&lines, body, range.start),
        // A line that opens something cannot be taken away without what it opens.
        (None, _) if !is_open(lines[range.start]) => vec![range.start],
        _ => Vec::new(),
    };
    let stop = |place: &usize| Stop {
        spared: with_statement(&lines, *place, &known.stop.replace("{}", NEVER)),
        stopped: with_statement(&lines, *place, &known.stop.replace("{}", ALWAYS)),
    };
    // Whoever doubts the head of a function doubts what it gives back.
    let altered = match &body {
        Some(body) if range.start < body.start => altered_results(text, body, language),
        _ => altered_sources(text, &range, language),
    };
    let idle = match (&body, known.leave) {
        (Some(body), Some(leave)) if range.start < body.start => {
            with_statement(&lines, body.start, leave)
        }
        _ => with_remarks(&lines, range, known.remark),
    };
    Some(OtherSources {
        stops: places.iter().map(stop).collect(),
        idle,
        altered,
        run_when_loaded: function.is_none(),
    })
}

/// The function that holds the first of the lines, or else the first one that begins among them.
pub(super) fn doubted_function<'f>(
    functions: &'f [FunctionSpan],
    range: &Range<usize>,
) -> Option<&'f FunctionSpan> {
    let begins_there = |function: &&FunctionSpan| range.contains(&function.head.saturating_sub(1));
    let holds = outline::enclosing(functions, range.start + 1);
    holds.or_else(|| functions.iter().find(begins_there))
}

/// The lines of a function's body, from 0; none: it stands on one line.
pub(super) fn body_of(
    lines: &[&[u8]],
    function: &FunctionSpan,
    language: Language,
) -> Option<Range<usize>> {
    let all = function.head.saturating_sub(1)..function.end.min(lines.len());
    let ends_head = |line: &usize| {
        let line = code_of(lines[*line]);
        line.ends_with(b"{") || line.ends_with(b":") || language == Language::Ruby
    };
    let head = all.clone().find(ends_head)?;
    let start = (head + 1..all.end).find(|line| !lines[*line].trim_ascii().is_empty())?;
    Some(start..all.end)
}

/// Where a statement may stand: before the line, before the statement that it belongs to, or where the function begins.
fn places_in(lines: &[&[u8]], body: &Range<usize>, line: usize) -> Vec<usize> {
    if !body.contains(&line) {
        return vec![body.start];
    }
    let begins_statement = |place: &usize| {
        let mut above = lines[..*place].iter().rev().map(|line| code_of(line));
        let above = above.find(|line| !line.is_empty()).unwrap_or_default();
        matches!(above.last(), Some(b'{' | b'}' | b';' | b':'))
    };
    let mut places = vec![line];
    places.extend((body.start..line).rev().find(begins_statement));
    places.push(body.start);
    places.dedup();
    places
}

/// Whether a line opens what only a later line closes.
fn is_open(line: &[u8]) -> bool {
    matches!(code_of(line).last(), Some(b'{' | b':' | b'(' | b'['))
}

/// A line without the blanks around it and without a remark at its end, as far as that can be told from the line.
fn code_of(line: &[u8]) -> &[u8] {
    let remark = |mark: &[u8]| line.windows(mark.len()).position(|there| there == mark);
    let end = remark(b" # ")
        .or_else(|| remark(b" // "))
        .unwrap_or(line.len());
    line[..end].trim_ascii()
}

/// The text with a statement before a line, as far indented as the line.
pub(super) fn with_statement(lines: &[&[u8]], line: usize, statement: &str) -> Vec<u8> {
    let (before, behind) = lines.split_at(line);
    let indent = indentation(lines[line]);
    let (before, behind) = (before.concat(), behind.concat());
    [&before, indent, statement.as_bytes(), b"\n", &behind].concat()
}

/// The text with the words of lines in comments.
fn with_remarks(lines: &[&[u8]], range: Range<usize>, remark: &str) -> Vec<u8> {
    let indent = indentation(lines[range.start]);
    let remarks = lines[range.clone()].iter();
    let remarks =
        remarks.map(|line| [indent, remark.as_bytes(), line.trim_ascii(), b"\n"].concat());
    let remarks = remarks.collect::<Vec<_>>().concat();
    let (before, behind) = (lines[..range.start].concat(), lines[range.end..].concat());
    [before, remarks, behind].concat()
}

fn indentation(line: &[u8]) -> &[u8] {
    let blanks = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t'));
    &line[..blanks.count()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(path: &str, line: u32, end_line: Option<u32>) -> Location {
        Location {
            path: path.into(),
            line,
            end_line,
        }
    }

    fn texts(sources: &[Vec<u8>]) -> Vec<String> {
        let text = |source: &Vec<u8>| String::from_utf8(source.clone()).unwrap();
        sources.iter().map(text).collect()
    }

    const PYTHON: &str =
        "LIMIT = 5\ndef add(a, b):\n    x = f(\n        a)\n    return x - b\n# end\n";

    /// Every source with a statement in it, but for the statement.
    fn places(path: &str, text: &str, line: u32) -> Option<Vec<usize>> {
        let sources = other_sources(text.as_bytes(), &at(path, line, None))?;
        let place = |stop: &Stop| {
            let spared = String::from_utf8(stop.spared.clone()).unwrap();
            let stopped = String::from_utf8(stop.stopped.clone()).unwrap();
            assert_eq!(spared.replace(NEVER, ALWAYS), stopped, "one sign differs");
            let place = spared.lines().position(|line| line.contains("taken away"));
            let mut rest: Vec<&str> = spared.lines().collect();
            rest.remove(place.unwrap());
            assert_eq!(rest, text.lines().collect::<Vec<_>>());
            place.unwrap() + 1
        };
        Some(sources.stops.iter().map(place).collect())
    }

    #[test]
    fn a_statement_stands_before_the_lines_or_ahead_of_them() {
        let python = |line| places("a.py", PYTHON, line);
        assert_eq!(python(5), Some(vec![5, 3]));
        assert_eq!(python(4), Some(vec![4, 3]));
        assert_eq!(python(2), Some(vec![3]), "a head: where the body begins");
        assert_eq!(python(1), Some(vec![1]));
        assert_eq!(python(0), None);
        assert_eq!(python(9), None);
        let rust = "fn f(\n    a: u32,\n) -> u32 {\n    let b = 1;\n    a\n        .min(b)\n}\n";
        assert_eq!(places("a.rs", rust, 6), Some(vec![6, 5, 4]));
        assert_eq!(places("a.rs", rust, 1), Some(vec![4]));
        assert_eq!(places("a.xyz", rust, 6), None, "an unknown language");
        // What opens a block when the file is loaded cannot be taken away.
        assert_eq!(places("a.py", "class A:\n    x = 1\n", 1), Some(vec![]));
    }

    #[test]
    fn nothing_stands_in_the_place_of_the_lines_but_their_words() {
        let idle = |at| texts(&[other_sources(PYTHON.as_bytes(), &at).unwrap().idle]).remove(0);
        assert_eq!(
            idle(at("a.py", 3, Some(5))),
            "LIMIT = 5\ndef add(a, b):\n    pass  # x = f(\n    pass  # a)\n    pass  # return x - b\n# end\n"
        );
        assert!(idle(at("a.py", 2, None)).contains("):\n    if len('0') == 1: return\n    x"));
    }
}
