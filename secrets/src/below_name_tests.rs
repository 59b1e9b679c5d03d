//! Values below their names. The secrets are put together here, so that no scanner takes this file for a leak.

use proptest::prelude::*;

use crate::{Redactor, is_placeholder};

/// Everyday forms, with `{}` for the secret: the file, and its text.
const FORMS: &[(&str, &str)] = &[
    ("a.yml", "password:\n  {}"),
    ("a.yml", "password: >-\n  {}"),
    ("a.yml", "password: |\n  {}"),
    ("a.yml", "password: |-\n\n  {}"),
    ("a.yml", "password: !!str |2-\n  {}"),
    ("a.yml", "password: # of the test\n  {}"),
    ("a.yml", "passwords:\n  - {}"),
    ("a.yml", "db:\n  password:\n    value: {}"),
    (
        "a.yml",
        "db:\n  password:\n    description: x\n    default: \"{}\"",
    ),
    ("a.yml", "- name: DB_PASSWORD\n  value: {}"),
    (
        "a.yml",
        "- name: DB_PASSWORD\n  description: x\n\n  value: {}",
    ),
    ("a.json", "{\"password\":\n  \"{}\"}"),
    (
        "a.json",
        "[\n {\n  \"name\": \"DB_PASSWORD\",\n  \"value\": \"{}\"\n }\n]",
    ),
    ("a.js", "const password =\n  \"{}\";"),
    ("a.js", "const password = // prod\n  \"{}\";"),
    ("a.ts", "password:\n    process.env.P ||\n    \"{}\","),
    ("a.ts", "password: process.env.P ??\n    \"{}\","),
    ("a.py", "password = (\n    \"{}\"\n)"),
    ("a.py", "password = (\n    # prod\n    \"{}\"\n)"),
    ("a.py", "password = \\\n    \"{}\""),
    ("a.py", "password: str = (\n    \"{}\"\n)"),
    (
        "a.py",
        "password = os.environ.get(\n    \"P\",\n    \"{}\",\n)",
    ),
    ("a.rb", "password =\n  ENV.fetch(\"P\") { \"{}\" }"),
    ("a.php", "'password' =>\n    '{}',"),
    ("a.go", "cfg := Config{\n  Password: \"\" +\n    \"{}\",\n}"),
    ("a.rs", "let password =\n    \"{}\";"),
    ("a.java", ".password(\n    \"{}\")"),
    ("a.java", "builder\n  .setPassword(\n    \"{}\"\n  )"),
    ("a.sh", "acme --password \\\n  {}"),
    ("a.sh", "acme \\\n  --password=\\\n{}"),
    ("a.sh", "acme --password \\\n  {} \\\n  --user bob"),
    ("a.sh", "PASSWORD=$(cat <<EOF\n{}\nEOF\n)"),
    ("a.xml", "<password>\n  {}\n</password>"),
    (
        "a.xml",
        "<entry>\n  <key>password</key>\n  <value>{}</value>\n</entry>",
    ),
    ("a.xml", "<entry key=\"password\">\n  {}\n</entry>"),
    ("a.plist", "<key>ApiToken</key>\n<string>{}</string>"),
    (
        "a.tf",
        "variable \"db_password\" {\n  type    = string\n  default = \"{}\"\n}",
    ),
    (
        "a.tf",
        "set_sensitive {\n  name  = \"auth.password\"\n  value = \"{}\"\n}",
    ),
    (
        "a.tf",
        "environment_variable {\n  name  = \"DB_PASSWORD\"\n  type = \"x\"\n  value = \"{}\"\n}",
    ),
    ("a.ini", "[password]\nvalue = {}"),
    ("a.toml", "[db.password]\nvalue = \"{}\""),
    ("a.md", "**Password**\n\n    {}"),
    ("a.md", "## API token\n\n`{}`"),
    ("a.md", "Password\n: {}"),
    ("a.md", "| user | password |\n|---|---|\n| bob | {} |"),
    ("a.csv", "user,password\nbob,{}"),
    (
        "a.csv",
        "user,password,mail\nann,short,a@b.c\nbob,\"{}\",b@b.c",
    ),
    (
        "a.sql",
        "INSERT INTO users (name, password)\nVALUES ('bob', '{}');",
    ),
    (
        "a.sql",
        "INSERT INTO users (name, password)\nVALUES ('ann', 'x'),\n  ('bob', '{}');",
    ),
];

