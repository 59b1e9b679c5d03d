//! Lists and calls over several lines. The secrets are put together here: no scanner takes this file for a leak.

use proptest::prelude::*;

use crate::{Redactor, is_placeholder};

/// Everyday forms, with `{}` for the secret: the file, and its text.
const FORMS: &[(&str, &str)] = &[
    (
        ".mcp.json",
        "\"args\": [\n  \"-y\",\n  \"search-mcp\",\n  \"--api-key\",\n  \"{}\"\n]",
    ),
    (
        "launch.json",
        "{\n  \"args\": [\n    \"--password\",\n    \"{}\"\n  ]\n}",
    ),
    ("a.yml", "args:\n- --db-password\n- {}"),
    ("a.yml", "args:\n  - --db-password\n  - {}"),
    (
        "a.yml",
        "command:\n  - redis-server\n  - --requirepass\n  - {}",
    ),
    (
        "a.py",
        "subprocess.run([\n    \"app\",\n    \"--password\",\n    \"{}\",\n], check=True)",
    ),
    (
        "A.java",
        "props.setProperty(\n    \"db.password\",\n    \"{}\");",
    ),
    ("A.java", "map.put(\n    \"password\",\n    \"{}\");"),
    ("a.js", "config.set(\n  'password',\n  '{}',\n);"),
    ("a.py", "SECRETS = {\n    \"stripe\": \"{}\",\n}"),
    ("a.yml", "Authorization:\n- Bearer {}"),
    ("a.yml", "X-Api-Key:\n- {}"),
    ("a.yml", "Cookie:\n- session={}"),
    ("a.yml", "Set-Cookie:\n- sid={}; Path=/; HttpOnly"),
    (
        "a.json",
        "\"header\": [\n  {\n    \"key\": \"Authorization\",\n    \"value\": \"Bearer {}\"\n  }\n]",
    ),
    (
        "a.yml",
        "headers:\n  - name: Authorization\n    value: Bearer {}",
    ),
    (
        "a.yml",
        "headers:\n  - id: x\n    name: Authorization\n    value: Bearer {}",
    ),
    (
        "a.har",
        "{\n  \"name\": \"Cookie\",\n  \"value\": \"sid={}\"\n}",
    ),
    ("a.json", "\"Authorization\": [\n  \"Bearer {}\"\n]"),
    (
        "appsettings.json",
        "\"Jwt\": {\n  \"Key\": \"{}\",\n  \"Issuer\": \"x\"\n}",
    ),
    (
        "appsettings.json",
        "\"Jwt\": {\n  \"Issuer\": \"x\",\n  \"Key\": \"{}\"\n}",
    ),
    ("a.yml", "jwt:\n  key: {}"),
    ("a.yml", "jwt:\n  issuer: x\n  key: \"{}\""),
    ("a.toml", "[jwt]\nkey = \"{}\""),
    ("a.php", "<?php return ['stripe' => ['key' => '{}']];"),
    (
        "a.php",
        "return [\n  'stripe' => [\n    'key' => '{}',\n  ],\n];",
    ),
];

/// What stands in such lists and is none of their secrets.
const INNOCENT: &[(&str, &str)] = &[
    ("a.yml", "args:\n- --db-host\n- Zk9LmPq3Rt7xW"),
    ("a.yml", "args:\n- --password\nname: Zk9LmPq3Rt7xW"),
    (
        "a.json",
        "\"args\": [\n  \"--token\"\n],\n\"x\": \"Zk9LmPq3Rt7xW\"",
    ),
    (
        "a.json",
        "\"Cache\": {\n  \"Key\": \"Zk9LmPq3Rt7xWaB4cD5eF6gH\"\n}",
    ),
    (
        "a.json",
        "\"Jwt\": {\n  \"Issuer\": \"Zk9LmPq3Rt7xWaB4cD5eF6gH\"\n}",
    ),
    (
        "a.js",
        "config.set(\n  'password',\n  password,\n);\nrun('Zk9LmPq3Rt7xW')",
    ),
    ("a.rs", "fn password() {\n    let x = \"Zk9LmPq3Rt7xW\";\n}"),
    (
        "a.yml",
        "- name: Authorization\n- name: X-Trace\n  value: Zk9LmPq3Rt7xW",
    ),
    ("a.yml", "Accept:\n- Zk9LmPq3Rt7xW"),
];

