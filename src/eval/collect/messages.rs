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

/// That a message takes back the commits that it names by their ids, as `git revert` writes it and as people do.
static REVERTED: LazyLock<Regex> = LazyLock::new(|| {
    let id = r"[`(]*(?:commits? +)?`?[0-9a-f]{7,64}\b[`)]*";
    let (verb, joint) = (r"revert(?:s|ed|ing)?", r"(?:\s*,\s*|\s+)(?:and\s+|&\s*)?");
    let words = format!(
        r"(?i)(?:\b(?P<before>[\w'’]+)\s+)?\b{verb}\s+(?:of\s+)?(?P<ids>{id}(?:{joint}{id})*)"
    );
    Regex::new(&words).expect("a fixed pattern")
});

/// Words before `reverting` by which it is not this commit that takes something back.
const NOT_THIS: [&str; 9] = [
    "not",
    "don't",
    "never",
    "without",
    "before",
    "after",
    "since",
    "of",
    "partially",
];

/// An id of a commit.
static COMMIT_ID: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)\b[0-9a-f]{7,64}\b").expect("a fixed pattern"));

/// The subject that `git revert` and forges make of another commit's, with or without the number of the request.
static REVERTED_TITLE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"^Revert "(.+)"(?: \(#\d+\))?$"#).expect("a fixed pattern"));

/// As a forge writes it into the request that reverts another one.
static REVERTED_REQUEST: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?m)^Reverts \S*[#!](\d+)\s*$").expect("a fixed pattern"));

/// The request by which a commit came: of a merge, or behind the subject of a squashed one.
static REQUEST: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:Merge pull request #(\d+) |.* \(#(\d+)\)$)").expect("a fixed pattern")
});

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
    let is_own = |found: &regex::Captures<'_>| {
        let before = found.name("before").map_or("", |word| word.as_str());
        !NOT_THIS
            .iter()
            .any(|word| before.eq_ignore_ascii_case(word))
    };
    let found = REVERTED.captures_iter(message).filter(is_own);
    let lists = found.filter_map(|found| found.name("ids"));
    lists
        .flat_map(|ids| COMMIT_ID.find_iter(ids.as_str()))
        .map(|id| id.as_str())
        .collect()
}

/// The title of the commit that a commit takes back by its own title.
pub(super) fn reverted_title(message: &str) -> Option<&str> {
    let found = REVERTED_TITLE.captures(title_of(message).trim())?;
    found.get(1).map(|title| plain_title(title.as_str()))
}

/// The number of the request that a commit takes back.
pub(super) fn reverted_request(message: &str) -> Option<u32> {
    let found = REVERTED_REQUEST.captures(message)?;
    found[1].parse().ok()
}

/// The number of the request by which a commit came.
pub(super) fn request_of(message: &str) -> Option<u32> {
    let found = REQUEST.captures(message.lines().next()?.trim())?;
    let number = found.get(1).or(found.get(2))?;
    number.as_str().parse().ok()
}

/// A title without the number of its request behind it.
pub(super) fn plain_title(title: &str) -> &str {
    let title = title.trim();
    let (before, behind) = title.rsplit_once(" (#").unwrap_or((title, ""));
    let is_number = behind
        .strip_suffix(')')
        .is_some_and(|n| n.parse::<u32>().is_ok());
    if is_number { before } else { title }
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

    #[test]
    fn a_revert_names_commits_in_whatever_words() {
        for message in [
            "fix #587 by reverting 894714a and 00cc734 (#606)",
            "Reverts 894714a, 00cc734.",
            "Revert of commits 894714a and 00cc734",
            "x\n\nThis reverts commit 894714a.\nThis reverts commit 00cc734.",
            "This reverts commits 894714a, and `00cc734`",
            "Reverted 894714a\nand 00cc734",
        ] {
            assert_eq!(
                reverted_commits(message),
                ["894714a", "00cc734"],
                "{message}"
            );
        }
        for message in [
            "Add a test before reverting 894714a",
            "Keep the cache without reverting 894714a",
            "Do not revert 894714a",
            "Revert to the old behaviour (894714a)",
            "Revert #1234567",
        ] {
            assert_eq!(reverted_commits(message), [""; 0], "{message}");
        }
    }

    proptest::proptest! {
        #[test]
        fn every_commit_of_a_list_is_taken_back(
            verb in "(by reverting|reverts|Revert|this reverts commit|revert of|Reverted commits)",
            ids in proptest::collection::vec("[0-9a-f]{7,40}", 1..5),
            joint in "(, | and |, and |,\n)",
        ) {
            let message = format!("net: mend it {verb} {}. Tested (#12)", ids.join(&joint));
            proptest::prop_assert_eq!(reverted_commits(&message), ids);
        }
    }

    #[test]
    fn a_revert_names_a_title_or_a_request() {
        for message in [
            "Revert \"Add g\"",
            "Revert \"Add g\" (#12)",
            "Revert \"Add g (#11)\" (#12)\n\nReverts o/r#11",
            "Merge pull request #6 from a/revert-5-g\n\nRevert \"Add g\"",
        ] {
            assert_eq!(reverted_title(message), Some("Add g"), "{message}");
        }
        assert_eq!(
            reverted_title("Revert \"Revert \"Add g\"\""),
            Some("Revert \"Add g\"")
        );
        assert_eq!(reverted_title("Revert to the old g"), None);
        assert_eq!(reverted_request("x\n\nReverts o/r#11\n"), Some(11));
        assert_eq!(reverted_request("x\n\nReverts the change"), None);
        assert_eq!(request_of("Add g (#11)"), Some(11));
        assert_eq!(
            request_of("Merge pull request #5 from a/g\n\nAdd g"),
            Some(5)
        );
        assert_eq!(request_of("Add g"), None);
    }
}
