//! The flags of a review, and what they ask for.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use crate::cli::councillors::{self, CouncillorArgs};
use crate::cli::github::args::GitHubArgs;
use crate::cli::modes::ModeArgs;
use crate::config::KeyValue;
use crate::git::UnmergedRange;
use crate::run::error::RunError;
use crate::run::output_file::check_output;
use crate::run::request::{CheckoutUse, RequestedTarget, ReviewRequest};

/// Review a change and give one verdict
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ReviewArgs {
    /// A commit, `A..B` or `A...B` [default: what the current branch adds to its upstream; to the default branch if it has
    /// no upstream or adds nothing to it]
    #[arg(value_name = "TARGET", conflicts_with_all = ["staged", "worktree", "patch"])]
    pub(crate) target: Option<String>,
    /// Review only these files (git pathspecs)
    #[arg(value_name = "PATHSPEC", last = true)]
    pub(crate) pathspecs: Vec<String>,
    /// Review what is staged (the index compared with HEAD)
    #[arg(long, visible_alias = "cached", conflicts_with_all = ["worktree", "patch"], help_heading = "Target")]
    pub(crate) staged: bool,
    /// Review the worktree compared with HEAD, including untracked files
    #[arg(long, conflicts_with = "patch", help_heading = "Target")]
    pub(crate) worktree: bool,
    /// Review a unified diff from FILE; `-` reads standard input
    #[arg(long, value_name = "FILE", help_heading = "Target")]
    pub(crate) patch: Option<PathBuf>,

    /// Review the change that this CI job is for, as its environment variables say (GitLab, Gitea, Forgejo, Bitbucket,
    /// Jenkins, Azure, GitHub)
    #[arg(long, conflicts_with_all = ["target", "staged", "worktree", "patch", "file", "topic", "detach", "pr", "event"], help_heading = "Target")]
    pub(crate) ci: bool,
    /// Review a document, e.g. a plan, instead of a change; `-` reads standard input. The built-in rules cannot do this
    #[arg(long, value_name = "FILE", conflicts_with_all = ["target", "staged", "worktree", "patch", "pathspecs"], help_heading = "Target")]
    pub(crate) file: Option<PathBuf>,
    /// Debate a question instead of a change. The built-in rules cannot do this
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["target", "staged", "worktree", "patch", "pathspecs", "file"], help_heading = "Target")]
    pub(crate) topic: Option<String>,

    /// Show what would be sent, to whom, and what it may cost; run no judge
    #[arg(long, conflicts_with_all = ["detach", "json", "format", "output"])]
    pub(crate) dry_run: bool,
    /// Review again, even if the same change already has a verdict
    #[arg(long)]
    pub(crate) fresh: bool,
    /// Run in the background; `git council wait` waits for the verdict
    #[arg(long, conflicts_with_all = ["json", "format", "output"])]
    pub(crate) detach: bool,
    /// Print only the run's name, as soon as it has one: `--detach` starts the review this way.
    #[arg(long, hide = true, conflicts_with = "detach")]
    pub(crate) announce: bool,

    #[command(flatten)]
    pub(crate) council: CouncilArgs,
    #[command(flatten)]
    pub(crate) modes: ModeArgs,
    #[command(flatten)]
    pub(crate) councillors: CouncillorArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) forge: GitHubArgs,
}

