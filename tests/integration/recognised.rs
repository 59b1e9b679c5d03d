//! A verdict that is known again is shown as it was: every format, file and exit code of a recognised run is that of a
//! fresh one, but for what says that it is recognised and how long it took.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::harness::{Repo, Run};
use crate::programs::{answer, with_judge};

pub(crate) const CONFLICT: &str = "<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> side\n";

/// Changes of every verdict, by name.
fn changes() -> [(&'static str, &'static str, String); 5] {
    [
        ("clean", "docs/a.md", "A sentence.\n".to_owned()),
        (
            "note",
            "src/todo.rs",
            "/// One.\npub fn one() {\n    // TODO: the rest\n}\n".to_owned(),
        ),
        (
            "warning",
            "run.py",
            "import subprocess\n\n\ndef f(x):\n    subprocess.call('ls ' + x, shell=True)\n"
                .to_owned(),
        ),
        ("failure", "notes.md", CONFLICT.to_owned()),
        ("binary", "logo.png", "\u{89}PNG\0\0\0\n".to_owned()),
    ]
}

pub(crate) fn with(path: &str, content: &str) -> Repo {
    let repo = Repo::with_base();
    repo.write(path, content);
    repo.commit("Change");
    repo
}

/// What of a run's words does not depend on when it was made and whether it is known again.
fn plain(text: &str) -> Vec<String> {
    let is_time = |word: &str| word.chars().all(|c| c.is_ascii_digit() || c == '.');
    let clean = |line: &str| -> String {
        let words: Vec<&str> = line.split_whitespace().collect();
        // Durations: a number and its unit.
        let kept = words.iter().enumerate().filter(|(at, word)| {
            let next = words.get(at + 1).copied().unwrap_or("");
            let unit =
                |w: &str| ["ms", "s", "min"].contains(&w.trim_end_matches(['.', ',', '`', ')']));
            // A reused verdict says so in the place of the time that nobody spent again.
            let is_measure = **word == "reused" && *at > 0 && words[at - 1] == "·";
            !(is_time(word) && unit(next)
                || unit(word) && *at > 0 && is_time(words[at - 1])
                || is_measure)
        });
        kept.map(|(_, word)| *word).collect::<Vec<_>>().join(" ")
    };
    // The note on where the verdict comes from may be wrapped.
    let told = [
        "reused: ",
        "nobody was asked again",
        "Recognised",
        "; from this repository's cache)",
    ];
    let lines = text
        .lines()
        .filter(|line| !told.iter().any(|word| line.contains(word)));
    let lines: Vec<String> = lines.map(clean).filter(|line| !line.is_empty()).collect();
    // A verdict that has a line below it is said first and last.
    let is_repeated = |line: &str| {
        lines
            .iter()
            .any(|l| l.starts_with(line) && l.len() > line.len())
    };
    let once = lines.iter().filter(|line| !is_repeated(line)).cloned();
    // Whichever of its two places is left of it.
    let mut once: Vec<String> = once.collect();
    once.sort();
    once
}

/// JSON without what a run is called, when it was and how long it took.
fn timeless(value: &mut Value) {
    const OWN: [&str; 12] = [
        "recognised",
        "started",
        "duration_ms",
        "name",
        "answered_ms",
        "made",
        "seed",
        "run",
        "digests",
        "usage",
        "guid",
        "head",
    ];
    match value {
        Value::Object(fields) => {
            for key in OWN {
                if !(key == "name" && fields.contains_key("focus")) && key != "run" {
                    fields.remove(key);
                }
            }
            fields.values_mut().for_each(timeless);
        }
        Value::Array(items) => items.iter_mut().for_each(timeless),
        _ => {}
    }
}

fn json(text: &str) -> Value {
    let mut value: Value = serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}: {text}"));
    timeless(&mut value);
    value
}

/// The reports and sessions for people that a run left in the worktree, by the end of their names.
fn artefacts(repo: &Repo) -> BTreeMap<String, Vec<String>> {
    let folder = repo.path().join(".agents/council");
    let files = std::fs::read_dir(&folder).into_iter().flatten();
    let mut found = BTreeMap::new();
    for file in files.map(|file| file.unwrap().path()) {
        let name = file.file_name().unwrap().to_str().unwrap().to_owned();
        if let Some(kind) = ["-report.md", "-session.md"]
            .into_iter()
            .find(|end| name.ends_with(end))
        {
            found.insert(
                kind.to_owned(),
                plain(&std::fs::read_to_string(&file).unwrap()),
            );
        }
    }
    found
}

