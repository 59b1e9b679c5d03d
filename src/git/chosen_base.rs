//! What a branch is compared with when nobody says.

use super::default_branch::default_branch;
use super::error::GitError;
use super::id::ObjectId;
use super::object_store::HeadPosition;
use super::objects::ObjectReader;
use super::revision::{is_plain_name, short_ref_name};

/// A branch to compare with.
pub(super) struct ChosenBase {
    /// The whole name of the ref.
    pub(super) name: String,
    pub(super) commit: ObjectId,
    /// What to tell the reader about the choice.
    pub(super) note: Option<String>,
}

/// The upstream, else the default branch. A branch that is level with its upstream, because it was pushed, is compared
/// with the default branch.
pub(super) fn choose_base(
    objects: &ObjectReader,
    head: &HeadPosition,
) -> Result<ChosenBase, GitError> {
    let store = &objects.store;
    let (branch, tip) = match head {
        HeadPosition::Branch(branch, tip) => (Some(branch.as_str()), Some(*tip)),
        HeadPosition::Detached(tip) => (None, Some(*tip)),
        HeadPosition::Unborn(_) => (None, None),
    };
    let upstream = branch.and_then(|branch| store.upstream_of(branch));
    let default = default_branch(objects).filter(|(name, _)| Some(name.as_str()) != branch);
    let as_base = |(name, commit): (String, ObjectId), note| ChosenBase { name, commit, note };
    match (upstream, default) {
        (Some(name), default) => match (store.commit_of(&name), default) {
            (Some(commit), Some(default))
                if is_behind(objects, tip, commit)? && default.0 != name =>
            {
                let note = format!(
                    "level with its upstream {}: compared with {}",
                    short_ref_name(&name),
                    short_ref_name(&default.0)
                );
                Ok(as_base(default, Some(note)))
            }
            (Some(commit), _) => Ok(ChosenBase {
                name,
                commit,
                note: None,
            }),
            (None, Some(default)) => {
                let note = format!(
                    "the upstream {} is gone: compared with {}",
                    short_ref_name(&name),
                    short_ref_name(&default.0)
                );
                Ok(as_base(default, Some(note)))
            }
            (None, None) => {
                let why = format!("its upstream {} is gone", short_ref_name(&name));
                Err(no_base(objects, head, why))
            }
        },
        (None, Some(default)) => Ok(as_base(default, None)),
        (None, None) => {
            let why = explain_missing_base(objects, branch);
            Err(no_base(objects, head, why))
        }
    }
}

fn explain_missing_base(objects: &ObjectReader, branch: Option<&str>) -> String {
    match (branch, default_branch(objects)) {
        (Some(_), Some(_)) => "it is the default branch and has no upstream".to_owned(),
        (Some(_), None) => {
            "it has no upstream, and there is no default branch (main, master, origin/HEAD)"
                .to_owned()
        }
        (None, _) => "there is no default branch (main, master, origin/HEAD)".to_owned(),
    }
}

fn no_base(objects: &ObjectReader, head: &HeadPosition, why: String) -> GitError {
    let hints = base_hints(objects, head);
    let head = match head {
        HeadPosition::Branch(branch, _) => format!("branch {}", short_ref_name(branch)),
        HeadPosition::Detached(tip) => format!("HEAD (detached at {})", tip.short_hex()),
        HeadPosition::Unborn(branch) => format!("branch {branch}"),
    };
    GitError::NoBase { head, why, hints }
}

/// Commands that work in this repository as it is, where nothing tells what to compare with.
fn base_hints(objects: &ObjectReader, head: &HeadPosition) -> Vec<String> {
    let store = &objects.store;
    let own = match head {
        HeadPosition::Branch(branch, _) => Some(branch.as_str()),
        HeadPosition::Detached(_) | HeadPosition::Unborn(_) => None,
    };
    let below = |prefix: &str| store.refs_below(prefix).unwrap_or_default().into_iter();
    let branches = below("refs/heads/").chain(below("refs/remotes/"));
    let mut others = branches.map(|(name, _)| name).filter(|name| {
        Some(name.as_str()) != own && !name.ends_with("/HEAD") && is_plain_name(name)
    });
    // A bare one has neither a worktree nor an index.
    let is_bare = store.config_value("core.bare").as_deref() == Some("true");
    let uncommitted = match is_bare {
        true => "",
        false => ", --staged or --worktree",
    };
    let mut hints = vec![format!(
        "name what to review: git council review HEAD (the last commit){uncommitted}"
    )];
    if let Some(other) = others.next() {
        hints.push(format!(
            "or compare with another branch: git council review {}...HEAD",
            short_ref_name(&other)
        ));
    }
    let own = own.map(short_ref_name).filter(|own| is_plain_name(own));
    let own = own.filter(|_| !is_bare);
    let remote = store.remote_names().into_iter().next();
    if let Some((own, remote)) = own.zip(remote.filter(|remote| is_plain_name(remote))) {
        hints.push(format!(
            "or give the branch an upstream: git push --set-upstream {remote} {own}"
        ));
    }
    hints
}

/// Whether `tip` has nothing that `upstream` lacks.
fn is_behind(
    objects: &ObjectReader,
    tip: Option<ObjectId>,
    upstream: ObjectId,
) -> Result<bool, GitError> {
    match tip {
        Some(tip) => Ok(objects.store.merge_base(tip, upstream)? == Some(tip)),
        None => Ok(false),
    }
}
