//! The table of keys: one row for each thing that can be configured.

use super::checkout::CheckoutRule;
use super::key::{ConfigKey, MergeRule};
use super::kind::ValueKind;
use super::source::SourceTrust;

/// Environment variables and the keys that they set (the seeds' names).
pub(crate) const ENVIRONMENT: &[(&str, &str)] = &[
    ("COUNCIL_TIMEOUT", "timeouts.r1"),
    ("COUNCIL_R2_TIMEOUT", "timeouts.r2"),
    ("COUNCIL_EXPLORER_TIMEOUT", "timeouts.explorer"),
    ("COUNCIL_JUDGE_COUNT", "review.judges"),
    ("COUNCIL_CLAUDE_MODEL", "agents.claude.model"),
    ("COUNCIL_CODEX_MODEL", "agents.codex.model"),
    ("COUNCIL_EXPLORER_MODEL", "review.explorer-model"),
];

const FOREVER: u64 = u64::MAX;

const fn key_row(
    name: &'static str,
    kind: ValueKind,
    needs: SourceTrust,
    doc: &'static str,
) -> ConfigKey {
    ConfigKey {
        name,
        kind,
        default: None,
        needs,
        checkout: CheckoutRule::Never,
        merge: MergeRule::Replace,
        doc,
    }
}

impl ConfigKey {
    const fn with_default(mut self, default: &'static str) -> Self {
        self.default = Some(default);
        self
    }

    const fn obeys_checkout(mut self, rule: CheckoutRule) -> Self {
        self.checkout = rule;
        self
    }

    const fn appending(mut self) -> Self {
        self.merge = MergeRule::Append;
        self
    }
}

