//! From a prepared change to a council that is held: who sits, what they are sent, where the run is kept.

use council_protocol::Seat;

use crate::council::plan::RunSeed;
use crate::memory::is_objection;
use crate::report::Report;
use crate::session::{
    CalendarMoment, InterruptSource, RealWorld, RunFolders, RunLock, RunRef, SessionWorld as _,
    draw_seed,
};

use crate::run::announce::{announce_once, estimate_run, estimate_turns};
use crate::run::backends;
use crate::run::context::RunContext;
use crate::run::digests;
use crate::run::error::RunError;
use crate::run::estimate::JudgeTurns;
use crate::run::execute::CouncilRun;
use crate::run::kept_rules::keep_rules;
use crate::run::loaded::LoadedRun;
use crate::run::modes::document::DocumentMode;
use crate::run::nothing::{reason_to_skip, skipped_report};
use crate::run::prepare::PreparedReview;
use crate::run::prompts::SeatPrompts;
use crate::run::recognition::{KeptObjection, VerdictMemory};
use crate::run::recordings::check_recordings;
use crate::run::redaction::own_rules_text;
use crate::run::saved_run::{run_places, save_recognised_report};
use crate::run::seats::{SeatPlanner, lenses};
use crate::run::shards;
use crate::run::shown::UNSEEN;
use crate::run::stored_request::StoredRequest;
use crate::run::whole;

/// How a review is to be held, beside what its configuration says.
pub(crate) struct ConveneOptions<'a> {
    /// Three judges instead of two.
    pub(crate) deep: bool,
    /// No verdict of the past is recognised.
    pub(crate) fresh: bool,
    /// What was objected to stands, whatever this review comes to: a hook asks nobody anew, however often it runs.
    pub(crate) keeps_objections: bool,
    /// Hears the run's name as soon as it has one.
    pub(crate) on_named: Option<&'a dyn Fn(&str)>,
    pub(crate) interrupts: InterruptSource,
}

/// Reviews: nobody is convened over nothing.
pub(crate) fn convene_review(
    mut prepared: PreparedReview,
    options: ConveneOptions<'_>,
    start: &RunContext,
) -> Result<Report, RunError> {
    let ConveneOptions {
        deep,
        fresh,
        keeps_objections,
        on_named,
        interrupts,
    } = options;
    let world = start.sealing_world();
    let moment = world.read_calendar();
    if let Some((reason, why)) = reason_to_skip(&prepared) {
        let started_by = start.started_by.clone();
        let mut dismissals = VerdictMemory::known_dismissals(&prepared, start).dismissals;
        dismissals.extend(prepared.dismissed.iter().cloned());
        return skipped_report(
            &prepared,
            &dismissals,
            (reason, why),
            &moment,
            &world,
            started_by,
        );
    }
    let seed = draw_run_seed(&world)?;
    let config = &prepared.config;
    let planned = SeatPlanner { config, deep }.plan_bench(&prepared.packet)?;
    let (mut seats, quorum) = (planned.seats, planned.quorum);
    SeatPlanner::require_thinking_seats(&seats, prepared.packet.target.kind)?;
    check_recordings(&seats, &prepared.packet, &prepared.redactor)?;
    if let Some(request) = &prepared.request {
        lenses::add_focus(&mut seats, &request.focus);
    }
    let mut prompts = SeatPrompts::plan(&seats, &prepared, &seed, Some(quorum))?;
    if let Some(parts @ 2..) = prompts.as_ref().map(SeatPrompts::shard_count) {
        seats = shards::seats_for_shards(&seats, parts, config.settings.limits.agents)?;
        shards::apply_shard_rules(&mut prepared, parts);
    }
    if prompts.as_ref().is_some_and(SeatPrompts::is_spread) {
        shards::apply_spread_rules(&mut prepared);
    }
    prepared.notes.extend(planned.idle_note);
    if prompts.as_ref().is_some_and(SeatPrompts::leaves_out) {
        // What stands around the change is a part of what the review of all of it costs.
        context_today(&mut prompts, &prepared)?;
    }
    let suggestion = whole::suggest_whole_review(&prepared, prompts.as_ref(), &seats, start);
    prepared.notes.extend(suggestion);
    let bench = SeatPlanner {
        config: &prepared.config,
        deep,
    };
    let mut known = digests::compute_digests(
        &prepared,
        &seats,
        prompts.as_ref().map(SeatPrompts::template_digest),
    );
    known.key = prepared.whole_key.clone().unwrap_or(known.key);
    let memory = VerdictMemory::for_change(&prepared, start)
        .map(|memory| memory.keeping_objections(keeps_objections));
    let mut heard = VerdictMemory::known_dismissals(&prepared, start);
    heard.dismissals.extend(prepared.dismissed.iter().cloned());
    let mut hearsay = Vec::new();
    let recalled = memory.as_ref().filter(|_| !fresh);
    let mut around = || context_today(&mut prompts, &prepared);
    let mut recall =
        |m: &VerdictMemory<'_>| m.recall_verdict(&known, &heard, &mut around, &mut hearsay);
    let recalled = recalled.and_then(&mut recall);
    let (recalled, kept_note) = keep_objection(recalled, memory.as_ref());
    if let Some(report) = recalled {
        save_recognised_report(start, &world, &prepared, &report);
        return Ok(report);
    }
    hearsay.extend(kept_note);
    backends::prepare_connections(&seats, start);
    if let Some(memory) = &memory {
        memory.begin_notes();
    }
    let prompts = prompts.map(|planned| planned.fill(&prepared)).transpose()?;
    let (run, _held) = begin_run(&prepared, &seats, start, &world, &moment)?;
    if let Some(request) = &prepared.request {
        StoredRequest::save_request(request, None, start, &run);
    }
    let forecast = estimate_run(prompts.as_deref(), &seats, &prepared);
    let is_heard = on_named.is_some() || start.environment.get(UNSEEN).is_none();
    let name = run.name.clone();
    let tell = || {
        announce_once(&forecast, &prepared, &world, is_heard, start);
        // Whoever started a run in the background listens until it has a name: what is told to people stands before it.
        if let Some(on_named) = on_named {
            on_named(&name);
        }
    };
    let council = CouncilRun {
        bench,
        quorum,
        memory,
        heard,
        hearsay,
        ..CouncilRun::for_run(start, &world, &prepared, seed, prompts, known, run)
    };
    council.execute(&seats, interrupts, tell)
}

