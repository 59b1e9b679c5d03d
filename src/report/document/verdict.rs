//! The verdict on one line, what has to happen for a better one, and who voted how.

use std::collections::BTreeSet;

use council_protocol::answer::Stance;
use council_protocol::message::FailureKind;
use council_protocol::{Capability, CoverageState, Severity, Vote};

use super::model::{ReadingPlace, VerdictView};
use super::ways::{fix_or_dismiss, fix_or_dismiss_voted, is_pull_request, whole_again};
use crate::council::is_read_by_few;
use crate::council::outcome::{
    self, Disposition, FindingLevel, JudgeRecord, JudgedFinding, Verdict, VerdictReason,
};
use crate::report::bottom_line::count_noun;
use crate::report::bottom_line::{GatePolicy, exit};
use crate::report::earlier::still_open;
use crate::report::facts::MATRIX_BACKEND;
use crate::report::whole::Report;
use crate::report::words::{self, JudgeNames};

/// The most paths that one line names.
const MAX_PATHS: usize = 3;

pub(super) fn view(report: &Report, place: ReadingPlace) -> VerdictView {
    let (not_read, read_by_few) = split_unread(report);
    let mut measures = Vec::new();
    if report.change.files > 0 {
        measures.push(words::change_size(
            report.change,
            &report.outcome.coverage,
            "−",
        ));
    }
    match report.receipt.run.recognised {
        // What the first run took was not spent again.
        Some(_) => measures.push("reused".to_owned()),
        None => {
            measures.push(words::format_duration(report.receipt.run.duration_ms));
            measures.extend(report.receipt.usage.as_ref().and_then(words::usage_words));
        }
    }
    VerdictView {
        verdict: report.outcome.verdict,
        headline: report.bottom_line(GatePolicy::default()).headline,
        next_step: next_step(report, place).unwrap_or_default(),
        subject: report.target.label.clone(),
        measures,
        detail: report.detail.clone(),
        votes: votes(report),
        is_unanimous: failing_since(report).is_none()
            && report.outcome.reason != VerdictReason::StandingObjection
            && report.abstained_judges().next().is_none()
            && report
                .outcome
                .judges
                .iter()
                .all(|j| matches!(j.counted, None | Some(Vote::Pass))),
        not_read: name_files(&not_read),
        read_by_few: name_files(&read_by_few),
    }
}

/// What whoever wants a better verdict does next.
fn next_step(report: &Report, told_at: ReadingPlace) -> Option<String> {
    let failing: Vec<&JudgedFinding> = report.failing_findings().collect();
    let place = told_at.without_talks();
    let gate_fails = report.bottom_line(report.own_gate()).exit_code == exit::FAIL;
    Some(match (report.outcome.verdict, report.outcome.reason) {
        (_, VerdictReason::Interrupted) if place == ReadingPlace::Clone => {
            match resumable_name(report) {
                Some(name) => format!("`git council resume {name}` continues this run and keeps the answers that it has."),
                None => "Review again: this run was interrupted, and what it reviewed cannot be read again.".into(),
            }
        }
        (_, VerdictReason::Interrupted) if place == ReadingPlace::Agent => {
            "Review again: this run was interrupted.".into()
        }
        (_, VerdictReason::Interrupted) => "Run the job again: this run was interrupted.".into(),
        (Verdict::Fail, _) if !failing.is_empty() => fix_or_dismiss(report, &failing, told_at),
        (_, VerdictReason::StandingObjection) => fix_or_dismiss_voted(report, told_at),
        (Verdict::Fail, VerdictReason::CommitFailed) => {
            "Next step: push a commit that fixes what the other review found, or dismiss it with a reason.".into()
        }
        (Verdict::Fail, _) => {
            "Next step: resolve what the judges object to, then review again.".into()
        }
        (Verdict::Warn, _) if gate_fails && !failing.is_empty() => fix_or_dismiss(report, &failing, told_at),
        (Verdict::Warn, VerdictReason::VerdictWithoutFinding) if objects(report) => READ_WHY.into(),
        (Verdict::Warn, _) => return look_again(report, place),
        (Verdict::Inconclusive, VerdictReason::BelowQuorum) => ask_again(report, place),
        (Verdict::Inconclusive, VerdictReason::VerdictWithoutFinding) => {
            READ_WHY.into()
        }
        (Verdict::Inconclusive, VerdictReason::IncompleteCoverage) if is_unreadable(report) => {
            "What could not be read is listed below, each with what to do about it.".into()
        }
        (Verdict::Inconclusive, VerdictReason::IncompleteCoverage) if lacks_long_lines(report) => {
            "Break up the lines that are too long to be shown, or leave their file out: the note below names it.".into()
        }
        (Verdict::Inconclusive, VerdictReason::IncompleteCoverage) => {
            "Split the change or its long lines, or raise `limits.brief`, so that everything is read.".into()
        }
        (Verdict::Inconclusive, VerdictReason::Deadline) => more_time(report, place),
        (Verdict::Inconclusive, _) => go_on(report, place),
        _ => return None,
    })
}

