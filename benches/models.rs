//! What a council of APIs costs beside its models: overhead, memory, and how much of what is sent a provider's cache holds.
//!
//! `cargo run --release --example models -- target/release/git-council`: the program runs whole councils against the scripted
//! server, over a change of 969 lines: once where nothing stands around it, once where the brief's 60 KB of context are full.
//! `models PROGRAM tokens [REPOSITORY]` counts tokens only, of `HEAD` of a repository if one is named.

#![allow(clippy::print_stdout, reason = "a bench tells its numbers")]
#![allow(clippy::unwrap_used, reason = "a bench that cannot go on should stop")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use council_fake_models::{FakeModels, Record, Reply, Rule};
use serde_json::Value;

fn main() {
    let program = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "target/release/git-council".to_owned());
    let program = fs::canonicalize(program).expect("the program, as the first argument");
    let (alone, around) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    repository(alone.path());
    // Tokens do not depend on the build: `models PROGRAM tokens` needs none for release.
    if std::env::args().nth(2).as_deref() != Some("tokens") {
        for _ in 0..3 {
            overhead(&program, alone.path());
        }
        memory(&program, alone.path());
    }
    if let Some(named) = std::env::args().nth(3) {
        return caches(&program, Path::new(&named), &named);
    }
    caches(&program, alone.path(), "969 lines, nothing around them");
    surrounded_repository(around.path());
    caches(&program, around.path(), "969 lines, 60 KB around them");
}

/// What a council of each API sends over one change.
fn caches(program: &Path, folder: &Path, change: &str) {
    println!("{change}:");
    for (api, base) in [
        ("anthropic", "/v1"),
        ("responses", "/v1"),
        ("chat", "/v1"),
        ("gemini", "/v1beta"),
    ] {
        cache(program, folder, api, base);
    }
}

/// Lines that the commit changes.
const LINES: usize = 969;

fn git(folder: &Path, args: &[&str]) {
    let mut git = Command::new("git");
    git.args(args).current_dir(folder).envs([
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ("GIT_CONFIG_NOSYSTEM", "1"),
        ("GIT_AUTHOR_NAME", "b"),
        ("GIT_AUTHOR_EMAIL", "b@example.com"),
        ("GIT_COMMITTER_NAME", "b"),
        ("GIT_COMMITTER_EMAIL", "b@example.com"),
    ]);
    assert!(git.status().unwrap().success());
}

fn begin_repository(folder: &Path) {
    git(folder, &["init", "--quiet", "--initial-branch=main", "."]);
    fs::write(folder.join(".gitignore"), "home\n").unwrap();
    fs::create_dir(folder.join("home")).unwrap();
}

fn commit_all(folder: &Path, message: &str) {
    git(folder, &["add", "."]);
    git(folder, &["commit", "--quiet", "-m", message]);
}

/// One commit that adds 969 lines of about 85 bytes to files that were there.
fn repository(folder: &Path) {
    begin_repository(folder);
    for file in 0..20 {
        fs::write(folder.join(format!("module_{file}.rs")), "// Steps.\n").unwrap();
    }
    commit_all(folder, "Start");
    for file in 0..20 {
        let mut text = "// Steps.\n".to_owned();
        for line in (0..LINES).filter(|line| line % 20 == file) {
            let _ = writeln!(
                text,
                "pub const STEP_{file}_{line}: Step = Step::of({}, \"what its caller has to check\");",
                line * 7 + file
            );
        }
        fs::write(folder.join(format!("module_{file}.rs")), text).unwrap();
    }
    commit_all(folder, "Modules");
}

