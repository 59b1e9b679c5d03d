//! A changed file as a section of a unified diff, in git's form.

use std::fmt::Write;

use crate::RepoPath;
use crate::change::{FileChange, FileKind, FileStatus, Hunk, LineKind};

/// Hexadecimal digits of an object id in the `index` line.
const ABBREVIATED: usize = 10;

impl FileChange {
    /// The file's section of a unified diff as `git diff` prints it, ended by a newline.
    ///
    /// It is what `git apply` reads, except where the text is [`lossy`](FileChange::lossy) or binary. Paths that hold
    /// quotes, control characters or bytes that are not UTF-8 are quoted as git does.
    pub fn unified(&self) -> String {
        let mut out = String::with_capacity(
            160 + self.hunks.iter().map(|h| h.body.len() + 40).sum::<usize>(),
        );
        self.write_unified(&mut out);
        out
    }

    /// Appends [`unified`](Self::unified) to `out`.
    pub fn write_unified(&self, out: &mut String) {
        if self.status == FileStatus::TypeChanged {
            self.one_side(LineKind::Removed).write_section(out);
            self.one_side(LineKind::Added).write_section(out);
        } else {
            self.write_section(out);
        }
    }

    fn write_section(&self, out: &mut String) {
        let old = quoted_path("a/", self.path_before());
        let new = quoted_path("b/", &self.path);
        let mut line = |text: std::fmt::Arguments<'_>| {
            // Writing to a string cannot fail.
            let _ = out.write_fmt(text);
            out.push('\n');
        };
        line(format_args!("diff --git {old} {new}"));
        let copied = self.status == FileStatus::Added && self.old_path.is_some();
        match self.status {
            FileStatus::Added if !copied => {
                line(format_args!("new file mode {:06o}", self.new_mode))
            }
            FileStatus::Deleted => line(format_args!("deleted file mode {:06o}", self.old_mode)),
            _ if self.old_mode != self.new_mode => {
                line(format_args!("old mode {:06o}", self.old_mode));
                line(format_args!("new mode {:06o}", self.new_mode));
            }
            _ => {}
        }
        if let Some(from) = &self.old_path {
            if let Some(percent) = self.similarity {
                line(format_args!("similarity index {percent}%"));
            }
            let how = if copied { "copy" } else { "rename" };
            line(format_args!("{how} from {}", quoted_path("", from)));
            line(format_args!("{how} to {}", quoted_path("", &self.path)));
        }
        let same = self.old_id.is_some() && self.old_id == self.new_id;
        if !same && (self.old_id.is_some() || self.new_id.is_some()) {
            let (before, after) = (
                abbreviated_id(self.old_id.as_deref()),
                abbreviated_id(self.new_id.as_deref()),
            );
            if self.old_mode == self.new_mode {
                line(format_args!(
                    "index {before}..{after} {:06o}",
                    self.new_mode
                ))
            } else {
                line(format_args!("index {before}..{after}"))
            }
        }
        let old = if self.status == FileStatus::Added && !copied {
            "/dev/null"
        } else {
            &old
        };
        let new = if self.status == FileStatus::Deleted {
            "/dev/null"
        } else {
            &new
        };
        if self.kind == FileKind::Binary && !same {
            line(format_args!("Binary files {old} and {new} differ"));
        } else if !self.hunks.is_empty() {
            line(format_args!("--- {old}{}", tab_after(old)));
            line(format_args!("+++ {new}{}", tab_after(new)));
        }
        for hunk in &self.hunks {
            out.push_str(&hunk.header());
            out.push('\n');
            out.push_str(&hunk.body);
        }
    }

    /// A change of type is shown as git shows it: the old entry goes, the new one comes.
    fn one_side(&self, side: LineKind) -> Self {
        let mut part = self.clone();
        let removed = side == LineKind::Removed;
        if removed {
            (part.status, part.new_mode, part.new_id) = (FileStatus::Deleted, 0, None);
        } else {
            (part.status, part.old_mode, part.old_id) = (FileStatus::Added, 0, None);
        }
        if removed && self.kind == FileKind::Binary {
            part.kind = FileKind::Text;
        }
        part.hunks = self
            .hunks
            .iter()
            .filter_map(|hunk| only_side(hunk, side))
            .collect();
        part
    }
}

fn only_side(hunk: &Hunk, side: LineKind) -> Option<Hunk> {
    let (marker, mut body, mut count) = (
        if side == LineKind::Added { '+' } else { '-' },
        String::new(),
        0,
    );
    for line in hunk.lines().filter(|line| line.kind == side) {
        body.push(marker);
        body.push_str(line.text);
        body.push('\n');
        if line.no_newline {
            body.push_str("\\ No newline at end of file\n");
        }
        count += 1;
    }
    let (old, new) = if side == LineKind::Added {
        ((0, 0), (1, count))
    } else {
        ((1, count), (0, 0))
    };
    let (old_start, old_lines) = old;
    let (new_start, new_lines) = new;
    (count > 0).then(|| Hunk {
        old_start,
        old_lines,
        new_start,
        new_lines,
        section: String::new(),
        body,
    })
}

