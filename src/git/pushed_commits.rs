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

/// The most tags of tags that are followed.
const MAX_NESTED_TAGS: usize = 64;

/// A larger tag is an error.
const MAX_TAG_BYTES: usize = 16 << 20;

/// A commit that a push sends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushedCommit {
    pub id: String,
    /// What to compare it with: each of its parents, or the empty tree.
    pub parents: Vec<String>,
    /// Who wrote it. Untrusted, as the message is.
    pub author: String,
    /// What its author says of it.
    pub message: String,
    /// Its other headers, the committer's name among them.
    pub headers: String,
}

/// The commits that lead to `to` and that neither `from` nor any ref of `remote` holds, newest first, at most `limit`.
///
/// # Errors
///
/// As opening the repository, and histories that cannot be read.
pub fn pushed_commits(
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
            parents,
            author,
            message,
            headers,
            ..
        } = objects.commit(id)?;
        let parents: Vec<String> = if parents.is_empty() {
            vec![nothing.to_hex()]
        } else {
            parents.iter().map(|parent| parent.to_hex()).collect()
        };
        Ok(PushedCommit {
            id: id.to_hex(),
            parents,
            author,
            message,
            headers,
        })
    };
    store
        .walk_commits(tip, &hidden, limit)?
        .into_iter()
        .map(commit)
        .collect()
}

/// What the annotated tags say that lead from an object to what it names, the outermost first: their names, who made
/// them, and their messages. None for a commit.
///
/// # Errors
///
/// As opening the repository, and objects that cannot be read.
pub fn tag_texts(dir: &Path, env: &GitEnvironment, id: &str) -> Result<Vec<String>, GitError> {
    let objects = ObjectReader::new(open::open_repository(dir, env)?);
    let (mut next, mut texts) = (ObjectId::from_hex(id), Vec::new());
    while let Some(id) = next.take().filter(|_| texts.len() < MAX_NESTED_TAGS) {
        let text = objects.store.read_with(id, MAX_TAG_BYTES, |kind, bytes| {
            (kind == ObjectKind::Other).then(|| String::from_utf8_lossy(bytes).into_owned())
        })?;
        let Some(text) = text.flatten() else { break };
        let named = text
            .lines()
            .next()
            .and_then(|line| line.strip_prefix("object "));
        next = named.and_then(ObjectId::from_hex);
        texts.push(text);
    }
    Ok(texts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Repo;

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
            author: repo.git(&["log", "-1", "--format=%an <%ae>", id]),
            message: format!("{message}\n"),
            headers: repo.git(&["log", "-1", "--format=committer %cn <%ce> %ct +0000", id]) + "\n",
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

    #[test]
    fn every_tag_on_the_way_to_a_commit_is_read() {
        let repo = Repo::new();
        let tip = repo.write("a", "1\n").commit("one");
        repo.git(&["tag", "-a", "-m", "inner words", "inner"]);
        repo.git(&["tag", "-a", "-m", "outer words", "outer", "inner"]);
        let env = GitEnvironment::default();
        let read = |name: &str| {
            let id = repo.git(&["rev-parse", name]);
            tag_texts(repo.path(), &env, &id).unwrap()
        };
        let outer = read("outer");
        assert_eq!(outer.len(), 2);
        assert!(outer[0].contains("outer words") && outer[1].contains("inner words"));
        assert_eq!(read("inner").len(), 1);
        assert_eq!(read(&tip), [""; 0]);
    }
}
