//! What thinks for an agent's name: its driver, and how that is started.

use council_agents::known::{self, EffortFlag, KnownClient};
use council_agents::known_tools::{self, KnownTool};
use council_protocol::Severity;
use council_protocol::seat::{AgentKind, Api, Client, Effort, Endpoint, ToolRules};

use crate::config::{AgentSettings, LayerSource, ResolvedKey, SourceTrust, ValueOrigin};
use crate::run::environment::ProcessEnvironment;
use crate::run::error::RunError;
use crate::run::seats::names::unknown_name;
use crate::run::seats::{BUILT_IN, SeatPlanner};
use crate::text::page_address;

impl SeatPlanner<'_> {
    /// The kind of the agent `name`; `own` is its table of the configuration.
    pub(crate) fn agent_kind(
        &self,
        name: &str,
        own: Option<&AgentSettings>,
    ) -> Result<AgentKind, RunError> {
        let mut own = own.cloned().unwrap_or_default();
        let rules = self.settings().rule_settings();
        let tool_calls = match own.tools {
            Some(false) => 0,
            _ => self.settings().limits.tool_calls,
        };
        match own.driver.take().as_deref() {
            Some("command") if !own.command.is_empty() => Ok(AgentKind::Command {
                argv: own.command,
                env: own.env,
                format: own.format,
                sandbox: own.sandbox,
                tool: ToolRules {
                    files: own.files,
                    max_severity: own.max_severity.unwrap_or(Severity::Significant),
                    baseline: own.baseline.unwrap_or(false),
                    ..ToolRules::default()
                },
            }),
            Some("command") => match known_tools::find_tool(name) {
                Some(tool) => tool_kind(tool, own),
                None => Err(no_command(name)),
            },
            Some("recorded") => match own.recording {
                Some(recording) => Ok(AgentKind::Recorded { recording }),
                None => Err(RunError::usage(format!("agent `{name}` has no recording"))
                    .hint(format!("set `agents.{name}.recording` to a bundle: git council replay RUN --bundle FILE"))),
            },
            Some("backend") => Ok(AgentKind::Backend {}),
            Some("http") => Ok(AgentKind::Http(http_endpoint(name, own, tool_calls)?)),
            Some("builtin") => Ok(AgentKind::Builtin { rules }),
            Some(driver) => client_kind(name, driver, own, tool_calls),
            None if name == BUILT_IN => Ok(AgentKind::Builtin { rules }),
            None => match known::find_known(name) {
                Some(known) if self.is_named_by_user(name) => {
                    client_kind(name, known.driver, own, tool_calls)
                }
                Some(known) => Err(not_seated(known)),
                None => match known_tools::find_tool(name) {
                    Some(tool) if self.is_named_by_user(name) => tool_kind(tool, own),
                    Some(_) => Err(tool_not_seated(name)),
                    None => Err(self.unknown_agent(name)),
                },
            },
        }
    }

    /// An agent that the user's own configuration begins to describe, and that nothing runs, is no agent: it would be passed
    /// over in silence.
    pub(crate) fn check_drivers(&self) -> Result<(), RunError> {
        let is_the_users = |name: &str| {
            let prefix = format!("agents.{name}.");
            let mut entries = self.config.entries.iter();
            entries.any(|entry| {
                let origin = entry.origin().map(|origin| origin.source.trust());
                origin == Some(SourceTrust::User) && entry.path.to_string().starts_with(&prefix)
            })
        };
        let without = self.settings().agents.iter();
        let mut without = without.filter(|(name, agent)| {
            let is_known = known::find_known(name).is_some()
                || known_tools::find_tool(name).is_some()
                || name.as_str() == BUILT_IN;
            agent.driver.is_none() && !is_known && is_the_users(name)
        });
        match without.next() {
            None => Ok(()),
            Some((name, _)) => Err(RunError::usage(format!("agent `{name}` has no driver")).hint(
                format!("set `agents.{name}.driver`: `git council config --keys agents` lists the drivers"),
            )),
        }
    }

    /// Whether the user named the agent: a repository alone cannot make a run cost money.
    fn is_named_by_user(&self, name: &str) -> bool {
        let is_the_users = |key: &str| {
            let origin = self.config.entry(key).and_then(ResolvedKey::origin);
            origin.is_some_and(|origin| origin.source.trust() == SourceTrust::User)
        };
        let review = &self.settings().review;
        let seated = || {
            self.settings()
                .judge
                .iter()
                .filter_map(|judge| judge.agent.as_deref())
        };
        (is_the_users("review.agents") && review.agents.iter().any(|agent| agent == name))
            || (is_the_users("judge") && seated().any(|agent| agent == name))
    }

    fn unknown_agent(&self, name: &str) -> RunError {
        let mut names = self.configured_agents();
        names.push(BUILT_IN.to_owned());
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let error = unknown_name("agent", name, &names);
        match self.seated_by(name) {
            Some(origin) if !matches!(origin.source, LayerSource::Flag | LayerSource::BuiltIn) => {
                error.hint(format!(
                    "`{name}` is asked for in {origin}: define it in your own configuration (`[agents.{name}]` with a `driver`, \
                     {}), or choose others with `--agents`",
                    page_address("docs/agents.md")
                ))
            }
            _ => error,
        }
    }

    /// Where it stands that this agent is to judge.
    fn seated_by(&self, name: &str) -> Option<&ValueOrigin> {
        let settings = self.settings();
        let is_judge = |seat: &str| seat == name;
        let by_judge = || {
            settings
                .judge
                .iter()
                .filter_map(|judge| judge.agent.as_deref())
        };
        let key = match settings.review.agents.iter().any(|agent| is_judge(agent)) {
            true => "review.agents",
            false if by_judge().any(is_judge) => "judge",
            false => return None,
        };
        self.config.entry(key).and_then(ResolvedKey::origin)
    }
}

