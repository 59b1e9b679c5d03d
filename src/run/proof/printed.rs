//! What a test printed. It reads what it likes of the copy in which it runs, files too whose values no prompt and no
//! room shows.

use std::borrow::Cow;
use std::sync::Arc;

use council_protocol::{BlobSource, Side};
use council_secrets::{Redactor, SecretTable};

/// A longer file is data.
const MAX_FILE_BYTES: usize = 1 << 20;

/// So much of the copies is searched for secrets, the files of secrets first and then from the top of the tree down.
const MAX_SEARCHED_BYTES: usize = 16 << 20;

/// What knows the secrets of both copies as well as those of the change.
pub(super) struct PrintedRedactor {
    of_change: Redactor,
    of_copies: Redactor,
}

impl PrintedRedactor {
    pub(super) fn new(of_change: &Redactor, blobs: &dyn BlobSource) -> Self {
        let texts = texts_of_copies(blobs);
        let lines = texts.iter().map(|(path, text)| {
            let text = std::str::from_utf8(text).unwrap_or_default();
            (Some(Cow::Borrowed(path.as_str())), text.lines())
        });
        Self {
            of_copies: of_change.knowing(lines),
            of_change: of_change.clone(),
        }
    }

    /// What a test printed, without any of them.
    pub(super) fn redact(&self, text: &str) -> String {
        let known = self.of_change.redact_words(text).text;
        self.of_copies.redact_words(&known).text
    }
}

/// The texts of both copies, each once.
fn texts_of_copies(blobs: &dyn BlobSource) -> Vec<(String, Arc<[u8]>)> {
    let table = SecretTable::built_in();
    let mut paths = Vec::new();
    for side in [Side::New, Side::Old] {
        for entry in blobs.entries(side).ok().flatten().unwrap_or_default() {
            let name = entry.path.display().into_owned();
            let is_secret = table.holds_secrets(&name) || table.holds_drawn(&name);
            paths.push((
                !is_secret,
                name.matches('/').count(),
                name,
                side,
                entry.path,
            ));
        }
    }
    paths.sort_by(|a, b| (a.0, a.1, &a.2).cmp(&(b.0, b.1, &b.2)));
    let (mut left, mut texts) = (MAX_SEARCHED_BYTES, Vec::<(String, Arc<[u8]>)>::new());
    for (_, _, name, side, path) in paths {
        let Ok(Some(bytes)) = blobs.read(side, &path) else {
            continue;
        };
        // Most files are the same on both sides, which stand beside each other here.
        let is_known = texts
            .last()
            .is_some_and(|(last, text)| *last == name && *text == bytes);
        if is_known || bytes.len() > MAX_FILE_BYTES || std::str::from_utf8(&bytes).is_err() {
            continue;
        }
        let Some(rest) = left.checked_sub(bytes.len()) else {
            break;
        };
        left = rest;
        texts.push((name, bytes));
    }
    texts
}

#[cfg(test)]
mod tests {
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
                    let shown = PrintedRedactor::new(&Redactor::default(), &blobs).redact(&printed);
                    assert!(!shown.contains(value), "{path}: {shown}");
                }
            }
        }
    }

    /// What briefs replace is replaced here, wherever it stands, whether the change touches the file or not.
    #[test]
    fn no_secret_of_the_copies_stands_in_what_a_test_printed() {
        let value = "xK9mQ2vL8pR4nT7z";
        for (path, text) in [
            ("settings.py", format!("DB_PASSWORD = \"{value}\"\n")),
            (
                "deploy/prod/deploy.yml",
                format!("db:\n  password: {value}\n"),
            ),
            ("app.ini", format!("[db]\nsecret_key = {value}\n")),
            (
                "Web.config",
                format!("<add key=\"Password\" value=\"{value}\"/>\n"),
            ),
            (
                "credentials.json",
                format!("{{\"client_secret\": \"{value}\"}}\n"),
            ),
        ] {
            for side in [Side::Old, Side::New] {
                let blobs = OneFile(side, path, text.clone());
                let redactor = PrintedRedactor::new(&Redactor::default(), &blobs);
                let shown = redactor.redact(&format!("VALUE {path} {value}\nE  '{value}' != 1"));
                assert!(!shown.contains(value), "{path}: {shown}");
                assert!(shown.contains(path), "{shown}");
            }
        }
    }

    #[test]
    fn what_a_test_printed_is_otherwise_as_it_came() {
        let blobs = OneFile(Side::New, "src/a.py", "FOO=k3j9x0q7m2p5\n".to_owned());
        let printed = "AssertionError: 3 != 4\n  at a.py:7\n";
        assert_eq!(
            PrintedRedactor::new(&Redactor::default(), &blobs).redact(printed),
            printed
        );
    }
}