/// What is left to do where a vote and no finding objects.
const READ_WHY: &str =
    "Next step: read why the judges object, below, and mend what they are right about.";

/// Whether a vote that counts says FAIL.
fn objects(report: &Report) -> bool {
    let mut votes = report.supported_votes().into_iter();
    votes.any(|vote| vote.left == Vote::Fail)
}

/// What to do about a critical finding that does not fail the change: somebody has to decide, or another judge to look.
fn look_again(report: &Report, place: ReadingPlace) -> Option<String> {
    let is_open = |finding: &&JudgedFinding| {
        finding.level == Some(FindingLevel::Warn)
            && finding.finding.severity == Severity::Critical
            && words::is_plain_id(&finding.id)
    };
    let finding = report.outcome.findings.iter().find(is_open)?;
    let (id, here) = (&finding.id, place == ReadingPlace::Clone);
    if report.receipt.run.recorded {
        return None;
    }
    if let Some(commit) = finding.since.as_deref().filter(|_| is_pull_request(report)) {
        return Some(look_again_at_kept(report, finding, commit, place));
    }
    match finding.disposition {
        Disposition::Disputed if here => Some(format!(
            "Next step: decide about {id}, on which judges disagree: `git council show {id}` has both sides."
        )),
        // On a page of the forge no line has the finding's id.
        Disposition::Disputed if place != ReadingPlace::Agent => Some(
            "Next step: decide about the critical finding that is disputed; both sides are below, in the details."
                .to_owned(),
        ),
        Disposition::Disputed => Some(format!(
            "Next step: decide about {id}, on which judges disagree; both sides are below."
        )),
        Disposition::Unconfirmed if here && may_debate(report) => Some(format!(
            "Next step: check {id}, which {}; `git council review --debate` has others look at it.",
            who_reports(finding)
        )),
        Disposition::Unconfirmed if here && !report.is_rules_only() => Some(format!(
            "Next step: check {id}, which {}, or have other judges review the change.",
            who_reports(finding)
        )),
        _ => None,
    }
}

/// The same about a finding that an earlier review left open: what was said of it then is in the report of that review.
fn look_again_at_kept(
    report: &Report,
    finding: &JudgedFinding,
    commit: &str,
    place: ReadingPlace,
) -> String {
    let commit = commit.get(..7).unwrap_or(commit);
    let what = match place {
        ReadingPlace::Clone | ReadingPlace::Agent => finding.id.as_str(),
        // On a page of the forge no line has the finding's id.
        _ => "the critical finding that fails nothing",
    };
    let again = whole_again(report, place);
    match finding.disposition {
        Disposition::Disputed => format!(
            "Next step: decide about {what}, on which judges disagreed in the review of {commit}, whose report has both \
             sides; {again}."
        ),
        _ => format!(
            "Next step: check {what}, which {} in the review of {commit}; {again}.",
            who_reports(finding)
        ),
    }
}

/// Who stands behind a finding that is not confirmed: several may be too few, or agree without evidence.
fn who_reports(finding: &JudgedFinding) -> &'static str {
    let members = finding.members.iter().filter(|member| !member.withdrawn);
    let agreed = finding.opinions.iter();
    let agreed = agreed.filter(|opinion| opinion.stance == Stance::Agreed);
    let judges = members
        .map(|member| &member.judge)
        .chain(agreed.map(|opinion| &opinion.judge));
    match judges.collect::<BTreeSet<_>>().len() {
        0 | 1 => "one judge alone reports",
        _ => "too few judges hold with evidence",
    }
}

/// Whether a second round, which these judges did not have, is to be had.
fn may_debate(report: &Report) -> bool {
    let asks_again = |judge: &JudgeRecord| {
        let grant = &judge.grant;
        let message = &Capability::Message;
        grant.granted.has(message) || grant.emulated.contains_key(message)
    };
    // Nobody can judge what others found in a part that it was not shown.
    let is_split = report
        .receipt
        .run
        .brief
        .as_ref()
        .is_some_and(|brief| brief.parts > 1);
    report.outcome.rounds < 2 && !is_split && report.outcome.judges.iter().any(asks_again)
}

