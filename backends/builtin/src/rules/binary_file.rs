//! `binary-file`: a program, an archive or compiled code in the repository.

use council_protocol::change::{FileKind, FileStatus};

use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "binary-file",
        perspective: HYGIENE,
        category: "binaries",
        severity: Significant,
        summary: "a program, library, archive or compiled file",
        why: "Nobody can review it, every clone carries it for ever, and it can contain anything: the xz backdoor was \
              hidden in test data.",
        fix: "Build it from source, or download it and check its digest; keep large data outside the repository.",
        examples: &[],
    },
    scope: RuleScope::Everywhere,
    languages: &[],
    claims: &["binary", "executable", "archive"],
    check: RuleCheck::File(check_file),
};

const PROGRAMS: [&str; 17] = [
    "exe", "dll", "so", "dylib", "a", "lib", "o", "obj", "class", "jar", "war", "pyc", "pyd",
    "wasm", "node", "msi", "apk",
];
const ARCHIVES: [&str; 11] = [
    "zip", "gz", "tgz", "xz", "bz2", "7z", "rar", "tar", "zst", "whl", "dmg",
];

fn check_file(file: &FileView<'_>, hits: &mut HitList) {
    let new = matches!(
        file.change.status,
        FileStatus::Added | FileStatus::Modified | FileStatus::TypeChanged
    );
    if file.change.kind != FileKind::Binary || !new {
        return;
    }
    let ending = file
        .file_name()
        .rsplit_once('.')
        .map(|(_, ending)| ending.to_ascii_lowercase())
        .unwrap_or_default();
    let ending = ending.as_str();
    let data = matches!(file.role, FileRole::Test | FileRole::Example);
    let wrapper =
        file.file_name() == "gradle-wrapper.jar" || file.file_name() == "maven-wrapper.jar";
    let known = file.change.old_mode != 0;
    if wrapper && known {
        // It changes with every update of the build tool.
    } else if PROGRAMS.contains(&ending) {
        let hit = file.file_hit(format!("`{}` is compiled code.", file.file_name()));
        hits.push(if data || wrapper {
            hit.with_severity(Minor)
        } else {
            hit
        });
    } else if ARCHIVES.contains(&ending) && !data {
        let hit = file.file_hit(format!("`{}` is an archive.", file.file_name()));
        hits.push(if known { hit.with_severity(Minor) } else { hit });
    } else if file.change.new_mode == 0o100_755 && ending.is_empty() {
        hits.push(file.file_hit(format!(
            "`{}` is a program without its source.",
            file.file_name()
        )));
    }
}
