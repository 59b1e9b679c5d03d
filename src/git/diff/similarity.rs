//! How alike two files are, as git counts it: the bytes of the lines (or of pieces of 64 bytes of long ones) that both
//! have, as a share of the larger file.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::content;

/// The score of equal files.
pub(crate) const MAX_SCORE: u64 = 60_000;

/// The least score of a rename: 50 %, as in `git diff -M`.
pub(crate) const MIN_SCORE: u64 = MAX_SCORE / 2;

/// Bytes of a piece of a long line.
const MAX_PIECE_BYTES: usize = 64;

/// A file's pieces: the hash of each and how many bytes of the file it makes up, in the order of the hashes.
pub(crate) struct ContentPrint {
    pieces: Vec<(u32, u32)>,
    size: u64,
}

impl ContentPrint {
    /// Takes the prints of a file's content.
    pub(crate) fn of_content(bytes: &[u8]) -> Self {
        let text = !content::is_binary(bytes);
        let mut pieces = Vec::with_capacity(bytes.len() / 24);
        for line in bytes.split_inclusive(|&b| b == b'\n') {
            match line.strip_suffix(b"\r\n") {
                // A change of line endings alone makes no difference.
                Some(bare) if text => push_pieces(&mut pieces, &[bare, b"\n"].concat()),
                _ => push_pieces(&mut pieces, line),
            }
        }
        pieces.sort_unstable();
        pieces.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 += if same { next.1 } else { 0 };
            same
        });
        Self {
            pieces,
            size: bytes.len() as u64,
        }
    }

    /// Whether the sizes alone rule out a score of at least `least`.
    fn too_unlike(&self, other: &Self, least: u64) -> bool {
        let (small, large) = (self.size.min(other.size), self.size.max(other.size));
        large * (MAX_SCORE - least) < (large - small) * MAX_SCORE
    }

    fn shared_score(&self, other: &Self, shared: u64) -> u64 {
        match self.size.max(other.size) {
            0 => 0,
            large => shared * MAX_SCORE / large,
        }
    }

    /// The score of two files, 0 when it is below [`MIN_SCORE`] by their sizes alone.
    pub(crate) fn similarity(&self, other: &Self) -> u64 {
        if self.too_unlike(other, MIN_SCORE) {
            return 0;
        }
        let (mut mine, mut theirs, mut shared) = (self.pieces.iter(), other.pieces.iter(), 0);
        let (mut a, mut b) = (mine.next(), theirs.next());
        while let (Some(one), Some(two)) = (a, b) {
            if one.0 == two.0 {
                shared += u64::from(one.1.min(two.1));
            }
            a = if one.0 <= two.0 { mine.next() } else { a };
            b = if two.0 <= one.0 { theirs.next() } else { b };
        }
        self.shared_score(other, shared)
    }
}

fn push_pieces(pieces: &mut Vec<(u32, u32)>, line: &[u8]) {
    pieces.extend(
        line.chunks(MAX_PIECE_BYTES)
            .map(|piece| (hash_piece(piece), piece.len() as u32)),
    );
}

/// A quick hash of a short piece; who makes two pieces collide makes two files look more alike, and nothing else.
fn hash_piece(piece: &[u8]) -> u32 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut words = piece.chunks_exact(8);
    let mut state = piece.len() as u64;
    let mut mix = |word: u64| state = (state.rotate_left(23) ^ word).wrapping_mul(ODD);
    for word in &mut words {
        mix(word.try_into().map_or(0, u64::from_le_bytes));
    }
    let mut tail = [0; 8];
    let rest = words.remainder();
    tail[..rest.len()].copy_from_slice(rest);
    mix(u64::from_le_bytes(tail));
    (state >> 32) as u32
}

/// A hash is its own hash.
#[derive(Default)]
struct IdentityHasher(u64);

