//! `return-in-finally`: a `finally` that throws the error away.

use super::prelude::*;
use crate::view::indent;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "return-in-finally",
        perspective: ERROR_PATHS,
        category: "swallowed-error",
        severity: Significant,
        summary: "a `return` inside `finally`",
        why: "It overrides what the block was about to do: an exception on its way out disappears, and so does the \
              value being returned.",
        fix: "Move the `return` after the block, and only clean up in `finally`.",
        examples: &[RuleExample {
            path: "src/lock.py",
            bad: "try:\n    work()\nfinally:\n    return done\n",
            good: "try:\n    work()\nfinally:\n    unlock()\nreturn done\n",
        }],
    },
    scope: RuleScope::Production,
    guards: Guarded::Code,
    languages: &[
        Language::Python,
        Language::Script,
        Language::Java,
        Language::Kotlin,
        Language::CSharp,
        Language::Php,
    ],
    claims: &["finally"],
    check: RuleCheck::Line {
        needles: &["finally"],
        look: check_line,
    },
};

pattern!(OPENED, r"(?:^\s*|\}\s*)finally\s*[:{]\s*$");
pattern!(
    INLINE,
    r"(?:^\s*|\}\s*)finally\s*(?:\{|:)\s*(?:[^{}]*;\s*)?return\b"
);
pattern!(NESTED, r"\bdef\s|\bfunction\b|=>|\blambda\b|->|\bclass\s");

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    let code = line.code();
    let described = "The `return` in this block throws away any error that is on its way out.";
    if INLINE.is_match(&code) && !NESTED.is_match(&code) {
        hits.push(line.line_hit(described));
        return;
    }
    if !OPENED.is_match(&code) {
        return;
    }
    let depth = line.indent();
    for by in 1..40 {
        let Some(text) = line.text_near(by) else {
            return;
        };
        let blank = text.trim().is_empty();
        if !blank && (indent(text) <= depth || NESTED.is_match(text)) {
            return;
        }
        let word = text.trim_start();
        if word == "return" || word.starts_with("return ") || word.starts_with("return;") {
            let last = line.number().saturating_add_signed(by);
            hits.push(line.lines_hit(last, described));
            return;
        }
    }
}
