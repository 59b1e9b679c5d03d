//! What is told before anybody is asked: what leaves the machine, to whom, and what it may cost.

use std::path::Path;

use council_protocol::Seat;

use crate::council::plan::Seed;
use crate::session::{Durability, Prompter as _, RealWorld, World as _};
use crate::text::Untrusted;

use super::Start;
use super::bench::Bench;
use super::error::CliError;
use super::forecast::Forecast;
use super::hold::places;
use super::nothing::nothing;
use super::parts;
use super::prepare::Prepared;
use super::prompts::Prompts;

/// What a review would send, to whom, and what that may cost. Nobody is asked.
pub(crate) fn dry_run(prepared: &Prepared, deep: bool) -> Result<String, CliError> {
    if let Some((_, why)) = nothing(prepared) {
        return Ok(format!(
            "nothing to review: {}\n",
            Untrusted::new(&why).line()
        ));
    }
    let config = &prepared.config;
    let seats = Bench { config, deep }.seats()?;
    // The fence's mark has the same length whatever is drawn.
    let seed = Seed("0".repeat(64));
    let prompts = Prompts::for_seats(&seats, prepared, &seed)?;
    let seats = match prompts.as_deref().map(Prompts::parts) {
        Some(parts @ 2..) => parts::seats(&seats, parts, u64::MAX)?,
        _ => seats,
    };
    let forecast = forecast(prompts.as_deref(), &seats, prepared);
    Ok(forecast.lines().iter().map(|line| clean(line)).collect())
}

/// A line of the forecast as a terminal may have it, with its indent.
fn clean(line: &str) -> String {
    let text = line.trim_start();
    let indent = line.len() - text.len();
    format!("{:indent$}{}\n", "", Untrusted::new(text).line())
}

/// The forecast of a run that is prepared.
pub(super) fn forecast(prompts: Option<&Prompts>, seats: &[Seat], prepared: &Prepared) -> Forecast {
    let brief = |seat: &Seat| prompts.map_or(0, |prompts| prompts.brief(seat).len() as u64);
    let seats: Vec<(&Seat, u64)> = seats.iter().map(|seat| (seat, brief(seat))).collect();
    let coverage = prompts.map_or_else(|| (*prepared.coverage).clone(), Prompts::seen);
    let redactions = prompts.map_or(0, Prompts::redactions);
    Forecast::of(&seats, redactions, &coverage, &prepared.config.settings)
}

/// The file in which a repository's recipients stand that somebody was told of.
const TOLD: &str = "told";

/// Says once per repository and recipient what leaves the machine, before it does.
pub(super) fn tell_once(
    forecast: &Forecast,
    prepared: &Prepared,
    world: &RealWorld,
    start: &Start,
) {
    let runs = places(prepared).runs.map(|runs| runs.path());
    let told = runs
        .as_deref()
        .and_then(Path::parent)
        .map(|folder| folder.join(TOLD));
    let before = told
        .as_ref()
        .and_then(|path| world.disk().read(path).ok())
        .unwrap_or_default();
    let before = String::from_utf8_lossy(&before).into_owned();
    let recipients = forecast.recipients();
    let is_known = |name: &str| before.lines().any(|known| known == name);
    if recipients.lines().all(is_known) {
        return;
    }
    for line in forecast.lines() {
        start.console.tell(&clean(&line));
    }
    if let Some(path) = told {
        // Told again next time is the worst that can come of it.
        let _ = world.disk().write(
            &path,
            format!("{before}{recipients}").as_bytes(),
            Durability::Cheap,
        );
    }
}
