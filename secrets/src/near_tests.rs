//! Laws of the general rule: a drawn value near a name that says secret, whatever stands between the two. The secrets are
//! drawn: no scanner takes this file for a leak.

use proptest::prelude::*;

use crate::beside_name::is_clearly_drawn;
use crate::{Redactor, is_placeholder};

const NAMES: [&str; 12] = [
    "password",
    "DB_PASSWORD",
    "dbPassword",
    "client_secret",
    "ApiSecret",
    "api_key",
    "API_TOKEN",
    "admin_passwd",
    "POSTGRES_PWD",
    "ConnectionPassword",
    "DB_PASS",
    "passphrase",
];

/// How languages and formats give a name its value, with `@` for the name and `~` for the value.
const FORMS: [(&str, &str); 49] = [
    ("load.R", "@ <- \"~\""),
    ("load.R", "assign(\"@\", \"~\")"),
    ("sys.erl", "opts() -> [{user, \"app\"}, {@, \"~\"}]."),
    ("vhost.conf", "  SetEnv @ ~"),
    ("nginx.conf", "  fastcgi_param @ ~;"),
    ("config.fish", "set -x @ ~"),
    ("config.fish", "set -gx @ '~'"),
    ("login.csh", "setenv @ ~"),
    ("a.bat", "setx @ ~ /M"),
    ("app.properties", "@=\\\n  ~"),
    ("app.properties", "@ = \\\n    ~"),
    (
        "hive-site.xml",
        "<property><name>x.@</name><value>~</value></property>",
    ),
    ("Web.config", "<add key=\"@\"\n     value=\"~\" />"),
    ("Web.config", "<add key=\"@\" value=\"~\" />"),
    ("a.xml", "<param name='@'\n  type='string'\n  value='~'/>"),
    ("a.xml", "<bean @=\"~\"/>"),
    ("a.lisp", "(defparameter *@* \"~\")"),
    ("a.scm", "(define @ \"~\")"),
    ("a.clj", "{:user \"bob\" :@ \"~\"}"),
    ("a.tcl", "set @ \"~\""),
    ("a.ps1", "$env:@ = \"~\""),
    ("a.ps1", "New-Setting -Name @ -Value \"~\""),
    ("a.sql", "ALTER SYSTEM SET @ TO '~';"),
    ("a.vb", "Const @ As String = \"~\""),
    ("a.adb", "@ : constant String := \"~\";"),
    ("a.ml", "let @ = \"~\" in"),
    ("a.hs", "  @ <- pure \"~\""),
    ("a.jl", "const @ = \"~\""),
    ("a.nim", "const @ = \"~\""),
    ("a.groovy", "@ '~'"),
    ("a.conf", "@ \"~\""),
    ("a.conf", "@\t~"),
    ("a.conf", "@ is set to ~"),
    ("a.pl", "my %x = ('@', '~');"),
    ("a.rb", "set :@, '~'"),
    ("a.php", "<?php $x = ['@' => '~'];"),
    ("a.kt", "\"@\" to \"~\","),
    ("a.scala", "\"@\" -> \"~\","),
    ("a.dhall", "{ @ = \"~\" }"),
    ("a.txt", "bob,@,~"),
    ("a.py", "x = [(\"@\", \"~\")]"),
    ("a.sh", "java -Dx.@=~ -jar app.jar"),
    ("a.sh", "tool --x-@ ~"),
    ("a.sh", "tool -@=~ x"),
    ("a.md", "Log in with the @ `~`."),
    (
        "M.xml",
        "<meta-data\n    android:name=\"com.x.@\"\n    android:value=\"~\" />",
    ),
    (
        "M.xml",
        "<x:item\n    x:key=\"@\"\n    x:type=\"s\"\n    x:value=\"~\"\n/>",
    ),
    ("a.swift", "r.addValue(\"~\", forHTTPHeaderField: \"@\")"),
    (
        "a.cs",
        "r.Authorization = new AuthenticationHeaderValue(\"Basic\", \"~\");",
    ),
];

/// What may stand between a name and its value, in any text.
const BETWEEN: [&str; 13] = [
    " ", "\t", " -> ", " := ", " <- ", ", ", " => ", "=", ": ", " is ", " to ", "\": \"", "', '",
];

