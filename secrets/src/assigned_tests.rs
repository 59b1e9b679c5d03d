//! Laws of the principle in `value.rs`: where a literal is secret, and where it is code.

use proptest::prelude::*;

use crate::value::is_drawn_value;
use crate::{Redactor, SecretTable};

/// Names of secrets in every style of case.
const NAMES: [&str; 22] = [
    "password",
    "DB_PASSWORD",
    "dbPassword",
    "db.password",
    "spring.datasource.password",
    "passwd",
    "POSTGRES_PWD",
    "pass",
    "db_pass",
    "client_secret",
    "clientSecret",
    "JWT_SECRET",
    "token",
    "apiToken",
    "API_TOKEN",
    "auth_token",
    "api_key",
    "apiKey",
    "API_KEY",
    "secret_access_key",
    "bearer",
    "AUTH",
];

/// Names whose value has to be long.
const KEYS: [&str; 6] = [
    "MASTER_KEY",
    "STRIPE_KEY",
    "APP_KEY",
    "account_key",
    "RAILS_MASTER_KEY",
    "masterKey",
];

/// Places where a name gets a literal: the file, and the line with `@` for the name and `~` for the value.
const PLACES: [(&str, &str); 44] = [
    ("a.py", "@ = \"~\""),
    ("a.py", "@ = '~'"),
    ("a.py", "@: str = \"~\""),
    ("a.py", "connect(host, @=\"~\")"),
    ("a.py", "cfg[\"@\"] = \"~\""),
    ("a.py", "{\"user\": \"bob\", \"@\": \"~\"}"),
    ("a.py", "@ = b\"~\""),
    ("a.py", "@ = os.environ.get(\"X\", \"~\")"),
    ("a.js", "const @ = \"~\";"),
    ("a.ts", "private readonly @: string = '~';"),
    ("a.ts", "  @?: string = '~';"),
    ("a.js", "  @: '~',"),
    ("a.js", "const @ = process.env.X || '~';"),
    ("a.go", "const @ string = \"~\""),
    ("a.go", "@ := \"~\""),
    ("a.go", "var @ = []byte(\"~\")"),
    ("A.java", "private static final String @ = \"~\";"),
    ("A.java", "char[] @ = \"~\".toCharArray();"),
    ("A.kt", "val @: String? = \"~\""),
    ("a.c", "static const char @[] = \"~\";"),
    ("a.c", "char @[64] = \"~\";"),
    ("a.rs", "const @: &'static str = \"~\";"),
    ("a.rs", "let @ = String::from(\"~\");"),
    ("a.cs", "public string @ { get; set; } = \"~\";"),
    ("a.php", "$@ = '~';"),
    ("a.rb", "@ = \"~\""),
    ("a.json", "  \"@\": \"~\","),
    ("a.yml", "  @: ~"),
    ("a.yml", "  @: \"~\""),
    ("a.yml", "  @: !vault \"~\""),
    ("a.yml", "      - @=~"),
    ("a.yml", "  - { name: @, value: \"~\" }"),
    ("a.ini", "@ = ~"),
    ("a.ini", "@=~"),
    ("a.properties", "@=~"),
    ("a.toml", "@ = \"~\""),
    ("a.sh", "export @=~"),
    ("a.sh", "@='~'"),
    ("Dockerfile", "ENV @=~"),
    ("Dockerfile", "ENV @ ~"),
    ("a.tf", "variable \"@\" { default = \"~\" }"),
    ("a.js", "// @: ~"),
    ("a.h", "#define @ \"~\""),
    ("a.conf", "https://acme.com/x?@=~"),
];

/// A value as generators of passwords draw them, in which letters and digits are mixed.
fn drawn() -> impl Strategy<Value = String> {
    let value = prop_oneof![
        "[a-z0-9]{8,24}",
        "[A-Za-z0-9]{8,24}",
        "[0-9a-f]{16,40}",
        "[A-Za-z][A-Za-z0-9!@^*_+~-]{8,20}[A-Za-z0-9]",
        "[A-Za-z]{12,24}",
    ];
    value.prop_filter("one in a hundred is no drawn value by its look", |value| {
        is_drawn_value(value)
    })
}