/// Who sits, by which rules.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Council")]
pub(crate) struct CouncilArgs {
    /// Use one judge and one round
    #[arg(long)]
    pub(crate) quick: bool,
    /// Use three judges instead of two (without an agent, the five built-in judges review as usual)
    #[arg(long, conflicts_with = "judges")]
    pub(crate) deep: bool,
    /// Run a second round: `force` always (plain --debate), `auto` if the judges disagree, `off` never
    #[arg(long, value_name = "MODE", num_args = 0..=1, require_equals = true, default_missing_value = "force", hide_possible_values = true)]
    pub(crate) debate: Option<DebateArg>,
    /// How the rounds go: quick, review, debate, cross-examination, staged
    #[arg(long, value_name = "NAME")]
    pub(crate) procedure: Option<String>,
    /// What decides: findings (the worst one that counts), strict (the worst vote), majority (of votes)
    #[arg(long, value_name = "RULE")]
    pub(crate) consensus: Option<String>,
    /// How many judges must answer for PASS or WARN
    #[arg(long, value_name = "N")]
    pub(crate) quorum: Option<String>,
    /// The number of judges
    #[arg(long, visible_alias = "count", value_name = "N")]
    pub(crate) judges: Option<String>,
    /// What each judge looks for, e.g. security,tests
    #[arg(long, value_name = "A,B,…")]
    pub(crate) perspectives: Option<String>,
    /// Use a named list of perspectives, e.g. code-review, security-audit, architecture
    #[arg(long, value_name = "NAME")]
    pub(crate) preset: Option<String>,
    /// The agents that act as judges: the first one for the first judge, and so on; `git council agents` lists them
    #[arg(long, value_name = "A,B,…")]
    pub(crate) agents: Option<String>,
    /// Extra instructions for this review, for judges that use a model; the project's own still apply
    #[arg(long, value_name = "TEXT")]
    pub(crate) instructions: Option<String>,
    /// How judges are run; `auto` takes the best of `git council backends`
    #[arg(long, value_name = "NAME")]
    pub(crate) backend: Option<String>,
    /// The most US dollars the run may cost; a call that could exceed it is not made
    #[arg(long, value_name = "USD", allow_negative_numbers = true)]
    pub(crate) max_cost: Option<String>,
    /// Time limit for the whole run, e.g. 90s or 10m
    #[arg(long, value_name = "TIME")]
    pub(crate) timeout: Option<String>,
    /// Time limit of each judge in round 1
    #[arg(long, value_name = "TIME")]
    pub(crate) r1_timeout: Option<String>,
    /// Time limit of each judge in round 2
    #[arg(long, value_name = "TIME")]
    pub(crate) r2_timeout: Option<String>,
    /// Skip files that match (gitignore pattern; repeatable)
    #[arg(long, value_name = "GLOB")]
    pub(crate) ignore: Vec<String>,
    /// Ignore council.toml of this worktree; read only the one that is already merged, as in CI
    #[arg(long, conflicts_with = "trust_worktree")]
    pub(crate) trusted_config: bool,
    /// Trust council.toml of this worktree and .git/config as if they were merged
    #[arg(long)]
    pub(crate) trust_worktree: bool,
}

/// Where the verdict goes.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArgs {
    /// Exit with code 1 on this verdict or worse: fail, warn
    #[arg(long, value_name = "VERDICT")]
    pub(crate) fail_on: Option<String>,
    /// The report's format: terminal, story, markdown, html, json, sarif, rdjson, agent, junit, checkstyle, gitlab
    #[arg(long, value_name = "NAME")]
    pub(crate) format: Option<String>,
    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
    /// Write the report to FILE, and show a readable one on standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Do not write to .agents/council/
    #[arg(long)]
    pub(crate) no_save: bool,
    #[arg(long, value_name = "FILE", help = EVENTS_HELP)]
    pub(crate) events: Option<PathBuf>,
}

/// `--events`, which several commands have.
pub(crate) const EVENTS_HELP: &str = "Write events to FILE as they happen, one JSON object per line. With `-` they go to standard output, and the report \
    to standard error";

/// `--debate`
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DebateArg {
    Auto,
    Force,
    Off,
}

impl DebateArg {
    fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Force => "force",
            Self::Off => "off",
        }
    }
}

impl CouncilArgs {
    fn checkout_use(&self) -> CheckoutUse {
        match (self.trusted_config, self.trust_worktree) {
            (true, _) => CheckoutUse::Ignored,
            (_, true) => CheckoutUse::Trusted,
            _ => CheckoutUse::AsConfigured,
        }
    }
}

