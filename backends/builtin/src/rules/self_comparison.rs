//! `self-comparison`: a value compared with itself.

use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "self-comparison",
        perspective: MAINTAINABILITY,
        category: "traps",
        severity: Significant,
        summary: "a value compared or combined with itself",
        why: "The result is always the same; one of the two sides was meant to be something else.",
        fix: "Compare with the value that was meant.",
        examples: &[RuleExample {
            path: "src/orders.js",
            bad: "if (order.id === order.id) {\n",
            good: "if (order.id === other.id) {\n",
        }],
    },
    scope: RuleScope::Production,
    guards: Guarded::Code,
    languages: &[
        Language::Rust,
        Language::Python,
        Language::Go,
        Language::Script,
        Language::Java,
        Language::Kotlin,
        Language::CSharp,
        Language::C,
        Language::Swift,
        Language::Php,
        Language::Ruby,
        Language::Dart,
    ],
    claims: &[
        "compared with itself",
        "self-comparison",
        "identical operands",
        "itself",
    ],
    check: RuleCheck::Line {
        needles: &[
            " == ", " === ", " >= ", " <= ", " && ", " || ", " and ", " or ",
        ],
        look: check_line,
    },
};

pattern!(
    PAIR,
    r"([\w.]+(?:\(\))?(?:\[\w+\])?)\s+(===|==|>=|<=|&&|\|\||and|or)\s+([\w.]+(?:\(\))?(?:\[\w+\])?)"
);

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    let code = line.code();
    for found in PAIR.captures_iter(&code) {
        let (Some(left), operator, Some(right)) = (found.get(1), &found[2], found.get(3)) else {
            continue;
        };
        let same =
            left.as_str() == right.as_str() && left.as_str().chars().any(char::is_alphabetic);
        // `a.b() == a.b()` may differ from call to call; a longer operand may begin or go on around the match.
        let called = left.as_str().contains('(');
        let before = code[..left.start()].trim_end();
        let after = code[right.end()..].trim_start();
        let alone = !before
            .ends_with(|c: char| "+-*/%&|^<>=!.~\x22'`:?$@#\\".contains(c) && !is_logic(before))
            && !after.starts_with(|c: char| "+-*/%([.<>=!:\x22'`{".contains(c))
            && !["in ", "not ", "is ", "instanceof "]
                .iter()
                .any(|word| after.starts_with(word));
        // In Kotlin `and`, `shl` and every other function between two operands bind tighter than `==`.
        let is_infix = line.file.language == Language::Kotlin
            && (is_within_infix(before) || INFIX_AFTER.is_match(after));
        if same
            && !called
            && alone
            && !is_infix
            && before
                .chars()
                .last()
                .is_none_or(|c| "({[,;&|=!".contains(c) || word_ends(before))
        {
            hits.push(line.line_hit(format!(
                "`{} {operator} {0}` is always the same.",
                left.as_str()
            )));
            return;
        }
    }
}

pattern!(
    /// A function behind an operand, as in `x == x and mask`.
    INFIX_AFTER,
    r"^[a-z]\w*\s+[\w(]"
);

/// Whether the word before an operand stands behind another operand: `(x ushr 3) and 1 == 1`.
fn is_within_infix(before: &str) -> bool {
    let rest = before.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_');
    let word = &before[rest.len()..];
    const STATEMENTS: [&str; 8] = [
        "if", "while", "return", "assert", "else", "when", "throw", "in",
    ];
    let is_operand = |c: char| c.is_alphanumeric() || matches!(c, ')' | ']' | '_' | '"' | '\'');
    !word.is_empty() && !STATEMENTS.contains(&word) && rest.trim_end().ends_with(is_operand)
}

/// Whether the text ends with an operator that begins a new operand.
fn is_logic(before: &str) -> bool {
    before.ends_with("&&") || before.ends_with("||")
}

fn word_ends(before: &str) -> bool {
    [
        "if", "while", "return", "and", "or", "not", "assert", "elif", "unless",
    ]
    .iter()
    .any(|word| {
        before
            .strip_suffix(word)
            .is_some_and(|rest| !rest.ends_with(|c: char| c.is_alphanumeric() || c == '_'))
    })
}
