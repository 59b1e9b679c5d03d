//! Reads the fixtures of the rules: changes written so that they show where a rule must speak.
//!
//!     === src/a.rs [added | deleted | binary | symlink | submodule | from=PATH | mode=OCTAL | old-mode=OCTAL | size=N |
//!                      with=PATH:N/N, in how many of the commits that changed this file another one did]
//!     @@ 120          the lines that follow begin here on both sides; then the rest of the file is unknown
//!      a line of both sides
//!     -a removed line
//!     +an added line
//!     !an added line at which the rule must speak
//!     ?a line of both sides at which it must
//!
//! `!==` in place of `===`: the rule must speak of the file as a whole. `{|}` is nothing, so that a fixture holds no
//! shape of a secret, `{U+202E}` is that character, and `{CR}` a carriage return.

use std::collections::BTreeMap;
use std::sync::Arc;

use council_protocol::change::{
    BlobError, Companion, EntryKind, FileKind, FileStatus, Side, TreeEntry,
};
use council_protocol::packet::{PACKET_VERSION, Target, TargetKind};
use council_protocol::{BlobSource, FileChange, Hunk, Packet, RepoPath};

/// A change and where the rule must speak: path and line, 0 for the file as a whole.
pub(crate) struct RuleFixture {
    pub(crate) packet: Arc<Packet>,
    pub(crate) blobs: Arc<FixtureBlobs>,
    pub(crate) expected: Vec<(String, u32)>,
}

/// The files of both sides, in memory.
#[derive(Debug, Default)]
pub(crate) struct FixtureBlobs(BTreeMap<(Side, RepoPath), Arc<[u8]>>, Vec<Companion>);

impl BlobSource for FixtureBlobs {
    fn read(&self, side: Side, path: &RepoPath) -> Result<Option<Arc<[u8]>>, BlobError> {
        Ok(self.0.get(&(side, path.clone())).cloned())
    }

    /// Of the base alone: what the head holds beside the change, no fixture says.
    fn entries(&self, side: Side) -> Result<Option<Vec<TreeEntry>>, BlobError> {
        let files = self.0.keys().filter(|(of, _)| *of == Side::Old);
        let entries = files.map(|(_, path)| TreeEntry {
            path: path.clone(),
            kind: EntryKind::File,
            is_executable: false,
        });
        Ok((side == Side::Old).then(|| entries.collect()))
    }

    fn companions(&self) -> Vec<Companion> {
        self.1.clone()
    }

    fn files_naming(&self, names: &[&str]) -> Option<Vec<RepoPath>> {
        let names_one = |bytes: &[u8]| {
            let text = String::from_utf8_lossy(bytes);
            names.iter().any(|name| text.contains(name))
        };
        let files = self
            .0
            .iter()
            .filter(|((side, _), bytes)| *side == Side::New && names_one(bytes));
        Some(files.map(|((_, path), _)| path.clone()).collect())
    }
}

impl RuleFixture {
    pub(crate) fn parse(text: &str) -> Self {
        let text = unescape_fixture(text);
        let mut fixture = Self {
            packet: Arc::new(fixture_packet(Vec::new())),
            blobs: Arc::default(),
            expected: Vec::new(),
        };
        let (mut files, mut blobs) = (Vec::new(), FixtureBlobs::default());
        let mut blocks: Vec<Vec<&str>> = Vec::new();
        for line in text.split_terminator('\n') {
            match (
                line.starts_with("=== ") || line.starts_with("!== "),
                blocks.last_mut(),
            ) {
                (true, _) => blocks.push(vec![line]),
                (false, Some(block)) => block.push(line),
                (false, None) => assert!(line.is_empty(), "text before the first file: {line}"),
            }
        }
        for mut block in blocks {
            while block.last() == Some(&"") {
                block.pop();
            }
            files.push(fixture.add_file(&block, &mut blobs));
        }
        files.sort_by(|a: &FileChange, b| a.path.cmp(&b.path));
        fixture.packet = Arc::new(fixture_packet(files));
        fixture.blobs = Arc::new(blobs);
        fixture
    }

    /// All lines of `text` as a new file.
    pub(crate) fn from_added(path: &str, text: &str) -> Self {
        let lines: String = text.lines().map(|line| format!("+{line}\n")).collect();
        Self::parse(&format!("=== {path}\n{lines}"))
    }

