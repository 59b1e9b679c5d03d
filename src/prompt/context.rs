//! What stands around a change, as a brief shows it: blocks with their place, within a budget, the most telling first.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Arc;

use council_protocol::RepoPath;
use council_secrets::Redactor;

use super::hidden_values::HiddenValues;
use super::redact;
use super::show;

/// Why a block is shown, in the order in which blocks are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ContextKind {
    /// The rest of a long function that the change edits.
    ChangedFunction,
    /// The rest of a small file that the change edits.
    SmallFile,
    /// What the change uses.
    Definition,
    /// Where what the change edits or removes is used.
    Use,
    /// A test of what the change edits.
    Test,
    /// The commit that brought removed lines.
    Origin,
    /// A file that usually changes along and did not.
    Companion,
    /// What of a very long function that the change edits is far from it.
    FarFunction,
    /// The rest of a long function that the change uses.
    LongDefinition,
}

impl ContextKind {
    /// All of them, in their order.
    pub const ALL: [Self; 9] = [
        Self::ChangedFunction,
        Self::SmallFile,
        Self::Definition,
        Self::Use,
        Self::Test,
        Self::Origin,
        Self::Companion,
        Self::FarFunction,
        Self::LongDefinition,
    ];

    /// For a reader, behind a number of bytes.
    pub fn describe(self) -> &'static str {
        match self {
            Self::ChangedFunction => "rest of long changed functions",
            Self::SmallFile => "rest of small changed files",
            Self::Definition => "definitions",
            Self::Use => "uses",
            Self::Test => "tests",
            Self::Origin => "earlier commits",
            Self::Companion => "files that usually change along",
            Self::FarFunction => "far parts of very long changed functions",
            Self::LongDefinition => "rest of long definitions",
        }
    }

    /// The most that one kind takes while others wait, in hundredths of the budget.
    fn share(self) -> usize {
        match self {
            Self::ChangedFunction => 35,
            Self::SmallFile => 25,
            Self::Definition | Self::Use => 30,
            Self::Test => 20,
            Self::Origin => 12,
            Self::Companion => 4,
            // Only what the others leave.
            Self::FarFunction | Self::LongDefinition => 0,
        }
    }
}

/// What a block shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ContextBody {
    /// Lines of a file of the reviewed side, both included, from 1.
    Lines {
        /// The whole file: secrets are looked for in all of it.
        text: Arc<str>,
        /// The first line.
        start: u32,
        /// The last line.
        end: u32,
    },
    /// Words about the file, such as a commit's message. Untrusted.
    Words(String),
}

/// One piece of what stands around a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextBlock {
    /// Why it is shown.
    pub kind: ContextKind,
    /// The file that it is from or about.
    pub path: RepoPath,
    /// The changed file for which it was looked up.
    pub about: RepoPath,
    /// What it has to do with the change, on one line; may quote names of the change.
    pub note: String,
    /// What it shows.
    pub body: ContextBody,
}

/// Bytes and blocks of one kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ContextUse {
    /// Bytes that are shown.
    pub bytes: usize,
    /// Blocks that are shown.
    pub shown: usize,
    /// Blocks that did not fit.
    pub left: usize,
}

/// The blocks that fit.
#[derive(Debug, Default)]
pub(super) struct ShownContext {
    pub(super) text: String,
    pub(super) secrets: HiddenValues,
    pub(super) uses: Vec<(ContextKind, ContextUse)>,
}

/// Shows blocks within `room`. First every kind within its share, then whatever fits, so that many definitions do not
/// push out the only test.
pub(super) fn show_context(
    blocks: &[&ContextBlock],
    room: usize,
    line_bytes: usize,
    redactor: &Redactor,
) -> ShownContext {
    let mut writer = BlockWriter {
        redactor,
        line_bytes,
        files: HashMap::new(),
    };
    let mut left = room;
    let mut shown: Vec<Option<(String, HiddenValues)>> = vec![None; blocks.len()];
    let mut taken: HashMap<ContextKind, usize> = HashMap::new();
    let mut lines = ShownLines::default();
    for is_shared in [true, false] {
        for (block, slot) in blocks.iter().zip(&mut shown) {
            if slot.is_some() {
                continue;
            }
            if lines.hold(block) {
                // What stands there already is paid for once.
                *slot = Some(Default::default());
                continue;
            }
            let spent = taken.entry(block.kind).or_default();
            let share = if is_shared {
                (room * block.kind.share() / 100).saturating_sub(*spent)
            } else {
                left
            };
            if ContextBlock::least_bytes(block) > share.min(left) {
                continue;
            }
            let written = writer.write(block);
            if written.0.len() <= share.min(left) {
                left -= written.0.len();
                *spent += written.0.len();
                *slot = Some(written);
                lines.add(block);
            }
        }
    }
    gather(blocks, shown)
}

