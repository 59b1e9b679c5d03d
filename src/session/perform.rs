//! What the engine wants done is done.

use std::io;
use std::time::Duration;

use council_protocol::message::Ending;
use council_protocol::task::Peer;
use council_protocol::{
    Answer, BackendError, Failure, FailureKind, JudgeId, JudgeSpec, Location, Message, Request,
    RoundNumber, Task, Turn, worker,
};

use super::drive::SessionState;
use super::reproduce::ReproductionTask;
use super::setting::MINUTES_FILE;
use super::world::WriteDurability;
use crate::council::plan::Procedure;
use crate::council::reproduction::ReproductionResult;
use crate::council::{Action, CancelCause, ClaimId, Input, Outcome};

/// Why a test is not run for which judges were asked.
const NO_RUNNER: &str = "nothing here runs tests of judges any more";

impl SessionState<'_> {
    /// Does one thing. What comes of it comes back as an input.
    pub(super) fn perform_action(&mut self, action: Action) {
        let Some(action) = self.defer_action(action) else {
            return;
        };
        if let Some(known) = self.past.answer_to(&action) {
            return self.queue_input(known);
        }
        match action {
            Action::Spawn { judge } => self.spawn_judge(judge),
            Action::Send {
                judge,
                turn,
                round,
                key,
                task,
                timeout_ms,
            } => {
                let prompt = String::new();
                let turn = Turn {
                    id: turn,
                    round,
                    key,
                    task,
                    prompt,
                    timeout_ms,
                    spend: None,
                };
                self.send_turn(judge, turn);
            }
            Action::Share { judge, peer } => self.share_peer(&judge, &peer),
            Action::Explore {
                judge,
                questions,
                timeout_ms,
            } => self.seat_explorers(judge, questions, timeout_ms),
            Action::CancelTurn { judge } => self.call_backend(Request::Cancel { judge }),
            Action::Prove {
                claim,
                location,
                quote,
            } => self.prove_claim(claim, &location, &quote),
            Action::Reproduce {
                id,
                reproduction,
                suggestion,
                place,
            } => {
                let (suggestion, place) = (suggestion.map(|s| *s), place.map(|p| *p));
                self.start_reproduction((id, *reproduction, suggestion, place));
            }
            Action::SetDeadline { timer, at } => drop(self.timers.insert(timer, at)),
            Action::Record {
                judge,
                round,
                answer,
            } => self.record_answer(&judge, round, &answer),
            Action::Minutes { so_far } => self.write_minutes(*so_far),
            Action::Log { line } => self.log_line(line),
            Action::Shutdown { judge, grace_ms } => {
                self.call_backend(Request::Shutdown { judge, grace_ms })
            }
            Action::Conclude { outcome } => self.outcome = Some(outcome),
        }
    }

    fn spawn_judge(&mut self, judge: JudgeId) {
        self.seating.on_asked(judge.clone());
        let Some(seat) = self.find_seat(&judge).map(|planned| planned.seat.clone()) else {
            return;
        };
        let brief = match self.setting.prompter.as_deref() {
            _ if !seat.agent.kind.reads_text() => "".into(),
            Some(prompter) => prompter.render_brief(&seat),
            None => {
                let detail = "its agent reads text, and nothing renders a brief here";
                return self.on_judge_lost(judge, Failure::new(FailureKind::Unsupported, detail));
            }
        };
        let spec = JudgeSpec {
            room: self.setting.rooms.folder_for(&seat),
            seat,
            brief,
            max_answer_bytes: self.setting.max_answer_bytes,
            proves: self.is_proving(),
        };
        self.call_backend(Request::Spawn { spec });
    }

    fn send_turn(&mut self, judge: JudgeId, mut turn: Turn) {
        let is_mending = matches!(turn.task, Task::Mend { .. });
        let said = match self.is_fresh(&judge) {
            // Each task of a staged debate holds the last word of its judge already.
            true if self.plan().procedure == Procedure::Staged && !is_mending => {
                let has_said = self.past.said.contains_key(&judge);
                has_said.then(Vec::new)
            }
            true => self.past.said.get(&judge).cloned(),
            false => self.past.said.remove(&judge),
        };
        let planned = self.find_seat(&judge);
        let planned = planned.filter(|planned| planned.seat.agent.kind.reads_text());
        if let (Some(planned), Some(prompter)) = (planned, &self.setting.prompter) {
            let explorers = self.explorers_of(planned);
            let shown = self.with_peer_paths(&judge, &turn);
            let mut text = prompter.render_prompt(&planned.seat, &shown, explorers);
            // Whoever has no memory must be told again what it is that it is to mend.
            if let Some(asked) = self.task_to_mend(&judge, &turn) {
                let task = prompter.render_prompt(&planned.seat, &asked, explorers);
                text = text.and_then(|text| Ok(format!("{}\n{text}", task?)));
            }
            let text = match said {
                Some(said) => text
                    .and_then(|text| Ok(prompter.render_reminder(&planned.seat, &said)? + &text)),
                None => text,
            };
            match text {
                Ok(prompt) => turn.prompt = prompt,
                Err(detail) => {
                    let failure = Failure::new(FailureKind::Unsupported, detail);
                    let turn = Some(turn.id);
                    return self.queue_input(Input::Failed {
                        judge,
                        turn,
                        failure,
                    });
                }
            }
        }
        if self.is_fresh(&judge) && !is_mending {
            self.past.asked.insert(judge.clone(), turn.clone());
        }
        self.roll.on_sent(judge.clone(), turn.id);
        let message = Message::Turn { judge, turn };
        self.call_backend(Request::Send { message });
    }

    /// What a judge without memory was asked before it is asked to mend its answer.
    fn task_to_mend(&self, judge: &JudgeId, turn: &Turn) -> Option<Turn> {
        let is_mending = matches!(turn.task, Task::Mend { .. }) && self.is_fresh(judge);
        let asked = self.past.asked.get(judge).filter(|_| is_mending)?;
        Some(self.with_peer_paths(judge, asked))
    }

    /// A turn as it is told: the files of the others' answers lie in the judge's own folder, which it has to know.
    fn with_peer_paths(&self, judge: &JudgeId, turn: &Turn) -> Turn {
        let mut turn = turn.clone();
        let Some(run) = self.setting.run.folder.as_deref() else {
            return turn;
        };
        let folder = worker::judge_folder(run, judge);
        let peers: Vec<&mut Peer> = match &mut turn.task {
            Task::Debate { peers, .. } | Task::CrossReview { peers, .. } => {
                peers.iter_mut().collect()
            }
            Task::Examine { councillors, .. } => {
                councillors.iter_mut().map(|c| &mut c.peer).collect()
            }
            _ => Vec::new(),
        };
        for file in peers.into_iter().filter_map(|peer| peer.file.as_mut()) {
            *file = folder.join(&*file).display().to_string();
        }
        turn
    }

    /// Asks everybody who is there to end.
    pub(super) fn shut_down_judges(&mut self, grace: Duration) {
        let grace_ms = u64::try_from(grace.as_millis()).unwrap_or(u64::MAX);
        for judge in self.roll.not_ended() {
            if self.roll.is_seated(&judge) {
                self.call_backend(Request::Shutdown { judge, grace_ms });
            }
        }
    }

    /// Calls the backend. A refusal is what the call would have led to.
    pub(super) fn call_backend(&mut self, mut request: Request) {
        if let Err(refused) = self.purse.before_request(&mut request, self.council_ms()) {
            return self.on_event((self.generation, *refused));
        }
        let called = match &mut self.current {
            Some(current) => current.make_call(request.clone()),
            None => Err(BackendError::Closed),
        };
        match (called, request) {
            (Ok(()), _) => {}
            (Err(BackendError::Closed), _) => self.backend_lost(),
            // Whoever cannot be asked to end is not there.
            (Err(_), Request::Shutdown { judge, .. }) => self.on_judge_ended(judge, Ending::Died),
            (Err(error), other) => self.on_event((self.generation, other.refusal_event(&error))),
        }
    }

    fn prove_claim(&mut self, claim: ClaimId, location: &Location, quote: &str) {
        let (proof, context) = self.prover.prove_quote(location, quote);
        let nearest = if proof.resolves() {
            None
        } else {
            self.prover.nearest_line(location, quote)
        };
        let function = self.prover.function_of(location, &proof);
        let quoted = self.prover.quoted_lines(location, quote, &proof);
        self.queue_input(Input::Proved {
            claim,
            proof,
            context,
            nearest,
            function,
            quoted,
        });
    }

    /// Has a test of a judge run; what comes of it comes back as an input. Judges are asked for tests only where they
    /// can be run: where they cannot any more (the run is resumed elsewhere, or the settings changed), it ends as it
    /// does where it is interrupted meanwhile, for the test might have proved a finding.
    fn start_reproduction(&mut self, task: ReproductionTask) {
        let id = task.0;
        if self.trials.enqueue(task).is_none() {
            let result = ReproductionResult::held_up(NO_RUNNER);
            self.queue_input(Input::Cancel {
                cause: CancelCause::Interrupted,
            });
            self.queue_input(Input::Reproduced { id, result });
        }
    }

    /// Puts a scrubbed answer into the judge's own folder.
    fn share_peer(&mut self, judge: &JudgeId, peer: &Peer) {
        let (Some(run), Some(file)) = (self.setting.run.folder.as_deref(), &peer.file) else {
            return;
        };
        let disk = self.world.disk();
        let folder = worker::judge_folder(run, judge);
        let below = folder.strip_prefix(run).unwrap_or(&folder);
        let bytes = crate::text::pretty_json(peer)
            .unwrap_or_default()
            .into_bytes();
        let shared = disk
            .make_dirs(run, below)
            .and_then(|()| disk.write_file(&folder.join(file), &bytes, WriteDurability::Cheap));
        if let Err(error) = shared {
            self.log_line(format!("cannot write {file} for {judge}: {error}"));
        }
    }

    /// Writes what has passed so far, over what had passed before: a run that dies leaves it behind.
    fn write_minutes(&mut self, so_far: Outcome) {
        let Some(minutes) = &self.setting.minutes else {
            return;
        };
        let (Some(path), Some(page)) = (
            self.setting.run.artefact_path(MINUTES_FILE),
            minutes(so_far),
        ) else {
            return;
        };
        let written = self
            .world
            .disk()
            .write_file(&path, page.as_bytes(), WriteDurability::Cheap);
        if let Err(error) = written {
            self.log_line(format!("cannot write {}: {error}", path.display()));
        }
    }

    /// Makes a file that an earlier process may have made.
    pub(super) fn recreate_file(&mut self, file: Action) {
        let made = match &file {
            Action::Record { judge, round, .. } => {
                self.setting.run.judge_artefact_path(judge, *round)
            }
            _ => None,
        };
        let is_there = made.is_some_and(|path| self.world.disk().read_file(&path).is_ok());
        if !is_there {
            self.perform_action(file);
        }
    }

    /// Writes the file of an answer, for people. The journal has it already, so a full disk costs the file only.
    fn record_answer(&mut self, judge: &JudgeId, round: RoundNumber, answer: &Answer) {
        let Some(seat) = self.find_seat(judge).map(|planned| &planned.seat) else {
            return;
        };
        let page = (self.setting.page)(seat, round, answer, &self.setting.redactor);
        let disk = self.world.disk();
        if let Some(filing) = &self.setting.filing {
            let Some(below) = (filing.name)(seat, round) else {
                return;
            };
            let path = filing.root.join(&below);
            let folder = below.parent().unwrap_or(&below);
            let written = disk
                .make_dirs(&filing.root, folder)
                .and_then(|()| disk.write_file(&path, page.as_bytes(), WriteDurability::Cheap));
            if let Err(error) = written {
                self.log_line(format!("cannot write {}: {error}", path.display()));
            }
            return;
        }
        let Some(path) = self.setting.run.judge_artefact_path(judge, round) else {
            return;
        };
        // A judge that says more within a round has its file of that round written again; nobody else's ever is.
        let written = if self.recorded.contains(&path) {
            disk.write_file(&path, page.as_bytes(), WriteDurability::Cheap)
        } else {
            disk.write_new(&path, page.as_bytes())
        };
        match written {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                self.log_line(format!("{} is there already and is kept", path.display()));
            }
            Err(error) => self.log_line(format!("cannot write {}: {error}", path.display())),
            Ok(()) => {
                self.recorded.insert(path);
            }
        }
    }
}
