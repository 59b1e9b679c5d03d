//! A session on a stage: judges say what a script says, time moves only when everybody waits, the disk is in memory.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use council_protocol::change::NoBlobs;
use council_protocol::message::Hello;
use council_protocol::seat::AgentKind;
use council_protocol::{BlobSource, JudgeId, Turn, TurnId};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use super::super::journal::{JOURNAL_FILE, RunJournal};
use super::super::places::RunFolder;
use super::super::run::run_on;
use super::super::stored;
use super::super::world::{SessionWorld, WriteDurability};
use super::super::{
    BackendOffer, BudgetLimits, ExportFolders, FinishedSession, InterruptSource, MinutesPage,
    PromptRenderer, RealWorld, ReproductionRunner, RunFolders, RunRef, SessionBackend,
    SessionError, SessionSetup, replay_council,
};
use super::disk::{MemDisk, StageWorld, name};
use super::matter::{Plain, packet, plan};
use super::scripted::{Asked, Scripted};
pub(super) use super::scripted::{Deed, Diary, Manners, Script};
use crate::council::plan::{DebateMode, Procedure};
use crate::council::{Outcome, Plan};

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
    /// Moments at which another process wants to go on with this run, and then begins one of its own.
    pub(super) intruders: Vec<u64>,
    pub(super) prompter: Arc<dyn PromptRenderer>,
    pub(super) minutes: Option<MinutesPage>,
    /// The most US dollars of the run.
    pub(super) most_usd: Option<f64>,
    /// Whether time goes by itself: a test of a judge runs on a thread, which a clock that jumps ahead does not wait
    /// for.
    pub(super) is_live: bool,
    /// Runs the tests of judges.
    pub(super) runner: Option<Arc<dyn ReproductionRunner>>,
    /// Where agents work.
    pub(super) rooms: ExportFolders,
    asked: Asked,
}

/// A session after it has run.
pub(super) struct Seen {
    pub(super) result: Result<FinishedSession, SessionError>,
    pub(super) diary: Vec<String>,
    pub(super) files: BTreeMap<String, Vec<u8>>,
    /// How long it took by the paused clock, in milliseconds.
    pub(super) took_ms: u64,
    pub(super) asked: Vec<(JudgeId, TurnId)>,
    /// The files by their paths.
    pub(super) disk: BTreeMap<PathBuf, Vec<u8>>,
    pub(super) folder: PathBuf,
    /// What became of the other processes.
    pub(super) intruders: Vec<Intruder>,
}

