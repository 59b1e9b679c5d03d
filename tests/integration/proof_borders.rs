//! The borders of a test that a judge wrote, tried by code that wants through them.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use council_agents::StopSignal;
use council_agents::guard::HardBorders;
use council_agents::trial::{FinishedTrial, TrialCommand, TrialEnding, TrialFolder};
use council_protocol::change::{BlobError, BlobSource, EntryKind, TreeEntry};
use council_protocol::{RepoPath, Side};

/// Both sides of a change that changes nothing.
struct Tree(BTreeMap<RepoPath, Vec<u8>>);

impl BlobSource for Tree {
    fn read(&self, _: Side, path: &RepoPath) -> Result<Option<Arc<[u8]>>, BlobError> {
        Ok(self.0.get(path).map(|content| content.as_slice().into()))
    }

    fn entries(&self, _: Side) -> Result<Option<Vec<TreeEntry>>, BlobError> {
        let entry = |path: &RepoPath| TreeEntry {
            path: path.clone(),
            kind: EntryKind::File,
            is_executable: false,
        };
        Ok(Some(self.0.keys().map(entry).collect()))
    }
}

pub(crate) struct Trial {
    folder: TrialFolder,
    tree: Tree,
    pub(crate) read: Vec<PathBuf>,
    pub(crate) worktree: Option<PathBuf>,
    path: OsString,
    home: Option<PathBuf>,
    timeout: Duration,
    memory: u64,
    stop: StopSignal,
}

impl Trial {
    fn new() -> Self {
        let files = [("src/a.py", "A = 1\n"), ("b.txt", "b\n")];
        let files = files.map(|(path, text)| (RepoPath::from(path), text.as_bytes().to_vec()));
        Self {
            folder: TrialFolder::create("council-borders-").unwrap(),
            tree: Tree(files.into()),
            read: Vec::new(),
            worktree: None,
            path: "/usr/bin:/bin".into(),
            home: Some("/nonexistent".into()),
            timeout: Duration::from_secs(60),
            memory: 1 << 30,
            stop: StopSignal::default(),
        }
    }

    /// A fresh export of a side, and a program in it.
    fn on(&self, side: Side, argv: &[&str]) -> FinishedTrial {
        let test = (&RepoPath::from("tests/new.txt"), "new\n");
        self.folder.fill(&self.tree, side, None, &[test]).unwrap();
        let argv: Vec<String> = argv.iter().map(|&argument| argument.to_owned()).collect();
        let env: [(String, OsString); 1] = [("PATH".to_owned(), self.path.clone())];
        let command = TrialCommand {
            exe: Path::new(env!("CARGO_BIN_EXE_git-council")),
            argv: &argv,
            env: &env,
            read: &self.read,
            home: self.home.as_deref(),
            worktree: self.worktree.as_deref(),
            borders: HardBorders {
                network: false,
                max_processes: 64,
                max_memory: self.memory,
            },
            timeout: self.timeout,
        };
        self.folder.run(&command, &self.stop)
    }

    pub(crate) fn shell(&self, script: &str) -> FinishedTrial {
        self.on(Side::New, &["bash", "-c", script])
    }

    pub(crate) fn python(&self, script: &str) -> FinishedTrial {
        self.on(Side::New, &["/usr/bin/python3", "-c", script])
    }
}

/// A trial, where this machine has the borders: where it has not, nothing is run, and it is said why.
#[expect(
    clippy::print_stderr,
    reason = "who runs the tests must see what was not tried"
)]
pub(crate) fn trial() -> Option<Trial> {
    let trial = Trial::new();
    let first = trial.shell("echo ran");
    match first.ending {
        TrialEnding::NoBorders(why) => {
            assert!(!why.is_empty() && first.output.is_empty(), "{why}");
            eprintln!("not tried here: {why}");
            None
        }
        ending => {
            assert_eq!(
                (ending, first.output.as_str()),
                (TrialEnding::Exited(0), "ran")
            );
            Some(trial)
        }
    }
}

