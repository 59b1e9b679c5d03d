//! Tokens in whatever text they are written: behind escapes, in pages, in manifests.

use super::*;

/// A text that is written into another one (a file in JSON, a query in a URL) puts an escape before a token, and its last
/// letter must not pass for a part of it.
#[test]
fn a_token_behind_an_escape_or_an_underscore_is_one() {
    for sample in sample_secrets() {
        let alone = format!("f({})", sample.secret);
        let Some(kind) = SecretTable::built_in()
            .find_secrets(&alone)
            .first()
            .map(|found| found.kind.to_owned())
        else {
            continue;
        };
        for glue in [
            "\\n",
            "\\t",
            "\\r",
            "\\x22",
            "\\u0022",
            "\\\\n",
            "\\047",
            "%3D",
            "%22",
            "a=b\\n",
            "\\0075",
            "\\U0000003d",
            "\\cA",
            "\\N",
            "\\e",
            "=3D",
            "%253D",
            "%25253D",
            "&#61",
            "&#100",
            "&#0032",
            "\u{1b}[32m",
            "\u{1b}[m",
            "\u{1b}(B",
            "\u{9b}1;32m",
            "\\033[1;32m",
            "\\u001b[32m",
            "\\x1b[38;5;2m",
            "\\e[0K",
            "\\x9b1m",
            "[32m",
            "^[[32m",
            "<U+001B>[32m",
            "%1B[32m",
            "=1B[32m",
        ] {
            let line = format!("\"x\": \"y{glue}{}\",", sample.secret);
            let found = SecretTable::built_in().find_secrets(&line);
            assert!(
                found.iter().any(|found| found.kind == kind),
                "{line}: {found:?}"
            );
            let (shown, _) = redact(&line);
            assert!(!shown.contains(&sample.secret), "{shown}");
        }
    }
    let key = "AKIAQ7TZXJ5NPL2WKD6M";
    // A NUL may have stood between them, which no shell and no terminal shows.
    for line in [
        format!("hello{key}"),
        format!("e(\"k_{key}\")"),
        format!("f(\"{key}_dev\")"),
    ] {
        assert!(!redact(&line).0.contains("Q7TZXJ5NPL2WKD6M"), "{line}");
    }
}

/// What formatters, pages and manifests make of a token.
#[test]
fn a_token_is_one_however_it_is_written() {
    use crate::encoded_key::tests::encode;
    for sample in sample_secrets() {
        let secret = &sample.secret;
        let table = SecretTable::built_in();
        let kinds = |line: &str| -> Vec<&str> {
            table
                .find_secrets(line)
                .iter()
                .map(|found| found.kind)
                .collect()
        };
        let alone = table.find_secrets(&format!("f({secret})"));
        let Some(alone) = alone
            .iter()
            .find(|found| found.shape == crate::SecretShape::Token)
        else {
            continue;
        };
        for spelled in [
            secret.replace('_', "\\_"),
            secret.replace('_', "&#95;"),
            secret.replace('_', "\\u005f"),
            secret.replace('_', "%5F"),
            format!(
                "{}\u{200b}{}",
                &secret[..secret.len() / 2],
                &secret[secret.len() / 2..]
            ),
            format!("{}&shy;{}", &secret[..3], &secret[3..]),
        ] {
            let line = format!("The token is {spelled} .");
            assert!(kinds(&line).contains(&alone.kind), "{line}");
            assert!(
                !redact(&line).0.contains(&spelled[spelled.len() - 10..]),
                "{line}"
            );
        }
        if alone.is_provider && secret.is_ascii() {
            for text in [secret.clone(), format!("A=1\nTOKEN={secret}\n")] {
                let line = format!("  github: {}", encode(text.as_bytes()));
                let found = table.find_secrets(&line);
                assert!(
                    found.iter().any(|found| found.is_provider),
                    "{line}: {found:?}"
                );
                assert!(!redact(&line).0.contains(&line[20..30]), "{line}");
            }
        }
    }
}
