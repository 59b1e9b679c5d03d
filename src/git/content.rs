//! What the bytes of a file are, and how they become text.

use std::borrow::Cow;

use council_protocol::Hunk;

use super::diff::raw_hunk::RawHunk;
use super::diff::window;
use super::error::GitError;

/// A NUL among the first bytes makes a file binary, as in git.
const LOOKED_AT: usize = 8000;

/// A pointer of git-lfs is a small text with this first line.
const LFS_VERSIONS: [&[u8]; 2] = [
    b"version https://git-lfs.github.com/spec/v1\n",
    b"version https://hawser.github.com/spec/v1\n",
];

/// Whether git takes these bytes for binary.
pub(super) fn is_binary(bytes: &[u8]) -> bool {
    bytes[..bytes.len().min(LOOKED_AT)].contains(&0)
}

/// Whether these bytes are a pointer of git-lfs (its specification: under 1024 bytes, `version` first) and nothing else: a
/// script may begin with the same lines.
pub(super) fn is_lfs_pointer(bytes: &[u8]) -> bool {
    let rest = LFS_VERSIONS
        .iter()
        .find_map(|version| bytes.strip_prefix(*version));
    let lines = rest.and_then(|rest| std::str::from_utf8(rest).ok());
    bytes.len() < 1024 && lines.is_some_and(|lines| lines.lines().all(is_pointer_line))
}

/// `oid sha256:…`, `size N` or `ext-N-NAME sha256:…`.
pub(super) fn is_pointer_line(line: &str) -> bool {
    let is_digest = |text: &str| {
        let digest = text.split_once(':');
        digest.is_some_and(|(name, hex)| {
            name.bytes().all(|b| b.is_ascii_alphanumeric())
                && hex.bytes().all(|b| b.is_ascii_hexdigit())
        })
    };
    match line.split_once(' ') {
        Some(("oid", digest)) => is_digest(digest),
        Some(("size", size)) => !size.is_empty() && size.bytes().all(|b| b.is_ascii_digit()),
        Some((key, digest)) => key.starts_with("ext-") && is_digest(digest),
        None => false,
    }
}

/// The hunks between two contents, and whether text was lost on the way to UTF-8.
pub(super) fn text_hunks(old: &[u8], new: &[u8]) -> Result<(Vec<Hunk>, bool), GitError> {
    let mut text = LossyText::default();
    let hunks = match (old.is_empty(), new.is_empty()) {
        (true, true) => Vec::new(),
        (false, false) => window::diff_hunks(old, new)?
            .into_iter()
            .map(|hunk| text.convert_hunk(hunk))
            .collect(),
        _ => vec![text.replace_all(old, new)],
    };
    Ok((hunks, text.lossy))
}

/// All old lines removed, all new ones added: how a change of type is shown.
pub(super) fn replaced_hunks(old: &[u8], new: &[u8]) -> (Vec<Hunk>, bool) {
    let mut text = LossyText::default();
    let hunk = text.replace_all(old, new);
    (
        if old.is_empty() && new.is_empty() {
            Vec::new()
        } else {
            vec![hunk]
        },
        text.lossy,
    )
}

#[derive(Default)]
struct LossyText {
    lossy: bool,
}

impl LossyText {
    fn decode_bytes(&mut self, bytes: Vec<u8>) -> String {
        String::from_utf8(bytes).unwrap_or_else(|error| {
            self.lossy = true;
            String::from_utf8_lossy(error.as_bytes()).into_owned()
        })
    }

    fn convert_hunk(&mut self, raw: RawHunk) -> Hunk {
        let ((old_start, old_lines), (new_start, new_lines)) = (raw.old, raw.new);
        // The section is cut at a number of bytes, which may be in the middle of a character.
        let section = String::from_utf8_lossy(&raw.section)
            .trim_end_matches('\u{fffd}')
            .to_owned();
        Hunk {
            old_start,
            old_lines,
            new_start,
            new_lines,
            section,
            body: self.decode_bytes(raw.body),
        }
    }

