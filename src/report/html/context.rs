//! What a page is made of.

use council_protocol::FileChange;

use crate::report::document::Document;
use crate::report::document::ReadingPlace;
use crate::report::whole::Report;
use crate::report::words::JudgeNames;

/// What a page shows beside the report. All of it was redacted by whoever read it.
#[derive(Debug, Default)]
pub(crate) struct PageMaterial {
    /// The changed files with their hunks; none: findings show their quotes alone.
    pub(crate) files: Vec<FileChange>,
    /// What the judges were asked, in order.
    pub(crate) prompts: Vec<PromptText>,
    /// Where it is read, and so what can be done about a finding.
    pub(crate) place: ReadingPlace,
}

/// What a judge was sent.
#[derive(Debug)]
pub(crate) struct PromptText {
    /// To whom and when: `security, round 1`.
    pub(crate) title: String,
    pub(crate) text: String,
}

/// What the parts of a page need.
pub(super) struct PageContext<'a> {
    pub(super) report: &'a Report,
    pub(super) names: &'a JudgeNames<'a>,
    pub(super) document: &'a Document<'a>,
    pub(super) material: &'a PageMaterial,
}
