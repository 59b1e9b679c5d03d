//! What is kept of a verdict for the next time: in the cache, as an objection that stands, and as a note on its commit.

use std::sync::PoisonError;
use std::thread;

use crate::git::{self, UserGit};
use crate::memory::line::{self, LINE_VERSION, NoteLine, VerdictLine};
use crate::memory::{ChangedFiles, is_answered, is_by_rules, is_objection, is_worth_keeping};
use crate::report::Report;
use crate::run::digests::RunDigests;
use crate::run::dismissals;
use crate::run::error::RunError;
use crate::run::notes;
use crate::run::reviewed_before::{brings_change_of, reviewed_text};

use super::VerdictMemory;

impl VerdictMemory<'_> {
    /// Begins to find out whether the verdict will be noted: git is asked twice, and nobody waits for it while judges think.
    pub(crate) fn begin_notes(&self) {
        if self.trust.authors.is_some() || self.prepared.packet.target.head.is_none() {
            return;
        }
        let (settings, start) = (
            self.prepared.config.settings.notes.clone(),
            self.start.clone(),
        );
        let asked = thread::Builder::new()
            .name("hooks".to_owned())
            .spawn(move || notes::are_written(&settings, &start));
        // Without a thread it is found out when the verdict is there.
        *self.is_noted.lock().unwrap_or_else(PoisonError::into_inner) = asked.ok();
    }

    fn are_notes_written(&self) -> bool {
        let begun = self
            .is_noted
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let answer = begun.and_then(|begun| begun.join().ok());
        answer
            .unwrap_or_else(|| notes::are_written(&self.prepared.config.settings.notes, self.start))
    }

    /// Keeps a verdict for the next time: in the cache, and as a note on the reviewed commit.
    pub(crate) fn save_verdict(&self, report: &Report, known: &RunDigests) {
        if self.trust.authors.is_some() {
            return;
        }
        let report = &self.without_surroundings(report);
        let kept = match self.keeps_objections {
            true => self.standing.keep(report),
            false => self.hear_of(report),
        };
        if let Err(error) = kept.and_then(|()| self.cache.put(report)) {
            self.start
                .notifier
                .warn(&format!("the verdict could not be cached: {error}"));
        }
        if is_worth_keeping(report) {
            self.note_verdict(report, known);
        }
    }

    /// A verdict without what was told of the configuration and the worktree: each review tells that as it is by then.
    fn without_surroundings(&self, report: &Report) -> Report {
        let mut lasting = report.clone();
        let notes = &mut lasting.outcome.notes;
        notes.retain(|note| !self.prepared.notes.contains(note));
        lasting
    }

    /// Hears of a verdict that is never reused, such as a duel's: an objection stands all the same.
    pub(crate) fn hear_objection(&self, report: &Report) {
        if self.trust.authors.is_none()
            && let Err(error) = self.hear_of(report)
        {
            self.start.notifier.warn(&format!(
                "the verdict could not be remembered for a gate: {error}"
            ));
        }
    }

    fn hear_of(&self, report: &Report) -> std::io::Result<()> {
        let files = ChangedFiles {
            files: &self.prepared.packet.files,
            reviewed: &reviewed_text(self.prepared, self.start),
        };
        self.standing.hear(report, &files)?;
        // What another council said before, under its own settings, is answered as well.
        if !is_objection(report) && is_worth_keeping(report) && !is_by_rules(report) {
            let is_over =
                |known: &Report| is_objection(known) && is_answered(known, report, &files);
            self.cache.forget_answered(is_over);
        }
        let brings = |standing: &Report| self.brings_change_of(standing);
        self.standing.answer_brought(report, &files, brings)
    }

    pub(super) fn brings_change_of(&self, standing: &Report) -> bool {
        let files = &self.prepared.packet.files;
        brings_change_of(standing, files, self.prepared, self.start)
    }

    /// Writes the verdict onto the reviewed commit, as a line of its note.
    pub(super) fn note_verdict(&self, report: &Report, known: &RunDigests) {
        // A note speaks for the commit.
        if !report.target.only.is_empty() {
            return;
        }
        if let Some(head) = self.prepared.packet.target.head.clone()
            && self.are_notes_written()
            && let Err(error) = self.write_note(report, known, &head)
            && self.start.notifier.is_verbose()
        {
            self.start.notifier.warn(&format!(
                "the verdict note could not be written: {}",
                error.message
            ));
        }
    }

    fn write_note(&self, report: &Report, known: &RunDigests, head: &str) -> Result<(), RunError> {
        let line = VerdictLine {
            v: LINE_VERSION,
            verdict: report.outcome.verdict,
            headline: report.headline(),
            head: head.to_owned(),
            base: report.target.base.clone(),
            patch_id: known.change.clone(),
            config: known.config.clone(),
            council: known.bench.clone(),
            key: known.key.clone(),
            run: report.receipt.run.name.clone(),
            made: report.receipt.run.started.clone(),
            report: Box::new(line::trim_report(report)),
        };
        let noted = self.trust.noted_lines(Some(head));
        if !line.has_place_beside(&noted) {
            return Ok(());
        }
        let place = &self.prepared.change.place;
        let git = UserGit::new(&place.dir, &self.start.git_environment()).map_err(RunError::run)?;
        let stored = line.stored_text();
        let note = git::keep_text(&git, &self.dir, &stored).map_err(RunError::run)?;
        let pointer = VerdictLine::pointer(&note, &stored);
        let settings = &self.prepared.config.settings.notes;
        let mut lines = line.human_lines();
        lines.push(dismissals::sign_line(pointer.clone(), &git, settings)?);
        let old = line.superseded(&noted);
        git::replace_lines(&git, &self.dir, head, &old, &lines).map_err(RunError::run)?;
        // Where that cannot be written, it is told for the user's as long as its run is kept.
        let _ = notes::own_notes(self.start).map(|notes| notes.remember(head, &pointer));
        Ok(())
    }

    /// Whether one of this run's own lines in the reviewed commit's note says what this report says. What others wrote
    /// there, and what was true before a dismissal, is no reason to write nothing.
    pub(super) fn has_note(&self, report: &Report) -> bool {
        let Some(head) = self.prepared.packet.target.head.as_deref() else {
            return false;
        };
        let run = &report.receipt.run;
        let is_of_run = |line: &VerdictLine| {
            Some(&line.key) == run.recognition_key.as_ref()
                && (&line.run, &line.made) == (&run.name, &run.started)
        };
        let lines = self.trust.noted_lines(Some(head));
        let mut own = lines.iter().filter_map(|read| match &read.line {
            NoteLine::Verdict(line) if is_of_run(line) => Some(line),
            _ => None,
        });
        own.any(|line| says_same(&line.report, report))
    }
}

/// Whether two reports of a run come to the same: the verdict, and what is dismissed.
fn says_same(one: &Report, other: &Report) -> bool {
    let dismissed = |report: &Report| -> Vec<String> {
        let found = report.dismissed_findings();
        found.map(|(found, _)| found.fingerprint.clone()).collect()
    };
    one.outcome.verdict == other.outcome.verdict && dismissed(one) == dismissed(other)
}