/// The same above its name.
const LATE_FORMS: &[(&str, &str)] = &[
    ("a.yml", "- value: {}\n  name: DB_PASSWORD"),
    ("a.yml", "- value: {}\n  kind: x\n  name: DB_PASSWORD"),
    (
        "a.json",
        "[\n {\n  \"value\": \"{}\",\n  \"name\": \"DB_PASSWORD\"\n }\n]",
    ),
];

/// What stands below such a name and is none of its values.
const INNOCENT: &[(&str, &str)] = &[
    ("a.yml", "password:\nuser: Zk9LmPq3Rt7xW"),
    ("a.yml", "password_hint: |\n  Zk9LmPq3Rt7xW"),
    (
        "a.yml",
        "password:\n  type: string\n  minLength: 8\n  pattern: Zk9LmPq3Rt7xW",
    ),
    ("a.yml", "- name: DB_HOST\n  value: Zk9LmPq3Rt7xW"),
    (
        "a.yml",
        "- name: DB_PASSWORD\n- name: DB_HOST\n  value: Zk9LmPq3Rt7xW",
    ),
    (
        "a.yml",
        "- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef: Zk9LmPq3Rt7xW",
    ),
    ("a.yml", "secrets:\n  - db_password_2\n  - source-of-x"),
    ("a.py", "def password(\n    \"Zk9LmPq3Rt7xW\""),
    ("a.py", "if password:\n    log(\"Zk9LmPq3Rt7xW\")"),
    ("a.py", "password = (\n    get(\"Zk9LmPq3Rt7xW\")"),
    ("a.py", "password = (\n    \"ask the user 2\""),
    ("a.py", "password_file = (\n    \"Zk9LmPq3Rt7xW\""),
    (
        "a.py",
        "password = os.environ.get(\n    \"DB_PASSWORD_2\",\n)\nname = \"Zk9LmPq3Rt7xW\"",
    ),
    ("a.py", "password:\n    Zk9LmPq3Rt7xW"),
    ("a.ts", "password: prompt(\n    \"Zk9LmPq3Rt7xW\""),
    ("a.sh", "read --password \\\n  --file Zk9LmPq3Rt7xW"),
    ("a.csv", "user,password\nZk9LmPq3Rt7xW,"),
    (
        "a.xml",
        "<p>\n  <name>password</name>\n</p>\n<p>\n  <name>host</name>\n  <value>Zk9LmPq3Rt7xW</value>\n</p>",
    ),
    (
        "a.xml",
        "<p>\n<name>password</name>\n<final>true</final>\n</p>\n<p>\n<value>Zk9LmPq3Rt7xW</value>\n</p>",
    ),
    (
        "a.tf",
        "variable \"db_password\" {\n  type = string\n}\nx = \"y\"\ndefault = \"Zk9LmPq3Rt7xW\"",
    ),
];

fn shown(path: &str, text: &str) -> String {
    Redactor::default().redact_source(Some(path), text).text
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Law: a drawn value in the statement, block, element or table that its name opens is shown in no form, however
    /// deep it all stands and whatever ends its lines.
    #[test]
    fn a_value_below_its_name_is_hidden(
        value in "[a-zA-Z][A-Z][0-9][a-z][A-Z0-9]{2}[a-z][0-9][A-Za-z0-9]{4,24}", indent in 0_usize..3, is_crlf: bool,
    ) {
        prop_assume!(!is_placeholder(&value) && crate::value::is_drawn_value(&value));
        let late = LATE_FORMS.iter().filter(|_| crate::plausible::looks_random(&value));
        for (path, form) in FORMS.iter().chain(late) {
            let is_flush = path.ends_with(".csv") || path.ends_with(".sql");
            let text = form.replace("{}", &value);
            let indent = " ".repeat(if is_flush { 0 } else { indent });
            let text: String = text.lines().map(|line| format!("{indent}{line}\n")).collect();
            let text = if is_crlf { text.replace('\n', "\r\n") } else { text };
            let shown = shown(path, &text);
            prop_assert!(!shown.contains(&value), "{path}: {text}: {shown}");
            prop_assert_eq!(shown.lines().count(), text.lines().count());
        }
    }

    #[test]
    fn any_lines_are_read(lines in prop::collection::vec("[a-z<>|,(){}\\[\\]=:\"' é/-]{0,8}(password|name|value)?[^a-zA-Z0-9]{0,6}", 0..6)) {
        let text = lines.join("\n");
        let once = shown("a.yml", &text);
        prop_assert_eq!(shown("a.yml", &once), once);
    }
}

#[test]
fn what_is_no_value_of_a_name_above_is_shown() {
    for (path, text) in INNOCENT {
        assert_eq!(shown(path, text), *text, "{path}");
    }
}
