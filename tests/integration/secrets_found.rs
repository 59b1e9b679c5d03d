//! Secrets that no model is shown: rules find them, wherever they stand and wherever they are moved.

use std::collections::BTreeSet;
use std::path::Path;

use council_secrets::samples::sample_secrets;

use crate::harness::{FORMATS, Repo};
use crate::programs::{answer, with_judge};
use crate::secrets::with_secret;

/// What no model is shown no model can object to: a rule speaks, or the verdict says how much was hidden.
#[test]
fn a_secret_that_no_model_is_shown_is_no_bare_pass() {
    let repo = with_judge(&answer("PASS", ""), "");
    let aws = ["wJq7rXUtn0EMI/K7MDENG", "/bPxRfiCYt9Zk3pQ9vX"].concat();
    let random = ["Zk3pQ9vXw2", "LmT7rB8sYc"].concat();
    for (path, line, word) in [
        (
            "cred",
            format!("aws_secret_access_key = {aws}"),
            "FAIL: 1 critical",
        ),
        (
            "a.yml",
            format!("  AWS_SECRET_ACCESS_KEY: {aws}"),
            "FAIL: 1 critical",
        ),
        (
            "deploy.sh",
            format!("export AWS_SECRET_ACCESS_KEY={aws}"),
            "FAIL: 1 critical",
        ),
        (
            "x.tf",
            format!("aws_secret_access_key = \"{aws}\""),
            "FAIL: 1 critical",
        ),
        (
            "Dockerfile",
            format!("ENV AWS_SECRET_ACCESS_KEY={aws}"),
            "FAIL: 1 critical",
        ),
        (
            ".npmrc",
            format!("//npm.acme.io/:_authToken={random}"),
            "FAIL: 1 critical",
        ),
        (
            "p.yml",
            format!("password: {random}"),
            "WARN: 1 significant",
        ),
        (
            "c.sh",
            format!("curl -u admin:{random} https://acme.io"),
            "WARN: 1 significant",
        ),
        (
            "h.json",
            format!("{{\"Authorization\": \"Bearer {random}\"}}"),
            "WARN: 1 significant",
        ),
        (
            "settings.xml",
            format!("<password>{random}</password>"),
            "WARN: 1 significant",
        ),
        (
            "s.py",
            format!("password = \"{random}\""),
            "WARN: 1 significant",
        ),
        (".env", format!("A={random}"), "WARN: 1 significant"),
        (
            "tests/test_a.py",
            format!("password = \"{random}\""),
            "PASS: 2 judges found nothing; 1 secret value hidden from the models",
        ),
        (
            "NOTES.md",
            format!("    password = \"{random}\""),
            "PASS: 2 judges found nothing; 1 secret value hidden from the models",
        ),
    ] {
        repo.write(path, format!("{line}\n"));
        repo.commit(path);
        let run = repo.council(["review", "HEAD", "--no-save", "--quiet"]);
        let head = run.stdout.lines().next().unwrap_or_default();
        assert!(
            head.starts_with(word),
            "{path}: {}{}",
            run.stdout,
            run.stderr
        );
        let shown = [&aws, &random].map(|value| run.stdout.contains(value.as_str()));
        assert_eq!(shown, [false, false], "{path}: {}", run.stdout);
    }
}

/// A private key among tests is probably made for them. Where it is moved to, it is the program's, though no line is new.
#[test]
fn a_key_that_is_moved_out_of_tests_or_examples_is_one_of_the_programs() {
    let body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKjMzEf\n".repeat(6);
    let marks = ["BEGIN", "END"].map(|word| format!("-----{word} PRIVATE {}-----\n", "KEY"));
    let key = format!("{}{body}{}", marks[0], marks[1]);
    for from in ["tests/server.pem", "examples/tls/server.pem"] {
        let repo = Repo::with_base();
        repo.write(from, &key);
        repo.commit("For the tests");
        repo.council(["review", "HEAD"])
            .ends(0)
            .prints("WARN")
            .prints("lower, because");
        for (to, code) in [("tests/other/server.pem", 0), ("deploy/server.pem", 1)] {
            let folder = Path::new(to).parent().unwrap();
            std::fs::create_dir_all(repo.path().join(folder)).unwrap();
            repo.git(["mv", from, to]);
            repo.commit("Moved");
            let run = repo.council(["review", "HEAD"]).ends(code);
            assert_eq!(run.stdout.contains("private-key"), code == 1, "{to}");
            repo.git(["reset", "--quiet", "--hard", "HEAD~"]);
        }
    }
}

