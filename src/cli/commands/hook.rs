//! `git council hook`: reviews at a push and after a commit.

use std::io::Read as _;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use crate::cli::context::CommandContext;
use crate::report::exit;
use crate::run::error::RunError;
use crate::run::hook::background::background_queue;
use crate::run::hook::gate::{may_be_gate, without_git_variables};
use crate::run::hook::install::{CONFIG_HOOKS, HookInstaller, InstallOutcome, UninstallOutcome};
use crate::run::hook::machine_load::{LoadLimits, load_limits};
use crate::run::hook::push::{PrePush, PushOutcome};
use crate::run::hook::push_news::PushNews;
use crate::run::hook::script::{self, HookEvent};
use crate::run::hook::status::collect_status;
use crate::run::hook::updates::read_updates;
use crate::run::redaction::user_redactor;
use crate::run::settings;
use crate::run::waiting::is_expected;
use crate::text::Columns;
use crate::text::Untrusted;

/// The most bytes of refs that are read.
const MAX_REFS_BYTES: u64 = 16 << 20;

/// Review pushes and commits with git hooks
#[derive(Debug, Clone, Args)]
pub(crate) struct HookArgs {
    #[command(subcommand)]
    what: HookAction,
}

#[derive(Debug, Clone, Subcommand)]
enum HookAction {
    /// Install the pre-push hook; an existing hook is kept and runs first
    Install(InstallArgs),
    /// Remove the hooks of git-council and restore the earlier ones unchanged
    Uninstall,
    /// Show which hooks are installed, and where git looks for them
    Status(StatusArgs),
    /// Review what is being pushed or committed; git or a hook manager calls this
    Run(RunArgs),
}

#[derive(Debug, Clone, Args)]
struct InstallArgs {
    /// Also review in the background after every commit, so that the verdict is ready when you push
    #[arg(long)]
    post_commit: bool,
    /// Print the hook instead of installing it
    #[arg(long)]
    print: bool,
    /// Install into git's configuration instead of a file (git 2.54 and later)
    #[arg(long = "in-config")]
    in_config: bool,
    /// Install even if a hook manager is in use or other repositories share the hooks directory
    #[arg(long)]
    force: bool,
}

#[derive(Debug, Clone, Copy, Args)]
struct StatusArgs {
    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Args)]
struct RunArgs {
    /// Which hook
    #[arg(value_enum)]
    event: RunEvent,
    /// The arguments git passes: the remote's name and its URL
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    args: Vec<String>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum RunEvent {
    PrePush,
    PostCommit,
    #[value(hide = true)]
    Background,
}

pub(crate) fn run(args: &HookArgs, start: &CommandContext) -> Result<u8, RunError> {
    match &args.what {
        HookAction::Install(install) => return self::install_hooks(install, start),
        HookAction::Uninstall => uninstall_hooks(start)?,
        HookAction::Status(status) => show_status(*status, start)?,
        HookAction::Run(run) => return Ok(run_hook(run, start)),
    }
    Ok(exit::OK)
}

/// Installs the pre-push hook as `hook install` does.
pub(super) fn install_push_hook(start: &CommandContext) -> Result<u8, RunError> {
    let plain = InstallArgs {
        post_commit: false,
        print: false,
        in_config: false,
        force: false,
    };
    install_hooks(&plain, start)
}

fn hook_events(post_commit: bool) -> &'static [HookEvent] {
    if post_commit {
        &HookEvent::ALL
    } else {
        &HookEvent::ALL[..1]
    }
}

fn program_path() -> PathBuf {
    std::env::current_exe().unwrap_or_else(|_| PathBuf::from("git-council"))
}