/// The verdict that is given without a council: the recalled one, unless a coding agent asks and models objected to the same
/// code. And what is told beside a council that is held all the same.
fn keep_objection(
    recalled: Option<Report>,
    memory: Option<&VerdictMemory<'_>>,
) -> (Option<Report>, Option<String>) {
    if recalled.as_ref().is_some_and(is_objection) {
        return (recalled, None);
    }
    match memory.and_then(VerdictMemory::objection_kept_from_agent) {
        Some(KeptObjection::Instead(report)) => (Some(*report), None),
        Some(KeptObjection::Beside(note)) => {
            let told = recalled.map(|mut report| {
                report.outcome.notes.push(note.clone());
                report
            });
            (told, Some(note))
        }
        None => (recalled, None),
    }
}

/// Holds a council that comes to a document and to no verdict.
pub(crate) fn convene_document(
    prepared: PreparedReview,
    gathering: &DocumentMode,
    start: &RunContext,
) -> Result<Report, RunError> {
    let world = start.sealing_world();
    let seats = &gathering.seats;
    let seed = draw_run_seed(&world)?;
    let prompts = SeatPrompts::for_mode(seats, &prepared, &seed, gathering.mode)?;
    let known = digests::compute_digests(
        &prepared,
        seats,
        prompts.as_deref().map(SeatPrompts::template_digest),
    );
    let (run, _held) = begin_run(&prepared, seats, start, &world, &world.read_calendar())?;
    let request = prepared.request.clone().unwrap_or_default();
    StoredRequest::save_request(&request, Some(&gathering.asked), start, &run);
    let turns = JudgeTurns::of_document(gathering.rounds);
    let forecast = estimate_turns(turns, prompts.as_deref(), seats, &prepared);
    // One agent is enough for a document, and there is no verdict to recognise.
    let council = CouncilRun {
        gathering: Some(gathering),
        ..CouncilRun::for_run(start, &world, &prepared, seed, prompts, known, run)
    };
    let tell = || announce_once(&forecast, &prepared, &world, true, start);
    council.execute(seats, InterruptSource::Signals, tell)
}

/// Goes on with such a council, over the same material.
pub(crate) fn resume_document(
    prepared: PreparedReview,
    gathering: &DocumentMode,
    left: &LoadedRun,
    start: &RunContext,
) -> Result<Report, RunError> {
    let world = start.sealing_world();
    let (seats, seed) = (&gathering.seats, left.plan.seed.clone());
    let run = reopen_run(&prepared, left, &world)?;
    let prompts = SeatPrompts::for_mode(seats, &prepared, &seed, gathering.mode)?;
    let known = digests::compute_digests(
        &prepared,
        seats,
        prompts.as_deref().map(SeatPrompts::template_digest),
    );
    let council = CouncilRun {
        gathering: Some(gathering),
        ..CouncilRun::for_run(start, &world, &prepared, seed, prompts, known, run)
    };
    council.resume_session(left, seats, InterruptSource::Signals)
}

/// The run that was left, with the places of its files.
pub(crate) fn reopen_run(
    prepared: &PreparedReview,
    left: &LoadedRun,
    world: &RealWorld,
) -> Result<RunRef, RunError> {
    let (past, header) = (&left.past, &left.journal.header);
    Ok(RunRef::reopen(
        world,
        &run_places(prepared),
        &past.name,
        &header.started,
        &past.folder,
    )?)
}

