//! How agents differ behind one protocol: a row each, and no `if` anywhere else.

use std::path::Path;

use crate::client::ClientLogin;
use crate::known::{ANY_EFFORT, EffortFlag};

/// How an agent is kept from writing.
#[derive(Debug, Clone, Copy)]
pub(super) enum ReadOnlyMode {
    /// By one of these modes of the session, the first that it offers.
    Mode(&'static [&'static str]),
    /// By one of these values of the option, where it offers no modes.
    Choice(&'static str, &'static [&'static str]),
    /// By the files and variables of its row.
    Configured,
    /// By nothing but our refusals, and by a mode that sounds like it where there is one.
    No,
}

#[derive(Debug)]
pub(super) struct AgentQuirks {
    /// The file name of its program.
    pub(super) program: &'static str,
    /// What signs it in.
    pub(super) login: ClientLogin,
    /// How it is kept from writing.
    pub(super) read_only: ReadOnlyMode,
    /// How it is told its model.
    pub(super) model_flag: Option<&'static str>,
    /// How it is told how much its model thinks.
    pub(super) effort_flag: Option<EffortFlag>,
    /// Variables with their values.
    pub(super) variables: &'static [(&'static str, &'static str)],
    /// Variables that name a folder of its home.
    pub(super) folders: &'static [(&'static str, &'static str)],
    /// Files of its home: where a key signs it in, where its login does.
    pub(super) files: &'static [(&'static str, &'static str, &'static str)],
    /// The user's own login: below the user's home, below its home.
    pub(super) logins: &'static [(&'static str, &'static str)],
    /// Whether it takes MCP servers with a session, and lets their tools be called.
    pub(super) takes_mailbox: bool,
    /// What it says in an answer that is not the model's: how a notice goes, and how an error begins.
    pub(super) own_words: Option<OwnWords>,
}

/// What an agent puts into answers of its own accord.
#[derive(Debug, Clone, Copy)]
pub(super) struct OwnWords {
    /// Stands before an answer, any number of times.
    notice: &'static str,
    /// Begins an error that is reported as an answer.
    error: &'static str,
}

impl OwnWords {
    /// The answer without the notices before it; an error: what it says.
    pub(super) fn split_notices<'t>(&self, text: &'t str) -> Result<&'t str, &'t str> {
        let mut text = text.trim_start();
        while let Some(rest) = text.strip_prefix(self.notice) {
            text = rest.trim_start();
        }
        if text.starts_with(self.error) {
            Err(text)
        } else {
            Ok(text)
        }
    }
}

const NO_LOGIN: ClientLogin = ClientLogin {
    variables: &[],
    keys: &[],
};

/// An agent that the table does not know.
const UNKNOWN: AgentQuirks = AgentQuirks {
    program: "",
    login: NO_LOGIN,
    read_only: ReadOnlyMode::No,
    model_flag: None,
    effort_flag: None,
    variables: &[],
    folders: &[],
    files: &[],
    logins: &[],
    takes_mailbox: false,
    own_words: None,
};

macro_rules! gemini_settings {
    ($login:literal) => {
        concat!(
            r#"{"security":{"auth":{"selectedType":""#,
            $login,
            r#""}},"privacy":{"usageStatisticsEnabled":false},"telemetry":{"enabled":false},"#,
            r#""general":{"enableAutoUpdate":false,"enableAutoUpdateNotification":false},"ide":{"enabled":false},"#,
            r#""context":{"fileName":"no-such-file-of-a-council.md"}}"#
        )
    };
}

const GEMINI: AgentQuirks = AgentQuirks {
    program: "gemini",
    login: ClientLogin {
        variables: &["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL"],
        keys: &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    },
    read_only: ReadOnlyMode::Mode(&["plan"]),
    model_flag: Some("-m"),
    effort_flag: None,
    variables: &[
        // It refuses to run in a folder that nobody trusts; the workspace holds nothing to be trusted with.
        ("GEMINI_CLI_TRUST_WORKSPACE", "true"),
        // It would start itself once more.
        ("GEMINI_CLI_NO_RELAUNCH", "true"),
    ],
    folders: &[],
    files: &[(
        ".gemini/settings.json",
        gemini_settings!("gemini-api-key"),
        gemini_settings!("oauth-personal"),
    )],
    logins: &[
        (".gemini/oauth_creds.json", ".gemini/oauth_creds.json"),
        (
            ".gemini/google_accounts.json",
            ".gemini/google_accounts.json",
        ),
    ],
    takes_mailbox: true,
    own_words: None,
};

const COPILOT: AgentQuirks = AgentQuirks {
    program: "copilot",
    login: ClientLogin {
        variables: &[
            "COPILOT_OFFLINE",
            "COPILOT_PROVIDER_BASE_URL",
            "COPILOT_PROVIDER_API_KEY",
            "COPILOT_PROVIDER_TYPE",
            "COPILOT_PROVIDER_WIRE_API",
            "COPILOT_MODEL",
        ],
        keys: &["COPILOT_PROVIDER_API_KEY"],
    },
    read_only: ReadOnlyMode::Choice("mode", &["plan"]),
    model_flag: Some("--model"),
    effort_flag: Some(EffortFlag {
        levels: ANY_EFFORT,
        option: "--reasoning-effort",
        setting: None,
    }),
    variables: &[("COPILOT_AUTO_UPDATE", "false")],
    folders: &[("COPILOT_HOME", "copilot")],
    files: &[],
    logins: &[(".copilot/config.json", "copilot/config.json")],
    // It passes a 401 on as an answer like any other.
    takes_mailbox: false,
    own_words: Some(OwnWords {
        notice: "Info: Request failed due to a transient API error. Retrying...",
        error: "Error: ",
    }),
};

