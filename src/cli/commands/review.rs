//! `git council review`: one change, several judges, one verdict.

use std::cell::{OnceCell, RefCell};

use crate::cli::context::CommandContext;
use crate::cli::deliver::ReportOutput;
use crate::cli::detach;
use crate::cli::github::job::JobSurfaces;
use crate::cli::live::is_standard_output;
use crate::cli::review_args::{OutputArgs, ReviewArgs};
use crate::config::{ReportFormat, Settings};
use crate::council::outcome::Verdict;
use crate::git::commit_at;
use crate::publish::{DiffLines, WorkflowJob};
use crate::report::{self, GatePolicy, Report, Talks, exit};
use crate::run::announce;
use crate::run::ci::{check_range, ci_target};
use crate::run::context::RunContext;
use crate::run::convene::{self, ConveneOptions};
use crate::run::error::RunError;
use crate::run::github::publishing::{JobPublication, publish_in_job};
use crate::run::github::review::{PullFrontend, review_pull_request};
use crate::run::hook::background::refuse_other_head;
use crate::run::output_file::write_output;
use crate::run::page::render_artefact;
use crate::run::prepare::prepare_review;
use crate::run::request::ReviewRequest;
use crate::run::shown::remember_verdict;
use crate::run::uncommitted::uncommitted_note;
use crate::session::{InterruptSource, ProgressEvent, ProgressKind};
use crate::text::wrap_lines;

pub(crate) const EXAMPLES: &str = "\
Examples:
  git council review                         what my branch adds to its upstream
  git council review HEAD~3..HEAD -- src     three commits, one directory
  git council review --staged --quick        what I am about to commit, one judge
  git diff --binary main | git council review --patch -
  git council review --debate --fail-on warn --format json -o report.json";

/// The same with options that only `--help` lists.
pub(crate) fn all_examples() -> String {
    format!("{EXAMPLES}{MORE_EXAMPLES}")
}

const MORE_EXAMPLES: &str = "
  git council review --councillors 4 --rounds 2 --save
  git council review --file PLAN.md --councillors 6 --focus payments";

