//! `provider-token`: a token in the shape that its provider gives it.

use council_secrets::SecretShape;

use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "provider-token",
        perspective: SECURITY,
        category: "secrets",
        severity: Critical,
        summary: "a token in the format of a known provider",
        why: "Anyone who can read the repository or its history can use the token. Deleting the line later does not \
              take it back.",
        fix: "Revoke the token at its provider, create a new one, and read it from the environment or a secret store.",
        examples: &[],
    },
    scope: RuleScope::Always,
    languages: &[],
    claims: &["token", "api key", "secret", "credential", "access key"],
    check: RuleCheck::Line {
        needles: &[
            "akia",
            "asia",
            "abia",
            "acca",
            "ghp_",
            "gho_",
            "ghu_",
            "ghs_",
            "ghr_",
            "github_pat_",
            "glpat-",
            "glptt-",
            "glrt-",
            "gldt-",
            "glsoat-",
            "glcbt-",
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
            "doo_v1_",
            "dor_v1_",
            "shpat_",
            "shpca_",
            "shppa_",
            "shpss_",
            "accountkey=",
            "sharedaccesskey=",
            "dckr_pat_",
            "dckr_oat_",
            "hvs.",
            "hvb.",
            "glsa_",
            "glc_",
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
    if let Some(found) = line.find_secret(&[SecretShape::Token]) {
        let owner = found.owner;
        // Whoever adds the token chooses the path: no folder makes it less alive.
        hits.push(line.line_hit(format!("A token in {owner}'s format is committed.")));
    }
}
