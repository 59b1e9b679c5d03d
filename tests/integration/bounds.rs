//! Whatever is too much ends in a clear error or in a verdict that says what was not seen, within 100 MiB.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::harness::{Repo, Run};

/// The most memory of the program and of what it starts, in KiB.
const MOST: u64 = 100 << 10;

const GIB: u64 = 1 << 30;

/// Runs a command, passes its standard input on, and writes its peak (KiB) to the file named first. The program's own pages
/// count for 20 MiB at most, as many as a release build maps: those of a debug build are twice as many, and say nothing of
/// what a review holds.
const METER: &str = "\
import resource, subprocess, sys, time
child = subprocess.Popen(sys.argv[2:])
mapped = 0
while child.poll() is None:
    try:
        status = open(f'/proc/{child.pid}/status').read()
        mapped = max(mapped, int(status.split('RssFile:')[1].split()[0]))
    except (OSError, IndexError):
        pass
    time.sleep(0.005)
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
open(sys.argv[1], 'w').write(str(peak - max(0, mapped - 20 * 1024)))
sys.exit(child.returncode)
";

/// Runs the program, which must stay within its bounds. `feed` writes to its standard input.
fn bounded(
    repo: &Repo,
    vars: &[(&str, &str)],
    args: &[&str],
    feed: impl FnOnce(&mut dyn FnMut(&[u8]) -> bool),
) -> Run {
    bounded_by(MOST, repo, vars, args, feed)
}

/// The same with a bound of its own, in KiB.
fn bounded_by(
    most: u64,
    repo: &Repo,
    vars: &[(&str, &str)],
    args: &[&str],
    feed: impl FnOnce(&mut dyn FnMut(&[u8]) -> bool),
) -> Run {
    let peak = repo.in_home("peak");
    let program = repo.program(&repo.path());
    let mut meter = Command::new("python3");
    meter
        .args(["-c", METER])
        .arg(&peak)
        .arg(program.get_program())
        .args(args);
    meter.env_clear().current_dir(repo.path());
    for (name, value) in program.get_envs() {
        meter.env(name, value.unwrap());
    }
    meter.envs(vars.iter().copied());
    meter
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = meter.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // Whoever has seen enough stops reading.
    feed(&mut |bytes| stdin.write_all(bytes).is_ok());
    drop(stdin);
    let run = Run::of(child.wait_with_output().unwrap());
    let peak: u64 = fs::read_to_string(&peak).unwrap().parse().unwrap();
    assert!(
        peak < most,
        "{args:?} took {} MiB\n{}\n{}",
        peak >> 10,
        run.stdout,
        run.stderr
    );
    run
}

fn silent(_: &mut dyn FnMut(&[u8]) -> bool) {}

/// One line of 1 GiB.
fn gibibyte(write: &mut dyn FnMut(&[u8]) -> bool) {
    let piece = vec![b'x'; 1 << 20];
    let _ = (0..GIB >> 20).all(|_| write(&piece));
}

/// A file of 1 GiB that takes no room.
fn hollow(path: &Path) {
    File::create(path).unwrap().set_len(GIB).unwrap();
}

#[test]
fn a_line_of_a_gibibyte_is_no_patch_no_document_and_no_ref() {
    let repo = Repo::with_base();
    repo.git(["remote", "add", "origin", "https://github.com/o/r"]);
    bounded(&repo, &[], &["review", "--patch", "-"], gibibyte)
        .ends(2)
        .tells("is larger than 32 MiB");
    // Advice only: a push goes on.
    bounded(
        &repo,
        &[],
        &["hook", "run", "pre-push", "origin", "url"],
        gibibyte,
    )
    .ends(0)
    .tells("git-council could not review");
    let file = repo.in_home("hollow");
    hollow(&file);
    let file = file.to_str().unwrap();
    bounded(&repo, &[], &["review", "--patch", file], silent)
        .ends(2)
        .tells("is larger than 32 MiB");
    bounded(&repo, &[], &["duel", "check", file], silent)
        .ends(2)
        .tells("is larger than 8 MiB");
    let event = [
        ("GITHUB_EVENT_NAME", "pull_request"),
        ("GITHUB_EVENT_PATH", file),
    ];
    bounded(&repo, &event, &["review", "--event"], silent).ends(2);
    assert_ne!(
        bounded(&repo, &[], &["publish", "--report", file], silent).code,
        0
    );
}

#[test]
fn a_file_of_a_gibibyte_is_listed_as_not_seen_and_nothing_passes() {
    let repo = Repo::with_base();
    hollow(&repo.path().join("big"));
    bounded(&repo, &[], &["review", "--worktree"], silent)
        .ends(3)
        .prints("too large to review");
    fs::remove_file(repo.path().join("big")).unwrap();
    // A configuration is no place for it: it is told and not obeyed.
    hollow(&repo.path().join("council.toml"));
    bounded(&repo, &[], &["review", "HEAD"], silent)
        .ends(0)
        .prints("council.toml of the worktree is ignored, because it is broken")
        .prints("larger than 1 MiB");
}

