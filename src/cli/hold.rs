//! A council over a prepared change: from its seats to its report.

use std::path::PathBuf;
use std::sync::Arc;

use council_protocol::packet::TargetKind;
use council_protocol::{Capability, Seat};

use crate::council::Plan;
use crate::council::plan::{Exchange, Options, PlannedSeat, Procedure, Seed, Subject as Matter};
use crate::registry::{Ask, Choice, Pick, Selection, WORKERS, select};
use crate::report::{self, BackendFacts, Report, RunFacts, Subject};
use crate::session::{
    self, Durability, Finished, Interrupts, MINUTES, MinutesPage, Offer, Opened, Places, RealWorld,
    RunRef, SessionError, Setting, World,
};

use super::Start;
use super::bench::Bench;
use super::councillors;
use super::digests::Known;
use super::error::CliError;
use super::forecast::money;
use super::gather::Gathering;
use super::history::{self, REPORT};
use super::left::Left;
use super::prepare::Prepared;
use super::prompts::{self, Prompts};
use super::recognise::{Heard, Memory};
use super::rooms::Rooms;
use super::table::Table;

/// What is known of a run before anybody sits.
pub(super) fn facts(run: &RunRef) -> RunFacts {
    RunFacts {
        name: run.name.clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        started: run.started.clone(),
        ..RunFacts::default()
    }
}

/// Where the files of a run go: nowhere without a repository.
pub(super) fn places(prepared: &Prepared) -> Places {
    let place = &prepared.change.place;
    let Some(git_dir) = &place.common_dir else {
        return Places::default();
    };
    let mut places = Places::in_repository(git_dir, place.workdir.as_deref());
    if !prepared.config.settings.output.save {
        places.artefacts = None;
    }
    places
}

/// Hears the log of a run.
pub(crate) type Listener = Arc<dyn Fn(&str) + Send + Sync>;

/// A council that can be convened.
pub(super) struct Council<'a> {
    pub(super) start: &'a Start,
    pub(super) world: &'a RealWorld,
    pub(super) prepared: &'a Prepared,
    pub(super) bench: Bench<'a>,
    pub(super) quorum: u32,
    pub(super) seed: Seed,
    /// What agents that read text are sent; none: no seat needs it.
    pub(super) prompts: Option<Arc<Prompts>>,
    pub(super) run: RunRef,
    /// What the verdict depends on.
    pub(super) known: Known,
    pub(super) memory: Option<Memory<'a>>,
    pub(super) heard: Heard,
    /// Verdicts of others that do not count.
    pub(super) hearsay: Vec<String>,
    /// What comes to a document instead of a verdict.
    pub(super) gathering: Option<&'a Gathering>,
}

impl<'a> Council<'a> {
    /// A council over a prepared change, as long as nothing else is said of it.
    pub(super) fn over(
        start: &'a Start,
        world: &'a RealWorld,
        prepared: &'a Prepared,
        seed: Seed,
        prompts: Option<Arc<Prompts>>,
        known: Known,
        run: RunRef,
    ) -> Self {
        Self {
            start,
            world,
            prepared,
            bench: Bench {
                config: &prepared.config,
                deep: false,
            },
            quorum: 1,
            seed,
            prompts,
            run,
            known,
            memory: None,
            heard: Heard::default(),
            hearsay: Vec::new(),
            gathering: None,
        }
    }
}

