//! A council over a prepared change: from its seats to its report.

use std::sync::Arc;

use council_agents::tools::CodeTools;
use council_protocol::capability::Grant;
use council_protocol::{Capability, Seat};

use crate::config::ProgressSetting;
use crate::council::Plan;
use crate::council::plan::{ExchangeMode, Procedure, ProcedureOptions, RunSeed};
use crate::lookup::{CodeLookup, LookupListener, TurnNews};
use crate::packet::packet_digest;
use crate::registry::{BackendChoice, BackendPick, BackendRequest, BackendSelection, WORKERS};
use crate::report::{self, BackendFacts, ChangeSize, Report, ReviewSubject, RunFacts};
use crate::session::{
    self, BackendOffer, CouncilClock, FinishedSession, InterruptSource, MinutesPage, ProgressEvent,
    ProgressKind, ProgressObserver, RealWorld, RunRef, SessionBackend, SessionError, SessionSetup,
    UsedTokens,
};

use crate::run::backends::{BackendTable, needs_plugin};
use crate::run::call_extras::CallExtras;
use crate::run::context::RunContext;
use crate::run::counts_again;
use crate::run::current_lookups::LookupRecord;
use crate::run::digests::RunDigests;
use crate::run::dismissals::{self, VerdictTerms};
use crate::run::error::RunError;
use crate::run::estimate::{cost_settings, overrun_note};
use crate::run::facts::base_facts;
use crate::run::floor;
use crate::run::loaded::LoadedRun;
use crate::run::modes::document::DocumentMode;
use crate::run::plan::{PlanInputs, build_plan, plan_subject};
use crate::run::prepare::PreparedReview;
use crate::run::prompts::SeatPrompts;
use crate::run::proof::{self, ProofRunner};
use crate::run::recognition::{KnownDismissals, VerdictMemory};
use crate::run::saved_run::save_run_report;
use crate::run::seats::SeatPlanner;
use crate::run::seats::councillors;
use crate::run::store;
use crate::run::turn_steps::StepFile;
use crate::run::whole;
use crate::run::workspaces::AgentWorkspaces;

/// Hears the log of a run.
pub(crate) type RunListener = Arc<dyn Fn(&str) + Send + Sync>;

/// A council that can be convened.
pub(crate) struct CouncilRun<'a> {
    pub(crate) start: &'a RunContext,
    pub(crate) world: &'a RealWorld,
    pub(crate) prepared: &'a PreparedReview,
    pub(crate) bench: SeatPlanner<'a>,
    pub(crate) quorum: u32,
    pub(crate) seed: RunSeed,
    /// What agents that read text are sent; none: no seat needs it.
    pub(crate) prompts: Option<Arc<SeatPrompts>>,
    pub(crate) run: RunRef,
    /// What the verdict depends on.
    pub(crate) known: RunDigests,
    pub(crate) memory: Option<VerdictMemory<'a>>,
    pub(crate) heard: KnownDismissals,
    /// Verdicts of others that do not count.
    pub(crate) hearsay: Vec<String>,
    /// What comes to a document instead of a verdict.
    pub(crate) gathering: Option<&'a DocumentMode>,
    /// Since when the council sits.
    pub(crate) clock: CouncilClock,
    /// How long the change was read and searched before, in milliseconds.
    pub(crate) reading_ms: u64,
}

impl<'a> CouncilRun<'a> {
    /// A council over a prepared change, as long as nothing else is said of it.
    pub(crate) fn for_run(
        start: &'a RunContext,
        world: &'a RealWorld,
        prepared: &'a PreparedReview,
        seed: RunSeed,
        prompts: Option<Arc<SeatPrompts>>,
        known: RunDigests,
        run: RunRef,
    ) -> Self {
        Self {
            start,
            world,
            prepared,
            bench: SeatPlanner {
                config: &prepared.config,
                deep: false,
            },
            quorum: 1,
            seed,
            prompts,
            run,
            known,
            memory: None,
            heard: KnownDismissals::default(),
            hearsay: Vec::new(),
            gathering: None,
            clock: CouncilClock::default(),
            reading_ms: prepared.elapsed_ms(),
        }
    }
}

