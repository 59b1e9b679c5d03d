//! Files that hold secrets, under whichever name, and lines of a file that stand apart from it.

use proptest::prelude::*;

use crate::{Redactor, SecretTable};

/// Names of files of which every value is secret.
const SECRET_FILES: [&str; 16] = [
    ".env",
    ".env~",
    "env.prod",
    "config/secrets.yml",
    "config/.secrets.toml",
    "secrets.ini",
    "application-secrets.yml",
    "credentials.yml",
    ".credentials",
    "credentials",
    ".aws/credentials",
    ".boto",
    ".s3cfg",
    ".npmrc",
    "terraform.tfvars",
    "a.pem",
];

/// Names of files of which drawn words are.
const DRAWN_FILES: [&str; 4] = [
    "secrets/prod.yml",
    "secret.yaml",
    "my-secret.json",
    "run-secrets/db",
];

/// Names that say nothing of the kind.
const OTHER_FILES: [&str; 8] = [
    "env.example",
    ".env.example",
    "settings.yml",
    "src/secrets.rs",
    "docs/secrets/rotate.md",
    "environment.py",
    "secretary.yml",
    "credentials_test.go",
];

#[test]
fn a_name_says_what_a_file_holds() {
    let table = SecretTable::built_in();
    for name in SECRET_FILES {
        assert!(table.holds_secrets(name), "{name}");
    }
    for name in DRAWN_FILES {
        assert!(table.holds_drawn(name), "{name}");
    }
    for name in OTHER_FILES {
        assert!(
            !table.holds_secrets(name) && !table.holds_drawn(name),
            "{name}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Law: what a file of secrets holds is hidden in it under its new name as under the old one, whichever says so.
    #[test]
    fn a_new_name_shows_no_value(
        file in prop::sample::select(SECRET_FILES.to_vec()), other in prop::sample::select(vec!["env.example", "settings.yml", "a.txt"]),
        values in prop::collection::vec("[a-z][A-Z][0-9][A-Za-z0-9]{5,20}", 1..5),
    ) {
        let text: String = values.iter().enumerate().map(|(at, value)| format!("NAME_{at}={value}\n")).collect();
        for (old, new) in [(file, other), (other, file)] {
            let redactor = Redactor::default().renaming([(new.to_owned(), old.to_owned())]);
            let shown = redactor.redact_source(Some(new), &text).text;
            prop_assert!(values.iter().all(|value| !shown.contains(value)), "{} {}: {}", old, new, shown);
            // Other files are none of its business.
            prop_assert_eq!(redactor.redact_source(Some("b.txt"), &text), Redactor::default().redact_source(Some("b.txt"), &text));
        }
    }

    /// Law: no line of a key and no line of a file of secrets is the heading of a hunk, however much of it is left.
    #[test]
    fn a_heading_is_no_line_of_a_key(
        line in "[A-Za-z0-9+/]{9,64}={0,2}", tail in "[A-Za-z0-9+/]{2,8}={1,2}", around in prop::sample::select(vec!["", "\"", "\\n\" +", ","]),
    ) {
        prop_assume!(!crate::words::has_form_of_words(line.trim_end_matches('=')));
        let redactor = Redactor::default();
        for piece in [line, tail] {
            let heading = redactor.lines(Some("a.py")).redact_heading(&format!("{piece}{around}"));
            prop_assert!(!heading.text.contains(&piece), "{}", heading.text);
        }
        prop_assert_eq!(redactor.lines(Some(".env")).redact_heading("FOO=bar x").text, "");
    }
}

#[test]
fn a_heading_of_code_is_shown() {
    let redactor = Redactor::default();
    for heading in [
        "fn redact_heading(&self, text: &str) -> RedactedText {",
        "class PaymentService",
        "main:",
        "build-release",
        "[package]",
        "def f(x):",
        "impl<'r> LineRedactor<'r> {",
    ] {
        let shown = redactor.lines(Some("a.rs")).redact_heading(heading).text;
        assert_eq!(shown, heading);
    }
}
