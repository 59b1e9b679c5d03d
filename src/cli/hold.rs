//! Holds a council over a prepared change and makes its report.

use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

use council_agents::room::{self, RoomBounds};
use council_protocol::coverage::FileCoverage;
use council_protocol::packet::TargetKind;
use council_protocol::{Capability, Coverage, CoverageState, Seat};

use crate::council::Plan;
use crate::council::outcome::Reason;
use crate::council::plan::{Exchange, Options, PlannedSeat, Procedure, Seed, Subject as Matter};
use crate::registry::{Ask, Choice, Pick, Selection, select};
use crate::report::{self, BackendFacts, Report, RunFacts, Subject};
use crate::session::{
    self, Durability, Finished, Interrupts, Moment, Offer, Opened, Places, RealWorld, RunRef,
    Setting, World, draw_seed,
};

use super::Start;
use super::before::{forecast, tell_once};
use super::bench::Bench;
use super::convene::Table;
use super::digests::{self, Known};
use super::error::CliError;
use super::forecast::money;
use super::gather::Gathering;
use super::history::{self, REPORT};
use super::left::Left;
use super::parts;
use super::prepare::Prepared;
use super::prompts::Prompts;
use super::recognise::{Heard, Memory};
use super::request::Request;

/// Hears the run's name as soon as there is one.
pub(crate) type Announce = fn(&str, &Start);

/// Reviews: nobody is convened over nothing.
pub(crate) fn review(
    mut prepared: Prepared,
    deep: bool,
    fresh: bool,
    announce: Option<Announce>,
    start: &Start,
) -> Result<Report, CliError> {
    let world = RealWorld::new();
    let moment = world.moment();
    if let Some((reason, why)) = nothing(&prepared) {
        return skipped(prepared, reason, why, &moment, &world);
    }
    let seed = draw_seed(&world)
        .map_err(|error| CliError::run(format!("there is no randomness: {error}")))?;
    let config = &prepared.config;
    let mut seats = Bench { config, deep }.seats()?;
    match prepared.packet.target.kind {
        TargetKind::File => Bench::must_think(&seats, "a document")?,
        TargetKind::Topic => Bench::must_think(&seats, "a question")?,
        _ => {}
    }
    let quorum = Bench { config, deep }.quorum(seats.len())?;
    let prompts = Prompts::for_seats(&seats, &prepared, &seed)?;
    if let Some(parts @ 2..) = prompts.as_deref().map(Prompts::parts) {
        seats = parts::seats(&seats, parts, config.settings.limits.agents)?;
        parts::settle(&mut prepared, parts);
    }
    let bench = Bench {
        config: &prepared.config,
        deep,
    };
    let templates = prompts.as_ref().map(|prompts| prompts.digest());
    let known = digests::of(&prepared, &seats, templates);
    let memory = Memory::of(&prepared, start);
    let heard = memory.as_ref().map(Memory::heard).unwrap_or_default();
    let mut hearsay = Vec::new();
    let recalled = memory.as_ref().filter(|_| !fresh);
    if let Some(report) = recalled.and_then(|m| m.recall(&known, &heard, &mut hearsay)) {
        return Ok(report);
    }
    let (run, _held) = begin(&prepared, &seats, start, &world, &moment)?;
    Request::keep(start, &run);
    if let Some(announce) = announce {
        announce(&run.name, start);
    }
    tell_once(
        &forecast(prompts.as_deref(), &seats, &prepared),
        &prepared,
        &world,
        start,
    );
    let council = Council {
        start,
        world: &world,
        prepared: &prepared,
        bench,
        quorum,
        seed,
        prompts,
        run,
        known,
        memory,
        heard,
        hearsay,
        gathering: None,
    };
    let held = council.hold(&seats);
    if held.is_err() {
        council.forget();
    }
    held
}

/// Holds a council that comes to a document and to no verdict.
pub(crate) fn gather(
    prepared: Prepared,
    gathering: &Gathering,
    start: &Start,
) -> Result<Report, CliError> {
    let world = RealWorld::new();
    let seats = &gathering.seats;
    let seed = draw_seed(&world)
        .map_err(|error| CliError::run(format!("there is no randomness: {error}")))?;
    let prompts = Prompts::for_mode(seats, &prepared, &seed, gathering.mode)?;
    let moment = world.moment();
    let slug = &prepared.packet.target.slug;
    let run = RunRef::create(&world, &places(&prepared), slug, &moment)?;
    let _held = history::hold(&run)?;
    Request::keep(start, &run);
    let templates = prompts.as_ref().map(|prompts| prompts.digest());
    let known = digests::of(&prepared, seats, templates);
    let council = Council {
        start,
        world: &world,
        prepared: &prepared,
        bench: Bench {
            config: &prepared.config,
            deep: false,
        },
        // One agent is enough for a document (seed 002, "Graceful Degradation").
        quorum: 1,
        seed,
        prompts,
        run,
        known,
        // There is no verdict to recognise or to keep.
        memory: None,
        heard: Heard::default(),
        hearsay: Vec::new(),
        gathering: Some(gathering),
    };
    let held = council.hold(seats);
    if held.is_err() {
        council.forget();
    }
    held
}

