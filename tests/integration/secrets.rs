//! What of a secret reaches an agent: nothing in its brief, nothing in its room; tools by rule see the tree as it is.

use std::path::Path;

use council_secrets::samples::{SecretSample, sample_secrets};
use serde_json::json;

use crate::harness::{FORMATS, Repo};
use crate::programs::{answer, with_judge};

const LOOKS: &str = "grep -rh PIN: . >@MARKS/room";

/// A repository whose change holds a secret that only the user's own rules know, and a judge that looks at its room.
pub(crate) fn with_secret(script: &str, more: &str) -> Repo {
    let repo = with_judge(script, more);
    let config = ".config/git-council/config.toml";
    let judge = std::fs::read_to_string(repo.in_home(config)).unwrap();
    let rules = repo.in_home("gitleaks.toml").display().to_string();
    repo.write_home(config, &format!("{judge}\n[redact]\nrules = {rules:?}\n"));
    let house =
        "[[rules]]\nid = 'house'\nregex = '''\\b(house_[a-z0-9]{8})\\b'''\nkeywords = ['house_']\n";
    repo.write_home("gitleaks.toml", house);
    repo.write(
        "src/pin.rs",
        "/// Opens it.\npub const PIN: &str = \"house_abcd1234\";\n",
    );
    repo.commit("Pin");
    repo
}

fn seen(repo: &Repo, name: &str) -> String {
    std::fs::read_to_string(repo.in_home("marks").join(name)).unwrap()
}

#[test]
fn an_agent_is_shown_a_secret_of_the_users_own_rules_neither_in_its_brief_nor_in_its_room() {
    let answer = answer("PASS", "").replace("key=", "printf '%s' \"$prompt\" >@MARKS/prompt\nkey=");
    let repo = with_secret(&format!("{LOOKS}\n{answer}"), "");
    repo.council(["review", "HEAD"]).ends(0);
    assert_eq!(
        seen(&repo, "room"),
        "pub const PIN: &str = \"[redacted: house]\";\n"
    );
    let prompt = seen(&repo, "prompt");
    assert!(
        prompt.contains("PIN: &str = \"[redacted: house]\""),
        "{prompt}"
    );
    assert!(!prompt.contains("house_abcd"), "{prompt}");
}

#[test]
fn a_files_name_is_redacted_by_the_users_own_rules_too() {
    let answer = answer("PASS", "").replace("key=", "printf '%s' \"$prompt\" >@MARKS/prompt\nkey=");
    let repo = with_secret(&answer, "");
    repo.write("src/house_wxyz5678.txt", "Nothing.\n");
    repo.commit("Named");
    repo.council(["review", "HEAD"]).ends(0);
    let prompt = seen(&repo, "prompt");
    assert!(prompt.contains("src/[redacted: house].txt"), "{prompt}");
    assert!(!prompt.contains("house_wxyz"), "{prompt}");
}

#[test]
fn a_tool_that_searches_for_secrets_sees_them_and_the_report_does_not_show_them() {
    let sarif = r#"cat >/dev/null
cat <<'END'
{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "finder"}}, "results": [{"ruleId": "house", "level": "error",
 "message": {"text": "A secret: house_abcd1234"}, "locations": [{"physicalLocation": {"artifactLocation":
 {"uri": "src/pin.rs"}, "region": {"startLine": 2}}}]}]}]}
END"#;
    let repo = with_secret(
        &format!("{LOOKS}\n{sarif}"),
        "format = 'sarif'\ndeterministic = true\nmax-severity = 'critical'\n",
    );
    let run = repo.council(["review", "HEAD", "--json"]).ends(1);
    assert_eq!(
        seen(&repo, "room"),
        "pub const PIN: &str = \"house_abcd1234\";\n"
    );
    assert!(run.stdout.contains("[redacted: house]"), "{}", run.stdout);
    assert!(!run.stdout.contains("house_abcd"), "{}", run.stdout);
}

