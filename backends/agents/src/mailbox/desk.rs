//! Look-ups for a judge that has a client of its own: the program answers them over a socket in the judge's mailbox.
//! The client's side of it (`git council mcp`) reads no repository, so no sandbox has to let it, and what it may see,
//! how much and how often is decided in one place.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use council_protocol::message::Usage;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::stop::TurnDraft;
use crate::tools::{ToolSetup, TurnTools, is_late};

/// The socket's name in the mailbox.
const SOCKET: &str = "lookup";

/// The most bytes of a call.
const MAX_CALL_BYTES: u64 = 64 << 10;

/// How long either side waits for the other's line; a look-up itself takes less.
const LINE_TIMEOUT: Duration = Duration::from_secs(10);

/// A call, one line of JSON.
#[derive(Debug, Serialize, Deserialize)]
struct DeskCall {
    tool: String,
    arguments: Value,
}

/// Its result, one line of JSON.
#[derive(Debug, Serialize, Deserialize)]
struct DeskReply {
    text: String,
    failed: bool,
}

/// What both the judge's turns and the thread that answers know.
struct DeskState {
    tools: TurnTools,
    /// The end of the turn under way; none between two turns, when nothing is answered.
    until: Option<Instant>,
    /// When the judge was told something last, and how long it has thought at most before it asked for something.
    told: Instant,
    longest_thought: Duration,
    /// How far the judge had come when each call came.
    stamps: Vec<CallStamp>,
    /// What the judge says in words, and the key of an answer in them.
    said: TurnDraft,
    key: String,
    /// Whether each of the last calls was asked for without knowing what the ones beside it would tell.
    blind: Vec<bool>,
}

/// How far a judge had come when it looked something up.
#[derive(Debug, Clone, Copy)]
struct CallStamp {
    /// The verdict that lay in the mailbox.
    verdict: Option<VerdictStamp>,
    /// How many bytes it had said.
    said: usize,
}

/// Tells one submitted verdict from another: each is a file of its own, renamed to its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct VerdictStamp {
    inode: u64,
    written: (i64, i64),
}

impl VerdictStamp {
    /// Of the verdict that lies there now.
    fn now(folder: &Path) -> Option<Self> {
        use std::os::unix::fs::MetadataExt as _;
        let file = std::fs::metadata(folder.join(super::VERDICT_FILE)).ok()?;
        Some(Self {
            inode: file.ino(),
            written: (file.mtime(), file.mtime_nsec()),
        })
    }
}

