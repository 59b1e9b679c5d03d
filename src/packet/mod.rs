//! The packet: the whole change with context, trusted instructions and coverage. All judges get the same one.
//!
//! Pure: what must be read comes through [`Files`] and [`instructions`]'s `read`. The same
//! material gives the same bytes, and [`digest`] addresses a packet by them.

mod claimed;
mod context;
mod export;
mod function;
mod generated;
mod ignore;
mod instructions;
mod read;
mod sha;

use council_protocol::coverage::FileCoverage;
use council_protocol::packet::{Instruction, PACKET_VERSION, Target};
use council_protocol::task::Framing;
use council_protocol::{BlobSource, Coverage, CoverageState, FileChange, Packet};

pub use context::ContextBounds;
pub(crate) use export::{
    FOLDER_VERSION, FolderIndex, INDEX_FILE, PACKET_FILE, bytes_for_judges, digest_beside,
    export_packet, for_judges,
};
pub use ignore::IgnoreGlobs;
pub(crate) use instructions::{cut_text, is_cut, read_instructions, share_room};
pub(crate) use sha::sha256_hex as sha256;

/// What a packet is made of.
#[derive(Debug)]
pub struct PacketMaterial {
    /// What is under review.
    pub target: Target,
    /// The changed files, without hunks yet.
    pub files: Vec<FileChange>,
    /// Author, title and messages: kept apart, sent in R2 only.
    pub framing: Framing,
    /// Trusted instructions, see [`read_instructions`].
    pub instructions: Vec<Instruction>,
    /// Which files are left out, by built-in and trusted globs.
    pub ignore: IgnoreGlobs,
    /// Whether content that nobody can read as text lowers the coverage (`review.opaque = "inconclusive"`).
    pub opaque_lowers: bool,
}

/// Where files are read, and how many at a time.
pub struct FileReaders<'a> {
    /// Gives a file its hunks, as git shows them; not asked for files that are skipped. What it fails with becomes the
    /// file's coverage.
    pub fill: &'a (dyn Fn(&mut FileChange) -> Result<(), String> + Sync),
    /// Whether a file that globs leave out may stay unseen: its content could be read, and no rule against attacks speaks
    /// of what it adds.
    pub check: &'a (dyn Fn(&FileChange) -> Result<bool, String> + Sync),
    /// Supplies the lines around the hunks; without blobs they stay as they are.
    pub blobs: &'a dyn BlobSource,
    /// Looks at each of the files, in whatever order, and gives what was read in the files' own.
    pub each: ReadEach,
}

pub(crate) type ReadEach =
    fn(&mut [FileChange], &(dyn Fn(&mut FileChange) -> ReadFile + Sync)) -> Vec<ReadFile>;

/// What became of a file, beside its hunks.
pub struct ReadFile {
    state: CoverageState,
    /// The old side, where its lines may stand around the hunks.
    before: Option<String>,
}

impl ReadFile {
    fn without_context(state: CoverageState) -> Self {
        Self {
            state,
            before: None,
        }
    }
}

/// So many files are read before their context is added: what is kept of them meanwhile is bounded.
const BATCH: usize = 64;

/// The most bytes of hunks in one packet: judges hold all of them in memory.
const MAX_PACKET_TEXT: usize = 128 << 20;

fn packet_full() -> CoverageState {
    CoverageState::Unreadable {
        reason: format!(
            "the change has more than {} MiB of changed lines; review a part of it at a time: git council review \
             TARGET -- PATHSPEC",
            MAX_PACKET_TEXT >> 20
        ),
    }
}

/// Builds the packet.
pub fn build_packet(
    material: PacketMaterial,
    read: &FileReaders<'_>,
    bounds: &ContextBounds,
) -> Packet {
    let PacketMaterial {
        target,
        mut files,
        framing,
        instructions,
        ignore,
        opaque_lowers,
    } = material;
    let rules = read::ReadRules {
        ignore: &ignore,
        opaque_lowers,
        bounds,
    };
    let mut room = MAX_PACKET_TEXT;
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let mut extender = context::ContextExtender::new(bounds);
    let mut coverage = Coverage::default();
    for batch in files.chunks_mut(BATCH) {
        let full = room == 0;
        let looked = (read.each)(batch, &|file| {
            if full {
                ReadFile::without_context(packet_full())
            } else {
                read::read_file(file, &rules, read)
            }
        });
        for (file, ReadFile { mut state, before }) in batch.iter_mut().zip(looked) {
            let size: usize = file.hunks.iter().map(|hunk| hunk.body.len()).sum();
            match room.checked_sub(size) {
                Some(left) => room = left,
                None => {
                    file.hunks = Vec::new();
                    (room, state) = (0, packet_full());
                }
            }
            if let Some(before) = before.filter(|_| !file.hunks.is_empty()) {
                let path = file.path_before().display().into_owned();
                extender.extend_hunks(&path, &mut file.hunks, &before);
            }
            coverage.files.push(FileCoverage {
                path: file.path.clone(),
                state,
            });
        }
    }
    Packet {
        version: PACKET_VERSION,
        target,
        files,
        instructions,
        coverage,
        framing,
    }
}

/// The packet as canonical JSON: the order of fields is that of the types, so the same packet gives the same bytes.
pub(crate) fn to_bytes(packet: &Packet) -> Vec<u8> {
    // Strings, numbers and arrays only: serialization into memory cannot fail.
    serde_json::to_vec(packet).unwrap_or_default()
}

/// The packet's address: SHA-256 of [`to_bytes`], 64 hex digits.
pub(crate) fn packet_digest(packet: &Packet) -> String {
    sha::sha256_of_json(packet)
}

#[cfg(test)]
pub(crate) mod tests;
