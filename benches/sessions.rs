//! What a council costs beside its judges' own work: `cargo run --release --example sessions`.
//!
//! The judges here answer at once, so that everything that is measured is ours.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use council_agents::{Agent, AgentReply, AgentTable, Conversation, SeatProbe, StopSignal};
use council_protocol::capability::Grant;
use council_protocol::change::{FileKind, FileStatus, NoBlobs};
use council_protocol::coverage::FileCoverage;
use council_protocol::message::Hello;
use council_protocol::packet::{PACKET_VERSION, Target, TargetKind};
use council_protocol::seat::{AgentKind, AgentSpec, Perspective};
use council_protocol::{
    Answer, Capability, CapabilitySet, Coverage, CoverageState, Event, Failure, FileChange,
    JudgeId, JudgeSpec, Message, Millis, PROTOCOL_VERSION, Packet, RoundNumber, Seat, Task, Turn,
    TurnId, Vote,
};
use git_council::inside::council::Plan;
use git_council::inside::council::plan::{
    ConsensusRule, DebateMode, ExchangeMode, PlannedSeat, Procedure, RoundTimeouts, RunSeed,
    VerdictPolicy,
};
use git_council::inside::report::judge;
use git_council::inside::session::journal::{JOURNAL_FILE, RunJournal};
use git_council::inside::session::{
    self, BackendOffer, CalendarMoment, FileAppender, InterruptSource, LockAttempt, PromptRenderer,
    RealWorld, RunFolders, RunRef, SessionBackend, SessionDisk, SessionSetup, SessionWorld,
    WriteDurability, resume_session,
};
use tokio::sync::mpsc::unbounded_channel;

/// How often everything is measured.
const TIMES: usize = 51;

fn main() -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    for judges in [5, 100] {
        let time = median(|| teams(judges));
        writeln!(
            out,
            "teams, {judges} judges, one turn: {time:?}, {:?} a judge",
            time / judges
        )?;
    }
    let folder = tempfile::tempdir()?;
    for (judges, debate) in [
        (5, DebateMode::Off),
        (5, DebateMode::Force),
        (100, DebateMode::Off),
    ] {
        let rounds = if debate == DebateMode::Off { 1 } else { 2 };
        let bare = median(|| session(judges, debate, None));
        let kept = median(|| session(judges, debate, Some(folder.path())));
        writeln!(
            out,
            "session, {judges} judges, {rounds} rounds: {bare:?}; with journal and files {kept:?}"
        )?;
    }
    let journal = median(|| journaled(folder.path()));
    writeln!(
        out,
        "of 5 judges and 2 rounds, the journal alone: {journal:?}"
    )?;
    let sync = median(|| sync(folder.path()));
    writeln!(out, "an append that the disk syncs: {sync:?}")?;
    for judges in [1, 100] {
        let bare = median(|| held(PAID, judges, DebateMode::Off, None));
        let kept = median(|| held(PAID, judges, DebateMode::Off, Some(folder.path())));
        writeln!(
            out,
            "session, {judges} paid judges: {bare:?}; with journal and files {kept:?}"
        )?;
    }
    let first = median(|| resumed(100));
    writeln!(out, "resume of 100 judges: the first sits after {first:?}")?;
    Ok(())
}

/// The kinds of agents that answer here: one that is free, and one whose answers must not be lost.
const FREE: &str = "builtin";
const PAID: &str = "backend";

/// When a judge was seated first since this was cleared.
static SEATED: Mutex<Option<Instant>> = Mutex::new(None);

/// One line as long as an answer's, appended and synced.
fn sync(folder: &Path) -> Duration {
    let begun = Instant::now();
    let mut options = OpenOptions::new();
    let file = options.create(true).append(true).open(folder.join("line"));
    let mut file = file.expect("there is room");
    file.write_all(&[b'x'; 300]).expect("there is room");
    file.sync_data().expect("it syncs");
    begun.elapsed()
}

