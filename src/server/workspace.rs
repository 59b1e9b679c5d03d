//! In which folder a call works: the workspace that the client names, and not wherever the client started the server.

use std::path::{Path, PathBuf};
use std::time::Duration;

use percent_encoding::percent_decode_str;
use rmcp::RoleServer;
use rmcp::service::RequestContext;
use serde_json::Value;

use crate::git::{self, RepositoryPaths};
use crate::run::context::RunContext;
use crate::safe_file;
use crate::text::Untrusted;

/// How long a client may take to say where it works.
const ROOTS_TIMEOUT: Duration = Duration::from_secs(5);

/// The context in the folder that a call is about, which may be named in its arguments.
pub(super) async fn in_workspace(
    start: RunContext,
    arguments: &Value,
    context: &RequestContext<RoleServer>,
) -> Result<RunContext, String> {
    let roots = client_roots(context).await;
    let named = arguments["folder"].as_str().map(str::trim);
    let named = named.filter(|folder| !folder.is_empty());
    let start = match named.is_some() || !roots.is_empty() {
        // Variables such as GIT_DIR name the repository of the folder that it was started in.
        true => RunContext {
            environment: start.environment.without_vars(git::is_local),
            ..start
        },
        false => start,
    };
    let folder = match named {
        Some(folder) => allowed_folder(Path::new(folder), &roots, &start)?,
        None => workspace_folder(&roots, &start)?,
    };
    if folder == start.dir {
        return Ok(start);
    }
    Ok(RunContext {
        named_dir: Some(folder.clone()),
        dir: folder,
        ..start
    })
}

/// The folders that a client works in, where it names them.
#[expect(
    deprecated,
    reason = "clients of every version but the newest tell their workspace in this way"
)]
async fn client_roots(context: &RequestContext<RoleServer>) -> Vec<PathBuf> {
    let hello = context.peer.peer_info();
    if hello.is_none_or(|hello| hello.capabilities.roots.is_none()) {
        return Vec::new();
    }
    let asked = tokio::time::timeout(ROOTS_TIMEOUT, context.peer.list_roots()).await;
    let listed = asked.ok().and_then(Result::ok);
    let uris = listed.into_iter().flat_map(|listed| listed.roots);
    uris.filter_map(|root| path_of_uri(&root.uri)).collect()
}

/// The path of a `file://` address.
fn path_of_uri(uri: &str) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt as _;

    let rest = uri.strip_prefix("file://")?;
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    let bytes: Vec<u8> = percent_decode_str(path).collect();
    let path = PathBuf::from(std::ffi::OsString::from_vec(bytes));
    path.is_absolute().then_some(path)
}

/// The folder of a call that names none: of the client's one repository; where the client names no folder, the one that the
/// server was started in.
fn workspace_folder(roots: &[PathBuf], start: &RunContext) -> Result<PathBuf, String> {
    let mut known: Vec<(PathBuf, &PathBuf)> = Vec::new();
    for root in roots {
        let top = repository_of(root, start).and_then(|place| place.workdir.or(place.git_dir));
        if let Some(top) = top.filter(|top| known.iter().all(|(other, _)| other != top)) {
            known.push((top, root));
        }
    }
    match known.as_slice() {
        [] => {
            let is_inside = roots.iter().any(|root| contains(root, &start.dir));
            let first = roots.first().filter(|_| !is_inside);
            Ok(first.unwrap_or(&start.dir).clone())
        }
        [(top, _)] if contains(top, &start.dir) => Ok(start.dir.clone()),
        [(_, root)] => Ok((*root).clone()),
        several => {
            let tops = several.iter().map(|(top, _)| top.display().to_string());
            let tops = tops.collect::<Vec<_>>().join(", ");
            Err(Untrusted::new(&format!(
                "the workspace has several repositories, name one of them as `folder`: {tops}"
            ))
            .line())
        }
    }
}

/// A folder that a call names: of the client's workspace, or another worktree of a repository of it.
fn allowed_folder(folder: &Path, roots: &[PathBuf], start: &RunContext) -> Result<PathBuf, String> {
    let shown = || Untrusted::new(&folder.display().to_string()).line();
    if !folder.is_absolute() {
        return Err(format!("`folder` is no absolute path: {}", shown()));
    }
    if !folder.is_dir() {
        return Err(format!("`folder` is no folder: {}", shown()));
    }
    let shared = |dir: &Path| repository_of(dir, start).and_then(|place| place.common_dir);
    let own = shared(folder);
    let is_of = |root: &PathBuf| contains(root, folder) || own.is_some() && shared(root) == own;
    match roots.is_empty() || roots.iter().any(is_of) {
        true => Ok(folder.to_owned()),
        false => Err(format!(
            "`folder` is outside of the workspace that the client names: {}",
            shown()
        )),
    }
}

fn repository_of(dir: &Path, start: &RunContext) -> Option<RepositoryPaths> {
    let environment = start.environment.without_vars(git::is_local);
    let environment = git::GitEnvironment::from_vars(environment.vars());
    RepositoryPaths::discover(dir, &environment).ok()
}

fn contains(outer: &Path, inner: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    real(inner).starts_with(real(outer))
}

/// Which repository an answer is about, for an agent that may work in another one.
pub(super) fn describe_place(start: &RunContext) -> String {
    let place = RepositoryPaths::discover(&start.dir, &start.git_environment()).ok();
    let Some(place) = place else {
        return format!("Folder: {}", start.dir.display());
    };
    let top = place.workdir.as_ref().or(place.git_dir.as_ref());
    // A directory of git ends with a slash.
    let top: PathBuf = top.unwrap_or(&start.dir).components().collect();
    let top = top.display();
    let branch = place.git_dir.and_then(|dir| branch_of(&dir));
    let branch = branch.map(|branch| format!(", branch {branch}"));
    Untrusted::new(&format!("Repository: {top}{}", branch.unwrap_or_default())).line()
}

/// The top of the worktree in which a call works; outside of one, the folder.
pub(super) fn worktree_of(start: &RunContext) -> PathBuf {
    let place = RepositoryPaths::discover(&start.dir, &start.git_environment());
    let top = place.ok().and_then(|place| place.workdir.or(place.git_dir));
    top.unwrap_or_else(|| start.dir.clone())
}

/// The branch that is checked out; none: a commit is, or git keeps its refs elsewhere.
fn branch_of(git_dir: &Path) -> Option<String> {
    let head = safe_file::read_text(git_dir.join("HEAD")).ok()?;
    let branch = head.trim_end().strip_prefix("ref: refs/heads/")?;
    (branch != ".invalid").then(|| branch.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_absolute_path_on_this_machine_is_a_workspace() {
        let path = |uri: &str| path_of_uri(uri).map(|path| path.display().to_string());
        assert_eq!(path("file:///a/b%20c").as_deref(), Some("/a/b c"));
        assert_eq!(path("file://localhost/a").as_deref(), Some("/a"));
        for other in ["file://host/a", "https://a/b", "/a", "file://", "file:a"] {
            assert_eq!(path(other), None, "{other}");
        }
    }
}
