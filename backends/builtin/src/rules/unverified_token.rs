//! `unverified-token`: a signed token whose signature nobody checks.

use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "unverified-token",
        perspective: SECURITY,
        category: "cryptography",
        severity: Significant,
        summary: "a JSON web token read without checking its signature",
        why: "Anybody can forge such a token, and the program then believes whatever identity it claims.",
        fix: "Verify the signature, with a fixed list of algorithms, before reading any claim.",
        examples: &[RuleExample {
            path: "src/auth.py",
            bad: "claims = jwt.decode(token, options={\"verify_signature\": False})\n",
            good: "claims = jwt.decode(token, key, algorithms=[\"RS256\"])\n",
        }],
    },
    scope: RuleScope::Production,
    guards: Guarded::Code,
    languages: &[],
    claims: &["jwt", "signature"],
    check: RuleCheck::Line {
        needles: &[
            "verify_signature",
            "jwt.decode",
            "parseunverified",
            "insecure_disable_signature",
            "\"none\"",
            "'none'",
        ],
        look: check_line,
    },
};

pattern!(
    UNCHECKED,
    r#"(?x)["']?verify_signature["']?\s*[:=]\s*(?:False|false)|\bjwt\.decode\([^)]*\bverify\s*=\s*False|\.ParseUnverified\(
    |\binsecure_disable_signature_validation\(|\balgorithms?["']?\s*[:=]\s*\[?\s*["']none["']"#
);

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    let text = line.without_comments();
    if line.file.language.is_code()
        && UNCHECKED.is_match(&text)
        && line.code().contains(['(', ':', '='])
    {
        hits.push(line.line_hit("The token's claims are read without checking its signature."));
    }
}
