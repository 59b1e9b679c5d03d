//! How files and hunks of a packet are shown in a brief.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use council_protocol::change::{FileKind, FileStatus, Line};
use council_protocol::{CoverageState, FileChange, Hunk, LineKind, Packet, RepoPath};

use council_secrets::{LineRedactor, RedactedLine, Redactor};

use super::hidden_values::HiddenValues;
use crate::council::plan::ShownPath;
use crate::text::{is_marked, mark_hidden};

/// Text that is being put together, with what was replaced and which changed lines it shows whole.
#[derive(Debug, Default)]
pub(super) struct TextBlock {
    pub(super) text: String,
    pub(super) secrets: HiddenValues,
    /// Their numbers as a look-up has them: removed lines may share one.
    pub(super) changed: Vec<u32>,
}

/// A path for a reader: what cannot be seen is written out, so that a name stays on its line. No two names look alike, but
/// for their secrets: a judge that copies one means that file.
pub(crate) fn show_path(path: &RepoPath, redactor: &Redactor) -> String {
    let mut out = String::new();
    // The name of a file may hold a secret as its lines may. Of the known ones, words stay: `production` is the value of
    // many a setting, and a judge must be able to name the files of that folder.
    for c in redactor.redact_name(&write_bytes(path)).text.chars() {
        if is_marked(c) || c.is_control() {
            let _ = write!(out, "<U+{:04X}>", u32::from(c));
        } else {
            out.push(c);
        }
    }
    out
}

/// A path as text: bytes that are no UTF-8 as `<0xE9>`, and what would read as one of our marks with its `<` written out.
fn write_bytes(path: &RepoPath) -> String {
    let mut text = String::new();
    for chunk in path.as_bytes().utf8_chunks() {
        let valid = chunk.valid();
        text += &valid
            .replace("<U+", "<U+003C>U+")
            .replace("<0x", "<U+003C>0x");
        for byte in chunk.invalid() {
            // Writing to a string cannot fail.
            let _ = write!(text, "<0x{byte:02X}>");
        }
    }
    text
}

/// The files of a change by the names under which judges and people are shown them, where these are others: whoever copies
/// one means that file. A name that is shown for two files is left out.
/// What a brief calls a file that is renamed: a line that goes stood under its old name.
fn former_names(file: &FileChange, redactor: &Redactor) -> Vec<String> {
    let Some(old) = file.old_path.as_ref().filter(|old| **old != file.path) else {
        return Vec::new();
    };
    let (old, new) = (show_path(old, redactor), show_path(&file.path, redactor));
    vec![format!("{old} -> {new}"), old]
}

pub(crate) fn shown_paths(packet: &Packet, redactor: &Redactor) -> Vec<ShownPath> {
    let mut names: BTreeMap<String, Option<&RepoPath>> = BTreeMap::new();
    for file in &packet.files {
        add_name(&mut names, show_path(&file.path, redactor), &file.path);
    }
    // People are told such names in percents, and a blank at an end gets lost. What a brief shows goes before that.
    let mut others: BTreeMap<String, Option<&RepoPath>> = BTreeMap::new();
    let shown: BTreeSet<String> = names.keys().cloned().collect();
    let real: BTreeSet<&[u8]> = packet.files.iter().map(|f| f.path.as_bytes()).collect();
    for file in &packet.files {
        let trimmed = show_path(&file.path, redactor).trim().to_owned();
        for name in [trimmed, file.path.display().into_owned()] {
            if !shown.contains(&name) && !real.contains(name.as_bytes()) {
                add_name(&mut others, name, &file.path);
            }
        }
    }
    for file in &packet.files {
        for name in former_names(file, redactor) {
            if !shown.contains(&name) && !real.contains(name.as_bytes()) {
                add_name(&mut others, name, &file.path);
            }
        }
    }
    names.extend(others);
    let is_other = |shown: &str, path: &RepoPath| shown.as_bytes() != path.as_bytes();
    let named = names.into_iter().filter_map(|(shown, path)| {
        let path = path.filter(|path| is_other(&shown, path))?.clone();
        Some(ShownPath { shown, path })
    });
    named.collect()
}

/// A name of a file; none: it is one of several.
fn add_name<'a>(
    names: &mut BTreeMap<String, Option<&'a RepoPath>>,
    name: String,
    path: &'a RepoPath,
) {
    let known = names.entry(name).or_insert(Some(path));
    *known = known.filter(|known| *known == path);
}

