//! `workflow-secrets`: all secrets of a repository handed on at once.

use super::prelude::*;
use crate::workflow::expression::expressions;
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
    languages: &[],
    claims: &["secrets"],
    check: RuleCheck::Line {
        needles: &["tojson", "inherit"],
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
    }
}

/// Whether the job calls a workflow of another repository; the key may stand above or below.
fn calls_a_stranger(line: &LineView<'_, '_>) -> bool {
    let around = (-12..=12).filter_map(|by| line.text_near(by));
    around
        .flat_map(|text| words_under(text, "uses"))
        .any(|uses| !uses.starts_with("./"))
}
