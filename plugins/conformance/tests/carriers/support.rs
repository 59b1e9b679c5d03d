//! Where the plugins are, and what a council would tell them.

use std::path::{Path, PathBuf};

use council_conformance::Candidate;
use council_host::{Library, Log, Patience, Trusted};
use council_protocol::message::Hello;
use council_protocol::packet::{Target, TargetKind};
use council_protocol::seat::{AgentKind, AgentSpec};
use council_protocol::{Backend, Packet};

/// A shared library that cargo builds as an example.
pub(crate) fn example(name: &str) -> PathBuf {
    let deps = std::env::current_exe().unwrap();
    let profile = deps.parent().and_then(Path::parent).unwrap();
    let file = format!(
        "{}{name}{}",
        std::env::consts::DLL_PREFIX,
        std::env::consts::DLL_SUFFIX
    );
    let path = profile.join("examples").join(file);
    assert!(
        path.exists(),
        "{} is missing: run `cargo build -p council-conformance --examples`",
        path.display()
    );
    path
}

/// The library at `path`, loaded as the program would.
pub(crate) fn load(path: &Path) -> &'static Library {
    let file = Trusted::check(path, None, None).unwrap();
    Library::load(&file, Patience::default()).unwrap()
}

/// A backend in a library.
pub(crate) fn in_library(library: &'static Library) -> Box<dyn Backend> {
    Box::new(library.backend(Log::none(), Patience::default()))
}

pub(crate) fn builtin() -> AgentSpec {
    AgentSpec {
        name: "builtin".into(),
        kind: AgentKind::Builtin {
            rules: Default::default(),
        },
        vendor: "builtin".into(),
        model: None,
        deterministic: true,
    }
}

/// A run's folder with a packet in it, and the hello that names it.
pub(crate) fn run_folder(folder: &Path) -> Hello {
    let target = Target {
        kind: TargetKind::Patch,
        label: "a patch".into(),
        slug: "a-patch".into(),
        base: None,
        head: None,
    };
    let packet = Packet {
        version: council_protocol::packet::PACKET_VERSION,
        target,
        files: Vec::new(),
        instructions: Vec::new(),
        coverage: Default::default(),
        framing: Default::default(),
    };
    std::fs::write(
        folder.join("packet.json"),
        serde_json::to_vec(&packet).unwrap(),
    )
    .unwrap();
    Hello {
        run: "council-20000101-a-patch".into(),
        folder: Some(folder.to_path_buf()),
        ..Hello::default()
    }
}

/// Plays the whole suite and prints its table.
pub(crate) fn conforms(candidate: &Candidate<'_>) -> council_conformance::Table {
    let table = council_conformance::run(candidate);
    println!("{table}");
    assert!(table.passed(), "{table}");
    table
}
