//! Trees as they are stored, and the walk over two of them that never enters what is equal on both sides.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::sync::Arc;

use super::error::GitError;
use super::id::{ObjectFormat, ObjectId};
use super::objects::ObjectReader;
use super::tree_item::{ItemSort, LocatedItem, RawChange, TreeItem};

/// How deep a tree may be, as in git (`core.maxTreeDepth`).
const MAX_DEPTH: usize = 2048;

/// How many entries may differ, or be listed: a bound for trees that are made to explode.
const MAX_ENTRIES: usize = 1_000_000;

/// The entries of a stored tree, in its order.
struct TreeCursor<'a> {
    rest: &'a [u8],
    /// Bytes of an id.
    length: usize,
    damaged: bool,
}

impl<'a> TreeCursor<'a> {
    fn new(bytes: &'a [u8], format: ObjectFormat) -> Self {
        Self {
            rest: bytes,
            length: format.id_length(),
            damaged: false,
        }
    }

    /// `<octal mode> SP <name> NUL <id>`.
    fn parse_item(&mut self) -> Option<(&'a [u8], TreeItem)> {
        let space = self.rest.iter().position(|&b| b == b' ')?;
        let (mode, rest) = (&self.rest[..space], &self.rest[space + 1..]);
        let mode = mode.iter().try_fold(0, |mode: u32, &digit| match digit {
            b'0'..=b'7' => mode.checked_mul(8)?.checked_add(u32::from(digit - b'0')),
            _ => None,
        })?;
        let end = memchr::memchr(0, rest)?;
        let (name, rest) = (&rest[..end], &rest[end + 1..]);
        let id = ObjectId::from_bytes(rest.get(..self.length)?)?;
        self.rest = &rest[self.length..];
        (!name.is_empty() && !name.contains(&b'/')).then(|| (name, TreeItem::new(mode, id)))
    }
}

impl<'a> Iterator for TreeCursor<'a> {
    type Item = (&'a [u8], TreeItem);

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() || self.damaged {
            return None;
        }
        let entry = self.parse_item();
        self.damaged = entry.is_none();
        entry
    }
}

/// git sorts a directory as if its name ended in a slash.
fn compare_names(one: &(&[u8], TreeItem), two: &(&[u8], TreeItem)) -> Ordering {
    let slash = |entry: TreeItem| (entry.sort() == ItemSort::Tree).then_some(b'/');
    let (a, b) = (
        one.0.iter().copied().chain(slash(one.1)),
        two.0.iter().copied().chain(slash(two.1)),
    );
    let shared = one.0.len().min(two.0.len());
    match one.0[..shared].cmp(&two.0[..shared]) {
        Ordering::Equal => a.skip(shared).cmp(b.skip(shared)),
        unequal => unequal,
    }
}

/// The paths on which two trees differ, in the order of a walk. Equal subtrees are skipped by id.
pub(super) fn compare_trees(
    objects: &ObjectReader,
    old: Option<ObjectId>,
    new: Option<ObjectId>,
) -> Result<Vec<RawChange>, GitError> {
    let all = compare_within(objects, old, new, &|_| false)?;
    Ok(all.unwrap_or_default())
}

/// The same, unless it is not worth it: `gives_up` is asked with the number of paths so far, at each entry that differs.
/// None: it gave up.
pub(super) fn compare_within(
    objects: &ObjectReader,
    old: Option<ObjectId>,
    new: Option<ObjectId>,
    gives_up: &dyn Fn(usize) -> bool,
) -> Result<Option<Vec<RawChange>>, GitError> {
    let mut walk = TreeWalk {
        objects,
        path: Vec::new(),
        found: Vec::new(),
        gives_up,
        gave_up: false,
    };
    walk.walk_all(old, new)?;
    Ok((!walk.gave_up).then_some(walk.found))
}

/// The entry of a name in the bytes of a tree.
pub(super) fn find_item(bytes: &[u8], format: ObjectFormat, name: &[u8]) -> Option<TreeItem> {
    let mut items = TreeCursor::new(bytes, format);
    items
        .find(|(entry, _)| *entry == name)
        .map(|(_, item)| item)
}

/// All entries of a tree but its directories, in path order.
pub(super) fn list_tree(
    objects: &ObjectReader,
    tree: ObjectId,
) -> Result<Vec<LocatedItem>, GitError> {
    let found = compare_trees(objects, None, Some(tree))?;
    Ok(found
        .into_iter()
        .filter_map(|raw| Some((raw.path, raw.new?)))
        .collect())
}

/// How many entries stored bytes hold, as far as they are a tree.
pub(super) fn count_items(bytes: &[u8], format: ObjectFormat) -> usize {
    TreeCursor::new(bytes, format).count()
}