#[test]
fn a_test_reads_and_writes_its_own_folder_and_nothing_else() {
    let Some(trial) = trial() else { return };
    let done = trial
        .shell("cat src/a.py tests/new.txt && echo x > b.txt && echo y > \"$HOME/y\" && mktemp");
    assert_eq!(done.ending, TrialEnding::Exited(0), "{}", done.output);
    let other = tempfile::tempdir().unwrap();
    fs::write(other.path().join("secret"), "hunter2").unwrap();
    let there = other.path().display();
    for script in [
        format!("cat {there}/secret"),
        format!("ls {there}"),
        format!("echo x > {there}/secret"),
        format!("echo x > {there}/new"),
        format!("mkdir {there}/d"),
        format!("rm {there}/secret"),
        format!("ln {there}/secret here && cat here"),
        format!("ln -s {there}/secret link && cat link"),
        "cat /etc/shadow".to_owned(),
        "ls /root /home/*".to_owned(),
        "cat /proc/1/environ".to_owned(),
        "ls /proc".to_owned(),
        "echo x > /dev/council-left".to_owned(),
        "echo x > /var/council-left".to_owned(),
    ] {
        let tried = trial.shell(&script);
        assert_ne!(
            tried.ending,
            TrialEnding::Exited(0),
            "{script}: {}",
            tried.output
        );
        assert!(!tried.output.contains("hunter2"), "{script}");
    }
    assert_eq!(fs::read(other.path().join("secret")).unwrap(), b"hunter2");
    assert_eq!(fs::read_dir(other.path()).unwrap().count(), 1);
}

/// Landlock asks nobody who changes permissions or times.
#[test]
fn a_test_alters_no_permission_and_no_time_of_another_file() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    let Some(mut trial) = trial() else { return };
    let other = tempfile::tempdir().unwrap();
    let key = other.path().join("key");
    fs::write(&key, "hunter2").unwrap();
    fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
    let state = |path: &Path| {
        let found = fs::metadata(path).unwrap();
        (
            found.mode(),
            found.mtime(),
            found.mtime_nsec(),
            found.ctime(),
            found.ctime_nsec(),
        )
    };
    let before = [state(&key), state(other.path())];
    trial.read.push(other.path().to_owned());
    let there = other.path().display();
    for script in [
        format!("chmod 666 {there}/key"),
        format!("chmod 777 {there}"),
        format!("chmod 4755 {there}/key"),
        format!("touch -d 2001-01-01 {there}/key"),
        format!("exec 3<{there}/key; chmod 666 /proc/self/fd/3"),
        format!("mount -o remount,rw / && chmod 666 {there}/key"),
        format!("mount -o bind,remount,rw {there} && chmod 666 {there}/key"),
        format!("unshare -m sh -c 'mount -o remount,rw /; chmod 666 {there}/key'"),
        format!("unshare -Urm sh -c 'mount -o remount,rw /; chmod 666 {there}/key'"),
    ] {
        let tried = trial.shell(&script);
        assert_ne!(
            tried.ending,
            TrialEnding::Exited(0),
            "{script}: {}",
            tried.output
        );
        assert_eq!([state(&key), state(other.path())], before, "{script}");
    }
    let calls = "import ctypes, os, struct\nl = ctypes.CDLL(None)\n\
                 a = ctypes.create_string_buffer(struct.pack('QQQQ', 0, 1, 0, 0), 32)\n\
                 l.syscall(442, -100, b'/', 0x8000, a, 32)\n";
    if Path::new("/usr/bin/python3").exists() {
        let tried = trial.python(&format!("{calls}os.chmod('{there}/key', 0o666)"));
        assert_ne!(tried.ending, TrialEnding::Exited(0), "{}", tried.output);
        assert_eq!([state(&key), state(other.path())], before);
    }
    // Its own files it may change.
    let own = trial.shell(
        "chmod 755 b.txt && test -x b.txt && touch -d 2001-01-01 b.txt && mkdir d && chmod 700 d",
    );
    assert_eq!(own.ending, TrialEnding::Exited(0), "{}", own.output);
}

