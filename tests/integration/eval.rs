//! Councils measured on a history whose defects are known.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use council_fake_models::{FakeModels, Reply, Rule, Tool};
use serde_json::json;

use crate::harness::{Repo, Run};

/// Six functions, one a commit; the third one is mended later, and the fourth one reverted.
fn history() -> Repo {
    let repo = Repo::with_base();
    let body = |name: &str, sign: char| {
        format!(
            "def {name}(value):\n    first = value + 1\n    second = first {sign} 2\n    third = second * first\n    return third - second\n"
        )
    };
    for name in ["alpha", "beta", "gamma"] {
        repo.write(&format!("src/{name}.py"), body(name, '*'));
        repo.commit(&format!("Add {name}"));
    }
    repo.write("src/delta.py", body("delta", '*'));
    let bad = repo.commit("Add delta");
    repo.write("src/gamma.py", body("gamma", '-'));
    repo.commit("Fix the second value of gamma");
    repo.git(["revert", "--no-edit", &bad]);
    repo
}

/// A council of one program that objects to line 3 of gamma, and passes everything else.
fn finder() -> String {
    council(
        r#"if echo "$brief" | grep -q 'def gamma'; then printf '{"schema_version":1,"round":1,"key":"%s","confidence":"HIGH","key_insight":"i","verdict":"FAIL","findings":[{"severity":"critical","description":"it multiplies","why":"the second value is wrong for 0","location":{"path":"src/gamma.py","line":3},"quote":"second = first * 2"}]}' "$COUNCIL_KEY"; else printf '{"schema_version":1,"round":1,"key":"%s","confidence":"HIGH","key_insight":"i","verdict":"PASS","findings":[]}' "$COUNCIL_KEY"; fi"#,
    )
}

/// A council of one program that finds nothing.
fn silent() -> String {
    council(
        r#"printf '{"schema_version":1,"round":1,"key":"%s","confidence":"HIGH","key_insight":"i","verdict":"PASS","findings":[]}' "$COUNCIL_KEY""#,
    )
}

fn council(answer: &str) -> String {
    format!(
        "[review]\nagents = [\"one\"]\njudges = 1\nquorum = 1\n[agents.one]\ndriver = \"command\"\ncommand = ['''sh''', '''-c''', '''brief=$(cat); echo asked >>'@HOME@/asked'; {answer}''']\n"
    )
}

/// Writes a council's file. A judge notes in the home that it was asked: its own home is another one.
fn write_council(repo: &Repo, name: &str, text: &str) {
    let home = repo.in_home("").display().to_string();
    repo.write_home(name, &text.replace("@HOME@/", &home));
}

/// How often a judge was asked.
fn asked(repo: &Repo) -> usize {
    std::fs::read_to_string(repo.in_home("asked"))
        .unwrap_or_default()
        .lines()
        .count()
}

pub(crate) fn prepared() -> (Repo, Vec<String>) {
    let repo = history();
    write_council(&repo, "finder.toml", &finder());
    write_council(&repo, "silent.toml", &silent());
    let file = repo.in_home("changes.jsonl").display().to_string();
    repo.council([
        "eval",
        "collect",
        "--since",
        "2000-01-01",
        "--sets",
        "szz,reverts",
        "-o",
        &file,
    ])
    .ends(0);
    let council = |name: &str| repo.in_home(name).display().to_string();
    let run = [
        "eval",
        "run",
        &file,
        "--council",
        &council("finder.toml"),
        "--council",
        &council("silent.toml"),
    ];
    (repo, run.map(str::to_owned).to_vec())
}

pub(crate) fn hold(repo: &Repo, run: &[String], more: &[&str]) -> Run {
    let args: Vec<&str> = run
        .iter()
        .map(String::as_str)
        .chain(more.iter().copied())
        .collect();
    repo.council_with(&[], &args)
}

