//! Lines followed back to the commits that brought them; git's own blame is the oracle.

use std::path::Path;

use super::*;
use crate::line_map::{FollowedLines, split_lines};
use crate::moved_lines::split_moved;
use crate::testing::Repo;
use crate::{ChangeRequest, TargetSpec, read_change};

fn findings(repo: &Repo, range: &str, wanted: &[WantedLines], commits: usize) -> HistoryFindings {
    findings_in(repo.path(), range, wanted, commits)
}

fn findings_in(dir: &Path, range: &str, wanted: &[WantedLines], commits: usize) -> HistoryFindings {
    let change = read_change(&ChangeRequest {
        dir: dir.to_path_buf(),
        spec: TargetSpec::parse(range),
        pathspecs: Vec::new(),
        env: Repo::env(&[]),
    });
    let bounds = HistoryBounds {
        commits,
        together: usize::MAX,
        is_over: &|| false,
    };
    let history = change.unwrap().earlier_history().unwrap();
    history.walk_back(wanted, &bounds)
}

/// The commit of each line, as git says.
fn blame(repo: &Repo, rev: &str, path: &str) -> Vec<String> {
    let told = repo.git(&["blame", "-w", "-l", "-s", "--root", rev, "--", path]);
    told.lines()
        .map(|line| {
            line.split(' ')
                .next()
                .unwrap()
                .trim_start_matches('^')
                .to_owned()
        })
        .collect()
}

/// The same, as we say.
fn ours(found: &HistoryFindings, path: &str, count: usize) -> Vec<String> {
    let mut commits = vec![String::new(); count];
    for origin in found
        .origins
        .iter()
        .filter(|origin| origin.path == path.as_bytes())
    {
        for &line in &origin.lines {
            commits[line as usize - 1] = found.commits[origin.commit].id.clone();
        }
    }
    commits
}

fn commit(repo: &Repo, path: &str, lines: &[String], message: &str) {
    let file = repo.path().join(path);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, lines.join("\n") + "\n").unwrap();
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-q", "-m", message]);
}

fn all_lines(path: &str, count: usize) -> WantedLines {
    WantedLines {
        path: path.as_bytes().to_vec(),
        lines: (1..=count as u32).collect(),
    }
}

#[test]
fn lines_are_followed_as_git_blame_follows_them() {
    let repo = Repo::new();
    let mut state = 7_u32;
    let mut draw = |below: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) as usize % below
    };
    let mut lines: Vec<String> = (0..40).map(|n| format!("line {n}")).collect();
    commit(&repo, "a/old.txt", &lines, "0");
    for round in 1..14 {
        for edit in 0..3 {
            let at = draw(lines.len());
            match draw(3) {
                0 => drop(lines.remove(at)),
                1 => lines.insert(at, format!("new {round} {edit}")),
                _ => lines[at] = format!("edited {round} {edit}"),
            }
        }
        if round == 6 {
            repo.git(&["mv", "a/old.txt", "a/new.txt"]);
        }
        let path = if round < 6 { "a/old.txt" } else { "a/new.txt" };
        commit(&repo, path, &lines, &round.to_string());
    }
    commit(&repo, "b.txt", &["x".to_owned()], "the change");
    let found = findings(
        &repo,
        "main~1..main",
        &[all_lines("a/new.txt", lines.len())],
        100,
    );
    assert_eq!(
        ours(&found, "a/new.txt", lines.len()),
        blame(&repo, "main~1", "a/new.txt")
    );
    assert!(!found.is_cut);
}

#[test]
fn a_merge_did_not_write_what_it_took_from_a_branch() {
    let repo = Repo::new();
    let text = |lines: &[&str]| {
        lines
            .iter()
            .map(|&line| line.to_owned())
            .collect::<Vec<_>>()
    };
    commit(&repo, "f", &text(&["a", "b", "c"]), "base");
    repo.git(&["checkout", "-q", "-b", "side"]);
    commit(&repo, "f", &text(&["a", "fixed", "c"]), "Fix b (#7)");
    repo.git(&["checkout", "-q", "main"]);
    commit(&repo, "g", &text(&["other"]), "main goes on");
    repo.git(&["merge", "-q", "--no-ff", "-m", "Merge side", "side"]);
    commit(&repo, "h", &text(&["x"]), "the change");
    let found = findings(&repo, "main~1..main", &[all_lines("f", 3)], 100);
    assert_eq!(ours(&found, "f", 3), blame(&repo, "main~1", "f"));
    let fix = found
        .commits
        .iter()
        .find(|words| words.message.starts_with("Fix b"));
    assert_eq!(fix.unwrap().paths, [b"f".to_vec()]);
}

