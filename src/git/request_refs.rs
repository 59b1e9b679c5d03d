//! Whether a commit is one of ours, or may be a stranger's: a pull request that was fetched, under whatever name it
//! lies.

use std::path::Path;

use super::env::GitEnvironment;
use super::error::GitError;
use super::open;
use super::repository::OpenRepository;

/// Where forges keep the requests of a repository.
const REQUESTS: [&str; 4] = [
    "refs/pull/",
    "refs/merge-requests/",
    "refs/pull-requests/",
    "refs/changes/",
];

/// Where the branches of this repository lie.
const BRANCHES: &str = "refs/heads/";

/// The branch that is worked on at the place from which a repository was cloned.
const DEFAULT_OF_ORIGIN: &str = "refs/remotes/origin/HEAD";

/// Whether a commit is one that somebody here has taken on: a branch of this repository has it, or the default branch
/// of `origin`. All else may be a stranger's, by whatever name it lies here: what was fetched, a tag or a branch of
/// another remote that was made of it. Nothing in a repository says where such a commit came from. A branch that
/// somebody makes of a request is a branch.
///
/// # Errors
///
/// As opening the repository, and histories that cannot be read.
pub fn is_taken_on(dir: &Path, env: &GitEnvironment, commit: &str) -> Result<bool, GitError> {
    let store = open::open_repository(dir, env)?;
    let Some((tip, _)) = store.resolve_name(commit)? else {
        return Ok(false);
    };
    let places = request_places(&store)?;
    let is_own = |name: &str| {
        name.starts_with(BRANCHES) && !places.iter().any(|place| name.starts_with(place.as_str()))
    };
    let mut own = Vec::new();
    for (name, id) in store.refs_below(BRANCHES)? {
        // A name may stand for another one.
        let target = store.symbolic_target(&name);
        if is_own(&name) && target.is_none_or(|target| is_own(&target)) {
            own.push(id);
        }
    }
    if let Some(target) = store.symbolic_target(DEFAULT_OF_ORIGIN)
        && target.starts_with("refs/remotes/origin/")
    {
        own.extend(store.resolve_name(&target)?.map(|(id, _)| id));
    }
    Ok(store.walk_commits(tip, &own, 1)?.is_empty())
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
    places.retain(|place| place.starts_with("refs/") && place != BRANCHES);
    Ok(places)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Repo;

    /// By whatever name it lies here, what no branch has is a stranger's until somebody makes a branch of it.
    #[test]
    fn what_no_branch_has_is_taken_on_by_nobody() {
        for place in [
            "refs/pull/7/head",
            "refs/merge-requests/7/head",
            "refs/pull-requests/7/from",
            "refs/changes/07/7/1",
            "refs/remotes/origin/pr/7",
            "refs/remotes/origin/feature",
            "refs/remotes/alice/feature",
            "refs/tags/pr7",
            "refs/heads/pr/7",
            "refs/own/7",
            "refs/worktree/7",
        ] {
            let repo = Repo::new();
            repo.write("a", "1").commit("Base");
            repo.git(&["branch", "-m", "main"]);
            repo.git(&["config", "remote.origin.url", "x"]);
            let spec = "+refs/pull/*/head:refs/heads/pr/*";
            repo.git(&["config", "--add", "remote.origin.fetch", spec]);
            let taken_on =
                |commit: &str| is_taken_on(repo.path(), &Repo::env(&[]), commit).unwrap();
            repo.git(&["checkout", "--quiet", "--detach"]);
            assert!(taken_on("HEAD") && taken_on("main"));
            repo.write("a", "2").commit("Request");
            assert!(!taken_on("HEAD"), "{place}: no branch has it");
            repo.git(&["update-ref", place, "HEAD"]);
            let short = place.trim_start_matches("refs/");
            for name in ["HEAD", place, short] {
                assert!(!taken_on(name), "{place}: {name}");
            }
            assert!(taken_on("main"));
            // Nor is what stands on top of it.
            repo.write("a", "3").commit("More");
            assert!(!taken_on("HEAD"), "{place}");
            repo.git(&["symbolic-ref", "refs/heads/alias", place]);
            assert!(!taken_on(place) && !taken_on("alias"), "{place}");
            repo.git(&["branch", "mine"]);
            for name in ["HEAD", "mine", place] {
                assert!(taken_on(name), "{place}: {name}");
            }
        }
    }

    /// What was merged where this repository came from is nobody's request any more; what else lies there may be one.
    #[test]
    fn the_default_branch_of_the_origin_is_taken_on() {
        let repo = Repo::new();
        repo.write("a", "1").commit("Base");
        repo.git(&["branch", "-m", "main"]);
        repo.git(&["checkout", "--quiet", "--detach"]);
        repo.write("a", "2").commit("Merged");
        repo.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
        let taken_on = |commit: &str| is_taken_on(repo.path(), &Repo::env(&[]), commit).unwrap();
        assert!(!taken_on("HEAD"), "nobody says which branch is the default");
        repo.git(&[
            "symbolic-ref",
            DEFAULT_OF_ORIGIN,
            "refs/remotes/origin/main",
        ]);
        assert!(taken_on("HEAD") && taken_on("HEAD~1"));
        repo.git(&["symbolic-ref", DEFAULT_OF_ORIGIN, "refs/pull/7/head"]);
        repo.git(&["update-ref", "refs/pull/7/head", "HEAD"]);
        assert!(!taken_on("HEAD"));
    }
}
