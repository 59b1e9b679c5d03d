//! A pull request from its number to its verdict on every surface.

use std::sync::Arc;

use council_protocol::{BlobSource, FileChange, RepoPath, Seat};

use crate::config::Settings;
use crate::council::outcome::{Verdict, VerdictReason};
use crate::git::{TargetSpec, recognition_key};
use crate::publish::{
    ExistingCheck, ForgeState, GitHubApi, GitHubError, JudgedChange, PublishOptions, ReviewState,
    Surface, WorkflowJob, find_quote_places, is_witness, look::TipCheck, talks_about,
};
use crate::report::{CheckConclusion, GatePolicy, MemoryPlace, Report, Talks, exit};
use crate::run::context::RunContext;
use crate::run::convene::{self, ConveneOptions};
use crate::run::digests::{self, PlannedDigests};
use crate::run::error::RunError;
use crate::run::github::earlier::{
    QueuedRequest, carry_over, find_earlier_verdict, read_reviewed, report_over,
    skip_unchanged_files, stands_around,
};
use crate::run::github::failed_commit::{CheckFailure, CommitFailure, keep_failed, may_set_status};
use crate::run::github::inspect::{
    conclusion_without_report, file_digests, head_moved_error, inspect_pull_request, look_again,
};
use crate::run::github::meanwhile::{
    FAILED_BEFORE, FoundElsewhere, add_found, found_meanwhile, stand_by_untold, tell_standing,
};
use crate::run::github::open_check::OpenCheck;
use crate::run::github::publishing::{
    PublishRequest, publish_options, publish_report, write_files,
};
use crate::run::github::question::asks_more;
use crate::run::github::replies::hear_replies;
use crate::run::github::scope::refuse_pathspecs;
use crate::run::github::session::GitHubSession;
use crate::run::github::subject::{ReviewCase, find_subject};
use crate::run::prepare::{PreparedReview, prepare_spec};
use crate::run::recognition::VerdictMemory;
use crate::run::request::ReviewRequest;
use crate::run::shown::remember_verdict;
use crate::session::InterruptSource;

/// Whoever started a review of a pull request: it shows the report, and the job is its own.
pub(crate) trait PullFrontend {
    /// The context with what the configuration says about the output.
    fn with_settings(&self, settings: &Settings) -> RunContext;
    /// Shows the report on standard output and in the file that was asked for; says how the program ends. `talks`: which
    /// of the findings that fail the change have a conversation.
    fn deliver(&self, report: &Report, settings: &Settings, gate: GatePolicy, talks: Talks) -> u8;
    /// The surfaces of the job that runs.
    fn open_job(&self) -> Box<dyn WorkflowJob>;
}

/// What is said where the last report does not count: judges may miss this time what it knew.
const UNREADABLE: &str = "git-council's comment was edited, or is of another version: it is ignored, everything is reviewed \
                          again, and what it left open is not known";

/// What is said where the comment is not there in which the last report would be, although a conversation of it is.
fn gone_report(open: usize) -> String {
    let (what, are) = match open {
        1 => ("1 conversation".to_owned(), "is"),
        many => (format!("{many} conversations"), "are"),
    };
    format!(
        "git-council's comment is gone, and with it what the last review left open; {what} about its findings {are} still \
         there, and everything is reviewed again"
    )
}

/// What is said where the request of a queue's entry may not be read.
fn unread_request(error: &GitHubError) -> String {
    format!(
        "what the last review of the pull request left open is not known, and does not count here: {error}; give the job \
         `pull-requests: read`"
    )
}

/// Whoever asks for a review of everything is told what the last one said, where that was no PASS: nothing of it counts.
fn left_behind(before: &ReviewState) -> Option<String> {
    let is_well = matches!(before.verdict, Verdict::Pass | Verdict::Skipped);
    let commit = before.head.get(..7).unwrap_or(&before.head);
    (!is_well).then(|| {
        format!(
            "`--full` reviews everything again and carries nothing over: the review of {commit} said {}",
            before.headline
        )
    })
}

