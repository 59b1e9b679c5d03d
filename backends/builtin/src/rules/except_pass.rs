//! `except-pass`: Python that catches everything and does nothing.

use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "except-pass",
        perspective: ERROR_PATHS,
        category: "swallowed-error",
        severity: Significant,
        summary: "a Python handler that catches every exception and does nothing",
        why: "Every failure in the block disappears, bugs as well as expected errors, and the program continues in \
              whatever state it is in.",
        fix: "Catch only the exception that you expect, and log or re-raise the others.",
        examples: &[RuleExample {
            path: "src/cache.py",
            bad: "try:\n    cache.flush()\nexcept Exception:\n    pass\n",
            good: "try:\n    cache.flush()\nexcept FileNotFoundError:\n    pass\n",
        }],
    },
    scope: RuleScope::Production,
    guards: Guarded::Code,
    languages: &[Language::Python],
    claims: &[
        "except: pass",
        "except exception",
        "swallow",
        "silently ignore",
    ],
    check: RuleCheck::Line {
        needles: &["except"],
        look: check_line,
    },
};

pattern!(
    BROAD,
    r"^\s*except\s*(?:\(?\s*(?:[\w.]+\s*,\s*)*(?:Base)?Exception(?:\s*,\s*[\w.]+)*\s*,?\s*\)?\s*(?:as\s+\w+\s*)?)?:\s*(pass|\.\.\.|continue)?\s*$"
);

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    let code = line.code();
    let Some(found) = BROAD.captures(&code) else {
        return;
    };
    let does = found
        .get(1)
        .map(|m| m.as_str())
        .or_else(|| line.next_text().map(first_word));
    if matches!(does, Some("pass" | "..." | "continue")) {
        let last = if found.get(1).is_some() {
            line.number()
        } else {
            line.number() + 1
        };
        hits.push(line.lines_hit(
            last,
            "The handler catches every exception and does nothing with it.",
        ));
    }
}

fn first_word(text: &str) -> &str {
    text.split('#').next().unwrap_or_default().trim()
}
