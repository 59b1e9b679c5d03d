//! A packet as the files of a folder, for judges outside of this process: programs, background workers, the jobs of a
//! matrix. `docs/run-folder.md` describes the folder; a test holds the two together.

use std::collections::HashSet;
use std::sync::Arc;

use council_protocol::change::{BlobError, FileKind};
use council_protocol::coverage::FileCoverage;
use council_protocol::packet::{Instruction, Target, TargetKind};
use council_protocol::task::Framing;
use council_protocol::{BlobSource, Coverage, CoverageState, FileChange, Packet, RepoPath, Side};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::sha::sha256_of_parts;
use super::sha256;

/// Version that every [`FolderIndex`] carries.
pub(crate) const FOLDER_VERSION: u32 = 1;

/// Name of the packet in the folder.
pub(crate) const PACKET_FILE: &str = "packet.json";

/// Name of the brief in the folder.
pub(crate) const BRIEF_FILE: &str = "brief.md";

/// Name of the [`FolderIndex`] in the folder.
pub(crate) const INDEX_FILE: &str = "files.json";

/// What lies in the folder and what it belongs to. Written last: a folder without it is not complete.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct FolderIndex {
    pub version: u32,
    /// SHA-256 of `packet.json`, 64 hex digits.
    pub packet: String,
    /// SHA-256 of `brief.md`; none where nobody reads text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub brief: Option<String>,
    /// The changed files, in the order of the packet.
    pub files: Vec<FolderFile>,
}

/// One changed file and where its two sides lie.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct FolderFile {
    /// Path on the reviewed side; on the old side when deleted.
    pub path: RepoPath,
    /// Path on the old side, when it was another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_path: Option<RepoPath>,
    /// SHA-256 of the old side, which is the file's name under `blobs/`; none when it did not exist or is a submodule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old: Option<String>,
    /// SHA-256 of the reviewed side; none when it no longer exists or is a submodule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new: Option<String>,
}

impl FolderIndex {
    /// The name, relative to the folder, of the file that holds `path` on `side`; none when the folder has none.
    pub(crate) fn blob_name(&self, side: Side, path: &RepoPath) -> Option<String> {
        let held = |file: &FolderFile| match side {
            Side::Old => file
                .old
                .clone()
                .filter(|_| file.old_path.as_ref().unwrap_or(&file.path) == path),
            Side::New => file.new.clone().filter(|_| file.path == *path),
        };
        self.files
            .iter()
            .find_map(held)
            .map(|digest| blob_file(&digest))
    }
}

/// The name of a blob in the folder. Contents name the files: no path of a change ever becomes a path of this machine.
fn blob_file(digest: &str) -> String {
    format!("blobs/{digest}")
}

/// The packet as judges may read it before R2: without the authors' words, and without the name of a branch.
pub(crate) fn for_judges(packet: &Packet) -> Packet {
    Packet {
        target: target_for_judges(packet),
        framing: Framing::default(),
        ..packet.clone()
    }
}

fn target_for_judges(packet: &Packet) -> Target {
    let mut target = packet.target.clone();
    if target.kind != TargetKind::Topic {
        target.label.clear();
        target.slug.clear();
        target.only.clear();
    }
    target
}

/// The same as canonical JSON, without a copy of the packet: its hunks may be many megabytes.
pub(crate) fn bytes_for_judges(packet: &Packet) -> Vec<u8> {
    let shown = ShownPacket {
        version: packet.version,
        target: target_for_judges(packet),
        files: &packet.files,
        instructions: &packet.instructions,
        coverage: &packet.coverage,
        framing: Framing::default(),
    };
    let hunks = packet.files.iter().flat_map(|file| &file.hunks);
    let text: usize = hunks.map(|hunk| hunk.body.len()).sum();
    let mut bytes = Vec::with_capacity(text + text / 16 + 512 * packet.files.len());
    // Strings, numbers and arrays only: serialization into memory cannot fail.
    let written = serde_json::to_writer(&mut bytes, &shown);
    debug_assert!(written.is_ok());
    bytes
}

/// The digest of a packet of which these are the bytes for judges: they have all of it but the words at its ends, and it is
/// not written a second time. None: they are of another packet.
pub(crate) fn digest_beside(packet: &Packet, shown: &[u8]) -> Option<String> {
    let own = PacketEnds::of(packet.version, &packet.target, &packet.framing)?;
    let others = target_for_judges(packet);
    let others = PacketEnds::of(packet.version, &others, &Framing::default())?;
    let middle = shown.strip_prefix(&*others.head)?;
    let middle = middle.strip_suffix(&*others.tail)?;
    Some(sha256_of_parts(&[&own.head, middle, &own.tail]))
}

/// How the JSON of a packet begins and ends.
struct PacketEnds {
    head: Vec<u8>,
    tail: Vec<u8>,
}

impl PacketEnds {
    fn of(version: u32, target: &Target, framing: &Framing) -> Option<Self> {
        let target = serde_json::to_string(target).ok()?;
        let framing = serde_json::to_string(framing).ok()?;
        Some(Self {
            head: format!("{{\"version\":{version},\"target\":{target},").into_bytes(),
            tail: format!(",\"framing\":{framing}}}").into_bytes(),
        })
    }
}

