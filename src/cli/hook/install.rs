//! Puts hooks in place and takes them away, byte for byte.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use super::managers::Manager;
use super::script::{self, Event, KEPT, Owner, VERSION};
use crate::cli::Start;
use crate::cli::error::CliError;
use crate::git::{Place, UserGit};

/// Where hooks go in one repository.
pub(crate) struct Hooks {
    pub(crate) git: UserGit,
    /// The directory in which git looks.
    pub(crate) dir: PathBuf,
    pub(crate) worktree: Option<PathBuf>,
    /// Whether the directory belongs to this repository and no other.
    pub(crate) own: bool,
}

/// How a hook stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Not there at all.
    Absent,
    /// Ours; whether an earlier one is chained.
    Installed { version: u32, chained: bool },
    /// Another's.
    Other,
}

/// What an installation came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Done {
    Installed,
    Renewed,
    Already,
}

/// How a hook is called until it is whole.
const HALF: &str = ".council-";

/// The first git that runs hooks of its configuration.
pub(crate) const CONFIG_HOOKS: (u32, u32) = (2, 54);

impl Hooks {
    pub(crate) fn of(start: &Start) -> Result<Self, CliError> {
        let place = Place::discover(&start.dir, &start.git())?;
        let git = UserGit::new(&start.dir, &start.git()).map_err(CliError::usage)?;
        let dir = git.hooks_dir().map_err(CliError::usage)?;
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
        })
    }

    fn file(&self, event: Event) -> PathBuf {
        self.dir.join(event.name())
    }

    fn kept(&self, event: Event) -> PathBuf {
        self.dir.join(format!("{}.{KEPT}", event.name()))
    }

    /// The manager that the hooks belong to, if one does.
    pub(crate) fn manager(&self, event: Event) -> Option<Manager> {
        let hook = fs::read(self.file(event)).ok();
        let theirs = hook.filter(|bytes| script::owner(bytes) == Owner::Other);
        Manager::detect(self.worktree.as_deref(), &self.dir, theirs.as_deref())
    }

    /// How a hook stands.
    pub(crate) fn standing(&self, event: Event) -> Result<Standing, CliError> {
        let file = self.file(event);
        let bytes = match fs::read(&file) {
            Ok(bytes) => bytes,
            // A dangling link is somebody's, too.
            Err(error) if error.kind() == io::ErrorKind::NotFound && !file.is_symlink() => {
                return Ok(Standing::Absent);
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Standing::Other),
            Err(error) => return Err(cannot("read", &file, &error)),
        };
        Ok(match script::owner(&bytes) {
            Owner::Council(version) => Standing::Installed {
                version,
                chained: exists(&self.kept(event)),
            },
            Owner::Other => Standing::Other,
        })
    }

    /// Puts a hook in place; one that was there is kept beside it and runs first.
    pub(crate) fn install(&self, event: Event, program: &Path) -> Result<Done, CliError> {
        let (file, kept) = (self.file(event), self.kept(event));
        let standing = self.standing(event)?;
        let made_dir = match &standing {
            Standing::Installed { .. } => made_dir(&fs::read(&file).unwrap_or_default()),
            _ => self.make_dir()? || self.is_made(),
        };
        let text = script::text(event, &program.to_string_lossy(), made_dir);
        match standing {
            Standing::Installed { .. }
                if fs::read(&file).ok().as_deref() == Some(text.as_bytes()) =>
            {
                return Ok(Done::Already);
            }
            Standing::Installed { version, .. } if version > VERSION => {
                return Err(CliError::usage(format!(
                    "{} is of a later git-council (version {version})",
                    file.display()
                ))
                .hint("update git-council"));
            }
            Standing::Other => {
                // An installation that was killed has left the earlier hook under both names.
                if exists(&kept) && !same_file(&file, &kept) {
                    return Err(CliError::usage(format!(
                        "{} and {} are both somebody's",
                        file.display(),
                        kept.display()
                    ))
                    .hint("move one of them away, then install again"));
                }
                self.replace(event, &text, Some(&kept))?;
                return Ok(Done::Installed);
            }
            _ => {}
        }
        self.replace(event, &text, None)?;
        Ok(match standing {
            Standing::Installed { .. } => Done::Renewed,
            _ => Done::Installed,
        })
    }

    /// Whether another hook of ours was put into a directory that was made for it.
    fn is_made(&self) -> bool {
        let scripts = Event::ALL.map(|event| fs::read(self.file(event)).unwrap_or_default());
        scripts
            .iter()
            .any(|script| script::owner(script) != Owner::Other && made_dir(script))
    }

    /// Whether the directory had to be made.
    fn make_dir(&self) -> Result<bool, CliError> {
        if self.dir.is_dir() {
            return Ok(false);
        }
        fs::create_dir_all(&self.dir).map_err(|error| cannot("make", &self.dir, &error))?;
        Ok(true)
    }

    /// Writes the hook beside its place and renames it there, so that git never runs half a script.
    fn replace(&self, event: Event, text: &str, keep: Option<&Path>) -> Result<(), CliError> {
        let file = self.file(event);
        let write = || {
            let mut beside = tempfile::Builder::new()
                .prefix(HALF)
                .tempfile_in(&self.dir)?;
            beside.write_all(text.as_bytes())?;
            beside
                .as_file()
                .set_permissions(fs::Permissions::from_mode(0o755))?;
            // A second name first: at no moment is the earlier hook gone.
            if let Some(kept) = keep {
                match fs::hard_link(&file, kept) {
                    Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                        return Err(error);
                    }
                    _ => {}
                }
            }
            let placed = beside.persist(&file).map(drop);
            placed.map_err(|error| {
                if let Some(kept) = keep {
                    let _ = fs::remove_file(kept);
                }
                error.error
            })
        };
        write().map_err(|error: io::Error| cannot("write", &file, &error))
    }

    /// Takes a hook away and puts back what was there before. Says whether there was one of ours.
    pub(crate) fn uninstall(&self, event: Event) -> Result<bool, CliError> {
        let (file, kept) = (self.file(event), self.kept(event));
        self.sweep();
        let Standing::Installed { .. } = self.standing(event)? else {
            return restore_cut_off(&file, &kept);
        };
        let made_dir = made_dir(&fs::read(&file).unwrap_or_default());
        if exists(&kept) {
            fs::rename(&kept, &file).map_err(|error| cannot("put back", &file, &error))?;
        } else {
            fs::remove_file(&file).map_err(|error| cannot("remove", &file, &error))?;
        }
        if made_dir {
            // Another hook may live there by now.
            let _ = fs::remove_dir(&self.dir);
        }
        Ok(true)
    }

    /// Removes what killed installations of ours never finished.
    fn sweep(&self) {
        let entries = fs::read_dir(&self.dir).into_iter().flatten().flatten();
        let halves = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(HALF));
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
    fn section(event: Event) -> String {
        format!("hook.git-council-{}", event.name())
    }

    /// Whether git's configuration has the hook.
    pub(crate) fn is_configured(&self, event: Event) -> bool {
        self.git
            .config(&format!("{}.command", Self::section(event)))
            .is_some()
    }

    /// Puts a hook into git's configuration (git 2.54 and later), beside whatever hooks there are.
    pub(crate) fn configure(&self, event: Event) -> Result<(), CliError> {
        let section = Self::section(event);
        let set = |key: &str, value: &str| {
            let set = self.git.set_config(&format!("{section}.{key}"), value);
            set.map_err(CliError::usage)
        };
        set("command", &format!("git-council hook run {}", event.name()))?;
        set("event", event.name())
    }

    /// Takes it out of git's configuration.
    pub(crate) fn unconfigure(&self, event: Event) -> bool {
        let there = self.is_configured(event);
        if there {
            self.git.remove_section(&Self::section(event));
        }
        there
    }
}

/// An installation that was killed before its last step has left the earlier hook under both names.
fn restore_cut_off(file: &Path, kept: &Path) -> Result<bool, CliError> {
    if !same_file(file, kept) {
        return Ok(false);
    }
    fs::remove_file(kept).map_err(|error| cannot("remove", kept, &error))?;
    Ok(true)
}

fn exists(path: &Path) -> bool {
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

fn cannot(what: &str, path: &Path, error: &io::Error) -> CliError {
    CliError::usage(format!("cannot {what} {}: {error}", path.display()))
}
