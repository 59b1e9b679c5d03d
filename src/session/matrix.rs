//! A council in stages: the jobs of a matrix are its judges, joined by the files of the run alone.
//!
//! Nothing waits here. [`advance`] convenes the council of a stored plan again and hands it every reply that lies in the run's
//! folder; the engine gives out the same turns with the same keys each time, so that a stage goes on where the last one
//! ended. What was not given out yet is due: its files are written, and a job answers it (`git council judge`). What was given
//! out and has no reply is an abstention: its job is over. Nor can a job be asked again to mend what it said.

use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::io::{self, Read as _};
use std::path::Path;
use std::sync::Arc;

use council_builtin::BuiltinJudge;
use council_protocol::message::Ending;
use council_protocol::worker::{self, ReplyFile, WorkerReply};
use council_protocol::{
    BlobSource, Failure, FailureKind, JudgeId, JudgeSpec, Packet, Seat, Task, Turn, TurnId,
};
use council_secrets::Redactor;
use serde::{Deserialize, Serialize};

use super::prove::QuoteProver;
use super::setting::PromptRenderer;
use super::stored;
use super::worker::reply_subject;
use crate::council::reproduction::ReproductionResult;
use crate::council::{Action, Council, Input, Outcome, Plan};
use crate::packet::sha256;
use crate::safe_file;

/// The plan's name in the run's folder.
const PLAN_FILE: &str = "plan.json";

/// What a reply may be larger than the answer in it, as a factor: JSON escapes.
const ESCAPE_FACTOR: u64 = 6;

/// A turn that a job is to answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct DueTurn {
    pub judge: JudgeId,
    pub turn: u32,
    /// The name of the judge's agent: its job holds the keys of this one alone.
    pub agent: String,
}

/// Where a council stands after a stage.
#[derive(Debug)]
pub(crate) enum MatrixStage {
    /// These turns are to be answered first.
    Due(Vec<DueTurn>),
    /// It has come to its end.
    Over(Box<Outcome>),
}

/// What a stage works with.
pub(crate) struct MatrixContext<'a> {
    /// The run's folder.
    pub run: &'a Path,
    /// What is under review.
    pub packet: Arc<Packet>,
    /// The files of its two sides.
    pub blobs: Arc<dyn BlobSource>,
    /// Takes secrets out of files as they are taken out of briefs.
    pub redactor: Redactor,
    /// Renders what agents read as text; none where no seat needs it, or where no turn is given out any more.
    pub prompter: Option<&'a dyn PromptRenderer>,
    /// The most bytes of one answer.
    pub max_answer_bytes: u64,
    /// The digest of the packet's folder: whatever answers another one does not belong to this run.
    pub packet_digest: String,
}

/// Writes the plan of a council.
///
/// # Errors
///
/// What the disk says.
pub(crate) fn store_plan(run: &Path, plan: &Plan) -> io::Result<()> {
    write_file(&run.join(PLAN_FILE), &stored::plan_to_bytes(plan))
}

/// The digest of the plan as it lies there.
///
/// # Errors
///
/// What the disk says.
pub(crate) fn plan_digest(run: &Path) -> io::Result<String> {
    Ok(sha256(&safe_file::read(run.join(PLAN_FILE))?))
}

/// Reads it again. `digest`: what it was when it was written.
///
/// # Errors
///
/// What the disk says, a plan that is none, and another one.
pub(crate) fn load_plan(run: &Path, digest: &str) -> io::Result<Plan> {
    let bytes = safe_file::read(run.join(PLAN_FILE))?;
    if sha256(&bytes) != digest {
        let why = format!("{PLAN_FILE} is another one than was planned: it belongs to another run");
        return Err(io::Error::other(why));
    }
    stored::parse_plan(&bytes).map_err(io::Error::other)
}

/// Brings a council as far as its replies go. In the last stage nothing is given out any more.
///
/// # Errors
///
/// What the disk says; and a council that neither asks nor ends.
pub(crate) fn advance_council(
    desk: &MatrixContext<'_>,
    plan: Plan,
    last: bool,
) -> io::Result<MatrixStage> {
    desk.refuse_strangers(&plan)?;
    let mut judging = MatrixCouncil {
        desk,
        last,
        seats: plan
            .seats
            .iter()
            .map(|planned| &planned.seat)
            .cloned()
            .collect(),
        prover: QuoteProver::new(
            Arc::clone(&desk.packet),
            Arc::clone(&desk.blobs),
            desk.redactor.clone(),
        ),
        said: BTreeMap::new(),
        rules: BTreeMap::new(),
        due: Vec::new(),
    };
    let (mut council, first) = Council::convene(plan);
    let mut actions = VecDeque::from(first);
    while let Some(action) = actions.pop_front() {
        match action {
            Action::Conclude { outcome } => return Ok(MatrixStage::Over(outcome)),
            // Jobs have clocks of their own; the council's stands still.
            action => {
                if let Some(input) = judging.perform_action(action)? {
                    actions.extend(council.handle(input, 0));
                }
            }
        }
    }
    if judging.due.is_empty() {
        Err(io::Error::other("the council neither asks nor ends"))
    } else {
        Ok(MatrixStage::Due(judging.due))
    }
}