#[test]
fn rules_for_secrets_are_the_users_and_an_odd_file_is_named() {
    let repo = with_secret(&answer("PASS", ""), "");
    repo.write_home("gitleaks.toml", "[[rules]]\nid = 'odd'\nregex = '''(a'''\n");
    // Whoever asks first whether a review can start is told the same.
    for command in [&["review", "HEAD"][..], &["doctor"]] {
        repo.council_with(&[], command)
            .ends(2)
            .tells("rule `odd`")
            .tells("redact.rules");
    }
    let repo = with_judge(&answer("PASS", ""), "");
    repo.write("council.toml", "[redact]\nrules = '/gitleaks.toml'\n");
    repo.commit("Rules");
    repo.write("src/pin.rs", "/// Opens it.\npub const PIN: u32 = 1;\n");
    repo.commit("Pin");
    repo.council(["review", "HEAD"])
        .ends(2)
        .tells("`redact.rules` may not be set by the repository");
}

/// Asks for nothing but the key that it was given, and repeats what stands in a file.
pub(crate) const REPEATS: &str = r#"
prompt=$(cat)
printf '%s' "$prompt" >>@MARKS/prompt
cat src/all.txt >@MARKS/room
key=$(printf '%s' "$prompt" | sed -n 's/.*`key` is `\([^`]*\)`.*/\1/p' | tail -n 1)
sed "s/@KEY@/$key/" @MARKS/answer.json
"#;

/// The removed lines: passwords that no shape gives away once they stand alone.
const OLD: &str = "const URL: &str = \"postgres://app:tr0ub4dor@db.internal/x\";\nconst PASSWORD: &str = \"Hunter2!xyz\";\n";

fn finding(number: usize, sample: &SecretSample) -> serde_json::Value {
    let (secret, line) = (&sample.secret, number + 1);
    // A judge has both its own way to write a secret down and its own way to spare it.
    let half = &secret[..secret.len() / 2 + secret.len() % 2];
    json!({
        "severity": "critical", "category": format!("kind-{number}"), "fix": "f", "quote": sample.line,
        "location": {"path": "src/all.txt", "line": line}, "suggestion": "from the environment", "why": format!("It is ({secret})."),
        "description": format!("Line {line} holds {secret}, which begins with {half}."),
    })
}

/// A change that adds a made-up secret of every kind and removes two passwords, and judges that repeat all of them.
fn with_every_secret() -> (Repo, Vec<String>) {
    let samples = sample_secrets();
    let told = samples.iter().enumerate();
    let findings: Vec<_> = told
        .map(|(number, sample)| finding(number, sample))
        .collect();
    let answer = json!({
        "schema_version": 1, "round": 1, "key": "@KEY@", "verdict": "FAIL", "confidence": "HIGH",
        "key_insight": "The passwords tr0ub4dor and Hunter2!xyz are gone.", "findings": findings,
        "recommendation": format!("Revoke {}.", samples[0].secret),
    });
    let repo = with_judge(REPEATS, "");
    repo.git(["config", "--global", "council.notes.write", "true"]);
    let answer = format!("```json\n{answer}\n```\n");
    std::fs::write(repo.in_home("marks/answer.json"), answer).unwrap();
    repo.write("src/old.rs", OLD);
    repo.commit("Old");
    repo.write("src/old.rs", "// Nothing.\n");
    let lines: Vec<&str> = samples.iter().map(|sample| &*sample.line).collect();
    repo.write("src/all.txt", lines.join("\n") + "\n");
    repo.commit("All of them");
    let mut secrets = vec!["tr0ub4dor".to_owned(), "Hunter2!xyz".to_owned()];
    secrets.extend(samples.into_iter().map(|sample| sample.secret));
    (repo, secrets)
}

/// The names of the folders in which runs lie.
fn run_folders(repo: &Repo) -> String {
    let mut names = String::new();
    for folder in [".agents/council", ".git/council/runs"] {
        for entry in std::fs::read_dir(repo.path().join(folder)).unwrap() {
            names += &entry.unwrap().file_name().to_string_lossy();
        }
    }
    names
}

