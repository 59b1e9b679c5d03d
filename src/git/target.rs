//! What is asked for, and the two sides that it means.

use council_protocol::packet::{Target, TargetKind};
use council_protocol::task::Framing;

use super::base;
use super::error::GitError;
use super::id::Id;
use super::objects::Objects;
use super::sides::Listing;
use super::store::{Head, ObjectKind};

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TargetSpec {
    /// The current branch against the merge base with its upstream, else with the default branch.
    Default,
    /// Two revisions.
    Range {
        /// The base side.
        from: String,
        /// The reviewed side.
        to: String,
        /// Three dots: from the merge base of the two.
        symmetric: bool,
    },
    /// One commit against its first parent.
    Commit(String),
    /// The index against HEAD.
    Staged,
    /// The worktree against HEAD, untracked files included, ignored ones not.
    Worktree,
    /// A unified diff, as bytes, and its name for people.
    Patch(Vec<u8>, String),
}

impl TargetSpec {
    /// Reads the argument of a command: `A..B`, `A...B` (a missing side is HEAD, as in git), or one revision.
    pub fn parse(arg: &str) -> Self {
        let side = |rev: &str| {
            if rev.is_empty() {
                "HEAD".to_owned()
            } else {
                rev.to_owned()
            }
        };
        let Some((from, to)) = arg.split_once("..") else {
            return Self::Commit(arg.to_owned());
        };
        let (to, symmetric) = to.strip_prefix('.').map_or((to, false), |to| (to, true));
        Self::Range {
            from: side(from),
            to: side(to),
            symmetric,
        }
    }
}

/// The two sides of a target, and what is to be known about it.
pub(super) struct Resolved {
    pub(super) target: Target,
    pub(super) old: Listing,
    pub(super) new: Listing,
    /// The trusted tree and what to call it.
    pub(super) trusted: Option<(Id, String)>,
    pub(super) framing: Framing,
    pub(super) notes: Vec<String>,
    /// What to say when the sides are equal.
    pub(super) equal: String,
}

/// A revision that was found.
pub(super) struct Rev {
    pub(super) name: String,
    pub(super) commit: Option<Id>,
    pub(super) tree: Id,
}

impl Rev {
    fn id(&self) -> Id {
        self.commit.unwrap_or(self.tree)
    }
}

/// At most this many commits of a target are told to judges in R2.
const MAX_COMMITS: usize = 100;

/// Resolves what does not need an index or a worktree.
pub(super) fn resolve(objects: &Objects, spec: &TargetSpec) -> Result<Resolved, GitError> {
    match spec {
        TargetSpec::Range {
            from,
            to,
            symmetric: false,
        } => range(objects, from, to),
        TargetSpec::Range {
            from,
            to,
            symmetric: true,
        } => {
            let (from, to) = (rev(objects, from)?, rev(objects, to)?);
            let label = format!("{}...{}", from.name, to.name);
            since_merge_base(objects, from, to, TargetKind::Range, label)
        }
        TargetSpec::Commit(rev) => commit(objects, rev),
        TargetSpec::Staged => staged(objects),
        _ => branch(objects),
    }
}

/// The index against HEAD; on an unborn branch against nothing.
fn staged(objects: &Objects) -> Result<Resolved, GitError> {
    if objects.store.workdir.is_none() {
        return Err(GitError::NeedsWorktree { target: "--staged" });
    }
    let head = head(objects)?;
    Ok(Resolved {
        trusted: head.as_ref().map(|head| (head.tree, origin(head))),
        target: target(
            TargetKind::Staged,
            "staged".to_owned(),
            head.as_ref().and_then(|head| head.commit),
            None,
        ),
        old: head.map_or(Listing::Nothing, |head| Listing::Tree(head.tree)),
        new: Listing::Entries(objects.store.index()?),
        framing: Framing::default(),
        notes: Vec::new(),
        equal: "nothing is staged".to_owned(),
    })
}

