//! What the kernel itself keeps a program from (Landlock): everything that is not named is neither read nor written.

use std::ffi::OsString;
use std::path::PathBuf;

/// Where a program may read, and where it may write, too.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SandboxFence {
    /// Folders and files that may be read, and run.
    pub read: Vec<PathBuf>,
    /// Folders and files that may also be written.
    pub write: Vec<PathBuf>,
}

const READ: &str = "--read";
const WRITE: &str = "--write";

impl SandboxFence {
    /// As arguments of the guard.
    pub(super) fn to_arguments(&self) -> Vec<OsString> {
        let flagged = |flag: &'static str, paths: &[PathBuf]| -> Vec<OsString> {
            let both = |path: &PathBuf| [OsString::from(flag), path.clone().into_os_string()];
            paths.iter().flat_map(both).collect()
        };
        [flagged(READ, &self.read), flagged(WRITE, &self.write)].concat()
    }

    /// Reads the arguments that stand before `--`. None: there is no fence; an error: they are not ours.
    pub(super) fn parse_arguments(arguments: &[OsString]) -> Result<Option<Self>, ()> {
        let mut fence = Self::default();
        for pair in arguments.chunks(2) {
            match pair {
                [flag, path] if flag == READ => fence.read.push(path.into()),
                [flag, path] if flag == WRITE => fence.write.push(path.into()),
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
        empty_ruleset()?
            .add_rules(path_beneath_rules(
                &fence.read,
                AccessFs::from_read(MIN_ABI),
            ))?
            .add_rules(path_beneath_rules(
                &fence.write,
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
        };
        assert_eq!(
            SandboxFence::parse_arguments(&fence.to_arguments()),
            Ok(Some(fence))
        );
        assert_eq!(SandboxFence::parse_arguments(&[]), Ok(None));
        assert_eq!(SandboxFence::parse_arguments(&["--read".into()]), Err(()));
    }
}
