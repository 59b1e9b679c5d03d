//! What a rule promises is found in the ways in which people and formatters write it.

use super::wrong_classes::{assert_silent, assert_speaks};

/// Rule, path, and code that is bad in it.
const BAD: &[(&str, &str, &str)] = &[
    (
        "insecure-source",
        "package.json",
        "{\"name\": \"a\", \"homepage\": \"http://a.io\", \"devDependencies\": {\"b\": \"1\", \"c\": \"http://c.io/c.tgz\"}}\n",
    ),
    (
        "insecure-source",
        "package.json",
        "{\"resolutions\":{\"c\":\"git+http://c.io/c.git\"}}\n",
    ),
    (
        "insecure-source",
        "requirements.txt",
        "--index-url http://pypi.acme.io/simple\nfoo==1\n",
    ),
    (
        "insecure-source",
        "requirements-dev.txt",
        "--extra-index-url=http://pypi.acme.io/simple\n",
    ),
    (
        "insecure-source",
        "requirements.txt",
        "git+http://github.com/a/b.git#egg=b\n",
    ),
    (
        "insecure-source",
        "requirements.txt",
        "b @ git+http://github.com/a/b.git\n",
    ),
    (
        "insecure-source",
        "pom.xml",
        "<repositories><repository><url>http://repo.acme.io/maven</url></repository></repositories>\n",
    ),
    (
        "insecure-source",
        "pom.xml",
        "<pluginRepositories>\n  <pluginRepository>\n    <id>a</id>\n    <url>http://repo.acme.io/maven</url>\n",
    ),
    (
        "insecure-source",
        "build.gradle",
        "repositories {\n  maven { url \"http://repo.acme.io/maven\" }\n}\n",
    ),
    (
        "insecure-source",
        "build.gradle",
        "repositories {\n  maven {\n    name 'a'\n    url = 'http://repo.acme.io'\n",
    ),
    (
        "insecure-source",
        "build.gradle.kts",
        "repositories {\n  maven(\"http://repo.acme.io\")\n}\n",
    ),
    (
        "insecure-source",
        "settings.gradle.kts",
        "maven {\n  url = uri(\"http://repo.acme.io\")\n}\n",
    ),
    (
        "mutable-default",
        "src/o.py",
        "def add(\n    item: str,\n    items: list = [],\n) -> None:\n    items.append(item)\n",
    ),
    (
        "mutable-default",
        "src/o.py",
        "def add(item, items: dict[str, int] = {}):\n    items[item] = 1\n",
    ),
    (
        "debug-mode",
        "src/o.py",
        "app.run(\n    host=\"0.0.0.0\",\n    debug=True,\n)\n",
    ),
    (
        "request-without-timeout",
        "src/o.py",
        "x = requests.get(\n    url,\n    headers=h,\n)\n",
    ),
    (
        "disabled-tls",
        "src/o.go",
        "c := ssh.ClientConfig{HostKeyCallback: ssh.InsecureIgnoreHostKey()}\n",
    ),
    (
        "open-redirect",
        "src/o.go",
        "http.Redirect(w, r, r.FormValue(\"next\"), 302)\n",
    ),
    (
        "open-redirect",
        "src/o.go",
        "http.Redirect(w, req, req.URL.Query().Get(\"next\"), http.StatusFound)\n",
    ),
    (
        "sql-injection",
        "src/o.go",
        "q := fmt.Sprintf(\"DELETE FROM users WHERE name = '%s'\", n)\nif _, err := db.Exec(q); err != nil {\n",
    ),
    (
        "sql-injection",
        "src/o.py",
        "cursor.execute(\"\"\"DELETE FROM t WHERE a = {}\"\"\".format(x))\n",
    ),
    (
        "except-pass",
        "src/o.py",
        "try:\n    a()\nexcept (ValueError, Exception): continue\n",
    ),
    (
        "except-pass",
        "src/o.py",
        "try:\n    a()\nexcept (Exception, KeyError) as e:\n    pass\n",
    ),
    (
        "return-in-finally",
        "src/o.js",
        "try { a(); } finally { return 1; }\n",
    ),
    (
        "return-in-finally",
        "src/O.java",
        "try { a(); } finally { close(); return 1; }\n",
    ),
    (
        "unsafe-deserialization",
        "src/o.py",
        "import yaml\nx = yaml.load(f, yaml.UnsafeLoader)\n",
    ),
    ("focused-test", "spec/o_spec.rb", "fdescribe Foo do\n"),
    ("focused-test", "spec/o_spec.rb", "  fit \"works\" do\n"),
];

