//! Which hooks of a repository call git-council, and what they do there.

use schemars::JsonSchema;
use serde::Serialize;

use crate::config::{HookMode, ValueOrigin};
use crate::run::context::RunContext;
use crate::run::error::RunError;
use crate::run::hook::install::{HookInstaller, HookState};
use crate::run::hook::script::{HookEvent, VERSION};
use crate::run::settings::push_config;
use crate::text::Untrusted;

/// The hooks of a repository: what `hook status --json` prints.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "HookStatus")]
pub(crate) struct HookStatus {
    pub(crate) hooks: Vec<HookRow>,
    /// Where git looks for hooks.
    pub(crate) directory: String,
    /// How a verdict affects a push; none where the configuration cannot be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) settings: Option<HookMeaning>,
    /// Why the configuration cannot be read; every push is stopped until it can. Untrusted text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
}

/// What `hook status --json` says of one hook.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct HookRow {
    /// `pre-push` or `post-commit`.
    pub(crate) event: String,
    /// Whether git-council is called by it.
    pub(crate) installed: bool,
    /// The same in words, with what is in the way.
    pub(crate) state: String,
}

/// What hooks do here.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct HookMeaning {
    /// Whether hooks review at all.
    pub(crate) enabled: bool,
    /// The file of the trusted branch that switches them off; none where they review, or the user switched them off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) switched_off_by: Option<String>,
    /// Whether FAIL and INCONCLUSIVE stop a push.
    pub(crate) gate: bool,
    /// Whether judges that cost something sit.
    pub(crate) models: bool,
}

pub(crate) fn collect_status(start: &RunContext) -> Result<HookStatus, RunError> {
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
    let (settings, error) = match push_config(start) {
        Ok(config) => {
            let by = config.hook_switch().map(ValueOrigin::place_name);
            let hook = &config.settings.hook;
            let meaning = HookMeaning {
                enabled: hook.enabled,
                switched_off_by: by.map(|place| Untrusted::new(place).line()),
                gate: hook.mode == HookMode::Gate,
                models: hook.models,
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
