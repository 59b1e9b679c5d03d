//! One text in which quotes are searched, and what stands around the place of one.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use council_protocol::Proof;
use council_protocol::evidence::FileLines;
use council_secrets::Redactor;
use council_syntax::outline::FunctionIndex;
use sha2::{Digest, Sha256};

use super::ProofWithContext;
use super::hunks::HUNK_GAP;
use super::line_indents::LineIndents;
use super::twins::{self, TwinIndex};

/// A longer line stands in a context by its digest, in bytes.
const MAX_CONTEXT_LINE: usize = 4 << 10;

/// Lines, and the line on the reviewed side that each stands for.
#[derive(Clone)]
pub(super) struct SearchText {
    pub(super) lines: FileLines,
    /// None: the lines are numbered from 1.
    pub(super) numbers: Option<Vec<u32>>,
    /// The numbers before the change of lines that it removes; none: the lines are those of the reviewed side.
    pub(super) removed: Option<Vec<u32>>,
    /// Which lines are only of the old side, where those of both sides stand together as a hunk shows them.
    pub(super) gone: Option<Vec<bool>>,
    /// A few bits of what stands in a line that is not shown as it is, by its index from 0.
    pub(super) hidden: BTreeMap<usize, u16>,
    /// The same lines without what only the built-in table replaces, and a few bits of each of these; none: as they are
    /// here. A finding is known again by them, whatever a user's own rules hide beside it.
    pub(super) named_by: Option<Arc<(FileLines, BTreeMap<usize, u16>)>>,
    /// The functions of a whole file.
    pub(super) functions: Arc<FunctionIndex>,
    /// The blanks before each line, which `lines` has not.
    pub(super) indents: Arc<LineIndents>,
    /// Where lines stand that look the same.
    pub(super) twins: TwinIndex,
}

impl SearchText {
    /// The same lines as judges are shown quotes of them; none: they are shown as they are.
    pub(super) fn exchanged(&self, redactor: &Redactor, path: &str) -> Option<Self> {
        let lines = (0..self.lines.len()).filter_map(|index| self.lines.get(index));
        let lines: Vec<&str> = lines.collect();
        let shown = redactor.redact_quote(path, &lines.join("\n"));
        (shown.secrets > 0).then(|| Self {
            lines: FileLines::of(&shown.text),
            twins: TwinIndex::default(),
            ..self.clone()
        })
    }

    /// Whether a quote stands at that line of the reviewed side as it is given.
    pub(super) fn holds_at(&self, line: u32, quote: &str) -> bool {
        let index = self.index_of(line);
        self.removed.is_none() && self.number_of(index) == line && self.lines.holds_at(index, quote)
    }

    /// Whether a line stands there just so, blanks at its ends aside.
    pub(super) fn has_line(&self, line: &str) -> bool {
        let lines = (0..self.lines.len()).filter_map(|index| self.lines.get(index));
        lines.into_iter().any(|there| there.trim() == line.trim())
    }

    pub(super) fn search_near(&self, line: u32, quote: &str) -> ProofWithContext {
        let removed = self.removed_index(line, quote);
        let claimed = removed.unwrap_or_else(|| self.index_of(line));
        let proof = self.lines.prove(claimed, quote);
        let Some(at) = proof.place(claimed) else {
            return (proof, String::new());
        };
        let quoted = quote.trim().lines().count();
        let context = self.context_around(at, quoted);
        let at = self.first_kept(at, quoted).unwrap_or(at);
        let real = self.number_of(at);
        let is_kept = self
            .gone
            .as_ref()
            .is_some_and(|gone| !gone[at as usize - 1]);
        let proof = match &self.removed {
            _ if is_kept && real == line => Proof::Verified,
            _ if is_kept => Proof::Relocated { line: real },
            Some(old) => Proof::Removed {
                line: real,
                old_line: old
                    .get((at as usize).saturating_sub(1))
                    .copied()
                    .unwrap_or(real),
            },
            None if real == line => Proof::Verified,
            None => Proof::Relocated { line: real },
        };
        (proof, context)
    }

    /// The first of the quoted lines that is still there, where those of both sides stand together.
    fn first_kept(&self, at: u32, quoted: usize) -> Option<u32> {
        let gone = self.gone.as_ref()?;
        let from = (at as usize).checked_sub(1)?;
        let kept = gone
            .get(from..)?
            .iter()
            .take(quoted)
            .position(|gone| !gone)?;
        at.checked_add(u32::try_from(kept).ok()?)
    }

    /// Whether the change removes a quote from the lines that had these numbers.
    pub(super) fn has_removed_at(&self, line: u32, quote: &str) -> bool {
        self.gone.is_none() && self.removed_index(line, quote).is_some()
    }

