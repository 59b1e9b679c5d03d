//! The typed view of a configuration.
//!
//! Field for field what [`KEYS`](super::KEYS) lists: a key without a field, or a field without a key, makes the
//! built-in layer fail to load, which every test would notice.

use std::collections::BTreeMap;
use std::path::PathBuf;

use council_protocol::Severity;
use council_protocol::seat::{Api, Effort, OutputFormat, Prime, RuleLevel, RuleSettings, Sandbox};
use serde::{Deserialize, Serialize};

use super::checkout::RaisedDemands;
use crate::council::plan::{
    ConsensusRule, DebateMode, Intensity, Procedure, RoundTimeouts, VerdictPolicy,
};
use crate::report::FailOn;

/// Everything that can be configured. Serialises to the bytes that the recognition key takes its digest of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Settings {
    /// `[review]`
    pub review: ReviewSettings,
    /// `[cross-examination]`
    #[serde(rename = "cross-examination")]
    pub cross_examination: CrossExaminationSettings,
    /// `[[judge]]`; empty: seats follow from the rest.
    #[serde(default)]
    pub judge: Vec<JudgeSettings>,
    /// `[perspectives]`: name → focus.
    #[serde(default)]
    pub perspectives: BTreeMap<String, String>,
    /// `[presets]`: name → perspectives.
    #[serde(default)]
    pub presets: BTreeMap<String, Vec<String>>,
    /// `[rules]`: rule → level.
    #[serde(default)]
    pub rules: BTreeMap<String, RuleLevel>,
    /// `[agents.NAME]`
    #[serde(default)]
    pub agents: BTreeMap<String, AgentSettings>,
    /// `[prices.MODEL]`
    #[serde(default)]
    pub prices: BTreeMap<String, PriceSettings>,
    /// `[backends.NAME]`
    #[serde(default)]
    pub backends: BTreeMap<String, BackendSettings>,
    /// `[prompts]`
    #[serde(default)]
    pub prompts: PromptSettings,
    /// `[redact]`
    #[serde(default)]
    pub redact: RedactSettings,
    /// `[proof]`
    pub proof: ProofSettings,
    /// `[timeouts]`
    pub timeouts: TimeoutSettings,
    /// `[limits]`
    pub limits: LimitSettings,
    /// `[output]`
    pub output: OutputSettings,
    /// `[hook]`
    pub hook: HookSettings,
    /// `[background]`
    pub background: BackgroundSettings,
    /// `[notes]`
    pub notes: NoteSettings,
    /// `[trust]`
    #[serde(default)]
    pub trust: TrustSettings,
    /// `[cache]`
    pub cache: CacheSettings,
    /// `[runs]`
    pub runs: RunSettings,
}

/// `[review]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct ReviewSettings {
    /// The rules of the rounds.
    pub procedure: Procedure,
    /// Whether R2 runs.
    pub debate: DebateMode,
    pub consensus: ConsensusRule,
    /// How many judges sit.
    pub judges: Option<u32>,
    /// Whether a second vendor sits beside the first.
    pub mixed: bool,
    /// How many questions a judge may put to helpers.
    pub explorers: u8,
    /// The model of those helpers.
    pub explorer_model: Option<String>,
    /// How much a staged debate debates.
    pub intensity: Intensity,
    /// How many must count.
    pub quorum: Option<u32>,
    /// What the judges look for.
    #[serde(default)]
    pub perspectives: Vec<String>,
    /// A named list of perspectives.
    pub preset: Option<String>,
    /// Which agents think for the judges, in turn.
    #[serde(default)]
    pub agents: Vec<String>,
    /// `auto`, or the one that is asked for.
    pub backend: String,
    /// The mildest verdict that ends with exit code 1.
    pub fail_on: FailOn,
    /// What a disputed critical finding comes to.
    pub disputed_critical: DisputedPolicy,
    /// What PASS becomes on incomplete coverage.
    pub incomplete_coverage: CoveragePolicy,
    /// Files that need no review, as gitignore patterns.
    #[serde(default)]
    pub ignore: Vec<String>,
    /// What judges are told beside the project's own instructions.
    #[serde(default)]
    pub instructions: Option<String>,
    /// What becomes of a change that is larger than a brief.
    pub large: LargeChangePolicy,
    /// What content comes to that nobody can read as text.
    pub opaque: OpaquePolicy,
    /// Whether the built-in globs hold too.
    pub default_ignores: bool,
    /// What the checkout asks for beyond that; set by no key.
    #[serde(default, skip_serializing_if = "RaisedDemands::is_empty")]
    pub raised: RaisedDemands,
}

/// `[cross-examination]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CrossExaminationSettings {
    /// Rounds as they were asked for.
    pub rounds: u32,
    /// Councillors as they were asked for.
    pub councillors: u32,
    /// The field of the domain expert.
    pub focus: Option<String>,
    /// One after another, without messages.
    pub economy: bool,
}

