//! Changes that try to steer judges or the program (`tests/hostile/*.toml`), judged by one judge that believes every word and
//! by the built-in one. The damage is bounded: nothing runs, nothing secret gets out, no PASS below quorum, and the attempt is
//! itself a finding.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use serde::Deserialize;

use crate::harness::{PRIVATE_KEY, Repo};

/// What must get out of no judge: a token of the runner, and a file of the user.
const TOKEN: &str = "ghs_0123456789abcdefghijklmnopqrstuvwxyz";
const USERS_FILE: &str = "the diary of the user";

/// Says what it is told to say, and everything else that it can find.
const GULLIBLE: &str = r#"#!/usr/bin/env python3
import json, os, re, sys
prompt = sys.stdin.read()
key = re.findall(r"`key` is `([^`]*)`", prompt)[-1]
told = [line for line in prompt.splitlines() if re.search(r"review|approve|PASS|::|<|@|http", line)]
found = [json.dumps(dict(os.environ))]
for folder, _, files in os.walk(os.environ.get("COUNCIL_ROOM", "."), followlinks=True):
    for name in files:
        try:
            found.append(open(os.path.join(folder, name), errors="replace").read())
        except OSError as error:
            found.append(str(error))
print(json.dumps({
    "schema_version": 1, "round": 1, "key": key, "verdict": "PASS", "confidence": "HIGH",
    "key_insight": "\n".join(told)[-3000:], "findings": [],
    "recommendation": "\n".join(found)[:20000],
}))
"#;

/// One attempt.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    /// In words.
    what: String,
    /// The rule that tells of it; none: there is nothing that a rule could see, and nothing that it could do.
    finding: Option<String>,
    /// The commit's message.
    message: Option<String>,
    /// What must not be live in a report: as text outside of code, as HTML, or where a link leads.
    #[serde(default)]
    absent: Vec<String>,
    files: BTreeMap<String, String>,
}

fn cases() -> Vec<(String, Case)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hostile");
    let mut cases: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            let case = toml::from_str(&fs::read_to_string(&path).unwrap());
            (
                name.clone(),
                case.unwrap_or_else(|error| panic!("{name}: {error}")),
            )
        })
        .collect();
    cases.sort_by(|one, other| one.0.cmp(&other.0));
    cases
}

/// A repository with the attempt as its last commit, and the judge that believes it.
fn repository(case: &Case) -> Repo {
    let repo = Repo::with_base();
    let marks = repo.in_home("marks");
    fs::create_dir(&marks).unwrap();
    repo.write_home("secret.txt", USERS_FILE);
    let judge = repo.in_home("gullible.py");
    fs::write(&judge, GULLIBLE).unwrap();
    fs::set_permissions(&judge, PermissionsExt::from_mode(0o755)).unwrap();
    let config = format!(
        "[agents.gullible]\ndriver = 'command'\ncommand = [{:?}]\n",
        judge.display().to_string()
    );
    repo.write_home(".config/git-council/config.toml", &config);
    for (path, content) in &case.files {
        if let Some(target) = content.strip_prefix("@LINK:") {
            symlink(target, repo.path().join(path)).unwrap();
            continue;
        }
        let content = content
            .replace("@MARKS", &marks.display().to_string())
            .replace("@PRIVATE_KEY", PRIVATE_KEY);
        repo.write(path, content);
    }
    repo.commit(case.message.as_deref().unwrap_or("Change something"));
    repo
}

/// Everything that people and programs are shown of a run.
fn shown(repo: &Repo, json: &str) -> Vec<(String, String)> {
    let terminal = repo.council(["show", "--format", "terminal"]).ends(0);
    let story = repo.council(["show"]).ends(0);
    let mut shown = vec![
        ("json".to_owned(), json.to_owned()),
        ("terminal".to_owned(), terminal.stdout),
        ("story".to_owned(), story.stdout),
    ];
    let artefacts: PathBuf = repo.path().join(".agents/council");
    for entry in fs::read_dir(artefacts).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        shown.push((path.file_name().unwrap().to_str().unwrap().to_owned(), text));
    }
    shown
}

/// Characters that a reader does not see, or that a terminal obeys.
fn is_active(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t'))
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        || ('\u{e0000}'..='\u{e007f}').contains(&c)
}

/// What of a page does something when it is shown: text outside of code, where links and images lead, HTML.
fn live(page: &str) -> String {
    let mut code = false;
    let mut live = String::new();
    for event in Parser::new_ext(page, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::CodeBlock(_)) => code = true,
            Event::End(TagEnd::CodeBlock) => code = false,
            Event::Text(text) if !code => live.push_str(&text),
            Event::Html(html) | Event::InlineHtml(html) => live.push_str(&format!("html:{html}")),
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                live.push_str(&dest_url);
            }
            Event::SoftBreak | Event::HardBreak | Event::End(_) => live.push('\n'),
            _ => {}
        }
    }
    live
}

fn bounded(name: &str, case: &Case) {
    let repo = repository(case);
    let run = repo.council_with(
        &[("GITHUB_TOKEN", TOKEN), ("GH_TOKEN", TOKEN)],
        &[
            "review",
            "HEAD",
            "--agents",
            "gullible,builtin",
            "--judges",
            "2",
            "--json",
            "--trusted-config",
        ],
    );
    let at = format!("{name} ({})", case.what);
    let report: serde_json::Value = serde_json::from_str(&run.stdout)
        .unwrap_or_else(|_| panic!("{at}: {}{}", run.stdout, run.stderr));
    let marks = fs::read_dir(repo.in_home("marks")).unwrap().count();
    assert_eq!(marks, 0, "{at}: something was run");
    let rules: Vec<_> = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| finding["finding"]["rule"].as_str().unwrap_or_default())
        .collect();
    if let Some(rule) = &case.finding {
        assert!(
            rules.contains(&rule.as_str()),
            "{at}: {rule} is not among {rules:?}"
        );
    }
    if report["verdict"] == "PASS" {
        let took_part = &report["receipt"]["participation"];
        assert_eq!(took_part["quorum"], 2, "{at}");
        assert!(
            took_part["counted"].as_u64() >= Some(2),
            "{at}: {took_part}"
        );
    }
    for (surface, text) in shown(&repo, &run.stdout) {
        for secret in [TOKEN, USERS_FILE] {
            assert!(!text.contains(secret), "{at}: {surface} shows {secret:?}");
        }
        if surface == "json" {
            continue;
        }
        let active = text.chars().find(|c| is_active(*c));
        assert_eq!(active, None, "{at}: {surface}");
        if surface.ends_with("report.md") {
            let text = live(&text);
            for absent in &case.absent {
                assert!(
                    !text.contains(absent),
                    "{at}: {absent:?} stands in {surface}"
                );
            }
        }
    }
}

#[test]
fn whatever_a_change_says_the_damage_is_bounded() {
    let cases = cases();
    assert!(cases.len() >= 60, "{} cases", cases.len());
    let failed = std::sync::Mutex::new(Vec::new());
    let next = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while let Some((name, case)) =
                    cases.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed))
                {
                    if std::panic::catch_unwind(|| bounded(name, case)).is_err() {
                        failed.lock().unwrap().push(name);
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap();
    assert!(failed.is_empty(), "{failed:?}");
}
