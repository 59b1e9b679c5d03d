//! Trees as they are stored, and the walk over two of them that never enters what is equal on both sides.

use std::cmp::Ordering;

use super::error::GitError;
use super::id::{Format, Id};
use super::objects::Objects;

/// How deep a tree may be, as in git (`core.maxTreeDepth`).
const MAX_DEPTH: usize = 2048;

/// How many entries may differ, or be listed: a bound for trees that are made to explode.
const MAX_ENTRIES: usize = 1_000_000;

/// Mode and id of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Entry {
    pub(super) mode: u32,
    pub(super) id: Id,
}

/// An entry and where it is.
pub(super) type Located = (Vec<u8>, Entry);

/// What sort of entry a mode makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    File,
    Symlink,
    Submodule,
    Tree,
}

impl Entry {
    /// An entry with its mode as git normalises it.
    pub(super) fn new(mode: u32, id: Id) -> Self {
        Self {
            mode: canonical(mode),
            id,
        }
    }

    pub(super) fn sort(self) -> Sort {
        match self.mode {
            0o040000 => Sort::Tree,
            0o120000 => Sort::Symlink,
            0o160000 => Sort::Submodule,
            _ => Sort::File,
        }
    }
}

/// Old repositories hold modes such as 0o100664, which git reads as the nearest that it writes today.
fn canonical(mode: u32) -> u32 {
    match mode & 0o170000 {
        0o100000 if mode & 0o100 != 0 => 0o100755,
        0o100000 => 0o100644,
        0o120000 => 0o120000,
        0o040000 => 0o040000,
        _ => 0o160000,
    }
}

/// One path on which two sides differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Raw {
    pub(super) path: Vec<u8>,
    pub(super) old: Option<Entry>,
    pub(super) new: Option<Entry>,
}

/// The entries of a stored tree, in its order.
struct Cursor<'a> {
    rest: &'a [u8],
    /// Bytes of an id.
    length: usize,
    damaged: bool,
}

impl<'a> Cursor<'a> {
    fn new(bytes: &'a [u8], format: Format) -> Self {
        Self {
            rest: bytes,
            length: format.length(),
            damaged: false,
        }
    }

    /// `<octal mode> SP <name> NUL <id>`.
    fn parse(&mut self) -> Option<(&'a [u8], Entry)> {
        let space = self.rest.iter().position(|&b| b == b' ')?;
        let (mode, rest) = (&self.rest[..space], &self.rest[space + 1..]);
        let mode = mode.iter().try_fold(0, |mode: u32, &digit| match digit {
            b'0'..=b'7' => mode.checked_mul(8)?.checked_add(u32::from(digit - b'0')),
            _ => None,
        })?;
        let end = rest.iter().position(|&b| b == 0)?;
        let (name, rest) = (&rest[..end], &rest[end + 1..]);
        let id = Id::from_bytes(rest.get(..self.length)?)?;
        self.rest = &rest[self.length..];
        (!name.is_empty() && !name.contains(&b'/')).then(|| (name, Entry::new(mode, id)))
    }
}

impl<'a> Iterator for Cursor<'a> {
    type Item = (&'a [u8], Entry);

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() || self.damaged {
            return None;
        }
        let entry = self.parse();
        self.damaged = entry.is_none();
        entry
    }
}

/// git sorts a directory as if its name ended in a slash.
fn order(one: &(&[u8], Entry), two: &(&[u8], Entry)) -> Ordering {
    let slash = |entry: Entry| (entry.sort() == Sort::Tree).then_some(b'/');
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
pub(super) fn compare(
    objects: &Objects,
    old: Option<Id>,
    new: Option<Id>,
) -> Result<Vec<Raw>, GitError> {
    let mut walk = Walk {
        objects,
        path: Vec::new(),
        found: Vec::new(),
    };
    walk.pair(old, new, 0)?;
    Ok(walk.found)
}

/// All entries of a tree but its directories, in path order.
pub(super) fn list(objects: &Objects, tree: Id) -> Result<Vec<Located>, GitError> {
    let found = compare(objects, None, Some(tree))?;
    Ok(found
        .into_iter()
        .filter_map(|raw| Some((raw.path, raw.new?)))
        .collect())
}

/// The entry at a path, if there is one.
pub(super) fn find(objects: &Objects, root: Id, path: &[u8]) -> Result<Option<Entry>, GitError> {
    let mut at = Entry {
        mode: 0o040000,
        id: root,
    };
    for name in path.split(|&b| b == b'/') {
        if at.sort() != Sort::Tree {
            return Ok(None);
        }
        let bytes = objects.tree(at.id)?;
        match Cursor::new(&bytes, objects.store.format).find(|(entry, _)| *entry == name) {
            Some((_, entry)) => at = entry,
            None => return Ok(None),
        }
    }
    Ok((at.sort() != Sort::Tree).then_some(at))
}

struct Walk<'a> {
    objects: &'a Objects,
    path: Vec<u8>,
    found: Vec<Raw>,
}

