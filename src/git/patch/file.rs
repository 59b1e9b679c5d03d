//! One file of a patch: its headers, its hunks.

use council_protocol::change::{FileChange, FileKind, FileStatus};
use council_protocol::{Hunk, RepoPath};

use super::error::PatchError;
use super::hunk;
use super::lines::Lines;
use super::name::{self, Name};

const FILE_MODE: u32 = 0o100644;

/// What the headers of a `diff --git` section say.
#[derive(Default)]
struct Headers {
    old_mode: Option<u32>,
    new_mode: Option<u32>,
    added: bool,
    deleted: bool,
    renamed: bool,
    from: Option<Vec<u8>>,
    to: Option<Vec<u8>>,
    similarity: Option<u8>,
    ids: (Option<String>, Option<String>),
}

impl Headers {
    /// Reads the lines between `diff --git` and the content.
    fn read(lines: &mut Lines<'_>) -> Result<Self, PatchError> {
        let mut headers = Self::default();
        loop {
            let line = lines.number();
            if let Some(mode) = lines.strip("old mode ") {
                headers.old_mode = Some(octal(mode, line)?);
            } else if let Some(mode) = lines.strip("new mode ") {
                headers.new_mode = Some(octal(mode, line)?);
            } else if let Some(mode) = lines.strip("deleted file mode ") {
                (headers.deleted, headers.old_mode) = (true, Some(octal(mode, line)?));
            } else if let Some(mode) = lines.strip("new file mode ") {
                (headers.added, headers.new_mode) = (true, Some(octal(mode, line)?));
            } else if let Some(from) = lines.strip("rename from ") {
                (headers.renamed, headers.from) = (true, Some(name::whole(from, line)?));
            } else if let Some(to) = lines.strip("rename to ") {
                headers.to = Some(name::whole(to, line)?);
            } else if let Some(from) = lines.strip("copy from ") {
                (headers.added, headers.from) = (true, Some(name::whole(from, line)?));
            } else if let Some(to) = lines.strip("copy to ") {
                headers.to = Some(name::whole(to, line)?);
            } else if let Some(percent) = lines.strip("similarity index ") {
                headers.similarity = percent_of(percent);
            } else if lines.strip("dissimilarity index ").is_some() {
                // A rewrite: its hunks are those of any other file.
            } else if let Some(ids) = lines.strip("index ") {
                headers.index(ids, line)?;
            } else {
                return Ok(headers);
            }
        }
    }

    /// `<id>..<id>[ <mode>]`: only whole ids are kept.
    fn index(&mut self, text: &[u8], line: usize) -> Result<(), PatchError> {
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
            let mode = octal(mode.as_bytes(), line)?;
            (self.old_mode, self.new_mode) =
                (self.old_mode.or(Some(mode)), self.new_mode.or(Some(mode)));
        }
        let whole = |id: &str| {
            let hex = id.bytes().all(|b| b.is_ascii_hexdigit()) && matches!(id.len(), 40 | 64);
            (hex && id.bytes().any(|b| b != b'0')).then(|| id.to_ascii_lowercase())
        };
        self.ids = (whole(old), whole(new));
        Ok(())
    }

    fn status(&self) -> FileStatus {
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
struct Content {
    names: Option<(Name, Name)>,
    binary: bool,
    sizes: (Option<u64>, Option<u64>),
    hunks: Vec<Hunk>,
    lossy: bool,
}

/// Reads a section that begins with `diff --git`.
pub(super) fn of_git(lines: &mut Lines<'_>) -> Result<FileChange, PatchError> {
    let line = lines.number();
    let first = lines.strip("diff --git ").unwrap_or_default();
    let headers = Headers::read(lines)?;
    let content = content(lines)?;
    let (old, new) = names(first, &headers, content.names.as_ref(), line)?;
    let status = headers.status();
    let path = name::path(
        if status == FileStatus::Deleted {
            &old
        } else {
            &new
        },
        true,
        line,
    )?;
    let before = name::path(&old, true, line)?;
    let mode = |mode: Option<u32>, other: Option<u32>| mode.or(other).unwrap_or(FILE_MODE);
    let copied = status == FileStatus::Added && headers.from.is_some();
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
        old_size: content.sizes.0,
        new_size: content.sizes.1,
        lossy: content.lossy,
        hunks: content.hunks,
        ..blank(path, status)
    };
    (file.old_id, file.new_id) = headers.ids;
    file.kind = kind(&file, content.binary);
    Ok(file)
}

/// Old and new name, from the line that says it best.
fn names(
    first: &[u8],
    headers: &Headers,
    labels: Option<&(Name, Name)>,
    line: usize,
) -> Result<(Vec<u8>, Vec<u8>), PatchError> {
    if let (Some(from), Some(to)) = (&headers.from, &headers.to) {
        return Ok((from.clone(), to.clone()));
    }
    if let Some((Name::Path(old), Name::Path(new))) = labels {
        return Ok(name::without_prefix(old, new, true));
    }
    let unnamed = PatchError::Malformed {
        line,
        what: "the name of a file",
    };
    let (old, new) = name::pair(first).ok_or(unnamed)?;
    Ok(name::without_prefix(&old, &new, true))
}

