//! `symlink-escape`: a symbolic link that points out of the repository.

use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "symlink-escape",
        perspective: SECURITY,
        category: "path-traversal",
        severity: Significant,
        summary: "a symbolic link that points outside the repository",
        why: "Programs that follow the link read or write a file elsewhere on the machine: a build that copies the \
              tree includes it, a tool that writes through the link changes it.",
        fix: "Point the link at a file in the repository, or commit the file itself.",
        examples: &[],
    },
    scope: RuleScope::Always,
    guards: Guarded::Review,
    languages: &[],
    claims: &["symlink", "symbolic link"],
    check: RuleCheck::File(check_file),
};

fn check_file(file: &FileView<'_>, hits: &mut HitList) {
    if file.change.kind != council_protocol::change::FileKind::Symlink || !file.exists() {
        return;
    }
    for line in file.added_lines() {
        let target = line.text();
        if target.starts_with('/')
            || target.contains(":\\")
            || climbs_out(file.folder_path(), target)
        {
            let hit = line.line_hit(format!(
                "The link points to `{target}`, outside the repository."
            ));
            hits.push(if file.role == FileRole::Test {
                hit.with_severity(Minor)
            } else {
                hit
            });
        }
    }
}

/// Whether a target leaves the repository on its way up.
fn climbs_out(folder: &str, target: &str) -> bool {
    let mut depth = folder.split('/').filter(|part| !part.is_empty()).count();
    for part in target.split('/') {
        match part {
            ".." => match depth.checked_sub(1) {
                Some(up) => depth = up,
                None => return true,
            },
            "" | "." => {}
            _ => depth += 1,
        }
    }
    false
}
