//! The reply of a worker, on disk while it is still being given: whoever ends this process (a time limit, a CI service, a
//! full machine) must not turn an objection into silence.

use std::cell::{LazyCell, RefCell};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use council_agents::StopSignal;
use council_protocol::worker::{ReplyFile, ReplySubject, WorkerReply, reply_file};
use council_protocol::{Failure, FailureKind, JudgeId, Location, TurnId};
use council_secrets::Redactor;

use super::handed::HandedValues;
use super::prove::QuoteProver;
use super::worker::{open_packet, parse_json};
use crate::safe_file::FileWriter;

/// How often it is looked whether more was said.
const LOOK: Duration = Duration::from_millis(250);

/// Where the reply to one turn is written. It can be cloned: all clones write the same reply.
#[derive(Clone)]
pub(super) struct ReplyDesk {
    run: PathBuf,
    path: PathBuf,
    about: Option<ReplySubject>,
    redactor: Redactor,
    /// What was said in an earlier reply to the same question: whoever runs a job again must not make an objection unsaid.
    earlier: Vec<String>,
    /// The reply that was written last.
    state: Arc<Mutex<WrittenReply>>,
}

#[derive(Default)]
struct WrittenReply {
    draft: Option<Failure>,
    is_last: bool,
}

impl ReplyDesk {
    pub(super) fn new(
        run: &Path,
        judge: &JudgeId,
        turn: TurnId,
        about: Option<ReplySubject>,
        redactor: &Redactor,
    ) -> Self {
        let path = reply_file(run, judge, turn);
        Self {
            run: run.to_path_buf(),
            earlier: said_earlier(&path, about.as_ref()),
            path,
            about,
            redactor: redactor.clone(),
            state: Arc::default(),
        }
    }

    /// Writes what the turn came to; nothing is written after it.
    pub(super) fn write_last(&self, reply: WorkerReply) -> io::Result<WorkerReply> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.is_last = true;
        self.write(reply)
    }

    /// Writes what was said in the turn so far, as the reply of a judge that got no further.
    fn write_draft(&self, stop: &StopSignal) {
        let (said, spent) = stop.said_so_far();
        if said.is_empty() && spent.is_none() {
            return;
        }
        let why = "its process was ended before it had answered";
        let failure = Failure::new(FailureKind::Died, why).with_usage(spent);
        let failure = failure.with_drafts(said);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.is_last || state.draft.as_ref() == Some(&failure) {
            return;
        }
        state.draft = Some(failure.clone());
        // A disk that fails is told when the last reply is written.
        let _ = self.write(WorkerReply::Failed { failure });
    }

    /// Keeps on disk what is said, until the guard is dropped; at once where the turn is stopped.
    pub(super) fn keep_drafts(&self, stop: &StopSignal) -> DraftKeeping {
        let (desk, raised) = (self.clone(), stop.clone());
        stop.on_raise(move || desk.write_draft(&raised));
        let (alive, over) = channel();
        let (desk, stop) = (self.clone(), stop.clone());
        let thread = thread::spawn(move || {
            while over.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                desk.write_draft(&stop);
            }
        });
        DraftKeeping {
            alive: Some(alive),
            thread: Some(thread),
        }
    }

    /// Tells beside a reply what an earlier one said.
    fn add_earlier(&self, reply: &mut WorkerReply) {
        let said =
            |text: &String| matches!(&*reply, WorkerReply::Answered { raw, .. } if raw == text);
        let earlier: Vec<String> = self
            .earlier
            .iter()
            .filter(|text| !said(text))
            .cloned()
            .collect();
        if earlier.is_empty() {
            return;
        }
        match reply {
            WorkerReply::Answered { usage, .. } => {
                usage.get_or_insert_default().unread.extend(earlier);
            }
            WorkerReply::Failed { failure } => *failure = failure.clone().with_drafts(earlier),
        }
    }

    fn write(&self, mut reply: WorkerReply) -> io::Result<WorkerReply> {
        // Few answers hold a key, and only those are compared with the change.
        let prover = LazyCell::new(|| {
            let (packet, blobs) = open_packet(&self.run).ok()?;
            let prover = QuoteProver::new(Arc::new(packet), Arc::new(blobs), self.redactor.clone());
            Some(RefCell::new(prover))
        });
        let is_reviewed = |text: &str, places: &[Location]| {
            let prover = prover.as_ref();
            prover.is_some_and(|prover| prover.borrow_mut().is_reviewed(text, places))
        };
        HandedValues::new(&self.redactor, &is_reviewed).take_out_of_reply(&mut reply);
        self.add_earlier(&mut reply);
        let bytes = serde_json::to_vec(&ReplyFile {
            reply: reply.clone(),
            about: self.about.clone(),
        })?;
        FileWriter::new(&self.path)
            .for_owner()
            .synced()
            .write(&bytes)?;
        Ok(reply)
    }
}

/// The most texts of earlier replies that are kept.
const MAX_EARLIER: usize = 8;

/// What a reply that lies there says, if it is one to this question; its secrets were taken out when it was written.
fn said_earlier(path: &Path, about: Option<&ReplySubject>) -> Vec<String> {
    let file: Option<ReplyFile> = parse_json(path).ok();
    let Some(file) = file.filter(|file| about.is_some() && file.about.as_ref() == about) else {
        return Vec::new();
    };
    let (said, usage) = match file.reply {
        WorkerReply::Answered { raw, usage } => (Some(raw), usage),
        WorkerReply::Failed { failure } => (None, failure.usage.map(|usage| *usage)),
    };
    let unread = usage.map(|usage| usage.unread).unwrap_or_default();
    said.into_iter().chain(unread).take(MAX_EARLIER).collect()
}

/// While it lives, what a judge says is kept.
pub(super) struct DraftKeeping {
    alive: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for DraftKeeping {
    fn drop(&mut self) {
        drop(self.alive.take());
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has nothing more to keep.
            let _ = thread.join();
        }
    }
}
