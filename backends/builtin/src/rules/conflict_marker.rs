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
              parse it.",
        fix: "Choose between the two sides, and delete the marker lines.",
        examples: &[RuleExample {
            path: "src/limits.py",
            bad: "<<<<<<< HEAD\nLIMIT = 10\n=======\nLIMIT = 20\n>>>>>>> feature/limits\n",
            good: "LIMIT = 20\n",
        }],
    },
    scope: RuleScope::Everywhere,
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
    // A single marker in prose or test data may be a quotation; the whole pattern is a conflict.
    let whole = line
        .file
        .fact("several-markers", || holds_several(line.file));
    let quoted = matches!(
        line.file.role,
        FileRole::Test | FileRole::Example | FileRole::Docs
    );
    if quoted && (!whole || line.literals().next().is_some()) {
        return;
    }
    hits.push(line.line_hit(format!(
        "The line begins with the git conflict marker `{mark}`."
    )));
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
