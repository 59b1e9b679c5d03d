//! `symlink-escape`: a symbolic link that points out of the repository.

use super::prelude::*;

pub(super) static RULE: Rule = Rule {
    info: RuleInfo {
        id: "symlink-escape",
        perspective: SECURITY,
        category: "path-traversal",
        severity: Significant,
        summary: "a symbolic link that points out of the repository",
        why: "Whatever follows the link reads or writes a file of the machine: a build that copies the tree takes it \
              along, a tool that writes through it changes it.",
        fix: "Point the link to a file of the repository, or commit the file itself.",
        examples: &[],
    },
    scope: Scope::Everywhere,
    languages: &[],
    claims: &["symlink", "symbolic link"],
    check: Check::File(look),
};

fn look(file: &FileView<'_>, hits: &mut Hits) {
    if file.change.kind != council_protocol::change::FileKind::Symlink || !file.exists() {
        return;
    }
    for line in file.added() {
        let target = line.text();
        if target.starts_with('/') || target.contains(":\\") || climbs_out(file.folder(), target) {
            let hit = line.hit(format!(
                "The link points to `{target}`, outside the repository."
            ));
            hits.push(if file.role == Role::Test {
                hit.severity(Minor)
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
