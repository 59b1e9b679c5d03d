//! `weak-password-hash`: a fast hash over a password.

use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "weak-password-hash",
        perspective: SECURITY,
        category: "cryptography",
        severity: Significant,
        summary: "a password hashed with MD5, SHA-1 or plain SHA-2",
        why: "Such hashes are fast by design: an attacker can try billions of passwords a second against a stolen \
              table.",
        fix: "Use a slow, salted password hash: Argon2id, scrypt, bcrypt or PBKDF2.",
        examples: &[RuleExample {
            path: "src/accounts.py",
            bad: "digest = hashlib.md5(password.encode()).hexdigest()\n",
            good: "digest = argon2.hash(password)\n",
        }],
    },
    scope: RuleScope::Production,
    guards: Guarded::Code,
    languages: &[],
    claims: &["md5", "sha1", "sha-1", "password hash", "weak hash"],
    check: RuleCheck::Line {
        needles: &["md5", "sha1", "sha256", "sha512", "sha-1"],
        look: check_line,
    },
};

pattern!(
    HASHED,
    r#"(?ix)\b(?:hashlib\.(?:md5|sha1|sha256|sha512)|md5(?:\.sum|\.new|::compute)?|sha1(?:\.sum|\.new)?|sha256\.sum256|Digest::(?:MD5|SHA1|SHA256)\.\w+
    |hash\(\s*["'](?:md5|sha1|sha256)["']\s*,|createHash\(["'](?:md5|sha1|sha256|sha512)["']\)\.update|DigestUtils\.(?:md5|sha1|sha256)Hex)\(?\s*[^)]*\b(?:\w*passw(?:or)?d|passphrase|pwd)\b"#
);

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    let code = line.without_comments();
    if HASHED.is_match(&code)
        && line.file.language.is_code()
        && !code.to_ascii_lowercase().contains("pbkdf2")
    {
        hits.push(line.line_hit("A password is hashed with a fast hash."));
    }
}
