//! What becomes of a finding when its code is moved or mended, over drawn pushes.

use std::collections::BTreeMap;

use council_protocol::{FileChange, Finding, Proof, RepoPath};
use proptest::prelude::*;

use super::carry::no_side;
use super::plan::report;
use crate::publish::{
    JudgedChange, OpenFinding, ReviewState, ReviewedSide, ReviewedText, find_quote_places,
};
use crate::report::{CarriedReview, FindingFate, Report};

/// Files with their lines.
pub(super) type Tree = BTreeMap<&'static str, Vec<String>>;

/// Code of findings, whole lines and a part of one, each with its mend and with what a formatter makes of it.
const CODES: [(&str, &str, &str, &str); 4] = [
    (
        "return None",
        "return None",
        "raise Lost(path)",
        "return None",
    ),
    (
        "find(f\"select {name}\")",
        "return find(f\"select {name}\")",
        "return find(\"select ?\", name)",
        "return find(\n    f\"select {name}\"\n)",
    ),
    ("return;", "return;", "throw new Lost();", "return;"),
    (
        "total = add(one, two)",
        "total = add(one, two)",
        "total = plus(one, two)",
        "total = add(\n    one,\n    two,\n)",
    ),
];

const FILES: [&str; 4] = ["src/a.py", "src/b.py", "src/old.py", "src/new.py"];

/// What a push does to the function with the code.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Push {
    Moved {
        to: usize,
        deeper: usize,
        wrapped: bool,
    },
    Split,
    Mended,
    /// It is copied, and mended where it stood.
    Copied,
    Nothing,
}

fn pushes() -> impl Strategy<Value = Push> {
    prop_oneof![
        4 => (0..FILES.len(), 0usize..5, any::<bool>())
            .prop_map(|(to, deeper, wrapped)| Push::Moved { to, deeper, wrapped }),
        1 => Just(Push::Split),
        2 => Just(Push::Mended),
        1 => Just(Push::Copied),
        1 => Just(Push::Nothing),
    ]
}

/// A function of three lines with this code in its last one.
fn function(name: &str, code: &str) -> Vec<String> {
    let head = [
        format!("def {name}(path):"),
        format!("    work_{name}(path)"),
    ];
    let code = code.lines().map(|line| format!("    {line}"));
    head.into_iter()
        .chain(code)
        .chain([String::new()])
        .collect()
}

/// What stands in the target branch: with the same code, which nobody has criticised, or without.
fn base(code: &str, has_twins: bool) -> Tree {
    let old = |name: &str| match has_twins {
        true => [function(name, code), function(&format!("{name}_two"), code)].concat(),
        false => function(name, "return 1"),
    };
    BTreeMap::from([("src/a.py", old("load")), ("src/old.py", old("parse"))])
}

