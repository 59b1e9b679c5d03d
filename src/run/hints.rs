//! Hints of the command line, for those who have other options, or none.

/// The parts of a hint that name no option by itself; none: nothing is left. What stands in a command stays, as the command
/// has it.
pub(crate) fn without_options(hint: &str) -> Option<String> {
    let mut left = String::new();
    for (before, part) in parts_of(hint) {
        if !names_option(part) {
            let joint = if left.is_empty() { "" } else { before };
            left = format!("{left}{joint}{part}");
        }
    }
    (!left.is_empty()).then_some(left)
}

/// The parts between which a reader chooses, each with what joins it to the one before.
fn parts_of(hint: &str) -> Vec<(&'static str, &str)> {
    let mut parts = vec![("", hint)];
    for joint in ["; ", ", or "] {
        let split = parts.into_iter().flat_map(|(before, part)| {
            let inner = part.split(joint).enumerate();
            inner.map(move |(at, inner)| (if at == 0 { before } else { joint }, inner))
        });
        parts = split.collect();
    }
    parts
}

/// Whether a part names an option outside of a command, or the option for a file that no tool takes.
fn names_option(part: &str) -> bool {
    let own = part.split("git ").next().unwrap_or(part);
    let is_option = |word: &str| word.trim_start_matches(['`', '(']).starts_with("--");
    own.split_whitespace().any(is_option) || part.contains("--patch")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_names_no_option_stays() {
        for (hint, left) in [
            (
                "git fsck says what else is missing",
                "git fsck says what else is missing",
            ),
            (
                "fetch the history: git fetch --unshallow",
                "fetch the history: git fetch --unshallow",
            ),
            (
                "make a commit, or review what is there: --staged or --worktree",
                "make a commit",
            ),
            (
                "narrow the review with -- PATHSPEC, or review smaller ranges",
                "review smaller ranges",
            ),
            (
                "remove x/.git, or leave the folder out: -- ':!x'",
                "remove x/.git",
            ),
            (
                "to review it: git update-index --no-skip-worktree x; to leave it out: -- ':!x'",
                "to review it: git update-index --no-skip-worktree x",
            ),
            ("to name a file, write it after two dashes: -- x", ""),
            ("or review a patch: --patch FILE", ""),
            ("git diff BASE...HEAD | git council review --patch -", ""),
        ] {
            assert_eq!(without_options(hint).unwrap_or_default(), left);
        }
    }

    /// Law: nothing of what is left names an option by itself.
    #[test]
    fn no_option_is_left() {
        let parts = ["one", "two: --a", "`git council x --b`", "-- PATH", "(--c)"];
        for first in parts {
            for second in parts {
                for joint in ["; ", ", or "] {
                    let left = without_options(&format!("{first}{joint}{second}"));
                    let named = parts_of(left.as_deref().unwrap_or_default());
                    assert!(
                        named.iter().all(|(_, part)| !names_option(part)),
                        "{left:?}"
                    );
                }
            }
        }
    }
}
