//! Which notes of a repository this user's program wrote: a signature of each under the user's key, beside the runs and
//! not in them, so that a note is known as one's own when its run is pruned.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::safe_file;

use super::seal::{DIGITS, MacKey, MacPurpose};

/// The file's name, in the folder that the program keeps in the git directory.
const FILE: &str = "own-notes";

/// The most notes that are remembered; half of them go when there are more.
const MAX_NOTES: usize = 20_000;

/// Bytes of one line.
const LINE: usize = DIGITS + 1;

/// The notes of this user in one repository.
pub(crate) struct OwnNotes {
    file: PathBuf,
    key: MacKey,
}

impl OwnNotes {
    /// Those below `memory_dir`, under the user's key.
    pub(crate) fn new(memory_dir: &Path, key: MacKey) -> Self {
        Self {
            file: memory_dir.join(FILE),
            key,
        }
    }

    /// Remembers the line that was just written onto a commit, without a signature of its own.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub(crate) fn remember(&self, commit: &str, body: &str) -> io::Result<()> {
        if let Some(dir) = self.file.parent() {
            safe_file::make_folder(dir)?;
        }
        let known = fs::metadata(&self.file).map_or(0, |file| file.len());
        if known > (MAX_NOTES * LINE) as u64 {
            self.forget_half()?;
        }
        let line = format!("{}\n", self.mac(commit, body));
        safe_file::open_append(&self.file)?.write_all(line.as_bytes())
    }

    /// Whether this user's program wrote the line onto the commit, here.
    pub(crate) fn knows(&self, commit: &str, body: &str) -> bool {
        let text = safe_file::read_text(&self.file).unwrap_or_default();
        // The digits are nobody's secret: they stand in the file.
        let ours = self.mac(commit, body);
        text.lines().any(|line| line == ours)
    }

    fn mac(&self, commit: &str, body: &str) -> String {
        let text = format!("{commit}\n{body}");
        self.key.mac_hex(MacPurpose::Note, text.as_bytes())
    }

    fn forget_half(&self) -> io::Result<()> {
        let text = safe_file::read_text(&self.file)?;
        let lines: Vec<&str> = text.lines().collect();
        let newest = lines[lines.len() / 2..].join("\n");
        safe_file::write_file(&self.file, newest + "\n")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

        /// Law: known is what was remembered, on its commit and under this key, and nothing else; whatever else stands in
        /// the file.
        #[test]
        fn only_what_this_user_wrote_onto_the_commit_is_known(
            written in prop::collection::vec((0_u8..4, 0_u8..4), 0..8), garbage in "[a-f0-9\n]{0,200}",
        ) {
            let folder = tempfile::tempdir().unwrap();
            fs::write(folder.path().join(FILE), format!("{garbage}\n")).unwrap();
            let notes = OwnNotes::new(folder.path(), MacKey::new([7; 32]));
            for (commit, body) in &written {
                notes.remember(&commit.to_string(), &body.to_string()).unwrap();
            }
            let others = OwnNotes::new(folder.path(), MacKey::new([8; 32]));
            for commit in 0..4 {
                for body in 0..4 {
                    let (on, text) = (commit.to_string(), body.to_string());
                    prop_assert_eq!(notes.knows(&on, &text), written.contains(&(commit, body)));
                    prop_assert!(!others.knows(&on, &text));
                }
            }
        }
    }

    #[test]
    fn the_file_stays_small_and_keeps_the_newest() {
        let folder = tempfile::tempdir().unwrap();
        let full = format!("{}\n", "0".repeat(DIGITS)).repeat(MAX_NOTES + 1);
        fs::write(folder.path().join(FILE), full).unwrap();
        let notes = OwnNotes::new(folder.path(), MacKey::new([7; 32]));
        notes.remember("c", "first").unwrap();
        notes.remember("c", "second").unwrap();
        assert!(notes.knows("c", "first") && notes.knows("c", "second"));
        let size = fs::metadata(folder.path().join(FILE)).unwrap().len();
        assert!(size < (MAX_NOTES * LINE) as u64, "{size}");
    }
}
