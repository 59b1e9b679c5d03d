//! Built-in judges on real threads, over a real disk.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use council_agents::{AgentContext, AgentTable};
use council_protocol::change::NoBlobs;
use council_protocol::message::{Ending, Hello};
use council_protocol::seat::Perspective;
use council_protocol::{Backend, PROTOCOL_VERSION, Packet};
use tokio::sync::mpsc::unbounded_channel;

use super::matter::{packet, plan};
use crate::council::Plan;
use crate::council::outcome::Verdict;
use crate::council::plan::{DebateMode, Procedure};
use crate::session::journal::{JOURNAL_FILE, RunJournal};
use crate::session::{
    BackendOffer, FinishedSession, InterruptSource, RealWorld, RunFolders, RunRef, SessionBackend,
    SessionSetup, SessionWorld as _, replay_council, run_session, stored,
};

fn agents(packet: &Arc<Packet>) -> AgentTable {
    let workshop = AgentContext {
        packet: Arc::clone(packet),
        blobs: Arc::new(NoBlobs),
        exe: None,
        folder: None,
        tools: None,
        env: BTreeMap::new(),
    };
    AgentTable::new(&Arc::new(workshop))
}

/// A debate of all built-in perspectives, `judges` seats in all.
fn debate(judges: usize) -> Plan {
    let mut plan = plan(judges);
    (plan.procedure, plan.debate) = (Procedure::Debate, DebateMode::Force);
    let perspectives = council_builtin::perspectives().iter().cycle();
    for (planned, info) in plan.seats.iter_mut().zip(perspectives) {
        planned.seat.perspective = Perspective {
            name: info.name.into(),
            focus: String::new(),
        };
        // Rules do not debate, and it is a debate that is to be driven here.
        planned.seat.agent.deterministic = false;
    }
    plan
}

fn hold(
    backend: fn(AgentTable) -> Box<dyn Backend>,
    judges: usize,
) -> (FinishedSession, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let world = RealWorld::new();
    let places = RunFolders::in_repository(folder.path(), Some(folder.path()));
    let packet = Arc::new(packet());
    let hello = Hello {
        protocols: vec![PROTOCOL_VERSION],
        ..Hello::default()
    };
    let offer = BackendOffer {
        opened: SessionBackend::open(backend(agents(&packet)), hello).unwrap(),
        plan: debate(judges),
    };
    let setting = SessionSetup {
        run: RunRef::create(&world, &places, "head", &world.read_calendar()).unwrap(),
        proved_over: Arc::clone(&packet),
        packet,
        blobs: Arc::new(NoBlobs),
        redactor: council_secrets::Redactor::default(),
        prompter: None,
        page: crate::report::judge::render_judge,
        minutes: None,
        filing: None,
        rooms: crate::session::ExportFolders::default(),
        max_answer_bytes: 1 << 20,

        money: Default::default(),
        runner: None,
        listener: None,
        observer: None,
    };
    // Nobody holds the other end: there is no interruption.
    let interrupts = InterruptSource::Channel(unbounded_channel().1);
    let finished = run_session(&setting, vec![offer], &world, interrupts).unwrap();
    (finished, folder)
}

#[test]
fn built_in_judges_debate_on_threads_and_in_turn() {
    for backend in [council_teams::teams_backend, council_inline::inline_backend] {
        let (finished, _folder) = hold(backend, 5);
        let outcome = &finished.outcome;
        assert_eq!(
            (outcome.counted, outcome.rounds),
            (5, 2),
            "{:?}",
            outcome.notes
        );
        assert!(!matches!(
            outcome.verdict,
            Verdict::Inconclusive | Verdict::Skipped
        ));
        assert!(
            outcome
                .judges
                .iter()
                .all(|judge| judge.ending == Some(Ending::Graceful))
        );
        let read = |name| std::fs::read(finished.run.file_path(name).unwrap()).unwrap();
        let journal = RunJournal::parse(&read(JOURNAL_FILE)).unwrap();
        let plan = stored::parse_plan(&read(&journal.plan.file)).unwrap();
        let kept = stored::restore_packet(&read("packet.json"), &journal.header, &plan).unwrap();
        assert_eq!(kept, packet());
        assert_eq!(&replay_council(plan, &journal.entries).unwrap(), outcome);
    }
}

#[test]
fn a_hundred_judges_are_held_without_trouble() {
    let begun = Instant::now();
    let (finished, _folder) = hold(council_teams::teams_backend, 100);
    assert_eq!(
        (finished.outcome.counted, finished.outcome.rounds),
        (100, 2)
    );
    assert!(
        begun.elapsed() < Duration::from_secs(30),
        "and nothing of it waited for a deadline"
    );
}