    fn add_file(&mut self, block: &[&str], blobs: &mut FixtureBlobs) -> FileChange {
        let mut words = block[0][4..].split(' ');
        let path = words.next().unwrap();
        let mut file = FileChange {
            path: path.into(),
            ..empty_change()
        };
        if block[0].starts_with('!') {
            self.expected.push((path.to_owned(), 0));
        }
        let whole = !block.iter().any(|line| line.starts_with("@@"));
        self.parse_hunks(path, &block[1..], &mut file);
        let only_added = file
            .hunks
            .iter()
            .all(|h| h.body.lines().all(|l| l.starts_with('+')));
        let only_removed = file
            .hunks
            .iter()
            .all(|h| h.body.lines().all(|l| l.starts_with('-')));
        match (whole && !file.hunks.is_empty(), only_added, only_removed) {
            (true, true, _) => (file.status, file.old_mode) = (FileStatus::Added, 0),
            (true, _, true) => (file.status, file.new_mode) = (FileStatus::Deleted, 0),
            _ => {}
        }
        for word in words {
            match word.strip_prefix("with=") {
                Some(told) => blobs.1.push(parse_companion(path, told)),
                None => apply_attribute(&mut file, word),
            }
        }
        if whole && file.kind == FileKind::Text {
            let sides = [
                (Side::Old, '-', file.path_before().clone()),
                (Side::New, '+', file.path.clone()),
            ];
            for (side, mark, path) in sides {
                let keep = |l: &&str| l.starts_with(' ') || l.starts_with(mark);
                let lines = file
                    .hunks
                    .iter()
                    .flat_map(|h| h.body.split_terminator('\n'))
                    .filter(keep);
                let text: String = lines.map(|l| format!("{}\n", &l[1..])).collect();
                if !text.is_empty() {
                    blobs.0.insert((side, path), text.into_bytes().into());
                }
            }
        }
        file
    }

    fn parse_hunks(&mut self, path: &str, lines: &[&str], file: &mut FileChange) {
        let mut number = 1;
        for line in lines {
            if let Some(start) = line.strip_prefix("@@ ") {
                number = start.trim().parse().unwrap();
            }
            if line.starts_with("@@") || file.hunks.is_empty() {
                let (section, body) = (String::new(), String::new());
                file.hunks.push(Hunk {
                    old_start: number,
                    old_lines: 0,
                    new_start: number,
                    new_lines: 0,
                    section,
                    body,
                });
            }
            let hunk = file.hunks.last_mut().unwrap();
            let (mark, text) = match line.split_at_checked(1) {
                None => (' ', ""),
                Some(("!", text)) => {
                    self.expected.push((path.to_owned(), number));
                    ('+', text)
                }
                Some(("?", text)) => {
                    self.expected.push((path.to_owned(), number));
                    (' ', text)
                }
                Some(("@", _)) => continue,
                Some((mark, text)) => (mark.chars().next().unwrap(), text),
            };
            assert!(" +-".contains(mark), "{path}: a line begins with {mark:?}");
            hunk.body.push_str(&format!("{mark}{text}\n"));
            hunk.old_lines += u32::from(mark != '+');
            hunk.new_lines += u32::from(mark != '-');
            number += u32::from(mark != '-');
        }
    }
}

/// `PATH:18/20`.
fn parse_companion(with: &str, told: &str) -> Companion {
    let (path, share) = told.rsplit_once(':').unwrap();
    let (together, of) = share.split_once('/').unwrap();
    Companion {
        path: path.into(),
        with: with.into(),
        together: together.parse().unwrap(),
        of: of.parse().unwrap(),
    }
}

fn apply_attribute(file: &mut FileChange, word: &str) {
    let octal = |text: &str| u32::from_str_radix(text, 8).unwrap();
    match word.split_once('=').unwrap_or((word, "")) {
        ("added", _) => (file.status, file.old_mode) = (FileStatus::Added, 0),
        ("deleted", _) => (file.status, file.new_mode) = (FileStatus::Deleted, 0),
        ("binary", _) => file.kind = FileKind::Binary,
        ("symlink", _) => (file.kind, file.new_mode) = (FileKind::Symlink, 0o120_000),
        ("submodule", _) => (file.kind, file.new_mode) = (FileKind::Submodule, 0o160_000),
        ("from", path) => (file.status, file.old_path) = (FileStatus::Renamed, Some(path.into())),
        ("mode", mode) => file.new_mode = octal(mode),
        ("old-mode", mode) => file.old_mode = octal(mode),
        ("size", size) => file.new_size = size.parse().ok(),
        _ => panic!("an attribute that no fixture has: {word}"),
    }
}

/// Puts in what a fixture must not hold as it is.
fn unescape_fixture(text: &str) -> String {
    let mut text = text.replace("{|}", "").replace("{CR}", "\r");
    while let Some(start) = text.find("{U+") {
        let end = start + text[start..].find('}').unwrap();
        let code = u32::from_str_radix(&text[start + 3..end], 16).unwrap();
        text.replace_range(start..=end, &char::from_u32(code).unwrap().to_string());
    }
    text
}

fn empty_change() -> FileChange {
    FileChange {
        path: RepoPath::default(),
        old_path: None,
        status: FileStatus::Modified,
        kind: FileKind::Text,
        old_mode: 0o100_644,
        new_mode: 0o100_644,
        old_id: None,
        new_id: None,
        old_size: None,
        new_size: None,
        similarity: None,
        moved_from: None,
        lossy: false,
        hunks: Vec::new(),
    }
}

fn fixture_packet(files: Vec<FileChange>) -> Packet {
    let (label, slug) = ("fixture".to_owned(), "fixture".to_owned());
    Packet {
        version: PACKET_VERSION,
        target: Target {
            kind: TargetKind::Range,
            label,
            slug,
            base: None,
            head: None,
            only: Vec::new(),
        },
        files,
        instructions: Vec::new(),
        coverage: council_protocol::coverage::Coverage::default(),
        framing: council_protocol::task::Framing::default(),
    }
}