/// The commit that HEAD stands on; none on an unborn branch.
fn head(objects: &Objects) -> Result<Option<Rev>, GitError> {
    match objects.store.head()? {
        Head::Unborn(_) => Ok(None),
        Head::Branch(_, commit) | Head::Detached(commit) => {
            at_commit(objects, "HEAD", commit).map(Some)
        }
    }
}

/// Finds a revision.
pub(super) fn rev(objects: &Objects, name: &str) -> Result<Rev, GitError> {
    if name == Id::EMPTY_TREE.hex() {
        return Ok(Rev {
            name: name.to_owned(),
            commit: None,
            tree: Id::EMPTY_TREE,
        });
    }
    match objects.store.resolve(name)? {
        Some((commit, ObjectKind::Commit)) => at_commit(objects, name, commit),
        Some((tree, _)) => Ok(Rev {
            name: name.to_owned(),
            commit: None,
            tree,
        }),
        None if objects.store.shallow && name.contains(['~', '^']) => Err(GitError::Shallow {
            what: format!("{name:?}"),
        }),
        None => Err(GitError::UnknownRevision {
            rev: name.to_owned(),
        }),
    }
}

fn at_commit(objects: &Objects, name: &str, commit: Id) -> Result<Rev, GitError> {
    let tree = objects.commit(commit)?.tree;
    Ok(Rev {
        name: name.to_owned(),
        commit: Some(commit),
        tree,
    })
}

fn range(objects: &Objects, from: &str, to: &str) -> Result<Resolved, GitError> {
    let (from, to) = (rev(objects, from)?, rev(objects, to)?);
    let label = format!("{}..{}", from.name, to.name);
    let framing = framing(objects, String::new(), &from, &to)?;
    let equal = format!("{} and {} hold the same files", from.name, to.name);
    Ok(Resolved {
        trusted: Some((from.tree, origin(&from))),
        target: target(TargetKind::Range, label, Some(from.id()), Some(to.id())),
        old: Listing::Tree(from.tree),
        new: Listing::Tree(to.tree),
        framing,
        notes: Vec::new(),
        equal,
    })
}

fn since_merge_base(
    objects: &Objects,
    from: Rev,
    to: Rev,
    kind: TargetKind,
    label: String,
) -> Result<Resolved, GitError> {
    let base = base::merge_base(objects, &from, &to)?;
    let base = at_commit(objects, &from.name, base)?;
    let framing = framing(objects, String::new(), &base, &to)?;
    let equal = match base.commit == to.commit {
        true => format!("{} has no commit that {} lacks", to.name, from.name),
        false => format!(
            "the commits of {} change nothing against {}",
            to.name, from.name
        ),
    };
    Ok(Resolved {
        trusted: Some((from.tree, origin(&from))),
        target: target(kind, label, base.commit, to.commit),
        old: Listing::Tree(base.tree),
        new: Listing::Tree(to.tree),
        framing,
        notes: Vec::new(),
        equal,
    })
}

fn commit(objects: &Objects, name: &str) -> Result<Resolved, GitError> {
    let head = rev(objects, name)?;
    let Some(id) = head.commit else {
        return Err(GitError::BadRevision {
            rev: name.to_owned(),
            cause: "it is a tree, not a commit".to_owned(),
        });
    };
    let commit = objects.commit(id)?;
    let parent = match commit.parents.first() {
        Some(&parent) => Some(base::parent(objects, id, parent)?),
        None => None,
    };
    let mut notes = Vec::new();
    if commit.parents.len() > 1 {
        notes.push(format!("{name} is a merge: compared with its first parent"));
    }
    if parent.is_none() {
        notes.push(format!("{name} is a root commit: all of its files are new"));
    }
    let framing = Framing {
        title: commit.subject().to_owned(),
        body: String::new(),
        commits: vec![commit.info(id)],
    };
    Ok(Resolved {
        trusted: parent.as_ref().map(|parent| (parent.tree, origin(parent))),
        target: target(
            TargetKind::Commit,
            name.to_owned(),
            parent.as_ref().and_then(|parent| parent.commit),
            Some(id),
        ),
        old: parent.map_or(Listing::Nothing, |parent| Listing::Tree(parent.tree)),
        new: Listing::Tree(head.tree),
        framing,
        notes,
        equal: format!("{name} changes no file"),
    })
}

