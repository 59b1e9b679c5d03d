//! A page of a terminal: indentation, wrapping and colour.

use anstyle::{AnsiColor, Style};

use super::document::ReadingPlace;
use super::uri;
use crate::text::{self, Ellipsis};

/// How much is said.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Verbosity {
    /// The verdict only.
    Quiet,
    /// What a reader must know.
    #[default]
    Normal,
    /// Also what does not count, and the receipt.
    Verbose,
}

/// What a terminal can show. All of it is told, none of it is looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DisplayOptions {
    /// Columns; at least 40 are used.
    pub width: usize,
    /// Whether to write colours.
    pub colour: bool,
    /// Whether our own marks may be other than ASCII.
    pub unicode: bool,
    /// How much is said.
    pub verbosity: Verbosity,
    /// Where the reviewed files lie, for a terminal that takes links.
    pub links: Option<LinkRoot>,
    /// Where it is read, and so what can be done about a finding.
    pub place: ReadingPlace,
}

/// The `file:` URI of a worktree, ended by a slash. It holds for as long as the program runs, so that a look stays a
/// plain value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LinkRoot(&'static str);

impl LinkRoot {
    /// The root of the links into a worktree; made once a process.
    pub(crate) fn of_worktree(top: &[u8]) -> Self {
        let uri = format!("file://{}/", uri::encode_path(top));
        Self(Box::leak(uri.into_boxed_str()))
    }
}

impl Default for DisplayOptions {
    fn default() -> Self {
        Self {
            width: 100,
            colour: false,
            unicode: true,
            verbosity: Verbosity::Normal,
            links: None,
            place: ReadingPlace::Clone,
        }
    }
}

impl DisplayOptions {
    /// The columns that are used.
    pub(super) fn columns(&self) -> usize {
        self.width.clamp(40, 120)
    }

    pub(crate) fn ellipsis(&self) -> Ellipsis {
        if self.unicode {
            Ellipsis::Unicode
        } else {
            Ellipsis::Ascii
        }
    }
}

/// The colours: few, and none carries a meaning that a word does not.
pub(super) mod colours {
    use super::{AnsiColor, Style};

    pub(crate) const PLAIN: Style = Style::new();
    pub(crate) const BOLD: Style = Style::new().bold();
    pub(crate) const GUTTER: Style = AnsiColor::Blue.on_default().bold();
    pub(crate) const RED: Style = AnsiColor::Red.on_default().bold();
    pub(crate) const YELLOW: Style = AnsiColor::Yellow.on_default().bold();
    pub(crate) const GREEN: Style = AnsiColor::Green.on_default().bold();
    pub(crate) const CYAN: Style = AnsiColor::Cyan.on_default().bold();
}

/// A page under construction.
pub(super) struct TerminalPage {
    look: DisplayOptions,
    out: String,
}

impl TerminalPage {
    pub(super) fn new(look: DisplayOptions) -> Self {
        Self {
            look,
            out: String::new(),
        }
    }

    pub(super) fn look(&self) -> DisplayOptions {
        self.look
    }

    /// The finished page.
    pub(super) fn finish(self) -> String {
        if self.look.unicode {
            return self.out;
        }
        let marks = [
            ("−", "-"),
            ("–", "-"),
            ("→", "->"),
            ("·", "-"),
            ("…", "..."),
        ];
        marks
            .into_iter()
            .fold(self.out, |out, (mark, ascii)| out.replace(mark, ascii))
    }

    /// Text in a colour, if colours are wanted.
    pub(super) fn paint(&self, style: Style, text: &str) -> String {
        if self.look.colour && style != colours::PLAIN {
            format!("{style}{text}{style:#}")
        } else {
            text.to_owned()
        }
    }

    /// A line as it is.
    pub(super) fn push_line(&mut self, line: &str) {
        self.out.push_str(line.trim_end());
        self.out.push('\n');
    }

