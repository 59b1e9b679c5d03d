//! What the receipt says about the run itself: made here and nowhere else.

use crate::report::RunFacts;
use crate::session::RunRef;

/// What is known of a run as soon as it has a name; every other fact is added to these.
pub(crate) fn run_facts(name: &str, started: &str) -> RunFacts {
    RunFacts {
        name: name.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        started: started.to_owned(),
        ..RunFacts::default()
    }
}

/// The same of a run that has its place.
pub(crate) fn base_facts(run: &RunRef) -> RunFacts {
    run_facts(&run.name, &run.started)
}
