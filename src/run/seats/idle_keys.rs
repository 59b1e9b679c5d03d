//! Keys of an agent's table that its driver does not read: nobody should believe that they hold.

use std::collections::BTreeMap;

use council_agents::known;
use council_protocol::Seat;
use council_protocol::seat::AgentKind;

use crate::config::AgentSettings;
use crate::run::seats::SeatPlanner;

/// Keys that say how the agent's program is started, and who starts one.
const STARTED: &[&str] = &["command", "claude", "codex", "acp"];

/// Keys that only some drivers read, with those drivers.
const READERS: &[(&str, &[&str])] = &[
    ("command", STARTED),
    ("env", STARTED),
    ("sandbox", STARTED),
    ("format", &["command"]),
    ("files", &["command"]),
    ("max-severity", &["command"]),
    ("baseline", &["command"]),
    ("allow-code", &["command"]),
    ("recording", &["recorded"]),
    ("api", &["http"]),
    ("url", &["http"]),
    ("key", &["http"]),
    ("fallback", &["http"]),
    ("max-tokens", &["http"]),
    ("structured", &["http"]),
    ("prime", &["http"]),
    ("tools", &["http", "claude", "codex", "acp"]),
    ("effort", &["http", "claude", "codex", "acp"]),
    ("thinking", &["http"]),
];

impl SeatPlanner<'_> {
    /// What the configuration says of the agents of these seats in vain.
    pub(crate) fn idle_key_notes(&self, seats: &[Seat]) -> Vec<String> {
        let agents = seats.iter().map(|seat| &seat.agent);
        let agents: BTreeMap<&str, &AgentKind> = agents
            .map(|agent| (agent.name.as_str(), &agent.kind))
            .collect();
        let mut notes = Vec::new();
        for (name, kind) in agents {
            let own = self.settings().agents.get(name);
            let own = own.cloned().unwrap_or_default();
            for (key, drivers) in READERS {
                if self.sets(name, key)
                    && let Some(why) = why_idle(name, key, drivers, kind, &own)
                {
                    notes.push(format!("`agents.{name}.{key}` has no effect: {why}"));
                }
            }
        }
        notes
    }

    /// Whether anybody gives the key a value.
    fn sets(&self, name: &str, key: &str) -> bool {
        let path = [name, key].map(str::to_owned);
        let is_it = |entry: &crate::config::ResolvedKey| entry.path.0.get(1..) == Some(&path[..]);
        let mut entries = self.config.entries.iter();
        entries.any(|entry| entry.path.0[0] == "agents" && is_it(entry))
    }
}

/// Why a key says nothing to an agent; none: it does.
fn why_idle(
    name: &str,
    key: &str,
    drivers: &[&str],
    kind: &AgentKind,
    own: &AgentSettings,
) -> Option<String> {
    let driver = kind.driver();
    // A tool that is known by name is told what to write, and is the only one that may have to run code.
    let is_known_tool =
        driver == "command" && (own.driver.as_deref() != Some("command") || own.command.is_empty());
    match (key, kind) {
        _ if !drivers.contains(&driver) => Some(unread(name, key, drivers, driver)),
        ("format", _) if is_known_tool => {
            Some("the tool is known, and so is its format".to_owned())
        }
        ("allow-code", _) if !is_known_tool => {
            Some("a command of your own runs whatever it runs".to_owned())
        }
        ("effort", AgentKind::Acp(client))
            if known::effort_flag(driver, &client.argv).is_none() =>
        {
            Some(format!(
                "no option of `{}` is known that says it; use the client's own settings, or `agents.{name}.command`",
                client.argv.first().map_or("", String::as_str)
            ))
        }
        _ => None,
    }
}

