//! What the borders of a test refuse, as they tell it themselves, and what a test has of its own in their stead.

use std::collections::BTreeSet;
use std::path::Path;

use council_agents::trial::{FinishedTrial, Refusal, TrialEnding};

use crate::proof_borders::trial;

const PYTHON: &str = "/usr/bin/python3";

fn refused(finished: &FinishedTrial) -> Vec<Refusal> {
    finished.refused.iter().copied().collect()
}

/// However a program takes it, and whatever it says: the kernel knows what was refused.
#[test]
fn borders_tell_what_they_refuse() {
    let Some(trial) = trial() else { return };
    assert_eq!(refused(&trial.shell("echo quiet; exit 1")), []);
    if Path::new("/usr/bin/git").exists() {
        let asked = trial.shell("git rev-parse HEAD 2>/dev/null || exit 1");
        assert_eq!(asked.ending, TrialEnding::Exited(1));
        assert_eq!(refused(&asked), [Refusal::Git]);
    }
    if !Path::new(PYTHON).exists() {
        return;
    }
    for (deed, told) in [
        (
            "import socket; socket.socket(2, 2).connect(('192.0.2.1', 80))",
            Refusal::Network,
        ),
        (
            "import socket; socket.socket(10, 1).connect(('2001:db8::1', 80))",
            Refusal::Network,
        ),
        ("import os; os.memfd_create('x')", Refusal::Memory),
        (
            "import ctypes; assert ctypes.CDLL(None).syscall(250, 0, -3, 0) >= 0",
            Refusal::Keys,
        ),
    ] {
        if told == Refusal::Keys && !cfg!(target_arch = "x86_64") {
            continue;
        }
        let tried = trial.python(deed);
        assert_ne!(tried.ending, TrialEnding::Exited(0), "{deed}");
        assert_eq!(refused(&tried), [told], "{deed}: {}", tried.output);
        let wrapped = format!(
            "try:\n    exec({deed:?})\nexcept Exception:\n    raise ValueError('no luck') from None"
        );
        assert_eq!(refused(&trial.python(&wrapped)), [told], "{deed}");
    }
}

/// A service of this machine is none of the test's; a server of its own that is not there yet, or no more, is.
#[test]
fn borders_tell_a_service_of_this_machine_from_a_server_of_the_test() {
    let Some(trial) = trial() else { return };
    if !Path::new(PYTHON).exists() {
        return;
    }
    let theirs = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = theirs.local_addr().unwrap().port();
    let ask = |host| {
        format!(
            "import socket\ntry: socket.create_connection(('{host}', {port}))\nexcept OSError: raise ValueError('no luck') from None"
        )
    };
    for host in ["127.0.0.1", "localhost"] {
        let asked = trial.python(&ask(host));
        assert_eq!(asked.ending, TrialEnding::Exited(1), "{}", asked.output);
        assert_eq!(refused(&asked), [Refusal::Service], "{host}");
        assert!(!asked.has_served);
    }
    let own = "import socket\ns = socket.create_server(('127.0.0.1', 0))\nat = s.getsockname()\nc = socket.create_connection(at)\ns.accept()[0].close()\ns.close()\n";
    for then in ["", "socket.socket().connect_ex(at)\n"] {
        let served = trial.python(&format!("{own}{then}"));
        assert_eq!(served.ending, TrialEnding::Exited(0), "{}", served.output);
        assert_eq!((refused(&served), served.has_served), (vec![], true));
    }
}

/// Many refused calls of many processes hang nothing.
#[test]
fn a_flood_of_refused_calls_ends() {
    let Some(trial) = trial() else { return };
    if !Path::new(PYTHON).exists() {
        return;
    }
    let flood = "import os\nfor _ in range(4): os.fork()\nfor _ in range(200):\n    try: os.memfd_create('x')\n    except OSError: pass";
    let done = trial.python(flood);
    assert_eq!(done.ending, TrialEnding::Exited(0), "{}", done.output);
    assert_eq!(refused(&done), [Refusal::Memory]);
    // What still waits for its answer is ended with the rest.
    let left = "import os, sys\nif os.fork() == 0:\n    while True:\n        try: os.memfd_create('x')\n        except OSError: pass";
    assert_eq!(trial.python(left).ending, TrialEnding::Exited(0));
}

/// What a test writes into the folder of its run is no word of the borders.
#[test]
fn a_test_tells_nothing_in_the_name_of_the_borders() {
    let Some(trial) = trial() else { return };
    for forged in [
        "echo keys > ../refused",
        "mkdir ../refused",
        "ln -s /etc/passwd ../refused",
        "mkfifo ../refused",
    ] {
        let done = trial.shell(forged);
        assert_eq!(done.ending, TrialEnding::Exited(0), "{}", done.output);
        assert_eq!(done.refused, BTreeSet::new(), "{forged}");
    }
}

/// A change that begins to write to such a folder is right everywhere else.
#[test]
fn a_test_has_shared_folders_of_its_own() {
    let Some(trial) = trial() else { return };
    for place in ["/tmp", "/var/tmp", "/dev/shm"] {
        let name = format!("{place}/council-left-{}", std::process::id());
        // Where a folder that tests may read lies in it, there is none.
        let own = trial.shell(&format!("test ! -e {name} && echo x > {name}"));
        let word = own.output.as_str();
        assert!(
            own.ending == TrialEnding::Exited(0) || word.contains("Read-only"),
            "{word}"
        );
        assert!(!Path::new(&name).exists());
        // Nor does one run see what another left there.
        assert_ne!(
            trial.shell(&format!("cat {name}")).ending,
            TrialEnding::Exited(0)
        );
    }
    let theirs = tempfile::NamedTempFile::new_in("/tmp").unwrap();
    let there = theirs.path().display();
    assert_ne!(
        trial.shell(&format!("ls {there}")).ending,
        TrialEnding::Exited(0)
    );
}
