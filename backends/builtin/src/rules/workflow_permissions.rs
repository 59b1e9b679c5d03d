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
        summary: "a workflow that is given more rights",
        why: "Every step of the job, and every action that it uses, can do with the token what the job may do.",
        fix: "Give the right to the one job that needs it, not to the workflow, and name the single scope.",
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
    r"^\s*(?:permissions:\s*\{.*?)?(actions|attestations|checks|contents|deployments|discussions|id-token|issues|models|packages|pages|pull-requests|repository-projects|security-events|statuses):\s*write\b"
);
pattern!(ALL, r"^\s*permissions:\s*write-all\b");

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
        hits.push(line.line_hit("The workflow may write everything that there is."));
    } else if let Some(found) = GRANT.captures(&code) {
        let scope = &found[1];
        match workflow::find_privileged(line.file) {
            Some(trigger) => {
                hits.push(line.line_hit(format!(
                    "A workflow that runs on `{trigger}` may now write `{scope}`."
                )));
            }
            None => {
                let whole = workflow::parent_lines(line)
                    .first()
                    .is_some_and(|p| *p == "permissions:")
                    && indent(line.text()) <= 2;
                let who = if whole {
                    "Every job of the workflow"
                } else {
                    "A job"
                };
                hits.push(
                    line.line_hit(format!("{who} may now write `{scope}`."))
                        .with_severity(Minor),
                );
            }
        }
    }
}
