//! What docs/prompts.md says is not recognised: whoever reads it is promised no more, and no less, than is true.

use super::*;

#[test]
fn what_is_called_unrecognised_is_shown() {
    for (path, text) in [
        ("a.py", "password = \"swordfish\""),
        ("a.py", "password = \"correct horse battery staple\""),
        ("a.py", "password = \"19840712\""),
        ("a.yml", "password: swordfish"),
        ("a.py", "password = \"kT7v!\""),
        ("a.py", "send(host, \"root\", \"kT7vMq9s!\")"),
        ("a.sql", "INSERT INTO users VALUES (1, 'bob', 'kT7vMq9s!');"),
        (
            "a.json",
            "{\"db\": [\"localhost\", \"root\", \"kT7vMq9s!\"]}",
        ),
        ("a.md", "The password is kT7vMq9s!"),
        ("a.py", "a = \"kT7vM\"\nb = \"q9s!x\"\npassword = a + b"),
        ("a.py", "password = \"%s%s\" % (\"kT7vM\", \"q9s!x\")"),
        ("a.py", "password = \"\".join([\"kT7v\", \"Mq9s!\"])"),
        ("a.c", "char password[] = {'k','T','7','v','M','q','9'};"),
        ("a.py", "password = bytes([107, 84, 55, 118, 77, 113])"),
        ("a.py", "password = rot13(\"xG7iZd9f!\")"),
        ("a.js", "const password = decrypt(\"kT7vMq9s!kT7v\")"),
        ("a.properties", "jdbc.password=ENC(Kx9mPq2rTzz)"),
        ("a.py", "p = base64.b64decode(\"a1Q3dk1xOXMh\")"),
        ("users.csv", "9,bob,kT7vMq9s!"),
    ] {
        assert_eq!(redact_file(path, text), (text.to_owned(), 0), "{path}");
    }
}

#[test]
fn a_file_of_secrets_hides_words_too() {
    for text in ["DB_PASSWORD=swordfish", "DB_PASSWORD=19840712"] {
        assert_eq!(redact_file(".env", text).0, "DB_PASSWORD=[redacted: value]");
    }
}
