//! `replaced-private-key`: another private key under a `BEGIN` line that was there before.

use super::prelude::*;
use super::private_key::{is_body, is_key_header, key_hit};

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "replaced-private-key",
        perspective: SECURITY,
        category: "secrets",
        severity: Critical,
        summary: "a private key that replaces another one, or a placeholder, under the same `BEGIN` line",
        why: "Anyone who can read the repository or its history has the new key as well. Deleting the line later does \
              not take it back.\n\
              In a folder of tests or examples the finding is only significant.",
        fix: "Revoke the key, create a new one, and keep it outside the repository.",
        examples: &[],
    },
    scope: RuleScope::Always,
    guards: Guarded::Code,
    languages: &[],
    claims: &["private key"],
    check: RuleCheck::File(check_file),
};

/// The longest key in the wild has about 200 lines.
const MAX_KEY_LINES: i32 = 256;

fn check_file(file: &FileView<'_>, hits: &mut HitList) {
    let (mut last_key, mut above) = (None, (0, None));
    let is_of_key = |line: &LineView<'_, '_>| may_be_body(line.text()) && is_body(line.text());
    for line in file.added_lines().filter(is_of_key) {
        // Megabytes of base64 are one block: what stands above it is looked for once.
        let is_next = above.0 > 0 && above.0 + 1 == line.number();
        above = (
            line.number(),
            if is_next { above.1 } else { begin_above(&line) },
        );
        let Some(begin) = above.1 else {
            continue;
        };
        let is_told = file.is_added(begin) || last_key.replace(begin) == Some(begin);
        if !is_told {
            let what =
                "Another private key is committed under a `BEGIN` line that was there before";
            // Quoted as everybody is shown it.
            hits.push(key_hit(&line, what, "[redacted: private-key]"));
        }
    }
}

/// The number of the `BEGIN` line that a line of a key stands under.
fn begin_above(line: &LineView<'_, '_>) -> Option<u32> {
    let mut above = (1..MAX_KEY_LINES).map_while(|by| Some((by, line.text_near(-by)?)));
    // A line without a word of its own (`Proc-Type: 4,ENCRYPTED`, a comment sign) stands in a key, too; one with `END` does not.
    let (by, text) = above.find(|(_, text)| text.contains("-----") || is_key_header(text))?;
    is_key_header(text).then(|| line.number().saturating_sub(by.unsigned_abs()))
}

/// Whether a line has 40 signs of base64 in a row: one of every 40 is looked at, since hardly any line has them.
fn may_be_body(text: &str) -> bool {
    let is_base64 = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/');
    let bytes = text.as_bytes();
    let mut at = 39;
    while let Some(byte) = bytes.get(at) {
        if is_base64(byte) {
            let before = bytes[..at]
                .iter()
                .rev()
                .take_while(|b| is_base64(b))
                .count();
            let after = bytes[at..].iter().take_while(|b| is_base64(b)).count();
            if before + after >= 40 {
                return true;
            }
        }
        at += 40;
    }
    false
}
