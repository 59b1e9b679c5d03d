//! SHA-256 as text.

use std::io;

use serde::Serialize;
use sha2::{Digest, Sha256};

/// SHA-256 of `bytes`, 64 hex digits.
pub(crate) fn sha256_hex(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// SHA-256 of these parts as of one text, 64 hex digits.
pub(super) fn sha256_of_parts(parts: &[&[u8]]) -> String {
    let mut digest = Sha256::new();
    parts.iter().for_each(|part| digest.update(part));
    hex::encode(digest.finalize())
}

/// SHA-256 of a value as JSON, without all of its text in memory at once.
pub(super) fn sha256_of_json(value: &impl Serialize) -> String {
    let mut hashed = HashedText::default();
    // Of strings, numbers and arrays everything can be written, and a digest takes all of it.
    let written = serde_json::to_writer(&mut hashed, value);
    debug_assert!(written.is_ok());
    hashed.digest.update(&hashed.waiting);
    hex::encode(hashed.digest.finalize())
}

/// Bytes that are hashed at once: JSON is written in pieces of a few.
const CHUNK: usize = 32 << 10;

/// What was written so far.
#[derive(Default)]
struct HashedText {
    digest: Sha256,
    waiting: Vec<u8>,
}

impl io::Write for HashedText {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.waiting.len() + bytes.len() > CHUNK {
            self.digest.update(&self.waiting);
            self.waiting.clear();
        }
        match bytes.len() {
            CHUNK.. => self.digest.update(bytes),
            _ => self.waiting.extend_from_slice(bytes),
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_hashed_as_its_text_is() {
        for length in [
            0,
            1,
            7,
            CHUNK - 3,
            CHUNK - 2,
            CHUNK - 1,
            CHUNK,
            3 * CHUNK + 5,
        ] {
            let value = vec!["a\n".repeat(length), "b".to_owned(), "c".repeat(length)];
            let text = serde_json::to_vec(&value).unwrap();
            assert_eq!(sha256_of_json(&value), sha256_hex(&text), "{length}");
        }
    }
}
