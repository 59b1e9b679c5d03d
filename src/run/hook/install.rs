//! Puts hooks in place and takes them away, byte for byte.

use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use crate::git::{RepositoryPaths, UserGit};
use crate::run::context::RunContext;
use crate::run::error::RunError;
use crate::run::hook::managers::HookManager;
use crate::run::hook::script::{self, HookEvent, HookOwner, KEPT, VERSION};
use crate::safe_file::{self, FileWriter, PARTIAL_PREFIX};

/// Where hooks go in one repository.
pub(crate) struct HookInstaller {
    pub(crate) git: UserGit,
    /// The directory in which git looks.
    pub(crate) dir: PathBuf,
    pub(crate) worktree: Option<PathBuf>,
    /// Whether the directory belongs to this repository and no other.
    pub(crate) own: bool,
    /// Whether git's configuration is known to have no hook of ours.
    unconfigured: bool,
}

/// How a hook stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum HookState {
    /// Not there at all.
    Absent,
    /// Ours; whether an earlier one is chained.
    Installed {
        version: u32,
        chained: bool,
    },
    /// Ours once, and edited since: it is the user's, and stays as it is.
    Edited,
    Other,
}

/// What an installation came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InstallOutcome {
    Installed,
    /// Another hook stood there; it is kept, and runs first.
    Chained,
    Renewed,
    Already,
}

/// What a removal came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UninstallOutcome {
    Removed,
    /// The hook that stood there before is back.
    Restored,
    /// It was edited after the installation, and stays.
    Edited,
    Nothing,
}

/// With these git looks for hooks where there can be none.
fn refuse_switched_off(git: &UserGit) -> Result<(), RunError> {
    let path = git.config_value("core.hooksPath");
    let Some(path) = path.filter(|path| path.is_empty() || path == "/dev/null") else {
        return Ok(());
    };
    let value = if path.is_empty() { "empty" } else { &path };
    let message =
        format!("hooks are switched off here: core.hooksPath is {value}, so git runs none");
    Err(RunError::usage(message)
        .hint("where that is set: git config --show-origin core.hooksPath")
        .hint("to have hooks again: git config --unset core.hooksPath"))
}

/// The first git that runs hooks of its configuration.
pub(crate) const CONFIG_HOOKS: (u32, u32) = (2, 54);

impl HookInstaller {
    pub(crate) fn in_repository(start: &RunContext) -> Result<Self, RunError> {
        let place = RepositoryPaths::discover(&start.dir, &start.git_environment())?;
        let git = UserGit::new(&start.dir, &start.git_environment()).map_err(RunError::usage)?;
        refuse_switched_off(&git)?;
        let dir = git.hooks_dir().map_err(RunError::usage)?;
        let real = |path: &PathBuf| path.canonicalize().unwrap_or_else(|_| path.clone());
        let own = [&place.common_dir, &place.git_dir, &place.workdir]
            .into_iter()
            .flatten()
            .map(real)
            .any(|home| dir.starts_with(home));
        Ok(Self {
            git,
            dir,
            worktree: place.workdir,
            own,
            unconfigured: false,
        })
    }

    /// Whether pushes of a repository come past us, by whichever way. Each review asks, so git is started once where hooks
    /// lie in their usual place.
    pub(crate) fn watches(start: &RunContext, event: HookEvent) -> bool {
        let usual = Self::in_usual_place(start, event);
        let installer = usual.map_or_else(|| Self::in_repository(start).ok(), Some);
        installer.is_some_and(|installer| installer.is_at_work(event))
    }

    /// None: git's configuration says something about hooks, or they cannot be looked for.
    fn in_usual_place(start: &RunContext, event: HookEvent) -> Option<Self> {
        let place = RepositoryPaths::discover(&start.dir, &start.git_environment()).ok()?;
        let git = UserGit::new(&start.dir, &start.git_environment()).ok()?;
        let ours = Self::config_section(event);
        let pattern = format!(r"^(core\.hookspath|{ours}\.command)$");
        let dir = place.common_dir?.join("hooks");
        (!git.has_config(&pattern)).then_some(Self {
            git,
            dir,
            worktree: place.workdir,
            own: true,
            unconfigured: true,
        })
    }

