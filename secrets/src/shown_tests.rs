//! Laws of what is shown: what is hidden from the judges cannot be objected to. A name, a path, an address, a version,
//! a checksum or an algorithm stays visible wherever it stands, and a drawn value in the same place does not.

use proptest::prelude::*;

use crate::beside_name::is_clearly_drawn;
use crate::code_name::is_code_name;
use crate::{Redactor, SecretTable, is_placeholder};

/// Places with `~` for what a setting names and a change swaps.
const PLACES: [(&str, &str); 25] = [
    ("settings.py", "PASSWORD_HASHERS = ['~']"),
    ("settings.py", "PASSWORD_HASHERS = [\n    '~',\n    'x',\n]"),
    ("H.java", "String passwordAlgorithm = \"~\";"),
    ("a.json", "\"passwordHashAlgorithm\": \"~\","),
    ("a.yaml", "token.store.type: ~"),
    ("a.yaml", "auth-token: ~"),
    ("a.tf", "  api_token = \"~\""),
    ("a.ts", "export const SESSION_TOKEN = \"~\";"),
    ("a.js", "expect(this.token, '~');"),
    ("a.js", "    tokenPrice: '~',"),
    ("a.py", "        ('authtoken', '~'),"),
    ("a.py", "ACCESS_TOKEN_LIFETIME = \"~\""),
    (
        "a.py",
        "\"\"\"This class implements the ~ password hash.\"\"\"",
    ),
    ("a.md", "The password is hashed with `~`."),
    ("a.properties", "admission-token-file=~"),
    ("a.xml", "<property name=\"authToken\" value=\"~\"/>"),
    ("package.json", "    \"@octokit/auth-token\": \"~\","),
    (
        "Cargo.toml",
        "secret-service = { version = \"~\", default-features = false }",
    ),
    ("flake.nix", "    secrets.url = \"~\";"),
    ("a.go", "const defaultToken = \"~\""),
    ("a.sh", "export DEPLOY_TOKEN=~"),
    ("a.rb", "token: '~',"),
    ("a.kt", "val token: String = \"~\""),
    ("a.ini", "access_token = ~"),
    ("six.py", "    Moved(\"~\", \"password\"),"),
];

/// Parts of which classes and modules are called.
const WORDS: [&str; 18] = [
    "Password",
    "Token",
    "Hasher",
    "Encoder",
    "Legacy",
    "Default",
    "Validator",
    "Provider",
    "Request",
    "Session",
    "Store",
    "Client",
    "Mock",
    "Invalid",
    "Signature",
    "Context",
    "Manager",
    "Response",
];

const STANDARDS: [&str; 12] = [
    "SHA1", "SHA256", "MD5", "PBKDF2", "BCrypt", "HMAC", "ERC20", "OAuth2", "X25519", "AES256",
    "HTTP", "RSA",
];

fn class_name() -> impl Strategy<Value = String> {
    let word = prop::sample::select(WORDS.to_vec());
    let standard = prop::sample::select(STANDARDS.to_vec());
    let parts = (standard, prop::collection::vec(word, 2..5), any::<bool>());
    parts.prop_map(|(standard, words, is_first)| match is_first {
        true => format!("{standard}{}", words.concat()),
        false => format!("{}{standard}{}", words[0], words[1..].concat()),
    })
}

fn algorithm() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "PBKDF2WithHmacSHA1",
        "PBKDF2WithHmacSHA256",
        "A128CBC-HS256",
        "SHA256-Crypt",
        "AES256-GCM",
        "RSA-OAEP-256",
        "ECDH-ES-A256KW",
        "AWS4-HMAC-SHA256",
        "bcrypt-sha256",
    ])
    .prop_map(str::to_owned)
}

