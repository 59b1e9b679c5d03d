//! Verdicts that stand in notes, whoever put them there: listed with who says so, and checked before they are believed.

use serde::Serialize;

use crate::config::NoteSettings;
use crate::git::{
    self, ChangeRequest, CouncilNotes, GitError, RepositoryPaths, TargetSpec, recognition_key,
};
use crate::memory::line::{NoteLine, ParsedLine, VerdictLine};
use crate::memory::{ChangeAuthors, OwnNotes};
use crate::report::Report;
use crate::run::context::RunContext;
use crate::run::dismissals;
use crate::run::error::RunError;
use crate::run::hook::install::HookInstaller;
use crate::run::hook::script::HookEvent;
use crate::run::prepare::{PreparedReview, prepare_review};
use crate::run::request::{RequestedTarget, ReviewRequest};
use crate::run::settings;
use crate::run::store::{self, StoredRun};
use crate::run::trust::{SignatureTrust, TrustedSigner, checked_report, read_noted};

/// The most notes that are read.
const MAX_NOTES: usize = 10_000;

/// How a note of the user's own run is called: it needs no signature.
pub(crate) const OWN: &str = "yours";

/// The fewest digits of an id that name a commit.
const MIN_ID_DIGITS: usize = 4;

/// A verdict of a note.
pub(crate) struct NotedVerdict {
    /// The commit that the note is on.
    pub(crate) commit: String,
    /// What it says.
    pub(crate) verdict: VerdictLine,
    read: ParsedLine,
}

/// A note and what it is worth, for `--json`.
#[derive(Serialize)]
struct NotedVerdictJson<'a> {
    commit: &'a str,
    counts: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    signer: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'a str>,
    verdict: &'a VerdictLine,
}

impl NotedVerdict {
    /// Whether a run of this repository left it.
    pub(crate) fn is_of_run(&self, report: &Report) -> bool {
        let run = &report.receipt.run;
        run.name == self.verdict.run && run.started == self.verdict.made
    }

    /// Who says so: a signer who counts, or nobody whose word does.
    pub(crate) fn describe_signer(&self, trust: &SignatureTrust<'_>) -> String {
        if let Some(why) = self.misplaced() {
            return format!("not trusted: {why}");
        }
        match trust.trusted_signer(&self.read) {
            Ok(signer) => format!("signed by {}", signer.describe_key()),
            Err(_) if self.is_own(trust) => OWN.to_owned(),
            Err(why) => format!("not trusted: {why}"),
        }
    }

    /// Why it says nothing about the commit that it is on: anybody can copy a note, with its signature.
    fn misplaced(&self) -> Option<&'static str> {
        let other = self.verdict.head != self.commit;
        other.then_some("it is about another commit than the one it is attached to")
    }

    /// Whether a run of this user in this repository made it, about the change of the commit that it is on. When the run is
    /// pruned, its note is still the user's.
    pub(crate) fn is_own(&self, trust: &SignatureTrust<'_>) -> bool {
        if self.misplaced().is_none() && is_written_here(&self.read, &self.commit, trust.start) {
            return true;
        }
        let Some(report) = own_report(&self.verdict, trust.start) else {
            return false;
        };
        // A verdict that was reused is told of the commit on which it was made.
        let is_of_commit = report.target.head.as_ref() == Some(&self.commit);
        self.misplaced().is_none() && (is_of_commit || self.check_change(trust).is_ok())
    }

    /// Whether it would be recognised here: a report that fits its line, over the change that is there today, signed by
    /// somebody who counts. Else why not.
    pub(crate) fn check_signer(&self, trust: &SignatureTrust<'_>) -> Result<TrustedSigner, String> {
        let prepared = self.check_change(trust)?;
        let ci = trust.authors.is_some();
        let settings = &prepared.config.settings;
        let authors = ci.then(|| dismissals::change_authors(&prepared.packet.framing, trust.start));
        SignatureTrust::new(trust.start, trust.dir.clone(), settings, authors)
            .trusted_signer(&self.read)
    }

    /// The change that it is about, where its report fits its line and the change that is there today.
    fn check_change(&self, trust: &SignatureTrust<'_>) -> Result<PreparedReview, String> {
        let line = &self.verdict;
        if checked_report(line).is_none() {
            return Err("its verdict does not follow from its report".to_owned());
        }
        if let Some(why) = self.misplaced() {
            return Err(why.to_owned());
        }
        let spec = match &line.base {
            Some(base) => format!("{base}..{}", line.head),
            None => line.head.clone(),
        };
        let request = ReviewRequest {
            target: RequestedTarget::Revision(spec),
            ..ReviewRequest::default()
        };
        let prepared = prepare_review(&request, trust.start)
            .map_err(|error| format!("its change cannot be read: {}", error.message))?;
        if recognition_key(&prepared.change, &prepared.packet.files) != line.patch_id {
            return Err("its digest does not match its change".to_owned());
        }
        Ok(prepared)
    }

    pub(crate) fn render_json(&self, worth: &Result<TrustedSigner, String>) -> String {
        let told = NotedVerdictJson {
            commit: &self.commit,
            counts: worth.is_ok(),
            signer: worth.as_ref().ok().map(|signer| signer.key.as_str()),
            why: worth.as_ref().err().map(String::as_str),
            verdict: &self.verdict,
        };
        // Plain data with string keys: this cannot fail.
        let json = serde_json::to_string(&told).unwrap_or_default();
        crate::text::json_safe(&json) + "\n"
    }
}

