//! `packed-code`: lines so long that the other rules leave them alone, although they match there.

use super::prelude::*;
use crate::scan::silenced_by_packing;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "packed-code",
        perspective: SECURITY,
        category: "coverage",
        severity: Minor,
        summary: "very long lines in which other rules match and say nothing",
        why: "Code that a program packed matches many rules by accident, so only those against attacks speak there. \
              Nothing proves that a program packed it: whoever wants to hide code can write such lines, too.",
        fix: "Commit the source and pack it in the build; or name the file as what it is (`*.min.js`, `vendor/`).",
        examples: &[],
    },
    scope: RuleScope::Always,
    guards: Guarded::Code,
    languages: &[],
    claims: &["minified", "packed", "obfuscated"],
    check: RuleCheck::File(check_file),
};

/// How many rules are named.
const MAX_NAMES: usize = 3;

fn check_file(file: &FileView<'_>, hits: &mut HitList) {
    // The name of a foreign file says already that no rule looks there.
    if file.role == FileRole::Foreign || !file.is_text() || !file.is_packed() {
        return;
    }
    let silenced = silenced_by_packing(file);
    let Some((line, _)) = silenced.first() else {
        return;
    };
    let mut names: Vec<&str> = silenced.iter().map(|(_, rule)| *rule).collect();
    names.sort_unstable();
    names.dedup();
    let more = match names.len().saturating_sub(MAX_NAMES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    names.truncate(MAX_NAMES);
    let described = format!(
        "Lines of this file are so long that rules take them for packed code: `{}`{more} matched there and did not speak.",
        names.join("`, `")
    );
    let line = file.added_lines().find(|added| added.number() == *line);
    hits.push(line.map_or_else(
        || file.file_hit(&described),
        |line| line.line_hit(&described),
    ));
}
