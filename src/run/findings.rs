//! Findings of past runs, by id or fingerprint.

use council_protocol::Proof;
use council_protocol::packet::TargetKind;

use crate::council::outcome::{Disposition, FindingLevel, FindingMember, JudgedFinding, Verdict};
use crate::council::readable_description;
use crate::council::reproduction::{ReproductionRecord, ReproductionStanding};
use crate::git;
use crate::report::{FailOn, Report};
use crate::run::context::RunContext;
use crate::run::dismissals;
use crate::run::error::RunError;
use crate::run::shown::{self, ShownReport};
use crate::run::store;
use crate::text::Untrusted;

/// The fewest digits of a fingerprint that name a finding.
const MIN_FINGERPRINT_DIGITS: usize = 4;

/// A finding with the report that it stands in.
pub(crate) struct FoundFinding {
    pub(crate) finding: JudgedFinding,
    pub(crate) report: Report,
    /// What the report is about that is not about what lies here now: its `F1` may be none of those that are meant.
    pub(crate) elsewhere: Option<Elsewhere>,
}

/// A report that is not about what lies here.
pub(crate) struct Elsewhere {
    /// "about 1a2b3c4d5, not about HEAD, …"
    pub(crate) about: String,
    /// Whether it was the report of what lay here then, and what lies here now does not come from that: of another branch.
    pub(crate) is_other_branch: bool,
}

impl FoundFinding {
    /// The tests that judges brought about it, those that prove it first.
    pub(crate) fn tests(&self) -> Vec<&ReproductionRecord> {
        let all = self.report.outcome.ledger.reproductions.iter();
        let own = self.finding.id.as_str();
        let about = all.filter(|r| r.finding.as_deref() == Some(own));
        let mut about: Vec<_> = about.collect();
        about.sort_by_key(|r| r.standing != ReproductionStanding::Proved);
        about
    }
}

/// Whether a word can be a finding: an id (`F1`) or a fingerprint. A name of a run or of a rule cannot.
pub(crate) fn may_name_finding(word: &str) -> bool {
    let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    let is_id = word.strip_prefix(['F', 'f']).is_some_and(is_number);
    let is_fingerprint =
        word.len() >= MIN_FINGERPRINT_DIGITS && word.bytes().all(|b| b.is_ascii_hexdigit());
    is_id || is_fingerprint
}

/// The finding of that id in the report shown last, or in a run that is named; or of that fingerprint in any of them.
pub(crate) fn find_finding(
    start: &RunContext,
    id: &str,
    run: Option<&str>,
) -> Result<FoundFinding, RunError> {
    let meant = match run {
        Some(_) => store::find_run(start, run)?.report()?,
        None => meant_report(start, id)?,
    };
    let by_id = meant.as_ref().and_then(|report| {
        Some(FoundFinding {
            finding: finding_of(report, id)?,
            report: report.clone(),
            elsewhere: None,
        })
    });
    if let Some(mut found) = by_id {
        if run.is_none() {
            found.elsewhere = elsewhere(&found.report, start);
        }
        return Ok(found);
    }
    let mut reports: Vec<Report> = meant.into_iter().collect();
    if run.is_none() {
        // A fingerprint means the same in every worktree.
        let all = store::list_runs(start)?.into_iter();
        reports.extend(all.filter_map(|(_, report)| report));
    }
    by_fingerprint(&reports, id)
}

