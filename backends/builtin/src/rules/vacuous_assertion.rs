//! `vacuous-assertion`: an assertion that cannot fail.

use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "vacuous-assertion",
        perspective: TESTS,
        category: "weak-tests",
        severity: Significant,
        summary: "an assertion that cannot fail",
        why: "The test passes whatever the code does; it only looks as if it checked something.",
        fix: "Assert what the code should have done.",
        examples: &[RuleExample {
            path: "tests/test_orders.py",
            bad: "def test_total():\n    assert (total() == 3, \"wrong total\")\n",
            good: "def test_total():\n    assert total() == 3, \"wrong total\"\n",
        }],
    },
    scope: RuleScope::Tests,
    guards: Guarded::Code,
    languages: &[],
    claims: &[
        "assert true",
        "assert(true",
        "always true",
        "cannot fail",
        "vacuous",
        "tautolog",
    ],
    check: RuleCheck::Line {
        needles: &["assert", "expect("],
        look: check_line,
    },
};

pattern!(
    TRUE,
    r"(?x)^\s*assert\s+True\s*(?:,.*)?$ | \bassert!\(\s*true\s*[,)] | \bassert_eq!\(\s*true\s*,\s*true\s*[,)]
    | \bself\.assertTrue\(\s*True\s*[,)] | \bassert\.True\(\s*(?:t\s*,\s*)?true\s*[,)]
    | \bexpect\(\s*(?:true\s*\)\.(?:toBe\(\s*true|toBeTruthy\(|toEqual\(\s*true)|1\s*\)\.toBe\(\s*1\s*\)) | \bassert\(\s*true\s*\)"
);
pattern!(TUPLE, r#"^\s*assert\s*\((.+),\s*f?["'].*\)\s*$"#);
pattern!(
    SAME,
    r"\bassert(?:_eq!|Equals?|Equal)\(\s*([\w.]+(?:\(\))?)\s*,\s*([\w.]+(?:\(\))?)\s*\)"
);

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    let code = line.code();
    let tuple = line.file.language == Language::Python
        && TUPLE
            .captures(&line.without_comments())
            .is_some_and(|found| balanced_arguments(&found[1]));
    let same = SAME
        .captures(&code)
        .is_some_and(|found| found[1] == found[2] && !found[1].contains('('))
        && !tests_equality(line);
    if tuple {
        hits.push(line.line_hit("A tuple is always true: the comparison inside it has no effect."));
    } else if TRUE.is_match(&code) {
        hits.push(line.line_hit("The assertion checks a constant."));
    } else if same {
        hits.push(
            line.line_hit("A value is compared with itself.")
                .with_severity(Minor),
        );
    }
}

fn balanced_arguments(text: &str) -> bool {
    text.matches('(').count() == text.matches(')').count()
}

pattern!(DECLARED, r"\b(?:fn|def|void|fun|func|function)\s+(\w+)");

/// Whether the test is about equality itself: then a value must equal itself.
fn tests_equality(line: &LineView<'_, '_>) -> bool {
    let above = (1..40).filter_map(|by| line.text_near(-by));
    let name = above.into_iter().find_map(|text| DECLARED.captures(text));
    name.is_some_and(|found| {
        let name = found[1].to_ascii_lowercase();
        ["equal", "_eq", "hash", "reflexiv", "compare"]
            .iter()
            .any(|word| name.contains(word))
    })
}
