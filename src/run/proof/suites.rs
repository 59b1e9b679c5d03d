//! The commands by which the user lets tests be run.

use super::setup;
use crate::config::ProofSettings;

/// The name of `proof.run` among the commands.
const FIRST_SUITE: &str = "run";

/// The user's commands by name, the first one first.
pub(super) fn suites_of(settings: &ProofSettings) -> Vec<(String, &[String])> {
    let first = (FIRST_SUITE.to_owned(), settings.run.as_slice());
    let others = settings.suites.iter();
    let others = others.map(|(name, argv)| (name.clone(), argv.as_slice()));
    let others = others.filter(|(name, _)| name != FIRST_SUITE);
    let all = std::iter::once(first).chain(others);
    all.filter(|(_, argv)| setup::runs_the_test(argv)).collect()
}
