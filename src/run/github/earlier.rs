//! What an earlier run of the council on a pull request still says: its whole verdict, or the files that need no second look.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use council_protocol::answer::Evidence;
use council_protocol::coverage::FileCoverage;
use council_protocol::seat::AgentKind;
use council_protocol::{
    BlobSource, CoverageState, Finding, Location, Packet, Proof, RepoPath, Seat, Severity, Side,
};

use crate::council::outcome::JudgedFinding;
use crate::council::{is_named_by, name_now};
use crate::publish::{
    ForgeState, GitHubApi, GitHubError, JudgedChange, PublishOptions, ReviewState, ReviewedSide,
    ReviewedText, Surface,
};
use crate::publish::{is_unchanged_reason, is_witness, look};
use crate::report::{Report, ReviewSubject};
use crate::run::context::RunContext;
use crate::run::convene::surroundings_today;
use crate::run::dismissals::{self, VerdictTerms};
use crate::run::floor::configured_rules;
use crate::run::prepare::PreparedReview;
use crate::run::recognition::VerdictMemory;
use crate::run::seats::SeatPlanner;
use crate::session::QuoteProver;

/// The report that answers this change already, found by its key: the last run's on the pull request.
pub(crate) fn find_earlier_verdict(
    before: Option<&ReviewState>,
    key: &str,
    seen: &ForgeState,
    wishes: &PublishOptions,
    started_by: Option<&str>,
) -> Option<Report> {
    before
        .filter(|state| state.head == wishes.head)
        .and_then(|state| state.recognised_report(key, started_by))
        .filter(|report| is_witnessed(report, seen, wishes))
}

/// Whether the code that a review was shown around the change stands there today: a queue's entry may stand on a branch
/// that has moved. Where nobody can look, somebody has to judge.
pub(crate) fn stands_around(
    left: &ReviewState,
    report: &Report,
    prepared: &PreparedReview,
    deep: bool,
) -> bool {
    let is_same = || {
        let today = surroundings_today(prepared, deep);
        today.is_ok_and(|today| today == report.receipt.run.digests.context)
    };
    left.has_base(prepared.packet.target.base.as_deref()) || left.is_of_one_look() && is_same()
}

/// Whether the verdict of the last run can be believed: nobody edited the report, and where checks are used the check on this
/// very commit says the same, which only the program can write.
fn is_witnessed(report: &Report, seen: &ForgeState, wishes: &PublishOptions) -> bool {
    let check = seen.check.as_ref();
    let is_said = check.is_some_and(|check| is_witness(check, report));
    is_said || !wishes.surfaces.contains(&Surface::Check)
}

/// The pull request of an entry of a merge queue, as its last review left it.
pub(crate) struct QueuedRequest {
    /// Its tip, as hex.
    head: String,
    /// What that review left; none: there was none, or somebody edited it.
    pub(crate) left: Option<ReviewState>,
}

impl QueuedRequest {
    /// Reads it. Where it cannot be read, nobody may say that nothing is open there.
    pub(crate) fn read(
        number: u64,
        council: &str,
        hub: &GitHubApi<'_>,
    ) -> Result<Self, GitHubError> {
        let talk = look::fetch_conversation(hub, number, council, None)?;
        let reports = look::fetch_reports(hub, number, council, &talk.me, None)?;
        Ok(Self {
            head: talk.pull.head,
            left: reports.first().and_then(|report| report.state()),
        })
    }

    /// What the request bought, where it is the same change: its own report says so, nobody edited it, and the check on its
    /// tip, which only the program can write, says the same. Where the check cannot be read, the entry is reviewed.
    pub(crate) fn find_verdict(
        &self,
        key: &str,
        hub: &GitHubApi<'_>,
        wishes: &PublishOptions,
        started_by: Option<&str>,
    ) -> Option<Report> {
        let left = self.left.as_ref().filter(|left| left.head == self.head)?;
        let check =
            look::fetch_check(hub, &self.head, &wishes.check_name, &wishes.council).ok()??;
        let report = left.recognised_report(key, started_by)?;
        is_witness(&check, &report).then_some(report)
    }
}

