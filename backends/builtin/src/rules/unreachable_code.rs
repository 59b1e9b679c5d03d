//! `unreachable-code`: a line that no run can come to.

use super::prelude::*;
use crate::view::indent;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "unreachable-code",
        perspective: MAINTAINABILITY,
        category: "dead-code",
        severity: Significant,
        summary: "code after an unconditional `return`, `raise`, `break` or `continue`",
        why: "It never runs: either the jump is too early, or the code after it is a leftover.",
        fix: "Delete the code, or move the jump to where it belongs.",
        examples: &[RuleExample {
            path: "src/orders.py",
            bad: "def total(rows):\n    return 0\n    return sum(rows)\n",
            good: "def total(rows):\n    return sum(rows)\n",
        }],
    },
    scope: RuleScope::Production,
    guards: Guarded::Code,
    languages: &[Language::Python],
    claims: &["unreachable", "dead code", "never runs"],
    check: RuleCheck::Line {
        needles: &["return", "raise", "continue", "break"],
        look: check_line,
    },
};

pattern!(JUMP, r"^\s*(return\b.*|raise\b.*|continue|break)\s*$");

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    let code = line.code();
    let Some(found) = JUMP.captures(&code) else {
        return;
    };
    let jump = found[1].trim();
    // An expression that goes on below is no whole statement.
    let open = |text: &str, a: char, b: char| text.matches(a).count() > text.matches(b).count();
    let goes_on = jump.ends_with(['\\', '(', '[', '{', ','])
        || open(jump, '(', ')')
        || open(jump, '[', ']')
        || open(jump, '{', '}');
    if goes_on
        || line.text().contains("\"\"\"")
        || line.text().contains("'''")
        || ends_in_literal(line)
    {
        return;
    }
    let below = (1..6).map_while(|by| line.text_near(by).map(|text| (by, text)));
    let next = below
        .into_iter()
        .find(|(_, text)| !text.trim().is_empty() && !text.trim_start().starts_with('#'));
    let Some((by, next)) = next else { return };
    let word = next.trim_start();
    let starts = word.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '@');
    let clause = [
        "else",
        "elif",
        "except",
        "finally",
        "case ",
        "def ",
        "class ",
        "async def ",
        "@",
    ]
    .iter()
    .any(|w| word.starts_with(w));
    // `yield` behind a return makes the function a generator: that is done on purpose.
    if indent(next) == line.indent()
        && line.indent() > 0
        && starts
        && !clause
        && !word.starts_with("yield")
    {
        let last = line.number().saturating_add_signed(by);
        hits.push(line.lines_hit(last, format!("The code after `{jump}` never runs.")));
    }
}

/// Whether a literal that begins on this line may go on below.
fn ends_in_literal(line: &LineView<'_, '_>) -> bool {
    let text = line.text();
    line.literals().last().is_some_and(|(start, literal)| {
        start + literal.len() == text.len() && !literal.ends_with(['"', '\''])
    })
}
