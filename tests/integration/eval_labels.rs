//! What a person says of findings, at a terminal or through a pipe.

use crate::eval::{hold, prepared};
use crate::harness::{Repo, Run};

fn label(repo: &Repo, file: &str, typed: &str) -> Run {
    let run = repo.council_reading(typed.as_bytes(), &["eval", "label", file]);
    run.ends(0)
}

/// The share of shown defects, and how many words of people are in it.
fn compared(repo: &Repo, file: &str) -> (Option<f64>, Option<u64>) {
    let told = repo.council(["eval", "compare", file, "--json"]).ends(0);
    let told: serde_json::Value = serde_json::from_str(&told.stdout).unwrap();
    let shown = &told["councils"][0]["measures"]["defects-shown"]["value"];
    (shown.as_f64(), told["labelled_findings"].as_u64())
}

#[test]
fn a_person_s_word_counts_before_the_distance_and_the_comparison_says_so() {
    let (repo, run) = prepared();
    hold(&repo, &run, &[]).ends(0);
    let file = run[2].as_str();
    assert_eq!(compared(&repo, file), (Some(1.0), Some(0)));
    label(&repo, file, "N\n").prints("1 labelled, 0 left; 1 labelled in all");
    assert_eq!(compared(&repo, file), (Some(0.0), Some(1)));
    repo.council(["eval", "compare", file])
        .ends(0)
        .prints("One finding counts as a person said");
    // What is decided is not asked again, and how to change it is told.
    label(&repo, file, "")
        .prints("0 labelled, 0 left; 1 labelled in all")
        .prints("--again");
    let again = ["eval", "label", file, "--again"];
    repo.council_reading(b"y\n", &again)
        .ends(0)
        .prints("labelled: it does not name the defect")
        .prints("1 labelled, 0 left; 1 labelled in all");
    assert_eq!(compared(&repo, file), (Some(1.0), Some(1)));
}

#[test]
fn who_labels_sees_the_lines_and_the_fix_and_can_take_a_word_back() {
    let (repo, run) = prepared();
    hold(&repo, &run, &[]).ends(0);
    let file = run[2].as_str();
    let seen = label(&repo, file, "maybe\n\u{1b}\nu\nq\n")
        .tells("`maybe` is no answer: type y, n, s, u or q")
        .tells("nothing was said yet")
        .prints("    3 |     second = first * 2")
        .prints("-     second = first * 2")
        .prints("+     second = first - 2")
        .prints("0 labelled, 1 left; 0 labelled in all");
    assert!(!seen.stderr.contains('\u{1b}'), "{:?}", seen.stderr);
    let words = || std::fs::read_to_string(format!("{file}.labels")).unwrap_or_default();
    assert_eq!(words(), "");
    // The last word can be taken back, too.
    label(&repo, file, "y\nU\nq\n").prints("0 labelled, 1 left; 0 labelled in all");
    assert_eq!(compared(&repo, file), (Some(1.0), Some(0)));
    label(&repo, file, "y\nu\nn\ny\n\n")
        .tells("`y` is no answer: type u or q")
        .prints("1 labelled, 0 left; 1 labelled in all");
    assert_eq!(compared(&repo, file), (Some(0.0), Some(1)));
}
