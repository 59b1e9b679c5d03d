//! The id that bytes have as an object.

use sha2::{Digest, Sha256};

use super::error::GitError;
use super::id::{ObjectFormat, ObjectId};
use super::libgit2;
use super::object_store::ObjectKind;

/// The id of an object of these bytes.
pub(super) fn object_id(
    format: ObjectFormat,
    kind: ObjectKind,
    bytes: &[u8],
) -> Result<ObjectId, GitError> {
    if format == ObjectFormat::Sha1 {
        return libgit2::sha1_id(kind, bytes);
    }
    let name = match kind {
        ObjectKind::Commit => "commit",
        ObjectKind::Tree => "tree",
        ObjectKind::Blob => "blob",
        ObjectKind::Other => "tag",
    };
    let mut digest = Sha256::new();
    digest.update(format!("{name} {}\0", bytes.len()));
    digest.update(bytes);
    // It has 32 bytes.
    Ok(ObjectId::from_bytes(&digest.finalize()).unwrap_or(ObjectId::NONE))
}

/// That an object is what its name says: a store can hold other bytes under an id, and whoever else reads it would see
/// another change than judges do.
pub(super) fn verify_object(id: ObjectId, kind: ObjectKind, bytes: &[u8]) -> Result<(), GitError> {
    let found = object_id(id.format(), kind, bytes)?;
    if found == id {
        return Ok(());
    }
    Err(GitError::Damaged {
        what: format!("object {id}"),
        cause: format!("its content has the id {found}"),
    })
}
