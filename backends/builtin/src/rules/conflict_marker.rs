//! `conflict-marker`: what git writes into a file that it could not merge.

use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "conflict-marker",
        perspective: HYGIENE,
        category: "merge",
        severity: Critical,
        summary: "a git conflict marker",
        why: "A merge was committed before it was finished. The file contains both sides, and most languages cannot \
              parse it.\n\
              The rule looks everywhere, in lockfiles, vendored, generated and minified files too. In prose it is a \
              note where each marker stands in a block of code between fences: guides to merging show them so.",
        fix: "Choose between the two sides, and delete the marker lines.",
        examples: &[RuleExample {
            path: "src/limits.py",
            bad: "<<<<<<< HEAD\nLIMIT = 10\n=======\nLIMIT = 20\n>>>>>>> feature/limits\n",
            good: "LIMIT = 20\n",
        }],
    },
    scope: RuleScope::Always,
    guards: Guarded::Code,
    languages: &[],
    claims: &["conflict marker", "merge conflict"],
    check: RuleCheck::Line {
        needles: &["<<<<<<<", ">>>>>>>", "|||||||"],
        look: check_line,
    },
};

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    let Some(mark) = conflict_marker_in(line.text()) else {
        return;
    };
    // A single marker in prose, test data or somebody else's files may be a quotation; the whole pattern is a conflict.
    let whole = line
        .file
        .fact("several-markers", || holds_several(line.file));
    let quoted = matches!(
        line.file.role,
        FileRole::Test | FileRole::Example | FileRole::Docs | FileRole::Foreign
    );
    if quoted && (!whole || line.literals().next().is_some()) {
        return;
    }
    let begins = format!("The line begins with the git conflict marker `{mark}`");
    let is_prose = line.file.language == Language::Prose;
    let shown = || line.file.fact("shown-markers", || shows_markers(line.file));
    hits.push(match is_prose && shown() {
        true => line
            .line_hit(format!(
                "{begins} (lower, because a block of code in prose shows all of them)."
            ))
            .with_severity(Minor),
        false => line.line_hit(format!("{begins}.")),
    });
}

/// Whether every marker of a text stands in a block of code between two fences, as a guide to merging shows them.
fn shows_markers(file: &FileView<'_>) -> bool {
    let Some(text) = file.text_after() else {
        return false;
    };
    let is_adoc = [".adoc", ".asciidoc"]
        .iter()
        .any(|ending| file.path.to_ascii_lowercase().ends_with(ending));
    let mut open: Option<(char, usize)> = None;
    let mut pending = false;
    for line in text.lines() {
        let is_marker = conflict_marker_in(line).is_some();
        match (open, fence_in(line, is_adoc)) {
            (None, _) if is_marker => return false,
            (None, Some((sign, length, _))) => open = Some((sign, length)),
            (Some((sign, least)), Some((other, length, true)))
                if sign == other && length >= least =>
            {
                (open, pending) = (None, false);
            }
            _ => pending |= is_marker,
        }
    }
    // A block that is never closed may be what the conflict has torn apart.
    !pending
}

/// The sign and the length of a fence, and whether nothing stands behind it.
fn fence_in(line: &str, is_adoc: bool) -> Option<(char, usize, bool)> {
    let text = line.trim();
    let sign = text.chars().next()?;
    let length = text.chars().take_while(|c| *c == sign).count();
    let is_fence = match sign {
        '`' | '~' => length >= 3,
        '-' | '.' => is_adoc && length >= 4,
        _ => false,
    };
    let is_bare = length == text.len();
    is_fence.then_some((sign, length, is_bare))
}

fn holds_several(file: &FileView<'_>) -> bool {
    let mut marks = file
        .lines
        .iter()
        .filter_map(|line| conflict_marker_in(line.text));
    marks
        .next()
        .is_some_and(|first| marks.any(|other| other != first))
}

fn conflict_marker_in(text: &str) -> Option<&str> {
    let mark = text
        .get(..7)
        .filter(|m| matches!(*m, "<<<<<<<" | ">>>>>>>" | "|||||||"))?;
    let rest = &text[7..];
    let label = rest
        .strip_prefix(' ')
        .is_some_and(|label| !label.trim().is_empty());
    label.then_some(mark)
}