fn install_hooks(args: &InstallArgs, start: &CommandContext) -> Result<u8, RunError> {
    if args.print {
        for &event in hook_events(args.post_commit) {
            let text = script::render_script(event, &program_path().to_string_lossy(), false);
            start.console.print(&text)?;
        }
        return Ok(exit::OK);
    }
    let hooks = HookInstaller::in_repository(start)?;
    if args.in_config {
        return configure_hooks(&hooks, args, start);
    }
    for &event in hook_events(args.post_commit) {
        if let Some(manager) = hooks.detect_manager(event).filter(|_| !args.force) {
            if hooks.has_lines(manager, event) && !hooks.calls_manager(manager, event) {
                return Err(RunError::usage(format!(
                    "{} has the lines for the {} hook, but its own hook is not installed here, so nothing runs them",
                    manager.name(),
                    event.name()
                ))
                .hint(format!("install it: {}", manager.install_command(event)))
                .hint("or install beside it: git council hook install --force"));
            }
            if hooks.is_run_by_manager(event) {
                start.console.print(&format!(
                    "{} already runs the {} hook\n",
                    manager.name(),
                    event.name()
                ))?;
                continue;
            }
            let file = manager.config_file(hooks.worktree.as_deref(), event);
            start.console.print(&manager.lines_for(&file, event))?;
            return Err(RunError::usage(format!(
                "{} manages the hooks here, so nothing was installed",
                manager.name()
            ))
            .hint(format!("add the lines above to {file}"))
            .hint("or install beside it: git council hook install --force"));
        }
        if !hooks.own && !args.force {
            let place = hooks.dir.display();
            let shared = if hooks.git.config_value("core.hooksPath").is_some() {
                format!("core.hooksPath points to {place}, which other repositories share")
            } else {
                format!(
                    "the folder of hooks is a link to {place}, which other repositories may share"
                )
            };
            return Err(RunError::usage(shared)
                .hint("to review the pushes of all of them: git council hook install --force"));
        }
        let kept = || hooks.kept_file(event).display().to_string();
        let done = match hooks.install_hook(event, &program_path())? {
            InstallOutcome::Installed => "installed".to_owned(),
            InstallOutcome::Chained => {
                format!("installed; the hook that was there runs first ({})", kept())
            }
            InstallOutcome::Renewed => "renewed".to_owned(),
            InstallOutcome::Already => "already there".to_owned(),
        };
        let place = hooks.dir.join(event.name());
        if start.console.verbosity != crate::report::Verbosity::Quiet {
            start
                .console
                .print(&format!("{} {done}\n", place.display()))?;
        }
    }
    if hooks.comes_with_branches() {
        let place = hooks.dir.display();
        start.notifier.warn(&format!(
            "{place} is part of the worktree: a branch without git-council's lines there pushes unreviewed; \
             `git council hook install --in-config` (git 2.54 and later) depends on no branch"
        ));
    }
    Ok(exit::OK)
}

fn configure_hooks(
    hooks: &HookInstaller,
    args: &InstallArgs,
    start: &CommandContext,
) -> Result<u8, RunError> {
    if !hooks.runs_config_hooks() && !args.force {
        let (major, minor) = CONFIG_HOOKS;
        return Err(RunError::usage(format!(
            "this git does not run hooks from its configuration (git {major}.{minor} and later do)"
        ))
        .hint("install the file instead: git council hook install"));
    }
    for &event in hook_events(args.post_commit) {
        hooks.configure_hook(event)?;
        start.console.print(&format!(
            "hook.git-council-{} set in git's configuration\n",
            event.name()
        ))?;
    }
    Ok(exit::OK)
}

fn uninstall_hooks(start: &CommandContext) -> Result<(), RunError> {
    let hooks = HookInstaller::in_repository(start)?;
    let mut any = false;
    let mut edited = Vec::new();
    for event in HookEvent::ALL {
        let file = hooks.dir.join(event.name());
        let file = file.display();
        let done = match hooks.uninstall_hook(event)? {
            UninstallOutcome::Removed => Some(format!("{file} removed\n")),
            UninstallOutcome::Restored => {
                Some(format!("{file} removed; the hook that was there is back\n"))
            }
            UninstallOutcome::Edited => {
                any = true;
                edited.push(file.to_string());
                None
            }
            UninstallOutcome::Nothing => None,
        };
        if let Some(done) = done {
            any = true;
            start.console.print(&done)?;
        }
        if hooks.unconfigure_hook(event) {
            any = true;
            start
                .console
                .print(&format!("hook.git-council-{} removed\n", event.name()))?;
        }
    }
    if !any {
        start.console.print("no git-council hook is installed\n")?;
    }
    match edited.is_empty() {
        true => Ok(()),
        // It still runs: whoever asked for its end must hear that.
        false => Err(RunError::usage(format!(
            "{} was edited after git-council installed it, so it was left as it is",
            edited.join(", ")
        ))
        .hint("remove its lines yourself")),
    }
}

fn show_status(args: StatusArgs, start: &CommandContext) -> Result<(), RunError> {
    let status = collect_status(start)?;
    if args.json {
        return start.console.print_json(&status);
    }
    let mut rows = Columns::default();
    for hook in &status.hooks {
        rows.push([&hook.event, &hook.state]);
    }
    rows.push(["directory", &status.directory]);
    if let Some(error) = &status.error {
        let stopped = format!(
            "every push is stopped, since the configuration cannot be read: {}",
            Untrusted::new(error).line()
        );
        rows.push(["mode", &stopped]);
    }
    if let Some(meaning) = &status.settings {
        let pre_push = HookEvent::PrePush.name();
        let is_installed = status
            .hooks
            .iter()
            .any(|row| row.event == pre_push && row.installed);
        let mode = match (meaning.enabled, meaning.gate) {
            (false, _) => match &meaning.switched_off_by {
                Some(place) => format!("switched off by {place} (hook.enabled)"),
                None => "switched off (council.hook is false)".to_owned(),
            },
            (true, true) if !is_installed => {
                "gate, but no pre-push hook is installed: no push is stopped".to_owned()
            }
            (true, false) => "advisory: no verdict stops a push".to_owned(),
            (true, true) => "gate: FAIL and INCONCLUSIVE stop a push".to_owned(),
        };
        rows.push(["mode", &mode]);
        let judges = if meaning.models {
            "the whole council"
        } else {
            "built-in judges and reused verdicts"
        };
        rows.push(["judges", judges]);
    }
    let columns = start.console.stdout_columns();
    start.console.print(&rows.render_within("", columns))
}