/// From the call to the first judge that sits again, when half of the answers are there.
fn resumed(judges: u32) -> Duration {
    let folder = tempfile::tempdir().expect("there is room");
    held(PAID, judges, DebateMode::Off, Some(folder.path()));
    let runs = folder.path().join("council/runs");
    let run = fs::read_dir(runs)
        .expect("it ran")
        .flatten()
        .next()
        .expect("it ran")
        .path();
    let journal = run.join(JOURNAL_FILE);
    let text = fs::read_to_string(&journal).expect("it was written");
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let half = lines[..1 + judges as usize + judges as usize / 2].concat();
    fs::write(&journal, half).expect("there is room");
    *SEATED.lock().expect("nobody panicked") = None;
    let begun = Instant::now();
    let left = RunJournal::parse(&fs::read(&journal).expect("it is there")).expect("it is whole");
    let world = RealWorld::new();
    let places = RunFolders::in_repository(folder.path(), Some(folder.path()));
    let name = run
        .file_name()
        .and_then(|name| name.to_str())
        .expect("a name");
    let run =
        RunRef::reopen(&world, &places, name, &left.header.started, &run).expect("it is there");
    let opened =
        SessionBackend::open(council_teams::teams_backend(agents()), hello()).expect("it opens");
    let plan = plan(PAID, judges, DebateMode::Off);
    let interrupts = InterruptSource::Channel(unbounded_channel().1);
    let offer = BackendOffer { opened, plan };
    resume_session(&setting(PAID, run), offer, &left, &world, interrupts).expect("it ends");
    let seated = SEATED
        .lock()
        .expect("nobody panicked")
        .expect("somebody sat");
    seated.duration_since(begun)
}

/// Says nothing more than that it is a brief or a prompt.
struct Plain;

impl PromptRenderer for Plain {
    fn render_brief(&self, _: &Seat) -> Arc<str> {
        "A brief.".into()
    }

    fn render_prompt(&self, _: &Seat, turn: &Turn, _: u8) -> Result<String, String> {
        Ok(turn.key.clone())
    }

    fn render_reminder(&self, _: &Seat, _: &[Arc<str>]) -> Result<String, String> {
        Ok(String::new())
    }
}

fn median(mut measure: impl FnMut() -> Duration) -> Duration {
    let mut times: Vec<Duration> = (0..TIMES).map(|_| measure()).collect();
    times.sort_unstable();
    times[TIMES / 2]
}

/// Agrees with everything at once, as an agent of this kind.
struct Nod(&'static str);

impl Agent for Nod {
    fn driver_name(&self) -> &'static str {
        self.0
    }

    fn capabilities(&self) -> CapabilitySet {
        Capability::known().collect()
    }

    fn probe_seat(&self, _: &Seat) -> Result<SeatProbe, Failure> {
        Ok(SeatProbe::default())
    }

    fn open_conversation(&self, _: &JudgeSpec) -> Result<Box<dyn Conversation>, Failure> {
        SEATED
            .lock()
            .expect("nobody panicked")
            .get_or_insert_with(Instant::now);
        Ok(Box::new(Self(self.0)))
    }
}

impl Conversation for Nod {
    fn take_turn(&mut self, turn: &Turn, _: &StopSignal) -> Result<AgentReply, Failure> {
        let answer = Answer::new(turn.round, turn.key.clone(), Vote::Pass);
        let raw = serde_json::to_string(&answer).unwrap_or_default();
        Ok(AgentReply { raw, usage: None })
    }
}

fn hello() -> Hello {
    Hello {
        protocols: vec![PROTOCOL_VERSION],
        ..Hello::default()
    }
}

fn agents() -> AgentTable {
    AgentTable::from_agents(vec![Arc::new(Nod(FREE)), Arc::new(Nod(PAID))])
}

