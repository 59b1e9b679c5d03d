//! Secrets that no name gives away, but what stands beside them.

use proptest::prelude::*;

use crate::value::is_drawn_value;
use crate::{Redactor, is_placeholder};

/// A key of AWS: `{id}` is no secret by itself, `{}` is.
const BESIDE_ID: [&str; 9] = [
    "new AWS.Credentials('{id}', '{}')",
    "boto3.client(\"s3\", \"eu\", \"{id}\", \"{}\")",
    "{id},{}",
    "bob,{id},{},x",
    "{id}:{}",
    "{id} {}",
    "creds = (\"{}\", \"{id}\")",
    "{\"id\":\"{id}\",\"value\":\"{}\"}",
    "s3cmd --id={id} --other={} ls",
];

/// Keys of wallets, with `{}` for 64 hexadecimal digits.
const WALLETS: [&str; 5] = [
    "const w = new ethers.Wallet(\"0x{}\");",
    "  accounts: [\"{}\"],",
    "acct = Account.from_key(\"0x{}\")",
    "const a = privateKeyToAccount('0x{}')",
    "Wallet.fromPrivateKey(`{}`)",
];

/// What is private of a key as JSON, with `{}` for it.
const JSON_KEYS: [&str; 4] = [
    "{\"kty\":\"oct\",\"k\":\"{}\"}",
    "{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"a\",\"d\":\"{}\"}",
    "jwk = \"{\\\"kty\\\":\\\"oct\\\",\\\"k\\\":\\\"{}\\\"}\"",
    "{\n  \"kty\": \"EC\",\n  \"d\": \"{}\"\n}",
];

fn shown(text: &str) -> String {
    Redactor::default().redact_source(None, text).text
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_secret_beside_its_id_is_hidden(id in "A(KIA|SIA)[A-Z2-7]{16}", value in "[A-Za-z][0-9][A-Za-z0-9/+]{37}[A-Za-z0-9]") {
        prop_assume!(is_drawn_value(&value) && !is_placeholder(&value));
        for form in BESIDE_ID {
            let line = form.replace("{id}", &id).replace("{}", &value);
            prop_assert!(!shown(&line).contains(&value), "{}: {}", line, shown(&line));
        }
    }

    #[test]
    fn the_key_of_a_wallet_is_hidden(value in "[0-9a-f]{64}", words in prop::collection::vec("[a-z]{3,8}", 12..25)) {
        for form in WALLETS {
            let line = form.replace("{}", &value);
            prop_assert!(!shown(&line).contains(&value), "{}", shown(&line));
        }
        let words = words.join(" ");
        for line in [format!("MNEMONIC=\"{words}\""), format!("seed_phrase: {words}"), format!("mnemonic: '{words}',")] {
            prop_assert!(!shown(&line).contains(&words), "{}", shown(&line));
        }
    }

    #[test]
    fn what_is_private_of_a_key_in_json_is_hidden(value in "[A-Za-z][0-9][A-Za-z0-9_-]{41}") {
        prop_assume!(is_drawn_value(&value));
        for form in JSON_KEYS {
            let text = form.replace("{}", &value);
            prop_assert!(!shown(&text).contains(&value), "{}", shown(&text));
        }
    }

    #[test]
    fn a_token_behind_an_escape_or_an_underscore_is_hidden(
        number in "[1-9][0-9]{9}", telegram in "[A-Za-z0-9_-]{33}", adobe in "[A-Za-z0-9]{32}",
        before in prop::sample::select(vec!["_", "bot", "bot_", "\\n", "%22", "\\u0022", "-", ""]),
    ) {
        for secret in [format!("{number}:AA{telegram}"), format!("p8e-{adobe}")] {
            prop_assume!(!is_placeholder(&secret));
            if before == "bot" && secret.starts_with("p8e") {
                continue;
            }
            let line = format!("x = {before}{secret};");
            prop_assert!(!shown(&line).contains(&secret), "{}", shown(&line));
        }
    }
}

#[test]
fn what_is_beside_no_key_is_shown() {
    for line in [
        "AKIAQ3EG7HB2XV5MTK, tR5wPz8KqLm3Xv7Nb2tR5wPz8KqLm3Xv7Nb2aBcD",
        "wallet = open(\"main\")",
        "accounts: [\"bob\", \"ann\"]",
        "mnemonic: twelve words that stand for a key",
        "{\"d\": \"M10 20 L30 40 L50 60 L70 80 L90 100 L110 120\"}",
        "{\"k\": \"a-key-of-the-cache-that-is-a-long-word-of-it\"}",
    ] {
        assert_eq!(shown(line), line);
    }
}
