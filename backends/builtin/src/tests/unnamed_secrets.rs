//! Secrets beside which no word says that they are some.

use proptest::prelude::*;

use super::escapes::{has, speaking_on};
use crate::fixture::RuleFixture;

fn is_told(path: &str, text: &str, rule: &str) -> bool {
    let fixture = RuleFixture::from_added(path, text);
    has(&speaking_on(&fixture.packet, &*fixture.blobs), rule)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever the setting of a Secret of Kubernetes is called, and in whichever line of it: what is hidden is told.
    #[test]
    fn what_a_secret_of_kubernetes_holds_is_told(
        word in "[A-Z][a-z][0-9][A-Z][a-z]{2}[0-9][A-Za-z0-9]{8}[a-z]", key in "[b-z]{3,9}", before in 0_usize..4,
    ) {
        prop_assume!(!council_secrets::is_placeholder(&word));
        let others = "  note: x\n".repeat(before);
        let text = |kind: &str, block: &str| {
            format!("kind: {kind}\nmetadata:\n  name: x\n{block}:\n{others}  {key}: {word}\n")
        };
        prop_assert!(is_told("k8s/app.yaml", &text("Secret", "stringData"), "hidden-secret"));
        prop_assert!(!is_told("k8s/app.yaml", &text("ConfigMap", "data"), "hidden-secret"));
    }
}

#[test]
fn the_token_of_a_bot_is_told_without_any_word() {
    let token = [
        "MTIzNDU2Nzg5MDEyMzQ1Njc4",
        "Gh7kQ2",
        "aB3dE5fG7h1jK9lM2nP4qR6sT8u",
    ]
    .join(".");
    for (path, text) in [
        ("a.py", format!("x = '{token}'\n")),
        ("a.txt", format!("{token}\n")),
    ] {
        assert!(is_told(path, &text, "provider-token"), "{path}");
    }
}

/// What is hidden from every model in everyday code is told by a rule: nobody else can object to it.
#[test]
fn a_password_that_no_model_sees_is_told() {
    let value = ["tR5wPz8K", "qLm3Xv7Nb2"].concat();
    for (path, line) in [
        ("a.py", "passphrase = \"\"\"@\"\"\""),
        ("a.py", "pw = b\"@\""),
        ("a.py", "dsn = \"host=h user=u password=@ dbname=d\""),
        ("a.py", "session.auth = HTTPBasicAuth(\"u\", \"@\")"),
        ("a.py", "PASSWORDS = [\"@\"]"),
        ("a.js", "const t = jwt.sign(p, \"@\");"),
        ("a.js", "app.use(cookieSession({ keys: [\"@\"] }));"),
        ("A.java", "props.setProperty(\"db.password\", \"@\");"),
        ("A.java", "Class.of().withPassword(\"@\");"),
        ("A.java", "if (password.equals(\"@\")) {}"),
        ("A.java", "if (\"@\".equals(password)) {}"),
        (
            "A.java",
            "if (MessageDigest.isEqual(password.getBytes(), \"@\".getBytes())) {}",
        ),
        ("a.c", "if (strcmp(password, \"@\") == 0) {}"),
        ("a.cpp", "if (password.compare(\"@\") == 0) {}"),
        ("a.php", "if (hash_equals('@', $password)) {}"),
        ("a.py", "if hmac.compare_digest(password, \"@\"): pass"),
        ("a.py", "self.assertEqual(password, \"@\")"),
        (
            "a.go",
            "if subtle.ConstantTimeCompare([]byte(password), []byte(\"@\")) == 1 {}",
        ),
        ("a.js", "if (safeCompare(req.body.password, \"@\")) ok()"),
        ("a.rb", "http.basic_auth 'bob', '@'"),
        (
            "a.rb",
            "authenticate_or_request_with_http_basic { |u, p| u == 'bob' && p == '@' }",
        ),
        ("A.java", "ks.load(in, \"@\".toCharArray());"),
        ("a.yml", "command: redis-server --requirepass @"),
        (
            "a.yml",
            "command: [\"redis-server\", \"--requirepass\", \"@\"]",
        ),
        ("a.conf", "auth_pass @"),
        ("a.sh", "openssl rsa -passin pass:@ -in a.key"),
        ("a.sh", "zip -P @ a.zip b"),
        ("a.sh", "sqlcmd -S h -U sa -P '@'"),
        ("a.sh", "ldapsearch -x -D cn=admin -w '@'"),
        ("a.sh", "rabbitmqctl add_user bob @"),
        ("a.sh", "vault kv put secret/x api=@"),
        (
            "a.sh",
            "aws ssm put-parameter --name x --type SecureString --value @",
        ),
        ("a.sh", "ssh-keygen -t rsa -N @ -f k"),
        ("a.sh", "curl --oauth2-bearer @ h"),
        (
            "a.py",
            "u='https://b.s3.amazonaws.com/k?X-Amz-Credential=x&X-Amz-Signature=@'",
        ),
        ("a.xml", "<setting name=\"Pwd\">@</setting>"),
        ("A.java", "DriverManager.getConnection(url, \"u\", \"@\");"),
        ("a.rs", "client.get(u).basic_auth(\"u\", Some(\"@\"));"),
        ("a.php", "$pass = \"@\";"),
        ("a.php", "$db = mysqli_connect('h', 'u', '@');"),
        ("a.php", "$db = new PDO($dsn, 'u', '@');"),
        (
            "a.ps1",
            "$s = ConvertTo-SecureString \"@\" -AsPlainText -Force",
        ),
        ("a.go", "db, _ := sql.Open(\"mysql\", \"u:@@tcp(h)/d\")"),
        ("a.properties", "keystore.pass=@"),
        (
            "a.sql",
            "INSERT INTO users (name, password) VALUES ('u', '@');",
        ),
        ("a.sh", "aws configure set aws_secret_access_key @"),
        ("a.sh", "redis-cli -a @ ping"),
        ("a.sh", "echo \"@\" | docker login -u u --password-stdin"),
        ("a.yml", "azure: \"AccountName=x;AccountKey=@;\""),
        ("a.gradle", "credentials { username 'u'; password '@' }"),
    ] {
        let text = format!("{}\n", line.replacen('@', &value, 1));
        let is_said = ["hidden-secret", "credential-assignment", "provider-token"]
            .iter()
            .any(|rule| is_told(path, &text, rule));
        assert!(is_said, "{path}: {line}");
    }
}

