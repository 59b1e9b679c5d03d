//! One seat of one round in a process of its own: files in, files out (`git council judge`). Background workers and the
//! jobs of a matrix are this.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use council_agents::{AgentTable, JudgeMemory, SeatedJudge, StopSignal};
use council_protocol::change::BlobError;
use council_protocol::worker::{ReplySubject, WorkerReply, seat_file, turn_file};
use council_protocol::{
    BlobSource, Failure, FailureKind, JudgeId, JudgeSpec, Packet, RepoPath, Side, Turn, TurnId,
};
use council_secrets::Redactor;
use serde::de::DeserializeOwned;

use super::worker_reply::ReplyDesk;
use crate::packet::{self, FOLDER_VERSION, FolderIndex, INDEX_FILE, PACKET_FILE, sha256};
use crate::safe_file;

/// Where the packet's folder (docs/run-folder.md) lies in a run's folder.
pub(crate) const PACKET_FOLDER: &str = "packet";

/// Writes the packet's folder for judges outside of this process.
///
/// # Errors
/// What the disk or the blob source says.
pub(crate) fn export_packet(
    run: &Path,
    packet: &Packet,
    brief: Option<&str>,
    blobs: &dyn BlobSource,
) -> io::Result<PathBuf> {
    let folder = run.join(PACKET_FOLDER);
    safe_file::make_folder_for_owner(&folder.join("blobs"))?;
    packet::export_packet(packet, brief, blobs, |name, bytes| {
        safe_file::write_file_for_owner(&folder.join(name), bytes).map_err(ExportError)
    })
    .map_err(|ExportError(error)| error)?;
    Ok(folder)
}

/// An error of the disk or of a blob.
struct ExportError(io::Error);

impl From<BlobError> for ExportError {
    fn from(error: BlobError) -> Self {
        Self(io::Error::other(error))
    }
}

/// The blobs of a packet's folder.
#[derive(Debug)]
pub(crate) struct FolderBlobs {
    folder: PathBuf,
    index: FolderIndex,
}

impl FolderBlobs {
    /// Whether every blob is there and is what its name says.
    ///
    /// # Errors
    /// The first one that is not.
    pub(crate) fn check_all(&self) -> io::Result<()> {
        let sides = self.index.files.iter().flat_map(|file| {
            let old = file.old_path.as_ref().unwrap_or(&file.path);
            [(Side::New, &file.path), (Side::Old, old)]
        });
        for (side, path) in sides {
            self.read(side, path).map_err(io::Error::other)?;
        }
        Ok(())
    }
}

impl BlobSource for FolderBlobs {
    fn read(&self, side: Side, path: &RepoPath) -> Result<Option<Arc<[u8]>>, BlobError> {
        let Some(name) = self.index.blob_name(side, path) else {
            return Ok(None);
        };
        let failed = |cause: String| BlobError {
            path: path.clone(),
            cause,
        };
        let bytes =
            safe_file::read(self.folder.join(&name)).map_err(|error| failed(error.to_string()))?;
        // A blob is named by its digest: what was changed since is not what is under review.
        if name.ends_with(&sha256(&bytes)) {
            Ok(Some(bytes.into()))
        } else {
            Err(failed(format!("{name} does not have its digest")))
        }
    }
}

/// Reads a packet's folder: version and digests are checked.
///
/// # Errors
/// The file that cannot be read or is not what the index says.
pub(crate) fn open_packet(run: &Path) -> io::Result<(Packet, FolderBlobs)> {
    let folder = run.join(PACKET_FOLDER);
    let index: FolderIndex = parse_json(&folder.join(INDEX_FILE))?;
    if index.version != FOLDER_VERSION {
        let text = format!(
            "{INDEX_FILE} has version {}, and {FOLDER_VERSION} is read",
            index.version
        );
        return Err(io::Error::other(text));
    }
    let bytes = read_named(&folder.join(PACKET_FILE))?;
    if sha256(&bytes) != index.packet {
        return Err(io::Error::other(format!(
            "{PACKET_FILE} does not have the digest that {INDEX_FILE} names"
        )));
    }
    let packet = serde_json::from_slice(&bytes)?;
    Ok((packet, FolderBlobs { folder, index }))
}

