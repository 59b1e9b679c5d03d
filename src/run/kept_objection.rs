//! An objection that was put together from files: a gate of this repository hears of it like of any other.

use crate::git::RepositoryPaths;
use crate::memory::StandingObjections;
use crate::report::Report;
use crate::run::context::RunContext;

/// Keeps what stands against a change. Nothing is taken back by it: whoever wrote the files may have written a PASS.
pub(crate) fn keep_objection(report: &Report, start: &RunContext) {
    // No hook runs there, and a file of the checkout is nobody's word.
    if start.environment.is_ci() {
        return;
    }
    let place = RepositoryPaths::discover(&start.dir, &start.git_environment());
    let Some(dir) = place.ok().and_then(|place| place.memory_dir()) else {
        return;
    };
    if let Err(error) = StandingObjections::new(&dir, start.signing_key()).keep(report) {
        let warning = format!("the verdict could not be remembered for a gate: {error}");
        start.notifier.warn(&warning);
    }
}