/// The change with its function in these files.
fn with_function(base: &Tree, placed: &[(&'static str, Vec<String>)]) -> Tree {
    let mut tree = base.clone();
    for (path, lines) in placed {
        tree.entry(path).or_default().extend(lines.iter().cloned());
    }
    tree
}

/// The lines of a hunk over a whole file, each with its marker.
pub(super) fn compare(old: &[String], new: &[String]) -> Vec<String> {
    let mut longest = vec![vec![0usize; new.len() + 1]; old.len() + 1];
    for (at, one) in old.iter().enumerate().rev() {
        for (by, other) in new.iter().enumerate().rev() {
            longest[at][by] = match one == other {
                true => longest[at + 1][by + 1] + 1,
                false => longest[at + 1][by].max(longest[at][by + 1]),
            };
        }
    }
    let (mut at, mut by, mut lines) = (0, 0, Vec::new());
    while at < old.len() || by < new.len() {
        let is_same = at < old.len() && by < new.len() && old[at] == new[by];
        let is_removed =
            by == new.len() || at < old.len() && longest[at + 1][by] >= longest[at][by + 1];
        let (mark, line) = match (is_same, is_removed) {
            (true, _) => (' ', &new[by]),
            (_, true) => ('-', &old[at]),
            _ => ('+', &new[by]),
        };
        lines.push(format!("{mark}{line}"));
        at += usize::from(mark != '+');
        by += usize::from(mark != '-');
    }
    lines
}

fn changes(base: &Tree, head: &Tree) -> Vec<FileChange> {
    let none = Vec::new();
    let changed = |path: &&'static str| base.get(path) != head.get(path);
    let of = |path: &'static str| {
        let (old, new) = (base.get(path), head.get(path).unwrap_or(&none));
        let old_lines = old.unwrap_or(&none);
        let body: String = compare(old_lines, new)
            .iter()
            .map(|line| format!("{line}\n"))
            .collect();
        serde_json::from_value(serde_json::json!({
            "path": path, "status": "modified", "kind": "text", "old_mode": 0o100_644, "new_mode": 0o100_644,
            "old_id": old.map(|old| format!("{:08x}", old.len())), "new_id": "2",
            "hunks": [{
                "old_start": 1, "old_lines": old_lines.len(), "new_start": 1, "new_lines": new.len(), "section": "",
                "body": body,
            }],
        }))
        .unwrap()
    };
    FILES.into_iter().filter(changed).map(of).collect()
}

fn read(tree: &Tree) -> impl Fn(&RepoPath) -> ReviewedText {
    |path| match tree.get(&*path.display()) {
        Some(lines) => ReviewedText::Text(lines.join("\n")),
        None => ReviewedText::Gone,
    }
}

/// What a review of this change leaves.
pub(super) fn left_by(report: &Report, base: &Tree, head: &Tree) -> ReviewState {
    state_of(report, head, &changes(base, head), Vec::new())
}

pub(super) fn carried_to(
    left: &ReviewState,
    base: &Tree,
    head: &Tree,
) -> (CarriedReview, Vec<FileChange>) {
    carried_to_prover(left, base, head, no_side().prove)
}

/// The same where quotes are proven so.
pub(super) fn carried_to_prover(
    left: &ReviewState,
    base: &Tree,
    head: &Tree,
    prove: &dyn Fn(&RepoPath, &Finding) -> Option<u32>,
) -> (CarriedReview, Vec<FileChange>) {
    let changes = changes(base, head);
    let side = ReviewedSide {
        files: changes.iter().map(|change| change.path.clone()).collect(),
        changes: &changes,
        read: &read(head),
        prove,
        ..no_side()
    };
    (left.carry_findings(&side), changes)
}

pub(super) fn state_of(
    report: &Report,
    head: &Tree,
    changes: &[FileChange],
    gone: Vec<OpenFinding>,
) -> ReviewState {
    let judged = JudgedChange {
        files: changes
            .iter()
            .map(|one| (one.path.display().into_owned(), "digest".to_owned()))
            .collect(),
        quotes: find_quote_places(report, &read(head), changes),
        gone,
        ..JudgedChange::default()
    };
    let kept = serde_json::to_value(ReviewState::of(report, judged)).unwrap();
    serde_json::from_value(kept).unwrap()
}

/// A report with one finding of a model about a line.
pub(super) fn about(path: &str, quote: &str, line: usize) -> Report {
    let mut report = report(1);
    let found = &mut report.outcome.findings[0];
    let place = &mut found.finding.location;
    (place.path, place.line, place.end_line) = (path.into(), u32::try_from(line).unwrap(), None);
    (found.finding.quote, found.finding.rule) = (quote.to_owned(), None);
    found.members.truncate(1);
    found.members[0].finding = found.finding.clone();
    report
}

/// The findings after the next push, in a report of their own, with the fate of the first.
fn after_push(report: &Report, base: &Tree, before: &Tree, head: &Tree) -> (Report, FindingFate) {
    let (carried, _) = carried_to(&left_by(report, base, before), base, head);
    let mut carried = carried.findings;
    let (found, fate) = carried.remove(0);
    let mut report = report.clone();
    report.outcome.findings = vec![found];
    (report, fate)
}

/// Whether the change adds a line with this code, wherever.
fn adds(base: &Tree, head: &Tree, code: &str) -> bool {
    let code = code.lines().next().unwrap_or_default().to_owned();
    changes(base, head).iter().any(|change| {
        let lines = change.hunks.iter().flat_map(|hunk| hunk.body.lines());
        lines
            .filter_map(|line| line.strip_prefix('+'))
            .any(|line| line.trim() == code)
    })
}

proptest! {
    /// Wherever code goes, and however often: as long as the change adds it, its finding is open and stands at it. Once
    /// it is mended, no line that reads alike and that the change does not add keeps it open.
    #[test]
    fn a_move_keeps_a_finding_and_a_mend_resolves_it(
        nth in 0..CODES.len(),
        has_twins in any::<bool>(),
        drawn in prop::collection::vec(pushes(), 1..5),
    ) {
        let (quote, code, mend, wrapped) = CODES[nth];
        let base = base(code, has_twins);
        let mut placed = vec![("src/a.py", function("save", code))];
        let mut shape = code;
        let mut head = with_function(&base, &placed);
        let mut now = about("src/a.py", quote, head["src/a.py"].len() - 1);
        for push in drawn {
            let path = placed[0].0;
            placed = match push {
                Push::Moved { to, deeper, wrapped: breaks } => {
                    shape = if breaks { wrapped } else { code };
                    let lines = function("save", shape);
                    let deep = |line: String| format!("{}{line}", " ".repeat(deeper));
                    vec![(FILES[to], lines.into_iter().map(deep).collect())]
                }
                Push::Split => vec![
                    (path, function("save", "return part(path)")),
                    ("src/b.py", function("part", shape)),
                ],
                Push::Mended => vec![(path, function("save", mend))],
                Push::Copied => vec![
                    (path, function("save", mend)),
                    ("src/new.py", function("copy", shape)),
                ],
                Push::Nothing => placed,
            };
            let next = with_function(&base, &placed);
            let (report, fate) = after_push(&now, &base, &head, &next);
            let is_there = adds(&base, &next, shape);
            prop_assert_eq!(fate != FindingFate::Resolved, is_there, "{:?} {:?}", push, next);
            if !is_there {
                break;
            }
            let place = &report.outcome.findings[0].finding.location;
            let line = &next[&*place.path.display()][place.line as usize - 1];
            prop_assert!(line.contains(shape.lines().next().unwrap()), "{:?} {:?}", push, place);
            (now, head) = (report, next);
        }
    }

    /// A finding about a line that the change leaves as it was goes with that line, whatever is written above it, and
    /// with no other one that reads alike.
    #[test]
    fn an_old_line_is_that_one_and_no_other(
        own in 0usize..3,
        above in 0usize..4,
        is_mended in any::<bool>(),
        base_moves in any::<bool>(),
    ) {
        let code = "return None";
        let old = ["load", "parse", "find"].map(|name| function(name, code)).concat();
        let base = Tree::from([("src/a.py", old.clone())]);
        let lined = |above: usize, mended: bool| {
            let mut lines: Vec<String> = (0..above).map(|nth| format!("import m{nth}")).collect();
            lines.extend(old.iter().cloned());
            if mended {
                lines[above + 4 * own + 2] = "    raise Lost(path)".to_owned();
            }
            Tree::from([("src/a.py", lines)])
        };
        let before = lined(1, false);
        let now = about("src/a.py", code, 1 + 4 * own + 3);
        let next = lined(above + 1, is_mended);
        let base_now = match base_moves {
            // The number of an old line in another text says nothing.
            true => Tree::from([("src/a.py", [vec!["# one more".to_owned()], old.clone()].concat())]),
            false => base.clone(),
        };
        let left = left_by(&now, &base, &before);
        let (mut carried, _) = carried_to(&left, &base_now, &next);
        let (found, fate) = carried.findings.remove(0);
        prop_assert_eq!(fate == FindingFate::Resolved, is_mended && !base_moves);
        if !is_mended && !base_moves {
            prop_assert_eq!(found.finding.location.line as usize, above + 1 + 4 * own + 3);
        }
    }

    /// A push that brings back what was resolved, as a branch that is pushed again does, brings back the finding; short
    /// code that comes with every other function does not.
    #[test]
    fn code_that_comes_back_brings_its_finding_back(
        nth in 0..CODES.len(),
        between in 0usize..3,
        above in 0usize..3,
    ) {
        let (quote, code, mend, _) = CODES[nth];
        let base = base("return 1", false);
        let with = |code: &str| with_function(&base, &[("src/a.py", function("save", code))]);
        let (bad, good) = (with(code), with(mend));
        let now = about("src/a.py", quote, bad["src/a.py"].len() - 1);
        let mut left = left_by(&now, &base, &bad);
        for _ in 0..=between {
            let (carried, changes) = carried_to(&left, &base, &good);
            prop_assert!(carried.standing().is_empty());
            let mut passed = report(0);
            passed.receipt.run.earlier = Some(carried.settle(&passed.outcome));
            let gone = left.gone_after(&passed);
            left = state_of(&passed, &good, &changes, gone);
        }
        let mut back = bad.clone();
        let more = (0..above).map(|nth| format!("import m{nth}"));
        back.get_mut("src/a.py").unwrap().splice(0..0, more);
        let (carried, _) = carried_to(&left, &base, &back);
        let standing = carried.standing();
        prop_assert_eq!(standing.len(), 1);
        prop_assert_eq!(standing[0].finding.location.line as usize, back["src/a.py"].len() - 1);
        let told = carried.settle(&report(0).outcome);
        prop_assert_eq!(told.counts_in_words(&[]), "1 came back");
    }

    /// The same of a finding about code that the change removes: put back, it is resolved; removed again, as by the revert of
    /// its mend, it is back; and what removes other lines brings back nothing.
    #[test]
    fn a_removal_that_comes_back_brings_its_finding_back(
        between in 0usize..3,
        above in 0usize..3,
        removes_other in any::<bool>(),
    ) {
        let check = ["    if not actor.is_admin:", "        raise PermissionError(uid)"];
        let lines = |kept: &[&str]| -> Vec<String> {
            let head = ["def delete(actor, uid):", "    audit(uid)"];
            let all = head.iter().chain(kept).chain(&["    db.delete(uid)"]);
            all.map(|line| (*line).to_owned()).collect()
        };
        let tree = |lines: Vec<String>| Tree::from([("src/a.py", lines)]);
        let base = tree(lines(&check));
        let bad = tree(lines(&[]));
        let good = tree([lines(&check), vec!["# one more".to_owned()]].concat());
        let mut now = about("src/a.py", &check.join("\n"), 0);
        now.outcome.findings[0].members[0].proof = Proof::Removed { line: 0, old_line: 3 };
        let mut left = left_by(&now, &base, &bad);
        for _ in 0..=between {
            let (carried, changes) = carried_to(&left, &base, &good);
            prop_assert!(carried.standing().is_empty());
            let mut passed = report(0);
            passed.receipt.run.earlier = Some(carried.settle(&passed.outcome));
            let gone = left.gone_after(&passed);
            left = state_of(&passed, &good, &changes, gone);
        }
        let mut back = lines(if removes_other { &check } else { &[] });
        if removes_other {
            back.remove(1);
        }
        back.splice(0..0, (0..above).map(|nth| format!("import m{nth}")));
        let (carried, _) = carried_to(&left, &base, &tree(back));
        prop_assert_eq!(carried.standing().len(), usize::from(!removes_other));
    }
}

/// A block of many lines, in a function.
fn block(lines: usize, edited: &[usize]) -> Vec<String> {
    let line = |at: usize| {
        let mark = if edited.contains(&at) {
            "edited"
        } else {
            "field"
        };
        format!("    check_the_request(request.{mark}_{at}, allowed_values)")
    };
    let head = "def check(request):".to_owned();
    [head].into_iter().chain((0..lines).map(line)).collect()
}

/// The findings over a block of so many lines that was copied to `many` places of the report.
fn reports_over(block: &[String], many: usize) -> Report {
    let quote = block[1..]
        .iter()
        .map(|line| line.trim())
        .collect::<Vec<_>>();
    let mut all = about("src/a.py", &quote.join("\n"), 2);
    let one = all.outcome.findings[0].clone();
    all.outcome.findings = (0..many)
        .map(|at| {
            let mut found = one.clone();
            found.fingerprint = format!("{at:016x}");
            found.finding.category = format!("category {at}");
            found.finding.description =
                format!("{at}: the values are not checked as they should be, whatever they hold");
            found.members[0].finding = found.finding.clone();
            found
        })
        .collect();
    all
}

/// Law: however long a quote is and however many findings a comment has to hold, a block most of whose lines stand is not
/// told as resolved.
#[test]
fn a_block_is_not_resolved_because_memory_is_short() {
    for (lines, many, edited) in [
        (20, 1, (0..6).collect::<Vec<_>>()),
        (20, 1, vec![0]),
        (90, 1, (0..30).collect()),
        (200, 1, vec![0, 1]),
        (5, 90, vec![0]),
        (12, 60, vec![0, 1]),
    ] {
        let base = Tree::new();
        let before = Tree::from([("src/a.py", block(lines, &[]))]);
        let now = Tree::from([("src/a.py", block(lines, &edited))]);
        let report = reports_over(&before["src/a.py"], many);
        let left = left_by(&report, &base, &before);
        let (carried, _) = carried_to(&left, &base, &now);
        assert_eq!(carried.findings.len() + left.lost, many, "{lines} {many}");
        let resolved = carried
            .findings
            .iter()
            .filter(|(_, fate)| *fate == FindingFate::Resolved);
        assert_eq!(resolved.count(), 0, "{lines} {many} {edited:?}");
        let gone = Tree::from([("src/a.py", vec!["def other():".to_owned()])]);
        let (carried, _) = carried_to(&left, &base, &gone);
        let is_resolved = |(_, fate): &(_, FindingFate)| *fate == FindingFate::Resolved;
        assert!(carried.findings.iter().all(is_resolved), "{lines} {many}");
    }
}

/// Law: a dismissal is about the code that was read. Of a block of which any line is edited, and of any quote whose file has
/// another name, nothing is dismissed any more; what a formatter does changes nothing.
#[test]
fn a_dismissal_ends_with_the_code_that_was_read_however_long_its_quote_is() {
    let lengths = [
        38, 39, 40, 41, 79, 80, 81, 160, 199, 200, 201, 400, 401, 800, 1_600, 4_000, 5_000,
    ];
    for length in lengths {
        let base = Tree::new();
        let line = format!("run({})", "x".repeat(length - 5));
        let file = |above: &str| {
            vec![
                "def go():".to_owned(),
                format!("    {above}"),
                format!("    {line}"),
            ]
        };
        let before = Tree::from([("src/a.py", file("one()"))]);
        let mut report = about("src/a.py", &line, 3);
        super::carry::dismiss(&mut report.outcome.findings[0]);
        let left = left_by(&report, &base, &before);
        let named = |now: &Tree| {
            let (carried, _) = carried_to(&left, &base, now);
            let (found, fate) = &carried.findings[0];
            assert_ne!(*fate, FindingFate::Resolved, "{length}");
            found.fingerprint == report.outcome.findings[0].fingerprint
        };
        assert!(named(&before), "{length}");
        if length > 4_000 {
            assert!(
                !named(&Tree::from([("src/a.py", file("two()"))])),
                "{length}"
            );
            assert!(
                !named(&Tree::from([("src/b.py", file("one()"))])),
                "{length}"
            );
        }
    }
    for (lines, edited) in [(3, 1), (3, 0), (7, 3), (7, 6)] {
        let base = Tree::new();
        let before = Tree::from([("src/a.py", block(lines, &[]))]);
        let mut report = reports_over(&before["src/a.py"], 1);
        super::carry::dismiss(&mut report.outcome.findings[0]);
        let left = left_by(&report, &base, &before);
        let now = Tree::from([("src/a.py", block(lines, &[edited]))]);
        let (carried, _) = carried_to(&left, &base, &now);
        let (found, fate) = &carried.findings[0];
        assert_eq!(*fate, FindingFate::StillOpen, "{lines} {edited}");
        assert_ne!(
            found.fingerprint, report.outcome.findings[0].fingerprint,
            "{lines} {edited}"
        );
        let same = carried_to(&left, &base, &before).0;
        assert_eq!(
            same.findings[0].0.fingerprint,
            report.outcome.findings[0].fingerprint
        );
    }
}
