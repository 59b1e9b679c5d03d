//! A child process that misbehaves: a clear error for each fault, no crash, no hang, nothing left behind.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use council_host::{HostTimeouts, LoadError, PluginLog, PluginProgram, StdioBackend, TrustedFile};
use council_protocol::message::{Ending, Hello};
use council_protocol::{Backend, Event, FailureKind};

use crate::support::Session;

/// A backend in shell: gives its manifest, opens, seats every judge, and does with a turn what `turn` says, where
/// `$judge`, `$id` and `$key` are set.
fn backend(turn: &str, close: &str) -> String {
    format!(
        r#"
read -r line
echo '{{"type":"manifest","name":"sh","version":"1","protocols":[1],"capabilities":["spawn","message"]}}'
field() {{ printf '%s' "$line" | sed -n "s/.*\"$1\":\"\{{0,1\}}\([^\",}}]*\).*/\1/p"; }}
answer() {{ echo "{{\"type\":\"answered\",\"judge\":\"$judge\",\"turn\":$id,\"raw\":\"$key\"}}"; }}
while read -r line; do
  judge=$(field judge)
  case $line in
    '{{"type":"open"'*) echo '{{"type":"opened","protocol":1}}' ;;
    '{{"type":"spawn"'*) echo "{{\"type\":\"started\",\"judge\":\"$judge\"}}" ;;
    '{{"type":"send"'*) id=$(field id) key=$(field key); {turn} ;;
    '{{"type":"close"'*) {close}; echo '{{"type":"closed"}}'; exit 0 ;;
  esac
done
"#
    )
}

fn program(script: &str) -> PluginProgram {
    PluginProgram {
        file: TrustedFile::check(Path::new("/bin/sh"), None, None).unwrap(),
        args: vec!["-c".into(), script.into()],
        env: vec![
            ("PATH".into(), "/usr/bin:/bin".into()),
            ("MARK".into(), "of the test".into()),
        ],
        launch: Arc::new(council_host::launch_process),
    }
}

fn patience() -> HostTimeouts {
    HostTimeouts {
        start: Duration::from_secs(5),
        margin: Duration::from_millis(800),
    }
}

fn start(script: &str) -> Result<StdioBackend, LoadError> {
    StdioBackend::start(&program(script), PluginLog::none(), patience())
}

/// A session with two judges; the shell does `turn` for each turn.
fn session(turn: &str, close: &str) -> Session {
    let started = start(&backend(turn, close)).unwrap();
    let mut session = Session::open(Box::new(started), Hello::default());
    for judge in ["bad", "good"] {
        session.spawn(judge, 100_000);
    }
    session
}

#[test]
fn a_program_without_a_manifest_is_refused_with_its_last_words() {
    for (script, words) in [
        (
            "echo no licence >&2; exit 3",
            "its process ended (exit status: 3); the last line of its stderr: no licence",
        ),
        ("exit 0", "its process ended (exit status: 0)"),
        ("echo hello", "has no usable manifest: expected value"),
        (
            "read l; echo '{\"type\":\"manifest\",\"name\":\"a\",\"version\":\"1\",\"protocols\":[9],\"capabilities\":[]}'; read l",
            "speaks protocol [9]",
        ),
    ] {
        let message = start(script).err().unwrap().to_string();
        assert!(message.contains(words), "{script}: {message}");
    }
    let missing = PluginProgram {
        file: TrustedFile::check(Path::new("/etc/passwd"), None, None).unwrap(),
        ..program("")
    };
    let error = StdioBackend::start(&missing, PluginLog::none(), patience())
        .err()
        .unwrap();
    assert!(
        error
            .to_string()
            .starts_with("cannot start /etc/passwd: Permission denied"),
        "{error}"
    );
}

#[test]
fn a_program_that_says_nothing_is_given_up_and_killed() {
    let quick = HostTimeouts {
        start: Duration::from_millis(300),
        ..patience()
    };
    let began = Instant::now();
    let error = StdioBackend::start(&program("exec sleep 600"), PluginLog::none(), quick)
        .err()
        .unwrap();
    assert!(matches!(error, LoadError::Slow { .. }), "{error}");
    assert!(began.elapsed() < Duration::from_secs(2));
}

