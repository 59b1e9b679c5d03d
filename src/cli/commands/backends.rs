//! `git council backends`: the ways to run judges.

use clap::{Args, Subcommand};
use council_conformance::{Candidate, run_scenarios as conform, scripted_agent};
use council_protocol::Backend;
use council_protocol::change::NoBlobs;
use council_protocol::message::Hello;
use council_protocol::seat::{AgentKind, AgentSpec, RuleSettings};

use crate::cli::context::CommandContext;
use crate::registry::{BackendOrigin, built_in_backends};
use crate::report::exit;
use crate::run::backends::{BackendTable, empty_packet, find_worktree};
use crate::run::error::RunError;
use crate::run::{plugins, settings};
use crate::session::worker;
use crate::text::{Columns, Untrusted, page_address, paragraph, with_page_addresses};

/// List the backends (the ways to run judges), and what each can do
#[derive(Debug, Clone, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct BackendsArgs {
    #[command(subcommand)]
    pub(crate) action: Option<BackendsAction>,
}

/// What else can be done with backends.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum BackendsAction {
    /// Run the conformance suite against one backend
    Check {
        /// A built-in backend, or a plugin of `[backends]`
        #[arg(value_name = "NAME")]
        name: String,
        #[arg(long, help = format!(
            "Also test faults: the backend's agent follows the script of {}", page_address("docs/backends.md")
        ))]
        scripted: bool,
    },
}

/// What whoever reads the list for the first time must know, a paragraph a line.
const ABOUT: [&str; 3] = [
    "A backend is a way to run judges. The first one that can do what a review needs is used; --backend NAME selects \
     one. `git council doctor` shows which one is used here, and why.",
    "spawn: several judges at once; message: a judge can be asked again; shutdown: it can be ended in good order; \
     shared-fs: it reads the run's files; structured-output: answers are held to a schema; read-only: judges are kept \
     from writing; resume: a conversation can be taken up again; peer-messages: judges can write to each other; \
     cost: it tells what a turn costs.",
    "What an agent cannot do, no backend does for it: docs/backends.md.",
];

pub(crate) fn run(args: &BackendsArgs, start: &CommandContext) -> Result<u8, RunError> {
    if let Some(BackendsAction::Check { name, scripted }) = &args.action {
        return check_backend(name, *scripted, start);
    }
    let config = settings::branch_config(start)?;
    let table =
        BackendTable::without_change(start).with_plugins(&config.settings, find_worktree(start));
    let (listed, failed) = table.list_backends(start);
    let width = Some(start.console.stdout_look().width);
    let mut rows = Columns::default();
    for listed in listed {
        let about = match listed.origin {
            BackendOrigin::BuiltIn => listed.about,
            BackendOrigin::Configured(place) => format!("{}; from {place}", listed.about),
        };
        rows.push([&listed.name, &about]);
        rows.push(["", &listed.backend.manifest().capabilities.to_string()]);
    }
    let mut out = rows.render_within("", width);
    for (_, error) in failed {
        let told = format!("not loaded: {}", Untrusted::new(&error.message).line());
        out.push_str(&paragraph(&told, width));
    }
    for told in ABOUT.map(with_page_addresses) {
        out.push('\n');
        out.push_str(&paragraph(&told, width));
    }
    start.console.print(&out)?;
    Ok(exit::OK)
}

fn check_backend(name: &str, scripted: bool, start: &CommandContext) -> Result<u8, RunError> {
    let config = settings::branch_config(start)?;
    let cannot =
        |error: std::io::Error| RunError::run(format!("cannot make a run's folder: {error}"));
    let folder = council_agents::private::temporary_folder("council-check-").map_err(cannot)?;
    worker::export_packet(folder.path(), &empty_packet(), None, &NoBlobs).map_err(cannot)?;
    let plugin = config.settings.backends.get(name);
    let make = || -> Result<Box<dyn Backend>, String> {
        match plugin {
            Some(settings) => plugins::load_plugin(name, settings, find_worktree(start), start)
                .map(|listed| listed.backend)
                .map_err(|error| error.message),
            None => built_in_backends(&BackendTable::without_change(start).kit)
                .into_iter()
                .find(|listed| listed.name == name)
                .map(|listed| listed.backend)
                .ok_or_else(|| format!("there is no backend `{name}`")),
        }
    };
    // Before the suite says of every scenario that there is nothing to try.
    make().map_err(|error| RunError::usage(error).hint("`git council backends` lists them"))?;
    let hello = Hello {
        run: "council-20000101-conformance".into(),
        folder: Some(folder.path().into()),
        ..Hello::default()
    };
    let mut candidate =
        Candidate::new(name, make, suite_agent(plugin.is_some(), scripted)).hello(hello);
    if scripted {
        candidate = candidate.scripted();
    }
    let table = conform(&candidate);
    start.console.print(&table.to_string())?;
    Ok(if table.passed() { exit::OK } else { exit::FAIL })
}

/// Whoever sits in a backend under test: a plugin brings its own agent, the built-in ones hold the built-in judge.
fn suite_agent(plugin: bool, scripted: bool) -> AgentSpec {
    if scripted {
        return scripted_agent();
    }
    let kind = if plugin {
        AgentKind::Backend {}
    } else {
        AgentKind::Builtin {
            rules: RuleSettings::default(),
        }
    };
    let name = kind.driver().to_owned();
    AgentSpec {
        vendor: name.clone(),
        name,
        kind,
        model: None,
        deterministic: !plugin,
    }
}
