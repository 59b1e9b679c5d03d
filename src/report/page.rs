//! A page of a terminal: indentation, wrapping and colour.

use anstyle::{AnsiColor, Style};

use crate::text::{self, Ellipsis, Untrusted};

/// How much is said.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verbosity {
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
pub struct Look {
    /// Columns; at least 40 are used.
    pub width: usize,
    /// Whether to write colours.
    pub colour: bool,
    /// Whether our own marks may be other than ASCII.
    pub unicode: bool,
    /// How much is said.
    pub verbosity: Verbosity,
}

impl Default for Look {
    fn default() -> Self {
        Self {
            width: 100,
            colour: false,
            unicode: true,
            verbosity: Verbosity::Normal,
        }
    }
}

impl Look {
    /// The columns that are used.
    pub(super) fn columns(&self) -> usize {
        self.width.clamp(40, 120)
    }

    pub(super) fn ellipsis(&self) -> Ellipsis {
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
    pub(crate) const DIM: Style = Style::new().dimmed();
    pub(crate) const GUTTER: Style = AnsiColor::Blue.on_default().bold();
    pub(crate) const RED: Style = AnsiColor::Red.on_default().bold();
    pub(crate) const YELLOW: Style = AnsiColor::Yellow.on_default().bold();
    pub(crate) const GREEN: Style = AnsiColor::Green.on_default().bold();
    pub(crate) const CYAN: Style = AnsiColor::Cyan.on_default().bold();
}

/// A page under construction.
pub(super) struct Page {
    look: Look,
    out: String,
}

impl Page {
    pub(super) fn new(look: Look) -> Self {
        Self {
            look,
            out: String::new(),
        }
    }

    pub(super) fn look(&self) -> Look {
        self.look
    }

    /// The finished page.
    pub(super) fn finish(self) -> String {
        self.out
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
    pub(super) fn line(&mut self, line: &str) {
        self.out.push_str(line.trim_end());
        self.out.push('\n');
    }

    /// An empty line, unless there is one already or nothing at all.
    pub(super) fn gap(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    /// Prose behind a label, wrapped; later lines stand under its first word. `label` is ours, `text` is clean.
    pub(super) fn labelled(&mut self, label: &str, style: Style, text: &str) {
        let indent = text::width(label);
        let room = self.look.columns().saturating_sub(indent);
        for (i, line) in text::wrap(text, room).iter().enumerate() {
            let start = if i == 0 {
                self.paint(style, label)
            } else {
                " ".repeat(indent)
            };
            self.line(&format!("{start}{line}"));
        }
    }

    /// Untrusted text cut to the room behind `used` columns.
    pub(super) fn fit(&self, text: Untrusted<'_>, used: usize) -> String {
        let room = self.look.columns().saturating_sub(used).max(8);
        text::fit(&text.line(), room, self.look.ellipsis())
    }

    /// One of our own marks, or what stands for it in ASCII.
    pub(super) fn mark(&self, unicode: &'static str, ascii: &'static str) -> &'static str {
        if self.look.unicode { unicode } else { ascii }
    }
}
