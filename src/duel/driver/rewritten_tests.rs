//! A partner whose editor writes the file anew: whoever looks meanwhile sees none of it, or half.

use std::thread;

use proptest::prelude::*;

use super::past_tests::Notebook;
use super::tests::{AGREES, HOLDS, Scripted, Shared, ending, run_over};
use super::*;

/// Of each `every` looks one sees the file cut.
struct Flickering {
    file: Shared,
    looks: u64,
    every: u64,
    /// How much of it is seen, in thousandths; none: the file is not there.
    seen: Option<usize>,
}

impl DuelFile for Flickering {
    fn now(&self) -> Millis {
        self.file.now()
    }

    fn signature_time(&self) -> String {
        self.file.signature_time()
    }

    /// However long: the clock is both sides', and a busy machine lets one of them pause often while the other one waits.
    fn pause(&mut self, _: Millis) {
        self.file.pause(1);
        thread::sleep(std::time::Duration::from_micros(50));
    }

    fn read(&mut self) -> io::Result<Option<Vec<u8>>> {
        self.looks += 1;
        let whole = self.file.read()?;
        if !self.looks.is_multiple_of(self.every) {
            return Ok(whole);
        }
        let cut = |bytes: Vec<u8>, seen| bytes[..bytes.len() * seen / 1000].to_vec();
        Ok(whole.and_then(|bytes| self.seen.map(|seen| cut(bytes, seen))))
    }

    fn append_if_unchanged(&mut self, expected: Option<&[u8]>, addition: &str) -> io::Result<bool> {
        self.file.append_if_unchanged(expected, addition)
    }
}

fn flickering(file: Shared, every: u64, seen: Option<usize>) -> Flickering {
    Flickering {
        file,
        looks: 0,
        every,
        seen,
    }
}

/// How the sides end, and the file.
fn duel(sides: [Scripted; 2], every: u64, seen: Option<usize>) -> [Option<DuelEnding>; 2] {
    let desk = Shared::default();
    let [a, mut b] = [desk.clone(), desk.clone()].map(|file| flickering(file, every, seen));
    let notebook = Notebook::default();
    let mut a = KeptFile::new(a, Some(&notebook), Vec::new());
    let second = thread::spawn(move || run_over(DuelRole::B, sides[1], &mut b).unwrap());
    let first = run_over(DuelRole::A, sides[0], &mut a).unwrap();
    let ends = [ending(&first), ending(&second.join().unwrap())];
    // Whoever goes on with the side knows its words as its own.
    let (past, text) = (notebook.past(), desk.text.lock().unwrap().clone().unwrap());
    let known = past.known_file(Some(text.as_bytes()));
    let signed = text.matches("*— Agent A").count();
    assert!(
        !past.has_lost() && known.own.len() >= signed,
        "{known:?}\n{text}"
    );
    ends
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Law: looks at a file that is just written anew change nothing of how a duel ends, nor of what a side knows to be its
    /// own.
    #[test]
    fn a_file_that_is_written_anew_is_no_broken_one(
        every in 2_u64..7,
        seen in proptest::option::of(0_usize..1000),
        agrees in any::<bool>(),
    ) {
        let first = if agrees { AGREES } else { Scripted { line: 1, ..HOLDS } };
        let sides = [first, if agrees { AGREES } else { HOLDS }];
        let expected = if agrees { DuelEnding::Consensus } else { DuelEnding::Limit };
        prop_assert_eq!(duel(sides, every, seen), [Some(expected), Some(expected)]);
    }
}
