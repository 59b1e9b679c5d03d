//! The commits of a push, one by one: what one of them adds and a later one takes back reaches the remote as well.

use std::path::Path;

use super::commit::CommitObject;
use super::env::GitEnvironment;
use super::error::GitError;
use super::id::ObjectId;
use super::object_store::ObjectKind;
use super::objects::ObjectReader;
use super::open;
use super::push::known_to_remote;

/// A commit that a push sends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PushedCommit {
    /// Its id.
    pub id: String,
    /// What to compare it with: each of its parents, or the empty tree.
    pub parents: Vec<String>,
    /// What its author says of it. Untrusted.
    pub message: String,
}

/// The commits that lead to `to` and that neither `from` nor any ref of `remote` holds, newest first, at most `limit`.
///
/// # Errors
///
/// As opening the repository, and histories that cannot be read.
pub(crate) fn pushed_commits(
    dir: &Path,
    env: &GitEnvironment,
    remote: &str,
    (from, to): (&str, &str),
    limit: usize,
) -> Result<Vec<PushedCommit>, GitError> {
    let objects = ObjectReader::new(open::open_repository(dir, env)?);
    let store = &objects.store;
    let commit_of = |name: &str| match store.resolve_name(name)? {
        Some((id, ObjectKind::Commit)) => Ok(Some(id)),
        _ => Ok::<_, GitError>(None),
    };
    let mut hidden = known_to_remote(store, remote)?;
    hidden.extend(commit_of(from)?);
    let Some(tip) = commit_of(to)? else {
        return Ok(Vec::new());
    };
    let nothing = store.format.empty_tree();
    let commit = |id: ObjectId| {
        let CommitObject {
            parents, message, ..
        } = objects.commit(id)?;
        let parents: Vec<String> = match parents.is_empty() {
            true => vec![nothing.to_hex()],
            false => parents.iter().map(|parent| parent.to_hex()).collect(),
        };
        Ok(PushedCommit {
            id: id.to_hex(),
            parents,
            message,
        })
    };
    store
        .walk_commits(tip, &hidden, limit)?
        .into_iter()
        .map(commit)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::tests::repo::Repo;

    #[test]
    fn every_commit_that_the_remote_lacks_is_listed_with_its_parents() {
        let origin = Repo::new();
        let base = origin.write("a", "1\n").commit("one");
        let repo = Repo::clone_of(&origin, &[]);
        let two = repo.write("a", "2\n").commit("two");
        let three = repo.write("a", "1\n").commit("three");
        let commit = |id: &str, parent: &str, message: &str| PushedCommit {
            id: id.to_owned(),
            parents: vec![parent.to_owned()],
            message: format!("{message}\n"),
        };
        let listed = |limit| {
            let env = GitEnvironment::default();
            pushed_commits(repo.path(), &env, "origin", (&base, &three), limit).unwrap()
        };
        assert_eq!(
            listed(9),
            [commit(&three, &two, "three"), commit(&two, &base, "two")]
        );
        assert_eq!(listed(1), [commit(&three, &two, "three")]);
        // The first commit of all is compared with nothing.
        let env = GitEnvironment::default();
        let empty = ObjectId::EMPTY_TREE.to_hex();
        let all = pushed_commits(origin.path(), &env, "origin", (&empty, &base), 9).unwrap();
        assert_eq!(all, [commit(&base, &empty, "one")]);
    }
}