/// Goes on with a run, over the same change.
pub(crate) fn resume(prepared: Prepared, left: &Left, start: &Start) -> Result<Report, CliError> {
    let world = RealWorld::new();
    let mut prepared = prepared;
    // The names may have moved on; the run is told by the ones that it was given.
    let mut packet = (*prepared.packet).clone();
    packet.target = left.journal.header.target.clone();
    packet.framing = left.plan.framing.clone();
    prepared.packet = Arc::new(packet);
    let (past, header) = (&left.past, &left.journal.header);
    let run = RunRef::again(
        &world,
        &places(&prepared),
        &past.name,
        &header.started,
        &past.folder,
    )?;
    let seats: Vec<Seat> = left.plan.seats.iter().map(|p| p.seat.clone()).collect();
    let prompts = Prompts::for_seats(&seats, &prepared, &left.plan.seed)?;
    let templates = prompts.as_ref().map(|prompts| prompts.digest());
    let known = digests::of(&prepared, &seats, templates);
    let council = Council {
        start,
        world: &world,
        prepared: &prepared,
        bench: Bench {
            config: &prepared.config,
            deep: false,
        },
        quorum: left.plan.quorum,
        seed: left.plan.seed.clone(),
        prompts,
        run,
        known,
        memory: Memory::of(&prepared, start),
        heard: Heard::default(),
        hearsay: Vec::new(),
        gathering: None,
    };
    council.go_on(left, &seats)
}

/// Makes the run's folder and holds it. Where nothing is paid for, a disk that cannot be written costs the folder only.
fn begin(
    prepared: &Prepared,
    seats: &[Seat],
    start: &Start,
    world: &RealWorld,
    moment: &Moment,
) -> Result<(RunRef, Option<File>), CliError> {
    let slug = &prepared.packet.target.slug;
    let kept = RunRef::create(world, &places(prepared), slug, moment)
        .map_err(CliError::from)
        .and_then(|run| Ok((history::hold(&run)?, run)));
    match kept {
        Ok((held, run)) => Ok((run, held)),
        Err(error) if seats.iter().any(|seat| seat.agent.kind.is_paid()) => Err(error),
        Err(error) => {
            let unkept = format!("the run cannot be kept: {}", error.message);
            start.console.warning(&unkept);
            let run = RunRef::create(world, &Places::default(), slug, moment)?;
            Ok((run, None))
        }
    }
}

/// The verdict that was made before over this change by the council of the configuration, if there is one.
pub(crate) fn recall(prepared: &Prepared, start: &Start) -> Result<Option<Report>, CliError> {
    let Some(memory) = Memory::of(prepared, start).filter(|_| nothing(prepared).is_none()) else {
        return Ok(None);
    };
    let bench = Bench {
        config: &prepared.config,
        deep: false,
    };
    let seats = bench.seats()?;
    let seed = draw_seed(&RealWorld::new())
        .map_err(|error| CliError::run(format!("there is no randomness: {error}")))?;
    let prompts = Prompts::for_seats(&seats, prepared, &seed)?;
    let templates = prompts.as_ref().map(|prompts| prompts.digest());
    let known = digests::of(prepared, &seats, templates);
    Ok(memory.recall(&known, &memory.heard(), &mut Vec::new()))
}

/// Why there is nothing to review, if there is nothing.
pub(super) fn nothing(prepared: &Prepared) -> Option<(Reason, String)> {
    if let Some(why) = &prepared.change.nothing {
        return Some((Reason::NothingToReview, why.clone()));
    }
    if prepared.packet.target.kind == TargetKind::Topic {
        return None;
    }
    let coverage = &prepared.packet.coverage;
    let is_skipped = |file: &FileCoverage| matches!(file.state, CoverageState::Skipped { .. });
    coverage
        .files
        .iter()
        .all(is_skipped)
        .then(|| (Reason::AllSkipped, all_skipped(coverage)))
}

/// The most skipped files that are named.
const MOST_NAMED: usize = 3;

fn all_skipped(coverage: &Coverage) -> String {
    let one = |file: &FileCoverage| match &file.state {
        CoverageState::Skipped { reason } => format!("{}: {reason}", file.path.display()),
        _ => file.path.display().into_owned(),
    };
    let mut named: Vec<String> = coverage.files.iter().take(MOST_NAMED).map(one).collect();
    match coverage.files.len().saturating_sub(MOST_NAMED) {
        0 => {}
        more => named.push(format!("and {more} more")),
    }
    format!("every changed file is left out ({})", named.join("; "))
}