/// A line that holds a token is searched, redacted and quoted without a copy of it for each step.
#[test]
fn a_long_line_with_a_token_is_not_in_memory_many_times() {
    let repo = Repo::with_base();
    let token = ["gh", "p_NqVwYS81VP7Hb1DX8pPd5khxE3pyIgKpaUnA"].concat();
    repo.write(
        "big.js",
        "x=1;".repeat(15 << 20) + &format!("k=\"{token}\";"),
    );
    repo.commit("A line of 60 MiB");
    let args = ["review", "HEAD", "--no-save"];
    let run = bounded_by(200 << 10, &repo, &[], &args, silent).ends(1);
    let run = run.prints("provider-token");
    assert!(!run.stdout.contains(&token));
}

/// A commit of so many small files, without a worktree.
fn many_files(repo: &Repo, count: usize) {
    let mut fast = repo.git_command(&["fast-import", "--quiet"]);
    let mut child = fast.stdin(Stdio::piped()).spawn().unwrap();
    let mut text = String::from("blob\nmark :1\ndata 2\nx\n\ncommit refs/heads/many\n");
    text.push_str(
        "committer A <a@example.com> 1700000000 +0000\ndata 4\nMany\nfrom refs/heads/main^0\n",
    );
    (0..count).for_each(|n| text.push_str(&format!("M 100644 :1 d{}/f{n}\n", n / 1000)));
    child
        .stdin
        .take()
        .unwrap()
        .write_all(text.as_bytes())
        .unwrap();
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_change_of_too_many_files_is_refused_and_a_part_of_it_is_reviewed() {
    let repo = Repo::with_base();
    many_files(&repo, 100_001);
    bounded(&repo, &[], &["review", "many"], silent)
        .ends(2)
        .tells("the change has 100001 files, but at most 100000 can be reviewed at once")
        .tells("PATHSPEC");
    bounded(&repo, &[], &["review", "many", "--", "d7"], silent)
        .ends(0)
        .prints("1000 files");
    let patch = |write: &mut dyn FnMut(&[u8]) -> bool| {
        let text: String = (0..100_010)
            .map(|n| {
                format!("diff --git a/f{n} b/f{n}\n--- a/f{n}\n+++ b/f{n}\n@@ -1 +1 @@\n-a\n+b\n")
            })
            .collect();
        write(text.as_bytes());
    };
    bounded(&repo, &[], &["review", "--patch", "-"], patch)
        .ends(2)
        .tells("more than 100000 files");
}

#[test]
fn fifteen_thousand_files_stay_within_the_bound() {
    let repo = Repo::with_base();
    many_files(&repo, 15_000);
    bounded(&repo, &[], &["review", "many"], silent)
        .ends(0)
        .prints("15000 files");
}

/// A repository with a change, and a judge that is a tool which prints a file.
fn tool(format: &str, report: impl FnOnce(&mut File)) -> Repo {
    let repo = Repo::with_base();
    let lines: String = (0..100).map(|n| format!("line {n}\n")).collect();
    repo.write("many.txt", lines);
    repo.commit("Many lines");
    let path = repo.in_home("report");
    report(&mut File::create(&path).unwrap());
    let config = format!(
        "[agents.tool]\ndriver = 'command'\ncommand = ['/bin/cat', {path:?}]\nformat = '{format}'\n[review]\nagents = ['tool']\njudges = 1\nquorum = 1\n[limits]\nanswer = '4M'\n"
    );
    repo.write_home(".config/git-council/config.toml", &config);
    repo
}

#[test]
fn a_report_of_10_000_findings_is_read_and_shortened() {
    let repo = tool("sarif", |file| {
        let result = |n| {
            format!(
                "{{\"ruleId\":\"R\",\"level\":\"warning\",\"message\":{{\"text\":\"finding {n}\"}},\"locations\":[{{\"physicalLocation\":{{\"artifactLocation\":{{\"uri\":\"many.txt\"}},\"region\":{{\"startLine\":{}}}}}}}]}}",
                n % 100 + 1
            )
        };
        let results: Vec<String> = (1..=10_000).map(result).collect();
        write!(
            file,
            "{{\"version\":\"2.1.0\",\"runs\":[{{\"tool\":{{\"driver\":{{\"name\":\"t\"}}}},\"results\":[{}]}}]}}",
            results.join(",")
        )
        .unwrap();
    });
    let run = bounded(&repo, &[], &["review", "HEAD", "--json"], silent).ends(0);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    // The most severe are kept. Every judge that counts holds them: there is one.
    assert_eq!(report["reason"], "significant-confirmed");
    assert_eq!(report["findings"].as_array().unwrap().len(), 200);
}

#[test]
fn a_report_that_would_fill_the_memory_is_refused() {
    for small in ["{},", "{\"message\":{}},"] {
        let repo = tool("sarif", |file| {
            file.write_all(
                b"{\"version\":\"2.1.0\",\"runs\":[{\"tool\":{\"driver\":{}},\"results\":[",
            )
            .unwrap();
            file.write_all(small.repeat(1 << 20).as_bytes()).unwrap();
        });
        bounded(&repo, &[], &["review", "HEAD"], silent).ends(3);
    }
    for text in [
        "[".repeat(1 << 20),
        "{\"\":0},".repeat(500_000),
        "{\"a\":[".repeat(300_000),
    ] {
        let repo = tool("answer", |file| {
            write!(file, "{{\"findings\":[{text}").unwrap()
        });
        bounded(&repo, &[], &["review", "HEAD"], silent).ends(3);
    }
    let repo = tool("answer", |file| file.set_len(GIB).unwrap());
    bounded(&repo, &[], &["review", "HEAD"], silent)
        .ends(3)
        .prints("more than");
}

#[test]
fn an_event_that_would_fill_the_memory_is_refused() {
    let repo = Repo::with_base();
    repo.git(["remote", "add", "origin", "https://github.com/o/r"]);
    let path = repo.in_home("event.json");
    for text in [
        "[".repeat(20 << 20),
        format!("[{}0]", "{\"\":0},".repeat(3 << 20)),
    ] {
        fs::write(&path, text).unwrap();
        let event = [
            ("GITHUB_EVENT_NAME", "pull_request"),
            ("GITHUB_EVENT_PATH", path.to_str().unwrap()),
        ];
        bounded(&repo, &event, &["review", "--event"], silent)
            .ends(2)
            .tells("the payload of the event");
    }
}

/// A judge that runs commands is the same user, and could read what stands in the environment of the program.
#[cfg(target_os = "linux")]
#[test]
fn our_environment_is_hidden_from_others() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    let place = tempfile::Builder::new()
        .prefix("hidden-")
        .tempdir()
        .unwrap();
    // The superuser reads everything: then both are somebody else.
    let is_root = fs::metadata(place.path()).unwrap().uid() == 0;
    let nobody = |program: &str| {
        let mut command = Command::new(if is_root { "setpriv" } else { program });
        if is_root {
            command.args(["--reuid=65534", "--regid=65534", "--clear-groups", program]);
        }
        command
    };
    if is_root && nobody("true").status().is_err() {
        return;
    }
    // A copy, for nobody else may enter the folder of the build.
    let copy = place.path().join("git-council");
    fs::copy(env!("CARGO_BIN_EXE_git-council"), &copy).unwrap();
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let mut waiting = nobody(&copy.display().to_string())
        .args(["review", "--patch", "-"])
        .env("MY_TOKEN", "a-secret-of-ours")
        .env("HOME", place.path())
        .current_dir(place.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let environ = format!("/proc/{}/environ", waiting.id());
    // A machine that is busy takes its time to begin a program.
    let is_hidden = (0..2_400).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(25));
        let read = nobody("cat").arg(&environ).output().unwrap();
        !read.status.success() && waiting.try_wait().unwrap().is_none()
    });
    let _ = waiting.kill();
    let _ = waiting.wait();
    assert!(is_hidden);
}

