//! `added-excuse`: a change that silences a rule for itself.

use super::prelude::*;
use crate::excuse::Suppression;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "added-excuse",
        perspective: HYGIENE,
        category: "excuses",
        severity: Minor,
        summary: "a `council: allow` comment that the change itself adds",
        why: "A change cannot silence a rule for itself. The comment takes effect from the next change on.",
        fix: "Check which rules the comment silences, and its reason; there is nothing else to do.",
        examples: &[],
    },
    scope: RuleScope::Fresh,
    guards: Guarded::Review,
    languages: &[],
    claims: &["council: allow", "excuse"],
    check: RuleCheck::Line {
        needles: &["council:"],
        look: check_line,
    },
};

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    let Some(excuse) = line.comments().find_map(Suppression::parse) else {
        return;
    };
    let kept = line
        .file
        .removed_lines()
        .any(|removed| Suppression::parse(removed.text).as_ref() == Some(&excuse));
    if kept {
        return;
    }
    let rules = excuse.rules.join("`, `");
    let described = match excuse.reason.as_str() {
        "" => format!("The change adds a comment that silences `{rules}`, without a reason."),
        _ => format!("The change adds a comment that silences `{rules}` from the next change on."),
    };
    hits.push(line.line_hit(described));
}
