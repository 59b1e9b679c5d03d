//! `provider-token`: a token in the shape that its provider gives it.

use super::prelude::*;
use crate::secret::{quote_around, token};

pub(super) static RULE: Rule = Rule {
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
    scope: Scope::Everywhere,
    languages: &[],
    claims: &["token", "api key", "secret", "credential", "access key"],
    check: Check::Line {
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
        look,
    },
};

fn look(line: &LineView<'_, '_>, hits: &mut Hits) {
    let text = line.text();
    if let Some((provider, place)) = token(text) {
        let hit = line.hit(format!(
            "A token in the shape of {provider}'s is committed."
        ));
        let hit = hit.quote(quote_around(text, &place));
        let data = matches!(line.file.role, Role::Test | Role::Example | Role::Docs);
        hits.push(if data { hit.severity(Significant) } else { hit });
    }
}