const OPENCODE: AgentQuirks = AgentQuirks {
    program: "opencode",
    login: ClientLogin {
        variables: &[
            "ANTHROPIC_API_KEY",
            "OPENAI_API_KEY",
            "GEMINI_API_KEY",
            "OPENROUTER_API_KEY",
        ],
        keys: &[
            "ANTHROPIC_API_KEY",
            "OPENAI_API_KEY",
            "GEMINI_API_KEY",
            "OPENROUTER_API_KEY",
        ],
    },
    read_only: ReadOnlyMode::Configured,
    model_flag: None,
    effort_flag: None,
    variables: &[
        (
            "OPENCODE_CONFIG_CONTENT",
            // A title for every session would be one more call of a model.
            r#"{"autoupdate":false,"share":"disabled","permission":{"edit":"deny","bash":"deny","webfetch":"deny"},"agent":{"title":{"disable":true}}}"#,
        ),
        ("OPENCODE_DISABLE_MODELS_FETCH", "1"),
        ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
        ("OPENCODE_DISABLE_DEFAULT_PLUGINS", "1"),
    ],
    folders: &[
        ("XDG_DATA_HOME", "data"),
        ("XDG_CONFIG_HOME", "config"),
        ("XDG_CACHE_HOME", "cache"),
    ],
    files: &[],
    logins: &[(".local/share/opencode/auth.json", "data/opencode/auth.json")],
    takes_mailbox: true,
    own_words: None,
};

const CLAUDE: AgentQuirks = AgentQuirks {
    program: "claude-agent-acp",
    login: ClientLogin {
        variables: &[
            "ANTHROPIC_API_KEY",
            "ANTHROPIC_AUTH_TOKEN",
            "ANTHROPIC_BASE_URL",
            "CLAUDE_CODE_OAUTH_TOKEN",
            "CLAUDE_CODE_EXECUTABLE",
        ],
        keys: &[
            "ANTHROPIC_API_KEY",
            "ANTHROPIC_AUTH_TOKEN",
            "CLAUDE_CODE_OAUTH_TOKEN",
        ],
    },
    read_only: ReadOnlyMode::Mode(&["dontAsk", "plan"]),
    model_flag: None,
    effort_flag: None,
    variables: &[
        // It passes a flag that claude refuses to root, unless it is told that nothing can be harmed.
        ("IS_SANDBOX", "1"),
        ("CLAUDE_CODE_MAX_RETRIES", "2"),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
        ("DISABLE_AUTOUPDATER", "1"),
        ("DISABLE_TELEMETRY", "1"),
        ("DISABLE_ERROR_REPORTING", "1"),
    ],
    folders: &[("CLAUDE_CONFIG_DIR", "claude")],
    files: &[],
    logins: &[(".claude/.credentials.json", "claude/.credentials.json")],
    takes_mailbox: true,
    own_words: None,
};

const CODEX: AgentQuirks = AgentQuirks {
    program: "codex-acp",
    login: ClientLogin {
        variables: &["CODEX_API_KEY", "OPENAI_API_KEY", "CODEX_PATH"],
        keys: &["CODEX_API_KEY", "OPENAI_API_KEY"],
    },
    read_only: ReadOnlyMode::Mode(&["read-only"]),
    model_flag: None,
    effort_flag: None,
    // Its default mode writes without asking, whatever its configuration says.
    variables: &[("INITIAL_AGENT_MODE", "read-only")],
    folders: &[("CODEX_HOME", "codex")],
    files: &[],
    logins: &[(".codex/auth.json", "codex/auth.json")],
    takes_mailbox: false,
    own_words: None,
};

static ALL: [AgentQuirks; 5] = [GEMINI, COPILOT, OPENCODE, CLAUDE, CODEX];
static OTHER: AgentQuirks = UNKNOWN;

/// The row of an agent, by its program.
pub(super) fn find_quirks(argv: &[String]) -> &'static AgentQuirks {
    let program = argv.first().map(Path::new).and_then(Path::file_name);
    let is_it = |quirks: &&AgentQuirks| program.is_some_and(|program| program == quirks.program);
    ALL.iter().find(is_it).unwrap_or(&OTHER)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::known::KNOWN_CLIENTS;

    #[test]
    fn every_known_agent_has_a_row_that_is_read_only() {
        for known in KNOWN_CLIENTS.iter().filter(|known| known.driver == "acp") {
            let quirks = find_quirks(&known.to_command());
            assert_eq!(quirks.program, known.argv[0]);
            assert!(!matches!(quirks.read_only, ReadOnlyMode::No));
        }
    }

    #[test]
    fn what_an_agent_says_of_itself_is_no_answer() {
        let words = COPILOT.own_words.unwrap();
        let notice = "Info: Request failed due to a transient API error. Retrying...";
        assert_eq!(
            words.split_notices(&format!("{notice}{notice}{{}}")),
            Ok("{}")
        );
        let error = "Error: Authentication failed with provider (HTTP 401).";
        assert_eq!(words.split_notices(&format!("{notice}{error}")), Err(error));
        assert_eq!(
            words.split_notices("It says Error: once."),
            Ok("It says Error: once.")
        );
    }

    #[test]
    fn no_row_passes_a_token_of_a_forge_and_every_file_is_json() {
        for quirks in &ALL {
            for name in quirks.login.variables {
                assert!(!crate::environment::is_forbidden(name), "{name}");
            }
            for (path, with_key, with_login) in quirks.files {
                for text in [with_key, with_login] {
                    assert!(
                        serde_json::from_str::<serde_json::Value>(text).is_ok(),
                        "{path}"
                    );
                }
            }
        }
    }
}