/// The report shown last, else that of this worktree's latest run. A run that ended since, e.g. one in the background, may
/// call another finding the same: then nobody can say which one is meant.
fn meant_report(start: &RunContext, id: &str) -> Result<Option<Report>, RunError> {
    let runs = store::list_own_runs(start)?;
    let shown = shown::last_shown(start);
    if let Some(last @ ShownReport { report, at }) = &shown {
        let unseen = runs.iter().filter(|(past, _)| past.ended() > *at);
        let unseen = unseen.filter_map(|(_, other)| other.as_ref());
        // One that was reused leaves no run.
        let reused = shown::given_since(last, start);
        let others = unseen
            .chain(&reused)
            .filter_map(|other| finding_of(other, id));
        let meant = finding_of(report, id);
        let mut others = others.filter(|other| {
            meant
                .as_ref()
                .is_some_and(|meant| meant.fingerprint != other.fingerprint)
        });
        if let (Some(other), Some(meant)) = (others.next(), meant) {
            let message = format!(
                "{id} is ambiguous: {} in the report shown last, {} in a run that ended since",
                name_finding(&meant),
                name_finding(&other)
            );
            let hint = format!(
                "use the fingerprint: {} or {}",
                meant.fingerprint, other.fingerprint
            );
            return Err(RunError::usage(message).hint(hint));
        }
    }
    let latest = runs.into_iter().find_map(|(_, report)| report);
    Ok(shown.map(|shown| shown.report).or(latest))
}

fn elsewhere(report: &Report, start: &RunContext) -> Option<Elsewhere> {
    // Files that are mended one after the other, each by its number, change what is uncommitted.
    let about = shown::about_other(report, start).filter(|about| about.starts_with("about "))?;
    let target = &report.target;
    // Who names another commit or branch to be reviewed means that one.
    let was_here = target.kind == TargetKind::Branch || target.label.starts_with("HEAD");
    let is_left = |head: &str| {
        let holds = git::head_holds(&start.dir, &start.git_environment(), head);
        matches!(holds, Ok(false))
    };
    Some(Elsewhere {
        about,
        is_other_branch: was_here && target.head.as_deref().is_some_and(is_left),
    })
}

impl FoundFinding {
    /// Tells whoever names the finding by its number that the report is about something else.
    pub(crate) fn warn_of_place(&self, start: &RunContext) {
        if let Some(elsewhere) = &self.elsewhere {
            start.notifier.warn(&format!(
                "{} is one of a report {}",
                self.finding.id, elsewhere.about
            ));
        }
    }
}

fn finding_of(report: &Report, id: &str) -> Option<JudgedFinding> {
    let mut findings = report.outcome.findings.iter();
    findings.find(|f| f.id.eq_ignore_ascii_case(id)).cloned()
}

fn by_fingerprint(reports: &[Report], id: &str) -> Result<FoundFinding, RunError> {
    let printed = id.len() >= MIN_FINGERPRINT_DIGITS && id.bytes().all(|b| b.is_ascii_hexdigit());
    let begins =
        |f: &&JudgedFinding| printed && f.fingerprint.starts_with(&id.to_ascii_lowercase());
    let mut found: Vec<FoundFinding> = Vec::new();
    for report in reports {
        for finding in report.outcome.findings.iter().filter(begins) {
            let is_known = |other: &FoundFinding| other.finding.fingerprint == finding.fingerprint;
            if !found.iter().any(is_known) {
                found.push(FoundFinding {
                    finding: finding.clone(),
                    report: report.clone(),
                    // A fingerprint means one finding, wherever it is told of.
                    elsewhere: None,
                });
            }
        }
    }
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => Err(unknown_finding(reports, id)),
        several => Err(
            RunError::usage(format!("{several} findings begin with {id:?}"))
                .hint("write more digits of the fingerprint"),
        ),
    }
}

/// An id such as `F1` is of the report shown last; another one may have it, too.
fn unknown_finding(reports: &[Report], id: &str) -> RunError {
    let run_of = |report: &Report| report.receipt.run.name.clone();
    let in_report = |report: &Report| Some((run_of(report), finding_of(report, id)?));
    let shown = reports.first().map(run_of).unwrap_or_default();
    match reports.iter().find_map(in_report) {
        Some((other, finding)) => RunError::usage(format!(
            "the report shown last, {shown}, has no finding {id:?}; {other} has one, {}",
            name_finding(&finding)
        ))
        .hint(format!("use its fingerprint: {}", finding.fingerprint)),
        None => RunError::usage(format!("no report has a finding {id:?}")).hint(
            "`git council show` lists the findings of the latest run; `dismiss`, `apply` and `explain` also take --run NAME",
        ),
    }
}

