//! `added-excuse`: a change that excuses itself.

use super::prelude::*;
use crate::excuse::Excuse;

pub(super) static RULE: Rule = Rule {
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
    scope: Scope::Fresh,
    languages: &[],
    claims: &["council: allow", "excuse"],
    check: Check::Line {
        needles: &["council:"],
        look,
    },
};

fn look(line: &LineView<'_, '_>, hits: &mut Hits) {
    let Some(excuse) = line.comments().find_map(Excuse::read) else {
        return;
    };
    let kept = line
        .file
        .removed()
        .any(|removed| Excuse::read(removed.text).as_ref() == Some(&excuse));
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
    hits.push(line.hit(described));
}
