//! A session on a stage: judges say what a script says, time moves only when everybody waits, the disk is in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use council_protocol::capability::{Capability, CapabilitySet, Grant};
use council_protocol::change::{FileKind, FileStatus, NoBlobs};
use council_protocol::coverage::{Coverage, FileCoverage};
use council_protocol::message::{Ending, Hello, Manifest};
use council_protocol::packet::{PACKET_VERSION, Target, TargetKind};
use council_protocol::seat::{AgentKind, AgentSpec, Perspective};
use council_protocol::{
    Answer, Backend, BackendError, BlobSource, CoverageState, Event, Failure, FailureKind,
    FileChange, Hunk, JudgeId, JudgeSpec, Limits, Message, Millis, PROTOCOL_VERSION, Packet, Seat,
    Sink, Task, Turn, TurnId, Vote,
};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use super::super::journal::{JOURNAL, Journal};
use super::super::run::run_on;
use super::super::stored;
use super::super::world::{Appender, Disk, Durability, Moment, World};
use super::super::{
    Finished, Interrupts, Offer, Opened, Place, Places, Prompter, RealWorld, RunRef, SessionError,
    Setting, replay,
};
use crate::council::plan::{
    Consensus, DebateMode, Exchange, PlannedSeat, Policy, Procedure, Seed, Timeouts,
};
use crate::council::{Outcome, Plan};

/// What a judge does with a turn.
#[derive(Debug, Clone)]
pub(super) enum Deed {
    Vote(Vote),
    Say(Box<Answer>),
    /// So many milliseconds later.
    Later(u64, Box<Self>),
    Raw(&'static str),
    Hang,
    Die,
    /// These events, as they are.
    Events(Vec<Event>),
}

pub(super) type Script = Arc<dyn Fn(&str, &Turn) -> Deed + Send + Sync>;

/// What happened outside, in order: calls of backends, writes of the disk.
pub(super) type Diary = Arc<Mutex<Vec<String>>>;

/// Every turn that was sent, in order.
pub(super) type Asked = Arc<Mutex<Vec<(JudgeId, TurnId)>>>;

/// How a backend behaves beside its judges.
#[derive(Debug, Clone, Default)]
pub(super) struct Manners {
    pub(super) seats_nobody: bool,
    pub(super) refuses_spawn: bool,
    pub(super) never_seats: BTreeSet<&'static str>,
    pub(super) ignores_shutdown: BTreeSet<&'static str>,
    pub(super) closes_on_turn: bool,
    /// Chairs that there are.
    pub(super) no_more_than: Option<usize>,
}

struct Scripted {
    name: &'static str,
    script: Script,
    asked: Asked,
    manners: Manners,
    diary: Diary,
    sink: Option<Sink>,
}

impl Scripted {
    fn emit(&self, event: Event) {
        self.sink.as_ref().expect("open")(event);
    }

    fn note(&self, line: String) {
        self.diary
            .lock()
            .unwrap()
            .push(format!("{} {line}", self.name));
    }

    fn act(&self, judge: &JudgeId, turn: &Turn, deed: Deed) {
        let (judge, id) = (judge.clone(), turn.id);
        let answered = |raw: String| Event::Answered {
            judge: judge.clone(),
            turn: id,
            raw,
            usage: None,
        };
        match deed {
            Deed::Vote(vote) => {
                self.act(&judge, turn, Deed::Say(Box::new(Answer::new(1, "", vote))))
            }
            Deed::Say(mut answer) => {
                (answer.round, answer.key) = (turn.round, turn.key.clone());
                let raw = match turn.task {
                    Task::Restate => "I looked at it and I stand by it.".to_owned(),
                    _ => serde_json::to_string(&answer).unwrap(),
                };
                self.emit(answered(raw));
            }
            Deed::Raw(raw) => self.emit(answered(raw.to_owned())),
            Deed::Hang => {}
            Deed::Die => {
                let failure = Failure::new(FailureKind::Died, "killed");
                self.emit(Event::Failed {
                    judge: judge.clone(),
                    turn: Some(id),
                    failure,
                });
                let ending = Ending::Died;
                self.emit(Event::Ended { judge, ending });
            }
            Deed::Events(events) => events.into_iter().for_each(|event| self.emit(event)),
            Deed::Later(ms, deed) => {
                let (later, turn) = (self.again(), turn.clone());
                tokio::spawn(async move {
                    tokio::time::sleep(Duration::from_millis(ms)).await;
                    later.act(&judge, &turn, *deed);
                });
            }
        }
    }

