//! Nothing is bought twice: a change that was judged before, in the same way, costs no judge. And what people dismissed
//! does not count again.

use std::collections::HashSet;
use std::path::PathBuf;

use council_protocol::packet::TargetKind;

use crate::council::{Dismissal, Reconsidered};
use crate::git::{self, UserGit};
use crate::memory::line::{self, DismissalLine, LINE_VERSION, Line, VerdictLine};
use crate::memory::{Cache, is_worth_keeping};
use crate::report::{MemoryPlace, Recognised, Report, Subject};

use super::Start;
use super::digests::Known;
use super::error::CliError;
use super::journal::{self, Journal};
use super::prepare::Prepared;
use super::trust::{Trust, checked};

/// What is remembered in one repository.
pub(crate) struct Memory<'a> {
    prepared: &'a Prepared,
    start: &'a Start,
    dir: PathBuf,
    cache: Cache,
    journal: Journal,
    trust: Trust<'a>,
}

/// What is heard about a finding.
#[derive(Debug, Default)]
pub(crate) struct Heard {
    /// The dismissals that count.
    pub(crate) dismissals: Vec<Dismissal>,
    /// What a reader should know about those that do not.
    pub(crate) notes: Vec<String>,
}

impl<'a> Memory<'a> {
    /// The memory of the repository under review; none outside of one.
    pub(crate) fn of(prepared: &'a Prepared, start: &'a Start) -> Option<Self> {
        // A text without a change is asked about anew: it has no commit, and no patch that names it.
        if matches!(
            prepared.packet.target.kind,
            TargetKind::File | TargetKind::Topic | TargetKind::Stage
        ) {
            return None;
        }
        let settings = &prepared.config.settings;
        let dir = prepared.change.place.memory_dir()?;
        let keep = usize::try_from(settings.cache.keep).unwrap_or(usize::MAX);
        let ci = start.environment.is_ci();
        let authors = ci.then(|| journal::authors(&prepared.packet.framing, start));
        // In CI a file of the checkout is nobody's word.
        let seal = if ci { None } else { start.seal() };
        Some(Self {
            prepared,
            start,
            cache: Cache::new(&dir, keep, seal.clone()),
            journal: Journal::new(&dir, seal),
            dir,
            trust: Trust::new(start, prepared.change.place.dir.clone(), settings, authors),
        })
    }

    /// What people dismissed: in this repository, and in notes that are signed by somebody who counts.
    pub(crate) fn heard(&self) -> Heard {
        let mut heard = Heard::default();
        let mut lines: Vec<DismissalLine> = Vec::new();
        let (own, planted) = self.journal.lines();
        let mut known: HashSet<String> = HashSet::new();
        for read in own {
            if let Line::Dismissal(line) = read.line {
                known.insert(read.body);
                lines.push(line);
            }
        }
        let mut hearsay: HashSet<String> = HashSet::new();
        let noted = self.trust.notes(None);
        for read in noted
            .iter()
            .filter_map(|text| line::read(text))
            .chain(planted)
        {
            let Line::Dismissal(dismissal) = &read.line else {
                continue;
            };
            if known.contains(&read.body) {
                continue;
            }
            if self.trust.signer(&read).is_ok() {
                lines.push(dismissal.clone());
                known.insert(read.body);
            } else {
                hearsay.insert(read.body);
            }
        }
        let hearsay = hearsay.difference(&known).count();
        if hearsay > 0 {
            heard.notes.push(format!(
                "{hearsay} {} from elsewhere {} not counted: only what you said here or a signer in council.trustedNotes signed is",
                if hearsay == 1 { "dismissal" } else { "dismissals" },
                if hearsay == 1 { "is" } else { "are" },
            ));
        }
        heard.dismissals = line::in_force(lines);
        heard
    }

    /// The verdict that was made before over this change, under today's dismissals. `notes` hears what does not count.
    pub(crate) fn recall(
        &self,
        known: &Known,
        heard: &Heard,
        notes: &mut Vec<String>,
    ) -> Option<Report> {
        let (report, place, signer) = match self.cache.get(&known.key) {
            Some(report) => (report, MemoryPlace::Cache, None),
            None => {
                let (report, signer) = self.noted(known, notes)?;
                (report, MemoryPlace::Note, Some(signer))
            }
        };
        Some(self.renewed(report, place, signer, known, heard))
    }