fn unread(name: &str, key: &str, drivers: &[&str], driver: &str) -> String {
    if key == "thinking" && matches!(driver, "claude" | "codex") {
        return format!(
            "the driver `{driver}` takes no number of tokens of thought; `agents.{name}.effort` says how much it thinks"
        );
    }
    let drivers: Vec<String> = drivers.iter().map(|name| format!("`{name}`")).collect();
    format!(
        "the driver `{driver}` does not read it, only {}",
        drivers.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, ConfigLayer, LayerSource, resolve_layers};

    /// An agent of each driver, and one more of a client that is told an effort.
    const AGENTS: [(&str, &str); 10] = [
        ("builtin", "driver = 'builtin'"),
        ("program", "driver = 'command'\ncommand = ['x']"),
        ("ruff", "driver = 'command'"),
        ("claude", "driver = 'claude'"),
        ("codex", "driver = 'codex'"),
        ("gemini", "driver = 'acp'"),
        ("copilot", "driver = 'acp'"),
        ("api", "driver = 'http'\napi = 'anthropic'\nmodel = 'm'"),
        ("tape", "driver = 'recorded'\nrecording = '/b'"),
        ("plugged", "driver = 'backend'"),
    ];

    /// For each key a value that nobody has who says nothing.
    const VALUES: [(&str, &str); 18] = [
        ("command", "['other', '--acp']"),
        ("env", "['SOME']"),
        ("sandbox", "'required'"),
        ("format", "'sarif'"),
        ("files", "['*.lock']"),
        ("max-severity", "'minor'"),
        ("baseline", "true"),
        ("recording", "'/c'"),
        ("api", "'gemini'"),
        ("url", "'https://models.example/v1'"),
        ("key", "'SOME_KEY'"),
        ("fallback", "['n']"),
        ("max-tokens", "512"),
        ("structured", "false"),
        ("prime", "'off'"),
        ("tools", "false"),
        ("effort", "'high'"),
        ("thinking", "4096"),
    ];

    fn config(text: &str) -> Config {
        let layer = ConfigLayer::File {
            source: LayerSource::User,
            name: "f".into(),
            text: text.into(),
        };
        resolve_layers(&[layer]).unwrap()
    }

    /// The kind of an agent, and what is said of its keys.
    fn seated(name: &str, lines: &str) -> (AgentKind, Vec<String>) {
        let config = config(&format!(
            "review.judges = 1\nreview.agents = ['{name}']\n[agents.{name}]\n{lines}\n"
        ));
        let planner = SeatPlanner {
            config: &config,
            deep: false,
        };
        let kind = planner.agent_kind(name, config.settings.agents.get(name));
        let mut seat: Seat = serde_json::from_value(serde_json::json!({
            "judge": "judge-1",
            "agent": { "name": name, "vendor": "v", "kind": { "driver": "backend" } },
        }))
        .unwrap();
        seat.agent.kind = kind.unwrap();
        let notes = planner.idle_key_notes(std::slice::from_ref(&seat));
        (seat.agent.kind, notes)
    }

    /// Law: a key either changes how the agent is asked, or it is told to have no effect, whatever the driver.
    #[test]
    fn a_key_has_an_effect_or_is_told_to_have_none() {
        for (name, lines) in AGENTS {
            let (plain, told) = seated(name, lines);
            assert_eq!(told, Vec::<String>::new(), "{name}");
            for (key, value) in VALUES {
                let mut own: Vec<&str> = lines.lines().collect();
                own.retain(|line| line.split(" = ").next() != Some(key));
                let line = format!("{key} = {value}");
                own.push(&line);
                let (kind, told) = seated(name, &own.join("\n"));
                assert_eq!(
                    told.len(),
                    usize::from(kind == plain),
                    "{name} {line}: {told:?}"
                );
                assert!(told.iter().all(|note| note.contains(key)), "{told:?}");
            }
        }
    }

    /// A tool that runs code of the change is not seated without a word of its user; to a command of one's own that word
    /// says nothing.
    #[test]
    fn leave_to_run_code_is_asked_for_by_known_tools_alone() {
        for (name, lines, is_idle) in [
            ("program", "driver = 'command'\ncommand = ['x']", true),
            ("claude", "driver = 'claude'", true),
            ("clippy", "driver = 'command'", false),
        ] {
            let (_, told) = seated(name, &format!("{lines}\nallow-code = true"));
            assert_eq!(!told.is_empty(), is_idle, "{name}: {told:?}");
        }
    }
}
