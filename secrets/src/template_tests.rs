//! Passwords with any sign that generators draw, and what is filled in later.

use proptest::prelude::*;

use crate::plausible::is_literal;
use crate::template::is_template;
use crate::{Redactor, is_placeholder};

/// How files have a password between quotes, with `~` for it.
const FORMS: [(&str, &str); 16] = [
    ("a.py", "password = \"~\""),
    ("a.json", "{\"password\": \"~\"}"),
    ("a.yml", "db_password: '~'"),
    ("a.tf", "  password = \"~\""),
    ("a.sql", "CREATE USER app IDENTIFIED BY '~';"),
    ("a.sh", "export DB_PASSWORD='~'"),
    ("A.java", "ds.setPassword(\"~\");"),
    ("wp-config.php", "define( 'DB_PASSWORD', '~' );"),
    ("a.toml", "password = \"~\""),
    ("a.js", "const password = '~';"),
    ("a.js", "login({ user: 'bob', password: '~' });"),
    ("a.rb", "config.secret_key = '~'"),
    ("a.go", "Password: \"~\","),
    ("A.cs", "var apiKey = \"~\";"),
    ("a.xml", "<user name=\"bob\" password=\"~\"/>"),
    ("Dockerfile", "ENV DB_PASSWORD=\"~\""),
];

/// A password with signs of the default sets of generators. What two of them enclose by accident may be a name: the rest
/// is drawn, too.
fn drawn() -> impl Strategy<Value = String> {
    let parts = (
        "[A-Z][0-9][a-z][A-Z][A-Za-z0-9]{0,5}",
        "[{}<>$]",
        "[A-Z][0-9][a-z][A-Za-z0-9!@#$%^&*()_=+{}<>:?\\[\\]-]{2,10}",
        "[{}<>$&^]?",
        "[0-9][A-Z][a-z][0-9]",
    );
    parts.prop_map(|(a, b, c, d, e)| [a, b, c, d, e].concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Law: no sign and no two of them make a drawn password a template, in any format.
    #[test]
    fn a_password_with_any_sign_is_hidden(value in drawn()) {
        // Stars are a filler; a command of a shell, a mark of a format.
        prop_assume!(!value.contains("****"));
        prop_assume!(!value.contains("$(") && !value.contains("%(") && !value.contains("()"));
        for (path, form) in FORMS {
            let line = form.replace('~', &value);
            let shown = Redactor::default().redact_source(Some(path), &line).text;
            prop_assert!(!shown.contains(&value), "{}: {}", path, shown);
        }
    }

    /// Law: what is filled in by name alone is a template, in whatever brackets and among whatever words.
    #[test]
    fn what_is_filled_in_by_name_is_a_template(
        name in "[a-z]{1,8}(_[a-z]{2,8}){0,2}[0-9]?|[A-Z]{2,8}(_[A-Z]{2,8}){0,2}|[a-z]{3,8}[A-Z][a-z]{3,8}",
        (open, close) in prop::sample::select(vec![
            ("{", "}"), ("${", "}"), ("{{", "}}"), ("{{ ", " }}"), ("#{", "}"), ("<", ">"), ("%(", ")s"), ("$(", ")"),
        ]),
        before in "([a-z]{2,8}[-_./]){0,2}", behind in "([-_./][a-z]{2,8}){0,2}",
    ) {
        let value = format!("{before}{open}{name}{close}{behind}");
        prop_assert!(is_template(&value) && is_placeholder(&value) && !is_literal(&value), "{}", value);
    }

    #[test]
    fn any_value_is_read(value in "[a-zé{}<>$#%@()\\\\ 0-9-]{0,40}") {
        let _ = is_template(&value);
    }
}

#[test]
fn code_within_a_value_is_shown() {
    for value in [
        "k7Qv2LmZ${run(x)}9Tb4R",
        "k7Qv2LmZ$(./x.sh)9Tb4R",
        "k7Qv2LmZ#{run(x)}9Tb4R",
        "k7Qv2LmZ\\(run(x))9Tb4R",
        "<%= k7Qv2LmZx9Tb4R %>",
        "^[A-Za-z0-9]{8,20}$",
        "{{ lookup(",
        "{\"a1b2c3\":1}",
        "<input type=",
        "$DB_PASSWORD2",
        "$user->password",
        "k7Qv{}",
        "Vec<u8>",
        "{user}:{password}",
    ] {
        assert!(!is_literal(value), "{value}");
    }
}

/// What a generator has put between brackets by accident is neither a call nor how often a class of a pattern comes.
#[test]
fn no_brackets_make_code_of_a_password() {
    for value in [
        "A0aA<A0a(a)>0Aa0",
        "A0aA<A0a(-)>0Aa0",
        "A0aA{A0a)(}0Aa0",
        "A0aA{A0a(])}0Aa0",
        "A0aA{A0a]{0}0Aa0",
        "A0aXxXx{A0a]}0Aa0",
    ] {
        assert!(is_literal(value) && !is_placeholder(value), "{value}");
    }
}