/// A tool that is known by name, with what the user says otherwise.
fn tool_kind(tool: &KnownTool, own: AgentSettings) -> Result<AgentKind, RunError> {
    let mut kind = tool
        .to_kind(own.allow_code)
        .ok_or_else(|| runs_code(tool.name))?;
    if let AgentKind::Command {
        argv,
        env,
        sandbox,
        tool: rules,
        ..
    } = &mut kind
    {
        if !own.command.is_empty() {
            *argv = own.command;
        }
        if !own.files.is_empty() {
            rules.files = own.files;
        }
        if let Some(max_severity) = own.max_severity {
            // For the rules that may count so much: what is style to a tool stays that.
            rules.max_severity = max_severity;
        }
        rules.baseline = own.baseline.unwrap_or(rules.baseline);
        *env = own.env;
        *sandbox = own.sandbox;
    }
    Ok(kind)
}

fn runs_code(name: &str) -> RunError {
    let message =
        format!("`{name}` runs code of the change that it checks, and that is not allowed");
    RunError::usage(message).hint(format!(
        "if you review only changes that you would run yourself, set `agents.{name}.allow-code = true`"
    ))
}

fn tool_not_seated(name: &str) -> RunError {
    RunError::usage(format!("the tool `{name}` is not in your own configuration"))
        .hint("a repository cannot make your machine run a program")
        .hint(format!("name it in your own `review.agents`: git config --global --add council.review.agents {name}"))
}

/// Whose model it is where nobody says so.
pub(crate) fn default_vendor(name: &str, kind: &AgentKind) -> String {
    let known = known::find_known(name).or_else(|| known::known_of_driver(kind.driver()));
    let home = |endpoint: &Endpoint| API_VENDORS.iter().find(|home| home.url == endpoint.url);
    if let AgentKind::Http(endpoint) = kind {
        return home(endpoint).map_or(name, |home| home.vendor).to_owned();
    }
    match (kind, known) {
        (AgentKind::Builtin { .. }, _) => BUILT_IN.to_owned(),
        (_, Some(known)) if known.driver == kind.driver() => known.vendor.to_owned(),
        _ => name.to_owned(),
    }
}

/// What is known of an API without being told: where its vendor has it, and under which name people keep its key.
pub(crate) struct ApiVendor {
    api: Api,
    url: &'static str,
    pub(crate) key: &'static str,
    vendor: &'static str,
}

impl ApiVendor {
    /// The API as `agents.NAME.api` spells it.
    pub(crate) fn api_name(&self) -> &'static str {
        match self.api {
            Api::Anthropic => "anthropic",
            Api::Responses => "responses",
            Api::Chat => "chat",
            Api::Gemini => "gemini",
        }
    }

    /// A name for an agent that is this API: it says whose it is, and is not that of a program.
    pub(crate) fn agent_name(&self) -> String {
        format!("{}-api", self.vendor)
    }
}

/// The vendors whose usual key is set, each once.
pub(crate) fn vendors_with_key(environment: &ProcessEnvironment) -> Vec<&'static ApiVendor> {
    let mut found: Vec<&'static ApiVendor> = Vec::new();
    for vendor in &API_VENDORS {
        let is_set = environment.get(vendor.key).is_some();
        if is_set && found.iter().all(|other| other.key != vendor.key) {
            found.push(vendor);
        }
    }
    found
}

const API_VENDORS: [ApiVendor; 4] = [
    ApiVendor {
        api: Api::Anthropic,
        url: "https://api.anthropic.com/v1",
        key: "ANTHROPIC_API_KEY",
        vendor: "anthropic",
    },
    ApiVendor {
        api: Api::Responses,
        url: OPENAI,
        key: "OPENAI_API_KEY",
        vendor: "openai",
    },
    ApiVendor {
        api: Api::Chat,
        url: OPENAI,
        key: "OPENAI_API_KEY",
        vendor: "openai",
    },
    ApiVendor {
        api: Api::Gemini,
        url: "https://generativelanguage.googleapis.com/v1beta",
        key: "GEMINI_API_KEY",
        vendor: "google",
    },
];

const OPENAI: &str = "https://api.openai.com/v1";

/// The most tokens of an answer where nobody says so: a long review with its findings.
const MAX_TOKENS: u32 = 16_000;

