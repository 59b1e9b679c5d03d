//! Functions whose bodies are alike letter by letter: each finding stays with its own.

use std::collections::BTreeMap;

use council_protocol::RepoPath;
use proptest::prelude::*;

use super::carry::{dismiss, no_side};
use super::plan::report;
use crate::council::outcome::JudgedFinding;
use crate::publish::{JudgedChange, ReviewState, ReviewedSide, ReviewedText, find_quote_places};
use crate::report::{FindingFate, Report};

const LINE: &str = "    return total / count";

/// Lines of a function, the third of which is in doubt.
const BODY: usize = 5;

const FILES: [&str; 2] = ["src/a.py", "src/b.py"];

/// The names of the functions of each file, in order.
type Functions = [Vec<u8>; 2];

/// A file with a function of each of these names.
fn text_of(names: &[u8]) -> String {
    let function = |name: &u8| format!("def f{name}(items):\n    count = len(items)\n{LINE}\n\n\n");
    names.iter().map(function).collect()
}

/// Where the line in doubt of a function stands.
fn place_of(functions: &Functions, name: u8) -> Option<(RepoPath, u32)> {
    let in_file = |(file, names): (&str, &Vec<u8>)| {
        let nth = names.iter().position(|there| *there == name)?;
        Some((RepoPath::from(file), u32::try_from(nth * BODY + 3).unwrap()))
    };
    FILES.into_iter().zip(functions).find_map(in_file)
}

/// The function in which a line stands.
fn function_at(functions: &Functions, path: &RepoPath, line: u32) -> Option<u8> {
    let file = FILES
        .iter()
        .position(|file| RepoPath::from(*file) == *path)?;
    let nth = (line as usize).checked_sub(3)? / BODY;
    functions[file].get(nth).copied()
}

/// What the finding of a function is called in a file.
fn called(path: &RepoPath, name: u8) -> String {
    format!("{}{name:015x}", u8::from(*path == RepoPath::from(FILES[1])))
}

/// Every function of the files has a finding.
fn review_of(functions: &Functions, dismissed: &[u8]) -> Report {
    let names: Vec<u8> = functions.concat();
    let mut before = report(names.len());
    for (found, name) in before.outcome.findings.iter_mut().zip(&names) {
        let (path, line) = place_of(functions, *name).unwrap();
        found.fingerprint = called(&path, *name);
        found.finding.location.path = path;
        found.finding.location.line = line;
        found.finding.quote = LINE.into();
        found.members[0].finding = found.finding.clone();
        if dismissed.contains(name) {
            dismiss(found);
        }
    }
    before
}

fn read(functions: &Functions, path: &RepoPath) -> ReviewedText {
    let mut files = FILES.iter().zip(functions);
    let file = files.find(|(file, _)| RepoPath::from(**file) == *path);
    match file.filter(|(_, names)| !names.is_empty()) {
        Some((_, names)) => ReviewedText::Text(text_of(names)),
        None => ReviewedText::Gone,
    }
}

/// What a review of these functions leaves.
fn left_by(before: &Functions, report: &Report) -> ReviewState {
    let judged = JudgedChange {
        files: FILES
            .map(|file| (file.to_owned(), "digest".to_owned()))
            .into(),
        rules: "rules".to_owned(),
        quotes: find_quote_places(report, &|path| read(before, path), &[]),
        ..JudgedChange::default()
    };
    ReviewState::of(report, judged)
}

/// A side on which no finding has its old name.
fn unnamed_side() -> ReviewedSide<'static> {
    ReviewedSide {
        name_now: &|_| None,
        is_named_at: &|_, _, _| false,
        ..no_side()
    }
}

/// Where the only finding is open.
fn open_at(state: &ReviewState, side: &ReviewedSide<'_>) -> (RepoPath, u32) {
    let carried = state.carry_findings(side).findings;
    let [(found, FindingFate::StillOpen)] = &carried[..] else {
        panic!("{carried:?}")
    };
    let place = &found.finding.location;
    (place.path.clone(), place.line)
}

