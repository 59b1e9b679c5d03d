//! One edit, wherever it is read: the report, the formats for programs, what is applied, and the replay.

use council_fake_models::{FakeModels, Reply, Rule};
use serde_json::{Value, json};

use crate::harness::Repo;
use crate::models::{KEY, repo};
use crate::programs::{answer, with_judge};

const SOURCE: &str = "def run(cmd):\n    if cmd:\n        os.system(cmd)\n    else:\n        print(\"none\")\n    return 0\n";

/// A review in which one judge quotes and suggests something at a line of `a.py`, and its finding as it is reported.
fn suggested(line: u32, quote: &str, suggestion: &str) -> (Repo, Value) {
    let finding = json!({"severity": "critical", "category": "injection", "description": "It runs what a caller sends.",
        "location": {"path": "a.py", "line": line}, "quote": quote, "why": "w", "fix": "f", "suggestion": suggestion});
    let rule = Rule::on(Reply::finding("FAIL", finding)).model("fake-gemini");
    let models = FakeModels::start([rule]).unwrap();
    let repo = repo(&models, "");
    repo.write("a.py", SOURCE);
    repo.commit("Run");
    let args = ["review", "HEAD", "--json", "--deep", "--debate=off"];
    let run = repo.council_with(&[KEY], &args);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    let replayed = repo.council(["replay", "--json"]).stdout;
    let replayed: Value = serde_json::from_str(&replayed).unwrap();
    let found = |report: &Value| report["findings"][0]["finding"].clone();
    assert_eq!(found(&replayed), found(&report));
    (repo, found(&report))
}

fn source_of(repo: &Repo) -> String {
    std::fs::read_to_string(repo.path().join("a.py")).unwrap()
}

/// The text that a format for programs puts in the place of which lines.
fn offered(repo: &Repo) -> Value {
    let rdjson = repo.council(["show", "--format", "rdjson"]).stdout;
    let rdjson: Value = serde_json::from_str(&rdjson).unwrap();
    rdjson["diagnostics"][0]["suggestions"][0].clone()
}

#[test]
fn what_a_judge_left_out_before_its_lines_is_put_in_everywhere() {
    let (repo, finding) = suggested(3, "os.system(cmd)", "subprocess.run([cmd])");
    let wanted = "        subprocess.run([cmd])";
    assert_eq!(finding["suggestion"], wanted);
    assert_eq!(offered(&repo)["text"], wanted);
    repo.council(["apply", "F1"]).ends(0);
    let applied = SOURCE.replace("        os.system(cmd)", wanted);
    assert_eq!(source_of(&repo), applied);
}

#[test]
fn all_lines_that_are_quoted_are_replaced() {
    let quote = "    if cmd:\n        os.system(cmd)\n    else:\n        print(\"none\")";
    let wanted = quote.replace("os.system(cmd)", "subprocess.run([cmd])");
    let (repo, finding) = suggested(2, quote, &wanted);
    assert_eq!(finding["location"]["end_line"], 5, "{finding}");
    assert_eq!(offered(&repo)["range"]["end"]["line"], 5);
    repo.council(["apply", "F1"]).ends(0);
    assert_eq!(source_of(&repo), SOURCE.replace(quote, &wanted));
}

#[test]
fn lines_that_nobody_can_tell_are_not_replaced() {
    let quote = "if cmd:\n    ...\n    print(\"none\")";
    let (repo, finding) = suggested(2, quote, "    print(cmd)");
    assert_eq!(finding["suggestion"], Value::Null, "{finding}");
    repo.council(["apply", "F1"])
        .ends(2)
        .tells("has no suggestion");
    assert_eq!(source_of(&repo), SOURCE);
}

#[test]
fn a_suggestion_for_a_part_of_a_line_replaces_no_line() {
    let (repo, finding) = suggested(6, "0", "1");
    assert_eq!(
        finding["suggestion"],
        Value::Null,
        "too short to be found: {finding}"
    );
    let (repo_of_part, finding) = suggested(1, "run(cmd)", "run(cmd, check)");
    assert_eq!(finding["location"]["line"], 1, "{finding}");
    assert_eq!(finding["suggestion"], Value::Null, "{finding}");
    for repo in [repo, repo_of_part] {
        repo.council(["apply", "F1"]).ends(2);
        assert_eq!(source_of(&repo), SOURCE);
    }
}

