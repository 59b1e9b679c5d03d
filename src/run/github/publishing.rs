//! From a report to GitHub: looks, plans, applies, and says what could not be shown where.

use std::path::PathBuf;

use council_protocol::{BlobSource, FileChange, RepoPath};

use crate::config::Settings;
use crate::council::Dismissal;
use crate::git::Proposal;
use crate::publish::look;
use crate::publish::{
    self, DiffLines, ForgeState, GitHubApi, GitHubError, PublishAction, PublishContext,
    PublishOptions, ReviewState, Surface, WorkflowJob, find_quote_places,
};
use crate::report::{self, GatePolicy, Report, ReportSource, exit};
use crate::run::context::RunContext;
use crate::run::error::RunError;

use crate::run::github::claim::{ClaimedReview, check_claim};
use crate::run::github::earlier::{QueuedRequest, read_reviewed};
use crate::run::github::failed_commit::{CheckFailure, CommitFailure, keep_failed, may_set_status};
use crate::run::github::inspect::{head_moved_error, inspect_pull_request};
use crate::run::github::meanwhile::{add_meanwhile, stand_by_objection};
use crate::run::github::replies::hear_replies;
use crate::run::github::request::GitHubRequest;
use crate::run::github::scope::{refuse_forgetting, refuse_other_change, refuse_part};
use crate::run::github::session::GitHubSession;
use crate::run::github::subject::{PullSubject, ReviewCase, find_subject};
use crate::run::output_file::write_output;
use crate::run::page::render_artefact;
use crate::run::redaction::user_redactor;
use crate::text::Untrusted;

/// What is to be published, and where.
#[derive(Debug, Clone)]
pub(crate) struct PublishRequest {
    /// What it is about.
    pub(crate) about: GitHubRequest,
    pub(crate) surfaces: Vec<Surface>,
    /// The most comments on lines.
    pub(crate) inline: usize,
    /// A check ends as neutral where there is no verdict.
    pub(crate) advisory: bool,
    /// Nothing of the last run is taken over.
    pub(crate) full: bool,
    /// Where the report is written, too.
    pub(crate) sarif: Option<PathBuf>,
    pub(crate) html: Option<PathBuf>,
}

impl PublishRequest {
    /// The same with what whoever asked for the review wants besides.
    pub(super) fn of_subject(&self, subject: &PullSubject) -> Self {
        Self {
            full: self.full || subject.full,
            ..self.clone()
        }
    }
}

/// What is asked for, as far as it is known before the report is.
pub(super) fn publish_options(
    wanted: &PublishRequest,
    forge: &GitHubSession,
    head: &str,
    settings: Option<&Settings>,
) -> PublishOptions {
    PublishOptions {
        surfaces: wanted.surfaces.iter().copied().collect(),
        inline: wanted.inline,
        gate: GatePolicy {
            fail_on: settings
                .map(|settings| settings.review.fail_on)
                .unwrap_or_default(),
            advisory: wanted.advisory,
        },
        details_url: forge.job_url.clone(),
        full: wanted.full,
        repository_url: Some(format!("{}/{}", forge.server, forge.slug)),
        ..PublishOptions::new(&wanted.about.council_name, head)
    }
}

/// What is needed to publish in the job that runs, where no pull request is.
pub(crate) struct JobPublication {
    wanted: PublishRequest,
    forge: GitHubSession,
}

impl JobPublication {
    /// # Errors
    ///
    /// No repository is named, or a variable of the job is wrong.
    pub(crate) fn open(wanted: PublishRequest, start: &RunContext) -> Result<Self, RunError> {
        let forge = GitHubSession::open(&wanted.about, start)?;
        Ok(Self { wanted, forge })
    }
}

/// Publishes in the job that runs; how the program ends.
pub(crate) fn publish_in_job(
    report: &Report,
    JobPublication { wanted, forge }: &JobPublication,
    lines: DiffLines,
    settings: &Settings,
    job: &mut dyn WorkflowJob,
    start: &RunContext,
) -> u8 {
    let hub = forge.open_api();
    let head = report.target.head.as_deref().unwrap_or_default();
    let wishes = PublishOptions {
        lines,
        ..publish_options(wanted, forge, head, Some(settings))
    };
    let seen = ForgeState::default();
    let ended = publish_report(report, &seen, Vec::new(), (&wishes, &hub), job, start);
    ended.exit_code
}

