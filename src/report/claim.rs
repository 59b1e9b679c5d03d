//! A report from a job without rights is a claim: whoever could change that job could have written it.
//!
//! Such a report is refused where it contradicts itself, its verdict is decided again from its parts, and it loses
//! everything that a later run would believe. Afterwards it can end a check as neutral at best.

use council_protocol::answer::Stance;
use council_protocol::packet::Target;
use council_protocol::{JudgeId, RepoPath, Severity, Vote};

use super::json;
use crate::council::consensus::{FindingStanding, finding_level};
use crate::council::outcome::{
    Disposition, FindingMember, JudgeRecord, JudgedFinding, Outcome, Verdict, VerdictReason,
};
use crate::council::plan::{ConsensusRule, Procedure, VerdictPolicy};
use crate::council::{Dismissal, ReconsideredVerdict};
use crate::report::source::ReportSource;
use crate::report::whole::Report;

/// Why a claim is not published.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the report says {}, but {what}: git-council did not write it like this", verdict.as_str())]
pub(crate) struct ClaimError {
    /// The verdict that it claims.
    pub verdict: Verdict,
    /// What speaks against it.
    pub what: &'static str,
}

/// By what the verdict of a claim is decided here, whatever it says of itself.
pub(crate) struct ClaimTerms<'a> {
    pub(crate) policy: VerdictPolicy,
    pub(crate) consensus: ConsensusRule,
    /// What people dismissed on the pull request.
    pub(crate) dismissed: &'a [Dismissal],
}

/// A claim as far as it can be believed: its verdict follows from its parts, by its own rule of consensus or by the trusted
/// one, whichever is worse; no dismissal in it counts, only those of `terms`; and nothing in it is a key under which it
/// could be known again.
///
/// # Errors
///
/// When it contradicts itself.
pub(crate) fn accept_claim(
    mut report: Report,
    terms: &ClaimTerms<'_>,
) -> Result<Report, ClaimError> {
    let verdict = report.outcome.verdict;
    let refuse = |what| ClaimError { verdict, what };
    let contradiction = json::contradiction(&report).or_else(|| inner_contradiction(&report));
    contradiction.map_or(Ok(()), |what| Err(refuse(what)))?;
    let own = |policy| {
        let own = claimed_dismissals(&report);
        decide_again(&mut report.clone(), policy, &own)
    };
    let mildest = POLICIES.map(own);
    if let Some(mildest) = mildest
        .into_iter()
        .flatten()
        .map(|(v, _)| v.distance_from_pass())
        .min()
        && verdict.distance_from_pass() < mildest
    {
        return Err(refuse("its verdict is better than its parts"));
    }
    if let Some((parts, again)) = decide_by_both(&report, terms, &[]) {
        report.outcome.findings = parts;
        worsen(&mut report, again);
        dismiss_in_claim(&mut report, again.0, terms);
    }
    report.source = ReportSource::UnprivilegedJob;
    for found in &mut report.outcome.findings {
        found.suggestion_check = None;
    }
    mark_notes(&mut report);
    report.receipt.run.recognition_key = None;
    report.receipt.run.recognised = None;
    Ok(report)
}

/// What a claim says that was dismissed. Nobody can tell by whom.
fn claimed_dismissals(report: &Report) -> Vec<Dismissal> {
    let findings = report.outcome.findings.iter();
    findings.filter_map(|f| f.dismissed.clone()).collect()
}

/// The findings and the verdict under these dismissals alone, the worse one of its own rule of consensus and the trusted one.
fn decide_by_both(
    report: &Report,
    terms: &ClaimTerms<'_>,
    dismissed: &[Dismissal],
) -> Option<(Vec<JudgedFinding>, (Verdict, VerdictReason))> {
    let rules = [report.outcome.consensus, Some(terms.consensus)];
    let decide = |rule| {
        let mut ruled = report.clone();
        ruled.outcome.consensus = rule;
        let again = decide_again(&mut ruled, terms.policy, dismissed)?;
        Some((ruled.outcome.findings, again))
    };
    let decided = rules.into_iter().filter_map(decide);
    decided.max_by_key(|(_, again)| again.0.distance_from_pass())
}

/// What people dismissed on the pull request does not count, where the verdict is the one that follows from the `parts`.
fn dismiss_in_claim(report: &mut Report, parts: Verdict, terms: &ClaimTerms<'_>) {
    if terms.dismissed.is_empty() || report.outcome.verdict != parts {
        return;
    }
    let decided = decide_by_both(report, terms, terms.dismissed);
    if let Some((findings, again)) = decided
        && findings.iter().any(|found| found.dismissed.is_some())
    {
        report.outcome.findings = findings;
        (report.outcome.verdict, report.outcome.reason) = again;
    }
}

/// The first name that no finding has: the names in a claim are whatever its author liked.
fn free_name(findings: &[JudgedFinding]) -> String {
    let is_free = |name: &String| !findings.iter().any(|f| f.id.eq_ignore_ascii_case(name));
    let mut names = (findings.len() + 1..).map(|number| format!("F{number}"));
    names.find(is_free).unwrap_or_default()
}