fn content(lines: &mut Lines<'_>) -> Result<Content, PatchError> {
    let mut content = Content::default();
    match lines.peek() {
        Some(line) if line.starts_with(b"--- ") => {
            let (names, strip_cr) = labels(lines)?;
            content.names = Some(names);
            let number = lines.number();
            (content.hunks, content.lossy) = hunk::hunks(lines, strip_cr)?;
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
            content.sizes.1 = binary(lines)?;
            content.sizes.0 = if has_binary(lines) {
                binary(lines)?
            } else {
                None
            };
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
fn labels(lines: &mut Lines<'_>) -> Result<((Name, Name), bool), PatchError> {
    let line = lines.number();
    let old = lines.strip("--- ").unwrap_or_default();
    let Some(new) = lines.strip("+++ ") else {
        return Err(PatchError::Malformed {
            line: line + 1,
            what: "the line with +++",
        });
    };
    let names = (name::labelled(old, line)?, name::labelled(new, line + 1)?);
    if names == (Name::Nothing, Name::Nothing) {
        return Err(PatchError::Malformed {
            line,
            what: "the name of a file",
        });
    }
    Ok((names, old.ends_with(b"\r") && new.ends_with(b"\r")))
}

fn has_binary(lines: &Lines<'_>) -> bool {
    lines
        .peek()
        .is_some_and(|line| line.starts_with(b"literal ") || line.starts_with(b"delta "))
}

/// `literal <size>` or `delta <size>`, lines of base 85, an empty line. A literal's size is the file's.
fn binary(lines: &mut Lines<'_>) -> Result<Option<u64>, PatchError> {
    let malformed = |line| PatchError::Malformed {
        line,
        what: "a binary patch",
    };
    let line = lines.number();
    let size = |text: Option<&[u8]>| {
        let text = text.map(|text| String::from_utf8_lossy(text).trim().to_owned());
        text.map(|text| text.parse::<u64>().map_err(|_| malformed(line)))
            .transpose()
    };
    let literal = size(lines.strip("literal "))?;
    if literal.is_none() && size(lines.strip("delta "))?.is_none() {
        return Err(malformed(line));
    }
    loop {
        let number = lines.number();
        match lines.next().map(<[u8]>::trim_ascii_end) {
            None => {
                return Err(PatchError::Truncated {
                    line: number - 1,
                    what: "a binary file",
                });
            }
            Some(b"") => return Ok(literal),
            // A letter for the length, then groups of five.
            Some([length, groups @ ..])
                if length.is_ascii_alphabetic() && groups.len() % 5 == 0 => {}
            Some(_) => return Err(malformed(number)),
        }
    }
}

/// Reads a section that begins with `---`, as `diff -u` writes it.
pub(super) fn of_diff(lines: &mut Lines<'_>) -> Result<FileChange, PatchError> {
    let line = lines.number();
    let ((old, new), strip_cr) = labels(lines)?;
    let (hunks, lossy) = hunk::hunks(lines, strip_cr)?;
    let (Some(first), Some(last)) = (hunks.first(), hunks.last()) else {
        return Err(PatchError::Truncated {
            line: line + 1,
            what: "a file",
        });
    };
    // `diff -N` shows a file that one side lacks as an empty one.
    let nothing = |lines: u32, start: u32| hunks.len() == 1 && lines == 0 && start == 0;
    let status = match (&old, &new) {
        (Name::Nothing, _) => FileStatus::Added,
        (_, Name::Nothing) => FileStatus::Deleted,
        _ if nothing(first.old_lines, first.old_start) => FileStatus::Added,
        _ if nothing(last.new_lines, last.new_start) => FileStatus::Deleted,
        _ => FileStatus::Modified,
    };
    let named = match (old, new) {
        (Name::Path(old), Name::Path(new)) => name::without_prefix(&old, &new, false).1,
        (Name::Path(name), Name::Nothing) | (Name::Nothing, Name::Path(name)) => {
            let bare = [&b"a/"[..], b"b/"]
                .into_iter()
                .find_map(|prefix| name.strip_prefix(prefix));
            bare.unwrap_or(&name).to_vec()
        }
        (Name::Nothing, Name::Nothing) => Vec::new(),
    };
    let mut file = FileChange {
        hunks,
        lossy,
        ..blank(name::path(&named, false, line)?, status)
    };
    file.kind = kind(&file, false);
    Ok(file)
}

/// `Binary files OLD and NEW differ`, as `diff` writes it.
pub(super) fn binary_of_diff(lines: &mut Lines<'_>) -> Result<FileChange, PatchError> {
    let line = lines.number();
    let malformed = PatchError::Malformed {
        line,
        what: "the line about binary files",
    };
    let text = lines
        .strip("Binary files ")
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
        ..blank(name::path(&new, false, line)?, FileStatus::Modified)
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

fn blank(path: RepoPath, status: FileStatus) -> FileChange {
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
        lossy: false,
        hunks: Vec::new(),
    }
}

fn kind(file: &FileChange, binary: bool) -> FileKind {
    let mode = if file.new_mode == 0 {
        file.old_mode
    } else {
        file.new_mode
    };
    let first = file.hunks.first().map_or("", |hunk| hunk.body.as_str());
    match mode & 0o170000 {
        0o120000 => FileKind::Symlink,
        0o160000 => FileKind::Submodule,
        _ if binary => FileKind::Binary,
        _ if first
            .lines()
            .any(|line| line.get(1..) == Some("version https://git-lfs.github.com/spec/v1")) =>
        {
            FileKind::LfsPointer
        }
        _ => FileKind::Text,
    }
}

fn octal(text: &[u8], line: usize) -> Result<u32, PatchError> {
    let text = std::str::from_utf8(text).unwrap_or_default().trim_end();
    let mode = u32::from_str_radix(text, 8)
        .ok()
        .filter(|mode| text.len() <= 6 && *mode > 0);
    mode.ok_or(PatchError::Malformed {
        line,
        what: "a file mode",
    })
}

fn percent_of(text: &[u8]) -> Option<u8> {
    let text = std::str::from_utf8(text).ok()?.trim_end();
    text.strip_suffix('%')?
        .parse()
        .ok()
        .filter(|percent| *percent <= 100)
}