    fn replace_all(&mut self, old: &[u8], new: &[u8]) -> Hunk {
        let mut body = String::with_capacity((old.len() + new.len()) / 16 * 17 + 64);
        let old_lines = self.push_lines(&mut body, '-', old);
        let new_lines = self.push_lines(&mut body, '+', new);
        let start = |lines: u32| u32::from(lines > 0);
        let (old_start, new_start) = (start(old_lines), start(new_lines));
        Hunk {
            old_start,
            old_lines,
            new_start,
            new_lines,
            section: String::new(),
            body,
        }
    }

    fn push_lines(&mut self, body: &mut String, marker: char, bytes: &[u8]) -> u32 {
        let text = String::from_utf8_lossy(bytes);
        self.lossy |= matches!(text, Cow::Owned(_));
        let mut count = 0;
        for line in text.split_inclusive('\n') {
            body.push(marker);
            body.push_str(line);
            count += 1;
        }
        if !text.is_empty() && !text.ends_with('\n') {
            body.push_str("\n\\ No newline at end of file\n");
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bodies(old: &[u8], new: &[u8]) -> (Vec<(String, String)>, bool) {
        let (hunks, lossy) = text_hunks(old, new).unwrap();
        (
            hunks.into_iter().map(|h| (h.header(), h.body)).collect(),
            lossy,
        )
    }

    #[test]
    fn added_and_removed_files() {
        let added = bodies(b"", b"a\nb");
        assert_eq!(
            added.0,
            [(
                "@@ -0,0 +1,2 @@".into(),
                "+a\n+b\n\\ No newline at end of file\n".into()
            )]
        );
        assert_eq!(
            bodies(b"a\n", b"").0,
            [("@@ -1 +0,0 @@".into(), "-a\n".into())]
        );
        assert_eq!(bodies(b"", b""), (vec![], false));
    }

    #[test]
    fn carriage_returns_and_missing_newlines_stay() {
        let changed = bodies(b"a\r\nb", b"a\r\nb\r\n");
        assert_eq!(
            changed.0,
            [(
                "@@ -1,2 +1,2 @@".into(),
                " a\r\n-b\n\\ No newline at end of file\n+b\r\n".into()
            )]
        );
    }

    #[test]
    fn bytes_that_are_not_utf8_are_shown_and_flagged() {
        let changed = bodies(b"x\n", b"caf\xe9\n");
        assert_eq!(
            changed,
            (
                vec![("@@ -1 +1 @@".into(), "-x\n+caf\u{fffd}\n".into())],
                true
            )
        );
    }

    #[test]
    fn a_section_cut_inside_a_character_is_not_lossy_text() {
        let name = format!("fn {}()", "ä".repeat(60));
        let old = format!("{name}\n1\n2\n3\n4\n5\n");
        let (hunks, lossy) = text_hunks(old.as_bytes(), old.replace('5', "6").as_bytes()).unwrap();
        assert!(!lossy);
        assert!(
            name.starts_with(&hunks[0].section) && hunks[0].section.len() > 60,
            "{:?}",
            hunks[0].section
        );
    }

    #[test]
    fn pointers_of_lfs() {
        assert!(is_lfs_pointer(
            b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n"
        ));
        assert!(!is_lfs_pointer(b"version 2\n"));
        let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n";
        for more in [
            "curl x | sh\n",
            "size 1; id\n",
            "oid a b:00\n",
            "\n",
            "ext-0 $(id):00\n",
            "#\n",
        ] {
            assert!(
                !is_lfs_pointer(format!("{pointer}{more}").as_bytes()),
                "{more}"
            );
        }
        let extended = "version https://git-lfs.github.com/spec/v1\next-0-foo sha256:ab\noid sha256:00\nsize 1\n";
        assert!(is_lfs_pointer(extended.as_bytes()));
    }
}
