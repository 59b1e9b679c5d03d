//! The forge as this process reaches it: addresses and token from the environment, the repository from it or a remote.

use crate::git;
use crate::publish::{ApiClient, GitHubApi, GitHubError, RepoSlug};
use crate::run::context::RunContext;
use crate::run::error::RunError;
use crate::text::{Untrusted, encode_base64};

use super::request::{EVENT_NAME, GitHubRequest, no_event};

/// GitHub, unless the environment names another server.
const SERVER: &str = "https://github.com";
const API: &str = "https://api.github.com";

/// A repository on a forge.
pub(crate) struct GitHubSession {
    client: Box<dyn ApiClient>,
    pub(crate) slug: RepoSlug,
    /// `GITHUB_SERVER_URL`, without a slash at its end.
    pub(crate) server: String,
    /// The page of the job, where there is one.
    pub(crate) job_url: Option<String>,
    /// What `git` is told to fetch with, where the job's token is all there is.
    header: Option<(String, String)>,
    /// Whether we have a token at all.
    pub(crate) has_token: bool,
}

impl GitHubSession {
    pub(crate) fn open(args: &GitHubRequest, start: &RunContext) -> Result<Self, RunError> {
        let var = |name: &str| {
            start
                .environment
                .get(name)
                .and_then(|value| value.to_str())
                .map(str::to_owned)
        };
        // Before anything else that a terminal lacks: whoever writes --event by hand is told that it belongs to a job.
        if args.event && var(EVENT_NAME).is_none() {
            return Err(no_event(EVENT_NAME));
        }
        let server = var("GITHUB_SERVER_URL").unwrap_or_else(|| SERVER.to_owned());
        let server = server.trim_end_matches('/').to_owned();
        let slug = find_repository(args, var("GITHUB_REPOSITORY"), &server, start)?;
        let token = var("GITHUB_TOKEN").or_else(|| var("GH_TOKEN"));
        let api = var("GITHUB_API_URL").unwrap_or_else(|| API.to_owned());
        let graphql = var("GITHUB_GRAPHQL_URL").unwrap_or_else(|| graphql_of(&api));
        let in_job = var("GITHUB_ACTIONS").is_some();
        let header = token.as_ref().filter(|_| in_job).map(|token| {
            let basic = encode_base64(format!("x-access-token:{token}").as_bytes());
            (
                format!("{server}/"),
                format!("AUTHORIZATION: basic {basic}"),
            )
        });
        let job_url = var("GITHUB_RUN_ID").map(|run| format!("{server}/{slug}/actions/runs/{run}"));
        Ok(Self {
            has_token: token.is_some(),
            client: client(api, graphql, token, start)?,
            slug,
            server,
            job_url,
            header,
        })
    }

    pub(crate) fn open_api(&self) -> GitHubApi<'_> {
        GitHubApi::new(&*self.client, self.slug.clone())
    }

    /// Brings refs of the repository here.
    pub(crate) fn fetch_refs(
        &self,
        start: &RunContext,
        wanted: &[git::fetch::WantedRef],
    ) -> Result<(), RunError> {
        let env = start.git_environment();
        let remotes = git::fetch::remote_urls(&start.dir, &env).unwrap_or_default();
        let ours = remotes
            .iter()
            .find(|(_, url)| slug_of(url).as_ref() == Some(&self.slug));
        let address = format!("{}/{}.git", self.server, self.slug);
        let source = git::fetch::FetchSource {
            remote: ours.map_or(address.as_str(), |(name, _)| name),
            vars: start.environment.vars().collect(),
            header: self.header.clone(),
        };
        git::fetch::fetch_refs(&start.dir, &env, &source, wanted).map_err(|error| {
            RunError::run(format!("cannot fetch from {}: {error}", self.slug))
                .hint(fetch_hint(&git::fetch::ignored_keys(&start.dir, &env)))
        })
    }
}

/// What to do about a fetch that failed, where the repository's own configuration has `keys` that had no part in it.
fn fetch_hint(keys: &[String]) -> String {
    let Some(first) = keys.first() else {
        return "check that `git fetch` works here".to_owned();
    };
    let shown = |key: &String| Untrusted::new(key).line().to_string();
    let keys: Vec<String> = keys.iter().map(shown).collect();
    format!(
        "not used, because a repository's own configuration may name programs and servers: {}. If the fetch needs it, put \
         it into your own: git config --global {} …",
        keys.join(", "),
        Untrusted::new(first).line()
    )
}

