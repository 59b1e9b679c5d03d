//! A diff pairs lines that are alike, whichever functions they stand in. What it pairs decides nothing: a finding stays open as
//! long as its function is as it was.

use council_protocol::{FileChange, Proof, RepoPath};
use proptest::prelude::*;

use super::carry::no_side;
use super::moves::{about, compare};
use crate::council::outcome::JudgedFinding;
use crate::publish::{JudgedChange, ReviewState, ReviewedSide, ReviewedText, find_quote_places};
use crate::report::{FindingFate, Report};

const LINE: &str = "erase(request.name)";

/// How functions, sections and methods of one name begin, their files before and now, and how deep their lines stand.
const FORMS: [(&str, [&str; 2], [&str; 2], usize); 3] = [
    (
        "functions",
        ["def f@(request):", "    greet(request)"],
        ["src/old.py", "src/new.py"],
        4,
    ),
    (
        "sections",
        ["f@:", "    greet: request"],
        ["old.yml", "new.yml"],
        4,
    ),
    (
        "methods",
        ["class F@:", "    def run(self, request):"],
        ["src/old.py", "src/new.py"],
        8,
    ),
];

/// The lines of a function; the third is in doubt.
const LINES: u32 = 6;

/// A function: its name, and whether it has the line.
type Function = (u8, bool);