/// Whether notes are written here: where that is asked for, or where the hook that reads them is installed.
pub(crate) fn are_written(settings: &NoteSettings, start: &RunContext) -> bool {
    let is_hooked = || HookInstaller::watches(start, HookEvent::PrePush);
    settings.write.unwrap_or_else(is_hooked)
}

/// Whether a run of this user in this repository made the verdict of a line on a commit: the program remembers that it wrote
/// it, or the run's report is there, under the user's own signature, and says the same. A job in CI has no user. It is
/// believed nothing for it: this only spares a warning.
pub(crate) fn is_own_verdict(
    read: &ParsedLine,
    verdict: &VerdictLine,
    commit: &str,
    start: &RunContext,
) -> bool {
    is_written_here(read, commit, start) || own_report(verdict, start).is_some()
}

/// The notes that this user's program wrote here; none in CI, which has no user.
pub(crate) fn own_notes(start: &RunContext) -> Option<OwnNotes> {
    if start.environment.is_ci() {
        return None;
    }
    let place = RepositoryPaths::discover(&start.dir, &start.git_environment()).ok()?;
    Some(OwnNotes::new(&place.memory_dir()?, start.signing_key()?))
}

fn is_written_here(read: &ParsedLine, commit: &str, start: &RunContext) -> bool {
    own_notes(start).is_some_and(|notes| notes.knows(commit, &read.body))
}

/// The report of that run.
fn own_report(verdict: &VerdictLine, start: &RunContext) -> Option<Report> {
    if start.environment.is_ci() {
        return None;
    }
    start.signing_key()?;
    let past = store::find_run(start, Some(&verdict.run)).ok()?;
    let past: StoredRun = Some(past).filter(|past| past.name == verdict.run)?;
    let report = past.report().ok().flatten()?;
    let (run, told, noted) = (
        &report.receipt.run,
        &report.outcome,
        &verdict.report.outcome,
    );
    let same_run = run.name == verdict.run && run.started == verdict.made;
    let same_word = told.verdict == verdict.verdict && told.verdict == noted.verdict;
    let same_change = run.recognition_key.as_ref() == Some(&verdict.key);
    let says_it = same_run && same_word && same_change && told.findings == noted.findings;
    (says_it && past.is_own(start).unwrap_or(false)).then_some(report)
}

/// Whose word counts in this repository where no change is at hand.
pub(crate) fn repository_trust(start: &RunContext) -> Result<SignatureTrust<'_>, RunError> {
    let place = RepositoryPaths::discover(&start.dir, &start.git_environment())?;
    let settings = settings::branch_config(start)?.settings;
    let authors = start.environment.is_ci().then(ChangeAuthors::default);
    Ok(SignatureTrust::new(start, place.dir, &settings, authors))
}

/// Every verdict of the notes, the latest first; notes that cannot be read say nothing.
pub(crate) fn list_verdicts(start: &RunContext) -> Vec<NotedVerdict> {
    let noted = |book: &CouncilNotes, commit: &str, text: &str| {
        let read = read_noted(book, text)?;
        let NoteLine::Verdict(verdict) = read.line.clone() else {
            return None;
        };
        Some(NotedVerdict {
            commit: commit.to_owned(),
            verdict,
            read,
        })
    };
    let found = || -> Result<Vec<NotedVerdict>, GitError> {
        let book = CouncilNotes::open(&start.dir, &start.git_environment())?;
        let mut all = Vec::new();
        for object in book.noted_objects()?.into_iter().take(MAX_NOTES) {
            let lines = book.lines_on(&object)?;
            all.extend(lines.iter().filter_map(|text| noted(&book, &object, text)));
        }
        Ok(all)
    };
    let mut all = found().unwrap_or_default();
    all.sort_by(|a, b| b.verdict.made.cmp(&a.verdict.made));
    all
}

/// Those on a commit, named by its id, a part of it or a revision; or those of a run of that name.
pub(crate) fn find_verdicts(start: &RunContext, name: &str) -> Vec<NotedVerdict> {
    let mut all = list_verdicts(start);
    let id = name.to_ascii_lowercase();
    let hex = id.len() >= MIN_ID_DIGITS && id.bytes().all(|b| b.is_ascii_hexdigit());
    let revision = || {
        let request = ChangeRequest {
            dir: start.dir.clone(),
            spec: TargetSpec::parse(name),
            pathspecs: Vec::new(),
            env: start.git_environment(),
        };
        git::read_change(&request).ok()?.target.head
    };
    let head = if all.is_empty() { None } else { revision() };
    all.retain(|noted| {
        (hex && noted.commit.starts_with(&id))
            || noted.verdict.run == name
            || head.as_ref() == Some(&noted.commit)
    });
    all
}