/// What is public by its form, each with whatever was drawn of it.
fn public() -> impl Strategy<Value = String> {
    let module = "[a-z]{3,8}(\\.(auth|hashers|contrib|security|token|core)){1,3}";
    prop_oneof![
        class_name(),
        (module, class_name()).prop_map(|(module, class)| format!("{module}.{class}")),
        algorithm(),
        "arn:aws:(iam|secretsmanager|kms):eu-west-1:[0-9]{12}:secret:prod/[a-z]{2,6}-[A-Za-z0-9]{6}",
        "(github|gitlab):[a-z]{3,9}/[a-z]{3,9}-(token|secret)(#[0-9a-f]{40})?",
        "github:[a-z]{3,9}/secrets-lib/[0-9a-f]{40}",
        "npm:@[a-z]{3,9}/auth-token@[0-9]\\.[0-9]{1,2}\\.[0-9]-[0-9a-f]{8}",
        "[~^v]?[0-9]{1,2}\\.[0-9]{1,2}\\.[0-9]{1,2}(-(alpha|beta|rc)\\.?[0-9]{1,3})?",
        "v[0-9]\\.[0-9]{1,2}\\.[0-9]-[0-9a-f]{12}",
        "ghcr\\.io/[a-z]{3,9}/token-service:v[0-9]\\.[0-9]\\.[0-9]-[0-9a-f]{12}",
        "[a-z]{3,9}/[a-z]{3,9}@sha256:[0-9a-f]{64}",
        "sha256-[A-Za-z0-9+/]{43}=",
        "sha384-[A-Za-z0-9+/]{64}",
        "PT[1-9][0-9]?M[0-9]{1,2}S",
        "P[1-9]DT[0-9]{1,2}H",
        "20[0-9]{2}-0[1-9]-1[0-9]T1[0-9]:[0-5][0-9]:[0-5][0-9](Z|\\+01:00)",
        "0[0-9]{3}_auto_20[0-9]{6}_[0-9]{4}",
        "/etc/[a-z]{3,8}[A-Za-z0-9]{6,12}\\.yaml",
        "\\./[a-z]{3,8}[A-Za-z0-9]{6,12}\\.(sh|pem|json)",
    ]
}

fn drawn() -> impl Strategy<Value = String> {
    let value = prop_oneof![
        "[A-Za-z0-9]{16,28}",
        "[a-z0-9]{18,28}",
        "[A-Za-z0-9_+!-]{16,24}[A-Za-z0-9]"
    ];
    value.prop_filter("some look like words", |value| {
        is_clearly_drawn(value)
            && !is_placeholder(value)
            && value.starts_with(|c: char| c.is_ascii_alphanumeric())
    })
}

fn shown(path: &str, text: &str) -> String {
    Redactor::default().redact_source(Some(path), text).text
}

