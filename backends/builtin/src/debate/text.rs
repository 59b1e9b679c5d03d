//! A reviewed file as quotes are searched in it.

use council_protocol::evidence::{FileLines, Proof};

use crate::review::clip_quote;
use crate::secret::without_secrets;
use crate::view::{FileView, MAX_QUOTE_CHARS};

/// The lines of a file after the change, with their numbers.
pub(super) struct ReviewedText {
    lines: FileLines,
    /// The same without secrets, as everybody quotes them.
    shown: FileLines,
    /// Number of the n-th line; empty where they are counted from 1.
    numbers: Vec<u32>,
}

impl ReviewedText {
    pub(super) fn from_text(path: &str, text: &str) -> Self {
        Self {
            lines: FileLines::of(text),
            shown: FileLines::of(&without_secrets(path, text)),
            numbers: Vec::new(),
        }
    }

    /// The new side of the hunks: all that is known of a patch.
    pub(super) fn from_hunks(file: &FileView<'_>) -> Self {
        let new_side = file
            .lines
            .iter()
            .filter_map(|line| line.new_no.map(|number| (number, line.text)));
        let (numbers, text): (Vec<u32>, Vec<&str>) = new_side.unzip();
        let text = text.join("\n");
        Self {
            lines: FileLines::of(&text),
            shown: FileLines::of(&without_secrets(&file.change.path.display(), &text)),
            numbers,
        }
    }

    fn line_index(&self, line: u32) -> Option<usize> {
        match self.numbers.as_slice() {
            [] => (line as usize).checked_sub(1),
            numbers => numbers.binary_search(&line).ok(),
        }
    }

    /// A line as it may be quoted.
    pub(super) fn shown_line(&self, line: u32) -> Option<&str> {
        self.shown.get(self.line_index(line)?)
    }

    pub(super) fn prove_quote(&self, line: u32, quote: &str) -> Proof {
        let claimed = self
            .line_index(line)
            .and_then(|at| u32::try_from(at + 1).ok());
        let claimed = claimed.unwrap_or(0);
        let proof = match self.lines.prove(claimed, quote) {
            Proof::Unverified { .. } => self.shown.prove(claimed, quote),
            proof => proof,
        };
        match (proof, self.numbers.as_slice()) {
            (Proof::Relocated { line }, [_, ..]) => {
                let number = self.numbers.get((line as usize).saturating_sub(1)).copied();
                Proof::Relocated {
                    line: number.unwrap_or(line),
                }
            }
            (proof, _) => proof,
        }
    }

    /// A line, and the next one where the line alone would only repeat what was quoted already.
    pub(super) fn evidence_at(&self, line: u32, quoted: &str) -> String {
        let text = self.shown_line(line).unwrap_or_default();
        let same = text.split_whitespace().eq(quoted.split_whitespace());
        if text.chars().count() > MAX_QUOTE_CHARS {
            return clip_quote(text);
        }
        match self
            .shown_line(line + 1)
            .filter(|below| same && !below.is_empty())
        {
            Some(below) if below.chars().count() <= MAX_QUOTE_CHARS => format!("{text}\n{below}"),
            _ => text.to_owned(),
        }
    }
}
