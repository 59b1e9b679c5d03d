//! Files that hold secrets, under whichever name, and lines of a file that stand apart from it.

use proptest::prelude::*;

use super::redact_file;
use crate::{Redactor, SecretTable};

/// Names of files of which every value is secret.
const SECRET_FILES: [&str; 36] = [
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
    "secret.yml",
    "secret.json",
    "k8s/secret.yaml",
    "k8s/app-secret.yaml",
    "app_secret.yml",
    "my-secrets.yaml",
    "values-secrets.yaml",
    "secrets.prod.yml",
    "secrets.enc.yaml",
    "secrets/app.yml",
    "secret/app.yml",
    "secrets/prod/app.yaml",
    "credential.yml",
    "creds.yml",
    "vault.yml",
    "group_vars/all/vault.yml",
    "Secrets.plist",
    "config/credentials/production.yml",
    "passwords.ini",
    "db-credentials.json",
];

/// Names of files of which drawn words are.
const DRAWN_FILES: [&str; 5] = [
    "secrets/prod.yml",
    "secret.yaml",
    "my-secret.json",
    "run-secrets/db",
    "secrets/db_password",
];

/// Names that say nothing of the kind.
const OTHER_FILES: [&str; 17] = [
    "env.example",
    ".env.example",
    "settings.yml",
    "src/secrets.rs",
    "docs/secrets/rotate.md",
    "environment.py",
    "secretary.yml",
    "credentials_test.go",
    ".github/workflows/secrets.yml",
    ".github/secret_scanning.yml",
    "secret-scan.yml",
    "secrets.example.yml",
    "app-secret.template.yaml",
    "locales/en/password.json",
    "secret.schema.json",
    "secretary.json",
    "vaulted.toml",
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
    for name in [
        "secrets/Cargo.toml",
        "secrets/package.json",
        "schemas/secret.json",
    ] {
        assert!(!table.holds_secrets(name), "{name}");
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

/// Lines of settings, with `~` for a value under a name that does not say secret.
const SETTINGS: [(&str, &str); 9] = [
    ("deploy.env", "OPTION=~"),
    (".env", "export LOADER=\"~\""),
    (".env.prod", "#OPTION=~"),
    ("secrets.yml", "option: ~"),
    ("k8s/secrets.yaml", "- kind: ~"),
    ("k8s/secrets.yaml", "  - ~"),
    (".npmrc", "loader=~"),
    ("prod.tfvars", "image = \"~\""),
    ("prod.tfvars", "admins = [\"~\"]"),
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Law: in files of secrets whatever is written down is shown behind a name that does not say secret; what is drawn
    /// is not, and neither is anything behind one that does.
    #[test]
    fn settings_are_shown_and_drawn_runs_are_hidden(
        setting in prop_oneof![
            "/(tmp|usr|opt)/evil:/usr/(bin|lib)",
            "--(require|import)=\\./evil\\.js",
            "-r \\./evil\\.js",
            "-javaagent:evil\\.jar",
            "evil/(miner|agent):(latest|1\\.2)",
            "(\\*\\.|www\\.)?evil\\.(com|example)",
            "mallory@evil\\.com",
            "evil;sh",
            "evil1:evil2",
            "cluster-admin|ClusterRoleBinding|development",
        ],
        drawn in "[G-Z][g-z][0-9][A-Za-z0-9]{10,24}[0-9][a-z]",
    ) {
        prop_assume!(crate::value::is_drawn_value(&drawn));
        for (path, form) in SETTINGS {
            let line = form.replace('~', &setting);
            prop_assert_eq!(&redact_file(path, &line).0, &line, "{}", path);
            let shown = redact_file(path, &form.replace('~', &drawn)).0;
            prop_assert!(!shown.contains(&drawn), "{path}: {shown}");
        }
        for line in ["DB_PASSWORD=~", "api_token: ~", "mail-pw = ~"] {
            let shown = redact_file(".env.prod", &line.replace('~', "cluster-admin")).0;
            prop_assert!(!shown.contains("cluster-admin"), "{shown}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Law: settings that are called secrets hide what `secrets.yml` hides, whatever stands around that word in the name.
    #[test]
    fn every_spelling_of_the_name_hides_the_same(
        before in prop::sample::select(vec!["", "app-", "my_", "prod.", "k8s/", "deploy/base/db-", ".", "group_vars/all/"]),
        word in prop::sample::select(vec!["secret", "secrets", "Secret", "credential", "credentials", "creds", "vault"]),
        behind in prop::sample::select(vec!["", ".prod", "-app", "_enc", "/app", "/prod/db"]),
        ending in prop::sample::select(vec!["yml", "yaml", "json", "toml", "ini", "properties"]),
        name in "[a-z]{3,8}(_[a-z])?",
        value in prop_oneof!["[0-9]{4,8}", "[a-z0-9]{6,10}", "[A-Za-z0-9]{8,24}", "[a-z]{4,9}"],
    ) {
        // A folder counts by its whole name: `external-secrets/` is a chart's, and `vault/` a program's.
        let is_whole = word != "vault" && (matches!(before, "" | ".") || before.ends_with('/'));
        prop_assume!(is_whole || !behind.starts_with('/'));
        for line in [format!("{name}: \"{value}\""), format!("{name} = {value}"), format!("  - {value}"), value.clone()] {
            let path = format!("{before}{word}{behind}.{ending}");
            let hides = |path: &str| !redact_file(path, &line).0.contains(&value);
            prop_assert!(hides(&path) || !hides(&format!("secrets.{ending}")), "{path}: {line}");
        }
    }
}