/// A workflow that lies there under another name does nothing, and nobody has read it as what it becomes.
#[test]
fn a_moved_workflow_is_read() {
    let workflow = "on: pull_request_target\npermissions: write-all\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      \
                    - uses: actions/checkout@v4\n        with:\n          ref: ${{ github.event.pull_request.head.sha }}\n      \
                    - run: make\n";
    let server = "{\n  \"mcpServers\": { \"db\": { \"command\": \"npx\" } }\n}\n";
    for (from, to, text, rule) in [
        (
            ".github/workflows/x.yml.off",
            ".github/workflows/x.yml",
            workflow,
            "workflow-",
        ),
        ("m.json", ".mcp.json", server, "agent-file-change"),
        (
            "docs/x",
            ".gitmodules",
            "[submodule \"a\"]\n\tpath = a\n\turl = -u./run\n",
            "submodule-command",
        ),
    ] {
        let repo = Repo::with_base();
        repo.write(from, text);
        repo.commit("There it does nothing");
        repo.git(["mv", from, to]);
        for more in ["", "# more\n"] {
            if !more.is_empty() && !to.ends_with(".json") {
                repo.write(to, format!("{text}{more}"));
            }
            repo.commit("Moved");
            let run = repo.council(["review", "HEAD"]);
            assert!(run.stdout.contains(rule), "{to}: {}", run.stdout);
            repo.git(["reset", "--quiet", "--soft", "HEAD~"]);
        }
    }
}

/// What may stand around a token in its line. The long ones end a clipped quote within the second token, whichever it is.
fn lines_around(token: &str, other: &str) -> Vec<String> {
    let words =
        |count: usize| -> String { (0..count).map(|n| format!("B{n:03}=abcdef ")).collect() };
    vec![
        format!("export A={token}"),
        format!("export A={token} B={other}"),
        format!("export A={token} {}TOKEN={other} {}", words(10), words(9)),
        format!(
            "{{\"a\":\"{token}\",\"b\":\"{other}\",\"c\":\"{token}\",\"d\":\"{other}\",\"e\":\"{token}\"}}"
        ),
        format!("A={token} B={token} C={other} D={token} E={other} host=build.corp.example"),
        format!("export A={token} # {}", "e\u{301}".repeat(300)),
        format!("export A={token} # {}", "e\u{301}".repeat(9_000)),
        (0..11).fold(format!("export A={token}"), |line, n| {
            format!("{line} https://app:Tr0ub4dor{n:02}x@db{n}.example/x")
        }),
    ]
}

/// The files that a review of a commit has a critical finding in that counts.
fn critical_files(repo: &Repo, commit: &str, more: &[&str]) -> BTreeSet<String> {
    let run = repo.council_with(
        &[],
        &[&["review", commit, "--json", "--fresh"], more].concat(),
    );
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let findings = report["findings"].as_array().unwrap().iter();
    let counts = findings.filter(|found| found["level"] == "fail");
    let path = |found: &serde_json::Value| found["finding"]["location"]["path"].clone();
    counts
        .map(|found| path(found).as_str().unwrap().to_owned())
        .collect()
}

