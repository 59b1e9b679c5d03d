//! `private-key`: the private half of a key pair.

use super::prelude::*;

pub(super) static RULE: Rule = Rule {
    info: RuleInfo {
        id: "private-key",
        perspective: SECURITY,
        category: "secrets",
        severity: Critical,
        summary: "a private key",
        why: "Whoever can read the repository, now or in its history, has the key. Deleting the line later does not \
              take it back.",
        fix: "Revoke the key, make a new one, and keep it where the repository's readers cannot see it.",
        examples: &[],
    },
    scope: Scope::Everywhere,
    languages: &[],
    claims: &["private key"],
    check: Check::Line {
        needles: &["private key", "putty-user-key-file"],
        look,
    },
};

pattern!(
    HEADER,
    r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-\d:"
);
pattern!(BODY, r"[A-Za-z0-9+/]{40,}");

fn look(line: &LineView<'_, '_>, hits: &mut Hits) {
    let text = line.text();
    let Some(header) = HEADER.find(text) else {
        return;
    };
    // Without its body it is only the name of the thing, as in code that reads keys.
    let below = (1..=8).map_while(|by| line.near(by)).any(is_body);
    if !is_body(&text[header.end()..]) && !below {
        return;
    }
    let hit = line
        .hit("A private key is committed.")
        .quote(&text[..header.end()]);
    let data = matches!(line.file.role, Role::Test | Role::Example);
    hits.push(if data { hit.severity(Minor) } else { hit });
}

/// Whether a line looks like the body of a key rather than like a placeholder.
fn is_body(text: &str) -> bool {
    BODY.find_iter(text).any(|found| {
        let mut seen = [false; 128];
        found
            .as_str()
            .bytes()
            .for_each(|b| seen[usize::from(b & 127)] = true);
        seen.iter().filter(|&&s| s).count() >= 16
    })
}