fn same(what: &str, args: &[&str], fresh: &Run, known: &Run) {
    assert_eq!(fresh.code, known.code, "{what} {args:?}: the exit code");
    let is_json = args
        .iter()
        .any(|arg| ["--json", "sarif", "rdjson"].contains(arg));
    let written_elsewhere = args.contains(&"-o");
    match is_json && !written_elsewhere {
        true => assert_eq!(json(&fresh.stdout), json(&known.stdout), "{what} {args:?}"),
        false => assert_eq!(
            plain(&fresh.stdout),
            plain(&known.stdout),
            "{what} {args:?}"
        ),
    }
}

#[test]
fn a_recognised_run_shows_what_the_fresh_one_did() {
    let surfaces: [&[&str]; 8] = [
        &[],
        &["--quiet"],
        &["--verbose"],
        &["--json"],
        &["--format", "sarif"],
        &["--format", "rdjson"],
        &["--format", "markdown"],
        &["--fail-on", "warn", "--debate", "--json"],
    ];
    for (what, path, content) in changes() {
        let repo = with(path, &content);
        for surface in surfaces {
            let fresh = [&["review", "HEAD", "--fresh"], surface].concat();
            let known = [&["review", "HEAD"], surface].concat();
            let fresh = repo.council_with(&[], &fresh);
            let told = artefacts(&repo);
            let known_run = repo.council_with(&[], &known);
            same(what, &known, &fresh, &known_run);
            assert_eq!(told, artefacts(&repo), "{what} {known:?}");
        }
    }
}

/// The law is worth something only if the second run is recognised.
#[test]
fn a_change_of_every_verdict_is_recognised() {
    for (what, path, content) in changes() {
        let repo = with(path, &content);
        repo.council(["review", "HEAD"]);
        let again = repo.council(["review", "HEAD", "--json"]);
        let report: Value = serde_json::from_str(&again.stdout).unwrap();
        assert_eq!(
            report["receipt"]["run"]["recognised"]["place"], "cache",
            "{what}"
        );
    }
}

#[test]
fn a_recognised_run_writes_the_files_that_the_fresh_one_did() {
    for (what, path, content) in changes() {
        let repo = with(path, &content);
        let file = repo.in_home("out");
        let read =
            |file: &Path| std::fs::read_to_string(file).unwrap_or_else(|e| panic!("{what}: {e}"));
        for format in ["json", "sarif", "markdown"] {
            let out = file.to_str().unwrap();
            let flags = ["--format", format, "-o", out];
            let fresh_args = [&["review", "HEAD", "--fresh"], &flags[..]].concat();
            let fresh = repo.council_with(&[], &fresh_args);
            let first = read(&file);
            std::fs::remove_file(&file).unwrap();
            let known_args = [&["review", "HEAD"], &flags[..]].concat();
            let known = repo.council_with(&[], &known_args);
            same(what, &known_args, &fresh, &known);
            match format {
                "markdown" => assert_eq!(plain(&first), plain(&read(&file)), "{what}"),
                _ => assert_eq!(json(&first), json(&read(&file)), "{what} {format}"),
            }
            std::fs::remove_file(&file).unwrap();
        }
    }
}

/// What is missing in the worktree's folder of reports is written again.
#[test]
fn a_recognised_run_leaves_its_report_in_the_worktree() {
    let repo = with("notes.md", CONFLICT);
    repo.council(["review", "HEAD"]).ends(1);
    let before = artefacts(&repo);
    assert!(before.contains_key("-report.md"), "{before:?}");
    std::fs::remove_dir_all(repo.path().join(".agents")).unwrap();
    repo.council(["review", "HEAD"]).ends(1).prints("reused: ");
    assert_eq!(artefacts(&repo), before);
}

/// What the judges came to beside their findings is told again, too.
#[test]
fn the_notes_of_the_council_are_told_again() {
    let repo = with("notes.md", CONFLICT);
    let notes = |run: &Run| {
        let report: Value = serde_json::from_str(&run.stdout).unwrap();
        report["notes"].clone()
    };
    let fresh = repo
        .council(["review", "HEAD", "--debate", "--json"])
        .ends(1);
    let known = repo
        .council(["review", "HEAD", "--debate", "--json"])
        .ends(1);
    assert!(
        notes(&fresh)
            .to_string()
            .contains("built-in rules cannot answer each other"),
        "{}",
        notes(&fresh)
    );
    assert_eq!(notes(&fresh), notes(&known));
}

/// A judge that reads its brief, and fails what breaks a caller there.
const CALLER_JUDGE: &str = r#"import sys, os, json
text = sys.stdin.read()
answer = dict(schema_version=1, round=int(os.environ["COUNCIL_ROUND"]), key=os.environ["COUNCIL_KEY"], analysis="x",
    confidence="HIGH", key_insight="x", findings=[], verdict="PASS", restatement="PASS")
if "return save(x, 1)" in text:
    answer["verdict"] = "FAIL"
    answer["findings"] = [dict(location=dict(path="b.py", line=4), quote="    return save(x, 1)", severity="critical",
        description="save() takes one argument now.", why="go(1) raises TypeError.", category="api", fix="Drop the 1.")]