#[test]
fn lines_that_a_merge_put_together_are_followed_to_both_sides() {
    let repo = Repo::new();
    let lines = |edits: &[usize], with: &str| -> Vec<String> {
        let line = |n: usize| match edits.contains(&n) {
            true => format!("{with} {n}"),
            false => format!("line {n}"),
        };
        (0..30).map(line).collect()
    };
    commit(&repo, "f", &lines(&[], ""), "base");
    repo.git(&["checkout", "-q", "-b", "side"]);
    let side = lines(&[20, 21, 28], "side");
    commit(&repo, "f", &side, "Fix lines (#7)");
    repo.git(&["checkout", "-q", "main"]);
    commit(&repo, "f", &lines(&[3, 4], "main"), "main goes on");
    repo.git(&[
        "merge",
        "-q",
        "--no-ff",
        "--no-commit",
        "-m",
        "Merge side",
        "side",
    ]);
    let mut merged = side;
    merged[3] = "main 3".to_owned();
    merged[4] = "main 4".to_owned();
    merged.insert(10, "of the merge alone".to_owned());
    commit(&repo, "f", &merged, "Merge side");
    commit(&repo, "h", &["x".to_owned()], "the change");
    let found = findings(&repo, "main~1..main", &[all_lines("f", 31)], 100);
    let blamed = blame(&repo, "main~1", "f");
    assert_eq!(ours(&found, "f", 31), blamed);
    // Four commits wrote it: otherwise this proves nothing.
    let writers: std::collections::BTreeSet<&String> = blamed.iter().collect();
    assert_eq!(writers.len(), 4);
}

/// A file of which only the companions are asked for.
fn no_lines(path: &str) -> WantedLines {
    WantedLines {
        path: path.into(),
        lines: Vec::new(),
    }
}

/// What is told of fewer files is what is told of all, without the commits that touch none of them.
#[test]
fn only_commits_that_touch_what_is_asked_for_are_told() {
    let repo = Repo::new();
    for round in 0..12_usize {
        let name = ["f", "d/g", "d/e/h", "i"][round * 3 % 7 % 4];
        commit(&repo, name, &[format!("line {round}")], &round.to_string());
    }
    let paths = ["f", "d/g", "d/e/h", "i", "d/none"];
    let told = |asked: &[&str]| {
        let wanted: Vec<WantedLines> = asked.iter().map(|path| no_lines(path)).collect();
        findings(&repo, "main~1..main", &wanted, 100).together
    };
    let all = told(&paths);
    assert!(all.len() > 8, "{all:?}");
    for chosen in 0..1_usize << paths.len() {
        let asked = paths.iter().enumerate();
        let asked: Vec<&str> = asked
            .filter(|(at, _)| chosen >> at & 1 == 1)
            .map(|(_, path)| *path)
            .collect();
        let is_asked = |path: &Vec<u8>| asked.iter().any(|one| one.as_bytes() == path.as_slice());
        let mut expected = all.clone();
        expected.retain(|commit| commit.iter().any(is_asked));
        assert_eq!(told(&asked), expected, "{asked:?}");
    }
}

#[test]
fn lines_are_followed_further_than_what_changes_together_is_read() {
    let repo = Repo::new();
    commit(&repo, "f", &["kept".to_owned()], "Fix f");
    for round in 0..6 {
        commit(&repo, "g", &[format!("line {round}")], &round.to_string());
    }
    let change = read_change(&ChangeRequest {
        dir: repo.path().to_path_buf(),
        spec: TargetSpec::parse("main~1..main"),
        pathspecs: Vec::new(),
        env: Repo::env(&[]),
    });
    let history = change.unwrap().earlier_history().unwrap();
    let walk = |commits, together| {
        let bounds = HistoryBounds {
            commits,
            together,
            is_over: &|| false,
        };
        history.walk_back(&[all_lines("f", 1), no_lines("g")], &bounds)
    };
    let found = walk(100, 2);
    assert_eq!(found.commits[0].message.trim(), "Fix f");
    assert_eq!((found.together.len(), found.walked), (2, 6));
    assert!(!found.is_cut && !found.lines_left);
    let found = walk(4, 2);
    assert!(found.commits.is_empty());
    assert!(found.is_cut && found.lines_left);
}

