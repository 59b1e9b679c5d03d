//! `blanket-suppression`: all warnings switched off, the ones of the future too.

use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "blanket-suppression",
        perspective: MAINTAINABILITY,
        category: "lints",
        severity: Minor,
        summary: "a comment or attribute that switches off every warning of a line or file",
        why: "It was meant for one warning, but hides all the others too, also those of later changes.",
        fix: "Name the warning (`# noqa: E501`, `eslint-disable-line no-console`, `#[expect(dead_code)]`).",
        examples: &[RuleExample {
            path: "src/orders.py",
            bad: "from orders import *  # noqa\n",
            good: "from orders import *  # noqa: F403\n",
        }],
    },
    scope: RuleScope::Production,
    guards: Guarded::Code,
    languages: &[],
    claims: &[
        "noqa",
        "eslint-disable",
        "type: ignore",
        "suppress",
        "@ts-ignore",
        "@ts-nocheck",
        "lint",
    ],
    check: RuleCheck::Line {
        needles: &[
            "noqa",
            "eslint-disable",
            "type: ignore",
            "@ts-nocheck",
            "nolint",
            "suppresswarnings",
            "pylint: disable",
            "allow(",
            "nosec",
        ],
        look: check_line,
    },
};

pattern!(
    COMMENT,
    r"(?x)\#\s*noqa\s*$ | \#\s*flake8:\s*noqa\s*$ | \#\s*pylint:\s*disable=all | \#\s*nosec\s*$
    | ^/[/*]\s*eslint-disable(?:-next-line|-line)?\s*(?:\*/|$) | @ts-nocheck\b | ^//\s*nolint\s*$"
);
pattern!(
    CODE,
    r"#!?\[allow\(\s*(warnings|unused|clippy::all)\s*[,)]|@SuppressWarnings\(\s*.?\s*(all)\b"
);

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    let comment = line.comments().find_map(|comment| COMMENT.find(comment));
    let text = line.without_comments();
    if let Some(found) = comment {
        hits.push(line.line_hit(format!(
            "`{}` switches off every warning here.",
            found.as_str().trim()
        )));
    } else if let Some(found) = CODE.captures(&text).filter(|_| {
        line.code().contains(['#', '@'])
            && !line.file.fact("writes-code", || writes_code(line.file))
    }) {
        let what = found
            .get(1)
            .or_else(|| found.get(2))
            .map_or("all", |m| m.as_str());
        hits.push(line.line_hit(format!(
            "`{what}` switches off a whole class of warnings here."
        )));
    }
}

/// Whether the file is of a macro: nobody can mend a warning about code that it writes for others.
fn writes_code(file: &FileView<'_>) -> bool {
    let quoted = |text: &str| text.contains("quote!") || text.contains("quote_spanned!");
    file.lines.iter().any(|line| quoted(line.text)) || file.text_after().is_some_and(quoted)
}
