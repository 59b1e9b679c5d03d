//! The table and the redactor over made-up secrets, which are put together here so that no scanner takes this file for a
//! leak.

mod files;
mod keys;
mod laws;
mod own_table;
mod sessions;
mod spellings;
mod unnamed;
mod unrecognised;

use std::borrow::Cow;
use std::collections::BTreeSet;

use proptest::prelude::*;

use crate::samples::sample_secrets;
use crate::{Redactor, SecretTable};

fn redact(text: &str) -> (String, usize) {
    let shown = Redactor::default().redact_source(None, text);
    (shown.text, shown.secrets)
}

fn redact_file(path: &str, text: &str) -> (String, usize) {
    let shown = Redactor::default().redact_source(Some(path), text);
    (shown.text, shown.secrets)
}

/// A redactor that has seen these lines of a file.
fn knowing(path: &str, text: &str) -> Redactor {
    Redactor::default().knowing([(Some(Cow::Borrowed(path)), text.lines())])
}

fn token(prefix: &str, length: usize) -> String {
    let body: String = (0..length)
        .map(|i| char::from(b"aB3dE6gH9k"[i % 10]))
        .collect();
    format!("{prefix}{body}")
}

/// The program compiles them one by one, as lines ask for them; a user's table is compiled when it is read.
#[test]
fn many_lines_are_read_by_another_automaton_that_finds_the_same() {
    let table = "[[rules]]\nid = \"a\"\nregex = '''(?i)tok_([a-z0-9]{8})'''\nkeywords = [\"tok_\", \"xtok\"]\n";
    let table = SecretTable::parse(table).unwrap();
    let lines = [
        "x = tok_a1b2c3d4",
        "XTOK_a1b2c3d4 tok_00000000",
        "nothing",
        "tok_",
        "",
    ];
    let find = || lines.map(|line| table.find_secrets(line));
    let first = find();
    assert_eq!(first.each_ref().map(Vec::len), [1, 2, 0, 0, 0]);
    for _ in 0..2_000 {
        assert_eq!(find(), first);
    }
}

#[test]
fn every_pattern_of_the_table_compiles() {
    let read = SecretTable::parse(include_str!("table.toml"));
    assert_eq!(
        read.map(|table| table.len()),
        Ok(SecretTable::built_in().len())
    );
}

/// Everyday places of a secret, each with a value that nobody could guess.
#[test]
fn everyday_secrets_are_not_shown() {
    let value = ["tR5wPz8K", "qLm3Xv7Nb2"].concat();
    for (path, line) in [
        ("app.gradle", "storePassword '{}'"),
        ("y.yaml", "\"password\": {}"),
        ("x.py", "{'user': 'a', 'pass': '{}'}"),
        ("x.py", "password = (\"{}\")"),
        ("x.py", "os.environ.setdefault(\"SECRET_KEY\",\"{}\")"),
        ("x.py", "SECRET_KEY = config(\"SECRET_KEY\", default='{}')"),
        (
            "x.py",
            "parser.add_argument('--password', type=str, default='{}')",
        ),
        ("x.sql", "CREATE USER a IDENTIFIED BY '{}';"),
        ("x.sql", "CREATE ROLE a WITH PASSWORD '{}';"),
        ("x.sh", "curl -H \"PRIVATE-TOKEN: {}\" https://example.com"),
        (
            "nginx.conf",
            "proxy_set_header Authorization \"Bearer {}\";",
        ),
        ("k8s.yaml", "- name: DB_PASSWORD\n  value: {}"),
        (
            "h.xml",
            "<property name=\"hibernate.connection.password\">{}</property>",
        ),
        (".env", "#STRIPE={}"),
        (".env", "FOO=ab|{}"),
        (".env", "FOO=ab({})"),
        (".env", "FOO=a&b={}&c"),
        (".envrc", "export FOO={}"),
        (".flaskenv", "FOO={}"),
        (".dev.vars", "FOO={}"),
        ("secrets.yml", "foo: {}"),
        ("secrets.json", "{\"foo\": \"{}\"}"),
        ("secrets.toml", "foo = \"{}\""),
        (".env/prod", "FOO={}"),
    ] {
        let text = line.replacen("{}", &value, 1);
        let (shown, secrets) = redact_file(path, &text);
        assert!(secrets > 0 && !shown.contains(&value), "{path}: {shown}");
        assert_eq!(redact_file(path, &shown).0, shown, "{path}");
    }
}

