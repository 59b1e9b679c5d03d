//! `workflow-secrets`: all secrets of a repository handed on at once, or printed with the environment.

use super::prelude::*;
use crate::workflow::expression::expressions;
use crate::workflow::is_script;
use crate::workflow::scalar::words_under;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "workflow-secrets",
        perspective: SECURITY,
        category: "ci",
        severity: Significant,
        summary: "all secrets of the repository passed to one step or workflow",
        why: "The step gets secrets that it does not need, and later every new one, without a review.",
        fix: "List the secrets that are needed, one by one.",
        examples: &[RuleExample {
            path: ".github/workflows/deploy.yml",
            bad: "        env:\n          ALL: ${{ toJSON(secrets) }}\n",
            good: "        env:\n          KEY: ${{ secrets.DEPLOY_KEY }}\n",
        }],
    },
    scope: RuleScope::Workflows,
    guards: Guarded::Review,
    languages: &[],
    claims: &["secrets"],
    check: RuleCheck::Line {
        needles: &[
            "tojson",
            "inherit",
            " env",
            "(env",
            "`env",
            ";env",
            "|env",
            "&env",
            "printenv",
            "export -p",
            "declare -x",
            "/environ",
        ],
        look: check_line,
    },
};

pattern!(ALL, r"\btojson\(\s*secrets\s*\)");

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    let code = line.without_comments();
    let inherits = || words_under(line.text(), "secrets").contains(&"inherit");
    if expressions(&code).iter().any(|inside| ALL.is_match(inside)) {
        hits.push(line.line_hit("All secrets are passed at once."));
    } else if inherits() && calls_a_stranger(line) {
        hits.push(line.line_hit("A workflow of another repository inherits all secrets."));
    } else if is_script(line) && PRINTED.is_match(&code) && has_secrets(line) {
        hits.push(
            line.line_hit("The script prints its whole environment, with the secrets in it."),
        );
    }
}

pattern!(
    /// A command that shows every variable, alone or handed on; behind it no command and no name.
    PRINTED,
    r#"(?:^|[;&|({'"`]|\brun:|\bsudo)\s*(?:-\s+)?(?:run:\s*)?['"]?(?:env|printenv|export\s+-p|declare\s+-xp?)\s*(?:$|[|;>&)}'"`])|/proc/(?:self|\$\$|\d+)/environ"#
);

/// Whether a secret is set as a variable of the step, or of its job or workflow near it.
fn has_secrets(line: &LineView<'_, '_>) -> bool {
    let around = (-20..=20).filter_map(|by| line.text_near(by));
    let mut set = around.flat_map(expressions);
    set.any(|inside| inside.contains("secrets."))
}

/// Whether the job calls a workflow of another repository; the key may stand above or below.
fn calls_a_stranger(line: &LineView<'_, '_>) -> bool {
    let around = (-12..=12).filter_map(|by| line.text_near(by));
    around
        .flat_map(|text| words_under(text, "uses"))
        .any(|uses| !uses.starts_with("./"))
}