/// A council that is brought forward.
struct MatrixCouncil<'a> {
    desk: &'a MatrixContext<'a>,
    last: bool,
    seats: Vec<Seat>,
    prover: QuoteProver,
    /// What each judge said so far: the job of its next turn knows nothing of it.
    said: BTreeMap<JudgeId, Vec<Arc<str>>>,
    /// The built-in judges: they cost nothing, so that nobody else's word is taken for theirs.
    rules: BTreeMap<JudgeId, BuiltinJudge>,
    due: Vec<DueTurn>,
}

impl MatrixCouncil<'_> {
    /// What comes of an action; none: nothing, or nothing yet.
    fn perform_action(&mut self, action: Action) -> io::Result<Option<Input>> {
        Ok(Some(match action {
            Action::Spawn { judge } => {
                if let Some(seat) = self.seats.iter().find(|seat| seat.judge == judge) {
                    self.desk.write_seat(seat)?;
                }
                Input::Started { judge }
            }
            Action::Send {
                judge,
                turn,
                round,
                key,
                task,
                timeout_ms,
            } => {
                let asked = Turn {
                    id: turn,
                    round,
                    key,
                    task,
                    prompt: String::new(),
                    timeout_ms,
                    spend: None,
                };
                return self.take_reply(judge, asked);
            }
            Action::Prove {
                claim,
                location,
                quote,
            } => {
                let (proof, context) = self.prover.prove_quote(&location, &quote);
                let function = self.prover.function_of(&location, &proof);
                let quoted = self.prover.quoted_lines(&location, &quote, &proof);
                Input::Proved {
                    claim,
                    proof,
                    context,
                    nearest: None,
                    function,
                    quoted,
                }
            }
            // Helpers live in the judge's own backend, and a job has none.
            Action::Explore { judge, .. } => Input::Explored {
                judge,
                results: Vec::new(),
                usage: None,
            },
            Action::Reproduce { id, .. } => Input::Reproduced {
                id,
                result: ReproductionResult::not_run("the jobs of a matrix run no tests"),
            },
            Action::Shutdown { judge, .. } => Input::Ended {
                judge,
                ending: Ending::Graceful,
            },
            Action::Share { .. }
            | Action::CancelTurn { .. }
            | Action::SetDeadline { .. }
            | Action::Record { .. }
            | Action::Minutes { .. }
            | Action::Log { .. }
            | Action::Conclude { .. } => return Ok(None),
        }))
    }

    /// The reply to a turn; none: it is due now.
    fn take_reply(&mut self, judge: JudgeId, turn: Turn) -> io::Result<Option<Input>> {
        let id = turn.id;
        let failed = |judge, kind, why: &str| Input::Failed {
            judge,
            turn: Some(id),
            failure: Failure::new(kind, why),
        };
        if let Task::Mend { error, .. } = &turn.task {
            let kind = FailureKind::Malformed;
            let error = error.strip_prefix(&format!("{kind}: ")).unwrap_or(error);
            return Ok(Some(failed(judge, kind, error)));
        }
        let was_given_out = worker::turn_file(self.desk.run, &judge, id).is_file();
        let file = self.desk.read_reply(&judge, id)?;
        let claim = file.map(|file| self.desk.check_subject(file, &judge, id));
        // Whoever could change a job could have written it.
        let reply = claim.transpose()?;
        let reply = reply.map(|claim| self.answer_of_rules(&judge, &turn).unwrap_or(claim));
        Ok(Some(match reply {
            Some(WorkerReply::Answered { raw, usage }) => {
                let raw: Arc<str> = raw.into();
                let said = self.said.entry(judge.clone()).or_default();
                said.push(Arc::clone(&raw));
                Input::Answered {
                    judge,
                    turn: id,
                    raw,
                    usage,
                }
            }
            Some(WorkerReply::Failed { failure }) => Input::Failed {
                judge,
                turn: Some(id),
                failure,
            },
            None if was_given_out => failed(judge, FailureKind::Died, "its job left no reply"),
            None if self.last => failed(judge, FailureKind::Died, "no job was given its turn"),
            None => {
                let seat = self.seats.iter().find(|seat| seat.judge == judge);
                let said = self.said.get(&judge).map_or(&[][..], Vec::as_slice);
                self.desk.write_turn(&judge, turn, seat, said)?;
                let agent = seat.map_or_else(String::new, |seat| seat.agent.name.to_string());
                let turn = id.0;
                self.due.push(DueTurn { judge, turn, agent });
                return Ok(None);
            }
        }))
    }
}

