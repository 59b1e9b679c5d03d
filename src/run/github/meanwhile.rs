//! What another review has published on the pull request before or while this one was at work: the worse of two verdicts
//! about one commit stays, whichever review is done last.

use crate::council::outcome::{Disposition, FindingLevel, JudgedFinding, Verdict, VerdictReason};
use crate::council::plan::{ConsensusRule, VerdictPolicy};
use crate::council::{Dismissal, count_carried};
use crate::publish::{
    ExistingCheck, JudgedChange, PublishOptions, ReviewState, ReviewedSide, ReviewedText, seats_of,
};
use crate::report::{CarriedReview, Report};
use crate::run::dismissals::{self, VerdictTerms};

/// What of the report that stands there `now` nobody has told the review of this report, which began when `before`
/// stood there.
pub(super) fn found_meanwhile(
    before: Option<&ReviewState>,
    now: Option<&ReviewState>,
    report: &Report,
) -> Option<CarriedReview> {
    let now = now.filter(|now| Some(*now) != before)?;
    // Nothing was judged since: each finding is as open as it was.
    let side = ReviewedSide {
        files: Vec::new(),
        changes: &[],
        is_judged: &|_| false,
        read: &|_| ReviewedText::Unreadable,
        read_before: &|_| ReviewedText::Gone,
        prove: &|_, _| None,
        cites: &|_| true,
        dismissed: &[],
        name_now: &|_| None,
        is_named_at: &|_, _, _| true,
        is_looked_for: &|_| false,
        is_read_by_rules: &|_| false,
        is_part: false,
    };
    let known: Vec<&str> = before
        .iter()
        .flat_map(|before| &before.open)
        .map(|open| open.fingerprint.as_str())
        .collect();
    let mut carried = now.known_by(&seats_of(report)).carry_findings(&side);
    carried
        .findings
        .retain(|(found, _)| found.level.is_some() && !known.contains(&found.fingerprint.as_str()));
    (!carried.findings.is_empty()).then_some(carried)
}

/// Counts in a report that is published later what another job has published of the very same commit since: nothing was
/// judged after that, so each of its findings is as open as it was.
pub(super) fn add_meanwhile(report: &mut Report, now: Option<&ReviewState>) {
    let now = now.filter(|now| report.target.head.as_deref() == Some(now.head.as_str()));
    let Some(mut found) = found_meanwhile(None, now, report) else {
        return;
    };
    let is_known = |fingerprint: &str| {
        let earlier = report.receipt.run.earlier.as_ref();
        let mut findings = report.outcome.findings.iter();
        findings.any(|own| own.fingerprint == fingerprint)
            || earlier.is_some_and(|earlier| earlier.knows_finding(fingerprint))
    };
    found
        .findings
        .retain(|(found, _)| !is_known(&found.fingerprint));
    if found.findings.is_empty() {
        return;
    }
    add_found(report, &found, policy_of(&found), FoundElsewhere::Meanwhile);
}

fn policy_of(found: &CarriedReview) -> VerdictPolicy {
    strict_policy(found.findings.iter().map(|(found, _)| found))
}

/// The settings under which another review failed are not known here, and what failed there must not be milder.
fn strict_policy<'a>(mut findings: impl Iterator<Item = &'a JudgedFinding>) -> VerdictPolicy {
    let fails = |found: &JudgedFinding| found.level == Some(FindingLevel::Fail);
    VerdictPolicy {
        disputed_critical_fails: findings
            .any(|found| found.disposition == Disposition::Disputed && fails(found)),
        incomplete_coverage_warns: true,
    }
}

/// How a note begins that tells of a council whose verdict over the same change is milder than what stands.
const JUDGED_AGAIN: &str = "the same change was judged again: ";

/// Tells in the place of a report what the last review of this very change objected to and no finding carries (`left`), so
/// that judges who are silent this time make nothing milder. What this report found, or says worse, counts beside it.
pub(super) fn stand_by_objection(
    report: &mut Report,
    left: Option<&ReviewState>,
    change: &str,
    dismissals: &[Dismissal],
) {
    let Some(left) = left else {
        return;
    };
    let started_by = report.receipt.run.started_by.as_deref();
    let Some(mut standing) = left.objection_to(change, started_by) else {
        stand_by_untold(report, left, change);
        return;
    };
    decide_today(&mut standing, report, dismissals);
    tell_standing(&mut standing);
    let outcome = &mut standing.outcome;
    outcome.notes.retain(|note| !note.starts_with(JUDGED_AGAIN));
    let (run, said) = (&report.receipt.run.name, report.headline());
    outcome
        .notes
        .push(format!("{JUDGED_AGAIN}{run} says {said}"));
    let again = ReviewState::of(report, JudgedChange::default());
    if let Some(found) = found_meanwhile(None, Some(&again), &standing) {
        count_found(&mut standing, &found, policy_of(&found));
    }
    let outcome = &mut standing.outcome;
    if report.outcome.verdict.distance_from_pass() > outcome.verdict.distance_from_pass() {
        (outcome.verdict, outcome.reason) = (report.outcome.verdict, report.outcome.reason);
    }
    standing.receipt.run.fail_on = report.receipt.run.fail_on;
    *report = standing;
}

