//! What an earlier run of the council on a pull request still says: its whole verdict, or the files that need no second look.

use std::sync::Arc;

use council_protocol::coverage::FileCoverage;
use council_protocol::{CoverageState, Packet, RepoPath};

use crate::council::Dismissal;
use crate::publish::look;
use crate::publish::{ForgeState, GitHubApi, PublishOptions, ReviewState, Surface};
use crate::report::{Report, ReviewSubject};
use crate::run::dismissals::{self, VerdictTerms};
use crate::run::prepare::PreparedReview;

/// The report that answers this change already, found by its key: the last run's on the pull request, or, for an entry of a
/// merge queue, that of the request it came from (`queued`).
pub(crate) fn find_earlier_verdict(
    before: Option<&ReviewState>,
    queued: Option<u64>,
    key: &str,
    seen: &ForgeState,
    wishes: &PublishOptions,
    hub: &GitHubApi<'_>,
    started_by: Option<&str>,
) -> Option<Report> {
    let recognised = before
        .filter(|state| is_recognised(state, key, seen, wishes))
        .and_then(|state| state.recognised_report(key, started_by));
    recognised.or_else(|| verdict_of_request(queued?, key, hub, wishes, started_by))
}

/// Whether the verdict of the last run is this one's: its own report says so, nobody edited it, and where checks are used
/// the check on this very commit says the same, which only the program can write.
fn is_recognised(
    state: &ReviewState,
    key: &str,
    seen: &ForgeState,
    wishes: &PublishOptions,
) -> bool {
    let check = seen
        .check
        .as_ref()
        .is_some_and(|check| check.completed && check.external_id.ends_with(&key[..32]));
    let witnessed = check || !wishes.surfaces.contains(&Surface::Check);
    state.recognises(key) && state.head == wishes.head && witnessed
}

/// What the pull request of a queue's entry bought, where it is the same change: its own report says so, nobody edited it,
/// and the check on its tip, which only the program can write, says the same. Where any of that cannot be read, the entry is
/// reviewed.
fn verdict_of_request(
    number: u64,
    key: &str,
    hub: &GitHubApi<'_>,
    wishes: &PublishOptions,
    started_by: Option<&str>,
) -> Option<Report> {
    let talk = look::fetch_conversation(hub, number, &wishes.council, None).ok()?;
    let reports = look::fetch_reports(hub, number, &wishes.council, &talk.me, None).ok()?;
    let state = reports.first()?.state()?;
    let head = &talk.pull.head;
    let check = look::fetch_check(hub, head, &wishes.check_name, &wishes.council).ok()??;
    let is_witnessed = check.completed && check.external_id.ends_with(&key[..32]);
    let is_same = state.head == *head && !state.shortened;
    (is_witnessed && is_same)
        .then(|| state.recognised_report(key, started_by))
        .flatten()
}

/// The report of the run that judged this change, over the change as it stands. Nobody is asked again.
pub(crate) fn report_over(mut report: Report, prepared: &PreparedReview) -> Report {
    let subject = ReviewSubject::of(&prepared.packet);
    (report.target, report.change) = (subject.target, subject.change);
    report.outcome.coverage = (*prepared.coverage).clone();
    report.outcome.notes.extend(prepared.notes.iter().cloned());
    if is_newly_dismissed(&report, prepared) {
        let known = report.outcome.findings.iter();
        let known = known.filter_map(|found| found.dismissed.clone());
        let all: Vec<Dismissal> = known.chain(prepared.dismissed.iter().cloned()).collect();
        let terms = VerdictTerms::of_report(&report, &prepared.config.settings);
        dismissals::decide_under(&mut report.outcome, &terms, &all);
    }
    report
}

/// Whether somebody has dismissed a finding that counted when the report was made.
pub(crate) fn is_newly_dismissed(report: &Report, prepared: &PreparedReview) -> bool {
    let is_it = |dismissal: &Dismissal| {
        let mut findings = report.outcome.findings.iter();
        findings.any(|f| f.fingerprint == dismissal.fingerprint && f.level.is_some())
    };
    prepared.dismissed.iter().any(is_it)
}

/// Takes findings out of what is carried on that somebody has dismissed since; says which.
pub(crate) fn drop_dismissed(before: &mut ReviewState, dismissals: &[Dismissal]) -> Vec<String> {
    let of = |fingerprint: &str| dismissals.iter().find(|d| d.fingerprint == fingerprint);
    let told = before.open.iter().filter_map(|open| {
        let Dismissal { by, because, .. } = of(&open.fingerprint)?;
        let finding = &open.finding;
        let place = format!(
            "{}:{}",
            finding.location.path.display(),
            finding.location.line
        );
        Some(format!(
            "{by} dismissed {place} {}: {because}",
            finding.description
        ))
    });
    let told = told.collect();
    before.open.retain(|open| of(&open.fingerprint).is_none());
    told
}

/// Takes out what was judged before under the same rules; says which files those are. Nothing is taken out when nothing
/// would be left: a council over nothing has no verdict.
pub(crate) fn skip_unchanged_files(
    prepared: &mut PreparedReview,
    before: Option<&ReviewState>,
    wishes: &PublishOptions,
) -> Option<Vec<String>> {
    let before = before?;
    let kept = before.judged_before(&wishes.files, &wishes.rules);
    let is_kept = |path: &RepoPath| kept.contains(&path.display().into_owned());
    let left = prepared
        .packet
        .coverage
        .files
        .iter()
        .any(|file| file.state == CoverageState::Reviewed && !is_kept(&file.path));
    if kept.is_empty() || !left {
        return None;
    }
    let reason = format!(
        "unchanged since it was reviewed at {}",
        before.head.get(..12).unwrap_or(&before.head)
    );
    let packet: &mut Packet = Arc::make_mut(&mut prepared.packet);
    for file in packet.files.iter_mut().filter(|file| is_kept(&file.path)) {
        file.hunks = Vec::new();
    }
    let seen_before = |file: &&mut FileCoverage| is_kept(&file.path) && file.state.is_complete();
    for file in packet.coverage.files.iter_mut().filter(seen_before) {
        if file.state == CoverageState::Reviewed {
            file.state = CoverageState::Skipped {
                reason: reason.clone(),
            };
        }
    }
    prepared.coverage = Arc::new(prepared.packet.coverage.clone());
    prepared.notes.push(format!(
        "{} of {} changed files are unchanged since the last review and were not reviewed again",
        kept.len(),
        wishes.files.len()
    ));
    Some(kept)
}
