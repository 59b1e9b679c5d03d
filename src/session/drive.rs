//! A council at work: what is known of it between two moments. Nothing here waits.

mod files;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;

use council_protocol::{Capability, Event, JudgeId, Millis};
use tokio::sync::mpsc::UnboundedSender;

use super::error::SessionError;
use super::explore::ExplorerPool;
use super::journal::{JournalEntry, JournalLine, JournalWriter};
use super::looked_up::LookUpRecord;
use super::opened::SessionBackend;
use super::progress::{ProgressEvent, ProgressKind, RunLabel};
use super::progress_teller::{JournalFollower, ProgressTeller, replied_judge};
use super::prove::QuoteProver;
use super::purse::Budget;
use super::reproduce::TrialDesk;
use super::resume::RunHistory;
use super::roll::JudgeRoster;
use super::seating::{GateDecision, SeatingGate};
use super::setting::{BackendFallback, BackendOffer, FinishedSession, SessionSetup};
use super::world::{FileAppender, SessionWorld};
use crate::council::plan::PlannedSeat;
use crate::council::{Action, Council, Input, Outcome, Plan, TimerId};

/// An event with the number of the backend that it comes from: the first offer is 1.
pub(super) type TaggedEvent = (u32, Event);

/// How often a backend is heard about itself, and how many characters at a time.
const MAX_COMPLAINTS: usize = 100;
const MAX_COMPLAINT_CHARS: usize = 1_000;

/// A council at work.
pub(super) struct SessionState<'a> {
    pub(super) world: &'a dyn SessionWorld,
    pub(super) setting: &'a SessionSetup,
    pub(super) prover: QuoteProver,
    /// The backend that runs the judges; none: not yet, or no longer.
    pub(super) current: Option<SessionBackend>,
    pub(super) roll: JudgeRoster,
    pub(super) timers: BTreeMap<TimerId, Millis>,
    /// Which offer runs, from 1: events of an earlier one are not for this council.
    pub(super) generation: u32,
    /// The backend is closed before its time.
    pub(super) lost: bool,
    pub(super) outcome: Option<Box<Outcome>>,
    pub(super) seating: SeatingGate,
    pub(super) explorers: ExplorerPool,
    pub(super) look_ups: LookUpRecord,
    /// Runs the tests of judges.
    pub(super) trials: TrialDesk,
    /// What an earlier process of this run left to us.
    pub(super) past: RunHistory,
    backend: String,
    plan: Plan,
    council: Option<Council>,
    journal: Option<JournalWriter>,
    packet_digest: Option<String>,
    pub(super) purse: Budget,
    /// The calls of this run, once there is one.
    calls: Option<Box<dyn FileAppender>>,
    /// When the run began, in the world's milliseconds.
    began: Millis,
    /// When this process convened the council, and how old the council was by then.
    convened: Millis,
    age: Millis,
    /// Come in, but not yet looked at.
    arrived: VecDeque<Input>,
    /// On their way to the engine.
    pending: Vec<Input>,
    spare: VecDeque<BackendOffer>,
    retired: Vec<SessionBackend>,
    gave_way: Option<BackendFallback>,
    events: UnboundedSender<TaggedEvent>,
    log: Vec<String>,
    complaints: usize,
    /// The files of answers that this run has written.
    pub(super) recorded: BTreeSet<PathBuf>,
}

impl<'a> SessionState<'a> {
    /// A council that is still to be convened, in the first of these offers.
    pub(super) fn new(
        world: &'a dyn SessionWorld,
        setting: &'a SessionSetup,
        first: BackendOffer,
        spare: VecDeque<BackendOffer>,
        events: UnboundedSender<TaggedEvent>,
        trials: TrialDesk,
    ) -> Self {
        let (packet, blobs) = (Arc::clone(&setting.proved_over), Arc::clone(&setting.blobs));
        Self {
            world,
            setting,
            prover: QuoteProver::new(packet, blobs, setting.redactor.clone()),
            backend: first.opened.manifest().name.clone(),
            current: Some(first.opened),
            roll: JudgeRoster::of_plan(&first.plan),
            plan: first.plan,
            timers: BTreeMap::new(),
            generation: 0,
            lost: false,
            outcome: None,
            council: None,
            journal: None,
            packet_digest: None,
            purse: Budget::new(setting.money.clone()),
            calls: None,
            began: world.now_ms(),
            convened: world.now_ms(),
            age: 0,
            past: RunHistory::default(),
            arrived: VecDeque::new(),
            pending: Vec::new(),
            seating: SeatingGate::default(),
            explorers: ExplorerPool::default(),
            look_ups: LookUpRecord::default(),
            trials,
            spare,
            retired: Vec::new(),
            gave_way: None,
            events,
            log: Vec::new(),
            complaints: 0,
            recorded: BTreeSet::new(),
        }
    }

    /// Begins the journal and convenes the council.
    pub(super) fn begin_council(&mut self) -> Result<(), SessionError> {
        match self.begin_journal() {
            // Where nothing is paid for, a disk that fails costs the journal and not the run.
            Err(error) if !has_paid(&self.plan) => self.log_line(unkept_notice(&error)),
            begun => begun?,
        }
        self.convene_council();
        Ok(())
    }