/// Keeps the verdict of the last review of this very change where its report was too large to be told again.
pub(super) fn stand_by_untold(report: &mut Report, left: &ReviewState, change: &str) {
    let outcome = &mut report.outcome;
    let is_worse = left.verdict.distance_from_pass() > outcome.verdict.distance_from_pass();
    if !left.bars_untold(change) || !is_worse {
        return;
    }
    (outcome.verdict, outcome.reason) = (left.verdict, VerdictReason::StandingObjection);
    outcome.notes.push(format!(
        "this verdict stands since {} ({}): the change is the same, and the report that says what was objected to was too \
         large to be kept; `--fresh` or `--full` has the change judged again",
        left.run, left.headline
    ));
}

/// Decides a report that is told again under the dismissals of today: those by reply, and those that `now` heeds.
fn decide_today(standing: &mut Report, now: &Report, replies: &[Dismissal]) {
    let heeded = now.outcome.findings.iter();
    let heeded = heeded.filter_map(|found| found.dismissed.clone());
    let today: Vec<Dismissal> = heeded.chain(replies.iter().cloned()).collect();
    let findings = &standing.outcome.findings;
    let terms = VerdictTerms {
        consensus: standing
            .outcome
            .consensus
            .unwrap_or(ConsensusRule::Findings),
        policy: strict_policy(findings.iter()),
        quorum: standing.receipt.participation.quorum,
    };
    dismissals::decide_again(standing, &terms, &today);
}

/// Says of a verdict that no finding carries why it stands, once.
pub(super) fn tell_standing(report: &mut Report) {
    let run = &report.receipt.run.name;
    let barred_by = match report.outcome.findings.iter().any(|f| f.level.is_some()) {
        true => "more than its findings stands against a better one",
        false => "what a judge objected to is no finding that could be looked for",
    };
    let note = format!(
        "this verdict stands since {run}: the change is the same, and {barred_by}; `--fresh` or `--full` has the change \
         judged again"
    );
    if !report.outcome.notes.contains(&note) {
        report.outcome.notes.push(note);
    }
}

/// How it is told that what another review found counts in a report.
#[derive(Debug, Clone, Copy)]
pub(super) enum FoundElsewhere {
    /// It was published while the council sat.
    Meanwhile,
    /// It stood on the page before a verdict of this machine was told there.
    Before,
}

/// Counts in a report what another review found, and says so.
pub(super) fn add_found(
    report: &mut Report,
    found: &CarriedReview,
    policy: VerdictPolicy,
    how: FoundElsewhere,
) {
    count_found(report, found, policy);
    let commit = found.commit.get(..7).unwrap_or(&found.commit);
    report.outcome.notes.push(match how {
        FoundElsewhere::Meanwhile => format!(
            "another review of the pull request (of {commit}) was published while this one was at work: what it found \
             counts here, too"
        ),
        FoundElsewhere::Before => format!(
            "what the last review of the pull request (of {commit}) left open counts here, too"
        ),
    });
    let settled = found.settle(&report.outcome);
    report.receipt.run.earlier.get_or_insert(settled);
}

/// Adds the findings of another review, with what they do to the verdict.
fn count_found(report: &mut Report, found: &CarriedReview, policy: VerdictPolicy) {
    let consensus = report.outcome.consensus.unwrap_or(ConsensusRule::Findings);
    count_carried(&mut report.outcome, &found.standing(), consensus, policy);
}

/// Whether a check of this council has ended as a failure.
pub(super) fn has_failed(check: &ExistingCheck, wishes: &PublishOptions) -> bool {
    let ending = check.external_id.strip_prefix("git-council:");
    let ending = ending.and_then(|name| name.strip_prefix(&wishes.council));
    check.completed && ending.is_some_and(|ending| ending.starts_with(":failure:"))
}

/// Fails what fails nothing itself, so that headline, check and exit code say the same; the note tells what clears it.
pub(super) fn fail_with_commit(report: &mut Report, note: &str) {
    report.outcome.verdict = Verdict::Fail;
    report.outcome.reason = VerdictReason::CommitFailed;
    report.outcome.notes.push(note.to_owned());
}

/// What is said where the check, the status or the comment of a commit goes on saying that it failed.
pub(super) const FAILED_BEFORE: &str = "another review has failed this very commit, so that its check, \
                                        status or comment stays as it is: push a new commit, dismiss \
     the findings with a reason, or begin anew with `--full`";

/// What is said of it.
pub(super) const FAILED_CHECK: &str = "another review of this commit failed it while this one was at work: its check is left \
                                       as it is";
