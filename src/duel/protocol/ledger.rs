//! What one process knows of the file's bytes: which it wrote, and which it has read.
//!
//! The file is append-only and every section has one author. Whoever changes a section that was read, or signs one with our
//! name, breaks the debate, however well the text still reads.

use std::fmt;
use std::ops::Range;

use super::DuelRole;
use super::transcript::{DebateTranscript, SectionKind};

/// Every byte that this process has written and read.
#[derive(Debug, Clone)]
pub(crate) struct ByteLedger {
    role: DuelRole,
    /// The file as it was last seen; none: it was not there.
    known: Option<Vec<u8>>,
    /// Up to here nothing may change: the end of the last section that was whole.
    sealed: usize,
    /// What we wrote.
    own: Vec<Range<usize>>,
}

/// How somebody broke the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LedgerBreach {
    /// It is gone.
    Vanished,
    /// Something else stands in its place.
    Unreadable {
        /// What the system said.
        cause: String,
    },
    /// What was read is no longer there as it was, from this line on.
    Changed {
        /// Counted from 1.
        line: u32,
    },
    /// A section stands under our name that this process did not write.
    Forged {
        heading: String,
        /// Its line, from 1.
        line: u32,
    },
}

impl fmt::Display for LedgerBreach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Vanished => write!(f, "the file was removed while the duel went on"),
            Self::Unreadable { cause } => {
                write!(
                    f,
                    "the file could not be used any longer during the duel: {cause}"
                )
            }
            Self::Changed { line } => {
                write!(f, "what stood at line {line} was changed after it was read")
            }
            Self::Forged { heading, line } => {
                write!(
                    f,
                    "`## {heading}` at line {line} stands under our name, and this process did not write it"
                )
            }
        }
    }
}

impl ByteLedger {
    /// The ledger of a side that goes on where the file was so, and wrote these parts of it; of one that has not seen the
    /// file yet, where it is empty.
    pub(crate) fn after(role: DuelRole, known: &[u8], own: &[Range<usize>]) -> Self {
        let transcript = DebateTranscript::parse(&String::from_utf8_lossy(known));
        let written = own.last().map_or(0, |range| range.end);
        Self {
            role,
            known: (!known.is_empty()).then(|| known.to_vec()),
            sealed: sealed_end(known, &transcript).max(written),
            own: own.to_vec(),
        }
    }

    /// The file as it was when nothing was wrong with it yet; none: it was never there.
    pub(crate) fn known_text(&self) -> Option<String> {
        self.known
            .as_deref()
            .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    }

    /// Whether every section of ours in the file as it was left is one that we wrote: a process that was refused has seen
    /// what others wrote under its name.
    pub(crate) fn check_known(&self) -> Result<(), LedgerBreach> {
        let bytes = self.known.as_deref().unwrap_or_default();
        let transcript = DebateTranscript::parse(&String::from_utf8_lossy(bytes));
        self.check_authors(bytes, &transcript)
    }

    /// Compares the file with what is known of it. What is whole now must stay as it is.
    pub(crate) fn observe(&mut self, bytes: Option<&[u8]>) -> Result<(), LedgerBreach> {
        if let Some((bytes, transcript)) = self.changed(bytes)? {
            self.sealed = sealed_end(bytes, &transcript).max(self.sealed);
            self.known = Some(bytes.to_vec());
        }
        Ok(())
    }

    /// Whether the file may be so; nothing is learnt from it.
    pub(crate) fn allows(&self, bytes: Option<&[u8]>) -> bool {
        self.changed(bytes).is_ok()
    }

    /// What is new of the file, read; none: nothing is.
    fn changed<'b>(
        &self,
        bytes: Option<&'b [u8]>,
    ) -> Result<Option<(&'b [u8], DebateTranscript)>, LedgerBreach> {
        let Some(bytes) = bytes else {
            return match self.known {
                Some(_) => Err(LedgerBreach::Vanished),
                None => Ok(None),
            };
        };
        // A side looks ten times a second for as long as its partner thinks.
        if self.known.as_deref() == Some(bytes) {
            return Ok(None);
        }
        self.check_sealed(bytes)?;
        let transcript = DebateTranscript::parse(&String::from_utf8_lossy(bytes));
        self.check_authors(bytes, &transcript)?;
        Ok(Some((bytes, transcript)))
    }

    /// Takes note of what this process has appended to `before`.
    pub(crate) fn record_append(&mut self, before: &[u8], addition: &[u8]) {
        let mut bytes = before.to_vec();
        bytes.extend_from_slice(addition);
        self.own.push(before.len()..bytes.len());
        self.sealed = bytes.len();
        self.known = Some(bytes);
    }

    fn check_sealed(&self, bytes: &[u8]) -> Result<(), LedgerBreach> {
        let known = self.known.as_deref().unwrap_or_default();
        let sealed = &known[..self.sealed];
        if bytes.starts_with(sealed) {
            return Ok(());
        }
        let same = sealed.iter().zip(bytes).take_while(|(a, b)| a == b).count();
        let line = sealed[..same].iter().filter(|b| **b == b'\n').count() + 1;
        Err(LedgerBreach::Changed {
            line: u32::try_from(line).unwrap_or(u32::MAX),
        })
    }

    fn check_authors(
        &self,
        bytes: &[u8],
        transcript: &DebateTranscript,
    ) -> Result<(), LedgerBreach> {
        let starts = line_starts(bytes);
        for section in &transcript.sections {
            let is_ours = section.author() == Some(self.role);
            let at = starts
                .get(section.line as usize - 1)
                .copied()
                .unwrap_or(bytes.len());
            let is_written = self.own.iter().any(|range| range.contains(&at));
            // A closing without a signature is nobody's in particular.
            let is_forged = is_ours && !is_written;
            let is_added = is_written && section.stray_line.is_some();
            if is_forged || is_added {
                return Err(LedgerBreach::Forged {
                    heading: section.heading.clone(),
                    line: section
                        .stray_line
                        .filter(|_| is_added)
                        .unwrap_or(section.line),
                });
            }
        }
        Ok(())
    }
}

/// Whether words stand behind a signature that are nobody's, and were not there before.
pub(crate) fn has_stray_words(before: &[u8], now: &[u8]) -> bool {
    let stray = |bytes: &[u8]| {
        let transcript = DebateTranscript::parse(&String::from_utf8_lossy(bytes));
        let lines = transcript
            .sections
            .iter()
            .filter(|section| section.stray_line.is_some());
        lines.count()
    };
    stray(now) > stray(before)
}

/// The end of the last line of the last whole section.
fn sealed_end(bytes: &[u8], transcript: &DebateTranscript) -> usize {
    let starts = line_starts(bytes);
    let whole = transcript
        .sections
        .iter()
        .rev()
        .find(|section| section.is_complete());
    let Some(section) = whole else { return 0 };
    if section.kind == SectionKind::Consensus {
        return bytes.len();
    }
    let last = section
        .signature
        .as_ref()
        .map_or(section.line, |signature| signature.line);
    starts.get(last as usize).copied().unwrap_or(bytes.len())
}

/// Where each line begins.
pub(super) fn line_starts(bytes: &[u8]) -> Vec<usize> {
    let ends = bytes
        .iter()
        .enumerate()
        .filter(|(_, b)| **b == b'\n')
        .map(|(at, _)| at + 1);
    std::iter::once(0).chain(ends).collect()
}
