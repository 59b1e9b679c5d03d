//! What is asked of a publication.

use std::collections::BTreeSet;

use crate::report::GatePolicy;

use super::action::Surface;
use super::lines::DiffLines;
use super::memory::JudgedChange;
use super::order::ReplyAnswer;

/// The most comments beside lines unless told otherwise: more of them hide a conversation.
pub(crate) const MAX_INLINE: usize = 10;

/// What is asked for.
#[derive(Debug, Clone)]
pub struct PublishOptions {
    /// Where the report goes.
    pub surfaces: BTreeSet<Surface>,
    /// The council's name: several on one pull request keep a report each.
    pub council: String,
    /// The name of the check run or status.
    pub check_name: String,
    /// The most comments beside lines.
    pub inline: usize,
    /// How the verdict becomes a conclusion.
    pub gate: GatePolicy,
    /// The commit that the report is about, as hex.
    pub head: String,
    /// The job's page.
    pub details_url: Option<String>,
    /// The repository's page, for links to the reviewed lines.
    pub repository_url: Option<String>,
    /// The lines beside which a comment may stand.
    pub lines: DiffLines,
    /// The change, for the next run.
    pub judged: JudgedChange,
    /// Whether the last review is left behind: what it left open and nobody raises again is gone.
    pub full: bool,
    /// What is answered to replies.
    pub answers: Vec<ReplyAnswer>,
    /// Values that stand nowhere in the report: paths of files that were written.
    pub outputs: Vec<(&'static str, String)>,
}

impl PublishOptions {
    /// Wishes for a council: nothing is published yet.
    pub fn new(council: &str, head: &str) -> Self {
        let council = super::marker::council_id(council);
        Self {
            surfaces: BTreeSet::new(),
            check_name: council.clone(),
            council,
            inline: MAX_INLINE,
            gate: GatePolicy::default(),
            head: head.to_owned(),
            details_url: None,
            repository_url: None,
            lines: DiffLines::default(),
            judged: JudgedChange::default(),
            full: false,
            answers: Vec::new(),
            outputs: Vec::new(),
        }
    }
}
