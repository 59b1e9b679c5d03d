//! What a new user is shown who asks what is here: `doctor`, `agents`, `backends`, `status` and `wait` on a terminal of 80
//! columns, in the situations in which somebody asks.

use std::fmt::Write as _;
use std::net::TcpListener;

use crate::captures::{Place, read_at};
use crate::harness::Repo;
use crate::models::KEY;

const COMMANDS: [&str; 5] = ["doctor", "agents", "backends", "status", "wait"];

/// The user's configuration in each situation, and the repository's.
const SITUATIONS: [(&str, &str, &str); 5] = [
    ("nothing configured", "", ""),
    (
        "one agent without a key",
        "[review]\nagents = ['sonnet']\n[agents.sonnet]\ndriver = 'http'\napi = 'anthropic'\nmodel = 'm'\n",
        "",
    ),
    (
        "two agents that are not installed",
        "[review]\nagents = ['claude', 'codex']\n[agents.claude]\ndriver = 'claude'\n[agents.codex]\ndriver = 'codex'\n",
        "",
    ),
    ("a broken council.toml", "", "[review\n"),
    (
        "everything fine",
        "[review]\nagents = ['local', 'mine']\n[agents.local]\ndriver = 'http'\napi = 'chat'\n\
         url = 'http://127.0.0.1:PORT/v1'\nkey = 'MODEL_KEY'\nmodel = 'small'\n\
         [agents.mine]\ndriver = 'command'\ncommand = ['/bin/cat']\n",
        "",
    ),
];

fn look(command: &str, own: &str, repository: &str) -> String {
    let repo = Repo::with_base();
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port().to_string();
    let own = &own.replace("PORT", &port);
    if !repository.is_empty() {
        repo.write("council.toml", repository);
        repo.commit("Configure");
    }
    repo.write_home(".config/git-council/config.toml", own);
    let mut program = repo.program(&repo.path());
    // Nothing but what every machine has.
    program.arg(command).envs([KEY, ("PATH", "/usr/bin:/bin")]);
    read_at(Place::Terminal { columns: 80 }, &program)
}

/// Who reads a page in a pipe has no terminal that breaks its lines.
#[test]
fn a_page_is_as_wide_in_a_pipe_as_a_report() {
    let repo = Repo::with_base();
    let own = SITUATIONS[4].1.replace("PORT", "1");
    repo.write_home(".config/git-council/config.toml", &own);
    for args in [&["backends"][..], &["review", "HEAD", "--dry-run"]] {
        let page = repo.council_with(&[KEY], args).ends(0).stdout;
        let wide = page.lines().find(|line| line.chars().count() > 100);
        assert_eq!(wide, None, "{page}");
    }
}

#[test]
fn what_is_here_is_told_to_new_users() {
    let mut out = String::new();
    for (situation, own, repository) in SITUATIONS {
        for command in COMMANDS {
            let text = look(command, own, repository);
            let _ = writeln!(out, "---- {situation}: {command}\n{text}");
        }
    }
    crate::captures::check("first_look", &out);
}

/// Whoever forgot to start the server of a model, or wrote its address wrong, learns it before a review does.
#[test]
fn a_model_server_that_does_not_run_is_told() {
    let own = "[review]\nagents = ['local']\n[agents.local]\ndriver = 'http'\napi = 'chat'\n\
         url = 'http://127.0.0.1:9/v1'\nmodel = 'small'\n";
    let doctor = look("doctor", own, "");
    let words = doctor.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("Not ready"), "{doctor}");
    let what = "nothing listens at 127.0.0.1:9: start its server, or correct `agents.local.url`";
    assert!(words.contains(what), "{doctor}");
    assert!(doctor.contains("exit code 2"), "{doctor}");
    let agents = look("agents", own, "");
    let row = agents.lines().find(|line| line.starts_with("local"));
    assert!(
        row.is_some_and(|row| row.contains("not available: nothing listens")),
        "{agents}"
    );
}

/// Rules and tools have one round: no second one is promised.
#[test]
fn no_second_round_is_promised_of_tools() {
    let own = "[review]\nagents = ['builtin', 'lint']\n[agents.lint]\ndriver = 'command'\n\
         command = ['/bin/cat']\nformat = 'sarif'\n";
    let doctor = look("doctor", own, "");
    assert!(
        doctor.contains("one: neither rules nor tools have a second round"),
        "{doctor}"
    );
}

/// Whatever keeps a review from starting: it is said at most twice, first and last, with something to do about it; and
/// nobody has to know the names of what backends can do.
#[test]
fn a_reason_is_told_once_and_no_word_of_the_inside_is() {
    for (situation, own, repository) in SITUATIONS {
        let text = look("doctor", own, repository);
        let words: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for reason in [
            "is not set",
            "no program `claude`",
            "no program `codex`",
            "not valid TOML",
        ] {
            let told = words.matches(reason).count();
            assert!(told <= 2, "{situation}: {reason:?} {told} times\n{text}");
        }
        for word in [
            "spawn",
            "structured-output",
            "read-only",
            "judge-1 cannot start",
        ] {
            assert!(!text.contains(word), "{situation}: {word}\n{text}");
        }
        let refused = text.contains("exit code 2");
        assert_eq!(refused, text.contains("hint:"), "{situation}: {text}");
        assert!(
            text.lines().all(|line| line.chars().count() <= 80),
            "{text}"
        );
    }
}