fn abbreviated_id(id: Option<&str>) -> &str {
    let id = id.unwrap_or("0000000000");
    id.get(..ABBREVIATED).unwrap_or(id)
}

/// Where a name with a space ends is marked by a tab, for readers that split at white space.
fn tab_after(name: &str) -> &'static str {
    if name.contains(' ') && !name.starts_with('"') {
        "\t"
    } else {
        ""
    }
}

/// A path as git prints it: quoted in C style when it needs to be (`core.quotePath=false`).
fn quoted_path(prefix: &str, path: &RepoPath) -> String {
    let plain = |text: &str| {
        !text
            .chars()
            .any(|c| c.is_control() || c == '"' || c == '\\')
    };
    if let Some(text) = std::str::from_utf8(path.as_bytes())
        .ok()
        .filter(|text| plain(text))
    {
        return format!("{prefix}{text}");
    }
    let mut out = format!("\"{prefix}");
    for chunk in path.as_bytes().utf8_chunks() {
        chunk.valid().chars().for_each(|c| escape(&mut out, c));
        for byte in chunk.invalid() {
            let _ = write!(out, "\\{byte:03o}");
        }
    }
    out.push('"');
    out
}

fn escape(out: &mut String, c: char) {
    match c {
        '"' | '\\' => {
            out.push('\\');
            out.push(c);
        }
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        c if c.is_control() => {
            for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                let _ = write!(out, "\\{byte:03o}");
            }
        }
        c => out.push(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(path: &str) -> FileChange {
        FileChange {
            path: path.into(),
            old_path: None,
            status: FileStatus::Modified,
            kind: FileKind::Text,
            old_mode: 0o100644,
            new_mode: 0o100644,
            old_id: Some("1111111111222222222233333333334444444444".into()),
            new_id: Some("aaaaaaaaaabbbbbbbbbbccccccccccdddddddddd".into()),
            old_size: None,
            new_size: None,
            similarity: None,
            moved_from: None,
            lossy: false,
            hunks: vec![Hunk {
                old_start: 1,
                old_lines: 1,
                new_start: 1,
                new_lines: 1,
                section: String::new(),
                body: "-a\n+b\n\\ No newline at end of file\n".into(),
            }],
        }
    }

    #[test]
    fn a_modified_file() {
        let expected = "diff --git a/x.rs b/x.rs\nindex 1111111111..aaaaaaaaaa 100644\n--- a/x.rs\n+++ b/x.rs\n\
                        @@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n";
        assert_eq!(change("x.rs").unified(), expected);
    }

    #[test]
    fn a_rename_with_a_mode_change() {
        let mut file = change("new name");
        (file.old_path, file.new_mode, file.similarity) = (Some("old".into()), 0o100755, Some(87));
        let text = file.unified();
        let head: Vec<_> = text.lines().take(8).collect();
        let expected = [
            "diff --git a/old b/new name",
            "old mode 100644",
            "new mode 100755",
            "similarity index 87%",
            "rename from old",
            "rename to new name",
            "index 1111111111..aaaaaaaaaa",
            "--- a/old",
        ];
        assert_eq!(head, expected);
        assert!(text.contains("\n+++ b/new name\t\n"), "{text}");
    }

    #[test]
    fn a_change_of_type_is_two_sections() {
        let mut file = change("link");
        (file.status, file.kind, file.new_mode) =
            (FileStatus::TypeChanged, FileKind::Symlink, 0o120000);
        let text = file.unified();
        assert!(text.contains("deleted file mode 100644\nindex 1111111111..0000000000\n--- a/link\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"), "{text}");
        assert!(text.contains("new file mode 120000\nindex 0000000000..aaaaaaaaaa\n--- /dev/null\n+++ b/link\n@@ -0,0 +1 @@\n+b\n\\ No newline"), "{text}");
    }

    #[test]
    fn binary_files_and_odd_paths() {
        let mut file = change("x");
        (file.path, file.kind) = (
            RepoPath::new(b"a\"\t\xff\xc3\xa9".to_vec()),
            FileKind::Binary,
        );
        file.hunks.clear();
        let text = file.unified();
        assert!(
            text.ends_with("Binary files \"a/a\\\"\\t\\377é\" and \"b/a\\\"\\t\\377é\" differ\n"),
            "{text}"
        );
    }
}
