//! `unportable-path`: a path that some machines cannot check out.

use std::collections::HashMap;

use council_protocol::change::FileStatus;

use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "unportable-path",
        perspective: HYGIENE,
        category: "portability",
        severity: Minor,
        summary: "a path that Windows or macOS cannot check out",
        why: "On a file system that ignores case, or where the name is reserved, the checkout fails or one file \
              overwrites the other.",
        fix: "Rename the file.",
        examples: &[],
    },
    scope: RuleScope::Everywhere,
    languages: &[],
    claims: &["case-insensitive", "windows", "reserved name", "path"],
    check: RuleCheck::Change(check_change),
};

const RESERVED: [&str; 8] = ["con", "prn", "aux", "nul", "com1", "com2", "lpt1", "lpt2"];

fn check_change(change: &ChangeView<'_>, hits: &mut HitList) {
    let mut folded: HashMap<String, &str> = HashMap::new();
    for file in change.files.iter().filter(|file| file.exists()) {
        let new = matches!(file.change.status, FileStatus::Added | FileStatus::Renamed);
        let other = folded.insert(file.path.to_lowercase(), &file.path);
        if let Some(other) = other {
            hits.push(file.file_hit(format!("The path differs from `{other}` in case alone.")));
        } else if let Some(why) = file
            .path
            .split('/')
            .find_map(unportable_part)
            .filter(|_| new)
        {
            hits.push(file.file_hit(format!("Windows cannot check the path out: {why}.")));
        }
    }
}

/// Why Windows cannot have a part of a path.
fn unportable_part(part: &str) -> Option<&'static str> {
    let stem = part.split('.').next().unwrap_or(part).to_ascii_lowercase();
    if part.contains(['<', '>', ':', '"', '|', '?', '*', '\\']) {
        Some("a character that it does not allow")
    } else if part.ends_with(['.', ' ']) {
        Some("a dot or space at the end")
    } else if RESERVED.contains(&stem.as_str()) {
        Some("a reserved name")
    } else {
        None
    }
}