/// That a text shows a secret in no case of its letters.
fn assert_absent(text: &str, secret: &str) {
    let text = text.to_lowercase();
    let at = text.find(&secret.to_lowercase());
    assert!(
        at.is_none(),
        "{:?}",
        at.map(|at| &text[at.saturating_sub(300)..at + 60])
    );
}

/// Every file below a folder, as one text.
pub(crate) fn all_files(folder: &Path) -> String {
    let mut text = String::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        text += &match path.is_dir() {
            true => all_files(&path),
            false => String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned(),
        };
    }
    text
}

#[test]
fn no_kind_of_secret_leaves_by_any_exit() {
    let (repo, secrets) = with_every_secret();
    let mut exits: Vec<(String, String)> = Vec::new();
    let verbose = repo.council(["review", "HEAD", "-v"]).ends(1);
    exits.push(("terminal".into(), verbose.stdout));
    exits.push(("log".into(), verbose.stderr));
    for format in FORMATS {
        let run = repo.council(["review", "HEAD", "--format", format]).ends(1);
        exits.push((format.into(), run.stdout + &run.stderr));
    }
    exits.push(("brief".into(), seen(&repo, "prompt")));
    exits.push(("workspace".into(), seen(&repo, "room")));
    exits.push(("reports".into(), all_files(&repo.path().join(".agents"))));
    let bundle = repo.in_home("run.json").display().to_string();
    let args = ["replay", "--bundle", &bundle, "--answers", "--prompts"];
    let replayed = repo.council_with(&[], &args).ends(1);
    exits.push(("replay".into(), replayed.stdout));
    exits.push(("bundle".into(), std::fs::read_to_string(&bundle).unwrap()));
    exits.push(("note".into(), crate::verdict_notes::all_notes(&repo)));
    let duel = [
        "duel",
        "HEAD",
        "--agent-a",
        "helper",
        "--agent-b",
        "helper",
        "--keep",
    ];
    repo.council(duel);
    let transcript = std::fs::read_to_string(repo.path().join("DEBATE.md")).unwrap();
    exits.push(("duel".into(), transcript));
    repo.council(["review", "HEAD"]).ends(1);
    let report = repo.council(["show", "--json"]).stdout;
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    let listed = report["findings"].as_array().unwrap().len();
    // Each is a process of its own and tells of one line: some of them show what all do, in seconds instead of minutes.
    let applied = (1..=listed).step_by(8).map(|number| {
        let run = repo.council(["apply", &format!("F{number}")]);
        run.stdout + &run.stderr
    });
    let applied: String = applied.collect();
    assert!(applied.contains("its suggestion was applied"), "{applied}");
    exits.push(("apply".into(), applied));
    // The journal itself is no exit: it holds answers as they came, for a replay, and lies in `.git` beside the objects
    // that hold the secret. What leaves of it is the bundle above.
    for (exit, text) in &exits {
        // A run in which nothing goes wrong has nothing to log.
        assert!(text.len() > 80 || exit == "log", "{exit}: {text}");
        for secret in &secrets {
            assert!(
                !text.contains(secret.as_str()),
                "{exit} shows {secret}:\n{text}"
            );
            let half = &secret[..secret.len() / 2 + secret.len() % 2];
            let is_shown = half.len() >= 16 && text.contains(half);
            assert!(!is_shown, "{exit} shows how {secret} begins:\n{text}");
        }
    }
    let (_, shown) = exits.iter().find(|(exit, _)| exit == "json").unwrap();
    assert!(
        shown.contains("The passwords [redacted: url-password] and [redacted: secret] are gone."),
        "{shown}"
    );
}

