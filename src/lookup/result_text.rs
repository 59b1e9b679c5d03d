//! Matches of several files as one text within bounds.

use council_agents::tools::QueryBounds;
use council_protocol::{RepoPath, SeenLines};
use council_secrets::Redactor;
use regex::Regex;

use super::Found;
use super::file_view::{FileView, LineRoom};
use crate::prompt::show_path;

/// Text that is kept free for the note on what is missing.
pub(super) const NOTE_BYTES: usize = 160;

/// `1 line`, `3 lines`.
pub(super) fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// A text that grows until its bounds are reached.
pub(super) struct ResultText {
    text: String,
    max_bytes: usize,
    seen: Vec<SeenLines>,
    /// Whether something did not fit.
    pub(super) is_full: bool,
}

impl ResultText {
    pub(super) fn within(bounds: &QueryBounds) -> Self {
        Self {
            text: String::new(),
            max_bytes: bounds.max_bytes.saturating_sub(NOTE_BYTES),
            seen: Vec::new(),
            is_full: false,
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.text.len()
    }

    /// Adds a line, unless the text is full.
    pub(super) fn push_line(&mut self, line: &str) {
        if self.text.len() + line.len() + 1 > self.max_bytes {
            self.is_full = true;
        }
        if !self.is_full {
            self.text.push_str(line);
            self.text.push('\n');
        }
    }

    /// Adds lines of a file behind its name, as far as they fit.
    pub(super) fn push_file(
        &mut self,
        path: &RepoPath,
        view: &FileView,
        runs: &[(u32, u32)],
        redactor: &Redactor,
    ) {
        self.push_line(&format!("=== {}", show_path(path, redactor)));
        self.push_runs(path, view, runs);
    }

    fn push_runs(&mut self, path: &RepoPath, view: &FileView, runs: &[(u32, u32)]) {
        for &(from, to) in runs {
            if self.is_full {
                return;
            }
            let shown =
                view.write_lines(&mut self.text, (from, to), self.max_bytes, LineRoom::SHORT);
            self.is_full |= shown.next <= to;
            self.seen.extend(shown.into_seen(path));
        }
    }

    /// Adds lines that a pattern matches: of a long one the part that does.
    pub(super) fn push_matches(
        &mut self,
        path: &RepoPath,
        view: &FileView,
        (runs, regex): (&[(u32, u32)], &Regex),
        redactor: &Redactor,
    ) {
        self.push_line(&format!("=== {}", show_path(path, redactor)));
        for &(line, to) in runs {
            let start = self.text.len();
            if !self.is_full && view.write_far_match(&mut self.text, line, regex) {
                if self.text.len() > self.max_bytes {
                    self.text.truncate(start);
                    self.is_full = true;
                }
            } else {
                self.push_runs(path, view, &[(line, to)]);
            }
        }
    }

    /// Adds what another text holds.
    pub(super) fn push_part(&mut self, part: Found) {
        self.text.push_str(&part.text);
        self.seen.extend(part.seen);
    }

    /// The text, with a note on what is missing.
    pub(super) fn finish(mut self, note: &str) -> Found {
        if !note.is_empty() {
            self.text.push_str(&format!("[{note}]\n"));
        }
        Found {
            text: self.text,
            seen: self.seen,
        }
    }
}