impl CouncilRun<'_> {
    /// Holds it. A run that left nothing behind is forgotten. `tell` says what leaves the machine: once it is known that
    /// the judges are there, and before any of them is asked.
    pub(crate) fn execute(
        &self,
        seats: &[Seat],
        interrupts: InterruptSource,
        tell: impl FnOnce(),
    ) -> Result<Report, RunError> {
        let held = self.start_session(seats, interrupts, tell);
        if held.is_err() {
            store::forget_run(&self.run);
        }
        held
    }

    fn start_session(
        &self,
        seats: &[Seat],
        interrupts: InterruptSource,
        tell: impl FnOnce(),
    ) -> Result<Report, RunError> {
        let ask = match self.gathering {
            Some(_) => DocumentMode::backend_request(seats.len()),
            None => self.bench.backend_request(seats.len()),
        };
        let (opened, selection) = self.open_backends(seats, &ask, &self.bench.backend_choice())?;
        tell();
        let offer = |(opened, pick): (_, &BackendPick)| BackendOffer {
            opened,
            plan: self.plan_for(pick, seats),
        };
        let offers: Vec<BackendOffer> = opened
            .into_iter()
            .zip(&selection.picks)
            .map(offer)
            .collect();
        self.run_session(seats, &selection, |setting| {
            session::run_session(setting, offers, self.world, interrupts)
        })
    }

    /// The same with a plan and a journal that are there, in the backend that ran them.
    pub(crate) fn resume_session(
        &self,
        left: &LoadedRun,
        seats: &[Seat],
        interrupts: InterruptSource,
    ) -> Result<Report, RunError> {
        let ask = BackendRequest {
            procedure: left.plan.procedure,
            debate: left.plan.debate,
            judges: seats.len(),
        };
        let choice = BackendChoice::Named(left.journal.backend.clone());
        let (opened, selection) = self.open_backends(seats, &ask, &choice)?;
        let opened = opened.into_iter().next();
        let opened = opened.ok_or_else(|| RunError::run("no backend could be opened"))?;
        let offer = BackendOffer {
            opened,
            plan: left.plan.clone(),
        };
        self.run_session(seats, &selection, |setting| {
            session::resume_session(setting, offer, &left.journal, self.world, interrupts)
        })
    }

    /// Lets the judges work in their room until the session is over, and keeps what came of it.
    fn run_session(
        &self,
        seats: &[Seat],
        selection: &BackendSelection,
        session: impl FnOnce(&SessionSetup) -> Result<FinishedSession, SessionError>,
    ) -> Result<Report, RunError> {
        let rooms = AgentWorkspaces::for_seats(
            seats,
            &*self.prepared.change.blobs,
            &self.prepared.redactor,
            self.prepared.hidden.as_ref(),
            self.start.environment.get("PATH"),
        )?;
        let finished = session(&self.session_setting(&rooms, seats));
        let missing = rooms.missing_note();
        drop(rooms);
        let mut report = self.build_report(finished?, selection);
        report.outcome.notes.extend(missing);
        if let Err(error) = self.save_report(&report) {
            // The verdict is there all the same, and shown.
            self.start.notifier.warn(&error.message);
        }
        Ok(report)
    }

    /// Opens the backends that can hold these seats.
    fn open_backends(
        &self,
        seats: &[Seat],
        ask: &BackendRequest,
        choice: &BackendChoice,
    ) -> Result<(Vec<SessionBackend>, BackendSelection), RunError> {
        let packet = Arc::clone(self.prepared.packet_of_rules());
        // A program reads the folder when it is asked, a plugin when it is opened.
        let settings = &self.prepared.config.settings;
        let mut names = settings.backends.keys();
        let may_be_plugin = names.any(|name| needs_plugin(name, seats, choice));
        let is_ready = self.prompts.is_some() || may_be_plugin;
        if is_ready {
            self.export_packet()?;
        }
        let table = BackendTable::for_packet(
            self.start,
            packet,
            Arc::clone(&self.prepared.change.blobs),
            &self.run.name,
            self.run.folder.clone(),
            self.code_tools(seats),
        );
        let worktree = self.prepared.change.place.workdir.clone();
        let table = table.with_needed_plugins(settings, worktree, seats, choice);
        let survey = table.survey_seats(seats, self.start);
        let mut selection = survey.select_for(seats, ask, choice)?;
        for error in survey.failures() {
            self.start.notifier.warn(&error.message);
        }
        let in_parts = self
            .prompts
            .as_deref()
            .is_some_and(|prompts| prompts.shard_count() > 1 || prompts.is_spread());
        match selection.picks.first() {
            Some(first) if first.backend == WORKERS && in_parts => {
                let message = "background workers share one brief: a change reviewed in parts needs another backend";
                return Err(RunError::usage(message).hint("choose --backend teams or subagents"));
            }
            Some(first) if first.backend == WORKERS => self.export_packet()?,
            // What workers read is not written for a backend that will hardly be needed.
            _ if in_parts || !is_ready => selection.picks.retain(|pick| pick.backend != WORKERS),
            _ => {}
        }
        let opened = survey.into_offers(&selection);
        Ok((opened, selection))
    }

    /// What judges look things up with; nothing for a bench of rules.
    fn code_tools(&self, seats: &[Seat]) -> Option<Arc<dyn CodeTools>> {
        if !seats.iter().any(|seat| seat.agent.kind.reads_text()) {
            return None;
        }
        let lookup = CodeLookup::over_change(
            Arc::clone(&self.prepared.packet),
            Arc::clone(&self.prepared.change.blobs),
            self.prepared.redactor.clone(),
            self.prepared.change.earlier_history(),
        )?;
        let lookup = lookup
            .hiding(self.prepared.hidden.clone())
            .with_listener(self.lookup_listener());
        let steps = StepFile::of_run(
            &self.run,
            self.start.signing_key(),
            self.prepared.redactor.clone(),
            Arc::clone(&self.prepared.packet),
        );
        Some(Arc::new(lookup.with_steps(steps)))
    }

    /// Whoever watches is told what a judge looks up, while it does; from another process, too.
    fn lookup_listener(&self) -> Option<LookupListener> {
        let clock = self.clock.clone();
        let observer = self.start.notifier.observer();
        let record = LookupRecord::of_run(&self.run);
        if observer.is_none() && record.is_none() {
            return None;
        }
        let prices = cost_settings(&self.prepared.config.settings).prices;
        Some(Arc::new(move |judge, news| {
            let judge = judge.clone();
            let kind = match news {
                TurnNews::LooksUp { tool, asked } => ProgressKind::LooksUp {
                    judge,
                    tool: tool.to_owned(),
                    asked: asked.to_owned(),
                },
                TurnNews::Spent(so_far) => ProgressKind::Spends {
                    judge,
                    used: UsedTokens::priced(so_far, &prices),
                },
                TurnNews::AsksAgain { why, pause } => ProgressKind::AsksAgain {
                    judge,
                    why: why.to_owned(),
                    pause_ms: u64::try_from(pause.as_millis()).unwrap_or(u64::MAX),
                },
            };
            let event = ProgressEvent::new(clock.now_ms(), kind);
            if let Some(record) = &record {
                record.note(&event);
            }
            if let Some(observer) = &observer {
                observer(&event);
            }
        }))
    }

    fn plan_for(&self, pick: &BackendPick, seats: &[Seat]) -> Plan {
        let settings = &self.prepared.config.settings;
        let mut notes: Vec<String> = self.heard.notes.clone();
        notes.extend(self.hearsay.iter().cloned());
        // A document has seats of its own: a review's speak of others.
        if self.gathering.is_none() {
            notes.extend(self.bench.seating_notes());
        }
        notes.extend(self.bench.idle_key_notes(seats));
        notes.extend(pick.notes.iter().cloned());
        let change = &self.prepared.change;
        notes.extend(
            self.prompts
                .iter()
                .flat_map(|prompts| prompts.notes(change)),
        );
        // Rules bring no tests, wherever they sit.
        if seats.iter().any(|seat| !seat.agent.deterministic) {
            notes.extend(proof::idle_note(self.start, self.prepared));
            let unasked = proof::setup::unasked(&settings.proof);
            notes.extend(unasked.filter(|_| self.gathering.is_none() && !pick.can_ask_again()));
            notes.extend(proof::setup::faults(&settings.proof));
        }
        let explicit = settings.review.quorum.is_some();
        let subject = plan_subject(&self.prepared.packet);
        let inputs = PlanInputs {
            procedure: pick.procedure,
            debate: pick.debate,
            consensus: self.bench.consensus_rule(subject),
            // `quick` is one judge, and one is enough for it.
            quorum: match pick.procedure {
                Procedure::Quick if !explicit => 1,
                _ => self.quorum,
            },
            grants: pick.grants.clone(),
            exchange: self.exchange_mode(pick),
            seed: self.seed.clone(),
            notes,
            options: ProcedureOptions {
                subject,
                minutes: settings.output.session,
                dismissed: self.heard.dismissals.clone(),
                proof: proof::terms(self.start, self.prepared),
                ..self.bench.plan_options()
            },
        };
        let plan = build_plan(self.prepared, seats, self.prompts.as_deref(), inputs);
        match self.gathering {
            Some(gathering) => gathering.shape_plan(plan),
            None => councillors::fall_back_to_economy(plan),
        }
    }

    /// By reference where every worker reads the run's folder.
    fn exchange_mode(&self, pick: &BackendPick) -> ExchangeMode {
        let shares = |grant: &Grant| grant.granted.has(&Capability::SharedFs);
        if self.run.folder.is_some() && pick.grants.iter().all(shares) {
            return ExchangeMode::Reference;
        }
        ExchangeMode::Inline {
            max_bytes: self.prepared.config.settings.limits.exchange,
        }
    }

    /// Writes the packet's folder, which judges outside of this process read.
    fn export_packet(&self) -> Result<(), RunError> {
        let Some(run) = &self.run.folder else {
            return Ok(());
        };
        let brief = self.prompts.as_ref().map(|prompts| prompts.first_brief());
        let packet = &self.prepared.packet;
        session::worker::export_packet(run, packet, brief.as_deref(), &*self.prepared.change.blobs)
            .map_err(|error| RunError::run(format!("cannot write the packet's folder: {error}")))?;
        Ok(())
    }

    fn session_setting(&self, rooms: &AgentWorkspaces, seats: &[Seat]) -> SessionSetup {
        let prompter = self
            .prompts
            .clone()
            .map(|prompts| prompts as Arc<dyn session::PromptRenderer>);
        SessionSetup {
            run: self.run.clone(),
            packet: Arc::clone(&self.prepared.packet),
            proved_over: Arc::clone(self.prepared.packet_of_rules()),
            blobs: Arc::clone(&self.prepared.change.blobs),
            redactor: self.prepared.redactor.clone(),
            prompter,
            page: match self.gathering {
                Some(_) => report::judge::render_document,
                None => report::judge::render_judge,
            },
            minutes: self.minutes_page(),
            filing: self
                .gathering
                .and_then(|gathering| gathering.filing.clone()),
            rooms: rooms.workspace_folders(),
            max_answer_bytes: self.prepared.config.settings.limits.answer,
            money: cost_settings(&self.prepared.config.settings),
            runner: self.proof_runner(),
            listener: self.log_listener(seats),
            observer: self.observer(seats),
        }
    }

    /// Who hears what happens. The clock of look-ups runs where nobody watches: somebody may from another process.
    fn observer(&self, seats: &[Seat]) -> Option<ProgressObserver> {
        let looks_up = seats.iter().any(|seat| seat.agent.kind.reads_text());
        let nobody = || looks_up.then(|| Arc::new(|_: &ProgressEvent| {}) as ProgressObserver);
        let observer = self.start.notifier.observer().or_else(nobody)?;
        Some(self.clock.watch(observer))
    }

    /// What runs the tests of judges; none: they are asked for none.
    fn proof_runner(&self) -> Option<Arc<dyn session::ReproductionRunner>> {
        let runner = ProofRunner::for_review(self.start, self.prepared)?;
        Some(Arc::new(runner))
    }

    /// What has passed so far, as the session's file tells it while the council sits.
    fn minutes_page(&self) -> Option<MinutesPage> {
        let wanted = self.prepared.config.settings.output.session;
        let (packet, run) = (Arc::clone(&self.prepared.packet), self.run.clone());
        let redactor = self.prepared.redactor.clone();
        let page = move |so_far| {
            let (subject, facts) = (ReviewSubject::of(&packet), base_facts(&run));
            let report = Report::new(so_far, subject, facts, &redactor);
            report::markdown::minutes(&report)
        };
        wanted.then(|| Arc::new(page) as MinutesPage)
    }

    /// Who hears the log as it is written: whoever asked for it, and whoever watches judges that take their time.
    fn log_listener(&self, seats: &[Seat]) -> Option<RunListener> {
        if let Some(listener) = self.gathering.and_then(|g| g.listener.clone()) {
            return Some(listener);
        }
        let notifier = Arc::clone(&self.start.notifier);
        let slow = seats.iter().any(|seat| seat.agent.kind.is_paid());
        // Whoever sees the events needs no log, unless it was asked for.
        let is_wanted = self.prepared.config.settings.output.progress != ProgressSetting::Off;
        let unseen = notifier.observer().is_none() && is_wanted;
        let heard = notifier.is_verbose() || (slow && notifier.is_watched() && unseen);
        let hear = move |line: &str| notifier.log(line);
        heard.then(|| Arc::new(hear) as RunListener)
    }

    fn build_report(&self, mut finished: FinishedSession, selection: &BackendSelection) -> Report {
        self.follow_dismissals(&mut finished);
        let requested = &self.prepared.config.settings.review.backend;
        let passed_over = selection
            .why_not
            .iter()
            .filter(|(name, _)| *name != finished.backend);
        let mut passed_over: Vec<String> = passed_over
            .map(|(name, why)| format!("{name}: {why}"))
            .collect();
        passed_over.extend(
            finished
                .gave_way
                .iter()
                .map(|gave| format!("{}: {}", gave.backend, gave.reason)),
        );
        let backend = BackendFacts {
            name: finished.backend.clone(),
            requested: (requested != "auto").then(|| requested.clone()),
            passed_over,
        };
        let mut outcome = finished.outcome;
        // What rules say beside models is found again, too.
        floor::hear_rules(
            &mut outcome,
            &finished.plan,
            floor::RuleBench::of(self.prepared),
        );
        let earlier = self.prepared.earlier.as_ref();
        let earlier = earlier.map(|earlier| earlier.settle_in(&mut outcome));
        let packet = finished.packet_digest;
        let packet = packet.unwrap_or_else(|| packet_digest(&self.prepared.packet));
        let facts = RunFacts {
            duration_ms: self.reading_ms.saturating_add(finished.elapsed_ms),
            earlier,
            started_by: self.start.started_by.clone(),
            backend: Some(backend),
            debate: Some(finished.plan.debate),
            digests: self.known.receipt_digests(packet, self.prompts.as_deref()),
            recognition_key: Some(self.known.key.clone()),
            git_source: self.prepared.change.git_source.clone(),
            fail_on: Some(self.prepared.config.settings.review.fail_on),
            seed: Some(finished.plan.seed.clone()),
            brief: self.prompts.as_deref().map(|prompts| {
                let seats = finished.plan.seats.iter().map(|planned| &planned.seat);
                let settings = &self.prepared.config.settings;
                let has_tree = self.prepared.change.blobs.has_blobs();
                CallExtras::of_seats(seats, settings, has_tree).beside(prompts.brief_facts())
            }),
            ..base_facts(&self.run)
        };
        outcome
            .notes
            .extend(overrun_note(&outcome, &self.prepared.config.settings));
        whole::drop_idle_suggestion(&outcome.coverage, &mut outcome.notes);
        let mut subject = ReviewSubject::of(&self.prepared.packet);
        if let Some(whole) = &self.prepared.whole_packet {
            subject.change = ChangeSize::of(whole);
        }
        Report::new(outcome, subject, facts, &self.prepared.redactor)
    }

    /// Dismissals count as they stand when the report is made: a run may have been interrupted for days, and judges take
    /// minutes.
    fn follow_dismissals(&self, finished: &mut FinishedSession) {
        let Some(memory) = &self.memory else { return };
        let mut today = memory.load_dismissals().dismissals;
        today.extend(self.prepared.dismissed.iter().cloned());
        if today != finished.plan.options.dismissed {
            let terms = VerdictTerms::of_plan(&finished.plan);
            dismissals::decide_under(&mut finished.outcome, &terms, &today);
            finished.plan.options.dismissed = today;
        }
        let dismissed = &finished.plan.options.dismissed;
        counts_again::note_returned(&mut finished.outcome, dismissed, self.start);
    }

    /// Writes the report beside the journal and for people, and lets old runs go.
    fn save_report(&self, report: &Report) -> Result<(), RunError> {
        save_run_report(self.start, self.world, self.prepared, &self.run, report)?;
        if let Some(memory) = &self.memory {
            memory.save_verdict(report, &self.known);
        }
        Ok(())
    }
}
