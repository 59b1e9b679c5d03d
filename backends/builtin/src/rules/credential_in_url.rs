//! `credential-in-url`: `scheme://user:password@host`.

use super::prelude::*;
use crate::secret::{in_url, quote_around};

pub(super) static RULE: Rule = Rule {
    info: RuleInfo {
        id: "credential-in-url",
        perspective: SECURITY,
        category: "secrets",
        severity: Significant,
        summary: "a password inside a URL",
        why: "A URL ends up in logs, in process lists and in error messages, and here also in the repository's history.",
        fix: "Put the password into the environment or a secret store and build the URL from it; change the password.",
        examples: &[],
    },
    scope: Scope::Production,
    languages: &[],
    claims: &["credential", "password", "url"],
    check: Check::Line {
        needles: &["://"],
        look,
    },
};

fn look(line: &LineView<'_, '_>, hits: &mut Hits) {
    let text = line.text();
    if let Some((host, password)) = in_url(text) {
        let hit = line.hit(format!("A URL for `{host}` carries a password."));
        hits.push(hit.quote(quote_around(text, &password)));
    }
}
