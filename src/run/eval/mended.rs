//! What a person must see to say whether a finding names a defect: the lines that it is about, and what mended them.

use council_secrets::Redactor;

use crate::eval::labelled::{Alteration, LabelledChange};
use crate::eval::trials::TrialFinding;
use crate::git::{ChangedLines, LineSpan, TargetSpec, commit_lines, tree_at};
use crate::run::context::RunContext;
use crate::run::error::RunError;
use crate::run::eval::trial::target_of;
use crate::run::redaction::user_redactor;
use crate::text::Untrusted;

/// The most lines of a finding that are shown, and of a fix.
const MAX_QUOTED: usize = 5;
const MAX_MENDED: usize = 12;

/// Digits of a commit's id that git takes for it.
const SHORT: usize = 12;

/// Shows labelled changes to people, without what looks like a secret.
pub(crate) struct DefectViewer<'a> {
    start: &'a RunContext,
    redactor: Redactor,
}

impl<'a> DefectViewer<'a> {
    pub(crate) fn new(start: &'a RunContext) -> Result<Self, RunError> {
        let redactor = user_redactor(start)?;
        Ok(Self { start, redactor })
    }

    /// The lines of a finding as its judges saw them, each with its number. Empty for a file as a whole.
    pub(crate) fn quoted_lines(
        &self,
        item: &LabelledChange,
        finding: &TrialFinding,
    ) -> Result<Vec<String>, RunError> {
        if finding.line == 0 {
            return Ok(Vec::new());
        }
        let text = self.reviewed_file(item, &finding.path)?.unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        // A secret of several lines is known by all of them.
        let shown = self.redactor.redact_source(Some(&finding.path), &text).text;
        let numbered = (1_u32..).zip(Untrusted::new(&shown).code_lines());
        let of_finding = numbered.skip_while(|(number, _)| *number < finding.line);
        let of_finding = of_finding.take_while(|(number, _)| *number <= finding.end);
        let told = of_finding.map(|(number, line)| format!("{number:>5} | {line}"));
        Ok(told.take(MAX_QUOTED).collect())
    }

    /// A file of the side that was reviewed.
    fn reviewed_file(
        &self,
        item: &LabelledChange,
        path: &str,
    ) -> Result<Option<Vec<u8>>, RunError> {
        if let TargetSpec::Altered(altered) = target_of(item, self.start)? {
            let mut files = altered.files.into_iter();
            if let Some((_, text)) = files.find(|(known, _)| known == path.as_bytes()) {
                return Ok(text);
            }
        }
        let env = self.start.git_environment();
        Ok(tree_at(&self.start.dir, &env, &item.commit)?.read_file(path)?)
    }

    /// What mends the defect, as lines that go and lines that come. Empty where nobody mended it.
    pub(crate) fn mended_lines(&self, item: &LabelledChange) -> Result<Vec<String>, RunError> {
        if let Some(Alteration::EditLine {
            path, was, becomes, ..
        }) = &item.alteration
        {
            let was = std::slice::from_ref(was);
            return Ok(self.edit_lines(path, becomes.as_slice(), was));
        }
        let Some(fix) = &item.mended_by else {
            return Ok(Vec::new());
        };
        let files = commit_lines(&self.start.dir, &self.start.git_environment(), fix)?;
        let mut told: Vec<String> = guilty_files(item, &files)
            .flat_map(|file| self.file_lines(file))
            .collect();
        let more = told.len().saturating_sub(MAX_MENDED);
        if more > 0 {
            told.truncate(MAX_MENDED);
            let fix = &fix[..SHORT.min(fix.len())];
            told.push(format!("({more} more: git show {fix})"));
        }
        Ok(told)
    }

    fn file_lines(&self, file: &ChangedLines) -> Vec<String> {
        let path = String::from_utf8_lossy(&file.path);
        let of_span = |span: &LineSpan| {
            self.edit_lines(&path, &span.removed, &span.added)
                .into_iter()
        };
        let spans = file.spans.as_deref().unwrap_or_default();
        spans.iter().flat_map(of_span).collect()
    }

    fn edit_lines(&self, path: &str, removed: &[String], added: &[String]) -> Vec<String> {
        let marked = |marker: char, lines: &[String]| -> Vec<String> {
            let shown = self.redactor.redact_source(Some(path), &lines.join("\n"));
            let lines = Untrusted::new(&shown.text).code_lines();
            lines.map(|line| format!("{marker} {line}")).collect()
        };
        [marked('-', removed), marked('+', added)].concat()
    }
}

/// The files of a fix where the defect was; all of them where those have other names by now.
fn guilty_files<'f>(
    item: &LabelledChange,
    files: &'f [ChangedLines],
) -> impl Iterator<Item = &'f ChangedLines> {
    let is_guilty = |file: &&ChangedLines| {
        let names = [Some(&file.path), file.old_path.as_ref()];
        let mut names = names.into_iter().flatten();
        names.any(|name| {
            let mut places = item.places.iter();
            places.any(|place| place.path.as_bytes() == name.as_slice())
        })
    };
    let guilty: Vec<&ChangedLines> = files.iter().filter(is_guilty).collect();
    match guilty.is_empty() {
        true => files.iter().collect::<Vec<_>>().into_iter(),
        false => guilty.into_iter(),
    }
}
