//! What Node says of modules that are not there, and who needs them.

use super::ending::{Missing, NO_IMPORT, NO_MODULE, TrialFacts};

/// The lines without what the program printed, where Node's runner says of each test how it ended: there a line of the
/// program begins with a mark. Where a file ended before its tests, its last words are among those lines.
pub(super) fn without_printed(lines: Vec<&str>) -> Vec<&str> {
    let has = |words: &str| {
        lines
            .iter()
            .any(|line| line.trim_start().starts_with(words))
    };
    let is_told = has("failureType: 'testCodeFailure'") && !has("exitCode: ");
    let is_kept = |line: &&str| !(is_told && line.starts_with("# "));
    lines.into_iter().filter(is_kept).collect()
}

/// What is missing, and to whom; none: Node says nothing of the kind.
pub(super) fn missing(lines: &[&str], facts: &TrialFacts<'_>) -> Option<Missing> {
    // What a program says of a module that it does without is no reason where a test got as far as to compare.
    let compared = lines.iter().any(|line| line.contains("ERR_ASSERTION"));
    let mut numbered = lines.iter().enumerate();
    numbered.find_map(|(at, line)| {
        if line.contains("does not provide an export named") {
            let importer = lines[..at]
                .iter()
                .rev()
                .find(|line| line.contains("file://"));
            return Some(whose(importer.copied(), true, NO_IMPORT, facts));
        }
        let is_absent =
            line.contains("Cannot find module") || line.contains("ERR_MODULE_NOT_FOUND");
        if !is_absent || compared {
            return None;
        }
        let module = line.split('\'').nth(1).unwrap_or_default();
        let named = line.split_once(" imported from ").map(|(_, from)| from);
        let stacked = || {
            let mut behind = lines[at + 1..].iter();
            behind.find(|line| line.contains("Require stack:"))?;
            behind.next().copied()
        };
        let importer = named.or_else(stacked);
        Some(whose(
            importer,
            facts.has_lost_module(module),
            NO_MODULE,
            facts,
        ))
    })
}

/// Whether a line gives the code of an error that the borders of a test raise.
pub(super) fn is_refusal(line: &str) -> bool {
    let told = line.trim().trim_end_matches(',').strip_prefix("code: '");
    let codes = ["EPERM", "EACCES", "EROFS", "EAFNOSUPPORT"];
    told.and_then(|told| told.strip_suffix('\''))
        .is_some_and(|code| codes.contains(&code))
}

/// Whether the test lacks it, or the code of the change, which had it before.
fn whose(
    importer: Option<&str>,
    was_there: bool,
    why: &'static str,
    facts: &TrialFacts<'_>,
) -> Missing {
    let is_of_change = |line: &str| {
        let ended = format!("{line}:");
        !facts.is_of_test(&ended) && !line.contains("node_modules/")
    };
    if was_there && importer.is_some_and(is_of_change) {
        Missing::InChange
    } else {
        Missing::InTest(why)
    }
}

#[cfg(test)]
mod tests {
    use council_protocol::reproduction::ReproductionFile;

    use super::super::whose_test::OwnTests;
    use super::*;

    fn told(output: &str) -> Option<Missing> {
        let own = OwnTests::of_files(&[ReproductionFile {
            path: "test/r.test.mjs".into(),
            content: String::new(),
        }]);
        let facts = TrialFacts {
            own: &own,
            gone: &["src/util.mjs".to_owned()],
            is_edited: false,
            is_renamed: &|_| false,
            runners: &[],
            refused: None,
        };
        missing(&without_printed(output.lines().collect()), &facts)
    }

    #[test]
    fn what_the_code_of_a_change_has_lost_is_a_defect() {
        let export = |importer: &str| {
            told(&format!(
                "# file:///x/{importer}:1\n# import {{h}} from './util.mjs';\n#         ^\n# SyntaxError: The requested \
                 module './util.mjs' does not provide an export named 'h'\n  exitCode: 1\n"
            ))
        };
        let import = |module: &str, importer: &str| {
            told(&format!(
                "Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/x/src/{module}' imported from /x/{importer}\n"
            ))
        };
        let require = |module: &str, importer: &str| {
            told(&format!(
                "# Error: Cannot find module './{module}'\n# Require stack:\n# - /x/{importer}\n# - /x/other.js\n"
            ))
        };
        let (code, test) = ("calc.mjs", "test/r.test.mjs");
        assert_eq!(export(code), Some(Missing::InChange));
        assert_eq!(export(test), Some(Missing::InTest(NO_IMPORT)));
        assert_eq!(
            export("node_modules/a/b.mjs"),
            Some(Missing::InTest(NO_IMPORT))
        );
        for said in [import, require] {
            assert_eq!(said("util.mjs", code), Some(Missing::InChange));
            assert_eq!(said("util.mjs", test), Some(Missing::InTest(NO_MODULE)));
            assert_eq!(
                said("absent.mjs", code),
                Some(Missing::InTest(NO_MODULE)),
                "not installed"
            );
        }
    }

    #[test]
    fn what_a_program_prints_of_modules_is_no_obstacle() {
        let printed = "# Error: Cannot find module 'fastjson'\n# Require stack:\n# - /x/calc.js\n";
        let failed = "not ok 1 - m\n  ---\n  failureType: 'testCodeFailure'\n  error: 'empty'\n";
        assert_eq!(told(&format!("{printed}{failed}")), None);
        let ended = format!("{printed}{failed}  exitCode: 1\n");
        assert_eq!(
            told(&ended),
            Some(Missing::InTest(NO_MODULE)),
            "its file ended with it"
        );
        let compared =
            "Error: Cannot find module 'fastjson'\n  AssertionError [ERR_ASSERTION]: NaN == 0\n";
        assert_eq!(told(compared), None);
    }
}