/// The entry at a path, if there is one.
pub(super) fn find_in_tree(
    objects: &ObjectReader,
    root: ObjectId,
    path: &[u8],
) -> Result<Option<TreeItem>, GitError> {
    let mut at = TreeItem {
        mode: 0o040000,
        id: root,
    };
    for name in path.split(|&b| b == b'/') {
        if at.sort() != ItemSort::Tree {
            return Ok(None);
        }
        let bytes = objects.tree(at.id)?;
        match find_item(&bytes, objects.store.format, name) {
            Some(entry) => at = entry,
            None => return Ok(None),
        }
    }
    Ok((at.sort() != ItemSort::Tree).then_some(at))
}

/// The entries of a stored tree in its order; what is behind damage is left out.
pub(super) fn read_items(
    objects: &ObjectReader,
    tree: ObjectId,
) -> Result<Vec<LocatedItem>, GitError> {
    let bytes = objects.tree(tree)?;
    let items = TreeCursor::new(&bytes, objects.store.format);
    Ok(items.map(|(name, item)| (name.to_vec(), item)).collect())
}

/// The tree at a path of folders; the root for an empty one.
pub(super) fn find_subtree(
    objects: &ObjectReader,
    root: ObjectId,
    path: &[u8],
) -> Result<Option<ObjectId>, GitError> {
    let mut at = root;
    for name in path.split(|&b| b == b'/').filter(|name| !name.is_empty()) {
        let bytes = objects.tree(at)?;
        let found = TreeCursor::new(&bytes, objects.store.format)
            .find(|(entry, item)| *entry == name && item.sort() == ItemSort::Tree);
        match found {
            Some((_, item)) => at = item.id,
            None => return Ok(None),
        }
    }
    Ok(Some(at))
}

struct TreeWalk<'a> {
    objects: &'a ObjectReader,
    path: Vec<u8>,
    found: Vec<RawChange>,
    gives_up: &'a dyn Fn(usize) -> bool,
    gave_up: bool,
}

/// What stands under one name in two trees, and differs.
type NamedPair = (Vec<u8>, Option<TreeItem>, Option<TreeItem>);

/// A folder that the walk is in: how long its path is, and what is left of it.
type OpenFolder = (usize, std::vec::IntoIter<NamedPair>);

impl TreeWalk<'_> {
    /// Walks depth first. The folders that it is in are a list, not calls in one another: threads have small stacks.
    fn walk_all(&mut self, old: Option<ObjectId>, new: Option<ObjectId>) -> Result<(), GitError> {
        let mut open: Vec<OpenFolder> = Vec::new();
        if old != new {
            open.push((0, self.pair_items(old, new)?.into_iter()));
        }
        while let Some((start, items)) = open.last_mut() {
            self.path.truncate(*start);
            let Some((name, old, new)) = items.next() else {
                open.pop();
                continue;
            };
            if (self.gives_up)(self.found.len()) {
                self.gave_up = true;
                return Ok(());
            }
            self.path.extend_from_slice(&name);
            self.keep_leaves(old, new)?;
            let tree = |entry: Option<TreeItem>| {
                entry
                    .filter(|entry| entry.sort() == ItemSort::Tree)
                    .map(|entry| entry.id)
            };
            if tree(old) != tree(new) {
                self.path.push(b'/');
                if open.len() > MAX_DEPTH {
                    return Err(bound_error(
                        "a path",
                        &format!("more than {MAX_DEPTH} directories deep"),
                        &format!("{MAX_DEPTH}"),
                    ));
                }
                let items = self.pair_items(tree(old), tree(new))?.into_iter();
                open.push((self.path.len(), items));
            }
        }
        Ok(())
    }

    /// What differs in two trees, by name.
    fn pair_items(
        &self,
        old: Option<ObjectId>,
        new: Option<ObjectId>,
    ) -> Result<Vec<NamedPair>, GitError> {
        let (old_bytes, new_bytes) = (self.tree_bytes(old)?, self.tree_bytes(new)?);
        check_order(&new_bytes, self.objects.store.format, new)?;
        let (mut left, mut right) = (
            TreeCursor::new(&old_bytes, self.objects.store.format),
            TreeCursor::new(&new_bytes, self.objects.store.format),
        );
        let mut pairs = Vec::new();
        let (mut a, mut b) = (left.next(), right.next());
        while a.is_some() || b.is_some() {
            let order = match (&a, &b) {
                (Some(a), Some(b)) => compare_names(a, b),
                (Some(_), None) => Ordering::Less,
                _ => Ordering::Greater,
            };
            let (one, two) = (a.filter(|_| order.is_le()), b.filter(|_| order.is_ge()));
            let (was, is) = (one.map(|(_, item)| item), two.map(|(_, item)| item));
            if let (true, Some((name, _))) = (was != is, one.or(two)) {
                pairs.push((name.to_vec(), was, is));
            }
            a = if one.is_some() { left.next() } else { a };
            b = if two.is_some() { right.next() } else { b };
        }
        check_intact(&left, old).and(check_intact(&right, new))?;
        Ok(pairs)
    }

    fn tree_bytes(&self, tree: Option<ObjectId>) -> Result<Arc<[u8]>, GitError> {
        tree.map_or_else(|| Ok([].into()), |tree| self.objects.tree(tree))
    }

    fn keep_leaves(
        &mut self,
        old: Option<TreeItem>,
        new: Option<TreeItem>,
    ) -> Result<(), GitError> {
        let leaf = |entry: Option<TreeItem>| entry.filter(|entry| entry.sort() != ItemSort::Tree);
        let (old, new) = (leaf(old), leaf(new));
        if old.is_none() && new.is_none() {
            return Ok(());
        }
        if self.found.len() == MAX_ENTRIES {
            return Err(bound_error(
                "the change",
                &format!("more than {MAX_ENTRIES} files"),
                &format!("{MAX_ENTRIES}"),
            ));
        }
        self.found.push(RawChange {
            path: self.path.clone(),
            old,
            new,
        });
        Ok(())
    }
}

