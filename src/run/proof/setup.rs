//! What is wrong with `[proof]` as it is set up, in words.

use std::collections::BTreeSet;
use std::ffi::OsStr;

use council_agents::guard::is_enforceable;
use council_agents::trial::find_program;

use super::suites::suites_of;
use super::unread_link::UnreadLink;
use crate::config::ProofSettings;
use crate::run::context::RunContext;

/// What stands for the test in a command.
const MARKS: [&str; 3] = ["{file}", "{dir}", "{name}"];

/// Why a command without any of them is not run: whatever the suite of the repository does would prove any finding.
pub(super) const NO_MARK: &str = "its command names none of {file}, {dir} and {name}, so that it would not run the test that a judge brings";

/// Whether a command runs the test of a judge.
pub(super) fn runs_the_test(argv: &[String]) -> bool {
    let has_mark = |word: &String| MARKS.iter().any(|mark| word.contains(mark));
    argv.iter().any(has_mark)
}

/// Whether the user set any command.
pub(super) fn is_set(settings: &ProofSettings) -> bool {
    !settings.run.is_empty() || settings.suites.values().any(|argv| !argv.is_empty())
}

/// What the user must know of it before a review: commands that are not run, and folders that cannot be read.
pub(crate) fn faults(settings: &ProofSettings) -> Vec<String> {
    let idle = all_commands(settings).filter(|(_, argv)| !argv.is_empty() && !runs_the_test(argv));
    let idle = idle.map(|(key, _)| {
        let why = NO_MARK.replacen("its command", "the command", 1);
        format!("`{key}` is not run: {why}")
    });
    let unread = settings.read.iter().filter_map(|path| {
        let why = match (path.is_absolute(), path.exists()) {
            (false, _) => "write its whole path, from `/` on",
            (true, false) => "it is not there",
            (true, true) => return None,
        };
        let path = path.display();
        Some(format!(
            "tests of judges cannot read `{path}` (`proof.read`): {why}"
        ))
    });
    let links = all_commands(settings).filter_map(|(key, argv)| {
        let program = argv.first()?;
        let (named, link) = UnreadLink::of_command(program, &settings.read)?;
        Some(format!("`{key}` cannot start: {}", link.describe(&named)))
    });
    idle.chain(unread).chain(links).collect()
}

/// Every command that runs tests, with the key that sets it.
fn all_commands(settings: &ProofSettings) -> impl Iterator<Item = (String, &Vec<String>)> {
    let first = ("proof.run".to_owned(), &settings.run);
    let suites = settings.suites.iter();
    let others = suites.map(|(name, argv)| (format!("proof.suites.{name}"), argv));
    std::iter::once(first).chain(others)
}

/// Why no judge is asked for a test; none: `[proof]` is not set.
pub(crate) fn unasked(settings: &ProofSettings) -> Option<String> {
    is_set(settings).then(|| {
        "no test of a judge is ever asked for: that takes a second round, which these judges do not have".to_owned()
    })
}

/// Whether tests of judges can be run here, and what is in their way, as far as that can be told without running one;
/// `asks_tests`: whether there may be the round in which judges are asked for them.
pub(crate) fn state(settings: &ProofSettings, asks_tests: bool, start: &RunContext) -> Vec<String> {
    if !is_set(settings) {
        return Vec::new();
    }
    let mut told = faults(settings);
    if !asks_tests {
        told.extend(unasked(settings));
        return told;
    }
    let path = start.environment.get("PATH").map(OsStr::to_owned);
    let suites = suites_of(settings);
    let of_setup = settings.setup.first().map(String::as_str);
    let of_suites = || suites.iter().map(|(_, argv)| argv[0].as_str());
    let programs: BTreeSet<&str> = of_suites().chain(of_setup).collect();
    let is_there = |program: &str| find_program(program, path.as_ref()).is_some();
    let can_start = |program: &str| {
        is_there(program) && UnreadLink::of_command(program, &settings.read).is_none()
    };
    let absent = programs.iter().filter(|program| !is_there(program));
    told.extend(
        absent
            .map(|program| format!("tests of judges: there is no program `{program}` on the PATH")),
    );
    let state = if start.environment.is_ci() {
        "tests of judges are not run in a job of CI"
    } else if !of_suites().any(can_start) || !of_setup.is_none_or(can_start) {
        "tests of judges are not run here: no command of `[proof]` can be"
    } else if is_enforceable() {
        "tests of judges are run here, behind borders that the first one tries"
    } else {
        "tests of judges are not run here: this kernel cannot keep a program from files (Linux 6.2 or later, with Landlock)"
    };
    told.push(state.to_owned());
    told
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn what_would_be_dropped_without_a_word_is_told() {
        let words = |argv: &[&str]| argv.iter().map(|&word| word.to_owned()).collect();
        let with = |run: &[&str], read: &[&str]| {
            faults(&ProofSettings {
                run: words(run),
                suites: [("web".to_owned(), words(&["node", "{file}"]))].into(),
                setup: Vec::new(),
                timeout: 1,
                memory: 1,
                network: false,
                read: read.iter().map(PathBuf::from).collect(),
                env: Vec::new(),
            })
        };
        assert_eq!(with(&["pytest", "{file}"], &["/"]), [""; 0]);
        assert_eq!(with(&["sh", "-c", "pytest {dir}"], &[]), [""; 0]);
        assert_eq!(with(&[], &[]), [""; 0], "it is not set");
        for run in [&["pytest"][..], &["pytest", "{files}"]] {
            let told = with(run, &[]);
            assert!(
                told.len() == 1 && told[0].contains("`proof.run`"),
                "{told:?}"
            );
        }
        let told = with(&["pytest", "{file}"], &["~/.cargo", "/no/such/folder"]);
        assert!(
            told[0].contains("`~/.cargo`") && told[1].contains("not there"),
            "{told:?}"
        );
    }
}