/// Reviews what flags or event name, and publishes it where it was asked for. `fresh`: a verdict that is there already is not
/// repeated.
pub(crate) fn review_pull_request(
    wanted: &ReviewRequest,
    publish: &PublishRequest,
    fresh: bool,
    frontend: &dyn PullFrontend,
    start: &RunContext,
) -> Result<u8, RunError> {
    refuse_pathspecs(&wanted.pathspecs, &publish.surfaces)?;
    let request = &publish.about;
    let forge = GitHubSession::open(request, start)?;
    let hub = forge.open_api();
    let mut subject = match find_subject(request, &forge, &hub, start)? {
        ReviewCase::Subject(subject) => subject,
        ReviewCase::Nothing(why) => {
            start.notifier.warn(&format!("nothing is reviewed: {why}"));
            return Ok(exit::OK);
        }
        ReviewCase::Moved { meant, now } => return Err(head_moved_error(&meant, &now)),
    };
    let publish = &publish.of_subject(&subject);
    let proposal = subject.fetch_proposal(request, &forge, &hub, start)?;
    let mut prepared = prepare_spec(wanted, start, TargetSpec::Proposal(proposal))?;
    let settings = prepared.config.settings.clone();
    let mut wishes = publish_options(publish, &forge, &subject.head, Some(&settings));
    wishes.lines = crate::publish::DiffLines::of_files(&prepared.packet.files);
    let PlannedDigests { key, rules, seats } = digests::digests_before_run(&prepared, wanted.deep)?;
    wishes.judged = JudgedChange {
        digest: recognition_key(&prepared.change, &prepared.packet.files),
        files: file_digests(&prepared),
        rules,
        ..JudgedChange::default()
    };
    let author = subject.talk.as_ref().map(|talk| talk.author.clone());
    let (seen, troubles) = inspect_pull_request(&mut subject, &hub, &wishes)?;
    let threads = seen.threads.as_deref().unwrap_or_default();
    let author = author.unwrap_or_default();
    let last = seen.state();
    let heard = hear_replies(&hub, threads, last.as_ref(), &author, &prepared.redactor);
    (wishes.answers, prepared.dismissed) = (heard.answers, heard.dismissals);
    let is_unreadable = seen.comments.first().is_some_and(|c| c.state().is_none());
    if is_unreadable && !publish.full {
        prepared.notes.push(UNREADABLE.to_owned());
    }
    let open = threads.iter().filter(|thread| !thread.closed).count();
    if seen.comments.is_empty() && wishes.surfaces.contains(&Surface::Comment) && open > 0 {
        prepared.notes.push(gone_report(open));
    }
    let left = seen.state().filter(|_| publish.full);
    prepared
        .notes
        .extend(left.and_then(|state| left_behind(&state)));
    let queued = subject.queued.filter(|_| !publish.full && forge.has_token);
    let queued = match queued.map(|number| QueuedRequest::read(number, &wishes.council, &hub)) {
        Some(Err(error)) if error.is_denied() => {
            prepared.notes.push(unread_request(&error));
            None
        }
        read => read.transpose()?,
    };
    let review = PullReview {
        wanted,
        publish,
        frontend,
        start: frontend.with_settings(&settings),
        settings,
        hub: &hub,
        may_look_again: forge.has_token,
        before: seen.state().filter(|_| !publish.full),
        queued,
        seen,
        troubles,
        wishes,
        key,
        seats,
    };
    let told = if fresh {
        None
    } else {
        review.find_told(&prepared)
    };
    match told {
        Some(report) => review.repeat_verdict(report, &prepared),
        None => review.judge(prepared, fresh),
    }
}

/// Whether a report is the one that the page keeps: each clone counts its runs of a day, so that a name does not tell.
fn is_of_page(report: &Report) -> bool {
    let recognised = report.receipt.run.recognised.as_ref();
    recognised.is_some_and(|recognised| recognised.place == MemoryPlace::Comment)
}

