//! `unportable-path`: a path that some machines cannot check out.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use council_protocol::Side;
use council_protocol::change::FileStatus;

use super::prelude::*;

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
    let beside = paths_beside(change);
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

fn is_new(file: &FileView<'_>) -> bool {
    matches!(file.change.status, FileStatus::Added | FileStatus::Renamed)
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

/// The folders that a path lies in, the outermost first.
fn folders_of(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(at, _)| &path[..at])
}

/// What stands in the tree where a new file or one of its folders stands, if case did not count: by the path in lower case.
/// Files of the change itself are compared with each other elsewhere. Digests stand for paths: there may be very many.
fn paths_beside(change: &ChangeView<'_>) -> HashMap<String, String> {
    let (mut wanted, mut spelled) = (HashSet::new(), HashSet::new());
    let new = change
        .files
        .iter()
        .filter(|file| file.exists() && is_new(file));
    for path in new.flat_map(|file| parts_of(&file.path)) {
        wanted.insert(digest(&path.to_lowercase()));
        spelled.insert(digest(path));
    }
    let mut beside = HashMap::new();
    if wanted.is_empty() {
        return beside;
    }
    let own: HashSet<u64> = change.files.iter().map(|file| digest(&file.path)).collect();
    let entries = change.blobs.entries(Side::New).ok().flatten();
    for entry in entries.unwrap_or_default() {
        let path = entry.path.display();
        if own.contains(&digest(&path)) {
            continue;
        }
        for part in parts_of(&path).filter(|part| !spelled.contains(&digest(part))) {
            let lower = part.to_lowercase();
            if wanted.contains(&digest(&lower)) {
                beside.entry(lower).or_insert_with(|| part.to_owned());
            }
        }
    }
    beside
}

/// The folders of a path, and the path itself.
fn parts_of(path: &str) -> impl Iterator<Item = &str> {
    folders_of(path).chain([path])
}

fn digest(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
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
    use council_protocol::change::{BlobError, EntryKind, TreeEntry};
    use council_protocol::seat::RuleSettings;
    use council_protocol::{BlobSource, RepoPath, Side};

    use crate::applicable::ActiveRules;
    use crate::fixture::RuleFixture;
    use crate::scan::scan_change;
    use crate::view::ChangeView;

    /// The paths of both sides.
    struct Tree(Vec<RepoPath>);

    impl BlobSource for Tree {
        fn read(&self, _: Side, _: &RepoPath) -> Result<Option<std::sync::Arc<[u8]>>, BlobError> {
            Ok(None)
        }

        fn entries(&self, _: Side) -> Result<Option<Vec<TreeEntry>>, BlobError> {
            let kind = EntryKind::File;
            let entry = |path: &RepoPath| TreeEntry {
                path: path.clone(),
                kind,
                is_executable: false,
            };
            Ok(Some(self.0.iter().map(entry).collect()))
        }
    }

    /// What the rule says when `there` stands in the tree and `added` is new.
    fn said(there: &str, added: &str) -> Option<String> {
        let fixture = RuleFixture::parse(&format!("=== {added}\n+b\n"));
        let tree = Tree(vec![there.into(), added.into()]);
        let change = ChangeView::new(&fixture.packet, &tree);
        let found = scan_change(
            &change,
            &ActiveRules::new("hygiene", &RuleSettings::default()),
        );
        let mut found = found
            .into_iter()
            .filter(|f| f.rule.info.id == "unportable-path");
        found.next().map(|f| f.hit.description)
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