/// Whatever folder of the `PATH` the home lies in, nothing of the home is read but programs.
#[test]
fn a_home_on_the_path_is_not_read() {
    use std::os::unix::fs::PermissionsExt as _;
    let Some(mut trial) = trial() else { return };
    let home = tempfile::tempdir().unwrap();
    let there = home.path();
    fs::create_dir_all(there.join(".local/state")).unwrap();
    fs::create_dir(there.join("bin")).unwrap();
    for file in [".netrc", ".local/state/key"] {
        fs::write(there.join(file), "hunter2").unwrap();
    }
    let tool = there.join("tool");
    fs::write(&tool, "#!/bin/sh\necho ran\n").unwrap();
    fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).unwrap();
    trial.home = Some(there.to_owned());
    for folder in ["", "bin/..", "..", ".local", ".local/state"] {
        let folder = there.join(folder);
        trial.path = format!("/usr/bin:/bin:{}", folder.display()).into();
        for file in [".netrc", ".local/state/key"] {
            let tried = trial.shell(&format!("cat {}", there.join(file).display()));
            assert!(
                !tried.output.contains("hunter2"),
                "{}: {file}",
                folder.display()
            );
        }
    }
    trial.path = format!("/usr/bin:/bin:{}", there.display()).into();
    let ran = trial.shell("tool");
    assert_eq!(ran.output, "ran", "a program of it can be run");
}

/// What the kernel keeps for the user (tickets, unlocked vaults) is read by no test, and remembers nothing from run
/// to run.
#[test]
fn a_test_reaches_no_keyring() {
    let Some(trial) = trial() else { return };
    if !Path::new("/usr/bin/python3").exists() {
        return;
    }
    let numbers = if cfg!(target_arch = "aarch64") {
        "217, 218, 219"
    } else {
        "248, 249, 250"
    };
    let calls = format!(
        "import ctypes, sys\nk = ctypes.CDLL(None, use_errno=True)\nadd, request, keyctl = {numbers}\n\
         b = ctypes.create_string_buffer(200)\n"
    );
    for call in [
        "k.syscall(add, b'user', b'council-left', b'x', 1, -3)",
        "k.syscall(add, b'user', b'council-left', b'x', 1, -4)",
        "k.syscall(request, b'user', b'council-left', None, -3)",
        "k.syscall(keyctl, 11, -4, b, 200)",
        "k.syscall(keyctl, 1, b'council-session')",
    ] {
        let tried = trial.python(&format!("{calls}print({call}, ctypes.get_errno())"));
        assert_eq!(tried.output, "-1 38", "{call}");
    }
}

#[test]
fn a_test_reads_what_the_user_names() {
    let Some(mut trial) = trial() else { return };
    let other = tempfile::tempdir().unwrap();
    fs::write(other.path().join("library"), "here").unwrap();
    trial.read.push(other.path().to_owned());
    let there = other.path().display();
    assert_eq!(trial.shell(&format!("cat {there}/library")).output, "here");
    let tried = trial.shell(&format!("echo x > {there}/library"));
    assert_ne!(tried.ending, TrialEnding::Exited(0));
}

#[test]
fn a_test_reaches_no_network_and_no_service_of_this_machine() {
    let Some(trial) = trial() else { return };
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    listener.set_nonblocking(true).unwrap();
    let tried = trial.shell(&format!("exec 3<>/dev/tcp/127.0.0.1/{port}"));
    assert_ne!(tried.ending, TrialEnding::Exited(0), "{}", tried.output);
    assert!(listener.accept().is_err(), "somebody connected");
    let tried = trial.shell("exec 3<>/dev/udp/192.0.2.1/53 && echo x >&3");
    assert_ne!(tried.ending, TrialEnding::Exited(0), "{}", tried.output);
    if !Path::new("/usr/bin/python3").exists() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("service");
    let service = std::os::unix::net::UnixListener::bind(&path).unwrap();
    service.set_nonblocking(true).unwrap();
    let connect = format!("import socket; socket.socket(socket.AF_UNIX).connect({path:?})");
    let tried = trial.python(&connect);
    assert_ne!(tried.ending, TrialEnding::Exited(0), "{}", tried.output);
    assert!(service.accept().is_err(), "somebody connected");
    // What a test needs of its own is there: a server at its own loopback, and pairs of sockets.
    let own = "import socket\ns = socket.create_server(('127.0.0.1', 0))\n\
               c = socket.create_connection(s.getsockname()); s.accept(); socket.socketpair()";
    assert_eq!(trial.python(own).ending, TrialEnding::Exited(0));
}

