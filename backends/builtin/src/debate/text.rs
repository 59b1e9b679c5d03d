//! A reviewed file as quotes are searched in it.

use council_protocol::evidence::{FileLines, Proof};

use crate::review::clip_quote;
use crate::secret::{find_secret, without_secret};
use crate::view::{FileView, MAX_QUOTE_CHARS};

/// The lines of a file after the change, with their numbers.
pub(super) struct ReviewedText {
    lines: FileLines,
    /// Number of the n-th line; empty where they are counted from 1.
    numbers: Vec<u32>,
}

impl ReviewedText {
    pub(super) fn from_text(text: &str) -> Self {
        Self {
            lines: FileLines::of(text),
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
        Self {
            lines: FileLines::of(&text.join("\n")),
            numbers,
        }
    }

    fn line_index(&self, line: u32) -> Option<usize> {
        match self.numbers.as_slice() {
            [] => (line as usize).checked_sub(1),
            numbers => numbers.binary_search(&line).ok(),
        }
    }

    pub(super) fn get(&self, line: u32) -> Option<&str> {
        self.lines.get(self.line_index(line)?)
    }

    pub(super) fn prove_quote(&self, line: u32, quote: &str) -> Proof {
        let claimed = self
            .line_index(line)
            .and_then(|at| u32::try_from(at + 1).ok());
        let proof = self.lines.prove(claimed.unwrap_or(0), quote);
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
        let text = self.get(line).unwrap_or_default();
        let same = text.split_whitespace().eq(quoted.split_whitespace());
        if find_secret(text).is_some() {
            return clip_quote(without_secret(text));
        }
        if text.chars().count() > MAX_QUOTE_CHARS {
            return clip_quote(text);
        }
        match self
            .get(line + 1)
            .filter(|below| same && !below.is_empty() && find_secret(below).is_none())
        {
            Some(below) if below.chars().count() <= MAX_QUOTE_CHARS => format!("{text}\n{below}"),
            _ => text.to_owned(),
        }
    }
}
