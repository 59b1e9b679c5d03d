//! What becomes of one changed file: its hunks, and what may be said about them in the coverage.

use council_protocol::change::{FileKind, FileStatus};
use council_protocol::{CoverageState, FileChange, Side};

use super::claimed::is_as_named;
use super::context::ContextBounds;
use super::generated::{generated_reason, is_written_now};
use super::ignore::IgnoreGlobs;
use super::{FileReaders, ReadFile};

/// By which rules files are left out, and what counts as seen.
pub(super) struct ReadRules<'a> {
    pub(super) ignore: &'a IgnoreGlobs,
    pub(super) opaque_lowers: bool,
    pub(super) bounds: &'a ContextBounds,
}

/// Gives one file its hunks.
pub(super) fn read_file(
    file: &mut FileChange,
    rules: &ReadRules<'_>,
    read: &FileReaders<'_>,
) -> ReadFile {
    if let Some(state) = rules
        .ignore
        .skip_reason(file)
        .filter(|_| !is_misnamed(file, rules, read))
        .and_then(|why| withheld_state(file, why, read))
    {
        return ReadFile::without_context(state);
    }
    if let Some(reason) = rules.ignore.left_folder(file).or_else(|| new_part(file)) {
        if !read.blobs.has_blobs() {
            let reason = format!("it was {reason}, and the patch does not hold its whole content");
            return ReadFile::without_context(CoverageState::Unreadable { reason });
        }
        become_added(file);
    }
    let before = old_text(file, rules.bounds, read);
    let generated = before
        .as_deref()
        .and_then(|bytes| generated_reason(file, bytes));
    let known = before.as_deref().unwrap_or_default();
    let generated =
        generated.filter(|_| !rules.ignore.is_kept(file) && !is_written_now_in(file, known, read));
    if let Some(state) = generated.and_then(|why| withheld_state(file, why, read)) {
        return ReadFile::without_context(state);
    }
    if let Err(reason) = (read.fill)(file) {
        file.hunks.clear();
        return ReadFile::without_context(CoverageState::Unreadable { reason });
    }
    ReadFile {
        state: covered_state(file, rules.opaque_lowers),
        before: before
            .filter(|_| file.status != FileStatus::Deleted && !file.hunks.is_empty())
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
    }
}

/// Whether something else stands in a file than a built-in glob takes it for by its name.
fn is_misnamed(file: &FileChange, rules: &ReadRules<'_>, read: &FileReaders<'_>) -> bool {
    let is_text = file.kind == FileKind::Text && file.status != FileStatus::Deleted;
    if !is_text || !rules.ignore.goes_by_file_name(&file.path) {
        return false;
    }
    let content = read.blobs.read(Side::New, &file.path).ok().flatten();
    content.is_some_and(|bytes| !is_as_named(&file.path.display(), &bytes))
}

/// Whether people write on the new side of a file what a program wrote on the old one.
fn is_written_now_in(file: &FileChange, before: &[u8], read: &FileReaders<'_>) -> bool {
    let is_deleted = file.status == FileStatus::Deleted;
    let after = (!is_deleted).then(|| read.blobs.read(Side::New, &file.path));
    let after = after.and_then(|bytes| bytes.ok().flatten());
    after.is_some_and(|bytes| is_written_now(file, before, &bytes))
}

/// What becomes of a file that globs leave out; none when it must be shown all the same. Rules against attacks read it,
/// so one that cannot be read is a gap. What the user leaves out, nobody else is shown: there the rules speak alone.
fn withheld_state(
    file: &FileChange,
    reason: String,
    read: &FileReaders<'_>,
) -> Option<CoverageState> {
    let skipped = CoverageState::Skipped { reason };
    match (read.check)(file) {
        Ok(is_harmless) if is_harmless || skipped.is_left_out_by_user() => Some(skipped),
        Ok(_) => None,
        Err(cause) => Some(CoverageState::Unreadable { reason: cause }),
    }
}

/// The old side is the trusted one, and between hunks the same as the new one. Context is a help, not a duty: where it
/// cannot be read, the hunks stand as git shows them.
fn old_text(
    file: &FileChange,
    bounds: &ContextBounds,
    read: &FileReaders<'_>,
) -> Option<std::sync::Arc<[u8]>> {
    let bytes = bounds.wants_old_side(file).then(|| {
        let bytes = read.blobs.read(Side::Old, file.path_before());
        bytes.ok().flatten()
    });
    bytes.flatten().filter(|bytes| bounds.admits_text(bytes))
}

/// From where a file was moved to a place at which it is something else: a workflow, a hook, code. What nobody read as that
/// must not count as read for the sake of its old name.
fn new_part(file: &FileChange) -> Option<String> {
    let old = file.old_path.as_ref()?.display();
    let gains = council_builtin::gains_part(&old, &file.path.display());
    (gains && file.status == FileStatus::Renamed).then(|| format!("moved from {old}"))
}

/// What was never read where it stood is new where it stands now.
fn become_added(file: &mut FileChange) {
    file.status = FileStatus::Added;
    file.moved_from = file.old_path.take();
    file.old_mode = 0;
    file.old_id = None;
    file.similarity = None;
}

/// What of a file that could be read was there to be seen.
fn covered_state(file: &FileChange, lowers: bool) -> CoverageState {
    let same = file.old_id.is_some() && file.old_id == file.new_id;
    let what = match file.kind {
        // Nothing new stands in the tree.
        _ if file.status == FileStatus::Deleted || same => return CoverageState::Reviewed,
        FileKind::Text => return CoverageState::Reviewed,
        FileKind::Binary => "binary",
        FileKind::Symlink => "symbolic link",
        FileKind::Submodule => "submodule",
        FileKind::LfsPointer => "LFS pointer",
    };
    CoverageState::Opaque {
        what: what.to_owned(),
        lowers,
    }
}
