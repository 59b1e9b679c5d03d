//! The report as a document: what is said, in which order, and how soon. It does not know where it will be shown.
//!
//! [`Document::of`] is the only place that turns a report into sentences for people. The printers beside it
//! ([`super::terminal`], [`super::markdown`]) lay the document out and decide how deep they go. Every text in it is
//! untrusted until a printer has sent it through [`crate::text::Untrusted`].

pub(in crate::report) mod debate;
mod examination;
mod finding;
pub(in crate::report) mod receipt;
pub(in crate::report) mod remarks;
pub(in crate::report) mod staged;
mod verdict;

pub(super) use examination::move_reason;
pub(super) use finding::FindingView;

use crate::council::outcome::Verdict;

use super::words::JudgeNames;
use super::{Report, group};

/// Text that somebody else may have written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Text {
    /// A sentence.
    Prose(String),
    /// A path, a name or a digest: shown letter by letter.
    Name(String),
}

/// A piece of a section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Block {
    /// A line of a list; `indent` is 0 or a multiple of 2.
    Item { indent: usize, text: String },
    /// A table with one cell for each column of the header.
    Table {
        header: Vec<&'static str>,
        rows: Vec<Vec<Text>>,
    },
    /// Markdown that a judge wrote, shown as it was written.
    Written(String),
}

/// How soon a reader sees a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    /// In every report.
    Essential,
    /// Folded away in a comment; at a terminal with `-v` and in `git council show`.
    Detail,
}

/// Blocks under a heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Section {
    pub(super) title: String,
    pub(super) depth: Depth,
    /// What is left out first where space is short: the highest number.
    pub(super) rank: u8,
    pub(super) blocks: Vec<Block>,
}

impl Section {
    pub(super) fn new(title: impl Into<String>, depth: Depth, rank: u8) -> Self {
        Self {
            title: title.into(),
            depth,
            rank,
            blocks: Vec::new(),
        }
    }

    /// Adds a line of a list.
    pub(super) fn push_item(&mut self, indent: usize, text: impl Into<String>) {
        self.blocks.push(Block::Item {
            indent,
            text: text.into(),
        });
    }
}

/// The answer, for whoever reads one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct VerdictView {
    pub(super) verdict: Verdict,
    /// The sentence that starts with the verdict. Ours.
    pub(super) headline: String,
    /// What has to happen for a better verdict; empty where there is nothing to do. Ours.
    pub(super) next_step: String,
    /// What was under review, as a name.
    pub(super) subject: String,
    /// How much that is, how long it took and what it cost.
    pub(super) measures: Vec<String>,
    /// Why in words, where the headline does not say it; may be empty.
    pub(super) detail: String,
    /// Who voted how, on one line; empty where nobody voted.
    pub(super) votes: String,
    /// Whether every judge that counts voted PASS, and none abstained.
    pub(super) is_unanimous: bool,
    /// What was not read, on one line; empty when everything was.
    pub(super) not_read: String,
}

/// A report in the order in which it is read.
pub(super) struct Document<'a> {
    pub(super) verdict: VerdictView,
    /// What weighs, worst first.
    pub(super) weighty: Vec<FindingView<'a>>,
    /// What is only listed.
    pub(super) notes: Vec<FindingView<'a>>,
    /// What does not count.
    pub(super) rejected: Vec<FindingView<'a>>,
    pub(super) sections: Vec<Section>,
}

impl<'a> Document<'a> {
    /// `apart` lists findings that differ only in their place one by one.
    pub(super) fn of(report: &'a Report, names: &JudgeNames<'_>, apart: bool) -> Self {
        let views = |groups: Vec<group::FindingGroup<'a>>| {
            let view = |group| FindingView::of(report, group, names);
            groups.into_iter().map(view).collect()
        };
        let mut sections = vec![staged::written_document(report)];
        sections.extend(remarks::essentials(report, names));
        sections.push(remarks::votes(report, names));
        sections.extend(debate::rounds(report, names));
        sections.extend(remarks::details(report, names));
        sections.extend(receipt::sections(report, names));
        sections.retain(|section| !section.blocks.is_empty());
        Self {
            verdict: verdict::view(report),
            weighty: views(group::group_findings(report.weighty_findings(), apart)),
            notes: views(group::group_findings(report.note_findings(), apart)),
            rejected: views(group::group_findings(report.rejected_findings(), true)),
            sections,
        }
    }

    /// The findings that count, those that weigh first.
    pub(super) fn counting(&self) -> impl Iterator<Item = &FindingView<'a>> {
        self.weighty.iter().chain(&self.notes)
    }
}
