//! Whose word counts here: lines of notes that may come from anybody.

use std::path::PathBuf;

use crate::config::Settings;
use crate::council::outcome::Verdict;
use crate::git::{self, CouncilNotes, UserGit};
use crate::memory::line::{self, ParsedLine, VerdictLine};
use crate::memory::{ChangeAuthors, TrustedSigners, is_worth_keeping};
use crate::report::Report;
use crate::run::context::RunContext;

/// Who is trusted in one repository.
pub(crate) struct SignatureTrust<'a> {
    pub(crate) start: &'a RunContext,
    /// A directory of the repository.
    pub(crate) dir: PathBuf,
    signers: TrustedSigners,
    /// Who had a part in the change; none where nobody reviews strangers' changes.
    pub(crate) authors: Option<ChangeAuthors>,
}

/// A signature that counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TrustedSigner {
    /// The key's fingerprint.
    pub(crate) key: String,
    /// Whose it is, by the user's own list. May be empty.
    pub(crate) names: String,
}

impl<'a> SignatureTrust<'a> {
    pub(crate) fn new(
        start: &'a RunContext,
        dir: PathBuf,
        settings: &Settings,
        authors: Option<ChangeAuthors>,
    ) -> Self {
        Self {
            start,
            dir,
            signers: TrustedSigners::parse(&settings.notes.trusted),
            authors,
        }
    }

    /// The lines on an object, or those that hold for all; notes that cannot be read say nothing.
    pub(crate) fn noted_lines(&self, object: Option<&str>) -> Vec<ParsedLine> {
        let Ok(book) = CouncilNotes::open(&self.dir, &self.start.git_environment()) else {
            return Vec::new();
        };
        let lines = match object {
            Some(object) => book.lines_on(object),
            None => book.repository_lines(),
        };
        let lines = lines.unwrap_or_default().into_iter();
        lines.filter_map(|text| read_noted(&book, &text)).collect()
    }

    /// Who signed a line, if that signature counts; else why not.
    pub(crate) fn trusted_signer(&self, read: &ParsedLine) -> Result<TrustedSigner, String> {
        let signature = read.signature.as_ref().ok_or("it is not signed")?;
        let git = UserGit::new(&self.dir, &self.start.git_environment())
            .map_err(|error| error.to_string())?;
        let key =
            git::signing_key(&git, &read.body, signature).map_err(|error| error.to_string())?;
        let key = key.ok_or("its signature is not one of its text")?;
        let allowed = self.signers.check_signer(&key, self.authors.as_ref());
        allowed.map_err(|why| why.describe().to_owned())?;
        let names = self.signers.names_of(&key).join(" ");
        Ok(TrustedSigner { key, names })
    }
}

/// Reads a line of a note, and the verdict that it leads to.
pub(crate) fn read_noted(book: &CouncilNotes, text: &str) -> Option<ParsedLine> {
    line::parse_noted(text, &|object| {
        book.lines_on(object).ok()?.into_iter().next()
    })
}

impl TrustedSigner {
    /// `ann ann@example.com (SHA256:…)`.
    pub(crate) fn describe_key(&self) -> String {
        match self.names.as_str() {
            "" => self.key.clone(),
            names => format!("{names} ({})", self.key),
        }
    }
}

/// A report of a note, as far as it can be one: its verdict follows from what stands in it, and it is the line's.
pub(crate) fn checked_report(line: &VerdictLine) -> Option<Report> {
    let json = serde_json::to_string(&line.report).ok()?;
    let report = crate::report::json::parse(&json).ok()?;
    let same = report.receipt.run.recognition_key.as_deref() == Some(&line.key);
    let word = report.outcome.verdict == line.verdict && line.verdict != Verdict::Skipped;
    (same && word && is_worth_keeping(&report)).then_some(report)
}
