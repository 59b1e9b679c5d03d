//! Reverts of merged requests: by the ids of all commits that they brought.

use proptest::prelude::*;

use super::*;
use crate::eval::collect::LabelCollector;
use crate::git::{BroughtCommit, ChangedLines, LineSpan, MainLineCommit};

/// An id that no other number has, and none begins with.
fn id(number: usize) -> String {
    format!("{number:07x}{}", "a".repeat(33))
}

/// A change that adds ten lines of code to a file of its own.
fn change(number: usize, message: &str, brought: &[usize]) -> MainLineCommit {
    let brought = brought.iter().map(|number| BroughtCommit {
        id: id(*number),
        is_merge: false,
        message: format!("part {number}"),
    });
    let added = (0..10).map(|line| format!("value_{number}_{line} = {line}"));
    MainLineCommit {
        id: id(number),
        parent: id(0),
        seconds: number as i64,
        message: message.to_owned(),
        brought: brought.collect(),
        files: vec![ChangedLines {
            path: format!("src/f{number}.py").into_bytes(),
            old_path: None,
            is_removed: false,
            spans: Some(vec![LineSpan {
                old_start: 1,
                new_start: 1,
                removed: Vec::new(),
                added: added.collect(),
            }]),
            texts: None,
        }],
    }
}

fn reverts_of(numbers: &[usize]) -> String {
    let lines = numbers
        .iter()
        .map(|number| format!("This reverts commit {}.\n", id(*number)));
    lines.collect()
}

/// The changes of a set and how they came by their label.
fn collect(set: LabelSet, commits: &[MainLineCommit]) -> Vec<(String, String)> {
    let mut collector = LabelCollector::default();
    for commit in commits {
        collector.see(commit);
    }
    let found = collector.finish(&[set], 100).into_iter();
    found.map(|item| (item.commit, item.how)).collect()
}

fn reverted(commits: &[MainLineCommit]) -> Vec<String> {
    let found = collect(LabelSet::Reverts, commits).into_iter();
    found.map(|(commit, _)| commit).collect()
}

const MERGE: usize = 500;

fn merge(parts: &[usize]) -> MainLineCommit {
    change(MERGE, "Merge pull request #7 from x/feat\n\nDouble", parts)
}

#[test]
fn a_merge_is_reverted_by_the_ids_of_all_of_its_commits() {
    let all = change(600, &reverts_of(&[11, 10]), &[]);
    let told = collect(LabelSet::Reverts, &[merge(&[10, 11]), all.clone()]);
    let short = &id(600)[..SHORT];
    assert_eq!(
        told,
        [(id(MERGE), format!("{short} reverts all of its commits"))]
    );
    // A merge of its own among them brings nothing that would have to be named.
    let mut inner = merge(&[10, 11, 12]);
    inner.brought[1].is_merge = true;
    let others = change(600, &reverts_of(&[10, 12]), &[]);
    assert_eq!(reverted(&[inner, others]), [id(MERGE)]);
    // The branch of another request names them, and its merge does not.
    let mut request = change(600, "Merge pull request #8 from x/back\n\nBack", &[20]);
    request.brought[0].message = reverts_of(&[10, 11]);
    assert_eq!(reverted(&[merge(&[10, 11]), request]), [id(MERGE)]);
    // Who takes back that revert says that the merge was right.
    let right = change(700, &reverts_of(&[600]), &[]);
    let found = reverted(&[merge(&[10, 11]), all.clone(), right.clone()]);
    assert!(!found.contains(&id(MERGE)), "{found:?}");
    // And who takes back that one again, that it was wrong.
    let wrong = change(800, &reverts_of(&[700]), &[]);
    let found = reverted(&[merge(&[10, 11]), all, right, wrong]);
    assert!(found.contains(&id(MERGE)), "{found:?}");
}

#[test]
fn what_a_branch_took_back_itself_need_not_be_taken_back_again() {
    let mut merge = merge(&[10, 11, 12]);
    merge.brought[2].message = reverts_of(&[10]);
    let rest = change(600, &reverts_of(&[11]), &[]);
    assert_eq!(reverted(&[merge.clone(), rest]), [id(MERGE)]);
    // Nothing is left of a branch that takes back all of itself, and nobody has reverted it.
    merge.brought.remove(1);
    assert!(reverted(&[merge]).is_empty());
}

#[test]
fn a_fix_may_name_a_commit_that_a_merge_brought() {
    let fix = change(600, &format!("Fix it\n\nFixes: {}", &id(11)[..12]), &[]);
    let told = collect(LabelSet::Szz, &[merge(&[10, 11]), fix]);
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(told[0].0, id(MERGE));
    assert!(told[0].1.contains("names it as the cause"), "{told:?}");
}

#[test]
fn an_abbreviated_id_that_may_be_one_of_two_names_nobody() {
    let mut twin = change(501, "Other", &[]);
    twin.id = id(MERGE)[..10].to_owned() + &"b".repeat(30);
    for (digits, expected) in [(7, vec![]), (11, vec![id(MERGE)])] {
        let message = format!(
            "This reverts commit {}.",
            &id(MERGE)[..digits].to_uppercase()
        );
        let revert = change(600, &message, &[]);
        assert_eq!(reverted(&[merge(&[]), twin.clone(), revert]), expected);
    }
}

proptest! {
    /// In however many commits and branches, in whatever order: all of its commits are the merge, and fewer are not. A
    /// merge of which a part was taken back is not clean either.
    #[test]
    fn a_merge_is_reverted_exactly_when_all_of_its_commits_are(
        groups in prop::collection::vec(0_usize..5, 1..9), kept in prop::option::of(0_usize..9),
        is_branch in any::<[bool; 5]>(), is_short in any::<bool>(),
    ) {
        let parts: Vec<usize> = (0..groups.len()).map(|part| 10 + part).collect();
        let kept = kept.filter(|kept| *kept < parts.len());
        let mut commits = vec![merge(&parts)];
        for (group, on_branch) in is_branch.into_iter().enumerate() {
            let named = parts.iter().enumerate().zip(&groups);
            let named = named.filter(|((at, _), of)| **of == group && Some(*at) != kept);
            let message: String = named.map(|((_, part), _)| {
                let id = id(*part);
                format!("This reverts commit {}.\n", if is_short { &id[..9] } else { &id })
            }).collect();
            commits.push(match on_branch {
                true => {
                    let mut request = change(600 + group, "Merge branch 'back'", &[900 + group]);
                    request.brought[0].message = message;
                    request
                }
                false => change(600 + group, &format!("Back\n\n{message}"), &[]),
            });
        }
        let mut last = change(990, "Much later", &[]);
        last.seconds += 2 * super::super::CLEAN_SECONDS;
        commits.push(last);
        let expected: Vec<String> = kept.is_none().then(|| id(MERGE)).into_iter().collect();
        prop_assert_eq!(reverted(&commits), expected);
        let is_whole = kept.is_some() && parts.len() == 1;
        let clean = collect(LabelSet::Clean, &commits).into_iter().any(|(commit, _)| commit == id(MERGE));
        prop_assert_eq!(clean, is_whole);
    }
}
