//! The key under which a change is known again: nothing is bought twice.

use council_protocol::FileChange;
use sha2::{Digest, Sha256};

use super::change::ReviewedChange;

/// The key of a change, as 64 hexadecimal digits: what `git patch-id --verbatim` is, with modes.
///
/// White space counts, line numbers do not: a rebase that only moves lines keeps the key. Where the
/// hunks do not hold the content (binary files, bytes that are not UTF-8, files that were not
/// filled), the ids of the objects stand for it, or the bytes of the patch. `files` are the ones to
/// be judged. Digests of configuration, bench and templates are the caller's to add.
pub fn recognition_key(change: &ReviewedChange, files: &[FileChange]) -> String {
    let mut digest = Sha256::new();
    digest.update(b"git-council change 1\0");
    let mut opaque = false;
    for file in files {
        hash_field(&mut digest, file.path.as_bytes());
        hash_field(&mut digest, file.path_before().as_bytes());
        hash_field(
            &mut digest,
            format!(
                "{:o} {:o} {:?} {:?}",
                file.old_mode, file.new_mode, file.status, file.kind
            )
            .as_bytes(),
        );
        if file.lossy || file.hunks.is_empty() {
            opaque = true;
            hash_field(
                &mut digest,
                file.old_id.as_deref().unwrap_or_default().as_bytes(),
            );
            hash_field(
                &mut digest,
                file.new_id.as_deref().unwrap_or_default().as_bytes(),
            );
        }
        digest.update((file.hunks.len() as u64).to_le_bytes());
        file.hunks
            .iter()
            .for_each(|hunk| hash_field(&mut digest, hunk.body.as_bytes()));
    }
    if let Some(bytes) = change.patch_digest().filter(|_| opaque) {
        hash_field(&mut digest, bytes);
    }
    hex::encode(digest.finalize())
}

/// A length first: no two sequences of fields have the same bytes.
fn hash_field(digest: &mut Sha256, bytes: &[u8]) {
    digest.update((bytes.len() as u64).to_le_bytes());
    digest.update(bytes);
}