/// Every key, in the order of the document.
pub const KEYS: &[ConfigKey] = &[
    key_row(
        "review.procedure",
        ValueKind::Choice(&["quick", "review", "debate", "cross-examination", "staged"]),
        SourceTrust::Repository,
        "How the judges work together (docs/procedures.md). `quick`: one judge; `review`: several judges; `debate`: always two rounds; `cross-examination`: roles that challenge each other; `staged`: rounds until the judges have settled what is disputed, at most five.",
    )
    .with_default(r#""review""#),
    key_row(
        "review.debate",
        ValueKind::Choice(&["auto", "force", "off"]),
        SourceTrust::Repository,
        "When a second round runs: `auto` if the votes differ or only one judge reports a critical finding, `force` always, `off` never.",
    )
    .with_default(r#""auto""#),
    key_row(
        "review.consensus",
        ValueKind::Choice(&["findings", "strict", "majority"]),
        SourceTrust::Repository,
        "What decides the verdict: `findings`, the worst finding that counts; `strict`, the worst vote; `majority`, the majority of votes.",
    )
    .with_default(r#""findings""#),
    key_row(
        "review.judges",
        ValueKind::Count { least: 1, most: 64 },
        SourceTrust::Repository,
        "How many judges there are. Unset: one for each perspective, or two (`--deep`: three) if an agent is configured.",
    )
    .obeys_checkout(CheckoutRule::AtLeast),
    key_row(
        "review.mixed",
        ValueKind::Switch,
        SourceTrust::Repository,
        "Whether to add as many judges from a second vendor: three of each, unless `review.judges` says otherwise.",
    )
    .with_default("false"),
    key_row(
        "review.explorers",
        ValueKind::Count { least: 0, most: 5 },
        SourceTrust::Repository,
        "How many questions a judge may pass to helpers in round 1. Each helper counts as an agent.",
    )
    .with_default("0"),
    key_row(
        "review.explorer-model",
        ValueKind::Model,
        SourceTrust::Repository,
        "The model of those helpers. Unset: that of the judge that asks.",
    ),
    key_row(
        "review.intensity",
        ValueKind::Choice(&["full", "standard", "light"]),
        SourceTrust::Repository,
        "How long a staged debate lasts: `full` 3 to 5 rounds, `standard` 2 to 4, `light` one.",
    )
    .with_default(r#""standard""#),
    key_row(
        "review.quorum",
        ValueKind::Count { least: 1, most: 64 },
        SourceTrust::Repository,
        "How many judges must answer for PASS or WARN. Unset: 2, or 1 if there is only one judge.",
    )
    .obeys_checkout(CheckoutRule::AtLeast),
    key_row(
        "review.perspectives",
        ValueKind::Names,
        SourceTrust::Repository,
        "What the judges look for, one perspective each. Overrides `review.preset`.",
    )
    .obeys_checkout(CheckoutRule::AddsSeats),
    key_row("review.preset", ValueKind::Name, SourceTrust::Repository, "A named list of perspectives: a built-in one or one of `[presets]`."),
    key_row(
        "review.agents",
        ValueKind::Names,
        SourceTrust::Repository,
        "The agents that act as judges, in turn; each at least once, unless `review.judges` or the perspectives say how many judges there are. Unset: the agents of `[agents]` in alphabetical order, but only as many as there are seats (two, or three with `--deep`); `builtin` if there are none.",
    ),
    key_row(
        "review.backend",
        ValueKind::Name,
        SourceTrust::User,
        "How judges are run: `auto` takes the best backend that works here. With another name, it is an error if that backend cannot do what is asked.",
    )
    .with_default(r#""auto""#),
    key_row(
        "review.fail-on",
        ValueKind::Choice(&["fail", "warn"]),
        SourceTrust::Repository,
        "The verdict from which on the exit code is 1.",
    )
    .obeys_checkout(CheckoutRule::Stricter(&["fail", "warn"]))
    .with_default(r#""fail""#),
    key_row(
        "review.disputed-critical",
        ValueKind::Choice(&["warn", "fail"]),
        SourceTrust::Repository,
        "The verdict for a critical finding that another judge refutes with evidence.",
    )
    .obeys_checkout(CheckoutRule::Stricter(&["warn", "fail"]))
    .with_default(r#""warn""#),
    key_row(
        "review.incomplete-coverage",
        ValueKind::Choice(&["inconclusive", "warn"]),
        SourceTrust::Repository,
        "What PASS becomes if too few judges saw some of the changed lines.",
    )
    .obeys_checkout(CheckoutRule::Stricter(&["warn", "inconclusive"]))
    .with_default(r#""inconclusive""#),
    key_row(
        "review.ignore",
        ValueKind::Globs,
        SourceTrust::Repository,
        "Files that need no review (gitignore patterns; `!` brings one back). Every report lists them as skipped. No model may read them, not even as context of other files; of the built-in rules, those against attacks do.",
    )
    .appending(),
    key_row(
        "review.instructions",
        ValueKind::Text,
        SourceTrust::User,
        "What judges with a model are told beside the project's instructions, e.g. `mind the migration` (`--instructions`).",
    ),
    key_row(
        "review.large",
        ValueKind::Choice(&["rank", "shard"]),
        SourceTrust::User,
        "What to do with a change larger than `limits.brief`. `rank`: show the most important files and list the rest as not reviewed. `shard`: review it in parts, each by the same judges, which costs more.",
    )
    .with_default(r#""rank""#),
    key_row(
        "review.opaque",
        ValueKind::Choice(&["inconclusive", "list"]),
        SourceTrust::Repository,
        "What to do with content that no judge can read as text (binary files, LFS pointers, symbolic links, submodules). `list`: name it in the headline. `inconclusive`: count it as not reviewed, too.",
    )
    .with_default(r#""list""#)
    .obeys_checkout(CheckoutRule::Stricter(&["list", "inconclusive"])),
    key_row(
        "review.default-ignores",
        ValueKind::Switch,
        SourceTrust::Repository,
        "Whether lockfiles, vendored, generated and minified files are skipped too.",
    )
    .with_default("true"),
    key_row(
        "cross-examination.rounds",
        ValueKind::Count { least: 1, most: 4 },
        SourceTrust::Repository,
        "How many rounds the councillors challenge each other.",
    )
    .with_default("2"),
    key_row(
        "cross-examination.councillors",
        ValueKind::Count { least: 3, most: 6 },
        SourceTrust::Repository,
        "How many councillors there are: visionary, critic, pragmatist, innovator, ethicist, domain expert.",
    )
    .with_default("4"),
    key_row(
        "cross-examination.focus",
        ValueKind::Text,
        SourceTrust::Repository,
        "The field of the domain expert. The other councillors consider it, too.",
    ),
    key_row(
        "cross-examination.economy",
        ValueKind::Switch,
        SourceTrust::Repository,
        "Whether councillors are asked one after another, without messages between them.",
    )
    .with_default("false"),
    key_row("judge", ValueKind::Judges, SourceTrust::Repository, "The judges, one `[[judge]]` table each. Overrides all other keys that say which judges there are, but not `--agents` or `--judges` of a run.")
    .obeys_checkout(CheckoutRule::AddsSeats),
    key_row(
        "perspectives.*",
        ValueKind::Text,
        SourceTrust::Repository,
        "What a perspective of your own means, for the judges' instructions.",
    ),
    key_row("presets.*", ValueKind::Names, SourceTrust::Repository, "A named list of perspectives."),
    key_row(
        "rules.*",
        ValueKind::Choice(&["off", "minor", "significant", "critical"]),
        SourceTrust::Repository,
        "Switches a built-in rule off or gives it another severity; `git council explain` lists the rules.",
    )
    .obeys_checkout(CheckoutRule::Stricter(&["off", "minor", "significant", "critical"])),
    key_row(
        "agents.*.driver",
        ValueKind::Choice(&["builtin", "command", "claude", "codex", "acp", "http", "recorded", "backend"]),
        SourceTrust::User,
        "How git-council talks to the agent; `backend`: the agent comes with the backend, e.g. a plugin's own model.",
    ),
    key_row(
        "agents.*.command",
        ValueKind::Command,
        SourceTrust::User,
        "The program and its arguments. Unset: the usual command of the driver or of the agent of that name, e.g. `claude` or `gemini --acp`.",
    ),
    key_row(
        "agents.*.format",
        ValueKind::Choice(&["answer", "sarif", "rdjson", "lines", "eslint", "cargo", "bandit"]),
        SourceTrust::User,
        "What the program writes (driver `command`): git-council's own answer, SARIF 2.1.0, reviewdog's rdjson, `path:line: level: message` in each line, or ESLint's, Cargo's or Bandit's JSON. Unset: `answer`.",
    ),
    key_row(
        "agents.*.files",
        ValueKind::Globs,
        SourceTrust::User,
        "The changed files that a tool looks at: they replace `{files}` in its command, and are listed on its standard input. Unset: all.",
    ),
    key_row(
        "agents.*.max-severity",
        ValueKind::Choice(&["minor", "significant", "critical"]),
        SourceTrust::User,
        "The highest severity that a tool's finding can have. Unset: `significant`, because a tool's \"error\" is often a matter of style.",
    ),
    key_row(
        "agents.*.baseline",
        ValueKind::Switch,
        SourceTrust::User,
        "Whether the tool also runs on the base, so that only what is new is reported.",
    ),
    key_row(
        "agents.*.allow-code",
        ValueKind::Switch,
        SourceTrust::User,
        "Whether the tool may run code of the reviewed change: build scripts, plugins, a configuration that is a program. Set it only where you would run that code yourself.",
    ),
    key_row(
        "agents.*.sandbox",
        ValueKind::Choice(&["off", "required"]),
        SourceTrust::User,
        "`required`: the operating system keeps the program away from your files; if it cannot, the agent is not started (Linux).",
    ),
    key_row(
        "agents.*.env",
        ValueKind::EnvNames,
        SourceTrust::User,
        "Environment variables that the program may see, besides common ones such as `PATH`.",
    ),
    key_row(
        "agents.*.recording",
        ValueKind::File,
        SourceTrust::User,
        "The bundle of a past run whose answers are played back (driver `recorded`); `git council replay RUN --bundle FILE` makes one.",
    ),
    key_row(
        "agents.*.api",
        ValueKind::Choice(&["anthropic", "responses", "chat", "gemini"]),
        SourceTrust::User,
        "The API's protocol (driver `http`): Anthropic Messages, OpenAI Responses, OpenAI Chat Completions (and compatible servers), or Gemini.",
    ),
    key_row(
        "agents.*.url",
        ValueKind::Url,
        SourceTrust::User,
        "The base URL of the API, e.g. `http://localhost:11434/v1`. Unset: the vendor's own.",
    ),
    key_row(
        "agents.*.key",
        ValueKind::EnvName,
        SourceTrust::User,
        "The environment variable that contains the API's key. Unset: the vendor's usual one if `url` is unset, else none.",
    ),
    key_row(
        "agents.*.fallback",
        ValueKind::Models,
        SourceTrust::Repository,
        "Models to try, in this order, if `model` fails; the report says which one answered.",
    ),
    key_row(
        "agents.*.max-tokens",
        ValueKind::Count { least: 256, most: 1_000_000 },
        SourceTrust::User,
        "The most tokens of one answer of the API. Unset: 16000.",
    ),
    key_row(
        "agents.*.structured",
        ValueKind::Switch,
        SourceTrust::User,
        "Whether the API makes answers follow git-council's JSON schema. Unset: if its vendor supports that.",
    ),
    key_row(
        "agents.*.tools",
        ValueKind::Switch,
        SourceTrust::User,
        "Whether judges of this agent may look things up in the repository, where it can call tools. Unset: they may.",
    ),
    key_row(
        "agents.*.prime",
        ValueKind::Choice(&["auto", "on", "off"]),
        SourceTrust::User,
        "`on`: with a large brief, judges of one model start when the first one's answer begins, and read the brief from the provider's cache. `auto`: where the provider is known to have one. Unset: `auto`.",
    ),
    key_row(
        "agents.*.effort",
        ValueKind::Choice(&["none", "minimal", "low", "medium", "high", "xhigh", "max"]),
        SourceTrust::User,
        "How much the model thinks, in its provider's own words: Anthropic's `effort` with adaptive thinking, OpenAI's `reasoning.effort`, Gemini's `thinkingLevel`; `chat` (Ollama, too) takes it as `reasoning_effort`. Claude Code is started with `--effort` (`low` to `max`), Codex with `-c model_reasoning_effort=…`, Copilot with `--reasoning-effort`; other programs are told nothing, and the report and `doctor` say so. Unset: as the provider or the client has it.",
    ),
    key_row(
        "agents.*.thinking",
        ValueKind::Count { least: 1_024, most: 1_000_000 },
        SourceTrust::User,
        "The most tokens of thought of an API's answer, for models that are told a number instead (`anthropic` before Claude 4.6, `gemini` before 3); they come on top of `max-tokens`. Unset: as the provider has it.",
    ),
    key_row("prices.*.input", ValueKind::Money, SourceTrust::User, "US dollars for a million input tokens of the model of that name."),
    key_row("prices.*.cached", ValueKind::Money, SourceTrust::User, "The same for tokens that come from the provider's cache. Unset: a tenth of `input` for models of Anthropic, else as `input`."),
    key_row("prices.*.written", ValueKind::Money, SourceTrust::User, "The same for tokens that are written to that cache. Unset: 1.25 times `input` for models of Anthropic, else as `input`."),
    key_row("prices.*.output", ValueKind::Money, SourceTrust::User, "The same for output tokens."),
    key_row("agents.*.model", ValueKind::Model, SourceTrust::Repository, "The model, where the agent has several."),
    key_row(
        "agents.*.vendor",
        ValueKind::Name,
        SourceTrust::User,
        "The vendor of the model: judges of one vendor are not independent of each other. Unset: the agent's name.",
    ),
    key_row(
        "agents.*.deterministic",
        ValueKind::Switch,
        SourceTrust::User,
        "Whether the agent applies rules rather than a model. If so, its findings count without a second judge, and it is not counted among the reviewers when the program decides whether a model's finding has enough support. Unset: yes for a tool (any `format` but `answer`), no for everything else.",
    ),
    key_row(
        "backends.*.library",
        ValueKind::File,
        SourceTrust::User,
        "A shared library that is a backend (docs/backends.md), outside of the repository.",
    ),
    key_row(
        "backends.*.program",
        ValueKind::File,
        SourceTrust::User,
        "A program that is a backend (docs/backends.md), outside of the repository.",
    ),
    key_row("backends.*.args", ValueKind::Arguments, SourceTrust::User, "The arguments of `program`."),
    key_row("backends.*.sha256", ValueKind::Text, SourceTrust::User, "The SHA-256 that the plugin's file must have, 64 hex digits."),
    key_row("backends.*.config", ValueKind::Table, SourceTrust::User, "Settings that are passed to the plugin."),
    key_row(
        "prompts.folder",
        ValueKind::File,
        SourceTrust::User,
        "A folder with your own prompt templates, `NAME.md.j2` (docs/prompts.md), outside of the repository.",
    ),
    key_row(
        "redact.rules",
        ValueKind::File,
        SourceTrust::User,
        "A gitleaks configuration, outside of the repository: what its rules match is redacted, too (docs/agents.md).",
    ),
    key_row(
        "proof.run",
        ValueKind::Command,
        SourceTrust::User,
        "The command that runs a test which a judge wrote, e.g. `[\"pytest\", \"-q\", \"{file}\"]` (docs/proof.md). With it, or with one of `proof.suites`, judges are asked for tests, and the code of the reviewed change runs on this machine. Never in CI, and never for a pull request.",
    ),
    key_row(
        "proof.suites.*",
        ValueKind::Command,
        SourceTrust::User,
        "A further command, under a name that judges choose it by, e.g. `web = [\"node\", \"--test\", \"{file}\"]`.",
    ),
    key_row(
        "proof.setup",
        ValueKind::Command,
        SourceTrust::User,
        "A command that runs before each test, in the same folder and in the same sandbox.",
    ),
    key_row("proof.timeout", ValueKind::Duration, SourceTrust::User, "How long one run of a test may take. Every test runs six times, and up to nine times more.").with_default(r#""60s""#),
    key_row("proof.memory", ValueKind::Bytes, SourceTrust::User, "The most bytes of memory of a test with everything that it starts.").with_default(r#""4G""#),
    key_row(
        "proof.network",
        ValueKind::Switch,
        SourceTrust::User,
        "Whether tests reach the network.",
    )
    .with_default("false"),
    key_row(
        "proof.read",
        ValueKind::Folders,
        SourceTrust::User,
        "Absolute paths of folders that tests may read besides those of the system, e.g. a virtual environment or `~/.cargo` written out.",
    ),
    key_row(
        "proof.env",
        ValueKind::EnvNames,
        SourceTrust::User,
        "Environment variables that tests may see, besides `PATH` and the language.",
    ),
    key_row("timeouts.r1", ValueKind::Duration, SourceTrust::Repository, "How long a judge may take in round 1.").with_default(r#""120s""#),
    key_row("timeouts.r2", ValueKind::Duration, SourceTrust::Repository, "How long a judge may take in round 2.").with_default(r#""90s""#),
    key_row("timeouts.explorer", ValueKind::Duration, SourceTrust::Repository, "How long a helper may take (`review.explorers`).").with_default(r#""60s""#),
    key_row("timeouts.shutdown", ValueKind::Duration, SourceTrust::User, "How long a judge may take to end before it is killed.").with_default(r#""30s""#),
    key_row("timeouts.run", ValueKind::Duration, SourceTrust::Repository, "How long the whole run may take. Unset: as long as its rounds."),
    key_row(
        "limits.agents",
        ValueKind::Count { least: 1, most: FOREVER },
        SourceTrust::User,
        "How many agents one run may start, including helpers.",
    )
    .with_default("12"),
    key_row("limits.brief", ValueKind::Bytes, SourceTrust::User, "The most bytes of the change that a model is shown at once.").with_default(r#""400K""#),
    key_row("limits.context", ValueKind::BytesOrNone, SourceTrust::User, "The most bytes that a model is shown of what stands around the change: definitions, uses, tests, earlier fixes. `0`: nothing.").with_default(r#""60K""#),
    key_row("limits.cost", ValueKind::Money, SourceTrust::User, "The most US dollars that a run may cost. A call that could exceed it is not made. Unset: no limit."),
    key_row("limits.exchange", ValueKind::Bytes, SourceTrust::User, "The most bytes of other judges' findings in one message.").with_default(r#""64K""#),
    key_row(
        "limits.tool-calls",
        ValueKind::Count { least: 0, most: 1_000 },
        SourceTrust::User,
        "How often a judge may look something up in the repository in one turn (docs/agents.md). 0: judges have no tools for that.",
    )
    .with_default("12"),
    key_row("limits.answer", ValueKind::Bytes, SourceTrust::User, "The most bytes of one answer.").with_default(r#""1M""#),
    key_row(
        "output.format",
        ValueKind::Choice(&[
            "terminal",
            "story",
            "markdown",
            "json",
            "sarif",
            "rdjson",
            "html",
            "agent",
            "junit",
            "checkstyle",
            "gitlab",
        ]),
        SourceTrust::User,
        "The format of the report on standard output.",
    )
    .with_default(r#""terminal""#),
    key_row(
        "output.color",
        ValueKind::Choice(&["auto", "always", "never"]),
        SourceTrust::User,
        "Whether to use colour; `auto`: on a terminal, unless `NO_COLOR` is set.",
    )
    .with_default(r#""auto""#),
    key_row("output.save", ValueKind::Switch, SourceTrust::User, "Whether reports are written to `.agents/council/`.").with_default("true"),
    key_row(
        "output.session",
        ValueKind::Switch,
        SourceTrust::User,
        "Whether a cross-examination is also written to `.agents/council/…-session.md`.",
    )
    .with_default("false"),
    key_row(
        "output.progress",
        ValueKind::Choice(&["auto", "lines", "off"]),
        SourceTrust::User,
        "What is shown on standard error while agents and models work: `lines` when something changes, or nothing; `auto`: a live view on a terminal, lines in CI and where `TERM` is `dumb`.",
    )
    .with_default(r#""auto""#),
    key_row(
        "hook.enabled",
        ValueKind::Switch,
        SourceTrust::Repository,
        "Whether hooks review at all; `git config --global council.hook false` switches them off.",
    )
    .obeys_checkout(CheckoutRule::Stricter(&["false", "true"]))
    .with_default("true"),
    key_row(
        "hook.mode",
        ValueKind::Choice(&["advisory", "gate"]),
        SourceTrust::Repository,
        "`advisory`: the pre-push hook only shows its verdict; `gate`: FAIL and INCONCLUSIVE stop the push.",
    )
    .obeys_checkout(CheckoutRule::Stricter(&["advisory", "gate"]))
    .with_default(r#""advisory""#),
    key_row(
        "hook.models",
        ValueKind::Switch,
        SourceTrust::User,
        "Whether the pre-push hook asks your agents and models. Otherwise it reuses earlier verdicts, or asks the built-in judges.",
    )
    .with_default("false"),
    key_row("hook.timeout", ValueKind::Duration, SourceTrust::Repository, "How long the review of the pre-push hook may take. The hook itself may take 10 s more.").with_default(r#""30s""#),
    key_row(
        "hook.on-timeout",
        ValueKind::Choice(&["pass", "block"]),
        SourceTrust::Repository,
        "What happens to a push if its review does not finish in time.",
    )
    .obeys_checkout(CheckoutRule::Stricter(&["pass", "block"]))
    .with_default(r#""pass""#),
    key_row(
        "background.load",
        ValueKind::Count { least: 1, most: 10_000 },
        SourceTrust::User,
        "Background reviews wait while the machine's load is above this, in percent of its processors.",
    )
    .with_default("100"),
    key_row(
        "background.battery",
        ValueKind::Switch,
        SourceTrust::User,
        "Whether background reviews run on battery power.",
    )
    .with_default("false"),
    key_row(
        "notes.write",
        ValueKind::Switch,
        SourceTrust::User,
        "Whether verdicts and dismissals are written as git notes under `refs/notes/council`; never in CI. Unset: only \
         where the pre-push hook is installed.",
    ),
    key_row(
        "notes.sign",
        ValueKind::Switch,
        SourceTrust::User,
        "Whether those notes are signed with git's own signing key (`user.signingKey`).",
    )
    .with_default("false"),
    key_row(
        "notes.trusted",
        ValueKind::Signers,
        SourceTrust::User,
        "Whose signed notes count. Each entry: a key's fingerprint, then its owner's GitHub login and e-mail address. \
         `git config council.trustedNotes` sets it, too.",
    )
    .appending(),
    key_row(
        "trust.worktrees",
        ValueKind::Folders,
        SourceTrust::User,
        "Absolute paths of worktrees whose `council.toml` and `.git/config` are trusted like those of the trusted branch, except in hooks and CI. For one run: `--trust-worktree`.",
    )
    .appending(),
    key_row("cache.keep", ValueKind::Count { least: 0, most: FOREVER }, SourceTrust::User, "How many verdicts are kept for reuse.").with_default("500"),
    key_row("runs.keep", ValueKind::Count { least: 1, most: FOREVER }, SourceTrust::User, "How many runs are kept under the git directory.").with_default("50"),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::key::KeyPath;
    use super::*;

    #[test]
    fn nothing_sensitive_can_be_set_by_the_repository() {
        for key in KEYS {
            assert!(
                !key.kind.is_sensitive() || key.needs == SourceTrust::User,
                "{}",
                key.name
            );
        }
    }

    #[test]
    fn names_are_unique_and_have_at_most_three_parts() {
        let names: BTreeSet<_> = KEYS.iter().map(|k| k.name).collect();
        assert_eq!(names.len(), KEYS.len());
        assert!(
            KEYS.iter()
                .all(|k| k.segments().count() <= 3 && k.doc.ends_with('.'))
        );
    }

    #[test]
    fn variables_set_keys_that_exist() {
        for (variable, key) in ENVIRONMENT {
            assert!(variable.starts_with("COUNCIL_"));
            assert!(ConfigKey::find(&KeyPath::parse(key)).is_some(), "{key}");
        }
    }
}
