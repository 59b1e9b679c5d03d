//! Whether commits came here as a request of others: a pull request that was fetched, under whatever name it lies.

use std::path::Path;

use council_files as safe_file;

use super::env::GitEnvironment;
use super::error::GitError;
use super::id::ObjectId;
use super::open;
use super::repository::OpenRepository;
use super::repository_paths::RepositoryPaths;

/// Where forges keep the requests of a repository.
const REQUESTS: [&str; 4] = [
    "refs/pull/",
    "refs/merge-requests/",
    "refs/pull-requests/",
    "refs/changes/",
];

/// Where the commits lie that somebody here, or whoever may write to a remote, has taken on.
const OWN: [&str; 3] = ["refs/heads/", "refs/remotes/", "refs/tags/"];

/// How many commits of a side are looked at.
const MAX_COMMITS: usize = 10_000;

/// Whether a commit, or one before it, is known as a request of others, and to no branch: by the refs of forges, by the
/// places that a remote is configured to fetch them to, or by what was fetched last. A branch that somebody makes of a
/// request is a branch.
///
/// # Errors
///
/// As opening the repository, and histories that cannot be read.
pub fn is_of_request(dir: &Path, env: &GitEnvironment, commit: &str) -> Result<bool, GitError> {
    let store = open::open_repository(dir, env)?;
    let Some((tip, _)) = store.resolve_name(commit)? else {
        return Ok(false);
    };
    let places = request_places(&store)?;
    let is_request = |name: &str| places.iter().any(|place| name.starts_with(place.as_str()));
    let (mut own, mut requests) = (Vec::new(), fetched_last(dir, env, &store)?);
    for prefix in OWN {
        for (name, id) in store.refs_below(prefix)? {
            // A name may stand for another one.
            let leads_to_request = store
                .symbolic_target(&name)
                .is_some_and(|target| is_request(&target));
            match is_request(&name) || leads_to_request {
                true => requests.push(id),
                false => own.push(id),
            }
        }
    }
    for place in places.iter().filter(|place| !is_below_own(place)) {
        requests.extend(store.refs_below(place)?.into_iter().map(|(_, id)| id));
    }
    if requests.is_empty() {
        return Ok(false);
    }
    let new = store.walk_commits(tip, &own, MAX_COMMITS)?.len();
    own.extend(requests);
    // Of what no branch has, a request has a part; what is too long to tell may be one.
    Ok(new == MAX_COMMITS || store.walk_commits(tip, &own, MAX_COMMITS)?.len() < new)
}

fn is_below_own(place: &str) -> bool {
    OWN.iter().any(|own| place.starts_with(own))
}

/// What the names of requests begin with: those of forges, and where the configuration of a remote puts them.
fn request_places(store: &OpenRepository) -> Result<Vec<String>, GitError> {
    let mut places: Vec<String> = REQUESTS.map(str::to_owned).into();
    for entry in store.config_matching(r"^remote\..*\.fetch$")? {
        let Some((from, to)) = entry.value.trim_start_matches('+').split_once(':') else {
            continue;
        };
        if REQUESTS.iter().any(|place| from.starts_with(place)) {
            places.push(to.split('*').next().unwrap_or(to).to_owned());
        }
    }
    places.retain(|place| place.starts_with("refs/") && !OWN.contains(&place.as_str()));
    Ok(places)
}

/// The commits that `git fetch` has noted.
fn fetched_last(
    dir: &Path,
    env: &GitEnvironment,
    store: &OpenRepository,
) -> Result<Vec<ObjectId>, GitError> {
    let Some(git_dir) = RepositoryPaths::discover(dir, env)?.git_dir else {
        return Ok(Vec::new());
    };
    let text = safe_file::read_text(git_dir.join("FETCH_HEAD")).unwrap_or_default();
    let mut fetched = Vec::new();
    for id in text
        .lines()
        .filter_map(|line| line.split_whitespace().next())
    {
        fetched.extend(store.resolve_name(id)?.map(|(commit, _)| commit));
    }
    Ok(fetched)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Repo;

    /// By whatever name it lies here, a request is one until somebody makes a branch of it.
    #[test]
    fn a_request_is_known_by_what_its_name_leads_to() {
        for place in [
            "refs/pull/7/head",
            "refs/merge-requests/7/head",
            "refs/pull-requests/7/from",
            "refs/changes/07/7/1",
            "refs/remotes/origin/pr/7",
            "refs/own/7",
        ] {
            let repo = Repo::new();
            repo.write("a", "1").commit("Base");
            repo.git(&["branch", "-m", "main"]);
            repo.git(&["config", "remote.origin.url", "x"]);
            for to in ["refs/remotes/origin/pr/*", "refs/own/*"] {
                let spec = format!("+refs/pull/*/head:{to}");
                repo.git(&["config", "--add", "remote.origin.fetch", &spec]);
            }
            let is_one =
                |commit: &str| is_of_request(repo.path(), &Repo::env(&[]), commit).unwrap();
            repo.git(&["checkout", "--quiet", "--detach"]);
            repo.write("a", "2").commit("Request");
            assert!(!is_one("HEAD"), "{place}: nobody has asked for it");
            repo.git(&["update-ref", place, "HEAD"]);
            let short = place.trim_start_matches("refs/");
            for name in ["HEAD", place, short] {
                assert!(is_one(name), "{place}: {name}");
            }
            assert!(!is_one("main"));
            // Nor is what stands on top of it.
            repo.write("a", "3").commit("More");
            assert!(is_one("HEAD"), "{place}");
            repo.git(&["symbolic-ref", "refs/heads/alias", place]);
            assert!(is_one(place) && is_one("alias"), "{place}");
            repo.git(&["branch", "mine"]);
            assert!(
                !is_one("HEAD") && !is_one("mine") && !is_one(place),
                "{place}"
            );
        }
    }
}
