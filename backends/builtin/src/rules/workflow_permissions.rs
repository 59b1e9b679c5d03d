//! `workflow-permissions`: a workflow that is given the right to write.

use super::prelude::*;
use crate::view::indent;
use crate::workflow;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "workflow-permissions",
        perspective: SECURITY,
        category: "ci",
        severity: Significant,
        summary: "a workflow that gets more permissions",
        why: "Every step of the job, and every action that it uses, can use the token with these permissions.",
        fix: "Grant it to the one job that needs it, not to the workflow, and name the single scope. If this job needs it, \
              dismiss the finding and say what for.",
        examples: &[RuleExample {
            path: ".github/workflows/ci.yml",
            bad: "permissions: write-all\n",
            good: "permissions: read-all\n",
        }],
    },
    scope: RuleScope::Workflows,
    languages: &[],
    claims: &["permission"],
    check: RuleCheck::Line {
        needles: &["write"],
        look: check_line,
    },
};

pattern!(
    GRANT,
    r#"(?:^\s*|[{,]\s*)["']?(actions|attestations|checks|contents|deployments|discussions|id-token|issues|models|packages|pages|pull-requests|repository-projects|security-events|statuses)["']?\s*:\s*["']?write\b"#
);
pattern!(
    ALL,
    r#"(?:^\s*|[{,]\s*)["']?permissions["']?\s*:\s*["']?write-all\b"#
);

/// Whether the line stands in the list of the whole workflow.
fn is_whole(line: &LineView<'_, '_>) -> bool {
    // `permissions: { contents: write }` stands at the margin.
    if line.text().starts_with("permissions:") {
        return true;
    }
    let first = workflow::parent_lines(line).first().copied();
    first == Some("permissions:") && indent(line.text()) <= 2
}

fn lists_rights(text: &str) -> bool {
    text.lines()
        .any(|line| line.trim_start().starts_with("permissions:"))
}

/// Whether the workflow had a list of rights before the change.
fn had_a_list(file: &FileView<'_>) -> bool {
    let listed = |text: &str| text.lines().any(|line| line.starts_with("permissions:"));
    file.text_before().is_some_and(listed)
}

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    let code = line.without_comments();
    // The same grant in another place of the file is not a new one.
    let text = code.trim();
    if line
        .file
        .removed_lines()
        .any(|removed| removed.text.trim() == text)
    {
        return;
    }
    if ALL.is_match(&code) {
        hits.push(line.line_hit("The workflow may now write to everything."));
    } else if let Some(found) = GRANT.captures(&code) {
        let scope = &found[1];
        match workflow::find_privileged(line.file) {
            // Where nothing was listed, the job had this right and more.
            Some(_)
                if line
                    .file
                    .text_before()
                    .is_some_and(|text| !lists_rights(text)) => {}
            Some(trigger) => {
                let who = if is_whole(line) {
                    "A workflow"
                } else {
                    "A job of a workflow"
                };
                hits.push(line.line_hit(format!(
                    "{who} that runs on `{trigger}` may now write `{scope}`."
                )));
            }
            // A right of one job is how it should be given, and a first list narrows what every job had before.
            None if is_whole(line) && had_a_list(line.file) => {
                hits.push(
                    line.line_hit(format!(
                        "Every job of the workflow may now write `{scope}`."
                    ))
                    .with_severity(Minor),
                );
            }
            None => {}
        }
    }
}