/// Seats judges, asks each once, closes: no engine, no session.
fn teams(judges: u32) -> Duration {
    let begun = Instant::now();
    let (events, seen) = channel();
    let mut teams = council_teams::teams_backend(agents());
    let sink = move |event| drop(events.send(event));
    teams.open(hello(), Arc::new(sink)).expect("it opens");
    for number in 0..judges {
        let seat = seat(FREE, number);
        let judge = seat.judge.clone();
        let spec = JudgeSpec {
            seat,
            brief: "".into(),
            room: None,
            max_answer_bytes: 1 << 20,
            proves: false,
        };
        teams.spawn(spec).expect("it has a chair");
        let turn = Turn {
            id: TurnId(number),
            round: RoundNumber::FIRST,
            key: String::new(),
            task: Task::Review,
            prompt: String::new(),
            timeout_ms: 1000,
            spend: None,
        };
        teams
            .send(Message::Turn { judge, turn })
            .expect("it listens");
    }
    let answers = seen
        .iter()
        .filter(|event| matches!(event, Event::Answered { .. }));
    assert_eq!(answers.take(judges as usize).count(), judges as usize);
    teams.close().expect("it closes");
    begun.elapsed()
}

fn session(judges: u32, debate: DebateMode, folder: Option<&Path>) -> Duration {
    held(FREE, judges, debate, folder)
}

/// The time that a session of five judges and two rounds spends in its journal.
fn journaled(folder: &Path) -> Duration {
    let world = Timed {
        world: RealWorld::new(),
        spent: Arc::default(),
    };
    held_in(&world, FREE, 5, DebateMode::Force, Some(folder));
    Duration::from_nanos(world.spent.load(Ordering::Relaxed))
}

/// A whole session of judges with agents of one kind; with a folder, its journal and files as well.
fn held(kind: &str, judges: u32, debate: DebateMode, folder: Option<&Path>) -> Duration {
    held_in(&RealWorld::new(), kind, judges, debate, folder)
}

fn held_in(
    world: &dyn SessionWorld,
    kind: &str,
    judges: u32,
    debate: DebateMode,
    folder: Option<&Path>,
) -> Duration {
    let begun = Instant::now();
    let places = folder.map(|folder| RunFolders::in_repository(folder, Some(folder)));
    let places = places.unwrap_or_default();
    let opened =
        SessionBackend::open(council_teams::teams_backend(agents()), hello()).expect("it opens");
    let offer = BackendOffer {
        opened,
        plan: plan(kind, judges, debate),
    };
    let run =
        RunRef::create(world, &places, "bench", &world.read_calendar()).expect("there is room");
    let interrupts = InterruptSource::Channel(unbounded_channel().1);
    let finished = session::run_session(&setting(kind, run), vec![offer], world, interrupts);
    assert_eq!(finished.expect("it ends").outcome.counted, judges);
    begun.elapsed()
}

/// The real world, with a watch over everything that is appended.
struct Timed {
    world: RealWorld,
    /// In nanoseconds.
    spent: Arc<AtomicU64>,
}

impl SessionWorld for Timed {
    fn now_ms(&self) -> Millis {
        self.world.now_ms()
    }

    fn read_calendar(&self) -> CalendarMoment {
        self.world.read_calendar()
    }

    fn fill_random(&self, bytes: &mut [u8]) -> io::Result<()> {
        self.world.fill_random(bytes)
    }

    fn disk(&self) -> &dyn SessionDisk {
        self
    }
}

impl SessionDisk for Timed {
    fn make_dirs(&self, root: &Path, below: &Path) -> io::Result<()> {
        self.world.disk().make_dirs(root, below)
    }

    fn make_new_dir(&self, path: &Path) -> io::Result<()> {
        self.world.disk().make_new_dir(path)
    }

    fn write_file(&self, path: &Path, bytes: &[u8], durability: WriteDurability) -> io::Result<()> {
        self.world.disk().write_file(path, bytes, durability)
    }

    fn write_new(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.world.disk().write_new(path, bytes)
    }

    fn open_append(&self, path: &Path) -> io::Result<Box<dyn FileAppender>> {
        let spent = Arc::clone(&self.spent);
        let file = timed(&spent, || self.world.disk().open_append(path))?;
        Ok(Box::new(Watched { file, spent }))
    }

    fn truncate_file(&self, path: &Path, length: u64) -> io::Result<()> {
        self.world.disk().truncate_file(path, length)
    }

    fn read_file(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.world.disk().read_file(path)
    }