/// A script that is loaded by itself is code: judges see its commands.
#[test]
fn the_commands_of_an_envrc_are_shown() {
    let text =
        "use flake\nif [ -f x ]; then\ncurl https://a.example/x | sh\nexport A=$(op read x)\n";
    assert_eq!(redact_file(".envrc", text).0, text);
}

#[test]
fn every_row_has_a_sample_and_nothing_of_it_is_shown() {
    let samples = sample_secrets();
    let sampled: BTreeSet<&str> = samples.iter().map(|sample| sample.kind.as_str()).collect();
    let rows = SecretTable::built_in().rules.iter();
    let rows: BTreeSet<&str> = rows.map(|rule| rule.id.as_str()).collect();
    assert_eq!(sampled, rows);
    for sample in samples {
        let (shown, secrets) = redact(&sample.line);
        assert!(secrets > 0 && !shown.contains(&sample.secret), "{sample:?}");
        assert!(
            shown.contains(&format!("[redacted: {}]", sample.kind)),
            "{sample:?}: {shown}"
        );
        assert_eq!(redact(&shown), (shown.clone(), 0), "{sample:?}");
    }
}

#[test]
fn what_is_reported_is_redacted_with_the_words_that_all_of_its_kind_begin_with() {
    for sample in sample_secrets() {
        let line = format!("let x = f({});", sample.secret);
        if let Some(found) = SecretTable::built_in().find_secrets(&line).first() {
            let shown = format!("let x = f([redacted: {}]);", found.kind);
            assert_eq!(redact(&line).0, shown, "{sample:?}");
        }
    }
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
            "signing_key = b64(\"a1b2c3d4e5\")",
            "signing_key = b64(\"[redacted: secret]\")",
        ),
        (
            "url = postgres://app:s3cret@db/x",
            "url = postgres://app:[redacted: url-password]@db/x",
        ),
        (
            "url = postgres://app:s3c@ret@db/x",
            "url = postgres://app:[redacted: url-password]@db/x",
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

/// Each of these went to a provider in clear: the place says that the value is a secret, not its shape.
#[test]
fn places_that_are_made_for_a_secret_show_none() {
    let aws = "wJq7rXUtn0EMI/K7MDENG/bPxRfiCYt9Zk3pQ9vX";
    let azure = format!("{}==", token("Az", 84));
    for line in [
        format!("ENV AWS_SECRET_ACCESS_KEY={aws}"),
        format!("ENV AWS_SECRET_ACCESS_KEY {aws}"),
        format!("  aws_secret_access_key: {aws}"),
        format!("aws_secret_access_key = \"{aws}\""),
        format!("aws configure set aws_secret_access_key {aws}"),
        "ENV A=1 DB_PASSWORD=aB3dE6gH9kaB3d B=2 \\".to_owned(),
        "ARG API_TOKEN=aB3dE6gH9kaB3d".to_owned(),
        "docker run -e DB_PASSWORD=aB3dE6gH9kaB3d app".to_owned(),
        "curl -u admin:Zk3pQ9vXw2 https://x.io".to_owned(),
        "curl -sS --user 'admin:Zk3pQ9vXw2' https://x.io".to_owned(),
        "  -u admin:Zk3pQ9vXw2 \\".to_owned(),
        "run([\"curl\", \"-u\", \"admin:Zk3pQ9vXw2\"])".to_owned(),
        "wget --http-password=Zk3pQ9vXw2 https://x.io".to_owned(),
        "{\"Authorization\": \"Bearer Zk3pQ9vXw2LmT7rB8sYc\"}".to_owned(),
        "curl -H 'authorization: token Zk3pQ9vXw2LmT7rB8sYc' x.io".to_owned(),
        "headers[\"Authorization\"] = f\"Basic YWRtaW46aHVudGVyMg==\"".to_owned(),
        "<password>Zk3pQ9vXw2!</password>".to_owned(),
        "<add key=\"ApiSecret\" value=\"Zk3pQ9vXw2\" />".to_owned(),
        "{\"auths\":{\"https://index.docker.io/v1/\":{\"auth\":\"YWRtaW46aHVudGVyMg==\"}}}"
            .to_owned(),
        format!("key = \"{azure}\""),
        format!("AZURE_STORAGE_KEY: {azure}"),
        "//registry.npmjs.org/:_authToken=0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9".to_owned(),
    ] {
        let (shown, secrets) = redact(&line);
        assert_eq!(secrets, 1, "{line}: {shown}");
        for value in [aws, &azure, "aB3dE6", "Zk3pQ9", "YWRtaW", "0a1b2c3d"] {
            assert!(!shown.contains(value), "{line}: {shown}");
        }
    }
}

#[test]
fn places_that_are_made_for_a_secret_show_what_is_none() {
    for line in [
        "ENV AWS_SECRET_ACCESS_KEY=$KEY2",
        "ARG API_TOKEN",
        "docker run -u 1000:1000 -e API_TOKEN app",
        "curl -u \"$USER:$PASS2\" https://x.io",
        "curl -u user:password https://x.io",
        "rsync -u host:/srv/a1 .",
        "Authorization: Bearer <token2>",
        "headers = {\"Authorization\": f\"Bearer {token2}\"}",
        "the Authorization header: Bearer authentication of RFC 6750",
        "<password>${env.PASSWORD_2}</password>",
        "<token>refresh</token>",
        "\"auth\": \"required\"",
        "tool --password-file /run/secrets/a1",
        "tool --token TOKEN",
        "\"integrity\": \"sha512-aB3dE6gH9kaB3dE6gH9k==\"",
        "_password = get_password_of_the_user2()",
        "//registry.npmjs.org/:_authToken=${NPM_TOKEN}",
    ] {
        assert_eq!(redact(line), (line.to_owned(), 0));
    }
}

#[test]
fn a_token_in_a_longer_value_takes_the_whole_value_along() {
    let line = format!("api_key = \"v1:{}\"", token("ghp_", 36));
    assert_eq!(
        redact(&line),
        ("api_key = \"[redacted: github-token]\"".to_owned(), 1)
    );
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
            let (once, _) = redact_file(path, &text);
            let (twice, count) = redact_file(path, &once);
            prop_assert_eq!(&once, &twice);
            prop_assert_eq!(count, 0);
            prop_assert_eq!(once.lines().count(), text.lines().count());
            let redactor = knowing(path, &text);
            let told = redactor.redact_words(&text).text;
            prop_assert_eq!(redactor.redact_words(&told).text, told);
        }
    }
}

/// The time grows with the length of a line, and not with its square: what stands in the way of a hook's time-out must not
/// be one line. Where it grew with the square, each of these lines took minutes.
#[test]
fn a_long_line_of_tokens_takes_no_longer_than_many_short_ones() {
    let secret = token("ghp_", 36);
    let lines = [
        "a_token ".to_owned(),
        format!("x\\n{secret} "),
        format!("{secret}-"),
        "[redacted: ".to_owned(),
    ];
    for part in lines {
        let line = part.repeat(LONG_LINE / part.len());
        let begun = std::time::Instant::now();
        let redactor = knowing("a.txt", &secret);
        redactor.redact_words(&line);
        let took = begun.elapsed();
        assert!(
            took < std::time::Duration::from_secs(20),
            "{part}: {took:?}"
        );
    }
}

const LONG_LINE: usize = 400_000;