print(json.dumps(answer))
"#;

fn with_caller_judges(repo: &Repo) {
    repo.write_home("see.py", CALLER_JUDGE);
    let agent = |name: &str| {
        let script = repo.in_home("see.py");
        format!(
            "[agents.{name}]\ndriver = 'command'\ncommand = ['python3', '{}']\n",
            script.display()
        )
    };
    repo.write_home(
        ".config/git-council/config.toml",
        &(agent("a") + &agent("b")),
    );
}

const CALLER: &str = "from a import save\n\ndef go(x):\n    return save(x, 1)\n";

/// What was judged is the brief: the same lines beside another caller are another question.
#[test]
fn a_verdict_is_not_reused_where_the_code_around_the_change_is_another() {
    let review = |repo: &Repo| {
        let run = repo.council(["review", "main..topic", "--agents", "a,b"]);
        (run.code, run.stdout.contains("reused"))
    };
    let repo = Repo::with_base();
    with_caller_judges(&repo);
    repo.write("a.py", "def save(x, y=0):\n    return x\n");
    repo.write("b.py", "def z():\n    pass\n");
    repo.commit("Base");
    repo.git(["checkout", "--quiet", "-b", "topic"]);
    repo.write("a.py", "def save(x):\n    return x\n");
    repo.commit("Topic");
    assert_eq!(review(&repo), (0, false));
    assert_eq!(review(&repo), (0, true));
    // What has nothing to do with it changes nothing, wherever it is.
    repo.git(["checkout", "--quiet", "main"]);
    repo.write("notes.md", "Other\n");
    repo.commit("Other");
    repo.git(["checkout", "--quiet", "topic"]);
    repo.git(["rebase", "--quiet", "main"]);
    assert_eq!(review(&repo), (0, true));
    repo.git(["checkout", "--quiet", "main"]);
    repo.write("b.py", CALLER);
    repo.commit("A caller");
    repo.git(["checkout", "--quiet", "topic"]);
    repo.git(["rebase", "--quiet", "main"]);
    assert_eq!(review(&repo), (1, false));
}

/// A patch brings no caller with it where its file is another one.
#[test]
fn a_verdict_over_a_patch_is_none_over_the_commit() {
    let repo = Repo::with_base();
    with_caller_judges(&repo);
    repo.write("a.py", "def save(x, y):\n    return x\n");
    repo.write("b.py", CALLER);
    repo.commit("Base");
    repo.write("a.py", "def save(x):\n    return x\n");
    let patch = repo.git(["diff"]);
    let lines = patch.lines().filter(|line| !line.starts_with("index "));
    let patch: String = lines.map(|line| format!("{line}\n")).collect();
    repo.write_home("change.patch", &patch);
    let file = repo.in_home("change.patch").display().to_string();
    repo.write("a.py", "def save(x, y):\n    return y\n");
    repo.commit("Another");
    repo.council(["review", "--patch", &file, "--agents", "a,b"])
        .ends(0);
    repo.git(["reset", "--quiet", "--hard", "HEAD~"]);
    repo.write("a.py", "def save(x):\n    return x\n");
    repo.commit("Two");
    repo.council(["review", "HEAD", "--agents", "a,b"]).ends(1);
}

/// Law: a note of one's own is told as such before and after its run is pruned, by whatever command; another user, and
/// another repository of the same user, is told otherwise.
#[test]
fn a_note_of_ones_own_stays_ones_own_when_its_run_is_gone() {
    let repo = with("one.py", "x = 1\n");
    repo.git(["config", "--global", "council.notes.write", "true"]);
    for number in 2..5 {
        repo.council(["review", "-q", "HEAD"]).ends(0);
        repo.write("one.py", format!("x = {number}\n"));
        repo.commit(&format!("Change {number}"));
    }
    let is_told = |told: &str| {
        let log = repo.council(["log"]).ends(0).stdout;
        assert!(!log.contains("not trusted"), "{told}: {log}");
        for back in 1..4 {
            let revision = format!("HEAD~{back}");
            let run = repo.council_with(&[], &["show", &revision]).ends(0);
            assert!(
                !run.stdout.contains("not trusted"),
                "{told} {revision}: {}",
                run.stdout
            );
        }
    };
    is_told("with runs");
    for keep in ["1", "0"] {
        repo.council(["gc", "--keep", keep]).ends(0);
        is_told(keep);
    }
    repo.council(["show", "HEAD~2"]).ends(0).prints("(yours)");
    // The key is gone: nobody can say whose they are.
    let state = repo.in_home(".local/state/git-council");
    std::fs::remove_dir_all(state).unwrap();
    let log = repo.council(["log"]).ends(0).stdout;
    assert_eq!(log.matches("not trusted").count(), 3, "{log}");
}

