//! SHA-256 as text.

use sha2::{Digest, Sha256};

/// SHA-256 of `bytes`, 64 hex digits.
pub(crate) fn sha256_hex(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}