/// A report without a run: nothing was asked, so nothing is kept.
fn skipped(
    prepared: Prepared,
    reason: Reason,
    why: String,
    moment: &Moment,
    world: &RealWorld,
) -> Result<Report, CliError> {
    let run = RunRef::create(
        world,
        &Places::default(),
        &prepared.packet.target.slug,
        moment,
    )?;
    let facts = RunFacts {
        duration_ms: world.now_ms(),
        ..facts(&run)
    };
    let subject = Subject::of(&prepared.packet);
    let mut report = Report::skipped(
        subject,
        prepared.packet.coverage.clone(),
        reason,
        why,
        facts,
    );
    report.notes = prepared.notes;
    Ok(report)
}

/// What is known of a run before anybody sits.
fn facts(run: &RunRef) -> RunFacts {
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

/// The built-in backend whose judges read the packet's folder.
const WORKERS: &str = "background";

/// A council that can be convened.
struct Council<'a> {
    start: &'a Start,
    world: &'a RealWorld,
    prepared: &'a Prepared,
    bench: Bench<'a>,
    quorum: u32,
    seed: Seed,
    /// What agents that read text are sent; none: no seat needs it.
    prompts: Option<Arc<Prompts>>,
    run: RunRef,
    /// What the verdict depends on.
    known: Known,
    memory: Option<Memory<'a>>,
    heard: Heard,
    /// Verdicts of others that do not count.
    hearsay: Vec<String>,
    /// What comes to a document instead of a verdict.
    gathering: Option<&'a Gathering>,
}

/// A room, removed with the value.
struct Room(tempfile::TempDir);

impl Drop for Room {
    fn drop(&mut self) {
        // What is left of it is no part of the verdict.
        let _ = room::remove(self.0.path());
    }
}

impl Council<'_> {
    fn hold(&self, seats: &[Seat]) -> Result<Report, CliError> {
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
        let room = self.room()?;
        let finished = session::run(
            &self.setting(room.as_ref(), seats),
            offers,
            self.world,
            Interrupts::Signals,
        );
        drop(room);
        let report = self.report(finished?, &selection);
        if let Err(error) = self.keep(&report) {
            // The verdict is there all the same, and shown.
            self.start.console.warning(&error.message);
        }
        Ok(report)
    }

    /// The same with a plan and a journal that are there, in the backend that ran them.
    fn go_on(&self, left: &Left, seats: &[Seat]) -> Result<Report, CliError> {
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
        let room = self.room()?;
        let finished = session::resume(
            &self.setting(room.as_ref(), seats),
            offer,
            &left.journal,
            self.world,
            Interrupts::Signals,
        );
        drop(room);
        let report = self.report(finished?, &selection);
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
            coverage: self.shown_to(seat),
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
                dismissed: self.heard.dismissals.clone(),
                ..self.bench.options()
            },
        };
        match self.gathering {
            Some(gathering) => gathering.shape(plan),
            None => plan,
        }
    }

    /// A change, or a text without one.
    fn matter(&self) -> Matter {
        match self.prepared.packet.target.kind {
            TargetKind::File | TargetKind::Topic | TargetKind::Stage => Matter::Text,
            _ => Matter::Change,
        }
    }

    /// Built-in judges see the whole change, models what their brief shows.
    fn shown_to(&self, seat: &Seat) -> Arc<Coverage> {
        match &self.prompts {
            Some(prompts) if seat.agent.kind.reads_text() => prompts.coverage(&seat.judge),
            _ => Arc::clone(&self.prepared.coverage),
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

    /// The room of agents that are programs: an export of the reviewed tree, away from the repository.
    fn room(&self) -> Result<Option<Room>, CliError> {
        let blobs = &*self.prepared.change.blobs;
        if self.prompts.is_none() || !blobs.has_blobs() {
            return Ok(None);
        }
        let cannot = |error| CliError::run(format!("cannot export the reviewed tree: {error}"));
        let folder = tempfile::Builder::new()
            .prefix("council-room-")
            .tempdir()
            .map_err(cannot)?;
        room::export(blobs, folder.path(), &RoomBounds::default()).map_err(cannot)?;
        Ok(Some(Room(folder)))
    }

    fn setting(&self, room: Option<&Room>, seats: &[Seat]) -> Setting {
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
            filing: self
                .gathering
                .and_then(|gathering| gathering.filing.clone()),
            room: room.map(|Room(folder)| folder.path().to_path_buf()),
            max_answer_bytes: self.prepared.config.settings.limits.answer,
            money: money(&self.prepared.config.settings),
            listener: self.listener(seats),
        }
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
            digests: self.known.digests.clone(),
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
        let session = self.prepared.config.settings.output.session;
        if let Some(text) = report::markdown::session(report).filter(|_| session) {
            self.write(self.run.artefact("session.md"), text.as_bytes())?;
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

    /// Removes the folder of a run that nothing was written to.
    fn forget(&self) {
        history::forget(&self.run);
    }
}
