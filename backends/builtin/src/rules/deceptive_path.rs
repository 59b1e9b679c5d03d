//! `deceptive-path`: a path that is not shown as it is read, or that holds what cannot be seen.

use council_protocol::change::FileStatus;

use super::prelude::*;
use crate::unicode::{character_name, find_invisible, is_bidi_control};

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "deceptive-path",
        perspective: SECURITY,
        category: "unicode",
        severity: Critical,
        summary: "a path with a bidirectional control (critical) or an invisible character (significant)",
        why: "Two different files can have names that look the same, and a name displayed in another order hides the \
              file's type.",
        fix: "Rename the file.",
        examples: &[],
    },
    scope: RuleScope::Always,
    languages: &[],
    claims: &["invisible", "bidi", "file name", "path"],
    check: RuleCheck::File(check_file),
};

fn check_file(file: &FileView<'_>, hits: &mut HitList) {
    let is_new = matches!(file.change.status, FileStatus::Added | FileStatus::Renamed);
    if !is_new || !file.exists() {
        return;
    }
    let bidi = file.path.chars().find(|&c| is_bidi_control(c));
    let Some(c) = bidi.or_else(|| find_invisible(&file.path, false)) else {
        return;
    };
    let (code, name) = (u32::from(c), character_name(c));
    let hit = file.file_hit(format!("The path holds U+{code:04X} ({name})."));
    hits.push(match bidi {
        Some(_) => hit,
        None => hit.with_severity(Significant),
    });
}
