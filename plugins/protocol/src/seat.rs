//! Who sits on the council.

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Severity;

/// The name of a judge within a run: `judge-1`, or `judge-security` with a perspective.
#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct JudgeId(pub String);

impl JudgeId {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for JudgeId {
    fn from(name: &str) -> Self {
        Self(name.to_owned())
    }
}

impl Borrow<str> for JudgeId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for JudgeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A perspective: what a judge looks for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Perspective {
    /// A kebab-case name, e.g. `error-paths`; empty for a judge without one.
    pub name: String,
    /// What it means, for the prompt.
    #[serde(default)]
    pub focus: String,
}

/// What thinks for a judge, and how it is started. Always from trusted configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentSpec {
    /// The name under which the configuration knows it, e.g. `builtin`, `claude`, `semgrep`.
    pub name: String,
    /// Which driver speaks with it.
    pub kind: AgentKind,
    /// Whose model it is (`builtin`, `anthropic`, `openai`, …): judges of one vendor are not independent of each other.
    pub vendor: String,
    /// The model, when overridden.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Whether it applies rules rather than a model: its findings need no second voice.
    #[serde(default)]
    pub deterministic: bool,
}

/// The driver of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "driver", rename_all = "kebab-case")]
pub enum AgentKind {
    /// Rules over the packet; needs no model, no key, no network.
    Builtin {
        /// What trusted configuration says about the rules.
        #[serde(default)]
        rules: RuleSettings,
    },
    /// Any program: brief on stdin, packet as files, our JSON back.
    Command {
        /// The program and its arguments.
        argv: Vec<String>,
        /// Names of environment variables that it may see beside the common allowlist.
        #[serde(default)]
        env: Vec<String>,
        /// What it writes.
        #[serde(default)]
        format: OutputFormat,
        /// What the operating system must keep it from.
        #[serde(default)]
        sandbox: Sandbox,
        /// How its report is asked for and taken, where it writes one.
        #[serde(default, skip_serializing_if = "ToolRules::is_default")]
        tool: ToolRules,
    },
    /// Claude Code, over `stream-json` or once per turn.
    Claude(Client),
    /// Codex, over its `app-server` or once per turn.
    Codex(Client),
    /// Any agent that speaks the Agent Client Protocol.
    Acp(Client),
    /// An API of models over HTTP.
    Http(Endpoint),
    /// The answers of a past council, from its bundle (`git council replay --bundle`).
    Recorded {
        /// The bundle's file, absolute.
        recording: std::path::PathBuf,
    },
    /// What the backend brings with it, e.g. a plugin's own model: only its probe knows what that can do.
    Backend {},
}

impl AgentKind {
    /// The same without how the agent is reached: its command line, its address and the paths of a machine are its user's
    /// own, and may hold keys. What kind of agent it is stays.
    #[must_use]
    pub fn without_reach(mut self) -> Self {
        match &mut self {
            Self::Command { argv, .. } => argv.clear(),
            Self::Claude(client) | Self::Codex(client) | Self::Acp(client) => client.argv.clear(),
            Self::Http(endpoint) => endpoint.url.clear(),
            Self::Recorded { recording } => recording.clear(),
            Self::Builtin { .. } | Self::Backend {} => {}
        }
        self
    }

    /// The driver's name on the wire.
    pub fn driver(&self) -> &'static str {
        match self {
            Self::Builtin { .. } => "builtin",
            Self::Command { .. } => "command",
            Self::Claude(_) => "claude",
            Self::Codex(_) => "codex",
            Self::Acp(_) => "acp",
            Self::Http(_) => "http",
            Self::Recorded { .. } => "recorded",
            Self::Backend {} => "backend",
        }
    }

    /// Whether it reads the brief and the prompt; else it reads packet and task as they are.
    pub fn reads_text(&self) -> bool {
        !matches!(self, Self::Builtin { .. })
    }

    /// Whether it is a tool that reports what it finds by rule, rather than somebody who may pass on what it reads.
    pub fn is_tool(&self) -> bool {
        matches!(self, Self::Command { format, .. } if *format != OutputFormat::Answer)
    }

    /// Whether what it says rests on the brief: a tool is given files.
    pub fn reads_brief(&self) -> bool {
        self.reads_text() && !self.is_tool()
    }

    /// Whether an answer costs money or minutes, so that it must not be lost.
    pub fn is_paid(&self) -> bool {
        !matches!(self, Self::Builtin { .. })
    }
}

