//! What of a change is shown when not all of it fits: whole files first, then whole hunks, then the beginning of one.

use std::collections::BTreeMap;

use council_protocol::{Coverage, CoverageState, FileChange, Packet, SeenLines};
use council_secrets::Redactor;

use super::hidden_values::HiddenValues;
use super::rank::{FileTier, file_tier};
use super::show::{self, TextBlock};

/// The text of the change within a budget.
#[derive(Debug, Default)]
pub(super) struct ChosenText {
    /// The files that are shown, most telling first.
    pub(super) text: String,
    /// The secrets that were replaced.
    pub(super) secrets: HiddenValues,
    /// What became of each file, in the order of the packet.
    pub(super) coverage: Coverage,
    /// What is shown of the files that are shown in part.
    pub(super) partly_seen: Vec<SeenLines>,
}

/// Room for the note under a file that is shown in part.
const NOTE: usize = 96;

/// Less room than this is not worth a piece of a hunk.
const MIN_PIECE_BYTES: usize = 512;

/// Fills `room` bytes with the files of `order`; lines are cut at `line_bytes`. Files without hunks need no room: the
/// list of files tells all about them.
pub(super) fn choose_hunks(
    packet: &Packet,
    order: &[usize],
    room: usize,
    line_bytes: usize,
    redactor: &Redactor,
) -> ChosenText {
    let blocks = packet.files.iter().map(|_| None).collect();
    let mut chooser = HunkChooser {
        packet,
        line_bytes,
        redactor,
        room,
        blocks,
    };
    let mut left = Vec::new();
    for &index in order
        .iter()
        .filter(|&&index| !packet.files[index].hunks.is_empty())
    {
        let bound = whole_size(&packet.files[index], room, line_bytes);
        let fits = bound.is_some_and(|bound| bound <= chooser.room);
        if !fits || !chooser.show_whole(index) {
            left.push(index);
        }
    }
    for index in left {
        chooser.show_part(index);
    }
    chooser.finish(order)
}

/// The most bytes that each file takes before anything in it is replaced; none: it takes too many to be shown whole.
pub(super) fn whole_sizes(packet: &Packet, room: usize, line_bytes: usize) -> Vec<Option<usize>> {
    let files = packet.files.iter();
    files
        .map(|file| whole_size(file, room, line_bytes))
        .collect()
}

/// The same of one file. What is no code must not push out all the others: it takes at most half of the room.
fn whole_size(file: &FileChange, room: usize, line_bytes: usize) -> Option<usize> {
    if file.hunks.is_empty() {
        return Some(0);
    }
    let hunks = file.hunks.iter();
    let size = hunks
        .map(|hunk| show::max_hunk_bytes(hunk, line_bytes))
        .sum::<usize>()
        + NOTE;
    let most = match file_tier(file) {
        FileTier::Security | FileTier::Code => room,
        FileTier::Config | FileTier::Test | FileTier::Document => room / 2,
    };
    (size <= most).then_some(size)
}

struct HunkChooser<'p> {
    packet: &'p Packet,
    line_bytes: usize,
    redactor: &'p Redactor,
    /// Bytes that are left.
    room: usize,
    /// What is shown of each file, in the order of the packet.
    blocks: Vec<Option<TextBlock>>,
}

