//! A change: what is under review, file by file, and where its files can be read.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use council_protocol::RepoPath;
use council_protocol::change::{BlobSource, FileChange, FileKind, FileStatus};
use council_protocol::packet::{Target, TargetKind};
use council_protocol::task::Framing;
use sha2::{Digest, Sha256};

use super::default_branch::TrustedDefault;
use super::diff::rename::{self, RENAME_LIMIT};
use super::diff::sides::ChangeSides;
use super::diff::similarity::MAX_SCORE;
use super::error::GitError;
use super::folders::ReviewedTree;
use super::history::CommitHistory;
use super::id::ObjectId;
use super::object_store::HeadPosition;
use super::objects::ObjectReader;
use super::patch::ParsedPatch;
use super::patch_content::PatchContent;
use super::patch_sides::PatchMisfit;
use super::pathspec::{ExcludedPaths, LimitedFiles, PathspecList};
use super::range_texts::RangeTexts;
use super::repository_paths::RepositoryPaths;
use super::request::{ChangeRequest, worktree_prefix};
use super::revision;
use super::tree_item::{ItemSort, RawChange, TreeItem};
use super::trusted::{CommitTree, TrustedTree};
use super::{open, patch, patch_sides, target};

/// What is under review.
pub struct ReviewedChange {
    /// How it was asked for, and the commits it stands for.
    pub target: Target,
    /// The changed files in path order, without hunks: [`Change::fill`] adds them. Until then `kind` says only whether
    /// a file is a link or a submodule, and sizes are unknown.
    pub files: Vec<FileChange>,
    /// Who wrote it and what they say about it. Untrusted, and kept from judges until R2.
    pub framing: Framing,
    /// Why there is nothing to review; none exactly when there are files.
    pub nothing: Option<String>,
    /// What a reader of the verdict should know, in words for people (e.g. that a merge was compared with its first
    /// parent). May hold untrusted names.
    pub notes: Vec<String>,
    /// The files of both sides. None of its content comes from outside the reviewed objects, the index or the worktree.
    pub blobs: Arc<dyn BlobSource>,
    /// Where the repository lies.
    pub place: RepositoryPaths,
    /// The second source of objects and why it was needed; none: libgit2 read it.
    pub git_source: Option<String>,
    /// What the user left out by name, which no model is shown.
    pub excluded: ExcludedPaths,
    pub(super) source: HunkSource,
    pub(super) trusted: Option<CommitTree>,
}

/// Where hunks come from.
pub(super) enum HunkSource {
    Sides(Arc<ChangeSides>),
    /// A patch that was applied to the files of the repository around it.
    Applied {
        sides: Arc<ChangeSides>,
        /// The commit that it was applied to; none: to other objects.
        base: Option<ObjectId>,
        /// SHA-256 of the patch's bytes.
        digest: Vec<u8>,
    },
    Patch {
        hunks: Arc<PatchContent>,
        /// SHA-256 of the patch's bytes.
        digest: Vec<u8>,
    },
}

impl ReviewedChange {
    /// Adds the hunks of a file, three lines of context each, its final kind, its sizes, and whether text was lost on
    /// the way to UTF-8. Binary files, pure renames and changes of mode have no hunks.
    ///
    /// # Errors
    ///
    /// Objects that are missing (a partial clone), damaged or larger than 64 MiB, and files of the worktree that
    /// cannot be read. The caller counts such a file as unreadable; it never counts as reviewed.
    pub fn fill_hunks(&self, file: &mut FileChange) -> Result<(), GitError> {
        match &self.source {
            HunkSource::Sides(sides) | HunkSource::Applied { sides, .. } => sides.fill_file(file),
            HunkSource::Patch { hunks, .. } => {
                hunks.check_content(file)?;
                file.hunks = hunks.text_hunks(file).to_vec();
                Ok(())
            }
        }
    }

