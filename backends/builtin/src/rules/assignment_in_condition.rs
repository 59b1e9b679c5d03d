//! `assignment-in-condition`: `=` where `==` was meant.

use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "assignment-in-condition",
        perspective: MAINTAINABILITY,
        category: "traps",
        severity: Significant,
        summary: "a constant assigned inside a condition",
        why: "The condition always has the constant's value, and the variable loses its own.",
        fix: "Compare with `==` (or `===`), or assign before the condition.",
        examples: &[RuleExample {
            path: "src/orders.js",
            bad: "if (state = \"paid\") {\n",
            good: "if (state === \"paid\") {\n",
        }],
    },
    scope: RuleScope::Production,
    guards: Guarded::Code,
    languages: &[
        Language::Script,
        Language::Java,
        Language::C,
        Language::Php,
        Language::CSharp,
        Language::Dart,
    ],
    claims: &["assignment in condition", "assignment instead of"],
    check: RuleCheck::Line {
        needles: &["if (", "if(", "while (", "while("],
        look: check_line,
    },
};

pattern!(
    ASSIGNED,
    r#"\b(?:if|while)\s*\(\s*[\w$](?:[\w.$\[\]]|->)*\s*=\s*(?:true|false|null|NULL|nullptr|undefined|\d+|["'][^"']*["'])\s*(?:\)|&&|\|\|)"#
);

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    if ASSIGNED.is_match(&line.code()) {
        hits.push(line.line_hit("The condition assigns a constant instead of comparing with it."));
    }
}