fn is_reported(text: &str) -> bool {
    let table = SecretTable::built_in();
    text.lines().any(|line| {
        table
            .find_secrets(line)
            .iter()
            .any(|found| found.is_plausible)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// Law: of a change whose value is a name, a path, an address, a version, a checksum or an algorithm, both sides
    /// are shown, and no rule speaks of a secret.
    #[test]
    fn what_a_setting_names_is_shown_on_both_sides(old in public(), new in public()) {
        for (path, place) in PLACES {
            for value in [&old, &new] {
                let text = place.replace('~', value);
                let seen = shown(path, &text);
                prop_assert_eq!(&seen, &text, "{}", path);
                prop_assert!(!is_reported(&text), "{}", text);
            }
        }
    }

    /// Law: what was drawn is hidden in the same places, unless they are those of a name.
    #[test]
    fn what_was_drawn_is_hidden_in_the_place_of_a_name(value in drawn()) {
        let is_of_name = |place: &&(&str, &str)| {
            ["Cargo.toml", "six.py"].contains(&place.0) || place.1.contains("@octokit")
        };
        for (path, place) in PLACES.iter().filter(|place| !is_of_name(place)) {
            let text = place.replace('~', &value);
            let seen = shown(path, &text);
            prop_assert!(!seen.contains(&value), "{}: {}", path, text);
        }
    }

    /// Law: the address of an account or of a coin is shown beside the word `token`, and a private key is not.
    #[test]
    fn an_address_of_a_chain_is_shown_and_its_key_is_not(
        address in "0x[0-9a-fA-F]{40}", key in "(0x)?[0-9a-f]{15}[a-f][0-9]{2}[a-f0-9]{46}",
        number in prop::array::uniform32(1_u8..),
    ) {
        let coin = in_base58(&number);
        for (path, place) in [
            ("Pay.sol", "  address constant TOKEN = ~;"),
            ("pay.js", "await token.transfer(\"~\", amount);"),
            ("tokens.ts", "export const tokenAddress = \"~\";"),
            ("tokens.md", "The token `~` is deployed on mainnet."),
            ("mainnet.json", "  \"tokenAddress\": \"~\","),
            ("a.py", "TOKENS = {\"token\": \"~\"}"),
        ] {
            let text = place.replace('~', &address);
            prop_assert_eq!(shown(path, &text), text.clone());
            prop_assert!(!is_reported(&text), "{}", text);
        }
        for (path, place) in [
            ("tokens.ts", "export const USDC_TOKEN = \"~\";"),
            ("tokens.ts", "export const TOKEN_MINT = \"~\";"),
            ("tokens.ts", "const tokenMint = new PublicKey(\"~\");"),
        ] {
            let text = place.replace('~', &coin);
            prop_assert_eq!(shown(path, &text), text.clone());
            prop_assert!(!is_reported(&text), "{}", text);
        }
        for place in [
            "const privateKey = \"~\";",
            "const wallet = new Wallet(\"~\");",
            "secret_key: \"~\"",
        ] {
            let text = place.replace('~', &key);
            prop_assert!(!shown("a.ts", &text).contains(&key), "{}", text);
        }
        // Nobody calls an address so.
        for place in ["API_KEY = \"~\"", "client_secret: \"~\"", "password = \"~\""] {
            let text = place.replace('~', &address);
            prop_assert!(!shown("a.py", &text).contains(&address), "{}", text);
        }
        for place in ["SESSION_TOKEN = \"~\"", "api_token: \"~\""] {
            let text = place.replace('~', &coin);
            prop_assert!(!shown("a.py", &text).contains(&coin), "{}", text);
        }
    }

    /// Law: what a dependency leads to is shown, whatever it is called.
    #[test]
    fn what_a_dependency_leads_to_is_shown(
        commit in "[0-9a-f]{40}", short in "[0-9a-f]{12}", sum in "[A-Za-z0-9+/]{64}", owner in "[a-z]{4,9}",
        name in prop::sample::select(vec!["auth-token", "devise-token", "secret-service", "password-strength"]),
    ) {
        for (path, text) in [
            ("package.json", format!("    \"@{owner}/{name}\": \"github:{owner}/{name}#{commit}\"")),
            ("package.json", format!("    \"{name}\": \"{owner}/{name}#{commit}\"")),
            ("Gemfile", format!("gem \"{name}\", git: \"https://github.com/{owner}/{name}\", ref: \"{commit}\"")),
            ("Cargo.toml", format!("{name} = {{ git = \"https://github.com/{owner}/{name}\", rev = \"{commit}\" }}")),
            ("flake.nix", format!("    {name}.url = \"github:{owner}/{name}/{commit}\";")),
            ("deploy.yaml", format!("  image: ghcr.io/{owner}/{name}:v1.2.3-{short}")),
            ("deploy.yaml", format!("  image: ghcr.io/{owner}/{name}@sha256:{commit}{commit}")),
            ("index.html", format!("<script src=\"https://cdn.test/{name}.js\" integrity=\"sha384-{sum}\"></script>")),
        ] {
            prop_assert_eq!(shown(path, &text), text.clone(), "{}", path);
            prop_assert!(!is_reported(&text), "{}", text);
        }
    }

    /// Law: the name that a program made of words is shown where a name belongs.
    #[test]
    fn a_generated_name_is_shown_where_a_name_belongs(
        words in "[a-z]{3,8}(-[a-z]{2,7}){1,3}", end in "[0-9a-f]{8}|[a-z0-9]{5,10}(-[a-z0-9]{5})?",
    ) {
        let name = format!("{words}-{end}");
        for form in ["secretName: ~", "secretRef: \"~\"", "password_secret_name = \"~\"", "tokenSecretName: ~"] {
            let text = form.replace('~', &name);
            prop_assert_eq!(shown("a.yaml", &text), text);
        }
    }

    /// Law: a message in another language is shown, whichever of its letters are escapes.
    #[test]
    fn letters_that_are_written_as_escapes_draw_nothing(
        words in prop::collection::vec("[A-Z]?[a-z]{1,6}\\\\u0[0-1][a-f][0-9a-f][a-z]{0,5}", 1..4),
    ) {
        let text = format!("Provider.emptyPassword={} {{0}}", words.join(" "));
        prop_assert_eq!(shown("messages_xx.properties", &text), text);
    }

    /// Hardly one drawn value of ten thousand passes for a name of code.
    #[test]
    fn a_drawn_value_is_no_name_of_code(values in prop::collection::vec("[A-Za-z0-9]{10,24}|[a-z0-9]{12,24}", 200)) {
        let names = values.iter().filter(|value| is_code_name(value));
        let names: Vec<&String> = names.collect();
        prop_assert!(names.len() <= 2, "{:?}", names);
    }
}

/// Thirty-two bytes as Solana writes them.
fn in_base58(number: &[u8; 32]) -> String {
    const DIGITS: &[u8] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
    let mut number = number.to_vec();
    let mut digits = Vec::new();
    while number.iter().any(|byte| *byte != 0) {
        let rest = number.iter_mut().fold(0_u32, |rest, byte| {
            let sum = rest << 8 | u32::from(*byte);
            *byte = (sum / 58) as u8;
            sum % 58
        });
        digits.push(DIGITS[rest as usize]);
    }
    digits
        .iter()
        .rev()
        .map(|digit| char::from(*digit))
        .collect()
}

#[test]
fn what_real_code_has_beside_such_names_is_shown() {
    for (path, text) in [
        (
            "a.html",
            "<input type=\"password\" placeholder=\"Password123\">",
        ),
        (
            "a.xml",
            "<sec:user name=\"bob\" password=\"bobspassword\" authorities=\"ROLE_0,ROLE_1\"/>",
        ),
        (
            "a.xml",
            "<bean id=\"tokenStore\" class=\"com.evil.x9Kd2LmQ0.TokenStore\"/>",
        ),
        ("a.pyi", "    private_key: rsa.RSAPrivateKey,"),
        ("s.py", "    Token.Prompt: '#ansibrightblue',"),
        ("s.py", "    Token.String: \"#AB0909\","),
        ("s.py", "    token = r'[a-zA-Z_]\\w*'"),
        (
            "a.go",
            "if authHeader != \"Bearer \"+string(\"test-token\") {",
        ),
        (
            "a.json",
            "    \"NextToken\": \"eyJOZXh0VG9rZW4iOiBudWxsLCAiYm90b190cnVuY2F0ZV9hbW91bnQiOiAxMH0=\"",
        ),
        (
            "a.py",
            "    \"AWS::CodeBuild::SourceCredential\": \"b84e190d9ebbbfe1\",",
        ),
        (
            "a.json",
            "    \"S3Key\": \"my-app/5026-stage-150723_224258.war\",",
        ),
        ("a.java", "context.setPassword(\"uid=admin,ou=system\");"),
        (
            "a.yaml",
            "password: !!python/object/apply:os.system [\"touch /tmp/x\"]",
        ),
    ] {
        assert_eq!(shown(path, text), text, "{path}");
        assert!(!is_reported(text), "{text}");
    }
}
