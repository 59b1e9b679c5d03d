//! Readers of what a repository stores, over bytes that nobody has checked: for the fuzz targets.

use super::commit::CommitObject;
use super::decode::{claims_text, decode_text};
use super::id::ObjectFormat;
use super::tree;

/// Reads bytes as a commit, as a tree of either format, and as the text of a file.
pub fn read_any_object(bytes: &[u8]) {
    if let Some(commit) = CommitObject::parse(bytes) {
        let message = commit.message.len();
        assert!(
            commit.subject().len() <= message,
            "a subject longer than its message"
        );
    }
    for format in [ObjectFormat::Sha1, ObjectFormat::Sha256] {
        assert!(
            tree::count_items(bytes, format) <= bytes.len(),
            "more entries than bytes"
        );
    }
    let _ = (decode_text(bytes), claims_text(b"a.py", bytes));
}
