//! `git council hook`: reviews at a push and after a commit.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use crate::cli::Start;
use crate::cli::columns::Columns;
use crate::cli::error::CliError;
use crate::cli::hook::background::{Background, Limits};
use crate::cli::hook::install::{CONFIG_HOOKS, Done, Hooks, Standing};
use crate::cli::hook::push::{self, Push};
use crate::cli::hook::script::{self, Event, VERSION};
use crate::cli::settings::{self, Voices};
use crate::config::{HookMode, Settings};
use crate::git::{self, Place, TargetSpec};
use crate::report::exit;

/// Review what is pushed, and what was committed
#[derive(Debug, Clone, Args)]
pub(crate) struct HookArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Clone, Subcommand)]
enum What {
    /// Put the pre-push hook in place; one that is there is kept and runs first
    Install(InstallArgs),
    /// Take our hooks away and put back what was there before, byte for byte
    Uninstall,
    /// Say which hooks are in place, and where git looks for them
    Status,
    /// Be the hook; git or a hook manager calls this
    Run(RunArgs),
}

#[derive(Debug, Clone, Args)]
struct InstallArgs {
    /// Also start a review in the background after every commit, so that the push finds its verdict made
    #[arg(long)]
    post_commit: bool,
    /// Print the hook and install nothing
    #[arg(long)]
    print: bool,
    /// Into git's configuration instead of a file (git 2.54 and later)
    #[arg(long = "in-config")]
    in_config: bool,
    /// Even where a hook manager is in charge, or the hooks directory is shared with other repositories
    #[arg(long)]
    force: bool,
}

#[derive(Debug, Clone, Args)]
struct RunArgs {
    /// Which hook
    #[arg(value_enum)]
    event: RunEvent,
    /// What git passes on: the remote's name and its URL
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

pub(crate) fn run(args: &HookArgs, start: &Start) -> Result<u8, CliError> {
    match &args.what {
        What::Install(install) => return self::install(install, start),
        What::Uninstall => uninstall(start)?,
        What::Status => status(start)?,
        What::Run(run) => return Ok(be(run, start)),
    }
    Ok(exit::OK)
}

fn events(post_commit: bool) -> &'static [Event] {
    if post_commit {
        &Event::ALL
    } else {
        &Event::ALL[..1]
    }
}

fn program() -> PathBuf {
    std::env::current_exe().unwrap_or_else(|_| PathBuf::from("git-council"))
}

