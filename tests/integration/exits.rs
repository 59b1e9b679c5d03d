//! A secret in every place that others write, times every exit of the program: names of branches, tags, remotes and files,
//! subjects, and keys that agents are handed and repeat.

use std::path::Path;
use std::process::Command;

use crate::harness::{FORMATS, Repo, Run};
use crate::programs::{answer, with_judge};
use crate::secrets::all_files;

/// What the program said somewhere, and where.
type Exit = (String, String);

fn said(run: Run) -> String {
    run.stdout + &run.stderr
}

/// Everything that a review of HEAD says in this shell, and everything that can be asked of it afterwards.
fn exits_of_a_review(repo: &Repo, target: &str, vars: &[(&str, &str)]) -> Vec<Exit> {
    let mut exits: Vec<Exit> = Vec::new();
    let run = |args: &[&str]| said(repo.council_with(vars, args));
    for format in FORMATS {
        exits.push((
            format.to_owned(),
            run(&["review", target, "-v", "--format", format]),
        ));
    }
    let events = repo.in_home("events.jsonl").display().to_string();
    run(&[
        "review",
        target,
        "--fresh",
        "--no-save",
        "--events",
        &events,
    ]);
    exits.push(("events".into(), std::fs::read_to_string(&events).unwrap()));
    exits.extend(exits_of_the_past(repo, vars));
    exits.push(("note".into(), crate::verdict_notes::all_notes(repo)));
    exits.push(("reports".into(), all_files(&repo.path().join(".agents"))));
    exits
}

/// What a run says once it is over.
fn exits_of_the_past(repo: &Repo, vars: &[(&str, &str)]) -> Vec<Exit> {
    let run = |args: &[&str]| said(repo.council_with(vars, args));
    let bundle = repo.in_home("run.json").display().to_string();
    let mut exits: Vec<Exit> = [
        &["log"][..],
        &["log", "--json"],
        &["log", "--stats"],
        &["status"],
        &["show"],
        &["show", "--format", "json"],
        &["explain", "F1"],
        &["replay", "--json"],
        &["replay", "--prompts"],
    ]
    .map(|args| (args.join(" "), run(args)))
    .into();
    run(&["replay", "--bundle", &bundle, "--answers", "--prompts"]);
    exits.push(("bundle".into(), std::fs::read_to_string(&bundle).unwrap()));
    exits
}

#[track_caller]
fn hold_no(secrets: &[&str], exits: &[Exit]) {
    for (exit, text) in exits {
        for secret in secrets {
            assert!(!text.contains(secret), "`{exit}` shows {secret}:\n{text}");
        }
    }
}

fn token() -> String {
    ["ghp_9XChaf688ZLcQSfg", "XwpbbYbwPNENDj3tSAmr"].concat()
}

/// Every name around a change holds a token that the table knows, and one of the user's own rules.
fn with_named_secrets() -> (Repo, [String; 2]) {
    let repo = with_judge(&answer("PASS", ""), "");
    let config = ".config/git-council/config.toml";
    let judge = std::fs::read_to_string(repo.in_home(config)).unwrap();
    let rules = repo.in_home("rules.toml").display().to_string();
    let more = format!("{judge}\n[redact]\nrules = {rules:?}\n[notes]\nwrite = true\n");
    repo.write_home(config, &more);
    repo.write_home(
        "rules.toml",
        "[[rules]]\nid = 'acme'\nregex = '''ACMEKEY-[0-9]{8}'''\n",
    );
    let secrets = [token(), "ACMEKEY-12345678".to_owned()];
    let name = secrets.join("-");
    repo.git(["checkout", "--quiet", "-b", &format!("fix-{name}")]);
    repo.write(&format!("src/{name}.py"), "x = eval(y)\n");
    repo.commit(&format!("Use {name}"));
    repo.git(["tag", &format!("v-{name}")]);
    (repo, secrets)
}

#[test]
fn no_name_that_others_gave_leaves_by_any_exit() {
    let (repo, secrets) = with_named_secrets();
    let secrets = [&*secrets[0], &*secrets[1]];
    let branch = repo.git(["branch", "--show-current"]);
    let tag = branch.replace("fix-", "v-");
    for target in ["HEAD", &tag] {
        hold_no(&secrets, &exits_of_a_review(&repo, target, &[]));
    }
    hold_no(&secrets, &news_of_a_push(&repo, &branch));
}

/// What a hook says of a push: to a remote that is called by a secret as well.
fn news_of_a_push(repo: &Repo, branch: &str) -> Vec<Exit> {
    let bare = repo.in_home("bare.git").display().to_string();
    repo.git_in(&repo.path(), &["init", "--quiet", "--bare", &bare]);
    let remote = branch.replace("fix-", "to-");
    repo.git(["remote", "add", &remote, &bare]);
    repo.git(["push", "--quiet", &remote, "main"]);
    repo.council(["hook", "install"]).ends(0);
    let path = std::env::var("PATH").unwrap_or_default();
    let program = Path::new(env!("CARGO_BIN_EXE_git-council"));
    let path = format!("{}:{path}", program.parent().unwrap().display());
    let push = |args: &[&str]| {
        let mut command: Command = repo.git_command(args);
        command.env("PATH", &path);
        let run = Run::of_command(command);
        // What git itself says of the names is not ours.
        let ours = run
            .stderr
            .lines()
            .filter(|line| line.starts_with("git-council"));
        ours.collect::<Vec<_>>().join("\n")
    };
    let news = push(&["push", &remote, "HEAD"]);
    assert!(news.contains("[redacted: "), "{news}");
    let tagged = push(&["push", &remote, "--tags"]);
    vec![("hook".into(), news), ("hook, tags".into(), tagged)]
}

