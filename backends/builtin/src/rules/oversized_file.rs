//! `oversized-file`: a file that every clone will carry.

use council_protocol::change::FileKind;

use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "oversized-file",
        perspective: HYGIENE,
        category: "size",
        severity: Significant,
        summary: "a file larger than one mebibyte",
        why: "Git keeps every version of it for ever: each clone and each CI run downloads them all.",
        fix: "Keep it in git-lfs or another store and fetch it by its digest; shrink images; do not commit logs or \
              dumps.",
        examples: &[],
    },
    scope: RuleScope::Everywhere,
    guards: Guarded::Code,
    languages: &[],
    claims: &["large file", "oversized", "file size"],
    check: RuleCheck::File(check_file),
};

const MIB: u64 = 1024 * 1024;

fn check_file(file: &FileView<'_>, hits: &mut HitList) {
    let (Some(size), true) = (file.change.new_size, file.exists()) else {
        return;
    };
    let before = file.change.old_size.unwrap_or(0);
    let whole = matches!(file.change.kind, FileKind::Text | FileKind::Binary);
    // What was already that large is not news until it has grown by half.
    if size < MIB || !whole || size < before + before / 2 {
        return;
    }
    let tenths = size * 10 / MIB;
    let hit = file.file_hit(format!(
        "`{}` is {}.{} MiB large.",
        file.file_name(),
        tenths / 10,
        tenths % 10
    ));
    hits.push(if size < 10 * MIB {
        hit.with_severity(Minor)
    } else {
        hit
    });
}