fn install(args: &InstallArgs, start: &Start) -> Result<u8, CliError> {
    if args.print {
        for &event in events(args.post_commit) {
            let text = script::text(event, &program().to_string_lossy(), false);
            start.console.print(&text)?;
        }
        return Ok(exit::OK);
    }
    let hooks = Hooks::of(start)?;
    if args.in_config {
        return configure(&hooks, args, start);
    }
    for &event in events(args.post_commit) {
        if let Some(manager) = hooks.manager(event).filter(|_| !args.force) {
            let told = hooks
                .worktree
                .as_ref()
                .is_some_and(|top| manager.is_told(top, event));
            if told {
                start.console.print(&format!(
                    "{} already runs the {} hook\n",
                    manager.name(),
                    event.name()
                ))?;
                continue;
            }
            start.console.print(&manager.lines(event))?;
            return Err(CliError::usage(format!(
                "{} is in charge of the hooks here, so nothing was installed",
                manager.name()
            ))
            .hint(format!("add the lines above to {}", manager.file(event)))
            .hint("or install beside it: git council hook install --force"));
        }
        if !hooks.own && !args.force {
            return Err(CliError::usage(format!(
                "core.hooksPath leads to {}, which other repositories share",
                hooks.dir.display()
            ))
            .hint("to review the pushes of all of them: git council hook install --force"));
        }
        let done = match hooks.install(event, &program())? {
            Done::Installed => "installed",
            Done::Renewed => "renewed",
            Done::Already => "already there",
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

fn configure(hooks: &Hooks, args: &InstallArgs, start: &Start) -> Result<u8, CliError> {
    if !hooks.runs_config_hooks() && !args.force {
        let (major, minor) = CONFIG_HOOKS;
        return Err(CliError::usage(format!(
            "this git runs no hooks of its configuration (git {major}.{minor} does)"
        ))
        .hint("install the file instead: git council hook install"));
    }
    for &event in events(args.post_commit) {
        hooks.configure(event)?;
        start.console.print(&format!(
            "hook.git-council-{} set in git's configuration\n",
            event.name()
        ))?;
    }
    Ok(exit::OK)
}

fn uninstall(start: &Start) -> Result<(), CliError> {
    let hooks = Hooks::of(start)?;
    let mut any = false;
    for event in Event::ALL {
        if hooks.uninstall(event)? {
            any = true;
            start.console.print(&format!(
                "{} removed\n",
                hooks.dir.join(event.name()).display()
            ))?;
        }
        if hooks.unconfigure(event) {
            any = true;
            start
                .console
                .print(&format!("hook.git-council-{} removed\n", event.name()))?;
        }
    }
    if !any {
        start.console.print("no hook of ours is installed\n")?;
    }
    Ok(())
}

fn status(start: &Start) -> Result<(), CliError> {
    let hooks = Hooks::of(start)?;
    let mut rows = Columns::default();
    for event in Event::ALL {
        let mut words = match hooks.standing(event)? {
            Standing::Absent => "not installed".to_owned(),
            Standing::Other => "another's".to_owned(),
            Standing::Installed { version, chained } => {
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
        if let Some(manager) = hooks.manager(event) {
            let told = hooks
                .worktree
                .as_ref()
                .is_some_and(|top| manager.is_told(top, event));
            words.push_str(&format!(
                "; {} is in charge{}",
                manager.name(),
                if told { " and runs it" } else { "" }
            ));
        }
        if hooks.is_configured(event) {
            let runs = if hooks.runs_config_hooks() {
                ""
            } else {
                ", which this git does not run"
            };
            words.push_str(&format!("; set in git's configuration{runs}"));
        }
        rows.push([event.name(), &words]);
    }
    rows.push(["directory", &hooks.dir.display().to_string()]);
    if let Ok(settings) = settings_here(start) {
        let hook = &settings.hook;
        let mode = match (hook.enabled, hook.mode) {
            (false, _) => "switched off (council.hook is false)",
            (true, HookMode::Advisory) => "advisory: a push always goes through",
            (true, HookMode::Gate) => "gate: FAIL and INCONCLUSIVE stop a push",
        };
        rows.push(["mode", mode]);
        let judges = if hook.models {
            "the whole council"
        } else {
            "built-in judges and recognised verdicts"
        };
        rows.push(["judges", judges]);
    }
    start.console.print(&rows.render(""))
}

/// What the configuration says, without reading a change.
fn settings_here(start: &Start) -> Result<Settings, CliError> {
    let place = Place::discover(&start.dir, &start.git())?;
    let voices = Voices {
        place: Some(&place),
        trusted: None,
        checkout: !start.environment.is_ci(),
    };
    Ok(settings::load(start, Vec::new(), &voices)?.settings)
}

/// A hook never stops anything by its own fault, unless the user made it a gate.
fn be(args: &RunArgs, start: &Start) -> u8 {
    if start
        .environment
        .get("GIT_COUNCIL")
        .is_some_and(|value| value == "0")
    {
        return exit::OK;
    }
    let done = match args.event {
        RunEvent::PrePush => push(args, start),
        RunEvent::PostCommit => post_commit(&freed(start)).map(|()| exit::OK),
        RunEvent::Background => background(&freed(start)).map(|()| exit::OK),
    };
    done.unwrap_or_else(|error| {
        start.console.error(&error);
        let gate =
            settings_here(&freed(start)).is_ok_and(|settings| settings.hook.mode == HookMode::Gate);
        match (args.event, gate) {
            (RunEvent::PrePush, true) => exit::INCONCLUSIVE,
            (RunEvent::PrePush, false) => {
                start
                    .console
                    .warning("git-council could not review; the push goes on");
                exit::OK
            }
            _ => exit::OK,
        }
    })
}

fn push(args: &RunArgs, start: &Start) -> Result<u8, CliError> {
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
    let updates = push::updates(start)?;
    if updates.is_empty() {
        return Ok(exit::OK);
    }
    Push {
        start: &freed(start),
        remote: &remote,
    }
    .run(updates)
}

fn post_commit(start: &Start) -> Result<(), CliError> {
    if !settings_here(start)?.hook.enabled {
        return Ok(());
    }
    let place = Place::discover(&start.dir, &start.git())?;
    let Some(background) = Background::of(&place) else {
        return Ok(());
    };
    let head = git::read(&git::Request {
        dir: start.dir.clone(),
        spec: TargetSpec::parse("HEAD"),
        pathspecs: Vec::new(),
        env: start.git(),
    })?
    .target
    .head;
    background.begin(&head.unwrap_or_default(), start)
}

fn background(start: &Start) -> Result<(), CliError> {
    let settings = settings_here(start)?;
    let limits = Limits {
        load: settings.background.load,
        battery: settings.background.battery,
    };
    let place = Place::discover(&start.dir, &start.git())?;
    match Background::of(&place) {
        Some(background) => background.work(&limits, start),
        None => Ok(()),
    }
}

/// Without the variables that git exports to hooks, where the directory alone leads to the same repository; else with no
/// more of them than name it.
fn freed(start: &Start) -> Start {
    let free = Start {
        environment: start.environment.without(git::is_local),
        ..start.clone()
    };
    let found = |start: &Start| {
        Place::discover(&start.dir, &start.git())
            .ok()
            .map(|place| (place.git_dir, place.workdir))
    };
    if found(start) == found(&free) {
        return free;
    }
    let needed = |name: &std::ffi::OsStr| {
        git::is_local(name) && name != "GIT_DIR" && name != "GIT_WORK_TREE"
    };
    Start {
        environment: start.environment.without(needed),
        ..start.clone()
    }
}