/// However a judge dresses its edit, `apply` writes what the bare one says.
#[test]
fn a_dressed_suggestion_is_applied_as_the_bare_one() {
    let (old, new) = ("        os.system(cmd)", "        subprocess.run([cmd])");
    for dressed in [
        format!("```python\n{new}\n```"),
        format!("3 | {new}"),
        format!("3 +{new}"),
        format!("-{old}\n+{new}"),
    ] {
        let (repo, finding) = suggested(3, "os.system(cmd)", &dressed);
        assert_eq!(finding["suggestion"], new, "{dressed}");
        repo.council(["apply", "F1"]).ends(0);
        assert_eq!(source_of(&repo), SOURCE.replace(old, new));
    }
}

#[test]
fn an_empty_field_suggests_nothing() {
    for nothing in ["", "N/A"] {
        let (repo, finding) = suggested(3, "os.system(cmd)", nothing);
        assert_eq!(finding["suggestion"], Value::Null, "{finding}");
        repo.council(["apply", "F1"])
            .ends(2)
            .tells("has no suggestion");
        assert_eq!(source_of(&repo), SOURCE);
    }
}

/// What the judge of [`all_in_doubt`] finds fault with, and in which words.
const IN_DOUBT: [(&str, &str); 3] = [
    ("alpha = open(one)", "The handle leaks."),
    ("beta = two / count", "It divides by zero."),
    ("gamma = eval(three)", "A caller runs code."),
];

/// Functions with these lines, which end so.
fn functions_of(lines: [&str; 3], end: &str) -> String {
    let function = |(nth, line): (usize, &str)| format!("def f{nth}():{end}    {line}{end}");
    (1..).zip(lines).map(function).collect()
}

/// A review of a file in which one judge quotes a part of each line of [`IN_DOUBT`], and suggests a line more for it.
fn all_in_doubt(target: &str, end: &str) -> Repo {
    let finding = |(nth, (line, why)): (usize, (&str, &str))| {
        json!({"severity": "critical", "category": format!("kind-{nth}"), "description": why,
            "location": {"path": "all.py", "line": nth * 2}, "quote": &line[..line.len() - 2], "why": "w", "fix": "f",
            "suggestion": format!("    check({nth})\n    {line}")})
        .to_string()
    };
    let findings: Vec<String> = (1..).zip(IN_DOUBT).map(finding).collect();
    let repo = with_judge(&answer("FAIL", &findings.join(", ")), "");
    repo.write("all.py", functions_of(IN_DOUBT.map(|(line, _)| line), end));
    match target {
        "--worktree" => {}
        "--staged" => drop(repo.git(["add", "."])),
        _ => drop(repo.commit("All")),
    }
    repo.council(["review", "--agents", "helper", target])
        .ends(1);
    repo
}

const TARGETS: [&str; 3] = ["--worktree", "--staged", "HEAD"];

const ENDS: [&str; 2] = ["\n", "\r\n"];

/// One suggestion moves the lines of the next, and changes none of them: all are applied, in whichever order.
#[test]
fn what_is_applied_leaves_the_other_suggestions_of_its_file_to_be_applied() {
    for (target, end) in TARGETS
        .into_iter()
        .flat_map(|target| ENDS.map(|end| (target, end)))
    {
        for order in [["F1", "F2", "F3"], ["F3", "F1", "F2"]] {
            let repo = all_in_doubt(target, end);
            for id in order {
                repo.council(["apply", id]).ends(0);
            }
            let lines =
                [1, 2, 3].map(|nth: usize| format!("check({nth}){end}    {}", IN_DOUBT[nth - 1].0));
            let applied = functions_of(lines.each_ref().map(String::as_str), end);
            let text = std::fs::read_to_string(repo.path().join("all.py")).unwrap();
            assert_eq!(text, applied, "{target} {end:?} {order:?}");
        }
    }
}

/// Whatever its author has written into a line since it was reviewed stays there, whether the quote still fits or not.
#[test]
fn what_was_written_into_a_line_since_is_not_overwritten() {
    for (target, end) in TARGETS
        .into_iter()
        .flat_map(|target| ENDS.map(|end| (target, end)))
    {
        let repo = all_in_doubt(target, end);
        let edited = IN_DOUBT.map(|(line, _)| format!("{line} + tax(x)"));
        let edited = functions_of(edited.each_ref().map(String::as_str), end);
        repo.write("all.py", &edited);
        for id in ["F1", "F2", "F3"] {
            let run = repo.council(["apply", id]).ends(2);
            run.tells("changed since they were reviewed");
        }
        let text = std::fs::read_to_string(repo.path().join("all.py")).unwrap();
        assert_eq!(text, edited, "{target} {end:?}");
    }
}
