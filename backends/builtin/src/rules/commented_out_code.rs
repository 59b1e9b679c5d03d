//! `commented-out-code`: code that was switched off instead of deleted.

use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "commented-out-code",
        perspective: MAINTAINABILITY,
        category: "dead-code",
        severity: Minor,
        summary: "a block of code that is commented out",
        why: "Readers cannot tell whether it is a warning, a plan or a leftover. It is not compiled, so it goes \
              stale.",
        fix: "Delete it: git's history keeps it.",
        examples: &[],
    },
    scope: RuleScope::Production,
    guards: Guarded::Code,
    languages: &[
        Language::Rust,
        Language::Script,
        Language::Java,
        Language::Kotlin,
        Language::CSharp,
        Language::C,
        Language::Go,
        Language::Python,
        Language::Swift,
        Language::Dart,
    ],
    claims: &["commented-out", "commented out", "dead code"],
    check: RuleCheck::File(check_file),
};

/// Lines in a row that look like code.
const MIN_RUN_LINES: usize = 4;

pattern!(
    /// A statement that ends as code does, or opens or closes a block.
    BRACED,
    r"^(?:\s*(?:[\w.:<>&*\[\]]+\s*(?:\([^`]*\))?|.*[\w)\]]\s*=\s*.+|return\b.*|(?:let|const|var|if|for|while|use|import)\b.*)\s*[;{]|\s*[})\]]+[;,]?)\s*$"
);
pattern!(
    PYTHON,
    r"^\s*(?:(?:if|for|while|with|def|class|elif|try|except|else)\b.*:|(?:return|import|from|raise|assert)\s+\S+.*|[\w.\[\]]+\s*(?:[-+]?=)\s*\S.*|[\w.]+\([^)]*\))\s*$"
);

fn check_file(file: &FileView<'_>, hits: &mut HitList) {
    let (mark, code) = match file.language {
        Language::Python => ("#", &*PYTHON),
        _ => ("//", &*BRACED),
    };
    let mut run: Vec<LineView<'_, '_>> = Vec::new();
    let mut last = 0;
    for line in file.added_lines() {
        if line.number() != last + 1 {
            report_run(&run, hits);
            run.clear();
        }
        last = line.number();
        let comment = line
            .text()
            .trim_start()
            .strip_prefix(mark)
            .filter(|rest| !rest.starts_with(['/', '!', ':']));
        match comment {
            Some(rest) if code.is_match(rest) => run.push(line),
            _ => {
                report_run(&run, hits);
                run.clear();
            }
        }
    }
    report_run(&run, hits);
}

fn report_run(run: &[LineView<'_, '_>], hits: &mut HitList) {
    let (Some(first), Some(last)) = (run.first(), run.last()) else {
        return;
    };
    let statements = run
        .iter()
        .filter(|line| line.text().chars().filter(|c| c.is_alphanumeric()).count() > 3)
        .count();
    if run.len() >= MIN_RUN_LINES && statements * 2 > run.len() && !first.in_test() {
        let described = format!("{} lines of code are commented out.", run.len());
        hits.push(first.lines_hit(last.number(), described));
    }
}
