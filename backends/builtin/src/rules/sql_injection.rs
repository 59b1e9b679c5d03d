//! `sql-injection`: a statement put together from pieces.

use std::borrow::Cow;

use regex::Captures;

use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "sql-injection",
        perspective: SECURITY,
        category: "injection",
        severity: Significant,
        summary: "an SQL statement built from strings and values",
        why: "The database parses the whole string: a value that contains a quote becomes part of the statement.",
        fix: "Pass values as parameters of the statement; choose table and column names from a fixed list.",
        examples: &[RuleExample {
            path: "src/users.py",
            bad: "cursor.execute(\"SELECT * FROM users WHERE name = '\" + name + \"'\")\n",
            good: "cursor.execute(\"SELECT * FROM users WHERE name = ?\", (name,))\n",
        }],
    },
    scope: RuleScope::Production,
    guards: Guarded::Code,
    languages: &[
        Language::Python,
        Language::Script,
        Language::Ruby,
        Language::Php,
        Language::Go,
        Language::Rust,
        Language::Java,
        Language::Kotlin,
        Language::CSharp,
    ],
    claims: &["sql"],
    check: RuleCheck::Line {
        needles: &["select ", "insert into", "update ", "delete from", "where "],
        look: check_line,
    },
};

const VERB: &str =
    r"(?i:select\b[^;]*?\bfrom\s|insert\s+into\s|update\s+\S+\s+set\s|delete\s+from\s)";