fn fill(form: &str, name: &str, value: &str) -> String {
    form.replace('@', name).replacen('~', value, 1)
}

fn shown(path: &str, line: &str) -> String {
    Redactor::default().redact_source(Some(path), line).text
}

/// Which names a place can have: `ENV` has no dots, and so on.
fn fits(form: &str, name: &str) -> bool {
    let is_plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    is_plain
        || form.contains("\"@\"")
        || form.starts_with("@=")
        || form == "@ = ~"
        || form.starts_with("  @: ")
}

/// The signs that a form itself gives another meaning.
fn place_takes(form: &str, value: &str) -> bool {
    !form.contains("?@=") || value.bytes().all(|b| b.is_ascii_alphanumeric())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Law: a drawn value is hidden under each name in each place, and is worth a finding. So the same value has the same
    /// answer with quotes and without, with a type and without, in every format.
    #[test]
    fn a_drawn_value_is_secret_in_every_place_under_every_name(value in drawn(), at in 0..NAMES.len()) {
        let long = value.repeat(3);
        prop_assume!(is_drawn_value(&long));
        let (name, key) = (NAMES[at], KEYS[at % KEYS.len()]);
        for (path, form) in PLACES {
            for (name, value) in [(name, &value), (key, &long)] {
                if !fits(form, name) || !place_takes(form, value) {
                    continue;
                }
                let line = fill(form, name, value);
                prop_assert!(!shown(path, &line).contains(value.as_str()), "{path}: {line}: {}", shown(path, &line));
                let found = SecretTable::built_in().find_secrets(&line);
                prop_assert!(found.iter().any(|found| found.is_plausible), "{path}: {line}");
            }
        }
    }
}

/// Calls that load, run or look up what they are given: `~` stands for it.
const CALLS: [(&str, &str); 36] = [
    ("a.py", "@ = exec(b64decode(\"~\"))"),
    ("a.py", "run(\"@\", \"~\")"),
    ("a.js", "const @ = require(\"~\");"),
    ("a.js", "const @ = require('~').default;"),
    ("a.js", "const @ = execSync(\"~\").toString();"),
    ("a.js", "const @ = await fetch(\"~\");"),
    ("a.js", "const @ = await import('~');"),
    ("a.js", "const @ = localStorage.getItem(\"~\");"),
    ("a.js", "const @ = document.getElementById(\"~\").value;"),
    ("a.js", "const @ = t(\"~\");"),
    ("a.js", "const @ = new Worker(\"~\");"),
    ("a.py", "@ = subprocess.check_output(\"~\", shell=True)"),
    ("a.py", "@ = os.popen(\"~\").read()"),
    ("a.py", "@ = importlib.import_module(\"~\")"),
    ("a.py", "@ = ctypes.CDLL(\"~\")"),
    ("a.py", "@ = __import__('~')"),
    ("a.py", "@ = run([\"~\", \"-x\"])"),
    ("a.py", "@ = open(\"~\").read()"),
    ("a.py", "@ = os.environ[\"~\"]"),
    ("a.py", "@ = os.getenv(\"~\")"),
    ("a.py", "@ = url.split(\"~\")[1]"),
    ("a.py", "connect(@=load(\"~\"))"),
    ("a.php", "$@ = shell_exec(\"~\");"),
    ("a.php", "$@ = $_POST['~'];"),
    ("a.rb", "@ = IO.popen(\"~\").read"),
    ("a.rb", "@ = ENV.fetch(\"~\")"),
    ("a.rb", "@ = require \"~\""),
    ("a.go", "out, @ := exec.Command(\"~\").Output()"),
    ("a.go", "@ := viper.GetString(\"~\")"),
    ("a.go", "@ := flag.String(\"~\", \"\", \"what it is\")"),
    ("a.groovy", "def @ = \"~\".execute().text"),
    ("A.java", "String @ = request.getHeader(\"~\");"),
    ("A.java", "String @ = env.getProperty(\"~\");"),
    ("A.java", "Object @ = Class.forName(\"~\");"),
    ("a.rs", "let @ = Command::new(\"~\").output()?;"),
    ("a.rs", "let @ = std::fs::read_to_string(\"~\")?;"),
];