pub(crate) fn run(mut args: ReviewArgs, start: &CommandContext) -> Result<u8, RunError> {
    args.check_conflicts()?;
    if args.ci {
        let is_here = |id: &str| commit_at(&start.dir, &start.git_environment(), id).is_ok();
        args.target = Some(ci_target(&start.environment, &is_here)?);
    }
    let start = &start.with_events(args.output.events.as_deref())?;
    let request = args.to_request(&start.dir)?;
    if args.forge.is_requested() && args.dry_run {
        return Err(RunError::usage(
            "--dry-run works without --pr and --event: with them judges would be asked",
        )
        .hint("see what would be posted of a finished run: git council publish --pr N --dry-run"));
    }
    if args.detach && args.forge.is_requested() {
        return Err(RunError::usage(
            "--detach works without --pr, --event and --publish: nobody would be told what could not be published",
        )
        .hint("leave out --detach; or review the range in the background: git council review BASE...HEAD --detach"));
    }
    if args.forge.is_requested() && !args.forge.is_of_job() {
        let frontend = PullTerminal {
            request: &request,
            start,
            output: &args.output,
            configured: OnceCell::new(),
            shown: RefCell::new(None),
        };
        let publish = args.forge.to_publish_request();
        let code = review_pull_request(&request, &publish, args.fresh, &frontend, start)?;
        if let Some(report) = frontend.shown.take() {
            tell_unread_instructions(&args, &report, start);
            tell_end(&report, code, start);
        }
        return Ok(start.check_events(code));
    }
    if args.detach {
        return detach::launch_detached(&request, start);
    }
    let mut prepared = prepare_review(&request, start)?;
    if args.ci {
        check_range(&prepared.packet.target)?;
    }
    refuse_other_head(&prepared.packet.target, start)?;
    if args.announce {
        // What outlives us has a deadline of its own.
        let run = &mut prepared.config.settings.timeouts.run;
        *run = run.or(Some(detach::DEADLINE_MS));
    }
    let start = start.with_settings(&prepared.config.settings);
    tell_examination(&args, &prepared.config.settings, &start);
    if args.dry_run {
        let lines = announce::describe_dry_run(&prepared, args.council.deep, &start)?;
        let width = start.console.stdout_look().width;
        start.console.print(&wrap_lines(&lines, Some(width)))?;
        return Ok(exit::OK);
    }
    let settings = prepared.config.settings.clone();
    // What it lacks is said before judges are paid.
    let publish = args
        .forge
        .is_requested()
        .then(|| args.forge.to_publish_request());
    let publish = publish.map(|wanted| JobPublication::open(wanted, &start));
    let publish = publish.transpose()?;
    let publish = publish.map(|publish| (publish, DiffLines::of_files(&prepared.packet.files)));
    let announce = |name: &str| detach::announce_run(name, &start);
    let options = ConveneOptions {
        deep: args.council.deep,
        fresh: args.fresh,
        keeps_objections: false,
        on_named: args.announce.then_some(&announce),
        interrupts: InterruptSource::Signals,
    };
    let report = convene::convene_review(prepared, options, &start)?;
    let asked =
        report.outcome.verdict != Verdict::Skipped && report.receipt.run.recognised.is_none();
    if args.announce && asked {
        let code = report.bottom_line(report.own_gate()).exit_code;
        return Ok(start.check_events(code));
    }
    let file = args
        .output
        .output
        .as_deref()
        .map(|file| start.dir.join(file));
    let sarif = args.forge.sarif.as_ref().map(|file| {
        let text = report::sarif::render(&report, report.own_gate());
        write_output(&start.dir.join(file), text)
    });
    let html = args.forge.html.as_ref().map(|file| {
        let page = render_artefact(&report, &start);
        write_output(&start.dir.join(file), page)
    });
    // A file that cannot be written takes no verdict away: it was paid for.
    let unwritten = [sarif, html].into_iter().flatten().filter_map(Result::err);
    let unwritten: Vec<RunError> = unwritten.collect();
    unwritten
        .iter()
        .for_each(|error| start.console.error(error));
    let output = ReportOutput::from_settings(&settings, file.as_deref());
    // The verdict is the last line that a reader sees.
    hint_other_judges(&settings, &start);
    tell_unread_instructions(&args, &report, &start);
    tell_uncommitted(&args, &report, &output, &start);
    let code = deliver_and_tell(&args.output, &report, &output, &start);
    let code = if unwritten.is_empty() {
        code
    } else {
        report.bottom_line(output.gate).unpublished_code()
    };
    remember_verdict(&report, output.shows_findings(), &start);
    if let Some((publish, lines)) = publish.filter(|_| code != exit::UNPUBLISHED) {
        let code = publish_in_job(
            &report,
            &publish,
            lines,
            &settings,
            &mut JobSurfaces::from_environment(&start),
            &start,
        );
        return Ok(start.check_events(code));
    }
    Ok(start.check_events(code))
}

/// A review of a pull request at this terminal.
struct PullTerminal<'a> {
    request: &'a ReviewRequest,
    start: &'a CommandContext,
    output: &'a OutputArgs,
    /// The same with what the configuration says about the output: there is one view of a run.
    configured: OnceCell<CommandContext>,
    /// The report that was shown: the last event tells of it, once it is known whether it could be published.
    shown: RefCell<Option<Report>>,
}

impl PullTerminal<'_> {
    fn configured(&self, settings: &Settings) -> &CommandContext {
        self.configured
            .get_or_init(|| self.start.with_settings(settings))
    }
}

impl PullFrontend for PullTerminal<'_> {
    fn with_settings(&self, settings: &Settings) -> RunContext {
        self.configured(settings).run.clone()
    }

    fn deliver(&self, report: &Report, settings: &Settings, gate: GatePolicy, talks: Talks) -> u8 {
        let configured = self.configured(settings);
        let start = &CommandContext {
            console: configured.console.with_talks(talks),
            ..configured.clone()
        };
        let file = self.request.output.as_deref();
        let file = file.map(|file| start.dir.join(file));
        let output = ReportOutput {
            gate,
            ..ReportOutput::from_settings(settings, file.as_deref())
        };
        *self.shown.borrow_mut() = Some(report.clone());
        deliver(self.output, report, &output, start)
    }

    fn open_job(&self) -> Box<dyn WorkflowJob> {
        Box::new(JobSurfaces::from_environment(self.start))
    }
}

