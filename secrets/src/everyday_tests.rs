//! Where people write passwords every day. The secrets are put together here, so that no scanner takes this file for a leak.

use proptest::prelude::*;

use crate::Redactor;

/// Each form, with `{}` for the secret.
const FORMS: [&str; 34] = [
    r#"password = "{}""#,
    r#"password = "a\"b{}""#,
    "u = \"postgres://admin:Str/{}@db.internal/x\"",
    "u = \"postgres://admin:Str'{}@db.internal/x\"",
    "u = \"jdbc:postgresql://h/db?user=a&password={}\"",
    r#"db_pass = "{}""#,
    "smtpPass: '{}'",
    r#"password = os.environ.get("PW", "{}")"#,
    "const secret = process.env.SECRET || '{}';",
    "  creds: {user: a, password: {}}",
    "ALTER ROLE y PASSWORD '{}';",
    "create user y with login password '{}';",
    "kubectl create secret generic x --from-literal=password={}",
    "helm install x --set auth.password={}",
    "docker login -u me -p {} example.com",
    r#"{"name": "DB_PASSWORD", "value": "{}"}"#,
    r#"#define WIFI_PASSWORD "{}""#,
    r#"variable "db_password" { default = "{}" }"#,
    r#"requests.get(url, auth=("bob", "{}"))"#,
    "mysql --password {} db",
    "CREATE USER x IDENTIFIED BY '{}';",
    "GET https://host.internal/x?pwd={}",
    "API_TOKEN={}",
    "Server=db;Uid=a;Password={};",
    "smtp.login(user, \"{}\")",
    "smtp.login(\"me@example.org\", '{}')",
    "server.auth(\"me\", \"{}\")",
    "imap.login(user=self.user, password=\"{}\")",
    "db = psycopg2.connect(\"h\", \"u\", \"{}\")",
    "mysql.connect(host, user, '{}', 3306)",
    "  - {name: APP_PASSWORD, value: {}}",
    "  - { name: \"APP_SECRET\", value: \"{}\" }",
    "p\u{430}ssword = \"{}\"",
    "APP_P\u{410}SSW\u{41e}RD='{}'",
];

/// Code that looks like it, and holds nothing.
const INNOCENT: [&str; 20] = [
    r#"first_pass = "optimize""#,
    "render_pass: 'forward'",
    "import x from 'https://registry.internal:4873/@babel/core'",
    "see http://localhost:8080/docs/a@v1.2",
    r#"password = os.environ.get("PW", "")"#,
    r#"password = os.environ["DB_PASSWORD"]"#,
    "const {password: newPassword, user} = form;",
    "login({user: name, password: password})",
    "ALTER ROLE y PASSWORD :'pw';",
    r#"variable "db_password" { type = "string" }"#,
    r#"auth=("user", "password")"#,
    "GET https://host.internal/x?password=$PASSWORD",
    "smtp.login(user, password)",
    "smtp.login(user, os.environ[\"SMTP_PASSWORD\"])",
    "client.login(username='fred', password='secret')",
    "server.auth(\"me\", \"postgres-admin\")",
    "signal.connect(sender, receiver, \"dispatch-uid\")",
    "- {name: DB_HOST, value: postgres-internal-1}",
    "\u{43f}\u{430}\u{440}\u{43e}\u{43b}\u{44c} = \"Zk9LmPq3Rt7xW\"",
    "version = 1.2.3.4.MTIzNDU2.Gabcde.zz",
];

fn redact(line: &str) -> String {
    Redactor::default().redact_source(None, line).text
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Law: in no everyday form does any half of a drawn password stay.
    #[test]
    fn a_password_is_hidden_in_every_everyday_form(
        word in "[A-Z][a-z][0-9][A-Z][a-z]{2}[0-9][A-Za-z0-9]{8}[a-z]",
    ) {
        prop_assume!(!crate::is_placeholder(&word) && crate::shannon_entropy(&word) > 3.4);
        for form in FORMS {
            let shown = redact(&form.replacen("{}", &word, 1).replace("{}", &word));
            prop_assert!(!shown.contains(&word[4..]) && shown.contains("[redacted: "), "{form}: {shown}");
        }
    }
}

#[test]
fn code_that_only_looks_like_it_is_left_as_it_is() {
    for line in INNOCENT {
        assert_eq!(redact(line), line);
    }
}

/// Formats of tokens by which their provider is known, with characters to draw.
#[test]
fn tokens_of_providers_are_found_wherever_they_stand() {
    let drawn = |letters: &str, length: usize| -> String {
        let letters: Vec<char> = letters.chars().collect();
        let mut state = 7_u64;
        let draw = |_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            letters[(state >> 33) as usize % letters.len()]
        };
        (0..length).map(draw).collect()
    };
    let (hex, upper) = ("0123456789abcdef", "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");
    let all = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    let jwt = format!(
        "eyJ{}.eyJ{}.{}",
        drawn(all, 30),
        drawn(all, 22),
        drawn(all, 43)
    );
    let tokens = [
        format!(
            "client.run(\"MTAx{}.{}.{}\")",
            drawn(all, 20),
            drawn(all, 6),
            drawn(all, 38)
        ),
        format!(
            "https://api.telegram.org/bot{}:AA{}/sendMessage",
            drawn("123456789", 10),
            drawn(all, 33)
        ),
        format!(
            "https://discord.com/api/v10/webhooks/{}/{}",
            drawn("123456789", 18),
            drawn(all, 68)
        ),
        format!("ghs_{}_{jwt}", drawn("123456789", 7)),
        format!("prod_{jwt}"),
        format!("lin_oauth_{}", drawn(hex, 64)),
        format!("t = \"1//0{}\"", drawn(all, 60)),
        format!("v1.0-{}-{}", drawn(hex, 24), drawn(hex, 146)),
        format!(
            "A3-{}-{}-{}-{}-{}",
            drawn(upper, 6),
            drawn(upper, 11),
            drawn(upper, 5),
            drawn(upper, 5),
            drawn(upper, 5)
        ),
        format!("{}NRAL", drawn(hex, 36)),
        format!("GR1348941{}", drawn(all, 20)),
        format!("t = \"cmVmdGtuOjAxO{}\"", drawn(all, 50)),
    ];
    for token in tokens {
        let shown = redact(&token);
        assert!(shown.contains("[redacted: "), "{token}: {shown}");
        assert!(
            !shown.contains(&token[token.len() - 10..token.len() - 3])
                || token.contains("sendMessage"),
            "{shown}"
        );
    }
}