#[test]
fn a_council_that_shows_the_defect_is_told_from_one_that_does_not() {
    let (repo, run) = prepared();
    hold(&repo, &run, &[]).ends(0);
    let file = run[2].as_str();
    let told = repo.council(["eval", "compare", file, "--json"]).ends(0);
    let told: serde_json::Value = serde_json::from_str(&told.stdout).unwrap();
    let shown =
        |council: usize| told["councils"][council]["measures"]["defects-shown"]["value"].as_f64();
    assert_eq!(told["councils"][0]["name"], "finder");
    // Of the reverted change only that it is defective is known: it has no place to show.
    assert_eq!((shown(0), shown(1)), (Some(1.0), Some(0.0)), "{told}");
    assert_eq!(
        told["differences"][0]["measures"]["objections"]["value"].as_f64(),
        Some(0.5),
        "{told}"
    );
    repo.council(["eval", "compare", file])
        .ends(0)
        .prints("defects shown within 3 lines")
        .prints("no difference shown");
    // The page says the same, loads nothing and runs nothing.
    let page = repo
        .council(["eval", "compare", file, "--html"])
        .ends(0)
        .stdout;
    for said in [
        "<!DOCTYPE html>",
        "default-src 'none'",
        ">finder<",
        ">silent<",
        "100 % (",
        "no difference shown",
    ] {
        assert!(page.contains(said), "{said}: {page}");
    }
    for never in ["<script", "http://", "https://", "\u{1b}"] {
        assert!(!page.contains(never), "{never}: {page}");
    }
    repo.council(["eval", "compare", file, "--html", "--json"])
        .ends(2);
}

/// A commit may be blamed by a fix and reverted as well: that is one change, and one review.
#[test]
fn a_change_with_two_labels_is_reviewed_once() {
    let (repo, run) = prepared();
    let file = &run[2];
    let lines = std::fs::read_to_string(file).unwrap();
    let first = lines.lines().next().unwrap();
    let mut again: serde_json::Value = serde_json::from_str(first).unwrap();
    let id = again["id"].as_str().unwrap().to_owned();
    again["id"] = format!("{id}-again").into();
    std::fs::write(file, format!("{lines}{again}\n")).unwrap();
    hold(&repo, &run, &["--dry-run"])
        .ends(0)
        .prints("3 changes × 2 councils × 1 repeat = 6 reviews");
    let held = hold(&repo, &run, &[]).ends(0);
    assert_eq!(asked(&repo), 4, "{}", held.stderr);
    let said = format!("the same change as {id}: nobody was asked again");
    assert!(held.stderr.contains(&said), "{}", held.stderr);
    hold(&repo, &run, &[])
        .ends(0)
        .prints("All 6 reviews were held before");
    let told = repo.council(["eval", "compare", file, "--json"]).ends(0);
    let told: serde_json::Value = serde_json::from_str(&told.stdout).unwrap();
    let shown = &told["councils"][0]["measures"]["defects-shown"]["value"];
    assert_eq!(shown.as_f64(), Some(1.0), "{told}");
}

#[test]
fn what_was_asked_is_never_asked_again_and_recounts_cost_nothing() {
    let (repo, run) = prepared();
    hold(&repo, &run, &["--dry-run"])
        .ends(0)
        .prints("2 changes × 2 councils × 1 repeat = 4 reviews");
    assert_eq!(asked(&repo), 0);
    hold(&repo, &run, &[]).ends(0);
    let first = asked(&repo);
    assert!(first >= 4, "{first}");
    hold(&repo, &run, &[]).ends(0);
    repo.council([
        "eval",
        "compare",
        &run[2],
        "--recount",
        "consensus=majority",
    ])
    .ends(0);
    assert_eq!(asked(&repo), first);
    // A changed council is another one.
    write_council(&repo, "silent.toml", &(silent() + "# more\n"));
    hold(&repo, &run, &[]).ends(0);
    assert!(asked(&repo) > first);
    // And has a column of its own.
    let told = repo.council(["eval", "compare", &run[2], "--json"]).ends(0);
    let told: serde_json::Value = serde_json::from_str(&told.stdout).unwrap();
    let councils = told["councils"].as_array().unwrap();
    let names: Vec<&str> = councils
        .iter()
        .map(|council| council["name"].as_str().unwrap())
        .collect();
    assert_eq!(names.len(), 3, "{names:?}");
    assert!(
        names[0] == "finder"
            && names[1].starts_with("silent (")
            && names[2].starts_with("silent ("),
        "{names:?}"
    );
    assert!(
        councils
            .iter()
            .all(|council| council["trials"] == councils[0]["trials"])
    );
}

