//! Where people write passwords every day. The secrets are put together here, so that no scanner takes this file for a leak.

use proptest::prelude::*;

use crate::Redactor;

/// Each form, with `{}` for the secret.
const FORMS: &[&str] = &[
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
    "passphrase = \"\"\"{}\"\"\"",
    "pw = b\"{}\"",
    "dsn = \"host=h user=u password={} dbname=d\"",
    "session.auth = HTTPBasicAuth(\"u\", \"{}\")",
    "PASSWORDS = [\"{}\"]",
    "const t = jwt.sign(p, \"{}\");",
    "app.use(cookieSession({ keys: [\"{}\"] }));",
    "props.setProperty(\"db.password\", \"{}\");",
    "Class.of().withPassword(\"{}\");",
    "char[] password = \"{}\".toCharArray();",
    "DriverManager.getConnection(url, \"u\", \"{}\");",
    "@Value(\"${db.password:{}}\") String p;",
    "PW=${DB_PASSWORD:-{}}",
    "let c = Config::new().user(\"u\").password(\"{}\");",
    "client.get(u).basic_auth(\"u\", Some(\"{}\"));",
    "$pass = \"{}\";",
    "$db = mysqli_connect('h', 'u', '{}');",
    "$db = new PDO($dsn, 'u', '{}');",
    "var c = new NetworkCredential(\"u\", \"{}\");",
    "$s = ConvertTo-SecureString \"{}\" -AsPlainText -Force",
    "New-Thing -Password \"{}\"",
    "keytool -genkey -storepass {} -alias a",
    "var secret = []byte(\"{}\")",
    "db, _ := sql.Open(\"mysql\", \"u:{}@tcp(h)/d\")",
    "req.SetBasicAuth(\"u\", \"{}\")",
    "keystore.pass={}",
    "pass : {}",
    "INSERT INTO users (name, password) VALUES ('u', '{}');",
    "INSERT INTO users (password, name) VALUES ('{}', 'u');",
    "aws configure set aws_secret_access_key {}",
    "redis-cli -a {} ping",
    "echo \"{}\" | docker login -u u --password-stdin",
    "docker login -u u --password-stdin <<< {}",
    "curl --data \"password={}&u=x\" https://h",
    "curl -d 'u=x&client_secret={}' https://h",
    "azure: \"DefaultEndpointsProtocol=https;AccountName=x;AccountKey={};\"",
    "credentials { username 'u'; password '{}' }",
];

/// Code that looks like it, and holds nothing.
const INNOCENT: &[&str] = &[
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
    "u = '/login?user=a&password=' + encode(\"p\")",
    "u = f'/login?user=a&password='+quote(p)+\"&x\"",
    "smtp.login(user, password)",
    "smtp.login(user, os.environ[\"SMTP_PASSWORD\"])",
    "client.login(username='fred', password='secret')",
    "server.auth(\"me\", \"postgres-admin\")",
    "signal.connect(sender, receiver, \"dispatch-uid\")",
    "- {name: DB_HOST, value: postgres-internal-1}",
    "\u{43f}\u{430}\u{440}\u{43e}\u{43b}\u{44c} = \"Zk9LmPq3Rt7xW\"",
    "version = 1.2.3.4.MTIzNDU2.Gabcde.zz",
    "@click.option(\"--password\", prompt=True, hide_input=True)",
    "parser.add_argument(\"--password\", default=None, help=\"the password of the user\")",
    "parser.add_argument(\"--api-key\", type=str, required=True)",
    "parser.add_argument(\"--token\", \"--token2\", action=\"store_true\")",
    "@click.option(\"--password\", \"db_password2\", prompt=True)",
    "program.option(\"--token <token1>\", \"the token\")",
    "const rules = { password: \"required|min:8|confirmed\" };",
    "pass = \"shadow-map-2\"",
    "const [pass, setPass] = useState(\"\")",
    "jwt.sign(payload, process.env.JWT_SECRET)",
    "jwt.verify(token, \"public-key-of-issuer\")",
    "builder.password(\"password\").token(\"token-of-test\")",
    "tokens = [\"identifier\", \"number1\", \"string2\"]",
    "INSERT INTO users (name, password) VALUES (?, ?);",
    "INSERT INTO tokens (kind, name) VALUES ('identifier', 'left-paren-1');",
    "url = \"${db.password:changeme}\"",
    "echo \"no password was given\" | tee log",
    "getConnection(url, \"sa\", \"\")",
    "gem install x --token-file secrets/token1",
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
        prop_assume!(crate::value::is_drawn_value(&word));
        for &form in FORMS {
            let shown = redact(&form.replacen("{}", &word, 1).replace("{}", &word));
            prop_assert!(!shown.contains(&word[4..]) && shown.contains("[redacted: "), "{form}: {shown}");
        }
    }

    /// Law: an apostrophe or a slash ends no password of an address in double quotes, however short its halves are.
    #[test]
    fn a_sign_within_a_password_of_an_address_ends_it_nowhere(
        head in "[A-Z][a-z][0-9][A-Za-z]{3,6}", sign in "['/]", tail in "[A-Z][a-z][0-9][a-z]{0,6}",
    ) {
        for (before, behind) in [
            ("u = \"jdbc:mysql://h/db?user=a&password=", "\""),
            ("u = \"jdbc:mysql://h/db?password=", "&user=a\""),
            ("u = \"postgres://bob:", "@db.acme.io/x\""),
        ] {
            let shown = redact(&format!("{before}{head}{sign}{tail}{behind}"));
            let inner = shown.strip_prefix(before).and_then(|rest| rest.strip_suffix(behind));
            let ends = |inner: &str| inner.find(']') == Some(inner.len() - 1);
            let is_whole = inner.is_some_and(|inner| inner.starts_with("[redacted: ") && ends(inner));
            prop_assert!(is_whole, "{}", shown);
        }
    }
}

/// Law: in a file that is named after what it holds, no value is shown, however it is written.
#[test]
fn a_file_that_is_nothing_but_a_secret_shows_none() {
    let value = ["tR5wPz8K", "qLm3Xv7Nb2"].concat();
    for path in [
        ".env",
        ".vault-token",
        ".vault_pass",
        "ansible/vault_pass",
        "vault-password.txt",
        "password.txt",
        "secrets/db",
        ".secrets/db_root",
        ".passwd",
        ".secrets",
        ".secret",
        "secrets.txt",
        "passwords.txt",
        "api_key.txt",
        ".token",
    ] {
        for text in [
            format!("{value}\n"),
            format!("FOO={value}\n"),
            format!("bob {value}\n"),
            format!("'{value}'"),
        ] {
            let shown = Redactor::default().redact_source(Some(path), &text).text;
            assert!(
                !shown.contains(&value) && shown.contains("[redacted: "),
                "{path}: {shown}"
            );
        }
    }
    let script = "#!/bin/sh\nwipe_all2 now\nopenssl rand -hex 32 > out\n";
    for path in [
        "secrets/rotate",
        "secrets/README",
        "secrets/mod.rs",
        "src/password.rs",
        "docs/secrets.md",
    ] {
        assert_eq!(
            Redactor::default().redact_source(Some(path), script).text,
            script,
            "{path}"
        );
    }
}

#[test]
fn code_that_only_looks_like_it_is_left_as_it_is() {
    for &line in INNOCENT {
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
