//! What stands in the tree beside the new files of a change, by whatever makes two paths the same for somebody.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use council_protocol::Side;
use council_protocol::change::FileStatus;

use crate::view::{ChangeView, FileView};

/// Whether nothing stood at the path of a file before the change.
pub(crate) fn is_new(file: &FileView<'_>) -> bool {
    matches!(file.change.status, FileStatus::Added | FileStatus::Renamed)
}

/// The folders that a path lies in, the outermost first.
pub(crate) fn folders_of(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(at, _)| &path[..at])
}

/// The folders of a path, and the path itself.
fn parts_of(path: &str) -> impl Iterator<Item = &str> {
    folders_of(path).chain([path])
}

/// What stands in the tree where a new file or one of its folders stands, if only what `fold` leaves of a path counted:
/// by that. New files are compared with each other elsewhere. Digests stand for paths: there may be very many.
pub(crate) fn paths_beside(
    change: &ChangeView<'_>,
    fold: &dyn Fn(&str) -> String,
) -> HashMap<String, String> {
    let (mut wanted, mut spelled) = (HashSet::new(), HashSet::new());
    let files = change.files.iter().filter(|file| file.exists());
    let new: Vec<&FileView<'_>> = files.filter(|file| is_new(file)).collect();
    for path in new.iter().flat_map(|file| parts_of(&file.path)) {
        wanted.insert(digest(&fold(path)));
        spelled.insert(digest(path));
    }
    let mut beside = HashMap::new();
    if wanted.is_empty() {
        return beside;
    }
    let own: HashSet<u64> = new.iter().map(|file| digest(&file.path)).collect();
    let entries = change.blobs.entries(Side::New).ok().flatten();
    for entry in entries.unwrap_or_default() {
        let path = entry.path.display();
        if own.contains(&digest(&path)) {
            continue;
        }
        for part in parts_of(&path).filter(|part| !spelled.contains(&digest(part))) {
            let folded = fold(part);
            if wanted.contains(&digest(&folded)) {
                beside.entry(folded).or_insert_with(|| part.to_owned());
            }
        }
    }
    beside
}

fn digest(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
pub(crate) mod testing {
    use std::sync::Arc;

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
        fn read(&self, _: Side, _: &RepoPath) -> Result<Option<Arc<[u8]>>, BlobError> {
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

    /// What a rule says when `there` stands in the tree and `added` is new.
    pub(crate) fn said_of_path(rule: &str, there: &str, added: &str) -> Option<String> {
        let fixture = RuleFixture::parse(&format!("=== {added}\n+b\n"));
        let tree = Tree(vec![there.into(), added.into()]);
        let change = ChangeView::new(&fixture.packet, &tree);
        let found = scan_change(&change, &ActiveRules::all(&RuleSettings::default()));
        let mut found = found.into_iter().filter(|f| f.rule.info.id == rule);
        found.next().map(|f| f.hit.description)
    }
}
