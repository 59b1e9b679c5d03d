//! The table of keys: one row for each thing that can be configured.

use super::{CheckoutRule, ConfigKey, MergeRule, SourceTrust, ValueKind};

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
        "The rules of the rounds: one judge and one round, several judges, several judges and always two rounds, councillors who challenge each other, or rounds while it is contended.",
    )
    .with_default(r#""review""#),
    key_row(
        "review.debate",
        ValueKind::Choice(&["auto", "force", "off"]),
        SourceTrust::Repository,
        "Whether a second round runs: on a split vote or a critical finding that one judge alone holds, always, or never.",
    )
    .with_default(r#""auto""#),
    key_row(
        "review.consensus",
        ValueKind::Choice(&["findings", "strict", "majority"]),
        SourceTrust::Repository,
        "What decides: the worst surviving finding, the worst vote, or the majority of votes.",
    )
    .with_default(r#""findings""#),
    key_row(
        "review.judges",
        ValueKind::Count { least: 1, most: 64 },
        SourceTrust::Repository,
        "How many judges sit. Unset: one for each perspective, or two (`--deep`: three) where an agent is configured.",
    )
    .obeys_checkout(CheckoutRule::AtLeast),
    key_row(
        "review.mixed",
        ValueKind::Switch,
        SourceTrust::Repository,
        "Whether judges of a second vendor sit beside those of the first: as many of each, three where nothing is said.",
    )
    .with_default("false"),
    key_row(
        "review.explorers",
        ValueKind::Count { least: 0, most: 5 },
        SourceTrust::Repository,
        "How many questions a judge may put to helpers in round 1. Each counts as an agent.",
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
        "How much a staged debate debates: 3 to 5 rounds, 2 to 4, or one.",
    )
    .with_default(r#""standard""#),
    key_row(
        "review.quorum",
        ValueKind::Count { least: 1, most: 64 },
        SourceTrust::Repository,
        "How many judges must count for PASS or WARN to stand. Unset: 2, or 1 where one judge sits alone.",
    )
    .obeys_checkout(CheckoutRule::AtLeast),
    key_row(
        "review.perspectives",
        ValueKind::Names,
        SourceTrust::Repository,
        "What the judges look for, one each. Stronger than a preset.",
    )
    .obeys_checkout(CheckoutRule::AddsSeats),
    key_row("review.preset", ValueKind::Name, SourceTrust::Repository, "A named list of perspectives: a built-in one or one of `[presets]`."),
    key_row(
        "review.agents",
        ValueKind::Names,
        SourceTrust::Repository,
        "Which agents think for the judges, in turn; each sits at least once where nothing else says how many judges there are. Unset: those of `[agents]`, else `builtin`.",
    ),
    key_row(
        "review.backend",
        ValueKind::Name,
        SourceTrust::User,
        "How judges are run: `auto` takes the best that is here; any other name is an error where it cannot do what is asked.",
    )
    .with_default(r#""auto""#),
    key_row(
        "review.fail-on",
        ValueKind::Choice(&["fail", "warn"]),
        SourceTrust::Repository,
        "The mildest verdict that ends with exit code 1.",
    )
    .obeys_checkout(CheckoutRule::Stricter(&["fail", "warn"]))
    .with_default(r#""fail""#),
    key_row(
        "review.disputed-critical",
        ValueKind::Choice(&["warn", "fail"]),
        SourceTrust::Repository,
        "What a critical finding comes to that another judge refutes with evidence.",
    )
    .obeys_checkout(CheckoutRule::Stricter(&["warn", "fail"]))
    .with_default(r#""warn""#),
    key_row(
        "review.incomplete-coverage",
        ValueKind::Choice(&["inconclusive", "warn"]),
        SourceTrust::Repository,
        "What PASS becomes when some changed lines were not seen by a quorum.",
    )
    .obeys_checkout(CheckoutRule::Stricter(&["warn", "inconclusive"]))
    .with_default(r#""inconclusive""#),
    key_row(
        "review.ignore",
        ValueKind::Globs,
        SourceTrust::Repository,
        "Files that need no review (gitignore patterns; `!` brings one back). They are listed as skipped in every report.",
    )
    .appending(),
    key_row(
        "review.large",
        ValueKind::Choice(&["rank", "shard"]),
        SourceTrust::User,
        "A change larger than `limits.brief`: the most telling files first and the rest named as not reviewed, or in parts that the same bench judges one by one (which costs as much more).",
    )
    .with_default(r#""rank""#),
    key_row(
        "review.opaque",
        ValueKind::Choice(&["inconclusive", "list"]),
        SourceTrust::Repository,
        "What content comes to that no judge can read as text (binary files, LFS pointers, symbolic links, submodules): it is named in the headline, or it also lowers the coverage.",
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
        ValueKind::Count { least: 0, most: 64 },
        SourceTrust::Repository,
        "How many rounds the councillors challenge each other; there are 1 to 4, and what is beyond is taken as the nearest.",
    )
    .with_default("2"),
    key_row(
        "cross-examination.councillors",
        ValueKind::Count { least: 0, most: 64 },
        SourceTrust::Repository,
        "How many councillors sit, 3 to 6: visionary, critic, pragmatist, innovator, ethicist, domain expert.",
    )
    .with_default("4"),
    key_row(
        "cross-examination.focus",
        ValueKind::Text,
        SourceTrust::Repository,
        "The field of the domain expert, from whose side the others look at it too.",
    ),
    key_row(
        "cross-examination.economy",
        ValueKind::Switch,
        SourceTrust::Repository,
        "Whether councillors are asked one after another, without messages between them.",
    )
    .with_default("false"),
    key_row("judge", ValueKind::Judges, SourceTrust::Repository, "The seats, one `[[judge]]` table each. Stronger than everything else that says who sits.")
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
        "How the agent is spoken with; `backend`: it comes with the backend, e.g. a plugin's own model.",
    ),
    key_row(
        "agents.*.command",
        ValueKind::Command,
        SourceTrust::User,
        "The program and its arguments. Unset: what the driver or the agent's name stands for, e.g. `claude` or `gemini --acp`.",
    ),
    key_row(
        "agents.*.format",
        ValueKind::Choice(&["answer", "sarif", "rdjson"]),
        SourceTrust::User,
        "What the program writes (driver `command`): our own answer, SARIF 2.1.0, or reviewdog's rdjson. Unset: `answer`.",
    ),
    key_row(
        "agents.*.sandbox",
        ValueKind::Choice(&["off", "required"]),
        SourceTrust::User,
        "`required`: the operating system keeps the program from the user's files and from writing; where it cannot, the agent is not started (Linux).",
    ),
    key_row(
        "agents.*.env",
        ValueKind::EnvNames,
        SourceTrust::User,
        "Environment variables that the program may see beside the common ones.",
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
        "What the API speaks (driver `http`): Anthropic Messages, OpenAI Responses, OpenAI Chat Completions (and whoever speaks it), or Gemini.",
    ),
    key_row(
        "agents.*.url",
        ValueKind::Url,
        SourceTrust::User,
        "Where the API is, without the path of a call, e.g. `http://localhost:11434/v1`. Unset: its vendor's own.",
    ),
    key_row(
        "agents.*.key",
        ValueKind::EnvName,
        SourceTrust::User,
        "The environment variable that has the API's key. Unset: the vendor's usual one where `url` is unset, else none.",
    ),
    key_row(
        "agents.*.fallback",
        ValueKind::Models,
        SourceTrust::Repository,
        "Models that are tried in this order when the API's own fails; the receipt says which one answered.",
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
        "Whether the API holds answers to our schema. Unset: where its vendor offers that.",
    ),
    key_row(
        "agents.*.prime",
        ValueKind::Choice(&["auto", "off"]),
        SourceTrust::User,
        "`auto`: with a large brief, judges of one model start when the first one's answer begins, and read the brief from the provider's cache. Unset: `auto`.",
    ),
    key_row("prices.*.input", ValueKind::Money, SourceTrust::User, "US dollars for a million input tokens of the model of that name."),
    key_row("prices.*.cached", ValueKind::Money, SourceTrust::User, "The same for tokens that come from the provider's cache. Unset: as `input`."),
    key_row("prices.*.output", ValueKind::Money, SourceTrust::User, "The same for output tokens."),
    key_row("agents.*.model", ValueKind::Model, SourceTrust::Repository, "The model, where the agent has several."),
    key_row(
        "agents.*.vendor",
        ValueKind::Name,
        SourceTrust::User,
        "Whose model it is: judges of one vendor are not independent of each other. Unset: the agent's name.",
    ),
    key_row(
        "agents.*.deterministic",
        ValueKind::Switch,
        SourceTrust::User,
        "Whether it applies rules rather than a model: its findings then need no second voice.",
    ),
    key_row(
        "backends.*.library",
        ValueKind::File,
        SourceTrust::User,
        "A shared library that is a backend (docs/backends.md). It must not lie in the repository.",
    ),
    key_row(
        "backends.*.program",
        ValueKind::File,
        SourceTrust::User,
        "A program that is a backend and speaks over standard input and output. It must not lie in the repository.",
    ),
    key_row("backends.*.args", ValueKind::Command, SourceTrust::User, "The arguments of `program`."),
    key_row("backends.*.sha256", ValueKind::Text, SourceTrust::User, "The SHA-256 that the plugin's file must have, 64 hex digits."),
    key_row("backends.*.config", ValueKind::Table, SourceTrust::User, "What the plugin is told when it is opened."),
    key_row(
        "prompts.folder",
        ValueKind::File,
        SourceTrust::User,
        "A folder of prompt templates of your own, `NAME.md.j2` (docs/prompts.md). It must not lie in the repository.",
    ),
    key_row(
        "redact.rules",
        ValueKind::File,
        SourceTrust::User,
        "A gitleaks configuration: what its rules match is redacted, too (docs/agents.md). It must not lie in the repository.",
    ),
    key_row("timeouts.r1", ValueKind::Duration, SourceTrust::Repository, "How long a judge has for round 1.").with_default(r#""120s""#),
    key_row("timeouts.r2", ValueKind::Duration, SourceTrust::Repository, "How long a judge has for round 2.").with_default(r#""90s""#),
    key_row("timeouts.explorer", ValueKind::Duration, SourceTrust::Repository, "How long an explorer has.").with_default(r#""60s""#),
    key_row("timeouts.shutdown", ValueKind::Duration, SourceTrust::User, "How long a judge has to end before it is ended.").with_default(r#""30s""#),
    key_row("timeouts.run", ValueKind::Duration, SourceTrust::Repository, "How long the whole run may take. Unset: as long as its rounds."),
    key_row(
        "limits.agents",
        ValueKind::Count { least: 1, most: FOREVER },
        SourceTrust::User,
        "How many agents one run may start, explorers included.",
    )
    .with_default("12"),
    key_row("limits.brief", ValueKind::Bytes, SourceTrust::User, "The most bytes of the change that a model is shown at once.").with_default(r#""400K""#),
    key_row("limits.cost", ValueKind::Money, SourceTrust::User, "US dollars that a run may cost. A call that could go over it is not made. Unset: no bound."),
    key_row("limits.exchange", ValueKind::Bytes, SourceTrust::User, "The most bytes of other judges' findings in one message.").with_default(r#""64K""#),
    key_row("limits.answer", ValueKind::Bytes, SourceTrust::User, "The most bytes of one answer.").with_default(r#""1M""#),
    key_row(
        "output.format",
        ValueKind::Choice(&["terminal", "story", "markdown", "json", "sarif", "rdjson"]),
        SourceTrust::User,
        "The shape of the report on standard output.",
    )
    .with_default(r#""terminal""#),
    key_row(
        "output.color",
        ValueKind::Choice(&["auto", "always", "never"]),
        SourceTrust::User,
        "Whether there is colour; `auto`: on a terminal, and not under `NO_COLOR`.",
    )
    .with_default(r#""auto""#),
    key_row("output.save", ValueKind::Switch, SourceTrust::User, "Whether reports are written to `.agents/council/`.").with_default("true"),
    key_row(
        "output.session",
        ValueKind::Switch,
        SourceTrust::User,
        "Whether a cross-examination is also written down as a whole, `…-session.md`.",
    )
    .with_default("false"),
    key_row(
        "hook.enabled",
        ValueKind::Switch,
        SourceTrust::Repository,
        "Whether the hooks review at all; `git config --global council.hook false` says the same.",
    )
    .obeys_checkout(CheckoutRule::Stricter(&["false", "true"]))
    .with_default("true"),
    key_row(
        "hook.mode",
        ValueKind::Choice(&["advisory", "gate"]),
        SourceTrust::Repository,
        "Whether a verdict of the pre-push hook is told only, or FAIL and INCONCLUSIVE stop the push.",
    )
    .obeys_checkout(CheckoutRule::Stricter(&["advisory", "gate"]))
    .with_default(r#""advisory""#),
    key_row(
        "hook.models",
        ValueKind::Switch,
        SourceTrust::User,
        "Whether the pre-push hook convenes the whole council; else built-in judges and verdicts that were made before.",
    )
    .with_default("false"),
    key_row("hook.timeout", ValueKind::Duration, SourceTrust::Repository, "How long the pre-push hook may take.").with_default(r#""30s""#),
    key_row(
        "hook.on-timeout",
        ValueKind::Choice(&["pass", "block"]),
        SourceTrust::Repository,
        "What happens to a push whose review did not end in time.",
    )
    .obeys_checkout(CheckoutRule::Stricter(&["pass", "block"]))
    .with_default(r#""pass""#),
    key_row(
        "background.load",
        ValueKind::Count { least: 1, most: 10_000 },
        SourceTrust::User,
        "The load, in percent of the processors, above which a background review waits.",
    )
    .with_default("100"),
    key_row(
        "background.battery",
        ValueKind::Switch,
        SourceTrust::User,
        "Whether background reviews run while the machine is on battery.",
    )
    .with_default("false"),
    key_row(
        "notes.write",
        ValueKind::Switch,
        SourceTrust::User,
        "Whether verdicts and dismissals are written as git notes under `refs/notes/council`; never in CI.",
    )
    .with_default("true"),
    key_row(
        "notes.sign",
        ValueKind::Switch,
        SourceTrust::User,
        "Whether those notes are signed with git's own signing key (`user.signingKey`).",
    )
    .with_default("false"),
    key_row(
        "notes.trusted",
        ValueKind::Globs,
        SourceTrust::User,
        "Whose signed notes count: for each the key's fingerprint, then the names at the forge and the mails of whoever \
         holds it. `git config council.trustedNotes` says the same.",
    )
    .appending(),
    key_row(
        "trust.worktrees",
        ValueKind::Globs,
        SourceTrust::User,
        "Worktrees of your own, by their absolute paths: their `council.toml` and `.git/config` are followed like the trusted branch's. Never in a hook or in CI. `--trust-worktree` says the same for one run.",
    )
    .appending(),
    key_row("cache.keep", ValueKind::Count { least: 0, most: FOREVER }, SourceTrust::User, "How many verdicts are kept to be recognised.").with_default("500"),
    key_row("runs.keep", ValueKind::Count { least: 1, most: FOREVER }, SourceTrust::User, "How many runs are kept under the git directory.").with_default("50"),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::KeyPath;
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