    fn again(&self) -> Self {
        Self {
            name: self.name,
            script: Arc::clone(&self.script),
            asked: Arc::clone(&self.asked),
            manners: self.manners.clone(),
            diary: Arc::clone(&self.diary),
            sink: self.sink.clone(),
        }
    }
}

impl Backend for Scripted {
    fn manifest(&self) -> Manifest {
        Manifest {
            name: self.name.into(),
            version: "1".into(),
            protocols: vec![PROTOCOL_VERSION],
            capabilities: Capability::known().collect(),
            limits: Limits::default(),
        }
    }

    fn open(&mut self, _: Hello, sink: Sink) -> Result<(), BackendError> {
        self.sink = Some(sink);
        self.emit(Event::Opened {
            protocol: PROTOCOL_VERSION,
        });
        Ok(())
    }

    fn spawn(&mut self, spec: JudgeSpec) -> Result<(), BackendError> {
        let judge = spec.seat.judge;
        self.note(format!("spawn {judge}"));
        let spawn = format!("{} spawn ", self.name);
        let seated = self.diary.lock().unwrap();
        let seated = seated.iter().filter(|l| l.starts_with(&spawn)).count();
        if self.manners.no_more_than.is_some_and(|most| seated > most) {
            return Err(BackendError::Other("no more chairs".into()));
        }
        if self.manners.refuses_spawn {
            return Err(BackendError::Other("no more chairs".into()));
        }
        if self.manners.seats_nobody {
            let failure = Failure::new(FailureKind::Spawn, "no chair");
            let turn = None;
            self.emit(Event::Failed {
                judge,
                turn,
                failure,
            });
        } else if !self.manners.never_seats.contains(judge.as_str()) {
            self.emit(Event::Started { judge, pid: None });
        }
        Ok(())
    }

    fn send(&mut self, message: Message) -> Result<(), BackendError> {
        let Message::Turn { judge, turn } = message else {
            return Ok(());
        };
        let task = match turn.task {
            Task::Review => "review",
            Task::Restate => "restate",
            Task::Debate { .. } => "debate",
            Task::Mend { .. } => "mend",
            Task::Explored { .. } => "explored",
            Task::Explore { .. } => "explore",
            _ => "other",
        };
        self.note(format!("send {judge} {task}"));
        self.asked.lock().unwrap().push((judge.clone(), turn.id));
        if self.manners.closes_on_turn {
            self.emit(Event::Closed);
            return Err(BackendError::Closed);
        }
        let deed = (self.script)(judge.as_str(), &turn);
        self.act(&judge, &turn, deed);
        Ok(())
    }

    fn cancel(&mut self, judge: &JudgeId) -> Result<(), BackendError> {
        self.note(format!("cancel {judge}"));
        Ok(())
    }

    fn shutdown(&mut self, judge: &JudgeId, _: u64) -> Result<(), BackendError> {
        self.note(format!("shutdown {judge}"));
        if !self.manners.ignores_shutdown.contains(judge.as_str()) {
            let ending = Ending::Graceful;
            let judge = judge.clone();
            self.emit(Event::Ended { judge, ending });
        }
        Ok(())
    }

    fn close(&mut self) -> Result<(), BackendError> {
        self.note("close".into());
        Ok(())
    }
}

/// A disk in memory.
#[derive(Default)]
pub(super) struct MemDisk {
    files: Arc<Mutex<BTreeMap<PathBuf, Vec<u8>>>>,
    folders: Mutex<BTreeSet<PathBuf>>,
    diary: Diary,
    /// Appends fail once the journal has so many bytes.
    full_at: Option<usize>,
}

impl Disk for MemDisk {
    fn make_dirs(&self, root: &Path, below: &Path) -> io::Result<()> {
        self.folders.lock().unwrap().insert(root.join(below));
        Ok(())
    }

    fn make_new_dir(&self, path: &Path) -> io::Result<()> {
        match self.folders.lock().unwrap().insert(path.to_path_buf()) {
            true => Ok(()),
            false => Err(io::ErrorKind::AlreadyExists.into()),
        }
    }

    fn write(&self, path: &Path, bytes: &[u8], durability: Durability) -> io::Result<()> {
        if durability == Durability::Synced {
            self.diary
                .lock()
                .unwrap()
                .push(format!("disk keep {}", name(path)));
        }
        self.files
            .lock()
            .unwrap()
            .insert(path.to_path_buf(), bytes.to_vec());
        Ok(())
    }

