//! `git council schema`: the JSON Schemas of what goes in and comes out.

use clap::{Args, ValueEnum};

use crate::cli::console::Console;
use crate::run::error::RunError;

// As committed: generating them here took more of the program than the texts do. A test holds them against the types.
const REPORT: &str = include_str!("../../../docs/schemas/report.schema.json");
const ANSWER: &str = include_str!("../../../docs/schemas/answer.schema.json");
const PACKET: &str = include_str!("../../../docs/schemas/packet.schema.json");
const CONFIG: &str = include_str!("../../../docs/schemas/config.schema.json");
const CONFIG_VALUES: &str = include_str!("../../../docs/schemas/config-values.schema.json");
const EVENTS: &str = include_str!("../../../docs/schemas/events.schema.json");
const STATUS: &str = include_str!("../../../docs/schemas/status.schema.json");
const CACHE: &str = include_str!("../../../docs/schemas/cache.schema.json");
const HOOK_STATUS: &str = include_str!("../../../docs/schemas/hook-status.schema.json");
const AGENTS: &str = include_str!("../../../docs/schemas/agents.schema.json");
const DOCTOR: &str = include_str!("../../../docs/schemas/doctor.schema.json");
const LOG: &str = include_str!("../../../docs/schemas/log.schema.json");
const LOG_STATS: &str = include_str!("../../../docs/schemas/log-stats.schema.json");
const BACKEND_REQUEST: &str = include_str!("../../../docs/schemas/backend-request.schema.json");
const BACKEND_EVENT: &str = include_str!("../../../docs/schemas/backend-event.schema.json");

/// Print a JSON Schema: of the report, an answer, the packet, a backend's messages, …
#[derive(Debug, Clone, Args)]
pub(crate) struct SchemaArgs {
    /// Which format
    #[arg(value_enum, default_value = "report")]
    of: SchemaName,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum SchemaName {
    /// What `review --json` prints
    Report,
    /// A judge's answer
    Answer,
    /// The packet: the change as judges get it
    Packet,
    /// `council.toml` and `config.toml`
    Config,
    /// What `config --json` prints
    ConfigValues,
    /// What a backend is sent
    BackendRequest,
    /// What a backend sends
    BackendEvent,
    /// A line of `review --events`
    Events,
    /// What `log --json` prints
    Log,
    /// What `log --stats --json` prints
    LogStats,
    /// What `status --json` prints
    Status,
    /// What `cache show --json` prints
    Cache,
    /// What `agents --json` prints
    Agents,
    /// What `hook status --json` prints
    HookStatus,
    /// What `doctor --json` prints
    Doctor,
}

pub(crate) fn run(args: &SchemaArgs, console: &Console) -> Result<(), RunError> {
    let schema = match args.of {
        SchemaName::Report => REPORT,
        SchemaName::Answer => ANSWER,
        SchemaName::Packet => PACKET,
        SchemaName::Config => CONFIG,
        SchemaName::ConfigValues => CONFIG_VALUES,
        SchemaName::BackendRequest => BACKEND_REQUEST,
        SchemaName::BackendEvent => BACKEND_EVENT,
        SchemaName::Events => EVENTS,
        SchemaName::Status => STATUS,
        SchemaName::Cache => CACHE,
        SchemaName::HookStatus => HOOK_STATUS,
        SchemaName::Doctor => DOCTOR,
        SchemaName::Agents => AGENTS,
        SchemaName::Log => LOG,
        SchemaName::LogStats => LOG_STATS,
    };
    console.print(schema)
}

#[cfg(test)]
mod tests {
    use schemars::schema_for;

    use crate::cli::commands::cache::CachedEntry;
    use crate::cli::commands::config::EffectiveValue;
    use crate::run::agent_survey::AgentState;
    use crate::run::doctor::DoctorState;
    use crate::run::finding_stats::FindingStats;
    use crate::run::hook::status::HookStatus;
    use crate::run::run_list::LogEntry;
    use crate::run::status::RunStatus;
    use crate::session::ProgressEvent;

    /// A list under a title in words; its own would be made of the names of types.
    fn titled(title: &str, schema: &schemars::Schema) -> serde_json::Value {
        let mut schema = schema.clone();
        schema.insert("title".to_owned(), title.into());
        schema.to_value()
    }

    /// The texts are those of the types. `COUNCIL_UPDATE_DOCS=1` writes them anew.
    #[test]
    fn the_schemas_of_what_commands_print_are_current() {
        let generated = [
            ("events", schema_for!(ProgressEvent).to_value()),
            ("status", titled("Runs", &schema_for!(Vec<RunStatus>))),
            (
                "cache",
                titled("Kept verdicts", &schema_for!(Vec<CachedEntry>)),
            ),
            ("hook-status", schema_for!(HookStatus).to_value()),
            ("doctor", schema_for!(DoctorState).to_value()),
            ("agents", titled("Agents", &schema_for!(Vec<AgentState>))),
            (
                "config-values",
                titled("Effective values", &schema_for!(Vec<EffectiveValue>)),
            ),
            ("log", titled("Past runs", &schema_for!(Vec<LogEntry>))),
            ("log-stats", schema_for!(FindingStats).to_value()),
        ];
        for (name, schema) in generated {
            let path = format!(
                "{}/docs/schemas/{name}.schema.json",
                env!("CARGO_MANIFEST_DIR")
            );
            if std::env::var_os("COUNCIL_UPDATE_DOCS").is_some() {
                std::fs::write(&path, format!("{schema:#}\n")).unwrap();
            }
            let text = std::fs::read(&path).unwrap();
            let text: serde_json::Value = serde_json::from_slice(&text).unwrap();
            assert!(
                text == schema,
                "{path} is out of date: set COUNCIL_UPDATE_DOCS=1"
            );
        }
    }
}