#[test]
fn a_bound_ends_the_walk_and_says_so() {
    let repo = Repo::new();
    for round in 0..6 {
        commit(&repo, "f", &[format!("line {round}")], &round.to_string());
        commit(&repo, "g", &[format!("line {round}")], &round.to_string());
    }
    let found = findings(&repo, "main~1..main", &[], 3);
    assert!(found.is_cut && !found.lines_left);
    assert_eq!(found.walked, 3);
    let words: Vec<&str> = found
        .commits
        .iter()
        .map(|words| words.message.as_str())
        .collect();
    assert_eq!(words, Vec::<&str>::new());
}

#[test]
fn lines_of_the_reviewed_side_have_a_number_before_the_change() {
    let numbered = |old: &str, new: &str, lines: &[u32]| {
        let followed: FollowedLines = lines.iter().map(|&line| (line, line)).collect();
        split_lines(old.as_bytes(), new.as_bytes(), &followed)
            .unwrap()
            .0
    };
    let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
    let new = "0\n1\n2\n3\n4\nx\n6\n7\n9\n";
    let all: Vec<u32> = (1..=9).collect();
    assert_eq!(
        numbered(old, new, &all),
        [(2, 1), (3, 2), (4, 3), (5, 4), (7, 6), (8, 7), (9, 9)]
    );
    assert_eq!(numbered("", "a\nb\n", &[1, 2]), []);
}

/// Where a clone ends, nobody is named, and the reason is told: neither time nor commits ran out.
#[test]
fn the_border_of_a_shallow_clone_is_told_as_such() {
    let repo = Repo::new();
    for round in 0..4 {
        let lines = [format!("line {round}"), "kept".to_owned()];
        commit(&repo, "f", &lines, &round.to_string());
    }
    let shallow = repo.path().join("shallow");
    let source = format!("file://{}", repo.path().display());
    let target = shallow.display().to_string();
    repo.git(&["clone", "-q", "--depth", "3", &source, &target]);
    let wanted = [all_lines("f", 2)];
    let found = findings_in(&shallow, "HEAD~1..HEAD", &wanted, usize::MAX);
    assert!(
        found.is_shallow && found.is_cut && found.lines_left,
        "{found:?}"
    );
    let whole = findings(&repo, "main~1..main", &wanted, usize::MAX);
    assert!(!whole.is_shallow && !whole.lines_left, "{whole:?}");
}

#[test]
fn a_message_tells_why_and_names_nobody_by_an_address() {
    let message = "fix: strip blanks\n\nSee RFC 1: it says so.\nby: hand\n\nSigned-off-by: A <a@example.com>\nReviewed-by: B <b@example.com>";
    let told = without_people(message);
    assert_eq!(
        told.trim_end(),
        "fix: strip blanks\n\nSee RFC 1: it says so.\nby: hand"
    );
}

/// Whoever indents a file anew, ends its lines otherwise, or moves a block within it or to another file has not written it.
#[test]
fn what_a_formatter_or_a_move_touches_keeps_the_commit_that_brought_it() {
    let body = [
        "def f(value):",
        "    if value is None:",
        "        return default_value",
        "    return value",
    ];
    let filler: Vec<String> = (0..30).map(|n| format!("# filler number {n}")).collect();
    let owned = |lines: &[&str]| {
        lines
            .iter()
            .map(|&line| line.to_owned())
            .collect::<Vec<_>>()
    };
    let guard = [owned(&body), filler.clone()].concat();
    let bare = [owned(&[body[0], body[3]]), filler.clone()].concat();
    let indented = guard
        .iter()
        .map(|line| line.replace("    ", "\t"))
        .collect();
    let ended = guard.iter().map(|line| format!("{line}\r")).collect();
    let below = [filler.clone(), owned(&body)].concat();
    type Later = (&'static str, Vec<String>, &'static str);
    let later: [Later; 4] = [
        ("indented", indented, "m.py"),
        ("other ends", ended, "m.py"),
        ("moved down", below.clone(), "m.py"),
        (
            "moved away",
            [owned(&["x = 1"]), owned(&body)].concat(),
            "other.py",
        ),
    ];
    for (what, lines, path) in later {
        let repo = Repo::new();
        std::fs::write(repo.path().join("other.py"), "x = 1\n").unwrap();
        commit(&repo, "m.py", &bare, "init");
        commit(&repo, "m.py", &guard, "fix: no value");
        if path == "other.py" {
            std::fs::write(repo.path().join("m.py"), filler.join("\n") + "\n").unwrap();
        }
        commit(&repo, path, &lines, what);
        let at = lines
            .iter()
            .position(|line| line.contains("is None"))
            .unwrap();
        let line = u32::try_from(at).unwrap() + 1;
        commit(&repo, "z", &[], "next");
        let wanted = [WantedLines {
            path: path.as_bytes().to_vec(),
            lines: vec![line, line + 1],
        }];
        let found = findings(&repo, "main~1..main", &wanted, usize::MAX);
        let told: Vec<&str> = found
            .commits
            .iter()
            .map(|words| words.message.trim())
            .collect();
        assert_eq!(told, ["fix: no value"], "{what}");
    }
}