    /// Whether each branch brings its own hooks, as with `core.hooksPath = .githooks`.
    pub(crate) fn comes_with_branches(&self) -> bool {
        let worktree = self.worktree.as_ref();
        let worktree = worktree.and_then(|path| path.canonicalize().ok());
        let below = worktree.and_then(|path| Some(self.dir.strip_prefix(path).ok()?.to_path_buf()));
        below.is_some_and(|below| below.components().all(|part| part.as_os_str() != ".git"))
    }

    fn hook_file(&self, event: HookEvent) -> PathBuf {
        self.dir.join(event.name())
    }

    /// Where the hook that stood there before is kept.
    pub(crate) fn kept_file(&self, event: HookEvent) -> PathBuf {
        self.dir.join(format!("{}.{KEPT}", event.name()))
    }

    /// The manager that the hooks belong to, if one does.
    pub(crate) fn detect_manager(&self, event: HookEvent) -> Option<HookManager> {
        let hook = safe_file::read(self.hook_file(event)).ok();
        let theirs = hook.filter(|bytes| script::detect_owner(bytes) == HookOwner::Other);
        HookManager::detect(self.worktree.as_deref(), &self.dir, theirs.as_deref())
    }

    /// How a hook stands.
    pub(crate) fn hook_state(&self, event: HookEvent) -> Result<HookState, RunError> {
        let file = self.hook_file(event);
        let bytes = match safe_file::read(&file) {
            Ok(bytes) => bytes,
            // A dangling link is somebody's, too.
            Err(error) if error.kind() == io::ErrorKind::NotFound && !file.is_symlink() => {
                return Ok(HookState::Absent);
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(HookState::Other),
            Err(error) => return Err(file_error("read", &file, &error)),
        };
        Ok(match script::detect_owner(&bytes) {
            HookOwner::Council {
                is_edited: true, ..
            } => HookState::Edited,
            HookOwner::Council { version, .. } => HookState::Installed {
                version,
                chained: path_exists(&self.kept_file(event)),
            },
            HookOwner::Other => HookState::Other,
        })
    }

    /// Whether git runs the file of a hook; git passes over one without the executable bit.
    pub(crate) fn is_executable(&self, event: HookEvent) -> bool {
        fs::metadata(self.hook_file(event)).is_ok_and(|meta| meta.permissions().mode() & 0o111 != 0)
    }

    /// Whether pushes of this repository come past us, by whichever way.
    pub(crate) fn is_at_work(&self, event: HookEvent) -> bool {
        let by_file = matches!(
            self.hook_state(event),
            Ok(HookState::Installed { .. } | HookState::Edited)
        );
        (by_file && self.is_executable(event))
            || self.is_configured(event)
            || self.is_run_by_manager(event)
    }

    /// Whether git itself tells us what it does: by a script as we wrote it, or by its configuration.
    pub(crate) fn hears_git(&self, event: HookEvent) -> bool {
        let is_ours = matches!(self.hook_state(event), Ok(HookState::Installed { .. }));
        is_ours || self.is_configured(event)
    }

    /// Whether a manager has our lines and git comes past that manager.
    pub(crate) fn is_run_by_manager(&self, event: HookEvent) -> bool {
        self.detect_manager(event).is_some_and(|manager| {
            self.has_lines(manager, event) && self.calls_manager(manager, event)
        })
    }

    /// Whether the files of a manager hold our lines.
    pub(crate) fn has_lines(&self, manager: HookManager, event: HookEvent) -> bool {
        let top = self.worktree.as_ref();
        top.is_some_and(|top| manager.runs_hook(top, event))
    }

    /// Whether the hook that git runs calls the manager. In a fresh clone its files are there, and its hook is not until
    /// somebody installs it.
    pub(crate) fn calls_manager(&self, manager: HookManager, event: HookEvent) -> bool {
        let file = self.hook_file(event);
        self.is_executable(event)
            && (manager.owns_folder(&self.dir)
                || safe_file::read(&file).is_ok_and(|bytes| manager.is_named_in(&bytes)))
    }

    /// Puts a hook in place; one that was there is kept beside it and runs first.
    pub(crate) fn install_hook(
        &self,
        event: HookEvent,
        program: &Path,
    ) -> Result<InstallOutcome, RunError> {
        let (file, kept) = (self.hook_file(event), self.kept_file(event));
        let standing = self.hook_state(event)?;
        let made_dir = match &standing {
            HookState::Installed { .. } => made_dir(&safe_file::read(&file).unwrap_or_default()),
            _ => self.make_dir()? || self.is_made(),
        };
        let text = script::render_script(event, &program.to_string_lossy(), made_dir);
        match standing {
            HookState::Installed { .. }
                if self.is_executable(event)
                    && safe_file::read(&file).ok().as_deref() == Some(text.as_bytes()) =>
            {
                return Ok(InstallOutcome::Already);
            }
            HookState::Installed { version, .. } if version > VERSION => {
                return Err(RunError::usage(format!(
                    "{} was installed by a later git-council (hook version {version})",
                    file.display()
                ))
                .hint("update git-council"));
            }
            HookState::Edited => {
                let edited = format!(
                    "{} was edited after git-council installed it, so it was left as it is",
                    file.display()
                );
                return Err(RunError::usage(edited).hint(
                    "to renew it, save your own lines elsewhere, delete the file, and install again",
                ));
            }
            HookState::Other => {
                // An installation that was killed has left the earlier hook under both names.
                if path_exists(&kept) && !same_file(&file, &kept) {
                    return Err(RunError::usage(format!(
                        "{} and {} are both hooks that git-council did not write",
                        file.display(),
                        kept.display()
                    ))
                    .hint("move one of them away, then install again"));
                }
                self.replace_hook(event, &text, Some(&kept))?;
                return Ok(InstallOutcome::Chained);
            }
            _ => {}
        }
        self.replace_hook(event, &text, None)?;
        Ok(match standing {
            HookState::Installed { .. } => InstallOutcome::Renewed,
            _ => InstallOutcome::Installed,
        })
    }

    /// Whether another hook of ours was put into a directory that was made for it.
    fn is_made(&self) -> bool {
        let scripts =
            HookEvent::ALL.map(|event| safe_file::read(self.hook_file(event)).unwrap_or_default());
        scripts
            .iter()
            .any(|script| script::detect_owner(script) != HookOwner::Other && made_dir(script))
    }

    /// Whether the directory had to be made.
    fn make_dir(&self) -> Result<bool, RunError> {
        if self.dir.is_dir() {
            return Ok(false);
        }
        safe_file::make_folder(&self.dir).map_err(|error| file_error("make", &self.dir, &error))?;
        Ok(true)
    }

    /// Writes the hook beside its place and renames it there, so that git never runs half a script.
    fn replace_hook(
        &self,
        event: HookEvent,
        text: &str,
        keep: Option<&Path>,
    ) -> Result<(), RunError> {
        let file = self.hook_file(event);
        let write = || {
            // A second name first: at no moment is the earlier hook gone.
            if let Some(kept) = keep {
                match fs::hard_link(&file, kept) {
                    Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                        return Err(error);
                    }
                    _ => {}
                }
            }
            let writer = FileWriter::new(&file).with_permissions(fs::Permissions::from_mode(0o755));
            writer.write(text.as_bytes()).inspect_err(|_| {
                if let Some(kept) = keep {
                    let _ = fs::remove_file(kept);
                }
            })
        };
        write().map_err(|error: io::Error| file_error("write", &file, &error))
    }

