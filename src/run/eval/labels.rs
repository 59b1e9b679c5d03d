//! What a person said of shown findings: whether they name the defect.

use serde::{Deserialize, Serialize};

use crate::eval::labelled::LabelledChange;
use crate::eval::trials::{TrialFinding, TrialResult};
use crate::run::error::RunError;
use crate::run::eval::files::{EvalFiles, append_line, read_lines, read_or_empty, to_line};

/// A person's word on a finding of a change, whoever raised it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct HitLabel {
    pub(crate) item: String,
    pub(crate) path: String,
    pub(crate) line: u32,
    pub(crate) description: String,
    /// Whether it names the defect.
    pub(crate) is_hit: bool,
}

impl HitLabel {
    pub(crate) fn new(item: &LabelledChange, finding: &TrialFinding, is_hit: bool) -> Self {
        Self {
            item: item.id.clone(),
            path: finding.path.clone(),
            line: finding.line,
            description: finding.description.clone(),
            is_hit,
        }
    }

    fn is_about(&self, item: &LabelledChange, finding: &TrialFinding) -> bool {
        (&self.item, &self.path, self.line, &self.description)
            == (&item.id, &finding.path, finding.line, &finding.description)
    }
}

/// All that people said.
#[derive(Debug, Default)]
pub(crate) struct LabelBook(Vec<HitLabel>);

impl LabelBook {
    pub(crate) fn load(files: &EvalFiles) -> Result<Self, RunError> {
        let file = files.labels();
        Ok(Self(read_lines(&file, &read_or_empty(&file)?)?))
    }

    /// The last word on a finding.
    pub(crate) fn find(&self, item: &LabelledChange, finding: &TrialFinding) -> Option<bool> {
        let said = self
            .0
            .iter()
            .rev()
            .find(|label| label.is_about(item, finding));
        said.map(|label| label.is_hit)
    }

    /// Keeps a word.
    pub(crate) fn add(&mut self, label: HitLabel, files: &EvalFiles) -> Result<(), RunError> {
        append_line(&files.labels(), &to_line(&label)?)?;
        self.0.push(label);
        Ok(())
    }
}

/// The findings on defective changes that nobody has said anything of, each once.
pub(crate) fn unlabelled_findings<'a>(
    items: &'a [LabelledChange],
    trials: &'a [TrialResult],
    book: &LabelBook,
) -> Vec<(&'a LabelledChange, &'a TrialFinding)> {
    let mut found: Vec<(&LabelledChange, &TrialFinding)> = Vec::new();
    for item in items.iter().filter(|item| item.set.is_defective()) {
        let of_item = trials.iter().filter(|trial| trial.key.item == item.id);
        for finding in of_item.flat_map(TrialResult::weighty_findings) {
            let same = |(other, known): &(&LabelledChange, &TrialFinding)| {
                other.id == item.id && HitLabel::new(other, known, true).is_about(item, finding)
            };
            if book.find(item, finding).is_none() && !found.iter().any(same) {
                found.push((item, finding));
            }
        }
    }
    found
}