/// The same in an innocent form.
const GOOD: &[(&str, &str, &str)] = &[
    (
        "insecure-source",
        "package.json",
        "{\"homepage\": \"http://a.io\", \"dependencies\": {\"c\": \"^1\", \"d\": \"http://localhost/d.tgz\"}}\n",
    ),
    (
        "insecure-source",
        "requirements.txt",
        "# see http://pypi.acme.io\nfoo==1\n",
    ),
    (
        "insecure-source",
        "requirements.txt",
        "--index-url https://pypi.acme.io/simple\n",
    ),
    (
        "insecure-source",
        "pom.xml",
        "<project>\n  <url>http://acme.io</url>\n  <licenses>\n    <license>\n      <url>http://www.apache.org/licenses</url>\n",
    ),
    (
        "insecure-source",
        "pom.xml",
        "<repository>\n  <url>https://a.io</url>\n</repository>\n<url>http://acme.io</url>\n",
    ),
    (
        "insecure-source",
        "build.gradle",
        "pom {\n  url = 'http://acme.io'\n  licenses {\n    license {\n      url = 'http://www.apache.org/licenses'\n",
    ),
    (
        "insecure-source",
        "build.gradle",
        "maven {\n  url 'https://a.io'\n}\npom {\n  url = 'http://acme.io'\n",
    ),
    (
        "mutable-default",
        "src/o.py",
        "def add(\n    item: str,\n    items: list = None,\n):\n    found = []\n",
    ),
    (
        "mutable-default",
        "src/o.py",
        "add(\n    item,\n    items=[],\n)\n",
    ),
    (
        "mutable-default",
        "src/o.py",
        "class A:\n    items: list = []\n",
    ),
    (
        "debug-mode",
        "src/o.py",
        "configure(\n    name,\n    debug=True,\n)\n",
    ),
    (
        "request-without-timeout",
        "src/o.py",
        "x = requests.get(\n    url,\n    timeout=3,\n)\n",
    ),
    (
        "request-without-timeout",
        "src/o.py",
        "x = requests.get(\n    url,\n    **options,\n)\n",
    ),
    (
        "open-redirect",
        "src/o.go",
        "http.Redirect(w, r, \"/login\", 302)\n",
    ),
    (
        "sql-injection",
        "src/o.go",
        "text := fmt.Sprintf(\"select %s from the list\", n)\nshow(text)\n",
    ),
    (
        "except-pass",
        "src/o.py",
        "try:\n    a()\nexcept (ValueError, KeyError): continue\n",
    ),
    (
        "return-in-finally",
        "src/o.js",
        "try { a(); } finally { close(); }\nreturn 1;\n",
    ),
    (
        "return-in-finally",
        "src/o.js",
        "try { a(); } finally { b(() => { return 1; }); }\n",
    ),
    (
        "unsafe-deserialization",
        "src/o.py",
        "import yaml\nx = yaml.load(f, yaml.SafeLoader)\n",
    ),
    (
        "focused-test",
        "spec/o_spec.rb",
        "describe Foo do\n  it \"is fit for use\" do\n",
    ),
];

pub(super) fn added(path: &str, code: &str) -> String {
    let lines: String = code.lines().map(|line| format!("+{line}\n")).collect();
    format!("=== {path}\n{lines}")
}

#[test]
fn rules_know_the_everyday_spellings() {
    for (rule, path, code) in BAD {
        assert_speaks(rule, &added(path, code));
    }
}

#[test]
fn rules_are_silent_on_innocent_neighbours() {
    for (rule, path, code) in GOOD {
        assert_silent(rule, &added(path, code));
    }
}

#[test]
fn unpinned_action_tells_when_a_pin_is_taken_away() {
    let commit = "5dee1c1b8a5b8f9a4b6d6d6c3d4a3d2c1b0a9f8e";
    let edit = |old: &str, new: &str| {
        format!(
            "=== .github/workflows/ci.yml\n on: push\n jobs:\n   a:\n     steps:\n-      - uses: acme/setup@{old}\n+      - uses: acme/setup@{new}\n"
        )
    };
    assert_speaks("unpinned-action", &edit(commit, "v1"));
    assert_silent("unpinned-action", &edit("v1", "v2"));
    assert_silent("unpinned-action", &edit("v1", commit));
}

