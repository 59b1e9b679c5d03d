//! A statement that stands on several lines: formatters put each argument, and each call of a chain, on a line of its own.

use super::syntax::blank_spans;
use super::{LineView, indent};
use crate::lexer::SpanKind;

/// The most lines of a statement that are read, above a line and below it.
const MAX_LINES: u32 = 16;

/// The lines of a statement as one.
#[derive(Debug)]
pub(crate) struct JoinedStatement {
    /// Without comments, the lines joined by a blank.
    pub(crate) text: String,
    /// The same without what stands in literals.
    pub(crate) code: String,
    /// The numbers of its first and its last line.
    pub(crate) lines: (u32, u32),
}

impl LineView<'_, '_> {
    /// The statement of several lines that the line is a part of; none: it stands on this line alone.
    pub(crate) fn statement(&self) -> Option<JoinedStatement> {
        let own = self.number();
        let first = self.first_line(own);
        let last = self.last_line(first);
        if first == last || last < own {
            return None;
        }
        Some(JoinedStatement {
            text: self.joined((first, last), is_comment),
            code: self.joined((first, last), |_| true),
            lines: (first, last),
        })
    }

    /// The code of the lines that hold this one by their smaller indentation, from the nearest outwards.
    pub(crate) fn enclosing_code(&self) -> Vec<String> {
        const MAX_LINES_ABOVE: u32 = 200;
        let own = self.number();
        let (mut depth, mut around) = (self.indent(), Vec::new());
        for number in (own.saturating_sub(MAX_LINES_ABOVE).max(1)..own).rev() {
            let Some(code) = self.line_without(number, |_| true) else {
                break;
            };
            if depth == 0 {
                break;
            }
            if !code.trim().is_empty() && indent(&code) < depth {
                depth = indent(&code);
                around.push(code);
            }
        }
        around
    }

    /// Lines without the chosen parts, and without the marks of a shell that say that the next line belongs to them.
    fn joined(
        &self,
        (first, last): (u32, u32),
        choose: impl Fn(SpanKind) -> bool + Copy,
    ) -> String {
        let parts = (first..=last).map_while(|number| self.line_without(number, choose));
        let parts = parts.map(|part| part.trim().trim_end_matches('\\').trim_end().to_owned());
        parts.collect::<Vec<_>>().join(" ")
    }

    /// Where the bracket opens in which a line stands, or the chain begins that it goes on.
    fn first_line(&self, own: u32) -> u32 {
        let (mut first, mut depth, mut chained) = (own, 0, self.goes_on(own));
        for number in (own.saturating_sub(MAX_LINES).max(1)..own).rev() {
            let Some(code) = self.line_without(number, |_| true) else {
                break;
            };
            if code.trim_end().ends_with(['{', '}', ';']) {
                break;
            }
            depth += balance(&code);
            if depth > 0 || chained && depth == 0 {
                (first, depth) = (number, depth.min(0));
                chained = self.goes_on(number);
                if !chained {
                    break;
                }
            }
        }
        first
    }

    fn last_line(&self, first: u32) -> u32 {
        let mut depth = 0;
        for number in first..first.saturating_add(MAX_LINES) {
            let Some(code) = self.line_without(number, |_| true) else {
                return number.saturating_sub(1).max(first);
            };
            depth += balance(&code);
            let code = code.trim_end();
            let goes_on = code.ends_with('\\') || self.goes_on(number.saturating_add(1));
            if code.ends_with(['{', ';']) || depth <= 0 && !goes_on {
                return number;
            }
        }
        first
    }

    /// Whether a line goes on with a chain of calls, or with a pipe of a shell.
    fn goes_on(&self, number: u32) -> bool {
        let code = self.line_without(number, |_| true).unwrap_or_default();
        let code = code.trim_start();
        let continued = |above: String| above.trim_end().ends_with('\\');
        ["?.", "->", "|"].iter().any(|mark| code.starts_with(mark))
            || code.starts_with('.') && !code.starts_with("..")
            || number > 1
                && self
                    .line_without(number - 1, |_| true)
                    .is_some_and(continued)
    }

    fn line_without(&self, number: u32, choose: impl Fn(SpanKind) -> bool) -> Option<String> {
        let text = self.file.line_text(number)?;
        let text = text.strip_suffix('\r').unwrap_or(text);
        Some(blank_spans(text, self.file.syntax().spans(number), choose))
    }
}

fn is_comment(part: SpanKind) -> bool {
    part == SpanKind::Comment
}

/// Brackets that a line opens, less those that it closes. Braces open blocks, not statements.
fn balance(code: &str) -> i32 {
    let count = |c| match c {
        '(' | '[' => 1,
        ')' | ']' => -1,
        _ => 0,
    };
    code.chars().map(count).sum()
}
