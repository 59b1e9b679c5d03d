//! `git council hook`: reviews at a push and after a commit.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::columns::Columns;
use crate::cli::context::CommandContext;
use crate::cli::hook::news::PushNews;
use crate::cli::hook::push::{self, PrePush};
use crate::config::{HookMode, Settings};
use crate::git::{self, RepositoryPaths, TargetSpec};
use crate::report::exit;
use crate::run::error::RunError;
use crate::run::hook::background::{LoadLimits, background_queue, load_limits};
use crate::run::hook::install::{
    CONFIG_HOOKS, HookInstaller, HookState, InstallOutcome, UninstallOutcome,
};
use crate::run::hook::script::{self, HookEvent, VERSION};
use crate::run::redaction::user_redactor;
use crate::run::request::CheckoutUse;
use crate::run::settings::{self, ConfigSources};
use crate::text::Untrusted;

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
        let done = match hooks.install_hook(event, &program_path())? {
            InstallOutcome::Installed => "installed",
            InstallOutcome::Renewed => "renewed",
            InstallOutcome::Already => "already there",
        };
        let place = hooks.dir.join(event.name());
        if start.console.verbosity != crate::report::Verbosity::Quiet {
            start
                .console
                .print(&format!("{} {done}\n", place.display()))?;
        }
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
        match hooks.uninstall_hook(event)? {
            UninstallOutcome::Removed => {
                any = true;
                start
                    .console
                    .print(&format!("{} removed\n", file.display()))?;
            }
            UninstallOutcome::Edited => {
                any = true;
                edited.push(file.display().to_string());
            }
            UninstallOutcome::Nothing => {}
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

/// The hooks of a repository: what `hook status --json` prints.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "HookStatus")]
pub(crate) struct HookStatus {
    hooks: Vec<HookRow>,
    /// Where git looks for hooks.
    directory: String,
    /// How a verdict affects a push; none where the configuration cannot be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    settings: Option<HookMeaning>,
    /// Why the configuration cannot be read; every push is stopped until it can. Untrusted text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// What `hook status --json` says of one hook.
#[derive(Debug, Serialize, JsonSchema)]
struct HookRow {
    /// `pre-push` or `post-commit`.
    event: String,
    /// Whether git-council is called by it.
    installed: bool,
    /// The same in words, with what is in the way.
    state: String,
}

/// What hooks do here.
#[derive(Debug, Serialize, JsonSchema)]
struct HookMeaning {
    /// Whether hooks review at all.
    enabled: bool,
    /// Whether FAIL and INCONCLUSIVE stop a push.
    gate: bool,
    /// Whether judges that cost something sit.
    models: bool,
}

fn collect_status(start: &CommandContext) -> Result<HookStatus, RunError> {
    let hooks = HookInstaller::in_repository(start)?;
    let mut rows = Vec::new();
    for event in HookEvent::ALL {
        let state = hooks.hook_state(event)?;
        let is_ours = matches!(state, HookState::Installed { .. } | HookState::Edited)
            && hooks.is_executable(event);
        rows.push(HookRow {
            event: event.name().to_owned(),
            installed: is_ours
                || (hooks.is_configured(event) && hooks.runs_config_hooks())
                || hooks.is_run_by_manager(event),
            state: describe_state(&hooks, event, state),
        });
    }
    let (settings, error) = match repository_settings(start) {
        Ok(settings) => {
            let meaning = HookMeaning {
                enabled: settings.hook.enabled,
                gate: settings.hook.mode == HookMode::Gate,
                models: settings.hook.models,
            };
            (Some(meaning), None)
        }
        Err(error) => (None, Some(error.message)),
    };
    Ok(HookStatus {
        hooks: rows,
        directory: hooks.dir.display().to_string(),
        settings,
        error,
    })
}

fn describe_state(hooks: &HookInstaller, event: HookEvent, state: HookState) -> String {
    let skipped = match state {
        HookState::Absent | HookState::Other => None,
        _ if hooks.is_executable(event) => None,
        HookState::Edited => Some("chmod +x FILE makes git run it"),
        HookState::Installed { .. } => Some("install again"),
    };
    let mut words = match state {
        HookState::Absent => "not installed".to_owned(),
        HookState::Other => "another's".to_owned(),
        HookState::Edited => "installed, then edited: git-council leaves it alone".to_owned(),
        HookState::Installed { version, chained } => {
            let old = if version < VERSION {
                " (older: install again)"
            } else {
                ""
            };
            let chained = if chained {
                ", runs the earlier hook first"
            } else {
                ""
            };
            format!("installed, version {version}{old}{chained}")
        }
    };
    if let Some(remedy) = skipped {
        words.push_str(&format!(", but not executable, so git skips it: {remedy}"));
    }
    if let Some(manager) = hooks.detect_manager(event) {
        let told = match (
            hooks.has_lines(manager, event),
            hooks.calls_manager(manager, event),
        ) {
            (true, true) => " and runs it".to_owned(),
            (true, false) => format!(
                ", but its own hook is not installed, so nothing runs: {}",
                manager.install_command(event)
            ),
            (false, _) => String::new(),
        };
        words.push_str(&format!("; {} manages hooks here{told}", manager.name()));
    }
    if hooks.is_configured(event) {
        let runs = if hooks.runs_config_hooks() {
            ""
        } else {
            ", which this git does not run"
        };
        words.push_str(&format!("; set in git's configuration{runs}"));
    }
    words
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
            (false, _) => "switched off (council.hook is false)",
            (true, true) if !is_installed => {
                "gate, but no pre-push hook is installed: no push is stopped"
            }
            (true, false) => "advisory: a push always goes through",
            (true, true) => "gate: FAIL and INCONCLUSIVE stop a push",
        };
        rows.push(["mode", mode]);
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

/// What the configuration says, without reading a change.
fn repository_settings(start: &CommandContext) -> Result<Settings, RunError> {
    let place = RepositoryPaths::discover(&start.dir, &start.git_environment())?;
    let voices = ConfigSources {
        place: Some(&place),
        trusted: None,
        checkout: CheckoutUse::Stricter,
    };
    Ok(settings::load_config(start, Vec::new(), &voices)?.settings)
}

/// Whether the hook may be a gate: anything that can be read says so, or something cannot be read. A broken value may
/// stand beside the one that made the hook a gate, and must not open it.
pub(crate) fn may_be_gate(start: &CommandContext) -> bool {
    let place = RepositoryPaths::discover(&start.dir, &start.git_environment()).ok();
    let load = |checkout| {
        let sources = ConfigSources {
            place: place.as_ref(),
            trusted: None,
            checkout,
        };
        settings::load_config(start, Vec::new(), &sources)
    };
    let stricter = CheckoutUse::Stricter;
    let trusted = match place {
        Some(_) => settings::trusted_config(start),
        None => load(CheckoutUse::Ignored),
    };
    [load(stricter), load(CheckoutUse::Ignored), trusted]
        .into_iter()
        .any(|config| config.map_or(true, |config| config.settings.hook.mode == HookMode::Gate))
}

/// What is said where a push could not be reviewed and must not go through unreviewed.
const BLOCKED: &str = "the push is blocked: it could not be reviewed, and the hook is a gate or its configuration cannot \
                       be read (fix the error above; to push anyway: git push --no-verify, or GIT_COUNCIL=0)";

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
        RunEvent::PostCommit => run_post_commit(&without_git_variables(start)).map(|()| exit::OK),
        RunEvent::Background => run_background(&without_git_variables(start)).map(|()| exit::OK),
    };
    done.unwrap_or_else(|error| {
        start.console.error(&error);
        let gate = may_be_gate(&without_git_variables(start));
        match (args.event, gate) {
            (RunEvent::PrePush, true) => {
                start.console.log_line(&format!("git-council: {BLOCKED}"));
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
    let free = without_git_variables(start);
    let updates = push::read_updates((start, &free), &remote, &mut news)?;
    if updates.is_empty() {
        news.tell(start);
        return Ok(exit::OK);
    }
    // A push needs the verdict now, if the review of a commit still waits for a quiet machine.
    if let Ok(Some(background)) = background_queue(&free) {
        background.stop_waiting();
    }
    PrePush {
        start: &free,
        remote: &remote,
    }
    .review_updates(updates, news)
}

fn run_post_commit(start: &CommandContext) -> Result<(), RunError> {
    if !repository_settings(start)?.hook.enabled {
        return Ok(());
    }
    let Some(background) = background_queue(start)? else {
        return Ok(());
    };
    let head = git::read_change(&git::ChangeRequest {
        dir: start.dir.clone(),
        spec: TargetSpec::parse("HEAD"),
        pathspecs: Vec::new(),
        env: start.git_environment(),
    })?
    .target
    .head;
    background.request_review(&head.unwrap_or_default(), start)
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

/// Without the variables that git exports to hooks, where the directory alone leads to the same repository; else with no
/// more of them than name it.
fn without_git_variables(start: &CommandContext) -> CommandContext {
    let free = start.with_environment(start.environment.without_vars(git::is_local));
    let found = |start: &CommandContext| {
        RepositoryPaths::discover(&start.dir, &start.git_environment())
            .ok()
            .map(|place| (place.git_dir, place.workdir))
    };
    if found(start) == found(&free) {
        return free;
    }
    let needed = |name: &std::ffi::OsStr| {
        git::is_local(name) && name != "GIT_DIR" && name != "GIT_WORK_TREE"
    };
    start.with_environment(start.environment.without_vars(needed))
}
