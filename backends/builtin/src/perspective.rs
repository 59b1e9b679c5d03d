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
        focus: "What makes code hard to maintain: undocumented unsafe code, copies, language pitfalls, dead code.",
    },
    PerspectiveInfo {
        name: HYGIENE,
        focus: "What does not belong in a commit: leftovers, conflict markers, binaries, stray and oversized files.",
    },
];

/// A councillor's role, and the perspectives whose rules it applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CouncillorInfo {
    /// Kebab-case, as a seat names it.
    pub name: &'static str,
    /// As prompts and reports write it.
    pub title: &'static str,
    /// What it stands for, as a prompt would say it.
    pub focus: &'static str,
    /// Names of [`PerspectiveInfo`]; empty: all rules.
    pub perspectives: &'static [&'static str],
}

/// In the order in which they sit: three of them at least. The first three apply every rule between them.
pub(crate) static COUNCILLORS: [CouncillorInfo; 6] = [
    CouncillorInfo {
        name: "visionary",
        title: "Visionary",
        focus: "What this makes possible and what it closes off: where it leads, and what others will build on it.",
        perspectives: &[MAINTAINABILITY],
    },
    CouncillorInfo {
        name: "critic",
        title: "Critic",
        focus: "What is wrong with it: hidden assumptions, risks, what breaks first, and who pays for that.",
        perspectives: &[SECURITY, ERROR_PATHS],
    },
    CouncillorInfo {
        name: "pragmatist",
        title: "Pragmatist",
        focus: "Whether it works in practice: cost, tests, operation, and the simplest thing that would do.",
        perspectives: &[TESTS, HYGIENE],
    },
    CouncillorInfo {
        name: "innovator",
        title: "Innovator",
        focus: "What else could be done: other designs, simpler ones, and what nobody has considered.",
        perspectives: &[MAINTAINABILITY, ERROR_PATHS],
    },
    CouncillorInfo {
        name: "ethicist",
        title: "Ethicist",
        focus: "Who is affected and how: users, privacy, honesty, and what should not be done even where it can be.",
        perspectives: &[SECURITY, HYGIENE],
    },
    CouncillorInfo {
        name: "domain-expert",
        title: "Domain Expert",
        focus: "What an expert of the field sees in it: its facts, its standards, and the ways in which it is known to fail.",
        perspectives: &[],
    },
];

/// Whether a judge of `name` applies the rules of `perspective`; none if there is no such perspective or role.
pub(crate) fn covers_perspective(name: &str, perspective: &str) -> Option<bool> {
    if name.is_empty() {
        return Some(true);
    }
    if let Some(role) = COUNCILLORS.iter().find(|role| role.name == name) {
        return Some(role.perspectives.is_empty() || role.perspectives.contains(&perspective));
    }
    let known = PERSPECTIVES.iter().any(|known| known.name == name);
    known.then_some(name == perspective)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_councillors_apply_every_rule_between_them() {
        for perspective in PERSPECTIVES {
            let first = COUNCILLORS.iter().take(3);
            let by = first.filter(|c| covers_perspective(c.name, perspective.name) == Some(true));
            assert_eq!(by.count(), 1, "{}", perspective.name);
        }
        for role in COUNCILLORS {
            for name in role.perspectives {
                assert!(PERSPECTIVES.iter().any(|p| p.name == *name), "{name}");
            }
        }
        assert_eq!(covers_perspective("nobody", TESTS), None);
    }
}
