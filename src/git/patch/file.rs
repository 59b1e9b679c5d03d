//! One file of a patch: its headers, its hunks.

use council_protocol::change::{FileChange, FileKind, FileStatus};
use council_protocol::{Hunk, RepoPath};

use super::binary::{self, PackedFile, PackedSide};
use super::error::PatchError;
use super::hunk;
use super::lines::PatchLines;
use super::name::{self, PatchName};
use crate::content;

const FILE_MODE: u32 = 0o100644;

/// The ids of an empty file, with SHA-1 and with SHA-256.
const EMPTY_IDS: [&str; 2] = [
    "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
    "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
];

/// What the headers of a `diff --git` section say.
#[derive(Default)]
struct GitHeaders {
    old_mode: Option<u32>,
    new_mode: Option<u32>,
    added: bool,
    deleted: bool,
    renamed: bool,
    from: Option<Vec<u8>>,
    to: Option<Vec<u8>>,
    similarity: Option<u8>,
    ids: (Option<String>, Option<String>),
    /// The same as they are written: mostly a few digits of each.
    digits: Option<(String, String)>,
    /// Whether the index line tells of a change of content.
    has_content: bool,
}

impl GitHeaders {
    /// Reads the lines between `diff --git` and the content.
    fn read(lines: &mut PatchLines<'_>) -> Result<Self, PatchError> {
        let mut headers = Self::default();
        loop {
            let line = lines.next_number();
            if let Some(mode) = lines.strip_line("old mode ") {
                headers.old_mode = Some(parse_mode(mode, line)?);
            } else if let Some(mode) = lines.strip_line("new mode ") {
                headers.new_mode = Some(parse_mode(mode, line)?);
            } else if let Some(mode) = lines.strip_line("deleted file mode ") {
                (headers.deleted, headers.old_mode) = (true, Some(parse_mode(mode, line)?));
            } else if let Some(mode) = lines.strip_line("new file mode ") {
                (headers.added, headers.new_mode) = (true, Some(parse_mode(mode, line)?));
            } else if let Some(from) = lines.strip_line("rename from ") {
                (headers.renamed, headers.from) = (true, Some(name::header_name(from, line)?));
            } else if let Some(to) = lines.strip_line("rename to ") {
                headers.to = Some(name::header_name(to, line)?);
            } else if let Some(from) = lines.strip_line("copy from ") {
                (headers.added, headers.from) = (true, Some(name::header_name(from, line)?));
            } else if let Some(to) = lines.strip_line("copy to ") {
                headers.to = Some(name::header_name(to, line)?);
            } else if let Some(percent) = lines.strip_line("similarity index ") {
                headers.similarity = parse_percent(percent);
            } else if lines.strip_line("dissimilarity index ").is_some() {
                // A rewrite: its hunks are those of any other file.
            } else if let Some(ids) = lines.strip_line("index ") {
                headers.read_index_line(ids, line)?;
            } else {
                return Ok(headers);
            }
        }
    }

    /// `<id>..<id>[ <mode>]`: only whole ids are kept.
    fn read_index_line(&mut self, text: &[u8], line: usize) -> Result<(), PatchError> {
        let malformed = PatchError::Malformed {
            line,
            what: "the index line",
        };
        let text = std::str::from_utf8(text)
            .map_err(|_| malformed.clone())?
            .trim_end();
        let (ids, mode) = text
            .split_once(' ')
            .map_or((text, None), |(ids, mode)| (ids, Some(mode)));
        let (old, new) = ids.split_once("..").ok_or(malformed)?;
        if let Some(mode) = mode {
            let mode = parse_mode(mode.as_bytes(), line)?;
            (self.old_mode, self.new_mode) =
                (self.old_mode.or(Some(mode)), self.new_mode.or(Some(mode)));
        }
        let whole = |id: &str| {
            let hex = id.bytes().all(|b| b.is_ascii_hexdigit()) && matches!(id.len(), 40 | 64);
            (hex && id.bytes().any(|b| b != b'0')).then(|| id.to_ascii_lowercase())
        };
        self.ids = (whole(old), whole(new));
        self.digits = Some((old.to_ascii_lowercase(), new.to_ascii_lowercase()));
        let is_nothing = |id: &str| {
            id.bytes().all(|b| b == b'0') || EMPTY_IDS.iter().any(|empty| empty.starts_with(id))
        };
        self.has_content = old != new && !(is_nothing(old) && is_nothing(new));
        Ok(())
    }