/// Adds what the built-in judges found over the real objects, and makes the verdict no better than theirs. A file that the
/// claim does not list was read by nobody. What the change is, and how large, the claim does not say; only what it left out,
/// for which it is refused.
pub(crate) fn absorb_recheck(report: &mut Report, recheck: &Report) {
    report.target = Target {
        only: std::mem::take(&mut report.target.only),
        base: report.target.base.take(),
        ..recheck.target.clone()
    };
    report.change = recheck.change;
    report.receipt.run.earlier = recheck.receipt.run.earlier.clone();
    for found in recheck
        .outcome
        .findings
        .iter()
        .filter(|f| f.level.is_some())
    {
        let is_it = |f: &&mut JudgedFinding| f.fingerprint == found.fingerprint;
        let mut claimed = report.outcome.findings.iter_mut().filter(is_it).peekable();
        if claimed.peek().is_none() {
            let id = free_name(&report.outcome.findings);
            report.outcome.findings.push(JudgedFinding {
                id,
                ..found.clone()
            });
            continue;
        }
        for claimed in claimed {
            *claimed = own_words(claimed, found);
        }
    }
    report
        .outcome
        .findings
        .sort_by_key(|f| std::cmp::Reverse(f.level));
    worsen(report, (recheck.outcome.verdict, recheck.outcome.reason));
    let listed = |path: &RepoPath| {
        report
            .outcome
            .coverage
            .files
            .iter()
            .any(|f| f.path == *path)
    };
    let unlisted: Vec<_> = recheck
        .outcome
        .coverage
        .files
        .iter()
        .filter(|f| !listed(&f.path))
        .cloned()
        .collect();
    if !unlisted.is_empty() {
        report.outcome.notes.push(format!(
            "the job's report does not list {} of the changed files",
            unlisted.len()
        ));
        report.outcome.coverage.files.extend(unlisted);
        worsen(
            report,
            (Verdict::Inconclusive, VerdictReason::IncompleteCoverage),
        );
    }
    report.outcome.notes.push(format!(
        "an unprivileged job reported this; the built-in judges read the change again: {}",
        recheck.headline()
    ));
}

/// A finding that both have: in the words of the own reading, whatever the claim calls it, and with the greater weight.
fn own_words(claimed: &JudgedFinding, own: &JudgedFinding) -> JudgedFinding {
    let mut said = JudgedFinding {
        id: claimed.id.clone(),
        level: claimed.level.max(own.level),
        ..own.clone()
    };
    said.finding.severity = claimed.finding.severity.max(own.finding.severity);
    said
}

/// Whose words the notes of a claim are.
fn mark_notes(report: &mut Report) {
    for note in &mut report.outcome.notes {
        *note = format!("the job's report says: {note}");
    }
    report.detail.clear();
}

/// The choices that a configuration leaves to the verdict.
const POLICIES: [VerdictPolicy; 4] = [
    any_policy(false, false),
    any_policy(false, true),
    any_policy(true, false),
    any_policy(true, true),
];

const fn any_policy(
    disputed_critical_fails: bool,
    incomplete_coverage_warns: bool,
) -> VerdictPolicy {
    VerdictPolicy {
        disputed_critical_fails,
        incomplete_coverage_warns,
    }
}

/// The verdict that follows from the parts; none where nobody was convened, or where the run was cut short.
fn decide_again(
    report: &mut Report,
    policy: VerdictPolicy,
    dismissed: &[Dismissal],
) -> Option<(Verdict, VerdictReason)> {
    let outcome = &mut report.outcome;
    if matches!(outcome.verdict, Verdict::Skipped | Verdict::Inconclusive) {
        return None;
    }
    let reconsidered = ReconsideredVerdict {
        consensus: outcome.consensus.unwrap_or(ConsensusRule::Strict),
        policy,
        quorum: report.receipt.participation.quorum.max(1),
        judges: &outcome.judges,
        benches: &outcome.benches,
        coverage: &outcome.coverage,
    };
    Some(reconsidered.decide_again(&mut outcome.findings, dismissed))
}

