//! The table of keys: one row for each thing that can be configured.

use super::{Key, Kind, Merge, Trust};

/// Environment variables and the keys that they set (the seeds' names, councils.md 1.4).
pub const ENVIRONMENT: &[(&str, &str)] = &[
    ("COUNCIL_TIMEOUT", "timeouts.r1"),
    ("COUNCIL_R2_TIMEOUT", "timeouts.r2"),
    ("COUNCIL_EXPLORER_TIMEOUT", "timeouts.explorer"),
    ("COUNCIL_JUDGE_COUNT", "review.judges"),
    ("COUNCIL_CLAUDE_MODEL", "agents.claude.model"),
    ("COUNCIL_CODEX_MODEL", "agents.codex.model"),
    ("COUNCIL_EXPLORER_MODEL", "review.explorer-model"),
];

const FOREVER: u64 = u64::MAX;

const fn key(name: &'static str, kind: Kind, needs: Trust, doc: &'static str) -> Key {
    Key {
        name,
        kind,
        default: None,
        needs,
        merge: Merge::Replace,
        doc,
    }
}

impl Key {
    const fn or(mut self, default: &'static str) -> Self {
        self.default = Some(default);
        self
    }

    const fn append(mut self) -> Self {
        self.merge = Merge::Append;
        self
    }
}