    /// Which removed line a judge means by the number that it had before the change, if the quote stands there: of the same
    /// line that two functions lose, only that is the one.
    fn removed_index(&self, line: u32, quote: &str) -> Option<u32> {
        let mut old = (1..).zip(self.removed.as_ref()?);
        let at = old.find(|(_, old)| **old == line)?.0;
        self.lines.holds_at(at, quote).then_some(at)
    }

    /// The line, from 1, in which the search for a quote of `line` begins: that line, or the one shown next to it.
    pub(super) fn index_of(&self, line: u32) -> u32 {
        let Some(numbers) = &self.numbers else {
            return line;
        };
        let nearest = (1..)
            .zip(numbers)
            .min_by_key(|(_, number)| number.abs_diff(line));
        nearest.map_or(line, |(index, _)| index)
    }

    pub(super) fn number_of(&self, index: u32) -> u32 {
        let Some(numbers) = &self.numbers else {
            return index;
        };
        let before = (index as usize).checked_sub(1);
        before
            .and_then(|at| numbers.get(at))
            .copied()
            .unwrap_or(index)
    }

    /// The quoted lines with one more on either side, under the name of the function in which they stand. Lines that stand
    /// there several times are told apart: what was dismissed at one place is not dismissed at the others.
    pub(super) fn context_around(&self, at: u32, quoted: usize) -> String {
        let context = self.lines_around(at as usize, quoted);
        let function = self.function_at(at as usize);
        let index = (at as usize).checked_sub(1);
        if index.and_then(|index| self.lines.get(index)).is_none() {
            return context;
        }
        let (nth, count) = self.rank_of(at as usize - 1, quoted);
        let mut parts = Vec::new();
        parts.extend(function.map(str::to_owned));
        parts.push(context);
        if count > 1 {
            parts.push(format!("{nth}/{count}"));
        }
        parts.join("\n")
    }

    /// Which of the lines that look the same this one is, from 1, and how many of them there are.
    fn rank_of(&self, index: usize, quoted: usize) -> (usize, usize) {
        let looks = |index: usize| {
            let line = self.lines.get(index)?;
            let is_empty = line.is_empty() || line == HUNK_GAP;
            (!is_empty).then(|| twins::digest((line, self.hidden.get(&index))))
        };
        let all = (0..self.lines.len()).map(looks);
        let around = |index: usize| {
            let near = index.saturating_sub(1)..(index + 1).saturating_add(quoted);
            (self.function_at(index + 1), near)
        };
        self.twins.rank(index, quoted, all, around)
    }

    /// The name of the function in which a line stands.
    fn function_at(&self, line: usize) -> Option<&str> {
        let function = self.functions.enclosing(line)?;
        (!function.name.is_empty()).then_some(function.name.as_str())
    }

    fn lines_around(&self, at: usize, quoted: usize) -> String {
        let (first, last) = (at.saturating_sub(2), at.saturating_add(quoted));
        let (all, hidden) = match self.named_by.as_deref() {
            Some((lines, hidden)) => (lines, hidden),
            None => (&self.lines, &self.hidden),
        };
        let lines = (first..last).filter_map(|index| Some((index, all.get(index)?)));
        let lines = lines.filter(|(_, line)| !line.is_empty() && *line != HUNK_GAP);
        let lines: Vec<String> = lines
            .map(
                |(index, line)| match (hidden.get(&index), context_line(line)) {
                    (Some(digest), line) => format!("{line} {digest:04x}"),
                    (None, line) => line.into_owned(),
                },
            )
            .collect();
        lines.join("\n")
    }
}

/// A line as the context of a place has it: a finding is known again by it, and the journal keeps it. Of a line that no
/// hand wrote, its digest is enough.
fn context_line(line: &str) -> Cow<'_, str> {
    if line.len() > MAX_CONTEXT_LINE {
        Cow::Owned(hex::encode(Sha256::digest(line.as_bytes())))
    } else {
        Cow::Borrowed(line)
    }
}

/// A few bits of each line that is not shown as it is, so that another secret in its place is another finding: what was
/// dismissed with the first one does not excuse the second. Too few bits to guess the secret by.
pub(super) fn hidden_lines(text: &str, form: &str) -> BTreeMap<usize, u16> {
    if text == form || text.lines().count() != form.lines().count() {
        return BTreeMap::new();
    }
    let lines = text.lines().zip(form.lines()).enumerate();
    let hidden = lines.filter(|(_, (real, shown))| real != shown);
    hidden
        .map(|(index, (real, _))| {
            let digest = Sha256::digest(real.trim().as_bytes());
            (index, u16::from_be_bytes([digest[0], digest[1]]))
        })
        .collect()
}
