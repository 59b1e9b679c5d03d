//! A program's own copy of the packet's folder (docs/run-folder.md). One folder for all would let each judge rewrite
//! the change under the eyes of the others; and what configuration leaves out is nothing for a program to read, though
//! the built-in rules may need it.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use council_protocol::Packet;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::private;

/// Name of the file that says what belongs to what.
const INDEX_FILE: &str = "files.json";

/// The files that are named by the index with their digest, and by which field of it.
const NAMED_FILES: [(&str, &str); 2] = [("packet", "packet.json"), ("brief", "brief.md")];

/// The folder of one judge; it goes with the value.
pub(crate) struct PacketCopy(private::TemporaryFolder);

impl PacketCopy {
    /// Copies the folder of a packet, without the files that configuration leaves out.
    ///
    /// # Errors
    /// What the disk says, and a file that is not what the index says: somebody changed it.
    pub(crate) fn make(folder: &Path, packet: &Packet) -> io::Result<Self> {
        let copy = private::temporary_folder(private::HOME_PREFIX)?;
        let mut index: Value = serde_json::from_slice(&fs::read(folder.join(INDEX_FILE))?)?;
        for (field, name) in NAMED_FILES {
            if let Some(digest) = index[field].as_str() {
                copy_file(folder, copy.path(), Path::new(name), digest)?;
            }
        }
        remove_left_out(&mut index, packet);
        private::make_folder(&copy.path().join("blobs"))?;
        for digest in named_blobs(&index) {
            copy_file(
                folder,
                copy.path(),
                &Path::new("blobs").join(&digest),
                &digest,
            )?;
        }
        private::write_file(
            &copy.path().join(INDEX_FILE),
            &serde_json::to_vec_pretty(&index)?,
        )?;
        Ok(Self(copy))
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.0.path().to_path_buf()
    }
}

/// The index has the files in the order of the packet.
fn remove_left_out(index: &mut Value, packet: &Packet) {
    let files = index["files"].as_array_mut().into_iter().flatten();
    for (file, covered) in files.zip(&packet.coverage.files) {
        if let (true, Some(file)) = (covered.state.is_left_out_by_user(), file.as_object_mut()) {
            file.remove("old");
            file.remove("new");
        }
    }
}

fn named_blobs(index: &Value) -> HashSet<String> {
    let files = index["files"].as_array().into_iter().flatten();
    let sides = files.flat_map(|file| [&file["old"], &file["new"]]);
    sides
        .filter_map(|digest| digest.as_str().map(str::to_owned))
        .collect()
}

fn copy_file(from: &Path, to: &Path, name: &Path, digest: &str) -> io::Result<()> {
    let bytes = fs::read(from.join(name))?;
    if hex::encode(Sha256::digest(&bytes)) != digest {
        return Err(io::Error::other(format!(
            "{} was changed since the run began: a program wrote into the run's folder; review again, with \
             `sandbox = \"required\"` for programs that you do not trust",
            name.display()
        )));
    }
    private::write_file(&to.join(name), &bytes)
}

#[cfg(test)]
mod tests {
    use council_protocol::coverage::{FileCoverage, LEFT_OUT_BY_USER};
    use council_protocol::packet::{PACKET_VERSION, Target, TargetKind};
    use council_protocol::{Coverage, CoverageState};

    use super::*;

    /// A folder with a file that is reviewed, and one that is left out.
    fn folder() -> (tempfile::TempDir, Packet) {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("blobs")).unwrap();
        let blob = |text: &str| {
            let digest = hex::encode(Sha256::digest(text));
            fs::write(folder.path().join("blobs").join(&digest), text).unwrap();
            digest
        };
        let (old, new, private) = (blob("old"), blob("new"), blob("private"));
        let (packet, brief) = ("{}", "the brief");
        fs::write(folder.path().join("packet.json"), packet).unwrap();
        fs::write(folder.path().join("brief.md"), brief).unwrap();
        let index = serde_json::json!({
            "version": 1,
            "packet": hex::encode(Sha256::digest(packet)),
            "brief": hex::encode(Sha256::digest(brief)),
            "files": [{"path": "a", "old": old, "new": new}, {"path": "b", "new": private}],
        });
        fs::write(folder.path().join(INDEX_FILE), index.to_string()).unwrap();
        let covered = |path: &str, state| FileCoverage {
            path: path.into(),
            state,
        };
        let reason = LEFT_OUT_BY_USER.to_owned();
        let coverage = Coverage {
            files: vec![
                covered("a", CoverageState::Reviewed),
                covered("b", CoverageState::Skipped { reason }),
            ],
        };
        let packet = Packet {
            version: PACKET_VERSION,
            target: Target {
                kind: TargetKind::Commit,
                label: String::new(),
                slug: String::new(),
                base: None,
                head: None,
                only: Vec::new(),
            },
            files: Vec::new(),
            instructions: Vec::new(),
            coverage,
            framing: Default::default(),
        };
        (folder, packet)
    }

    /// Every file below a folder, with its content.
    fn content(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
        let mut found = Vec::new();
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            if entry.file_type().unwrap().is_dir() {
                found.extend(content(&entry.path()));
            } else {
                found.push((entry.path(), fs::read(entry.path()).unwrap()));
            }
        }
        found.sort();
        found
    }

    #[test]
    fn a_program_has_a_copy_of_all_but_what_is_left_out() {
        let (folder, packet) = folder();
        let copy = PacketCopy::make(folder.path(), &packet).unwrap();
        let texts: Vec<_> = content(&copy.path())
            .into_iter()
            .map(|(_, text)| text)
            .collect();
        for text in ["old", "new", "{}", "the brief"] {
            assert!(texts.contains(&text.as_bytes().to_vec()), "{text}");
        }
        assert_eq!(texts.len(), 5);
        assert!(!texts.contains(&b"private".to_vec()));
        let index: Value =
            serde_json::from_slice(&fs::read(copy.path().join(INDEX_FILE)).unwrap()).unwrap();
        assert_eq!(index["files"][1], serde_json::json!({"path": "b"}));
    }

    #[test]
    fn what_one_program_writes_no_other_reads() {
        let (folder, packet) = folder();
        let before = content(folder.path());
        let mine = PacketCopy::make(folder.path(), &packet).unwrap();
        for (path, _) in content(&mine.path()) {
            fs::write(path, "forged").unwrap();
        }
        assert_eq!(content(folder.path()), before);
        let theirs = PacketCopy::make(folder.path(), &packet).unwrap();
        assert!(
            content(&theirs.path())
                .iter()
                .all(|(_, text)| text != b"forged")
        );
    }

    /// Whoever finds the run's own folder and writes there is noticed by the next judge, whatever the file.
    #[test]
    fn a_folder_of_which_any_file_was_changed_is_no_review() {
        let (folder, packet) = folder();
        let copy = PacketCopy::make(folder.path(), &packet).unwrap();
        for (path, _) in content(&copy.path()) {
            let name = path.strip_prefix(copy.path()).unwrap();
            let original = folder.path().join(name);
            let kept = fs::read(&original).unwrap();
            fs::write(&original, "forged").unwrap();
            assert!(
                PacketCopy::make(folder.path(), &packet).is_err(),
                "{}",
                name.display()
            );
            fs::write(&original, kept).unwrap();
        }
        assert!(PacketCopy::make(folder.path(), &packet).is_ok());
    }
}