/// The digest of a packet's folder: of `files.json`, which names the digest of everything else in it.
///
/// # Errors
/// When the file cannot be read.
pub(crate) fn packet_folder_digest(run: &Path) -> io::Result<String> {
    Ok(sha256(&read_named(
        &run.join(PACKET_FOLDER).join(INDEX_FILE),
    )?))
}

/// What a judge of a run is asked in a turn, as the files of the run have it.
///
/// # Errors
/// When one of the files cannot be read.
pub(crate) fn reply_subject(run: &Path, judge: &JudgeId, turn: TurnId) -> io::Result<ReplySubject> {
    let mut question = read_named(&seat_file(run, judge))?;
    question.extend(read_named(&turn_file(run, judge, turn))?);
    Ok(ReplySubject {
        packet: packet_folder_digest(run)?,
        question: sha256(&question),
    })
}

/// Who a judge of a run is, as its file says.
///
/// # Errors
/// When the file cannot be read.
pub(crate) fn read_seat(run: &Path, judge: &JudgeId) -> io::Result<JudgeSpec> {
    parse_json(&seat_file(run, judge))
}

/// The judges of a run that have a seat, by name; none where it cannot be read.
pub(crate) fn list_judges(run: &Path) -> Vec<String> {
    let mut judges = list_names(&run.join("workers"));
    judges.retain(|judge| seat_file(run, &judge.as_str().into()).is_file());
    judges
}

/// The numbers of the turns that a judge of a run is asked.
pub(crate) fn list_turns(run: &Path, judge: &JudgeId) -> Vec<u32> {
    let seat = seat_file(run, judge);
    let names = list_names(seat.parent().unwrap_or(run)).into_iter();
    let number = |name: String| {
        name.strip_prefix("turn-")?
            .strip_suffix(".json")?
            .parse()
            .ok()
    };
    let mut turns: Vec<u32> = names.filter_map(number).collect();
    turns.sort_unstable();
    turns
}

fn list_names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter_map(|e| e.file_name().into_string().ok())
        .collect();
    names.sort_unstable();
    names
}

/// Answers one turn of one judge from the files of a run, and leaves the reply beside them.
///
/// `agents` makes the agents over a packet and its blobs. What goes wrong with the judge is a reply like any other. The keys
/// that `redactor` says were handed to it stand in no reply: the folder goes to other jobs.
///
/// # Errors
/// When the judge's own files cannot be read, or the reply not written: then there is nobody to answer.
pub(crate) fn answer_turn(
    run: &Path,
    spec: JudgeSpec,
    turn: TurnId,
    agents: impl FnOnce(Arc<Packet>, Arc<dyn BlobSource>) -> AgentTable,
    redactor: &Redactor,
    stop: &StopSignal,
) -> io::Result<WorkerReply> {
    let judge = &spec.seat.judge.clone();
    let asked: Turn = parse_json(&turn_file(run, judge, turn))?;
    // Before anybody is asked: what changes meanwhile is not what is answered.
    let about = reply_subject(run, judge, turn).ok();
    let desk = ReplyDesk::new(run, judge, turn, about, redactor);
    let keeping = desk.keep_drafts(stop);
    let timer = TurnTimer::start(&asked, stop);
    let reply = match ask_agent(run, spec, &asked, agents, stop) {
        Ok(reply) => WorkerReply::Answered {
            raw: reply.raw,
            usage: reply.usage,
        },
        Err(failure) => WorkerReply::Failed {
            failure: timer.explain(with_words(failure, stop)),
        },
    };
    let written = desk.write_last(reply);
    drop(keeping);
    written
}

