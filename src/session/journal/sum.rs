//! The sums and the seals of a journal's lines. A sum tells what the disk has damaged: `{…}` is written as `{…,"sum":"0123456789abcdef"}`, the first eight bytes of SHA-256 over
//! the sum of the line before and the line without its own.

use sha2::{Digest as _, Sha256};

use super::JournalError;

const OPENS: &[u8] = b",\"sum\":\"";
const OPENS_SEAL: &[u8] = b",\"seal\":\"";
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

/// Adds what only the user's key can make of the line and the sum before it, as the object's field `seal`. The sum covers it.
pub(super) fn append_seal(
    buffer: &mut Vec<u8>,
    begins: usize,
    before: &str,
    seal: &dyn Fn(&[u8]) -> String,
) {
    buffer.pop();
    let seal = seal(&sealed_bytes(before, &buffer[begins..]));
    buffer.extend(OPENS_SEAL);
    buffer.extend(seal.as_bytes());
    buffer.extend(CLOSES);
}

fn sealed_bytes(before: &str, line: &[u8]) -> Vec<u8> {
    [before.as_bytes(), b"\n", line].concat()
}

/// Whether each whole line bears the seal that `verify` takes for its bytes.
pub(super) fn are_sealed(whole: &IntactLines<'_>, verify: &dyn Fn(&[u8], &str) -> bool) -> bool {
    let mut before = "";
    whole.lines.iter().all(|line| {
        let Some((sum, rest)) = stated_checksum(line) else {
            return false;
        };
        let before = std::mem::replace(&mut before, sum);
        stated_seal(rest).is_some_and(|(seal, line)| verify(&sealed_bytes(before, line), seal))
    })
}

/// The seal that a line states before its sum, and what it is a seal of.
fn stated_seal(line: &[u8]) -> Option<(&str, &[u8])> {
    let rest = line.strip_suffix(b"\"")?;
    let at = rest.iter().rposition(|&b| b == b'"')?;
    let line = rest[..=at].strip_suffix(OPENS_SEAL)?;
    Some((std::str::from_utf8(&rest[at + 1..]).ok()?, line))
}

fn checksum_of(before: &str, line: &[u8]) -> String {
    let digest = Sha256::new()
        .chain_update(before)
        .chain_update(line)
        .finalize();
    hex::encode(&digest[..DIGITS / 2])
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