    fn write_new(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        if self.read(path).is_ok() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        self.write(path, bytes, Durability::Cheap)
    }

    fn append(&self, path: &Path) -> io::Result<Box<dyn Appender>> {
        Ok(Box::new(MemAppender {
            path: path.to_path_buf(),
            files: Arc::clone(&self.files),
            diary: Arc::clone(&self.diary),
            full_at: self.full_at,
        }))
    }

    fn cut(&self, path: &Path, length: u64) -> io::Result<()> {
        let mut files = self.files.lock().unwrap();
        let file = files.get_mut(path).ok_or(io::ErrorKind::NotFound)?;
        file.truncate(length as usize);
        Ok(())
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let files = self.files.lock().unwrap();
        files
            .get(path)
            .cloned()
            .ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn list(&self, path: &Path) -> io::Result<Vec<String>> {
        let files = self.files.lock().unwrap();
        let inside = files.keys().filter(|file| file.parent() == Some(path));
        Ok(inside.map(|file| name(file)).collect())
    }

    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        self.files
            .lock()
            .unwrap()
            .retain(|file, _| !file.starts_with(path));
        Ok(())
    }
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

struct MemAppender {
    path: PathBuf,
    files: Arc<Mutex<BTreeMap<PathBuf, Vec<u8>>>>,
    diary: Diary,
    full_at: Option<usize>,
}

impl Appender for MemAppender {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut files = self.files.lock().unwrap();
        let file = files.entry(self.path.clone()).or_default();
        if self
            .full_at
            .is_some_and(|most| file.len() + bytes.len() > most)
        {
            // Half of it is written, as it would be.
            file.extend(&bytes[..bytes.len() / 2]);
            return Err(io::ErrorKind::StorageFull.into());
        }
        file.extend(bytes);
        let text = String::from_utf8_lossy(bytes);
        for line in text.lines() {
            let value: serde_json::Value = serde_json::from_str(line).unwrap();
            let (input, judge) = (&value["input"], &value["judge"]);
            let words = [input, judge].map(|v| v.as_str().unwrap_or("-").to_owned());
            self.diary
                .lock()
                .unwrap()
                .push(format!("disk append {}", words.join(" ")));
        }
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        self.diary.lock().unwrap().push("disk sync".into());
        Ok(())
    }
}

struct StageWorld {
    clock: RealWorld,
    jumps: Vec<(u64, u64)>,
    disk: MemDisk,
}

impl World for StageWorld {
    fn now_ms(&self) -> Millis {
        let now = self.clock.now_ms();
        let jumped = self.jumps.iter().filter(|(at, _)| *at <= now);
        now + jumped.map(|(_, by)| by).sum::<u64>()
    }

    fn moment(&self) -> Moment {
        Moment {
            date: "2026-03-09".into(),
            rfc3339: "2026-03-09T10:00:00+01:00".into(),
        }
    }

    fn random(&self, bytes: &mut [u8]) -> io::Result<()> {
        bytes.fill(7);
        Ok(())
    }

    fn disk(&self) -> &dyn Disk {
        &self.disk
    }
}

/// A session before it runs.
pub(super) struct Stage {
    pub(super) plan: Plan,
    pub(super) script: Script,
    pub(super) manners: Manners,
    /// Another backend, for when the first gives way.
    pub(super) understudy: bool,
    pub(super) understudy_manners: Manners,
    pub(super) full_at: Option<usize>,
    pub(super) blobs: Arc<dyn BlobSource>,
    pub(super) max_answer_bytes: u64,
    /// Moments at which somebody presses Ctrl-C.
    pub(super) interrupts: Vec<u64>,
    /// Moments at which the clock jumps ahead, and how far: the machine slept.
    pub(super) jumps: Vec<(u64, u64)>,
    asked: Asked,
}

/// A session after it has run.
pub(super) struct Seen {
    pub(super) result: Result<Finished, SessionError>,
    pub(super) diary: Vec<String>,
    pub(super) files: BTreeMap<String, Vec<u8>>,
    /// How long it took by the paused clock, in milliseconds.
    pub(super) took_ms: u64,
    pub(super) asked: Vec<(JudgeId, TurnId)>,
    /// The files by their paths.
    pub(super) disk: BTreeMap<PathBuf, Vec<u8>>,
    pub(super) folder: PathBuf,
}

/// So many judges whose answers cost nothing.
pub(super) fn stage(
    judges: usize,
    script: impl Fn(&str, &Turn) -> Deed + Send + Sync + 'static,
) -> Stage {
    Stage {
        plan: plan(judges),
        script: Arc::new(script),
        asked: Asked::default(),
        jumps: Vec::new(),
        manners: Manners::default(),
        understudy: false,
        understudy_manners: Manners::default(),
        full_at: None,
        blobs: Arc::new(NoBlobs),
        max_answer_bytes: 1 << 20,
        interrupts: Vec::new(),
    }
}

impl Stage {
    pub(super) fn debate(mut self) -> Self {
        (self.plan.procedure, self.plan.debate) = (Procedure::Debate, DebateMode::Force);
        self
    }