const KEY: &str = "zq7Kd93hfLs02mXw5TtB";
const HANDED: &str = "env = ['MY_MODEL_KEY']\n";

/// A judge that repeats its key: in each field, in the name of a file, in escapes, and beside its answer.
fn with_telling_judge() -> Repo {
    let escaped: String = KEY.bytes().map(|b| format!("\\\\u00{b:02x}")).collect();
    let finding = format!(
        r#"{{"severity": "critical", "category": "naming", "description": "It is ${{MY_MODEL_KEY-none}}.",
 "location": {{"path": "src/more.rs", "line": 2}}, "quote": "pub const MORE: u32 = 1;", "why": "{escaped}", "fix": "f ${{MY_MODEL_KEY-none}}"}},
 {{"severity": "minor", "category": "x", "description": "d", "location": {{"path": "src/${{MY_MODEL_KEY-none}}.rs", "line": 1}},
 "quote": "q ${{MY_MODEL_KEY-none}}", "why": "w", "fix": "f"}}"#
    );
    let script = answer("FAIL", &finding).replace(
        "Here is what I think:",
        "Here is what I think of ${MY_MODEL_KEY-none}:",
    );
    let script = format!("echo \"told ${{MY_MODEL_KEY-none}}\" >&2\n{script}");
    let repo = with_judge(&script, HANDED);
    repo.git(["config", "--global", "council.notes.write", "true"]);
    repo
}

/// Whoever looks at a run later, in a shell without the key, cannot know it: it is taken out before anything is kept.
#[test]
fn no_key_that_an_agent_repeats_leaves_by_any_exit() {
    let repo = with_telling_judge();
    let vars = [("MY_MODEL_KEY", KEY)];
    let first = repo
        .council_with(&vars, &["review", "HEAD", "--fresh"])
        .ends(1);
    assert!(
        first.stdout.contains("It is [redacted: "),
        "{}",
        first.stdout
    );
    hold_no(&[KEY], &exits_of_a_review(&repo, "HEAD", &vars));
    hold_no(&[KEY], &exits_of_the_past(&repo, &[]));
    let kept = all_files(&repo.path().join(".git/council"));
    hold_no(&[KEY], &[("what is kept".into(), kept)]);
    repo.council(["replay"]).ends(1).prints("It is [redacted: ");
}

/// The folder of a matrix goes to every job, and on a public repository to everybody.
#[test]
fn no_key_of_an_agent_stands_in_the_folder_of_a_matrix() {
    let repo = with_telling_judge();
    let vars = [("MY_MODEL_KEY", KEY)];
    let run = |vars: &[(&str, &str)], args: &[&str]| repo.council_with(vars, args);
    let plan = [
        "plan", "--run", "run", "HEAD", "--agents", "helper", "--judges", "2", "--debate",
    ];
    // The second round is asked for where the first ones are: it sends each judge's words to the other.
    let answer_all = |planned: Run| {
        let due: serde_json::Value = serde_json::from_str(&planned.ends(0).stdout).unwrap();
        for due in due.as_array().unwrap() {
            let (judge, turn) = (due["judge"].as_str().unwrap(), due["turn"].to_string());
            let args = ["judge", "--run", "run", "--judge", judge, "--turn", &turn];
            run(&vars, &args).ends(0);
        }
        due.as_array().unwrap().len()
    };
    assert_eq!(answer_all(run(&vars, &plan)), 2);
    answer_all(run(&[], &["plan", "--run", "run", "--next"]));
    let folder = all_files(&repo.path().join("run"));
    // Only this configuration says what the agent is: the folder names it and nothing more.
    hold_no(&[KEY, "helper.sh"], &[("the folder".into(), folder)]);
    for vars in [&[][..], &vars] {
        let concluded = run(vars, &["conclude", "--run", "run", "--json"]).ends(1);
        assert!(
            concluded.stdout.contains("It is [redacted: "),
            "{}",
            concluded.stdout
        );
        hold_no(&[KEY], &[("conclude".into(), said(concluded))]);
    }
}

/// How an agent is reached is its user's own: a command line or an address may hold a key.
#[test]
fn no_command_line_of_an_agent_leaves_by_any_exit() {
    let repo = with_judge(&answer("PASS", ""), "");
    let config = ".config/git-council/config.toml";
    let own = std::fs::read_to_string(repo.in_home(config)).unwrap();
    let own = own.replace(
        "\"]",
        "\", '--header', 'X-Auth: Zeta77Qwerty', '--password', 'hunter2hunter2']",
    );
    repo.write_home(config, &own);
    repo.git(["config", "--global", "council.notes.write", "true"]);
    let mut exits = exits_of_a_review(&repo, "HEAD", &[]);
    let dry = repo.council(["review", "HEAD", "--dry-run"]).ends(0);
    exits.push(("dry run".into(), said(dry)));
    repo.council(["plan", "--run", "run", "HEAD", "--agents", "helper"])
        .ends(0);
    exits.push(("matrix".into(), all_files(&repo.path().join("run"))));
    hold_no(&["Zeta77", "hunter2"], &exits);
}