/// One `[[judge]]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct JudgeSettings {
    /// What it looks for.
    pub perspective: Option<String>,
    /// What thinks for it.
    pub agent: Option<String>,
    pub model: Option<String>,
}

/// One `[agents.NAME]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct AgentSettings {
    /// How it is spoken with; none: the table only overrides something of an agent that is known otherwise.
    pub driver: Option<String>,
    /// The program and its arguments.
    #[serde(default)]
    pub command: Vec<String>,
    /// Environment variables that it may see.
    #[serde(default)]
    pub env: Vec<String>,
    /// What the program writes.
    #[serde(default)]
    pub format: OutputFormat,
    /// The changed files that a tool is asked about.
    #[serde(default)]
    pub files: Vec<String>,
    /// No finding of a tool counts more.
    pub max_severity: Option<Severity>,
    /// Whether a tool runs on the base as well.
    pub baseline: Option<bool>,
    /// Whether a tool may run code of the reviewed change.
    #[serde(default)]
    pub allow_code: bool,
    /// What the operating system keeps it from.
    #[serde(default)]
    pub sandbox: Sandbox,
    /// The bundle that is played back.
    pub recording: Option<PathBuf>,
    /// What an API speaks.
    pub api: Option<Api>,
    /// Where it is.
    pub url: Option<String>,
    /// The variable that has its key.
    pub key: Option<String>,
    /// Models that are tried when its own fails.
    #[serde(default)]
    pub fallback: Vec<String>,
    /// The most tokens of one answer.
    pub max_tokens: Option<u32>,
    /// Whether it holds answers to our schema.
    pub structured: Option<bool>,
    /// Whether it is offered tools.
    pub tools: Option<bool>,
    /// Whether its cache is primed.
    #[serde(default)]
    pub prime: Prime,
    /// How much it thinks.
    pub effort: Option<Effort>,
    /// The most tokens of thought.
    pub thinking: Option<u32>,
    pub model: Option<String>,
    /// Whose model it is.
    pub vendor: Option<String>,
    /// Whether it applies rules; unset: a tool does.
    pub deterministic: Option<bool>,
}

/// One `[prices.MODEL]`, in millionths of US dollars for a million tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PriceSettings {
    /// Input tokens that are read in full.
    pub input: Option<u64>,
    /// Input tokens from the provider's cache.
    pub cached: Option<u64>,
    /// Input tokens that are written to it.
    pub written: Option<u64>,
    /// Tokens that the model writes.
    pub output: Option<u64>,
}

/// One `[backends.NAME]`: a plugin.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BackendSettings {
    /// A shared library.
    pub library: Option<PathBuf>,
    /// Or a program.
    pub program: Option<PathBuf>,
    #[serde(default)]
    pub args: Vec<String>,
    /// The digest that its file must have.
    pub sha256: Option<String>,
    /// What it is told.
    #[serde(default)]
    pub config: serde_json::Value,
}

/// `[prompts]`
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PromptSettings {
    /// A folder of templates.
    pub folder: Option<PathBuf>,
}

/// `[redact]`
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RedactSettings {
    /// A file of further rules.
    pub rules: Option<PathBuf>,
}

/// `[proof]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProofSettings {
    /// The command that runs a judge's test; empty: none.
    #[serde(default)]
    pub run: Vec<String>,
    /// Further ones by name.
    #[serde(default)]
    pub suites: BTreeMap<String, Vec<String>>,
    /// What runs before each test.
    #[serde(default)]
    pub setup: Vec<String>,
    /// How long one run may take, in milliseconds.
    pub timeout: u64,
    /// Bytes of memory of one run.
    pub memory: u64,
    /// Whether tests reach the network.
    pub network: bool,
    /// Folders that tests may read.
    #[serde(default)]
    pub read: Vec<PathBuf>,
    /// Environment variables that they may see.
    #[serde(default)]
    pub env: Vec<String>,
}

/// `[timeouts]`, in milliseconds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TimeoutSettings {
    pub r1: u64,
    pub r2: u64,
    pub explorer: u64,
    /// Grace of a shutdown.
    pub shutdown: u64,
    /// The whole run.
    pub run: Option<u64>,
}

/// `[limits]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct LimitSettings {
    /// Agents of one run.
    pub agents: u64,
    /// Bytes of a brief.
    pub brief: u64,
    /// Bytes of what stands around the change.
    pub context: u64,
    /// What a run may cost, in millionths of US dollars.
    pub cost: Option<u64>,
    /// Bytes of the others' findings in one message.
    pub exchange: u64,
    /// Bytes of one answer.
    pub answer: u64,
    /// Look-ups of a judge in one turn.
    pub tool_calls: u32,
}

