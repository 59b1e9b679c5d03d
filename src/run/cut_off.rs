//! Runs that were killed after a judge had objected: nobody made a report of them. A gate hears them all the same, and
//! so does whoever is told a verdict of before.

use council_protocol::FileChange;

use crate::git::recognition_key;
use crate::memory::{
    ChangedFiles, ReviewedText, holds_objected_lines, is_answered, is_objection, is_same_code,
    is_worth_keeping, leaves_critical_open, takes_back_brought,
};
use crate::report::Report;
use crate::run::context::RunContext;
use crate::run::loaded::LoadedRun;
use crate::run::prepare::PreparedReview;
use crate::run::replay::report_so_far;
use crate::run::reviewed_before::{brings_change_of, reviewed_text};
use crate::run::store::{RunState, StoredRun, list_where_cut_off};
use crate::session::stored::restore_packet;

/// The change that a gate is asked about, and its name among changes.
struct AskedChange<'a> {
    prepared: &'a PreparedReview,
    key: String,
    reviewed: ReviewedText<'a>,
    start: &'a RunContext,
}

/// The latest objection to this change that stands in the journal of a run that was cut off, unless a review that was
/// begun later answers it.
pub(crate) fn cut_off_objection(prepared: &PreparedReview, start: &RunContext) -> Option<Report> {
    let reviewed = reviewed_text(prepared, start);
    let asked = AskedChange::new(prepared, &reviewed, start);
    let mut standing = asked.standing(|cut| is_objection(cut) && asked.is_meant(cut));
    standing.next()
}

/// What stands in the journals of runs of this very change that were cut off: objections first, then what left a
/// critical problem open, each the latest first. As of a run that was interrupted, no milder verdict of before is told
/// over it.
pub(crate) fn cut_off_reviews(prepared: &PreparedReview, start: &RunContext) -> Vec<Report> {
    let reviewed = reviewed_text(prepared, start);
    let asked = AskedChange::new(prepared, &reviewed, start);
    let is_open = |cut: &Report| is_objection(cut) || leaves_critical_open(cut);
    let mut standing: Vec<Report> = asked
        .standing(|cut| is_open(cut) && asked.is_same_change(cut))
        .collect();
    standing.sort_by_key(|cut| !is_objection(cut));
    standing
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

impl<'a> AskedChange<'a> {
    fn new(
        prepared: &'a PreparedReview,
        reviewed: ReviewedText<'a>,
        start: &'a RunContext,
    ) -> Self {
        Self {
            prepared,
            key: recognition_key(&prepared.change, &prepared.packet.files),
            reviewed,
            start,
        }
    }

    /// What cut-off runs had come to that counts here and that no review which was begun later has taken back, the
    /// latest first.
    fn standing(&self, counts: impl Fn(&Report) -> bool) -> impl Iterator<Item = Report> {
        let mut later: Vec<(StoredRun, Report)> = Vec::new();
        let runs = list_where_cut_off(self.start).unwrap_or_default();
        runs.into_iter().filter_map(move |(past, report)| {
            if let Some(report) = report {
                later.push((past, report));
                return None;
            }
            let cut = self.report_so_far(past).filter(&counts)?;
            let mut later = later.iter();
            let is_answered = later.any(|(run, later)| self.is_taken_back(&cut, run, later));
            (!is_answered).then(|| named(cut))
        })
    }

    fn changed<'f>(&'f self, files: &'f [FileChange]) -> ChangedFiles<'f> {
        ChangedFiles {
            files,
            reviewed: self.reviewed,
        }
    }

    /// What a run had come to when it was cut off, under the name of its change; none: it goes on, or nobody can read
    /// it.
    fn report_so_far(&self, past: StoredRun) -> Option<Report> {
        if past.state() != RunState::CutOff {
            return None;
        }
        let left = LoadedRun::load(past, None).ok()?;
        let mut report = report_so_far(&left, self.prepared, self.start).ok()?;
        let packet = restore_packet(&left.packet, &left.journal.header, &left.plan).ok()?;
        let change = recognition_key(&self.prepared.change, &packet.files);
        report.receipt.run.digests.change = Some(change);
        Some(report)
    }

    fn is_same_change(&self, cut: &Report) -> bool {
        cut.receipt.run.digests.change.as_ref() == Some(&self.key)
    }

    /// Whether a cut-off run is about what this change brings. As of a run that ended, an objection is to the lines,
    /// wherever and with whatever else they are pushed.
    fn is_meant(&self, cut: &Report) -> bool {
        let files = &self.prepared.packet.files;
        let head = self.prepared.packet.target.head.as_deref();
        is_same_code(cut, Some(&self.key), head)
            || holds_objected_lines(cut, &self.changed(files))
            || brings_change_of(cut, files, self.prepared, self.start)
    }

    /// Whether a later review takes back what was said: one of the same change, of the lines in question, or of all
    /// that was reviewed, as it was. A critical problem that is still open takes back no other.
    fn is_taken_back(&self, cut: &Report, run: &StoredRun, later: &Report) -> bool {
        let is_as_open = !is_objection(cut) && leaves_critical_open(later);
        if is_objection(later) || !is_worth_keeping(later) || is_as_open {
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