/// The report of the run that judged this change, over the change as it stands and under the dismissals of today, and whether
/// those changed it. Nobody is asked again.
pub(crate) fn report_over(
    mut report: Report,
    prepared: &PreparedReview,
    start: &RunContext,
) -> (Report, bool) {
    let subject = ReviewSubject::of(&prepared.packet);
    (report.target, report.change) = (subject.target, subject.change);
    report.outcome.coverage = Report::shown_coverage(&prepared.coverage, &prepared.redactor);
    let told = &mut report.outcome.notes;
    for note in &prepared.notes {
        if !told.contains(note) {
            told.push(note.clone());
        }
    }
    let mut today = VerdictMemory::known_dismissals(prepared, start).dismissals;
    today.extend(prepared.dismissed.iter().cloned());
    let terms = VerdictTerms::of_report(&report, &prepared.config.settings);
    let is_changed = dismissals::decide_again(&mut report, &terms, &today);
    (report, is_changed)
}

/// Takes files out of what is judged, each with the reason why.
pub(crate) fn leave_out(prepared: &mut PreparedReview, reasons: &BTreeMap<RepoPath, String>) {
    prepared.whole_packet = Some(Arc::clone(&prepared.packet));
    let packet: &mut Packet = Arc::make_mut(&mut prepared.packet);
    for file in &mut packet.files {
        if reasons.contains_key(&file.path) {
            file.hunks = Vec::new();
        }
    }
    for file in &mut packet.coverage.files {
        if let Some(reason) = reasons.get(&file.path)
            && file.state == CoverageState::Reviewed
        {
            file.state = CoverageState::Skipped {
                reason: reason.clone(),
            };
        }
    }
    prepared.coverage = Arc::new(prepared.packet.coverage.clone());
}

/// The files that an update did not judge again, as its packet tells.
pub(crate) fn left_out_of(packet: &Packet) -> BTreeMap<RepoPath, String> {
    let reason = |file: &FileCoverage| match &file.state {
        CoverageState::Skipped { reason } if is_unchanged_reason(reason) => {
            Some((file.path.clone(), reason.clone()))
        }
        _ => None,
    };
    packet.coverage.files.iter().filter_map(reason).collect()
}

/// Whether a file is left out because it was judged before.
fn is_unchanged(file: &FileCoverage) -> bool {
    matches!(&file.state, CoverageState::Skipped { reason } if is_unchanged_reason(reason))
}

/// Takes out what was judged before under the same rules, while nothing is another outside of the change: what a file
/// calls may be. Nothing is taken out when nothing would be left: a council over nothing has no verdict. Built-in rules
/// and tools read all of it again.
pub(crate) fn skip_unchanged_files(
    prepared: &mut PreparedReview,
    before: Option<&ReviewState>,
    wishes: &PublishOptions,
) {
    let base = prepared.packet.target.base.as_deref();
    let Some(before) = before.filter(|before| before.has_base(base)) else {
        return;
    };
    let JudgedChange { files, rules, .. } = &wishes.judged;
    let kept = before.judged_before(files, rules);
    let is_kept = |path: &RepoPath| kept.contains(&path.display().into_owned());
    let left = prepared
        .packet
        .coverage
        .files
        .iter()
        .any(|file| file.state == CoverageState::Reviewed && !is_kept(&file.path));
    if kept.is_empty() || !left {
        return;
    }
    let unchanged = prepared
        .packet
        .files
        .iter()
        .filter(|file| is_kept(&file.path));
    let reasons = unchanged.map(|file| (file.path.clone(), before.unchanged_reason(&file.path)));
    let reasons = reasons.collect();
    leave_out(prepared, &reasons);
    let has_rules = configured_rules(&prepared.config).is_some();
    let what = match (kept.len(), has_rules) {
        (1, true) => "is unchanged since the last review: only built-in rules read it again",
        (_, true) => "are unchanged since the last review: only built-in rules read them again",
        (1, false) => "is unchanged since the last review and was not reviewed again",
        (_, false) => "are unchanged since the last review and were not reviewed again",
    };
    let (kept, all) = (kept.len(), files.len());
    prepared
        .notes
        .push(format!("{kept} of {all} changed files {what}"));
}

/// Who sits, as far as that can be said.
fn planned_seats(prepared: &PreparedReview) -> Vec<Seat> {
    let planner = SeatPlanner {
        config: &prepared.config,
        deep: false,
    };
    planner.plan_seats().unwrap_or_default()
}

fn is_ruled(seat: &Seat) -> bool {
    matches!(seat.agent.kind, AgentKind::Builtin { .. })
}