/// Every key, in the order of the document.
pub const KEYS: &[Key] = &[
    key(
        "review.procedure",
        Kind::Choice(&["quick", "review", "debate", "cross-examination", "staged"]),
        Trust::Checkout,
        "The rules of the rounds: one judge and one round, several judges, several judges and always two rounds, councillors who challenge each other, or rounds while it is contended.",
    )
    .or(r#""review""#),
    key(
        "review.debate",
        Kind::Choice(&["auto", "force", "off"]),
        Trust::Checkout,
        "Whether a second round runs: on a split vote or a critical finding that one judge alone holds, always, or never.",
    )
    .or(r#""auto""#),
    key(
        "review.consensus",
        Kind::Choice(&["findings", "strict", "majority"]),
        Trust::Checkout,
        "What decides: the worst surviving finding, the worst vote, or the majority of votes.",
    )
    .or(r#""findings""#),
    key(
        "review.judges",
        Kind::Count { least: 1, most: 64 },
        Trust::Checkout,
        "How many judges sit. Unset: one for each perspective, or two (`--deep`: three) where an agent is configured.",
    ),
    key(
        "review.mixed",
        Kind::Switch,
        Trust::Checkout,
        "Whether judges of a second vendor sit beside those of the first: as many of each, three where nothing is said.",
    )
    .or("false"),
    key(
        "review.explorers",
        Kind::Count { least: 0, most: 5 },
        Trust::Checkout,
        "How many questions a judge may put to helpers in round 1. Each counts as an agent.",
    )
    .or("0"),
    key(
        "review.explorer-model",
        Kind::Model,
        Trust::Checkout,
        "The model of those helpers. Unset: that of the judge that asks.",
    ),
    key(
        "review.intensity",
        Kind::Choice(&["full", "standard", "light"]),
        Trust::Checkout,
        "How much a staged debate debates: 3 to 5 rounds, 2 to 4, or one.",
    )
    .or(r#""standard""#),
    key(
        "review.quorum",
        Kind::Count { least: 1, most: 64 },
        Trust::Checkout,
        "How many judges must count for PASS or WARN to stand. Unset: 2, or 1 where one judge sits alone.",
    ),
    key(
        "review.perspectives",
        Kind::Names,
        Trust::Checkout,
        "What the judges look for, one each. Stronger than a preset.",
    ),
    key("review.preset", Kind::Name, Trust::Checkout, "A named list of perspectives: a built-in one or one of `[presets]`."),
    key(
        "review.agents",
        Kind::Names,
        Trust::Checkout,
        "Which agents think for the judges, in turn; each sits at least once where nothing else says how many judges there are. Unset: those of `[agents]`, else `builtin`.",
    ),
    key(
        "review.backend",
        Kind::Name,
        Trust::User,
        "How judges are run: `auto` takes the best that is here; any other name is an error where it cannot do what is asked.",
    )
    .or(r#""auto""#),
    key(
        "review.fail-on",
        Kind::Choice(&["fail", "warn"]),
        Trust::Checkout,
        "The mildest verdict that ends with exit code 1.",
    )
    .or(r#""fail""#),
    key(
        "review.disputed-critical",
        Kind::Choice(&["warn", "fail"]),
        Trust::Checkout,
        "What a critical finding comes to that another judge refutes with evidence.",
    )
    .or(r#""warn""#),
    key(
        "review.incomplete-coverage",
        Kind::Choice(&["inconclusive", "warn"]),
        Trust::Checkout,
        "What PASS becomes when some changed lines were not seen by a quorum.",
    )
    .or(r#""inconclusive""#),
    key(
        "review.ignore",
        Kind::Globs,
        Trust::Checkout,
        "Files that need no review (gitignore patterns; `!` brings one back). They are listed as skipped in every report.",
    )
    .append(),
    key(
        "review.large",
        Kind::Choice(&["rank", "shard"]),
        Trust::User,
        "A change larger than `limits.brief`: the most telling files first and the rest named as not reviewed, or in parts that the same bench judges one by one (which costs as much more).",
    )
    .or(r#""rank""#),
    key(
        "review.default-ignores",
        Kind::Switch,
        Trust::Checkout,
        "Whether lockfiles, vendored, generated and minified files are skipped too.",
    )
    .or("true"),
    key(
        "cross-examination.rounds",
        Kind::Count { least: 0, most: 64 },
        Trust::Checkout,
        "How many rounds the councillors challenge each other; there are 1 to 4, and what is beyond is taken as the nearest.",
    )
    .or("2"),
    key(
        "cross-examination.councillors",
        Kind::Count { least: 0, most: 64 },
        Trust::Checkout,
        "How many councillors sit, 3 to 6: visionary, critic, pragmatist, innovator, ethicist, domain expert.",
    )
    .or("4"),
    key(
        "cross-examination.focus",
        Kind::Text,
        Trust::Checkout,
        "The field of the domain expert, from whose side the others look at it too.",
    ),
    key(
        "cross-examination.economy",
        Kind::Switch,
        Trust::Checkout,
        "Whether councillors are asked one after another, without messages between them.",
    )
    .or("false"),
    key("judge", Kind::Judges, Trust::Checkout, "The seats, one `[[judge]]` table each. Stronger than everything else that says who sits."),
    key(
        "perspectives.*",
        Kind::Text,
        Trust::Checkout,
        "What a perspective of your own means, for the judges' instructions.",
    ),
    key("presets.*", Kind::Names, Trust::Checkout, "A named list of perspectives."),
    key(
        "rules.*",
        Kind::Choice(&["off", "minor", "significant", "critical"]),
        Trust::Repository,
        "Switches a built-in rule off or gives it another severity; `git council explain` lists the rules.",
    ),
    key(
        "agents.*.driver",
        Kind::Choice(&["builtin", "command", "claude", "codex", "acp", "http", "recorded", "backend"]),
        Trust::User,
        "How the agent is spoken with; `backend`: it comes with the backend, e.g. a plugin's own model.",
    ),
    key(
        "agents.*.command",
        Kind::Command,
        Trust::User,
        "The program and its arguments. Unset: what the driver or the agent's name stands for, e.g. `claude` or `gemini --acp`.",
    ),
    key(
        "agents.*.format",
        Kind::Choice(&["answer", "sarif", "rdjson"]),
        Trust::User,
        "What the program writes (driver `command`): our own answer, SARIF 2.1.0, or reviewdog's rdjson. Unset: `answer`.",
    ),
    key(
        "agents.*.sandbox",
        Kind::Choice(&["off", "required"]),
        Trust::User,
        "`required`: the operating system keeps the program from the user's files and from writing; where it cannot, the agent is not started (Linux).",
    ),
    key(
        "agents.*.env",
        Kind::EnvNames,
        Trust::User,
        "Environment variables that the program may see beside the common ones.",
    ),
    key(
        "agents.*.recording",
        Kind::File,
        Trust::User,
        "The bundle of a past run whose answers are played back (driver `recorded`); `git council replay RUN --bundle FILE` makes one.",
    ),
    key(
        "agents.*.api",
        Kind::Choice(&["anthropic", "responses", "chat", "gemini"]),
        Trust::User,
        "What the API speaks (driver `http`): Anthropic Messages, OpenAI Responses, OpenAI Chat Completions (and whoever speaks it), or Gemini.",
    ),
    key(
        "agents.*.url",
        Kind::Url,
        Trust::User,
        "Where the API is, without the path of a call, e.g. `http://localhost:11434/v1`. Unset: its vendor's own.",
    ),
    key(
        "agents.*.key",
        Kind::EnvName,
        Trust::User,
        "The environment variable that has the API's key. Unset: the vendor's usual one where `url` is unset, else none.",
    ),
    key(
        "agents.*.fallback",
        Kind::Models,
        Trust::Checkout,
        "Models that are tried in this order when the API's own fails; the receipt says which one answered.",
    ),
    key(
        "agents.*.max-tokens",
        Kind::Count { least: 256, most: 1_000_000 },
        Trust::User,
        "The most tokens of one answer of the API. Unset: 16000.",
    ),
    key(
        "agents.*.structured",
        Kind::Switch,
        Trust::User,
        "Whether the API holds answers to our schema. Unset: where its vendor offers that.",
    ),
    key(
        "agents.*.prime",
        Kind::Choice(&["auto", "off"]),
        Trust::User,
        "`auto`: with a large brief, judges of one model start when the first one's answer begins, and read the brief from the provider's cache. Unset: `auto`.",
    ),
    key("prices.*.input", Kind::Money, Trust::User, "US dollars for a million input tokens of the model of that name."),
    key("prices.*.cached", Kind::Money, Trust::User, "The same for tokens that come from the provider's cache. Unset: as `input`."),
    key("prices.*.output", Kind::Money, Trust::User, "The same for output tokens."),
    key("agents.*.model", Kind::Model, Trust::Checkout, "The model, where the agent has several."),
    key(
        "agents.*.vendor",
        Kind::Name,
        Trust::User,
        "Whose model it is: judges of one vendor are not independent of each other. Unset: the agent's name.",
    ),
    key(
        "agents.*.deterministic",
        Kind::Switch,
        Trust::User,
        "Whether it applies rules rather than a model: its findings then need no second voice.",
    ),
    key(
        "backends.*.library",
        Kind::File,
        Trust::User,
        "A shared library that is a backend (docs/backends.md). It must not lie in the repository.",
    ),
    key(
        "backends.*.program",
        Kind::File,
        Trust::User,
        "A program that is a backend and speaks over standard input and output. It must not lie in the repository.",
    ),
    key("backends.*.args", Kind::Command, Trust::User, "The arguments of `program`."),
    key("backends.*.sha256", Kind::Text, Trust::User, "The SHA-256 that the plugin's file must have, 64 hex digits."),
    key("backends.*.config", Kind::Table, Trust::User, "What the plugin is told when it is opened."),
    key(
        "prompts.folder",
        Kind::File,
        Trust::User,
        "A folder of prompt templates of your own, `NAME.md.j2` (docs/prompts.md). It must not lie in the repository.",
    ),
    key(
        "redact.rules",
        Kind::File,
        Trust::User,
        "A gitleaks configuration: what its rules match is redacted, too (docs/agents.md). It must not lie in the repository.",
    ),
    key("timeouts.r1", Kind::Duration, Trust::Checkout, "How long a judge has for round 1.").or(r#""120s""#),
    key("timeouts.r2", Kind::Duration, Trust::Checkout, "How long a judge has for round 2.").or(r#""90s""#),
    key("timeouts.explorer", Kind::Duration, Trust::Checkout, "How long an explorer has.").or(r#""60s""#),
    key("timeouts.shutdown", Kind::Duration, Trust::User, "How long a judge has to end before it is ended.").or(r#""30s""#),
    key("timeouts.run", Kind::Duration, Trust::Checkout, "How long the whole run may take. Unset: as long as its rounds."),
    key(
        "limits.agents",
        Kind::Count { least: 1, most: FOREVER },
        Trust::User,
        "How many agents one run may start, explorers included.",
    )
    .or("12"),
    key("limits.brief", Kind::Bytes, Trust::User, "The most bytes of the change that a model is shown at once.").or(r#""400K""#),
    key("limits.cost", Kind::Money, Trust::User, "US dollars that a run may cost. A call that could go over it is not made. Unset: no bound."),
    key("limits.exchange", Kind::Bytes, Trust::User, "The most bytes of other judges' findings in one message.").or(r#""64K""#),
    key("limits.answer", Kind::Bytes, Trust::User, "The most bytes of one answer.").or(r#""1M""#),
    key(
        "output.format",
        Kind::Choice(&["terminal", "story", "markdown", "json", "sarif", "rdjson"]),
        Trust::User,
        "The shape of the report on standard output.",
    )
    .or(r#""terminal""#),
    key(
        "output.color",
        Kind::Choice(&["auto", "always", "never"]),
        Trust::User,
        "Whether there is colour; `auto`: on a terminal, and not under `NO_COLOR`.",
    )
    .or(r#""auto""#),
    key("output.save", Kind::Switch, Trust::User, "Whether reports are written to `.agents/council/`.").or("true"),
    key(
        "output.session",
        Kind::Switch,
        Trust::User,
        "Whether a cross-examination is also written down as a whole, `…-session.md`.",
    )
    .or("false"),
    key(
        "hook.enabled",
        Kind::Switch,
        Trust::Checkout,
        "Whether the hooks review at all; `git config council.hook false` says the same.",
    )
    .or("true"),
    key(
        "hook.mode",
        Kind::Choice(&["advisory", "gate"]),
        Trust::Checkout,
        "Whether a verdict of the pre-push hook is told only, or FAIL and INCONCLUSIVE stop the push.",
    )
    .or(r#""advisory""#),
    key(
        "hook.models",
        Kind::Switch,
        Trust::User,
        "Whether the pre-push hook convenes the whole council; else built-in judges and verdicts that were made before.",
    )
    .or("false"),
    key("hook.timeout", Kind::Duration, Trust::Checkout, "How long the pre-push hook may take.").or(r#""30s""#),
    key(
        "hook.on-timeout",
        Kind::Choice(&["pass", "block"]),
        Trust::Checkout,
        "What happens to a push whose review did not end in time.",
    )
    .or(r#""pass""#),
    key(
        "background.load",
        Kind::Count { least: 1, most: 10_000 },
        Trust::User,
        "The load, in percent of the processors, above which a background review waits.",
    )
    .or("100"),
    key(
        "background.battery",
        Kind::Switch,
        Trust::User,
        "Whether background reviews run while the machine is on battery.",
    )
    .or("false"),
    key(
        "notes.write",
        Kind::Switch,
        Trust::User,
        "Whether verdicts and dismissals are written as git notes under `refs/notes/council`; never in CI.",
    )
    .or("true"),
    key(
        "notes.sign",
        Kind::Switch,
        Trust::User,
        "Whether those notes are signed with git's own signing key (`user.signingKey`).",
    )
    .or("false"),
    key(
        "notes.trusted",
        Kind::Globs,
        Trust::User,
        "Whose signed notes count: for each the key's fingerprint, then the names at the forge and the mails of whoever \
         holds it. `git config council.trustedNotes` says the same.",
    )
    .append(),
    key("cache.keep", Kind::Count { least: 0, most: FOREVER }, Trust::User, "How many verdicts are kept to be recognised.").or("500"),
    key("runs.keep", Kind::Count { least: 1, most: FOREVER }, Trust::User, "How many runs are kept under the git directory.").or("50"),
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
                !key.kind.is_sensitive() || key.needs == Trust::User,
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
            assert!(Key::find(&KeyPath::parse(key)).is_some(), "{key}");
        }
    }
}
