//! Runs that were killed after a judge had objected: nobody made a report of them, and a gate hears them all the same.

use council_protocol::FileChange;

use crate::git::recognition_key;
use crate::memory::{
    ChangedFiles, ReviewedText, holds_objected_lines, is_answered, is_objection, is_worth_keeping,
    takes_back_brought,
};
use crate::report::Report;
use crate::run::context::RunContext;
use crate::run::loaded::LoadedRun;
use crate::run::prepare::PreparedReview;
use crate::run::replay::report_so_far;
use crate::run::reviewed_before::{brings_change_of, reviewed_text};
use crate::run::store::{RunState, StoredRun, list_runs};
use crate::session::stored::restore_packet;

/// The change that a gate is asked about, and its name among changes.
struct AskedChange<'a> {
    prepared: &'a PreparedReview,
    key: String,
    reviewed: ReviewedText<'a>,
    start: &'a RunContext,
}

/// The latest objection to this change that stands in the journal of a run that was cut off, unless a review that was begun
/// later answers it.
pub(crate) fn cut_off_objection(prepared: &PreparedReview, start: &RunContext) -> Option<Report> {
    let asked = AskedChange {
        prepared,
        key: recognition_key(&prepared.change, &prepared.packet.files),
        reviewed: &reviewed_text(prepared, start),
        start,
    };
    let mut later: Vec<(StoredRun, Report)> = Vec::new();
    for (past, report) in list_runs(start).ok()? {
        if let Some(report) = report {
            later.push((past, report));
        } else if let Some(cut) = asked.objection_so_far(past) {
            let mut later = later.iter();
            if !later.any(|(run, later)| asked.is_taken_back(&cut, run, later)) {
                return Some(named(cut));
            }
        }
    }
    None
}

/// The report with where it comes from.
fn named(mut report: Report) -> Report {
    let run = &report.receipt.run.name;
    report.outcome.notes.push(format!(
        "{run} was killed, and this is what its judges had said by then: `git council resume {run}` goes on with it, and \
         `git council review --fresh` of the same change takes its place"
    ));
    report
}

impl AskedChange<'_> {
    fn changed<'f>(&'f self, files: &'f [FileChange]) -> ChangedFiles<'f> {
        ChangedFiles {
            files,
            reviewed: self.reviewed,
        }
    }

    /// What a run had come to when it was cut off; none: nobody objected, or not to what this change brings. As of a run that
    /// ended, an objection is to the lines, wherever and with whatever else they are pushed.
    fn objection_so_far(&self, past: StoredRun) -> Option<Report> {
        if past.state() != RunState::CutOff {
            return None;
        }
        let (of_run, today) = (past.header()?.target, &self.prepared.packet.target);
        let left = LoadedRun::load(past, None).ok()?;
        let mut report = report_so_far(&left, self.prepared, self.start).ok()?;
        let is_same = of_run.head.is_some() && of_run.head == today.head;
        let is_whole = is_same && (&of_run.base, &of_run.only) == (&today.base, &today.only);
        report.receipt.run.digests.change = Some(match is_whole {
            true => self.key.clone(),
            false => String::new(),
        });
        let is_meant = || {
            let files = &self.prepared.packet.files;
            is_same
                || holds_objected_lines(&report, &self.changed(files))
                || brings_change_of(&report, files, self.prepared, self.start)
        };
        (is_objection(&report) && is_meant()).then_some(report)
    }

    /// Whether a later review takes an objection back: one of the same change, of the lines in question, or of all that was
    /// reviewed, as it was.
    fn is_taken_back(&self, cut: &Report, run: &StoredRun, later: &Report) -> bool {
        if is_objection(later) || !is_worth_keeping(later) {
            return false;
        }
        let files = reviewed_files(run.clone()).unwrap_or_default();
        let brings = || brings_change_of(cut, &files, self.prepared, self.start);
        is_answered(cut, later, &self.changed(&files))
            || (takes_back_brought(cut, later, &self.changed(&files)) && brings())
    }
}

/// The files that a run was about.
fn reviewed_files(run: StoredRun) -> Option<Vec<FileChange>> {
    let run = LoadedRun::load(run, None).ok()?;
    let packet = restore_packet(&run.packet, &run.journal.header, &run.plan).ok()?;
    Some(packet.files)
}
