//! Laws of literals beside the name of a secret in a call.

use proptest::prelude::*;

use crate::Redactor;
use crate::value::is_drawn_value;

/// Expressions that are a secret, with what language they are of.
const SECRETS: [&str; 9] = [
    "password",
    "$password",
    "user.password",
    "req.body.password",
    "this->dbPassword",
    "client_secret",
    "cfg[\"password\"]",
    "request.getParameter(\"password\")",
    "[]byte(password)",
];

/// Calls with such an expression `@` and a literal `~` beside each other, and `%` for whatever the call is named.
const CALLS: [&str; 14] = [
    "%(@, \"~\")",
    "%(\"~\", @)",
    "%('~', @, true)",
    "if (%(@, \"~\") == 0) {}",
    "self.%(@, \"~\", \"message\")",
    "x.%(expected=@, actual=\"~\")",
    "@.%(\"~\")",
    "\"~\".%(@)",
    "%(@).toBe(\"~\")",
    "%(@, b\"~\")",
    "%(@.getBytes(), \"~\".getBytes())",
    "%([]byte(\"~\"), @)",
    "return %(\"~\", @) && other(1)",
    "%(%(\"~\", @), x)",
];

/// What nobody compares a secret with, or what says that it is none.
const INNOCENT: [&str; 20] = [
    "strcmp(password, argv[1])",
    "password.equals(other.password2)",
    "password.matches(\"^[A-Za-z0-9]{8,}$\")",
    "password.replace(\"a\", \"b\")",
    "token.startsWith(\"Bearer2 \")",
    "hash_equals($hash, $password)",
    "assertEqual(password, \"a message of words\")",
    "check(passwordService, \"Xk9LmPq3Rt7xWZ2v\")",
    "check(password_field, \"Xk9LmPq3Rt7xWZ2v\")",
    "next(token, \"identifier1\")",
    "run(\"wipe2db\"); check(password)",
    "run(\"wipe2db now\", password)",
    "validate(password, \"min_length_8\")",
    "compare(password, \"password2\")",
    "open(password, \"./x1y2z3/data9\")",
    "log(\"Xk9LmPq3Rt7xWZ2v\", user, host)",
    "t(\"password\", \"Passwort1\")",
    "password(user2name, host3name)",
    "snprintf(text, sizeof(text), \"Unknown-%hd?\", apiKey)",
    "encode(seed, &psk).ends_with(b\"\\x00\\x29\\x00\\x04\\x00\")",
];

fn shown(line: &str) -> String {
    Redactor::default().redact_source(Some("A.java"), line).text
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Law: expressions × calls × names of calls × values. No literal beside a secret is shown, and a rule speaks of it.
    #[test]
    fn a_literal_beside_a_secret_is_shown_in_no_call(
        value in "[G-Z][g-z][0-9][A-Za-z0-9]{9,24}[0-9][a-z]", callee in "[a-z]{2,6}([A-Z_][a-z]{2,6})?",
    ) {
        prop_assume!(is_drawn_value(&value) && crate::named::kind_of_name(&callee).is_none());
        let mut leaks = Vec::new();
        for (secret, call) in SECRETS.iter().flat_map(|secret| CALLS.map(|call| (secret, call))) {
            let line = call.replace('@', secret).replace('%', &callee).replace('~', &value);
            let found = crate::SecretTable::built_in().find_secrets(&line);
            let is_told = found.iter().any(|found| found.is_plausible && line[found.span.clone()] == value);
            leaks.extend((shown(&line).contains(&value) || !is_told).then_some(line));
        }
        prop_assert!(leaks.is_empty(), "{}", leaks.join("\n"));
    }

    #[test]
    fn every_line_of_calls_is_read(line in "[a-z(\"'),.\\[\\]é -]{0,80}") {
        shown(&format!("password{line}"));
        shown(&format!("{line}password{line}"));
    }
}

/// What stands before a bracket may end with a letter of several bytes.
#[test]
fn a_letter_of_two_bytes_before_a_call_is_read() {
    for line in [
        "]éa(password",
        "é(password",
        "\"é\".a(password, 1)",
        "“é”.equals(password)",
    ] {
        assert_eq!(shown(line), line);
    }
}

#[test]
fn what_a_secret_is_not_compared_with_is_shown() {
    let hidden = INNOCENT.into_iter().map(|line| (line, shown(line)));
    let hidden: Vec<_> = hidden.filter(|(line, shown)| line != shown).collect();
    assert_eq!(hidden, []);
}