fn bound_error(what: &str, size: &str, limit: &str) -> GitError {
    GitError::TooLarge {
        what: what.to_owned(),
        size: size.to_owned(),
        limit: limit.to_owned(),
    }
}

fn check_intact(cursor: &TreeCursor<'_>, tree: Option<ObjectId>) -> Result<(), GitError> {
    match (cursor.damaged, tree) {
        (true, Some(id)) => Err(GitError::Damaged {
            what: format!("tree {id}"),
            cause: "an entry is malformed".to_owned(),
        }),
        _ => Ok(()),
    }
}

/// Whether the entries of a tree under review stand in git's order, each name once. Whoever looks a name up finds one of two
/// entries, a checkout may write the other, and a walk over two trees that trusts the order pairs the wrong ones.
fn check_order(bytes: &[u8], format: ObjectFormat, tree: Option<ObjectId>) -> Result<(), GitError> {
    let mut names: HashSet<&[u8]> = HashSet::new();
    let mut last: Option<(&[u8], TreeItem)> = None;
    for item in TreeCursor::new(bytes, format) {
        let shown = || String::from_utf8_lossy(item.0).into_owned();
        let cause = if !names.insert(item.0) {
            format!("it lists `{}` twice", shown())
        } else if last.is_some_and(|last| compare_names(&last, &item).is_ge()) {
            format!("`{}` is out of order", shown())
        } else if matches!(item.0, b"." | b"..") {
            format!("`{}` is no name of a file", shown())
        } else {
            last = Some(item);
            continue;
        };
        let what = tree.map_or_else(|| "a tree".to_owned(), |id| format!("tree {id}"));
        return Err(GitError::Damaged { what, cause });
    }
    Ok(())
}

/// The paths on which two listings in path order differ.
pub(super) fn merge_listings(old: &[LocatedItem], new: &[LocatedItem]) -> Vec<RawChange> {
    let (mut old, mut new) = (old.iter().peekable(), new.iter().peekable());
    let mut found = Vec::new();
    loop {
        let order = match (old.peek(), new.peek()) {
            (Some((a, _)), Some((b, _))) => a.cmp(b),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => return found,
        };
        let before = if order.is_le() { old.next() } else { None };
        let after = if order.is_ge() { new.next() } else { None };
        let (was, is) = (
            before.map(|(_, entry)| *entry),
            after.map(|(_, entry)| *entry),
        );
        if let (true, Some((path, _))) = (was != is, after.or(before)) {
            found.push(RawChange {
                path: path.clone(),
                old: was,
                new: is,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn stored(entries: &[(String, bool)]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (name, is_tree) in entries {
            let mode = if *is_tree { "40000" } else { "100644" };
            bytes.extend(format!("{mode} {name}\0").bytes());
            bytes.extend([7; 20]);
        }
        bytes
    }

    fn is_ordered(entries: &[(String, bool)]) -> bool {
        check_order(&stored(entries), ObjectFormat::Sha1, None).is_ok()
    }

    proptest! {
        #[test]
        fn only_the_order_that_git_writes_is_taken(
            names in proptest::collection::btree_map("[a-c.-]{1,3}", any::<bool>(), 2..8),
            (at, to) in (0..8_usize, 0..8_usize),
        ) {
            let mut entries: Vec<(String, bool)> = names.into_iter().collect();
            entries.retain(|(name, _)| !matches!(name.as_str(), "." | ".."));
            // git compares a folder as if its name ended in a slash.
            entries.sort_by_key(|(name, tree)| if *tree { format!("{name}/") } else { name.clone() });
            prop_assert!(is_ordered(&entries));
            let (at, to) = (at % entries.len().max(1), to % entries.len().max(1));
            if at != to {
                let mut swapped = entries.clone();
                swapped.swap(at, to);
                prop_assert!(!is_ordered(&swapped));
                let mut doubled = entries.clone();
                doubled.insert(to, entries[at].clone());
                prop_assert!(!is_ordered(&doubled));
            }
        }
    }
}
