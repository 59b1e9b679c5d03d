//! `workflow-injection`: text of strangers pasted into a shell script by the template engine.

use super::prelude::*;
use crate::workflow;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "workflow-injection",
        perspective: SECURITY,
        category: "ci",
        severity: Significant,
        summary: "untrusted text expanded inside a workflow's script",
        why: "GitHub pastes `${{ … }}` into the script before the shell reads it: a title, branch name or comment \
              that contains a quote becomes a command.",
        fix: "Pass it as an environment variable (`env: TITLE: ${{ … }}`), and write `\"$TITLE\"` in the script.",
        examples: &[RuleExample {
            path: ".github/workflows/greet.yml",
            bad: "      - run: echo \"${{ github.event.issue.title }}\"\n",
            good: "      - run: echo \"$TITLE\"\n        env:\n          TITLE: ${{ github.event.issue.title }}\n",
        }],
    },
    scope: RuleScope::Workflows,
    languages: &[],
    claims: &["injection", "expression", "github.event", "untrusted"],
    check: RuleCheck::Line {
        needles: &["github.event", "github.head_ref"],
        look: check_line,
    },
};

pattern!(
    STRANGER,
    r"\$\{\{[^}]*(github\.head_ref|github\.event\.(?:issue|pull_request|discussion|comment|review|review_comment|head_commit|commits|workflow_run|pages)\b[\w.\[\]*]*\.(?:title|body|message|name|email|label|ref|head_branch|display_title|default_branch|page_name))\b[^}]*\}\}"
);

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    let code = line.without_comments();
    if let Some(found) = STRANGER.captures(&code)
        && !found[0].contains("base.ref")
        && workflow::is_script(line)
    {
        hits.push(line.line_hit(format!("`{}` is pasted into a script.", &found[1])));
    }
}
