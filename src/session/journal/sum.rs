//! The sums of a journal's lines: `{…}` is written as `{…,"sum":"0123456789abcdef"}`, the first eight bytes of SHA-256 over
//! the sum of the line before and the line without its own.

use sha2::{Digest as _, Sha256};

use super::JournalError;

const OPENS: &[u8] = b",\"sum\":\"";
const CLOSES: &[u8] = b"\"}";
const DIGITS: usize = 16;

/// Adds the sum to the object that begins at `begins`, and gives it.
pub(super) fn append_checksum(buffer: &mut Vec<u8>, begins: usize, before: &str) -> String {
    // The object is closed again behind its sum.
    buffer.pop();
    let sum = checksum_of(before, &buffer[begins..]);
    buffer.extend(OPENS);
    buffer.extend(sum.as_bytes());
    buffer.extend(CLOSES);
    sum
}

fn checksum_of(before: &str, line: &[u8]) -> String {
    let digest = Sha256::new()
        .chain_update(before)
        .chain_update(line)
        .finalize();
    let bytes = digest.iter().take(DIGITS / 2);
    bytes.map(|byte| format!("{byte:02x}")).collect()
}

/// The sum that a line states, and what it is a sum of.
fn stated_checksum(line: &[u8]) -> Option<(&str, &[u8])> {
    let rest = line.strip_suffix(CLOSES)?;
    let (rest, sum) = rest.split_at_checked(rest.len().checked_sub(DIGITS)?)?;
    Some((std::str::from_utf8(sum).ok()?, rest.strip_suffix(OPENS)?))
}

/// The lines of a journal that are whole.
pub(super) struct IntactLines<'a> {
    pub(super) lines: Vec<&'a [u8]>,
    /// The bytes of these lines with their ends.
    pub(super) bytes: usize,
    /// The sum of the last one.
    pub(super) sum: String,
}

/// Leaves out what was not finished: bytes behind the last line's end, and lines at the end whose sums do not fit because
/// they never came to rest on the disk. A line that does not fit and is followed by one that does was changed.
pub(super) fn intact_lines(bytes: &[u8]) -> Result<IntactLines<'_>, JournalError> {
    let ends = bytes
        .iter()
        .rposition(|&b| b == b'\n')
        .map_or(0, |at| at + 1);
    let mut lines: Vec<&[u8]> = bytes[..ends]
        .split_inclusive(|&b| b == b'\n')
        .map(|line| &line[..line.len() - 1])
        .collect();
    let is_first_version = lines
        .first()
        .is_some_and(|line| stated_checksum(line).is_none());
    if is_first_version {
        return Ok(IntactLines {
            lines,
            bytes: ends,
            sum: String::new(),
        });
    }
    let fits = |at: usize| {
        let before = at
            .checked_sub(1)
            .map_or(Some(""), |at| Some(stated_checksum(lines[at])?.0));
        stated_checksum(lines[at])
            .zip(before)
            .is_some_and(|((sum, line), before)| sum == checksum_of(before, line))
    };
    let good = (0..lines.len()).take_while(|&at| fits(at)).count();
    if (good + 1..lines.len()).any(fits) {
        return Err(JournalError::Damaged(good + 1));
    }
    lines.truncate(good);
    Ok(IntactLines {
        bytes: lines.iter().map(|line| line.len() + 1).sum(),
        sum: lines
            .last()
            .and_then(|line| Some(stated_checksum(line)?.0.to_owned()))
            .unwrap_or_default(),
        lines,
    })
}