    fn lock_file(&self, path: &Path) -> io::Result<LockAttempt> {
        self.world.disk().lock_file(path)
    }

    fn list_folder(&self, path: &Path) -> io::Result<Vec<String>> {
        self.world.disk().list_folder(path)
    }

    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        self.world.disk().remove_dir(path)
    }
}

struct Watched {
    file: Box<dyn FileAppender>,
    spent: Arc<AtomicU64>,
}

impl FileAppender for Watched {
    fn append_bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        timed(&self.spent, || self.file.append_bytes(bytes))
    }

    fn sync_data(&mut self) -> io::Result<()> {
        timed(&self.spent, || self.file.sync_data())
    }
}

fn timed<T>(spent: &AtomicU64, work: impl FnOnce() -> T) -> T {
    let begun = Instant::now();
    let done = work();
    let nanos = u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
    spent.fetch_add(nanos, Ordering::Relaxed);
    done
}

fn setting(kind: &str, run: RunRef) -> SessionSetup {
    SessionSetup {
        run,
        packet: Arc::new(packet()),
        proved_over: Arc::new(packet()),
        blobs: Arc::new(NoBlobs),
        redactor: council_secrets::Redactor::default(),
        prompter: (kind == PAID).then(|| Arc::new(Plain) as Arc<dyn PromptRenderer>),
        page: judge::render_judge,
        minutes: None,
        filing: None,
        rooms: Default::default(),
        runner: None,
        max_answer_bytes: 1 << 20,
        money: Default::default(),
        listener: None,
        observer: None,
    }
}

fn seat(kind: &str, number: u32) -> Seat {
    Seat {
        judge: JudgeId(format!("judge-{number}")),
        perspective: Perspective::default(),
        agent: AgentSpec {
            name: "nod".into(),
            kind: match kind {
                PAID => AgentKind::Backend {},
                _ => AgentKind::Builtin {
                    rules: Default::default(),
                },
            },
            vendor: "bench".into(),
            model: None,
            deterministic: true,
        },
    }
}

fn coverage() -> Coverage {
    let file = FileCoverage {
        path: "a.rs".into(),
        state: CoverageState::Reviewed,
    };
    Coverage { files: vec![file] }
}

fn packet() -> Packet {
    let file = FileChange {
        path: "a.rs".into(),
        old_path: None,
        status: FileStatus::Modified,
        kind: FileKind::Text,
        old_mode: 0o100644,
        new_mode: 0o100644,
        old_id: None,
        new_id: None,
        old_size: None,
        new_size: None,
        similarity: None,
        moved_from: None,
        lossy: false,
        hunks: Vec::new(),
    };
    Packet {
        version: PACKET_VERSION,
        target: Target {
            kind: TargetKind::Patch,
            label: "bench".into(),
            slug: "bench".into(),
            base: None,
            head: None,
            only: Vec::new(),
        },
        files: vec![file],
        instructions: Vec::new(),
        coverage: coverage(),
        framing: Default::default(),
    }
}

fn plan(kind: &str, judges: u32, debate: DebateMode) -> Plan {
    let shown = Arc::new(coverage());
    let granted = [Capability::Spawn, Capability::Message, Capability::Shutdown];
    let planned = |number| PlannedSeat {
        seat: seat(kind, number),
        grant: Grant {
            requested: CapabilitySet::default(),
            granted: granted.iter().cloned().collect(),
            emulated: BTreeMap::new(),
        },
        coverage: Arc::clone(&shown),
    };
    Plan {
        procedure: Procedure::Review,
        debate,
        consensus: ConsensusRule::Findings,
        quorum: 2,
        policy: VerdictPolicy {
            disputed_critical_fails: false,
            incomplete_coverage_warns: false,
        },
        seats: (0..judges).map(planned).collect(),
        exchange: ExchangeMode::Inline {
            max_bytes: 64 << 10,
        },
        timeouts: RoundTimeouts::default(),
        seed: RunSeed("bench".into()),
        framing: Default::default(),
        notes: Vec::new(),
        options: Default::default(),
    }
}
