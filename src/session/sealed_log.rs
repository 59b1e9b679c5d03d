//! A log beside the journal, with lines of its own kind: each is summed and sealed as a journal's, so that a torn end is left
//! out, and a line that somebody else wrote is told.

use std::path::Path;

use serde::Serialize;

use super::error::SessionError;
use super::journal::{JournalWriter, RunJournal};
use super::world::SessionWorld;

/// The writing end of a log.
pub(crate) struct SealedLog(JournalWriter);

impl SealedLog {
    /// Opens a log, which need not exist, behind its last whole line; gives the lines that are there.
    pub(crate) fn open(
        world: &dyn SessionWorld,
        path: &Path,
    ) -> Result<(Self, Vec<Vec<u8>>), SessionError> {
        let (writer, lines) = JournalWriter::open_log(world, path)?;
        Ok((Self(writer), lines))
    }

    /// Adds a line, and waits for the disk.
    pub(crate) fn append(&mut self, line: &impl Serialize) -> Result<(), SessionError> {
        self.0.append_line(line)
    }

    /// The whole lines of a log; none where it is damaged.
    pub(crate) fn whole_lines(bytes: &[u8]) -> Vec<&[u8]> {
        RunJournal::whole_lines(bytes)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde::Deserialize;

    use super::super::real::RealWorld;
    use super::*;

    #[derive(Serialize, Deserialize)]
    struct Said {
        said: String,
    }

    fn read(lines: &[Vec<u8>]) -> Vec<String> {
        let said = |line: &Vec<u8>| serde_json::from_slice::<Said>(line).unwrap().said;
        lines.iter().map(said).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Wherever a log is torn, what was whole is read, and the next line stands behind it.
        #[test]
        fn a_torn_log_keeps_its_whole_lines(
            words in prop::collection::vec("[a-z\"\\\\\n]{0,20}", 1..5), cut in any::<prop::sample::Index>(),
        ) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("log.jsonl");
            let world = RealWorld::new();
            let mut ends = vec![0];
            let (mut log, _) = SealedLog::open(&world, &path).unwrap();
            for said in &words {
                log.append(&Said { said: said.clone() }).unwrap();
                ends.push(std::fs::read(&path).unwrap().len());
            }
            let bytes = std::fs::read(&path).unwrap();
            let cut = cut.index(bytes.len() + 1);
            std::fs::write(&path, &bytes[..cut]).unwrap();
            let whole = ends.iter().skip(1).filter(|end| **end <= cut).count();
            let (mut log, lines) = SealedLog::open(&world, &path).unwrap();
            prop_assert_eq!(read(&lines), &words[..whole]);
            log.append(&Said { said: "next".into() }).unwrap();
            let bytes = std::fs::read(&path).unwrap();
            let lines = SealedLog::whole_lines(&bytes).into_iter().map(<[u8]>::to_vec).collect::<Vec<_>>();
            let said = read(&lines);
            prop_assert_eq!(said.last().map(String::as_str), Some("next"));
            prop_assert_eq!(lines.len(), whole + 1);
            // Without a key there is no seal that anybody could take.
            prop_assert!(!RunJournal::is_sealed(&bytes, |_, _| true));
        }
    }
}