/// What is said where a push could not be reviewed and must not go through unreviewed.
const BLOCKED: &str = "the push is blocked: it could not be reviewed, and the hook is a gate or its configuration cannot \
                       be read (fix the error above; to push anyway: git push --no-verify, or GIT_COUNCIL=0)";

/// The same for a coding agent.
const BLOCKED_FOR_AGENT: &str = "the push is blocked: it could not be reviewed, and the hook is a gate or its \
                                 configuration cannot be read (fix the error above, or ask the user)";

/// A hook never stops anything by its own fault, unless the user made it a gate.
fn run_hook(args: &RunArgs, start: &CommandContext) -> u8 {
    if start
        .environment
        .get("GIT_COUNCIL")
        .is_some_and(|value| value == "0")
    {
        return exit::OK;
    }
    let done = match args.event {
        RunEvent::PrePush => run_pre_push(args, start),
        RunEvent::PostCommit => run_post_commit(&free_of_git(start)).map(|()| exit::OK),
        RunEvent::Background => run_background(&free_of_git(start)).map(|()| exit::OK),
    };
    done.unwrap_or_else(|error| {
        start.console.error(&error);
        let gate = may_be_gate(&free_of_git(start));
        match (args.event, gate) {
            (RunEvent::PrePush, true) => {
                let blocked = match start.started_by {
                    Some(_) => BLOCKED_FOR_AGENT,
                    None => BLOCKED,
                };
                start.console.log_line(&format!("git-council: {blocked}"));
                exit::INCONCLUSIVE
            }
            (RunEvent::PrePush, false) => {
                start
                    .console
                    .warning("git-council could not review; the push continues");
                exit::OK
            }
            _ => exit::OK,
        }
    })
}

fn run_pre_push(args: &RunArgs, start: &CommandContext) -> Result<u8, RunError> {
    // lefthook hands on one word with all arguments in it.
    let mut words = args.args.iter().flat_map(|word| word.split_whitespace());
    let named = start.environment.get("PRE_COMMIT_REMOTE_NAME");
    let named = named.map(|name| name.to_string_lossy().into_owned());
    let remote = words
        .next()
        .map(str::to_owned)
        .or(named)
        .unwrap_or_default();
    // What holds no code must not wait for a repository to be opened.
    // What is wrong with the rules of `redact.rules`, the review itself says.
    let mut news = PushNews::new(user_redactor(start).unwrap_or_default());
    let free = free_of_git(start);
    let updates = read_updates((start, &free), &read_stdin()?, &remote, &mut news)?;
    if updates.is_empty() {
        tell_news(news, start);
        return Ok(exit::OK);
    }
    // A push needs the verdict now, if the review of a commit still waits for a quiet machine or was given up. Where that
    // cannot be told, the push is reviewed all the same.
    let _ = is_expected(&free);
    let watched = free.with_live_view();
    let push = PrePush {
        start: &watched,
        remote: &remote,
    };
    let outcome = push.review_updates(updates, &mut news);
    // Nothing is drawn over the news.
    drop(watched);
    tell_news(news, &free);
    Ok(match outcome? {
        PushOutcome::Stopped => exit::FAIL,
        PushOutcome::Passed => exit::OK,
    })
}

fn tell_news(news: PushNews, start: &CommandContext) {
    let console = start.console;
    console.write_stderr(&news.render(console.stderr_look()));
}

fn run_post_commit(start: &CommandContext) -> Result<(), RunError> {
    if !settings::push_config(start)?.settings.hook.enabled {
        return Ok(());
    }
    let Some(background) = background_queue(start)? else {
        return Ok(());
    };
    background.request_review(start)
}

fn run_background(start: &CommandContext) -> Result<(), RunError> {
    // What is wrong with a configuration, the review itself tells; nobody would hear it here.
    let limits =
        settings::branch_config(start).map_or(LoadLimits::NONE, |config| load_limits(&config));
    match background_queue(start)? {
        Some(background) => background.process_requests(&limits, start),
        None => Ok(()),
    }
}

/// The same without the variables that git exports to hooks.
fn free_of_git(start: &CommandContext) -> CommandContext {
    start.with_environment(without_git_variables(start))
}

/// What git says on standard input.
fn read_stdin() -> Result<String, RunError> {
    let mut text = String::new();
    let stdin = std::io::stdin().lock();
    let read = stdin.take(MAX_REFS_BYTES).read_to_string(&mut text);
    read.map_err(|error| RunError::usage(format!("cannot read the refs: {error}")))?;
    Ok(text)
}