fn branch(objects: &Objects) -> Result<Resolved, GitError> {
    let head = objects.store.head()?;
    let (name, tip) = match &head {
        Head::Unborn(branch) => {
            return Err(GitError::Unborn {
                branch: branch.clone(),
            });
        }
        Head::Branch(branch, tip) => (base::short(branch).to_owned(), *tip),
        Head::Detached(tip) => ("HEAD".to_owned(), *tip),
    };
    let base::Base {
        name: base,
        commit,
        note,
    } = base::choose(objects, &head)?;
    let (from, to) = (
        at_commit(objects, base::short(&base), commit)?,
        at_commit(objects, &name, tip)?,
    );
    let label = format!("{}...{}", from.name, to.name);
    let mut resolved = since_merge_base(objects, from, to, TargetKind::Branch, label)?;
    if let Head::Branch(..) = head {
        resolved.framing.title = name;
    }
    resolved.notes.extend(note);
    Ok(resolved)
}

/// A ref and a short id, for people.
fn origin(rev: &Rev) -> String {
    match rev.commit {
        Some(commit) if commit.hex().starts_with(&rev.name) => commit.short(),
        Some(commit) => format!("{} ({})", rev.name, commit.short()),
        None => format!("tree {}", rev.tree.short()),
    }
}

/// The target as reports name it.
pub(super) fn target(
    kind: TargetKind,
    label: String,
    base: Option<Id>,
    head: Option<Id>,
) -> Target {
    let slug = slug(&label);
    Target {
        kind,
        label,
        slug,
        base: base.map(|id| id.hex()),
        head: head.map(|id| id.hex()),
    }
}

fn framing(objects: &Objects, title: String, from: &Rev, to: &Rev) -> Result<Framing, GitError> {
    let Some(tip) = to.commit.filter(|_| from.commit.is_some()) else {
        return Ok(Framing::default());
    };
    let mut ids = objects.store.commits(tip, from.commit, MAX_COMMITS)?;
    ids.reverse();
    let commits = ids.into_iter().map(|id| Ok(objects.commit(id)?.info(id)));
    Ok(Framing {
        title,
        body: String::new(),
        commits: commits.collect::<Result<_, GitError>>()?,
    })
}

/// A name for files: lower case, `[a-z0-9-]`, at most 50 characters (3-debate.md, "Files of a run").
pub(super) fn slug(label: &str) -> String {
    let mut slug = String::new();
    for c in label.chars() {
        match c.to_ascii_lowercase() {
            c if c.is_ascii_alphanumeric() => slug.push(c),
            _ if !slug.is_empty() && !slug.ends_with('-') => slug.push('-'),
            _ => {}
        }
    }
    slug.truncate(50);
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() {
        "change".to_owned()
    } else {
        slug.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_read_as_git_reads_them() {
        let range = |from: &str, to: &str, symmetric| TargetSpec::Range {
            from: from.into(),
            to: to.into(),
            symmetric,
        };
        assert_eq!(TargetSpec::parse("a..b"), range("a", "b", false));
        assert_eq!(TargetSpec::parse("a...b"), range("a", "b", true));
        assert_eq!(TargetSpec::parse("a.."), range("a", "HEAD", false));
        assert_eq!(TargetSpec::parse("...b"), range("HEAD", "b", true));
        assert_eq!(
            TargetSpec::parse("HEAD~1"),
            TargetSpec::Commit("HEAD~1".into())
        );
    }

    #[test]
    fn slugs_are_safe_names() {
        assert_eq!(
            slug("origin/main...Feature/Übung_2"),
            "origin-main-feature-bung-2"
        );
        assert_eq!(slug("../../etc"), "etc");
        assert_eq!(slug("…"), "change");
        assert!(slug(&"x".repeat(80)).len() == 50 && !slug(&"ab-".repeat(40)).ends_with('-'));
    }
}
