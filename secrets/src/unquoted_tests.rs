//! Laws of places that people and formats have beside the plain assignment: values without quotes and with any sign,
//! choices, comments, code within a text, and the words of a command.

use proptest::prelude::*;

use crate::plausible::is_literal;
use crate::value::is_drawn_value;
use crate::{Redactor, is_placeholder};

/// Settings without quotes, with `~` for the value.
const SETTINGS: [(&str, &str); 12] = [
    (".env", "DB_PASSWORD=~"),
    (".env.example", "DB_PASSWORD=~"),
    (".env.example", "# DB_PASSWORD=~"),
    ("a.properties", "db.password=~"),
    ("a.properties", "db.password = ~"),
    ("a.yml", "password: ~"),
    ("a.yml", "password: ~ # of the test"),
    ("a.yml", "db:\n  password: ~\n  port: 3"),
    ("a.yml", "environment:\n  - DB_PASSWORD=~"),
    ("a.cfg", "password = ~"),
    ("a.ini", "password=~"),
    ("a.ini", ";password=~"),
];

/// What is chosen of two.
const CHOICES: [(&str, &str); 22] = [
    ("a.ts", "const password = isDev ? '~' : get();"),
    ("a.ts", "const password = isDev() ? '~' : get();"),
    (
        "a.ts",
        "const password = process.env.NODE_ENV === 'test' ? '~' : get();",
    ),
    ("a.ts", "const o = { password: isDev ? '~' : undefined };"),
    ("a.ts", "const password = isDev ? 'abcdef' : '~';"),
    ("a.ts", "const password = isDev\n  ? '~'\n  : get();"),
    (
        "a.ts",
        "const password = process.env.NODE_ENV === 'test'\n  ? get()\n  : '~';",
    ),
    ("a.ts", "const password =\n  isDev\n    ? '~'\n    : get();"),
    ("a.ts", "const password = load(x)\n  || '~';"),
    ("a.js", "const password = isDev && '~';"),
    ("A.java", "String password = dev ? \"~\" : load();"),
    ("A.java", "String password = dev ? load() : \"~\";"),
    ("a.tf", "password = var.x == \"\" ? \"~\" : var.x"),
    ("a.rb", "password = Rails.env.test? ? '~' : ENV['X']"),
    ("a.php", "$password = $dev ? '~' : load();"),
    ("a.py", "password = \"~\" if dev else get()"),
    ("a.py", "password = get() if prod else \"~\""),
    ("a.py", "password = \"abcdef\" if dev else \"~\""),
    ("a.rs", "let password = if dev { \"~\" } else { load() };"),
    (
        "a.rs",
        "let password = if dev { \"abcdef\" } else { \"~\" };",
    ),
    ("a.kt", "val password = if (dev) \"~\" else load()"),
    ("a.lua", "local password = dev and \"~\" or load()"),
];

/// Code within a text, and comments.
const TEXTS: [(&str, &str); 12] = [
    ("a.md", "Run `export DB_PASSWORD=~` first."),
    ("a.md", "Run `DB_PASSWORD=~ ./run.sh` first."),
    ("a.md", "Set `password: ~` there."),
    ("a.md", "Use `--password=~`, then go."),
    ("a.md", "**Password:** ~"),
    ("a.md", "<!-- password: ~ -->"),
    ("a.html", "<!-- password: ~ -->"),
    ("a.html", "<!-- DB_PASSWORD=~ -->"),
    ("a.js", "/* password: ~ */"),
    ("a.c", "x = 1; /* password: ~ */"),
    ("a.html", "{# password: ~ #}"),
    ("a.jsp", "<%-- password: ~ --%>"),
];