/// A failure with what its judge said and spent until then: who is stopped tells neither.
fn with_words(failure: Failure, stop: &StopSignal) -> Failure {
    let (said, spent) = stop.said_so_far();
    let known = failure.usage.as_deref().cloned();
    let failure = failure.with_usage(known.or(spent));
    failure.with_drafts(said)
}

/// Stops a turn once its time is over. In a job of its own nobody else does.
struct TurnTimer {
    is_over: Arc<AtomicBool>,
    limit: Duration,
    /// The thread that waits ends with this.
    _alive: Sender<()>,
}

impl TurnTimer {
    fn start(turn: &Turn, stop: &StopSignal) -> Self {
        let limit = Duration::from_millis(turn.timeout_ms);
        let is_over = Arc::new(AtomicBool::new(false));
        let (alive, ended) = channel();
        let (marker, stop) = (Arc::clone(&is_over), stop.clone());
        thread::spawn(move || {
            if ended.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
                marker.store(true, Ordering::Release);
                stop.raise();
            }
        });
        Self {
            is_over,
            limit,
            _alive: alive,
        }
    }

    /// A turn that was stopped because its time was over is too late, and not cancelled. What was said in it is kept.
    fn explain(&self, mut failure: Failure) -> Failure {
        let is_end = matches!(failure.kind, FailureKind::Cancelled | FailureKind::Died);
        if is_end && self.is_over.load(Ordering::Acquire) {
            failure.kind = FailureKind::Timeout;
            failure.detail = format!("no answer in {} s", self.limit.as_secs_f64());
        }
        failure
    }
}

fn ask_agent(
    run: &Path,
    spec: JudgeSpec,
    turn: &Turn,
    agents: impl FnOnce(Arc<Packet>, Arc<dyn BlobSource>) -> AgentTable,
    stop: &StopSignal,
) -> Result<council_agents::AgentReply, Failure> {
    let unreadable = |error: io::Error| {
        Failure::new(
            FailureKind::Spawn,
            format!("cannot read the packet's folder: {error}"),
        )
    };
    let (packet, blobs) = open_packet(run).map_err(unreadable)?;
    let agents = agents(Arc::new(packet), Arc::new(blobs));
    let agent = agents.find_agent(&spec.seat.agent.kind)?;
    let mut sitting = SeatedJudge::open(agent, spec, JudgeMemory::Fresh)?;
    let reply = sitting.take_turn(turn, stop);
    sitting.end();
    reply
}

fn read_named(path: &Path) -> io::Result<Vec<u8>> {
    safe_file::read(path)
        .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))
}

