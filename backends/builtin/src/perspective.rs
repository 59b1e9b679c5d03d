//! The perspectives that the built-in judge has rules for.

/// A perspective of the built-in judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PerspectiveInfo {
    /// Kebab-case, as a seat names it.
    pub name: &'static str,
    /// What it looks for, as a prompt would say it.
    pub focus: &'static str,
}

pub(crate) const SECURITY: &str = "security";
pub(crate) const ERROR_PATHS: &str = "error-paths";
pub(crate) const TESTS: &str = "tests";
pub(crate) const MAINTAINABILITY: &str = "maintainability";
pub(crate) const HYGIENE: &str = "hygiene";

/// In the order in which they sit when nothing is configured.
pub(crate) static PERSPECTIVES: [PerspectiveInfo; 5] = [
    PerspectiveInfo {
        name: SECURITY,
        focus: "What an attacker gains: secrets, injection, weakened checks, deceptive text, and changes to what runs in CI.",
    },
    PerspectiveInfo {
        name: ERROR_PATHS,
        focus: "What happens when something fails: errors that are swallowed, and failures that end the program.",
    },
    PerspectiveInfo {
        name: TESTS,
        focus: "Whether the change is tested: code without tests, tests that are removed, skipped, or cannot fail.",
    },
    PerspectiveInfo {
        name: MAINTAINABILITY,
        focus: "What the next reader pays for: unsafe code without its reasons, copies, traps of the language, dead code.",
    },
    PerspectiveInfo {
        name: HYGIENE,
        focus: "What does not belong into a commit: leftovers, conflict markers, binaries, stray and oversized files.",
    },
];
