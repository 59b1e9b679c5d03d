//! What a council of APIs costs beside its models: overhead, memory, and how much of what is sent a provider's cache holds.
//!
//! `cargo run --release --example models -- target/release/git-council`: the program runs whole councils against the scripted
//! server, over a change of about 90 kB.

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
    let folder = tempfile::tempdir().unwrap();
    repository(folder.path());
    for _ in 0..3 {
        overhead(&program, folder.path());
    }
    memory(&program, folder.path());
    for (api, base) in [
        ("anthropic", "/v1"),
        ("responses", "/v1"),
        ("chat", "/v1"),
        ("gemini", "/v1beta"),
    ] {
        cache(&program, folder.path(), api, base);
    }
}

/// One commit that changes about 1,000 lines, 90 kB.
fn repository(folder: &Path) {
    let git = |args: &[&str]| {
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
    };
    git(&["init", "--quiet", "--initial-branch=main", "."]);
    fs::write(folder.join(".gitignore"), "home\n").unwrap();
    fs::create_dir(folder.join("home")).unwrap();
    git(&["add", "."]);
    git(&["commit", "--quiet", "-m", "Start"]);
    for file in 0..20 {
        let mut text = String::new();
        for line in 0..50 {
            let _ = writeln!(
                text,
                "/// The value of step {line} in module {file}, which its caller has to check.\npub const STEP_{file}_{line}: u32 = {};",
                line * 7 + file
            );
        }
        fs::write(folder.join(format!("module_{file}.rs")), text).unwrap();
    }
    git(&["add", "."]);
    git(&["commit", "--quiet", "-m", "Modules"]);
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

/// Three judges, two rounds: each judge's chain is three calls (round 1, restatement, round 2).
fn overhead(program: &Path, folder: &Path) {
    let latency = Duration::from_millis(500);
    let models = FakeModels::start([Rule::on(Reply::default().after(500))]).unwrap();
    let config = agent(&models, "anthropic", "/v1", "prime = 'off'");
    let (took, _) = run(program, folder, &config, &["--judges", "3", "--debate"]);
    assert_eq!(
        (models.stats().requests, models.stats().max_in_flight),
        (9, 3)
    );
    let records = models.records();
    let chain = records.iter().map(|r| r.done_ms.unwrap()).max().unwrap() - records[0].at_ms;
    println!(
        "overhead 3 x 2: {:?} beside {:?} of models (of it between first call and last answer: {:?})",
        took.saturating_sub(latency * 3),
        latency * 3,
        Duration::from_millis(chain).saturating_sub(latency * 3)
    );
}

fn memory(program: &Path, folder: &Path) {
    let models = FakeModels::start([Rule::on(Reply::default().after(3000))]).unwrap();
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

/// What a provider's cache holds of three judges and two rounds.
fn cache(program: &Path, folder: &Path, api: &str, base: &str) {
    let models = FakeModels::start([Rule::on(Reply::default().after(20))]).unwrap();
    run(
        program,
        folder,
        &agent(&models, api, base, ""),
        &["--judges", "3", "--debate"],
    );
    let records = models.records();
    let (first, later): (Vec<&Record>, Vec<&Record>) =
        records.iter().partition(|r| prompts(r).len() == 1);
    let sum = |records: &[&Record], of: fn(&Record) -> usize| {
        records.iter().map(|r| of(r)).sum::<usize>()
    };
    let uncached: fn(&Record) -> usize = |r| r.prompt_bytes - r.cached_bytes;
    let task = sum(&later, |r| prompts(r).last().map_or(0, String::len));
    let all: Vec<&Record> = records.iter().collect();
    let (whole, fresh) = (sum(&all, |r| r.prompt_bytes), sum(&all, uncached));
    println!(
        "{api}: round 1 {} B, of it uncached {} B; round 2 {} B, uncached {} B = {:.2} x (others' answers + task: {task} B); \
         total uncached {:.2} x, at a tenth of the price for the rest {:.2} x",
        sum(&first, |r| r.prompt_bytes),
        sum(&first, uncached),
        sum(&later, |r| r.prompt_bytes),
        sum(&later, uncached),
        sum(&later, uncached) as f64 / task as f64,
        fresh as f64 / whole as f64,
        (fresh as f64 + 0.1 * (whole - fresh) as f64) / whole as f64,
    );
}

/// The prompts of a conversation, in order, as each API carries them.
fn prompts(record: &Record) -> Vec<String> {
    let body: Value = serde_json::from_str(&record.body).unwrap();
    let list = ["messages", "input", "contents"]
        .iter()
        .find_map(|name| body[name].as_array())
        .unwrap();
    let user = list.iter().filter(|message| message["role"] == "user");
    let last = |message: &Value| {
        let parts = message["content"]
            .as_array()
            .or(message["parts"].as_array());
        let text = parts
            .and_then(|parts| parts.last())
            .map_or(&message["content"], |part| &part["text"]);
        text.as_str().unwrap_or_default().to_owned()
    };
    user.map(last).collect()
}
