//! A duel says what its sides were shown, as a review does of its judges: what nobody read is no PASS.

use std::fmt::Write as _;

use serde_json::Value;

use crate::harness::Repo;
use crate::programs::{answer, with_judge};

const DUEL: [&str; 5] = ["--agent-a", "helper", "--agent-b", "helper", "--json"];

/// The change of which a value is replaced before a model reads it.
const HIDDEN: &str = "a value that nobody is shown";

/// What somebody commits, and how much of it fits into a brief.
struct Change {
    what: &'static str,
    files: Vec<(String, String)>,
    /// `limits.brief`, where it is not the default.
    brief: Option<&'static str>,
    is_document: bool,
}

impl Change {
    fn of_files(what: &'static str, files: usize, lines: usize) -> Self {
        let text = |file: usize| {
            (0..lines).fold(String::new(), |mut text, line| {
                let _ = writeln!(text, "the value of row {line} in part {file} is set");
                text
            })
        };
        let files = (0..files).map(|file| (format!("part{file}.txt"), text(file)));
        Self {
            what,
            files: files.collect(),
            brief: Some("60K"),
            is_document: false,
        }
    }

    fn of_text(what: &'static str, name: &str, text: String) -> Self {
        Self {
            files: vec![(name.to_owned(), text)],
            brief: None,
            ..Self::of_files(what, 0, 0)
        }
    }

    fn commit(&self) -> Repo {
        let limits = self
            .brief
            .map(|brief| format!("[limits]\nbrief = '{brief}'\n"));
        let repo = with_judge(&answer("PASS", ""), &limits.unwrap_or_default());
        for (name, text) in &self.files {
            repo.write(name, text);
        }
        repo.commit("Data");
        repo
    }
}

fn report(repo: &Repo, args: &[&str]) -> (i32, Value) {
    let run = repo.council_with(&[], args);
    let report = serde_json::from_str(&run.stdout);
    (
        run.code,
        report.unwrap_or_else(|error| panic!("{error}: {}{}", run.stdout, run.stderr)),
    )
}

/// What was seen of each file. How many lines of a file fit beside the task depends on the task's own words.
fn states(report: &Value) -> Vec<(String, String)> {
    let files = report["coverage"]["files"].as_array().unwrap().iter();
    let text = |value: &'_ Value| value.as_str().unwrap().to_owned();
    let named = files.map(|file| (text(&file["path"]), text(&file["state"]["state"])));
    named.collect()
}

/// The law: over the same change, a duel covers exactly what a review by two judges covers, and ends alike.
#[test]
fn a_duel_covers_what_a_review_by_two_judges_covers() {
    let mut document = Change::of_text(
        "a document",
        "PLAN.md",
        "We do it at night.\n".repeat(9_000),
    );
    document.brief = Some("60K");
    document.is_document = true;
    let changes = [
        Change::of_files("all of it fits", 2, 100),
        Change::of_files("one file is cut", 1, 2_000),
        Change::of_files("files are left out", 6, 500),
        Change::of_text(
            "a long line",
            "a.txt",
            format!("{}\n", "word ".repeat(9_000)),
        ),
        Change::of_text("withheld lines", ".env", "GREETING=hello-there\n".into()),
        Change::of_text(
            HIDDEN,
            "a.yml",
            // Too short for a finding.
            format!("db:\n  password: \"{}\"\n", "k3j9x0"),
        ),
        document,
    ];
    let mut open = 0;
    for change in changes {
        let (what, repo) = (change.what, change.commit());
        let (review, duel) = match change.is_document {
            true => (
                vec!["review", "--file", "PLAN.md", "--json"],
                vec!["duel", "PLAN.md"],
            ),
            false => (vec!["review", "HEAD", "--json"], vec!["duel", "HEAD"]),
        };
        let review = report(&repo, &[&review[..], &["--judges", "2"]].concat());
        let duel = report(&repo, &[&duel[..], &DUEL].concat());
        assert_eq!(states(&duel.1), states(&review.1), "{what}");
        for part in ["verdict", "reason", "headline"] {
            assert_eq!(duel.1[part], review.1[part], "{what}: {part}");
        }
        let headline = duel.1["headline"].as_str().unwrap();
        assert_eq!(
            headline.contains("hidden from the models"),
            what == HIDDEN,
            "{headline}"
        );
        assert_eq!(duel.0, review.0, "{what}: {}", duel.1["notes"]);
        let is_whole = states(&duel.1).iter().all(|(_, state)| state == "reviewed");
        let is_open = duel.1["verdict"] == "INCONCLUSIVE";
        assert_eq!(is_open, !is_whole, "{what}: {}", duel.1["coverage"]);
        open += usize::from(is_open);
    }
    assert_eq!(open, 4, "all but what fits and what is withheld");
}