/// What came of a publication.
pub(super) struct EndedPublication {
    pub(super) exit_code: u8,
    /// What was done on the forge, a line each.
    pub(super) done: Vec<String>,
}

/// Plans and applies; says what went wrong, and how the program ends.
pub(super) fn publish_report(
    report: &Report,
    seen: &ForgeState,
    troubles: Vec<(Surface, GitHubError)>,
    (wishes, hub): (&PublishOptions, &GitHubApi<'_>),
    job: &mut dyn WorkflowJob,
    start: &RunContext,
) -> EndedPublication {
    let mut actions = publish::plan_actions(report, seen, wishes);
    let failed = |surface: Surface| troubles.iter().any(|(trouble, _)| *trouble == surface);
    actions.retain(|action| !failed(action.surface()));
    let context = PublishContext { hub, seen, wishes };
    let applied = publish::apply_plan(actions, troubles, report, &context, job);
    for done in &applied.done {
        if start.notifier.is_verbose() {
            start.notifier.log(done);
        }
    }
    for note in &applied.notes {
        start.notifier.warn(note);
    }
    for (surface, error) in &applied.failed {
        let hint = error
            .hint()
            .map(|hint| format!("; {hint}"))
            .unwrap_or_default();
        start
            .notifier
            .warn(&format!("{}: {error}{hint}", surface.as_str()));
    }
    for (surface, why) in &applied.missing {
        start.notifier.warn(&format!("{}: {why}", surface.as_str()));
    }
    let line = report.bottom_line(wishes.gate);
    EndedPublication {
        exit_code: match applied.is_published() {
            true => line.exit_code,
            false => line.unpublished_code(),
        },
        done: applied.done,
    }
}

/// Writes the report as SARIF and as a page where that was asked for. A check then leads to the job's artefacts, where the
/// action puts the page.
pub(super) fn write_files(
    report: &Report,
    wanted: &PublishRequest,
    wishes: &mut PublishOptions,
    start: &RunContext,
) -> Result<(), RunError> {
    if let Some(file) = &wanted.sarif {
        let path = start.dir.join(file);
        write_output(&path, report::sarif::render(report, report.own_gate()))?;
        let output = ("sarif-path", path.display().to_string());
        wishes.outputs.push(output);
    }
    if let Some(file) = &wanted.html {
        let path = start.dir.join(file);
        write_output(&path, render_artefact(report, start))?;
        let output = ("html-path", path.display().to_string());
        wishes.outputs.push(output);
        let job = wishes.details_url.take();
        wishes.details_url = job.map(|url| format!("{url}#artifacts"));
    }
    Ok(())
}

/// A finished run, or a report from elsewhere, to the pull request that flags or event name; how the program ends.
/// Without a job nothing is posted, and what would be is told. Of a run that has just ended (`show`) the report is shown as
/// it will stand there, with what another job has published while it was at work.
pub(crate) fn publish_run(
    report: Report,
    source: ReportSource,
    change: Option<(&[FileChange], Option<&dyn BlobSource>)>,
    wanted: &PublishRequest,
    job: Option<&mut dyn WorkflowJob>,
    show: Option<&mut dyn FnMut(&Report)>,
    start: &RunContext,
) -> Result<(u8, Option<String>), RunError> {
    let forge = GitHubSession::open(&wanted.about, start)?;
    let hub = forge.open_api();
    let mut subject = match find_subject(&wanted.about, &forge, &hub, start)? {
        ReviewCase::Subject(subject) => subject,
        ReviewCase::Nothing(why) => {
            start.notifier.warn(&format!("nothing is published: {why}"));
            return Ok((exit::OK, None));
        }
        ReviewCase::Moved { meant, now } => return Err(head_moved_error(&meant, &now)),
    };
    let wanted = &wanted.of_subject(&subject);
    refuse_other_change(&report, &subject)?;
    let mut wishes = publish_options(wanted, &forge, &subject.head, None);
    let digest = report.receipt.run.digests.change.clone();
    wishes.judged.digest = digest.unwrap_or_default();
    let author = subject.talk.as_ref().map(|talk| talk.author.clone());
    let (mut seen, mut troubles) = inspect_pull_request(&mut subject, &hub, &wishes)?;
    let before = seen.state().filter(|_| !wanted.full);
    let threads = seen.threads.as_deref().unwrap_or_default();
    let (last, author) = (seen.state(), author.unwrap_or_default());
    let redactor = user_redactor(start)?;
    let heard = hear_replies(&hub, threads, last.as_ref(), &author, &redactor);
    // A status stands in for a check that may not be written.
    let by_status = [Surface::Status, Surface::Check];
    if source == ReportSource::UnprivilegedJob
        && by_status
            .iter()
            .any(|surface| wishes.surfaces.contains(surface))
    {
        seen.status = look::fetch_status(&hub, &wishes.head, &wishes.check_name)?;
    }
    let mut report = match source {
        ReportSource::ThisProgram => {
            let mut report = report;
            if show.is_some() {
                add_meanwhile(&mut report, before.as_ref());
            }
            refuse_forgetting(&report, before.as_ref(), &subject)?;
            add_meanwhile(&mut report, before.as_ref());
            if show.is_some() && !wanted.full {
                let left = find_left(before.as_ref(), &subject, wanted, &forge, &hub)?;
                let digest = &wishes.judged.digest;
                stand_by_objection(&mut report, left.as_ref(), digest, &heard.dismissals);
            }
            // Code that this report no longer finds may come back with another push.
            let gone = before.as_ref().map(|before| before.gone_after(&report));
            wishes.judged.gone = gone.unwrap_or_default();
            // Of a run of the past its files are no longer at hand.
            if let Some((files, Some(blobs))) = change {
                let read = |path: &RepoPath| read_reviewed(blobs, path);
                wishes.judged.quotes = find_quote_places(&report, &read, files);
            }
            report
        }
        ReportSource::UnprivilegedJob => {
            let claim = ClaimedReview {
                report,
                before: before.as_ref(),
                dismissed: &heard.dismissals,
            };
            check_claim(claim, &wanted.about, &subject, &forge, &hub, start)?
        }
    };
    refuse_part(&report, &subject, start)?;
    wishes.answers = heard.answers_over(&report, seen.threads.as_deref().unwrap_or_default());
    wishes.gate = GatePolicy {
        advisory: wanted.advisory,
        ..report.own_gate()
    };
    let failure = CommitFailure {
        check: CheckFailure::standing(&seen, &wishes),
        asks_status: may_set_status(&wishes, false),
        on_page: before.is_some_and(|before| before.has_failed(&wishes.head)),
    };
    keep_failed(&mut report, &mut wishes, failure, &mut troubles, &hub);
    let report = &report;
    if let Some(show) = show {
        show(report);
    }
    wishes.lines = match (change, &subject.pull) {
        (Some((files, _)), _) => DiffLines::of_files(files),
        (None, Some(pull)) if wishes.surfaces.contains(&Surface::Review) => {
            look::fetch_diff_lines(&hub, pull.number)?
        }
        _ => DiffLines::default(),
    };
    write_files(report, wanted, &mut wishes, start)?;
    if let Some(job) = job {
        let ended = publish_report(report, &seen, troubles, (&wishes, &hub), job, start);
        let headline = report.bottom_line(wishes.gate).headline;
        // A report from elsewhere calls itself as it likes.
        let run = Untrusted::new(&report.receipt.run.name).line();
        let mut told = format!(
            "{headline} · {run} · {}\n",
            Untrusted::new(subject.label()).line()
        );
        match ended.done.is_empty() {
            true => told.push_str(NOTHING_TO_DO),
            false => told.extend(ended.done.iter().map(|done| format!("  {done}\n"))),
        }
        return Ok((ended.exit_code, Some(told)));
    }
    for (surface, error) in &troubles {
        start
            .notifier
            .warn(&format!("{}: {error}", surface.as_str()));
    }
    let mut text = String::new();
    for action in publish::plan_actions(report, &seen, &wishes) {
        text.push_str(&format!(
            "{}: {}\n",
            action.surface().as_str(),
            action.describe()
        ));
        if start.notifier.is_verbose() {
            text.push_str(&render_call(&action, &hub));
        }
    }
    if text.is_empty() {
        text.push_str(NOTHING_TO_DO);
    }
    Ok((report.bottom_line(wishes.gate).exit_code, Some(text)))
}

/// What is said where nothing would change.
const NOTHING_TO_DO: &str = "nothing to do: everything shows this report already\n";

/// A change that is proposed, with what was said on its pull request.
pub(crate) struct FoundProposal {
    pub(crate) proposal: Proposal,
    /// What the last review left; none: nothing, or everything is to be reviewed again.
    pub(crate) before: Option<ReviewState>,
    /// What people dismissed there.
    pub(crate) dismissed: Vec<Dismissal>,
}

/// What the flags or the event ask to be reviewed, its objects brought here, and what the last review left unless all is to
/// be reviewed again (`full`); none: nothing, and that is no fault.
pub(crate) fn find_proposal(
    wanted: &GitHubRequest,
    full: bool,
    start: &RunContext,
) -> Result<Option<FoundProposal>, RunError> {
    let forge = GitHubSession::open(wanted, start)?;
    let hub = forge.open_api();
    match find_subject(wanted, &forge, &hub, start)? {
        ReviewCase::Subject(subject) => {
            let left = find_past(&subject, wanted, &forge, &hub)?;
            let dismissed = match &subject.talk {
                Some(talk) => {
                    let redactor = user_redactor(start)?;
                    hear_replies(&hub, &talk.threads, left.as_ref(), &talk.author, &redactor)
                        .dismissals
                }
                None => Vec::new(),
            };
            let proposal = subject.fetch_proposal(wanted, &forge, &hub, start)?;
            Ok(Some(FoundProposal {
                proposal,
                before: left.filter(|_| !full && !subject.full),
                dismissed,
            }))
        }
        ReviewCase::Nothing(why) => {
            start.notifier.warn(&format!("nothing is reviewed: {why}"));
            Ok(None)
        }
        ReviewCase::Moved { meant, now } => Err(head_moved_error(&meant, &now)),
    }
}

/// What the last review of the change left: of an entry of a merge queue, what that of its request did.
fn find_left(
    before: Option<&ReviewState>,
    subject: &PullSubject,
    wanted: &PublishRequest,
    forge: &GitHubSession,
    hub: &GitHubApi<'_>,
) -> Result<Option<ReviewState>, RunError> {
    match before {
        None if subject.queued.is_some() => find_past(subject, &wanted.about, forge, hub),
        before => Ok(before.cloned()),
    }
}

/// What the last review left on a pull request. Where it cannot be read, nobody may say that nothing is open.
fn find_past(
    subject: &PullSubject,
    wanted: &GitHubRequest,
    forge: &GitHubSession,
    hub: &GitHubApi<'_>,
) -> Result<Option<ReviewState>, RunError> {
    if let Some(number) = subject.queued.filter(|_| forge.has_token) {
        let council = publish::council_id(&wanted.council_name);
        return Ok(QueuedRequest::read(number, &council, hub)?.left);
    }
    let (Some(talk), Some(pull)) = (&subject.talk, &subject.pull) else {
        return Ok(None);
    };
    let council = publish::council_id(&wanted.council_name);
    let reports = look::fetch_reports(hub, pull.number, &council, &talk.me, None)?;
    Ok(reports.first().and_then(|report| report.state()))
}

/// What would be sent, as JSON whose hidden characters are escaped.
fn render_call(action: &PublishAction, hub: &GitHubApi<'_>) -> String {
    let call = action.api_call(&hub.slug, None);
    let body = call
        .and_then(|call| call.body)
        .map(|body| format!("{body:#}\n"));
    crate::text::json_safe(&body.unwrap_or_default())
}
