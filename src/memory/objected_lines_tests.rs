use council_protocol::change::{FileKind, FileStatus};
use council_protocol::coverage::FileCoverage;
use council_protocol::{Coverage, CoverageState, Hunk, Vote};
use proptest::prelude::*;

use super::*;
use crate::council::outcome::{ReviewedBy, Verdict};
use crate::memory::StandingObjections;
use crate::memory::seal::MacKey;
use crate::report;

const EXAMPLE: &str = include_str!("../../docs/examples/report.json");
const FILE: &str = "src/a.rs";

fn line(number: usize) -> String {
    format!("let total_{number} = sum / count_{number};")
}

/// A change that adds these lines, or removes them, and leaves another where it is.
fn change(sign: char, lines: &[usize]) -> Vec<FileChange> {
    let changed: String = lines
        .iter()
        .map(|&number| format!("{sign}    {}\n", line(number)))
        .collect();
    vec![FileChange {
        path: FILE.into(),
        old_path: None,
        status: FileStatus::Modified,
        kind: FileKind::Text,
        old_mode: 0o100_644,
        new_mode: 0o100_644,
        old_id: None,
        new_id: None,
        old_size: None,
        new_size: None,
        similarity: None,
        moved_from: None,
        lossy: false,
        hunks: vec![Hunk {
            old_start: 1,
            old_lines: 1,
            new_start: 1,
            new_lines: 1,
            section: String::new(),
            body: format!(" fn stays() {{}}\n{changed}"),
        }],
    }]
}

/// A review of that change by models or rules; `about`: it fails for this line.
fn review(id: usize, by_models: bool, about: Option<usize>) -> Report {
    let mut report = report::json::parse(EXAMPLE).unwrap();
    report.incomplete = false;
    report.receipt.run.recognised = None;
    report.receipt.run.recognition_key = Some(format!("{id:064x}"));
    report.receipt.run.digests.change = Some(format!("{id:064x}"));
    report.target.base = Some(format!("base-{id}"));
    report.target.head = Some(format!("head-{id}"));
    report.target.only.clear();
    let outcome = &mut report.outcome;
    outcome.coverage = Coverage {
        files: vec![FileCoverage {
            path: FILE.into(),
            state: CoverageState::Reviewed,
        }],
    };
    for judge in &mut outcome.judges {
        judge.failures.clear();
        judge.seat.agent.deterministic = !by_models;
        judge.counted = Some(Vote::Pass);
    }
    outcome.reviewed_by = ReviewedBy::of_records(&outcome.judges);
    outcome.findings.truncate(1);
    let found = &mut outcome.findings[0];
    found.level = about.map(|_| FindingLevel::Fail);
    found.finding.location.path = FILE.into();
    found.finding.quote = line(about.unwrap_or_default());
    outcome.verdict = match about {
        Some(_) => Verdict::Fail,
        None => Verdict::Pass,
    };
    report
}