/// What such calls are given: commands, modules, names of settings, addresses.
fn code() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{2,8}[0-9]{1,3}[a-z]{2,8}",
        "[a-z]{3,8}(_[a-z0-9]{2,8}){1,3}",
        "[A-Z]{2,8}(_[A-Z0-9]{2,8}){1,3}",
        "(/[a-z0-9]{2,8}){2,4}",
        "https://[a-z0-9]{3,9}\\.(io|com)/[a-z0-9]{1,9}",
        "[a-z]{2,6}\\.[a-z]{2,8}[0-9]",
        "X-[A-Z][a-z]{3,6}[0-9]",
        "[A-Za-z0-9]{6,24}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Law: what any other call is given is shown, whoever gets its result, and whatever it looks like.
    #[test]
    fn what_a_call_loads_runs_or_looks_up_is_shown(value in code(), at in 0..NAMES.len()) {
        let name = NAMES[at].rsplit('.').next().unwrap_or_default();
        for (path, form) in CALLS {
            let line = fill(form, name, &value);
            prop_assert_eq!(shown(path, &line), line);
        }
    }

    /// Law: in code a word without quotes is the name of something.
    #[test]
    fn a_word_without_quotes_is_no_secret_in_code(value in "[A-Za-z][A-Za-z0-9]{5,24}", at in 0..NAMES.len()) {
        for path in ["a.py", "a.js", "a.rs", "A.java", "a.go", "a.rb", "a.c"] {
            for form in ["@ = ~", "@ = ~;", "let @ = ~", "    @: ~,", "x.@ = ~"] {
                let line = fill(form, NAMES[at], &value);
                prop_assert_eq!(shown(path, &line), line);
            }
        }
    }
}

/// Forms in which whole drawn values were sent to models, with `~` for the value.
const SENT: [(&str, &str); 24] = [
    ("a.sh", "export RAILS_MASTER_KEY=~"),
    ("a.py", "MASTER_KEY = \"~\""),
    ("a.py", "account_key = \"~\""),
    ("a.py", "basic_auth = (\"bob\", \"~\")"),
    ("a.py", "AUTH = \"~\""),
    ("a.py", "bearer = \"~\""),
    ("u.sh", "curl 'https://acme.com/x?token=~'"),
    ("u.sh", "curl 'https://acme.com/x?access_key=~'"),
    ("u.sh", "curl 'https://acme.com/x?secret=~&a=1'"),
    ("a.py", "get(\"https://acme.com/x?token=~\")"),
    ("a.sql", "CREATE SECRET s (TYPE S3, SECRET '~');"),
    ("a.md", "The password is `~`."),
    ("a.md", "API key: ~"),
    ("a.md", "| password | ~ |"),
    ("a.md", "Log in as bob with password ~"),
    ("k.yml", "- name: DB_PWD\n  value: ~"),
    ("a.go", "const apiToken string = \"~\""),
    ("a.c", "static const char secret[] = \"~\";"),
    ("a.tf", "variable \"db_password\" {\n  default = \"~\"\n}"),
    (
        "a.tf",
        "variable \"db_password\" {\n  type = string\n  default = \"~\"\n}",
    ),
    ("a.csv", "bob,password,~"),
    ("a.yml", "apiToken: !vault \"~\""),
    (
        "c.yml",
        "services:\n  db:\n    environment:\n      - POSTGRES_PASSWORD=~",
    ),
    ("w.yml", "env:\n  API_TOKEN: ~"),
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Law: a whole drawn value is hidden in these, be it hexadecimal or of letters of both cases.
    #[test]
    fn a_long_drawn_value_is_sent_in_no_form(value in "[0-9a-f]{32}|[A-Za-z0-9]{24}") {
        prop_assume!(is_drawn_value(&value));
        for (path, form) in SENT {
            let text = form.replace('~', &value);
            let shown = shown(path, &text);
            prop_assert!(!shown.contains(&value), "{path}: {shown}");
            prop_assert_eq!(shown.lines().count(), text.lines().count());
        }
    }
}