pattern!(
    /// A quoted statement, then a value added to it.
    JOINED,
    &format!(r#"["'`][^"'`]*{VERB}[^"`]*["']\s*(?:\+|\.(?:\s*\$)|%)\s*[\w$(]"#)
);
pattern!(
    FORMATTED,
    &format!(
        r#"["'][^"]*{VERB}[^"]*(?:%[sdv]|\{{\w*\}})[^"]*["']{{1,3}}\s*(?:%\s*[\w(]|\.format\()"#
    )
);
pattern!(
    SPRINTF,
    &format!(
        r#"(?:Sprintf|String\.format|sprintf|format!|concat!)\(\s*["'`][^"`]*{VERB}[^"`]*(?:%[sdvq]|\{{[\w:?]*\}})"#
    )
);
pattern!(
    F_STRING,
    &format!(r#"\b[rb]?f[rb]?["']{{1,3}}[^"']*{VERB}[^"]*\{{[^{{}}]+\}}"#)
);
pattern!(TEMPLATE, &format!(r"`[^`]*{VERB}[^`]*\$\{{"));
pattern!(RUBY, &format!(r##""[^"]*{VERB}[^"]*#\{{"##));
pattern!(PHP, &format!(r#""[^"]*{VERB}[^"]*\{{?\$\w"#));
pattern!(CSHARP, &format!(r#"\$@?"[^"]*{VERB}[^"]*\{{"#));
pattern!(
    /// What is put in is a constant, a list of placeholders, or has been quoted.
    HARMLESS,
    r"(?i)placeholder|quote|escape|sanitiz|sql\.identifier|\bsql`|prisma\.sql|\$(?:query|execute)raw(?:<[^>`]*>)?`|\bq_?marks?\b|literal"
);
pattern!(
    /// Every inserted value is a constant by its name.
    CONSTANTS,
    r#"^(?:[^{$%+#]|\$?\{[A-Z][A-Z0-9_.]*\}|#\{[A-Z_:]+\}|\+\s*[A-Z][A-Z0-9_]+\b)*$"#
);

pattern!(
    /// `"{table}"`, `` `${table}` `` and `[{table}]` inside a statement: a quoted identifier, or a value.
    QUOTED,
    r#"([\s.=<>(])(?:\\?"(\$?\{[\w.]*\})\\?"|\\?`\$?\{[\w.]*\}\\?`|\[(\$?\{[\w.]*\})\])"#
);
pattern!(
    /// Behind these stands a value, however it is quoted: MySQL takes double quotes for those of a text, and others
    /// take brackets for a list.
    VALUE_FOLLOWS,
    r"(?i)(?:[=<>]|\b(?:like|in|not|any|all|values|between(?:\s+\S+\s+and)?)|\bwhere\b.*,|\bvalues\b.*,)\s*\(?\s*$"
);

pattern!(
    /// A statement into whose list of columns something is put.
    SELECTED,
    r#"(?i)\bselect\b[^;"`]*(?:%[sdvq]|\{[\w:?]*\})[^;"`]*\bfrom\b"#
);

/// A statement without the names that it quotes, and with single quotes around values that stand in other ones.
fn without_identifiers(text: &str) -> Cow<'_, str> {
    QUOTED.replace_all(text, |found: &Captures<'_>| {
        let (mark, whole) = (&found[1], &found[0]);
        let start = found.get(0).map_or(0, |all| all.start());
        let value = found.get(2).or_else(|| found.get(3));
        match value {
            Some(value) if VALUE_FOLLOWS.is_match(&text[..start + mark.len()]) => {
                format!("{mark}'{}'", value.as_str())
            }
            // The brackets of a call hold what it says of itself.
            _ if mark == "(" => whole.to_owned(),
            _ => mark.to_owned(),
        }
    })
}

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    // A name between the marks of an identifier is no value: no statement can take it as a parameter.
    let whole = line.without_comments();
    let text = without_identifiers(&whole);
    let text = without_marks(line, &text);
    let found = JOINED.is_match(&text)
        || SPRINTF.is_match(&text)
        // The identifier may be the only thing that is put in behind `FROM`, and not the only one in the statement.
        || (SPRINTF.is_match(&whole) && SELECTED.is_match(&text))
        || match line.file.language {
            Language::Python => FORMATTED.is_match(&text) || F_STRING.is_match(&text),
            Language::Script => TEMPLATE.is_match(&text),
            Language::Ruby => RUBY.is_match(&text),
            Language::Php => PHP.is_match(&text),
            Language::CSharp => CSHARP.is_match(&text),
            _ => false,
        };
    if found
        && !HARMLESS.is_match(&text)
        && !CONSTANTS.is_match(&text)
        && !PROSE.is_match(&text)
        && (!is_message(&text) || runs_below(line, &text))
    {
        hits.push(line.line_hit("An SQL statement is put together from strings and values."));
    }
}

pattern!(
    /// No statement has a colon and a blank behind the name of a table.
    PROSE,
    r#"(?i)["'`][^"'`]*\bdelete\s+from\s+[\w ]+:\s"#
);

/// `",".join(["?"] * n)`, `','.join('%s' for …)`, `ids.map(() => '?').join(',')`: as many marks as there are values.
const MARKS: &str = r#"(?:["'][, ]*["']\.join\(\s*\[?\s*["'](?:\?|%s)["'](?:\s*\]?\s*\*|\s+for\s)[^{}"'`]*\)|[\w.]+\.map\(\s*\(?\w*\)?\s*=>\s*["']\?["']\s*\)\.join\(["'][, ]*["']\))"#;

pattern!(
    /// Marks within a statement, in each of the ways in which a value could be put there.
    MARKS_WITHIN,
    &format!(
        r#"\$?\{{\s*{MARKS}\s*\}}|["']\s*\+\s*{MARKS}\s*(?:\+\s*["'])?|%\s*\(?{MARKS}\)?|\.format\({MARKS}\)"#
    )
);
pattern!(
    MADE,
    &format!(r"^\s*(?:const\s+|let\s+)?(\w+)\s*=\s*{MARKS}")
);

/// The most lines between marks and the statement that they stand in.
const MAX_LINES_ABOVE: i32 = 8;

/// A line without the marks for values that it puts into a statement; the last value under a name counts.
fn without_marks(line: &LineView<'_, '_>, text: &str) -> String {
    let mut out = MARKS_WITHIN.replace_all(text, "").into_owned();
    let above = (1..=MAX_LINES_ABOVE).map_while(|by| line.text_near(-by));
    let mut seen: Vec<&str> = Vec::new();
    for text in above {
        let Some(name) = assigned_name(text).filter(|name| !seen.contains(name)) else {
            continue;
        };
        seen.push(name);
        if MADE.is_match(text) {
            out = without_value(&out, name);
        }
    }
    out
}

/// The name that a line gives a value to.
fn assigned_name(text: &str) -> Option<&str> {
    let (left, right) = text.split_once('=')?;
    let name = left
        .trim_end_matches(['+', ' ', ':'])
        .rsplit(' ')
        .next()?
        .trim();
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    (is_name && !right.starts_with('=')).then_some(name)
}

/// A statement without one value, in each of the ways in which it could be put there.
fn without_value(text: &str, name: &str) -> String {
    let mut out = text.to_owned();
    for written in [
        format!("\" + {name} + \""),
        format!("' + {name} + '"),
        format!("${{{name}}}"),
        format!("{{{name}}}"),
        format!(" % {name}"),
        format!(" % ({name},)"),
        format!(".format({name})"),
    ] {
        let mut rest = std::mem::take(&mut out);
        while let Some(at) = rest.find(&written) {
            let behind = &rest[at + written.len()..];
            if behind.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
                break;
            }
            rest.replace_range(at..at + written.len(), "");
        }
        out = rest;
    }
    out
}

pattern!(SPRINTF_TO, r"\b(\w+)\s*:?=\s*fmt\.Sprintf\(");
pattern!(
    RUNS,
    r"\.(?:Exec|Query|QueryRow|Raw|Prepare)(?:Context)?\((.*)"
);

/// The most lines between a statement and the call that runs it.
const MAX_LINES_BELOW: i32 = 4;

/// Whether what `fmt.Sprintf` makes is run below: then it is no message, for all that its name says.
fn runs_below(line: &LineView<'_, '_>, text: &str) -> bool {
    let Some(made) = SPRINTF_TO.captures(text) else {
        return false;
    };
    let mut below = (1..=MAX_LINES_BELOW).map_while(|by| line.text_near(by));
    below.any(|text| {
        let run = RUNS.captures(text);
        let mut words = run.iter().flat_map(|run| {
            let words = run.get(1).map_or("", |m| m.as_str());
            words.split(|c: char| !c.is_alphanumeric() && c != '_')
        });
        words.any(|word| word == &made[1])
    })
}

/// Whether the line prints, logs or raises: then the words are prose.
fn is_message(text: &str) -> bool {
    const WORDS: [&str; 10] = [
        "print", "log.", "logger", "console.", "raise ", "throw ", "panic!", "error", "warn",
        "help=",
    ];
    let lower = text.to_ascii_lowercase();
    WORDS.iter().any(|word| lower.contains(word))
        && !lower.contains("execute")
        && !lower.contains("query")
}
