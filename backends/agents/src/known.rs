//! Clients that are known by their names: how each is started, and whose models it has.

use council_protocol::seat::{AgentKind, Client};

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
