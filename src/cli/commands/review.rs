//! `git council review`: one change, several judges, one verdict.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::config::Pair;

/// Review a change and give one verdict
///
/// Without TARGET: the current branch against the merge base with its upstream, else with the default branch.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ReviewArgs {
    /// A commit, `A..B` or `A...B`
    #[arg(value_name = "TARGET", conflicts_with_all = ["staged", "worktree", "patch"])]
    pub(crate) target: Option<String>,
    /// Only these files (git pathspecs)
    #[arg(value_name = "PATHSPEC", last = true)]
    pub(crate) pathspecs: Vec<String>,
    /// The index against HEAD
    #[arg(long, visible_alias = "cached", conflicts_with_all = ["worktree", "patch"], help_heading = "Target")]
    pub(crate) staged: bool,
    /// The worktree against HEAD, untracked files included
    #[arg(long, conflicts_with = "patch", help_heading = "Target")]
    pub(crate) worktree: bool,
    /// A unified diff from a file, or `-` for standard input
    #[arg(long, value_name = "FILE", help_heading = "Target")]
    pub(crate) patch: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) council: CouncilArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Who sits, by which rules.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Council")]
pub(crate) struct CouncilArgs {
    /// One judge, one round
    #[arg(long)]
    pub(crate) quick: bool,
    /// Three judges instead of two (the five built-in ones stay)
    #[arg(long, conflicts_with = "judges")]
    pub(crate) deep: bool,
    /// Run a second round: `force` (bare), `auto` on a split, `off`
    #[arg(long, value_name = "MODE", num_args = 0..=1, require_equals = true, default_missing_value = "force")]
    pub(crate) debate: Option<DebateArg>,
    /// The rules of the rounds: quick, review, debate
    #[arg(long, value_name = "NAME")]
    pub(crate) procedure: Option<String>,
    /// What decides: findings, strict, majority
    #[arg(long, value_name = "RULE")]
    pub(crate) consensus: Option<String>,
    /// How many judges must count for PASS or WARN
    #[arg(long, value_name = "N")]
    pub(crate) quorum: Option<String>,
    /// How many judges sit
    #[arg(long, visible_alias = "count", value_name = "N")]
    pub(crate) judges: Option<String>,
    /// What the judges look for, one each
    #[arg(long, value_name = "A,B,…")]
    pub(crate) perspectives: Option<String>,
    /// A named list of perspectives
    #[arg(long, value_name = "NAME", conflicts_with = "perspectives")]
    pub(crate) preset: Option<String>,
    /// Which agents think for the judges, in turn
    #[arg(long, value_name = "A,B,…")]
    pub(crate) agents: Option<String>,
    /// How judges are run; `auto` takes the best that is here
    #[arg(long, value_name = "NAME")]
    pub(crate) backend: Option<String>,
    /// How long the whole run may take
    #[arg(long, value_name = "TIME")]
    pub(crate) timeout: Option<String>,
    /// How long a judge has for round 1
    #[arg(long, value_name = "TIME")]
    pub(crate) r1_timeout: Option<String>,
    /// How long a judge has for round 2
    #[arg(long, value_name = "TIME")]
    pub(crate) r2_timeout: Option<String>,
    /// Files that need no review (gitignore patterns)
    #[arg(long, value_name = "GLOB")]
    pub(crate) ignore: Vec<String>,
    /// Read council.toml and instructions from the trusted branch only, as in CI
    #[arg(long)]
    pub(crate) trusted_config: bool,
}

/// Where the verdict goes.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArgs {
    /// The mildest verdict that ends with exit code 1: fail, warn
    #[arg(long, value_name = "VERDICT")]
    pub(crate) fail_on: Option<String>,
    /// The shape of the report: terminal, markdown, json
    #[arg(long, value_name = "NAME")]
    pub(crate) format: Option<String>,
    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
    /// Write the report to FILE; standard output then shows it for a person
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Write nothing to .agents/council/
    #[arg(long)]
    pub(crate) no_save: bool,
}

/// `--debate`
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DebateArg {
    Auto,
    Force,
    Off,
}

impl DebateArg {
    fn word(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Force => "force",
            Self::Off => "off",
        }
    }
}

impl ReviewArgs {
    /// The flags as the strongest layer of the configuration.
    pub(crate) fn pairs(&self) -> Vec<Pair> {
        let (council, output) = (&self.council, &self.output);
        let with_value = [
            ("review.procedure", &council.procedure, "--procedure"),
            ("review.consensus", &council.consensus, "--consensus"),
            ("review.quorum", &council.quorum, "--quorum"),
            ("review.judges", &council.judges, "--judges"),
            ("review.perspectives", &council.perspectives, "--perspectives"),
            ("review.preset", &council.preset, "--preset"),
            ("review.agents", &council.agents, "--agents"),
            ("review.backend", &council.backend, "--backend"),
            ("timeouts.run", &council.timeout, "--timeout"),
            ("timeouts.r1", &council.r1_timeout, "--r1-timeout"),
            ("timeouts.r2", &council.r2_timeout, "--r2-timeout"),
            ("review.fail-on", &output.fail_on, "--fail-on"),
            ("output.format", &output.format, "--format"),
        ];
        let given = |(key, value, flag): (&str, &Option<String>, &str)| {
            value.as_ref().map(|value| Pair::new(key, value, flag))
        };
        let mut pairs: Vec<Pair> = with_value.into_iter().filter_map(given).collect();
        pairs.extend(council.ignore.iter().map(|glob| Pair::new("review.ignore", glob, "--ignore")));
        if let Some(debate) = council.debate {
            pairs.push(Pair::new("review.debate", debate.word(), "--debate"));
        }
        let switches = [
            (council.quick, "review.procedure", "quick", "--quick"),
            (output.json, "output.format", "json", "--json"),
            (output.no_save, "output.save", "false", "--no-save"),
        ];
        let on = switches.into_iter().filter(|(on, ..)| *on);
        pairs.extend(on.map(|(_, key, value, flag)| Pair::new(key, value, flag)));
        pairs
    }
}