/// The findings of the first review on the side that has these functions, as a review names what it finds there.
fn carry(
    before: &Functions,
    report: &Report,
    now: &Functions,
) -> Vec<(JudgedFinding, FindingFate)> {
    let state = left_by(before, report);
    let name_now = |found: &JudgedFinding| {
        let place = &found.finding.location;
        let name = called(&place.path, function_at(now, &place.path, place.line)?);
        (name != found.fingerprint).then_some(name)
    };
    let is_named_at = |found: &JudgedFinding, path: &RepoPath, line: u32| {
        let name = function_at(now, path, line);
        name.is_some_and(|name| called(&found.finding.location.path, name) == found.fingerprint)
    };
    let text = |path: &RepoPath| read(now, path);
    let side = ReviewedSide {
        files: FILES.map(RepoPath::from).into(),
        read: &text,
        name_now: &name_now,
        is_named_at: &is_named_at,
        ..no_side()
    };
    state.carry_findings(&side).findings
}

/// Functions of these names in two files.
fn functions(names: std::ops::Range<u8>) -> impl Strategy<Value = Functions> {
    let in_file = prop::collection::vec(0usize..3, names.len());
    let names: Vec<u8> = names.collect();
    (Just(names).prop_shuffle(), in_file).prop_map(|(names, in_file)| {
        let of = |file: usize| {
            let there = names.iter().zip(&in_file).filter(|(_, at)| **at == file);
            there.map(|(name, _)| *name).collect()
        };
        [of(0), of(1)]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Functions are put in, taken out and put elsewhere, also into another file, while judges are silent. A finding stands in
    /// the function that it is about, dismissed or not; no two of them come to one place; and one is resolved only where its
    /// function is gone.
    #[test]
    fn a_finding_stays_with_the_function_that_it_is_about(
        before in functions(0..5),
        now in functions(0..7),
        dismissed in prop::sample::subsequence((0u8..5).collect::<Vec<_>>(), 0..5),
    ) {
        let report = review_of(&before, &dismissed);
        let carried = carry(&before, &report, &now);
        prop_assert_eq!(carried.len(), report.outcome.findings.len());
        let mut places = BTreeMap::new();
        for ((found, fate), was) in carried.iter().zip(&report.outcome.findings) {
            let place = &was.finding.location;
            let name = function_at(&before, &place.path, place.line).unwrap();
            let at = (found.finding.location.path.clone(), found.finding.location.line);
            match place_of(&now, name) {
                Some(there) => {
                    prop_assert_eq!(*fate, FindingFate::StillOpen);
                    prop_assert_eq!(&at, &there);
                    prop_assert_eq!(found.dismissed.is_some(), dismissed.contains(&name));
                }
                // It is open in a function that is new, or resolved and told of as it was.
                None if *fate == FindingFate::Resolved => {
                    prop_assert_eq!(&found.fingerprint, &was.fingerprint);
                    prop_assert_eq!(&found.finding.location, &was.finding.location);
                    continue;
                }
                None => {}
            }
            prop_assert_eq!(places.insert(at, name), None);
        }
    }

    /// Functions get other names, and others that are alike are put in above and below them, while judges are silent: every
    /// finding stays open, each at a place of its own.
    #[test]
    fn no_finding_is_lost_where_its_function_gets_another_name(
        before in functions(0..5),
        renamed in prop::sample::subsequence((0u8..5).collect::<Vec<_>>(), 0..5),
        added in prop::collection::vec((0usize..2, any::<prop::sample::Index>()), 0..4),
    ) {
        let name_now = |name: &u8| name + 10 * u8::from(renamed.contains(name));
        let mut now: Functions = [0, 1].map(|file| before[file].iter().map(name_now).collect());
        for ((file, at), name) in added.iter().zip(20..) {
            // A file without functions is none.
            if !now[*file].is_empty() {
                let at = at.index(now[*file].len() + 1);
                now[*file].insert(at, name);
            }
        }
        let report = review_of(&before, &[]);
        let carried = carry(&before, &report, &now);
        let mut places = BTreeMap::new();
        for (found, fate) in &carried {
            prop_assert_eq!(*fate, FindingFate::StillOpen);
            let at = &found.finding.location;
            places.insert((at.path.clone(), at.line), ());
        }
        prop_assert_eq!(places.len(), report.outcome.findings.len());
        for (found, was) in carried.iter().zip(&report.outcome.findings) {
            let (was, at) = (&was.finding.location, &found.0.finding.location);
            let name = function_at(&before, &was.path, was.line).unwrap();
            if !renamed.contains(&name) {
                prop_assert_eq!(place_of(&now, name), Some((at.path.clone(), at.line)));
            }
        }
    }
}

/// A copy of a function as it was, while a line beside the one in doubt is edited in the function itself: neither is all that
/// the finding is named by, and it stays in the function.
#[test]
fn a_copy_under_another_name_does_not_take_a_finding_with_it() {
    let before: Functions = [vec![0], Vec::new()];
    let state = left_by(&before, &review_of(&before, &[]));
    let copy = text_of(&[1]);
    for edited in [
        text_of(&[0]).replace("len(items)", "len(list(items))"),
        text_of(&[0]).replace(LINE, &format!("{LINE}\n    # the mean")),
    ] {
        for (now, line) in [
            (format!("{copy}{edited}"), 8),
            (format!("{edited}{copy}"), 3),
        ] {
            let text = |path: &RepoPath| match *path == RepoPath::from(FILES[0]) {
                true => ReviewedText::Text(now.clone()),
                false => ReviewedText::Gone,
            };
            let side = ReviewedSide {
                files: vec![RepoPath::from(FILES[0])],
                read: &text,
                ..unnamed_side()
            };
            assert_eq!(
                open_at(&state, &side),
                (RepoPath::from(FILES[0]), line),
                "{now}"
            );
        }
    }
}

/// A file gets another name and its function, too, beside a file that is as it was and has the same code: what stood there
/// at the last review has come from nowhere.
#[test]
fn a_finding_does_not_move_to_a_file_that_is_as_it_was() {
    let before: Functions = [vec![0], vec![1]];
    let mut report = review_of(&before, &[]);
    report.outcome.findings.truncate(1);
    let state = left_by(&before, &report);
    for moved in ["src/0.py", "src/z.py"] {
        let text = |path: &RepoPath| match &*path.display() {
            path if path == FILES[1] => ReviewedText::Text(text_of(&before[1])),
            path if path == moved => ReviewedText::Text(text_of(&[2])),
            _ => ReviewedText::Gone,
        };
        let side = ReviewedSide {
            files: [FILES[1], moved].map(RepoPath::from).into(),
            is_judged: &|path| *path == RepoPath::from(moved),
            read: &text,
            ..unnamed_side()
        };
        assert_eq!(open_at(&state, &side), (RepoPath::from(moved), 3));
    }
}

/// The function is copied to another file under its own name, and a line beside the one in doubt is edited in it: the copy is all
/// that the finding is named by, and the function is where it was.
#[test]
fn a_copy_in_another_file_does_not_take_a_finding_with_it() {
    let before: Functions = [vec![0], Vec::new()];
    let state = left_by(&before, &review_of(&before, &[]));
    let edited = text_of(&[0]).replace("len(items)", "len(list(items))");
    let text = |path: &RepoPath| match *path == RepoPath::from(FILES[0]) {
        true => ReviewedText::Text(edited.clone()),
        false => ReviewedText::Text(text_of(&[0])),
    };
    let side = ReviewedSide {
        files: FILES.map(RepoPath::from).into(),
        read: &text,
        is_named_at: &|_, path, _| *path == RepoPath::from(FILES[1]),
        ..unnamed_side()
    };
    assert_eq!(open_at(&state, &side), (RepoPath::from(FILES[0]), 3));
}