    /// Takes a hook away and puts back what was there before.
    pub(crate) fn uninstall_hook(&self, event: HookEvent) -> Result<UninstallOutcome, RunError> {
        let (file, kept) = (self.hook_file(event), self.kept_file(event));
        self.remove_partial_files();
        match self.hook_state(event)? {
            HookState::Installed { .. } => {}
            HookState::Edited => return Ok(UninstallOutcome::Edited),
            HookState::Absent | HookState::Other => return restore_cut_off(&file, &kept),
        }
        let made_dir = made_dir(&safe_file::read(&file).unwrap_or_default());
        let outcome = if path_exists(&kept) {
            fs::rename(&kept, &file).map_err(|error| file_error("put back", &file, &error))?;
            UninstallOutcome::Restored
        } else {
            fs::remove_file(&file).map_err(|error| file_error("remove", &file, &error))?;
            UninstallOutcome::Removed
        };
        if made_dir {
            // Another hook may live there by now.
            let _ = fs::remove_dir(&self.dir);
        }
        Ok(outcome)
    }

    /// Removes what killed installations of ours never finished.
    fn remove_partial_files(&self) {
        let entries = fs::read_dir(&self.dir).into_iter().flatten().flatten();
        let halves = entries.filter(|entry| {
            entry
                .file_name()
                .to_string_lossy()
                .starts_with(PARTIAL_PREFIX)
        });
        for half in halves {
            // Another process may sweep the same.
            let _ = fs::remove_file(half.path());
        }
    }