/// Answers the look-ups of one judge until it is dropped.
pub(crate) struct LookUpDesk {
    socket: PathBuf,
    folder: PathBuf,
    state: Arc<Mutex<DeskState>>,
    is_closed: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl LookUpDesk {
    /// Begins to listen in `folder`.
    pub(crate) fn open(folder: &Path, setup: ToolSetup) -> io::Result<Self> {
        let socket = folder.join(SOCKET);
        let listener = UnixListener::bind(&socket)?;
        let state = Arc::new(Mutex::new(DeskState {
            tools: TurnTools::new(setup),
            until: None,
            told: Instant::now(),
            longest_thought: Duration::ZERO,
            stamps: Vec::new(),
            said: TurnDraft::default(),
            key: String::new(),
            blind: Vec::new(),
        }));
        let is_closed = Arc::new(AtomicBool::new(false));
        let (served, closed) = (Arc::clone(&state), Arc::clone(&is_closed));
        let mailbox = folder.to_path_buf();
        let serve = move || {
            for caller in listener.incoming() {
                if closed.load(Ordering::Acquire) {
                    return;
                }
                // Whoever breaks off, or sends what is no call, is not answered.
                if let Ok(caller) = caller {
                    let _ = serve_call(&caller, &served, &mailbox);
                }
            }
        };
        let thread = std::thread::Builder::new()
            .name("look-ups".to_owned())
            .spawn(serve)?;
        Ok(Self {
            socket,
            folder: folder.to_path_buf(),
            state,
            is_closed,
            thread: Some(thread),
        })
    }

    /// A turn of so many milliseconds begins.
    pub(crate) fn begin_turn(&self, timeout_ms: u64) {
        let mut state = lock(&self.state);
        state.tools.begin_turn();
        state.stamps.clear();
        state.blind.clear();
        (state.told, state.longest_thought) = (Instant::now(), Duration::ZERO);
        state.until = Some(Instant::now() + Duration::from_millis(timeout_ms));
    }

    /// The judge answers in words, in which a whole answer holds `key`.
    pub(crate) fn listen(&self, said: &TurnDraft, key: &str) {
        let mut state = lock(&self.state);
        state.said = said.clone();
        key.clone_into(&mut state.key);
    }

    /// Says of the last calls of the turn which ones were asked for in one breath with the vote.
    pub(crate) fn mark_blind(&self, blind: Vec<bool>) {
        lock(&self.state).blind = blind;
    }

    /// The turn is over: what was looked up in it stands in its usage. What was read after the verdict was submitted,
    /// or said in words, is no part of what the judge had seen when it voted.
    pub(crate) fn end_turn(&self, usage: Option<Usage>) -> Option<Usage> {
        let mut state = lock(&self.state);
        state.until = None;
        let mut calls = state.tools.take_calls();
        let counted = VerdictStamp::now(&self.folder);
        let answer = state.said.find_answer(&state.key);
        for (call, stamp) in calls.iter_mut().zip(&state.stamps) {
            let is_late = match counted {
                Some(_) => stamp.verdict == counted,
                None => answer.is_some_and(|begins| stamp.said > begins),
            };
            if is_late {
                call.seen.clear();
            }
        }
        for at in blind_calls(calls.len(), &state.blind) {
            calls[at].seen.clear();
        }
        state.said = TurnDraft::default();
        if calls.is_empty() {
            return usage;
        }
        let mut usage = usage.unwrap_or_default();
        usage.tool_calls.extend(calls);
        Some(usage)
    }
}

/// The calls, of so many, that were made blindly. Where more were asked for than came, it is not known which ones those
/// are: then none counts from the first blind one on.
fn blind_calls(calls: usize, blind: &[bool]) -> Vec<usize> {
    let Some(first) = blind.iter().position(|is_blind| *is_blind) else {
        return Vec::new();
    };
    if blind.len() > calls {
        return (calls.saturating_sub(blind.len() - first)..calls).collect();
    }
    let earlier = calls - blind.len();
    let marked = blind.iter().enumerate().filter(|(_, is_blind)| **is_blind);
    marked.map(|(at, _)| earlier + at).collect()
}

impl Drop for LookUpDesk {
    fn drop(&mut self) {
        self.is_closed.store(true, Ordering::Release);
        // The thread waits for a caller: this is the last one.
        let woken = UnixStream::connect(&self.socket).is_ok();
        if let Some(thread) = self.thread.take().filter(|_| woken) {
            let _ = thread.join();
        }
        let _ = std::fs::remove_file(&self.socket);
    }
}

fn serve_call(caller: &UnixStream, state: &Mutex<DeskState>, folder: &Path) -> io::Result<()> {
    let call: DeskCall = read_line(caller)?;
    let reply = {
        let mut state = lock(state);
        match state.until {
            Some(until) => {
                let stamp = CallStamp {
                    verdict: VerdictStamp::now(folder),
                    said: state.said.len(),
                };
                state.longest_thought = state.longest_thought.max(state.told.elapsed());
                let left = until.saturating_duration_since(Instant::now());
                if is_late(left, state.longest_thought) {
                    state.tools.make_next_last();
                }
                let answer = state
                    .tools
                    .answer_call(&call.tool, &Ok(call.arguments), until);
                let calls = state.tools.call_count();
                state.stamps.resize(calls, stamp);
                state.told = Instant::now();
                DeskReply {
                    text: answer.text,
                    failed: answer.failed,
                }
            }
            None => DeskReply {
                text: "no turn is under way".to_owned(),
                failed: true,
            },
        }
    };
    write_line(caller, &reply)
}

/// Whether there is a desk at a mailbox.
pub(super) fn is_open(folder: &Path) -> bool {
    folder.join(SOCKET).exists()
}

/// Asks the desk of a mailbox.
///
/// # Errors
/// For the model, which may try again.
pub(super) fn ask(folder: &Path, tool: &str, arguments: &Value) -> Result<String, String> {
    let asked = || -> io::Result<DeskReply> {
        let desk = UnixStream::connect(folder.join(SOCKET))?;
        let call = DeskCall {
            tool: tool.to_owned(),
            arguments: match arguments {
                Value::Null => Value::Object(serde_json::Map::new()),
                arguments => arguments.clone(),
            },
        };
        write_line(&desk, &call)?;
        read_line(&desk)
    };
    match asked() {
        Ok(reply) if reply.failed => Err(reply.text),
        Ok(reply) => Ok(reply.text),
        Err(error) => Err(format!("nothing can be looked up: {error}")),
    }
}

fn read_line<T: for<'de> Deserialize<'de>>(from: &UnixStream) -> io::Result<T> {
    from.set_read_timeout(Some(LINE_TIMEOUT))?;
    let mut line = String::new();
    BufReader::new(from.take(MAX_CALL_BYTES)).read_line(&mut line)?;
    Ok(serde_json::from_slice(line.as_bytes())?)
}

fn write_line(mut to: &UnixStream, message: &impl Serialize) -> io::Result<()> {
    to.set_write_timeout(Some(LINE_TIMEOUT))?;
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    to.write_all(&line)
}

fn lock(state: &Mutex<DeskState>) -> MutexGuard<'_, DeskState> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::tools::{CodeTools, QueryBounds, QueryResult, ToolQuery};