impl Hasher for IdentityHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes
            .iter()
            .for_each(|&b| self.0 = self.0 << 8 | u64::from(b));
    }

    fn write_u32(&mut self, value: u32) {
        self.0 = u64::from(value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Where each piece occurs in a set of files: what a file shares with all of them is counted in one pass.
pub(crate) struct PieceLookup<'a> {
    prints: Vec<&'a ContentPrint>,
    /// For each hash, its range in `places`.
    ranges: HashMap<u32, (u32, u32), BuildHasherDefault<IdentityHasher>>,
    /// File and bytes, grouped by hash.
    places: Vec<(u32, u32)>,
    shared: Vec<u64>,
    touched: Vec<u32>,
}

impl<'a> PieceLookup<'a> {
    pub(crate) fn new(prints: Vec<&'a ContentPrint>) -> Self {
        let mut all = Vec::with_capacity(prints.iter().map(|print| print.pieces.len()).sum());
        for (at, print) in prints.iter().enumerate() {
            all.extend(
                print
                    .pieces
                    .iter()
                    .map(|&(hash, bytes)| (hash, at as u32, bytes)),
            );
        }
        all.sort_unstable();
        let mut ranges =
            HashMap::with_capacity_and_hasher(all.len(), BuildHasherDefault::default());
        for (at, &(hash, ..)) in all.iter().enumerate() {
            let at = at as u32;
            ranges.entry(hash).or_insert((at, at)).1 = at + 1;
        }
        let places = all
            .into_iter()
            .map(|(_, file, bytes)| (file, bytes))
            .collect();
        let shared = vec![0; prints.len()];
        Self {
            prints,
            ranges,
            places,
            shared,
            touched: Vec::new(),
        }
    }

    /// The files at least [`MIN_SCORE`] like this one, with their scores, in their order.
    pub(crate) fn similar_files(&mut self, print: &ContentPrint) -> Vec<(usize, u64)> {
        for (hash, bytes) in &print.pieces {
            let Some(&(start, end)) = self.ranges.get(hash) else {
                continue;
            };
            for &(file, there) in &self.places[start as usize..end as usize] {
                let shared = &mut self.shared[file as usize];
                if *shared == 0 {
                    self.touched.push(file);
                }
                *shared += u64::from(there.min(*bytes));
            }
        }
        self.touched.sort_unstable();
        let mut found = Vec::new();
        for file in self.touched.drain(..) {
            let at = file as usize;
            let (other, shared) = (self.prints[at], std::mem::take(&mut self.shared[at]));
            let score = print.shared_score(other, shared);
            if score >= MIN_SCORE && !print.too_unlike(other, MIN_SCORE) {
                found.push((at, score));
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn equal_files_have_the_full_score_and_foreign_ones_none() {
        let a = ContentPrint::of_content(b"one\ntwo\nthree\n");
        assert_eq!(
            a.similarity(&ContentPrint::of_content(b"three\none\ntwo\n")),
            MAX_SCORE
        );
        assert_eq!(
            a.similarity(&ContentPrint::of_content(b"four\nfive\nsix\n")),
            0
        );
        assert_eq!(
            ContentPrint::of_content(b"").similarity(&ContentPrint::of_content(b"")),
            0
        );
    }

    #[test]
    fn line_endings_of_text_do_not_count() {
        let (unix, windows) = (
            ContentPrint::of_content(b"one\ntwo\nthree\n"),
            ContentPrint::of_content(b"one\r\ntwo\r\nthree\r\n"),
        );
        // 14 shared bytes of 17.
        assert_eq!(unix.similarity(&windows), 14 * MAX_SCORE / 17);
    }

    #[test]
    fn a_repeated_line_counts_as_often_as_both_have_it() {
        let (three, two) = (
            ContentPrint::of_content(b"aaaa\naaaa\naaaa\n"),
            ContentPrint::of_content(b"aaaa\naaaa\nbbbb\n"),
        );
        assert_eq!(three.similarity(&two), 10 * MAX_SCORE / 15);
    }

    proptest! {
        #[test]
        fn the_lookup_agrees_with_the_comparison_of_pairs(
            files in proptest::collection::vec("([abc]{0,3}\n){0,12}", 1..6),
            file in "([abc]{0,3}\n){0,12}",
        ) {
            let prints: Vec<_> = files.iter().map(|f| ContentPrint::of_content(f.as_bytes())).collect();
            let print = ContentPrint::of_content(file.as_bytes());
            let pairs = prints.iter().map(|p| print.similarity(p)).enumerate();
            let expected: Vec<_> = pairs.filter(|&(_, score)| score >= MIN_SCORE).collect();
            prop_assert_eq!(PieceLookup::new(prints.iter().collect()).similar_files(&print), expected);
        }
    }
}