#[cfg(feature = "github")]
fn client(
    api: String,
    graphql: String,
    token: Option<String>,
    start: &RunContext,
) -> Result<Box<dyn ApiClient>, RunError> {
    use crate::publish::{ApiToken, GitHub, GitHubAccess};
    let named = |(name, value): (std::ffi::OsString, _)| Some((name.into_string().ok()?, value));
    let access = GitHubAccess {
        api,
        graphql,
        token: token.map(ApiToken),
        env: start.environment.vars().filter_map(named).collect(),
    };
    let opened = GitHub::new(&access)
        .map_err(|error| RunError::usage(format!("cannot speak with {}: {error}", access.api)))?;
    Ok(Box::new(opened))
}

#[cfg(not(feature = "github"))]
fn client(
    _: String,
    _: String,
    _: Option<String>,
    _: &RunContext,
) -> Result<Box<dyn ApiClient>, RunError> {
    Err(RunError::usage(
        "this program was built without the feature `github`",
    ))
}

/// GraphQL beside REST, on GitHub and on an Enterprise Server.
fn graphql_of(api: &str) -> String {
    let api = api.trim_end_matches('/');
    format!("{}/graphql", api.strip_suffix("/v3").unwrap_or(api))
}

fn find_repository(
    args: &GitHubRequest,
    variable: Option<String>,
    server: &str,
    start: &RunContext,
) -> Result<RepoSlug, RunError> {
    if let Some(named) = args.repo.as_ref().or(variable.as_ref()) {
        return RepoSlug::parse(named).ok_or_else(|| {
            RunError::usage(format!("{named:?} is not a repository")).hint("write it as owner/name")
        });
    }
    let remotes = git::fetch::remote_urls(&start.dir, &start.git_environment()).unwrap_or_default();
    let mut ours: Vec<_> = remotes
        .iter()
        .filter(|(_, url)| host_of(url) == host_of(server))
        .filter_map(|(name, url)| Some((name != "upstream", name != "origin", slug_of(url)?)))
        .collect();
    // A fork's pull requests are those of the repository that it came from.
    ours.sort_by_key(|(upstream, origin, _)| (*upstream, *origin));
    let first = ours.into_iter().next().map(|(_, _, slug)| slug);
    first.ok_or_else(|| {
        RunError::usage(format!("no remote of this repository points to {server}"))
            .hint("name the repository whose pull request it is: --repo owner/name")
    })
}

/// The host of an address: `https://host/…`, `ssh://git@host:22/…` or `git@host:…`.
fn host_of(url: &str) -> Option<&str> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let rest = rest.split_once('@').map_or(rest, |(_, rest)| rest);
    rest.split(['/', ':'])
        .next()
        .filter(|host| !host.is_empty())
}

/// The last two parts of an address.
fn slug_of(url: &str) -> Option<RepoSlug> {
    let trimmed = url.trim_end_matches('/').trim_end_matches(".git");
    let mut parts = trimmed.rsplit(['/', ':']);
    let (name, owner) = (parts.next()?, parts.next()?);
    RepoSlug::parse(&format!("{owner}/{name}"))
}

impl From<GitHubError> for RunError {
    fn from(error: GitHubError) -> Self {
        let hint = error.hint();
        Self::run(error).hints(hint.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_in_every_form() {
        for url in [
            "https://github.com/o/n.git",
            "git@github.com:o/n.git",
            "ssh://git@github.com:22/o/n",
            "https://u@github.com/o/n/",
        ] {
            assert_eq!(slug_of(url).unwrap().to_string(), "o/n", "{url}");
            assert_eq!(host_of(url), Some("github.com"), "{url}");
        }
    }

    #[test]
    fn graphql_stands_beside_rest() {
        assert_eq!(
            graphql_of("https://api.github.com"),
            "https://api.github.com/graphql"
        );
        assert_eq!(
            graphql_of("https://ghe.example/api/v3/"),
            "https://ghe.example/api/graphql"
        );
    }
}