    /// Whether the headers tell of something that stands below them, or of half a change of mode.
    fn promises_more(&self) -> bool {
        let is_edited = self.from.is_some() && self.similarity.is_some_and(|percent| percent < 100);
        let is_half = self.old_mode.is_some() && self.new_mode.is_none() && !self.deleted;
        self.has_content || is_edited || is_half
    }

    fn file_status(&self) -> FileStatus {
        let sort = |mode: Option<u32>| mode.unwrap_or(FILE_MODE) & 0o170000;
        match self {
            _ if self.added => FileStatus::Added,
            _ if self.deleted => FileStatus::Deleted,
            _ if self.renamed => FileStatus::Renamed,
            _ if sort(self.old_mode) != sort(self.new_mode.or(self.old_mode)) => {
                FileStatus::TypeChanged
            }
            _ => FileStatus::Modified,
        }
    }
}

/// What stands below the headers.
#[derive(Default)]
struct FileContent {
    names: Option<(PatchName, PatchName)>,
    binary: bool,
    packed: Option<PackedFile>,
    hunks: Vec<Hunk>,
    lossy: bool,
}

/// What a section that begins with `diff --git` says.
pub(super) struct GitFile {
    pub(super) file: FileChange,
    /// A binary file, still packed.
    pub(super) packed: Option<PackedFile>,
    /// The ids of both sides as the `index` line has them.
    pub(super) ids: Option<(String, String)>,
}

/// Reads a section that begins with `diff --git`.
pub(super) fn read_git_file(lines: &mut PatchLines<'_>) -> Result<GitFile, PatchError> {
    let line = lines.next_number();
    let first = lines.strip_line("diff --git ").unwrap_or_default();
    let headers = GitHeaders::read(lines)?;
    let content = read_content(lines)?;
    // git writes such a section of a file whose times alone changed; as the last of a patch it may be what is left of one.
    let is_bare = lines.next_number() == line + 1;
    let is_cut = headers.promises_more() && content.hunks.is_empty() && !content.binary;
    if (is_bare || is_cut) && lines.peek().is_none() {
        return Err(PatchError::Truncated {
            line,
            what: "a file",
        });
    }
    let (old, new) = file_names(first, &headers, content.names.as_ref(), line)?;
    let status = headers.file_status();
    let path = name::repository_path(
        if status == FileStatus::Deleted {
            &old
        } else {
            &new
        },
        true,
        line,
    )?;
    let before = name::repository_path(&old, true, line)?;
    let mode = |mode: Option<u32>, other: Option<u32>| mode.or(other).unwrap_or(FILE_MODE);
    let copied = status == FileStatus::Added && headers.from.is_some();
    let packed = content.packed.as_ref();
    let mut file = FileChange {
        old_path: (before != path && status != FileStatus::Added || copied).then_some(before),
        old_mode: if status == FileStatus::Added && !copied {
            0
        } else {
            mode(headers.old_mode, headers.new_mode)
        },
        new_mode: if status == FileStatus::Deleted {
            0
        } else {
            mode(headers.new_mode, headers.old_mode)
        },
        similarity: headers.similarity.filter(|_| headers.from.is_some()),
        old_size: packed.and_then(|packed| packed.old.as_ref()?.whole_size()),
        new_size: packed.and_then(|packed| packed.new.whole_size()),
        moved_from: None,
        lossy: content.lossy,
        hunks: content.hunks,
        ..empty_change(path, status)
    };
    (file.old_id, file.new_id) = headers.ids;
    file.kind = kind_by_mode(&file, content.binary);
    Ok(GitFile {
        file,
        packed: content.packed,
        ids: headers.digits,
    })
}

/// Old and new name, from the line that says it best.
fn file_names(
    first: &[u8],
    headers: &GitHeaders,
    labels: Option<&(PatchName, PatchName)>,
    line: usize,
) -> Result<(Vec<u8>, Vec<u8>), PatchError> {
    if let (Some(from), Some(to)) = (&headers.from, &headers.to) {
        return Ok((from.clone(), to.clone()));
    }
    if let Some((PatchName::Path(old), PatchName::Path(new))) = labels {
        return Ok(name::without_prefix(old, new, true));
    }
    let unnamed = PatchError::Malformed {
        line,
        what: "the name of a file",
    };
    let (old, new) = name::split_pair(first).ok_or(unnamed)?;
    Ok(name::without_prefix(&old, &new, true))
}