/// Refuses a verdict that counts a finding as dismissed whose dismissal this user has taken back since: it is greener than
/// the one that a review gives now.
///
/// # Errors
/// `run`, with the findings.
pub(crate) fn refuse_taken_back(report: &Report, start: &RunContext) -> Result<(), RunError> {
    let back = taken_back(report, start)?;
    if back.is_empty() {
        return Ok(());
    }
    let message = format!(
        "the report of {} counts as dismissed what counts again: {}",
        report.receipt.run.name,
        back.join(", ")
    );
    Err(RunError::run(message).hint("for the verdict of today: git council review"))
}

/// The findings that a report counts as dismissed and that count again, as they are named.
pub(crate) fn taken_back(report: &Report, start: &RunContext) -> Result<Vec<String>, RunError> {
    let decisions = dismissals::own_decisions(start)?;
    let is_back = |found: &&JudgedFinding| {
        let decided = decisions.get(&found.fingerprint);
        found.dismissed.is_some() && decided.is_some_and(Option::is_none)
    };
    let back = report.outcome.findings.iter().filter(is_back);
    Ok(back.map(name_finding).collect())
}

/// Which finding it is, for a person: `F1 (new-unwrap) at src/a.rs:3`.
pub(crate) fn name_finding(finding: &JudgedFinding) -> String {
    let said = &finding.finding;
    let rule = said.rule.as_deref().unwrap_or(&said.category);
    let rule = if rule.is_empty() { "no rule" } else { rule };
    let at = &said.location;
    // A finding about a file as a whole has no line.
    let line = match at.line {
        0 => String::new(),
        line => format!(":{line}"),
    };
    let name = format!("{} ({rule}) at {}{line}", finding.id, at.path.display());
    Untrusted::new(&name).line()
}

/// How bad it is and what it counts: `critical · confirmed · it fails the change`. Why it does not count, where it does not.
pub(crate) fn describe_standing(finding: &JudgedFinding, report: &Report) -> String {
    let severity = finding.finding.severity.as_str();
    let state = match finding.disposition {
        Disposition::Confirmed => "confirmed",
        Disposition::Disputed => "disputed",
        Disposition::Unconfirmed => "unconfirmed",
        Disposition::Rejected => "rejected",
    };
    let counts = match (finding.level, &finding.dismissed) {
        (Some(FindingLevel::Fail), _) => "it fails the change".to_owned(),
        (Some(FindingLevel::Warn), _) if report.own_gate().fail_on == FailOn::Warn => {
            "it fails the run, since fail-on is warn".to_owned()
        }
        (Some(FindingLevel::Warn), _) if report.outcome.verdict == Verdict::Warn => {
            "it makes the verdict a WARN".to_owned()
        }
        (Some(FindingLevel::Warn), _) => "it warns".to_owned(),
        (Some(FindingLevel::Note), _) => "a note: it changes no verdict".to_owned(),
        (None, Some(dismissal)) => {
            let day = dismissal.at.get(..10).unwrap_or(&dismissal.at);
            format!(
                "it does not count: {} dismissed it on {day}, {}: {}",
                dismissal.by,
                dismissal.ground.words(),
                dismissal.because
            )
        }
        (None, None) => format!("it does not count: {}", why_rejected(finding)),
    };
    Untrusted::new(&format!("{severity} · {state} · {counts}")).line()
}

fn why_rejected(finding: &JudgedFinding) -> &'static str {
    let unproven = |member: &FindingMember| matches!(member.proof, Proof::Unverified { .. });
    match finding.members.iter().all(unproven) {
        true => "what it quotes does not stand in the reviewed code",
        false => "it was taken back, or refuted with evidence, and nobody holds it",
    }
}

/// `path:line description`.
pub(crate) fn describe_finding(finding: &JudgedFinding) -> String {
    let at = &finding.finding.location;
    format!(
        "{}:{} {}",
        at.path.display(),
        at.line,
        readable_description(&finding.finding.description)
    )
}