impl MatrixCouncil<'_> {
    /// What a built-in judge says over the packet; none: the seat is another's.
    fn answer_of_rules(&mut self, judge: &JudgeId, turn: &Turn) -> Option<WorkerReply> {
        if !self.rules.contains_key(judge) {
            let seat = self.seats.iter().find(|seat| seat.judge == *judge)?;
            let (packet, blobs) = (Arc::clone(&self.desk.packet), Arc::clone(&self.desk.blobs));
            let rules = BuiltinJudge::new(seat, packet, blobs).ok()?;
            self.rules.insert(judge.clone(), rules);
        }
        let raw = self.rules.get_mut(judge)?.take_turn(turn);
        Some(WorkerReply::Answered { raw, usage: None })
    }
}

impl MatrixContext<'_> {
    fn write_seat(&self, seat: &Seat) -> io::Result<()> {
        let path = worker::seat_file(self.run, &seat.judge);
        if path.is_file() {
            return Ok(());
        }
        safe_file::make_folder_for_owner(&worker::judge_folder(self.run, &seat.judge))?;
        let brief = match self.prompter {
            Some(prompter) if seat.agent.kind.reads_text() => prompter.render_brief(seat),
            _ => "".into(),
        };
        let spec = JudgeSpec {
            seat: seat.clone(),
            brief,
            room: None,
            max_answer_bytes: self.max_answer_bytes,
            // A job begins each turn anew: there is no conversation to keep.
            proves: false,
        };
        write_file(&path, &serde_json::to_vec(&spec)?)
    }

    fn write_turn(
        &self,
        judge: &JudgeId,
        mut turn: Turn,
        seat: Option<&Seat>,
        said: &[Arc<str>],
    ) -> io::Result<()> {
        if let (Some(seat), Some(prompter)) = (
            seat.filter(|seat| seat.agent.kind.reads_text()),
            self.prompter,
        ) {
            turn.prompt = prompter
                .render_prompt(seat, &turn, 0)
                .map_err(io::Error::other)?;
            if !said.is_empty() {
                let reminder = prompter
                    .render_reminder(seat, said)
                    .map_err(io::Error::other)?;
                turn.prompt = reminder + &turn.prompt;
            }
        }
        write_file(
            &worker::turn_file(self.run, judge, turn.id),
            &serde_json::to_vec(&turn)?,
        )
    }

    /// Whoever is no judge of the plan leaves nothing in its folder: there are replies of another run in it.
    fn refuse_strangers(&self, plan: &Plan) -> io::Result<()> {
        let folders = match fs::read_dir(self.run.join("workers")) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            other => other?,
        };
        for folder in folders {
            let name = folder?.file_name();
            if !plan
                .seats
                .iter()
                .any(|planned| *planned.seat.judge.as_str() == *name)
            {
                let name = name.to_string_lossy();
                let why = format!(
                    "workers/{name} is of no judge of this plan: it belongs to another run"
                );
                return Err(io::Error::other(why));
            }
        }
        Ok(())
    }

    /// A reply, if it answers the question that lies beside it. One about another packet is an error: a verdict over it would
    /// be one about another change.
    fn check_subject(
        &self,
        file: ReplyFile,
        judge: &JudgeId,
        turn: TurnId,
    ) -> io::Result<WorkerReply> {
        if matches!(file.reply, WorkerReply::Failed { .. }) {
            return Ok(file.reply);
        }
        let refused = |why: &str| {
            let again = format!(
                "git council judge --run FOLDER --judge {judge} --turn {}",
                turn.0
            );
            Err(io::Error::other(format!(
                "the reply of {judge} {why}; judge again: {again}"
            )))
        };
        match file.about {
            None => refused("does not say which packet it is about"),
            Some(about) if about.packet != self.packet_digest => refused(
                "is about another packet: its job had the files of another run, or of an earlier commit",
            ),
            Some(about) if about != reply_subject(self.run, judge, turn)? => {
                let why = "its job answered another question";
                let failure = Failure::new(FailureKind::Malformed, why);
                Ok(WorkerReply::Failed { failure })
            }
            Some(_) => Ok(file.reply),
        }
    }

    /// What a job left: a file of another machine, so it is bounded, and anything but a reply is none.
    fn read_reply(&self, judge: &JudgeId, turn: TurnId) -> io::Result<Option<ReplyFile>> {
        let most = self
            .max_answer_bytes
            .saturating_mul(ESCAPE_FACTOR)
            .saturating_add(1 << 16);
        let file = match safe_file::open_to_read(worker::reply_file(self.run, judge, turn)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            other => other?,
        };
        let mut bytes = Vec::new();
        file.take(most).read_to_end(&mut bytes)?;
        let failed = |_| ReplyFile {
            reply: WorkerReply::Failed {
                failure: Failure::new(
                    FailureKind::Malformed,
                    "its job left something else than a reply",
                ),
            },
            about: None,
        };
        Ok(Some(serde_json::from_slice(&bytes).unwrap_or_else(failed)))
    }
}

fn write_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    safe_file::write_file_for_owner(path, bytes)
}