    /// Answers that cost something.
    pub(super) fn paid(mut self) -> Self {
        for planned in &mut self.plan.seats {
            planned.seat.agent.kind = AgentKind::Command {
                argv: vec!["model".into()],
                env: Vec::new(),
                format: Default::default(),
                sandbox: Default::default(),
            };
        }
        self
    }

    pub(super) fn run(self) -> Seen {
        self.play(None)
    }

    /// Goes on with what another run left on the disk, from the first so many bytes of its journal.
    pub(super) fn resume(self, left: &Seen, bytes: usize) -> Seen {
        self.resume_from(left, &left.files[JOURNAL][..bytes], |_| {})
    }

    pub(super) fn resume_from(
        self,
        left: &Seen,
        journal: &[u8],
        change: impl FnOnce(&mut Journal),
    ) -> Seen {
        let mut disk = left.disk.clone();
        let folder = left.folder.clone();
        disk.insert(folder.join(JOURNAL), journal.to_vec());
        let mut journal = Journal::parse(journal).unwrap();
        change(&mut journal);
        self.play(Some((disk, folder, journal)))
    }

    fn play(self, left: Option<(BTreeMap<PathBuf, Vec<u8>>, PathBuf, Journal)>) -> Seen {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        let guard = runtime.enter();
        let diary = Diary::default();
        let world = StageWorld {
            clock: RealWorld::new(),
            jumps: self.jumps.clone(),
            disk: MemDisk {
                diary: Arc::clone(&diary),
                full_at: self.full_at,
                ..MemDisk::default()
            },
        };
        let mut setting = self.setting(&world);
        let journal = left.map(|(files, folder, journal)| {
            *world.disk.files.lock().unwrap() = files;
            setting.run.folder = Some(folder);
            journal
        });
        let mut offers = vec![self.offer("first", &self.manners, &diary)];
        if self.understudy {
            offers.push(self.offer("second", &self.understudy_manners, &diary));
        }
        let (press, interrupts) = unbounded_channel();
        self.interrupts
            .iter()
            .for_each(|at| press_at(&runtime, &press, *at));
        let begun = world.now_ms();
        let result = run_on(
            &runtime,
            &setting,
            offers,
            journal.as_ref(),
            &world,
            Interrupts::Channel(interrupts),
        );
        let took_ms = world.now_ms() - begun;
        drop(guard);
        let files = world.disk.files.lock().unwrap();
        Seen {
            result,
            diary: diary.lock().unwrap().clone(),
            files: files
                .iter()
                .map(|(path, bytes)| (name(path), bytes.clone()))
                .collect(),
            took_ms,
            asked: self.asked.lock().unwrap().clone(),
            disk: files.clone(),
            folder: setting.run.folder.clone().unwrap(),
        }
    }

    fn setting(&self, world: &StageWorld) -> Setting {
        let places = Places::in_repository(Path::new("/git"), Some(Path::new("/tree")));
        assert_eq!(
            places.runs.as_ref().map(Place::path),
            Some("/git/council/runs".into())
        );
        Setting {
            run: RunRef::create(world, &places, "head", &world.moment()).unwrap(),
            packet: Arc::new(packet()),
            blobs: Arc::clone(&self.blobs),
            redact: None,
            prompter: Some(Arc::new(Plain)),
            page: crate::report::judge::render,
            filing: None,
            rooms: crate::session::Rooms::default(),
            max_answer_bytes: self.max_answer_bytes,

            money: Default::default(),
            listener: None,
        }
    }

