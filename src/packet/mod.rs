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
mod sha;

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

/// Builds the packet.
///
/// `fill` gives a file its hunks, as git shows them; it is not called for files that are skipped, and what it fails
/// with becomes the file's coverage. `blobs` supplies the lines around the hunks; without blobs they stay as they are.
pub fn build(
    material: Material,
    fill: &mut dyn FnMut(&mut FileChange) -> Result<(), String>,
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
    let mut extender = context::Extender::new(bounds);
    let mut coverage = Coverage::default();
    for file in &mut files {
        let state = add(file, &ignore, fill, blobs, &mut extender);
        coverage.files.push(FileCoverage {
            path: file.path.clone(),
            state,
        });
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

/// Gives one file its hunks and says what became of it.
fn add(
    file: &mut FileChange,
    ignore: &IgnoreGlobs,
    fill: &mut dyn FnMut(&mut FileChange) -> Result<(), String>,
    blobs: &dyn BlobSource,
    extender: &mut context::Extender<'_>,
) -> CoverageState {
    if let Some(reason) = ignore.reason(file) {
        return CoverageState::Skipped { reason };
    }
    // The old side is the trusted one, and between hunks the same as the new one. Context is a help, not a duty:
    // where it cannot be read, the hunks stand as git shows them.
    let wanted = extender.wants(file);
    let bytes = wanted
        .then(|| blobs.read(Side::Old, file.path_before()).ok().flatten())
        .flatten();
    let bytes = bytes.filter(|bytes| extender.reads(bytes));
    let before = bytes.as_deref().map(String::from_utf8_lossy);
    let generated = before
        .as_deref()
        .and_then(|text| generated::reason(file, text));
    if let Some(reason) = generated.filter(|_| !ignore.keeps(file)) {
        return CoverageState::Skipped { reason };
    }
    if let Err(reason) = fill(file) {
        file.hunks.clear();
        return CoverageState::Unreadable { reason };
    }
    if let Some(text) = before.filter(|_| file.status != FileStatus::Deleted) {
        extender.extend(&mut file.hunks, &text);
    }
    CoverageState::Reviewed
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
