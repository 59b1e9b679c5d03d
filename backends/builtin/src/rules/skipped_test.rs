//! `skipped-test`: a test that no longer runs.

use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "skipped-test",
        perspective: TESTS,
        category: "skipped-tests",
        severity: Significant,
        summary: "a test that is switched off",
        why: "It stays in the list and holds nothing; most tests that are switched off are never switched on again.",
        fix: "Mend the test, or name the issue that will, next to the mark.",
        examples: &[RuleExample {
            path: "tests/test_orders.py",
            bad: "@pytest.mark.skip\ndef test_total():\n    assert total() == 3\n",
            good: "@pytest.mark.skipif(sys.platform == \"win32\", reason=\"no fork\")\ndef test_total():\n    assert total() == 3\n",
        }],
    },
    scope: RuleScope::Tests,
    languages: &[],
    claims: &[
        "skipped test",
        "skip",
        "ignored test",
        "#[ignore]",
        "disabled test",
    ],
    check: RuleCheck::Line {
        needles: &[
            "#[ignore",
            "skip",
            "xit(",
            "xdescribe(",
            "xtest(",
            "@disabled",
            "@ignore",
            "[ignore",
        ],
        look: check_line,
    },
};

pattern!(RUST, r"^\s*#\[ignore\s*(?:\]|=)");
pattern!(
    PYTHON,
    r"^\s*@(?:pytest\.mark\.skip|unittest\.skip)\b(?:\(|\s*$)|^\s*pytestmark\s*=\s*pytest\.mark\.skip\b"
);
pattern!(
    SCRIPT,
    r"^\s*(?:(?:it|test|describe|suite|context)\.skip\(|x(?:it|test|describe)\()"
);
pattern!(GO, r"^\s*[tb]\.Skip(?:Now|f)?\(");
pattern!(JVM, r"^\s*@(?:Disabled|Ignore)(?:\W|$)");
pattern!(CSHARP, r"^\s*\[Ignore\b|\[(?:Fact|Theory)\(\s*Skip\s*=");
pattern!(REASON, r#"["'`][^"'`]{6,}["'`]|#\d+|https?://"#);

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    let code = line.without_comments();
    let found = match line.file.language {
        Language::Rust => RUST.is_match(&code),
        Language::Python => PYTHON.is_match(&code),
        Language::Script => SCRIPT.is_match(&code),
        // Inside `if testing.Short()` and the like it is a condition.
        Language::Go => {
            GO.is_match(&code)
                && !line
                    .text_near(-1)
                    .is_some_and(|above| above.trim_start().starts_with("if "))
        }
        Language::Java | Language::Kotlin => JVM.is_match(&code),
        Language::CSharp => CSHARP.is_match(&code),
        _ => false,
    };
    if found {
        let named = matches!(line.file.language, Language::Script);
        let below = code.trim_end().ends_with('(')
            && line.text_near(1).is_some_and(|text| REASON.is_match(text));
        let reason = if named {
            line.comments().next().is_some()
        } else {
            REASON.is_match(line.text()) || below
        };
        let hit = line.line_hit("The test no longer runs.");
        hits.push(if reason {
            hit.with_severity(Minor)
        } else {
            hit
        });
    }
}
