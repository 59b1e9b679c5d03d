//! `focused-test`: one test that switches all others off.

use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "focused-test",
        perspective: TESTS,
        category: "skipped-tests",
        severity: Significant,
        summary: "a test that keeps all other tests in its file from running",
        why: "`only` is for local use. Once committed, it switches off the other tests, and the suite stays green.",
        fix: "Remove the marker.",
        examples: &[RuleExample {
            path: "src/orders.test.ts",
            bad: "it.only(\"adds up\", () => {});\n",
            good: "it(\"adds up\", () => {});\n",
        }],
    },
    scope: RuleScope::Tests,
    guards: Guarded::Code,
    languages: &[Language::Script, Language::Ruby],
    claims: &[".only", "focused test", "fdescribe", "exclusive test"],
    check: RuleCheck::Line {
        needles: &[
            ".only(",
            "fit(",
            "fdescribe(",
            "fcontext(",
            "focus: true",
            ":focus",
            "fdescribe ",
            "fcontext ",
            "fit ",
        ],
        look: check_line,
    },
};

pattern!(
    ONLY,
    r"\b(?:it|test|describe|suite|context|specify)(\.only)\("
);
pattern!(FOCUSED, r"^\s*f(?:it|describe|context)\(");
pattern!(
    RUBY,
    r"^\s*(?:it|describe|context|specify)\b.*(?:\bfocus: true|, :focus\b)|^\s*f(?:it|describe|context)\b"
);

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    let code = line.code();
    let described = "Only this test runs; the others of the file are switched off.";
    if line.file.language == Language::Ruby {
        if RUBY.is_match(&code) {
            hits.push(line.line_hit(described));
        }
    } else if let Some(mark) = ONLY.captures(&code).and_then(|found| found.get(1)) {
        let mut mended = line.text().to_owned();
        mended.replace_range(mark.range(), "");
        hits.push(line.line_hit(described).with_suggestion(mended));
    } else if FOCUSED.is_match(&code) {
        let mended = line.text().replacen('f', "", 1);
        hits.push(line.line_hit(described).with_suggestion(mended));
    }
}