    /// Whether this git runs hooks of its configuration.
    pub(crate) fn runs_config_hooks(&self) -> bool {
        self.git
            .version()
            .is_ok_and(|version| version >= CONFIG_HOOKS)
    }

    /// The name of a hook in git's configuration; it must not be an event's name.
    fn config_section(event: HookEvent) -> String {
        format!("hook.git-council-{}", event.name())
    }

    /// Whether git's configuration has the hook.
    pub(crate) fn is_configured(&self, event: HookEvent) -> bool {
        let command = || format!("{}.command", Self::config_section(event));
        !self.unconfigured && self.git.config_value(&command()).is_some()
    }

    /// Puts a hook into git's configuration (git 2.54 and later), beside whatever hooks there are.
    pub(crate) fn configure_hook(&self, event: HookEvent) -> Result<(), RunError> {
        let section = Self::config_section(event);
        let set = |key: &str, value: &str| {
            let set = self.git.set_config(&format!("{section}.{key}"), value);
            set.map_err(RunError::usage)
        };
        set("command", &format!("git-council hook run {}", event.name()))?;
        set("event", event.name())
    }

    /// Takes it out of git's configuration.
    pub(crate) fn unconfigure_hook(&self, event: HookEvent) -> bool {
        let there = self.is_configured(event);
        if there {
            self.git.remove_section(&Self::config_section(event));
        }
        there
    }
}

/// An installation that was killed before its last step has left the earlier hook under both names.
fn restore_cut_off(file: &Path, kept: &Path) -> Result<UninstallOutcome, RunError> {
    if !same_file(file, kept) {
        return Ok(UninstallOutcome::Nothing);
    }
    fs::remove_file(kept).map_err(|error| file_error("remove", kept, &error))?;
    Ok(UninstallOutcome::Removed)
}

fn path_exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// Whether two names lead to one file; a link is itself, and not what it leads to.
fn same_file(one: &Path, two: &Path) -> bool {
    let place = |path: &Path| {
        path.symlink_metadata()
            .ok()
            .map(|meta| (meta.dev(), meta.ino()))
    };
    place(one).is_some_and(|one| Some(one) == place(two))
}

fn made_dir(script: &[u8]) -> bool {
    String::from_utf8_lossy(script)
        .lines()
        .take(4)
        .any(|line| line == "# made-directory")
}

fn file_error(what: &str, path: &Path, error: &io::Error) -> RunError {
    RunError::usage(format!("cannot {what} {}: {error}", path.display()))
}
