//! `line-ending-flip`: a file whose every line has changed, and none has.

use council_protocol::LineKind;

use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "line-ending-flip",
        perspective: HYGIENE,
        category: "whitespace",
        severity: Minor,
        summary: "a file whose line endings are changed",
        why: "The diff shows every line as changed, which hides the real changes, and blame no longer knows who wrote \
              what.",
        fix: "Restore the line endings, and enforce them in `.gitattributes` (`* text=auto`).",
        examples: &[],
    },
    scope: RuleScope::Everywhere,
    guards: Guarded::Code,
    languages: &[],
    claims: &["line ending", "crlf"],
    check: RuleCheck::File(check_file),
};

/// Lines that differ in their ending alone.
const MIN_FLIPPED_LINES: usize = 5;

/// And that are this part of the file at least: some stray lines hide nothing.
const MIN_SHARE: usize = 5;

/// How many lines the file had.
fn line_count(file: &FileView<'_>) -> usize {
    file.text_before().map_or(0, |text| text.lines().count())
}

fn check_file(file: &FileView<'_>, hits: &mut HitList) {
    let count = |kind, carriage| {
        let lines = file
            .lines
            .iter()
            .filter(|l| l.kind == kind && !l.text.trim().is_empty());
        lines.filter(|l| l.text.ends_with('\r') == carriage).count()
    };
    let to_crlf = (
        count(LineKind::Removed, false),
        count(LineKind::Added, true),
    );
    let to_lf = (
        count(LineKind::Removed, true),
        count(LineKind::Added, false),
    );
    for ((removed, added), what) in [(to_crlf, "CRLF"), (to_lf, "LF")] {
        if removed >= MIN_FLIPPED_LINES
            && added >= MIN_FLIPPED_LINES
            && same_lines(file) >= MIN_FLIPPED_LINES.max(line_count(file) / MIN_SHARE)
        {
            if let Some(line) = file.added_lines().next() {
                hits.push(line.line_hit(format!("The lines of the file now end with {what}.")));
            }
            return;
        }
    }
}

/// Removed lines that come back with another ending.
fn same_lines(file: &FileView<'_>) -> usize {
    let added: std::collections::HashSet<&str> =
        file.added_lines().map(|line| line.text()).collect();
    let removed = file
        .removed_lines()
        .map(|line| line.text.strip_suffix('\r').unwrap_or(line.text));
    removed
        .filter(|text| !text.trim().is_empty() && added.contains(text))
        .count()
}