impl Walk<'_> {
    fn pair(&mut self, old: Option<Id>, new: Option<Id>, depth: usize) -> Result<(), GitError> {
        if old == new {
            return Ok(());
        }
        if depth > MAX_DEPTH {
            return Err(bound(
                "a path",
                &format!("more than {MAX_DEPTH} directories deep"),
                &format!("{MAX_DEPTH}"),
            ));
        }
        let (old_bytes, new_bytes) = (self.bytes(old)?, self.bytes(new)?);
        let (mut left, mut right) = (
            Cursor::new(&old_bytes, self.objects.store.format),
            Cursor::new(&new_bytes, self.objects.store.format),
        );
        let (mut a, mut b) = (left.next(), right.next());
        while a.is_some() || b.is_some() {
            let order = match (&a, &b) {
                (Some(a), Some(b)) => order(a, b),
                (Some(_), None) => Ordering::Less,
                _ => Ordering::Greater,
            };
            let (one, two) = (a.filter(|_| order.is_le()), b.filter(|_| order.is_ge()));
            self.entries(one, two, depth)?;
            a = if one.is_some() { left.next() } else { a };
            b = if two.is_some() { right.next() } else { b };
        }
        intact(&left, old).and(intact(&right, new))
    }

    fn bytes(&self, tree: Option<Id>) -> Result<std::sync::Arc<[u8]>, GitError> {
        tree.map_or_else(|| Ok([].into()), |tree| self.objects.tree(tree))
    }

    fn entries(
        &mut self,
        old: Option<(&[u8], Entry)>,
        new: Option<(&[u8], Entry)>,
        depth: usize,
    ) -> Result<(), GitError> {
        let Some((name, _)) = old.or(new) else {
            return Ok(());
        };
        let (old, new) = (old.map(|(_, entry)| entry), new.map(|(_, entry)| entry));
        if old == new {
            return Ok(());
        }
        let start = self.path.len();
        self.path.extend_from_slice(name);
        let tree = |entry: Option<Entry>| {
            entry
                .filter(|entry| entry.sort() == Sort::Tree)
                .map(|entry| entry.id)
        };
        if tree(old).is_some() || tree(new).is_some() {
            self.path.push(b'/');
            self.pair(tree(old), tree(new), depth + 1)?;
            self.path.pop();
        }
        let leaf = |entry: Option<Entry>| entry.filter(|entry| entry.sort() != Sort::Tree);
        if leaf(old).is_some() || leaf(new).is_some() {
            if self.found.len() == MAX_ENTRIES {
                return Err(bound(
                    "the change",
                    &format!("more than {MAX_ENTRIES} files"),
                    &format!("{MAX_ENTRIES}"),
                ));
            }
            self.found.push(Raw {
                path: self.path.clone(),
                old: leaf(old),
                new: leaf(new),
            });
        }
        self.path.truncate(start);
        Ok(())
    }
}

fn bound(what: &str, size: &str, limit: &str) -> GitError {
    GitError::TooLarge {
        what: what.to_owned(),
        size: size.to_owned(),
        limit: limit.to_owned(),
    }
}

fn intact(cursor: &Cursor<'_>, tree: Option<Id>) -> Result<(), GitError> {
    match (cursor.damaged, tree) {
        (true, Some(id)) => Err(GitError::Damaged {
            what: format!("tree {id}"),
            cause: "an entry is malformed".to_owned(),
        }),
        _ => Ok(()),
    }
}

/// The paths on which two listings in path order differ.
pub(super) fn merge(old: &[Located], new: &[Located]) -> Vec<Raw> {
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
            found.push(Raw {
                path: path.clone(),
                old: was,
                new: is,
            });
        }
    }
}