/// The same number of lines, of the same length, in functions that call others: their definitions, which stand in a hundred
/// further files, are more than the context of a brief holds.
fn surrounded_repository(folder: &Path) {
    begin_repository(folder);
    for helper in 0..100 {
        let mut text = format!(
            "/// Checks what part {helper} has to hold.\npub fn check_{helper}(value: u64) -> u64 {{\n"
        );
        for line in 0..20 {
            let _ = writeln!(
                text,
                "    let held_{line} = value.rotate_left({line}) ^ {};",
                helper * 31 + line
            );
        }
        text.push_str("    held_0\n}\n");
        fs::write(folder.join(format!("check_{helper}.rs")), text).unwrap();
    }
    let module = |file: usize, lines: &str| {
        let text = format!("pub fn run_{file}(mut value: u64) -> u64 {{\n{lines}    value\n}}\n");
        fs::write(folder.join(format!("module_{file}.rs")), text).unwrap();
    };
    (0..20).for_each(|file| module(file, ""));
    commit_all(folder, "Start");
    for file in 0..20 {
        let mut text = String::new();
        for line in (0..LINES).filter(|line| line % 20 == file) {
            let helper = line % 100;
            let _ = writeln!(
                text,
                "    value = check_{helper}(value ^ {}); // part {line}: what its caller has to hold",
                line * 7 + file
            );
        }
        module(file, &text);
    }
    commit_all(folder, "Modules");
}

/// Runs a council; how long it took, and its peak of memory in KiB.
fn run(program: &Path, folder: &Path, config: &str, args: &[&str]) -> (Duration, u64) {
    let home = folder.join("home");
    fs::create_dir_all(home.join(".config/git-council")).unwrap();
    fs::write(home.join(".config/git-council/config.toml"), config).unwrap();
    let began = Instant::now();
    let mut child = Command::new(program)
        .args(["review", "HEAD", "--json", "--no-save"])
        .args(args)
        .current_dir(folder)
        .env("HOME", &home)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", child.id());
    let watch = thread::spawn(move || {
        let mut peak = 0;
        while let Ok(text) = fs::read_to_string(&status) {
            let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            let Some(line) = line else { break };
            peak = line.trim().trim_end_matches(" kB").parse().unwrap_or(peak);
            thread::sleep(Duration::from_millis(5));
        }
        peak
    });
    let ended = child.wait().unwrap();
    let took = began.elapsed();
    assert!(matches!(ended.code(), Some(0 | 1)), "{ended}");
    (took, watch.join().unwrap())
}

fn agent(models: &FakeModels, api: &str, base: &str, more: &str) -> String {
    let url = models.url();
    format!(
        "[agents.api]\ndriver = 'http'\napi = '{api}'\nurl = '{url}{base}'\nmodel = 'm'\n{more}\n"
    )
}

/// An answer that counts no tokens: four bytes each, as the scripted server counts, are fewer than code has, and the program
/// takes such a prompt for cut.
fn answer_after(ms: u64) -> Reply {
    Reply {
        without_usage: true,
        ..Reply::default().after(ms)
    }
}

/// Three judges, two rounds: each judge's chain is two calls.
fn overhead(program: &Path, folder: &Path) {
    let latency = Duration::from_millis(500);
    let models = FakeModels::start([Rule::on(answer_after(500))]).unwrap();
    let config = agent(&models, "anthropic", "/v1", "prime = 'off'");
    let (took, _) = run(program, folder, &config, &["--judges", "3", "--debate"]);
    assert_eq!(
        (models.stats().requests, models.stats().max_in_flight),
        (6, 3)
    );
    let records = models.records();
    let chain = records.iter().map(|r| r.done_ms.unwrap()).max().unwrap() - records[0].at_ms;
    println!(
        "overhead 3 x 2: {:?} beside {:?} of models (of it between first call and last answer: {:?})",
        took.saturating_sub(latency * 2),
        latency * 2,
        Duration::from_millis(chain).saturating_sub(latency * 2)
    );
}

fn memory(program: &Path, folder: &Path) {
    let models = FakeModels::start([Rule::on(answer_after(3000))]).unwrap();
    let config = agent(
        &models,
        "responses",
        "/v1",
        "prime = 'off'\n[limits]\nagents = 50",
    );
    let (took, peak) = run(
        program,
        folder,
        &config,
        &["--judges", "50", "--debate=off"],
    );
    let stats = models.stats();
    println!(
        "50 judges: peak {:.1} MiB, {} at once, {took:?}",
        peak as f64 / 1024.0,
        stats.max_in_flight
    );
}

