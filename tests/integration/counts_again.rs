//! Findings that somebody dismissed and that count all the same.

use crate::recognised::with;

/// Every surface that has notes says that a finding counts again: of a report from before, and of the next ones.
#[test]
fn every_format_says_that_a_finding_counts_again() {
    let formats = [
        "terminal", "story", "markdown", "html", "json", "sarif", "junit", "agent",
    ];
    let repo = with("notes.py", "<<<<<<< HEAD\n");
    let says = |wanted: bool, when: &str| {
        for format in formats {
            let shown = repo.council(["show", "--format", format]).ends(0).stdout;
            let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
            assert_eq!(
                shown.contains("counts again"),
                wanted,
                "{when}, {format}: {shown}"
            );
        }
    };
    repo.council(["review", "HEAD", "-q"]).ends(1);
    says(false, "nothing was dismissed");
    repo.council(["dismiss", "F1", "--because", "an example"])
        .ends(0);
    repo.council(["review", "HEAD", "-q"]).ends(0);
    says(false, "it is dismissed");
    repo.council(["dismiss", "F1", "--undo"]).ends(0);
    says(true, "the report is from before");
    repo.council(["review", "HEAD", "-q"]).ends(1);
    says(true, "the verdict is recognised");
    repo.council(["review", "HEAD", "-q", "--fresh"]).ends(1);
    says(true, "the verdict is new");
    repo.council(["dismiss", "F1", "--because", "an example"])
        .ends(0);
    repo.council(["review", "HEAD", "-q"]).ends(0);
    says(false, "it is dismissed again");
}