impl ReviewArgs {
    /// What is asked for. A file of perspectives is read now: a run that is resumed asks for the same ones.
    pub(crate) fn to_request(&self, dir: &Path) -> Result<ReviewRequest, RunError> {
        if self
            .topic
            .as_ref()
            .is_some_and(|topic| topic.trim().is_empty())
        {
            return Err(RunError::usage("the question is empty")
                .hint("write what is to be debated: --topic 'Should we split the crate?'"));
        }
        let forge = [&self.forge.sarif, &self.forge.html];
        for file in forge.into_iter().chain([&self.output.output]).flatten() {
            check_output(&dir.join(file))?;
        }
        let mut flags = self.config_pairs();
        flags.extend(self.modes.perspective_pairs(dir)?);
        Ok(ReviewRequest {
            target: self.requested_target(),
            pathspecs: self.pathspecs.clone(),
            flags,
            checkout: self.council.checkout_use(),
            deep: self.council.deep,
            focus: Vec::new(),
            output: self.output.output.clone(),
        })
    }

    fn requested_target(&self) -> RequestedTarget {
        match (&self.file, &self.topic, &self.target, &self.patch) {
            (Some(file), ..) => RequestedTarget::Document(file.clone()),
            (_, Some(question), ..) => RequestedTarget::Question(question.clone()),
            (.., Some(target), _) => match target.split_once("..") {
                // What a job says was there before a push may be as little merged as the push.
                Some((from, to)) if self.ci && !to.starts_with('.') => {
                    RequestedTarget::Unmerged(UnmergedRange {
                        from: from.to_owned(),
                        to: to.to_owned(),
                        remote: Some("origin".to_owned()),
                    })
                }
                _ => RequestedTarget::Revision(target.clone()),
            },
            (.., Some(file)) => RequestedTarget::Patch(file.clone()),
            _ if self.staged => RequestedTarget::Staged,
            _ if self.worktree => RequestedTarget::Worktree,
            _ => RequestedTarget::Branch,
        }
    }

    /// The flags as the strongest layer of the configuration.
    pub(crate) fn config_pairs(&self) -> Vec<KeyValue> {
        let (council, output) = (&self.council, &self.output);
        let with_value = [
            ("review.procedure", &council.procedure, "--procedure"),
            ("review.consensus", &council.consensus, "--consensus"),
            ("review.quorum", &council.quorum, "--quorum"),
            ("review.judges", &council.judges, "--judges"),
            (
                "review.perspectives",
                &council.perspectives,
                "--perspectives",
            ),
            ("review.preset", &council.preset, "--preset"),
            ("review.agents", &council.agents, "--agents"),
            (
                "review.instructions",
                &council.instructions,
                "--instructions",
            ),
            ("review.backend", &council.backend, "--backend"),
            ("limits.cost", &council.max_cost, "--max-cost"),
            ("timeouts.run", &council.timeout, "--timeout"),
            ("timeouts.r1", &council.r1_timeout, "--r1-timeout"),
            ("timeouts.r2", &council.r2_timeout, "--r2-timeout"),
            ("review.fail-on", &output.fail_on, "--fail-on"),
            ("output.format", &output.format, "--format"),
        ];
        let given = |(key, value, flag): (&str, &Option<String>, &str)| {
            value.as_ref().map(|value| KeyValue::new(key, value, flag))
        };
        let mut pairs: Vec<KeyValue> = with_value.into_iter().filter_map(given).collect();
        pairs.extend(
            council
                .ignore
                .iter()
                .map(|glob| KeyValue::new("review.ignore", glob, "--ignore")),
        );
        if let Some(debate) = council.debate {
            pairs.push(KeyValue::new("review.debate", debate.as_str(), "--debate"));
            // A procedure of the configuration that says otherwise is overruled.
            if debate != DebateArg::Off && council.procedure.is_none() {
                pairs.push(KeyValue::new("review.procedure", "review", "--debate"));
            }
        }
        pairs.extend(self.modes.config_pairs());
        if self.modes.intensity.is_some() && council.procedure.is_none() {
            pairs.push(KeyValue::new("review.procedure", "staged", "--intensity"));
        }
        pairs.extend(self.councillors.config_pairs());
        if let Some(flag) = self.councillors.first_flag()
            && council.procedure.is_none()
        {
            pairs.push(KeyValue::new(
                "review.procedure",
                councillors::PROCEDURE,
                flag,
            ));
        }
        let switches = [
            (council.quick, "review.procedure", "quick", "--quick"),
            (output.json, "output.format", "json", "--json"),
            (output.no_save, "output.save", "false", "--no-save"),
        ];
        let on = switches.into_iter().filter(|(on, ..)| *on);
        pairs.extend(on.map(|(_, key, value, flag)| KeyValue::new(key, value, flag)));
        pairs
    }
}