/// The facts of a file on one line: what happened, its name, what is known beside the text.
pub(super) fn file_facts(file: &FileChange, redactor: &Redactor) -> String {
    let status = match file.status {
        FileStatus::Added => "added",
        FileStatus::Modified => "modified",
        FileStatus::Deleted => "deleted",
        FileStatus::Renamed => "renamed",
        FileStatus::TypeChanged => "type changed",
    };
    let from = file
        .old_path
        .as_ref()
        .map(|old| format!("{} -> ", show_path(old, redactor)))
        .unwrap_or_default();
    let mut facts = vec![];
    match file.kind {
        FileKind::Text => {}
        FileKind::Binary => facts.push(format!("binary, {}", file_sizes(file))),
        FileKind::Symlink => facts.push("symbolic link".to_owned()),
        FileKind::Submodule => facts.push("submodule".to_owned()),
        FileKind::LfsPointer => facts.push("git-lfs pointer".to_owned()),
    }
    let both = file.old_mode != 0 && file.new_mode != 0;
    if both && file.old_mode != file.new_mode {
        facts.push(format!("mode {:o} -> {:o}", file.old_mode, file.new_mode));
    } else if file.new_mode & 0o111 != 0 && file.status == FileStatus::Added {
        facts.push("executable".to_owned());
    }
    let (added, removed) = file.counts();
    if added + removed > 0 {
        facts.push(format!("+{added} -{removed}"));
    } else if file.old_id.is_some() && file.old_id == file.new_id {
        facts.push("content unchanged".to_owned());
    }
    if file.lossy {
        facts.push("not UTF-8".to_owned());
    }
    facts.extend(line_ends(file));
    let facts = facts.join(", ");
    let colon = if facts.is_empty() { "" } else { ": " };
    format!(
        "{status} {from}{}{colon}{facts}",
        show_path(&file.path, redactor)
    )
}

/// How the ends of lines change, which no line shows: a script with CRLF does not start. None: they stay as they were.
fn line_ends(file: &FileChange) -> Option<String> {
    let count = |kind: LineKind| {
        let lines = file.hunks.iter().flat_map(Hunk::lines);
        // Where no newline ends a line, nothing is known of it.
        let of_kind = lines.filter(|line| line.kind == kind && !line.no_newline);
        of_kind.fold((0, 0), |(all, crlf), line| {
            (all + 1, crlf + usize::from(line.text.ends_with('\r')))
        })
    };
    let [(added, to), (removed, from), (_, kept)] =
        [LineKind::Added, LineKind::Removed, LineKind::Context].map(count);
    let was_lf = from == 0 && kept == 0;
    match to {
        0 if added == 0 => None,
        0 if from > 0 && from == removed && kept == 0 => Some("line ends CRLF -> LF".to_owned()),
        0 if from > 0 || kept > 0 => Some("the added lines end in LF, others in CRLF".to_owned()),
        0 => None,
        _ if to < added => Some(format!("{to} of {added} added lines end in CRLF")),
        _ if was_lf && removed > 0 => Some("line ends LF -> CRLF".to_owned()),
        _ if was_lf => Some("the added lines end in CRLF".to_owned()),
        _ => None,
    }
}

fn file_sizes(file: &FileChange) -> String {
    let bytes = |size: u64| format!("{size} bytes");
    match (file.old_size, file.new_size) {
        (Some(old), Some(new)) if file.status != FileStatus::Added => {
            format!("{old} -> {new} bytes")
        }
        (_, Some(new)) => bytes(new),
        (Some(old), None) => bytes(old),
        (None, None) => "size unknown".to_owned(),
    }
}

/// What of a file is not shown, as the end of its line in the list; empty when everything is.
pub(super) fn coverage_gap(state: &CoverageState) -> String {
    match state {
        CoverageState::Reviewed => String::new(),
        CoverageState::Opaque { .. } => "; CONTENT NOT SHOWN".to_owned(),
        CoverageState::Skipped { reason } => format!("; left out: {reason}"),
        CoverageState::Truncated { shown, total } => {
            format!("; SHOWN IN PART: {shown} of {total} changed lines")
        }
        CoverageState::OverBudget => "; NOT SHOWN: it did not fit".to_owned(),
        CoverageState::NotAsked => "; NOT SHOWN".to_owned(),
        CoverageState::Unreadable { reason } => format!("; NOT SHOWN: {}", flatten_line(reason)),
    }
}

fn flatten_line(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(200)
        .collect()
}

/// The most bytes that are shown of a line that the change edits. Documents have a paragraph on a line: a bound of
/// 2,000 bytes, which holds around the change, made their reviews INCONCLUSIVE for good.
pub(crate) const MAX_EDITED_LINE: usize = 16_000;

