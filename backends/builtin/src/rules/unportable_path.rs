//! `unportable-path`: a path that some machines cannot check out.

use std::collections::HashMap;

use super::prelude::*;
use crate::beside::{folders_of, is_new, paths_beside};

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "unportable-path",
        perspective: HYGIENE,
        category: "portability",
        severity: Minor,
        summary: "a path that Windows or macOS cannot check out",
        why: "On a file system that ignores case, or that reserves the name, the checkout fails or one file \
              overwrites the other.",
        fix: "Rename the file.",
        examples: &[],
    },
    scope: RuleScope::Everywhere,
    guards: Guarded::Code,
    languages: &[],
    claims: &["case-insensitive", "windows", "reserved name", "path"],
    check: RuleCheck::Change(check_change),
};

const RESERVED: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];

/// Whether Windows keeps a name for a device: these, and its ports `com1` to `com9` and `lpt1` to `lpt9`.
fn is_reserved(stem: &str) -> bool {
    let port = ["com", "lpt"]
        .iter()
        .find_map(|port| stem.strip_prefix(port));
    RESERVED.contains(&stem)
        || port.is_some_and(|number| matches!(number.as_bytes(), [b'1'..=b'9']))
}

fn check_change(change: &ChangeView<'_>, hits: &mut HitList) {
    let beside = paths_beside(change, &str::to_lowercase);
    let mut folded: HashMap<String, &str> = HashMap::new();
    for file in change.files.iter().filter(|file| file.exists()) {
        let lower = file.path.to_lowercase();
        let there = beside
            .get(&lower)
            .filter(|_| is_new(file))
            .map(String::as_str);
        let other = folded.insert(lower, &file.path).or(there);
        if let Some(other) = other {
            hits.push(file.file_hit(format!("The path differs from `{other}` only in case.")));
        } else if let Some((here, there)) = folder_in_another_case(file, &beside) {
            hits.push(file.file_hit(format!(
                "The folder `{here}` differs from `{there}` only in case."
            )));
        } else if let Some(why) = file
            .path
            .split('/')
            .find_map(unportable_part)
            .filter(|_| is_new(file))
        {
            hits.push(file.file_hit(format!("Windows cannot check out the path: {why}.")));
        }
    }
}

/// A folder of a new file that the tree has with other letters.
fn folder_in_another_case<'a>(
    file: &'a FileView<'_>,
    beside: &'a HashMap<String, String>,
) -> Option<(&'a str, &'a str)> {
    let folders = folders_of(&file.path).filter(|_| is_new(file));
    folders
        .filter_map(|folder| Some((folder, beside.get(&folder.to_lowercase())?.as_str())))
        .next()
}

/// Why Windows cannot have a part of a path.
fn unportable_part(part: &str) -> Option<&'static str> {
    let stem = part.split('.').next().unwrap_or(part).to_ascii_lowercase();
    if part.contains(['<', '>', ':', '"', '|', '?', '*', '\\']) {
        Some("a character that it does not allow")
    } else if part.ends_with(['.', ' ']) {
        Some("a dot or space at the end")
    } else if is_reserved(&stem) {
        Some("a reserved name")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use crate::beside::testing::said_of_path;

    /// What the rule says when `there` stands in the tree and `added` is new.
    fn said(there: &str, added: &str) -> Option<String> {
        said_of_path("unportable-path", there, added)
    }

    #[test]
    fn a_new_path_is_compared_with_the_whole_tree() {
        let told = |text: Option<&str>| text.map(str::to_owned);
        assert_eq!(
            said("a.py", "A.PY"),
            told(Some("The path differs from `a.py` only in case."))
        );
        assert_eq!(said("a.py", "b.py"), None);
        assert_eq!(
            said("src/a.py", "Src/b.py"),
            told(Some("The folder `Src` differs from `src` only in case."))
        );
        assert_eq!(said("src/a.py", "src/sub/b.py"), None);
        assert_eq!(
            said("Ärger/a.py", "ärger/a.py"),
            told(Some("The path differs from `Ärger/a.py` only in case."))
        );
    }
}
