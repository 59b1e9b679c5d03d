//! Whatever the bytes of a file: what is in it is shown, or the file is named.

use council_protocol::Side;
use council_protocol::change::FileKind;
use proptest::prelude::*;

use super::reading::{SECRET, found_in};
use crate::ReviewedChange;
use crate::testing::{self, Repo};

/// One way to hide a line from who reads bytes as UTF-8.
#[derive(Debug, Clone, Copy)]
enum Disguise {
    Plain,
    Little,
    Big,
    Marked,
    Windows,
}

fn disguised(text: &str, disguise: Disguise) -> Vec<u8> {
    let wide = |unit: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(unit).collect::<Vec<u8>>();
    match disguise {
        Disguise::Plain => text.as_bytes().to_vec(),
        Disguise::Little => wide(u16::to_le_bytes),
        Disguise::Big => wide(u16::to_be_bytes),
        Disguise::Marked => [&[0xff, 0xfe][..], &wide(u16::to_le_bytes)].concat(),
        Disguise::Windows => text.replace('\n', "\r\n").into_bytes(),
    }
}

/// A change of one file whose contents are no objects.
fn change_of(path: &str, old: &[u8], new: &[u8]) -> ReviewedChange {
    thread_local! {
        static REPO: Repo = {
            let repo = Repo::new();
            repo.write("other", "x\n").commit("first");
            repo
        };
    }
    REPO.with(|repo| testing::change_of(repo, path, old, new))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever the bytes around it: a line with a secret is shown, or the file is named as opaque or as a gap; rules
    /// for secrets see it either way; and the lines that count as reviewed are those that the hunks show.
    #[test]
    fn every_line_with_a_secret_is_shown_or_its_file_is_named(
        lines in proptest::collection::vec("[ -~éж]{0,12}", 0..8),
        junk in proptest::collection::vec(any::<u8>(), 0..40),
        nuls in proptest::collection::vec(any::<prop::sample::Index>(), 0..6),
        at in any::<prop::sample::Index>(),
        disguise in prop_oneof![
            3 => Just(Disguise::Plain), 1 => Just(Disguise::Little), 1 => Just(Disguise::Big),
            1 => Just(Disguise::Marked), 1 => Just(Disguise::Windows),
        ],
        path in prop_oneof![Just("a.sh"), Just("run"), Just("x.bin"), Just("a.json")],
        with_junk in any::<bool>(),
        old in prop_oneof![Just(Vec::new()), proptest::collection::vec(any::<u8>(), 0..30)],
    ) {
        let mut lines = lines;
        let at = at.index(lines.len() + 1);
        lines.insert(at, format!("key={SECRET}"));
        let mut bytes = disguised(&(lines.join("\n") + "\n"), disguise);
        if matches!(disguise, Disguise::Plain | Disguise::Windows) {
            // Bytes between which a shell still reads the line.
            for nul in nuls {
                let at = nul.index(bytes.len() + 1);
                bytes.insert(at, 0);
            }
        }
        if with_junk {
            bytes.extend(&junk);
        }
        let change = change_of(path, &old, &bytes);
        let mut file = change.files[0].clone();
        let filled = change.fill_hunks(&mut file);
        let shown: String = file.hunks.iter().map(|hunk| hunk.body.as_str()).collect();
        let named = filled.is_err() || file.kind != FileKind::Text;
        prop_assert!(named || shown.contains(SECRET), "{file:?}");
        prop_assert!(found_in(&change, &file), "{bytes:?}");
        if file.kind == FileKind::Text && filled.is_ok() && old.is_empty() {
            let reviewed = shown.lines().filter(|line| line.starts_with('+')).count();
            let text = change.blobs.read(Side::New, &file.path).unwrap().unwrap();
            prop_assert_eq!(reviewed, text.split_inclusive(|&b| b == b'\n').count());
        }
    }
}