/// The next step is the same one, too: the command that reviews the change whole.
#[test]
fn a_duel_over_a_part_of_a_change_names_what_reviews_it_whole() {
    let repo = Change::of_files("files are left out", 6, 500).commit();
    let (_, duel) = report(&repo, &[&["duel", "HEAD"], &DUEL[..]].concat());
    let notes = duel["notes"].to_string();
    assert!(notes.contains("reviews all of it"), "{notes}");
    let shard = ["--config", "review.large=shard"];
    let (code, duel) = report(&repo, &[&["duel", "HEAD"], &DUEL[..], &shard].concat());
    let notes = duel["notes"].to_string();
    assert!(notes.contains("argue over one brief"), "{notes}");
    assert_eq!(code, 3);
}

#[test]
fn a_quorum_that_two_sides_cannot_reach_is_refused() {
    let repo = with_judge(
        "touch @MARKS/asked; cat >/dev/null",
        "[review]\nquorum = 3\n",
    );
    repo.council_with(&[], &[&["duel", "HEAD"], &DUEL[..]].concat())
        .ends(2)
        .tells("a duel has two sides")
        .tells("lower `review.quorum`");
    assert!(!repo.in_home("marks/asked").exists(), "nobody is asked");
    assert!(!repo.path().join("DEBATE.md").exists());
}

#[test]
fn secrets_that_were_replaced_for_the_sides_are_told() {
    let repo = with_judge(&answer("PASS", ""), "");
    let token = format!(
        "ghp_{}",
        "aB3dE5fG7hI9jK1lM2nO4pQ6rS8tU0vW1xY3".get(..36).unwrap()
    );
    repo.write("src/a.rs", format!("pub const T: &str = \"{token}\";\n"));
    repo.commit("Change");
    let (_, review) = report(&repo, &["review", "HEAD", "--json", "--judges", "2"]);
    let (_, duel) = report(&repo, &[&["duel", "HEAD"], &DUEL[..]].concat());
    for report in [review, duel] {
        let notes = report["notes"].to_string();
        assert!(
            notes.contains("replaced in what the models read"),
            "{notes}"
        );
    }
}

/// The headline and the exit code are computed in one place: the one says why the other is what it is.
#[test]
fn the_headline_of_a_duel_says_why_it_fails() {
    let finding = r#"{"severity": "significant", "category": "naming", "description": "The name says nothing.",
 "location": {"path": "src/more.rs", "line": 2}, "quote": "pub const MORE: u32 = 1;", "why": "w", "fix": "f"}"#;
    let repo = with_judge(&answer("WARN", finding), "");
    let fail_on = ["--fail-on", "warn"];
    let (code, duel) = report(&repo, &[&["duel", "HEAD"], &DUEL[..], &fail_on].concat());
    let headline = duel["headline"].as_str().unwrap();
    assert_eq!(code, 1, "{headline}");
    assert!(
        headline.contains("the run fails, since fail-on is warn"),
        "{headline}"
    );
}

/// The law: an objection in an answer that does not count bars the PASS of a duel as it bars that of a review, whichever
/// side gave it, and is told.
#[test]
fn what_was_said_in_an_answer_that_does_not_count_bars_a_pass() {
    let objects = r#"echo '{"verdict": "REJECT", "findings": [{"severity": "critical", "description": "It is wrong."}]}'"#;
    let script = format!(
        "if mkdir @MARKS/asked 2>/dev/null; then cat >/dev/null; {objects}; exit 0; fi\n{}",
        answer("PASS", "")
    );
    for opens in [true, false] {
        let repo = with_judge(&script, "");
        let calm = repo.in_home("calm.sh");
        std::fs::write(&calm, format!("#!/bin/sh\n{}\n", answer("PASS", ""))).unwrap();
        let calm = format!(
            "[agents.calm]\ndriver = 'command'\ncommand = ['/bin/sh', {:?}]\n",
            calm.display().to_string()
        );
        let config = std::fs::read_to_string(repo.in_home(".config/git-council/config.toml"));
        repo.write_home(
            ".config/git-council/config.toml",
            &(config.unwrap() + &calm),
        );
        let agents = match opens {
            true => ["--agent-a", "helper", "--agent-b", "calm"],
            false => ["--agent-a", "calm", "--agent-b", "helper"],
        };
        let args = [&["duel", "HEAD", "--json"], &agents[..]].concat();
        let (code, duel) = report(&repo, &args);
        let notes = duel["notes"].to_string();
        assert_eq!((code, &duel["verdict"]), (0, &"WARN".into()), "{notes}");
        assert!(notes.contains("It is wrong."), "{notes}");
        let name = duel["receipt"]["run"]["name"].as_str().unwrap();
        repo.council(["replay", name]).ends(0).prints("WARN");
    }
}
