//! Histories whose culprits are known.

use super::*;
use crate::git::testing::Repo;
use crate::git::{MainLineLimits, walk_main_line};

fn collect(repo: &Repo, sets: &[LabelSet]) -> Vec<LabelledChange> {
    let mut collector = LabelCollector::default();
    walk(repo, &mut collector);
    collector.finish(sets, 100)
}

fn walk(repo: &Repo, collector: &mut LabelCollector) {
    let limits = MainLineLimits {
        commits: 999,
        since: 0,
    };
    let env = Repo::env(&[]);
    let walked = walk_main_line(repo.path(), &env, "HEAD", limits, &mut |commit| {
        collector.see(&commit);
    });
    walked.unwrap();
}

fn function(name: &str, body: &[&str]) -> String {
    format!("def {name}(value):\n    {}\n", body.join("\n    "))
}

const BODY: [&str; 6] = [
    "first = value + 1",
    "second = first * 2",
    "third = second - 3",
    "if third:",
    "    third = 0",
    "return third",
];

/// A repository with a first commit, which no walk compares.
fn repo() -> Repo {
    let repo = Repo::new();
    repo.write("README.md", "start\n").commit("start");
    repo
}

#[test]
fn a_fix_blames_the_commit_that_brought_its_lines() {
    let repo = repo();
    let culprit = repo.write("a.py", function("f", &BODY)).commit("add f");
    repo.write("a.py", format!("import os\n\n{}", function("f", &BODY)))
        .commit("import os");
    let mut mended = BODY;
    mended[2] = "third = second + 3";
    let fix = repo
        .write("a.py", format!("import os\n\n{}", function("f", &mended)))
        .commit("Fix the third value");
    let found = collect(&repo, &[LabelSet::Szz]);
    let [item] = &found[..] else {
        panic!("{found:?}")
    };
    assert_eq!(
        (item.commit.as_str(), item.confidence),
        (culprit.as_str(), LabelConfidence::Medium)
    );
    assert_eq!(
        item.places,
        [LabelledPlace {
            path: "a.py".to_owned(),
            first: 4,
            last: 4
        }]
    );
    assert!(item.how.starts_with(&fix[..SHORT]), "{}", item.how);
}

#[test]
fn a_fix_that_names_the_culprit_is_believed_and_two_culprits_are_a_guess() {
    let repo = repo();
    let one = repo.write("a.py", function("f", &BODY)).commit("add f");
    let mut longer = BODY.to_vec();
    longer.insert(1, "other = value or 7");
    let two = repo
        .write("a.py", function("f", &longer))
        .commit("other value");
    longer[1] = "other = value or 8";
    longer[2] = "second = first * 3";
    repo.write("a.py", function("f", &longer))
        .commit(&format!("Fix both\n\nintroduced in {two}"));
    let found = collect(&repo, &[LabelSet::Szz]);
    let told: Vec<(&str, LabelConfidence)> = found
        .iter()
        .map(|item| (item.commit.as_str(), item.confidence))
        .collect();
    assert_eq!(
        told,
        [
            (one.as_str(), LabelConfidence::Low),
            (two.as_str(), LabelConfidence::High)
        ]
    );
}

#[test]
fn documents_comments_and_other_fixes_blame_nobody() {
    let repo = repo();
    repo.write("a.py", function("f", &BODY))
        .write("a.md", "one\n")
        .commit("add");
    repo.write("a.md", "two\n")
        .commit("Fix a crash in the document");
    let mut other = BODY;
    other[0] = "first = value + 2";
    repo.write("a.py", function("f", &other))
        .commit("Count from two");
    repo.write("a.py", format!("# why\n{}", function("f", &other)))
        .commit("Fix missing reason");
    assert_eq!(collect(&repo, &[LabelSet::Szz]), []);
}