/// What formatters break: the file, what opens the list, its elements, and what closes it.
const LISTS: &[(&str, &str, &[&str], &str)] = &[
    (
        "a.json",
        "\"args\": [",
        &["\"-v\"", "\"--password\"", "\"{}\""],
        "]",
    ),
    (
        "a.py",
        "run([",
        &["\"app\"", "\"--db-password\"", "\"{}\""],
        "])",
    ),
    (
        "a.java",
        "props.setProperty(",
        &["\"db.password\"", "\"{}\""],
        ");",
    ),
    ("a.js", "config.set(", &["'API_TOKEN'", "'{}'"], ");"),
    (
        "a.py",
        "psycopg2.connect(",
        &["\"host\"", "user=\"bob\"", "password=\"{}\""],
        ")",
    ),
    ("a.py", "SECRETS = {", &["\"stripe\": \"{}\""], "}"),
    (
        "a.json",
        "{",
        &[
            "\"id\": 1",
            "\"key\": \"Authorization\"",
            "\"value\": \"Bearer {}\"",
        ],
        "}",
    ),
    (
        "a.json",
        "\"Stripe\": {",
        &["\"Mode\": \"live\"", "\"Key\": \"{}\""],
        "}",
    ),
];

fn shown(path: &str, text: &str) -> String {
    Redactor::default().redact_source(Some(path), text).text
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_value_in_a_list_over_lines_is_hidden(
        value in "[a-zA-Z][A-Z][0-9][a-z][A-Z0-9]{2}[a-z][0-9][A-Za-z0-9]{16,24}", indent in 0_usize..3,
    ) {
        prop_assume!(!is_placeholder(&value) && crate::value::is_drawn_value(&value));
        for (path, form) in FORMS {
            let indent = " ".repeat(indent);
            let text = form.replace("{}", &value);
            let text: String = text.lines().map(|line| format!("{indent}{line}\n")).collect();
            let shown = shown(path, &text);
            prop_assert!(!shown.contains(&value), "{path}: {text}: {shown}");
        }
    }

    /// Law: a list that is broken at its commas, each element on its own line, hides what it hides in one line.
    #[test]
    fn a_broken_list_hides_what_it_hides_in_one_line(
        value in "[a-zA-Z][A-Z][0-9][a-z][A-Z0-9]{2}[a-z][0-9][A-Za-z0-9]{14,24}", indent in 1_usize..6, is_tailed: bool,
    ) {
        prop_assume!(!is_placeholder(&value) && crate::value::is_drawn_value(&value));
        for (path, open, elements, close) in LISTS {
            let elements: Vec<String> = elements.iter().map(|one| one.replace("{}", &value)).collect();
            let flat = format!("{open}{}{close}\n", elements.join(", "));
            let joint = format!(",\n{}", " ".repeat(indent));
            let tail = if is_tailed { "," } else { "" };
            let broken = format!("{open}{}{}{tail}\n{close}\n", &joint[1..], elements.join(&joint));
            let (flat, broken) = (shown(path, &flat), shown(path, &broken));
            prop_assert!(!flat.contains(&value), "{path}: {flat}");
            prop_assert!(!broken.contains(&value), "{path}: {broken}");
        }
    }
}

#[test]
fn what_is_no_secret_of_a_list_is_shown() {
    for (path, text) in INNOCENT {
        assert_eq!(shown(path, text), *text, "{path}");
    }
}