/// The name of what is reviewed stands in every headline, in notes and in the names of files.
#[test]
fn a_secret_in_the_name_of_a_branch_leaves_by_no_exit() {
    let script = answer("PASS", "").replace("key=", "printf '%s' \"$prompt\" >@MARKS/prompt\nkey=");
    let repo = with_judge(&script, "");
    let random = "a1B2c3D4e5F6g7H8i9J0".repeat(2);
    let branch = format!("feat-ghp_{random}");
    repo.git(["switch", "--quiet", "--create", &branch]);
    repo.write("y.txt", "y\n");
    repo.commit("More");
    let range = format!("main...{branch}");
    let mut text = String::new();
    for format in ["terminal", "markdown", "json", "sarif"] {
        let run = repo.council(["review", &range, "--format", format]);
        text += &(run.stdout + &run.stderr);
    }
    text += &repo.council(["log"]).stdout;
    let bundle = repo.in_home("run.json").display().to_string();
    repo.council_with(&[], &["replay", "--bundle", &bundle])
        .ends(0);
    text += &std::fs::read_to_string(&bundle).unwrap();
    // Notes stand on refs of their own.
    text += &repo.git(["log", "--all", "--patch", "--format=%B"]);
    text += &seen(&repo, "prompt");
    text += &all_files(&repo.path().join(".agents"));
    assert_absent(&(text + &run_folders(&repo)), &random);
}

/// The same for a value that nothing but the change says is secret: in the name of a branch, of a file and in the subject
/// of a commit.
#[test]
fn a_value_of_the_change_in_a_name_leaves_by_no_exit() {
    let script = answer("PASS", "").replace("key=", "printf '%s' \"$prompt\" >@MARKS/prompt\nkey=");
    let repo = with_judge(&script, "");
    let value = ["Zq77kV9x7", "Lm2Tw8Rp"].concat();
    let branch = format!("rotate-{value}");
    repo.git(["switch", "--quiet", "--create", &branch]);
    repo.write(
        "a.py",
        format!("url = \"https://bob:{value}@db.internal.net/r\"\n"),
    );
    repo.write(&format!("backup-{value}.sql"), "select 1\n");
    repo.commit(&format!("rotate {value}"));
    let range = format!("main...{branch}");
    let mut text = String::new();
    for format in [
        "terminal", "story", "markdown", "html", "json", "sarif", "junit", "agent",
    ] {
        let run = repo.council(["review", &range, "--format", format]);
        text += &(run.stdout + &run.stderr);
    }
    text += &repo.council(["log"]).stdout;
    let bundle = repo.in_home("run.json").display().to_string();
    repo.council_with(&[], &["replay", "--bundle", &bundle])
        .ends(0);
    text += &std::fs::read_to_string(&bundle).unwrap();
    text += &seen(&repo, "prompt");
    text += &all_files(&repo.path().join(".agents"));
    assert_absent(&(text + &run_folders(&repo)), &value);
}

/// The same for a reason that somebody gives, for a line of the page, and for what the cache calls a review.
#[test]
fn a_value_of_the_change_in_a_reason_leaves_by_no_exit() {
    let repo = Repo::new();
    repo.write("README.md", "A program.\n");
    repo.commit("One");
    let value = ["iK2ZWeqhF", "WCEPyYngF"].concat();
    repo.write(
        "a.py",
        format!(
            "url = \"https://bob:{value}@db.internal.net/r\"\n# ask bob for {value}\nx = eval(y)\n"
        ),
    );
    repo.commit(&format!("rotate {value}"));
    let mut text = String::new();
    let mut said = |args: &[&str]| {
        let run = repo.council_with(&[], args);
        text += &(run.stdout + &run.stderr);
    };
    for turn in 0..2 {
        for format in [
            "terminal", "story", "markdown", "html", "json", "sarif", "junit", "agent",
        ] {
            said(&["review", "HEAD", "--format", format]);
        }
        if turn == 0 {
            said(&[
                "dismiss",
                "F1",
                "--because",
                &format!("{value} is of no use"),
            ]);
        }
    }
    said(&["cache"]);
    said(&["log"]);
    let is_said = text.contains("is of no use");
    assert!(is_said, "the reason is told: {text}");
    text += &all_files(&repo.path().join(".agents"));
    assert_absent(&text, &value);
}

