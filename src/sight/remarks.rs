//! Edits that no program notices: what only a comment or a docstring says calls nothing, and nobody relies on it.

use std::collections::BTreeSet;

use council_syntax::language::Language;

use super::search::FileOutline;

/// Those of these lines that are code.
pub(super) fn lines_of_code(outline: &FileOutline<'_>, lines: &[u32]) -> Vec<u32> {
    let docs = match outline.language() {
        Language::Python => docstring_lines(outline),
        _ => BTreeSet::new(),
    };
    let is_code = |line: &&u32| {
        let has_words = !outline.words_at(**line).is_empty();
        let says_more = || !outline.without_comment(**line).trim().is_empty();
        !docs.contains(*line) && (has_words || says_more())
    };
    lines.iter().filter(is_code).copied().collect()
}

/// The lines of the strings that say what a module, a class or a function of Python is for.
fn docstring_lines(outline: &FileOutline<'_>) -> BTreeSet<u32> {
    let begins = outline
        .heads()
        .filter_map(|head| line_after_head(outline, head));
    let docs = begins
        .chain([1])
        .filter_map(|line| docstring_at(outline, line));
    docs.flatten().collect()
}

/// The line behind a head, which may go on over several.
fn line_after_head(outline: &FileOutline<'_>, head: u32) -> Option<u32> {
    const MAX_HEAD: u32 = 30;
    let mut lines = head..head.saturating_add(MAX_HEAD);
    let last = lines.find(|&line| outline.without_comment(line).trim_end().ends_with(':'));
    last.map(|last| last + 1)
}

/// The lines of the string that is all that a statement says, from the line on which it begins.
fn docstring_at(outline: &FileOutline<'_>, from: u32) -> Option<std::ops::RangeInclusive<u32>> {
    let mut lines = from..=outline.last_line();
    let first = lines.find(|&line| !outline.line(line).trim().is_empty())?;
    let text = outline.line(first).trim_start();
    let text = text.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let quote = ["\"\"\"", "'''"]
        .into_iter()
        .find(|quote| text.starts_with(quote))?;
    if text[quote.len()..].contains(quote) {
        return Some(first..=first);
    }
    let last = lines.find(|&line| outline.line(line).contains(quote))?;
    Some(first..=last)
}

#[cfg(test)]
mod tests {
    use council_protocol::RepoPath;

    use super::*;

    #[test]
    fn comments_and_docstrings_are_no_code() {
        for (path, text, code) in [
            (
                "a.py",
                "\"\"\"Of the module.\"\"\"\n\ndef f(\n    n,\n):\n    \"\"\"What it does:\n\n    all of it.\n    \"\"\"\n    # why\n    return \"\"\"\n    SELECT\n    \"\"\"\n",
                &[3, 4, 5, 11, 12, 13][..],
            ),
            (
                "a.js",
                "// what\nfunction f(n) {\n  /* why\n   * it is */\n  return n; // so\n}\n",
                &[2, 5, 6],
            ),
            ("a.yml", "# what\nkey: 1\n", &[2]),
        ] {
            let outline = FileOutline::of(&RepoPath::from(path), text);
            let lines: Vec<u32> = (1..=outline.last_line()).collect();
            assert_eq!(lines_of_code(&outline, &lines), code, "{path}");
        }
    }
}
