//! `todo-without-reference`: a debt that nobody will find again.

use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "todo-without-reference",
        perspective: MAINTAINABILITY,
        category: "debt",
        severity: Minor,
        summary: "a TODO, FIXME or XXX that names no issue and no owner",
        why: "Nobody feels responsible for a note without an owner: it stays until it is out of date.",
        fix: "Name the issue (`TODO(#123)`, a URL) or the owner (`TODO(name)`), or do it now.",
        examples: &[RuleExample {
            path: "src/retry.go",
            bad: "// TODO: back off exponentially\n",
            good: "// TODO(#412): back off exponentially\n",
        }],
    },
    scope: RuleScope::Production,
    guards: Guarded::Code,
    languages: &[],
    claims: &["todo", "fixme"],
    check: RuleCheck::Line {
        needles: &["todo", "fixme", "xxx"],
        look: check_line,
    },
};

pattern!(
    /// At the beginning of a comment, or with a colon behind it; XXX is also a pattern of dates and names.
    NOTE,
    r"^\W*(TODO|FIXME)(?:[:\s!,-]|$)|(?:^|[^\w`'\x22.-])(TODO|FIXME|XXX):"
);
pattern!(
    REFERENCE,
    r"#\d+|https?://|\b[A-Z][A-Z0-9]+-\d+\b|\b(?:GH|issue|bug|rfc|pr)[ -]?#?\d+|(?i)@\w+"
);

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    for comment in line.comments() {
        let Some(found) = NOTE.captures(comment) else {
            continue;
        };
        let referenced = REFERENCE.is_match(comment)
            || line.next_text().is_some_and(|below| {
                REFERENCE.is_match(below) && below.contains(comment_mark(comment))
            });
        if !referenced {
            hits.push(line.line_hit(format!(
                    "`{}` names no issue and no owner.",
                    found
                        .get(1)
                        .or_else(|| found.get(2))
                        .map_or("TODO", |m| m.as_str())
                )));
            return;
        }
    }
}

/// The mark of a comment, by which one that goes on below is known.
fn comment_mark(comment: &str) -> &str {
    let end = comment
        .find(|c: char| c.is_alphanumeric() || c.is_whitespace())
        .unwrap_or(comment.len());
    &comment[..end]
}
