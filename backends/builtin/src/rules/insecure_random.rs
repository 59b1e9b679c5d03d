//! `insecure-random`: a secret from a generator that can be predicted.

use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "insecure-random",
        perspective: SECURITY,
        category: "cryptography",
        severity: Significant,
        summary: "a token, key or password from a predictable generator",
        why: "From a few outputs of such a generator, an attacker can compute the next ones, and so other users' \
              tokens.",
        fix: "Use the system's generator: `secrets` in Python, `crypto.randomUUID()` or `getRandomValues` in JavaScript, \
              `crypto/rand` in Go, `SecureRandom` in Java.",
        examples: &[RuleExample {
            path: "src/session.js",
            bad: "const token = Math.random().toString(36);\n",
            good: "const token = crypto.randomUUID();\n",
        }],
    },
    scope: RuleScope::Production,
    guards: Guarded::Code,
    languages: &[
        Language::Python,
        Language::Script,
        Language::Java,
        Language::Kotlin,
        Language::Php,
        Language::Go,
    ],
    claims: &["math.random", "random", "predictable"],
    check: RuleCheck::Line {
        needles: &[
            "math.random",
            "random.",
            "new random(",
            "mt_rand",
            "rand.int",
        ],
        look: check_line,
    },
};

pattern!(
    WEAK,
    r"(?x)\bMath\.random\(\)|\brandom\.(?:random|randint|choices?|sample|getrandbits|randrange)\(|\bnew\s+Random\(\)|\bmt_rand\(|\brand\.Int(?:n|63|31)?\("
);
pattern!(
    SECRET,
    r"(?i)(?:^|[^a-z])\w*(?:token|secret|passw(?:or)?d|nonce|otp|session_?id|api_?key|csrf|salt|reset_?code|verification_?code)\w*\s*(?::\s*\w+\s*)?:?=[^=]"
);

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    let code = line.code();
    if WEAK.is_match(&code) && SECRET.is_match(&code) && !code.contains("SystemRandom") {
        hits.push(line.line_hit("A secret comes from a predictable generator."));
    }
}