    /// Whether the content of a file could be read, for one whose hunks nobody asks for.
    ///
    /// # Errors
    ///
    /// As [`Self::fill_hunks`].
    pub fn check_content(&self, file: &FileChange) -> Result<(), GitError> {
        match &self.source {
            HunkSource::Sides(sides) | HunkSource::Applied { sides, .. } => {
                sides.check_content(file)
            }
            HunkSource::Patch { hunks, .. } => hunks.check_content(file),
        }
    }

    /// How many bytes the reviewed side of a file has, told without reading it; none: it has none, or nobody can tell.
    pub fn stored_size(&self, file: &FileChange) -> Option<u64> {
        match &self.source {
            HunkSource::Sides(sides) | HunkSource::Applied { sides, .. } => sides.stored_size(file),
            HunkSource::Patch { .. } => file.new_size,
        }
    }

    /// Files that the change cannot have written: the base of a branch or range (with three dots the base's tip, not
    /// the merge base, so that an old fork point brings no old rules), the first parent of a commit, HEAD for staged
    /// changes, the worktree and a patch. None for a root commit, an unborn branch, and a patch outside a repository.
    pub fn trusted_tree(&self) -> Option<&dyn TrustedTree> {
        self.trusted.as_ref().map(|tree| tree as &dyn TrustedTree)
    }
}

impl ReviewedChange {
    /// The files of the reviewed side, folder by folder; none: a patch that is not of the files here, or text without a
    /// repository.
    pub fn reviewed_tree(&self) -> Option<ReviewedTree> {
        match &self.source {
            HunkSource::Sides(sides) | HunkSource::Applied { sides, .. } => {
                Some(ReviewedTree::of_sides(sides.clone()))
            }
            HunkSource::Patch { .. } => None,
        }
    }

    /// What led to the side before the change; nothing of the change itself. None: no commit is known to be before it.
    pub fn earlier_history(&self) -> Option<CommitHistory> {
        let (sides, base) = match &self.source {
            HunkSource::Sides(sides) => {
                let base = self.target.base.as_deref()?;
                (sides, ObjectId::from_hex(base)?)
            }
            HunkSource::Applied { sides, base, .. } => (sides, (*base)?),
            HunkSource::Patch { .. } => return None,
        };
        Some(CommitHistory::before(sides.clone(), base))
    }

    /// Has the default branch judge in the place of HEAD, where it is known: of what is not committed yet the author may have
    /// committed a part, and with it a configuration.
    ///
    /// # Errors
    ///
    /// Objects of the default branch that cannot be read.
    pub fn judge_by_default(&mut self) -> Result<(), GitError> {
        let Some(head) = &self.trusted else {
            return Ok(());
        };
        let objects = Arc::clone(&head.objects);
        let own = match objects.store.read_head()? {
            HeadPosition::Branch(branch, _) => Some(branch),
            _ => None,
        };
        let is_ours = |name: &str| Some(name) != own.as_deref();
        match revision::trusted_default_tree(&objects, None, is_ours)? {
            TrustedDefault::Branch((root, origin)) => {
                self.trusted = Some(CommitTree {
                    root,
                    origin,
                    objects,
                });
            }
            TrustedDefault::Base => {}
            TrustedDefault::Nobody(note) => {
                self.trusted = None;
                self.notes.push(note);
            }
        }
        Ok(())
    }

    /// What the files held after each commit of the range; none: it has no two commits.
    pub fn range_texts(&self) -> Option<RangeTexts> {
        match &self.source {
            HunkSource::Sides(sides) => RangeTexts::between(sides, &self.target),
            HunkSource::Applied { .. } | HunkSource::Patch { .. } => None,
        }
    }

    /// The digest of a patch's own bytes, which stand for what its hunks do not hold.
    pub(super) fn patch_digest(&self) -> Option<&[u8]> {
        match &self.source {
            HunkSource::Patch { digest, .. } | HunkSource::Applied { digest, .. } => Some(digest),
            HunkSource::Sides(_) => None,
        }
    }
}

