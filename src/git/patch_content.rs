//! What a patch holds of its files: hunks of text, and binary files.

use std::collections::HashMap;
use std::sync::Arc;

use council_protocol::added::{AddedText, visit_added_hunks, visit_added_lines};
use council_protocol::change::{BlobError, BlobSource, FileChange, FileKind, FileStatus, Side};
use council_protocol::{Hunk, RepoPath};

use super::content;
use super::decode::{claims_text, decode_text};
use super::error::GitError;
use super::id::ObjectId;
use super::limits::MAX_UNPACKED;
use super::objects::ObjectReader;
use super::patch::{PackedFile, UnpackedFile};

/// The content of a patch, which is all that is known of its files.
pub(super) struct PatchContent {
    hunks: HashMap<RepoPath, Vec<Hunk>>,
    /// Binary files, or why they cannot be unpacked.
    binaries: HashMap<RepoPath, Result<UnpackedFile, String>>,
}

impl PatchContent {
    /// A text alone.
    pub(super) fn of_text(hunks: HashMap<RepoPath, Vec<Hunk>>) -> Self {
        Self {
            hunks,
            binaries: HashMap::new(),
        }
    }

    /// Takes the hunks of these files, and unpacks those that are binary. `objects` may hold what they were before.
    pub(super) fn take(
        files: &mut [FileChange],
        packed: &HashMap<RepoPath, PackedFile>,
        objects: Option<&ObjectReader>,
    ) -> Self {
        let mut content = Self::of_text(HashMap::new());
        let mut room = MAX_UNPACKED;
        for file in files {
            let hunks = std::mem::take(&mut file.hunks);
            content.hunks.insert(file.path.clone(), hunks);
            let packed = packed.get(&file.path);
            if let Some(packed) = packed.filter(|_| file.kind == FileKind::Binary) {
                let unpacked = packed.unpack(room, || blob_before(file, objects?));
                room = room.saturating_sub(unpacked.as_ref().map_or(0, |file| file.new.len()));
                content.binaries.insert(file.path.clone(), unpacked);
            }
        }
        content
    }

    /// The hunks of a file of text.
    pub(super) fn text_hunks(&self, file: &FileChange) -> &[Hunk] {
        let hunks = self.hunks.get(&file.path);
        let hunks = hunks.filter(|_| file.kind != FileKind::Binary);
        hunks.map_or(&[], Vec::as_slice)
    }

    /// Whether the content of a file can be read: what a patch calls binary may be text, and may be damaged.
    pub(super) fn check_content(&self, file: &FileChange) -> Result<(), GitError> {
        if file.kind != FileKind::Binary || file.status == FileStatus::Deleted {
            return Ok(());
        }
        let path = || file.path.display().into_owned();
        let unpacked = match self.binaries.get(&file.path) {
            Some(Err(cause)) => {
                return Err(GitError::BinaryPatch {
                    path: path(),
                    cause: cause.clone(),
                });
            }
            Some(Ok(unpacked)) => Some(unpacked),
            None => None,
        };
        // An attribute of whoever made a patch may have made a binary file of a script.
        let is_text = unpacked.is_some_and(|unpacked| is_text(&unpacked.new));
        if is_text || claims_text(file.path.as_bytes(), &[]) {
            return Err(GitError::BinaryText { path: path() });
        }
        Ok(())
    }

    fn unpacked(&self, path: &RepoPath) -> Option<&UnpackedFile> {
        self.binaries.get(path)?.as_ref().ok()
    }
}

impl BlobSource for PatchContent {
    /// Only what a binary file was before: of any other file a patch does not hold the whole.
    fn read(&self, side: Side, path: &RepoPath) -> Result<Option<Arc<[u8]>>, BlobError> {
        let unpacked = self.unpacked(path).filter(|_| side == Side::Old);
        Ok(unpacked.and_then(|unpacked| unpacked.old.clone()))
    }

    fn visit_added(
        &self,
        file: &FileChange,
        visit: &mut dyn FnMut(AddedText<'_>),
    ) -> Result<(), BlobError> {
        if let Some(UnpackedFile { new, old }) = self.unpacked(&file.path) {
            visit_added_lines(old.as_deref().unwrap_or_default(), new, visit);
        }
        let hunks = self.hunks.get(&file.path).map_or(&[][..], Vec::as_slice);
        visit_added_hunks(hunks, visit);
        Ok(())
    }

    fn has_blobs(&self) -> bool {
        false
    }
}

/// The file before the change, where the repository around the patch has it.
fn blob_before(file: &FileChange, objects: &ObjectReader) -> Option<Arc<[u8]>> {
    let id = ObjectId::from_hex(file.old_id.as_deref()?)?;
    objects.blob(id).ok()
}

/// Whether these bytes are text where a repository is reviewed.
fn is_text(bytes: &[u8]) -> bool {
    let is_plain = || !content::is_binary(bytes) && std::str::from_utf8(bytes).is_ok();
    !bytes.is_empty() && (is_plain() || decode_text(bytes).is_some())
}