impl ReviewArgs {
    /// One judge and one round: whatever asks for more is not dropped in silence.
    fn check_quick(&self) -> Result<(), RunError> {
        let council = &self.council;
        let has_several = |list: &Option<String>| list.as_deref().is_some_and(|l| l.contains(','));
        let count = council
            .judges
            .as_deref()
            .and_then(|n| n.parse::<u32>().ok());
        let procedure = council.procedure.as_deref();
        let more = [
            (count > Some(1), "--judges", "asks for more"),
            (has_several(&council.agents), "--agents", "names more"),
            (
                has_several(&council.perspectives),
                "--perspectives",
                "names more",
            ),
            (
                procedure.is_some_and(|name| name != "quick"),
                "--procedure",
                "asks for more",
            ),
            (self.modes.mixed, "--mixed", "asks for more"),
        ];
        let Some((_, flag, why)) = more.into_iter().find(|(is_given, ..)| *is_given) else {
            return Ok(());
        };
        let refused = RunError::usage(format!("--quick asks one judge, and {flag} {why}"));
        Err(refused.hint(format!("leave out one of --quick and {flag}")))
    }

    /// Refuses flags that contradict each other. Scripts look for the texts: they never change.
    pub(crate) fn check_conflicts(&self) -> Result<(), RunError> {
        let quick = self.council.quick || self.council.procedure.as_deref() == Some("quick");
        let debates = self
            .council
            .debate
            .is_some_and(|mode| mode != DebateArg::Off);
        if quick && debates {
            return Err(RunError::usage("--quick and --debate are incompatible."));
        }
        if quick && self.council.deep {
            return Err(RunError::usage("--quick and --deep are incompatible.")
                .hint("--quick asks one judge, --deep three: leave out one of them"));
        }
        if quick {
            self.check_quick()?;
        }
        if self.council.procedure.as_deref() == Some("debate")
            && self.council.debate == Some(DebateArg::Off)
        {
            let refused = "--procedure debate has a second round, and --debate=off has none";
            return Err(RunError::usage(refused).hint("leave out one of them"));
        }
        if self.modes.intensity.is_some() {
            let is_other = |name: &str| name != "staged";
            let other = [
                (
                    self.council.procedure.as_deref().is_some_and(is_other),
                    "--procedure",
                ),
                (self.council.quick, "--quick"),
                (self.council.debate.is_some(), "--debate"),
            ];
            if let Some((_, flag)) = other.into_iter().find(|(given, _)| *given) {
                let message = format!(
                    "--intensity selects a staged debate, but {flag} selects something else"
                );
                return Err(RunError::usage(message)
                    .hint(format!("leave out one of --intensity and {flag}")));
            }
        }
        let procedure = self.council.procedure.as_deref();
        let examined = procedure == Some(councillors::PROCEDURE);
        if examined && self.council.debate.is_some() {
            let refused = RunError::usage(
                "a cross-examination always has rounds, so --debate does not apply",
            );
            return Err(refused.hint("say how many: --rounds N"));
        }
        let other = [
            (self.council.quick, "--quick"),
            (self.council.debate.is_some(), "--debate"),
            (self.modes.intensity.is_some(), "--intensity"),
            (procedure.is_some() && !examined, "--procedure"),
        ];
        let other = other
            .into_iter()
            .find_map(|(given, flag)| given.then_some(flag));
        self.councillors.check_conflict(other)
    }
}

#[cfg(test)]
#[path = "review_args_tests.rs"]
mod tests;
