//! The tests that judges brought about a finding, and what came of them.

use std::fmt::Write as _;

use crate::council::reproduction::ReproductionResult;
use crate::report;
use crate::run::context::RunContext;
use crate::run::error::RunError;
use crate::run::findings;
use crate::text::Untrusted;

/// The tests of a finding: what came of each, how it is repeated, and its files.
pub(crate) fn describe_tests(id: Option<&str>, start: &RunContext) -> Result<String, RunError> {
    let Some(id) = id else {
        return Err(
            RunError::usage("which finding is meant?").hint("git council show F1 --reproduction")
        );
    };
    let found = findings::find_finding(start, id, None)?;
    let name = findings::name_finding(&found.finding);
    let tests = found.tests();
    if tests.is_empty() {
        return Err(
            RunError::usage(format!("no judge brought a test about {name}"))
                .hint(
                "judges are asked for tests where `proof.run` is set and the second round of a debate is held; never \
                 in CI, for a patch or for a pull request: docs/proof.md",
            ),
        );
    }
    let mut out = format!("{name}\n");
    for test in tests {
        let what = format!("{}: {}", test.id, report::test_sentence(test));
        let _ = writeln!(out, "\n{}", Untrusted::new(&what).line());
        if let ReproductionResult::Ran {
            mended: Some(runs), ..
        } = &test.result
        {
            let tried = report::suggestion_words(&runs.check());
            let tried = format!("the suggestion: {tried}");
            let _ = writeln!(out, "{}", Untrusted::new(&tried).line());
        }
        // What names no command of the user's, or no plain file, has none.
        if !test.command.is_empty() {
            let was_run = matches!(test.result, ReproductionResult::Ran { .. });
            let word = if was_run { "repeat" } else { "run" };
            let repeat = format!("{word} it: {}", test.command);
            let _ = writeln!(out, "{}", Untrusted::new(&repeat).line());
        }
        for file in &test.files {
            let path = Untrusted::new(&file.path.display()).name();
            let _ = writeln!(out, "\n--- {path}");
            push_code(&mut out, &file.content);
        }
        if let ReproductionResult::Ran { output, .. } = &test.result
            && !output.is_empty()
        {
            let _ = writeln!(out, "\n--- its output after the change");
            push_code(&mut out, output);
        }
    }
    Ok(out)
}

fn push_code(out: &mut String, text: &str) {
    for line in Untrusted::new(text).code_lines() {
        let _ = writeln!(out, "{line}");
    }
}