/// The lines that blocks show.
#[derive(Default)]
struct ShownLines<'b>(HashMap<&'b RepoPath, Vec<(u32, u32)>>);

impl<'b> ShownLines<'b> {
    fn add(&mut self, block: &'b ContextBlock) {
        if let ContextBody::Lines { start, end, .. } = block.body {
            self.0.entry(&block.path).or_default().push((start, end));
        }
    }

    /// Whether all lines of a block are shown, by one block or by several that follow on each other.
    fn hold(&self, block: &ContextBlock) -> bool {
        let ContextBody::Lines { start, end, .. } = block.body else {
            return false;
        };
        let shown = self.0.get(&block.path).map_or(&[][..], Vec::as_slice);
        let is_shown = |line: u32| shown.iter().any(|(from, to)| (*from..=*to).contains(&line));
        (start..=end).all(is_shown)
    }
}

fn gather(blocks: &[&ContextBlock], shown: Vec<Option<(String, HiddenValues)>>) -> ShownContext {
    let mut out = ShownContext::default();
    for kind in ContextKind::ALL {
        let mut used = ContextUse::default();
        let of_kind = blocks
            .iter()
            .zip(&shown)
            .filter(|(block, _)| block.kind == kind);
        for (_, slot) in of_kind {
            match slot {
                Some((text, _)) if text.is_empty() => {}
                Some((text, secrets)) => {
                    out.text.push_str(text);
                    out.secrets.extend(secrets);
                    used.bytes += text.len();
                    used.shown += 1;
                }
                None => used.left += 1,
            }
        }
        if used != ContextUse::default() {
            out.uses.push((kind, used));
        }
    }
    out
}

impl ContextBlock {
    /// A lower bound of its size, without writing it.
    fn least_bytes(&self) -> usize {
        match &self.body {
            ContextBody::Lines { start, end, .. } => (end.saturating_sub(*start) as usize + 1) * 3,
            ContextBody::Words(words) => words.len() / 2,
        }
    }
}

/// A file as it may be shown, and the secrets that it has.
struct ShownFile {
    lines: Vec<String>,
    secrets: HiddenValues,
}

struct BlockWriter<'r> {
    redactor: &'r Redactor,
    line_bytes: usize,
    files: HashMap<RepoPath, ShownFile>,
}