/// How to come to a verdict where too few judges answered: what was paid for is kept where the others can still be asked.
fn ask_again(report: &Report, place: ReadingPlace) -> String {
    let is_lost = report.abstained_judges().any(is_lost) && !report.is_rules_only();
    let is_unpaid = is_lost && report.abstained_judges().all(is_unpaid);
    let is_matrix = is_matrix(report);
    let name = resumable_name(report).filter(|_| is_lost && !is_matrix);
    let what = match (place, name) {
        // Whoever asks again under the same bound is turned away again.
        (ReadingPlace::Clone, Some(name)) if is_unpaid => {
            format!(
                "`git council resume {name} --max-cost USD` with a higher bound asks only those that did not"
            )
        }
        (ReadingPlace::Clone | ReadingPlace::Agent, _) if is_unpaid => {
            "then review again with a higher `--max-cost`".to_owned()
        }
        _ if is_unpaid => "then raise `--max-cost` and run the job again".to_owned(),
        (ReadingPlace::Clone, Some(name)) => {
            format!("`git council resume {name}` asks only those that did not")
        }
        (ReadingPlace::Clone, None) if is_matrix => "then run the jobs again".to_owned(),
        (ReadingPlace::Clone | ReadingPlace::Agent, _) => "then review again".to_owned(),
        _ => "then run the job again".to_owned(),
    };
    format!("Too few judges answered for a verdict: see why below; {what}.")
}

/// What whoever has no verdict does next: where a call was lost, the others need not be paid again.
fn go_on(report: &Report, place: ReadingPlace) -> String {
    // A duel whose file was broken is over.
    let is_over = is_matrix(report)
        || report.is_rules_only()
        || report.outcome.reason == VerdictReason::DuelViolation;
    let is_lost =
        place == ReadingPlace::Clone && !is_over && report.outcome.judges.iter().any(is_lost);
    match resumable_name(report).filter(|_| is_lost) {
        Some(name) => {
            format!("`git council resume {name}` asks only for the answers that are missing.")
        }
        None => "Review again: this run has no verdict.".to_owned(),
    }
}

/// Whether the last call of a judge was lost: whoever goes on asks it again.
fn is_lost(judge: &JudgeRecord) -> bool {
    let last = judge.failures.last().map(|failed| failed.failure.kind);
    last.is_some_and(outcome::is_lost)
}

/// Whether it was judged in several jobs and concluded from a folder: no command finds it by its name.
fn is_matrix(report: &Report) -> bool {
    let backend = report.receipt.run.backend.as_ref();
    backend.is_some_and(|backend| backend.name == MATRIX_BACKEND)
}

/// Whether a judge gave no answer because of what the run may cost.
fn is_unpaid(judge: &JudgeRecord) -> bool {
    let last = judge.failures.last().map(|failed| &failed.failure);
    last.is_some_and(|failure| {
        failure.kind == FailureKind::Quota && failure.detail.contains("raise --max-cost")
    })
}

/// How a run whose time was over comes to a verdict: what was paid for is kept where the run can go on.
fn more_time(report: &Report, place: ReadingPlace) -> String {
    match (place, resumable_name(report)) {
        (ReadingPlace::Clone, Some(name)) if !report.is_rules_only() => format!(
            "`git council resume {name} --timeout TIME` gives this run more time and keeps the answers that it has."
        ),
        (ReadingPlace::Clone | ReadingPlace::Agent, _) => {
            "Review again with more time: `--timeout TIME`.".to_owned()
        }
        _ => "Run the job again with more time: `--timeout TIME`.".to_owned(),
    }
}

/// The run's name, where it is one that a shell takes as it is: a report from elsewhere may say anything here.
fn plain_name(report: &Report) -> Option<&str> {
    let name = report.receipt.run.name.as_str();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let is_name =
        name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.chars().all(is_plain);
    is_name.then_some(name)
}

/// The run's name where another command can read again what it reviewed.
fn resumable_name(report: &Report) -> Option<&str> {
    plain_name(report).filter(|_| !report.target.is_standard_input())
}