/// Lines of honest changes in which nothing is secret, though a digit is in them.
#[test]
fn what_says_a_name_or_a_place_is_shown() {
    for (path, line) in [
        ("a.rb", "password = ENV.fetch(\"DB_PASSWORD2\")"),
        (
            "A.java",
            "private static final String PASSWORD_KEY = \"user.password2\";",
        ),
        (
            "a.go",
            "password := flag.String(\"password2\", \"\", \"the password\")",
        ),
        ("a.js", "const tokenKey = \"auth_token_v2\";"),
        ("a.py", "token_url = \"https://auth2.acme.io/oauth2/token\""),
        ("a.py", "password_field = \"password2\""),
        (
            "a.py",
            "token = open(\"/var/run/secrets/k8s2/token\").read()",
        ),
        ("a.py", "token = url.split(\"token2=\")[1]"),
        ("a.py", "parser.expect(token=\"LBRACE2\")"),
        ("a.py", "cache_key = \"user:profile:v2\""),
        ("a.py", "auth = \"oauth2\""),
        ("a.yml", "  secretName: web-tls-v2"),
        ("a.md", "- Pass `--disable-warning=FSTWRN003` to disable it"),
        (
            "a.go",
            "\"Sec-WebSocket-Key\": {\"dGhlIHNhbXBsZSBub25jZQ==\"},",
        ),
        ("a.inc", "  default_password_scheme = SHA512-CRYPT"),
        (
            "a.bats",
            "assert_line \"Getting secret 'ENABLE_POP3' from a file\"",
        ),
        ("w.yml", "  signingInMemoryKey: ${{ secrets.SIGNING_KEY }}"),
        ("a.yml", "  tokenUrl: https://auth2.acme.io/token"),
        ("a.toml", "version_key = \"2024-11-26\""),
        (
            "a.js",
            "const primaryKey = \"b0c1f3a2-7d51-4c1e-9f3e-1c5f0a7b2d11\";",
        ),
    ] {
        assert_eq!(shown(path, line), line);
    }
}

/// Of ten thousand values that a generator draws, so many are taken for words. Letters alone are none below twelve.
///
/// | signs      |   8 |  10 |  12 |  16 |  20 |
/// |------------|----:|----:|----:|----:|----:|
/// | a-z0-9     |  87 | 122 |  68 |  21 |   2 |
/// | A-Za-z0-9  |  66 | 127 | 104 |  27 |   7 |
/// | A-Za-z     |     |     |  81 |  17 |   6 |
/// | hex        |   9 |  11 |  12 |   5 |   2 |
/// | symbols    | 102 | 116 | 125 |  87 |  53 |
#[test]
fn nearly_all_that_is_drawn_looks_drawn() {
    const LENGTHS: [usize; 5] = [8, 10, 12, 16, 20];
    let letters = "abcdefghijklmnopqrstuvwxyz";
    let upper = letters.to_uppercase();
    let tables = [
        ("a-z0-9", format!("{letters}0123456789")),
        ("A-Za-z0-9", format!("{letters}{upper}0123456789")),
        ("A-Za-z", format!("{letters}{upper}")),
        ("hex", "0123456789abcdef".to_owned()),
        (
            "symbols",
            format!("{letters}{upper}0123456789!@#$%^&*-_+=?~"),
        ),
    ];
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut draw = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for (signs, table) in &tables {
        let table: Vec<char> = table.chars().collect();
        for length in LENGTHS {
            let has_digit = |value: &str| {
                value.contains(|c: char| c.is_ascii_digit() || "!@#$%^&*+=?~".contains(c))
            };
            let has_letter = |value: &str| value.contains(|c: char| c.is_ascii_alphabetic());
            let mut missed = 0;
            for _ in 0..10_000 {
                let value = loop {
                    let value: String = (0..length).map(|_| table[draw(table.len())]).collect();
                    // Letters alone are asked for from twelve on, and numbers never.
                    if has_letter(&value) && (has_digit(&value) || *signs == "A-Za-z") {
                        break value;
                    }
                };
                missed += usize::from(!is_drawn_value(&value));
            }
            let is_asked_for = *signs != "A-Za-z" || length >= 12;
            assert!(!is_asked_for || missed <= 150, "{signs} {length}: {missed}");
        }
    }
}

