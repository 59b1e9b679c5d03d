//! Clients that are known by their names: how each is started, and whose models it has.

use council_protocol::seat::{AgentKind, Client};

/// A client that needs no configuration beyond its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Known {
    /// The name of the agent.
    pub name: &'static str,
    /// Its driver, as [`AgentKind::driver`] spells it.
    pub driver: &'static str,
    /// How it is started; the driver adds its own arguments behind.
    pub argv: &'static [&'static str],
    /// Whose models it has, unless the configuration says otherwise.
    pub vendor: &'static str,
}

/// Every client that is known by name (clients.md 1 and 8.2). Further ACP agents need a `command` of their own.
pub const KNOWN: &[Known] = &[
    Known {
        name: "claude",
        driver: "claude",
        argv: &["claude"],
        vendor: "anthropic",
    },
    Known {
        name: "codex",
        driver: "codex",
        argv: &["codex"],
        vendor: "openai",
    },
    Known {
        name: "gemini",
        driver: "acp",
        argv: &["gemini", "--acp", "--skip-trust"],
        vendor: "google",
    },
    Known {
        name: "copilot",
        driver: "acp",
        argv: &["copilot", "--acp"],
        vendor: "github",
    },
    Known {
        name: "opencode",
        driver: "acp",
        argv: &["opencode", "acp"],
        vendor: "opencode",
    },
    Known {
        name: "claude-acp",
        driver: "acp",
        argv: &["claude-agent-acp"],
        vendor: "anthropic",
    },
    Known {
        name: "codex-acp",
        driver: "acp",
        argv: &["codex-acp"],
        vendor: "openai",
    },
];

/// The client of that name.
pub fn known(name: &str) -> Option<&'static Known> {
    KNOWN.iter().find(|known| known.name == name)
}

/// The client that a driver speaks with when nothing else is said; none for a driver that has several.
pub fn of_driver(driver: &str) -> Option<&'static Known> {
    known(driver).filter(|known| known.driver == driver)
}

impl Known {
    /// The command as a configuration would have it.
    pub fn command(&self) -> Vec<String> {
        self.argv.iter().map(|&word| word.to_owned()).collect()
    }
}

/// The kind of an agent with a driver of ours that starts a client; none for any other driver.
pub fn kind(driver: &str, client: Client) -> Option<AgentKind> {
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
        for known in KNOWN {
            assert!(
                kind(known.driver, Client::default()).is_some(),
                "{}",
                known.name
            );
            assert!(
                crate::command::is_safe_program(known.argv[0]),
                "{}",
                known.name
            );
        }
        assert!(of_driver("acp").is_none(), "there are several");
    }
}