/// Words of commands.
const WORDS: [&str; 12] = [
    "aws cloudformation deploy --stack-name x --parameter-overrides DBPassword=~ Env=prod",
    "aws cloudformation deploy --parameter-overrides Env=prod DBPassword=~",
    "aws cloudformation create-stack --parameters ParameterKey=DBPassword,ParameterValue=~",
    "aws cloudformation create-stack --parameters ParameterKey=DBPassword,ParameterValue=~ ParameterKey=A,ParameterValue=b",
    "sam deploy --parameter-overrides 'ParameterKey=DBPassword,ParameterValue=~'",
    "az deployment group create --parameters adminPassword=~ env=prod",
    "terraform apply -var db_password=~ -var x=y",
    "docker build --build-arg dbPassword=~ .",
    "make deploy dbPassword=~ X=2",
    "gcloud run deploy --set-env-vars DB_PASSWORD=~,X=1",
    "heroku config:set DB_PASSWORD=~ X=1",
    "ansible-playbook x.yml -e \"dbPassword=~ user=a\"",
];

fn shown(path: &str, text: &str) -> String {
    Redactor::default().redact_source(Some(path), text).text
}

/// A value that nobody would call long: letters, two digits, a sign.
fn short_value() -> impl Strategy<Value = String> {
    let value = "[b-df-hj-np-tv-z]{4}[0-9][b-df-hj-np-tv-z]{2}[0-9]!";
    value.prop_filter("one in a hundred looks like words", |value| {
        is_drawn_value(value) && !is_placeholder(value)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    /// Law: no sign ends a value without quotes that is all of its line. Two backticks hold a command.
    #[test]
    fn a_setting_without_quotes_is_hidden_whole(
        head in "[A-Z][a-z][0-9][A-Z]", sign in "[,`\\[\\](){}\"';<>]", tail in "[a-z][A-Z][0-9][a-z][A-Z0-9]{0,6}",
        more in "([,\\[(\"';<][A-Z][0-9][a-z]{2})?",
    ) {
        let value = format!("{head}{sign}{tail}{more}");
        prop_assume!(is_drawn_value(&value) && is_literal(&value));
        for (path, form) in SETTINGS {
            let shown = shown(path, &form.replace('~', &value));
            let is_gone = [&head, &tail].iter().all(|part| !shown.contains(part.as_str()));
            prop_assert!(is_gone, "{}: {}", path, shown);
        }
    }

    /// Law: a value is hidden wherever its name is written: in a choice, a comment, code in a text, or a command.
    #[test]
    fn a_value_is_hidden_wherever_its_name_is_written(value in short_value()) {
        let commands = WORDS.iter().map(|form| ("deploy.sh", *form));
        for (path, form) in CHOICES.into_iter().chain(TEXTS).chain(commands) {
            let shown = shown(path, &form.replace('~', &value));
            prop_assert!(!shown.contains(&value), "{}: {}", path, shown);
        }
    }
}

/// What stands in such places and is code, a name or a list.
#[test]
fn what_is_no_value_in_such_a_place_is_shown() {
    for (path, text) in [
        ("a.yml", "password: foo(bar1,"),
        ("a.yml", "password: env(DB_PASS1)"),
        ("a.yml", "password: lookup('env9','X')"),
        ("a.yml", "secrets: name1,name2"),
        ("a.yml", "password: {{ .Values.x9 }}"),
        ("a.yml", "token_url: https://a.b/c,d9e"),
        ("a.tf", "password = base64decode(var.x9)"),
        ("a.md", "password: abc9xyz<br>"),
        (
            "a.sql",
            "SELECT * FROM t WHERE password=t1.password2 AND x=1",
        ),
        ("a.sql", "UPDATE users SET password=md5x(a) WHERE x=1"),
        ("a.properties", "token.regex=[a-z0-9]{8,}"),
        ("a.properties", "password.pattern=^(?=.*[0-9]).{8,}$"),
        ("a.js", "const token = require(\"abc9def\") || \"x\";"),
        ("a.js", "const password = t(\"label9x\") || other();"),
        ("a.js", "const ok = password && type === \"abc9def\";"),
        ("a.js", "if (token) {\n  load(\"abc9def2\");\n}"),
        ("a.js", "const token = load(x)\nuse(\"abc9def2\");"),
        ("a.rb", "token = foo\n  .bar(\"abc9def2\")"),
        ("a.sh", "PASSWORD=$(get9 x) Y=1"),
        ("a.sh", "if [ \"$token\" = abc9def ]; then"),
    ] {
        assert_eq!(shown(path, text), text, "{path}");
    }
}
