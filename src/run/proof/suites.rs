//! The commands by which the user lets tests be run.

use std::path::Path;

use super::setup;
use crate::config::ProofSettings;

/// The name of `proof.run` among the commands.
const FIRST_SUITE: &str = "run";

/// The most characters that are repeated of what a judge called a command.
const MAX_CALLED: usize = 60;

/// The user's commands by name, the first one first.
pub(super) fn suites_of(settings: &ProofSettings) -> Vec<(String, &[String])> {
    let first = (FIRST_SUITE.to_owned(), settings.run.as_slice());
    let others = settings.suites.iter();
    let others = others.map(|(name, argv)| (name.clone(), argv.as_slice()));
    let others = others.filter(|(name, _)| name != FIRST_SUITE);
    let all = std::iter::once(first).chain(others);
    all.filter(|(_, argv)| setup::runs_the_test(argv)).collect()
}

/// The command that a judge means: by its name, or by its program where no other one has that. The only one there is
/// cannot be mistaken for another, whatever a judge calls it.
pub(super) fn meant_suite<'s>(
    suites: &[(String, &'s [String])],
    called: &str,
) -> Result<&'s [String], String> {
    let called = called.trim();
    let is_run = |argv: &[String]| {
        let program = argv.first().map(Path::new).and_then(Path::file_name);
        program.is_some_and(|program| program == called)
    };
    let mut running = suites.iter().filter(|(_, argv)| is_run(argv));
    let by_program = running.next().filter(|_| running.next().is_none());
    let by_name = suites.iter().find(|(name, _)| name == called);
    let only = suites.first().filter(|_| suites.len() == 1);
    let found = by_name.or(by_program).or(only);
    found.map(|(_, argv)| *argv).ok_or_else(|| {
        let names: Vec<String> = suites.iter().map(|(name, _)| format!("`{name}`")).collect();
        let called: String = called.chars().take(MAX_CALLED).collect();
        format!(
            "it names the command `{called}`, which there is not: there are {}",
            names.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_known_by_its_name_or_its_program() {
        let words =
            |argv: &[&str]| -> Vec<String> { argv.iter().map(|&word| word.to_owned()).collect() };
        let (py, web) = (
            words(&["/venv/bin/pytest", "{file}"]),
            words(&["node", "--test", "{file}"]),
        );
        let slow = words(&["node", "slow.js", "{file}"]);
        let both = [("run".to_owned(), &*py), ("web".to_owned(), &*web)];
        assert_eq!(meant_suite(&both, " web "), Ok(&*web));
        assert_eq!(meant_suite(&both, "pytest"), Ok(&*py));
        assert_eq!(meant_suite(&both, "node"), Ok(&*web));
        let lost = meant_suite(&both, "jest").unwrap_err();
        assert!(
            lost.contains("`jest`") && lost.contains("`run`, `web`"),
            "{lost}"
        );
        let nodes = [("web".to_owned(), &*web), ("slow".to_owned(), &*slow)];
        assert!(meant_suite(&nodes, "node").is_err(), "two run it");
        assert_eq!(meant_suite(&both[..1], "unit tests"), Ok(&*py));
        assert!(meant_suite(&[], "run").is_err());
    }
}