/// The most bytes that are shown of a line, `line_bytes` where the change does not edit it.
fn most_of_line(is_edited: bool, line_bytes: usize) -> usize {
    match is_edited {
        true => line_bytes.max(MAX_EDITED_LINE),
        false => line_bytes,
    }
}

/// The most bytes that a hunk takes before anything in it is replaced.
pub(super) fn max_hunk_bytes(hunk: &Hunk, line_bytes: usize) -> usize {
    let gutter = gutter_width(hunk) + 1;
    let most = |line: &str| most_of_line(!line.starts_with(' '), line_bytes) + CUT_NOTE;
    let text: usize = hunk
        .body
        .split_terminator('\n')
        .map(|line| line.len().min(most(line)) + gutter + 1)
        .sum();
    text + hunk.section.len().min(MAX_SECTION_BYTES) + 64
}

/// Bytes of the section that a hunk's head shows at most.
const MAX_SECTION_BYTES: usize = 120;

/// Bytes that the note of a cut line takes at most.
const CUT_NOTE: usize = 64;

/// Columns of the line numbers.
fn gutter_width(hunk: &Hunk) -> usize {
    let last = hunk.new_start.saturating_add(hunk.new_lines);
    last.checked_ilog10().unwrap_or(0) as usize + 1
}

/// Writes a hunk: its head, then every line behind its number on the reviewed side. No line of a file can stand at the
/// margin, so none can imitate a heading. Stops before `room` bytes are passed; returns whether the hunk is whole.
pub(super) fn write_hunk(
    block: &mut TextBlock,
    (hunk, status): (&Hunk, FileStatus),
    redactor: &mut LineRedactor<'_>,
    line_bytes: usize,
    room: usize,
) -> bool {
    let end = block.text.len() + room;
    let section = truncate_bytes(&hunk.section, MAX_SECTION_BYTES);
    let heading = redactor.redact_heading(section);
    let of_heading = HiddenValues::of_text(section, &heading.text);
    let head = Hunk {
        section: mark_hidden(heading.text.into()).into_owned(),
        body: String::new(),
        ..*hunk
    }
    .header();
    if block.text.len() + head.len() + 1 > end {
        return false;
    }
    block.secrets.extend(&of_heading);
    block.text.push_str(&head);
    block.text.push('\n');
    let width = gutter_width(hunk);
    for (line, number) in hunk.lines_as_looked_up(status) {
        let start = block.text.len();
        let shown = redactor.redact_line(line.text);
        let whole = write_line(&mut block.text, &line, &shown, width, line_bytes);
        if block.text.len() > end {
            block.text.truncate(start);
            return false;
        }
        block.secrets.add_line(line.text, &shown.text);
        block.changed.extend(number.filter(|_| whole));
    }
    true
}

/// Writes one line; returns whether it is shown whole.
fn write_line(
    out: &mut String,
    line: &Line<'_>,
    shown: &RedactedLine<'_>,
    width: usize,
    line_bytes: usize,
) -> bool {
    let marker = match line.kind {
        LineKind::Context => ' ',
        LineKind::Added => '+',
        LineKind::Removed => '-',
    };
    let whole = mark_hidden(Cow::Borrowed(&shown.text));
    let most = most_of_line(line.kind != LineKind::Context, line_bytes);
    let text = truncate_bytes(&whole, most);
    let number = line.new_no.map(|no| no.to_string()).unwrap_or_default();
    // Writing to a string cannot fail.
    let _ = write!(out, "{number:>width$} {marker}{text}");
    let missing = whole.len() - text.len();
    if missing > 0 {
        let _ = write!(out, " [{missing} more bytes of this line are not shown]");
    }
    out.push('\n');
    if line.no_newline {
        let _ = writeln!(out, "{:>width$} \\ no newline at the end of the file", "");
    }
    missing == 0 && !shown.withheld
}

