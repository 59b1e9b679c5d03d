//! Lines of a stream that may be of any length, in bounded memory.

use std::io::{self, BufRead};

use crate::head::SCANNED;

/// How much of an overlong line is dropped before the reader hears of it again.
const CHUNK: u64 = 4 * 1024 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BoundedLine {
    /// The buffer has a line, without its newline.
    Whole,
    /// So many bytes more of a line that is too long; the buffer has its start.
    Overlong(u64),
    /// The stream has ended.
    End,
}

#[derive(Debug, Default)]
pub(crate) struct BoundedLines {
    pub(crate) buffer: Vec<u8>,
    skipping: bool,
}

impl BoundedLines {
    /// The next line of at most `limit` bytes, or a part of one that is longer.
    pub(crate) fn next(
        &mut self,
        stream: &mut impl BufRead,
        limit: u64,
    ) -> io::Result<BoundedLine> {
        if self.skipping {
            return self.skip_line(stream);
        }
        self.buffer.clear();
        loop {
            let available = stream.fill_buf()?;
            if available.is_empty() {
                return Ok(if self.buffer.is_empty() {
                    BoundedLine::End
                } else {
                    BoundedLine::Whole
                });
            }
            let newline = available.iter().position(|b| *b == b'\n');
            let take = newline.unwrap_or(available.len());
            self.buffer.extend_from_slice(&available[..take]);
            stream.consume(newline.map_or(take, |at| at + 1));
            let size = self.buffer.len() as u64;
            if size > limit {
                self.buffer.truncate(SCANNED);
                self.buffer.shrink_to_fit();
                self.skipping = newline.is_none();
                return Ok(BoundedLine::Overlong(size));
            }
            if newline.is_some() {
                return Ok(BoundedLine::Whole);
            }
        }
    }

    fn skip_line(&mut self, stream: &mut impl BufRead) -> io::Result<BoundedLine> {
        let mut skipped = 0;
        while skipped < CHUNK {
            let available = stream.fill_buf()?;
            let newline = available.iter().position(|b| *b == b'\n');
            let take = newline.map_or(available.len(), |at| at + 1);
            skipped += take as u64;
            if available.is_empty() || newline.is_some() {
                self.skipping = false;
                stream.consume(take);
                break;
            }
            stream.consume(take);
        }
        Ok(BoundedLine::Overlong(skipped))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_whole_and_long_ones_as_a_start_and_counts() {
        let long = "x".repeat(10_000_000);
        let text = format!("one\n{long}\n\ntwo");
        let mut stream = io::BufReader::new(text.as_bytes());
        let mut lines = BoundedLines::default();
        assert_eq!(lines.next(&mut stream, 100).unwrap(), BoundedLine::Whole);
        assert_eq!(lines.buffer, b"one");
        let mut dropped = 0;
        let after = loop {
            match lines.next(&mut stream, 100).unwrap() {
                BoundedLine::Overlong(bytes) => dropped += bytes,
                other => break other,
            }
            assert!(lines.buffer.len() <= SCANNED);
        };
        assert!((10_000_000..=10_000_001).contains(&dropped), "{dropped}");
        assert_eq!(
            (after, lines.buffer.as_slice()),
            (BoundedLine::Whole, b"".as_slice())
        );
        assert_eq!(lines.next(&mut stream, 100).unwrap(), BoundedLine::Whole);
        assert_eq!(lines.buffer, b"two");
        assert_eq!(lines.next(&mut stream, 100).unwrap(), BoundedLine::End);
    }

    #[test]
    fn a_line_that_never_ends_is_heard_of_again_and_again() {
        let mut stream = io::BufReader::new(io::repeat(b'x'));
        let mut lines = BoundedLines::default();
        for _ in 0..3 {
            assert!(
                matches!(lines.next(&mut stream, 1_000).unwrap(), BoundedLine::Overlong(n) if n > 1_000)
            );
        }
    }
}
