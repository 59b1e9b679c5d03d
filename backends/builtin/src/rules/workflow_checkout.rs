//! `workflow-checkout`: a privileged workflow that checks out what a stranger has written.

use super::prelude::*;
use crate::workflow;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "workflow-checkout",
        perspective: SECURITY,
        category: "ci",
        severity: Critical,
        summary: "a privileged workflow that checks out the pull request's code",
        why: "The job has the repository's secrets and a token that can write. Any build, test or install step then \
              runs an outsider's code with them (a \"pwn request\").",
        fix: "Check out and build in a `pull_request` workflow without secrets, and pass its result as data to the \
              privileged one.",
        examples: &[RuleExample {
            path: ".github/workflows/ci.yml",
            bad: "on: pull_request_target\njobs:\n  a:\n    steps:\n      - uses: actions/checkout@v4\n        with:\n          ref: ${{ github.event.pull_request.head.sha }}\n",
            good: "on: pull_request\njobs:\n  a:\n    steps:\n      - uses: actions/checkout@v4\n        with:\n          ref: ${{ github.event.pull_request.head.sha }}\n",
        }],
    },
    scope: RuleScope::Workflows,
    languages: &[],
    claims: &[
        "pwn request",
        "checkout",
        "pull_request_target",
        "untrusted code",
    ],
    check: RuleCheck::Line {
        needles: &[
            "ref:",
            "gh pr checkout",
            "pull_request_target",
            "workflow_run",
            "issue_comment",
            "refs/pull/",
        ],
        look: check_line,
    },
};

pattern!(
    HEAD,
    r"^\s*ref:\s*.*(?:github\.event\.pull_request\.head\.(?:sha|ref)|github\.head_ref|github\.event\.workflow_run\.head_(?:sha|branch)|refs/pull/)|\bgh pr checkout\b|git fetch .*refs?/pull/"
);

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    let code = line.without_comments();
    let Some(trigger) = workflow::find_privileged(line.file) else {
        return;
    };
    if HEAD.is_match(&code) {
        let described =
            format!("A workflow that runs on `{trigger}` checks out the code of the pull request.");
        hits.push(line.line_hit(described));
    } else if workflow::trigger_in(&code).is_some() {
        let head = |number: &u32| {
            line.file
                .line_text(*number)
                .is_some_and(|text| HEAD.is_match(text))
        };
        let old = (1..=line.file.syntax().last_line())
            .find(|number| head(number) && !line.file.is_added(*number));
        if let Some(number) = old {
            let described = format!(
                "The workflow now runs on `{trigger}`, and line {number} checks out the pull request."
            );
            hits.push(line.line_hit(described));
        }
    }
}
