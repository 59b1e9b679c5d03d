//! Laws of what a name gets: whatever a language or a tool writes between the two, and whatever the value is joined of.

use proptest::prelude::*;

use crate::Redactor;
use crate::value::is_drawn_value;

/// Names that say secret.
const NAMES: [&str; 6] = [
    "password",
    "DB_PASSWORD",
    "apiKey",
    "client_secret",
    "passwd",
    "authToken",
];

/// Places where a name gets a value, with `@` for the name and `~` for the value.
const PLACES: [(&str, &str); 43] = [
    ("a.bat", "set @=~"),
    ("a.cmd", "SET @=~"),
    ("a.bat", "set \"@=~\""),
    ("a.bat", "setx @ ~"),
    ("a.tcl", "set @ ~"),
    (
        "a.ps1",
        "[Environment]::SetEnvironmentVariable(\"@\", \"~\")",
    ),
    (
        "a.go",
        "var p = flag.String(\"@\", \"~\", \"the password\")",
    ),
    ("a.go", "flag.StringVar(&p, \"@\", \"~\", \"x\")"),
    (
        "a.go",
        "cmd.Flags().StringP(\"@\", \"p\", \"~\", \"the password\")",
    ),
    ("a.py", "@: str = Field(default='~')"),
    ("a.py", "@: str = Field(min_length=8, default='~')"),
    ("a.py", "@ = models.CharField(max_length=80, default=\"~\")"),
    ("a.ts", "@: z.string().default('~'),"),
    ("a.ts", "@: z.string().min(8).default('~'),"),
    ("A.java", "Optional<String> @ = Optional.of(\"~\");"),
    ("a.c", "strcpy(@, \"~\");"),
    ("a.py", "setattr(cfg, '@', '~')"),
    (
        "a.gradle",
        "buildConfigField \"String\", \"@\", \"\\\"~\\\"\"",
    ),
    ("a.pl", "my $@ = q{~};"),
    ("a.pl", "my $@ = q(~);"),
    ("a.pl", "my $@ = q (~);"),
    ("a.properties", "a.@=x,~"),
    ("a.pl", "my $@ = qq{~};"),
    ("a.pl", "my ($user, $@) = qw(bob ~);"),
    ("a.pl", "my ($@, $user) = ('~', 'bob');"),
    ("a.rb", "@ = %q(~)"),
    ("a.lua", "local @ = [[~]]"),
    ("a.ml", "let @ = {|~|}"),
    ("a.d", "string @ = `~`;"),
    ("a.py", "user, @ = 'bob', '~'"),
    ("a.py", "@, user = '~', 'bob'"),
    ("a.py", "@_of = {'bob': '~', 'eve': 'x'}"),
    ("a.py", "@_of = {'bob': 'x', 'eve': '~'}"),
    ("a.js", "const @_of = {bob: 'x', eve: '~'};"),
    ("a.rb", "@_of = {\"bob\" => \"~\"}"),
    ("a.rb", "@ = Base64.decode64('~')"),
    ("a.py", "@ = bytes.fromhex('~')"),
    ("a.py", "@ = ''.join(['ab', '~'])"),
    ("a.py", "@ = ('ab'\n    '~')"),
    ("a.py", "@ = 'ab' \\\n    '~'"),
    ("a.js", "const @ = 'ab' +\n  '~';"),
    ("README.md", "(@: ~)"),
    ("a.sh", "@='ab'\"~\""),
];

/// Places without a name that says secret.
const NAMELESS: [(&str, &str); 37] = [
    (
        "a.json",
        "{\"name\":\"Authorization\",\"value\":\"Bearer ~\"}",
    ),
    ("a.ks", "rootpw --plaintext ~"),
    ("a.sh", "7z a -p~ x"),
    ("a.sh", "az login --service-principal -u x -p ~"),
    ("a.sh", "twine upload -u bob -p ~ dist"),
    ("a.sh", "cargo login ~"),
    ("a.sh", "SSHPASS=~ sshpass -e ssh h"),
    ("a.sh", "ffmpeg -f flv rtmp://h/live?key=~"),
    ("a.md", "| password | ~ |"),
    ("a.md", "Log in with password ~."),
    ("a.md", "(pw: ~)"),
    ("a.md", "Passwort: ~"),
    ("a.md", "mot de passe : ~"),
    ("a.py", "kennwort = '~'"),
    ("A.java", "String motDePasse = \"~\";"),
    ("a.py", "contrasena = '~'"),
    ("a.py", "senha = '~'"),
    ("a.yml", "command: redis-server --requirepass ~"),
    (
        "a.yml",
        "command: [\"redis-server\", \"--requirepass\", \"~\"]",
    ),
    ("a.conf", "    auth_pass ~"),
    ("a.conf", "bindpassword \"~\";"),
    ("a.sh", "openssl rsa -passin pass:~ -in a.key"),
    ("a.py", "run(['openssl', 'rsa', '-passout', 'pass:~'])"),
    ("a.sh", "zip -r -P ~ a.zip b"),
    ("a.sh", "sqlcmd -S h -U sa -P '~'"),
    ("a.sh", "ldapsearch -x -D cn=admin -w \"~\" -b x"),
    ("a.sh", "ssh-keygen -t rsa -N ~ -f k"),
    ("a.sh", "rabbitmqctl add_user bob ~"),
    ("a.sh", "vault kv put secret/x api=~"),
    (
        "a.sh",
        "aws ssm put-parameter --name x --type SecureString --value ~",
    ),
    (
        "a.sh",
        "aws ssm put-parameter --name x --value '~' --type SecureString",
    ),
    ("a.sh", "curl --oauth2-bearer ~ h"),
    ("a.xml", "<setting name=\"Pwd\">~</setting>"),
    ("a.rb", "http.basic_auth 'bob', '~'"),
    ("a.rb", "http_basic { |u, p| u == 'bob' && p == '~' }"),
    ("A.java", "ks.load(in, \"~\".toCharArray());"),
    (
        "a.py",
        "u='https://b/k?X-Amz-Credential=x&X-Amz-Signature=~'",
    ),
];

