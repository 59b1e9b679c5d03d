//! From a prepared change to a council that is held: who sits, what they are sent, where the run is kept.

use council_protocol::Seat;
use council_protocol::packet::TargetKind;

use crate::council::plan::Seed;
use crate::report::Report;
use crate::session::{Held, Interrupts, Moment, Places, RealWorld, RunRef, World as _, draw_seed};

use super::Start;
use super::before::{forecast, tell_once};
use super::bench::Bench;
use super::digests;
use super::error::CliError;
use super::gather::Gathering;
use super::hold::{Council, places};
use super::left::Left;
use super::nothing::{nothing, skipped};
use super::parts;
use super::prepare::Prepared;
use super::prompts::Prompts;
use super::recognise::Memory;
use super::request::Request;

/// Hears the run's name as soon as there is one.
pub(crate) type Announce = fn(&str, &Start);

/// Reviews: nobody is convened over nothing.
pub(crate) fn review(
    mut prepared: Prepared,
    deep: bool,
    fresh: bool,
    announce: Option<Announce>,
    interrupts: Interrupts,
    start: &Start,
) -> Result<Report, CliError> {
    let world = RealWorld::new();
    let moment = world.moment();
    if let Some((reason, why)) = nothing(&prepared) {
        return skipped(prepared, reason, why, &moment, &world);
    }
    let seed = draw(&world)?;
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
    let known = digests::of(&prepared, &seats, prompts.as_deref().map(Prompts::digest));
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
        bench,
        quorum,
        memory,
        heard,
        hearsay,
        ..Council::over(start, &world, &prepared, seed, prompts, known, run)
    };
    council.hold(&seats, interrupts)
}

/// Holds a council that comes to a document and to no verdict.
pub(crate) fn gather(
    prepared: Prepared,
    gathering: &Gathering,
    start: &Start,
) -> Result<Report, CliError> {
    let world = RealWorld::new();
    let seats = &gathering.seats;
    let seed = draw(&world)?;
    let prompts = Prompts::for_mode(seats, &prepared, &seed, gathering.mode)?;
    let known = digests::of(&prepared, seats, prompts.as_deref().map(Prompts::digest));
    let (run, _held) = begin(&prepared, seats, start, &world, &world.moment())?;
    Request::keep(start, &run);
    tell_once(
        &forecast(prompts.as_deref(), seats, &prepared),
        &prepared,
        &world,
        start,
    );
    // One agent is enough for a document (seed 002, "Graceful Degradation"), and there is no verdict to recognise.
    let council = Council {
        gathering: Some(gathering),
        ..Council::over(start, &world, &prepared, seed, prompts, known, run)
    };
    council.hold(seats, Interrupts::Signals)
}

/// Goes on with a run, over the same change.
pub(crate) fn resume(prepared: Prepared, left: &Left, start: &Start) -> Result<Report, CliError> {
    let world = RealWorld::new();
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
    let known = digests::of(&prepared, &seats, prompts.as_deref().map(Prompts::digest));
    let council = Council {
        memory: Memory::of(&prepared, start),
        ..Council::over(
            start,
            &world,
            &prepared,
            left.plan.seed.clone(),
            prompts,
            known,
            run,
        )
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
) -> Result<(RunRef, Option<Held>), CliError> {
    let slug = &prepared.packet.target.slug;
    let kept = RunRef::create(world, &places(prepared), slug, moment)
        .and_then(|run| Ok((run.hold(world.disk())?, run)))
        .map_err(CliError::from);
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
    let seed = draw(&RealWorld::new())?;
    let prompts = Prompts::for_seats(&seats, prepared, &seed)?;
    let known = digests::of(prepared, &seats, prompts.as_deref().map(Prompts::digest));
    Ok(memory.recall(&known, &memory.heard(), &mut Vec::new()))
}

/// The random bytes of a run.
pub(super) fn draw(world: &RealWorld) -> Result<Seed, CliError> {
    draw_seed(world).map_err(|error| CliError::run(format!("there is no randomness: {error}")))
}
