//! The trusted side of a change: configuration and instructions are read from here, never from the reviewed side.

use std::sync::Arc;

use super::error::GitError;
use super::id::ObjectId;
use super::objects::ObjectReader;
use super::tree;
use super::tree_item::ItemSort;

/// How many symbolic links are followed, one after another.
const MAX_LINKS: usize = 5;

/// Files of a commit that the change under review cannot have written.
pub trait TrustedTree: Send + Sync {
    /// What is read, for people: a ref and a short id.
    fn origin(&self) -> String;

    /// The content of a file, by its `/`-separated path from the top; none when there is no such file. A symbolic
    /// link is followed inside the tree, never out of it.
    ///
    /// # Errors
    ///
    /// Objects that are missing, damaged or too large.
    fn read_file(&self, path: &str) -> Result<Option<Vec<u8>>, GitError>;
}

/// A tree of the object database.
pub(super) struct CommitTree {
    pub(super) objects: Arc<ObjectReader>,
    pub(super) root: ObjectId,
    pub(super) origin: String,
}

impl TrustedTree for CommitTree {
    fn origin(&self) -> String {
        self.origin.clone()
    }

    fn read_file(&self, path: &str) -> Result<Option<Vec<u8>>, GitError> {
        let mut path = path.as_bytes().to_vec();
        for _ in 0..MAX_LINKS {
            let Some(entry) = tree::find_in_tree(&self.objects, self.root, &path)? else {
                return Ok(None);
            };
            match entry.sort() {
                ItemSort::File => return Ok(Some(self.objects.blob(entry.id)?.to_vec())),
                ItemSort::Symlink => match follow_link(&path, &self.objects.blob(entry.id)?) {
                    Some(target) => path = target,
                    None => return Ok(None),
                },
                ItemSort::Submodule | ItemSort::Tree => return Ok(None),
            }
        }
        Ok(None)
    }
}

/// Where a link leads from its place in the tree; none when that is outside.
fn follow_link(link: &[u8], target: &[u8]) -> Option<Vec<u8>> {
    if target.starts_with(b"/") {
        return None;
    }
    let mut parts: Vec<&[u8]> = link.split(|&b| b == b'/').collect();
    parts.pop();
    for part in target.split(|&b| b == b'/') {
        match part {
            b"" | b"." => {}
            b".." => drop(parts.pop()?),
            name => parts.push(name),
        }
    }
    Some(parts.join(&b'/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_stay_inside() {
        let follow = |link: &str, target: &str| {
            follow_link(link.as_bytes(), target.as_bytes())
                .map(|path| String::from_utf8(path).unwrap())
        };
        assert_eq!(follow("CLAUDE.md", "AGENTS.md"), Some("AGENTS.md".into()));
        assert_eq!(follow("a/b/link", "../c/./x"), Some("a/c/x".into()));
        assert_eq!(follow("a/link", "../../etc/passwd"), None);
        assert_eq!(follow("link", "/etc/passwd"), None);
    }
}
