//! `skipped-test`: a test that no longer runs.

use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "skipped-test",
        perspective: TESTS,
        category: "skipped-tests",
        severity: Significant,
        summary: "a test that is switched off",
        why: "The test is still listed but checks nothing, and most tests that are switched off are never switched on \
              again.",
        fix: "Fix the test, or name the issue that tracks it next to the marker.",
        examples: &[],
    },
    scope: RuleScope::Tests,
    guards: Guarded::Code,
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
    if found && ran_before(line) {
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

pattern!(
    NAME,
    r"\b(?:def|fn|void|fun|Task|function|class|func)\s+`?(\w+)"
);

/// Whether the test stood there without the mark: a new test that does not run yet takes nothing away.
fn ran_before(line: &LineView<'_, '_>) -> bool {
    let file = line.file;
    let removed = |name: &str| file.removed_lines().any(|old| holds_name(old.text, name));
    // A mark that makes it a test comes with the one that switches it off: it ran never, or under another framework.
    let made_a_test = [-1, 1].into_iter().any(|by| {
        let number = line.number().checked_add_signed(by);
        let marked = line
            .text_near(by)
            .is_some_and(|text| text.trim() == "@Test");
        marked && number.is_some_and(|number| file.is_added(number))
    });
    let declared = |by: i32| {
        let number = line.number().checked_add_signed(by)?;
        let name = NAME.captures(file.line_text(number)?)?[1].to_owned();
        let off = ["disable", "ignore", "_"]
            .iter()
            .any(|mark| name.starts_with(mark));
        Some(!off && !made_a_test && (!file.is_added(number) || removed(&name)))
    };
    match file.language {
        Language::Script => line.literals().next().is_some_and(|(_, title)| {
            let title = title.trim_matches(['"', '\'', '`']);
            let titled = |text: &str| {
                let mut marks = ['"', '\'', '`'].iter();
                !title.is_empty()
                    && marks.any(|mark| text.contains(&format!("{mark}{title}{mark}")))
            };
            let ran = |text: &str| titled(text) && !SCRIPT.is_match(text);
            file.removed_lines().any(|old| ran(old.text))
        }),
        Language::Go => (1..60).find_map(|by| declared(-by)).unwrap_or(false),
        _ if line.text().contains("pytestmark") => true,
        _ => (1..10).find_map(declared).unwrap_or(false),
    }
}

/// Whether a name stands in a text and is not the end of a longer one, such as `disabled_testOne`.
fn holds_name(text: &str, name: &str) -> bool {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    name.len() > 2
        && text.match_indices(name).any(|(at, _)| {
            let before = text[..at].chars().next_back();
            before.is_none_or(|c| !word(c))
        })
}