pub(super) fn parse_json<T: DeserializeOwned>(path: &Path) -> io::Result<T> {
    serde_json::from_slice(&read_named(path)?)
        .map_err(|error| io::Error::other(format!("{}: {error}", path.display())))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;

    use council_agents::AgentContext;
    use council_protocol::change::{FileChange, FileKind, FileStatus, Hunk};
    use council_protocol::coverage::FileCoverage;
    use council_protocol::packet::{PACKET_VERSION, Target, TargetKind};
    use council_protocol::seat::{AgentKind, AgentSpec, Perspective};
    use council_protocol::worker::{ReplyFile, reply_file};
    use council_protocol::{Answer, Coverage, CoverageState, Seat, Task, Vote};

    use super::*;

    const NEW: &str =
        "fn main() {\n<<<<<<< HEAD\n    one();\n=======\n    two();\n>>>>>>> topic\n}\n";

    struct Side1;

    impl BlobSource for Side1 {
        fn read(&self, side: Side, _: &RepoPath) -> Result<Option<Arc<[u8]>>, BlobError> {
            Ok((side == Side::New).then(|| NEW.as_bytes().into()))
        }
    }

    fn packet() -> Packet {
        let body: String = NEW.lines().map(|line| format!("+{line}\n")).collect();
        let hunk = Hunk {
            old_start: 0,
            old_lines: 0,
            new_start: 1,
            new_lines: 7,
            section: String::new(),
            body,
        };
        let file = FileChange {
            path: "src/main.rs".into(),
            old_path: None,
            status: FileStatus::Added,
            kind: FileKind::Text,
            old_mode: 0,
            new_mode: 0o100_644,
            old_id: None,
            new_id: None,
            old_size: None,
            new_size: Some(NEW.len() as u64),
            moved_from: None,
            lossy: false,
            similarity: None,
            hunks: vec![hunk],
        };
        let covered = FileCoverage {
            path: "src/main.rs".into(),
            state: CoverageState::Reviewed,
        };
        let (label, slug) = ("secret-branch".to_owned(), "secret-branch".to_owned());
        Packet {
            version: PACKET_VERSION,
            target: Target {
                kind: TargetKind::Commit,
                label,
                slug,
                base: None,
                head: None,
                only: Vec::new(),
            },
            files: vec![file],
            instructions: Vec::new(),
            coverage: Coverage {
                files: vec![covered],
            },
            framing: Default::default(),
        }
    }

    fn agents(packet: Arc<Packet>, blobs: Arc<dyn BlobSource>) -> AgentTable {
        let workshop = AgentContext {
            packet,
            blobs,
            exe: None,
            folder: None,
            tools: None,
            env: BTreeMap::new(),
        };
        AgentTable::new(&Arc::new(workshop))
    }

    /// A turn that may take so long.
    fn turn_of(timeout_ms: u64) -> Turn {
        Turn {
            id: TurnId(1),
            round: 1.into(),
            key: "k".into(),
            task: Task::Review,
            prompt: String::new(),
            timeout_ms,
            spend: None,
        }
    }

    /// A run's folder with one judge and one turn.
    fn run() -> tempfile::TempDir {
        let run = tempfile::tempdir().unwrap();
        export_packet(run.path(), &packet(), None, &Side1).unwrap();
        let judge: JudgeId = "judge-1".into();
        let kind = AgentKind::Builtin {
            rules: Default::default(),
        };
        let agent = AgentSpec {
            name: "builtin".into(),
            kind,
            vendor: "builtin".into(),
            model: None,
            deterministic: true,
        };
        let seat = Seat {
            judge: judge.clone(),
            perspective: Perspective::default(),
            agent,
        };
        let spec = JudgeSpec {
            seat,
            brief: "".into(),
            room: None,
            max_answer_bytes: 1 << 20,
            proves: false,
        };
        let turn = turn_of(60_000);
        fs::create_dir_all(council_protocol::worker::judge_folder(run.path(), &judge)).unwrap();
        fs::write(
            seat_file(run.path(), &judge),
            serde_json::to_vec(&spec).unwrap(),
        )
        .unwrap();
        fs::write(
            turn_file(run.path(), &judge, TurnId(1)),
            serde_json::to_vec(&turn).unwrap(),
        )
        .unwrap();
        run
    }

    fn work_on(run: &Path) -> io::Result<WorkerReply> {
        answer_turn(
            run,
            read_seat(run, &"judge-1".into())?,
            TurnId(1),
            agents,
            &Redactor::default(),
            &StopSignal::default(),
        )
    }

    #[test]
    fn files_in_files_out() {
        let run = run();
        let WorkerReply::Answered { raw, .. } = work_on(run.path()).unwrap() else {
            panic!()
        };
        let answer: Answer = serde_json::from_str(&raw).unwrap();
        assert_eq!((answer.verdict, answer.key.as_str()), (Vote::Fail, "k"));
        let left: WorkerReply =
            parse_json(&reply_file(run.path(), &"judge-1".into(), TurnId(1))).unwrap();
        assert!(matches!(left, WorkerReply::Answered { .. }));
    }

    /// A job that is run again asks again; what its judge had said until then is told beside the new answer.
    #[test]
    fn a_job_that_runs_again_unsays_nothing() {
        let run = run();
        let path = reply_file(run.path(), &"judge-1".into(), TurnId(1));
        work_on(run.path()).unwrap();
        let mut file: ReplyFile = parse_json(&path).unwrap();
        let WorkerReply::Answered { raw, .. } = &mut file.reply else {
            panic!()
        };
        let unread = |reply: &WorkerReply| match reply {
            WorkerReply::Answered { usage, .. } => usage.as_ref().map(|usage| usage.unread.clone()),
            WorkerReply::Failed { failure } => {
                failure.usage.as_ref().map(|usage| usage.unread.clone())
            }
        };
        // The same answer once more says nothing more.
        assert_eq!(unread(&work_on(run.path()).unwrap()), None);
        *raw = "I vote FAIL: a.rs:3 divides by zero.".to_owned();
        let cut_off = Failure::new(FailureKind::Died, "killed").with_drafts([raw.clone()]);
        let said = vec![raw.clone()];
        for earlier in [file.reply.clone(), WorkerReply::Failed { failure: cut_off }] {
            file.reply = earlier;
            fs::write(&path, serde_json::to_vec(&file).unwrap()).unwrap();
            assert_eq!(unread(&work_on(run.path()).unwrap()), Some(said.clone()));
            let again = work_on(run.path()).unwrap();
            assert_eq!(unread(&again), Some(said.clone()), "each time");
        }
        // Of another question nothing is known.
        file.about.as_mut().unwrap().question = "0".repeat(64);
        fs::write(&path, serde_json::to_vec(&file).unwrap()).unwrap();
        assert_eq!(unread(&work_on(run.path()).unwrap()), None);
    }

    /// A program that says FAIL and stays, in a job that nobody watches.
    #[test]
    fn a_turn_ends_with_its_time_and_its_words_are_kept() {
        let stop = StopSignal::default();
        let (raise, raised) = channel();
        stop.on_raise(move || _ = raise.send(()));
        let timer = TurnTimer::start(&turn_of(20), &stop);
        raised.recv().unwrap();
        let cancelled = Failure::new(FailureKind::Cancelled, "the turn was cancelled");
        let told = timer.explain(cancelled.with_drafts(["I vote FAIL.".to_owned()]));
        assert_eq!(told.in_words(), "too late: no answer in 0.02 s");
        assert_eq!(told.usage.unwrap().unread, ["I vote FAIL."]);
        // Another cause is told as it is.
        let refused = Failure::new(FailureKind::Refused, "no");
        assert_eq!(timer.explain(refused.clone()), refused);
    }

    #[test]
    fn a_worker_reads_no_name_of_a_branch() {
        let run = run();
        let text = fs::read_to_string(run.path().join(PACKET_FOLDER).join(PACKET_FILE)).unwrap();
        assert!(!text.contains("secret-branch"));
    }

    #[test]
    fn a_packet_or_blob_that_was_changed_since_is_no_packet() {
        let run = run();
        let (_, blobs) = open_packet(run.path()).unwrap();
        let blob = fs::read_dir(run.path().join(PACKET_FOLDER).join("blobs"))
            .unwrap()
            .next()
            .unwrap()
            .unwrap();
        fs::write(blob.path(), "other").unwrap();
        assert!(blobs.read(Side::New, &"src/main.rs".into()).is_err());
        fs::write(run.path().join(PACKET_FOLDER).join(PACKET_FILE), "{}").unwrap();
        let WorkerReply::Failed { failure } = work_on(run.path()).unwrap() else {
            panic!()
        };
        assert!(failure.detail.contains("digest"), "{failure}");
    }

    #[test]
    fn without_a_seat_there_is_nobody_to_answer() {
        let run = tempfile::tempdir().unwrap();
        let error = work_on(run.path()).unwrap_err();
        assert!(error.to_string().contains("seat.json"), "{error}");
    }
}