/// At most `bytes` bytes of `text`, cut between characters.
pub(crate) fn truncate_bytes(text: &str, bytes: usize) -> &str {
    let mut end = text.len().min(bytes);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod laws {
    use council_protocol::packet::{PACKET_VERSION, Target, TargetKind};
    use proptest::prelude::*;

    use super::*;
    use crate::council::{meant_path, unmarked_path};

    fn packet(names: &BTreeSet<Vec<u8>>) -> Packet {
        let file = |name: &Vec<u8>| FileChange {
            path: RepoPath::new(name.clone()),
            old_path: None,
            status: FileStatus::Added,
            kind: FileKind::Text,
            old_mode: 0,
            new_mode: 0o100_644,
            old_id: None,
            new_id: None,
            old_size: None,
            new_size: None,
            moved_from: None,
            lossy: false,
            similarity: None,
            hunks: Vec::new(),
        };
        Packet {
            version: PACKET_VERSION,
            target: Target {
                kind: TargetKind::Commit,
                label: String::new(),
                slug: String::new(),
                base: None,
                head: None,
                only: Vec::new(),
            },
            files: names.iter().map(file).collect(),
            instructions: Vec::new(),
            coverage: Default::default(),
            framing: Default::default(),
        }
    }

    /// Pieces of names, among them our own marks and what looks like them.
    fn name() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop_oneof![
            4 => "[a-c.]{1,3}".prop_map(String::into_bytes),
            1 => prop::collection::vec(1u8..=255, 1..3),
            1 => prop::sample::select(vec![
                "\t", "\n", "\u{200b}", "\u{feff}", "\u{202e}", " ", "\u{e9}", "<U+0009>", "<0xE9>", "%E9", "%25", "<U+003C>", "<", "/",
            ]).prop_map(|text| text.as_bytes().to_vec()),
            1 => Just(vec![0xe9]),
        ];
        prop::collection::vec(piece, 1..4).prop_map(|pieces| pieces.concat())
    }

    #[test]
    fn a_renamed_file_is_meant_by_its_old_name_too() {
        let mut packet = packet(&[b"new/name.py".to_vec(), b"other.py".to_vec()].into());
        packet.files[0].old_path = Some("old/name.py".into());
        let redactor = Redactor::default();
        let shown = shown_paths(&packet, &redactor);
        let meant = |name: &str| {
            let files = packet.files.iter().map(|file| &file.path);
            crate::council::meant_path(&name.into(), files, &shown)
                .map(|path| path.display().into_owned())
        };
        for name in ["old/name.py", "old/name.py -> new/name.py", "new/name.py"] {
            assert_eq!(meant(name).as_deref(), Some("new/name.py"), "{name}");
        }
        packet.files[1].path = "old/name.py".into();
        let shown = shown_paths(&packet, &redactor);
        assert!(
            !shown.iter().any(|one| one.shown == "old/name.py"),
            "another file has that name now"
        );
    }

    /// A change of line ends is named whatever lines it touches, and one that keeps them is not.
    #[test]
    fn a_change_of_line_ends_is_named() {
        let told = |body: &str| {
            let mut packet = packet(&[b"a.sh".to_vec()].into());
            packet.files[0].hunks = vec![Hunk {
                old_start: 1,
                old_lines: 1,
                new_start: 1,
                new_lines: 1,
                section: String::new(),
                body: body.into(),
            }];
            file_facts(&packet.files[0], &Redactor::default())
        };
        for (body, words) in [
            ("-a\n+a\r\n", "line ends LF -> CRLF"),
            ("-a\n-b\n+a\r\n+c\r\n", "line ends LF -> CRLF"),
            ("-a\r\n+a\n", "line ends CRLF -> LF"),
            (" a\n+b\r\n", "the added lines end in CRLF"),
            ("+a\r\n+b\r\n", "the added lines end in CRLF"),
            (" a\r\n+b\n", "the added lines end in LF, others in CRLF"),
            ("-a\n+a\r\n+b\n", "1 of 2 added lines end in CRLF"),
        ] {
            assert!(told(body).ends_with(words), "{body:?}: {}", told(body));
        }
        for body in [
            "-a\n+b\n",
            " a\r\n-a\r\n+b\r\n",
            "-a\r\n",
            "+a\n",
            "-a\r\n+b\r\n",
        ] {
            assert!(!told(body).contains("LF"), "{body:?}: {}", told(body));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// Whoever copies a name as it was shown means that file and no other, whatever the files are called.
        #[test]
        fn a_name_that_was_shown_means_its_file(names in prop::collection::btree_set(name(), 1..6)) {
            let packet = packet(&names);
            let redactor = Redactor::default();
            let shown = shown_paths(&packet, &redactor);
            let files = || packet.files.iter().map(|file| &file.path);
            for path in files() {
                let name = show_path(path, &redactor);
                let copied = RepoPath::from(name.as_str());
                prop_assert_eq!(meant_path(&copied, files(), &shown), Some(path), "{:?} in {:?}", name, names);
            }
        }

        /// Of a file that the change does not touch, only the name tells which one is meant.
        #[test]
        fn a_shown_name_can_be_read_back_without_a_list_of_files(name in name()) {
            let path = RepoPath::new(name);
            let shown = show_path(&path, &Redactor::default());
            let copied = RepoPath::from(shown.as_str());
            prop_assert_eq!(unmarked_path(&copied).unwrap_or(copied), path, "{}", shown);
        }
    }
}