fn read_content(lines: &mut PatchLines<'_>) -> Result<FileContent, PatchError> {
    let mut content = FileContent::default();
    match lines.peek() {
        Some(line) if line.starts_with(b"--- ") => {
            let (names, strip_cr) = read_labels(lines)?;
            content.names = Some(names);
            let number = lines.next_number();
            (content.hunks, content.lossy) = hunk::read_hunks(lines, strip_cr)?;
            if content.hunks.is_empty() {
                return Err(PatchError::Truncated {
                    line: number - 1,
                    what: "a file",
                });
            }
        }
        Some(line) if line.starts_with(b"GIT binary patch") => {
            lines.next();
            content.binary = true;
            let new = read_binary(lines)?;
            let old = has_binary(lines).then(|| read_binary(lines)).transpose()?;
            content.packed = Some(PackedFile { new, old });
        }
        Some(line) if line.starts_with(b"Binary files ") => {
            lines.next();
            content.binary = true;
        }
        _ => {}
    }
    Ok(content)
}

/// The `---` and `+++` lines, and whether they end in a carriage return that the patch as a whole was given.
fn read_labels(lines: &mut PatchLines<'_>) -> Result<((PatchName, PatchName), bool), PatchError> {
    let line = lines.next_number();
    let old = lines.strip_line("--- ").unwrap_or_default();
    let Some(new) = lines.strip_line("+++ ") else {
        return Err(PatchError::Malformed {
            line: line + 1,
            what: "the line with +++",
        });
    };
    let names = (
        name::label_name(old, line)?,
        name::label_name(new, line + 1)?,
    );
    if names == (PatchName::Nothing, PatchName::Nothing) {
        return Err(PatchError::Malformed {
            line,
            what: "the name of a file",
        });
    }
    Ok((names, old.ends_with(b"\r") && new.ends_with(b"\r")))
}

fn has_binary(lines: &PatchLines<'_>) -> bool {
    lines
        .peek()
        .is_some_and(|line| line.starts_with(b"literal ") || line.starts_with(b"delta "))
}

/// `literal <size>` or `delta <size>`, lines of base 85, an empty line.
fn read_binary(lines: &mut PatchLines<'_>) -> Result<PackedSide, PatchError> {
    let malformed = |line| PatchError::Malformed {
        line,
        what: "a binary patch",
    };
    let line = lines.next_number();
    let size = |text: Option<&[u8]>| {
        let text = text.map(|text| String::from_utf8_lossy(text).trim().to_owned());
        text.map(|text| text.parse::<u64>().map_err(|_| malformed(line)))
            .transpose()
    };
    let literal = size(lines.strip_line("literal "))?;
    let delta = match literal {
        Some(_) => None,
        None => size(lines.strip_line("delta "))?,
    };
    let mut stream = Some(Vec::new());
    let packed = |stream| PackedSide {
        is_delta: delta.is_some(),
        size: literal.or(delta).unwrap_or_default(),
        stream,
    };
    if literal.or(delta).is_none() {
        return Err(malformed(line));
    }
    loop {
        let number = lines.next_number();
        match lines.next().map(<[u8]>::trim_ascii_end) {
            None => {
                return Err(PatchError::Truncated {
                    line: number - 1,
                    what: "a binary file",
                });
            }
            Some(b"") => return Ok(packed(stream)),
            // A letter for the length, then groups of five.
            Some(line @ [length, groups @ ..])
                if length.is_ascii_alphabetic() && groups.len() % 5 == 0 =>
            {
                stream = stream.and_then(|mut bytes| {
                    binary::decode_line(line, &mut bytes)?;
                    Some(bytes)
                });
            }
            Some(_) => return Err(malformed(number)),
        }
    }
}

/// Reads a section that begins with `---`, as `diff -u` writes it.
pub(super) fn read_plain_file(lines: &mut PatchLines<'_>) -> Result<FileChange, PatchError> {
    let line = lines.next_number();
    let ((old, new), strip_cr) = read_labels(lines)?;
    let (hunks, lossy) = hunk::read_hunks(lines, strip_cr)?;
    let (Some(first), Some(last)) = (hunks.first(), hunks.last()) else {
        return Err(PatchError::Truncated {
            line: line + 1,
            what: "a file",
        });
    };
    // `diff -N` shows a file that one side lacks as an empty one.
    let nothing = |lines: u32, start: u32| hunks.len() == 1 && lines == 0 && start == 0;
    let status = match (&old, &new) {
        (PatchName::Nothing, _) => FileStatus::Added,
        (_, PatchName::Nothing) => FileStatus::Deleted,
        _ if nothing(first.old_lines, first.old_start) => FileStatus::Added,
        _ if nothing(last.new_lines, last.new_start) => FileStatus::Deleted,
        _ => FileStatus::Modified,
    };
    let named = match (old, new) {
        (PatchName::Path(old), PatchName::Path(new)) => name::without_prefix(&old, &new, false).1,
        (PatchName::Path(name), PatchName::Nothing)
        | (PatchName::Nothing, PatchName::Path(name)) => {
            let bare = [&b"a/"[..], b"b/"]
                .into_iter()
                .find_map(|prefix| name.strip_prefix(prefix));
            bare.unwrap_or(&name).to_vec()
        }
        (PatchName::Nothing, PatchName::Nothing) => Vec::new(),
    };
    let mut file = FileChange {
        hunks,
        lossy,
        ..empty_change(name::repository_path(&named, false, line)?, status)
    };
    file.kind = kind_by_mode(&file, false);
    Ok(file)
}

