//! What the configuration says of hooks, and the environment in which they read it.

use crate::config::HookMode;
use crate::git::{self, RepositoryPaths};
use crate::run::context::RunContext;
use crate::run::environment::ProcessEnvironment;
use crate::run::request::CheckoutUse;
use crate::run::settings::{self, ConfigSources};

/// Whether the hook may be a gate: anything that can be read says so, or something cannot be read. A broken value may
/// stand beside the one that made the hook a gate, and must not open it.
pub(crate) fn may_be_gate(start: &RunContext) -> bool {
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

/// The environment without the variables that git exports to hooks, where the directory alone leads to the same
/// repository; else with no more of them than name it.
pub(crate) fn without_git_variables(start: &RunContext) -> ProcessEnvironment {
    let free = RunContext {
        environment: start.environment.without_vars(git::is_local),
        ..start.clone()
    };
    let found = |start: &RunContext| {
        RepositoryPaths::discover(&start.dir, &start.git_environment())
            .ok()
            .map(|place| (place.git_dir, place.workdir))
    };
    if found(start) == found(&free) {
        return free.environment;
    }
    let needed = |name: &std::ffi::OsStr| {
        git::is_local(name) && name != "GIT_DIR" && name != "GIT_WORK_TREE"
    };
    start.environment.without_vars(needed)
}