/// A token is found whatever stands beside it, and whatever else of its line the user's own rules replace.
#[test]
fn nothing_in_a_line_excuses_the_token_in_it() {
    let repo = Repo::with_base();
    let samples = sample_secrets();
    let one_line = samples
        .iter()
        .filter(|sample| !sample.secret.contains('\n'));
    // A report holds 200 findings at most.
    let tokens: Vec<&str> = one_line.map(|sample| &*sample.secret).step_by(4).collect();
    let layouts = lines_around("", "").len();
    for layout in 0..layouts {
        for (at, token) in tokens.iter().enumerate() {
            let other = tokens[(at + 1) % tokens.len()];
            let line = &lines_around(token, other)[layout];
            let text = format!("#!/bin/sh\n{line}\n");
            repo.write(&format!("src/{layout}/{at:03}.sh"), text);
        }
        repo.commit(&format!("Layout {layout}"));
    }
    let rules = repo.in_home("rules.toml").display().to_string();
    let house = [
        r"[a-z0-9.-]+\.corp\.example",
        r"(A|TOKEN)=\S+",
        r#""b":"[^"]+""#,
    ];
    let house = house.iter().enumerate();
    let house =
        house.map(|(at, regex)| format!("[[rules]]\nid = 'house-{at}'\nregex = '''{regex}'''\n"));
    repo.write_home("rules.toml", &house.collect::<String>());
    let with_rules = format!("redact.rules={rules}");
    let mut alone = BTreeSet::new();
    for layout in 0..layouts {
        let commit = format!("HEAD~{}", layouts - 1 - layout);
        for more in [vec![], vec!["--config", &*with_rules]] {
            let found = critical_files(&repo, &commit, &more);
            if layout == 0 && more.is_empty() {
                let names = found.iter().map(|path| path["src/0/".len()..].to_owned());
                alone = names.collect();
                // The rest is only replaced, or is a secret of what it is assigned to.
                assert!(alone.len() >= 50, "{} of {}", alone.len(), tokens.len());
            }
            let is_lost = |file: &&String| !found.contains(&format!("src/{layout}/{file}"));
            let lost: Vec<&String> = alone.iter().filter(is_lost).collect();
            assert!(lost.is_empty(), "layout {layout}, {more:?}: {lost:?}");
        }
    }
}

/// Law: whoever shows a run has its secrets replaced by the rules that it began with, be his own others or none.
#[test]
fn a_run_is_shown_by_the_rules_that_it_began_with() {
    let finding = r#"{"severity": "critical", "category": "pin", "description": "It is house_abcd1234.",
 "location": {"path": "src/pin.rs", "line": 2}, "quote": "pub const PIN: &str = \"house_abcd1234\";", "why": "w", "fix": "f"}"#;
    let repo = with_secret(&answer("FAIL", finding), "");
    repo.council(["review", "HEAD"]).ends(1);
    let kept = repo.in_home("bundle.json").display().to_string();
    for rules in ["", "[[rules]]\nid = 'other'\nregex = 'other_[a-z]+'\n"] {
        let config = repo.in_home(".config/git-council/config.toml");
        let text = std::fs::read_to_string(&config).unwrap();
        let (before, _) = text.split_once("\n[redact]").unwrap();
        if rules.is_empty() {
            std::fs::write(&config, format!("{before}\n[redact]\n")).unwrap();
        } else {
            let file = repo.in_home("gitleaks.toml").display().to_string();
            std::fs::write(&config, format!("{before}\n[redact]\nrules = {file:?}\n")).unwrap();
            repo.write_home("gitleaks.toml", rules);
        }
        let mut said = Vec::new();
        for args in [
            vec!["replay"],
            vec!["replay", "--json"],
            vec!["explain", "F1"],
            vec!["log", "--json"],
            vec!["replay", "--bundle", &kept, "--answers", "--prompts"],
        ] {
            let run = repo.council_with(&[], &args);
            said.extend([run.stdout, run.stderr]);
        }
        assert!(
            said.concat().contains("bundle.json"),
            "it is told where the run is"
        );
        for format in FORMATS {
            said.push(repo.council(["show", "--format", format]).stdout);
        }
        said.push(std::fs::read_to_string(&kept).unwrap());
        for text in said {
            assert!(!text.contains("house_abcd"), "{rules:?}: {text}");
        }
    }
}
