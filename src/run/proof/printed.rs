//! What a test printed. It reads what it likes of the copy in which it runs, files too whose values no prompt and no
//! room shows.

use std::borrow::Cow;

use council_protocol::{BlobSource, Side};
use council_secrets::{Redactor, SecretTable};

/// A file of secrets is small: what is longer is data.
const MAX_SECRET_FILE_BYTES: usize = 1 << 20;

/// The text without the secrets of the change, and without those of either side's files of secrets.
pub(super) fn redact_printed(text: &str, redactor: &Redactor, blobs: &dyn BlobSource) -> String {
    let files = secret_files(blobs);
    let of_files = redactor.knowing(
        files
            .iter()
            .map(|(path, text)| (Some(Cow::Borrowed(path.as_str())), text.lines())),
    );
    let known = redactor.redact_words(text).text;
    of_files.redact_words(&known).text
}

/// The files of both sides whose name says that they hold secrets.
fn secret_files(blobs: &dyn BlobSource) -> Vec<(String, String)> {
    let table = SecretTable::built_in();
    let mut found = Vec::new();
    for side in [Side::Old, Side::New] {
        for entry in blobs.entries(side).ok().flatten().unwrap_or_default() {
            let path = entry.path.display().into_owned();
            if !table.holds_secrets(&path) && !table.holds_drawn(&path) {
                continue;
            }
            if let Ok(Some(bytes)) = blobs.read(side, &entry.path)
                && bytes.len() <= MAX_SECRET_FILE_BYTES
            {
                found.push((path, String::from_utf8_lossy(&bytes).into_owned()));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use council_protocol::RepoPath;
    use council_protocol::change::{BlobError, EntryKind, TreeEntry};

    use super::*;

    /// One file, on one side.
    struct OneFile(Side, &'static str, String);

    impl BlobSource for OneFile {
        fn read(&self, side: Side, path: &RepoPath) -> Result<Option<Arc<[u8]>>, BlobError> {
            let is_it = side == self.0 && *path == self.1.into();
            Ok(is_it.then(|| self.2.as_bytes().into()))
        }

        fn entries(&self, side: Side) -> Result<Option<Vec<TreeEntry>>, BlobError> {
            let entry = TreeEntry {
                path: self.1.into(),
                kind: EntryKind::File,
                is_executable: false,
            };
            Ok(Some(if side == self.0 {
                vec![entry]
            } else {
                Vec::new()
            }))
        }
    }

    /// Whatever file of secrets a test prints, whole or one value of it, whichever side it stands on.
    #[test]
    fn no_value_of_a_file_of_secrets_stands_in_what_a_test_printed() {
        let value = "k3j9x0q7m2p5";
        for path in [".env", "deploy/.env", ".env.production", ".npmrc", ".netrc"] {
            for side in [Side::Old, Side::New] {
                let blobs = OneFile(side, path, format!("FOO={value}\n"));
                for printed in [
                    format!("FOO={value}\n"),
                    format!("assert '{value}' == 'x'"),
                    format!("SECRETS {value} and more"),
                ] {
                    let shown = redact_printed(&printed, &Redactor::default(), &blobs);
                    assert!(!shown.contains(value), "{path}: {shown}");
                }
            }
        }
    }

    #[test]
    fn what_a_test_printed_is_otherwise_as_it_came() {
        let blobs = OneFile(Side::New, "src/a.py", "FOO=k3j9x0q7m2p5\n".to_owned());
        let printed = "AssertionError: 3 != 4\n  at a.py:7\n";
        assert_eq!(
            redact_printed(printed, &Redactor::default(), &blobs),
            printed
        );
    }
}