    /// A verdict of the reviewed commit's note, by somebody who counts.
    fn noted(&self, known: &Known, notes: &mut Vec<String>) -> Option<(Report, String)> {
        let head = self.prepared.packet.target.head.as_deref()?;
        for text in self.trust.notes(Some(head)) {
            let Some(read) = line::read(&text) else {
                continue;
            };
            let Line::Verdict(verdict) = &read.line else {
                continue;
            };
            if verdict.key != known.key {
                continue;
            }
            match self.trust.signer(&read) {
                Ok(signer) => {
                    let report = checked(verdict)?;
                    return Some((report, signer.key));
                }
                Err(why) => notes.push(format!(
                    "a note says {} of this change; that is hearsay, because {why}",
                    verdict.verdict.word()
                )),
            }
        }
        None
    }

    /// An old report over today's target.
    fn renewed(
        &self,
        mut report: Report,
        place: MemoryPlace,
        signer: Option<String>,
        known: &Known,
        heard: &Heard,
    ) -> Report {
        let settings = &self.prepared.config.settings;
        let subject = Subject::of(&self.prepared.packet);
        let run = &mut report.receipt.run;
        run.recognised = Some(Recognised {
            place,
            run: run.name.clone(),
            made: run.started.clone(),
            head: report.target.head.take(),
            signer,
        });
        run.recognition_key = Some(known.key.clone());
        report.coverage = (*self.prepared.coverage).clone();
        report.target = subject.target;
        report.change = subject.change;
        report.notes.clone_from(&self.prepared.notes);
        report.notes.extend(heard.notes.iter().cloned());
        let reconsidered = Reconsidered {
            consensus: report.consensus.unwrap_or(settings.review.consensus),
            policy: settings.policy(),
            quorum: report.receipt.participation.quorum,
            judges: &report.judges,
            coverage: &report.coverage,
        };
        (report.verdict, report.reason) =
            reconsidered.judge(&mut report.findings, &heard.dismissals);
        let gone = |id: &Option<String>| {
            let dismissed = |id: &String| {
                report
                    .findings
                    .iter()
                    .any(|f| f.id == *id && f.dismissed.is_some())
            };
            id.as_ref().is_some_and(dismissed)
        };
        let left: Vec<_> = report
            .disagreements
            .iter()
            .filter(|d| !gone(&d.finding))
            .cloned()
            .collect();
        report.disagreements = left;
        report
    }

    /// Keeps a verdict for the next time: in the cache, and as a note on the reviewed commit.
    pub(crate) fn keep(&self, report: &Report, known: &Known) {
        if self.trust.authors.is_some() || !is_worth_keeping(report) {
            return;
        }
        if let Err(error) = self.cache.put(report) {
            self.start
                .console
                .warning(&format!("the verdict is not kept: {error}"));
        }
        if self.prepared.config.settings.notes.write
            && let Some(head) = self.prepared.packet.target.head.clone()
            && let Err(error) = self.note(report, known, &head)
            && self.start.console.is_verbose()
        {
            self.start
                .console
                .warning(&format!("the verdict is not noted: {}", error.message));
        }
    }

    fn note(&self, report: &Report, known: &Known, head: &str) -> Result<(), CliError> {
        let line = Line::Verdict(VerdictLine {
            v: LINE_VERSION,
            verdict: report.verdict,
            headline: report.headline(),
            head: head.to_owned(),
            base: report.target.base.clone(),
            patch_id: known.change.clone(),
            config: known.config.clone(),
            council: known.bench.clone(),
            key: known.key.clone(),
            run: report.receipt.run.name.clone(),
            made: report.receipt.run.started.clone(),
            report: Box::new(line::trimmed(report)),
        });
        let place = &self.prepared.change.place;
        let git = UserGit::new(&place.dir, &self.start.git()).map_err(CliError::run)?;
        let text = journal::for_notes(&line, &git, &self.prepared.config.settings.notes)?;
        git::add_line(&git, &self.dir, head, &text).map_err(CliError::run)
    }
}