impl HunkChooser<'_> {
    /// Shows a file if all of it fits.
    fn show_whole(&mut self, index: usize) -> bool {
        let file = &self.packet.files[index];
        let mut block = file_heading(file, self.redactor);
        for hunk in &file.hunks {
            let room = self.room.saturating_sub(block.text.len());
            let mut redactor = self.redactor.lines(Some(&file.path.display()));
            if !show::write_hunk(
                &mut block,
                (hunk, file.status),
                &mut redactor,
                self.line_bytes,
                room,
            ) {
                return false;
            }
        }
        block.text.len() <= self.room && self.keep_block(index, block)
    }

    /// Shows those hunks of a file that fit, or the beginning of the first.
    fn show_part(&mut self, index: usize) {
        let file = &self.packet.files[index];
        let mut block = file_heading(file, self.redactor);
        let start = block.text.len();
        for hunk in &file.hunks {
            let room = self.room.saturating_sub(block.text.len() + NOTE);
            if show::max_hunk_bytes(hunk, self.line_bytes) > room {
                continue;
            }
            let before = (block.text.len(), block.changed.len());
            let earlier = std::mem::take(&mut block.secrets);
            let mut redactor = self.redactor.lines(Some(&file.path.display()));
            let hunk = (hunk, file.status);
            if show::write_hunk(&mut block, hunk, &mut redactor, self.line_bytes, room) {
                let own = std::mem::replace(&mut block.secrets, earlier);
                block.secrets.extend(&own);
            } else {
                block.text.truncate(before.0);
                block.secrets = earlier;
                block.changed.truncate(before.1);
            }
        }
        let room = self.room.saturating_sub(block.text.len() + NOTE);
        if block.text.len() == start && room >= MIN_PIECE_BYTES {
            let mut redactor = self.redactor.lines(Some(&file.path.display()));
            show::write_hunk(
                &mut block,
                (&file.hunks[0], file.status),
                &mut redactor,
                self.line_bytes,
                room,
            );
        }
        if block.text.len() > start {
            self.keep_block(index, block);
        }
    }

    fn keep_block(&mut self, index: usize, mut block: TextBlock) -> bool {
        let total = changed_lines(&self.packet.files[index]);
        if block.changed.len() < total {
            let note = format!(
                "[{} of {total} changed lines of this file are shown whole]\n",
                block.changed.len()
            );
            block.text.push_str(&note);
        }
        self.room = self.room.saturating_sub(block.text.len());
        self.blocks[index] = Some(block);
        true
    }

    fn finish(self, order: &[usize]) -> ChosenText {
        let mut chosen = ChosenText {
            coverage: self.packet.coverage.clone(),
            ..ChosenText::default()
        };
        let files = self.packet.files.iter().zip(&self.blocks);
        for (covered, (file, block)) in chosen.coverage.files.iter_mut().zip(files) {
            let shown = coverage_state(file, block.as_ref());
            if let (CoverageState::Truncated { .. }, Some(block)) = (&shown, block) {
                chosen.partly_seen.extend(seen_lines(file, &block.changed));
            }
            if covered.state.is_shown() && shown != CoverageState::Reviewed {
                covered.state = shown;
            }
        }
        for block in order
            .iter()
            .filter_map(|&index| self.blocks[index].as_ref())
        {
            chosen.text.push_str(&block.text);
            chosen.secrets.extend(&block.secrets);
        }
        chosen
    }
}

/// A file's heading; nothing of a file can stand at the margin, so nothing can imitate it.
fn file_heading(file: &FileChange, redactor: &Redactor) -> TextBlock {
    TextBlock {
        text: format!("=== {}\n", show::file_facts(file, redactor)),
        ..TextBlock::default()
    }
}

fn changed_lines(file: &FileChange) -> usize {
    let (added, removed) = file.counts();
    added + removed
}

/// The numbers under which every changed line is shown whole.
fn seen_lines(file: &FileChange, shown: &[u32]) -> Vec<SeenLines> {
    let count = |numbers: &mut dyn Iterator<Item = u32>| {
        let mut counts = BTreeMap::new();
        numbers.for_each(|number| *counts.entry(number).or_insert(0usize) += 1);
        counts
    };
    let lines = file.hunks.iter();
    let lines = lines.flat_map(|hunk| hunk.lines_as_looked_up(file.status));
    let all = count(&mut lines.filter_map(|(_, number)| number));
    let whole = count(&mut shown.iter().copied());
    let whole = whole
        .into_iter()
        .filter(|(number, shown)| all.get(number) == Some(shown));
    let mut seen: Vec<SeenLines> = Vec::new();
    for (number, _) in whole {
        match seen
            .last_mut()
            .filter(|last| last.last.checked_add(1) == Some(number))
        {
            Some(last) => last.last = number,
            None => seen.push(SeenLines {
                path: file.path.clone(),
                first: number,
                last: number,
            }),
        }
    }
    seen
}

fn coverage_state(file: &FileChange, block: Option<&TextBlock>) -> CoverageState {
    let total = changed_lines(file);
    let number = |lines: usize| u32::try_from(lines).unwrap_or(u32::MAX);
    match block {
        _ if file.hunks.is_empty() => CoverageState::Reviewed,
        None => CoverageState::OverBudget,
        Some(block) if block.changed.len() < total => CoverageState::Truncated {
            shown: number(block.changed.len()),
            total: number(total),
        },
        Some(_) => CoverageState::Reviewed,
    }
}