/// Two recognitions that a line needs together: a list of settings within another one's value, a short name with a
/// default, a default behind a look-up among the arguments of a call.
const TOGETHER: &[(&str, &str)] = &[
    (
        "a.sh",
        "mount -t cifs -o username=backup,password={} //nas/share /mnt",
    ),
    (
        "a.sh",
        "docker volume create --opt o=addr=10.0.0.2,username=backup,password={} vol",
    ),
    ("a.yml", "o: \"username=backup,password={},vers=3.0\""),
    (
        "fstab",
        "//nas/share /mnt cifs username=backup,password={},uid=1000 0 0",
    ),
    ("a.sh", "DB_PASS=${DB_PASS:-{}}"),
    ("a.sh", "DB_PASS=\"${DB_PASS:-{}}\""),
    ("a.sh", "ADMIN_PASS=${1:-{}}"),
    ("a.yml", "DB_PASS: ${DB_PASS:-{}}"),
    ("a.yml", "DB_PWD: ${DB_PWD:-{}}"),
    (
        "a.rb",
        "connect(ENV['DB_USER'] || 'root', ENV['DB_PASSWORD'] || '{}')",
    ),
    (
        "a.py",
        "conn = connect(\"db\", \"app\", os.environ.get(\"DB_PASSWORD\") or \"{}\")",
    ),
    (
        "a.js",
        "connect(env['DB_USER'] ?? 'root', env['DB_PASSWORD'] ?? '{}')",
    ),
];

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig {
        cases: 48, failure_persistence: None, ..Default::default()
    })]

    /// Law: what hides a value by itself hides it where two of them meet.
    #[test]
    fn a_value_is_hidden_where_two_forms_meet(
        value in "[a-zA-Z][A-Z][0-9][a-z][A-Z0-9]{2}[a-z][0-9][A-Za-z0-9]{4,24}",
    ) {
        proptest::prop_assume!(!crate::is_placeholder(&value) && crate::value::is_drawn_value(&value));
        for (path, form) in TOGETHER {
            let line = form.replacen("{}", &value, 1);
            let shown = crate::Redactor::default().redact_source(Some(path), &line).text;
            proptest::prop_assert!(!shown.contains(&value), "{}: {}", path, shown);
        }
    }
}

#[test]
fn what_is_no_secret_where_two_forms_meet_is_shown() {
    for (path, line) in [
        (
            "a.sh",
            "mount -o username=backup,vers=Zk9LmPq3Rt7xW //nas/share /mnt",
        ),
        ("a.yml", "DB_HOST: ${DB_HOST:-Zk9LmPq3Rt7xW}"),
        ("a.yml", "DB_PASS: ${DB_PASS:-${OTHER}}"),
        ("a.rb", "connect(ENV['DB_PASSWORD'] || 'a message')"),
        ("a.py", "if password or \"name\" in names:"),
    ] {
        let shown = crate::Redactor::default()
            .redact_source(Some(path), line)
            .text;
        assert_eq!(shown, line, "{path}");
    }
}
