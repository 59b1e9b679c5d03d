//! `provider-token`: a token in the shape that its provider gives it.

use super::prelude::*;
use crate::secret::{find_token, quote_around};

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "provider-token",
        perspective: SECURITY,
        category: "secrets",
        severity: Critical,
        summary: "a token in the shape of a known provider",
        why: "Whoever can read the repository, now or in its history, can use the token. Deleting the line later does \
              not take it back.",
        fix: "Revoke the token at its provider, make a new one, and read it from the environment or a secret store.",
        examples: &[],
    },
    scope: RuleScope::Always,
    languages: &[],
    claims: &["token", "api key", "secret", "credential", "access key"],
    check: RuleCheck::Line {
        needles: &[
            "akia",
            "asia",
            "ghp_",
            "gho_",
            "ghu_",
            "ghs_",
            "ghr_",
            "github_pat_",
            "glpat-",
            "xoxb-",
            "xoxp-",
            "xoxa-",
            "xoxr-",
            "xoxs-",
            "hooks.slack.com",
            "sk_live_",
            "rk_live_",
            "aiza",
            "sk-ant-",
            "t3blbkfj",
            "npm_",
            "pypi-age",
            "sg.",
            "hf_",
            "dop_v1_",
            "shpat_",
            "accountkey=",
            "dckr_pat_",
            "hvs.",
            "glsa_",
            "lin_api_",
            "age-secret-key-1",
            "dapi",
            "nrak-",
            "pmak-",
            ".atlasv1.",
            "/api/webhooks/",
            "cio",
        ],
        look: check_line,
    },
};

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    let text = line.text();
    if let Some((provider, place)) = find_token(text) {
        let hit = line.line_hit(format!(
            "A token in the shape of {provider}'s is committed."
        ));
        let hit = hit.with_quote(quote_around(text, &place));
        let data = matches!(
            line.file.role,
            FileRole::Test | FileRole::Example | FileRole::Docs
        );
        hits.push(if data {
            hit.with_severity(Significant)
        } else {
            hit
        });
    }
}