proptest::proptest! {
    /// Every line that is moved is looked for only where it stood once and stands no more, and no line is in both parts.
    #[test]
    fn lines_are_moved_or_written(
        before in proptest::collection::vec("[a-c]{6,7}", 0..12), after in proptest::collection::vec("[a-c]{6,7}", 0..12),
        new in proptest::collection::vec("[a-c]{6,7}", 1..12),
    ) {
        let text = |lines: &[String]| lines.join("\n").into_bytes();
        let lines: FollowedLines = (1..=u32::try_from(new.len()).unwrap()).map(|n| (n, n)).collect();
        let (old, left, text_now) = (text(&before), text(&after), text(&new));
        let (moved, written) = split_moved((&old, &left), &text_now, lines.clone());
        let mut all: Vec<u32> = moved.iter().chain(&written).map(|(wanted, _)| *wanted).collect();
        all.sort_unstable();
        proptest::prop_assert_eq!(all, lines.iter().map(|(wanted, _)| *wanted).collect::<Vec<_>>());
        for (wanted, place) in moved {
            let line = &new[wanted as usize - 1];
            proptest::prop_assert_eq!(&before[place as usize - 1], line);
            proptest::prop_assert_eq!(before.iter().filter(|one| *one == line).count(), 1);
            proptest::prop_assert!(!after.contains(line) || left == text_now);
        }
    }
}

/// Law: a line that a branch brought is told with the merges that brought the branch, and no other line is, whether the
/// merge took the file of the branch as it is or put both sides together.
#[test]
fn lines_of_a_branch_know_the_merge_that_brought_them() {
    for (edits_main, merges_main, depth) in [
        (false, false, 1),
        (true, false, 1),
        (false, true, 1),
        (true, true, 1),
        (false, false, 2),
    ] {
        let repo = Repo::new();
        let mut lines: Vec<String> = (0..30).map(|n| format!("line {n}")).collect();
        commit(&repo, "a.txt", &lines, "init");
        repo.git(&["checkout", "-q", "-b", "branch"]);
        if depth == 2 {
            repo.git(&["checkout", "-q", "-b", "inner"]);
        }
        let mut of_branch = lines.clone();
        of_branch.insert(3, "guard".to_owned());
        commit(&repo, "a.txt", &of_branch, "wip");
        if depth == 2 {
            repo.git(&["checkout", "-q", "branch"]);
            commit(&repo, "c.txt", &["x".to_owned()], "other");
            repo.git(&["merge", "-q", "--no-ff", "-m", "Inner", "inner"]);
        }
        repo.git(&["checkout", "-q", "main"]);
        if edits_main {
            lines[25] = "of main".to_owned();
            commit(&repo, "a.txt", &lines, "on main");
        }
        commit(&repo, "z.txt", &["z".to_owned()], "z");
        if merges_main {
            repo.git(&["checkout", "-q", "branch"]);
            repo.git(&["merge", "-q", "--no-ff", "-m", "Of main", "main"]);
            repo.git(&["checkout", "-q", "main"]);
            commit(&repo, "y.txt", &["y".to_owned()], "y");
        }
        repo.git(&["merge", "-q", "--no-ff", "-m", "Outer", "branch"]);
        lines.insert(3, "guard".to_owned());
        commit(&repo, "b.txt", &["b".to_owned()], "the change");
        let wanted = [all_lines("a.txt", lines.len())];
        let found = findings(&repo, "main~1..main", &wanted, 100);
        assert_eq!(
            ours(&found, "a.txt", lines.len()),
            blame(&repo, "main~1", "a.txt")
        );
        let message = |index: usize| found.commits[index].message.trim();
        for origin in &found.origins {
            let merges: Vec<&str> = origin.merges.iter().map(|&merge| message(merge)).collect();
            let expected: &[&str] = match (message(origin.commit), depth) {
                ("wip", 2) => &["Inner", "Outer"],
                ("wip", _) => &["Outer"],
                ("on main", _) if merges_main => &["Of main"],
                _ => &[],
            };
            assert_eq!(
                merges,
                expected,
                "{:?} {edits_main} {merges_main}",
                message(origin.commit)
            );
        }
        assert!(
            found
                .origins
                .iter()
                .any(|origin| message(origin.commit) == "wip")
        );
    }
}
