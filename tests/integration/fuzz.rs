//! The fuzz targets on a stable toolchain: every target over its corpus, over changes of it that a seed decides, and over
//! nesting that no stack would bear.

use std::fs;
use std::path::PathBuf;

use git_council::fuzz::{TARGETS, Target};

/// Changes of the files of a corpus, all together, and of one file at most.
const CHANGES: u64 = 1200;
const CHANGES_OF_FILE: u64 = 150;

/// Words that mean something to one reader or another.
const WORDS: [&str; 16] = [
    "\u{0}",
    "\r\n",
    "\u{feff}",
    "\u{202e}",
    "\"",
    "\\",
    "{",
    "[",
    "]}",
    "```json\n",
    "## CONSENSUS\n",
    "@@ -1 +1 @@\n",
    "diff --git a/x b/x\n",
    "-1e999",
    "99999999999999999999",
    "\u{10ffff}",
];

fn folder(target: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("fuzz/corpus")
        .join(target)
}

fn corpus(target: &str) -> Vec<Vec<u8>> {
    let entries = fs::read_dir(folder(target)).unwrap_or_else(|error| panic!("{target}: {error}"));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.iter().map(|file| fs::read(file).unwrap()).collect()
}

/// A sequence that a seed decides (xorshift64*).
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % end.max(1)
    }
}

/// One to four changes: a bit, a cut, a word, a part twice, a part of another file.
fn changed(seed: &[u8], all: &[Vec<u8>], dice: &mut Dice) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..=dice.below(4) {
        let (at, other) = (dice.below(bytes.len() + 1), dice.below(bytes.len() + 1));
        let (from, to) = (at.min(other), at.max(other));
        match dice.below(6) {
            0 => bytes
                .get_mut(at)
                .into_iter()
                .for_each(|byte| *byte ^= 1 << (other % 8)),
            1 => bytes.truncate(at),
            2 => drop(bytes.splice(at..at, WORDS[dice.below(WORDS.len())].bytes())),
            3 => drop(bytes.splice(to..to, bytes[from..to].to_vec())),
            4 => drop(bytes.drain(from..to)),
            _ => {
                let part = &all[dice.below(all.len())];
                let cut = dice.below(part.len() + 1);
                drop(bytes.splice(at..at, part[cut..].iter().copied()));
            }
        }
    }
    bytes
}

fn play(name: &str, target: Target, bytes: &[u8], what: &str) {
    let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(2000)]);
    let done = std::panic::catch_unwind(|| target(bytes));
    assert!(done.is_ok(), "{name} fails over {what}:\n{shown}");
}

#[test]
fn every_target_bears_its_corpus_and_changes_of_it() {
    for (name, target) in TARGETS {
        let all = corpus(name);
        assert!(all.len() > 1, "{name} has a corpus");
        for (number, seed) in all.iter().enumerate() {
            play(name, target, seed, &format!("file {number}"));
            for change in 0..CHANGES_OF_FILE.min(CHANGES / all.len() as u64) {
                let mut dice = Dice(0x9e37_79b9_7f4a_7c15 ^ (number as u64) << 32 ^ (change + 1));
                let bytes = changed(seed, &all, &mut dice);
                play(
                    name,
                    target,
                    &bytes,
                    &format!("change {change} of file {number}"),
                );
            }
        }
    }
}

#[test]
fn nesting_overflows_no_stack() {
    let deep = 200_000;
    let repeated = |open: &str, inner: &str, close: &str| {
        [open.repeat(deep), inner.to_owned(), close.repeat(deep)].concat()
    };
    let hostile = [
        repeated("[", "", ""),
        repeated("[", "1", "]"),
        repeated("{\"a\":", "1", "}"),
        repeated("{\"debate\":", "", ""),
        repeated("[{\"a\":", "1", "}]"),
        format!("a = {}", repeated("[", "1", "]")),
        format!("a = {}", repeated("{a=", "1", "}")),
        format!("[{}]\n", repeated("a.", "a", "")),
        format!("{} = 1\n", repeated("a.", "a", "")),
        format!("// x\n{}", repeated("/*", "", "*/")),
        repeated("> ", "## CONSENSUS", ""),
        repeated("- ", "x", ""),
        format!("data: {}\n\n", repeated("[", "1", "]")),
        format!("```json\n{}\n```\n", repeated("{\"findings\":[", "", "]}")),
    ];
    for (name, target) in TARGETS {
        for text in &hostile {
            let start: String = text.chars().take(24).collect();
            play(
                name,
                target,
                text.as_bytes(),
                &format!("nesting like {start}"),
            );
        }
    }
}

#[test]
fn every_target_has_its_file_its_corpus_and_its_place_in_the_manifest() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fuzz");
    let manifest = fs::read_to_string(root.join("Cargo.toml")).unwrap();
    for (name, _) in TARGETS {
        let file = fs::read_to_string(root.join(format!("fuzz_targets/{name}.rs"))).unwrap();
        assert!(
            file.contains(&format!("git_council::fuzz::{name}(bytes)")),
            "{name}: {file}"
        );
        assert!(
            manifest.contains(&format!("path = \"fuzz_targets/{name}.rs\"")),
            "{name}"
        );
    }
    for kind in ["fuzz_targets", "corpus"] {
        assert_eq!(
            fs::read_dir(root.join(kind)).unwrap().count(),
            TARGETS.len(),
            "{kind}"
        );
    }
}
