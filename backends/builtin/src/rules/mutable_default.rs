//! `mutable-default`: Python's default argument that all calls share.

use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "mutable-default",
        perspective: MAINTAINABILITY,
        category: "traps",
        severity: Significant,
        summary: "a mutable default argument in Python",
        why: "The list or dictionary is created once, when the function is defined: what one call adds, the next call \
              finds.",
        fix: "Use `None` as the default, and create the value inside the function.",
        examples: &[RuleExample {
            path: "src/orders.py",
            bad: "def add(item, items=[]):\n    items.append(item)\n",
            good: "def add(item, items=None):\n    items = items or []\n",
        }],
    },
    scope: RuleScope::Production,
    guards: Guarded::Code,
    languages: &[Language::Python],
    claims: &["mutable default", "default argument"],
    check: RuleCheck::Line {
        needles: &["[]", "{}", "list()", "dict()", "set()", "[ ]", "{ }"],
        look: check_line,
    },
};

pattern!(
    DEFAULT,
    r"(?:^\s*(?:async\s+)?def\s+\w+\(.*?)\b(\w+)\s*(?::(?:[^=,\[\]]|\[[^\]]*\])+)?=\s*(\[\s*\]|\{\s*\}|list\(\)|dict\(\)|set\(\))"
);

pattern!(
    /// A parameter on a line of its own, as formatters write it.
    PARAMETER,
    r"^\s*(\w+)\s*(?::(?:[^=,\[\]]|\[[^\]]*\])+)?=\s*(?:\[\s*\]|\{\s*\}|list\(\)|dict\(\)|set\(\))\s*(?:,|\)|$)"
);
pattern!(DEFINITION, r"^\s*(?:async\s+)?def\s+\w+\(");

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    let code = line.code();
    let in_definition = || {
        let whole = line.statement();
        whole.is_some_and(|whole| DEFINITION.is_match(&whole.code))
    };
    let alone = || PARAMETER.captures(&code).filter(|_| in_definition());
    let Some(found) = DEFAULT.captures(&code).or_else(alone) else {
        return;
    };
    let name = &found[1];
    let described = format!("The default of `{name}` is shared by all calls.");
    let hit = line.line_hit(described);
    // Only read, it does no harm yet.
    hits.push(if is_changed(line, name) {
        hit
    } else {
        hit.with_severity(Minor)
    });
}

/// Whether the lines below change the argument.
fn is_changed(line: &LineView<'_, '_>, name: &str) -> bool {
    let starts = |text: &str| {
        let text = text.trim_start().strip_prefix(name);
        text.is_some_and(|rest| {
            [
                ".append",
                ".add",
                ".update",
                ".extend",
                ".insert",
                ".pop",
                ".setdefault",
                "[",
            ]
            .iter()
            .any(|m| rest.starts_with(m))
        })
    };
    (1..30)
        .map_while(|by| line.text_near(by))
        .take_while(|text| !text.trim_start().starts_with("def "))
        .any(starts)
}
