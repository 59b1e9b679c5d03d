//! Runs that were killed after a judge had objected: nobody made a report of them, and a gate hears them all the same.

use crate::git::recognition_key;
use crate::memory::{is_answered, is_objection};
use crate::report::Report;
use crate::run::context::RunContext;
use crate::run::loaded::LoadedRun;
use crate::run::prepare::PreparedReview;
use crate::run::replay::report_so_far;
use crate::run::store::{RunState, StoredRun, list_runs};

/// The latest objection to this change that stands in the journal of a run that was cut off, unless a review that was begun
/// later answers it.
pub(crate) fn cut_off_objection(prepared: &PreparedReview, start: &RunContext) -> Option<Report> {
    let files = &prepared.packet.files;
    let change = &recognition_key(&prepared.change, files);
    let mut later: Vec<Report> = Vec::new();
    for (past, report) in list_runs(start).ok()? {
        if let Some(report) = report {
            later.push(report);
        } else if let Some(cut) = objection_so_far(past, prepared, change, start) {
            let is_taken_back = later
                .iter()
                .any(|later| !is_objection(later) && is_answered(&cut, later, files));
            return Some(cut).filter(|_| !is_taken_back).map(named);
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

/// What a run over this change had come to when it was cut off; none: it was about something else, or nobody objected.
fn objection_so_far(
    past: StoredRun,
    prepared: &PreparedReview,
    change: &str,
    start: &RunContext,
) -> Option<Report> {
    if past.state() != RunState::CutOff {
        return None;
    }
    let (of_run, today) = (past.header()?.target, &prepared.packet.target);
    if of_run.head.is_none() || of_run.head != today.head {
        return None;
    }
    let left = LoadedRun::load(past, None).ok()?;
    let mut report = report_so_far(&left, prepared, start).ok()?;
    if (&of_run.base, &of_run.only) == (&today.base, &today.only) {
        report.receipt.run.digests.change = Some(change.to_owned());
    }
    is_objection(&report).then_some(report)
}