fn lines_of(form: usize, functions: &[Function]) -> Vec<String> {
    let (_, head, _, depth) = FORMS[form];
    let indent = " ".repeat(depth);
    let function = |(name, has_line): &Function| {
        let head = head.map(|line| line.replace('@', &name.to_string()));
        let code = if *has_line {
            LINE
        } else {
            "keep(request.name)"
        };
        let rest = [
            format!("{indent}{code}"),
            format!("{indent}end: 1"),
            String::new(),
            String::new(),
        ];
        head.into_iter().chain(rest)
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

/// The change of the functions before to those now, as a rename or within one file.
fn change(form: usize, before: &[Function], now: &[Function], is_renamed: bool) -> FileChange {
    let [old_path, path] = FORMS[form].2;
    let old_path = is_renamed.then_some(old_path);
    change_of(
        (old_path, path),
        &lines_of(form, before),
        &lines_of(form, now),
    )
}

fn change_of(
    (old_path, path): (Option<&str>, &str),
    before: &[String],
    now: &[String],
) -> FileChange {
    let body: String = compare(before, now)
        .iter()
        .map(|line| format!("{line}\n"))
        .collect();
    let status = if old_path.is_some() {
        "renamed"
    } else {
        "modified"
    };
    serde_json::from_value(serde_json::json!({
        "path": path, "old_path": old_path, "status": status, "kind": "text", "old_mode": 0o100_644,
        "new_mode": 0o100_644, "old_id": "1", "new_id": "2",
        "hunks": [{
            "old_start": 1, "old_lines": before.len(), "new_start": 1, "new_lines": now.len(), "section": "", "body": body,
        }],
    }))
    .unwrap()
}

/// Base and two pushes, as they are read.
struct Scene {
    form: usize,
    base: Vec<Function>,
    pushes: [Vec<Function>; 2],
    /// Whether git takes the file for a renamed one, at each push.
    renamed: [bool; 2],
}

impl Scene {
    /// What becomes of the finding of the first push, and where its code stands now.
    fn fate(&self, report: &Report) -> (FindingFate, u32) {
        let text =
            |functions: &[Function]| ReviewedText::Text(lines_of(self.form, functions).join("\n"));
        let [first, second] = &self.pushes;
        let of = |at: usize| {
            let base: &[Function] = if self.is_new(at) { &[] } else { &self.base };
            change(self.form, base, &self.pushes[at], self.renamed[at])
        };
        let judged = JudgedChange {
            files: [(self.path().to_owned(), "digest".to_owned())].into(),
            quotes: find_quote_places(report, &|_| text(first), &[of(0)]),
            ..JudgedChange::default()
        };
        let changes = [of(1)];
        let is_named_at = |_: &JudgedFinding, path: &RepoPath, line: u32| {
            let at = (line as usize)
                .checked_sub(3)
                .map(|line| line / LINES as usize);
            let there = at.and_then(|at| second.get(at));
            *path == RepoPath::from(self.path()) && there.is_some_and(|(name, _)| *name == MEANT)
        };
        let side = ReviewedSide {
            files: vec![self.path().into()],
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

    fn path(&self) -> &'static str {
        FORMS[self.form].2[1]
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
        form in 0..FORMS.len(), base in functions(0..4), first in functions(0..6), second in functions(0..8),
        places in any::<[prop::sample::Index; 2]>(), renamed in prop::sample::select(vec![[false, false], [false, true]]),
    ) {
        let [one, other] = places;
        let pushes = [with(first, one, (MEANT, true)), with(second, other, (MEANT, true))];
        let report = about(FORMS[form].2[1], LINE, line_of(&pushes[0], MEANT) as usize);
        let place = line_of(&pushes[1], MEANT);
        let scene = Scene { form, base, pushes, renamed };
        prop_assert_eq!(scene.fate(&report), (FindingFate::StillOpen, place));
    }

    /// The same of a line that a function of the base has lost: until it is back in that function, the finding is open.
    #[test]
    fn a_line_that_its_function_has_lost_is_missed(
        form in 0..1usize, base in functions(0..4), first in functions(0..6), second in functions(0..8),
        places in any::<[prop::sample::Index; 3]>(), is_back: bool,
    ) {
        let [old, one, other] = places;
        let base = with(base, old, (MEANT, true));
        let pushes = [with(first, one, (MEANT, false)), with(second, other, (MEANT, is_back))];
        let removed_from = line_of(&base, MEANT);
        let mut report = about(FORMS[form].2[1], LINE, 1);
        report.outcome.findings[0].members[0].proof = Proof::Removed { line: 1, old_line: removed_from };
        let scene = Scene { form, base, pushes, renamed: [false, false] };
        let removes_others = || {
            let change = change(form, &scene.base, &scene.pushes[1], false);
            change.hunks[0].body.lines().any(|line| line.starts_with('-') && line[1..].trim() == LINE)
        };
        let (fate, _) = scene.fate(&report);
        prop_assert_eq!(fate == FindingFate::StillOpen, !is_back || removes_others());
    }
}

/// Where there are no functions, or several of one name, a line is missed as long as those beside it stand together.
#[test]
fn a_line_is_missed_between_those_that_it_stood_between() {
    let checked = "deny: everybody";
    let section = |name: &str, line: Option<&str>, end: &str| -> Vec<String> {
        let all = [Some(name), line, Some(end), Some("")];
        all.into_iter().flatten().map(str::to_owned).collect()
    };
    for (path, names, ends) in [
        ("a.yml", ["pay:", "help:"], ["  run: go", "  run: show"]),
        (
            "a.sql",
            ["ALTER TABLE pay", "ALTER TABLE help"],
            ["  ADD go int;", "  ADD show int;"],
        ),
        (
            "a.js",
            ["run(pay) {", "run(help) {"],
            ["go(pay); }", "show(help); }"],
        ),
    ] {
        let base = section(names[0], Some(checked), ends[0]);
        let lost = section(names[0], None, ends[0]);
        let helped = section(names[1], Some(checked), ends[1]);
        let mut report = about(path, checked, 1);
        report.outcome.findings[0].members[0].proof = Proof::Removed {
            line: 2,
            old_line: 2,
        };
        let fate = |now: &[String]| {
            let judged = JudgedChange {
                files: [(path.to_owned(), "digest".to_owned())].into(),
                ..JudgedChange::default()
            };
            let changes = [change_of((None, path), &base, now)];
            let side = ReviewedSide {
                files: vec![path.into()],
                changes: &changes,
                read: &|_| ReviewedText::Text(now.join("\n")),
                read_before: &|_| ReviewedText::Text(base.join("\n")),
                ..no_side()
            };
            ReviewState::of(&report, judged)
                .carry_findings(&side)
                .findings[0]
                .1
        };
        let above = [helped.clone(), lost.clone()].concat();
        let below = [lost, helped.clone()].concat();
        assert_eq!(fate(&above), FindingFate::StillOpen, "{path}");
        assert_eq!(fate(&below), FindingFate::StillOpen, "{path}");
        assert_eq!(
            fate(&[helped, base.clone()].concat()),
            FindingFate::Resolved,
            "{path}"
        );
    }
}
