//! `credential-assignment`: a random-looking literal under a name that says secret.

use council_secrets::SecretShape;

use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "credential-assignment",
        perspective: SECURITY,
        category: "secrets",
        severity: Significant,
        summary: "a random-looking literal assigned to a password, secret, key or token",
        why: "Everyone who can read the repository or its history can read the secret, and changing it takes a \
              release.",
        fix: "Read it from the environment or a secret store; if it was ever real, replace it at its provider.",
        examples: &[],
    },
    scope: RuleScope::OutsideTests,
    guards: Guarded::Code,
    languages: &[],
    claims: &[
        "hard-coded",
        "hardcoded",
        "secret",
        "credential",
        "password",
    ],
    check: RuleCheck::Line {
        needles: &[
            "pass",
            "pwd",
            "pswd",
            "pw",
            "psk",
            "secret",
            "token",
            "credential",
            "auth",
            "bearer",
            "key",
        ],
        look: check_line,
    },
};

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    let text = line.text();
    // Prose shows what a secret looks like.
    if line.file.language == Language::Prose {
        return;
    }
    // Outside of a file of settings, what stands behind a colon or an equals sign is code.
    let shapes = match line.file.language {
        Language::Ini => &[SecretShape::QuotedValue, SecretShape::BareValue][..],
        _ => &[SecretShape::QuotedValue],
    };
    let found = line.find_secrets(|found| shapes.contains(&found.shape));
    if let Some(first) = found.first() {
        let name = &text[first.label.clone()];
        let more = line.count_more_secrets(&found, |one| format!("`{}`", &text[one.label.clone()]));
        let hit = line.line_hit(format!(
            "`{name}` is given a literal that looks like a real secret.{more}"
        ));
        // Packed code is full of such words, and of keys that are made to be public.
        hits.push(if line.is_packed() {
            hit.with_severity(Minor)
        } else {
            hit
        });
    }
}