/// What of a claim cannot be as it says, beside what [`json::parse`] sees.
fn inner_contradiction(report: &Report) -> Option<&'static str> {
    let outcome = &report.outcome;
    let counted = outcome.judges.iter().filter(|j| j.counted.is_some());
    if !outcome.judges.is_empty() && outcome.consensus.is_none() {
        return Some("no rule says how its votes become a verdict");
    }
    // Of more than two rounds the vote of one between them counts, where the last change named no evidence.
    let held = |j: &JudgeRecord| j.change.as_ref().filter(|c| c.weak).map(|c| c.from);
    let was_cast = |j: &JudgeRecord| [j.r1, j.r2, held(j)].contains(&j.counted);
    let is_of_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    if !report.receipt.run.name.chars().all(is_of_name) {
        return Some("no run has such a name as it gives its own");
    }
    if counted.clone().any(|j| !was_cast(j)) {
        return Some("a vote counts that no judge cast");
    }
    if counted.clone().any(|j| !j.started) {
        return Some("a judge counts that was never started");
    }
    use VerdictReason::{AllSkipped, NoFindings, NotesOnly, NothingToReview};
    let is_mild = matches!(
        outcome.reason,
        NoFindings | NotesOnly | AllSkipped | NothingToReview
    );
    if is_mild && matches!(outcome.verdict, Verdict::Warn | Verdict::Fail) {
        return Some("its reason is not one of its verdict");
    }
    let finding = |found| finding_contradiction(report, found);
    round_contradiction(report).or_else(|| outcome.findings.iter().find_map(finding))
}

/// What of rounds and counts cannot be as it says. Examinations, stages and duels count theirs in their own ways.
fn round_contradiction(report: &Report) -> Option<&'static str> {
    let outcome = &report.outcome;
    let voted_later = outcome.judges.iter().any(|j| j.r2.is_some());
    if outcome.rounds < 2 && voted_later {
        return Some("a judge voted in a round that did not run");
    }
    use Procedure::{Debate, Quick, Review};
    if !matches!(outcome.procedure, None | Some(Quick | Review | Debate)) {
        return None;
    }
    let who = &report.receipt.participation;
    if (outcome.counted, outcome.quorum) != (who.counted, who.quorum) {
        return Some("it counts other judges than its receipt");
    }
    let failed_later = outcome
        .judges
        .iter()
        .flat_map(|j| &j.failures)
        .any(|f| f.round > 1);
    if outcome.rounds > 1
        && !voted_later
        && !failed_later
        && outcome.verdict != Verdict::Inconclusive
    {
        return Some("a round ran in which nobody was asked");
    }
    (outcome.converged && !may_have_converged(outcome))
        .then_some("its judges converged who did not differ")
}

/// Whether the first votes of models differ and their last ones do not. Rules have no opinion to move from.
fn may_have_converged(outcome: &Outcome) -> bool {
    let models = || {
        let judges = outcome.judges.iter();
        judges.filter(|j| j.counted.is_some() && !j.seat.agent.deterministic)
    };
    let is_same = |votes: Vec<Vote>| votes.windows(2).all(|pair| pair[0] == pair[1]);
    let first = models().filter_map(|j| j.r1).collect();
    let last = models().filter_map(|j| j.r2.or(j.r1)).collect();
    !is_same(first) && is_same(last)
}

/// What of a finding cannot be as it says.
fn finding_contradiction(report: &Report, found: &JudgedFinding) -> Option<&'static str> {
    let live = || {
        found
            .members
            .iter()
            .filter(|m| m.proof.resolves() && !m.withdrawn)
    };
    let is_rule = |judge: &JudgeId| {
        let mut judges = report.outcome.judges.iter();
        judges.any(|j| j.seat.judge == *judge && j.seat.agent.deterministic)
    };
    let refutes =
        |o: &crate::council::outcome::Opinion| o.stance == Stance::Disagreed && o.resolves;
    let refuted = found.opinions.iter().any(refutes);
    let disposition = found.disposition;
    let open = || {
        found
            .members
            .iter()
            .filter(|m| m.proof.resolves() && m.withdrawn)
    };
    let is_critical = |m: &FindingMember| {
        m.finding.severity == Severity::Critical && !m.finding.quote.trim().is_empty()
    };
    if live().chain(open()).next().is_none() && disposition != Disposition::Rejected {
        return Some("a finding counts that no judge holds");
    }
    if disposition == Disposition::Rejected && !refuted && open().any(is_critical) {
        return Some("a critical finding was taken back, and nobody else refuted it");
    }
    if live().next().is_some() && disposition == Disposition::Rejected {
        return Some("a finding is rejected that a judge holds with proof");
    }
    let by_rule = live().any(|m| is_rule(&m.judge));
    if by_rule && !refuted && disposition != Disposition::Confirmed {
        return Some("a rule's finding is played down");
    }
    let worst = live().filter(|m| !m.finding.quote.trim().is_empty() || is_rule(&m.judge));
    if worst.map(|m| m.finding.severity).max() > Some(found.finding.severity) {
        return Some("a finding is milder than its judges say");
    }
    let standing = FindingStanding {
        severity: found.finding.severity,
        disposition,
    };
    let possible = POLICIES.map(|policy| finding_level(standing, policy));
    if found.dismissed.is_none() && !possible.contains(&found.level) {
        return Some("a finding weighs less or more than it can");
    }
    None
}

/// The worse of two verdicts.
fn worsen(report: &mut Report, (verdict, reason): (Verdict, VerdictReason)) {
    if verdict.distance_from_pass() > report.outcome.verdict.distance_from_pass() {
        (report.outcome.verdict, report.outcome.reason) = (verdict, reason);
    }
}