/// Whether a rule that finds something no more has looked for it: it sits, or what it finds is heard beside models.
fn is_looked_for(finding: &Finding, seats: &[Seat]) -> bool {
    let Some(id) = finding.rule.as_deref() else {
        return false;
    };
    let applies =
        |seat: &Seat| is_ruled(seat) && council_builtin::applies_rule(&seat.perspective.name, id);
    let is_known = council_builtin::rules().any(|rule| rule.id == id);
    is_known && (finding.severity == Severity::Critical || seats.iter().any(applies))
}

/// A file of the reviewed side.
pub(crate) fn read_reviewed(blobs: &dyn BlobSource, path: &RepoPath) -> ReviewedText {
    read_side(blobs, Side::New, path)
}

fn read_side(blobs: &dyn BlobSource, side: Side, path: &RepoPath) -> ReviewedText {
    match blobs.read(side, path) {
        Ok(Some(bytes)) => ReviewedText::Text(String::from_utf8_lossy(&bytes).into_owned()),
        Ok(None) => ReviewedText::Gone,
        Err(_) => ReviewedText::Unreadable,
    }
}

/// Adds what the last run found and what still stands, in the names of the seats of today.
pub(crate) fn carry_over(prepared: &mut PreparedReview, before: &ReviewState) {
    let blobs = &prepared.change.blobs;
    let coverage = &prepared.packet.coverage.files;
    let is_skipped = |file: &FileCoverage| matches!(file.state, CoverageState::Skipped { .. });
    let is_part = !prepared.packet.target.only.is_empty();
    let is_judged = |path: &RepoPath| {
        let mut files = coverage.iter();
        match files.find(|file| file.path == *path) {
            Some(file) => !is_skipped(file),
            None => !is_part,
        }
    };
    let prover = RefCell::new(QuoteProver::new(
        Arc::clone(&prepared.packet),
        Arc::clone(blobs),
        prepared.redactor.clone(),
    ));
    let prove = |path: &RepoPath, finding: &Finding| {
        let place = Location {
            path: path.clone(),
            ..finding.location.clone()
        };
        let (proof, _) = prover.borrow_mut().prove_quote(&place, &finding.quote);
        let is_there = matches!(proof, Proof::Verified | Proof::Relocated { .. });
        proof.place(place.line).filter(|_| is_there)
    };
    let cites = |evidence: &Evidence| {
        let place = Location {
            path: evidence.path.clone(),
            line: evidence.line,
            end_line: None,
        };
        // It may have been cut to be kept.
        let quote = evidence.quote.trim_end_matches('…');
        let (proof, _) = prover.borrow_mut().prove_quote(&place, quote);
        // What the change removes speaks for nothing.
        matches!(proof, Proof::Verified | Proof::Relocated { .. })
    };
    let named = |found: &JudgedFinding| {
        let finding = &found.finding;
        let mut prover = prover.borrow_mut();
        let (proof, context) = prover.prove_quote(&finding.location, &finding.quote);
        name_now(found, &context).filter(|_| proof.resolves())
    };
    let is_named_at = |found: &JudgedFinding, path: &RepoPath, line: u32| {
        let place = Location {
            path: path.clone(),
            line,
            end_line: None,
        };
        let mut prover = prover.borrow_mut();
        let (proof, context) = prover.prove_quote(&place, &found.finding.quote);
        proof.place(line) == Some(line) && is_named_by(found, &context)
    };
    let read = |path: &RepoPath| read_reviewed(&**blobs, path);
    let read_before = |path: &RepoPath| read_side(&**blobs, Side::Old, path);
    let seats = planned_seats(prepared);
    let is_read_by_rules = |path: &RepoPath| {
        let mut files = coverage.iter();
        files.any(|file| file.path == *path && is_unchanged(file))
    };
    let side = ReviewedSide {
        files: coverage.iter().map(|file| file.path.clone()).collect(),
        changes: &prepared.packet_of_rules().files,
        is_judged: &is_judged,
        read: &read,
        read_before: &read_before,
        prove: &prove,
        cites: &cites,
        dismissed: &prepared.dismissed,
        name_now: &named,
        is_named_at: &is_named_at,
        is_looked_for: &|finding| is_looked_for(finding, &seats),
        is_read_by_rules: &is_read_by_rules,
        is_part,
    };
    prepared.earlier = Some(before.known_by(&seats).carry_findings(&side));
}
