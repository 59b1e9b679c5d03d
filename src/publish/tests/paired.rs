//! A diff pairs lines that are alike, whichever functions they stand in. What it pairs decides nothing: a finding stays open as
//! long as its function is as it was.

use council_protocol::{FileChange, Proof, RepoPath};
use proptest::prelude::*;

use super::carry::no_side;
use super::moves::{about, compare};
use crate::council::outcome::JudgedFinding;
use crate::publish::{JudgedChange, ReviewState, ReviewedSide, ReviewedText, find_quote_places};
use crate::report::{FindingFate, Report};

const LINE: &str = "    erase(request.name)";

/// The lines of a function; the third is in doubt.
const LINES: u32 = 6;

/// A function: its name, and whether it has the line.
type Function = (u8, bool);

fn lines_of(functions: &[Function]) -> Vec<String> {
    let function = |(name, has_line): &Function| {
        let code = if *has_line {
            LINE
        } else {
            "    keep(request.name)"
        };
        let lines = [
            format!("def f{name}(request):"),
            "    greet(request)".to_owned(),
            code.to_owned(),
        ];
        let rest = ["    return 1", "", ""].map(str::to_owned);
        lines.into_iter().chain(rest)
    };
    functions.iter().flat_map(function).collect()
}

/// The line in doubt of a function, from 1.
fn line_of(functions: &[Function], name: u8) -> u32 {
    let nth = functions
        .iter()
        .position(|(there, _)| *there == name)
        .unwrap();
    u32::try_from(nth).unwrap() * LINES + 3
}

const BEFORE: &str = "src/old.py";
const NOW: &str = "src/new.py";

/// The change of the functions before to those now, as a rename or within one file.
fn change(before: &[Function], now: &[Function], is_renamed: bool) -> FileChange {
    let (before, now) = (lines_of(before), lines_of(now));
    let body: String = compare(&before, &now)
        .iter()
        .map(|line| format!("{line}\n"))
        .collect();
    serde_json::from_value(serde_json::json!({
        "path": NOW, "old_path": is_renamed.then_some(BEFORE), "status": if is_renamed { "renamed" } else { "modified" },
        "kind": "text", "old_mode": 0o100_644, "new_mode": 0o100_644, "old_id": "1", "new_id": "2",
        "hunks": [{
            "old_start": 1, "old_lines": before.len(), "new_start": 1, "new_lines": now.len(), "section": "", "body": body,
        }],
    }))
    .unwrap()
}

/// Base and two pushes, as they are read.
struct Scene {
    base: Vec<Function>,
    pushes: [Vec<Function>; 2],
    /// Whether git takes the file for a renamed one, at each push.
    renamed: [bool; 2],
}

impl Scene {
    /// What becomes of the finding of the first push, and where its code stands now.
    fn fate(&self, report: &Report) -> (FindingFate, u32) {
        let text = |functions: &[Function]| ReviewedText::Text(lines_of(functions).join("\n"));
        let [first, second] = &self.pushes;
        let of = |at: usize| {
            let base: &[Function] = if self.is_new(at) { &[] } else { &self.base };
            change(base, &self.pushes[at], self.renamed[at])
        };
        let judged = JudgedChange {
            files: [(NOW.to_owned(), "digest".to_owned())].into(),
            quotes: find_quote_places(report, &|_| text(first), &[of(0)]),
            ..JudgedChange::default()
        };
        let changes = [of(1)];
        let is_named_at = |_: &JudgedFinding, path: &RepoPath, line: u32| {
            let at = (line as usize)
                .checked_sub(3)
                .map(|line| line / LINES as usize);
            let there = at.and_then(|at| second.get(at));
            *path == RepoPath::from(NOW) && there.is_some_and(|(name, _)| *name == MEANT)
        };
        let side = ReviewedSide {
            files: vec![NOW.into()],
            changes: &changes,
            read: &|_| text(second),
            read_before: &|_| text(&self.base),
            is_named_at: &is_named_at,
            ..no_side()
        };
        let carried = ReviewState::of(report, judged)
            .carry_findings(&side)
            .findings;
        let (found, fate) = &carried[0];
        (*fate, found.finding.location.line)
    }

    /// Whether the file stands beside that of the base, which is still there.
    fn is_new(&self, at: usize) -> bool {
        at == 0 && self.renamed == [false, true]
    }
}

/// The function with the finding.
const MEANT: u8 = 99;

fn functions(names: std::ops::Range<u8>) -> impl Strategy<Value = Vec<Function>> {
    let all: Vec<u8> = names.collect();
    let most = all.len();
    let some = prop::sample::subsequence(all, 0..=most).prop_shuffle();
    (some, prop::collection::vec(any::<bool>(), most))
        .prop_map(|(names, has)| names.into_iter().zip(has).collect())
}

/// These functions with one put in somewhere.
fn with(mut functions: Vec<Function>, at: prop::sample::Index, one: Function) -> Vec<Function> {
    functions.insert(at.index(functions.len() + 1), one);
    functions
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever a push does to the functions of the base and to others, and whether git takes the file for another one that is
    /// gone: a function that the change added, and that is as it was, keeps its finding.
    #[test]
    fn a_function_that_nobody_touched_keeps_its_finding(
        base in functions(0..4), first in functions(0..6), second in functions(0..8),
        places in any::<[prop::sample::Index; 2]>(), renamed in prop::sample::select(vec![[false, false], [false, true]]),
    ) {
        let [one, other] = places;
        let pushes = [with(first, one, (MEANT, true)), with(second, other, (MEANT, true))];
        let report = about(NOW, LINE.trim(), line_of(&pushes[0], MEANT) as usize);
        let place = line_of(&pushes[1], MEANT);
        let scene = Scene { base, pushes, renamed };
        prop_assert_eq!(scene.fate(&report), (FindingFate::StillOpen, place));
    }

    /// The same of a line that a function of the base has lost: until it is back in that function, the finding is open.
    #[test]
    fn a_line_that_its_function_has_lost_is_missed(
        base in functions(0..4), first in functions(0..6), second in functions(0..8),
        places in any::<[prop::sample::Index; 3]>(), is_back: bool,
    ) {
        let [old, one, other] = places;
        let base = with(base, old, (MEANT, true));
        let pushes = [with(first, one, (MEANT, false)), with(second, other, (MEANT, is_back))];
        let removed_from = line_of(&base, MEANT);
        let mut report = about(NOW, LINE.trim(), 1);
        report.outcome.findings[0].members[0].proof = Proof::Removed { line: 1, old_line: removed_from };
        let scene = Scene { base, pushes, renamed: [false, false] };
        let removes_others = || {
            let change = change(&scene.base, &scene.pushes[1], false);
            change.hunks[0].body.lines().any(|line| line == format!("-{LINE}"))
        };
        let (fate, _) = scene.fate(&report);
        prop_assert_eq!(fate == FindingFate::StillOpen, !is_back || removes_others());
    }
}