/// What rules compare a change with may be another tree, where the change is the same: neither is a note lost, nor one kept.
#[test]
fn a_verdict_of_rules_is_not_reused_beside_another_tree() {
    let repo = Repo::with_base();
    let main = repo.git(["rev-parse", "HEAD"]);
    let mut tips = Vec::new();
    for name in ["other.txt", "README"] {
        repo.git(["switch", "--quiet", "--detach", main.trim()]);
        repo.write(name, "1\n");
        repo.commit("Base");
        repo.write("readme", "1\n");
        tips.push(repo.commit("Change").trim().to_owned());
    }
    let notes = |tip: &str, fresh: &[&str]| -> usize {
        let run = repo.council_with(&[], &[&["review", tip, "--json"], fresh].concat());
        let report: Value = serde_json::from_str(&run.stdout).unwrap();
        let found = report["findings"].as_array().unwrap().iter();
        found
            .filter(|f| f["finding"]["rule"] == "unportable-path")
            .count()
    };
    let fresh: Vec<usize> = tips.iter().map(|tip| notes(tip, &["--fresh"])).collect();
    assert_eq!(fresh, [0, 1]);
    for order in [[0, 1, 0], [1, 0, 1]] {
        repo.council(["cache", "clear"]).ends(0);
        for at in order {
            assert_eq!(notes(&tips[at], &[]), fresh[at], "{order:?}");
        }
    }
}

/// A critical problem within the quotes of a shell.
const WRONG: &str = r#"{\"severity\": \"critical\", \"category\": \"bug\", \"description\": \"Wrong.\",
 \"location\": {\"path\": \"src/more.rs\", \"line\": 2}, \"quote\": \"pub const MORE: u32 = 1;\", \"why\": \"w\", \"fix\": \"f\"}"#;

/// What a council has failed is failed for whoever asks next, also under the settings under which it had passed.
#[test]
fn a_pass_is_not_reused_over_a_later_fail_of_the_same_change() {
    let script = format!(
        "if test -e @MARKS/fails; then v=FAIL; f=\"{WRONG}\"; else v=PASS; f=; fi\n{}",
        answer("$v", "$f")
    );
    let repo = with_judge(&script, "");
    let review = |more: &[&str]| {
        let args = [
            &["review", "HEAD", "--judges", "2", "--agents", "helper"],
            more,
        ]
        .concat();
        repo.council_with(&[], &args)
    };
    review(&[]).ends(0);
    repo.write_home("marks/fails", "");
    review(&["--fresh", "--config", "review.quorum=1"]).ends(1);
    std::fs::remove_file(repo.in_home("marks/fails")).unwrap();
    review(&[])
        .ends(1)
        .prints("FAIL")
        .prints("`git council review --fresh`");
    // Judged again, it is what it is judged to be now.
    review(&["--fresh"]).ends(0);
    review(&[]).ends(0).prints("reused");
}

#[test]
fn what_a_verdict_told_of_the_configuration_is_told_as_it_is_now() {
    let repo = with("notes.md", "A sentence.\n");
    repo.write("council.toml", "this is no TOML\n");
    let told = "because it is broken";
    let broken = repo.council(["review", "HEAD"]);
    assert!(broken.stdout.contains(told), "{}", broken.stdout);
    std::fs::remove_file(repo.path().join("council.toml")).unwrap();
    let mended = repo.council(["review", "HEAD"]);
    assert!(mended.stdout.contains("reused"), "{}", mended.stdout);
    assert!(!mended.stdout.contains(told), "{}", mended.stdout);
}

/// One judge of three that holds the change for broken does not fail it. Whoever asks next is told so all the same, and nobody
/// is told of the verdict before.
#[test]
fn a_pass_is_not_reused_over_a_critical_problem_that_was_left_open_since() {
    let script = format!(
        "if mkdir @MARKS/fails/first 2>/dev/null; then v=FAIL; f=\"{WRONG}\"; else v=PASS; f=; fi\n{}",
        answer("$v", "$f")
    );
    let fresh = ["--fresh", "--debate=off", "--config", "review.quorum=1"];
    for more in [&fresh[..2], &fresh] {
        let repo = with_judge(&script, "");
        let review = |more: &[&str]| {
            let args = ["review", "HEAD", "--judges", "3", "--agents", "helper"];
            repo.council_with(&[], &[&args, more].concat())
        };
        review(&[]).ends(0);
        repo.write_home("marks/fails/keep", "");
        review(more).prints("WARN").prints("1 critical");
        review(&[])
            .prints("WARN")
            .prints("1 critical")
            .prints("in which a critical problem was")
            .prints("`git council review --fresh`");
        review(&["--fresh"]).ends(0).prints("PASS");
        review(&[]).ends(0).prints("PASS");
    }
}
