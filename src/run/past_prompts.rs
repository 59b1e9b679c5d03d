//! What the agents of a run of the past were sent.

use std::sync::Arc;

use council_protocol::Seat;

use crate::run::context::RunContext;
use crate::run::error::RunError;
use crate::run::loaded::LoadedRun;
use crate::run::prompts::SeatPrompts;
use crate::run::resume::prepare_again;
use crate::run::stored_request::StoredRequest;
use crate::session::PromptRenderer;

/// Renders what the agents of a run were sent, from the change as it was; none: nobody was sent anything.
pub(crate) fn run_prompter(
    left: &LoadedRun,
    start: &RunContext,
) -> Result<Option<Arc<dyn PromptRenderer>>, RunError> {
    let stored = StoredRequest::load_request(&left.past, start)?;
    if stored.mode().is_some() {
        return Err(RunError::usage(format!(
            "the prompts of {} cannot be told: it is no review",
            left.past.name
        )));
    }
    let (review, start) = stored.restore(start)?;
    let prepared = prepare_again(&review, &start, left)?;
    let seats: Vec<Seat> = left.plan.seats.iter().map(|p| p.seat.clone()).collect();
    let prompts = SeatPrompts::for_review(&seats, &prepared, &left.plan.seed, left.plan.quorum)?;
    Ok(prompts.map(|prompts| prompts as Arc<dyn PromptRenderer>))
}
