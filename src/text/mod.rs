//! The one gate for untrusted text: terminal, Markdown, log commands.
//!
//! Diffs, paths, refs, commit messages and everything that a judge writes is data. It is wrapped in [`Untrusted`], which
//! cannot be printed; each of its methods renders it for one kind of place and leaves nothing in it that the place
//! would obey. Whatever cannot be seen is made visible as `\u{202E}`.

mod base64;
mod code_letters;
mod columns;
mod decisive_lines;
mod log;
mod markdown;
mod marked;
mod numbers;
mod pages;
mod passages;
mod pretty;
mod unfit;
mod visible;
mod width;

use markdown::InlinePlace;

pub(crate) use base64::{decode_base64, encode_base64};
pub(crate) use code_letters::{CodeLetters, CodePlace};
pub(crate) use columns::{Columns, paragraph};
pub(crate) use decisive_lines::{stands_still, telling_lines};
pub(crate) use marked::{is_marked, mark_hidden};
pub(crate) use numbers::{dollars, short_count};
pub(crate) use pages::{page_address, page_url, with_page_addresses};
pub(crate) use passages::{Passage, passages};
pub(crate) use pretty::pretty_json;
pub(crate) use unfit::unfit_text;
pub(crate) use visible::{is_hidden, json_safe};
pub(crate) use width::{
    Ellipsis, clip_chars, display_width, fit_columns, fit_end, wrap_columns, wrap_lines,
};

/// Text that somebody else wrote. It has no `Display` on purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Untrusted<'a>(&'a str);

impl<'a> Untrusted<'a> {
    /// Wraps text that somebody else wrote.
    pub(crate) fn new(text: &'a str) -> Self {
        Self(text)
    }

    /// For a terminal: prose on one line. Runs of white space, line ends included, become one space.
    pub(crate) fn line(self) -> String {
        visible::visible_line(self.0)
    }

    /// For a terminal: a path, ref or name. Spaces stay; every other white space is made visible.
    pub(crate) fn name(self) -> String {
        visible::visible_name(self.0)
    }

    /// For a terminal: lines of code, tabs expanded to four columns, carriage returns at line ends dropped. Each line is
    /// meant to stand behind a gutter, so that a log command at its start is none.
    pub(crate) fn code_lines(self) -> impl Iterator<Item = String> + 'a {
        self.0.lines().map(visible::code_line)
    }

    /// For Markdown: inline prose on one line. Code spans are kept; markup, HTML, links, images, mentions, references and
    /// commands are shown as they were written and do nothing.
    pub(crate) fn prose(self) -> String {
        markdown::inline_prose(self.0, InlinePlace::Text)
    }

    /// The same for a table's cell.
    pub(crate) fn prose_cell(self) -> String {
        markdown::inline_prose(self.0, InlinePlace::Cell)
    }

    /// For Markdown: a name or a line of code as a code span. Empty for empty text.
    pub(crate) fn code(self) -> String {
        markdown::code_span(self.0, InlinePlace::Text)
    }

    /// The same for a table's cell.
    pub(crate) fn code_cell(self) -> String {
        markdown::code_span(self.0, InlinePlace::Cell)
    }

    /// For Markdown: a fenced block that its content cannot close, of at most `max_lines` lines, ended by a newline.
    /// `info` is the language; anything but letters, digits, `+`, `-` and `_` in it is dropped.
    pub(crate) fn fence(self, info: &str, max_lines: usize) -> String {
        markdown::fenced_block(self.0, info, max_lines)
    }

    /// For the message of a GitHub log command (`::error::…`): `%`, CR and LF are escaped.
    pub(crate) fn log_message(self) -> String {
        log::escape_message(self.0)
    }

    /// For a property of a GitHub log command (`file=…`): `:` and `,` are escaped, too.
    pub(crate) fn log_property(self) -> String {
        log::escape_property(self.0)
    }
}

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
