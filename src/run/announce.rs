//! What is told before anybody is asked: what leaves the machine, to whom, and what it may cost.

use std::path::Path;
use std::sync::Arc;

use council_protocol::Seat;

use crate::council::plan::RunSeed;
use crate::session::{PromptRenderer as _, RealWorld, SessionWorld as _, WriteDurability};
use crate::text::Untrusted;

use crate::run::context::RunContext;
use crate::run::error::RunError;
use crate::run::estimate::{BriefSize, CostForecast, JudgeTurns, RunEstimate};
use crate::run::hidden_files::HIDDEN_GAP;
use crate::run::nothing::reason_to_skip;
use crate::run::prepare::PreparedReview;
use crate::run::prompts::SeatPrompts;
use crate::run::saved_run::run_places;
use crate::run::seats::SeatPlanner;
use crate::run::{shards, whole};

/// What a review would send, to whom, and what that may cost. Nobody is asked.
pub(crate) fn describe_dry_run(
    prepared: &PreparedReview,
    deep: bool,
    start: &RunContext,
) -> Result<String, RunError> {
    if let Some((_, why)) = reason_to_skip(prepared) {
        return Ok(format!(
            "nothing to review: {}\n",
            Untrusted::new(&why).line()
        ));
    }
    let PlannedCalls {
        prompts,
        seats,
        forecast,
    } = plan_calls(prepared, deep)?;
    let config = &prepared.config;
    let idle_keys = SeatPlanner { config, deep }.idle_key_notes(&seats);
    let mut lines = forecast.render_lines();
    lines.extend(prepared.hidden.as_ref().map(|_| HIDDEN_GAP.to_owned()));
    lines.extend(whole::suggest_whole_review(
        prepared,
        prompts.as_deref(),
        &seats,
        start,
    ));
    let of_prompts = prompts
        .as_deref()
        .map(|prompts| prompts.notes(&prepared.change));
    let notes = prepared
        .notes
        .iter()
        .cloned()
        .chain(idle_keys)
        .chain(of_prompts.into_iter().flatten());
    lines.extend(notes.map(|note| format!("note: {note}")));
    Ok(lines.iter().map(|line| clean_line(line) + "\n").collect())
}

/// Who would be asked in a review, and what that may cost.
struct PlannedCalls {
    prompts: Option<Arc<SeatPrompts>>,
    seats: Vec<Seat>,
    forecast: RunEstimate,
}

fn plan_calls(prepared: &PreparedReview, deep: bool) -> Result<PlannedCalls, RunError> {
    let config = &prepared.config;
    let planned = SeatPlanner { config, deep }.plan_bench(&prepared.packet)?;
    let (seats, quorum) = (planned.seats, planned.quorum);
    // The fence's mark has the same length whatever is drawn.
    let seed = RunSeed("0".repeat(64));
    let prompts = SeatPrompts::for_review(&seats, prepared, &seed, quorum)?;
    let seats = match prompts.as_deref().map(SeatPrompts::shard_count) {
        Some(parts @ 2..) => shards::seats_for_shards(&seats, parts, u64::MAX)?,
        _ => seats,
    };
    let forecast = estimate_run(prompts.as_deref(), &seats, prepared);
    Ok(PlannedCalls {
        prompts,
        seats,
        forecast,
    })
}

/// What a review would cost. Nothing is asked.
pub(crate) fn forecast_cost(prepared: &PreparedReview) -> Result<CostForecast, RunError> {
    match reason_to_skip(prepared) {
        Some(_) => Ok(CostForecast::default()),
        None => Ok(plan_calls(prepared, false)?.forecast.cost()),
    }
}

/// Of whom in a review nobody will ever know what an answer costs; none: nothing is sent, so that nothing is known of it.
pub(crate) fn uncountable_recipients(
    prepared: &PreparedReview,
) -> Result<Option<Vec<String>>, RunError> {
    if reason_to_skip(prepared).is_some() {
        return Ok(None);
    }
    let forecast = plan_calls(prepared, false)?.forecast;
    let unknown = || forecast.uncountable().into_iter().map(str::to_owned);
    Ok(forecast.sends_anything().then(|| unknown().collect()))
}

/// A line of the forecast as a terminal may have it, with its indent.
fn clean_line(line: &str) -> String {
    let text = line.trim_start();
    let indent = line.len() - text.len();
    format!("{:indent$}{}", "", Untrusted::new(text).line())
}

/// The forecast of a review that is prepared.
pub(crate) fn estimate_run(
    prompts: Option<&SeatPrompts>,
    seats: &[Seat],
    prepared: &PreparedReview,
) -> RunEstimate {
    let turns = match prompts {
        Some(prompts) if prompts.is_divided() => JudgeTurns::ONCE,
        _ => JudgeTurns::of(&prepared.config.settings, seats),
    };
    estimate_turns(turns, prompts, seats, prepared)
}

/// The forecast of a run in which each judge is asked so often.
pub(crate) fn estimate_turns(
    turns: JudgeTurns,
    prompts: Option<&SeatPrompts>,
    seats: &[Seat],
    prepared: &PreparedReview,
) -> RunEstimate {
    let brief = |seat: &Seat| {
        let brief = prompts.map(|prompts| BriefSize::of_text(&prompts.render_brief(seat)));
        brief.unwrap_or_default()
    };
    let seats: Vec<(&Seat, BriefSize)> = seats.iter().map(|seat| (seat, brief(seat))).collect();
    let coverage =
        prompts.map_or_else(|| (*prepared.coverage).clone(), SeatPrompts::shown_coverage);
    let redactions = prompts.map_or(0, SeatPrompts::redaction_count);
    let settings = &prepared.config.settings;
    let has_tree = prepared.change.blobs.has_blobs();
    RunEstimate::for_turns(turns, &seats, redactions, &coverage, settings, has_tree)
        .with_brief(prompts.map(SeatPrompts::brief_facts))
}

/// The file in which a repository's recipients stand that somebody was told of.
const TOLD: &str = "told";

/// Says once per repository and recipient what leaves the machine, before it does; and each time what no bound holds.
/// `is_heard`: somebody may read it. What nobody could read, the next run says again.
pub(crate) fn announce_once(
    forecast: &RunEstimate,
    prepared: &PreparedReview,
    world: &RealWorld,
    is_heard: bool,
    start: &RunContext,
) {
    if let Some(warning) = forecast.unbounded_warning(prepared.config.settings.limits.cost) {
        start.notifier.warn(&clean_line(&warning));
    }
    let runs = run_places(prepared).runs.map(|runs| runs.path());
    let told = runs
        .as_deref()
        .and_then(Path::parent)
        .map(|folder| folder.join(TOLD));
    let before = told
        .as_ref()
        .and_then(|path| world.disk().read_file(path).ok())
        .unwrap_or_default();
    let before = String::from_utf8_lossy(&before).into_owned();
    let recipients = forecast.list_recipients();
    let is_known = |name: &str| before.lines().any(|known| known == name);
    if recipients.lines().all(is_known) {
        return;
    }
    let lines: Vec<String> = forecast
        .render_lines()
        .iter()
        .map(|line| clean_line(line))
        .collect();
    start.notifier.announce(&lines);
    if let Some(path) = told.filter(|_| is_heard) {
        // Told again next time is the worst that can come of it.
        let _ = world.disk().write_file(
            &path,
            format!("{before}{recipients}").as_bytes(),
            WriteDurability::Cheap,
        );
    }
}