    fn offer(&self, name: &'static str, manners: &Manners, diary: &Diary) -> Offer {
        let backend = Scripted {
            name,
            script: Arc::clone(&self.script),
            asked: Arc::clone(&self.asked),
            manners: manners.clone(),
            diary: Arc::clone(diary),
            sink: None,
        };
        let opened = Opened::open(Box::new(backend), Hello::default()).unwrap();
        let plan = self.plan.clone();
        Offer { opened, plan }
    }
}

fn press_at(runtime: &tokio::runtime::Runtime, press: &UnboundedSender<()>, at: u64) {
    let press = press.clone();
    runtime.spawn(async move {
        tokio::time::sleep(Duration::from_millis(at)).await;
        let _ = press.send(());
    });
}

impl Seen {
    pub(super) fn finished(&self) -> &Finished {
        self.result.as_ref().unwrap()
    }

    pub(super) fn outcome(&self) -> &Outcome {
        &self.finished().outcome
    }

    pub(super) fn text(&self, file: &str) -> &str {
        std::str::from_utf8(&self.files[file]).unwrap()
    }

    pub(super) fn journal(&self) -> Journal {
        Journal::parse(&self.files[JOURNAL]).unwrap()
    }

    /// How often a line stands in the diary.
    pub(super) fn times(&self, line: &str) -> usize {
        self.diary.iter().filter(|other| *other == line).count()
    }

    pub(super) fn position(&self, line: &str) -> usize {
        self.diary
            .iter()
            .position(|other| other == line)
            .unwrap_or_else(|| {
                panic!("{line} does not stand in {:#?}", self.diary);
            })
    }

    pub(super) fn logged(&self, line: &str) -> bool {
        self.finished().log.iter().any(|other| other == line)
    }

    /// What holds for every session that has an outcome: it is closed, and its journal gives the same outcome.
    pub(super) fn check(self) -> Self {
        assert!(self.times("first close") == 1, "{:#?}", self.diary);
        let journal = self.journal();
        let plan = stored::parse(&self.files[&journal.plan.file]).unwrap();
        assert_eq!(plan, self.finished().plan);
        assert_eq!(&replay(plan, &journal.entries).unwrap(), self.outcome());
        self
    }
}

/// Texts that say nothing.
struct Plain;

impl Prompter for Plain {
    fn brief(&self, _: &Seat) -> Arc<str> {
        "the change".into()
    }

    fn prompt(&self, seat: &Seat, turn: &Turn, _: u8) -> Result<String, String> {
        Ok(format!("{}: turn {}", seat.judge, turn.id.0))
    }

    fn reminder(&self, said: &[Arc<str>]) -> String {
        format!("said {} times; ", said.len())
    }
}

pub(super) fn packet() -> Packet {
    let hunk = Hunk {
        old_start: 1,
        old_lines: 0,
        new_start: 1,
        new_lines: 2,
        section: String::new(),
        body: "+let a = risky(input);\n+let b = 2;\n".into(),
    };
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
        lossy: false,
        hunks: vec![hunk],
    };
    Packet {
        version: PACKET_VERSION,
        target: Target {
            kind: TargetKind::Patch,
            label: "head".into(),
            slug: "head".into(),
            base: None,
            head: None,
        },
        files: vec![file],
        instructions: Vec::new(),
        coverage: coverage(),
        framing: Default::default(),
    }
}

fn coverage() -> Coverage {
    Coverage {
        files: vec![FileCoverage {
            path: "a.rs".into(),
            state: CoverageState::Reviewed,
        }],
    }
}

pub(super) fn plan(judges: usize) -> Plan {
    let shown = Arc::new(coverage());
    let seat = |n| PlannedSeat {
        seat: Seat {
            judge: JudgeId(format!("judge-{n}")),
            perspective: Perspective::default(),
            agent: AgentSpec {
                name: "scripted".into(),
                kind: AgentKind::Builtin {
                    rules: Default::default(),
                },
                vendor: "acme".into(),
                model: None,
                deterministic: false,
            },
        },
        grant: Grant {
            granted: CapabilitySet::from([
                Capability::Spawn,
                Capability::Message,
                Capability::Shutdown,
            ]),
            ..Grant::default()
        },
        coverage: Arc::clone(&shown),
    };
    Plan {
        procedure: Procedure::Review,
        debate: DebateMode::Auto,
        consensus: Consensus::Findings,
        quorum: 2,
        policy: Policy {
            contested_critical_fails: false,
            incomplete_coverage_warns: false,
        },
        seats: (1..=judges).map(seat).collect(),
        exchange: Exchange::Inline {
            max_bytes: 24 << 10,
        },
        timeouts: Timeouts::default(),
        seed: Seed("5eed".into()),
        framing: Default::default(),
        notes: Vec::new(),
        options: Default::default(),
    }
}