/// Goes on with a run, over the same change.
pub(crate) fn resume_run(
    prepared: PreparedReview,
    left: &LoadedRun,
    interrupts: InterruptSource,
    start: &RunContext,
) -> Result<Report, RunError> {
    let world = start.sealing_world();
    let run = reopen_run(&prepared, left, &world)?;
    let seats = left.seats();
    let prompts = SeatPrompts::for_review(&seats, &prepared, &left.plan.seed, left.plan.quorum)?;
    let known = digests::compute_digests(
        &prepared,
        &seats,
        prompts.as_deref().map(SeatPrompts::template_digest),
    );
    let council = CouncilRun {
        memory: VerdictMemory::for_change(&prepared, start),
        ..CouncilRun::for_run(
            start,
            &world,
            &prepared,
            left.plan.seed.clone(),
            prompts,
            known,
            run,
        )
    };
    council.resume_session(left, &seats, interrupts)
}

/// Makes the run's folder and holds it. Where nothing is paid for, a disk that cannot be written costs the folder only.
pub(crate) fn begin_run(
    prepared: &PreparedReview,
    seats: &[Seat],
    start: &RunContext,
    world: &RealWorld,
    moment: &CalendarMoment,
) -> Result<(RunRef, Option<RunLock>), RunError> {
    let slug = &prepared.packet.target.slug;
    let kept = RunRef::create(world, &run_places(prepared), slug, moment)
        .and_then(|run| Ok((run.acquire_lock(world.disk())?, run)))
        .map_err(RunError::from)
        .and_then(|(held, run)| {
            let worktree = prepared.change.place.workdir.as_deref();
            keep_rules(own_rules_text(&prepared.config.settings, worktree)?, &run)?;
            Ok((held, run))
        });
    match kept {
        Ok((held, run)) => Ok((run, held)),
        Err(error) if seats.iter().any(|seat| seat.agent.kind.is_paid()) => Err(error),
        Err(error) => {
            let unkept = format!("the run cannot be stored: {}", error.message);
            start.notifier.warn(&unkept);
            let run = RunRef::create(world, &RunFolders::default(), slug, moment)?;
            Ok((run, None))
        }
    }
}

/// The verdict that was made before over this change by the council of the configuration, if there is one.
pub(crate) fn recall_verdict(
    prepared: &PreparedReview,
    start: &RunContext,
) -> Result<Option<Report>, RunError> {
    let Some(memory) =
        VerdictMemory::for_change(prepared, start).filter(|_| reason_to_skip(prepared).is_none())
    else {
        return Ok(None);
    };
    let bench = SeatPlanner {
        config: &prepared.config,
        deep: false,
    };
    let seats = bench.plan_bench(&prepared.packet)?.seats;
    let seed = draw_run_seed(&RealWorld::new())?;
    let mut prompts = SeatPrompts::plan(&seats, prepared, &seed, None)?;
    let known = digests::compute_digests(
        prepared,
        &seats,
        prompts.as_ref().map(SeatPrompts::template_digest),
    );
    let heard = memory.load_dismissals();
    let mut around = || context_today(&mut prompts, prepared);
    Ok(memory.recall_verdict(&known, &heard, &mut around, &mut Vec::new()))
}

/// The objection that a review of this change came to last, however it was held: see [`VerdictMemory::standing_objection`].
pub(crate) fn standing_objection(prepared: &PreparedReview, start: &RunContext) -> Option<Report> {
    VerdictMemory::for_change(prepared, start)?.standing_objection()
}

/// The digest of the code around all of a change, as the council of the configuration would be shown it today.
pub(crate) fn surroundings_today(
    prepared: &PreparedReview,
    deep: bool,
) -> Result<Option<String>, RunError> {
    let config = &prepared.config;
    let bench = SeatPlanner { config, deep }.plan_bench(&prepared.packet)?;
    let seed = draw_run_seed(&RealWorld::new())?;
    let mut prompts = SeatPrompts::plan(&bench.seats, prepared, &seed, Some(bench.quorum))?;
    context_today(&mut prompts, prepared)
}

/// The digest of the code around the change as a brief would show it today; none: no judge reads a brief.
fn context_today(
    prompts: &mut Option<SeatPrompts>,
    prepared: &PreparedReview,
) -> Result<Option<String>, RunError> {
    let prompts = prompts.as_mut();
    prompts
        .map(|prompts| prompts.look_around(prepared))
        .transpose()
}

/// The random bytes of a run.
pub(crate) fn draw_run_seed(world: &RealWorld) -> Result<RunSeed, RunError> {
    draw_seed(world).map_err(|error| RunError::run(format!("cannot get random bytes: {error}")))
}