impl BlockWriter<'_> {
    /// A block as it is shown, and the secrets that were replaced.
    fn write(&mut self, block: &ContextBlock) -> (String, HiddenValues) {
        let path = show::show_path(&block.path, self.redactor);
        let note = redact::redact_words(self.redactor, &block.note);
        match &block.body {
            ContextBody::Lines { text, start, end } => {
                let mut out = format!("=== {path}:{start}-{end}: {note}\n");
                let secrets = self.write_lines(&mut out, block, text, (*start, *end));
                (out, secrets)
            }
            ContextBody::Words(words) => {
                let mut out = format!("=== {path}: {note}\n");
                let words = redact::redact_words(self.redactor, words);
                for line in words.lines() {
                    let line = show::truncate_bytes(line, self.line_bytes);
                    let _ = writeln!(out, "  {}", line.trim_end());
                }
                (out, HiddenValues::default())
            }
        }
    }

    fn write_lines(
        &mut self,
        out: &mut String,
        block: &ContextBlock,
        text: &str,
        (start, end): (u32, u32),
    ) -> HiddenValues {
        let redactor = self.redactor;
        let file = self.files.entry(block.path.clone()).or_insert_with(|| {
            // Secrets over several lines are found only where their beginning is read.
            let (shown, secrets) = redact::redact_counting(redactor, Some(&block.path), text);
            ShownFile {
                lines: shown.lines().map(str::to_owned).collect(),
                secrets,
            }
        });
        let width = end.checked_ilog10().unwrap_or(0) as usize + 1;
        let first = (start as usize).saturating_sub(1);
        let count = end.saturating_sub(start) as usize + 1;
        for (line, number) in file.lines.iter().skip(first).take(count).zip(start..) {
            let shown = show::truncate_bytes(line, self.line_bytes);
            let cut = match line.len() - shown.len() {
                0 => Cow::Borrowed(""),
                more => format!(" [{more} more bytes of this line are not shown]").into(),
            };
            let _ = writeln!(out, "{number:>width$}  {shown}{cut}");
        }
        // What was replaced anywhere in the file is counted once.
        std::mem::take(&mut file.secrets)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn block(kind: ContextKind, path: &str, lines: u32) -> ContextBlock {
        let text: String = (1..=lines.max(1))
            .map(|n| format!("let line_{n} = {n};\n"))
            .collect();
        ContextBlock {
            kind,
            path: path.into(),
            about: "changed.rs".into(),
            note: "`line` is used".to_owned(),
            body: ContextBody::Lines {
                text: text.into(),
                start: 1,
                end: lines.max(1),
            },
        }
    }

    fn show(blocks: &[ContextBlock], room: usize) -> ShownContext {
        let blocks: Vec<&ContextBlock> = blocks.iter().collect();
        show_context(&blocks, room, 200, &Redactor::default())
    }

    #[test]
    fn many_definitions_do_not_push_out_the_only_test() {
        let mut blocks: Vec<ContextBlock> = (0..100)
            .map(|n| block(ContextKind::Definition, &format!("d{n}.rs"), 20))
            .collect();
        blocks.push(block(ContextKind::Test, "tests/a.rs", 20));
        let shown = show(&blocks, 8_000);
        assert!(
            shown.text.contains("=== tests/a.rs:1-20: `line` is used\n"),
            "{}",
            shown.text
        );
        let uses: HashMap<_, _> = shown.uses.iter().copied().collect();
        assert_eq!(
            (
                uses[&ContextKind::Test].shown,
                uses[&ContextKind::Test].left
            ),
            (1, 0)
        );
        let definitions = uses[&ContextKind::Definition];
        assert_eq!(definitions.shown + definitions.left, 100);
        assert!(
            definitions.left > 0 && definitions.bytes > 4_000,
            "{definitions:?}"
        );
    }

    #[test]
    fn lines_stand_behind_their_numbers_and_secrets_are_taken_out() {
        let text = "a\npassword = \"hunter2!\"\nb\n";
        let body = ContextBody::Lines {
            text: text.into(),
            start: 2,
            end: 3,
        };
        let one = ContextBlock {
            body,
            ..block(ContextKind::Use, "a.py", 1)
        };
        let shown = show(&[one], 1_000);
        let wanted = "=== a.py:2-3: `line` is used\n2  password = \"[redacted: secret]\"\n3  b\n";
        assert_eq!((shown.text.as_str(), shown.secrets.count()), (wanted, 1));
    }

    proptest! {
        /// No block is paid for whose lines all stand in blocks before it, and no line is lost by that.
        #[test]
        fn a_block_brings_lines_that_do_not_stand_there_yet(
            ranges in proptest::collection::vec((0_usize..ContextKind::ALL.len(), 0_u8..2, 1_u32..40, 0_u32..20), 1..20),
        ) {
            let one = |&(kind, file, start, more): &(usize, u8, u32, u32)| {
                let text: String = (1..=60).map(|n| format!("line_{n};\n")).collect();
                let body = ContextBody::Lines { text: text.into(), start, end: start + more };
                ContextBlock { body, ..block(ContextKind::ALL[kind], &format!("f{file}.rs"), 1) }
            };
            let blocks: Vec<ContextBlock> = ranges.iter().map(one).collect();
            let shown = show(&blocks, 1 << 20);
            let mut seen: std::collections::BTreeSet<(u8, u32)> = std::collections::BTreeSet::new();
            let mut wanted = 0;
            // What has no share takes what the others leave.
            let is_far = |kind: usize| ContextKind::ALL[kind].share() == 0;
            let near = ranges.iter().filter(|range| !is_far(range.0));
            let in_turn = near.chain(ranges.iter().filter(|range| is_far(range.0)));
            for (_, file, start, more) in in_turn {
                let lines = || (*start..=start + more).map(|line| (*file, line));
                wanted += usize::from(lines().any(|line| !seen.contains(&line)));
                seen.extend(lines());
            }
            prop_assert_eq!(shown.text.matches("=== ").count(), wanted, "{}", shown.text);
            for (file, line) in seen {
                let of_file = shown.text.split("=== ").filter(|block| block.starts_with(&format!("f{file}.rs")));
                let is_there = of_file.into_iter().any(|block| block.lines().any(|text| text.trim_start() == format!("{line}  line_{line};")));
                prop_assert!(is_there, "{file} {line}: {}", shown.text);
            }
        }

        #[test]
        fn the_room_is_kept_to_and_every_block_is_counted(
            sizes in proptest::collection::vec((0_usize..ContextKind::ALL.len(), 1_u32..60), 0..30),
            room in 0_usize..20_000,
        ) {
            let blocks: Vec<ContextBlock> = sizes
                .iter()
                .enumerate()
                .map(|(at, (kind, lines))| block(ContextKind::ALL[*kind], &format!("f{at}.rs"), *lines))
                .collect();
            let shown = show(&blocks, room);
            prop_assert!(shown.text.len() <= room);
            let bytes: usize = shown.uses.iter().map(|(_, used)| used.bytes).sum();
            prop_assert_eq!(bytes, shown.text.len());
            let counted: usize = shown.uses.iter().map(|(_, used)| used.shown + used.left).sum();
            prop_assert_eq!(counted, blocks.len());
        }
    }
}