/// What several fixes say of a change is not put together under the word of one of them.
#[test]
fn the_places_of_a_label_are_those_of_the_fix_that_it_names() {
    let wide = |one: &str, other: &str| {
        let lines = "    value += 1\n".repeat(20);
        format!(
            "def f(value):\n    first = {one}\n{lines}    last = {other}\n    return first, last\n"
        )
    };
    for (later, expected) in [("Fix the last value", 2), ("Fix\n\nFixes: ", 23)] {
        let repo = repo();
        let culprit = repo.write("a.py", wide("1", "1")).commit("add f");
        let first = repo
            .write("a.py", wide("2", "1"))
            .commit("Fix the first value");
        let message = if later.ends_with(' ') {
            format!("{later}{culprit}")
        } else {
            later.to_owned()
        };
        let second = repo.write("a.py", wide("2", "2")).commit(&message);
        let found = collect(&repo, &[LabelSet::Szz]);
        let item = found.iter().find(|item| item.commit == culprit).unwrap();
        let lines: Vec<u32> = item.places.iter().map(|place| place.first).collect();
        assert_eq!(lines, [expected], "{later}");
        let fix = if expected == 2 { first } else { second };
        assert_eq!(item.mended_by.as_ref(), Some(&fix), "{later}");
    }
}

/// A bracket is code: who mends nothing else mends a defect, and who changes it has changed the line.
#[test]
fn a_bracket_that_is_mended_is_a_defect() {
    let wide = |end: &str| {
        let lines = "        1,\n".repeat(4);
        format!("def f(value):\n    return max([\n{lines}    {end}\n")
    };
    for (message, is_fix) in [("Fix syntax error", true), ("Close it", false)] {
        let repo = repo();
        repo.write("a.py", wide("]"));
        commit_at(&repo, "2024-01-01T00:00:00Z", "add f");
        repo.write("a.py", wide("])"));
        commit_at(&repo, "2024-01-02T00:00:00Z", message);
        repo.write("README.md", "end\n");
        commit_at(&repo, "2025-01-01T00:00:00Z", "end");
        let found = collect(&repo, &[LabelSet::Szz, LabelSet::Clean]);
        let first = repo.git(&["rev-parse", "HEAD~2"]);
        let of_first: Vec<LabelSet> = found
            .iter()
            .filter(|item| item.commit == first.trim())
            .map(|item| item.set)
            .collect();
        let told: &[LabelSet] = if is_fix { &[LabelSet::Szz] } else { &[] };
        assert_eq!(of_first, told, "{message}");
    }
}

const DOCUMENTED: &str =
    "\"\"\"\nlib\n\"\"\"\n\n\ndef f(value):\n    # twice\n    return value*2\n";

/// However a fix calls itself: what only readers see is no defect, nor is a document that is code by its ending.
#[test]
fn what_does_not_behave_is_neither_mended_nor_taken_back() {
    for (path, was, becomes) in [
        ("a.py", "\nlib\n", "\nLib\n"),
        ("a.py", "# twice", "# two times"),
        ("a.py", "value*2", "value * 2"),
        ("docs/conf.py", "value*2", "value * 3"),
        ("_examples/a.py", "value*2", "value * 3"),
    ] {
        let repo = repo();
        repo.write(path, DOCUMENTED).commit("add f");
        let edited = DOCUMENTED.replace(was, becomes);
        let fix = repo.write(path, &edited).commit("Fix it");
        repo.git(&["revert", "--no-edit", &fix]);
        let sets = [LabelSet::Szz, LabelSet::Reverts];
        assert_eq!(collect(&repo, &sets), [], "{path}: {was}");
        // The same lines with something that behaves are blamed, and taken back.
        let repo = self::repo();
        repo.write("a.py", DOCUMENTED).commit("add f");
        let edited = DOCUMENTED.replace(was, becomes).replace("value", "other");
        let fix = repo.write("a.py", &edited).commit("Fix it");
        repo.git(&["revert", "--no-edit", &fix]);
        let found: Vec<LabelSet> = collect(&repo, &sets).iter().map(|item| item.set).collect();
        assert!(
            sets.iter().all(|set| found.contains(set)),
            "{path}: {was}: {found:?}"
        );
    }
}

#[test]
fn a_reverted_commit_is_defective_unless_the_revert_was_taken_back() {
    let repo = repo();
    let bad = repo.write("a.py", function("f", &BODY)).commit("add f");
    repo.git(&["revert", "--no-edit", &bad]);
    assert_eq!(collect(&repo, &[LabelSet::Reverts]).len(), 1);
    repo.git(&["revert", "--no-edit", "HEAD"]);
    let commits: Vec<String> = collect(&repo, &[LabelSet::Reverts])
        .into_iter()
        .map(|item| item.commit)
        .collect();
    assert!(!commits.contains(&bad), "{commits:?}");
}