/// The repository around a patch or a text, if there is one: it gives the trusted side.
pub(super) struct RepositoryContext {
    pub(super) place: RepositoryPaths,
    pub(super) trusted: Option<CommitTree>,
    /// The directory that was asked about, below the top of the worktree.
    pub(super) prefix: String,
}

impl RepositoryContext {
    /// Texts are reviewed in any directory, and in repositories that cannot be opened.
    pub(super) fn around_request(request: &ChangeRequest) -> Self {
        let objects = open::open_repository(&request.dir, &request.env)
            .ok()
            .map(ObjectReader::new);
        let store = objects.as_ref().map(|objects| &objects.store);
        let prefix = store
            .map(|store| worktree_prefix(&request.dir, store))
            .unwrap_or_default();
        let place = store.map_or_else(
            || RepositoryPaths::outside_repository(&request.dir),
            |store| RepositoryPaths::of_store(&request.dir, store),
        );
        let trusted = objects.and_then(|objects| {
            let (root, origin) = revision::head_tree(&objects)?;
            Some(CommitTree {
                objects: Arc::new(objects),
                root,
                origin,
            })
        });
        Self {
            place,
            trusted,
            prefix,
        }
    }
}

/// Reads a change from a patch. The repository around it, if there is one, gives the trusted side, and the files that
/// it is of where it has them.
pub(super) fn change_from_patch(
    request: &ChangeRequest,
    bytes: &[u8],
    label: &str,
) -> Result<ReviewedChange, GitError> {
    let bytes = &*patch::as_git_writes(bytes);
    let named = |cause| GitError::Patch {
        label: label.to_owned(),
        cause,
    };
    let mut parsed = patch::parse_whole(bytes).map_err(named)?;
    let RepositoryContext {
        place,
        mut trusted,
        prefix,
    } = RepositoryContext::around_request(request);
    let specs = PathspecList::parse(&request.pathspecs, &prefix, place.workdir.as_deref())?;
    let (applied, misfit) = match trusted.as_mut().map(|tree| apply_to(tree, &parsed)) {
        Some(Ok(applied)) => (Some(applied), None),
        Some(Err(misfit)) => (None, Some(misfit)),
        None => (None, None),
    };
    let (listed, applied) = match applied {
        Some((files, sides, base)) => (files, Some((sides, base))),
        None => (std::mem::take(&mut parsed.files), None),
    };
    let LimitedFiles {
        mut files,
        left_out,
        nothing,
    } = specs.limit_files(
        listed,
        &BTreeSet::new(),
        "the patch changes no file".to_owned(),
    )?;
    let mut target = target::make_target(TargetKind::Patch, label.to_owned(), None, None);
    let narrowed = target::narrow_target(&mut target, &request.pathspecs, &left_out);
    let digest = Sha256::digest(bytes).to_vec();
    let (blobs, source): (Arc<dyn BlobSource>, HunkSource) = match applied {
        Some((sides, base)) => {
            let source = HunkSource::Applied {
                sides: sides.clone(),
                base,
                digest,
            };
            (sides, source)
        }
        None => {
            let objects = trusted.as_ref().map(|tree| &*tree.objects);
            let hunks = Arc::new(PatchContent::take(&mut files, &parsed.packed, objects));
            let blobs = hunks.clone();
            (blobs, HunkSource::Patch { hunks, digest })
        }
    };
    Ok(ReviewedChange {
        target,
        files,
        framing: patch::mail_framing(bytes),
        nothing,
        notes: narrowed
            .into_iter()
            .chain(misfit.map(String::from))
            .collect(),
        blobs,
        place,
        git_source: None,
        excluded: specs.into_excluded(),
        source,
        trusted,
    })
}

