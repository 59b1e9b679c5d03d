//! What an evaluation says of councils that fail, warn, or come to no verdict, and of what it could not label.

use serde_json::Value;

use crate::harness::{Repo, Run};

const BODY: &str = "(value):\n    first = value + 1\n    second = first * 2\n    return second\n";

/// Two functions; the second one is mended later.
fn history() -> Repo {
    let repo = Repo::with_base();
    for name in ["alpha", "beta"] {
        repo.write(&format!("src/{name}.py"), format!("def {name}{BODY}"));
        repo.commit(&format!("Add {name}"));
    }
    repo.write(
        "src/beta.py",
        format!("def beta{}", BODY.replace("* 2", "* 3")),
    );
    repo.commit("Fix the second value of beta");
    repo
}

/// A council of one program that says this.
fn write_council(repo: &Repo, name: &str, says: &str) {
    repo.write_home(
        name,
        &format!(
            "[review]\nagents = [\"one\"]\njudges = 1\nquorum = 1\n[agents.one]\ndriver = \"command\"\ncommand = ['''sh''', \
             '''-c''', '''cat >/dev/null; {says}''']\n"
        ),
    );
}

fn vote(verdict: &str, severity: &str) -> String {
    let finding = match severity {
        "" => String::new(),
        _ => format!(
            r#"{{"severity":"{severity}","description":"it multiplies","why":"wrong for 0","location":{{"path":"src/beta.py","line":3}},"quote":"second = first * 2"}}"#
        ),
    };
    format!(
        r#"printf '{{"schema_version":1,"round":1,"key":"%s","confidence":"HIGH","key_insight":"i","verdict":"{verdict}","findings":[{finding}]}}' "$COUNCIL_KEY""#
    )
}

fn path_of(repo: &Repo, name: &str) -> String {
    repo.in_home(name).display().to_string()
}

fn collect(repo: &Repo, sets: &str, file: &str) -> Run {
    let since = ["eval", "collect", "--since", "2000-01-01"];
    let args = since.into_iter().chain(["--sets", sets, "-o", file]);
    repo.council_with(&[], &args.collect::<Vec<_>>())
}

fn compared(repo: &Repo, file: &str) -> Value {
    let told = repo.council(["eval", "compare", file, "--json"]).ends(0);
    serde_json::from_str(&told.stdout).unwrap()
}

fn measured(told: &Value, council: usize, measure: &str) -> Option<f64> {
    told["councils"][council]["measures"][measure]["value"].as_f64()
}

#[test]
fn a_council_that_fails_one_that_warns_and_one_without_a_verdict_have_other_figures() {
    let repo = history();
    write_council(&repo, "a-fails.toml", &vote("FAIL", "critical"));
    write_council(&repo, "b-warns.toml", &vote("WARN", "significant"));
    write_council(&repo, "c-prose.toml", "echo 'Looks good to me.'");
    let file = path_of(&repo, "changes.jsonl");
    collect(&repo, "szz", &file).ends(0);
    let councils =
        ["a-fails.toml", "b-warns.toml", "c-prose.toml"].map(|name| path_of(&repo, name));
    let flags = councils.iter().flat_map(|council| ["--council", council]);
    let run: Vec<&str> = ["eval", "run", &file, "--repeat", "2"]
        .into_iter()
        .chain(flags)
        .collect();
    let held = repo.council_with(&[], &run).ends(0);
    held.prints("came to no verdict").prints("--again");
    let told = compared(&repo, &file);
    assert_eq!(measured(&told, 0, "failed-defective"), Some(1.0), "{told}");
    assert_eq!(measured(&told, 1, "failed-defective"), Some(0.0), "{told}");
    assert_eq!(measured(&told, 1, "objections"), Some(1.0), "{told}");
    assert_eq!(measured(&told, 2, "without-verdict"), Some(1.0), "{told}");
    assert_eq!(measured(&told, 2, "stable-verdicts"), Some(0.0), "{told}");
    let page = repo.council(["eval", "compare", &file]).ends(0);
    page.prints("c-prose: 2 of 2 reviews came to no verdict");
    // Once it is mended, they are held again, and no other one.
    repo.council_with(&[], &run).ends(0);
    assert_eq!(
        measured(&compared(&repo, &file), 2, "without-verdict"),
        Some(1.0)
    );
    let flag = path_of(&repo, "mended");
    write_council(
        &repo,
        "c-prose.toml",
        &format!("if [ -e '{flag}' ]; then {}; fi", vote("PASS", "")),
    );
    repo.council_with(&[], &run).ends(0);
    repo.write_home("mended", "");
    let again: Vec<&str> = run.iter().copied().chain(["--again"]).collect();
    repo.council_with(&[], &again).ends(0);
    let told = compared(&repo, &file);
    let names = told["councils"].as_array().unwrap();
    assert_eq!(
        names.len(),
        4,
        "each version of a council has a column: {told}"
    );
    let lost = (2..4).map(|at| measured(&told, at, "without-verdict").unwrap());
    assert_eq!(lost.sum::<f64>(), 1.0, "one version was mended: {told}");
}