/// However a forge or a person writes it: the title or the number says what is taken back, if its lines are.
#[test]
fn a_revert_without_an_id_names_the_change_by_title_or_number() {
    for (title, revert, is_known) in [
        ("Add f", "Revert \"Add f\"", true),
        (
            "Add f (#11)",
            "Revert \"Add f (#11)\" (#12)\n\nReverts o/r#11",
            true,
        ),
        (
            "Add f",
            "Merge pull request #6 from a/revert-5-f\n\nRevert \"Add f\"",
            true,
        ),
        (
            "Merge pull request #5 from a/f\n\nAdd f",
            "Revert \"Add f\"\n\nReverts o/r#5",
            true,
        ),
        ("Add f", "Revert \"Add g\"", false),
        ("Add f", "Remove f", false),
    ] {
        let repo = repo();
        repo.write("a.py", "OTHER = 1\n").commit("Add f");
        let bad = repo
            .write("a.py", format!("OTHER = 1\n{}", function("f", &BODY)))
            .commit(title);
        repo.write("a.py", "OTHER = 1\n").commit(revert);
        let found = collect(&repo, &[LabelSet::Reverts]);
        let known: Vec<&str> = found.iter().map(|item| item.commit.as_str()).collect();
        let expected: Vec<&str> = is_known.then_some(bad.as_str()).into_iter().collect();
        assert_eq!(known, expected, "{title}: {revert}");
    }
}

fn commit_at(repo: &Repo, date: &str, message: &str) {
    repo.git(&["add", "-A"]);
    let mut command = repo.command(&["commit", "-q", "-m", message]);
    let done = command.env("GIT_COMMITTER_DATE", date).status();
    assert!(done.unwrap().success());
}

/// Whatever a later commit is called, a change beside which a fix stands, or that is gone, is not clean.
#[test]
fn a_change_that_was_guarded_or_taken_out_is_not_clean() {
    let with_guard = |at: usize| {
        let mut lines = BODY.to_vec();
        lines.insert(at, "if not value: return 0");
        function("f", &lines)
    };
    let gone = "OTHER = 1\n".to_owned();
    let half = function("f", &BODY[..2]);
    let kept: String = (0..20)
        .map(|number| format!("KEPT_{number} = 1\n"))
        .collect();
    let far = function("f", &BODY);
    let mended = function("f", &BODY).replace("value + 1", "value + 2");
    let soon = "2024-01-06T00:00:00Z";
    let late = "2024-12-01T00:00:00Z";
    for (later, date, message, is_clean) in [
        (
            with_guard(0),
            soon,
            "Fix crash in f: division by zero",
            false,
        ),
        (
            with_guard(6),
            soon,
            "Fix crash in f: division by zero",
            false,
        ),
        (gone.clone(), soon, "Back out f, it broke production", false),
        (half, soon, "Shorter", false),
        (mended.clone(), soon, "Avoid the error in f", false),
        (mended.clone(), soon, "Resolve #12", false),
        (mended, late, "Resolve #12", true),
        (with_guard(0), soon, "Take empty values, too", true),
        (far, soon, "Fix the other end of the file", true),
        (gone, late, "Remove f, nobody needs it any more", true),
    ] {
        let repo = repo();
        repo.write("a.py", &kept);
        commit_at(&repo, "2023-12-01T00:00:00Z", "what was there before");
        repo.write("a.py", format!("{kept}{}", function("f", &BODY)));
        commit_at(&repo, "2024-01-01T00:00:00Z", "add f");
        // Each mends the first line as well, far from the function.
        repo.write("a.py", format!("FIRST = 1\n{kept}{later}"));
        commit_at(&repo, date, message);
        repo.write("README.md", "end\n");
        commit_at(&repo, "2025-01-01T00:00:00Z", "end");
        let found = collect(&repo, &[LabelSet::Clean]);
        let first = repo.git(&["rev-parse", "HEAD~2"]);
        let clean = found.iter().any(|item| item.commit == first.trim());
        assert_eq!(clean, is_clean, "{message}: {later}");
    }
}

