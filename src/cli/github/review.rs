//! `git council review --pr N` and `--event`: a pull request from its number to its verdict on every surface.

use std::sync::Arc;

use council_protocol::coverage::FileCoverage;
use council_protocol::{CoverageState, Packet, RepoPath, Side};

use crate::cli::context::CommandContext;
use crate::cli::deliver::ReportOutput;
use crate::cli::github::args::GitHubArgs;
use crate::config::Settings;
use crate::council::Dismissal;
use crate::git::TargetSpec;
use crate::publish::look;
use crate::publish::{
    self, ForgeState, GitHubApi, PublishOptions, ReviewState, ReviewedText, Surface,
};
use crate::report::{CheckConclusion, Report, ReviewSubject, exit};
use crate::run::convene::{self, ConveneOptions};
use crate::run::digests::{self, PlannedDigests};
use crate::run::dismissals::{self, VerdictTerms};
use crate::run::error::RunError;
use crate::run::prepare::{PreparedReview, prepare_spec};
use crate::run::request::ReviewRequest;
use crate::run::shown::remember_verdict;
use crate::session::InterruptSource;

use crate::cli::github::publishing::{
    conclusion_without_report, file_digests, head_moved_error, inspect_pull_request,
    publish_options, publish_report, write_files,
};
use crate::run::github::open_check::OpenCheck;
use crate::run::github::replies::hear_replies;
use crate::run::github::session::GitHubSession;
use crate::run::github::subject::{ReviewCase, find_subject};

/// Reviews what flags or event name, and publishes it where it was asked for.
pub(crate) fn review_pull_request(
    wanted: &ReviewRequest,
    args: &GitHubArgs,
    start: &CommandContext,
) -> Result<u8, RunError> {
    let request = args.to_request();
    let forge = GitHubSession::open(&request, start)?;
    let hub = forge.open_api();
    let mut subject = match find_subject(&request, &forge, &hub, start)? {
        ReviewCase::Subject(subject) => subject,
        ReviewCase::Nothing(why) => {
            start
                .console
                .warning(&format!("nothing is reviewed: {why}"));
            return Ok(exit::OK);
        }
        ReviewCase::Moved { meant, now } => return Err(head_moved_error(&meant, &now)),
    };
    let proposal = subject.fetch_proposal(&request, &forge, &hub, start)?;
    let mut prepared = prepare_spec(wanted, start, TargetSpec::Proposal(proposal))?;
    let start = start.with_settings(&prepared.config.settings);
    let settings = prepared.config.settings.clone();
    let mut wishes = publish_options(args, &forge, &subject.head, Some(&settings));
    wishes.lines = publish::DiffLines::of_files(&prepared.packet.files);
    wishes.files = file_digests(&prepared.change, &prepared.packet.files);
    let PlannedDigests { key, rules } = digests::digests_before_run(&prepared, wanted.deep)?;
    wishes.rules = rules;
    let author = subject.talk.as_ref().map(|talk| talk.author.clone());
    let (mut seen, troubles) = inspect_pull_request(&mut subject, &hub, &wishes);
    let threads = seen.threads.as_deref().unwrap_or_default();
    let author = author.unwrap_or_default();
    let heard = hear_replies(&hub, threads, &author, &prepared.redactor);
    (wishes.answers, prepared.dismissed) = (heard.answers, heard.dismissals);
    let mut before = seen.state().filter(|_| !args.full);
    let recognised = before
        .as_ref()
        .filter(|state| is_recognised(state, &key, &seen, &wishes))
        // A file without its findings would close alerts that are open.
        .filter(|state| {
            !state.shortened
                || (prepared.dismissed.is_empty()
                    && args.sarif.is_none()
                    && args.html.is_none()
                    && wanted.output.is_none())
        })
        .and_then(|state| state.recognised_report(&key));
    let recognised = recognised.or_else(|| {
        let number = subject.queued.filter(|_| !args.full)?;
        verdict_of_request(number, &key, &hub, &wishes)
    });
    if let Some(report) = recognised {
        if is_newly_dismissed(&report, &prepared) {
            // The check tells of the verdict before the dismissal.
            seen.check = None;
        }
        if before.as_ref().is_some_and(|state| state.shortened) {
            // What stands on the pull request holds the findings, and this report does not: it is left as it is.
            let of_job = |surface: &Surface| {
                matches!(
                    surface,
                    Surface::Summary | Surface::Annotations | Surface::Outputs
                )
            };
            wishes.surfaces.retain(of_job);
        }
        let report = report_over(report, &prepared);
        let delivered = deliver(&report, (wanted, args), &settings, &mut wishes, &start)?;
        remember_verdict(&report, &start);
        let code = publish_report(&report, &seen, troubles, &wishes, &hub, &start);
        return Ok(if code == exit::OK { delivered } else { code });
    }
    if let Some(before) = &mut before {
        let dropped = drop_dismissed(before, &prepared.dismissed);
        prepared.notes.extend(dropped);
    }
    let again = skip_unchanged_files(&mut prepared, before.as_ref(), &wishes);
    // From here on somebody sees that we are at work: whoever ends us is heard, and it is said.
    let interrupts = InterruptSource::from_now_on()
        .map_err(|error| RunError::run(format!("cannot listen for signals: {error}")))?;
    let check = OpenCheck::begin_check(
        &hub,
        &mut seen,
        &wishes,
        troubles
            .iter()
            .any(|(surface, _)| *surface == Surface::Check),
    );
    let blobs = Arc::clone(&prepared.change.blobs);
    let options = ConveneOptions {
        deep: wanted.deep,
        fresh: true,
        on_named: None,
        interrupts,
    };
    let mut report = match convene::convene_review(prepared, options, &start) {
        Ok(report) => report,
        Err(error) => {
            check.end_with(
                conclusion_without_report(args.advisory),
                "the review failed",
                &error.message,
            );
            return Err(error);
        }
    };
    report.receipt.run.recognition_key = Some(key);
    if let Some(before) = &before {
        wishes.since = Some(before.head.clone());
        let judged = |path: &RepoPath| {
            again
                .as_ref()
                .is_none_or(|kept| !kept.contains(&path.display().into_owned()))
        };
        let read = |path: &RepoPath| match blobs.read(Side::New, path) {
            Ok(Some(bytes)) => ReviewedText::Text(String::from_utf8_lossy(&bytes).into_owned()),
            Ok(None) => ReviewedText::Gone,
            Err(_) => ReviewedText::Unreadable,
        };
        wishes.carried = before.carry_findings(&report, &judged, &read);
        publish::absorb_carried(&mut report, &wishes.carried);
    }
    let delivered = deliver(&report, (wanted, args), &settings, &mut wishes, &start)?;
    remember_verdict(&report, &start);
    if let Some(pull) = seen
        .pull
        .as_ref()
        .map(|pull| pull.number)
        .filter(|_| forge.has_token)
    {
        // Just before anything is posted: is it still about the tip?
        match look::fetch_conversation(&hub, pull, &wishes.council, None) {
            Ok(now) if now.pull.head != wishes.head => {
                let error = head_moved_error(&wishes.head, &now.pull.head);
                check.end_with(CheckConclusion::Cancelled, "superseded", &error.message);
                return Err(error);
            }
            Ok(now) => (seen.threads, seen.reviews) = (Some(now.threads), now.reviews),
            Err(error) => start.console.warning(&error.to_string()),
        }
    }
    let code = publish_report(&report, &seen, troubles, &wishes, &hub, &start);
    check.mark_reported();
    Ok(if code == exit::OK { delivered } else { code })
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
) -> Option<Report> {
    let talk = look::fetch_conversation(hub, number, &wishes.council, None).ok()?;
    let reports = look::fetch_reports(hub, number, &wishes.council, &talk.me, None).ok()?;
    let state = reports.first()?.state()?;
    let head = &talk.pull.head;
    let check = look::fetch_check(hub, head, &wishes.check_name, &wishes.council).ok()??;
    let is_witnessed = check.completed && check.external_id.ends_with(&key[..32]);
    let is_same = state.head == *head && !state.shortened;
    (is_witnessed && is_same)
        .then(|| state.recognised_report(key))
        .flatten()
}

