//! The packet: the whole change with context, trusted instructions and coverage (3-debate.md, "Packet, brief, prompt").
//!
//! Pure: what must be read comes through [`build`]'s `fill`, a [`BlobSource`] and [`instructions`]'s `read`. The same
//! material gives the same bytes, and [`digest`] addresses a packet by them.

mod context;
mod export;
mod function;
mod generated;
mod ignore;
mod instructions;
mod parallel;
mod sha;

use std::sync::Arc;

use council_protocol::change::FileStatus;
use council_protocol::coverage::FileCoverage;
use council_protocol::packet::{Instruction, PACKET_VERSION, Target};
use council_protocol::task::Framing;
use council_protocol::{BlobSource, Coverage, CoverageState, FileChange, Packet, Side};

pub use context::Bounds;
pub use export::{
    BRIEF_FILE, FOLDER_VERSION, FolderFile, FolderIndex, INDEX_FILE, PACKET_FILE, export,
    for_judges,
};
pub use ignore::{GlobError, IgnoreGlobs};
pub(crate) use instructions::cut;
pub use instructions::{INSTRUCTION_FILES, instructions};
pub use sha::hex as sha256;

/// What a packet is made of.
#[derive(Debug)]
pub struct Material {
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

/// Gives a file its hunks, as git shows them; asked from several threads at once.
pub type Fill<'a> = dyn Fn(&mut FileChange) -> Result<(), String> + Sync + 'a;

/// So many files are read before their context is added: what is kept of them meanwhile is bounded.
const BATCH: usize = 64;

/// Builds the packet.
///
/// `fill` is not asked for files that are skipped, and what it fails with becomes the file's coverage. `blobs` supplies
/// the lines around the hunks; without blobs they stay as they are.
pub fn build(
    material: Material,
    fill: &Fill<'_>,
    blobs: &dyn BlobSource,
    bounds: &Bounds,
) -> Packet {
    let Material {
        target,
        mut files,
        framing,
        instructions,
        ignore,
    } = material;
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let reader = Reader {
        ignore: &ignore,
        fill,
        blobs,
        bounds,
    };
    let mut extender = context::Extender::new(bounds);
    let mut coverage = Coverage::default();
    for batch in files.chunks_mut(BATCH) {
        let read = parallel::each(batch, |file| reader.read(file));
        for (file, (state, before)) in batch.iter_mut().zip(read) {
            if let Some(before) = before {
                extender.extend(&mut file.hunks, &String::from_utf8_lossy(&before));
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

/// Reads files, each by itself.
struct Reader<'a> {
    ignore: &'a IgnoreGlobs,
    fill: &'a Fill<'a>,
    blobs: &'a dyn BlobSource,
    bounds: &'a Bounds,
}

impl Reader<'_> {
    /// Gives a file its hunks; says what became of it, and the old side where its lines may stand around them.
    fn read(&self, file: &mut FileChange) -> (CoverageState, Option<Arc<[u8]>>) {
        if let Some(reason) = self.ignore.reason(file) {
            return (CoverageState::Skipped { reason }, None);
        }
        // The old side is the trusted one, and between hunks the same as the new one. Context is a help, not a duty:
        // where it cannot be read, the hunks stand as git shows them.
        let before = match self.bounds.want(file) {
            true => self
                .blobs
                .read(Side::Old, file.path_before())
                .ok()
                .flatten(),
            false => None,
        };
        let before = before.filter(|bytes| self.bounds.admit(bytes));
        let generated = before
            .as_deref()
            .and_then(|bytes| generated::reason(file, &String::from_utf8_lossy(bytes)));
        if let Some(reason) = generated.filter(|_| !self.ignore.keeps(file)) {
            return (CoverageState::Skipped { reason }, None);
        }
        if let Err(reason) = (self.fill)(file) {
            file.hunks.clear();
            return (CoverageState::Unreadable { reason }, None);
        }
        let before = before.filter(|_| file.status != FileStatus::Deleted);
        (CoverageState::Reviewed, before)
    }
}

/// The packet as canonical JSON: the order of fields is that of the types, so the same packet gives the same bytes.
pub fn to_bytes(packet: &Packet) -> Vec<u8> {
    // Strings, numbers and arrays only: serialization into memory cannot fail.
    serde_json::to_vec(packet).unwrap_or_default()
}

/// The packet's address: SHA-256 of [`to_bytes`], 64 hex digits.
pub fn digest(packet: &Packet) -> String {
    sha256(&to_bytes(packet))
}

#[cfg(test)]
pub(crate) mod tests;
