//! What a reader takes from a finding in the time of a glance: what is wrong, its lines as they were written, its names.

use proptest::prelude::*;

use super::super::{DisplayOptions, Report, Verbosity, html, markdown, terminal};
use super::samples;
use super::surfaces::EIGHTY;
use crate::council::outcome::JudgedFinding;
use crate::report::html::PageMaterial;
use crate::text;

/// A report of which the first finding is as it is made.
fn with(change: impl FnOnce(&mut JudgedFinding)) -> Report {
    let mut report = samples::fail();
    change(&mut report.outcome.findings[0]);
    report
}

fn comment(report: &Report) -> String {
    let options = markdown::MarkdownOptions {
        frontmatter: false,
        fold: true,
        ..Default::default()
    };
    markdown::render(report, options)
}

const FIX: &str = "\
Two steps:

- open it
- close it

```python
if p:
    with open(p) as x:
        read(x)
```";

#[test]
fn code_and_lists_of_a_reason_keep_their_lines_on_every_surface() {
    let report = with(|found| found.finding.fix = FIX.to_owned());
    let shown = terminal::render(&report, EIGHTY, &[]);
    for line in [
        "  fix: Two steps:",
        "       - open it",
        "       - close it",
        "       | if p:",
        "       |     with open(p) as x:",
        "       |         read(x)",
    ] {
        assert!(shown.lines().any(|shown| shown == line), "{line}: {shown}");
    }
    let comment = comment(&report);
    let list = "\
- **Fix:** Two steps:

  - open it
  - close it

  ```python
  if p:
      with open(p) as x:
          read(x)
  ```
";
    assert!(comment.contains(list), "{comment}");
    let page = html::render(&report, &PageMaterial::default());
    let steps = "<dd><p>Two steps:</p><ul><li>open it</li><li>close it</li></ul>";
    let code = "<pre><code>if p:\n    with open(p) as x:\n";
    assert!(page.contains(&format!("{steps}{code}")), "{page}");
}

#[test]
fn a_suggestion_that_deletes_lines_says_so() {
    for (text, deletes) in [("", true), ("\n", false), ("let x = 1;\n", false)] {
        let report = with(|found| found.finding.suggestion = Some(text.to_owned()));
        let shown = terminal::render_all(&report, EIGHTY, &[]);
        assert_eq!(
            shown.contains("suggestion: delete the quoted lines"),
            deletes,
            "{shown}"
        );
        let comment = comment(&report);
        assert_eq!(
            comment.contains("Delete the quoted lines"),
            deletes,
            "{comment}"
        );
        let page = html::render(&report, &PageMaterial::default());
        assert_eq!(page.contains("Suggested: delete the marked lines"), deletes);
    }
}

/// As many findings of one rule as numbers, which are their names.
fn of_one_rule(numbers: &[u32]) -> Report {
    let mut report = samples::fail();
    let first = report.outcome.findings[0].clone();
    let find = |number: &u32| {
        let mut found = first.clone();
        found.id = format!("F{number}");
        found.fingerprint = format!("{number:016x}");
        found.finding.location.line = number + 100;
        found
    };
    report.outcome.findings = numbers.iter().map(find).collect();
    report
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Each finding that fails the change can be named by what stands on the screen.
    #[test]
    fn every_finding_of_a_rule_is_named(numbers in prop::collection::btree_set(1_u32..30, 1..9)) {
        let numbers: Vec<u32> = numbers.into_iter().collect();
        let shown = terminal::render(&of_one_rule(&numbers), DisplayOptions { width: 200, ..EIGHTY }, &[]);
        let line = shown.lines().find(|line| line.starts_with('F') && !line.starts_with("FAIL")).unwrap();
        let names = line.split_once(" critical ").unwrap().0;
        let mut named = Vec::new();
        for row in names.split(", ") {
            let mut ends = row.split('-').map(|id| id[1..].parse::<u32>().unwrap());
            let first = ends.next().unwrap();
            named.extend(first..=ends.next().unwrap_or(first));
        }
        prop_assert_eq!(named, numbers, "{}", line);
    }

    /// Whatever a path and a rule are called, a hook says what is wrong.
    #[test]
    fn a_hook_says_what_is_wrong(path in "[a-z/]{1,120}", rule in "[a-z-]{1,60}", many in 1_u32..7, width in 60_usize..120) {
        let numbers: Vec<u32> = (1..=many).collect();
        let mut report = of_one_rule(&numbers);
        for found in &mut report.outcome.findings {
            found.finding.location.path = path.as_str().into();
            found.finding.rule = Some(rule.clone());
            found.finding.description = "A shell runs what somebody typed into the form.".to_owned();
        }
        let look = DisplayOptions { width, ..EIGHTY };
        let shown = terminal::render_hook(&report, look, 9, None);
        let line = shown.lines().next().unwrap();
        prop_assert!(line.contains("A shell runs what"), "{}", line);
        prop_assert!(text::display_width(line) <= width, "{}", line);
    }
}

#[test]
fn a_finding_that_is_a_note_is_called_one() {
    for verbosity in [Verbosity::Normal, Verbosity::Verbose] {
        let look = DisplayOptions {
            verbosity,
            ..EIGHTY
        };
        for (name, report) in samples::all() {
            let notes = report.outcome.findings.iter().filter(|found| {
                let is_note = found.level == Some(crate::council::outcome::FindingLevel::Note);
                is_note && found.finding.severity > council_protocol::Severity::Minor
            });
            let shown = terminal::render(&report, look, &[]);
            assert_eq!(
                shown.contains("a note)"),
                notes.count() > 0,
                "{name}: {shown}"
            );
        }
    }
}

/// The first judges of a debate as those who were not asked a second time.
fn unasked_again(count: usize) -> Report {
    let mut report = samples::fail();
    for judge in report.outcome.judges.iter_mut().take(count) {
        (judge.r2, judge.change) = (None, None);
        judge.failures.clear();
        judge.seat.agent.deterministic = false;
    }
    report
}

#[test]
fn what_became_of_votes_is_told_in_the_right_number() {
    let told = |count| comment(&unasked_again(count));
    let one =
        "security was not asked again, as nothing was open for it: the vote of round 1 stands";
    assert!(told(1).contains(one), "{}", told(1));
    let two = "security and error-paths were not asked again, as nothing was open for them: their votes of round 1 stand";
    assert!(told(2).contains(two), "{}", told(2));
}