#[test]
fn workflow_permissions_reads_a_list_on_one_line() {
    let edit = "=== .github/workflows/ci.yml\n on: push\n-permissions: {contents: read}\n+permissions: {contents: write, id-token: write}\n jobs:\n   a:\n";
    assert_speaks("workflow-permissions", edit);
}

/// Whichever sign of a secret is written as an escape, and in whose spelling: a serializer chooses, or whoever hides it.
#[test]
fn no_escape_within_a_secret_hides_it() {
    let token = ["gh", "p_Zk3pQ9vXw2LmT7rB8sYcZk3pQ9vXw2LmT7rB"].concat();
    let body = "MC4CAQAwBQYDK2VwBCIEICR6BnYrek7qQvptOGQgo2xpuCztgRG9ojONY73PREO5";
    let key = ["-----BEGIN PRI", "VATE KEY-----\\n", body, "\\n"].concat();
    let styles: [fn(u32) -> String; 8] = [
        |sign| format!("\\u{sign:04x}"),
        |sign| format!("\\u{{{sign:x}}}"),
        |sign| format!("\\U{sign:08X}"),
        |sign| format!("\\x{sign:02X}"),
        |sign| format!("\\{sign:03o}"),
        |sign| format!("%{sign:02X}"),
        |sign| format!("&#{sign};"),
        |sign| format!("&#x{sign:x};"),
    ];
    for (rule, secret) in [("provider-token", token), ("private-key", key)] {
        for escape in styles {
            for at in 0..40 {
                let sign = u32::from(secret.as_bytes()[at]);
                if sign == u32::from(b'\\') || secret[..at].ends_with('\\') {
                    continue;
                }
                let written = [&secret[..at], &escape(sign), &secret[at + 1..]].concat();
                assert_speaks(
                    rule,
                    &format!("=== src/o.json\n+{{\"x\": \"{written}\"}}\n"),
                );
            }
            let whole = secret.bytes().take(30).map(|sign| match sign {
                b'\\' | b'n' => char::from(sign).to_string(),
                _ => escape(sign.into()),
            });
            let written = whole.collect::<String>() + &secret[30..];
            assert_speaks(
                rule,
                &format!("=== src/o.json\n+{{\"x\": \"{written}\"}}\n"),
            );
        }
    }
    for (path, line) in [
        ("src/o.py", "x = b\"\\x67\\x68\\x70\\x5f\"\n"),
        (
            "docs/o.md",
            "https://example.com/a%20b%2Fc?key=%67%68%70_\n",
        ),
        (
            "src/o.js",
            "const begin = '-----BEGIN\\u0020PRI\\u0056ATE KEY-----';\n",
        ),
    ] {
        let text = format!("=== {path}\n+{line}");
        assert_silent("provider-token", &text);
        assert_silent("private-key", &text);
    }
}

/// A call within a literal runs like any other.
#[test]
fn code_within_a_literal_is_read() {
    for (rule, path, code) in [
        (
            "code-evaluation",
            "src/a.js",
            "const r = `total: ${eval(input)}`;",
        ),
        ("code-evaluation", "src/a.py", "r = f\"total: {eval(y)}\""),
        (
            "code-evaluation",
            "src/a.py",
            "r = rf'''total: {eval(y)!r:>10}'''",
        ),
        (
            "disabled-tls",
            "src/a.py",
            "r = f\"{requests.get(y, verify=False).text} x\"",
        ),
        (
            "shell-injection",
            "src/a.py",
            "r = f\"{subprocess.run('rm ' + y, shell=True)} x\"",
        ),
        (
            "code-evaluation",
            "src/a.jsx",
            "export const A = () => <p>the ` key</p>;\neval(u);",
        ),
    ] {
        assert_speaks(rule, &added(path, code));
    }
    for (rule, path, code) in [
        (
            "code-evaluation",
            "src/a.js",
            "const r = `total: eval(input) ${x}`;",
        ),
        ("code-evaluation", "src/a.py", "r = \"total: {eval(y)}\""),
        ("code-evaluation", "src/a.py", "r = f\"total: {{eval(y)}}\""),
    ] {
        assert_silent(rule, &added(path, code));
    }
}