/// A decision names a line: the commit that brought it is meant.
#[test]
fn a_dismissed_line_is_of_the_commit_that_brought_it() {
    let repo = repo();
    repo.write("a.py", function("f", &BODY));
    commit_at(&repo, "2024-01-01T00:00:00Z", "add f");
    repo.write("b.py", function("f", &BODY));
    commit_at(&repo, "2024-02-01T00:00:00Z", "add b");
    repo.write("a.py", function("g", &BODY));
    commit_at(&repo, "2024-03-01T00:00:00Z", "rename f");
    let mut collector = LabelCollector::default();
    walk(&repo, &mut collector);
    let [first, second, third] = ["HEAD~2", "HEAD~1", "HEAD"].map(|name| {
        let id = repo.git(&["rev-parse", name]);
        id.trim().to_owned()
    });
    let february = 1_706_745_600;
    let place = |path: &str, line| LabelledPlace {
        path: path.to_owned(),
        first: line,
        last: line,
    };
    for (commit, path, line, seconds) in [
        ("", "a.py", 1, february),
        ("", "b.py", 3, i64::MAX),
        ("", "a.py", 99, i64::MAX),
        ("", "a.py", 1, i64::MAX),
        (second.as_str(), "c.py", 1, 0),
    ] {
        collector.note_dismissal(commit, place(path, line), seconds);
    }
    let found = collector.finish(&[LabelSet::Dismissals], 100);
    let told: Vec<(&str, usize, LabelConfidence)> = found
        .iter()
        .map(|item| (item.commit.as_str(), item.places.len(), item.confidence))
        .collect();
    assert_eq!(
        told,
        [
            (first.as_str(), 1, LabelConfidence::Medium),
            (second.as_str(), 2, LabelConfidence::High),
            (third.as_str(), 1, LabelConfidence::Medium),
        ]
    );
}

#[test]
fn a_change_is_clean_when_half_a_year_went_by() {
    let repo = repo();
    let at = |date: &str, path: &str, message: &str| {
        repo.write(path, function("f", &BODY));
        commit_at(&repo, date, message);
    };
    at("2024-01-01T00:00:00Z", "old.py", "old");
    at("2024-09-01T00:00:00Z", "new.py", "new");
    let found = collect(&repo, &[LabelSet::Clean]);
    let [item] = &found[..] else {
        panic!("{found:?}")
    };
    assert_eq!(
        (item.files[0].path.as_str(), item.places.len()),
        ("old.py", 0)
    );
    assert_eq!(item.files[0].added, [(1, 7)]);
}

#[test]
fn a_mutation_lies_in_what_the_tests_name() {
    let repo = repo();
    repo.write(
        "a.py",
        "def compute(x):\n    if x == 3:\n        return 1\n    return 2\n",
    )
    .write(
        "b.py",
        "def untested(x):\n    if x == 3:\n        return 1\n",
    )
    .write("tests/test_a.py", "assert compute(3) == 1\n")
    .commit("compute");
    let found = collect(&repo, &[LabelSet::Mutation]);
    let [item, guard] = &found[..] else {
        panic!("{found:?}")
    };
    assert_eq!(guard.places[0].path, "a.py");
    let (item, guard) = match guard.how.starts_with("a guard is gone") {
        true => (item, guard),
        false => (guard, item),
    };
    assert_eq!(
        (guard.places[0].first, guard.places[0].path.as_str()),
        (3, "a.py")
    );
    let edit = Alteration::EditLine {
        path: "a.py".to_owned(),
        line: 2,
        was: "    if x == 3:".to_owned(),
        becomes: Some("    if x != 3:".to_owned()),
    };
    assert_eq!(item.alteration, Some(edit));
}

/// Most lines that can be mutated hold a condition, and the two of a commit are of two kinds all the same.
#[test]
fn mutations_are_of_several_kinds() {
    let repo = repo();
    let conditions = "    if x == 3:\n        y = 1\n".repeat(20);
    let code = format!(
        "def compute(x):\n{conditions}    if x == 4:\n        raise ValueError(x)\n    return y\n"
    );
    repo.write("a.py", code)
        .write("tests/test_a.py", "assert compute(3) == 1\n")
        .commit("compute");
    let found = collect(&repo, &[LabelSet::Mutation]);
    let told: Vec<bool> = found
        .iter()
        .map(|item| item.how.starts_with("an error is dropped"))
        .collect();
    assert_eq!(
        told.iter().filter(|is_error| **is_error).count(),
        1,
        "{found:?}"
    );
    assert_eq!(told.len(), 2);
}

#[test]
fn collecting_twice_gives_the_same() {
    let repo = repo();
    for number in 0..20 {
        repo.write("a.py", function("f", &[&format!("x = {number}")]))
            .commit("Fix it");
    }
    let all = LabelSet::ALL;
    assert_eq!(collect(&repo, &all), collect(&repo, &all));
}
