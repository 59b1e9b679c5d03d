//! `credential-in-url`: `scheme://user:password@host`.

use council_secrets::SecretShape;

use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "credential-in-url",
        perspective: SECURITY,
        category: "secrets",
        severity: Significant,
        summary: "a password inside a URL",
        why: "URLs end up in logs, process lists and error messages, and this one also in the repository's history.",
        fix: "Put the password into the environment or a secret store, and build the URL from it; change the \
              password.",
        examples: &[],
    },
    scope: RuleScope::OutsideTests,
    guards: Guarded::Code,
    languages: &[],
    claims: &["credential", "password", "url"],
    check: RuleCheck::Line {
        needles: &["://"],
        look: check_line,
    },
};

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    let text = line.text();
    let found = line.find_secrets(|found| found.shape == SecretShape::UrlPassword);
    if let Some(first) = found.first() {
        let host = &text[first.label.clone()];
        let more = line.count_more_secrets(&found, |one| format!("`{}`", &text[one.label.clone()]));
        hits.push(line.line_hit(format!("A URL for `{host}` carries a password.{more}")));
    }
}