/// What stands between the halves of a value, each half with `<` and `>` for what is before and behind it.
const JOINTS: [(&str, &str); 16] = [
    ("a.py", "password = \"< &>\""),
    ("a.py", "password = '<' + '>'"),
    ("a.py", "password = '<' '>'"),
    ("a.js", "const password = \"<\" + \">\";"),
    ("a.php", "$password = '<' . '>';"),
    ("a.lua", "local password = '<' .. '>'"),
    ("a.sh", "PASSWORD='<'\">\""),
    ("a.sh", "PASSWORD=<\\ >"),
    ("a.yml", "password: < >"),
    ("a.yml", "password: \"<: >\""),
    ("a.ini", "password = <;>"),
    ("a.py", "password = ''.join(['<', '>'])"),
    ("a.py", "password = ('<'\n    '>')"),
    ("a.py", "password = '<' \\\n  '>'"),
    ("a.js", "const password = '<' +\n  '>';"),
    ("a.py", "pw1, pw2 = '<', '>'"),
];

fn shown(path: &str, text: &str) -> String {
    Redactor::default().redact_source(Some(path), text).text
}

fn drawn() -> impl Strategy<Value = String> {
    "[G-Z][g-z][0-9][A-Za-z0-9]{12,24}[0-9][a-z]"
        .prop_filter("one in a hundred is no drawn value by its look", |value| {
            is_drawn_value(value)
        })
}

/// Half of a value that nobody takes for words.
fn half() -> impl Strategy<Value = String> {
    "[A-Z][b-df-hj-np-tv-z][0-9][A-Z][b-df-hj-np-tv-z][0-9]([A-Z][0-9]){1,3}"
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Law: spellings × names × values. What a name gets is shown in none.
    #[test]
    fn a_drawn_value_is_shown_in_no_spelling_under_no_name(value in drawn()) {
        let named = PLACES.iter().flat_map(|(path, form)| NAMES.map(|name| (*path, form.replace('@', name))));
        let nameless = NAMELESS.iter().map(|(path, form)| (*path, (*form).to_owned()));
        let texts = named.chain(nameless).map(|(path, form)| (path, form.replace('~', &value)));
        let leaks: Vec<String> = texts
            .map(|(path, text)| shown(path, &text))
            .filter(|shown| shown.contains(&value))
            .collect();
        prop_assert!(leaks.is_empty(), "{}", leaks.join("\n"));
    }

    /// Law: a value in two halves is hidden as a whole, whatever joins them.
    #[test]
    fn neither_half_of_a_joined_value_is_shown(first in half(), second in half()) {
        let texts = JOINTS.iter().map(|(path, form)| (*path, form.replace('<', &first).replace('>', &second)));
        let leaks: Vec<String> = texts
            .map(|(path, text)| shown(path, &text))
            .filter(|shown| shown.contains(&first) || shown.contains(&second))
            .collect();
        prop_assert!(leaks.is_empty(), "{}", leaks.join("\n"));
    }
}

/// Lines that look like it, and hold nothing.
#[test]
fn messages_rules_and_code_are_shown() {
    let mut hidden = Vec::new();
    for (path, line) in [
        ("a.py", "password = \"Use at least 8 signs\""),
        ("a.py", "password = input(\"Password (min 8): \")"),
        ("a.py", "secret = \"./x1 -p9\""),
        (
            "a.json",
            "\"password\": {\"type\": \"string\", \"format\": \"p4ssw0rdFormat\"}",
        ),
        (
            "a.js",
            "const password = { pattern: '^[A-Za-z0-9]+$', minLength: 8 };",
        ),
        ("a.sh", "PASSWORD='' 'evil2x4y' now"),
        ("a.c", "strcpy(password, argv2buf);"),
        (
            "a.go",
            "flag.String(\"password\", \"\", \"the password of user1\")",
        ),
        ("a.tcl", "set password $env(PASSWORD2)"),
        ("a.tcl", "set token [next2token x]"),
        ("a.bat", "set TOKEN=%TOKEN2%"),
        ("a.bat", "set PASSWORD=& evil2x4y"),
        ("a.py", "user, password = load2user('x1y2z3'), None"),
        ("a.md", "| token | what it is |"),
    ] {
        hidden.extend(Some(shown(path, line)).filter(|shown| shown != line));
    }
    assert_eq!(hidden, Vec::<String>::new());
}

/// `q!` begins a quote of Perl's, and a value that somebody drew.
#[test]
fn a_value_that_begins_like_a_quote_is_hidden_whole() {
    let drawn = "q!0AA0aAaa".repeat(3);
    for line in [
        format!("MASTER_KEY: {drawn}"),
        format!("password = {drawn}"),
    ] {
        let shown = crate::Redactor::default()
            .redact_source(Some("a.yml"), &line)
            .text;
        assert!(!shown.contains("0AA0aAaa"), "{shown}");
    }
    let line = "my $password = q!Zk9LmPq3Rt7xW!;";
    let shown = crate::Redactor::default()
        .redact_source(Some("a.pl"), line)
        .text;
    assert!(!shown.contains("Zk9LmPq3Rt7xW"), "{shown}");
}
