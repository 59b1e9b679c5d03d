//! `private-key`: the private half of a key pair.

use std::ops::Range;

use council_secrets::{PlainSpelling, begins_spelled_key, encoded_keys, heads_secret_number};

use super::prelude::*;
use crate::role::sample_folder;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "private-key",
        perspective: SECURITY,
        category: "secrets",
        severity: Critical,
        summary: "a private key",
        why: "Anyone who can read the repository or its history has the key. Deleting the line later does not take it \
              back.\n\
              In a folder of tests or examples the finding is only significant: most keys there are made for \
              them. No file name and no extension makes it less. It is a note where the whole key stands below the same \
              folder already.",
        fix: "Revoke the key, create a new one, and keep it outside the repository.",
        examples: &[],
    },
    scope: RuleScope::Always,
    guards: Guarded::Code,
    languages: &[],
    claims: &["private key"],
    check: RuleCheck::Line {
        needles: &[
            "private key",
            "private%20key",
            "private+key",
            "putty-user-key-file",
            "openvpn static key",
            // How base64 writes the first bytes of a key of OpenSSH.
            "b3blbnnzac1rzxktdje",
            // How base64 writes `-----BEGIN `, and how it writes keys that have no such line.
            "ls0tls1crudjti",
            "0tls0tqkvhsu4g",
            "tls0tlujfr0loi",
            "caqaw",
            "caqee",
            "ageam",
            "agebb",
            "ibada",
            "ibaakb",
            "ibaakc",
            "ibaajb",
            "privateexponent:",
            "priv:",
            // The names of secret numbers in a JSON Web Key and in XML.
            "\"d\"",
            "'d'",
            " d:",
            "\td:",
            "{d:",
            ",d:",
            "<d>",
            "<dp>",
            "<dq>",
            "<inverseq>",
            // How a key begins whose bytes are spelled one by one.
            "0x2d,",
            "0x30,",
            "\\x2d\\x2d",
            "\\x30\\x",
            "45,",
            "48,",
            "2d2d2d2d",
            "2d2d 2d2d",
            "2d 2d 2d",
            "2d:2d:2d",
            "3081",
            "3082",
            "30 8",
            "30:8",
            "302e02",
            "30 2e 02",
            "30:2e:02",
            "307702",
            "30 77 02",
            "30:77:02",
            // Any of its letters may be written as an escape.
            "\\u00",
            "\\u{",
            "\\x4",
            "\\x5",
            "\\x2d",
            "\\x20",
            "\\1",
            "\\01",
            "&#",
            "%2d",
            "%4",
            "%5",
            "=2d",
            "=4",
            "=5",
        ],
        look: check_line,
    },
};

pattern!(
    HEADER,
    r"-----BEGIN(?: |%20|\+)(?:[A-Z0-9]+(?: |%20|\+))*PRIVATE(?: |%20|\+)KEY(?:(?: |%20|\+)BLOCK)?-----|PuTTY-User-Key-File-\d:|-----BEGIN OpenVPN Static key V\d-----"
);
pattern!(BODY, r"[A-Za-z0-9+/]{40,}");

/// As many lines say what a list of bytes begins.
const MAX_LINES_BELOW: i32 = 8;

/// As much of a key is looked at once more for its quote.
const MAX_QUOTED_KEY: usize = 64 << 10;

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    let text = line.text();
    if let Some(key) = encoded_keys(text).first() {
        // What stands below the first line of a key is told there.
        if !(1..=4).any(|by| line.text_near(-by).is_some_and(is_key_header)) {
            // All of it, for which a placeholder stands in what is shown.
            let quote = &text[..key.end.min(key.start + MAX_QUOTED_KEY)];
            hits.push(key_hit(line, "A private key is committed in base64", quote));
        }
        return;
    }
    let below = (1..=MAX_LINES_BELOW).map_while(|by| line.text_near(by));
    if begins_spelled_key(text, below) {
        let what = "The bytes of a private key are committed";
        let end = text.floor_char_boundary(MAX_QUOTED_KEY);
        hits.push(key_hit(line, what, &text[..end]));
        return;
    }
    if is_number_of_key(line) {
        hits.push(key_hit(
            line,
            "The numbers of a private key are committed",
            text,
        ));
        return;
    }
    let plain = PlainSpelling::of(text);
    let written = plain.as_ref().map_or(text, |plain| &plain.text);
    let place = |at: Range<usize>| {
        plain
            .as_ref()
            .map_or(at.clone(), |plain| plain.place_of(&at))
    };
    if let Some(key) = encoded_keys(written).first() {
        let quote = &text[..place(key.clone()).end];
        hits.push(key_hit(
            line,
            "A private key is committed with escapes",
            quote,
        ));
        return;
    }
    let Some(header) = HEADER.find(written) else {
        return;
    };
    // Without its body it is only the name of the thing, as in code that reads keys.
    let is_key = |text: &str| is_body(text) || is_static_key(text);
    let below = (1..=8).map_while(|by| line.text_near(by)).any(is_key);
    if !is_body(&written[header.end()..]) && !below {
        return;
    }
    let quote = &text[..place(header.range()).end];
    hits.push(key_hit(line, "A private key is committed", quote));
}

/// Whether a line is one of a key in hexadecimal, as OpenVPN writes it.
fn is_static_key(text: &str) -> bool {
    let text = text.trim();
    text.len() == 32 && text.bytes().all(|b| b.is_ascii_hexdigit())
}

/// Whether the secret number of a key stands below, as `openssl … -text` prints it.
fn is_number_of_key(line: &LineView<'_, '_>) -> bool {
    let is_first = ["privateExponent:", "priv:"]
        .iter()
        .any(|name| line.text().trim().ends_with(name));
    let is_dump = |text: &str| {
        let text = text.trim().trim_end_matches(':');
        let is_hex = |byte: &str| byte.len() == 2 && byte.bytes().all(|b| b.is_ascii_hexdigit());
        text.split(':').count() >= 8 && text.split(':').all(is_hex)
    };
    is_first && heads_secret_number(line.text()) && line.text_near(1).is_some_and(is_dump)
}

/// Most keys of tests and examples are made for them; nobody can tell from the file, so the reader is told why.
pub(super) fn key_hit(line: &LineView<'_, '_>, what: &str, quote: &str) -> crate::rule::RuleHit {
    match sample_folder(&line.file.path) {
        Some(folder) => line
            .line_hit(format!("{what} (lower, because it lies under `{folder}`)."))
            .with_severity(Significant)
            .with_quote(quote),
        None => line.line_hit(format!("{what}.")).with_quote(quote),
    }
}

pub(crate) fn is_key_header(text: &str) -> bool {
    HEADER.is_match(text)
}

/// Whether a line looks like the body of a key rather than like a placeholder.
pub(crate) fn is_body(text: &str) -> bool {
    BODY.find_iter(text).any(|found| {
        let mut seen = [false; 128];
        found
            .as_str()
            .bytes()
            .for_each(|b| seen[usize::from(b & 127)] = true);
        seen.iter().filter(|&&s| s).count() >= 16
    })
}
