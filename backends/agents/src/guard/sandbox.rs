//! What the kernel itself keeps a program from (Landlock): everything that is not named is neither read nor written.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// Where a program may read, and where it may write, too.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SandboxFence {
    /// Folders and files that may be read, and run.
    pub read: Vec<PathBuf>,
    /// Folders and files that may also be written.
    pub write: Vec<PathBuf>,
    /// What it is kept from beside files; none: nothing.
    pub borders: Option<HardBorders>,
    /// Folders that everybody writes to (`/tmp`), in whose place it finds folders of its own; where the system lets nobody put
    /// them there, it writes to none of these.
    pub private: Vec<PathBuf>,
    /// Where word is left of what the borders refused; none: nowhere.
    pub refused: Option<PathBuf>,
    /// What stands in the place of the user's worktree; none: the worktree itself.
    pub copy: Option<TreeCopy>,
}

/// A copy of a repository that stands where its worktree does: an environment that names the worktree by its path (an
/// editable install) finds the copy, and never what lies there uncommitted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TreeCopy {
    /// The folder in which the copy lies.
    pub tree: PathBuf,
    /// The top of the worktree.
    pub place: PathBuf,
    /// What may be read below the worktree and is none of the repository: it stands in the copy as well.
    pub kept: Vec<PathBuf>,
}

/// What borders have refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Refusal {
    /// An address outside, or a name of one.
    Network,
    /// Memory that nothing bounds.
    Memory,
    /// The keys that the kernel keeps.
    Keys,
    /// A file system.
    Files,
    /// The history of the repository.
    Git,
    /// What listens at an address of this machine: the own network of a test has none of it.
    Service,
}

impl Refusal {
    const ALL: [Self; 6] = [
        Self::Network,
        Self::Memory,
        Self::Keys,
        Self::Files,
        Self::Git,
        Self::Service,
    ];

    /// It as the guard writes it, and as people read it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Network => "the network",
            Self::Memory => "memory that is in no file",
            Self::Keys => "keys",
            Self::Files => "a file system",
            Self::Git => "git",
            Self::Service => "a service of this machine",
        }
    }

    /// The ones that the guard wrote.
    pub(crate) fn parse_all(text: &str) -> BTreeSet<Self> {
        let named = |line: &str| Self::ALL.into_iter().find(|kind| kind.name() == line);
        text.lines().filter_map(named).collect()
    }
}

/// What code that nobody trusts is kept from: other processes, sockets of this machine, the network, and more than its
/// share of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HardBorders {
    /// Whether it reaches the network; its own loopback it always does.
    pub network: bool,
    /// The most processes and threads at once.
    pub max_processes: u64,
    /// The most bytes of memory, of all its processes together.
    pub max_memory: u64,
}

impl HardBorders {
    /// As one argument of the guard.
    fn to_argument(self) -> String {
        let Self {
            network,
            max_processes,
            max_memory,
        } = self;
        format!("{}:{max_processes}:{max_memory}", u8::from(network))
    }

    fn parse(argument: &str) -> Option<Self> {
        let mut parts = argument.split(':');
        let network = match parts.next()? {
            "0" => false,
            "1" => true,
            _ => return None,
        };
        let borders = Self {
            network,
            max_processes: parts.next()?.parse().ok()?,
            max_memory: parts.next()?.parse().ok()?,
        };
        parts.next().is_none().then_some(borders)
    }
}

/// What stands below a folder of the program's own in the place of one that everybody writes to.
pub(crate) fn private_folder(own: &Path, place: &Path) -> PathBuf {
    own.join("private")
        .join(place.strip_prefix("/").unwrap_or(place))
}

/// Of folders that everybody writes to those that can be covered: nothing that the program uses lies there.
pub(crate) fn coverable_places(places: &[&str], used: &[PathBuf]) -> Vec<PathBuf> {
    let whole = |path: &PathBuf| fs::canonicalize(path).unwrap_or_else(|_| path.clone());
    let used: Vec<PathBuf> = used.iter().map(whole).collect();
    let places = places.iter().map(PathBuf::from);
    let places = places.filter(|place| place.is_dir() && !place.is_symlink());
    places
        .filter(|place| !used.iter().any(|path| path.starts_with(place)))
        .collect()
}

const READ: &str = "--read";
const WRITE: &str = "--write";
const BORDERS: &str = "--borders";
const PRIVATE: &str = "--private";
const REFUSED: &str = "--refused";
const COPY: &str = "--copy";
const PLACE: &str = "--place";
const KEPT: &str = "--kept";