#[test]
fn a_result_that_a_crash_cut_off_is_taken_from_its_run() {
    let (repo, run) = prepared();
    hold(&repo, &run, &[]).ends(0);
    let results = std::path::PathBuf::from(format!("{}.results", run[2]));
    let text = std::fs::read_to_string(&results).unwrap();
    let before = asked(&repo);
    // Half of the last result is on disk, its beginning is noted, and its run is whole.
    std::fs::write(&results, &text[..text.len() - 40]).unwrap();
    hold(&repo, &run, &[]).ends(0);
    assert_eq!(asked(&repo), before);
    let again = std::fs::read_to_string(&results).unwrap();
    assert_eq!(
        again
            .lines()
            .filter(|line| line.contains("\"ended\""))
            .count(),
        4,
        "{again}"
    );
    repo.council(["eval", "compare", &run[2]]).ends(0);
}

const KEY: (&str, &str) = ("MODEL_KEY", "sk-test-0123456789");

/// A council of one model at an API.
fn paid(models: &FakeModels, more: &str) -> String {
    let url = models.url();
    format!(
        "[review]\nagents = ['paid']\njudges = 1\nquorum = 1\n[agents.paid]\ndriver = 'http'\napi = 'anthropic'\n\
         url = '{url}/v1'\nkey = 'MODEL_KEY'\nmodel = 'fake-anthropic'\n{more}"
    )
}

/// Lets that council alone review the changes.
fn seat_paid(repo: &Repo, run: &mut Vec<String>) {
    let file = repo.in_home("paid.toml").display().to_string();
    run.truncate(3);
    run.extend(["--council".to_owned(), file]);
}

/// The lines of the results that are of one kind.
fn result_lines(run: &[String], kind: &str) -> usize {
    let results = PathBuf::from(format!("{}.results", run[2]));
    let text = std::fs::read_to_string(results).unwrap_or_default();
    let kind = format!("\"trial\":\"{kind}\"");
    text.lines().filter(|line| line.contains(&kind)).count()
}

