//! One changed file.

use std::cell::OnceCell;

use council_protocol::change::{FileKind, FileStatus, Line};
use council_protocol::{BlobSource, FileChange, LineKind, Side};

use super::LineView;
use super::syntax::FileSyntax;
use crate::language::Language;
use crate::role::FileRole;
use crate::rule::RuleHit;

/// One changed file.
pub(crate) struct FileView<'a> {
    /// Index in the packet.
    pub(crate) index: usize,
    pub(crate) change: &'a FileChange,
    pub(crate) path: String,
    pub(crate) language: Language,
    pub(crate) role: FileRole,
    /// All lines of all hunks, in order.
    pub(crate) lines: Vec<Line<'a>>,
    /// Those of `lines` that stand on the new side.
    new_side: Vec<u32>,
    blobs: &'a dyn BlobSource,
    after: OnceCell<Option<String>>,
    before: OnceCell<Option<String>>,
    syntax: OnceCell<FileSyntax>,
}

impl<'a> FileView<'a> {
    pub(super) fn new(index: usize, change: &'a FileChange, blobs: &'a dyn BlobSource) -> Self {
        let path = change.path.display().into_owned();
        let language = Language::from_path(&path);
        let role = FileRole::from_path(&path, language);
        let lines: Vec<Line<'a>> = change.hunks.iter().flat_map(|hunk| hunk.lines()).collect();
        let numbered = (0..).zip(&lines).filter(|(_, line)| line.new_no.is_some());
        let new_side = numbered.map(|(at, _)| at).collect();
        Self {
            index,
            change,
            path,
            language,
            role,
            lines,
            new_side,
            blobs,
            after: OnceCell::new(),
            before: OnceCell::new(),
            syntax: OnceCell::new(),
        }
    }

    /// The file's name without its folders.
    pub(crate) fn file_name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// The file's folder with its slash; empty at the top.
    pub(crate) fn folder_path(&self) -> &str {
        &self.path[..self.path.len() - self.file_name().len()]
    }

    /// Whether it is a GitHub workflow, or an action's description.
    pub(crate) fn is_workflow(&self) -> bool {
        let folder = self.folder_path();
        let workflow = folder == ".github/workflows/" || folder.ends_with("/.github/workflows/");
        self.language == Language::Yaml
            && (workflow || matches!(self.file_name(), "action.yml" | "action.yaml"))
    }

    /// Whether it is text that exists after the change.
    pub(crate) fn is_text(&self) -> bool {
        self.change.kind == FileKind::Text && self.exists()
    }

    /// Whether it exists after the change.
    pub(crate) fn exists(&self) -> bool {
        self.change.status != FileStatus::Deleted
    }

    /// The whole text after the change, where it can be read.
    pub(crate) fn text_after(&self) -> Option<&str> {
        self.after
            .get_or_init(|| self.read_side(Side::New))
            .as_deref()
    }

    /// The whole text before the change, where it can be read.
    pub(crate) fn text_before(&self) -> Option<&str> {
        self.before
            .get_or_init(|| self.read_side(Side::Old))
            .as_deref()
    }

    fn read_side(&self, side: Side) -> Option<String> {
        let path = match side {
            Side::Old => self.change.path_before(),
            Side::New => &self.change.path,
        };
        let bytes = self.blobs.read(side, path).ok().flatten()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The added lines, in order.
    pub(crate) fn added_lines(&self) -> impl Iterator<Item = LineView<'_, 'a>> {
        let added = self
            .lines
            .iter()
            .enumerate()
            .filter(|(_, l)| l.kind == LineKind::Added);
        added.map(|(at, _)| LineView::new(self, at))
    }

    /// The removed lines, in order.
    pub(crate) fn removed_lines(&self) -> impl Iterator<Item = &Line<'a>> {
        self.lines
            .iter()
            .filter(|line| line.kind == LineKind::Removed)
    }

    /// The text of a line after the change: from the hunks, else from the whole text.
    pub(crate) fn line_text(&self, number: u32) -> Option<&str> {
        match self.hunk_line(number) {
            Some(line) => Some(line.text),
            None => self
                .text_after()
                .and_then(|text| self.syntax().line_slice(text, number)),
        }
    }

    /// The line of a hunk that has this number after the change.
    pub(crate) fn hunk_line(&self, number: u32) -> Option<&Line<'a>> {
        let number_of = |at: &u32| self.lines[*at as usize].new_no;
        let found = self
            .new_side
            .binary_search_by_key(&Some(number), number_of)
            .ok()?;
        Some(&self.lines[self.new_side[found] as usize])
    }

    /// Whether the change added the line; a line outside all hunks is old.
    pub(crate) fn is_added(&self, number: u32) -> bool {
        self.hunk_line(number)
            .is_some_and(|line| line.kind == LineKind::Added)
    }

    /// What is comment or string, and what is test.
    pub(crate) fn syntax(&self) -> &FileSyntax {
        self.syntax.get_or_init(|| FileSyntax::from_file(self))
    }

    /// Whether a line of it stands in a test.
    pub(crate) fn in_test(&self, number: u32) -> bool {
        self.role == FileRole::Test || self.syntax().in_test(number)
    }

    /// A finding about the file as a whole.
    pub(crate) fn file_hit(&self, description: impl Into<String>) -> RuleHit {
        RuleHit {
            file: self.index,
            line: 0,
            end_line: None,
            quote: String::new(),
            description: description.into(),
            severity: None,
            suggestion: None,
        }
    }

    /// A finding about a removed line: it quotes the line that now stands in its place, or next to it.
    pub(crate) fn removed_hit(
        &self,
        removed: &Line<'a>,
        description: impl Into<String>,
    ) -> RuleHit {
        let at = self
            .lines
            .iter()
            .position(|line| std::ptr::eq(line, removed))
            .unwrap_or_default();
        let stands = |line: &&Line<'a>| line.new_no.is_some() && !line.text.trim().is_empty();
        let below = self.lines[at..].iter().find(stands);
        let near = below.or_else(|| self.lines[..at].iter().rev().find(stands));
        let hit = self.file_hit(description);
        match near.and_then(|line| line.new_no.map(|number| (number, line.text))) {
            Some((line, text)) => RuleHit {
                line,
                quote: text.trim().to_owned(),
                ..hit
            },
            None => hit,
        }
    }
}