/// How a program that speaks for a model is started.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Client {
    /// The program and its arguments; the driver adds its own behind them.
    pub argv: Vec<String>,
    /// Names of environment variables that it may see beside the common allowlist and its driver's own.
    #[serde(default)]
    pub env: Vec<String>,
    /// What the operating system must keep it from.
    #[serde(default)]
    pub sandbox: Sandbox,
    /// How often a judge may look into the repository in one turn; 0: it has no tools for that.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub tool_calls: u32,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// An API of models over HTTP. Always from trusted configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Endpoint {
    /// How it is spoken with.
    pub api: Api,
    /// Where it is, without the path of a call: `https://api.anthropic.com/v1`. The key is sent nowhere else.
    pub url: String,
    /// Name of the environment variable that has the key; none: it needs no key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Models that are tried, in this order, when the agent's own fails.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fallback: Vec<String>,
    /// The most tokens that one answer may have.
    pub max_tokens: u32,
    /// Whether answers are asked for in our schema, so that nothing but JSON comes.
    #[serde(default)]
    pub structured: bool,
    /// Whether judges wait until the provider has the brief in its cache.
    #[serde(default)]
    pub prime: Prime,
    /// How often a judge may look into the repository in one turn; 0: it has no tools for that.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub tool_calls: u32,
    /// How much the model thinks; none: as its provider has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<Effort>,
    /// The most tokens of thought, for models that are told a number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking: Option<u32>,
}

/// How much a model thinks before it answers, in the words of the providers. Which of them a model takes differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Effort {
    /// Not at all.
    None,
    /// As little as there is.
    Minimal,
    /// The model thinks little, or not at all.
    Low,
    /// The provider's usual amount of thinking.
    Medium,
    /// The model thinks as long as the provider lets it.
    High,
    /// More than that.
    XHigh,
    /// Without a bound.
    Max,
}

impl Effort {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Minimal => "minimal",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::XHigh => "xhigh",
            Self::Max => "max",
        }
    }
}

/// APIs of models.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Api {
    /// Anthropic's Messages API.
    Anthropic,
    /// OpenAI's Responses API.
    Responses,
    /// OpenAI Chat Completions, which many other servers speak, too.
    #[default]
    Chat,
    /// Google's Gemini API.
    Gemini,
}

/// Whether the judges of a model wait until the first one's answer begins, so that they read the brief from the
/// provider's cache instead of paying for it again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Prime {
    /// Where the brief is large enough to be kept by any provider, and the provider is known to keep prompts.
    #[default]
    Auto,
    /// Wherever the brief is large enough.
    On,
    /// Never: all of them start at once.
    Off,
}

/// In which form a program tells what it found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OutputFormat {
    /// Our own answer, as any judge gives it.
    #[default]
    Answer,
    /// A SARIF 2.1.0 log.
    Sarif,
    /// A report in reviewdog's rdjson.
    Rdjson,
    /// `path:line:column: level: message [rule]`, a diagnostic a line.
    Lines,
    /// ESLint's own JSON.
    Eslint,
    /// Cargo's messages, an object a line.
    Cargo,
    /// Bandit's own JSON.
    Bandit,
}

/// How a tool is asked, and how much what it reports may count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ToolRules {
    /// The changed files that it is asked about, as glob patterns; empty: all of them.
    pub files: Vec<String>,
    /// No finding counts more than this: a tool's "error" is often a matter of style.
    pub max_severity: Severity,
    /// What rules begin with that may count so much; the others are minor. Empty: all may.
    pub serious_rules: Vec<String>,
    /// Whether it runs on the base as well, so that only what is new is reported.
    pub baseline: bool,
    /// The files that configure it, by name or path: those of the base are used.
    pub config: Vec<String>,
    /// Variables that name a folder of the user's home where they are not set, for toolchains and caches.
    pub home_folders: BTreeMap<String, String>,
}

impl Default for ToolRules {
    fn default() -> Self {
        Self {
            files: Vec::new(),
            max_severity: Severity::Significant,
            serious_rules: Vec::new(),
            baseline: false,
            config: Vec::new(),
            home_folders: BTreeMap::new(),
        }
    }
}

impl ToolRules {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// How much a finding of this rule may count.
    pub fn max_severity_of(&self, rule: Option<&str>) -> Severity {
        let is_serious = |prefix: &String| rule.is_some_and(|rule| rule.starts_with(prefix));
        if self.serious_rules.is_empty() || self.serious_rules.iter().any(is_serious) {
            self.max_severity
        } else {
            Severity::Minor
        }
    }
}

/// What the operating system must keep a program from, whatever the program itself promises.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Sandbox {
    /// Nothing beyond the client's own read-only mode.
    #[default]
    Off,
    /// Writing outside of its own home, and reading the user's files: it is not started where that cannot be enforced.
    Required,
}

/// Rules switched off or re-levelled by a trusted layer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RuleSettings {
    /// Rule id → severity, or `off`.
    pub levels: std::collections::BTreeMap<String, RuleLevel>,
}

/// What a rule is set to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RuleLevel {
    /// Does not run.
    Off,
    /// Reports minor findings.
    Minor,
    /// Reports significant findings.
    Significant,
    /// Reports critical findings.
    Critical,
}

/// One seat on the council: a perspective, an agent, a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Seat {
    /// The judge's name within the run.
    pub judge: JudgeId,
    /// What it looks for.
    #[serde(default)]
    pub perspective: Perspective,
    /// What thinks for it.
    pub agent: AgentSpec,
}