/// The fields of a packet in their order.
#[derive(Serialize)]
struct ShownPacket<'a> {
    version: u32,
    target: Target,
    files: &'a [FileChange],
    instructions: &'a [Instruction],
    coverage: &'a Coverage,
    framing: Framing,
}

/// Gives the files of the folder to `put`, name (relative, `/` between its parts) and content, one after another, so that
/// never more than one content is in memory; the index comes last.
///
/// # Errors
/// What `put` fails with, and a side that `blobs` cannot read, except of a file whose coverage already says that it is
/// unreadable.
pub(crate) fn export_packet<E: From<BlobError>>(
    packet: &Packet,
    brief: Option<&str>,
    blobs: &dyn BlobSource,
    mut put: impl FnMut(&str, &[u8]) -> Result<(), E>,
) -> Result<FolderIndex, E> {
    let bytes = bytes_for_judges(packet);
    put(PACKET_FILE, &bytes)?;
    if let Some(text) = brief {
        put(BRIEF_FILE, text.as_bytes())?;
    }
    let mut index = FolderIndex {
        version: FOLDER_VERSION,
        packet: sha256(&bytes),
        brief: brief.map(|text| sha256(text.as_bytes())),
        files: Vec::with_capacity(packet.files.len()),
    };
    let mut held = HashSet::new();
    for (at, file) in packet.files.iter().enumerate() {
        let mut blob = |side, path| -> Result<Option<String>, E> {
            let bytes = side_of(file, side, path, blobs);
            let unreadable = packet.coverage.files.get(at).is_some_and(is_unreadable);
            let Some(bytes) = bytes.or_else(|e| if unreadable { Ok(None) } else { Err(e) })? else {
                return Ok(None);
            };
            let digest = sha256(&bytes);
            if held.insert(digest.clone()) {
                put(&blob_file(&digest), &bytes)?;
            }
            Ok(Some(digest))
        };
        let (old, new) = (
            blob(Side::Old, file.path_before())?,
            blob(Side::New, &file.path)?,
        );
        let (path, old_path) = (file.path.clone(), file.old_path.clone());
        index.files.push(FolderFile {
            path,
            old_path,
            old,
            new,
        });
    }
    // Strings and lists only: serialization into memory cannot fail.
    put(
        INDEX_FILE,
        crate::text::pretty_json(&index)
            .unwrap_or_default()
            .as_bytes(),
    )?;
    Ok(index)
}

/// One side of a file, binary ones too since rules for secrets read them; none when it does not exist.
fn side_of(
    file: &FileChange,
    side: Side,
    path: &RepoPath,
    blobs: &dyn BlobSource,
) -> Result<Option<Arc<[u8]>>, BlobError> {
    let mode = if side == Side::Old {
        file.old_mode
    } else {
        file.new_mode
    };
    if mode == 0 || file.kind == FileKind::Submodule {
        return Ok(None);
    }
    blobs.read(side, path)
}