    struct Names;

    impl CodeTools for Names {
        fn run_query(&self, query: &ToolQuery, _: &QueryBounds) -> QueryResult {
            QueryResult {
                text: Ok(format!("{query:?}")),
                asked: "x".to_owned(),
                seen: vec![council_protocol::SeenLines::default()],
            }
        }
    }

    fn desk(folder: &Path) -> LookUpDesk {
        let setup = ToolSetup {
            runner: Arc::new(Names),
            judge: "judge-1".into(),
            max_calls: 2,
        };
        LookUpDesk::open(folder, setup).unwrap()
    }

    #[test]
    fn a_client_looks_things_up_within_its_turn_and_its_calls_are_told() {
        let folder = tempfile::tempdir().unwrap();
        assert!(!is_open(folder.path()));
        let desk = desk(folder.path());
        let list = |glob: &str| ask(folder.path(), "list", &json!({ "glob": glob }));
        assert_eq!(list("*"), Err("no turn is under way".to_owned()));
        desk.begin_turn(60_000);
        assert!(
            list("*.rs")
                .unwrap()
                .starts_with("List { glob: Some(\"*.rs\") }")
        );
        assert!(ask(folder.path(), "sh", &Value::Null).is_err());
        assert!(list("*").unwrap_err().contains("answer the task now"));
        let usage = desk.end_turn(None).unwrap();
        let tools: Vec<_> = usage
            .tool_calls
            .iter()
            .map(|call| call.tool.as_str())
            .collect();
        assert_eq!(tools, ["list", "sh", "list"]);
        assert_eq!(desk.end_turn(None), None);
        drop(desk);
        assert!(!is_open(folder.path()));
    }

    /// What is read behind the vote that counts was not seen by it; a vote that is replaced by a later one does not
    /// count.
    #[test]
    fn only_what_was_read_before_the_last_verdict_is_seen() {
        for after in 0..=2 {
            let folder = tempfile::tempdir().unwrap();
            let desk = desk(folder.path());
            desk.begin_turn(60_000);
            for number in 0..=2 {
                if number <= after {
                    let beside = folder.path().join("new");
                    std::fs::write(&beside, "{}").unwrap();
                    std::fs::rename(&beside, folder.path().join(super::super::VERDICT_FILE))
                        .unwrap();
                }
                if number < 2 {
                    ask(folder.path(), "list", &json!({ "glob": "*" })).unwrap();
                }
            }
            let calls = desk.end_turn(None).unwrap().tool_calls;
            let seen: Vec<bool> = calls.iter().map(|call| !call.seen.is_empty()).collect();
            assert_eq!(seen, [after > 0, after > 1], "{after}");
        }
    }

    /// Look-ups end while there is time for the answer: the last one says so.
    #[test]
    fn a_judge_that_thinks_long_is_told_to_answer_in_time() {
        let folder = tempfile::tempdir().unwrap();
        let desk = desk(folder.path());
        let list = || ask(folder.path(), "list", &json!({ "glob": "*" }));
        desk.begin_turn(900);
        std::thread::sleep(Duration::from_millis(300));
        assert!(list().unwrap().contains("answer the task now"));
        assert!(list().unwrap_err().contains("answer the task now"));
        desk.begin_turn(60_000);
        std::thread::sleep(Duration::from_millis(300));
        assert!(!list().unwrap().contains("answer the task now"));
    }

    proptest! {
        /// A vote is blind to what was asked for beside it, however many calls came to the desk before and however many of
        /// those beside it never came.
        #[test]
        fn no_call_beside_a_vote_is_taken_for_one_before_it(
            earlier in 0_usize..4, seen in 0_usize..4, blind in 0_usize..4, lost in 0_usize..3,
        ) {
            let flags: Vec<bool> = [vec![false; seen], vec![true; blind]].concat();
            let calls = (earlier + seen + blind).saturating_sub(if earlier == 0 { lost } else { 0 });
            let cleared = blind_calls(calls, &flags);
            let first = earlier + seen;
            prop_assert!((first..calls).all(|at| cleared.contains(&at)), "{:?}", cleared);
            if calls == earlier + seen + blind {
                prop_assert_eq!(cleared, (first..calls).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn whoever_sends_no_call_keeps_nobody_waiting() {
        let folder = tempfile::tempdir().unwrap();
        let desk = desk(folder.path());
        desk.begin_turn(60_000);
        let path = folder.path().join(SOCKET);
        for noise in ["", "{}\n", "nonsense\n"] {
            let mut caller = UnixStream::connect(&path).unwrap();
            caller.write_all(noise.as_bytes()).unwrap();
        }
        assert!(ask(folder.path(), "list", &Value::Null).is_ok());
    }
}