/// What a review is told beside the change: a question, instructions, perspectives, a councillor's field, the keys of a
/// configuration that is not obeyed.
#[test]
fn a_secret_in_what_a_review_is_told_leaves_by_no_exit() {
    let random = "a1B2c3D4e5F6g7H8i9J0".repeat(2);
    let token = format!("ghp_{random}");
    let keeps = "printf '%s' \"$prompt\" >>@MARKS/prompt\nkey=";
    let in_words = |repo: &Repo, args: &[&str]| {
        let mut text = String::new();
        for format in ["terminal", "markdown", "json"] {
            let mut args = args.to_vec();
            args.extend(["--format", format]);
            let run = repo.council_with(&[], &args);
            text += &(run.stdout + &run.stderr);
        }
        text += &repo.council(["log"]).stdout;
        let bundle = repo.in_home("run.json").display().to_string();
        repo.council_with(&[], &["replay", "--bundle", &bundle, "--prompts"]);
        text += &std::fs::read_to_string(&bundle).unwrap_or_default();
        if repo.in_home("marks/prompt").exists() {
            text += &seen(repo, "prompt");
        }
        // A configuration that is refused leaves no report.
        let reports = repo.path().join(".agents");
        if reports.exists() {
            text += &all_files(&reports);
        }
        text
    };
    let field = format!("payments, key {token}");
    let told = format!("Mind that {token} is gone");
    let question = format!("Is {token} still in use?");
    let perspectives = format!("[perspectives]\nbilling = {told:?}\n");
    let asked: [(&str, Vec<&str>); 4] = [
        ("--topic", vec!["review", "--topic", &question, "--save"]),
        (
            "--instructions",
            vec!["review", "HEAD", "--instructions", &told],
        ),
        (
            "--focus",
            vec!["review", "HEAD", "-c", "3", "--focus", &field],
        ),
        (
            "perspectives",
            vec!["review", "HEAD", "--perspectives", "billing"],
        ),
    ];
    for (name, args) in asked {
        let repo = with_judge(&answer("PASS", "").replace("key=", keeps), &perspectives);
        let text = in_words(&repo, &args);
        assert!(text.contains("[redacted: github-token]"), "{name}: {text}");
        assert!(!text.contains(&random), "{name}: {text}");
    }
    for (name, content) in [
        ("key", format!("{token} = 1\n")),
        ("value", format!("[review]\nquorum = \"{token}\"\n")),
        ("syntax", format!("{token} {token}\n")),
        (
            "perspective",
            format!("[perspectives]\nbilling = \"{told}\"\n"),
        ),
        ("rule", format!("[rules]\n{token} = \"off\"\n")),
    ] {
        let repo = with_judge(&answer("PASS", "").replace("key=", keeps), "");
        repo.write("council.toml", content);
        repo.commit("Settings");
        repo.write("src/pin.rs", "/// Opens it.\npub const PIN: u32 = 1;\n");
        repo.commit("Pin");
        let text = in_words(&repo, &["review", "HEAD", "-v"]);
        assert!(!text.contains(&random), "{name}: {text}");
    }
}

#[test]
fn a_dismissal_does_not_tell_a_secret_either() {
    let repo = with_judge(&answer("FAIL", ""), "");
    repo.git(["config", "--global", "council.notes.write", "true"]);
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0".repeat(2));
    repo.write(
        "src/key.rs",
        format!("pub const KEY: &str = \"{token}\";\n"),
    );
    repo.commit("Key");
    repo.council(["review", "HEAD", "--agents", "builtin"])
        .ends(1);
    repo.council_with(
        &[],
        &[
            "dismiss",
            "F1",
            "--because",
            &format!("{token} is of a test"),
        ],
    )
    .ends(0);
    let notes = repo.git(["notes", "--ref=council", "list"]);
    let listed = notes.lines().filter_map(|line| line.split(' ').next());
    let all: String = listed
        .map(|note| repo.git(["cat-file", "-p", note]))
        .collect();
    assert!(
        all.contains("[redacted: github-token] is of a test"),
        "{all}"
    );
    assert!(!all.contains(&token), "{all}");
}
