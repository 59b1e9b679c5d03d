//! Opening a repository: whose it is, and that it is the one that was meant.

use std::path::{Path, PathBuf};

use super::env::GitEnvironment;
use super::error::GitError;
use super::git_cli::runner::{self, RunError};
use super::libgit2::OpenError;
use super::path_bytes::path_to_bytes;
use super::repository::OpenRepository;
use super::repository_paths::RepositoryPaths;

/// Opens the repository around `dir`, or the one that the environment names.
///
/// A repository of another user is opened only where git itself would open it: `safe.directory` in the system's or the
/// user's configuration. libgit2 knows neither `GIT_CONFIG_GLOBAL` nor `GIT_CONFIG_COUNT`, so git is asked.
pub(super) fn open_repository(
    dir: &Path,
    env: &GitEnvironment,
) -> Result<OpenRepository, GitError> {
    let store = match OpenRepository::open(dir, env) {
        Ok(store) => store,
        Err(OpenError::Owner(owned))
            if is_safe_directory(&runner::safe_directories(env)?, &owned) =>
        {
            OpenRepository::open_whoever_owns_it(dir, env)?
        }
        // git may know a rule that libgit2 does not.
        Err(OpenError::Owner(owned)) => {
            let why = "libgit2 does not open it and git does";
            return OpenRepository::by_command(dir, env, why)
                .map_err(|_| GitError::Owner { dir: owned });
        }
        Err(OpenError::Other(GitError::Unsupported { feature })) => {
            return by_command(dir, env, &feature);
        }
        Err(OpenError::Other(error)) => return Err(error),
    };
    if env.get("GIT_DIR").is_none() {
        refuse_nested_bare(&store, env)?;
        if env.get("GIT_WORK_TREE").is_none() {
            refuse_foreign_worktree(dir, &store)?;
        }
    }
    refuse_grafts(&store)?;
    Ok(store)
}

/// Grafts came before replacements, and neither libgit2 nor git can be told to pass over them: a `.git` from elsewhere
/// would say that a branch is merged which is not.
fn refuse_grafts(store: &OpenRepository) -> Result<(), GitError> {
    let file = store.common_dir.join("info/grafts");
    match std::fs::symlink_metadata(&file) {
        Ok(meta) if !meta.is_file() || meta.len() > 0 => Err(GitError::Grafts { file }),
        _ => Ok(()),
    }
}

/// Opens what libgit2 cannot read, and says why; where there is no git either, what libgit2 says is what counts.
pub(super) fn by_command(
    dir: &Path,
    env: &GitEnvironment,
    feature: &str,
) -> Result<OpenRepository, GitError> {
    let opened = OpenRepository::by_command(dir, env, feature);
    opened.map_err(|error| match error {
        GitError::Runner(RunError::NoGit) => GitError::Unsupported {
            feature: feature.to_owned(),
        },
        other => other,
    })
}

/// git's rules for `safe.directory`: a path, everything below a path (`PATH/*`), or everything (`*`).
fn is_safe_directory(safe: &[String], dir: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let wanted = real(dir);
    safe.iter().any(|rule| match rule.strip_suffix("/*") {
        _ if rule == "*" => true,
        Some(parent) => wanted.starts_with(real(Path::new(parent))),
        None => wanted == real(Path::new(rule)),
    })
}

/// Tracked files that look like a bare repository are a trap set by whoever wrote the tree: its configuration would be
/// obeyed (git's `safe.bareRepository=explicit` refuses it as well). One that merely lies in a worktree is not.
fn refuse_nested_bare(store: &OpenRepository, env: &GitEnvironment) -> Result<(), GitError> {
    if store.workdir.is_some() {
        return Ok(());
    }
    let dir: PathBuf = store.git_dir.components().collect();
    let outer = dir
        .parent()
        .and_then(|parent| OpenRepository::open(parent, env).ok());
    let Some((outer, top)) = outer.and_then(|outer| outer.workdir.clone().map(|top| (outer, top)))
    else {
        return Ok(());
    };
    let Ok(inside) = dir.strip_prefix(&top) else {
        return Ok(());
    };
    let mut below = path_to_bytes(inside).into_owned();
    below.push(b'/');
    // An index that cannot be read proves nothing.
    let tracked = outer.index_entries().map_or(true, |entries| {
        entries.iter().any(|(path, _)| path.starts_with(&below))
    });
    if tracked {
        Err(GitError::NestedBare { dir, outer: top })
    } else {
        Ok(())
    }
}

/// A `.git` from elsewhere may name any folder of the user's as its worktree (`core.worktree`, be it by an include), and the
/// files there would be reviewed, sent to models and written to. Its own is one whose `.git` leads back to it, as that of
/// a submodule does, or a part of the folder in which it lies, around the command.
fn refuse_foreign_worktree(dir: &Path, store: &OpenRepository) -> Result<(), GitError> {
    let paths = RepositoryPaths::of_store(dir, store);
    let Some(workdir) = &paths.workdir else {
        return Ok(());
    };
    let real = |path: &Path| path.canonicalize().ok();
    let is_part = || {
        let (top, dir) = (real(workdir)?, real(dir)?);
        let around = real(&store.git_dir)?.parent()?.to_owned();
        Some(dir.starts_with(&top) && top.starts_with(around))
    };
    if paths.worktree_agrees() || is_part().unwrap_or(false) {
        return Ok(());
    }
    Err(GitError::ForeignWorktree {
        git_dir: store.git_dir.clone(),
        workdir: workdir.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn safe_directories_are_read_as_git_reads_them() {
        let dir = Path::new("/srv/nowhere/repo");
        let allowed = |rule: &str| is_safe_directory(&[rule.to_owned()], dir);
        assert!(
            allowed("*")
                && allowed("/srv/nowhere/repo")
                && allowed("/srv/*")
                && allowed("/srv/nowhere/*")
        );
        assert!(
            !allowed("/srv/nowhere")
                && !allowed("/srv/nowhere/repo2")
                && !allowed("/srv/nowhere/re*")
        );
    }
}
