//! The verdict on one line, what has to happen for a better one, and who voted how.

use std::collections::BTreeSet;

use council_protocol::answer::Stance;
use council_protocol::message::FailureKind;
use council_protocol::packet::TargetKind;
use council_protocol::{Capability, CoverageState, Severity, Vote};

use super::model::{ReadingPlace, VerdictView};
use crate::council::is_read_by_few;
use crate::council::outcome::{
    self, Disposition, FindingLevel, JudgeRecord, JudgedFinding, Verdict, VerdictReason,
};
use crate::report::bottom_line::count_noun;
use crate::report::bottom_line::{GatePolicy, exit};
use crate::report::earlier::still_open;
use crate::report::facts::MATRIX_BACKEND;
use crate::report::places;
use crate::report::whole::Report;
use crate::report::words::{self, JudgeNames};
use crate::text::page_url;

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
fn next_step(report: &Report, place: ReadingPlace) -> Option<String> {
    let failing: Vec<&str> = report.failing_findings().map(|f| f.id.as_str()).collect();
    let gate_fails = report.bottom_line(report.own_gate()).exit_code == exit::FAIL;
    Some(match (report.outcome.verdict, report.outcome.reason) {
        (_, VerdictReason::Interrupted) if place == ReadingPlace::Clone => {
            match resumable_name(report) {
                Some(name) => format!("`git council resume {name}` continues this run and keeps the answers that it has."),
                None => "Review again: this run was interrupted, and what it reviewed cannot be read again.".into(),
            }
        }
        (_, VerdictReason::Interrupted) => "Run the job again: this run was interrupted.".into(),
        (Verdict::Fail, _) if !failing.is_empty() => fix_or_dismiss(report, &failing, place),
        (Verdict::Fail, VerdictReason::CommitFailed) => {
            "Next step: push a commit that fixes what the other review found, or dismiss it with a reason.".into()
        }
        (Verdict::Fail, _) => {
            "Next step: resolve what the judges object to, then review again.".into()
        }
        (Verdict::Warn, _) if gate_fails && !failing.is_empty() => fix_or_dismiss(report, &failing, place),
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
        (Verdict::Inconclusive, _) => "Review again: this run has no verdict.".into(),
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

/// What takes away the findings that fail the change, with what can be done where it is read.
fn fix_or_dismiss(report: &Report, failing: &[&str], place: ReadingPlace) -> String {
    let what = if report.outcome.verdict == Verdict::Warn {
        "run"
    } else {
        "change"
    };
    let (which, them) = match failing.len() {
        1 => (format!("the finding that fails the {what}"), "it"),
        many => (format!("the {many} findings that fail the {what}"), "them"),
    };
    match place {
        // An id of a recording is that of another finding in the reader's own last report.
        _ if report.receipt.run.recorded => format!(
            "In a review of your own the next step would be to fix {which}, or to dismiss {them} with a reason."
        ),
        // Of a pull request, what is dismissed here alone is not dismissed in its next job.
        ReadingPlace::Clone if report.target.kind == TargetKind::PullRequest => format!(
            "Next step: fix {which}, or have somebody with write access, other than the author, dismiss {them} on the \
             pull request: reply `/council dismiss because …` to its comment (`--publish review` posts one)."
        ),
        ReadingPlace::Clone => {
            let ids = named_for_dismissal(failing);
            format!(
                "Next step: fix {which}, or dismiss {them}: `git council dismiss {ids} --because '…'`."
            )
        }
        ReadingPlace::Agent => {
            format!(
                "Next step: fix {which}, or propose with the tool `dismiss` that {them} be dismissed."
            )
        }
        ReadingPlace::Conversation => format!(
            "Next step: fix {which}, or have somebody with write access, other than the author, reply \
             `/council dismiss because …` in the conversation about {them}."
        ),
        ReadingPlace::SomeConversations => format!(
            "Next step: fix {which}, or have somebody with write access, other than the author, reply `/council dismiss \
             because …` in the conversation about each that has one; what to do about the others: {}",
            dismissal_page(report)
        ),
        ReadingPlace::Forge => {
            let page = dismissal_page(report);
            format!("Next step: fix {which}, or dismiss {them} with a reason: {page}")
        }
    }
}

/// The page that says how a finding is dismissed.
fn dismissal_page(report: &Report) -> String {
    page_url(&report.receipt.run.version, "docs/warn-and-merge.md")
}

/// Findings as `dismiss` takes them: `F1-F4 F7`. Where that is long, `ID` stands for it.
fn named_for_dismissal(failing: &[&str]) -> String {
    const MAX_WORDS: usize = 6;
    let words = places::join_ids(failing.iter().copied());
    match failing.iter().all(|id| words::is_plain_id(id)) && words.len() <= MAX_WORDS {
        true => words.join(" "),
        false => "ID".to_owned(),
    }
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
    let is_lost = |judge: &JudgeRecord| {
        let last = judge.failures.last().map(|failed| failed.failure.kind);
        last.is_some_and(outcome::is_lost)
    };
    let is_lost = report.abstained_judges().any(is_lost) && !report.is_rules_only();
    let is_unpaid = is_lost && report.abstained_judges().all(is_unpaid);
    // What was judged in several jobs is concluded from a folder: no command finds it by its name.
    let backend = report.receipt.run.backend.as_ref();
    let is_matrix = backend.is_some_and(|backend| backend.name == MATRIX_BACKEND);
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
