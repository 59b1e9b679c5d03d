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
    /// Whether it names the defect; none: an earlier word is taken back.
    pub(crate) is_hit: Option<bool>,
}

impl HitLabel {
    pub(crate) fn new(item: &LabelledChange, finding: &TrialFinding, is_hit: Option<bool>) -> Self {
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
        said.and_then(|label| label.is_hit)
    }

    /// Keeps a word.
    pub(crate) fn add(&mut self, label: HitLabel, files: &EvalFiles) -> Result<(), RunError> {
        append_line(&files.labels(), &to_line(&label)?)?;
        self.0.push(label);
        Ok(())
    }
}

/// A finding and the change that it is about.
pub(crate) type ShownFinding<'a> = (&'a LabelledChange, &'a TrialFinding);

/// One sitting of a person: what is asked, and what was said.
pub(crate) struct LabelSitting<'a> {
    files: &'a EvalFiles,
    pub(crate) book: LabelBook,
    pub(crate) asked: Vec<ShownFinding<'a>>,
    /// Of which finding something was said, and the word that stood before.
    said: Vec<(usize, Option<bool>)>,
}

impl<'a> LabelSitting<'a> {
    pub(crate) fn new(files: &'a EvalFiles, book: LabelBook, asked: Vec<ShownFinding<'a>>) -> Self {
        Self {
            files,
            book,
            asked,
            said: Vec::new(),
        }
    }

    /// How many words were said and not taken back.
    pub(crate) fn count_said(&self) -> usize {
        self.said.len()
    }

    /// Keeps a word on a finding, and says which one is next.
    pub(crate) fn say(&mut self, at: usize, is_hit: bool) -> Result<usize, RunError> {
        let (item, finding) = self.asked[at];
        let before = self.book.find(item, finding);
        let label = HitLabel::new(item, finding, Some(is_hit));
        self.book.add(label, self.files)?;
        self.said.push((at, before));
        Ok(at + 1)
    }

    /// Takes the last word back, and says of which finding it was; none: nothing was said.
    pub(crate) fn take_back(&mut self) -> Result<Option<usize>, RunError> {
        let Some((at, before)) = self.said.pop() else {
            return Ok(None);
        };
        let (item, finding) = self.asked[at];
        let label = HitLabel::new(item, finding, before);
        self.book.add(label, self.files)?;
        Ok(Some(at))
    }
}

/// The findings on which a person's word counts, each once: on changes of which it is known where they are defective.
pub(crate) fn shown_findings<'a>(
    items: &'a [LabelledChange],
    trials: &'a [TrialResult],
) -> Vec<ShownFinding<'a>> {
    let mut found: Vec<ShownFinding<'_>> = Vec::new();
    for item in items.iter().filter(|item| item.has_known_place()) {
        let of_item = trials.iter().filter(|trial| trial.key.item == item.id);
        for finding in of_item.flat_map(TrialResult::weighty_findings) {
            let same = |(other, known): &ShownFinding<'_>| {
                other.id == item.id && HitLabel::new(other, known, None).is_about(item, finding)
            };
            if !found.iter().any(same) {
                found.push((item, finding));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn item() -> LabelledChange {
        serde_json::from_value(serde_json::json!({
            "id": "szz-1", "set": "szz", "confidence": "high", "how": "", "commit": "c", "seconds": 1, "files": [],
            "places": [{"path": "a", "first": 1, "last": 1}],
        }))
        .unwrap()
    }

    fn finding(line: u32) -> TrialFinding {
        serde_json::from_value(serde_json::json!({
            "path": "a", "line": line, "end": line, "severity": "significant", "disposition": "confirmed",
            "description": "d", "judges": [],
        }))
        .unwrap()
    }

    #[test]
    fn a_label_of_an_earlier_version_is_read() {
        let line = r#"{"item":"szz-1","path":"a","line":1,"description":"d","is_hit":true}"#;
        let book = LabelBook(vec![serde_json::from_str(line).unwrap()]);
        assert_eq!(book.find(&item(), &finding(1)), Some(true));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        /// Whatever was said and taken back, in the file as in the sitting: the words that are left stand, and no other.
        #[test]
        fn what_is_taken_back_leaves_what_was_before(
            before in prop::collection::vec(prop::option::of(any::<bool>()), 1..4),
            steps in prop::collection::vec(prop::option::of((0_usize..4, any::<bool>())), 0..12),
        ) {
            let folder = tempfile::tempdir().unwrap();
            let files = EvalFiles::new(folder.path().join("f"));
            let item = item();
            let findings: Vec<TrialFinding> = (1..).zip(&before).map(|(line, _)| finding(line)).collect();
            let asked: Vec<ShownFinding<'_>> = findings.iter().map(|finding| (&item, finding)).collect();
            let mut book = LabelBook::default();
            for (finding, word) in findings.iter().zip(&before) {
                book.add(HitLabel::new(&item, finding, *word), &files).unwrap();
            }
            let mut sitting = LabelSitting::new(&files, book, asked);
            let mut states = vec![before];
            for step in steps {
                match step {
                    Some((at, word)) => {
                        let at = at % findings.len();
                        let mut state = states[states.len() - 1].clone();
                        state[at] = Some(word);
                        states.push(state);
                        prop_assert_eq!(sitting.say(at, word).unwrap(), at + 1);
                    }
                    None => {
                        let back = sitting.take_back().unwrap();
                        prop_assert_eq!(back.is_some(), states.len() > 1);
                        states.truncate((states.len() - 1).max(1));
                    }
                }
                let state = &states[states.len() - 1];
                prop_assert_eq!(sitting.count_said(), states.len() - 1);
                for book in [&sitting.book, &LabelBook::load(&files).unwrap()] {
                    let told: Vec<Option<bool>> = findings.iter().map(|f| book.find(&item, f)).collect();
                    prop_assert_eq!(&told, state);
                }
            }
        }
    }
}
