//! Whose word counts here: lines of notes that may come from anybody.

use std::path::PathBuf;

use super::Start;
use crate::config::Settings;
use crate::council::outcome::Verdict;
use crate::git::{self, Notebook, UserGit};
use crate::memory::line::{Read, VerdictLine};
use crate::memory::{Authors, Signers, is_worth_keeping};
use crate::report::Report;

/// Who is trusted in one repository.
pub(crate) struct Trust<'a> {
    pub(crate) start: &'a Start,
    /// A directory of the repository.
    pub(crate) dir: PathBuf,
    signers: Signers,
    /// Who had a part in the change; none where nobody reviews strangers' changes.
    pub(crate) authors: Option<Authors>,
}

/// A signature that counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Signer {
    /// The key's fingerprint.
    pub(crate) key: String,
    /// Whose it is, by the user's own list. May be empty.
    pub(crate) names: String,
}

impl<'a> Trust<'a> {
    pub(crate) fn new(
        start: &'a Start,
        dir: PathBuf,
        settings: &Settings,
        authors: Option<Authors>,
    ) -> Self {
        Self {
            start,
            dir,
            signers: Signers::parse(&settings.notes.trusted),
            authors,
        }
    }

    /// The lines on an object, or those that hold for all; notes that cannot be read say nothing.
    pub(crate) fn notes(&self, object: Option<&str>) -> Vec<String> {
        let lines = Notebook::open(&self.dir, &self.start.git()).and_then(|book| match object {
            Some(object) => book.lines(object),
            None => book.common(),
        });
        lines.unwrap_or_default()
    }

    /// Who signed a line, if that signature counts; else why not.
    pub(crate) fn signer(&self, read: &Read) -> Result<Signer, String> {
        let signature = read.signature.as_ref().ok_or("it is not signed")?;
        let git = UserGit::new(&self.dir, &self.start.git()).map_err(|error| error.to_string())?;
        let key = git::signer(&git, &read.body, signature).map_err(|error| error.to_string())?;
        let key = key.ok_or("its signature is not one of its text")?;
        let allowed = self.signers.allows(&key, self.authors.as_ref());
        allowed.map_err(|why| why.words().to_owned())?;
        let names = self.signers.names(&key).join(" ");
        Ok(Signer { key, names })
    }
}

impl Signer {
    /// `ann ann@example.com (SHA256:…)`.
    pub(crate) fn words(&self) -> String {
        match self.names.as_str() {
            "" => self.key.clone(),
            names => format!("{names} ({})", self.key),
        }
    }
}

/// A report of a note, as far as it can be one: its verdict follows from what stands in it, and it is the line's.
pub(crate) fn checked(line: &VerdictLine) -> Option<Report> {
    let json = serde_json::to_string(&line.report).ok()?;
    let report = crate::report::json::parse(&json).ok()?;
    let same = report.receipt.run.recognition_key.as_deref() == Some(&line.key);
    let word = report.verdict == line.verdict && line.verdict != Verdict::Skipped;
    (same && word && is_worth_keeping(&report)).then_some(report)
}