/// `[output]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OutputSettings {
    /// The report's shape on standard output.
    pub format: ReportFormat,
    /// Whether there is colour.
    pub color: ColorChoice,
    /// Whether reports are written to `.agents/council/`.
    pub save: bool,
    /// Whether a cross-examination is also written down as a whole.
    pub session: bool,
    /// What is shown on standard error while judges work.
    pub progress: ProgressSetting,
}

/// `[hook]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct HookSettings {
    /// Whether hooks review at all.
    pub enabled: bool,
    /// Told only, or a gate.
    pub mode: HookMode,
    /// Whether judges that cost something sit.
    pub models: bool,
    /// How long a push may wait, in milliseconds.
    pub timeout: u64,
    /// What happens then.
    pub on_timeout: OnTimeout,
}

/// What a verdict of the pre-push hook does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum HookMode {
    /// It is told.
    Advisory,
    /// FAIL and INCONCLUSIVE stop the push.
    Gate,
}

/// What happens to a push whose review did not end in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum OnTimeout {
    /// It goes through, with a warning.
    Pass,
    /// It is stopped.
    Block,
}

/// `[background]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BackgroundSettings {
    /// The load above which it waits, in percent of the processors.
    pub load: u64,
    /// Whether it runs on battery.
    pub battery: bool,
}

/// `[notes]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NoteSettings {
    /// Whether they are written; none: where the hook is installed, which reads them.
    #[serde(default)]
    pub write: Option<bool>,
    /// Whether they are signed.
    pub sign: bool,
    /// Whose signature counts.
    #[serde(default)]
    pub trusted: Vec<String>,
}

/// `[trust]`
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TrustSettings {
    /// Worktrees whose own configuration is followed.
    #[serde(default)]
    pub worktrees: Vec<String>,
}

/// `[cache]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CacheSettings {
    /// How many verdicts are kept.
    pub keep: u64,
}

/// `[runs]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunSettings {
    /// How many runs are kept.
    pub keep: u64,
}

/// What becomes of a change that is larger than a brief.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum LargeChangePolicy {
    /// The most telling files are shown, the rest is named.
    Rank,
    /// Parts that each fit.
    Shard,
}

/// What content comes to that nobody can read as text: binary files, pointers of git-lfs, links, submodules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum OpaquePolicy {
    /// It is named in the verdict's headline.
    List,
    /// It lowers the coverage.
    Inconclusive,
}

/// What a disputed critical finding comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum DisputedPolicy {
    /// WARN and a disagreement.
    Warn,
    Fail,
}

/// What PASS becomes on incomplete coverage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum CoveragePolicy {
    Inconclusive,
    Warn,
}

/// The report's shape on standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ReportFormat {
    /// For a person at a terminal.
    Terminal,
    /// For a person who wants to follow the debate.
    Story,
    /// The report's Markdown.
    Markdown,
    /// The report's JSON.
    Json,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    Rdjson,
    /// One page for a browser.
    Html,
    /// A few stable lines for coding agents.
    Agent,
    /// JUnit's XML, for CI servers that list failed tests.
    Junit,
    Checkstyle,
    /// GitLab's code quality report.
    Gitlab,
}

impl ReportFormat {
    /// Whether findings stand in it under their ids: only then has whoever saw it seen an `F1`.
    pub(crate) fn names_findings(self) -> bool {
        matches!(
            self,
            Self::Terminal | Self::Story | Self::Markdown | Self::Json | Self::Html | Self::Agent
        )
    }
}

/// Whether there is colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ColorChoice {
    /// On a terminal, and not under `NO_COLOR`.
    Auto,
    Always,
    Never,
}

/// What is shown while judges work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ProgressSetting {
    /// A live view on a terminal, lines in CI.
    Auto,
    /// A line when something changes.
    Lines,
    Off,
}

impl Settings {
    /// The engine's waits.
    pub(crate) fn timeouts(&self) -> RoundTimeouts {
        let TimeoutSettings {
            r1,
            r2,
            explorer,
            shutdown,
            run,
        } = self.timeouts;
        RoundTimeouts {
            r1_ms: r1,
            r2_ms: r2,
            shutdown_ms: shutdown,
            explorer_ms: explorer,
            run_ms: run,
        }
    }

    /// The engine's choices.
    pub(crate) fn policy(&self) -> VerdictPolicy {
        VerdictPolicy {
            disputed_critical_fails: self.review.disputed_critical == DisputedPolicy::Fail,
            incomplete_coverage_warns: self.review.incomplete_coverage == CoveragePolicy::Warn,
        }
    }

    /// The built-in judge's rules.
    pub(crate) fn rule_settings(&self) -> RuleSettings {
        RuleSettings {
            levels: self.rules.clone(),
        }
    }
}
