//! The packet: the whole change with context, trusted instructions and coverage. All judges get the same one.
//!
//! Pure: what must be read comes through [`Files`] and [`instructions`]'s `read`. The same
//! material gives the same bytes, and [`digest`] addresses a packet by them.

mod context;
mod export;
mod function;
mod generated;
mod ignore;
mod instructions;
mod sha;

use council_protocol::change::FileStatus;
use council_protocol::coverage::FileCoverage;
use council_protocol::packet::{Instruction, PACKET_VERSION, Target};
use council_protocol::task::Framing;
use council_protocol::{BlobSource, Coverage, CoverageState, FileChange, Packet, Side};

pub use context::ContextBounds;
pub use export::{
    BRIEF_FILE, FOLDER_VERSION, FolderFile, FolderIndex, INDEX_FILE, PACKET_FILE, export_packet,
    for_judges,
};
pub use ignore::{GlobError, IgnoreGlobs};
pub(crate) use instructions::cut_text;
pub use instructions::{INSTRUCTION_FILES, read_instructions};
pub use sha::sha256_hex as sha256;

/// What a packet is made of.
#[derive(Debug)]
pub struct PacketMaterial {
    /// What is under review.
    pub target: Target,
    /// The changed files, without hunks yet.
    pub files: Vec<FileChange>,
    /// Author, title and messages: kept apart, sent in R2 only.
    pub framing: Framing,
    /// Trusted instructions, see [`instructions`].
    pub instructions: Vec<Instruction>,
    /// Which files are left out, by built-in and trusted globs.
    pub ignore: IgnoreGlobs,
}

/// Where files are read, and how many at a time.
pub struct FileReaders<'a> {
    /// Gives a file its hunks, as git shows them; not asked for files that are skipped. What it fails with becomes the
    /// file's coverage.
    pub fill: &'a (dyn Fn(&mut FileChange) -> Result<(), String> + Sync),
    /// Supplies the lines around the hunks; without blobs they stay as they are.
    pub blobs: &'a dyn BlobSource,
    /// Looks at each of the files, in whatever order, and gives what was read in the files' own.
    pub each: ReadEach,
}

/// See [`Files::each`].
pub type ReadEach =
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
    } = material;
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let mut extender = context::ContextExtender::new(bounds);
    let mut coverage = Coverage::default();
    for batch in files.chunks_mut(BATCH) {
        let looked = (read.each)(batch, &|file| read_file(file, &ignore, read, bounds));
        for (file, ReadFile { state, before }) in batch.iter_mut().zip(looked) {
            if let Some(before) = before {
                extender.extend_hunks(&mut file.hunks, &before);
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

/// Gives one file its hunks.
fn read_file(
    file: &mut FileChange,
    ignore: &IgnoreGlobs,
    read: &FileReaders<'_>,
    bounds: &ContextBounds,
) -> ReadFile {
    if let Some(reason) = ignore.skip_reason(file) {
        return ReadFile::without_context(CoverageState::Skipped { reason });
    }
    // The old side is the trusted one, and between hunks the same as the new one. Context is a help, not a duty:
    // where it cannot be read, the hunks stand as git shows them.
    let wanted = bounds.wants_old_side(file);
    let before = wanted
        .then(|| {
            read.blobs
                .read(Side::Old, file.path_before())
                .ok()
                .flatten()
        })
        .flatten();
    let before = before.filter(|bytes| bounds.admits_text(bytes));
    let generated = before
        .as_deref()
        .and_then(|bytes| generated::generated_reason(file, bytes));
    if let Some(reason) = generated.filter(|_| !ignore.is_kept(file)) {
        return ReadFile::without_context(CoverageState::Skipped { reason });
    }
    if let Err(reason) = (read.fill)(file) {
        file.hunks.clear();
        return ReadFile::without_context(CoverageState::Unreadable { reason });
    }
    ReadFile {
        state: CoverageState::Reviewed,
        before: before
            .filter(|_| file.status != FileStatus::Deleted && !file.hunks.is_empty())
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
    }
}

/// The packet as canonical JSON: the order of fields is that of the types, so the same packet gives the same bytes.
pub fn to_bytes(packet: &Packet) -> Vec<u8> {
    // Strings, numbers and arrays only: serialization into memory cannot fail.
    serde_json::to_vec(packet).unwrap_or_default()
}

/// The packet's address: SHA-256 of [`to_bytes`], 64 hex digits.
pub fn packet_digest(packet: &Packet) -> String {
    sha256(&to_bytes(packet))
}

#[cfg(test)]
pub(crate) mod tests;