/// Rules read no instructions: whoever gave some is told where no model judged.
fn tell_unread_instructions(args: &ReviewArgs, report: &Report, start: &CommandContext) {
    if args.council.instructions.is_some() && report.is_rules_only() {
        start.console.caution(
            "--instructions was read by nobody, since only rules judged this; `git council init` sets up models",
        );
    }
}

/// The report where it was asked for, and the last event; events that could not be written are an error.
pub(crate) fn deliver_with_events(
    args: &OutputArgs,
    report: &Report,
    output: &ReportOutput<'_>,
    start: &CommandContext,
) -> u8 {
    start.check_events(deliver_and_tell(args, report, output, start))
}

/// Says that a flag makes a cross-examination of a review, where nothing that was said names one: it asks several times as
/// much. Councillors and their rounds name one.
fn tell_examination(args: &ReviewArgs, settings: &Settings, start: &CommandContext) {
    let flag = args.councillors.first_flag().filter(|flag| {
        args.council.procedure.is_none() && !["--rounds", "--councillors"].contains(flag)
    });
    if let Some(flag) = flag {
        let asked = &settings.cross_examination;
        start.console.caution(&format!(
            "{flag} makes this a cross-examination: {} councillors, {} rounds; without it: a review",
            asked.councillors, asked.rounds
        ));
    }
}

/// The report where it was asked for, and the last event. Where events have standard output, the report leaves it to them.
fn deliver_and_tell(
    args: &OutputArgs,
    report: &Report,
    output: &ReportOutput<'_>,
    start: &CommandContext,
) -> u8 {
    let code = deliver(args, report, output, start);
    tell_end(report, code, start);
    code
}

/// The report where it was asked for.
fn deliver(
    args: &OutputArgs,
    report: &Report,
    output: &ReportOutput<'_>,
    start: &CommandContext,
) -> u8 {
    let has_output = args.events.as_deref().is_some_and(is_standard_output);
    if has_output {
        output.deliver_beside(report, start)
    } else {
        output.deliver_report(report, start)
    }
}

/// The last event.
pub(crate) fn tell_end(report: &Report, code: u8, start: &CommandContext) {
    if let Some(events) = &start.events {
        let kind = ProgressKind::Finished {
            verdict: report.outcome.verdict,
            headline: report.bottom_line(report.own_gate()).headline,
            exit_code: code,
            reused: report.receipt.run.recognised.is_some(),
        };
        events.write(&ProgressEvent::new(report.receipt.run.duration_ms, kind));
    }
}

/// What was changed in a file and not committed is told to people: programs, jobs and hooks ask for what they want.
fn tell_uncommitted(
    args: &ReviewArgs,
    report: &Report,
    output: &ReportOutput<'_>,
    start: &CommandContext,
) {
    let is_read = output.file.is_some()
        || matches!(output.format, ReportFormat::Terminal | ReportFormat::Story);
    // git names its index to the hooks of a commit.
    let is_hook = args.announce || start.environment.get("GIT_INDEX_FILE").is_some();
    if !is_read || is_hook || start.environment.is_ci() {
        return;
    }
    if let Some(note) = uncommitted_note(&report.target, &args.pathspecs, start) {
        start.console.note(&note);
    }
}

/// Whoever has said nothing about judges is told once per review how to seat others, until there is a configuration.
fn hint_other_judges(settings: &Settings, start: &CommandContext) {
    let said = !settings.review.agents.is_empty()
        || !settings.judge.is_empty()
        || !settings.agents.is_empty();
    let configured = start
        .environment
        .user_file()
        .is_some_and(|file| file.exists());
    if !said && !configured {
        start.console.hint("only built-in rules reviewed this, at no cost; `git council init` sets up other judges: Claude, Codex, any tool");
    }
}
