//! Verdicts by another rule from answers that are there: it costs nothing.

use crate::council::plan::ConsensusRule;
use crate::eval::trials::TrialResult;
use crate::run::error::RunError;
use crate::run::eval::files::EvalFiles;
use crate::run::loaded::LoadedRun;
use crate::run::store::StoredRun;
use crate::session::replay_council;

/// The same trial under another rule of the verdict. What it took stays what it was.
pub(crate) fn recount_trial(
    result: &TrialResult,
    rule: ConsensusRule,
    files: &EvalFiles,
) -> Result<TrialResult, RunError> {
    // Nobody was asked: there is nothing to count.
    if result.run.is_empty() {
        return Ok(result.clone());
    }
    let past = StoredRun {
        name: result.run.clone(),
        folder: files.runs().join("runs").join(&result.run),
    };
    let LoadedRun {
        mut plan, journal, ..
    } = LoadedRun::load(past, None)?;
    plan.consensus = rule;
    let outcome = replay_council(plan, &journal.entries)
        .map_err(|error| RunError::run(format!("{}: {error}", result.run)))?;
    Ok(TrialResult {
        dollars: result.dollars,
        unpriced: result.unpriced.clone(),
        seconds: result.seconds,
        ..TrialResult::of_outcome(result.key.clone(), result.run.clone(), &outcome)
    })
}