/// The files of a patch, both its sides, and the commit that it was applied to where that is HEAD.
type AppliedChange = (Vec<FileChange>, Arc<ChangeSides>, Option<ObjectId>);

fn apply_to(tree: &mut CommitTree, parsed: &ParsedPatch) -> Result<AppliedChange, PatchMisfit> {
    let mut applied = patch_sides::apply_patch(&tree.objects, tree.root, parsed)?;
    let head = revision::head_revision(&tree.objects).ok().flatten();
    let base = head
        .and_then(|head| head.commit)
        .filter(|_| applied.is_of_head);
    // Nobody else has it yet.
    if let Some(objects) = Arc::get_mut(&mut tree.objects) {
        objects.add_contents(std::mem::take(&mut applied.own));
    }
    let sides = Arc::new(applied.sides(tree.objects.clone()));
    Ok((applied.files, sides, base))
}

/// The changed files between two sides in path order, renames found; and what could not be looked at.
pub(super) fn list_changed_files(
    sides: &ChangeSides,
) -> Result<(Vec<FileChange>, Option<String>), GitError> {
    let raws = sides.compare_sides()?;
    let found = rename::find_renames(&sides.objects, &raws)?;
    let mut sources = HashMap::with_capacity(found.renames.len());
    let mut gone = vec![false; raws.len()];
    for rename in &found.renames {
        sources.insert(rename.to, *rename);
        gone[rename.from] = true;
    }
    let files = raws
        .iter()
        .enumerate()
        .filter(|(at, _)| !gone[*at])
        .map(|(at, raw)| match sources.get(&at) {
            Some(rename) => renamed_file(&raws[rename.from], raw, rename.score),
            None => unpaired_file(raw),
        });
    let note = found.left.map(|(removed, added)| {
        format!(
            "{removed} removed and {added} added files were not compared for renames by content (the bound is {RENAME_LIMIT} each)"
        )
    });
    Ok((files.collect(), note))
}

/// The changed paths, each for itself: nothing is read to find out what was renamed.
pub(super) fn list_changed_paths(sides: &ChangeSides) -> Result<Vec<FileChange>, GitError> {
    Ok(sides.compare_sides()?.iter().map(unpaired_file).collect())
}

fn unpaired_file(raw: &RawChange) -> FileChange {
    let status = match (raw.old, raw.new) {
        (None, _) => FileStatus::Added,
        (_, None) => FileStatus::Deleted,
        (Some(old), Some(new)) if old.sort() != new.sort() => FileStatus::TypeChanged,
        _ => FileStatus::Modified,
    };
    let mode = |entry: Option<TreeItem>| entry.map_or(0, |entry| entry.mode);
    let id = |entry: Option<TreeItem>| {
        entry
            .filter(|entry| entry.id != ObjectId::NONE)
            .map(|entry| entry.id.to_hex())
    };
    FileChange {
        path: RepoPath::new(raw.path.clone()),
        old_path: None,
        status,
        kind: match raw.new.or(raw.old).map(TreeItem::sort) {
            Some(ItemSort::Symlink) => FileKind::Symlink,
            Some(ItemSort::Submodule) => FileKind::Submodule,
            _ => FileKind::Text,
        },
        old_mode: mode(raw.old),
        new_mode: mode(raw.new),
        old_id: id(raw.old),
        new_id: id(raw.new),
        old_size: None,
        new_size: None,
        similarity: None,
        moved_from: None,
        lossy: false,
        hunks: Vec::new(),
    }
}

fn renamed_file(from: &RawChange, to: &RawChange, score: u64) -> FileChange {
    let pair = RawChange {
        path: to.path.clone(),
        old: from.old,
        new: to.new,
    };
    FileChange {
        old_path: Some(RepoPath::new(from.path.clone())),
        status: FileStatus::Renamed,
        similarity: u8::try_from(score * 100 / MAX_SCORE).ok(),
        ..unpaired_file(&pair)
    }
}