/// `Binary files OLD and NEW differ`, as `diff` writes it.
pub(super) fn read_plain_binary(lines: &mut PatchLines<'_>) -> Result<FileChange, PatchError> {
    let line = lines.next_number();
    let malformed = PatchError::Malformed {
        line,
        what: "the line about binary files",
    };
    let text = lines
        .strip_line("Binary files ")
        .unwrap_or_default()
        .trim_ascii_end();
    let names = text.strip_suffix(b" differ").ok_or(malformed.clone())?;
    let mut splits = (0..names.len()).filter(|&at| names[at..].starts_with(b" and "));
    let at = splits
        .next()
        .filter(|_| splits.next().is_none())
        .ok_or(malformed)?;
    let (_, new) = name::without_prefix(&names[..at], &names[at + 5..], false);
    Ok(FileChange {
        kind: FileKind::Binary,
        ..empty_change(
            name::repository_path(&new, false, line)?,
            FileStatus::Modified,
        )
    })
}

/// A removed file takes on what was added in its place.
pub(super) fn become_other(removed: &mut FileChange, added: FileChange) {
    let (old, new) = (std::mem::take(&mut removed.hunks), added.hunks);
    let hunk = old.into_iter().chain(new).reduce(|old, new| Hunk {
        new_start: new.new_start,
        new_lines: new.new_lines,
        body: old.body + &new.body,
        ..old
    });
    removed.status = if removed.old_mode & 0o170000 == added.new_mode & 0o170000 {
        FileStatus::Modified
    } else {
        FileStatus::TypeChanged
    };
    removed.kind = added.kind;
    (removed.new_mode, removed.new_id, removed.new_size) =
        (added.new_mode, added.new_id, added.new_size);
    removed.lossy |= added.lossy;
    removed.hunks = hunk.into_iter().collect();
}

fn empty_change(path: RepoPath, status: FileStatus) -> FileChange {
    FileChange {
        path,
        old_path: None,
        status,
        kind: FileKind::Text,
        old_mode: if status == FileStatus::Added {
            0
        } else {
            FILE_MODE
        },
        new_mode: if status == FileStatus::Deleted {
            0
        } else {
            FILE_MODE
        },
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

/// Whether what is shown is a pointer of git-lfs and nothing else.
fn shows_lfs_pointer(hunks: &[Hunk]) -> bool {
    const VERSION: &str = "version https://git-lfs.github.com/spec/v1";
    let [hunk] = hunks else {
        return false;
    };
    let shown = || hunk.body.lines().filter(|line| !line.starts_with('\\'));
    let lines = || shown().filter_map(|line| line.get(1..));
    let is_known = |line: &str| line == VERSION || content::is_pointer_line(line);
    hunk.new_start <= 1 && lines().any(|line| line == VERSION) && lines().all(is_known)
}

fn kind_by_mode(file: &FileChange, binary: bool) -> FileKind {
    let mode = if file.new_mode == 0 {
        file.old_mode
    } else {
        file.new_mode
    };
    match mode & 0o170000 {
        0o120000 => FileKind::Symlink,
        0o160000 => FileKind::Submodule,
        _ if binary => FileKind::Binary,
        _ if shows_lfs_pointer(&file.hunks) => FileKind::LfsPointer,
        _ => FileKind::Text,
    }
}

fn parse_mode(text: &[u8], line: usize) -> Result<u32, PatchError> {
    let text = std::str::from_utf8(text).unwrap_or_default().trim_end();
    let mode = u32::from_str_radix(text, 8)
        .ok()
        .filter(|mode| text.len() <= 6 && *mode > 0);
    mode.ok_or(PatchError::Malformed {
        line,
        what: "a file mode",
    })
}

fn parse_percent(text: &[u8]) -> Option<u8> {
    let text = std::str::from_utf8(text).ok()?.trim_end();
    text.strip_suffix('%')?
        .parse()
        .ok()
        .filter(|percent| *percent <= 100)
}