#[test]
fn where_no_review_could_be_held_the_reason_is_told() {
    let repo = history();
    let file = path_of(&repo, "changes.jsonl");
    collect(&repo, "szz", &file).ends(0);
    let council = "[review]\nagents = ['one']\njudges = 1\nquorum = 1\n[agents.one]\ndriver = 'command'\ncommand = \
                   ['/no/such/program']\n";
    repo.write_home("gone.toml", council);
    let council = path_of(&repo, "gone.toml");
    let held = repo.council(["eval", "run", &file, "--council", &council]);
    assert_ne!(held.code, 0, "{}", held.stdout);
    held.tells("no review could be held")
        .tells("/no/such/program");
}

#[test]
fn a_dismissal_is_a_label_wherever_it_is_kept() {
    let repo = Repo::with_base();
    repo.write(
        "run.py",
        "def b(x):\n    try:\n        return run(x)\n    except Exception:\n        pass\n",
    );
    let commit = repo.commit("Add run");
    repo.council(["review", "HEAD"]).ends(0);
    repo.council([
        "dismiss",
        "F1",
        "--because",
        "meant so",
        "--as",
        "false-positive",
    ])
    .ends(0);
    repo.write("other.py", "x = 1\n");
    repo.commit("Other");
    let file = path_of(&repo, "changes.jsonl");
    collect(&repo, "dismissals", &file).ends(0);
    let text = std::fs::read_to_string(&file).unwrap();
    let found: Value = serde_json::from_str(text.lines().next().unwrap_or_default()).unwrap();
    assert_eq!(found["commit"], commit.as_str(), "{text}");
    assert_eq!(found["places"][0]["path"], "run.py", "{text}");
    // What is taken back is none.
    repo.council(["dismiss", "F1", "--undo"]).ends(0);
    std::fs::remove_file(&file).unwrap();
    collect(&repo, "dismissals", &file).ends(0);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "");
}

#[test]
fn a_file_that_no_collect_wrote_is_left_alone() {
    let repo = history();
    let own = "[review]\njudges = 3\n";
    repo.write_home("my-council.toml", own);
    let file = path_of(&repo, "my-council.toml");
    collect(&repo, "szz", &file).ends(2);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), own);
}

/// Whatever it found: the footnote says that such a review counts as a miss, and the figures are those of the footnote.
#[test]
fn a_review_without_a_verdict_shows_no_defect_and_its_line_says_why() {
    let repo = history();
    write_council(&repo, "torn.toml", &vote("FAIL", "significant"));
    let file = path_of(&repo, "changes.jsonl");
    collect(&repo, "szz", &file).ends(0);
    let council = path_of(&repo, "torn.toml");
    let held = repo.council(["eval", "run", &file, "--council", &council]);
    let said = "INCONCLUSIVE, 1 finding, ";
    held.ends(0).tells(said).tells(": verdict-without-finding");
    let told = compared(&repo, &file);
    assert_eq!(measured(&told, 0, "without-verdict"), Some(1.0), "{told}");
    assert_eq!(measured(&told, 0, "defects-shown"), Some(0.0), "{told}");
    assert_eq!(measured(&told, 0, "guilty-files"), Some(0.0), "{told}");
    assert_eq!(measured(&told, 0, "proved-quotes"), Some(0.0), "{told}");
    let page = repo.council(["eval", "compare", &file]).ends(0);
    page.prints("1 of 1 reviews came to no verdict, e.g. because of verdict-without-finding");
}
