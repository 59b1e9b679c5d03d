//! `added-excuse`: a change that excuses itself.

use super::prelude::*;
use crate::excuse::Suppression;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "added-excuse",
        perspective: HYGIENE,
        category: "excuses",
        severity: Minor,
        summary: "an excuse for a rule that the change itself adds",
        why: "An excuse counts only where it stood before the change: what is under review cannot excuse itself. This one \
              counts from the next change on.",
        fix: "Look at what is excused and at the reason; nothing else is needed.",
        examples: &[],
    },
    scope: RuleScope::Fresh,
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
        "" => format!("The change excuses itself from `{rules}`, and gives no reason."),
        _ => format!(
            "The change excuses itself from `{rules}`; the excuse counts from the next change on."
        ),
    };
    hits.push(line.line_hit(described));
}
