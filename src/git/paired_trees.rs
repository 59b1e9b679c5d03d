//! Whether paths differ between two trees: a folder that several of the paths lie in is looked up once.

use std::collections::HashMap;
use std::sync::Arc;

use super::error::GitError;
use super::id::{ObjectFormat, ObjectId};
use super::tree;
use super::tree_item::{ItemSort, TreeItem};

/// What stands at one path in both trees.
type ItemPair = (Option<TreeItem>, Option<TreeItem>);

/// Gives the bytes of a tree.
pub(super) type TreeReader<'r> = &'r mut dyn FnMut(ObjectId) -> Result<Arc<[u8]>, GitError>;

/// Two trees, and what is known of their folders.
pub(super) struct PairedTrees<'p> {
    format: ObjectFormat,
    roots: (ObjectId, ObjectId),
    known: HashMap<&'p [u8], ItemPair>,
}

impl<'p> PairedTrees<'p> {
    pub(super) fn new(format: ObjectFormat, roots: (ObjectId, ObjectId)) -> Self {
        Self {
            format,
            roots,
            known: HashMap::new(),
        }
    }

    /// Whether something else stands at a path in one tree than in the other.
    pub(super) fn differ_at(
        &mut self,
        read: TreeReader<'_>,
        path: &'p [u8],
    ) -> Result<bool, GitError> {
        let root = |id| Some(TreeItem::new(0o040_000, id));
        let mut at = (root(self.roots.0), root(self.roots.1));
        let mut start = 0;
        for end in memchr::memchr_iter(b'/', path).chain([path.len()]) {
            let is_tree =
                |item: Option<TreeItem>| item.filter(|item| item.sort() == ItemSort::Tree);
            let (old, new) = (is_tree(at.0), is_tree(at.1));
            if old.map(|old| old.id) == new.map(|new| new.id) {
                return Ok(false);
            }
            at = match self.known.get(&path[..end]) {
                Some(known) => *known,
                None => {
                    let name = &path[start..end];
                    let pair = (
                        self.item_in(read, old, name)?,
                        self.item_in(read, new, name)?,
                    );
                    self.known.insert(&path[..end], pair);
                    pair
                }
            };
            start = end + 1;
        }
        Ok(at.0 != at.1)
    }

    fn item_in(
        &self,
        read: TreeReader<'_>,
        tree: Option<TreeItem>,
        name: &[u8],
    ) -> Result<Option<TreeItem>, GitError> {
        let Some(tree) = tree else {
            return Ok(None);
        };
        Ok(tree::find_item(&read(tree.id)?, self.format, name))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::*;

    type Listing = BTreeMap<String, u8>;

    /// Trees by their id, as a store has them.
    #[derive(Default)]
    struct StoredTrees(HashMap<ObjectId, Arc<[u8]>>);

    fn id_of(seed: &[u8]) -> ObjectId {
        let found =
            super::super::libgit2::sha1_id(super::super::object_store::ObjectKind::Tree, seed);
        found.unwrap()
    }

    impl StoredTrees {
        /// Stores the files below a folder. Files have lower-case names and folders upper-case ones, so none is both.
        fn store(&mut self, files: &Listing) -> ObjectId {
            let mut items: BTreeMap<&str, (&str, ObjectId)> = BTreeMap::new();
            let tops: BTreeSet<&str> = files
                .keys()
                .map(|path| path.split('/').next().unwrap())
                .collect();
            for top in tops {
                let below: Listing = files
                    .iter()
                    .filter_map(|(path, text)| {
                        let (folder, rest) = path.split_once('/')?;
                        (folder == top).then(|| (rest.to_owned(), *text))
                    })
                    .collect();
                let item = match files.get(top) {
                    Some(text) => ("100644", id_of(&[*text])),
                    None => ("40000", self.store(&below)),
                };
                items.insert(top, item);
            }
            let mut bytes = Vec::new();
            for (name, (mode, id)) in items {
                bytes.extend(format!("{mode} {name}\0").bytes());
                bytes.extend(id.as_bytes());
            }
            let id = id_of(&bytes);
            self.0.insert(id, bytes.into());
            id
        }
    }

    proptest! {
        /// Two trees differ at a path where their listings do, whatever was asked before.
        #[test]
        fn trees_differ_where_their_listings_do(
            old in proptest::collection::btree_map("([AB]/){0,2}[ab]", 0..3_u8, 0..8),
            new in proptest::collection::btree_map("([AB]/){0,2}[ab]", 0..3_u8, 0..8),
            asked in proptest::collection::vec("([AB]/){0,2}[ab]", 1..12),
        ) {
            let mut trees = StoredTrees::default();
            let roots = (trees.store(&old), trees.store(&new));
            let mut pair = PairedTrees::new(ObjectFormat::Sha1, roots);
            let mut read = |id: ObjectId| Ok(Arc::clone(&trees.0[&id]));
            for path in &asked {
                let differs = pair.differ_at(&mut read, path.as_bytes()).unwrap();
                prop_assert_eq!(differs, old.get(path) != new.get(path), "{}", path);
            }
        }
    }
}
