//! What is asked for, and how reports name it.

use council_protocol::packet::{Target, TargetKind};
use serde::{Deserialize, Serialize};

use council_protocol::RepoPath;

use super::id::ObjectId;

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TargetSpec {
    /// The current branch against the merge base with its upstream, else with the default branch.
    Default,
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
    /// A document, as bytes, and its name for people and findings.
    Document(Vec<u8>, String),
    /// A question without code.
    Topic(String),
    /// One commit against its first parent, with files of it replaced.
    Altered(AlteredCommit),
    /// What may not be merged yet, judged by what the default branch says.
    Unmerged(UnmergedRange),
    /// What is proposed to be merged: the changes of a tip since it left the tip of its base.
    Proposal(Proposal),
}

/// Commits of a branch that somebody else may have written on. Their base, unlike that of a range which a person names, was
/// chosen by what the remote has of the branch: its configuration is not obeyed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnmergedRange {
    /// The base side, by any name of it.
    pub from: String,
    /// The reviewed side.
    pub to: String,
    /// Whose default branch it is; none, or an address: that of any remote, `origin` first.
    #[serde(default)]
    pub remote: Option<String>,
}

/// A commit as it never was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlteredCommit {
    /// The commit, by any name of it.
    pub commit: String,
    /// Paths that the commit has, and what stands there instead; none: nothing.
    pub files: Vec<(Vec<u8>, Option<Vec<u8>>)>,
}

/// A pull request, an entry of a merge queue, or commits that were pushed: by object ids, which do not move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// What reports call it, e.g. `#12`.
    pub label: String,
    /// The tip of the base, as hex.
    pub base: String,
    /// The proposed tip, as hex.
    pub head: String,
    /// The commit by which it is judged, as hex: configuration and instructions are read there, since
    /// the proposed tip could weaken its own review.
    pub trusted: String,
    /// What people call that commit, e.g. `main`.
    pub trusted_name: String,
    /// The title that its author gave it. Untrusted.
    pub title: String,
    /// The text that its author gave it. Untrusted.
    pub body: String,
}

/// The tree without files, as GitHub's repositories have it.
pub const EMPTY_TREE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

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

/// The target as reports name it.
pub(super) fn make_target(
    kind: TargetKind,
    label: String,
    base: Option<ObjectId>,
    head: Option<ObjectId>,
) -> Target {
    let slug = make_slug(&label);
    Target {
        kind,
        label,
        slug,
        base: base.map(|id| id.to_hex()),
        head: head.map(|id| id.to_hex()),
        only: Vec::new(),
    }
}

/// The most files that a note names.
const MAX_NAMED: usize = 5;

/// How the note begins that tells of changed files that the user did not ask for.
pub const PART_NOTE: &str = "not a review of the whole change: ";

/// Says in the target that the user asked for a part of it, and returns the note that names what was not asked for.
pub(super) fn narrow_target(
    target: &mut Target,
    pathspecs: &[String],
    left_out: &[RepoPath],
) -> Option<String> {
    if left_out.is_empty() {
        return None;
    }
    pathspecs.clone_into(&mut target.only);
    target.label = format!("{} -- {}", target.label, pathspecs.join(" "));
    let names = left_out.iter().take(MAX_NAMED);
    let names: Vec<_> = names.map(RepoPath::display).collect();
    let more = match left_out.len().saturating_sub(MAX_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Some(format!(
        "{PART_NOTE}the pathspecs leave out {}{more}",
        names.join(", ")
    ))
}

/// A revision as a person would name it: of a whole object id its first ten digits.
pub(super) fn short_revision(name: &str) -> &str {
    let is_id = matches!(name.len(), 40 | 64) && name.bytes().all(|b| b.is_ascii_hexdigit());
    if is_id {
        &name[..10]
    } else {
        name.strip_prefix("refs/remotes/").unwrap_or(name)
    }
}

/// A name for files: lower case, `[a-z0-9-]`, at most 50 characters.
pub fn make_slug(label: &str) -> String {
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
    fn a_whole_id_is_told_by_its_first_digits_and_a_name_as_it_is() {
        assert_eq!(short_revision(&"0123456789abcdef".repeat(4)), "0123456789");
        assert_eq!(short_revision(&"ab".repeat(20)), "ababababab");
        assert_eq!(short_revision("main"), "main");
        assert_eq!(short_revision("deadbeef"), "deadbeef");
    }

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
            make_slug("origin/main...Feature/Übung_2"),
            "origin-main-feature-bung-2"
        );
        assert_eq!(make_slug("../../etc"), "etc");
        assert_eq!(make_slug("…"), "change");
        assert!(
            make_slug(&"x".repeat(80)).len() == 50 && !make_slug(&"ab-".repeat(40)).ends_with('-')
        );
    }
}