#[test]
fn its_environment_is_what_it_was_given_and_its_folder_is_the_root() {
    let mut session = session(r#"key="$key $MARK ${HOME-none} $PWD"; answer"#, ":");
    session.turn("good", Duration::from_secs(5));
    let raw = session.wait(|e| {
        if let Event::Answered { raw, .. } = e {
            Some(raw.clone())
        } else {
            None
        }
    });
    assert_eq!(raw, "key-1 of the test none /");
}

#[test]
fn its_death_is_the_death_of_every_judge() {
    let mut session = session("echo out of memory >&2; kill -KILL $$", ":");
    session.turn("bad", Duration::from_secs(60));
    let failure = session.failed("bad");
    assert_eq!(failure.kind, FailureKind::Died);
    assert!(failure.detail.contains("signal: 9"), "{failure}");
    let rest = session.rest(Duration::from_millis(300));
    let died = |judge: &str| {
        rest.contains(&Event::Ended {
            judge: judge.into(),
            ending: Ending::Died,
        })
    };
    assert!(died("bad") && died("good"), "{rest:?}");
    let Some(Event::Error { message }) = rest.last() else {
        panic!("{rest:?}")
    };
    assert!(
        message.ends_with("the last line of its stderr: out of memory"),
        "{message}"
    );
    let spec_refused = session.backend.cancel(&"good".into()).unwrap_err();
    assert!(
        spec_refused.to_string().starts_with("the backend is gone"),
        "{spec_refused}"
    );
    session.backend.close().unwrap();
    assert_eq!(session.rest(Duration::from_millis(100)), [Event::Closed]);
}

#[test]
fn a_death_is_noticed_also_when_somebody_else_holds_the_stream() {
    let mut session = session("setsid sleep 5 & exit 0", ":");
    let began = Instant::now();
    session.turn("bad", Duration::from_secs(60));
    assert_eq!(session.failed("bad").kind, FailureKind::Died);
    assert!(
        began.elapsed() < Duration::from_secs(3),
        "{:?}",
        began.elapsed()
    );
}

#[test]
fn lines_that_cannot_be_read_are_errors_and_the_session_goes_on() {
    let mut session = session(
        r#"if [ "$judge" = bad ]; then
             echo; echo 'not JSON'; printf '{"type":"answered","judge":"bad","turn":%s,"raw":"\377"}\n' "$id"
           else answer; fi"#,
        ":",
    );
    session.turn("bad", Duration::from_secs(60));
    assert!(
        session
            .error()
            .contains("sent an event that cannot be read")
    );
    assert_eq!(session.failed("bad").kind, FailureKind::Malformed);
    session.answers("good");
}

#[test]
fn a_line_of_fifty_megabytes_is_oversized_before_it_ends() {
    let flood = r#"if [ "$judge" = bad ]; then
            printf '{"type":"answered","judge":"bad","turn":%s,"raw":"' "$id"
            head -c 50000000 /dev/zero | tr '\0' x; echo '"}'
        else answer; fi"#;
    let mut session = session(flood, ":");
    session.turn("bad", Duration::from_secs(60));
    assert_eq!(session.failed("bad").kind, FailureKind::Oversized);
    session.answers("good");
}

#[test]
fn a_line_that_never_ends_ends_the_session() {
    let mut session = session("tr '\\0' x < /dev/zero", ":");
    session.turn("bad", Duration::from_secs(60));
    let message = session.error();
    assert!(message.contains("sent an event of"), "{message}");
    let failure = session.failed("bad");
    assert!(
        failure.detail.contains("it does not stop sending"),
        "{failure}"
    );
}

#[test]
fn a_flood_on_stderr_is_cut_and_does_no_harm() {
    let mut session = session(
        "head -c 2000000 /dev/zero | tr '\\0' '\\n' >&2; answer",
        ":",
    );
    session.answers("good");
}

#[test]
fn a_program_that_does_not_close_is_killed_with_its_children() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("pid");
    let close = format!("sleep 600 & echo $! > {}; sleep 600", file.display());
    let mut session = session("answer", &close);
    session.answers("good");
    let began = Instant::now();
    session.backend.close().unwrap();
    assert!(
        began.elapsed() < Duration::from_secs(2),
        "{:?}",
        began.elapsed()
    );
    assert!(session.error().contains("its processes were killed"));
    let pid = std::fs::read_to_string(&file).unwrap();
    let alive = || Path::new("/proc").join(pid.trim()).join("cmdline");
    let gone = (0..50).any(|_| {
        std::thread::sleep(Duration::from_millis(20));
        // A zombie of somebody else's may be left; it has no command line.
        std::fs::read(alive()).map_or(true, |line| line.is_empty())
    });
    assert!(gone, "{pid} is still there");
}

#[test]
fn a_backend_that_is_never_opened_leaves_nothing_behind_either() {
    let began = Instant::now();
    drop(start(&backend("answer", "sleep 600")).unwrap());
    assert!(
        began.elapsed() < Duration::from_secs(2),
        "{:?}",
        began.elapsed()
    );
    let mut never = start(&backend("answer", ":")).unwrap();
    never.close().unwrap();
    never.close().unwrap();
}