/// Whether nothing is missing but what could not be read: then neither a smaller change nor a larger budget helps.
fn is_unreadable(report: &Report) -> bool {
    let mut gaps = report.outcome.coverage.gaps();
    gaps.all(|file| matches!(file.state, CoverageState::Unreadable { .. }))
}

/// Whether nothing is missing but ends of lines, of which no budget shows more.
fn lacks_long_lines(report: &Report) -> bool {
    let mut notes = report.outcome.notes.iter();
    notes.any(|note| note.contains(words::TOO_LONG_A_LINE))
}

/// `2 FAIL (security, tests), 1 WARN (error-paths), 2 PASS`: whoever agrees with nobody's complaint is not named.
fn votes(report: &Report) -> String {
    if report.is_document() {
        return String::new();
    }
    let names = JudgeNames::of(&report.outcome.judges);
    let parts = [Vote::Fail, Vote::Warn, Vote::Pass]
        .into_iter()
        .filter_map(|vote| {
            let cast = |j: &&JudgeRecord| j.counted == Some(vote);
            let who: Vec<&str> = report
                .outcome
                .judges
                .iter()
                .filter(cast)
                .map(|j| names.get(&j.seat.judge))
                .collect();
            match (who.len(), vote) {
                (0, _) => None,
                (many, Vote::Pass) => Some(format!("{many} {}", vote.as_str())),
                (many, _) => Some(format!("{many} {} ({})", vote.as_str(), who.join(", "))),
            }
        });
    let mut parts: Vec<String> = parts.collect();
    let abstained = report.abstained_judges().count();
    parts.extend((abstained > 0).then(|| format!("{abstained} abstained")));
    let mut votes = parts.join(", ");
    let aside = report.supported_votes();
    let aside = aside.iter().filter(|vote| vote.is_set_aside()).count();
    if aside > 0 {
        votes.push_str(&format!("; {aside} rested on what was dismissed"));
    }
    if let Some(commit) = failing_since(report) {
        let found = still_open(commit);
        votes.push_str(&format!("; what fails the change was {found}"));
    }
    if outvoted_by_findings(report) {
        votes.push_str("; findings decide, and none of them fails the change");
    }
    if is_failed_by_votes(report) {
        votes.push_str("; more than half fail it, each for a reason that no other judge confirmed");
    }
    votes
}

/// The earlier review that found what fails the change, where this one raised nothing that does: its votes say nothing of it.
fn failing_since(report: &Report) -> Option<&str> {
    let findings = report.outcome.findings.iter();
    let mut failing = findings.filter(|f| f.level == Some(FindingLevel::Fail));
    let first = failing.next()?.since.as_deref()?;
    failing.all(|f| f.since.is_some()).then_some(first)
}

/// Whether somebody voted FAIL and the findings come to WARN: two words that contradict each other without a reason.
fn outvoted_by_findings(report: &Report) -> bool {
    let by_findings = [
        VerdictReason::SignificantConfirmed,
        VerdictReason::CriticalDisputed,
        VerdictReason::CriticalUnconfirmed,
    ];
    let mut judges = report.outcome.judges.iter();
    report.outcome.verdict == Verdict::Warn
        && by_findings.contains(&report.outcome.reason)
        && judges.any(|judge| judge.counted == Some(Vote::Fail))
}

/// Files by their paths, each with the reason why it was not read.
type UnreadFiles = Vec<(String, String)>;

/// Files that were not read, and those that too few read, each with the reason: a finding may be in one of the latter.
fn split_unread(report: &Report) -> (UnreadFiles, UnreadFiles) {
    let files = words::unread_files(&report.outcome.coverage);
    files.into_iter().partition(|(_, why)| !is_read_by_few(why))
}

/// Whether the votes alone make the FAIL: each finding is one judge's, as those are that fail nothing.
fn is_failed_by_votes(report: &Report) -> bool {
    let outcome = &report.outcome;
    let mut findings = outcome.findings.iter();
    outcome.verdict == Verdict::Fail
        && outcome.reason == VerdictReason::CriticalUnconfirmed
        && !findings.any(|found| found.level == Some(FindingLevel::Fail))
}

/// `Cargo.lock (lockfile), a.bin (binary) and 3 more`.
fn name_files(files: &[(String, String)]) -> String {
    let named = files.iter().take(MAX_PATHS);
    let mut named: Vec<String> = named.map(|(path, why)| format!("{path} ({why})")).collect();
    let left = files.len().saturating_sub(MAX_PATHS);
    named.extend((left > 0).then(|| count_noun(left, "more file", "more files")));
    named.join(", ")
}
