//! The report as a document: what is said, in which order, and how soon. It does not know where it will be shown.
//!
//! [`Document::of`] is the only place that turns a report into sentences for people. The printers beside it
//! ([`super::terminal`], [`super::markdown`]) lay the document out and decide how deep they go. Every text in it is
//! untrusted until a printer has sent it through [`crate::text::Untrusted`].

pub(in crate::report) mod debate;
mod examination;
mod finding;
mod model;
mod proof;
pub(in crate::report) mod receipt;
pub(in crate::report) mod remarks;
pub(in crate::report) mod staged;
mod verdict;
mod ways;

pub(super) use examination::move_reason;
pub(super) use finding::{FindingView, MAX_PLACES};
pub(crate) use finding::{asked_in_vain, both_sides};
pub(super) use model::{Block, Depth, IN_ITS_WORDS, Section, Text, VerdictView};
pub(crate) use model::{ReadingPlace, Talks};
pub(crate) use proof::{sentence as test_sentence, suggestion_words};

use super::group;
use super::words::JudgeNames;
use crate::report::whole::Report;

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
        Self::at_place(report, names, apart, ReadingPlace::Clone)
    }

    /// The same for readers who may have neither the program nor the run.
    pub(super) fn at_place(
        report: &'a Report,
        names: &JudgeNames<'_>,
        apart: bool,
        place: ReadingPlace,
    ) -> Self {
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
            verdict: verdict::view(report, place),
            weighty: views(group::group_findings(report.weighty_findings(), apart)),
            notes: views(group::group_findings(report.note_findings(), apart)),
            rejected: views(group::group_findings(report.rejected_findings(), true)),
            sections,
        }
    }

    /// What no reader should miss, line by line.
    pub(super) fn essentials(&self) -> impl Iterator<Item = &str> {
        let sections = self.sections.iter();
        let essential = sections.filter(|section| section.depth == Depth::Essential);
        let blocks = essential.flat_map(|section| &section.blocks);
        blocks.filter_map(|block| match block {
            Block::Item { text, .. } => Some(text.as_str()),
            Block::Table { .. } | Block::Written(_) => None,
        })
    }

    /// The findings that count, those that weigh first.
    pub(super) fn counting(&self) -> impl Iterator<Item = &FindingView<'a>> {
        self.weighty.iter().chain(&self.notes)
    }
}
