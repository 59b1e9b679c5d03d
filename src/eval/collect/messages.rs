//! What commit messages tell: that a commit mends something, and which commit it blames or takes back.

use std::sync::LazyLock;

use regex::Regex;

/// Words of a subject that say that something was wrong.
static MENDS: LazyLock<Regex> = LazyLock::new(|| {
    let words = r"(?i)\b(fix(e[sd]|ing)?|bug(fix)?|hotfix|regression|crash(e[sd])?|panics?|deadlocks?|leaks?|overflows?|data race|race condition|use.after.free|null pointer|off.by.one|correctly|incorrect(ly)?|vulnerabilit(y|ies)|CVE-\d+)\b";
    Regex::new(words).expect("a fixed pattern")
});

/// Words of a subject about something else than behaviour.
static OTHER: LazyLock<Regex> = LazyLock::new(|| {
    let words = r"(?i)\b(typos?|spelling|grammar|docs?|documentation|readme|changelog|comments?|docstrings?|whitespace|formatting|fmt|lint(s|er|ing)?|clippy|warnings?|ci|workflows?|builds?|tests?|testing|flaky|coverage|examples?|links?|merge conflicts?|imports?|version|release|deps?|dependenc(y|ies))\b";
    Regex::new(words).expect("a fixed pattern")
});

/// A commit that a message names as the cause.
static CULPRIT: LazyLock<Regex> = LazyLock::new(|| {
    let words = r"(?i)(?:fixes:|fixes commit|introduced (?:in|by|with)|caused by|regression (?:in|from|of)|broken (?:in|by|since)|since commit|broke in|bug in commit)[\s:`]*(?:commit )?([0-9a-f]{7,64})\b";
    Regex::new(words).expect("a fixed pattern")
});

/// As `git revert` writes it.
static REVERTED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"This reverts commit ([0-9a-f]{7,64})").expect("a fixed pattern"));

/// What a commit is about: its subject, or the title of the pull request that it merges.
pub(super) fn title_of(message: &str) -> &str {
    let mut lines = message.lines().filter(|line| !line.trim().is_empty());
    let subject = lines.next().unwrap_or_default();
    if subject.starts_with("Merge pull request ") {
        lines.next().unwrap_or(subject)
    } else {
        subject
    }
}

/// Whether a commit says that it mends behaviour.
pub(super) fn is_fix(message: &str) -> bool {
    let subject = title_of(message);
    // A conventional commit says what it is.
    let kind = subject.split(['(', ':', '!']).next().unwrap_or_default();
    match kind.trim() {
        "fix" | "bugfix" | "hotfix" => true,
        "feat" | "docs" | "style" | "refactor" | "test" | "tests" | "chore" | "ci" | "build" => {
            false
        }
        _ => MENDS.is_match(subject) && !OTHER.is_match(subject),
    }
}

/// The commits that a message names as the cause of what it mends, as they are written.
pub(super) fn named_culprits(message: &str) -> Vec<&str> {
    let found = CULPRIT.captures_iter(message);
    found
        .filter_map(|found| found.get(1))
        .map(|id| id.as_str())
        .collect()
}

/// The commits that a commit takes back, as they are written.
pub(super) fn reverted_commits(message: &str) -> Vec<&str> {
    let found = REVERTED.captures_iter(message);
    found
        .filter_map(|found| found.get(1))
        .map(|id| id.as_str())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fix_says_so_in_its_subject() {
        for subject in [
            "Fix off-by-one in the parser",
            "fix(net): retry twice",
            "Handle empty input correctly (#12)",
            "Regression: sockets were closed twice",
            "Merge pull request #9 from a/topic\n\nFix a crash",
        ] {
            assert!(is_fix(subject), "{subject}");
        }
        for subject in [
            "Fix typo",
            "docs: fix the crash section",
            "Fix CI",
            "Add prefix option",
            "fixture for tests",
            "Add a feature\n\nFixes a crash on the way",
        ] {
            assert!(!is_fix(subject), "{subject}");
        }
    }

    #[test]
    fn a_message_may_name_the_culprit() {
        let named = |message| named_culprits(message);
        assert_eq!(named("x\n\nFixes: 0123abc (\"net: y\")"), ["0123abc"]);
        assert_eq!(named("Regression from `deadbeef01`."), ["deadbeef01"]);
        assert_eq!(
            named("introduced in commit 1234567\nand caused by 7654321"),
            ["1234567", "7654321"]
        );
        assert_eq!(named("Fixes #1234567, closes it"), [""; 0]);
        assert_eq!(
            reverted_commits("Revert \"x\"\n\nThis reverts commit 0123456789.\n"),
            ["0123456789"]
        );
    }
}