    /// Milliseconds since the council was convened.
    pub(super) fn council_ms(&self) -> Millis {
        let here = self.world.now_ms().saturating_sub(self.convened);
        self.age.saturating_add(here)
    }

    /// Milliseconds since the run began.
    fn run_ms(&self) -> Millis {
        let here = self.world.now_ms().saturating_sub(self.began);
        self.age.saturating_add(here)
    }

    /// Says something in the run's log.
    pub(super) fn log_line(&mut self, line: String) {
        let line = self.setting.redactor.redact_words(&line).text;
        if let Some(listener) = &self.setting.listener {
            listener(&line);
        }
        self.log.push(line);
    }

    /// Says what the backend says of itself, as long as it does not say too much.
    pub(super) fn log_backend(&mut self, message: &str) {
        self.complaints += 1;
        if self.complaints <= MAX_COMPLAINTS {
            let short: String = message.chars().take(MAX_COMPLAINT_CHARS).collect();
            self.log_line(format!("{}: {short}", self.backend));
        }
    }

    /// A judge's seat in the plan.
    pub(super) fn find_seat(&self, judge: &JudgeId) -> Option<&PlannedSeat> {
        self.plan
            .seats
            .iter()
            .find(|planned| planned.seat.judge == *judge)
    }

    /// Whether judges may be asked for tests about findings.
    pub(super) fn is_proving(&self) -> bool {
        self.plan.options.proof.is_some()
    }

    /// How many explorers a judge may ask for: none where it cannot be sent what they find.
    pub(super) fn explorers_of(&self, planned: &PlannedSeat) -> u8 {
        let grant = &planned.grant;
        let emulated = grant.emulated.contains_key(&Capability::Message);
        if emulated || grant.granted.has(&Capability::Message) {
            self.plan.options.explorers
        } else {
            0
        }
    }

    /// The model of explorers; none: that of the judge that asks.
    pub(super) fn explorer_model(&self) -> Option<String> {
        self.plan.options.explorer_model.clone()
    }

    /// The grace of a shutdown, in milliseconds.
    pub(super) fn shutdown_ms(&self) -> u64 {
        self.plan.timeouts.shutdown_ms
    }

    /// Something has happened; [`Drive::settle`] sees to it.
    pub(super) fn queue_input(&mut self, input: Input) {
        self.arrived.push_back(input);
    }

    /// Hands everything that has arrived to the engine and does what it wants done, until there is nothing left: first
    /// into the journal, then to the engine.
    pub(super) fn process_inputs(&mut self) -> Result<(), SessionError> {
        while self.outcome.is_none() {
            self.sort_arrived()?;
            if self.pending.is_empty() {
                break;
            }
            let now = self.council_ms();
            let batch = std::mem::take(&mut self.pending);
            self.journal_inputs(now, &batch)?;
            for input in batch {
                self.remember_reply(&input);
                self.handle_input(input, now);
            }
        }
        Ok(())
    }

    fn handle_input(&mut self, input: Input, now: Millis) {
        if let (None, Some(council)) = (&self.outcome, &mut self.council) {
            let heard = self
                .setting
                .observer
                .as_ref()
                .and_then(|_| ProgressTeller::input_event(&input, &self.setting.redactor));
            let replied = replied_judge(&input).cloned();
            let actions = council.handle(input, now);
            self.tell(heard, replied.as_ref(), &actions, now);
            actions
                .into_iter()
                .for_each(|action| self.perform_action(action));
        }
    }

    /// Lets through what has arrived, unless the backend turns out to have seated nobody.
    fn sort_arrived(&mut self) -> Result<(), SessionError> {
        while let Some(input) = self.arrived.pop_front() {
            match self.seating.filter_input(input) {
                GateDecision::Wait => {}
                GateDecision::Pass(inputs) => self.pending.extend(inputs),
                GateDecision::Nobody(inputs) => match self.spare.pop_front() {
                    Some(next) if self.gave_way.is_none() => self.fall_back(next, &inputs)?,
                    _ => self.pending.extend(inputs),
                },
            }
        }
        Ok(())
    }

    /// Begins anew with the next backend, once: a backend that declares what it cannot do must not cost the review.
    fn fall_back(&mut self, next: BackendOffer, failed: &[Input]) -> Result<(), SessionError> {
        let reason = failed.iter().find_map(|input| match input {
            Input::Failed { failure, .. } => Some(failure.detail.clone()),
            _ => None,
        });
        let reason = reason.unwrap_or_else(|| "no judge could be seated".to_owned());
        let name = next.opened.manifest().name.clone();
        let note = format!(
            "`{}` seated no judge ({reason}): `{name}` instead",
            self.backend
        );
        self.retired.extend(self.current.replace(next.opened));
        let backend = std::mem::replace(&mut self.backend, name);
        self.gave_way = Some(BackendFallback { backend, reason });
        self.log_line(note.clone());
        self.plan = next.plan;
        self.plan.notes.push(note);
        let run_ms = &mut self.plan.timeouts.run_ms;
        *run_ms = run_ms.map(|bound| bound.saturating_sub(self.world.now_ms() - self.began));
        self.roll = JudgeRoster::of_plan(&self.plan);
        self.seating = SeatingGate::default();
        self.explorers = ExplorerPool::default();
        self.look_ups = LookUpRecord::default();
        self.lost = false;
        self.timers.clear();
        self.arrived.clear();
        self.pending.clear();
        match self.journal_fallback() {
            Err(error) if !has_paid(&self.plan) => {
                self.journal = None;
                self.log_line(unkept_notice(&error));
            }
            written => written?,
        }
        self.convene_council();
        Ok(())
    }