fn is_unreadable(covered: &FileCoverage) -> bool {
    matches!(covered.state, CoverageState::Unreadable { .. })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use council_protocol::change::{FileStatus, NoBlobs};
    use council_protocol::coverage::Coverage;
    use proptest::prelude::*;

    use super::super::ContextBounds;
    use super::super::tests::{MapBlobs, build_packet, file, material};
    use super::*;

    /// Two files of the document's example, a binary and an unreadable one.
    fn change() -> (Packet, MapBlobs) {
        let added = FileChange {
            status: FileStatus::Added,
            old_mode: 0,
            old_id: None,
            ..file("src/new.rs")
        };
        let moved = FileChange {
            status: FileStatus::Renamed,
            old_path: Some("src/was.rs".into()),
            ..file("src/is.rs")
        };
        let binary = FileChange {
            kind: FileKind::Binary,
            ..file("logo.png")
        };
        let mut packet = build_packet(
            material(vec![added, moved, binary]),
            &|_| Ok(()),
            &NoBlobs,
            &ContextBounds::default(),
        );
        packet.framing.title = "TITLE".to_owned();
        let mut blobs = MapBlobs::default();
        for (side, path, text) in [
            (Side::New, "src/new.rs", "new\n"),
            (Side::Old, "src/was.rs", "same\n"),
            (Side::New, "src/is.rs", "same\n"),
            (Side::New, "logo.png", "\0"),
        ] {
            blobs
                .0
                .insert((side, path.into()), text.as_bytes().to_vec());
        }
        (packet, blobs)
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// Law: a packet has one address, whether it is written for that or was written for judges.
        #[test]
        fn the_digest_beside_the_bytes_for_judges_is_that_of_the_packet(
            label in "[a-z\"\\\\{},:é]{0,12}", title in "[a-z\"\\\\{},:\n]{0,12}", topic in any::<bool>(),
            body in "[ +-][a-z\"\\\\{}]{0,9}\n",
        ) {
            let (mut packet, _) = change();
            if topic {
                packet.target.kind = TargetKind::Topic;
            }
            packet.target.only = vec![label.clone()];
            (packet.target.label, packet.framing.title) = (label, title);
            packet.instructions = vec![Instruction { path: body.as_str().into(), origin: body.clone(), text: body }];
            let shown = bytes_for_judges(&packet);
            prop_assert_eq!(digest_beside(&packet, &shown), Some(super::super::packet_digest(&packet)));
            prop_assert_eq!(&shown, &super::super::to_bytes(&for_judges(&packet)));
            prop_assert_eq!(digest_beside(&packet, &shown[1..]), None);
        }
    }

    fn exported(
        packet: &Packet,
        brief: Option<&str>,
        blobs: &dyn BlobSource,
    ) -> Vec<(String, Vec<u8>)> {
        let mut files = Vec::new();
        let put = |name: &str, bytes: &[u8]| {
            files.push((name.to_owned(), bytes.to_vec()));
            Ok::<(), BlobError>(())
        };
        export_packet(packet, brief, blobs, put).unwrap();
        files
    }

    #[test]
    fn the_folder_holds_packet_brief_blobs_and_then_the_index() {
        let (packet, blobs) = change();
        let files = exported(&packet, Some("the brief\n"), &blobs);
        let names: Vec<_> = files.iter().map(|(name, _)| name.as_str()).collect();
        let blob = |text: &str| format!("blobs/{}", sha256(text.as_bytes()));
        assert_eq!(
            names,
            [
                PACKET_FILE,
                BRIEF_FILE,
                &blob("\0"),
                &blob("same\n"),
                &blob("new\n"),
                INDEX_FILE
            ]
        );
        let map: BTreeMap<_, _> = files.iter().cloned().collect();
        let index: FolderIndex = serde_json::from_slice(&map[INDEX_FILE]).unwrap();
        assert_eq!(index.packet, sha256(&map[PACKET_FILE]));
        assert_eq!(index.brief, Some(sha256(b"the brief\n")));
        for (side, path, text) in [
            (Side::Old, "src/was.rs", Some("same\n")),
            (Side::New, "src/is.rs", Some("same\n")),
            (Side::New, "src/new.rs", Some("new\n")),
            (Side::Old, "src/new.rs", None),
            (Side::Old, "src/is.rs", None),
            (Side::New, "logo.png", Some("\0")),
            (Side::New, "../../etc/passwd", None),
        ] {
            let held = index
                .blob_name(side, &path.into())
                .map(|name| map[&name].as_slice());
            assert_eq!(held, text.map(str::as_bytes), "{path}");
        }
    }

    #[test]
    fn judges_read_nothing_of_the_authors_words_before_round_2() {
        let (packet, blobs) = change();
        for (_, bytes) in exported(&packet, None, &blobs) {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            assert!(
                !text.contains("TITLE") && !text.contains("secret-branch"),
                "{text}"
            );
        }
    }

    #[test]
    fn without_blobs_there_is_still_a_folder() {
        let (packet, _) = change();
        let files = exported(&packet, None, &NoBlobs);
        assert_eq!(files.len(), 2);
    }

    /// A store in which everything is broken.
    struct Broken;

    impl BlobSource for Broken {
        fn read(&self, _: Side, path: &RepoPath) -> Result<Option<Arc<[u8]>>, BlobError> {
            Err(BlobError {
                path: path.clone(),
                cause: "gone".to_owned(),
            })
        }
    }

    #[test]
    fn what_cannot_be_read_is_an_error_unless_the_coverage_says_so() {
        let (mut packet, _) = change();
        let put = |_: &str, _: &[u8]| Ok::<(), BlobError>(());
        assert!(export_packet(&packet, None, &Broken, put).is_err());
        let unreadable = |path: &RepoPath| FileCoverage {
            path: path.clone(),
            state: CoverageState::Unreadable {
                reason: "gone".to_owned(),
            },
        };
        packet.coverage = Coverage {
            files: packet.files.iter().map(|f| unreadable(&f.path)).collect(),
        };
        assert!(export_packet(&packet, None, &Broken, put).is_ok());
    }

    #[test]
    fn the_documents_example_is_the_index_of_this_change() {
        let document = include_str!("../../docs/run-folder.md");
        let (_, example) = document.split_once("```json\n").unwrap();
        let example = example.split_once("\n```").unwrap().0;
        let documented: FolderIndex = serde_json::from_str(example).unwrap();
        let (packet, blobs) = change();
        let files = exported(&packet, Some("the brief\n"), &blobs);
        let written: FolderIndex = serde_json::from_slice(&files.last().unwrap().1).unwrap();
        assert_eq!(documented.files, written.files);
        assert_eq!(
            (documented.version, documented.brief),
            (written.version, written.brief)
        );
        for name in [PACKET_FILE, BRIEF_FILE, INDEX_FILE, "blobs/"] {
            assert!(
                document.contains(&format!("`{name}`")),
                "{name} is not documented"
            );
        }
    }
}
