//! What ctrl-c does to a run whose judges are programs.

use std::io::Read;
use std::process::Stdio;
use std::time::{Duration, Instant};

use super::with_judge;
use crate::harness::Repo;

#[test]
fn ctrl_c_ends_with_130_an_incomplete_report_and_no_process_left() {
    let repo = with_judge(
        "echo $$ > \"@MARKS/pid\"\nsleep 60 & echo $! > \"@MARKS/child\"\nwait",
        "",
    );
    let mut command = repo.program(&repo.path());
    command
        .args(["review", "HEAD", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let pids = wait_for_pids(&repo);
    interrupt(child.id());
    let mut stdout = String::new();
    child
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut stdout)
        .unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{stdout}");
    let report: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(
        (&report["incomplete"], &report["reason"]),
        (&true.into(), &"interrupted".into())
    );
    for pid in pids {
        assert!(!is_running(&pid), "{pid} is left");
    }
    repo.council(["show", "--format", "terminal"])
        .ends(0)
        .prints("INCONCLUSIVE");
}

#[test]
fn a_second_ctrl_c_does_not_wait_for_whoever_ignores_the_first() {
    let stubborn = "trap '' INT TERM\necho $$ > \"@MARKS/pid\"\necho $$ > \"@MARKS/child\"\n\
                    while :; do sleep 1; done";
    let repo = with_judge(stubborn, "[timeouts]\nshutdown = '10m'\n");
    let mut command = repo.program(&repo.path());
    command
        .args(["review", "HEAD"])
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let pids = wait_for_pids(&repo);
    let began = Instant::now();
    interrupt(child.id());
    std::thread::sleep(Duration::from_millis(100));
    interrupt(child.id());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(
        began.elapsed() < Duration::from_secs(30),
        "{:?}",
        began.elapsed()
    );
    // The guard outlives us by its grace, and kills what is left.
    let until = Instant::now() + Duration::from_secs(20);
    while pids.iter().any(|pid| is_running(pid)) {
        assert!(Instant::now() < until, "one of {pids:?} is left");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Whether a process runs; one that only waits to be reaped does not.
fn is_running(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(')')
        .next()
        .is_some_and(|rest| !rest.trim_start().starts_with('Z') && !rest.is_empty())
}

/// Waits until a judge has written down its process and its child's.
fn wait_for_pids(repo: &Repo) -> Vec<String> {
    let read =
        |name: &str| std::fs::read_to_string(repo.in_home("marks").join(name)).unwrap_or_default();
    let until = Instant::now() + Duration::from_secs(60);
    while Instant::now() < until {
        let pids = ["pid", "child"].map(|name| read(name).trim().to_owned());
        if pids.iter().all(|pid| !pid.is_empty()) {
            return pids.into();
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("no judge started");
}

fn interrupt(pid: u32) {
    let sent = std::process::Command::new("kill")
        .args(["-INT", &pid.to_string()])
        .status()
        .unwrap();
    assert!(sent.success());
}