    /// An empty line, unless there is one already or nothing at all.
    pub(super) fn push_gap(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    /// Prose behind a label, wrapped; later lines stand under its first word. `label` is ours, `text` is clean.
    pub(super) fn push_labelled(&mut self, label: &str, style: Style, text: &str) {
        self.push_hanging(label, style, text, text::display_width(label));
    }

    /// The same, later lines indented by `indent` columns.
    pub(super) fn push_hanging(&mut self, label: &str, style: Style, text: &str, indent: usize) {
        let columns = self.look.columns();
        let first = columns.saturating_sub(text::display_width(label));
        for (i, line) in text::wrap_columns(text, first, columns.saturating_sub(indent))
            .iter()
            .enumerate()
        {
            let start = match (i, line.as_str()) {
                (0, "") => self.paint(style, label.trim_end()),
                (0, _) => self.paint(style, label),
                _ => " ".repeat(indent),
            };
            self.push_line(&format!("{start}{line}"));
        }
    }

    /// A link to a file of the worktree (OSC 8), where the terminal takes links; the text alone elsewhere.
    fn link(&self, path: &[u8], text: &str) -> String {
        match self.look.links.filter(|_| self.look.colour) {
            Some(LinkRoot(root)) => {
                let uri = uri::encode_path(path);
                format!("\u{1b}]8;;{root}{uri}\u{1b}\\{text}\u{1b}]8;;\u{1b}\\")
            }
            None => text.to_owned(),
        }
    }

    /// `F1 critical src/db.rs:42  sentence`, wrapped; the place is never broken, so that it can be clicked on.
    pub(super) fn push_place_line(
        &mut self,
        (word, style): (&str, Style),
        (path, place): (&[u8], &str),
        text: &str,
    ) {
        let word_shown = self.paint(style, word);
        let columns = self.look.columns();
        let used = text::display_width(word) + 1 + text::display_width(place) + 2;
        let place = &self.link(path, place);
        if used + 16 > columns {
            self.push_line(&format!("{word_shown} {place}"));
            self.push_hanging("    ", colours::PLAIN, text, 4);
            return;
        }
        let lines = text::wrap_columns(text, columns - used, columns.saturating_sub(4));
        for (at, line) in lines.iter().enumerate() {
            match at {
                0 => self.push_line(&format!("{word_shown} {place}  {line}")),
                _ => self.push_line(&format!("    {line}")),
            }
        }
    }

    /// A label and text on one line, cut to the width of the page.
    pub(super) fn push_fitted(&mut self, label: &str, style: Style, text: &str) {
        let room = self
            .look
            .columns()
            .saturating_sub(text::display_width(label));
        let text = text::fit_columns(text, room, self.look.ellipsis());
        let label = self.paint(style, label);
        self.push_line(&format!("{label}{text}"));
    }

    /// What a command shows, shortened where the line is too narrow, and the command, whole, to be copied.
    pub(super) fn push_command(&mut self, shows: &str, command: &str) {
        let room = self.look.columns();
        let room = room.saturating_sub(text::display_width(command) + 2);
        let shows = text::fit_columns(shows, room, self.look.ellipsis());
        let command = self.paint(colours::BOLD, command);
        self.push_line(&format!("{shows}: {command}"));
    }

    /// Parts that belong on one line, broken between them where the line is too narrow.
    pub(super) fn push_parts(&mut self, label: &str, style: Style, parts: &[String]) {
        let dot = self.pick_mark(" · ", " - ");
        let indent = text::display_width(label);
        let room = self.look.columns().saturating_sub(indent);
        let mut lines: Vec<String> = Vec::new();
        for part in parts.iter().filter(|p| !p.is_empty()) {
            match lines.last_mut() {
                Some(line)
                    if text::display_width(line)
                        + text::display_width(dot)
                        + text::display_width(part)
                        <= room =>
                {
                    line.push_str(dot);
                    line.push_str(part);
                }
                _ => lines.push(part.clone()),
            }
        }
        for (i, line) in lines.iter().enumerate() {
            let blank = " ".repeat(indent);
            let (label, style) = if i == 0 {
                (label, style)
            } else {
                (blank.as_str(), colours::PLAIN)
            };
            self.push_labelled(label, style, line);
        }
    }

    /// One of our own marks, or what stands for it in ASCII.
    pub(super) fn pick_mark(&self, unicode: &'static str, ascii: &'static str) -> &'static str {
        if self.look.unicode { unicode } else { ascii }
    }
}