/// What three judges and two rounds send, and how much of it a provider's cache holds.
fn cache(program: &Path, folder: &Path, api: &str, base: &str) {
    let models = FakeModels::start([Rule::on(answer_after(20))]).unwrap();
    // What speaks Chat Completions and is not OpenAI's own is not primed by itself.
    run(
        program,
        folder,
        &agent(&models, api, base, "prime = 'on'\nstructured = true"),
        &["--judges", "3", "--debate"],
    );
    let records = models.records();
    // Whoever wants to read the requests names a folder.
    if let Some(folder) = std::env::var_os("COUNCIL_BENCH_REQUESTS") {
        for record in &records {
            let file = format!("{api}-{}.json", record.nth);
            fs::write(Path::new(&folder).join(file), &record.body).unwrap();
        }
    }
    let all = records.iter().map(|r| r.prompt_bytes).sum::<usize>();
    let brief = brief_bytes(&records);
    let shared = records[1..3]
        .iter()
        .map(|r| r.shared_bytes)
        .min()
        .unwrap_or(0);
    let later = &records[1..];
    let sum = |of: fn(&Record) -> usize| later.iter().map(of).sum::<usize>() as f64;
    // A write to the cache costs a quarter more at Anthropic, nothing elsewhere; a read a tenth.
    let write = if api == "anthropic" { 1.25 } else { 1.0 };
    let price =
        |r: &Record| 0.1 * r.cached_bytes as f64 + write * (r.prompt_bytes - r.cached_bytes) as f64;
    println!(
        "{api}: {} calls; context of {} B; all input {} tokens = {:.3} x {} briefs of {} B, {:.3} x with their schema ({} B); \
         after the first call {:.1} % readable, {:.1} % read; {:.0} full-price tokens",
        records.len(),
        context_bytes(&records[0]),
        all / 4,
        all as f64 / (brief * records.len()) as f64,
        records.len(),
        brief,
        all as f64 / (shared * records.len()) as f64,
        shared - brief,
        100.0 * sum(|r| r.readable_bytes) / sum(|r| r.prompt_bytes),
        100.0 * sum(|r| r.cached_bytes) / sum(|r| r.prompt_bytes),
        records.iter().map(price).sum::<f64>() / 4.0,
    );
}

/// What stands around the change, in the first prompt.
fn context_bytes(record: &Record) -> usize {
    let text = prompts(record).concat();
    let (_, behind) = text.split_once("\n## Context\n").unwrap_or_default();
    let (context, _) = behind
        .split_once("\n# How to judge it\n")
        .unwrap_or_default();
    context.len()
}

/// What all prompts of round 1 begin with: schema, subject and guide.
fn brief_bytes(records: &[Record]) -> usize {
    let first = prompts(&records[0]).concat();
    let shared = |other: &Record| {
        let other = prompts(other).concat();
        first
            .bytes()
            .zip(other.bytes())
            .take_while(|(a, b)| a == b)
            .count()
    };
    records[1..].iter().map(shared).min().unwrap_or(0)
}

/// The texts of a conversation, in order, as each API carries them.
fn prompts(record: &Record) -> Vec<String> {
    let body: Value = serde_json::from_str(&record.body).unwrap();
    let list = ["messages", "input", "contents"]
        .iter()
        .find_map(|name| body[name].as_array())
        .unwrap();
    let texts = |message: &Value| {
        let parts = message["content"]
            .as_array()
            .or(message["parts"].as_array());
        let text = |part: &Value| part["text"].as_str().unwrap_or_default().to_owned();
        match parts {
            Some(parts) => parts.iter().map(text).collect(),
            None => vec![message["content"].as_str().unwrap_or_default().to_owned()],
        }
    };
    list.iter().flat_map(texts).collect()
}
