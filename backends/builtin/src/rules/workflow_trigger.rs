//! `workflow-trigger`: a workflow that strangers can start with the repository's rights.

use super::prelude::*;
use crate::workflow;

pub(super) static RULE: Rule = Rule {
    info: RuleInfo {
        id: "workflow-trigger",
        perspective: SECURITY,
        category: "ci",
        severity: Significant,
        summary: "a workflow that starts on a privileged trigger",
        why: "On this trigger the job has the secrets and the token of the base repository while a stranger decides when \
              it runs, and often on what.",
        fix: "Use `pull_request` where no secret is needed; else keep everything from the pull request out of this job.",
        examples: &[Example {
            path: ".github/workflows/ci.yml",
            bad: "on:\n  pull_request_target:\n",
            good: "on:\n  pull_request:\n",
        }],
    },
    scope: Scope::Workflows,
    languages: &[],
    claims: &["pull_request_target", "workflow_run", "trigger"],
    check: Check::Line {
        needles: &workflow::PRIVILEGED,
        look,
    },
};

fn look(line: &LineView<'_, '_>, hits: &mut Hits) {
    let Some(trigger) = workflow::trigger(line.text()) else {
        return;
    };
    if line
        .file
        .removed()
        .any(|removed| workflow::trigger(removed.text) == Some(trigger))
    {
        return;
    }
    let hit = line.hit(format!("The workflow now starts on `{trigger}`."));
    hits.push(if trigger == "pull_request_target" {
        hit
    } else {
        hit.severity(Minor)
    });
}