#[test]
fn ctrl_c_ends_the_review_and_asks_for_no_other_and_the_same_command_goes_on() {
    let (repo, run) = prepared();
    let hang = repo.in_home("hang").display().to_string();
    let answer = finder().replace(
        "if echo",
        &format!("if [ -e '{hang}' ]; then touch '{hang}ing'; sleep 60; fi; if echo"),
    );
    write_council(&repo, "finder.toml", &answer);
    repo.write_home("hang", "");
    let mut command = repo.program(&repo.path());
    command
        .args(&run)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let until = Instant::now() + Duration::from_secs(60);
    while !repo.in_home("hanging").exists() {
        assert!(Instant::now() < until, "nobody was asked");
        std::thread::sleep(Duration::from_millis(20));
    }
    let sent = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(sent.unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!((asked(&repo), result_lines(&run, "ended")), (1, 0));
    std::fs::remove_file(repo.in_home("hang")).unwrap();
    hold(&repo, &run, &[]).ends(0);
    assert_eq!(result_lines(&run, "ended"), 4);
    // The run that was stopped went on: no other one was begun for it.
    assert_eq!(result_lines(&run, "began"), 4);
}

/// A council that ends at its own limit has answered; one that `--max-cost` ended has not, and goes on.
#[test]
fn the_limit_of_a_council_is_a_part_of_it_and_that_of_the_evaluation_is_not() {
    let models = FakeModels::start([Rule::on(Reply::default())]).unwrap();
    let (repo, mut run) = prepared();
    let prices = "[prices.fake-anthropic]\ninput = 100\noutput = 100\n[limits]\ncost = 0.001\n";
    write_council(&repo, "paid.toml", &paid(&models, prices));
    seat_paid(&repo, &mut run);
    let hold = |more: &[&str]| {
        let args: Vec<&str> = run.iter().map(String::as_str).collect();
        repo.council_with(&[KEY], &[&args[..], more].concat())
            .ends(0)
    };
    let first = hold(&["--max-cost", "100"]);
    assert!(!first.stdout.contains("--max-cost"), "{}", first.stdout);
    let ended = result_lines(&run, "ended");
    assert!(ended > 0, "{}", first.stdout);
    // More money for the evaluation is none for the council.
    hold(&["--max-cost", "200"]);
    hold(&[]);
    assert_eq!(
        (models.stats().requests, result_lines(&run, "ended")),
        (0, ended)
    );
}

#[test]
fn the_same_command_twice_costs_no_more_than_once() {
    let models = FakeModels::start([Rule::on(Reply::default())]).unwrap();
    let (repo, mut run) = prepared();
    let prices = "[prices.fake-anthropic]\ninput = 100\noutput = 100\n";
    write_council(&repo, "paid.toml", &paid(&models, prices));
    seat_paid(&repo, &mut run);
    let hold = |most: &str| {
        let more = ["--repeat", "8", "--max-cost", most];
        let args: Vec<&str> = run.iter().map(String::as_str).chain(more).collect();
        repo.council_with(&[KEY], &args).ends(0)
    };
    let forecast = |most: &[&str]| {
        let more = [&["--repeat", "8", "--dry-run"], most].concat();
        let args: Vec<&str> = run.iter().map(String::as_str).chain(more).collect();
        repo.council_with(&[KEY], &args).ends(0)
    };
    forecast(&[]).prints("16 reviews to pay for: about $");
    forecast(&["--max-cost", "1"]).prints(" to $1.00 (--max-cost ends it there)");
    let told = hold("1");
    told.prints("that --max-cost leaves")
        .prints("counting earlier commands")
        .prints("a higher --max-cost");
    let first = models.stats().requests;
    assert!((1..16).contains(&first), "{first}");
    // How many were held stands beside how many were not.
    let held = result_lines(&run, "ended");
    hold("1").prints("that --max-cost leaves").prints(&format!(
        "{held} of 16 reviews are held; {} are not",
        16 - held
    ));
    assert_eq!(models.stats().requests, first);
    hold("2").prints("that --max-cost leaves");
    let second = models.stats().requests;
    assert!((first + 1..16).contains(&second), "{first} {second}");
    // With enough, all are over, none of them twice.
    hold("100").prints("16 of 16 reviews are held.");
    assert_eq!(
        (models.stats().requests, result_lines(&run, "ended")),
        (16, 16)
    );
    hold("100").prints("All 16 reviews were held before: nobody was asked.");
}

/// Without any price each review would be held, whatever the bound says, and each with one and the same warning.
#[test]
fn a_bound_that_bounds_nothing_is_refused_before_the_first_review() {
    let models = FakeModels::start([Rule::on(Reply::default())]).unwrap();
    let (repo, mut run) = prepared();
    write_council(&repo, "paid.toml", &paid(&models, ""));
    seat_paid(&repo, &mut run);
    let hold = |more: &[&str]| {
        let args: Vec<&str> = run.iter().map(String::as_str).collect();
        repo.council_with(&[KEY], &[&args[..], more].concat())
    };
    for more in [&["--max-cost", "5"][..], &["--max-cost", "5", "--dry-run"]] {
        hold(more)
            .ends(2)
            .tells("--max-cost does not bound the council paid: no price is known for")
            .tells("leave --max-cost out");
    }
    assert_eq!(models.stats().requests, 0);
    hold(&[]).ends(0).prints("2 of 2 reviews are held.");
    assert_eq!(models.stats().requests, 2);
    // What is wrong with a council itself is told once, and not once a review.
    write_council(&repo, "paid.toml", &paid(&models, "[limits]\ncost = 5\n"));
    let told = hold(&[]).ends(0).stderr;
    let warnings = told.matches("the bound of the cost does not hold").count();
    assert_eq!(warnings, 1, "{told}");
}

/// What only later commits, the worktree and people's words know.
const LATER: &str = "SECRET_LATER";

/// The history, with everything that is younger than its changes: a commit, settings, instructions, a dismissal, a
/// worktree that is not committed.
fn history_with_a_future() -> (Repo, Vec<String>) {
    let (repo, run) = prepared();
    repo.write("src/gamma.py", format!("# {LATER} in the file\n"));
    repo.write(
        "src/later.py",
        format!("def gamma_{LATER}():\n    return 1\n"),
    );
    repo.write(
        "council.toml",
        format!("[review]\ninstructions = \"{LATER} in the settings\"\n"),
    );
    repo.write("AGENTS.md", format!("{LATER} in the instructions\n"));
    let later = repo.commit(&format!("{LATER} in a message: mend gamma"));
    repo.git(["notes", "--ref=council", "add", "-m", LATER, &later]);
    repo.write("src/gamma.py", format!("# {LATER} in the worktree\n"));
    repo.write("src/uncommitted.py", format!("# {LATER} untracked\n"));
    (repo, run)
}

#[test]
fn a_judge_is_shown_nothing_that_is_younger_than_the_change() {
    let (repo, run) = history_with_a_future();
    let seen = repo.in_home("seen").display().to_string();
    // Everything that a program is handed: its input, its folder, its environment.
    let looks =
        format!("(echo \"$brief\"; env; pwd; find . -type f -exec cat {{}} +) >>'{seen}'; ");
    let answer = finder().replace("if echo", &format!("{looks}if echo"));
    write_council(&repo, "finder.toml", &answer);
    hold(&repo, &run, &[]).ends(0);
    let seen = std::fs::read_to_string(seen).unwrap();
    assert!(seen.contains("second = first * 2"), "{seen}");
    let at = seen.find(LATER);
    assert!(
        at.is_none(),
        "{}",
        &seen[at.unwrap_or(0).saturating_sub(300)..]
    );
}

#[test]
fn look_ups_find_nothing_that_is_younger_than_the_change() {
    let calls = [
        Tool::call("search", json!({"regex": LATER})),
        Tool::call("symbol", json!({"name": format!("gamma_{LATER}")})),
        Tool::call(
            "history",
            json!({"path": "src/gamma.py", "from": 1, "to": 3}),
        ),
        Tool::call(
            "read_file",
            json!({"path": "src/gamma.py", "from": 1, "to": 9}),
        ),
        Tool::call(
            "read_file",
            json!({"path": "src/later.py", "from": 1, "to": 9}),
        ),
        Tool::call(
            "read_file",
            json!({"path": "src/uncommitted.py", "from": 1, "to": 9}),
        ),
    ];
    let models = FakeModels::start([
        Rule::on(Reply::calls(calls)).times(1),
        Rule::on(Reply::default()),
    ])
    .unwrap();
    let (repo, mut run) = history_with_a_future();
    write_council(&repo, "paid.toml", &paid(&models, ""));
    seat_paid(&repo, &mut run);
    let args: Vec<&str> = run.iter().map(String::as_str).collect();
    repo.council_with(&[KEY], &args).ends(0);
    let records = models.records();
    assert!(records.len() >= 3, "{}", records.len());
    // What the judge asked for itself is in the conversation; what came back must not hold it anywhere else.
    let asked = records[1].body.matches(LATER).count();
    assert!(!records[0].body.contains(LATER), "{}", records[0].body);
    for told in [
        "in the file",
        "in the settings",
        "in the instructions",
        "in a message",
        "in the worktree",
        "untracked",
    ] {
        for record in &records {
            assert!(
                !record.body.contains(&format!("{LATER} {told}")),
                "{told}: {}",
                record.body
            );
        }
    }
    assert!(asked >= 2, "the calls themselves name it");
}

#[test]
fn a_model_that_cannot_be_reached_is_no_answer_of_its_council() {
    let models = FakeModels::start([
        Rule::on(Reply::status(401)).times(1),
        Rule::on(Reply::default()),
    ])
    .unwrap();
    let (repo, mut run) = prepared();
    write_council(&repo, "paid.toml", &paid(&models, ""));
    seat_paid(&repo, &mut run);
    let hold = || {
        let args: Vec<&str> = run.iter().map(String::as_str).collect();
        repo.council_with(&[KEY], &args).ends(0)
    };
    hold().prints("1 review failed; the same command tries them again");
    assert_eq!(result_lines(&run, "ended"), 1);
    hold();
    assert_eq!(
        (result_lines(&run, "ended"), result_lines(&run, "began")),
        (2, 2)
    );
}

#[test]
fn the_repository_remembers_nothing_of_a_trial() {
    let (repo, run) = prepared();
    hold(&repo, &run, &[]).ends(0);
    assert!(
        !repo.path().join(".agents").exists() && !repo.path().join(".git/council/runs").exists()
    );
    assert_eq!(repo.git(["status", "--porcelain"]), "");
}

#[test]
fn what_cannot_be_read_is_named_with_the_next_step() {
    let repo = history();
    repo.council(["eval", "compare", "nothing.jsonl"])
        .ends(2)
        .tells("eval collect");
    repo.council(["eval", "run", "nothing.jsonl", "--council", "no.toml"])
        .ends(2);
    repo.council(["eval", "collect", "--since", "soon", "-o", "x"])
        .ends(2)
        .tells("2y, 6mo");
    // What is wrong with a council is said once, before anything is tried.
    let (repo, run) = prepared();
    repo.write_home("silent.toml", "foo = 1\n");
    let refused = hold(&repo, &run, &[]).ends(2);
    refused.tells("unknown key `foo`").tells("silent.toml");
    assert_eq!(asked(&repo), 0);
    repo.council(["eval", "collect", "--sets", "bugs", "-o", "x"])
        .ends(2)
        .tells("szz, reverts");
}