/// One review of a pull request, with what stands there already.
struct PullReview<'a> {
    wanted: &'a ReviewRequest,
    publish: &'a PublishRequest,
    frontend: &'a dyn PullFrontend,
    start: RunContext,
    settings: Settings,
    hub: &'a GitHubApi<'a>,
    /// Without a token, what is there is not looked at a second time.
    may_look_again: bool,
    /// What the last run left there; none where everything is to be reviewed again.
    before: Option<ReviewState>,
    /// The pull request whose entry of a merge queue is reviewed.
    queued: Option<QueuedRequest>,
    seen: ForgeState,
    troubles: Vec<(Surface, GitHubError)>,
    wishes: PublishOptions,
    /// What a verdict is recognised by.
    key: String,
    /// Who is to be asked.
    seats: Vec<Seat>,
}

impl PullReview<'_> {
    /// The verdict that is told, so that nobody is asked: what stands against this very change, else what was said of
    /// it.
    fn find_told(&self, prepared: &PreparedReview) -> Option<Report> {
        let known = self
            .find_earlier(prepared)
            .or_else(|| self.find_objection());
        self.find_standing(prepared, known.as_ref()).or(known)
    }

    /// What the last review of this very change objected to, and no finding carries.
    fn find_objection(&self) -> Option<Report> {
        let queued = self.queued.as_ref();
        let left = self
            .before
            .as_ref()
            .or(queued.and_then(|request| request.left.as_ref()))?;
        let started_by = self.start.started_by.as_deref();
        let mut report = left.objection_to(&self.wishes.judged.digest, started_by)?;
        tell_standing(&mut report);
        Some(report)
    }

    /// What a later review here said against this change, which the page does not know. Whoever wants everything
    /// reviewed again is told of neither.
    fn find_standing(&self, prepared: &PreparedReview, known: Option<&Report>) -> Option<Report> {
        let memory = VerdictMemory::for_change(prepared, &self.start);
        let memory = memory.filter(|_| !self.publish.full)?;
        let mut heard = VerdictMemory::known_dismissals(prepared, &self.start);
        heard.dismissals.extend(prepared.dismissed.iter().cloned());
        let mut report = memory.standing_over(known, &heard)?;
        if known.is_none() && self.is_asked_more_than(&report) {
            return None;
        }
        if let Some(found) = found_meanwhile(None, self.before.as_ref(), &report) {
            let policy = self.settings.policy();
            add_found(&mut report, &found, policy, FoundElsewhere::Before);
        }
        Some(report)
    }

    /// Whether judges are asked more than in a review whose findings are all carried into this one: other judges or more of
    /// them, or a second round about more than it had. What they say counts with those findings, so that nothing gets milder.
    fn is_asked_more_than(&self, standing: &Report) -> bool {
        let is_carried = |before: &ReviewState| before.carries_all_of(standing);
        self.before.as_ref().is_some_and(is_carried)
            && asks_more(&self.seats, &self.settings, standing)
    }

    fn find_earlier(&self, prepared: &PreparedReview) -> Option<Report> {
        let before = self.before.as_ref();
        let started_by = self.start.started_by.as_deref();
        find_earlier_verdict(before, &self.key, &self.seen, &self.wishes, started_by)
            .or_else(|| self.find_queued(prepared))
    }

    /// What the request of a queue's entry bought, where the same code stands around the change.
    fn find_queued(&self, prepared: &PreparedReview) -> Option<Report> {
        let queued = self.queued.as_ref()?;
        let started_by = self.start.started_by.as_deref();
        let report = queued.find_verdict(&self.key, self.hub, &self.wishes, started_by)?;
        let left = queued.left.as_ref()?;
        stands_around(left, &report, prepared, self.wanted.deep).then_some(report)
    }

    /// Shows what the last run found, over the change as it stands now.
    fn repeat_verdict(mut self, report: Report, prepared: &PreparedReview) -> Result<u8, RunError> {
        let (mut report, is_changed) = report_over(report, prepared, &self.start);
        let failure = CommitFailure {
            check: self.failed_elsewhere(),
            asks_status: self.asks_status(|check| is_witness(check, &report)),
            on_page: false,
        };
        if is_changed {
            // The check tells of the verdict before the dismissal.
            self.seen.check = None;
        } else if self
            .before
            .as_ref()
            .is_some_and(|before| before.is_told_in_full_there() && is_of_page(&report))
        {
            // What stands on the pull request tells more of each finding than what is kept of it: it is left as it is.
            self.wishes.surfaces.retain(Surface::is_of_job);
        }
        let packet = prepared.packet_of_rules();
        self.note_quotes(&report, &*prepared.change.blobs, &packet.files);
        self.note_gone(&report);
        let stays_failed = self.keep_failed(&mut report, failure);
        let delivered = self.deliver(&report)?;
        let code = self.post(&report, delivered);
        Ok(if stays_failed {
            self.at_least_failed(code)
        } else {
            code
        })
    }

    /// Keeps for the next review what was resolved.
    fn note_gone(&mut self, report: &Report) {
        let before = self.before.as_ref();
        self.wishes.judged.gone = before.map_or(Vec::new(), |before| before.gone_after(report));
    }

    /// Keeps for the next review where the quotes stand.
    fn note_quotes(&mut self, report: &Report, blobs: &dyn BlobSource, changes: &[FileChange]) {
        let read = |path: &RepoPath| read_reviewed(blobs, path);
        self.wishes.judged.quotes = find_quote_places(report, &read, changes);
    }

    /// Convenes the council over what it has not judged yet, and publishes what it says.
    fn judge(mut self, mut prepared: PreparedReview, fresh: bool) -> Result<u8, RunError> {
        skip_unchanged_files(&mut prepared, self.before.as_ref(), &self.wishes);
        // What was found in the request stands in its entry of a queue as well, whoever judges that.
        let queued = self
            .queued
            .as_ref()
            .and_then(|request| request.left.as_ref());
        let left = self.before.as_ref().or(queued);
        if let Some(left) = left {
            carry_over(&mut prepared, left);
        }
        let failed_before = self.failed_elsewhere();
        let blobs = Arc::clone(&prepared.change.blobs);
        let packet = Arc::clone(prepared.packet_of_rules());
        prepared.whole_key = Some(self.key.clone());
        // From here on somebody sees that we are at work: whoever ends us is heard, and it is said.
        let interrupts = InterruptSource::from_now_on()
            .map_err(|error| RunError::run(format!("cannot listen for signals: {error}")))?;
        let mut troubles = self.troubles.iter();
        let is_closed = troubles.any(|(surface, _)| *surface == Surface::Check);
        let check = OpenCheck::begin_check(self.hub, &mut self.seen, &self.wishes, is_closed);
        let options = ConveneOptions {
            deep: self.wanted.deep,
            fresh: true,
            keeps_objections: false,
            on_named: None,
            interrupts,
        };
        let mut report = match convene::convene_review(prepared, options, &self.start) {
            Ok(report) => report,
            Err(error) => {
                check.end_with(
                    conclusion_without_report(self.publish.advisory),
                    "the review failed",
                    &error.message,
                );
                return Err(error);
            }
        };
        report.receipt.run.recognition_key = Some(self.key.clone());
        if let Some(left) = left.filter(|_| !fresh) {
            stand_by_untold(&mut report, left, &self.wishes.judged.digest);
        }
        // Whatever is there by now: this report is paid for, and is shown.
        let looked = self.look_again(&mut report, failed_before);
        self.note_quotes(&report, &*blobs, &packet.files);
        self.note_gone(&report);
        let failure = CommitFailure {
            check: *looked.as_ref().unwrap_or(&failed_before),
            asks_status: looked.is_ok() && self.asks_status(|check| !check.completed),
            on_page: false,
        };
        let stays_failed = self.keep_failed(&mut report, failure);
        let delivered = self.deliver(&report)?;
        if let Err(error) = looked {
            check.end_with(CheckConclusion::Cancelled, "superseded", &error.message);
            return Err(error);
        }
        let code = self.post(&report, delivered);
        // Its own check must not stay in progress, nor be told over what another review has ended it with.
        let ends_own = matches!(failure.check, CheckFailure::Before | CheckFailure::Beside);
        match stays_failed && ends_own {
            true => check.end_with(
                CheckConclusion::Failure,
                "this commit has failed",
                FAILED_BEFORE,
            ),
            false => check.mark_reported(),
        }
        Ok(if stays_failed {
            self.at_least_failed(code)
        } else {
            code
        })
    }

    /// How the program ends where the commit stays failed.
    fn at_least_failed(&self, code: u8) -> u8 {
        match self.publish.advisory {
            true => code,
            false => code.max(exit::FAIL),
        }
    }

    /// Whether this page tells of the failure of the very commit, so that the review of it decides what becomes of that.
    fn tells_failure(&self) -> bool {
        self.before.as_ref().is_some_and(|left| {
            left.head == self.wishes.head
                && left.verdict != Verdict::Pass
                && left.reason != VerdictReason::CommitFailed
        })
    }

    /// Whether the check of this very commit is a failure of which this page does not tell: another request's, or of a bench
    /// that nothing is known of.
    fn failed_elsewhere(&self) -> CheckFailure {
        match self.publish.full || self.tells_failure() {
            true => CheckFailure::None,
            false => CheckFailure::standing(&self.seen, &self.wishes),
        }
    }

    /// Whether the status is to be read: one is written, and the page that stands there does not tell of it.
    fn asks_status(&self, is_begun: impl Fn(&ExistingCheck) -> bool) -> bool {
        let is_told = self.tells_failure() && self.before == self.seen.state();
        !is_told && may_set_status(&self.wishes, self.seen.check.as_ref().is_some_and(is_begun))
    }

    fn keep_failed(&mut self, report: &mut Report, failure: CommitFailure) -> bool {
        let (wishes, troubles) = (&mut self.wishes, &mut self.troubles);
        keep_failed(report, wishes, failure, troubles, self.hub)
    }

    /// Just before anything is posted: is it still about the tip, and what has another review said of it meanwhile?
    fn look_again(
        &mut self,
        report: &mut Report,
        failed: CheckFailure,
    ) -> Result<CheckFailure, RunError> {
        let pull = self.seen.pull.as_ref().map(|pull| pull.number);
        let Some(pull) = pull.filter(|_| self.may_look_again) else {
            return Ok(failed);
        };
        let before = self.seen.state();
        let review_s = report.receipt.run.duration_ms / 1_000;
        let looked = look_again(pull, &mut self.seen, &self.wishes, self.hub, review_s)?;
        if let Some(trouble) = looked.trouble {
            self.start.notifier.warn(&trouble.to_string());
        }
        let now = self.seen.state();
        if let Some(found) = found_meanwhile(before.as_ref(), now.as_ref(), report) {
            let policy = self.settings.policy();
            add_found(report, &found, policy, FoundElsewhere::Meanwhile);
        }
        let TipCheck::Told { latest, .. } = &looked.check else {
            return Ok(failed);
        };
        let own = self.seen.check.as_ref();
        Ok(failed.or_meanwhile(own, latest.as_ref(), &self.wishes))
    }

    /// Shows the report on standard output and in every file that was asked for; says how the program ends.
    fn deliver(&mut self, report: &Report) -> Result<u8, RunError> {
        let gate = self.wishes.gate;
        let talks = talks_about(report, &self.seen, &self.wishes);
        let code = self.frontend.deliver(report, &self.settings, gate, talks);
        write_files(report, self.publish, &mut self.wishes, &self.start)?;
        remember_verdict(report, true, &self.start);
        Ok(code)
    }

    /// Publishes; says how the program ends.
    fn post(&mut self, report: &Report, delivered: u8) -> u8 {
        let troubles = std::mem::take(&mut self.troubles);
        let wishes = (&self.wishes, self.hub);
        let mut job = self.frontend.open_job();
        let ended = publish_report(report, &self.seen, troubles, wishes, &mut *job, &self.start);
        match ended.exit_code {
            exit::OK => delivered,
            code => code,
        }
    }
}