impl Council<'_> {
    /// Holds it. A run that left nothing behind is forgotten.
    pub(super) fn hold(&self, seats: &[Seat], interrupts: Interrupts) -> Result<Report, CliError> {
        let held = self.begin(seats, interrupts);
        if held.is_err() {
            history::forget(&self.run);
        }
        held
    }

    fn begin(&self, seats: &[Seat], interrupts: Interrupts) -> Result<Report, CliError> {
        let ask = match self.gathering {
            Some(_) => Gathering::ask(seats.len()),
            None => self.bench.ask(seats.len()),
        };
        let (opened, selection) = self.open(seats, &ask, &self.bench.choice())?;
        let offer = |(opened, pick): (_, &Pick)| Offer {
            opened,
            plan: self.plan(pick, seats),
        };
        let offers: Vec<Offer> = opened
            .into_iter()
            .zip(&selection.picks)
            .map(offer)
            .collect();
        self.sit(seats, &selection, |setting| {
            session::run(setting, offers, self.world, interrupts)
        })
    }

    /// The same with a plan and a journal that are there, in the backend that ran them.
    pub(super) fn go_on(&self, left: &Left, seats: &[Seat]) -> Result<Report, CliError> {
        let ask = Ask {
            procedure: left.plan.procedure,
            debate: left.plan.debate,
            judges: seats.len(),
        };
        let choice = Choice::Named(left.journal.backend.clone());
        let (opened, selection) = self.open(seats, &ask, &choice)?;
        let opened = opened.into_iter().next();
        let opened = opened.ok_or_else(|| CliError::run("no backend could be opened"))?;
        let offer = Offer {
            opened,
            plan: left.plan.clone(),
        };
        self.sit(seats, &selection, |setting| {
            session::resume(
                setting,
                offer,
                &left.journal,
                self.world,
                Interrupts::Signals,
            )
        })
    }

    /// Lets the judges work in their room until the session is over, and keeps what came of it.
    fn sit(
        &self,
        seats: &[Seat],
        selection: &Selection,
        session: impl FnOnce(&Setting) -> Result<Finished, SessionError>,
    ) -> Result<Report, CliError> {
        let rooms = Rooms::of(seats, &*self.prepared.change.blobs)?;
        let finished = session(&self.setting(&rooms, seats));
        drop(rooms);
        let report = self.report(finished?, selection);
        if let Err(error) = self.keep(&report) {
            // The verdict is there all the same, and shown.
            self.start.console.warning(&error.message);
        }
        Ok(report)
    }

    /// Opens the backends that can hold these seats.
    fn open(
        &self,
        seats: &[Seat],
        ask: &Ask,
        choice: &Choice,
    ) -> Result<(Vec<Opened>, Selection), CliError> {
        let packet = Arc::clone(&self.prepared.packet);
        // A program reads the folder when it is asked, a plugin when it is opened.
        if self.prompts.is_some() || self.is_plugin() {
            self.lay_out()?;
        }
        let table = Table::lay(
            self.start,
            packet,
            Arc::clone(&self.prepared.change.blobs),
            &self.run.name,
            self.run.folder.clone(),
        );
        let settings = &self.prepared.config.settings;
        let worktree = self.prepared.change.place.workdir.clone();
        let table = table.with_plugins(settings, worktree, Some(&settings.review.backend));
        let (survey, failed) = table.survey(seats, self.start);
        if let Some(error) = failed.into_iter().next() {
            return Err(error);
        }
        let mut selection = select(&survey.candidates, ask, choice)?;
        let in_parts = self
            .prompts
            .as_deref()
            .is_some_and(|prompts| prompts.parts() > 1);
        let is_ready = self.prompts.is_some() || self.is_plugin();
        match selection.picks.first() {
            Some(first) if first.backend == WORKERS && in_parts => {
                let message = "workers have one brief for all of them: a change in parts needs another backend";
                return Err(CliError::usage(message).hint("choose --backend teams or subagents"));
            }
            Some(first) if first.backend == WORKERS => self.lay_out()?,
            // What workers read is not written for a backend that will hardly be needed.
            _ if in_parts || !is_ready => selection.picks.retain(|pick| pick.backend != WORKERS),
            _ => {}
        }
        let opened = survey.into_offers(&selection);
        Ok((opened, selection))
    }

    fn plan(&self, pick: &Pick, seats: &[Seat]) -> Plan {
        let settings = &self.prepared.config.settings;
        let planned = |(seat, grant): (&Seat, _)| PlannedSeat {
            seat: seat.clone(),
            grant,
            coverage: prompts::shown_to(seat, self.prompts.as_deref(), self.prepared),
        };
        let mut notes = self.prepared.notes.clone();
        notes.extend(self.heard.notes.iter().chain(&self.hearsay).cloned());
        notes.extend(self.bench.notes());
        notes.extend(pick.notes.iter().cloned());
        let explicit = settings.review.quorum.is_some();
        let plan = Plan {
            procedure: pick.procedure,
            debate: pick.debate,
            consensus: self.bench.consensus(self.matter()),
            // Seed 003: `quick` is one judge, and one is enough for it.
            quorum: if pick.procedure == Procedure::Quick && !explicit {
                1
            } else {
                self.quorum
            },
            policy: settings.policy(),
            seats: seats
                .iter()
                .zip(pick.grants.iter().cloned())
                .map(planned)
                .collect(),
            exchange: self.exchange(pick),
            timeouts: settings.timeouts(),
            seed: self.seed.clone(),
            framing: self.prepared.packet.framing.clone(),
            notes,
            options: Options {
                subject: self.matter(),
                minutes: settings.output.session,
                dismissed: self.heard.dismissals.clone(),
                ..self.bench.options()
            },
        };
        match self.gathering {
            Some(gathering) => gathering.shape(plan),
            None => councillors::without_messages(plan),
        }
    }

    /// A change, or a text without one.
    fn matter(&self) -> Matter {
        match self.prepared.packet.target.kind {
            TargetKind::File | TargetKind::Topic | TargetKind::Stage => Matter::Text,
            _ => Matter::Change,
        }
    }

    /// By reference where every worker reads the run's folder (3-debate.md, "Settled contradictions").
    fn exchange(&self, pick: &Pick) -> Exchange {
        let shares = pick
            .grants
            .iter()
            .all(|grant| grant.granted.has(&Capability::SharedFs));
        match shares && self.run.folder.is_some() {
            true => Exchange::Reference,
            false => Exchange::Inline {
                max_bytes: self.prepared.config.settings.limits.exchange,
            },
        }
    }

    /// Whether the backend that was asked for comes from elsewhere.
    fn is_plugin(&self) -> bool {
        let settings = &self.prepared.config.settings;
        settings.backends.contains_key(&settings.review.backend)
    }

    /// Writes the packet's folder, which judges outside of this process read.
    fn lay_out(&self) -> Result<(), CliError> {
        let Some(run) = &self.run.folder else {
            return Ok(());
        };
        let brief = self.prompts.as_ref().map(|prompts| prompts.text());
        let packet = &self.prepared.packet;
        session::worker::export(run, packet, brief.as_deref(), &*self.prepared.change.blobs)
            .map_err(|error| CliError::run(format!("cannot write the packet's folder: {error}")))?;
        Ok(())
    }

    fn setting(&self, rooms: &Rooms, seats: &[Seat]) -> Setting {
        let prompter = self
            .prompts
            .clone()
            .map(|prompts| prompts as Arc<dyn session::Prompter>);
        Setting {
            run: self.run.clone(),
            packet: Arc::clone(&self.prepared.packet),
            blobs: Arc::clone(&self.prepared.change.blobs),
            redact: self.prompts.as_ref().map(|_| Prompts::redact()),
            prompter,
            page: match self.gathering {
                Some(_) => report::judge::document,
                None => report::judge::render,
            },
            minutes: self.minutes(),
            filing: self
                .gathering
                .and_then(|gathering| gathering.filing.clone()),
            rooms: rooms.places(),
            max_answer_bytes: self.prepared.config.settings.limits.answer,
            money: money(&self.prepared.config.settings),
            listener: self.listener(seats),
        }
    }

    /// What has passed so far, as the session's file tells it while the council sits (seed 001, 3.1.6).
    fn minutes(&self) -> Option<MinutesPage> {
        let wanted = self.prepared.config.settings.output.session;
        let (packet, run) = (Arc::clone(&self.prepared.packet), self.run.clone());
        let page = move |so_far| {
            let report = Report::new(so_far, Subject::of(&packet), facts(&run));
            report::markdown::minutes(&report)
        };
        wanted.then(|| Arc::new(page) as MinutesPage)
    }

    /// Who hears the log as it is written: whoever asked for it, and whoever watches judges that take their time.
    fn listener(&self, seats: &[Seat]) -> Option<Listener> {
        if let Some(listener) = self.gathering.and_then(|g| g.listener.clone()) {
            return Some(listener);
        }
        let console = self.start.console;
        let slow = seats.iter().any(|seat| seat.agent.kind.is_paid());
        let heard = console.is_verbose() || (slow && console.is_watched());
        let hear = move |line: &str| console.log(line);
        heard.then(|| Arc::new(hear) as Listener)
    }

    fn report(&self, finished: Finished, selection: &Selection) -> Report {
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
        let facts = RunFacts {
            duration_ms: finished.elapsed_ms,
            backend: Some(backend),
            debate: Some(finished.plan.debate),
            digests: self.known.digests(&self.prepared.packet),
            recognition_key: Some(self.known.key.clone()),
            git_source: self.prepared.change.git_source.clone(),
            seed: Some(finished.plan.seed.clone()),
            ..facts(&self.run)
        };
        Report::new(finished.outcome, Subject::of(&self.prepared.packet), facts)
    }

    /// Writes a file of the run, if it has a place.
    fn write(&self, path: Option<PathBuf>, bytes: &[u8]) -> Result<(), CliError> {
        let Some(path) = path else { return Ok(()) };
        let written = self.world.disk().write(&path, bytes, Durability::Cheap);
        written.map_err(|error| CliError::run(format!("cannot write {}: {error}", path.display())))
    }

    /// Writes the report beside the journal and for people, and lets old runs go.
    fn keep(&self, report: &Report) -> Result<(), CliError> {
        let json = report::json::render(report, report::Gate::default());
        self.write(self.run.file(REPORT), json.as_bytes())?;
        history::seal(self.start, &self.run, json.as_bytes());
        let session = self.prepared.config.settings.output.session;
        if let Some(text) = report::markdown::session(report).filter(|_| session) {
            self.write(self.run.artefact(MINUTES), text.as_bytes())?;
        }
        if let Some(path) = self.run.artefact("report.md") {
            let options = report::markdown::Options::default();
            self.write(
                Some(path),
                report::markdown::render(report, options).as_bytes(),
            )?;
        }
        if let Some(memory) = &self.memory {
            memory.keep(report, &self.known);
        }
        let keep = usize::try_from(self.prepared.config.settings.runs.keep).unwrap_or(usize::MAX);
        history::prune(&self.prepared.change.place.runs_dir(), keep);
        Ok(())
    }
}