impl SandboxFence {
    /// As arguments of the guard.
    pub(super) fn to_arguments(&self) -> Vec<OsString> {
        let flagged = |flag: &'static str, paths: &[PathBuf]| -> Vec<OsString> {
            let both = |path: &PathBuf| [OsString::from(flag), path.clone().into_os_string()];
            paths.iter().flat_map(both).collect()
        };
        let borders = self.borders.map(|borders| {
            let pair = [BORDERS.to_owned(), borders.to_argument()];
            pair.map(OsString::from).to_vec()
        });
        let files = [
            flagged(READ, &self.read),
            flagged(WRITE, &self.write),
            flagged(PRIVATE, &self.private),
            flagged(REFUSED, self.refused.as_slice()),
        ];
        let copy = self.copy.iter().flat_map(|copy| {
            let pair = |flag, path: &PathBuf| flagged(flag, std::slice::from_ref(path));
            let kept = flagged(KEPT, &copy.kept);
            [pair(COPY, &copy.tree), pair(PLACE, &copy.place), kept].concat()
        });
        let files = [files.concat(), copy.collect()];
        [files.concat(), borders.unwrap_or_default()].concat()
    }

    /// Reads the arguments that stand before `--`. None: there is no fence; an error: they are not ours.
    pub(super) fn parse_arguments(arguments: &[OsString]) -> Result<Option<Self>, ()> {
        let mut fence = Self::default();
        for pair in arguments.chunks(2) {
            match pair {
                [flag, path] if flag == READ => fence.read.push(path.into()),
                [flag, path] if flag == WRITE => fence.write.push(path.into()),
                [flag, path] if flag == PRIVATE => fence.private.push(path.into()),
                [flag, path] if flag == REFUSED => fence.refused = Some(path.into()),
                [flag, path] if flag == COPY => {
                    fence.copy.get_or_insert_default().tree = path.into();
                }
                [flag, path] if flag == PLACE => {
                    fence.copy.get_or_insert_default().place = path.into();
                }
                [flag, path] if flag == KEPT => {
                    let copy = fence.copy.get_or_insert_default();
                    copy.kept.push(path.into());
                }
                [flag, borders] if flag == BORDERS => {
                    let borders = borders.to_str().and_then(HardBorders::parse);
                    fence.borders = Some(borders.ok_or(())?);
                }
                _ => return Err(()),
            }
        }
        Ok((!arguments.is_empty()).then_some(fence))
    }
}

/// Whether this kernel can enforce a fence.
#[cfg(target_os = "linux")]
pub fn is_enforceable() -> bool {
    enforced::empty_ruleset().is_ok()
}

/// Whether this kernel can enforce a fence.
#[cfg(not(target_os = "linux"))]
pub fn is_enforceable() -> bool {
    false
}

/// Puts this process, and all that it starts, behind the fence; there is no way back.
#[cfg(target_os = "linux")]
pub(super) fn enclose(fence: &SandboxFence) -> Result<(), String> {
    enforced::enclose(fence).map_err(|error| error.to_string())
}

/// There is nothing here that could enforce it.
#[cfg(not(target_os = "linux"))]
pub(super) fn enclose(_: &SandboxFence) -> Result<(), String> {
    Err("this operating system has no sandbox that we use".to_owned())
}

#[cfg(target_os = "linux")]
mod enforced {
    use landlock::{
        ABI, Access, AccessFs, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetCreated,
        RulesetCreatedAttr, RulesetError, path_beneath_rules,
    };

    use super::SandboxFence;

    /// The first version that also keeps files from being cut short (Linux 6.2).
    const MIN_ABI: ABI = ABI::V3;

    /// A set without rules; fails where the kernel does not have all that it is about.
    pub(super) fn empty_ruleset() -> Result<RulesetCreated, RulesetError> {
        Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::from_all(MIN_ABI))?
            .create()
    }

    pub(super) fn enclose(fence: &SandboxFence) -> Result<(), RulesetError> {
        let place = fence.copy.as_ref().map(|copy| &copy.place);
        empty_ruleset()?
            .add_rules(path_beneath_rules(
                &fence.read,
                AccessFs::from_read(MIN_ABI),
            ))?
            .add_rules(path_beneath_rules(
                // By now the borders have put folders of its own there.
                fence.write.iter().chain(&fence.private).chain(place),
                AccessFs::from_all(MIN_ABI),
            ))?
            .restrict_self()?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_survives_the_command_line() {
        let fence = SandboxFence {
            read: vec!["/usr".into(), "/a b".into()],
            write: vec!["/tmp/x".into()],
            borders: Some(HardBorders {
                network: false,
                max_processes: 7,
                max_memory: 1 << 30,
            }),
            private: vec!["/tmp".into()],
            refused: Some("/tmp/x/refused".into()),
            copy: Some(TreeCopy {
                tree: "/tmp/x/tree".into(),
                place: "/home/me/a b".into(),
                kept: vec!["/home/me/a b/.venv".into()],
            }),
        };
        assert_eq!(
            SandboxFence::parse_arguments(&fence.to_arguments()),
            Ok(Some(fence))
        );
        assert_eq!(SandboxFence::parse_arguments(&[]), Ok(None));
        assert_eq!(SandboxFence::parse_arguments(&["--read".into()]), Err(()));
        for odd in ["", "2:1:1", "0:1", "0:1:1:1", "0:x:1"] {
            let odd = ["--borders".into(), odd.into()];
            assert_eq!(SandboxFence::parse_arguments(&odd), Err(()));
        }
    }
}