/// A report that goes to a pipe which is full: the council is over, and nothing hears Ctrl-C any more.
#[cfg(unix)]
#[test]
fn one_signal_ends_a_process_that_is_busy_elsewhere() {
    std::thread::scope(|both| {
        for signal in ["-INT", "-TERM"] {
            both.spawn(|| ends_at_one_signal(signal));
        }
    });
}

/// Whether a thread of a process is in a call that writes to its standard output, as far as the system tells.
#[cfg(unix)]
fn is_writing_report(id: u32) -> bool {
    let calls = fs::read_dir(format!("/proc/{id}/task"))
        .into_iter()
        .flatten()
        .flatten()
        .map(|task| fs::read_to_string(task.path().join("syscall")).unwrap_or_default());
    // The number of `write` on x86-64 and on aarch64, then the file.
    calls.into_iter().any(|call| {
        let mut words = call.split(' ');
        matches!(words.next(), Some("1" | "64")) && words.next() == Some("0x1")
    })
}

#[cfg(unix)]
fn ends_at_one_signal(signal: &str) {
    let repo = Repo::with_base();
    repo.write("src/more.rs", "pub fn more() {}\n");
    repo.commit("More");
    let (_unread, writer) = std::io::pipe().unwrap();
    let mut filler = writer.try_clone().unwrap();
    // It waits until the test ends, and then nobody is left who reads.
    std::thread::spawn(move || while filler.write_all(&[b' '; 4096]).is_ok() {});
    let mut child = repo
        .program(&repo.path())
        .args(["review", "HEAD", "--json"])
        .stdin(Stdio::null())
        .stdout(writer)
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // Until then a signal ends the process by itself, or the session hears it.
    let waited = std::time::Instant::now();
    while waited.elapsed().as_secs() < 8 && !is_writing_report(child.id()) {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert!(child.try_wait().unwrap().is_none(), "it waits for a reader");
    let began = std::time::Instant::now();
    let id = child.id().to_string();
    Command::new("kill").args([signal, &id]).status().unwrap();
    while child.try_wait().unwrap().is_none() && began.elapsed().as_secs() < 60 {
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    let ended = child.try_wait().unwrap();
    let _ = child.kill();
    assert_eq!(ended.and_then(|status| status.code()), Some(130));
}
