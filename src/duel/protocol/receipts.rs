//! What two processes of ours report of their writes, held against the file that they leave behind.
//!
//! Each side knows its own bytes, but neither looks again once the debate is over, and a side's own agent may have changed
//! the other's words. Whoever started both adds up what they reported: every byte must be somebody's, in order.

use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::DuelRole;
use super::ledger::line_starts;
use super::transcript::DebateTranscript;

/// What a side has appended, as it tells the process that started it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WriteReceipt {
    /// Where it begins, in bytes.
    at: usize,
    /// How long it is.
    bytes: usize,
    /// The digest of its bytes, in hex.
    sha256: String,
}

impl WriteReceipt {
    /// Of what was appended at a place.
    pub(crate) fn of(at: usize, addition: &[u8]) -> Self {
        Self {
            at,
            bytes: addition.len(),
            sha256: hex_digest(addition),
        }
    }

    /// One line of JSON, ended by a newline.
    pub(crate) fn to_line(&self) -> String {
        // Numbers and hex digits: nothing in it fails to be written.
        serde_json::to_string(self).unwrap_or_default() + "\n"
    }

    /// What [`Self::to_line`] wrote; none: it is something else.
    pub(crate) fn from_line(line: &str) -> Option<Self> {
        serde_json::from_slice(line.as_bytes()).ok()
    }
}

/// Where the file and the reports disagree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ReceiptBreach {
    /// A section is not as its side wrote it.
    Changed {
        /// Its first line, from 1.
        line: u32,
    },
    /// Words that neither side reported.
    Unreported {
        /// Counted from 1.
        line: u32,
    },
    /// A side wrote a section under the other's name.
    WrongVoice {
        heading: String,
        /// Its line, from 1.
        line: u32,
    },
}

impl fmt::Display for ReceiptBreach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Changed { line } => {
                write!(f, "what was written at line {line} was changed afterwards")
            }
            Self::Unreported { line } => {
                write!(f, "what stands at line {line} was written by neither side")
            }
            Self::WrongVoice { heading, line } => write!(
                f,
                "`## {heading}` at line {line} was written by the other side"
            ),
        }
    }
}

/// Whether a file is exactly what its two sides reported, each section by the side that signs it.
pub(crate) fn check_receipts(
    bytes: &[u8],
    receipts: &[(DuelRole, WriteReceipt)],
) -> Result<(), ReceiptBreach> {
    let starts = line_starts(bytes);
    let mut sorted: Vec<&(DuelRole, WriteReceipt)> = receipts.iter().collect();
    sorted.sort_by_key(|(_, receipt)| receipt.at);
    let mut reached = 0;
    for (_, receipt) in &sorted {
        let line = line_at(&starts, reached);
        if receipt.at != reached {
            return Err(ReceiptBreach::Unreported { line });
        }
        let end = reached.saturating_add(receipt.bytes);
        match bytes.get(reached..end) {
            Some(written) if hex_digest(written) == receipt.sha256 => reached = end,
            _ => return Err(ReceiptBreach::Changed { line }),
        }
    }
    if reached != bytes.len() {
        let line = line_at(&starts, reached);
        return Err(ReceiptBreach::Unreported { line });
    }
    check_voices(bytes, &starts, &sorted)
}

fn check_voices(
    bytes: &[u8],
    starts: &[usize],
    sorted: &[&(DuelRole, WriteReceipt)],
) -> Result<(), ReceiptBreach> {
    let transcript = DebateTranscript::parse(&String::from_utf8_lossy(bytes));
    for section in &transcript.sections {
        let at = starts.get(section.line as usize - 1).copied();
        let at = at.unwrap_or(bytes.len());
        let writer = sorted.iter().rev().find(|(_, receipt)| receipt.at <= at);
        let writer = writer.map(|(role, _)| *role);
        if section
            .author()
            .is_some_and(|author| Some(author) != writer)
        {
            let (heading, line) = (section.heading.clone(), section.line);
            return Err(ReceiptBreach::WrongVoice { heading, line });
        }
    }
    Ok(())
}

/// The line in which a byte stands, from 1.
fn line_at(starts: &[usize], at: usize) -> u32 {
    let before = starts.iter().take_while(|start| **start <= at).count();
    u32::try_from(before).unwrap_or(u32::MAX)
}

fn hex_digest(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

#[cfg(test)]
mod laws {
    use proptest::prelude::*;

    use super::*;
    use crate::duel::protocol::render::render_signature;

    /// What both sides wrote in turns, and what they reported of it.
    fn written(bodies: &[String]) -> (Vec<u8>, Vec<(DuelRole, WriteReceipt)>) {
        let headings = ["Opening", "Response 1", "Follow-up 1", "Response 2"];
        let mut bytes = b"# Code Debate: HEAD\n".to_vec();
        let mut receipts = vec![(DuelRole::A, WriteReceipt::of(0, &bytes))];
        let roles = [DuelRole::A, DuelRole::B].into_iter().cycle();
        for ((body, heading), role) in bodies.iter().zip(headings).zip(roles) {
            let sign = render_signature(role, "tool", "2025-06-15T14:30:00Z");
            let section = format!("\n## {heading}\n\n{body}\n\n{sign}\n");
            receipts.push((role, WriteReceipt::of(bytes.len(), section.as_bytes())));
            bytes.extend_from_slice(section.as_bytes());
        }
        (bytes, receipts)
    }

    fn bodies() -> impl Strategy<Value = Vec<String>> {
        prop::collection::vec("[a-z .é\n]{0,40}", 1..5)
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// Whatever is changed, taken away, added or left unreported, wherever it stands.
        #[test]
        fn any_byte_that_its_side_did_not_write_is_a_breach(
            bodies in bodies(), at in any::<prop::sample::Index>(), byte in any::<u8>(), how in 0..5u8,
        ) {
            let (bytes, receipts) = written(&bodies);
            let lines: Vec<_> = receipts
                .iter()
                .filter_map(|(role, r)| Some((*role, WriteReceipt::from_line(&r.to_line())?)))
                .collect();
            prop_assert_eq!(&lines, &receipts, "what is reported is read back");
            prop_assert_eq!(check_receipts(&bytes, &receipts), Ok(()));
            let (mut changed, mut reported) = (bytes.clone(), receipts.clone());
            match how {
                0 => {
                    let at = at.index(changed.len());
                    changed[at] = if changed[at] == byte { byte ^ 1 } else { byte };
                }
                1 => drop(changed.remove(at.index(changed.len()))),
                2 => changed.insert(at.index(changed.len() + 1), byte),
                3 => drop(reported.remove(at.index(reported.len()))),
                // The head names nobody; every section does.
                _ => {
                    let at = 1 + at.index(reported.len() - 1);
                    reported[at].0 = reported[at].0.other();
                }
            }
            prop_assert!(check_receipts(&changed, &reported).is_err(), "{}", how);
        }
    }
}