/// The bomb has an end, so that a border that is missing costs the test and not the machine.
#[test]
fn a_fork_bomb_is_ended_and_leaves_nothing() {
    let Some(trial) = trial() else { return };
    let began = Instant::now();
    let mark = format!("council-bomb-{}", std::process::id());
    let bomb = format!("for i in $(seq 200); do (exec -a {mark} sleep 40) & done; wait");
    let ended = trial.shell(&bomb);
    assert_eq!(
        ended.ending,
        TrialEnding::Broken("it was ended by signal 9".to_owned())
    );
    let took = began.elapsed();
    assert!(took < Duration::from_secs(30), "{took:?}");
    let lives = |entry: fs::DirEntry| {
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(&mark)
    };
    let mut left = fs::read_dir("/proc").unwrap().flatten();
    assert!(!left.any(lives), "something still runs");
}

#[test]
fn a_test_is_bounded_in_time_output_and_memory() {
    let Some(mut trial) = trial() else { return };
    let flood = trial.shell("yes");
    assert_eq!(
        flood.ending,
        TrialEnding::Broken("it wrote more than 16 MB".to_owned())
    );
    assert!(flood.output.len() < 20_000);
    trial.timeout = Duration::from_secs(1);
    let began = Instant::now();
    for script in [
        "sleep 100",
        "trap '' TERM; sleep 100",
        "setsid sleep 100 & wait",
        "yes >&2",
    ] {
        let slow = trial.shell(script);
        assert_eq!(
            slow.ending,
            TrialEnding::Broken("it took more than 1 s".to_owned()),
            "{script}"
        );
    }
    assert!(
        began.elapsed() < Duration::from_secs(30),
        "{:?}",
        began.elapsed()
    );
    trial.timeout = Duration::from_secs(60);
    trial.memory = 128 << 20;
    let fat = trial.shell("x=$(head -c 400000000 /dev/zero | tr '\\0' x); echo ${#x}");
    assert_ne!(fat.ending, TrialEnding::Exited(0), "{}", fat.output);
}

#[test]
fn a_test_sees_and_signals_no_other_process() {
    let Some(trial) = trial() else { return };
    let ended = trial.shell("kill -9 -1; kill -9 $PPID; echo \"$$ $PPID\"");
    // In its namespace it is the first process, and its parent is nobody.
    assert!(ended.output.contains("1 0"), "{ended:?}");
}

#[test]
fn nothing_but_the_code_tells_one_side_from_the_other() {
    let Some(trial) = trial() else { return };
    let look = "pwd; env | sort; echo $$; id; find . -type f -printf '%p %T@ %A@ %s %m %u\\n' | sort; ls -a . \"$HOME\" \"$TMPDIR\"";
    let sides = [Side::Old, Side::New, Side::Old].map(|side| trial.on(side, &["bash", "-c", look]));
    assert_eq!(
        sides[0].ending,
        TrialEnding::Exited(0),
        "{}",
        sides[0].output
    );
    assert_eq!(sides[0], sides[1]);
    assert_eq!(sides[1], sides[2]);
    // What one run leaves behind, the next one does not find.
    trial.shell("echo seen > seen; echo seen > \"$HOME/seen\"; echo seen > \"$TMPDIR/seen\"; mkdir -p d/e; chmod 0 d");
    assert_eq!(trial.on(Side::New, &["bash", "-c", look]), sides[1]);
}

#[test]
fn a_program_of_the_repository_is_never_the_command() {
    let Some(trial) = trial() else { return };
    for program in ["./gradlew", "tools/run", "../x", ""] {
        let tried = trial.on(Side::New, &[program]);
        assert!(
            matches!(tried.ending, TrialEnding::NoBorders(_)),
            "{program}"
        );
    }
}

#[test]
fn a_raised_stop_ends_a_test() {
    let Some(trial) = trial() else { return };
    let stop = trial.stop.clone();
    let raise = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        stop.raise();
    });
    let began = Instant::now();
    let ended = trial.shell("sleep 100");
    assert_eq!(
        ended.ending,
        TrialEnding::Broken("it was stopped".to_owned())
    );
    assert!(began.elapsed() < Duration::from_secs(20));
    raise.join().unwrap();
}