/// The report of the run that judged this change, over the change as it stands. Nobody is asked again.
fn report_over(mut report: Report, prepared: &PreparedReview) -> Report {
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
fn is_newly_dismissed(report: &Report, prepared: &PreparedReview) -> bool {
    let is_it = |dismissal: &Dismissal| {
        let mut findings = report.outcome.findings.iter();
        findings.any(|f| f.fingerprint == dismissal.fingerprint && f.level.is_some())
    };
    prepared.dismissed.iter().any(is_it)
}

/// Takes findings out of what is carried on that somebody has dismissed since; says which.
fn drop_dismissed(before: &mut ReviewState, dismissals: &[Dismissal]) -> Vec<String> {
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

/// Shows the report on standard output and in every file that was asked for; says how the program ends.
fn deliver(
    report: &Report,
    (wanted, args): (&ReviewRequest, &GitHubArgs),
    settings: &Settings,
    wishes: &mut PublishOptions,
    start: &CommandContext,
) -> Result<u8, RunError> {
    let file = wanted.output.as_deref().map(|file| start.dir.join(file));
    let output = ReportOutput {
        gate: wishes.gate,
        ..ReportOutput::from_settings(settings, file.as_deref())
    };
    let code = output.deliver_report(report, start);
    write_files(report, args, wishes, start)?;
    Ok(code)
}

/// Takes out what was judged before under the same rules; says which files those are. Nothing is taken out when nothing
/// would be left: a council over nothing has no verdict.
fn skip_unchanged_files(
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
