//! `binary-file`: a program, an archive or compiled code in the repository.

use council_protocol::change::{FileKind, FileStatus};

use super::prelude::*;
use crate::rule::RuleHit;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "binary-file",
        perspective: HYGIENE,
        category: "binaries",
        severity: Significant,
        summary: "a program, library, archive or compiled file",
        why: "Nobody can review it, every clone carries it for ever, and it can contain anything: the xz backdoor was \
              hidden in test data.\n\
              Files of one kind are one finding, those that are new apart from those that were there before.",
        fix: "Build it from source, or download it and check its digest; keep large data outside the repository.",
        examples: &[],
    },
    scope: RuleScope::Everywhere,
    guards: Guarded::Code,
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
    let hit = look(file);
    let is_new = file.change.old_mode == 0;
    // A library is rebuilt for each platform at once; what is new is no rebuilt one.
    hits.0
        .extend(hit.map(|hit| hit.grouped(format!("{is_new} {}", ending(file)), "")));
}

fn ending(file: &FileView<'_>) -> String {
    let ending = file.file_name().rsplit_once('.').map(|(_, ending)| ending);
    ending.unwrap_or_default().to_ascii_lowercase()
}

fn look(file: &FileView<'_>) -> Option<RuleHit> {
    let is_there = matches!(
        file.change.status,
        FileStatus::Added | FileStatus::Modified | FileStatus::TypeChanged
    );
    if file.change.kind != FileKind::Binary || !is_there {
        return None;
    }
    let ending = ending(file);
    let name = file.file_name();
    let data = matches!(file.role, FileRole::Test | FileRole::Example);
    let wrapper = matches!(name, "gradle-wrapper.jar" | "maven-wrapper.jar");
    let known = file.change.old_mode != 0;
    if wrapper && known {
        // It changes with every update of the build tool.
        None
    } else if PROGRAMS.contains(&ending.as_str()) {
        let hit = file.file_hit(format!("`{name}` is compiled code."));
        Some(lower_if(data || wrapper, hit))
    } else if ARCHIVES.contains(&ending.as_str()) && !data {
        let hit = file.file_hit(format!("`{name}` is an archive."));
        Some(lower_if(known, hit))
    } else if file.change.new_mode == 0o100_755 && ending.is_empty() {
        Some(file.file_hit(format!("`{name}` is a program without its source.")))
    } else {
        None
    }
}

fn lower_if(is_lower: bool, hit: RuleHit) -> RuleHit {
    if is_lower {
        hit.with_severity(Minor)
    } else {
        hit
    }
}