    fn journal_fallback(&mut self) -> Result<(), SessionError> {
        let line = JournalLine::GaveWay {
            at: self.run_ms(),
            gave_way_to: self.backend.clone(),
            plan: self.store_plan("plan-2.json")?,
        };
        match &mut self.journal {
            Some(journal) => journal.append_fallback(&line),
            None => Ok(()),
        }
    }

    fn convene_council(&mut self) {
        self.attach_backend();
        let (council, actions) = Council::convene(self.plan.clone());
        self.council = Some(council);
        if let Some(observer) = &self.setting.observer {
            observer(&ProgressEvent::convened(self.label(), &self.plan, 0));
        }
        self.tell(None, None, &actions, 0);
        actions
            .into_iter()
            .for_each(|action| self.perform_action(action));
    }

    /// Tells whoever watches what was heard and what came of it.
    fn tell(
        &self,
        heard: Option<ProgressKind>,
        replied: Option<&JudgeId>,
        actions: &[Action],
        now: Millis,
    ) {
        let (Some(observer), Some(council)) = (&self.setting.observer, &self.council) else {
            return;
        };
        let redactor = &self.setting.redactor;
        let teller = ProgressTeller { council, redactor };
        let rejected = teller.rejection_event(replied);
        let told = rejected.into_iter().chain(teller.action_events(actions));
        for kind in heard.into_iter().chain(told) {
            observer(&ProgressEvent::new(now, kind));
        }
    }

    /// Tells whoever watches what an earlier process of this run heard.
    pub(super) fn tell_again(&self, entries: &[JournalEntry]) {
        let Some(observer) = &self.setting.observer else {
            return;
        };
        let redactor = self.setting.redactor.clone();
        let (mut follower, mut told) =
            JournalFollower::convene(self.plan.clone(), self.label(), redactor);
        told.extend(follower.hear_entries(entries));
        told.iter().for_each(|event| observer(event));
    }

    fn label(&self) -> RunLabel {
        RunLabel {
            run: self.setting.run.name.clone(),
            target: self.setting.packet.target.label.clone(),
            backend: self.backend.clone(),
            max_usd: self.setting.money.most_usd,
        }
    }

    /// The plan that holds.
    pub(super) fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Goes on with a council of this age, whose judges some other process had seated.
    pub(super) fn take_over(&mut self, council: Council, age: Millis) {
        self.age = age;
        self.council = Some(council);
        self.attach_backend();
    }

    /// What the log said before.
    pub(super) fn restore_log(&mut self, log: Vec<String>) {
        self.log.extend(log);
    }

    /// Hears the backend from now on.
    fn attach_backend(&mut self) {
        self.generation += 1;
        self.convened = self.world.now_ms();
        let (events, generation) = (self.events.clone(), self.generation);
        if let Some(current) = &self.current {
            current.attach_sink(Arc::new(move |event| {
                // Whoever does not listen any more has its outcome.
                let _ = events.send((generation, event));
            }));
        }
    }

    /// Takes the backends away to be closed.
    pub(super) fn take_backends(&mut self) -> Vec<SessionBackend> {
        let spare = self.spare.drain(..).map(|offer| offer.opened);
        self.current
            .take()
            .into_iter()
            .chain(self.retired.drain(..))
            .chain(spare)
            .collect()
    }

    /// What is left when everything is over; none: there is no outcome.
    pub(super) fn into_finished(mut self) -> Option<FinishedSession> {
        Some(FinishedSession {
            elapsed_ms: self.run_ms(),
            outcome: *self.outcome.take()?,
            plan: self.plan,
            backend: self.backend,
            gave_way: self.gave_way,
            run: self.setting.run.clone(),
            packet_digest: self.packet_digest,
            log: self.log,
        })
    }
}

fn unkept_notice(error: &SessionError) -> String {
    format!("the run cannot be kept: {error}")
}

/// Whether any judge costs money or minutes.
fn has_paid(plan: &Plan) -> bool {
    plan.seats
        .iter()
        .any(|planned| planned.seat.agent.kind.is_paid())
}

/// Whether losing this input would cost money or minutes.
fn is_paid(plan: &Plan, input: &Input) -> bool {
    let (Input::Answered { judge, .. } | Input::Explored { judge, .. }) = input else {
        return false;
    };
    let mut seats = plan.seats.iter().map(|planned| &planned.seat);
    seats.any(|seat| seat.judge == *judge && seat.agent.kind.is_paid())
}