/// Another process in the same repository.
pub(super) struct Intruder {
    /// What it was told when it wanted this run; none: it got it.
    pub(super) refused: Option<String>,
    /// Where its own run lies.
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
        intruders: Vec::new(),
        prompter: Arc::new(Plain),
        minutes: None,
        most_usd: None,
        is_live: false,
        runner: None,
        rooms: ExportFolders::default(),
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
                tool: Default::default(),
            };
        }
        self
    }

    pub(super) fn run(self) -> Seen {
        self.play(None)
    }

    /// Goes on with what another run left on the disk, from the first so many bytes of its journal.
    pub(super) fn resume(self, left: &Seen, bytes: usize) -> Seen {
        self.resume_from(left, &left.files[JOURNAL_FILE][..bytes], |_| {})
    }

    pub(super) fn resume_from(
        self,
        left: &Seen,
        journal: &[u8],
        change: impl FnOnce(&mut RunJournal),
    ) -> Seen {
        let mut disk = left.disk.clone();
        let folder = left.folder.clone();
        disk.insert(folder.join(JOURNAL_FILE), journal.to_vec());
        let mut journal = RunJournal::parse(journal).unwrap();
        change(&mut journal);
        self.play(Some((disk, folder, journal)))
    }

    fn play(self, left: Option<(BTreeMap<PathBuf, Vec<u8>>, PathBuf, RunJournal)>) -> Seen {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(!self.is_live)
            .build()
            .unwrap();
        let guard = runtime.enter();
        let diary = Diary::default();
        let world = Arc::new(StageWorld {
            clock: RealWorld::new(),
            jumps: self.jumps.clone(),
            disk: MemDisk {
                diary: Arc::clone(&diary),
                full_at: self.full_at,
                ..MemDisk::default()
            },
        });
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
        let intruders = Arc::default();
        for at in &self.intruders {
            runtime.spawn(intrude(
                *at,
                setting.run.clone(),
                Arc::clone(&world),
                Arc::clone(&intruders),
            ));
        }
        let begun = world.now_ms();
        let held = setting.run.acquire_lock(world.disk()).unwrap();
        let result = run_on(
            &runtime,
            &setting,
            offers,
            journal.as_ref(),
            &*world,
            InterruptSource::Channel(interrupts),
        );
        drop(held);
        assert!(
            setting.run.acquire_lock(world.disk()).is_ok(),
            "it is free again"
        );
        let took_ms = world.now_ms() - begun;
        drop(guard);
        let files = world.disk.files.lock().unwrap();
        let intruders = std::mem::take(&mut *intruders.lock().unwrap());
        let runs = places().runs.unwrap().path();
        let folder = setting.run.folder.clone().unwrap();
        let ours = |path: &Path| !path.starts_with(&runs) || path.starts_with(&folder);
        Seen {
            result,
            diary: diary.lock().unwrap().clone(),
            files: files
                .iter()
                .filter(|(path, _)| ours(path))
                .map(|(path, bytes)| (name(path), bytes.clone()))
                .collect(),
            took_ms,
            asked: self.asked.lock().unwrap().clone(),
            disk: files.clone(),
            folder: folder.clone(),
            intruders,
        }
    }

    fn setting(&self, world: &StageWorld) -> SessionSetup {
        let places = places();
        assert_eq!(
            places.runs.as_ref().map(RunFolder::path),
            Some("/git/council/runs".into())
        );
        SessionSetup {
            run: RunRef::create(world, &places, "head", &world.read_calendar()).unwrap(),
            packet: Arc::new(packet()),
            proved_over: Arc::new(packet()),
            blobs: Arc::clone(&self.blobs),
            redactor: council_secrets::Redactor::default(),
            prompter: Some(Arc::clone(&self.prompter)),
            page: crate::report::judge::render_judge,
            minutes: self.minutes.clone(),
            filing: None,
            rooms: self.rooms.clone(),
            max_answer_bytes: self.max_answer_bytes,

            money: BudgetLimits {
                most_usd: self.most_usd,
                ..BudgetLimits::default()
            },
            runner: self.runner.clone(),
            listener: None,
            observer: None,
        }
    }

    fn offer(&self, name: &'static str, manners: &Manners, diary: &Diary) -> BackendOffer {
        let backend = Scripted {
            name,
            script: Arc::clone(&self.script),
            asked: Arc::clone(&self.asked),
            manners: manners.clone(),
            diary: Arc::clone(diary),
            sink: None,
        };
        let opened = SessionBackend::open(Box::new(backend), Hello::default()).unwrap();
        let plan = self.plan.clone();
        BackendOffer { opened, plan }
    }
}

/// What another process does: it wants the run that goes on, and then begins one of its own over the same change.
async fn intrude(at: u64, run: RunRef, world: Arc<StageWorld>, seen: Arc<Mutex<Vec<Intruder>>>) {
    tokio::time::sleep(Duration::from_millis(at)).await;
    let refused = run
        .acquire_lock(world.disk())
        .err()
        .map(|error| error.to_string());
    let own = RunRef::create(&*world, &places(), "head", &world.read_calendar()).unwrap();
    let _held = own.acquire_lock(world.disk()).unwrap();
    let folder = own.folder.unwrap();
    let journal = folder.join(JOURNAL_FILE);
    world
        .disk()
        .write_file(&journal, b"its own\n", WriteDurability::Cheap)
        .unwrap();
    seen.lock().unwrap().push(Intruder { refused, folder });
}

fn places() -> RunFolders {
    RunFolders::in_repository(Path::new("/git"), Some(Path::new("/tree")))
}

fn press_at(runtime: &tokio::runtime::Runtime, press: &UnboundedSender<()>, at: u64) {
    let press = press.clone();
    runtime.spawn(async move {
        tokio::time::sleep(Duration::from_millis(at)).await;
        let _ = press.send(());
    });
}

impl Seen {
    pub(super) fn finished(&self) -> &FinishedSession {
        self.result.as_ref().unwrap()
    }

    pub(super) fn outcome(&self) -> &Outcome {
        &self.finished().outcome
    }

    pub(super) fn text(&self, file: &str) -> &str {
        std::str::from_utf8(&self.files[file]).unwrap()
    }

    pub(super) fn journal(&self) -> RunJournal {
        RunJournal::parse(&self.files[JOURNAL_FILE]).unwrap()
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
        let plan = stored::parse_plan(&self.files[&journal.plan.file]).unwrap();
        assert_eq!(plan, self.finished().plan);
        assert_eq!(
            &replay_council(plan, &journal.entries).unwrap(),
            self.outcome()
        );
        self
    }
}