/// A private key in DER, as `openssl genpkey -algorithm ed25519 -outform DER` writes it.
#[test]
fn a_private_key_as_bytes_is_told() {
    let key = |length: u8, secret: &[u8]| {
        let head = [
            0x30, length, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20,
        ];
        [&head[..], secret].concat()
    };
    let is_told = |path: &str, bytes: Vec<u8>| {
        let fixture = RuleFixture::parse(&format!("=== {path} binary\n"));
        let mut blobs = super::escapes::Bytes::default();
        blobs.0.insert(council_protocol::Side::New, bytes.into());
        let found = speaking_on(&fixture.packet, &blobs);
        found
            .iter()
            .find(|(id, _)| *id == "secret-file")
            .map(|(_, severity)| *severity)
    };
    use council_protocol::Severity::{Critical, Significant};
    let secret: Vec<u8> = (0..32).map(|at| at * 7 + 3).collect();
    assert_eq!(is_told("deploy/s.der", key(0x2e, &secret)), Some(Critical));
    assert_eq!(
        is_told("tests/s.der", key(0x2e, &secret)),
        Some(Significant)
    );
    assert_eq!(is_told("deploy/s.der", key(0x2d, &secret)), None);
    assert_eq!(
        is_told("deploy/s.der", [&key(0x2e, &secret)[..], b"x"].concat()),
        None
    );
}

#[test]
fn a_key_of_wireguard_is_told() {
    let key = ["yAnz5TF+lXXJte14tji3", "zlMNq+hd2rYUIgJBgB3fBmk="].concat();
    assert!(is_told(
        "wg0.conf",
        &format!("PrivateKey = {key}\n"),
        "provider-token"
    ));
    assert!(!is_told(
        "wg0.conf",
        &format!("PublicKey = {key}\n"),
        "provider-token"
    ));
}

/// What the rules say of a line, as a finding has it.
fn told_of(line: &str) -> Vec<String> {
    let fixture = RuleFixture::from_added("k.json", &format!("{line}\n"));
    let answer = super::first(&fixture, "");
    answer.findings.into_iter().map(|f| f.description).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    /// Law: of several tokens in one line each is named, in whatever order, and another one makes another finding: a
    /// dismissal of those before does not cover it.
    #[test]
    fn every_token_of_a_line_is_named(
        a in "[A-Za-z0-9]{36}", b in "[A-Za-z0-9]{24}", c in "[A-Za-z0-9]{36}", swap: bool,
        form in prop::sample::select(vec!["{\"a\": \"A\", \"b\": \"B\"}", "export X=A Y=B", "A B"]),
    ) {
        let (hub, stripe) = (format!("gh{}_{a}", 'p'), format!("sk_{}_{b}", "live"));
        let (first, second) = if swap { (stripe, hub.clone()) } else { (hub.clone(), stripe) };
        let line = form.replace('A', "\u{1}").replace('B', "\u{2}");
        let line = line.replace('\u{1}', &first).replace('\u{2}', &second);
        let told = told_of(&line);
        prop_assert!(told.iter().any(|text| text.contains("GitHub") && text.contains("Stripe")), "{:?}", told);
        let renewed = told_of(&line.replace(&a, &c));
        prop_assert!(told != renewed, "{:?}", renewed);
    }
}

#[test]
fn a_password_beside_a_token_is_told() {
    let (token, word) = (
        format!("gh{}_{}", 'p', "Zk3pQ9vXw2LmT7rB8sYcZk3pQ9vXw2LmT7rB"),
        "tR5wPz8KqLm3Xv7Nb2",
    );
    let told = told_of(&format!(
        "{{\"t\": \"{token}\", \"x-api-key\": \"{word}\", \"password\": \"{word}\"}}"
    ));
    assert!(told.iter().any(|text| text.contains("GitHub")), "{told:?}");
    assert!(
        told.iter()
            .any(|text| text.contains("password") || text.contains("api-key")),
        "{told:?}"
    );
}

/// Rails opens all of its credentials with what these files hold.
#[test]
fn a_master_key_of_rails_is_told() {
    let key = ["3f9a1c7e5b2d8064", "a7c1e9f0b3d52468"].concat();
    for path in ["config/master.key", "config/credentials/production.key"] {
        assert!(is_told(path, &format!("{key}\n"), "secret-file"), "{path}");
        assert!(!is_told(path, "see the wiki\n", "secret-file"), "{path}");
    }
}
