//! Clients that are known by their names: how each is started, and whose models it has.

use council_protocol::seat::{AgentKind, Client, Effort};

/// A client that needs no configuration beyond its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownClient {
    /// The name of the agent.
    pub name: &'static str,
    /// Its driver, as [`AgentKind::driver`] spells it.
    pub driver: &'static str,
    /// How it is started; the driver adds its own arguments behind.
    pub argv: &'static [&'static str],
    /// Whose models it has, unless the configuration says otherwise.
    pub vendor: &'static str,
}

/// Every client that is known by name. Further ACP agents need a `command` of their own.
pub const KNOWN_CLIENTS: &[KnownClient] = &[
    KnownClient {
        name: "claude",
        driver: "claude",
        argv: &["claude"],
        vendor: "anthropic",
    },
    KnownClient {
        name: "codex",
        driver: "codex",
        argv: &["codex"],
        vendor: "openai",
    },
    KnownClient {
        name: "gemini",
        driver: "acp",
        argv: &["gemini", "--acp", "--skip-trust"],
        vendor: "google",
    },
    KnownClient {
        name: "copilot",
        driver: "acp",
        argv: &["copilot", "--acp"],
        vendor: "github",
    },
    KnownClient {
        name: "opencode",
        driver: "acp",
        argv: &["opencode", "acp"],
        vendor: "opencode",
    },
    KnownClient {
        name: "claude-acp",
        driver: "acp",
        argv: &["claude-agent-acp"],
        vendor: "anthropic",
    },
    KnownClient {
        name: "codex-acp",
        driver: "acp",
        argv: &["codex-acp"],
        vendor: "openai",
    },
];

/// The client of that name.
pub fn find_known(name: &str) -> Option<&'static KnownClient> {
    KNOWN_CLIENTS.iter().find(|known| known.name == name)
}

/// The client that a driver speaks with when nothing else is said; none for a driver that has several.
pub fn known_of_driver(driver: &str) -> Option<&'static KnownClient> {
    find_known(driver).filter(|known| known.driver == driver)
}

impl KnownClient {
    /// The command as a configuration would have it.
    pub fn to_command(&self) -> Vec<String> {
        self.argv.iter().map(|&word| word.to_owned()).collect()
    }
}

/// The option by which a client is told how much its model thinks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EffortFlag {
    /// What it takes.
    pub levels: &'static [Effort],
    pub(crate) option: &'static str,
    /// The key of the setting, where the option takes any setting in TOML.
    pub(crate) setting: Option<&'static str>,
}

impl EffortFlag {
    /// What stands on the command line.
    pub fn to_arguments(&self, effort: Effort) -> [String; 2] {
        let level = effort.as_str();
        let value = match self.setting {
            Some(key) => format!("{key}=\"{level}\""),
            None => level.to_owned(),
        };
        [self.option.to_owned(), value]
    }
}

/// Every level: the client passes on what it is told, and its model's API decides.
pub(crate) const ANY_EFFORT: &[Effort] = &[
    Effort::None,
    Effort::Minimal,
    Effort::Low,
    Effort::Medium,
    Effort::High,
    Effort::XHigh,
    Effort::Max,
];

/// `claude --help` of 2.1.197 names these; it goes on with a warning at any other.
const CLAUDE_EFFORT: EffortFlag = EffortFlag {
    levels: &[
        Effort::Low,
        Effort::Medium,
        Effort::High,
        Effort::XHigh,
        Effort::Max,
    ],
    option: "--effort",
    setting: None,
};

const CODEX_EFFORT: EffortFlag = EffortFlag {
    levels: ANY_EFFORT,
    option: "-c",
    setting: Some("model_reasoning_effort"),
};

/// The option of the client that a driver starts so; none: none is known.
pub fn effort_flag(driver: &str, argv: &[String]) -> Option<&'static EffortFlag> {
    match driver {
        "claude" => Some(&CLAUDE_EFFORT),
        "codex" => Some(&CODEX_EFFORT),
        "acp" => crate::acp::effort_flag(argv),
        _ => None,
    }
}

/// The kind of an agent with a driver of ours that starts a client; none for any other driver.
pub fn agent_kind(driver: &str, client: Client) -> Option<AgentKind> {
    match driver {
        "claude" => Some(AgentKind::Claude(client)),
        "codex" => Some(AgentKind::Codex(client)),
        "acp" => Some(AgentKind::Acp(client)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_client_has_a_driver_and_a_program_for_the_path() {
        for known in KNOWN_CLIENTS {
            assert!(
                agent_kind(known.driver, Client::default()).is_some(),
                "{}",
                known.name
            );
            assert!(
                crate::command::is_safe_program(known.argv[0]),
                "{}",
                known.name
            );
        }
        assert!(known_of_driver("acp").is_none(), "there are several");
    }
}