fn drawn() -> impl Strategy<Value = String> {
    let value = prop_oneof![
        "[A-Za-z0-9]{12,28}",
        "[a-z0-9]{16,28}",
        "[A-Za-z0-9_+!-]{14,24}[A-Za-z0-9]"
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

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// Law: whatever a language writes between a name and a drawn value, and wherever it breaks the line, hides it.
    #[test]
    fn a_drawn_value_near_its_name_is_hidden(value in drawn(), at in 0..NAMES.len(), indent in 0_usize..4) {
        for (path, form) in FORMS {
            let text = form.replace('@', NAMES[at]).replace('~', &value);
            let text = format!("{}{text}\n", " ".repeat(indent));
            let shown = shown(path, &text);
            prop_assert!(!shown.contains(&value), "{path}: {text}: {shown}");
        }
    }

    /// Law: the same for whatever stands between, in a text of no language.
    #[test]
    fn whatever_stands_between_a_name_and_its_value_it_is_hidden(
        value in drawn(), name in prop::sample::select(NAMES.to_vec()), between in prop::sample::select(BETWEEN.to_vec()),
        before in "[a-z ]{0,12}", behind in "(|;|,|\"| and more|\\))",
    ) {
        let text = format!("{before} {name}{between}{value}{behind}");
        let shown = shown("notes", &text);
        prop_assert!(!shown.contains(&value), "{text}: {shown}");
    }

    /// Law: what is no secret is shown near such a name as well.
    #[test]
    fn an_innocent_near_such_a_name_is_shown(
        hex in "[0-9a-f]{64}", commit in "[0-9a-f]{40}", short in "[0-9a-f]{7,12}", number in "[0-9]{1,12}",
        version in "v?[0-9]{1,2}\\.[0-9]{1,3}\\.[0-9]{1,3}(-rc[0-9])?",
        words in "[a-z]{3,9}(_[a-z]{3,9}){1,3}", camel in "[a-z]{3,8}([A-Z][a-z]{3,8}){1,3}[0-9]?",
        name in prop::sample::select(NAMES.to_vec()),
    ) {
        for (path, text) in [
            ("a.json", format!("{{ \"{name}\": null, \"sha256\": \"{hex}\" }}")),
            ("a.json", format!("{{ \"{name}\": null, \"commit\": \"{commit}\" }}")),
            ("a.yml", format!("{name}: ${{{{ secrets.X }}}} # at {short}")),
            ("a.toml", format!("{name} = {{ version = \"{version}\", workspace = true }}")),
            ("a.rs", format!("let {name} = {camel}({words});")),
            ("a.rs", format!("fn f({name}: {camel}, {words}: u32) {{")),
            ("a.py", format!("raise ValueError(\"no {name} in {words}\")")),
            ("a.md", format!("The {name} has at least {number} signs, see {words}.md.")),
            ("a.go", format!("{name} := os.Getenv(\"{words}\")")),
            ("a.js", format!("connect({name},\n  \"{words}\",\n);")),
        ] {
            let shown = shown(path, &text);
            prop_assert_eq!(shown, text, "{}", path);
        }
    }
}

#[test]
fn a_header_is_hidden_before_its_name_and_behind_its_scheme() {
    let value = "k7Qv2LmZx9Tb4RnW8sYcH3jD6gFp1KaE5uXo0ViB";
    for (path, form) in [
        (
            "a.cs",
            "h.Authorization =\n    new AuthenticationHeaderValue(\"Bearer\", \"~\");",
        ),
        (
            "a.swift",
            "r.setValue(\"Bearer ~\", forHTTPHeaderField: \"Authorization\")",
        ),
        (
            "a.swift",
            "r.addValue(\"~\", forHTTPHeaderField: \"X-API-Key\")",
        ),
    ] {
        let shown = shown(path, &form.replace('~', value));
        assert!(!shown.contains(value), "{shown}");
    }
}

#[test]
fn a_value_is_hidden_whatever_follows_it_and_however_short_its_name_is() {
    let value = "k7Qv2LmZx9Tb4RnW";
    for (path, form) in [
        ("a.yml", "- {name: root, password: ~, type: text}"),
        (
            "a.yml",
            "db: { host: h, user: app, password: ~, port: 5432 }",
        ),
        ("config.php", "$CFG->dbpass = '~';"),
        ("configuration.php", "public $smtppass = '~';"),
        ("a.sh", "DBPASS='~'"),
        (
            "a.json",
            "\"ParameterKey\": \"DBPassword\",\n\"ParameterValue\": \"~\"",
        ),
        ("a.js", "const password = isDev ? '~' : get();"),
    ] {
        let shown = shown(path, &form.replace('~', value));
        assert!(!shown.contains(value), "{path}: {shown}");
    }
}

#[test]
fn a_password_of_four_groups_is_hidden() {
    for value in [
        "pttm rksb rlkk bmmn",
        "gzmb kzlb gzbs szmk",
        "fcqg-lkhx-bkvk-ffgl",
    ] {
        for (path, form) in [
            ("settings.py", "EMAIL_HOST_PASSWORD = '~'"),
            ("a.yml", "password: ~"),
            ("a.js", "auth: { user: 'bob', pass: '~' }"),
        ] {
            let shown = shown(path, &form.replace('~', value));
            assert!(!shown.contains(value), "{path}: {shown}");
        }
    }
    let words = "password = 'this must have been'";
    assert_eq!(shown("a.py", words), words);
}

#[test]
fn what_a_line_below_a_name_has_of_its_own_is_shown() {
    for (path, text) in [
        ("a.js", "f({ password,\n  id: \"k7Qv2LmZx9Tb4Rn8\",\n});"),
        ("a.py", "token = load(\n    \"k7Qv2LmZx9Tb4R\")"),
        ("a.c", "if (check_password(x) &&\n    y == k7Qv2LmZx9Tb4R)"),
        (
            "a.md",
            "The password is prompted for.\n\nSee k7Qv2LmZx9Tb4R.",
        ),
    ] {
        assert_eq!(shown(path, text), text, "{path}");
    }
}

/// How programs are given a password, with `~` for it.
const COMMANDS: [&str; 40] = [
    "mysql -u root -p~ db",
    "mysqldump -uroot -p'~' db > x.sql",
    "[\"CMD\", \"mysqladmin\", \"ping\", \"-uroot\", \"-p~\"]",
    "test: [CMD, mariadb-admin, ping, -p~]",
    "mysqladmin -u root password ~",
    "[\"CMD\", \"redis-cli\", \"-a\", \"~\", \"ping\"]",
    "redis-cli -h db -a ~ ping | grep PONG",
    "redis-cli --pass=~ ping",
    "sh -c 'redis-cli -a ~ ping'",
    "mongo -u admin -p ~ admin",
    "mongosh -u admin -p\"~\" admin",
    "cqlsh -u admin -p ~ host",
    "sshpass -p ~ ssh host",
    "sshpass -p'~' ssh host",
    "etcdctl --user root:~ get x",
    "etcdctl --user=root:~ get x",
    "skopeo copy --dest-creds ci:~ a b",
    "mc alias set prod https://s3.acme.com admin ~",
    "mc config host add prod https://s3.acme.com admin ~",
    "mcli alias set --api S3v4 prod https://s3.acme.com admin \"~\"",
    "docker login -u bob -p ~ registry.acme.com",
    "az login -u bob -p ~",
    "helm registry login -u bob -p ~ h",
    "cargo login ~",
    "ldapsearch -x -D cn=admin -w ~ -b dc=acme",
    "[\"ldapsearch\", \"-w\", \"~\"]",
    "smbclient //nas/share -U bob%~",
    "rpcclient -U 'bob%~' nas",
    "htpasswd -bc .htpasswd bob ~",
    "htpasswd -nb bob ~",
    "zip -P ~ a.zip b",
    "sqlcmd -S h -U sa -P ~",
    "ssh-keygen -t rsa -N ~ -f key",
    "7z a -p~ a.7z b",
    "openssl enc -aes-256-cbc -k ~ -in a",
    "openssl rsa -passin pass:~ -in a",
    "rabbitmqctl add_user bob ~",
    "/usr/bin/curl -u bob:~ https://acme.com",
    "java -Djavax.net.ssl.keyStorePassword=~ -jar app.jar",
    "aws rds create-db-instance --master-user-password ~",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// Law: the password of a command is hidden in its line, and where each of its words stands in a line of its own.
    #[test]
    fn a_password_of_a_command_is_hidden(value in "[A-Za-z][A-Z][0-9][a-z][A-Z0-9]{2}[a-z][0-9][A-Za-z0-9]{4,16}") {
        prop_assume!(!is_placeholder(&value) && crate::value::is_drawn_value(&value));
        for form in COMMANDS {
            let line = form.replace('~', &value);
            let shown = shown("a.sh", &line);
            prop_assert!(!shown.contains(&value), "{line}: {shown}");
        }
    }

    #[test]
    fn any_line_is_read_as_a_command(line in "(mysql|mc|htpasswd|redis-cli)[a-z\"' =|;,é\\[\\]-]{0,60}") {
        let _ = shown("a.sh", &line);
    }
}

#[test]
fn what_a_command_is_given_beside_its_password_is_shown() {
    for line in [
        "mysql -u root -p $MYSQL_PWD -P3306 db",
        "mysqldump -p\"$PASS\" -uroot db2x7y9 > a.sql",
        "docker run -p 127.0.0.1:8080:80 -u bob:staff9 image",
        "podman run -p 8080:80 k7Qv2LmZx9Tb4R",
        "redis-cli -h k7Qv2LmZx9Tb4R ping",
        "mongo --port 27017 k7Qv2LmZx9Tb4R",
        "etcdctl --user root get k7Qv2LmZx9Tb4R",
        "zip -r k7Qv2LmZx9Tb4R.zip b",
        "ssh-keygen -t ed25519 -N \"\" -f k7Qv2LmZx9",
        "cargo login && run k7Qv2LmZx9Tb4R",
    ] {
        assert_eq!(shown("a.sh", line), line);
    }
}