/// An agent that is an API. The vendor's key goes to the vendor's own address only.
fn http_endpoint(name: &str, own: AgentSettings, tool_calls: u32) -> Result<Endpoint, RunError> {
    let home = own
        .api
        .and_then(|api| API_VENDORS.iter().find(|home| home.api == api));
    let Some(home) = home else {
        return Err(
            RunError::usage(format!("agent `{name}` has no API")).hint(format!(
                "set `agents.{name}.api` to `anthropic`, `responses`, `chat` or `gemini`"
            )),
        );
    };
    check_thinking(name, home.api, &own)?;
    let at_home = own
        .url
        .as_deref()
        .is_none_or(|url| url.trim_end_matches('/') == home.url);
    Ok(Endpoint {
        api: home.api,
        key: own.key.or_else(|| at_home.then(|| home.key.to_owned())),
        url: own.url.unwrap_or_else(|| home.url.to_owned()),
        fallback: own.fallback,
        max_tokens: own.max_tokens.unwrap_or(MAX_TOKENS),
        // Other servers that speak the same may not know schemas, and some answer them with an error.
        structured: own.structured.unwrap_or(at_home || home.api != Api::Chat),
        prime: own.prime,
        tool_calls,
        effort: own.effort,
        thinking: own.thinking,
    })
}

/// Whether the API can be told what is asked for.
fn check_thinking(name: &str, api: Api, own: &AgentSettings) -> Result<(), RunError> {
    let Some(tokens) = own.thinking else {
        return Ok(());
    };
    let unusable = |why: &str| {
        Err(
            RunError::usage(format!("agents.{name}.thinking = {tokens}: {why}"))
                .hint(format!("leave it out, and set `agents.{name}.effort`")),
        )
    };
    match (api, own.effort) {
        (Api::Responses | Api::Chat, _) => {
            unusable("this API takes no number of tokens of thought")
        }
        (Api::Gemini, Some(_)) => unusable("Gemini takes a number or an effort, not both"),
        _ => Ok(()),
    }
}

/// Whether a client takes an effort by that name: it would end with an error before it asks its model.
fn check_level(name: &str, flag: &EffortFlag, effort: Effort) -> Result<(), RunError> {
    if flag.levels.contains(&effort) {
        return Ok(());
    }
    let levels: Vec<&str> = flag.levels.iter().map(|level| level.as_str()).collect();
    let message = format!(
        "agents.{name}.effort = \"{}\": the client does not take it",
        effort.as_str()
    );
    Err(RunError::usage(message).hint(format!(
        "leave it out, or set one of: {}",
        levels.join(", ")
    )))
}

/// An agent that is a program of its own.
fn client_kind(
    name: &str,
    driver: &str,
    own: AgentSettings,
    tool_calls: u32,
) -> Result<AgentKind, RunError> {
    let mut argv = if own.command.is_empty() {
        known::find_known(name)
            .filter(|known| known.driver == driver)
            .or_else(|| known::known_of_driver(driver))
            .map(KnownClient::to_command)
            .ok_or_else(|| no_command(name))?
    } else {
        own.command
    };
    if let Some(effort) = own.effort
        && let Some(flag) = known::effort_flag(driver, &argv)
    {
        check_level(name, flag, effort)?;
        argv.extend(flag.to_arguments(effort));
    }
    let client = Client {
        argv,
        env: own.env,
        sandbox: own.sandbox,
        tool_calls,
    };
    known::agent_kind(driver, client).ok_or_else(|| no_command(name))
}

fn no_command(name: &str) -> RunError {
    RunError::usage(format!("agent `{name}` has no command")).hint(format!(
        "set `agents.{name}.command` in your own configuration"
    ))
}

fn not_seated(known: &KnownClient) -> RunError {
    let KnownClient { name, driver, .. } = known;
    RunError::usage(format!("agent `{name}` is not in your own configuration"))
        .hint("a repository cannot choose agents that may cost you money; `git council init` writes your own configuration")
        .hint(format!("or set agents.{name}.driver to `{driver}`: git config --global council.agents.{name}.driver {driver}"))
}

#[cfg(test)]
mod tests {
    use council_agents::known_tools::KNOWN_TOOLS;
    use council_protocol::Severity;

    use super::*;

    /// A level that the user names is one for what may count: what is style to a tool is style at every level.
    #[test]
    fn no_level_makes_style_of_a_tool_count() {
        for tool in KNOWN_TOOLS
            .iter()
            .filter(|tool| !tool.serious_rules.is_empty())
        {
            for level in [Severity::Minor, Severity::Significant, Severity::Critical] {
                let own = AgentSettings {
                    max_severity: Some(level),
                    ..AgentSettings::default()
                };
                let Ok(AgentKind::Command { tool: rules, .. }) = tool_kind(tool, own) else {
                    continue;
                };
                let serious = rules.max_severity_of(tool.serious_rules.first().copied());
                assert_eq!(serious, level, "{}", tool.name);
                let style = rules.max_severity_of(Some("I001"));
                assert_eq!(style, Severity::Minor, "{}", tool.name);
            }
        }
    }
}
