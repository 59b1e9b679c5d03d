//! The flags about GitHub.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::publish::Surface;
use crate::run::github::publishing::PublishRequest;
use crate::run::github::request::GitHubRequest;

/// Where on GitHub, and as what.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "GitHub")]
pub(crate) struct GitHubArgs {
    /// The pull request; your own git fetches it, and nothing is checked out
    #[arg(long, value_name = "N", conflicts_with = "event", value_parser = parse_number)]
    pub(crate) pr: Option<u64>,
    /// In a job of a workflow: take the pull request, or other change, from the event that started the job
    /// (GITHUB_EVENT_NAME, GITHUB_EVENT_PATH)
    #[arg(long)]
    pub(crate) event: bool,
    /// Where to publish: comment, check, review, status, summary, annotations, outputs
    #[arg(
        long,
        value_name = "A,B,…",
        value_enum,
        value_delimiter = ',',
        hide_possible_values = true
    )]
    pub(crate) publish: Vec<SurfaceArg>,
    /// The repository, `owner/name` [default: GITHUB_REPOSITORY, else the remote]
    #[arg(long, value_name = "REPO")]
    pub(crate) repo: Option<String>,
    /// The council's name; give two councils on one pull request different names
    #[arg(long, value_name = "NAME", default_value = "git-council")]
    pub(crate) council_name: String,
    /// Post at most N comments on lines
    #[arg(long, value_name = "N", default_value_t = crate::publish::MAX_INLINE)]
    pub(crate) inline: usize,
    /// End the check as `neutral` if the verdict is INCONCLUSIVE, instead of `action_required`
    #[arg(long)]
    pub(crate) advisory: bool,
    /// Read configuration and instructions from the pull request's base branch, not the default branch
    #[arg(long)]
    pub(crate) trust_base: bool,
    /// Review every file again, even those unchanged since the last review
    #[arg(long)]
    pub(crate) full: bool,
    /// Also write a SARIF report to FILE, for code scanning
    #[arg(long, value_name = "FILE")]
    pub(crate) sarif: Option<PathBuf>,
    /// Also write the report to FILE as one page for a browser
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
}

/// The number of a pull request, as it stands in its address.
fn parse_number(text: &str) -> Result<u64, String> {
    let number = text.trim_start_matches('#').parse();
    number.map_err(|_| "the number of a pull request is meant, e.g. 12".to_owned())
}

impl GitHubArgs {
    /// Whether GitHub takes part at all.
    pub(crate) fn is_requested(&self) -> bool {
        self.pr.is_some() || self.event || !self.publish.is_empty()
    }

    /// Whether everything that is asked for is shown by the job itself: then no pull request has to be named.
    pub(crate) fn is_of_job(&self) -> bool {
        let mut surfaces = self.requested_surfaces();
        self.pr.is_none() && !self.event && surfaces.all(|surface| surface.is_of_job())
    }

    /// The part of it that says what is reviewed.
    pub(crate) fn to_request(&self) -> GitHubRequest {
        GitHubRequest {
            pr: self.pr,
            event: self.event,
            repo: self.repo.clone(),
            council_name: self.council_name.clone(),
            trust_base: self.trust_base,
            wants_check: self.publish.contains(&SurfaceArg::Check),
        }
    }

    /// All of it.
    pub(crate) fn to_publish_request(&self) -> PublishRequest {
        PublishRequest {
            about: self.to_request(),
            surfaces: self.requested_surfaces().collect(),
            inline: self.inline,
            advisory: self.advisory,
            full: self.full,
            sarif: self.sarif.clone(),
            html: self.html.clone(),
        }
    }

    /// The surfaces that are asked for.
    pub(crate) fn requested_surfaces(&self) -> impl Iterator<Item = Surface> {
        self.publish.iter().map(|&surface| surface.into())
    }
}

/// `--publish`
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SurfaceArg {
    Comment,
    Check,
    Review,
    Status,
    Summary,
    Annotations,
    Outputs,
}

impl From<SurfaceArg> for Surface {
    fn from(arg: SurfaceArg) -> Self {
        match arg {
            SurfaceArg::Comment => Self::Comment,
            SurfaceArg::Check => Self::Check,
            SurfaceArg::Review => Self::Review,
            SurfaceArg::Status => Self::Status,
            SurfaceArg::Summary => Self::Summary,
            SurfaceArg::Annotations => Self::Annotations,
            SurfaceArg::Outputs => Self::Outputs,
        }
    }
}