fn store(dir: &tempfile::TempDir) -> StandingObjections {
    StandingObjections::new(dir.path(), Some(MacKey::new([7; 32])))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever commits a change is pushed in: as long as it adds the lines to which the last review of them objected, it is
    /// held, and a review of models is taken back by one of models alone that has read the file.
    #[test]
    fn a_change_is_held_while_it_adds_what_was_objected_to(
        reviews in prop::collection::vec(
            (prop::sample::subsequence(vec![0usize, 1, 2], 1..=3), any::<bool>(), any::<bool>(), any::<bool>()),
            1..8,
        ),
        pushed in prop::sample::subsequence(vec![0usize, 1, 2], 1..=3),
        sign in prop::sample::select(vec!['+', '-']),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let store = store(&dir);
        // By line: who objected to it and was not answered.
        let mut open: [Vec<bool>; 3] = Default::default();
        for (id, (lines, by_models, fails, skips)) in reviews.iter().enumerate() {
            let about = fails.then_some(lines[0]);
            let mut held = review(id, *by_models, about);
            if *skips {
                let reason = "lockfile".to_owned();
                held.outcome.coverage.files[0].state = CoverageState::Skipped { reason };
            }
            store.hear(&held, &ChangedFiles::alone(&change('+', lines))).unwrap();
            match about {
                Some(line) => open[line].push(*by_models),
                None if *skips => {}
                None => lines.iter().for_each(|&line| {
                    open[line].retain(|by_models_then| *by_models_then && !by_models);
                }),
            }
        }
        let held = store.over(&format!("{:064x}", 99), None, &ChangedFiles::alone(&change(sign, &pushed))).next();
        let expected = sign == '+' && pushed.iter().any(|&line| !open[line].is_empty());
        prop_assert_eq!(held.is_some(), expected, "{:?}", open);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// A new name mends nothing: the lines are found in whichever file the change adds them, and a review of models there
    /// takes the objection back, unless a coding agent asked for it.
    #[test]
    fn a_line_that_moves_to_another_file_is_held(
        objected in 0usize..3,
        pushed in prop::sample::subsequence(vec![0usize, 1, 2], 1..=3),
        name in "[a-z]{1,8}/[a-z]{1,8}[.]rs",
        split in any::<bool>(),
        by_agent in any::<bool>(),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let store = store(&dir);
        store.hear(&review(0, true, Some(objected)), &ChangedFiles::alone(&change('+', &[objected]))).unwrap();
        let mut files = change('+', &pushed);
        files[0].path = name.as_str().into();
        if split {
            // What the file held before may stay where it was, without those lines.
            files.extend(change('+', &[7]));
        }
        let held = |store: &StandingObjections| store.over(&format!("{:064x}", 99), None, &ChangedFiles::alone(&files)).next().is_some();
        prop_assert_eq!(held(&store), pushed.contains(&objected));
        let mut later = review(1, true, None);
        later.outcome.coverage.files[0].path = name.as_str().into();
        later.receipt.run.started_by = by_agent.then(|| "an agent".to_owned());
        store.hear(&later, &ChangedFiles::alone(&files)).unwrap();
        prop_assert_eq!(held(&store), by_agent && pushed.contains(&objected));
    }
}

/// A quote may be broken or indented otherwise, and what it is about may be a line that is removed.
#[test]
fn a_line_is_known_by_its_words_and_by_what_becomes_of_it() {
    let mut report = review(0, true, Some(1));
    report.outcome.findings[0].finding.quote = "let  total_1 =\n\tsum / count_1;".to_owned();
    assert!(holds_objected_lines(
        &report,
        &ChangedFiles::alone(&change('+', &[1]))
    ));
    assert!(!holds_objected_lines(
        &report,
        &ChangedFiles::alone(&change('+', &[0, 2]))
    ));
    assert!(!holds_objected_lines(
        &report,
        &ChangedFiles::alone(&change('-', &[1]))
    ));
    report.outcome.findings[0].members[0].proof = Proof::Removed {
        line: 2,
        old_line: 2,
    };
    assert!(holds_objected_lines(
        &report,
        &ChangedFiles::alone(&change('-', &[1]))
    ));
    assert!(!holds_objected_lines(
        &report,
        &ChangedFiles::alone(&change('+', &[1]))
    ));
    // A brace names no line.
    report.outcome.findings[0].finding.quote = "}".to_owned();
    assert!(!holds_objected_lines(
        &report,
        &ChangedFiles::alone(&change('-', &[1]))
    ));
}

proptest! {
    /// However short a quoted line is, the change that adds it is held, and one that has it within a longer line is not.
    #[test]
    fn a_short_line_is_known_as_a_whole(quote in "[a-z0-9] ?[=+;]?[a-z0-9]?", around in "[a-z]{1,5} = [0-9]{1,5}") {
        let mut report = review(0, true, Some(1));
        report.outcome.findings[0].finding.quote.clone_from(&quote);
        let added = |text: &str| {
            let mut files = change('+', &[]);
            files[0].hunks[0].body = format!(" fn stays() {{}}\n+    {text}\n");
            files
        };
        prop_assert!(holds_objected_lines(&report, &ChangedFiles::alone(&added(&quote))));
        let longer = format!("{around}({quote})");
        prop_assert!(!holds_objected_lines(&report, &ChangedFiles::alone(&added(&longer))));
    }
}

proptest! {
    /// A line that looks like the one in question is another one where nothing stands around it that stood there: in its own
    /// file (it was mended, and written elsewhere) as in others. With most of its lines it is the same, wherever it went.
    #[test]
    fn a_line_is_known_by_what_stands_around_it(
        is_elsewhere in any::<bool>(),
        comes_along in any::<bool>(),
        blanks in "[ \t]{0,8}",
        quote in prop::sample::select(vec!["return None", "import os", "x += 1;"]),
    ) {
        let (before, behind) = (["def get(self, key):", "if key not in self:"], ["return self[key]"]);
        let text = format!("{}\n{quote}\n{}\n", before.join("\n"), behind.join("\n"));
        let mut report = review(0, true, Some(1));
        report.outcome.findings[0].finding.quote = quote.to_owned();
        report.outcome.findings[0].finding.location.line = 3;
        let around = if comes_along { (&before[..], &behind[..]) } else { (&["def other():"][..], &["other()"][..]) };
        let lines = around.0.iter().chain([&quote]).chain(around.1);
        let mut files = change('+', &[]);
        files[0].hunks[0].body = lines.map(|line| format!("+{blanks}{line}\n")).collect();
        if is_elsewhere {
            files[0].path = "b.py".into();
        }
        let change = ChangedFiles { files: &files, reviewed: &|_, _| Some(text.clone()) };
        let is_named = !is_elsewhere || without_blanks(quote).chars().count() >= MIN_MOVED_CHARS;
        prop_assert_eq!(holds_objected_lines(&report, &change), comes_along && is_named);
    }
}

proptest! {
    /// Whatever lines a formatter makes of a statement, the change that adds it is held, with its surroundings and without; a
    /// statement that says something else is not.
    #[test]
    fn a_statement_is_held_however_a_formatter_breaks_its_lines(
        is_wrapped in any::<bool>(),
        is_quoted_wrapped in any::<bool>(),
        is_mended in any::<bool>(),
        has_text in any::<bool>(),
    ) {
        let (one, wrapped) = ("query = f\"SELECT {name}\"", "query = (\n    f\"SELECT {name}\"\n)");
        let write = |wrapped_too: bool| if wrapped_too { wrapped } else { one };
        let text = format!("def find(name):\n{}\nrun(query)\n", write(is_quoted_wrapped));
        let mut report = review(0, true, Some(1));
        report.outcome.findings[0].finding.quote = write(is_quoted_wrapped).to_owned();
        report.outcome.findings[0].finding.location.line = 2;
        let now = write(is_wrapped).replace("{name}", if is_mended { "?" } else { "{name}" });
        let mut files = change('+', &[]);
        files[0].hunks[0].body = format!("def find(name):\n{now}\nrun(query)\n")
            .lines()
            .map(|line| format!("+    {line}\n"))
            .collect();
        let reviewed = |_: &Report, _: &RepoPath| has_text.then(|| text.clone());
        let change = ChangedFiles { files: &files, reviewed: &reviewed };
        prop_assert_eq!(holds_objected_lines(&report, &change), !is_mended);
    }
}

/// A diff pairs a removed line with the same one of a new function: until it stands in its place again, it is missing there.
#[test]
fn a_removed_line_is_missed_whatever_the_diff_pairs_it_with() {
    let mut report = review(0, true, Some(1));
    let found = &mut report.outcome.findings[0];
    found.finding.quote = "require_admin(request)".to_owned();
    found.members[0].proof = Proof::Removed {
        line: 2,
        old_line: 2,
    };
    let text = "def pay(request):\n    go(request)\n".to_owned();
    let held = |body: &str| {
        let mut files = change('+', &[]);
        files[0].hunks[0].body = body.to_owned();
        let reviewed = |_: &Report, _: &RepoPath| Some(text.clone());
        let files = ChangedFiles {
            files: &files,
            reviewed: &reviewed,
        };
        holds_objected_lines(&report, &files)
    };
    let paired = "+def help(request):\n     require_admin(request)\n+    show(request)\n+\n";
    let pay = " def pay(request):\n";
    assert!(held(&format!("{paired}{pay}     go(request)\n")));
    assert!(held(&format!("{paired}{pay}+\n     go(request)\n")));
    assert!(!held(&format!(
        "{paired}{pay}+    require_admin(request)\n     go(request)\n"
    )));
    assert!(!held(&format!(
        "{paired}+def other(request):\n+    go(request)\n"
    )));
}
