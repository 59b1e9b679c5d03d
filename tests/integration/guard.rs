//! The guard with real processes: nothing of an agent outlives us, whatever it does.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use council_agents::guard::{GuardedChild, GuardedProgram, os_arguments, spawn_guarded};

const EXE: &str = env!("CARGO_BIN_EXE_git-council");

fn guarded(script: &str, grace_ms: u64) -> GuardedChild {
    let argv = ["sh", "-c", script].map(str::to_owned);
    let env = [(
        "PATH".to_owned(),
        std::env::var_os("PATH").unwrap_or_default(),
    )];
    let program = GuardedProgram {
        argv: os_arguments(&argv),
        env: &env,
        dir: Path::new("/"),
        grace_ms,
        fence: None,
    };
    spawn_guarded(Path::new(EXE), &program).unwrap()
}

/// The process id that the program prints first.
fn printed_pid(guarded: &mut GuardedChild) -> u32 {
    let mut line = String::new();
    BufReader::new(guarded.child.stdout.as_mut().unwrap())
        .read_line(&mut line)
        .unwrap();
    line.trim().parse().unwrap()
}

/// Whether a process runs; a zombie does not.
fn runs(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rfind(')')
        .is_some_and(|at| !stat[at + 1..].trim_start().starts_with('Z'))
}

fn gone_within(pid: u32, limit: Duration) -> bool {
    let began = Instant::now();
    while runs(pid) {
        if began.elapsed() > limit {
            return false;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    true
}

#[test]
fn a_programs_streams_and_exit_code_pass_through() {
    let mut guarded = guarded("cat; echo oops >&2; exit 7", 100);
    guarded
        .child
        .stdin
        .take()
        .unwrap()
        .write_all(b"hello")
        .unwrap();
    let (mut out, mut err) = (String::new(), String::new());
    guarded
        .child
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut out)
        .unwrap();
    guarded
        .child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut err)
        .unwrap();
    assert_eq!((out.as_str(), err.as_str()), ("hello", "oops\n"));
    assert_eq!(guarded.child.wait().unwrap().code(), Some(7));
}

#[test]
fn nothing_of_our_environment_or_descriptors_reaches_the_program() {
    let mut guarded = guarded("env; ls /proc/self/fd", 100);
    let mut out = String::new();
    guarded
        .child
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut out)
        .unwrap();
    assert!(!out.contains("CARGO"), "{out}");
    let descriptors: Vec<_> = out.lines().filter(|l| l.parse::<u32>().is_ok()).collect();
    // The fourth is the one with which `ls` reads the folder.
    assert_eq!(descriptors, ["0", "1", "2", "3"], "{out}");
}

#[test]
fn a_grandchild_in_its_own_session_dies_too() {
    let mut guarded = guarded("setsid sleep 600 & echo $!; wait", 100);
    let pid = printed_pid(&mut guarded);
    assert!(runs(pid));
    guarded.end();
    guarded.child.wait().unwrap();
    assert!(!runs(pid));
}

#[test]
fn what_a_program_leaves_behind_ends_with_it() {
    let mut guarded = guarded("setsid sleep 600 > /dev/null 2>&1 & echo $!", 100);
    let pid = printed_pid(&mut guarded);
    assert_eq!(guarded.child.wait().unwrap().code(), Some(0));
    assert!(!runs(pid));
}

#[test]
fn a_program_that_ignores_the_request_is_killed_after_the_grace() {
    let mut guarded = guarded("trap '' TERM; echo $$; while :; do sleep 1; done", 200);
    let pid = printed_pid(&mut guarded);
    let began = Instant::now();
    guarded.end();
    guarded.child.wait().unwrap();
    assert!(!runs(pid));
    assert!(began.elapsed() >= Duration::from_millis(200));
}

#[test]
fn the_tree_ends_when_we_are_killed() {
    // Whoever holds the other end of the death pipe stands for us: it is killed without a chance to say so.
    let script = format!(
        "sleep 600 | {{ exec 3<&0 </dev/null; '{EXE}' __guard 100 -- sh -c 'setsid sleep 600 & echo $!; wait'; }} & \
         sleep 0.2; pgrep -P $$ -x sleep | head -n 1; wait"
    );
    let mut shell = Command::new("sh")
        .args(["-c", &script])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(shell.stdout.take().unwrap()).lines();
    let mut pids: Vec<u32> = Vec::new();
    while pids.len() < 2 {
        pids.push(lines.next().unwrap().unwrap().trim().parse().unwrap());
    }
    let [grandchild, holder] = pids[..] else {
        panic!("{pids:?}")
    };
    assert!(runs(grandchild) && runs(holder));
    let killed = Command::new("kill")
        .args(["-9", &holder.to_string()])
        .status()
        .unwrap();
    assert!(killed.success());
    assert!(gone_within(grandchild, Duration::from_secs(10)));
    shell.wait().unwrap();
}

#[test]
fn a_killed_guard_takes_its_program_along() {
    let mut guarded = guarded("echo $$; exec sleep 600", 100);
    let pid = printed_pid(&mut guarded);
    let killed = Command::new("kill")
        .args(["-9", &guarded.pid().to_string()])
        .status()
        .unwrap();
    assert!(killed.success());
    assert!(gone_within(pid, Duration::from_secs(10)));
}
