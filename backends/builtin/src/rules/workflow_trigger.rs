//! `workflow-trigger`: a workflow that strangers can start with the repository's rights.

use super::prelude::*;
use crate::workflow;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "workflow-trigger",
        perspective: SECURITY,
        category: "ci",
        severity: Significant,
        summary: "a workflow that starts on a privileged trigger",
        why: "On this trigger the job has the base repository's secrets and token, while an outsider decides when it \
              runs, and often on what.",
        fix: "Use `pull_request` if no secret is needed; otherwise keep everything from the pull request out of this \
              job.",
        examples: &[RuleExample {
            path: ".github/workflows/ci.yml",
            bad: "on:\n  pull_request_target:\n",
            good: "on:\n  pull_request:\n",
        }],
    },
    scope: RuleScope::Workflows,
    guards: Guarded::Review,
    languages: &[],
    claims: &["pull_request_target", "workflow_run", "trigger"],
    check: RuleCheck::Line {
        // An escape, or a line end of its own, may spell the name another way.
        needles: &[
            "pull_request_target",
            "workflow_run",
            "issue_comment",
            "\\x",
            "\\u",
            "on:",
        ],
        look: check_line,
    },
};

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    let Some(trigger) = workflow::trigger_of(line) else {
        return;
    };
    if line
        .file
        .removed_lines()
        .any(|removed| workflow::trigger_in(removed.text) == Some(trigger))
    {
        return;
    }
    let hit = line.line_hit(format!("The workflow now starts on `{trigger}`."));
    hits.push(if trigger == "pull_request_target" {
        hit
    } else {
        hit.with_severity(Minor)
    });
}
