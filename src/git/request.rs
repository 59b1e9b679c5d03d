//! What is to be read, and from where.

use std::path::{Path, PathBuf};

use super::env::GitEnvironment;
use super::repository::OpenRepository;
use super::target::TargetSpec;

/// What to read.
#[derive(Debug, Clone)]
pub struct ChangeRequest {
    /// Where to look for the repository (`-C DIR`, else the current directory).
    pub dir: PathBuf,
    /// What is asked for.
    pub spec: TargetSpec,
    /// git's pathspecs, relative to `dir`; none for everything.
    pub pathspecs: Vec<String>,
    /// What the process's environment says about git.
    pub env: GitEnvironment,
}

/// Where `dir` lies in the worktree, `/`-separated; empty for its top and outside of it.
pub(super) fn worktree_prefix(dir: &Path, store: &OpenRepository) -> String {
    let real = |path: &Path| path.canonicalize().ok();
    let inside = store.workdir.as_deref().and_then(real).zip(real(dir));
    let inside = inside.and_then(|(top, dir)| dir.strip_prefix(top).ok().map(Path::to_owned));
    let parts = inside
        .iter()
        .flat_map(|path| path.iter().map(|part| part.to_string_lossy()));
    parts.collect::<Vec<_>>().join("/")
}
